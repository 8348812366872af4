//! A report: one page that shows what was found and where each number comes from.
//!
//! The page needs no network and runs nothing: it says so itself (its policy allows only
//! its own styles and pictures that are written into it). What comes out of the data is
//! escaped; a picture is an image, so that a script within an SVG stays asleep. A number
//! is a link to the step that made it, in the appendix, with its code, inputs and hashes.
//! It is made of what it is given and knows neither tables nor the store.

mod markup;
mod picture;

use std::fmt::Write as _;

pub use self::markup::{Placeholder, markup};
pub use self::picture::data_uri;
use crate::present::export::escape_html;

/// A part of a report. Texts are plain, but for [`Block::Text`], which [`markup`] made.
#[derive(Debug, Clone, PartialEq)]
pub enum Block {
    /// Paragraphs.
    Text(String),
    /// Rows of a table.
    Table {
        /// Names with their units, and whether they stand at the right.
        heads: Vec<(String, bool)>,
        /// The cells.
        rows: Vec<Vec<String>>,
        /// Rows that the table has.
        all: u64,
        /// The source that it is of.
        source: usize,
    },
    /// A picture.
    Picture {
        /// All of it.
        uri: String,
        /// What it is called.
        name: String,
        /// The source that it is of.
        source: usize,
    },
    /// One value.
    Number {
        /// What it is.
        label: String,
        /// It.
        value: String,
        /// The source that it is of.
        source: usize,
    },
}

/// Where something in a report comes from.
#[derive(Debug, Clone, PartialEq)]
pub struct Source {
    /// The data.
    pub data: String,
    /// Its steps, the last is the one that made it.
    pub steps: Vec<Step>,
    /// What to know of its numbers.
    pub warnings: Vec<String>,
}

/// One step.
#[derive(Debug, Clone, PartialEq)]
pub struct Step {
    /// What it is, in a line.
    pub title: String,
    /// What is known of it.
    pub facts: Vec<(&'static str, String)>,
    /// Its code.
    pub code: Option<String>,
}

const HEAD: &str = "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; img-src data:; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'\">\n\
<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>";

const STYLE: &str = "</title>\n<style>\n:root { color-scheme: light dark; --line: #8886; --link: light-dark(#0b57d0, #8ab4f8) }\n\
body { font: 16px/1.55 system-ui, sans-serif; max-width: 56rem; margin: 2rem auto; padding: 0 1rem }\n\
h1 { line-height: 1.2 } h2, h3, h4 { margin-top: 2rem }\na { color: var(--link) }\n\
a:focus-visible { outline: 2px solid var(--link); outline-offset: 2px }\n\
figure { margin: 1.5rem 0; overflow-x: auto } img { max-width: 100%; height: auto; background: #fff }\n\
figcaption { font-size: .85rem; opacity: .8 }\ntable { border-collapse: collapse; font-size: .9rem }\n\
th, td { padding: .3rem .7rem; text-align: start; vertical-align: top; border-bottom: 1px solid var(--line); white-space: pre-wrap }\n\
.n { text-align: right; font-variant-numeric: tabular-nums }\n.big a { font-size: 1.8rem; text-decoration: none }\n\
pre { overflow-x: auto; padding: .8rem; border: 1px solid var(--line); font-size: .85rem }\n\
code { font-family: ui-monospace, monospace }\ndt { font-weight: 600 } dd { margin: 0 0 .4rem; overflow-wrap: anywhere }\n\
section:target > h3 { text-decoration: underline }\n\
@media print { body { max-width: none; margin: 0 } a { color: inherit } thead { display: table-header-group } \
tr, figure, pre { break-inside: avoid } pre { white-space: pre-wrap } .sources { break-before: page } }\n\
</style>\n</head>\n<body>\n<main>\n";

/// The page.
#[must_use]
pub fn page(title: &str, blocks: &[Block], sources: &[Source]) -> String {
    let title = escaped(title);
    let mut out = [HEAD, &title, STYLE, "<h1 dir=\"auto\">", &title, "</h1>\n"].concat();
    for block in blocks {
        write_block(block, sources, &mut out);
    }
    out.push_str("</main>\n<div class=\"sources\">\n<h2>Where the numbers come from</h2>\n");
    for (at, source) in sources.iter().enumerate() {
        write_source(at, source, &mut out);
    }
    out.push_str("</div>\n</body>\n</html>\n");
    out
}

/// A value as a link to its source.
#[must_use]
pub fn link(source: usize, text: &str) -> String {
    format!("<a href=\"#s{}\">{}</a>", source + 1, escaped(text))
}

fn escaped(plain: &str) -> String {
    let mut text = String::with_capacity(plain.len());
    escape_html(&crate::reply::scrub(plain), &mut text);
    text
}

fn write_block(block: &Block, sources: &[Source], out: &mut String) {
    let of = |source: usize| {
        let Some(known) = sources.get(source) else { return link(source, "") };
        let link = link(source, &known.data);
        match known.warnings.len() {
            0 => link,
            1 => format!("{link}, of which there is a warning"),
            many => format!("{link}, of which there are {many} warnings"),
        }
    };
    match block {
        Block::Text(html) => out.push_str(html),
        Block::Table { heads, rows, all, source } => {
            out.push_str("<figure>\n<table>\n<thead><tr>");
            for (name, right) in heads {
                let class = if *right { " class=\"n\"" } else { "" };
                let _ = write!(out, "<th scope=\"col\" dir=\"auto\"{class}>{}</th>", escaped(name));
            }
            out.push_str("</tr></thead>\n<tbody>\n");
            for row in rows {
                out.push_str("<tr>");
                for (cell, (_, right)) in row.iter().zip(heads) {
                    let open = if *right { "<td class=\"n\">" } else { "<td dir=\"auto\">" };
                    out.extend([open, &escaped(cell), "</td>"]);
                }
                out.push_str("</tr>\n");
            }
            let shown = match rows.len() as u64 == *all {
                true => format!("{all} rows"),
                false => format!("the first {} of {all} rows", rows.len()),
            };
            let of = of(*source);
            let _ = write!(
                out,
                "</tbody>\n</table>\n<figcaption>{shown} of {of}</figcaption>\n</figure>\n"
            );
        }
        Block::Picture { uri, name, source } => {
            let (name, of) = (escaped(name), of(*source));
            let _ = write!(
                out,
                "<figure>\n<img alt=\"{name}\" src=\"{uri}\">\n<figcaption>{name}, {of}</figcaption>\n</figure>\n"
            );
        }
        Block::Number { label, value, source } => {
            let (label, link) = (escaped(label), link(*source, value));
            let _ = write!(out, "<p class=\"big\" dir=\"auto\">{label}<br>{link}");
            let is_warned = sources.get(*source).is_some_and(|known| !known.warnings.is_empty());
            let _ = writeln!(out, "{}</p>", if is_warned { " (see its warnings)" } else { "" });
        }
    }
}

fn write_source(at: usize, source: &Source, out: &mut String) {
    let (number, data) = (at + 1, escaped(&source.data));
    let _ = writeln!(out, "<section id=\"s{number}\" tabindex=\"-1\">\n<h3>{number}. {data}</h3>");
    if !source.warnings.is_empty() {
        out.push_str("<ul class=\"warnings\">\n");
        for warning in &source.warnings {
            let _ = writeln!(out, "<li dir=\"auto\">{}</li>", escaped(warning));
        }
        out.push_str("</ul>\n");
    }
    out.push_str("<ol>\n");
    for step in &source.steps {
        let _ = write!(out, "<li><p>{}</p>\n<dl>\n", escaped(&step.title));
        for (name, value) in &step.facts {
            let _ = writeln!(out, "<dt>{name}</dt><dd>{}</dd>", escaped(value));
        }
        out.push_str("</dl>\n");
        if let Some(code) = &step.code {
            let _ = writeln!(out, "<pre><code>{}</code></pre>", escaped(code));
        }
        out.push_str("</li>\n");
    }
    out.push_str("</ol>\n</section>\n");
}

#[cfg(test)]
mod tests;
