//! What the judgement of GPUs goes by: every limit, its default and where it comes from.

use std::sync::Arc;
use std::time::Duration;

use crate::domain::gpu::{HELD_MIB, IDLE_BELOW, IDLE_POWER_FACTOR};

/// Fewest samples idleness rests on.
pub const MIN_SAMPLES: u32 = 3;
/// Shortest quiet time called idle. Ours: longer than a pause between two steps, a checkpoint or an
/// evaluation usually takes.
pub const MIN_IDLE: Duration = Duration::from_mins(2);
/// Utilisation from which a GPU looks fully used.
pub const STALLED_UTIL: f32 = 0.95;
/// Share of the power range below which full use is not believed.
pub const STALLED_POWER_SHARE: f32 = 0.35;
/// Shortest time of looking used and computing nothing that is called a stall. Ours: the time-out
/// after which NCCL's watchdog gives up is 10 minutes.
pub const STALLED_AFTER: Duration = Duration::from_mins(10);
/// Activity below which a working GPU is inefficient (training, and where the class is not known).
pub const INEFFICIENT_BELOW: f32 = 0.5;
/// Like [`INEFFICIENT_BELOW`] for inference, which waits for requests: half of the good share.
pub const INEFFICIENT_BELOW_INFERENCE: f32 = 0.25;
/// Shortest time of low activity that is called inefficient. Ours.
pub const INEFFICIENT_AFTER: Duration = Duration::from_mins(15);
/// Intervals of its source after which a GPU without news is stale.
pub const STALE_INTERVALS: u32 = 3;
/// A GPU is not stale before this age, however short the interval.
pub const STALE_MIN: Duration = Duration::from_mins(2);
/// A GPU without news is forgotten after this time.
pub const FORGET_AFTER: Duration = Duration::from_hours(1);
/// A GPU called inefficient stays so until its mean is this much above the limit.
pub(super) const INEFFICIENT_HYSTERESIS: f32 = 0.05;
/// Time constant of the mean of activity, ms: short bursts and pauses even out. Ours.
pub(super) const MEAN_OVER_MS: f32 = 300_000.0;
/// NeuronCores at 0 this long are idle, also with memory in use: there is no power reading that
/// could be the second witness. Ours: longer than compiling a graph usually takes.
pub(super) const NEURON_QUIET_MS: i64 = 1_800_000;
/// An XID that was seen to come is taken seriously this long, ms, whatever the GPU does. Ours.
pub(super) const XID_NEW_MS: i64 = 600_000;

/// Names a team by the namespace of the owner.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TeamRule {
    /// Kubernetes namespace; a `*` at the end matches any rest. Compared without regard to ASCII case.
    pub namespace: String,
    /// The team.
    pub team: Arc<str>,
}

/// Limits by which GPUs are judged. Ratios are 0–1.
#[derive(Clone, Debug, PartialEq)]
pub struct GpuRules {
    /// Activity below which a GPU does nothing, 0–1.
    pub idle_below: f32,
    /// Idle power ends at this factor over the floor of the model.
    pub idle_power_factor: f32,
    /// Fewest samples idleness rests on.
    pub min_samples: u32,
    /// Shortest quiet time called idle.
    pub min_idle: Duration,
    /// Device memory from which somebody holds the GPU, MiB.
    pub held_mib: f32,
    /// Shortest time of looking used and computing nothing that is called a stall.
    pub stalled_after: Duration,
    /// Activity below which a working GPU is inefficient, 0–1.
    pub inefficient_below: f32,
    /// Like `inefficient_below` for inference, 0–1.
    pub inefficient_below_inference: f32,
    /// Shortest time of low activity that is called inefficient.
    pub inefficient_after: Duration,
    /// A GPU without news is forgotten after this time.
    pub forget_after: Duration,
    /// Tag keys whose value says what kind of work an instance does.
    pub workload_tags: Vec<String>,
    /// Words that mean training, in such a tag or in the names of the owner; lower case.
    pub training_words: Vec<String>,
    /// Words that mean inference.
    pub inference_words: Vec<String>,
    /// Teams by namespace; the first that fits wins. Tags of the instance go before.
    pub teams: Vec<TeamRule>,
    /// True when a namespace that no rule names is the team's name itself.
    pub namespace_is_team: bool,
}

impl GpuRules {
    /// Tells rules apart by all that idleness goes by: what one calls idle is not so for another.
    pub fn idleness(&self) -> String {
        let Self { idle_below, idle_power_factor, min_samples, min_idle, .. } = self;
        format!("{idle_below} {idle_power_factor} {min_samples} {min_idle:?}")
    }
}

impl Default for GpuRules {
    fn default() -> Self {
        let own = |words: &[&str]| words.iter().map(|w| (*w).to_owned()).collect();
        Self {
            idle_below: IDLE_BELOW,
            idle_power_factor: IDLE_POWER_FACTOR,
            min_samples: MIN_SAMPLES,
            min_idle: MIN_IDLE,
            held_mib: HELD_MIB,
            stalled_after: STALLED_AFTER,
            inefficient_below: INEFFICIENT_BELOW,
            inefficient_below_inference: INEFFICIENT_BELOW_INFERENCE,
            inefficient_after: INEFFICIENT_AFTER,
            forget_after: FORGET_AFTER,
            workload_tags: own(&["workload", "workload-type", "workload-class"]),
            training_words: own(&["train", "finetun", "fine-tun", "sft", "rlhf"]),
            inference_words: own(&[
                "infer", "serving", "serve", "vllm", "triton", "tgi", "sglang", "endpoint",
            ]),
            teams: Vec::new(),
            namespace_is_team: false,
        }
    }
}
