//! Files for the view, which takes them in portions: a drawn chart, or a table as CSV or XLSX.
//!
//! A table's file lies in a folder of its own until its last portion was taken, under a name
//! of random bits, and what was left there is removed with the next one.

use std::io::{Read as _, Seek as _, SeekFrom};
use std::time::Duration;

use super::chart::Chart;
use super::query::kept;
use super::{Call, ChartError, Room, RoomError, Window};
use crate::present::chart::figure::{Figure, Plot, Positions};
use crate::present::chart::{Drawing, Look, draw, png};
use crate::present::export::{CsvOptions, Format, Target, Wanted, export};
use crate::store::DataRef;

/// Bytes of a portion.
pub(super) const PORTION: usize = 2 << 20;
/// What was not taken by then is not wanted.
const FORGOTTEN: Duration = Duration::from_secs(3_600);
/// The larger side of a picture in pixels is twice this.
const PICTURE: (u32, u32) = (1_000, 600);

/// A picture's form.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PictureFormat {
    /// A drawing.
    Svg,
    /// Pixels.
    Png,
}

impl PictureFormat {
    /// The file's ending.
    #[must_use]
    pub fn ending(self) -> &'static str {
        match self {
            Self::Svg => "svg",
            Self::Png => "png",
        }
    }
}

/// A part of a file.
#[derive(Debug, Clone)]
pub struct Portion {
    /// The whole file's name for a person.
    pub name: String,
    /// Its name for the next portion.
    pub file: String,
    /// Bytes of the whole.
    pub total: u64,
    /// These.
    pub bytes: Vec<u8>,
}

impl Room {
    /// A kept chart as it is to be seen; of a part of it, drawn from the data anew.
    ///
    /// # Errors
    /// There is no such chart, or its data is gone.
    pub fn drawing(&self, chart: &str, look: &Look, call: &Call) -> Result<Drawing, RoomError> {
        let Chart { figure, .. } = self.kept_chart(chart, call)?;
        let closer = look.window.x.filter(|_| is_along(&figure)).map(|(from, to)| {
            // A little more than is seen, so that lines go on to the edge.
            let more = (to - from).abs() * 0.02;
            Window { from: from.min(to) - more, to: from.max(to) + more }
        });
        let figure = match closer {
            None => figure,
            Some(window) => match self.closer(chart, Some(window), call) {
                Ok(closer) => closer,
                // Nothing is there: what the whole chart shows there is nothing, too.
                Err(RoomError::Chart(ChartError::Empty(_))) => figure,
                Err(error) => return Err(error),
            },
        };
        Ok(draw(&figure, look))
    }

    /// A kept chart as a picture of the usual size.
    ///
    /// # Errors
    /// There is no such chart.
    pub fn picture(
        &self,
        chart: &str,
        look: Option<&Look>,
        format: PictureFormat,
        call: &Call,
    ) -> Result<Vec<u8>, RoomError> {
        let usual = Look { width: PICTURE.0, height: PICTURE.1, ..Look::default() };
        let drawing = self.drawing(chart, look.unwrap_or(&usual), call)?;
        match format {
            PictureFormat::Svg => Ok(drawing.svg.into_bytes()),
            PictureFormat::Png => {
                let pixels = png(&drawing.svg, 2.0);
                Ok(pixels.map_err(|error| ChartError::Pixels(error.to_string()))?.png)
            }
        }
    }

    /// A portion of a table's file: written with the first, removed with the last.
    ///
    /// # Errors
    /// There is no such table or file, or it cannot be written.
    pub fn portion(
        &self,
        data: &str,
        format: Format,
        file: Option<&str>,
        offset: u64,
        call: &Call,
    ) -> Result<Portion, RoomError> {
        let failed = |error: std::io::Error| RoomError::from(kept(&error));
        let found = self.find_table(data, call)?;
        let folder = self.home()?.folder("downloads")?;
        let file = match file {
            // A name of ours is one of random bits.
            Some(file) if is_ours(file) => file.to_owned(),
            Some(_) => return Err(RoomError::UnknownReference("of a download".to_owned())),
            None => {
                let _place = self.0.scans.enter(call)?;
                for entry in folder.entries().map_err(failed)?.flatten() {
                    let written = entry.metadata().and_then(|data| data.modified()).ok();
                    let age = written.and_then(|written| written.into_std().elapsed().ok());
                    if age.is_some_and(|age| age > FORGOTTEN) {
                        // Somebody else's clearing is as good.
                        let _ = entry.remove_file();
                    }
                }
                let name = DataRef::random().map_err(failed)?.to_string();
                let bytes = self.settings().export_bytes;
                let target = Target { folder: &folder, name: Some(&name), bytes, overwrite: false };
                let stop = || call.is_cancelled();
                let wanted = Wanted { format, csv: CsvOptions::default() };
                let units = self.units_for(format, &found, call);
                let written = export((&found.table, &units), wanted, target, &stop, &mut |_| {});
                call.unless_cancelled(written)?.file
            }
        };
        let mut open = folder.open(&file).map_err(failed)?;
        let total = open.metadata().map_err(failed)?.len();
        open.seek(SeekFrom::Start(offset)).map_err(failed)?;
        let mut bytes = Vec::new();
        open.take(PORTION as u64).read_to_end(&mut bytes).map_err(failed)?;
        if offset + bytes.len() as u64 >= total {
            // What stays is removed an hour later.
            let _ = folder.remove_file(&file);
        }
        let ending = file.rsplit_once('.').map_or("", |(_, ending)| ending);
        let label = found.label().unwrap_or("data").replace(['/', '\\'], " ");
        let label: String = label.chars().filter(|c| !c.is_control()).take(80).collect();
        Ok(Portion { name: format!("{label}.{ending}"), file, total, bytes })
    }
}

fn is_ours(file: &str) -> bool {
    let name = file.rsplit_once('.').map_or(file, |(name, _)| name);
    name.parse::<DataRef>().is_ok()
}

/// Whether the screen's x axis is a line of the data's `x`, so that a part of it can be
/// computed again.
fn is_along(figure: &Figure) -> bool {
    match &figure.plot {
        Plot::Bars { at, horizontal, .. } => !horizontal && !matches!(at, Positions::Categories(_)),
        Plot::Lines { at, .. } => !matches!(at, Positions::Categories(_)),
        Plot::Points { .. } => true,
        Plot::Histogram { .. } | Plot::Boxes { .. } | Plot::Pie { .. } | Plot::Heatmap { .. } => {
            false
        }
    }
}
