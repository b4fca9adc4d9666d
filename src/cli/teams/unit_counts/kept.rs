//! Counts that were asked for, kept for some hours: whoever looks again asks nobody, and is charged nothing.

use std::ops::Range;

use jiff::civil::Date;
use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};

use super::Counted;
use crate::cache::{Cache, FactKind};
use crate::config::CountSource;
use crate::domain::Scope;

/// Counts of the day before may still come in for a while, so they are asked for again after this time.
const KEPT_FOR: SignedDuration = SignedDuration::from_hours(6);

/// [`Kept`], by month and source.
const UNIT_COUNTS: FactKind = FactKind::new("unit-counts", 1);

/// What a source told of some days.
#[derive(Serialize, Deserialize)]
struct Kept {
    /// The day after the last one that was asked for.
    until: Date,
    counts: Vec<(Date, f64)>,
    remark: Option<String>,
}

/// What the source told of these days at most six hours ago; `None` where that is not kept.
pub(super) async fn find(
    cache: &Cache,
    source: &CountSource,
    days: &Range<Date>,
    now: Timestamp,
) -> Option<Counted> {
    let kept = cache.get::<Kept>(UNIT_COUNTS, &place(source, days)?, now).await?;
    let Kept { until, counts, remark } = kept.is_fresh(now, KEPT_FOR).then_some(kept.value)?;
    (until == days.end).then(|| Counted { counts: counts.into_iter().collect(), remark })
}

/// Keeps what the source told of these days. Nothing of a file, which is read each time.
pub(super) async fn keep(
    cache: &Cache,
    source: &CountSource,
    days: &Range<Date>,
    now: Timestamp,
    told: &Counted,
) {
    let Some(place) = place(source, days) else { return };
    let counts = told.counts.iter().map(|(day, count)| (*day, *count)).collect();
    let kept = Kept { until: days.end, counts, remark: told.remark.clone() };
    cache.put(UNIT_COUNTS, &place, now, &kept).await;
}

/// Where counts of a source are kept: by their first day and everything that is asked. `None` for a file.
fn place(source: &CountSource, days: &Range<Date>) -> Option<Scope> {
    let asked = match source {
        CountSource::Csv(_) | CountSource::Jobs(_) => return None,
        CountSource::Prometheus { query, server } => serde_json::to_string(&(server, query)),
        CountSource::CloudWatch { metric, region, account } => {
            let dimensions: Vec<_> = metric.dimensions.iter().map(|(n, v)| (&**n, &**v)).collect();
            let of = (&*metric.namespace, &*metric.metric, metric.statistic.word(), dimensions);
            serde_json::to_string(&(of, &**region, account))
        }
    };
    Some(Scope::new(days.start.to_string(), asked.ok()?))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::cache::OpenOptions;

    fn query(text: &str) -> CountSource {
        CountSource::Prometheus { query: text.into(), server: None }
    }

    #[tokio::test]
    async fn the_same_days_of_the_same_source_are_kept_for_six_hours() {
        let now: Timestamp = "2026-11-24T09:00:00Z".parse().unwrap();
        let (cache, _) = Cache::open(OpenOptions::in_memory(), now);
        let day = |text: &str| text.parse::<Date>().unwrap();
        let days = day("2026-10-01")..day("2026-11-24");
        let counts = BTreeMap::from([(day("2026-11-01"), 40.0), (day("2026-11-02"), 0.5)]);
        let told = Counted { counts, remark: Some("1 day without a count".into()) };
        keep(&cache, &query("a"), &days, now, &told).await;
        let found = async |source: &CountSource, days: &Range<Date>, minutes: i64| {
            find(&cache, source, days, now + SignedDuration::from_mins(minutes)).await
        };
        assert_eq!(found(&query("a"), &days, 359).await, Some(told));
        assert_eq!(found(&query("a"), &days, 360).await, None, "asked again");
        assert_eq!(found(&query("b"), &days, 1).await, None, "another query");
        let named = CountSource::Prometheus { query: "a".into(), server: Some("p1".into()) };
        assert_eq!(found(&named, &days, 1).await, None, "another server");
        let longer = day("2026-10-01")..day("2026-11-25");
        assert_eq!(found(&query("a"), &longer, 1).await, None, "a day more has ended");
        let other = day("2026-09-01")..day("2026-11-24");
        assert_eq!(found(&query("a"), &other, 1).await, None, "another month");
    }
}
