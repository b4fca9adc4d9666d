//! What of MLflow's answers is read. Values of metrics are not: they may be the text `NaN`.

use serde::{Deserialize, Deserializer, de::IgnoredAny};

/// A page of experiments.
#[derive(Deserialize)]
pub(super) struct Experiments {
    /// `None` where there is none.
    #[serde(default)]
    pub experiments: Option<Vec<Experiment>>,
    #[serde(default)]
    pub next_page_token: Option<String>,
}

/// An experiment.
#[derive(Deserialize)]
pub(super) struct Experiment {
    #[serde(default)]
    experiment_id: Text,
    #[serde(default)]
    pub name: Text,
    #[serde(default)]
    pub tags: Option<Vec<Pair>>,
}

impl Experiment {
    /// Its id; `None` without one.
    pub fn id(&self) -> Option<&str> {
        Some(&*self.experiment_id.0).filter(|id| !id.is_empty())
    }
}

/// A page of runs.
#[derive(Deserialize)]
pub(super) struct Runs {
    /// `None` where there is none.
    #[serde(default)]
    pub runs: Option<Vec<RunForm>>,
    #[serde(default)]
    pub next_page_token: Option<String>,
}

/// A run, or what stands in the place of one.
#[derive(Deserialize)]
#[serde(untagged)]
pub(super) enum RunForm {
    Run(Box<Run>),
    Other(IgnoredAny),
}

/// A run.
#[derive(Deserialize)]
pub(super) struct Run {
    pub info: Info,
    #[serde(default)]
    pub data: Option<Data>,
}

/// What a server knows of a run.
#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct Info {
    pub run_id: Text,
    pub experiment_id: Text,
    pub run_name: Text,
    pub user_id: Text,
    pub status: Text,
    pub start_time: Ms,
    pub end_time: Ms,
    pub artifact_uri: Text,
}

/// What was logged: of metrics the last value of each.
#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct Data {
    pub metrics: Option<Vec<Metric>>,
    pub tags: Option<Vec<Pair>>,
    pub params: Option<Vec<Pair>>,
}

/// When a metric was logged.
#[derive(Deserialize)]
pub(super) struct Metric {
    #[serde(default)]
    pub timestamp: Ms,
}

/// A tag or parameter.
#[derive(Deserialize)]
pub(super) struct Pair {
    #[serde(default)]
    pub key: Text,
    #[serde(default)]
    pub value: Text,
}

/// A text; empty where there is something else in its place.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Text(pub String);

#[derive(Deserialize)]
#[serde(untagged)]
enum TextForm {
    Text(String),
    Number(i64),
    Other(IgnoredAny),
}

impl<'de> Deserialize<'de> for Text {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        Ok(Self(match TextForm::deserialize(from)? {
            TextForm::Text(text) => text,
            TextForm::Number(number) => number.to_string(),
            TextForm::Other(_) => String::new(),
        }))
    }
}

/// Milliseconds since 1970, as a number or, as 64 bits are written by some servers, as a text; `None` for anything else, and
/// for 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Ms(pub Option<i64>);

#[derive(Deserialize)]
#[serde(untagged)]
enum MsForm {
    Whole(i64),
    Text(String),
    Other(IgnoredAny),
}

impl<'de> Deserialize<'de> for Ms {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let ms = match MsForm::deserialize(from)? {
            MsForm::Whole(ms) => Some(ms),
            MsForm::Text(text) => text.trim().parse().ok(),
            MsForm::Other(_) => None,
        };
        Ok(Self(ms.filter(|ms| *ms > 0)))
    }
}
