//! How fast a GPU, or a few of them together, do the task.

use super::ask::{GuideAsk, GuideInput, Precision, Task};
use super::memory::Memory;
use crate::analyze::rightsize::GpuSpeed;

/// Part of the memory bandwidth that decoding reaches. Databricks measured 55–60% on four A100 at
/// batch 1 ("LLM Inference Performance Engineering", model bandwidth utilisation).
const BANDWIDTH_REACHED: f64 = 0.6;

/// Part of the peak that reading a prompt reaches; of the house.
const PREFILL_REACHED: f64 = 0.4;

/// What is left of the reached peak in training when GPUs talk over PCIe; of the house.
const WITHOUT_NVLINK: f64 = 0.6;

/// What GPUs that hold one copy of a model do.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Served {
    /// Seconds per token of each sequence.
    pub token_s: f64,
    /// Seconds until the first token of a prompt of the whole context.
    pub first_s: f64,
    /// Tokens per second over all sequences.
    pub tokens_per_s: f64,
}

/// FLOP/s at the precision: 8 bits run at twice the rate where the GPU has them.
fn flops(gpu: GpuSpeed, ask: &GuideAsk) -> f64 {
    let times = match ask.precision {
        Precision::Fp8 if gpu.fp8 => 2.0,
        Precision::Fp32 => 0.5,
        _ => 1.0,
    };
    gpu.tflops * 1e12 * times
}

/// A copy of the model on `gpus` GPUs (tensor parallel). A token reads all weights that it uses and
/// the KV cache of its sequence; a step of several sequences reads the weights once.
pub(super) fn serve(ask: &GuideAsk, memory: &Memory, gpu: GpuSpeed, gpus: u32) -> Served {
    let gpus = f64::from(gpus);
    let sequences = ask.number(GuideInput::Sequences);
    let part = ask.active() / ask.parameters();
    // Sequences of a step use different experts: up to all of them.
    let weights = memory.weights() * (part * sequences).min(1.0);
    let read = (weights + memory.kv_cache()) / (gpus * gpu.bandwidth * 1e9 * BANDWIDTH_REACHED);
    let per_token = 2.0 * ask.active();
    let compute = sequences * per_token / (gpus * flops(gpu, ask) * PREFILL_REACHED);
    let token_s = read.max(compute);
    let prompt = ask.number(GuideInput::Context) * per_token;
    Served {
        token_s,
        first_s: prompt / (gpus * flops(gpu, ask) * PREFILL_REACHED),
        tokens_per_s: sequences / token_s,
    }
}

/// Hours of training on so many GPUs; `None` without a number of tokens. 6 FLOP per parameter and
/// token (Kaplan et al. 2020); 4 where the parameters are frozen and get no gradient.
pub(super) fn hours(ask: &GuideAsk, gpu: GpuSpeed, gpus: u32, nvlink: bool) -> Option<f64> {
    let tokens = ask.value(GuideInput::TrainTokens)? * 1e9;
    let each = if ask.task == Task::Lora { 4.0 } else { 6.0 };
    let reached = ask.number(GuideInput::Efficiency) / 100.0
        * if gpus > 1 && !nvlink { WITHOUT_NVLINK } else { 1.0 };
    let rate = f64::from(gpus) * flops(gpu, ask) * reached;
    Some(each * ask.active() * tokens / rate / 3600.0)
}
