//! A rules file becomes [`Rules`], or everything that is wrong with it. Nothing is guessed: a rule that cannot be
//! understood is none, and then there are none at all.

mod check;
mod resolve;
mod sinks;

use std::time::Duration;

use jiff::{SignedDuration, Timestamp};

use super::file::Group;
use super::message::Severity;
use super::silence::Silence;
use super::sink::Sink;
use super::view::WatchView;
use crate::view::Filter;

pub use resolve::{Helpers, resolve};

/// A rules file that can be used.
#[derive(Clone, Debug)]
pub struct Rules {
    /// The rules, in the order of the file; none where it has only sinks, for reports.
    pub rules: Vec<Rule>,
    /// Where alerts go; one at least.
    pub sinks: Vec<Sink>,
    /// Sinks of rules that name none and whose team has no route.
    pub by_default: Vec<String>,
    /// Teams in small letters with their sinks.
    pub routes: Vec<(String, Vec<String>)>,
    /// When nothing is sent.
    pub silences: Vec<Silence>,
    /// More messages than so many to one sink at once become one summary.
    pub summary_above: usize,
    /// Time between two looks.
    pub every: Duration,
}

/// A rule.
#[derive(Clone, Debug)]
pub struct Rule {
    /// Its name.
    pub name: String,
    /// The list that it looks at.
    pub view: &'static WatchView,
    /// Which rows it means.
    pub filter: Filter,
    /// How long it has to be so.
    pub holds_for: SignedDuration,
    /// How long an alert outlives its cause.
    pub keep_firing: SignedDuration,
    /// What one alert is about.
    pub group: Group,
    /// Rows that a group needs at least.
    pub min_rows: usize,
    /// Dollars a day that a row or a group costs at least; `None` = whatever it costs.
    pub min_usd_per_day: Option<f64>,
    /// How urgent it is.
    pub severity: Severity,
    /// Sinks that it names; empty = those of the team, else those by default.
    pub sinks: Vec<String>,
    /// Time after which it is sent again; `None` = never.
    pub repeat: Option<SignedDuration>,
    /// Whether the end of an alert is told.
    pub tells_end: bool,
    /// A sentence for each of its messages; empty without one.
    pub note: String,
}

impl Rules {
    /// The sinks that alerts of a rule about a team go to, those that take its severity.
    pub fn sinks_of(&self, rule: &Rule, team: Option<&str>) -> Vec<String> {
        let team = team.map(str::to_lowercase);
        let of_team =
            || self.routes.iter().find(|(name, _)| team.as_deref() == Some(name)).map(|(_, s)| s);
        let named =
            if rule.sinks.is_empty() { of_team().unwrap_or(&self.by_default) } else { &rule.sinks };
        let takes = |name: &&String| {
            self.sinks.iter().any(|sink| sink.name == **name && sink.least <= rule.severity)
        };
        named.iter().filter(takes).cloned().collect()
    }

    /// True where the rule is silent at `now`.
    pub fn is_silent(&self, rule: &str, now: Timestamp) -> bool {
        self.silences.iter().any(|silence| silence.holds(rule, now))
    }

    /// The sink of that name; `None` where there is none.
    pub fn sink(&self, name: &str) -> Option<&Sink> {
        self.sinks.iter().find(|sink| sink.name == name)
    }
}

#[cfg(test)]
pub(super) mod tests;
