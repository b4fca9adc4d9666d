//! What a sink is told: one alert, what became of it, or a summary of many.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

/// How urgent a rule is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Severity {
    /// Worth knowing.
    Info,
    /// Worth acting on in working hours.
    #[default]
    Warning,
    /// Worth being woken for.
    Critical,
}

impl Severity {
    /// Its word in rules and exports.
    pub fn word(self) -> &'static str {
        match self {
            Self::Info => "info",
            Self::Warning => "warning",
            Self::Critical => "critical",
        }
    }
}

/// Why a message is sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MessageKind {
    /// An alert fires.
    Firing,
    /// An alert still fires: repeated after the time that the rule says.
    Update,
    /// An alert has ended.
    Resolved,
    /// Many alerts at once, of whatever kind, in one message.
    Summary,
    /// `burntop watch test`.
    Test,
    /// A weekly or monthly report.
    Report,
}

impl MessageKind {
    /// Its word in exports.
    pub fn word(self) -> &'static str {
        match self {
            Self::Firing => "firing",
            Self::Update => "update",
            Self::Resolved => "resolved",
            Self::Summary => "summary",
            Self::Test => "test",
            Self::Report => "report",
        }
    }
}

/// The facts of one alert. All texts are clean: they hold no control characters.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct AlertFacts {
    /// Name of the rule.
    pub rule: String,
    /// What it is about, unique in the rule: an instance, a GPU, a budget, a team.
    pub key: String,
    /// What it is, in words: `p4d.24xlarge i-0abc (trainer-7)`.
    pub what: String,
    /// Team; `None` where nobody says whose it is.
    pub team: Option<String>,
    /// Since when it is so, as far as it was witnessed; `None` where that is not known.
    pub since: Option<Timestamp>,
    /// Dollars so far; `None` where they are not known or mean nothing.
    pub usd: Option<f64>,
    /// True where there may be more dollars than `usd`.
    pub usd_is_at_least: bool,
    /// Dollars a day; `None` where they are not known or mean nothing.
    pub usd_per_day: Option<f64>,
    /// True where dollars a day of several alerts of the rule may be added up: those of budgets overlap, and nets hold for
    /// each alone.
    pub adds_up: bool,
    /// The evidence, two lines at most.
    pub why: Vec<String>,
    /// A command to copy that shows it or does something about it; `None` where there is none. Nothing runs it.
    pub command: Option<String>,
    /// Who may be asked; `None` where nobody is known.
    pub ask: Option<String>,
}

/// A message. Clean text throughout; sinks escape it for what they write.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Message {
    /// Idempotency key: the same for every try of the same message, 32 hexadecimal digits.
    pub key: String,
    /// What stays the same from the firing of an alert to its end, 32 hexadecimal digits: PagerDuty's `dedup_key`,
    /// Opsgenie's `alias`.
    pub thread: String,
    /// Why it is sent.
    pub kind: MessageKind,
    /// The severity of its rule; of a summary the greatest of its alerts.
    pub severity: Severity,
    /// When it was made.
    pub at: Timestamp,
    /// One line: `firing: idle-gpus: p4d.24xlarge i-0abc (team vision), $393.25/day`.
    pub title: String,
    /// The text, a few lines without markup.
    pub lines: Vec<String>,
    /// The alerts that it is about: one; of a summary the costliest; none of a test or a report.
    pub alerts: Vec<AlertFacts>,
    /// Alerts beyond `alerts` that a summary is about.
    pub more: usize,
    /// One HTML page, for mail; `None` for all but reports.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub html: Option<String>,
}
