//! JSON: an array of objects, or objects one after another (NDJSON).
//!
//! Two streaming passes. The first is our own parser ([`frame`] cuts the file into
//! its objects, [`scan`] reads each one), because what matters here is what other
//! readers let pass: a number that would lose digits, a key that holds numbers in
//! one row and texts in another, a key twice in one object. It ends in a schema in
//! which every value fits exactly. The second pass gives the same objects to
//! arrow's decoder, which then has nothing left to decide.

mod frame;
mod scan;
mod shape;

use std::sync::Arc;

use arrow::datatypes::{Field, Schema, SchemaRef};
use arrow::json::ReaderBuilder;
use arrow::record_batch::RecordBatch;

use self::frame::Objects;
use self::scan::Scan;
use self::shape::{Shape, schema, with_zones, without_zones};
use super::converted::{Converted, Key, Writer};
use super::error::CatalogError;
use super::folder::Format;
use super::source::{BATCH_BYTES, BATCH_ROWS, Source};

/// Objects between two looks at `stop`.
const CHECKED: u64 = 1024;

/// Converts the whole file; the result is in `into` under `key`.
pub(super) fn convert(
    source: &Source<'_>,
    key: &Key,
    into: &Converted,
) -> Result<(), CatalogError> {
    let mut notes = Vec::new();
    let schema = infer(source, &mut notes)?;
    let mut writer = into.begin(key, schema.clone()).map_err(|e| source.write(e))?;
    build(source, &key.original, &schema, &mut writer)?;
    writer.finish(notes.into()).map_err(|e| source.write(e))
}

fn infer(source: &Source<'_>, notes: &mut Vec<String>) -> Result<SchemaRef, CatalogError> {
    let mut objects = Objects::open(source)?;
    if let Some(encoding) = objects.pass().encoding() {
        notes.push(format!("the file is read as {}", encoding.to_lowercase()));
    }
    let mut shape = Shape::default();
    let mut scan = Scan::default();
    while objects.next()? {
        if objects.count() % CHECKED == 0 {
            source.check()?;
        }
        scan.object(objects.bytes(), objects.place(), &mut shape)
            .map_err(|fault| fault.of(source))?;
    }
    if objects.count() == 0 {
        return Err(source.whole("it holds no objects; there is nothing to name the columns"));
    }
    if objects.count() == 1 && !objects.in_array() && source.format == Format::Json {
        notes.push("the file is a single object and is read as one row".into());
    }
    let fields = schema(&shape, notes).map_err(|what| source.whole(what))?;
    Ok(Arc::new(Schema::new(fields)))
}

fn build(
    source: &Source<'_>,
    hash: &str,
    schema: &SchemaRef,
    writer: &mut Writer<'_>,
) -> Result<(), CatalogError> {
    // Arrow's own words would repeat cell values. After the first pass they can only
    // mean that the file is another one by now.
    let refused = |_| source.changed();
    let naive: Vec<Field> = schema
        .fields()
        .iter()
        .map(|f| f.as_ref().clone().with_data_type(without_zones(f.data_type())))
        .collect();
    let mut decoder = ReaderBuilder::new(Arc::new(Schema::new(naive)))
        .with_batch_size(BATCH_ROWS)
        .with_coerce_primitive(true)
        .build_decoder()
        .map_err(refused)?;
    let mut objects = Objects::open(source)?;
    let (mut rows, mut bytes) = (0, 0);
    loop {
        let more = objects.next()?;
        if rows > 0 && (!more || rows == BATCH_ROWS || bytes > BATCH_BYTES) {
            source.check()?;
            if let Some(batch) = decoder.flush().map_err(refused)? {
                let zoned = batch.columns().iter().zip(schema.fields());
                let zoned: Result<Vec<_>, _> =
                    zoned.map(|(array, field)| with_zones(array, field.data_type())).collect();
                let batch = zoned.and_then(|arrays| RecordBatch::try_new(schema.clone(), arrays));
                let batch = batch.map_err(|e| source.write(e))?;
                writer.write(batch).map_err(|e| source.write(e))?;
            }
            (rows, bytes) = (0, 0);
        }
        if !more {
            return source.unchanged(objects.pass().text(), hash);
        }
        let mut rest = objects.bytes();
        while !rest.is_empty() {
            match decoder.decode(rest).map_err(refused)? {
                0 => return Err(source.changed()),
                read => rest = &rest[read..],
            }
        }
        rows += 1;
        bytes += objects.bytes().len();
    }
}

#[cfg(test)]
mod tests;
