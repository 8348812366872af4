//! How a spreadsheet shows a number of a unit.

use arrow::datatypes::DataType;

use crate::units::{Measure, Unit};

/// Currencies whose smallest coin is the whole.
const WHOLE: [&str; 6] = ["CLP", "ISK", "JPY", "KRW", "PYG", "VND"];

/// Excel's pattern for numbers of this unit; `None` where plain digits are best.
///
/// A percentage that is stored as 5 stays 5 in the cell, and the sign is only shown: a
/// formula over it gives what a query gives. One that is stored as 0.05 is Excel's own.
pub(super) fn pattern(unit: &str, data_type: &DataType) -> Option<String> {
    let unit: Unit = unit.parse().ok()?;
    match unit {
        Unit::Money { currency: Some(currency), minor } => {
            let code = currency.to_string();
            let is_whole = minor || data_type.is_integer() || WHOLE.contains(&code.as_str());
            let digits = if is_whole { "#,##0" } else { "#,##0.00" };
            Some(format!("{digits} \"{unit}\""))
        }
        Unit::Measure(Measure::Percent) if data_type.is_integer() => Some("0\"%\"".to_owned()),
        Unit::Measure(Measure::Percent) => Some("0.0#\"%\"".to_owned()),
        Unit::Measure(Measure::Fraction) => Some("0.0#%".to_owned()),
        Unit::Money { currency: None, .. } | Unit::Measure(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_unit_has_its_pattern() {
        let check = |unit: &str, data_type: DataType, expected: Option<&str>| {
            assert_eq!(pattern(unit, &data_type).as_deref(), expected, "{unit}");
        };
        check("EUR", DataType::Float64, Some("#,##0.00 \"EUR\""));
        check("EUR", DataType::Int32, Some("#,##0 \"EUR\""));
        check("JPY", DataType::Float64, Some("#,##0 \"JPY\""));
        check("USD cents", DataType::Int64, Some("#,##0 \"USD cents\""));
        check("%", DataType::Float64, Some("0.0#\"%\""));
        check("%", DataType::Int64, Some("0\"%\""));
        check("fraction", DataType::Float64, Some("0.0#%"));
        check("kg", DataType::Float64, None);
        check("no \"unit\"", DataType::Float64, None);
    }
}
