//! What a regular expression's groups caught.
//!
//! `regexp_match` gives a list with a place for each group, as in PostgreSQL. The engine's
//! own leaves groups out that took no part in the match, so that those behind them move up:
//! the third group of `(a)(b)?(c)` would be found in the second place. `regexp_extract` gives one
//! group, or the whole match, and an empty text where there is none, as in DuckDB.

use std::sync::Arc;

use arrow::array::{Array as _, AsArray, ListBuilder, StringArray, StringBuilder};
use arrow::datatypes::{DataType, Field, Int64Type};
use datafusion::common::{Result, exec_err, plan_err};
use datafusion::logical_expr::{
    ColumnarValue, ScalarFunctionArgs, ScalarUDF, ScalarUDFImpl, Signature, Volatility,
};
use regex::Regex;

/// Which of the two.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Kind {
    Match,
    Extract,
}

#[derive(Debug, PartialEq, Eq, Hash)]
struct Captured {
    kind: Kind,
    signature: Signature,
}

/// `regexp_match(text, pattern[, flags])`: a list of texts.
pub(super) fn regexp_match() -> Arc<ScalarUDF> {
    of(Kind::Match)
}

/// `regexp_extract(text, pattern[, group[, flags]])`: a text.
pub(super) fn regexp_extract() -> Arc<ScalarUDF> {
    of(Kind::Extract)
}

fn of(kind: Kind) -> Arc<ScalarUDF> {
    let signature = Signature::user_defined(Volatility::Immutable);
    Arc::new(ScalarUDF::new_from_impl(Captured { kind, signature }))
}

impl ScalarUDFImpl for Captured {
    fn name(&self) -> &str {
        match self.kind {
            Kind::Match => "regexp_match",
            Kind::Extract => "regexp_extract",
        }
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn return_type(&self, _: &[DataType]) -> Result<DataType> {
        Ok(match self.kind {
            Kind::Match => DataType::List(Arc::new(Field::new_list_field(DataType::Utf8, true))),
            Kind::Extract => DataType::Utf8,
        })
    }

    fn coerce_types(&self, types: &[DataType]) -> Result<Vec<DataType>> {
        let most = if self.kind == Kind::Match { 3 } else { 4 };
        if !(2..=most).contains(&types.len()) {
            return plan_err!(
                "Function '{}' expects 2 arguments but received {}",
                self.name(),
                types.len()
            );
        }
        let wanted = |at: usize| match (self.kind, at) {
            (Kind::Extract, 2) => DataType::Int64,
            _ => DataType::Utf8,
        };
        for (at, given) in types.iter().enumerate() {
            let fits = match wanted(at) {
                DataType::Int64 => given.is_integer() || given.is_null(),
                _ => {
                    given.is_string()
                        || given.is_null()
                        || matches!(given, DataType::Dictionary(_, values) if values.is_string())
                }
            };
            if !fits {
                return plan_err!(
                    "Function '{}' requires String, but received {given}",
                    self.name()
                );
            }
        }
        Ok((0..types.len()).map(wanted).collect())
    }

    fn invoke_with_args(&self, args: ScalarFunctionArgs) -> Result<ColumnarValue> {
        let all_constant = args.args.iter().all(|arg| matches!(arg, ColumnarValue::Scalar(_)));
        let rows = if all_constant { 1 } else { args.number_rows };
        let arrays = args.args.iter().map(|arg| arg.to_array(rows)).collect::<Result<Vec<_>>>()?;
        let (texts, patterns) = (arrays[0].as_string::<i32>(), arrays[1].as_string::<i32>());
        let flags_at = if self.kind == Kind::Match { 2 } else { 3 };
        let flags = arrays.get(flags_at).map(AsArray::as_string::<i32>);
        let mut compiled = Compiled::default();
        let mut found = Found::of(self.kind);
        for row in 0..rows {
            let given = flags.is_none_or(|flags| flags.is_valid(row));
            let group = arrays.get(2).filter(|_| self.kind == Kind::Extract);
            let group = group.map(AsArray::as_primitive::<Int64Type>);
            let known = group.is_none_or(|group| group.is_valid(row));
            if texts.is_null(row) || patterns.is_null(row) || !given || !known {
                found.nothing();
                continue;
            }
            let flags = flags.map_or("", |flags| flags.value(row));
            let regex = compiled.of(patterns.value(row), flags)?;
            found.take(regex, texts.value(row), group.map_or(0, |group| group.value(row)))?;
        }
        let array = found.finish();
        if all_constant {
            return Ok(ColumnarValue::Scalar(datafusion::common::ScalarValue::try_from_array(
                &array, 0,
            )?));
        }
        Ok(ColumnarValue::Array(array))
    }
}

/// The pattern that was met last; nearly always there is one.
#[derive(Default)]
struct Compiled(Option<(String, String, Regex)>);

impl Compiled {
    fn of(&mut self, pattern: &str, flags: &str) -> Result<&Regex> {
        let is_other =
            |(known, with, _): &(String, String, Regex)| known != pattern || with != flags;
        if self.0.as_ref().is_none_or(is_other) {
            self.0 = Some((pattern.to_owned(), flags.to_owned(), compile(pattern, flags)?));
        }
        match &self.0 {
            Some((_, _, regex)) => Ok(regex),
            None => exec_err!("no regular expression"),
        }
    }
}

fn compile(pattern: &str, flags: &str) -> Result<Regex> {
    if let Some(flag) = flags.chars().find(|flag| !"imsxn".contains(*flag)) {
        return exec_err!("{flag:?} is no flag of a regular expression here: i, m, s and x are");
    }
    let with_flags = match flags.replace('n', "m").as_str() {
        "" => pattern.to_owned(),
        flags => format!("(?{flags}){pattern}"),
    };
    Regex::new(&with_flags).or_else(|_| {
        exec_err!(
            "a regular expression cannot be read: there is no looking ahead or back in one, and no \
             reference to a group"
        )
    })
}

/// What has been found so far.
enum Found {
    Lists(ListBuilder<StringBuilder>),
    Texts(StringBuilder),
}

impl Found {
    fn of(kind: Kind) -> Self {
        match kind {
            Kind::Match => Self::Lists(ListBuilder::new(StringBuilder::new())),
            Kind::Extract => Self::Texts(StringBuilder::new()),
        }
    }

    fn nothing(&mut self) {
        match self {
            Self::Lists(lists) => lists.append_null(),
            Self::Texts(texts) => texts.append_null(),
        }
    }

    fn take(&mut self, regex: &Regex, text: &str, group: i64) -> Result<()> {
        let captures = regex.captures(text);
        match self {
            Self::Lists(lists) => match captures {
                None => lists.append_null(),
                Some(captures) => {
                    // Without groups the whole match is the one.
                    let first = usize::from(captures.len() > 1);
                    for part in captures.iter().skip(first) {
                        lists.values().append_option(part.map(|part| part.as_str()));
                    }
                    lists.append(true);
                }
            },
            Self::Texts(texts) => {
                let Some(group) =
                    usize::try_from(group).ok().filter(|group| *group < regex.captures_len())
                else {
                    return exec_err!(
                        "the regular expression has {} groups, and group {group} is asked for",
                        regex.captures_len() - 1
                    );
                };
                let part = captures.as_ref().and_then(|captures| captures.get(group));
                texts.append_value(part.map_or("", |part| part.as_str()));
            }
        }
        Ok(())
    }

    fn finish(self) -> arrow::array::ArrayRef {
        match self {
            Self::Lists(mut lists) => Arc::new(lists.finish()),
            Self::Texts(mut texts) => {
                let texts: StringArray = texts.finish();
                Arc::new(texts)
            }
        }
    }
}
