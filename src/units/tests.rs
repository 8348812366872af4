//! Names and values as data: what they claim, and what looks like it and claims nothing.

#![allow(clippy::unwrap_used, reason = "tests fail by panicking")]

use super::*;

#[test]
fn a_name_claims_its_unit_and_a_name_that_only_looks_so_claims_nothing() {
    for (name, want) in [
        ("price_usd", "USD"),
        ("usd_amount", "USD"),
        ("amountEUR", "EUR"),
        ("Price ($)", "USD"),
        ("Цена, руб.", "RUB"),
        ("Сумма ₽", "RUB"),
        ("salary_kes", "KES"),
        ("price_cents", "cents"),
        ("total_eur_cents", "EUR cents"),
        ("amount_minor", "cents"),
        ("weight_kg", "kg"),
        ("weight_lbs", "lb"),
        ("gross_t", "t"),
        ("weight_g", "g"),
        ("distance_km", "km"),
        ("distance_mi", "mi"),
        ("height_m", "m"),
        ("Вес, кг", "kg"),
        ("discount_pct", "%"),
        ("growth %", "%"),
        ("wall_ms", "ms"),
        ("duration_s", "s"),
        ("temp_f", "°F"),
        ("temperature_c", "°C"),
        ("total", "money"),
        ("amount", "money"),
        ("subtotal", "money"),
        ("amount_all", "money"),
        ("total_top", "money"),
    ] {
        assert_eq!(claim(name).map(|c| c.unit.to_string()).as_deref(), Some(want), "{name}");
    }
    for name in [
        "score_all",
        "attempts_try",
        "top",
        "team_g",
        "size_m",
        "column_t",
        "usd_rate",
        "eur_usd",
        "usd_to_eur",
        "price_per_kg",
        "fx_rate_usd",
        "id",
        "min",
        "kg",
        "currency_id",
        "usd_orders_count",
        "is_usd",
        "year",
        "day",
        "lines",
        "",
        "total_count",
        "customer_id",
        "num_days_in",
        "share",
        "cad_file",
        "logged_in",
        "per_diem",
    ] {
        assert_eq!(claim(name), None, "{name}");
    }
}

#[test]
fn a_cell_names_its_unit_in_any_spelling() {
    for (text, want) in [
        ("EUR", "EUR"),
        ("eur ", "EUR"),
        ("\u{a0}Eur", "EUR"),
        ("€", "EUR"),
        ("руб.", "RUB"),
        ("RUR", "RUB"),
        ("US$", "USD"),
        ("KG", "kg"),
        ("Kilograms", "kg"),
        ("lbs", "lb"),
        ("t", "t"),
        ("%", "%"),
        ("cents", "cents"),
        ("", "?"),
        ("  ", "?"),
        ("n/a", "?"),
        ("Pieces", "pieces"),
        ("XYZ", "xyz"),
    ] {
        assert_eq!(code(text).key(), want, "{text:?}");
    }
}

#[test]
fn a_sign_beside_a_number_is_read_and_other_texts_are_left_alone() {
    for (text, want) in [
        ("€12.50", Some("EUR")),
        ("-€5", Some("EUR")),
        ("1 234,50 €", Some("EUR")),
        ("$1,234.50", Some("USD")),
        ("USD 3", Some("USD")),
        ("5%", Some("%")),
        ("12 kg", Some("kg")),
        ("3.5 lb", Some("lb")),
        ("100 руб.", Some("RUB")),
        ("12.50", None),
        ("€", None),
        ("A12", None),
        ("12 Main Street", None),
        ("flight 12 km 5", None),
        ("", None),
    ] {
        assert_eq!(sign(text).map(|u| u.to_string()).as_deref(), want, "{text:?}");
    }
}

#[test]
fn a_column_of_codes_says_the_unit_of_its_neighbours() {
    let (number, text) = (Some(true), Some(false));
    let told = |columns: &[(&str, Option<bool>)]| -> Vec<(String, Vec<String>)> {
        let name = |at: &usize| columns[*at].0.to_owned();
        tellers(columns)
            .iter()
            .map(|t| (name(&t.column), t.tells.iter().map(name).collect()))
            .collect()
    };
    let one = |teller: &str, tells: &[&str]| {
        (teller.to_owned(), tells.iter().map(|t| (*t).to_owned()).collect::<Vec<_>>())
    };
    assert_eq!(
        told(&[("id", number), ("amount", number), ("currency", text), ("qty", number)]),
        [one("currency", &["amount"])]
    );
    assert_eq!(
        told(&[
            ("price", number),
            ("price_currency", text),
            ("fee", number),
            ("fee_currency", text)
        ]),
        [one("price_currency", &["price"]), one("fee_currency", &["fee"])]
    );
    assert_eq!(
        told(&[
            ("total", number),
            ("order_currency", text),
            ("total_usd", number),
            ("rate", number)
        ]),
        [one("order_currency", &["total"])]
    );
    assert_eq!(
        told(&[
            ("weight", number),
            ("weight_unit", text),
            ("price", number),
            ("currency_code", text)
        ]),
        [one("weight_unit", &["weight"]), one("currency_code", &["price"])]
    );
    assert_eq!(
        told(&[("quantity", number), ("uom", text), ("amount", number), ("ccy", text)]),
        [one("uom", &["quantity"]), one("ccy", &["amount"])]
    );
    // A currency that is no text, and one with nothing to say it of.
    assert_eq!(told(&[("amount", number), ("currency", number)]), []);
    assert_eq!(told(&[("name", text), ("currency", text), ("population", number)]), []);
}

#[test]
fn only_units_of_the_same_thing_go_together() {
    let unit = |text: &str| text.parse::<Unit>().unwrap();
    for (one, two, clash) in [
        ("EUR", "USD", true),
        ("EUR", "EUR", false),
        ("EUR", "cents", true),
        ("EUR", "EUR cents", true),
        ("EUR cents", "USD cents", true),
        ("EUR", "money", false),
        ("money", "cents", true),
        ("money", "kg", false),
        ("EUR", "kg", true),
        ("kg", "lb", true),
        ("kg", "kg", false),
        ("km", "mi", true),
        ("%", "fraction", true),
        ("ms", "s", true),
    ] {
        assert_eq!(unit(one).clashes(unit(two)), clash, "{one} and {two}");
        assert_eq!(unit(two).clashes(unit(one)), clash, "{two} and {one}");
    }
    assert_eq!(unit("money").narrower(unit("EUR")), unit("EUR"));
    assert_eq!(unit("EUR").narrower(unit("money")), unit("EUR"));
}

#[test]
fn every_unit_is_read_as_it_is_written() {
    let measures = Measure::ALL.iter().copied().map(Unit::Measure);
    let money = ["money", "cents", "EUR", "EUR cents"].map(|text| text.parse().unwrap());
    for unit in measures.chain(money) {
        assert_eq!(unit.to_string().parse::<Unit>(), Ok(unit));
    }
    assert!("furlong".parse::<Unit>().is_err());
}
