//! Limits that are kept before anything is parsed.
//!
//! A parser and a planner recurse: a query of twenty thousand ORs once ended a whole
//! process with an overflowing stack, where no error can be caught. So a query is
//! counted as tokens first, in one pass without recursion: its bytes, how deep
//! brackets and CASEs go, how many operators stand in a row, and that there is
//! one statement. Text in quotes and comments counts as what it is: `';'` is no
//! second statement, and no hidden one is found in a comment.

use datafusion::sql::sqlparser::dialect::GenericDialect;
use datafusion::sql::sqlparser::keywords::Keyword;
use datafusion::sql::sqlparser::tokenizer::{
    Location, Token, TokenWithSpan, Tokenizer, Whitespace,
};

use super::dialect::tokens::settled;
use super::error::{Code, Place, SqlError};

/// Brackets, subqueries and CASEs within each other.
pub const DEPTH: usize = 64;
/// Operators in a row, without a comma or a clause between them.
pub const CHAIN: usize = 500;
/// Joins, set operations and CTEs in one query.
pub const CLAUSES: usize = 256;

/// A query in tokens.
#[derive(Debug)]
pub(super) struct Scanned {
    /// All of them but blanks and comments, without a closing `;`.
    pub tokens: Vec<TokenWithSpan>,
    /// What comments say, without their marks.
    pub comments: Vec<String>,
}

/// Counts a query.
pub(super) fn scan(sql: &str, most_bytes: usize) -> Result<Scanned, SqlError> {
    if sql.len() > most_bytes {
        let message = format!("the query has {} bytes and may have {most_bytes}", sql.len());
        return Err(
            SqlError::new(Code::Length, message).next("put long lists into a table and join it")
        );
    }
    let all =
        Tokenizer::new(&GenericDialect {}, sql).tokenize_with_location().map_err(|error| {
            SqlError::new(Code::Syntax, lower(&error.message)).at(place(error.location))
        })?;
    let mut comments = Vec::new();
    let mut tokens = Vec::with_capacity(all.len());
    for token in all {
        match token.token {
            Token::Whitespace(
                Whitespace::SingleLineComment { comment, .. }
                | Whitespace::MultiLineComment(comment),
            ) => comments.push(comment),
            Token::Whitespace(_) | Token::EOF => {}
            _ => tokens.push(token),
        }
    }
    while tokens.last().is_some_and(|last| last.token == Token::SemiColon) {
        tokens.pop();
    }
    if tokens.is_empty() {
        return Err(SqlError::new(Code::Empty, "there is no statement in the query")
            .next("write one SELECT"));
    }
    let tokens = settled(tokens)?;
    Counter::default().count(&tokens)?;
    Ok(Scanned { tokens, comments })
}

/// Where a token begins, if that is known.
pub(super) fn place(location: Location) -> Option<Place> {
    (location.line > 0).then_some(Place { line: location.line, column: location.column })
}

fn lower(message: &str) -> String {
    let mut characters = message.chars();
    characters
        .next()
        .map_or_else(String::new, |first| first.to_lowercase().chain(characters).collect())
}

#[derive(Default)]
struct Counter {
    /// Operators in a row at each open bracket.
    chains: Vec<usize>,
    chain: usize,
    cases: usize,
    clauses: usize,
}

impl Counter {
    fn count(mut self, tokens: &[TokenWithSpan]) -> Result<(), SqlError> {
        for TokenWithSpan { token, span } in tokens {
            let at = place(span.start);
            match token {
                Token::SemiColon => {
                    return Err(SqlError::new(
                        Code::Statements,
                        "there is more than one statement",
                    )
                    .at(at)
                    .next("send one SELECT at a time"));
                }
                Token::LParen | Token::LBracket | Token::LBrace => {
                    // `a[1][1]…` is as deep a tree as `((a))`.
                    self.chain += usize::from(*token == Token::LBracket);
                    self.chains.push(self.chain);
                    self.chain = 0;
                }
                Token::RParen | Token::RBracket | Token::RBrace => {
                    self.chain = self.chains.pop().unwrap_or(0);
                }
                Token::Comma => self.chain = 0,
                Token::Word(word) => self.word(word.keyword),
                Token::Number(..)
                | Token::SingleQuotedString(_)
                | Token::DoubleQuotedString(_)
                | Token::Period => {}
                _ => self.chain += 1,
            }
            self.check(at)?;
        }
        Ok(())
    }

    fn word(&mut self, keyword: Keyword) {
        match keyword {
            Keyword::AND
            | Keyword::OR
            | Keyword::XOR
            | Keyword::NOT
            | Keyword::IS
            | Keyword::IN
            | Keyword::LIKE
            | Keyword::ILIKE
            | Keyword::SIMILAR
            | Keyword::RLIKE
            | Keyword::REGEXP
            | Keyword::BETWEEN
            | Keyword::AT
            | Keyword::COLLATE
            | Keyword::DIV
            | Keyword::INTERVAL
            | Keyword::OVERLAPS
            | Keyword::EXPLAIN
            | Keyword::DESCRIBE
            | Keyword::DESC
            | Keyword::PRIOR => self.chain += 1,
            Keyword::CASE => self.cases += 1,
            Keyword::END => self.cases = self.cases.saturating_sub(1),
            Keyword::UNION
            | Keyword::INTERSECT
            | Keyword::EXCEPT
            | Keyword::MINUS
            | Keyword::JOIN => {
                self.clauses += 1;
                self.chain = 0;
            }
            Keyword::SELECT
            | Keyword::FROM
            | Keyword::WHERE
            | Keyword::GROUP
            | Keyword::HAVING
            | Keyword::QUALIFY
            | Keyword::ORDER
            | Keyword::ON
            | Keyword::WHEN
            | Keyword::THEN
            | Keyword::ELSE => self.chain = 0,
            Keyword::AS => {}
            _ => {}
        }
    }

    fn check(&self, at: Option<Place>) -> Result<(), SqlError> {
        if self.chains.len() + self.cases > DEPTH {
            let message = format!("brackets, subqueries and CASEs go deeper than {DEPTH}");
            return Err(SqlError::new(Code::Nesting, message)
                .at(at)
                .next("name the inner parts in a WITH"));
        }
        if self.chain > CHAIN {
            let message = format!("more than {CHAIN} operators stand in a row");
            return Err(SqlError::new(Code::Chain, message)
                .at(at)
                .next("use IN (…), or put the values into a table and join it"));
        }
        if self.clauses > CLAUSES {
            let message = format!("there are more than {CLAUSES} joins and set operations");
            return Err(SqlError::new(Code::Chain, message)
                .at(at)
                .next("compute parts first and query their dataRefs"));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn code(sql: &str) -> Option<Code> {
        scan(sql, 100_000).err().map(|error| error.code)
    }

    #[test]
    fn each_limit_bites_and_the_thing_next_to_it_passes() {
        let nested = |n| format!("SELECT {}1{}", "(".repeat(n), ")".repeat(n));
        assert_eq!(code(&nested(DEPTH)), None);
        assert_eq!(code(&nested(DEPTH + 1)), Some(Code::Nesting));
        let cases = |n| format!("SELECT {}1{}", "CASE WHEN ".repeat(n), " THEN 1 END".repeat(n));
        assert_eq!(code(&cases(DEPTH)), None);
        assert_eq!(code(&cases(DEPTH + 1)), Some(Code::Nesting));
        let sums = |n| format!("SELECT 1{}", "+1".repeat(n));
        assert_eq!(code(&sums(CHAIN)), None);
        assert_eq!(code(&sums(CHAIN + 1)), Some(Code::Chain));
        let unions = |n| format!("SELECT 1{}", " UNION ALL SELECT 1".repeat(n));
        assert_eq!(code(&unions(CLAUSES)), None);
        assert_eq!(code(&unions(CLAUSES + 1)), Some(Code::Chain));
        let long = |n: usize| format!("SELECT '{}'", "x".repeat(n - 9));
        assert_eq!(code(&long(100_000)), None);
        assert_eq!(code(&long(100_001)), Some(Code::Length));
    }

    #[test]
    fn a_long_list_is_no_chain_and_a_long_or_is() {
        let list = (0..9_000).map(|n| n.to_string()).collect::<Vec<_>>().join(",");
        assert_eq!(code(&format!("SELECT 1 WHERE 1 IN ({list})")), None);
        assert_eq!(
            code(&format!("SELECT 1 WHERE 1=1{}", " OR 1=1".repeat(251))),
            Some(Code::Chain)
        );
        assert_eq!(code(&format!("SELECT {}1", "NOT ".repeat(501))), Some(Code::Chain));
    }

    #[test]
    fn one_statement_whatever_quotes_and_comments_say() {
        for one in [
            "SELECT 1",
            "SELECT 1;",
            "SELECT 1;;",
            "SELECT ';'",
            "SELECT 1 -- ; x",
            "/* ; */ SELECT 1",
        ] {
            assert_eq!(code(one), None, "{one}");
        }
        for two in ["SELECT 1; SELECT 2", "; SELECT 1", "SELECT 1;\n-- c\nDROP TABLE t"] {
            assert_eq!(code(two), Some(Code::Statements), "{two}");
        }
        for none in ["", "  ", ";", "-- x", "/* SELECT 1 */"] {
            assert_eq!(code(none), Some(Code::Empty), "{none}");
        }
        assert_eq!(code("SELECT 'open"), Some(Code::Syntax));
    }

    #[test]
    fn comments_are_kept_for_what_they_allow() {
        let scanned = scan("SELECT 1 /* allow: fanout(orders) */ -- b", 1_000).unwrap();
        assert_eq!(scanned.comments, [" allow: fanout(orders) ", " b"]);
    }
}
