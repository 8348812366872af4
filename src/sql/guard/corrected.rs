//! The query that was probably meant.
//!
//! Where the table that multiplies the others is only joined by its key, or summed, it
//! can be grouped by the key before it is joined, and the rest of the query stands as it
//! is. In any other case nobody can tell what was meant, and nothing is offered.

use std::ops::ControlFlow;

use datafusion::sql::sqlparser::ast::{
    Expr, Function, FunctionArg, FunctionArgExpr, FunctionArguments, Ident, ObjectNamePart, Select,
    SelectItem, Statement, TableAlias, TableFactor, Visit as _, VisitMut, Visitor, VisitorMut,
};
use datafusion::sql::sqlparser::dialect::GenericDialect;
use datafusion::sql::sqlparser::parser::Parser;

/// The table that multiplies.
pub(super) struct Grouped<'a> {
    pub table: &'a str,
    pub alias: &'a str,
    pub key: &'a [String],
    pub columns: &'a [String],
}

impl Grouped<'_> {
    /// The query with the table grouped by its key, if that leaves no doubt.
    pub(super) fn correct(&self, statement: &Statement) -> Option<String> {
        let mut uses =
            Uses { of: self, columns: Vec::new(), sums: Vec::new(), times: 0, doubt: false };
        let _ = statement.visit(&mut uses);
        if uses.doubt || uses.times != 1 || self.key.is_empty() {
            return None;
        }
        let mut sums: Vec<&String> = Vec::new();
        for column in uses.columns.iter().filter(|column| !self.key.contains(column)) {
            let all = uses.columns.iter().filter(|other| *other == column).count();
            let summed = uses.sums.iter().filter(|other| *other == column).count();
            if all != summed {
                return None;
            }
            if !sums.contains(&column) {
                sums.push(column);
            }
        }
        let key: Vec<String> = self.key.iter().map(|name| quoted(name)).collect();
        let mut items = key.clone();
        items.extend(sums.iter().map(|name| format!("sum({0}) AS {0}", quoted(name))));
        let (items, key) = (items.join(", "), key.join(", "));
        let grouped = format!("SELECT {items} FROM {} GROUP BY {key}", quoted(self.table));
        let Statement::Query(query) =
            Parser::parse_sql(&GenericDialect {}, &grouped).ok()?.into_iter().next()?
        else {
            return None;
        };
        let mut statement = statement.clone();
        let name = Ident::new(quoted(self.alias));
        let alias = TableAlias { explicit: true, name, columns: Vec::new(), at: None };
        let derived = TableFactor::Derived {
            lateral: false,
            subquery: query,
            alias: Some(alias),
            sample: None,
        };
        let _ = VisitMut::visit(&mut statement, &mut Replace { of: self, by: derived });
        let text = statement.to_string();
        (text.len() <= 600).then_some(text)
    }

    fn is(&self, factor: &TableFactor) -> bool {
        let TableFactor::Table { name, alias, args: None, .. } = factor else { return false };
        let [ObjectNamePart::Identifier(only)] = name.0.as_slice() else { return false };
        let called = alias.as_ref().map_or(&only.value, |alias| &alias.name.value);
        only.value == self.table && called == self.alias
    }
}

/// A name as it can stand in a query.
fn quoted(name: &str) -> String {
    let plain = name.starts_with(|c: char| c.is_ascii_lowercase() || c == '_')
        && name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_');
    if plain { name.to_owned() } else { format!("\"{}\"", name.replace('"', "\"\"")) }
}

/// Where columns of the table stand.
struct Uses<'a> {
    of: &'a Grouped<'a>,
    columns: Vec<String>,
    /// Those that are summed, each as often as it is.
    sums: Vec<String>,
    times: usize,
    /// Whether something may be a column of the table, or more than one.
    doubt: bool,
}

impl Uses<'_> {
    fn column(&self, expr: &Expr) -> Option<String> {
        match expr {
            Expr::CompoundIdentifier(parts) => match parts.as_slice() {
                [table, column] if table.value == self.of.alias => Some(column.value.clone()),
                _ => None,
            },
            Expr::Identifier(name) if self.of.columns.contains(&name.value) => {
                Some(name.value.clone())
            }
            _ => None,
        }
    }

    fn summed(&self, function: &Function) -> Option<String> {
        let [ObjectNamePart::Identifier(name)] = function.name.0.as_slice() else { return None };
        let FunctionArguments::List(list) = &function.args else { return None };
        let [FunctionArg::Unnamed(FunctionArgExpr::Expr(argument))] = list.args.as_slice() else {
            return None;
        };
        let plain = function.over.is_none()
            && function.filter.is_none()
            && list.duplicate_treatment.is_none()
            && name.value.eq_ignore_ascii_case("sum");
        plain.then(|| self.column(argument)).flatten()
    }
}

impl Visitor for Uses<'_> {
    type Break = ();

    fn pre_visit_table_factor(&mut self, factor: &TableFactor) -> ControlFlow<()> {
        self.times += usize::from(self.of.is(factor));
        ControlFlow::Continue(())
    }

    fn pre_visit_select(&mut self, select: &Select) -> ControlFlow<()> {
        self.doubt |= select.projection.iter().any(|item| {
            matches!(item, SelectItem::Wildcard(_) | SelectItem::QualifiedWildcard(..))
        });
        ControlFlow::Continue(())
    }

    fn pre_visit_expr(&mut self, expr: &Expr) -> ControlFlow<()> {
        if let Some(column) = self.column(expr) {
            self.columns.push(column);
        }
        if let Expr::Function(function) = expr
            && let Some(column) = self.summed(function)
        {
            self.sums.push(column);
        }
        ControlFlow::Continue(())
    }
}

struct Replace<'a> {
    of: &'a Grouped<'a>,
    by: TableFactor,
}

impl VisitorMut for Replace<'_> {
    type Break = ();

    fn post_visit_table_factor(&mut self, factor: &mut TableFactor) -> ControlFlow<()> {
        if self.of.is(factor) {
            *factor = self.by.clone();
        }
        ControlFlow::Continue(())
    }
}
