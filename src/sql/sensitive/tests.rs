//! What the cases of `tests/sql/sensitive.txt` cannot show: what this engine plans and does
//! not run, and that nothing is called harmless that is not there.

use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;

use arrow::datatypes::{DataType, Field, Schema};
use datafusion::common::{Column, Spans};
use datafusion::execution::SessionStateDefaults as Defaults;
use datafusion::logical_expr::{
    Expr, LogicalPlan, LogicalPlanBuilder, Subquery, col, logical_plan::table_scan,
};

use super::*;
use crate::sql::tests::{table, whole};

fn people() -> (LogicalPlan, Vec<Bound>) {
    let schema = Schema::new(vec![
        Field::new("id", DataType::Int64, true),
        Field::new("card", DataType::Int64, true),
    ]);
    let scan = table_scan(Some("people"), &schema, None).unwrap().build().unwrap();
    let bound = Bound {
        asked: "people".to_owned(),
        name: "people".to_owned(),
        table: table(vec![("id", whole(&[1])), ("card", whole(&[2]))]),
        content_hash: String::new(),
        sensitive: Arc::new(BTreeMap::from([("card".to_owned(), Kind::Card)])),
        is_filtered: false,
    };
    (scan, vec![bound])
}

#[test]
fn a_subquery_that_gives_what_is_outside_of_it_carries_that() {
    let (scan, tables) = people();
    let outside = |name: &str| {
        let field = Arc::new(Field::new(name, DataType::Int64, true));
        Expr::OuterReferenceColumn(field, Column::new(Some("people"), name))
    };
    for (name, want) in [("card", Some(Kind::Card)), ("id", None)] {
        let inner = LogicalPlanBuilder::empty(true).project(vec![outside(name)]).unwrap();
        let subquery = Expr::ScalarSubquery(Subquery {
            subquery: Arc::new(inner.build().unwrap()),
            outer_ref_columns: vec![outside(name)],
            spans: Spans::new(),
        });
        let plan = LogicalPlanBuilder::from(scan.clone());
        let plan = plan.project(vec![col("id"), subquery.alias("x")]).unwrap().build().unwrap();
        assert_eq!(sensitive(&plan, &tables), [None, want], "{name}");
    }
}

#[test]
fn tables_that_hold_nothing_of_the_kind_are_not_walked() {
    let (scan, mut tables) = people();
    assert_eq!(sensitive(&scan, &tables), [None, Some(Kind::Card)]);
    tables[0].sensitive = Arc::default();
    assert_eq!(sensitive(&scan, &tables), [None, None]);
}

#[test]
fn every_function_that_carries_nothing_is_one_of_the_engine_s() {
    let mut names: HashSet<String> = HashSet::new();
    names.extend(Defaults::default_scalar_functions().iter().map(|f| f.name().to_owned()));
    names.extend(Defaults::default_higher_order_functions().iter().map(|f| f.name().to_owned()));
    names.extend(Defaults::default_aggregate_functions().iter().map(|f| f.name().to_owned()));
    names.extend(Defaults::default_window_functions().iter().map(|f| f.name().to_owned()));
    let unknown: Vec<_> = expr::ABOUT.iter().filter(|name| !names.contains(**name)).collect();
    assert!(unknown.is_empty(), "{unknown:?}");
}
