//! `burntop jobs` from files to reports.

use clap::Parser;
use serde_json::Value as Json;

use crate::cli::exit::{CliError, Exit};
use crate::cli::{Asked, Cli, dispatch, fleet};
use crate::config::{Env, Paths};

const SACCT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/jobs/slurm-24.11.5.txt");

/// A directory in which jobs are kept.
struct Place(tempfile::TempDir);

impl Place {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn file(&self, text: &str) -> String {
        let path = self.0.path().join("jobs.csv");
        std::fs::write(&path, text).unwrap();
        path.display().to_string()
    }

    /// What a command line prints here at 80 columns.
    fn run(&self, words: &[&str]) -> Result<(Exit, String), CliError> {
        let global = ["burntop", "--now", "2026-11-28T00:00:00Z"];
        let cli = Cli::try_parse_from([&global[..], words].concat()).unwrap();
        let at = |name: &str| self.0.path().join(name);
        let paths =
            Paths { config_dir: at("config"), cache_dir: at("cache"), state_dir: at("state") };
        let asked = Asked::of(&cli, Env::default(), Some(paths), Some(80));
        let mut out = Vec::new();
        let exit = dispatch(cli.command, &asked, &mut out, fleet)?;
        Ok((exit, String::from_utf8(out).unwrap()))
    }

    fn json(&self, words: &[&str]) -> Json {
        let (_, text) = self.run(&[words, &["--format", "json"]].concat()).unwrap();
        serde_json::from_str(&text).unwrap()
    }
}

#[test]
fn text_of_sacct_becomes_a_tax() {
    let place = Place::new();
    let (exit, text) = place.run(&["jobs", "import", SACCT]).unwrap();
    assert_eq!(exit, Exit::Ok, "{text}");
    let tax = place.json(&["jobs", "tax"]);
    assert_eq!(tax["schema"], "burntop/jobs-tax/1");
    let hours = |json: &Json| (json.as_f64().unwrap() * 3600.0).round();
    assert_eq!(hours(&tax["total"]["gpu_hours"]), 2886.0);
    assert_eq!(hours(&tax["total"]["lost_gpu_hours"]), 212.0);
    assert_eq!(tax["total"]["usd"], Json::Null);
    let rows = tax["rows"].as_array().unwrap();
    let sum: f64 = rows.iter().map(|row| row["lost_gpu_hours"].as_f64().unwrap()).sum();
    assert!((sum - tax["total"]["lost_gpu_hours"].as_f64().unwrap()).abs() < 1e-5);
    // The same file again is the same attempts.
    place.run(&["jobs", "import", SACCT]).unwrap();
    assert_eq!(place.json(&["jobs", "tax"])["total"], tax["total"]);
    let failed = place.json(&["jobs", "--filter", "state=failed", "--sort=-gpu_hours"]);
    assert_eq!(failed["rows"].as_array().unwrap().len(), 3);
    assert_eq!(failed["rows"][0]["exit"], "exit_1");
    assert_eq!(failed["rows"][0]["cause"], "unknown");
    assert_eq!(failed["rows"][0]["nodes"][0], "queue1-dy-p5-1");
    assert_eq!(failed["rows"][0]["lost_is_upper_bound"], true);
    for by in ["cause", "user", "team", "project", "node", "model", "week"] {
        let (_, text) = place.run(&["jobs", "tax", "--by", by]).unwrap();
        assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
    }
}

#[test]
fn dollars_are_exact_and_cancelled_ones_count_by_choice() {
    let place = Place::new();
    let file = place.file(
        "id,start,end,gpus,status,instance_type,region\n\
         1,2026-11-20T00:00:00Z,2026-11-20T10:00:00Z,8,failed,p5.48xlarge,us-east-1\n\
         2,2026-11-20T00:00:00Z,2026-11-20T00:20:00Z,1,cancelled,p5.48xlarge,us-east-1\n",
    );
    place.run(&["jobs", "import", &file]).unwrap();
    let (_, text) = place.run(&["jobs", "tax", "--format", "json"]).unwrap();
    assert!(text.contains("\"usd\": 552.6933333333"), "{text}");
    assert!(text.contains("\"lost_usd\": 550.4,"), "{text}");
    let (_, text) =
        place.run(&["jobs", "tax", "--cancelled-weight", "1", "--format", "json"]).unwrap();
    assert!(text.contains("\"lost_usd\": 552.6933333333"), "{text}");
    let (_, csv) = place.run(&["jobs", "tax", "--format", "csv"]).unwrap();
    assert!(csv.starts_with("key,attempts,gpu_hours,usd,lost_gpu_hours,lost_usd,"), "{csv}");
    let (_, table) = place.run(&["jobs", "tax"]).unwrap();
    assert!(table.contains("lost is an upper bound for 1 attempt"), "{table}");
    assert!(table.contains("of which 0% counts as lost"), "{table}");
}

#[test]
fn exit_codes_tell_how_much_was_read() {
    let place = Place::new();
    let unread = |words: &[&str]| match place.run(words) {
        Err(CliError::Failed { exit, message }) => (exit, message),
        other => panic!("{other:?}"),
    };
    let (exit, message) = unread(&["jobs"]);
    assert_eq!(exit, Exit::Unreadable);
    assert!(message.contains("burntop jobs import"), "{message}");
    let head = "id,start,end,gpus,status\n";
    let bad = "b,1795367777,1795367700,1,failed\n";
    let file = place.file(&[head, "a,1795367776,1795367777,1,done\n", bad].concat());
    let (exit, text) = place.run(&["jobs", "import", &file, "--format", "json"]).unwrap();
    assert_eq!(exit, Exit::Partial);
    let json: Json = serde_json::from_str(&text).unwrap();
    assert_eq!(json["rows"][0]["failed_lines"][0]["line"], 3);
    assert_eq!(json["rows"][0]["attempts"], 1);
    let file = place.file(&[head, bad].concat());
    let (exit, message) = unread(&["jobs", "import", &file]);
    assert_eq!(exit, Exit::Unreadable);
    assert!(message.contains("line 2: it ends 1m17s before it starts"), "{message}");
    assert_eq!(unread(&["jobs", "import", "/nowhere.csv"]).0, Exit::Unreadable);
}

#[test]
fn a_node_is_its_jobs_its_idle_time_and_its_rest() {
    let place = Place::new();
    let file = place.file(
        "id,start,end,gpus,status,instance_type,region,nodes\n\
         1,2026-11-20T00:00:00Z,2026-11-20T10:00:00Z,8,failed,p5.48xlarge,us-east-1,n1\n\
         2,2026-11-20T10:00:00Z,2026-11-20T12:00:00Z,2,done,p5.48xlarge,us-east-1,n1\n",
    );
    place.run(&["jobs", "import", &file]).unwrap();
    let (_, text) = place.run(&["jobs", "nodes", "--format", "json"]).unwrap();
    let json: Json = serde_json::from_str(&text).unwrap();
    assert_eq!(json["schema"], "burntop/jobs-nodes/1");
    for part in ["\"usd\": 660.48", "\"jobs_usd\": 577.92", "\"unallocated_usd\": 82.56"] {
        assert!(text.contains(part), "{text}");
    }
    assert_eq!(json["rows"][0]["idle_hours"], Json::Null, "nobody tells when it was up");
    let (_, table) = place.run(&["jobs", "nodes"]).unwrap();
    assert!(table.lines().all(|line| line.chars().count() <= 80), "{table}");
    assert!(table.contains("nobody tells when they were up"), "{table}");
}

#[test]
fn where_nobody_tells_who_holds_gpus_no_gpu_is_a_zombie() {
    let place = Place::new();
    place.run(&["jobs", "import", SACCT]).unwrap();
    match place.run(&["jobs", "zombies"]) {
        Err(CliError::Failed { exit, message }) => {
            assert_eq!(exit, Exit::Unreadable);
            assert!(message.contains("nobody tells who holds GPUs"), "{message}");
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn the_planted_cases_of_the_demo_are_found() {
    let place = Place::new();
    let repeats = place.json(&["--demo", "jobs", "repeats"]);
    let row = |kind: &str, key: &str| {
        let rows = repeats["rows"].as_array().unwrap().clone();
        rows.into_iter().find(|row| row["kind"] == kind && row["key"] == key).unwrap()
    };
    // Two retries of 3 h on the bad node, at $55.04.
    let node = row("same_node", "research p5-92");
    assert_eq!((&node["attempts"], &node["lost_usd"]), (&Json::from(2), &Json::from(330.24)));
    let late = row("last_hour", "research omar nightly-eval");
    assert_eq!(late["lost_usd"], 302.72);
    let again = row("same_script", "research tomas finetune-v2");
    assert_eq!((&again["attempts"], &again["lost_usd"]), (&Json::from(2), &Json::from(110.08)));
    // The checkpoint saved all but 27 + 8 minutes.
    let saved = place.json(&["--demo", "jobs", "--filter", "job_id=9001 and state=node_fault"]);
    assert_eq!(saved["rows"][0]["lost_gpu_hours"], 4.666_667);
    assert_eq!(saved["rows"][0]["salvage"], "told");
    let zombies = place.json(&["--demo", "jobs", "zombies"]);
    assert_eq!(zombies["schema"], "burntop/jobs-zombies/1");
    let of = |kind: &str, node: &Json| {
        let rows = zombies["rows"].as_array().unwrap().iter();
        rows.filter(|row| row["kind"] == kind && row["node"] == *node).count()
    };
    let node = |job: &str| {
        let rows = place.json(&["--demo", "jobs", "--filter", &format!("job_id={job}")]);
        rows["rows"][0]["nodes"][0].clone()
    };
    assert_eq!(of("idle_beside_working", &node("9005")), 5, "{zombies}");
    assert_eq!(of("no_job", &node("9006")), 8, "{zombies}");
}

#[test]
fn the_planted_waits_of_the_demo_are_told_apart() {
    let place = Place::new();
    let of = |words: &[&str]| place.json(&[&["--demo", "jobs", "wait"], words].concat());
    let by_queue = of(&["--by", "queue", "--user-usd-per-hour", "95"]);
    assert_eq!(by_queue["schema"], "burntop/jobs-wait/1");
    let rows = by_queue["rows"].as_array().unwrap();
    let row = rows.iter().find(|row| row["key"] == "reserved").unwrap();
    let hours = |kind: &str| row[format!("{kind}_gpu_hours")].as_f64().unwrap();
    let kinds = ["limit", "room", "fragmented", "shortage", "unknown"].map(hours);
    assert_eq!(kinds, [32.0, 24.0, 24.0, 32.0, 0.0]);
    // 80 GPU-hours of 8 idle H100 at $6.88; four users waited 15 hours.
    let number = |field: &str| row[field].as_f64().unwrap();
    let known = ["idle_beside_gpu_hours", "usd", "user_hours", "user_usd"].map(number);
    assert_eq!(known, [80.0, 550.4, 15.0, 1425.0]);
    // Of the nodes of the other queue the scheduler tells nothing.
    let batch = rows.iter().find(|row| row["key"] == "batch").unwrap();
    assert_eq!(batch["unknown_gpu_hours"], batch["waited_gpu_hours"]);
    assert_eq!((&batch["usd"], &batch["idle_beside_gpu_hours"]), (&Json::Null, &Json::Null));
    // The same by hour; of the hour in which one waits still as far as it has come.
    let by_hour = of(&[]);
    let sum: f64 =
        by_hour["rows"].as_array().unwrap().iter().filter_map(|r| r["usd"].as_f64()).sum();
    assert!((sum - 550.4).abs() < 1e-6, "{sum}");
    for wrong in [["--by", "week"], ["--days", "61"], ["--user-usd-per-hour", "-1"]] {
        let words = [&["burntop", "--demo", "jobs", "wait"], &wrong[..]].concat();
        assert!(Cli::try_parse_from(words).is_err(), "{wrong:?}");
    }
}

#[test]
fn the_planted_requests_of_the_demo_are_found_and_nothing_else() {
    let place = Place::new();
    let found = place.json(&["--demo", "jobs", "requests"]);
    assert_eq!(found["schema"], "burntop/jobs-requests/1");
    let rows = found["rows"].as_array().unwrap();
    let words = |row: &Json| {
        ["resource", "workload", "user", "fix"].map(|field| row[field].as_str().unwrap().to_owned())
    };
    let named: Vec<[String; 4]> = rows.iter().map(words).collect();
    let limit = "#SBATCH --time=07:15:00 # it can start in gaps (backfill)";
    let want = [
        ["gpus", "nightly-eval", "omar", "#SBATCH --gres=gpu:1"],
        ["time", "nightly-eval", "omar", limit],
    ];
    assert_eq!(named, want);
    let figures = |row: &Json| {
        let names = ["attempts", "unknown", "asked", "used_p95", "proposed"];
        names.map(|name| row[name].as_f64().unwrap())
    };
    assert_eq!(figures(&rows[0]), [4.0, 0.0, 8.0, 1.0, 1.0]);
    // One failed: it is not known how long it would have taken.
    assert_eq!(figures(&rows[1]), [4.0, 1.0, 24.0, 6.0, 7.25]);
    // 7 GPUs for three times 6 and once 5.5 hours; the demo begins three weeks before.
    assert_eq!(rows[0]["unused_gpu_hours"].as_f64(), Some(164.5));
    assert_eq!(rows[1]["unused_gpu_hours"], Json::Null);
    let month = rows[0]["usd_per_month"].as_f64().unwrap();
    let days = 164.5 * 6.88 * 730.0 / 24.0 / month;
    assert!((19.0..22.0).contains(&days), "{days}");
    let total = found["total"]["usd_per_month"].as_f64().unwrap();
    assert!((total - month).abs() < 0.01, "{total} of {month}");
    assert!(found["unknown_gpu_attempts"].as_u64() > Some(100), "{found}");
    // In the last day none of it ended.
    let none = place.json(&["--demo", "jobs", "requests", "--days", "1"]);
    assert_eq!(none["rows"].as_array().unwrap().len(), 0);
    assert_eq!(none["total"]["usd_per_month"], Json::Null);
    for wrong in ["0", "366", "x"] {
        let words = ["burntop", "--demo", "jobs", "requests", "--days", wrong];
        assert!(Cli::try_parse_from(words).is_err(), "{wrong}");
    }
}
