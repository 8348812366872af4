//! Builds the columns of a text table, once their types are known.

use std::sync::Arc;

use arrow::array::{
    ArrayRef, BinaryBuilder, BooleanBuilder, Date32Builder, Float64Builder, Int64Builder,
    NullArray, StringArray, TimestampMicrosecondBuilder, TimestampNanosecondBuilder, UInt64Builder,
};
use arrow::datatypes::{SchemaRef, TimeUnit};
use arrow::error::ArrowError;
use arrow::record_batch::RecordBatch;
use csv::ByteRecord;

use super::block::Block;
use super::cell::{Cell, classify, mark};
use super::column;
use super::infer::{Inference, Plan, Type};

/// The values of one column.
pub(super) enum Builder {
    Null(usize),
    Int64(Int64Builder),
    UInt64(UInt64Builder),
    Float64(Float64Builder),
    Bool(BooleanBuilder),
    Date(Date32Builder),
    Micros(TimestampMicrosecondBuilder),
    Nanos(TimestampNanosecondBuilder),
    /// Whether it is UTF-8 is asked once, at the end.
    Text(BinaryBuilder),
}

impl Builder {
    fn new(plan: &Plan) -> Self {
        match plan.kind {
            Type::Null => Self::Null(0),
            Type::Int64 => Self::Int64(Int64Builder::new()),
            Type::UInt64 => Self::UInt64(UInt64Builder::new()),
            Type::Float64 => Self::Float64(Float64Builder::new()),
            Type::Bool => Self::Bool(BooleanBuilder::new()),
            Type::Date => Self::Date(Date32Builder::new()),
            Type::Timestamp { unit: TimeUnit::Nanosecond, .. } => {
                Self::Nanos(TimestampNanosecondBuilder::new().with_data_type(plan.data_type()))
            }
            Type::Timestamp { .. } => {
                Self::Micros(TimestampMicrosecondBuilder::new().with_data_type(plan.data_type()))
            }
            Type::Text => Self::Text(BinaryBuilder::new()),
        }
    }

    /// `None`: the cell is not of the column's type. `known`: what it is by itself.
    pub(super) fn push(
        &mut self,
        raw: &[u8],
        plan: &Plan,
        known: impl FnOnce() -> Cell,
    ) -> Option<()> {
        if let Self::Text(builder) = self {
            let missing = raw.is_empty() || mark(raw).is_some_and(|m| plan.missing[m]);
            builder.append_option((!missing).then_some(raw));
            return Some(());
        }
        // A cell that is missing, or plain, is so under any reading.
        let cell = plan.reading.and_then(|reading| reading.cell(raw));
        match (self, cell.unwrap_or_else(known)) {
            (builder, cell) if cell.is_missing() => builder.null(),
            (Self::Int64(builder), cell) => builder.append_value(int(cell)?),
            (Self::UInt64(builder), Cell::Int(value)) => {
                builder.append_value(u64::try_from(value).ok()?);
            }
            (Self::UInt64(builder), Cell::Unsigned(value)) => builder.append_value(value),
            (Self::Float64(builder), cell) => builder.append_value(float(cell)?),
            (Self::Bool(builder), Cell::Bool { value, .. }) => builder.append_value(value),
            (Self::Date(builder), cell) => builder.append_value(date(cell)?),
            (Self::Micros(builder), cell) => builder.append_value(micros(cell)?),
            (Self::Nanos(builder), Cell::Moment(moment)) => {
                builder.append_value(moment.nanoseconds()?);
            }
            _ => return None,
        }
        Some(())
    }

    /// Adds a text that is not missing, if this is a column of texts.
    #[inline]
    pub(super) fn text(&mut self, raw: &[u8]) {
        if let Self::Text(builder) = self {
            builder.append_value(raw);
        }
    }

    fn null(&mut self) {
        match self {
            Self::Null(rows) => *rows += 1,
            Self::Int64(builder) => builder.append_null(),
            Self::UInt64(builder) => builder.append_null(),
            Self::Float64(builder) => builder.append_null(),
            Self::Bool(builder) => builder.append_null(),
            Self::Date(builder) => builder.append_null(),
            Self::Micros(builder) => builder.append_null(),
            Self::Nanos(builder) => builder.append_null(),
            Self::Text(builder) => builder.append_null(),
        }
    }

    fn finish(&mut self) -> Result<ArrayRef, ArrowError> {
        Ok(match self {
            Self::Null(rows) => Arc::new(NullArray::new(std::mem::take(rows))),
            Self::Int64(builder) => Arc::new(builder.finish()),
            Self::UInt64(builder) => Arc::new(builder.finish()),
            Self::Float64(builder) => Arc::new(builder.finish()),
            Self::Bool(builder) => Arc::new(builder.finish()),
            Self::Date(builder) => Arc::new(builder.finish()),
            Self::Micros(builder) => Arc::new(builder.finish()),
            Self::Nanos(builder) => Arc::new(builder.finish()),
            Self::Text(builder) => Arc::new(StringArray::try_from_binary(builder.finish())?),
        })
    }
}

pub(super) fn int(cell: Cell) -> Option<i64> {
    if let Cell::Int(value) = cell { Some(value) } else { None }
}

pub(super) fn date(cell: Cell) -> Option<i32> {
    if let Cell::Date(days) = cell { Some(days) } else { None }
}

pub(super) fn micros(cell: Cell) -> Option<i64> {
    if let Cell::Moment(moment) = cell { Some(moment.micros()) } else { None }
}

pub(super) fn float(cell: Cell) -> Option<f64> {
    match cell {
        Cell::Number { value, .. } => Some(value),
        Cell::Infinity { negative: true } => Some(f64::NEG_INFINITY),
        Cell::Infinity { negative: false } => Some(f64::INFINITY),
        #[allow(clippy::cast_precision_loss, reason = "inference let only exact ones through")]
        Cell::Int(value) => Some(value as f64),
        #[allow(clippy::cast_precision_loss, reason = "inference let only exact ones through")]
        Cell::Unsigned(value) => Some(value as f64),
        _ => None,
    }
}

/// The columns of one batch under construction.
pub(super) struct Columns<'a> {
    plans: &'a [Plan],
    builders: Vec<Builder>,
    rows: usize,
    bytes: usize,
}

impl<'a> Columns<'a> {
    pub(super) fn new(plans: &'a [Plan]) -> Self {
        Self { plans, builders: plans.iter().map(Builder::new).collect(), rows: 0, bytes: 0 }
    }

    pub(super) fn rows(&self) -> usize {
        self.rows
    }

    pub(super) fn bytes(&self) -> usize {
        self.bytes
    }

    /// Whether the cells of `record` are values of the columns' types, those of texts aside.
    pub(super) fn holds(&mut self, record: &ByteRecord) -> bool {
        let mut cells = self.builders.iter_mut().zip(self.plans).zip(record);
        cells.all(|((builder, plan), cell)| {
            let known = matches!(plan.kind, Type::Text | Type::Null);
            let missing = matches!(classify(cell), Cell::Empty | Cell::Blank | Cell::Mark(_));
            known || (!missing && builder.push(cell, plan, || classify(cell)).is_some())
        })
    }

    /// Adds rows, and looks at their cells for `inference`. Whether all fit; where one does
    /// not, what was built is worth nothing more.
    pub(super) fn push(&mut self, block: Block<'_>, inference: &mut Inference) -> bool {
        let columns = self.builders.iter_mut().zip(self.plans).zip(inference.facts());
        let mut fit = block.width == self.plans.len();
        for (at, ((builder, plan), facts)) in columns.enumerate().take(block.width) {
            fit &= column::take(block.column(at), facts, builder, plan);
        }
        self.rows += block.rows;
        self.bytes += block.weight();
        fit
    }

    /// Adds a row. Whether it fits.
    pub(super) fn push_row(&mut self, record: &ByteRecord) -> bool {
        let mut cells = self.builders.iter_mut().zip(self.plans).zip(record);
        self.rows += 1;
        self.bytes += record.as_slice().len();
        record.len() == self.plans.len()
            && cells.all(|((builder, plan), cell)| {
                builder.push(cell, plan, || classify(cell)).is_some()
            })
    }

    /// The rows so far; begins anew.
    pub(super) fn finish(&mut self, schema: &SchemaRef) -> Result<RecordBatch, ArrowError> {
        (self.rows, self.bytes) = (0, 0);
        let arrays: Result<_, _> = self.builders.iter_mut().map(Builder::finish).collect();
        RecordBatch::try_new(schema.clone(), arrays?)
    }
}
