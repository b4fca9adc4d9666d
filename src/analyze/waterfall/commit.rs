//! The last step: a promise for what runs all the time and is still on demand.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

use super::Done;
use super::bill::Bill;
use crate::analyze::savings::SavingsInput;
use crate::domain::{Holdings, Hour, Platform, Scope, Tenancy};
use crate::fleet::savings::{Effort, Risk, StepNote};
use crate::whatif::HOURS_PER_WEEK;
use crate::whatif::optimum::{Tier, TierKind, Units, portfolio};
use crate::whatif::supply::known_rates::one_year_ri;

/// Known hours without which nothing is said: 90% of a week, as verdicts ask of their hours.
const LEAST_HOURS: usize = HOURS_PER_WEEK * 9 / 10;

/// Instances that one regional purchase serves.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Pool {
    /// An account of those that share discounts; empty where all do.
    account: Arc<str>,
    region: Arc<str>,
    instance_type: Arc<str>,
}

/// Usage of a pool of accounts.
#[derive(Debug, Default)]
struct Runs {
    /// Instances that ran before all steps, in any way of buying.
    now: f64,
    /// Part of it that is on demand and paid by no commitment after the steps.
    open: f64,
    /// On-demand instances before the steps, at list price.
    before: f64,
    scopes: HashSet<Scope>,
}

/// What one-year Reserved Instances without upfront would save on what is left. Slot by slot: the
/// k-th instance is worth it when it runs in a part of the hours that is above rate ÷ on-demand
/// price (the newsvendor's level, P(D > R) = r ÷ p).
pub(super) fn take(bill: &mut Bill<'_>, input: &SavingsInput<'_>) -> Done {
    let mut done = Done::default();
    let pools = pools(bill, input.fleet.book.holdings.as_ref());
    let known = |pool: &Pool| one_year_ri(&pool.region, &pool.instance_type);
    // The lowest of what its accounts pay: a commitment saves no more than that.
    let price = |pool: &Pool, runs: &Runs| {
        let prices = &input.fleet.book.prices;
        let (of, platform, tenancy) = (&pool.instance_type, Platform::Linux, Tenancy::Shared);
        let paid = runs.scopes.iter().filter_map(|s| prices.on_demand(s, of, platform, tenancy));
        paid.map(|rate| rate.usd_per_hour).min_by(f64::total_cmp)
    };
    for (pool, runs) in &pools {
        if let (Some(rate), Some(usd)) = (known(pool), price(pool, runs)) {
            done.gross_alone += runs.before * (usd - rate.usd_per_hour).max(0.0);
        }
    }
    if bill.net_unknown.is_some() {
        done.notes.push(StepNote::HeldUnknown);
        return done;
    }
    let history = History::of(input);
    let (mut saves, mut unknown, mut short) = (0.0, 0.0, None);
    for (pool, runs) in pools.iter().filter(|(_, runs)| runs.open >= 1.0) {
        let Some((rate, usd)) = known(pool).zip(price(pool, runs)) else {
            unknown += runs.open;
            continue;
        };
        let hours = history.open_hours(pool, runs);
        if hours.len() < LEAST_HOURS {
            short = Some(short.unwrap_or(usize::MAX).min(hours.len()));
            unknown += runs.open;
            continue;
        }
        let (units, saved) = best(&hours, rate.usd_per_hour, usd, runs.open.floor());
        if units > 0.0 && saved > 0.0 {
            saves += saved;
            done.items += units as u32;
            done.levels.add(Effort::Low, Risk::Medium, saved);
        }
    }
    bill.committing = saves;
    done.unknown = unknown.round() as u32;
    if let Some(hours) = short {
        done.notes.push(StepNote::FewHours(hours));
    }
    if done.unknown > 0 {
        done.notes.push(StepNote::NoRate(done.unknown));
    }
    if done.items > 0 {
        done.notes.extend([StepNote::OfWhatIsLeft, StepNote::Rates]);
    }
    done
}

/// The whole units of lowest cost, at most `most`, and what they save on average, USD/h.
fn best(hours: &[f64], rate: f64, on_demand: f64, most: f64) -> (f64, f64) {
    let tier = |name: &str, rate, kind| Tier { name: name.to_owned(), rate, kind };
    // Units above those that run now are not promised, whatever the past needed.
    let capped: Vec<f64> = hours.iter().map(|d| d.min(most)).collect();
    let tiers = [
        tier("RI", rate, TierKind::Commitment { term_hours: capped.len() }),
        tier("on demand", on_demand, TierKind::Usage { share: 1.0 }),
    ];
    portfolio(&capped, &tiers, Units::Whole).map_or((0.0, 0.0), |found| {
        let units = found.tiers.first().map_or(0.0, |t| t.units);
        (units, (found.on_demand_usd - found.cost_usd) / capped.len().max(1) as f64)
    })
}

/// Commitments held are not needed to say that all share: nothing is known of those who do not.
fn pools(bill: &Bill<'_>, holdings: Option<&Holdings>) -> BTreeMap<Pool, Runs> {
    let mut pools: BTreeMap<Pool, Runs> = BTreeMap::new();
    let pool = |scope: &Scope, instance_type: &Arc<str>| Pool {
        account: holdings.map_or_else(|| "".into(), |held| held.pool(&scope.account)),
        region: scope.region.clone(),
        instance_type: instance_type.clone(),
    };
    for machine in &bill.machines {
        let instance = &machine.row.instance;
        let runs = pools.entry(pool(&instance.scope, &instance.instance_type)).or_default();
        runs.now += 1.0;
        runs.scopes.insert(instance.scope.clone());
        let buyable = instance.platform == Platform::Linux && instance.tenancy == Tenancy::Shared;
        if buyable && crate::fleet::Meter::of(instance).is_some() {
            runs.before += 1.0;
        }
    }
    // The meters behind those of the machines are unused room, no work to promise for.
    let meters = bill.applier.meters().iter().take(bill.units.len());
    for (meter, open) in meters.zip(&bill.applied.on_demand_units) {
        let buyable = meter.platform == Platform::Linux && meter.tenancy == Tenancy::Shared;
        if buyable && *open > 0.0 {
            pools.entry(pool(&meter.scope, &meter.instance_type)).or_default().open += open;
        }
    }
    pools
}

/// Running instances by hour.
struct History<'a> {
    by_hour: HashMap<Hour, HashMap<&'a Scope, &'a crate::domain::FleetHour>>,
}

impl<'a> History<'a> {
    fn of(input: &SavingsInput<'a>) -> Self {
        let mut by_hour: HashMap<Hour, HashMap<&Scope, &crate::domain::FleetHour>> = HashMap::new();
        for hour in input.facts.hours.iter() {
            by_hour.entry(hour.hour).or_default().insert(&hour.scope, hour);
        }
        Self { by_hour }
    }

    /// Instances of a pool that would have been open in each hour of which all its accounts are
    /// known: those that ran, less as many as are gone, on Spot or paid for by now.
    fn open_hours(&self, pool: &Pool, runs: &Runs) -> Vec<f64> {
        if runs.scopes.is_empty() {
            return Vec::new();
        }
        let less = (runs.now - runs.open).max(0.0);
        let mut hours: Vec<(&Hour, f64)> = self
            .by_hour
            .iter()
            .filter_map(|(hour, scopes)| {
                let ran =
                    runs.scopes.iter().map(|s| Some(scopes.get(s)?.mean(&pool.instance_type)));
                let ran: f64 = ran.collect::<Option<Vec<f64>>>()?.into_iter().sum();
                Some((hour, (ran - less).max(0.0)))
            })
            .collect();
        hours.sort_by_key(|(hour, _)| **hour);
        hours.into_iter().map(|(_, open)| open).collect()
    }
}
