//! The daily series that CloudWatch keeps of the demo's buckets: today's sums of their objects,
//! and how they came about.

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

/// Today's sums of a bucket.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Today {
    /// Bytes by CloudWatch's `StorageType`, those that are not 0.
    pub bytes: Vec<(&'static str, u64)>,
    /// `NumberOfObjects`: versions, delete markers and uploads count.
    pub objects: u64,
}

impl Today {
    /// Of the rows of a bucket and its incomplete uploads.
    pub fn of(bucket: &Planted, rows: &[Row]) -> Self {
        let mut bytes: Vec<(&'static str, u64)> = Vec::new();
        let mut add = |name: &'static str, more: u64| match bytes.iter_mut().find(|b| b.0 == name) {
            _ if more == 0 => {}
            Some((_, sum)) => *sum += more,
            None => bytes.push((name, more)),
        };
        for row in rows.iter().filter(|r| r.flags & ObjectFlags::DELETE_MARKER == 0) {
            add(storage_type(row.tier), row.size);
            let short = SMALL.saturating_sub(row.size);
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

    /// The series that CloudWatch lists of the bucket.
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
        }
        out
    }

    /// The value of a series on a day; `None` before the bucket was there, and for a series that it
    /// does not have. CloudWatch has a day when it is over.
    pub fn value(
        &self,
        bucket: &Planted,
        asked: &SizeSeries,
        day: Date,
        today: Date,
    ) -> Option<f64> {
        let age = days_between(day, today);
        if age < 1 || day < bucket.created {
            return None;
        }
        let whole = match asked.metric {
            SizeMetric::Bytes => {
                self.bytes.iter().find(|(kind, _)| **kind == *asked.dimension)?.1 as f64
            }
            SizeMetric::Objects => self.objects as f64,
            SizeMetric::Reads if bucket.reads => return Some(self.reads(bucket, day)),
            SizeMetric::Reads => return None,
        };
        // Yesterday's size is what the list of today shows.
        Some((whole * share(bucket.growth, age - 1)).round())
    }

    /// `GetRequests` of a day: about a quarter of the objects, fewer on weekends.
    fn reads(&self, bucket: &Planted, day: Date) -> f64 {
        let number = u64::from(day.day_of_year().unsigned_abs());
        let noise = unit(hash(text_hash(&bucket.name), 41, number));
        let rest = if day.weekday().to_monday_zero_offset() >= 5 { 0.3 } else { 1.0 };
        (self.objects as f64 * 0.25 * rest * (0.8 + 0.4 * noise)).round()
    }
}

/// The filter of request metrics that covers a whole bucket.
pub const READS_FILTER: &str = "EntireBucket";

/// Days from one day to another.
pub fn days_between(from: Date, to: Date) -> i32 {
    from.until(to).map_or(0, |span| span.get_days())
}

/// The share of today's size that a bucket had so many days ago.
fn share(growth: Growth, age: i32) -> f64 {
    let age = f64::from(age.max(0));
    match growth {
        Growth::Flat => 1.0,
        Growth::Linear(days) => (1.0 - age / f64::from(days.max(1))).max(0.0),
        Growth::Doubles(days) => (-age / f64::from(days.max(1))).exp2(),
        Growth::Saw(days) => 1.0 - (age % f64::from(days.max(1))) / f64::from(days.max(1)) / 3.0,
        Growth::Jumped(percent, days) => {
            if age >= f64::from(days) {
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
