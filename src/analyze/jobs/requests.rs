//! What workloads asked for and did not use: GPUs, time, memory.
//!
//! A workload is a script of a user. What is not known to be unused counts as used: attempts of which nobody measured anything are
//! counted and make no row, and of one attempt what worked is never unused, whatever the others of its workload needed. What serves
//! (a `Deployment` of Kubernetes) does not end by itself: of its pods that run what they held up to the last full hour counts.

use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};

use super::costed::Costed;
use super::lost::Amount;
use super::repeats::{ScriptKey, script};
use crate::domain::HOURS_PER_MONTH;
use crate::domain::bill::{Usd, words};
use crate::domain::jobs::{Attempt, GpuTime, Gpus, JobSource, JobState};

/// Attempts that held something for less tell nothing, milliseconds.
const LEAST_MS: i64 = 600_000;
/// Completed runs that tell how long a workload takes.
const COMPLETED_AT_LEAST: usize = 3;
/// What is proposed for time and memory is the most that was used × 6 ÷ 5.
const ROOM: (u64, u64) = (6, 5);
/// Time is proposed in steps of a quarter of an hour, milliseconds.
const TIME_STEP_MS: u64 = 900_000;
/// Milliseconds in an hour.
const HOUR_MS: f64 = 3.6e6;
/// Mebibytes in a gibibyte.
const GIB: u64 = 1_024;
/// The shortest time that is scaled to a month, hours.
const LEAST_HOURS: f64 = 24.0;
/// Kinds of owners whose pods serve and do not end by themselves, without their groups.
const SERVING: [&str; 6] = [
    "deployment",
    "statefulset",
    "leaderworkerset",
    "replicaset",
    "daemonset",
    "replicationcontroller",
];

words! {
    /// What a workload asks too much of.
    RequestKind {
        /// GPUs.
        Gpus = "gpus",
        /// Time until the scheduler ends it.
        Time = "time",
        /// Memory of nodes.
        Memory = "memory",
    }
}

impl RequestKind {
    /// Unit of what was asked for, used and is proposed.
    pub const fn unit(self) -> &'static str {
        match self {
            Self::Gpus => "GPUs",
            Self::Time => "hours",
            Self::Memory => "GiB",
        }
    }
}

/// Tells how many GPUs of an attempt worked at all, by telemetry; `None` where that does not cover it.
pub type WorkingGpus<'a> = dyn Fn(&Attempt) -> Option<u32> + 'a;

/// What requests are held against use by.
#[derive(Clone, Copy)]
pub struct RequestInput<'a> {
    /// Attempts with what they cost.
    pub rows: &'a [Costed],
    /// GPUs that worked, by telemetry; what a site measured itself stands in where that does not cover an attempt.
    pub working: &'a WorkingGpus<'a>,
    /// Now.
    pub now: Timestamp,
    /// Days before now in which attempts ended that are counted. Of one that began before them what it held in them counts.
    pub days: u32,
}

/// A workload that asks for more of something than it uses.
#[derive(Clone, Debug, PartialEq)]
pub struct RequestRow {
    /// Kind and workload; unique.
    pub id: Arc<str>,
    /// What it asks too much of.
    pub kind: RequestKind,
    /// Where it was read.
    pub source: JobSource,
    /// Cluster; empty where none is named.
    pub cluster: Arc<str>,
    /// User; `None` = unknown.
    pub user: Option<Arc<str>>,
    /// Namespace of Kubernetes; `None` of other sources.
    pub namespace: Option<Arc<str>>,
    /// Name of its jobs.
    pub name: Arc<str>,
    /// What owns its pods, by kind and name, as [`Attempt::owner`]; `None` where attempts differ, and where nobody tells.
    pub owner: Option<Arc<str>>,
    /// Team of the attempt that ended last; `None` = unknown.
    pub team: Option<Arc<str>>,
    /// Attempts that asked for it, as far as that is known.
    pub attempts: u32,
    /// Attempts of them that run still, of what serves.
    pub running: u32,
    /// Attempts of them of which it is known what they used; of time those that completed.
    pub known: u32,
    /// Attempts of which what they did not use has no price: it is in no dollars.
    pub unpriced: u32,
    /// Nodes that each attempt held; `None` where attempts differ, have parts side by side, or one does not tell.
    pub nodes: Option<u32>,
    /// The most that was asked for, over all nodes, in the unit of the kind.
    pub asked: f64,
    /// 95th percentile (nearest rank) of what was used, in the unit of the kind.
    pub used_p95: f64,
    /// What would have been enough, over all nodes, in the unit of the kind.
    pub proposed: f64,
    /// GPU-hours of GPUs beyond what is proposed that did not work, in the days that are counted; `None` of other kinds.
    pub unused_gpu_hours: Option<f64>,
    /// What these cost, scaled to a month of 730 hours, USD; `None` where no price is known, and of other kinds.
    pub usd_per_month: Option<f64>,
}

/// Attempts that were looked at.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LookedAt {
    /// Attempts of a workload that held GPUs, as far as that is known.
    pub with_gpus: u32,
    /// Those of them of which nobody knows how many worked.
    pub unknown: u32,
}

/// Workloads that ask for more than they use.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Requests {
    /// A row per workload and kind, what saves most first.
    pub rows: Vec<RequestRow>,
    /// What they were found among.
    pub looked_at: LookedAt,
}

/// What tells workloads apart: the script, and its namespace in Kubernetes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct WorkloadKey<'a>(ScriptKey<'a>, &'a str);

/// An attempt that counts.
struct Counted<'a> {
    row: &'a Costed,
    /// When it began, or the days that are counted did.
    from: Timestamp,
    /// For how long it held nodes, in all, milliseconds.
    ms: u64,
    /// What it held since `from`.
    held: Amount,
    /// GPUs that worked; `None` = unknown.
    working: Option<u32>,
}

impl<'a> Counted<'a> {
    /// `None` for one that does not count: it never ran, held nothing for long, ended at another time, or runs and does not serve.
    fn of(row: &'a Costed, since: Timestamp, input: &RequestInput<'_>) -> Option<Self> {
        let of = &row.attempt;
        let start = of.started_at?;
        let ms = of.held_ms().filter(|ms| *ms >= LEAST_MS)?.unsigned_abs();
        let from = start.max(since);
        let so_far = of.ended_at.is_none().then(|| so_far(of, from)).flatten();
        let end = so_far.as_ref().unwrap_or(of).ended_at?;
        if end < since || end > input.now {
            return None;
        }
        let inside = end.as_millisecond().saturating_sub(from.as_millisecond()).max(0);
        let held = row.held.part(inside.unsigned_abs().min(ms), ms);
        let working = working(so_far.as_ref().unwrap_or(of), input.working);
        Some(Self { row, from, ms, held, working })
    }

    fn runs(&self) -> bool {
        self.row.attempt.ended_at.is_none()
    }

    fn gpus(&self) -> Option<Gpus> {
        self.row.attempt.gpus
    }

    /// True for one that is not known to have held none.
    fn may_have_gpus(&self) -> bool {
        self.gpus() != Some(Gpus::ZERO)
    }

    /// Nodes that it held; `None` = unknown, or those of several parts.
    fn nodes(&self) -> Option<u32> {
        let of = &self.row.attempt;
        let named = u32::try_from(of.nodes.len()).ok().filter(|named| *named > 0);
        of.node_count.or(named).filter(|nodes| *nodes > 0 && self.row.parts == 1)
    }

    /// The most memory that it used, over all nodes, MiB; `None` = unknown.
    fn memory_peak_mib(&self) -> Option<u64> {
        self.row.attempt.usage.as_deref()?.memory_peak_mib
    }
}

/// An attempt that serves and runs, from a moment up to the last full hour in which it was seen: telemetry does not have the hour that
/// goes on. `None` for one that does not serve, and where that is nothing.
fn so_far(of: &Attempt, from: Timestamp) -> Option<Attempt> {
    let owner = of.owner.as_deref().filter(|_| of.state == JobState::Running)?;
    let kind = owner.split(['.', '/']).next()?;
    let seen = of.seen_until?.as_millisecond();
    let end = seen - seen.rem_euclid(HOUR_MS as i64);
    let is_long = end - from.as_millisecond() >= LEAST_MS;
    let ended_at = Timestamp::from_millisecond(end).ok().filter(|_| is_long)?;
    let is_serving = SERVING.contains(&kind);
    is_serving.then(|| Attempt { started_at: Some(from), ended_at: Some(ended_at), ..of.clone() })
}

/// Namespace of an attempt of Kubernetes; empty of other sources.
fn namespace(of: &Attempt) -> &str {
    match of.id.source {
        JobSource::Kubernetes => of.job.split_once('/').map_or("", |(namespace, _)| namespace),
        _ => "",
    }
}

/// GPUs of an attempt that worked: telemetry goes before what its site measured, which counts where that are all that it held. `None`
/// = unknown.
fn working(of: &Attempt, told: &WorkingGpus<'_>) -> Option<u32> {
    let held = of.gpus.filter(|gpus| *gpus != Gpus::ZERO)?;
    told(of).or_else(|| {
        let usage = of.usage.as_deref()?;
        (Gpus::whole(usage.gpus) == held).then_some(usage.gpus_working)
    })
}

/// Workloads that ask for more than they use: what saves most dollars first, then what leaves most GPU-hours unused.
pub fn requests(input: &RequestInput<'_>) -> Requests {
    let window = SignedDuration::from_hours(24 * i64::from(input.days));
    let since = input.now.checked_sub(window).unwrap_or(input.now);
    let counted = input.rows.iter().filter_map(|row| {
        let key = WorkloadKey(script(&row.attempt)?, namespace(&row.attempt));
        Some((key, Counted::of(row, since, input)?))
    });
    let mut workloads: BTreeMap<WorkloadKey<'_>, Vec<Counted<'_>>> = BTreeMap::new();
    for (key, of) in counted {
        workloads.entry(key).or_default().push(of);
    }
    let all = || workloads.values().flatten();
    // Of what was before the first attempt nobody knows anything.
    let first = all().map(|of| of.from).min().unwrap_or(input.now);
    let hours = (input.now.duration_since(first).as_secs_f64() / 3_600.0).max(LEAST_HOURS);
    let with_gpus = || all().filter(|of| of.may_have_gpus());
    let looked_at = LookedAt {
        with_gpus: number(with_gpus().count()),
        unknown: number(with_gpus().filter(|of| of.working.is_none()).count()),
    };
    let mut rows: Vec<RequestRow> = workloads
        .iter()
        .flat_map(|(key, of)| [gpus_row(*key, of, hours), time_row(*key, of), memory_row(*key, of)])
        .flatten()
        .collect();
    rows.sort_by(|a, b| {
        let by_usd = largest_first(a.usd_per_month, b.usd_per_month);
        by_usd
            .then_with(|| largest_first(a.unused_gpu_hours, b.unused_gpu_hours))
            .then_with(|| a.id.cmp(&b.id))
    });
    Requests { rows, looked_at }
}

/// What is not known comes last.
fn largest_first(a: Option<f64>, b: Option<f64>) -> Ordering {
    let number = |of: Option<f64>| of.unwrap_or(f64::NEG_INFINITY);
    number(b).total_cmp(&number(a))
}

fn number(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}

/// 95th percentile by the nearest rank; `None` of nothing.
fn p95<T: Ord + Copy>(all: impl IntoIterator<Item = T>) -> Option<T> {
    percentile(all, 95)
}

/// A percentile by the nearest rank; `None` of nothing.
pub(super) fn percentile<T: Ord + Copy>(
    all: impl IntoIterator<Item = T>,
    percent: usize,
) -> Option<T> {
    let mut all: Vec<T> = all.into_iter().collect();
    all.sort_unstable();
    let rank = (all.len() * percent).div_ceil(100);
    all.get(rank.checked_sub(1)?).copied()
}

/// What all have; `None` where they differ, or one has none.
fn alike(mut all: impl Iterator<Item = Option<u32>>) -> Option<u32> {
    let first = all.next()??;
    all.all(|one| one == Some(first)).then_some(first)
}

/// With room for a run that needs a little more.
fn with_room(most: u64, step: u64) -> u64 {
    most.saturating_mul(ROOM.0).div_ceil(ROOM.1.saturating_mul(step))
}

/// A row without its figures. `known` are those of the members of which it is known what they used.
fn row(
    WorkloadKey((source, cluster, user, name), namespace): WorkloadKey<'_>,
    kind: RequestKind,
    members: &[&Counted<'_>],
    known: &[&Counted<'_>],
) -> RequestRow {
    // What runs still ends last.
    let last = members.iter().max_by_key(|of| (of.runs(), of.row.attempt.ended_at));
    let owner = |of: &&Counted<'_>| of.row.attempt.owner.clone();
    let first_owner = members.first().and_then(owner);
    let has_one_owner = members.iter().all(|of| of.row.attempt.owner == first_owner);
    // Names may hold blanks: quoted, no two workloads are one.
    let mut id = format!("{} {} {cluster:?} {user:?} {name:?}", kind.word(), source.word());
    if !namespace.is_empty() {
        id.push_str(&format!(" {namespace:?}"));
    }
    RequestRow {
        id: id.into(),
        kind,
        source,
        cluster: cluster.into(),
        user: (!user.is_empty()).then(|| user.into()),
        namespace: (!namespace.is_empty()).then(|| namespace.into()),
        name: name.into(),
        owner: first_owner.filter(|_| has_one_owner),
        team: last.and_then(|of| of.row.attempt.team.clone()),
        attempts: number(members.len()),
        running: number(members.iter().filter(|of| of.runs()).count()),
        known: number(known.len()),
        unpriced: 0,
        nodes: alike(known.iter().map(|of| of.nodes())),
        asked: 0.0,
        used_p95: 0.0,
        proposed: 0.0,
        unused_gpu_hours: None,
        usd_per_month: None,
    }
}

/// GPUs beyond those that worked in nineteen of twenty attempts.
fn gpus_row(key: WorkloadKey<'_>, all: &[Counted<'_>], hours: f64) -> Option<RequestRow> {
    let members: Vec<&Counted<'_>> = all.iter().filter(|of| of.may_have_gpus()).collect();
    let known: Vec<(&Counted<'_>, Gpus, u32)> =
        members.iter().filter_map(|of| Some((*of, of.gpus()?, of.working?))).collect();
    let used = p95(known.iter().map(|(.., working)| *working))?;
    let asked = known.iter().map(|(_, held, _)| *held).max()?;
    let proposed = Gpus::whole(used);
    // What nobody measured counts as used: a larger run may need all that it asks for.
    if proposed >= asked || members.iter().any(|of| of.gpus() > Some(asked)) {
        return None;
    }
    let (mut time, mut usd, mut unpriced) = (GpuTime::ZERO, None::<Usd>, 0);
    for (of, held, working) in &known {
        // What worked was needed, in an attempt that needed more than the others too.
        let needed = proposed.max(Gpus::whole(*working)).min(*held);
        let beyond = held.millionths() - needed.millionths();
        if beyond == 0 {
            continue;
        }
        let unused = of.held.part(beyond, held.millionths());
        time += unused.gpu_time.unwrap_or_default();
        match unused.usd {
            Some(more) => usd = Some(usd.unwrap_or(Usd::ZERO) + more),
            None => unpriced += 1,
        }
    }
    (!time.is_zero()).then(|| RequestRow {
        unpriced,
        asked: asked.to_f64(),
        used_p95: used.into(),
        proposed: proposed.to_f64(),
        unused_gpu_hours: Some(time.hours()),
        usd_per_month: usd.map(|usd| usd.to_f64() / hours * HOURS_PER_MONTH),
        ..row(
            key,
            RequestKind::Gpus,
            &members,
            &known.iter().map(|(of, ..)| *of).collect::<Vec<_>>(),
        )
    })
}

/// A limit of twice what the longest attempt took, or more. It costs no money, and waiting: a scheduler starts in a gap what is known to
/// end before the gap does.
fn time_row(key: WorkloadKey<'_>, all: &[Counted<'_>]) -> Option<RequestRow> {
    let limit = |of: &Counted<'_>| of.row.attempt.time_limit_ms.filter(|limit| *limit > 0);
    let members: Vec<&Counted<'_>> = all.iter().filter(|of| limit(of).is_some()).collect();
    let is_completed = |of: &&&Counted<'_>| of.row.attempt.state == JobState::Completed;
    let completed: Vec<&Counted<'_>> = members.iter().filter(is_completed).copied().collect();
    if completed.len() < COMPLETED_AT_LEAST {
        return None;
    }
    let asked = members.iter().filter_map(|of| limit(of)).max()?.unsigned_abs();
    // One that did not complete needed its time as well.
    let longest = members.iter().map(|of| of.ms).max()?;
    let proposed = with_room(longest, TIME_STEP_MS).saturating_mul(TIME_STEP_MS);
    let used = p95(completed.iter().map(|of| of.ms))?;
    (proposed.saturating_mul(2) <= asked).then(|| RequestRow {
        asked: asked as f64 / HOUR_MS,
        used_p95: used as f64 / HOUR_MS,
        proposed: proposed as f64 / HOUR_MS,
        ..row(key, RequestKind::Time, &members, &completed)
    })
}

/// Memory of twice the highest peak, or more. Whether less of it would cost less is not known: the largest of the shares in GPUs, CPUs
/// and memory counts.
fn memory_row(key: WorkloadKey<'_>, all: &[Counted<'_>]) -> Option<RequestRow> {
    let held = |of: &Counted<'_>| of.row.attempt.memory_mib.filter(|mib| *mib > 0);
    let members: Vec<&Counted<'_>> = all.iter().filter(|of| held(of).is_some()).collect();
    let is_measured = |of: &&&Counted<'_>| of.memory_peak_mib().is_some();
    let known: Vec<&Counted<'_>> = members.iter().filter(is_measured).copied().collect();
    let peaks = || known.iter().filter_map(|of| of.memory_peak_mib());
    let (used, highest) = (p95(peaks())?, peaks().max()?);
    let asked = known.iter().filter_map(|of| held(of)).max()?;
    // What nobody measured counts as used: a larger run may need all that it asks for.
    if members.iter().any(|of| held(of) > Some(asked)) {
        return None;
    }
    let of_workload = row(key, RequestKind::Memory, &members, &known);
    // Each node is given whole gibibytes.
    let nodes = of_workload.nodes.map_or(1, u64::from);
    let proposed = with_room(highest.div_ceil(nodes), GIB).saturating_mul(nodes);
    (proposed.saturating_mul(2 * GIB) <= asked).then(|| RequestRow {
        asked: asked as f64 / GIB as f64,
        used_p95: used as f64 / GIB as f64,
        proposed: proposed as f64,
        ..of_workload
    })
}
