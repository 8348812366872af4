//! Page headers of a Parquet file, read for themselves.
//!
//! `parquet` reads a header and the page behind it in one step. To know what a page
//! will take before it is unpacked, the header alone is read here: Thrift's compact
//! encoding, of which only a few numbers are wanted and all else is skipped.

use std::io::{self, ErrorKind, Read};

/// Structs within structs; page headers have three.
const DEEPEST: usize = 16;

/// What a page is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum Kind {
    Data,
    Dictionary,
    /// Neither; the decoder refuses or skips it.
    #[default]
    Other,
}

/// One page's header.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Header {
    pub(super) kind: Kind,
    /// Bytes of the page once unpacked.
    pub(super) unpacked: u64,
    /// Bytes of the page in the file.
    pub(super) packed: u64,
    /// Values with nulls, and for a dictionary its entries.
    pub(super) values: u64,
    /// The number of the values' encoding.
    pub(super) encoding: i64,
}

/// Counts what is read.
pub(super) struct Counted<R> {
    pub(super) inner: R,
    pub(super) read: u64,
}

impl<R: Read> Counted<R> {
    fn byte(&mut self) -> io::Result<u8> {
        let mut byte = [0];
        self.inner.read_exact(&mut byte)?;
        self.read += 1;
        Ok(byte[0])
    }

    fn varint(&mut self) -> io::Result<u64> {
        let mut value = 0u64;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            value |= u64::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                return Ok(value);
            }
        }
        Err(damaged())
    }

    fn integer(&mut self) -> io::Result<i64> {
        let value = self.varint()?;
        Ok((value >> 1).cast_signed() ^ -(value & 1).cast_signed())
    }

    fn skip_bytes(&mut self, count: u64) -> io::Result<()> {
        let skipped = io::copy(&mut self.inner.by_ref().take(count), &mut io::sink())?;
        self.read += skipped;
        if skipped == count { Ok(()) } else { Err(ErrorKind::UnexpectedEof.into()) }
    }

    /// Walks a struct; `field` is told each field's number and type, and says whether
    /// it has read the value.
    fn fields(
        &mut self,
        depth: usize,
        mut field: impl FnMut(&mut Self, i64, u8) -> io::Result<bool>,
    ) -> io::Result<()> {
        if depth > DEEPEST {
            return Err(damaged());
        }
        let mut number = 0i64;
        loop {
            let head = self.byte()?;
            let (delta, kind) = (head >> 4, head & 0x0f);
            if kind == 0 {
                return Ok(());
            }
            number = match delta {
                0 => self.integer()?,
                delta => number.saturating_add(i64::from(delta)),
            };
            if !field(self, number, kind)? {
                self.skip(kind, false, depth)?;
            }
        }
    }

    /// Skips a value; a boolean has a byte of its own only within a collection.
    fn skip(&mut self, kind: u8, collected: bool, depth: usize) -> io::Result<()> {
        match kind {
            1 | 2 if !collected => Ok(()),
            1..=3 => self.skip_bytes(1),
            4..=6 => self.varint().map(drop),
            7 => self.skip_bytes(8),
            8 => {
                let length = self.varint()?;
                self.skip_bytes(length)
            }
            9 | 10 => {
                let head = self.byte()?;
                let count = if head >> 4 == 15 { self.varint()? } else { u64::from(head >> 4) };
                self.skip_all(count, &[head & 0x0f], depth)
            }
            11 => match self.varint()? {
                0 => Ok(()),
                count => {
                    let kinds = self.byte()?;
                    self.skip_all(count, &[kinds >> 4, kinds & 0x0f], depth)
                }
            },
            12 => self.fields(depth + 1, |_, _, _| Ok(false)),
            _ => Err(damaged()),
        }
    }

    fn skip_all(&mut self, count: u64, kinds: &[u8], depth: usize) -> io::Result<()> {
        if depth > DEEPEST {
            return Err(damaged());
        }
        for _ in 0..count {
            for kind in kinds {
                self.skip(*kind, true, depth + 1)?;
            }
        }
        Ok(())
    }
}

fn damaged() -> io::Error {
    io::Error::new(ErrorKind::InvalidData, "a page's header is damaged")
}

fn size(value: i64) -> io::Result<u64> {
    u64::try_from(value).map_err(|_| damaged())
}

/// Reads one header. Of a number that is given twice the larger one counts.
pub(super) fn read<R: Read>(source: &mut Counted<R>) -> io::Result<Header> {
    let mut header = Header::default();
    source.fields(0, |source, number, kind| {
        match (number, kind) {
            (1, 4..=6) => {
                header.kind = match source.integer()? {
                    0 | 3 => Kind::Data,
                    2 => Kind::Dictionary,
                    _ => Kind::Other,
                };
            }
            (2, 4..=6) => header.unpacked = header.unpacked.max(size(source.integer()?)?),
            (3, 4..=6) => header.packed = size(source.integer()?)?,
            (5 | 7 | 8, 12) => {
                let encoding_at = if number == 8 { 4 } else { 2 };
                source.fields(1, |source, inner, kind| {
                    match (inner, kind) {
                        (1, 4..=6) => header.values = header.values.max(size(source.integer()?)?),
                        (at, 4..=6) if at == encoding_at => header.encoding = source.integer()?,
                        _ => return Ok(false),
                    }
                    Ok(true)
                })?;
            }
            _ => return Ok(false),
        }
        Ok(true)
    })?;
    Ok(header)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(bytes: &[u8]) -> io::Result<(Header, u64)> {
        let mut source = Counted { inner: bytes, read: 0 };
        let header = read(&mut source)?;
        Ok((header, source.read))
    }

    /// As parquet-format's `parquet.thrift` and Thrift's compact protocol have it:
    /// type 0, 1000 bytes unpacked, 40 packed, 7 values PLAIN, levels RLE, statistics.
    const DATA: &[u8] = &[
        0x15, 0x00, 0x15, 0xd0, 0x0f, 0x15, 0x50, 0x2c, 0x15, 0x0e, 0x15, 0x00, 0x15, 0x06, 0x15,
        0x06, 0x1c, 0x18, 0x02, b'a', b'b', 0x00, 0x00, 0x00,
    ];

    #[test]
    fn a_header_says_what_its_page_will_take() {
        let wanted =
            Header { kind: Kind::Data, unpacked: 1000, packed: 40, values: 7, encoding: 0 };
        assert_eq!(parse(DATA).unwrap(), (wanted, DATA.len() as u64));
    }

    #[test]
    fn damaged_headers_end() {
        for length in 0..DATA.len() {
            assert!(parse(&DATA[..length]).is_err(), "{length}");
        }
        assert!(parse(&[0x1c; 100]).is_err());
        assert!(parse(&[0x19; 100]).is_err());
        assert!(parse(&[0x15, 0x00, 0x15, 0x01, 0x00]).is_err(), "a negative size");
    }
}
