//! What burntop concludes about an instance, with the evidence.

use std::collections::BTreeMap;
use std::sync::Arc;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::gpu::GpuVerdict;
use super::hour::Hour;
use super::instance::Instance;
use super::intern;
use super::signal_evidence::SignalEvidence;

/// The seven verdicts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum VerdictKind {
    /// Nothing happened for at least the preset's minimum stretch, on full evidence.
    Idle,
    /// Some GPUs did nothing for the minimum stretch while others worked.
    Partial,
    /// In use, but far below its size.
    Underused,
    /// The evidence does not suffice to say anything.
    Unknown,
    /// Too young to judge.
    TooNew,
    /// In use.
    Busy,
    /// Exempt by tag.
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

    /// The JSON and filter name.
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

    /// False where nothing is said of waste, which is not 0.
    pub fn tells_waste(self) -> bool {
        !matches!(self, Self::Unknown | Self::TooNew)
    }
}

/// The verdict on one instance.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Verdict {
    /// The conclusion.
    pub kind: VerdictKind,
    /// Start of the uninterrupted idle stretch that lasts until now (idle and partial only).
    pub idle_since: Option<Timestamp>,
    /// True when the stretch may have begun earlier: it reaches back to where looking began, so that
    /// what it costs is a lower bound. False without `idle_since`.
    pub idle_since_at_least: bool,
    /// GPUs idle for the minimum stretch; `None` where GPUs cannot be told apart or there are none.
    pub idle_gpus: Option<u32>,
    /// Devices the box has.
    pub devices: u32,
    /// The lowest coverage of any signal that the preset needs, 0–1.
    pub coverage: f32,
    /// Mean GPU utilisation over all seen GPUs, percent: since `idle_since` where there is one, else
    /// over all judged hours. `None` when not known.
    pub gpu_percent: Option<f32>,
    /// Mean CPU over the judged hours, percent; `None` when not known.
    pub cpu_percent: Option<f32>,
    /// Mean network bytes per day, in plus out; `None` when not known.
    pub network_bytes_per_day: Option<f64>,
    /// Each signal the verdict rests on.
    pub signals: Vec<SignalEvidence>,
    /// What was not checked and could matter, in words; the same list for many instances
    /// ([`intern::shared_list`]).
    #[serde(deserialize_with = "intern::list")]
    pub not_checked: Arc<[Arc<str>]>,
    /// One sentence: why this verdict.
    pub reason: Arc<str>,
}

impl Verdict {
    /// True unless the verdict speaks of the instance before its last launch: an idle stretch
    /// ends when the instance stops.
    pub fn is_of_life(&self, instance: &Instance) -> bool {
        self.idle_since.is_none_or(|since| since >= instance.launched_at)
    }

    /// The share of the instance's price that the verdict calls waste, 0–1: all of an idle box,
    /// k of n for a partial one, nothing otherwise (underused is not waste that stopping saves).
    /// `None` where the verdict says nothing of waste.
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
    /// As [`Verdict::idle_since`].
    pub since: Timestamp,
    /// As [`Verdict::idle_since_at_least`].
    pub at_least: bool,
    /// The hour after the last one that was judged: up to here nothing ran.
    pub until: Hour,
    /// The GPUs of an instance that idle, where others work; `None`: all of it.
    pub gpus: Option<Vec<u16>>,
}

impl IdleStart {
    /// What a verdict over hours up to `until` has seen; `None` where nothing idles.
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
