//! The words of a statement, as the server reads them in our session.
//!
//! The session's `sql_mode` is ours: a backslash is a character (`NO_BACKSLASH_ESCAPES`), and
//! double quotes are around texts. What would make two readers differ is not read but
//! refused: comments that are executed, hints, and `--` that begins no comment.

/// One of them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Token {
    /// A bare word, in capitals.
    Word(String),
    /// A name in backquotes.
    Quoted,
    /// A text or a number.
    Literal,
    /// `?`
    Placeholder,
    /// Anything else.
    Symbol(char),
}

/// Why a statement is not read.
pub(super) type Refused = &'static str;

/// Splits a statement.
///
/// # Errors
/// It has something that is read in more than one way, or does not end.
pub(super) fn tokens(sql: &str) -> Result<Vec<Token>, Refused> {
    let mut lexer = Lexer { rest: sql, tokens: Vec::new() };
    while let Some(letter) = lexer.rest.chars().next() {
        lexer.one(letter)?;
    }
    Ok(lexer.tokens)
}

struct Lexer<'a> {
    rest: &'a str,
    tokens: Vec<Token>,
}

impl Lexer<'_> {
    fn one(&mut self, letter: char) -> Result<(), Refused> {
        match letter {
            _ if letter.is_ascii_whitespace() => self.skip(letter.len_utf8()),
            '\0' => return Err("a zero byte"),
            '\'' | '"' => {
                self.quoted(letter)?;
                self.tokens.push(Token::Literal);
            }
            '`' => {
                self.quoted(letter)?;
                self.tokens.push(Token::Quoted);
            }
            '#' => self.line(),
            '-' if self.rest.starts_with("--") => self.dashes()?,
            '/' if self.rest.starts_with("/*") => self.comment()?,
            '?' => {
                self.skip(1);
                self.tokens.push(Token::Placeholder);
            }
            _ if letter.is_ascii_digit() => self.number(),
            _ if is_of_word(letter) => self.word(),
            _ => {
                self.skip(letter.len_utf8());
                self.tokens.push(Token::Symbol(letter));
            }
        }
        Ok(())
    }

    fn skip(&mut self, bytes: usize) {
        self.rest = self.rest.get(bytes..).unwrap_or_default();
    }

    /// A doubled quote is one inside.
    fn quoted(&mut self, quote: char) -> Result<(), Refused> {
        self.skip(1);
        loop {
            let end = self.rest.find(quote).ok_or("a quote that is not closed")?;
            self.skip(end + 1);
            if !self.rest.starts_with(quote) {
                return Ok(());
            }
            self.skip(1);
        }
    }

    fn line(&mut self) {
        let end = self.rest.find('\n').map_or(self.rest.len(), |end| end + 1);
        self.skip(end);
    }

    fn dashes(&mut self) -> Result<(), Refused> {
        match self.rest.as_bytes().get(2) {
            None | Some(b' ' | b'\t' | b'\n' | b'\r') => {
                self.line();
                Ok(())
            }
            Some(_) => Err("-- without a blank behind it"),
        }
    }

    fn comment(&mut self) -> Result<(), Refused> {
        let body = self.rest.get(2..).unwrap_or_default();
        if body.starts_with(['!', '+']) || body.starts_with("M!") {
            return Err("a comment that the server reads as part of the statement");
        }
        let end = body.find("*/").ok_or("a comment that is not closed")?;
        if body[..end].contains("/*") {
            return Err("a comment in a comment");
        }
        self.skip(end + 4);
        Ok(())
    }

    /// Also `0xff`, `1e5`, and names that begin with a digit.
    fn number(&mut self) {
        let end = self.rest.find(|letter: char| !is_of_word(letter) && letter != '.');
        self.skip(end.unwrap_or(self.rest.len()));
        self.tokens.push(Token::Literal);
    }

    fn word(&mut self) {
        let end = self.rest.find(|letter: char| !is_of_word(letter)).unwrap_or(self.rest.len());
        let word = self.rest[..end].to_uppercase();
        self.skip(end);
        self.tokens.push(Token::Word(word));
    }
}

fn is_of_word(letter: char) -> bool {
    letter.is_ascii_alphanumeric() || letter == '_' || letter == '$' || !letter.is_ascii()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_hide_what_is_in_them_and_nothing_else() {
        let word = |word: &str| Token::Word(word.to_owned());
        for (sql, expected) in [
            ("select '\\'", vec![word("SELECT"), Token::Literal]),
            ("a 'it''s; drop' b", vec![word("A"), Token::Literal, word("B")]),
            (
                "a \"x'\" `y``'` ?",
                vec![word("A"), Token::Literal, Token::Quoted, Token::Placeholder],
            ),
            ("a -- 'x\nb # c\n d", vec![word("A"), word("B"), word("D")]),
            ("a /* 'x */ b--", vec![word("A"), word("B")]),
            ("1;x", vec![Token::Literal, Token::Symbol(';'), word("X")]),
        ] {
            assert_eq!(tokens(sql).as_deref(), Ok(expected.as_slice()), "{sql}");
        }
    }

    #[test]
    fn what_is_read_in_two_ways_is_refused() {
        for sql in [
            "select 1--1",
            "select /*!50000 1 */",
            "select /*M! 1 */",
            "select /*+ x */ 1",
            "select 'x",
            "select /* x",
            "select /* /* */ */ 1",
            "select \"x",
            "select `x",
        ] {
            assert!(tokens(sql).is_err(), "{sql}");
        }
    }
}
