//! Columns as a chart takes them: what they are, in SQL, and in which unit.

use arrow::datatypes::{DataType, Field};

use super::ask::{Asker, TABLE, ident};
use super::{Aggregate, ChartError, ChartKind};
use crate::present::chart::figure::Axis;
use crate::room::RoomError;
use crate::type_name::{holds_numbers, type_name};
use crate::units::{TellerKind, UNIT, Unit, code, tellers, unit_of_column, words};

/// What an axis makes of a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    /// A line of numbers.
    Number,
    /// A line of time.
    Time,
    /// Names side by side.
    Category,
}

/// A column of the chart.
#[derive(Debug, Clone)]
pub(super) struct Column {
    pub name: String,
    pub role: Role,
    pub unit: Option<Unit>,
    /// Whether it holds whole numbers only.
    pub whole: bool,
    /// Whether it may hold numbers that are none.
    pub float: bool,
    data_type: DataType,
    zone: Option<String>,
}

impl Column {
    /// What a field is in a chart; `None` if no chart can show it.
    pub(super) fn of(field: &Field) -> Option<Self> {
        let data_type = field.data_type();
        let of = match data_type {
            DataType::Dictionary(_, values) => values.as_ref(),
            other => other,
        };
        let role = match of {
            DataType::Date32 | DataType::Date64 | DataType::Timestamp(..) => Role::Time,
            DataType::Boolean | DataType::Time32(_) | DataType::Time64(_) => Role::Category,
            _ if holds_numbers(of) == Some(true) => Role::Number,
            _ if of.is_string() => Role::Category,
            _ => return None,
        };
        let zone = match of {
            DataType::Timestamp(_, Some(zone)) if !is_utc(zone) => Some(zone.to_string()),
            _ => None,
        };
        let by_format = field.metadata().get(UNIT).map(String::as_str);
        let unit = (role == Role::Number)
            .then(|| unit_of_column(field.name(), by_format))
            .flatten()
            .map(|(unit, _)| unit);
        Some(Self {
            name: field.name().clone(),
            role,
            unit: unit.filter(|unit| unit.is_told()),
            whole: of.is_integer(),
            float: of.is_floating(),
            data_type: data_type.clone(),
            zone,
        })
    }

    /// Its value in SQL; of a time with a zone, what a clock on the wall shows there.
    pub(super) fn value(&self) -> String {
        let name = ident(&self.name);
        match &self.zone {
            Some(zone) => format!("({name} AT TIME ZONE {})", super::ask::text(zone)),
            None if matches!(self.data_type, DataType::Timestamp(_, Some(_))) => {
                format!("({name} AT TIME ZONE 'UTC')")
            }
            None => name,
        }
    }

    /// Its value as the text that names it.
    pub(super) fn label(&self) -> String {
        if self.data_type.is_string() {
            ident(&self.name)
        } else {
            format!("CAST({} AS VARCHAR)", self.value())
        }
    }

    /// Its value as a float.
    pub(super) fn double(&self) -> String {
        format!("CAST({} AS DOUBLE)", ident(&self.name))
    }

    /// What holds where it has a value: not null, and finite.
    pub(super) fn is_there(&self) -> String {
        let name = ident(&self.name);
        let finite = |name: &str| {
            let (low, high) = ("CAST('-Infinity' AS DOUBLE)", "CAST('Infinity' AS DOUBLE)");
            format!("{name} > {low} AND {name} < {high}")
        };
        match self.float {
            true => finite(&self.double()),
            false => format!("{name} IS NOT NULL"),
        }
    }

    /// Its type, as it is told.
    pub(super) fn type_name(&self) -> String {
        type_name(&self.data_type)
    }

    /// The kinds that show it as `argument`, in words.
    pub(super) fn fits(&self) -> String {
        let of = match self.role {
            Role::Number => "numbers fit as `y`, and as `x` of histogram, scatter and line",
            Role::Time => "times fit as `x` of line, area, bar, scatter and histogram",
            Role::Category => "texts fit as `x` of bar, pie, box and heatmap, and as `series`",
        };
        of.to_owned()
    }

    /// An error if it is not of one of these roles.
    pub(super) fn must_be(
        &self,
        argument: &'static str,
        kind: ChartKind,
        roles: &[Role],
        wanted: &'static str,
    ) -> Result<(), ChartError> {
        if roles.contains(&self.role) {
            return Ok(());
        }
        Err(ChartError::Type {
            column: self.name.clone(),
            of: self.type_name(),
            argument,
            kind,
            wanted,
            fits: self.fits(),
        })
    }

    /// The axis that shows it as it is.
    pub(super) fn axis(&self) -> Axis {
        Axis { title: self.name.clone(), unit: self.unit, log: false }
    }

    /// What is computed of it if nobody says: amounts and counts are summed, rates, prices
    /// and measures are not.
    pub(super) fn usual(&self) -> Aggregate {
        const EACH: &[&str] = &[
            "price",
            "rate",
            "avg",
            "average",
            "mean",
            "median",
            "ratio",
            "share",
            "pct",
            "percent",
            "per",
            "score",
            "rating",
            "index",
            "age",
            "temp",
            "temperature",
            "salary",
            "fare",
            "wage",
            "цена",
            "курс",
            "возраст",
        ];
        const ADDED: &[&str] = &[
            "count",
            "cnt",
            "qty",
            "quantity",
            "number",
            "num",
            "items",
            "units",
            "pieces",
            "orders",
            "users",
            "customers",
            "visits",
            "views",
            "clicks",
            "sales",
            "n",
            "population",
            "passengers",
            "количество",
            "число",
        ];
        let words = words(&self.name);
        let has = |list: &[&str]| words.iter().any(|word| list.contains(&word.as_str()));
        let money = self.unit.is_some_and(Unit::is_money) || crate::units::is_money(&self.name);
        match () {
            () if has(EACH) => Aggregate::Mean,
            () if money || has(ADDED) => Aggregate::Sum,
            () => Aggregate::Mean,
        }
    }
}

fn is_utc(zone: &str) -> bool {
    matches!(zone, "UTC" | "+00:00" | "Etc/UTC" | "Z" | "utc")
}

/// Gives columns of numbers the unit that a column beside them says, if it says one.
pub(super) fn tell_units(
    asker: &Asker<'_>,
    fields: &[&Field],
    columns: &mut [&mut Column],
) -> Result<(), RoomError> {
    let known: Vec<_> = fields
        .iter()
        .map(|field| (field.name().as_str(), holds_numbers(field.data_type())))
        .collect();
    for teller in tellers(&known) {
        let told = |column: &Column| teller.tells.iter().any(|at| known[*at].0 == column.name);
        if teller.kind != TellerKind::Currency && teller.kind != TellerKind::Unit
            || !columns.iter().any(|column| told(column))
        {
            continue;
        }
        let name = ident(known[teller.column].0);
        let sql =
            format!("SELECT CAST({name} AS VARCHAR) AS c FROM {TABLE} GROUP BY {name} LIMIT 2");
        let found = asker.rows(&sql)?.texts(0)?;
        let [Some(only)] = found.as_slice() else { continue };
        let Ok(unit) = code(only).key().parse::<Unit>() else { continue };
        for column in columns.iter_mut().filter(|column| told(column)) {
            column.unit = Some(match (column.unit, unit) {
                (Some(Unit::Money { minor: true, .. }), Unit::Money { currency, .. }) => {
                    Unit::Money { currency, minor: true }
                }
                _ => unit,
            });
        }
    }
    Ok(())
}
