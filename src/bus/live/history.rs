//! The past of one GPU, from whoever remembers it.

use std::time::Duration;

use jiff::SignedDuration;

use super::super::Shared;
use crate::domain::{GpuHistory, GpuKey};

/// How far back a page looks.
const SPAN: SignedDuration = SignedDuration::from_hours(24);
/// Values per trace: more than a graph has columns.
const POINTS: u32 = 288;
/// The longest a source may take; the page waits with what it has.
const LIMIT: Duration = Duration::from_secs(20);

/// The last day of `key`: of the first source that has a memory and knows it.
pub(in crate::bus) async fn history(shared: &Shared, key: &GpuKey) -> GpuHistory {
    if !shared.settings.offline {
        let to = shared.now();
        let from = to.saturating_sub(SPAN).unwrap_or(to);
        for source in &shared.live.sources {
            let asked = tokio::time::timeout(LIMIT, source.history(key, from, to, POINTS)).await;
            match asked {
                Ok(Some(Ok(history))) if !history.traces.is_empty() => return history,
                Ok(Some(Err(error))) => {
                    tracing::info!(source = source.source().word(), %error, "no history");
                }
                _ => {}
            }
        }
    }
    shared.live.track(key).await
}
