//! One look at the fleet changes the state of alerts.

use std::collections::BTreeMap;

use jiff::{SignedDuration, Timestamp};

use super::{Alert, Book, OfRule, Phase};
use crate::watch::matches::{Matches, Thing};
use crate::watch::message::AlertFacts;
use crate::watch::rules::{Rule, Rules};
use crate::watch::words::{self, Told};

/// What a rule sees now; `None` where what it needs could not be read: nothing changes then.
pub struct Look<'a> {
    /// The rule.
    pub rule: &'a Rule,
    /// What it sees.
    pub matches: Option<&'a dyn Matches>,
}

impl Book {
    /// Takes in what the rules see at `now`; messages go to the outbox. Returns the alerts that ended, as they were. A clock
    /// that has gone back is taken as it is: nothing is in the future then, and nothing is told twice by it.
    pub fn step(&mut self, now: Timestamp, rules: &Rules, looks: &[Look<'_>]) -> Vec<Alert> {
        self.not_in_the_future(now);
        self.at = Some(now);
        let mut ended = Vec::new();
        let mut told = Vec::new();
        let mut before = std::mem::take(&mut self.alerts);
        for look in looks {
            let rule = look.rule;
            let mut alerts = before.remove(&rule.name).unwrap_or_default();
            if let Some(matches) = look.matches {
                let of = Of { now, rules, rule };
                of.found(matches, &mut alerts);
                of.missing(matches, &mut alerts);
                of.tell(&mut alerts, &mut told, &mut ended);
            }
            if !alerts.is_empty() {
                self.alerts.insert(rule.name.clone(), alerts);
            }
        }
        without_rule(now, before, &mut told, &mut ended);
        self.enqueue(now, rules, told);
        ended
    }

    /// Moments that are still to come, by a clock that has gone back since, are now.
    fn not_in_the_future(&mut self, now: Timestamp) {
        if self.at.is_none_or(|at| at <= now) {
            return;
        }
        for alert in self.alerts.values_mut().flat_map(BTreeMap::values_mut) {
            alert.since = alert.since.min(now);
            alert.gone_since = alert.gone_since.map(|at| at.min(now));
            alert.told_at = alert.told_at.map(|at| at.min(now));
        }
        for delivery in &mut self.outbox {
            delivery.next = delivery.next.min(now);
        }
    }
}

/// A rule at a moment.
struct Of<'a> {
    now: Timestamp,
    rules: &'a Rules,
    rule: &'a Rule,
}

impl Of<'_> {
    /// What is so: new alerts are pending, those that have been so for long enough fire.
    fn found(&self, matches: &dyn Matches, alerts: &mut OfRule) {
        for thing in matches.found() {
            let since = thing.since.unwrap_or(self.now).min(self.now);
            let alert = alerts.entry(thing.key.to_string()).or_insert_with(|| self.fresh(since));
            // It came back while its end was not told yet, or before it was one.
            alert.gone_since = None;
            if alert.phase == Phase::Resolved {
                alert.phase = Phase::Firing;
            }
            if thing.since.is_some() {
                alert.since = alert.since.min(since);
            }
            alert.severity = self.rule.severity;
            alert.tells_end = self.rule.tells_end;
            alert.place.clone_from(&thing.place);
            alert.rows = matches.rows(thing, &alert.rows);
            let is_old = self.now.duration_since(alert.since) >= self.rule.holds_for;
            if alert.phase == Phase::Pending && is_old {
                alert.phase = Phase::Firing;
                alert.thread = words::thread(&self.rule.name, &thing.key, self.now);
            }
            // Of one that is pending what it is; its dollars are of when it was seen first.
            if alert.phase == Phase::Firing || alert.facts.rule.is_empty() {
                alert.facts = Self::facts(matches, thing, alert.since);
            }
        }
    }

    fn fresh(&self, since: Timestamp) -> Alert {
        Alert {
            phase: Phase::Pending,
            since,
            gone_since: None,
            told_at: None,
            updates: 0,
            thread: String::new(),
            severity: self.rule.severity,
            sinks: Vec::new(),
            place: None,
            rows: Vec::new(),
            tells_end: self.rule.tells_end,
            facts: AlertFacts::default(),
        }
    }

    /// The facts with the start that was witnessed, by whichever of rows and rounds.
    fn facts(matches: &dyn Matches, thing: &Thing, since: Timestamp) -> AlertFacts {
        AlertFacts { since: Some(since), ..matches.facts(thing) }
    }

    /// What is so no more, as far as that is known: pending alerts are forgotten, firing ones end after their time.
    fn missing(&self, matches: &dyn Matches, alerts: &mut OfRule) {
        let found: std::collections::BTreeSet<&str> =
            matches.found().iter().map(|thing| &*thing.key).collect();
        alerts.retain(|key, alert| {
            if found.contains(key.as_str()) {
                return true;
            }
            // Whoever knows of no end keeps what is.
            if !matches.has_ended(key, alert.place.as_ref(), &alert.rows) {
                return true;
            }
            if alert.phase == Phase::Pending {
                return false;
            }
            let gone_since = *alert.gone_since.get_or_insert(self.now);
            let gone_for: SignedDuration = self.now.duration_since(gone_since);
            if gone_for >= self.rule.keep_firing {
                alert.phase = Phase::Resolved;
            }
            true
        });
    }

    /// What is to be told of each alert now. While the rule is silent nothing is; it is told afterwards where it is still so.
    fn tell(&self, alerts: &mut OfRule, told: &mut Vec<Told>, ended: &mut Vec<Alert>) {
        let is_silent = self.rules.is_silent(&self.rule.name, self.now);
        alerts.retain(|_, alert| match (alert.phase, alert.told_at) {
            // Nobody heard of it.
            (Phase::Resolved, None) => {
                ended.push(alert.clone());
                false
            }
            (Phase::Resolved, Some(_)) if !alert.tells_end => {
                ended.push(alert.clone());
                false
            }
            (Phase::Resolved, Some(_)) if is_silent => true,
            (Phase::Resolved, Some(_)) => {
                told.push(words::resolved(alert, self.now, None));
                ended.push(alert.clone());
                false
            }
            (Phase::Firing, None) if !is_silent => {
                alert.sinks = self.rules.sinks_of(self.rule, alert.facts.team.as_deref());
                alert.told_at = Some(self.now);
                told.push(words::firing(alert, self.rule, self.now));
                true
            }
            // Who is told of nothing more than once: an alert that is on its way out is not repeated.
            (Phase::Firing, Some(at)) if !is_silent && alert.gone_since.is_none() => {
                let is_due = |repeat| self.now.duration_since(at) >= repeat;
                if self.rule.repeat.is_some_and(is_due) {
                    alert.updates += 1;
                    alert.told_at = Some(self.now);
                    told.push(words::update(alert, self.rule, self.now));
                }
                true
            }
            _ => true,
        });
    }
}

/// Alerts whose rule is not in the file any more end, and who was told of them is told that.
fn without_rule(
    now: Timestamp,
    gone: BTreeMap<String, OfRule>,
    told: &mut Vec<Told>,
    ended: &mut Vec<Alert>,
) {
    for (rule, alerts) in gone {
        for alert in alerts.into_values() {
            if alert.told_at.is_some() && alert.phase != Phase::Pending && alert.tells_end {
                let why = Some(format!("the rule {rule} is not in the rules file any more"));
                told.push(words::resolved(&alert, now, why));
            }
            ended.push(Alert { phase: Phase::Resolved, ..alert });
        }
    }
}
