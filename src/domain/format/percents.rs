//! Percents: no space before the sign. Percents are 0–100, shares 0–1.

use super::NOT_A_NUMBER;
use super::numbers::{grouped, trimmed};

/// A percentage (0–100) with `decimals` digits behind the point: `38%`, `63.4%`.
pub fn percent(value: impl Into<f64>, decimals: usize) -> String {
    with_sign(value.into(), |value| grouped(value, decimals))
}

/// A percentage (0–100) with at most `decimals` digits behind the point: `30%`, `0.5%`.
pub fn percent_trimmed(value: impl Into<f64>, decimals: usize) -> String {
    with_sign(value.into(), |value| trimmed(value, decimals))
}

/// A share (0–1) as [`percent`].
pub fn share(part: impl Into<f64>, decimals: usize) -> String {
    percent(100.0 * part.into(), decimals)
}

fn with_sign(value: f64, words: impl FnOnce(f64) -> String) -> String {
    if value.is_finite() { format!("{}%", words(value)) } else { NOT_A_NUMBER.to_owned() }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn percents_have_their_sign_behind_them() {
        assert_eq!(percent(37.6, 0), "38%");
        assert_eq!(percent(63.44, 1), "63.4%");
        assert_eq!(percent(-0.2, 0), "0%");
        assert_eq!(percent(7_u8, 0), "7%");
        assert_eq!(percent(1_040.0, 0), "1,040%");
        assert_eq!(share(0.276, 1), "27.6%");
        assert_eq!(share(0.5_f32, 0), "50%");
        assert_eq!(percent_trimmed(30.0, 2), "30%");
        assert_eq!(percent_trimmed(0.5, 2), "0.5%");
        for none in [f64::NAN, f64::INFINITY] {
            assert_eq!((percent(none, 1), percent_trimmed(none, 1)), ("–".into(), "–".into()));
            assert_eq!(share(none, 0), "–");
        }
    }

    proptest! {
        #[test]
        fn a_share_reads_back_within_half_a_digit(part in -2.0f64..20.0, decimals in 0_usize..5) {
            for text in [share(part, decimals), percent_trimmed(100.0 * part, decimals)] {
                let back = text.strip_suffix('%').unwrap().replace(',', "").parse::<f64>().unwrap();
                let half = 0.5 / 10f64.powi(decimals as i32);
                prop_assert!((back - 100.0 * part).abs() <= half * 1.000_001, "{} of {}", text, part);
            }
        }
    }
}
