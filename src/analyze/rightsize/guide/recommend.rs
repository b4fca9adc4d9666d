//! The answer: which types hold the task, how fast, for how much, and why not the others.

use std::cmp::Ordering;
use std::collections::HashMap;
use std::hash::BuildHasher;
use std::sync::Arc;

use super::ask::{GuideAsk, GuideInput, Precision, Task};
use super::memory::{FILL, GIB, Memory, memory};
use super::speed::{hours, serve};
use crate::analyze::rightsize::words::{gb, per_hour};
use crate::analyze::rightsize::{GpuSpeed, Traits};
use crate::domain::number::grouped;
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

impl std::fmt::Display for GuideFail {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::NoGpu => f.write_str("no NVIDIA GPU whose speed is known"),
            Self::Memory(has, needs) => write!(
                f,
                "{} GiB per GPU can be filled, {} GiB needed",
                grouped(has / GIB, 1),
                grouped(needs / GIB, 1)
            ),
            Self::Efa => f.write_str("it takes several boxes, and it has no EFA"),
            Self::Latency(ms) => write!(f, "a token takes {} ms", grouped(*ms, 1)),
            Self::Budget(usd) => write!(f, "it costs {}", per_hour(*usd)),
            Self::NotOffered => f.write_str("no zone offers it"),
        }
    }
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
    /// What speaks for it and what to know, a sentence each.
    pub says: Vec<String>,
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
    /// What the figures rest on and what they leave out, a sentence each.
    pub warnings: Vec<String>,
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
    if gpus > 1 && !tried.traits.nvlink {
        out.says.push(
            "Its GPUs talk over PCIe: what they exchange in every step (weights and gradients) slows \
             them, here by two fifths."
                .into(),
        );
    }
    if boxes > 1 {
        out.says.push(format!(
            "{boxes} boxes in one placement group, joined by EFA: one that stops, stops all."
        ));
    }
    if gpu.capability < (8, 0) && ask.precision != Precision::Fp32 {
        out.says.push("It has no BF16: FP16 with loss scaling instead.".into());
    }
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
    if copies > 1 {
        out.says.push(format!(
            "{copies} copies on {gpus} GPU{} each: one copy alone leaves the others idle.",
            if gpus == 1 { "" } else { "s" }
        ));
    }
    if gpus > 1 && !tried.traits.nvlink {
        out.says.push("A copy spans GPUs over PCIe: a token takes longer than computed.".into());
    }
    if ask.precision == Precision::Fp8 && !gpu.fp8 {
        out.says.push("It has no FP8: weights of 8 bits are computed with at 16.".into());
    }
    if gpu.capability < (8, 0) && ask.precision == Precision::Bf16 {
        out.says.push("It has no BF16: FP16 instead.".into());
    }
    if tried.traits.fractional {
        out.says.push("It is a part of a GPU and needs the GRID (vGPU) driver.".into());
    }
    if tried.traits.arm {
        out.says.push("Arm: images and wheels for aarch64.".into());
    }
    Ok(())
}

/// Where the data can lie.
fn data(ask: &GuideAsk, tried: &Tried<'_>, out: &mut GuideCandidate) {
    let Some(size) = ask.value(GuideInput::Data).filter(|gb| *gb > 0.0) else { return };
    let store = tried.spec.instance_store_gb;
    if store as f64 >= size {
        out.says.push(format!("The data fit on its instance store of {}.", gb(store)));
    } else if let Some(gbps) = tried.traits.baseline_gbps {
        let hours = size * 8.0 / gbps / 3600.0;
        out.says.push(format!(
            "The data do not fit on its instance store of {}: one pass over the network takes at \
             least {} h.",
            gb(store),
            grouped(hours, 1)
        ));
    }
}

fn warnings(
    ask: &GuideAsk,
    memory: &Memory,
    candidates: &[GuideCandidate],
    skipped: u32,
    unread: bool,
) -> Vec<String> {
    let mut out = Vec::new();
    let billions = ask.number(GuideInput::Parameters);
    let needs = grouped(memory.total() / GIB, 1);
    out.push(format!(
        "{billions}B parameters need {needs} GiB here: the task and the precision decide, not a \
         boundary of 10B parameters."
    ));
    if ask.precision == Precision::Int4 && matches!(ask.task, Task::Pretrain | Task::FineTune) {
        out.push(
            "4 bits cannot be trained in full: the figures are those of 16 bits. Adapters on 4 bits \
             (LoRA) are another task."
                .into(),
        );
    }
    if let Some(latency) = ask.value(GuideInput::Latency) {
        out.push(match ask.task {
            Task::Inference => format!(
                "{} per token is bytes read ÷ memory bandwidth: fewer bits or more bandwidth help, \
                 more TFLOPS do not. Queueing comes on top; measure under load.",
                super::InputUnit::Milliseconds.show(latency)
            ),
            _ => "Nobody waits for it: the latency counts for nothing.".into(),
        });
    }
    if let Some(size) = ask.value(GuideInput::Data).filter(|gb| *gb > 0.0) {
        out.push(format!(
            "The size of the data ({}) decides about disks and network, not about the GPU; what counts \
             is whether reading keeps up.",
            super::InputUnit::Gigabytes.show(size)
        ));
    }
    if let (Some(first), Some(dearest)) = (
        candidates.first(),
        candidates.iter().max_by(|a, b| a.total_usd_per_hour.total_cmp(&b.total_usd_per_hour)),
    ) {
        let times = dearest.total_usd_per_hour / first.total_usd_per_hour;
        if times > 1.5 {
            out.push(format!(
                "{} costs {}× what {} does, at the prices of today: such factors change with the list \
                 (p4d was 27× a g5.2xlarge before June 2025, 18.1× after).",
                dearest.instance_type,
                grouped(times, 1),
                first.instance_type
            ));
        }
    }
    if candidates.is_empty() {
        out.push("No type that is priced in the region does it: see what each lacks.".into());
    }
    if skipped > 0 {
        out.push(format!(
            "{skipped} types with other accelerators (Trainium, Inferentia, AMD) are not compared: \
             they need other software."
        ));
    }
    if unread {
        out.push("Which zones offer what was not read: capacity is another question still.".into());
    }
    if billions < 1.0 && !ask.task.trains() {
        out.push("Below 1B parameters a CPU may do; CPU-only types are not compared.".into());
    }
    out.push(
        "Speeds are bounds from data sheets (60 % of the bandwidth, 40 % of the peak reached), not \
         measurements: run the cheapest two for an hour before choosing."
            .into(),
    );
    out
}
