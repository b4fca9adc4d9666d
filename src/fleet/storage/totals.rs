//! Sums over storage, each with what it leaves out.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::{BucketRow, SnapshotRow, VolumeRow, VolumeUse};
use crate::domain::storage::{StorageFinding, Tier, VolumeKind};

/// Sum of dollars with the number of rows that it leaves out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Sum {
    /// Number of rows.
    pub count: u32,
    /// USD per month of 730 h, over the rows with a price.
    pub usd_per_month: f64,
    /// Number of rows without a price or size, which `usd_per_month` leaves out.
    pub unpriced: u32,
}

impl Sum {
    fn add(&mut self, usd_per_month: Option<f64>) {
        self.count += 1;
        match usd_per_month {
            Some(usd) => self.usd_per_month += usd,
            None => self.unpriced += 1,
        }
    }
}

/// Sums over all buckets, volumes and snapshots.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct StorageTotals {
    /// Sum over buckets. A bucket with unpriced bytes counts as unpriced.
    pub buckets: Sum,
    /// Bytes in buckets of known size.
    pub bucket_bytes: u64,
    /// Number of buckets of unknown size.
    pub unsized_buckets: u32,
    /// Bytes by [`Tier::index`].
    pub tier_bytes: [u64; Tier::COUNT],
    /// USD per month by [`Tier::index`], of bytes with a price.
    pub tier_usd: [f64; Tier::COUNT],
    /// EBS volumes.
    pub volumes: Sum,
    /// Provisioned size of the volumes, GiB.
    pub volume_gib: u64,
    /// Volumes that are not attached.
    pub unattached: Sum,
    /// Volumes attached to stopped instances only.
    pub stopped: Sum,
    /// Volumes of type gp2.
    pub gp2: Sum,
    /// Sum over snapshots, at their upper bound.
    pub snapshots: Sum,
    /// Possible saving by the findings, USD per month: the sum of `savings` over the rows.
    pub savings: f64,
    /// Part of `savings` that is an upper bound, from snapshots, USD per month: with it the sum is no lower bound.
    #[serde(default)]
    pub savings_at_most: f64,
    /// Number of findings with dollars.
    pub priced_findings: u32,
    /// Number of findings without dollars, which `savings` leaves out.
    pub unpriced_findings: u32,
    /// Number of buckets with an estimate from daily sizes, which `savings` leaves out.
    #[serde(default)]
    pub estimated: u32,
    /// Sum of the least of these estimates, USD per month.
    #[serde(default)]
    pub estimated_low: f64,
    /// Sum of the most of these estimates, USD per month.
    #[serde(default)]
    pub estimated_high: f64,
}

impl StorageTotals {
    /// Sums over rows; the findings are those of the rows.
    pub fn of<'a>(
        buckets: impl Iterator<Item = &'a BucketRow>,
        volumes: impl Iterator<Item = &'a VolumeRow>,
        snapshots: impl Iterator<Item = &'a SnapshotRow>,
    ) -> Self {
        let mut t = Self::default();
        for row in buckets {
            t.add_bucket(row);
        }
        for row in volumes {
            t.add_volume(row);
        }
        for row in snapshots {
            t.snapshots.add(row.usd_per_month_at_most);
            t.count_findings(&row.findings, row.savings);
            t.savings_at_most += row.savings.unwrap_or(0.0);
        }
        t
    }

    /// Price of all storage, USD per month, as far as known; snapshots count at their upper bound.
    pub fn usd_per_month(&self) -> f64 {
        self.buckets.usd_per_month + self.volumes.usd_per_month + self.snapshots.usd_per_month
    }

    /// Number of rows that [`Self::usd_per_month`] leaves out, wholly or in part.
    pub fn unpriced(&self) -> u32 {
        self.buckets.unpriced + self.volumes.unpriced + self.snapshots.unpriced
    }

    fn add_bucket(&mut self, row: &BucketRow) {
        self.buckets.count += 1;
        self.buckets.usd_per_month += row.usd_per_month.unwrap_or(0.0);
        if row.usd_per_month.is_none() || row.unpriced_bytes > 0 {
            self.buckets.unpriced += 1;
        }
        match row.bytes {
            Some(bytes) => self.bucket_bytes += bytes,
            None => self.unsized_buckets += 1,
        }
        for share in &row.tiers {
            self.tier_bytes[share.tier.index()] += share.bytes;
            self.tier_usd[share.tier.index()] += share.usd_per_month.unwrap_or(0.0);
        }
        self.count_findings(&row.findings, row.savings);
        if let Some(estimate) = row.estimate {
            self.estimated += 1;
            self.estimated_low += estimate.low_usd;
            self.estimated_high += estimate.high_usd;
        }
    }

    fn add_volume(&mut self, row: &VolumeRow) {
        self.volumes.add(row.usd_per_month);
        self.volume_gib += u64::from(row.volume.size_gib);
        match row.used {
            VolumeUse::Unattached => self.unattached.add(row.usd_per_month),
            VolumeUse::Stopped => self.stopped.add(row.usd_per_month),
            VolumeUse::InUse | VolumeUse::Unknown => {}
        }
        if row.volume.kind == VolumeKind::Gp2 {
            self.gp2.add(row.usd_per_month);
        }
        self.count_findings(&row.findings, row.savings);
    }

    fn count_findings(&mut self, findings: &[Arc<StorageFinding>], savings: Option<f64>) {
        let unpriced = findings.iter().filter(|f| f.usd_per_month.is_none()).count() as u32;
        self.unpriced_findings += unpriced;
        self.priced_findings += findings.len() as u32 - unpriced;
        self.savings += savings.unwrap_or(0.0);
    }
}
