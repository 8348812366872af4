//! Small tables, for a person to read: Markdown and HTML.
//!
//! What is in a table never becomes markup: Markdown's marks and HTML's are escaped in
//! names and cells alike, links are none, and characters that nobody sees or that turn a
//! text around are written as their numbers. A table of more rows than a person reads is
//! refused before anything is written: these formats have no use for it, and viewers
//! choke on it.

use std::io::Write;

use arrow::datatypes::DataType;

use super::cells::Column;
use super::{ExportError, Format, Notes, Source, head};
use crate::reply::scrub;
use crate::table::Table;
use crate::type_name::holds_numbers;

pub(super) const MOST_ROWS: u64 = 1_000;
pub(super) const MOST_COLUMNS: usize = 50;

/// A column's name with its unit, and whether it stands at the right.
struct Head {
    name: String,
    right: bool,
}

/// How a kind of file writes a table.
struct Marks {
    format: Format,
    escape: fn(&str, &mut String),
    before: fn(&[Head], &mut String),
    row: fn(&mut dyn Iterator<Item = (String, bool)>, &mut String),
    after: &'static str,
}

const MARKDOWN: Marks = Marks {
    format: Format::Markdown,
    escape: escape_markdown,
    before: |heads, text| {
        markdown_row(&mut heads.iter().map(|head| (head.name.clone(), head.right)), text);
        for head in heads {
            text.push_str(if head.right { "| ---: " } else { "| :--- " });
        }
        text.push_str("|\n");
    },
    row: markdown_row,
    after: "",
};

/// Nothing in it can be fetched or run: it says so itself, should anything get through.
const HTML_BEFORE: &str = "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n\
<meta name=\"viewport\" content=\"width=device-width\">\n<title>Table</title>\n<style>\n\
:root { color-scheme: light dark }\nbody { font: 14px/1.4 system-ui, sans-serif; margin: 2rem }\n\
table { border-collapse: collapse }\nth, td { padding: .3rem .7rem; text-align: start; \
border-bottom: 1px solid #8884; white-space: pre-wrap; vertical-align: top }\n\
th { border-bottom: 2px solid #8888 }\n.n { text-align: right; font-variant-numeric: tabular-nums }\n\
@media print { thead { display: table-header-group } tr { break-inside: avoid } }\n\
</style>\n</head>\n<body>\n<table>\n<thead><tr>";

const HTML: Marks = Marks {
    format: Format::Html,
    escape: escape_html,
    before: |heads, text| {
        text.push_str(HTML_BEFORE);
        for head in heads {
            let class = if head.right { " class=\"n\"" } else { "" };
            text.extend(["<th scope=\"col\" dir=\"auto\"", class, ">", &head.name, "</th>"]);
        }
        text.push_str("</tr></thead>\n<tbody>\n");
    },
    row: |cells, text| {
        text.push_str("<tr>");
        for (cell, right) in cells {
            let open = if right { "<td class=\"n\">" } else { "<td dir=\"auto\">" };
            text.extend([open, &cell, "</td>"]);
        }
        text.push_str("</tr>\n");
    },
    after: "</tbody>\n</table>\n</body>\n</html>\n",
};

fn markdown_row(cells: &mut dyn Iterator<Item = (String, bool)>, text: &mut String) {
    for (cell, _) in cells {
        text.extend(["| ", &cell, " "]);
    }
    text.push_str("|\n");
}

pub(super) fn markdown(
    source: &mut Source<'_>,
    out: &mut impl Write,
) -> Result<Notes, ExportError> {
    write(source, out, &MARKDOWN)
}

pub(super) fn html(source: &mut Source<'_>, out: &mut impl Write) -> Result<Notes, ExportError> {
    write(source, out, &HTML)
}

fn write(
    source: &mut Source<'_>,
    out: &mut impl Write,
    marks: &Marks,
) -> Result<Notes, ExportError> {
    let (rows, columns) = (source.table.rows(), source.schema().fields().len());
    if rows > MOST_ROWS || columns > MOST_COLUMNS {
        return Err(ExportError::TooLargeToRead { format: marks.format, rows, columns });
    }
    let escaped = |plain: &str| {
        let mut text = String::new();
        (marks.escape)(&scrub(plain), &mut text);
        text
    };
    let fields = source.schema().fields().iter().enumerate();
    let heads: Vec<Head> = fields
        .map(|(at, field)| {
            let right = stands_right(field.data_type());
            Head { name: escaped(&head(field.name(), source.unit(at))), right }
        })
        .collect();
    let mut text = String::new();
    (marks.before)(&heads, &mut text);
    while let Some(batch) = source.next_batch()? {
        let columns = batch.columns().iter().map(Column::new).collect::<Result<Vec<_>, _>>()?;
        for row in 0..batch.num_rows() {
            let mut cells = columns.iter().zip(&heads).map(|(column, head)| {
                let mut plain = String::new();
                column.cell(row).write_text(&mut plain);
                (escaped(&plain), head.right)
            });
            (marks.row)(&mut cells, &mut text);
        }
        source.put(&mut text, out)?;
        source.done(batch.num_rows());
    }
    text.push_str(marks.after);
    out.write_all(text.as_bytes()).map_err(ExportError::io)?;
    Ok(Notes::default())
}

/// The first rows of a table as texts, the columns at `columns` or all.
///
/// # Errors
/// The table cannot be read.
pub(crate) fn cells(
    table: &Table,
    columns: Option<&[usize]>,
    rows: usize,
) -> Result<Vec<Vec<String>>, ExportError> {
    let mut found = Vec::new();
    for batch in table.batches(columns, Some(rows))? {
        let batch = batch?;
        let columns = batch.columns().iter().map(Column::new).collect::<Result<Vec<_>, _>>()?;
        for row in 0..batch.num_rows() {
            let texts = columns.iter().map(|column| {
                let mut text = String::new();
                column.cell(row).write_text(&mut text);
                text
            });
            found.push(texts.collect());
        }
    }
    Ok(found)
}

/// Numbers stand at the right.
pub(crate) fn stands_right(data_type: &DataType) -> bool {
    holds_numbers(data_type) == Some(true)
}

/// Text for a page, in an element or an attribute.
pub(crate) fn escape_html(plain: &str, text: &mut String) {
    for character in plain.chars() {
        match character {
            '&' => text.push_str("&amp;"),
            '<' => text.push_str("&lt;"),
            '>' => text.push_str("&gt;"),
            '"' => text.push_str("&quot;"),
            '\'' => text.push_str("&#39;"),
            other => text.push(other),
        }
    }
}

/// A cell of a table in GitHub's Markdown. It would make links of bare addresses, but for
/// the colon and the point written as their numbers; a line's end is the one mark of ours.
fn escape_markdown(plain: &str, text: &mut String) {
    let mut rest = plain;
    while let Some(character) = rest.chars().next() {
        let behind = &rest[character.len_utf8()..];
        match character {
            '&' => text.push_str("&amp;"),
            '<' => text.push_str("&lt;"),
            '>' => text.push_str("&gt;"),
            '\\' | '|' | '*' | '_' | '`' | '[' | ']' | '~' | '!' | '#' | '$' => {
                text.extend(['\\', character]);
            }
            ':' if behind.starts_with("//") => text.push_str("&#58;"),
            '.' if text.ends_with(['w', 'W']) => text.push_str("&#46;"),
            '\r' if behind.starts_with('\n') => {}
            '\r' | '\n' => text.push_str("<br>"),
            other => text.push(other),
        }
        rest = behind;
    }
}
