//! Dollars. What is not nothing does not look like it.

use super::numbers::{grouped, trimmed};

/// Formatted number as dollars, with the sign before the `$`; text that is no number is unchanged.
pub fn dollars(digits: String) -> String {
    match digits.strip_prefix('-') {
        Some(positive) => format!("-${positive}"),
        None if digits.starts_with(|c: char| c.is_ascii_digit()) => format!("${digits}"),
        None => digits,
    }
}

/// Dollars and cents: `$21.96`.
pub fn usd(amount: f64) -> String {
    usd_fine(amount, 2)
}

/// Small sums in dollars and cents: `$0.03`, `<$0.01`.
pub fn usd_spent(amount: f64) -> String {
    if amount > 0.0 && amount < 0.005 { "<$0.01".to_owned() } else { usd(amount) }
}

/// Whole dollars: `$184,210`, `<$1`.
pub fn usd_total(amount: f64) -> String {
    if amount > 0.0 && amount < 1.0 { "<$1".to_owned() } else { usd_fine(amount, 0) }
}

/// Dollars per hour: `$412.30/h`.
pub fn usd_per_hour(rate: f64) -> String {
    let digits = usd(rate);
    if rate.is_finite() { format!("{digits}/h") } else { digits }
}

/// Dollars with `decimals` digits, for what costs less than a cent: `$0.0012`.
pub fn usd_fine(amount: f64, decimals: usize) -> String {
    dollars(grouped(amount, decimals))
}

/// A price with two to four decimals, below a cent with its significant digits, so that a calculation can be
/// followed: `$21.9576`, `$1.74`, `$0.000004`.
pub fn usd_rate(amount: f64) -> String {
    let most = if amount.abs() < 0.01 { 9 } else { 4 };
    let (cents, exact) = (grouped(amount, 2), trimmed(amount, most));
    dollars(if exact.len() > cents.len() { exact } else { cents })
}

/// Dollars with cents below a hundred, whole above: `$0.12`, `$88.40`, `$1,204`, `<$0.01`.
pub fn usd_coarse(amount: f64) -> String {
    if amount.abs() < 100.0 { usd_spent(amount) } else { usd_total(amount) }
}

/// Dollars with about three digits: `$412`, `$88.5k`, `$1.14M`, `-$2.1k`.
pub fn usd_short(amount: f64) -> String {
    if !amount.is_finite() {
        return usd(amount);
    }
    if amount == 0.0 {
        return "$0".to_owned();
    }
    let mut value = amount.abs();
    let mut unit = "";
    for next in ["k", "M", "G", "T"] {
        if value < 999.5 {
            break;
        }
        value /= 1000.0;
        unit = next;
    }
    let decimals = match value {
        v if unit.is_empty() && v >= 99.95 => 0,
        v if v < 9.995 => 2,
        v if v < 99.95 => 1,
        _ => 0,
    };
    let digits = grouped(value.copysign(amount), decimals);
    format!("{}{unit}", dollars(digits))
}

/// A sum as `words` has it, with `+` before what is above nothing: `+$1.2k`, `-$3`.
pub fn usd_signed(amount: f64, words: impl FnOnce(f64) -> String) -> String {
    let text = words(amount);
    if amount > 0.0 { format!("+{text}") } else { text }
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
        assert_eq!(usd_coarse(0.0001), "<$0.01");
        assert_eq!(usd_coarse(88.4), "$88.40");
        assert_eq!(usd_coarse(-1_204.4), "-$1,204");
        assert_eq!(usd_coarse(f64::INFINITY), "–");
        assert_eq!(usd_fine(0.000_061, 6), "$0.000061");
        assert_eq!(usd_fine(1_234.5, 4), "$1,234.5000");
    }

    #[test]
    fn rates_keep_the_digits_that_count() {
        let cases = [
            (21.957_642, "$21.9576"),
            (1.0, "$1.00"),
            (0.085, "$0.085"),
            (0.0002, "$0.0002"),
            (0.000_004, "$0.000004"),
            (-0.001, "-$0.001"),
            (0.0, "$0.00"),
            (12_345.5, "$12,345.50"),
            (f64::NAN, "–"),
        ];
        for (amount, text) in cases {
            assert_eq!(usd_rate(amount), text);
        }
    }

    #[test]
    fn dollars_keep_three_digits() {
        let cases = [
            (0.0, "$0"),
            (0.4, "$0.40"),
            (12.34, "$12.3"),
            (412.3, "$412"),
            (999.6, "$1.00k"),
            (88_540.0, "$88.5k"),
            (1_142_049.0, "$1.14M"),
            (-2_130.0, "-$2.13k"),
            (-0.001, "$0.00"),
            (184_210_000.0, "$184M"),
            (2.5e12, "$2.50T"),
            (f64::NAN, "–"),
        ];
        for (amount, text) in cases {
            assert_eq!(usd_short(amount), text);
        }
        assert_eq!(usd_signed(1_200.0, usd_short), "+$1.20k");
        assert_eq!(usd_signed(-1_200.0, usd_total), "-$1,200");
        assert_eq!(usd_signed(0.0, usd_total), "$0");
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
        fn a_rate_reads_back_with_four_digits(rate in -1e6f64..1e6, power in 0_i32..8) {
            let rate = rate / 10f64.powi(power);
            let off = (digits(&usd_rate(rate)) - rate).abs();
            prop_assert!(off <= 0.000_050_001, "{} of {}", usd_rate(rate), rate);
        }

        #[test]
        fn anything_formats_to_something_short(bits in any::<u64>()) {
            use super::super::{bytes, bytes_binary, count, percent};
            let x = f64::from_bits(bits);
            for text in [
                usd(x), usd_per_hour(x), usd_total(x), usd_spent(x), usd_rate(x), usd_coarse(x),
                usd_short(x), usd_fine(x, 6), percent(x, 0), count(x), bytes(x), bytes_binary(x),
            ] {
                prop_assert!(!text.is_empty() && text.len() <= 28, "{}", text);
                prop_assert!(!text.contains("NaN") && !text.contains("inf"), "{}", text);
            }
        }
    }
}
