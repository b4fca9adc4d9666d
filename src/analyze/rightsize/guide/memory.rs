//! GPU memory that a task needs, part by part, each with its source.

use super::ask::{GuideAsk, GuideInput, Precision, Task};
use super::shape::shape;

/// GPU memory that a framework keeps for itself, bytes per GPU: CUDA context, NCCL, graphs, workspace.
/// Of the house; a context alone takes 0.3–2 GiB.
const OVERHEAD: f64 = 2.0 * GIB;

/// The part of a GPU's memory that may be filled: vLLM's default `gpu_memory_utilization` until 2025
/// (0.92 since); fragmentation takes as much in training.
pub(super) const FILL: f64 = 0.9;

pub(super) const GIB: f64 = 1024.0 * 1024.0 * 1024.0;

/// One part of it.
#[derive(Clone, Debug, PartialEq)]
pub struct MemoryLine {
    /// What.
    pub label: &'static str,
    /// Bytes: of all GPUs together where it is `shared`, else of each.
    pub bytes: f64,
    /// True when GPUs share it.
    pub shared: bool,
    /// How it is computed, with its figures.
    pub how: String,
    /// Who says so.
    pub source: &'static str,
}

/// All of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Memory {
    /// Its parts.
    pub lines: Vec<MemoryLine>,
}

impl Memory {
    /// Bytes on each of so many GPUs that share the model evenly.
    pub fn per_gpu(&self, gpus: u32) -> f64 {
        let gpus = f64::from(gpus.max(1));
        self.lines.iter().map(|l| if l.shared { l.bytes / gpus } else { l.bytes }).sum()
    }

    /// Bytes on one GPU that holds all of it.
    pub fn total(&self) -> f64 {
        self.per_gpu(1)
    }

    fn bytes(&self, label: &str) -> f64 {
        self.lines.iter().filter(|l| l.label == label).map(|l| l.bytes).sum()
    }

    /// Weights, bytes.
    pub fn weights(&self) -> f64 {
        self.bytes("weights")
    }

    /// KV cache, bytes.
    pub fn kv_cache(&self) -> f64 {
        self.bytes("KV cache")
    }
}

/// The memory that a question needs.
pub fn memory(ask: &GuideAsk) -> Memory {
    let mut lines = Vec::new();
    let parameters = ask.parameters();
    let billions = ask.number(GuideInput::Parameters);
    let mut shared = |label, bytes: f64, how: String, source| {
        lines.push(MemoryLine { label, bytes, shared: true, how, source });
    };
    match ask.task {
        Task::Pretrain | Task::FineTune => {
            let held = if ask.precision == Precision::Fp32 { 4.0 } else { 2.0 };
            // Gradients are added up in FP32 where a run is long.
            let gradient = match (ask.task, ask.precision) {
                (Task::Pretrain, _) | (_, Precision::Fp32) => 4.0,
                _ => 2.0,
            };
            let states = if ask.precision == Precision::Fp32 { 8.0 } else { 12.0 };
            let source = "ZeRO (Rajbhandari et al. 2020, §3.1): 2 + 2 + 12 bytes; Megatron Core, \
                          distributed optimizer: 18 with FP32 gradients, 16 in FP32";
            let line = |bytes: f64| format!("{billions}B × {bytes} bytes");
            shared("weights", parameters * held, line(held), source);
            shared("gradients", parameters * gradient, line(gradient), source);
            shared("optimiser states (Adam)", parameters * states, line(states), source);
        }
        Task::Lora => {
            let bytes = ask.precision.bytes();
            shared(
                "weights",
                parameters * bytes,
                format!("{billions}B × {bytes:.3} bytes, frozen"),
                "QLoRA (Dettmers et al. 2023): 4 bits + 0.127 bit of scales",
            );
            let share = ask.number(GuideInput::LoraShare) / 100.0;
            shared(
                "adapters with their states",
                parameters * share * 16.0,
                format!("{billions}B × {:.2} % × 16 bytes", share * 100.0),
                "ZeRO, §3.1, for the adapters alone",
            );
        }
        Task::Inference | Task::Batch => {
            let bytes = ask.precision.bytes();
            shared(
                "weights",
                parameters * bytes,
                format!("{billions}B × {bytes:.3} bytes"),
                "parameters × bytes of the precision",
            );
            let shape = shape(ask);
            let tokens = ask.number(GuideInput::Context) * ask.number(GuideInput::Sequences);
            shared(
                "KV cache",
                tokens * shape.kv_bytes,
                format!("{tokens} tokens × {:.0} KiB", shape.kv_bytes / 1024.0),
                "2 × layers × KV heads × head size × 2 bytes per token (PagedAttention, Kwon et al. \
                 2023)",
            );
        }
    }
    if ask.task.trains() {
        let shape = shape(ask);
        let (s, b) = (ask.number(GuideInput::Context), ask.number(GuideInput::Sequences));
        let boundaries = 2.0 * s * b * shape.hidden * shape.layers;
        let one = 34.0 * s * b * shape.hidden;
        let source = "Korthikanti et al. 2022: 2·s·b·h per layer kept, 34·s·b·h of the one computed \
                      anew (attention does not keep its matrix)";
        let line =
            |label, bytes, how, source| MemoryLine { label, bytes, shared: false, how, source };
        lines.push(line(
            "activations, recomputed",
            boundaries + one,
            format!(
                "{s} tokens × {b} × {:.0} × ({:.0} layers × 2 + 34) bytes",
                shape.hidden, shape.layers
            ),
            source,
        ));
        lines.push(line(
            "logits and their gradient",
            8.0 * s * b * shape.vocabulary,
            format!("{s} tokens × {b} × {:.0} words × 8 bytes", shape.vocabulary),
            "both in FP32; a fused loss does without",
        ));
    }
    lines.push(MemoryLine {
        label: "CUDA, NCCL, workspace",
        bytes: OVERHEAD,
        shared: false,
        how: "2 GiB on each GPU".to_owned(),
        source: "of the house; a CUDA context alone takes 0.3–2 GiB",
    });
    Memory { lines }
}
