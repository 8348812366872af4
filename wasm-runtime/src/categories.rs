//! Writes a Parquet file whose categories come back whole to other readers.
//!
//! A categorical is its codes and the list of its categories, some of which no row may
//! have. Arrow's writer builds a column's dictionary from the values that it meets, so
//! order and unused categories would be lost; pandas takes them from the dictionary page.
//! Here that page is written as it is to be: the codes, packed, follow it. Every other
//! column goes through Arrow's own column writers.
//!
//! Which categories there are and in which order is said by the table's own metadata
//! (`dataroom.columns`, written by the guest), else by the first batch's dictionary; a
//! category that neither names is added at the end.

use std::collections::HashMap;
use std::io::Write;

use arrow::array::{Array, ArrayRef, AsArray};
use arrow::compute::cast;
use arrow::datatypes::{DataType, Int32Type, SchemaRef};
use arrow::record_batch::RecordBatch;
use parquet::arrow::arrow_writer::{ArrowColumnWriter, ArrowRowGroupWriterFactory, compute_leaves};
use parquet::arrow::{ArrowSchemaConverter, ArrowWriter, add_encoded_arrow_schema_to_metadata};
use parquet::basic::{Compression, Encoding};
use parquet::column::page::{CompressedPage, Page, PageWriteSpec, PageWriter};
use parquet::column::writer::ColumnCloseResult;
use parquet::data_type::ByteArray;
use parquet::errors::{ParquetError, Result};
use parquet::file::metadata::{ColumnChunkMetaData, OffsetIndexBuilder};
use parquet::file::properties::WriterProperties;
use parquet::file::statistics::{Statistics, ValueStatistics};
use parquet::file::writer::{SerializedFileWriter, SerializedPageWriter, TrackedWrite};
use parquet::schema::types::ColumnDescPtr;

/// The table's metadata in which the guest leaves word of its columns.
pub const CATEGORIES_KEY: &str = "dataroom.columns";

const ROW_GROUP_ROWS: usize = 1 << 20;
/// What a row group may hold in memory.
const ROW_GROUP_BYTES: usize = 64 << 20;

/// A Parquet file in the making.
#[derive(Debug)]
pub struct TableWriter<W: Write + Send>(Inner<W>);

#[derive(Debug)]
enum Inner<W: Write + Send> {
    /// No column has categories.
    Plain(Box<ArrowWriter<W>>),
    Categories(Box<Writer<W>>),
}

impl<W: Write + Send> TableWriter<W> {
    /// Begins a file for tables of this schema; `said` is the metadata
    /// [`CATEGORIES_KEY`] of the table, if it has any.
    ///
    /// # Errors
    /// Parquet has no counterpart for a column, or `out` refuses.
    pub fn try_new(
        out: W,
        schema: SchemaRef,
        said: Option<&str>,
        properties: WriterProperties,
    ) -> Result<Self> {
        if !schema.fields().iter().any(|field| is_categorical(field.data_type())) {
            let writer = ArrowWriter::try_new(out, schema, Some(properties))?;
            return Ok(Self(Inner::Plain(Box::new(writer))));
        }
        Ok(Self(Inner::Categories(Box::new(Writer::try_new(out, schema, said, properties)?))))
    }

    /// Adds rows.
    ///
    /// # Errors
    /// The batch has another schema, or `out` refuses.
    pub fn write(&mut self, batch: &RecordBatch) -> Result<()> {
        match &mut self.0 {
            Inner::Plain(writer) => writer.write(batch),
            Inner::Categories(writer) => writer.write(batch),
        }
    }

    /// Completes the file.
    ///
    /// # Errors
    /// `out` refuses.
    pub fn close(self) -> Result<()> {
        match self.0 {
            Inner::Plain(writer) => writer.close().map(drop),
            Inner::Categories(writer) => writer.close(),
        }
    }
}

fn is_categorical(data_type: &DataType) -> bool {
    matches!(data_type, DataType::Dictionary(_, v) if v.is_string() || v.is_binary())
}

struct Writer<W: Write + Send> {
    file: SerializedFileWriter<W>,
    factory: ArrowRowGroupWriterFactory,
    schema: SchemaRef,
    columns: Vec<Option<Categories>>,
    group: Option<Group>,
}

impl<W: Write + Send> std::fmt::Debug for Writer<W> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Writer").field("schema", &self.schema).finish_non_exhaustive()
    }
}

/// A row group in the making: what encodes each leaf column, and its rows.
struct Group {
    leaves: Vec<ArrowColumnWriter>,
    rows: usize,
}

impl<W: Write + Send> Writer<W> {
    fn try_new(
        out: W,
        schema: SchemaRef,
        said: Option<&str>,
        mut properties: WriterProperties,
    ) -> Result<Self> {
        let parquet = ArrowSchemaConverter::new().convert(&schema)?;
        add_encoded_arrow_schema_to_metadata(&schema, &mut properties);
        let file = SerializedFileWriter::new(out, parquet.root_schema_ptr(), properties.into())?;
        let factory = ArrowRowGroupWriterFactory::new(&file, SchemaRef::clone(&schema));
        let said = orders(said);
        let columns = schema.fields().iter().map(|field| {
            let known = said.get(field.name().as_str());
            is_categorical(field.data_type()).then(|| Categories::new(known.map(Vec::as_slice)))
        });
        let columns = columns.collect();
        Ok(Self { file, factory, schema, columns, group: None })
    }

    fn write(&mut self, batch: &RecordBatch) -> Result<()> {
        for start in (0..batch.num_rows()).step_by(ROW_GROUP_ROWS) {
            self.add(&batch.slice(start, ROW_GROUP_ROWS.min(batch.num_rows() - start)))?;
        }
        Ok(())
    }

    fn add(&mut self, batch: &RecordBatch) -> Result<()> {
        if self.group.as_ref().is_some_and(|group| group.rows + batch.num_rows() > ROW_GROUP_ROWS) {
            self.flush()?;
        }
        let group = match &mut self.group {
            Some(group) => group,
            none => {
                let index = self.file.flushed_row_groups().len();
                let leaves = self.factory.create_column_writers(index)?;
                none.insert(Group { leaves, rows: 0 })
            }
        };
        let mut leaves = group.leaves.iter_mut();
        let columns = self.schema.fields().iter().zip(batch.columns()).zip(&mut self.columns);
        for ((field, array), categories) in columns {
            if let Some(categories) = categories {
                leaves.next();
                categories.push(array)?;
                continue;
            }
            for leaf in compute_leaves(field, array)? {
                let writer = leaves.next().ok_or_else(|| missing("a column writer"))?;
                writer.write(&leaf)?;
            }
        }
        group.rows += batch.num_rows();
        if group.leaves.iter().map(ArrowColumnWriter::memory_size).sum::<usize>() > ROW_GROUP_BYTES
        {
            self.flush()?;
        }
        Ok(())
    }

    fn flush(&mut self) -> Result<()> {
        let Some(group) = self.group.take() else { return Ok(()) };
        let descriptors = self.file.schema_descr().columns().to_vec();
        let roots: Vec<usize> = (0..descriptors.len())
            .map(|leaf| self.file.schema_descr().get_column_root_idx(leaf))
            .collect();
        let mut row_group = self.file.next_row_group()?;
        for ((leaf, root), descriptor) in group.leaves.into_iter().zip(roots).zip(descriptors) {
            match &mut self.columns[root] {
                None => leaf.close()?.append_to_row_group(&mut row_group)?,
                Some(categories) => {
                    let (bytes, close) = categories.chunk(descriptor, group.rows)?;
                    row_group.append_column(&bytes::Bytes::from(bytes), close)?;
                }
            }
        }
        row_group.close().map(drop)
    }

    fn close(mut self) -> Result<()> {
        self.flush()?;
        self.file.close().map(drop)
    }
}

fn missing(what: &str) -> ParquetError {
    ParquetError::General(format!("{what} is missing"))
}

/// What the guest has said of each column's categories: text, or bytes in hexadecimal.
fn orders(said: Option<&str>) -> HashMap<String, Vec<Vec<u8>>> {
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
struct Categories {
    known: Vec<Vec<u8>>,
    places: HashMap<Vec<u8>, i32>,
    /// -1 is null.
    codes: Vec<i32>,
}

impl Categories {
    fn new(known: Option<&[Vec<u8>]>) -> Self {
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

    fn push(&mut self, array: &ArrayRef) -> Result<()> {
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
    fn chunk(
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
fn packed(values: impl Iterator<Item = u64>, count: usize, width: u32) -> Vec<u8> {
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

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use arrow::array::{DictionaryArray, Int64Array, StringArray};
    use arrow::datatypes::{Field, Int8Type, Schema};
    use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;

    use super::*;

    /// Values are packed as the specification's example has them: 0 to 7 in 3 bits.
    #[test]
    fn a_packed_run_is_as_the_specification_says() {
        let packed = packed(0..8, 8, 3);
        assert_eq!(packed, [0b11, 0b1000_1000, 0b1100_0110, 0b1111_1010]);
    }

    #[test]
    fn order_and_unused_categories_survive_in_every_row_group() {
        let values: ArrayRef = Arc::new(StringArray::from(vec!["z", "unused", "a"]));
        let rows = ROW_GROUP_ROWS + 3;
        let keys = (0..rows).map(|row| [Some(2i8), None, Some(0)][row % 3]);
        let codes = DictionaryArray::<Int8Type>::new(keys.collect(), values);
        let schema = Arc::new(Schema::new(vec![
            Field::new("n", DataType::Int64, false),
            Field::new("c", codes.data_type().clone(), true),
        ]));
        let numbers: Int64Array = (0..rows as i64).collect();
        let batch = RecordBatch::try_new(schema.clone(), vec![Arc::new(numbers), Arc::new(codes)]);
        let batch = batch.unwrap();
        let mut bytes = Vec::new();
        let mut writer =
            TableWriter::try_new(&mut bytes, schema, None, WriterProperties::default()).unwrap();
        writer.write(&batch).unwrap();
        writer.close().unwrap();

        let reader = ParquetRecordBatchReaderBuilder::try_new(bytes::Bytes::from(bytes)).unwrap();
        assert_eq!(reader.metadata().num_row_groups(), 2);
        let mut read = 0;
        for found in reader.with_batch_size(1 << 16).build().unwrap() {
            let found = found.unwrap();
            assert_eq!(found.column(1).as_any_dictionary().values().len(), 3);
            assert_eq!(found, batch.slice(read, found.num_rows()));
            read += found.num_rows();
        }
        assert_eq!(read, rows);
    }
}
