//! The batches of one column, each paid for before it is decoded.

use arrow::array::{Array, ArrayRef, AsArray};
use arrow::datatypes::{DataType, Field, Schema};
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::{
    ArrowReaderMetadata, ArrowReaderOptions, ParquetRecordBatchReaderBuilder,
};
use parquet::basic::Type as PhysicalType;
use parquet::file::metadata::ColumnChunkMetaData;
use parquet::file::reader::ChunkReader;

use super::budget::{Budget, Charge};
use super::pages::{self, LEVEL_BYTES, Pages, VIEW_BYTES};
use super::{Columns, ReadError, Use, viewed};

const BATCH_ROWS: usize = 65_536;
/// What a batch may take, where its size depends on its rows.
const BATCH_BYTES: u64 = 16 << 20;
/// Bytes a value, below which a text column's pages surely hold dictionary codes.
const CODE_BYTES: u64 = 4;

/// How a column is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Way {
    /// Fixed-width values; a batch is dropped when it has been copied.
    Flat,
    /// Texts as the dictionary that they are stored as: each is looked at once.
    Coded,
    /// Texts as views of the pages.
    Viewed,
    /// Values that the reader copies into each batch.
    Copied,
    /// Lists and structs.
    Nested,
}

/// The part of the file that is read at once.
#[derive(Debug)]
struct Part {
    groups: Vec<usize>,
    rows_at_once: usize,
    /// What the part's batches take together.
    all: u64,
    /// What one batch takes for as long as it is looked at, pages included.
    each: u64,
    /// Whether each batch is paid for by what it turns out to hold.
    weighs: bool,
}

/// One column, about to be read.
pub struct Batches<'a, R> {
    columns: &'a Columns<R>,
    metadata: ArrowReaderMetadata,
    mask: ProjectionMask,
    parts: Vec<Part>,
    way: Way,
    budget: &'a Budget,
    go_on: &'a dyn Fn() -> bool,
    values: u64,
    /// Rows that are read at the most.
    most: usize,
}

impl<R> std::fmt::Debug for Batches<'_, R> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Batches").field("way", &self.way).finish_non_exhaustive()
    }
}

impl<'a, R: ChunkReader + Clone + 'static> Batches<'a, R> {
    pub(super) fn of(
        columns: &'a Columns<R>,
        index: usize,
        wanted: Use,
        budget: &'a Budget,
        go_on: &'a dyn Fn() -> bool,
    ) -> Result<Self, ReadError> {
        let groups = columns.groups(index, usize::MAX, go_on)?;
        Self::of_groups(columns, index, (wanted, groups), budget, go_on)
    }

    pub(super) fn of_first(
        columns: &'a Columns<R>,
        index: usize,
        rows: usize,
        budget: &'a Budget,
        go_on: &'a dyn Fn() -> bool,
    ) -> Result<Self, ReadError> {
        let groups = columns.groups(index, rows, go_on)?;
        let batches = Self::of_groups(columns, index, (Use::Look, groups), budget, go_on)?;
        Ok(Self { most: rows, ..batches })
    }

    fn of_groups(
        columns: &'a Columns<R>,
        index: usize,
        (wanted, groups): (Use, Vec<Group<'_>>),
        budget: &'a Budget,
        go_on: &'a dyn Fn() -> bool,
    ) -> Result<Self, ReadError> {
        let metadata = &columns.metadata;
        let field = metadata.schema().field(index);
        let way = way(field.data_type(), &groups, wanted);
        let metadata = match read_as(way, field) {
            Some(field) => under(metadata, index, field).unwrap_or_else(|| metadata.clone()),
            None => metadata.clone(),
        };
        let mut parts = Vec::new();
        for (at, group) in groups.iter().enumerate() {
            let _paid = budget.pay(group.sum(|_, pages| pages.largest))?;
            parts.push(group.part(at, (way, wanted), field.data_type(), columns)?);
        }
        let values = groups.iter().map(|group| group.sum(|_, pages| pages.values));
        let values = values.fold(0, u64::saturating_add);
        if way == Way::Flat || (way == Way::Viewed && wanted == Use::Keep) {
            parts = joined(parts);
        }
        let mask = ProjectionMask::roots(metadata.parquet_schema(), [index]);
        let most = usize::MAX;
        Ok(Self { columns, metadata, mask, parts, way, budget, go_on, values, most })
    }

    /// The most values that there can be: rows, or for nested columns leaves.
    #[must_use]
    pub fn values(&self) -> u64 {
        self.values
    }

    /// Gives each batch to `take`. What a batch holds is paid for with `kept`, if the
    /// column is read to be kept. The rows in all, and how many of them are null.
    ///
    /// # Errors
    /// The file is damaged, the budget is spent, `go_on` said no, or `take` failed.
    pub fn each<E: From<ReadError>>(
        &self,
        kept: &mut Charge,
        mut take: impl FnMut(ArrayRef) -> Result<(), E>,
    ) -> Result<(u64, u64), E> {
        let (mut rows, mut nulls) = (0, 0);
        let mut weighed = None;
        for part in &self.parts {
            let left = self.most.saturating_sub(usize::try_from(rows).unwrap_or(usize::MAX));
            if left == 0 {
                break;
            }
            kept.add(part.all).map_err(ReadError::from)?;
            let _each = self.budget.pay(part.each).map_err(ReadError::from)?;
            let reader = ParquetRecordBatchReaderBuilder::new_with_metadata(
                self.columns.source.clone(),
                self.metadata.clone(),
            );
            let batches = reader
                .with_projection(self.mask.clone())
                .with_row_groups(part.groups.clone())
                .with_batch_size(part.rows_at_once.min(left))
                .with_limit(left)
                .build();
            for batch in batches.map_err(ReadError::from)? {
                if !(self.go_on)() {
                    return Err(ReadError::Stopped.into());
                }
                let batch = batch.map_err(|error| ReadError::Parquet(error.into()))?;
                let array = batch.column(0).clone();
                rows += array.len() as u64;
                nulls += array.logical_null_count() as u64;
                if part.weighs {
                    kept.add(weight(&array, &mut weighed)).map_err(ReadError::from)?;
                }
                take(array)?;
            }
        }
        Ok((rows, nulls))
    }
}

/// What an array holds of memory. Batches that share a dictionary hold it once:
/// `weighed` is the last one's address.
fn weight(array: &ArrayRef, weighed: &mut Option<usize>) -> u64 {
    let whole = array.get_array_memory_size() as u64;
    let Some(dictionary) = array.as_any_dictionary_opt() else { return whole };
    let values = dictionary.values();
    let address = values.to_data().buffers().first().map(|buffer| buffer.as_ptr() as usize);
    let known = address.is_some() && address == *weighed;
    *weighed = address;
    if known { whole.saturating_sub(values.get_array_memory_size() as u64) } else { whole }
}

/// A row group's part of one column.
pub(super) struct Group<'a> {
    pub(super) rows: u64,
    pub(super) leaves: Vec<(&'a ColumnChunkMetaData, Pages)>,
}

/// How to read a column of this type that is stored like this.
fn way(data_type: &DataType, groups: &[Group<'_>], wanted: Use) -> Way {
    let mut pages = groups.iter().flat_map(|group| &group.leaves).map(|(_, pages)| pages);
    match data_type {
        DataType::Utf8
        | DataType::LargeUtf8
        | DataType::Utf8View
        | DataType::Binary
        | DataType::LargeBinary
        | DataType::BinaryView => {
            let coded = pages.clone().all(|pages| {
                pages.coded
                    && pages.dictionary.saturating_add(pages.data)
                        < pages.values.saturating_mul(CODE_BYTES)
            });
            let text = matches!(data_type, DataType::Utf8 | DataType::LargeUtf8);
            match coded && text && wanted == Use::Keep && !groups.is_empty() {
                true => Way::Coded,
                false if pages.any(|pages| pages.delta) => Way::Copied,
                false => Way::Viewed,
            }
        }
        DataType::Dictionary(_, values) if wanted == Use::Look => {
            match way(values, groups, wanted) {
                Way::Flat => Way::Copied,
                other => other,
            }
        }
        DataType::Dictionary(..) | DataType::FixedSizeBinary(_) => Way::Copied,
        DataType::Decimal32(..)
        | DataType::Decimal64(..)
        | DataType::Decimal128(..)
        | DataType::Decimal256(..) => Way::Copied,
        nested if nested.is_nested() => Way::Nested,
        _ => Way::Flat,
    }
}

/// The type to read a column as, if it is not the file's own.
fn read_as(way: Way, field: &Field) -> Option<Field> {
    match way {
        Way::Coded => {
            let values = Box::new(field.data_type().clone());
            let text = DataType::Dictionary(Box::new(DataType::Int32), values);
            Some(field.clone().with_data_type(text))
        }
        Way::Viewed | Way::Nested => Some(viewed(field)),
        Way::Flat | Way::Copied => None,
    }
}

/// Metadata under which the column at `index` is read as `field`.
fn under(
    metadata: &ArrowReaderMetadata,
    index: usize,
    field: Field,
) -> Option<ArrowReaderMetadata> {
    let schema = metadata.schema();
    let mut fields: Vec<_> = schema.fields().iter().cloned().collect();
    fields[index] = field.into();
    let schema = Schema::new_with_metadata(fields, schema.metadata().clone());
    let options = ArrowReaderOptions::new().with_schema(schema.into());
    ArrowReaderMetadata::try_new(metadata.metadata().clone(), options).ok()
}

impl Group<'_> {
    pub(super) fn sum(&self, of: impl Fn(&ColumnChunkMetaData, &Pages) -> u64) -> u64 {
        self.leaves.iter().map(|(chunk, pages)| of(chunk, pages)).fold(0, u64::saturating_add)
    }

    fn part<R: ChunkReader + Clone + 'static>(
        &self,
        at: usize,
        (way, wanted): (Way, Use),
        data_type: &DataType,
        columns: &Columns<R>,
    ) -> Result<Part, ReadError> {
        let pages = self.sum(|_, pages| pages.largest.saturating_add(pages.dictionary));
        let mut part = Part {
            groups: vec![at],
            rows_at_once: BATCH_ROWS,
            all: 0,
            each: pages,
            weighs: way == Way::Copied && wanted == Use::Keep,
        };
        match (way, wanted) {
            (Way::Flat, _) => part.limit_to(self.sum(|chunk, _| value(chunk)), self.values()),
            (Way::Coded, _) => {
                // A code and a level a row; the dictionary's bytes and offsets.
                part.all = self.sum(|_, pages| {
                    let entries = pages.entries.saturating_mul(VIEW_BYTES);
                    let codes = pages.values.saturating_mul(4 + LEVEL_BYTES);
                    codes.saturating_add(pages.dictionary).saturating_add(entries)
                });
            }
            (Way::Viewed, Use::Keep) => {
                part.all = self.sum(|_, pages| {
                    let views = pages.values.saturating_add(pages.entries);
                    let views = views.saturating_mul(VIEW_BYTES);
                    views.saturating_add(pages.data).saturating_add(pages.dictionary)
                });
            }
            // A batch holds on to the pages that it has values of.
            (Way::Viewed, Use::Look) => {
                part.limit_to(self.sum(|chunk, _| value(chunk)), self.values());
                part.each = part.each.saturating_add(pages);
            }
            (Way::Copied, _) => {
                part.limit_to(self.longest(columns)?, self.values());
                part.each = part.each.saturating_add(pages);
            }
            (Way::Nested, _) => {
                // How the values are spread over the rows is known only afterwards.
                let whole = self.nested(data_type);
                match wanted {
                    Use::Keep => part.all = whole,
                    Use::Look => part.each = part.each.saturating_add(whole),
                }
                part.rows_at_once = rows_within(BATCH_BYTES, whole / self.rows.max(1));
            }
        }
        Ok(part)
    }

    fn values(&self) -> u64 {
        self.sum(|_, pages| pages.values)
    }

    /// The most bytes that a row can take whose values are copied.
    pub(super) fn longest<R: ChunkReader + Clone + 'static>(
        &self,
        columns: &Columns<R>,
    ) -> Result<u64, ReadError> {
        let mut longest = 0u64;
        for (chunk, pages) in &self.leaves {
            let rows = usize::try_from(self.rows).unwrap_or(0);
            let entry = match pages.delta {
                _ if chunk.column_type() != PhysicalType::BYTE_ARRAY => 0,
                // A value can repeat all that came before it in its page.
                true => pages.largest,
                false => pages::longest_entry(&columns.source, chunk, rows)?,
            };
            longest = longest.max(entry.saturating_add(value(chunk)));
        }
        Ok(longest)
    }

    /// The most bytes that all values of a nested column can take, texts as views.
    pub(super) fn nested(&self, data_type: &DataType) -> u64 {
        let fill = self.rows.saturating_mul(pages::filling(data_type));
        self.sum(|chunk, pages| {
            let values = pages.values.max(fill).saturating_mul(value(chunk));
            values.saturating_add(pages.data).saturating_add(pages.dictionary)
        })
    }
}

/// Bytes of a value and its levels.
fn value(chunk: &ColumnChunkMetaData) -> u64 {
    pages::width(chunk).saturating_add(LEVEL_BYTES)
}

/// How many rows of `row` bytes are within `bytes`: at least one.
pub(super) fn rows_within(bytes: u64, row: u64) -> usize {
    usize::try_from(bytes / row.max(1)).unwrap_or(BATCH_ROWS).clamp(1, BATCH_ROWS)
}

impl Part {
    /// Takes so many rows at once that a batch keeps within bounds.
    fn limit_to(&mut self, row: u64, rows: u64) {
        self.rows_at_once = rows_within(BATCH_BYTES, row);
        self.each =
            self.each.saturating_add(row.saturating_mul(rows.min(self.rows_at_once as u64)));
    }
}

/// All parts in one: a batch may span row groups.
fn joined(parts: Vec<Part>) -> Vec<Part> {
    let whole = parts.into_iter().reduce(|one, other| Part {
        groups: [one.groups, other.groups].concat(),
        rows_at_once: one.rows_at_once.min(other.rows_at_once),
        all: one.all.saturating_add(other.all),
        each: one.each.max(other.each),
        weighs: one.weighs,
    });
    whole.into_iter().collect()
}
