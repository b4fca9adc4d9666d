//! One round of reading: the rows of every list that a rule looks at.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};

use crate::analyze::network::live::paths;
use crate::bus::{Meter, Outcome};
use crate::cli::bill::kept::Kept;
use crate::cli::exit::{CliError, Exit};
use crate::cli::invocation::Invocation;
use crate::cli::jobs::{SourcesRead, ZombieList};
use crate::cli::savings_settings::SavingsWant;
use crate::cli::telemetry::Want;
use crate::cli::{bill, jobs, reports, teams, trend};
use crate::config::Env;
use crate::domain::{Reading, SourceId};
use crate::fleet::{GpuRow, Savings};
use crate::report::ListField;
use crate::tabs::bill::picture::AnomalyField;
use crate::tabs::gpus::picture::GpuField;
use crate::tabs::idle::picture::Field;
use crate::tabs::jobs::picture::ZombieField;
use crate::tabs::network::picture::{NetworkField, network_rows};
use crate::tabs::overview::picture::TrendField;
use crate::tabs::savings::picture::{
    CommitmentField, ProposalField, ResourceField, SpotField, resource_items,
};
use crate::tabs::storage::picture::{
    BlockField, BucketField, FindingField, block_rows, finding_rows,
};
use crate::tabs::teams::picture::{
    AllocationField, BudgetField, BudgetItem, QuotaField, UnitField,
};
use crate::view::{Rows, TableField, ViewContext};
use crate::watch::matches::{Known, Pictured};
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
    /// Lists of which a part could not, with why: nothing of them ends.
    pub in_part: Vec<(&'static str, String)>,
    /// What is odd besides, a sentence each.
    pub notes: Vec<String>,
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
    /// Lists by their names; Err with why one could not be read.
    lists: BTreeMap<&'static str, Result<Listed, String>>,
}

/// Rows of a list, with why a part of them could not be read; `None` where all could.
type Listed = (Arc<dyn Rows>, Option<String>);

/// A list of the newest bill as its own command makes it, and how well it could be read.
type OfBill = fn(&Invocation, ViewContext) -> Result<(Arc<dyn Rows>, Exit), CliError>;

/// Lists that only a rule asks for; budgets are metrics too.
const OF_BILLS: [(&str, OfBill); 3] = [
    ("anomalies", |invocation, ctx| {
        let rows = bill::anomalies(invocation, ctx)?.rows;
        Ok((AnomalyField::shared(&rows.into()), Exit::Ok))
    }),
    ("units", |invocation, _| {
        let (rows, exit) = teams::listed_units(invocation)?;
        Ok((UnitField::shared(&rows), exit))
    }),
    ("teams", |invocation, _| {
        let (rows, exit) = teams::by_team(invocation)?;
        Ok((AllocationField::shared(&rows), exit))
    }),
];

/// Said of lists of bills that could be read in part.
const BILLS_IN_PART: &str =
    "a bill, or counts, could not be read: `burntop bill list` and `burntop units` say which";

/// Names of the lists that the rules look at.
pub fn wanted(rules: &Rules) -> BTreeSet<&'static str> {
    rules.rules.iter().map(|rule| rule.view.name).collect()
}

/// Reads what the rules look at, or `everything`. What fails is said and left out; nothing fails by it.
pub fn round(
    rules: &Rules,
    everything: bool,
    invocation: &Invocation,
    env: &Env,
    bills: &mut Bills,
    meter: &mut Meter,
    ctx: &ViewContext,
) -> Result<Round, CliError> {
    let wanted = wanted(rules);
    let asks = |what| rules.rules.iter().any(|rule| rule.view.reads == what);
    let reads = |what| everything || asks(what);
    let all_gpus = reads(Reads::Gpus) || reads(Reads::Savings) || asks(Reads::JobsOnGpus);
    let want = if all_gpus { Want::All } else { Want::Free };
    let saving = if reads(Reads::Savings) { SavingsWant::All } else { SavingsWant::Net };
    let asks_who = rules.rules.iter().any(|rule| rule.view.ask.contains(&"launched_by"));
    let ask_of = if asks_who { reports::ASKED } else { 0 };
    let outcome = reports::read_metered(invocation, want, saving, ask_of, meter)?;
    let now = invocation.options.now();
    let ctx = ViewContext { now, ..*ctx };
    let mut round = Round {
        lists: Vec::new(),
        unread: Vec::new(),
        in_part: Vec::new(),
        notes: Vec::new(),
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
    let asks_jobs = asks(Reads::Jobs) || asks(Reads::JobsOnGpus);
    // Costs of runs are among the units.
    let jobs = (asks_jobs || (wanted.contains("units") && !bills.are_good(now)))
        .then(|| jobs::read_sources(invocation, env));
    if let Some(Ok(read)) = &jobs {
        round.readings.extend(read.readings.iter().cloned());
        round.notes.extend(read.notes.iter().cloned());
    }
    if asks_jobs && let Some(read) = &jobs {
        round.jobs(&wanted, invocation, read.as_ref());
    }
    round.readings = Reading::merged(round.readings.iter().chain(&round.outcome.fleet.readings));
    if reads(Reads::Bills) {
        bills.refresh(invocation, &wanted, jobs.as_ref(), ctx);
        for (name, read) in &bills.lists {
            match read {
                Ok((rows, in_part)) => round.listed(name, &wanted, rows.clone(), in_part.clone()),
                Err(why) => round.unread.push((name, why.clone())),
            }
        }
        round.budgets = bills.budgets.clone().and_then(Result::ok).unwrap_or_default();
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
    round.in_part.retain(|(name, _)| wanted.contains(name));
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
        self.add(name, wanted, rows, sources, |list| list);
    }

    /// Adds a list where a rule asks for it, with `more` that is known of it.
    fn add(
        &mut self,
        name: &'static str,
        wanted: &BTreeSet<&'static str>,
        rows: Arc<dyn Rows>,
        sources: &'static [SourceId],
        more: impl FnOnce(Pictured) -> Pictured,
    ) {
        if let (true, Some(view)) = (wanted.contains(name), view(name)) {
            self.lists.push(more(Pictured::new(view, rows, sources, &self.ctx)));
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
        if wanted.contains("gpus") {
            let known = Known { silent: self.silent(), ..Known::default() };
            let rows = GpuField::shared(&self.outcome.gpus.rows.clone().into());
            self.add("gpus", wanted, rows, GpuField::SOURCES, |list| list.knowing(known));
        }
        if wanted.contains("trend") {
            match trend::newest(invocation, &self.outcome, self.at) {
                Ok(rows) => self.push("trend", wanted, TrendField::shared(&rows), &[]),
                Err(error) => self.unread.push(("trend", error.to_string())),
            }
        }
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

    /// A list of jobs or bills; `in_part` says why some of what it is made of is not there.
    fn listed(
        &mut self,
        name: &'static str,
        wanted: &BTreeSet<&'static str>,
        rows: Arc<dyn Rows>,
        in_part: Option<String>,
    ) {
        self.add(name, wanted, rows, &[], |list| list.in_part(in_part.is_some()));
        self.in_part.extend(in_part.map(|why| (name, why)));
    }

    /// Instances that run and of which no source of GPUs tells anything.
    fn silent(&self) -> Arc<BTreeSet<Arc<str>>> {
        let on =
            |row: &Arc<GpuRow>| row.node.instance.as_deref().map(|row| row.instance.id.clone());
        let told: BTreeSet<Arc<str>> = self.outcome.gpus.rows.iter().filter_map(on).collect();
        let running = self.outcome.fleet.rows.iter().map(|row| &row.instance);
        let running = running.filter(|of| of.state.is_billed()).map(|of| of.id.clone());
        running.filter(|id| !told.contains(id)).collect::<BTreeSet<_>>().into()
    }

    /// Attempts are kept whether their source answers or not, so nothing of theirs ends because it is dark.
    fn jobs(
        &mut self,
        wanted: &BTreeSet<&'static str>,
        invocation: &Invocation,
        read: Result<&SourcesRead, &CliError>,
    ) {
        let lists = read.map_err(ToString::to_string).and_then(|read| {
            let lists = jobs::lists(invocation, read, &self.outcome.gpus, self.at);
            lists.map_err(|error| error.to_string())
        });
        let lists = match lists {
            Ok(lists) => lists,
            Err(why) => {
                let names = ["jobs", "repeats", "zombies"];
                return self.unread.extend(names.map(|name| (name, why.clone())));
            }
        };
        self.listed("jobs", wanted, lists.jobs, lists.damaged.clone());
        self.listed("repeats", wanted, lists.repeats, lists.damaged);
        // Without GPUs nobody knows what they do.
        let gpus =
            reports::unreadable(invocation, &self.outcome).map_err(|error| error.to_string());
        match gpus.and(lists.zombies) {
            Ok(zombies) => self.zombies(wanted, zombies),
            Err(why) => self.unread.push(("zombies", why)),
        }
    }

    fn zombies(&mut self, wanted: &BTreeSet<&'static str>, zombies: ZombieList) {
        if !wanted.contains("zombies") {
            return;
        }
        let ZombieList { rows, undecided, silent } = zombies;
        let gpus = self.outcome.gpus.rows.iter().map(|row| row.id.clone());
        let decided = gpus.filter(|id| !undecided.contains(id)).collect();
        let known = Known { decided, undecided, silent: self.silent() };
        self.add("zombies", wanted, rows, ZombieField::SOURCES, |list| list.knowing(known));
        self.notes.extend(silent.map(|why| format!("zombies: {why}")));
    }

    /// The rows of a list; `None` where they could not be read.
    pub fn list(&self, view: &WatchView) -> Option<&Pictured> {
        self.lists.iter().find(|list| list.view.name == view.name)
    }
}

impl Bills {
    /// True where what was read of bills still holds.
    fn are_good(&self, now: Timestamp) -> bool {
        self.read_at.is_some_and(|at| {
            let age = now.duration_since(at);
            age >= SignedDuration::ZERO && age < BILLS_GOOD_FOR
        })
    }

    fn refresh(
        &mut self,
        invocation: &Invocation,
        wanted: &BTreeSet<&'static str>,
        jobs: Option<&Result<SourcesRead, CliError>>,
        ctx: ViewContext,
    ) {
        if self.are_good(ctx.now) {
            return;
        }
        self.read_at = Some(ctx.now);
        let budgets = match teams::budget_forecasts(invocation) {
            Ok(Some(list)) => Ok(list.rows),
            Ok(None) => Err("no budget is configured: `[[budgets]]` has them".to_owned()),
            Err(error) => Err(error.to_string()),
        };
        let is_whole = Kept::are_all_readable(invocation);
        let in_part = |is_whole: bool| (!is_whole).then(|| BILLS_IN_PART.to_owned());
        let rows =
            |rows: &Vec<_>| (BudgetField::shared(&rows.as_slice().into()), in_part(is_whole));
        let shared = budgets.as_ref().map(rows).map_err(Clone::clone);
        let lists = OF_BILLS.iter().filter(|(name, _)| wanted.contains(name));
        let read = |(name, of): &(&'static str, OfBill)| match of(invocation, ctx) {
            Ok((rows, exit)) => {
                let amiss = in_part(is_whole && exit == Exit::Ok);
                let of_jobs = || jobs.filter(|_| *name == "units").and_then(jobs_amiss);
                Ok((rows, amiss.or_else(of_jobs)))
            }
            Err(error) => Err(error.to_string()),
        };
        self.lists = lists.map(|list| (list.0, read(list))).collect();
        self.lists.insert("budgets", shared);
        self.budgets = Some(budgets);
    }
}

/// Why not all runs may be counted, a sentence; `None` where every source of jobs was read.
fn jobs_amiss(read: &Result<SourcesRead, CliError>) -> Option<String> {
    match read {
        Ok(read) => {
            let missing = read
                .missing()
                .map(|reading| format!("{} {}", reading.source.word(), reading.scope.account));
            let missing: Vec<String> = missing.collect();
            let why = || format!("runs of jobs were not all read: {}", missing.join(", "));
            (!missing.is_empty()).then(why)
        }
        Err(error) => Some(error.to_string()),
    }
}
