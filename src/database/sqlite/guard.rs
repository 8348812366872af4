//! What a statement may do, asked by SQLite itself while it reads the statement: read allowed
//! tables, and call functions that are known. Everything else is refused: ATTACH, PRAGMA,
//! writing, temporary tables, transactions, extensions, virtual tables.
//!
//! A view that is allowed may read what it reads, as it was made by who owns the data; what
//! is named in the statement itself has to be allowed. SQLite does not say that in these words:
//!
//! - in which view something is read it says by a name, which can also be one given by
//!   `WITH`, in the view or in the statement. Those of the statement are nobody's leave, and
//!   may not be the name of anything in the file;
//! - of a view of which no column is used (`count(*)`) it may say nothing at all, and then of
//!   its table as if that stood in the statement. So a view that is named in the statement
//!   and not allowed is no leave, and a table that is not named in it must be a view's.

use std::sync::{Arc, Mutex, PoisonError};

use rusqlite::Connection;
use rusqlite::hooks::{AuthAction, AuthContext, Authorization};

use super::{error, with};
use crate::database::{Allowed, Cause, DatabaseError, TableName};

/// What the guard of a connection has refused last.
#[derive(Debug, Clone, Default)]
pub(super) struct Refused(Arc<Mutex<Option<(Cause, String)>>>);

impl Refused {
    fn set(&self, cause: Cause, what: String) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some((cause, what));
    }

    /// The error with what was refused in it, if it is the guard's.
    pub(super) fn explain(
        &self,
        error: &rusqlite::Error,
        otherwise: fn(&rusqlite::Error) -> DatabaseError,
    ) -> DatabaseError {
        let is_ours =
            error.sqlite_error_code() == Some(rusqlite::ErrorCode::AuthorizationForStatementDenied);
        let what = self.0.lock().unwrap_or_else(PoisonError::into_inner).take();
        match what {
            Some((cause, what)) if is_ours => DatabaseError {
                about: Some(what),
                next: Some(
                    "a statement is one SELECT of allowed tables and listed functions".to_owned(),
                ),
                ..DatabaseError::of(cause)
            },
            _ => otherwise(error),
        }
    }
}

/// What a statement is held against.
struct Rules {
    allowed: Allowed,
    /// Given by `WITH` in the statement itself.
    given: Vec<String>,
    /// All names in the statement.
    words: Vec<String>,
    /// Of views, and given by `WITH` inside of them: where they are read from is a view.
    inside: Vec<String>,
    /// Whether the statement names a view that is not allowed.
    names_forbidden: bool,
}

/// From now on the connection takes nothing but this statement.
///
/// # Errors
/// It gives a name that something in the file has.
pub(super) fn install(
    connection: &mut Connection,
    allowed: &Allowed,
    sql: &str,
) -> Result<Refused, DatabaseError> {
    let rules = Rules::new(connection, allowed, sql).map_err(|error| error::of(&error))?;
    let (rules, both) = rules;
    if let Some(both) = both {
        return Err(DatabaseError {
            about: Some(format!("WITH {both}, which is the name of a table or view")),
            next: Some("give it another name".to_owned()),
            ..DatabaseError::of(Cause::Statement)
        });
    }
    let refused = Refused::default();
    let told = refused.clone();
    connection
        .authorizer(Some(move |context: AuthContext<'_>| match decide(&context, &rules) {
            None => Authorization::Allow,
            Some((cause, what)) => {
                told.set(cause, what);
                Authorization::Deny
            }
        }))
        .map_err(|error| error::of(&error))?;
    Ok(refused)
}

impl Rules {
    /// And a name that the statement gives and something in the file has.
    fn new(
        connection: &Connection,
        allowed: &Allowed,
        sql: &str,
    ) -> rusqlite::Result<(Self, Option<String>)> {
        let (given, words) = (with::names(sql), with::words(sql));
        let (mut inside, mut both, mut names_forbidden) = (Vec::new(), None, false);
        let mut statement = connection.prepare("SELECT name, type, sql FROM main.sqlite_schema")?;
        let mut rows = statement.query([])?;
        while let Some(row) = rows.next()? {
            let name: String = row.get(0)?;
            let small = name.to_lowercase();
            if given.contains(&small) {
                both = Some(small.clone());
            }
            if row.get::<_, String>(1)? != "view" {
                continue;
            }
            let view = TableName { schema: "main".to_owned(), table: name };
            if words.contains(&small) && !allowed.has(&view) {
                names_forbidden = true;
                continue;
            }
            inside.push(small);
            inside.extend(with::names(&row.get::<_, Option<String>>(2)?.unwrap_or_default()));
        }
        let both = both.or_else(|| given.iter().find(|name| is_own(name)).cloned());
        Ok((Self { allowed: allowed.clone(), given, words, inside, names_forbidden }, both))
    }
}

/// Whether SQLite keeps such names for itself.
fn is_own(name: &str) -> bool {
    ["sqlite_", "pragma_", "dbstat", "json_"].iter().any(|own| name.starts_with(own))
}

/// Why an action is refused; nothing if it is not.
fn decide(context: &AuthContext<'_>, rules: &Rules) -> Option<(Cause, String)> {
    let statement = |what: String| Some((Cause::Statement, what));
    match context.action {
        AuthAction::Select | AuthAction::Recursive => None,
        AuthAction::Read { table_name, column_name } => {
            read(context, table_name, column_name, rules)
        }
        AuthAction::Function { function_name } => {
            let known = FUNCTIONS.split_whitespace().any(|name| name == function_name);
            if known { None } else { statement(format!("the function {function_name}")) }
        }
        AuthAction::Pragma { pragma_name, .. } => statement(format!("PRAGMA {pragma_name}")),
        AuthAction::Attach { .. } => statement("ATTACH, or VACUUM INTO".to_owned()),
        AuthAction::Detach { .. } => statement("DETACH".to_owned()),
        AuthAction::Transaction { .. } | AuthAction::Savepoint { .. } => {
            statement("a transaction".to_owned())
        }
        _ => statement("it would change something".to_owned()),
    }
}

fn read(
    context: &AuthContext<'_>,
    table: &str,
    column: &str,
    rules: &Rules,
) -> Option<(Cause, String)> {
    let small = table.to_lowercase();
    let is_inside = context.accessor.is_some_and(|name| {
        let name = name.to_lowercase();
        rules.inside.contains(&name) && !rules.given.contains(&name)
    });
    // A name that the statement gave is of no database.
    let is_given = context.database_name.is_none() && rules.given.contains(&small);
    let is_of_view = column.is_empty() && !rules.words.contains(&small) && !rules.names_forbidden;
    if is_inside || is_given || is_of_view || TABLE_FUNCTIONS.contains(&small.as_str()) {
        return None;
    }
    // No database is said of a table whose rows are only counted; there is but one.
    let is_main = context.database_name.is_none_or(|name| name == "main");
    let named = TableName { schema: "main".to_owned(), table: table.to_owned() };
    // SQLite says a table's name as the statement writes it, where it only counts.
    let allowed = rules.allowed.has(&named)
        || rules.allowed.tables.iter().any(|known| known.table.eq_ignore_ascii_case(table));
    if is_main && allowed && !is_own(&small) {
        return None;
    }
    Some((Cause::Denied, format!("the table {table}")))
}

/// Tables that are functions of their arguments.
const TABLE_FUNCTIONS: &[&str] = &["json_each", "json_tree"];

/// Functions that read nothing but their arguments and the rows. No random ones: a statement
/// gives the same again, and its types are looked at before its rows are sent.
const FUNCTIONS: &str = "
    -> ->> abs avg char coalesce concat concat_ws count cume_dist current_date current_time
    current_timestamp date datetime dense_rank first_value format glob group_concat hex if ifnull
    iif instr json json_array json_array_length json_each json_error_position json_extract
    json_group_array json_group_object json_object json_patch json_quote json_tree json_type
    json_valid julianday lag last_value lead length like lower ltrim max median min nth_value ntile
    nullif octet_length percent_rank percentile percentile_cont percentile_disc printf quote rank
    replace round row_number rtrim sign soundex strftime string_agg substr substring sum time
    timediff total trim typeof unhex unicode unixepoch upper";
