//! A cockpit over jobs, for tests: a cluster of some nodes, with attempts that ended in each way.

use std::collections::HashMap;
use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};

use crate::analyze::jobs::{
    CancelledWeight, CostInput, KnownNodes, LookedAt, NodeType, PriceFrom, ReplayTerms,
    RequestKind, RequestRow, Requests, WaitInput, Zombie, ZombieKind, costs, replays, scaling,
};
use crate::app::fixture::press;
use crate::app::{App, AppInit, Effect, Msg};
use crate::domain::bill::Usd;
use crate::domain::jobs::{Attempt, AttemptId, Cause, Gpus, JobNode, JobSource, JobState};
use crate::domain::{Reading, Scope, SourceId, SourceState};
use crate::tabs::jobs::picture::{JobsPicture, JobsQuestion, JobsRead};
use crate::tabs::storage::state::fixture::init;

/// Hours before now.
fn before(now: Timestamp, hours: i64) -> Timestamp {
    now.checked_sub(SignedDuration::from_hours(hours)).unwrap()
}

/// An attempt of a job on a node of 8 GPUs, from and to so many hours before now.
fn attempt(now: Timestamp, job: &str, node: &str, hours: (i64, Option<i64>)) -> Attempt {
    let start = before(now, hours.0);
    let id = AttemptId {
        source: JobSource::Slurm,
        cluster: "prod".into(),
        raw: job.into(),
        key: start.as_millisecond().to_string().into(),
    };
    let mut of = Attempt::new(id, job.into(), JobState::Running, "RUNNING".into());
    of.user = Some("ines".into());
    of.team = Some("nlp".into());
    of.name = Some("pretrain".into());
    (of.submitted_at, of.started_at) = (Some(before(now, hours.0 + 2)), Some(start));
    of.ended_at = hours.1.map(|hours| before(now, hours));
    of.seen_until = of.ended_at.is_none().then_some(now);
    of.nodes = [node.into()].into();
    of.node_count = Some(1);
    of.gpus = Some(Gpus::whole(8));
    of.instance_type = Some("p5.48xlarge".into());
    of.region = Some("us-east-1".into());
    of
}

/// Attempts that ended in each way, one that runs, and one of which nobody knows the type.
fn attempts(now: Timestamp) -> Vec<Attempt> {
    let ended = |mut of: Attempt, state, word: &str, cause| {
        (of.state, of.state_source, of.cause) = (state, word.into(), cause);
        of
    };
    let failed = |of, code| ended(of, JobState::Failed, "FAILED", Some(Cause::Exit(code)));
    let mut lost = ended(
        attempt(now, "101", "node-1", (40, Some(30))),
        JobState::NodeFault,
        "NODE_FAIL",
        Some(Cause::NodeFault),
    );
    lost.saved_at = Some(before(now, 31));
    let again = ended(
        attempt(now, "101", "node-2", (29, Some(20))),
        JobState::Completed,
        "COMPLETED",
        None,
    );
    let mut code = failed(attempt(now, "102", "node-3", (20, Some(19))), 1);
    code.reason = Some("ModuleNotFoundError: No module named 'flash_attn'".into());
    code.user = Some("wei".into());
    code.team = Some("vision".into());
    let mut unknown = failed(attempt(now, "103", "node-4", (18, Some(12))), 1);
    unknown.instance_type = None;
    unknown.user = Some("o\"k \\".into());
    let cancelled = ended(
        attempt(now, "104", "node-1", (10, Some(9))),
        JobState::Cancelled,
        "CANCELLED by 1000",
        Some(Cause::Cancelled),
    );
    vec![lost, again, code, unknown, cancelled, attempt(now, "105", "node-2", (5, None))]
}

/// What is read of these jobs.
pub fn read(now: Timestamp) -> JobsRead {
    let types = |_: Option<&str>, name: &str| {
        (name == "p5.48xlarge").then(|| NodeType {
            usd_per_hour: Usd::from_f64(55.04),
            from: PriceFrom::List,
            gpus: Gpus::whole(8),
            vcpus: 192,
            memory_mib: 2_048 << 10,
            model: Some("H100".into()),
        })
    };
    let input = CostInput {
        types: &types,
        known: KnownNodes::default(),
        runs: &[],
        is_interactive: None,
        used: None,
        weight: CancelledWeight::default(),
    };
    let zombie = Zombie {
        scope: None,
        instance_id: None,
        id: "gpu-7".into(),
        node: "node-2".into(),
        gpu: Some(7),
        kind: ZombieKind::IdleBesideWorking,
        holder: Some("105".into()),
        user: Some("ines".into()),
        since: Some(before(now, 4)),
        usd_per_hour: Some(6.88),
        usd: Some(27.52),
    };
    let request = RequestRow {
        id: "gpus eval".into(),
        kind: RequestKind::Gpus,
        source: JobSource::Slurm,
        cluster: "prod".into(),
        user: Some("ines".into()),
        namespace: None,
        name: "eval".into(),
        owner: None,
        team: Some("nlp".into()),
        attempts: 4,
        running: 0,
        known: 3,
        unpriced: 0,
        nodes: Some(1),
        asked: 8.0,
        used_p95: 1.0,
        proposed: 1.0,
        unused_gpu_hours: Some(126.0),
        usd_per_month: Some(21_094.08),
    };
    let reading = Reading {
        source: SourceId::Slurm,
        scope: Scope::new("prod", ""),
        state: SourceState::Live,
        taken_at: Some(now),
        coverage: 1.0,
    };
    let costs = costs(attempts(now), &input);
    // A node that the scheduler knows: it is there still.
    let node = JobNode {
        source: JobSource::Slurm,
        cluster: "prod".into(),
        name: "node-1".into(),
        instance_id: None,
        instance_type: Some("p5.48xlarge".into()),
        private_ip: None,
        region: None,
        gpus: Some(Gpus::whole(8)),
        seen_from: before(now, 41),
        seen_until: now,
    };
    let scaling = scaling(
        &WaitInput {
            attempts: &attempts(now).into(),
            known: KnownNodes { nodes: &[node], ..KnownNodes::default() },
            types: &types,
            first_read: &|_: JobSource| None,
            since: before(now, 14 * 24),
            now,
        },
        None,
    );
    JobsRead {
        scaling,
        replays: replays(&costs.rows, &ReplayTerms::default(), now),
        costs,
        zombies: vec![zombie],
        waits: Vec::new(),
        requests: Requests {
            rows: vec![request],
            looked_at: LookedAt { with_gpus: 6, unknown: 2 },
        },
        activity: HashMap::new(),
        covered_nodes: 4,
        without_region: 0,
        readings: [reading].into(),
        damaged: None,
        left_out: None,
    }
}

/// Answers what a cockpit asked of jobs, as the threads behind the screen do.
pub fn answer(app: &mut App, effects: &[Effect], read: &JobsRead) {
    for effect in effects {
        match effect {
            Effect::ReadJobs(question) => {
                let picture = JobsPicture::of(read.clone(), question.by);
                let more = app.update(Msg::Jobs(*question, Ok(Arc::new(picture))));
                assert_eq!(more, [], "an answer asks nothing");
            }
            Effect::ReadJobSources => {
                let more = app.update(Msg::JobSources { has_news: false });
                assert_eq!(more, [], "without news nothing is asked again");
            }
            _ => {}
        }
    }
}

/// Presses keys, each answered before the next.
pub fn go(app: &mut App, keys: &[&str]) {
    let read = read(app.view_context().now);
    for keys in keys {
        let effects = press(app, keys);
        answer(app, &effects, &read);
        app.prepare();
    }
}

/// A cockpit of `init` on the Jobs tab.
pub fn on_jobs(init: AppInit) -> App {
    let mut app = App::new(init);
    go(&mut app, &["9"]);
    app
}

/// The same, of a size.
pub fn app(size: (u16, u16)) -> App {
    on_jobs(init(size))
}

/// What is asked of jobs.
pub fn asked(effects: &[Effect]) -> Vec<JobsQuestion> {
    let ours = |effect: &Effect| match effect {
        Effect::ReadJobs(question) => Some(*question),
        _ => None,
    };
    effects.iter().filter_map(ours).collect()
}
