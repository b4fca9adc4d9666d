use std::collections::HashMap;
use std::sync::Arc;

use proptest::prelude::*;

use super::memory::FILL;
use super::*;
use crate::domain::storage::GIB;
use crate::domain::{TypeSpec, ZoneOffering};
use crate::fleet::PriceBook;
use crate::source::catalogue;

fn types() -> HashMap<Arc<str>, Arc<TypeSpec>> {
    catalogue::type_specs().iter().map(|s| (s.name.clone(), Arc::new(s.clone()))).collect()
}

fn prices() -> PriceBook {
    let mut prices = PriceBook::default();
    prices.extend(catalogue::offers());
    prices
}

fn ask(task: Task, precision: Precision, values: &[(GuideInput, f64)]) -> GuideAsk {
    let mut ask = GuideAsk::new(task, precision);
    for (input, value) in values {
        ask.set(*input, Some(*value)).unwrap();
    }
    ask
}

fn guide(ask: &GuideAsk) -> Guide {
    recommend(ask, &types(), &prices(), &"us-east-1".into(), None)
}

fn best(ask: &GuideAsk) -> GuideCandidate {
    guide(ask).candidates[0].clone()
}

fn why_not(guide: &Guide, name: &str) -> GuideFail {
    guide.rejected.iter().find(|r| &*r.instance_type == name).unwrap().fail.clone()
}

/// Bytes of the parts that `of` names.
fn bytes(memory: &Memory, of: fn(&MemoryPart) -> bool) -> f64 {
    memory.parts.iter().filter(|part| of(part)).map(|part| part.bytes()).sum()
}

fn near(a: f64, b: f64, share: f64) {
    assert!((a - b).abs() <= share * b.abs(), "{a} {b}");
}

use GuideInput as I;

#[test]
fn inputs_stand_at_their_places() {
    for (place, spec) in INPUTS.iter().enumerate() {
        assert_eq!(spec.input as usize, place);
        assert!(spec.low < spec.high && spec.factor > 1.0, "{spec:?}");
        assert!(spec.default.is_none_or(|d| (spec.low..=spec.high).contains(&d)));
        let mut ask = GuideAsk::default();
        ask.set(spec.input, Some(spec.high)).unwrap();
        assert_eq!(ask.given(spec.input), Some(spec.high));
        assert!(ask.set(spec.input, Some(spec.high * 1.01)).is_err());
        assert!(ask.set(spec.input, Some(f64::NAN)).is_err());
        ask.set(spec.input, None).unwrap();
        assert_eq!(ask.value(spec.input), spec.default);
    }
    let error = GuideAsk::default().set(I::Parameters, Some(1e6)).unwrap_err();
    assert_eq!(error.to_string(), "parameters: 1,000,000B is not from 0.01B to 2,000B");
    for task in Task::ALL {
        assert_eq!(Task::from_word(&task.word().replace('_', "-")), Some(task));
    }
    for precision in Precision::ALL {
        assert_eq!(Precision::from_word(precision.word()), Some(precision));
    }
}

/// `ZeRO` (Rajbhandari et al. 2020): "GPT-2 with 1.5B parameters requires at least 24 GB", and 120 GB
/// for 7.5B parameters in its figure 1. Megatron Core: 18 bytes with FP32 gradients, 16 in FP32.
#[test]
fn states_of_training_are_those_of_zero_and_megatron() {
    let states = |task, precision, billions| {
        let memory = memory(&ask(task, precision, &[(I::Parameters, billions)]));
        bytes(&memory, |part| {
            use MemoryPart::{Gradients, OptimiserStates, TrainedWeights};
            matches!(part, TrainedWeights(_) | Gradients(_) | OptimiserStates(_))
        })
    };
    near(states(Task::FineTune, Precision::Bf16, 1.5), 24e9, 1e-9);
    near(states(Task::FineTune, Precision::Bf16, 7.5), 120e9, 1e-9);
    near(states(Task::Pretrain, Precision::Bf16, 1.0), 18e9, 1e-9);
    near(states(Task::Pretrain, Precision::Fp32, 1.0), 16e9, 1e-9);
    near(states(Task::FineTune, Precision::Fp32, 1.0), 16e9, 1e-9);
}

/// `QLoRA` (Dettmers et al. 2023): 65B parameters fine-tuned on one GPU of 48 GB, where all parameters
/// at 16 bits take more than 780 GB.
#[test]
fn qlora_fits_where_qlora_fitted() {
    let values = [(I::Parameters, 65.0), (I::Context, 512.0), (I::LoraShare, 0.3)];
    let total = memory(&ask(Task::Lora, Precision::Int4, &values)).total();
    assert!(total < 48e9 && total > 33.5e9, "{total}");
    let full = memory(&ask(Task::FineTune, Precision::Bf16, &values)).total();
    assert!(full > 780e9, "{full}");
}

/// A vLLM server of Llama 3 8B on an A100 logs (vllm#12330): weights 14.96 GiB; 11.12 GiB hold 5,691
/// blocks of 16 tokens.
#[test]
fn llama_3_8b_is_as_vllm_logs_it() {
    let memory = memory(&ask(Task::Inference, Precision::Bf16, &[(I::Parameters, 8.03)]));
    near(memory.weights() / GIB, 14.96, 0.001);
    near(memory.kv_cache() / 4096.0, 11.12 * GIB / (5691.0 * 16.0), 0.001);
}

/// From the models' `config.json`: 2 × layers × KV heads × head size × 2 bytes. 70B: 80 × 8 × 128,
/// 320 KiB; 405B: 126 × 8 × 128, 504 KiB. Llama 2 7B has 32 × 32 × 128, 512 KiB: given by hand.
#[test]
fn kv_cache_of_published_models() {
    let kv = |billions| shape(&ask(Task::Batch, Precision::Bf16, &[(I::Parameters, billions)]));
    near(kv(70.6).kv_bytes, 320.0 * 1024.0, 1e-9);
    near(kv(405.9).kv_bytes, 504.0 * 1024.0, 1e-9);
    let llama2 = [(I::Parameters, 6.74), (I::KvPerToken, 512.0)];
    let memory = memory(&ask(Task::Inference, Precision::Bf16, &llama2));
    near(memory.kv_cache(), 2.0 * GIB, 1e-9);
    near(memory.weights(), 13.48e9, 1e-9);
}

#[test]
fn sizes_between_models_lie_between_them() {
    let mut before = 0.0;
    for step in 0..190 {
        let billions = 0.05 * 1.055_f64.powi(step);
        let shape = shape(&ask(Task::Batch, Precision::Bf16, &[(I::Parameters, billions)]));
        let size = shape.layers * shape.hidden;
        assert!(size >= before && shape.kv_bytes > 0.0, "{billions}");
        before = size;
    }
}

/// Activations by hand: 8B has 32 layers of 4,096; 2,048 tokens × 4.
#[test]
fn activations_by_hand() {
    let values = [(I::Parameters, 8.03), (I::Context, 2048.0), (I::Sequences, 4.0)];
    let memory = memory(&ask(Task::FineTune, Precision::Bf16, &values));
    let tokens = 8192.0;
    let activations = bytes(&memory, |part| matches!(part, MemoryPart::Activations { .. }));
    near(activations, tokens * 4096.0 * (32.0 * 2.0 + 34.0), 1e-9);
    let logits = bytes(&memory, |part| matches!(part, MemoryPart::Logits { .. }));
    near(logits, tokens * 128_256.0 * 8.0, 1e-9);
    // Eight GPUs share the states, not these.
    let each = (8.03e9 * 16.0) / 8.0 + tokens * 4096.0 * 98.0 + tokens * 128_256.0 * 8.0;
    near(memory.per_gpu(8), each + 2.0 * GIB, 1e-9);
}

#[test]
fn eight_billion_parameters_are_served_by_one_small_gpu() {
    // 16 GB + 0.5 GiB + 2 GiB: 17.4 GiB of 20.1 that may be filled on an L4.
    let question = ask(Task::Inference, Precision::Bf16, &[]);
    let first = best(&question);
    assert_eq!((&*first.instance_type, first.boxes, first.gpus_per_copy), ("g6.xlarge", 1, 1));
    let kv = 4096.0 * shape(&question).kv_bytes;
    near(first.ms_per_token.unwrap(), (16e9 + kv) / (300e9 * 0.6) * 1e3, 1e-9);
    near(first.ms_first_token.unwrap(), 4096.0 * 16e9 / (121e12 * 0.4) * 1e3, 1e-9);
    near(
        first.usd_per_million_tokens.unwrap(),
        0.8048 / (3600.0 / first.ms_per_token.unwrap() * 1e3) * 1e6,
        1e-9,
    );
    let guide = guide(&question);
    // 16 GiB of a T4, nine tenths of which may be filled.
    let needs = guide.memory.total();
    assert_eq!(why_not(&guide, "g4dn.xlarge"), GuideFail::Memory(16.0 * GIB * 0.9, needs));
    near(needs, 17.4 * GIB, 0.01);
    assert_eq!(guide.warnings[0], GuideWarning::Memory { billions: 8.0, bytes: needs });
    // Four bits fit a T4, and a part of an L4.
    let four = best(&ask(Task::Inference, Precision::Int4, &[]));
    assert_eq!(&*four.instance_type, "g5g.xlarge");
}

#[test]
fn more_than_ten_billion_parameters_need_no_p4d() {
    let first = best(&ask(Task::Inference, Precision::Int4, &[(I::Parameters, 70.0)]));
    assert_eq!((&*first.instance_type, first.gpus_per_copy), ("g6e.xlarge", 1));
    // And training 8B in full needs more than one.
    let guide = guide(&ask(Task::Pretrain, Precision::Bf16, &[(I::TrainTokens, 1.0)]));
    assert!(guide.candidates.iter().all(|c| c.gpus * c.boxes > 1));
}

#[test]
fn latency_is_bandwidth() {
    // (16 GB + KV) ÷ (600 GB/s × 0.6) = 46 ms on an A10G, 92 ms on an L4.
    let values = [(I::Latency, 50.0)];
    let guide = guide(&ask(Task::Inference, Precision::Bf16, &values));
    assert_eq!(&*guide.candidates[0].instance_type, "g5.xlarge");
    let GuideFail::Latency(ms) = why_not(&guide, "g6.xlarge") else { panic!("{guide:?}") };
    near(ms, 91.9, 0.001);
    // Nobody waits for a batch.
    let batch = recommend(
        &ask(Task::Batch, Precision::Bf16, &values),
        &types(),
        &prices(),
        &"us-east-1".into(),
        None,
    );
    assert!(batch.candidates.iter().any(|c| &*c.instance_type == "g6.xlarge"));
    // 5 ms takes eight GPUs with a copy over several of them.
    let fast = best(&ask(Task::Inference, Precision::Bf16, &[(I::Latency, 5.0)]));
    assert!(fast.gpus_per_copy > 1 && fast.ms_per_token.unwrap() <= 5.0, "{fast:?}");
}

#[test]
fn throughput_takes_whole_boxes() {
    let one = best(&ask(Task::Inference, Precision::Bf16, &[]));
    let each = one.tokens_per_s.unwrap();
    let values = [(I::Throughput, each * 2.1)];
    let more = guide(&ask(Task::Inference, Precision::Bf16, &values));
    let same = more.candidates.iter().find(|c| c.instance_type == one.instance_type).unwrap();
    assert_eq!(same.boxes, 3);
    near(same.total_usd_per_hour, 3.0 * 0.8048, 1e-9);
    let exact = [(I::Throughput, each * 2.0)];
    let exactly = guide(&ask(Task::Inference, Precision::Bf16, &exact));
    let same = exactly.candidates.iter().find(|c| c.instance_type == one.instance_type).unwrap();
    assert_eq!(same.boxes, 2);
}

#[test]
fn what_costs_too_much_or_is_not_offered_is_rejected() {
    let question = ask(Task::Inference, Precision::Bf16, &[(I::Budget, 1.0)]);
    let guide = guide(&question);
    let names: Vec<&str> = guide.candidates.iter().map(|c| &*c.instance_type).collect();
    assert_eq!(names, ["g6.xlarge", "g6.2xlarge"], "$0.80 and $0.98");
    assert_eq!(why_not(&guide, "g5.xlarge"), GuideFail::Budget(1.006));
    let zones = [
        ZoneOffering { az: "us-east-1a".into(), types: vec!["g5.xlarge".into()] },
        ZoneOffering {
            az: "us-east-1b".into(),
            types: vec!["g5.xlarge".into(), "g6.2xlarge".into()],
        },
    ];
    let question = ask(Task::Inference, Precision::Bf16, &[]);
    let region = "us-east-1".into();
    let guide = recommend(&question, &types(), &prices(), &region, Some(&zones));
    let names: Vec<&str> = guide.candidates.iter().map(|c| &*c.instance_type).collect();
    assert_eq!(names, ["g6.2xlarge", "g5.xlarge"]);
    assert_eq!(guide.candidates[1].zones.as_ref().map(Vec::len), Some(2));
    assert_eq!(why_not(&guide, "g6.xlarge"), GuideFail::NotOffered);
}

/// The model card of Llama 3.1 405B: 30.84 million H100 hours for 15.6T tokens, restarts included;
/// its paper: 38–43% of the peak.
#[test]
fn a_run_takes_about_as_long_as_llama_3_took() {
    let values = [(I::Parameters, 405.0), (I::TrainTokens, 15_600.0)];
    let answer = guide(&ask(Task::Pretrain, Precision::Bf16, &values));
    let p5 = answer.candidates.iter().find(|c| &*c.instance_type == "p5.48xlarge").unwrap();
    let gpu_hours = p5.hours.unwrap() * f64::from(p5.boxes * 8);
    near(gpu_hours, 30.84e6, 0.2);
    // 18 bytes × 405B on GPUs of 72 GiB: with what each keeps for itself, 14 boxes at least.
    let least = 405e9 * 18.0 / (80.0 * GIB * FILL * 8.0);
    assert!(f64::from(p5.boxes) >= least && p5.boxes < 30, "{} {least}", p5.boxes);
    near(p5.run_usd.unwrap(), p5.hours.unwrap() * f64::from(p5.boxes) * 55.04, 1e-9);
    assert_eq!(why_not(&answer, "g6e.xlarge"), why_not(&answer, "g6e.2xlarge"));
    // Frozen parameters get no gradient: two thirds of the work.
    let run = |task| {
        let values = [(I::Parameters, 8.0), (I::TrainTokens, 1.0)];
        let answer = guide(&ask(task, Precision::Bf16, &values));
        let c = answer.candidates.iter().find(|c| &*c.instance_type == "p5.48xlarge").unwrap();
        c.hours.unwrap()
    };
    near(run(Task::Lora), run(Task::FineTune) * 4.0 / 6.0, 1e-9);
}

#[test]
fn experts_that_sleep_are_held_and_not_read() {
    // 47B parameters of which a token uses 13B: the memory of 47, the time of 13.
    let values = [(I::Parameters, 47.0), (I::Context, 1.0), (I::KvPerToken, 0.1)];
    let dense = ask(Task::Inference, Precision::Bf16, &values);
    let mut sparse = dense.clone();
    sparse.set(I::ActiveParameters, Some(13.0)).unwrap();
    assert_eq!(memory(&dense).total(), memory(&sparse).total());
    let of = |ask: &GuideAsk| {
        let guide = guide(ask);
        let c = guide.candidates.iter().find(|c| &*c.instance_type == "p5.48xlarge").cloned();
        c.unwrap().ms_per_token.unwrap()
    };
    near(of(&sparse), of(&dense) * 13.0 / 47.0, 1e-6);
}

/// The articles print 27× for a p4d beside a g5.2xlarge; the lists of today say 18.1.
#[test]
fn factors_between_prices_are_computed() {
    let only = |names: &[&str]| -> HashMap<Arc<str>, Arc<TypeSpec>> {
        let all = types();
        names.iter().map(|n| (Arc::from(*n), all[*n].clone())).collect()
    };
    let types = only(&["p4d.24xlarge", "g5.2xlarge"]);
    let question = ask(Task::Inference, Precision::Bf16, &[]);
    let guide = recommend(&question, &types, &prices(), &"us-east-1".into(), None);
    near(guide.candidates[1].times_cheapest, 21.957_642 / 1.212, 1e-9);
    let said = guide.warnings.iter().find_map(|warning| match warning {
        GuideWarning::PriceFactor { dearest, times, cheapest } => Some((dearest, *times, cheapest)),
        _ => None,
    });
    let (dearest, times, cheapest) = said.unwrap();
    assert_eq!((&**dearest, &**cheapest), ("p4d.24xlarge", "g5.2xlarge"));
    near(times, 18.1, 0.005);
}

#[test]
fn data_decide_about_disks() {
    let says = |gb| best(&ask(Task::Inference, Precision::Bf16, &[(I::Data, gb)])).says;
    assert!(says(100.0).contains(&GuideNote::DataFit(250)));
    // 1 TB at 2.5 Gbit/s: 3,200 s.
    let network = says(1000.0).into_iter().find_map(|note| match note {
        GuideNote::DataOverNetwork { store_gb: 250, hours } => Some(hours),
        _ => None,
    });
    near(network.unwrap(), 3200.0 / 3600.0, 1e-9);
}

fn question() -> impl Strategy<Value = GuideAsk> {
    let numbers = (
        0.1..500.0_f64,
        1.0..32_768.0_f64,
        1.0..64.0_f64,
        proptest::option::of(1.0..500.0_f64),
        proptest::option::of(1.0..1e5_f64),
        proptest::option::of(0.5..500.0_f64),
        proptest::option::of(0.1..1000.0_f64),
    );
    (0..5_usize, 0..4_usize, numbers).prop_map(|(task, precision, n)| {
        let mut ask = ask(
            Task::ALL[task],
            Precision::ALL[precision],
            &[(I::Parameters, n.0), (I::Context, n.1.round()), (I::Sequences, n.2.round())],
        );
        ask.set(I::Latency, n.3).unwrap();
        ask.set(I::Throughput, n.4).unwrap();
        ask.set(I::Budget, n.5).unwrap();
        ask.set(I::TrainTokens, n.6).unwrap();
        ask
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    /// Every type is recommended or rejected, once; what is recommended keeps what was asked.
    #[test]
    fn what_is_recommended_keeps_what_was_asked(ask in question()) {
        let guide = guide(&ask);
        let types = types();
        let nvidia = types
            .values()
            .filter(|s| {
                let kind = s.accelerator.as_ref().map(|a| a.kind);
                kind == Some(crate::domain::AcceleratorKind::NvidiaGpu)
                    && catalogue::list_price("us-east-1", &s.name).is_some()
            })
            .count();
        prop_assert_eq!(guide.candidates.len() + guide.rejected.len(), nvidia);
        for c in &guide.candidates {
            let spec = &types[&c.instance_type];
            let memory_mib = spec.accelerator.as_ref().unwrap().memory_mib as f64;
            let room = memory_mib * 1024.0 * 1024.0 * FILL;
            prop_assert!(guide.memory.per_gpu(c.gpus_per_copy) <= room);
            let price = catalogue::list_price("us-east-1", &c.instance_type).unwrap();
            prop_assert!((c.total_usd_per_hour - price * f64::from(c.boxes)).abs() < 1e-6);
            prop_assert!(ask.value(I::Budget).is_none_or(|b| c.total_usd_per_hour <= b));
            prop_assert!(c.times_cheapest >= 1.0);
            if ask.task.trains() {
                // One box less would not hold it.
                let fewer = c.gpus * (c.boxes - 1);
                prop_assert!(c.boxes == 1 || guide.memory.per_gpu(fewer) > room);
            } else {
                let needs = ask.value(I::Throughput).unwrap_or(0.0);
                prop_assert!(c.tokens_per_s.unwrap() >= needs * (1.0 - 1e-6));
                let slow = ask.value(I::Latency).is_some_and(|ms| c.ms_per_token.unwrap() > ms);
                prop_assert!(ask.task == Task::Batch || !slow);
                let fewer = c.gpus_per_copy / 2;
                let held = fewer > 0 && guide.memory.per_gpu(fewer) <= room;
                prop_assert!(!held || (ask.task == Task::Inference && ask.value(I::Latency).is_some()));
            }
        }
        let cost = |c: &GuideCandidate| match ask.task {
            Task::Batch => c.usd_per_million_tokens.unwrap(),
            Task::Inference => c.total_usd_per_hour,
            _ => c.run_usd.unwrap_or(c.total_usd_per_hour),
        };
        prop_assert!(guide.candidates.windows(2).all(|w| cost(&w[0]) <= cost(&w[1])));
    }
}
