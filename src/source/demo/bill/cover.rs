//! The demo's commitments, and what they pay for hour by hour, in AWS's order: Reserved Instances of a zone, of a
//! region, EC2 Instance plans, Compute plans; each its own account first, then the largest saving, then the lowest rate.
//! No two commitments of one step serve the same machine, so that one may be filled after the other.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use super::Estate;
use super::ledger::exact;
use super::machines::Machine;
use crate::domain::bill::Usd;
use crate::domain::{
    Commitment, Commits, Hour, PlanType, ReservedInstances, ReservesCapacity, SavingsPlan,
};
use crate::source::demo::commitments;
use crate::source::demo::places::ACCOUNTS;

/// Parts of an instance-hour.
pub(super) const PARTS: u64 = 100_000_000;

/// What SageMaker plans of the demo take off, percent. Invented.
const SAGEMAKER_PERCENT: u64 = 20;

/// Decimal places of dollars of a plan's capacity.
const PLACES: i8 = 10;

/// What a commitment is, beyond whom it serves.
#[derive(Clone, Debug)]
pub(super) enum Terms {
    /// A Savings Plan: usage type of its fee, USD per hour.
    Plan(&'static str, Usd),
    /// Reserved Instances of a type: number, USD per instance and hour, upfront USD of all of them.
    Reserved(Arc<str>, u64, Usd, Usd),
    /// A Capacity Block of a type that stands empty: USD for its term, and the hours of that.
    Block(Arc<str>, Usd, u64),
}

/// A commitment that is billed.
#[derive(Clone, Debug)]
pub(super) struct Held {
    /// Id.
    pub id: Arc<str>,
    /// Account that owns it.
    pub account: &'static str,
    /// Region; empty for plans.
    pub region: Arc<str>,
    /// Hours of its term.
    pub term: Range<i32>,
    /// What it is.
    pub terms: Terms,
    /// What it can pay for in an hour: 10⁻¹⁰ USD of a plan, [`PARTS`] of quarters of normalised units of a reservation.
    capacity: u64,
    step: u8,
    takers: Vec<Taker>,
}

/// A machine that a commitment may pay for.
#[derive(Clone, Copy, Debug)]
struct Taker {
    machine: usize,
    /// What a whole hour of it takes of the capacity; above 0.
    takes: u64,
}

impl Held {
    /// What it costs in each hour, spread over its term.
    pub fn cost(&self, hours: u64) -> Usd {
        match &self.terms {
            Terms::Plan(_, usd) => usd.prorated(hours, 1),
            Terms::Reserved(_, count, usd, _) => usd.prorated(count * hours, 1),
            Terms::Block(_, usd, of) => usd.prorated(hours, *of),
        }
    }

    /// The part of its cost that pays for what was taken of it.
    pub fn effective(&self, taken: u64) -> Usd {
        match &self.terms {
            Terms::Plan(..) => Usd::from_decimal(i128::from(taken), PLACES).unwrap_or_default(),
            Terms::Reserved(_, count, usd, _) => usd.prorated(taken, self.capacity / count),
            Terms::Block(..) => Usd::ZERO,
        }
    }

    /// Number of hours of its term within `hours`.
    pub fn hours(&self, hours: &Range<i32>) -> u64 {
        (self.term.end.min(hours.end) - self.term.start.max(hours.start)).max(0) as u64
    }
}

/// What a commitment covered of a machine on a day.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Covered {
    /// [`PARTS`] of hours.
    pub parts: u64,
    /// What that took of its capacity.
    pub taken: u64,
}

/// What was covered on each day, by machine, day and commitment.
pub(super) type Cover = BTreeMap<(usize, u8, usize), Covered>;

/// All commitments within the window, in order of application.
pub(super) fn all(estate: &Estate, machines: &[Machine]) -> Vec<Held> {
    let (fleet, now) = (estate.fleet, estate.now);
    let mut items: Vec<Commitment> = Vec::new();
    for account in &ACCOUNTS {
        items.extend(commitments::plans(fleet, account, now));
    }
    for (provider, region) in estate.scopes() {
        items.extend(commitments::reserved(fleet, provider.account, region.code, now));
        items.extend(commitments::capacity(fleet, provider.account, region.code, &[], now));
    }
    let mut held: Vec<Held> =
        items.iter().filter_map(|item| Held::new(item, estate, machines)).collect();
    held.sort_by_key(|held| held.step);
    held
}

impl Held {
    fn new(item: &Commitment, estate: &Estate, machines: &[Machine]) -> Option<Self> {
        let account = ACCOUNTS.iter().find(|a| *a.id == *item.account)?.id;
        let start = Hour::containing(item.start).0;
        let end = item.end.map_or(i32::MAX, |end| Hour::containing(end).0);
        let (step, region, terms, capacity) = match &item.commits {
            Commits::Reserved(it) => {
                let usd = exact(it.usd_per_hour?);
                let count = u64::from(it.count);
                let upfront = exact(it.upfront_usd?).prorated(count, 1);
                let terms = Terms::Reserved(it.instance_type.clone(), count, usd, upfront);
                let capacity = count * quarters(&it.instance_type)? * PARTS;
                (u8::from(it.az.is_none()), it.region.clone(), terms, capacity)
            }
            Commits::Plan(plan) => {
                let (step, name) = match plan.plan_type {
                    PlanType::Ec2Instance => (2, "EC2InstanceSP:3yrNoUpfront"),
                    PlanType::Compute => (3, "ComputeSP:1yrNoUpfront"),
                    PlanType::SageMaker => (3, "SageMakerSP:1yrNoUpfront"),
                    PlanType::Other => return None,
                };
                let usd = exact(plan.usd_per_hour);
                (step, Arc::default(), Terms::Plan(name, usd), ten_places(usd))
            }
            Commits::Capacity(room) => {
                let ReservesCapacity::Block { upfront_usd: Some(usd) } = room.reserves else {
                    return None;
                };
                let hours = u64::try_from(end.checked_sub(start)?).ok()?;
                let terms = Terms::Block(room.instance_type.clone(), exact(usd), hours);
                (4, room.region.clone(), terms, 0)
            }
        };
        let mut held = Self {
            id: item.id.clone(),
            account,
            region,
            term: start..end,
            terms,
            capacity,
            step,
            takers: vec![],
        };
        if held.hours(&estate.window) == 0 {
            return None;
        }
        held.takers = takers(item, machines, account);
        Some(held)
    }
}

/// Machines that a commitment serves, in its order.
fn takers(item: &Commitment, machines: &[Machine], account: &str) -> Vec<Taker> {
    let mut out: Vec<_> = machines
        .iter()
        .enumerate()
        .filter(|(_, machine)| machine.may_be_covered())
        .filter_map(|(at, machine)| {
            let takes = match &item.commits {
                Commits::Reserved(it) => reserved_takes(it, machine)?,
                Commits::Plan(plan) => plan_takes(item, plan, machine)?,
                Commits::Capacity(_) => return None,
            };
            let taker = Taker { machine: at, takes };
            // Reservations serve small sizes first, plans what they save most on.
            let part = match &item.commits {
                Commits::Plan(_) => takes as f64 / ten_places(machine.list).max(1) as f64,
                _ => 0.0,
            };
            let order = (machine.account != account, (part * 1e9).round() as u64, takes, at);
            (takes > 0).then_some((order, taker))
        })
        .collect();
    out.sort_unstable_by_key(|(order, _)| *order);
    out.into_iter().map(|(_, taker)| taker).collect()
}

/// Quarters of normalised units that an hour of a machine takes of a reservation, in [`PARTS`]; `None` where it does
/// not serve it. All families of the demo's reservations are flexible in size.
fn reserved_takes(it: &ReservedInstances, machine: &Machine) -> Option<u64> {
    let fits = machine.region == &*it.region
        && match &it.az {
            Some(az) => *az == machine.zone && it.instance_type == machine.instance_type,
            None => {
                commitments::family(&it.instance_type)
                    == commitments::family(&machine.instance_type)
            }
        };
    if fits { Some(quarters(&machine.instance_type)? * PARTS) } else { None }
}

/// Rate of a plan for a machine, in 10⁻¹⁰ USD; `None` where it does not serve it.
fn plan_takes(item: &Commitment, plan: &SavingsPlan, machine: &Machine) -> Option<u64> {
    if machine.is_sagemaker() {
        let usd = machine.list.prorated(100 - SAGEMAKER_PERCENT, 100);
        return (plan.plan_type == PlanType::SageMaker).then(|| ten_places(usd));
    }
    let discount = commitments::discount(item, machine.region, &machine.instance_type)?;
    Some(ten_places(exact(machine.list.to_f64() * (1.0 - discount))))
}

/// Quarters of normalised units of a size: 32 for `xlarge`, that many times more for `<n>xlarge`.
fn quarters(instance_type: &str) -> Option<u64> {
    let size = instance_type.rsplit('.').next()?;
    Some(match size {
        "large" => 16,
        "xlarge" => 32,
        _ => 32 * size.strip_suffix("xlarge")?.parse::<u64>().ok()?,
    })
}

/// Dollars in units of 10⁻¹⁰.
fn ten_places(usd: Usd) -> u64 {
    (usd.to_f64() * 1e10).round() as u64
}

/// What the commitments pay for in the hours of `days`.
pub(super) fn cover(
    held: &[Held],
    machines: &[Machine],
    days: impl Iterator<Item = (u8, Range<i32>)>,
) -> Cover {
    let mut cover = Cover::new();
    // Of each machine: the hour it was last seen in, and what of that is not covered.
    let mut open: Vec<(i32, u64)> = vec![(i32::MIN, 0); machines.len()];
    for (day, hours) in days {
        let here: Vec<Vec<Taker>> = held
            .iter()
            .map(|held| {
                let takers = held.takers.iter();
                takers.filter(|t| machines[t.machine].hours(&hours) > 0).copied().collect()
            })
            .collect();
        for hour in hours {
            for (at, (held, takers)) in held.iter().zip(&here).enumerate() {
                let mut left = if held.term.contains(&hour) { held.capacity } else { 0 };
                for taker in takers {
                    if left == 0 {
                        break;
                    }
                    let state = &mut open[taker.machine];
                    if state.0 != hour {
                        let ran = machines[taker.machine].ran(hour);
                        *state = (hour, if ran { PARTS } else { 0 });
                    }
                    let (taken, parts) = take(taker.takes, state.1, left);
                    if parts > 0 {
                        state.1 -= parts;
                        left -= taken;
                        let sum = cover.entry((taker.machine, day, at)).or_default();
                        sum.parts += parts;
                        sum.taken += taken;
                    }
                }
            }
        }
    }
    cover
}

/// What is taken of `left`, and the parts of an hour that it covers, for a machine with `open` parts that takes `takes`
/// for a whole hour.
fn take(takes: u64, open: u64, left: u64) -> (u64, u64) {
    let wide = |a: u64, b: u64, of: u64| (u128::from(a) * u128::from(b) / u128::from(of)) as u64;
    let need = wide(takes, open, PARTS);
    if need <= left { (need, open) } else { (left, wide(left, PARTS, takes)) }
}
