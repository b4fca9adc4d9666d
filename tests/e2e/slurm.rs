//! A real Slurm, with accounting in a real database: read by the program, over ssh, and by slurmrestd.
//!
//! Where Slurm is not installed these tests print `skipped: …`; with `BURNTOP_CI=1` that is a failure.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Output, Stdio};
use std::sync::{Mutex, OnceLock};

use burntop::parts::domain::ErrorKind;
use burntop::parts::source::jobs::live::{JobWindow, JobsRead, LiveJobs};
use burntop::parts::source::jobs::slurm::{Place, SlurmPrograms, SlurmSettings};
use burntop::parts::source::ssh::{Login, Target};
use jiff::{SignedDuration, Timestamp};
use serde::Deserialize;
use serde_json::Value;

use crate::remote::{Sshd, installed, wait_until};

const BURNTOP: &str = env!("CARGO_BIN_EXE_burntop");

/// Programs without which there is no cluster.
const PARTS: [&str; 6] =
    ["slurmctld", "slurmd", "slurmdbd", "slurmrestd", "munged", "mariadb-install-db"];

/// A cluster of two nodes with eight GPUs each; it ends with the process of the tests.
#[derive(Clone, Debug, Deserialize)]
struct Slurm {
    /// Path of its configuration.
    conf: String,
    /// Port of slurmrestd.
    restd: u16,
    /// Token for it.
    token: String,
    #[serde(skip)]
    dir: PathBuf,
}

/// The cluster, started on first use; `None` where it cannot be.
fn slurm() -> Option<&'static Slurm> {
    static RUNNING: OnceLock<Option<Slurm>> = OnceLock::new();
    // Held for the life of the process: the cluster ends when its standard input closes.
    static CHILD: Mutex<Option<(Child, ChildStdin)>> = Mutex::new(None);
    let found = RUNNING.get_or_init(|| {
        if !PARTS.iter().all(|part| installed(part).is_some()) {
            return None;
        }
        if !rustix::process::geteuid().is_root() {
            assert!(std::env::var("BURNTOP_CI").as_deref() != Ok("1"), "Slurm is started by root");
            eprintln!("skipped: Slurm is started by root alone");
            return None;
        }
        // Left behind on purpose: its files are open until the last daemon is gone.
        let dir = tempfile::tempdir().unwrap().keep();
        let mut child = Command::new("python3")
            .arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/emulators/slurm.py"))
            .arg(&dir)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("python3 starts");
        let mut line = String::new();
        let stdout = child.stdout.take().expect("stdout is piped");
        BufReader::new(stdout).read_line(&mut line).expect("the cluster says where it is");
        let stdin = child.stdin.take().expect("stdin is piped");
        *CHILD.lock().unwrap() = Some((child, stdin));
        let told: Slurm = serde_json::from_str(&line).unwrap_or_else(|e| {
            panic!("Slurm did not start ({e}): {line:?}; see {}/log", dir.display())
        });
        Some(Slurm { dir, ..told })
    });
    found.as_ref()
}

impl Slurm {
    /// Runs a program of Slurm; its output.
    fn run(&self, program: &str, arguments: &[&str]) -> String {
        let output = Command::new(program)
            .args(arguments)
            .env("SLURM_CONF", &self.conf)
            .env("SLURM_TIME_FORMAT", "%s")
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{program} {arguments:?}: {said}");
        String::from_utf8_lossy(&output.stdout).into_owned()
    }

    /// Submits a job; its id.
    fn submit(&self, name: &str, more: &[&str], script: &str) -> String {
        let home = self.dir.join("home").display().to_string();
        let fixed = ["--parsable", "-D", &home, "-o", "/dev/null", "--mem=20", "-J", name];
        self.run("sbatch", &[&fixed[..], more, &["--wrap", script]].concat()).trim().to_owned()
    }

    /// Waits until the accounting says of a job that it is in this state.
    fn wait_for(&self, job: &str, state: &str) {
        wait_until(|| {
            let said = self.run("sacct", &["-n", "-X", "-P", "-j", job, "-o", "State"]);
            if said.trim().starts_with(state) { Ok(()) } else { Err(format!("{job}: {said}")) }
        });
    }

    /// What the accounting has of the worst end of a job's steps, once it has it: a code and a signal.
    fn worst_step(&self, job: &str) -> String {
        let asked = || self.run("sacct", &["-n", "-X", "-P", "-j", job, "-o", "DerivedExitCode"]);
        wait_until(|| {
            let said = asked();
            if said.trim() == "0:0" { Err(format!("{job}: {said}")) } else { Ok(()) }
        });
        asked().trim().to_owned()
    }

    /// GPU-seconds held by the jobs with this prefix of their name, by Slurm's word for their state: from the text of the
    /// accounting, whole seconds, and by none of burntop's code.
    fn gpu_seconds(&self, prefix: &str) -> BTreeMap<String, i64> {
        let columns = "JobName,State,Start,End,AllocTRES";
        let text =
            self.run("sacct", &["-a", "-n", "-X", "-D", "-P", "-S", "now-1hours", "-o", columns]);
        let mut sums = BTreeMap::new();
        for line in text.lines() {
            let fields: Vec<&str> = line.split('|').collect();
            let (Ok(start), Ok(end)) = (fields[2].parse::<i64>(), fields[3].parse::<i64>()) else {
                continue;
            };
            let gpus = fields[4].split(',').find_map(|part| part.strip_prefix("gres/gpu="));
            let state = fields[1].split(' ').next().unwrap().to_owned();
            if fields[0].starts_with(prefix) {
                let gpus: i64 = gpus.map_or(0, |gpus| gpus.parse().unwrap());
                *sums.entry(state).or_default() += (end - start) * gpus;
            }
        }
        sums
    }
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

    fn burntop(&self, slurm: &Slurm, arguments: &[&str]) -> Output {
        let at = |name: &str| self.0.path().join(name);
        Command::new(BURNTOP)
            .args(arguments)
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("HOME", self.0.path())
            .env("XDG_CONFIG_HOME", at("config"))
            .env("XDG_CACHE_HOME", at("cache"))
            .env("XDG_STATE_HOME", at("state"))
            .env("SLURM_CONF", &slurm.conf)
            .env("LAB_TOKEN", &slurm.token)
            .env("AWS_EC2_METADATA_DISABLED", "true")
            .output()
            .unwrap()
    }

    fn json(&self, slurm: &Slurm, arguments: &[&str]) -> Value {
        let output = self.burntop(slurm, &[arguments, &["--format", "json"]].concat());
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(0), "{arguments:?}: {said}");
        serde_json::from_slice(&output.stdout).unwrap()
    }
}

fn seconds(json: &Value) -> i64 {
    (json.as_f64().unwrap_or_default() * 3_600.0).round() as i64
}

const HERE: &str = "[[jobs.slurm]]\nname = 'lab'\n";

#[test]
fn the_tax_of_a_real_slurm_is_that_of_an_independent_sum() {
    let Some(slurm) = slurm() else { return };
    let good = slurm.submit("tax-ok", &["--gres=gpu:2"], "sleep 2");
    let bad = slurm.submit("tax-bad", &["--gres=gpu:h100:3"], "sleep 2; exit 3");
    // srun ends before Slurm has counted how the step did: a job that ended in between would be one without a failed step.
    let fails = "srun sh -c 'exit 7'; \
                 while squeue -h --steps=$SLURM_JOB_ID.0 | grep -q .; do sleep 1; done";
    let step = slurm.submit("tax-step", &["--gres=gpu:1"], fails);
    let cancelled = slurm.submit("tax-can", &["--gres=gpu:1"], "sleep 600");
    let wide = slurm.submit("tax-wide", &["-N2", "--gres=gpu:1"], "sleep 1; kill -9 $$");
    slurm.wait_for(&cancelled, "RUNNING");
    slurm.wait_for(&good, "COMPLETED");
    slurm.run("scancel", &[&cancelled]);
    for (job, state) in
        [(&bad, "FAILED"), (&step, "COMPLETED"), (&cancelled, "CANCELLED"), (&wide, "FAILED")]
    {
        slurm.wait_for(job, state);
    }
    // Of a busy machine srun itself may fail, with a code of its own.
    let worst = slurm.worst_step(&step);
    let worst = worst.split(':').next().unwrap();
    let home = Home::new(HERE);
    let want = slurm.gpu_seconds("tax-");
    assert!(want["FAILED"] > 0 && want["COMPLETED"] > 0, "{want:?}");
    // Read twice, and once from what is kept: the same.
    for more in [&[][..], &[], &["--offline"]] {
        let rows = home.json(slurm, &[&["jobs", "--filter", "name~tax"][..], more].concat());
        let rows = rows["rows"].as_array().unwrap();
        assert_eq!(rows.len(), 5, "{rows:#?}");
        let of = |field: &str, states: &[&str]| -> i64 {
            let of_state = |row: &&Value| states.contains(&row["state"].as_str().unwrap());
            rows.iter().filter(of_state).map(|row| seconds(&row[field])).sum()
        };
        assert_eq!(of("gpu_hours", &["failed"]), want["FAILED"]);
        assert_eq!(of("lost_gpu_hours", &["failed"]), want["FAILED"]);
        assert_eq!(of("gpu_hours", &["cancelled"]), want["CANCELLED"]);
        let well = of("gpu_hours", &["completed", "completed_step_failed"]);
        assert_eq!(well, want["COMPLETED"]);
        let exit = |name: &str| {
            let row = rows.iter().find(|row| row["name"] == name).unwrap();
            row["exit"].as_str().unwrap_or_default().to_owned()
        };
        assert_eq!(exit("tax-bad"), "exit_3");
        assert_eq!(exit("tax-step"), format!("step_exit_{worst}"));
    }
    let tax = home.json(slurm, &["jobs", "tax", "--by", "cause"]);
    let reading = &tax["readings"][0];
    assert_eq!((&reading["source"], &reading["state"]), (&"slurm".into(), &"live".into()));
    assert!(reading["age_s"].as_f64().is_some_and(|age| age < 120.0), "{reading}");
}

fn window() -> JobWindow {
    let until = Timestamp::now();
    JobWindow { since: until - SignedDuration::from_hours(1), until, open_since: None }
}

fn read(source: &SlurmPrograms) -> JobsRead {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    runtime.block_on(source.read(&window())).unwrap()
}

#[test]
fn held_gpus_are_seen_over_ssh_node_by_node() {
    let (Some(slurm), Some(sshd), Some(_)) = (slurm(), installed("sshd"), installed("ssh")) else {
        return;
    };
    let job = slurm.submit("hold", &["-N2", "--gres=gpu:2"], "sleep 600");
    slurm.wait_for(&job, "RUNNING");
    let sshd = Sshd::start(&sshd, &format!("SetEnv SLURM_CONF={}\n", slurm.conf));
    let at = |name: &str| sshd.dir.path().join(name);
    let key = std::fs::read_to_string(at("host.pub")).unwrap();
    std::fs::write(at("known"), format!("[127.0.0.1]:{} {key}", sshd.port)).unwrap();
    let config = format!("UserKnownHostsFile {}\nIdentitiesOnly yes\n", at("known").display());
    std::fs::write(at("client"), config).unwrap();
    let login = Login {
        port: Some(sshd.port),
        identity: Some(at("user")),
        config: Some(at("client")),
        ..Login::default()
    };
    let far = |login| {
        let target = Target::new("127.0.0.1").unwrap();
        let bin = Some("/usr/bin".to_owned());
        SlurmPrograms::new(SlurmSettings::new("far"), Place::Over { login, target }, bin)
    };
    let over_ssh = read(&far(login.clone()));
    assert_eq!(over_ssh.refusal, None);
    assert_eq!(over_ssh.nodes.len(), 2);
    let held = |read: &JobsRead| -> Vec<(String, f64, Option<String>)> {
        let of = read.holders.iter().flatten().filter(|h| h.raw.as_deref() == Some(&job));
        let one = |h: &burntop::parts::domain::jobs::GpuHolder| {
            let user = h.user.as_deref().map(str::to_owned);
            (h.node.to_string(), h.gpus.unwrap().to_f64(), user)
        };
        of.map(one).collect()
    };
    let user = Some("root".to_owned());
    let want = ["queue1-dy-p5-1", "queue1-dy-p5-2"].map(|n| (n.to_owned(), 2.0, user.clone()));
    assert_eq!(held(&over_ssh), want);
    assert!(over_ssh.about.is_some_and(|about| about.starts_with("Slurm ")));
    // A key that the host does not know.
    let stranger = Login { identity: Some(at("host")), ..login };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let error = runtime.block_on(far(stranger).read(&window())).unwrap_err();
    assert_eq!(error.kind, ErrorKind::Denied, "{error:?}");
    slurm.run("scancel", &[&job]);
}

#[test]
fn slurmrestd_tells_the_same_jobs_and_a_bad_token_is_said() {
    let Some(slurm) = slurm() else { return };
    let job = slurm.submit("rest-ok", &["--gres=gpu:1"], "sleep 1");
    let bad = slurm.submit("rest-bad", &["--gres=gpu:4"], "sleep 1; exit 1");
    slurm.wait_for(&job, "COMPLETED");
    slurm.wait_for(&bad, "FAILED");
    let url = format!("http://127.0.0.1:{}", slurm.restd);
    let rest = Home::new(&format!(
        "[[jobs.slurm]]\nname = 'far'\nslurmrestd = '{url}'\ntoken_env = 'LAB_TOKEN'\n"
    ));
    let here = Home::new(HERE);
    let rows = |home: &Home| -> Vec<(Value, Value, Value, Value)> {
        let json = home.json(slurm, &["jobs", "--filter", "name~rest", "--sort", "job_id"]);
        let rows = json["rows"].as_array().unwrap().iter();
        let of = |r: &Value| {
            (r["job_id"].clone(), r["state"].clone(), r["gpu_hours"].clone(), r["nodes"].clone())
        };
        rows.map(of).collect()
    };
    let by_rest = rows(&rest);
    assert_eq!(by_rest.len(), 2, "{by_rest:?}");
    assert_eq!(by_rest, rows(&here));
    let token = slurm.dir.join("bad-token");
    std::fs::write(&token, "e30.e30.e30\n").unwrap();
    std::fs::set_permissions(&token, std::fs::Permissions::from_mode(0o600)).unwrap();
    let (file, more) = (token.display(), "[[jobs.slurm]]\nname = 'good'\n");
    let both = Home::new(&format!(
        "[[jobs.slurm]]\nname = 'far'\nslurmrestd = '{url}'\ntoken_file = '{file}'\n{more}"
    ));
    // One that fails leaves the other.
    let output = both.burntop(slurm, &["jobs", "--format", "json"]);
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(3), "{said}");
    let json: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert!(!json["rows"].as_array().unwrap().is_empty());
    assert!(json["errors"][0]["fix"].as_str().is_some_and(|fix| fix.contains("scontrol token")));
    assert!(!String::from_utf8_lossy(&output.stdout).contains("e30.e30"));
    // And doctor names both.
    let doctor = both.burntop(slurm, &["doctor"]);
    let text = String::from_utf8_lossy(&doctor.stdout);
    assert!(text.contains("jobs/good") && text.contains("jobs/far"), "{text}");
    assert!(text.contains("Slurm "), "{text}");
}
