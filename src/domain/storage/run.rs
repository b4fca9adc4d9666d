//! Training runs and their checkpoints, as recognised from keys.

use serde::{Deserialize, Serialize};

use crate::domain::cleaned::exact;

/// Who wrote the checkpoints: the convention that was recognised.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Family {
    /// Hugging Face Trainer: `checkpoint-500/`.
    HfTrainer,
    /// The same with `DeepSpeed` inside.
    HfDeepspeed,
    /// `DeepSpeed`: `global_step1000/`.
    Deepspeed,
    /// Megatron-LM, one directory per rank.
    MegatronLegacy,
    /// Megatron-LM distributed checkpoints.
    MegatronDist,
    /// `PyTorch` DCP and torchtitan: `step-250/__0_0.distcp`.
    TorchDcp,
    /// Orbax.
    Orbax,
    /// `PyTorch` Lightning: `epoch=3-step=4000.ckpt`.
    Lightning,
    /// `NeMo`: the metric in the key.
    Nemo,
    /// `TensorFlow`: `model.ckpt-1000.index`.
    Tensorflow,
    /// OLMo-core: `step1000/`.
    Olmo,
    /// A step in the name of a file of weights, nothing more.
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

/// One step of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Step {
    /// The number of the step.
    pub step: u64,
    /// Everything of the step lies under this (a directory with `/`, or the key of a file without
    /// what varies). Raw key bytes as text; made safe where it is shown.
    #[serde(with = "exact")]
    pub prefix: String,
    /// Bytes.
    pub bytes: u64,
    /// Objects.
    pub objects: u64,
    /// All that belongs to the step is there, as far as keys can tell.
    pub complete: bool,
    /// Newest object, ms since 1970; `i64::MIN` when not known.
    pub newest_ms: i64,
    /// Bytes by tier, index of [`super::Tier`] and bytes; only tiers with bytes.
    pub tiers: Vec<(super::Tier, u64)>,
    /// The metric in the name (`val_loss=2.31`), where there is one.
    pub metric: Option<f64>,
    /// True when an object of it is locked, or a replica.
    pub held: bool,
}

/// A run: steps of one family under one prefix.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Run {
    /// Directory that holds the steps, with a `/` at the end.
    #[serde(with = "exact")]
    pub prefix: String,
    /// Convention.
    pub family: Family,
    /// Steps, ascending.
    pub steps: Vec<Step>,
    /// Bytes of all steps.
    pub bytes: u64,
    /// How sure it is that this is a run of this family, 0–1.
    pub confidence: f64,
    /// True when it may still be written: the newest object is younger than three times the usual
    /// interval, or than 48 hours.
    pub active: bool,
    /// Median time between two steps, seconds; `None` with fewer than three dated steps.
    pub interval_s: Option<u64>,
    /// Pointers and side files found beside the steps (`latest`, `last.ckpt`, tracker files), as
    /// keys.
    #[serde(with = "exact")]
    pub pointers: Vec<String>,
    /// Steps that the pointers lead to, as far as names and dates tell, ascending.
    #[serde(default)]
    pub pointed: Vec<u64>,
    /// What [`Step::metric`] is; `None` where no step has one, or not all the same.
    #[serde(default)]
    pub metric: Option<Metric>,
}

/// A metric in the names of steps.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Metric {
    /// Its name: `val_loss`.
    pub name: String,
    /// True when more is better; `None` where the name does not tell.
    pub higher_is_better: Option<bool>,
}
