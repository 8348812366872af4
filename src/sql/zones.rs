//! `ts AT TIME ZONE 'Europe/Berlin'`, as in PostgreSQL and DuckDB.
//!
//! A moment (a timestamp with a zone) becomes what a clock shows there, a timestamp without
//! one; what a clock showed there becomes a moment. The engine casts both to a timestamp of
//! that zone, which keeps the moment but not the type: the hour of a clock's time in Tokyo was
//! the hour there, and PostgreSQL's is that of UTC. A clock's time that came twice, when
//! summer time ended, is the second one; one that never came, when it began, is as much
//! later as the clock was put on.

use std::sync::Arc;

use arrow::array::timezone::Tz;
use arrow::array::{Array as _, ArrayRef, AsArray as _, PrimitiveArray};
use arrow::compute::cast;
use arrow::datatypes::{
    ArrowTimestampType, DataType, Field, FieldRef, TimeUnit, TimestampMicrosecondType,
    TimestampMillisecondType, TimestampNanosecondType, TimestampSecondType,
};
use arrow::error::ArrowError;
use chrono::{Days, LocalResult, NaiveDateTime, Offset as _, TimeZone as _};
use datafusion::common::{Result, ScalarValue, exec_err, plan_err};
use datafusion::logical_expr::{
    ColumnarValue, ReturnFieldArgs, ScalarFunctionArgs, ScalarUDF, ScalarUDFImpl, Signature,
    Volatility,
};

use super::checked::of_one;

/// PostgreSQL's name of it as a function: `timezone(zone, timestamp)`.
pub(super) const TIMEZONE: &str = "timezone";
/// The zone of moments.
const UTC: &str = "UTC";

#[derive(Debug, PartialEq, Eq, Hash)]
struct Timezone {
    signature: Signature,
}

/// The function.
pub(super) fn timezone() -> Arc<ScalarUDF> {
    let signature = Signature::user_defined(Volatility::Immutable);
    Arc::new(ScalarUDF::new_from_impl(Timezone { signature }))
}

impl ScalarUDFImpl for Timezone {
    fn name(&self) -> &str {
        TIMEZONE
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn return_type(&self, types: &[DataType]) -> Result<DataType> {
        Ok(match &types[1] {
            DataType::Timestamp(unit, None) => DataType::Timestamp(*unit, Some(UTC.into())),
            DataType::Timestamp(unit, Some(_)) => DataType::Timestamp(*unit, None),
            other => other.clone(),
        })
    }

    fn return_field_from_args(&self, args: ReturnFieldArgs<'_>) -> Result<FieldRef> {
        let types: Vec<DataType> = args.arg_fields.iter().map(|f| f.data_type().clone()).collect();
        Ok(Arc::new(Field::new(TIMEZONE, self.return_type(&types)?, true)))
    }

    fn coerce_types(&self, types: &[DataType]) -> Result<Vec<DataType>> {
        let [zone, moment] = types else {
            return plan_err!(
                "Function '{TIMEZONE}' expects 2 arguments but received {}",
                types.len()
            );
        };
        if !zone.is_string() {
            return plan_err!("Function '{TIMEZONE}' requires String, but received {zone}");
        }
        let moment = match moment {
            DataType::Timestamp(..) => moment.clone(),
            DataType::Date32 | DataType::Date64 => DataType::Timestamp(TimeUnit::Microsecond, None),
            other => {
                return plan_err!(
                    "AT TIME ZONE is of a timestamp, not of {other}: CAST(… AS TIMESTAMP) makes one of a text"
                );
            }
        };
        Ok(vec![DataType::Utf8, moment])
    }

    fn invoke_with_args(&self, args: ScalarFunctionArgs) -> Result<ColumnarValue> {
        let ColumnarValue::Scalar(ScalarValue::Utf8(Some(zone))) = &args.args[0] else {
            return exec_err!(
                "AT TIME ZONE takes the name of a zone in quotes, such as 'Europe/Berlin'"
            );
        };
        let Ok(tz) = zone.parse::<Tz>() else {
            return exec_err!(
                "{zone:?} is no time zone: write one such as 'Europe/Berlin' or '+01:00'"
            );
        };
        of_one(args.args[1].clone(), |array| Ok(moved(&array, tz)?))
    }
}

fn moved(array: &ArrayRef, tz: Tz) -> Result<ArrayRef, ArrowError> {
    let DataType::Timestamp(unit, of) = array.data_type().clone() else {
        return Err(ArrowError::ComputeError("no timestamp".to_owned()));
    };
    let to_clock = of.is_some();
    // The numbers alone: in a column with a zone they count from UTC's midnight, too.
    let bare = cast(&cast(array, &DataType::Int64)?, &DataType::Timestamp(unit, None))?;
    let zone = (!to_clock).then(|| Arc::from(UTC));
    Ok(match unit {
        TimeUnit::Second => {
            Arc::new(each::<TimestampSecondType>(&bare, tz, to_clock)?.with_timezone_opt(zone))
        }
        TimeUnit::Millisecond => {
            Arc::new(each::<TimestampMillisecondType>(&bare, tz, to_clock)?.with_timezone_opt(zone))
        }
        TimeUnit::Microsecond => {
            Arc::new(each::<TimestampMicrosecondType>(&bare, tz, to_clock)?.with_timezone_opt(zone))
        }
        TimeUnit::Nanosecond => {
            Arc::new(each::<TimestampNanosecondType>(&bare, tz, to_clock)?.with_timezone_opt(zone))
        }
    })
}

fn each<T: ArrowTimestampType>(
    array: &ArrayRef,
    tz: Tz,
    to_clock: bool,
) -> Result<PrimitiveArray<T>, ArrowError> {
    let out_of_range =
        || ArrowError::ComputeError("a time is out of range in that time zone".to_owned());
    array.as_primitive::<T>().try_unary::<_, T, _>(|value| {
        let before =
            arrow::array::temporal_conversions::as_datetime::<T>(value).ok_or_else(out_of_range)?;
        let offset = offset(&tz, before, to_clock).ok_or_else(out_of_range)?;
        let seconds = if to_clock { offset } else { -offset };
        let per_second = match T::UNIT {
            TimeUnit::Second => 1,
            TimeUnit::Millisecond => 1_000,
            TimeUnit::Microsecond => 1_000_000,
            TimeUnit::Nanosecond => 1_000_000_000,
        };
        value.checked_add(i64::from(seconds) * per_second).ok_or_else(out_of_range)
    })
}

/// Seconds that a clock there is ahead of UTC.
fn offset(tz: &Tz, time: NaiveDateTime, of_moment: bool) -> Option<i32> {
    if of_moment {
        return Some(tz.offset_from_utc_datetime(&time).fix().local_minus_utc());
    }
    Some(match tz.offset_from_local_datetime(&time) {
        LocalResult::Single(offset) | LocalResult::Ambiguous(_, offset) => {
            offset.fix().local_minus_utc()
        }
        // What was valid before the clock was put on.
        LocalResult::None => {
            let day_before = time.checked_sub_days(Days::new(1))?;
            tz.offset_from_utc_datetime(&day_before).fix().local_minus_utc()
        }
    })
}
