//! How the engine comes to a table's bytes.
//!
//! ```text
//!   Table ─▶ Shown ─▶ the engine's Parquet reader ─▶ batches
//!   footer   narrow: the footer with decimals as 64-bit integers
//!   pages    pages:  their pages, written again as they are read
//! ```
//!
//! Filters that are worth it are computed there, too ([`filters`]).
//!
//! A footer is read once, when a table is opened, and not again for each scan of a query.

mod filters;
mod narrow;
mod pages;

use std::ops::Range;
use std::sync::Arc;

use bytes::Bytes;
use datafusion::common::Result;
use datafusion::datasource::listing::PartitionedFile;
use datafusion::datasource::physical_plan::ParquetFileReaderFactory;
use datafusion::parquet::arrow::async_reader::AsyncFileReader;
use datafusion::physical_plan::metrics::ExecutionPlanMetricsSet;
use futures::FutureExt as _;
use futures::future::{self, BoxFuture};
use parquet::arrow::arrow_reader::ArrowReaderOptions;
use parquet::file::metadata::ParquetMetaData;

pub(super) use self::filters::Filtering;
use self::narrow::Shown;
use crate::table::Table;

/// Reads one table, and no other file, whatever it is asked for.
#[derive(Debug, Clone)]
pub(super) struct Reads(Arc<Shown>);

impl Reads {
    pub(super) fn new(table: &Table) -> Self {
        Self(Arc::new(Shown::new(table)))
    }
}

impl ParquetFileReaderFactory for Reads {
    fn create_reader(
        &self,
        _: usize,
        _: PartitionedFile,
        _: Option<usize>,
        _: &ExecutionPlanMetricsSet,
    ) -> Result<Box<dyn AsyncFileReader + Send>> {
        Ok(Box::new(self.clone()))
    }
}

impl AsyncFileReader for Reads {
    fn get_bytes(&mut self, range: Range<u64>) -> BoxFuture<'_, parquet::errors::Result<Bytes>> {
        future::ready(self.0.read(&range)).boxed()
    }

    fn get_metadata<'a>(
        &'a mut self,
        _: Option<&'a ArrowReaderOptions>,
    ) -> BoxFuture<'a, parquet::errors::Result<Arc<ParquetMetaData>>> {
        future::ready(Ok(Arc::clone(&self.0.metadata))).boxed()
    }
}
