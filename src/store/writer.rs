//! Writes one artifact: batches in, a whole file or nothing out.
//!
//! The byte limits bite while the file grows. The artifact's own is counted to
//! the byte, under the Parquet writer. The owner's is the sum of the files in the
//! owner's folder, looked at each time the file has grown by
//! [`LOOK_AGAIN_BYTES`], and once more at the end, under the folder's lock, so
//! that two servers that finish at the same moment cannot both take the last
//! free bytes.

use std::fs::File;
use std::io::{self, Write};
use std::sync::{Arc, Mutex, PoisonError};

use arrow::array::new_null_array;
use arrow::datatypes::{DataType, Schema, SchemaRef};
use arrow::record_batch::{RecordBatch, RecordBatchOptions};
use parquet::arrow::{ArrowSchemaConverter, ArrowWriter};
use parquet::basic::{Compression, ZstdLevel};
use parquet::errors::ParquetError;
use parquet::file::properties::{EnabledStatistics, WriterProperties, WriterPropertiesBuilder};

use super::error::{StoreError, io_error};
use super::folder::OwnerFolder;
use super::hash::ContentHasher;
use super::meta::{ArtifactMeta, foreign_schema, key_values};
use super::temporary::Temporary;
use super::{Artifact, StoreSettings};
use crate::table::{BATCH_ROWS, Table};

const ROW_GROUP_ROWS: usize = 1 << 20;
/// What the writer may hold in memory before it must write a row group.
const ROW_GROUP_BYTES: usize = 64 << 20;
/// How far a file grows between two looks at what the owner's files take.
const LOOK_AGAIN_BYTES: u64 = 8 << 20;

/// How every Parquet file of ours is written.
pub(crate) fn parquet_properties() -> WriterPropertiesBuilder {
    // The lowest zstd level: artifacts are written once and read soon, and live days.
    let level = ZstdLevel::try_new(1).unwrap_or_default();
    WriterProperties::builder()
        .set_compression(Compression::ZSTD(level))
        .set_dictionary_enabled(true)
        .set_statistics_enabled(EnabledStatistics::Page)
        .set_max_row_group_row_count(Some(ROW_GROUP_ROWS))
        .set_max_row_group_bytes(Some(ROW_GROUP_BYTES))
        .set_created_by(concat!("dataroom ", env!("CARGO_PKG_VERSION")).to_owned())
}

/// An artifact in the making. Dropped without [`finish`](Self::finish), it leaves
/// nothing behind.
#[derive(Debug)]
pub struct ArtifactWriter {
    writer: ArrowWriter<Capped>,
    schema: SchemaRef,
    meta: ArtifactMeta,
    hasher: ContentHasher,
    nulls: Vec<u64>,
    cause: Cause,
    folder: OwnerFolder,
    owner_bytes: u64,
    looked_at: u64,
    temporary: Temporary,
}

impl ArtifactWriter {
    pub(super) fn create(
        folder: OwnerFolder,
        meta: ArtifactMeta,
        schema: &Schema,
        settings: StoreSettings,
    ) -> Result<Self, StoreError> {
        check_columns(schema)?;
        let temporary = folder.temporary()?;
        let cause = Cause::default();
        let file = temporary.file().try_clone().map_err(io_error("open the artifact's file"))?;
        let capped =
            Capped { file, written: 0, limit: settings.artifact_bytes, cause: cause.clone() };
        let schema = foreign_schema(schema, |_| true);
        let properties =
            parquet_properties().set_key_value_metadata(Some(key_values(&schema))).build();
        let writer = ArrowWriter::try_new(capped, SchemaRef::clone(&schema), Some(properties))
            .map_err(|error| cause.explain(&error))?;
        let hasher =
            ContentHasher::new(&schema).map_err(|error| StoreError::Parquet(error.to_string()))?;
        let nulls = vec![0; schema.fields().len()];
        let owner_bytes = settings.owner_bytes;
        Ok(Self {
            writer,
            schema,
            meta,
            hasher,
            nulls,
            cause,
            folder,
            owner_bytes,
            looked_at: 0,
            temporary,
        })
    }

    /// Adds rows.
    ///
    /// # Errors
    /// The batch has other columns, a limit is reached, or the disk refuses. After
    /// an error the writer is of no more use; drop it.
    pub fn write(&mut self, batch: &RecordBatch) -> Result<(), StoreError> {
        let batch = self.fitting(batch)?;
        if batch.num_columns() == 0 && batch.num_rows() > 0 {
            return Err(StoreError::NoColumns { rows: batch.num_rows() });
        }
        // In slices, so that a huge batch meets the limits on its way, too.
        for start in (0..batch.num_rows()).step_by(BATCH_ROWS) {
            let slice = batch.slice(start, BATCH_ROWS.min(batch.num_rows() - start));
            self.writer.write(&slice).map_err(|error| self.cause.explain(&error))?;
            self.meet_limits()?;
        }
        self.hasher.update(&batch).map_err(|error| StoreError::WrongBatch(error.to_string()))?;
        for (count, column) in self.nulls.iter_mut().zip(batch.columns()) {
            *count += column.logical_null_count() as u64;
        }
        self.meta.rows += batch.num_rows() as u64;
        Ok(())
    }

    /// The handle it will have.
    #[must_use]
    pub fn reference(&self) -> &super::DataRef {
        &self.meta.reference
    }

    /// Notes what the run that made it has burnt in all.
    pub fn burnt(&mut self, fuel: u64) {
        if let Some(run) = &mut self.meta.run {
            run.fuel = Some(fuel);
        }
    }

    /// Completes the artifact and makes it durable.
    ///
    /// # Errors
    /// A limit is reached, or the disk refuses; nothing is left then.
    pub fn finish(mut self) -> Result<Artifact, StoreError> {
        self.meta.content_hash = self.hasher.finish().to_string();
        self.meta.nulls = (self.schema.fields().iter().zip(&self.nulls))
            .filter(|(_, nulls)| **nulls > 0)
            .map(|(field, nulls)| (field.name().clone(), *nulls))
            .collect();
        let footer = self.meta.to_key_value().map_err(|e| StoreError::Parquet(e.to_string()))?;
        self.writer.append_key_value_metadata(footer);
        self.writer.finish().map_err(|error| self.cause.explain(&error))?;
        let bytes = self.writer.inner().written;
        self.temporary.sync().map_err(io_error("sync the artifact's file"))?;
        // Opened for reading while it still has its first name, so that what is
        // handed out is what was written, whatever becomes of the folder.
        let file = self.folder.reopen(&self.temporary)?;
        let table = Table::open(file).map_err(|error| StoreError::Parquet(error.to_string()))?;
        self.folder.publish(self.temporary, &self.meta.reference, bytes, self.owner_bytes)?;
        Ok(Artifact { meta: self.meta, table })
    }

    /// The batch under the artifact's own schema.
    fn fitting(&self, batch: &RecordBatch) -> Result<RecordBatch, StoreError> {
        let options = RecordBatchOptions::new().with_row_count(Some(batch.num_rows()));
        let given = batch.schema();
        let names = given.fields().iter().map(|field| field.name());
        if !names.eq(self.schema.fields().iter().map(|field| field.name())) {
            return Err(StoreError::WrongBatch("other names".to_owned()));
        }
        RecordBatch::try_new_with_options(
            SchemaRef::clone(&self.schema),
            batch.columns().to_vec(),
            &options,
        )
        .map_err(|error| StoreError::WrongBatch(error.to_string()))
    }

    fn meet_limits(&mut self) -> Result<(), StoreError> {
        let limit = self.writer.inner().limit;
        let left = limit.saturating_sub(self.writer.bytes_written() as u64);
        // What is held back may be over the limit already: find out now, not
        // after another 64 MiB.
        if self.writer.in_progress_size() as u64 > left.max(1 << 20) {
            self.writer.flush().map_err(|error| self.cause.explain(&error))?;
        }
        let written = self.writer.bytes_written() as u64;
        if written >= self.looked_at + LOOK_AGAIN_BYTES {
            self.looked_at = written;
            self.folder.make_room((self.temporary.name(), written), self.owner_bytes)?;
        }
        Ok(())
    }
}

/// Names a column that Parquet has no type for, and a name that comes twice.
fn check_columns(schema: &Schema) -> Result<(), StoreError> {
    let mut names = std::collections::HashSet::new();
    for field in schema.fields() {
        if !names.insert(field.name()) {
            return Err(StoreError::DuplicateColumn(field.name().clone()));
        }
        let alone = Schema::new(vec![field.as_ref().clone().with_nullable(true)]);
        let refused = try_column(&alone)
            .map_err(|error| error.to_string())
            .and_then(|()| ContentHasher::new(&alone).map(drop).map_err(|error| error.to_string()));
        if let Err(cause) = refused {
            let data_type = field.data_type().to_string();
            return Err(StoreError::ColumnType { column: field.name().clone(), data_type, cause });
        }
    }
    Ok(())
}

/// Some types have a place in a Parquet schema and cannot be written all the same,
/// so one null is written to nowhere.
fn try_column(schema: &Schema) -> Result<(), ParquetError> {
    let data_type = schema.field(0).data_type();
    // Parquet takes them, and its reader panics on the way back.
    if let DataType::Dictionary(_, values) = data_type
        && matches!(**values, DataType::Boolean | DataType::Null)
    {
        let cause = format!("categories of the type {values} cannot be read back");
        return Err(ParquetError::General(cause));
    }
    if data_type.is_numeric() || data_type.is_string() {
        return Ok(());
    }
    ArrowSchemaConverter::new().convert(schema)?;
    let schema = SchemaRef::new(schema.clone());
    let null = RecordBatch::try_new(SchemaRef::clone(&schema), vec![new_null_array(data_type, 1)])?;
    let mut writer = ArrowWriter::try_new(io::sink(), schema, None)?;
    writer.write(&null)?;
    writer.close().map(drop)
}

/// What really stopped the Parquet writer, which makes text of every error.
#[derive(Debug, Clone, Default)]
struct Cause(Arc<Mutex<Option<StoreError>>>);

impl Cause {
    fn set(&self, cause: StoreError) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(cause);
    }

    fn explain(&self, error: &ParquetError) -> StoreError {
        let cause = self.0.lock().unwrap_or_else(PoisonError::into_inner).take();
        cause.unwrap_or_else(|| StoreError::Parquet(error.to_string()))
    }
}

/// The file, with a limit on its size.
#[derive(Debug)]
struct Capped {
    file: File,
    written: u64,
    limit: u64,
    cause: Cause,
}

impl Write for Capped {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.written + bytes.len() as u64 > self.limit {
            self.cause.set(StoreError::ArtifactTooLarge { limit: self.limit });
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        let written = self.file.write(bytes).inspect_err(|error| {
            if error.kind() != io::ErrorKind::Interrupted {
                self.cause.set(StoreError::io("write the artifact", error));
            }
        })?;
        self.written += written as u64;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}
