//! What the keys of a rules file take, beyond their types.

use jiff::SignedDuration;

use crate::act::plan::parse_span;
use crate::domain::suggest::nearest;
use crate::domain::text::{clean, is_unsafe};

/// The longest name of a rule or a sink, characters.
const MAX_NAME: usize = 60;

/// The longest note, characters.
const MAX_NOTE: usize = 500;

/// What is wrong, by the dotted path of its key.
#[derive(Debug, Default)]
pub struct Wrong(
    /// Path and reason; clean text.
    pub Vec<(String, String)>,
);

impl Wrong {
    /// Notes a mistake.
    pub fn at(&mut self, path: impl Into<String>, why: impl AsRef<str>) {
        self.0.push((path.into(), clean(why.as_ref()).into_owned()));
    }

    /// A name, unique among `known`.
    pub fn name(&mut self, path: &str, name: Option<&str>, known: &[String]) -> Option<String> {
        let Some(name) = name else {
            self.at(path, "a name is needed");
            return None;
        };
        let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
        if name.is_empty() || name.chars().count() > MAX_NAME || !name.chars().all(plain) {
            let why = format!(
                "\"{name}\" is no name; accepted: 1 to {MAX_NAME} of letters, digits, `-`, `_` and `.`"
            );
            self.at(path, why);
            return None;
        }
        if known.iter().any(|other| other == name) {
            self.at(path, format!("there are two of the name `{name}`"));
            return None;
        }
        Some(name.to_owned())
    }

    /// A span of time; `least` is zero or more.
    pub fn span(
        &mut self,
        path: &str,
        text: Option<&str>,
        least: SignedDuration,
    ) -> Option<SignedDuration> {
        let text = text?;
        if text == "0" && least.is_zero() {
            return Some(SignedDuration::ZERO);
        }
        match parse_span(text) {
            Some(span) if span >= least => Some(span),
            _ => {
                let why =
                    format!("\"{text}\" is no span; accepted: for example `15m`, `2h`, `1d12h`");
                self.at(path, why);
                None
            }
        }
    }

    /// One line of text.
    pub fn line(&mut self, path: &str, text: Option<&str>) -> Option<String> {
        let text = text?;
        if text.trim().is_empty() || text.chars().any(is_unsafe) {
            self.at(path, "one line of text without control characters is needed");
            return None;
        }
        if text.chars().count() > MAX_NOTE {
            self.at(path, format!("it has more than {MAX_NOTE} characters"));
            return None;
        }
        Some(text.trim().to_owned())
    }

    /// Names of sinks, each of which has to be there.
    pub fn sinks(&mut self, path: &str, names: Option<&[String]>, known: &[String]) -> Vec<String> {
        let mut out: Vec<String> = Vec::new();
        for (at, name) in names.unwrap_or_default().iter().enumerate() {
            if !known.contains(name) {
                let path = format!("{path}[{at}]");
                self.at(path, format!("there is no sink `{name}`; {}", suggestion(name, known)));
            } else if !out.contains(name) {
                out.push(name.clone());
            }
        }
        if names.is_some_and(<[String]>::is_empty) {
            self.at(path, "no sink is named; leave the key out for those by default");
        }
        out
    }
}

/// What was meant, else what there is.
pub fn suggestion(word: &str, known: &[impl AsRef<str>]) -> String {
    let known = || known.iter().map(AsRef::as_ref);
    match nearest(word, known()) {
        Some(name) => format!("did you mean `{name}`?"),
        None if known().next().is_none() => "none is there".to_owned(),
        None => format!("there are {}", known().collect::<Vec<_>>().join(", ")),
    }
}
