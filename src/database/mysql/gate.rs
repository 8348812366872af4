//! Which declared statements reach the server: one SELECT, of functions that are known.
//!
//! The role and the session keep a statement from writing tables. What they do not keep it
//! from is what MySQL lets any role do: sleep, take locks that others wait for, set
//! variables, call functions that a plugin brought, write nothing but wait for everything.
//! So a function is called only if it is listed here, and words that begin something else
//! than reading are refused. A pure function of the text.

use super::lexer::{Token, tokens};
use crate::database::{Cause, DatabaseError};

/// Looks at a statement; gives the number of its placeholders.
///
/// # Errors
/// It is refused, by the name of what it has.
pub(super) fn check(sql: &str) -> Result<usize, DatabaseError> {
    let mut tokens = tokens(sql).map_err(refused)?;
    if tokens.last() == Some(&Token::Symbol(';')) {
        tokens.pop();
    }
    begins(&tokens)?;
    for at in 0..tokens.len() {
        word(&tokens, at)?;
        call(&tokens, at)?;
        symbol(&tokens[at])?;
    }
    Ok(tokens.iter().filter(|token| **token == Token::Placeholder).count())
}

fn refused(what: impl Into<String>) -> DatabaseError {
    DatabaseError {
        about: Some(what.into()),
        next: Some("a declared statement is one SELECT of listed functions".to_owned()),
        ..DatabaseError::of(Cause::Statement)
    }
}

fn begins(tokens: &[Token]) -> Result<(), DatabaseError> {
    let first = tokens.iter().find(|token| **token != Token::Symbol('('));
    match first {
        Some(Token::Word(word)) if word == "SELECT" || word == "WITH" => Ok(()),
        Some(Token::Word(word)) => Err(refused(format!("it begins with {word}"))),
        _ => Err(refused("it does not begin with SELECT")),
    }
}

fn symbol(token: &Token) -> Result<(), DatabaseError> {
    match token {
        Token::Symbol(';') => Err(refused("a second statement")),
        Token::Symbol('@') => Err(refused("a variable (@)")),
        Token::Symbol(':') => Err(refused("a colon outside of a text")),
        Token::Symbol(letter @ ('{' | '}' | '\\')) => Err(refused(format!("the letter {letter}"))),
        _ => Ok(()),
    }
}

fn word_at(tokens: &[Token], at: usize) -> Option<&str> {
    match tokens.get(at) {
        Some(Token::Word(word)) => Some(word),
        _ => None,
    }
}

/// Words that do something else than read, where they are not a column's name.
fn word(tokens: &[Token], at: usize) -> Result<(), DatabaseError> {
    let Some(word) = word_at(tokens, at) else {
        return Ok(());
    };
    let before = at.checked_sub(1).and_then(|at| tokens.get(at));
    if before == Some(&Token::Symbol('.')) {
        return Ok(());
    }
    let after = word_at(tokens, at + 1);
    let is_bad = match word {
        "INTO" | "OUTFILE" | "DUMPFILE" | "PROCEDURE" | "DELETE" | "UPDATE" | "HANDLER" => true,
        "FOR" => matches!(after, Some("UPDATE" | "SHARE")),
        "LOCK" => after == Some("IN"),
        "NEXT" | "PREVIOUS" => after == Some("VALUE"),
        "INSERT" | "REPLACE" => tokens.get(at + 1) != Some(&Token::Symbol('(')),
        _ => false,
    };
    if is_bad { Err(refused(word)) } else { Ok(()) }
}

/// A name with an opening bracket behind it.
fn call(tokens: &[Token], at: usize) -> Result<(), DatabaseError> {
    if tokens.get(at + 1) != Some(&Token::Symbol('(')) {
        return Ok(());
    }
    let before = at.checked_sub(1).and_then(|at| tokens.get(at));
    if names_columns(tokens, at, before) {
        return Ok(());
    }
    match &tokens[at] {
        Token::Quoted => Err(refused("a function whose name is quoted")),
        Token::Word(word) if before == Some(&Token::Symbol('.')) => {
            Err(refused(format!("a function of a schema: {word}")))
        }
        Token::Word(word) if is_known(word) => Ok(()),
        Token::Word(word) => Err(refused(format!("the function {word}"))),
        _ => Ok(()),
    }
}

/// `AS t (a, b)`, `CAST(x AS CHAR(3))`, and `WITH t (a, b) AS (`: no call.
fn names_columns(tokens: &[Token], at: usize, before: Option<&Token>) -> bool {
    if matches!(before, Some(Token::Word(word)) if word == "AS") {
        return true;
    }
    let mut depth = 0_usize;
    for (end, token) in tokens.iter().enumerate().skip(at + 1) {
        match token {
            Token::Symbol('(') => depth += 1,
            Token::Symbol(')') if depth == 1 => {
                return word_at(tokens, end + 1) == Some("AS")
                    && tokens.get(end + 2) == Some(&Token::Symbol('('));
            }
            Token::Symbol(')') => depth -= 1,
            _ => {}
        }
    }
    false
}

fn is_known(word: &str) -> bool {
    KEYWORDS.split_whitespace().chain(FUNCTIONS.split_whitespace()).any(|known| known == word)
}

/// Words that a bracket may follow and that call nothing.
const KEYWORDS: &str = "
    AGAINST ALL AND ANY AS BETWEEN BY CASE DISTINCT DIV ELSE EXCEPT EXISTS FILTER FROM GROUP
    HAVING IN INDEX INTERSECT INTERVAL IS JOIN KEY LATERAL LIKE LIMIT MATCH NOT OFFSET ON OR ORDER
    OVER PARTITION REGEXP RLIKE SELECT SOME STRAIGHT_JOIN THEN UNION USING VALUES WHEN WHERE
    WITHIN XOR";

/// Functions that read nothing but their arguments and the rows, wait for nothing and
/// change nothing.
const FUNCTIONS: &str = "
    ABS ACOS ADDDATE ADDTIME ANY_VALUE ASCII ASIN ATAN ATAN2 AVG BIN BINARY BIT_AND BIT_COUNT
    BIT_LENGTH BIT_OR BIT_XOR CAST CEIL CEILING CHAR CHARACTER_LENGTH CHAR_LENGTH COALESCE CONCAT
    CONCAT_WS CONV CONVERT CONVERT_TZ COS COT COUNT CRC32 CUME_DIST CURDATE CURRENT_DATE
    CURRENT_TIME CURRENT_TIMESTAMP CURTIME DATE DATEDIFF DATETIME DATE_ADD DATE_FORMAT DATE_SUB
    DAY DAYNAME DAYOFMONTH DAYOFWEEK DAYOFYEAR DECIMAL DEGREES DENSE_RANK ELT EXP EXTRACT FIELD
    FIND_IN_SET FIRST_VALUE FLOOR FORMAT FROM_DAYS FROM_UNIXTIME GREATEST GROUPING GROUP_CONCAT
    HEX HOUR IF IFNULL INET6_NTOA INET_ATON INET_NTOA INSERT INSTR ISNULL JSON_ARRAY
    JSON_ARRAYAGG JSON_CONTAINS JSON_CONTAINS_PATH JSON_DEPTH JSON_EXISTS JSON_EXTRACT JSON_KEYS
    JSON_LENGTH JSON_OBJECT JSON_OBJECTAGG JSON_OVERLAPS JSON_QUERY JSON_QUOTE JSON_SEARCH
    JSON_TYPE JSON_UNQUOTE JSON_VALID JSON_VALUE LAG LAST_DAY LAST_VALUE LCASE LEAD LEAST LEFT
    LENGTH LN LOCALTIME LOCALTIMESTAMP LOCATE LOG LOG10 LOG2 LOWER LPAD LTRIM MAKEDATE MAKETIME
    MAX MD5 MICROSECOND MID MIN MINUTE MOD MONTH MONTHNAME NCHAR NOW NTH_VALUE NTILE NULLIF OCT
    OCTET_LENGTH ORD PERCENTILE_CONT PERCENTILE_DISC PERCENT_RANK PERIOD_ADD PERIOD_DIFF PI
    POSITION POW POWER QUARTER RADIANS RANK REGEXP_INSTR REGEXP_LIKE REGEXP_REPLACE REGEXP_SUBSTR
    REPLACE REVERSE RIGHT ROUND ROW ROW_NUMBER RPAD RTRIM SECOND SEC_TO_TIME SHA SHA1 SHA2 SIGN
    SIGNED SIN SOUNDEX SPACE SQRT STD STDDEV STDDEV_POP STDDEV_SAMP STRCMP STR_TO_DATE SUBDATE
    SUBSTR SUBSTRING SUBSTRING_INDEX SUBTIME SUM SYSDATE TAN TIME TIMEDIFF TIMESTAMP TIMESTAMPADD
    TIMESTAMPDIFF TIME_FORMAT TIME_TO_SEC TO_DAYS TO_SECONDS TRIM TRUNCATE UCASE UNHEX
    UNIX_TIMESTAMP UNSIGNED UPPER UTC_DATE UTC_TIME UTC_TIMESTAMP VALUE VARCHAR VARIANCE VAR_POP
    VAR_SAMP WEEK WEEKDAY WEEKOFYEAR YEAR YEARWEEK";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cases() {
        let cases: toml::Table =
            toml::from_str(include_str!("../../../tests/databases/mysql_gate.toml")).unwrap();
        for case in cases["refused"].as_array().unwrap() {
            let sql = case.as_str().unwrap();
            assert!(check(sql).is_err(), "passed: {sql}");
        }
        for case in cases["passes"].as_array().unwrap() {
            let sql = case.as_str().unwrap();
            check(sql).unwrap_or_else(|error| panic!("{sql}: {error}"));
        }
    }

    #[test]
    fn placeholders_are_counted_outside_of_texts() {
        assert_eq!(check("SELECT '?', a FROM t WHERE b = ? -- ?\n AND c IN (?, ?);"), Ok(3));
    }
}
