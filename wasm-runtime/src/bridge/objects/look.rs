//! Objects as they are in guest memory, looked at without asking the interpreter.

use super::{ASCII, ASCII_HEADER, COMPACT, DATE, HEAD, HEADER, Types, WIDTH, calendar};

/// What an object is.
#[derive(Debug, PartialEq)]
pub(in super::super) enum Found<T> {
    Value(T),
    /// `None`, `pd.NA`, `pd.NaT`, or a float that is no number.
    Missing,
    /// Neither, or not laid out as expected: the guest has to look itself.
    Other,
}

/// Guest memory, and what is known of the objects in it.
#[derive(Debug, Clone, Copy)]
pub(in super::super) struct Looking<'a> {
    pub(in super::super) memory: &'a [u8],
    pub(in super::super) types: Types,
    pub(in super::super) missing: &'a [u32],
}

impl<'a> Looking<'a> {
    fn bytes<const N: usize>(&self, address: usize) -> Option<&'a [u8; N]> {
        self.memory.get(address..)?.first_chunk()
    }

    fn word(&self, address: usize) -> Option<u32> {
        self.bytes(address).map(|bytes| u32::from_le_bytes(*bytes))
    }

    /// The text at `address`, added to `texts`.
    pub(in super::super) fn text(&self, address: u32, texts: &mut Vec<u8>) -> Found<()> {
        let at = address as usize;
        match self.word(at + HEAD - 4) {
            Some(kind) if kind == self.types.text => match self.characters(at, texts) {
                Some(()) => Found::Value(()),
                None => Found::Other,
            },
            kind => self.none(address, kind),
        }
    }

    /// How many characters the text at `address` says that it has; none, if it is no text.
    pub(in super::super) fn characters_of(&self, address: u32) -> u64 {
        let at = address as usize;
        let is_text = self.word(at + HEAD - 4) == Some(self.types.text);
        self.word(at + HEAD).filter(|_| is_text).map_or(0, u64::from)
    }

    /// The days since 1970 of the date at `address`.
    pub(in super::super) fn date(&self, address: u32) -> Found<i32> {
        let at = address as usize;
        match self.word(at + HEAD - 4) {
            Some(kind) if kind == self.types.date => {
                let bytes = self.bytes::<4>(at + DATE - 4);
                let days = bytes.and_then(|&[high, low, month, day]| {
                    calendar::days((u16::from_be_bytes([high, low]), month, day))
                });
                days.map_or(Found::Other, Found::Value)
            }
            kind => self.none(address, kind),
        }
    }

    /// Whether an object that is of another type stands for none.
    fn none<T>(&self, address: u32, kind: Option<u32>) -> Found<T> {
        // A cell of a numpy array that nothing was put into is a null pointer.
        if address == 0 || self.missing.contains(&address) {
            return Found::Missing;
        }
        let number = self.bytes(address as usize + HEAD).map(|bytes| f64::from_le_bytes(*bytes));
        match number {
            Some(number) if kind == Some(self.types.float) && number.is_nan() => Found::Missing,
            _ => Found::Other,
        }
    }

    /// Adds a text's characters; `None` if they are not as its header says.
    fn characters(&self, at: usize, texts: &mut Vec<u8>) -> Option<()> {
        let length = self.word(at + HEAD)? as usize;
        let state = self.word(at + ASCII_HEADER - 4)?;
        if state & COMPACT == 0 {
            return None;
        }
        let (header, width) = match (state & ASCII != 0, (state & WIDTH) >> 2) {
            (true, 1) => (ASCII_HEADER, 1),
            (false, width @ (1 | 2 | 4)) => (HEADER, width as usize),
            _ => return None,
        };
        let begin = at.checked_add(header)?;
        let end = begin.checked_add(length.checked_mul(width)?)?;
        let data = self.memory.get(begin..end)?;
        let mut push = |character: char| {
            texts.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
        };
        match width {
            1 if state & ASCII != 0 => {
                texts.extend_from_slice(data.is_ascii().then_some(data)?);
            }
            1 => data.iter().for_each(|byte| push(char::from(*byte))),
            2 => {
                for unit in data.as_chunks::<2>().0 {
                    // A lone surrogate is no character.
                    push(char::from_u32(u32::from(u16::from_le_bytes(*unit)))?);
                }
            }
            _ => {
                for unit in data.as_chunks::<4>().0 {
                    push(char::from_u32(u32::from_le_bytes(*unit))?);
                }
            }
        }
        Some(())
    }
}
