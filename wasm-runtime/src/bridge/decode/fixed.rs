//! Values of a fixed width: copied out of each batch as it comes.

use arrow::array::{Array, ArrayRef, AsArray};
use arrow::datatypes::{ArrowPrimitiveType, Int64Type};

use super::super::messages::KindOut;
use super::{Arrays, Decoded};

/// Makes an array of what is copied from one of what is read.
pub(super) type Prepare<'a> = &'a dyn Fn(ArrayRef) -> Result<ArrayRef, String>;

/// `values`, and `mask` with a byte a row if there are nulls.
pub(super) fn primitive<T: ArrowPrimitiveType>(
    kind: KindOut,
    arrays: &impl Arrays,
    prepare: Prepare<'_>,
) -> Result<Decoded, String> {
    masked(kind, arrays, size_of::<T::Native>(), prepare, |array, values| {
        values.extend_from_slice(array.as_primitive::<T>().values().inner().as_slice());
    })
}

pub(super) fn booleans(kind: KindOut, arrays: &impl Arrays) -> Result<Decoded, String> {
    masked(kind, arrays, 1, &Ok, |array, values| {
        values.extend(array.as_boolean().values().iter().map(u8::from));
    })
}

fn masked(
    kind: KindOut,
    arrays: &impl Arrays,
    width: usize,
    prepare: Prepare<'_>,
    copy: impl Fn(&ArrayRef, &mut Vec<u8>),
) -> Result<Decoded, String> {
    let most = arrays.values().saturating_mul(width as u64 + 1);
    let mut charge = arrays.budget().pay(most).map_err(|error| error.to_string())?;
    let mut values = Vec::with_capacity(arrays.values() as usize * width);
    let (mut mask, mut done) = (Vec::new(), 0);
    let mut kept = arrays.budget().charge();
    let (rows, nulls) = arrays.each(&mut kept, &mut |array| {
        copy(&prepare(array.clone())?, &mut values);
        if let Some(nulls) = array.nulls().filter(|nulls| nulls.null_count() > 0) {
            mask.resize(done, 0);
            mask.extend(nulls.iter().map(|valid| u8::from(!valid)));
        }
        done += array.len();
        Ok(())
    })?;
    let buffers = if nulls > 0 {
        mask.resize(done, 0);
        vec![values, mask]
    } else {
        vec![values]
    };
    charge.keep(buffers.iter().map(|buffer| buffer.len() as u64).sum());
    Ok(Decoded { kind, buffers, rows, nulls, laid: None, charge })
}

/// 64-bit counts with the lowest value for null, as numpy has `NaT`.
pub(super) fn moments(
    kind: KindOut,
    arrays: &impl Arrays,
    prepare: Prepare<'_>,
) -> Result<Decoded, String> {
    let most = arrays.values().saturating_mul(8);
    let charge = arrays.budget().pay(most).map_err(|error| error.to_string())?;
    let mut values = Vec::with_capacity(arrays.values() as usize * 8);
    let mut kept = arrays.budget().charge();
    let (rows, nulls) = arrays.each(&mut kept, &mut |array| {
        let array = prepare(array)?;
        let array = array.as_primitive::<Int64Type>();
        if array.null_count() == 0 {
            values.extend_from_slice(array.values().inner().as_slice());
        } else {
            for value in array {
                values.extend_from_slice(&value.unwrap_or(i64::MIN).to_le_bytes());
            }
        }
        Ok(())
    })?;
    Ok(Decoded { kind, buffers: vec![values], rows, nulls, laid: None, charge })
}
