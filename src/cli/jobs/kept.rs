//! What is kept of jobs, or what the demo has, and what it cost.

use std::sync::{Arc, Mutex, PoisonError};

use jiff::{SignedDuration, Timestamp};
use tokio::runtime::Handle;

use super::beside::Beside;
use super::live::{self, SourcesRead};
use super::types::PricedTypes;
use crate::analyze::jobs::{
    CancelledWeight, CostInput, Costed, Costs, HeldGpus, HeldReading, KeptHolders, KnownNodes,
    ReplayTerms, Replays, RequestInput, Requests, Scaling, Tax, TaxKey, WaitInput, WaitKey,
    WaitRow, ZombieInput, avoidable, costs, covered_nodes, replayed, replays, requests, scaling,
    taxed, tells_of_now, waits, zombies,
};
use crate::analyze::teams::{PaidAttempt, RunBook};
use crate::cache::{Cache, Jobs, JobsError};
use crate::cli::exit::{CliError, Exit};
use crate::cli::invocation::Invocation;
use crate::cli::reports;
use crate::cli::tell::tell;
use crate::config::{ConfigError, Env};
use crate::domain::Reading;
use crate::domain::format::counted;
use crate::domain::jobs::{
    Attempt, AttemptView, AvoidableRuns, HyperPodNode, JobNode, JobSource, JobsReading, NodeEvent,
    Packed,
};
use crate::fleet::GpuFleet;
use crate::report::{RequestsOf, ScalingOf, WaitsOf};
use crate::source::demo;
use crate::tabs::jobs::picture::JobsRead;

/// Time between two readings of a scheduler; each run reads it anew.
const EVERY: SignedDuration = SignedDuration::from_mins(1);

/// Why what is kept of jobs cannot be read.
#[derive(Debug, thiserror::Error)]
pub(crate) enum KeptError {
    /// There is no place in which anything is kept.
    #[error(transparent)]
    Nowhere(#[from] ConfigError),
    /// The file cannot be read.
    #[error(transparent)]
    Jobs(#[from] JobsError),
}

/// Days before those that are looked at in which others may have shared a node with an attempt of these days.
const SHARED_BEFORE_DAYS: i64 = 7;

/// What is kept of jobs.
pub(super) struct Kept {
    /// Attempts.
    pub attempts: Packed,
    /// Nodes of their clusters.
    pub nodes: Vec<JobNode>,
    /// Instances of HyperPod.
    pub hyperpod: Vec<HyperPodNode>,
    /// Who holds GPUs, one reading a cluster.
    pub held: Vec<HeldReading>,
    /// What happened to nodes.
    pub events: Vec<NodeEvent>,
    /// How the sources were read.
    pub readings: Arc<[Reading]>,
    /// When sources of Kubernetes were first read, the latest of them: what ended before was forgotten. `None` where none was.
    pub first_read: Option<Timestamp>,
    /// Up to when sources were read whole, the latest of them; `None` where none was read.
    pub read_until: Option<Timestamp>,
    /// How the run ends, if nothing else is amiss.
    pub exit: Exit,
}

/// For those who look for zombies.
pub(super) fn borrowed(held: &[HeldReading]) -> Vec<HeldGpus<'_>> {
    held.iter().map(|reading| reading.borrowed(EVERY)).collect()
}

impl Kept {
    /// All that is kept, or what the demo has; configured sources are read before, unless offline. Says what is odd and what is
    /// missing. Fails where there are no attempts, with what to do.
    pub fn read(invocation: &Invocation, env: &Env) -> Result<Self, CliError> {
        let read = live::read(invocation, env)?;
        read.notes.iter().for_each(tell);
        let (kept, damaged) = Self::after(&read, invocation)?;
        damaged.iter().for_each(tell);
        Ok(kept)
    }

    /// The same after sources were read like this; and why some attempts are not there, one sentence.
    pub fn after(
        read: &SourcesRead,
        invocation: &Invocation,
    ) -> Result<(Self, Option<String>), CliError> {
        let (mut kept, damaged) = Self::of(invocation, read.readings.clone()).map_err(|error| {
            CliError::Failed { exit: Exit::Unreadable, message: error.to_string() }
        })?;
        let readings = &kept.readings[..];
        // A source that answers and has no jobs is no failure.
        if kept.attempts.is_empty() && !readings.iter().any(live::has_answered) {
            let troubles: Vec<String> = reports::troubles(readings).collect();
            let damaged = damaged.or_else(|| (!troubles.is_empty()).then(|| troubles.join("\n")));
            let message = damaged.unwrap_or_else(|| {
                "no jobs are known: name where they run in `[jobs]` of the configuration, or \
                 `burntop jobs import FILE` reads CSV, JSON lines, and the text of `sacct -a -X -D -P`"
                    .to_owned()
            });
            return Err(CliError::Failed { exit: Exit::Unreadable, message });
        }
        if damaged.is_some() || read.missing().next().is_some() {
            kept.exit = Exit::Partial;
        }
        Ok((kept, damaged))
    }

    /// What is kept, or what the demo has, after sources were read like this; and why some attempts are not there, one
    /// sentence. Fails where the file cannot be read.
    fn of(
        invocation: &Invocation,
        readings: Arc<[Reading]>,
    ) -> Result<(Self, Option<String>), KeptError> {
        if let Some(demo) = invocation.reach.demo_fleet(&invocation.config, &invocation.options) {
            let (nodes, holders) = demo::jobs::held(&demo);
            let (attempts, held) =
                (demo::jobs::attempts(&demo).into(), HeldReading::by_cluster(holders));
            let read_until = Some(invocation.options.now());
            let (first_read, exit) = (None, Exit::Ok);
            let (events, hyperpod) = (demo::jobs::events(&demo), Vec::new());
            let kept = Self {
                attempts,
                nodes,
                hyperpod,
                held,
                events,
                readings,
                first_read,
                read_until,
                exit,
            };
            return Ok((kept, None));
        }
        let found = Jobs::beside(&invocation.cache_file()?).all()?;
        let damaged = (found.unreadable > 0).then(|| {
            format!(
                "{} cannot be read, for they are damaged or of another version of burntop: import the \
                 jobs again",
                counted(found.unreadable as usize, "kept attempt", "kept attempts")
            )
        });
        let read_until = found.readings.iter().map(|reading| reading.complete_until).max();
        let held = HeldReading::by_cluster(found.holders);
        let forgets = |of: &&JobsReading| of.name.kind == JobSource::Kubernetes;
        let forgetful = found.readings.iter().filter(forgets);
        let first_read = forgetful.map(|of| of.first_at.unwrap_or(of.taken_at)).max();
        let kept = Self {
            attempts: found.attempts,
            nodes: found.nodes,
            hyperpod: found.hyperpod,
            held,
            events: found.events,
            readings,
            first_read,
            read_until,
            exit: Exit::Ok,
        };
        Ok((kept, damaged))
    }

    /// Attempts with an instance type and no region.
    pub fn without_region(&self) -> usize {
        let is_without = |of: &AttemptView<'_>| of.instance_type.is_some() && of.region.is_none();
        self.attempts.views().filter(is_without).count()
    }

    /// What attempts and nodes cost. Fails where the cache cannot be read.
    pub fn costs(
        self,
        weight: CancelledWeight,
        invocation: &Invocation,
    ) -> Result<Costs, CliError> {
        let beside = Beside::read(invocation, &self.attempts)?;
        Ok(self.by(&beside, weight, invocation, costs))
    }

    /// Sums of what they cost by a key. Fails where the cache cannot be read.
    pub fn tax(
        self,
        key: TaxKey,
        weight: CancelledWeight,
        invocation: &Invocation,
    ) -> Result<Tax, CliError> {
        let beside = Beside::read(invocation, &self.attempts)?;
        Ok(self.by(&beside, weight, invocation, |attempts, input| taxed(attempts, input, key)))
    }

    /// What rules would have saved and cost. Fails where the cache cannot be read.
    pub fn replays(
        self,
        terms: &ReplayTerms,
        now: Timestamp,
        invocation: &Invocation,
    ) -> Result<Replays, CliError> {
        let beside = Beside::read(invocation, &self.attempts)?;
        let weight = CancelledWeight::default();
        Ok(self.by(&beside, weight, invocation, |attempts, input| {
            replayed(attempts, input, terms, now)
        }))
    }

    /// Queue waits of the last days. Fails where the cache cannot be read.
    pub fn waits(
        &self,
        key: WaitKey,
        days: u32,
        now: Timestamp,
        invocation: &Invocation,
    ) -> Result<Vec<WaitRow>, CliError> {
        let beside = Beside::read(invocation, &Packed::default())?;
        Ok(self.of_days(&beside, days, now, invocation, |input| waits(input, key)))
    }

    /// Settings of an autoscaler replayed over the last days; a node boots for `boot_ms`, `None` = as seen. Fails where the cache
    /// cannot be read.
    pub fn scaling(
        &self,
        days: u32,
        boot_ms: Option<i64>,
        now: Timestamp,
        invocation: &Invocation,
    ) -> Result<Scaling, CliError> {
        let beside = Beside::read(invocation, &Packed::default())?;
        Ok(self.of_days(&beside, days, now, invocation, |input| scaling(input, boot_ms)))
    }

    /// Hands the attempts of the last days, and what is known of the nodes, to `work`.
    fn of_days<T>(
        &self,
        beside: &Beside,
        days: u32,
        now: Timestamp,
        invocation: &Invocation,
        work: impl FnOnce(&WaitInput<'_>) -> T,
    ) -> T {
        let prices = PricedTypes::of(invocation);
        let types = |region: Option<&str>, name: &str| prices.node_type(region, name);
        let (instances, spot) = (&beside.instances[..], &beside.spot[..]);
        let (nodes, hyperpod) = (&self.nodes[..], &self.hyperpod[..]);
        let known = KnownNodes { nodes, instances, hyperpod, spot, ..KnownNodes::default() };
        // Pods that ended are forgotten: before the first reading nothing is known of them.
        let first_read = |source: JobSource| {
            (source == JobSource::Kubernetes).then(|| self.first_read.unwrap_or(now))
        };
        let since = now.checked_sub(SignedDuration::from_hours(24 * i64::from(days)));
        let input = WaitInput {
            attempts: &self.attempts,
            known,
            types: &types,
            first_read: &first_read,
            since: since.unwrap_or(now),
            now,
        };
        work(&input)
    }

    /// What workloads asked for and did not use in the last days. Fails where the cache cannot be read.
    pub fn requests(
        mut self,
        days: u32,
        now: Timestamp,
        invocation: &Invocation,
    ) -> Result<Requests, CliError> {
        // Each of them is costed: of years those that count, and those who shared nodes with them.
        let before = SignedDuration::from_hours(24 * (i64::from(days) + SHARED_BEFORE_DAYS));
        let since = now.checked_sub(before).unwrap_or(Timestamp::MIN);
        self.attempts.retain(|of| of.ended_at.is_none_or(|end| end >= since));
        let beside = Beside::read(invocation, &self.attempts)?;
        let weight = CancelledWeight::default();
        Ok(self.by(&beside, weight, invocation, |attempts, input| {
            requests_beside(&beside, &costs(attempts, input).rows, days, now)
        }))
    }

    fn by<T>(
        self,
        beside: &Beside,
        weight: CancelledWeight,
        invocation: &Invocation,
        work: impl FnOnce(Packed, &CostInput<'_>) -> T,
    ) -> T {
        let runs = beside.runs();
        let used = |of: &Attempt| beside.used.used(of);
        let jobs = &invocation.config.jobs;
        let prices = PricedTypes::of(invocation);
        let types = |region: Option<&str>, name: &str| prices.node_type(region, name);
        let queue_type =
            |cluster: &str, queue: &str| jobs.instance_type(cluster, queue).map(Arc::from);
        let is_interactive = |cluster: &str, queue: &str| jobs.is_interactive(cluster, queue);
        let known = KnownNodes {
            nodes: &self.nodes,
            instances: &beside.instances,
            hyperpod: &self.hyperpod,
            spot: &beside.spot,
            events: &self.events,
            queues: (!jobs.instance_types.is_empty()).then_some(&queue_type),
        };
        let input = CostInput {
            types: &types,
            known,
            runs: &runs,
            is_interactive: Some(&is_interactive),
            used: (!beside.used.is_empty()).then_some(&used),
            weight,
        };
        work(self.attempts, &input)
    }
}

/// What workloads asked for and did not use in the last days, by what is known of GPUs.
fn requests_beside(beside: &Beside, rows: &[Costed], days: u32, now: Timestamp) -> Requests {
    let working = |of: &Attempt| beside.used.working(of);
    requests(&RequestInput { rows, working: &working, now, days })
}

/// Attempts that are kept with what they cost, for what one run costs.
pub(in crate::cli) struct PaidJobs {
    rows: Vec<Costed>,
    read_until: Option<Timestamp>,
    /// Why some attempts are not there, one sentence; `None` where all are.
    pub damaged: Option<String>,
}

impl PaidJobs {
    /// Attempts that are kept, or those of the demo, at the prices that `cache` and the newest bill have; asks no source. Where GPU-hours
    /// are counted `with_hours`, with what telemetry and checkpoints tell of them as well. Blocks while the file is read. `None` where
    /// none are kept, and where more than `at_most` are. Fails where the file cannot be read.
    pub async fn read(
        invocation: &Invocation,
        cache: &Cache,
        at_most: u64,
        with_hours: bool,
    ) -> Result<Option<Self>, KeptError> {
        let is_demo = invocation.options.demo.is_some();
        if !is_demo {
            // Without a place nothing is kept.
            let Ok(file) = invocation.cache_file() else { return Ok(None) };
            let count = Jobs::beside(&file).count()?;
            if count == 0 || count > at_most {
                return Ok(None);
            }
        }
        let (kept, damaged) = Kept::of(invocation, Arc::default())?;
        let now = invocation.options.now();
        let beside = match (is_demo, with_hours) {
            (true, _) => Beside::default(),
            (false, true) => Beside::of(invocation, cache, &kept.attempts, now).await,
            (false, false) => Beside::prices(cache, now).await,
        };
        let read_until = kept.read_until;
        let costs = kept.by(&beside, CancelledWeight::default(), invocation, costs);
        Ok(Some(Self { rows: costs.rows, read_until, damaged }))
    }

    /// What they cost and brought, to be counted by rules.
    pub fn book(&self, now: Timestamp) -> RunBook<'_> {
        let paid = self.rows.iter().map(|row| PaidAttempt {
            attempt: &row.attempt,
            usd: row.held.usd,
            useful: row.held.gpu_time.zip(row.lost.gpu_time).map(|(held, lost)| held.less(lost)),
            useful_is_lower_bound: row.lost_is_upper_bound,
            used: row.used,
        });
        RunBook::of(paid, self.read_until, now)
    }
}

/// What jobs are shown beside.
#[derive(Clone, Debug)]
pub(crate) struct JobsBeside<'a> {
    /// The cache that is open.
    pub cache: &'a Cache,
    /// Runs what waits for the cache.
    pub on: &'a Handle,
    /// GPUs with their telemetry.
    pub gpus: &'a GpuFleet,
    /// How the sources of jobs were read last.
    pub readings: Arc<[Reading]>,
    /// Now.
    pub now: Timestamp,
}

/// Most attempts that ended and are on the screen: a row each, of more than half a kilobyte.
const SHOWN_AT_MOST: usize = 200_000;

/// What is kept of jobs, or what the demo has, with its costs, of many attempts of the newest; asks no source. Blocks: for threads other than the screen's. Fails
/// where the file cannot be read.
pub(crate) fn read_kept(
    invocation: &Invocation,
    beside: JobsBeside<'_>,
) -> Result<JobsRead, KeptError> {
    let JobsBeside { cache, on, gpus, readings, now } = beside;
    if invocation.cache_file().is_err() && invocation.options.demo.is_none() {
        return Ok(JobsRead::default());
    }
    let (mut kept, damaged) = Kept::of(invocation, readings.clone())?;
    let older = kept.attempts.keep_newest(SHOWN_AT_MOST);
    if older > 0 {
        // What ended before the oldest of them would look like nothing that ran.
        let first_end = kept.attempts.views().filter_map(|of| of.ended_at).min();
        kept.first_read = kept.first_read.map(|at| first_end.map_or(at, |end| end.max(at)));
    }
    let left_out = (older > 0).then(|| {
        let older = counted(older, "older attempt is", "older attempts are");
        format!("{older} not shown: `burntop jobs tax` sums all")
    });
    let of_cache = on.block_on(Beside::of(invocation, cache, &kept.attempts, now));
    let held = borrowed(&kept.held);
    let input =
        ZombieInput { gpus, nodes: &kept.nodes, held: &held, attempts: &kept.attempts, now };
    let (zombies, covered_nodes) = (zombies(&input).zombies, covered_nodes(&input));
    let without_region = kept.without_region();
    let weight = CancelledWeight::default();
    let days = WaitsOf::default().days;
    let waits = kept.of_days(&of_cache, days, now, invocation, |of| waits(of, WaitKey::Hour));
    let days = ScalingOf::default().days;
    let scaling = kept.of_days(&of_cache, days, now, invocation, |of| scaling(of, None));
    let (costs, requests) = kept.by(&of_cache, weight, invocation, |attempts, input| {
        let costs = costs(attempts, input);
        let requests = requests_beside(&of_cache, &costs.rows, RequestsOf::default().days, now);
        (costs, requests)
    });
    let replays = replays(&costs.rows, &ReplayTerms::default(), now);
    let by_hour = |row: &Costed| of_cache.used.by_hour(&row.attempt);
    let told = |row: &Costed| Some((row.attempt.id.clone(), by_hour(row)?));
    let activity = costs.rows.iter().filter_map(told).collect();
    Ok(JobsRead {
        costs,
        replays,
        zombies,
        waits,
        requests,
        scaling,
        activity,
        covered_nodes,
        without_region,
        readings,
        damaged,
        left_out,
    })
}

/// Reads who holds nodes and GPUs, as the last readings of the sources left it.
pub(in crate::cli) struct HoldersRead {
    invocation: Invocation,
    /// When the sources were read last, and what was kept then.
    last: Mutex<(Option<Timestamp>, Arc<KeptHolders>)>,
}

impl HoldersRead {
    /// Of a run. Reads nothing yet.
    pub fn of(invocation: &Invocation) -> Self {
        Self { invocation: invocation.clone(), last: Mutex::default() }
    }

    /// What is kept, or what the demo has; blocks. Nothing where no source was read of late. What cannot be read is said where
    /// jobs are shown.
    pub fn read(&self) -> Arc<KeptHolders> {
        let invocation = &self.invocation;
        if let Some(demo) = invocation.reach.demo_fleet(&invocation.config, &invocation.options) {
            let (nodes, holders) = demo::jobs::held(&demo);
            let held = HeldReading::by_cluster(holders);
            return Arc::new(KeptHolders { nodes, held, running: Vec::new() });
        }
        let Ok(file) = invocation.cache_file() else { return Arc::default() };
        let jobs = Jobs::beside(&file);
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        // Who held an instance a moment ago is not forgotten for a file that is busy; what is too old is left out where it is used.
        let Ok(read_at) = jobs.newest_reading() else { return last.1.clone() };
        let is_fresh = |at: &Timestamp| tells_of_now(*at, invocation.options.now());
        // Millions of attempts may be kept: they are gone through after a reading alone.
        let Some(read_at) = read_at.filter(is_fresh) else { return Arc::default() };
        if last.0 != Some(read_at) {
            let (Ok((nodes, holders)), Ok(running)) = (jobs.held(), jobs.running()) else {
                return last.1.clone();
            };
            let held = HeldReading::by_cluster(holders);
            *last = (Some(read_at), Arc::new(KeptHolders { nodes, held, running }));
        }
        last.1.clone()
    }
}

/// Most kept attempts that are gone through beside the fleet: each of the last days is costed.
const FAILED_AMONG: u64 = 200_000;

/// Attempts before now that tell how long scripts usually take, and what failed again.
pub(super) const LOOK_BACK: SignedDuration = SignedDuration::from_hours(60 * 24);

/// What failed runs took that need not have been, and how little scripts of inference used, by the attempts and the telemetry
/// that are kept; `None` where no attempts are, and where more than [`FAILED_AMONG`] are. Asks no source. Blocks.
pub(in crate::cli) fn failed_runs(
    invocation: &Invocation,
    (cache, on): (&Cache, &Handle),
    now: Timestamp,
) -> Option<AvoidableRuns> {
    // What cannot be read is said where jobs are shown.
    let count = Jobs::beside(&invocation.cache_file().ok()?).count().ok()?;
    if count == 0 || count > FAILED_AMONG {
        return None;
    }
    let (mut kept, _) = Kept::of(invocation, Arc::default()).ok()?;
    let is_late = |at: Timestamp| now.duration_since(at) <= LOOK_BACK;
    kept.attempts.retain(|of| of.started_at.is_some_and(is_late));
    let weight = CancelledWeight::default();
    let beside = on.block_on(Beside::telemetry(cache, &kept.attempts));
    let found = kept.by(&beside, weight, invocation, |attempts, input| {
        avoidable(&costs(attempts, input).rows, input.known.nodes, now)
    });
    Some(found)
}
