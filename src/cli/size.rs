//! Sizes as they are typed.

/// A size: a number with or without a unit, binary (`GiB`) or decimal (`GB`). `None` for what is
/// none, or is over an exabyte.
pub(super) fn parse(text: &str) -> Option<f64> {
    let text = text.trim();
    let end = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let (number, unit) = text.split_at(end);
    let number: f64 = number.parse().ok()?;
    let unit = unit.trim().to_ascii_lowercase();
    let power = |letter: &str| "kmgtp".find(letter).map(|i| i as i32 + 1);
    let factor = match unit.strip_suffix('b').unwrap_or(&unit) {
        "" => 1.0,
        u => match u.strip_suffix('i') {
            Some(letter) if letter.len() == 1 => 1024f64.powi(power(letter)?),
            None if u.len() == 1 => 1000f64.powi(power(u)?),
            _ => return None,
        },
    };
    let bytes = number * factor;
    (bytes.is_finite() && (0.0..=1e18).contains(&bytes)).then_some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_read_with_their_units() {
        for (text, want) in [
            ("500", Some(500.0)),
            ("20GB", Some(2e10)),
            ("533627GiB", Some(533_627.0 * 1_073_741_824.0)),
            ("1.5 TiB", Some(1.5 * 1024f64.powi(4))),
            ("2k", Some(2000.0)),
            ("2Ki", Some(2048.0)),
            ("7 b", Some(7.0)),
            ("", None),
            ("GiB", None),
            ("-1", None),
            ("1.2.3", None),
            ("5 XB", None),
            ("1e5", None),
            ("9999999PiB", None),
            ("1kk", None),
        ] {
            assert_eq!(parse(text), want, "{text}");
        }
    }
}
