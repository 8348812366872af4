//! What a pattern cannot say of what it found.
//!
//! A check is given the text and where the pattern matched, and answers what of it is to be
//! hidden: a part of it, or nothing.

use std::ops::Range;

use serde::Deserialize;

use crate::profile::forms::{is_card, is_formed_id, is_iban, is_mail};

/// A check of a rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Check {
    /// Something that is no placeholder.
    Value,
    /// As a key is: not one word of small letters, no number, no path.
    Opaque,
    /// Letters and digits, or letters of both cases.
    Mixed,
    /// Name and password of an address, and not its port.
    Userinfo,
    /// The header is one.
    Jwt,
    /// An address for mail, and no file and no unit of a system.
    Mail,
    /// ISO 7064.
    Iban,
    /// Luhn, and numbers that are issued.
    Card,
    /// The check digits of states.
    NationalId,
    /// As many digits as a number to call has.
    Phone,
    /// The same after a word that says so.
    Called,
    /// An address, and no version.
    Ipv4,
    /// An address, and no time and no path of code.
    Ipv6,
    /// A name of a network of one's own, and no path of code.
    Host,
    /// A name without a domain.
    Machine,
}

impl Check {
    /// Whether a piece of what did not pass could. Of the others, what is false of the whole is
    /// false of its pieces.
    pub(super) fn may_pass_within(self) -> bool {
        !matches!(self, Self::Value | Self::Opaque | Self::Mixed | Self::Jwt | Self::Machine)
    }

    /// What of a match is to be hidden.
    pub(super) fn of(self, text: &str, at: Range<usize>) -> Option<Range<usize>> {
        let found = &text[at.clone()];
        let all = |holds: bool| holds.then(|| at.clone());
        match self {
            Self::Value => all(is_value(found)),
            Self::Opaque => all(is_value(found) && is_opaque(found)),
            Self::Mixed => all(is_mixed(found)),
            Self::Userinfo => all(is_userinfo(found)),
            Self::Jwt => all(is_jwt(found)),
            Self::Mail => mail(text, at),
            Self::Iban => iban(text, at),
            Self::Card => card(text, at),
            Self::NationalId => all(is_formed_id(found)),
            Self::Phone => all(is_alone(text, &at) && is_phone(found)),
            Self::Called => all((7..=15).contains(&digits(found)) && !is_date(found)),
            Self::Ipv4 => all(is_ipv4(text, &at)),
            Self::Ipv6 => ipv6(text, at),
            Self::Host => all(is_host(text, &at)),
            Self::Machine => all(is_machine(text, &at)),
        }
    }
}

fn before(text: &str, at: usize) -> Option<char> {
    text[..at].chars().next_back()
}

fn after(text: &str, at: usize) -> Option<char> {
    text[at..].chars().next()
}

fn digits(text: &str) -> usize {
    text.bytes().filter(u8::is_ascii_digit).count()
}

/// Words that stand where a value would.
const NO_VALUES: &[&str] = &[
    "",
    "none",
    "null",
    "nil",
    "true",
    "false",
    "yes",
    "no",
    "undefined",
    "nan",
    "empty",
    "unset",
    "redacted",
    "masked",
    "hidden",
    "required",
    "missing",
    "invalid",
    "incorrect",
    "wrong",
    "expired",
    "changed",
    "optional",
    "str",
    "string",
    "int",
    "bytes",
    "text",
    "varchar",
];

fn is_value(found: &str) -> bool {
    let word = found.trim().trim_end_matches(['.', ',', ';', ')', ']', '}', ':']);
    let is_reference = |open: &str, close: &str| word.starts_with(open) && found.contains(close);
    !(NO_VALUES.contains(&word.to_lowercase().as_str())
        || word.chars().all(|c| matches!(c, '*' | '•' | '.' | '-' | '?' | '#'))
        || word.chars().all(|c| matches!(c, 'x' | 'X'))
        || is_reference("${", "}")
        || is_reference("{{", "}}")
        || is_reference("$(", ")")
        || is_reference("%(", ")")
        // `{{ name }}`, without the brace that the pattern takes.
        || word.starts_with('{')
        || word.starts_with("os.environ")
        || word.starts_with("os.getenv")
        || word.starts_with("getenv("))
}

/// One word in small letters, a number, a path or a date is what many a thing is called;
/// what is drawn by chance is none of these.
fn is_opaque(found: &str) -> bool {
    let found = found.trim();
    let count = found.chars().count();
    let has = |what: fn(char) -> bool| found.chars().any(what);
    let (small, great) = (has(|c| c.is_ascii_lowercase()), has(|c| c.is_ascii_uppercase()));
    let (digit, sign) = (has(|c| c.is_ascii_digit()), has(|c| c.is_ascii_punctuation()));
    let is_number = found.chars().all(|c| c.is_ascii_digit() || ".,-+_:TZ".contains(c));
    let is_capitalised = great && found.chars().skip(1).all(|c| !c.is_ascii_uppercase());
    let mixed = digit || (small && great && !is_capitalised) || count >= 16 && !found.contains(' ');
    let is_uuid = count == 36 && found.matches('-').count() == 4;
    let is_path = found.starts_with(['/', '~', '.']) && !found.contains('=');
    if is_number {
        return count >= 16 && !found.contains(['.', ',', ':']);
    }
    count >= 6 && (mixed || sign && (digit || great)) && !is_path && !found.contains("()")
        || is_uuid
}

fn is_mixed(found: &str) -> bool {
    let has = |what: fn(&u8) -> bool| found.bytes().filter(what).count();
    let digits = has(u8::is_ascii_digit);
    let letters = has(u8::is_ascii_alphabetic);
    let great = has(u8::is_ascii_uppercase);
    let small = letters - great;
    let signs = has(u8::is_ascii_punctuation);
    letters > 0 && digits > 0 && !found.starts_with("0x")
        || (great > 2 && small > 2)
        || (letters > 0 && signs > 0 && found.chars().any(|c| "!@#$%^&*+=".contains(c)))
}

/// `name:password`; a port with a path is none.
fn is_userinfo(found: &str) -> bool {
    let Some((_, password)) = found.split_once(':') else { return false };
    let port = password.bytes().take_while(u8::is_ascii_digit).count();
    let is_port = (1..=5).contains(&port) && password[port..].starts_with(['/', '?', '#']);
    !is_port && is_value(password)
}

/// The header is an object that says how the token is made.
fn is_jwt(found: &str) -> bool {
    let header = found.split('.').next().unwrap_or_default();
    let Some((_, decoded, _)) = super::encoded::runs(header).into_iter().next() else {
        return false;
    };
    decoded.starts_with('{')
        && ["\"alg\"", "\"typ\"", "\"enc\"", "\"kid\""].iter().any(|key| decoded.contains(key))
}

/// Endings of names with an `@` that are no domains.
const NO_DOMAINS: &[&str] = &[
    "service", "socket", "timer", "mount", "target", "slice", "scope", "device", "path", "swap",
    "png", "jpg", "jpeg", "gif", "svg", "webp", "py", "js", "ts", "rs", "java", "css", "html",
];

fn mail(text: &str, at: Range<usize>) -> Option<Range<usize>> {
    let found = &text[at.clone()];
    let found = found.trim_end_matches(['.', '-']);
    // What stands before it without a blank is no part of it: `to=a@b.c`.
    let local = &found[..found.find('@')?];
    let start =
        local.rfind(['=', '/', '|', '`', '*', '{', '}', '?', '&', '\'']).map_or(0, |at| at + 1);
    let address = found[start..].trim_start_matches(['.', '-', '!', '#', '$', '%']);
    let ending = address.rsplit('.').next().unwrap_or_default().to_lowercase();
    let begin = at.start + found.len() - address.len();
    (is_mail(address) && !NO_DOMAINS.contains(&ending.as_str()))
        .then(|| begin..begin + address.len())
}

/// The longest beginning that is one: what follows may be the next word.
fn iban(text: &str, at: Range<usize>) -> Option<Range<usize>> {
    let found = &text[at.clone()];
    let mut kept = String::with_capacity(40);
    let mut end = None;
    for (place, c) in found.char_indices() {
        if matches!(c, ' ' | '-') {
            continue;
        }
        kept.push(c.to_ascii_uppercase());
        if (15..=34).contains(&kept.len()) && is_iban(&kept) {
            end = Some(at.start + place + c.len_utf8());
        }
    }
    end.map(|end| at.start..end)
}

/// A number that is not a part of a longer one.
fn card(text: &str, at: Range<usize>) -> Option<Range<usize>> {
    let is_part = |c: Option<char>| c.is_some_and(|c| c.is_ascii_alphanumeric() || c == '_');
    if is_part(before(text, at.start)) || is_part(after(text, at.end)) {
        return None;
    }
    let found = &text[at.clone()];
    let marks: Vec<char> = found.chars().filter(|c| !c.is_ascii_digit()).collect();
    let same = marks.windows(2).all(|pair| pair[0] == pair[1]);
    // 16 digits with one point are a decimal number.
    let is_decimal = marks.len() == 1 || before(text, at.start) == Some('.');
    (same && !is_decimal && is_card(&found.replace('.', "-"))).then_some(at)
}

fn is_date(found: &str) -> bool {
    let groups: Vec<&str> = found.split(|c: char| !c.is_ascii_digit()).collect();
    let lengths: Vec<usize> = groups.iter().map(|group| group.len()).collect();
    matches!(lengths.get(..3), Some([4, 2, 2] | [2, 2, 4]))
        && (groups[0].starts_with(['1', '2']) || lengths[0] == 2)
}

fn is_alone(text: &str, at: &Range<usize>) -> bool {
    let joins = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || "._-+/:=#".contains(c));
    let joined_before =
        before(text, at.start).is_some_and(|c| c.is_alphanumeric() || "._-+/#".contains(c));
    let next = after(text, at.end);
    let ends = next == Some('.') && !after(text, at.end + 1).is_some_and(char::is_alphanumeric);
    !joined_before && (ends || matches!(next, Some(':' | '-' | '/')) || !joins(next))
}

fn is_phone(found: &str) -> bool {
    let count = digits(found);
    let written =
        found.starts_with('+') || found.contains('(') || found.matches(['-', '.']).count() >= 2;
    (9..=15).contains(&count) && written && !is_date(found)
}

/// Whether a version is what stands there: after `v`, a name with a hyphen, or the word.
fn is_version(text: &str, start: usize) -> bool {
    let near = &text[text.ceil_char_boundary(start.saturating_sub(24))..start];
    let near = near.rsplit('\n').next().unwrap_or_default();
    let lower = near.to_lowercase();
    let word = lower.trim_end_matches([' ', ':', '=', '"', '\'', '~', '>', '<', '^', '(']);
    lower.ends_with(['v', '_']) && !lower.ends_with("_v_")
        || lower.ends_with("==")
        || lower.ends_with('-') && lower.chars().rev().nth(1).is_some_and(char::is_alphanumeric)
        || ["version", "release", "build", "ver", "driver", "section", "firmware"]
            .iter()
            .any(|name| word.ends_with(name))
}

fn is_ipv4(text: &str, at: &Range<usize>) -> bool {
    let found = &text[at.clone()];
    let address = found.split('/').next().unwrap_or_default();
    let Ok(address) = address.parse::<core::net::Ipv4Addr>() else { return false };
    let joined = before(text, at.start).is_some_and(|c| c.is_ascii_digit() || c == '.');
    let next = after(text, at.end);
    let longer = next.is_some_and(char::is_alphanumeric)
        || next == Some('.') && after(text, at.end + 1).is_some_and(|c| c.is_ascii_digit());
    let octets = address.octets();
    // `1.2.3.4` is a version or a chapter more often than a machine.
    let is_small = octets.iter().all(|octet| *octet <= 20)
        && octets[0] != 10
        && !found.contains('/')
        && next != Some(':');
    let tells_nothing = address.is_loopback() || address.is_unspecified() || address.is_broadcast();
    !joined && !longer && !is_small && !tells_nothing && !is_version(text, at.start)
}

fn ipv6(text: &str, at: Range<usize>) -> Option<Range<usize>> {
    let joins =
        |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || matches!(c, '_' | ':' | '.'));
    let found = text[at.clone()].trim_end_matches(['.', ':']);
    let end = at.start + found.len();
    let address = found.split('%').next().unwrap_or_default();
    let parsed: core::net::Ipv6Addr = address.parse().ok()?;
    let is_code = address.contains("::") && !address.bytes().any(|byte| byte.is_ascii_digit());
    let joined = joins(before(text, at.start))
        || text[end..].starts_with(|c: char| c.is_alphanumeric() || c == '_');
    let tells_nothing = parsed.is_loopback() || parsed.is_unspecified();
    (!is_code && !joined && !tells_nothing).then_some(at.start..end)
}

/// First parts of dotted names of code.
const CODE: &[&str] = &[
    "self",
    "this",
    "cls",
    "threading",
    "config",
    "settings",
    "os",
    "sys",
    "com",
    "org",
    "io",
    "java",
    "javax",
    "net",
    "github",
    "python",
    "asyncio",
    "logging",
    "numpy",
    "pandas",
    "np",
    "pd",
    "app",
    "env",
    "process",
    "module",
    "package",
    "src",
    "lib",
];

fn is_host(text: &str, at: &Range<usize>) -> bool {
    let found = &text[at.clone()];
    let next = after(text, at.end);
    let is_called = matches!(next, Some('(' | '[' | '='))
        || next == Some('.')
            && after(text, at.end + 1).is_some_and(|c| c.is_alphanumeric() || c == '_');
    let first = found.split('.').next().unwrap_or_default().to_lowercase();
    let is_file = before(text, at.start).is_some_and(|c| matches!(c, '/' | '\\'))
        && !text[..at.start].ends_with("//");
    let weak = ["prod", "staging", "stage", "ad", "private", "priv", "local", "svc"];
    let ending = found.rsplit('.').next().unwrap_or_default().to_lowercase();
    // Two words of letters can be anything: `threading.local`, `table.prod`.
    let is_plain = weak.contains(&ending.as_str())
        && found.matches('.').count() == 1
        && first.chars().all(|c| c.is_ascii_alphabetic() || c == '_');
    !is_called && !is_file && !is_plain && !CODE.contains(&first.as_str())
}

/// What is named like a machine and is none.
const NO_MACHINES: &[&str] =
    &["localhost", "host", "hostname", "none", "null", "true", "false", "unix", "example"];

/// Schemes whose first part is a container of files.
const BUCKETS: &[&str] = &[
    "s3", "s3a", "s3n", "gs", "gcs", "file", "wasb", "wasbs", "az", "oss", "cos", "dbfs", "adl",
    "abfs", "abfss", "data", "arn", "dataset", "memory", "sqlite", "ui",
];

fn is_machine(text: &str, at: &Range<usize>) -> bool {
    let found = text[at.clone()].trim_end_matches(['.', '-', '_']);
    let scheme = text[..at.start].strip_suffix("://").map(|head| {
        let near = &head[head.ceil_char_boundary(head.len().saturating_sub(12))..];
        let is_mark = |c: char| !c.is_ascii_alphanumeric() && c != '+';
        near.rsplit(is_mark).next().unwrap_or_default().to_lowercase()
    });
    let is_bucket = scheme.is_some_and(|scheme| BUCKETS.contains(&scheme.as_str()));
    // A password whose end looks like a host is hidden by another rule.
    !found.contains('.')
        && found.len() >= 2
        && found.bytes().any(|byte| byte.is_ascii_alphabetic())
        && !NO_MACHINES.contains(&found.to_lowercase().as_str())
        && !is_bucket
}
