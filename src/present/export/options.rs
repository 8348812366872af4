//! What may be wished of an exported file.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::{CsvOptions, ExportError};

/// The formats' names, for a sentence.
pub(crate) const FORMATS: &str = "csv, xlsx, parquet, json, ndjson, markdown, html or report";

/// How a table is to be written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Wanted {
    /// The kind of file.
    pub format: Format,
    /// How, if it is a CSV.
    pub csv: CsvOptions,
}

impl Wanted {
    /// # Errors
    /// An option is one of another format, or goes ill with another.
    pub fn check(self) -> Result<Self, ExportError> {
        if self.format != Format::Csv && !self.csv.is_default() {
            return Err(ExportError::OnlyCsv { format: self.format });
        }
        self.csv.marks()?;
        Ok(self)
    }
}

impl From<Format> for Wanted {
    fn from(format: Format) -> Self {
        Self { format, csv: CsvOptions::default() }
    }
}

/// A kind of file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Format {
    /// Comma-separated text.
    Csv,
    /// An Excel workbook.
    Xlsx,
    /// Parquet.
    Parquet,
    /// A JSON array of objects.
    Json,
    /// JSON objects, one on each line.
    Ndjson,
    /// A table in Markdown, for small ones.
    Markdown,
    /// A table as a page, for small ones.
    Html,
    /// A page of texts, tables and figures, each number of which leads to its code.
    Report,
    /// A chart of `render_chart`, as a drawing.
    Svg,
    /// A chart of `render_chart`, as pixels.
    Png,
}

impl Format {
    /// All of them.
    pub const ALL: [Self; 10] = [
        Self::Csv,
        Self::Xlsx,
        Self::Parquet,
        Self::Json,
        Self::Ndjson,
        Self::Markdown,
        Self::Html,
        Self::Report,
        Self::Svg,
        Self::Png,
    ];

    /// Its name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Csv => "csv",
            Self::Xlsx => "xlsx",
            Self::Parquet => "parquet",
            Self::Json => "json",
            Self::Ndjson => "ndjson",
            Self::Markdown => "markdown",
            Self::Html => "html",
            Self::Report => "report",
            Self::Svg => "svg",
            Self::Png => "png",
        }
    }

    /// The file's ending.
    #[must_use]
    pub fn ending(self) -> &'static str {
        match self {
            Self::Markdown => "md",
            Self::Report => "html",
            same => same.name(),
        }
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A format there is not.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("unknown format {asked:?}: use {FORMATS}, and svg or png for a chart{}", .nearest.map(|n| format!(" (did you mean {n}?)")).unwrap_or_default())]
pub struct UnknownFormat {
    /// What was asked for.
    pub asked: String,
    /// What may have been meant.
    pub nearest: Option<Format>,
}

impl FromStr for Format {
    type Err = UnknownFormat;

    fn from_str(text: &str) -> Result<Self, UnknownFormat> {
        let lower = text.trim().trim_start_matches('.').to_lowercase();
        if let Some(format) =
            Self::ALL.into_iter().find(|format| format.name() == lower || format.ending() == lower)
        {
            return Ok(format);
        }
        let nearest = match lower.as_str() {
            "excel" | "xls" | "xlsm" | "xlxs" | "xslx" | "ods" | "spreadsheet" => Some(Self::Xlsx),
            "tsv" | "txt" | "text" | "cvs" => Some(Self::Csv),
            "pq" | "arrow" | "feather" | "parq" | "paquet" | "parket" => Some(Self::Parquet),
            "jso" => Some(Self::Json),
            "jsonl" | "jsonlines" | "jsons" => Some(Self::Ndjson),
            "mkd" | "mdown" | "rst" => Some(Self::Markdown),
            "htm" | "xhtml" | "web" => Some(Self::Html),
            _ => None,
        };
        Err(UnknownFormat { asked: text.chars().take(60).collect(), nearest })
    }
}
