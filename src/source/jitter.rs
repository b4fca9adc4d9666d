//! Chance in waits, so that many who wait do not come back in step.

use std::time::Duration;

/// `wait`, made shorter or longer by chance, by at most `share` of it (0–1).
pub fn jittered(wait: Duration, share: f64) -> Duration {
    wait.mul_f64(1.0 + share * (2.0 * fastrand::f64() - 1.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wait_stays_within_its_share() {
        let wait = Duration::from_secs(100);
        for _ in 0..1_000 {
            let seconds = jittered(wait, 0.25).as_secs_f64();
            assert!((75.0..=125.0).contains(&seconds), "{seconds}");
        }
        assert_eq!(jittered(wait, 0.0), wait);
    }
}
