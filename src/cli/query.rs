//! `dataroom query`: one SELECT, for a person.

use std::io::{Read as _, Write as _};
use std::process::ExitCode;

use anyhow::Context as _;
use arrow::util::display::{ArrayFormatter, FormatOptions};
use dataroom::{Call, QueryReport, QueryRequest, Room, server};
use serde_json::json;

use super::arguments::{Place, Query};
use super::table::{Cell, lines, number, size, text};
use super::{audit, print_reply, terminal};

/// Rows that are printed; the rest is one command away.
const ROWS: usize = 40;

pub(super) fn query(place: &Place, wanted: Query) -> anyhow::Result<ExitCode> {
    let mut sql = wanted.sql;
    if sql == "-" {
        sql.clear();
        std::io::stdin().lock().read_to_string(&mut sql).context("the query on stdin")?;
    }
    let room = super::room(place, wanted.folders)?;
    let asked = json!({"sql": sql, "save_as": wanted.save_as});
    let request = QueryRequest { sql, save_as: wanted.save_as };
    audit::recorded(&room, "query", asked, || answer(&room, &request, wanted.json))
}

fn answer(room: &Room, request: &QueryRequest, as_json: bool) -> anyhow::Result<ExitCode> {
    let call = Call::new();
    let report = terminal::watched(&call, || room.query(request, &call));
    if as_json {
        return match report {
            Ok(report) => print_reply(&server::reply_of_query(room, report, &call)),
            Err(error) => {
                let refusal = error.shown(room.policy());
                let cap = room.policy().reply_bytes();
                print_reply(&dataroom::reply::Reply::refusal(&refusal, cap))
            }
        };
    }
    show(&report?)
}

fn show(report: &QueryReport) -> anyhow::Result<ExitCode> {
    let meta = &report.artifact.meta;
    let mut out = std::io::stdout().lock();
    for line in lines(&rows(report)?) {
        writeln!(out, "{line}")?;
    }
    out.flush()?;
    drop(out);
    let mut notes = std::io::stderr().lock();
    let (rows, reference) = (meta.rows, &meta.reference);
    if rows > ROWS as u64 {
        writeln!(
            notes,
            "{ROWS} of {rows} rows; all of them: dataroom export {reference} --format csv"
        )?;
    } else {
        writeln!(notes, "{reference} ({})", size(rows, meta.columns))?;
    }
    for warning in &report.planned.warnings {
        terminal::note(&mut notes, "warning", warning)?;
    }
    for what in &report.planned.allowed {
        terminal::note(&mut notes, "warning", &format!("allowed by a comment: {what}"))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// The first rows with the names above them.
fn rows(report: &QueryReport) -> anyhow::Result<Vec<Vec<Cell>>> {
    let table = &report.artifact.table;
    let fields = table.schema().fields();
    let right = |at: usize| fields[at].data_type().is_numeric();
    let cell = |at: usize, words: &str| if right(at) { number(words) } else { text(words) };
    let mut rows = vec![fields.iter().enumerate().map(|(at, f)| cell(at, f.name())).collect()];
    let options = FormatOptions::default();
    for batch in table.batches(None, Some(ROWS))? {
        let batch = batch?;
        let columns = batch.columns().iter();
        let formats: Vec<_> = columns
            .map(|column| ArrayFormatter::try_new(column, &options))
            .collect::<Result<_, _>>()?;
        for row in 0..batch.num_rows() {
            let words = formats.iter().map(|format| format.value(row).to_string());
            rows.push(words.enumerate().map(|(at, words)| cell(at, &words)).collect());
        }
    }
    Ok(rows)
}
