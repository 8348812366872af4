//! The functions of a query: a list of what there is, not of what there is not.
//!
//! A function is on the list if it is a pure function of its arguments and of the
//! time at which the query began, which is recorded: what it gives must come out
//! again in a replay. Each that the engine has and we do not is named in
//! [`LEFT_OUT`] with its reason, and a test holds that the two lists together are
//! all there are, so that a new version of the engine brings no function unseen.

use std::collections::{BTreeSet, HashSet};
use std::sync::LazyLock;

use datafusion::execution::SessionStateDefaults as Defaults;
use datafusion::execution::session_state::SessionStateBuilder;

use super::{aggregate, bounded, captured, zones};
use crate::nearest;

/// Functions of one row.
const SCALAR: &str = "abs acos acosh asin asinh atan atan2 atanh cbrt ceil cos cosh cot degrees exp \
    factorial floor gcd isnan iszero lcm ln log log10 log2 nanvl pi power radians round signum sin \
    sinh sqrt tan tanh trunc \
    ascii bit_length btrim character_length chr concat concat_ws contains ends_with find_in_set \
    initcap left levenshtein lower lpad ltrim octet_length overlay repeat replace reverse right rpad \
    rtrim split_part starts_with strpos substr substr_index to_hex translate upper \
    regexp_count regexp_instr regexp_like regexp_match regexp_replace \
    current_date current_time date_bin date_part date_trunc from_unixtime make_date make_time now \
    to_char to_date to_local_time to_time to_timestamp to_timestamp_micros to_timestamp_millis \
    to_timestamp_nanos to_timestamp_seconds to_unixtime \
    arrow_cast arrow_try_cast arrow_typeof coalesce get_field greatest least named_struct nullif nvl \
    nvl2 struct \
    array_any_value array_append array_concat array_dims array_distance array_distinct array_element \
    array_except array_has array_has_all array_has_any array_intersect array_length array_max \
    array_min array_ndims array_pop_back array_pop_front array_position array_positions \
    array_prepend array_remove array_remove_all array_remove_n array_repeat array_replace \
    array_replace_all array_replace_n array_reverse array_slice array_sort array_to_string \
    array_union array_compact array_sum array_avg array_product array_normalize array_add \
    array_subtract array_scale arrays_zip cardinality cosine_distance inner_product empty flatten \
    generate_series make_array map map_entries map_extract map_keys map_values range \
    string_to_array";

/// Functions of one row that are ours.
const OWN: &str = "regexp_extract timezone";

/// Functions that take a function.
const HIGHER: &str = "array_any_match array_filter array_first array_transform";

/// Functions of many rows.
const AGGREGATE: &str = "approx_distinct approx_median approx_percentile_cont \
    approx_percentile_cont_with_weight any_value array_agg avg bit_and bit_or bit_xor bool_and bool_or \
    corr count covar_pop covar_samp first_value grouping last_value max median min nth_value \
    percentile_cont regr_avgx regr_avgy regr_count regr_intercept regr_r2 regr_slope regr_sxx regr_sxy \
    regr_syy stddev stddev_pop string_agg sum var var_pop";

/// Functions of rows around a row.
const WINDOW: &str = "cume_dist dense_rank first_value lag last_value lead nth_value ntile percent_rank rank row_number";

/// Functions that make rows.
const TABLE: &str = "generate_series range";

/// What the engine has and a query may not use, and why.
pub(super) const LEFT_OUT: &[(&str, &str)] = &[
    ("random", "it gives other numbers each time: the result could not be replayed"),
    ("uuid", "it gives other values each time: the result could not be replayed"),
    ("version", "it tells of the program and not of the data"),
    ("arrow_metadata", "it shows what is not data"),
    ("arrow_field", "it shows what is not data"),
    ("with_metadata", "it changes what is not data"),
    ("input_file_name", "it shows how the room keeps its files"),
    ("file_row_index", "it shows how the room keeps its files"),
    ("array_resize", "one number in it can ask for any amount of memory"),
    ("cast_to_type", "CAST does the same"),
    ("try_cast_to_type", "TRY_CAST does the same"),
    ("union_extract", "no table here has a union"),
    ("union_tag", "no table here has a union"),
    ("encode", "write to_hex(…)"),
    ("decode", "there is nothing that writes what it would read"),
];

/// What people write who come from another engine, and what they mean.
const INSTEAD: &[(&str, &str)] = &[
    ("random", "a script's random numbers come out again in a replay, and no query's"),
    ("uuid", "number rows with row_number() OVER (ORDER BY …)"),
    ("mode", "write GROUP BY with count(*), ORDER BY 2 DESC LIMIT 1"),
    (
        "date_diff",
        "write date_diff('day', from, to), with year, quarter, month, day, hour, minute or second",
    ),
    (
        "datediff",
        "write date_diff('day', from, to), with year, quarter, month, day, hour, minute or second",
    ),
    ("timestampdiff", "write date_diff('day', from, to), which counts borders of days"),
    ("dateadd", "add an INTERVAL: d + INTERVAL '1 day'"),
    ("date_add", "add an INTERVAL: d + INTERVAL '1 day'"),
    ("date_sub", "take an INTERVAL away: d - INTERVAL '1 day'"),
    ("weekday", "write date_part('isodow', …), which is 1 on Mondays"),
    ("dayofweek", "write date_part('isodow', …), which is 1 on Mondays"),
    ("age", "subtract the dates, or write date_diff('month', from, to)"),
    ("typeof", "write arrow_typeof(…)"),
    ("json_extract", "a script reads texts of JSON, with json.loads"),
    ("product", "write exp(sum(ln(x))) where all are above 0"),
    (
        "percentile_disc",
        "write percentile_disc(0.5) WITHIN GROUP (ORDER BY …), without FILTER and OVER",
    ),
    ("approx_quantile", "write percentile_cont(0.5) WITHIN GROUP (ORDER BY …)"),
    ("skewness", "a script computes it: x.skew()"),
    ("kurtosis", "a script computes it: x.kurt()"),
    ("histogram", "write GROUP BY with count(*)"),
    ("quantile", "write percentile_cont(0.5) WITHIN GROUP (ORDER BY …)"),
];

fn set(list: &str) -> HashSet<&str> {
    list.split_whitespace().collect()
}

/// Puts the listed functions into a session, and no others.
pub(super) fn register(builder: SessionStateBuilder) -> SessionStateBuilder {
    let scalar = set(SCALAR);
    let functions = Defaults::default_scalar_functions();
    let listed = |name: &str| scalar.contains(name) && name != "regexp_match";
    let functions = functions.into_iter().filter(|f| listed(f.name())).map(bounded::of);
    let functions =
        functions.chain([captured::regexp_match(), captured::regexp_extract(), zones::timezone()]);
    let higher = set(HIGHER);
    let higher_order = Defaults::default_higher_order_functions();
    let aggregate = set(AGGREGATE);
    let aggregates = Defaults::default_aggregate_functions();
    let window = set(WINDOW);
    let windows = Defaults::default_window_functions();
    let table = set(TABLE);
    let tables = Defaults::default_table_functions();
    builder
        .with_expr_planners(Defaults::default_expr_planners())
        .with_scalar_functions(functions.collect())
        .with_higher_order_functions(
            higher_order.into_iter().filter(|f| higher.contains(f.name())).collect(),
        )
        .with_aggregate_functions(
            aggregates
                .into_iter()
                .filter(|f| aggregate.contains(f.name()))
                .map(aggregate::of)
                .collect(),
        )
        .with_window_functions(windows.into_iter().filter(|f| window.contains(f.name())).collect())
        .with_table_function_list(tables.into_iter().filter(|f| table.contains(f.name())).collect())
}

/// Every name that a query may call, with what the planner calls by itself.
static KNOWN: LazyLock<BTreeSet<String>> = LazyLock::new(|| {
    let mut names: BTreeSet<String> = BTreeSet::from(["unnest".to_owned(), "row".to_owned()]);
    for list in [SCALAR, OWN, HIGHER, AGGREGATE, WINDOW] {
        names.extend(list.split_whitespace().map(str::to_owned));
    }
    for function in Defaults::default_scalar_functions() {
        if names.contains(function.name()) {
            names.extend(function.aliases().iter().cloned());
        }
    }
    for function in Defaults::default_higher_order_functions() {
        if names.contains(function.name()) {
            names.extend(function.aliases().iter().cloned());
        }
    }
    for function in Defaults::default_aggregate_functions() {
        if names.contains(function.name()) {
            names.extend(function.aliases().iter().cloned());
        }
    }
    for function in Defaults::default_window_functions() {
        if names.contains(function.name()) {
            names.extend(function.aliases().iter().cloned());
        }
    }
    names
});

/// Whether a query may call this.
pub(super) fn is_known(name: &str) -> bool {
    KNOWN.contains(name)
}

/// Whether a query may read from this as from a table.
pub(super) fn is_table_function(name: &str) -> bool {
    name == "unnest" || set(TABLE).contains(name)
}

/// Functions that may have been meant.
pub(super) fn nearest(name: &str) -> Vec<String> {
    nearest::nearest(name, KNOWN.iter().map(String::as_str))
        .into_iter()
        .map(str::to_owned)
        .collect()
}

/// What to write instead of a function of another engine, or why there is none.
pub(super) fn instead(name: &str) -> Option<&'static str> {
    let of = |list: &'static [(&str, &'static str)]| {
        list.iter().find(|(wrong, _)| *wrong == name).map(|(_, right)| *right)
    };
    of(INSTEAD).or_else(|| of(LEFT_OUT))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All functions that the engine has, with the lists that they may be on.
    fn all() -> Vec<(String, &'static str)> {
        let mut all: Vec<(String, &'static str)> = Vec::new();
        all.extend(
            Defaults::default_scalar_functions().iter().map(|f| (f.name().to_owned(), SCALAR)),
        );
        all.extend(
            Defaults::default_higher_order_functions()
                .iter()
                .map(|f| (f.name().to_owned(), HIGHER)),
        );
        all.extend(
            Defaults::default_aggregate_functions()
                .iter()
                .map(|f| (f.name().to_owned(), AGGREGATE)),
        );
        all.extend(
            Defaults::default_window_functions().iter().map(|f| (f.name().to_owned(), WINDOW)),
        );
        all.extend(
            Defaults::default_table_functions().iter().map(|f| (f.name().to_owned(), TABLE)),
        );
        all
    }

    #[test]
    fn every_function_of_the_engine_is_on_the_list_or_left_out_with_a_reason() {
        let unseen: Vec<_> = all()
            .into_iter()
            .filter(|(name, list)| {
                !set(list).contains(name.as_str()) && !LEFT_OUT.iter().any(|(out, _)| out == name)
            })
            .map(|(name, _)| name)
            .collect();
        assert!(unseen.is_empty(), "decide about {unseen:?}");
    }

    #[test]
    fn nothing_on_the_list_is_unknown_to_the_engine_or_left_out() {
        let names: HashSet<String> = all().into_iter().map(|(name, _)| name).collect();
        for list in [SCALAR, HIGHER, AGGREGATE, WINDOW, TABLE] {
            for name in list.split_whitespace() {
                assert!(names.contains(name), "{name}");
                assert!(!LEFT_OUT.iter().any(|(out, _)| *out == name), "{name}");
            }
        }
    }

    #[test]
    fn aliases_are_known_and_what_reads_files_is_not() {
        for known in
            ["length", "mean", "substring", "instr", "list_sort", "string_agg", "stddev_samp"]
        {
            assert!(is_known(known), "{known}");
        }
        for unknown in ["read_csv", "read_text", "pg_read_file", "glob", "load_extension", "random"]
        {
            assert!(!is_known(unknown), "{unknown}");
        }
    }
}
