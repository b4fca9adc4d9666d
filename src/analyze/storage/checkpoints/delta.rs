//! What saving differences instead of whole checkpoints could spare. A range, by how the model is
//! trained, and never one number: it depends on what changes between two steps.

/// Kind of training, which decides how much changes between two steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TrainingMode {
    /// All weights are trained, with an optimizer such as Adam.
    Full,
    /// Adapters (`LoRA`) are trained, or most weights are frozen.
    LoraFrozen,
    /// Mostly large embedding tables are trained: recommendation models.
    EmbeddingHeavy,
}

/// Share that incremental checkpoints save, as a range with its source.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DeltaSavings {
    /// Kind of training that the range holds for.
    pub mode: TrainingMode,
    /// Lowest share of the bytes saved of every step but the first, 0–1.
    pub low: f64,
    /// Highest share, 0–1.
    pub high: f64,
    /// Publication that the range is from.
    pub source: &'static str,
}

impl TrainingMode {
    /// Name in JSON.
    pub fn word(self) -> &'static str {
        match self {
            Self::Full => "full",
            Self::LoraFrozen => "lora_frozen",
            Self::EmbeddingHeavy => "embedding_heavy",
        }
    }

    /// Label in reports.
    pub fn says(self) -> &'static str {
        match self {
            Self::Full => "training all weights",
            Self::LoraFrozen => "adapters or mostly frozen weights",
            Self::EmbeddingHeavy => "mostly embeddings",
        }
    }
}

/// Ranges of all modes: the keys of a run do not tell how a model is trained.
pub const DELTA_SAVINGS: [DeltaSavings; 3] = [
    DeltaSavings {
        mode: TrainingMode::Full,
        low: 0.0,
        high: 0.5,
        source: "Adam changes every weight in each step: a difference is as large as the \
                 checkpoint. Up to half by lossy quantisation between adjacent checkpoints, as \
                 claimed by BitSnap (arXiv 2511.12376)",
    },
    DeltaSavings {
        mode: TrainingMode::LoraFrozen,
        low: 0.7,
        high: 0.8,
        source: "reported by practitioners for fine-tuning with most weights frozen; not measured \
                 here",
    },
    DeltaSavings {
        mode: TrainingMode::EmbeddingHeavy,
        low: 0.6,
        high: 0.875,
        source: "Check-N-Run (NSDI 2022): 2.5 to 8 times less capacity, recommendation models",
    },
];

impl DeltaSavings {
    /// Bytes saved for steps of these sizes, lowest and highest: the first step is always stored whole.
    pub fn bytes(&self, steps: &[u64]) -> (u64, u64) {
        let rest = steps.iter().skip(1).map(|b| *b as f64).sum::<f64>();
        ((rest * self.low) as u64, (rest * self.high) as u64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_follow_their_sources_and_the_first_step_stays_whole() {
        let of = |mode| DELTA_SAVINGS.iter().find(|d| d.mode == mode).unwrap();
        let embedding = of(TrainingMode::EmbeddingHeavy);
        assert!((embedding.low - (1.0 - 1.0 / 2.5)).abs() < 1e-9);
        assert!((embedding.high - (1.0 - 1.0 / 8.0)).abs() < 1e-9);
        assert_eq!(embedding.bytes(&[1000, 1000, 1000]), (1200, 1750));
        assert_eq!(of(TrainingMode::Full).bytes(&[1000, 1000]), (0, 500));
        assert_eq!(embedding.bytes(&[1000]), (0, 0));
        assert!(DELTA_SAVINGS.iter().all(|d| d.low < d.high && !d.source.is_empty()));
    }
}
