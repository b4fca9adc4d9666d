//! What all answers of slurmrestd have in common, and the forms in which its versions write a value.

use serde::Deserialize;

use super::token;
use crate::domain::{ErrorKind, Secret, SourceError, text};
use crate::source::http::Place;

/// An answer of slurmrestd.
pub(super) trait Spoken {}

impl Spoken for super::Index {}

/// The errors in an answer.
#[derive(Deserialize)]
pub(super) struct Errors {
    #[serde(default)]
    errors: Vec<Told>,
}

/// An error as slurmrestd tells it.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Told {
    description: Option<String>,
    error: Option<String>,
    error_number: Option<i64>,
    errno: Option<i64>,
}

/// Numbers of Slurm's errors: protocol authentication, invalid user, access denied.
const OF_TOKENS: [i64; 2] = [1_007, 5_002];
const DENIED: [i64; 3] = [2_002, 2_010, 8_001];

impl Errors {
    /// True where the only failure is that nothing was found, as 22.05 says of an hour without jobs.
    pub(super) fn is_nothing_found(&self) -> bool {
        let is_it = |told: &Told| {
            let said = told.error.iter().chain(&told.description);
            said.into_iter().any(|text| text.to_lowercase().contains("nothing found"))
        };
        !self.errors.is_empty() && self.errors.iter().all(is_it)
    }

    /// The first one; `None` without any.
    pub(super) fn first(&self, place: &Place, with: &Secret) -> Option<SourceError> {
        let told = self.errors.first()?;
        let number = told.error_number.or(told.errno).unwrap_or_default();
        let parts = [&told.error, &told.description].into_iter().flatten();
        let said: Vec<&str> = parts.map(|part| part.trim()).filter(|p| !p.is_empty()).collect();
        let said = text::clean(&said.join(": ")).into_owned();
        let small = said.to_lowercase();
        if OF_TOKENS.contains(&number) || small.contains("authentication") {
            return Some(token::refused(place, with));
        }
        // The database's connection is opened with the token: a bad one ends like this.
        if small.contains("unable to connect to database") || small.contains("slurmdbd connection")
        {
            let message = format!("slurmdbd was not reached ({said})");
            let fix = format!(
                "see whether slurmdbd runs, and whether the token is still good; {}",
                token::RENEW
            );
            let ended = token::ends(with).filter(|ends| *ends <= jiff::Timestamp::now());
            return Some(match ended {
                Some(ends) => token::expired(ends),
                None => place.error(ErrorKind::Network, &message, &fix),
            });
        }
        let (kind, fix) = match DENIED.contains(&number) || small.contains("denied") {
            true => (
                ErrorKind::Denied,
                "ask for the rights of an operator: `sacctmgr modify user NAME set \
                 adminlevel=operator`",
            ),
            false => (ErrorKind::Other, "see the log of slurmrestd; burntop tries again by itself"),
        };
        let said = if said.is_empty() { format!("error {number}") } else { said };
        Some(place.error(kind, &said, fix))
    }
}

/// A number, as `7`, as null, or as `{"set": true, "infinite": false, "number": 7}`.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Number(pub Option<f64>);

/// The forms of a number.
#[derive(Deserialize)]
#[serde(untagged)]
enum NumberForm {
    Plain(f64),
    Set {
        #[serde(default)]
        set: bool,
        #[serde(default)]
        infinite: bool,
        #[serde(default)]
        number: f64,
    },
    Other(serde::de::IgnoredAny),
}

impl<'de> Deserialize<'de> for Number {
    fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        Ok(Self(match Option::<NumberForm>::deserialize(from)? {
            Some(NumberForm::Plain(number)) => Some(number),
            Some(NumberForm::Set { set: true, infinite: false, number }) => Some(number),
            Some(NumberForm::Set { .. } | NumberForm::Other(_)) | None => None,
        }))
    }
}

impl Number {
    /// As a whole number; `None` for what is none, or no more exact.
    pub(super) fn whole(self) -> Option<i64> {
        self.0.filter(|n| n.fract() == 0.0 && n.abs() < 9e15).map(|n| n as i64)
    }

    /// As a whole number above 0.
    pub(super) fn positive(self) -> Option<i64> {
        self.whole().filter(|n| *n > 0)
    }

    /// As the text of a column; empty for none.
    pub(super) fn column(self) -> String {
        self.whole().map_or(String::new(), |n| n.to_string())
    }
}

/// A text, or null, or something else in its place.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Text(pub String);

/// The forms of a text.
#[derive(Deserialize)]
#[serde(untagged)]
enum TextForm {
    Text(String),
    Other(serde::de::IgnoredAny),
}

impl<'de> Deserialize<'de> for Text {
    fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        Ok(Self(match Option::<TextForm>::deserialize(from)? {
            Some(TextForm::Text(text)) => text,
            Some(TextForm::Other(_)) | None => String::new(),
        }))
    }
}

/// Words, as `"FAILED"` or as `["FAILED"]`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Words(pub Vec<String>);

/// The forms of words.
#[derive(Deserialize)]
#[serde(untagged)]
enum WordsForm {
    One(String),
    Many(Vec<String>),
    Other(serde::de::IgnoredAny),
}

impl<'de> Deserialize<'de> for Words {
    fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        Ok(Self(match Option::<WordsForm>::deserialize(from)? {
            Some(WordsForm::One(word)) => vec![word],
            Some(WordsForm::Many(words)) => words,
            Some(WordsForm::Other(_)) | None => Vec::new(),
        }))
    }
}

/// A resource, or an amount of one.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Resource {
    #[serde(rename = "type")]
    pub kind: Text,
    pub name: Text,
    pub count: Number,
}

/// `/slurmdb/…/tres/`.
#[derive(Deserialize)]
pub(super) struct TresList {
    #[serde(default, rename = "TRES", alias = "tres")]
    all: Vec<Resource>,
}

impl Spoken for TresList {}

impl TresList {
    /// True where GPUs are accounted for.
    pub(super) fn has_gpus(&self) -> bool {
        let is_gpu = |name: &str| name == "gpu" || name.starts_with("gpu:");
        self.all.iter().any(|one| one.kind.0 == "gres" && is_gpu(&one.name.0))
    }
}
