//! What burntop concludes about an instance, with the evidence.

use std::collections::BTreeMap;
use std::sync::Arc;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::gpu::GpuVerdict;
use super::hour::Hour;
use super::instance::Instance;
use super::intern;
use super::likely::LikelyReason;
use super::reason::{Reason, Unchecked};
use super::signal_evidence::SignalEvidence;

/// Verdict on an instance.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum VerdictKind {
    /// Nothing happened for at least the preset's minimum stretch, with full evidence.
    Idle,
    /// Some GPUs did nothing for the minimum stretch while others worked.
    Partial,
    /// In use, but far below its capacity.
    Underused,
    /// The evidence is insufficient.
    Unknown,
    /// Launched too recently to judge.
    TooNew,
    /// In use at a fitting level.
    Busy,
    /// Exempt from judgement by a tag.
    Exempt,
}

impl VerdictKind {
    /// All verdicts, worst first.
    pub const ALL: [Self; 7] = [
        Self::Idle,
        Self::Partial,
        Self::Underused,
        Self::Unknown,
        Self::TooNew,
        Self::Busy,
        Self::Exempt,
    ];

    /// Name in JSON, CSV and filters.
    pub fn name(self) -> &'static str {
        match self {
            Self::Idle => "idle",
            Self::Partial => "partial",
            Self::Underused => "underused",
            Self::Unknown => "unknown",
            Self::TooNew => "too_new",
            Self::Busy => "busy",
            Self::Exempt => "exempt",
        }
    }

    /// False for verdicts without a statement about waste, which is not a waste of 0.
    pub fn tells_waste(self) -> bool {
        !matches!(self, Self::Unknown | Self::TooNew)
    }
}

/// Verdict on one instance, with the evidence.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Verdict {
    /// Kind of verdict.
    pub kind: VerdictKind,
    /// Start of the uninterrupted idle stretch that lasts until now; `None` unless idle or partial.
    pub idle_since: Option<Timestamp>,
    /// True when the stretch may have begun earlier: it reaches back to the start of the evidence, so that its cost is
    /// a lower bound. False without `idle_since`.
    pub idle_since_at_least: bool,
    /// Number of GPUs idle for the minimum stretch; `None` where GPUs cannot be told apart or there are none.
    pub idle_gpus: Option<u32>,
    /// Number of accelerator devices of the instance.
    pub devices: u32,
    /// Lowest coverage of the signals that the preset needs, 0–1.
    pub coverage: f32,
    /// Mean GPU utilisation over all observed GPUs, percent, 0–100: since `idle_since` where there is one, else over
    /// all judged hours. `None` when unknown.
    pub gpu_percent: Option<f32>,
    /// Mean CPU over the judged hours, percent, 0–100; `None` when unknown.
    pub cpu_percent: Option<f32>,
    /// Mean network bytes per day, in plus out; `None` when not known.
    pub network_bytes_per_day: Option<f64>,
    /// Signals that the verdict rests on.
    pub signals: Vec<SignalEvidence>,
    /// Limits of the evidence: what was not checked and could matter. Shared by many instances
    /// ([`intern::shared_list`]).
    #[serde(deserialize_with = "intern::list")]
    pub not_checked: Arc<[Unchecked]>,
    /// Reason for the verdict.
    pub reason: Reason,
    /// Why it likely stands idle or does little: a guess beside the verdict. `None` where its hours tell none.
    pub likely: Option<Box<LikelyReason>>,
    /// Bytes sent a day, the mean of the judged hours. Nothing is judged by it. `None` where it was not read, is of less
    /// than a day, has gaps, or makes no sense.
    #[serde(default)]
    pub network_out_bytes_per_day: Option<f64>,
}

impl Verdict {
    /// True when the verdict is about the time since the last launch: an idle stretch ends when the instance stops.
    pub fn is_of_life(&self, instance: &Instance) -> bool {
        self.idle_since.is_none_or(|since| since >= instance.launched_at)
    }

    /// Wasted share of the instance's price, 0–1: 1 for an idle instance, k of n GPUs for a partial one, 0 otherwise
    /// (stopping does not save underuse). `None` when the verdict makes no statement about waste.
    pub fn waste_share(&self) -> Option<f64> {
        self.kind.tells_waste().then(|| match self.kind {
            VerdictKind::Idle => 1.0,
            VerdictKind::Partial if self.devices > 0 => {
                f64::from(self.idle_gpus.unwrap_or(0)) / f64::from(self.devices)
            }
            _ => 0.0,
        })
    }
}

/// Starts by the id of what idles.
pub type IdleStarts = BTreeMap<Arc<str>, IdleStart>;

/// How far back an idle stretch was seen to reach. It is kept while an instance or a GPU idles, so that
/// the stretch does not begin anew with the hours that each verdict looks at.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct IdleStart {
    /// Start of the stretch, as [`Verdict::idle_since`].
    pub since: Timestamp,
    /// True when it is a lower bound, as [`Verdict::idle_since_at_least`].
    pub at_least: bool,
    /// Hour after the last judged one: the stretch is idle up to here.
    pub until: Hour,
    /// The GPUs of an instance that idle, where others work; `None`: all of it.
    pub gpus: Option<Vec<u16>>,
}

impl IdleStart {
    /// Idle stretch of a verdict over hours up to `until`; `None` when nothing idles.
    pub fn of(verdict: &Verdict, until: Hour) -> Option<Self> {
        let (since, at_least) = (verdict.idle_since?, verdict.idle_since_at_least);
        let idle = verdict.signals.iter().filter(|s| !s.busy).filter_map(|s| s.signal.gpu());
        let gpus = (verdict.kind == VerdictKind::Partial).then(|| idle.collect());
        Some(Self { since, at_least, until, gpus })
    }

    /// What a verdict over hours up to `until` has seen of a GPU; `None` where it does not idle.
    pub fn of_gpu(verdict: &GpuVerdict, until: Hour) -> Option<Self> {
        let (since, at_least) = (verdict.idle_since?, verdict.idle_since_at_least);
        Some(Self { since, at_least, until, gpus: None })
    }

    /// True where this is an earlier start of a stretch that was seen anew: that one began at `at`, as
    /// far as could be seen in the hours looked at, which reach from `looked_from` to `to`. No hour
    /// lies between what was seen then and now, and nothing was launched anew.
    pub fn goes_on(
        &self,
        at: Timestamp,
        looked_from: Timestamp,
        to: Hour,
        launched: Option<Timestamp>,
    ) -> bool {
        self.until.start() >= looked_from
            && self.until <= to
            && self.since <= at
            && launched.is_none_or(|launched| self.since >= launched)
    }
}
