//! Classes of causes, and what tells them beyond a code: the GPU's errors, notices, drains, the last lines of a log.

use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};

use serde::{Deserialize, Serialize};

use crate::domain::bill::words;
use crate::domain::gpu::{XidOrigin, xid};
use crate::domain::jobs::{Attempt, AttemptId, Cause, JobState};

/// How far an error of a GPU or a notice may be from the end of an attempt that it ended.
const NEAR: SignedDuration = SignedDuration::from_secs(60);

/// How long before the end a notice of Spot may have come: two minutes are promised, and the scheduler takes its time.
const NOTICE: SignedDuration = SignedDuration::from_mins(5);

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

/// An XID error that a GPU of a node reported.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(not(test), allow(dead_code, reason = "no source tells of them yet"))]
pub struct XidSeen {
    /// Name of the node.
    pub node: Arc<str>,
    /// Code.
    pub code: u32,
    /// When it was seen first.
    pub at: Timestamp,
}

/// A moment in which a node was about to be taken away: a notice of Spot, a drain.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(not(test), allow(dead_code, reason = "no source tells of them yet"))]
pub struct NodeEvent {
    /// Name of the node.
    pub node: Arc<str>,
    /// When.
    pub at: Timestamp,
}

/// What was seen when attempts ended. Empty by default.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CauseEvidence {
    /// Errors of GPUs.
    pub xids: Vec<XidSeen>,
    /// Notices that Spot takes a node back.
    pub spot_notices: Vec<NodeEvent>,
    /// Drains of nodes.
    pub drains: Vec<NodeEvent>,
    /// Last lines of logs, clean, by attempt.
    pub tails: Vec<(AttemptId, Arc<str>)>,
}

/// Class of what ended an attempt; `None` for one that did not fail.
pub(super) fn class(of: &Attempt, seen: &CauseEvidence) -> Option<CauseClass> {
    if !of.state.is_lost() && of.state != JobState::CompletedStepFailed {
        return None;
    }
    let told = by_code(of);
    // What the scheduler decided itself, it knows.
    if matches!(told, Some(CauseClass::Scheduler | CauseClass::OutOfMemory)) {
        return told;
    }
    if has(&seen.spot_notices, of, NOTICE) {
        return Some(CauseClass::Preempted);
    }
    if told == Some(CauseClass::Preempted) {
        return told;
    }
    let by_xid = by_xid(of, &seen.xids);
    if by_xid == Some(CauseClass::Hardware) || has(&seen.drains, of, NEAR) {
        return Some(CauseClass::Hardware);
    }
    let tail = seen.tails.iter().find(|(id, _)| *id == of.id).map(|(_, tail)| &**tail);
    let by_text = tail.and_then(by_text).or_else(|| of.reason.as_deref().and_then(by_text));
    Some(told.or(by_text).or(by_xid).unwrap_or(CauseClass::Unknown))
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

fn is_near(end: Timestamp, at: Timestamp, before: SignedDuration) -> bool {
    let from = end.checked_sub(before).unwrap_or(Timestamp::MIN);
    let to = end.checked_add(NEAR).unwrap_or(Timestamp::MAX);
    (from..=to).contains(&at)
}

fn has(events: &[NodeEvent], of: &Attempt, before: SignedDuration) -> bool {
    let Some(end) = of.ended_at else { return false };
    events.iter().any(|event| is_near(end, event.at, before) && of.nodes.contains(&event.node))
}

/// By the errors that GPUs of its nodes reported in the minute of its end.
fn by_xid(of: &Attempt, seen: &[XidSeen]) -> Option<CauseClass> {
    let end = of.ended_at?;
    let near = seen.iter().filter(|x| is_near(end, x.at, NEAR) && of.nodes.contains(&x.node));
    let classes = near.filter_map(|seen| {
        let known = xid(seen.code)?;
        Some(match (known.is_fatal, known.origin) {
            (true, _) | (_, XidOrigin::Hardware) => CauseClass::Hardware,
            (false, XidOrigin::Application) => CauseClass::Code,
            (false, XidOrigin::Driver) => return None,
        })
    });
    // Hardware stands before the rest.
    classes.min()
}

/// What lines of logs have in them, in lower case. The first class that fits counts: what comes later is the noise that it
/// makes elsewhere, as a rank that dies leaves the others with a broken connection.
const TEXTS: [(CauseClass, &[&str]); 8] = [
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
