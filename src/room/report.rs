//! A report out of results: what is shown, and the steps that made it.
//!
//! The tables are read here and nowhere on the way to a model, whose reply tells of a report
//! what it tells of every export. An item has its place among the scans while it is read, and
//! none while its history is walked, which takes one itself. A number that is typed into a text is the writer's own
//! word; one that is named by its table and column is read from the table and linked.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};

use super::export::{ExportRequest, ExportedFile};
use super::{Call, Found, PictureFormat, Room, RoomError, StepKind};
use crate::present::export::{Format, Target, cells, export_page, head, stands_right};
use crate::present::report::{Block, Source, Step, data_uri, link, markup, page};
use crate::store::{ArtifactMeta, Kind, Origin, file::portions};

const MOST_ITEMS: usize = 200;
const ROWS: u32 = 50;
const MOST_ROWS: u32 = 1_000;
const TITLE_CHARACTERS: usize = 200;

/// A part of a report: one of `text`, `table`, `chart` and `result`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ReportItem {
    /// Markdown: headings, paragraphs, lists, bold, code. Write a number as {{ref:column}} of
    /// a table of one row, and it is filled in and linked to the code that made it.
    pub text: Option<String>,
    /// A dataRef or a dataset whose first rows are shown.
    pub table: Option<String>,
    /// With table: how many rows.
    pub rows: Option<u32>,
    /// The dataRef of a figure that a script left.
    pub chart: Option<String>,
    /// The dataRef of a table of one row, for one number.
    pub result: Option<String>,
    /// With result: its column, if it has several.
    pub cell: Option<String>,
}

impl Room {
    pub(super) fn report(
        &self,
        request: &ExportRequest,
        call: &Call,
    ) -> Result<ExportedFile, RoomError> {
        let default = [ReportItem { table: Some(request.data.clone()), ..ReportItem::default() }];
        let items = request.items.as_deref().unwrap_or(&default);
        if items.is_empty() || items.len() > MOST_ITEMS {
            let text =
                format!("a report has 1 to {MOST_ITEMS} items, and these are {}", items.len());
            return Err(RoomError::BadItem(text));
        }
        let mut made =
            Made { room: self, call, bytes: 0, sources: Vec::new(), known: HashMap::new() };
        made.source(&request.data)?;
        let mut blocks = Vec::new();
        for (at, item) in items.iter().enumerate() {
            call.count("putting the report together", at as u64, items.len() as u64);
            let block = made.block(item);
            blocks.push(block.map_err(|cause| RoomError::Item { at, cause: Box::new(cause) })?);
        }
        let found = self.find(&request.data, call)?;
        let (folder, dir) = self.exports()?;
        let name = request.name.as_deref().or(self.shown_label(&found));
        let title: String = name.unwrap_or("Report").chars().take(TITLE_CHARACTERS).collect();
        let page = page(&title, &blocks, &made.sources);
        let target = Target {
            folder: &dir,
            name,
            bytes: self.settings().export_bytes,
            overwrite: request.overwrite,
        };
        let written = export_page(page.as_bytes(), "html", target, &|| call.is_cancelled());
        let written = call.unless_cancelled(written)?;
        Ok(ExportedFile {
            file: folder.join(written.file),
            rows: None,
            bytes: written.bytes,
            blake3: written.blake3,
            notes: Vec::new(),
        })
    }
}

struct Made<'a> {
    room: &'a Room,
    call: &'a Call,
    /// Bytes of pictures.
    bytes: u64,
    sources: Vec<Source>,
    known: HashMap<String, usize>,
}

impl Made<'_> {
    fn block(&mut self, item: &ReportItem) -> Result<Block, RoomError> {
        let only = |is_ok: bool, what: &str| {
            is_ok.then_some(()).ok_or_else(|| RoomError::BadItem(what.to_owned()))
        };
        only(item.rows.is_none() || item.table.is_some(), "`rows` goes with `table`")?;
        only(item.cell.is_none() || item.result.is_some(), "`cell` goes with `result`")?;
        match (&item.text, &item.table, &item.chart, &item.result) {
            (Some(text), None, None, None) => self.text(text),
            (None, Some(data), None, None) => self.table(data, item.rows.unwrap_or(ROWS)),
            (None, None, Some(data), None) => self.picture(data),
            (None, None, None, Some(data)) => {
                let (label, value, source) = self.number(data, item.cell.as_deref())?;
                Ok(Block::Number { label, value, source })
            }
            _ => Err(RoomError::BadItem(
                "an item has exactly one of `text`, `table`, `chart` and `result`".to_owned(),
            )),
        }
    }

    fn text(&mut self, text: &str) -> Result<Block, RoomError> {
        let html = markup(text, &mut |name: &str| {
            let (data, column) = match name.split_once(':') {
                Some((data, column)) => (data.trim(), Some(column.trim())),
                None => (name, None),
            };
            let number = self.number(data, column);
            let (_, value, source) = number.map_err(|cause| RoomError::Placeholder {
                name: name.chars().take(100).collect(),
                cause: Box::new(cause),
            })?;
            Ok::<_, RoomError>(link(source, &value))
        })?;
        Ok(Block::Text(html))
    }

    fn table(&mut self, data: &str, rows: u32) -> Result<Block, RoomError> {
        if !(1..=MOST_ROWS).contains(&rows) {
            let text = format!(
                "`rows` is 1 to {MOST_ROWS}, and not {rows}: export a long table as csv or xlsx"
            );
            return Err(RoomError::BadItem(text));
        }
        let source = self.source(data)?;
        let _place = self.room.0.scans.enter(self.call)?;
        let found = self.whole(data)?;
        let units = self.room.units_for(Format::Html, &found, self.call);
        let fields = found.table.schema().fields().iter().enumerate();
        let unit = |at: usize| units.get(at).and_then(Option::as_deref);
        let heads = fields
            .map(|(at, field)| (head(field.name(), unit(at)), stands_right(field.data_type())))
            .collect();
        let rows = cells(&found.table, None, rows as usize)?;
        Ok(Block::Table { heads, rows, all: found.table.rows(), source })
    }

    /// A value, what it is called and its source.
    fn number(
        &mut self,
        data: &str,
        column: Option<&str>,
    ) -> Result<(String, String, usize), RoomError> {
        let source = self.source(data)?;
        let _place = self.room.0.scans.enter(self.call)?;
        let found = self.whole(data)?;
        let rows = found.table.rows();
        if rows != 1 {
            return Err(RoomError::BadItem(format!(
                "{data} has {rows} rows, and a number is one of a table of one row: aggregate it \
                 with a query first"
            )));
        }
        let names: Vec<&str> = found.columns().collect();
        let at = match (column, names.as_slice()) {
            (None, [_]) => 0,
            (None, _) => {
                let text = format!("{data} has {} columns: say which one is meant", names.len());
                return Err(RoomError::BadItem(text));
            }
            (Some(column), _) => {
                self.room.check_columns(&found, &[column.to_owned()], self.call)?;
                names.iter().position(|name| *name == column).unwrap_or_default()
            }
        };
        let label = names[at].to_owned();
        let text = cells(&found.table, Some(&[at]), 1)?.into_iter().flatten().next();
        let text = text.filter(|text| !text.is_empty()).unwrap_or_else(|| "no value".to_owned());
        let unit = self.room.units_for(Format::Html, &found, self.call).into_iter().nth(at);
        let value = match unit.flatten() {
            Some(unit) => format!("{text} {unit}"),
            None => text,
        };
        Ok((label, value, source))
    }

    fn picture(&mut self, data: &str) -> Result<Block, RoomError> {
        let source = self.source(data)?;
        let _place = self.room.0.scans.enter(self.call)?;
        let found = self.room.find(data, self.call)?;
        let name = found.label().unwrap_or_default().to_owned();
        let not_shown = || {
            RoomError::BadItem(format!(
                "{data} is no picture that a page shows (png, svg, jpg, gif, webp): give the \
                 dataRef of a figure, or a table as `table`"
            ))
        };
        if found.kind() == Kind::Table {
            return Err(not_shown());
        }
        if Room::is_drawn(&found) {
            let bytes = self.room.picture(data, None, PictureFormat::Svg, self.call)?;
            self.bytes += bytes.len() as u64;
            let uri = data_uri("chart.svg", &bytes).ok_or_else(not_shown)?;
            return Ok(Block::Picture { uri, name, source });
        }
        let mut bytes = Vec::new();
        for portion in portions(&found.table)? {
            bytes.extend(portion?);
            if self.bytes + bytes.len() as u64 > self.room.settings().export_bytes {
                return Err(RoomError::BadItem(
                    "the pictures are larger than an export may be".into(),
                ));
            }
        }
        self.bytes += bytes.len() as u64;
        let uri = data_uri(&name, &bytes).ok_or_else(not_shown)?;
        Ok(Block::Picture { uri, name, source })
    }

    /// A table of which no row is missing.
    fn whole(&self, data: &str) -> Result<Found, RoomError> {
        let found = self.room.find_table(data, self.call)?;
        match found.meta.as_ref().and_then(|meta| meta.cut.clone()) {
            Some(why) => Err(RoomError::Incomplete { data: data.to_owned(), why }),
            None => Ok(found),
        }
    }

    /// The place of this data among the sources.
    fn source(&mut self, data: &str) -> Result<usize, RoomError> {
        if let Some(at) = self.known.get(data) {
            return Ok(*at);
        }
        let lineage = self.room.lineage(data, self.call)?;
        let steps = lineage.steps.into_iter().map(step).collect();
        let warnings = self.room.find(data, self.call)?.notes;
        self.sources.push(Source { data: data.to_owned(), steps, warnings });
        self.known.insert(data.to_owned(), self.sources.len() - 1);
        Ok(self.sources.len() - 1)
    }
}

/// A step as the page shows it, with all that replays it.
fn step(step: super::Step) -> Step {
    let kind = match step.kind {
        StepKind::Dataset => "dataset",
        StepKind::Python => "Python",
        StepKind::Sql => "SQL",
        StepKind::Chart => "chart",
        StepKind::Tool => "tool",
        StepKind::Import => "import",
        StepKind::Remote => "database",
        StepKind::Missing => "expired",
    };
    let mut facts = Vec::new();
    facts.extend(step.content_hash.map(|hash| ("content hash", hash)));
    facts.extend(step.note.map(|note| ("note", note)));
    let code = step.meta.and_then(|meta| recorded(meta, &mut facts));
    Step { title: format!("{kind}: {}", step.data), facts, code }
}

fn recorded(meta: ArtifactMeta, facts: &mut Vec<(&'static str, String)>) -> Option<String> {
    facts.push(("made", meta.created.to_rfc3339()));
    for input in meta.inputs {
        let text = format!("{} = {} ({})", input.variable, input.data, input.content_hash);
        facts.push(("input", text));
    }
    facts.extend(meta.warnings.into_iter().map(|warning| ("warning", warning)));
    facts.extend(
        meta.versions.into_iter().map(|(name, version)| ("version", format!("{name} {version}"))),
    );
    if let Some(run) = meta.run {
        let started = run.started.map_or("the machine's".to_owned(), |time| time.to_rfc3339());
        facts.push(("seed and clock", format!("{}, {started}", run.seed)));
    }
    match meta.origin {
        Origin::Python { code, output } => {
            facts.push(("output", output));
            Some(code)
        }
        Origin::Sql { sql } | Origin::Chart { request: sql } => Some(sql),
        origin @ Origin::Tool { .. } => {
            facts.push(("from", origin.place()));
            None
        }
        Origin::Import { source } => {
            facts.push(("from", source));
            None
        }
        Origin::Remote(read) => {
            facts.push(("from", format!("{}.{}", read.source, read.table)));
            Some(read.statement)
        }
    }
}
