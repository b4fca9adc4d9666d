//! What can stand between the braces of a template, and what it stands for.

use serde_json::{Number, Value};

use super::super::message::{AlertFacts, Message, MessageKind, Severity};
use crate::domain::format;

/// Most characters of the title where a server takes few: a message of Opsgenie.
const SHORT: usize = 130;
// A summary of PagerDuty has 1,024.
/// Most characters of the title.
const TITLE: usize = 1_000;
/// Most characters of the text: a description of Opsgenie has 15,000.
const TEXT: usize = 14_000;

/// A name between braces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Name {
    Key,
    Thread,
    Kind,
    EventAction,
    Severity,
    Priority,
    At,
    Title,
    Short,
    Text,
    Rule,
    What,
    Team,
    Since,
    Usd,
    UsdIsAtLeast,
    UsdPerDay,
    Why,
    Command,
    Ask,
    Alerts,
    Count,
    More,
    Secret,
}

/// All names. From `rule` to `ask` they are of the one alert that a message is about, and unknown where it is about none
/// or several.
const NAMES: [(&str, Name); 24] = [
    ("key", Name::Key),
    ("thread", Name::Thread),
    ("kind", Name::Kind),
    ("event_action", Name::EventAction),
    ("severity", Name::Severity),
    ("priority", Name::Priority),
    ("at", Name::At),
    ("title", Name::Title),
    ("short", Name::Short),
    ("text", Name::Text),
    ("rule", Name::Rule),
    ("what", Name::What),
    ("team", Name::Team),
    ("since", Name::Since),
    ("usd", Name::Usd),
    ("usd_is_at_least", Name::UsdIsAtLeast),
    ("usd_per_day", Name::UsdPerDay),
    ("why", Name::Why),
    ("command", Name::Command),
    ("ask", Name::Ask),
    ("alerts", Name::Alerts),
    ("count", Name::Count),
    ("more", Name::More),
    ("secret", Name::Secret),
];

/// The names for an error.
pub fn known() -> String {
    NAMES.map(|(word, _)| word).join(", ")
}

impl Name {
    /// The name that is written so, white space around it aside; `None` for another word.
    pub fn of(written: &str) -> Option<Self> {
        NAMES.iter().find(|(word, _)| *word == written.trim()).map(|(_, name)| *name)
    }

    /// True for what is no text, within quotes or without.
    pub fn is_list(self) -> bool {
        self == Self::Alerts
    }

    /// Value without quotes; `null` where it is not known.
    pub fn value(self, message: &Message, secret: Option<&str>) -> Value {
        let alert = one(message);
        let of_alert = |text: fn(&AlertFacts) -> Option<String>| {
            alert.and_then(text).map_or(Value::Null, Value::String)
        };
        match self {
            Self::Key => message.key.as_str().into(),
            Self::Thread => message.thread.as_str().into(),
            Self::Kind => message.kind.word().into(),
            Self::EventAction => event_action(message.kind).into(),
            Self::Severity => message.severity.word().into(),
            Self::Priority => priority(message.severity).into(),
            Self::At => message.at.to_string().into(),
            Self::Title => cut(&message.title, TITLE).into(),
            Self::Short => cut(&message.title, SHORT).into(),
            Self::Text => cut(&message.lines.join("\n"), TEXT).into(),
            Self::Rule => of_alert(|alert| Some(alert.rule.clone())),
            Self::What => of_alert(|alert| Some(alert.what.clone())),
            Self::Team => of_alert(|alert| alert.team.clone()),
            Self::Since => of_alert(|alert| alert.since.map(|since| since.to_string())),
            Self::Usd => dollars(alert.and_then(|alert| alert.usd)),
            Self::UsdIsAtLeast => alert.map_or(Value::Null, |alert| alert.usd_is_at_least.into()),
            Self::UsdPerDay => dollars(alert.and_then(|alert| alert.usd_per_day)),
            Self::Why => of_alert(|alert| Some(alert.why.join("\n"))),
            Self::Command => of_alert(|alert| alert.command.clone()),
            Self::Ask => of_alert(|alert| alert.ask.clone()),
            Self::Alerts => serde_json::to_value(&message.alerts).unwrap_or_default(),
            Self::Count => (message.alerts.len() + message.more).into(),
            Self::More => message.more.into(),
            Self::Secret => secret.map_or(Value::Null, Value::from),
        }
    }

    /// Text within quotes, not yet escaped; empty where it is not known.
    pub fn text(self, message: &Message, secret: Option<&str>) -> String {
        let alert = one(message);
        match (self, self.value(message, secret)) {
            (_, Value::Null) => String::new(),
            (_, Value::String(text)) => text,
            (Self::Usd, Value::Number(_)) => {
                let usd = alert.and_then(|alert| alert.usd).unwrap_or_default();
                let at_least = alert.is_some_and(|alert| alert.usd_is_at_least);
                format::at_least(format::usd_spent(usd), at_least)
            }
            (Self::UsdPerDay, Value::Number(_)) => {
                format::usd_spent(alert.and_then(|alert| alert.usd_per_day).unwrap_or_default())
            }
            (_, value) => value.to_string(),
        }
    }
}

/// The one alert that a message is about; `None` where it is about none or several.
fn one(message: &Message) -> Option<&AlertFacts> {
    match &message.alerts[..] {
        [alert] if message.more == 0 => Some(alert),
        _ => None,
    }
}

/// `resolve` for an end, `trigger` for all else, as a pager has it.
fn event_action(kind: MessageKind) -> &'static str {
    match kind {
        MessageKind::Resolved => "resolve",
        _ => "trigger",
    }
}

/// Priority at Opsgenie, `P1` the most urgent.
fn priority(severity: Severity) -> &'static str {
    match severity {
        Severity::Critical => "P1",
        Severity::Warning => "P3",
        Severity::Info => "P5",
    }
}

/// Dollars with four decimals; `null` for what is no number.
fn dollars(usd: Option<f64>) -> Value {
    let rounded = usd.map(|usd| (usd * 10_000.0).round() / 10_000.0);
    rounded.and_then(Number::from_f64).map_or(Value::Null, Value::Number)
}

/// At most so many characters, the last of them an ellipsis where there were more.
fn cut(text: &str, most: usize) -> String {
    if text.chars().nth(most).is_none() {
        return text.to_owned();
    }
    text.chars().take(most.saturating_sub(1)).chain(['…']).collect()
}

/// Messages that try a template: about nothing, about everything in the worst of words, about several, numbers that are
/// none.
pub fn samples() -> Vec<Message> {
    let nasty = "\"},{\\u12 {{title}} }}\n\u{1b}\u{2028}é🔥'/";
    let message = |kind, alerts, more| Message {
        key: "0".repeat(32),
        thread: "f".repeat(32),
        kind,
        severity: Severity::Critical,
        at: jiff::Timestamp::UNIX_EPOCH,
        title: nasty.to_owned(),
        lines: vec![nasty.to_owned(), String::new()],
        alerts,
        more,
        html: None,
    };
    let text = || Some(nasty.to_owned());
    let full = AlertFacts {
        rule: nasty.to_owned(),
        key: nasty.to_owned(),
        what: nasty.to_owned(),
        team: text(),
        since: Some(jiff::Timestamp::UNIX_EPOCH),
        usd: Some(-0.5),
        usd_is_at_least: true,
        usd_per_day: Some(1e300),
        adds_up: true,
        why: vec![nasty.to_owned(), nasty.to_owned()],
        command: text(),
        ask: text(),
    };
    let odd = AlertFacts {
        usd: Some(f64::NAN),
        usd_per_day: Some(f64::INFINITY),
        ..AlertFacts::default()
    };
    let empty = Message {
        title: String::new(),
        lines: Vec::new(),
        ..message(MessageKind::Test, Vec::new(), 0)
    };
    vec![
        empty,
        message(MessageKind::Firing, vec![full.clone()], 0),
        message(MessageKind::Resolved, vec![odd.clone()], 0),
        message(MessageKind::Summary, vec![full, odd], 7),
    ]
}
