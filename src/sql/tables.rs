//! The tables of one query, and the only store that its session can reach.
//!
//! The boundary is by construction. A session has one object store: this one, which
//! holds the files that were opened for this query and nothing else. It opens nothing
//! itself: a path in it is a number, and there is no folder behind it. It cannot be
//! written to, and the registry that hands it out takes no other store. So whatever a
//! statement may say, there is no file that it could name.

use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use arrow::datatypes::{DataType, Field, Schema, SchemaRef};
use async_trait::async_trait;
use bytes::Bytes;
use chrono::{DateTime, Utc};
use datafusion::catalog::{Session, TableProvider};
use datafusion::common::stats::Precision;
use datafusion::common::{DataFusionError, Result, Statistics};
use datafusion::datasource::TableType;
use datafusion::datasource::listing::PartitionedFile;
use datafusion::datasource::physical_plan::parquet::metadata::DFParquetMetadata;
use datafusion::datasource::physical_plan::{FileScanConfigBuilder, ParquetSource};
use datafusion::datasource::source::DataSourceExec;
use datafusion::execution::object_store::{ObjectStoreRegistry, ObjectStoreUrl};
use datafusion::logical_expr::{Expr, TableProviderFilterPushDown};
use datafusion::object_store::path::Path;
use datafusion::object_store::{
    self, Attributes, CopyOptions, GetOptions, GetResult, GetResultPayload, ListResult,
    MultipartUpload, ObjectMeta, ObjectStore, PutMultipartOptions, PutOptions, PutPayload,
    PutResult,
};
use datafusion::physical_plan::ExecutionPlan;
use dataroom_sandbox::Positioned;
use futures::StreamExt as _;
use futures::stream::{self, BoxStream};
use parquet::file::reader::ChunkReader as _;
use url::Url;

use super::canonical;
use super::reader::{Filtering, Reads};
use crate::table::Table;

/// Where the tables are, for the engine.
const ADDRESS: &str = "room://tables";

/// The files of one query by their number.
#[derive(Debug)]
pub(super) struct Opened {
    files: Vec<Positioned>,
}

impl Opened {
    pub(super) fn new(tables: &[Table]) -> Self {
        Self { files: tables.iter().map(|table| table.file().clone()).collect() }
    }

    fn file(&self, location: &Path) -> object_store::Result<&Positioned> {
        let number = location.as_ref().parse::<usize>().ok();
        number.and_then(|number| self.files.get(number)).ok_or_else(|| {
            object_store::Error::NotFound {
                path: location.to_string(),
                source: "it is no table of this query".into(),
            }
        })
    }

    fn read(&self, location: &Path, range: Range<u64>) -> object_store::Result<Bytes> {
        let length = usize::try_from(range.end.saturating_sub(range.start)).unwrap_or(usize::MAX);
        self.file(location)?.get_bytes(range.start, length).map_err(|error| {
            object_store::Error::Generic { store: "room", source: Box::new(error) }
        })
    }
}

impl fmt::Display for Opened {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the tables of a query")
    }
}

fn refused<T>(operation: &str) -> object_store::Result<T> {
    Err(object_store::Error::NotSupported {
        source: format!("{operation}: tables can only be read").into(),
    })
}

#[async_trait]
impl ObjectStore for Opened {
    async fn put_opts(
        &self,
        _: &Path,
        _: PutPayload,
        _: PutOptions,
    ) -> object_store::Result<PutResult> {
        refused("put")
    }

    async fn put_multipart_opts(
        &self,
        _: &Path,
        _: PutMultipartOptions,
    ) -> object_store::Result<Box<dyn MultipartUpload>> {
        refused("put")
    }

    async fn get_opts(
        &self,
        location: &Path,
        options: GetOptions,
    ) -> object_store::Result<GetResult> {
        let size = self.file(location)?.length();
        let meta = ObjectMeta {
            location: location.clone(),
            last_modified: DateTime::<Utc>::UNIX_EPOCH,
            size,
            e_tag: None,
            version: None,
        };
        let range = match &options.range {
            Some(range) => range.as_range(size).map_err(|error| object_store::Error::Generic {
                store: "room",
                source: Box::new(error),
            })?,
            None => 0..size,
        };
        let bytes = if options.head { Bytes::new() } else { self.read(location, range.clone())? };
        Ok(GetResult {
            payload: GetResultPayload::Stream(stream::once(async move { Ok(bytes) }).boxed()),
            meta,
            range,
            attributes: Attributes::new(),
        })
    }

    async fn get_ranges(
        &self,
        location: &Path,
        ranges: &[Range<u64>],
    ) -> object_store::Result<Vec<Bytes>> {
        ranges.iter().map(|range| self.read(location, range.clone())).collect()
    }

    fn delete_stream(
        &self,
        locations: BoxStream<'static, object_store::Result<Path>>,
    ) -> BoxStream<'static, object_store::Result<Path>> {
        locations.map(|_| refused("delete")).boxed()
    }

    fn list(&self, _: Option<&Path>) -> BoxStream<'static, object_store::Result<ObjectMeta>> {
        // Tables are named by the session; nothing needs to look around.
        stream::empty().boxed()
    }

    async fn list_with_delimiter(&self, _: Option<&Path>) -> object_store::Result<ListResult> {
        Ok(ListResult { common_prefixes: Vec::new(), objects: Vec::new() })
    }

    async fn copy_opts(&self, _: &Path, _: &Path, _: CopyOptions) -> object_store::Result<()> {
        refused("copy")
    }
}

/// Hands out one store, under one address.
#[derive(Debug)]
pub(super) struct OnlyTables(pub Arc<Opened>);

impl ObjectStoreRegistry for OnlyTables {
    fn register_store(&self, _: &Url, _: Arc<dyn ObjectStore>) -> Option<Arc<dyn ObjectStore>> {
        None
    }

    fn get_store(&self, url: &Url) -> Result<Arc<dyn ObjectStore>> {
        if url.scheme() == "room" && url.host_str() == Some("tables") {
            return Ok(Arc::clone(&self.0) as Arc<dyn ObjectStore>);
        }
        Err(DataFusionError::Plan("a query reads tables of the room and nothing else".to_owned()))
    }
}

/// One table of a query, to be scanned.
#[derive(Debug)]
pub(super) struct Scan {
    number: usize,
    bytes: u64,
    rows: usize,
    schema: SchemaRef,
    statistics: Statistics,
    reads: Reads,
}

impl Scan {
    /// The table with this number in [`Opened`].
    pub(super) fn new(number: usize, table: &Table) -> Self {
        let schema = with_views(table.schema());
        let statistics = statistics(table, &schema);
        Self {
            number,
            bytes: table.file().length(),
            rows: usize::try_from(table.rows()).unwrap_or(usize::MAX),
            schema,
            statistics,
            reads: Reads::new(table),
        }
    }
}

/// What the footer says of the columns, for the order of joins: a guess, from which no answer
/// is ever made. A file may say of itself what it likes, and no NaN is in its ranges.
fn statistics(table: &Table, schema: &SchemaRef) -> Statistics {
    let metadata = table.metadata().metadata();
    DFParquetMetadata::statistics_from_parquet_metadata(metadata, schema)
        .map_or_else(|_| Statistics::new_unknown(schema), Statistics::to_inexact)
}

/// Texts as views: grouping and filtering them is faster.
fn with_views(schema: &Schema) -> SchemaRef {
    let field = |field: &Arc<Field>| {
        let view = match field.data_type() {
            DataType::Utf8 | DataType::LargeUtf8 => DataType::Utf8View,
            DataType::Binary | DataType::LargeBinary => DataType::BinaryView,
            _ => return Arc::clone(field),
        };
        Arc::new(Field::new(field.name(), view, field.is_nullable()))
    };
    // A table's own metadata is pandas' and says nothing of a result.
    Arc::new(Schema::new(schema.fields().iter().map(field).collect::<Vec<_>>()))
}

#[async_trait]
impl TableProvider for Scan {
    fn schema(&self) -> SchemaRef {
        Arc::clone(&self.schema)
    }

    fn table_type(&self) -> TableType {
        TableType::Base
    }

    async fn scan(
        &self,
        _: &dyn Session,
        projection: Option<&Vec<usize>>,
        _: &[Expr],
        limit: Option<usize>,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        let source = ParquetSource::new(Arc::clone(&self.schema))
            .with_parquet_file_reader_factory(Arc::new(self.reads.clone()))
            .with_enable_page_index(false);
        let file = PartitionedFile::new(self.number.to_string(), self.bytes);
        let mut statistics = self.statistics.clone();
        statistics.num_rows = Precision::Exact(self.rows);
        let config =
            FileScanConfigBuilder::new(ObjectStoreUrl::parse(ADDRESS)?, Filtering::over(source))
                .with_file(file)
                .with_statistics(statistics)
                .with_projection_indices(projection.cloned())?
                .with_limit(limit)
                .build();
        canonical::read(DataSourceExec::from_data_source(config))
    }

    fn supports_filters_pushdown(
        &self,
        filters: &[&Expr],
    ) -> Result<Vec<TableProviderFilterPushDown>> {
        // Row groups are left out by their statistics. The engine moves filters into the
        // reader later, and keeps those above that it does not take.
        Ok(vec![TableProviderFilterPushDown::Inexact; filters.len()])
    }
}
