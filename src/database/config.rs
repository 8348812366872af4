//! `[[source]]` of `dataroom.toml`: where a database is, and what of it may be read.
//!
//! A section holds no secret: the address of a server, with its password, is in a variable
//! of the environment or in a file of its own, and is read when a connection is made. What
//! may be read is named: schemas, or single tables. A server whose host is not this machine
//! is spoken to by TLS, with its certificate verified, unless the section says otherwise.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::{Allowed, Budget, Cause, DatabaseError, Secret, SourceName, TableName};

/// Characters of a source's name.
const NAME: usize = 40;
/// Connections that a source may have at once.
const MOST_CONNECTIONS: u32 = 64;
/// The longest that a statement may be let run: a day.
const LONGEST_MS: u64 = 24 * 3_600_000;

/// One `[[source]]`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Written", into = "Written")]
pub struct SourceSection {
    /// What its tables' names begin with.
    pub name: SourceName,
    /// Where it is.
    pub place: Place,
    /// What of it may be read.
    pub allowed: Allowed,
    /// What it may be asked for.
    pub limits: SourceLimits,
    /// Whether only declared tools read it: it has no tables for queries and scripts.
    pub only_tools: bool,
}

/// Where a database is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Place {
    /// A PostgreSQL server.
    Postgres(ServerPlace),
    /// A MySQL or MariaDB server.
    Mysql(ServerPlace),
    /// A file of SQLite's.
    Sqlite(PathBuf),
}

impl Place {
    /// The kind of database.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Self::Postgres(_) => "postgres",
            Self::Mysql(_) => "mysql",
            Self::Sqlite(_) => "sqlite",
        }
    }
}

/// How a server is reached.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServerPlace {
    /// Its address, with the role and its password.
    pub url: UrlFrom,
    /// Whether by TLS; by its host, if `None`.
    pub tls: Option<Tls>,
    /// Certificates (PEM) that are trusted, instead of the public ones.
    pub tls_roots: Option<PathBuf>,
}

/// Where an address is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum UrlFrom {
    /// In this variable of the environment.
    Variable(String),
    /// In this file.
    File(PathBuf),
}

/// How a connection is secured.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Tls {
    /// Encrypted, and the server proves that it is the one that is meant.
    Verify,
    /// Encrypted; whoever answers is believed.
    Require,
    /// In clear.
    Off,
}

impl ServerPlace {
    /// How a connection to this host is secured. A path is a socket's.
    #[must_use]
    pub fn tls_to(&self, host: &str) -> Tls {
        let is_here = host.is_empty()
            || host.starts_with('/')
            || host.eq_ignore_ascii_case("localhost")
            || host
                .trim_matches(['[', ']'])
                .parse()
                .is_ok_and(|ip: std::net::IpAddr| ip.is_loopback());
        self.tls.unwrap_or(if is_here { Tls::Off } else { Tls::Verify })
    }
}

impl UrlFrom {
    /// Reads the address.
    ///
    /// # Errors
    /// The variable is not set, or the file cannot be read or is empty.
    pub fn read(&self) -> Result<Secret, DatabaseError> {
        let lacks = |about: String| DatabaseError {
            about: Some(about),
            next: Some("set it to the address of the database and start again".to_owned()),
            ..DatabaseError::of(Cause::Configuration)
        };
        let text = match self {
            Self::Variable(name) => std::env::var(name).map_err(|_| {
                lacks(format!("the variable {name} of `url_env` is not set in the environment"))
            })?,
            Self::File(file) => {
                #[allow(
                    clippy::disallowed_methods,
                    reason = "the person's configuration names this file"
                )]
                let text = std::fs::read_to_string(file);
                text.map_err(|error| {
                    lacks(format!(
                        "the file {} of `url_file` cannot be read ({error})",
                        file.display()
                    ))
                })?
            }
        };
        match text.trim() {
            "" => Err(lacks("the address is empty".to_owned())),
            text => Ok(Secret::new(text.to_owned())),
        }
    }
}

/// What a source may be asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SourceLimits {
    /// Connections at once.
    pub connections: u32,
    /// How long one statement may take.
    pub statement: Duration,
    /// Rows that one reading of a table may bring.
    pub rows: u64,
    /// Bytes that one reading of a table may bring.
    pub bytes: u64,
}

impl Default for SourceLimits {
    fn default() -> Self {
        Self {
            connections: 4,
            statement: Duration::from_secs(60),
            rows: 50_000_000,
            bytes: 4 << 30,
        }
    }
}

impl SourceLimits {
    /// What one reading of a table may use.
    #[must_use]
    pub fn budget(&self) -> Budget {
        Budget { time: self.statement, rows: self.rows, bytes: self.bytes, cuts: false }
    }
}

/// A section as it is written.
#[derive(Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    name: String,
    kind: Kind,
    #[serde(skip_serializing_if = "Option::is_none")]
    url_env: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    url_file: Option<PathBuf>,
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<PathBuf>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    schemas: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    tables: Vec<String>,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    only_tools: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    tls: Option<Tls>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tls_roots: Option<PathBuf>,
    #[serde(skip_serializing_if = "Option::is_none")]
    connections: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    statement_ms: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    scan_rows: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    scan_bytes: Option<u64>,
}

#[derive(Clone, Copy, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Kind {
    Postgres,
    Mysql,
    Sqlite,
}

impl TryFrom<Written> for SourceSection {
    type Error = String;

    fn try_from(written: Written) -> Result<Self, String> {
        let name = name(&written.name)?;
        let of = |cause: &str| format!("source {name}: {cause}");
        let place = place(&written).map_err(|cause| of(&cause))?;
        let allowed = allowed(&written, &place).map_err(|cause| of(&cause))?;
        let limits = limits(&written).map_err(|cause| of(&cause))?;
        let only_tools = written.only_tools;
        Ok(Self { place, allowed, limits, only_tools, name: SourceName(written.name) })
    }
}

/// A name that can stand before a point in a query, and is not taken for a reference.
fn name(name: &str) -> Result<&str, String> {
    let mut characters = name.chars();
    let fits = characters.next().is_some_and(|c| c.is_ascii_lowercase())
        && characters.all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_')
        && name.len() <= NAME
        && !name.starts_with("data_");
    match fits {
        true => Ok(name),
        false => Err(format!(
            "source {name:?}: a name is at most {NAME} small letters, digits and `_`, begins with a \
             letter and not with `data_`"
        )),
    }
}

fn place(written: &Written) -> Result<Place, String> {
    let url = match (&written.url_env, &written.url_file) {
        (Some(_), Some(_)) => return Err("give `url_env` or `url_file`, not both".to_owned()),
        (Some(name), None) if name.contains("://") => {
            return Err("`url_env` is the name of a variable of the environment that holds the \
                        address; the address itself does not belong into this file"
                .to_owned());
        }
        (Some(name), None) => Some(UrlFrom::Variable(name.clone())),
        (None, Some(file)) => Some(UrlFrom::File(file.clone())),
        (None, None) => None,
    };
    let is_file = matches!(written.kind, Kind::Sqlite);
    if is_file {
        if url.is_some() || written.tls.is_some() || written.tls_roots.is_some() {
            return Err("sqlite has a `file`, and no address or TLS".to_owned());
        }
        let file = written.file.clone().ok_or("sqlite needs `file = \"…\"`")?;
        return Ok(Place::Sqlite(file));
    }
    if written.file.is_some() {
        return Err("`file` is for sqlite; a server has `url_env` or `url_file`".to_owned());
    }
    if written.tls == Some(Tls::Off) && written.tls_roots.is_some() {
        return Err("`tls_roots` is of no use with tls = \"off\"".to_owned());
    }
    let url = url.ok_or("a server needs `url_env = \"VARIABLE\"` or `url_file = \"…\"`")?;
    let server = ServerPlace { url, tls: written.tls, tls_roots: written.tls_roots.clone() };
    match written.kind {
        Kind::Postgres => Ok(Place::Postgres(server)),
        Kind::Mysql | Kind::Sqlite => Ok(Place::Mysql(server)),
    }
}

fn allowed(written: &Written, place: &Place) -> Result<Allowed, String> {
    let is_file = matches!(place, Place::Sqlite(_));
    let table = |text: &String| match text.split_once('.') {
        Some((schema, table)) if !schema.is_empty() && !table.is_empty() => {
            Ok(TableName { schema: schema.to_owned(), table: table.to_owned() })
        }
        None if is_file && !text.is_empty() => {
            Ok(TableName { schema: "main".to_owned(), table: text.clone() })
        }
        _ => Err(format!("tables: {text:?} is not `schema.table`")),
    };
    let tables = written.tables.iter().map(table).collect::<Result<BTreeSet<_>, _>>()?;
    let mut schemas: BTreeSet<String> = written.schemas.iter().cloned().collect();
    if schemas.contains("") {
        return Err("schemas: a name is empty".to_owned());
    }
    if let Some(system) = schemas.iter().find(|schema| is_system(schema)) {
        return Err(format!("schemas: {system} is the server's own and is not read"));
    }
    if schemas.is_empty() && tables.is_empty() {
        if !is_file {
            return Err(
                "say what may be read: `schemas = [\"…\"]` or `tables = [\"schema.table\"]`"
                    .to_owned(),
            );
        }
        schemas.insert("main".to_owned());
    }
    if let Some(table) = tables.iter().find(|table| is_system(&table.schema)) {
        return Err(format!("tables: {table} is the server's own and is not read"));
    }
    Ok(Allowed { schemas: schemas.into_iter().collect(), tables: tables.into_iter().collect() })
}

/// Schemas in which servers keep what they know: roles, statistics, settings.
fn is_system(schema: &str) -> bool {
    let schema = schema.to_ascii_lowercase();
    schema.starts_with("pg_")
        || ["information_schema", "mysql", "performance_schema", "sys"].contains(&schema.as_str())
}

fn limits(written: &Written) -> Result<SourceLimits, String> {
    let mut limits = SourceLimits::default();
    if let Some(connections) = written.connections {
        if !(1..=MOST_CONNECTIONS).contains(&connections) {
            return Err(format!("connections = {connections}: 1 to {MOST_CONNECTIONS} can be set"));
        }
        limits.connections = connections;
    }
    if let Some(ms) = written.statement_ms {
        if !(1..=LONGEST_MS).contains(&ms) {
            return Err(format!("statement_ms = {ms}: 1 to {LONGEST_MS} can be set"));
        }
        limits.statement = Duration::from_millis(ms);
    }
    for (key, set, limit) in [
        ("scan_rows", written.scan_rows, &mut limits.rows),
        ("scan_bytes", written.scan_bytes, &mut limits.bytes),
    ] {
        match set {
            Some(0) => return Err(format!("{key} = 0: no table with a row could be read")),
            Some(number) => *limit = number,
            None => {}
        }
    }
    Ok(limits)
}

impl From<SourceSection> for Written {
    fn from(section: SourceSection) -> Self {
        let SourceSection { name, place, allowed, limits, only_tools } = section;
        let (kind, server, file) = match place {
            Place::Postgres(server) => (Kind::Postgres, Some(server), None),
            Place::Mysql(server) => (Kind::Mysql, Some(server), None),
            Place::Sqlite(file) => (Kind::Sqlite, None, Some(file)),
        };
        let (url_env, url_file) = match server.as_ref().map(|server| server.url.clone()) {
            Some(UrlFrom::Variable(name)) => (Some(name), None),
            Some(UrlFrom::File(file)) => (None, Some(file)),
            None => (None, None),
        };
        Self {
            name: name.0,
            kind,
            url_env,
            url_file,
            file,
            schemas: allowed.schemas,
            tables: allowed.tables.iter().map(ToString::to_string).collect(),
            only_tools,
            tls: server.as_ref().and_then(|server| server.tls),
            tls_roots: server.and_then(|server| server.tls_roots),
            connections: Some(limits.connections),
            statement_ms: u64::try_from(limits.statement.as_millis()).ok(),
            scan_rows: Some(limits.rows),
            scan_bytes: Some(limits.bytes),
        }
    }
}

impl SourceSection {
    /// Takes its paths relative to the folder of the configuration.
    pub(crate) fn relative_to(&mut self, base: &Path) {
        let path = match &mut self.place {
            Place::Sqlite(file) => Some(file),
            Place::Postgres(server) | Place::Mysql(server) => {
                if let Some(roots) = &mut server.tls_roots {
                    *roots = base.join(&*roots);
                }
                match &mut server.url {
                    UrlFrom::File(file) => Some(file),
                    UrlFrom::Variable(_) => None,
                }
            }
        };
        if let Some(path) = path {
            *path = base.join(&*path);
        }
    }
}

/// All sections, each with a name of its own.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Vec<SourceSection>", into = "Vec<SourceSection>")]
pub struct Sources(Vec<SourceSection>);

impl TryFrom<Vec<SourceSection>> for Sources {
    type Error = String;

    fn try_from(sections: Vec<SourceSection>) -> Result<Self, String> {
        let mut names = BTreeSet::new();
        match sections.iter().find(|section| !names.insert(&section.name)) {
            Some(twice) => Err(format!("two sources are called {}", twice.name)),
            None => Ok(Self(sections)),
        }
    }
}

impl From<Sources> for Vec<SourceSection> {
    fn from(sources: Sources) -> Self {
        sources.0
    }
}

impl Sources {
    /// Each section.
    pub fn iter(&self) -> impl Iterator<Item = &SourceSection> {
        self.0.iter()
    }

    /// Takes all paths relative to the folder of the configuration.
    pub(crate) fn relative_to(&mut self, base: &Path) {
        self.0.iter_mut().for_each(|section| section.relative_to(base));
    }
}
