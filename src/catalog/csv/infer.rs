//! Which type each column of a text table has, from all of its cells.
//!
//! A column has a type other than text only if *every* cell fits it and no digit
//! is lost; cells in another country's writing are looked at in `decide`. Marks of missing values ([`MARKS`]) are decided last: they count in a
//! column whose other cells are all of one type that is not text, and then, being
//! this file's own mark, in its text columns too. In a file that uses `NA` nowhere
//! for a missing number, `NA` in a text column stays a text (Namibia).

use arrow::datatypes::{DataType, TimeUnit};
use csv::ByteRecord;

use super::super::source::name_some;
use super::block::Block;
use super::cell::{Case, Cell, MARKS, classify};
use super::decide::{Convention, Readings, decide, note_readings};
use super::readings::Reading;

/// How a column is built.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::catalog) enum Type {
    /// No cell has a value.
    Null,
    Int64,
    UInt64,
    Float64,
    Bool,
    Date,
    Timestamp {
        unit: TimeUnit,
        zoned: bool,
    },
    Text,
}

/// A column's type, how its cells are read, and which marks are missing values in it
/// if it is text.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::catalog) struct Plan {
    pub kind: Type,
    pub reading: Option<Reading>,
    pub missing: [bool; MARKS.len()],
}

impl Plan {
    /// Where no mark stands for a missing value.
    pub(in crate::catalog) fn new(kind: Type) -> Self {
        Self { kind, reading: None, missing: [false; MARKS.len()] }
    }

    pub(in crate::catalog) fn data_type(&self) -> DataType {
        match self.kind {
            Type::Null => DataType::Null,
            Type::Int64 => DataType::Int64,
            Type::UInt64 => DataType::UInt64,
            Type::Float64 => DataType::Float64,
            Type::Bool => DataType::Boolean,
            Type::Date => DataType::Date32,
            Type::Timestamp { unit, zoned } => {
                DataType::Timestamp(unit, zoned.then(|| "UTC".into()))
            }
            Type::Text => DataType::Utf8,
        }
    }
}

/// Counts cells of one kind, and remembers the line of the first.
#[derive(Debug, Default, Clone, Copy)]
pub(in crate::catalog) struct Seen {
    pub count: u64,
    pub first: u64,
}

impl Seen {
    pub(in crate::catalog) fn at(&mut self, line: u64) {
        if self.count == 0 {
            self.first = line;
        }
        self.count += 1;
    }

    /// The same where it takes a moment to say on which line.
    #[inline]
    pub(super) fn next(&mut self, line: impl FnOnce() -> u64) {
        if self.count == 0 {
            self.first = line();
        }
        self.count += 1;
    }

    pub(super) fn add(&mut self, other: Self) {
        if self.count == 0 || (other.count > 0 && other.first < self.first) {
            self.first = other.first;
        }
        self.count += other.count;
    }
}

/// All that is known about one column.
#[derive(Debug, Default, Clone)]
pub(in crate::catalog) struct Facts {
    /// Line of the first value.
    first: u64,
    marks: [u64; MARKS.len()],
    ints: Seen,
    /// Whole numbers above `i64`, below zero, beyond 64 bits, and those a float would round.
    unsigned: Seen,
    negative: Seen,
    huge: Seen,
    rounded: Seen,
    numbers: Seen,
    digits: usize,
    infinite: Seen,
    bools: Seen,
    cases: [bool; 3],
    dates: Seen,
    naive: Seen,
    zoned: Seen,
    fraction: usize,
    outside_nanos: bool,
    shifted: bool,
    zero_led: Seen,
    texts: Seen,
    /// Of `numbers`, those whose dot could stand between thousands.
    grouped: Seen,
    /// What the texts are when they are read in other ways, while there is one for all.
    readings: Option<Box<Readings>>,
}

impl Facts {
    pub(in crate::catalog) fn cell(&mut self, line: u64, cell: Cell) {
        if self.first == 0 && !matches!(cell, Cell::Empty | Cell::Blank | Cell::Mark(_)) {
            self.first = line;
        }
        match cell {
            Cell::Empty | Cell::Blank => {}
            Cell::Mark(mark) => self.marks[mark] += 1,
            Cell::Int(value) => {
                self.ints.at(line);
                if value < 0 {
                    self.negative.at(line);
                }
                #[allow(clippy::cast_precision_loss, reason = "the loss is what is looked for")]
                if i128::from(value) != (value as f64) as i128 {
                    self.rounded.at(line);
                }
            }
            Cell::Unsigned(value) => {
                self.unsigned.at(line);
                #[allow(clippy::cast_precision_loss, reason = "the loss is what is looked for")]
                if i128::from(value) != (value as f64) as i128 {
                    self.rounded.at(line);
                }
            }
            Cell::HugeInt => self.huge.at(line),
            Cell::Number { digits, grouped, .. } => {
                self.numbers.at(line);
                if grouped {
                    self.grouped.at(line);
                }
                self.digits = self.digits.max(digits);
            }
            Cell::Infinity { .. } => self.infinite.at(line),
            Cell::Bool { case, .. } => {
                self.bools.at(line);
                self.cases[match case {
                    Case::Lower => 0,
                    Case::Upper => 1,
                    Case::Title => 2,
                }] = true;
            }
            Cell::Date(_) => self.dates.at(line),
            Cell::Moment(moment) => {
                if moment.zone.is_some() { &mut self.zoned } else { &mut self.naive }.at(line);
                self.shifted |= moment.zone.is_some_and(|z| z != 0);
                self.fraction = self.fraction.max(moment.fraction);
                self.outside_nanos |= moment.nanoseconds().is_none();
            }
            Cell::ZeroLed => self.zero_led.at(line),
            Cell::Text => self.texts.at(line),
        }
    }

    /// Takes the lines and kinds of many cells that hold a value.
    pub(super) fn cells(&mut self, tally: &Tally) {
        let Tally { ints, negative, numbers, grouped, dates, naive, zoned, texts, .. } = *tally;
        for seen in [ints, numbers, dates, naive, zoned, texts] {
            if seen.count > 0 && (self.first == 0 || seen.first < self.first) {
                self.first = seen.first;
            }
        }
        self.ints.add(ints);
        self.negative.add(negative);
        self.numbers.add(numbers);
        self.grouped.add(grouped);
        self.dates.add(dates);
        self.naive.add(naive);
        self.zoned.add(zoned);
        self.texts.add(texts);
        self.digits = self.digits.max(tally.digits);
        self.fraction = self.fraction.max(tally.fraction);
    }

    /// Significant digits of the numbers so far.
    pub(super) fn digits(&self) -> usize {
        self.digits
    }

    /// Whether one more text changes nothing but their number.
    pub(super) fn is_text_for_good(&self) -> bool {
        self.texts.count > 0 && self.readings.is_none()
    }

    /// Takes a cell as a text table has it, and says what it is.
    pub(super) fn raw(&mut self, line: u64, raw: &[u8]) -> Cell {
        let cell = classify(raw);
        self.cell(line, cell);
        if cell != Cell::Text {
            return cell;
        }
        if self.texts.count == 1 {
            self.readings = Some(Box::new(Readings::new()));
        }
        if self.readings.as_mut().is_some_and(|readings| !readings.cell(line, raw)) {
            self.readings = None;
        }
        cell
    }

    pub(super) fn readings(&self) -> Option<&Readings> {
        self.readings.as_deref()
    }

    pub(super) fn texts(&self) -> u64 {
        self.texts.count
    }

    /// Numbers as they stand.
    pub(super) fn plain_numbers(&self) -> u64 {
        self.numeric()
    }

    pub(super) fn is_plain_number(&self) -> bool {
        self.numeric() > 0 && self.numeric() == self.values()
    }

    /// Some plain number has a dot.
    pub(super) fn has_dots(&self) -> bool {
        self.numbers.count > 0
    }

    /// And all that have one could have it between thousands.
    pub(super) fn all_dots_group(&self) -> bool {
        self.numbers.count == self.grouped.count
    }

    /// The same with the plain numbers of the column, whose dots are `dots_group`.
    pub(super) fn with_plain(&self, plain: &Self, dots_group: bool) -> Self {
        let mut all = self.clone();
        all.first = all.first.min(plain.first);
        all.ints.add(plain.ints);
        all.unsigned.add(plain.unsigned);
        all.negative.add(plain.negative);
        all.huge.add(plain.huge);
        all.rounded.add(plain.rounded);
        all.infinite.add(plain.infinite);
        if dots_group { &mut all.ints } else { &mut all.numbers }.add(plain.numbers);
        all.digits = all.digits.max(plain.digits);
        all
    }

    /// Cells that are whole, decimal or infinite numbers.
    fn numeric(&self) -> u64 {
        let whole = self.ints.count + self.unsigned.count + self.huge.count;
        whole + self.numbers.count + self.infinite.count
    }

    /// Cells that hold a value.
    fn values(&self) -> u64 {
        let times = self.dates.count + self.naive.count + self.zoned.count;
        self.numeric() + self.bools.count + times + self.zero_led.count + self.texts.count
    }

    /// How many values there are, and where the first is.
    pub(in crate::catalog) fn any(&self) -> Seen {
        Seen { count: self.values(), first: self.first }
    }

    /// The type, and what a reader should know about it.
    pub(in crate::catalog) fn kind(&self, name: &str) -> (Type, Option<String>) {
        let values = self.values();
        if values == 0 {
            return (Type::Null, None);
        }
        if self.numeric() == values {
            return self.number(name);
        }
        if self.bools.count == values && self.cases.iter().filter(|c| **c).count() == 1 {
            return (Type::Bool, None);
        }
        if self.dates.count == values {
            return (Type::Date, None);
        }
        if self.naive.count == values || self.zoned.count == values {
            return self.timestamp(name);
        }
        (Type::Text, self.why_text(name))
    }

    fn number(&self, name: &str) -> (Type, Option<String>) {
        let text = |what: String| (Type::Text, Some(format!("{name} is kept as text: {what}")));
        let whole = self.numbers.count + self.infinite.count == 0;
        if self.huge.count > 0 {
            let line = self.huge.first;
            return text(format!("it holds whole numbers that 64 bits cannot hold (line {line})"));
        }
        if whole {
            return match (self.unsigned.count, self.negative.count) {
                (0, _) => (Type::Int64, None),
                (_, 0) => (Type::UInt64, None),
                _ => text("it holds both negative numbers and numbers above int64".into()),
            };
        }
        if self.infinite.count == self.numeric() {
            return (Type::Text, None);
        }
        if self.rounded.count > 0 {
            let line = self.rounded.first;
            return text(format!(
                "it holds decimals and whole numbers that float64 would round (line {line})"
            ));
        }
        let note = (self.digits > 15).then(|| {
            let digits = self.digits;
            format!("{name} is float64 but has values of {digits} digits: the last may be rounded")
        });
        (Type::Float64, note)
    }

    fn timestamp(&self, name: &str) -> (Type, Option<String>) {
        let zoned = self.zoned.count > 0;
        if self.fraction > 6 && self.outside_nanos {
            let what = "it needs nanoseconds in years that timestamp[ns] cannot hold";
            return (Type::Text, Some(format!("{name} is kept as text: {what}")));
        }
        let unit = if self.fraction > 6 { TimeUnit::Nanosecond } else { TimeUnit::Microsecond };
        let note = self.shifted.then(|| format!("{name} has UTC offsets and is converted to UTC"));
        (Type::Timestamp { unit, zoned }, note)
    }

    /// Worth a word only where a reader would have expected another type.
    fn why_text(&self, name: &str) -> Option<String> {
        let values = self.values();
        if self.texts.count == 0 && self.zero_led.count + self.numeric() == values {
            let line = self.zero_led.first;
            return Some(format!("{name} is kept as text: leading zeros (line {line})"));
        }
        if self.naive.count + self.zoned.count + self.dates.count == values {
            let what = "dates, times with a zone and times without are mixed";
            return Some(format!("{name} is kept as text: {what}"));
        }
        let kinds = [
            (self.numeric(), "numbers"),
            (self.dates.count, "dates (YYYY-MM-DD)"),
            (self.naive.count + self.zoned.count, "timestamps"),
        ];
        let (most, kind) = kinds.into_iter().max_by_key(|(count, _)| *count)?;
        let others = values - most;
        let line = [self.texts, self.zero_led, self.bools]
            .iter()
            .filter(|s| s.count > 0)
            .map(|s| s.first)
            .min();
        match line {
            Some(line) if others * 10 <= values => Some(format!(
                "{name} is kept as text: {others} of {values} values are not {kind} \
                 (first on line {line})"
            )),
            _ => None,
        }
    }
}

/// Cells that are nothing out of the ordinary, by kind: to be added to [`Facts`].
#[derive(Debug, Default)]
pub(super) struct Tally {
    pub ints: Seen,
    pub negative: Seen,
    pub numbers: Seen,
    pub grouped: Seen,
    pub digits: usize,
    pub dates: Seen,
    pub naive: Seen,
    pub zoned: Seen,
    pub fraction: usize,
    pub texts: Seen,
}

/// Collects facts, column by column.
pub(super) struct Inference {
    facts: Vec<Facts>,
}

impl Inference {
    pub(super) fn new(columns: usize) -> Self {
        Self { facts: vec![Facts::default(); columns] }
    }

    pub(super) fn row(&mut self, line: u64, record: &ByteRecord) {
        for (facts, cell) in self.facts.iter_mut().zip(record) {
            facts.raw(line, cell);
        }
    }

    /// Takes rows of which nothing is built.
    pub(super) fn block(&mut self, block: Block<'_>) {
        for (at, facts) in self.facts.iter_mut().enumerate().take(block.width) {
            let cells = block.column(at);
            for (row, cell) in cells.iter() {
                facts.raw(cells.line(row), cell);
            }
        }
    }

    pub(super) fn facts(&mut self) -> &mut [Facts] {
        &mut self.facts
    }

    /// What each column is, with nothing said of it: to be asked before the end.
    pub(super) fn plans(&self) -> Vec<Plan> {
        self.decide(&vec![String::new(); self.facts.len()], &mut Vec::new())
    }

    /// Decides.
    pub(super) fn finish(self, names: &[String], notes: &mut Vec<String>) -> Vec<Plan> {
        let plans = self.decide(names, notes);
        note_readings(&self.facts, names, &plans, notes);
        self.note_marks(names, &plans, notes);
        plans
    }

    fn decide(&self, names: &[String], notes: &mut Vec<String>) -> Vec<Plan> {
        let convention = Convention::of(&self.facts);
        let mut plans = Vec::with_capacity(self.facts.len());
        for (facts, name) in self.facts.iter().zip(names) {
            let (kind, reading, note) = decide(facts, name, convention);
            plans.push(Plan { reading, ..Plan::new(kind) });
            notes.extend(note);
        }
        let of_file: [bool; MARKS.len()] = std::array::from_fn(|mark| {
            let mut columns = self.facts.iter().zip(&plans);
            columns.any(|(f, p)| !matches!(p.kind, Type::Text | Type::Null) && f.marks[mark] > 0)
        });
        for (facts, plan) in self.facts.iter().zip(&mut plans) {
            plan.missing = of_file;
            // A column of nothing but marks says nothing by itself about what they mean.
            let foreign = |mark: usize| facts.marks[mark] > 0 && !of_file[mark];
            if plan.kind == Type::Null && (0..MARKS.len()).any(foreign) {
                plan.kind = Type::Text;
            }
        }
        plans
    }

    fn note_marks(&self, names: &[String], plans: &[Plan], notes: &mut Vec<String>) {
        for (at, mark) in MARKS.iter().enumerate() {
            let (mut read, mut kept) = (Vec::new(), Vec::new());
            for ((facts, plan), name) in self.facts.iter().zip(plans).zip(names) {
                if facts.marks[at] > 0 {
                    let missing = plan.kind != Type::Text || plan.missing[at];
                    if missing { &mut read } else { &mut kept }.push(name.as_str());
                }
            }
            if !read.is_empty() {
                notes.push(format!("{mark} is read as missing in {}", name_some(&read)));
            }
            if !kept.is_empty() {
                notes.push(format!("{mark} is kept as a text in {}", name_some(&kept)));
            }
        }
    }
}
