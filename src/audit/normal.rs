//! A query's text without its values.
//!
//! What is between quotes of any kind is a `?`, names in quotes, too, because people write
//! `= "Smith"`; numbers are `?`; comments are left out. A quote that does not end takes the
//! rest with it. So nothing is left but words and signs.

/// Characters that are kept.
const MOST: usize = 2_000;

/// The text with `?` for literals, blanks as one, and no comments.
#[must_use]
pub fn normal_sql(sql: &str) -> String {
    let mut normal = String::with_capacity(sql.len().min(MOST));
    let mut rest = sql;
    while let Some(c) = rest.chars().next() {
        if normal.len() >= MOST {
            normal.push('…');
            break;
        }
        let (length, kept) = piece(c, rest);
        match kept {
            Kept::Blank if normal.ends_with(' ') || normal.is_empty() => {}
            Kept::Blank => normal.push(' '),
            Kept::Literal => normal.push('?'),
            Kept::Itself => normal.push_str(&rest[..length]),
        }
        rest = &rest[length..];
    }
    normal.trim_end().to_owned()
}

enum Kept {
    Blank,
    Literal,
    Itself,
}

fn piece(c: char, rest: &str) -> (usize, Kept) {
    let whole = rest.len();
    match c {
        c if c.is_whitespace() || c.is_control() => (c.len_utf8(), Kept::Blank),
        '-' if rest.starts_with("--") => (rest.find('\n').unwrap_or(whole), Kept::Blank),
        '/' if rest.starts_with("/*") => (comment(rest), Kept::Blank),
        '\'' | '"' | '`' => (quoted(rest, c), Kept::Literal),
        '[' => (rest.find(']').map_or(whole, |end| end + 1), Kept::Literal),
        '$' => match dollar(rest) {
            Some(length) => (length, Kept::Literal),
            None => (1, Kept::Itself),
        },
        c if c.is_ascii_digit() => (number(rest), Kept::Literal),
        c if c.is_alphabetic() || c == '_' => {
            let word = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(whole);
            // E'…', X'…' and the like: the letter belongs to the literal.
            match rest[word..].starts_with('\'') && word <= 2 {
                true => (word + quoted(&rest[word..], '\''), Kept::Literal),
                false => (word, Kept::Itself),
            }
        }
        c if c.is_ascii() => (1, Kept::Itself),
        c => (c.len_utf8(), Kept::Literal),
    }
}

/// Comments lie within each other.
fn comment(rest: &str) -> usize {
    let (mut depth, mut at) = (0, 0);
    while at < rest.len() {
        let here = &rest.as_bytes()[at..];
        if here.starts_with(b"/*") {
            (depth, at) = (depth + 1, at + 2);
        } else if here.starts_with(b"*/") {
            (depth, at) = (depth - 1, at + 2);
            if depth == 0 {
                return at;
            }
        } else {
            at += 1;
        }
    }
    rest.len()
}

/// A doubled mark is one within. After a backslash it is one in some dialects and none in
/// others: then nothing of what follows is told.
fn quoted(rest: &str, mark: char) -> usize {
    let mut chars = rest.char_indices().skip(1).peekable();
    while let Some((at, c)) = chars.next() {
        let next_is_mark = chars.peek().is_some_and(|(_, next)| *next == mark);
        if c == '\\' && next_is_mark {
            return rest.len();
        }
        if c == mark {
            if !next_is_mark {
                return at + 1;
            }
            chars.next();
        }
    }
    rest.len()
}

fn dollar(rest: &str) -> Option<usize> {
    let tag = rest[1..].find('$').map(|end| &rest[..end + 2])?;
    let is_tag = tag[1..tag.len() - 1].chars().all(|c| c.is_alphanumeric() || c == '_');
    let body = &rest[tag.len()..];
    is_tag.then(|| body.find(tag).map_or(rest.len(), |end| tag.len() + end + tag.len()))
}

/// Digits with all that clings to them: `1e-5`, `0x1F`, `1_000`, `12abc`.
fn number(rest: &str) -> usize {
    let bytes = rest.as_bytes();
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        let sign = matches!(byte, b'+' | b'-') && matches!(bytes[at - 1], b'e' | b'E');
        if !(byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_') || sign) {
            break;
        }
        at += 1;
    }
    at
}
