//! Figures, spans and indices in the sentences of verdicts.

use std::fmt;

/// A figure with its unit: `0.52%`, `38%`, `4.2 GB`. Values below 10 keep two decimals, so that
/// what is near a limit of 5 does not read as 5. Written into the sentence it is for, which has several.
pub(super) fn figure(value: f64, unit: &str) -> impl fmt::Display {
    fmt::from_fn(move |f| {
        let (value, unit) = match unit {
            "bytes/day" => scaled(value),
            "days" => return write!(f, "{value:.0} days"),
            unit => (value, unit),
        };
        let gap = if unit == "%" { "" } else { " " };
        if value.fract() == 0.0 && value < 1e15 {
            // The common case, and many times faster to write than a float.
            return write!(f, "{}{gap}{unit}", value as i64);
        }
        let digits = usize::from(value < 100.0) + usize::from(value < 10.0);
        let text = format!("{value:.digits$}");
        let text = match digits {
            0 => &text,
            _ => text.trim_end_matches('0').trim_end_matches('.'),
        };
        write!(f, "{text}{gap}{unit}")
    })
}

fn scaled(bytes: f64) -> (f64, &'static str) {
    const UNITS: [(f64, &str); 4] = [(1e12, "TB"), (1e9, "GB"), (1e6, "MB"), (1e3, "kB")];
    UNITS
        .into_iter()
        .find(|(size, _)| bytes >= *size)
        .map_or((bytes, "bytes"), |(size, unit)| (bytes / size, unit))
}

/// Hours in words: `36 h`, `3 d`, `3 d 12 h`. Two days and less stay in hours.
pub(super) fn span(hours: u32) -> impl fmt::Display {
    fmt::from_fn(move |f| match (hours / 24, hours % 24) {
        (0 | 1, _) => write!(f, "{hours} h"),
        (d, 0) => write!(f, "{d} d"),
        (d, h) => write!(f, "{d} d {h} h"),
    })
}

/// Device indices in words: `0, 3–5, 7`.
pub(super) fn indices(sorted: impl Iterator<Item = u16>) -> String {
    let mut runs: Vec<(u16, u16)> = Vec::new();
    for i in sorted {
        match runs.last_mut() {
            Some(run) if run.1.checked_add(1) == Some(i) => run.1 = i,
            _ => runs.push((i, i)),
        }
    }
    let words: Vec<String> = runs
        .into_iter()
        .map(|(a, b)| match b - a {
            0 => a.to_string(),
            1 => format!("{a}, {b}"),
            _ => format!("{a}–{b}"),
        })
        .collect();
    words.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_spans_and_indices() {
        assert_eq!(figure(4.96, "%").to_string(), "4.96%");
        assert_eq!(figure(5.0, "%").to_string(), "5%");
        assert_eq!(figure(38.25, "%").to_string(), "38.2%");
        assert_eq!(figure(100.0, "%").to_string(), "100%");
        assert_eq!(figure(0.0, "%").to_string(), "0%");
        assert_eq!(figure(2.1e6, "bytes/day").to_string(), "2.1 MB");
        assert_eq!(figure(999.0, "bytes/day").to_string(), "999 bytes");
        assert_eq!(figure(4.0, "days").to_string(), "4 days");
        assert_eq!(span(5).to_string(), "5 h");
        assert_eq!(span(47).to_string(), "47 h");
        assert_eq!(span(84).to_string(), "3 d 12 h");
        assert_eq!(span(168).to_string(), "7 d");
        assert_eq!(indices([0, 3, 4, 5, 7, 8].into_iter()), "0, 3–5, 7, 8");
        assert_eq!(indices(std::iter::empty()), "");
    }
}
