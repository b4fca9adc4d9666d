//! Records of the controller, from captures and invented ones; a reading through programs that are scripts.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;

use super::config::ClusterConfig;
use super::trouble::{self, Called};
use super::{Place, SlurmPrograms, show};
use crate::domain::ErrorKind;
use crate::domain::jobs::{Gpus, JobState};
use crate::source::jobs::live::{JobWindow, JobsRead, LiveJobs};
use crate::source::jobs::slurm::{SlurmSettings, held};
use crate::source::ssh::error::Ended;

const NODES_24: &str = include_str!("../../../../../tests/data/jobs/scontrol-node-24.11.5.txt");
const NODES_22: &str = include_str!("../../../../../tests/data/jobs/scontrol-node-22.05.8.txt");
const JOBS_24: &str = include_str!("../../../../../tests/data/jobs/scontrol-job-24.11.5.txt");
const JOBS_22: &str = include_str!("../../../../../tests/data/jobs/scontrol-job-22.05.8.txt");
const CONFIG: &str = include_str!("../../../../../tests/data/jobs/scontrol-config-22.05.8.txt");
const SACCT: &str = include_str!("../../../../../tests/data/jobs/slurm-24.11.5.txt");

fn now() -> Timestamp {
    Timestamp::from_second(1_795_802_650).unwrap()
}

#[test]
fn a_node_has_its_instance_and_its_gpus() {
    let nodes = show::nodes(NODES_24);
    let first = &nodes[0];
    assert_eq!(first.name, "queue1-dy-p5-1");
    assert_eq!(first.instance_id, "i-0aaa11112222bbbb1");
    assert_eq!(first.instance_type, "p5.48xlarge");
    assert_eq!(first.gpus.as_ref().map(|g| g.count), Some(8));
    assert_eq!(first.used.as_ref().map(|g| g.count), Some(4));
    let settings = SlurmSettings::new("prod");
    let (nodes, holders) =
        held::joined(&nodes, Some(&show::held(JOBS_24)), &"c".into(), &settings, now());
    assert_eq!(nodes[0].private_ip, None, "the loopback leads to no instance");
    assert_eq!(nodes[0].gpus, Some(Gpus::whole(8)));
    let holder = &holders[0];
    assert_eq!((holder.raw.as_deref(), holder.user.as_deref()), (Some("32"), Some("bob")));
    assert_eq!(holder.indexes.as_deref(), Some(&[0, 1, 2, 3][..]));
    assert_eq!(holders.len(), 1, "a job that names all that is held leaves nothing");
}

#[test]
fn parts_and_tasks_hold_their_gpus_and_those_that_ended_hold_none() {
    let held = show::held(JOBS_22);
    let told: Vec<(&str, &str, u32)> =
        held.iter().map(|h| (h.job.as_str(), h.node.as_str(), h.gpus.count)).collect();
    let want =
        [("3", "queue1-dy-p5-1", 4), ("9+0", "queue1-dy-p5-1", 2), ("9+1", "queue1-dy-p5-2", 1)];
    assert_eq!(told, want);
    assert_eq!(held[2].raw, "10");
    let nodes = show::nodes(NODES_22);
    assert_eq!(nodes.len(), 2);
    assert!(nodes.iter().all(|node| node.instance_id.is_empty() && node.booted > 0));
}

#[test]
fn what_is_held_and_named_by_no_job_is_held_by_nobody() {
    let nodes = show::nodes(NODES_24);
    let settings = SlurmSettings::new("prod");
    let of = |held: Option<&[_]>| held::joined(&nodes, held, &"c".into(), &settings, now()).1;
    let nobody = of(Some(&[]));
    assert_eq!((nobody[0].raw.as_deref(), nobody[0].gpus), (None, Some(Gpus::whole(4))));
    assert_eq!(nobody[0].indexes.as_deref(), Some(&[0, 1, 2, 3][..]));
}

#[test]
fn a_node_of_which_there_is_only_the_name_is_none() {
    let text = NODES_24.replace("State=MIXED", "State=IDLE+CLOUD+POWERED_DOWN");
    let settings = SlurmSettings::new("prod");
    let (nodes, _) = held::joined(&show::nodes(&text), None, &"c".into(), &settings, now());
    assert!(nodes.iter().all(|node| &*node.name != "queue1-dy-p5-1"), "{nodes:?}");
}

#[test]
fn keys_in_texts_of_people_are_no_keys() {
    let text = "NodeName=n1 Arch=x86_64\n   Gres=gpu:8\n   State=IDLE\n   \
                Comment=InstanceId=i-evil InstanceType=x1.large State=DOWN\n   \
                Extra=NodeAddr=10.9.9.9\n   NodeAddr=10.0.0.7 NodeHostName=n1\n";
    let node = &show::nodes(text)[0];
    assert_eq!((node.instance_id.as_str(), node.address.as_str()), ("", "10.0.0.7"));
    let text = "JobId=7 JobName=x UserId=root(0) ArrayJobId=9\n   UserId=eve(9) G=1\n     \
                Nodes=n[1-2] CPU_IDs=0 Mem=0 GRES=gpu:2(IDX:0-1)\n";
    let held = show::held(text);
    assert_eq!(held.len(), 2);
    assert_eq!((held[0].user.as_str(), held[0].job.as_str()), ("eve", "7"));
}

#[test]
fn the_configuration_tells_cluster_clock_and_whether_gpus_are_accounted() {
    let config = ClusterConfig::of(CONFIG);
    assert_eq!(config.cluster.as_deref(), Some("burn"));
    assert_eq!(config.has_gpus, Some(true));
    assert_eq!(config.version.as_deref(), Some("22.05.8"));
    assert!(!config.is_private && config.now.is_some_and(|now| now > 1_795_000_000));
    let other = ClusterConfig::of(
        "AccountingStorageTRES = cpu,mem\nPrivateData = accounts,jobs\nClusterName = \u{1b}[2Jx\n",
    );
    assert_eq!((other.has_gpus, other.is_private), (Some(false), true));
    assert!(!other.cluster.unwrap().contains('\u{1b}'));
    assert_eq!(ClusterConfig::of("\u{0}\u{ff}=\n==\n"), ClusterConfig::default());
}

#[test]
fn each_failure_has_its_words() {
    let of = |code, said: &str| {
        let called = Called { program: "sacct", host: None };
        trouble::explain(&called, &Ended { code: Some(code), said: said.to_owned() })
    };
    use ErrorKind as K;
    for (code, said, kind, words) in [
        (1, "sacct: error: Slurm accounting storage is disabled", K::Unavailable, "no accounting"),
        (
            1,
            "sacct: error: slurmdbd: Sending PersistInit msg: Connection refused",
            K::Network,
            "slurmdbd",
        ),
        (
            1,
            "sacct: error: Munge encode failed: Failed to access \"/run/munge\"",
            K::Denied,
            "who asks",
        ),
        (
            1,
            "slurm_load_jobs error: Unable to contact slurm controller (connect failure)",
            K::Network,
            "slurmctld",
        ),
        (1, "slurm_load_jobs error: Access/permission denied", K::Denied, "this user"),
        (127, "", K::Unavailable, "is not there"),
        (127, "bash: line 1: /opt/x/sacct: No such file or directory", K::Unavailable, "not there"),
        (1, "odd\u{1b}[2J", K::Other, "odd\u{FFFD}"),
    ] {
        let error = of(code, said);
        assert_eq!(error.kind, kind, "{said}: {error}");
        assert!(error.message.contains(words), "{said}: {error}");
    }
    let far = Called { program: "sacct", host: Some("login1") };
    let ended = Ended { code: Some(255), said: "Permission denied (publickey).".into() };
    assert_eq!(trouble::explain(&far, &ended).operation, "ssh");
}

/// Programs that print what they are told to, and note how they were called.
struct Scripts(tempfile::TempDir);

impl Scripts {
    fn new(programs: &[(&str, &str)]) -> Self {
        let dir = tempfile::tempdir().unwrap();
        for (name, body) in programs {
            let path = dir.path().join(name);
            let text =
                format!("#!/bin/sh\necho {name} \"$@\" >> \"$(dirname \"$0\")/calls\"\n{body}\n");
            fs::write(&path, text).unwrap();
            fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        }
        Self(dir)
    }

    fn file(&self, name: &str, text: &str) {
        fs::write(self.0.path().join(name), text).unwrap();
    }

    fn calls(&self) -> String {
        fs::read_to_string(self.0.path().join("calls")).unwrap_or_default()
    }

    fn source(&self, timeout: Duration) -> SlurmPrograms {
        let settings = SlurmSettings { timeout, ..SlurmSettings::new("prod") };
        SlurmPrograms::new(settings, Place::Here, Some(self.0.path().display().to_string()))
    }
}

const SACCT_SCRIPT: &str = "case \"$*\" in *helpformat*) echo 'Cluster JobIDRaw JobID JobName \
    User State ExitCode DerivedExitCode Submit Start End ElapsedRaw AllocTRES ReqTRES NodeList \
    Partition';; *) cat \"$(dirname \"$0\")/rows\";; esac";

const SCONTROL_SCRIPT: &str = "cd \"$(dirname \"$0\")\"; case \"$2\" in config) cat config;; node) cat nodes;; job) cat jobs;; esac";

fn cluster() -> Scripts {
    let squeue = ("squeue", "printf '32\\n33\\n'");
    let scripts = Scripts::new(&[("sacct", SACCT_SCRIPT), ("scontrol", SCONTROL_SCRIPT), squeue]);
    scripts.file("rows", SACCT);
    scripts.file("nodes", NODES_24);
    scripts.file("jobs", JOBS_24);
    scripts.file("config", "Configuration data as of 1795369000\nClusterName = pc24\n");
    scripts
}

fn window(hours: i64) -> JobWindow {
    let until = Timestamp::from_second(1_795_369_000).unwrap();
    JobWindow { since: until - jiff::SignedDuration::from_hours(hours), until, open_since: None }
}

async fn read(scripts: &Scripts, hours: i64) -> JobsRead {
    scripts.source(Duration::from_secs(20)).read(&window(hours)).await.unwrap()
}

#[tokio::test]
async fn a_cluster_is_read_by_its_own_programs() {
    let scripts = cluster();
    let read = read(&scripts, 3).await;
    assert_eq!(read.attempts.len(), 34, "each once, in however many answers");
    assert_eq!(read.refusal, None);
    assert_eq!(read.nodes.len(), 1);
    let raws: Vec<_> = read.holders.unwrap().iter().map(|h| h.raw.clone()).collect();
    assert_eq!(raws, [Some(Arc::from("32"))]);
    let calls = scripts.calls();
    assert!(
        calls.contains("-X -D -P --delimiter=\u{1f} -S uts1795358200 -E uts1795361800"),
        "{calls}"
    );
    assert!(
        calls.contains("-S uts1795361800 -E uts1795369000"),
        "the next stretch is longer: {calls}"
    );
    assert!(!calls.contains("sacctmgr"), "{calls}");
    assert!(!calls.contains("Restarts"), "a column that sacct does not know is not asked for");
}

#[tokio::test]
async fn what_runs_by_the_books_alone_is_doubtful() {
    let scripts = cluster();
    let with = read(&scripts, 1).await;
    let running = |read: &JobsRead, state| {
        read.attempts.iter().filter(|a| a.state == state).map(|a| a.job.clone()).collect::<Vec<_>>()
    };
    assert_eq!(running(&with, JobState::Doubtful), [] as [Arc<str>; 0]);
    let runs = running(&with, JobState::Running);
    assert!(!runs.is_empty());
    scripts.file("squeue", "#!/bin/sh\necho 999\n");
    let without = read(&scripts, 1).await;
    assert_eq!(running(&without, JobState::Doubtful), runs);
    assert!(without.notes.iter().any(|n| n.contains("by the accounting alone")), "{without:?}");
    assert!(
        without
            .attempts
            .iter()
            .filter(|a| a.state == JobState::Doubtful)
            .all(|a| a.held_ms() == Some(0))
    );
}

#[tokio::test]
async fn a_controller_that_is_away_leaves_the_accounting() {
    let scripts = cluster();
    scripts.file(
        "scontrol",
        "#!/bin/sh\necho 'Unable to contact slurm controller (connect failure)' >&2\nexit 1\n",
    );
    let read = read(&scripts, 1).await;
    assert_eq!(read.attempts.len(), 34);
    assert_eq!((read.nodes.len(), read.holders), (0, None));
    assert_eq!(read.refusal.map(|error| error.kind), Some(ErrorKind::Network));
}

#[tokio::test]
async fn clocks_that_differ_are_said_and_theirs_counts() {
    let scripts = cluster();
    scripts.file("config", "Configuration data as of 1795372600\nClusterName = pc24\n");
    let read = read(&scripts, 1).await;
    assert!(
        read.notes.iter().any(|n| n.contains("1h") && n.contains("ahead of")),
        "{:?}",
        read.notes
    );
    assert!(scripts.calls().contains("-E uts1795372600"), "{}", scripts.calls());
}

#[tokio::test]
async fn an_hour_without_jobs_is_no_failure_and_a_text_that_is_none_is_one() {
    let scripts = cluster();
    scripts.file("rows", SACCT.lines().next().unwrap());
    assert_eq!(read(&scripts, 1).await.attempts, []);
    let source = scripts.source(Duration::from_secs(20));
    for odd in ["", "Welcome to login1\n", "\u{0}\u{0}\n"] {
        scripts.file("rows", odd);
        let error = source.read(&window(1)).await.unwrap_err();
        assert_eq!(error.kind, ErrorKind::Malformed, "{odd:?}: {error}");
    }
}

#[tokio::test]
async fn a_program_that_hangs_floods_or_is_missing_ends_the_reading_in_time() {
    let scripts = cluster();
    scripts.file("scontrol", "#!/bin/sh\nsleep 600\n");
    let error = scripts.source(Duration::from_millis(300)).read(&window(1)).await;
    let read = error.as_ref().map(|read| read.refusal.as_ref().map(|e| e.kind));
    assert_eq!(read, Ok(Some(ErrorKind::Timeout)), "{error:?}");
    let scripts = cluster();
    fs::remove_file(scripts.0.path().join("scontrol")).unwrap();
    let error = scripts.source(Duration::from_secs(5)).read(&window(1)).await.unwrap_err();
    assert_eq!(error.kind, ErrorKind::Unavailable);
    assert!(error.fix.contains("bin"), "{error:?}");
    let scripts = cluster();
    scripts.file("config", &"x".repeat(2 << 20));
    let flood = scripts.source(Duration::from_secs(5)).read(&window(1)).await.unwrap();
    assert_eq!(flood.refusal.map(|e| e.kind), Some(ErrorKind::Malformed));
}

#[tokio::test]
async fn a_name_of_the_configuration_replaces_that_of_the_cluster() {
    let scripts = cluster();
    let settings = SlurmSettings {
        cluster: Some("east".into()),
        region: Some("us-east-1".into()),
        ..SlurmSettings::new("prod")
    };
    let bin = Some(scripts.0.path().display().to_string());
    let read = SlurmPrograms::new(settings, Place::Here, bin).read(&window(1)).await.unwrap();
    assert!(read.attempts.iter().all(|a| &*a.id.cluster == "east"));
    assert!(
        read.nodes
            .iter()
            .all(|n| &*n.cluster == "east" && n.region.as_deref() == Some("us-east-1"))
    );
}

#[test]
fn nodes_that_are_down_or_drained_are_told_with_the_reason_and_since_when() {
    let text = "NodeName=n1 Arch=x86_64\n   State=DOWN*+DRAIN ThreadsPerCore=1\n   \
                Reason=Not responding [slurm@1795100000]\n\n\
                NodeName=n2 Arch=x86_64\n   State=IDLE+DRAIN\n   Reason=GPU xid 79 [a] [root@1795100001]\n\n\
                NodeName=n3 Arch=x86_64\n   State=IDLE\n   Reason=was bad [root@1795100002]\n\n\
                NodeName=n4 Arch=x86_64\n   State=IDLE+CLOUD+POWERED_DOWN\n   Reason=x [root@1795100003]\n\n\
                NodeName=n5 Arch=x86_64\n   State=DOWN\n   Reason=since nobody knows when\n\n\
                NodeName=n6 Arch=x86_64\n   State=FAIL\n   Reason=tomorrow [root@2795100000]\n";
    let told: Vec<String> = held::events(&show::nodes(text), &"c".into(), now())
        .iter()
        .map(|of| {
            let words = of.words.as_deref().unwrap_or_default();
            format!("{} {} {} {words}", of.hosts[0], of.kind.word(), of.at.as_second())
        })
        .collect();
    let want = ["n1 down 1795100000 Not responding", "n2 drained 1795100001 GPU xid 79 [a]"];
    assert_eq!(told, want);
}
