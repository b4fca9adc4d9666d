//! Decisions in words.

use jiff::{SignedDuration, Timestamp};

/// A moment to the minute: `2026-11-21 03:07Z`.
pub(super) fn moment(t: Timestamp) -> String {
    t.strftime("%Y-%m-%d %H:%MZ").to_string()
}

/// A span in its two largest units: `4 d`, `1 d 12 h`, `36 min`.
pub fn span(d: SignedDuration) -> String {
    let minutes = d.as_mins().max(0);
    let (days, hours, rest) = (minutes / 1440, minutes / 60 % 24, minutes % 60);
    match (days, hours, rest) {
        (0, 0, m) => format!("{m} min"),
        (0, h, 0) => format!("{h} h"),
        (0, h, m) => format!("{h} h {m} min"),
        (d, 0, _) => format!("{d} d"),
        (d, h, _) => format!("{d} d {h} h"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_read_well() {
        for (minutes, text) in [
            (0, "0 min"),
            (36, "36 min"),
            (60, "1 h"),
            (90, "1 h 30 min"),
            (4 * 1440, "4 d"),
            (4 * 1440 + 1, "4 d"),
            (36 * 60, "1 d 12 h"),
            (-5, "0 min"),
        ] {
            assert_eq!(span(SignedDuration::from_mins(minutes)), text);
        }
    }
}
