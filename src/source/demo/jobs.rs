//! Jobs of the demo: three weeks of training runs of its teams, some of which fail as runs do.
//!
//! Each run is made of its number alone, and numbers lie on the absolute clock: what ended is the same whenever one looks.

use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};

pub use super::gpus::CLUSTER;
use super::gpus::{FORGOTTEN, NODE_START, PARTLY_USED, PARTLY_USED_BY, PARTLY_USED_HOURS};
use super::hash::hash;
use super::{DemoOptions, calendar};
use crate::domain::Hour;
use crate::domain::jobs::{
    Attempt, AttemptId, Cause, GpuHolder, Gpus, JobNode, JobSource, JobState, JobUsage, NodeEvent,
    NodeEventKind,
};

/// Hours before now in which jobs begin.
const HOURS: i64 = 21 * 24;

/// Fewest and most jobs of a demo.
const JOBS: (usize, usize) = (40, 20_000);

/// Ids of jobs begin here, and begin anew after [`IDS`]: above those of what is planted and of what holds boxes.
const FIRST_ID: i64 = 100_000;

/// Number of ids; more than a demo has jobs.
const IDS: i64 = 900_000;

/// Teams with a user, a project and the name of their runs.
const TEAMS: [(&str, &str, &str, &str); 5] = [
    ("nlp", "ines", "llm-7b", "pretrain"),
    ("nlp", "omar", "assistant", "finetune"),
    ("vision", "wei", "detector", "train-det"),
    ("recsys", "lena", "ranking", "train-rank"),
    ("research", "tomas", "sweeps", "sweep"),
];

/// Instance types with their GPUs and the most nodes of a job.
const TYPES: [(&str, u32, u32); 4] =
    [("p5.48xlarge", 8, 4), ("p4d.24xlarge", 8, 2), ("g6e.12xlarge", 4, 1), ("g5.xlarge", 1, 1)];

/// How attempts end, with weights out of 100.
const ENDS: [(JobState, &str, Option<Cause>, u32); 8] = [
    (JobState::Completed, "COMPLETED", None, 58),
    (JobState::Failed, "FAILED", Some(Cause::Exit(1)), 14),
    (JobState::Failed, "FAILED", Some(Cause::Signal(11)), 3),
    (JobState::OutOfMemory, "OUT_OF_MEMORY", Some(Cause::OutOfMemory), 6),
    (JobState::Cancelled, "CANCELLED", Some(Cause::Cancelled), 9),
    (JobState::TimedOut, "TIMEOUT", Some(Cause::TimeLimit), 4),
    (JobState::Preempted, "PREEMPTED", Some(Cause::Preempted), 4),
    (JobState::NodeFault, "NODE_FAIL", Some(Cause::NodeFault), 2),
];

/// Attempts of the demo's jobs; more of them in a larger fleet.
pub fn attempts(options: &DemoOptions) -> Vec<Attempt> {
    let jobs = options.size.unwrap_or(super::DEFAULT_SIZE).clamp(JOBS.0, JOBS.1) as i64;
    let now = (options.clock)();
    // Time is cut into as many slots as there are jobs; one begins in each.
    let slot = HOURS * 3_600 / jobs;
    let last = now.as_second().div_euclid(slot);
    let mut all = Vec::new();
    for number in last - jobs + 1..last {
        let seed = hash(options.seed ^ 0x006a_6f62, number.unsigned_abs(), 0);
        let mut rng = fastrand::Rng::with_seed(seed);
        let begins = number * slot + rng.i64(0..slot);
        let mut at = Timestamp::from_second(begins).unwrap_or(now);
        let id = FIRST_ID + number.rem_euclid(IDS);
        let (team, kind) = (rng.choice(TEAMS).unwrap_or(TEAMS[0]), rng.usize(0..TYPES.len()));
        let nodes = rng.u32(1..=TYPES[kind].2);
        // Preempted and lost jobs are queued again, a few times.
        for _ in 0..4 {
            let attempt = attempt(&mut rng, id, team, TYPES[kind], nodes, (at, now));
            let ended = attempt.ended_at;
            let again = matches!(attempt.state, JobState::Preempted | JobState::NodeFault);
            all.push(attempt);
            match ended {
                Some(ended) if again && ended < now => at = ended,
                _ => break,
            }
        }
    }
    all.extend(planted(options, now));
    all.extend(holding(options, now));
    all
}

/// Attempts that hold the boxes of the cluster now.
fn holding(options: &DemoOptions, now: Timestamp) -> Vec<Attempt> {
    let (nodes, holders) = held(options);
    let holds = |holder: &GpuHolder| {
        let node = nodes.iter().find(|node| node.name == holder.node)?;
        let job = holder.job.clone().filter(|job| **job != *PARTLY_USED_BY.0)?;
        let start = node.seen_from.checked_add(NODE_START).ok()?;
        let id = AttemptId {
            source: JobSource::Demo,
            cluster: CLUSTER.into(),
            raw: job.clone(),
            key: start.as_millisecond().to_string().into(),
        };
        let mut of = Attempt::new(id, job, JobState::Running, "RUNNING".into());
        of.user.clone_from(&holder.user);
        of.team = Some(CLUSTER.into());
        (of.submitted_at, of.started_at) = (Some(node.seen_from), Some(start));
        of.seen_until = Some(now);
        of.nodes = [node.name.clone()].into();
        of.node_count = Some(1);
        of.gpus = holder.gpus;
        (of.instance_type, of.region) = (node.instance_type.clone(), node.region.clone());
        Some(of)
    };
    holders.iter().filter_map(holds).collect()
}

/// A planted attempt: hours before midnight of start and end, state, and what is told beside.
struct Planted {
    job: &'static str,
    name: &'static str,
    user: &'static str,
    node: &'static str,
    hours: (f64, f64),
    state: (JobState, &'static str, Option<Cause>),
    reason: Option<&'static str>,
    /// Minutes before its end in which a checkpoint was complete.
    saved: Option<i64>,
    /// Minutes from its start to its first step.
    first_step: Option<i64>,
}

const COMPLETED: (JobState, &str, Option<Cause>) = (JobState::Completed, "COMPLETED", None);
const FAILED: (JobState, &str, Option<Cause>) = (JobState::Failed, "FAILED", Some(Cause::Exit(1)));
const LOST_NODE: (JobState, &str, Option<Cause>) =
    (JobState::NodeFault, "NODE_FAIL", Some(Cause::NodeFault));

/// What `jobs repeats` and the tax are held against; `docs/demo.md` lists them.
const PLANTED: [Planted; 12] = [
    // A checkpoint 27 minutes before the node failed, and a restart of 8 minutes.
    planted_on("9001", "llm-70b", "ines", "p5-90", (40.0, 30.0), LOST_NODE).saved(27),
    planted_on("9001", "llm-70b", "ines", "p5-91", (29.5, 20.0), COMPLETED).first_step(8),
    // A node that fails whatever runs on it, and a job that is retried there.
    planted_on("9002", "encoder", "wei", "p5-92", (60.0, 57.0), FAILED)
        .reason("NVRM: Xid 79: GPU has fallen off the bus"),
    planted_on("9002", "encoder", "wei", "p5-92", (57.0, 54.0), FAILED)
        .reason("NVRM: Xid 79: GPU has fallen off the bus"),
    planted_on("9002", "encoder", "wei", "p5-92", (54.0, 51.0), FAILED)
        .reason("NVRM: Xid 79: GPU has fallen off the bus"),
    // A script that takes 6 hours, and failed after 5½.
    planted_on("9003", "nightly-eval", "omar", "p5-93", (120.0, 114.0), COMPLETED),
    planted_on("9013", "nightly-eval", "omar", "p5-93", (96.0, 90.0), COMPLETED),
    planted_on("9023", "nightly-eval", "omar", "p5-93", (72.0, 66.0), COMPLETED),
    planted_on("9033", "nightly-eval", "omar", "p5-93", (48.0, 42.5), FAILED)
        .reason("OSError: [Errno 28] No space left on device"),
    // A script that fails again and again.
    planted_on("9004", "finetune-v2", "tomas", "p5-94", (20.0, 19.0), FAILED)
        .reason("ModuleNotFoundError: No module named 'flash_attn'"),
    planted_on("9014", "finetune-v2", "tomas", "p5-95", (18.0, 17.0), FAILED)
        .reason("ModuleNotFoundError: No module named 'flash_attn'"),
    planted_on("9024", "finetune-v2", "tomas", "p5-96", (16.0, 15.0), FAILED)
        .reason("ModuleNotFoundError: No module named 'flash_attn'"),
];

/// What `jobs requests` is held against: a script that asks for a node of 8 GPUs and for a day, works on one GPU, and takes six hours.
const OVERSIZED: &str = "nightly-eval";

/// What its site measured of it.
const ONE_OF_EIGHT: JobUsage = JobUsage {
    gpus: 8,
    gpus_working: 1,
    gpu_activity_per_mille: 93,
    memory_peak_mib: Some(96 << 10),
};

/// Its limit, hours.
const OVERSIZED_HOURS: i64 = 24;

/// Predictions that a run of it makes where it completes: what it costs to make them is known by its jobs alone. One that fails
/// writes none.
const PREDICTIONS: u64 = 1_000_000;

/// Queue of that script. Its node comes up for each run, by the clock and too early, and stays for too long.
const NIGHTLY: &str = "nightly";

/// For how long that node is there before and after a run, minutes.
const NIGHTLY_MINUTES: (i64, i64) = (10, 120);

/// A queue with one node, which stands idle.
const RESERVED: (&str, &str) = ("reserved", "p5-99");

/// For how long the node was there at midnight, hours; in the first of them something ran on it.
const RESERVED_HOURS: i64 = 32;

/// Nodes of the demo's cluster, and who holds their GPUs.
pub fn held(options: &DemoOptions) -> (Vec<JobNode>, Vec<GpuHolder>) {
    let (mut nodes, holders) = super::gpus::held(options);
    let now = (options.clock)();
    let midnight = calendar::midnight(now);
    let since = hours_before(midnight, RESERVED_HOURS);
    nodes.push(whole_box(RESERVED.1.into(), (since, now)));
    let runs = PLANTED.iter().filter(|planted| planted.name == OVERSIZED);
    nodes.extend(runs.filter_map(|planted| {
        let of = planted.attempt(midnight);
        let (before, after) = NIGHTLY_MINUTES;
        let from = of.started_at?.checked_sub(SignedDuration::from_mins(before)).ok()?;
        let to = of.ended_at?.checked_add(SignedDuration::from_mins(after)).ok()?;
        Some(whole_box(planted.node.into(), (from, to)))
    }));
    (nodes, holders)
}

/// A p5.48xlarge that was there from one moment to another.
fn whole_box(name: Arc<str>, (seen_from, seen_until): (Timestamp, Timestamp)) -> JobNode {
    JobNode {
        source: JobSource::Demo,
        cluster: CLUSTER.into(),
        name,
        instance_id: None,
        instance_type: Some("p5.48xlarge".into()),
        private_ip: None,
        region: Some("us-east-1".into()),
        gpus: Some(Gpus::whole(8)),
        seen_from,
        seen_until,
    }
}

/// What ran on the node of the queue: by it burntop knows that it is one.
fn warm_up(midnight: Timestamp) -> Attempt {
    let start = hours_before(midnight, RESERVED_HOURS);
    let mut of = whole_node("9100", "omar", "warm-up", RESERVED.1.into(), start);
    (of.state, of.state_source) = (JobState::Completed, "COMPLETED".into());
    of.ended_at = Some(hours_before(midnight, RESERVED_HOURS - 1));
    of.queue = Some(RESERVED.0.into());
    of
}

/// A planted wait in that queue: hours before midnight from which and to which it lasted (`None`: it lasts still), GPUs and
/// nodes that were asked for.
struct PlantedWait {
    job: &'static str,
    user: &'static str,
    hours: (i64, Option<i64>),
    asked: (u32, u32),
    reason: Option<&'static str>,
}

/// What `jobs wait` is held against; `docs/demo.md` lists them. All but the last were given up.
const WAITS: [PlantedWait; 4] = [
    // A limit of the account, beside 8 idle GPUs.
    PlantedWait {
        job: "9101",
        user: "omar",
        hours: (30, Some(26)),
        asked: (8, 1),
        reason: Some("AssocGrpGRES"),
    },
    // More than there are.
    PlantedWait { job: "9102", user: "ines", hours: (24, Some(22)), asked: (16, 2), reason: None },
    // As many as there are, on two nodes.
    PlantedWait { job: "9103", user: "tomas", hours: (20, Some(17)), asked: (8, 2), reason: None },
    // Half of what stands idle, and it waits still.
    PlantedWait { job: "9104", user: "wei", hours: (6, None), asked: (4, 1), reason: None },
];

impl PlantedWait {
    fn attempt(&self, midnight: Timestamp) -> Attempt {
        let from = hours_before(midnight, self.hours.0);
        let to = self.hours.1.map(|hours| hours_before(midnight, hours));
        let mut of = whole_node(self.job, self.user, "waits", "".into(), from);
        (of.state, of.state_source) = match to {
            None => (JobState::Queued, "PENDING".into()),
            Some(_) => (JobState::Cancelled, "CANCELLED".into()),
        };
        of.cause = to.map(|_| Cause::Cancelled);
        (of.started_at, of.ended_at) = (None, to);
        (of.gpus, of.asked_gpus) = (None, Some(Gpus::whole(self.asked.0)));
        of.node_count = Some(self.asked.1);
        of.nodes = Arc::default();
        of.queue = Some(RESERVED.0.into());
        of.instance_type = None;
        of.wait_reason = self.reason.map(Arc::from);
        of
    }
}

/// What happened to a node of a planted attempt.
struct Happened {
    job: &'static str,
    /// Which of its attempts, from 0.
    attempt: usize,
    /// Seconds before its end.
    before: i64,
    gpu: Option<u16>,
    kind: NodeEventKind,
    words: Option<&'static str>,
}

const fn fell_off(attempt: usize) -> Happened {
    let kind = NodeEventKind::Xid(79);
    Happened { job: "9002", attempt, before: 40, gpu: Some(3), kind, words: None }
}

const HAPPENED: [Happened; 4] = [
    Happened {
        job: "9001",
        attempt: 0,
        before: 95,
        gpu: None,
        kind: NodeEventKind::Down,
        words: Some("Not responding"),
    },
    fell_off(0),
    fell_off(1),
    fell_off(2),
];

/// What happened to nodes of the planted attempts.
pub fn events(options: &DemoOptions) -> Vec<NodeEvent> {
    let midnight = calendar::midnight((options.clock)());
    let of = |happened: &Happened| {
        let mut planted = PLANTED.iter().filter(|planted| planted.job == happened.job);
        let planted = planted.nth(happened.attempt)?;
        let end = planted.attempt(midnight).ended_at?;
        Some(NodeEvent {
            cluster: Some((JobSource::Demo, CLUSTER.into())),
            hosts: vec![planted.node.into()],
            gpu: happened.gpu,
            kind: happened.kind,
            at: end.checked_sub(SignedDuration::from_secs(happened.before)).ok()?,
            words: happened.words.map(Arc::from),
        })
    };
    HAPPENED.iter().filter_map(of).collect()
}

/// What the GPUs of a node did in an hour, by telemetry.
#[derive(Clone, Debug, PartialEq)]
pub struct NodeHour {
    /// Name of the node.
    pub node: Arc<str>,
    /// The hour.
    pub hour: Hour,
    /// Mean activity of each of its GPUs, 0–1.
    pub means: [f32; 8],
}

/// Jobs of whose nodes telemetry is kept, with the mean activity of their GPUs, 0–1: one that lost its node, and the one that uses
/// three GPUs of its box.
const MEASURED: [(&str, [f32; 8]); 2] =
    [("9001", [0.875; 8]), (PARTLY_USED_BY.0, [0.9, 0.9, 0.9, 0.0, 0.0, 0.0, 0.0, 0.0])];

/// What GPUs of nodes of planted attempts did while these ran, hour by hour.
pub fn node_hours(options: &DemoOptions) -> Vec<NodeHour> {
    let all = planted(options, (options.clock)());
    let measured = |of: &Attempt| {
        let (_, means) = MEASURED.into_iter().find(|(job, _)| **job == *of.job)?;
        let (from, to) = (of.started_at?, of.ended_at.or(of.seen_until)?);
        let (node, hours) =
            (of.nodes.first()?.clone(), Hour::containing(from).0..=Hour::containing(to).0);
        Some(hours.map(move |hour| NodeHour { node: node.clone(), hour: Hour(hour), means }))
    };
    all.iter().filter_map(measured).flatten().collect()
}

const fn planted_on(
    job: &'static str,
    name: &'static str,
    user: &'static str,
    node: &'static str,
    hours: (f64, f64),
    state: (JobState, &'static str, Option<Cause>),
) -> Planted {
    Planted { job, name, user, node, hours, state, reason: None, saved: None, first_step: None }
}

impl Planted {
    const fn saved(mut self, minutes: i64) -> Self {
        self.saved = Some(minutes);
        self
    }

    const fn first_step(mut self, minutes: i64) -> Self {
        self.first_step = Some(minutes);
        self
    }

    const fn reason(mut self, words: &'static str) -> Self {
        self.reason = Some(words);
        self
    }

    fn attempt(&self, midnight: Timestamp) -> Attempt {
        let before = |hours: f64| {
            let span = SignedDuration::from_secs((hours * 3600.0) as i64);
            midnight.checked_sub(span).unwrap_or(midnight)
        };
        let later = |at: Timestamp, minutes: i64| {
            at.checked_add(SignedDuration::from_mins(minutes)).unwrap_or(at)
        };
        let (start, end) = (before(self.hours.0), before(self.hours.1));
        let mut of = whole_node(self.job, self.user, self.name, self.node.into(), start);
        (of.state, of.state_source, of.cause) = (self.state.0, self.state.1.into(), self.state.2);
        of.ended_at = Some(end);
        of.reason = self.reason.map(Arc::from);
        of.saved_at = self.saved.map(|minutes| later(end, -minutes));
        of.first_step_at = self.first_step.map(|minutes| later(start, minutes));
        if self.name == OVERSIZED {
            of.queue = Some(NIGHTLY.into());
            of.time_limit_ms = Some(OVERSIZED_HOURS * 3_600_000);
            of.usage = Some(Box::new(ONE_OF_EIGHT));
            of.predictions = Some(if of.state == JobState::Completed { PREDICTIONS } else { 0 });
        }
        of
    }
}

/// An attempt on all 8 GPUs of a p5.48xlarge.
fn whole_node(job: &str, user: &str, name: &str, node: Arc<str>, start: Timestamp) -> Attempt {
    let id = AttemptId {
        source: JobSource::Demo,
        cluster: CLUSTER.into(),
        raw: job.into(),
        key: start.as_millisecond().to_string().into(),
    };
    let mut of = Attempt::new(id, job.into(), JobState::Running, "RUNNING".into());
    of.name = Some(name.into());
    of.user = Some(user.into());
    of.team = Some("research".into());
    of.project = Some("planted".into());
    (of.submitted_at, of.eligible_at, of.started_at) = (Some(start), Some(start), Some(start));
    of.nodes = [node].into();
    of.node_count = Some(1);
    of.gpus = Some(Gpus::whole(8));
    of.instance_type = Some("p5.48xlarge".into());
    of.region = Some("us-east-1".into());
    of
}

/// Planted attempts, and those of the planted boxes: one that holds all GPUs of a box and uses some, one that left a box weeks
/// ago and its processes on it.
fn planted(options: &DemoOptions, now: Timestamp) -> Vec<Attempt> {
    let midnight = calendar::midnight(now);
    let mut all: Vec<Attempt> = PLANTED.iter().map(|planted| planted.attempt(midnight)).collect();
    let boxes = super::gpus::planted_nodes(options);
    all.push(warm_up(midnight));
    all.extend(WAITS.iter().map(|wait| wait.attempt(midnight)));
    let node = |name: &str| boxes.iter().find(|(of, _)| *of == name).map(|(_, node)| node.clone());
    if let Some(node) = node(PARTLY_USED) {
        let start = calendar::dated(Hour::containing(now), PARTLY_USED_HOURS);
        let (job, user) = PARTLY_USED_BY;
        let mut of = whole_node(job, user, PARTLY_USED, node, start);
        of.seen_until = Some(now);
        all.push(of);
    }
    if let Some(node) = node(FORGOTTEN) {
        let start = hours_before(midnight, 20 * 24);
        let mut of = whole_node("9006", "lena", "policy-70b", node, start);
        (of.state, of.state_source) = (JobState::Completed, "COMPLETED".into());
        of.ended_at = Some(hours_before(midnight, 14 * 24));
        of.instance_type = Some("p5e.48xlarge".into());
        all.push(of);
    }
    all
}

fn hours_before(at: Timestamp, hours: i64) -> Timestamp {
    at.checked_sub(SignedDuration::from_hours(hours)).unwrap_or(at)
}

fn attempt(
    rng: &mut fastrand::Rng,
    job: i64,
    (team, user, project, name): (&str, &str, &str, &str),
    (instance_type, gpus, _): (&str, u32, u32),
    nodes: u32,
    (submitted, now): (Timestamp, Timestamp),
) -> Attempt {
    let later = |from: Timestamp, minutes: i64| {
        from.checked_add(SignedDuration::from_mins(minutes)).unwrap_or(from)
    };
    let started = later(submitted, rng.i64(1..90));
    let ended = later(started, rng.i64(10..30 * 60));
    let mut ticket = rng.u32(0..100);
    let end = ENDS.iter().find(|(.., weight)| {
        let is_it = ticket < *weight;
        ticket = ticket.saturating_sub(*weight);
        is_it
    });
    let (state, word, cause, _) = *end.unwrap_or(&ENDS[0]);
    let job: Arc<str> = job.to_string().into();
    let id = AttemptId {
        source: JobSource::Demo,
        cluster: "research".into(),
        raw: job.clone(),
        key: submitted.as_millisecond().to_string().into(),
    };
    let (state, word, cause) = match (started >= now, ended >= now) {
        (true, _) => (JobState::Queued, "PENDING", None),
        (_, true) => (JobState::Running, "RUNNING", None),
        _ => (state, word, cause),
    };
    let mut of = Attempt::new(id, job, state, word.into());
    of.cause = cause;
    of.name = Some(name.into());
    of.user = Some(user.into());
    of.team = Some(team.into());
    of.project = Some(project.into());
    of.queue = Some("batch".into());
    (of.submitted_at, of.eligible_at) = (Some(submitted), Some(submitted));
    let has_begun = state != JobState::Queued;
    of.started_at = has_begun.then_some(started);
    of.ended_at = (has_begun && state != JobState::Running).then_some(ended);
    of.seen_until = (state == JobState::Running).then_some(now);
    let first = rng.u32(0..12);
    let family = instance_type.split('.').next().unwrap_or_default();
    of.nodes = (first..first + nodes).map(|n| Arc::from(format!("{family}-{n:02}"))).collect();
    of.node_count = Some(nodes);
    of.gpus = has_begun.then(|| Gpus::whole(gpus * nodes));
    of.asked_gpus = Some(Gpus::whole(gpus * nodes));
    of.instance_type = Some(instance_type.into());
    of.region = Some("us-east-1".into());
    // Long runs of one team write checkpoints.
    if project == "llm-7b" && of.ended_at.is_some() {
        of.checkpoint = Some("s3://burntop-demo-checkpoints/llm-7b/".into());
        of.saved_at = Some(later(ended, -rng.i64(2..40))).filter(|saved| *saved > started);
    }
    of
}
