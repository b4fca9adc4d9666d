//! Messages in words.

use std::collections::BTreeMap;

use jiff::Timestamp;

use super::message::{AlertFacts, Message, MessageKind, Severity};
use super::rules::Rule;
use super::state::{Alert, SentAlert};
use crate::act::plan::sha256_hex;
use crate::domain::text::clean_to;
use crate::view::format;

/// Something to tell, and whom.
#[derive(Clone, Debug, PartialEq)]
pub struct Told {
    /// The message, for a sink that gets it by itself.
    pub message: Message,
    /// What it is about.
    pub about: SentAlert,
    /// The sinks.
    pub sinks: Vec<String>,
}

/// Alerts that a summary names.
const NAMED: usize = 10;

/// The longest title, characters.
const TITLE: usize = 200;

/// What stays the same from the beginning of an alert, at `fired`, to its end. One that comes back later is another.
pub fn thread(rule: &str, key: &str, fired: Timestamp) -> String {
    digest(&[rule, key, &fired.to_string()])
}

/// 32 hexadecimal digits of these texts.
fn digest(parts: &[&str]) -> String {
    // No text holds a control character.
    let mut of = sha256_hex(parts.join("\u{1f}").as_bytes());
    of.truncate(32);
    of
}

/// An alert begins.
pub fn firing(alert: &Alert, rule: &Rule, now: Timestamp) -> Told {
    told(alert, MessageKind::Firing, now, Some(rule), None)
}

/// An alert still fires.
pub fn update(alert: &Alert, rule: &Rule, now: Timestamp) -> Told {
    told(alert, MessageKind::Update, now, Some(rule), None)
}

/// An alert has ended; `why` where that is not because it is so no more.
pub fn resolved(alert: &Alert, now: Timestamp, why: Option<String>) -> Told {
    told(alert, MessageKind::Resolved, now, None, why)
}

fn told(
    alert: &Alert,
    kind: MessageKind,
    now: Timestamp,
    rule: Option<&Rule>,
    why: Option<String>,
) -> Told {
    let facts = &alert.facts;
    let word = match kind {
        MessageKind::Resolved => "resolved",
        MessageKind::Update => "still firing",
        _ => "firing",
    };
    let mut title = format!("{word}: {}: {}", facts.rule, facts.what);
    if let Some(team) = facts.team.as_deref().filter(|team| !facts.what.contains(team)) {
        title.push_str(&format!(" (team {team})"));
    }
    if let Some(usd) = facts.usd_per_day.filter(|_| kind != MessageKind::Resolved) {
        title.push_str(&format!(", {}/day", format::usd(usd)));
    }
    let mut lines = vec![since(facts, now, kind)];
    lines.extend(why);
    if kind != MessageKind::Resolved {
        lines.extend(facts.why.iter().cloned());
        lines.extend(facts.command.as_deref().map(|command| format!("see: {command}")));
    }
    lines.extend(facts.ask.as_deref().map(|ask| format!("ask: {ask}")));
    lines.extend(rule.map(|rule| rule.note.clone()).filter(|note| !note.is_empty()));
    let updates = alert.updates.to_string();
    let message = Message {
        key: digest(&[&alert.thread, kind.word(), &updates]),
        thread: alert.thread.clone(),
        kind,
        severity: alert.severity,
        at: now,
        title: clean_to(&title, TITLE).into_owned(),
        lines,
        alerts: vec![facts.clone()],
        more: 0,
        html: None,
    };
    let about = SentAlert {
        rule: facts.rule.clone(),
        key: facts.key.clone(),
        thread: alert.thread.clone(),
        kind,
        severity: alert.severity,
        what: facts.what.clone(),
        team: facts.team.clone(),
        since: alert.since,
        place: alert.place.clone(),
    };
    Told { message, about, sinks: alert.sinks.clone() }
}

/// `for 3d 4h (since 2026-11-26 08:00 UTC), $1,022.48 so far, $323.52/day`
fn since(facts: &AlertFacts, now: Timestamp, kind: MessageKind) -> String {
    let mut out = String::new();
    if let Some(since) = facts.since {
        let seconds = now.duration_since(since).as_secs().max(0);
        let word = if kind == MessageKind::Resolved { "after" } else { "for" };
        let began = since.strftime("%Y-%m-%d %H:%M UTC");
        // Nothing has lasted that was seen for the first time just now.
        out = match seconds {
            0..60 => format!("since {began}"),
            _ => format!("{word} {} (since {began})", format::span(seconds)),
        };
    }
    let mut dollars = Vec::new();
    if let Some(usd) = facts.usd {
        let least = if facts.usd_is_at_least { "at least " } else { "" };
        dollars.push(format!("{least}{} so far", format::usd(usd)));
    }
    if let Some(usd) = facts.usd_per_day {
        dollars.push(format!("{}/day", format::usd(usd)));
    }
    for text in dollars {
        out.push_str(if out.is_empty() { "" } else { ", " });
        out.push_str(&text);
    }
    if out.is_empty() { "since when is not known".to_owned() } else { out }
}

/// How many alerts of a rule, and what those that go on cost a day, where that adds up.
fn of_rule(all: &[&Told]) -> String {
    let count = format::plural(all.len(), "alert");
    let burning = all.iter().filter(|of| of.message.kind != MessageKind::Resolved);
    let facts: Vec<&AlertFacts> = burning.flat_map(|of| &of.message.alerts).collect();
    let known: Vec<f64> = facts.iter().filter_map(|facts| facts.usd_per_day).collect();
    if known.is_empty() || !facts.iter().all(|facts| facts.adds_up) {
        return count;
    }
    let usd = format::usd(known.iter().sum());
    match facts.len() - known.len() {
        0 => format!("{count}, {usd}/day"),
        unknown => format!("{count}, {usd}/day without {unknown} of which it is not known"),
    }
}

/// Many messages as one: how many of each rule, and the most urgent and dearest.
pub fn summary(all: &[&Told], now: Timestamp) -> Message {
    let count = |kind| all.iter().filter(|of| of.message.kind == kind).count();
    let parts = [
        (count(MessageKind::Firing), "firing"),
        (count(MessageKind::Update), "still firing"),
        (count(MessageKind::Resolved), "resolved"),
    ];
    let parts: Vec<String> = parts
        .into_iter()
        .filter(|(count, _)| *count > 0)
        .map(|(count, word)| format!("{} {word}", format::count(count as f64)))
        .collect();
    let title = format!("{} alerts: {}", format::count(all.len() as f64), parts.join(", "));
    // Over rules nothing adds up: what idles as a GPU idles as a part of its instance too.
    let mut rules: BTreeMap<&str, Vec<&Told>> = BTreeMap::new();
    for of in all {
        rules.entry(&of.about.rule).or_default().push(of);
    }
    let mut lines: Vec<String> =
        rules.into_iter().map(|(rule, all)| format!("{rule}: {}", of_rule(&all))).collect();
    let usd = |of: &Told| of.message.alerts.iter().find_map(|facts| facts.usd_per_day);
    let mut first: Vec<&&Told> = all.iter().collect();
    first.sort_by(|a, b| {
        let of = |told: &Told| usd(told).unwrap_or(f64::NEG_INFINITY);
        b.message.severity.cmp(&a.message.severity).then(of(b).total_cmp(&of(a)))
    });
    first.truncate(NAMED);
    lines.extend(first.iter().map(|of| of.message.title.clone()));
    let more = all.len() - first.len();
    if more > 0 {
        let others = format::plural(more, "other");
        lines.push(format!("and {others}; `burntop watch --once` lists all"));
    }
    let mut keys: Vec<&str> = all.iter().map(|of| of.message.key.as_str()).collect();
    keys.sort_unstable();
    let key = digest(&keys);
    let kind = MessageKind::Summary;
    let severity = all.iter().map(|of| of.message.severity).max().unwrap_or(Severity::Info);
    let alerts = first.iter().flat_map(|of| of.message.alerts.clone()).collect();
    Message {
        thread: key.clone(),
        key,
        kind,
        severity,
        at: now,
        title: clean_to(&title, TITLE).into_owned(),
        lines,
        alerts,
        more,
        html: None,
    }
}
