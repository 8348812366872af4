use super::super::ticks::{Wish, linear};
use super::*;

fn ticks(lo: f64, hi: f64, unit: Option<&str>) -> String {
    let unit = unit.map(|unit| unit.parse().expect("a unit"));
    let ticks = linear(lo, hi, Wish { most: 5, nice: true, whole: false });
    let form = Form::of(&ticks.at, Around::tick(unit));
    ticks.at.iter().map(|tick| form.write(*tick)).collect::<Vec<_>>().join(" ")
}

#[test]
fn ticks_have_one_form() {
    for (lo, hi, unit, wanted) in [
        (0.0, 1.0, None, "0 0.2 0.4 0.6 0.8 1.0"),
        (0.0, 5000.0, None, "0 1,000 2,000 3,000 4,000 5,000"),
        (0.0, 50_000.0, None, "0 10k 20k 30k 40k 50k"),
        (0.0, 12e6, None, "0 2.5M 5.0M 7.5M 10.0M 12.5M"),
        (0.0, 4.1e9, None, "0 1B 2B 3B 4B 5B"),
        (10_000.0, 10_020.0, None, "10,000 10,005 10,010 10,015 10,020"),
        (-40.0, 40.0, None, "−40 −20 0 20 40"),
        (0.0, 90_000.0, Some("EUR"), "€0 €20k €40k €60k €80k €100k"),
        (-5.0, 5.0, Some("USD"), "−$6 −$4 −$2 $0 $2 $4 $6"),
        (
            0.0,
            900.0,
            Some("RUB"),
            "0\u{a0}₽ 200\u{a0}₽ 400\u{a0}₽ 600\u{a0}₽ 800\u{a0}₽ 1,000\u{a0}₽",
        ),
        (0.0, 900.0, Some("CHF"), "0 200 400 600 800 1,000"),
        (0.0, 1.0, Some("fraction"), "0% 20% 40% 60% 80% 100%"),
        (0.0, 0.05, Some("fraction"), "0% 1% 2% 3% 4% 5%"),
        (0.0, 60.0, Some("%"), "0% 20% 40% 60%"),
        (0.0, 1e300, None, "0 2×10²⁹⁹ 4×10²⁹⁹ 6×10²⁹⁹ 8×10²⁹⁹ 10×10²⁹⁹"),
        (0.0, 3e-300, None, "0 1×10⁻³⁰⁰ 2×10⁻³⁰⁰ 3×10⁻³⁰⁰"),
    ] {
        assert_eq!(ticks(lo, hi, unit), wanted, "{lo} {hi} {unit:?}");
    }
}

#[test]
fn a_tooltip_is_exact() {
    let plain = Around::default();
    for (value, wanted) in [
        (0.1 + 0.2, "0.3"),
        (1234.5, "1,234.5"),
        (-1_234_567.0, "−1,234,567"),
        (1e15, "1×10¹⁵"),
        (2.5e-300, "2.5×10⁻³⁰⁰"),
        (0.000_123, "0.000123"),
        (f64::NAN, "not a number"),
    ] {
        assert_eq!(exact(value, &plain), wanted);
    }
    let unit = |text: &str| Around::alone(Some(text.parse().expect("a unit")));
    assert_eq!(exact(1234.5, &unit("EUR")), "€1,234.50");
    assert_eq!(exact(12.0, &unit("CHF")), "12\u{a0}CHF");
    assert_eq!(exact(12.25, &unit("kg")), "12.25\u{a0}kg");
    assert_eq!(exact(0.125, &unit("fraction")), "12.5%");
}

#[test]
fn numbers_beside_each_other_have_three_digits() {
    let plain = Around::default();
    for (values, wanted) in [
        (vec![1.0, 20.0, 300.0], "1 20 300"),
        (vec![1234.0, 5.0], "1,234 5"),
        (vec![123_456.0, 99_000.0], "123k 99k"),
        (vec![12.345, 1.0], "12.3 1.0"),
        (vec![1_240_000.0, -56_000.0], "1.24M −0.06M"),
        (vec![0.0, 0.0], "0 0"),
    ] {
        assert_eq!(beside(&values, &plain).join(" "), wanted);
    }
    assert_eq!(beside(&[0.1234, 0.5], &Around::share()).join(" "), "12.3% 50.0%");
}

#[test]
fn a_title_has_the_unit_that_ticks_do_not_carry() {
    let title = |unit: &str| axis_title("amount", Some(unit.parse().expect("a unit")));
    assert_eq!(title("EUR"), "amount (EUR)");
    assert_eq!(title("kg"), "amount (kg)");
    assert_eq!(title("%"), "amount");
    assert_eq!(title("money"), "amount");
    assert_eq!(axis_title("", Some("kg".parse().expect("a unit"))), "kg");
}
