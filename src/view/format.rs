//! Numbers as text: fixed precision, thousands separators, units.
//!
//! Every function takes any `f64`; NaN and infinities come out as `–`, sizes no terminal has room
//! for in scientific notation.

use super::Symbols;
use crate::domain::number;

const NOT_A_NUMBER: &str = "–";

/// From here on, digits say nothing and would burst every column.
const HUGE: f64 = 1e15;

/// `number` with `decimals` digits behind the point and commas between thousands. A value that
/// rounds to zero has no sign.
pub fn grouped(number: f64, decimals: usize) -> String {
    if number.is_finite() && number.abs() >= HUGE {
        return format!("{number:.1e}");
    }
    number::grouped(number, decimals)
}

fn dollars(number: f64, decimals: usize) -> String {
    number::dollars(grouped(number, decimals))
}

/// Dollars and cents: `$21.96`.
pub fn usd(amount: f64) -> String {
    dollars(amount, 2)
}

/// Small sums in dollars and cents: `$0.03`. What is not nothing does not look like it: `<$0.01`.
pub fn usd_spent(amount: f64) -> String {
    if amount > 0.0 && amount < 0.005 { "<$0.01".to_owned() } else { usd(amount) }
}

/// Dollars per hour: `$412.30/h`.
pub fn usd_per_hour(rate: f64) -> String {
    if rate.is_finite() { format!("{}/h", dollars(rate, 2)) } else { NOT_A_NUMBER.to_owned() }
}

/// Whole dollars: `$184,210`. What is not nothing does not look like it: `<$1`.
pub fn usd_total(amount: f64) -> String {
    if amount > 0.0 && amount < 1.0 { "<$1".to_owned() } else { dollars(amount, 0) }
}

/// A percentage (0–100) as an integer: `38%`.
pub fn percent(value: f64) -> String {
    if value.is_finite() { format!("{}%", grouped(value, 0)) } else { NOT_A_NUMBER.to_owned() }
}

/// Bytes in decimal units, at most three digits: `2 MB`, `1.5 GB`, `412 kB`.
pub fn bytes(count: f64) -> String {
    if !count.is_finite() {
        return NOT_A_NUMBER.to_owned();
    }
    let mut value = count.abs();
    let mut unit = "B";
    for next in ["kB", "MB", "GB", "TB", "PB", "EB"] {
        // 999.5 would round to four digits.
        if value < 999.5 {
            break;
        }
        value /= 1000.0;
        unit = next;
    }
    let decimals = usize::from(unit != "B" && value < 9.95);
    let digits = grouped(if count < 0.0 { -value } else { value }, decimals);
    format!("{} {unit}", digits.strip_suffix(".0").unwrap_or(&digits))
}

/// Binary sizes for memory, which vendors state so: `1,152 GiB`.
pub fn gib(bytes: f64) -> String {
    let value = bytes / 1024f64.powi(3);
    let digits = grouped(value, usize::from(value.abs() < 9.95));
    if value.is_finite() {
        format!("{} GiB", digits.strip_suffix(".0").unwrap_or(&digits))
    } else {
        digits
    }
}

/// A number of things that may be fractions (GPU equivalents): `8`, `0.125`.
pub fn count(number: f64) -> String {
    let digits = grouped(number, 3);
    match digits.split_once('.') {
        Some((whole, fraction)) => match fraction.trim_end_matches('0') {
            "" => whole.to_owned(),
            rest => format!("{whole}.{rest}"),
        },
        None => digits,
    }
}

/// `1 volume`, `3 volumes`: for words that take an s.
pub fn plural(number: usize, word: &str) -> String {
    if number == 1 { format!("1 {word}") } else { format!("{number} {word}s") }
}

const UNITS: [(i64, char); 4] = [(86_400, 'd'), (3_600, 'h'), (60, 'm'), (1, 's')];

/// A span of seconds in its two largest units, cut: `3d12h`, `45m`, `12s`. Negative is `0s`.
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

/// A figure that may be a lower bound, for a cell: `≥7d`, in ASCII `>7d`.
pub fn bound(text: String, at_least: bool, symbols: Symbols) -> String {
    match (at_least, symbols) {
        (false, _) => text,
        (true, Symbols::Unicode) => format!("≥{text}"),
        (true, Symbols::Ascii) => format!(">{text}"),
    }
}

/// A figure that may be a lower bound, for a sentence: `at least 7d`.
pub fn at_least(text: String, at_least: bool) -> String {
    if at_least { format!("at least {text}") } else { text }
}

/// An age in seconds in its largest unit, cut: `12s`, `4m`, `3h`, `2d`. Negative is `0s`.
pub fn age(seconds: i64) -> String {
    let seconds = seconds.max(0);
    UNITS
        .iter()
        .find(|(size, _)| seconds >= *size)
        .map_or_else(|| "0s".to_owned(), |(size, unit)| format!("{}{unit}", seconds / size))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn money() {
        let cases = [
            (21.957_642, "$21.96", "$21.96/h", "$22"),
            (412.3, "$412.30", "$412.30/h", "$412"),
            (184_210.4, "$184,210.40", "$184,210.40/h", "$184,210"),
            (0.0, "$0.00", "$0.00/h", "$0"),
            (-0.0, "$0.00", "$0.00/h", "$0"),
            (-0.001, "$0.00", "$0.00/h", "$0"),
            (0.4, "$0.40", "$0.40/h", "<$1"),
            (-1234.5, "-$1,234.50", "-$1,234.50/h", "-$1,234"),
            (999_999.999, "$1,000,000.00", "$1,000,000.00/h", "$1,000,000"),
            (2e15, "$2.0e15", "$2.0e15/h", "$2.0e15"),
            (f64::NAN, "–", "–", "–"),
            (f64::INFINITY, "–", "–", "–"),
        ];
        for (amount, cents, rate, total) in cases {
            assert_eq!(usd(amount), cents);
            assert_eq!(usd_per_hour(amount), rate);
            assert_eq!(usd_total(amount), total);
        }
    }

    #[test]
    fn small_sums_are_not_nothing() {
        assert_eq!(usd_spent(0.0), "$0.00");
        assert_eq!(usd_spent(0.0001), "<$0.01");
        assert_eq!(usd_spent(0.005), "$0.01");
        assert_eq!(usd_spent(f64::NAN), "–");
    }

    #[test]
    fn quantities() {
        let sizes = [
            (0.0, "0 B"),
            (512.0, "512 B"),
            (999.4, "999 B"),
            (999.6, "1 kB"),
            (1_500.0, "1.5 kB"),
            (2.0e6, "2 MB"),
            (9.96e6, "10 MB"),
            (4.2e9, "4.2 GB"),
            (999_600_000.0, "1 GB"),
            (-2.5e6, "-2.5 MB"),
            (4e30, "4,000,000,000,000 EB"),
            (f64::NAN, "–"),
        ];
        for (count, want) in sizes {
            assert_eq!(bytes(count), want);
        }
        assert_eq!(gib(1_237_940_039_680.0), "1,153 GiB");
        assert_eq!(gib(512.0 * 1_048_576.0), "0.5 GiB");
        assert_eq!(count(8.0), "8");
        assert_eq!(count(0.125), "0.125");
        assert_eq!(count(1_200.0), "1,200");
        assert_eq!(percent(37.6), "38%");
        assert_eq!(percent(-0.2), "0%");
        assert_eq!(percent(f64::NAN), "–");
    }

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

    /// The digits of `text`, read back as a number.
    fn digits(text: &str) -> f64 {
        text.replace(['$', ','], "").trim_end_matches("/h").parse().unwrap()
    }

    proptest! {
        #[test]
        fn money_reads_back_within_half_a_cent(cents in -10_000_000_000_000i64..10_000_000_000_000) {
            let amount = cents as f64 / 100.0;
            let text = usd(amount);
            prop_assert!((digits(&text) - amount).abs() < 0.005 + amount.abs() * 1e-12, "{}", text);
            let whole = text.trim_start_matches(['-', '$']).split('.').next().unwrap();
            let groups: Vec<&str> = whole.split(',').collect();
            prop_assert!((1..=3).contains(&groups[0].len()));
            prop_assert!(groups[1..].iter().all(|g| g.len() == 3));
        }

        #[test]
        fn anything_formats_to_something_short(bits in any::<u64>(), seconds in any::<i64>()) {
            let x = f64::from_bits(bits);
            for text in [usd(x), usd_per_hour(x), usd_total(x), percent(x), count(x)] {
                prop_assert!(!text.is_empty() && text.len() <= 28, "{}", text);
                prop_assert!(!text.contains("NaN") && !text.contains("inf"), "{}", text);
            }
            prop_assert!(!span(seconds).starts_with('-') && !age(seconds).starts_with('-'));
        }

        #[test]
        fn sizes_keep_three_digits(value in 0.0f64..9.9e20) {
            let text = bytes(value);
            let (number, unit) = text.split_once(' ').unwrap();
            let units = ["B", "kB", "MB", "GB", "TB", "PB", "EB"];
            let power = units.iter().position(|u| *u == unit).unwrap();
            let back = number.parse::<f64>().unwrap() * 1000f64.powi(power as i32);
            prop_assert!(number.len() <= 3, "{}", text);
            prop_assert!((back - value).abs() <= value * 0.051 + 0.5, "{} for {}", text, value);
        }
    }
}
