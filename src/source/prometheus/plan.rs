//! Which queries a sweep consists of, given the metric names that exist.

use super::promql::{Keep, Matchers};
use crate::domain::{GpuSignal, Throttle};
use crate::source::vocabulary::{Family, Metric, Part, Vocabulary};

/// One instant query of a sweep.
#[derive(Clone, Debug, PartialEq)]
pub struct Query {
    /// Subject, for messages: `sm_active`, `names`.
    pub about: &'static str,
    /// Query in `PromQL`.
    pub text: String,
    /// Meaning of its values; `None` when the metric name of each series decides.
    pub metric: Option<Metric>,
    /// True for a query without which a sweep is worthless.
    pub vital: bool,
    /// True for a query that only every fourth sweep makes.
    pub slow: bool,
}

/// Signals of a GPU's activity, best first.
pub const ACTIVITY: [GpuSignal; 3] = [GpuSignal::SmActive, GpuSignal::GrEngine, GpuSignal::Util];

/// Signals of engines that may be busy while those of [`ACTIVITY`] are idle.
pub const OTHER_ENGINES: [GpuSignal; 3] = [GpuSignal::Enc, GpuSignal::Dec, GpuSignal::Dram];

/// Asked in each sweep, besides activity.
const FAST: [(&str, &[GpuSignal]); 5] = [
    ("tensor", &[GpuSignal::Tensor]),
    ("dram", &[GpuSignal::Dram]),
    ("power", &[GpuSignal::Power]),
    ("memory", &[GpuSignal::MemUsed]),
    ("enc and dec", &[GpuSignal::Enc, GpuSignal::Dec]),
];

/// Asked in each fourth sweep: what changes slowly or serves the detail page.
const SLOW: [(&str, &[GpuSignal]); 6] = [
    ("temperature", &[GpuSignal::Temp, GpuSignal::MemTemp]),
    (
        "health",
        &[
            GpuSignal::Xid,
            GpuSignal::EccUncorrected,
            GpuSignal::RemapFailure,
            GpuSignal::RecoveryAction,
        ],
    ),
    ("limits", &[GpuSignal::PowerLimit, GpuSignal::SmClockMax]),
    ("clocks", &[GpuSignal::SmClock, GpuSignal::MemClock]),
    ("energy", &[GpuSignal::Energy]),
    (
        "traffic",
        &[
            GpuSignal::MemCopy,
            GpuSignal::SmOccupancy,
            GpuSignal::PcieTx,
            GpuSignal::PcieRx,
            GpuSignal::Nvlink,
        ],
    ),
];

/// Existing metric names with their meaning.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Names {
    known: Vec<(String, Metric)>,
    recorded: Vec<String>,
}

impl Names {
    /// Selects from `names` those in the vocabulary, and those of recording rules.
    pub fn new(mut names: Vec<String>, vocabulary: &Vocabulary) -> Self {
        names.sort_unstable();
        names.dedup();
        let recorded = names.iter().filter(|n| super::rules::is_recorded(n)).cloned().collect();
        let known = names.into_iter().filter_map(|n| vocabulary.get(&n).map(|m| (n, m))).collect();
        Self { known, recorded }
    }

    /// True without any GPU metric.
    pub fn is_empty(&self) -> bool {
        self.known.is_empty()
    }

    /// Metric names with their meaning, sorted by name.
    pub fn all(&self) -> impl Iterator<Item = (&str, Metric)> {
        self.known.iter().map(|(name, metric)| (name.as_str(), *metric))
    }

    /// True when a recording rule of this name has results.
    pub fn has_recorded(&self, name: &str) -> bool {
        self.recorded.iter().any(|n| n == name)
    }

    /// Metrics that measure `signal` itself, in any scale.
    pub fn of(&self, signal: GpuSignal) -> Vec<(&str, Metric)> {
        self.all().filter(|(_, m)| m.part == Part::Signal(signal)).collect()
    }

    /// Activity signals that exist, best first.
    pub fn activity(&self) -> impl Iterator<Item = GpuSignal> {
        ACTIVITY.into_iter().filter(|s| !self.of(*s).is_empty())
    }

    /// Queries of a sweep. `wide` = number of activity signals, best first, that are queried in each sweep with all
    /// labels; more than one when the best does not cover all GPUs.
    pub fn queries(&self, matchers: &Matchers, wide: usize) -> Vec<Query> {
        let mut out = Vec::new();
        for (at, signal) in self.activity().enumerate() {
            let first = at < wide.max(1);
            let keep = if first { Keep::Full } else { Keep::Apart };
            let names = self.of(signal);
            push(&mut out, matchers, signal.name(), &names, keep, !first);
            if let (true, Some(query)) = (first, out.last_mut()) {
                query.vital = true;
            }
        }
        let plain = |signals: &[GpuSignal]| -> Vec<(&str, Metric)> {
            signals.iter().flat_map(|s| self.of(*s)).collect()
        };
        let parts = |wanted: fn(Part) -> bool| -> Vec<(&str, Metric)> {
            self.all().filter(|(_, m)| wanted(m.part)).collect()
        };
        // NeuronCores and what only names devices have no activity query to learn their labels from.
        let neuron: Vec<_> = self.all().filter(|(_, m)| m.family == Family::Neuron).collect();
        push(&mut out, matchers, "neuron", &neuron, Keep::Full, false);
        let labels: Vec<_> = parts(|p| matches!(p, Part::Labels | Part::JobId | Part::UserId))
            .into_iter()
            .filter(|(_, m)| m.family != Family::Neuron)
            .collect();
        push(&mut out, matchers, "names", &labels, Keep::Full, false);
        for (about, signals) in FAST {
            push(&mut out, matchers, about, &plain(signals), Keep::Apart, false);
        }
        if self.of(GpuSignal::MemUsed).is_empty() {
            let share = parts(|p| p == Part::MemShare);
            push(&mut out, matchers, "memory", &share, Keep::Apart, false);
        }
        // The driver's idle bit is a witness, and has to be as fresh as the others.
        let bit = parts(|p| p == Part::Throttle || p == Part::ThrottleBit(Throttle::GPU_IDLE));
        push(&mut out, matchers, "idle bit", &bit, Keep::Apart, false);
        for (about, signals) in SLOW {
            push(&mut out, matchers, about, &plain(signals), Keep::Apart, true);
        }
        let mut total = plain(&[GpuSignal::MemTotal]);
        total.extend(parts(|p| matches!(p, Part::MemFree | Part::MemReserved)));
        push(&mut out, matchers, "memory size", &total, Keep::Apart, true);
        let rest = parts(|p| match p {
            Part::ThrottleBit(bit) => bit != Throttle::GPU_IDLE,
            p => matches!(p, Part::XidSeen | Part::NvlinkTx | Part::NvlinkRx),
        });
        push(&mut out, matchers, "events", &rest, Keep::Apart, true);
        out
    }

    /// Query for the age of the best activity signals, seconds, per GPU; `None` without any. An instant vector carries
    /// the time of the query, and values up to five minutes old.
    pub fn age(&self, matchers: &Matchers, wide: usize) -> Option<String> {
        let by = Keep::Apart.list();
        let parts: Vec<_> = self
            .activity()
            .take(wide.max(1))
            .flat_map(|signal| self.of(signal))
            .map(|(name, _)| {
                format!("max by ({by}) (timestamp({}))", matchers.select(&[name], &[]))
            })
            .collect();
        (!parts.is_empty()).then(|| format!("time() - ({})", parts.join(" or ")))
    }
}

fn push(
    out: &mut Vec<Query>,
    matchers: &Matchers,
    about: &'static str,
    names: &[(&str, Metric)],
    keep: Keep,
    slow: bool,
) {
    let (metric, by) = match names {
        [] => return,
        [(_, metric)] => (Some(*metric), keep.list()),
        // The name tells spellings, and with them scales, apart.
        _ => (None, format!("__name__,{}", keep.list())),
    };
    let names: Vec<_> = names.iter().map(|(name, _)| *name).collect();
    let text = format!("max by ({by}) ({})", matchers.select(&names, &[]));
    out.push(Query { about, text, metric, vital: false, slow });
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(of: &[&str]) -> Names {
        Names::new(of.iter().map(|n| (*n).to_owned()).collect(), &Vocabulary::default())
    }

    const DEFAULT_EXPORTER: &[&str] = &[
        "DCGM_FI_DEV_GPU_UTIL",
        "DCGM_FI_PROF_GR_ENGINE_ACTIVE",
        "DCGM_FI_PROF_PIPE_TENSOR_ACTIVE",
        "DCGM_FI_DEV_POWER_USAGE",
        "DCGM_FI_DEV_FB_USED",
        "DCGM_FI_DEV_FB_FREE",
        "DCGM_FI_DEV_ENC_UTIL",
        "DCGM_FI_DEV_DEC_UTIL",
        "up",
    ];

    #[test]
    fn one_query_has_the_owner_and_the_others_the_fewest_labels() {
        let queries = names(DEFAULT_EXPORTER).queries(&Matchers::default(), 1);
        let fast: Vec<_> = queries.iter().filter(|q| !q.slow).collect();
        let about: Vec<_> = fast.iter().map(|q| q.about).collect();
        assert_eq!(about, ["gr_engine_active", "tensor", "power", "memory", "enc and dec"]);
        let owners: Vec<_> =
            queries.iter().filter(|q| q.text.contains("exported_pod")).map(|q| q.about).collect();
        assert_eq!(owners, ["gr_engine_active"]);
        assert!(fast[0].vital && fast[0].text.ends_with("(DCGM_FI_PROF_GR_ENGINE_ACTIVE)"));
        let slow: Vec<_> = queries.iter().filter(|q| q.slow).map(|q| q.about).collect();
        assert_eq!(slow, ["util", "memory size"]);
        let wide = names(DEFAULT_EXPORTER).queries(&Matchers::default(), 2);
        assert!(wide.iter().any(|q| q.about == "util" && !q.slow && q.vital));
    }

    #[test]
    fn several_spellings_are_told_apart_by_their_names() {
        let matchers = Matchers::parse("cluster='a'").unwrap();
        let queries = names(&["DCGM_FI_DEV_GPU_UTIL", "nvidia_smi_utilization_gpu_ratio"])
            .queries(&matchers, 1);
        assert_eq!(queries.len(), 1);
        assert!(queries[0].text.starts_with("max by (__name__,UUID,"), "{}", queries[0].text);
        assert!(queries[0].text.contains(
            r#"{__name__=~"DCGM_FI_DEV_GPU_UTIL|nvidia_smi_utilization_gpu_ratio",cluster="a"}"#
        ));
        assert_eq!(queries[0].metric, None);
    }

    #[test]
    fn the_age_asks_for_each_spelling_by_itself() {
        // Two names in one selector would become two series with the same labels.
        let names = names(&["DCGM_FI_DEV_GPU_UTIL", "nvidia_smi_utilization_gpu_ratio"]);
        let age = names.age(&Matchers::default(), 1).unwrap();
        assert_eq!(age.matches("timestamp(").count(), 2);
        assert!(age.starts_with("time() - (max by (") && age.contains(" or max by ("), "{age}");
    }
}
