//! Checkpoints of the demo: a run of every framework, and what only looks like one.

use super::objects::{Row, copies, tail};

/// Seconds of a day.
const DAY: i64 = 86_400;

/// GiB.
const G: u64 = 1 << 30;

/// A run: directory, steps (first, last, distance), days since its first step, hours between two.
struct Plan {
    dir: &'static str,
    steps: (u64, u64, u64),
    began: i64,
    every_min: i64,
    write: fn(&Plan, u64, bool, &mut Sink<'_>),
}

/// Takes the files of a step.
struct Sink<'a> {
    rows: &'a mut Vec<Row>,
    age_s: i64,
}

impl Sink<'_> {
    fn put(&mut self, key: String, size: u64) {
        self.rows.push(Row::new(key, size, self.age_s));
    }
}

/// Runs that are still written end today; the others ended long ago.
const RUNS: [Plan; 11] = [
    Plan {
        dir: "llm/pretrain/13b-a",
        steps: (1000, 30_000, 1000),
        began: 150,
        every_min: 360,
        write: megatron,
    },
    Plan {
        dir: "llm/pretrain/70b-b",
        steps: (500, 8000, 500),
        began: 4,
        every_min: 360,
        write: megatron_dist,
    },
    Plan {
        dir: "rlhf/exp-0412/output",
        steps: (500, 10_000, 500),
        began: 95,
        every_min: 45,
        write: hf_deepspeed,
    },
    Plan {
        dir: "lora/support-bot/output",
        steps: (100, 2000, 100),
        began: 60,
        every_min: 20,
        write: hf_adapter,
    },
    Plan {
        dir: "vision/exp_77/lightning_logs/version_3/checkpoints",
        steps: (999, 39_999, 1000),
        began: 40,
        every_min: 20,
        write: lightning,
    },
    Plan {
        dir: "jax/gemma-ft/ckpts",
        steps: (1000, 16_000, 1000),
        began: 20,
        every_min: 60,
        write: orbax,
    },
    Plan {
        dir: "titan/llama3-8b-r1/checkpoint",
        steps: (250, 5000, 250),
        began: 55,
        every_min: 30,
        write: dcp,
    },
    Plan {
        dir: "ds/bloom-7b1",
        steps: (1000, 12_000, 1000),
        began: 300,
        every_min: 200,
        write: deepspeed,
    },
    Plan {
        dir: "tf/recsys-2025",
        steps: (0, 190_000, 10_000),
        began: 400,
        every_min: 120,
        write: tensorflow,
    },
    Plan {
        dir: "nemo/gpt-1b/checkpoints",
        steps: (2000, 30_000, 2000),
        began: 1,
        every_min: 90,
        write: nemo,
    },
    Plan {
        dir: "olmo/7b-anneal",
        steps: (1000, 10_000, 1000),
        began: 130,
        every_min: 240,
        write: olmo,
    },
];

/// Directories of the runs, as tests expect them.
#[cfg(test)]
pub(super) fn directories() -> impl Iterator<Item = &'static str> {
    RUNS.iter().map(|run| run.dir)
}

/// All objects of the bucket with checkpoints.
pub(super) fn rows() -> Vec<Row> {
    let mut rows = copies(120);
    for run in &RUNS {
        let (first, last, by) = run.steps;
        let mut step = first;
        while step <= last {
            let at = (step - first) / by;
            let age_s = (run.began * DAY - at as i64 * run.every_min * 60).max(600);
            let mut sink = Sink { rows: &mut rows, age_s };
            (run.write)(run, step, step == last, &mut sink);
            step += by;
        }
    }
    let mut put =
        |key: &str, size: u64, age_s: i64| rows.push(Row::new(key.to_owned(), size, age_s));
    put("llm/pretrain/13b-a/latest_checkpointed_iteration.txt", 5, 142 * DAY);
    put("vision/exp_77/lightning_logs/version_3/checkpoints/last.ckpt", 3 * G, 39 * DAY);
    put("ds/bloom-7b1/latest", 17, 298 * DAY);
    put("tf/recsys-2025/checkpoint", 350, 398 * DAY);
    // What only looks like a run.
    for k in 1..=30 {
        put(
            &format!("models/release/llama-70b-v3/model-{k:05}-of-00030.safetensors"),
            5 * G,
            120 * DAY,
        );
    }
    for k in 1..=4 {
        put(&format!("rlhf/exp-0412/output/model-{k:05}-of-00004.safetensors"), 5 * G, 94 * DAY);
    }
    for i in 0..200 {
        put(&format!("datasets/step-1000/images/{i:06}.jpg"), 8_000 + i * 400, 330 * DAY);
    }
    put("weird key/with space+plus%25/ünï/checkpoint-10/model.safetensors", G, 10 * DAY);
    rows
}

fn megatron(run: &Plan, step: u64, _: bool, to: &mut Sink<'_>) {
    for rank in 0..8 {
        to.put(format!("{}/iter_{step:07}/mp_rank_{rank:02}/model_optim_rng.pt", run.dir), 22 * G);
    }
}

fn megatron_dist(run: &Plan, step: u64, is_last: bool, to: &mut Sink<'_>) {
    let dir = format!("{}/iter_{step:07}", run.dir);
    for rank in 0..16 {
        to.put(format!("{dir}/__{rank}_0.distcp"), 45 * G);
    }
    to.put(format!("{dir}/common.pt"), 60_000);
    // The last save is under way.
    if !is_last {
        to.put(format!("{dir}/.metadata"), 4_000_000);
        to.put(format!("{dir}/metadata.json"), 118);
    }
}

fn hf_deepspeed(run: &Plan, step: u64, _: bool, to: &mut Sink<'_>) {
    let dir = format!("{}/checkpoint-{step}", run.dir);
    for k in 1..=4 {
        to.put(format!("{dir}/model-{k:05}-of-00004.safetensors"), 5 * G);
    }
    to.put(format!("{dir}/model.safetensors.index.json"), 23_950);
    to.put(format!("{dir}/trainer_state.json"), 40_000 + step);
    for rank in 0..4 {
        to.put(
            format!("{dir}/global_step{step}/bf16_zero_pp_rank_{rank}_mp_rank_00_optim_states.pt"),
            20 * G,
        );
    }
    to.put(format!("{dir}/latest"), 17);
}

fn hf_adapter(run: &Plan, step: u64, _: bool, to: &mut Sink<'_>) {
    let dir = format!("{}/checkpoint-{step}", run.dir);
    to.put(format!("{dir}/adapter_model.safetensors"), 320 << 20);
    to.put(format!("{dir}/optimizer.pt"), 640 << 20);
    to.put(format!("{dir}/trainer_state.json"), 12_000 + step);
}

fn lightning(run: &Plan, step: u64, _: bool, to: &mut Sink<'_>) {
    to.put(format!("{}/epoch={}-step={step}.ckpt", run.dir, step / 1000), 3 * G);
}

fn orbax(run: &Plan, step: u64, is_last: bool, to: &mut Sink<'_>) {
    // The last save was never committed.
    let end = if is_last { ".orbax-checkpoint-tmp-1763600000" } else { "" };
    let dir = format!("{}/{step}{end}", run.dir);
    to.put(format!("{dir}/_CHECKPOINT_METADATA"), 300);
    to.put(format!("{dir}/items/manifest.ocdbt"), 1200);
    for part in 0..8 {
        let name = tail(&format!("{}{step}{part}", run.dir), 32);
        to.put(format!("{dir}/items/ocdbt.process_{part}/d/{name}"), 7 * G);
    }
}

fn dcp(run: &Plan, step: u64, _: bool, to: &mut Sink<'_>) {
    for rank in 0..8 {
        to.put(format!("{}/step-{step}/__{rank}_0.distcp", run.dir), 10 * G);
    }
    to.put(format!("{}/step-{step}/.metadata", run.dir), 900_000);
}

fn deepspeed(run: &Plan, step: u64, _: bool, to: &mut Sink<'_>) {
    let dir = format!("{}/global_step{step}", run.dir);
    for rank in 0..8 {
        to.put(format!("{dir}/zero_pp_rank_{rank}_mp_rank_00_optim_states.pt"), 12 * G);
    }
    to.put(format!("{dir}/mp_rank_00_model_states.pt"), 14 * G);
}

fn tensorflow(run: &Plan, step: u64, _: bool, to: &mut Sink<'_>) {
    let name = format!("{}/model.ckpt-{step}", run.dir);
    to.put(format!("{name}.index"), 44_000);
    to.put(format!("{name}.meta"), 5_100_000);
    for part in 0..2 {
        to.put(format!("{name}.data-{part:05}-of-00002"), 2 * G);
    }
}

fn nemo(run: &Plan, step: u64, is_last: bool, to: &mut Sink<'_>) {
    let loss = 3.0 - step as f64 / 20_000.0;
    let name = format!(
        "{}/megatron_gpt--val_loss={loss:.2}-step={step}-consumed_samples={}.0",
        run.dir,
        step * 512
    );
    to.put(format!("{name}.ckpt"), 28 * G);
    if is_last {
        to.put(format!("{name}-unfinished"), 0);
    }
}

fn olmo(run: &Plan, step: u64, _: bool, to: &mut Sink<'_>) {
    let dir = format!("{}/step{step}/model_and_optim", run.dir);
    for rank in 0..8 {
        to.put(format!("{dir}/__{rank}_0.distcp"), 10 * G);
    }
    to.put(format!("{dir}/.metadata"), 700_000);
}
