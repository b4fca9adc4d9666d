//! Rates per GiB in which the volume steps of the price list are averaged (blended) or the last one counts (marginal).

use crate::domain::Provenance;
use crate::domain::storage::{GIB, S3Prices, Sums, Tier, VolumeStep};

use super::month::{ARCHIVE_INDEX, ARCHIVE_NAME, has_archive_overhead, has_minimum_size};

/// Billed GiB-months of a whole account by tier, overheads included. The steps of a price are
/// counted per tier: Standard and Intelligent-Tiering's Frequent Access each climb their own.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Volumes(pub [f64; Tier::COUNT]);

impl Volumes {
    /// What the objects of `sums` are billed as: content, the padding of small objects, and the
    /// index and names of archived ones.
    pub fn of(sums: &Sums) -> Self {
        let mut out = Self::default();
        for tier in Tier::ALL {
            let t = tier.index();
            out.0[t] += sums.bytes[t] as f64 / GIB;
            if has_minimum_size(tier) {
                out.0[t] += sums.padding[t] as f64 / GIB;
            }
            if has_archive_overhead(tier) {
                let objects = sums.objects[t] as f64;
                out.0[t] += objects * ARCHIVE_INDEX as f64 / GIB;
                out.0[Tier::Standard.index()] += objects * ARCHIVE_NAME as f64 / GIB;
            }
        }
        out
    }

    /// Adds GiB billed in a tier, from CloudWatch's daily sizes.
    pub fn add_gib(&mut self, tier: Tier, gib: f64) {
        self.0[tier.index()] += gib.max(0.0);
    }

    /// Adds the volumes of another bucket of the account.
    pub fn add(&mut self, other: &Self) {
        self.0.iter_mut().zip(other.0).for_each(|(a, b)| *a += b);
    }

    /// GiB billed in a tier.
    pub fn gib(&self, tier: Tier) -> f64 {
        self.0[tier.index()]
    }
}

/// Dollars per GiB-month by tier for one volume of the account, linear: the price of twice the
/// bytes is twice the price.
#[derive(Clone, Debug, PartialEq)]
pub struct Rates {
    /// USD per GiB-month by [`Tier::index`]; `None` where nobody knows.
    pub usd_per_gib: [Option<f64>; Tier::COUNT],
    /// Intelligent-Tiering's monitoring, USD per monitored object and month; `None` when the price is not known.
    pub monitoring_usd: Option<f64>,
    /// Region of the prices.
    pub region: String,
    /// Source of the rates.
    pub provenance: Provenance,
}

impl Rates {
    /// Every byte at its share of what the whole `volumes` cost. This is what a screen shows: the
    /// parts add up to the whole.
    pub fn blended(prices: &S3Prices, volumes: &Volumes) -> Self {
        Self::by(
            prices,
            |steps, gib| {
                if gib > 0.0 { Some(storage_usd(steps, gib)? / gib) } else { first(steps) }
            },
            volumes,
        )
    }

    /// Every byte at the step that the last byte of `volumes` reaches: what freeing a byte saves,
    /// as long as no more is freed than lies in that step.
    pub fn marginal(prices: &S3Prices, volumes: &Volumes) -> Self {
        Self::by(
            prices,
            |steps, gib| {
                let last = steps.iter().rev().find(|step| step.from_gib < gib);
                last.map(|step| step.usd).or_else(|| first(steps))
            },
            volumes,
        )
    }

    /// Rates of a region without prices: nothing is known, nothing is 0.
    pub fn unknown(region: &str, provenance: Provenance) -> Self {
        Self {
            usd_per_gib: [None; Tier::COUNT],
            monitoring_usd: None,
            region: region.to_owned(),
            provenance,
        }
    }

    /// Price of a tier, USD per GiB-month; `None` when it is not known.
    pub fn usd_per_gib(&self, tier: Tier) -> Option<f64> {
        self.usd_per_gib[tier.index()]
    }

    fn by(
        prices: &S3Prices,
        rate: impl Fn(&[VolumeStep], f64) -> Option<f64>,
        volumes: &Volumes,
    ) -> Self {
        let mut out = Self::unknown(&prices.region, prices.provenance.clone());
        out.monitoring_usd = prices.monitoring_per_1000.map(|usd| usd / 1000.0);
        for tier in Tier::ALL {
            // Neither has a price list, whatever a source may have put there.
            if matches!(tier, Tier::File | Tier::Unknown) {
                continue;
            }
            let steps = prices.tier(tier).map_or(&[][..], |t| &t.storage);
            out.usd_per_gib[tier.index()] = rate(steps, volumes.gib(tier));
        }
        out
    }
}

fn first(steps: &[VolumeStep]) -> Option<f64> {
    steps.first().map(|step| step.usd)
}

/// What a volume costs per month by its steps; `None` without a price. Steps ascend, and the first
/// begins at 0.
pub fn storage_usd(steps: &[VolumeStep], gib: f64) -> Option<f64> {
    if steps.is_empty() {
        return None;
    }
    let ends = steps.iter().skip(1).map(|s| s.from_gib).chain([f64::INFINITY]);
    Some(steps.iter().zip(ends).map(|(s, end)| (gib.min(end) - s.from_gib).max(0.0) * s.usd).sum())
}
