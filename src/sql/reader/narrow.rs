//! The footer that the engine is shown.
//!
//! Decimals of at most 18 digits are often stored as a few bytes each, the highest first
//! (pyarrow does so). The library's reader takes such a value out of its page, into a buffer,
//! and from there into 128 bits, byte by byte; it has 64-bit integers in one step, and many at
//! once. So a column like that is shown as one of 64-bit integers, whose pages lie behind the
//! end of the file, and are made when they are read ([`pages`](super::pages)).

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use arrow::datatypes::{DataType, Schema};
use bytes::Bytes;
use parquet::basic::{Compression, Encoding, Type as Physical};
use parquet::errors::{ParquetError, Result};
use parquet::file::metadata::{
    ColumnChunkMetaData, FileMetaData, ParquetMetaData, RowGroupMetaData,
};
use parquet::file::reader::ChunkReader as _;
use parquet::file::statistics::{Statistics, ValueStatistics};
use parquet::schema::types::{SchemaDescriptor, Type};

use super::pages::Narrow;
use crate::table::Table;

/// Digits that 64 bits hold.
const DIGITS: i32 = 18;
/// Bytes of a chunk, unpacked: it is written again as a whole.
const LARGEST: i64 = 32 << 20;

/// A table's file as the engine sees it.
#[derive(Debug)]
pub(super) struct Shown {
    pub table: Table,
    pub metadata: Arc<ParquetMetaData>,
    /// What lies behind its end, by where it begins.
    behind: BTreeMap<u64, Narrow>,
}

impl Shown {
    pub(super) fn new(table: &Table) -> Self {
        let own = table.metadata().metadata();
        let widths = widths(own, table.schema());
        let shown = |metadata, behind| Self { table: table.clone(), metadata, behind };
        if widths.iter().all(Option::is_none) {
            return shown(Arc::clone(own), BTreeMap::new());
        }
        let mut behind = BTreeMap::new();
        match metadata(own, &widths, table.file().length(), &mut behind) {
            Ok(metadata) => shown(Arc::new(metadata), behind),
            // As it is, it can be read, too.
            Err(_) => shown(Arc::clone(own), BTreeMap::new()),
        }
    }

    pub(super) fn read(&self, range: &Range<u64>) -> Result<Bytes> {
        let length = |from: u64, to: u64| {
            usize::try_from(to.saturating_sub(from))
                .map_err(|error| ParquetError::General(error.to_string()))
        };
        let wanted = length(range.start, range.end)?;
        if range.start < self.table.file().length() {
            return self.table.file().get_bytes(range.start, wanted);
        }
        let outside = || ParquetError::EOF("there is nothing behind the end of a file".to_owned());
        let (at, narrow) = self.behind.range(..=range.start).next_back().ok_or_else(outside)?;
        let from = length(*at, range.start)?;
        if from + wanted > narrow.length {
            return Err(outside());
        }
        let (start, stored) = narrow.chunk.byte_range();
        let stored = self.table.file().get_bytes(start, length(0, stored)?)?;
        Ok(narrow.widened(stored)?.slice(from..from + wanted))
    }
}

/// Bytes of a value in each column that is to be shown as another one.
fn widths(metadata: &ParquetMetaData, schema: &Schema) -> Vec<Option<usize>> {
    let columns = metadata.file_metadata().schema_descr();
    let width = |at: usize| {
        let column = columns.column(at);
        let root = columns.get_column_root_idx(at);
        let is_narrow = column.physical_type() == Physical::FIXED_LEN_BYTE_ARRAY
            && column.path().parts().len() == 1
            && column.max_rep_level() == 0
            && column.max_def_level() <= 1
            && (1..=DIGITS).contains(&column.type_precision())
            && matches!(schema.fields().get(root)?.data_type(), DataType::Decimal128(..))
            && metadata.row_groups().iter().all(|group| can_be_read(group.column(at)));
        let width = usize::try_from(column.type_length()).ok()?;
        (is_narrow && (1..=size_of::<i64>()).contains(&width)).then_some(width)
    };
    (0..columns.num_columns()).map(width).collect()
}

fn can_be_read(chunk: &ColumnChunkMetaData) -> bool {
    #[expect(deprecated, reason = "files of old writers have it")]
    let known = |encoding| {
        matches!(
            encoding,
            Encoding::PLAIN
                | Encoding::RLE
                | Encoding::BIT_PACKED
                | Encoding::RLE_DICTIONARY
                | Encoding::PLAIN_DICTIONARY
        )
    };
    let first = chunk.dictionary_page_offset().unwrap_or(chunk.data_page_offset());
    chunk.encodings().all(known)
        && (0..=LARGEST).contains(&chunk.uncompressed_size())
        && (0..=LARGEST).contains(&chunk.compressed_size())
        && first >= 0
        && chunk.file_path().is_none()
}

/// The footer with these columns as others, whose pages begin at `end`.
fn metadata(
    own: &ParquetMetaData,
    widths: &[Option<usize>],
    mut end: u64,
    behind: &mut BTreeMap<u64, Narrow>,
) -> Result<ParquetMetaData> {
    let file = own.file_metadata();
    let fields = file.schema().get_fields().iter().enumerate();
    // A column that is shown as another one is a field by itself.
    let columns = file.schema_descr();
    let shown = |root: usize| {
        (0..columns.num_columns())
            .any(|at| widths[at].is_some() && columns.get_column_root_idx(at) == root)
    };
    let fields = fields
        .map(|(root, field)| if shown(root) { wide(field) } else { Ok(Arc::clone(field)) })
        .collect::<Result<Vec<_>>>()?;
    let schema = Type::group_type_builder(file.schema().name()).with_fields(fields).build()?;
    let schema = Arc::new(SchemaDescriptor::new(Arc::new(schema)));
    let mut groups = Vec::with_capacity(own.num_row_groups());
    for group in own.row_groups() {
        let mut chunks = group.columns().to_vec();
        for (at, width) in widths.iter().enumerate() {
            let narrow = width.and_then(|width| Narrow::new(&chunks[at], width));
            let Some(narrow) = narrow else {
                if width.is_none() {
                    continue;
                }
                return Err(ParquetError::General("a chunk has no size".to_owned()));
            };
            let length = narrow.length as u64;
            chunks[at] = moved(&narrow, &schema, at, end)?;
            behind.insert(end, narrow);
            end += length;
        }
        groups.push(
            RowGroupMetaData::builder(Arc::clone(&schema))
                .set_num_rows(group.num_rows())
                .set_total_byte_size(group.total_byte_size())
                .set_sorting_columns(group.sorting_columns().cloned())
                .set_column_metadata(chunks)
                .build()?,
        );
    }
    let file = FileMetaData::new(
        file.version(),
        file.num_rows(),
        file.created_by().map(str::to_owned),
        file.key_value_metadata().cloned(),
        schema,
        file.column_orders().cloned(),
    );
    Ok(ParquetMetaData::new(file, groups))
}

/// A column of decimals as one of 64-bit integers.
fn wide(field: &Type) -> Result<Arc<Type>> {
    let info = field.get_basic_info();
    let field = Type::primitive_type_builder(field.name(), Physical::INT64)
        .with_repetition(info.repetition())
        .with_converted_type(info.converted_type())
        .with_logical_type(info.logical_type_ref().cloned())
        .with_id(info.has_id().then(|| info.id()))
        .with_precision(field.get_precision())
        .with_scale(field.get_scale())
        .build()?;
    Ok(Arc::new(field))
}

/// A chunk whose pages begin at `start`. What else a footer says of it (a Bloom filter, where
/// its pages are) is of the bytes that it had.
fn moved(
    narrow: &Narrow,
    schema: &Arc<SchemaDescriptor>,
    at: usize,
    start: u64,
) -> Result<ColumnChunkMetaData> {
    let offset =
        |bytes: u64| i64::try_from(bytes).map_err(|e| ParquetError::General(e.to_string()));
    let mut chunk = ColumnChunkMetaData::builder(schema.column(at))
        .set_encodings_mask(*narrow.chunk.encodings_mask())
        .set_num_values(narrow.chunk.num_values())
        .set_compression(Compression::UNCOMPRESSED)
        .set_data_page_offset(offset(start)?)
        .set_total_compressed_size(offset(narrow.length as u64)?)
        .set_total_uncompressed_size(offset(narrow.length as u64)?);
    if let Some(statistics) = narrow.chunk.statistics() {
        chunk = chunk.set_statistics(wide_statistics(statistics, narrow.width));
    }
    chunk.build()
}

fn wide_statistics(own: &Statistics, width: usize) -> Statistics {
    let bound = |bytes: Option<&[u8]>| {
        let bytes = bytes.filter(|bytes| bytes.len() == width && !own.is_min_max_deprecated())?;
        // As many bytes with the sign in front of it are the same number.
        let mut wide = [if bytes[0] >= 0x80 { 0xff } else { 0 }; size_of::<i64>()];
        wide[size_of::<i64>() - width..].copy_from_slice(bytes);
        Some(i64::from_be_bytes(wide))
    };
    let (min, max) = (bound(own.min_bytes_opt()), bound(own.max_bytes_opt()));
    ValueStatistics::new(min, max, own.distinct_count_opt(), own.null_count_opt(), false)
        .with_min_is_exact(own.min_is_exact())
        .with_max_is_exact(own.max_is_exact())
        .into()
}
