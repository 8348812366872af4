//! What a number format says of the number: a date, a length of time, a unit.
//!
//! A cell of a sheet holds a bare number; only its format makes a day, euros or percent of
//! it. The grammar is that of ECMA-376, 18.8.31. Of a format with several sections
//! (positive; negative; zero) the first speaks for all.

use crate::units::{Currency, Measure, Unit, clash, sign};

/// What a number is shown as.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Shown {
    Number(Option<Unit>),
    /// Days since the workbook's first.
    Moment,
    /// Hours that go on after 24.
    Duration,
}

/// Currencies whose sign is several countries', by the locale beside it in `[$kr-41D]`.
const BY_LOCALE: &[(&str, u32, &str)] = &[
    ("$", 0x409, "USD"),
    ("$", 0xC09, "AUD"),
    ("$", 0x1009, "CAD"),
    ("$", 0xC0C, "CAD"),
    ("$", 0x1409, "NZD"),
    ("$", 0x4809, "SGD"),
    ("$", 0xC04, "HKD"),
    ("$", 0x80A, "MXN"),
    ("$", 0x2C0A, "ARS"),
    ("$", 0x340A, "CLP"),
    ("$", 0x240A, "COP"),
    ("¥", 0x411, "JPY"),
    ("¥", 0x804, "CNY"),
    ("￥", 0x804, "CNY"),
    ("kr", 0x41D, "SEK"),
    ("kr", 0x414, "NOK"),
    ("kr", 0x406, "DKK"),
    ("kr.", 0x406, "DKK"),
    ("kr", 0x40F, "ISK"),
    ("р.", 0x419, "RUB"),
    ("R", 0x1C09, "ZAR"),
    ("Rs", 0x439, "INR"),
    ("Fr.", 0x807, "CHF"),
];

/// What the first section of a format has.
#[derive(Debug, Default)]
struct Section {
    /// Texts that stand beside the number, and currencies with the locale of their country.
    literals: Vec<String>,
    currencies: Vec<(String, Option<u32>)>,
    percent: bool,
    moment: bool,
    duration: bool,
}

/// Reads a format.
pub(super) fn read(code: &str) -> Shown {
    let section = section(code);
    if section.duration {
        return Shown::Duration;
    }
    if section.moment {
        return Shown::Moment;
    }
    Shown::Number(section.unit())
}

/// What the formats that every workbook has without naming them are. Those of money take the
/// currency of whoever looks, so they name none.
pub(super) fn built_in(id: u32) -> Shown {
    match id {
        9 | 10 => Shown::Number(Some(Unit::Measure(Measure::Fraction))),
        14..=22 | 27..=36 | 45 | 47 | 50..=58 => Shown::Moment,
        46 => Shown::Duration,
        _ => Shown::Number(None),
    }
}

fn section(code: &str) -> Section {
    let mut section = Section::default();
    let mut literal = String::new();
    let mut rest = code.chars();
    while let Some(character) = rest.next() {
        match character {
            ';' => break,
            '"' => literal.extend(rest.by_ref().take_while(|c| *c != '"')),
            '\\' => literal.extend(rest.next()),
            // The width of a character; one that fills the cell.
            '_' | '*' => {
                rest.next();
            }
            '[' => {
                let inner: String = rest.by_ref().take_while(|c| *c != ']').collect();
                section.bracket(&inner);
            }
            '%' => section.percent = true,
            'd' | 'D' | 'm' | 'M' | 'h' | 'H' | 'y' | 'Y' | 's' | 'S' => section.moment = true,
            ' ' => literal.push(' '),
            '$' => literal.push('$'),
            other if !other.is_ascii() => literal.push(other),
            _ if literal.trim().is_empty() => literal.clear(),
            _ => section.literals.push(std::mem::take(&mut literal)),
        }
    }
    section.literals.push(literal);
    section
}

impl Section {
    /// `[$€-407]`, `[$-409]`, `[h]`, `[Red]`, `[>100]`.
    fn bracket(&mut self, inner: &str) {
        if let Some(currency) = inner.strip_prefix('$') {
            let (name, locale) = currency.rsplit_once('-').unwrap_or((currency, ""));
            let locale = u32::from_str_radix(locale, 16).ok().map(|locale| locale & 0xFFFF);
            if !name.trim().is_empty() {
                self.currencies.push((name.trim().to_owned(), locale));
            }
            return;
        }
        let mut letters = inner.chars().map(|c| c.to_ascii_lowercase());
        if let Some(first) = letters.next().filter(|c| matches!(c, 'h' | 'm' | 's')) {
            self.duration |= letters.all(|c| c == first);
        }
    }

    /// The one unit that all of it names, if they agree.
    fn unit(&self) -> Option<Unit> {
        let mut units: Vec<Unit> = self.currencies.iter().filter_map(currency).collect();
        units.extend(self.literals.iter().filter_map(|literal| sign(&format!("1 {literal}"))));
        if self.percent {
            units.push(Unit::Measure(Measure::Fraction));
        }
        let first = *units.first()?;
        let one = units.iter().all(|unit| !clash(&first.to_string(), &unit.to_string()));
        (one && first.is_told()).then_some(first)
    }
}

fn currency((name, locale): &(String, Option<u32>)) -> Option<Unit> {
    let by_locale = |(sign, of, _): &&(&str, u32, &str)| sign == name && Some(*of) == *locale;
    if let Some((_, _, code)) = BY_LOCALE.iter().find(by_locale) {
        return Currency::of_code(code).map(Unit::money);
    }
    // A dollar of a country that is not in the list is not the dollar of the USA.
    let shared = BY_LOCALE.iter().any(|(sign, ..)| sign == name);
    let is_foreign = shared && locale.is_some_and(|locale| locale != 0);
    if is_foreign { None } else { sign(&format!("1 {name}")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Formats as Excel, LibreOffice and openpyxl write them, and what Excel shows by them.
    #[test]
    fn a_format_says_what_a_number_is() {
        for (code, want) in [
            ("General", ""),
            ("0.00", ""),
            ("#,##0 ;[Red](#,##0)", ""),
            ("0.00E+00", ""),
            ("[$€-407] #,##0.00", "EUR"),
            ("#,##0.00 [$€-407]", "EUR"),
            (
                "_-* #,##0.00\\ [$€-407]_-;\\-* #,##0.00\\ [$€-407]_-;_-* \"-\"??\\ [$€-407]_-",
                "EUR",
            ),
            ("\"$\"#,##0", "USD"),
            ("$#,##0.00;[Red]-$#,##0.00", "USD"),
            ("_($* #,##0.00_);_($* \\(#,##0.00\\);_($* \"-\"??_);_(@_)", "USD"),
            ("[$$-409]#,##0.00", "USD"),
            ("[$$-C09]#,##0.00", "AUD"),
            ("[$$-540A]#,##0.00", ""),
            ("[$£-809]#,##0.00", "GBP"),
            ("[$¥-411]#,##0", "JPY"),
            ("[$¥-804]#,##0", "CNY"),
            ("[$kr-41D]#,##0", "SEK"),
            ("[$USD] #,##0.00", "USD"),
            ("#,##0.00\\ \"₽\"", "RUB"),
            ("#,##0\\ [$₽-419]", "RUB"),
            ("#,##0.00\\ \\€", "EUR"),
            ("#,##0.00€", "EUR"),
            ("0%", "fraction"),
            ("0.0%", "fraction"),
            ("0.0\\%", "%"),
            ("0.0\" %\"", "%"),
            ("#,##0\" kg\"", "kg"),
            ("\"$\"0.00\" /kg\"", ""),
            ("[$-409]#,##0.00", ""),
            ("[Blue]0.0", ""),
            ("\"Total \"0", ""),
            ("0\" items\"", ""),
            ("yyyy-mm-dd", "moment"),
            ("[$-409]mmmm\\ d\\,\\ yyyy;@", "moment"),
            ("m\"M\"d\"D\";@", "moment"),
            ("h:mm AM/PM", "moment"),
            ("[h]:mm:ss", "duration"),
            ("[mm]:ss", "duration"),
            ("[Blue]\\+[h]:mm;[Red]\\-[h]:mm;[Green][h]:mm", "duration"),
            ("#,##0.0####\" YMD\"", ""),
            ("\\Y000000", ""),
            ("\"unclosed", ""),
            ("[unclosed", ""),
            ("", ""),
        ] {
            let got = match read(code) {
                Shown::Number(unit) => unit.map_or_else(String::new, |unit| unit.to_string()),
                Shown::Moment => "moment".into(),
                Shown::Duration => "duration".into(),
            };
            assert_eq!(got, want, "{code}");
        }
    }

    #[test]
    fn what_every_workbook_has_is_known_by_number() {
        assert_eq!(built_in(10), Shown::Number(Some(Unit::Measure(Measure::Fraction))));
        assert_eq!((built_in(14), built_in(46)), (Shown::Moment, Shown::Duration));
        assert_eq!((built_in(44), built_in(0)), (Shown::Number(None), Shown::Number(None)));
    }
}
