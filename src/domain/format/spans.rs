//! Spans of time and ages.

use jiff::SignedDuration;

use super::plurals::plural;

const UNITS: [(i64, char); 4] = [(86_400, 'd'), (3_600, 'h'), (60, 'm'), (1, 's')];

/// A span of seconds in its two largest units, cut, for a cell: `3d12h`, `45m`, `12s`. Negative is `0s`.
pub fn span(seconds: i64) -> String {
    let seconds = seconds.max(0);
    for (i, (size, unit)) in UNITS.iter().enumerate() {
        if seconds < *size {
            continue;
        }
        let mut out = format!("{}{unit}", seconds / size);
        if let Some((next, next_unit)) = UNITS.get(i + 1) {
            let rest = seconds % size / next;
            if rest > 0 {
                out.push_str(&rest.to_string());
                out.push(*next_unit);
            }
        }
        return out;
    }
    "0s".to_owned()
}

/// An age in seconds in its largest unit, cut, for a cell: `12s`, `4m`, `3h`, `2d`. Negative is `0s`.
pub fn age(seconds: i64) -> String {
    let seconds = seconds.max(0);
    UNITS
        .iter()
        .find(|(size, _)| seconds >= *size)
        .map_or_else(|| "0s".to_owned(), |(size, unit)| format!("{}{unit}", seconds / size))
}

/// A span in its two largest units, cut to minutes, for a sentence: `4 d`, `1 d 12 h`, `36 min`. Negative is `0 min`.
pub fn span_words(span: SignedDuration) -> String {
    let minutes = span.as_mins().max(0);
    match (minutes / 1440, minutes / 60 % 24, minutes % 60) {
        (0, 0, m) => format!("{m} min"),
        (0, h, 0) => format!("{h} h"),
        (0, h, m) => format!("{h} h {m} min"),
        (d, 0, _) => format!("{d} d"),
        (d, h, _) => format!("{d} d {h} h"),
    }
}

/// A span to the minute with whole words, where somebody has to be sure of it: `4 days`, `1 day 12 hours`,
/// `1 hour 30 minutes`. Seconds are left out.
pub fn span_long(span: SignedDuration) -> String {
    let minutes = span.as_mins().max(0);
    let parts = [(minutes / 1440, "day"), (minutes / 60 % 24, "hour"), (minutes % 60, "minute")];
    let parts = parts.iter().filter(|(n, _)| *n > 0);
    let words: Vec<String> = parts.map(|(n, unit)| plural(*n as usize, unit)).collect();
    if words.is_empty() { "less than a minute".to_owned() } else { words.join(" ") }
}

/// A figure that may be a lower bound, for a sentence: `at least 7d`.
pub fn at_least(text: String, at_least: bool) -> String {
    if at_least { format!("at least {text}") } else { text }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn spans_and_ages() {
        let cases = [
            (302_400, "3d12h", "3d"),
            (86_400, "1d", "1d"),
            (86_399, "23h59m", "23h"),
            (240, "4m", "4m"),
            (95, "1m35s", "1m"),
            (12, "12s", "12s"),
            (0, "0s", "0s"),
            (-5, "0s", "0s"),
            (86_400 * 134 + 59, "134d", "134d"),
        ];
        for (seconds, long, short) in cases {
            assert_eq!(span(seconds), long);
            assert_eq!(age(seconds), short);
        }
        assert!(span(i64::MAX).len() < 24);
        assert_eq!(span(i64::MIN), "0s");
    }

    #[test]
    fn spans_in_sentences() {
        for (minutes, words, long) in [
            (0, "0 min", "less than a minute"),
            (36, "36 min", "36 minutes"),
            (60, "1 h", "1 hour"),
            (90, "1 h 30 min", "1 hour 30 minutes"),
            (4 * 1440, "4 d", "4 days"),
            (4 * 1440 + 1, "4 d", "4 days 1 minute"),
            (36 * 60, "1 d 12 h", "1 day 12 hours"),
            (1531, "1 d 1 h", "1 day 1 hour 31 minutes"),
            (-5, "0 min", "less than a minute"),
        ] {
            let span = SignedDuration::from_mins(minutes);
            assert_eq!((span_words(span), span_long(span)), (words.into(), long.into()));
        }
        assert_eq!(span_long(SignedDuration::from_nanos(1)), "less than a minute");
    }

    proptest! {
        #[test]
        fn no_span_is_negative(seconds in any::<i64>()) {
            let long = SignedDuration::from_secs(seconds);
            for text in [span(seconds), age(seconds), span_words(long), span_long(long)] {
                prop_assert!(!text.contains('-'), "{}", text);
            }
        }

        #[test]
        fn what_is_long_is_all_of_it(minutes in 1_i64..1_000_000) {
            let text = span_long(SignedDuration::from_mins(minutes));
            let words: Vec<&str> = text.split(' ').collect();
            let sum: i64 = words.chunks(2).map(|pair| {
                let unit = match pair[1].trim_end_matches('s') {
                    "day" => 1440,
                    "hour" => 60,
                    _ => 1,
                };
                pair[0].parse::<i64>().unwrap() * unit
            }).sum();
            prop_assert_eq!(sum, minutes);
        }
    }
}
