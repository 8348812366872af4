//! A table at rest: one open Parquet file.
//!
//! Datasets (after conversion) and artifacts both end here; what describes,
//! exports or runs over data takes a [`Table`] and cannot tell which it is.

use std::fs::File;

use arrow::datatypes::SchemaRef;
use arrow::record_batch::RecordBatch;
use dataroom_sandbox::Positioned;
use dataroom_sandbox::columns::{Columns, ReadError};
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::{ArrowReaderMetadata, ParquetRecordBatchReaderBuilder};

/// Rows in a batch, unless a caller asks for fewer.
pub const BATCH_ROWS: usize = 65_536;
/// What a batch of all columns may take of memory, and a page while it is unpacked.
const BATCH_BYTES: (u64, u64) = (64 << 20, 2 << 30);

/// One open Parquet file with its metadata. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Table {
    file: Positioned,
    metadata: ArrowReaderMetadata,
}

/// A Parquet file that cannot be read.
#[derive(Debug, thiserror::Error)]
#[error("this is not a readable Parquet file: {0}")]
pub struct TableError(#[from] pub parquet::errors::ParquetError);

impl From<ReadError> for TableError {
    fn from(error: ReadError) -> Self {
        Self(match error {
            ReadError::Parquet(error) => error,
            other => parquet::errors::ParquetError::General(other.to_string()),
        })
    }
}

impl Table {
    /// Reads the footer of an open Parquet file.
    ///
    /// # Errors
    /// The file is not Parquet, or its footer is damaged.
    pub fn open(file: File) -> Result<Self, TableError> {
        let file = Positioned::new(file).map_err(parquet::errors::ParquetError::from)?;
        let metadata = dataroom_sandbox::read_footer(&file)?;
        Ok(Self { file, metadata })
    }

    /// Its Arrow schema.
    #[must_use]
    pub fn schema(&self) -> &SchemaRef {
        self.metadata.schema()
    }

    /// Its rows.
    #[must_use]
    pub fn rows(&self) -> u64 {
        u64::try_from(self.metadata.metadata().file_metadata().num_rows()).unwrap_or(0)
    }

    /// The Parquet metadata.
    #[must_use]
    pub fn metadata(&self) -> &ArrowReaderMetadata {
        &self.metadata
    }

    /// The file, to be read by position (never by seeking: its offset is shared).
    #[must_use]
    pub fn file(&self) -> &Positioned {
        &self.file
    }

    /// Its columns, to be read one by one in bounded memory.
    #[must_use]
    pub fn columns(&self) -> Columns<Positioned> {
        Columns::new(self.file.clone(), self.metadata.clone())
    }

    /// Reads batches of at most [`BATCH_ROWS`] rows: the columns at `columns`
    /// (all, if `None`; always in file order), the first `limit` rows. Without a limit,
    /// fewer rows come at once where a row takes much memory.
    ///
    /// # Errors
    /// The file cannot be opened for reading; each batch may fail on its own.
    pub fn batches(
        &self,
        columns: Option<&[usize]>,
        limit: Option<usize>,
    ) -> Result<impl Iterator<Item = Result<RecordBatch, TableError>> + use<>, TableError> {
        let metadata = self.metadata.clone();
        let rows = match limit {
            Some(limit) => limit.clamp(1, BATCH_ROWS),
            None => {
                let all: Vec<usize> = (0..self.schema().fields().len()).collect();
                let read = columns.unwrap_or(&all);
                self.columns().rows_within(read, BATCH_BYTES, &|| true)?
            }
        };
        let mut builder =
            ParquetRecordBatchReaderBuilder::new_with_metadata(self.file.clone(), metadata)
                .with_batch_size(rows);
        if let Some(columns) = columns {
            let mask = ProjectionMask::roots(builder.parquet_schema(), columns.iter().copied());
            builder = builder.with_projection(mask);
        }
        if let Some(limit) = limit {
            builder = builder.with_limit(limit);
        }
        Ok(builder.build()?.map(|batch| batch.map_err(|e| TableError(e.into()))))
    }
}
