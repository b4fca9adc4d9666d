//! Judges an instance by the findings on its signals.

use std::sync::Arc;

use jiff::Timestamp;

use super::exempt::Exemption;
use super::gpu_mean::gpu_mean;
use super::machine::Machine;
use super::policy::{Policy, Test};
use super::reason;
use super::since::{Start, quiet_since};
use super::survey::{Finding, Frame, Survey};
use super::surveyor::survey;
use super::underused::underused;
use crate::domain::{
    Hour, HourRange, IdleStart, Instance, Measure, SeriesSet, Signal, SignalEvidence, TypeSpec,
    Unchecked, Verdict, VerdictKind, intern,
};

/// Instance to judge, with its facts and the time.
#[derive(Clone, Copy, Debug)]
pub struct Subject<'a> {
    /// The instance.
    pub instance: &'a Instance,
    /// Its type; `None` when it is not known.
    pub spec: Option<&'a TypeSpec>,
    /// What is known of it, hour by hour. Hours outside the policy's window do no harm: older
    /// ones tell since when an idle instance is idle.
    pub series: &'a SeriesSet,
    /// The present moment; the hour it lies in is not judged.
    pub now: Timestamp,
    /// How far back an earlier verdict of the same policy saw it idle: where the stretch goes on, it
    /// began then.
    pub before: Option<&'a IdleStart>,
}

/// A first look at a subject: everything that the verdict follows from.
pub(super) struct JudgeInput {
    pub machine: Machine,
    pub frame: Frame,
    pub survey: Survey,
    /// Hours since the oldest sign of life; negative when that lies in the future.
    pub age_hours: i64,
    /// True when the instance is younger than the minimum stretch.
    pub too_young: bool,
}

impl JudgeInput {
    /// Looks at `subject` under `policy`.
    pub fn new(subject: &Subject<'_>, policy: &Policy) -> Self {
        let machine = Machine::of(subject.spec);
        let window = HourRange::last_closed(subject.now, policy.window);
        let judged = window.since(Hour::at_or_after(subject.instance.launched_at));
        let frame = Frame::new(policy, machine, judged);
        let survey = survey(subject.series, subject.spec, policy, machine, frame);
        let age = subject.now.duration_since(born_at(subject, frame));
        Self {
            machine,
            frame,
            survey,
            age_hours: age.as_hours(),
            too_young: age.as_secs() < frame.stretch as i64 * 3600,
        }
    }

    /// GPUs idle for the minimum stretch; `None` where that cannot be told of every GPU.
    pub fn idle_gpus(&self) -> Option<u32> {
        let known = matches!(self.machine, Machine::Gpus(_))
            && !self.frame.is_short()
            && self.survey.gpus().all(|f| f.fetched && f.covered);
        known.then(|| self.survey.gpus().filter(|f| is_idle_gpu(f)).count() as u32)
    }
}

/// True for a finding on a GPU of the type that did nothing in the deciding hours.
fn is_idle_gpu(f: &Finding) -> bool {
    idle_gpu(f).is_some()
}

/// Index of the GPU when it is idle; `None` otherwise.
fn idle_gpu(f: &Finding) -> Option<u16> {
    match f.measure {
        Measure::Gpu(index) if f.required && !f.evidence.busy => Some(index),
        _ => None,
    }
}

/// The oldest of last launch, attachment of the root volume and first CPU datapoint. A launch
/// alone forgets a life before the last stop. CPU is the one signal that the hypervisor reports
/// of every running instance, without an agent.
fn born_at(subject: &Subject<'_>, frame: Frame) -> Timestamp {
    let born = subject.instance.born_at();
    // A datapoint can only make a difference where the instance would be too new without it.
    if subject.now.duration_since(born).as_secs() >= frame.stretch as i64 * 3600 {
        return born;
    }
    let first = subject.series.get(Signal::CpuMean).and_then(|s| {
        let i = s.values.iter().position(|v| !v.is_nan())?;
        Some(s.start.plus(i as i32).start())
    });
    first.map_or(born, |t| t.min(born))
}

/// Judges one instance. See the module's documentation for the rules.
pub fn judge(subject: &Subject<'_>, policy: &Policy) -> Verdict {
    let input = JudgeInput::new(subject, policy);
    let exemption = Exemption::of(&subject.instance.tags, subject.now);
    let idle_gpus = input.idle_gpus();
    let little = if input.survey.in_use() {
        underused(subject.series, policy, input.machine, input.frame, &input.survey)
    } else {
        None
    };
    let kind = kind(policy, &input, &exemption, idle_gpus, little.is_some());
    let start = match kind {
        VerdictKind::Idle => start(subject, policy, &input, &|f| f.required, None),
        VerdictKind::Partial => {
            let gpus: Vec<u16> = input.survey.gpus().filter_map(idle_gpu).collect();
            start(subject, policy, &input, &is_idle_gpu, Some(&gpus))
        }
        _ => None,
    };
    let idle_since = start.map(|s| s.at);
    let reason = reason::of(&reason::Facts {
        subject,
        policy,
        input: &input,
        exemption: &exemption,
        kind,
        idle_gpus,
        start,
        little,
    });
    let not_checked = not_checked(subject, policy, &input);
    // What an idle stretch is like is told by its own hours: the work before it is over.
    let gpu_percent = idle_since.map_or(input.survey.gpu_percent, |since| {
        gpu_mean(subject.series, input.frame.judged.since(Hour::containing(since)))
    });
    let JudgeInput { machine, survey, frame, .. } = input;
    let unknown = kind == VerdictKind::Unknown;
    let coverage = coverage(&survey, machine, frame, unknown);
    // What was not fetched is no evidence; it is shown where it is what was missing. Collected in
    // place, the list would keep the memory of the findings, which are larger.
    let mut signals: Vec<SignalEvidence> =
        survey.findings.into_iter().filter(|f| f.fetched || unknown).map(|f| f.evidence).collect();
    signals.shrink_to_fit();
    Verdict {
        kind,
        idle_since,
        idle_since_at_least: start.is_some_and(|s| s.at_least),
        idle_gpus: idle_gpus.filter(|_| !unknown),
        devices: subject.spec.map_or(0, TypeSpec::devices),
        coverage,
        gpu_percent: gpu_percent.map(|p| p as f32),
        cpu_percent: survey.cpu.and_then(|c| c.mean()).map(|p| p as f32),
        network_bytes_per_day: survey.network_per_day,
        network_out_bytes_per_day: survey.network_out_per_day,
        signals,
        not_checked,
        reason,
        likely: None,
    }
}

/// The order of verdicts.
fn kind(
    policy: &Policy,
    input: &JudgeInput,
    exemption: &Exemption,
    idle_gpus: Option<u32>,
    does_little: bool,
) -> VerdictKind {
    let survey = &input.survey;
    if exemption.holds() {
        VerdictKind::Exempt
    } else if input.too_young {
        VerdictKind::TooNew
    } else if survey.in_use() {
        let some_idle = idle_gpus.is_some_and(|k| k > 0);
        if policy.uses_gpu() && survey.gpu_works() && some_idle && survey.is_covered() {
            VerdictKind::Partial
        } else if does_little {
            VerdictKind::Underused
        } else {
            VerdictKind::Busy
        }
    } else if input.frame.is_short() {
        // An old instance, restarted: its evidence is too new.
        VerdictKind::TooNew
    } else if matches!(input.machine, Machine::Blind | Machine::UnknownType) || !survey.is_covered()
    {
        VerdictKind::Unknown
    } else {
        VerdictKind::Idle
    }
}

/// Since when all that `select` picks has been quiet; `gpus` are those, where others work.
fn start(
    subject: &Subject<'_>,
    policy: &Policy,
    input: &JudgeInput,
    select: &dyn Fn(&Finding) -> bool,
    gpus: Option<&[u16]>,
) -> Option<Start> {
    let found = quiet_since(subject, policy, input.machine, input.frame, &input.survey, select)?;
    Some(found.or_earlier(subject, input.frame, gpus))
}

/// The lowest coverage of what the policy needs. What was never fetched counts as 0 where the
/// verdict is unknown for want of it, and not at all where another signal decided.
fn coverage(survey: &Survey, machine: Machine, frame: Frame, unknown: bool) -> f32 {
    if unknown && matches!(machine, Machine::Blind) {
        return 0.0;
    }
    let all = survey.findings.iter().filter(|f| f.required && (f.fetched || unknown));
    let lowest = all.map(|f| f.coverage).fold(f32::INFINITY, f32::min);
    match lowest.is_finite() {
        true => lowest,
        false if frame.hours() == 0 => 1.0,
        false => 0.0,
    }
}

/// Signals that could matter and that the verdict does not rest on.
fn not_checked(subject: &Subject<'_>, policy: &Policy, input: &JudgeInput) -> Arc<[Unchecked]> {
    let mut out = Vec::with_capacity(6);
    out.push(Unchecked::Memory);
    if input.machine != Machine::CpuOnly {
        out.push(Unchecked::Efa);
    }
    match input.machine {
        Machine::Blind => out.push(Unchecked::Accelerators),
        Machine::Gpus(_) if !policy.uses_gpu() => out.push(Unchecked::GpusByPolicy),
        _ => {}
    }
    if subject.spec.is_some_and(|s| s.instance_store_gb > 0) {
        out.push(Unchecked::InstanceStore);
    }
    let limits = policy.limits(input.machine.has_gpu_limits());
    let sees_network = match &policy.test {
        Test::Hourly { .. } => limits.is_some_and(|l| l.network_per_day.is_some()),
        Test::LowDays { .. } => true,
        Test::WindowMean { .. } => false,
    };
    if !sees_network {
        out.push(Unchecked::NetworkByPolicy);
    }
    if limits.is_none_or(|l| l.ebs_ops_per_second.is_none()) {
        out.push(Unchecked::EbsByPolicy);
    } else if subject.spec.is_some_and(|s| !s.reports_ebs()) {
        let came = |signal: Signal| {
            let series = subject.series.get(signal);
            series.is_some_and(|series| series.values.iter().any(|value| !value.is_nan()))
        };
        let stands_in = came(Signal::EbsReadOps) || came(Signal::EbsWriteOps);
        out.push(if stands_in { Unchecked::EbsByVolumes } else { Unchecked::EbsUnreported });
    }
    let decided = input.too_young || input.survey.in_use();
    let peaks_missing = limits.is_some_and(|l| l.cpu_max_percent.is_some())
        && subject.series.get(Signal::CpuMax).is_none();
    if decided && (peaks_missing || input.survey.findings.iter().any(|f| !f.fetched)) {
        out.push(Unchecked::NotFetched);
    }
    intern::shared_list(&out)
}
