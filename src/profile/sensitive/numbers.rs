//! National numbers, by their check digits.

use super::checks::digits;

/// A number whose form is that of nothing else.
pub(crate) fn is_formed_id(text: &str) -> bool {
    is_ssn(text)
        || is_snils_formed(text)
        || is_nino(text)
        || is_fiscal_code(text)
        || is_dni(text)
        || is_cpf_formed(text)
        || is_chinese(text)
}

/// A bare number that passes a state's check.
pub(super) fn is_id(text: &str) -> bool {
    let Some(digits) = digits(text) else { return false };
    if text.len() != digits.len() {
        return false;
    }
    match digits.len() {
        9 => is_bsn(&digits),
        10 => is_inn10(&digits),
        11 => is_pesel(&digits) || is_snils(&digits) || is_cpf(&digits) || is_tax_id(&digits),
        12 => is_inn12(&digits) || is_aadhaar(&digits),
        _ => false,
    }
}

fn weighted(digits: &[u32], weights: &[u32]) -> u32 {
    digits.iter().zip(weights).map(|(digit, weight)| digit * weight).sum()
}

/// United States: 123-45-6789, in ranges that are given out.
fn is_ssn(text: &str) -> bool {
    let parts: Vec<&str> = text.split('-').collect();
    let [area, group, serial] = parts.as_slice() else { return false };
    let lengths = (area.len(), group.len(), serial.len()) == (3, 2, 4);
    lengths
        && parts.iter().all(|part| part.bytes().all(|byte| byte.is_ascii_digit()))
        && !matches!(*area, "000" | "666")
        && !area.starts_with('9')
        && *group != "00"
        && *serial != "0000"
}

/// Russia, insurance: 112-233-445 95.
fn is_snils_formed(text: &str) -> bool {
    let bytes = text.as_bytes();
    bytes.len() == 14
        && bytes[3] == b'-'
        && bytes[7] == b'-'
        && matches!(bytes[11], b' ' | b'-')
        && digits(text).is_some_and(|digits| digits.len() == 11 && is_snils(&digits))
}

fn is_snils(digits: &[u32]) -> bool {
    let sum = weighted(&digits[..9], &[9, 8, 7, 6, 5, 4, 3, 2, 1]) % 101 % 100;
    sum == digits[9] * 10 + digits[10]
}

/// Russia, taxes: of a firm, of a person.
fn is_inn10(digits: &[u32]) -> bool {
    weighted(digits, &[2, 4, 10, 3, 5, 9, 4, 6, 8]) % 11 % 10 == digits[9]
}

fn is_inn12(digits: &[u32]) -> bool {
    weighted(digits, &[7, 2, 4, 10, 3, 5, 9, 4, 6, 8]) % 11 % 10 == digits[10]
        && weighted(digits, &[3, 7, 2, 4, 10, 3, 5, 9, 4, 6, 8]) % 11 % 10 == digits[11]
}

/// Netherlands.
fn is_bsn(digits: &[u32]) -> bool {
    let sum = weighted(&digits[..8], &[9, 8, 7, 6, 5, 4, 3, 2]);
    digits.iter().any(|digit| *digit > 0) && sum % 11 == digits[8]
}

/// Poland; it begins with a day of birth.
fn is_pesel(digits: &[u32]) -> bool {
    let (month, day) = (digits[2] * 10 + digits[3], digits[4] * 10 + digits[5]);
    let sum = weighted(&digits[..10], &[1, 3, 7, 9, 1, 3, 7, 9, 1, 3]);
    (1..=12).contains(&(month % 20))
        && (1..=31).contains(&day)
        && (10 - sum % 10) % 10 == digits[10]
}

/// Brazil: 123.456.789-09.
fn is_cpf_formed(text: &str) -> bool {
    let bytes = text.as_bytes();
    let formed = bytes.len() == 14 && bytes[3] == b'.' && bytes[7] == b'.' && bytes[11] == b'-';
    formed
        && digits(&text.replace('.', ""))
            .is_some_and(|digits| digits.len() == 11 && is_cpf(&digits))
}

fn is_cpf(digits: &[u32]) -> bool {
    let check = |count: usize| {
        let weights = (2..=u32::try_from(count).unwrap_or(0) + 1).rev();
        let sum: u32 = digits.iter().zip(weights).map(|(digit, weight)| digit * weight).sum();
        sum * 10 % 11 % 10
    };
    digits.iter().any(|digit| *digit != digits[0])
        && check(9) == digits[9]
        && check(10) == digits[10]
}

/// Germany, taxes (ISO 7064, MOD 11,10).
fn is_tax_id(digits: &[u32]) -> bool {
    let mut product = 10;
    for digit in &digits[..10] {
        let sum = match (digit + product) % 10 {
            0 => 10,
            sum => sum,
        };
        product = sum * 2 % 11;
    }
    digits[0] > 0 && (11 - product) % 10 == digits[10]
}

/// India (Verhoeff).
fn is_aadhaar(digits: &[u32]) -> bool {
    const MULTIPLY: [[u8; 10]; 10] = [
        [0, 1, 2, 3, 4, 5, 6, 7, 8, 9],
        [1, 2, 3, 4, 0, 6, 7, 8, 9, 5],
        [2, 3, 4, 0, 1, 7, 8, 9, 5, 6],
        [3, 4, 0, 1, 2, 8, 9, 5, 6, 7],
        [4, 0, 1, 2, 3, 9, 5, 6, 7, 8],
        [5, 9, 8, 7, 6, 0, 4, 3, 2, 1],
        [6, 5, 9, 8, 7, 1, 0, 4, 3, 2],
        [7, 6, 5, 9, 8, 2, 1, 0, 4, 3],
        [8, 7, 6, 5, 9, 3, 2, 1, 0, 4],
        [9, 8, 7, 6, 5, 4, 3, 2, 1, 0],
    ];
    const PERMUTE: [[u8; 10]; 8] = [
        [0, 1, 2, 3, 4, 5, 6, 7, 8, 9],
        [1, 5, 7, 6, 2, 8, 3, 0, 9, 4],
        [5, 8, 0, 3, 7, 9, 6, 1, 4, 2],
        [8, 9, 1, 6, 0, 4, 3, 5, 2, 7],
        [9, 4, 5, 3, 1, 2, 6, 8, 7, 0],
        [4, 2, 8, 6, 5, 7, 3, 9, 0, 1],
        [2, 7, 9, 3, 8, 0, 6, 4, 1, 5],
        [7, 0, 4, 6, 9, 1, 3, 2, 5, 8],
    ];
    let check = digits.iter().rev().enumerate().fold(0u8, |check, (at, digit)| {
        MULTIPLY[usize::from(check)][usize::from(PERMUTE[at % 8][*digit as usize])]
    });
    digits[0] > 1 && check == 0
}

/// United Kingdom: two letters, six digits, a letter.
fn is_nino(text: &str) -> bool {
    let text: Vec<u8> = text.bytes().filter(|byte| *byte != b' ').collect();
    text.len() == 9
        && text[..2].iter().all(|byte| b"ABCEGHJKLMNOPRSTWXYZ".contains(byte))
        && text[2..8].iter().all(u8::is_ascii_digit)
        && (b'A'..=b'D').contains(&text[8])
        && !matches!(&text[..2], b"BG" | b"GB" | b"NK" | b"KN" | b"TN" | b"NT" | b"ZZ")
}

/// Italy: sixteen characters, the last a check of the others.
fn is_fiscal_code(text: &str) -> bool {
    const ODD: [u32; 26] = [
        1, 0, 5, 7, 9, 13, 15, 17, 19, 21, 2, 4, 18, 20, 11, 3, 6, 8, 12, 14, 16, 10, 22, 25, 24,
        23,
    ];
    let text = text.as_bytes();
    let form = b"LLLLLLNNLNNLNNNL";
    let fits = |(byte, form): (&u8, &u8)| match form {
        b'L' => byte.is_ascii_uppercase(),
        _ => byte.is_ascii_digit() || byte.is_ascii_uppercase(),
    };
    if text.len() != 16 || !text.iter().zip(form).all(fits) {
        return false;
    }
    let value = |byte: u8| u32::from(if byte.is_ascii_digit() { byte - b'0' } else { byte - b'A' });
    let sum: u32 = text[..15]
        .iter()
        .enumerate()
        .map(|(at, byte)| if at % 2 == 0 { ODD[value(*byte) as usize] } else { value(*byte) })
        .sum();
    sum % 26 == value(text[15])
}

/// Spain: eight digits (or X, Y, Z and seven) and a letter that checks them.
fn is_dni(text: &str) -> bool {
    let text = text.as_bytes();
    let [first, middle @ .., letter] = text else { return false };
    if text.len() != 9 || !middle.iter().all(u8::is_ascii_digit) {
        return false;
    }
    let begin = match first {
        b'0'..=b'9' => u32::from(first - b'0'),
        b'X' | b'Y' | b'Z' => u32::from(first - b'X'),
        _ => return false,
    };
    let number = middle.iter().fold(begin, |number, byte| number * 10 + u32::from(byte - b'0'));
    b"TRWAGMYFPDXBNJZSQVHLCKE"[(number % 23) as usize] == *letter
}

/// China: seventeen digits with a day of birth, and a check digit or X.
fn is_chinese(text: &str) -> bool {
    const WEIGHTS: [u32; 17] = [7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2];
    let Some((body, last)) = text.split_at_checked(17) else { return false };
    let Some(digits) = digits(body).filter(|digits| digits.len() == 17) else { return false };
    let number =
        |from: usize, to: usize| digits[from..to].iter().fold(0, |n, digit| n * 10 + digit);
    let born = (1_900..=2_100).contains(&number(6, 10))
        && (1..=12).contains(&number(10, 12))
        && (1..=31).contains(&number(12, 14));
    let check = ["1", "0", "X", "9", "8", "7", "6", "5", "4", "3", "2"];
    born && check[(weighted(&digits, &WEIGHTS) % 11) as usize] == last
}
