//! Sizes in words.

/// Size with three significant digits in binary units, as prices count them: `1.5 TiB`, `412 KiB`; negative for a
/// decrease, `–` for NaN and ∞.
pub fn size_words(bytes: f64) -> String {
    if !bytes.is_finite() {
        return "–".to_owned();
    }
    let (mut value, mut unit) = (bytes.abs(), "B");
    for next in ["KiB", "MiB", "GiB", "TiB", "PiB", "EiB"] {
        // 999.5 would round to four digits.
        if value < 999.5 {
            break;
        }
        value /= 1024.0;
        unit = next;
    }
    let decimals = usize::from(unit != "B" && value < 9.95);
    let digits = format!("{value:.decimals$}");
    let sign = if bytes < 0.0 && value > 0.0 { "-" } else { "" };
    format!("{sign}{} {unit}", digits.strip_suffix(".0").unwrap_or(&digits))
}
