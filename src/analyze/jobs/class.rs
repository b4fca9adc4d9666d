//! Classes of causes: by codes, and by what the source says of an attempt.

use serde::{Deserialize, Serialize};

use crate::domain::bill::words;
use crate::domain::jobs::{Attempt, Cause, JobState};

words! {
    /// Class of what ended an attempt.
    CauseClass {
        /// The node or one of its GPUs.
        Hardware = "hardware",
        /// Memory of the host or of a GPU ran out.
        OutOfMemory = "out_of_memory",
        /// Reading and preparing of data.
        DataPipeline = "data_pipeline",
        /// Numbers that are none: NaN, overflow.
        Numerical = "numerical",
        /// Disks, file systems, object stores.
        Storage = "storage",
        /// Connections between nodes.
        Network = "network",
        /// Limits and decisions of the scheduler.
        Scheduler = "scheduler",
        /// The program itself.
        Code = "code",
        /// Capacity was taken for other work.
        Preempted = "preempted",
        /// Nobody tells.
        Unknown = "unknown",
    }
}

/// Class of what ended an attempt, by its code and by what the source says of it; `None` for one that did not fail.
pub(super) fn class(of: &Attempt) -> Option<CauseClass> {
    if !of.state.is_lost() && of.state != JobState::CompletedStepFailed {
        return None;
    }
    let told = by_code(of).or_else(|| of.reason.as_deref().and_then(by_text));
    Some(told.unwrap_or(CauseClass::Unknown))
}

/// Class by state, code and signal alone; `None` where they do not tell: an uncaught exception of any kind ends with 1.
fn by_code(of: &Attempt) -> Option<CauseClass> {
    let by_state = match of.state {
        JobState::OutOfMemory => Some(CauseClass::OutOfMemory),
        JobState::TimedOut => Some(CauseClass::Scheduler),
        JobState::Preempted => Some(CauseClass::Preempted),
        JobState::NodeFault => Some(CauseClass::Hardware),
        _ => None,
    };
    by_state.or_else(|| match of.cause? {
        Cause::OutOfMemory => Some(CauseClass::OutOfMemory),
        Cause::TimeLimit | Cause::Deadline => Some(CauseClass::Scheduler),
        Cause::NodeFault | Cause::BootFault => Some(CauseClass::Hardware),
        Cause::Preempted | Cause::Requeued => Some(CauseClass::Preempted),
        // Wrong arguments, and a program that cannot be run or is not there (POSIX shells, argparse).
        Cause::Exit(2 | 126 | 127) | Cause::StepExit(2 | 126 | 127) => Some(CauseClass::Code),
        // Illegal instruction, abort, arithmetic, segmentation fault.
        Cause::Signal(4 | 6 | 8 | 11) | Cause::StepSignal(4 | 6 | 8 | 11) => Some(CauseClass::Code),
        Cause::Exit(_) | Cause::StepExit(_) | Cause::Signal(_) | Cause::StepSignal(_) => None,
        Cause::Cancelled => None,
    })
}

/// What reasons have in them, in lower case. The first class that fits counts: what comes later is the noise that it
/// makes elsewhere, as a rank that dies leaves the others with a broken connection.
const TEXTS: [(CauseClass, &[&str]); 9] = [
    (
        CauseClass::Hardware,
        &[
            "uncorrectable ecc",
            "fallen off the bus",
            "nvrm: xid",
            "hardware error",
            "gpu is lost",
            "nvlink error",
        ],
    ),
    (
        CauseClass::OutOfMemory,
        &[
            "out of memory",
            "outofmemory",
            "oom-kill",
            "oomkilled",
            "oom killer",
            "cannot allocate memory",
            "std::bad_alloc",
        ],
    ),
    (
        CauseClass::Storage,
        &[
            "no space left on device",
            "disk quota exceeded",
            "input/output error",
            "stale file handle",
            "read-only file system",
            "slowdown: please reduce your request rate",
            "transport endpoint is not connected",
        ],
    ),
    (
        CauseClass::DataPipeline,
        &[
            "dataloader worker",
            "unpicklingerror",
            "unidentifiedimageerror",
            "jsondecodeerror",
            "arrowinvalid",
            "datasetgenerationerror",
            "corrupt record",
        ],
    ),
    (
        CauseClass::Numerical,
        &[
            "loss is nan",
            "loss: nan",
            "nan loss",
            "loss=nan",
            "nan or inf",
            "contains nan",
            "floatingpointerror",
            "loss scale reached",
        ],
    ),
    (
        CauseClass::Scheduler,
        &["capacityerror", "insufficientcapacity", "unable to provision requested ml compute"],
    ),
    (CauseClass::Preempted, &["spot interruption", "preempted", "evicted: preempt"]),
    (
        CauseClass::Network,
        &[
            "nccl error",
            "nccl warn",
            "ncclremoteerror",
            "ncclsystemerror",
            "connection reset by peer",
            "connection refused",
            "broken pipe",
            "no route to host",
            "watchdog caught collective operation timeout",
            "libfabric",
            "name or service not known",
        ],
    ),
    (
        CauseClass::Code,
        &[
            "modulenotfounderror",
            "importerror",
            "syntaxerror",
            "nameerror",
            "typeerror",
            "attributeerror",
            "keyerror",
            "indexerror",
            "assertionerror",
            "valueerror",
            "segmentation fault",
            "unrecognized arguments",
            "command not found",
            "device-side assert",
        ],
    ),
];

fn by_text(text: &str) -> Option<CauseClass> {
    let text = text.to_lowercase();
    let fits = |(_, words): &&(CauseClass, &[&str])| words.iter().any(|word| text.contains(word));
    TEXTS.iter().find(fits).map(|(class, _)| *class)
}
