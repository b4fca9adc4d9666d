//! A real MLflow and a real Ray, with runs and jobs of which the truth is known: read by the program.
//!
//! What jobs of Ray held is held against what they wrote of themselves (`tests/emulators/trackers.py`), never against a time that
//! this machine should take.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write as _};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Output, Stdio};
use std::sync::{Mutex, OnceLock};

use jiff::Timestamp;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::emulators::venv_of;
use crate::remote::wait_until;

const BURNTOP: &str = env!("CARGO_BIN_EXE_burntop");

/// What is installed, with its versions.
const PINS: &str = "trackers.txt";

/// What rounding takes, GPU-seconds: times of Ray are whole milliseconds, and GPU-hours have six digits.
const ROUNDED: f64 = 0.02;

/// Both servers, and what was planted.
#[derive(Debug, Deserialize)]
struct Trackers {
    mlflow: String,
    ray: String,
    /// GPUs of the cluster of Ray.
    gpus: f64,
    /// Runs of the experiment `bulk`.
    bulk: usize,
    /// Values of metrics as MLflow writes them, by metric.
    odd: BTreeMap<String, Value>,
    /// Last line of the job `fails`.
    last_words: String,
    /// What jobs of Ray held, by job.
    held: BTreeMap<String, Bounds>,
    /// The placement group of the job that runs.
    group: Group,
}

/// GPU-seconds, by what a job wrote of itself.
#[derive(Debug, Deserialize)]
struct Bounds {
    least: f64,
    most: f64,
    /// Of its tasks alone, at most.
    tasks: f64,
}

/// A placement group that is there.
#[derive(Debug, Deserialize)]
struct Group {
    gpus: f64,
    /// Before it was asked for, seconds since 1970.
    asked: f64,
    /// After it was there, seconds since 1970.
    there: f64,
}

/// The program that started both: it ends, and they with it, when its standard input closes.
struct Starter {
    _child: Child,
    stdin: ChildStdin,
    stdout: BufReader<ChildStdout>,
}

impl Starter {
    fn line(&mut self) -> String {
        let mut line = String::new();
        self.stdout.read_line(&mut line).expect("the servers say where they are");
        line
    }
}

/// Held for the life of the process.
static STARTER: Mutex<Option<Starter>> = Mutex::new(None);

/// Both servers, started on first use.
fn trackers() -> &'static Trackers {
    static RUNNING: OnceLock<Trackers> = OnceLock::new();
    RUNNING.get_or_init(|| {
        let mut child = Command::new(venv_of("trackers", PINS).join("bin/python"))
            .arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/emulators/trackers.py"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the Python of the trackers starts");
        let stdin = child.stdin.take().expect("stdin is piped");
        let stdout = BufReader::new(child.stdout.take().expect("stdout is piped"));
        let mut starter = Starter { _child: child, stdin, stdout };
        let line = starter.line();
        *STARTER.lock().unwrap() = Some(starter);
        serde_json::from_str(&line).unwrap_or_else(|e| panic!("no trackers ({e}): {line:?}"))
    })
}

/// Ends the cluster of Ray, for all tests.
fn stop_ray() {
    let mut starter = STARTER.lock().unwrap();
    let starter = starter.as_mut().unwrap();
    starter.stdin.write_all(b"stop-ray\n").unwrap();
    assert_eq!(starter.line(), "{}\n");
}

/// The pinned version of a package.
fn pinned(package: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/emulators").join(PINS);
    let pins = std::fs::read_to_string(path).unwrap();
    let version = pins.lines().find_map(|line| line.strip_prefix(package)?.strip_prefix("=="));
    version.unwrap_or_else(|| panic!("no {package}: {pins}")).to_owned()
}

/// A home of burntop with a configuration.
struct Home(tempfile::TempDir);

impl Home {
    fn new(config: &str) -> Self {
        let home = tempfile::tempdir().unwrap();
        let dir = home.path().join("config/burntop");
        std::fs::create_dir_all(&dir).unwrap();
        std::fs::write(dir.join("config.toml"), config).unwrap();
        Self(home)
    }

    fn burntop(&self, arguments: &[&str]) -> Output {
        let at = |name: &str| self.0.path().join(name);
        Command::new(BURNTOP)
            .args(arguments)
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("HOME", self.0.path())
            .env("XDG_CONFIG_HOME", at("config"))
            .env("XDG_CACHE_HOME", at("cache"))
            .env("XDG_STATE_HOME", at("state"))
            .env("AWS_EC2_METADATA_DISABLED", "true")
            .output()
            .unwrap()
    }

    /// What `burntop jobs` writes, with this exit code.
    #[track_caller]
    fn jobs(&self, more: &[&str], code: i32) -> Value {
        let output = self.burntop(&[&["jobs", "--format", "json"][..], more].concat());
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(code), "{more:?}: {said}");
        serde_json::from_slice(&output.stdout).unwrap()
    }
}

/// The configuration of the tracking server, with these experiments.
fn of_mlflow(experiments: &str) -> String {
    let url = &trackers().mlflow;
    format!("[[jobs.mlflow]]\nname = 'ml'\nurl = '{url}'\nexperiments = {experiments}\n")
}

fn rows(json: &Value) -> &[Value] {
    json["rows"].as_array().unwrap()
}

/// The row in which a field has this value.
#[track_caller]
fn row<'a>(json: &'a Value, field: &str, value: &str) -> &'a Value {
    let found = rows(json).iter().find(|row| row[field] == value);
    found.unwrap_or_else(|| panic!("no {field} {value}: {json:#}"))
}

/// GPU-seconds of a row.
#[track_caller]
fn gpu_seconds(row: &Value) -> f64 {
    row["gpu_hours"].as_f64().unwrap_or_else(|| panic!("unknown: {row:#}")) * 3_600.0
}

#[test]
fn what_a_real_mlflow_says_of_runs_is_a_claim() {
    let json = Home::new(&of_mlflow("['ll*']")).jobs(&[], 0);
    let state = |name: &str| {
        let row = row(&json, "name", name);
        (row["state"].as_str().unwrap(), row["state_source"].as_str().unwrap())
    };
    assert_eq!(state("completed"), ("completed", "FINISHED (claimed)"));
    // An uncaught exception and an exit with 3: both failed, and say otherwise.
    assert_eq!(state("exception"), ("completed", "FINISHED (claimed)"));
    assert_eq!(state("exit-3"), ("completed", "FINISHED (claimed)"));
    // Killed, and so for ever; a day after what it logged last it is in doubt. By its start it would have run for 80 h.
    assert_eq!(state("killed"), ("running", "RUNNING (claimed)"));
    assert_eq!(state("silent"), ("doubtful", "RUNNING (claimed)"));
    assert_eq!(row(&json, "name", "silent")["gpu_hours"], 0.0);
    // Metrics that are a text, or nearly infinite, spoil neither the run nor the page.
    assert_eq!(trackers().odd["loss"], json!("NaN"));
    assert!(trackers().odd["grad"].as_f64().unwrap() > 1e308);
    // By their tags these held 8 GPUs: one for the 4 h of its four children and these once more, 64 GPU-hours in place of 32, and
    // one for 50 h of which it did nothing in 48. What they held is unknown.
    for name in ["sweep", "sweep-0", "sweep-1", "sweep-2", "sweep-3", "resumed"] {
        assert_eq!(state(name), ("completed", "FINISHED (claimed)"));
    }
    for row in rows(&json).iter().filter(|row| row["state"] == "completed") {
        assert_eq!((&row["gpu_hours"], &row["usd"]), (&Value::Null, &Value::Null), "{row:#}");
        assert_eq!((&row["user"], &row["team"]), (&json!("alice"), &json!("ml")), "{row:#}");
    }
    let resumed = row(&json, "name", "resumed");
    let at = |field: &str| resumed[field].as_str().unwrap().parse::<Timestamp>().unwrap();
    assert!(at("ended_at").duration_since(at("started_at")).as_hours() >= 49, "{resumed:#}");
    // And nothing besides: what was deleted is not read.
    assert_eq!(rows(&json).len(), 11, "{json:#}");
}

#[test]
fn four_ranks_in_a_real_mlflow_are_one_label_of_their_job() {
    let home = Home::new(&of_mlflow("['vision']"));
    let alone = home.jobs(&["--filter", "name~rank"], 0);
    assert_eq!(rows(&alone).len(), 4, "without the job they stand by themselves");
    let moment = |field: &str| {
        let at: Timestamp = rows(&alone)[0][field].as_str().unwrap().parse().unwrap();
        at.as_second()
    };
    let (start, end) = (moment("started_at"), moment("ended_at"));
    let sacct = home.0.path().join("sacct.txt");
    let head =
        "Cluster|JobIDRaw|JobID|JobName|User|State|ExitCode|Submit|Start|End|AllocTRES|NodeList";
    let job = format!(
        "lab|500|500|ddp|carol|FAILED|1:0|{start}|{start}|{end}|cpu=8,gres/gpu=8,node=1|n1"
    );
    std::fs::write(&sacct, format!("{head}\n{job}\n")).unwrap();
    let imported = home.burntop(&["jobs", "import", sacct.to_str().unwrap()]);
    assert!(imported.status.success(), "{}", String::from_utf8_lossy(&imported.stderr));
    let json = home.jobs(&[], 0);
    assert!(!rows(&json).iter().any(|row| row["name"].to_string().contains("rank")), "{json:#}");
    let job = row(&json, "job_id", "500");
    // By the tags of the ranks 4 × 8 GPUs × 1 h; all of them say FINISHED.
    assert_eq!(job["gpu_hours"], 8.0);
    assert_eq!((&job["state"], &job["user"]), (&json!("failed"), &json!("carol")));
    let label = job["tracker"].as_str().unwrap();
    assert!(label.starts_with("vision/rank-") && label.ends_with(" and 3 more"), "{label}");
}

#[test]
fn every_page_of_a_real_mlflow_is_read() {
    let json = Home::new(&of_mlflow("['bulk']")).jobs(&[], 0);
    let ids: std::collections::BTreeSet<&str> =
        rows(&json).iter().map(|row| row["job_id"].as_str().unwrap()).collect();
    // More than a page, and hundreds of them ended in one moment.
    assert!(trackers().bulk > 1_000);
    assert_eq!((rows(&json).len(), ids.len()), (trackers().bulk, trackers().bulk));
}

/// All that needs the cluster of Ray, for its last part ends it.
#[test]
fn gpu_time_of_a_real_ray_is_what_its_jobs_wrote_of_themselves_and_outlives_it() {
    let told = trackers();
    let ray = format!("[[jobs.ray]]\nname = 'lab'\nurl = '{}'\n", told.ray);
    let home = Home::new(&format!("{}{ray}", of_mlflow("['vision']")));
    let json = home.jobs(&[], 0);
    held_is_what_was_recorded(&json);
    ends_are_told(&json);
    // A run of MLflow that names the job is a label of it.
    assert_eq!(row(&json, "job_id", "actors")["tracker"], "vision/of-ray");
    assert!(!rows(&json).iter().any(|row| row["name"] == "of-ray"), "{json:#}");
    // Where the nodes are jobs of others these hold the GPUs.
    let nested = Home::new(&format!("{ray}nested = true\n")).jobs(&[], 0);
    assert_eq!(rows(&nested).len(), 6, "{nested:#}");
    assert!(rows(&nested).iter().all(|row| row["gpu_hours"].as_f64() <= Some(0.0)), "{nested:#}");

    let versions =
        [format!("MLflow {}", pinned("mlflow-skinny")), format!("Ray {}", pinned("ray[default]"))];
    // It gives a version five seconds, which a busy server may need.
    wait_until(|| {
        let doctor = home.burntop(&["doctor"]);
        let doctor = String::from_utf8_lossy(&doctor.stdout);
        // Lines may be broken anywhere.
        let said = doctor.split_whitespace().collect::<Vec<_>>().join(" ");
        let has_all = versions.iter().all(|version| said.contains(version));
        if has_all { Ok(()) } else { Err(format!("{versions:?}: {doctor}")) }
    });

    stop_ray();
    let last = home.jobs(&["--offline"], 0);
    for _ in 0..2 {
        let kept = home.jobs(&[], 3);
        let error = &kept["errors"][0];
        assert_eq!((&error["source"], &error["scope"]), (&json!("ray"), &json!("lab/-")));
        let reading = kept["readings"].as_array().unwrap();
        let reading = reading.iter().find(|reading| reading["source"] == "ray").unwrap();
        assert_eq!(reading["state"], "unreachable");
        // What ran counts up to the last reading.
        for job in ["actors", "removed", "group", "entry", "fails", "waits"] {
            let (was, is) = (row(&last, "job_id", job), row(&kept, "job_id", job));
            assert_eq!((&is["gpu_hours"], &is["state"]), (&was["gpu_hours"], &was["state"]));
        }
    }
}

fn held_is_what_was_recorded(json: &Value) {
    let told = trackers();
    for (job, Bounds { least, most, tasks }) in &told.held {
        let found = row(json, "job_id", job);
        let held = gpu_seconds(found);
        let fits = least - ROUNDED..=most + ROUNDED;
        assert!(fits.contains(&held), "{job}: {held} is not in {fits:?}: {found:#}");
        // Both wrong sums are far away: tasks alone, and the time of the job × the GPUs of the cluster.
        let at = |field: &str| found[field].as_str().unwrap().parse::<Timestamp>().unwrap();
        let wall = at("ended_at").duration_since(at("started_at")).as_secs_f64();
        assert!(tasks < least && held < wall * told.gpus, "{job}: {held} in {wall} s, {tasks}");
    }
    let actors = row(json, "job_id", "actors");
    let labels = ["name", "user", "team", "project"].map(|field| actors[field].as_str().unwrap());
    assert_eq!(labels, ["train", "bob", "ml", "llm-7b"]);
    // What was inside of the group that is there is not counted beside it: 5 GPUs and not 9.
    let group = row(json, "job_id", "group");
    let reading = json["readings"].as_array().unwrap();
    let reading = reading.iter().find(|reading| reading["source"] == "ray").unwrap();
    let taken: Timestamp = reading["taken_at"].as_str().unwrap().parse().unwrap();
    let since = |at: f64| taken.as_duration().as_secs_f64() - at;
    let Group { gpus, asked, there } = told.group;
    let fits = gpus * since(there) - ROUNDED..=gpus * since(asked) + ROUNDED;
    assert!(fits.contains(&gpu_seconds(group)), "{fits:?}: {group:#}");
    assert_eq!(group["state"], "running");
}

fn ends_are_told(json: &Value) {
    let fails = row(json, "job_id", "fails");
    assert_eq!(
        (&fails["state"], &fails["state_source"], &fails["exit"]),
        (&json!("failed"), &json!("FAILED (claimed)"), &json!("exit_1"))
    );
    // The last line of its log, and not the entrypoint, which may hold secrets.
    let reason = fails["reason"].as_str().unwrap();
    assert!(reason.ends_with(&format!(": {}", trackers().last_words)), "{reason}");
    assert_eq!(row(json, "job_id", "entry")["state"], "completed");
    // It asks for more GPUs than there are, and holds none.
    let waits = row(json, "job_id", "waits");
    assert_eq!((&waits["state"], &waits["started_at"]), (&json!("queued"), &Value::Null));
    assert_eq!(gpu_seconds(waits), 0.0);
}
