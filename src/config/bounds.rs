//! Settings that the room cannot keep, or with which it would be of no use.
//!
//! A limit of nothing is no strict limit but a mistake: with `time_to_live_hours = 0` a
//! table is gone before anybody can use it, and what is said then ("unknown or expired")
//! leads nowhere near the setting. So each number has a least and a most, and what is
//! outside is refused with its file and line. What is not in here may be nothing: no sample
//! rows, no outputs, no scratch files.

use toml::de::{DeTable, DeValue};

/// A number's section, key, least and most, and what smaller ones would do.
struct Bound(&'static str, &'static str, u64, u64, &'static str);

const ANY: u64 = u64::MAX;

const BOUNDS: &[Bound] = &[
    Bound("policy", "sample_rows", 0, 100, ""),
    Bound("policy", "preview_rows", 0, 1_000, ""),
    Bound("policy", "result_bytes", 16, 64 << 10, "no script could give a result"),
    Bound("policy", "stdout_bytes", 200, 64 << 10, "only the note that it was cut would be left"),
    Bound("limits", "fuel", 1, ANY, "no script could run"),
    Bound("limits", "wall_ms", 1, ANY, "no script could run"),
    Bound("limits", "memory_bytes", 1, ANY, "no script could run"),
    Bound("limits", "stdout_bytes", 1, ANY, "every script that prints would be ended"),
    Bound("limits", "stderr_bytes", 1, ANY, "every script with a warning would be ended"),
    Bound("limits", "result_bytes", 1, ANY, "no script could give a result"),
    Bound("limits", "output_rows", 1, ANY, "no table with a row could be kept"),
    Bound("limits", "output_columns", 1, ANY, "no table with a column could be kept"),
    Bound("limits", "output_cells", 1, ANY, "no table with a cell could be kept"),
    Bound("limits", "output_bytes", 1, ANY, "no table with a row could be kept"),
    Bound("limits", "open_files", 1, ANY, "no script could open its inputs"),
    Bound("limits", "host_call_bytes", 1, ANY, "no script could be handed over"),
    Bound("limits", "host_calls", 1, ANY, "no script could be handed over"),
    Bound("query", "sql_bytes", 1, ANY, "no query could be asked"),
    Bound("query", "wall_ms", 1, ANY, "no query could end"),
    Bound("query", "memory_bytes", 1, ANY, "no query could sort, join or group"),
    Bound("store", "time_to_live_hours", 1, ANY, "every table would expire as it is made"),
    Bound("store", "artifact_bytes", 1, ANY, "no table could be kept"),
    Bound("store", "owner_bytes", 1, ANY, "no table could be kept"),
    Bound("audit", "file_bytes", 4 << 10, ANY, "every few calls would begin a file"),
    Bound("export", "bytes", 1, ANY, "nothing could be exported"),
];

/// The first setting of a file that is out of its bounds, in words with its line. The text
/// was read as a configuration before.
pub(super) fn broken(text: &str) -> Option<String> {
    let table = DeTable::parse(text).ok()?;
    BOUNDS.iter().find_map(|Bound(section, key, least, most, so)| {
        let section_of = table.get_ref().get(*section)?.get_ref().as_table()?;
        let value = section_of.get(*key)?;
        let DeValue::Integer(integer) = value.get_ref() else { return None };
        let number = u64::from_str_radix(integer.as_str(), integer.radix()).ok()?;
        let line = text.get(..value.span().start)?.matches('\n').count() + 1;
        let said = format!("line {line}: {section}.{key} = {number}");
        if number < *least {
            return Some(format!("{said} is too little, {so}: at least {least} can be set"));
        }
        (number > *most).then(|| format!("{said} is too much: at most {most} can be set"))
    })
}

#[cfg(test)]
mod tests {
    use dataroom_sandbox::Limits;

    use super::*;
    use crate::config::Config;

    #[test]
    fn each_bound_bites_and_the_number_next_to_it_passes() {
        for Bound(section, key, least, most, so) in BOUNDS {
            let set = |number: u64| broken(&format!("# a room\n[{section}]\n{key} = {number}\n"));
            let says = format!("line 3: {section}.{key} = ");
            if let Some(less) = least.checked_sub(1) {
                let said = set(less).unwrap_or_default();
                assert!(said.starts_with(&says) && said.contains(so) && !so.is_empty(), "{said}");
            }
            if *most < ANY {
                let said = set(most + 1).unwrap_or_default();
                assert!(
                    said.starts_with(&says) && said.contains(&format!("most {most}")),
                    "{said}"
                );
                assert_eq!(set(*most), None);
            }
            assert_eq!(set(*least), None);
        }
        assert_eq!(
            broken("policy = { stdout_bytes = 0x10 }").map(|said| said.len() > 9),
            Some(true)
        );
        assert_eq!(broken(""), None);
    }

    #[test]
    fn every_number_of_a_configuration_is_bounded_or_may_be_nothing() {
        let may_be_nothing =
            ["min_group", "outputs", "scratch_bytes", "scratch_files", "files", "spill_bytes"];
        let whole = toml::Value::try_from(Config::default()).expect("a configuration is TOML");
        let mut seen = 0;
        for (section, keys) in whole.as_table().expect("sections") {
            // Lists of sections (`[[source]]`) look at their numbers themselves.
            for (key, value) in keys.as_table().into_iter().flatten() {
                let bound = BOUNDS.iter().find(|b| b.0 == section && b.1 == key);
                let is_free = may_be_nothing.contains(&key.as_str());
                if value.is_integer() {
                    seen += 1;
                    assert!(bound.is_some() != is_free, "{section}.{key}");
                }
            }
        }
        assert!(seen >= BOUNDS.len() && Limits::default().fuel > 1);
    }
}
