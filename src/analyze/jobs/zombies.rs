//! GPUs that cost and do nothing for a job: held by no living job, idle in a job that runs, idle beside others of it that work.

use std::collections::BTreeSet;
use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};

use crate::domain::bill::words;
use crate::domain::gpu::HELD_MIB;
use crate::domain::jobs::{GpuHolder, Gpus, JobNode, JobSource, Packed};
use crate::domain::{FastMap, GpuSignal, GpuState, Scope};
use crate::fleet::{GpuFleet, GpuRow};

/// How long a node belongs to its cluster after the last reading that had it.
const KNOWN_FOR: SignedDuration = SignedDuration::from_hours(7 * 24);

/// How long a GPU of a job must idle to count: loading data and compiling are no waste.
const IDLE_AT_LEAST: SignedDuration = SignedDuration::from_mins(10);

words! {
    /// What a GPU does for nobody.
    ZombieKind {
        /// A process or memory holds it, and no living job has it.
        NoJob = "no_job",
        /// A job that runs has it, and all of its GPUs on the node idle.
        Idle = "idle",
        /// A job that runs has it, it idles, and others of the job's GPUs on the node work.
        IdleBesideWorking = "idle_beside_working",
    }
}

/// Who holds the GPUs of a cluster, as one reading found it.
#[derive(Clone, Copy, Debug)]
pub struct HeldGpus<'a> {
    /// Where it was read.
    pub source: JobSource,
    /// Cluster.
    pub cluster: &'a str,
    /// When it was read.
    pub at: Timestamp,
    /// Time between two readings.
    pub every: SignedDuration,
    /// The holders.
    pub holders: &'a [GpuHolder],
}

impl HeldGpus<'_> {
    /// True where the reading is not older than twice the time between two: an older one tells nothing.
    fn is_fresh(&self, now: Timestamp) -> bool {
        let age = now.duration_since(self.at);
        age <= self.every.checked_mul(2).unwrap_or(SignedDuration::MAX)
    }

    /// True where it tells now who holds the GPUs of the cluster of a node.
    fn tells_of(&self, node: &JobNode, now: Timestamp) -> bool {
        self.source == node.source && self.cluster == &*node.cluster && self.is_fresh(now)
    }
}

/// What zombies are looked for in.
#[derive(Clone, Copy, Debug)]
pub struct ZombieInput<'a> {
    /// All GPUs with their telemetry.
    pub gpus: &'a GpuFleet,
    /// Nodes as their schedulers know them.
    pub nodes: &'a [JobNode],
    /// Who holds GPUs, one reading a cluster.
    pub held: &'a [HeldGpus<'a>],
    /// Attempts: when a job began, and which one left a node last.
    pub attempts: &'a Packed,
    /// Now.
    pub now: Timestamp,
}

/// A GPU that costs and does nothing for a job.
#[derive(Clone, Debug, PartialEq)]
pub struct Zombie {
    /// Key of the GPU; unique.
    pub id: Arc<str>,
    /// Name of the node, as the scheduler has it.
    pub node: Arc<str>,
    /// Index of the GPU on it; `None` = not reported.
    pub gpu: Option<u16>,
    /// What it is.
    pub kind: ZombieKind,
    /// Who holds it: a process or an owner where no job does, else the job; `None` where only memory tells.
    pub holder: Option<Arc<str>>,
    /// User; `None` = unknown.
    pub user: Option<Arc<str>>,
    /// Since when: the idle spell within the job; without a job, the end of the last one on the node. `None` = unknown.
    pub since: Option<Timestamp>,
    /// Account and region of its instance; `None` for a GPU of no instance.
    pub scope: Option<Scope>,
    /// Its instance; `None` for a GPU of no instance.
    pub instance_id: Option<Arc<str>>,
    /// Price of the GPU, USD/h; `None` = unknown.
    pub usd_per_hour: Option<f64>,
    /// Dollars from then until the last sample; `None` = unknown.
    pub usd: Option<f64>,
}

/// What was found among GPUs.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Judged {
    /// GPUs that cost and do nothing for a job, the costliest first.
    pub zombies: Vec<Zombie>,
    /// Keys of GPUs in nodes of schedulers of which nobody can tell now whether they are zombies: what they do is unknown or
    /// stale, who holds them is not told, or their scheduler was not read of late.
    pub undecided: BTreeSet<Arc<str>>,
    /// Clusters of such nodes that told nothing of late of who holds their GPUs; one without a name by its source.
    pub silent: BTreeSet<Arc<str>>,
}

/// A node of a cluster with a fresh reading of who holds its GPUs.
struct Covered<'a> {
    node: &'a JobNode,
    holders: Vec<&'a GpuHolder>,
}

/// Nodes with a fresh reading, by all names under which telemetry may know them.
struct CoveredNodes<'a> {
    nodes: Vec<Covered<'a>>,
    names: Names<'a>,
}

/// Places of nodes by the names under which telemetry may know them; `None` for a name that several nodes have.
#[derive(Default)]
struct Names<'a>(FastMap<&'a str, Option<usize>>);

impl<'a> CoveredNodes<'a> {
    fn of(nodes: &'a [JobNode], held: &[HeldGpus<'a>], now: Timestamp) -> Self {
        let mut covered = Vec::new();
        let mut by_node: FastMap<(JobSource, &str, &str), Vec<&GpuHolder>> = FastMap::default();
        for reading in held.iter().filter(|reading| reading.is_fresh(now)) {
            for holder in reading.holders {
                let key = (reading.source, reading.cluster, &*holder.node);
                by_node.entry(key).or_default().push(holder);
            }
        }
        for node in nodes {
            // Of several instances behind a name only the one that was there when the holders were read.
            let is_of = |reading: &HeldGpus<'_>| {
                reading.tells_of(node, now) && node.seen_until >= reading.at
            };
            if !held.iter().any(is_of) {
                continue;
            }
            let key = (node.source, &*node.cluster, &*node.name);
            covered.push(Covered { node, holders: by_node.get(&key).cloned().unwrap_or_default() });
        }
        let names = Names::of(covered.iter().map(|of: &Covered<'_>| of.node));
        Self { nodes: covered, names }
    }
}

impl<'a> Names<'a> {
    fn of(nodes: impl Iterator<Item = &'a JobNode>) -> Self {
        let mut all = Self::default();
        for (place, node) in nodes.enumerate() {
            let names = [Some(&node.name), node.instance_id.as_ref(), node.private_ip.as_ref()];
            for name in names.into_iter().flatten() {
                let twice = |old: &mut Option<usize>| *old = old.filter(|old| *old == place);
                all.0.entry(name).and_modify(twice).or_insert(Some(place));
            }
        }
        all
    }

    /// The node that a GPU sits in: `None` where none has one of the names of its host, `Some(None)` where several have.
    fn of_gpu(&self, row: &GpuRow) -> Option<Option<usize>> {
        let host = &row.sample.identity.host;
        let instance = row.node.instance.as_ref().map(|row| &row.instance);
        let ids = [host.instance_id.as_deref(), instance.map(|of| &*of.id)];
        let names = [
            instance.and_then(|of| of.private_ip.as_deref()),
            host.node.as_deref(),
            Some(row.node.short_name()),
            Some(&*row.node.name),
        ];
        ids.into_iter().chain(names).flatten().find_map(|name| self.0.get(name)).copied()
    }
}

impl<'a> Covered<'a> {
    /// Who holds the GPU of an index; Err where that cannot be told: unknown means in use.
    fn holder(
        &self,
        index: Option<u16>,
        devices: usize,
    ) -> Result<Option<&'a GpuHolder>, Undecided> {
        let has = |holder: &&&GpuHolder| {
            holder.indexes.as_ref().zip(index).is_some_and(|(all, index)| all.contains(&index))
        };
        if let Some(holder) = self.holders.iter().find(has) {
            return Ok(Some(holder));
        }
        // One job that holds as many as there are holds each. Telemetry may tell of a part of them alone.
        let seen = Gpus::whole(u32::try_from(devices).unwrap_or(u32::MAX));
        let all = self.node.gpus.map_or(seen, |gpus| gpus.max(seen));
        if let [holder] = self.holders[..]
            && holder.gpus.is_some_and(|gpus| gpus >= all)
        {
            return Ok(Some(holder));
        }
        let is_told =
            |holder: &&GpuHolder| holder.indexes.is_some() || holder.gpus == Some(Gpus::ZERO);
        match index.is_some() && self.holders.iter().all(is_told) {
            true => Ok(None),
            false if self.holders.is_empty() => Ok(None),
            false => Err(Undecided),
        }
    }
}

/// Holders with their nodes, of readings that are fresh.
pub(super) fn covered_holders<'a>(
    nodes: &'a [JobNode],
    held: &[HeldGpus<'a>],
    now: Timestamp,
) -> impl Iterator<Item = (&'a JobNode, &'a GpuHolder)> + use<'a> {
    let covered = CoveredNodes::of(nodes, held, now).nodes.into_iter();
    covered.flat_map(|of| of.holders.into_iter().map(move |holder| (of.node, holder)))
}

/// Number of nodes of which a fresh reading tells who holds their GPUs.
pub fn covered_nodes(input: &ZombieInput<'_>) -> usize {
    CoveredNodes::of(input.nodes, input.held, input.now).nodes.len()
}

/// Looks for GPUs that cost and do nothing for a job. One of which anything is unknown or stale (its telemetry, who holds it) is
/// in use: it is none of them.
pub fn zombies(input: &ZombieInput<'_>) -> Judged {
    let covered = CoveredNodes::of(input.nodes, input.held, input.now);
    let uncovered: Vec<&JobNode> =
        input.nodes.iter().filter(|node| is_silent(node, input)).collect();
    let scheduled = Names::of(uncovered.iter().copied());
    let name = |node: &&JobNode| match &*node.cluster {
        "" => node.source.word().into(),
        _ => node.cluster.clone(),
    };
    let silent = uncovered.iter().map(name).collect();
    let mut judged = Judged { silent, ..Judged::default() };
    let mut by_node: FastMap<usize, Vec<&Arc<GpuRow>>> = FastMap::default();
    for row in &input.gpus.rows {
        match covered.names.of_gpu(row) {
            Some(Some(place)) => by_node.entry(place).or_default().push(row),
            None if scheduled.of_gpu(row).is_none() => {}
            _ => _ = judged.undecided.insert(row.id.clone()),
        }
    }
    let times = Times::of(input.attempts, &covered);
    for (place, rows) in by_node {
        let Some(covered) = covered.nodes.get(place) else { continue };
        for row in &rows {
            match of_gpu(row, &rows, covered, &times, input.now) {
                Ok(zombie) => judged.zombies.extend(zombie),
                Err(Undecided) => _ = judged.undecided.insert(row.id.clone()),
            }
        }
    }
    judged.zombies.sort_by(|a: &Zombie, b: &Zombie| {
        let usd = |of: &Zombie| of.usd.unwrap_or(-1.0);
        usd(b)
            .total_cmp(&usd(a))
            .then_with(|| (&a.node, a.gpu, &a.id).cmp(&(&b.node, b.gpu, &b.id)))
    });
    judged
}

/// True for a node that its scheduler had of late, and of whose cluster no fresh reading tells who holds GPUs. What a fresh reading
/// does not name has left its cluster.
fn is_silent(node: &JobNode, input: &ZombieInput<'_>) -> bool {
    let is_told = input.held.iter().any(|held| held.tells_of(node, input.now));
    input.now.duration_since(node.seen_until) <= KNOWN_FOR && !is_told
}

/// What a GPU does for a job cannot be told.
struct Undecided;

fn is_known(row: &GpuRow) -> bool {
    !matches!(row.verdict.state, GpuState::Unknown | GpuState::Stale)
}

fn of_gpu(
    row: &GpuRow,
    beside: &[&Arc<GpuRow>],
    covered: &Covered<'_>,
    times: &Times<'_>,
    now: Timestamp,
) -> Result<Option<Zombie>, Undecided> {
    // A slice has no index of its own among those of the scheduler.
    if row.sample.identity.mig.is_some() {
        return Ok(None);
    }
    if !is_known(row) {
        return Err(Undecided);
    }
    let index = row.sample.identity.index;
    let holder = covered.holder(index, beside.len())?;
    let (kind, holder, user, since) = match holder {
        None => {
            let Some((holder, user)) = held_without_job(row, covered.node.source)? else {
                return Ok(None);
            };
            (ZombieKind::NoJob, holder, user, times.last_end(covered.node, now))
        }
        Some(job) => {
            if !row.verdict.state.is_idle() {
                return Ok(None);
            }
            let begun = times.began(job);
            let since = row.verdict.idle_since.ok_or(Undecided)?;
            let since = begun.map_or(since, |begun| since.max(begun));
            if now.duration_since(since) < IDLE_AT_LEAST {
                return Ok(None);
            }
            let is_of_job = |other: &&&Arc<GpuRow>| {
                let index = other.sample.identity.index;
                let of = covered.holder(index, beside.len());
                of.is_ok_and(|of| of.is_some_and(|of| std::ptr::eq(of, job)))
            };
            let works = |other: &Arc<GpuRow>| is_known(other) && !other.verdict.state.is_idle();
            let kind = match beside.iter().filter(is_of_job).any(|other| works(other)) {
                true => ZombieKind::IdleBesideWorking,
                false => ZombieKind::Idle,
            };
            let holder = job.job.as_ref().or(job.raw.as_ref()).cloned();
            (kind, holder, job.user.clone(), Some(since))
        }
    };
    let until = row.sample.taken_at;
    let hours = since.map(|since| until.duration_since(since).as_secs_f64().max(0.0) / 3600.0);
    let instance = row.node.instance.as_deref().map(|row| &row.instance);
    Ok(Some(Zombie {
        id: row.id.clone(),
        node: covered.node.name.clone(),
        gpu: index,
        kind,
        holder,
        user,
        since,
        scope: instance.map(|of| of.scope.clone()),
        instance_id: instance.map(|of| of.id.clone()),
        usd_per_hour: row.usd_per_hour,
        usd: row.usd_per_hour.zip(hours).map(|(usd, hours)| usd * hours),
    }))
}

/// Who or what holds a GPU, and its user; each `None` where nobody tells.
type HolderAndUser = (Option<Arc<str>>, Option<Arc<str>>);

/// Who or what holds a GPU that no job has: a process, an owner that is no pod, memory. `None` where nothing does, or where a pod
/// does: it is another scheduler's. Err where neither processes nor memory are told.
fn held_without_job(row: &GpuRow, source: JobSource) -> Result<Option<HolderAndUser>, Undecided> {
    let owner = &row.sample.owner;
    if owner.pod.is_some() && source != JobSource::Demo {
        return Ok(None);
    }
    let processes = row.sample.processes.as_deref().unwrap_or_default();
    if let Some(first) = processes.first() {
        let more = processes.len() - 1;
        let more = if more > 0 { format!(" +{more}") } else { String::new() };
        let name = format!("{} ({}){more}", first.command, first.pid);
        let user = first.user.clone().or_else(|| owner.user.clone());
        return Ok(Some((Some(name.trim_start().into()), user)));
    }
    let memory = row.sample.signals.get(GpuSignal::MemUsed);
    if memory.is_none() && row.sample.processes.is_none() && owner.job.is_none() {
        return Err(Undecided);
    }
    let holds = memory.is_some_and(|mib| mib > HELD_MIB) || owner.job.is_some();
    Ok(holds.then(|| (owner.words().map(Arc::from), owner.user.clone())))
}

/// A node or a job of a cluster.
type InCluster<'a> = (JobSource, &'a str, &'a str);

/// When jobs began and when they left their nodes.
struct Times<'a> {
    began: FastMap<InCluster<'a>, Timestamp>,
    ended: FastMap<InCluster<'a>, Vec<Timestamp>>,
}

impl<'a> Times<'a> {
    /// Of attempts; the ends of those on these nodes alone.
    fn of(attempts: &'a Packed, nodes: &CoveredNodes<'a>) -> Self {
        let mut times = Self { began: FastMap::default(), ended: FastMap::default() };
        for of in &nodes.nodes {
            let node = of.node;
            times.ended.insert((node.source, &node.cluster, &node.name), Vec::new());
        }
        for of in attempts.views() {
            if let Some(start) = of.started_at {
                let began = times.began.entry((of.source, of.cluster, of.raw)).or_insert(start);
                *began = start.max(*began);
            }
            for node in of.nodes {
                let ends = times.ended.get_mut(&(of.source, &**of.cluster, &**node));
                if let (Some(ends), Some(end)) = (ends, of.ended_at) {
                    ends.push(end);
                }
            }
        }
        times
    }

    /// End of the last attempt on a node; `None` where none is known.
    fn last_end(&self, node: &JobNode, now: Timestamp) -> Option<Timestamp> {
        let ends = self.ended.get(&(node.source, &*node.cluster, &*node.name))?;
        ends.iter().copied().filter(|end| *end >= node.seen_from && *end <= now).max()
    }

    /// When the job of a holder began; `None` where its attempt is not known.
    fn began(&self, holder: &GpuHolder) -> Option<Timestamp> {
        let raw = holder.raw.as_deref()?;
        self.began.get(&(holder.source, &*holder.cluster, raw)).copied()
    }
}

/// Rows of GPUs with job and user of who holds them, where telemetry does not tell and a fresh reading does.
pub fn with_holders(input: &ZombieInput<'_>) -> Vec<Arc<GpuRow>> {
    let covered = CoveredNodes::of(input.nodes, input.held, input.now);
    let mut devices: FastMap<usize, usize> = FastMap::default();
    for row in &input.gpus.rows {
        if let Some(Some(place)) = covered.names.of_gpu(row) {
            *devices.entry(place).or_default() += 1;
        }
    }
    let named = |row: &Arc<GpuRow>| {
        let place = covered.names.of_gpu(row)??;
        let (of, devices) = (covered.nodes.get(place)?, devices.get(&place).copied()?);
        let holder = of.holder(row.sample.identity.index, devices).ok()??;
        let owner = &row.sample.owner;
        let job = owner.job.clone().or_else(|| holder.job.clone());
        let user = owner.user.clone().or_else(|| holder.user.clone());
        if (&job, &user) == (&owner.job, &owner.user) {
            return None;
        }
        let mut row = GpuRow::clone(row);
        let owner = Arc::make_mut(&mut row.sample.owner);
        (owner.job, owner.user) = (job, user);
        Some(Arc::new(row))
    };
    input.gpus.rows.iter().map(|row| named(row).unwrap_or_else(|| row.clone())).collect()
}
