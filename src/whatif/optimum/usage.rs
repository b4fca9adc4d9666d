//! How often each further unit runs in one stretch of time, which may have no known hour at all.

use crate::whatif::LoadDuration;

/// Load-duration curve of some hours, of which none need be known. Hours that are not (`NaN`) are left out.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Usage(Option<LoadDuration>);

impl Usage {
    /// Curve of the known hours. Negative units count as 0.
    pub fn new(hours: &[f64]) -> Self {
        let known = hours.iter().filter(|units| !units.is_nan());
        Self(LoadDuration::new(known.map(|units| units.max(0.0))))
    }

    /// Number of known hours.
    pub fn hours(&self) -> usize {
        self.0.as_ref().map_or(0, LoadDuration::hours)
    }

    /// Units of the known hours, ascending.
    pub fn sorted(&self) -> &[f64] {
        self.0.as_ref().map_or(&[], LoadDuration::ascending)
    }

    /// Units of the largest hour; 0 without known hours.
    pub fn peak(&self) -> f64 {
        self.0.as_ref().map_or(0.0, LoadDuration::peak)
    }

    /// Unit-hours of all known hours.
    pub fn total(&self) -> f64 {
        self.0.as_ref().map_or(0.0, LoadDuration::total)
    }

    /// Number of hours with more than `level` units.
    pub fn hours_above(&self, level: f64) -> usize {
        self.0.as_ref().map_or(0, |curve| curve.hours_above(level))
    }

    /// Unit-hours above `level`: Σ max(d − level, 0).
    pub fn units_above(&self, level: f64) -> f64 {
        self.0.as_ref().map_or(0.0, |curve| curve.above(level))
    }

    /// The smallest level that at most `share` (0–1) of the hours exceed: the quantile at 1 − share, which with
    /// share = rate ÷ on-demand is the commitment of lowest cost. 0 from a share of 1 on.
    pub fn level(&self, share: f64) -> f64 {
        self.0.as_ref().map_or(0.0, |curve| curve.optimum(1.0, share))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn looks_up_what_a_scan_counts() {
        let hours = [3.0, f64::NAN, 0.0, 2.5, 3.0, 7.0];
        let usage = Usage::new(&hours);
        assert_eq!(usage.hours(), 5);
        for level in [0.0, 1.0, 2.5, 2.9, 3.0, 6.5, 7.0, 9.0] {
            let known = hours.iter().filter(|u| !u.is_nan());
            assert_eq!(usage.hours_above(level), known.clone().filter(|u| **u > level).count());
            let area: f64 = known.map(|u| (u - level).max(0.0)).sum();
            assert!((usage.units_above(level) - area).abs() < 1e-12);
        }
    }

    #[test]
    fn the_level_is_the_smallest_that_few_enough_hours_exceed() {
        let usage = Usage::new(&[1.0, 2.0, 3.0, 4.0]);
        assert_eq!(usage.level(0.0), 4.0);
        assert_eq!(usage.level(0.25), 3.0);
        assert_eq!(usage.level(0.63), 2.0);
        assert_eq!(usage.level(1.0), 0.0);
        assert_eq!(Usage::new(&[]).level(0.5), 0.0);
    }
}
