//! An Excel workbook, row by row in constant memory.
//!
//! Excel keeps 15 digits of a number, 32,767 characters of a text, milliseconds
//! of a time and no time zones. A value it would change is written as text, and
//! the notes say so; a text it would cut is refused. (Fifteen digits, not 2^53: a
//! double holds some of sixteen, but Excel shows a zero for the last one.)
//! Texts are written as strings, whatever they begin with: never as formulas or
//! links. Numbers of a known unit are shown with it ([`number_format`](super::number_format));
//! the cell holds the number alone.

use std::io::{self, BufWriter, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use arrow::datatypes::TimeUnit;
use chrono::{Datelike, NaiveDate, NaiveDateTime, Timelike};
use rust_xlsxwriter::{Color, Format, FormatBorder, Workbook, Worksheet, XlsxError};

use super::capped::Capped;
use super::cells::{Cell, Column};
use super::number_format::pattern;
use super::time::{date, nanoseconds, wall_clock};
use super::{ExportError, Notes, Source};

/// Rows of a sheet, less the header.
const SHEET_ROWS: u32 = 1_048_575;
const MAX_COLUMNS: usize = 16_384;
const MAX_TEXT: usize = 32_767;
const EXACT: u64 = 999_999_999_999_999;
const EXACT_DIGITS: usize = 15;
const DAY: f64 = 86_400e9;
/// Rows looked at to choose the columns' widths.
const WIDTH_ROWS: usize = 500;

pub(super) fn write(source: &mut Source<'_>, out: Capped, most: u64) -> Result<Notes, ExportError> {
    write_sheets(source, out, (SHEET_ROWS, most))
}

pub(super) fn write_sheets(
    source: &mut Source<'_>,
    out: Capped,
    (sheet_rows, most): (u32, u64),
) -> Result<Notes, ExportError> {
    let names: Vec<String> =
        source.schema().fields().iter().map(|field| field.name().clone()).collect();
    if names.len() > MAX_COLUMNS {
        return Err(ExportError::TooManyColumns { columns: names.len(), limit: MAX_COLUMNS });
    }
    let mut book = Book::new(names, unit_formats(source), sheet_rows);
    while let Some(batch) = source.next_batch()? {
        let columns = batch.columns().iter().map(Column::new).collect::<Result<Vec<_>, _>>()?;
        book.batch(&columns, batch.num_rows())?;
        if book.text > most {
            return Err(ExportError::TooLarge { most });
        }
        source.done(batch.num_rows());
    }
    if book.sheets == 0 {
        book.next_sheet()?;
    }
    book.end_sheet()?;
    let notes = book.notes(source);
    save(&mut book.workbook, out, source)?;
    Ok(notes)
}

/// The formats of the columns whose unit has one.
fn unit_formats(source: &Source<'_>) -> Vec<Option<Format>> {
    let fields = source.schema().fields().iter().enumerate();
    fields
        .map(|(at, field)| {
            let pattern = pattern(source.unit(at)?, field.data_type())?;
            Some(Format::new().set_num_format(pattern))
        })
        .collect()
}

/// Packs the sheets, in a thread of its own so that it can be stopped.
fn save(workbook: &mut Workbook, out: Capped, source: &Source<'_>) -> Result<(), ExportError> {
    let stopped = AtomicBool::new(false);
    let mut file = Stoppable { file: BufWriter::new(out), stopped: &stopped };
    let saved = std::thread::scope(|scope| {
        let saving = scope.spawn(|| {
            workbook.save_to_writer(&mut file)?;
            file.flush().map_err(XlsxError::IoError)
        });
        let mut wait = Duration::from_millis(1);
        while !saving.is_finished() {
            if source.is_stopped() {
                stopped.store(true, Ordering::Relaxed);
            }
            std::thread::sleep(wait);
            wait = (wait * 2).min(Duration::from_millis(20));
        }
        saving.join()
    });
    if stopped.load(Ordering::Relaxed) {
        return Err(ExportError::Stopped);
    }
    saved.map_err(|_| ExportError::Workbook("the writer failed".to_owned()))?.map_err(Into::into)
}

struct Stoppable<'a> {
    file: BufWriter<Capped>,
    stopped: &'a AtomicBool,
}

impl Write for Stoppable<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.stopped.load(Ordering::Relaxed) {
            return Err(io::Error::other("stopped"));
        }
        self.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

struct Formats {
    header: Format,
    date: Format,
    seconds: Format,
    milliseconds: Format,
    time: Format,
    duration: Format,
}

struct Book {
    workbook: Workbook,
    names: Vec<String>,
    units: Vec<Option<Format>>,
    widths: Vec<usize>,
    formats: Formats,
    sheet_rows: u32,
    sheets: usize,
    /// Data rows in the last sheet.
    filled: u32,
    rows: u64,
    /// Bytes of the cells, of which there is a copy on disk before they are packed.
    text: u64,
    counts: Counts,
}

#[derive(Default)]
struct Counts {
    long_numbers: u64,
    not_finite: u64,
    old_dates: u64,
    fine_times: u64,
    negative_durations: u64,
}

impl Book {
    fn new(names: Vec<String>, units: Vec<Option<Format>>, sheet_rows: u32) -> Self {
        let numbers = |pattern: &str| Format::new().set_num_format(pattern);
        let formats = Formats {
            header: Format::new()
                .set_bold()
                .set_background_color(Color::RGB(0x00E8_EEF4))
                .set_border_bottom(FormatBorder::Thin),
            date: numbers("yyyy-mm-dd"),
            seconds: numbers("yyyy-mm-dd hh:mm:ss"),
            milliseconds: numbers("yyyy-mm-dd hh:mm:ss.000"),
            time: numbers("hh:mm:ss"),
            duration: numbers("[h]:mm:ss"),
        };
        let widths = names.iter().map(|name| name.chars().count() + 4).collect();
        let (workbook, counts) = (Workbook::new(), Counts::default());
        Self {
            workbook,
            names,
            units,
            widths,
            formats,
            sheet_rows,
            sheets: 0,
            filled: 0,
            rows: 0,
            text: 0,
            counts,
        }
    }

    fn batch(&mut self, columns: &[Column], rows: usize) -> Result<(), ExportError> {
        if self.sheets == 0 {
            self.measure(columns, rows);
        }
        let mut done = 0;
        while done < rows {
            if self.sheets == 0 || self.filled == self.sheet_rows {
                self.next_sheet()?;
            }
            let sheet = self.workbook.worksheet_from_index(self.sheets - 1)?;
            let room = (self.sheet_rows - self.filled) as usize;
            let end = rows.min(done + room);
            for row in done..end {
                self.filled += 1;
                self.rows += 1;
                for (n, column) in columns.iter().enumerate() {
                    let cell = column.cell(row);
                    self.text += weight(&cell);
                    let unit = self.units[n].as_ref();
                    let place =
                        Place { sheet: &mut *sheet, row: self.filled, column: n as u16, unit };
                    let written = place.write(&cell, &self.formats, &mut self.counts)?;
                    if let Err(length) = written {
                        let column = self.names[n].clone();
                        return Err(ExportError::TextTooLong { column, row: self.rows, length });
                    }
                }
            }
            done = end;
        }
        Ok(())
    }

    /// Widths from the header and the first rows.
    fn measure(&mut self, columns: &[Column], rows: usize) {
        let mut text = String::new();
        for (width, column) in self.widths.iter_mut().zip(columns) {
            for row in 0..rows.min(WIDTH_ROWS) {
                text.clear();
                column.cell(row).write_text(&mut text);
                *width = (*width).max(text.chars().take(60).count() + 1);
            }
        }
    }

    /// The header's buttons to filter and sort by, over the rows that there are now.
    fn end_sheet(&mut self) -> Result<(), ExportError> {
        if self.sheets > 0 && !self.names.is_empty() {
            let sheet = self.workbook.worksheet_from_index(self.sheets - 1)?;
            sheet.autofilter(0, 0, self.filled, (self.names.len() - 1) as u16)?;
        }
        Ok(())
    }

    fn next_sheet(&mut self) -> Result<(), ExportError> {
        self.end_sheet()?;
        self.sheets += 1;
        self.filled = 0;
        let sheet = self.workbook.add_worksheet_with_constant_memory()?;
        sheet.set_name(match self.sheets {
            1 => "Data".to_owned(),
            n => format!("Data {n}"),
        })?;
        if !self.names.is_empty() {
            sheet.set_freeze_panes(1, 0)?;
        }
        for (n, (name, width)) in self.names.iter().zip(&self.widths).enumerate() {
            let length = name.encode_utf16().count();
            if length > MAX_TEXT {
                let column = name.chars().take(60).collect();
                return Err(ExportError::TextTooLong { column, row: 0, length });
            }
            sheet.set_column_width(n as u16, (*width).clamp(6, 60) as f64)?;
            sheet.write_string_with_format(0, n as u16, name, &self.formats.header)?;
        }
        Ok(())
    }

    fn notes(&self, source: &Source<'_>) -> Notes {
        let mut notes = Notes::default();
        if self.sheets > 1 {
            notes.add(format!(
                "the rows are on {} sheets: a sheet holds {} of them",
                self.sheets, self.sheet_rows
            ));
        }
        let counts = &self.counts;
        notes.count(
            counts.long_numbers,
            "number of more than 15 digits is written as text: Excel would change it",
        );
        notes.count(
            counts.not_finite,
            "number that is not finite is written as text (NaN, inf, -inf)",
        );
        notes.count(
            counts.old_dates,
            "date outside 1900 to 9999 is written as text: Excel has no such dates",
        );
        notes.count(counts.fine_times, "time is cut to milliseconds: Excel has no finer ones");
        notes.count(
            counts.negative_durations,
            "negative duration is written as text: Excel cannot show it",
        );
        for field in source.schema().fields() {
            if let arrow::datatypes::DataType::Timestamp(_, Some(zone)) = field.data_type() {
                notes.add(format!(
                    "the times in {:?} are local times of {zone}: Excel has no time zones",
                    field.name()
                ));
            }
        }
        notes
    }
}

/// About what a cell takes in the sheet's XML.
fn weight(cell: &Cell<'_>) -> u64 {
    match cell {
        Cell::Null => 0,
        Cell::Text(text) => text.len() as u64 + 32,
        _ => 48,
    }
}

/// A cell of a sheet.
struct Place<'a> {
    sheet: &'a mut Worksheet,
    row: u32,
    column: u16,
    /// How a number without a format of its own is shown.
    unit: Option<&'a Format>,
}

impl Place<'_> {
    /// Writes a value; the inner error is the length of a text that does not fit.
    fn write(
        self,
        cell: &Cell<'_>,
        formats: &Formats,
        counts: &mut Counts,
    ) -> Result<Result<(), usize>, XlsxError> {
        match cell {
            Cell::Null => return Ok(Ok(())),
            Cell::Bool(value) => {
                self.sheet.write_boolean(self.row, self.column, *value)?;
                return Ok(Ok(()));
            }
            Cell::Text(text) => return self.text(text),
            _ => {}
        }
        match number(cell, formats, counts).map(|(number, own)| (number, own.or(self.unit))) {
            Some((number, Some(format))) => {
                self.sheet.write_number_with_format(self.row, self.column, number, format)?;
                Ok(Ok(()))
            }
            Some((number, None)) => {
                self.sheet.write_number(self.row, self.column, number)?;
                Ok(Ok(()))
            }
            None => {
                let mut text = String::new();
                cell.write_text(&mut text);
                self.text(&text)
            }
        }
    }

    fn text(self, text: &str) -> Result<Result<(), usize>, XlsxError> {
        // Excel counts as Windows does.
        let length = if text.len() > MAX_TEXT { text.encode_utf16().count() } else { 0 };
        if length > MAX_TEXT {
            return Ok(Err(length));
        }
        if !text.is_empty() {
            self.sheet.write_string(self.row, self.column, text)?;
        }
        Ok(Ok(()))
    }
}

/// What Excel has as a number, if it keeps all of it.
fn number<'f>(
    cell: &Cell<'_>,
    formats: &'f Formats,
    counts: &mut Counts,
) -> Option<(f64, Option<&'f Format>)> {
    let plain = |value: Option<f64>, count: &mut u64| {
        *count += u64::from(value.is_none());
        value.map(|value| (value, None))
    };
    match cell {
        Cell::Int(value) => plain(
            (value.unsigned_abs() <= EXACT).then_some(*value as f64),
            &mut counts.long_numbers,
        ),
        Cell::UInt(value) => {
            plain((*value <= EXACT).then_some(*value as f64), &mut counts.long_numbers)
        }
        Cell::Decimal(digits) => plain(short_decimal(digits), &mut counts.long_numbers),
        // By its shortest digits: 0.1 is not to become 0.10000000149.
        Cell::Single(value) => plain(
            value.is_finite().then(|| format!("{value:?}").parse().unwrap_or(f64::from(*value))),
            &mut counts.not_finite,
        ),
        Cell::Double(value) => plain(value.is_finite().then_some(*value), &mut counts.not_finite),
        Cell::Date(days) => {
            let serial = date(*days).and_then(serial_day);
            counts.old_dates += u64::from(serial.is_none());
            serial.map(|serial| (serial, Some(&formats.date)))
        }
        Cell::Timestamp { value, unit, zone } => {
            let local = wall_clock(*value, *unit, zone.as_ref()).map(|(local, _)| local);
            let serial = local.and_then(|local| Some((local, serial_day(local.date())?)));
            counts.old_dates += u64::from(serial.is_none());
            let (local, day) = serial?;
            Some(timestamp(local, day, formats, counts))
        }
        Cell::Time(nanoseconds) => {
            counts.fine_times += u64::from(nanoseconds % 1_000_000 != 0);
            let kept = nanoseconds - nanoseconds % 1_000_000;
            Some((kept as f64 / DAY, Some(&formats.time)))
        }
        Cell::Duration { value, unit } => {
            counts.negative_durations += u64::from(*value < 0);
            (*value >= 0).then(|| (days(*value, *unit), Some(&formats.duration)))
        }
        Cell::Null | Cell::Bool(_) | Cell::Text(_) | Cell::Binary(_) | Cell::Nested(_) => None,
    }
}

fn timestamp<'f>(
    local: NaiveDateTime,
    day: f64,
    formats: &'f Formats,
    counts: &mut Counts,
) -> (f64, Option<&'f Format>) {
    let fraction = local.nanosecond() % 1_000_000_000;
    counts.fine_times += u64::from(!fraction.is_multiple_of(1_000_000));
    let milliseconds = fraction / 1_000_000;
    let seconds = f64::from(local.num_seconds_from_midnight());
    let time = (seconds * 1e9 + f64::from(milliseconds) * 1e6) / DAY;
    let format = if milliseconds == 0 { &formats.seconds } else { &formats.milliseconds };
    (day + time, Some(format))
}

fn days(value: i64, unit: TimeUnit) -> f64 {
    value as f64 * nanoseconds(unit) as f64 / DAY
}

/// Excel's number for a day. It believes that 1900 was a leap year, so days before
/// March 1900 are one less.
fn serial_day(date: NaiveDate) -> Option<f64> {
    if !(1900..=9999).contains(&date.year()) {
        return None;
    }
    let since = date.signed_duration_since(NaiveDate::from_ymd_opt(1899, 12, 30)?).num_days();
    Some((if since < 61 { since - 1 } else { since }) as f64)
}

/// A decimal of at most 15 significant digits.
fn short_decimal(digits: &str) -> Option<f64> {
    let bare = digits.trim_start_matches(['-', '0', '.']);
    let significant = bare.chars().filter(char::is_ascii_digit).count();
    if significant <= EXACT_DIGITS { digits.parse().ok() } else { None }
}
