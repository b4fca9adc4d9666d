//! Numbers without a unit.

use super::NOT_A_NUMBER;

/// From here on, digits say nothing and would burst every column.
const HUGE: f64 = 1e15;

/// `number` with `decimals` digits behind the point and commas between thousands. A value that rounds to zero
/// has no sign.
pub fn grouped(number: f64, decimals: usize) -> String {
    if !number.is_finite() {
        return NOT_A_NUMBER.to_owned();
    }
    if number.abs() >= HUGE {
        return format!("{number:.1e}");
    }
    let plain = format!("{:.decimals$}", number.abs());
    let negative = number < 0.0 && plain.bytes().any(|b| matches!(b, b'1'..=b'9'));
    let (whole, fraction) = plain.split_at(plain.find('.').unwrap_or(plain.len()));
    let mut out = String::with_capacity(plain.len() + plain.len() / 3 + 1);
    if negative {
        out.push('-');
    }
    for (i, digit) in whole.chars().enumerate() {
        if i > 0 && (whole.len() - i).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out.push_str(fraction);
    out
}

/// As [`grouped`], with at most `decimals` digits behind the point: `8`, `0.125`, `62.5`.
pub fn trimmed(number: f64, decimals: usize) -> String {
    let mut digits = grouped(number, decimals);
    // The zeros of an exponent count.
    if digits.contains('.') && !digits.contains('e') {
        digits.truncate(digits.trim_end_matches('0').trim_end_matches('.').len());
    }
    digits
}

/// A number of things that may be fractions (GPU equivalents): `8`, `0.125`.
pub fn count(number: f64) -> String {
    trimmed(number, 3)
}

/// A number of things in few characters: `812`, `9,999`, `45k`, `1.2M`.
pub fn count_short(number: f64) -> String {
    if !number.is_finite() {
        return NOT_A_NUMBER.to_owned();
    }
    let mut value = number;
    let mut unit = "";
    for next in ["k", "M", "G", "T"] {
        if value < 9_999.5 && unit.is_empty() || value < 999.5 {
            break;
        }
        value /= 1000.0;
        unit = next;
    }
    format!("{}{unit}", trimmed(value, usize::from(!unit.is_empty() && value < 9.95)))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn counts_have_no_needless_digits() {
        assert_eq!(count(8.0), "8");
        assert_eq!(count(0.125), "0.125");
        assert_eq!(count(1_200.0), "1,200");
        assert_eq!(count(-0.000_1), "0");
        assert_eq!(trimmed(62.5, 1), "62.5");
        assert_eq!(trimmed(10_000.0, 4), "10,000");
        assert_eq!(trimmed(f64::NAN, 2), "–");
        assert_eq!(trimmed(1e20, 3), "1.0e20");
    }

    #[test]
    fn short_counts_have_a_unit() {
        let cases = [
            (812.0, "812"),
            (9_999.0, "9,999"),
            (45_000.0, "45k"),
            (1_200_000.0, "1.2M"),
            (1_000_000.0, "1M"),
            (2e12, "2T"),
            (f64::INFINITY, "–"),
        ];
        for (number, text) in cases {
            assert_eq!(count_short(number), text);
        }
    }

    proptest! {
        #[test]
        fn what_is_trimmed_is_the_number_that_was_rounded(number in -1e9f64..1e9, decimals in 0_usize..7) {
            let read = |text: String| text.replace(',', "").parse::<f64>().unwrap();
            prop_assert_eq!(read(trimmed(number, decimals)), read(grouped(number, decimals)));
            let text = trimmed(number, decimals);
            prop_assert!(!text.contains('.') || !text.ends_with(['0', '.']), "{}", text);
        }
    }
}
