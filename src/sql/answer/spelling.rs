//! Groups that differ only in spelling, and a group without a name.
//!
//! `EUR`, `eur ` and `ЕUR` with a Cyrillic letter are three groups for the engine and one for
//! its reader. The groups are in the answer, so they are looked at there.

use std::collections::{BTreeMap, BTreeSet};

use arrow::array::{ArrayRef, AsArray as _};
use arrow::compute::cast;
use arrow::datatypes::DataType;
use datafusion::logical_expr::{Expr, LogicalPlan};

use crate::sql::sensitive::Kinds;
use crate::sql::zero::skeleton;

/// Different groups that are looked at.
const GROUPS: usize = 5_000;
/// Spellings that are told.
const TOLD: usize = 3;

/// See the module.
pub(super) struct Spelling(Vec<Key>);

struct Key {
    column: usize,
    name: String,
    is_sensitive: bool,
    values: BTreeSet<String>,
}

impl Spelling {
    /// The columns of a plan that are keys of groups and texts.
    pub(super) fn of(plan: &LogicalPlan, kinds: &Kinds) -> Self {
        let fields = plan.schema().fields().iter().enumerate();
        let keys = fields.filter(|(at, field)| field.data_type().is_string() && is_key(plan, *at));
        let key = |(column, field): (usize, &std::sync::Arc<arrow::datatypes::Field>)| Key {
            column,
            name: field.name().clone(),
            is_sensitive: kinds.get(column).is_some_and(Option::is_some),
            values: BTreeSet::new(),
        };
        Self(keys.map(key).collect())
    }

    pub(super) fn see(&mut self, columns: &[ArrayRef]) {
        for key in &mut self.0 {
            let Some(Ok(texts)) = columns.get(key.column).map(|c| cast(c, &DataType::Utf8View))
            else {
                continue;
            };
            for text in texts.as_string_view().iter().flatten() {
                if key.values.len() < GROUPS && !key.values.contains(text) {
                    key.values.insert(text.to_owned());
                }
            }
        }
    }

    pub(super) fn told(&self, may_show: bool) -> Vec<String> {
        self.0.iter().flat_map(|key| key.told(may_show)).collect()
    }
}

impl Key {
    fn told(&self, may_show: bool) -> Vec<String> {
        let name = &self.name;
        let mut alike: BTreeMap<String, Vec<&str>> = BTreeMap::new();
        for value in &self.values {
            alike.entry(skeleton(value)).or_default().push(value);
        }
        let mut told = Vec::new();
        if alike.remove("").is_some() {
            told.push(format!(
                "one of the groups of {name} is blank: its rows belong to a group that nobody named"
            ));
        }
        alike.retain(|_, spellings| spellings.len() > 1);
        if alike.is_empty() {
            return told;
        }
        let what = if may_show && !self.is_sensitive {
            let shown = alike.values().take(TOLD).map(|spellings| {
                let quoted: Vec<String> =
                    spellings.iter().take(TOLD).map(|text| format!("{:?}", short(text))).collect();
                quoted.join(" and ")
            });
            shown.collect::<Vec<_>>().join("; ")
        } else {
            format!("{} names in two spellings or more", alike.len())
        };
        told.push(format!(
            "groups of {name} differ only in spelling and may be one: {what}; group by \
             upper(trim({name})), or clean the column first"
        ));
        told
    }
}

fn short(text: &str) -> String {
    text.chars().take(40).collect()
}

/// Whether a column of a plan is a group's key as it is.
fn is_key(plan: &LogicalPlan, at: usize) -> bool {
    match plan {
        LogicalPlan::Aggregate(aggregate) => {
            let groups = aggregate.schema.fields().len() - aggregate.aggr_expr.len();
            at < groups
        }
        LogicalPlan::Projection(projection) => {
            let Some(column) = column(&projection.expr[at]) else { return false };
            let place = projection.input.schema().maybe_index_of_column(column);
            place.is_some_and(|at| is_key(&projection.input, at))
        }
        LogicalPlan::Window(window) => {
            at < window.input.schema().fields().len() && is_key(&window.input, at)
        }
        LogicalPlan::Sort(_)
        | LogicalPlan::Limit(_)
        | LogicalPlan::Filter(_)
        | LogicalPlan::SubqueryAlias(_) => is_key(plan.inputs()[0], at),
        _ => false,
    }
}

fn column(expr: &Expr) -> Option<&datafusion::common::Column> {
    match expr {
        Expr::Column(column) => Some(column),
        Expr::Alias(alias) => column(&alias.expr),
        _ => None,
    }
}
