//! What is known of the unit of a value in a plan.

use datafusion::common::Column;
use datafusion::logical_expr::Expr;

use super::function::constant;
use crate::units::{Unit, claim};

/// Where a value comes from, for whoever is told.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Origin {
    pub table: String,
    /// What the query calls the table.
    pub alias: Option<String>,
    pub column: String,
    /// The column that says the unit, row by row.
    pub teller: Option<String>,
    /// The unit, if it is one for all rows.
    pub unit: Option<Unit>,
    /// How that is known.
    pub evidence: String,
    /// Whether it is known from cells.
    pub of_cells: bool,
}

/// See the module.
#[derive(Debug, Clone)]
pub(super) enum Mark {
    /// A constant, or nothing is known: goes with everything.
    Free,
    /// One unit for all rows.
    Fixed {
        unit: Unit,
        /// The constant that it has been multiplied by.
        by: Option<f64>,
        of: Vec<Origin>,
    },
    /// A unit for each row.
    ByRow {
        /// The text of the row's unit; NULL goes with everything.
        unit: Expr,
        of: Vec<Origin>,
        /// Whether the query itself put different units into one column.
        blended: bool,
    },
    /// It says the unit of others.
    Tells { unit: Expr },
}

impl Mark {
    /// What it is made of.
    pub(super) fn origins(&self) -> &[Origin] {
        match self {
            Self::Free | Self::Tells { .. } => &[],
            Self::Fixed { of, .. } | Self::ByRow { of, .. } => of,
        }
    }

    /// The row's unit as an expression.
    pub(super) fn unit(&self) -> Expr {
        match self {
            Self::Free | Self::Tells { .. } => constant(None),
            // Of what is multiplied by a constant nobody knows whether it was converted.
            Self::Fixed { unit, by, .. } => {
                constant((unit.is_told() && by.is_none()).then_some(*unit))
            }
            Self::ByRow { unit, .. } => unit.clone(),
        }
    }

    /// The expression that has to go along with the value.
    pub(super) fn carried(&self) -> Option<&Expr> {
        match self {
            Self::ByRow { unit, .. } | Self::Tells { unit } => Some(unit),
            Self::Free | Self::Fixed { .. } => None,
        }
    }

    pub(super) fn with_carried(self, unit: Expr) -> Self {
        match self {
            Self::ByRow { of, blended, .. } => Self::ByRow { unit, of, blended },
            Self::Tells { .. } => Self::Tells { unit },
            other => other,
        }
    }

    /// The mark of a value that is no code any more.
    pub(super) fn of_value(self) -> Self {
        match self {
            Self::Tells { .. } => Self::Free,
            other => other,
        }
    }

    /// The one unit of all rows.
    pub(super) fn fixed(&self) -> Option<Unit> {
        match self {
            Self::Fixed { unit, .. } => Some(*unit),
            _ => None,
        }
    }

    /// The mark under a name that its author gives it: what was multiplied by a constant is
    /// converted if the name says into what, and nothing speaks against it.
    pub(super) fn called(self, name: &str) -> Self {
        match self {
            Self::Fixed { unit, by: Some(by), of } => match claim(name).map(|claim| claim.unit) {
                Some(into) if into.clashes(unit) && unit.factor_to(into).is_none() => {
                    Self::Fixed { unit: into, by: None, of }
                }
                _ => Self::Fixed { unit, by: Some(by), of },
            },
            other => other,
        }
    }

    /// What the query calls the table that it comes from.
    pub(super) fn call(&mut self, alias: &str) {
        if let Self::Fixed { of, .. } | Self::ByRow { of, .. } = self {
            of.iter_mut().for_each(|origin| origin.alias = Some(alias.to_owned()));
        }
    }

    pub(super) fn is_free(&self) -> bool {
        matches!(self, Self::Free | Self::Tells { .. })
    }
}

/// The marks of a plan's columns.
#[derive(Debug, Clone, Default)]
pub(super) struct Marks(pub Vec<(Column, Mark)>);

impl Marks {
    pub(super) fn of(&self, column: &Column) -> Mark {
        let exact = self.0.iter().find(|(known, _)| known == column);
        let by_name = || {
            let mut alike = self.0.iter().filter(|(known, _)| {
                known.name == column.name && (column.relation.is_none() || known.relation.is_none())
            });
            alike.next().filter(|_| alike.next().is_none())
        };
        exact.or_else(by_name).map_or(Mark::Free, |(_, mark)| mark.clone())
    }
}

/// Everything that some values are made of, each once.
pub(super) fn together(one: &[Origin], other: &[Origin]) -> Vec<Origin> {
    let mut all = one.to_vec();
    all.extend(other.iter().filter(|origin| !one.contains(origin)).cloned());
    all.truncate(8);
    all
}
