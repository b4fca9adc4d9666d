//! What decided the verdict on an instance.

use std::fmt::{self, Display as _};

use super::words::{figure, indices, span};
use crate::domain::{InstanceReason as R, Lasted, Measure, MeasuredUse};

/// One sentence: what decided the verdict on an instance.
pub(super) fn instance(reason: &R) -> String {
    match reason {
        R::TooNew { age_hours: ..0, needed } => format!(
            "Too new: its launch lies in the future, so a clock is wrong; {} are needed.",
            span(*needed)
        ),
        R::TooNew { age_hours, needed } => {
            format!("Too new: {} old, {} of evidence are needed.", age(*age_hours), span(*needed))
        }
        R::FewHours { age_hours, hours, needed } => {
            let who = if *age_hours > i64::from(*hours) + 1 {
                format!("Restarted: {} old, but", age(*age_hours))
            } else {
                "Too new:".to_owned()
            };
            let needed = span(*needed);
            format!("{who} only {hours} whole hours since the last launch, {needed} are needed.")
        }
        R::LowMean { cpu, limit } => {
            format!("Idle by the mean: {}.", held("CPU averaged", *cpu, *limit, "%"))
        }
        R::LowDays { low, of, needed } => format!(
            "Idle by low days: {low} of the last {of} had low CPU and network, {needed} suffice."
        ),
        R::GpusQuiet { gpus, lasted, top, limit } => {
            let who = match gpus {
                1 => "The GPU did nothing".to_owned(),
                gpus => format!("None of {gpus} GPUs did anything"),
            };
            format!(
                "{who}{}: no hour above {} (limit {}), CPU and network quiet.",
                lasting(*lasted),
                figure(*top, "%"),
                figure(*limit, "%")
            )
        }
        R::HostQuiet { lasted, top, limit } => format!(
            "Nothing ran{}: CPU peaked at {} (limit {}), the rest quiet.",
            lasting(*lasted),
            figure(*top, "%"),
            figure(*limit, "%")
        ),
        R::SomeGpus { idle, of, which, lasted: how_long } => format!(
            "{idle} of {of} GPUs idle for {} (GPU {}) while the others work.",
            how_long.map_or_else(|| "–".to_owned(), lasted),
            indices(which.iter().copied())
        ),
        R::LittleCpu { by, cpu, limit } => {
            let why = by.as_ref().map_or_else(String::new, |by| format!(": {}", did(by)));
            format!(
                "In use{why}, but no hour's mean CPU passed {} (underused up to {}).",
                figure(*cpu, "%"),
                figure(*limit, "%")
            )
        }
        R::LittleGpu { gpu, limit } => format!(
            "In use, but working GPUs average only {} (underused below {}).",
            figure(*gpu, "%"),
            figure(*limit, "%")
        ),
        R::InUse { by: None, .. } => "In use.".to_owned(),
        R::InUse { by: Some(by), is_without_gpus } => {
            format!("In use: {}{}.", did(by), aside(*is_without_gpus))
        }
        R::QuietShortly { hours, needed, by, is_without_gpus } => format!(
            "Idle for only {}, minimum {}: {}{}.",
            span(*hours),
            span(*needed),
            did(by),
            aside(*is_without_gpus)
        ),
        R::UnknownType(name) => format!(
            "Unknown: nothing is known of the type {name}, so neither is what should report; \
             nothing seen speaks for use."
        ),
        R::BlindType(name) => format!(
            "Unknown: no telemetry source for the accelerators of {name} yet; CPU and network do \
             not speak for use."
        ),
        R::GpusNotFetched => {
            "Unknown: the GPU metrics were not fetched, so nothing says that the GPUs are idle."
                .to_owned()
        }
        R::GpusSilent => {
            "Unknown: no GPU telemetry; install the CloudWatch agent with nvidia_gpu.".to_owned()
        }
        R::GpusTooLittle { gpus, of, got, hours, needed } => format!(
            "Unknown: {gpus} of {of} GPUs report too little, the worst in {got} of {hours} h; 90% \
             are needed, in the last {} too.",
            span(*needed)
        ),
        R::NotFetched(measure) => not_fetched(&measure.label()),
        R::DaysLack => "Unknown: too many days lack data to count the low ones.".to_owned(),
        R::TooLittle { measure, got, hours, needed } => {
            too_little(&measure.label(), *got, *hours, *needed)
        }
        R::Insufficient => INSUFFICIENT.to_owned(),
    }
}

/// Nothing more is to be said of what lacks.
pub(super) const INSUFFICIENT: &str = "Unknown: the evidence does not suffice.";

/// What was not fetched.
pub(super) fn not_fetched(label: &str) -> String {
    format!("Unknown: {label} was not fetched, so nothing says it is quiet.")
}

/// What reported in too few hours.
pub(super) fn too_little(label: &str, got: u32, hours: u32, needed: u32) -> String {
    format!(
        "Unknown: {label} reported in {got} of {hours} h; 90% are needed, in the last {} too.",
        span(needed)
    )
}

/// ` for at least 7 d`; empty where that is not known.
pub(super) fn lasting(how_long: Option<Lasted>) -> String {
    how_long.map_or_else(String::new, |how_long| format!(" for {}", lasted(how_long)))
}

/// Idleness as old as the evidence may be older still.
fn lasted(how_long: Lasted) -> String {
    let at_least = if how_long.at_least { "at least " } else { "" };
    format!("{at_least}{}", span(how_long.hours))
}

fn age(hours: i64) -> impl fmt::Display {
    span(u32::try_from(hours).unwrap_or(u32::MAX))
}

fn aside(is_without_gpus: bool) -> &'static str {
    if is_without_gpus { "; no GPU worked" } else { "" }
}

/// What a measure in use did.
fn did(by: &MeasuredUse) -> impl fmt::Display {
    fmt::from_fn(move |f| {
        if by.is_malformed {
            return malformed(by.measure).fmt(f);
        }
        let verb = match by.measure {
            Measure::Gpu(index) => {
                write!(f, "GPU {index} ")?;
                "reached"
            }
            Measure::CpuMean => "an hour's mean CPU was",
            Measure::BusyCores => "an hour's mean load was",
            Measure::CpuMax => "CPU peaked at",
            Measure::Network => "network moved within a day",
            Measure::Ebs => "EBS did",
            Measure::WindowMean => "CPU averaged",
            Measure::LowDays => {
                let low = by.value.unwrap_or(0.0);
                return write!(f, "only {low:.0} low days, {:.0} are needed", by.limit);
            }
        };
        held(verb, by.value, by.limit, by.measure.unit()).fmt(f)
    })
}

fn malformed(measure: Measure) -> impl fmt::Display {
    fmt::from_fn(move |f| {
        f.write_str("a ")?;
        match measure {
            Measure::Gpu(index) => write!(f, "GPU {index}")?,
            Measure::CpuMax | Measure::CpuMean | Measure::BusyCores | Measure::WindowMean => {
                f.write_str("CPU")?;
            }
            Measure::Network => f.write_str("network")?,
            Measure::Ebs => f.write_str("EBS")?,
            Measure::LowDays => f.write_str("CPU or network")?,
        }
        f.write_str(" datapoint made no sense (NaN, infinite or negative), which counts as use")
    })
}

fn held(verb: &str, value: Option<f64>, limit: f64, unit: &str) -> impl fmt::Display {
    fmt::from_fn(move |f| {
        write!(f, "{verb} ")?;
        match value {
            Some(value) => figure(value, unit).fmt(f)?,
            None => f.write_str("–")?,
        }
        write!(f, " (limit {})", figure(limit, unit))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reasons_of_instances_read_as_sentences() {
        let lasted = Some(Lasted { hours: 168, at_least: true });
        let by = |measure, value, limit| {
            let by = MeasuredUse { measure, value: Some(value), limit, is_malformed: false };
            R::InUse { by: Some(by), is_without_gpus: false }
        };
        let odd =
            MeasuredUse { measure: Measure::Gpu(3), value: None, limit: 5.0, is_malformed: true };
        for (reason, words) in [
            (
                R::TooNew { age_hours: -2, needed: 24 },
                "Too new: its launch lies in the future, so a clock is wrong; 24 h are needed.",
            ),
            (
                R::TooNew { age_hours: 5, needed: 168 },
                "Too new: 5 h old, 7 d of evidence are needed.",
            ),
            (
                R::FewHours { age_hours: 3, hours: 2, needed: 24 },
                "Too new: only 2 whole hours since the last launch, 24 h are needed.",
            ),
            (
                R::FewHours { age_hours: 4, hours: 2, needed: 24 },
                "Restarted: 4 h old, but only 2 whole hours since the last launch, 24 h are needed.",
            ),
            (
                R::GpusQuiet { gpus: 1, lasted: None, top: 0.52, limit: 5.0 },
                "The GPU did nothing: no hour above 0.52% (limit 5%), CPU and network quiet.",
            ),
            (
                R::SomeGpus { idle: 4, of: 8, which: [0, 3, 4, 5].into(), lasted },
                "4 of 8 GPUs idle for at least 7 d (GPU 0, 3–5) while the others work.",
            ),
            (
                R::LittleCpu { by: None, cpu: 1.04, limit: 20.0 },
                "In use, but no hour's mean CPU passed 1.04% (underused up to 20%).",
            ),
            (by(Measure::Ebs, 38.25, 20.0), "In use: EBS did 38.2 ops/s (limit 20 ops/s)."),
            (
                by(Measure::Network, 4.2e9, 1e9),
                "In use: network moved within a day 4.2 GB (limit 1 GB).",
            ),
            (by(Measure::LowDays, 3.0, 4.0), "In use: only 3 low days, 4 are needed."),
            (
                R::QuietShortly { hours: 23, needed: 24, by: odd, is_without_gpus: true },
                "Idle for only 23 h, minimum 24 h: a GPU 3 datapoint made no sense (NaN, infinite or \
                 negative), which counts as use; no GPU worked.",
            ),
            (R::InUse { by: None, is_without_gpus: true }, "In use."),
            (
                R::NotFetched(Measure::CpuMax),
                "Unknown: CPU max was not fetched, so nothing says it is quiet.",
            ),
            (
                R::TooLittle { measure: Measure::Network, got: 24, hours: 168, needed: 24 },
                "Unknown: network per day reported in 24 of 168 h; 90% are needed, in the last 24 h \
                 too.",
            ),
            (R::Insufficient, "Unknown: the evidence does not suffice."),
        ] {
            assert_eq!(instance(&reason), words);
        }
    }
}
