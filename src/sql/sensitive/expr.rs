//! Whether an expression's value is made of a column's values.

use datafusion::logical_expr::{Expr, Operator};

use super::walk::{Marks, Walk};
use crate::profile::Kind;

/// Functions that say something about values: how many, how long, which type, true or false,
/// the number of a row. A new function carries, until somebody has looked at it.
pub(super) const ABOUT: &[&str] = &[
    "count",
    "approx_distinct",
    "grouping",
    "regr_count",
    "row_number",
    "rank",
    "dense_rank",
    "percent_rank",
    "cume_dist",
    "ntile",
    "character_length",
    "octet_length",
    "bit_length",
    "array_length",
    "array_ndims",
    "array_dims",
    "cardinality",
    "arrow_typeof",
    "empty",
    "starts_with",
    "ends_with",
    "contains",
    "regexp_like",
    "isnan",
    "iszero",
    "array_has",
    "array_has_all",
    "array_has_any",
    "array_any_match",
    "bool_and",
    "bool_or",
];

impl Walk<'_> {
    /// What the values of an expression are made of, over rows that hold `marks`.
    pub(super) fn carried(&mut self, expr: &Expr, marks: &Marks) -> Option<Kind> {
        match expr {
            Expr::Column(column) => marks.of(column),
            Expr::OuterReferenceColumn(_, column) => self.outside(column),
            Expr::Alias(alias) => self.carried(&alias.expr, marks),
            Expr::Cast(cast) => self.carried(&cast.expr, marks),
            Expr::TryCast(cast) => self.carried(&cast.expr, marks),
            Expr::Negative(inner) => self.carried(inner, marks),
            Expr::Unnest(unnest) => self.carried(&unnest.expr, marks),
            Expr::Lambda(lambda) => self.carried(&lambda.body, marks),
            Expr::BinaryExpr(binary) if is_true_or_false(binary.op) => None,
            Expr::BinaryExpr(binary) => {
                self.carried(&binary.left, marks).or_else(|| self.carried(&binary.right, marks))
            }
            Expr::Case(case) => {
                let given = case.when_then_expr.iter().map(|(_, then)| then.as_ref());
                self.first(given.chain(case.else_expr.as_deref()), marks)
            }
            Expr::ScalarFunction(of) => self.made_by(of.func.name(), &of.args, marks),
            Expr::HigherOrderFunction(of) => self.made_by(of.name(), &of.args, marks),
            Expr::AggregateFunction(of) => self.made_by(of.func.name(), &of.params.args, marks),
            Expr::WindowFunction(of) => self.made_by(of.fun.name(), &of.params.args, marks),
            Expr::ScalarSubquery(subquery) => self.subquery(&subquery.subquery, marks),
            Expr::GroupingSet(set) => self.first(set.distinct_expr().into_iter(), marks),
            // True or false, a constant, or what the gate refuses.
            _ => None,
        }
    }

    fn made_by(&mut self, function: &str, args: &[Expr], marks: &Marks) -> Option<Kind> {
        if ABOUT.contains(&function) {
            return None;
        }
        self.first(args.iter(), marks)
    }

    fn first<'e>(
        &mut self,
        mut exprs: impl Iterator<Item = &'e Expr>,
        marks: &Marks,
    ) -> Option<Kind> {
        exprs.find_map(|expr| self.carried(expr, marks))
    }
}

fn is_true_or_false(op: Operator) -> bool {
    matches!(
        op,
        Operator::Eq
            | Operator::NotEq
            | Operator::Lt
            | Operator::LtEq
            | Operator::Gt
            | Operator::GtEq
            | Operator::And
            | Operator::Or
            | Operator::IsDistinctFrom
            | Operator::IsNotDistinctFrom
            | Operator::RegexMatch
            | Operator::RegexIMatch
            | Operator::RegexNotMatch
            | Operator::RegexNotIMatch
            | Operator::LikeMatch
            | Operator::ILikeMatch
            | Operator::NotLikeMatch
            | Operator::NotILikeMatch
            | Operator::AtArrow
            | Operator::ArrowAt
    )
}
