//! Training and processing jobs of SageMaker as a source of jobs, and the instances of HyperPod behind nodes of schedulers.
//!
//! Lists tell little of a job, so each is looked at by itself: what was changed since the last reading, the oldest change
//! first, and what runs. A reading that does not get through them says how far it came.

mod attempt;
#[cfg(test)]
mod hyperpod_tests;
mod known;
mod labels;
mod priced;
#[cfg(test)]
mod tests;
mod wire;

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::{Duration, Instant};

use futures_util::future::{join_all, join3};
use jiff::Timestamp;

use self::attempt::{Job, Kind};
pub use self::known::Known;
use self::known::Seen;
pub use self::labels::JobTagKeys;
use self::priced::priced;
use self::wire::{
    DescribeProcessingJob, DescribeTrainingJob, JobRow, ListProcessingJobs, ListTrainingJobs, Which,
};
use super::super::AwsProvider;
use super::super::account_jobs::RegionRead;
use super::super::json_api::{ask, every};
use super::super::resource_prices::{self, JobPrices};
use super::{AT_ONCE, hyperpod, tags, unless_gone};
use crate::domain::jobs::{HyperPodNode, JobSource};
use crate::domain::{ErrorKind, Regions, SourceError, Tags, text};
use crate::source::jobs::live::{JobWindow, JobsName, JobsRead, LiveJobs};

/// How long one reading looks at jobs; the next one goes on.
const BUDGET: Duration = Duration::from_secs(8);

/// Jobs of one kind that one reading of a region looks at.
const JOBS_AT_MOST: usize = 1_000;

/// The jobs of one account in some regions.
pub struct SageMakerJobs {
    name: JobsName,
    aws: Arc<AwsProvider>,
    regions: Regions,
    /// Tag keys of whose a job is; `None` = tags are not read.
    keys: Option<JobTagKeys>,
}

/// A job that is to be looked at.
struct Row {
    name: String,
    /// When it was changed last; `None` for one that runs: it is looked at whenever it was changed.
    changed: Option<Timestamp>,
}

/// What a region answered, or one kind of its jobs.
#[derive(Default)]
struct Part {
    jobs: Vec<Job>,
    /// Instances of HyperPod.
    hyperpod: Vec<HyperPodNode>,
    /// Those that are over, to be remembered where the reading gets to its end.
    over: Vec<Seen>,
    read: RegionRead,
}

impl Part {
    fn add(&mut self, other: Self) {
        self.jobs.extend(other.jobs);
        self.hyperpod.extend(other.hyperpod);
        self.over.extend(other.over);
        self.read.add(other.read);
    }
}

impl SageMakerJobs {
    /// The jobs of an account in these regions, under a clean name. Asks nobody anything.
    pub fn new(name: &str, aws: Arc<AwsProvider>, regions: Regions) -> Self {
        let name = JobsName { kind: JobSource::SageMaker, name: text::clean(name).into() };
        Self { name, aws, regions, keys: None }
    }

    /// The same, with user, team and project of each job by its tags: a call more for each job.
    #[must_use]
    pub fn with_tags(self, keys: JobTagKeys) -> Self {
        Self { keys: Some(keys), ..self }
    }

    /// Reads whose jobs are. What fails is said, and keeps no job from being read.
    async fn label(&self, region: &Arc<str>, part: &mut Part) {
        let Some(keys) = &self.keys else { return };
        for jobs in part.jobs.chunks_mut(AT_ONCE) {
            let asked: Vec<_> = jobs.iter().map(|job| self.tags(region, job)).collect();
            let answers = join_all(asked).await;
            for (job, answer) in jobs.iter_mut().zip(answers) {
                match answer {
                    Ok(Some(tags)) => keys.label(&tags, &mut job.attempt),
                    Ok(None) => {}
                    Err(error) => {
                        let error = error.with_fix();
                        let why = "user, team and project of jobs are unknown";
                        part.read.notes.push(format!("{region}: {why}: {error}"));
                        return;
                    }
                }
            }
        }
    }

    /// Tags of a job; `None` for one that is gone.
    async fn tags(&self, region: &Arc<str>, job: &Job) -> Result<Option<Tags>, SourceError> {
        let known = &self.aws.known_jobs;
        let Some(arn) = &job.arn else { return Ok(None) };
        if let Some(tags) = known.tags(arn) {
            return Ok(Some(tags));
        }
        let read = tags(&self.aws, region, arn).await?;
        if let Some(tags) = &read {
            known.keep_tags(arn, tags.clone());
        }
        Ok(read)
    }

    /// Jobs of both kinds and instances of HyperPod in a region, with their prices.
    async fn region(&self, region: &Arc<str>, window: &JobWindow) -> Part {
        let training = self.kind(region, Kind::Training, window);
        let processing = self.kind(region, Kind::Processing, window);
        let nodes = hyperpod::nodes(&self.aws, region, window.until);
        let (mut part, processing, (nodes, read)) = join3(training, processing, nodes).await;
        part.add(processing);
        part.add(Part { hyperpod: nodes, read, ..Part::default() });
        if part.jobs.is_empty() && part.hyperpod.is_empty() {
            return part;
        }
        self.label(region, &mut part).await;
        match self.prices(region, window.until).await {
            Ok(prices) => {
                part.read.notes.extend(priced(&mut part.jobs, &prices, region));
                let notes = hyperpod::priced(&mut part.hyperpod, &prices, region);
                part.read.notes.extend(notes);
            }
            Err(error) => {
                part.read.fail(error, window.since);
                // Their next reading may find the prices.
                part.over.clear();
            }
        }
        part
    }

    /// Jobs of one kind in a region, without prices.
    async fn kind(&self, region: &Arc<str>, kind: Kind, window: &JobWindow) -> Part {
        let mut part = Part::default();
        let rows = match self.rows(region, kind, window.since).await {
            Ok(rows) => rows,
            Err(error) => {
                part.read.fail(error, window.since);
                return part;
            }
        };
        part.read.is_answered = true;
        let (count, until) = (rows.len(), window.until);
        let looked_at = &rows[..count.min(JOBS_AT_MOST)];
        let (mut done, mut reached) = (0, window.since);
        let began = Instant::now();
        for rows in looked_at.chunks(AT_ONCE) {
            if began.elapsed() >= BUDGET {
                break;
            }
            let looks: Vec<_> =
                rows.iter().map(|row| self.look(region, kind, &row.name, until)).collect();
            for (row, answer) in rows.iter().zip(join_all(looks).await) {
                match answer {
                    Ok(found) => {
                        if found.as_ref().is_none_or(|job| job.attempt.state.is_over()) {
                            part.over.push((region.clone(), kind, row.name.clone(), row.changed));
                        }
                        part.jobs.extend(found);
                    }
                    // One job that cannot be described keeps no other from being read.
                    Err(error) if error.kind == ErrorKind::Refused => {
                        part.read.troubles.push(error);
                    }
                    Err(error) => {
                        part.read.fail(error, reached);
                        return part;
                    }
                }
                done += 1;
                reached = row.changed.map_or(reached, |at| at.max(reached));
            }
        }
        if done < count {
            part.read.stop(reached);
        }
        part
    }

    /// What is to be looked at: what runs, then what was changed since, the oldest change first.
    async fn rows(
        &self,
        region: &Arc<str>,
        kind: Kind,
        since: Timestamp,
    ) -> Result<Vec<Row>, SourceError> {
        let changed = self.list(region, kind, Which::ChangedAfter(since.as_second())).await?;
        let running = self.list(region, kind, Which::InProgress).await?;
        // A name is sent back: one that is unsafe is left alone.
        let name = |row: &JobRow| row.name.clone().filter(|name| text::is_id(name));
        let running: BTreeSet<String> = running.iter().filter_map(name).collect();
        let of = |row: &JobRow| {
            let name = name(row).filter(|name| !running.contains(name))?;
            let seen = (region.clone(), kind, name, row.last_modified_time);
            let is_over = self.aws.known_jobs.is_over(&seen);
            (!is_over).then_some(Row { name: seen.2, changed: seen.3 })
        };
        let mut rows: Vec<Row> = changed.iter().filter_map(of).collect();
        rows.sort_by_key(|row| row.changed);
        let running = running.into_iter().map(|name| Row { name, changed: None });
        Ok(running.chain(rows).collect())
    }

    async fn list(
        &self,
        region: &Arc<str>,
        kind: Kind,
        which: Which,
    ) -> Result<Vec<JobRow>, SourceError> {
        Ok(match kind {
            Kind::Training => {
                let page = |token| ListTrainingJobs::page(which, token);
                let rows = every(&self.aws, region, page).await?;
                rows.into_iter().map(|row| row.0).collect()
            }
            Kind::Processing => {
                let page = |token| ListProcessingJobs::page(which, token);
                let rows = every(&self.aws, region, page).await?;
                rows.into_iter().map(|row| row.0).collect()
            }
        })
    }

    /// A job by its name; `None` for one that is gone.
    async fn look(
        &self,
        region: &Arc<str>,
        kind: Kind,
        name: &str,
        now: Timestamp,
    ) -> Result<Option<Job>, SourceError> {
        Ok(match kind {
            Kind::Training => {
                let question = DescribeTrainingJob { training_job_name: name };
                let answer = unless_gone(ask(&self.aws, region, &question).await)?;
                answer.and_then(|job| attempt::training(&job, region, now))
            }
            Kind::Processing => {
                let question = DescribeProcessingJob { processing_job_name: name };
                let answer = unless_gone(ask(&self.aws, region, &question).await)?;
                answer.and_then(|job| attempt::processing(&job, region, now))
            }
        })
    }

    /// List prices of a region.
    async fn prices(
        &self,
        region: &Arc<str>,
        now: Timestamp,
    ) -> Result<Arc<JobPrices>, SourceError> {
        let known = &self.aws.known_jobs;
        if let Some(prices) = known.prices(region, now) {
            return Ok(prices);
        }
        let prices = Arc::new(resource_prices::of_jobs(&self.aws, region).await?);
        known.keep_prices(region, now, prices.clone());
        Ok(prices)
    }
}

#[async_trait::async_trait]
impl LiveJobs for SageMakerJobs {
    fn name(&self) -> &JobsName {
        &self.name
    }

    async fn read(&self, window: &JobWindow) -> Result<JobsRead, SourceError> {
        let regions = self.aws.those(&self.regions).await?;
        let parts: Vec<_> = regions.iter().map(|region| self.region(region, window)).collect();
        let mut all = Part::default();
        let parts = join_all(parts).await;
        parts.into_iter().for_each(|part| all.add(part));
        let read = all.read.finish()?;
        self.aws.known_jobs.remember(all.over);
        let attempts = all.jobs.into_iter().map(|job| job.attempt).collect();
        Ok(JobsRead { attempts, hyperpod: all.hyperpod, ..read })
    }
}
