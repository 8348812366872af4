//! The names in a statement, and which of them it gives by `WITH`.
//!
//! SQLite tells its guard in which view a table is read, and says the same of a name given by
//! `WITH`: `WITH shown AS (SELECT * FROM hidden)` would pass as the view `shown`. So the guard
//! has to know these names. Too many of them make it stricter and too few do not make it laxer:
//! see [`super::guard`].

/// One word of a statement.
#[derive(Debug, PartialEq, Eq)]
enum Token {
    /// A name, bare or quoted, in small letters.
    Name(String),
    /// A sign.
    Sign(char),
}

/// The names, in small letters: each that stands before `AS (`, with its columns between or
/// not.
pub(super) fn names(sql: &str) -> Vec<String> {
    let tokens = tokens(sql);
    let given = (0..tokens.len()).filter(|at| is_given(&tokens, *at));
    given
        .filter_map(|at| match &tokens[at] {
            Token::Name(name) => Some(name.clone()),
            Token::Sign(_) => None,
        })
        .collect()
}

/// All names and texts in a statement, which may be names too; in small letters.
pub(super) fn words(sql: &str) -> Vec<String> {
    let words = tokens(sql).into_iter().filter_map(|token| match token {
        Token::Name(name) => Some(name),
        Token::Sign(_) => None,
    });
    words.collect()
}

fn is_given(tokens: &[Token], at: usize) -> bool {
    let is_name =
        |at: usize, word: &str| matches!(tokens.get(at), Some(Token::Name(name)) if name == word);
    let mut next = at + 1;
    if tokens.get(next) == Some(&Token::Sign('(')) {
        let end = tokens[next..].iter().position(|token| *token == Token::Sign(')'));
        let Some(end) = end else { return false };
        next += end + 1;
    }
    if !is_name(next, "as") {
        return false;
    }
    next += 1;
    for word in ["not", "materialized"] {
        if is_name(next, word) {
            next += 1;
        }
    }
    tokens.get(next) == Some(&Token::Sign('('))
}

fn tokens(sql: &str) -> Vec<Token> {
    let mut tokens = Vec::new();
    let mut rest = sql;
    while let Some(letter) = rest.chars().next() {
        let taken = match letter {
            '-' if rest.starts_with("--") => rest.find('\n').unwrap_or(rest.len()),
            '/' if rest.starts_with("/*") => rest[2..].find("*/").map_or(rest.len(), |end| end + 4),
            '\'' | '"' | '`' | '[' => {
                let (name, taken) = quoted(rest, if letter == '[' { ']' } else { letter });
                tokens.push(Token::Name(name));
                taken
            }
            _ if is_of_name(letter) => {
                let end = rest.find(|letter| !is_of_name(letter)).unwrap_or(rest.len());
                tokens.push(Token::Name(rest[..end].to_lowercase()));
                end
            }
            _ => {
                if !letter.is_whitespace() {
                    tokens.push(Token::Sign(letter));
                }
                letter.len_utf8()
            }
        };
        rest = rest.get(taken..).unwrap_or_default();
    }
    tokens
}

/// A quoted name in small letters, and the bytes that it takes. A doubled quote is one inside;
/// in square brackets nothing is.
fn quoted(text: &str, end: char) -> (String, usize) {
    let mut name = String::new();
    let mut letters = text.char_indices().skip(1).peekable();
    while let Some((at, letter)) = letters.next() {
        if letter != end {
            name.push(letter);
        } else if end != ']' && letters.peek().is_some_and(|(_, next)| *next == end) {
            letters.next();
            name.push(end);
        } else {
            return (name.to_lowercase(), at + end.len_utf8());
        }
    }
    (name.to_lowercase(), text.len())
}

fn is_of_name(letter: char) -> bool {
    letter.is_ascii_alphanumeric() || letter == '_' || letter == '$' || !letter.is_ascii()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_found_however_they_are_written() {
        for (sql, expected) in [
            ("WITH a AS (SELECT 1) SELECT * FROM a", vec!["a"]),
            (
                "with RECURSIVE A(x, y) as (SELECT 1), [b c] AS NOT MATERIALIZED (SELECT 2)",
                vec!["a", "b c"],
            ),
            ("WITH \"q\"\"x\"AS(SELECT 1), 's'/**/AS--\n(SELECT 1)", vec!["q\"x", "s"]),
            ("SELECT x AS a, (SELECT 1) AS b FROM t AS c WHERE d IN (1)", vec![]),
            ("SELECT 'WITH a AS (' -- WITH b AS (", vec![]),
        ] {
            assert_eq!(names(sql), expected, "{sql}");
        }
    }
}
