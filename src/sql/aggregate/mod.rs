//! Functions of many rows where the engine's own would give a wrong number.
//!
//! | function | the engine | here |
//! | --- | --- | --- |
//! | `sum`, `avg` of integers and decimals | wrap, cut digits off | [`exact`], [`groups`] |
//! | `sum`, `avg` of floats over a moving window | add and take away again | [`float_sum`] |
//! | other functions over a moving window | take away again, or not at all | [`moving`] |
//! | `sum`, `avg` of a column without a value | refuse it | [`nothing`] |
//! | `min`, `max` of floats by group | whatever came first beside a NaN | [`extreme`] |
//! | `percentile_cont`, `median` | cut digits off between two values | [`percentile`] |

mod exact;
mod extreme;
mod float_sum;
mod groups;
mod moving;
mod nothing;
mod percentile;
mod wrapped;

use std::sync::Arc;

use datafusion::logical_expr::AggregateUDF;

pub(super) use self::exact::{Overflow, overflow, scale};

/// The engine's function, or ours in its place.
pub(super) fn of(function: Arc<AggregateUDF>) -> Arc<AggregateUDF> {
    match function.name() {
        "sum" => exact::sum(),
        "avg" => exact::avg(),
        "percentile_cont" | "median" => percentile::of(function),
        "min" | "max" => extreme::of(function),
        // What it keeps of a window, it can take away again.
        "count" => function,
        _ => moving::of(function),
    }
}
