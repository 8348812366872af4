//! Numbers as they are written: on an axis, on a bar, in a tooltip.
//!
//! All ticks of an axis have one form. `k`, `M`, `B` and `T` are used where the ticks lose
//! nothing by it; beyond a quadrillion, and below a ten-thousandth, a power of ten. A currency
//! is its sign where it has one that means nothing else, and its code where not.

use super::ticks::{Decimal, decade};
use crate::units::{Measure, Unit};

/// Signs that mean one currency to everyone, and whether they stand after the number.
const SIGNS: &[(&str, &str, bool)] = &[
    ("USD", "$", false),
    ("EUR", "€", false),
    ("GBP", "£", false),
    ("JPY", "¥", false),
    ("INR", "₹", false),
    ("KRW", "₩", false),
    ("ILS", "₪", false),
    ("TRY", "₺", false),
    ("NGN", "₦", false),
    ("RUB", "₽", true),
    ("UAH", "₴", true),
    ("KZT", "₸", true),
    ("VND", "₫", true),
];

/// What stands around a number.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Around {
    before: String,
    after: String,
    /// Digits by which it is shifted: a share of 0.2 is 20 percent.
    shift: i32,
    /// Decimals that money has, where it has any.
    cents: bool,
}

impl Around {
    /// What the ticks of an axis carry. Most units stand in its title.
    pub fn tick(unit: Option<Unit>) -> Self {
        match unit {
            Some(Unit::Money { currency: Some(currency), minor: false }) => {
                let sign = SIGNS.iter().find(|(code, ..)| *code == currency.code());
                match sign {
                    Some((_, sign, false)) => Self { before: (*sign).to_owned(), ..Self::money() },
                    Some((_, sign, true)) => {
                        Self { after: format!("\u{a0}{sign}"), ..Self::money() }
                    }
                    None => Self::money(),
                }
            }
            Some(Unit::Measure(Measure::Percent)) => {
                Self { after: "%".to_owned(), ..Self::default() }
            }
            Some(Unit::Measure(Measure::Fraction)) => Self::share(),
            _ => Self::default(),
        }
    }

    /// A part of one, as percent.
    pub fn share() -> Self {
        Self { after: "%".to_owned(), shift: 2, ..Self::default() }
    }

    /// What a number by itself carries: any unit.
    pub fn alone(unit: Option<Unit>) -> Self {
        let around = Self::tick(unit);
        match unit {
            Some(unit) if around.before.is_empty() && around.after.is_empty() && unit.is_told() => {
                Self { after: format!("\u{a0}{unit}"), ..around }
            }
            _ => around,
        }
    }

    fn money() -> Self {
        Self { cents: true, ..Self::default() }
    }

    fn put(&self, negative: bool, digits: &str) -> String {
        let sign = if negative { "−" } else { "" };
        format!("{sign}{}{digits}{}", self.before, self.after)
    }
}

/// The title of an axis with its unit, unless the ticks carry it.
pub(super) fn axis_title(title: &str, unit: Option<Unit>) -> String {
    let title = super::text::clean(title);
    let carried = Around::tick(unit);
    match unit {
        Some(unit) if unit.is_told() && carried.after.trim() != "%" => {
            if title.is_empty() {
                unit.to_string()
            } else {
                format!("{title} ({unit})")
            }
        }
        _ => title,
    }
}

/// The one form of an axis' ticks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Form {
    around: Around,
    /// The power of ten that is left out, and what stands for it.
    power: i32,
    suffix: String,
    decimals: usize,
}

const SUFFIXES: [(i32, &str); 5] = [(12, "T"), (9, "B"), (6, "M"), (3, "k"), (0, "")];

fn superscript(exp: i32) -> String {
    let digits = exp.to_string();
    let small = |c: char| match c {
        '-' => '⁻',
        '1' => '¹',
        '2' => '²',
        '3' => '³',
        '0' => '⁰',
        c => char::from_u32('⁰' as u32 + c.to_digit(10).unwrap_or(0)).unwrap_or(c),
    };
    digits.chars().map(small).collect()
}

impl Form {
    /// The form of some ticks.
    pub fn of(ticks: &[Decimal], around: Around) -> Self {
        let shifted = ticks.iter().filter(|tick| tick.digits != 0);
        let shifted = shifted.map(|tick| Decimal { exp: tick.exp + around.shift, ..*tick });
        let most = shifted.clone().map(Decimal::magnitude).max().unwrap_or(0);
        let least = shifted.map(|tick| tick.exp).min().unwrap_or(0);
        let needed = |power: i32| usize::try_from(power - least).unwrap_or(0);
        if most >= 15 || most < -4 {
            let (power, suffix) = (most, format!("×10{}", superscript(most)));
            return Self { around, power, suffix, decimals: needed(power).min(12) };
        }
        let powers = SUFFIXES.into_iter().find(|(power, _)| {
            let tall_enough = most >= if *power == 3 { 4 } else { *power };
            *power == 0 || (tall_enough && needed(*power) <= if *power == 3 { 1 } else { 2 })
        });
        let (power, suffix) = powers.unwrap_or((0, ""));
        Self { around, power, suffix: suffix.to_owned(), decimals: needed(power).min(12) }
    }

    /// A tick in this form.
    pub fn write(&self, tick: Decimal) -> String {
        if tick.digits == 0 {
            return self.around.put(false, "0");
        }
        let exp = tick.exp + self.around.shift - self.power;
        let mut digits = tick.digits.unsigned_abs().to_string();
        let fraction = usize::try_from(-exp).unwrap_or(0);
        digits.push_str(&"0".repeat(usize::try_from(exp).unwrap_or(0).min(20)));
        if digits.len() <= fraction {
            digits.insert_str(0, &"0".repeat(fraction + 1 - digits.len()));
        }
        let (whole, rest) = digits.split_at(digits.len() - fraction);
        let mut text = grouped(whole);
        if self.decimals > 0 {
            text.push('.');
            text.push_str(rest);
            text.push_str(&"0".repeat(self.decimals.saturating_sub(rest.len())));
        }
        text.push_str(&self.suffix);
        self.around.put(tick.digits < 0, &text)
    }
}

/// The ticks of a logarithmic axis, each with its own suffix: 1, 10, …, 1k, …, 1M.
pub(super) fn logarithmic(ticks: &[Decimal], around: &Around) -> Vec<String> {
    let sizes = ticks.iter().map(|tick| tick.magnitude());
    let plain = sizes.clone().all(|size| (-4..15).contains(&size));
    let write = |tick: &Decimal| {
        if plain {
            return Form::of(std::slice::from_ref(tick), around.clone()).write(*tick);
        }
        let (digits, exp) = (tick.digits, tick.exp + around.shift);
        let lead = if digits == 1 { String::new() } else { format!("{digits}×") };
        around.put(false, &format!("{lead}10{}", superscript(exp)))
    };
    ticks.iter().map(write).collect()
}

/// Digits with a thin mark at each thousand.
fn grouped(digits: &str) -> String {
    let mut text = String::new();
    for (i, c) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            text.push(',');
        }
        text.push(c);
    }
    text
}

/// A number for a tooltip: up to twelve digits that mean something.
pub(super) fn exact(value: f64, around: &Around) -> String {
    if !value.is_finite() {
        return "not a number".to_owned();
    }
    if value == 0.0 {
        return around.put(false, "0");
    }
    let text = format!("{:.11e}", value.abs());
    let (mantissa, exp) = text.split_once('e').unwrap_or((&text, "0"));
    let exp: i32 = exp.parse::<i32>().unwrap_or(0) + around.shift;
    let digits: i64 = mantissa.replace('.', "").parse().unwrap_or(0);
    let decimal = Decimal::new(digits, exp - 11);
    if !(-6..15).contains(&exp) {
        let decimals = decimal.digits.to_string().len() - 1;
        let form = Form {
            around: Around { shift: 0, ..around.clone() },
            power: exp,
            suffix: format!("×10{}", superscript(exp)),
            decimals,
        };
        return form.write(Decimal { digits: signed(decimal.digits, value), ..decimal });
    }
    let mut decimals = usize::try_from(-decimal.exp).unwrap_or(0);
    if around.cents && decimals == 1 {
        decimals = 2;
    }
    let around = Around { shift: 0, ..around.clone() };
    let form = Form { around, power: 0, suffix: String::new(), decimals };
    form.write(Decimal { digits: signed(decimal.digits, value), ..decimal })
}

fn signed(digits: i64, value: f64) -> i64 {
    if value < 0.0 { -digits } else { digits }
}

/// Numbers that stand beside each other on bars or in cells: three digits of the largest.
pub(super) fn beside(values: &[f64], around: &Around) -> Vec<String> {
    let most = values.iter().fold(0.0_f64, |most, value| most.max(value.abs()));
    let magnitude = if most > 0.0 { decade(most).1 + around.shift } else { 0 };
    let whole = around.shift == 0 && values.iter().all(|value| value.fract() == 0.0);
    // Whole numbers of up to four digits are shown as they are.
    let unit = if whole && magnitude < 4 { magnitude } else { magnitude - 2 };
    let round = |value: &f64| {
        let exp =
            unit.min(if whole { 0.max(magnitude - 2) } else { 0.max(magnitude - 2).min(unit) });
        let exp = if whole && magnitude < 4 { 0 } else { exp };
        rounded(*value, exp - around.shift)
    };
    let decimals: Vec<Decimal> = values.iter().map(round).collect();
    let form = Form::of(&decimals, around.clone());
    decimals.into_iter().map(|value| form.write(value)).collect()
}

/// A number to a power of ten, exactly as Rust rounds decimals.
fn rounded(value: f64, exp: i32) -> Decimal {
    let (_, magnitude) = if value == 0.0 { (0.0, 0) } else { decade(value) };
    let places = magnitude - exp;
    if value == 0.0 || places < -1 {
        return Decimal { digits: 0, exp: 0 };
    }
    if places == -1 {
        // Below the unit: it is one or nothing.
        let up = decade(value).0 >= 5.0;
        return Decimal::new(signed(i64::from(up), value), exp);
    }
    let text = format!("{:.*e}", usize::try_from(places.min(16)).unwrap_or(0), value.abs());
    let (mantissa, power) = text.split_once('e').unwrap_or((&text, "0"));
    let digits: i64 = mantissa.replace('.', "").parse().unwrap_or(0);
    let decimals = mantissa.len().saturating_sub(2) as i32;
    Decimal::new(signed(digits, value), power.parse::<i32>().unwrap_or(0) - decimals)
}

/// A count.
pub(super) fn count(n: u64) -> String {
    grouped(&n.to_string())
}

#[cfg(test)]
#[path = "format_tests.rs"]
mod tests;
