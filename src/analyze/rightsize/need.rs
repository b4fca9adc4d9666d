//! What the work on an instance needs, as far as anything was seen of it.

use std::sync::Arc;

use jiff::Timestamp;

use super::rules::SizeRules;
use super::seen;
use super::types::Traits;
use super::words::{gib, gigabits, percent, span, vcpus};
use crate::domain::{GpuSignal, GpuState, OwnerKind, Signal, TypeSpec, Verdict};
use crate::fleet::savings::{Need, Risk};
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
    /// Nothing, and why: a clause.
    Unknown(String),
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
        runtime: Option<&'static str>,
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
    /// What was kept, what it rests on: a sentence each.
    pub says: Vec<String>,
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
    let mut guessed = None;
    let (peak, of) = match read {
        Some((Ok(max), true)) => (max, "the hourly maximum"),
        Some((Ok(mean), false)) => {
            out.risk = out.risk.max(Risk::Medium);
            let peak = (mean * rules.cpu_peak_of_mean).min(100.0);
            guessed = Some(format!(
                "Only hourly means of CPU were read (at most {}); peaks are taken to be {} times as \
                 high.",
                percent(mean),
                rules.cpu_peak_of_mean
            ));
            (peak, "the peak")
        }
        Some((Err(why), _)) => {
            out.says.push(format!("{why}: all {} vCPUs are kept.", spec.vcpus));
            return;
        }
        None => {
            out.says.push(format!("CPU was not read: all {} vCPUs are kept.", spec.vcpus));
            return;
        }
    };
    let busy = peak / 100.0 * f64::from(spec.vcpus);
    let need = (busy / room).min(f64::from(spec.vcpus));
    out.need.vcpus = Some(need);
    out.says.push(format!(
        "CPU: {of} of {} of {} vCPUs is {} busy; with {} kept free it needs {}.",
        percent(peak),
        spec.vcpus,
        vcpus(busy),
        percent(rules.cpu_headroom * 100.0),
        vcpus(need),
    ));
    out.says.extend(guessed);
}

/// How many GPUs work, and since when the others do not; `None` where all do.
fn count(sizing: SizingInput<'_>, working: u32) -> Option<String> {
    let SizingInput { spec, verdict, now, .. } = sizing;
    let devices = spec.devices();
    let lately = devices.saturating_sub(seen::idle_gpus(verdict));
    let ago = verdict.idle_since.map(|t| span(now.duration_since(t).as_hours()));
    if lately == devices {
        return None;
    }
    if working == lately {
        let since =
            ago.map_or_else(String::new, |ago| format!(" (the others have been idle for {ago})"));
        return Some(format!("{working} of {devices} GPUs work{since}."));
    }
    let since = ago.map_or_else(String::new, |ago| format!(" for {ago}"));
    Some(format!(
        "{working} of {devices} GPUs worked within {}, {} of them not{since}. They are kept: their \
         work may come back.",
        span(seen::gpu_hours(sizing)),
        working.saturating_sub(lately)
    ))
}

fn gpu(out: &mut Evidence, sizing: SizingInput<'_>, working: u32) {
    let SizingInput { spec, traits, gpus, rules, .. } = sizing;
    out.need.gpus = Some(working);
    out.says.extend(count(sizing, working));
    match seen::gpu_peak(sizing) {
        Ok(peak) => out.gpu_peak = peak,
        Err(why) => out.says.push(format!("{why}: the full speed of the GPUs is kept.")),
    }
    out.nvlink = traits.nvlink && working > 1;
    out.mig = gpus.iter().any(|g| g.sample.identity.mig.is_some());
    out.gpu_memory = gpu_memory(spec, gpus, out.mig, rules);
    let total = spec.accelerator.as_ref().map_or(0, |a| a.memory_mib);
    match &out.gpu_memory {
        GpuMemory::Used { mib, at } => {
            out.need.gpu_memory_mib = Some(*mib);
            out.risk = out.risk.max(Risk::Medium);
            out.says.push(format!(
                "GPU memory: at most {} of {} in use at one look, at {}; watch it over a whole run \
                 (`torch.cuda.max_memory_allocated`, DCGM_FI_DEV_FB_USED) before relying on it.",
                gib(*mib),
                gib(total),
                at.strftime("%H:%M UTC"),
            ));
        }
        GpuMemory::PreAllocated { mib, runtime } => {
            let who = runtime.map_or_else(
                || {
                    "That much while the GPU does little is what runtimes take in advance (vLLM, \
                     Triton, TensorFlow, JAX)"
                        .to_owned()
                },
                |name| format!("{name} takes memory in advance"),
            );
            out.says.push(format!(
                "GPU memory: {} of {} in use says nothing of the need. {who}.",
                gib(*mib),
                gib(total)
            ));
            out.says.push(question(*runtime).to_owned());
        }
        GpuMemory::Unknown(why) => out.says.push(format!(
            "GPU memory is not known ({why}): no less than {} per GPU is kept.",
            gib(total)
        )),
        GpuMemory::None => {}
    }
}

/// What to ask the runtime that takes memory in advance.
pub fn question(runtime: Option<&str>) -> &'static str {
    match runtime {
        Some("vLLM") => {
            "Ask vLLM: the log line of the weights and the metric `vllm:kv_cache_usage_perc` \
             (formerly `vllm:gpu_cache_usage_perc`) give weights + KV cache really used; \
             `--gpu-memory-utilization` only says how much it takes."
        }
        Some("JAX") => {
            "Ask JAX: `jax.local_devices()[0].memory_stats()[\"peak_bytes_in_use\"]`; \
             `XLA_PYTHON_CLIENT_PREALLOCATE=false` shows the need from outside."
        }
        Some("TensorFlow") => {
            "Ask TensorFlow: `tf.config.experimental.get_memory_info('GPU:0')['peak']`; \
             `TF_FORCE_GPU_ALLOW_GROWTH=true` shows the need from outside."
        }
        _ => {
            "Ask the runtime: vLLM's `vllm:kv_cache_usage_perc` and `--gpu-memory-utilization`, \
             Triton's `nv_gpu_memory_used_bytes` per model, `torch.cuda.max_memory_allocated()`, \
             JAX's `memory_stats()`."
        }
    }
}

/// Words that name a runtime which takes memory in advance, in a process, container or pod.
const RUNTIMES: &[(&str, &str)] = &[
    ("vllm", "vLLM"),
    ("sglang", "SGLang"),
    ("trtllm", "TensorRT-LLM"),
    ("tensorrt_llm", "TensorRT-LLM"),
    ("tensorrt-llm", "TensorRT-LLM"),
    ("text-generation-", "Text Generation Inference"),
    ("tensorflow", "TensorFlow"),
    ("tritonserver", "Triton"),
    ("jax", "JAX"),
];

/// The runtime that a GPU's processes or owner name.
fn runtime(gpu: &GpuRow) -> Option<&'static str> {
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
        return GpuMemory::Unknown("the GPUs are partitioned".into());
    }
    let fresh: Vec<(&GpuRow, f32)> = gpus
        .iter()
        .filter(|g| g.verdict.state != GpuState::Stale)
        .filter_map(|g| Some((&***g, g.sample.signals.get(GpuSignal::MemUsed)?)))
        .collect();
    if (fresh.len() as u32) < devices {
        return GpuMemory::Unknown(match fresh.len() {
            0 => "no telemetry of it".into(),
            n => format!("told of {n} of {devices} GPUs"),
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
    let devices = spec.devices();
    if rules.share_memory_by_gpu && working > 0 && working < devices {
        let share = spec.memory_mib * u64::from(working) / u64::from(devices);
        out.need.memory_mib = Some(share);
        out.risk = out.risk.max(Risk::Medium);
        out.says.push(format!(
            "Memory was not measured: {working}/{devices} of the {} is kept, the share of the GPUs \
             that work; look at it first (`free -h`).",
            gib(spec.memory_mib)
        ));
    } else {
        out.says.push(format!(
            "Memory was not measured: no less than {} is kept.",
            gib(spec.memory_mib)
        ));
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
            out.says.push("Network is known in part: it may need more than was seen.".into());
        }
        if gbps >= 0.05 {
            out.says.push(format!(
                "Network: had all of the highest day passed in one hour, it would be {}.",
                gigabits(gbps)
            ));
        }
    }
    if !traits.efa {
        return;
    }
    let cluster = cluster(row);
    let much = bytes.is_some_and(|b| b >= MUCH_NETWORK);
    let whole = traits.nvlink && working == spec.devices() && !row.instance.owners.is_empty();
    let why = match (&cluster, much, whole) {
        (Some(name), ..) => format!("it belongs to {name}"),
        (None, true, _) => "it moves much over the network".to_owned(),
        (None, false, true) => "all its GPUs work and a group owns it".to_owned(),
        (None, false, false) => {
            if traits.nvlink {
                out.says.push(
                    "Nothing speaks for EFA being used, and its traffic is not in NetworkIn/Out: \
                     look at `rdma statistic` before moving."
                        .into(),
                );
            }
            return;
        }
    };
    out.need.efa = true;
    out.says.push(format!("EFA is kept: {why}."));
}

/// The cluster whose nodes talk to each other, where a tag names one.
pub(in crate::analyze) fn cluster(row: &Row) -> Option<String> {
    let hyperpod = row.instance.owners.iter().find(|o| o.kind == OwnerKind::HyperPod);
    if let Some(owner) = hyperpod {
        return Some(format!("the HyperPod cluster {}", owner.name));
    }
    let parallel = row.instance.tags.iter().find(|(key, _)| {
        key.starts_with("parallelcluster:") || key.starts_with("aws-parallelcluster")
    });
    parallel.map(|_| "a ParallelCluster".to_owned())
}
