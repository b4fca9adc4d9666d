//! What is kept of jobs, or what the demo has, and what it cost.

use std::sync::{Arc, Mutex, PoisonError};

use jiff::{SignedDuration, Timestamp};
use tokio::runtime::Handle;

use super::beside::Beside;
use super::live::{self, SourcesRead};
use super::types::PricedTypes;
use crate::analyze::jobs::{
    CancelledWeight, CostInput, Costed, Costs, HeldGpus, HeldReading, KeptHolders, KnownNodes,
    RequestInput, Requests, Tax, TaxKey, WaitInput, WaitKey, WaitRow, ZombieInput, avoidable,
    costs, covered_nodes, requests, taxed, tells_of_now, waits, zombies,
};
use crate::analyze::teams::{PaidAttempt, RunDays, RunRule};
use crate::cache::{Cache, Jobs, JobsError};
use crate::cli::exit::{CliError, Exit};
use crate::cli::invocation::Invocation;
use crate::cli::reports;
use crate::cli::tell::tell;
use crate::config::{ConfigError, Env};
use crate::domain::Reading;
use crate::domain::format::counted;
use crate::domain::jobs::{
    Attempt, AttemptView, AvoidableRuns, JobNode, JobSource, JobsReading, NodeEvent, Packed,
};
use crate::fleet::GpuFleet;
use crate::report::{RequestsOf, WaitsOf};
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
            let events = demo::jobs::events(&demo);
            let kept =
                Self { attempts, nodes, held, events, readings, first_read, read_until, exit };
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
        let (attempts, nodes, events) = (found.attempts, found.nodes, found.events);
        let exit = Exit::Ok;
        let kept = Self { attempts, nodes, held, events, readings, first_read, read_until, exit };
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

    /// Queue waits of the last days. Fails where the cache cannot be read.
    pub fn waits(
        &self,
        key: WaitKey,
        days: u32,
        now: Timestamp,
        invocation: &Invocation,
    ) -> Result<Vec<WaitRow>, CliError> {
        let beside = Beside::read(invocation, &Packed::default())?;
        Ok(self.waits_beside(&beside, key, days, now, invocation))
    }

    fn waits_beside(
        &self,
        beside: &Beside,
        key: WaitKey,
        days: u32,
        now: Timestamp,
        invocation: &Invocation,
    ) -> Vec<WaitRow> {
        let prices = PricedTypes::of(invocation);
        let types = |region: Option<&str>, name: &str| prices.node_type(region, name);
        let (instances, spot) = (&beside.instances[..], &beside.spot[..]);
        let known = KnownNodes { nodes: &self.nodes, instances, spot, ..KnownNodes::default() };
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
        waits(&input, key)
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
    /// Attempts that are kept, or those of the demo, at the prices that `cache` and the newest bill have; asks no source.
    /// Blocks while the file is read. `None` where none are kept, and where more than `at_most` are. Fails where the file cannot be read.
    pub async fn read(
        invocation: &Invocation,
        cache: &Cache,
        at_most: u64,
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
        let beside = match is_demo {
            true => Beside::default(),
            false => Beside::prices(cache, now).await,
        };
        let read_until = kept.read_until;
        let costs = kept.by(&beside, CancelledWeight::default(), invocation, costs);
        Ok(Some(Self { rows: costs.rows, read_until, damaged }))
    }

    /// Runs and their dollars by day, by a rule.
    pub fn days(&self, rule: RunRule, now: Timestamp) -> RunDays {
        let rows = self.rows.iter();
        let paid = rows.map(|row| PaidAttempt { attempt: &row.attempt, usd: row.held.usd });
        RunDays::of(paid, rule, self.read_until, now)
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
    let waits = kept.waits_beside(&of_cache, WaitKey::Hour, days, now, invocation);
    let (costs, requests) = kept.by(&of_cache, weight, invocation, |attempts, input| {
        let costs = costs(attempts, input);
        let requests = requests_beside(&of_cache, &costs.rows, RequestsOf::default().days, now);
        (costs, requests)
    });
    Ok(JobsRead {
        costs,
        zombies,
        waits,
        requests,
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

/// What failed runs took that need not have been, by the attempts that are kept; `None` where none are, and where more
/// than [`FAILED_AMONG`] are. Asks no source. Blocks.
pub(in crate::cli) fn failed_runs(
    invocation: &Invocation,
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
    let found = kept.by(&Beside::default(), weight, invocation, |attempts, input| {
        avoidable(&costs(attempts, input).rows, input.known.nodes, now)
    });
    Some(found)
}
