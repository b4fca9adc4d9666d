//! Numbers in the arithmetic of a sheet. The screens format results themselves; these are only for
//! the lines that show how a number came about.

use crate::domain::format;
use crate::domain::text::clean;

pub use crate::domain::format::{grouped, usd_rate as rate};

/// For serde: reads a string through `domain::text::clean`, which makes it safe to show. Fails where it is no
/// string.
pub fn clean_text<'de, D: serde::Deserializer<'de>>(from: D) -> Result<String, D::Error> {
    let text = <String as serde::Deserialize>::deserialize(from)?;
    Ok(clean(&text).into_owned())
}

/// Dollars: whole from 1,000 on, with cents below, and below a cent with its significant digits.
pub fn usd(amount: f64) -> String {
    match amount.abs() {
        size if size >= 1_000.0 => format::usd_total(amount),
        size if size >= 0.01 => format::usd(amount),
        _ => rate(amount),
    }
}

/// A share (0–1) as a percentage: `75.1%`.
pub fn share(part: f64) -> String {
    format::percent_trimmed(100.0 * part, 1)
}

/// A number without unit: no decimals from 100 on, one from 10 on, else up to three.
pub fn number(value: f64) -> String {
    let decimals = match value.abs() {
        size if size >= 100.0 => 0,
        size if size >= 10.0 => 1,
        _ => 3,
    };
    format::trimmed(value, decimals)
}

/// A number with its noun: `1 month`, `1.5 months`.
pub fn counted(value: f64, noun: &str) -> String {
    let text = number(value);
    let noun = format::noun(usize::from(text == "1"), noun);
    format!("{text} {noun}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_as_text() {
        assert_eq!(usd(1_803_428.57), "$1,803,429");
        assert_eq!(usd(-12.5), "-$12.50");
        assert_eq!(usd(0.000_004), "$0.000004");
        assert_eq!(usd(0.0002), "$0.0002");
        assert_eq!(rate(21.957_642), "$21.9576");
        assert_eq!(rate(1.0), "$1.00");
        assert_eq!(rate(0.085), "$0.085");
        assert_eq!(rate(f64::NAN), "–");
        assert_eq!(usd(0.0), "$0.00");
        assert_eq!(share(0.7514), "75.1%");
        assert_eq!(share(0.6), "60%");
        assert_eq!(number(2.0), "2");
        assert_eq!(number(1.428_571), "1.429");
        assert_eq!(number(10_000.0), "10,000");
        let months = [0.0, 1.0, 1.5, 12.0].map(|months| counted(months, "month"));
        assert_eq!(months, ["0 months", "1 month", "1.5 months", "12 months"]);
        assert_eq!((usd(f64::NAN), share(f64::INFINITY)), ("–".to_owned(), "–".to_owned()));
        assert_eq!(grouped(-0.001, 2), "0.00");
    }
}
