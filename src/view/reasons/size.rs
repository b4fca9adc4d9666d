//! Why a type fits the work of an instance or does not, and what to check before a change.

use super::figures::{gb, gib, gigabits, percent, span, vcpus};
use crate::domain::CommitmentKind;
use crate::fleet::savings::{
    CpuUnknown, EfaReason, GpuMemoryUnknown, GpuPeakUnknown, GpuRuntime, Gpus, PricedType,
    SizeFail as F, SizeNote as N,
};
use crate::view::format::{self, usd_per_hour};

/// Commitments that a sentence names.
const NAMED: usize = 3;

/// A type with a part of a GPU, of a proposal and of the guide.
pub(super) const FRACTIONAL_GPU: &str = "It is a part of a GPU and needs the GRID (vGPU) driver.";

/// One sentence or two. Clean text.
pub fn size(note: &N) -> String {
    match note {
        N::TypeUnknown => "Nothing is known of its type.".into(),
        N::OtherAccelerator => {
            "What its accelerators hold and need cannot be told from outside.".into()
        }
        N::PriceUnknown => "Its price is not known.".into(),
        N::Unpriced { types, region } => {
            let count = types.names.len() + types.more;
            let (s, have) = if count == 1 { ("", "has") } else { ("s", "have") };
            let others = if types.more > 0 { " and others" } else { "" };
            format!(
                "{count} smaller type{s} would do and {have} no known price in {region}: \
                 {}{others}.",
                types.names.join(", ")
            )
        }
        N::FitsIfMemory { memory_mib, to } => {
            let memory = gib(*memory_mib);
            format!("If {memory} per GPU were enough, {} would do.", priced(to))
        }
        N::Nearest { to, fails } => {
            let fails: Vec<String> = fails.iter().map(size_fail).collect();
            format!(
                "Nothing cheaper meets all of it. The nearest, {}, would not do: {}.",
                priced(to),
                fails.join("; ")
            )
        }
        N::NothingCheaper => "Nothing of its kind is cheaper in its region.".into(),
        N::Apart { gpus, to, usd_per_hour: usd, instead_of } => format!(
            "If the {gpus} GPUs work on separate things, {gpus} × {to} would cost {} instead of \
             {}.",
            usd_per_hour(usd.0),
            usd_per_hour(instead_of.0)
        ),
        N::NextSmaller { to, fail } => {
            format!("The next smaller, {}, would not do: {}.", priced(to), size_fail(fail))
        }
        N::OtherGpu { from, to } => format!("GPU: {} instead of {}.", gpus(to), gpus(from)),
        N::ComputeCapability(major, minor) => {
            format!("Its code must hold kernels or PTX for compute capability {major}.{minor}.")
        }
        N::FractionalGpu => FRACTIONAL_GPU.into(),
        N::ErasesStore => "Stopping erases the instance store.".into(),
        N::SmallerStore { from_gb, to_gb } => format!(
            "Instance store: {} instead of {}; look at what is used (`df`). Stopping erases it.",
            gb(*to_gb),
            gb(*from_gb)
        ),
        N::LessNetwork { from, to } => format!(
            "Network was not read: up to {} instead of {}.",
            gigabits(to.0),
            gigabits(from.0)
        ),
        N::XenAndNitro => {
            "It moves between Xen and Nitro: the image needs the ENA and NVMe drivers.".into()
        }
        N::OfferUnchecked => "Whether its zone offers the type was not checked.".into(),
        N::LeavesReservation => "It leaves its capacity reservation, which goes on billing.".into(),
        N::StartNewFirst => {
            "Start the new one before letting go of the old: capacity may not come back.".into()
        }
        N::LaunchTemplate { kind, name } => format!(
            "Change the launch template of {} {name}, which would bring the old type back.",
            kind.word()
        ),
        N::Consolidate { boxes, team, instance_type, gpus, enough } => format!(
            "{boxes} boxes of {team} like it ({instance_type}, same zone) have {gpus} GPUs at work \
             together: {enough} would hold them, {} could go.",
            boxes - enough
        ),
        N::CpuNeed { peak, is_estimate, of, busy, free, need } => {
            let what = if *is_estimate { "the peak" } else { "the hourly maximum" };
            format!(
                "CPU: {what} of {} of {of} vCPUs is {} busy; with {} kept free it needs {}.",
                percent(peak.0),
                vcpus(busy.0),
                percent(free.0),
                vcpus(need.0)
            )
        }
        N::CpuMeansOnly { mean, times } => format!(
            "Only hourly means of CPU were read (at most {}); peaks are taken to be {} times as \
             high.",
            percent(mean.0),
            times.0
        ),
        N::CpuKept { why, vcpus } => format!("{}: all {vcpus} vCPUs are kept.", cpu_unknown(*why)),
        N::GpusWork { working, of, idle_hours } => {
            let since = idle_hours.map(|h| format!(" (the others have been idle for {})", span(h)));
            format!("{working} of {of} GPUs work{}.", since.unwrap_or_default())
        }
        N::GpusWorked { working, of, within_hours, idle, idle_hours } => {
            let since = idle_hours.map(|h| format!(" for {}", span(h)));
            format!(
                "{working} of {of} GPUs worked within {}, {idle} of them not{}. They are kept: \
                 their work may come back.",
                span(*within_hours),
                since.unwrap_or_default()
            )
        }
        N::GpuSpeedKept(why) => {
            let why = match why {
                GpuPeakUnknown::Hours { label, got, of } => {
                    format!("{label} is known of {got} of {of} hours")
                }
                GpuPeakUnknown::Peaks => "The peaks of the GPUs are not known".to_owned(),
            };
            format!("{why}: the full speed of the GPUs is kept.")
        }
        N::GpuMemoryUsed { mib, of_mib, at } => format!(
            "GPU memory: at most {} of {} in use at one look, at {}; watch it over a whole run \
             (`torch.cuda.max_memory_allocated`, DCGM_FI_DEV_FB_USED) before relying on it.",
            gib(*mib),
            gib(*of_mib),
            at.strftime("%H:%M UTC")
        ),
        N::GpuMemoryReserved { mib, of_mib, runtime } => {
            let who = match runtime {
                Some(runtime) => format!("{} takes memory in advance", runtime_name(*runtime)),
                None => "That much while the GPU does little is what runtimes take in advance \
                         (vLLM, Triton, TensorFlow, JAX)"
                    .to_owned(),
            };
            format!(
                "GPU memory: {} of {} in use says nothing of the need. {who}.",
                gib(*mib),
                gib(*of_mib)
            )
        }
        N::AskRuntime(runtime) => ask_runtime(*runtime).into(),
        N::GpuMemoryKept { why, mib } => format!(
            "GPU memory is not known ({}): no less than {} per GPU is kept.",
            gpu_memory_unknown(*why),
            gib(*mib)
        ),
        N::MemoryShare { working, of, mib } => format!(
            "Memory was not measured: {working}/{of} of the {} is kept, the share of the GPUs that \
             work; look at it first (`free -h`).",
            gib(*mib)
        ),
        N::MemoryKept(mib) => {
            format!("Memory was not measured: no less than {} is kept.", gib(*mib))
        }
        N::NetworkPartly => "Network is known in part: it may need more than was seen.".into(),
        N::NetworkPeak(gbps) => format!(
            "Network: had all of the highest day passed in one hour, it would be {}.",
            gigabits(gbps.0)
        ),
        N::EfaUnlikely => {
            "Nothing speaks for EFA being used, and its traffic is not in NetworkIn/Out: look at \
             `rdma statistic` before moving."
                .into()
        }
        N::EfaKept(why) => format!("EFA is kept: {}.", efa_reason(why)),
        N::NetUnread => super::NET_UNREAD.into(),
        N::NetNotCovered => "Net unknown: no commitment covers what it is.".into(),
        N::NetUnknown(why) => format!("Net unknown: {}.", super::net_unknown(why)),
        N::NetRateUnread { plan, instance_type } => {
            format!("Net unknown: the rate of the plan {plan} for {instance_type} was not read.")
        }
        N::NetOtherUseUnpriced => {
            "Net unknown: what its commitment would cover instead has no known price.".into()
        }
        N::NetLess { gross, net, by } => format!(
            "Of {} at list price the bill falls by {}: {} cover a part and would be used less.",
            usd_per_hour(gross.0),
            usd_per_hour(net.0),
            commitments(by)
        ),
        N::NetNothing { costs, until, by } => {
            let cost = costs.map_or_else(
                || "saves nothing".to_owned(),
                |usd| format!("costs {} more", usd_per_hour(usd.0)),
            );
            let until = until.map(|at| format!(" until {}", at.strftime("%Y-%m-%d")));
            format!(
                "It {cost}{}: {} pay for the present type, used or not, and nothing else would use \
                 them.",
                until.unwrap_or_default(),
                commitments(by)
            )
        }
        #[cfg(test)]
        N::Fixture(said) => (*said).to_owned(),
    }
}

/// A clause: the constraint that a type does not meet.
pub fn size_fail(fail: &F) -> String {
    match fail {
        F::Kind => "another kind of machine".into(),
        F::Architecture => "another processor architecture".into(),
        F::Metal => "bare metal".into(),
        F::Burstable => "its CPU is not there all the time".into(),
        F::OlderCpu(has, needs) => format!("processors of generation {has}, not below {needs}"),
        F::Gpus(has, needs) => {
            format!("{}, {needs} work", format::plural(*has as usize, "GPU"))
        }
        F::GpuMemory(has, needs) => format!("{} per GPU, {} kept", gib(*has), gib(*needs)),
        F::Older(has, needs) => {
            format!("compute capability {}.{}, not below {}.{}", has.0, has.1, needs.0, needs.1)
        }
        F::Slower(None, _) => "how fast its GPU is is not known".into(),
        F::Slower(Some(has), needs) => format!(
            "its GPU has {} of the speed, {} needed",
            percent(has.0 * 100.0),
            percent(needs.0 * 100.0)
        ),
        F::NvLink => "no NVLink between its GPUs".into(),
        F::Mig => "its GPU cannot be partitioned (MIG)".into(),
        F::Vcpus(has, needs) => format!("{has} vCPUs, {} needed", vcpus(needs.0)),
        F::Memory(has, needs) => format!("{} memory, {} kept", gib(*has), gib(*needs)),
        F::InstanceStore => "no instance store".into(),
        F::Network(None, needs) => {
            format!("its network is not known, {} needed", gigabits(needs.0))
        }
        F::Network(Some(has), needs) => {
            format!("{} network, {} needed", gigabits(has.0), gigabits(needs.0))
        }
        F::Efa => "no EFA".into(),
        F::NotOffered => "not offered in the zone".into(),
    }
}

/// `g5.4xlarge at $1.62/h`.
fn priced(of: &PricedType) -> String {
    format!("{} at {}", of.name, usd_per_hour(of.usd_per_hour.0))
}

/// `4 × A10G (22.4 GiB)`.
fn gpus(of: &Gpus) -> String {
    format!("{} × {} ({})", of.devices, of.model, gib(of.memory_mib))
}

fn cpu_unknown(why: CpuUnknown) -> String {
    match why {
        CpuUnknown::Unread => "CPU was not read".to_owned(),
        CpuUnknown::Hours { got, of } => format!("CPU is known of {got} of {of} hours"),
        CpuUnknown::Peak => "The busiest hour of CPU is not known".to_owned(),
    }
}

fn gpu_memory_unknown(why: GpuMemoryUnknown) -> String {
    match why {
        GpuMemoryUnknown::Partitioned => "the GPUs are partitioned".to_owned(),
        GpuMemoryUnknown::NoTelemetry => "no telemetry of it".to_owned(),
        GpuMemoryUnknown::Some { told, of } => format!("told of {told} of {of} GPUs"),
    }
}

pub(super) fn runtime_name(runtime: GpuRuntime) -> &'static str {
    match runtime {
        GpuRuntime::Vllm => "vLLM",
        GpuRuntime::Sglang => "SGLang",
        GpuRuntime::TensorRtLlm => "TensorRT-LLM",
        GpuRuntime::TextGenerationInference => "Text Generation Inference",
        GpuRuntime::TensorFlow => "TensorFlow",
        GpuRuntime::Triton => "Triton",
        GpuRuntime::Jax => "JAX",
    }
}

/// What to ask the runtime that takes memory in advance.
fn ask_runtime(runtime: Option<GpuRuntime>) -> &'static str {
    match runtime {
        Some(GpuRuntime::Vllm) => {
            "Ask vLLM: the log line of the weights and the metric `vllm:kv_cache_usage_perc` \
             (formerly `vllm:gpu_cache_usage_perc`) give weights + KV cache really used; \
             `--gpu-memory-utilization` only says how much it takes."
        }
        Some(GpuRuntime::Jax) => {
            "Ask JAX: `jax.local_devices()[0].memory_stats()[\"peak_bytes_in_use\"]`; \
             `XLA_PYTHON_CLIENT_PREALLOCATE=false` shows the need from outside."
        }
        Some(GpuRuntime::TensorFlow) => {
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

fn efa_reason(why: &EfaReason) -> String {
    match why {
        EfaReason::HyperPod(name) => format!("it belongs to the HyperPod cluster {name}"),
        EfaReason::ParallelCluster => "it belongs to a ParallelCluster".to_owned(),
        EfaReason::MuchTraffic => "it moves much over the network".to_owned(),
        EfaReason::WholeAndOwned => "all its GPUs work and a group owns it".to_owned(),
    }
}

/// `Reserved Instances ri-1, Savings Plan sp-1`.
fn commitments(by: &[(CommitmentKind, std::sync::Arc<str>)]) -> String {
    let name =
        |(kind, id): &(CommitmentKind, std::sync::Arc<str>)| format!("{} {id}", kind.label());
    let mut all: Vec<String> = by.iter().take(NAMED).map(name).collect();
    if by.len() > NAMED {
        all.push(format!("{} more", by.len() - NAMED));
    }
    if all.is_empty() { "commitments".to_owned() } else { all.join(", ") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::Figure;
    use crate::fleet::savings::Named;

    fn of(name: &str, usd: f64) -> PricedType {
        PricedType { name: name.into(), usd_per_hour: Figure(usd) }
    }

    #[test]
    fn notes_read_as_sentences() {
        let gpus =
            |devices, model: &str, memory_mib| Gpus { devices, model: model.into(), memory_mib };
        let types = |names: &[&str]| {
            let names: Vec<_> = names.iter().map(|n| (*n).into()).collect();
            N::Unpriced { types: Named::of(&names), region: "us-east-1".into() }
        };
        for (note, words) in [
            (
                types(&["g6e.2xlarge"]),
                "1 smaller type would do and has no known price in us-east-1: g6e.2xlarge.",
            ),
            (
                types(&["a", "b", "c", "d"]),
                "4 smaller types would do and have no known price in us-east-1: a, b, c and \
                 others.",
            ),
            (
                N::FitsIfMemory { memory_mib: 22_888, to: of("g6.24xlarge", 6.6752) },
                "If 22.4 GiB per GPU were enough, g6.24xlarge at $6.68/h would do.",
            ),
            (
                N::Nearest {
                    to: of("g5.2xlarge", 1.212),
                    fails: vec![F::Memory(32_768, 49_152), F::Efa],
                },
                "Nothing cheaper meets all of it. The nearest, g5.2xlarge at $1.21/h, would not \
                 do: 32 GiB memory, 48 GiB kept; no EFA.",
            ),
            (
                N::NextSmaller { to: of("g5.2xlarge", 1.212), fail: F::Memory(32_768, 49_152) },
                "The next smaller, g5.2xlarge at $1.21/h, would not do: 32 GiB memory, 48 GiB \
                 kept.",
            ),
            (
                N::Apart {
                    gpus: 2,
                    to: "g5.4xlarge".into(),
                    usd_per_hour: Figure(3.248),
                    instead_of: Figure(5.672),
                },
                "If the 2 GPUs work on separate things, 2 × g5.4xlarge would cost $3.25/h instead \
                 of $5.67/h.",
            ),
            (
                N::OtherGpu { from: gpus(4, "A10G", 22_888), to: gpus(1, "L4", 22_888) },
                "GPU: 1 × L4 (22.4 GiB) instead of 4 × A10G (22.4 GiB).",
            ),
            (
                N::ComputeCapability(8, 9),
                "Its code must hold kernels or PTX for compute capability 8.9.",
            ),
            (
                N::SmallerStore { from_gb: 3800, to_gb: 600 },
                "Instance store: 600 GB instead of 3,800 GB; look at what is used (`df`). Stopping \
                 erases it.",
            ),
            (
                N::LessNetwork { from: Figure(40.0), to: Figure(25.0) },
                "Network was not read: up to 25 Gbit/s instead of 40 Gbit/s.",
            ),
            (
                N::Consolidate {
                    boxes: 3,
                    team: "vision".into(),
                    instance_type: "p5.48xlarge".into(),
                    gpus: 13,
                    enough: 2,
                },
                "3 boxes of vision like it (p5.48xlarge, same zone) have 13 GPUs at work together: \
                 2 would hold them, 1 could go.",
            ),
            (
                N::CpuNeed {
                    peak: Figure(100.0 / 96.0),
                    is_estimate: false,
                    of: 96,
                    busy: Figure(1.0),
                    free: Figure(20.0),
                    need: Figure(1.25),
                },
                "CPU: the hourly maximum of 1.04% of 96 vCPUs is 1 vCPUs busy; with 20% kept \
                 free it needs 1.25 vCPUs.",
            ),
            (
                N::CpuMeansOnly { mean: Figure(5.0), times: Figure(2.0) },
                "Only hourly means of CPU were read (at most 5%); peaks are taken to be 2 times \
                 as high.",
            ),
            (
                N::CpuKept { why: CpuUnknown::Hours { got: 150, of: 168 }, vcpus: 64 },
                "CPU is known of 150 of 168 hours: all 64 vCPUs are kept.",
            ),
            (
                N::GpusWork { working: 1, of: 8, idle_hours: Some(168) },
                "1 of 8 GPUs work (the others have been idle for 7 d).",
            ),
            (
                N::GpusWorked {
                    working: 8,
                    of: 8,
                    within_hours: 168,
                    idle: 7,
                    idle_hours: Some(42),
                },
                "8 of 8 GPUs worked within 7 d, 7 of them not for 42 h. They are kept: their work \
                 may come back.",
            ),
            (
                N::GpuSpeedKept(GpuPeakUnknown::Hours {
                    label: "GPU 0 max".into(),
                    got: 40,
                    of: 168,
                }),
                "GPU 0 max is known of 40 of 168 hours: the full speed of the GPUs is kept.",
            ),
            (
                N::GpuMemoryUsed {
                    mib: 8192,
                    of_mib: 22_888,
                    at: "2026-11-01T12:00:00Z".parse().unwrap(),
                },
                "GPU memory: at most 8 GiB of 22.4 GiB in use at one look, at 12:00 UTC; watch it \
                 over a whole run (`torch.cuda.max_memory_allocated`, DCGM_FI_DEV_FB_USED) before \
                 relying on it.",
            ),
            (
                N::GpuMemoryReserved {
                    mib: 41_984,
                    of_mib: 45_776,
                    runtime: Some(GpuRuntime::Vllm),
                },
                "GPU memory: 41 GiB of 44.7 GiB in use says nothing of the need. vLLM takes memory \
                 in advance.",
            ),
            (
                N::GpuMemoryKept { why: GpuMemoryUnknown::Some { told: 3, of: 8 }, mib: 81_920 },
                "GPU memory is not known (told of 3 of 8 GPUs): no less than 80 GiB per GPU is \
                 kept.",
            ),
            (
                N::MemoryShare { working: 1, of: 4, mib: 196_608 },
                "Memory was not measured: 1/4 of the 192 GiB is kept, the share of the GPUs that \
                 work; look at it first (`free -h`).",
            ),
            (
                N::NetworkPeak(Figure(11.111)),
                "Network: had all of the highest day passed in one hour, it would be 11.1 Gbit/s.",
            ),
            (
                N::EfaKept(EfaReason::HyperPod("ml".into())),
                "EFA is kept: it belongs to the HyperPod cluster ml.",
            ),
        ] {
            assert_eq!(size(&note), words);
        }
        assert!(size(&N::AskRuntime(Some(GpuRuntime::Vllm))).contains("--gpu-memory-utilization"));
    }

    #[test]
    fn the_net_names_three_commitments() {
        let ri = |n: usize| (CommitmentKind::ReservedInstances, format!("ri-{n}").into());
        let by = |n: usize| (1..=n).map(ri).collect::<Vec<_>>();
        let until = Some("2026-12-01T12:00:00Z".parse().unwrap());
        for (note, words) in [
            (
                N::NetNothing { costs: Some(Figure(5.26824)), until, by: by(1) },
                "It costs $5.27/h more until 2026-12-01: Reserved Instances ri-1 pay for the \
                 present type, used or not, and nothing else would use them.",
            ),
            (
                N::NetNothing { costs: None, until: None, by: vec![] },
                "It saves nothing: commitments pay for the present type, used or not, and nothing \
                 else would use them.",
            ),
            (
                N::NetLess { gross: Figure(16.69), net: Figure(3.66), by: by(5) },
                "Of $16.69/h at list price the bill falls by $3.66/h: Reserved Instances ri-1, \
                 Reserved Instances ri-2, Reserved Instances ri-3, 2 more cover a part and would \
                 be used less.",
            ),
            (
                N::NetRateUnread { plan: "sp-1".into(), instance_type: "g7e.8xlarge".into() },
                "Net unknown: the rate of the plan sp-1 for g7e.8xlarge was not read.",
            ),
        ] {
            assert_eq!(size(&note), words);
        }
    }

    #[test]
    fn a_constraint_that_is_not_met_is_a_clause() {
        for (fail, words) in [
            (F::OlderCpu(5, 7), "processors of generation 5, not below 7"),
            (F::Gpus(1, 2), "1 GPU, 2 work"),
            (F::GpuMemory(22_888, 16_384), "22.4 GiB per GPU, 16 GiB kept"),
            (F::Older((7, 5), (8, 6)), "compute capability 7.5, not below 8.6"),
            (F::Slower(None, Figure(1.0)), "how fast its GPU is is not known"),
            (
                F::Slower(Some(Figure(0.5)), Figure(0.5625)),
                "its GPU has 50% of the speed, 56% needed",
            ),
            (F::Vcpus(8, Figure(9.6)), "8 vCPUs, 9.60 vCPUs needed"),
            (F::Network(None, Figure(12.5)), "its network is not known, 12.5 Gbit/s needed"),
            (
                F::Network(Some(Figure(10.0)), Figure(11.11)),
                "10 Gbit/s network, 11.1 Gbit/s needed",
            ),
        ] {
            assert_eq!(size_fail(&fail), words);
        }
    }
}
