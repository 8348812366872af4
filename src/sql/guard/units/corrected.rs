//! The query that was probably meant: grouped by the unit, or with one unit converted.

use std::ops::ControlFlow;

use datafusion::sql::sqlparser::ast::{
    BinaryOperator, Expr, GroupByExpr, Ident, ObjectNamePart, Select, SelectItem, SetExpr,
    Statement, TableFactor, Value, VisitMut as _, VisitorMut,
};

use super::mark::Origin;
use super::told::quoted;

/// A longer query is not offered.
const MOST: usize = 600;

/// The query grouped by the column that says the unit, if it is one plain SELECT from the
/// table that has it.
pub(super) fn grouped_by(statement: &Statement, origin: &Origin, teller: &str) -> Option<String> {
    let mut statement = statement.clone();
    let Statement::Query(query) = &mut statement else { return None };
    let SetExpr::Select(select) = query.body.as_mut() else { return None };
    let called = origin.alias.as_deref().unwrap_or(&origin.table);
    if !reads(select, &origin.table, called) || !is_grouped(select) {
        return None;
    }
    let name = vec![Ident::new(quoted(called)), Ident::new(quoted(teller))];
    let GroupByExpr::Expressions(groups, modifiers) = &mut select.group_by else { return None };
    if !modifiers.is_empty() || select.distinct.is_some() {
        return None;
    }
    groups.push(Expr::CompoundIdentifier(name.clone()));
    select.projection.insert(0, SelectItem::UnnamedExpr(Expr::CompoundIdentifier(name)));
    let text = statement.to_string();
    (text.len() <= MOST).then_some(text)
}

/// Whether a SELECT reads the table itself, under this name.
fn reads(select: &Select, table: &str, called: &str) -> bool {
    let factors = select.from.iter().flat_map(|from| {
        std::iter::once(&from.relation).chain(from.joins.iter().map(|join| &join.relation))
    });
    let mut found = factors.filter(|factor| {
        let TableFactor::Table { name, alias, args: None, .. } = factor else { return false };
        let [ObjectNamePart::Identifier(only)] = name.0.as_slice() else { return false };
        let alias = alias.as_ref().map_or(&only.value, |alias| &alias.name.value);
        only.value == table && alias == called
    });
    found.next().is_some() && found.next().is_none()
}

/// Whether it is an aggregate as it stands: grouped by names and expressions, or of one row.
fn is_grouped(select: &Select) -> bool {
    let by_number = |expr: &Expr| matches!(expr, Expr::Value(_));
    match &select.group_by {
        GroupByExpr::Expressions(groups, _) => {
            let star = |item: &SelectItem| {
                matches!(item, SelectItem::Wildcard(_) | SelectItem::QualifiedWildcard(..))
            };
            let has_window =
                select.projection.iter().any(|item| item.to_string().contains(" OVER "));
            !has_window && !groups.iter().any(by_number) && !select.projection.iter().any(star)
        }
        GroupByExpr::All(_) => false,
    }
}

/// The query with a column multiplied by what turns it into the other unit.
pub(super) fn converted(statement: &Statement, origin: &Origin, factor: f64) -> Option<String> {
    let mut statement = statement.clone();
    let mut convert = Convert { origin, factor, times: 0 };
    let _ = statement.visit(&mut convert);
    let text = statement.to_string();
    (convert.times > 0 && text.len() <= MOST).then_some(text)
}

struct Convert<'a> {
    origin: &'a Origin,
    factor: f64,
    times: usize,
}

impl VisitorMut for Convert<'_> {
    type Break = ();

    fn post_visit_expr(&mut self, expr: &mut Expr) -> ControlFlow<()> {
        let called = self.origin.alias.as_deref().unwrap_or(&self.origin.table);
        let is_it = match expr {
            Expr::Identifier(name) => name.value == self.origin.column,
            Expr::CompoundIdentifier(parts) => match parts.as_slice() {
                [table, column] => table.value == called && column.value == self.origin.column,
                _ => false,
            },
            _ => false,
        };
        if is_it {
            self.times += 1;
            let factor = Expr::Value(Value::Number(self.factor.to_string(), false).into());
            *expr = Expr::Nested(Box::new(Expr::BinaryOp {
                left: Box::new(expr.clone()),
                op: BinaryOperator::Multiply,
                right: Box::new(factor),
            }));
        }
        ControlFlow::Continue(())
    }
}
