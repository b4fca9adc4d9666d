//! Verdicts where there is nothing to judge, and what a verdict says of the money.

use jiff::Timestamp;

use super::evidence::{Evidence, Indication};
use super::item::Item;
use super::track::Track;
use super::verdict::error;
use super::words::{Advice, Say, Words};
use crate::domain::{GpuState, GpuVerdict, HOURS_PER_MONTH, Rung, Workload};

/// The verdict on a GPU without fresh news; one that was broken stays broken.
pub(super) fn stale(
    track: &mut Track,
    item: &Item,
    e: &Evidence,
    workload: Workload,
    now: Timestamp,
    words: &mut Words,
) -> GpuVerdict {
    let minutes = now.duration_since(item.sample.taken_at).as_secs().max(0) / 60;
    let was_broken = track.state == Some(GpuState::Unhealthy);
    let broken = was_broken.then(|| error(track, &item.sample, true)).flatten();
    let (state, reason, advice) = match broken {
        Some(say) => (GpuState::Unhealthy, say, Advice::Replace),
        None => (GpuState::Stale, Say::Silent(minutes as u32), Advice::LookAtSource),
    };
    if broken.is_none() {
        track.state = Some(state);
    }
    GpuVerdict {
        state,
        // What it did then is in the sample; what it does now nobody knows.
        activity: None,
        rung: e.rung,
        idle_since: None,
        idle_since_at_least: false,
        samples: 0,
        witnesses: Vec::new(),
        reason: words.get(reason),
        advice: words.get(Say::Advise(advice, None)),
        workload,
    }
}

/// The verdict on what is left of a sliced GPU: it burns money, and nobody says what it does.
pub(super) fn rest(
    share: f64,
    usd: Option<f64>,
    workload: Workload,
    words: &mut Words,
) -> GpuVerdict {
    let usd = usd.map(|usd| (usd * HOURS_PER_MONTH).round() as i64);
    GpuVerdict {
        state: GpuState::Unknown,
        activity: None,
        rung: Rung::E,
        idle_since: None,
        idle_since_at_least: false,
        samples: 0,
        witnesses: Vec::new(),
        reason: words.get(Say::Rest((share * 7.0).round() as u8)),
        advice: words.get(Say::Advise(Advice::Partition, usd)),
        workload,
    }
}

/// What buys nothing, USD/h: all of a GPU that is idle, hangs, or is broken and does nothing.
pub(super) fn waste(verdict: &GpuVerdict, e: &Evidence, usd: Option<f64>) -> Option<f64> {
    match verdict.state {
        GpuState::HeldIdle | GpuState::UnallocatedIdle | GpuState::Stalled => usd,
        GpuState::Busy | GpuState::Inefficient => usd.map(|_| 0.0),
        GpuState::Unhealthy => match e.indication {
            Indication::Use => usd.map(|_| 0.0),
            Indication::Idle | Indication::Low => usd,
            _ => None,
        },
        GpuState::Unknown | GpuState::Stale => None,
    }
}
