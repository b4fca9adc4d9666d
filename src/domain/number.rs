//! Numbers as text, for whoever writes them into sentences.

/// `number` with `decimals` decimal places and commas between thousands; `–` for NaN and ∞. A value that rounds to zero
/// has no sign.
pub fn grouped(number: f64, decimals: usize) -> String {
    if !number.is_finite() {
        return "–".to_owned();
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

/// Formatted number as dollars, with the sign before the `$`; text that is no number is unchanged.
pub fn dollars(digits: String) -> String {
    match digits.strip_prefix('-') {
        Some(positive) => format!("-${positive}"),
        None if digits.starts_with(|c: char| c.is_ascii_digit()) => format!("${digits}"),
        None => digits,
    }
}
