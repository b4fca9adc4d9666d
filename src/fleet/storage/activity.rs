//! How much of the storage is in use, as far as there is evidence of it.

use super::{BucketKind, BucketRow, StorageFleet, VolumeRow, VolumeUse};
use crate::domain::storage::Tier;

/// Bytes of a GiB.
const GIB: u64 = 1 << 30;

/// Bytes of buckets and volumes, by what is known of their use. Snapshots, whose bytes are not known, and directories of this
/// machine are not among them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Activity {
    /// Bytes of buckets of known size, and of volumes.
    pub known: u64,
    /// Bytes of these of which it is known whether they are in use.
    pub judged: u64,
    /// Bytes of the judged ones that are in use.
    pub active: u64,
    /// True when `active` is an upper bound: what was read of a bucket may have been the same bytes again and again.
    pub is_at_most: bool,
}

impl Activity {
    /// The sums over all buckets and volumes.
    pub fn of(storage: &StorageFleet) -> Self {
        let mut sum = Self::default();
        storage.buckets.iter().for_each(|row| sum.add_bucket(row));
        storage.volumes.iter().for_each(|row| sum.add_volume(row));
        sum
    }

    /// Share of the judged bytes that is in use, 0–1; `None` where none is judged.
    pub fn share(&self) -> Option<f64> {
        (self.judged > 0).then(|| self.active as f64 / self.judged as f64)
    }

    /// Intelligent-Tiering keeps account of reads itself, and what is archived cannot be read where it lies. Of the rest
    /// request metrics tell how many bytes were read, and without these nothing is known.
    fn add_bucket(&mut self, row: &BucketRow) {
        let Some(bytes) = row.bytes.filter(|_| row.kind != BucketKind::Directory) else { return };
        self.known += bytes;
        let mut rest = 0;
        for share in &row.tiers {
            match share.tier {
                Tier::ItFrequent => {
                    self.active += share.bytes;
                    self.judged += share.bytes;
                }
                Tier::ItInfrequent
                | Tier::ItArchiveInstant
                | Tier::ItArchive
                | Tier::ItDeepArchive
                | Tier::Glacier
                | Tier::DeepArchive => self.judged += share.bytes,
                _ => rest += share.bytes,
            }
        }
        let Some(facts) = row.facts.as_deref() else { return };
        let downloaded = match (facts.reads_per_month, facts.downloaded_per_month) {
            (Some(reads), _) if reads <= 0.0 => 0,
            (_, Some(downloaded)) => downloaded.max(0.0) as u64,
            (_, None) => return,
        };
        let active = rest.min(downloaded);
        self.judged += rest;
        self.active += active;
        self.is_at_most |= active > 0;
    }

    fn add_volume(&mut self, row: &VolumeRow) {
        let bytes = u64::from(row.volume.size_gib) * GIB;
        self.known += bytes;
        match row.used {
            VolumeUse::InUse => {
                self.active += bytes;
                self.judged += bytes;
            }
            VolumeUse::Unattached | VolumeUse::Stopped => self.judged += bytes,
            VolumeUse::Unknown => {}
        }
    }
}
