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

/// The row of a rule with a setting, of a key (`null` = all together).
fn rule<'a>(found: &'a Json, rule: &str, setting: u64, key: &Json) -> Option<&'a Json> {
    let is_it =
        |row: &&Json| row["rule"] == rule && row["setting"] == setting && row["key"] == *key;
    found["rows"].as_array().unwrap().iter().find(is_it)
}

#[test]
fn rules_replayed_over_the_demo_save_what_its_planted_failures_lost() {
    let place = Place::new();
    let found = place.json(&["--demo", "jobs", "replay", "--by", "script"]);
    assert_eq!(found["schema"], "burntop/jobs-replay/1");
    let of = |name: &str, setting: u64, script: &str| {
        let row = rule(&found, name, setting, &Json::from(script))?;
        Some(["attempts", "saved_usd", "cost_usd", "net_usd"].map(|f| row[f].as_f64().unwrap()))
    };
    let near = |found: Option<[f64; 4]>, want: [f64; 4]| {
        let found = found.unwrap();
        let is_near = found.iter().zip(want).all(|(found, want)| (found - want).abs() < 1e-6);
        assert!(is_near, "{found:?} for {want:?}");
    };
    // An hour of 8 H100 is $55.04: three failures of an hour, of which a limit leaves one or two.
    let finetune = "research tomas finetune-v2";
    near(of("retry_limit", 1, finetune), [2.0, 110.08, 0.0, 110.08]);
    near(of("retry_limit", 2, finetune), [1.0, 55.04, 0.0, 55.04]);
    assert_eq!(of("retry_limit", 3, finetune), None);
    assert_eq!(of("drain_after", 1, finetune), None, "it fails on any node");
    // Three failures of three hours on the bad node.
    let encoder = "research wei encoder";
    for name in ["retry_limit", "drain_after"] {
        near(of(name, 1, encoder), [2.0, 330.24, 0.0, 330.24]);
        near(of(name, 2, encoder), [1.0, 165.12, 0.0, 165.12]);
        assert_eq!(of(name, 3, encoder), None);
    }
    // Of 5½ h half an hour and 8 minutes to restart are lost, not all; 3 × 6 and 5 of 5 minutes are written.
    let nightly = "research omar nightly-eval";
    let (saved, cost) = (55.04 * (330.0 - 38.0) / 60.0, 55.04 * 23.0 * 5.0 / 60.0);
    near(of("checkpoint_every", 60, nightly), [4.0, saved, cost, saved - cost]);
    assert_eq!(found["restart_minutes"], 8.0);
    for wrong in
        [["--by", "week"], ["--days", "0"], ["--checkpoint-cost", "-1"], ["--drain-for", "0"]]
    {
        let words = [&["burntop", "--demo", "jobs", "replay"], &wrong[..]].concat();
        assert!(Cli::try_parse_from(words).is_err(), "{wrong:?}");
    }
}

#[test]
fn a_retry_limit_over_the_demo_is_what_its_attempts_say_one_by_one() {
    let place = Place::new();
    let found = place.json(&["--demo", "jobs", "replay"]);
    let jobs = place.json(&["--demo", "jobs"]);
    let all = jobs["rows"].as_array().unwrap();
    let text = |of: &Json, field: &str| of[field].as_str().unwrap_or_default().to_owned();
    let is = |of: &Json, states: &[&str]| states.contains(&of["state"].as_str().unwrap());
    let failed = |of: &Json| is(of, &["failed", "out_of_memory", "timed_out", "node_fault"]);
    let completed = |of: &Json| is(of, &["completed", "completed_step_failed"]);
    let script = |of: &Json| ["cluster", "user", "name"].map(|field| text(of, field));
    let counts = |of: &&Json| {
        let is_over = failed(of) || completed(of) || is(of, &["preempted", "cancelled"]);
        is_over && of["started_at"].is_string() && of["ended_at"].is_string()
    };
    let mut touched = 0;
    for limit in [1, 2, 3, 5] {
        let (mut attempts, mut forbidden, mut saved, mut cost) = (0_u64, 0_u64, 0.0, 0.0);
        for of in all.iter().filter(counts) {
            let is_before = |other: &&Json| {
                script(other) == script(of)
                    && counts(other)
                    && text(other, "ended_at") <= text(of, "started_at")
            };
            let mut before: Vec<&Json> = all.iter().filter(is_before).collect();
            before.sort_by_key(|other| (text(other, "ended_at"), !failed(other)));
            let in_a_row =
                before.iter().fold(0, |row, other| match (failed(other), completed(other)) {
                    (true, _) => row + 1,
                    (_, true) => 0,
                    _ => row,
                });
            if in_a_row >= limit {
                attempts += 1;
                saved += of["lost_gpu_hours"].as_f64().unwrap();
                forbidden += u64::from(completed(of));
                cost += of["gpu_hours"].as_f64().unwrap() - of["lost_gpu_hours"].as_f64().unwrap();
            }
        }
        let row = rule(&found, "retry_limit", limit, &Json::Null).unwrap();
        assert_eq!(
            (&row["attempts"], &row["forbidden_successes"]),
            (&attempts.into(), &forbidden.into())
        );
        let near = |field: &str, want: f64| {
            let found = row[field].as_f64().unwrap();
            assert!((found - want).abs() < 1e-3, "{limit} {field}: {found} for {want}");
        };
        near("saved_gpu_hours", saved);
        near("cost_gpu_hours", cost);
        near("net_gpu_hours", saved - cost);
        touched += attempts;
    }
    assert!(touched > 10, "{touched}");
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
fn the_planted_use_of_gpus_is_told_with_what_measured_it() {
    let place = Place::new();
    let of = |filter: &str| {
        let found = place.json(&["--demo", "jobs", "--filter", filter]);
        let rows = found["rows"].as_array().unwrap().clone();
        rows.into_iter().map(|row| {
            let by = row["gpu_hours_used_from"].as_str().map(str::to_owned);
            (row["gpu_hours_used"].as_f64(), row["gpu_hours"].as_f64().unwrap(), by)
        })
    };
    let used = |filter: &str| of(filter).map(|(used, _, by)| (used, by)).collect::<Vec<_>>();
    let by = |word: &str| Some(word.to_owned());
    // By hand: 9.3% of 6 hours of 8 GPUs; 87.5% of 9½ and of 10 hours, the newest first.
    assert_eq!(used("id=9003"), [(Some(4.464), by("jobstats"))]);
    let telemetry = || by("telemetry");
    assert_eq!(used("id=9001"), [(Some(66.5), telemetry()), (Some(70.0), telemetry())]);
    assert_eq!(used("id=9002"), [(None, None), (None, None), (None, None)]);
    // Three of eight GPUs at 90%, for as long as it runs.
    for (used, held, by) in of("id=9005") {
        assert!((used.unwrap() - 0.3375 * held).abs() < 1e-3, "{used:?} of {held}");
        assert_eq!(by.as_deref(), Some("telemetry"));
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

#[test]
fn the_empty_node_of_the_demo_would_have_gone_after_its_only_job() {
    let place = Place::new();
    let found = place.json(&["--demo", "jobs", "scaling", "--filter", "queue=reserved"]);
    assert_eq!(found["schema"], "burntop/jobs-scaling/1");
    let rows = found["rows"].as_array().unwrap();
    // Seven delays, with no node and with one that is always up.
    assert_eq!(rows.len(), 14);
    let near = |row: &Json, field: &str, want: f64| {
        let found = row[field].as_f64().unwrap();
        assert!((found - want).abs() < 1e-5, "{field}: {found} for {want}");
    };
    let of = |after: &str, min: u64| {
        let is_it = |row: &&Json| row["scale_down_after"] == after && row["min_nodes"] == min;
        rows.iter().find(is_it).unwrap()
    };
    // Up for 32 h, of which a job held it for one, at $55.04.
    for (field, want) in
        [("up_hours", 32.0), ("busy_hours", 1.0), ("empty_hours", 31.0), ("empty_usd", 1706.24)]
    {
        near(&rows[0], field, want);
    }
    // A minute after the job, and five to boot for it, which it waited for as it was: of 14 days.
    let best = of("1m", 0);
    assert_eq!(best, &rows[0], "what fits comes first");
    assert_eq!((&best["fits"], &best["boot_from"]), (&"yes".into(), &"assumed".into()));
    near(best, "saves_node_hours", 31.0 - 0.1);
    near(best, "saves_usd_per_month", 30.9 * 55.04 * 730.0 / 336.0);
    for (field, want) in [
        ("delayed_jobs", 1.0),
        ("delayed_jobs_now", 1.0),
        ("more_starts", 0.0),
        ("wait_hours", 5.0 / 60.0),
    ] {
        near(best, field, want);
    }
    near(of("1h", 0), "saves_node_hours", 31.0 - 1.0 - 5.0 / 60.0);
    near(of("never", 0), "saves_node_hours", -5.0 / 60.0);
    // A node that is always there idles for all of the 14 days but an hour.
    near(of("never", 1), "saves_node_hours", 31.0 - 335.0);
    assert_eq!((&of("1m", 1)["delayed_jobs"], &of("1m", 1)["fits"]), (&0.into(), &"no".into()));
    assert_eq!(best["scale_down_minutes"], Json::Null, "it is there still");
    let longer = ["--demo", "jobs", "scaling", "--filter", "fits=yes and queue=reserved"];
    let longer = place.json(&[&longer[..], &["--boot-minutes", "60"]].concat());
    near(&longer["rows"][0], "saves_node_hours", 31.0 - 1.0 - 1.0 / 60.0);
    for wrong in [["--days", "0"], ["--boot-minutes", "-1"]] {
        let words = [&["burntop", "--demo", "jobs", "scaling"], &wrong[..]].concat();
        assert!(Cli::try_parse_from(words).is_err(), "{wrong:?}");
    }
}

#[test]
fn the_nightly_node_of_the_demo_comes_early_and_goes_late() {
    let place = Place::new();
    let found = place.json(&["--demo", "jobs", "scaling", "--filter", "queue=nightly"]);
    let rows = found["rows"].as_array().unwrap();
    let of = |after: &str, figures: &[(&str, f64)]| {
        let is_it = |row: &&Json| row["scale_down_after"] == after && row["min_nodes"] == 0;
        let row = rows.iter().find(is_it).unwrap();
        for (field, want) in figures {
            let found = row[*field].as_f64().unwrap();
            assert!((found - want).abs() < 1e-5, "{field}: {found} for {want}");
        }
    };
    // Four runs of 6, 6, 6 and 5½ hours, each with 10 minutes before and 120 after it, at $55.04.
    let (held, empty) = (23.5, 4.0 * 130.0 / 60.0);
    let group = [
        ("nodes", 4.0),
        ("node_starts", 4.0),
        ("jobs", 4.0),
        ("busy_hours", held),
        ("up_hours", held + empty),
        ("empty_hours", empty),
        ("empty_usd", empty * 55.04),
        ("empty_stretches", 8.0),
        ("empty_minutes_p50", 10.0),
        ("empty_minutes_p95", 120.0),
        ("scale_down_minutes", 120.0),
        ("boot_minutes", 5.0),
    ];
    of("1m", &group);
    // A minute after each, and five to boot, for which each waits; so far none did.
    let saved = empty - 4.0 * 6.0 / 60.0;
    of("1m", &[("saves_node_hours", saved), ("delayed_jobs", 4.0), ("delayed_jobs_now", 0.0)]);
    of("1m", &[("saves_usd_per_month", saved * 55.04 * 730.0 / 336.0), ("more_starts", 0.0)]);
    // For ever: three times 18 hours, and 42½ until midnight.
    let idle = 3.0 * 18.0 + 42.5 + 5.0 / 60.0;
    of(
        "never",
        &[("saves_node_hours", empty - idle), ("delayed_jobs", 1.0), ("more_starts", -3.0)],
    );
    assert!(rows.iter().all(|row| row["fits"] == "no"), "each that saves delays one of four");
}
