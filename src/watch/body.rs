//! What a webhook posts: JSON in which `{{name}}` stands for a value of the message.
//!
//! Inside of quotes the value is text, escaped, and what is unknown is empty: `"cost {{usd}}"`. Without quotes it is a
//! value of JSON, and what is unknown is `null`: `"usd": {{usd}}`. Two braces that stand for themselves in a text are
//! written as `\u007b{`.

mod names;
#[cfg(test)]
mod tests;

use std::fmt::Write as _;

use serde_json::{Map, Value};

use self::names::Name;
use super::message::Message;
use crate::domain::json::why_no_json;
use crate::domain::text::clean_to;

/// Schema of a message as JSON, where no template says otherwise.
pub const SCHEMA: &str = "burntop/alert/1";

/// A secret with which a template is tried.
const SAMPLE: &str = "s\"3";

/// Longest template, bytes.
const LONGEST: usize = 64 << 10;

/// Templates that come with burntop, by name.
const SHIPPED: [(&str, &str); 3] = [
    ("pagerduty", include_str!("../../assets/watch/pagerduty.json")),
    ("opsgenie", include_str!("../../assets/watch/opsgenie.json")),
    ("opsgenie-close", include_str!("../../assets/watch/opsgenie-close.json")),
];

/// A template. It holds no secret: [`Body::render`] is given that.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Body {
    parts: Vec<Part>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Part {
    /// JSON as it was written, and where it stands in the template, bytes.
    Json { text: String, from: usize },
    /// A value, inside of quotes or by itself, and where its braces stand.
    Value { name: Name, quoted: bool, from: usize },
}

/// A template that cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{place}: line {line}, column {column}: {message}")]
pub struct BodyError {
    /// Where the template stands, in the words of the caller.
    pub place: String,
    /// Line, the first is 1.
    pub line: usize,
    /// Column in characters, the first is 1.
    pub column: usize,
    /// What is wrong and what is right instead.
    pub message: String,
}

impl Body {
    /// A template that comes with burntop; `None` where there is none of this name.
    pub fn shipped(name: &str) -> Option<Self> {
        let (_, text) = SHIPPED.iter().find(|(known, _)| *known == name)?;
        Self::parse(text, name).ok()
    }

    /// Reads a template; `place` says in errors where it stands.
    ///
    /// # Errors
    /// A name that is not known, braces that are not closed, a value where none can stand, a text that would not be JSON
    /// with each message, more than 64 KiB.
    pub fn parse(text: &str, place: &str) -> Result<Self, BodyError> {
        let wrong = |(at, message): (usize, String)| {
            let (line, column) = position(text, at);
            BodyError { place: clean_to(place, 256).into_owned(), line, column, message }
        };
        if text.len() > LONGEST {
            return Err(wrong((0, format!("a template has at most {} KiB", LONGEST >> 10))));
        }
        let body = Self { parts: parts(text).map_err(wrong)? };
        for sample in names::samples() {
            body.check(&sample, text).map_err(wrong)?;
        }
        Ok(body)
    }

    /// True where the template has a place for a secret.
    pub fn needs_secret(&self) -> bool {
        self.parts.iter().any(|part| matches!(part, Part::Value { name: Name::Secret, .. }))
    }

    /// The JSON of a message; without a `secret` its place is empty, or `null`.
    pub fn render(&self, message: &Message, secret: Option<&str>) -> String {
        let mut out = String::new();
        for part in &self.parts {
            part.write(message, secret, &mut out);
        }
        out
    }

    /// Checks that the template is JSON with this message. Err has the place in `text`, the template itself, in bytes.
    fn check(&self, message: &Message, text: &str) -> Result<(), (usize, String)> {
        let rendered = self.render(message, Some(SAMPLE));
        let Err(error) = serde_json::from_str::<Value>(&rendered) else { return Ok(()) };
        // No value has a line feed of its own, so lines are those of the template.
        let before = rendered.split_inclusive('\n').take(error.line().saturating_sub(1));
        let at = match error.is_eof() {
            true => rendered.len(),
            false => before.map(str::len).sum::<usize>() + error.column().saturating_sub(1),
        };
        let what = why_no_json(&error);
        let what = what.split(" at line ").next().unwrap_or_default().trim_end_matches(',');
        Err((
            self.origin(message, at).min(text.len()),
            format!("{what} there, as it would be sent"),
        ))
    }

    /// Byte of the template from which the byte `at` of the rendered text comes.
    fn origin(&self, message: &Message, at: usize) -> usize {
        let mut behind = 0;
        for part in &self.parts {
            let mut out = String::new();
            part.write(message, Some(SAMPLE), &mut out);
            if at < behind + out.len() {
                return match part {
                    Part::Json { from, .. } => from + at - behind,
                    Part::Value { from, .. } => *from,
                };
            }
            behind += out.len();
        }
        usize::MAX
    }
}

impl Part {
    fn write(&self, message: &Message, secret: Option<&str>, out: &mut String) {
        match self {
            Self::Json { text, .. } => out.push_str(text),
            Self::Value { name, quoted: true, .. } => {
                let text = Value::String(name.text(message, secret)).to_string();
                out.push_str(text.get(1..text.len().saturating_sub(1)).unwrap_or_default());
            }
            Self::Value { name, quoted: false, .. } => {
                // Writing to a text does not fail.
                let _ = write!(out, "{}", name.value(message, secret));
            }
        }
    }
}

/// Where in an escape of a JSON text a character stands.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Escape {
    /// In none.
    None,
    /// Behind the backslash.
    Begun,
    /// Hexadecimal digits are still to come, so many.
    Digits(u8),
}

impl Escape {
    fn next(self, c: char) -> Self {
        match (self, c) {
            (Self::None, '\\') => Self::Begun,
            (Self::Begun, 'u') => Self::Digits(4),
            (Self::Digits(n @ 2..), _) => Self::Digits(n - 1),
            _ => Self::None,
        }
    }
}

/// The parts of a template. Err has the place, bytes, and what is wrong there.
fn parts(text: &str) -> Result<Vec<Part>, (usize, String)> {
    let (mut parts, mut quoted, mut escape) = (Vec::new(), false, Escape::None);
    let (mut from, mut at) = (0, 0);
    while let Some(c) = text[at..].chars().next() {
        let Some(inside) = text[at..].strip_prefix("{{") else {
            if c == '"' && escape == Escape::None {
                quoted = !quoted;
            }
            escape = if quoted { escape.next(c) } else { Escape::None };
            at += c.len_utf8();
            continue;
        };
        let Some(name) = inside.split(['\n', '"']).next().and_then(|line| line.split_once("}}"))
        else {
            return Err((at, "the braces `{{` are not closed by `}}`".to_owned()));
        };
        let name = name.0;
        let end = at + name.len() + 4;
        let Some(known) = Name::of(name) else {
            let name = clean_to(name, 40);
            return Err((at, format!("there is no `{{{{{name}}}}}`; known: {}", names::known())));
        };
        if escape != Escape::None {
            return Err((at, format!("`{{{{{name}}}}}` stands in the middle of an escape")));
        }
        if quoted && known.is_list() {
            return Err((at, format!("`{{{{{name}}}}}` is a list: write it without quotes")));
        }
        if !quoted && !stands_alone(&text[..at], &text[end..]) {
            return Err((
                at,
                format!(
                    "`{{{{{name}}}}}` without quotes is a whole value, and none can stand here"
                ),
            ));
        }
        parts.push(Part::Json { text: text[from..at].to_owned(), from });
        parts.push(Part::Value { name: known, quoted, from: at });
        (from, at) = (end, end);
    }
    parts.push(Part::Json { text: text[from..].to_owned(), from });
    Ok(parts)
}

/// True where a value can stand between these.
fn stands_alone(before: &str, behind: &str) -> bool {
    let before = before.trim_end().chars().next_back();
    let behind = behind.trim_start().chars().next();
    before.is_none_or(|c| matches!(c, '[' | ',' | ':'))
        && behind.is_none_or(|c| matches!(c, ']' | ',' | '}'))
}

/// Line and column of a byte.
fn position(text: &str, at: usize) -> (usize, usize) {
    let mut at = at.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    let before = &text[..at];
    let line = before.rsplit('\n').next().unwrap_or_default();
    (before.matches('\n').count() + 1, line.chars().count() + 1)
}

/// A message as one line of JSON, [`SCHEMA`]. Without the page of a report, which is for mail.
pub fn alert_json(message: &Message) -> String {
    let mut all = Map::from_iter([("schema".to_owned(), Value::from(SCHEMA))]);
    if let Ok(Value::Object(fields)) = serde_json::to_value(message) {
        all.extend(fields.into_iter().filter(|(name, _)| name != "html"));
    }
    Value::Object(all).to_string()
}
