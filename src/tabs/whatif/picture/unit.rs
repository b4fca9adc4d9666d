//! The units of inputs: how a value is written, and how a typed one is read.

use crate::view::format;

/// Unit of an input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// A share, 0.3 = 30%.
    Share,
    /// USD per unit and hour.
    Rate,
    /// USD per hour.
    UsdPerHour,
    /// Units of a family.
    Units,
    /// Weeks.
    Weeks,
    /// Hours.
    Hours,
    /// Events per hour.
    PerHour,
    /// A number without unit.
    Plain,
}

impl Unit {
    /// Unit behind the value; empty where [`Unit::show`] includes it.
    pub fn word(self) -> &'static str {
        match self {
            Self::Share | Self::Rate | Self::UsdPerHour | Self::Plain => "",
            Self::Units => "units",
            Self::Weeks => "wk",
            Self::Hours => "h",
            Self::PerHour => "/h",
        }
    }

    /// Accepted forms, for the label of the prompt.
    pub fn hint(self) -> &'static str {
        match self {
            Self::Share => "like 30%",
            Self::Rate | Self::UsdPerHour => "$ per hour, like 1.74",
            Self::Units | Self::Plain => "a number",
            Self::Weeks => "weeks, or like 3y, 6mo",
            Self::Hours => "hours, or like 5min",
            Self::PerHour => "per hour, or like 1/d",
        }
    }

    /// The value as shown: `30%`, `$1.74`, `52 wk`.
    pub fn show(self, value: f64) -> String {
        match self {
            Self::Share => format::percent_trimmed(value * 100.0, 2),
            Self::Rate => format::usd_rate(value),
            Self::UsdPerHour => format!("{}/h", format::usd_rate(value)),
            Self::Plain => format::count(value),
            Self::PerHour => format!("{}/h", format::trimmed(value, 4)),
            Self::Units => format::trimmed(value, 1),
            Self::Weeks | Self::Hours => format!("{} {}", format::trimmed(value, 2), self.word()),
        }
    }

    /// Parses a typed value; `Ok(None)` = removed or not known. Fails with what is expected.
    pub fn read(self, text: &str) -> Result<Option<f64>, String> {
        let text = text.trim().to_ascii_lowercase();
        if matches!(&*text, "" | "-" | "–" | "none" | "unknown" | "off") {
            return Ok(None);
        }
        let text = &*text;
        let value = match self {
            Self::Share => share(text)?,
            Self::Rate | Self::UsdPerHour => {
                let text = text.strip_suffix("/h").unwrap_or(text).trim();
                match text.strip_prefix("-$").filter(|bare| !bare.starts_with(['-', '+'])) {
                    Some(bare) => -number(bare.trim())?,
                    None => number(text.trim_start_matches('$').trim())?,
                }
            }
            Self::Units | Self::Plain => number(text.strip_suffix("units").unwrap_or(text).trim())?,
            Self::Weeks => {
                let weeks = [
                    ("weeks", 1.0),
                    ("week", 1.0),
                    ("wk", 1.0),
                    ("w", 1.0),
                    ("years", 52.0),
                    ("year", 52.0),
                    ("y", 52.0),
                    ("months", 52.0 / 12.0),
                    ("month", 52.0 / 12.0),
                    ("mo", 52.0 / 12.0),
                    ("days", 1.0 / 7.0),
                    ("d", 1.0 / 7.0),
                ];
                scaled(text, &weeks)?.round()
            }
            Self::Hours => scaled(
                text,
                &[("min", 1.0 / 60.0), ("m", 1.0 / 60.0), ("s", 1.0 / 3600.0), ("h", 1.0)],
            )?,
            Self::PerHour => scaled(text, &[("/h", 1.0), ("/d", 1.0 / 24.0), ("/w", 1.0 / 168.0)])?,
        };
        Ok(Some(value))
    }
}

/// A part: with its sign, or as a number of percent where it cannot be mistaken for a part.
fn share(text: &str) -> Result<f64, String> {
    if let Some(percent) = text.strip_suffix('%') {
        return Ok(number(percent.trim())? / 100.0);
    }
    let value = number(text)?;
    if value != 0.0 && value.abs() < 1.0 {
        return Err(format!(
            "`{text}`: write {text}% or {}",
            format::percent_trimmed(value * 100.0, 4)
        ));
    }
    Ok(value / 100.0)
}

/// A number with one of the endings, times what it stands for; without one, as it is.
fn scaled(text: &str, endings: &[(&str, f64)]) -> Result<f64, String> {
    let found = endings.iter().find_map(|(end, factor)| Some((text.strip_suffix(end)?, factor)));
    match found {
        Some((bare, factor)) => Ok(number(bare.trim())? * factor),
        None => number(text),
    }
}

/// A number, thousands separated by commas or not, `k` and `m` for thousands and millions.
fn number(text: &str) -> Result<f64, String> {
    let wrong = || format!("`{text}` is no number");
    let (bare, factor) = match text.strip_suffix('k') {
        Some(bare) => (bare, 1e3),
        None => text.strip_suffix('m').map_or((text, 1.0), |bare| (bare, 1e6)),
    };
    let mut groups = bare.split(',');
    let first = groups.next().unwrap_or_default();
    let digits = first.trim_start_matches(['-', '+']);
    let mut plain = first.to_owned();
    for group in groups {
        let whole = group.split('.').next().unwrap_or_default();
        if whole.len() != 3 || digits.is_empty() || digits.len() > 3 {
            return Err(format!("`{text}`: write the decimals after a point, like 1.74"));
        }
        plain.push_str(group);
    }
    // Of what Rust reads, a person means digits only.
    if !plain.bytes().all(|b| b.is_ascii_digit() || matches!(b, b'.' | b'-' | b'+')) {
        return Err(wrong());
    }
    plain.parse::<f64>().map(|value| value * factor).map_err(|_| wrong())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_written_with_their_units() {
        let cases = [
            (Unit::Share, 0.3, "30%"),
            (Unit::Share, 0.005, "0.5%"),
            (Unit::Share, -0.2, "-20%"),
            (Unit::Rate, 1.74, "$1.74"),
            (Unit::Rate, 13.921_094, "$13.9211"),
            (Unit::UsdPerHour, 120.0, "$120.00/h"),
            (Unit::Weeks, 52.0, "52 wk"),
            (Unit::Hours, 0.05, "0.05 h"),
            (Unit::Units, 62.0, "62"),
            (Unit::Units, 62.5, "62.5"),
            (Unit::Plain, 10_000.0, "10,000"),
            (Unit::PerHour, 0.002, "0.002/h"),
        ];
        for (unit, value, text) in cases {
            assert_eq!(unit.show(value), text);
        }
    }

    #[test]
    fn typed_values_are_read_with_units() {
        let cases = [
            (Unit::Share, "30%", 0.3),
            (Unit::Share, "30", 0.3),
            (Unit::Share, "0.5 %", 0.005),
            (Unit::Share, "0", 0.0),
            (Unit::Rate, "$1.74", 1.74),
            (Unit::Rate, "1.74/h", 1.74),
            (Unit::Rate, "$1,234.5", 1234.5),
            (Unit::Rate, "-$1,234.5/h", -1234.5),
            (Unit::Rate, "$-2", -2.0),
            (Unit::Weeks, "12", 12.0),
            (Unit::Weeks, "3y", 156.0),
            (Unit::Weeks, "6mo", 26.0),
            (Unit::Weeks, "14 d", 2.0),
            (Unit::Hours, "30min", 0.5),
            (Unit::Hours, "2h", 2.0),
            (Unit::PerHour, "1/d", 1.0 / 24.0),
            (Unit::Units, "1.2k", 1200.0),
            (Unit::Plain, "-5", -5.0),
        ];
        for (unit, text, value) in cases {
            let got = unit.read(text).unwrap().unwrap();
            assert!((got - value).abs() < 1e-12, "{text}: {got}");
        }
        for none in ["", " - ", "–", "none"] {
            assert_eq!(Unit::Rate.read(none), Ok(None));
        }
    }

    #[test]
    fn what_could_mean_two_things_is_asked_back() {
        insta::assert_debug_snapshot!([
            Unit::Share.read("0.3"),
            Unit::Rate.read("1,74"),
            Unit::Rate.read("inf"),
            Unit::Units.read("nan"),
            Unit::Units.read("12x"),
            Unit::Weeks.read("soon"),
            Unit::Rate.read("1e400"),
        ]);
    }

    proptest::proptest! {
        #[test]
        fn what_is_written_is_read_again(value in -1e6f64..1e6) {
            for unit in [Unit::Share, Unit::Rate, Unit::Units, Unit::Hours, Unit::PerHour] {
                let text = unit.show(value);
                let back = unit.read(&text);
                // A part below 1% keeps its sign, so that nothing is ambiguous.
                let back = back.unwrap().unwrap();
                let off = if unit == Unit::Units { 0.051 } else { 0.005_1 };
                proptest::prop_assert!((back - value).abs() <= off, "{} -> {}", text, back);
            }
        }

        #[test]
        fn nothing_typed_breaks_it(text in ".{0,20}") {
            for unit in [Unit::Share, Unit::Rate, Unit::Weeks, Unit::Hours, Unit::PerHour] {
                if let Ok(Some(value)) = unit.read(&text) {
                    proptest::prop_assert!(value.is_finite());
                }
            }
        }
    }
}
