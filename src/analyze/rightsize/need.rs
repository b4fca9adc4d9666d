//! What the work on an instance needs, as far as anything was seen of it.

use std::sync::Arc;

use jiff::Timestamp;

use super::rules::SizeRules;
use super::seen;
use super::types::Traits;
use crate::domain::{Figure, GpuSignal, GpuState, OwnerKind, Signal, TypeSpec, Verdict};
use crate::fleet::savings::{
    CpuUnknown, EfaReason, GpuMemoryUnknown, GpuRuntime, Need, Risk, SizeNote as Note,
};
use crate::fleet::{GpuRow, Row};

/// Network that no small job moves, bytes in the highest day: 1 Gbit/s all day long.
const MUCH_NETWORK: f64 = 1e9 / 8.0 * 86_400.0;

/// Below this activity a GPU does little, 0–1 (the boundary of "inefficient").
const LITTLE: f32 = 0.5;

/// What is known of the memory of the GPUs.
#[derive(Clone, Debug, PartialEq)]
pub enum GpuMemory {
    /// There are no NVIDIA GPUs.
    None,
    /// Nothing, and why.
    Unknown(GpuMemoryUnknown),
    /// So much at the one look there was.
    Used {
        /// The most on any GPU, MiB.
        mib: u64,
        /// When.
        at: Timestamp,
    },
    /// Taken in advance: it tells nothing of the need.
    PreAllocated {
        /// The most on any GPU, MiB.
        mib: u64,
        /// The runtime, where something names it.
        runtime: Option<GpuRuntime>,
    },
}

/// What the work needs and what says so.
#[derive(Clone, Debug, PartialEq)]
pub struct Evidence {
    /// The need.
    pub need: Need,
    /// What is known of GPU memory.
    pub gpu_memory: GpuMemory,
    /// The highest activity of a GPU that was seen, 0–1; 1 where it is not known.
    pub gpu_peak: f64,
    /// NVLink may be used: several GPUs work, and they are joined by it.
    pub nvlink: bool,
    /// GPUs are partitioned (MIG).
    pub mig: bool,
    /// The least risk that this evidence allows.
    pub risk: Risk,
    /// What was kept, and what it rests on.
    pub says: Vec<Note>,
}

/// An instance and what is known of it.
#[derive(Clone, Copy, Debug)]
pub struct SizingInput<'a> {
    /// The instance.
    pub row: &'a Row,
    /// Its type.
    pub spec: &'a TypeSpec,
    /// What sizing knows of the type.
    pub traits: &'a Traits,
    /// Its verdict.
    pub verdict: &'a Verdict,
    /// Its GPUs, as far as telemetry tells.
    pub gpus: &'a [&'a Arc<GpuRow>],
    /// The present moment.
    pub now: Timestamp,
    /// The rules.
    pub rules: &'a SizeRules,
}

/// The evidence on one instance.
pub fn evidence(sizing: SizingInput<'_>) -> Evidence {
    let SizingInput { spec, rules, .. } = sizing;
    let mut out = Evidence {
        need: Need::default(),
        gpu_memory: GpuMemory::None,
        gpu_peak: 1.0,
        nvlink: false,
        mig: false,
        risk: Risk::Low,
        says: Vec::new(),
    };
    let working = seen::working_gpus(sizing);
    // A list shows the first sentence alone: what the GPUs of a GPU box do.
    if spec.devices() > 0 {
        gpu(&mut out, sizing, working);
    }
    cpu(&mut out, sizing);
    memory(&mut out, spec, working, rules);
    if spec.instance_store_gb > 0 {
        out.need.local_nvme = true;
        out.risk = out.risk.max(Risk::Medium);
    }
    network(&mut out, sizing, working);
    out
}

/// vCPUs: the busiest hour's maximum where it was read, else a multiple of the highest hourly mean.
fn cpu(out: &mut Evidence, sizing: SizingInput<'_>) {
    let SizingInput { spec, rules, .. } = sizing;
    let room = 1.0 - rules.cpu_headroom;
    let of_mean = || seen::highest_cpu(sizing, Signal::CpuMean).map(|mean| (mean, false));
    let read = seen::highest_cpu(sizing, Signal::CpuMax).map(|max| (max, true)).or_else(of_mean);
    let (peak, mean) = match read {
        Some((Ok(max), true)) => (max, None),
        Some((Ok(mean), false)) => {
            out.risk = out.risk.max(Risk::Medium);
            ((mean * rules.cpu_peak_of_mean).min(100.0), Some(mean))
        }
        Some((Err(why), _)) => {
            return out.says.push(Note::CpuKept { why, vcpus: spec.vcpus });
        }
        None => {
            return out.says.push(Note::CpuKept { why: CpuUnknown::Unread, vcpus: spec.vcpus });
        }
    };
    let busy = peak / 100.0 * f64::from(spec.vcpus);
    let need = (busy / room).min(f64::from(spec.vcpus));
    out.need.vcpus = Some(need);
    out.says.push(Note::CpuNeed {
        peak: Figure(peak),
        is_estimate: mean.is_some(),
        of: spec.vcpus,
        busy: Figure(busy),
        free: Figure(rules.cpu_headroom * 100.0),
        need: Figure(need),
    });
    let times = Figure(rules.cpu_peak_of_mean);
    out.says.extend(mean.map(|mean| Note::CpuMeansOnly { mean: Figure(mean), times }));
}

/// How many GPUs work, and since when the others do not; `None` where all do.
fn count(sizing: SizingInput<'_>, working: u32) -> Option<Note> {
    let SizingInput { spec, verdict, now, .. } = sizing;
    let of = spec.devices();
    let lately = of.saturating_sub(seen::idle_gpus(verdict));
    let idle_hours = verdict.idle_since.map(|t| now.duration_since(t).as_hours());
    if lately == of {
        return None;
    }
    if working == lately {
        return Some(Note::GpusWork { working, of, idle_hours });
    }
    let idle = working.saturating_sub(lately);
    Some(Note::GpusWorked { working, of, within_hours: seen::gpu_hours(sizing), idle, idle_hours })
}

fn gpu(out: &mut Evidence, sizing: SizingInput<'_>, working: u32) {
    let SizingInput { spec, traits, gpus, rules, .. } = sizing;
    out.need.gpus = Some(working);
    out.says.extend(count(sizing, working));
    match seen::gpu_peak(sizing) {
        Ok(peak) => out.gpu_peak = peak,
        Err(why) => out.says.push(Note::GpuSpeedKept(why)),
    }
    out.nvlink = traits.nvlink && working > 1;
    out.mig = gpus.iter().any(|g| g.sample.identity.mig.is_some());
    out.gpu_memory = gpu_memory(spec, gpus, out.mig, rules);
    let of_mib = spec.accelerator.as_ref().map_or(0, |a| a.memory_mib);
    match out.gpu_memory {
        GpuMemory::Used { mib, at } => {
            out.need.gpu_memory_mib = Some(mib);
            out.risk = out.risk.max(Risk::Medium);
            out.says.push(Note::GpuMemoryUsed { mib, of_mib, at });
        }
        GpuMemory::PreAllocated { mib, runtime } => out
            .says
            .extend([Note::GpuMemoryReserved { mib, of_mib, runtime }, Note::AskRuntime(runtime)]),
        GpuMemory::Unknown(why) => out.says.push(Note::GpuMemoryKept { why, mib: of_mib }),
        GpuMemory::None => {}
    }
}

/// Words that name a runtime which takes memory in advance, in a process, container or pod.
const RUNTIMES: &[(&str, GpuRuntime)] = &[
    ("vllm", GpuRuntime::Vllm),
    ("sglang", GpuRuntime::Sglang),
    ("trtllm", GpuRuntime::TensorRtLlm),
    ("tensorrt_llm", GpuRuntime::TensorRtLlm),
    ("tensorrt-llm", GpuRuntime::TensorRtLlm),
    ("text-generation-", GpuRuntime::TextGenerationInference),
    ("tensorflow", GpuRuntime::TensorFlow),
    ("tritonserver", GpuRuntime::Triton),
    ("jax", GpuRuntime::Jax),
];

/// The runtime that a GPU's processes or owner name.
pub(in crate::analyze) fn runtime(gpu: &GpuRow) -> Option<GpuRuntime> {
    let commands = gpu.sample.processes.iter().flat_map(|p| p.iter()).map(|p| &*p.command);
    let owner = &gpu.sample.owner;
    let owners = [&owner.container, &owner.pod].into_iter().filter_map(Option::as_deref);
    commands.chain(owners).find_map(|text| {
        let text = text.to_ascii_lowercase();
        RUNTIMES.iter().find(|(word, _)| text.contains(word)).map(|(_, name)| *name)
    })
}

fn gpu_memory(spec: &TypeSpec, gpus: &[&Arc<GpuRow>], mig: bool, rules: &SizeRules) -> GpuMemory {
    let devices = spec.devices();
    if mig {
        return GpuMemory::Unknown(GpuMemoryUnknown::Partitioned);
    }
    let fresh: Vec<(&GpuRow, f32)> = gpus
        .iter()
        .filter(|g| g.verdict.state != GpuState::Stale)
        .filter_map(|g| Some((&***g, g.sample.signals.get(GpuSignal::MemUsed)?)))
        .collect();
    if (fresh.len() as u32) < devices {
        return GpuMemory::Unknown(match fresh.len() {
            0 => GpuMemoryUnknown::NoTelemetry,
            told => GpuMemoryUnknown::Some { told, of: devices },
        });
    }
    let by_type = spec.accelerator.as_ref().map_or(0.0, |a| a.memory_mib as f32);
    let most = fresh.iter().map(|(_, used)| *used).fold(0.0, f32::max);
    let mib = most.ceil() as u64;
    let named = fresh.iter().find_map(|(g, _)| runtime(g));
    let full = fresh.iter().any(|(g, used)| {
        let total = g.sample.signals.get(GpuSignal::MemTotal).unwrap_or(by_type);
        let little = g.verdict.activity.is_none_or(|a| a.effective < LITTLE);
        total > 0.0 && f64::from(used / total) >= rules.preallocated_share && little
    });
    if named.is_some() || full {
        return GpuMemory::PreAllocated { mib, runtime: named };
    }
    let at = fresh.iter().map(|(g, _)| g.sample.taken_at).min().unwrap_or_default();
    GpuMemory::Used { mib, at }
}

/// Memory: nobody outside the box sees it.
fn memory(out: &mut Evidence, spec: &TypeSpec, working: u32, rules: &SizeRules) {
    let (of, mib) = (spec.devices(), spec.memory_mib);
    if rules.share_memory_by_gpu && working > 0 && working < of {
        let share = mib * u64::from(working) / u64::from(of);
        out.need.memory_mib = Some(share);
        out.risk = out.risk.max(Risk::Medium);
        out.says.push(Note::MemoryShare { working, of, mib });
    } else {
        out.says.push(Note::MemoryKept(mib));
    }
}

fn network(out: &mut Evidence, sizing: SizingInput<'_>, working: u32) {
    let SizingInput { row, spec, traits, verdict, rules, .. } = sizing;
    let day =
        verdict.signals.iter().find(|s| s.signal == Signal::NetworkIn && &*s.unit == "bytes/day");
    let known = day.filter(|s| seen::is_complete(s, rules)).and_then(|s| s.highest);
    // What was seen of it is needed, however little that is.
    let bytes = known.or_else(|| day.and_then(|s| s.highest.or(s.value)));
    if known.is_none() {
        out.risk = out.risk.max(Risk::Medium);
    }
    if let Some(bytes) = bytes {
        // No hour of the day can have had more than the whole day.
        let gbps = bytes * 8.0 / 3600.0 / 1e9;
        out.need.network_gbps = Some(gbps);
        if known.is_none() {
            out.says.push(Note::NetworkPartly);
        }
        if gbps >= 0.05 {
            out.says.push(Note::NetworkPeak(Figure(gbps)));
        }
    }
    if !traits.efa {
        return;
    }
    let much = bytes.is_some_and(|b| b >= MUCH_NETWORK);
    let whole = traits.nvlink && working == spec.devices() && !row.instance.owners.is_empty();
    let why = cluster(row)
        .or(much.then_some(EfaReason::MuchTraffic))
        .or(whole.then_some(EfaReason::WholeAndOwned));
    if let Some(why) = why {
        out.need.efa = true;
        out.says.push(Note::EfaKept(why));
    } else if traits.nvlink {
        out.says.push(Note::EfaUnlikely);
    }
}

/// The cluster whose nodes talk to each other, where a tag names one.
pub(in crate::analyze) fn cluster(row: &Row) -> Option<EfaReason> {
    let hyperpod = row.instance.owners.iter().find(|o| o.kind == OwnerKind::HyperPod);
    if let Some(owner) = hyperpod {
        return Some(EfaReason::HyperPod(owner.name.clone()));
    }
    let parallel = row.instance.tags.iter().any(|(key, _)| {
        key.starts_with("parallelcluster:") || key.starts_with("aws-parallelcluster")
    });
    parallel.then_some(EfaReason::ParallelCluster)
}
