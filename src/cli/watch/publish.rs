//! Metrics of each round: served, written to a file, or both.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::runtime::Runtime;
use tokio::sync::watch;

use super::args::HowToWatch;
use super::deliver::Tallies;
use super::listen::{self, Snapshot};
use super::read::Round;
use super::textfile::Textfile;
use crate::cli::exit::{CliError, Exit};
use crate::cli::reports;
use crate::cli::tell::tell;
use crate::domain::bill::Usd;
use crate::files;
use crate::version::VERSION;
use crate::watch::metrics::{
    AlertCount, BudgetUse, Build, DeliveryCount, MOST_VALUES, Metrics, MetricsInput, WatchCounts,
};
use crate::watch::rules::Rules;
use crate::watch::state::{Book, Phase};

/// Where metrics go; nowhere by default.
pub struct Publisher {
    served: Option<watch::Sender<Snapshot>>,
    textfile: Option<Textfile>,
    every: Option<Duration>,
    rounds: u64,
    failed_rounds: u64,
    /// What was said of the last file: it is not said again as long as it stays so.
    said: String,
}

impl Publisher {
    /// Begins to serve. Fails where the address cannot be listened at, and for a file whose name does not fit.
    pub fn start(how: &HowToWatch, runtime: &Runtime, every: Duration) -> Result<Self, CliError> {
        let textfile = how.textfile.clone().map(Textfile::new).transpose();
        let textfile = textfile.map_err(|error| CliError::Usage(error.to_string()))?;
        let mut served = None;
        if let Some(address) = how.listen {
            let listener = runtime.block_on(listen::bind(address)).map_err(|error| {
                let why = files::explain(&error);
                CliError::Failed {
                    exit: Exit::Unreadable,
                    message: format!("--listen {address}: {why}"),
                }
            })?;
            listen::warning(address).iter().for_each(tell);
            let page: Arc<str> = Metrics::of_build(Build::parse(VERSION)).text().into();
            let since = tokio::time::Instant::now();
            let (sender, receiver) = watch::channel(Snapshot { page, since, every });
            runtime.spawn(listen::serve(listener, receiver, std::future::pending()));
            served = Some(sender);
        }
        let every = (!how.once).then_some(every);
        let said = String::new();
        Ok(Self { served, textfile, every, rounds: 0, failed_rounds: 0, said })
    }

    /// True where somebody reads metrics.
    pub fn is_wanted(&self) -> bool {
        self.served.is_some() || self.textfile.is_some()
    }

    /// Shows what a round brought that began then.
    pub fn publish(
        &mut self,
        round: &Round,
        book: &Book,
        rules: &Rules,
        tallies: &Tallies,
        began: Instant,
    ) {
        if reports::is_blind(&round.outcome) {
            self.failed_rounds += 1;
        } else {
            self.rounds += 1;
        }
        if !self.is_wanted() {
            return;
        }
        let budgets: Vec<BudgetUse<'_>> = round
            .budgets
            .iter()
            .map(|budget| BudgetUse {
                budget: &budget.id,
                limit_usd: budget.of.budget.limit.to_f64(),
                spent_usd: budget.of.spent.to_f64(),
                forecast_usd: budget.expected().map(Usd::to_f64),
            })
            .collect();
        let input = MetricsInput {
            now: round.at,
            build: Build::parse(VERSION),
            fleet: &round.outcome.fleet,
            gpus: &round.outcome.gpus,
            savings: round.savings.as_ref(),
            budgets: &budgets,
            readings: &round.readings,
            own_cost: round.outcome.own_cost.as_ref(),
            most_values: MOST_VALUES,
        };
        let counts = WatchCounts {
            every_seconds: self.every.map(|every| every.as_secs_f64()),
            round_seconds: Some(began.elapsed().as_secs_f64()),
            rounds: self.rounds,
            failed_rounds: self.failed_rounds,
            alerts: alerts(book, rules),
            deliveries: deliveries(book, rules, tallies),
        };
        let page: Arc<str> = Metrics::of(&input, &counts).text().into();
        if let Some(served) = &self.served {
            let since = tokio::time::Instant::now();
            served
                .send_modify(|last| *last = Snapshot { page: page.clone(), since, ..last.clone() });
        }
        if let Some(textfile) = &self.textfile {
            let said = textfile.write(&page).err().map(|error| error.to_string());
            let said = said.unwrap_or_default();
            if !said.is_empty() && said != self.said {
                tell(&said);
            }
            self.said = said;
        }
    }
}

/// Alerts by rule and state, with 0 where there are none.
fn alerts(book: &Book, rules: &Rules) -> Vec<AlertCount> {
    let count = |rule: &str, phase: Phase| {
        let alerts = book.alerts.get(rule).map(BTreeMap::values).into_iter().flatten();
        alerts.filter(|alert| alert.phase == phase).count() as u64
    };
    let of = |rule: &crate::watch::rules::Rule| {
        let (name, severity) = (rule.name.clone(), rule.severity);
        [Phase::Pending, Phase::Firing].map(|phase| AlertCount {
            count: count(&name, phase),
            rule: name.clone(),
            severity,
            state: phase.word(),
        })
    };
    rules.rules.iter().flat_map(of).collect()
}

/// Messages by sink, with 0 where there are none.
fn deliveries(book: &Book, rules: &Rules, tallies: &Tallies) -> Vec<DeliveryCount> {
    let of = |sink: &crate::watch::sink::Sink| {
        let tally = tallies.get(&sink.name).cloned().unwrap_or_default();
        let queued = book.outbox.iter().filter(|delivery| delivery.sink == sink.name).count();
        DeliveryCount {
            sink: sink.name.clone(),
            sent: tally.sent,
            failed: tally.failed,
            dead: tally.given_up,
            queued: queued as u64,
        }
    };
    rules.sinks.iter().map(of).collect()
}
