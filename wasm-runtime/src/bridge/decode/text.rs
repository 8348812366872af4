//! Texts, bytes and decimals: unique values, and a code a row.

use std::collections::{HashMap, HashSet};

use arrow::array::{Array, ArrayRef, AsArray, DictionaryArray};
use arrow::datatypes::{DataType, Int32Type};

use super::super::foldhash;
use super::super::messages::{Coded, KindOut, Object};
use super::super::objects::{Block, Laid, NULL, Types};
use super::{Arrays, Decoded, Pace};
use crate::columns::Charge;

/// Candidates for a byte that occurs in no value, to split the values at.
const SEPARATORS: [char; 4] = ['\0', '\x01', '\x1e', '\x1f'];
/// What a unique value takes besides its bytes: its place, and its entry in the map.
const UNIQUE_BYTES: u64 = 48;
/// Texts by which it is told whether they repeat.
const SAMPLE: usize = 10_000;

/// Codes the values of all arrays, made into texts or bytes by `prepare`.
pub(super) fn coded(
    arrays: &impl Arrays,
    data_type: Coded,
    prepare: &dyn Fn(ArrayRef) -> Result<ArrayRef, String>,
) -> Result<Decoded, String> {
    let mut kept = arrays.budget().charge();
    let mut batches = Vec::new();
    let (rows, nulls) = arrays.each(&mut kept, &mut |array| {
        batches.push(prepare(array)?);
        Ok(())
    })?;
    let types = arrays.types().filter(|_| data_type == Coded::Text);
    let pace = Pace::new(arrays.stop());
    let laid = match types.filter(|_| differ(&batches)) {
        Some(types) => each_its_own(&batches, types, arrays)?,
        None => None,
    };
    let mut decoded = match laid {
        Some((laid, mut charge)) => {
            charge.join(kept);
            Decoded::laid(laid, charge)
        }
        None => code(&batches, (data_type, types), arrays.budget().charge(), pace)?,
    };
    (decoded.rows, decoded.nulls) = (rows, nulls);
    Ok(decoded)
}

/// Whether the texts hardly repeat, by the first of them.
fn differ(batches: &[ArrayRef]) -> bool {
    let Some(views) = batches.first().and_then(|array| array.as_string_view_opt()) else {
        return false;
    };
    let first = views.iter().flatten().take(SAMPLE);
    let unique: HashSet<&[u8], foldhash::Seed> = first.map(str::as_bytes).collect();
    unique.len() > SAMPLE / 2
}

/// An object for each text, without looking whether there is one like it; none, if no
/// guest can have so many. Paid for is what they take in the guest.
fn each_its_own(
    batches: &[ArrayRef],
    types: Types,
    arrays: &impl Arrays,
) -> Result<Option<(Laid, Charge)>, String> {
    let mut pace = Pace::new(arrays.stop());
    let mut sized = Vec::with_capacity(batches.len());
    let mut whole = 0u64;
    for array in batches {
        let mut size = 0;
        for text in array.as_string_view().iter().flatten() {
            pace.work(text.len() as u64 + 4)?;
            size += Block::size(text);
        }
        whole = whole.saturating_add(size).saturating_add(array.len() as u64 * 4);
        sized.push((array.clone(), usize::try_from(size).unwrap_or(usize::MAX)));
    }
    let charge = arrays.budget().pay(whole).map_err(|error| error.to_string())?;
    if i32::try_from(whole).is_err() {
        return Ok(None);
    }
    Ok(Some((Laid::new(sized, types), charge)))
}

/// Codes the values of these arrays of texts or bytes; makes objects of texts, if it is
/// known of which type.
fn code(
    arrays: &[ArrayRef],
    (data_type, types): (Coded, Option<Types>),
    mut charge: Charge,
    pace: Pace<'_>,
) -> Result<Decoded, String> {
    let rows: usize = arrays.iter().map(Array::len).sum();
    if i32::try_from(rows).is_err() {
        return Err(format!("{rows} rows are more than a text column can have here"));
    }
    charge.add(rows as u64 * 4).map_err(|error| error.to_string())?;
    let mut coder = Coder::new(rows, pace);
    for array in arrays {
        match array.data_type() {
            DataType::Utf8 => coder.each(array.as_string::<i32>().iter(), str::as_bytes),
            DataType::LargeUtf8 => coder.each(array.as_string::<i64>().iter(), str::as_bytes),
            DataType::Utf8View => coder.each(array.as_string_view().iter(), str::as_bytes),
            DataType::Binary => coder.each(array.as_binary::<i32>().iter(), |b| b),
            DataType::LargeBinary => coder.each(array.as_binary::<i64>().iter(), |b| b),
            DataType::BinaryView => coder.each(array.as_binary_view().iter(), |b| b),
            DataType::FixedSizeBinary(_) => coder.each(array.as_fixed_size_binary().iter(), |b| b),
            DataType::Dictionary(..) => coder.push_dictionary(array.as_dictionary()),
            other => Err(format!("the type {other} is not of variable width")),
        }?;
        coder.pay(&mut charge)?;
    }
    match types {
        Some(types) => coder.objects(types, charge),
        None => coder.joined(data_type, charge),
    }
}

/// Unique values and codes while the values repeat; every value on its own once
/// they turn out not to.
struct Coder<'a> {
    seen: HashMap<&'a [u8], i32, foldhash::Seed>,
    unique: Vec<&'a [u8]>,
    /// 32 bits a row, as the guest will have them.
    codes: Vec<u8>,
    repeats: bool,
    /// Where the last batch's dictionary is, and the codes of its entries.
    last: Option<(*const u8, usize)>,
    entries: Vec<i32>,
    paid: usize,
    pace: Pace<'a>,
}

impl<'a> Coder<'a> {
    fn new(rows: usize, pace: Pace<'a>) -> Self {
        Self {
            seen: HashMap::with_hasher(foldhash::Seed),
            unique: Vec::new(),
            codes: Vec::with_capacity(rows * 4),
            repeats: true,
            last: None,
            entries: Vec::new(),
            paid: 0,
            pace,
        }
    }

    /// Pays for the unique values that were not paid for.
    fn pay(&mut self, charge: &mut Charge) -> Result<(), String> {
        let new = (self.unique.len() - self.paid) as u64;
        self.paid = self.unique.len();
        charge.add(new * UNIQUE_BYTES).map_err(|error| error.to_string())
    }

    fn put(&mut self, code: i32) {
        self.codes.extend_from_slice(&code.to_le_bytes());
    }

    fn push(&mut self, value: Option<&'a [u8]>) {
        let Some(value) = value else {
            self.put(-1);
            return;
        };
        let code = if self.repeats {
            self.code_of(value)
        } else {
            self.unique.push(value);
            self.unique.len() as i32 - 1
        };
        self.put(code);
        // Looked at once: hashing a column of unique values would double its cost.
        if self.codes.len() == SAMPLE * 4 && self.unique.len() > SAMPLE / 2 {
            self.repeats = false;
            self.seen = HashMap::with_hasher(foldhash::Seed);
        }
    }

    fn code_of(&mut self, value: &'a [u8]) -> i32 {
        let next = self.unique.len() as i32;
        let code = *self.seen.entry(value).or_insert(next);
        if code == next {
            self.unique.push(value);
        }
        code
    }

    fn each<V: ?Sized + 'a>(
        &mut self,
        values: impl Iterator<Item = Option<&'a V>>,
        bytes: impl Fn(&'a V) -> &'a [u8],
    ) -> Result<(), String> {
        for value in values {
            let value = value.map(&bytes);
            self.pace.work(value.map_or(4, |value| value.len() as u64 + 4))?;
            self.push(value);
        }
        Ok(())
    }

    /// A batch whose values come coded already: each value is looked up once, and
    /// once for all batches of a row group.
    fn push_dictionary(&mut self, array: &'a DictionaryArray<Int32Type>) -> Result<(), String> {
        self.repeats = true;
        let values = array.values();
        let data = values.to_data();
        let place = data.buffers().get(1).map(|bytes| (bytes.as_ptr(), values.len()));
        if place.is_none() || place != self.last {
            self.last = place;
            let texts: Vec<Option<&'a str>> = match values.data_type() {
                DataType::LargeUtf8 => values.as_string::<i64>().iter().collect(),
                _ => values.as_string::<i32>().iter().collect(),
            };
            let mut entries = Vec::with_capacity(texts.len());
            for text in texts {
                self.pace.work(text.map_or(0, |text| text.len() as u64 + 4))?;
                entries.push(text.map_or(-1, |text| self.code_of(text.as_bytes())));
            }
            self.entries = entries;
        }
        for key in array.keys() {
            self.pace.work(4)?;
            let code = key.and_then(|key| self.entries.get(key as usize)).copied();
            self.put(code.unwrap_or(-1));
        }
        Ok(())
    }

    /// The texts as Python's objects, and which of them each row is.
    fn objects(mut self, types: Types, mut charge: Charge) -> Result<Decoded, String> {
        let no_text = |_| "its text is not UTF-8".to_owned();
        let mut size = 0u64;
        for value in &self.unique {
            self.pace.work(value.len() as u64 + 4)?;
            size += Block::size(str::from_utf8(value).map_err(no_text)?);
        }
        let Some(mut block) = Block::new(size, types) else {
            return self.joined(Coded::Text, charge);
        };
        let more = size.saturating_add(self.unique.len() as u64 * 4);
        charge.add(more).map_err(|error| error.to_string())?;
        let mut places = Vec::with_capacity(self.unique.len());
        for value in &self.unique {
            self.pace.work(value.len() as u64 + 4)?;
            places.push(block.text(str::from_utf8(value).map_err(no_text)?));
        }
        for row in self.codes.as_chunks_mut::<4>().0 {
            self.pace.work(4)?;
            let code = i32::from_le_bytes(*row);
            let place = usize::try_from(code).ok().and_then(|code| places.get(code)).copied();
            *row = place.unwrap_or(NULL).to_le_bytes();
        }
        let buffers = vec![block.done(), self.codes];
        charge.keep(buffers.iter().map(|buffer| buffer.len() as u64).sum());
        let kind = KindOut::Objects { of: Object::Text };
        Ok(Decoded::of(kind, buffers, charge))
    }

    /// The buffers for the guest.
    fn joined(mut self, data_type: Coded, mut charge: Charge) -> Result<Decoded, String> {
        let unique = self.unique.len();
        let whole: usize = self.unique.iter().map(|value| value.len() + 1).sum();
        let more = whole as u64 + unique as u64 * 4;
        charge.add(more).map_err(|error| error.to_string())?;
        // Bytes are cut by lengths; text is split, which Python does at C speed.
        let mut separator = None;
        for candidate in SEPARATORS.into_iter().filter(|_| data_type != Coded::Binary) {
            let mut free = true;
            for value in &self.unique {
                self.pace.work(value.len() as u64 + 4)?;
                free = !value.contains(&(candidate as u8));
                if !free {
                    break;
                }
            }
            if free {
                separator = Some(candidate);
                break;
            }
        }
        let mut data = Vec::with_capacity(whole);
        for (i, value) in self.unique.iter().enumerate() {
            if let Some(separator) = separator
                && i > 0
            {
                data.push(separator as u8);
            }
            self.pace.work(value.len() as u64 + 4)?;
            data.extend_from_slice(value);
        }
        let coded = unique * 4 != self.codes.len();
        let mut buffers = vec![data];
        if coded {
            buffers.push(self.codes);
        }
        if separator.is_none() {
            let lengths = self.unique.iter().flat_map(|value| (value.len() as u32).to_le_bytes());
            buffers.push(lengths.collect());
        }
        charge.keep(buffers.iter().map(|buffer| buffer.len() as u64).sum());
        let kind = KindOut::Coded { data_type, unique, coded, separator };
        Ok(Decoded::of(kind, buffers, charge))
    }
}
