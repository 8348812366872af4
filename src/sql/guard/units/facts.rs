//! What is known of the units of a table's columns, by name and by content.
//!
//! Names are free. A column that says the unit of others is read once for each content
//! (its different values, of which there are few), and remembered.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use arrow::array::AsArray as _;
use arrow::compute::cast;
use arrow::datatypes::DataType;
use datafusion::common::tree_node::{TreeNode as _, TreeNodeRecursion};
use datafusion::common::{Column, TableReference};
use datafusion::functions_aggregate::expr_fn::count;
use datafusion::logical_expr::{Expr, LogicalPlan, LogicalPlanBuilder, lit};

use super::function::{Says, named, unit_of};
use crate::sql::engine::Bound;
use crate::sql::error::SqlError;
use crate::sql::guard::Measure;
use crate::sql::translate::{Phase, translate};
use crate::type_name::holds_numbers;
use crate::units::{Evidence, UNIT, Unit, claim, sign, tellers, unit_of_column};

/// Different values of a column of units that are read; of more, it is none.
const CODES: usize = 201;
/// Rows of a text that are looked at for signs.
const LOOKED_AT: usize = 1_000;
/// Contents that are remembered.
const REMEMBERED: usize = 10_000;

/// The different units that a column says, with their rows.
type Codes = Vec<(String, u64)>;

/// What was found out of contents; true for ever, since it is by content.
#[derive(Debug, Default)]
pub(in crate::sql) struct KnownUnits(Mutex<HashMap<(String, String), Codes>>);

/// What is known of a column.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Fact {
    /// One unit for all rows.
    Fixed(Unit, Evidence),
    /// Another column says it, row by row.
    Told { by: String, minor: bool },
    /// A sign beside each number says it.
    Signs,
}

/// What is known of the tables of a query.
#[derive(Debug, Default)]
pub(super) struct Facts(HashMap<String, Vec<(String, Fact)>>);

impl Facts {
    pub(super) fn of(&self, table: &str) -> &[(String, Fact)] {
        self.0.get(table).map_or(&[], Vec::as_slice)
    }

    /// Whether anything is known that could clash.
    fn can_clash(&self) -> bool {
        let mut facts = self.0.values().flatten();
        facts.any(|(_, fact)| !matches!(fact, Fact::Fixed(unit, _) if !unit.is_told()))
    }

    /// The facts that a plan needs; `None` if nothing in it can clash.
    pub(super) async fn load(
        plan: &LogicalPlan,
        measure: &Measure<'_>,
    ) -> Result<Option<Self>, SqlError> {
        let used = Used::of(plan);
        let mut facts = Self::default();
        for bound in measure.tables {
            let known = of_table(bound, &used, measure).await?;
            facts.0.insert(bound.name.clone(), known);
        }
        Ok(facts.can_clash().then_some(facts))
    }
}

/// What a plan computes with.
struct Used {
    columns: Vec<String>,
    computes: bool,
}

impl Used {
    fn of(plan: &LogicalPlan) -> Self {
        let mut used = Self { columns: Vec::new(), computes: false };
        // A walk that only looks does not fail.
        let _ = plan.apply_with_subqueries(|plan| {
            used.computes |= matches!(
                plan,
                LogicalPlan::Aggregate(_)
                    | LogicalPlan::Window(_)
                    | LogicalPlan::Union(_)
                    | LogicalPlan::Sort(_)
                    | LogicalPlan::Distinct(_)
                    | LogicalPlan::Join(_)
            );
            plan.apply_expressions(|expr| {
                expr.apply(|expr| {
                    match expr {
                        Expr::Column(column) => used.columns.push(column.name.clone()),
                        Expr::Alias(_) | Expr::Cast(_) | Expr::Literal(..) => {}
                        _ => used.computes = true,
                    }
                    Ok(TreeNodeRecursion::Continue)
                })
            })
        });
        used.columns.sort_unstable();
        used.columns.dedup();
        used
    }

    fn has(&self, column: &str) -> bool {
        self.computes && self.columns.binary_search_by(|known| known.as_str().cmp(column)).is_ok()
    }
}

async fn of_table(
    bound: &Bound,
    used: &Used,
    measure: &Measure<'_>,
) -> Result<Vec<(String, Fact)>, SqlError> {
    let fields = bound.table.schema().fields();
    let mut facts = Vec::new();
    for field in fields.iter().filter(|field| used.has(field.name())) {
        let by_format = field.metadata().get(UNIT).map(String::as_str);
        let Some((unit, evidence)) = unit_of_column(field.name(), by_format) else { continue };
        if holds_numbers(field.data_type()) == Some(true) {
            facts.push((field.name().clone(), Fact::Fixed(unit, evidence)));
        } else if holds_numbers(field.data_type()) == Some(false) && has_signs(bound, field.name())
        {
            facts.push((field.name().clone(), Fact::Signs));
        }
    }
    let columns: Vec<_> = fields
        .iter()
        .map(|field| (field.name().as_str(), holds_numbers(field.data_type())))
        .collect();
    for teller in tellers(&columns) {
        let told: Vec<&str> =
            teller.tells.iter().map(|at| columns[*at].0).filter(|name| used.has(name)).collect();
        if told.is_empty() {
            continue;
        }
        let by = columns[teller.column].0;
        let codes = measure.codes(bound, by).await?;
        if teller.is_sound(&codes) {
            facts.retain(|(name, _)| !told.contains(&name.as_str()));
            facts.extend(told.into_iter().map(|name| (name.to_owned(), fact(name, by, &codes))));
        }
    }
    Ok(facts)
}

fn fact(name: &str, by: &str, codes: &Codes) -> Fact {
    let minor =
        claim(name).is_some_and(|claim| matches!(claim.unit, Unit::Money { minor: true, .. }));
    match codes.as_slice() {
        [(only, _)] => match only.parse::<Unit>() {
            Ok(Unit::Money { currency, .. }) => {
                Fact::Fixed(Unit::Money { currency, minor }, Evidence::Beside(by.to_owned()))
            }
            Ok(unit) => Fact::Fixed(unit, Evidence::Beside(by.to_owned())),
            Err(_) => Fact::Told { by: by.to_owned(), minor },
        },
        _ => Fact::Told { by: by.to_owned(), minor },
    }
}

/// Whether the first rows of a text are numbers with a sign beside them.
fn has_signs(bound: &Bound, name: &str) -> bool {
    let looked = || {
        let at = bound.table.schema().index_of(name).ok()?;
        let mut batches = bound.table.batches(Some(&[at]), Some(LOOKED_AT)).ok()?;
        let batch = batches.next()?.ok()?;
        let texts = cast(batch.column(0), &DataType::Utf8View).ok()?;
        let texts = texts.as_string_view().iter().flatten().filter(|text| !text.trim().is_empty());
        let (mut all, mut signed) = (0, 0);
        for text in texts {
            all += 1;
            signed += usize::from(sign(text).is_some());
        }
        Some(signed > 0 && signed * 2 >= all)
    };
    looked().unwrap_or(false)
}

impl Measure<'_> {
    /// The different units that a column says.
    async fn codes(&self, bound: &Bound, column: &str) -> Result<Codes, SqlError> {
        let name = (bound.content_hash.clone(), column.to_owned());
        let lock = || self.units.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = lock().get(&name) {
            return Ok(known.clone());
        }
        let codes = self.read_codes(bound, column).await?;
        let mut known = lock();
        if known.len() >= REMEMBERED {
            known.clear();
        }
        known.insert(name, codes.clone());
        Ok(codes)
    }

    async fn read_codes(&self, bound: &Bound, column: &str) -> Result<Codes, SqlError> {
        let planning = |error| translate(&error, Phase::Planning);
        let name = TableReference::bare(bound.name.clone());
        let schema = self.state.schema_for_ref(name.clone()).map_err(planning)?;
        let Some(provider) = schema.table(&bound.name).await.map_err(planning)? else {
            return Ok(Vec::new());
        };
        let source = datafusion::datasource::provider_as_source(provider);
        let cell = Expr::Column(Column::new(Some(name.clone()), column));
        let unit = unit_of(cell, Says::Code { minor: false }).alias("unit");
        let plan = LogicalPlanBuilder::scan(name, source, None)
            .and_then(|plan| plan.project(vec![unit]))
            .and_then(|plan| {
                let unit = Expr::Column(Column::new_unqualified("unit"));
                plan.aggregate(vec![unit], vec![count(lit(1)).alias("n")])
            })
            .and_then(|plan| plan.limit(0, Some(CODES)))
            .and_then(LogicalPlanBuilder::build)
            .map_err(planning)?;
        self.counted(&plan, CODES).await
    }

    /// Texts with their counts, the most frequent first.
    pub(super) async fn counted(&self, plan: &LogicalPlan, most: usize) -> Result<Codes, SqlError> {
        let rows = self.texts(plan, most).await?;
        let mut codes: Codes = rows
            .into_iter()
            .filter_map(|row| {
                let (count, texts) = row.split_last()?;
                Some((texts.join(" and "), count.parse().ok()?))
            })
            .collect();
        codes.sort_by(|one, other| other.1.cmp(&one.1).then_with(|| one.0.cmp(&other.0)));
        Ok(codes)
    }
}

/// Units with their rows, in words.
pub(super) fn listed(codes: &[(String, u64)]) -> String {
    let told = codes.iter().take(5).map(|(key, rows)| {
        let rows = format!("{rows} row{}", if *rows == 1 { "" } else { "s" });
        match key.as_str() {
            "?" => format!("a blank in {rows}"),
            key => format!("{} in {rows}", named(key)),
        }
    });
    let more =
        if codes.len() > 5 { format!(" and {} more", codes.len() - 5) } else { String::new() };
    told.collect::<Vec<_>>().join(", ") + &more
}
