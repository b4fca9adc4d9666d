//! The daily figures of the buckets of a region: asked for from the last day that is known on, and
//! kept for fifteen months, as long as CloudWatch keeps them.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::ops::Range;
use std::sync::Arc;

use jiff::civil::Date;
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};

use super::super::{Shared, guarded};
use super::Context;
use crate::cache::BucketSize;
use crate::domain::storage::bucket::{BucketFacts, DailySeries};
use crate::domain::storage::storage_type::tier_of;
use crate::domain::{HOURS_PER_MONTH, Hour, Scope, SourceError, is_due};
use crate::source::ledger::BilledApi;
use crate::source::pages::Pages;
use crate::source::{SizeMetric, SizePoints, SizeSeries};

/// CloudWatch keeps periods of an hour and more for 455 days.
const KEEP_DAYS: i32 = 455;

/// Storage metrics of a day may come a day or two late: these are asked for again.
const LATE_DAYS: i32 = 2;

/// Days over which requests are counted.
const READ_DAYS: i32 = 30;

/// `GetMetricData` takes so many series.
const SERIES_PER_CALL: usize = 500;

/// And answers so many datapoints at most, all pages together (CloudWatch quotas: 100,800).
const POINTS_PER_CALL: usize = 100_000;

/// After a failure it is tried again no sooner.
const AGAIN: SignedDuration = SignedDuration::from_hours(1);

/// What is known of the sizes of a region.
pub(super) struct Sizes {
    series: BTreeMap<SizeSeries, Series>,
    /// When they were last asked for, and whether that went well.
    tried: Option<(Timestamp, bool)>,
    /// Buckets that were among those asked for: without series they are empty, or new.
    asked: HashSet<Arc<str>>,
    /// Why the last attempt failed.
    trouble: Option<Arc<SourceError>>,
}

/// Values by epoch day, and the day up to which they were asked for.
#[derive(Clone, Debug, Default)]
struct Series {
    fetched_to: i32,
    days: BTreeMap<i32, f64>,
}

fn word(metric: SizeMetric) -> &'static str {
    match metric {
        SizeMetric::Bytes => "bytes",
        SizeMetric::Objects => "objects",
        SizeMetric::Reads => "reads",
        SizeMetric::Downloads => "downloads",
    }
}

fn metric(word: &str) -> Option<SizeMetric> {
    [SizeMetric::Bytes, SizeMetric::Objects, SizeMetric::Reads, SizeMetric::Downloads]
        .into_iter()
        .find(|m| self::word(*m) == word)
}

/// The epoch day of a date.
fn epoch_day(date: Date) -> Option<i32> {
    let midnight = date.to_zoned(TimeZone::UTC).ok()?.timestamp();
    Some(Hour::containing(midnight).day())
}

/// The date of an epoch day.
fn date(day: i32) -> Date {
    Hour(day.saturating_mul(24)).start().to_zoned(TimeZone::UTC).date()
}

fn today(now: Timestamp) -> i32 {
    Hour::containing(now).day()
}

impl Sizes {
    /// Goes on from what the last run left.
    pub async fn from_cache(shared: &Shared, scope: &Scope) -> Self {
        let stored = shared.cache.load_bucket_sizes(scope, shared.now()).await;
        let mut sizes =
            Self { series: BTreeMap::new(), tried: None, asked: HashSet::new(), trouble: None };
        for size in stored {
            let Some(metric) = metric(&size.metric) else { continue };
            let bucket: Arc<str> = size.bucket.into();
            let key =
                SizeSeries { bucket: bucket.clone(), metric, dimension: size.dimension.into() };
            let values = size.values.iter().enumerate().filter(|(_, v)| v.is_finite());
            let at = |i: usize| i32::try_from(i).ok().and_then(|i| size.first_day.checked_add(i));
            let days = values.filter_map(|(i, v)| Some((at(i)?, *v))).collect();
            sizes.asked.insert(bucket);
            sizes.series.insert(key, Series { fetched_to: size.fetched_to, days });
        }
        sizes
    }

    /// Reads what is missing, once a day. What was read before a failure stays.
    pub async fn refresh(
        &mut self,
        ctx: &Context,
        scope: &Scope,
        buckets: &HashSet<Arc<str>>,
        whole: &HashMap<Arc<str>, Arc<str>>,
    ) -> Result<(), SourceError> {
        let now = ctx.shared.now();
        let every = match self.tried {
            Some((_, false)) => AGAIN.min(ctx.settings().sizes_every),
            _ => ctx.settings().sizes_every,
        };
        let current = buckets.iter().all(|b| self.asked.contains(b))
            && self.series.values().any(|s| s.fetched_to >= today(now));
        let last = self.tried.map(|(at, _)| at).or_else(|| current.then_some(now));
        let new_bucket = buckets.iter().any(|b| !self.asked.contains(b));
        let failed_lately = matches!(self.tried, Some((_, false)));
        if !is_due(last, every, now) && (failed_lately || !new_bucket) {
            return self.trouble.as_ref().map_or(Ok(()), |e| Err((**e).clone()));
        }
        let read = self.read(ctx, scope, buckets, whole).await;
        self.tried = Some((now, read.is_ok()));
        self.trouble = read.as_ref().err().map(|e| Arc::new(e.clone()));
        read
    }

    async fn read(
        &mut self,
        ctx: &Context,
        scope: &Scope,
        buckets: &HashSet<Arc<str>>,
        whole: &HashMap<Arc<str>, Arc<str>>,
    ) -> Result<(), SourceError> {
        let region = &scope.region;
        const CALL: &str = "cloudwatch:ListMetrics";
        let pages = Pages::of(CALL, region).all(|token| async move {
            ctx.shared.charge(BilledApi::ListMetrics, 1).await?;
            guarded(CALL, ctx.source.size_series(region, token)).await
        });
        let mut wanted = pages.await?;
        wanted.retain(|s| {
            buckets.contains(&s.bucket)
                && (s.metric != SizeMetric::Reads
                    || whole.get(&s.bucket).is_some_and(|filter| *filter == s.dimension))
        });
        let downloads = wanted.iter().filter(|s| s.metric == SizeMetric::Reads);
        let downloads =
            downloads.map(|s| SizeSeries { metric: SizeMetric::Downloads, ..s.clone() });
        let downloads: Vec<SizeSeries> = downloads.collect();
        wanted.extend(downloads);
        let end = today(ctx.shared.now());
        let mut by_start: BTreeMap<i32, Vec<SizeSeries>> = BTreeMap::new();
        for series in wanted {
            let start = self.start(&series, end);
            if start < end {
                by_start.entry(start).or_default().push(series);
            }
        }
        for (start, series) in by_start {
            let days = usize::try_from(end - start).unwrap_or(1).max(1);
            for batch in series.chunks(SERIES_PER_CALL.min(POINTS_PER_CALL / days).max(1)) {
                ctx.shared.charge(BilledApi::GetMetricData, batch.len() as u64).await?;
                let call = ctx.source.size_data(region, batch, date(start)..date(end));
                let answers = guarded("cloudwatch:GetMetricData", call).await?;
                let changed = self.merge(batch, answers, end);
                ctx.shared.cache.store_bucket_sizes(scope, changed).await;
            }
        }
        self.asked.clone_from(buckets);
        Ok(())
    }

    /// The first day to ask for.
    fn start(&self, series: &SizeSeries, end: i32) -> i32 {
        let oldest = match series.metric {
            SizeMetric::Reads | SizeMetric::Downloads => end - READ_DAYS,
            _ => end - KEEP_DAYS,
        };
        let known = self.series.get(series).filter(|s| s.fetched_to > 0);
        known.map_or(oldest, |s| (s.fetched_to - LATE_DAYS).max(oldest))
    }

    /// Takes answers in; what changed, to be stored.
    fn merge(
        &mut self,
        batch: &[SizeSeries],
        answers: Vec<SizePoints>,
        end: i32,
    ) -> Vec<BucketSize> {
        let mut changed = Vec::new();
        for answer in answers {
            let Some(key) = batch.get(answer.query) else { continue };
            let series = self.series.entry(key.clone()).or_default();
            let points = answer.points.into_iter();
            series.days.extend(points.filter_map(|(day, value)| Some((epoch_day(day)?, value))));
            series.days = series.days.split_off(&(end - KEEP_DAYS));
            // Half an answer is no claim to have asked.
            if answer.complete {
                series.fetched_to = end;
            }
            changed.extend(series.stored(key));
        }
        changed
    }

    /// Puts the figures of its bucket into `facts`.
    pub fn apply(&self, facts: &mut BucketFacts, now: Timestamp) {
        let name = &facts.bucket.name;
        let of = |metric| {
            self.series
                .iter()
                .filter(move |(key, _)| key.metric == metric && key.bucket == *name)
                .filter(|(_, series)| !series.days.is_empty())
                .map(|(key, series)| series.daily(&key.dimension))
        };
        let sizes: Vec<DailySeries> = of(SizeMetric::Bytes).collect();
        let objects = of(SizeMetric::Objects).next();
        let per_month = |metric| {
            let found = self.series.iter().find(|(key, series)| {
                key.metric == metric && key.bucket == *name && !series.days.is_empty()
            });
            found.and_then(|(_, series)| series.per_month(today(now)))
        };
        if self.asked.contains(name) || !sizes.is_empty() {
            facts.sizes = Ok(sizes);
            facts.objects = Ok(objects);
            facts.reads_per_month = per_month(SizeMetric::Reads);
            facts.downloaded_per_month = per_month(SizeMetric::Downloads);
        } else if let Some(trouble) = &self.trouble {
            facts.sizes = Err(trouble.clone());
            facts.objects = Err(trouble.clone());
        }
    }
}

impl Series {
    fn daily(&self, storage_type: &Arc<str>) -> DailySeries {
        let (tier, is_overhead) = tier_of(storage_type);
        DailySeries {
            storage_type: storage_type.clone(),
            tier,
            is_overhead,
            points: self.days.iter().map(|(day, value)| (date(*day), *value)).collect(),
        }
    }

    /// What the last whole days come to in a month of 730 h; a day without requests has no
    /// datapoint. `None` when nothing was counted in all of them.
    fn per_month(&self, today: i32) -> Option<f64> {
        let days: Range<i32> = today - READ_DAYS..today;
        let mut counted = self.days.range(days).peekable();
        counted.peek()?;
        let sum: f64 = counted.map(|(_, v)| v).sum();
        Some(sum / f64::from(READ_DAYS) * (HOURS_PER_MONTH / 24.0))
    }

    /// As the cache keeps it; `None` without any value.
    fn stored(&self, key: &SizeSeries) -> Option<BucketSize> {
        let (first, last) = (*self.days.keys().next()?, *self.days.keys().next_back()?);
        let value = |day: i32| self.days.get(&day).copied().unwrap_or(f64::NAN);
        Some(BucketSize {
            bucket: key.bucket.to_string(),
            metric: word(key.metric).to_owned(),
            dimension: key.dimension.to_string(),
            first_day: first,
            fetched_to: self.fetched_to,
            values: (first..=last).map(value).collect(),
        })
    }
}
