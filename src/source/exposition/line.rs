//! One line of a page.

use memchr::{memchr, memchr2};

use super::{Labels, Series};

/// Most labels of a series that are kept; those of GPUs have up to 40 with the labels of pods.
const MAX_LABELS: usize = 256;

/// Byte ranges of a label's name and value in the line.
#[derive(Clone, Copy, Debug)]
pub struct Span {
    name: (u32, u32),
    value: (u32, u32),
}

impl Span {
    /// Name of the label; `text` is the line.
    pub(super) fn name(self, text: &str) -> &str {
        text.get(self.name.0 as usize..self.name.1 as usize).unwrap_or_default()
    }

    /// Value of the label; `text` is the line.
    pub(super) fn value(self, text: &str) -> &str {
        text.get(self.value.0 as usize..self.value.1 as usize).unwrap_or_default()
    }
}

fn begins_name(byte: u8) -> bool {
    byte.is_ascii_alphabetic() || matches!(byte, b'_' | b':')
}

fn continues_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b':')
}

fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t')
}

/// Length of the metric name at the start of `text`; 0 without one.
pub fn name_end(text: &[u8]) -> usize {
    match text.first() {
        Some(first) if begins_name(*first) => {
            text.iter().position(|b| !continues_name(*b)).unwrap_or(text.len())
        }
        _ => 0,
    }
}

/// True when `text` begins with exactly this metric name.
pub fn is_of(text: &[u8], name: &[u8]) -> bool {
    text.starts_with(name) && !text.get(name.len()).is_some_and(|b| continues_name(*b))
}

/// First line of `text` without its end, and the rest.
pub fn split(text: &[u8]) -> (&[u8], &[u8]) {
    let (line, rest) = match memchr(b'\n', text) {
        Some(at) => (&text[..at], &text[at + 1..]),
        None => (text, &text[text.len()..]),
    };
    (line.strip_suffix(b"\r").unwrap_or(line), rest)
}

/// True for comments and blank lines.
pub fn is_blank(line: &[u8]) -> bool {
    line.trim_ascii_start().first().is_none_or(|first| *first == b'#')
}

/// Parses a line whose metric name ends at `name_end`. `None` when it is no sample.
pub fn read<'a>(
    line: &'a [u8],
    name_end: usize,
    spans: &'a mut Vec<Span>,
    unescaped: &'a mut String,
) -> Option<Series<'a>> {
    let line = std::str::from_utf8(line).ok()?;
    let name = line.get(..name_end)?;
    spans.clear();
    let at = skip_spaces(line, name_end);
    let (at, text) = if line.as_bytes().get(at) == Some(&b'{') {
        let (end, escapes) = labels(line, at + 1, spans)?;
        let text = if escapes { unescape(line, spans, unescaped) } else { line };
        (end, text)
    } else if at > name_end {
        (at, line)
    } else {
        return None;
    };
    let (value, timestamp) = numbers(line.get(at..)?)?;
    Some(Series { name, labels: Labels { text, spans }, value, timestamp })
}

fn skip_spaces(line: &str, at: usize) -> usize {
    let spaces = line.as_bytes()[at..].iter().take_while(|b| is_space(**b)).count();
    at + spaces
}

/// Reads labels up to the closing brace. Gives the place after it, and whether a value has escapes.
fn labels(line: &str, mut at: usize, spans: &mut Vec<Span>) -> Option<(usize, bool)> {
    let bytes = line.as_bytes();
    let mut escapes = false;
    loop {
        at = skip_spaces(line, at);
        if bytes.get(at) == Some(&b'}') {
            return Some((at + 1, escapes));
        }
        let start = at;
        let length = name_end(&bytes[at..]);
        if length == 0 {
            return None;
        }
        at += length;
        let name = (index(start)?, index(at)?);
        at = skip_spaces(line, at);
        if bytes.get(at) != Some(&b'=') {
            return None;
        }
        at = skip_spaces(line, at + 1);
        if bytes.get(at) != Some(&b'"') {
            return None;
        }
        let (end, has_escape) = quoted(bytes, at + 1)?;
        escapes |= has_escape;
        if spans.len() == MAX_LABELS {
            return None;
        }
        spans.push(Span { name, value: (index(at + 1)?, index(end)?) });
        at = skip_spaces(line, end + 1);
        match bytes.get(at) {
            Some(b',') => at += 1,
            Some(b'}') => return Some((at + 1, escapes)),
            _ => return None,
        }
    }
}

/// The place of the quote that ends a value, and whether it has escapes.
fn quoted(bytes: &[u8], start: usize) -> Option<(usize, bool)> {
    let mut at = start;
    let mut escapes = false;
    loop {
        at += memchr2(b'"', b'\\', bytes.get(at..)?)?;
        if bytes[at] == b'"' {
            return Some((at, escapes));
        }
        escapes = true;
        // Whatever is escaped does not end the value.
        at += 2;
    }
}

/// A place in a line; a page has at most a few megabytes.
fn index(at: usize) -> Option<u32> {
    u32::try_from(at).ok()
}

/// Writes the labels without escapes and points the spans there. `\\`, `\"` and `\n` are the
/// escapes; a backslash before anything else stands for itself.
fn unescape<'a>(line: &str, spans: &mut [Span], out: &'a mut String) -> &'a str {
    out.clear();
    for span in spans {
        let start = out.len();
        out.push_str(span.name(line));
        let middle = out.len();
        let mut rest = span.value(line);
        while let Some(at) = memchr(b'\\', rest.as_bytes()) {
            out.push_str(&rest[..at]);
            let (plain, length) = match rest.as_bytes().get(at + 1) {
                Some(b'n') => ("\n", 2),
                Some(b'"') => ("\"", 2),
                Some(b'\\') => ("\\", 2),
                _ => ("\\", 1),
            };
            out.push_str(plain);
            rest = &rest[at + length..];
        }
        out.push_str(rest);
        // No longer than the line, whose places fit.
        span.name = (start as u32, middle as u32);
        span.value = (middle as u32, out.len() as u32);
    }
    out
}

/// The value, and the timestamp if there is one; an exemplar may follow.
fn numbers(text: &str) -> Option<(f64, Option<i64>)> {
    let mut words = text.split([' ', '\t']).filter(|word| !word.is_empty());
    let value = number(words.next()?)?;
    let timestamp = match words.next() {
        None | Some("#") => return Some((value, None)),
        Some(word) => milliseconds(word)?,
    };
    match words.next() {
        None | Some("#") => Some((value, Some(timestamp))),
        Some(_) => None,
    }
}

/// A number as Go reads it: `1e+09`, `NaN`, `+Inf`.
fn number(word: &str) -> Option<f64> {
    let plain = word.bytes().all(|b| b.is_ascii_digit());
    if plain && (1..=15).contains(&word.len()) {
        // Integers of up to 15 digits are exact.
        let value = word.bytes().fold(0_u64, |sum, b| sum * 10 + u64::from(b - b'0'));
        return Some(value as f64);
    }
    word.parse().ok()
}

/// Milliseconds in the text format; `OpenMetrics` has seconds with decimals.
fn milliseconds(word: &str) -> Option<i64> {
    if let Ok(milliseconds) = word.parse() {
        return Some(milliseconds);
    }
    let seconds: f64 = word.parse().ok()?;
    let milliseconds = seconds * 1000.0;
    // Within ±9e15 a cast loses nothing that matters.
    (milliseconds.abs() < 9e15).then_some(milliseconds.round() as i64)
}
