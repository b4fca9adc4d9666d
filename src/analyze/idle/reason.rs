//! Why the verdict is what it is.

use super::exempt::Exemption;
use super::judge::{JudgeInput, Subject};
use super::machine::Machine;
use super::policy::Policy;
use super::since::Start;
use super::survey::Finding;
use crate::domain::{
    ExemptBy, InstanceReason as R, Lasted, Measure, MeasuredUse, Reason, VerdictKind, Why,
};

/// What a reason is made of.
pub(super) struct Facts<'a> {
    pub subject: &'a Subject<'a>,
    pub policy: &'a Policy,
    pub input: &'a JudgeInput,
    pub exemption: &'a Exemption,
    pub kind: VerdictKind,
    pub idle_gpus: Option<u32>,
    pub start: Option<Start>,
    /// How little an underused box does, percent.
    pub little: Option<f64>,
}

/// Why this verdict.
pub(super) fn of(facts: &Facts<'_>) -> Reason {
    let why = match facts.kind {
        VerdictKind::Exempt => Why::Exempt(facts.exemption.by().unwrap_or(ExemptBy::Always)),
        VerdictKind::TooNew => too_new(facts.input).into(),
        VerdictKind::Idle => idle(facts).into(),
        VerdictKind::Partial => partial(facts).into(),
        VerdictKind::Underused => underused(facts).into(),
        VerdictKind::Busy => busy(facts).into(),
        VerdictKind::Unknown => unknown(facts).into(),
    };
    Reason { why, exemption_ended: facts.exemption.ended() }
}

fn too_new(input: &JudgeInput) -> R {
    let (age_hours, needed) = (input.age_hours, input.frame.stretch as u32);
    if age_hours < 0 || input.too_young {
        return R::TooNew { age_hours, needed };
    }
    R::FewHours { age_hours, hours: input.frame.hours() as u32, needed }
}

fn idle(facts: &Facts<'_>) -> R {
    let (input, policy, lasted) = (facts.input, facts.policy, lasted(facts));
    let evidence = |of: Measure| input.survey.findings.iter().find(|f| f.measure == of);
    if let Some(mean) = evidence(Measure::WindowMean) {
        return R::LowMean { cpu: mean.evidence.value, limit: mean.evidence.threshold };
    }
    if let Some(days) = evidence(Measure::LowDays) {
        return R::LowDays {
            low: days.evidence.value.unwrap_or(0.0) as u32,
            of: (input.frame.hours() / 24) as u32,
            needed: days.evidence.threshold as u32,
        };
    }
    let top = |wanted: &dyn Fn(&Finding) -> bool| {
        let all = input.survey.findings.iter().filter(|f| wanted(f));
        all.filter_map(|f| f.evidence.value).reduce(f64::max).unwrap_or(0.0)
    };
    match input.machine {
        Machine::Gpus(gpus) if policy.uses_gpu() => {
            let top = top(&|f| matches!(f.measure, Measure::Gpu(_)));
            R::GpusQuiet { gpus, lasted, top, limit: policy.gpu_percent }
        }
        _ => R::HostQuiet {
            lasted,
            top: top(&|f| f.measure == Measure::CpuMax),
            limit: evidence(Measure::CpuMax).map_or(0.0, |f| f.evidence.threshold),
        },
    }
}

fn partial(facts: &Facts<'_>) -> R {
    let gpus = facts.input.survey.gpus().filter(|f| f.required && !f.evidence.busy);
    let which = gpus.filter_map(|f| match f.measure {
        Measure::Gpu(index) => Some(index),
        _ => None,
    });
    R::SomeGpus {
        idle: facts.idle_gpus.unwrap_or(0),
        of: facts.input.machine.gpus(),
        which: which.collect(),
        lasted: lasted(facts),
    }
}

fn underused(facts: &Facts<'_>) -> R {
    let little = facts.little.unwrap_or(0.0);
    let limits = facts.policy.underused();
    if facts.input.machine == Machine::CpuOnly {
        let limit = limits.map_or(0.0, |l| l.cpu_percent);
        R::LittleCpu { by: decisive(facts).map(used), cpu: little, limit }
    } else {
        R::LittleGpu { gpu: little, limit: limits.map_or(0.0, |l| l.gpu_percent) }
    }
}

fn busy(facts: &Facts<'_>) -> R {
    let input = facts.input;
    let Some(finding) = decisive(facts) else {
        return R::InUse { by: None, is_without_gpus: false };
    };
    let by = used(finding);
    // These speak of the window as a whole, not of an hour in it.
    let is_of_window = matches!(finding.measure, Measure::WindowMean | Measure::LowDays);
    let Some(last) = finding.last_use.filter(|_| !is_of_window) else {
        return R::InUse { by: Some(by), is_without_gpus: false };
    };
    let quiet = input.frame.hours() - 1 - last.min(input.frame.hours() - 1);
    let is_without_gpus = facts.idle_gpus.is_some_and(|k| k == input.machine.gpus());
    if quiet == 0 || input.frame.recent == 0 && quiet < 24 {
        return R::InUse { by: Some(by), is_without_gpus };
    }
    R::QuietShortly { hours: quiet as u32, needed: input.frame.stretch as u32, by, is_without_gpus }
}

/// The finding that tells most of a box in use: the latest use, GPUs first.
fn decisive<'a>(facts: &Facts<'a>) -> Option<&'a Finding> {
    let busy = facts.input.survey.findings.iter().filter(|f| f.evidence.busy);
    busy.reduce(|best, f| if f.last_use > best.last_use { f } else { best })
}

/// What a signal in use did.
fn used(finding: &Finding) -> MeasuredUse {
    MeasuredUse {
        measure: finding.measure,
        value: finding.evidence.value,
        limit: finding.evidence.threshold,
        is_malformed: finding.malformed,
    }
}

fn unknown(facts: &Facts<'_>) -> R {
    let input = facts.input;
    let instance_type = &facts.subject.instance.instance_type;
    match input.machine {
        Machine::UnknownType => return R::UnknownType(instance_type.clone()),
        Machine::Blind => return R::BlindType(instance_type.clone()),
        _ => {}
    }
    let is_gpu = |f: &Finding| matches!(f.measure, Measure::Gpu(_));
    let lacking: Vec<&Finding> =
        input.survey.findings.iter().filter(|f| f.required && !(f.fetched && f.covered)).collect();
    let gpus = lacking.iter().filter(|f| is_gpu(f)).count();
    let Some(worst) = lacking.iter().min_by(|a, b| a.coverage.total_cmp(&b.coverage)) else {
        return R::Insufficient;
    };
    let (hours, needed) = (input.frame.hours() as u32, input.frame.stretch as u32);
    let got = (worst.coverage * hours as f32).round() as u32;
    if gpus > 0 {
        let of = input.machine.gpus();
        let silent = gpus == of as usize && lacking.iter().all(|f| f.evidence.got == 0);
        return match (silent, lacking.iter().any(|f| is_gpu(f) && !f.fetched)) {
            (true, true) => R::GpusNotFetched,
            (true, false) => R::GpusSilent,
            _ => R::GpusTooLittle { gpus: gpus as u32, of, got, hours, needed },
        };
    }
    if let Some(f) = lacking.iter().find(|f| !f.fetched) {
        return R::NotFetched(f.measure);
    }
    match worst.measure {
        Measure::LowDays => R::DaysLack,
        measure => R::TooLittle { measure, got, hours, needed },
    }
}

/// How long it has idled; `None` where that is not known.
fn lasted(facts: &Facts<'_>) -> Option<Lasted> {
    let start = facts.start?;
    let hours = facts.subject.now.duration_since(start.at).as_hours().max(0) as u32;
    Some(Lasted { hours, at_least: start.at_least })
}
