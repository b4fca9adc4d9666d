//! The daily series that CloudWatch keeps of the demo's buckets: the sums of their objects, and how
//! they came about.
//!
//! A day has one size, whenever it is asked about. The table has the objects of a day of reckoning
//! (see `calendar`); before it there were fewer, after it they grow or shrink as the bucket did before.

use std::sync::Arc;

use jiff::civil::Date;

use super::super::hash::{hash, unit};
use super::objects::{Row, text_hash};
use super::table::{Growth, Planted};
use crate::domain::storage::{ObjectFlags, Tier};
use crate::source::storage::{SizeMetric, SizeSeries};

/// Bytes of index of an archived object.
const INDEX: u64 = 32 << 10;
/// Bytes of its name, billed as Standard.
const NAME: u64 = 8 << 10;
/// What small objects are billed as in Standard-IA and Glacier Instant Retrieval.
const SMALL: u64 = 128 << 10;

/// Sums of a bucket on one day, as CloudWatch publishes them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Sums {
    /// Bytes by CloudWatch's `StorageType`, without zeros.
    pub bytes: Vec<(&'static str, u64)>,
    /// `NumberOfObjects`: versions, delete markers and uploads count.
    pub objects: u64,
}

impl Sums {
    /// Sums of a bucket's rows, their sizes times `share`, and of its incomplete uploads.
    pub fn of(bucket: &Planted, rows: &[Row], share: f64) -> Self {
        let mut bytes: Vec<(&'static str, u64)> = Vec::new();
        let mut add = |name: &'static str, more: u64| match bytes.iter_mut().find(|b| b.0 == name) {
            _ if more == 0 => {}
            Some((_, sum)) => *sum += more,
            None => bytes.push((name, more)),
        };
        for row in rows.iter().filter(|r| r.flags & ObjectFlags::DELETE_MARKER == 0) {
            let size = sized(row, share);
            add(storage_type(row.tier), size);
            let short = SMALL.saturating_sub(size);
            match row.tier {
                Tier::StandardIa => add("StandardIASizeOverhead", short),
                Tier::GlacierIr => add("GlacierInstantRetrievalSizeOverhead", short),
                Tier::Glacier => {
                    add("GlacierObjectOverhead", INDEX);
                    add("GlacierS3ObjectOverhead", NAME);
                }
                Tier::DeepArchive => {
                    add("DeepArchiveObjectOverhead", INDEX);
                    add("DeepArchiveS3ObjectOverhead", NAME);
                }
                _ => {}
            }
        }
        let (uploads, gib) = bucket.uploads;
        add("StandardStorage", u64::from(uploads) * (u64::from(gib) << 30));
        Self { bytes, objects: rows.len() as u64 + u64::from(uploads) }
    }

    /// Series that CloudWatch lists for the bucket.
    pub fn series(&self, bucket: &Planted, name: &Arc<str>) -> Vec<SizeSeries> {
        let one = |metric, dimension: &str| SizeSeries {
            bucket: name.clone(),
            metric,
            dimension: dimension.into(),
        };
        let mut out: Vec<SizeSeries> =
            self.bytes.iter().map(|(kind, _)| one(SizeMetric::Bytes, kind)).collect();
        out.push(one(SizeMetric::Objects, "AllStorageTypes"));
        if bucket.reads {
            out.push(one(SizeMetric::Reads, READS_FILTER));
            out.push(one(SizeMetric::Downloads, READS_FILTER));
        }
        out
    }

    /// Value of a series on a day, for a bucket that has these sums and `rows` at `reckoned`; `None` before the bucket
    /// existed, for a series that it lacks, and for a day that is not over.
    pub fn value(
        &self,
        bucket: &Planted,
        rows: &[Row],
        asked: &SizeSeries,
        (day, today, reckoned): (Date, Date, Date),
    ) -> Option<f64> {
        if day >= today || day < bucket.created {
            return None;
        }
        let whole = match asked.metric {
            SizeMetric::Bytes => {
                let whole = self.bytes.iter().find(|(kind, _)| **kind == *asked.dimension)?.1;
                let share = share_since(bucket, listed(day), reckoned);
                if share != 1.0 {
                    let sums = Self::of(bucket, rows, share);
                    return Some(sums.bytes.iter().find(|b| *b.0 == *asked.dimension)?.1 as f64);
                }
                whole as f64
            }
            SizeMetric::Objects => self.objects as f64,
            SizeMetric::Reads if bucket.reads => return Some(self.reads(bucket, day)),
            SizeMetric::Downloads if bucket.reads => return Some(self.downloads(bucket, day)),
            SizeMetric::Reads | SizeMetric::Downloads => return None,
        };
        // Objects grow; there are no more of them than the table has.
        Some((whole * share(bucket.growth, days_between(listed(day), reckoned).max(0))).round())
    }

    /// `GetRequests` of a day: about a quarter of the objects, fewer on weekends.
    fn reads(&self, bucket: &Planted, day: Date) -> f64 {
        let number = u64::from(day.day_of_year().unsigned_abs());
        let noise = unit(hash(text_hash(&bucket.name), 41, number));
        let rest = if day.weekday().to_monday_zero_offset() >= 5 { 0.3 } else { 1.0 };
        (self.objects as f64 * 0.25 * rest * (0.8 + 0.4 * noise)).round()
    }

    /// `BytesDownloaded` of a day: each request reads a whole object of the mean size.
    fn downloads(&self, bucket: &Planted, day: Date) -> f64 {
        let bytes: u64 = self.bytes.iter().map(|(_, bytes)| bytes).sum();
        (self.reads(bucket, day) * bytes as f64 / self.objects.max(1) as f64).round()
    }
}

/// Id of the filter for request metrics of a whole bucket.
pub const READS_FILTER: &str = "EntireBucket";

/// The day whose list shows the size of `day`: it is over by then.
fn listed(day: Date) -> Date {
    day.tomorrow().unwrap_or(day)
}

/// Rows on `day`, derived from those of the table at `reckoned`.
pub fn grown(bucket: &Planted, rows: &[Row], day: Date, reckoned: Date) -> Vec<Row> {
    let share = share_since(bucket, day, reckoned);
    rows.iter().map(|row| Row { size: sized(row, share), ..row.clone() }).collect()
}

fn sized(row: &Row, share: f64) -> u64 {
    (row.size as f64 * share).round() as u64
}

/// What the objects of a bucket grew to since `reckoned`; 1 before.
fn share_since(bucket: &Planted, day: Date, reckoned: Date) -> f64 {
    share(bucket.growth, days_between(day, reckoned).min(0))
}

/// Days between two dates; negative when `to` is before `from`.
pub fn days_between(from: Date, to: Date) -> i32 {
    from.until(to).map_or(0, |span| span.get_days())
}

/// The share of its size at the day of reckoning that a bucket had so many days before; after it the
/// days are negative.
fn share(growth: Growth, age: i32) -> f64 {
    let part = |days: u32| f64::from(age) / f64::from(days.max(1));
    match growth {
        Growth::Flat => 1.0,
        Growth::Linear(days) => (1.0 - part(days)).max(0.0),
        Growth::Doubles(days) => (-part(days)).exp2(),
        Growth::Saw(days) => {
            let days = i32::try_from(days.max(1)).unwrap_or(i32::MAX);
            1.0 - f64::from(age.rem_euclid(days)) / f64::from(days) / 3.0
        }
        Growth::Jumped(percent, days) => {
            if part(days) >= 1.0 {
                f64::from(percent) / 100.0
            } else {
                1.0
            }
        }
    }
}

fn storage_type(tier: Tier) -> &'static str {
    match tier {
        Tier::ItFrequent => "IntelligentTieringFAStorage",
        Tier::ItInfrequent => "IntelligentTieringIAStorage",
        Tier::ItArchiveInstant => "IntelligentTieringAIAStorage",
        Tier::ItArchive => "IntelligentTieringAAStorage",
        Tier::ItDeepArchive => "IntelligentTieringDAAStorage",
        Tier::StandardIa => "StandardIAStorage",
        Tier::OnezoneIa => "OneZoneIAStorage",
        Tier::GlacierIr => "GlacierInstantRetrievalStorage",
        Tier::Glacier => "GlacierStorage",
        Tier::DeepArchive => "DeepArchiveStorage",
        Tier::ReducedRedundancy => "ReducedRedundancyStorage",
        Tier::Standard | Tier::Express | Tier::File | Tier::Unknown => "StandardStorage",
    }
}
