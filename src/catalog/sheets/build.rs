//! Builds the columns of a sheet, once their types are known.

use std::sync::Arc;

use arrow::array::{
    ArrayRef, BooleanBuilder, Date32Builder, DurationMicrosecondBuilder, Float64Builder,
    Int64Builder, NullArray, StringBuilder, Time64MicrosecondBuilder, TimestampMicrosecondBuilder,
};
use arrow::datatypes::SchemaRef;
use arrow::record_batch::{RecordBatch, RecordBatchOptions};

use super::super::converted::Writer;
use super::super::source::{BATCH_BYTES, BATCH_ROWS, Source};
use super::columns::{Plan, Units};
use super::value::{Cell, Type};
use super::{Fault, Given, Take};

enum Builder {
    Null,
    Text(StringBuilder),
    Int64(Int64Builder),
    Float64(Float64Builder),
    Bool(BooleanBuilder),
    Date(Date32Builder),
    Moment(TimestampMicrosecondBuilder),
    Time(Time64MicrosecondBuilder),
    Duration(DurationMicrosecondBuilder),
}

impl Builder {
    fn new(kind: Type) -> Self {
        match kind {
            Type::Null => Self::Null,
            Type::Text => Self::Text(StringBuilder::new()),
            Type::Int64 => Self::Int64(Int64Builder::new()),
            Type::Float64 => Self::Float64(Float64Builder::new()),
            Type::Bool => Self::Bool(BooleanBuilder::new()),
            Type::Date => Self::Date(Date32Builder::new()),
            Type::Moment => Self::Moment(TimestampMicrosecondBuilder::new()),
            Type::Time => Self::Time(Time64MicrosecondBuilder::new()),
            Type::Duration => Self::Duration(DurationMicrosecondBuilder::new()),
        }
    }

    /// `None`: the cell is not of the column's type.
    fn push(&mut self, cell: &Cell<'_>) -> Option<()> {
        match (self, cell) {
            (builder, Cell::Error(_) | Cell::Uncomputed) => builder.null(),
            (Self::Text(builder), cell) => builder.append_value(cell.text()),
            (Self::Int64(builder), cell) => builder.append_value(cell.whole()?),
            (Self::Float64(builder), Cell::Number(value)) => builder.append_value(*value),
            (Self::Bool(builder), Cell::Bool(value)) => builder.append_value(*value),
            (Self::Date(builder), cell) => builder.append_value(cell.day()?),
            (Self::Moment(builder), Cell::Moment(micros)) => builder.append_value(*micros),
            (Self::Time(builder), Cell::Time(micros)) => builder.append_value(*micros),
            (Self::Duration(builder), Cell::Duration(micros) | Cell::Time(micros)) => {
                builder.append_value(*micros);
            }
            _ => return None,
        }
        Some(())
    }

    fn null(&mut self) {
        match self {
            Self::Null => {}
            Self::Text(builder) => builder.append_null(),
            Self::Int64(builder) => builder.append_null(),
            Self::Float64(builder) => builder.append_null(),
            Self::Bool(builder) => builder.append_null(),
            Self::Date(builder) => builder.append_null(),
            Self::Moment(builder) => builder.append_null(),
            Self::Time(builder) => builder.append_null(),
            Self::Duration(builder) => builder.append_null(),
        }
    }

    fn finish(&mut self, rows: usize) -> ArrayRef {
        match self {
            Self::Null => Arc::new(NullArray::new(rows)),
            Self::Text(builder) => Arc::new(builder.finish()),
            Self::Int64(builder) => Arc::new(builder.finish()),
            Self::Float64(builder) => Arc::new(builder.finish()),
            Self::Bool(builder) => Arc::new(builder.finish()),
            Self::Date(builder) => Arc::new(builder.finish()),
            Self::Moment(builder) => Arc::new(builder.finish()),
            Self::Time(builder) => Arc::new(builder.finish()),
            Self::Duration(builder) => Arc::new(builder.finish()),
        }
    }
}

/// The rows under construction.
pub(super) struct Rows<'a> {
    source: &'a Source<'a>,
    plan: &'a Plan,
    schema: SchemaRef,
    writer: Writer<'a>,
    builders: Vec<Builder>,
    /// The units of columns whose cells name different ones.
    units: Vec<Option<StringBuilder>>,
    /// Columns of the open row that are filled, and the row in the sheet.
    filled: usize,
    row: u32,
    rows: usize,
    bytes: usize,
    is_open: bool,
}

impl<'a> Rows<'a> {
    pub(super) fn new(
        source: &'a Source<'a>,
        plan: &'a Plan,
        schema: SchemaRef,
        writer: Writer<'a>,
    ) -> Self {
        let builders = plan.types.iter().map(|kind| Builder::new(*kind)).collect();
        let several = |units: &Units| matches!(units, Units::Several(_));
        let units =
            plan.units.iter().map(|units| several(units).then(StringBuilder::new)).collect();
        let row = plan.first_row;
        Self {
            source,
            plan,
            schema,
            writer,
            builders,
            units,
            filled: 0,
            row,
            rows: 0,
            bytes: 0,
            is_open: false,
        }
    }

    /// Nulls from the last cell up to a column.
    fn fill(&mut self, column: usize) {
        let missing = self.filled..column;
        self.builders[missing.clone()].iter_mut().for_each(Builder::null);
        self.units[missing].iter_mut().flatten().for_each(StringBuilder::append_null);
    }

    fn end_row(&mut self) -> Result<(), Fault> {
        self.fill(self.builders.len());
        (self.filled, self.is_open) = (0, false);
        self.row += 1;
        self.rows += 1;
        self.bytes += 8 * self.builders.len();
        if self.rows == BATCH_ROWS || self.bytes > BATCH_BYTES {
            self.source.check()?;
            self.write()?;
        }
        Ok(())
    }

    fn write(&mut self) -> Result<(), Fault> {
        let rows = std::mem::take(&mut self.rows);
        self.bytes = 0;
        let mut arrays = Vec::new();
        for (builder, units) in self.builders.iter_mut().zip(&mut self.units) {
            arrays.push(builder.finish(rows));
            arrays.extend(units.as_mut().map(|units| Arc::new(units.finish()) as ArrayRef));
        }
        let options = RecordBatchOptions::new().with_row_count(Some(rows));
        let batch = RecordBatch::try_new_with_options(self.schema.clone(), arrays, &options)
            .map_err(|e| self.source.write(e))?;
        self.writer.write(batch).map_err(|e| self.source.write(e))?;
        Ok(())
    }

    pub(super) fn finish(mut self) -> Result<Writer<'a>, Fault> {
        if self.is_open {
            self.end_row()?;
        }
        self.write()?;
        Ok(self.writer)
    }
}

impl Take for Rows<'_> {
    /// What lies between a cell and the last one is missing.
    fn cell(&mut self, Given { place, cell, unit }: Given<'_>) -> Result<(), Fault> {
        if place.row < self.plan.first_row {
            return Ok(());
        }
        // The first pass saw all of these cells: what does not fit has changed since.
        let source = self.source;
        let changed = || Fault::Stop(source.changed());
        let column = place.column.checked_sub(self.plan.first_column).ok_or_else(changed)? as usize;
        if place.row < self.row || column >= self.builders.len() {
            return Err(changed());
        }
        while self.row < place.row {
            self.end_row()?;
        }
        if column < self.filled {
            return Err(changed());
        }
        self.is_open = true;
        self.fill(column);
        self.filled = column + 1;
        if let Cell::Text(text) = &cell {
            self.bytes += text.len();
        }
        if let Some(units) = &mut self.units[column] {
            units.append_option(unit.map(|unit| unit.to_string()));
        }
        self.builders[column].push(&cell).ok_or_else(changed)
    }
}
