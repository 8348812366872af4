//! Excel's workbooks, through `calamine`.

use std::fs::File;
use std::io::BufReader;

use calamine::{CellErrorType, DataRef, ExcelDateTime, Reader as _, Xlsx, XlsxError};
use chrono::NaiveDate;

use super::value::{Cell, Place, moment};
use super::{Each, Fault};

pub(super) struct Book<'a>(Xlsx<BufReader<&'a File>>);

impl From<XlsxError> for Fault {
    fn from(error: XlsxError) -> Self {
        match error {
            XlsxError::Io(cause) if cause.raw_os_error().is_some() => Self::Read(cause),
            XlsxError::Password => Self::Damaged("it has a password; save it without".into()),
            other => Self::Damaged(format!("{other}; open and save it again")),
        }
    }
}

impl<'a> Book<'a> {
    pub(super) fn open(file: &'a File) -> Result<Self, Fault> {
        Ok(Self(Xlsx::new(BufReader::new(file))?))
    }

    pub(super) fn cells(&mut self, sheet: &str, each: Each<'_>) -> Result<(), Fault> {
        let mut reader = self.0.worksheet_cells_reader(sheet)?;
        while let Some(cell) = reader.next_cell()? {
            let (row, column) = cell.get_position();
            if let Some(value) = value(cell.get_value()) {
                each(Place { row, column }, value)?;
            }
        }
        Ok(())
    }
}

fn value<'a>(cell: &'a DataRef<'_>) -> Option<Cell<'a>> {
    Some(match cell {
        DataRef::Empty => return None,
        DataRef::String(text) => return text_of(text),
        DataRef::SharedString(text) => return text_of(text),
        #[allow(clippy::cast_precision_loss, reason = "a sheet's numbers are floats")]
        DataRef::Int(value) => Cell::Number(*value as f64),
        DataRef::Float(value) => Cell::Number(*value),
        DataRef::Bool(value) => Cell::Bool(*value),
        DataRef::DateTime(value) => time(value),
        DataRef::DateTimeIso(text) => super::ods::date(text).unwrap_or(Cell::Text(text.into())),
        DataRef::DurationIso(text) => super::ods::duration(text).unwrap_or(Cell::Text(text.into())),
        DataRef::Error(kind) => Cell::Error(word(kind)),
    })
}

/// What is empty is missing, as in a text table.
fn text_of(text: &str) -> Option<Cell<'_>> {
    (!text.is_empty()).then(|| Cell::Text(text.into()))
}

fn word(kind: &CellErrorType) -> &'static str {
    match kind {
        CellErrorType::Div0 => "#DIV/0!",
        CellErrorType::NA => "#N/A",
        CellErrorType::Name => "#NAME?",
        CellErrorType::Null => "#NULL!",
        CellErrorType::Num => "#NUM!",
        CellErrorType::Ref => "#REF!",
        CellErrorType::Value => "#VALUE!",
        _ => "#ERROR",
    }
}

const DAY: f64 = 86_400_000.0;

/// A serial number of days with a date's format. Excel counts milliseconds.
fn time(value: &ExcelDateTime) -> Cell<'static> {
    let days = value.as_f64();
    #[allow(clippy::cast_possible_truncation, reason = "a cast of a float saturates")]
    let micros = || (days * DAY).round() as i64 * 1_000;
    if value.is_duration() {
        return Cell::Duration(micros());
    }
    if (0.0..1.0).contains(&days) {
        return Cell::Time(micros());
    }
    let (year, month, day, hour, minute, second, milli) = value.to_ymd_hms_milli();
    let date = NaiveDate::from_ymd_opt(year.into(), month.into(), day.into());
    let of_day = ((i64::from(hour) * 60 + i64::from(minute)) * 60 + i64::from(second)) * 1_000;
    match date {
        Some(date) => Cell::Moment(moment(date, (of_day + i64::from(milli)) * 1_000)),
        // A day that no calendar has, as Excel's 29 February 1900.
        None => Cell::Number(days),
    }
}
