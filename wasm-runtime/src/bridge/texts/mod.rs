//! Operations on columns of texts, done where the texts are.
//!
//! pandas' `str` methods take a column's texts one by one through the interpreter, which
//! takes ten to forty times as long as natively, where Arrow does it. So the host reads the
//! texts in guest memory ([`super::objects`]), does the operation, and hands the result
//! over as a reader that has its columns already.
//!
//! The host does only what it is certain to do as Python does ([`Operation`]): for any
//! other text it declines, and the guest does the whole column itself. Whether it declines
//! depends on nothing but the texts, so that a run stays the same whenever it is run.

mod codes;
mod letters;
mod moments;
mod operation;
mod patterns;

use std::sync::Arc;

use arrow::array::{Array, ArrayRef, BooleanArray, Int64Array, StringArray, StringBuilder};

pub(super) use operation::Operation;

use super::decode::{self, Column};
use super::messages::{ObjectsIn, Reply};
use super::objects::Types;
use super::read::{self, Reader};
use super::write;
use crate::columns::Budget;
use crate::guest::{Guest, Stop};

/// Bytes of texts that are read, and that are made, at the most: as much as the guest takes
/// of objects that are never freed.
const MOST: u64 = 256 << 20;
/// Rows between two looks at the stop flag.
const STRIDE: usize = 1 << 12;

/// Texts in guest memory: the addresses of their objects.
#[derive(Debug, serde::Deserialize)]
pub(super) struct TextsIn {
    values: u32,
    rows: u32,
    #[serde(flatten)]
    objects: ObjectsIn,
    /// The types that texts are made of.
    into: Option<Types>,
}

/// Why the host does not do it.
#[derive(Debug, PartialEq, Eq)]
struct Declined;

/// What an operation works with.
struct Work<'a> {
    memory: &'a [u8],
    objects: &'a ObjectsIn,
    stop: &'a Stop,
}

impl Work<'_> {
    fn texts(&self, values: u32, rows: u32) -> Result<StringArray, Declined> {
        let source = (self.memory, Some(self.objects), self.stop);
        write::texts(source, values, rows as usize, MOST).ok_or(Declined)
    }

    /// What `take` makes of each row.
    fn each<T, U>(
        &self,
        rows: impl Iterator<Item = T>,
        mut take: impl FnMut(T) -> Result<U, Declined>,
    ) -> Result<Vec<U>, Declined> {
        let taken = rows.enumerate().map(|(row, item)| {
            self.go_on(row)?;
            take(item)
        });
        taken.collect()
    }

    /// A column of the text that `put` adds for each row that has a value.
    fn made<T>(
        &self,
        rows: impl Iterator<Item = Option<T>>,
        bytes: usize,
        mut put: impl FnMut(T, &mut StringBuilder) -> Result<(), Declined>,
    ) -> Result<ArrayRef, Declined> {
        let mut made = StringBuilder::with_capacity(rows.size_hint().0, bytes);
        for (row, item) in rows.enumerate() {
            self.go_on(row)?;
            match item {
                Some(item) => put(item, &mut made)?,
                None => made.append_null(),
            }
        }
        Ok(Arc::new(made.finish()))
    }

    /// Looks at the stop flag now and then.
    fn go_on(&self, row: usize) -> Result<(), Declined> {
        let stopped = row.is_multiple_of(STRIDE) && self.stop.reason().is_some();
        if stopped { Err(Declined) } else { Ok(()) }
    }
}

/// Does the operation. The answer names a reader, whose columns are the result.
pub(super) fn answer(
    guest: &mut Guest,
    memory: &[u8],
    texts: &TextsIn,
    operation: &Operation,
) -> Reply {
    let Some(stop) = guest.session.stop.clone() else {
        return Reply::value_error("no texts are worked on while the start image is made");
    };
    let work = Work { memory, objects: &texts.objects, stop: &stop };
    let made =
        work.texts(texts.values, texts.rows).and_then(|array| result(&work, &array, operation));
    let budget = Budget::new(2 * MOST);
    let columns = made.and_then(|arrays| {
        let decoded = arrays
            .into_iter()
            .map(|array| decode::ready(array, (&budget, texts.into), &stop))
            .collect::<Result<Vec<Column>, String>>();
        decoded.map_err(|_| Declined)
    });
    match columns {
        Ok(columns) => {
            let answer = serde_json::json!({ "columns": columns.len() });
            read::seated(guest, Reader::made(columns), answer)
        }
        Err(Declined) => Reply::mixed(),
    }
}

/// The columns that the operation gives.
fn result(
    work: &Work<'_>,
    texts: &StringArray,
    operation: &Operation,
) -> Result<Vec<ArrayRef>, Declined> {
    Ok(match operation {
        Operation::Codes {} => codes::codes(work, texts)?,
        Operation::Moments(format) => vec![moments::moments(work, texts, format)?],
        Operation::Matches(pattern) => vec![pattern.ready(work, texts)?.matches()?],
        Operation::Extract(pattern) => pattern.ready(work, texts)?.extract()?,
        Operation::FindAll(pattern) => pattern.ready(work, texts)?.find_all()?,
        Operation::ReplaceAll { pattern, to } => {
            vec![pattern.ready(work, texts)?.replace_all(to)?]
        }
        Operation::Split { by } => patterns::split(work, texts, by)?,
        Operation::Length {} => {
            let length = |text: Option<&str>| Ok(text.map(|text| letters::count(text) as i64));
            vec![Arc::new(Int64Array::from(work.each(texts.iter(), length)?))]
        }
        Operation::Contains(_) | Operation::StartsWith { .. } | Operation::EndsWith { .. } => {
            let holds = |text: Option<&str>| text.map_or(Ok(false), |text| operation.holds(text));
            vec![Arc::new(BooleanArray::from(work.each(texts.iter(), holds)?))]
        }
        Operation::Add { right } => {
            let right = work.texts(*right, texts.len() as u32)?;
            let pairs = texts.iter().zip(right.iter()).map(|(left, right)| left.zip(right));
            let bytes = texts.value_data().len() + right.value_data().len();
            vec![work.made(pairs, bytes, |(left, right), made| put(made, &[left, right]))?]
        }
        _ => {
            let bytes = texts.value_data().len();
            vec![work.made(texts.iter(), bytes, |text, made| operation.make(text, made))?]
        }
    })
}

/// Adds a text made of parts, if there is room for it.
fn put(made: &mut StringBuilder, parts: &[&str]) -> Result<(), Declined> {
    let more: usize = parts.iter().map(|part| part.len()).sum();
    if (made.values_slice().len() + more) as u64 > MOST {
        return Err(Declined);
    }
    for part in parts {
        std::fmt::Write::write_str(made, part).map_err(|_| Declined)?;
    }
    made.append_value("");
    Ok(())
}
