//! Sums and averages of a column in which nothing stands: NULL.
//!
//! Such a column has a type of its own (a sheet's empty column, `NULL` as written), which
//! the engine's sums refuse and its averages fail on when rows come.

use arrow::array::ArrayRef;
use arrow::datatypes::DataType;
use datafusion::common::{Result, ScalarValue};
use datafusion::logical_expr::Accumulator;

/// What it is of, as it is kept between two halves of a query.
pub(super) const STATE: DataType = DataType::Boolean;

/// See the module.
#[derive(Debug)]
pub(super) struct Nothing(pub ScalarValue);

impl Nothing {
    pub(super) fn of(data_type: &DataType) -> Result<Box<dyn Accumulator>> {
        Ok(Box::new(Self(ScalarValue::try_from(data_type)?)))
    }
}

impl Accumulator for Nothing {
    fn update_batch(&mut self, _: &[ArrayRef]) -> Result<()> {
        Ok(())
    }

    fn retract_batch(&mut self, _: &[ArrayRef]) -> Result<()> {
        Ok(())
    }

    fn supports_retract_batch(&self) -> bool {
        true
    }

    fn merge_batch(&mut self, _: &[ArrayRef]) -> Result<()> {
        Ok(())
    }

    fn evaluate(&mut self) -> Result<ScalarValue> {
        Ok(self.0.clone())
    }

    fn state(&mut self) -> Result<Vec<ScalarValue>> {
        Ok(vec![ScalarValue::try_from(&STATE)?])
    }

    fn size(&self) -> usize {
        size_of_val(self)
    }
}
