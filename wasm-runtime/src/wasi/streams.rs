//! stdout and stderr: counted, bounded, head and tail kept.

use std::collections::VecDeque;

use crate::outcome::Captured;

/// Bytes kept of the start and of the end, each, where a run asks for no more.
pub(crate) const KEEP: usize = 64 * 1024;

/// One output stream. It keeps its first and its last `keep` bytes.
#[derive(Debug)]
pub(crate) struct Stream {
    head: Vec<u8>,
    tail: VecDeque<u8>,
    total: u64,
    limit: u64,
    keep: usize,
}

/// The stream's limit is passed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Full;

impl Stream {
    pub(crate) fn new(limit: u64, keep: usize) -> Self {
        Self { head: Vec::new(), tail: VecDeque::new(), total: 0, limit, keep }
    }

    /// Takes `bytes` up to the limit.
    pub(crate) fn write(&mut self, bytes: &[u8]) -> Result<(), Full> {
        let room = usize::try_from(self.limit - self.total).unwrap_or(usize::MAX);
        let taken = &bytes[..bytes.len().min(room)];
        self.total += taken.len() as u64;
        let (first, rest) = taken.split_at(taken.len().min(self.keep - self.head.len()));
        self.head.extend_from_slice(first);
        let last = &rest[rest.len().saturating_sub(self.keep)..];
        let over = (self.tail.len() + last.len()).saturating_sub(self.keep);
        self.tail.drain(..over.min(self.tail.len()));
        self.tail.extend(last);
        if taken.len() < bytes.len() { Err(Full) } else { Ok(()) }
    }

    /// What was kept, with a note of what was not.
    pub(crate) fn captured(&self) -> Captured {
        let kept = self.head.len() + self.tail.len();
        let left_out = self.total - kept as u64;
        let tail: Vec<u8> = self.tail.iter().copied().collect();
        let text = if left_out == 0 {
            let whole = [self.head.as_slice(), &tail].concat();
            String::from_utf8_lossy(&whole).into_owned()
        } else {
            let head = String::from_utf8_lossy(&self.head);
            let tail = String::from_utf8_lossy(&tail);
            format!("{head}\n[… {left_out} bytes left out …]\n{tail}")
        };
        Captured { text, total_bytes: self.total, truncated: left_out > 0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_text_is_kept_whole() {
        let mut stream = Stream::new(100, KEEP);
        assert_eq!(stream.write(b"hello "), Ok(()));
        assert_eq!(stream.write("wörld".as_bytes()), Ok(()));
        let captured = stream.captured();
        assert_eq!(captured.text, "hello wörld");
        assert_eq!((captured.total_bytes, captured.truncated), (12, false));
    }

    #[test]
    fn long_text_keeps_head_and_tail() {
        let mut stream = Stream::new(u64::MAX, KEEP);
        let text: Vec<u8> = (0..200_000u32).flat_map(|i| format!("{i}\n").into_bytes()).collect();
        for piece in text.chunks(70_001) {
            assert_eq!(stream.write(piece), Ok(()));
        }
        let captured = stream.captured();
        assert!(captured.text.starts_with("0\n1\n2\n"));
        assert!(captured.text.ends_with("199998\n199999\n"));
        assert!(captured.truncated);
        assert_eq!(captured.total_bytes, text.len() as u64);
        assert!(captured.text.len() < 2 * KEEP + 100);
    }

    #[test]
    fn a_run_may_ask_to_keep_more() {
        let mut stream = Stream::new(u64::MAX, 100_000);
        let text = "x".repeat(200_000);
        assert_eq!(stream.write(text.as_bytes()), Ok(()));
        assert!(!stream.captured().truncated);
        assert_eq!(stream.write(b"y"), Ok(()));
        assert!(stream.captured().truncated);
    }

    #[test]
    fn the_limit_bites_at_its_byte_and_not_before() {
        let mut stream = Stream::new(5, KEEP);
        assert_eq!(stream.write(b"12345"), Ok(()));
        assert_eq!(stream.write(b""), Ok(()));
        assert_eq!(stream.write(b"6"), Err(Full));
        assert_eq!(stream.captured().text, "12345");
    }
}
