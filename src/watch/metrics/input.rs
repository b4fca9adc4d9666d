//! What a page is made of.

use jiff::Timestamp;

use crate::domain::{OwnCost, Reading};
use crate::fleet::{Fleet, GpuFleet, Savings};
use crate::watch::message::Severity;

/// Which build this is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Build<'a> {
    /// Version: `0.1.0`.
    pub version: &'a str,
    /// Commit with its date, or what a build without one says of itself.
    pub commit: &'a str,
}

impl<'a> Build<'a> {
    /// From the text of `--version`: `0.1.0 (c3caa3c1f0 2026-11-22)`.
    pub fn parse(text: &'a str) -> Self {
        let (version, rest) = text.split_once(" (").unwrap_or((text, ""));
        Self { version, commit: rest.strip_suffix(')').unwrap_or(rest) }
    }
}

/// A budget in its current period.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BudgetUse<'a> {
    /// Its name.
    pub budget: &'a str,
    /// What may be spent, USD.
    pub limit_usd: f64,
    /// What is spent so far, USD.
    pub spent_usd: f64,
    /// What the end of the period is expected to be, USD; `None` where nothing is foreseen.
    pub forecast_usd: Option<f64>,
}

/// The pictures of one round.
#[derive(Clone, Copy, Debug)]
pub struct MetricsInput<'a> {
    /// Time of the round.
    pub now: Timestamp,
    /// This build.
    pub build: Build<'a>,
    /// The fleet.
    pub fleet: &'a Fleet,
    /// The GPUs; empty without telemetry.
    pub gpus: &'a GpuFleet,
    /// Commitments and what could be saved; `None` where it was not read.
    pub savings: Option<&'a Savings>,
    /// Budgets in their current period, those of AWS too where they are read; empty where none are known.
    pub budgets: &'a [BudgetUse<'a>],
    /// State of each source in each scope, of all pictures together.
    pub readings: &'a [Reading],
    /// What burntop itself spent; `None` where calls cost nothing.
    pub own_cost: Option<&'a OwnCost>,
    /// Values of a label that are kept.
    pub most_values: usize,
}

/// Alerts of one rule in one state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AlertCount {
    /// Name of the rule.
    pub rule: String,
    /// Severity of the rule.
    pub severity: Severity,
    /// Word of the state.
    pub state: &'static str,
    /// Number of alerts in it.
    pub count: u64,
}

/// What became of the messages to one sink.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DeliveryCount {
    /// Name of the sink.
    pub sink: String,
    /// Messages that were sent; only grows.
    pub sent: u64,
    /// Tries that failed; only grows.
    pub failed: u64,
    /// Messages that were given up; only grows.
    pub dead: u64,
    /// Messages that wait now.
    pub queued: u64,
}

/// What the watch has done.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct WatchCounts {
    /// Time between two rounds, seconds; `None` of a single round.
    pub every_seconds: Option<f64>,
    /// How long the round took, seconds; `None` where that was not measured.
    pub round_seconds: Option<f64>,
    /// Rounds that read something; only grows.
    pub rounds: u64,
    /// Rounds in which nothing could be read; only grows.
    pub failed_rounds: u64,
    /// Alerts by rule and state; states without an alert may be in it with 0.
    pub alerts: Vec<AlertCount>,
    /// Messages by sink; a sink that has sent nothing is in it with 0.
    pub deliveries: Vec<DeliveryCount>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_text_of_version_has_version_and_commit() {
        let build = |version, commit| Build { version, commit };
        assert_eq!(
            Build::parse("0.1.0 (c3caa3c1f0 2026-11-22)"),
            build("0.1.0", "c3caa3c1f0 2026-11-22")
        );
        assert_eq!(Build::parse("0.1.0"), build("0.1.0", ""));
    }
}
