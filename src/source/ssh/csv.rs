//! The comma separated lines of `nvidia-smi --format=csv,noheader,nounits`.
//!
//! Nothing is quoted there. The number of columns is known, so that commas in excess belong to the
//! one column that is free text.

/// Longest line that is read, bytes; `nvidia-smi` prints a few hundred.
pub(super) const MAX_LINE: usize = 16_384;

/// Splits a line into `columns` fields; surplus commas belong to the field `free`. `None` when there are too few.
pub(super) fn split(line: &str, columns: usize, free: Option<usize>) -> Option<Vec<String>> {
    if line.len() > MAX_LINE {
        return None;
    }
    let parts: Vec<&str> = line.split(',').collect();
    let excess = parts.len().checked_sub(columns)?;
    let own = |parts: &[&str]| parts.iter().map(|p| p.trim().to_owned()).collect::<Vec<_>>();
    let Some(free) = free.filter(|_| excess > 0) else {
        return (excess == 0).then(|| own(&parts));
    };
    let mut out = own(parts.get(..free)?);
    out.push(parts.get(free..=free + excess)?.join(",").trim().to_owned());
    out.extend(own(parts.get(free + excess + 1..)?));
    Some(out)
}

/// Text of a field; `None` for spellings of "unknown": `[N/A]`, `N/A`, `[Not Supported]`, `[Insufficient Permissions]`,
/// `[Unknown Error]`, `[GPU requires reset]` and anything else in brackets.
pub(super) fn text(field: &str) -> Option<&str> {
    let field = field.trim();
    let unknown = field.is_empty()
        || (field.starts_with('[') && field.ends_with(']'))
        || field.eq_ignore_ascii_case("n/a");
    (!unknown).then_some(field)
}

/// Number in a field, with `unit` after it if there is a unit. `None` for other units, which are not converted.
pub(super) fn number(field: &str, unit: &str) -> Option<f64> {
    let field = text(field)?;
    let (value, behind) = match field.split_once(char::is_whitespace) {
        Some((value, behind)) => (value, behind.trim()),
        None => (field, ""),
    };
    if !behind.is_empty() && behind != unit {
        return None;
    }
    // "inf" and "nan" are numbers to Rust.
    value.parse().ok().filter(|v: &f64| v.is_finite())
}

/// Bit mask in a field, such as `0x0000000000000004`; `None` for other text.
pub(super) fn mask(field: &str) -> Option<u64> {
    u64::from_str_radix(text(field)?.strip_prefix("0x")?, 16).ok()
}

/// True when the field says that the GPU must be reset.
pub(super) fn asks_for_reset(field: &str) -> bool {
    field.trim() == "[GPU requires reset]"
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn commas_in_excess_belong_to_the_name() {
        let fields = |line, free| split(line, 3, free);
        let want = |f: [&str; 3]| Some(f.map(str::to_owned).to_vec());
        assert_eq!(fields("0, Tesla T4, 7", Some(1)), want(["0", "Tesla T4", "7"]));
        assert_eq!(fields("0, a, b,c, 7", Some(1)), want(["0", "a, b,c", "7"]));
        assert_eq!(fields("0, 7, a, b", Some(2)), want(["0", "7", "a, b"]));
        assert_eq!(fields("0, 7", Some(1)), None, "too few");
        assert_eq!(fields("0, a, b, 7", None), None, "too many, and nowhere to put it");
        assert_eq!(split(&"x".repeat(MAX_LINE + 1), 1, Some(0)), None);
    }

    #[test]
    fn what_is_not_known_has_many_spellings() {
        for spelling in [
            "[N/A]",
            "N/A",
            "n/a",
            "[Not Supported]",
            "[Insufficient Permissions]",
            "[Unknown Error]",
            "[GPU requires reset]",
            "[Requested functionality has been deprecated]",
            "",
            "  ",
        ] {
            assert_eq!(text(spelling), None, "{spelling}");
            assert_eq!(number(spelling, "%"), None);
            assert_eq!(mask(spelling), None);
        }
        assert_eq!(number("nan", "%"), None);
        assert_eq!(number("inf", "W"), None);
        assert!(asks_for_reset(" [GPU requires reset]") && !asks_for_reset("[N/A]"));
    }

    #[test]
    fn units_may_stand_behind_numbers_and_must_be_right() {
        assert_eq!(number("97", "%"), Some(97.0));
        assert_eq!(number("97 %", "%"), Some(97.0));
        assert_eq!(number("433.78 W", "W"), Some(433.78));
        assert_eq!(number("11125 MiB", "MiB"), Some(11_125.0));
        assert_eq!(number("11 GiB", "MiB"), None);
        assert_eq!(mask("0x0000000000000004"), Some(4));
        assert_eq!(mask("4"), None);
    }

    proptest! {
        /// Joined fields come apart again, whatever the free text holds.
        #[test]
        fn what_was_joined_comes_apart(
            plain in proptest::collection::vec("[a-z0-9./%]{1,8}", 2..8),
            name in "[A-Za-z0-9 ]{1,10}(, [A-Za-z0-9]{1,10}){0,3}",
            at in 0usize..8,
        ) {
            let name = name.trim().to_owned();
            let mut fields = plain;
            let at = at.min(fields.len());
            fields.insert(at, name);
            let line = fields.join(", ");
            prop_assert_eq!(split(&line, fields.len(), Some(at)), Some(fields));
        }

        /// No line makes it fail.
        #[test]
        fn no_line_makes_it_fail(line in ".*", columns in 0usize..40, free in 0usize..40) {
            for field in split(&line, columns, Some(free)).into_iter().flatten() {
                let _ = (text(&field).is_some(), number(&field, "W"), mask(&field));
            }
        }
    }
}
