//! What is kept of jobs, or what the demo has, and what it cost.

use std::collections::BTreeMap;
use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};
use tokio::runtime::Handle;

use super::beside::Beside;
use super::live;
use super::types::PricedTypes;
use crate::analyze::jobs::{
    CancelledWeight, CostInput, Costs, HeldGpus, KnownNodes, Tax, TaxKey, ZombieInput, avoidable,
    costs, covered_nodes, taxed, with_holders, zombies,
};
use crate::cache::{Cache, Jobs, JobsError};
use crate::cli::exit::{CliError, Exit};
use crate::cli::invocation::Invocation;
use crate::cli::reports;
use crate::cli::tell::tell;
use crate::config::{ConfigError, Env};
use crate::domain::Reading;
use crate::domain::format::counted;
use crate::domain::jobs::{
    Attempt, AttemptView, AvoidableRuns, GpuHolder, JobNode, JobSource, Packed,
};
use crate::fleet::GpuFleet;
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

/// What is kept of jobs.
pub(super) struct Kept {
    /// Attempts.
    pub attempts: Packed,
    /// Nodes of their clusters.
    pub nodes: Vec<JobNode>,
    /// Who holds GPUs, one reading a cluster.
    pub held: Vec<HeldReading>,
    /// How the sources were read.
    pub readings: Arc<[Reading]>,
    /// How the run ends, if nothing else is amiss.
    pub exit: Exit,
}

/// Who holds the GPUs of a cluster, as one reading found it.
pub(super) struct HeldReading {
    source: JobSource,
    cluster: Arc<str>,
    at: Timestamp,
    holders: Vec<GpuHolder>,
}

/// Who holds GPUs, by cluster. One of which nobody holds any is not there: whether it was read is not known, and then its GPUs
/// are in use.
fn by_cluster(holders: Vec<GpuHolder>) -> Vec<HeldReading> {
    let mut all: BTreeMap<(JobSource, Arc<str>), Vec<GpuHolder>> = BTreeMap::new();
    for holder in holders {
        all.entry((holder.source, holder.cluster.clone())).or_default().push(holder);
    }
    let reading = |((source, cluster), holders): (_, Vec<GpuHolder>)| {
        let at = holders.iter().map(|holder| holder.at).max()?;
        Some(HeldReading { source, cluster, at, holders })
    };
    all.into_iter().filter_map(reading).collect()
}

impl HeldReading {
    /// For those who look for zombies.
    pub fn borrowed(&self) -> HeldGpus<'_> {
        let Self { source, cluster, at, holders } = self;
        HeldGpus { source: *source, cluster, at: *at, every: EVERY, holders }
    }
}

impl Kept {
    /// All that is kept, or what the demo has; configured sources are read before, unless offline. Fails where there are no
    /// attempts, with what to do.
    pub fn read(invocation: &Invocation, env: &Env) -> Result<Self, CliError> {
        let readings = live::read(invocation, env)?;
        let (mut kept, damaged) = Self::of(invocation, readings.into()).map_err(|error| {
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
        damaged.iter().for_each(tell);
        if damaged.is_some() || !readings.iter().all(live::is_whole) {
            kept.exit = Exit::Partial;
        }
        Ok(kept)
    }

    /// What is kept, or what the demo has, after sources were read like this; and why some attempts are not there, one
    /// sentence. Fails where the file cannot be read.
    fn of(
        invocation: &Invocation,
        readings: Arc<[Reading]>,
    ) -> Result<(Self, Option<String>), KeptError> {
        if let Some(demo) = invocation.reach.demo_fleet(&invocation.config, &invocation.options) {
            let (nodes, holders) = demo::jobs::held(&demo);
            let (attempts, held) = (demo::jobs::attempts(&demo).into(), by_cluster(holders));
            return Ok((Self { attempts, nodes, held, readings, exit: Exit::Ok }, None));
        }
        let found = Jobs::beside(&invocation.cache_file()?).all()?;
        let damaged = (found.unreadable > 0).then(|| {
            format!(
                "{} cannot be read, for they are damaged or of another version of burntop: import the \
                 jobs again",
                counted(found.unreadable as usize, "kept attempt", "kept attempts")
            )
        });
        let held = by_cluster(found.holders);
        let (attempts, nodes) = (found.attempts, found.nodes);
        Ok((Self { attempts, nodes, held, readings, exit: Exit::Ok }, damaged))
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

/// What is kept of jobs, or what the demo has, with its costs; asks no source. Blocks: for threads other than the screen's. Fails
/// where the file cannot be read.
pub(crate) fn read_kept(
    invocation: &Invocation,
    beside: JobsBeside<'_>,
) -> Result<JobsRead, KeptError> {
    let JobsBeside { cache, on, gpus, readings, now } = beside;
    if invocation.cache_file().is_err() && invocation.options.demo.is_none() {
        return Ok(JobsRead::default());
    }
    let (kept, damaged) = Kept::of(invocation, readings.clone())?;
    let of_cache = on.block_on(Beside::of(invocation, cache, &kept.attempts, now));
    let held: Vec<HeldGpus<'_>> = kept.held.iter().map(HeldReading::borrowed).collect();
    let input =
        ZombieInput { gpus, nodes: &kept.nodes, held: &held, attempts: &kept.attempts, now };
    let (zombies, covered_nodes) = (zombies(&input), covered_nodes(&input));
    let without_region = kept.without_region();
    let weight = CancelledWeight::default();
    let costs = kept.by(&of_cache, weight, invocation, costs);
    Ok(JobsRead { costs, zombies, covered_nodes, without_region, readings, damaged })
}

/// Attempts before now that tell how long scripts usually take, and what failed again.
const LOOK_BACK: SignedDuration = SignedDuration::from_hours(60 * 24);

/// What failed runs took that need not have been, by the attempts that are kept; `None` where none are. Asks no source. Blocks.
pub(in crate::cli) fn failed_runs(
    invocation: &Invocation,
    now: Timestamp,
) -> Option<AvoidableRuns> {
    // What cannot be read is said where jobs are shown.
    let (mut kept, _) = Kept::of(invocation, Arc::default()).ok()?;
    if kept.attempts.is_empty() {
        return None;
    }
    let is_late = |at: Timestamp| now.duration_since(at) <= LOOK_BACK;
    kept.attempts.retain(|of| of.started_at.is_some_and(is_late));
    let weight = CancelledWeight::default();
    let found = kept.by(&Beside::default(), weight, invocation, |attempts, input| {
        avoidable(&costs(attempts, input).rows, input.known.nodes, now)
    });
    Some(found)
}

/// GPUs with job and user of who holds them, where telemetry does not tell and the last reading of a scheduler does; `None`
/// where no scheduler was read.
pub(in crate::cli) fn with_jobs(
    invocation: &Invocation,
    gpus: &GpuFleet,
    now: Timestamp,
) -> Option<GpuFleet> {
    let file = invocation.cache_file().ok().filter(|_| invocation.options.demo.is_none())?;
    // What cannot be read is said where jobs are shown.
    let (nodes, holders) = Jobs::beside(&file).held().ok()?;
    let readings = by_cluster(holders);
    let held: Vec<HeldGpus<'_>> = readings.iter().map(HeldReading::borrowed).collect();
    if held.is_empty() {
        return None;
    }
    let none = Packed::default();
    let input = ZombieInput { gpus, nodes: &nodes, held: &held, attempts: &none, now };
    Some(GpuFleet { rows: with_holders(&input), ..GpuFleet::clone(gpus) })
}
