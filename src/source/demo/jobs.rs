//! Jobs of the demo: three weeks of training runs of its teams, some of which fail as runs do.

use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};

use super::DemoOptions;
use crate::domain::jobs::{Attempt, AttemptId, Cause, Gpus, JobSource, JobState};

/// Hours before now in which jobs begin.
const HOURS: i64 = 21 * 24;

/// Fewest and most jobs of a demo.
const JOBS: (usize, usize) = (40, 20_000);

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
    let mut rng = fastrand::Rng::with_seed(options.seed ^ 0x006a_6f62);
    let size = options.size.unwrap_or(super::DEFAULT_SIZE);
    let now = (options.clock)();
    let mut all = Vec::new();
    for job in 0..size.clamp(JOBS.0, JOBS.1) {
        let mut at = hours_before(now, rng.i64(1..HOURS), rng.i64(0..60));
        let (team, kind) = (rng.choice(TEAMS).unwrap_or(TEAMS[0]), rng.usize(0..TYPES.len()));
        let nodes = rng.u32(1..=TYPES[kind].2);
        // Preempted and lost jobs are queued again, a few times.
        for _ in 0..4 {
            let attempt = attempt(&mut rng, 1000 + job, team, TYPES[kind], nodes, (at, now));
            let ended = attempt.ended_at;
            let again = matches!(attempt.state, JobState::Preempted | JobState::NodeFault);
            all.push(attempt);
            match ended {
                Some(ended) if again && ended < now => at = ended,
                _ => break,
            }
        }
    }
    all
}

fn hours_before(now: Timestamp, hours: i64, minutes: i64) -> Timestamp {
    let span = SignedDuration::from_secs((hours * 60 + minutes) * 60);
    now.checked_sub(span).unwrap_or(now)
}

fn attempt(
    rng: &mut fastrand::Rng,
    job: usize,
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
    of.submitted_at = Some(submitted);
    let has_begun = state != JobState::Queued;
    of.started_at = has_begun.then_some(started);
    of.ended_at = (has_begun && state != JobState::Running).then_some(ended);
    of.seen_until = (state == JobState::Running).then_some(now);
    let first = rng.u32(0..12);
    let family = instance_type.split('.').next().unwrap_or_default();
    of.nodes = (first..first + nodes).map(|n| Arc::from(format!("{family}-{n:02}"))).collect();
    of.node_count = Some(nodes);
    of.gpus = has_begun.then(|| Gpus::whole(gpus * nodes));
    of.instance_type = Some(instance_type.into());
    of.region = Some("us-east-1".into());
    // Long runs of one team write checkpoints.
    if project == "llm-7b" && of.ended_at.is_some() {
        of.checkpoint = Some("s3://burntop-demo-checkpoints/llm-7b/".into());
        of.saved_at = Some(later(ended, -rng.i64(2..40))).filter(|saved| *saved > started);
    }
    of
}
