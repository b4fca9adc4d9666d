//! One line of a CSV file, and the numbers in it.

use std::borrow::Cow;

use super::MAX_FAMILIES;

/// A field of a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Cell<'a> {
    /// Text of the cell, without quotes and blanks around it.
    pub(super) text: Cow<'a, str>,
    /// First column, in characters from 1.
    pub(super) column: usize,
}

/// The separators that are known, the most telling first: nobody writes a `;` into a number.
pub(super) const SEPARATORS: [char; 3] = [';', '\t', ','];

/// The separator of a header: the first known one that stands in it outside of quotes.
pub(super) fn separator(header: &str) -> char {
    let mut quoted = false;
    let mut outside = [false; SEPARATORS.len()];
    for c in header.chars() {
        quoted ^= c == '"';
        if let Some(known) = SEPARATORS.iter().position(|s| *s == c && !quoted) {
            outside[known] = true;
        }
    }
    SEPARATORS.into_iter().zip(outside).find(|(_, stands)| *stands).map_or(',', |(s, _)| s)
}

/// The most fields of a line: what is more is one too many, and no more of them are looked at.
const FIELDS_AT_MOST: usize = MAX_FAMILIES + 1_000;

/// The fields of a line; of a line with far more than there may be, the first. `Err` with the column
/// of a quote that nothing closes.
pub(super) fn split(line: &str, separator: char) -> Result<Vec<Cell<'_>>, usize> {
    let mut cells = Vec::new();
    let mut rest = line;
    let mut column = 1;
    loop {
        let blanks = rest.len() - rest.trim_start_matches(' ').len();
        let (text, used) = match rest[blanks..].strip_prefix('"') {
            Some(quoted) => {
                let (text, used) = unquote(quoted).ok_or(column + blanks)?;
                let after = &rest[blanks + 1 + used..];
                // What stands between the quote and the separator belongs to the field.
                let tail = after.find(separator).unwrap_or(after.len());
                let text = match after[..tail].trim() {
                    "" => text,
                    more => Cow::Owned(format!("{text}{more}")),
                };
                (text, blanks + 1 + used + tail)
            }
            None => {
                let end = rest.find(separator).unwrap_or(rest.len());
                (Cow::Borrowed(rest[..end].trim()), end)
            }
        };
        cells.push(Cell { text, column: column + blanks });
        if used == rest.len() {
            return Ok(cells);
        }
        if cells.len() >= FIELDS_AT_MOST {
            // Never an empty one, which would be taken for what spreadsheets leave behind.
            cells.push(Cell { text: Cow::Borrowed("…"), column });
            return Ok(cells);
        }
        column += rest[..used].chars().count() + 1;
        rest = &rest[used + separator.len_utf8()..];
    }
}

/// The text up to the closing quote, and the bytes up to and with it.
fn unquote(quoted: &str) -> Option<(Cow<'_, str>, usize)> {
    let mut from = 0;
    loop {
        let at = from + quoted[from..].find('"')?;
        if !quoted[at + 1..].starts_with('"') {
            let text = &quoted[..at];
            let text = match text.contains("\"\"") {
                true => Cow::Owned(text.replace("\"\"", "\"")),
                false => Cow::Borrowed(text),
            };
            return Some((text, at + 1));
        }
        from = at + 2;
    }
}

/// The most units of a family: more is no count of machines.
const MAX_UNITS: f64 = 1e12;

/// Units of a field: `NaN` for an empty one, which is a gap. `Err` says what is wrong.
pub(super) fn units(text: &str, separator: char) -> Result<f64, String> {
    if text.is_empty() {
        return Ok(f64::NAN);
    }
    let comma = separator != ',' && text.matches(',').count() == 1 && !text.contains('.');
    let number = if comma { text.replace(',', ".") } else { text.to_owned() };
    match number.parse::<f64>() {
        Ok(units) if units.is_nan() => {
            Err(format!("`{text}` is no number of units; leave the cell empty where it is unknown"))
        }
        Ok(units) if units < 0.0 => {
            Err(format!("{text} is negative; demand counts units that run, 0 or more"))
        }
        Ok(units) if units > MAX_UNITS => Err(format!("{text} is too large for a demand")),
        Ok(units) => Ok(units + 0.0),
        Err(_) if text.contains(',') => Err(format!(
            "`{text}` is no number; a decimal comma needs `;` or a tab between the columns"
        )),
        Err(_) => Err(format!("`{text}` is no number of units")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(line: &str, separator: char) -> Vec<(String, usize)> {
        let cells = split(line, separator).unwrap();
        cells.into_iter().map(|c| (c.text.into_owned(), c.column)).collect()
    }

    #[test]
    fn fields_know_where_they_begin() {
        let want = |cells: &[(&str, usize)]| -> Vec<(String, usize)> {
            cells.iter().map(|(t, c)| ((*t).to_owned(), *c)).collect()
        };
        assert_eq!(texts("a,b", ','), want(&[("a", 1), ("b", 3)]));
        assert_eq!(texts("ä; b ;", ';'), want(&[("ä", 1), ("b", 4), ("", 7)]));
        assert_eq!(texts("\"a,\"\"b\"\"\",c", ','), want(&[("a,\"b\"", 1), ("c", 11)]));
        assert_eq!(texts("", ','), want(&[("", 1)]));
        assert_eq!(texts("\"a\"x,b", ','), want(&[("ax", 1), ("b", 6)]));
        assert_eq!(split("a,\"b", ','), Err(3));
    }

    #[test]
    fn the_separator_is_the_headers() {
        assert_eq!(separator("time,a"), ',');
        assert_eq!(separator("time;\"a,b\""), ';');
        assert_eq!(separator("time\ta,b"), '\t');
        assert_eq!(separator("\"time;x\",b"), ',');
        assert_eq!(separator("time"), ',');
    }

    #[test]
    fn numbers_are_units_or_say_why_not() {
        assert_eq!(units("1,5", ';'), Ok(1.5));
        assert_eq!(units("1e3", ','), Ok(1000.0));
        assert_eq!(units("-0", ',').map(f64::is_sign_positive), Ok(true));
        assert!(units("", ',').unwrap().is_nan());
        for (text, separator) in
            [("nan", ','), ("NaN", ';'), ("inf", ','), ("-1", ','), ("x", ','), ("1,5", ',')]
        {
            assert!(units(text, separator).is_err(), "{text}");
        }
        assert!(units("1.234,5", ';').is_err());
        assert!(units("1,234,567", ';').is_err());
    }
}
