//! Texts that are laid out where the guest has made room for them.
//!
//! A column of texts that hardly repeat is the most that a table brings into the guest. To
//! make a block of it here first and copy that would go through its memory twice.

use arrow::array::{Array, ArrayRef, AsArray};

use super::make::{Block, measure};
use super::{ASCII, ASCII_HEADER, COMPACT, HEADER, NO_HASH, Types};
use crate::guest::Stop;
use crate::side_by_side::side_by_side;

/// Columns of texts (as string views), to be laid out one after another.
#[derive(Debug)]
pub(in super::super) struct Laid {
    /// Each with the bytes that its objects take.
    batches: Vec<(ArrayRef, usize)>,
    types: Types,
}

impl Laid {
    pub(in super::super) fn new(batches: Vec<(ArrayRef, usize)>, types: Types) -> Self {
        Self { batches, types }
    }

    /// Bytes of the block, and of the objects' addresses.
    pub(in super::super) fn lengths(&self) -> [usize; 2] {
        let rows: usize = self.batches.iter().map(|(array, _)| array.len()).sum();
        [self.batches.iter().map(|(_, size)| size).sum(), rows * 4]
    }

    /// Lays the texts out in `block`, which is at `base`, and writes each row's address.
    /// Both are as long as [`Self::lengths`] says; `None` if they are not, or if the run is
    /// to stop.
    pub(in super::super) fn write(
        &self,
        (mut block, mut base): (&mut [u8], u32),
        mut addresses: &mut [u8],
        missing: u32,
        stop: &Stop,
    ) -> Option<()> {
        let mut tasks = Vec::with_capacity(self.batches.len());
        for (array, size) in &self.batches {
            let (part, rest) = std::mem::take(&mut block).split_at_mut_checked(*size)?;
            let (own, others) =
                std::mem::take(&mut addresses).split_at_mut_checked(array.len() * 4)?;
            let begin = base;
            tasks.push(move || match stop.reason() {
                None => self.batch(array, (part, begin), own, missing),
                Some(_) => None,
            });
            (block, addresses, base) = (rest, others, base.checked_add(*size as u32)?);
        }
        side_by_side(tasks, true).into_iter().collect()
    }

    fn batch(
        &self,
        array: &ArrayRef,
        (block, base): (&mut [u8], u32),
        addresses: &mut [u8],
        missing: u32,
    ) -> Option<()> {
        let mut place = 0;
        let (addresses, _) = addresses.as_chunks_mut::<4>();
        for (text, address) in array.as_string_view().iter().zip(addresses) {
            *address = match text {
                None => missing.to_le_bytes(),
                Some(text) => {
                    let at = base + place as u32;
                    place += self.put(text, block.get_mut(place..)?)?;
                    at.to_le_bytes()
                }
            };
        }
        Some(())
    }

    /// Lays out a text at the beginning of `target`; the bytes that it takes.
    fn put(&self, text: &str, target: &mut [u8]) -> Option<usize> {
        let size = Block::size(text) as usize;
        let object = target.get_mut(..size)?;
        let ascii = text.is_ascii();
        let (width, count) = if ascii { (1, text.len()) } else { measure(text) };
        let state = (width as u32) << 2 | COMPACT | if ascii { ASCII } else { 0 };
        let words = [self.types.forever, self.types.text, count as u32, NO_HASH, state, 0, 0];
        let header = if ascii { ASCII_HEADER } else { HEADER };
        let (head, body) = object.split_at_mut_checked(header)?;
        for (word, target) in words.iter().zip(head.as_chunks_mut::<4>().0) {
            *target = word.to_le_bytes();
        }
        let (characters, end) = body.split_at_mut_checked(count * width)?;
        if ascii {
            characters.copy_from_slice(text.as_bytes());
        } else {
            for (character, target) in text.chars().zip(characters.chunks_exact_mut(width)) {
                target.copy_from_slice(&u32::from(character).to_le_bytes()[..width]);
            }
        }
        end.fill(0);
        Some(size)
    }
}
