//! Numbers as text: fixed precision, thousands separators, units.
//!
//! Every function takes any `f64`; NaN and infinities come out as `–`, sizes no terminal has room
//! for in scientific notation.

const NOT_A_NUMBER: &str = "–";

/// From here on, digits say nothing and would burst every column.
const HUGE: f64 = 1e15;

/// `number` with `decimals` digits behind the point and commas between thousands. A value that
/// rounds to zero has no sign.
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

fn dollars(number: f64, decimals: usize) -> String {
    let digits = grouped(number, decimals);
    match digits.strip_prefix('-') {
        Some(positive) => format!("-${positive}"),
        None if number.is_finite() => format!("${digits}"),
        None => digits,
    }
}

/// Dollars and cents: `$21.96`.
pub fn usd(amount: f64) -> String {
    dollars(amount, 2)
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

/// An age in seconds in its largest unit, cut: `12s`, `4m`, `3h`, `2d`. Negative is `0s`.
pub fn age(seconds: i64) -> String {
    let seconds = seconds.max(0);
    UNITS
        .iter()
        .find(|(size, _)| seconds >= *size)
        .map_or_else(|| "0s".to_owned(), |(size, unit)| format!("{}{unit}", seconds / size))
}
