//! Ratios in two bytes, as hours of GPUs are kept in memory and on disk.

use crate::domain::MALFORMED;

/// Steps of a ratio: 0 is 0, the last is 1. Half a step is 0.00076%.
const STEPS: f32 = 65_534.0;
/// Stands for a value that made no sense; larger than all that did.
const NONSENSE: u16 = u16::MAX;

/// A ratio of 0–1 as a number of steps; values outside 0–1 become the largest number.
pub fn steps(ratio: f32) -> u16 {
    if (0.0..=1.0).contains(&ratio) { (ratio * STEPS).round() as u16 } else { NONSENSE }
}

/// Ratio of 0–1 for a number of steps; [`MALFORMED`], which counts as use, for the largest number.
pub fn ratio(steps: u16) -> f32 {
    if steps == NONSENSE { MALFORMED } else { f32::from(steps) / STEPS }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ends_are_exact_and_what_was_read_is_written_alike() {
        assert_eq!((ratio(steps(0.0)), ratio(steps(1.0))), (0.0, 1.0));
        for odd in [f32::NAN, f32::INFINITY, -0.1, 1.1, MALFORMED] {
            assert_eq!(ratio(steps(odd)), MALFORMED, "{odd}");
        }
        assert!((0..=u16::MAX).all(|n| steps(ratio(n)) == n));
    }
}
