//! Words of what ended jobs, of what was lost again and again, and of what helps.

use crate::analyze::jobs::{CauseClass, Evidence, RepeatKind, ZombieKind};
use crate::domain::format::span;
use crate::domain::gpu::xid;
use crate::domain::jobs::NodeEventKind;

/// What helps against causes of a class.
pub fn cause_fix(class: CauseClass) -> &'static str {
    match class {
        CauseClass::Hardware => "drain the node and test its GPUs; checkpoint more often",
        CauseClass::OutOfMemory => {
            "smaller batches or activation checkpointing; ask for more memory"
        }
        CauseClass::DataPipeline => {
            "check the data before the run; skip bad records, restart loaders"
        }
        CauseClass::Numerical => {
            "lower the learning rate, clip gradients, go back to a checkpoint on NaN"
        }
        CauseClass::Storage => "free or enlarge the volume; retry reads and writes",
        CauseClass::Network => "check EFA and NCCL settings; retry on other nodes",
        CauseClass::Scheduler => "a longer limit, or a checkpoint before it",
        CauseClass::Code => "try it on one GPU for minutes before all of them",
        CauseClass::Preempted => "checkpoint on the notice; requeue by itself",
        CauseClass::Unknown => "keep the last lines of the log with the job",
    }
}

/// What happened to a node of an attempt about when it failed, and how long before its end.
pub fn evidence_words(of: &Evidence) -> String {
    let Evidence { event, node, before_ms } = of;
    let when = match (before_ms + before_ms.signum() * 500) / 1000 {
        0 => "at its end".to_owned(),
        seconds if seconds > 0 => format!("{} before its end", span(seconds)),
        seconds => format!("{} after its end", span(-seconds)),
    };
    let what = match event.kind {
        NodeEventKind::Xid(code) => {
            let meaning = xid(code.into()).map(|of| format!(" ({})", of.meaning));
            let on = match event.gpu {
                Some(gpu) => format!("GPU {gpu} of {node}"),
                None => node.to_string(),
            };
            format!("XID {code} on {on}{}", meaning.unwrap_or_default())
        }
        NodeEventKind::SpotInterruption => format!("EC2 took the Spot capacity of {node} back"),
        NodeEventKind::Unhealthy => format!("the hardware of {node} was found unwell"),
        NodeEventKind::Down => format!("{node} went down"),
        NodeEventKind::Drained => format!("{node} was drained"),
    };
    match &event.words {
        Some(words) => format!("{what}, {when}: {words}"),
        None => format!("{what}, {when}"),
    }
}

/// What helps against what was lost again and again.
pub fn repeat_fix(kind: RepeatKind) -> &'static str {
    match kind {
        RepeatKind::SameNode => "leave the node out of retries until it is tested",
        RepeatKind::SameScript => "stop retrying after the second failure; try it small first",
        RepeatKind::LastHour => "a checkpoint each hour; a limit with room",
        RepeatKind::Sweep => "stop members below the median at half of their time",
    }
}

/// What a kind of loss is called.
pub fn repeat(kind: RepeatKind) -> &'static str {
    match kind {
        RepeatKind::SameNode => "retried on the node on which it failed",
        RepeatKind::SameScript => "failed again and again",
        RepeatKind::LastHour => "failed in the last hour",
        RepeatKind::Sweep => "sweep without early stopping (a quarter of it)",
    }
}

/// What a GPU that costs and does nothing for a job is called.
pub fn zombie(kind: ZombieKind) -> &'static str {
    match kind {
        ZombieKind::NoJob => "held by no living job",
        ZombieKind::Idle => "idle in a job that runs",
        ZombieKind::IdleBesideWorking => "idle beside GPUs of its job that work",
    }
}
