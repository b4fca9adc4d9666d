//! Percents: no space before the sign.

use super::NOT_A_NUMBER;
use super::numbers::grouped;

/// A percentage (0–100) as an integer: `38%`.
pub fn percent(value: f64) -> String {
    if value.is_finite() { format!("{}%", grouped(value, 0)) } else { NOT_A_NUMBER.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percents_have_their_sign_behind_them() {
        assert_eq!(percent(37.6), "38%");
        assert_eq!(percent(-0.2), "0%");
        assert_eq!(percent(f64::NAN), "–");
    }
}
