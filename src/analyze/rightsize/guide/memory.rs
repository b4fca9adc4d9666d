//! GPU memory that a task needs, part by part. `view::reasons` words the parts and names their sources.

use super::ask::{GuideAsk, GuideInput, Precision, Task};
use super::shape::{Shape, shape};
use crate::domain::storage::GIB;

/// GPU memory that a framework keeps for itself, bytes per GPU: CUDA context, NCCL, graphs, workspace.
/// Of the house; a context alone takes 0.3–2 GiB.
const OVERHEAD: f64 = 2.0 * GIB;

/// The part of a GPU's memory that may be filled: vLLM's default `gpu_memory_utilization` until 2025
/// (0.92 since); fragmentation takes as much in training.
pub(super) const FILL: f64 = 0.9;

/// Part of the GPU memory, with the figures that it is computed from.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum MemoryPart {
    /// Weights that are trained.
    TrainedWeights(PerParameter),
    /// Gradients.
    Gradients(PerParameter),
    /// States of the Adam optimiser.
    OptimiserStates(PerParameter),
    /// Weights that adapters are trained on.
    FrozenWeights(PerParameter),
    /// Adapters with their gradients and optimiser states, 16 bytes per parameter.
    Adapters {
        /// Parameters of the model, billions.
        billions: f64,
        /// Their parameters as a share of the model's, 0–1.
        share: f64,
    },
    /// Weights that serve.
    ServedWeights(PerParameter),
    /// KV cache of all sequences.
    KvCache {
        /// Tokens of all sequences.
        tokens: f64,
        /// Bytes per token.
        bytes: f64,
    },
    /// Activations: those between layers are kept, those of one layer computed again.
    Activations {
        /// Tokens of a sequence.
        tokens: f64,
        /// Sequences at a time.
        sequences: f64,
        /// Width of a layer.
        hidden: f64,
        /// Number of layers.
        layers: f64,
    },
    /// Logits and their gradient.
    Logits {
        /// Tokens of a sequence.
        tokens: f64,
        /// Sequences at a time.
        sequences: f64,
        /// Size of the vocabulary.
        vocabulary: f64,
    },
    /// What a framework keeps for itself.
    Overhead,
}

/// Bytes for each parameter of a model.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PerParameter {
    /// Parameters, billions.
    pub billions: f64,
    /// Bytes of each.
    pub bytes: f64,
}

impl MemoryPart {
    /// True when GPUs share it, false when each holds all of it.
    pub const fn is_shared(self) -> bool {
        !matches!(self, Self::Activations { .. } | Self::Logits { .. } | Self::Overhead)
    }

    /// Bytes: of all GPUs together where it is shared, else of each.
    pub fn bytes(self) -> f64 {
        match self {
            Self::TrainedWeights(of)
            | Self::Gradients(of)
            | Self::OptimiserStates(of)
            | Self::FrozenWeights(of)
            | Self::ServedWeights(of) => of.billions * 1e9 * of.bytes,
            Self::Adapters { billions, share } => billions * 1e9 * share * 16.0,
            Self::KvCache { tokens, bytes } => tokens * bytes,
            Self::Activations { tokens, sequences, hidden, layers } => {
                2.0 * tokens * sequences * hidden * layers + 34.0 * tokens * sequences * hidden
            }
            Self::Logits { tokens, sequences, vocabulary } => 8.0 * tokens * sequences * vocabulary,
            Self::Overhead => OVERHEAD,
        }
    }
}

/// All of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Memory {
    /// Its parts.
    pub parts: Vec<MemoryPart>,
}

impl Memory {
    /// Bytes on each of so many GPUs that share the model evenly.
    pub fn per_gpu(&self, gpus: u32) -> f64 {
        let gpus = f64::from(gpus.max(1));
        let each = |part: &MemoryPart| part.bytes() / if part.is_shared() { gpus } else { 1.0 };
        self.parts.iter().map(each).sum()
    }

    /// Bytes on one GPU that holds all of it.
    pub fn total(&self) -> f64 {
        self.per_gpu(1)
    }

    fn bytes(&self, of: fn(&MemoryPart) -> bool) -> f64 {
        self.parts.iter().filter(|part| of(part)).map(|part| part.bytes()).sum()
    }

    /// Weights, bytes.
    pub fn weights(&self) -> f64 {
        use MemoryPart::{FrozenWeights, ServedWeights, TrainedWeights};
        self.bytes(|p| matches!(p, FrozenWeights(_) | ServedWeights(_) | TrainedWeights(_)))
    }

    /// KV cache, bytes.
    pub fn kv_cache(&self) -> f64 {
        self.bytes(|p| matches!(p, MemoryPart::KvCache { .. }))
    }
}

/// The memory that a question needs.
pub fn memory(ask: &GuideAsk) -> Memory {
    let billions = ask.number(GuideInput::Parameters);
    let of = |bytes| PerParameter { billions, bytes };
    let (tokens, sequences) = (ask.number(GuideInput::Context), ask.number(GuideInput::Sequences));
    let mut parts = match ask.task {
        Task::Pretrain | Task::FineTune => {
            let held = if ask.precision == Precision::Fp32 { 4.0 } else { 2.0 };
            // Gradients are added up in FP32 where a run is long.
            let gradient = match (ask.task, ask.precision) {
                (Task::Pretrain, _) | (_, Precision::Fp32) => 4.0,
                _ => 2.0,
            };
            let states = if ask.precision == Precision::Fp32 { 8.0 } else { 12.0 };
            vec![
                MemoryPart::TrainedWeights(of(held)),
                MemoryPart::Gradients(of(gradient)),
                MemoryPart::OptimiserStates(of(states)),
            ]
        }
        Task::Lora => vec![
            MemoryPart::FrozenWeights(of(ask.precision.bytes())),
            MemoryPart::Adapters { billions, share: ask.number(GuideInput::LoraShare) / 100.0 },
        ],
        Task::Inference | Task::Batch => vec![
            MemoryPart::ServedWeights(of(ask.precision.bytes())),
            MemoryPart::KvCache { tokens: tokens * sequences, bytes: shape(ask).kv_bytes },
        ],
    };
    if ask.task.trains() {
        let Shape { hidden, layers, vocabulary, .. } = shape(ask);
        parts.push(MemoryPart::Activations { tokens, sequences, hidden, layers });
        parts.push(MemoryPart::Logits { tokens, sequences, vocabulary });
    }
    parts.push(MemoryPart::Overhead);
    Memory { parts }
}
