//! Numbers of GPUs, and for how long they were held, exactly: sums of rows equal their total.

use std::iter::Sum;
use std::ops::{Add, AddAssign, Sub};

use serde::{Deserialize, Serialize};

/// Millionths of a GPU in one GPU.
const ONE: u64 = 1_000_000;

/// Most GPUs of one attempt.
const GPUS_AT_MOST: f64 = 1e6;

/// A number of GPUs, in millionths: parts of a GPU count as such.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
pub struct Gpus(u64);

impl Gpus {
    /// None.
    pub const ZERO: Self = Self(0);

    /// Whole GPUs.
    pub const fn whole(gpus: u32) -> Self {
        Self(gpus as u64 * ONE)
    }

    /// A number of GPUs, rounded to millionths. `None` for what is no number, below 0 or above a million.
    pub fn from_f64(gpus: f64) -> Option<Self> {
        (0.0..=GPUS_AT_MOST).contains(&gpus).then(|| Self((gpus * ONE as f64).round() as u64))
    }

    /// As a number.
    pub fn to_f64(self) -> f64 {
        self.0 as f64 / ONE as f64
    }

    /// In millionths.
    pub const fn millionths(self) -> u64 {
        self.0
    }

    /// That many times as many.
    #[must_use]
    pub const fn times(self, by: u32) -> Self {
        Self(self.0.saturating_mul(by as u64))
    }

    /// These GPUs held for so many milliseconds; nothing for a negative span.
    pub const fn held_for(self, ms: i64) -> GpuTime {
        GpuTime(self.0 as u128 * if ms > 0 { ms as u128 } else { 0 })
    }
}

impl Add for Gpus {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }
}

/// Time in which GPUs were held, in millionths of a GPU-millisecond.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct GpuTime(u128);

impl GpuTime {
    /// None.
    pub const ZERO: Self = Self(0);

    /// GPU-hours, as a number.
    pub fn hours(self) -> f64 {
        self.0 as f64 / (3.6e6 * ONE as f64)
    }

    /// In millionths of a GPU-millisecond, in half the room; `None` beyond five million GPU-hours.
    pub fn short(self) -> Option<u64> {
        u64::try_from(self.0).ok()
    }

    /// The time of which [`Self::short`] gave this.
    pub const fn from_short(short: u64) -> Self {
        Self(short as u128)
    }

    /// True for none.
    pub const fn is_zero(self) -> bool {
        self.0 == 0
    }

    /// `by` ÷ `of` of it, rounded down; all of it for an `of` of 0.
    #[must_use]
    pub fn part(self, by: u64, of: u64) -> Self {
        match u128::from(of) {
            0 => self,
            of => Self(self.0 / of * u128::from(by) + self.0 % of * u128::from(by) / of),
        }
    }

    /// Share that it is of `of`, 0 or more; `None` where that is nothing.
    pub fn share_of(self, of: Self) -> Option<f64> {
        (of.0 > 0).then(|| self.0 as f64 / of.0 as f64)
    }

    /// It less `other`, and nothing below that.
    #[must_use]
    pub const fn less(self, other: Self) -> Self {
        Self(self.0.saturating_sub(other.0))
    }

    /// `parts` equal parts that add up to it; the first ones are the larger. Empty for no parts.
    pub fn split(self, parts: usize) -> Vec<Self> {
        let of = parts as u128;
        (0..of).map(|part| Self(self.0 / of + u128::from(part < self.0 % of))).collect()
    }

    /// `self` and `of` as two numbers of 63 bits at most with the ratio of theirs.
    pub fn ratio(self, of: Self) -> (u64, u64) {
        narrowed(self.0, of.0)
    }
}

/// Two numbers in 63 bits whose ratio is that of `by` and `of`; digits that do not fit are lost in both.
pub fn narrowed(by: u128, of: u128) -> (u64, u64) {
    let (mut a, mut b) = (by, of);
    while b > 0 {
        (a, b) = (b, a % b);
    }
    let (by, of) = if a > 1 { (by / a, of / a) } else { (by, of) };
    let bits = 128 - by.max(of).leading_zeros();
    let beyond = bits.saturating_sub(63);
    ((by >> beyond) as u64, (of >> beyond) as u64)
}

impl Add for GpuTime {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }
}

impl Sub for GpuTime {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        self.less(other)
    }
}

impl AddAssign for GpuTime {
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl Sum for GpuTime {
    fn sum<I: Iterator<Item = Self>>(all: I) -> Self {
        all.fold(Self::ZERO, Add::add)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn hours_are_gpus_times_time() {
        assert_eq!(Gpus::whole(8).held_for(10 * 3_600_000).hours(), 80.0);
        assert_eq!(Gpus::from_f64(0.125).unwrap().held_for(3_600_000).hours(), 0.125);
        assert_eq!(Gpus::whole(8).held_for(-5), GpuTime::ZERO);
        for odd in [-1.0, f64::NAN, f64::INFINITY, 1e7] {
            assert_eq!(Gpus::from_f64(odd), None);
        }
    }

    proptest! {
        #[test]
        fn parts_add_up_to_the_whole(gpus in 0_u32..100_000, ms in 0_i64..1 << 42, parts in 1_usize..300) {
            let all = Gpus::whole(gpus).held_for(ms);
            prop_assert_eq!(all.split(parts).into_iter().sum::<GpuTime>(), all);
        }

        #[test]
        fn a_ratio_in_63_bits_is_the_ratio(by in any::<u128>(), of in 1_u128..) {
            let (a, b) = narrowed(by >> 4, of);
            prop_assert!(a < 1 << 63 && b < 1 << 63);
            if of >> 64 == 0 && by >> 68 == 0 {
                let (want, found) = ((by >> 4) as f64 / of as f64, a as f64 / b.max(1) as f64);
                prop_assert!((want - found).abs() <= 1e-6 * want.max(1e-9) || b == 0);
            }
        }
    }
}
