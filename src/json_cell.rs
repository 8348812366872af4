//! One cell as JSON: numbers as numbers, what JSON has no word for as text.

use arrow::array::{Array, ArrayRef, AsArray};
use arrow::datatypes::{
    DataType, Float16Type, Float32Type, Float64Type, Int8Type, Int16Type, Int32Type, Int64Type,
    UInt8Type, UInt16Type, UInt32Type, UInt64Type,
};
use arrow::util::display::{ArrayFormatter, FormatOptions};
use serde_json::Value;

use crate::json_integer::json_integer;

/// See the module.
#[must_use]
pub fn json_cell(column: &ArrayRef, row: usize) -> Value {
    if column.is_null(row) {
        return Value::Null;
    }
    macro_rules! number {
        ($kind:ty) => {
            column.as_primitive::<$kind>().value(row).into()
        };
    }
    match column.data_type() {
        DataType::Null => Value::Null,
        DataType::Boolean => column.as_boolean().value(row).into(),
        DataType::Int8 => number!(Int8Type),
        DataType::Int16 => number!(Int16Type),
        DataType::Int32 => number!(Int32Type),
        DataType::Int64 => json_integer(column.as_primitive::<Int64Type>().value(row)),
        DataType::UInt8 => number!(UInt8Type),
        DataType::UInt16 => number!(UInt16Type),
        DataType::UInt32 => number!(UInt32Type),
        DataType::UInt64 => json_integer(column.as_primitive::<UInt64Type>().value(row)),
        DataType::Float16 => float(column.as_primitive::<Float16Type>().value(row).to_f64()),
        // Through its shortest text: 0.1 in 32 bits is 0.1 and not 0.10000000149.
        DataType::Float32 => {
            let value = column.as_primitive::<Float32Type>().value(row);
            float(value.to_string().parse().unwrap_or_else(|_| f64::from(value)))
        }
        DataType::Float64 => float(column.as_primitive::<Float64Type>().value(row)),
        DataType::Dictionary(_, _) => {
            let dictionary = column.as_any_dictionary();
            let key = dictionary.normalized_keys()[row];
            json_cell(dictionary.values(), key)
        }
        _ => ArrayFormatter::try_new(column, &FormatOptions::default())
            .and_then(|f| f.value(row).try_to_string())
            .map_or(Value::Null, Value::String),
    }
}

fn float(value: f64) -> Value {
    serde_json::Number::from_f64(value)
        .map_or_else(|| Value::String(value.to_string()), Value::Number)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use arrow::array::{
        Date32Array, Decimal128Array, DictionaryArray, Float32Array, Float64Array, Int64Array,
        StringArray, TimestampMicrosecondArray,
    };
    use arrow::datatypes::Int8Type;
    use serde_json::json;

    use super::*;

    fn cells(column: impl Array + 'static) -> Value {
        let column: ArrayRef = Arc::new(column);
        (0..column.len()).map(|row| json_cell(&column, row)).collect()
    }

    #[test]
    fn cells_keep_their_meaning_as_json() {
        let big = 9_007_199_254_740_993;
        assert_eq!(
            cells(Int64Array::from(vec![Some(big), None])),
            json!(["9007199254740993", null])
        );
        assert_eq!(cells(Float32Array::from(vec![0.1, f32::NAN])), json!([0.1, "NaN"]));
        assert_eq!(cells(Float64Array::from(vec![f64::NEG_INFINITY])), json!(["-inf"]));
        assert_eq!(cells(Date32Array::from(vec![15_706])), json!(["2013-01-01"]));
        let moment = TimestampMicrosecondArray::from(vec![1_357_034_400_000_000]);
        assert_eq!(cells(moment), json!(["2013-01-01T10:00:00"]));
        let moment = TimestampMicrosecondArray::from(vec![Some(1_357_034_400_000_000), None]);
        let shown = json!(["2013-01-01T11:00:00+01:00", null]);
        assert_eq!(cells(moment.with_timezone("Europe/Berlin")), shown);
        let price = Decimal128Array::from(vec![1_230]).with_precision_and_scale(10, 2).unwrap();
        assert_eq!(cells(price), json!(["12.30"]));
        let keys = arrow::array::Int8Array::from(vec![Some(1), None, Some(0)]);
        let kinds = Arc::new(StringArray::from(vec!["a", "b"]));
        let category = DictionaryArray::<Int8Type>::try_new(keys, kinds).unwrap();
        assert_eq!(cells(category), json!(["b", null, "a"]));
    }
}
