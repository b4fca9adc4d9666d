//! Verdicts where there is nothing to judge, and what a verdict says of the money.

use jiff::Timestamp;

use super::evidence::{Evidence, Indication};
use super::item::Item;
use super::track::Track;
use super::verdict::error;
use crate::domain::{
    GpuAdvice, GpuAdviceKind as Advice, GpuReason as Reason, GpuState, GpuVerdict, HOURS_PER_MONTH,
    Rung, Workload,
};

/// The verdict on a GPU without fresh news; one that was broken stays broken.
pub(super) fn stale(
    track: &mut Track,
    item: &Item,
    e: &Evidence,
    workload: Workload,
    now: Timestamp,
) -> GpuVerdict {
    let minutes = now.duration_since(item.sample.taken_at).as_secs().max(0) / 60;
    let was_broken = track.state == Some(GpuState::Unhealthy);
    let broken = was_broken.then(|| error(track, &item.sample, true)).flatten();
    let (state, reason, kind) = match broken {
        Some(reason) => (GpuState::Unhealthy, reason, Advice::Replace),
        None => (GpuState::Stale, Reason::Silent(minutes as u32), Advice::LookAtSource),
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
        reason,
        advice: Some(GpuAdvice { kind, usd_per_month: None }),
        workload,
    }
}

/// Verdict on the unallocated part of a sliced GPU: it costs money and does nothing that is reported.
pub(super) fn rest(share: f64, of: u32, usd: Option<f64>, workload: Workload) -> GpuVerdict {
    let usd = usd.map(|usd| (usd * HOURS_PER_MONTH).round() as i64);
    GpuVerdict {
        state: GpuState::Unknown,
        activity: None,
        rung: Rung::E,
        idle_since: None,
        idle_since_at_least: false,
        samples: 0,
        witnesses: Vec::new(),
        reason: Reason::Rest { slices: (share * f64::from(of)).round() as u8, of: of as u8 },
        advice: Some(GpuAdvice { kind: Advice::Partition, usd_per_month: usd }),
        workload,
    }
}

/// Dollars that buy nothing, USD/h: the whole rate of a GPU that is idle, hangs, or is broken and does nothing, 0 for
/// one that works. `None` without a price, and where its state does not say.
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
