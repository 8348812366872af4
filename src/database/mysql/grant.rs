//! One line of `SHOW GRANTS`.

/// What it gives.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Grant {
    /// `GRANT rights ON object TO someone`.
    Rights { rights: Vec<String>, object: String, to: String, passes_on: bool },
    /// `GRANT role, role TO someone`, each as the server quotes it.
    Roles { roles: Vec<String>, to: String },
    /// A line that gives nothing: which role is switched on first; what was taken away.
    Nothing,
    /// Something else, up to its first words that may be a secret.
    Unknown(String),
}

/// Reads a line.
pub(super) fn parse(line: &str) -> Grant {
    if line.starts_with("SET DEFAULT ROLE ") || line.starts_with("REVOKE ") {
        return Grant::Nothing;
    }
    let unknown = || Grant::Unknown(before(line, " IDENTIFIED ").to_owned());
    let Some(rest) = line.strip_prefix("GRANT ") else {
        return unknown();
    };
    let Some(to_at) = find(rest, " TO ") else {
        return unknown();
    };
    let (given, to) = (&rest[..to_at], &rest[to_at + 4..]);
    let passes_on = find(to, " WITH ").is_some_and(|at| to[at..].contains("GRANT OPTION"));
    let to = [" IDENTIFIED ", " REQUIRE ", " WITH "].iter().fold(to, |to, mark| before(to, mark));
    match find(given, " ON ") {
        Some(at) => Grant::Rights {
            rights: parts(&given[..at]),
            object: given[at + 4..].to_owned(),
            to: to.to_owned(),
            passes_on,
        },
        None => Grant::Roles { roles: parts(given), to: to.to_owned() },
    }
}

impl Grant {
    /// Whether its object has something in a database.
    pub(super) fn covers(&self, database: &str) -> bool {
        let Self::Rights { rights, object, .. } = self else {
            return false;
        };
        if object == "*.*" {
            return rights.iter().any(|right| right != "USAGE");
        }
        let object = ["PROCEDURE ", "FUNCTION ", "PACKAGE BODY ", "PACKAGE "]
            .iter()
            .find_map(|kind| object.strip_prefix(kind))
            .unwrap_or(object);
        let Some(name) = object.strip_prefix('`') else {
            return false;
        };
        let Some(end) = find_quote(name) else {
            return false;
        };
        let (pattern, rest) = (name[..end].replace("``", "`"), &name[end + 1..]);
        // Only in grants on whole databases the name is a pattern.
        if rest == ".*" { is_like(&pattern, database) } else { pattern == database }
    }
}

/// Whether a name is like a pattern of `%`, `_` and `\`.
fn is_like(pattern: &str, name: &str) -> bool {
    let mut letters = pattern.chars();
    let Some(first) = letters.next() else {
        return name.is_empty();
    };
    let rest = letters.as_str();
    match first {
        '%' => {
            let ends = name.char_indices().map(|(at, _)| at).chain([name.len()]);
            ends.into_iter().any(|at| is_like(rest, &name[at..]))
        }
        '_' => name.chars().next().is_some_and(|c| is_like(rest, &name[c.len_utf8()..])),
        '\\' => {
            let Some(letter) = letters.next() else {
                return name == "\\";
            };
            name.strip_prefix(letter).is_some_and(|name| is_like(letters.as_str(), name))
        }
        letter => name.strip_prefix(letter).is_some_and(|name| is_like(rest, name)),
    }
}

/// The end of a name in backquotes that has begun.
fn find_quote(name: &str) -> Option<usize> {
    let mut skip = false;
    for (at, letter) in name.char_indices() {
        if skip {
            skip = false;
        } else if letter == '`' {
            if !name[at + 1..].starts_with('`') {
                return Some(at);
            }
            skip = true;
        }
    }
    None
}

fn before<'a>(text: &'a str, mark: &str) -> &'a str {
    find(text, mark).map_or(text, |at| &text[..at])
}

/// Where a mark is, outside of quotes and brackets.
fn find(text: &str, mark: &str) -> Option<usize> {
    plain(text).find(|(at, _)| text[*at..].starts_with(mark)).map(|(at, _)| at)
}

/// What is between commas, outside of quotes and brackets.
fn parts(text: &str) -> Vec<String> {
    let commas = plain(text).filter(|(_, letter)| *letter == ',').map(|(at, _)| at);
    let mut parts = Vec::new();
    let mut start = 0;
    for at in commas.chain([text.len()]) {
        parts.push(text[start..at].trim().to_owned());
        start = (at + 1).min(text.len());
    }
    parts
}

/// The letters outside of quotes and brackets, with their places.
fn plain(text: &str) -> impl Iterator<Item = (usize, char)> {
    let (mut quote, mut depth) = (None, 0_usize);
    text.char_indices().filter(move |(_, letter)| match (quote, *letter) {
        (Some(open), letter) => {
            if letter == open {
                quote = None;
            }
            false
        }
        (None, '`' | '\'' | '"') => {
            quote = Some(*letter);
            false
        }
        (None, '(') => {
            depth += 1;
            false
        }
        (None, ')') => {
            depth = depth.saturating_sub(1);
            false
        }
        (None, _) => depth == 0,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_may_look_like_words() {
        let grant =
            parse("GRANT SELECT (`a ON b`, `c`) ON `x TO y`.`t` TO `u WITH`@`%` WITH GRANT OPTION");
        assert_eq!(
            grant,
            Grant::Rights {
                rights: vec!["SELECT (`a ON b`, `c`)".to_owned()],
                object: "`x TO y`.`t`".to_owned(),
                to: "`u WITH`@`%`".to_owned(),
                passes_on: true,
            }
        );
        let roles = parse("GRANT `a`@`%`,`b`@`%` TO `u`@`%`");
        let Grant::Roles { roles, .. } = roles else { panic!("{roles:?}") };
        assert_eq!(roles, ["`a`@`%`", "`b`@`%`"]);
    }

    #[test]
    fn a_secret_is_not_said() {
        let Grant::Unknown(line) = parse("ODD ON x IDENTIFIED BY PASSWORD '*D8'") else { panic!() };
        assert!(!line.contains("D8"));
    }

    #[test]
    fn a_database_is_covered_as_the_server_reads_names() {
        for (object, database, expected) in [
            ("`shop`.*", "shop", true),
            ("`sh%`.*", "shop", true),
            ("`s\\_p`.*", "sop", false),
            ("`s\\_p`.*", "s_p", true),
            ("`sh%`.`t`", "shop", false),
            ("*.*", "mysql", true),
            ("PROCEDURE `shop`.`p`", "shop", true),
        ] {
            let grant = parse(&format!("GRANT SELECT ON {object} TO `u`@`%`"));
            assert_eq!(grant.covers(database), expected, "{object}");
        }
        assert!(!parse("GRANT USAGE ON *.* TO `u`@`%`").covers("mysql"));
    }
}
