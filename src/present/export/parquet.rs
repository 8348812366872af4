//! Parquet: the same rows and types, and nothing about us.
//!
//! The footer of an artifact says who owns it and what code made it. None of that
//! goes out: the file is written anew with only what others put into its schema
//! (pandas' own metadata among it). Types that other readers of Parquet would see
//! as bare numbers (timestamps in whole seconds, dates in milliseconds) become
//! their nearest type that they know, which holds the same values.

use std::sync::Arc;

use arrow::array::ArrayRef;
use arrow::compute::{CastOptions, cast_with_options};
use arrow::datatypes::{DataType, Field, Schema, SchemaRef, TimeUnit};
use arrow::record_batch::{RecordBatch, RecordBatchOptions};
use dataroom_sandbox::{CATEGORIES_KEY, TableWriter};

use super::capped::Capped;
use super::{ExportError, Notes, Source};
use crate::store::{FOOTER_KEY, foreign_schema, key_values, parquet_properties};

pub(super) fn write(source: &mut Source<'_>, out: Capped) -> Result<Notes, ExportError> {
    let our_prefix = format!("{FOOTER_KEY}.");
    let schema = foreign_schema(source.schema(), |key| !key.starts_with(&our_prefix));
    let properties = parquet_properties().set_key_value_metadata(Some(key_values(&schema))).build();
    let schema = portable(&schema);
    let said = source.schema().metadata().get(CATEGORIES_KEY).cloned();
    let mut writer =
        TableWriter::try_new(out, SchemaRef::clone(&schema), said.as_deref(), properties)?;
    while let Some(batch) = source.next_batch()? {
        writer.write(&converted(&batch, &schema)?)?;
        source.done(batch.num_rows());
    }
    writer.close()?;
    Ok(Notes::default())
}

fn portable(schema: &Schema) -> SchemaRef {
    let fields = schema.fields().iter().map(|field| {
        let data_type = match field.data_type() {
            DataType::Timestamp(TimeUnit::Second, zone) => {
                DataType::Timestamp(TimeUnit::Millisecond, zone.clone())
            }
            DataType::Date64 => DataType::Date32,
            same => same.clone(),
        };
        Arc::new(Field::clone(field).with_data_type(data_type))
    });
    Arc::new(Schema::new_with_metadata(fields.collect::<Vec<_>>(), schema.metadata().clone()))
}

fn converted(batch: &RecordBatch, schema: &SchemaRef) -> Result<RecordBatch, ExportError> {
    // Not `safe`: a value that does not fit is an error, never a null.
    let strict = CastOptions { safe: false, ..CastOptions::default() };
    let columns: Result<Vec<ArrayRef>, _> = (batch.columns().iter().zip(schema.fields()))
        .map(|(column, field)| cast_with_options(column, field.data_type(), &strict))
        .collect();
    let rows = RecordBatchOptions::new().with_row_count(Some(batch.num_rows()));
    Ok(RecordBatch::try_new_with_options(SchemaRef::clone(schema), columns?, &rows)?)
}
