use std::sync::Arc;
use std::time::Duration;

use arrow::array::{ArrayRef, StringViewArray};

use super::*;
use crate::guest::Stop;
use crate::run::Cancel;

const TYPES: Types =
    Types { text: 0x18_ec770, date: 0x19_2a0f0, float: 0x18_e406c, forever: 0x5000_0000 };

fn looking(memory: &[u8]) -> Looking<'_> {
    Looking { memory, types: TYPES, missing: &[40] }
}

/// Words that CPython 3.15 has in its memory for these objects, but for the counts.
#[test]
fn objects_are_as_the_interpreter_lays_them_out() {
    let words = |text: &str| {
        let mut block = Block::new(Block::size(text), TYPES).unwrap();
        assert_eq!(block.text(text), 0);
        let mut bytes = block.done();
        bytes.resize(bytes.len().next_multiple_of(4), 0);
        bytes.as_chunks::<4>().0.iter().map(|w| u32::from_le_bytes(*w)).collect::<Vec<_>>()
    };
    let head = |length: u32, state: u32| vec![0x5000_0000, 0x18_ec770, length, 0xffff_ffff, state];
    let with = |mut head: Vec<u32>, rest: &[u32]| {
        head.extend(rest);
        head
    };
    assert_eq!(words("abcdefg"), with(head(7, 0x64), &[0x6463_6261, 0x67_6665]));
    assert_eq!(words("éab"), with(head(3, 0x24), &[0, 0, 0x62_61e9]));
    assert_eq!(words("жab"), with(head(3, 0x28), &[0, 0, 0x61_0436, 0x62]));
    assert_eq!(words("\u{1f600}a"), with(head(2, 0x30), &[0, 0, 0x1_f600, 0x61, 0]));
    assert_eq!(Block::new(64, TYPES).unwrap().date(i32::MAX), None);
    let date = [0x5000_0000u32, 0x19_2a0f0, 0xffff_ffff, 0x3e4_0700];
    let bytes: Vec<u8> = date.iter().flat_map(|word| word.to_le_bytes()).chain([4]).collect();
    // The fourth of March 2020.
    let mut block = Block::new(64, TYPES).unwrap();
    assert_eq!(block.date(18_325), Some(0));
    assert_eq!(block.done(), bytes);
}

#[test]
fn texts_laid_out_in_place_are_as_in_a_block() {
    let texts = [Some("plain"), None, Some(""), Some("Zürich"), Some("Москва"), Some("\u{1f986}")];
    let mut block = Block::new(1 << 10, TYPES).unwrap();
    let wanted: Vec<u32> =
        texts.iter().map(|text| text.map_or(40, |text| 64 + block.text(text))).collect();
    let size = |texts: &[Option<&str>]| {
        texts.iter().flatten().map(|text| Block::size(text) as usize).sum::<usize>()
    };
    let batches = texts.chunks(4).map(|some| {
        let array: ArrayRef = Arc::new(StringViewArray::from(some.to_vec()));
        (array, size(some))
    });
    let laid = Laid::new(batches.collect(), TYPES);
    let [bytes, rows] = laid.lengths();
    assert_eq!((bytes, rows), (size(&texts), texts.len() * 4));
    let (mut memory, mut rows) = (vec![0xff; bytes], vec![0xff; rows]);
    let stop = Stop::new(Cancel::new(), Duration::from_secs(9));
    laid.write((&mut memory, 64), &mut rows, 40, &stop).unwrap();
    let mut block = block.done();
    block.resize(bytes, 0);
    assert_eq!(memory, block);
    let found = rows.as_chunks::<4>().0.iter().map(|row| u32::from_le_bytes(*row));
    assert_eq!(found.collect::<Vec<_>>(), wanted);
    // Less room than said, and a run that is over.
    assert!(laid.write((&mut memory[1..], 64), &mut rows, 40, &stop).is_none());
    let over = Stop::new(Cancel::new(), Duration::ZERO);
    assert!(laid.write((&mut memory, 64), &mut rows, 40, &over).is_none());
}

#[test]
fn what_is_made_is_read_as_it_was() {
    let texts = ["", "a", "plain", "a\0b", "Zürich", "ÿ", "Москва", "東京", "\u{1f986} duck", "x"];
    let size = texts.iter().map(|text| Block::size(text)).sum();
    let mut block = Block::new(size, TYPES).unwrap();
    let places: Vec<u32> = texts.iter().map(|text| block.text(text)).collect();
    let rows: Vec<u8> =
        places.iter().chain([&NULL]).flat_map(|place| place.to_le_bytes()).collect();
    let block = block.done();
    assert!(block.len() as u64 <= size);
    let base = 64;
    let mut memory = vec![0; base as usize];
    memory.extend(&block);
    let mut addressed = vec![0; rows.len()];
    addresses(&rows, base, 40, &mut addressed);
    let looking = looking(&memory);
    let mut read = Vec::new();
    for address in addressed.as_chunks::<4>().0 {
        let mut text = Vec::new();
        match looking.text(u32::from_le_bytes(*address), &mut text) {
            Found::Value(()) => read.push(Some(String::from_utf8(text).unwrap())),
            found => {
                assert_eq!(found, Found::Missing);
                read.push(None);
            }
        }
    }
    let wanted: Vec<_> = texts.iter().map(|text| Some((*text).to_owned())).chain([None]).collect();
    assert_eq!(read, wanted);
}

/// Whatever stands in memory, it is read within its bounds, or not at all.
#[test]
fn forged_objects_are_not_read_beyond_memory() {
    let forged = |length: u32, state: u32| {
        let words = [1, TYPES.text, length, 0, state, 0xd800_d800, 0x8080_8080, 0x0011_0000];
        words.iter().flat_map(|word| word.to_le_bytes()).collect::<Vec<u8>>()
    };
    let read = |memory: &[u8], address: u32| looking(memory).text(address, &mut Vec::new());
    for state in 0..256 {
        for length in [13, u32::MAX, u32::MAX / 2, 1 << 30] {
            assert_eq!(read(&forged(length, state), 0), Found::Other, "{length} {state:x}");
        }
    }
    // Bytes that are no ASCII, a lone surrogate, a number that is no character.
    assert_eq!(read(&forged(4, 0x64), 0), Found::Other);
    assert_eq!(read(&forged(1, 0x30), 0), Found::Other);
    let mut surrogate = forged(1, 0x28);
    surrogate[28..30].copy_from_slice(&[0, 0xd8]);
    assert_eq!(read(&surrogate, 0), Found::Other);
    for address in [1, 31, 32, u32::MAX, u32::MAX - 4] {
        assert_eq!(read(&forged(1, 0x64), address), Found::Other);
        assert_eq!(looking(&forged(1, 0x64)).date(address), Found::Other);
    }
    let number = |number: f64| {
        let mut memory =
            [1u32, TYPES.float].iter().flat_map(|w| w.to_le_bytes()).collect::<Vec<u8>>();
        memory.extend(number.to_le_bytes());
        // Address 0 is a null pointer.
        memory.splice(0..0, [0; 8]);
        read(&memory, 8)
    };
    assert_eq!((number(f64::NAN), number(1.5)), (Found::Missing, Found::Other));
    assert_eq!(read(&[0; 8], 0), Found::Missing);
}
