//! Numbers and hints as other engines write them, before anything is parsed.
//!
//! `1_000` is one thousand in PostgreSQL and DuckDB and `0xFF` is 255; to this engine's
//! tokenizer they are a one that is called `_000` and a row of bytes, which is a wrong
//! number with a right one's looks. So what stands together is taken together: it is
//! a number, or the query is refused. `AS MATERIALIZED (` only tells an engine how, and goes.

use datafusion::sql::sqlparser::keywords::Keyword;
use datafusion::sql::sqlparser::tokenizer::{Token, TokenWithSpan};

use crate::sql::error::{Code, SqlError};
use crate::sql::scan::place;

/// The tokens with each number as one, and without hints.
///
/// # Errors
/// Something that begins as a number is none.
pub(in crate::sql) fn settled(tokens: Vec<TokenWithSpan>) -> Result<Vec<TokenWithSpan>, SqlError> {
    let mut settled: Vec<TokenWithSpan> = Vec::with_capacity(tokens.len());
    let mut tokens = tokens.into_iter().peekable();
    while let Some(mut token) = tokens.next() {
        if let Some(mut text) = begun(&token) {
            let whole = matches!(&token.token, Token::Number(number, _) if *number == text);
            let mut alone = whole;
            while let Some(next) =
                tokens.next_if(|next| next.span.start == token.span.end && continues(next))
            {
                text.push_str(&next.token.to_string());
                token.span.end = next.span.end;
                alone = false;
            }
            if !alone {
                let number = number(&text).ok_or_else(|| none(&text, &token))?;
                token.token = Token::Number(number, false);
            }
        }
        settled.push(token);
        drop_hint(&mut settled, tokens.peek());
    }
    Ok(settled)
}

/// What a number begins with, as it is written.
fn begun(token: &TokenWithSpan) -> Option<String> {
    match &token.token {
        Token::Number(number, false) => Some(number.clone()),
        // `X'1F'` has quotes, which `0x1F` has not.
        Token::HexStringLiteral(digits) => {
            let (start, end) = (token.span.start, token.span.end);
            let bare =
                start.line == end.line && end.column - start.column == digits.len() as u64 + 2;
            bare.then(|| format!("0x{digits}"))
        }
        _ => None,
    }
}

fn continues(token: &TokenWithSpan) -> bool {
    match &token.token {
        Token::Word(word) => word.quote_style.is_none(),
        Token::Number(..) => true,
        _ => false,
    }
}

/// A number without what is there for the eye, in decimal digits.
fn number(text: &str) -> Option<String> {
    let lower = text.to_lowercase();
    for (mark, radix) in [("0x", 16), ("0o", 8), ("0b", 2)] {
        if let Some(digits) = lower.strip_prefix(mark) {
            let digits = without_gaps(digits.strip_prefix('_').unwrap_or(digits))?;
            return Some(u128::from_str_radix(&digits, radix).ok()?.to_string());
        }
    }
    let (mantissa, exponent) = lower.split_once('e').map_or((&*lower, None), |(m, e)| (m, Some(e)));
    let (whole, fraction) =
        mantissa.split_once('.').map_or((mantissa, None), |(w, f)| (w, Some(f)));
    let digits = |text: &str| {
        without_gaps(text).filter(|digits| digits.bytes().all(|byte| byte.is_ascii_digit()))
    };
    let mut number = if whole.is_empty() { String::new() } else { digits(whole)? };
    if let Some(fraction) = fraction {
        number.push('.');
        if !fraction.is_empty() {
            number.push_str(&digits(fraction)?);
        }
    }
    if !number.bytes().any(|byte| byte.is_ascii_digit()) {
        return None;
    }
    if let Some(exponent) = exponent {
        let bare = exponent.strip_prefix(['+', '-']).unwrap_or(exponent);
        let sign = &exponent[..exponent.len() - bare.len()];
        number = format!("{number}e{sign}{}", digits(bare)?);
    }
    Some(number)
}

/// Digits without the `_` between two of them.
fn without_gaps(digits: &str) -> Option<String> {
    let parts: Vec<&str> = digits.split('_').collect();
    parts.iter().all(|part| !part.is_empty()).then(|| parts.concat())
}

fn none(text: &str, token: &TokenWithSpan) -> SqlError {
    let text: String = text.chars().take(40).collect();
    SqlError::new(Code::Syntax, format!("{text} is no number"))
        .at(place(token.span.start))
        .next("put a space behind the number, or a name that begins with a digit in double quotes")
}

/// Takes `MATERIALIZED` or `NOT MATERIALIZED` away, between AS and the bracket of a CTE.
fn drop_hint(settled: &mut Vec<TokenWithSpan>, next: Option<&TokenWithSpan>) {
    let is = |at: usize, keyword| {
        let token = settled.len().checked_sub(at).and_then(|place| settled.get(place));
        matches!(token.map(|token| &token.token), Some(Token::Word(word))
            if word.keyword == keyword && word.quote_style.is_none())
    };
    if !is(1, Keyword::MATERIALIZED) || next.is_none_or(|next| next.token != Token::LParen) {
        return;
    }
    let words = if is(2, Keyword::AS) {
        1
    } else if is(2, Keyword::NOT) && is(3, Keyword::AS) {
        2
    } else {
        return;
    };
    settled.truncate(settled.len() - words);
}

#[cfg(test)]
mod tests {
    use crate::sql::parse::parse;

    fn written(sql: &str) -> String {
        let parsed = parse(sql, 1_000).unwrap_or_else(|error| panic!("{sql}: {error}"));
        crate::sql::labels::remove(&parsed.statement).to_string()
    }

    #[test]
    fn a_number_is_taken_whole() {
        for (theirs, ours) in [
            ("SELECT 1_000", "SELECT 1000"),
            ("SELECT 10_000.5_0", "SELECT 10000.50"),
            ("SELECT 0xFF, 0b101, 0o17, 0x_F_F", "SELECT 255, 5, 15, 255"),
            ("SELECT X'FF'", "SELECT X'FF'"),
            ("SELECT .5, 5., 1.5, 7", "SELECT .5, 5., 1.5, 7"),
            ("SELECT 1 abc", "SELECT 1 AS abc"),
            ("SELECT 1-2, 1+2", "SELECT 1 - 2, 1 + 2"),
            ("SELECT a[1] FROM t", "SELECT a[1] FROM t"),
        ] {
            assert_eq!(written(theirs), ours);
        }
        assert_eq!(written("SELECT 1e1_0"), written("SELECT 1e10"));
    }

    #[test]
    fn what_begins_as_a_number_and_is_none_is_no_alias() {
        for (sql, what) in [
            ("SELECT 1abc", "1abc"),
            ("SELECT 1__0", "1__0"),
            ("SELECT 1_", "1_"),
            ("SELECT 0b12", "0b12"),
            ("SELECT 0xFG", "0xFG"),
            ("SELECT 1 FROM 2024_sales", "2024_sales"),
            ("SELECT 1FROM t", "1FROM"),
            ("SELECT 1e5_", "1e5_"),
        ] {
            let error = parse(sql, 1_000).expect_err(sql).to_string();
            assert!(error.contains(&format!("{what} is no number")), "{sql}: {error}");
        }
    }

    #[test]
    fn how_a_part_is_kept_is_the_engine_s_own_business() {
        for hint in ["MATERIALIZED", "NOT MATERIALIZED"] {
            let sql = format!("WITH a AS {hint} (SELECT 1) SELECT * FROM a");
            assert_eq!(written(&sql), "WITH a AS (SELECT 1) SELECT * FROM a");
        }
        assert_eq!(written("SELECT materialized FROM t"), "SELECT materialized FROM t");
    }
}
