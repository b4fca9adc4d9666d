//! Why a GPU is in its state, what was seen of it, and what to do about it.

use crate::domain::gpu::{
    GpuAdvice, GpuAdviceKind as Advice, GpuOwner, GpuReason as R, Observation as O, xid,
};
use crate::domain::{GpuSignal, Witness};
use crate::fleet::GpuRow;
use crate::view::format;

/// One sentence without an end: why a GPU is in its state, beside whom its scheduler gave it to. Empty when there is nothing
/// to say.
pub fn gpu_row(row: &GpuRow) -> String {
    if let Some(owner) = scheduled_to(row) {
        return format!(
            "no process holds it, though {owner} has it by its scheduler: held and unused"
        );
    }
    gpu(row.verdict.reason)
}

/// One sentence: what to do about a GPU, with the dollars where they are known; `None` where there is no advice.
pub fn gpu_row_advice(row: &GpuRow) -> Option<String> {
    // Until jobs are read, work may be scheduled on it.
    let advice = row.verdict.advice.filter(|_| row.verdict.reason != R::JobsUnread)?;
    // Other work cannot be scheduled on what a job has.
    let kind = match advice.kind {
        Advice::UseOrStop if scheduled_to(row).is_some() => Advice::Release,
        kind => kind,
    };
    Some(gpu_advice(GpuAdvice { kind, ..advice }))
}

/// One clause: what the scheduler says against a GPU that telemetry calls unallocated; `None` where it says nothing.
pub fn gpu_scheduled(row: &GpuRow) -> Option<String> {
    let owner = scheduled_to(row)?;
    Some(format!("its scheduler has it in {owner}, which runs nothing on it"))
}

/// Why two beginnings are told of an idle GPU that a job has, one sentence; `None` for another GPU.
pub fn gpu_since(row: &GpuRow) -> Option<&'static str> {
    let has_job = row.verdict.state.is_idle() && row.sample.owner.job.is_some();
    has_job.then_some(
        "How long it idles is told by telemetry, whatever job had it; the Jobs tab counts from the \
         start of this job, where that is later.",
    )
}

/// True for a GPU that nothing holds by telemetry, and that its scheduler gave to a job or an owner.
pub fn gpu_is_scheduled(row: &GpuRow) -> bool {
    // Whom telemetry names holds it, and makes it none that is unallocated: this one a source of jobs named.
    row.verdict.reason == R::Unallocated && !row.sample.owner.is_nobody()
}

/// The job or the owner to whom its scheduler gave a GPU that nothing holds by telemetry; `None` for another GPU.
fn scheduled_to(row: &GpuRow) -> Option<String> {
    let owner: &GpuOwner = &row.sample.owner;
    if !gpu_is_scheduled(row) {
        return None;
    }
    match (&owner.job, &owner.user) {
        (Some(job), Some(user)) => Some(format!("job {job} of {user}")),
        _ => owner.words(),
    }
}

/// One sentence without an end: why a GPU is in its state. Empty when there is nothing to say.
fn gpu(reason: R) -> String {
    let plain = match reason {
        R::Nothing => "",
        R::HeldIdle => "somebody holds it and computes nothing",
        R::PerhapsHeld => "nothing is computed; no source says whether somebody holds it",
        R::Unallocated => "nobody holds it and nothing runs",
        R::JobsUnread => "nothing runs; who holds it is not known yet, jobs are being read",
        R::OneWitness => {
            "activity is low, but no second witness: neither idle power nor the driver's word"
        }
        R::CoresQuiet => "NeuronCores are quiet with memory in use: idle after half an hour at 0%",
        R::NoEvidence => "nothing is told of its activity",
        R::Remap => "row remapping failed: the memory is worn",
        R::Works(signal, p) => {
            return format!("works: {} {}", engine(signal), format::percent(p, 0));
        }
        R::Elsewhere(p) => {
            return format!("works: another source says {}", format::percent(p, 0));
        }
        R::WorksByPower(watts) => return format!("works: draws {watts} W"),
        R::QuietShortly(needed) => {
            return format!("worked a moment ago, quiet for less than {}", seconds(needed));
        }
        R::UsedLately { percent, minutes } => {
            let percent = format::percent(percent, 0);
            return format!("quiet now, up to {percent} within the last {minutes} min");
        }
        R::Inefficient { mean, below } => {
            let (mean, below) = (format::percent(mean, 0), format::percent(below, 0));
            return format!("works at {mean} of what it could, below {below} all the time");
        }
        R::Preallocated { percent, idle } => {
            let percent = format::percent(percent, 0);
            let computed = if idle { "nothing" } else { "little" };
            return format!("memory is pre-allocated ({percent}), {computed} is computed");
        }
        R::Stalled(minutes) => {
            return format!(
                "looks fully used for {minutes} min, draws little power, computes nothing: likely \
                 hangs"
            );
        }
        R::Phantom(p) => {
            let percent = format::percent(p, 0);
            return format!(
                "utilisation {percent} with nothing in memory and no process is not believed"
            );
        }
        R::NoFloor(watts) => {
            return format!(
                "activity is low, but whether {watts} W is at rest is not known: the idle power of \
                 this model is learned as its GPUs are seen quiet, or the driver's idle bit decides"
            );
        }
        R::PowerAgainst { watts, rest } => {
            return format!(
                "activity is low, but power speaks against: {watts} W, at rest up to {rest} W"
            );
        }
        R::TooShort { seconds: seen, needed, samples } => {
            return format!(
                "quiet, seen for {} in {}: idle takes {} and 3 samples",
                seconds(seen),
                format::plural(usize::from(samples), "sample"),
                seconds(needed)
            );
        }
        R::PowerOnly(watts) => {
            return format!(
                "only power is told ({watts} W), which shows neither work nor idleness"
            );
        }
        R::Rest { slices, of } => {
            return format!("{slices} of {of} slices are of no GPU instance that is told");
        }
        R::Silent(minutes) => return format!("no news for {minutes} min"),
        R::Xid { code, silent } => {
            let meaning = xid(u32::from(code)).map_or("hardware error", |x| x.meaning);
            let since = if silent { "; no news since" } else { "" };
            return format!("XID {code}: {meaning}{since}");
        }
        R::Recovery(code) => return format!("the driver asks for recovery (action {code})"),
        #[cfg(test)]
        R::Fixture(said) => said,
    };
    plain.to_owned()
}

/// One clause: what was seen of a GPU.
pub fn witness(witness: &Witness) -> String {
    match witness.seen {
        O::Engine(signal, p) => format!("{} {}", engine(signal), format::percent(p, 0)),
        O::Elsewhere(p) => gpu(R::Elsewhere(p)),
        O::Power { watts, rest, floor } => {
            format!("power {watts} W, at rest up to {rest} W (idle floor of the model {floor} W)")
        }
        O::PowerAlone(watts) => format!("power {watts} W, idle power of the model not known yet"),
        O::NoPower => "power not known".to_owned(),
        O::IdleBit(true) => "the driver says idle".to_owned(),
        O::IdleBit(false) => "the driver does not say idle".to_owned(),
        O::Memory { mib, percent: Some(p) } => {
            format!("memory {mib} MiB in use ({})", format::percent(p, 0))
        }
        O::Memory { mib, percent: None } => format!("memory {mib} MiB in use"),
        #[cfg(test)]
        O::Fixture(said) => said.to_owned(),
    }
}

/// One sentence: what to do about a GPU, with the dollars where they are known.
fn gpu_advice(advice: GpuAdvice) -> String {
    let text = match advice.kind {
        Advice::Release => "ask its owner to release it, or schedule other work here",
        Advice::Unload => {
            "ask the runtime what it uses of the memory it reserved, and unload the model or share \
             the GPU while nobody asks"
        }
        Advice::UseOrStop => {
            "schedule work here, or stop the instance once its other GPUs are idle as well"
        }
        Advice::Training => {
            "feed it faster (data loading, larger batches), take a smaller type, or fewer GPUs"
        }
        Advice::Inference { mig: true } => {
            "batch requests, take a smaller type, or share it by MIG or time-slicing"
        }
        Advice::Inference { mig: false } => {
            "batch requests, take a smaller type, or share it by time-slicing"
        }
        Advice::Fit { mig: true } => {
            "take a smaller type or fewer GPUs, batch the work, or share it by MIG or time-slicing"
        }
        Advice::Fit { mig: false } => {
            "take a smaller type or fewer GPUs, batch the work, or share it by time-slicing"
        }
        Advice::Unstick => "look at the job: a collective or a lock it waits for; restart it",
        Advice::Replace => {
            "drain the node, reset the GPU, and stop and start the instance for another host if it \
             comes back"
        }
        Advice::Partition => "create GPU instances for the rest, or leave MIG mode",
        Advice::MorePower => {
            "let its source report power as well (DCGM_FI_DEV_POWER_USAGE, power.draw)"
        }
        Advice::Profile => {
            "let dcgm-exporter report DCGM_FI_PROF_GR_ENGINE_ACTIVE or DCGM_FI_PROF_SM_ACTIVE"
        }
        Advice::LookAtSource => "look whether its exporter and its host are up",
        #[cfg(test)]
        Advice::Fixture(said) => said,
    };
    let Some(usd) = advice.usd_per_month.filter(|u| *u > 0) else { return text.to_owned() };
    let usd = format::usd_total(usd as f64);
    match advice.kind {
        Advice::Training | Advice::Inference { .. } | Advice::Fit { .. } => {
            format!("{text}: up to {usd}/month buys no work")
        }
        Advice::Partition | Advice::Replace => format!("{text}: {usd}/month"),
        Advice::MorePower | Advice::Profile | Advice::LookAtSource => text.to_owned(),
        _ => format!("{text}: {usd}/month for nothing"),
    }
}

fn engine(signal: GpuSignal) -> &'static str {
    match signal {
        GpuSignal::SmActive => "SM active",
        GpuSignal::GrEngine => "graphics engine active",
        GpuSignal::NeuronCore => "NeuronCores",
        GpuSignal::Dram => "DRAM (of what can be reached)",
        GpuSignal::Enc => "encoder",
        GpuSignal::Dec => "decoder",
        _ => "utilisation",
    }
}

fn seconds(s: u16) -> String {
    if s >= 120 && s.is_multiple_of(60) { format!("{} min", s / 60) } else { format!("{s} s") }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::domain::{GpuState, GpuVerdict};

    #[test]
    fn figures_stand_in_the_words() {
        let seen = |seen| witness(&Witness { seen, for_idle: true });
        assert_eq!(seen(O::Engine(GpuSignal::SmActive, 3)), "SM active 3%");
        assert_eq!(seen(O::Memory { mib: 7, percent: Some(2) }), "memory 7 MiB in use (2%)");
        assert_eq!(
            gpu(R::Preallocated { percent: 91, idle: true }),
            "memory is pre-allocated (91%), nothing is computed"
        );
        assert_eq!(
            gpu(R::Rest { slices: 3, of: 7 }),
            "3 of 7 slices are of no GPU instance that is told"
        );
        assert!(gpu(R::Rest { slices: 1, of: 4 }).starts_with("1 of 4 slices"));
        assert_eq!(
            gpu(R::Xid { code: 79, silent: true }),
            "XID 79: GPU has fallen off the bus; no news since"
        );
        let short = R::TooShort { seconds: 90, needed: 300, samples: 1 };
        assert_eq!(gpu(short), "quiet, seen for 90 s in 1 sample: idle takes 5 min and 3 samples");
    }

    #[test]
    fn what_no_process_holds_and_a_job_has_is_said_to_be_both() {
        let fleet = crate::tabs::gpus::picture::fixture::gpus();
        let is_idle = |row: &&Arc<GpuRow>| row.verdict.state == GpuState::UnallocatedIdle;
        let mut row = GpuRow::clone(fleet.rows.iter().find(is_idle).unwrap());
        let advice = Some(GpuAdvice { kind: Advice::UseOrStop, usd_per_month: None });
        let reason = R::Unallocated;
        row.verdict = Arc::new(GpuVerdict { reason, advice, ..(*row.verdict).clone() });
        assert_eq!(gpu_row(&row), "nobody holds it and nothing runs");
        assert_eq!((gpu_scheduled(&row), gpu_since(&row)), (None, None));
        let mut early = row.clone();
        let reason = R::JobsUnread;
        early.verdict = Arc::new(GpuVerdict { reason, ..(*row.verdict).clone() });
        assert!(gpu_row(&early).contains("who holds it is not known yet"));
        assert_eq!(gpu_row_advice(&early), None, "it may be another's");
        assert!(gpu_row_advice(&row).unwrap().starts_with("schedule work here"));
        row.sample.owner = Arc::new(GpuOwner {
            job: Some("9005".into()),
            user: Some("wei".into()),
            ..GpuOwner::default()
        });
        assert_eq!(
            gpu_row(&row),
            "no process holds it, though job 9005 of wei has it by its scheduler: held and unused"
        );
        let seen = gpu_scheduled(&row).unwrap();
        assert_eq!(seen, "its scheduler has it in job 9005 of wei, which runs nothing on it");
        assert!(gpu_row_advice(&row).unwrap().starts_with("ask its owner to release it"));
        assert!(gpu_since(&row).unwrap().contains("counts from the start of this job"));
    }

    #[test]
    fn dollars_read_as_dollars() {
        let say = |kind, usd_per_month| gpu_advice(GpuAdvice { kind, usd_per_month });
        assert!(say(Advice::Release, Some(12_345)).ends_with(": $12,345/month for nothing"));
        assert!(say(Advice::Release, None).ends_with("here"));
        assert!(say(Advice::Release, Some(0)).ends_with("here"));
        let fit = say(Advice::Fit { mig: true }, Some(5_110));
        assert!(fit.ends_with("MIG or time-slicing: up to $5,110/month buys no work"), "{fit}");
        assert!(say(Advice::LookAtSource, Some(9)).ends_with("are up"));
        assert!(say(Advice::Partition, Some(1_234_567)).ends_with("mode: $1,234,567/month"));
    }
}
