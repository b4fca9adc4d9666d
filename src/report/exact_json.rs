//! Numbers of JSON with more digits than a binary number has.
//!
//! `serde_json` holds a number as `i64`, `u64` or `f64`. An exact one is held as a text that begins with U+0001, which
//! foreign text never holds since it is cleaned, and is written without it and without quotes.

use std::io::{self, Write};

use serde::Serialize;
use serde_json::Value as Json;
use serde_json::ser::{CharEscape, CompactFormatter, Formatter, PrettyFormatter, Serializer};

use crate::domain::bill::Usd;

const MARK: char = '\u{1}';

/// An amount that [`pretty`] and [`compact`] write as a number with all its digits.
pub(super) fn exact(amount: Usd) -> Json {
    Json::String(format!("{MARK}{amount}"))
}

/// True for the text of an exact number: the mark, then a decimal and nothing else.
pub(super) fn is_exact(text: &str) -> bool {
    text.strip_prefix(MARK).is_some_and(|digits| {
        let digits = digits.strip_prefix('-').unwrap_or(digits);
        let (whole, part) = digits.split_once('.').unwrap_or((digits, "0"));
        let is_number = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
        is_number(whole) && is_number(part) && (whole == "0" || !whole.starts_with('0'))
    })
}

/// Indented, exact numbers as numbers. Texts with the mark must be exact numbers.
pub(super) fn pretty(json: &Json) -> String {
    written(json, PrettyFormatter::new())
}

/// In one line, exact numbers as numbers. Texts with the mark must be exact numbers.
pub(super) fn compact(json: &Json) -> String {
    written(json, CompactFormatter)
}

fn written(json: &Json, inner: impl Formatter) -> String {
    let mut bytes = Vec::new();
    let formatter = Exact { inner, text: Text::Quoted };
    // Into memory, and JSON has no map whose keys are no texts: it cannot fail.
    let written = json.serialize(&mut Serializer::with_formatter(&mut bytes, formatter));
    debug_assert!(written.is_ok());
    String::from_utf8(bytes).unwrap_or_default()
}

/// What is known of the text being written.
#[derive(Clone, Copy, PartialEq)]
enum Text {
    /// It begins: its quote is still to be written.
    Begun,
    /// It is an exact number.
    Bare,
    /// It is a text.
    Quoted,
}

/// A formatter that writes exact numbers bare.
struct Exact<F> {
    inner: F,
    text: Text,
}

impl<F: Formatter> Exact<F> {
    fn quote<W: ?Sized + Write>(&mut self, to: &mut W) -> io::Result<()> {
        if self.text == Text::Begun {
            self.text = Text::Quoted;
            self.inner.begin_string(to)?;
        }
        Ok(())
    }
}

impl<F: Formatter> Formatter for Exact<F> {
    fn begin_string<W: ?Sized + Write>(&mut self, _: &mut W) -> io::Result<()> {
        self.text = Text::Begun;
        Ok(())
    }

    fn write_char_escape<W: ?Sized + Write>(
        &mut self,
        to: &mut W,
        escape: CharEscape,
    ) -> io::Result<()> {
        if self.text == Text::Begun && matches!(escape, CharEscape::AsciiControl(1)) {
            self.text = Text::Bare;
            return Ok(());
        }
        self.quote(to)?;
        self.inner.write_char_escape(to, escape)
    }

    fn write_string_fragment<W: ?Sized + Write>(
        &mut self,
        to: &mut W,
        fragment: &str,
    ) -> io::Result<()> {
        self.quote(to)?;
        self.inner.write_string_fragment(to, fragment)
    }

    fn end_string<W: ?Sized + Write>(&mut self, to: &mut W) -> io::Result<()> {
        self.quote(to)?;
        match std::mem::replace(&mut self.text, Text::Quoted) {
            Text::Bare => Ok(()),
            Text::Begun | Text::Quoted => self.inner.end_string(to),
        }
    }

    fn begin_array<W: ?Sized + Write>(&mut self, to: &mut W) -> io::Result<()> {
        self.inner.begin_array(to)
    }

    fn end_array<W: ?Sized + Write>(&mut self, to: &mut W) -> io::Result<()> {
        self.inner.end_array(to)
    }

    fn begin_array_value<W: ?Sized + Write>(&mut self, to: &mut W, first: bool) -> io::Result<()> {
        self.inner.begin_array_value(to, first)
    }

    fn end_array_value<W: ?Sized + Write>(&mut self, to: &mut W) -> io::Result<()> {
        self.inner.end_array_value(to)
    }

    fn begin_object<W: ?Sized + Write>(&mut self, to: &mut W) -> io::Result<()> {
        self.inner.begin_object(to)
    }

    fn end_object<W: ?Sized + Write>(&mut self, to: &mut W) -> io::Result<()> {
        self.inner.end_object(to)
    }

    fn begin_object_key<W: ?Sized + Write>(&mut self, to: &mut W, first: bool) -> io::Result<()> {
        self.inner.begin_object_key(to, first)
    }

    fn end_object_key<W: ?Sized + Write>(&mut self, to: &mut W) -> io::Result<()> {
        self.inner.end_object_key(to)
    }

    fn begin_object_value<W: ?Sized + Write>(&mut self, to: &mut W) -> io::Result<()> {
        self.inner.begin_object_value(to)
    }

    fn end_object_value<W: ?Sized + Write>(&mut self, to: &mut W) -> io::Result<()> {
        self.inner.end_object_value(to)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn usd(text: &str) -> Usd {
        Usd::parse(text.as_bytes()).unwrap()
    }

    #[test]
    fn amounts_are_numbers_with_all_their_digits_in_both_forms() {
        let sum = usd("0.1") + usd("0.2");
        let long = usd("535198.123456789012345678");
        let json =
            json!({"a": exact(sum), "b": [exact(long), exact(-usd("7"))], "c": "1", "d": ""});
        assert_eq!(
            compact(&json),
            r#"{"a":0.3,"b":[535198.123456789012345678,-7],"c":"1","d":""}"#
        );
        let indented = pretty(&json);
        assert!(indented.contains("\"a\": 0.3,\n"), "{indented}");
        assert!(indented.contains("    535198.123456789012345678,\n    -7\n"), "{indented}");
        assert!(indented.contains("\"c\": \"1\""), "{indented}");
    }

    #[test]
    fn documents_without_amounts_are_as_before() {
        let json = json!({"a": [], "b": {}, "c": ["x\n\"y\"", null, true, 1.5], "é\u{2}": {"k": "\u{1f}"}});
        assert_eq!(pretty(&json), format!("{json:#}"));
        assert_eq!(compact(&json), json.to_string());
    }

    #[test]
    fn only_the_mark_and_a_decimal_are_an_exact_number() {
        for text in ["\u{1}0", "\u{1}-0.5", "\u{1}12.000000000000000001"] {
            assert!(is_exact(text), "{text:?}");
        }
        for text in [
            "", "1", "\u{1}", "\u{1}-", "\u{1}01", "\u{1}1.", "\u{1}.5", "\u{1}1e3", "\u{1}1,2",
            "\u{1}1 ",
        ] {
            assert!(!is_exact(text), "{text:?}");
        }
    }
}
