//! Lists and structs: JSON text, null where the value is null.
//!
//! Text can be many times as big as what it is made from (`false` for a bit, a field's
//! name in every row), so it is made of a few rows at a time, and the most that it can
//! take is paid for before.

use std::sync::Arc;

use arrow::array::{Array, ArrayRef, StringArray};
use arrow::datatypes::{Field, Schema};
use arrow::json::writer::{LineDelimited, WriterBuilder};
use arrow::record_batch::RecordBatch;

use super::super::messages::Coded;
use super::{Arrays, Decoded, Pace, text};
use crate::columns::{Budget, Charge, spread_bytes};

/// Text that is made at once, if that is more than one row.
const AT_ONCE: u64 = 8 << 20;

/// Codes the JSON texts of the values of all arrays.
pub(super) fn coded(arrays: &impl Arrays) -> Result<Decoded, String> {
    let (mut reading, mut kept) = (arrays.budget().charge(), arrays.budget().charge());
    let mut texts = Vec::new();
    let mut pace = Pace::new(arrays.stop());
    let (rows, nulls) = arrays.each(&mut reading, &mut |array| {
        let mut making = Making { budget: arrays.budget(), kept: &mut kept, pace: &mut pace };
        making.all(&array, &mut texts)
    })?;
    let charge = arrays.budget().charge();
    let mut decoded = text::code(&texts, Coded::Json, charge, pace)?;
    (decoded.rows, decoded.nulls) = (rows, nulls);
    Ok(decoded)
}

struct Making<'a, 'b> {
    budget: &'a Budget,
    kept: &'a mut Charge,
    pace: &'a mut Pace<'b>,
}

impl Making<'_, '_> {
    fn all(&mut self, array: &ArrayRef, texts: &mut Vec<ArrayRef>) -> Result<(), String> {
        let most = spread_bytes(array);
        if most > AT_ONCE && array.len() > 1 {
            let half = array.len() / 2;
            self.all(&array.slice(0, half), texts)?;
            return self.all(&array.slice(half, array.len() - half), texts);
        }
        // The encoder's own buffer, and the text.
        let _making = self.budget.pay(most.saturating_mul(2)).map_err(|error| error.to_string())?;
        self.pace.work(most)?;
        let text = lines(array)?;
        let bytes = text.get_array_memory_size() as u64;
        self.kept.add(bytes).map_err(|error| error.to_string())?;
        texts.push(text);
        Ok(())
    }
}

fn lines(array: &ArrayRef) -> Result<ArrayRef, String> {
    let field = Field::new("v", array.data_type().clone(), true);
    let batch = RecordBatch::try_new(Schema::new(vec![field]).into(), vec![array.clone()]);
    let batch = batch.map_err(|error| error.to_string())?;
    let mut text = Vec::new();
    let mut writer =
        WriterBuilder::new().with_explicit_nulls(true).build::<_, LineDelimited>(&mut text);
    writer.write(&batch).and_then(|()| writer.finish()).map_err(|error| error.to_string())?;
    drop(writer);
    let text = String::from_utf8(text).map_err(|error| error.to_string())?;
    // Each line is `{"v":…}`.
    let lines = text.lines().map(|line| line.strip_prefix("{\"v\":")?.strip_suffix('}'));
    let values: StringArray =
        lines.enumerate().map(|(i, line)| line.filter(|_| array.is_valid(i))).collect();
    if values.len() == array.len() {
        Ok(Arc::new(values))
    } else {
        Err("its nested values cannot be put into words".to_owned())
    }
}
