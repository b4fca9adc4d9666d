//! Quantities of Kubernetes: `500m`, `64Gi`, `2`, `12e6`.

use serde_json::Value;

/// Billionths in one.
const ONE: u128 = 1_000_000_000;

/// Suffixes with their factor, in billionths.
const SUFFIXES: [(&str, u128); 16] = [
    ("n", 1),
    ("u", 1_000),
    ("m", 1_000_000),
    ("", ONE),
    ("k", ONE * 1_000),
    ("M", ONE * 1_000_000),
    ("G", ONE * 1_000_000_000),
    ("T", ONE * 1_000_000_000_000),
    ("P", ONE * 1_000_000_000_000_000),
    ("E", ONE * 1_000_000_000_000_000_000),
    ("Ki", ONE << 10),
    ("Mi", ONE << 20),
    ("Gi", ONE << 30),
    ("Ti", ONE << 40),
    ("Pi", ONE << 50),
    ("Ei", ONE << 60),
];

/// Digits before and after the point that are read.
const DIGITS: usize = 18;

/// A quantity in billionths; `None` for what is none, for a negative one and for one that is too large.
pub(super) fn billionths(value: &Value) -> Option<u128> {
    match value {
        Value::String(text) => of_text(text),
        Value::Number(number) => of_text(&number.to_string()),
        _ => None,
    }
}

/// A quantity rounded up to whole ones; `None` as in [`billionths`].
pub(super) fn whole(value: &Value) -> Option<u64> {
    u64::try_from(billionths(value)?.div_ceil(ONE)).ok()
}

fn of_text(text: &str) -> Option<u128> {
    let text = text.trim();
    let text = text.strip_prefix('+').unwrap_or(text);
    let end = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let (number, suffix) = text.split_at(end);
    let (int, fraction) = number.split_once('.').unwrap_or((number, ""));
    if (int.is_empty() && fraction.is_empty()) || fraction.contains('.') {
        return None;
    }
    let int = int.trim_start_matches('0');
    let fraction = fraction.get(..fraction.len().min(DIGITS))?;
    if int.len() > DIGITS {
        return None;
    }
    let digits = |text: &str| if text.is_empty() { Some(0) } else { text.parse::<u128>().ok() };
    let factor = factor(suffix)?;
    let part = digits(fraction)?.checked_mul(factor)? / 10_u128.pow(fraction.len() as u32);
    digits(int)?.checked_mul(factor)?.checked_add(part)
}

/// Factor of a suffix or exponent, in billionths.
fn factor(suffix: &str) -> Option<u128> {
    if let Some((_, factor)) = SUFFIXES.iter().find(|(known, _)| *known == suffix) {
        return Some(*factor);
    }
    let exponent: i32 = suffix.strip_prefix(['e', 'E'])?.parse().ok()?;
    let from_billionths = exponent.checked_add(9).filter(|e| (0..=27).contains(e))?;
    Some(10_u128.pow(from_billionths as u32))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    #[test]
    fn quantities_are_as_kubernetes_writes_them() {
        for (text, want) in [
            ("500m", 500_000_000),
            ("8", 8_000_000_000),
            ("1.5", 1_500_000_000),
            (".5", 500_000_000),
            ("64Gi", 68_719_476_736_000_000_000),
            ("128974848000m", 128_974_848_000_000_000),
            ("12e6", 12_000_000_000_000_000),
            ("12M", 12_000_000_000_000_000),
            ("1E", 1_000_000_000_000_000_000_000_000_000),
            ("100n", 100),
            ("0", 0),
        ] {
            assert_eq!(billionths(&json!(text)), Some(want), "{text}");
        }
        assert_eq!(billionths(&json!(4)), Some(4_000_000_000));
        assert_eq!(whole(&json!("250m")), Some(1), "a part of a CPU counts as one");
        assert_eq!(whole(&json!("2")), Some(2));
    }

    #[test]
    fn what_is_no_quantity_is_none() {
        for odd in ["", "-1", "x", "1.2.3", "1Qi", "1e99", "9999999999999999999999", "1 Gi", "e3"] {
            assert_eq!(billionths(&json!(odd)), None, "{odd}");
        }
        assert_eq!(billionths(&json!(null)), None);
    }

    proptest! {
        #[test]
        fn any_text_is_read_or_refused(text in ".{0,40}") {
            let _ = billionths(&Value::String(text));
        }

        #[test]
        fn thousandths_are_exact(milli in 0_u64..1_000_000_000_000) {
            prop_assert_eq!(
                billionths(&json!(format!("{milli}m"))),
                Some(u128::from(milli) * 1_000_000)
            );
        }
    }
}
