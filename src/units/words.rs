//! A column's name, as the words that it is made of.

/// The words in lower case: `unitPriceUSD`, `unit_price_usd` and "Unit price, USD" are the
/// same three. A sign such as `€` or `%` is a word.
#[must_use]
pub fn words(name: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let mut word = String::new();
    let mut before: Option<char> = None;
    let characters: Vec<char> = name.chars().collect();
    for (at, &c) in characters.iter().enumerate() {
        let is_letter = c.is_alphanumeric() || c == '°';
        let is_sign = !is_letter && (matches!(c, '$' | '%') || is_currency_sign(c));
        let next_is_lower = characters.get(at + 1).is_some_and(|next| next.is_lowercase());
        let begins = is_letter
            && c.is_uppercase()
            && before.is_some_and(|b| b.is_lowercase() || (b.is_uppercase() && next_is_lower));
        if !is_letter || begins {
            close(&mut word, &mut words);
        }
        if is_letter {
            word.extend(c.to_lowercase());
        } else if is_sign {
            words.push(c.to_string());
        }
        before = Some(c);
    }
    close(&mut word, &mut words);
    words
}

fn close(word: &mut String, words: &mut Vec<String>) {
    if !word.is_empty() {
        words.push(std::mem::take(word));
    }
}

/// The block of currency signs, and those outside of it.
pub(super) fn is_currency_sign(c: char) -> bool {
    matches!(c, '$' | '¢' | '£' | '¥' | '฿' | '\u{20a0}'..='\u{20cf}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_name_in_every_spelling_has_the_same_words() {
        for (name, want) in [
            ("unit_price_usd", "unit price usd"),
            ("unitPriceUSD", "unit price usd"),
            ("Unit price, USD", "unit price usd"),
            ("Price ($)", "price $"),
            ("discount%", "discount %"),
            ("Цена, ₽", "цена ₽"),
            ("USDAmount", "usd amount"),
            ("temp_°C", "temp °c"),
            ("q3", "q3"),
            ("", ""),
        ] {
            assert_eq!(words(name).join(" "), want, "{name}");
        }
    }
}
