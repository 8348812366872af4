//! A name for a file that any system will take, out of whatever was asked for.

/// Room for ` (1000)`, the extension and file systems that count bytes to 255.
const STEM_BYTES: usize = 200;
const RESERVED: [&str; 6] = ["CON", "PRN", "AUX", "NUL", "CONIN$", "CONOUT$"];
const TRIES: u32 = 10_000;

/// The name asked for, made safe, without its extension. The text is a model's.
pub(super) fn stem(asked: Option<&str>, extension: &str) -> String {
    let asked = asked.unwrap_or("").trim();
    let suffix = format!(".{extension}");
    let cut = asked.len().saturating_sub(suffix.len());
    let asked = match asked.get(cut..) {
        Some(end) if end.eq_ignore_ascii_case(&suffix) => &asked[..cut],
        _ => asked,
    };
    let mut stem: String = asked
        .chars()
        .filter(|character| !is_invisible(*character))
        .map(|character| if is_forbidden(character) { '_' } else { character })
        .collect();
    while stem.len() > STEM_BYTES {
        stem.pop();
    }
    let stem = stem.trim_matches([' ', '.']);
    if stem.is_empty() {
        return "export".to_owned();
    }
    if is_reserved(stem) { format!("_{stem}") } else { stem.to_owned() }
}

/// The names to try, one after the other.
pub(super) fn candidates(stem: &str, extension: &str) -> impl Iterator<Item = String> {
    (1..=TRIES).map(move |n| match n {
        1 => format!("{stem}.{extension}"),
        n => format!("{stem} ({n}).{extension}"),
    })
}

fn is_forbidden(character: char) -> bool {
    character.is_control() || "/\\:*?\"<>|".contains(character)
}

/// Marks that turn text around, with which a name can pretend to be another.
fn is_invisible(character: char) -> bool {
    matches!(character,
        '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}')
}

/// Windows takes these for devices, with any extension.
fn is_reserved(stem: &str) -> bool {
    let base = stem.split('.').next().unwrap_or("").trim_end().to_uppercase();
    let numbered = |prefix: &str| {
        base.strip_prefix(prefix).is_some_and(|rest| {
            rest.chars().count() == 1 && rest.contains(|c| matches!(c, '0'..='9' | '¹' | '²' | '³'))
        })
    };
    RESERVED.contains(&base.as_str()) || numbered("COM") || numbered("LPT")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(asked: &str, expected: &str) {
        assert_eq!(stem(Some(asked), "csv"), expected, "{asked:?}");
    }

    #[test]
    fn names_stay_in_the_folder_and_work_everywhere() {
        check("carriers", "carriers");
        check("carriers.csv", "carriers");
        check("Carriers.CSV", "Carriers");
        check("carriers.xlsx", "carriers.xlsx");
        check("Задержки по перевозчикам 2013", "Задержки по перевозчикам 2013");
        check("遅延.csv", "遅延");
        check("../../etc/passwd", "_.._etc_passwd");
        check("..", "export");
        check("", "export");
        check(" . . ", "export");
        check(".csv", "export");
        check(".hidden", "hidden");
        check("a/b\\c:d*e?f\"g<h>i|j", "a_b_c_d_e_f_g_h_i_j");
        check("line\nbreak\0nul\u{7f}", "line_break_nul_");
        check("trailing. . ", "trailing");
        check("con", "_con");
        check("NUL.txt", "_NUL.txt");
        check("com1", "_com1");
        check("LPT9 ", "_LPT9");
        check("COM¹", "_COM¹");
        check("com10", "com10");
        check("console", "console");
        check("invoice\u{202e}fdp", "invoicefdp");
        assert_eq!(stem(None, "csv"), "export");
    }

    #[test]
    fn long_names_are_cut_between_characters() {
        check(&"x".repeat(200), &"x".repeat(200));
        check(&"x".repeat(201), &"x".repeat(200));
        check(&"я".repeat(300), &"я".repeat(100));
        check(&format!("{}語", "x".repeat(198)), &"x".repeat(198));
    }

    #[test]
    fn taken_names_are_numbered() {
        let first: Vec<_> = candidates("a", "csv").take(3).collect();
        assert_eq!(first, ["a.csv", "a (2).csv", "a (3).csv"]);
    }
}
