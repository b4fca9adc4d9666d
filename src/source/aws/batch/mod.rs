//! Jobs of AWS Batch as a source of jobs.
//!
//! Lists tell little of a job, so a hundred at a time are described: of each queue what was submitted since the last reading, or
//! since the earliest that was open then, the oldest first. A reading that does not get through them says how far it came. Arrays
//! and multi-node jobs hold nothing by themselves: their children do, and are asked for by them.

mod asked;
mod attempt;
mod hosts;
mod outcome;
#[cfg(test)]
mod tests;
mod wire;

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use futures_util::future::join_all;
use jiff::Timestamp;

use self::attempt::{Around, Behind, Found};
use self::wire::{
    DESCRIBED_AT_ONCE, DescribeComputeEnvironments, DescribeJobQueues, DescribeJobs, Environment,
    Filter, Job, ListJobs, OPEN, OVER, QueueRow, Resources, Summary, moment,
};
use super::AwsProvider;
use super::account_jobs::{RegionRead, clean};
use super::json_api::{ask, every, up_to};
use super::sagemaker::jobs::JobTagKeys;
use crate::domain::format::{grouped, plural};
use crate::domain::jobs::{JobNode, JobSource};
use crate::domain::{ErrorKind, Regions, SourceError, text};
use crate::source::jobs::live::{JobWindow, JobsName, JobsRead, LiveJobs};

#[cfg(test)]
pub(super) use self::{hosts::ECS, wire::BATCH};

/// How long one reading describes jobs; the next one goes on.
const BUDGET: Duration = Duration::from_secs(8);

/// Attempts of a region that one reading takes, and the children of one array besides.
const ATTEMPTS_AT_MOST: usize = 20_000;

/// Rows that are read of one list of a queue, the newest.
const ROWS_AT_MOST: usize = 20_000;

/// Jobs that are remembered as over.
const OVER_AT_MOST: usize = 100_000;

/// Queues that do not run containers of ECS: their jobs are pods of EKS, or training jobs of SageMaker, which other sources read.
const OTHER_QUEUES: [&str; 2] = ["EKS", "SAGEMAKER_TRAINING"];

/// The jobs of one account in some regions.
pub struct BatchJobs {
    name: JobsName,
    aws: Arc<AwsProvider>,
    regions: Regions,
    /// Names of the queues that are read; `None` = all.
    queues: Option<Vec<String>>,
    /// Tag keys of whose a job is.
    keys: JobTagKeys,
    /// Ids of jobs that were over when they were read: the stretch that is read twice does not ask for them twice.
    over: Mutex<HashSet<String>>,
}

/// A job that is to be described.
struct Row {
    id: String,
    created: Timestamp,
}

/// What a region answered.
#[derive(Default)]
struct Part {
    found: Vec<Found>,
    nodes: Vec<JobNode>,
    /// Names of the queues that it has.
    queues: BTreeSet<String>,
    /// Jobs on EKS, which are left out.
    on_eks: usize,
    /// Ids of those that are over.
    over: Vec<String>,
    /// Earliest submission of those that are not: attempts that are tried again, and children, have later ones.
    open_since: Option<Timestamp>,
    read: RegionRead,
}

/// What is the same for all jobs of a region.
struct Place<'a> {
    region: &'a Arc<str>,
    window: &'a JobWindow,
    /// Instances of queues, by name.
    behind: HashMap<String, Behind>,
}

impl BatchJobs {
    /// The jobs of an account in these regions, under a clean name: of the queues that are named, else of all. User, team and project
    /// of each job are those of its tags. Asks nobody anything.
    pub fn new(
        name: &str,
        aws: Arc<AwsProvider>,
        regions: Regions,
        queues: Option<Vec<String>>,
        keys: JobTagKeys,
    ) -> Self {
        let name = JobsName { kind: JobSource::Batch, name: text::clean(name).into() };
        Self { name, aws, regions, queues, keys, over: Mutex::default() }
    }

    /// Jobs of a region, with the nodes that they are on.
    async fn region(&self, region: &Arc<str>, window: &JobWindow) -> Part {
        let mut part = Part::default();
        let asked =
            |next_token| DescribeJobQueues { job_queues: self.queues.as_deref(), next_token };
        let queues = match every(&self.aws, region, asked).await {
            Ok(queues) => queues,
            Err(failed) => {
                part.read.fail(failed.error, window.since);
                return part;
            }
        };
        part.read.is_answered = true;
        let behind = self.behind(region, &queues, &mut part.read.notes).await;
        part.queues = behind.keys().cloned().collect();
        let rows = self.rows(region, &queues, window, &mut part.read).await;
        let place = Place { region, window, behind };
        self.describe(&place, &rows, &mut part).await;
        if part.on_eks > 0 {
            let jobs = plural(part.on_eks, "job");
            let note = format!(
                "{region}: left out: {jobs} of AWS Batch on EKS, whose pods [[jobs.kubernetes]] reads"
            );
            part.read.notes.push(note);
        }
        let notes = &mut part.read.notes;
        part.nodes = hosts::nodes(&self.aws, region, &part.found, window.until, notes).await;
        part
    }

    /// What is known of the instances of each queue that has a name.
    async fn behind(
        &self,
        region: &Arc<str>,
        queues: &[QueueRow],
        notes: &mut Vec<String>,
    ) -> HashMap<String, Behind> {
        let mut known: HashMap<String, Environment> = HashMap::new();
        if !queues.is_empty() {
            let asked = |next_token| DescribeComputeEnvironments { next_token };
            match every(&self.aws, region, asked).await {
                Ok(all) => known.extend(all.into_iter().filter_map(|of| {
                    let arn = of.compute_environment_arn.clone()?;
                    Some((arn, of))
                })),
                Err(failed) => {
                    let why = "which queues of AWS Batch have Spot capacity is unknown";
                    notes.push(format!("{region}: {why}: {}", failed.error.with_fix()));
                }
            }
        }
        let all = queues.iter().filter_map(|queue| {
            let order = queue.compute_environment_order.iter().flatten();
            let environments = order.map(|of| known.get(of.compute_environment.as_deref()?));
            Some((named(queue)?.to_owned(), Behind::of(environments)))
        });
        all.collect()
    }

    /// What is to be described of all queues, the oldest first.
    async fn rows(
        &self,
        region: &Arc<str>,
        queues: &[QueueRow],
        window: &JobWindow,
        read: &mut RegionRead,
    ) -> Vec<Row> {
        let is_read = |queue: &&QueueRow| {
            let kind = queue.job_queue_type.as_deref();
            kind.is_none_or(|kind| !OTHER_QUEUES.contains(&kind))
        };
        let names: Vec<&str> = queues.iter().filter(is_read).filter_map(named).collect();
        let asked: Vec<_> = names.iter().map(|queue| self.listed(region, queue, window)).collect();
        let mut rows: BTreeMap<(Timestamp, String), Row> = BTreeMap::new();
        for (queue, answer) in names.iter().zip(join_all(asked).await) {
            let (found, is_cut) = match answer {
                Ok(answer) => answer,
                Err(error) => {
                    read.fail(error, window.since);
                    continue;
                }
            };
            if is_cut {
                let most = grouped(ROWS_AT_MOST as f64, 0);
                read.notes.push(format!(
                    "{region}: of queue {queue} the {most} jobs that were submitted last are read, and \
                     those that are open; older ones that are over are left out"
                ));
            }
            rows.extend(found.into_iter().map(|row| ((row.created, row.id.clone()), row)));
        }
        rows.into_values().collect()
    }

    /// What is to be described of a queue; true where there is more than is read.
    async fn listed(
        &self,
        region: &Arc<str>,
        queue: &str,
        window: &JobWindow,
    ) -> Result<(Vec<Row>, bool), SourceError> {
        let after = window.open_since.map_or(window.since, |open| open.min(window.since));
        let of_queue = ListJobs { job_queue: Some(queue), ..ListJobs::default() };
        let asked = |next_token| ListJobs {
            filters: Some([Filter::created_since(after)]),
            next_token,
            ..of_queue.clone()
        };
        let (mut found, mut is_cut) = up_to(ROWS_AT_MOST, &self.aws, region, asked).await?;
        if window.open_since.is_none() || is_cut {
            // Nothing is known to be open, or it is older than what is listed: what was submitted long ago may be.
            for status in OPEN {
                let asked = |next_token| ListJobs {
                    job_status: Some(status),
                    next_token,
                    ..of_queue.clone()
                };
                let (more, is_more) = up_to(ROWS_AT_MOST, &self.aws, region, asked).await?;
                found.extend(more);
                is_cut |= is_more;
            }
        }
        let row = |of: &Summary| {
            // Children are asked for by their parents.
            let id = of.id().filter(|id| !id.contains([':', '#']))?;
            let created = moment(of.created_at)?;
            (!of.has_ended_before(window.since) && !self.is_known_over(id))
                .then(|| Row { id: id.to_owned(), created })
        };
        Ok((found.iter().filter_map(row).collect(), is_cut))
    }

    fn is_known_over(&self, id: &str) -> bool {
        self.over.lock().unwrap_or_else(PoisonError::into_inner).contains(id)
    }

    /// Describes jobs in their order, as long as the budget lasts.
    async fn describe(&self, place: &Place<'_>, rows: &[Row], part: &mut Part) {
        let mut reached = place.window.since;
        // Up to there an earlier reading came. To stop before it, among what is open still, would be to stop there for ever.
        let known = reached.checked_add(JobWindow::OVERLAP).unwrap_or(reached);
        let began = Instant::now();
        let mut left = rows.len();
        for rows in rows.chunks(DESCRIBED_AT_ONCE) {
            let ids: Vec<String> = rows.iter().map(|row| row.id.clone()).collect();
            let jobs = match self.described(place.region, &ids).await {
                Ok(jobs) => jobs,
                Err(error) => {
                    part.read.fail(error, reached);
                    return;
                }
            };
            let jobs: HashMap<&str, &Job> =
                jobs.iter().filter_map(|job| Some((job.id()?, job))).collect();
            for row in rows {
                if let Some(job) = jobs.get(&*row.id) {
                    let open = (!job.is_over()).then_some(row.created);
                    part.open_since = part.open_since.into_iter().chain(open).min();
                    match self.take(place, job, part).await {
                        Ok(()) => {}
                        // One that cannot be read keeps no other from being read.
                        Err(error) if error.kind == ErrorKind::Refused => {
                            part.read.troubles.push(error);
                        }
                        Err(error) => {
                            part.read.fail(error, reached);
                            return;
                        }
                    }
                }
                reached = reached.max(row.created);
                left -= 1;
                let is_full = part.found.len() >= ATTEMPTS_AT_MOST || began.elapsed() >= BUDGET;
                if is_full && left > 0 && reached > known {
                    part.read.stop(reached);
                    return;
                }
            }
        }
    }

    /// Jobs by their ids.
    async fn described(&self, region: &Arc<str>, ids: &[String]) -> Result<Vec<Job>, SourceError> {
        let mut all = Vec::new();
        for jobs in ids.chunks(DESCRIBED_AT_ONCE) {
            let answer = ask(&self.aws, region, &DescribeJobs { jobs }).await?;
            all.extend(answer.jobs.unwrap_or_default());
        }
        Ok(all)
    }

    /// Takes the attempts of a job, or of its children. Err where the children cannot be read.
    async fn take(&self, place: &Place<'_>, job: &Job, part: &mut Part) -> Result<(), SourceError> {
        if job.eks_properties.is_some() {
            part.on_eks += 1;
            return Ok(());
        }
        let known = attempt::queue(job).and_then(|queue| place.behind.get(queue));
        let behind = known.cloned().unwrap_or_default();
        let (region, now) = (place.region, place.window.until);
        let around = Around { region, now, keys: &self.keys, behind: &behind, parent: None };
        if !job.is_array() && !job.has_nodes() {
            part.found.extend(attempt::attempts(job, &around));
        } else if let Some(id) = job.id() {
            let (children, are_listed) = self.children(place, job, id).await?;
            let around = Around { parent: Some(job), ..around };
            for child in &children {
                part.found.extend(attempt::attempts(child, &around));
                part.over.extend(child.id().filter(|_| child.is_over()).map(str::to_owned));
            }
            if job.has_nodes() && !are_listed {
                part.found.extend(attempt::attempts(job, &Around { parent: None, ..around }));
            }
        }
        part.over.extend(job.id().filter(|_| job.is_over()).map(str::to_owned));
        Ok(())
    }

    /// Children of an array or a multi-node job that did not end before the window, and whether any are listed.
    async fn children(
        &self,
        place: &Place<'_>,
        parent: &Job,
        id: &str,
    ) -> Result<(Vec<Job>, bool), SourceError> {
        let of_parent = match parent.is_array() {
            true => ListJobs { array_job_id: Some(id), ..ListJobs::default() },
            false => ListJobs { multi_node_job_id: Some(id), ..ListJobs::default() },
        };
        let numbers = parent.array_properties.as_ref().and_then(|of| of.status_summary.as_ref());
        // Numbers are written down late, and one that is over is not looked at again.
        let may_have = |status: &&&str| {
            parent.is_over()
                || numbers
                    .is_none_or(|numbers| numbers.get(**status).is_some_and(|count| *count > 0))
        };
        // Without a state Batch lists children that run, and no filter stands in for one.
        let open: &[&str] = if parent.is_over() { &[] } else { &OPEN };
        let (mut ids, mut are_listed) = (Vec::new(), false);
        for &status in open.iter().chain(&OVER).filter(may_have) {
            let asked =
                |next_token| ListJobs { job_status: Some(status), next_token, ..of_parent.clone() };
            let found = every(&self.aws, place.region, asked).await?;
            are_listed |= !found.is_empty();
            let found = found.iter().filter(|of| !of.has_ended_before(place.window.since));
            let found = found.filter_map(Summary::id).filter(|id| !self.is_known_over(id));
            ids.extend(found.map(str::to_owned));
        }
        // One that changed its state between two lists is in both.
        ids.sort_unstable();
        ids.dedup();
        Ok((self.described(place.region, &ids).await?, are_listed))
    }
}

/// Name of a queue; `None` for one that is unsafe: it would be sent back.
fn named(queue: &QueueRow) -> Option<&str> {
    queue.job_queue_name.as_deref().filter(|name| text::is_id(name))
}

impl Behind {
    /// Of the compute environments of a queue, of which each is `None` where it is unknown.
    fn of<'a>(environments: impl Iterator<Item = Option<&'a Environment>>) -> Self {
        let all: Vec<Option<&Resources>> =
            environments.map(|of| of?.compute_resources.as_ref()).collect();
        let has_spot = all.iter().any(|of| of.is_some_and(Resources::is_spot));
        let are_known = !all.is_empty() && all.iter().all(|of| of.is_some_and(Resources::is_told));
        let first = all.first().and_then(|of| of.as_ref()?.only_type());
        let is_only = all.iter().all(|of| of.and_then(Resources::only_type) == first);
        let first = first.and_then(clean);
        Self {
            is_spot: (has_spot || are_known).then_some(has_spot),
            instance_type: first.filter(|_| is_only),
        }
    }
}

#[async_trait::async_trait]
impl LiveJobs for BatchJobs {
    fn name(&self) -> &JobsName {
        &self.name
    }

    async fn read(&self, window: &JobWindow) -> Result<JobsRead, SourceError> {
        let regions = self.aws.those(&self.regions).await?;
        let asked: Vec<_> = regions.iter().map(|region| self.region(region, window)).collect();
        let mut all = Part::default();
        for part in join_all(asked).await {
            all.found.extend(part.found);
            all.nodes.extend(part.nodes);
            all.queues.extend(part.queues);
            all.over.extend(part.over);
            all.open_since = all.open_since.into_iter().chain(part.open_since).min();
            all.read.add(part.read);
        }
        let is_whole = all.read.troubles.is_empty();
        let wanted = self.queues.iter().flatten();
        let missing = wanted.filter(|name| is_whole && !all.queues.contains(*name));
        let missing: Vec<String> = missing
            .map(|name| format!("there is no queue of AWS Batch called {}", text::clean(name)))
            .collect();
        all.read.notes.extend(missing);
        let read = all.read.finish()?;
        let mut over = self.over.lock().unwrap_or_else(PoisonError::into_inner);
        if over.len() >= OVER_AT_MOST {
            over.clear();
        }
        over.extend(all.over);
        drop(over);
        let attempts = all.found.into_iter().map(|found| found.attempt).collect();
        let (nodes, open_since) = (all.nodes, all.open_since);
        Ok(JobsRead { attempts, nodes, open_since, ..read })
    }
}
