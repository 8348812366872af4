//! Patterns of dates as other engines write them.
//!
//! This engine's are strftime's, in which `YYYY-MM` is seven letters that come out as
//! they are: `to_char(day, 'YYYY-MM')` would give every row the text `YYYY-MM`. So a
//! pattern without a `%` is read as PostgreSQL's (or, of `date_format`, as Java's, and with
//! a `%` as MySQL's), and what is not known of it is an error. A month's or a day's name is
//! not padded to nine letters, as PostgreSQL does without `FM`.

use datafusion::sql::sqlparser::ast::{
    Expr, Function, FunctionArg, FunctionArgExpr, FunctionArguments, ObjectNamePart, Value,
    ValueWithSpan,
};

use crate::sql::error::{Code, SqlError};
use crate::sql::parse::of_name;

/// Whose pattern it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Language {
    /// `to_char`, `to_date`, `to_timestamp`.
    Postgres,
    /// `date_format` without a `%`.
    Java,
    /// `date_format` with one.
    MySql,
}

/// Longer ones first.
const POSTGRES: &[(&str, &str)] = &[
    ("FMMonth", "%B"),
    ("FMMM", "%-m"),
    ("FMDay", "%A"),
    ("FMDD", "%-d"),
    ("FMHH24", "%-H"),
    ("FMHH12", "%-I"),
    ("FMHH", "%-I"),
    ("Month", "%B"),
    ("YYYY", "%Y"),
    ("IYYY", "%G"),
    ("HH24", "%H"),
    ("HH12", "%I"),
    ("DDD", "%j"),
    ("Day", "%A"),
    ("Mon", "%b"),
    ("YY", "%y"),
    ("MM", "%m"),
    ("DD", "%d"),
    ("Dy", "%a"),
    ("HH", "%I"),
    ("MI", "%M"),
    ("SS", "%S"),
    ("MS", "%3f"),
    ("US", "%6f"),
    ("IW", "%V"),
    ("AM", "%p"),
    ("PM", "%p"),
    ("am", "%P"),
    ("pm", "%P"),
    ("T", "T"),
    ("Z", "Z"),
];
/// Those of numbers may be written small.
const ANY_CASE: &[&str] =
    &["YYYY", "IYYY", "HH24", "HH12", "DDD", "YY", "MM", "DD", "HH", "MI", "SS", "MS", "US", "IW"];
const JAVA: &[(&str, &str)] = &[
    ("yyyy", "%Y"),
    ("EEEE", "%A"),
    ("MMMM", "%B"),
    ("EEE", "%a"),
    ("MMM", "%b"),
    ("SSS", "%3f"),
    ("yy", "%y"),
    ("MM", "%m"),
    ("dd", "%d"),
    ("HH", "%H"),
    ("hh", "%I"),
    ("mm", "%M"),
    ("ss", "%S"),
    ("M", "%-m"),
    ("d", "%-d"),
    ("H", "%-H"),
    ("a", "%p"),
    ("E", "%a"),
];
const MYSQL: &[(&str, &str)] = &[
    ("%Y", "%Y"),
    ("%y", "%y"),
    ("%M", "%B"),
    ("%b", "%b"),
    ("%m", "%m"),
    ("%c", "%-m"),
    ("%d", "%d"),
    ("%e", "%-d"),
    ("%j", "%j"),
    ("%W", "%A"),
    ("%a", "%a"),
    ("%H", "%H"),
    ("%k", "%-H"),
    ("%h", "%I"),
    ("%I", "%I"),
    ("%l", "%-I"),
    ("%i", "%M"),
    ("%s", "%S"),
    ("%S", "%S"),
    ("%f", "%6f"),
    ("%p", "%p"),
    ("%T", "%H:%M:%S"),
    ("%v", "%V"),
    ("%x", "%G"),
    ("%%", "%%"),
];

/// The pattern in strftime's words.
///
/// # Errors
/// The part of it that is not known.
fn strftime(pattern: &str, language: Language) -> Result<String, String> {
    let parts = match language {
        Language::Postgres => POSTGRES,
        Language::Java => JAVA,
        Language::MySql => MYSQL,
    };
    let quote = match language {
        Language::Postgres => Some('"'),
        Language::Java => Some('\''),
        Language::MySql => None,
    };
    let mut said = String::new();
    let mut rest = pattern;
    let mut parts_found = 0;
    while let Some(first) = rest.chars().next() {
        if Some(first) == quote {
            let (text, after) = rest[1..].split_once(first).ok_or_else(|| rest.to_owned())?;
            said.push_str(&text.replace('%', "%%"));
            rest = after;
        } else if let Some((theirs, ours)) =
            parts.iter().find(|(theirs, _)| begins(rest, theirs, language))
        {
            said.push_str(ours);
            parts_found += 1;
            rest = &rest[theirs.len()..];
        } else if first == '%' || (first.is_alphabetic() && language != Language::MySql) {
            return Err(rest.chars().take_while(|c| *c == '%' || c.is_alphabetic()).collect());
        } else {
            said.push(first);
            rest = &rest[first.len_utf8()..];
        }
    }
    if parts_found == 0 { Err(pattern.to_owned()) } else { Ok(said) }
}

/// Patterns of a call in strftime's words, and the call under this engine's name.
pub(super) fn settle(called: &str, function: &mut Function) -> Result<(), SqlError> {
    let at = of_name(&function.name);
    let FunctionArguments::List(list) = &mut function.args else { return Ok(()) };
    // SQLite has the pattern first.
    if called == "strftime"
        && let [first, second] = list.args.as_mut_slice()
        && literal(first).is_some_and(|text| text.contains('%'))
        && literal(second).is_none()
    {
        std::mem::swap(first, second);
    }
    let is_date_format = called == "date_format";
    if !is_date_format && !["to_char", "to_date", "to_timestamp"].contains(&called) {
        if called == "strftime" && list.args.len() == 2 {
            rename(function);
        }
        return Ok(());
    }
    for pattern in list.args.iter_mut().skip(1).filter_map(literal) {
        let language = match (is_date_format, pattern.contains('%')) {
            (true, true) => Language::MySql,
            (true, false) => Language::Java,
            (false, true) => continue,
            (false, false) => Language::Postgres,
        };
        *pattern = strftime(pattern, language).map_err(|part| {
            SqlError::new(
                Code::Value,
                format!("{called} does not know {part:?} in the pattern {pattern:?}"),
            )
            .at(at)
            .next("write to_char(date, '%Y-%m-%d %H:%M:%S'), with the parts of strftime")
        })?;
    }
    if is_date_format {
        rename(function);
    }
    Ok(())
}

fn rename(function: &mut Function) {
    if let [ObjectNamePart::Identifier(name)] = function.name.0.as_mut_slice() {
        "to_char".clone_into(&mut name.value);
    }
}

fn literal(argument: &mut FunctionArg) -> Option<&mut String> {
    match argument {
        FunctionArg::Unnamed(FunctionArgExpr::Expr(Expr::Value(ValueWithSpan {
            value: Value::SingleQuotedString(text),
            ..
        }))) => Some(text),
        _ => None,
    }
}

fn begins(rest: &str, theirs: &str, language: Language) -> bool {
    let Some(head) = rest.get(..theirs.len()) else { return false };
    let any_case = language == Language::Postgres && ANY_CASE.contains(&theirs);
    head == theirs || (any_case && head.eq_ignore_ascii_case(theirs))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_of_others_are_strftime_s() {
        for (language, theirs, ours) in [
            (Language::Postgres, "YYYY-MM-DD HH24:MI:SS", "%Y-%m-%d %H:%M:%S"),
            (Language::Postgres, "yyyy-mm", "%Y-%m"),
            (Language::Postgres, "DD.MM.YY HH12 AM", "%d.%m.%y %I %p"),
            (Language::Postgres, "Mon FMDD, YYYY", "%b %-d, %Y"),
            (Language::Postgres, "YYYY-MM-DD\"T100%\"HH24", "%Y-%m-%dT100%%%H"),
            (Language::Postgres, "IYYY-IW", "%G-%V"),
            (Language::Java, "yyyy-MM-dd'T'HH:mm", "%Y-%m-%dT%H:%M"),
            (Language::MySql, "%Y-%m-%d %H:%i", "%Y-%m-%d %H:%M"),
            (Language::MySql, "%M %e", "%B %-d"),
        ] {
            assert_eq!(strftime(theirs, language).as_deref(), Ok(ours), "{theirs}");
        }
    }

    #[test]
    fn what_is_not_known_is_no_letter_of_the_result() {
        for (language, pattern, part) in [
            (Language::Postgres, "Q", "Q"),
            (Language::Postgres, "999", "999"),
            (Language::Postgres, "YYYY MONTH", "MONTH"),
            (Language::Postgres, "\"open", "\"open"),
            (Language::Java, "YYYY", "YYYY"),
            (Language::MySql, "%Y %D", "%D"),
        ] {
            assert_eq!(strftime(pattern, language), Err(part.to_owned()), "{pattern}");
        }
    }
}
