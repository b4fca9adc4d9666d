//! What is asked: the task, the precision, and numbers with units, ranges and defaults.

use serde::{Deserialize, Serialize};

use crate::domain::format::{dollars, grouped, percent};

/// What the model is to do.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Task {
    /// Train from scratch.
    Pretrain,
    /// Fine-tune all parameters.
    FineTune,
    /// Fine-tune adapters on frozen parameters (`LoRA`; `QLoRA` with 4 bits).
    Lora,
    /// Answer requests while somebody waits.
    #[default]
    Inference,
    /// Answer a pile of requests while nobody waits.
    Batch,
}

impl Task {
    /// All of them.
    pub const ALL: [Self; 5] =
        [Self::Pretrain, Self::FineTune, Self::Lora, Self::Inference, Self::Batch];

    /// The name on the command line and in JSON.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Pretrain => "pretrain",
            Self::FineTune => "fine_tune",
            Self::Lora => "lora",
            Self::Inference => "inference",
            Self::Batch => "batch",
        }
    }

    /// As a person reads it.
    pub const fn label(self) -> &'static str {
        match self {
            Self::Pretrain => "train from scratch",
            Self::FineTune => "fine-tune all parameters",
            Self::Lora => "fine-tune adapters (LoRA)",
            Self::Inference => "serve",
            Self::Batch => "batch inference",
        }
    }

    /// The task of a name; `-` and `_` are the same.
    pub fn from_word(word: &str) -> Option<Self> {
        let word = word.replace('-', "_");
        Self::ALL.into_iter().find(|task| task.word() == word)
    }

    /// True when parameters change.
    pub const fn trains(self) -> bool {
        matches!(self, Self::Pretrain | Self::FineTune | Self::Lora)
    }
}

/// How a parameter is held.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Precision {
    /// 32 bits.
    Fp32,
    /// 16 bits.
    #[default]
    Bf16,
    /// 8 bits.
    Fp8,
    /// 4 bits and the scales of groups.
    Int4,
}

impl Precision {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Fp32, Self::Bf16, Self::Fp8, Self::Int4];

    /// The name on the command line and in JSON.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Fp32 => "fp32",
            Self::Bf16 => "bf16",
            Self::Fp8 => "fp8",
            Self::Int4 => "int4",
        }
    }

    /// The precision of a name.
    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|p| p.word() == word)
    }

    /// Bytes per parameter at rest. 4 bits carry a scale of 0.127 bit per parameter (`QLoRA`, double
    /// quantisation; GPTQ and AWQ with groups of 128 carry about as much).
    pub const fn bytes(self) -> f64 {
        match self {
            Self::Fp32 => 4.0,
            Self::Bf16 => 2.0,
            Self::Fp8 => 1.0,
            Self::Int4 => (4.0 + 0.127) / 8.0,
        }
    }
}

/// The numbers that can be given.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum GuideInput {
    /// Parameters, billions.
    Parameters,
    /// Parameters that one token uses, billions: a mixture of experts uses a part.
    ActiveParameters,
    /// Tokens that a sequence holds: prompt and answer.
    Context,
    /// Sequences at a time: requests served together, or the batch of one GPU in training.
    Sequences,
    /// KV cache, KiB per token.
    KvPerToken,
    /// Part of the parameters that adapters add, percent.
    LoraShare,
    /// Tokens to train on, billions.
    TrainTokens,
    /// Data, GB.
    Data,
    /// Milliseconds that a token may take.
    Latency,
    /// Tokens per second in all.
    Throughput,
    /// USD per hour at most.
    Budget,
    /// Part of the peak that training reaches, percent (MFU).
    Efficiency,
}

/// What a number is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum InputUnit {
    /// Billions.
    Billions,
    /// A plain number.
    Count,
    /// KiB per token.
    KibPerToken,
    /// Percent, 0–100.
    Percent,
    /// GB.
    Gigabytes,
    /// Milliseconds.
    Milliseconds,
    /// Tokens per second.
    TokensPerSecond,
    /// USD per hour.
    UsdPerHour,
}

impl InputUnit {
    /// The number with its unit, for people.
    pub fn show(self, number: f64) -> String {
        let decimals = if number.fract().abs() < 1e-9 {
            0
        } else if number < 10.0 {
            2
        } else {
            1
        };
        let text = grouped(number, decimals);
        match self {
            Self::Billions => format!("{text}B"),
            Self::Count => text,
            Self::KibPerToken => format!("{text} KiB/token"),
            Self::Percent => percent(number, decimals),
            Self::Gigabytes => format!("{text} GB"),
            Self::Milliseconds => format!("{text} ms"),
            Self::TokensPerSecond => format!("{text} tokens/s"),
            Self::UsdPerHour => format!("{}/h", dollars(grouped(number, 2))),
        }
    }
}

/// One input: how a slider and a flag present it.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct InputSpec {
    /// Which.
    pub input: GuideInput,
    /// As a flag (`--parameters`) and in JSON, `snake_case`.
    pub name: &'static str,
    /// For people.
    pub label: &'static str,
    /// Its unit.
    pub unit: InputUnit,
    /// The lowest that means anything.
    pub low: f64,
    /// The highest.
    pub high: f64,
    /// One key press multiplies or divides by it.
    pub factor: f64,
    /// Used where nothing is given; `None` = the guide does without.
    pub default: Option<f64>,
    /// Where to take it from.
    pub hint: &'static str,
}

const fn input(
    input: GuideInput,
    name: &'static str,
    label: &'static str,
    unit: InputUnit,
    range: (f64, f64, f64),
    default: Option<f64>,
    hint: &'static str,
) -> InputSpec {
    InputSpec {
        input,
        name,
        label,
        unit,
        low: range.0,
        high: range.1,
        factor: range.2,
        default,
        hint,
    }
}

/// All inputs, in the order in which they are asked for.
pub const INPUTS: [InputSpec; 12] = [
    input(
        GuideInput::Parameters,
        "parameters",
        "parameters",
        InputUnit::Billions,
        (0.01, 2000.0, 1.25),
        Some(8.0),
        "the model's card: 8 for 8B",
    ),
    input(
        GuideInput::ActiveParameters,
        "active_parameters",
        "parameters per token",
        InputUnit::Billions,
        (0.01, 2000.0, 1.25),
        None,
        "of a mixture of experts, its card; else all of them",
    ),
    input(
        GuideInput::Context,
        "context",
        "tokens of a sequence",
        InputUnit::Count,
        (1.0, 4_194_304.0, 2.0),
        Some(4096.0),
        "prompt and answer together",
    ),
    input(
        GuideInput::Sequences,
        "sequences",
        "sequences at a time",
        InputUnit::Count,
        (1.0, 4096.0, 2.0),
        Some(1.0),
        "requests served together; the batch of one GPU in training",
    ),
    input(
        GuideInput::KvPerToken,
        "kv_per_token",
        "KV cache per token",
        InputUnit::KibPerToken,
        (0.1, 16_384.0, 1.25),
        None,
        "config.json: 2 × layers × KV heads × head size × 2 bytes; else that of a Llama of the size",
    ),
    input(
        GuideInput::LoraShare,
        "lora_share",
        "adapters",
        InputUnit::Percent,
        (0.01, 50.0, 1.25),
        Some(0.5),
        "trainable parameters of all, as peft prints them",
    ),
    input(
        GuideInput::TrainTokens,
        "train_tokens",
        "tokens to train on",
        InputUnit::Billions,
        (0.0001, 100_000.0, 2.0),
        None,
        "over all epochs",
    ),
    input(
        GuideInput::Data,
        "data",
        "data",
        InputUnit::Gigabytes,
        (0.0, 10_000_000.0, 2.0),
        None,
        "what is read in one pass",
    ),
    input(
        GuideInput::Latency,
        "latency",
        "a token within",
        InputUnit::Milliseconds,
        (0.1, 60_000.0, 1.25),
        None,
        "50 ms read as fluent; of a model that answers in one pass, the whole answer",
    ),
    input(
        GuideInput::Throughput,
        "throughput",
        "tokens per second in all",
        InputUnit::TokensPerSecond,
        (0.01, 1e9, 2.0),
        None,
        "requests per second × tokens of an answer, at the busiest hour",
    ),
    input(
        GuideInput::Budget,
        "budget",
        "at most",
        InputUnit::UsdPerHour,
        (0.01, 1e6, 1.25),
        None,
        "for all boxes together, on demand",
    ),
    input(
        GuideInput::Efficiency,
        "efficiency",
        "of the peak reached",
        InputUnit::Percent,
        (1.0, 90.0, 1.1),
        Some(40.0),
        "MFU as measured; Llama 3 reports 38–43% on H100",
    ),
];

/// Why a number is refused.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum GuideError {
    /// Out of its range.
    #[error("{name}: {value} is not from {low} to {high}")]
    Outside {
        /// The input.
        name: &'static str,
        /// What was given.
        value: String,
        /// The lowest.
        low: String,
        /// The highest.
        high: String,
    },
}

/// A question to the guide.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct GuideAsk {
    /// The task.
    pub task: Task,
    /// The precision of the parameters.
    pub precision: Precision,
    given: [Option<f64>; INPUTS.len()],
}

impl GuideAsk {
    /// A question with no number given: the defaults count.
    pub fn new(task: Task, precision: Precision) -> Self {
        Self { task, precision, ..Self::default() }
    }

    /// Number given for an input, in the unit of the input; `None` = not given.
    pub fn given(&self, input: GuideInput) -> Option<f64> {
        self.given[input as usize]
    }

    /// Number given for an input, else its default; `None` where it has neither.
    pub fn value(&self, input: GuideInput) -> Option<f64> {
        self.given(input).or(INPUTS[input as usize].default)
    }

    /// What counts for an input that has a default; 0 for one that has none.
    pub(super) fn number(&self, input: GuideInput) -> f64 {
        self.value(input).unwrap_or(0.0)
    }

    /// Gives a number, or takes it back. Err when it is out of the range of the input.
    pub fn set(&mut self, input: GuideInput, value: Option<f64>) -> Result<(), GuideError> {
        let spec = &INPUTS[input as usize];
        if let Some(value) = value.filter(|v| !(spec.low..=spec.high).contains(v)) {
            return Err(GuideError::Outside {
                name: spec.name,
                value: spec.unit.show(value),
                low: spec.unit.show(spec.low),
                high: spec.unit.show(spec.high),
            });
        }
        self.given[input as usize] = value;
        Ok(())
    }

    /// Parameters that one token uses.
    pub(super) fn active(&self) -> f64 {
        let all = self.number(GuideInput::Parameters);
        self.given(GuideInput::ActiveParameters).map_or(all, |active| active.min(all)) * 1e9
    }

    /// Parameters.
    pub(super) fn parameters(&self) -> f64 {
        self.number(GuideInput::Parameters) * 1e9
    }
}
