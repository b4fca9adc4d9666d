//! The planted GPU cases: what fools a tool that believes one utilisation. `docs/demo.md` lists
//! them, and a test holds the page against this table.

use crate::domain::GpuState;
use crate::source::demo::profile::Profile;

/// Kind of a planted GPU case.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// Utilisation reads 100% while nothing runs.
    Phantom,
    /// The encoder works, and hardly anything else.
    Encoder,
    /// A model is loaded and gets no requests.
    HeldIdle,
    /// No process holds it, and it is idle.
    Unallocated,
    /// A hung job: a kernel is resident, nothing is computed.
    Stalled,
    /// Kernels that use a fifth of the multiprocessors.
    Inefficient,
    /// Inference bound by memory bandwidth.
    MemoryBound,
    /// XID 79: the GPU has fallen off the bus.
    OffTheBus,
    /// XID 31 (a memory fault of the application) long ago.
    OldXid,
    /// The node of the GPU stopped reporting.
    Silent,
    /// Only utilisation is reported, and irregularly.
    UtilAlone,
    /// Two sources report different values.
    Disputed,
    /// Partitioned: one slice works, the others do not.
    Split,
    /// Started to work some minutes ago.
    Woken,
}

/// A planted GPU case: GPUs that mislead a simple tool, with the expected verdict.
#[derive(Debug)]
pub struct GpuCase {
    /// `Name` tag of the box; `None` for boxes found by other properties.
    pub on: Option<&'static str>,
    /// The GPUs by index, in words.
    #[cfg_attr(
        not(test),
        expect(dead_code, reason = "what tests and docs/demo.md hold the demo against")
    )]
    /// Indices of the GPUs, as `docs/demo.md` lists them.
    pub gpus: &'static str,
    /// What is planted.
    #[cfg_attr(
        not(test),
        expect(dead_code, reason = "what tests and docs/demo.md hold the demo against")
    )]
    /// Description of the case, as in `docs/demo.md`.
    pub what: &'static str,
    /// What burntop concludes.
    #[cfg_attr(
        not(test),
        expect(dead_code, reason = "what tests and docs/demo.md hold the demo against")
    )]
    /// Expected state of the GPUs.
    pub state: GpuState,
    /// Why, in short.
    #[cfg_attr(
        not(test),
        expect(dead_code, reason = "what tests and docs/demo.md hold the demo against")
    )]
    /// Expected reason, in short.
    pub says: &'static str,
    /// Kind of the case.
    pub(super) kind: Kind,
    /// Indices of the GPUs; empty for all.
    pub(super) indices: &'static [u16],
}

/// The planted GPU cases in the order of the page.
#[cfg(test)]
pub fn gpu_cases() -> &'static [GpuCase] {
    &CASES
}

/// Planted case of GPU `index` of a box; `None` without one.
pub(super) fn of(profile: &Profile, index: u16) -> Option<Kind> {
    let name = profile.trap?.name;
    let fits =
        |c: &&GpuCase| c.on == Some(name) && (c.indices.is_empty() || c.indices.contains(&index));
    CASES.iter().find(fits).map(|c| c.kind)
}

static CASES: [GpuCase; 14] = [
    GpuCase {
        on: Some("reserved-idle"),
        gpus: "0",
        what: "utilisation 100% at the power of an idle L40S, no process",
        state: GpuState::Unknown,
        says: "a phantom: nothing is there that could cause it; it is no use, and no rest either",
        kind: Kind::Phantom,
        indices: &[0],
    },
    GpuCase {
        on: Some("tiny-batches"),
        gpus: "3",
        what: "utilisation 9%, encoder 65%",
        state: GpuState::Busy,
        says: "encoding is work",
        kind: Kind::Encoder,
        indices: &[3],
    },
    GpuCase {
        on: Some("h200-waiting"),
        gpus: "all",
        what: "a model of 70 GiB loaded, 0% for weeks",
        state: GpuState::HeldIdle,
        says: "somebody holds it and does nothing with it",
        kind: Kind::HeldIdle,
        indices: &[],
    },
    GpuCase {
        on: Some("train-7b-old"),
        gpus: "all",
        what: "no pod, no memory in use, idle power",
        state: GpuState::UnallocatedIdle,
        says: "nobody holds it",
        kind: Kind::Unallocated,
        indices: &[],
    },
    GpuCase {
        on: Some("block-reserved"),
        gpus: "all",
        what: "utilisation 100%, a quarter of the power, no tensor pipe active",
        state: GpuState::Stalled,
        says: "a collective that hangs looks fully used",
        kind: Kind::Stalled,
        indices: &[],
    },
    GpuCase {
        on: Some("eval-sweep"),
        gpus: "the 3 at work",
        what: "utilisation 90%, SM active 20%",
        state: GpuState::Inefficient,
        says: "a kernel is resident all the time and fills a fifth of the chip",
        kind: Kind::Inefficient,
        indices: &[],
    },
    GpuCase {
        on: Some("marked-busy"),
        gpus: "0",
        what: "memory active 75%, tensor pipes 4%",
        state: GpuState::Busy,
        says: "decoding is bound by memory; that is no waste",
        kind: Kind::MemoryBound,
        indices: &[],
    },
    GpuCase {
        on: Some("baseline-protected"),
        gpus: "3",
        what: "XID 79: it has fallen off the bus",
        state: GpuState::Unhealthy,
        says: "a hardware error; no work must be sent there",
        kind: Kind::OffTheBus,
        indices: &[3],
    },
    GpuCase {
        on: Some("pretrain-70b"),
        gpus: "2",
        what: "XID 31 of a program that crashed long ago, computing since",
        state: GpuState::Busy,
        says: "an application's fault stays in the register; the GPU is sound",
        kind: Kind::OldXid,
        indices: &[2],
    },
    GpuCase {
        on: Some("agent-hung"),
        gpus: "all",
        what: "last heard of half an hour ago",
        state: GpuState::Stale,
        says: "old values prove nothing",
        kind: Kind::Silent,
        indices: &[],
    },
    GpuCase {
        on: Some("broken-exporter"),
        gpus: "all",
        what: "utilisation 0% or nonsense, and nothing else",
        state: GpuState::Unknown,
        says: "one witness is not enough to say idle",
        kind: Kind::UtilAlone,
        indices: &[],
    },
    GpuCase {
        on: Some("pretrain-70b"),
        gpus: "6",
        what: "utilisation 95% says one source, 31% another, and half of the power",
        state: GpuState::Busy,
        says: "the disagreement is shown; nothing is averaged",
        kind: Kind::Disputed,
        indices: &[6],
    },
    GpuCase {
        on: Some("resumed-run"),
        gpus: "all",
        what: "at work for twenty minutes, after weeks of nothing",
        state: GpuState::Busy,
        says: "the last samples count, no closed hour shows them yet",
        kind: Kind::Woken,
        indices: &[],
    },
    GpuCase {
        on: None,
        gpus: "each at work",
        what: "boxes of 8 partitioned A100, H100 or H200: of three slices one works, two do not",
        state: GpuState::Unknown,
        says: "the first slice is busy; of the others one witness speaks alone: the power is that of the whole GPU",
        kind: Kind::Split,
        indices: &[],
    },
];
