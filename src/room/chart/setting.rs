//! A chart's columns, found and checked, before anything is computed.

use arrow::datatypes::Field;

use super::ask::Asker;
use super::column::{Column, Role, tell_units};
use super::{Aggregate, ChartError, ChartKind, ChartRequest, Window};
use crate::present::chart::figure::Axis;
use crate::room::{Call, Found, Room, RoomError};

/// Characters of a title.
const TITLE: usize = 300;
/// The most categories and ranges that may be asked for.
const MOST: u64 = 500;

/// What all kinds of charts work with.
pub(super) struct Setting<'a> {
    pub asker: Asker<'a>,
    pub request: &'a ChartRequest,
    pub window: Option<Window>,
    pub x: Option<Column>,
    pub y: Vec<Column>,
    pub lines: Vec<Column>,
    pub series: Option<Column>,
    pub value: Option<Column>,
    /// All of them, by name.
    pub named: Vec<String>,
    /// What was done to the data, in words.
    pub notes: Vec<String>,
}

impl<'a> Setting<'a> {
    pub(super) fn new(
        room: &'a Room,
        found: &Found,
        request: &'a ChartRequest,
        window: Option<Window>,
        call: &'a Call,
    ) -> Result<Self, RoomError> {
        check(request)?;
        let named: Vec<String> = [&request.x, &request.series, &request.value]
            .into_iter()
            .flatten()
            .chain(&request.y)
            .chain(&request.lines)
            .cloned()
            .collect();
        room.check_columns(found, &named, call)?;
        if !request.may_be_sensitive {
            let sensitive = room.sensitive(found)?;
            if let Some((column, kind)) = named.iter().find_map(|n| Some((n, sensitive.get(n)?))) {
                let what = kind.name();
                return Err(ChartError::Sensitive { column: column.clone(), what }.into());
            }
        }
        let fields: Vec<&Field> = found.table.schema().fields().iter().map(AsRef::as_ref).collect();
        let get = |argument: &'static str, name: &String| -> Result<Column, RoomError> {
            // It is there: that was checked.
            let field = fields.iter().find(|field| field.name() == name);
            let column = field.and_then(|field| Column::of(field));
            column.ok_or_else(|| {
                let of = field.map(|field| crate::type_name::type_name(field.data_type()));
                let wanted = "a number, a time, a text or a truth value";
                let fits = "a script can make such a column of it".to_owned();
                let (column, of, kind) = (name.clone(), of.unwrap_or_default(), request.kind);
                ChartError::Type { column, of, argument, kind, wanted, fits }.into()
            })
        };
        let one = |argument, name: &Option<String>| {
            name.as_ref().map(|name| get(argument, name)).transpose()
        };
        let all = |argument, names: &[String]| {
            names.iter().map(|name| get(argument, name)).collect::<Result<Vec<_>, _>>()
        };
        let mut x = one("x", &request.x)?;
        let mut y = all("y", &request.y)?;
        let mut lines = all("lines", &request.lines)?;
        let series = one("series", &request.series)?;
        let mut value = one("value", &request.value)?;
        let asker = Asker::new(room, found, call)?;
        let numbers = x.iter_mut().chain(&mut y).chain(&mut lines).chain(&mut value);
        let mut numbers: Vec<&mut Column> = numbers.collect();
        tell_units(&asker, &fields, &mut numbers)?;
        let notes = Vec::new();
        Ok(Self { asker, request, window, x, y, lines, series, value, named, notes })
    }

    pub(super) fn kind(&self) -> ChartKind {
        self.request.kind
    }

    /// The column across, which this kind needs.
    pub(super) fn across(&self, what: &'static str) -> Result<Column, ChartError> {
        let missing = ChartError::Missing { kind: self.kind(), argument: "x", what };
        self.x.clone().ok_or(missing)
    }

    /// What is computed of a column; an error if that cannot be.
    pub(super) fn aggregate(&self, column: &Column) -> Result<Aggregate, ChartError> {
        let asked = self.request.aggregate;
        let aggregate = match (asked, column.role) {
            (Some(asked), Role::Number) => asked,
            (Some(asked @ (Aggregate::Count | Aggregate::Distinct)), _) => asked,
            (None, Role::Number) => column.usual(),
            (asked, _) => {
                let aggregate = asked.unwrap_or(Aggregate::Mean);
                let (column, of) = (column.name.clone(), column.type_name());
                return Err(ChartError::Aggregate { aggregate, column, of });
            }
        };
        Ok(aggregate)
    }

    /// The condition of the rows that are drawn.
    pub(super) fn rows(&self, there: &[&Column]) -> String {
        let mut all: Vec<String> = there.iter().map(|column| column.is_there()).collect();
        if let (Some(window), Some(x)) = (self.window, &self.x) {
            all.extend(within(x, window));
        }
        if all.is_empty() { "TRUE".to_owned() } else { all.join(" AND ") }
    }

    /// Says how many rows are left out for want of a value of these columns.
    pub(super) fn note_missing(&mut self, columns: &[&Column]) -> Result<u64, RoomError> {
        let counts: Vec<String> = columns
            .iter()
            .enumerate()
            .map(|(at, c)| format!("count(*) FILTER (WHERE {}) AS c{at}", c.is_there()))
            .collect();
        let counts =
            if counts.is_empty() { String::new() } else { ", ".to_owned() + &counts.join(", ") };
        let sql = format!("SELECT count(*) AS n{counts} FROM {}", super::ask::TABLE);
        let answer = self.asker.rows(&sql)?;
        let all = answer.count(0)?;
        for (at, column) in columns.iter().enumerate() {
            let missing = all - answer.count(at + 1)?.min(all);
            if missing > 0 {
                let rows = if missing == 1 { "row has" } else { "rows have" };
                let what = if column.float { "no finite" } else { "no" };
                self.notes.push(format!("{} {rows} {what} {}", grouped(missing), column.name));
            }
        }
        Ok(all)
    }

    /// The axis of computed values, and the note that says how they were.
    pub(super) fn values_axis(&self, all: &[(Aggregate, &Column)], plain: bool) -> Axis {
        let title = match all {
            [] => "rows".to_owned(),
            [(_, column)] if plain => column.name.clone(),
            [(aggregate, column)] => aggregate.of(&column.name),
            [(first, _), rest @ ..] if rest.iter().all(|(other, _)| other == first) && !plain => {
                first.name().to_owned()
            }
            _ => String::new(),
        };
        let unit = |(aggregate, column): &(Aggregate, &Column)| {
            column.unit.filter(|_| aggregate.keeps_unit() || plain)
        };
        let first = all.first().and_then(unit);
        let unit = first.filter(|first| all.iter().all(|one| unit(one) == Some(*first)));
        Axis { title, unit, log: self.request.log }
    }
}

/// The condition that a value lies in a window.
fn within(x: &Column, window: Window) -> Option<String> {
    let value = x.value();
    match x.role {
        Role::Number => {
            let (low, high) = (super::ask::float(window.from), super::ask::float(window.to));
            Some(format!("{0} >= {low} AND {0} <= {high}", x.double()))
        }
        Role::Time => {
            #[expect(clippy::cast_possible_truncation, reason = "microseconds of this age")]
            let [low, high] = [window.from, window.to].map(|at| super::ask::moment(at as i64));
            Some(format!("{value} >= {low} AND {value} <= {high}"))
        }
        Role::Category => None,
    }
}

fn check(request: &ChartRequest) -> Result<(), ChartError> {
    let kind = request.kind;
    let characters = request.title.as_deref().map_or(0, |title| title.chars().count());
    if characters > TITLE {
        return Err(ChartError::Title { characters, most: TITLE });
    }
    for (argument, given) in [("top", request.top), ("bins", request.bins)] {
        if given.is_some_and(|n| n == 0 || n > MOST) {
            return Err(ChartError::Bounds { argument, least: 1, most: MOST });
        }
    }
    let unused = |argument, instead| Err(ChartError::Unused { kind, argument, instead });
    let values = request.y.len();
    match kind {
        ChartKind::Combo => {}
        _ if !request.lines.is_empty() => return unused("lines", "kind combo has bars and lines"),
        ChartKind::Histogram if values > 0 => {
            return unused("y", "it counts the values of `x`, of each `series` by itself");
        }
        _ => {}
    }
    match kind {
        ChartKind::Heatmap => {}
        _ if request.value.is_some() => return unused("value", "it is for heatmaps"),
        _ => {}
    }
    match kind {
        ChartKind::Pie | ChartKind::Heatmap if request.series.is_some() => {
            unused("series", "a bar chart has series")
        }
        ChartKind::Combo if request.series.is_some() => {
            unused("series", "name several columns in `y` and `lines`")
        }
        _ if values > 1 && request.series.is_some() => {
            unused("series", "with several `y` there is no room for it; name one `y`")
        }
        ChartKind::Pie | ChartKind::Heatmap | ChartKind::Scatter | ChartKind::Box if values > 1 => {
            unused("y", "name one column, and `series` for several groups")
        }
        _ if values > 12 => Err(ChartError::Bounds { argument: "y", least: 0, most: 12 }),
        _ => Ok(()),
    }
}

/// A number with commas between its thousands.
pub(super) fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}
