//! A dataset or an artifact as a file for the person.
//!
//! A model cannot have a file replaced: it may act on words that it read in the data, and
//! what stands in the folder is the person's. Only who calls from a shell says `overwrite`.

use std::path::PathBuf;

use cap_std::fs::Dir;

use super::report::ReportItem;
use super::{Call, Found, Names, PictureFormat, Room, RoomError, home};
use crate::present::export::{
    CsvOptions, Format, Target, Wanted, export, export_file, export_page,
};
use crate::profile::{UnitFound, describe};
use crate::store::Kind;

/// What is asked of an export.
#[derive(Debug, Clone, Default)]
pub struct ExportRequest {
    /// A dataset's name or a dataRef.
    pub data: String,
    /// The file's format; none for a file or a chart, which is written as it is.
    pub format: Option<Format>,
    /// The file's name without its ending; the data's name if none.
    pub name: Option<String>,
    /// How a CSV is written.
    pub csv: CsvOptions,
    /// Whether a file of that name is replaced.
    pub overwrite: bool,
    /// What a report shows; the table `data` if none.
    pub items: Option<Vec<ReportItem>>,
}

/// A file that was written for the person.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExportedFile {
    /// Where it is.
    pub file: PathBuf,
    /// Its rows, if it is a table.
    pub rows: Option<u64>,
    /// Its bytes.
    pub bytes: u64,
    /// The BLAKE3 hash of its bytes.
    pub blake3: String,
    /// What the format could not keep.
    pub notes: Vec<String>,
}

impl Room {
    /// Writes a dataset or an artifact to a file for the person: a table in a format, a
    /// file or a chart as it is.
    ///
    /// # Errors
    /// There is no such data, it is not complete, the format does not fit it, or the file
    /// cannot be written.
    pub fn export(&self, request: &ExportRequest, call: &Call) -> Result<ExportedFile, RoomError> {
        if request.format == Some(Format::Report) {
            return self.report(request, call);
        }
        if request.items.is_some() {
            return Err(RoomError::BadItem("`items` go with format report".to_owned()));
        }
        let _place = self.0.scans.enter(call)?;
        let found = self.find(&request.data, call)?;
        if Self::is_drawn(&found) {
            match request.format {
                None | Some(Format::Svg) => {
                    return self.export_drawing(&found, PictureFormat::Svg, request, call);
                }
                Some(Format::Png) => {
                    return self.export_drawing(&found, PictureFormat::Png, request, call);
                }
                Some(_) => {}
            }
        }
        let wanted = wanted(&found, request)?;
        let (folder, dir) = self.exports()?;
        let ending =
            found.label().and_then(|label| label.rsplit_once('.')).map(|(_, ending)| ending);
        let target = Target {
            folder: &dir,
            name: request.name.as_deref().or(self.shown_label(&found)),
            bytes: self.0.settings.export_bytes,
            overwrite: request.overwrite,
        };
        let stop = || call.is_cancelled();
        let written = match wanted {
            Some(wanted) => {
                let units = self.units_for(wanted.format, &found, call);
                let rows = found.table.rows();
                export((&found.table, &units), wanted, target, &stop, &mut |done| {
                    call.count("writing rows", done, rows);
                    if done == rows && wanted.format == Format::Xlsx {
                        call.enter("packing the workbook");
                    }
                })
            }
            None => export_file(&found.table, ending, target, &stop),
        };
        let written = call.unless_cancelled(written)?;
        Ok(ExportedFile {
            file: folder.join(written.file),
            rows: wanted.map(|_| written.rows),
            bytes: written.bytes,
            blake3: written.blake3,
            notes: found.notes.into_iter().chain(written.notes).collect(),
        })
    }

    /// A chart of this room's own as a picture.
    fn export_drawing(
        &self,
        found: &Found,
        format: PictureFormat,
        request: &ExportRequest,
        call: &Call,
    ) -> Result<ExportedFile, RoomError> {
        let picture = self.picture(&found.data, None, format, call)?;
        let (folder, dir) = self.exports()?;
        let target = Target {
            folder: &dir,
            name: request.name.as_deref().or(self.shown_label(found)),
            bytes: self.0.settings.export_bytes,
            overwrite: request.overwrite,
        };
        let written = export_page(&picture, format.ending(), target, &|| call.is_cancelled());
        let written = call.unless_cancelled(written)?;
        Ok(ExportedFile {
            file: folder.join(written.file),
            rows: None,
            bytes: written.bytes,
            blake3: written.blake3,
            notes: written.notes,
        })
    }

    /// The folder that exports go to.
    pub(super) fn exports(&self) -> Result<(PathBuf, Dir), RoomError> {
        match &self.0.settings.exports {
            Some(path) => home::export_folder(path),
            None => {
                let home = self.home()?;
                Ok((home.path().join("exports"), home.folder("exports")?))
            }
        }
    }

    /// A label that may be a file's name, which is shown: that of an output can be made
    /// from a value.
    pub(super) fn shown_label<'f>(&self, found: &'f Found) -> Option<&'f str> {
        found.label().filter(|label| {
            found.meta.as_ref().is_none_or(|meta| Names::of_origin(self, meta).may_show(label))
        })
    }

    /// The one unit of each column, where it has one, for the formats that people read.
    /// What cannot be described is exported without.
    pub(super) fn units_for(
        &self,
        format: Format,
        found: &Found,
        call: &Call,
    ) -> Vec<Option<String>> {
        if !matches!(format, Format::Xlsx | Format::Markdown | Format::Html) {
            return Vec::new();
        }
        call.enter("looking for units");
        let kept = self.profiles().ok().map(|kept| (kept, found.content_hash.as_str()));
        let profile = describe(&found.table, None, kept, &|| call.is_cancelled());
        let columns = profile.map(|profile| profile.columns).unwrap_or_default();
        columns.into_iter().map(|column| column.unit.as_ref().and_then(the_one)).collect()
    }
}

fn the_one(found: &UnitFound) -> Option<String> {
    match found.units.as_slice() {
        [(unit, _)] if unit != "?" && unit != "money" => Some(unit.clone()),
        _ => None,
    }
}

/// How the table is written; `None` for what is no table.
fn wanted(found: &Found, request: &ExportRequest) -> Result<Option<Wanted>, RoomError> {
    let data = || request.data.clone();
    let kind = found.kind().name();
    if let Some(why) = found.meta.as_ref().and_then(|meta| meta.cut.clone()) {
        return Err(RoomError::Incomplete { data: data(), why });
    }
    match (found.kind(), request.format) {
        (Kind::Table, None) => Err(RoomError::NoFormat(data())),
        (Kind::Table, Some(format)) => Ok(Some(Wanted { format, csv: request.csv }.check()?)),
        (_, None) => Ok(None),
        (_, Some(_)) => Err(RoomError::NoConversion { data: data(), kind }),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::sync::Arc;

    use arrow::array::{ArrayRef, Int64Array};
    use arrow::record_batch::RecordBatch;

    use super::*;
    use crate::room::RoomSettings;
    use crate::runtime::Cache;
    use crate::store::{Draft, Origin};

    #[test]
    fn what_was_cut_is_not_exported_as_if_whole() {
        let folder = tempfile::tempdir().unwrap();
        let cache = Cache::locate(Some(folder.path().join("no-cache"))).unwrap();
        let room = Room::new(RoomSettings::new(folder.path().join("home"), cache));
        let rows: ArrayRef = Arc::new(Int64Array::from(vec![1, 2]));
        let batch = RecordBatch::try_from_iter([("n", rows)]).unwrap();
        let kept = |cut: Option<&str>| {
            let draft = Draft {
                owner: room.settings().owner.clone(),
                kind: Kind::Table,
                name: None,
                origin: Origin::Import { source: "orders".into() },
                inputs: Vec::new(),
                versions: BTreeMap::new(),
                run: None,
                warnings: Vec::new(),
                sensitive: crate::profile::SensitiveColumns::new(),
                cut: cut.map(str::to_owned),
                time_to_live: None,
            };
            let mut writer = room.store().unwrap().create(draft, batch.schema()).unwrap();
            writer.write(&batch).unwrap();
            let data = writer.finish().unwrap().meta.reference.to_string();
            ExportRequest { data, format: Some(Format::Csv), ..ExportRequest::default() }
        };
        let request = kept(Some("it ended at its limit of 2 rows"));
        let error = room.export(&request, &Call::new()).unwrap_err().to_string();
        assert_eq!(
            error,
            format!(
                "{} is not complete (it ended at its limit of 2 rows), and an export is whole: get \
                 all of its rows, or say with a query which of them are wanted, and export that",
                request.data
            )
        );
        assert!(!folder.path().join("home/exports").exists());
        assert_eq!(room.export(&kept(None), &Call::new()).unwrap().rows, Some(2));
    }
}
