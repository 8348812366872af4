//! From `:name` to the server's own placeholders.
//!
//! A statement is cut as the server of its dialect cuts it: what stands in a text, a quoted
//! name, a comment or a dollar quote is no placeholder. Where servers are known to be of two
//! minds (texts with backslashes, comments that are executed, names with escapes), the
//! statement is refused instead of guessed at. The parser of [`super::check`] then has to
//! find exactly the placeholders that were put in here: two readers that differ are a fault.

use crate::gateway::Dialect;
use crate::gateway::fault::{Cause, FaultCode};

/// A statement with the server's placeholders.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Rewritten {
    /// Its text.
    pub sql: String,
    /// Each placeholder's name and its place in the text as it was written, in their order.
    pub placeholders: Vec<(String, usize)>,
    /// For each value that the server is sent, the name that it belongs to.
    pub bound: Vec<String>,
}

/// A cause and where it stands, in bytes.
pub(super) type Placed = (Cause, usize);

/// Puts the server's placeholders in.
pub(super) fn rewrite(sql: &str, dialect: Dialect) -> Result<Rewritten, Placed> {
    let mut lexer =
        Lexer { sql, bytes: sql.as_bytes(), at: 0, dialect, out: String::new(), found: Vec::new() };
    while lexer.at < lexer.bytes.len() {
        lexer.step()?;
    }
    let Lexer { out, found, .. } = lexer;
    let mut bound: Vec<String> = Vec::new();
    for (name, _) in &found {
        if dialect != Dialect::Postgres || !bound.contains(name) {
            bound.push(name.clone());
        }
    }
    Ok(Rewritten { sql: out, placeholders: found, bound })
}

struct Lexer<'a> {
    sql: &'a str,
    bytes: &'a [u8],
    at: usize,
    dialect: Dialect,
    out: String,
    found: Vec<(String, usize)>,
}

impl Lexer<'_> {
    fn step(&mut self) -> Result<(), Placed> {
        let (byte, next) = (self.bytes[self.at], self.peek(1));
        match (byte, next) {
            (b'\'', _) => self.text(b'\''),
            (b'"', _) => self.text(b'"'),
            (b'`', _) if self.dialect != Dialect::Postgres => self.text(b'`'),
            (b'-', Some(b'-')) => self.line_comment(),
            (b'#', _) if self.dialect == Dialect::MySql => self.line_comment(),
            (b'/', Some(b'*')) => self.comment(),
            (b'$', _) if self.dialect == Dialect::Postgres => self.dollar(),
            (b':', Some(b':' | b'=')) => self.copy(2),
            (b':', Some(next)) if begins_name(next) => self.placeholder(),
            (b'?' | b'@' | b'$', next) if self.is_other_placeholder(byte, next) => Err(self.fault(
                FaultCode::Undeclared,
                format!("{:?} is a placeholder or a variable of the server's", char::from(byte)),
                "write a parameter as :name",
            )),
            (0, _) => Err(self.fault(FaultCode::Syntax, "a NUL in the statement", "leave it out")),
            (byte, _) if begins_name(byte) => self.word(),
            (byte, _) if byte.is_ascii_digit() => self.number(),
            _ => {
                let width = self.sql[self.at..].chars().next().map_or(1, char::len_utf8);
                self.copy(width)
            }
        }
    }

    /// What would be filled in by something that is no parameter. `?` is an operator of
    /// PostgreSQL's, `@` one of its absolute value.
    fn is_other_placeholder(&self, byte: u8, next: Option<u8>) -> bool {
        match self.dialect {
            Dialect::Postgres => byte == b'$',
            Dialect::MySql => byte == b'?' || byte == b'@',
            Dialect::Sqlite => {
                byte == b'?' || byte == b'@' || (byte == b'$' && next.is_some_and(begins_name))
            }
        }
    }

    fn peek(&self, ahead: usize) -> Option<u8> {
        self.bytes.get(self.at + ahead).copied()
    }

    #[allow(clippy::unnecessary_wraps, reason = "each way of a step ends alike")]
    fn copy(&mut self, bytes: usize) -> Result<(), Placed> {
        let end = (self.at + bytes).min(self.bytes.len());
        self.out.push_str(&self.sql[self.at..end]);
        self.at = end;
        Ok(())
    }

    fn fault(&self, code: FaultCode, message: impl Into<String>, next: &str) -> Placed {
        (Cause::new(code, message).next(next), self.at)
    }

    /// A text or a quoted name, to its closing quote; a doubled one stands for itself.
    fn text(&mut self, quote: u8) -> Result<(), Placed> {
        let backslashes = self.dialect == Dialect::MySql && quote != b'`';
        self.quoted(quote, backslashes)
    }

    fn quoted(&mut self, quote: u8, backslashes: bool) -> Result<(), Placed> {
        let mut end = self.at + 1;
        loop {
            match self.bytes.get(end) {
                None => {
                    return Err(self.fault(FaultCode::Syntax, "a quote is not closed", "close it"));
                }
                Some(b'\\') if backslashes => {
                    return Err(self.fault(
                        FaultCode::Unsupported,
                        "a backslash in a text: whether it escapes is a setting of the server's",
                        "write the text without it, or compare with a parameter",
                    ));
                }
                Some(byte) if *byte == quote && self.bytes.get(end + 1) == Some(&quote) => end += 2,
                Some(byte) if *byte == quote => return self.copy(end + 1 - self.at),
                Some(_) => end += 1,
            }
        }
    }

    fn line_comment(&mut self) -> Result<(), Placed> {
        // `1--1` is arithmetic in MySQL, and a comment everywhere else.
        let is_comment = self.bytes[self.at] == b'#'
            || self.dialect != Dialect::MySql
            || self.peek(2).is_none_or(|byte| byte.is_ascii_whitespace());
        if !is_comment {
            return Err(self.fault(
                FaultCode::Unsupported,
                "-- without a blank after it is a comment to some and arithmetic to others",
                "write a blank",
            ));
        }
        // A carriage return ends a line for some readers and not for others.
        let rest = &self.sql[self.at..];
        let end = rest.find('\n').unwrap_or(rest.len());
        if rest[..end].trim_end_matches('\r').contains('\r') {
            return Err(self.fault(
                FaultCode::Syntax,
                "a carriage return in a comment",
                "leave it out",
            ));
        }
        self.copy(end)
    }

    fn comment(&mut self) -> Result<(), Placed> {
        if matches!(self.peek(2), Some(b'!' | b'+')) || self.sql[self.at..].starts_with("/*M!") {
            return Err(self.fault(
                FaultCode::Unsupported,
                "a comment that a server executes or takes for a hint",
                "write it as SQL, or leave it out",
            ));
        }
        let (mut end, mut depth) = (self.at + 2, 1_usize);
        while depth > 0 {
            match (self.bytes.get(end), self.bytes.get(end + 1)) {
                (Some(b'*'), Some(b'/')) => (depth, end) = (depth - 1, end + 2),
                (Some(b'/'), Some(b'*')) => {
                    if self.dialect != Dialect::Postgres {
                        return Err(self.fault(
                            FaultCode::Unsupported,
                            "a comment in a comment",
                            "leave it out",
                        ));
                    }
                    (depth, end) = (depth + 1, end + 2);
                }
                (Some(_), _) => end += 1,
                (None, _) => {
                    return Err(self.fault(
                        FaultCode::Syntax,
                        "a comment is not closed",
                        "close it",
                    ));
                }
            }
        }
        self.copy(end - self.at)
    }

    /// `$tag$…$tag$`.
    fn dollar(&mut self) -> Result<(), Placed> {
        let rest = &self.sql[self.at..];
        let tag = rest[1..].find('$').map(|end| &rest[..end + 2]).filter(|tag| {
            let inner = &tag[1..tag.len() - 1];
            let mut bytes = inner.bytes();
            bytes.next().is_none_or(begins_name)
                && bytes.all(|byte| begins_name(byte) || byte.is_ascii_digit())
        });
        let Some(tag) = tag else {
            return Err(self.fault(
                FaultCode::Undeclared,
                "\"$\" is a placeholder of the server's",
                "write a parameter as :name",
            ));
        };
        match rest[tag.len()..].find(tag) {
            Some(end) => self.copy(end + 2 * tag.len()),
            None => Err(self.fault(FaultCode::Syntax, "a dollar quote is not closed", "close it")),
        }
    }

    fn placeholder(&mut self) -> Result<(), Placed> {
        let begin = self.at + 1;
        let end = self.end_of_word(begin);
        let name = self.sql[begin..end].to_owned();
        let place = self.at;
        self.found.push((name.clone(), place));
        match self.dialect {
            Dialect::Postgres => {
                let mut names: Vec<&str> = Vec::new();
                for (name, _) in &self.found {
                    if !names.contains(&name.as_str()) {
                        names.push(name);
                    }
                }
                let number = names.iter().position(|known| *known == name).unwrap_or(0) + 1;
                self.out.push_str(&format!("${number}"));
            }
            Dialect::MySql | Dialect::Sqlite => self.out.push('?'),
        }
        self.at = end;
        Ok(())
    }

    fn end_of_word(&self, begin: usize) -> usize {
        let rest = &self.bytes[begin..];
        begin + rest.iter().take_while(|byte| begins_name(**byte) || byte.is_ascii_digit()).count()
    }

    /// A name, or what stands before a quote and says how it is read.
    fn word(&mut self) -> Result<(), Placed> {
        let end = self.end_of_word(self.at);
        let word = self.sql[self.at..end].to_ascii_lowercase();
        let after = (self.bytes.get(end).copied(), self.bytes.get(end + 1).copied());
        if self.dialect == Dialect::Postgres {
            if word == "u" && after.0 == Some(b'&') && matches!(after.1, Some(b'\'' | b'"')) {
                return Err(self.fault(
                    FaultCode::Unsupported,
                    "a name or text with U& escapes, in which anything can hide",
                    "write the characters themselves",
                ));
            }
            if word == "e" && after.0 == Some(b'\'') {
                return Err(self.fault(
                    FaultCode::Unsupported,
                    "a text with backslash escapes",
                    "write it in plain quotes, or compare with a parameter",
                ));
            }
        }
        self.copy(end - self.at)
    }

    /// A number ends where no letter follows: `1e5`, `0x1f`.
    fn number(&mut self) -> Result<(), Placed> {
        let end = self.end_of_word(self.at);
        self.copy(end - self.at)
    }
}

/// Letters, `_`, and what is not ASCII, which may be part of a name.
fn begins_name(byte: u8) -> bool {
    byte.is_ascii_alphabetic() || byte == b'_' || byte >= 0x80
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rewritten(dialect: Dialect, sql: &str) -> Result<String, &'static str> {
        rewrite(sql, dialect).map(|done| done.sql).map_err(|(cause, _)| cause.code.name())
    }

    #[test]
    fn a_placeholder_is_found_where_the_server_would_find_one() {
        use Dialect::{MySql, Postgres, Sqlite};
        for (dialect, sql, want) in [
            (Postgres, "a = :x AND b = :y OR c = :x", "a = $1 AND b = $2 OR c = $1"),
            (MySql, "a = :x AND b = :y OR c = :x", "a = ? AND b = ? OR c = ?"),
            (Sqlite, "a = :x", "a = ?"),
            (Postgres, ":x::int + y::int", "$1::int + y::int"),
            (
                Postgres,
                "':x' || \":x\" || $$:x$$ || $q$:x$$:x$q$",
                "':x' || \":x\" || $$:x$$ || $q$:x$$:x$q$",
            ),
            (Postgres, "'it''s :x' = :x", "'it''s :x' = $1"),
            (Postgres, "1 -- :x\n + :x", "1 -- :x\n + $1"),
            (Postgres, "1 /* :x /* :y */ :z */ + :x", "1 /* :x /* :y */ :z */ + $1"),
            (MySql, "1 # :x\n + :x", "1 # :x\n + ?"),
            (Postgres, "1 # :x", "1 # $1"),
            (MySql, "`:x` = \":x\" AND c = :x", "`:x` = \":x\" AND c = ?"),
            (Postgres, "d ? 'a' AND d @> :x", "d ? 'a' AND d @> $1"),
            (Postgres, "'\\' || :x", "'\\' || $1"),
            (Postgres, "a[1:2]", "a[1:2]"),
            (Postgres, "имя = :имя", "имя = $1"),
            (Sqlite, "'a' || \"b\" || `c` || :x", "'a' || \"b\" || `c` || ?"),
        ] {
            assert_eq!(rewritten(dialect, sql), Ok(want.to_owned()), "{sql}");
        }
    }

    #[test]
    fn what_two_readers_could_read_in_two_ways_is_refused() {
        use Dialect::{MySql, Postgres, Sqlite};
        for (dialect, sql, code) in [
            (Postgres, "a = $1", "UNDECLARED"),
            (Postgres, "E'\\':x' = 1", "UNSUPPORTED"),
            (Postgres, "U&\"pg_sl\\0065ep\"(1)", "UNSUPPORTED"),
            (Postgres, "u&'x'", "UNSUPPORTED"),
            (Postgres, "'open", "SYNTAX"),
            (Postgres, "$q$open", "SYNTAX"),
            (Postgres, "/* open", "SYNTAX"),
            (Postgres, "a\0b", "SYNTAX"),
            (Postgres, "1 -- a\rDELETE\n", "SYNTAX"),
            (MySql, "1--1", "UNSUPPORTED"),
            (MySql, "'\\''", "UNSUPPORTED"),
            (MySql, "/*!50000 DELETE FROM u */ 1", "UNSUPPORTED"),
            (MySql, "/*M!100100 DELETE FROM u */ 1", "UNSUPPORTED"),
            (MySql, "/* /* */ */ 1", "UNSUPPORTED"),
            (MySql, "@x", "UNDECLARED"),
            (MySql, "a = ?", "UNDECLARED"),
            (Sqlite, "a = ?1", "UNDECLARED"),
            (Sqlite, "a = $x", "UNDECLARED"),
            (Sqlite, "a = @x", "UNDECLARED"),
        ] {
            assert_eq!(rewritten(dialect, sql), Err(code), "{sql}");
        }
    }

    #[test]
    fn each_value_knows_its_name() {
        let twice = "a = :x OR b = :y OR c = :x";
        let bound = |dialect| rewrite(twice, dialect).unwrap().bound;
        assert_eq!(bound(Dialect::Postgres), ["x", "y"]);
        assert_eq!(bound(Dialect::MySql), ["x", "y", "x"]);
        assert_eq!(rewrite(twice, Dialect::Sqlite).unwrap().placeholders[2], ("x".into(), 24));
    }
}
