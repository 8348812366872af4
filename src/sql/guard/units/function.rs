//! The function that gives a cell's unit, for plans that the guard makes.
//!
//! It is in no list of functions, so that no query can call it.

use std::collections::HashMap;
use std::sync::Arc;

use arrow::array::{Array as _, ArrayRef, AsArray as _, StringBuilder};
use arrow::compute::cast;
use arrow::datatypes::DataType;
use datafusion::common::{Result, ScalarValue};
use datafusion::logical_expr::expr::ScalarFunction;
use datafusion::logical_expr::{
    ColumnarValue, Expr, ScalarFunctionArgs, ScalarUDF, ScalarUDFImpl, Signature, Volatility,
};

use crate::units::{Currency, Reading, Unit, code, sign};

/// How a cell says its unit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Says {
    /// The cell is a code; the numbers beside it may count cents.
    Code { minor: bool },
    /// The cell is a number with a sign beside it.
    Sign,
}

/// An expression for the unit that a cell says: the same text for the same unit, `?` for
/// a blank.
pub(super) fn unit_of(cell: Expr, says: Says) -> Expr {
    let function = UnitOf { says, signature: Signature::any(1, Volatility::Immutable) };
    let func = Arc::new(ScalarUDF::new_from_impl(function));
    Expr::ScalarFunction(ScalarFunction { func, args: vec![cell] })
}

#[derive(Debug, PartialEq, Eq, Hash)]
struct UnitOf {
    says: Says,
    signature: Signature,
}

impl UnitOf {
    fn key(&self, cell: Option<&str>) -> String {
        let cell = cell.unwrap_or_default();
        match self.says {
            Says::Sign => sign(cell).map_or_else(|| "?".to_owned(), |unit| unit.to_string()),
            Says::Code { minor } => match code(cell) {
                Reading::Unit(Unit::Money { currency, .. }) if minor => {
                    Unit::Money { currency, minor }.to_string()
                }
                reading => reading.key(),
            },
        }
    }
}

impl ScalarUDFImpl for UnitOf {
    fn name(&self) -> &str {
        "unit_of"
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn return_type(&self, _: &[DataType]) -> Result<DataType> {
        Ok(DataType::Utf8)
    }

    fn invoke_with_args(&self, args: ScalarFunctionArgs) -> Result<ColumnarValue> {
        match &args.args[0] {
            ColumnarValue::Scalar(value) => {
                let cell = value.cast_to(&DataType::Utf8)?;
                let key = self.key(cell.try_as_str().flatten());
                Ok(ColumnarValue::Scalar(ScalarValue::Utf8(Some(key))))
            }
            ColumnarValue::Array(cells) => Ok(ColumnarValue::Array(self.keys(cells)?)),
        }
    }
}

impl UnitOf {
    /// A column has few different codes, so each is read once a batch.
    fn keys(&self, cells: &ArrayRef) -> Result<ArrayRef> {
        let cells = cast(cells, &DataType::Utf8View)?;
        let cells = cells.as_string_view();
        let mut known: HashMap<Option<&str>, String> = HashMap::new();
        let mut keys = StringBuilder::with_capacity(cells.len(), cells.len() * 4);
        for cell in cells {
            if known.len() > 1_000 {
                known.clear();
            }
            keys.append_value(known.entry(cell).or_insert_with(|| self.key(cell)));
        }
        Ok(Arc::new(keys.finish()))
    }
}

/// The unit as a constant.
pub(super) fn constant(unit: Option<Unit>) -> Expr {
    Expr::Literal(ScalarValue::Utf8(unit.map(|unit| unit.to_string())), None)
}

/// A text of [`unit_of`] in words.
pub(super) fn named(key: &str) -> String {
    match key {
        "?" => "no unit".to_owned(),
        _ if Currency::of_code(key).is_some() => key.to_owned(),
        _ if key.parse::<Unit>().is_ok() => key.to_owned(),
        other => format!("{other:?}"),
    }
}
