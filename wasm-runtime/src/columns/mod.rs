//! Columns of a Parquet file, read in bounded memory whatever the file says.
//!
//! A file of a few hundred bytes can stand for gigabytes: a dictionary of one long
//! text and a run-length encoded million of references to it, lists of run-length
//! encoded zeros, pages that unpack to a thousand times their size. The footer may say
//! anything. Page headers may not: the decoder goes by them, and refuses a page that
//! turns out otherwise. So they are walked first ([`header`], [`pages`]), which reads a
//! few bytes a page and unpacks nothing. By what they say, texts are read as codes or
//! as views, which share what the file shares; how many rows are decoded at once
//! follows from what a row can take; and all of it is paid for from a [`Budget`] before
//! it is decoded ([`batches`]).

mod batches;
mod budget;
mod header;
mod pages;
mod spread;

use std::ops::Range;
use std::sync::Arc;

use arrow::datatypes::{DataType, Field};
use parquet::arrow::arrow_reader::ArrowReaderMetadata;
use parquet::errors::ParquetError;
use parquet::file::reader::ChunkReader;

pub use batches::Batches;
pub use budget::{Budget, Charge, OverBudget};
pub use spread::spread_bytes;

use batches::{Group, rows_within};

/// What the batches of a column are read for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Use {
    /// To be kept until the last has come; texts come as codes where they repeat.
    Keep,
    /// To be looked at one after another; texts come as views.
    Look,
}

/// A column could not be read.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// It was asked to stop.
    #[error("the run was stopped")]
    Stopped,
    /// It takes too much memory.
    #[error(transparent)]
    TooBig(#[from] OverBudget),
    /// The file is damaged.
    #[error(transparent)]
    Parquet(#[from] ParquetError),
}

impl From<ReadError> for String {
    fn from(error: ReadError) -> Self {
        error.to_string()
    }
}

/// A Parquet file, and where its columns are in it.
#[derive(Debug)]
pub struct Columns<R> {
    source: R,
    metadata: ArrowReaderMetadata,
    /// The leaves of each column.
    leaves: Vec<Range<usize>>,
}

impl<R: ChunkReader + Clone + 'static> Columns<R> {
    /// The columns of `source`, whose footer is `metadata`.
    pub fn new(source: R, metadata: ArrowReaderMetadata) -> Self {
        let schema = metadata.parquet_schema();
        let mut leaves: Vec<Range<usize>> = Vec::new();
        for leaf in 0..schema.num_columns() {
            let root = schema.get_column_root_idx(leaf);
            leaves.resize_with(leaves.len().max(root + 1), || leaf..leaf);
            leaves[root].end = leaf + 1;
        }
        Self { source, metadata, leaves }
    }

    /// The footer.
    #[must_use]
    pub fn metadata(&self) -> &ArrowReaderMetadata {
        &self.metadata
    }

    /// Gets ready to read the column at `index`. `go_on` is asked again and again.
    ///
    /// # Errors
    /// A page's header is damaged, or says that it needs more than the budget.
    pub fn batches<'a>(
        &'a self,
        index: usize,
        wanted: Use,
        budget: &'a Budget,
        go_on: &'a dyn Fn() -> bool,
    ) -> Result<Batches<'a, R>, ReadError> {
        Batches::of(self, index, wanted, budget, go_on)
    }

    /// Gets ready to look at the first `rows` of the column at `index`; only the pages of the
    /// row groups that have them are walked.
    ///
    /// # Errors
    /// As [`batches`](Self::batches).
    pub fn first<'a>(
        &'a self,
        index: usize,
        rows: usize,
        budget: &'a Budget,
        go_on: &'a dyn Fn() -> bool,
    ) -> Result<Batches<'a, R>, ReadError> {
        Batches::of_first(self, index, rows, budget, go_on)
    }

    /// How many rows of these columns, read together, take about `bytes` at the most.
    /// Of nested columns it is the mean that counts.
    ///
    /// # Errors
    /// A page is damaged, or takes more than `most` to unpack.
    pub fn rows_within(
        &self,
        columns: &[usize],
        (bytes, most): (u64, u64),
        go_on: &dyn Fn() -> bool,
    ) -> Result<usize, ReadError> {
        let budget = Budget::new(most);
        let mut row = vec![0u64; self.metadata.metadata().num_row_groups()];
        for &index in columns {
            let data_type = self.metadata.schema().field(index).data_type();
            for (group, row) in self.groups(index, usize::MAX, go_on)?.iter().zip(&mut row) {
                let _unpacking = budget.pay(group.sum(|_, pages| pages.largest))?;
                let mean = group.nested(data_type) / group.rows.max(1);
                *row = row.saturating_add(group.longest(self)?.max(mean));
            }
        }
        Ok(rows_within(bytes, row.into_iter().max().unwrap_or(0)))
    }

    /// The row groups' parts of a column, as many as have its first `rows`.
    fn groups(
        &self,
        index: usize,
        rows: usize,
        go_on: &dyn Fn() -> bool,
    ) -> Result<Vec<Group<'_>>, ReadError> {
        let leaves = self.leaves.get(index).cloned().unwrap_or_default();
        let mut before = 0u64;
        let needed = self.metadata.metadata().row_groups().iter().take_while(|group| {
            let is_needed = before < rows as u64;
            before = before.saturating_add(u64::try_from(group.num_rows()).unwrap_or(0));
            is_needed
        });
        let groups = needed.map(|group| {
            let pages = leaves.clone().map(|leaf| {
                let chunk = group.column(leaf);
                Ok((chunk, pages::pages(&self.source, chunk, go_on)?))
            });
            Ok(Group {
                rows: u64::try_from(group.num_rows()).unwrap_or(0),
                leaves: pages.collect::<Result<_, ReadError>>()?,
            })
        });
        groups.collect()
    }
}

/// The same type with its texts and bytes as views, where Parquet's reader makes some:
/// values that share a dictionary share its bytes.
#[must_use]
pub fn viewed(field: &Field) -> Field {
    field.clone().with_data_type(viewed_type(field.data_type()))
}

fn viewed_type(data_type: &DataType) -> DataType {
    let item = |item: &Arc<Field>| Arc::new(viewed(item));
    match data_type {
        DataType::Utf8 | DataType::LargeUtf8 => DataType::Utf8View,
        DataType::Binary | DataType::LargeBinary => DataType::BinaryView,
        DataType::List(inner) => DataType::List(item(inner)),
        DataType::LargeList(inner) => DataType::LargeList(item(inner)),
        DataType::ListView(inner) => DataType::ListView(item(inner)),
        DataType::LargeListView(inner) => DataType::LargeListView(item(inner)),
        DataType::FixedSizeList(inner, size) => DataType::FixedSizeList(item(inner), *size),
        DataType::Map(inner, sorted) => DataType::Map(item(inner), *sorted),
        DataType::Struct(fields) => DataType::Struct(fields.iter().map(item).collect()),
        DataType::Dictionary(_, values) => match viewed_type(values) {
            view @ (DataType::Utf8View | DataType::BinaryView) => view,
            _ => data_type.clone(),
        },
        other => other.clone(),
    }
}
