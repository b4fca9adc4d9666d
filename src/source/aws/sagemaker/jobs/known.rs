//! What need not be asked again while burntop runs: prices, and jobs that were over.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use jiff::{SignedDuration, Timestamp};

use super::super::super::resource_prices::JobPrices;
use super::attempt::Kind;
use crate::domain::Tags;

/// Jobs that are remembered as over.
const JOBS_AT_MOST: usize = 100_000;

/// List prices change a few times a year; a week bounds how stale one can be.
const PRICED_FOR: SignedDuration = SignedDuration::from_hours(24 * 7);

/// What is known of the jobs of an account.
#[derive(Debug, Default)]
pub struct Known(Mutex<Inner>);

#[derive(Debug, Default)]
struct Inner {
    /// Prices by region, and when they were read.
    prices: HashMap<Arc<str>, (Timestamp, Arc<JobPrices>)>,
    /// Jobs that were over when they were looked at.
    over: HashSet<Seen>,
    /// Tags of jobs, by their ARN.
    tags: HashMap<String, Tags>,
}

/// A job as of its last change: region, kind, name, time.
pub type Seen = (Arc<str>, Kind, String, Option<Timestamp>);

impl Known {
    fn inner(&self) -> MutexGuard<'_, Inner> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// True for a job that was over when it was looked at, and was not changed since.
    pub fn is_over(&self, seen: &Seen) -> bool {
        self.inner().over.contains(seen)
    }

    /// Notes that jobs are over, so that the stretch that is read twice does not ask for them twice.
    pub fn remember(&self, seen: Vec<Seen>) {
        let mut inner = self.inner();
        if inner.over.len() >= JOBS_AT_MOST {
            inner.over.clear();
        }
        inner.over.extend(seen);
    }

    /// Tags of a job, as they were read; `None` where they are to be read.
    pub fn tags(&self, arn: &str) -> Option<Tags> {
        self.inner().tags.get(arn).cloned()
    }

    /// Keeps tags of a job, so that those of one that runs are read once.
    pub fn keep_tags(&self, arn: &str, tags: Tags) {
        let mut inner = self.inner();
        if inner.tags.len() >= JOBS_AT_MOST {
            inner.tags.clear();
        }
        inner.tags.insert(arn.to_owned(), tags);
    }

    /// List prices of a region that are at most a week old; `None` where they are to be read.
    pub fn prices(&self, region: &str, now: Timestamp) -> Option<Arc<JobPrices>> {
        let inner = self.inner();
        let (at, prices) = inner.prices.get(region)?;
        (now.duration_since(*at) < PRICED_FOR).then(|| prices.clone())
    }

    /// Keeps prices that were read now.
    pub fn keep_prices(&self, region: &Arc<str>, now: Timestamp, prices: Arc<JobPrices>) {
        self.inner().prices.insert(region.clone(), (now, prices));
    }
}
