//! What the pages of a column chunk will take, by their headers.

use std::sync::Arc;

use arrow::datatypes::DataType;
use parquet::basic::{Compression, Type as PhysicalType};
use parquet::column::page::{Page, PageReader};
use parquet::errors::ParquetError;
use parquet::file::metadata::ColumnChunkMetaData;
use parquet::file::reader::ChunkReader;
use parquet::file::serialized_reader::SerializedPageReader;

use super::ReadError;
use super::header::{self, Counted, Header, Kind};

/// A view of a text in a buffer that is somewhere else.
pub(super) const VIEW_BYTES: u64 = 16;
/// Definition and repetition levels of a value.
pub(super) const LEVEL_BYTES: u64 = 4;
/// Numbers of encodings (parquet-format, `Encodings.md`).
const PLAIN_DICTIONARY: i64 = 2;
const DELTA_BYTE_ARRAY: i64 = 7;
const RLE_DICTIONARY: i64 = 8;

/// What the pages of one column chunk say.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Pages {
    /// Values with nulls: for a column that is not nested, its rows.
    pub(super) values: u64,
    /// Bytes of all data pages, unpacked.
    pub(super) data: u64,
    /// Bytes of the dictionary, unpacked, and its entries.
    pub(super) dictionary: u64,
    pub(super) entries: u64,
    /// The largest page's bytes while it is being unpacked.
    pub(super) largest: u64,
    /// Whether every data page holds references to the dictionary.
    pub(super) coded: bool,
    /// Whether a value can be made of bytes of those before it.
    pub(super) delta: bool,
}

/// Walks the headers of a chunk's pages. `go_on` is asked now and then.
pub(super) fn pages<R: ChunkReader>(
    file: &R,
    chunk: &ColumnChunkMetaData,
    go_on: &dyn Fn() -> bool,
) -> Result<Pages, ReadError> {
    let start = chunk.dictionary_page_offset().unwrap_or(chunk.data_page_offset());
    let bound = |value: i64| {
        u64::try_from(value).map_err(|_| ParquetError::General("its place is damaged".to_owned()))
    };
    let (mut at, length) = (bound(start)?, bound(chunk.compressed_size())?);
    let end = at.checked_add(length).filter(|end| *end <= file.len());
    let end = end.ok_or_else(|| ParquetError::EOF("its pages are not in the file".to_owned()))?;
    let mut found = Pages { coded: true, ..Pages::default() };
    while at < end {
        if !go_on() {
            return Err(ReadError::Stopped);
        }
        let mut source = Counted { inner: file.get_read(at)?, read: 0 };
        let header = header::read(&mut source).map_err(ParquetError::from)?;
        at = at.saturating_add(source.read).saturating_add(header.packed);
        found.add(&header, chunk.compression());
    }
    Ok(found)
}

impl Pages {
    fn add(&mut self, header: &Header, compression: Compression) {
        let unpacking = header.unpacked.max(worst(header.packed, compression));
        self.largest = self.largest.max(unpacking.saturating_add(header.packed));
        match header.kind {
            Kind::Data => {
                self.values = self.values.saturating_add(header.values);
                self.data = self.data.saturating_add(header.unpacked);
                self.coded &= matches!(header.encoding, PLAIN_DICTIONARY | RLE_DICTIONARY);
                self.delta |= header.encoding == DELTA_BYTE_ARRAY;
            }
            Kind::Dictionary => {
                self.dictionary = self.dictionary.max(header.unpacked);
                self.entries = self.entries.max(header.values);
            }
            Kind::Other => {}
        }
    }
}

/// The most bytes that `packed` ones can unpack to, for those codecs whose decoder
/// looks at the page's stated size only when it is done.
fn worst(packed: u64, compression: Compression) -> u64 {
    match compression {
        // Deflate's longest match is 258 bytes in two bits.
        Compression::GZIP(_) => packed.saturating_mul(1032),
        // A length grows by 255 for each byte.
        Compression::LZ4 => packed.saturating_mul(255),
        _ => 0,
    }
}

/// Bytes of a value of this leaf in an Arrow array; texts are views.
pub(super) fn width(chunk: &ColumnChunkMetaData) -> u64 {
    match chunk.column_type() {
        PhysicalType::BOOLEAN => 1,
        // A decimal of any precision, an interval, a timestamp from 96 bits.
        PhysicalType::INT32
        | PhysicalType::INT64
        | PhysicalType::INT96
        | PhysicalType::FLOAT
        | PhysicalType::DOUBLE => 16,
        PhysicalType::BYTE_ARRAY => 2 * VIEW_BYTES,
        PhysicalType::FIXED_LEN_BYTE_ARRAY => {
            u64::try_from(chunk.column_descr().type_length()).unwrap_or(0).saturating_add(32)
        }
    }
}

/// How many values a single null of this type takes: fixed-size lists are filled up.
pub(super) fn filling(data_type: &DataType) -> u64 {
    match data_type {
        DataType::FixedSizeList(item, size) => {
            u64::try_from(*size).unwrap_or(0).saturating_mul(filling(item.data_type())).max(1)
        }
        DataType::List(item)
        | DataType::LargeList(item)
        | DataType::ListView(item)
        | DataType::LargeListView(item)
        | DataType::Map(item, _) => filling(item.data_type()),
        DataType::Struct(fields) => {
            fields.iter().map(|field| filling(field.data_type())).max().unwrap_or(1)
        }
        _ => 1,
    }
}

/// The longest entry of a chunk's dictionary of texts or bytes; 0 if it has none.
/// Unpacks the dictionary's page, which [`Pages::largest`] must have been paid for.
pub(super) fn longest_entry<R: ChunkReader + Clone + 'static>(
    file: &R,
    chunk: &ColumnChunkMetaData,
    rows: usize,
) -> Result<u64, ParquetError> {
    let mut reader = SerializedPageReader::new(Arc::new(file.clone()), chunk, rows, None)?;
    let Some(Page::DictionaryPage { buf, .. }) = reader.get_next_page()? else { return Ok(0) };
    let (mut rest, mut longest) = (&buf[..], 0);
    while let Some((length, after)) = rest.split_first_chunk::<4>() {
        let length = u32::from_le_bytes(*length);
        longest = longest.max(u64::from(length));
        rest = after.get(length as usize..).unwrap_or_default();
    }
    Ok(longest)
}
