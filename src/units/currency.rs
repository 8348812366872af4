//! Currencies: the codes of ISO 4217, with the signs and words that stand for them.

use std::fmt;

/// A currency by its ISO 4217 code.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Currency(&'static str);

/// The codes in use, funds codes and metals left out; `RUR` and `HRK`, which old data has.
const CODES: &[&str] = &[
    "AED", "AFN", "ALL", "AMD", "AOA", "ARS", "AUD", "AWG", "AZN", "BAM", "BBD", "BDT", "BGN",
    "BHD", "BIF", "BMD", "BND", "BOB", "BRL", "BSD", "BTN", "BWP", "BYN", "BZD", "CAD", "CDF",
    "CHF", "CLP", "CNY", "COP", "CRC", "CUP", "CVE", "CZK", "DJF", "DKK", "DOP", "DZD", "EGP",
    "ERN", "ETB", "EUR", "FJD", "FKP", "GBP", "GEL", "GHS", "GIP", "GMD", "GNF", "GTQ", "GYD",
    "HKD", "HNL", "HRK", "HTG", "HUF", "IDR", "ILS", "INR", "IQD", "IRR", "ISK", "JMD", "JOD",
    "JPY", "KES", "KGS", "KHR", "KMF", "KPW", "KRW", "KWD", "KYD", "KZT", "LAK", "LBP", "LKR",
    "LRD", "LSL", "LYD", "MAD", "MDL", "MGA", "MKD", "MMK", "MNT", "MOP", "MRU", "MUR", "MVR",
    "MWK", "MXN", "MYR", "MZN", "NAD", "NGN", "NIO", "NOK", "NPR", "NZD", "OMR", "PAB", "PEN",
    "PGK", "PHP", "PKR", "PLN", "PYG", "QAR", "RON", "RSD", "RUB", "RWF", "SAR", "SBD", "SCR",
    "SDG", "SEK", "SGD", "SHP", "SLE", "SOS", "SRD", "SSP", "STN", "SVC", "SYP", "SZL", "THB",
    "TJS", "TMT", "TND", "TOP", "TRY", "TTD", "TWD", "TZS", "UAH", "UGX", "USD", "UYU", "UZS",
    "VED", "VES", "VND", "VUV", "WST", "XAF", "XCD", "XCG", "XOF", "XPF", "YER", "ZAR", "ZMW",
    "ZWG",
];

/// Codes that a column's name may end in without a word for money before it.
const COMMON: &[&str] = &[
    "AUD", "BRL", "CAD", "CHF", "CNY", "CZK", "DKK", "EUR", "GBP", "HKD", "HUF", "ILS", "INR",
    "JPY", "KRW", "KZT", "MXN", "NOK", "NZD", "PLN", "RUB", "SEK", "SGD", "THB", "UAH", "USD",
    "ZAR",
];

/// Codes that are words: a name never means the currency by them.
const WORDS: &[&str] = &[
    "ALL", "BAM", "BOB", "COP", "CUP", "CVE", "GEL", "LAK", "MAD", "MOP", "NAD", "PAB", "PEN",
    "PHP", "RON", "SOS", "TOP", "TRY",
];

/// Signs and words, in lower case.
const NAMED: &[(&str, &str)] = &[
    ("$", "USD"),
    ("us$", "USD"),
    ("dollar", "USD"),
    ("dollars", "USD"),
    ("us dollar", "USD"),
    ("us dollars", "USD"),
    ("€", "EUR"),
    ("euro", "EUR"),
    ("euros", "EUR"),
    ("евро", "EUR"),
    ("£", "GBP"),
    ("pound sterling", "GBP"),
    ("sterling", "GBP"),
    ("¥", "JPY"),
    ("yen", "JPY"),
    ("yuan", "CNY"),
    ("rmb", "CNY"),
    ("cn¥", "CNY"),
    ("₽", "RUB"),
    ("rur", "RUB"),
    ("руб", "RUB"),
    ("рубль", "RUB"),
    ("рубли", "RUB"),
    ("рублей", "RUB"),
    ("ruble", "RUB"),
    ("rubles", "RUB"),
    ("долл", "USD"),
    ("доллар", "USD"),
    ("долларов", "USD"),
    ("₴", "UAH"),
    ("₸", "KZT"),
    ("₹", "INR"),
    ("₺", "TRY"),
    ("₩", "KRW"),
    ("₪", "ILS"),
    ("₫", "VND"),
    ("₦", "NGN"),
    ("฿", "THB"),
    ("zł", "PLN"),
    ("kč", "CZK"),
    ("a$", "AUD"),
    ("c$", "CAD"),
    ("r$", "BRL"),
    ("hk$", "HKD"),
];

impl Currency {
    /// The currency of a code, in any case.
    #[must_use]
    pub fn of_code(text: &str) -> Option<Self> {
        if text.len() != 3 {
            return None;
        }
        let known = CODES.iter().find(|code| code.eq_ignore_ascii_case(text));
        known.map(|code| Self(code))
    }

    /// The currency of a code, a sign or a word; `text` in lower case.
    pub(super) fn of_text(text: &str) -> Option<Self> {
        let named = NAMED.iter().find(|(name, _)| *name == text);
        named.and_then(|(_, code)| Self::of_code(code)).or_else(|| Self::of_code(text))
    }

    /// The code.
    #[must_use]
    pub fn code(self) -> &'static str {
        self.0
    }

    /// Whether a name may mean it without another word for money.
    pub(super) fn is_common(self) -> bool {
        COMMON.contains(&self.0)
    }

    /// Whether its code is a word of a language.
    pub(super) fn is_a_word(self) -> bool {
        WORDS.contains(&self.0)
    }
}

impl fmt::Display for Currency {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}

impl fmt::Debug for Currency {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}
