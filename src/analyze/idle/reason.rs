//! The verdict in one sentence.

use std::fmt::{self, Display as _};

use super::exempt::{EXEMPT_TAG, Exemption};
use super::judge::{JudgeInput, Subject};
use super::machine::Machine;
use super::policy::Policy;
use super::since::Start;
use super::survey::{Finding, What};
use super::words::{figure, indices, span};
use crate::domain::{SignalEvidence, VerdictKind};

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

/// Why this verdict, in one sentence (two where an exemption has expired).
pub(super) fn of(facts: &Facts<'_>) -> String {
    let text = match facts.kind {
        VerdictKind::Exempt => exempt(facts),
        VerdictKind::TooNew => too_new(facts),
        VerdictKind::Idle => idle(facts),
        VerdictKind::Partial => partial(facts),
        VerdictKind::Underused => underused(facts),
        VerdictKind::Busy => busy(facts),
        VerdictKind::Unknown => unknown(facts),
    };
    match facts.exemption {
        Exemption::Expired(day) => format!("{text} The exemption by tag ended with {day}."),
        _ => text,
    }
}

fn exempt(facts: &Facts<'_>) -> String {
    match facts.exemption {
        Exemption::Until(day) => format!("Exempt by tag {EXEMPT_TAG} until the end of {day} UTC."),
        Exemption::Malformed => format!(
            "Exempt, to be safe: the tag {EXEMPT_TAG} holds neither `true` nor a date like \
             2026-12-31; set one of them or remove the tag."
        ),
        _ => format!("Exempt by tag {EXEMPT_TAG}."),
    }
}

fn too_new(facts: &Facts<'_>) -> String {
    let input = facts.input;
    let minimum = span(input.frame.stretch);
    if input.age_hours < 0 {
        return format!(
            "Too new: its launch lies in the future, so a clock is wrong; {minimum} are needed."
        );
    }
    let age = span(input.age_hours.unsigned_abs() as usize);
    if input.too_young {
        return format!("Too new: {age} old, {minimum} of evidence are needed.");
    }
    let hours = input.frame.hours();
    let who = if input.age_hours as usize > input.frame.hours() + 1 {
        format!("Restarted: {age} old, but")
    } else {
        "Too new:".to_owned()
    };
    format!("{who} only {hours} whole hours since the last launch, {minimum} are needed.")
}

fn idle(facts: &Facts<'_>) -> String {
    let input = facts.input;
    let policy = facts.policy;
    let evidence = |what: What| input.survey.findings.iter().find(|f| f.what == what);
    let for_hours =
        facts.start.map_or_else(String::new, |start| format!(" for {}", lasted(facts, start)));
    if let Some(mean) = evidence(What::WindowMean) {
        return format!("Idle by the mean: {}.", held(&mean.evidence, "CPU averaged"));
    }
    if let Some(days) = evidence(What::LowDays) {
        let low = days.evidence.value.unwrap_or(0.0);
        let needed = days.evidence.threshold;
        return format!(
            "Idle by low days: {low:.0} of the last {} had low CPU and network, {needed:.0} \
             suffice.",
            input.frame.hours() / 24
        );
    }
    let highest = |wanted: &dyn Fn(&Finding) -> bool| {
        let all = input.survey.findings.iter().filter(|f| wanted(f));
        all.filter_map(|f| f.evidence.value).reduce(f64::max).unwrap_or(0.0)
    };
    match input.machine {
        Machine::Gpus(n) if policy.uses_gpu() => {
            let top = figure(highest(&|f| matches!(f.what, What::Gpu(_))), "%");
            let limit = figure(policy.gpu_percent, "%");
            let who =
                if n == 1 { "The GPU did".to_owned() } else { format!("None of {n} GPUs did") };
            let nothing = if n == 1 { "nothing" } else { "anything" };
            format!(
                "{who} {nothing}{for_hours}: no hour above {top} (limit {limit}), CPU and network \
                 quiet."
            )
        }
        _ => {
            let top = figure(highest(&|f| f.what == What::CpuMax), "%");
            let limit = evidence(What::CpuMax).map_or(0.0, |f| f.evidence.threshold);
            let limit = figure(limit, "%");
            format!("Nothing ran{for_hours}: CPU peaked at {top} (limit {limit}), the rest quiet.")
        }
    }
}

fn partial(facts: &Facts<'_>) -> String {
    let gpus = facts.input.survey.gpus().filter(|f| f.required && !f.evidence.busy);
    let which = indices(gpus.filter_map(|f| match f.what {
        What::Gpu(i) => Some(i),
        _ => None,
    }));
    format!(
        "{} of {} GPUs idle for {} (GPU {which}) while the others work.",
        facts.idle_gpus.unwrap_or(0),
        facts.input.machine.gpus(),
        facts.start.map_or_else(|| "–".to_owned(), |start| lasted(facts, start)),
    )
}

fn underused(facts: &Facts<'_>) -> String {
    let little = figure(facts.little.unwrap_or(0.0), "%");
    let limits = facts.policy.underused();
    if facts.input.machine == Machine::CpuOnly {
        let limit = figure(limits.map_or(0.0, |l| l.cpu_percent), "%");
        let why = decisive(facts).map_or_else(String::new, |f| format!(": {}", did(f)));
        format!("In use{why}, but no hour's mean CPU passed {little} (underused up to {limit}).")
    } else {
        let limit = figure(limits.map_or(0.0, |l| l.gpu_percent), "%");
        format!("In use, but working GPUs average only {little} (underused below {limit}).")
    }
}

fn busy(facts: &Facts<'_>) -> String {
    let input = facts.input;
    let Some(finding) = decisive(facts) else { return "In use.".into() };
    let did = did(finding);
    let Some(last) = finding.last_use.filter(|_| finding.what != What::WindowMean) else {
        return format!("In use: {did}.");
    };
    let quiet = input.frame.hours() - 1 - last.min(input.frame.hours() - 1);
    let aside = if facts.idle_gpus.is_some_and(|k| k == input.machine.gpus()) {
        "; no GPU worked"
    } else {
        ""
    };
    match finding.what {
        What::LowDays => format!("In use: {did}."),
        _ if quiet == 0 || input.frame.recent == 0 && quiet < 24 => {
            format!("In use: {did}{aside}.")
        }
        _ => format!(
            "Idle for only {}, minimum {}: {did}{aside}.",
            span(quiet),
            span(input.frame.stretch)
        ),
    }
}

/// The finding that tells most of a box in use: the latest use, GPUs first.
fn decisive<'a>(facts: &Facts<'a>) -> Option<&'a Finding> {
    let busy = facts.input.survey.findings.iter().filter(|f| f.evidence.busy);
    busy.reduce(|best, f| if f.last_use > best.last_use { f } else { best })
}

/// What a signal in use did.
fn did(finding: &Finding) -> impl fmt::Display {
    fmt::from_fn(move |f| {
        let e = &finding.evidence;
        if finding.malformed {
            f.write_str("a ")?;
            match finding.what {
                What::Gpu(i) => write!(f, "GPU {i}")?,
                What::CpuMax | What::CpuMean | What::BusyCores | What::WindowMean => {
                    f.write_str("CPU")?;
                }
                What::Network => f.write_str("network")?,
                What::Ebs => f.write_str("EBS")?,
                What::LowDays => f.write_str("CPU or network")?,
            }
            return f.write_str(
                " datapoint made no sense (NaN, infinite or negative), which counts as use",
            );
        }
        let verb = match finding.what {
            What::Gpu(i) => return write!(f, "GPU {i} {}", held(e, "reached")),
            What::CpuMean => "an hour's mean CPU was",
            What::BusyCores => "an hour's mean load was",
            What::CpuMax => "CPU peaked at",
            What::Network => "network moved within a day",
            What::Ebs => "EBS did",
            What::WindowMean => "CPU averaged",
            What::LowDays => {
                let low = e.value.unwrap_or(0.0);
                return write!(f, "only {low:.0} low days, {:.0} are needed", e.threshold);
            }
        };
        held(e, verb).fmt(f)
    })
}

fn held(e: &SignalEvidence, verb: &str) -> impl fmt::Display {
    fmt::from_fn(move |f| {
        write!(f, "{verb} ")?;
        match e.value {
            Some(v) => figure(v, &e.unit).fmt(f)?,
            None => f.write_str("–")?,
        }
        write!(f, " (limit {})", figure(e.threshold, &e.unit))
    })
}

fn unknown(facts: &Facts<'_>) -> String {
    let input = facts.input;
    let instance_type = &facts.subject.instance.instance_type;
    match input.machine {
        Machine::UnknownType => {
            return format!(
                "Unknown: nothing is known of the type {instance_type}, so neither is what should \
                 report; nothing seen speaks for use."
            );
        }
        Machine::Blind => {
            return format!(
                "Unknown: no telemetry source for the accelerators of {instance_type} yet; CPU and \
                 network do not speak for use."
            );
        }
        _ => {}
    }
    let lacking: Vec<&Finding> =
        input.survey.findings.iter().filter(|f| f.required && !(f.fetched && f.covered)).collect();
    let gpus = lacking.iter().filter(|f| matches!(f.what, What::Gpu(_))).count();
    let Some(worst) = lacking.iter().min_by(|a, b| a.coverage.total_cmp(&b.coverage)) else {
        return "Unknown: the evidence does not suffice.".into();
    };
    let hours = input.frame.hours();
    let got = |f: &Finding| (f.coverage * hours as f32).round();
    let silent = lacking.iter().all(|f| f.evidence.got == 0);
    if gpus > 0 {
        let n = input.machine.gpus();
        let unread = lacking.iter().any(|f| matches!(f.what, What::Gpu(_)) && !f.fetched);
        return if silent && gpus == n as usize && unread {
            "Unknown: the GPU metrics were not fetched, so nothing says that the GPUs are idle."
                .into()
        } else if silent && gpus == n as usize {
            "Unknown: no GPU telemetry; install the CloudWatch agent with nvidia_gpu.".into()
        } else {
            format!(
                "Unknown: {gpus} of {n} GPUs report too little, the worst in {:.0} of {hours} h; \
                 90 % are needed, in the last {} too.",
                got(worst),
                span(input.frame.stretch)
            )
        };
    }
    if let Some(f) = lacking.iter().find(|f| !f.fetched) {
        return format!(
            "Unknown: {} was not fetched, so nothing says it is quiet.",
            f.evidence.label
        );
    }
    if worst.what == What::LowDays {
        return "Unknown: too many days lack data to count the low ones.".into();
    }
    format!(
        "Unknown: {} reported in {:.0} of {hours} h; 90 % are needed, in the last {} too.",
        worst.evidence.label,
        got(worst),
        span(input.frame.stretch)
    )
}

/// How long it has idled, in words; idleness as old as the evidence may be older still.
fn lasted(facts: &Facts<'_>, start: Start) -> String {
    let hours = span(facts.subject.now.duration_since(start.at).as_hours().max(0) as usize);
    if start.at_least { format!("at least {hours}") } else { hours.to_string() }
}
