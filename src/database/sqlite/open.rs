//! A connection that can only read.
//!
//! The file is the one that the configuration names, by its whole path: SQLite takes names
//! such as `file:x?mode=rwc` and `:memory:` for something else, and a path that begins with
//! the root is none of these. It is opened read-only and is never made. A connection is for
//! one use: opening costs less than the doubt what the last use left behind.

use std::path::Path;
use std::time::{Duration, Instant};

use rusqlite::config::DbConfig;
use rusqlite::limits::Limit;
use rusqlite::{Connection, OpenFlags};

use super::error;
use crate::database::{Cause, DatabaseError};

/// The largest text or blob that is read, in bytes; a larger one is an error.
pub(super) const LARGEST_CELL: i32 = 64 << 20;
/// How long another program's writing is waited for.
const WRITER: Duration = Duration::from_secs(2);
/// Steps of SQLite's machine between two looks at the clock.
const STEPS: i32 = 2000;

/// When work is to end.
pub(super) struct Until {
    /// At this time.
    pub(super) deadline: Instant,
    /// When nobody waits for it any more.
    pub(super) is_left: Box<dyn Fn() -> bool + Send>,
}

impl Until {
    /// Whether that is now.
    pub(super) fn is_over(&self) -> bool {
        (self.is_left)() || Instant::now() >= self.deadline
    }
}

/// Opens the file and begins to read: what is read from now on is of one moment.
pub(super) fn open(file: &Path, until: Until) -> Result<Connection, DatabaseError> {
    let unreadable = |what: String| DatabaseError {
        about: Some(format!("the file {} {what}", file.display())),
        next: Some("check `file` of this source".to_owned()),
        ..DatabaseError::of(Cause::Configuration)
    };
    let path =
        file.canonicalize().map_err(|error| unreadable(format!("cannot be read ({error})")))?;
    if !path.is_file() {
        return Err(unreadable("is no file".to_owned()));
    }
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let mut connection =
        Connection::open_with_flags(&path, flags).map_err(|error| error::of(&error))?;
    set(&mut connection, until).map_err(|error| error::of(&error))?;
    Ok(connection)
}

fn set(connection: &mut Connection, until: Until) -> rusqlite::Result<()> {
    connection.busy_timeout(WRITER)?;
    connection.progress_handler(STEPS, Some(move || until.is_over()))?;
    for (config, on) in [
        (DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true),
        (DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA, false),
        (DbConfig::SQLITE_DBCONFIG_WRITABLE_SCHEMA, false),
        (DbConfig::SQLITE_DBCONFIG_ENABLE_TRIGGER, false),
        (DbConfig::SQLITE_DBCONFIG_ENABLE_FTS3_TOKENIZER, false),
        // A name that is not there is an error, and not the text of the name.
        (DbConfig::SQLITE_DBCONFIG_DQS_DML, false),
    ] {
        connection.set_db_config(config, on)?;
    }
    for (limit, most) in [
        (Limit::SQLITE_LIMIT_LENGTH, LARGEST_CELL),
        (Limit::SQLITE_LIMIT_SQL_LENGTH, 1 << 20),
        (Limit::SQLITE_LIMIT_EXPR_DEPTH, 200),
        (Limit::SQLITE_LIMIT_COMPOUND_SELECT, 100),
        (Limit::SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 1000),
        (Limit::SQLITE_LIMIT_ATTACHED, 0),
        (Limit::SQLITE_LIMIT_WORKER_THREADS, 0),
    ] {
        connection.set_limit(limit, most)?;
    }
    connection.execute_batch(
        "PRAGMA query_only = ON; PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON; \
         PRAGMA mmap_size = 0; BEGIN",
    )
}
