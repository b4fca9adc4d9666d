//! The state of a GPU from its evidence and its memory.

use jiff::Timestamp;

use super::evidence::{Evidence, Indication};
use super::rules::GpuRules;
use super::since::{Since, since};
use super::track::{Spell, Track};
use crate::domain::{
    GpuAdvice, GpuAdviceKind as Advice, GpuModel, GpuReason as Reason, GpuSample, GpuSignal,
    GpuState, GpuVerdict, HOURS_PER_MONTH, HoursOfGpu, IdleStart, Observation, Rung, Witness,
    Workload,
};

/// Input of a verdict besides evidence and memory.
pub(super) struct Case<'a> {
    pub sample: &'a GpuSample,
    pub model: Option<&'a GpuModel>,
    pub workload: Workload,
    /// The closed hours, looked up where they are needed.
    pub hours: &'a dyn Fn() -> Option<HoursOfGpu<'a>>,
    /// The start of its idle spell that was seen earlier, looked up where it is needed.
    pub before: &'a dyn Fn() -> Option<&'a IdleStart>,
    pub launched: Option<Timestamp>,
    pub usd_per_hour: Option<f64>,
    pub rules: &'a GpuRules,
}

/// A ratio as whole percent.
fn percent(ratio: f32) -> u8 {
    (ratio.clamp(0.0, 1.0) * 100.0).round() as u8
}

/// Activity below which a kind of work counts as inefficient, 0–1.
pub(super) fn below(workload: Workload, rules: &GpuRules) -> f32 {
    match workload {
        Workload::Inference => rules.inefficient_below_inference,
        _ => rules.inefficient_below,
    }
}

struct Conclusion {
    state: GpuState,
    reason: Reason,
    advice: Option<Advice>,
    spell: Option<Spell>,
}

/// Concludes, and remembers the state.
pub(super) fn conclude(track: &mut Track, e: &Evidence, case: &Case<'_>) -> GpuVerdict {
    let c = state(track, e, case);
    track.state = Some(c.state);
    let since: Option<Since> = c.spell.filter(|_| c.state.is_idle()).map(|spell| {
        let (began, launched) = (track.quiet_began, case.launched);
        since(spell, began, (case.hours)(), launched, case.rules.idle_below).or_earlier(
            (case.before)(),
            case.sample.taken_at,
            launched,
        )
    });
    let samples = match (c.state, c.spell) {
        (_, Some(spell)) => spell.samples,
        (GpuState::Unknown, None) => track.low.map_or(0, |l| l.samples),
        _ => 1,
    };
    GpuVerdict {
        state: c.state,
        activity: e.activity,
        rung: e.rung,
        idle_since: since.map(|s| s.at),
        idle_since_at_least: since.is_some_and(|s| s.at_least),
        samples,
        witnesses: witnesses(e, case.rules),
        reason: c.reason,
        advice: c.advice.map(|kind| advise(kind, c.state, track, e, case)),
        workload: case.workload,
    }
}

fn state(track: &Track, e: &Evidence, case: &Case<'_>) -> Conclusion {
    let rules = case.rules;
    let told = |state, reason, advice| Conclusion { state, reason, advice, spell: None };
    if let Some(reason) = error(track, case.sample, false) {
        return told(GpuState::Unhealthy, reason, Some(Advice::Replace));
    }
    if let Some(spell) = track.idle(e.indication, rules) {
        let (state, reason, advice) = idle(e);
        return Conclusion { state, reason, advice: Some(advice), spell: Some(spell) };
    }
    match e.indication {
        Indication::Use => working(track, e, case),
        Indication::Idle | Indication::Low => quiet(track, e, case),
        Indication::Phantom => {
            let util = case.sample.signals.get(GpuSignal::Util).map_or(0, percent);
            told(GpuState::Unknown, Reason::Phantom(util), None)
        }
        Indication::Blind => match e.power {
            Some(watts) if e.rung == Rung::D => told(
                GpuState::Unknown,
                Reason::PowerOnly(watts.round() as u16),
                Some(Advice::Profile),
            ),
            _ => told(GpuState::Unknown, Reason::NoEvidence, Some(Advice::Profile)),
        },
    }
}

/// Reason why a GPU counts as broken; `None` for a GPU that works. `silent`: no sample has come since.
pub(super) fn error(track: &Track, sample: &GpuSample, silent: bool) -> Option<Reason> {
    let over = |signal| sample.signals.get(signal).filter(|v| *v >= 1.0);
    if let Some(code) = track.broken() {
        return Some(Reason::Xid { code, silent });
    }
    if over(GpuSignal::RemapFailure).is_some() {
        return Some(Reason::Remap);
    }
    over(GpuSignal::RecoveryAction).map(|code| Reason::Recovery(code as u16))
}

fn idle(e: &Evidence) -> (GpuState, Reason, Advice) {
    match e.held {
        Some(false) => (GpuState::UnallocatedIdle, Reason::Unallocated, Advice::UseOrStop),
        Some(true) if e.preallocated() => {
            let percent = e.mem_share.map_or(0, percent);
            (GpuState::HeldIdle, Reason::Preallocated { percent, idle: true }, Advice::Unload)
        }
        Some(true) => (GpuState::HeldIdle, Reason::HeldIdle, Advice::Release),
        // Nobody may be told to take away what somebody may hold.
        None => (GpuState::HeldIdle, Reason::PerhapsHeld, Advice::Release),
    }
}

/// Something works: how well?
fn working(track: &Track, e: &Evidence, case: &Case<'_>) -> Conclusion {
    let rules = case.rules;
    if let Some(seen) = e.elsewhere {
        let reason = Reason::Elsewhere(percent(seen));
        return Conclusion { state: GpuState::Busy, reason, advice: None, spell: None };
    }
    let long = |spell: Option<Spell>, needed: std::time::Duration| {
        spell.filter(|s| s.samples >= rules.min_samples && s.lasted() >= needed.as_millis() as i64)
    };
    if let Some(spell) = long(track.stall, rules.stalled_after) {
        let minutes = (spell.lasted() / 60_000).clamp(0, i64::from(u16::MAX)) as u16;
        return Conclusion {
            state: GpuState::Stalled,
            reason: Reason::Stalled(minutes),
            advice: Some(Advice::Unstick),
            spell: Some(spell),
        };
    }
    // Power alone says that something works, not how well.
    let wasteful = long(track.wasteful, rules.inefficient_after).filter(|_| e.rung <= Rung::C);
    if let Some(spell) = wasteful {
        let mig = case.model.is_some_and(|m| m.mig_slices.is_some())
            && case.sample.identity.mig.is_none();
        let advice = match case.workload {
            Workload::Training => Advice::Training,
            Workload::Inference => Advice::Inference { mig },
            Workload::Unknown => Advice::Fit { mig },
        };
        let mean = percent(track.mean);
        let reason = if e.preallocated() && mean < 10 {
            Reason::Preallocated { percent: e.mem_share.map_or(0, percent), idle: false }
        } else {
            Reason::Inefficient { mean, below: percent(below(case.workload, rules)) }
        };
        return Conclusion {
            state: GpuState::Inefficient,
            reason,
            advice: Some(advice),
            spell: Some(spell),
        };
    }
    let reason = match (e.main, e.other, e.power) {
        (Some((_, a)), Some((signal, b)), _) if b > a => Reason::Works(signal, percent(b)),
        (Some((signal, a)), ..) => Reason::Works(signal, percent(a)),
        (None, Some((signal, b)), _) => Reason::Works(signal, percent(b)),
        (None, None, Some(watts)) => Reason::WorksByPower(watts.round() as u16),
        _ => Reason::Nothing,
    };
    Conclusion { state: GpuState::Busy, reason, advice: None, spell: None }
}

/// Nothing works right now, and it is too early or the evidence too thin to call it idle.
fn quiet(track: &Track, e: &Evidence, case: &Case<'_>) -> Conclusion {
    let rules = case.rules;
    let told = |state, reason, advice| Conclusion { state, reason, advice, spell: None };
    let needed = rules.min_idle.as_millis() as i64;
    let seconds = |ms: i64| (ms / 1000).clamp(0, i64::from(u16::MAX)) as u16;
    if track.used_at.is_some_and(|u| track.at - u < needed) {
        return told(GpuState::Busy, Reason::QuietShortly(seconds(needed)), None);
    }
    let recent = case.sample.recent.filter(|r| r.max_activity >= rules.idle_below);
    let since_use = track.low.map_or(0, Spell::lasted);
    if let Some(recent) = recent.filter(|_| since_use < needed) {
        let minutes = (recent.seconds / 60).clamp(1, u32::from(u16::MAX)) as u16;
        let percent = percent(recent.max_activity);
        return told(GpuState::Busy, Reason::UsedLately { percent, minutes }, None);
    }
    if e.indication == Indication::Idle {
        let (lasted, samples) = track.quiet.map_or((0, 0), |q| (q.lasted(), q.samples));
        let reason = Reason::TooShort {
            seconds: seconds(lasted),
            needed: seconds(needed),
            samples: samples.min(u32::from(u16::MAX)) as u16,
        };
        return told(GpuState::Unknown, reason, None);
    }
    match (e.main, e.power, e.rest) {
        (Some((GpuSignal::NeuronCore, _)), ..) => told(GpuState::Unknown, Reason::CoresQuiet, None),
        (_, Some(watts), Some(rest)) => {
            let reason =
                Reason::PowerAgainst { watts: watts.round() as u16, rest: rest.round() as u16 };
            told(GpuState::Unknown, reason, None)
        }
        (_, Some(watts), None) => {
            told(GpuState::Unknown, Reason::NoFloor(watts.round() as u16), None)
        }
        _ => told(GpuState::Unknown, Reason::OneWitness, Some(Advice::MorePower)),
    }
}

fn witnesses(e: &Evidence, rules: &GpuRules) -> Vec<Witness> {
    let mut out = Vec::with_capacity(4);
    let mut add = |seen: Observation, for_idle: bool| out.push(Witness { seen, for_idle });
    for (signal, value) in e.main.into_iter().chain(e.other.filter(|o| o.1 >= rules.idle_below)) {
        add(Observation::Engine(signal, percent(value)), value < rules.idle_below);
    }
    if let Some(seen) = e.elsewhere {
        add(Observation::Elsewhere(percent(seen)), false);
    }
    let whole = |v: f32| v.round() as u16;
    match (e.power, e.rest, e.floor) {
        (Some(p), Some(rest), Some(floor)) => {
            let seen =
                Observation::Power { watts: whole(p), rest: whole(rest), floor: whole(floor) };
            add(seen, e.at_rest == Some(true));
        }
        (Some(p), ..) => add(Observation::PowerAlone(whole(p)), false),
        _ => add(Observation::NoPower, false),
    }
    if let Some(bit) = e.idle_bit {
        add(Observation::IdleBit(bit), bit);
    }
    if let Some(mem) = e.mem {
        // Whole hundreds: what matters is whether somebody holds it.
        let mib = if mem < 1000.0 { mem } else { (mem / 100.0).round() * 100.0 };
        let seen = Observation::Memory { mib: mib as u32, percent: e.mem_share.map(percent) };
        add(seen, e.held == Some(false));
    }
    out
}

fn advise(
    kind: Advice,
    state: GpuState,
    track: &Track,
    e: &Evidence,
    case: &Case<'_>,
) -> GpuAdvice {
    let share = match state {
        // What is not used, in steps of 5%, so that the advice does not change by the second.
        GpuState::Inefficient => {
            let used = if track.mean.is_nan() {
                e.activity.map_or(1.0, |a| a.effective)
            } else {
                track.mean
            };
            f64::from(((1.0 - used) * 20.0).floor() / 20.0)
        }
        _ => 1.0,
    };
    let usd = case.usd_per_hour.map(|usd| (usd * HOURS_PER_MONTH * share).round() as i64);
    GpuAdvice { kind, usd_per_month: usd }
}
