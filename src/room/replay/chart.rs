//! A chart's figure, computed again and held against the one that was kept, byte by byte.

use super::{Computed, Difference, Replayer, Verdict};
use crate::room::chart::ChartRequest;
use crate::room::{Found, RoomError};
use crate::store::ArtifactMeta;

impl Replayer<'_> {
    pub(super) fn compute_chart(
        &self,
        meta: &ArtifactMeta,
        request: &str,
        inputs: Vec<Found>,
        notes: Vec<String>,
    ) -> Result<Computed, RoomError> {
        let request: Option<ChartRequest> = serde_json::from_str(request).ok();
        let (Some(mut request), Some(found)) = (request, inputs.into_iter().next()) else {
            return Ok(super::impossible("its record cannot be read"));
        };
        // It was decided when the chart was made.
        request.may_be_sensitive = true;
        let verdict = match self.room.same_chart(meta, &found, &request, self.call) {
            Ok(true) => Verdict::Same,
            Ok(false) => Verdict::Differs(Difference { chart: true, ..Difference::default() }),
            Err(RoomError::Cancelled) => return Err(RoomError::Cancelled),
            Err(error) => Verdict::Failed(format!("the chart failed: {error}")),
        };
        Ok((verdict, notes))
    }
}
