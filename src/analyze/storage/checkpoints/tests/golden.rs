//! The inventory with known truth, and traps.

use serde_json::Value;

use super::sample::{Object, data, found, sample};
use crate::domain::storage::{Family, Run};

fn truth() -> Vec<Value> {
    let text = std::fs::read_to_string(data("ground-truth.json")).unwrap();
    let truth: Value = serde_json::from_str(&text).unwrap();
    truth["runs"].as_array().unwrap().clone()
}

fn word(family: Family) -> &'static str {
    match family {
        Family::HfTrainer => "hf-trainer",
        Family::HfDeepspeed => "hf-trainer+deepspeed",
        Family::Deepspeed => "deepspeed",
        Family::MegatronLegacy => "megatron-legacy",
        Family::MegatronDist => "megatron-dist",
        Family::TorchDcp => "torch-dcp",
        Family::Orbax => "orbax",
        Family::Lightning => "lightning",
        Family::Nemo => "nemo",
        Family::Tensorflow => "tensorflow",
        Family::Olmo | Family::Generic => "-",
    }
}

fn by_truth<'a>(runs: &'a [Run], name: &str) -> &'a Run {
    let mut those = runs.iter().filter(|r| r.prefix.starts_with(&format!("{name}/")));
    let run = those.next().unwrap_or_else(|| panic!("no run {name}"));
    assert!(those.next().is_none(), "two runs {name}");
    run
}

#[test]
fn nine_of_nine_runs_with_exact_steps_and_bytes_and_no_other() {
    let runs = found(&sample());
    assert_eq!(runs.len(), 9, "{:?}", runs.iter().map(|r| &r.prefix).collect::<Vec<_>>());
    for wanted in truth() {
        let name = wanted["run"].as_str().unwrap();
        let run = by_truth(&runs, name);
        assert_eq!(word(run.family), wanted["framework"].as_str().unwrap(), "{name}");
        let steps: Vec<u64> =
            wanted["steps"].as_array().unwrap().iter().map(|s| s.as_u64().unwrap()).collect();
        assert_eq!(run.steps.iter().map(|s| s.step).collect::<Vec<_>>(), steps, "{name}");
        for step in &run.steps {
            let bytes = wanted["bytes_per_step"][step.step.to_string()].as_u64().unwrap();
            assert_eq!(step.bytes, bytes, "{name} {}", step.step);
            assert_eq!(step.tiers.iter().map(|t| t.1).sum::<u64>(), bytes);
        }
        let incomplete: Vec<u64> =
            run.steps.iter().filter(|s| !s.complete).map(|s| s.step).collect();
        let last = wanted["last_incomplete"].as_bool().unwrap();
        let wanted_incomplete = if last { vec![*steps.last().unwrap()] } else { vec![] };
        assert_eq!(incomplete, wanted_incomplete, "{name}");
        assert!(run.confidence >= 0.9, "{name} {}", run.confidence);
    }
}

#[test]
fn active_is_a_matter_of_dates() {
    let runs = found(&sample());
    let active: Vec<&str> = runs.iter().filter(|r| r.active).map(|r| &*r.prefix).collect();
    // The truth calls `jax/gemma-ft` active as well: its last save was never committed. Its newest
    // object is 18 days old at a step per hour, so that the run is over and its save is a wreck.
    assert_eq!(active, ["llm/pretrain/70b-run-b/", "nemo/gpt-1b/checkpoints/"]);
    let of = |name| by_truth(&runs, name).interval_s.unwrap();
    assert_eq!(of("llm/pretrain/70b-run-a"), 360 * 60);
    assert_eq!(of("team-rlhf/exp-0412/output"), 45 * 60);
}

#[test]
fn pointers_and_metrics_are_read_from_keys() {
    let runs = found(&sample());
    let of = |name| by_truth(&runs, name);
    let lightning = of("vision/exp_77/lightning_logs/version_3");
    assert_eq!(lightning.pointers, [format!("{}last.ckpt", lightning.prefix)]);
    assert_eq!(lightning.pointed, [99_999]);
    let megatron = of("llm/pretrain/70b-run-a");
    assert!(megatron.pointers[0].ends_with("/latest_checkpointed_iteration.txt"));
    assert_eq!(megatron.pointed, [60_000]);
    assert_eq!(of("tf/recsys-2024").pointers, ["tf/recsys-2024/checkpoint"]);
    let nemo = of("nemo/gpt-1b");
    let metric = nemo.metric.as_ref().unwrap();
    assert_eq!((&*metric.name, metric.higher_is_better), ("val_loss", Some(false)));
    assert_eq!(nemo.steps[0].metric, Some(2.9));
    assert_eq!(nemo.steps[19].metric, Some(1.0));
}

fn rows(keys: &[String]) -> Vec<Object> {
    keys.iter().map(|k| Object::new(k, 1 << 30, 100.0)).collect()
}

fn each(steps: &[u64], key: impl Fn(u64) -> String) -> Vec<Object> {
    rows(&steps.iter().map(|s| key(*s)).collect::<Vec<_>>())
}

#[test]
fn what_only_looks_like_a_run_stays_untouched() {
    let empty = |objects: Vec<Object>, why: &str| {
        let runs = found(&objects);
        assert!(runs.is_empty(), "{why}: {runs:?}");
    };
    empty(each(&[10], |s| format!("a/checkpoint-{s}/model.safetensors")), "a single step");
    empty(each(&[1, 2, 3], |s| format!("d/step-{s}/images/1.jpg")), "images");
    empty(each(&[2024, 2025, 2026], |s| format!("w/{s}/11/model.safetensors")), "years");
    empty(each(&[2024, 2025], |s| format!("w/{s}/checkpoint-5/model.safetensors")), "years above");
    let mut versions = each(&[1, 2, 3], |s| format!("a/checkpoint-{s}/model.safetensors"));
    for row in &mut versions {
        row.flags = crate::domain::storage::ObjectFlags::NONCURRENT;
    }
    empty(versions, "old versions");
    let mut stages = each(&[500, 1000], |s| format!("p/step_1/checkpoint-{s}/model.safetensors"));
    stages.extend(each(&[500, 1000], |s| format!("p/step_2/checkpoint-{s}/model.safetensors")));
    empty(stages, "directories of runs");
    let mut half = each(&[1, 2], |s| format!("x/step-{s}/w.bin"));
    half.extend(each(&[1, 2], |s| format!("x/step-{s}/notes.txt")));
    empty(half, "half of it is no weights");
    let shards: Vec<u64> = (0..60_000).collect();
    empty(each(&shards, |s| format!("big/step-{s}/w.bin")), "a data set in numbers");
}

#[test]
fn names_that_could_be_anybodys_are_half_sure_at_most() {
    let runs = found(&each(&[1, 2, 3, 4], |s| format!("corpus/epoch_{s}/tokens.bin")));
    assert_eq!((runs.len(), runs[0].family), (1, Family::Generic));
    assert!(runs[0].confidence <= 0.5);
}

#[test]
fn what_is_missing_makes_a_step_incomplete() {
    let incomplete = |objects: &[Object]| -> Vec<u64> {
        let runs = found(objects);
        assert_eq!(runs.len(), 1);
        runs[0].steps.iter().filter(|s| !s.complete).map(|s| s.step).collect()
    };
    let hf = |steps: &[u64]| -> Vec<Object> {
        let mut all = Vec::new();
        for s in steps {
            for k in 1..=3 {
                all.push(format!("r/checkpoint-{s}/model-0000{k}-of-00003.safetensors"));
            }
            all.push(format!("r/checkpoint-{s}/model.safetensors.index.json"));
            all.push(format!("r/checkpoint-{s}/trainer_state.json"));
        }
        rows(&all)
    };
    let without = |mut objects: Vec<Object>, part: &str| {
        objects.retain(|o| !String::from_utf8_lossy(&o.key).contains(part));
        objects
    };
    let steps = [100, 200, 300, 400];
    assert!(incomplete(&hf(&steps)).is_empty());
    for part in ["300/model-00002", "300/model.safetensors.index", "300/trainer_state"] {
        assert_eq!(incomplete(&without(hf(&steps), part)), [300], "{part}");
    }
    // A shard is gone and another file is there: the number is right, the set is not.
    let mut swapped = without(hf(&steps), "300/model-00002");
    swapped.push(Object::new("r/checkpoint-300/notes.txt", 1, 100.0));
    assert_eq!(incomplete(&swapped), [300]);
    // A size that nobody can believe.
    let mut odd = hf(&steps);
    odd[0].flags = crate::domain::storage::ObjectFlags::BAD_SIZE;
    assert_eq!(incomplete(&odd), [100]);

    let dcp = |steps: &[u64]| -> Vec<Object> {
        let files = ["__0_0.distcp", "__1_0.distcp", ".metadata"];
        rows(
            &steps
                .iter()
                .flat_map(|s| files.map(|f| format!("t/step-{s}/{f}")))
                .collect::<Vec<_>>(),
        )
    };
    assert_eq!(incomplete(&without(dcp(&steps), "step-400/.metadata")), [400]);
    // Marker there, a file of a rank gone.
    assert_eq!(incomplete(&without(dcp(&steps), "step-400/__1")), [400]);

    let tf = |steps: &[u64]| -> Vec<Object> {
        let files = ["index", "data-00000-of-00002", "data-00001-of-00002"];
        rows(
            &steps
                .iter()
                .flat_map(|s| files.map(|f| format!("tf/m.ckpt-{s}.{f}")))
                .collect::<Vec<_>>(),
        )
    };
    assert_eq!(incomplete(&without(tf(&steps), "200.data-00001")), [200]);
    assert_eq!(incomplete(&without(tf(&steps), "200.index")), [200]);

    let mut nemo =
        each(&steps, |s| format!("n/m--val_loss=2.5-step={s}-consumed_samples=1.0.ckpt"));
    nemo.push(Object::new("n/m--val_loss=2.5-step=200-consumed_samples=1.0-unfinished", 0, 100.0));
    assert_eq!(incomplete(&nemo), [200]);

    let mut orbax = each(&steps, |s| format!("j/{s}/items/manifest.ocdbt"));
    orbax.push(Object::new("j/500.orbax-checkpoint-tmp-17/items/manifest.ocdbt", 5, 100.0));
    assert_eq!(incomplete(&orbax), [500]);
}

#[test]
fn a_run_that_went_on_with_fewer_ranks_is_complete() {
    let mut objects = Vec::new();
    for s in 1..=12u64 {
        let ranks = if s <= 7 { 8 } else { 4 };
        for r in 0..ranks {
            objects.push(Object::new(
                &format!("d/global_step{s}/zero_pp_rank_{r}_mp_rank_00_optim_states.pt"),
                9,
                100.0,
            ));
        }
    }
    objects.pop();
    let runs = found(&objects);
    let incomplete: Vec<u64> =
        runs[0].steps.iter().filter(|s| !s.complete).map(|s| s.step).collect();
    assert_eq!(incomplete, [12]);
}

#[test]
fn dates_that_nobody_knows_make_a_run_active() {
    let mut objects = each(&[1, 2, 3], |s| format!("a/checkpoint-{s}/optimizer.pt"));
    assert!(!found(&objects)[0].active);
    objects[0].modified_ms = i64::MIN;
    let run = &found(&objects)[0];
    assert!(run.active && !run.steps[0].complete && run.steps[0].newest_ms == i64::MIN);
}
