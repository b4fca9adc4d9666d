//! Objects that are alike enough to be reckoned as one.

use crate::domain::storage::sums::{AGE_BOUNDS, SMALL_OBJECT};
use crate::domain::storage::{AGE_BINS, Sums, Tier, size_bin};

/// Objects of one tier and age, either all smaller than 128 KiB or none.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cohort {
    /// Tier that they are billed in.
    pub tier: Tier,
    /// Number of objects; a share of a histogram's bin, so not a whole number.
    pub objects: f64,
    /// Bytes of these objects.
    pub bytes: f64,
    /// True when all are smaller than 128 KiB.
    pub is_small: bool,
    /// Days since they were written, the longest that they can be in their tier; `None` where not known.
    pub age_days: Option<f64>,
}

impl Cohort {
    /// Bytes that small objects are billed for beyond their size, up to 128 KiB each; 0 for others.
    pub fn padding(&self) -> f64 {
        if self.is_small { (self.objects * SMALL_OBJECT as f64 - self.bytes).max(0.0) } else { 0.0 }
    }
}

/// The objects of sums as cohorts.
///
/// Sums hold the padding of small objects per tier, and ages for all tiers together: the count of small objects
/// is divided by padding (exact for one tier, and in total), and every tier gets the same ages. Within a bin
/// objects have its middle age; bins end at 30, 90 and 180 days as S3's minimum durations do, so that the rest
/// of a minimum is right on average.
pub fn cohorts(sums: &Sums) -> Vec<Cohort> {
    let small_bin = size_bin(SMALL_OBJECT);
    let small: u64 = sums.size_objects[..small_bin].iter().sum();
    let padding: u64 = sums.padding.iter().sum();
    let all_bytes = sums.all_bytes() as f64;
    let dated: f64 = sums.age_bytes.iter().sum::<u64>() as f64;
    let mut ages: Vec<(Option<f64>, f64)> = Vec::new();
    if all_bytes > 0.0 {
        for (bin, bytes) in sums.age_bytes.iter().enumerate().filter(|(_, b)| **b > 0) {
            ages.push((Some(middle(bin)), *bytes as f64 / all_bytes));
        }
        if dated < all_bytes {
            ages.push((None, 1.0 - dated / all_bytes));
        }
    } else {
        ages.push((None, 1.0));
    }
    let mut out = Vec::new();
    for tier in Tier::ALL {
        let t = tier.index();
        let (objects, bytes) = (sums.objects[t] as f64, sums.bytes[t] as f64);
        if objects <= 0.0 && bytes <= 0.0 {
            continue;
        }
        let share = if padding == 0 { 0.0 } else { sums.padding[t] as f64 / padding as f64 };
        let small_objects = (small as f64 * share).min(objects);
        let small_bytes =
            (small_objects * SMALL_OBJECT as f64 - sums.padding[t] as f64).clamp(0.0, bytes);
        for (age_days, part) in &ages {
            for (n, b, is_small) in [
                (small_objects, small_bytes, true),
                (objects - small_objects, bytes - small_bytes, false),
            ] {
                if n > 0.0 || b > 0.0 {
                    out.push(Cohort {
                        tier,
                        objects: n * part,
                        bytes: b * part,
                        is_small,
                        age_days: *age_days,
                    });
                }
            }
        }
    }
    out
}

/// The middle of an age bin in days; of the open one its beginning.
fn middle(bin: usize) -> f64 {
    let from = bin.checked_sub(1).map_or(0, |b| AGE_BOUNDS[b.min(AGE_BINS - 2)]);
    let to = AGE_BOUNDS.get(bin).copied().unwrap_or(from);
    f64::midpoint(f64::from(from), f64::from(to))
}
