//! GPUs that do nothing for a job. Whatever is unknown or stale means in use.

use jiff::{SignedDuration, Timestamp};

use super::*;
use crate::analyze::jobs::zombies::with_holders;
use crate::analyze::jobs::{HeldReading, Judged, KeptHolders};
use crate::domain::jobs::{AttemptId, GpuHolder, JobNode, Packed};
use crate::domain::{
    Activity, GpuIdentity, GpuKey, GpuOwner, GpuProcess, GpuReason, GpuSample, GpuSignal,
    GpuSignals, GpuState, GpuVerdict, HostNames, Instance, Rung, Workload, sample,
};
use crate::fleet::gpu::Trail;
use crate::fleet::{Fleet, GpuFleet, GpuNode, GpuRow, Row};
use JobState as S;

fn now() -> Timestamp {
    at(600).unwrap()
}

fn node() -> JobNode {
    JobNode {
        source: JobSource::Slurm,
        cluster: text("c"),
        name: text("n1"),
        instance_id: Some(text("i-1")),
        instance_type: None,
        private_ip: None,
        region: None,
        gpus: Some(Gpus::whole(8)),
        seen_from: at(-9000).unwrap(),
        seen_until: now(),
    }
}

fn holder(indexes: Option<&[u16]>, gpus: u32) -> GpuHolder {
    GpuHolder {
        source: JobSource::Slurm,
        cluster: text("c"),
        node: text("n1"),
        gpus: Some(Gpus::whole(gpus)),
        indexes: indexes.map(Into::into),
        raw: Some(text("77")),
        job: Some(text("77")),
        user: Some(text("wei")),
        at: now(),
    }
}

/// GPU `index` of the node in a state, idle since the minute 60 where it idles; held by a process where `held`.
fn gpu(index: u16, state: GpuState, held: bool) -> GpuRow {
    let process = GpuProcess {
        pid: 4711,
        user: Some(text("lena")),
        command: text("python serve.py"),
        mem_mib: None,
        sm: None,
    };
    let mut signals = GpuSignals::default();
    signals.set(GpuSignal::MemUsed, if held { 60_000.0 } else { 0.0 });
    let host = HostNames { instance_id: Some(text("i-1")), ..HostNames::default() };
    let identity = GpuIdentity { index: Some(index), host, ..GpuIdentity::default() };
    let activity = Activity { effective: 0.9, busiest: 0.9, rung: Rung::A, tensor_bound: None };
    let id = format!("i-1/{index}");
    GpuRow {
        key: GpuKey { device: id.as_str().into(), gpu_instance: None },
        id: id.as_str().into(),
        node: GpuNode { name: text("n1"), instance: None }.into(),
        model: text("H100"),
        sample: GpuSample {
            identity: identity.into(),
            taken_at: now(),
            signals,
            throttle: None,
            owner: Arc::new(GpuOwner::default()),
            names_owners: false,
            processes: held.then(|| [process].into()),
            recent: None,
        },
        verdict: GpuVerdict {
            state,
            activity: (state == GpuState::Busy).then_some(activity),
            rung: Rung::A,
            idle_since: state.is_idle().then(|| at(60).unwrap()),
            idle_since_at_least: false,
            samples: 9,
            witnesses: Vec::new(),
            reason: GpuReason::Nothing,
            advice: None,
            workload: Workload::Unknown,
        }
        .into(),
        team: None,
        equivalents: 1.0,
        usd_per_hour: Some(6.88),
        waste_usd_per_hour: None,
        wasted_usd: None,
        told: Vec::new(),
        disagreement: text(""),
        trail: Trail::default(),
    }
}

/// The zombies that are found at 10:00 by these GPUs, holders and attempts; the holders were read `age` minutes ago.
fn found(gpus: Vec<GpuRow>, holders: &[GpuHolder], attempts: &[Attempt], age: i64) -> Vec<Zombie> {
    judged(gpus, holders, attempts, age).zombies
}

/// All that is found of them.
fn judged(gpus: Vec<GpuRow>, holders: &[GpuHolder], attempts: &[Attempt], age: i64) -> Judged {
    let fleet = GpuFleet { rows: gpus.into_iter().map(Arc::new).collect(), ..GpuFleet::default() };
    let held = [HeldGpus {
        source: JobSource::Slurm,
        cluster: "c",
        at: now().checked_sub(SignedDuration::from_mins(age)).unwrap(),
        every: SignedDuration::from_mins(1),
        holders,
    }];
    let nodes = [node()];
    zombies(&ZombieInput {
        gpus: &fleet,
        nodes: &nodes,
        held: &held,
        attempts: &attempts.to_vec().into(),
        now: now(),
    })
}

fn of_slurm(mut of: Attempt) -> Attempt {
    of.id.source = JobSource::Slurm;
    of.id.cluster = text("c");
    of.nodes = [text("n1")].into();
    of
}

#[test]
fn a_gpu_that_no_living_job_holds_is_a_zombie_since_the_last_one_left() {
    let left = of_slurm(attempt("7", S::Completed, 8, (0, 300)));
    let all = found(vec![gpu(0, GpuState::HeldIdle, true)], &[], &[left], 0);
    let one = &all[0];
    assert_eq!((one.kind, &*one.node, one.gpu), (ZombieKind::NoJob, "n1", Some(0)));
    assert_eq!(one.holder.as_deref(), Some("python serve.py (4711)"));
    assert_eq!((one.user.as_deref(), one.since), (Some("lena"), at(300)));
    assert!((one.usd.unwrap() - 5.0 * 6.88).abs() < 1e-9);
    // One that works for nobody is nobody's all the same; since when is not known.
    let all = found(vec![gpu(0, GpuState::Busy, true)], &[], &[], 0);
    assert_eq!((all[0].kind, all[0].since, all[0].usd), (ZombieKind::NoJob, None, None));
    // Nothing holds it: it is free, and in the list of idle GPUs.
    assert!(found(vec![gpu(0, GpuState::UnallocatedIdle, false)], &[], &[], 0).is_empty());
}

#[test]
fn of_eight_of_which_one_works_seven_are_named() {
    let mut gpus: Vec<GpuRow> = (0..8).map(|index| gpu(index, GpuState::HeldIdle, true)).collect();
    gpus[3] = gpu(3, GpuState::Busy, true);
    let mut job = of_slurm(attempt("77", S::Running, 8, (120, 0)));
    job.ended_at = None;
    let indexes: Vec<u16> = (0..8).collect();
    let all = found(gpus.clone(), &[holder(Some(&indexes), 8)], std::slice::from_ref(&job), 0);
    assert_eq!(all.len(), 7);
    for one in &all {
        assert_eq!((one.kind, one.holder.as_deref()), (ZombieKind::IdleBesideWorking, Some("77")));
        // Idle since 1:00, the job's since 2:00: eight hours.
        assert_eq!(one.since, at(120));
        assert!((one.usd.unwrap() - 8.0 * 6.88).abs() < 1e-9);
    }
    // One job that holds as many as there are holds each.
    assert_eq!(found(gpus.clone(), &[holder(None, 8)], &[job], 0).len(), 7);
    // All idle.
    gpus[3] = gpu(3, GpuState::HeldIdle, true);
    let all = found(gpus, &[holder(None, 8)], &[], 0);
    assert!(all.iter().all(|one| one.kind == ZombieKind::Idle) && all.len() == 8);
}

#[test]
fn whatever_is_unknown_or_stale_is_in_use() {
    let idle = || vec![gpu(0, GpuState::HeldIdle, true), gpu(1, GpuState::HeldIdle, true)];
    assert_eq!(found(idle(), &[], &[], 2).len(), 2);
    assert!(found(idle(), &[], &[], 3).is_empty(), "who holds GPUs was read too long ago");
    for state in [GpuState::Unknown, GpuState::Stale] {
        let blind = vec![gpu(0, state, true)];
        assert!(found(blind, &[], &[], 0).is_empty(), "telemetry tells nothing");
    }
    // A job holds one of two, and nobody tells which.
    assert!(found(idle(), &[holder(None, 1)], &[], 0).is_empty());
    // The GPU has no index.
    let mut blind = gpu(0, GpuState::HeldIdle, true);
    blind.sample.identity =
        Arc::new(GpuIdentity { index: None, ..GpuIdentity::clone(&blind.sample.identity) });
    assert!(found(vec![blind], &[holder(Some(&[1]), 1)], &[], 0).is_empty());
    // A pod of another scheduler holds it.
    let mut pod = gpu(0, GpuState::HeldIdle, true);
    pod.sample.owner = Arc::new(GpuOwner { pod: Some(text("serve-0")), ..GpuOwner::default() });
    assert!(found(vec![pod], &[], &[], 0).is_empty());
    // It has idled for some minutes in its job.
    let mut young = of_slurm(attempt("77", S::Running, 8, (595, 0)));
    young.ended_at = None;
    assert!(found(idle(), &[holder(None, 2)], &[young], 0).is_empty());
}

#[test]
fn of_whatever_is_unknown_nobody_can_tell_whether_it_is_one() {
    let undecided = |gpus: Vec<GpuRow>, holders: &[GpuHolder], age| {
        judged(gpus, holders, &[], age).undecided.len()
    };
    let idle = || vec![gpu(0, GpuState::HeldIdle, true), gpu(1, GpuState::HeldIdle, true)];
    assert_eq!(undecided(idle(), &[], 2), 0);
    assert_eq!(undecided(idle(), &[], 3), 2, "who holds GPUs was read too long ago");
    assert_eq!(undecided(idle(), &[holder(None, 1)], 0), 2, "nobody tells which of the two");
    for state in [GpuState::Unknown, GpuState::Stale] {
        assert_eq!(undecided(vec![gpu(0, state, true)], &[], 0), 1);
    }
    // Neither processes nor memory are told.
    let mut blind = gpu(0, GpuState::Busy, false);
    (blind.sample.processes, blind.sample.signals) = (None, GpuSignals::default());
    assert_eq!(undecided(vec![blind.clone()], &[], 0), 1);
    blind.sample.processes = Some([].into());
    assert_eq!(undecided(vec![blind], &[], 0), 0, "no process holds it");
    // One that works, one that is free, and one of a node that no scheduler knows are known to be none.
    let held = [holder(Some(&[0]), 1)];
    assert_eq!(undecided(vec![gpu(0, GpuState::Busy, true)], &held, 0), 0);
    assert_eq!(undecided(vec![gpu(0, GpuState::UnallocatedIdle, false)], &[], 0), 0);
    let mut other = gpu(0, GpuState::Unknown, true);
    let host = HostNames { node: Some(text("n9")), ..HostNames::default() };
    other.sample.identity =
        Arc::new(GpuIdentity { host, ..GpuIdentity::clone(&other.sample.identity) });
    other.node = GpuNode { name: text("n9"), instance: None }.into();
    assert_eq!(undecided(vec![other], &[], 3), 0);
}

#[test]
fn of_a_cluster_of_which_nobody_holds_a_gpu_that_is_known() {
    let cluster =
        |at| HeldReading::by_cluster(vec![GpuHolder::nobody(JobSource::Slurm, text("c"), at)]);
    let judged = |node: JobNode, held: &[HeldReading]| {
        let fleet =
            GpuFleet { rows: vec![gpu(0, GpuState::HeldIdle, true).into()], ..GpuFleet::default() };
        let held: Vec<_> =
            held.iter().map(|of| of.borrowed(SignedDuration::from_mins(1))).collect();
        let (nodes, none) = ([node], Packed::default());
        zombies(&ZombieInput {
            gpus: &fleet,
            nodes: &nodes,
            held: &held,
            attempts: &none,
            now: now(),
        })
    };
    let found = judged(node(), &cluster(now()));
    assert_eq!((found.zombies.len(), found.undecided.len(), found.silent.len()), (1, 0, 0));
    let found = judged(node(), &[]);
    assert_eq!((found.zombies.len(), found.undecided.len()), (0, 1));
    assert_eq!(found.silent.iter().map(|name| &**name).collect::<Vec<_>>(), ["c"]);
    // The node has left the cluster, or was seen last long ago: it is no node of a scheduler any more.
    let left = JobNode { seen_until: at(590).unwrap(), ..node() };
    let found = judged(left, &cluster(now()));
    assert_eq!((found.zombies.len(), found.undecided.len(), found.silent.len()), (0, 0, 0));
    let old = JobNode { seen_until: at(600 - 7 * 24 * 60 - 1).unwrap(), ..node() };
    assert_eq!(judged(old, &[]).undecided.len(), 0);
}

#[test]
fn telemetry_without_owners_gets_those_of_the_scheduler() {
    let fleet = GpuFleet {
        rows: vec![gpu(0, GpuState::Busy, true).into(), gpu(1, GpuState::Busy, true).into()],
        ..GpuFleet::default()
    };
    let holders = [holder(Some(&[0]), 1)];
    let held = [HeldGpus {
        source: JobSource::Slurm,
        cluster: "c",
        at: now(),
        every: SignedDuration::from_mins(1),
        holders: &holders,
    }];
    let nodes = [node()];
    let none = Packed::default();
    let input =
        ZombieInput { gpus: &fleet, nodes: &nodes, held: &held, attempts: &none, now: now() };
    let named = with_holders(&input);
    let of = |at: usize| (named[at].sample.owner.job.clone(), named[at].sample.owner.user.clone());
    assert_eq!(of(0), (Some(text("77")), Some(text("wei"))));
    assert_eq!(of(1), (None, None));
}

#[test]
fn an_instance_is_held_by_the_jobs_of_its_node_while_their_reading_is_fresh() {
    let other = |job: &str, user: &str| GpuHolder {
        raw: Some(text(job)),
        job: Some(text(job)),
        user: Some(text(user)),
        ..holder(None, 4)
    };
    let running = |minutes: i64| {
        let id = AttemptId {
            source: JobSource::Slurm,
            cluster: text("c"),
            raw: text("91"),
            key: text("1"),
        };
        let mut of = Attempt::new(id, text("91"), S::Running, text("RUNNING"));
        (of.nodes, of.user) = ([text("n1"), text("n2")].into(), Some(text("ana")));
        of.seen_until = at(600 - minutes);
        of
    };
    let held = |holders: Vec<GpuHolder>, running: Vec<Attempt>, minutes: i64| {
        let kept =
            KeptHolders { nodes: vec![node()], held: HeldReading::by_cluster(holders), running };
        let mut fleet = Fleet { rows: vec![row("i-1"), row("i-2")], ..Fleet::default() };
        fleet.hold(&kept.instances(at(600 + minutes).unwrap()));
        let of = |row: &Arc<Row>| {
            let by = row.held_by.clone()?;
            Some((by.jobs.join(" "), by.users.join(" "), by.has_unnamed))
        };
        [of(&fleet.rows[0]), of(&fleet.rows[1])]
    };
    let of = |jobs: &str, users: &str| Some((jobs.to_owned(), users.to_owned(), false));
    assert_eq!(held(vec![holder(None, 8)], vec![], 10), [of("77", "wei"), None]);
    assert_eq!(held(vec![holder(None, 8)], vec![], 11), [None, None], "too old to tell of now");
    let two = vec![other("78", "ana"), holder(None, 4)];
    assert_eq!(held(two, vec![], 0), [of("77 78", "ana wei"), None]);
    // A job without GPUs holds its nodes as well; the other node is no instance that is known.
    assert_eq!(held(vec![], vec![running(0)], 0), [of("91", "ana"), None]);
    assert_eq!(held(vec![other("91", "ana")], vec![running(9)], 0), [of("91", "ana"), None]);
    assert_eq!(held(vec![], vec![running(11)], 0), [None, None]);
    let unnamed = GpuHolder { raw: None, job: None, user: None, ..holder(None, 8) };
    let unnamed = held(vec![unnamed], vec![], 0)[0].clone();
    assert_eq!(unnamed, Some((String::new(), String::new(), true)));
}

fn row(id: &str) -> Arc<Row> {
    Arc::new(Row::new(Instance { id: id.into(), ..sample::instance() }))
}
