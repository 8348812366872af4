//! Which reading a column's cells have, when they are no numbers and no dates as
//! they stand: that which all of them allow. If several do, what the file's other
//! columns show decides; if they show nothing, none does.

use super::super::source::name_some;
use super::infer::{Facts, Plan, Type};
use super::readings::{Group, READINGS, Reading};

/// All that is known about a column's cells under each reading.
#[derive(Debug, Clone)]
pub(super) struct Readings {
    facts: [Facts; READINGS.len()],
    /// Every cell so far allows it.
    alive: [bool; READINGS.len()],
    /// Marks between thousands, as bits of [`Group`].
    groups: [u8; READINGS.len()],
}

impl Readings {
    pub(super) fn new() -> Self {
        Self {
            facts: Default::default(),
            alive: [true; READINGS.len()],
            groups: Default::default(),
        }
    }

    /// Takes a cell that is a text as it stands; `false` if nothing is left that reads all.
    pub(super) fn cell(&mut self, line: u64, raw: &[u8]) -> bool {
        for (at, reading) in READINGS.into_iter().enumerate() {
            if !self.alive[at] {
                continue;
            }
            match reading.cell(raw) {
                Some(cell) => {
                    self.facts[at].cell(line, cell);
                    self.groups[at] |= reading.groups(raw);
                }
                None => self.alive[at] = false,
            }
        }
        self.alive.contains(&true)
    }

    fn of(&self, reading: Reading) -> Option<&Facts> {
        let at = reading as usize;
        self.alive[at].then_some(&self.facts[at])
    }

    fn groups(&self, reading: Reading) -> u8 {
        self.groups[reading as usize]
    }
}

/// What the columns that leave no doubt show.
#[derive(Debug, Default, Clone, Copy)]
pub(super) struct Convention {
    comma: bool,
    dot: bool,
    day_first: bool,
    month_first: bool,
}

enum Choice {
    /// As the cells stand.
    Plain,
    One(Reading),
    /// Two, that give other values.
    Doubt(Reading, Reading),
}

fn choice(facts: &Facts) -> Choice {
    let Some(readings) = facts.readings() else {
        return Choice::Plain;
    };
    if facts.texts() == 0 || facts.texts() + facts.plain_numbers() != facts.any().count {
        return Choice::Plain;
    }
    let fits = |reading| fits(facts, readings, reading);
    match (fits(Reading::Comma), fits(Reading::Dot)) {
        (true, true)
            if readings.groups(Reading::Dot) == Group::Space as u8 && !facts.has_dots() =>
        {
            return Choice::One(Reading::Dot);
        }
        (true, true) => return Choice::Doubt(Reading::Comma, Reading::Dot),
        (true, false) => return Choice::One(Reading::Comma),
        (false, true) => return Choice::One(Reading::Dot),
        (false, false) => {}
    }
    if facts.plain_numbers() > 0 {
        return Choice::Plain;
    }
    let dated = |reading| readings.of(reading).is_some();
    match (dated(Reading::DayFirst), dated(Reading::MonthFirst)) {
        (true, true) => Choice::Doubt(Reading::DayFirst, Reading::MonthFirst),
        (true, false) => Choice::One(Reading::DayFirst),
        (false, true) => Choice::One(Reading::MonthFirst),
        (false, false) if dated(Reading::Named) => Choice::One(Reading::Named),
        (false, false) => Choice::Plain,
    }
}

/// Whether all numbers of the column can be meant so.
fn fits(facts: &Facts, readings: &Readings, reading: Reading) -> bool {
    if readings.of(reading).is_none() {
        return false;
    }
    let groups = readings.groups(reading);
    let one_group = |more: u8| (groups | more).count_ones() <= 1;
    match reading {
        // Plain numbers with a dot would be thousands.
        Reading::Comma if facts.has_dots() => facts.all_dots_group() && one_group(Group::Dot as u8),
        _ => one_group(0),
    }
}

/// Thousands that are grouped by spaces say nothing about the decimal mark.
fn only_spaces(facts: &Facts) -> bool {
    let groups = facts.readings().map_or(0, |readings| readings.groups(Reading::Dot));
    groups == Group::Space as u8
}

impl Convention {
    pub(super) fn of(columns: &[Facts]) -> Self {
        let mut shown = Self::default();
        for facts in columns {
            match choice(facts) {
                Choice::One(Reading::Comma) => shown.comma = true,
                Choice::One(Reading::Dot) => shown.dot |= facts.has_dots() || !only_spaces(facts),
                Choice::One(Reading::DayFirst) => shown.day_first = true,
                Choice::One(Reading::MonthFirst) => shown.month_first = true,
                Choice::Plain if facts.is_plain_number() && !facts.all_dots_group() => {
                    shown.dot |= facts.has_dots();
                }
                _ => {}
            }
        }
        shown
    }

    fn settles(self, one: Reading, other: Reading) -> Option<Reading> {
        let shown = |reading| match reading {
            Reading::Comma => self.comma,
            Reading::Dot => self.dot,
            Reading::DayFirst => self.day_first,
            _ => self.month_first,
        };
        match (shown(one), shown(other)) {
            (true, false) => Some(one),
            (false, true) => Some(other),
            _ => None,
        }
    }
}

/// The type of a column and the reading that gives it, and what to know of it.
pub(super) fn decide(
    facts: &Facts,
    name: &str,
    convention: Convention,
) -> (Type, Option<Reading>, Option<String>) {
    let text = |why: &str| (Type::Text, None, Some(format!("{name} is kept as text: {why}")));
    let reading = match choice(facts) {
        Choice::One(reading) => reading,
        Choice::Doubt(one, other) => match convention.settles(one, other) {
            Some(reading) => reading,
            None if one == Reading::Comma => {
                return text("its commas may be decimal marks or stand between thousands");
            }
            None => return text("its dates may be day/month or month/day"),
        },
        Choice::Plain => {
            let in_doubt = facts.is_plain_number() && facts.has_dots() && facts.all_dots_group();
            if in_doubt && convention.comma && !convention.dot {
                return text(
                    "its dots may stand between thousands, because the file has decimal commas",
                );
            }
            let (kind, note) = facts.kind(name);
            return (kind, None, note);
        }
    };
    let Some(read) = facts.readings().and_then(|readings| readings.of(reading)) else {
        return (Type::Text, None, None);
    };
    let whole = match reading {
        Reading::Comma | Reading::Dot => read.with_plain(facts, reading == Reading::Comma),
        _ => read.clone(),
    };
    let (kind, note) = whole.kind(name);
    (kind, (kind != Type::Text).then_some(reading), note)
}

/// One note a reading, for all columns that have it.
pub(super) fn note_readings(
    columns: &[Facts],
    names: &[String],
    plans: &[Plan],
    notes: &mut Vec<String>,
) {
    let said = [
        (Reading::Comma, "the comma is read as the decimal mark in"),
        (Reading::Dot, "marks between thousands are dropped in"),
        (Reading::DayFirst, "dates are read as day, month, year in"),
        (Reading::MonthFirst, "dates are read as month, day, year in"),
        (Reading::Named, "dates in another form than YYYY-MM-DD are read in"),
    ];
    for (reading, words) in said {
        let of = |(facts, (name, plan)): (&Facts, (&String, &Plan))| {
            let grouped = facts.readings().is_some_and(|r| r.groups(reading) > 0);
            (plan.reading == Some(reading)).then(|| (name.clone(), grouped))
        };
        let read: Vec<_> = columns.iter().zip(names.iter().zip(plans)).filter_map(of).collect();
        if read.is_empty() {
            continue;
        }
        let all: Vec<&str> = read.iter().map(|(name, _)| name.as_str()).collect();
        notes.push(format!("{words} {}", name_some(&all)));
        let grouped: Vec<&str> =
            read.iter().filter(|(_, grouped)| *grouped).map(|(name, _)| name.as_str()).collect();
        if reading == Reading::Comma && !grouped.is_empty() {
            notes.push(format!("marks between thousands are dropped in {}", name_some(&grouped)));
        }
    }
}
