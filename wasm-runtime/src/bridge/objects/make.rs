//! Objects laid out in a block, and which of them each row is.

use super::{ASCII, ASCII_HEADER, COMPACT, DATE, HEAD, HEADER, NO_HASH, Types, calendar};

/// The place of a null: not one of the block.
pub(in super::super) const NULL: u32 = u32::MAX;
/// What an object's place is a multiple of.
const ALIGNMENT: usize = 8;

/// Objects in the making.
#[derive(Debug)]
pub(in super::super) struct Block {
    bytes: Vec<u8>,
    types: Types,
}

impl Block {
    /// A block with room for so many bytes; `None` if no guest can have that many.
    pub(in super::super) fn new(bytes: u64, types: Types) -> Option<Self> {
        let bytes = i32::try_from(bytes).ok()?;
        Some(Self { bytes: Vec::with_capacity(bytes as usize), types })
    }

    /// What a text takes in a block.
    pub(in super::super) fn size(text: &str) -> u64 {
        let size = if text.is_ascii() {
            ASCII_HEADER + text.len() + 1
        } else {
            let (width, count) = measure(text);
            HEADER + (count + 1) * width
        };
        size.next_multiple_of(ALIGNMENT) as u64
    }

    /// What a date takes in a block.
    pub(in super::super) const DATE_SIZE: u64 = DATE.next_multiple_of(ALIGNMENT) as u64;

    /// Begins an object; its place.
    fn begin(&mut self, of_type: u32) -> u32 {
        let place = self.bytes.len().next_multiple_of(ALIGNMENT);
        self.bytes.resize(place, 0);
        self.word(self.types.forever);
        self.word(of_type);
        debug_assert_eq!(self.bytes.len(), place + HEAD);
        place as u32
    }

    fn word(&mut self, word: u32) {
        self.bytes.extend_from_slice(&word.to_le_bytes());
    }

    /// Adds a text; its place.
    pub(in super::super) fn text(&mut self, text: &str) -> u32 {
        let place = self.begin(self.types.text);
        if text.is_ascii() {
            self.word(text.len() as u32);
            self.word(NO_HASH);
            self.word(1 << 2 | COMPACT | ASCII);
            self.bytes.extend_from_slice(text.as_bytes());
            self.bytes.push(0);
            return place;
        }
        let (width, count) = measure(text);
        self.word(count as u32);
        self.word(NO_HASH);
        self.word((width as u32) << 2 | COMPACT);
        self.word(0);
        self.word(0);
        for character in text.chars() {
            self.bytes.extend_from_slice(&u32::from(character).to_le_bytes()[..width]);
        }
        self.bytes.extend_from_slice(&[0; 4][..width]);
        place
    }

    /// Adds a date by its days since 1970; its place. `None` if Python has no such date.
    pub(in super::super) fn date(&mut self, days: i32) -> Option<u32> {
        if !calendar::DAYS.contains(&days) {
            return None;
        }
        let (year, month, day) = calendar::date(days);
        let place = self.begin(self.types.date);
        self.word(NO_HASH);
        let [high, low] = year.to_be_bytes();
        self.bytes.extend_from_slice(&[0, high, low, month, day]);
        Some(place)
    }

    /// The block's bytes. Where they will lie does not matter to what is in them.
    pub(in super::super) fn done(self) -> Vec<u8> {
        self.bytes
    }
}

/// Bytes of the widest character, and how many characters there are.
pub(super) fn measure(text: &str) -> (usize, usize) {
    let (mut widest, mut count) = (0, 0);
    for character in text.chars() {
        widest |= u32::from(character);
        count += 1;
    }
    (
        if widest <= 0xff {
            1
        } else if widest <= 0xffff {
            2
        } else {
            4
        },
        count,
    )
}

/// Writes rows' addresses, for a block at `base`: of each row there is its object's place in
/// the block as a 32-bit word, or [`NULL`], which becomes `missing`.
///
/// `target` is as long as `places`.
pub(in super::super) fn addresses(places: &[u8], base: u32, missing: u32, target: &mut [u8]) {
    let (places, _) = places.as_chunks::<4>();
    let (targets, _) = target.as_chunks_mut::<4>();
    for (place, target) in places.iter().zip(targets) {
        let place = u32::from_le_bytes(*place);
        let address = if place == NULL { missing } else { base.wrapping_add(place) };
        *target = address.to_le_bytes();
    }
}
