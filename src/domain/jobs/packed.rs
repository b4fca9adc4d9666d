//! Attempts in little room: what repeats is kept once. A million of them take a hundred megabytes instead of seven.

use std::sync::Arc;

use jiff::Timestamp;

use super::attempt::held_ms;
use super::dict::Dict;
use super::{Attempt, AttemptId, Cause, Gpus, JobRef, JobSource, JobState, JobUsage};
use crate::domain::bill::Usd;

/// Length of the id of a job that is its raw id.
const AS_RAW: u32 = u32::MAX;

/// A moment: nanoseconds since 1970. Below [`Moment::FAR`] it is none, or the place of one that such a number cannot tell (before
/// 1677, after 2262).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Moment(i64);

impl Moment {
    const NONE: Self = Self(i64::MIN);
    /// The first number that is a moment.
    const FAR: i64 = i64::MIN + (1 << 34);
    const SECOND: i64 = 1_000_000_000;
}

/// What repeats of an attempt in what it holds.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Holding {
    node_count: Option<u32>,
    gpus: Option<Gpus>,
    asked_gpus: Option<Gpus>,
    cpus: Option<u32>,
    memory_mib: Option<u64>,
    gpu_model: Option<Arc<str>>,
    instance_type: Option<Arc<str>>,
    region: Option<Arc<str>>,
}

/// What repeats of how an attempt stands or ended.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Ending {
    state: JobState,
    state_source: Arc<str>,
    cause: Option<Cause>,
    reason: Option<Arc<str>>,
    wait_reason: Option<Arc<str>>,
}

/// What most attempts lack.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Rest {
    parts_of: Option<Arc<str>>,
    parent: Option<Arc<str>>,
    owner: Option<Arc<str>>,
    project: Option<Arc<str>>,
    tracker: Option<Arc<str>>,
    in_job: Option<Box<JobRef>>,
    checkpoint: Option<Arc<str>>,
    seen_until: Option<Timestamp>,
    saved_at: Option<Timestamp>,
    first_step_at: Option<Timestamp>,
    predictions: Option<u64>,
    billed_ms: Option<i64>,
    node_usd_per_hour: Option<Usd>,
    time_limit_ms: Option<i64>,
}

/// An attempt: places of what it is made of.
#[derive(Clone, Copy, Debug)]
struct Row {
    /// Where its ids begin: raw id, key, id of the job.
    ids: usize,
    raw: u32,
    key: u32,
    job: u32,
    cluster: u32,
    name: u32,
    user: u32,
    team: u32,
    queue: u32,
    nodes: u32,
    holding: u32,
    ending: u32,
    rest: u32,
    usage: u32,
    submitted_at: Moment,
    eligible_at: Moment,
    started_at: Moment,
    ended_at: Moment,
}

/// Attempts in little room, in an order.
#[derive(Clone, Debug, Default)]
pub struct Packed {
    rows: Vec<Row>,
    ids: String,
    clusters: Dict<(JobSource, Arc<str>)>,
    texts: Dict<Option<Arc<str>>>,
    nodes: Dict<Arc<[Arc<str>]>>,
    holdings: Dict<Holding>,
    endings: Dict<Ending>,
    rests: Dict<Rest>,
    /// Apart from the rest: where a site measures, each attempt has its own.
    usages: Dict<Option<JobUsage>>,
    far: Vec<Timestamp>,
}

/// What is asked of many attempts, without making one of each. Fields are those of [`Attempt`].
#[derive(Clone, Copy, Debug)]
pub struct AttemptView<'a> {
    /// Where it was read.
    pub source: JobSource,
    /// Cluster.
    pub cluster: &'a Arc<str>,
    /// Raw id.
    pub raw: &'a str,
    /// Id of the job.
    pub job: &'a str,
    /// Id of the job whose parts ran side by side.
    pub parts_of: Option<&'a Arc<str>>,
    /// Id of the job whose time includes the time of this one.
    pub parent: Option<&'a Arc<str>>,
    /// Name of the job.
    pub name: Option<&'a Arc<str>>,
    /// Of a run of a tracker, the job of a scheduler in which it was.
    pub in_job: Option<&'a JobRef>,
    /// User.
    pub user: Option<&'a Arc<str>>,
    /// Team.
    pub team: Option<&'a Arc<str>>,
    /// Queue.
    pub queue: Option<&'a Arc<str>>,
    /// State.
    pub state: JobState,
    /// When it was submitted.
    pub submitted_at: Option<Timestamp>,
    /// From when on nothing but nodes, limits and priority kept it from starting.
    pub eligible_at: Option<Timestamp>,
    /// Why it waits or waited.
    pub wait_reason: Option<&'a Arc<str>>,
    /// When it got its nodes.
    pub started_at: Option<Timestamp>,
    /// When it gave its nodes back.
    pub ended_at: Option<Timestamp>,
    /// Up to when a running one was witnessed.
    pub seen_until: Option<Timestamp>,
    /// When the first step of work began.
    pub first_step_at: Option<Timestamp>,
    /// Number of what it holds: GPUs, CPUs, memory, count of nodes, their type and region. Those with one number hold alike.
    pub holding: u32,
    /// Names of the nodes.
    pub nodes: &'a [Arc<str>],
    /// Number of nodes.
    pub node_count: Option<u32>,
    /// GPUs held.
    pub gpus: Option<Gpus>,
    /// GPUs that it asks for.
    pub asked_gpus: Option<Gpus>,
    /// Model of the GPUs.
    pub gpu_model: Option<&'a Arc<str>>,
    /// CPUs held.
    pub cpus: Option<u32>,
    /// Memory held, MiB.
    pub memory_mib: Option<u64>,
    /// Instance type of the nodes.
    pub instance_type: Option<&'a Arc<str>>,
    /// Region of the nodes.
    pub region: Option<&'a Arc<str>>,
    /// Where its checkpoints are.
    pub checkpoint: Option<&'a Arc<str>>,
}

impl AttemptView<'_> {
    /// True for a run of a tracker, be it read there or from a file that names the job in which it was.
    pub fn is_run(&self) -> bool {
        self.source.is_tracker() || self.in_job.is_some()
    }

    /// As [`Attempt::held_ms`].
    pub fn held_ms(&self) -> Option<i64> {
        held_ms(self.state, self.started_at, self.ended_at.or(self.seen_until))
    }
}

impl Packed {
    /// Number of attempts.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// True without any.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Adds an attempt at the end.
    pub fn push(&mut self, of: Attempt) {
        let Attempt {
            id: AttemptId { source, cluster, raw, key },
            job,
            parts_of,
            parent,
            owner,
            name,
            user,
            team,
            project,
            tracker,
            in_job,
            queue,
            state,
            state_source,
            cause,
            reason,
            submitted_at,
            eligible_at,
            wait_reason,
            started_at,
            ended_at,
            seen_until,
            nodes,
            node_count,
            gpus,
            asked_gpus,
            cpus,
            memory_mib,
            gpu_model,
            instance_type,
            region,
            checkpoint,
            saved_at,
            first_step_at,
            predictions,
            billed_ms,
            node_usd_per_hour,
            time_limit_ms,
            usage,
        } = of;
        let ids = self.ids.len();
        self.ids.push_str(&raw);
        self.ids.push_str(&key);
        let is_raw = job == raw;
        if !is_raw {
            self.ids.push_str(&job);
        }
        let holding = Holding {
            node_count,
            gpus,
            asked_gpus,
            cpus,
            memory_mib,
            gpu_model,
            instance_type,
            region,
        };
        let rest = Rest {
            parts_of,
            parent,
            owner,
            project,
            tracker,
            in_job,
            checkpoint,
            seen_until,
            saved_at,
            first_step_at,
            predictions,
            billed_ms,
            node_usd_per_hour,
            time_limit_ms,
        };
        let row = Row {
            ids,
            raw: raw.len() as u32,
            key: key.len() as u32,
            job: if is_raw { AS_RAW } else { job.len() as u32 },
            cluster: self.clusters.id((source, cluster)),
            name: self.texts.id(name),
            user: self.texts.id(user),
            team: self.texts.id(team),
            queue: self.texts.id(queue),
            nodes: self.nodes.id(nodes),
            holding: self.holdings.id(holding),
            ending: self.endings.id(Ending { state, state_source, cause, reason, wait_reason }),
            rest: self.rests.id(rest),
            usage: self.usages.id(usage.map(|usage| *usage)),
            submitted_at: self.moment(submitted_at),
            eligible_at: self.moment(eligible_at),
            started_at: self.moment(started_at),
            ended_at: self.moment(ended_at),
        };
        self.rows.push(row);
    }

    /// Adds the attempts of another one at the end, in their order.
    pub fn append(&mut self, other: Self) {
        let Self { rows, ids, clusters, texts, nodes, holdings, endings, rests, usages, far } =
            other;
        let begin = self.ids.len();
        self.ids.push_str(&ids);
        let clusters = self.clusters.take(clusters);
        let texts = self.texts.take(texts);
        let nodes = self.nodes.take(nodes);
        let holdings = self.holdings.take(holdings);
        let endings = self.endings.take(endings);
        let rests = self.rests.take(rests);
        let usages = self.usages.take(usages);
        let is_far = !far.is_empty();
        let at = |places: &[u32], id: u32| places[id as usize];
        self.rows.reserve(rows.len());
        for row in rows {
            let mut row = Row {
                ids: begin + row.ids,
                cluster: at(&clusters, row.cluster),
                name: at(&texts, row.name),
                user: at(&texts, row.user),
                team: at(&texts, row.team),
                queue: at(&texts, row.queue),
                nodes: at(&nodes, row.nodes),
                holding: at(&holdings, row.holding),
                ending: at(&endings, row.ending),
                rest: at(&rests, row.rest),
                usage: at(&usages, row.usage),
                ..row
            };
            if is_far {
                let Row { submitted_at, eligible_at, started_at, ended_at, .. } = &mut row;
                for moment in [submitted_at, eligible_at, started_at, ended_at] {
                    let known = told(&far, *moment);
                    *moment = self.moment(known);
                }
            }
            self.rows.push(row);
        }
    }

    /// The attempt at a place below [`Packed::len`].
    pub fn get(&self, place: usize) -> Attempt {
        let row = &self.rows[place];
        let (raw, key, job) = self.ids(row);
        let raw: Arc<str> = raw.into();
        let job = if row.job == AS_RAW { raw.clone() } else { job.into() };
        let (source, cluster) = self.clusters.get(row.cluster).clone();
        let text = |id: u32| self.texts.get(id).clone();
        let Holding {
            node_count,
            gpus,
            asked_gpus,
            cpus,
            memory_mib,
            gpu_model,
            instance_type,
            region,
        } = self.holdings.get(row.holding).clone();
        let Ending { state, state_source, cause, reason, wait_reason } =
            self.endings.get(row.ending).clone();
        let Rest {
            parts_of,
            parent,
            owner,
            project,
            tracker,
            in_job,
            checkpoint,
            seen_until,
            saved_at,
            first_step_at,
            predictions,
            billed_ms,
            node_usd_per_hour,
            time_limit_ms,
        } = self.rests.get(row.rest).clone();
        Attempt {
            id: AttemptId { source, cluster, raw, key: key.into() },
            job,
            parts_of,
            parent,
            owner,
            name: text(row.name),
            user: text(row.user),
            team: text(row.team),
            project,
            tracker,
            in_job,
            queue: text(row.queue),
            state,
            state_source,
            cause,
            reason,
            submitted_at: told(&self.far, row.submitted_at),
            eligible_at: told(&self.far, row.eligible_at),
            wait_reason,
            started_at: told(&self.far, row.started_at),
            ended_at: told(&self.far, row.ended_at),
            seen_until,
            nodes: self.nodes.get(row.nodes).clone(),
            node_count,
            gpus,
            asked_gpus,
            cpus,
            memory_mib,
            gpu_model,
            instance_type,
            region,
            checkpoint,
            saved_at,
            first_step_at,
            predictions,
            billed_ms,
            node_usd_per_hour,
            time_limit_ms,
            usage: self.usages.get(row.usage).map(Box::new),
        }
    }

    /// What is asked of the attempt at a place below [`Packed::len`].
    pub fn view(&self, place: usize) -> AttemptView<'_> {
        let row = &self.rows[place];
        let (raw, _, job) = self.ids(row);
        let (source, cluster) = self.clusters.get(row.cluster);
        let holding = self.holdings.get(row.holding);
        let rest = self.rests.get(row.rest);
        let ending = self.endings.get(row.ending);
        AttemptView {
            source: *source,
            cluster,
            raw,
            job,
            parts_of: rest.parts_of.as_ref(),
            parent: rest.parent.as_ref(),
            name: self.texts.get(row.name).as_ref(),
            in_job: rest.in_job.as_deref(),
            user: self.texts.get(row.user).as_ref(),
            team: self.texts.get(row.team).as_ref(),
            queue: self.texts.get(row.queue).as_ref(),
            state: ending.state,
            submitted_at: told(&self.far, row.submitted_at),
            eligible_at: told(&self.far, row.eligible_at),
            wait_reason: ending.wait_reason.as_ref(),
            started_at: told(&self.far, row.started_at),
            ended_at: told(&self.far, row.ended_at),
            seen_until: rest.seen_until,
            first_step_at: rest.first_step_at,
            holding: row.holding,
            nodes: self.nodes.get(row.nodes),
            node_count: holding.node_count,
            gpus: holding.gpus,
            asked_gpus: holding.asked_gpus,
            gpu_model: holding.gpu_model.as_ref(),
            cpus: holding.cpus,
            memory_mib: holding.memory_mib,
            instance_type: holding.instance_type.as_ref(),
            region: holding.region.as_ref(),
            checkpoint: rest.checkpoint.as_ref(),
        }
    }

    /// All attempts, in their order.
    pub fn attempts(&self) -> impl Iterator<Item = Attempt> {
        (0..self.len()).map(|place| self.get(place))
    }

    /// What is asked of all attempts, in their order.
    pub fn views(&self) -> impl Iterator<Item = AttemptView<'_>> {
        (0..self.len()).map(|place| self.view(place))
    }

    /// Lists of nodes that attempts hold or held, each once.
    pub fn node_lists(&self) -> &[Arc<[Arc<str>]>] {
        self.nodes.items()
    }

    /// True where two attempts are of one job; false where either is not there.
    pub fn are_of_one_job(&self, one: usize, other: usize) -> bool {
        let (Some(a), Some(b)) = (self.rows.get(one), self.rows.get(other)) else { return false };
        a.cluster == b.cluster && self.ids(a).2 == self.ids(b).2
    }

    /// Writes a state.
    pub fn set_state(&mut self, place: usize, state: JobState) {
        let ending = Ending { state, ..self.endings.get(self.rows[place].ending).clone() };
        self.rows[place].ending = self.endings.id(ending);
    }

    /// Writes the instance type and the region.
    pub fn set_type(&mut self, place: usize, instance_type: Arc<str>, region: Option<Arc<str>>) {
        let known = self.holdings.get(self.rows[place].holding);
        if known.instance_type.as_ref() == Some(&instance_type) && known.region == region {
            return;
        }
        let holding = Holding { instance_type: Some(instance_type), region, ..known.clone() };
        self.rows[place].holding = self.holdings.id(holding);
    }

    /// Writes an attempt at a place below [`Packed::len`].
    pub fn set(&mut self, place: usize, of: Attempt) {
        self.push(of);
        if let Some(row) = self.rows.pop() {
            self.rows[place] = row;
        }
    }

    /// True where the attempt at a place below [`Packed::len`] has this identity.
    pub fn is(&self, place: usize, id: &AttemptId) -> bool {
        let row = &self.rows[place];
        let (raw, key, _) = self.ids(row);
        let (source, cluster) = self.clusters.get(row.cluster);
        (raw, key) == (&*id.raw, &*id.key) && (*source, cluster) == (id.source, &id.cluster)
    }

    /// Makes the GPUs that attempts of some clusters hold unknown.
    pub fn forget_gpus(&mut self, is_of: impl Fn(&Arc<str>) -> bool) {
        for row in &mut self.rows {
            if is_of(&self.clusters.get(row.cluster).1) {
                let holding = Holding { gpus: None, ..self.holdings.get(row.holding).clone() };
                row.holding = self.holdings.id(holding);
            }
        }
    }

    /// Takes those at some places out.
    pub fn remove(&mut self, is_gone: impl Fn(usize) -> bool) {
        let mut places = 0..;
        self.rows.retain(|_| places.next().is_none_or(|place| !is_gone(place)));
    }

    /// Keeps those of which this is true.
    pub fn retain(&mut self, is_kept: impl Fn(&AttemptView<'_>) -> bool) {
        let is: Vec<bool> = self.views().map(|of| is_kept(&of)).collect();
        self.remove(|place| !is[place]);
    }

    /// Keeps those that ended last, `most` of them or a few more that ended at the same moment, and all without an end. Returns how
    /// many went.
    pub fn keep_newest(&mut self, most: usize) -> usize {
        let ends: Vec<Option<Timestamp>> =
            self.rows.iter().map(|row| told(&self.far, row.ended_at)).collect();
        let mut known: Vec<Timestamp> = ends.iter().copied().flatten().collect();
        let Some(older) = known.len().checked_sub(most).filter(|older| *older > 0) else {
            return 0;
        };
        if most == 0 {
            self.remove(|place| ends[place].is_some());
            return older;
        }
        let (_, oldest, _) = known.select_nth_unstable(older);
        let oldest = *oldest;
        let before = self.len();
        self.remove(|place| ends[place].is_some_and(|end| end < oldest));
        before - self.len()
    }

    /// Orders them by job, each job's in the order in which they ran.
    pub fn sort(&mut self) {
        let mut rows = std::mem::take(&mut self.rows);
        let order = |a: &Row, b: &Row| {
            let time = |of: &Row| {
                let [submitted, started] =
                    [of.submitted_at, of.started_at].map(|at| told(&self.far, at));
                (submitted.or(started), started)
            };
            let by_cluster = || self.clusters.get(a.cluster).cmp(self.clusters.get(b.cluster));
            let by_cluster =
                if a.cluster == b.cluster { std::cmp::Ordering::Equal } else { by_cluster() };
            let ((a_raw, a_key, a_job), (b_raw, b_key, b_job)) = (self.ids(a), self.ids(b));
            by_cluster
                .then_with(|| a_job.cmp(b_job))
                .then_with(|| time(a).cmp(&time(b)))
                .then_with(|| (a_raw, a_key).cmp(&(b_raw, b_key)))
        };
        if !rows.is_sorted_by(|a, b| order(a, b).is_le()) {
            rows.sort_by(order);
        }
        self.rows = rows;
    }

    /// Raw id, key and id of the job.
    fn ids(&self, row: &Row) -> (&str, &str, &str) {
        let rest = &self.ids[row.ids..];
        let (raw, rest) = rest.split_at(row.raw as usize);
        let (key, rest) = rest.split_at(row.key as usize);
        let job = if row.job == AS_RAW { raw } else { &rest[..row.job as usize] };
        (raw, key, job)
    }

    fn moment(&mut self, at: Option<Timestamp>) -> Moment {
        let Some(at) = at else { return Moment::NONE };
        match i64::try_from(at.as_nanosecond()) {
            Ok(ns) if ns >= Moment::FAR => Moment(ns),
            _ => {
                self.far.push(at);
                // From 1 on: fewer than three for each of the attempts, of which there are fewer than 2³².
                Moment(i64::MIN.saturating_add_unsigned(self.far.len() as u64))
            }
        }
    }
}

/// The moment that a number tells; `far` are those that need a place of their own.
fn told(far: &[Timestamp], at: Moment) -> Option<Timestamp> {
    if at == Moment::NONE {
        return None;
    }
    if at.0 < Moment::FAR {
        let place = at.0.abs_diff(i64::MIN) as usize;
        return far.get(place - 1).copied();
    }
    let (second, ns) = (at.0.div_euclid(Moment::SECOND), at.0.rem_euclid(Moment::SECOND));
    Timestamp::new(second, ns as i32).ok()
}

impl FromIterator<Attempt> for Packed {
    fn from_iter<I: IntoIterator<Item = Attempt>>(all: I) -> Self {
        let mut packed = Self::default();
        all.into_iter().for_each(|of| packed.push(of));
        packed
    }
}

impl From<Vec<Attempt>> for Packed {
    fn from(all: Vec<Attempt>) -> Self {
        all.into_iter().collect()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn at(ns: i128) -> Timestamp {
        Timestamp::from_nanosecond(ns).unwrap()
    }

    /// An attempt that has everything, made of a few numbers so that much of it repeats.
    fn attempt(job: u8, more: u8, ns: i128) -> Attempt {
        let text = |what: &str| Arc::<str>::from(format!("{what}-{more}"));
        let id = AttemptId {
            source: JobSource::ALL[usize::from(more) % JobSource::ALL.len()],
            cluster: text("cluster"),
            raw: job.to_string().into(),
            key: ns.to_string().into(),
        };
        let shown = if more.is_multiple_of(2) { id.raw.clone() } else { text("job") };
        let state = JobState::ALL[usize::from(more) % JobState::ALL.len()];
        let mut of = Attempt::new(id, shown, state, text("word"));
        (of.parts_of, of.parent) = (Some(text("whole")), (more > 2).then(|| text("parent")));
        of.owner = (more > 1).then(|| text("job/owner"));
        (of.name, of.user, of.team) = (Some(text("name")), Some(text("user")), None);
        (of.project, of.tracker, of.queue) = (Some(text("project")), None, Some(text("queue")));
        (of.cause, of.reason) = (Some(Cause::Exit(more.into())), Some(text("reason")));
        let scheduler = || JobRef { scheduler: text("slurm"), cluster: None, id: text("id") };
        of.in_job = (more > 3).then(|| Box::new(scheduler()));
        (of.submitted_at, of.started_at) = (Some(at(ns - 1)), Some(at(ns)));
        (of.ended_at, of.seen_until) = ((more > 1).then(|| at(ns + 1)), Some(at(ns + 2)));
        of.nodes = (0..more % 3).map(|node| Arc::from(format!("n{node}"))).collect();
        (of.node_count, of.gpus) = (Some(more.into()), Some(Gpus::whole(more.into())));
        (of.cpus, of.memory_mib) = (Some(7), Some(8));
        (of.gpu_model, of.instance_type) = (Some(text("model")), Some(text("type")));
        (of.region, of.checkpoint) = (Some(text("region")), Some(text("s3://b/p")));
        (of.saved_at, of.first_step_at) = (Some(at(ns)), Some(at(ns + 5)));
        (of.predictions, of.billed_ms) = (Some(9), Some(10));
        of.node_usd_per_hour = Some(Usd::whole(11));
        let usage = JobUsage {
            gpus: 8,
            gpus_working: more.into(),
            gpu_activity_per_mille: 12,
            memory_peak_mib: Some(13),
        };
        (of.time_limit_ms, of.usage) = (Some(14), (more > 2).then(|| Box::new(usage)));
        of
    }

    fn any() -> impl Strategy<Value = Attempt> {
        // Nanoseconds, and moments that 64 bits of them cannot tell.
        let ns = prop_oneof![
            0_i128..3_000_000_000_000_000_000,
            -62_000_000_000_000_000_000_i128..-61_000_000_000_000_000_000,
            100_000_000_000_000_000_000_i128..101_000_000_000_000_000_000,
        ];
        (0_u8..9, 0_u8..5, ns).prop_map(|(job, more, ns)| attempt(job, more, ns))
    }

    proptest! {
        #[test]
        fn what_is_packed_is_what_it_was(all in prop::collection::vec(any(), 0..30), cut in 0_usize..30) {
            let whole: Packed = all.iter().cloned().collect();
            prop_assert_eq!(whole.attempts().collect::<Vec<_>>(), all.clone());
            let (one, other) = all.split_at(cut.min(all.len()));
            let mut joined: Packed = one.to_vec().into();
            joined.append(other.to_vec().into());
            prop_assert_eq!(joined.attempts().collect::<Vec<_>>(), all.clone());
            for (view, of) in whole.views().zip(&all) {
                prop_assert_eq!((view.raw, view.job, view.state), (&*of.id.raw, &*of.job, of.state));
                prop_assert_eq!(view.nodes, &*of.nodes);
                prop_assert_eq!((view.started_at, view.ended_at), (of.started_at, of.ended_at));
                prop_assert_eq!(view.held_ms(), of.held_ms());
            }
        }

        #[test]
        fn they_are_ordered_as_attempts_are(all in prop::collection::vec(any(), 0..30)) {
            let mut packed: Packed = all.clone().into();
            packed.sort();
            let mut sorted = all;
            sorted.sort_by(|a, b| {
                let key = |of: &Attempt| {
                    let first = of.submitted_at.or(of.started_at);
                    let id = of.id.clone();
                    (id.source, id.cluster, of.job.clone(), first, of.started_at, id.raw, id.key)
                };
                key(a).cmp(&key(b))
            });
            prop_assert_eq!(packed.attempts().collect::<Vec<_>>(), sorted);
        }
    }

    #[test]
    fn those_that_are_kept_are_as_they_were() {
        let all = vec![attempt(1, 1, 5), attempt(2, 2, 6), attempt(3, 3, 7)];
        let mut packed: Packed = all.clone().into();
        packed.retain(|of| of.started_at != Some(at(6)));
        assert_eq!(packed.attempts().collect::<Vec<_>>(), [all[0].clone(), all[2].clone()]);
    }

    #[test]
    fn the_newest_by_their_end_are_kept_and_all_that_have_none() {
        let ends = [Some(5), None, Some(3), Some(9), Some(3), Some(7)];
        let all: Vec<Attempt> =
            ends.iter().map(|end| Attempt { ended_at: end.map(at), ..attempt(1, 1, 5) }).collect();
        let kept = |most: usize| {
            let mut packed: Packed = all.clone().into();
            let gone = packed.keep_newest(most);
            (gone, packed.attempts().map(|of| of.ended_at).collect::<Vec<_>>())
        };
        let of = |ends: &[Option<i128>]| ends.iter().map(|end| end.map(at)).collect::<Vec<_>>();
        assert_eq!(kept(2), (3, of(&[None, Some(9), Some(7)])));
        assert_eq!(kept(4), (0, of(&ends)), "two ended at one moment");
        assert_eq!(kept(5), (0, of(&ends)));
        assert_eq!(kept(0), (5, of(&[None])));
    }

    #[test]
    fn what_is_written_stays_with_its_attempt() {
        let all = vec![attempt(1, 1, 5), attempt(2, 1, 5)];
        let mut packed: Packed = all.clone().into();
        packed.set_state(1, JobState::Doubtful);
        packed.set_type(0, "p5.48xlarge".into(), None);
        let (mut one, mut other) = (all[0].clone(), all[1].clone());
        (one.instance_type, one.region) = (Some("p5.48xlarge".into()), None);
        other.state = JobState::Doubtful;
        packed.forget_gpus(|cluster| *cluster == other.id.cluster);
        (one.gpus, other.gpus) = (None, None);
        assert!(packed.is(0, &one.id) && packed.is(1, &other.id) && !packed.is(1, &one.id));
        assert_eq!(packed.attempts().collect::<Vec<_>>(), [one, other]);
        assert!(packed.are_of_one_job(0, 1) && !packed.are_of_one_job(1, 2));
    }
}
