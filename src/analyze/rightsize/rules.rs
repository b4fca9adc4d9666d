//! How much room a smaller size keeps.

/// How much room a smaller size keeps, and how much evidence it takes.
#[derive(Clone, Debug, PartialEq)]
pub struct SizeRules {
    /// The part of the new size's vCPUs that stays free at the busiest hour, 0–1. Default 0.2:
    /// Compute Optimizer's default CPU headroom (`PERCENT_20`, `PutRecommendationPreferences`); its
    /// default threshold is the 99.5th percentile, ours is the highest value seen, which is stricter.
    pub cpu_headroom: f64,
    /// What the hourly maximum of CPU is taken for where the hourly mean alone was read, in times of
    /// that mean. Default 2, of the house: no source gives one.
    pub cpu_peak_of_mean: f64,
    /// The part of the new GPU's memory that stays free at the highest use seen, 0–1. Default 0.3:
    /// the largest headroom that Compute Optimizer knows, since GPU memory is known from one look.
    pub gpu_memory_headroom: f64,
    /// The part of the new GPU's speed that stays free at the highest activity seen, 0–1. Default
    /// 0.2, as for CPU.
    pub gpu_speed_headroom: f64,
    /// The least coverage of the verdict's evidence and of every signal that a need rests on, 0–1; what
    /// has less is not known. Default 0.9, as verdicts ask for.
    pub least_coverage: f64,
    /// Hours in which CPU and every GPU must have reported. Default 30: Compute Optimizer's minimum in
    /// 14 days.
    pub least_hours: u32,
    /// The least part of the price that a change must save, 0–1. Default 0.05, of the house: a
    /// restart for less is not worth the risk.
    pub least_saving: f64,
    /// True when a GPU of an older compute capability will do.
    pub allow_older_gpu: bool,
    /// True when an older generation of a general-purpose family will do: its vCPUs are slower, by how
    /// much nobody says.
    pub allow_older_cpu: bool,
    /// True when memory that nobody measured is taken to be shared evenly by the GPUs of a box, so
    /// that a box with k of n GPUs at work needs k/n of it. Default true; false keeps all of it.
    pub share_memory_by_gpu: bool,
    /// Share of a GPU's memory, 0–1, from which it counts as taken in advance while the GPU does little.
    /// Default 0.7: JAX takes 75% (`XLA_PYTHON_CLIENT_MEM_FRACTION`), vLLM and TensorRT-LLM 90–92%,
    /// TensorFlow nearly all.
    pub preallocated_share: f64,
}

impl Default for SizeRules {
    fn default() -> Self {
        Self {
            cpu_headroom: 0.2,
            cpu_peak_of_mean: 2.0,
            gpu_memory_headroom: 0.3,
            gpu_speed_headroom: 0.2,
            least_coverage: 0.9,
            least_hours: 30,
            least_saving: 0.05,
            allow_older_gpu: false,
            allow_older_cpu: false,
            share_memory_by_gpu: true,
            preallocated_share: 0.7,
        }
    }
}
