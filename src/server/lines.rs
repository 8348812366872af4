//! What comes on stdin, line by line: where it ends, and which lines are too long.
//!
//! rmcp drops a line over its limit without a word, and its sender would wait for an
//! answer for ever. So each line is counted on its way. Of one that is over the limit
//! no more is passed on; a small request takes its place, with the id that the line
//! began with, and is answered with an error ([`too_long`]). A line whose id is not
//! among its first bytes cannot be answered by its id: then what takes its place is no
//! request, which rmcp answers with an error whose id is null.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};

use rmcp::ErrorData;
use serde_json::{Value, json};
use tokio::io::{AsyncRead, ReadBuf};
use tokio::sync::watch;

/// Bytes of one message; less than what rmcp drops, so that it sees the replacement.
pub(super) const LONGEST: usize = 12 << 20;
/// Bytes of a line in which its id is looked for.
const HEAD: usize = 1024;
/// The method of what takes the place of a line that is too long.
const METHOD: &str = "dataroom/too_long";

/// The answer to a custom request, if that stands for a line that was too long.
pub(super) fn too_long(method: &str) -> Option<ErrorData> {
    let message = format!(
        "the message is longer than {LONGEST} bytes and was not read: put data into a file of a \
         data folder, and pass its name in `inputs`"
    );
    (method == METHOD).then(|| ErrorData::invalid_request(message, None))
}

/// A reader that tells when its end was read, and replaces lines that are too long.
pub(super) struct Lines<R> {
    reader: R,
    ended: watch::Sender<bool>,
    longest: usize,
    /// Where bytes are read to before they are looked at.
    chunk: Vec<u8>,
    /// What is to be passed on, and how much of it was.
    ready: Vec<u8>,
    passed: usize,
    /// Bytes of the line so far, and the first of them.
    length: usize,
    head: Vec<u8>,
    /// Whether the rest of the line is too much.
    dropping: bool,
}

impl<R> Lines<R> {
    pub(super) fn new(reader: R, ended: watch::Sender<bool>) -> Self {
        Self::with_longest(reader, ended, LONGEST)
    }

    fn with_longest(reader: R, ended: watch::Sender<bool>, longest: usize) -> Self {
        Self {
            reader,
            ended,
            longest,
            chunk: vec![0; 64 * 1024],
            ready: Vec::new(),
            passed: 0,
            length: 0,
            head: Vec::with_capacity(HEAD),
            dropping: false,
        }
    }

    /// Takes the first `read` bytes of the chunk.
    fn take(&mut self, read: usize) {
        self.ready.clear();
        self.passed = 0;
        for part in self.chunk[..read].split_inclusive(|byte| *byte == b'\n') {
            let ends = part.ends_with(b"\n");
            self.length += part.len();
            let more = HEAD.saturating_sub(self.head.len()).min(part.len());
            self.head.extend_from_slice(&part[..more]);
            if !self.dropping && self.length > self.longest {
                self.dropping = true;
                // What was passed on of it ends here, and is no JSON.
                self.ready.push(b'\n');
            }
            if !self.dropping {
                self.ready.extend_from_slice(part);
            } else if ends {
                self.dropping = false;
                self.ready.extend_from_slice(standing_for(&self.head).to_string().as_bytes());
                self.ready.push(b'\n');
            }
            if ends {
                self.length = 0;
                self.head.clear();
            }
        }
    }
}

/// What takes the place of a line that begins like this.
fn standing_for(head: &[u8]) -> Value {
    match id_in(&String::from_utf8_lossy(head)) {
        Some(id) => json!({"jsonrpc": "2.0", "id": id, "method": METHOD}),
        None => json!({"jsonrpc": "2.0", "too_long": LONGEST}),
    }
}

/// The id of a request that begins like this, if it comes before anything nested.
fn id_in(head: &str) -> Option<Value> {
    let inner = head.trim_start().strip_prefix('{')?;
    let flat = &inner[..inner.find(['{', '[']).unwrap_or(inner.len())];
    let value = flat.split_once("\"id\"")?.1.trim_start().strip_prefix(':')?;
    let mut values = serde_json::Deserializer::from_str(value).into_iter::<Value>();
    let id = values.next()?.ok()?;
    // A number at the very end may go on.
    let whole = values.byte_offset() < value.len();
    (whole && (id.is_string() || id.is_i64() || id.is_u64())).then_some(id)
}

impl<R: AsyncRead + Unpin> AsyncRead for Lines<R> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let this = &mut *self;
        while this.passed == this.ready.len() && buffer.remaining() > 0 {
            let mut chunk = ReadBuf::new(&mut this.chunk);
            let read = Pin::new(&mut this.reader).poll_read(context, &mut chunk);
            let length = chunk.filled().len();
            match read {
                Poll::Pending => return Poll::Pending,
                Poll::Ready(read) if read.is_err() || length == 0 => {
                    this.ended.send_replace(true);
                    return Poll::Ready(read);
                }
                Poll::Ready(_) => this.take(length),
            }
        }
        let rest = &this.ready[this.passed..];
        let length = rest.len().min(buffer.remaining());
        buffer.put_slice(&rest[..length]);
        this.passed += length;
        Poll::Ready(Ok(()))
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::AsyncReadExt as _;

    use super::*;

    async fn passed_on(text: &str, longest: usize) -> String {
        let (ended, mut seen) = watch::channel(false);
        let mut lines = Lines::with_longest(text.as_bytes(), ended, longest);
        let mut all = String::new();
        lines.read_to_string(&mut all).await.unwrap();
        assert!(*seen.borrow_and_update());
        all
    }

    #[tokio::test]
    async fn a_line_that_is_too_long_is_answered_by_its_id() {
        let long = "x".repeat(200_000);
        let near = format!("{{\"id\":1,\"a\":\"{}\"}}\n", "x".repeat(1000 - 16));
        assert_eq!(near.len(), 1000);
        assert_eq!(passed_on(&near, 1000).await, near);
        for (head, stands) in [
            (
                "{\"jsonrpc\":\"2.0\",\"id\":7,",
                json!({"jsonrpc": "2.0", "id": 7, "method": METHOD}),
            ),
            ("{ \"id\" : \"a\\\"b\" ,", json!({"jsonrpc": "2.0", "id": "a\"b", "method": METHOD})),
            ("{\"params\":{\"id\":7},", json!({"jsonrpc": "2.0", "too_long": LONGEST})),
        ] {
            let text = format!("{near}{head}\"p\":\"{long}\"}}\n{near}");
            let all = passed_on(&text, 1000).await;
            let lines: Vec<&str> = all.lines().collect();
            assert_eq!([lines[0], lines[lines.len() - 1]], [near.trim_end(); 2]);
            assert_eq!(lines[lines.len() - 2], stands.to_string());
            assert!(all.len() < 4_000, "{}", all.len());
        }
    }
}
