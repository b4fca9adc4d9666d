//! Bytes.

use super::NOT_A_NUMBER;
use super::numbers::{grouped, trimmed};

/// Bytes in decimal units, at most three digits, for rates and traffic: `2 MB`, `1.5 GB`, `412 kB`.
pub fn bytes(count: f64) -> String {
    scaled(count, 1000.0, ["B", "kB", "MB", "GB", "TB", "PB", "EB"])
}

/// Bytes in binary units, at most three digits, as storage is priced: `1.5 TiB`, `412 KiB`; negative for a decrease.
pub fn bytes_binary(count: f64) -> String {
    scaled(count, 1024.0, ["B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"])
}

/// Bytes in GiB, for memory, which vendors state so: `1,152 GiB`.
pub fn gib(bytes: f64) -> String {
    let value = bytes / 1024f64.powi(3);
    if !value.is_finite() {
        return NOT_A_NUMBER.to_owned();
    }
    format!("{} GiB", trimmed(value, usize::from(value.abs() < 9.95)))
}

fn scaled(count: f64, step: f64, units: [&str; 7]) -> String {
    if !count.is_finite() {
        return NOT_A_NUMBER.to_owned();
    }
    let (mut value, mut unit) = (count.abs(), 0);
    // 999.5 would round to four digits.
    while value >= 999.5 && unit + 1 < units.len() {
        value /= step;
        unit += 1;
    }
    let decimals = usize::from(unit > 0 && value < 9.95);
    let digits = grouped(if count < 0.0 { -value } else { value }, decimals);
    format!("{} {}", digits.strip_suffix(".0").unwrap_or(&digits), units[unit])
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn sizes_in_decimal_units() {
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
    }

    #[test]
    fn sizes_in_binary_units() {
        let sizes = [
            (0.0, "0 B"),
            (999.0, "999 B"),
            (1_024.0, "1 KiB"),
            (1_610_612_736.0, "1.5 GiB"),
            (-2_097_152.0, "-2 MiB"),
            (f64::INFINITY, "–"),
        ];
        for (count, want) in sizes {
            assert_eq!(bytes_binary(count), want);
        }
        assert_eq!(gib(1_237_940_039_680.0), "1,153 GiB");
        assert_eq!(gib(512.0 * 1_048_576.0), "0.5 GiB");
        assert_eq!(gib(f64::NAN), "–");
    }

    proptest! {
        #[test]
        fn sizes_keep_three_digits(value in 0.0f64..9.9e20) {
            let decimal = ["B", "kB", "MB", "GB", "TB", "PB", "EB"];
            let binary = ["B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"];
            let texts = [(bytes(value), decimal, 1000f64), (bytes_binary(value), binary, 1024f64)];
            for (text, units, step) in texts {
                let (number, unit) = text.split_once(' ').unwrap();
                let power = units.iter().position(|u| *u == unit).unwrap();
                let back = number.parse::<f64>().unwrap() * step.powi(power as i32);
                prop_assert!(number.len() <= 3, "{}", text);
                prop_assert!((back - value).abs() <= value * 0.051 + 0.5, "{} for {}", text, value);
            }
        }
    }
}
