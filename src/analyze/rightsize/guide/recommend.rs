//! The answer: which types hold the task, how fast, for how much, and why not the others.

use std::cmp::Ordering;
use std::collections::HashMap;
use std::hash::BuildHasher;
use std::sync::Arc;

use super::ask::{GuideAsk, GuideInput, Precision, Task};
use super::memory::{FILL, Memory, memory};
use super::speed::{hours, serve};
use crate::analyze::rightsize::{GpuSpeed, Traits};
use crate::domain::{AcceleratorKind, Platform, Provenance, Tenancy, TypeSpec, ZoneOffering};
use crate::fleet::PriceBook;

/// Boxes that one training run is spread over at most.
const MOST_BOXES: u32 = 64;

/// Why a type will not do.
#[derive(Clone, Debug, PartialEq)]
pub enum GuideFail {
    /// No NVIDIA GPU whose speed is known.
    NoGpu,
    /// Its GPUs do not hold it together: bytes per GPU that may be filled, bytes needed on each.
    Memory(f64, f64),
    /// It takes several boxes, and it has no EFA.
    Efa,
    /// A token takes so many milliseconds.
    Latency(f64),
    /// So many boxes of it cost more than the budget, USD/h.
    Budget(f64),
    /// No zone of the region offers it.
    NotOffered,
}

/// What speaks for a type, and what to know of it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum GuideNote {
    /// Its GPUs exchange weights and gradients over PCIe.
    PcieTraining,
    /// Number of boxes in one placement group: one that stops, stops all.
    PlacementGroup(u32),
    /// It has no BF16: training in FP16 needs loss scaling.
    ScaledFp16,
    /// Copies of the model in a box.
    Copies {
        /// Number of copies.
        copies: u32,
        /// GPUs of each.
        gpus: u32,
    },
    /// A copy spans GPUs over PCIe.
    PcieServing,
    /// It has no FP8: 8 bits are computed with at 16.
    NoFp8,
    /// It has no BF16: FP16 serves instead.
    NoBf16,
    /// It is a part of a GPU, which needs another driver.
    FractionalGpu,
    /// Its processors are Arm.
    Arm,
    /// The data fit on its instance store, GB.
    DataFit(u64),
    /// The data do not fit on its instance store.
    DataOverNetwork {
        /// Size of the instance store, GB.
        store_gb: u64,
        /// Least duration of one pass over the network, hours.
        hours: f64,
    },
}

/// What the figures of an answer rest on, and what they leave out.
#[derive(Clone, Debug, PartialEq)]
pub enum GuideWarning {
    /// The task and the precision decide about the memory.
    Memory {
        /// Parameters, billions.
        billions: f64,
        /// Memory on one GPU that holds all of it, bytes.
        bytes: f64,
    },
    /// 4 bits cannot be trained in full: the figures are those of 16.
    FourBitTraining,
    /// Milliseconds per token that are asked for: bandwidth decides about them.
    Latency(f64),
    /// The latency that is asked for does not matter to the task.
    LatencyUnused,
    /// Size of the data, GB: it decides about disks and network.
    Data(f64),
    /// The dearest type costs many times the cheapest.
    PriceFactor {
        /// The dearest type.
        dearest: Arc<str>,
        /// Its price over that of the cheapest.
        times: f64,
        /// The cheapest type.
        cheapest: Arc<str>,
    },
    /// No type that is priced in the region does it.
    NoType,
    /// Number of types with other accelerators, which are not compared.
    OtherAccelerators(u32),
    /// Which zones offer which type was not read.
    ZonesUnread,
    /// A CPU may serve so small a model.
    CpuMayDo,
    /// Speeds are bounds from data sheets.
    SpeedBounds,
}

/// A type that does the task.
#[derive(Clone, Debug, PartialEq)]
pub struct GuideCandidate {
    /// Instance type.
    pub instance_type: Arc<str>,
    /// GPUs of a box.
    pub gpus: u32,
    /// Model of the GPU.
    pub gpu_model: Arc<str>,
    /// GPUs that hold one copy of the model.
    pub gpus_per_copy: u32,
    /// Boxes.
    pub boxes: u32,
    /// One box, USD/h on demand.
    pub usd_per_hour: f64,
    /// Who says so.
    pub provenance: Provenance,
    /// All boxes, USD/h.
    pub total_usd_per_hour: f64,
    /// In times of the cheapest candidate's.
    pub times_cheapest: f64,
    /// The part of the GPU memory that may be filled which is, 0–1.
    pub memory_share: f64,
    /// Milliseconds per token; `None` in training.
    pub ms_per_token: Option<f64>,
    /// Milliseconds until the first token of a full prompt; `None` in training.
    pub ms_first_token: Option<f64>,
    /// Tokens per second of all boxes; `None` in training.
    pub tokens_per_s: Option<f64>,
    /// USD per million tokens when it is busy all the time; `None` in training.
    pub usd_per_million_tokens: Option<f64>,
    /// Hours of the run; `None` in inference and without a number of tokens.
    pub hours: Option<f64>,
    /// USD of the run.
    pub run_usd: Option<f64>,
    /// Zones that offer it; `None` when that was not read.
    pub zones: Option<Vec<Arc<str>>>,
    /// What speaks for it and what to know.
    pub says: Vec<GuideNote>,
}

/// A type that does not.
#[derive(Clone, Debug, PartialEq)]
pub struct Rejected {
    /// Instance type.
    pub instance_type: Arc<str>,
    /// One box, USD/h on demand.
    pub usd_per_hour: f64,
    /// Why not.
    pub fail: GuideFail,
}

/// The answer.
#[derive(Clone, Debug, PartialEq)]
pub struct Guide {
    /// The memory it needs.
    pub memory: Memory,
    /// Types that do it, best first: the cheapest run or the cheapest tokens where they are known,
    /// else the cheapest hour.
    pub candidates: Vec<GuideCandidate>,
    /// Those that do not, cheapest first.
    pub rejected: Vec<Rejected>,
    /// What the figures rest on and what they leave out.
    pub warnings: Vec<GuideWarning>,
}

/// What a type could do, while it is judged.
struct Tried<'a> {
    spec: &'a TypeSpec,
    traits: Traits,
    usd: f64,
    provenance: Provenance,
    zones: Option<Vec<Arc<str>>>,
}

/// Recommends types of a region at on-demand prices for Linux. `offerings` are the zones of the
/// region; `None` when they were not read.
pub fn recommend<S: BuildHasher>(
    ask: &GuideAsk,
    types: &HashMap<Arc<str>, Arc<TypeSpec>, S>,
    prices: &PriceBook,
    region: &Arc<str>,
    offerings: Option<&[ZoneOffering]>,
) -> Guide {
    let memory = memory(ask);
    let (mut candidates, mut rejected, mut skipped) = (Vec::new(), Vec::new(), 0_u32);
    for (name, spec) in types {
        let rate = prices.list_price(region, name, Platform::Linux, Tenancy::Shared);
        let (Some(rate), Some(accelerator)) = (rate, &spec.accelerator) else { continue };
        if accelerator.kind != AcceleratorKind::NvidiaGpu {
            skipped += 1;
            continue;
        }
        let zones = offerings.map(|zones| {
            let offers = |z: &&ZoneOffering| z.types.iter().any(|t| t == name);
            zones.iter().filter(offers).map(|z| z.az.clone()).collect()
        });
        let tried = Tried {
            spec,
            traits: Traits::of(spec),
            usd: rate.usd_per_hour,
            provenance: rate.provenance.clone(),
            zones,
        };
        match try_type(ask, &memory, tried) {
            Ok(candidate) => candidates.push(candidate),
            Err(fail) => rejected.push(Rejected {
                instance_type: name.clone(),
                usd_per_hour: rate.usd_per_hour,
                fail,
            }),
        }
    }
    candidates.sort_by(|a, b| order(ask, a, b));
    let cheapest = candidates.iter().map(|c| c.total_usd_per_hour).fold(f64::INFINITY, f64::min);
    for candidate in &mut candidates {
        candidate.times_cheapest = candidate.total_usd_per_hour / cheapest;
    }
    rejected.sort_by(|a, b| {
        a.usd_per_hour
            .total_cmp(&b.usd_per_hour)
            .then_with(|| a.instance_type.cmp(&b.instance_type))
    });
    let warnings = warnings(ask, &memory, &candidates, skipped, offerings.is_none());
    Guide { memory, candidates, rejected, warnings }
}

/// The best first.
fn order(ask: &GuideAsk, a: &GuideCandidate, b: &GuideCandidate) -> Ordering {
    let cost = |c: &GuideCandidate| match ask.task {
        Task::Pretrain | Task::FineTune | Task::Lora => c.run_usd.unwrap_or(c.total_usd_per_hour),
        Task::Batch => c.usd_per_million_tokens.unwrap_or(c.total_usd_per_hour),
        Task::Inference => c.total_usd_per_hour,
    };
    cost(a)
        .total_cmp(&cost(b))
        .then_with(|| a.total_usd_per_hour.total_cmp(&b.total_usd_per_hour))
        .then_with(|| a.instance_type.cmp(&b.instance_type))
}

fn try_type(
    ask: &GuideAsk,
    memory: &Memory,
    tried: Tried<'_>,
) -> Result<GuideCandidate, GuideFail> {
    let accelerator = tried.spec.accelerator.as_ref().ok_or(GuideFail::NoGpu)?;
    let gpu = tried.traits.gpu.filter(|_| accelerator.devices > 0).ok_or(GuideFail::NoGpu)?;
    if tried.zones.as_ref().is_some_and(Vec::is_empty) {
        return Err(GuideFail::NotOffered);
    }
    let usable = accelerator.memory_mib as f64 * 1024.0 * 1024.0 * FILL;
    let mut out = GuideCandidate {
        instance_type: tried.spec.name.clone(),
        gpus: accelerator.devices,
        gpu_model: accelerator.model.clone(),
        gpus_per_copy: 1,
        boxes: 1,
        usd_per_hour: tried.usd,
        provenance: tried.provenance.clone(),
        total_usd_per_hour: 0.0,
        times_cheapest: 1.0,
        memory_share: 0.0,
        ms_per_token: None,
        ms_first_token: None,
        tokens_per_s: None,
        usd_per_million_tokens: None,
        hours: None,
        run_usd: None,
        zones: tried.zones.clone(),
        says: Vec::new(),
    };
    if ask.task.trains() {
        train(ask, memory, &tried, gpu, usable, &mut out)?;
    } else {
        infer(ask, memory, &tried, gpu, usable, &mut out)?;
    }
    out.total_usd_per_hour = f64::from(out.boxes) * tried.usd;
    out.run_usd = out.hours.map(|h| h * out.total_usd_per_hour);
    out.usd_per_million_tokens =
        out.tokens_per_s.map(|t| out.total_usd_per_hour / (t * 3600.0) * 1e6);
    if ask.value(GuideInput::Budget).is_some_and(|budget| out.total_usd_per_hour > budget) {
        return Err(GuideFail::Budget(out.total_usd_per_hour));
    }
    data(ask, &tried, &mut out);
    Ok(out)
}

/// Training shares states over all GPUs of all boxes (ZeRO-3, FSDP).
fn train(
    ask: &GuideAsk,
    memory: &Memory,
    tried: &Tried<'_>,
    gpu: GpuSpeed,
    usable: f64,
    out: &mut GuideCandidate,
) -> Result<(), GuideFail> {
    let devices = out.gpus;
    let boxes = (1..=MOST_BOXES).find(|boxes| memory.per_gpu(devices * boxes) <= usable);
    let Some(boxes) = boxes else {
        return Err(GuideFail::Memory(usable, memory.per_gpu(devices * MOST_BOXES)));
    };
    if boxes > 1 && !tried.traits.efa {
        return Err(GuideFail::Efa);
    }
    let gpus = devices * boxes;
    out.boxes = boxes;
    out.gpus_per_copy = gpus;
    out.memory_share = memory.per_gpu(gpus) / usable;
    out.hours = hours(ask, gpu, gpus, tried.traits.nvlink);
    let notes = [
        (gpus > 1 && !tried.traits.nvlink).then_some(GuideNote::PcieTraining),
        (boxes > 1).then_some(GuideNote::PlacementGroup(boxes)),
        (gpu.capability < (8, 0) && ask.precision != Precision::Fp32)
            .then_some(GuideNote::ScaledFp16),
    ];
    out.says.extend(notes.into_iter().flatten());
    Ok(())
}

/// Inference puts a copy on as few GPUs as hold it (a power of two: heads are split evenly), and as
/// many copies into a box as there is room for.
fn infer(
    ask: &GuideAsk,
    memory: &Memory,
    tried: &Tried<'_>,
    gpu: GpuSpeed,
    usable: f64,
    out: &mut GuideCandidate,
) -> Result<(), GuideFail> {
    let powers = || (0..5).map(|n| 1_u32 << n).filter(|n| *n <= out.gpus);
    let least = powers().find(|gpus| memory.per_gpu(*gpus) <= usable);
    let Some(least) = least else {
        let most = powers().next_back().unwrap_or(1);
        return Err(GuideFail::Memory(usable, memory.per_gpu(most)));
    };
    // More GPUs for a copy make it faster: as few as meet the latency.
    let limit = ask.value(GuideInput::Latency).filter(|_| ask.task == Task::Inference);
    let meets =
        |gpus: &u32| limit.is_none_or(|ms| serve(ask, memory, gpu, *gpus).token_s * 1000.0 <= ms);
    let fitting: Vec<u32> = powers().filter(|gpus| *gpus >= least).collect();
    let Some(gpus) = fitting.iter().copied().find(meets) else {
        let most = fitting.last().copied().unwrap_or(least);
        return Err(GuideFail::Latency(serve(ask, memory, gpu, most).token_s * 1000.0));
    };
    let served = serve(ask, memory, gpu, gpus);
    let copies = (out.gpus / gpus).max(1);
    let each = f64::from(copies) * served.tokens_per_s;
    let boxes =
        ask.value(GuideInput::Throughput).map_or(1.0, |t| (t / each - 1e-9).ceil().max(1.0));
    out.boxes = boxes.min(1e6) as u32;
    out.gpus_per_copy = gpus;
    out.memory_share = memory.per_gpu(gpus) / usable;
    out.ms_per_token = Some(served.token_s * 1000.0);
    out.ms_first_token = Some(served.first_s * 1000.0);
    out.tokens_per_s = Some(f64::from(out.boxes) * each);
    let traits = &tried.traits;
    let notes = [
        (copies > 1).then_some(GuideNote::Copies { copies, gpus }),
        (gpus > 1 && !traits.nvlink).then_some(GuideNote::PcieServing),
        (ask.precision == Precision::Fp8 && !gpu.fp8).then_some(GuideNote::NoFp8),
        (gpu.capability < (8, 0) && ask.precision == Precision::Bf16).then_some(GuideNote::NoBf16),
        traits.fractional.then_some(GuideNote::FractionalGpu),
        traits.arm.then_some(GuideNote::Arm),
    ];
    out.says.extend(notes.into_iter().flatten());
    Ok(())
}

/// Where the data can lie.
fn data(ask: &GuideAsk, tried: &Tried<'_>, out: &mut GuideCandidate) {
    let Some(size) = ask.value(GuideInput::Data).filter(|gb| *gb > 0.0) else { return };
    let store_gb = tried.spec.instance_store_gb;
    if store_gb as f64 >= size {
        out.says.push(GuideNote::DataFit(store_gb));
    } else if let Some(gbps) = tried.traits.baseline_gbps {
        let hours = size * 8.0 / gbps / 3600.0;
        out.says.push(GuideNote::DataOverNetwork { store_gb, hours });
    }
}

fn warnings(
    ask: &GuideAsk,
    memory: &Memory,
    candidates: &[GuideCandidate],
    skipped: u32,
    unread: bool,
) -> Vec<GuideWarning> {
    let billions = ask.number(GuideInput::Parameters);
    let in_full = matches!(ask.task, Task::Pretrain | Task::FineTune);
    let latency = ask.value(GuideInput::Latency).map(|latency| match ask.task {
        Task::Inference => GuideWarning::Latency(latency),
        _ => GuideWarning::LatencyUnused,
    });
    let all = [
        Some(GuideWarning::Memory { billions, bytes: memory.total() }),
        (in_full && ask.precision == Precision::Int4).then_some(GuideWarning::FourBitTraining),
        latency,
        ask.value(GuideInput::Data).filter(|gb| *gb > 0.0).map(GuideWarning::Data),
        price_factor(candidates),
        candidates.is_empty().then_some(GuideWarning::NoType),
        (skipped > 0).then_some(GuideWarning::OtherAccelerators(skipped)),
        unread.then_some(GuideWarning::ZonesUnread),
        (billions < 1.0 && !ask.task.trains()).then_some(GuideWarning::CpuMayDo),
        Some(GuideWarning::SpeedBounds),
    ];
    all.into_iter().flatten().collect()
}

/// The dearest of `candidates` beside the first; `None` where it costs at most 1.5 times as much.
fn price_factor(candidates: &[GuideCandidate]) -> Option<GuideWarning> {
    let total = |c: &GuideCandidate| c.total_usd_per_hour;
    let first = candidates.first()?;
    let dearest = candidates.iter().max_by(|a, b| total(a).total_cmp(&total(b)))?;
    let times = total(dearest) / total(first);
    (times > 1.5).then(|| GuideWarning::PriceFactor {
        dearest: dearest.instance_type.clone(),
        times,
        cheapest: first.instance_type.clone(),
    })
}
