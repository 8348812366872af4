//! Writing: one line at a time, whoever else writes.

use std::fs::File;
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use cap_std::fs::{Dir, OpenOptions};
use chrono::{DateTime, SubsecRound as _, Utc};

use super::chain::{HEAD, Tied, file_name, files, head, link};
use super::verify::{Head, Verified, verify};
use super::{AuditError, AuditSettings, Event, Line, Sync};

const LOCK: &str = ".lock";
const NEW_HEAD: &str = ".head.new";

/// An audit that can be written to.
#[derive(Debug)]
pub struct Audit {
    dir: Dir,
    folder: PathBuf,
    settings: AuditSettings,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    synced: Option<Instant>,
    /// Calls that could not be written down, where that is allowed.
    lost: u64,
}

impl Audit {
    /// The audit in an open folder, whose path is named in errors.
    #[must_use]
    pub fn new(dir: Dir, folder: PathBuf, settings: AuditSettings) -> Self {
        Self { dir, folder, settings, state: Mutex::default() }
    }

    /// Whether a line could be written now, as far as that can be known without writing one.
    ///
    /// # Errors
    /// It could not, and the audit is required.
    pub fn ready(&self) -> Result<(), AuditError> {
        let looked = self.lock().and_then(|_lock| {
            let number = head(&self.dir)?.map_or(1, |head| head.file);
            self.open(number).map(drop)
        });
        match looked {
            Err(cause) if self.settings.required => Err(self.error("written", cause)),
            _ => Ok(()),
        }
    }

    /// Writes a line, and says which number it has; `None` if it could not be written and
    /// need not be.
    ///
    /// # Errors
    /// It cannot be written, and the audit is required.
    pub fn append(&self, mut event: Event) -> Result<Option<u64>, AuditError> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if let Event::Call(call) = &mut event {
            call.lost = state.lost;
        }
        match self.write(event, &mut state) {
            Ok(seq) => {
                state.lost = 0;
                Ok(Some(seq))
            }
            Err(cause) if self.settings.required => Err(self.error("written", cause)),
            Err(_) => {
                state.lost += 1;
                Ok(None)
            }
        }
    }

    /// Whether all lines are there as they were written. `anchor` is a number and a hash that
    /// were kept elsewhere.
    ///
    /// # Errors
    /// A file cannot be read.
    pub fn verify(&self, anchor: Option<&(u64, String)>) -> Result<Verified, AuditError> {
        self.lock()
            .and_then(|_lock| verify(&self.dir, anchor))
            .map_err(|cause| self.error("read", cause))
    }

    /// All lines that can be read, of a time or later.
    ///
    /// # Errors
    /// A file cannot be read.
    pub fn lines(&self, since: Option<DateTime<Utc>>) -> Result<Vec<Line>, AuditError> {
        let read = || -> io::Result<Vec<Line>> {
            let mut lines = Vec::new();
            for number in files(&self.dir)? {
                let bytes = self.dir.read(file_name(number))?;
                let parsed = bytes.split(|byte| *byte == b'\n').map(serde_json::from_slice::<Line>);
                let wanted = |line: &Line| since.is_none_or(|since| line.time >= since);
                lines.extend(parsed.flatten().filter(wanted));
            }
            Ok(lines)
        };
        read().map_err(|cause| self.error("read", cause))
    }

    fn error(&self, what: &'static str, cause: io::Error) -> AuditError {
        let required = self.settings.required && what == "written";
        AuditError { folder: self.folder.clone(), what, cause, required }
    }

    /// Waits its turn. Where locks are not to be had, two processes may write at once, and
    /// the second finds a line that its head does not know.
    fn lock(&self) -> io::Result<File> {
        let mut options = OpenOptions::new();
        options.read(true).write(true).create(true);
        let file = self.dir.open_with(LOCK, &options)?.into_std();
        let _ = file.lock();
        Ok(file)
    }

    fn open(&self, number: u64) -> io::Result<File> {
        let mut options = OpenOptions::new();
        options.read(true).write(true).create(true);
        #[cfg(unix)]
        cap_std::fs::OpenOptionsExt::mode(&mut options, 0o600);
        Ok(self.dir.open_with(file_name(number), &options)?.into_std())
    }

    fn write(&self, event: Event, state: &mut State) -> io::Result<u64> {
        let _lock = self.lock()?;
        let (mut head, note) = self.settled()?;
        if head.bytes >= self.settings.file_bytes {
            (head.file, head.bytes) = (head.file + 1, 0);
        }
        let mut file = self.open(head.file)?;
        for event in note.into_iter().chain([event]) {
            head = put(&mut file, head, event)?;
        }
        let due = match self.settings.sync {
            Sync::Always => true,
            Sync::Second => state.synced.is_none_or(|at| at.elapsed() >= Duration::from_secs(1)),
            Sync::Never => false,
        };
        if due {
            file.sync_data()?;
            state.synced = Some(Instant::now());
        }
        let bytes = serde_json::to_vec(&head).map_err(io::Error::other)?;
        self.dir.write(NEW_HEAD, bytes)?;
        self.dir.rename(NEW_HEAD, &self.dir, HEAD)?;
        Ok(head.seq)
    }

    /// Where the next line goes, and what has to be said of what was found there.
    fn settled(&self) -> io::Result<(Head, Option<Event>)> {
        let numbers = files(&self.dir)?;
        let Some(last) = numbers.last().copied() else {
            let damaged = |head: Head| damaged(head, 0, "all files are gone");
            return Ok(head(&self.dir)?.map_or((Head::first(), None), damaged));
        };
        let Some(known) = head(&self.dir)? else { return self.without_head(last) };
        if !numbers.contains(&known.file) {
            return Ok(damaged(known, last, "the last file is gone"));
        }
        let mut file = self.open(known.file)?;
        let length = file.metadata()?.len();
        if length < known.bytes {
            return Ok(damaged(
                known,
                last,
                "the last file is shorter than what was written to it",
            ));
        }
        if length == known.bytes && last > known.file {
            // Another file was begun, and its writer died before the head knew.
            return self.taken_in(Head { file: last, bytes: 0, ..known });
        }
        if length == known.bytes {
            return Ok((known, None));
        }
        file.seek(SeekFrom::Start(known.bytes))?;
        drop(file);
        self.taken_in(known)
    }

    /// Takes in whole lines that the head does not know, and half a line out.
    fn taken_in(&self, known: Head) -> io::Result<(Head, Option<Event>)> {
        let mut file = self.open(known.file)?;
        file.seek(SeekFrom::Start(known.bytes))?;
        let mut rest = Vec::new();
        file.read_to_end(&mut rest)?;
        let (mut head, mut lines) = (known, 0);
        while let Some(end) = rest.iter().position(|byte| *byte == b'\n') {
            let line: Vec<u8> = rest.drain(..=end).take(end).collect();
            let tied: Option<Tied> = serde_json::from_slice(&line).ok();
            if !tied.is_some_and(|tied| tied.seq == head.seq + 1 && tied.prev == head.hash) {
                let last = files(&self.dir)?.last().copied().unwrap_or(0);
                return Ok(damaged(head, last, "a line follows that does not belong there"));
            }
            let seq = head.seq + 1;
            head = Head {
                seq,
                hash: link(seq, &line),
                file: head.file,
                bytes: head.bytes + line.len() as u64 + 1,
            };
            lines += 1;
        }
        file.set_len(head.bytes)?;
        let bytes = rest.len() as u64;
        Ok((head, (bytes + lines > 0).then_some(Event::Recovered { bytes, lines })))
    }

    /// The head is gone: the chain goes on after the last line that can be read, and says so.
    fn without_head(&self, last: u64) -> io::Result<(Head, Option<Event>)> {
        let mut head = Head::first();
        for number in files(&self.dir)? {
            let bytes = self.dir.read(file_name(number))?;
            for line in bytes.split_inclusive(|byte| *byte == b'\n') {
                let line = line.strip_suffix(b"\n").unwrap_or(line);
                if let Ok(tied) = serde_json::from_slice::<Tied>(line) {
                    head.seq = tied.seq;
                    head.hash = link(tied.seq, line);
                }
            }
        }
        head.file = last;
        // A crash within the very first line leaves half of it, and no head.
        if head.seq == 0 {
            return self.taken_in(Head { file: last, ..Head::first() });
        }
        Ok(damaged(head, last, "the head is gone"))
    }
}

/// Goes on in another file, so that what was found stays as it is.
fn damaged(head: Head, last: u64, why: &str) -> (Head, Option<Event>) {
    let event = Event::Damaged { why: why.to_owned() };
    (Head { file: head.file.max(last) + 1, bytes: 0, ..head }, Some(event))
}

/// Writes a line at the end of a file, whole or not at all as far as the disk lets.
fn put(file: &mut File, head: Head, event: Event) -> io::Result<Head> {
    let seq = head.seq + 1;
    let line = Line { seq, time: Utc::now().trunc_subsecs(6), event, prev: head.hash };
    let mut bytes = serde_json::to_vec(&line).map_err(io::Error::other)?;
    let hash = link(seq, &bytes);
    bytes.push(b'\n');
    file.seek(SeekFrom::Start(head.bytes))?;
    if let Err(error) = file.write_all(&bytes) {
        // A disk that is full may have taken a part; the next writer would take it out, too.
        let _ = file.set_len(head.bytes);
        return Err(error);
    }
    Ok(Head { seq, hash, file: head.file, bytes: head.bytes + bytes.len() as u64 })
}
