//! Typed values: the text as written and what it means.

use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;

use super::kind::Unit;
use crate::domain::HOURS_PER_MONTH;

/// Value in a comparison.
#[derive(Clone, Debug, PartialEq)]
pub enum Literal {
    /// Text to compare with or search for.
    Text(TextLiteral),
    /// A quantity in the field's unit.
    Number(NumberLiteral),
    /// A point in time or a day.
    Time(TimeLiteral),
}

impl Literal {
    /// The value as it was written, without quotes.
    pub fn as_written(&self) -> &str {
        match self {
            Self::Text(t) => &t.text,
            Self::Number(n) => &n.text,
            Self::Time(t) => &t.text,
        }
    }
}

/// Text with its lower-case form for comparison.
#[derive(Clone, Debug, PartialEq)]
pub struct TextLiteral {
    text: String,
    folded: String,
}

impl TextLiteral {
    /// Keeps `text` as written and in lower case.
    pub(super) fn new(text: &str) -> Self {
        Self { text: text.to_owned(), folded: text.to_lowercase() }
    }

    /// Text as written.
    pub fn as_written(&self) -> &str {
        &self.text
    }

    /// True when `have` is this text, ignoring case.
    pub fn equals(&self, have: &str) -> bool {
        if have.is_ascii() {
            have.eq_ignore_ascii_case(&self.folded)
        } else {
            have.to_lowercase() == self.folded
        }
    }

    /// True when `have` contains this text, ignoring case.
    pub fn is_in(&self, have: &str) -> bool {
        contains_folded(have, &self.folded)
    }
}

/// True when `have` contains `folded` (which must be lower case), ignoring the case of `have`. Allocates only for text
/// beyond ASCII.
pub(crate) fn contains_folded(have: &str, folded: &str) -> bool {
    if !have.is_ascii() {
        return have.to_lowercase().contains(folded);
    }
    let (have, want) = (have.as_bytes(), folded.as_bytes());
    let Some(&first) = want.first() else { return true };
    if want.len() > have.len() {
        return false;
    }
    (0..=have.len() - want.len()).any(|i| {
        have[i].to_ascii_lowercase() == first && have[i..i + want.len()].eq_ignore_ascii_case(want)
    })
}

/// True when `have` begins with `folded` (which must be lower case), ignoring the case of `have`. Allocates only for text
/// beyond ASCII.
pub(crate) fn begins_folded(have: &str, folded: &str) -> bool {
    if !have.is_ascii() {
        return have.to_lowercase().starts_with(folded);
    }
    let begin = have.as_bytes().get(..folded.len());
    begin.is_some_and(|begin| begin.eq_ignore_ascii_case(folded.as_bytes()))
}

/// A quantity with the tolerance of its written precision.
#[derive(Clone, Debug, PartialEq)]
pub struct NumberLiteral {
    text: String,
    /// Value in the field's unit.
    pub value: f64,
    /// `=` holds for `value - below ≤ x < value + above`; both 0 for exact comparison.
    below: f64,
    above: f64,
}

impl NumberLiteral {
    /// True when `have` equals the value at the precision it was written with.
    pub fn equals(&self, have: f64) -> bool {
        if self.above == 0.0 {
            // Counts and fractions of GPUs: both sides are typed or tabulated decimals.
            (have - self.value).abs() < 1e-9
        } else {
            self.value - self.below <= have && have < self.value + self.above
        }
    }

    /// Parses `text` as a quantity of `unit`. Err, with an example for the message, when it is none.
    pub(super) fn parse(text: &str, unit: Unit) -> Result<Self, String> {
        let parsed = match unit {
            Unit::Seconds => span(text),
            _ => quantity(text, unit),
        };
        let (value, below, above) =
            parsed.filter(|(v, ..)| v.is_finite()).ok_or_else(|| unit.example().to_owned())?;
        Ok(Self { text: text.to_owned(), value, below, above })
    }
}

/// Point in time as the half-open range that was written: a day, or a second.
#[derive(Clone, Debug, PartialEq)]
pub struct TimeLiteral {
    text: String,
    /// First moment of the range.
    pub from: Timestamp,
    /// First moment after the range.
    pub to: Timestamp,
}

impl TimeLiteral {
    /// Parses a UTC date or an RFC 3339 time. Err, with an example for the message, for any other text.
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        let range = if let Ok(date) = text.parse::<Date>().and_then(|d| {
            let start = |d: Date| d.to_zoned(TimeZone::UTC).map(|z| z.timestamp());
            Ok((start(d)?, start(d.tomorrow()?)?))
        }) && text.len() == 10
        {
            Some(date)
        } else {
            text.parse::<Timestamp>()
                .ok()
                .and_then(|t| Some((t, t.checked_add(jiff::SignedDuration::from_secs(1)).ok()?)))
        };
        let (from, to) = range.ok_or_else(|| {
            "a UTC date like 2026-01-31 or a time like 2026-01-31T06:00:00Z".to_owned()
        })?;
        Ok(Self { text: text.to_owned(), from, to })
    }
}

/// The number at the head of `text` and half of its last digit's worth. Thousands may be grouped
/// by commas.
fn mantissa(text: &str) -> Option<(f64, f64, &str)> {
    let end =
        text.find(|c: char| !(c.is_ascii_digit() || matches!(c, '.' | ','))).unwrap_or(text.len());
    let (number, rest) = text.split_at(end);
    let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
    if whole.is_empty() || fraction.contains(['.', ',']) {
        return None;
    }
    let mut groups = whole.split(',');
    let head = groups.next()?;
    let grouped = whole.contains(',');
    if head.is_empty() || (grouped && head.len() > 3) || groups.any(|g| g.len() != 3) {
        return None;
    }
    let value: f64 = number.replace(',', "").parse().ok()?;
    Some((value, 0.5 * 10f64.powi(-(fraction.len() as i32)), rest))
}

/// Value, and how far `=` reaches below and above it.
type Ranged = (f64, f64, f64);

fn quantity(text: &str, unit: Unit) -> Option<Ranged> {
    let money = matches!(unit, Unit::Usd | Unit::UsdPerHour);
    let text = if money { text.strip_prefix('$').unwrap_or(text) } else { text };
    let (value, half, mut suffix) = mantissa(text)?;
    let mut factor = 1.0;
    if money || unit == Unit::Count {
        for (letter, times) in [("k", 1e3), ("K", 1e3), ("M", 1e6)] {
            if let Some(rest) = suffix.strip_prefix(letter) {
                factor = times;
                suffix = rest;
                break;
            }
        }
    }
    let suffix = suffix.to_ascii_lowercase();
    let dollars = ["dollars", "dollar", "usd"].iter().find_map(|word| suffix.strip_prefix(*word));
    let suffix = dollars.filter(|_| money).unwrap_or(&suffix);
    // What it is per is written with a slash, or in words.
    let (of, per) = match suffix.split_once('/').or_else(|| suffix.split_once("per")) {
        Some((of, per)) if !per.is_empty() => (of, per),
        Some(_) => return None,
        None => (suffix, ""),
    };
    factor *= match (unit, of, per) {
        (Unit::Count | Unit::Usd, "", "") => 1.0,
        (Unit::Percent, "" | "%", "") => 1.0,
        (Unit::Percent, "", "cent") => 1.0,
        (Unit::UsdPerHour, "", "" | "h" | "hr" | "hour") => 1.0,
        (Unit::UsdPerHour, "", "d" | "day") => 1.0 / 24.0,
        (Unit::UsdPerHour, "", "mo" | "month") => 1.0 / HOURS_PER_MONTH,
        (Unit::Bytes, of, "") => bytes_factor(of)?,
        (Unit::BytesPerDay, of, "" | "d" | "day") => bytes_factor(of)?,
        _ => return None,
    };
    let reach = if unit == Unit::Count { 0.0 } else { half * factor };
    Some((value * factor, reach, reach))
}

/// Bytes in a unit, by its lower-case name or word: decimal for `kb`, binary for `kib`.
fn bytes_factor(suffix: &str) -> Option<f64> {
    Some(match suffix.strip_suffix("bytes").or_else(|| suffix.strip_suffix("byte")) {
        Some(prefix) => match prefix {
            "" => 1.0,
            "kilo" => 1e3,
            "mega" => 1e6,
            "giga" => 1e9,
            "tera" => 1e12,
            "kibi" => 1024.0,
            "mebi" => 1024f64.powi(2),
            "gibi" => 1024f64.powi(3),
            "tebi" => 1024f64.powi(4),
            _ => return None,
        },
        None => match suffix {
            "" | "b" => 1.0,
            "kb" => 1e3,
            "mb" => 1e6,
            "gb" => 1e9,
            "tb" => 1e12,
            "kib" => 1024.0,
            "mib" => 1024f64.powi(2),
            "gib" => 1024f64.powi(3),
            "tib" => 1024f64.powi(4),
            _ => return None,
        },
    })
}

/// A span in seconds: numbers each followed by w, d, h, m or s, or by the word. `=` holds for spans that are cut
/// to it (`3d` for all of the fourth day), as ages are shown.
fn span(text: &str) -> Option<Ranged> {
    if text == "0" {
        return Some((0.0, 0.0, 1.0));
    }
    let mut rest = text;
    let mut total = 0.0;
    let mut last = f64::INFINITY;
    while !rest.is_empty() {
        let (value, _, tail) = mantissa(rest)?;
        let end = tail.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(tail.len());
        let (unit, tail) = tail.split_at(end);
        let seconds = match &*unit.to_ascii_lowercase() {
            "w" | "week" | "weeks" => 604_800.0,
            "d" | "day" | "days" => 86_400.0,
            "h" | "hr" | "hrs" | "hour" | "hours" => 3_600.0,
            "m" | "min" | "mins" | "minute" | "minutes" => 60.0,
            "s" | "sec" | "secs" | "second" | "seconds" => 1.0,
            _ => return None,
        };
        if seconds >= last {
            return None;
        }
        last = seconds;
        total += value * seconds;
        rest = tail;
    }
    last.is_finite().then_some((total, 0.0, last))
}
