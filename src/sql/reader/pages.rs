//! The pages of a column of decimals, written again with values of 64 bits.
//!
//! A page is a header and a body. Levels and the numbers of dictionary entries are copied;
//! values, in a dictionary or in the page, go from a few bytes, the highest first, to eight,
//! the lowest first. Nothing is packed. What room is left at the end belongs to a last page
//! without a row, since the footer had to say how long all this is before anybody had read it.

use std::sync::Arc;

use bytes::Bytes;
use parquet::basic::Encoding;
use parquet::column::page::{Page, PageReader as _};
use parquet::errors::{ParquetError, Result};
use parquet::file::metadata::ColumnChunkMetaData;
use parquet::file::serialized_reader::SerializedPageReader;

/// Bytes of a value in what is written.
const WIDE: usize = size_of::<i64>();
/// The most that a page's header takes here beyond what it took.
const HEADER: usize = 64;

/// Kinds of pages, as the format numbers them.
const DATA: i32 = 0;
const DICTIONARY: i32 = 2;
const DATA_V2: i32 = 3;

/// A column chunk whose values are to be written again.
#[derive(Debug, Clone)]
pub(super) struct Narrow {
    /// As the footer has it.
    pub chunk: ColumnChunkMetaData,
    /// Bytes of a value.
    pub width: usize,
    /// Bytes that the pages may take when they are written again.
    pub length: usize,
}

impl Narrow {
    /// A chunk of values with `width` bytes; nothing where its size is no number to go by.
    pub(super) fn new(chunk: &ColumnChunkMetaData, width: usize) -> Option<Self> {
        let unpacked = usize::try_from(chunk.uncompressed_size()).ok()?;
        // A header grows by some bytes, and no page is smaller than twice that.
        let length = unpacked.checked_mul(WIDE)?.div_ceil(width) + unpacked / 2 + HEADER;
        Some(Self { chunk: chunk.clone(), width, length })
    }

    /// The pages of `chunk` as pages of 64-bit integers, exactly as long as was said.
    pub(super) fn widened(&self, chunk: Bytes) -> Result<Bytes> {
        let alone = self.chunk.clone().into_builder();
        let alone = alone.set_data_page_offset(0).set_dictionary_page_offset(None).build()?;
        let mut pages = SerializedPageReader::new(Arc::new(chunk), &alone, 0, None)?;
        let optional = alone.column_descr().max_def_level() > 0;
        let mut out = Vec::with_capacity(self.length);
        while let Some(page) = pages.get_next_page()? {
            self.page(&page, optional, &mut out)?;
            if out.len() + HEADER > self.length {
                return Err(damaged("its pages are larger than its footer says"));
            }
        }
        fill(&mut out, self.length);
        Ok(out.into())
    }

    fn page(&self, page: &Page, optional: bool, out: &mut Vec<u8>) -> Result<()> {
        let buffer = page.buffer();
        let copied = match page {
            Page::DictionaryPage { .. } => 0,
            Page::DataPage { num_values, def_level_encoding, .. } if optional => {
                levels(buffer, *num_values, *def_level_encoding)?
            }
            Page::DataPage { .. } => 0,
            Page::DataPageV2 { def_levels_byte_len, rep_levels_byte_len, .. } => {
                *def_levels_byte_len as usize + *rep_levels_byte_len as usize
            }
        };
        let (levels, values) = buffer
            .split_at_checked(copied)
            .ok_or_else(|| damaged("a page is shorter than its levels"))?;
        let is_dictionary = page.is_dictionary_page();
        let is_plain = match page.encoding() {
            Encoding::PLAIN => true,
            // A dictionary's own values, in the first version of the format.
            Encoding::PLAIN_DICTIONARY if is_dictionary => true,
            Encoding::RLE_DICTIONARY | Encoding::PLAIN_DICTIONARY => is_dictionary,
            _ => return Err(damaged("a page has an encoding that its footer does not name")),
        };
        if !is_plain {
            header(page, buffer.len(), out)?;
            out.extend_from_slice(buffer);
            return Ok(());
        }
        header(page, levels.len() + values.len() / self.width * WIDE, out)?;
        out.extend_from_slice(levels);
        widen(values, self.width, out);
        Ok(())
    }
}

fn damaged(what: &str) -> ParquetError {
    ParquetError::General(format!("a column of decimals is damaged: {what}"))
}

/// How many bytes of a page say which of its rows are NULL.
fn levels(page: &[u8], values: u32, encoding: Encoding) -> Result<usize> {
    match encoding {
        Encoding::RLE => {
            let length = page.first_chunk().map(|length| u32::from_le_bytes(*length));
            let length = length.ok_or_else(|| damaged("a page has no levels"))?;
            Ok(size_of::<u32>() + length as usize)
        }
        #[expect(deprecated, reason = "files of old writers have it")]
        Encoding::BIT_PACKED => Ok((values as usize).div_ceil(8)),
        _ => Err(damaged("its levels have an encoding that is none for levels")),
    }
}

/// Numbers of `width` bytes, the highest first, as 64-bit ones, the lowest first.
fn widen(values: &[u8], width: usize, out: &mut Vec<u8>) {
    let unused = 8 * (WIDE - width);
    let (start, count) = (out.len(), values.len() / width);
    out.resize(start + count * WIDE, 0);
    let (wide, _) = out[start..].as_chunks_mut::<WIDE>();
    // Eight bytes at once, of which the last ones are the next number's.
    let whole = values.len().saturating_sub(WIDE - width) / width;
    for (at, to) in wide[..whole].iter_mut().enumerate() {
        let from = at * width;
        if let Some(bytes) = values.get(from..).and_then(|rest| rest.first_chunk()) {
            *to = (i64::from_be_bytes(*bytes) >> unused).to_le_bytes();
        }
    }
    for (at, to) in wide.iter_mut().enumerate().skip(whole) {
        let mut bytes = [0; WIDE];
        bytes[..width].copy_from_slice(&values[at * width..][..width]);
        *to = (i64::from_be_bytes(bytes) >> unused).to_le_bytes();
    }
}

/// A page without a row that takes the rest.
fn fill(out: &mut Vec<u8>, length: usize) {
    let start = out.len();
    let write = |out: &mut Vec<u8>, body: usize| {
        let mut to = Fields::new(out);
        to.sizes(DATA_V2, 0, body);
        to.inner(8);
        for value in [0, 0, 0, Encoding::PLAIN as i32, 0, 0] {
            to.int(value);
        }
        to.end();
    };
    write(out, 0);
    // The length of a size does not depend on the size.
    let body = length - out.len();
    out.truncate(start);
    write(out, body);
    out.resize(length, 0);
}

/// The header of a page whose body has `body` bytes.
fn header(page: &Page, body: usize, out: &mut Vec<u8>) -> Result<()> {
    let signed = |value: u32| i32::try_from(value).map_err(|_| damaged("a page is too large"));
    let unpacked = i32::try_from(body).map_err(|_| damaged("a page is too large"))?;
    let values = signed(page.num_values())?;
    let mut to = Fields::new(out);
    match page {
        Page::DictionaryPage { .. } => {
            to.sizes(DICTIONARY, unpacked, body);
            to.inner(7);
            to.int(values);
            to.int(Encoding::PLAIN as i32);
        }
        Page::DataPage { encoding, def_level_encoding, rep_level_encoding, .. } => {
            to.sizes(DATA, unpacked, body);
            to.inner(5);
            to.int(values);
            for encoding in [encoding, def_level_encoding, rep_level_encoding] {
                to.int(*encoding as i32);
            }
        }
        Page::DataPageV2 {
            encoding,
            num_nulls,
            num_rows,
            def_levels_byte_len,
            rep_levels_byte_len,
            ..
        } => {
            to.sizes(DATA_V2, unpacked, body);
            to.inner(8);
            for value in [values, signed(*num_nulls)?, signed(*num_rows)?, *encoding as i32] {
                to.int(value);
            }
            to.int(signed(*def_levels_byte_len)?);
            to.int(signed(*rep_levels_byte_len)?);
        }
    }
    to.end();
    Ok(())
}

/// Writes fields in Thrift's compact form: the distance from the last field and its type
/// in a byte, and a number in sevens of bits.
struct Fields<'a> {
    out: &'a mut Vec<u8>,
}

impl<'a> Fields<'a> {
    const INT: u8 = 5;
    const STRUCT: u8 = 12;

    fn new(out: &'a mut Vec<u8>) -> Self {
        Self { out }
    }

    /// The field after the last one.
    fn int(&mut self, value: i32) {
        self.out.push(1 << 4 | Self::INT);
        let mut left = (value << 1 ^ value >> 31) as u32;
        while left > 0x7f {
            self.out.push(left as u8 | 0x80);
            left >>= 7;
        }
        self.out.push(left as u8);
    }

    /// What all headers begin with. The size that is read takes five bytes, whatever it is.
    fn sizes(&mut self, kind: i32, unpacked: i32, body: usize) {
        self.int(kind);
        self.int(unpacked);
        self.out.push(1 << 4 | Self::INT);
        let body = (body as u64) << 1;
        for place in 0..4 {
            self.out.push((body >> (7 * place)) as u8 | 0x80);
        }
        self.out.push((body >> 28) as u8 & 0x7f);
    }

    /// Opens the structure in the field with this number, the third being the last.
    fn inner(&mut self, field: u8) {
        self.out.push((field - 3) << 4 | Self::STRUCT);
    }

    /// Ends the structure and the header.
    fn end(&mut self) {
        self.out.extend([0, 0]);
    }
}
