//! Classes of causes: by codes, and by what the source says of an attempt.

use serde::{Deserialize, Serialize};

use super::happened::{Evidence, is_of_hardware, is_of_program};
use crate::domain::bill::words;
use crate::domain::jobs::{Attempt, Cause, JobState, NodeEventKind};

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

words! {
    /// What tells the class of a cause.
    CauseFrom {
        /// The state, or the scheduler's word for the end.
        State = "state",
        /// The exit code or the signal.
        Exit = "exit",
        /// The words of the source.
        Reason = "reason",
        /// An XID error of one of its GPUs.
        Xid = "xid",
        /// EC2, of Spot capacity that it took back.
        Spot = "spot",
        /// Who watches the node.
        Node = "node",
    }
}

impl CauseFrom {
    /// True for what happened to a node.
    pub(super) const fn is_of_node(self) -> bool {
        matches!(self, Self::Xid | Self::Spot | Self::Node)
    }
}

/// True for an attempt whose cause is asked for.
pub(super) fn has_failed(state: JobState) -> bool {
    state.is_lost() || state == JobState::CompletedStepFailed
}

/// Class of what ended an attempt, with what tells it: its state, what happened to its nodes then, its code, and what its source
/// says of it. `None` for one that did not fail; an unknown class is told by nobody.
pub(super) fn class(
    of: &Attempt,
    evidence: Option<&Evidence>,
) -> Option<(CauseClass, Option<CauseFrom>)> {
    if !has_failed(of.state) {
        return None;
    }
    let decided = || decided(of).map(|class| (class, CauseFrom::State));
    let sure = || evidence.and_then(by_event);
    let of_state =
        || (of.state == JobState::NodeFault).then_some((CauseClass::Hardware, CauseFrom::State));
    let of_code = || by_code(of).map(|class| (class, CauseFrom::Exit));
    let of_text = || of.reason.as_deref().and_then(by_text).map(|class| (class, CauseFrom::Reason));
    let maybe = || evidence.and_then(by_hint);
    let told = decided().or_else(sure).or_else(of_state).or_else(of_code).or_else(of_text);
    Some(match told.or_else(maybe) {
        Some((class, from)) => (class, Some(from)),
        None => (CauseClass::Unknown, None),
    })
}

/// Class by what ended it without doubt: its scheduler did.
fn decided(of: &Attempt) -> Option<CauseClass> {
    let by_state = match of.state {
        JobState::OutOfMemory => Some(CauseClass::OutOfMemory),
        JobState::TimedOut => Some(CauseClass::Scheduler),
        JobState::Preempted => Some(CauseClass::Preempted),
        _ => None,
    };
    by_state.or_else(|| match of.cause? {
        Cause::OutOfMemory => Some(CauseClass::OutOfMemory),
        Cause::TimeLimit | Cause::Deadline => Some(CauseClass::Scheduler),
        Cause::Preempted | Cause::Requeued => Some(CauseClass::Preempted),
        _ => None,
    })
}

/// Class by what happened to its node, where that ends what runs there: codes and words tell no more than that it ended.
fn by_event(evidence: &Evidence) -> Option<(CauseClass, CauseFrom)> {
    match evidence.event.kind {
        NodeEventKind::SpotInterruption => Some((CauseClass::Preempted, CauseFrom::Spot)),
        NodeEventKind::Xid(code) if is_of_hardware(code) => {
            Some((CauseClass::Hardware, CauseFrom::Xid))
        }
        NodeEventKind::Unhealthy => Some((CauseClass::Hardware, CauseFrom::Node)),
        NodeEventKind::Xid(_) | NodeEventKind::Down | NodeEventKind::Drained => None,
    }
}

/// Class by what happened to its node, where nothing else tells.
fn by_hint(evidence: &Evidence) -> Option<(CauseClass, CauseFrom)> {
    match evidence.event.kind {
        NodeEventKind::Xid(code) if is_of_program(code) => Some((CauseClass::Code, CauseFrom::Xid)),
        NodeEventKind::Down | NodeEventKind::Drained => {
            let class = by_text(evidence.event.words.as_deref()?)?;
            Some((class, CauseFrom::Node))
        }
        _ => None,
    }
}

/// Class by code and signal alone; `None` where they do not tell: an uncaught exception of any kind ends with 1.
fn by_code(of: &Attempt) -> Option<CauseClass> {
    match of.cause? {
        Cause::NodeFault | Cause::BootFault => Some(CauseClass::Hardware),
        // Wrong arguments, and a program that cannot be run or is not there (POSIX shells, argparse).
        Cause::Exit(2 | 126 | 127) | Cause::StepExit(2 | 126 | 127) => Some(CauseClass::Code),
        // Illegal instruction, abort, arithmetic, segmentation fault.
        Cause::Signal(4 | 6 | 8 | 11) | Cause::StepSignal(4 | 6 | 8 | 11) => Some(CauseClass::Code),
        _ => None,
    }
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
            "gpu xid",
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
    known_words(text).map(|(class, _)| class)
}

/// The words of a text by which a cause is known, in lower case; `None` without any.
pub fn cause_words(text: &str) -> Option<&'static str> {
    known_words(text).map(|(_, words)| words)
}

fn known_words(text: &str) -> Option<(CauseClass, &'static str)> {
    let text = text.to_lowercase();
    let first = |(class, words): &(CauseClass, &'static [&'static str])| {
        Some((*class, *words.iter().find(|word| text.contains(**word))?))
    };
    TEXTS.iter().find_map(first)
}
