//! Functions whose result can be much larger than what they are given.
//!
//! `repeat(repeat('x', 100000), 100000)` is 49 bytes of SQL and ten thousand
//! million bytes of text, and the engine computes constants while it plans, outside
//! of any memory limit. So these functions are asked first how much they would make
//! of the rows in hand: over the limit, that is an error and no allocation.

use std::hash::{Hash, Hasher};
use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray as _, Int64Array};
use arrow::compute::cast;
use arrow::datatypes::{DataType, FieldRef, Int64Type, TimeUnit};
use datafusion::common::{DataFusionError, Result, ScalarValue};
use datafusion::logical_expr::{
    ColumnarValue, ReturnFieldArgs, ScalarFunctionArgs, ScalarUDF, ScalarUDFImpl, Signature,
};

/// Bytes of text that one call may make of the rows in hand.
pub(super) const TEXT: u64 = 256 << 20;
/// Elements that one call may make.
pub(super) const ELEMENTS: u64 = 16 << 20;

/// What the limit is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Kind {
    /// The first argument, as often as the second says.
    Repeat,
    /// Up to as many characters as the second argument says.
    Pad,
    /// Each of the second in the first by the third.
    Replace,
    /// All arguments in a row.
    Concat,
    /// The first argument, as often as the second says, in an array.
    ArrayRepeat,
    /// From the first to the second by the third.
    Range,
}

/// A constant or a result that would be too large.
#[derive(Debug, thiserror::Error)]
#[error("{function} would make {} in one step", if *text { "more than 256 MB of text" } else { "more than 16 million elements" })]
pub(super) struct TooLarge {
    /// The function.
    pub function: String,
    text: bool,
}

/// Refuses more text than one call may make.
pub(super) fn within_text(function: &str, bytes: u64) -> Result<()> {
    if bytes <= TEXT {
        return Ok(());
    }
    let function = function.to_owned();
    Err(DataFusionError::External(Box::new(TooLarge { function, text: true })))
}

/// The function, with its limit if it needs one.
pub(super) fn of(function: Arc<ScalarUDF>) -> Arc<ScalarUDF> {
    let kind = match function.name() {
        "repeat" => Kind::Repeat,
        "lpad" | "rpad" => Kind::Pad,
        "replace" => Kind::Replace,
        "concat" => Kind::Concat,
        "array_repeat" => Kind::ArrayRepeat,
        "range" | "generate_series" => Kind::Range,
        _ => return function,
    };
    Arc::new(ScalarUDF::new_from_impl(Bounded { inner: function, kind }))
}

#[derive(Debug)]
struct Bounded {
    inner: Arc<ScalarUDF>,
    kind: Kind,
}

impl PartialEq for Bounded {
    fn eq(&self, other: &Self) -> bool {
        self.kind == other.kind && self.inner == other.inner
    }
}

impl Eq for Bounded {}

impl Hash for Bounded {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.inner.name().hash(state);
    }
}

// It does not simplify: the function's own simplification would put the function itself,
// which knows no limit, in its place.
impl ScalarUDFImpl for Bounded {
    fn name(&self) -> &str {
        self.inner.name()
    }

    fn aliases(&self) -> &[String] {
        self.inner.aliases()
    }

    fn signature(&self) -> &Signature {
        self.inner.signature()
    }

    fn return_type(&self, types: &[DataType]) -> Result<DataType> {
        self.inner.inner().return_type(types)
    }

    fn return_field_from_args(&self, args: ReturnFieldArgs<'_>) -> Result<FieldRef> {
        self.inner.return_field_from_args(args)
    }

    fn coerce_types(&self, types: &[DataType]) -> Result<Vec<DataType>> {
        self.inner.inner().coerce_types(types)
    }

    fn invoke_with_args(&self, args: ScalarFunctionArgs) -> Result<ColumnarValue> {
        let text = !matches!(self.kind, Kind::ArrayRepeat | Kind::Range);
        let size = self.size(&args)?;
        if size > if text { TEXT } else { ELEMENTS } {
            let function = self.inner.name().to_owned();
            return Err(DataFusionError::External(Box::new(TooLarge { function, text })));
        }
        self.inner.invoke_with_args(args)
    }
}

impl Bounded {
    /// What it would make at most.
    fn size(&self, args: &ScalarFunctionArgs) -> Result<u64> {
        // All constants are one row.
        let constant = args.args.iter().all(|arg| matches!(arg, ColumnarValue::Scalar(_)));
        let rows = if constant { 1 } else { args.number_rows };
        let sum = |each: &dyn Fn(usize) -> u64| {
            (0..rows).fold(0u64, |sum, row| sum.saturating_add(each(row)))
        };
        let arg = |at: usize| args.args.get(at);
        match self.kind {
            Kind::Concat => {
                let lengths: Vec<Lengths> =
                    args.args.iter().map(|a| lengths(a, rows)).collect::<Result<_>>()?;
                Ok(sum(&|row| lengths.iter().map(|of| of.at(row)).sum()))
            }
            Kind::Repeat => {
                let (Some(text), Some(times)) = (arg(0), arg(1)) else { return Ok(0) };
                let (text, times) = (lengths(text, rows)?, numbers(times, rows)?);
                Ok(sum(&|row| text.at(row).saturating_mul(times.at(row))))
            }
            Kind::Pad => {
                let Some(width) = arg(1) else { return Ok(0) };
                let width = numbers(width, rows)?;
                // A character has at most four bytes.
                Ok(sum(&|row| width.at(row).saturating_mul(4)))
            }
            Kind::Replace => {
                let (Some(text), Some(to)) = (arg(0), arg(2)) else { return Ok(0) };
                let (text, to) = (lengths(text, rows)?, lengths(to, rows)?);
                Ok(sum(&|row| (text.at(row) + 1).saturating_mul(to.at(row).max(1))))
            }
            Kind::ArrayRepeat => {
                let Some(times) = arg(1) else { return Ok(0) };
                let times = numbers(times, rows)?;
                Ok(sum(&|row| times.at(row)))
            }
            Kind::Range => range(args, rows),
        }
    }
}

/// How many dates or times are between two, by the shortest that the step can be.
fn moments(args: &ScalarFunctionArgs, rows: usize) -> u64 {
    let Some([from, to, step]) = args.args.get(..3).map(|args| [&args[0], &args[1], &args[2]])
    else {
        return 0;
    };
    let nanos = |value: &ColumnarValue| {
        let array = cast(&array(value)?, &DataType::Timestamp(TimeUnit::Microsecond, None))?;
        Ok::<_, DataFusionError>(
            cast(&array, &DataType::Int64)?.as_primitive::<Int64Type>().clone(),
        )
    };
    let step = match step {
        ColumnarValue::Scalar(ScalarValue::IntervalMonthDayNano(Some(step))) => {
            let days =
                u64::from(step.months.unsigned_abs()) * 28 + u64::from(step.days.unsigned_abs());
            days * 86_400_000_000 + step.nanoseconds.unsigned_abs() / 1_000
        }
        // A step by row may be anything.
        _ => 1,
    };
    let (Ok(from), Ok(to)) = (nanos(from), nanos(to)) else { return 0 };
    (0..rows).fold(0u64, |sum, row| {
        sum.saturating_add(value(&to, row).abs_diff(value(&from, row)) / step.max(1))
    })
}

/// How many numbers are between two.
fn range(args: &ScalarFunctionArgs, rows: usize) -> Result<u64> {
    let number = |field: &FieldRef| field.data_type().is_integer() || field.data_type().is_null();
    if !args.arg_fields.iter().all(number) {
        return Ok(moments(args, rows));
    }
    let (start, stop) = match args.args.as_slice() {
        [stop] => (None, stop),
        [start, stop, ..] => (Some(start), stop),
        [] => return Ok(0),
    };
    let start = start.map(|start| signed(start, rows)).transpose()?;
    let stop = signed(stop, rows)?;
    let step = args.args.get(2).map(|step| signed(step, rows)).transpose()?;
    let mut size = 0u64;
    for row in 0..rows {
        let first = start.as_ref().map_or(0, |start| value(start, row));
        let step = step.as_ref().map_or(1, |step| value(step, row)).unsigned_abs().max(1);
        size = size.saturating_add(value(&stop, row).abs_diff(first) / step);
    }
    Ok(size)
}

fn value(numbers: &Int64Array, row: usize) -> i64 {
    let row = if numbers.len() == 1 { 0 } else { row };
    if numbers.is_null(row) { 0 } else { numbers.value(row) }
}

/// Lengths or counts by row; one, where all rows have the same.
struct Lengths(Vec<u64>);

impl Lengths {
    fn at(&self, row: usize) -> u64 {
        let at = if self.0.len() == 1 { 0 } else { row };
        self.0.get(at).copied().unwrap_or(0)
    }
}

fn array(value: &ColumnarValue) -> Result<ArrayRef> {
    match value {
        ColumnarValue::Array(array) => Ok(Arc::clone(array)),
        ColumnarValue::Scalar(scalar) => scalar.to_array(),
    }
}

fn cast_to(value: &ColumnarValue, _rows: usize, to: &DataType) -> Result<ArrayRef> {
    Ok(cast(&array(value)?, to)?)
}

/// Bytes of texts; what is no text is short.
fn lengths(value: &ColumnarValue, _rows: usize) -> Result<Lengths> {
    let array = array(value)?;
    macro_rules! bytes {
        ($texts:expr) => {
            $texts.iter().map(|text| text.map_or(0, |text| text.len() as u64)).collect()
        };
    }
    Ok(Lengths(match array.data_type() {
        DataType::Utf8 => bytes!(array.as_string::<i32>()),
        DataType::LargeUtf8 => bytes!(array.as_string::<i64>()),
        DataType::Utf8View => bytes!(array.as_string_view()),
        DataType::Binary => bytes!(array.as_binary::<i32>()),
        DataType::LargeBinary => bytes!(array.as_binary::<i64>()),
        DataType::BinaryView => bytes!(array.as_binary_view()),
        _ => vec![64; array.len()],
    }))
}

fn signed(value: &ColumnarValue, rows: usize) -> Result<Int64Array> {
    Ok(cast_to(value, rows, &DataType::Int64)?.as_primitive::<Int64Type>().clone())
}

fn numbers(value: &ColumnarValue, rows: usize) -> Result<Lengths> {
    let numbers = signed(value, rows)?;
    Ok(Lengths(numbers.iter().map(|n| n.map_or(0, |n| u64::try_from(n).unwrap_or(0))).collect()))
}
