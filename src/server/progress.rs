//! Tells a client that asked for it how far its call is.
//!
//! A tool leaves its stage in the [`Call`]; this looks at it a few times a second
//! and sends what changed, and something every two seconds in any case, because
//! clients take silence for a hang. The protocol wants each value above the last:
//! stages that cannot be counted tell the seconds that have passed, and one that is silent,
//! or begins where another has counted further, a hair more than was told last.

use std::time::{Duration, Instant};

use rmcp::RoleServer;
use rmcp::model::{ProgressNotificationParam, ProgressToken};
use rmcp::service::{Peer, RequestContext};

use crate::room::{Call, Stage};

const LOOK: Duration = Duration::from_millis(250);
const SILENCE: Duration = Duration::from_secs(2);
const HAIR: f64 = 0.001;

/// See the module.
pub(super) struct Progress {
    client: Option<(Peer<RoleServer>, ProgressToken)>,
    began: Instant,
    told: Instant,
    stage: Stage,
    last: f64,
}

impl Progress {
    pub(super) fn of(context: &RequestContext<RoleServer>) -> Self {
        let token = context.meta.get_progress_token();
        Self {
            client: token.map(|token| (context.peer.clone(), token)),
            began: Instant::now(),
            told: Instant::now(),
            stage: Stage::default(),
            last: 0.0,
        }
    }

    pub(super) fn is_wanted(&self) -> bool {
        self.client.is_some()
    }

    /// Waits a little, then tells what there is to tell. May be dropped at any time.
    pub(super) async fn tell(&mut self, call: &Call) {
        tokio::time::sleep(LOOK).await;
        let Some((peer, token)) = &self.client else {
            return;
        };
        let stage = call.stage();
        if stage.message.is_empty() || (stage == self.stage && self.told.elapsed() < SILENCE) {
            return;
        }
        let is_silent = self.told.elapsed() >= SILENCE;
        let Some((value, total)) = next(&stage, self.began.elapsed(), self.last, is_silent) else {
            return;
        };
        let mut note = ProgressNotificationParam::new(token.clone(), value)
            .with_message(stage.message.clone());
        if let Some(total) = total {
            note = note.with_total(total);
        }
        (self.stage, self.told, self.last) = (stage, Instant::now(), value);
        // A client that is gone has no use for it.
        let _ = peer.notify_progress(note).await;
    }
}

/// The value and total of a stage, if the value is above the last or it is time for any.
#[allow(clippy::cast_precision_loss, reason = "a progress bar does not need 53 bits")]
fn next(
    stage: &Stage,
    elapsed: Duration,
    last: f64,
    is_silent: bool,
) -> Option<(f64, Option<f64>)> {
    let (value, total) = match (stage.done, stage.total) {
        (Some(done), total) => (done as f64, total.map(|total| total as f64)),
        (None, _) => ((elapsed.as_secs_f64() * 10.0).round() / 10.0, None),
    };
    let value = if is_silent { value.max(last + HAIR) } else { value };
    (value > last).then_some((value, total))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_only_grow() {
        let seconds = Stage { message: "reading".into(), ..Stage::default() };
        let soon = |stage: &Stage, elapsed, last| next(stage, elapsed, last, false);
        assert_eq!(soon(&seconds, Duration::from_millis(1_240), 0.0), Some((1.2, None)));
        assert_eq!(soon(&seconds, Duration::from_millis(1_240), 1.2), None);
        let rows = Stage { message: "rows".into(), done: Some(65_536), total: Some(100_000) };
        assert_eq!(soon(&rows, Duration::ZERO, 1.2), Some((65_536.0, Some(100_000.0))));
        assert_eq!(soon(&rows, Duration::ZERO, 65_536.0), None);
    }

    #[test]
    fn a_stage_behind_a_count_is_no_silence() {
        let packing = Stage { message: "packing".into(), ..Stage::default() };
        let elapsed = Duration::from_secs(3);
        assert_eq!(next(&packing, elapsed, 100_000.0, true), Some((100_000.001, None)));
        assert_eq!(next(&packing, elapsed, 1.0, true), Some((3.0, None)));
    }
}
