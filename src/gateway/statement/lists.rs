//! What a statement's parts are called, and which of them are on a list.

use crate::gateway::Dialect;
use crate::sql::sqlparser::ast::{Expr, Ident, SelectItem, SetExpr};

/// What the columns of a query are called, if its own text says it of all.
pub(super) fn columns(body: &SetExpr) -> Option<Vec<String>> {
    match body {
        SetExpr::Select(select) => select.projection.iter().map(column).collect(),
        SetExpr::Query(query) => columns(&query.body),
        SetExpr::SetOperation { left, .. } => columns(left),
        _ => None,
    }
}

fn column(item: &SelectItem) -> Option<String> {
    match item {
        SelectItem::ExprWithAlias { alias, .. } => Some(folded(alias)),
        SelectItem::UnnamedExpr(Expr::Identifier(name)) => Some(folded(name)),
        SelectItem::UnnamedExpr(Expr::CompoundIdentifier(names)) => names.last().map(folded),
        _ => None,
    }
}

/// A name as PostgreSQL folds it; the others keep a column's letters, and so does this for
/// letters that are small already.
pub(super) fn folded(name: &Ident) -> String {
    match name.quote_style {
        Some(_) => name.value.clone(),
        None => name.value.to_lowercase(),
    }
}

/// A table of the server's own, by its schema or its name.
pub(super) fn is_the_servers(dialect: Dialect, part: &str) -> bool {
    match dialect {
        Dialect::Postgres => part.starts_with("pg_") || part == "information_schema",
        Dialect::MySql => {
            matches!(part, "mysql" | "information_schema" | "performance_schema" | "sys" | "dual")
        }
        Dialect::Sqlite => {
            ["sqlite_", "pragma_", "fts", "temp", "dbstat", "bytecode", "tables_used"]
                .iter()
                .any(|beginning| part.starts_with(beginning))
        }
    }
}

/// Expressions that are what they look like; their parts are looked at by themselves.
pub(super) fn is_listed(expr: &Expr) -> bool {
    matches!(
        expr,
        Expr::Identifier(_)
            | Expr::CompoundIdentifier(_)
            | Expr::CompoundFieldAccess { .. }
            | Expr::IsFalse(_)
            | Expr::IsNotFalse(_)
            | Expr::IsTrue(_)
            | Expr::IsNotTrue(_)
            | Expr::IsNull(_)
            | Expr::IsNotNull(_)
            | Expr::IsUnknown(_)
            | Expr::IsNotUnknown(_)
            | Expr::IsDistinctFrom(..)
            | Expr::IsNotDistinctFrom(..)
            | Expr::InList { .. }
            | Expr::InSubquery { .. }
            | Expr::InUnnest { .. }
            | Expr::Between { .. }
            | Expr::Like { .. }
            | Expr::ILike { .. }
            | Expr::SimilarTo { .. }
            | Expr::RLike { .. }
            | Expr::AnyOp { .. }
            | Expr::AllOp { .. }
            | Expr::UnaryOp { .. }
            | Expr::AtTimeZone { .. }
            | Expr::Extract { .. }
            | Expr::Ceil { .. }
            | Expr::Floor { .. }
            | Expr::Position { .. }
            | Expr::Substring { .. }
            | Expr::Trim { .. }
            | Expr::Overlay { .. }
            | Expr::Collate { .. }
            | Expr::Nested(_)
            | Expr::Value(_)
            | Expr::Case { .. }
            | Expr::Exists { .. }
            | Expr::Subquery(_)
            | Expr::GroupingSets(_)
            | Expr::Cube(_)
            | Expr::Rollup(_)
            | Expr::Tuple(_)
            | Expr::Array(_)
            | Expr::Interval(_)
    )
}
