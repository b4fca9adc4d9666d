//! What may make a model cheaper to run: each measure with its bound, its condition and its source.

use serde::{Deserialize, Serialize};

/// What may make a model cheaper to run. They exclude each other: a workload saves by one of them, never by their sum.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Measure {
    /// Several requests or inputs at once.
    Batching,
    /// Fewer instances that do the same.
    Replicas,
    /// Weights and activations in FP8.
    Fp8,
    /// Weights and activations in INT8.
    Int8,
    /// Weights in INT4.
    Int4,
    /// Half of the weights zero, two of each four.
    Pruning,
    /// A smaller model that learns from the large one.
    Distillation,
    /// A compiled runtime: ONNX Runtime, `TensorRT`.
    CompiledRuntime,
    /// A type with a smaller GPU, where nothing but the memory that the runtime takes stands against it.
    SmallerGpu,
}

/// A compute capability of NVIDIA: major, minor.
pub type Capability = (u8, u8);

/// What is known of a measure before any workload is looked at.
#[derive(Debug)]
pub struct MeasureSpec {
    /// The measure.
    pub measure: Measure,
    /// Name in JSON, CSV and filters.
    pub word: &'static str,
    /// Label on screen and in tables.
    pub label: &'static str,
    /// Published bound: times as much work in the same GPU time, > 1; `None` where use or a price bounds it, and where the
    /// source gives none.
    pub times: Option<f64>,
    /// Compute capabilities on which it runs: from, and below; `None` where any will do.
    pub runs_on: Option<(Capability, Capability)>,
    /// When it holds, one sentence.
    pub condition: &'static str,
    /// What must be measured before it is relied on, one sentence.
    pub measure_first: &'static str,
    /// Where the bound or the condition comes from.
    pub source: &'static str,
    /// Address of the source.
    pub url: &'static str,
}

/// No GPU has a compute capability as high.
const ANY: Capability = (u8::MAX, 0);

/// All measures, in the order of [`Measure`].
pub static MEASURES: [MeasureSpec; 9] = [
    MeasureSpec {
        measure: Measure::Batching,
        word: "batching",
        label: "batching",
        times: None,
        runs_on: None,
        condition: "If requests arrive close enough together, or inputs are all there, and a GPU waits for its memory \
                    more than it computes.",
        measure_first: "Throughput and the 95th percentile of latency by batch size, under the real arrivals.",
        source: "Kwon et al., Efficient Memory Management for LLM Serving with PagedAttention (2023): high throughput \
                 needs batches, 2-4 times that of the systems before it at the same latency",
        url: "https://arxiv.org/abs/2309.06180",
    },
    MeasureSpec {
        measure: Measure::Replicas,
        word: "replicas",
        label: "fewer replicas",
        times: None,
        runs_on: None,
        condition: "If what is left bears the busiest hour and the loss of one, and each replica can do the work of \
                    the others.",
        measure_first: "Requests per second that one replica bears at the latency wanted, and the busiest minute.",
        source: "Kubernetes, Horizontal Pod Autoscaling: replicas = ceil(replicas x use / target)",
        url: "https://kubernetes.io/docs/tasks/run-application/horizontal-pod-autoscale/",
    },
    MeasureSpec {
        measure: Measure::Fp8,
        word: "fp8",
        label: "quantisation, FP8",
        times: Some(1.6),
        runs_on: Some(((8, 9), ANY)),
        condition: "If the GPU computes in FP8 (compute capability 8.9), the model is not in 8 bits or less yet, and \
                    fewer replicas or a smaller GPU follow.",
        measure_first: "Tokens per second, and quality on your own evaluation set.",
        source: "vLLM, FP8 W8A8: half of the memory, up to 1.6 times the throughput",
        url: "https://docs.vllm.ai/en/stable/features/quantization/fp8/",
    },
    MeasureSpec {
        measure: Measure::Int8,
        word: "int8",
        label: "quantisation, INT8",
        times: None,
        runs_on: Some(((7, 5), (10, 0))),
        condition: "If the GPU computes in INT8 (compute capability 7.5 up to below 10.0), the model is not in 8 bits \
                    or less yet, and fewer replicas or a smaller GPU follow.",
        measure_first: "Tokens per second, and quality on your own evaluation set.",
        source: "vLLM, INT8 W8A8: names no factor",
        url: "https://docs.vllm.ai/en/latest/features/quantization/int8/",
    },
    MeasureSpec {
        measure: Measure::Int4,
        word: "int4",
        label: "quantisation, INT4",
        times: Some(4.0),
        runs_on: Some(((7, 5), ANY)),
        condition: "If small batches wait for the weights to be read, which are in 16 bits, the runtime has kernels for the GPU \
                    (compute capability 7.5), and fewer replicas or a smaller GPU follow.",
        measure_first: "Tokens per second at the real batch size, and quality on your own evaluation set.",
        source: "Lin et al., AWQ (2023): more than 3 times as fast as FP16; 4 bits for 16 bound it at 4",
        url: "https://arxiv.org/abs/2306.00978",
    },
    MeasureSpec {
        measure: Measure::Pruning,
        word: "pruning",
        label: "pruning, 2:4",
        times: Some(2.0),
        runs_on: Some(((8, 0), ANY)),
        condition: "If the tensor cores are what it waits for, the runtime uses sparse ones (compute capability 8.0), \
                    and fewer replicas or a smaller GPU follow.",
        measure_first: "Throughput of the pruned model, and quality after it was trained again.",
        source: "NVIDIA, Exploiting Ampere Structured Sparsity with cuSPARSELt: 2:4 doubles the throughput of the math",
        url: "https://developer.nvidia.com/blog/exploiting-ampere-structured-sparsity-with-cusparselt/",
    },
    MeasureSpec {
        measure: Measure::Distillation,
        word: "distillation",
        label: "distillation",
        times: None,
        runs_on: None,
        condition: "If a smaller model is good enough for the task, its training costs less than it saves, and fewer \
                    replicas or a smaller GPU follow.",
        measure_first: "Quality of the small model on your own evaluation set, and what its training costs.",
        source: "Sanh et al., DistilBERT (2019): 40% smaller, 60% faster, 97% of the quality; an example, and no bound",
        url: "https://arxiv.org/abs/1910.01108",
    },
    MeasureSpec {
        measure: Measure::CompiledRuntime,
        word: "compiled_runtime",
        label: "compiled runtime",
        times: Some(6.0),
        runs_on: None,
        condition: "If it runs in a framework step by step (no ONNX Runtime, TensorRT or engine for LLMs yet), its \
                    operations can be compiled, and fewer replicas or a smaller GPU follow.",
        measure_first: "Throughput and latency of the compiled model, and that its outputs agree.",
        source: "NVIDIA, Torch-TensorRT: up to 6 times as fast as PyTorch, lower precision included",
        url: "https://developer.nvidia.com/blog/accelerating-inference-up-to-6x-faster-in-pytorch-with-torch-tensorrt/",
    },
    MeasureSpec {
        measure: Measure::SmallerGpu,
        word: "smaller_gpu",
        label: "smaller GPU",
        times: None,
        runs_on: None,
        condition: "If weights and cache fit into the memory of the smaller GPU that right-sizing names: the runtime \
                    takes all there is, whatever it needs.",
        measure_first: "What the runtime says it needs, then the guide: burntop rightsize --guide.",
        source: "the right-size list, at list price; vLLM takes total memory x gpu_memory_utilization",
        url: "https://docs.vllm.ai/projects/vllm-omni/en/latest/configuration/gpu_memory_utilization/",
    },
];

impl Measure {
    /// What is known of it before any workload is looked at.
    pub fn spec(self) -> &'static MeasureSpec {
        &MEASURES[self as usize]
    }

    /// Whether it runs on GPUs of a compute capability; `None` where that matters and is not known.
    pub fn runs_on(self, capability: Option<Capability>) -> Option<bool> {
        let Some((from, below)) = self.spec().runs_on else { return Some(true) };
        capability.map(|capability| (from..below).contains(&capability))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_measure_runs_from_a_compute_capability_on_and_below_another() {
        let runs = |measure: Measure, capability| measure.runs_on(Some(capability)).unwrap();
        // A T4, an A100, an L4, a B200.
        let of = |measure| [(7, 5), (8, 0), (8, 9), (10, 0)].map(|c| runs(measure, c));
        assert_eq!(of(Measure::Fp8), [false, false, true, true]);
        assert_eq!(of(Measure::Int8), [true, true, true, false]);
        assert_eq!(of(Measure::Int4), [true; 4]);
        assert_eq!(of(Measure::Pruning), [false, true, true, true]);
        assert_eq!(of(Measure::Distillation), [true; 4]);
        assert_eq!(Measure::Fp8.runs_on(None), None);
        assert_eq!(Measure::Batching.runs_on(None), Some(true));
    }

    #[test]
    fn each_measure_is_at_its_place_and_says_when_what_first_and_by_whom() {
        for (place, spec) in MEASURES.iter().enumerate() {
            assert_eq!(spec.measure as usize, place, "{}", spec.word);
            assert!(spec.condition.starts_with("If ") && spec.condition.ends_with('.'));
            assert!(spec.measure_first.ends_with('.') && !spec.source.is_empty());
            assert!(spec.url.starts_with("https://"), "{}", spec.url);
            assert!(spec.times.is_none_or(|times| times > 1.0), "{}", spec.word);
        }
    }
}
