//! What a person sees of data on a screen: a table's rows, a chart that the room draws, or a
//! figure that a script left, which is shown as it was left.

use super::download::Portion;
use super::{Call, ChartError, Found, Room, RoomError};
use crate::store::{Kind, file};

/// Bytes of a figure that is shown: a page of plotly's has 5 MB.
const FIGURE: u64 = 32 << 20;

/// See the module.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Seen {
    /// Rows.
    Table,
    /// A chart of the room's own, which can be drawn again.
    Chart,
    /// A picture of this type.
    Picture(&'static str),
    /// A page with scripts of its own, such as plotly's: shown apart from everything else.
    Page,
    /// Nothing: a file that is only handed over.
    File,
}

impl Seen {
    /// As the view is told.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Table => "table",
            Self::Chart => "chart",
            Self::Picture(_) | Self::Page => "figure",
            Self::File => "file",
        }
    }

    pub(super) fn of(found: &Found) -> Self {
        if found.kind() == Kind::Table {
            return Self::Table;
        }
        if Room::is_drawn(found) {
            return Self::Chart;
        }
        match found.label().and_then(file::media_type) {
            Some("text/html") => Self::Page,
            Some(picture) => Self::Picture(picture),
            None => Self::File,
        }
    }
}

impl Room {
    /// What the view is to show of data, and under which words.
    ///
    /// # Errors
    /// There is no such data.
    pub fn shown(&self, data: &str, call: &Call) -> Result<(Seen, String), RoomError> {
        let found = self.find(data, call)?;
        let title = found.label().unwrap_or(data).to_owned();
        Ok((Seen::of(&found), title))
    }

    /// A figure that a script left, under the words that may be told of it.
    ///
    /// # Errors
    /// There is none of this name, or it is a file that is not looked at.
    pub fn figure_of_script(
        &self,
        data: &str,
        call: &Call,
    ) -> Result<(Seen, Option<String>), RoomError> {
        let found = self.find(data, call)?;
        match Seen::of(&found) {
            Seen::Table => Err(ChartError::NoFigure(data.to_owned()).into()),
            Seen::File => {
                Err(RoomError::NoTable { data: data.to_owned(), kind: found.kind().name() })
            }
            seen => Ok((seen, self.shown_label(&found).map(str::to_owned))),
        }
    }

    /// A portion of a file that a script left, as it is.
    ///
    /// # Errors
    /// There is no such file, or it is too large for a screen.
    pub fn portion_as_it_is(
        &self,
        data: &str,
        offset: u64,
        call: &Call,
    ) -> Result<(Portion, &'static str), RoomError> {
        let found = self.find(data, call)?;
        if found.kind() == Kind::Table {
            return Err(RoomError::NoFormat(data.to_owned()));
        }
        let name = found.label().unwrap_or("figure");
        let media_type = file::media_type(name).unwrap_or("application/octet-stream");
        let (mut bytes, mut total) = (Vec::new(), 0);
        for part in file::portions(&found.table)? {
            let part = part?;
            let begins = total;
            total += part.len() as u64;
            if total > FIGURE {
                let most = FIGURE >> 20;
                let why = format!("{data} has more than {most} MiB: export it");
                return Err(RoomError::Screen(why));
            }
            let skip = usize::try_from(offset.saturating_sub(begins)).unwrap_or(usize::MAX);
            bytes.extend(part.into_iter().skip(skip));
        }
        bytes.truncate(super::download::PORTION);
        let name = name.rsplit('/').next().unwrap_or(name);
        let name = name.chars().filter(|c| !c.is_control()).take(120).collect();
        Ok((Portion { name, file: String::new(), total, bytes }, media_type))
    }
}
