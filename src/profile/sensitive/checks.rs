//! What the form of a value proves.

/// An address: one `@`, a domain with a dot.
pub(crate) fn is_mail(text: &str) -> bool {
    let Some((local, domain)) = text.split_once('@') else { return false };
    let local_ok = |c: char| c.is_alphanumeric() || "!#$%&'*+-/=?^_`{|}~.".contains(c);
    let label = |label: &str| {
        !label.is_empty()
            && !label.starts_with('-')
            && !label.ends_with('-')
            && label.chars().all(|c| c.is_alphanumeric() || c == '-')
    };
    let labels: Vec<&str> = domain.split('.').collect();
    (1..=64).contains(&local.len())
        && local.chars().all(local_ok)
        && !local.starts_with('.')
        && labels.len() >= 2
        && labels.iter().all(|part| label(part))
        && labels.last().is_some_and(|last| {
            last.chars().count() >= 2 && !last.chars().all(|c| c.is_ascii_digit())
        })
}

/// A number to call: `Some(true)` if it is written as one, `Some(false)` if it is digits.
pub(super) fn phone(text: &str) -> Option<bool> {
    let digits = text.chars().filter(char::is_ascii_digit).count();
    let allowed = |c: char| c.is_ascii_digit() || " +-().\u{a0}".contains(c);
    if !(9..=15).contains(&digits) || !text.chars().all(allowed) {
        return None;
    }
    if text.starts_with('+') {
        return Some(true);
    }
    // A date, an order's number and a sum with a minus are no phones: groups are short, and
    // the first is no year.
    let groups: Vec<&str> =
        text.split(|c: char| !c.is_ascii_digit()).filter(|group| !group.is_empty()).collect();
    let is_year = |group: &&str| group.len() == 4 && group.starts_with(['1', '2']);
    let grouped = groups.len() >= 3
        && digits >= 10
        && groups.iter().all(|group| group.len() <= 4)
        && !groups.first().is_some_and(is_year)
        && !text.contains('.')
        && !text.starts_with('-');
    if grouped {
        return Some(false);
    }
    let mobile =
        (digits == 11 && text.starts_with(['7', '8'])) || (digits == 10 && text.starts_with('9'));
    (text.chars().all(|c| c.is_ascii_digit()) && mobile).then_some(false)
}

/// The digits of a text that has nothing else but blanks and hyphens between them.
pub(super) fn digits(text: &str) -> Option<Vec<u32>> {
    let mut digits = Vec::with_capacity(20);
    for c in text.chars() {
        match c.to_digit(10) {
            Some(digit) => digits.push(digit),
            None if matches!(c, ' ' | '-') => {}
            None => return None,
        }
        if digits.len() > 20 {
            return None;
        }
    }
    Some(digits)
}

/// The last digit makes the sum, with every second digit doubled, a multiple of ten.
pub(super) fn luhn(digits: &[u32]) -> bool {
    let sum: u32 = digits
        .iter()
        .rev()
        .enumerate()
        .map(|(at, digit)| match at % 2 {
            0 => *digit,
            _ => digit * 2 / 10 + digit * 2 % 10,
        })
        .sum();
    sum.is_multiple_of(10)
}

/// A card: digits that issuers begin with, as many as they have, and a right check digit.
pub(crate) fn is_card(text: &str) -> bool {
    let Some(digits) = digits(text) else { return false };
    if !super::CARD.contains(&digits.len()) {
        return false;
    }
    let prefix = |count: usize| digits[..count].iter().fold(0, |number, digit| number * 10 + digit);
    let length = digits.len();
    let issued = match prefix(4) {
        4_000..=4_999 => matches!(length, 13 | 16 | 19),
        5_100..=5_599 | 2_221..=2_720 | 2_200..=2_204 => length == 16,
        3_400..=3_499 | 3_700..=3_799 => length == 15,
        3_000..=3_059 | 3_600..=3_699 | 3_800..=3_999 => length == 14,
        3_528..=3_589 => length == 16,
        6_011
        | 6_200..=6_299
        | 6_440..=6_599
        | 5_000..=5_099
        | 5_600..=5_899
        | 6_304
        | 6_759..=6_763 => length >= 16 || (12..=19).contains(&length) && prefix(1) == 5,
        _ => false,
    };
    issued && luhn(&digits)
}

/// Account numbers by country, with their lengths.
const IBAN: &[(&str, usize)] = &[
    ("AD", 24),
    ("AE", 23),
    ("AL", 28),
    ("AT", 20),
    ("AZ", 28),
    ("BA", 20),
    ("BE", 16),
    ("BG", 22),
    ("BH", 22),
    ("BR", 29),
    ("BY", 28),
    ("CH", 21),
    ("CR", 22),
    ("CY", 28),
    ("CZ", 24),
    ("DE", 22),
    ("DK", 18),
    ("DO", 28),
    ("EE", 20),
    ("EG", 29),
    ("ES", 24),
    ("FI", 18),
    ("FO", 18),
    ("FR", 27),
    ("GB", 22),
    ("GE", 22),
    ("GI", 23),
    ("GL", 18),
    ("GR", 27),
    ("GT", 28),
    ("HR", 21),
    ("HU", 28),
    ("IE", 22),
    ("IL", 23),
    ("IQ", 23),
    ("IS", 26),
    ("IT", 27),
    ("JO", 30),
    ("KW", 30),
    ("KZ", 20),
    ("LB", 28),
    ("LI", 21),
    ("LT", 20),
    ("LU", 20),
    ("LV", 21),
    ("MC", 27),
    ("MD", 24),
    ("ME", 22),
    ("MK", 19),
    ("MR", 27),
    ("MT", 31),
    ("MU", 30),
    ("NL", 18),
    ("NO", 15),
    ("PK", 24),
    ("PL", 28),
    ("PS", 29),
    ("PT", 25),
    ("QA", 29),
    ("RO", 24),
    ("RS", 22),
    ("RU", 33),
    ("SA", 24),
    ("SE", 24),
    ("SI", 19),
    ("SK", 24),
    ("SM", 27),
    ("TN", 24),
    ("TR", 26),
    ("UA", 29),
    ("VA", 22),
    ("VG", 24),
    ("XK", 20),
];

/// An IBAN: its country's length, and 1 as the remainder by 97 (ISO 7064).
pub(crate) fn is_iban(text: &str) -> bool {
    let text: String = text.chars().filter(|c| *c != ' ').collect();
    let Some(country) = text.get(..2) else { return false };
    let known = IBAN.iter().any(|(code, length)| *code == country && *length == text.len());
    if !known || !text.bytes().all(|byte| byte.is_ascii_digit() || byte.is_ascii_uppercase()) {
        return false;
    }
    let turned = text[4..].bytes().chain(text[..4].bytes());
    let remainder = turned.fold(0u32, |remainder, byte| match byte {
        b'0'..=b'9' => (remainder * 10 + u32::from(byte - b'0')) % 97,
        _ => (remainder * 100 + u32::from(byte - b'A') + 10) % 97,
    });
    remainder == 1
}

/// How keys begin, and how long they are at least.
const KEYS: &[(&str, usize)] = &[
    ("AKIA", 20),
    ("ASIA", 20),
    ("ghp_", 36),
    ("gho_", 36),
    ("ghs_", 36),
    ("github_pat_", 40),
    ("glpat-", 20),
    ("xoxb-", 20),
    ("xoxp-", 20),
    ("sk_live_", 20),
    ("rk_live_", 20),
    ("sk-", 30),
    ("AIza", 35),
    ("ya29.", 30),
    ("npm_", 36),
    ("pypi-", 40),
    ("hf_", 30),
    ("SG.", 40),
    ("$2a$", 59),
    ("$2b$", 59),
    ("$2y$", 59),
    ("$argon2", 40),
    ("$6$", 40),
    ("$5$", 40),
    ("{SSHA}", 20),
    ("pbkdf2_sha256$", 40),
];

/// A key, a token or a hash of a password, by how it begins.
pub(super) fn is_secret(text: &str) -> bool {
    let begins = |(prefix, length): &(&str, usize)| {
        text.len() >= *length && text.starts_with(prefix) && !text.contains(char::is_whitespace)
    };
    let is_jwt = || {
        let parts: Vec<&str> = text.split('.').collect();
        parts.len() == 3 && text.starts_with("eyJ") && parts.iter().all(|part| part.len() >= 4)
    };
    let has_password = || {
        let address = text.split_once("://").map(|(_, rest)| rest);
        let user = address.and_then(|rest| rest.split_once('@')).map(|(user, _)| user);
        user.is_some_and(|user| user.contains(':') && !user.contains('/') && user.len() < 200)
    };
    KEYS.iter().any(begins)
        || is_jwt()
        || text.contains("-----BEGIN ") && text.contains("PRIVATE KEY")
        || has_password()
}
