//! The columns that are categories: a dictionary page as it is to be, and the codes.

use std::collections::HashMap;

use arrow::array::{Array, ArrayRef, AsArray};
use arrow::compute::cast;
use arrow::datatypes::{DataType, Int32Type};
use parquet::basic::{Compression, Encoding};
use parquet::column::page::{CompressedPage, Page, PageWriteSpec, PageWriter};
use parquet::column::writer::ColumnCloseResult;
use parquet::data_type::ByteArray;
use parquet::errors::Result;
use parquet::file::metadata::{ColumnChunkMetaData, OffsetIndexBuilder};
use parquet::file::statistics::{Statistics, ValueStatistics};
use parquet::file::writer::{SerializedPageWriter, TrackedWrite};
use parquet::schema::types::ColumnDescPtr;

use super::missing;

/// What the guest has said of each column's categories: text, or bytes in hexadecimal.
pub(super) fn orders(said: Option<&str>) -> HashMap<String, Vec<Vec<u8>>> {
    #[derive(Default, serde::Deserialize)]
    #[serde(default)]
    struct Said {
        categories: HashMap<String, Vec<String>>,
        byte_categories: HashMap<String, Vec<String>>,
    }
    let said: Said = said.and_then(|text| serde_json::from_str(text).ok()).unwrap_or_default();
    let bytes = said.byte_categories.into_iter().filter_map(|(name, categories)| {
        let categories: Option<Vec<_>> = categories.iter().map(|hex| unhex(hex)).collect();
        Some((name, categories?))
    });
    let texts = said.categories.into_iter();
    texts.map(|(n, c)| (n, c.into_iter().map(String::into_bytes).collect())).chain(bytes).collect()
}

fn unhex(hex: &str) -> Option<Vec<u8>> {
    let (pairs, []) = hex.as_bytes().as_chunks::<2>() else { return None };
    pairs.iter().map(|pair| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok()).collect()
}

/// One categorical column: its categories so far, and the codes of a row group.
#[derive(Debug, Default)]
pub(super) struct Categories {
    known: Vec<Vec<u8>>,
    places: HashMap<Vec<u8>, i32>,
    /// -1 is null.
    codes: Vec<i32>,
}

impl Categories {
    pub(super) fn new(known: Option<&[Vec<u8>]>) -> Self {
        let mut new = Self::default();
        for value in known.into_iter().flatten() {
            new.place(value);
        }
        new
    }

    fn place(&mut self, value: &[u8]) -> i32 {
        if let Some(place) = self.places.get(value) {
            return *place;
        }
        let place = self.known.len() as i32;
        self.known.push(value.to_vec());
        self.places.insert(value.to_vec(), place);
        place
    }

    pub(super) fn push(&mut self, array: &ArrayRef) -> Result<()> {
        let to = DataType::Dictionary(Box::new(DataType::Int32), Box::new(DataType::LargeBinary));
        let array = match array.data_type() {
            DataType::Dictionary(_, values) if values.is_string() => {
                let text =
                    DataType::Dictionary(Box::new(DataType::Int32), Box::new(DataType::LargeUtf8));
                cast(&cast(array, &text)?, &to)?
            }
            _ => cast(array, &to)?,
        };
        let array = array.as_dictionary::<Int32Type>();
        let values = array.values().as_binary::<i64>();
        let places: Vec<i32> =
            values.iter().map(|value| value.map_or(-1, |value| self.place(value))).collect();
        let codes = array.keys().iter().map(|key| key.map_or(-1, |key| places[key as usize]));
        self.codes.extend(codes);
        Ok(())
    }

    /// A column chunk of the codes so far: the dictionary page and one data page.
    pub(super) fn chunk(
        &mut self,
        column: ColumnDescPtr,
        rows: usize,
    ) -> Result<(Vec<u8>, ColumnCloseResult)> {
        let codes = std::mem::take(&mut self.codes);
        if codes.len() != rows {
            return Err(missing("a code"));
        }
        let nulls = codes.iter().filter(|code| **code < 0).count();
        let mut out = TrackedWrite::new(Vec::new());
        let mut pages = SerializedPageWriter::new(&mut out);
        let dictionary = Page::DictionaryPage {
            buf: self.plain().into(),
            num_values: self.known.len() as u32,
            encoding: Encoding::PLAIN,
            is_sorted: false,
        };
        let first = pages.write_page(uncompressed(dictionary))?;
        let data = Page::DataPage {
            buf: self.page(&codes, column.max_def_level() > 0).into(),
            num_values: codes.len() as u32,
            encoding: Encoding::RLE_DICTIONARY,
            def_level_encoding: Encoding::RLE,
            rep_level_encoding: Encoding::RLE,
            statistics: None,
        };
        let second = pages.write_page(uncompressed(data))?;
        pages.close()?;
        let close = closed(column, (&first, &second), (codes.len(), nulls))?;
        Ok((out.into_inner()?, close))
    }

    /// The categories in the encoding `PLAIN`.
    fn plain(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        for value in &self.known {
            bytes.extend_from_slice(&(value.len() as u32).to_le_bytes());
            bytes.extend_from_slice(value);
        }
        bytes
    }

    /// Which rows are there, then the codes of those, in the hybrid encoding's packed
    /// form.
    fn page(&self, codes: &[i32], optional: bool) -> Vec<u8> {
        let mut bytes = Vec::new();
        if optional {
            let levels = packed(codes.iter().map(|code| u64::from(*code >= 0)), codes.len(), 1);
            bytes.extend_from_slice(&(levels.len() as u32).to_le_bytes());
            bytes.extend_from_slice(&levels);
        }
        let width = (usize::BITS - self.known.len().saturating_sub(1).leading_zeros()).max(1);
        bytes.push(width as u8);
        let there = codes.iter().filter(|code| **code >= 0);
        let count = there.clone().count();
        bytes.extend(packed(there.map(|code| *code as u64), count, width));
        bytes
    }
}

/// What the footer says of a chunk of these two pages.
fn closed(
    column: ColumnDescPtr,
    (first, second): (&PageWriteSpec, &PageWriteSpec),
    (rows, nulls): (usize, usize),
) -> Result<ColumnCloseResult> {
    let size = first.bytes_written + second.bytes_written;
    let nulls = Some(nulls as u64);
    let statistics = ValueStatistics::<ByteArray>::new(None, None, None, nulls, false);
    let metadata = ColumnChunkMetaData::builder(column)
        .set_compression(Compression::UNCOMPRESSED)
        .set_encodings(vec![Encoding::PLAIN, Encoding::RLE, Encoding::RLE_DICTIONARY])
        .set_total_compressed_size(size as i64)
        .set_total_uncompressed_size(size as i64)
        .set_num_values(rows as i64)
        .set_dictionary_page_offset(Some(first.offset as i64))
        .set_data_page_offset(second.offset as i64)
        .set_statistics(Statistics::ByteArray(statistics))
        .build()?;
    // Where one column has an index of its pages, every column must have one.
    let mut pages_at = OffsetIndexBuilder::new();
    pages_at.append_offset_and_size(second.offset as i64, second.bytes_written as i32);
    pages_at.append_row_count(rows as i64);
    Ok(ColumnCloseResult {
        bytes_written: size,
        rows_written: rows as u64,
        metadata,
        bloom_filter: None,
        column_index: None,
        offset_index: Some(pages_at.build()),
    })
}

fn uncompressed(page: Page) -> CompressedPage {
    let size = page.buffer().len();
    CompressedPage::new(page, size)
}

/// One packed run: a header, then groups of eight values of `width` bits each.
pub(super) fn packed(values: impl Iterator<Item = u64>, count: usize, width: u32) -> Vec<u8> {
    if count == 0 {
        return Vec::new();
    }
    let groups = count.div_ceil(8);
    let mut bytes = Vec::with_capacity(5 + groups * width as usize);
    let mut header = (groups as u64) << 1 | 1;
    while header >= 0x80 {
        bytes.push(header as u8 | 0x80);
        header >>= 7;
    }
    bytes.push(header as u8);
    let end = bytes.len() + groups * width as usize;
    let (mut bits, mut held) = (0u64, 0u32);
    for value in values {
        bits |= value << held;
        held += width;
        while held >= 8 {
            bytes.push(bits as u8);
            bits >>= 8;
            held -= 8;
        }
    }
    if held > 0 {
        bytes.push(bits as u8);
    }
    bytes.resize(end, 0);
    bytes
}
