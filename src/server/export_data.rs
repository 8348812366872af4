//! `export_data`: a file for the person.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::link_for;
use super::tool::{Hints, Tool};
use crate::present::export::{CsvOptions, Decimal, Delimiter, Format};
use crate::reply::Answer;
use crate::room::{Call, ExportRequest, ReportItem, Room, RoomError, Seen};

pub(super) struct ExportData;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Arguments {
    /// A dataset's name or a dataRef.
    data: String,
    /// The file's format: svg or png for a chart of render_chart. Leave it out for a file or a
    /// picture that a script left, which is written as it is.
    format: Option<Format>,
    /// The file's name without its ending; made from the data's name if left out.
    name: Option<String>,
    /// Of a csv: between its fields. A comma, or a semicolon if the decimal mark is a comma.
    delimiter: Option<Delimiter>,
    /// Of a csv: in its numbers. Comma is what Excel expects in most of Europe.
    decimal: Option<Decimal>,
    /// Of a csv: whether it begins with a byte order mark, by which Excel knows UTF-8.
    bom: Option<bool>,
    /// Of a report: what it shows, in order. `data` is what it is about.
    items: Option<Vec<ReportItem>>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Exported {
    /// Where the person finds it.
    file: String,
    /// What was exported.
    #[serde(rename = "dataRef")]
    data_ref: String,
    /// What the person sees of it: chart, table or figure; file if nothing.
    view: &'static str,
    /// Where the person sees it, if this client shows no views: a link for their browser on
    /// this machine, which holds while this server runs.
    #[serde(skip_serializing_if = "Option::is_none")]
    link: Option<String>,
    /// Its rows, if it is a table: all of them.
    #[serde(skip_serializing_if = "Option::is_none")]
    rows: Option<u64>,
    /// Its size, where values may be shown.
    #[serde(skip_serializing_if = "Option::is_none")]
    bytes: Option<u64>,
    /// The BLAKE3 hash of its bytes, where values may be shown.
    #[serde(skip_serializing_if = "Option::is_none")]
    blake3: Option<String>,
    /// What the format could not keep.
    notes: Vec<String>,
}

impl Tool for ExportData {
    const NAME: &'static str = "export_data";
    const TITLE: &'static str = "Export data";
    const DESCRIPTION: &'static str = "Writes a whole dataset or artifact to a new file on the \
        person's machine and tells where it is: a table as csv, xlsx, parquet, json or ndjson, a \
        small one also as markdown or html, a chart of render_chart as svg or png, what a script \
        left without `format`, or a report of `items` in which each number leads to its code. \
        It returns no contents, replaces no file, and computes nothing: run_python makes the \
        table to export.";
    const HINTS: Hints = Hints { read_only: false, idempotent: false };
    const VIEWED: bool = true;
    type Arguments = Arguments;
    type Answer = Exported;

    fn call(room: &Room, arguments: Arguments, call: &Call) -> Result<Exported, RoomError> {
        let Arguments { data, format, name, delimiter, decimal, bom, items } = arguments;
        let csv = CsvOptions { delimiter, decimal, bom: bom.unwrap_or_default() };
        let request = ExportRequest { data, format, name, csv, overwrite: false, items };
        let exported = room.export(&request, call)?;
        let view = match request.format {
            Some(Format::Report) => Seen::File,
            _ => room.shown(&request.data, call)?.0,
        };
        let link = (view != Seen::File).then(|| link_for(room, &request.data, call));
        Ok(Exported {
            data_ref: request.data,
            view: view.name(),
            link: link.flatten(),
            file: exported.file.display().to_string(),
            rows: room.policy().count(exported.rows).flatten(),
            bytes: room.policy().content(exported.bytes),
            blake3: room.policy().content(exported.blake3),
            notes: room.policy().notes(exported.notes),
        })
    }
}

impl Answer for Exported {
    fn shrink(&mut self) -> bool {
        if self.notes.len() <= 1 {
            return false;
        }
        self.notes.truncate(self.notes.len() / 2);
        true
    }
}
