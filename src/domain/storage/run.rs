//! Training runs and their checkpoints, as recognised from keys.

use serde::{Deserialize, Serialize};

use crate::domain::cleaned::exact;

/// Convention of checkpoint names, which identifies the tool that wrote them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Family {
    /// Hugging Face Trainer: `checkpoint-500/`.
    HfTrainer,
    /// Hugging Face Trainer with `DeepSpeed` files inside.
    HfDeepspeed,
    /// `DeepSpeed`: `global_step1000/`.
    Deepspeed,
    /// Megatron-LM, one directory per rank.
    MegatronLegacy,
    /// Megatron-LM distributed checkpoints.
    MegatronDist,
    /// `PyTorch` DCP and torchtitan: `step-250/__0_0.distcp`.
    TorchDcp,
    /// Orbax, the checkpoint library of JAX.
    Orbax,
    /// `PyTorch` Lightning: `epoch=3-step=4000.ckpt`.
    Lightning,
    /// `NeMo`: the metric is part of the key.
    Nemo,
    /// `TensorFlow`: `model.ckpt-1000.index`.
    Tensorflow,
    /// OLMo-core: `step1000/`.
    Olmo,
    /// A weights file with a step in its name, and nothing more specific.
    Generic,
}

impl Family {
    /// The name in JSON.
    pub const fn word(self) -> &'static str {
        match self {
            Self::HfTrainer => "hf_trainer",
            Self::HfDeepspeed => "hf_deepspeed",
            Self::Deepspeed => "deepspeed",
            Self::MegatronLegacy => "megatron_legacy",
            Self::MegatronDist => "megatron_dist",
            Self::TorchDcp => "torch_dcp",
            Self::Orbax => "orbax",
            Self::Lightning => "lightning",
            Self::Nemo => "nemo",
            Self::Tensorflow => "tensorflow",
            Self::Olmo => "olmo",
            Self::Generic => "generic",
        }
    }
}

/// Checkpoint of one step of a training run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Step {
    /// Number of the training step.
    pub step: u64,
    /// Prefix of everything in the checkpoint (a directory with `/`, or the constant part of file keys). Raw key bytes
    /// as text; cleaned where it is shown.
    #[serde(with = "exact")]
    pub prefix: String,
    /// Bytes of the checkpoint.
    pub bytes: u64,
    /// Number of objects.
    pub objects: u64,
    /// True when all parts of the checkpoint are there, as far as keys can tell.
    pub complete: bool,
    /// Time of the newest object, ms since 1970; `i64::MIN` when unknown.
    pub newest_ms: i64,
    /// Bytes by storage tier; only tiers with bytes.
    pub tiers: Vec<(super::Tier, u64)>,
    /// Value of the metric in the name (`val_loss=2.31`), of any range; `None` without one.
    pub metric: Option<f64>,
    /// True when an object of it is locked or a replica.
    pub held: bool,
}

/// A training run: checkpoints of one family under one prefix.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Run {
    /// Directory of the checkpoints, with a `/` at the end; raw key.
    #[serde(with = "exact")]
    pub prefix: String,
    /// Convention of its checkpoint names.
    pub family: Family,
    /// Checkpoints, by ascending step.
    pub steps: Vec<Step>,
    /// Bytes of all checkpoints.
    pub bytes: u64,
    /// Confidence that this is a training run of this family, 0–1.
    pub confidence: f64,
    /// True when it may still be written: the newest object is younger than three times the usual
    /// interval, or than 48 hours.
    pub active: bool,
    /// Median time between two steps, seconds; `None` with fewer than three dated steps.
    pub interval_s: Option<u64>,
    /// Keys of pointers and side files beside the checkpoints (`latest`, `last.ckpt`, tracker files).
    #[serde(with = "exact")]
    pub pointers: Vec<String>,
    /// Steps that pointer files refer to, ascending, derived from names and dates.
    #[serde(default)]
    pub pointed: Vec<u64>,
    /// Meaning of [`Step::metric`]; `None` when no step has one, or not all have the same.
    #[serde(default)]
    pub metric: Option<Metric>,
}

/// Metric in the names of checkpoints.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Metric {
    /// Name of the metric, such as `val_loss`.
    pub name: String,
    /// True when higher is better, false when lower is; `None` when the name does not tell.
    pub higher_is_better: Option<bool>,
}
