//! Which tables and columns a query means.
//!
//! Names are forgiving in case wherever that leaves no doubt: what is written exactly
//! as it is called means that; otherwise, if one known name differs in case only, it
//! is meant. It is done in the syntax tree, before planning, with the engine's own
//! folding switched off, so that a column keeps its own name in the result and a
//! file with `CustomerID` and `customerid` can still be queried for each.
//!
//! A relation that a CTE defines and a dataset is called alike can be either, by the
//! place where it stands; the planner knows scopes, so both are offered to it.

use std::collections::HashMap;
use std::ops::ControlFlow;

use datafusion::sql::sqlparser::ast::{
    ExcludeSelectItem, Expr, Ident, JoinConstraint, JoinOperator, ObjectName, ObjectNamePart,
    Query, Select, SelectItem, SelectItemQualifiedWildcardKind, TableAlias, TableFactor,
    TableWithJoins, Visit as _, VisitMut, Visitor, VisitorMut, WildcardAdditionalOptions,
};

use super::error::Place;
use super::parse::{Parsed, of_name};

/// A relation that a query reads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Wanted {
    /// Its name, as it is written.
    pub name: String,
    /// Whether a CTE has this name, so that there need be no table of it.
    pub is_cte: bool,
    /// Where it stands first.
    pub at: Option<Place>,
}

/// What a wanted relation is.
#[derive(Debug, Clone)]
pub(super) struct Known {
    /// As it is written in the query.
    pub asked: String,
    /// The name under which the session has it.
    pub name: String,
    /// Its columns.
    pub columns: Vec<String>,
}

impl Parsed {
    /// The relations that the query reads, each once, in their order.
    #[must_use]
    pub fn wanted(&self) -> Vec<Wanted> {
        let names = Names::of(self);
        let mut wanted: Vec<Wanted> = Vec::new();
        for (name, at) in names.relations {
            if wanted.iter().any(|one| one.name == name) {
                continue;
            }
            let is_cte = names.ctes.iter().any(|cte| same(cte, &name));
            wanted.push(Wanted { name, is_cte, at });
        }
        wanted
    }

    /// The query with every name as it is known.
    pub(super) fn bind(&self, tables: &[Known]) -> datafusion::sql::sqlparser::ast::Statement {
        let mut binder = Binder::new(Names::of(self), tables);
        let mut statement = self.statement.clone();
        let _ = VisitMut::visit(&mut statement, &mut binder);
        statement
    }
}

/// Equal but for case.
pub(super) fn same(one: &str, other: &str) -> bool {
    one == other || one.to_lowercase() == other.to_lowercase()
}

/// What a query itself defines and reads.
#[derive(Default)]
struct Names {
    relations: Vec<(String, Option<Place>)>,
    ctes: Vec<String>,
    /// Aliases of relations, with the relation where it is a table.
    aliases: Vec<(String, Option<String>)>,
    columns: Vec<String>,
}

impl Names {
    fn of(parsed: &Parsed) -> Self {
        let mut names = Self::default();
        let _ = parsed.statement.visit(&mut names);
        names
    }

    fn alias(&mut self, alias: &TableAlias, of: Option<String>) {
        self.aliases.push((alias.name.value.clone(), of));
        self.columns.extend(alias.columns.iter().map(|column| column.name.value.clone()));
    }
}

/// The parts of a relation's name as one name: `flights.csv` is a file's.
fn written(name: &ObjectName) -> String {
    let parts = name.0.iter().filter_map(ObjectNamePart::as_ident);
    parts.map(|part| part.value.as_str()).collect::<Vec<_>>().join(".")
}

impl Visitor for Names {
    type Break = ();

    fn pre_visit_query(&mut self, query: &Query) -> ControlFlow<()> {
        for cte in query.with.iter().flat_map(|with| &with.cte_tables) {
            self.ctes.push(cte.alias.name.value.clone());
            self.alias(&cte.alias, None);
        }
        ControlFlow::Continue(())
    }

    fn pre_visit_select(&mut self, select: &Select) -> ControlFlow<()> {
        for item in &select.projection {
            if let SelectItem::ExprWithAlias { alias, .. } = item {
                self.columns.push(alias.value.clone());
            }
        }
        ControlFlow::Continue(())
    }

    fn pre_visit_table_factor(&mut self, factor: &TableFactor) -> ControlFlow<()> {
        match factor {
            TableFactor::Table { name, alias, args: None, .. } => {
                let written = written(name);
                self.relations.push((written.clone(), of_name(name)));
                match alias {
                    Some(alias) => self.alias(alias, Some(written)),
                    None => self.aliases.push((short(name), Some(written))),
                }
            }
            TableFactor::Table { alias: Some(alias), .. }
            | TableFactor::Derived { alias: Some(alias), .. }
            | TableFactor::Function { alias: Some(alias), .. }
            | TableFactor::UNNEST { alias: Some(alias), .. }
            | TableFactor::NestedJoin { alias: Some(alias), .. } => self.alias(alias, None),
            _ => {}
        }
        ControlFlow::Continue(())
    }
}

/// What columns of a relation without an alias are qualified with.
fn short(name: &ObjectName) -> String {
    match name.0.first() {
        Some(ObjectNamePart::Identifier(first)) => first.value.clone(),
        _ => String::new(),
    }
}

struct Binder {
    /// Written name to the session's.
    tables: HashMap<String, String>,
    ctes: Vec<String>,
    relations: Vec<String>,
    columns: Vec<String>,
    /// The columns of a relation by its alias, where they are all known.
    of_alias: HashMap<String, Vec<String>>,
}

impl Binder {
    fn new(names: Names, tables: &[Known]) -> Self {
        let mut columns = names.columns;
        let mut of_alias: HashMap<String, Vec<String>> = HashMap::new();
        for table in tables {
            columns.extend(table.columns.iter().cloned());
        }
        for (alias, written) in &names.aliases {
            let table = written.as_ref().and_then(|w| tables.iter().find(|t| t.asked == *w));
            // An alias that stands for two things has the columns of neither for sure.
            let known = table.filter(|_| {
                names.aliases.iter().filter(|(other, _)| same(other, alias)).count() == 1
            });
            if let Some(table) = known {
                of_alias.insert(alias.clone(), table.columns.clone());
            }
        }
        columns.sort_unstable();
        columns.dedup();
        let mut relations: Vec<String> =
            names.aliases.into_iter().map(|(alias, _)| alias).chain(names.ctes.clone()).collect();
        relations.sort_unstable();
        relations.dedup();
        let tables = tables.iter().map(|table| (table.asked.clone(), table.name.clone())).collect();
        Self { tables, ctes: names.ctes, relations, columns, of_alias }
    }

    fn relation(&self, name: &mut ObjectName, alias: &mut Option<TableAlias>) {
        let asked = written(name);
        let called = match self.tables.get(&asked) {
            Some(table) => table.clone(),
            None => match one_of(&asked, &self.ctes) {
                Some(cte) => cte,
                None => return,
            },
        };
        let span = match name.0.first() {
            Some(ObjectNamePart::Identifier(first)) => first.span,
            _ => return,
        };
        if alias.is_none() {
            let shown = short(name);
            if shown != called {
                let name = Ident { value: shown, quote_style: None, span };
                *alias = Some(TableAlias { explicit: true, name, columns: Vec::new(), at: None });
            }
        }
        let ident = Ident { value: called, quote_style: Some('"'), span };
        *name = ObjectName(vec![ObjectNamePart::Identifier(ident)]);
    }

    fn compound(&self, parts: &mut [Ident]) {
        let [first, rest @ ..] = parts else { return };
        if let Some(relation) = one_of(&first.value, &self.relations) {
            first.value = relation;
            if let Some(second) = rest.first_mut() {
                settle(second, self.of_alias.get(&first.value).unwrap_or(&self.columns));
            }
        } else {
            settle(first, &self.columns);
        }
    }

    fn wildcard(&self, options: &mut WildcardAdditionalOptions) {
        let names = match &mut options.opt_exclude {
            Some(ExcludeSelectItem::Single(name)) => vec![name],
            Some(ExcludeSelectItem::Multiple(names)) => names.iter_mut().collect(),
            None => Vec::new(),
        };
        for name in names {
            if let Some(ObjectNamePart::Identifier(ident)) = name.0.last_mut() {
                settle(ident, &self.columns);
            }
        }
        if let Some(except) = &mut options.opt_except {
            settle(&mut except.first_element, &self.columns);
            except.additional_elements.iter_mut().for_each(|name| settle(name, &self.columns));
        }
    }

    fn joins(&self, tables: &mut TableWithJoins) {
        for join in &mut tables.joins {
            let constraint = match &mut join.join_operator {
                JoinOperator::Join(constraint)
                | JoinOperator::Inner(constraint)
                | JoinOperator::Left(constraint)
                | JoinOperator::LeftOuter(constraint)
                | JoinOperator::Right(constraint)
                | JoinOperator::RightOuter(constraint)
                | JoinOperator::FullOuter(constraint)
                | JoinOperator::Semi(constraint)
                | JoinOperator::LeftSemi(constraint)
                | JoinOperator::RightSemi(constraint)
                | JoinOperator::Anti(constraint)
                | JoinOperator::LeftAnti(constraint)
                | JoinOperator::RightAnti(constraint) => constraint,
                _ => continue,
            };
            let JoinConstraint::Using(names) = constraint else { continue };
            for name in names {
                if let Some(ObjectNamePart::Identifier(ident)) = name.0.last_mut() {
                    settle(ident, &self.columns);
                }
            }
        }
    }
}

/// The known name that is meant, if there is no doubt.
fn one_of(name: &str, known: &[String]) -> Option<String> {
    if known.iter().any(|known| known == name) {
        return Some(name.to_owned());
    }
    let mut alike = known.iter().filter(|known| same(known, name));
    match (alike.next(), alike.next()) {
        (Some(one), None) => Some(one.clone()),
        _ => None,
    }
}

fn settle(ident: &mut Ident, known: &[String]) {
    if let Some(meant) = one_of(&ident.value, known) {
        ident.value = meant;
    }
}

impl VisitorMut for Binder {
    type Break = ();

    fn pre_visit_table_factor(&mut self, factor: &mut TableFactor) -> ControlFlow<()> {
        match factor {
            TableFactor::Table { name, alias, args: None, .. } => self.relation(name, alias),
            TableFactor::NestedJoin { table_with_joins, .. } => self.joins(table_with_joins),
            _ => {}
        }
        ControlFlow::Continue(())
    }

    fn pre_visit_select(&mut self, select: &mut Select) -> ControlFlow<()> {
        for item in &mut select.projection {
            match item {
                SelectItem::QualifiedWildcard(
                    SelectItemQualifiedWildcardKind::ObjectName(name),
                    options,
                ) => {
                    if let Some(ObjectNamePart::Identifier(ident)) = name.0.first_mut() {
                        settle(ident, &self.relations);
                    }
                    self.wildcard(options);
                }
                SelectItem::Wildcard(options) => self.wildcard(options),
                _ => {}
            }
        }
        select.from.iter_mut().for_each(|tables| self.joins(tables));
        ControlFlow::Continue(())
    }

    fn pre_visit_expr(&mut self, expr: &mut Expr) -> ControlFlow<()> {
        match expr {
            Expr::Identifier(ident) => settle(ident, &self.columns),
            Expr::CompoundIdentifier(parts) => self.compound(parts),
            _ => {}
        }
        ControlFlow::Continue(())
    }
}

#[cfg(test)]
mod tests {
    use super::super::parse::parse;
    use super::*;

    fn bound(sql: &str, tables: &[(&str, &str, &[&str])]) -> String {
        let known = |(asked, name, columns): &(&str, &str, &[&str])| Known {
            asked: (*asked).to_owned(),
            name: (*name).to_owned(),
            columns: columns.iter().map(|c| (*c).to_owned()).collect(),
        };
        let tables: Vec<Known> = tables.iter().map(known).collect();
        parse(sql, 10_000).unwrap().bind(&tables).to_string()
    }

    #[test]
    fn case_is_forgiven_where_one_name_is_meant() {
        let orders: (&str, &str, &[&str]) = ("Orders", "orders", &["CustomerID", "total"]);
        assert_eq!(
            bound("SELECT customerid, o.TOTAL FROM Orders O WHERE Orders.x = 1", &[orders]),
            "SELECT CustomerID, O.total FROM \"orders\" O WHERE Orders.x = 1"
        );
        assert_eq!(
            bound("SELECT ORDERS.Total AS Sum FROM Orders ORDER BY sum", &[orders]),
            "SELECT Orders.total AS Sum FROM \"orders\" AS Orders ORDER BY Sum"
        );
    }

    #[test]
    fn two_names_that_differ_in_case_stay_two() {
        let t: (&str, &str, &[&str]) = ("t", "t", &["ID", "id"]);
        assert_eq!(bound("SELECT ID, id, Id FROM t", &[t]), "SELECT ID, id, Id FROM \"t\"");
        let a: (&str, &str, &[&str]) = ("a", "a", &["ID"]);
        let b: (&str, &str, &[&str]) = ("b", "b", &["id"]);
        assert_eq!(
            bound("SELECT a.id, b.ID FROM a JOIN b USING (id)", &[a, b]),
            "SELECT a.ID, b.id FROM \"a\" JOIN \"b\" USING(id)"
        );
    }

    #[test]
    fn a_cte_is_a_cte_and_a_path_is_a_name() {
        let file: (&str, &str, &[&str]) = ("flights.csv", "flights", &["x"]);
        assert_eq!(
            bound("WITH Late AS (SELECT * FROM flights.csv) SELECT X FROM late", &[file]),
            "WITH Late AS (SELECT * FROM \"flights\") SELECT x FROM \"Late\" AS late"
        );
        let wanted = parse("WITH a AS (SELECT 1) SELECT * FROM A, \"2024/b.csv\"", 1_000).unwrap();
        let wanted: Vec<_> = wanted.wanted().into_iter().map(|w| (w.name, w.is_cte)).collect();
        assert_eq!(wanted, [("A".to_owned(), true), ("2024/b.csv".to_owned(), false)]);
    }
}
