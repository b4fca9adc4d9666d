//! One round of reading: the rows of every list that a rule looks at.

use std::collections::BTreeSet;
use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};

use crate::analyze::network::live::paths;
use crate::bus::{Meter, Outcome};
use crate::cli::exit::CliError;
use crate::cli::invocation::Invocation;
use crate::cli::savings_settings::SavingsWant;
use crate::cli::telemetry::Want;
use crate::cli::{bill, reports, teams};
use crate::domain::{Reading, SourceId};
use crate::fleet::Savings;
use crate::report::ListField;
use crate::tabs::bill::picture::AnomalyField;
use crate::tabs::gpus::picture::GpuField;
use crate::tabs::idle::picture::Field;
use crate::tabs::network::picture::{NetworkField, network_rows};
use crate::tabs::savings::picture::{
    CommitmentField, ProposalField, ResourceField, SpotField, resource_items,
};
use crate::tabs::storage::picture::{
    BlockField, BucketField, FindingField, block_rows, finding_rows,
};
use crate::tabs::teams::picture::{BudgetField, BudgetItem, QuotaField};
use crate::view::{Rows, TableField, ViewContext};
use crate::watch::matches::Pictured;
use crate::watch::own_cost::{OwnCostField, own_cost_rows};
use crate::watch::rules::Rules;
use crate::watch::source_state::{SourceField, source_rows};
use crate::watch::view::{OWN_COST, Reads, WatchView, view};

/// How long what was read of bills is taken for what they say: they change once a day or so, and a year of them takes
/// seconds to read.
const BILLS_GOOD_FOR: SignedDuration = SignedDuration::from_hours(1);

/// What was read in a round.
pub struct Round {
    /// The lists that could be read.
    pub lists: Vec<Pictured>,
    /// Lists that could not, with why.
    pub unread: Vec<(&'static str, String)>,
    /// Readings of all sources.
    pub readings: Vec<Reading>,
    /// The fleet and what belongs to it.
    pub outcome: Outcome,
    /// What could be saved; `None` where it was not read.
    pub savings: Option<Savings>,
    /// Budgets with how they stand; empty where they were not read.
    pub budgets: Vec<Arc<BudgetItem>>,
    /// When it was read.
    pub at: Timestamp,
    ctx: ViewContext,
}

/// What is kept of bills between rounds.
#[derive(Default)]
pub struct Bills {
    read_at: Option<Timestamp>,
    budgets: Option<Result<Vec<Arc<BudgetItem>>, String>>,
    anomalies: Option<Result<Arc<dyn Rows>, String>>,
}

/// Names of the lists that the rules look at.
pub fn wanted(rules: &Rules) -> BTreeSet<&'static str> {
    rules.rules.iter().map(|rule| rule.view.name).collect()
}

/// Reads what the rules look at, or `everything`. What fails is said and left out; nothing fails by it.
pub fn round(
    rules: &Rules,
    everything: bool,
    invocation: &Invocation,
    bills: &mut Bills,
    meter: &mut Meter,
    ctx: &ViewContext,
) -> Result<Round, CliError> {
    let wanted = wanted(rules);
    let reads = |what| everything || rules.rules.iter().any(|rule| rule.view.reads == what);
    let want = if reads(Reads::Gpus) || reads(Reads::Savings) { Want::All } else { Want::Free };
    let saving = if reads(Reads::Savings) { SavingsWant::All } else { SavingsWant::Net };
    let asks_who = rules.rules.iter().any(|rule| rule.view.ask.contains(&"launched_by"));
    let ask_of = if asks_who { reports::ASKED } else { 0 };
    let outcome = reports::read_metered(invocation, want, saving, ask_of, meter)?;
    let now = invocation.options.now();
    let ctx = ViewContext { now, ..*ctx };
    let mut round = Round {
        lists: Vec::new(),
        unread: Vec::new(),
        readings: Vec::new(),
        outcome,
        savings: None,
        budgets: Vec::new(),
        at: now,
        ctx,
    };
    round.fleet(&wanted, invocation);
    if reads(Reads::Savings) {
        round.savings(&wanted, now);
    }
    round.readings = Reading::merged(round.readings.iter().chain(&round.outcome.fleet.readings));
    if reads(Reads::Bills) {
        bills.refresh(invocation, ctx);
        let budgets = bills.budgets.as_ref().map(|read| {
            let read = read.as_ref().map_err(Clone::clone);
            read.map(|rows| BudgetField::shared(&rows.as_slice().into()))
        });
        round.bill("budgets", &wanted, budgets.as_ref());
        round.budgets = bills.budgets.clone().and_then(Result::ok).unwrap_or_default();
        round.bill("anomalies", &wanted, bills.anomalies.as_ref());
    }
    let readings = source_rows(&round.readings);
    round.push("sources", &wanted, SourceField::shared(&readings), &[]);
    match round.outcome.own_cost.clone() {
        Some(cost) => {
            let rows = OwnCostField::shared(&own_cost_rows(cost));
            round.push(OWN_COST.name, &wanted, rows, &[]);
        }
        None => round.unread.push((OWN_COST.name, "the ledger of the own cost is silent".into())),
    }
    round.unread.retain(|(name, _)| wanted.contains(name));
    Ok(round)
}

impl Round {
    fn push(
        &mut self,
        name: &'static str,
        wanted: &BTreeSet<&'static str>,
        rows: Arc<dyn Rows>,
        sources: &'static [SourceId],
    ) {
        if let (true, Some(view)) = (wanted.contains(name), view(name)) {
            self.lists.push(Pictured::new(view, rows, sources, &self.ctx));
        }
    }

    fn of<F: ListField>(
        &mut self,
        name: &'static str,
        wanted: &BTreeSet<&'static str>,
        rows: Vec<Arc<F::Row>>,
    ) {
        self.push(name, wanted, F::shared(&rows.into()), F::SOURCES);
    }

    fn fleet(&mut self, wanted: &BTreeSet<&'static str>, invocation: &Invocation) {
        let fleet = self.outcome.fleet.clone();
        if let Err(error) = reports::unreadable(invocation, &self.outcome) {
            let why = error.to_string();
            let of_fleet = |name: &&'static str| {
                view(name).is_some_and(|view| {
                    matches!(view.reads, Reads::Fleet | Reads::Gpus | Reads::Savings)
                })
            };
            self.unread
                .extend(wanted.iter().copied().filter(of_fleet).map(|name| (name, why.clone())));
            return;
        }
        self.of::<Field>("idle", wanted, fleet.rows.clone());
        self.of::<GpuField>("gpus", wanted, self.outcome.gpus.rows.clone());
        if wanted.contains("quotas") {
            let quotas = teams::quotas_of(&fleet, invocation);
            self.push("quotas", wanted, QuotaField::shared(&quotas), &[SourceId::Ec2]);
        }
    }

    fn savings(&mut self, wanted: &BTreeSet<&'static str>, now: Timestamp) {
        if reports::is_blind(&self.outcome) {
            return;
        }
        let (storage, savings) = self.outcome.pictures(now);
        self.readings.clone_from(&savings.readings);
        self.readings.extend(storage.readings.iter().cloned());
        self.of::<CommitmentField>("commitments", wanted, savings.commitments.clone());
        self.of::<ProposalField>("rightsize", wanted, savings.proposals.clone());
        self.of::<SpotField>("spot", wanted, savings.spot.clone());
        self.of::<ResourceField>("resources", wanted, resource_items(&savings));
        self.of::<BucketField>("buckets", wanted, storage.buckets.clone());
        self.of::<BlockField>("ebs", wanted, block_rows(&storage));
        self.of::<FindingField>("findings", wanted, finding_rows(&storage));
        let network = network_rows(paths(&savings.paths));
        self.of::<NetworkField>("network", wanted, network.to_vec());
        self.savings = Some(savings);
    }

    fn bill(
        &mut self,
        name: &'static str,
        wanted: &BTreeSet<&'static str>,
        rows: Option<&Result<Arc<dyn Rows>, String>>,
    ) {
        match rows {
            Some(Ok(rows)) => self.push(name, wanted, rows.clone(), &[]),
            Some(Err(why)) => self.unread.push((name, why.clone())),
            None => {}
        }
    }

    /// The rows of a list; `None` where they could not be read.
    pub fn list(&self, view: &WatchView) -> Option<&Pictured> {
        self.lists.iter().find(|list| list.view.name == view.name)
    }
}

impl Bills {
    fn refresh(&mut self, invocation: &Invocation, ctx: ViewContext) {
        let is_good = |at: Timestamp| {
            let age = ctx.now.duration_since(at);
            age >= SignedDuration::ZERO && age < BILLS_GOOD_FOR
        };
        if self.read_at.is_some_and(is_good) {
            return;
        }
        self.read_at = Some(ctx.now);
        self.budgets = Some(match teams::budget_forecasts(invocation) {
            Ok(Some(list)) => Ok(list.rows),
            Ok(None) => Err("no budget is configured: `[[budgets]]` has them".to_owned()),
            Err(error) => Err(error.to_string()),
        });
        self.anomalies = Some(match bill::anomalies(invocation, ctx) {
            Ok(list) => Ok(AnomalyField::shared(&list.rows.into())),
            Err(error) => Err(error.to_string()),
        });
    }
}
