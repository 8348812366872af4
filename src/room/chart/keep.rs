//! A chart as an artifact: its figure as JSON in the bytes of a file, its request as its
//! origin, its table as its input.

use serde::Deserialize as _;

use super::{Chart, ChartError, ChartRequest};
use crate::present::chart::figure::Figure;
use crate::room::query::versions;
use crate::room::{Found, Room, RoomError};
use crate::store::{Artifact, Draft, InputRecord, Kind, Origin, file};

/// Characters of a name.
const NAME: usize = 80;

impl Room {
    pub(super) fn keep_chart(
        &self,
        found: &Found,
        request: &ChartRequest,
        figure: &Figure,
        warnings: &[String],
    ) -> Result<Artifact, RoomError> {
        let broken = |error: serde_json::Error| ChartError::Empty(error.to_string());
        let bytes = serde_json::to_vec(figure).map_err(broken)?;
        let draft = Draft {
            owner: self.settings().owner.clone(),
            kind: Kind::Chart,
            name: Some(figure.title.chars().take(NAME).collect()),
            origin: Origin::Chart { request: serde_json::to_string(request).map_err(broken)? },
            inputs: vec![InputRecord {
                variable: "data".to_owned(),
                data: found.recorded(),
                content_hash: found.content_hash.clone(),
                file: None,
            }],
            versions: versions(),
            run: None,
            warnings: warnings.to_vec(),
            sensitive: crate::profile::SensitiveColumns::new(),
            cut: None,
            time_to_live: None,
        };
        let mut writer = self.store()?.create(draft, file::schema())?;
        for batch in file::batches(&bytes) {
            writer.write(&batch)?;
        }
        Ok(writer.finish()?)
    }
}

/// The bytes of a kept file.
pub(super) fn bytes(found: &Found) -> Result<Vec<u8>, RoomError> {
    let mut bytes = Vec::new();
    for portion in file::portions(&found.table)? {
        bytes.extend(portion?);
    }
    Ok(bytes)
}

/// Reads a kept chart; `None` if it is a picture that a script left.
pub(super) fn read(found: &Found) -> Result<Option<Chart>, RoomError> {
    let Some(Origin::Chart { request }) = found.meta.as_ref().map(|meta| &meta.origin) else {
        return Ok(None);
    };
    let bytes = bytes(found)?;
    let broken = |error: serde_json::Error| ChartError::Empty(error.to_string());
    let mut json = serde_json::Deserializer::from_slice(&bytes);
    let figure = Figure::deserialize(&mut json).map_err(broken)?;
    let request: ChartRequest = serde_json::from_str(request).map_err(broken)?;
    Ok(Some(Chart { request, figure }))
}
