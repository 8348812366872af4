//! The unit of a column: by its name, or by the column beside it that says it.

use std::fmt;

use super::measure::Dimension;
use super::words::words;
use super::{Currency, Measure, Unit};

/// How a unit is known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Evidence {
    /// By the part of the name that is quoted.
    Name(String),
    /// By a column beside it.
    Beside(String),
    /// By what stands in the cells.
    Values(String),
    /// By the number format of the cells of a sheet.
    Format,
    /// By both, which do not go together: the unit that is told is that of the format.
    Against(String),
}

impl Evidence {
    /// Whether it is known from what is in the cells.
    #[must_use]
    pub fn of_cells(&self) -> bool {
        matches!(self, Self::Beside(_) | Self::Values(_))
    }
}

impl fmt::Display for Evidence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Name(part) => write!(f, "by its name: {part}"),
            Self::Beside(column) => write!(f, "by column {column}"),
            Self::Values(what) => write!(f, "its values have {what}"),
            Self::Format => f.write_str("by the number format of its cells"),
            Self::Against(part) => {
                write!(f, "by the number format of its cells, against its name: {part}")
            }
        }
    }
}

/// What a name claims.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Claim {
    /// The unit.
    pub unit: Unit,
    /// The word that says so.
    pub word: String,
}

/// Words for money.
const MONEY: &[&str] = &[
    "amount",
    "balance",
    "bill",
    "budget",
    "charge",
    "commission",
    "cost",
    "costs",
    "credit",
    "debit",
    "fare",
    "fee",
    "fees",
    "income",
    "money",
    "paid",
    "payment",
    "payout",
    "premium",
    "price",
    "profit",
    "refund",
    "revenue",
    "salary",
    "sales",
    "spend",
    "spent",
    "subtotal",
    "tax",
    "total",
    "turnover",
    "wage",
    "value",
    "vat",
    "выручка",
    "доход",
    "зарплата",
    "итого",
    "оплата",
    "расход",
    "стоимость",
    "сумма",
    "цена",
];

/// Words of a name that is no quantity of its last word's unit.
const COUNTS: &[&str] = &[
    "id",
    "count",
    "cnt",
    "qty",
    "quantity",
    "number",
    "num",
    "no",
    "items",
    "rows",
    "lines",
    "units",
    "pieces",
    "orders",
    "users",
    "customers",
    "code",
    "rank",
    "index",
    "flag",
    "is",
    "has",
];

/// Words of a factor that turns one unit into another, or of a quotient of two.
const RATES: &[&str] = &[
    "rate",
    "rates",
    "fx",
    "exchange",
    "factor",
    "conversion",
    "multiplier",
    "course",
    "kurs",
    "ratio",
    "per",
    "курс",
    "коэффициент",
];

/// Whether a column's name says that it holds money, of whatever currency.
#[must_use]
pub fn is_money(name: &str) -> bool {
    claim(name).is_some_and(|claim| claim.unit.is_money())
}

/// Whether a column's name says that it holds units of others.
#[must_use]
pub fn is_teller(name: &str) -> bool {
    teller(name).is_some()
}

/// Whether a name is that of a rate: what is multiplied by it has another unit.
#[must_use]
pub fn converts(name: &str) -> bool {
    let words = words(name);
    let currencies =
        words.iter().filter(|word| Currency::of_text(word).is_some_and(Currency::is_common));
    words.iter().any(|word| RATES.contains(&word.as_str()))
        || words.iter().any(|word| word == "to") && currencies.clone().count() > 0
        || currencies.count() > 1
}

/// The unit of a column's numbers, by its name and by the number format of its cells, as
/// [`UNIT`](super::UNIT) has it. A format says what the number is that stands in the cell:
/// `0.05` shown as `5%` is a fraction, whatever the column is called.
#[must_use]
pub fn unit_of_column(name: &str, format: Option<&str>) -> Option<(Unit, Evidence)> {
    let claimed = claim(name);
    let by_format = format.and_then(|unit| unit.parse::<Unit>().ok());
    // What a rate in euros is multiplied by has no euros before.
    let by_format = by_format.filter(|unit| !(unit.is_money() && converts(name)));
    match (claimed, by_format) {
        (None, None) => None,
        (Some(claim), None) => Some((claim.unit, Evidence::Name(claim.word))),
        (Some(Claim { unit: Unit::Money { currency: None, minor: true }, word }), Some(unit)) => {
            match unit {
                // A price in cents that is shown as dollars.
                Unit::Money { currency, .. } => {
                    Some((Unit::Money { currency, minor: true }, Evidence::Format))
                }
                Unit::Measure(_) => Some((unit, Evidence::Against(word))),
            }
        }
        (Some(claim), Some(unit)) if claim.unit.clashes(unit) => {
            let is_share =
                |unit| matches!(unit, Unit::Measure(m) if m.dimension() == Dimension::Share);
            // "growth, %" is no contradiction to 5%: both say how it is shown.
            let agree = is_share(claim.unit) && is_share(unit);
            Some((unit, if agree { Evidence::Format } else { Evidence::Against(claim.word) }))
        }
        (_, Some(unit)) => Some((unit, Evidence::Format)),
    }
}

/// The unit that a column's name claims for its numbers.
#[must_use]
pub fn claim(name: &str) -> Option<Claim> {
    let words = words(name);
    let (last, others) = words.split_last()?;
    let has = |list: &[&str]| words.iter().any(|word| list.contains(&word.as_str()));
    if converts(name) || others.iter().any(|word| matches!(word.as_str(), "id" | "is" | "has")) {
        return None;
    }
    let claimed = |unit, word: &str| Some(Claim { unit, word: word.to_owned() });
    let money = has(MONEY) && !has(COUNTS);
    let currency =
        words.iter().find_map(|word| of_name(word, word == last, money).map(|c| (c, word)));
    let minor = words.iter().find(|word| is_minor(word) && !others.is_empty());
    if let Some(word) = minor {
        let currency = currency.map(|(currency, _)| currency);
        return claimed(Unit::Money { currency, minor: true }, word);
    }
    if let Some((currency, word)) = currency {
        return (!has(COUNTS)).then(|| claimed(Unit::money(currency), word)).flatten();
    }
    if let Some(measure) = Measure::of_word(last, others) {
        return (!others.is_empty()).then(|| claimed(Unit::Measure(measure), last)).flatten();
    }
    let word = words.iter().find(|word| MONEY.contains(&word.as_str()))?;
    money.then(|| claimed(Unit::Money { currency: None, minor: false }, word)).flatten()
}

fn is_minor(word: &str) -> bool {
    matches!(
        word,
        "cents" | "cent" | "minor" | "pence" | "kopecks" | "kopeks" | "¢" | "копеек" | "коп"
    )
}

/// The currency that a word of a name means.
fn of_name(word: &str, is_last: bool, money: bool) -> Option<Currency> {
    let currency = Currency::of_text(word)?;
    let is_code = word.len() == 3 && word.is_ascii();
    let meant = !is_code || currency.is_common() || (money && is_last && !currency.is_a_word());
    // A language, a country and a design tool are called so, too.
    let doubtful = matches!(word, "cad" | "pounds" | "dollar");
    (meant && (!doubtful || money)).then_some(currency)
}

/// A column that says the unit of others, row by row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Teller {
    /// Its place.
    pub column: usize,
    /// What it holds.
    pub kind: TellerKind,
    /// The places of the columns whose unit it says.
    pub tells: Vec<usize>,
}

/// More different values than a column of units has.
const CODES: usize = 200;
/// Characters of a code that nobody knows.
const CODE: usize = 5;

impl Teller {
    /// Whether what the column holds (by [`Reading::key`](super::Reading::key), with rows)
    /// are units, as its name says. A currency that nobody knows is one: `BTC` is no `USD`.
    #[must_use]
    pub fn is_sound(&self, codes: &[(String, u64)]) -> bool {
        let is_money = |key: &str| key.parse::<Unit>().is_ok_and(Unit::is_money);
        let is_unit = |key: &str| key.parse::<Unit>().is_ok();
        let is_code = |key: &str| {
            key.chars().count() <= CODE
                && key.chars().all(|c| c.is_alphanumeric() && !c.is_numeric())
        };
        let named = || codes.iter().map(|(key, _)| key.as_str()).filter(|key| *key != "?");
        let all = named().count();
        (1..=CODES).contains(&all)
            && match self.kind {
                TellerKind::Currency => {
                    named().filter(|key| is_money(key)).count() * 2 >= all
                        || named().all(|key| is_money(key) || is_code(key))
                }
                TellerKind::Unit => named().filter(|key| is_unit(key)).count() * 2 >= all,
            }
    }
}

/// What a telling column holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TellerKind {
    /// Currencies.
    Currency,
    /// Other units.
    Unit,
}

/// The name without the words that say "this is a currency", if it has them.
fn teller(name: &str) -> Option<(TellerKind, Vec<String>)> {
    let words = words(name);
    let kind = |word: &str| match word {
        "currency" | "ccy" | "curr" | "cur" | "валюта" | "валюты" => {
            Some(TellerKind::Currency)
        }
        "unit" | "uom" | "units" | "unitofmeasure" | "единица" | "ед" => {
            Some(TellerKind::Unit)
        }
        _ => None,
    };
    let kind = words.iter().find_map(|word| kind(word))?;
    let own: &[&str] = match kind {
        TellerKind::Currency => &[
            "currency",
            "ccy",
            "curr",
            "cur",
            "валюта",
            "валюты",
            "code",
            "iso",
            "id",
            "name",
            "symbol",
            "код",
        ],
        TellerKind::Unit => &[
            "unit",
            "uom",
            "units",
            "unitofmeasure",
            "of",
            "measure",
            "code",
            "единица",
            "ед",
            "изм",
            "измерения",
        ],
    };
    let stem = words.into_iter().filter(|word| !own.contains(&word.as_str())).collect();
    Some((kind, stem))
}

/// Which columns say the unit of which: `currency` of `amount`, `price_currency` of `price`.
/// Of each column its name, and whether it holds numbers (`Some(true)`) or text
/// (`Some(false)`).
#[must_use]
pub fn tellers(columns: &[(&str, Option<bool>)]) -> Vec<Teller> {
    let mut found: Vec<(Teller, Vec<String>)> = columns
        .iter()
        .enumerate()
        .filter(|(_, (_, numbers))| *numbers == Some(false))
        .filter_map(|(column, (name, _))| {
            let (kind, stem) = teller(name)?;
            Some((Teller { column, kind, tells: Vec::new() }, stem))
        })
        .collect();
    let alone = |kind, all: &[(Teller, Vec<String>)]| {
        all.iter().filter(|(teller, _)| teller.kind == kind).count() == 1
    };
    let only = [TellerKind::Currency, TellerKind::Unit].map(|kind| alone(kind, &found));
    let mut taken = vec![false; columns.len()];
    // A teller for some columns goes before the one for all the others.
    found.sort_by_key(|(teller, stem)| (stem.is_empty(), teller.kind == TellerKind::Unit));
    for (teller, stem) in &mut found {
        let told = |at: usize, by_stem: bool| {
            let (name, numbers) = columns[at];
            numbers == Some(true) && !taken[at] && is_told(name, teller.kind, stem, by_stem)
        };
        if !stem.is_empty() {
            teller.tells = (0..columns.len()).filter(|at| told(*at, true)).collect();
        }
        let for_all = stem.is_empty() || only[usize::from(teller.kind == TellerKind::Unit)];
        if teller.tells.is_empty() && for_all {
            teller.tells = (0..columns.len()).filter(|at| told(*at, false)).collect();
        }
        teller.tells.iter().for_each(|at| taken[*at] = true);
    }
    found.retain(|(teller, _)| !teller.tells.is_empty());
    found.sort_by_key(|(teller, _)| teller.column);
    found.into_iter().map(|(teller, _)| teller).collect()
}

/// Whether a column of numbers has the unit that a teller says.
fn is_told(name: &str, kind: TellerKind, stem: &[String], by_stem: bool) -> bool {
    let own = words(name);
    let has = |list: &[&str]| own.iter().any(|word| list.contains(&word.as_str()));
    if has(RATES) || has(&["id", "is", "has", "code"]) {
        return false;
    }
    let claim = claim(name).map(|claim| claim.unit);
    if matches!(claim, Some(Unit::Measure(_) | Unit::Money { currency: Some(_), .. })) {
        return false;
    }
    if by_stem {
        return stem.iter().all(|word| own.contains(word));
    }
    match kind {
        TellerKind::Currency => {
            matches!(claim, Some(Unit::Money { .. }))
                || !has(COUNTS)
                    && has(&["net", "gross", "discount", "due", "shipping", "open", "close"])
        }
        TellerKind::Unit => {
            let subject = |word: &String| {
                [Dimension::Mass, Dimension::Length, Dimension::Volume]
                    .iter()
                    .any(|dimension| Measure::is_subject(word, *dimension))
            };
            own.iter().any(subject)
                || has(&["qty", "quantity", "amount", "value", "size", "measurement", "количество"])
        }
    }
}
