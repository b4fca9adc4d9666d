//! What a change of type is worth to the bill, commitments considered.
//!
//! The bill of the hour is made twice: with the fleet as it runs, and with one instance of the
//! present type less and one of the other more. The difference is the net. It is 0 or negative where
//! a commitment pays for the present one and finds nothing else to pay for.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use jiff::Timestamp;

use crate::analyze::savings::SavingsInput;
use crate::analyze::shared_texts::Shared;
use crate::domain::{CommitmentKind, Commits, Figure, Holdings, Instance, PlanType};
use crate::fleet::commitments::{Applied, Meter, Running};
use crate::fleet::savings::{Proposal, SizeNote as Note, SizeVerdict};
use crate::fleet::{PriceBook, Row};

/// Less than this is nothing, USD/h.
const NOTHING: f64 = 1e-6;

/// The fleet's hour, and what a change makes of it.
struct Hour<'a> {
    holdings: &'a Holdings,
    running: Running,
    now: Applied,
}

impl<'a> Hour<'a> {
    fn new(
        instances: &[Arc<Instance>],
        also: &[Meter],
        holdings: &'a Holdings,
        prices: &PriceBook,
        at: Timestamp,
    ) -> Self {
        let running = Running::new(instances, also.iter().cloned(), holdings, prices, at);
        let now = running.applier().apply(running.units());
        Self { holdings, running, now }
    }

    /// The hour with one instance of `from` less and one of `to` more.
    fn moved(&self, from: usize, to: usize) -> Applied {
        let mut units = self.running.units().to_vec();
        units[from] = (units[from] - 1.0).max(0.0);
        units[to] += 1.0;
        self.running.applier().apply(&units)
    }

    /// What the bill falls by; `None` where usage without a price changes with it.
    fn net(&self, then: &Applied) -> Option<f64> {
        let same = (self.now.unpriced_units - then.unpriced_units).abs() < NOTHING;
        let net = self.now.total_usd() - then.total_usd();
        same.then_some(if net.abs() < NOTHING { 0.0 } else { net })
    }

    /// Commitments that are used less after the change, by their place.
    fn losers(&self, then: &Applied) -> Vec<usize> {
        let used = |applied: &Applied, i: usize| applied.used_usd.get(i).copied().unwrap_or(0.0);
        (0..self.holdings.items.len())
            .filter(|i| used(then, *i) < used(&self.now, *i) - NOTHING)
            .collect()
    }
}

/// What one change is worth.
#[derive(Clone, Debug)]
struct Worth {
    net: Option<f64>,
    until: Option<Timestamp>,
    note: Option<Arc<Note>>,
}

/// Fills in the net of every proposal.
pub(super) fn nets(
    input: &SavingsInput<'_>,
    proposals: &mut [Proposal],
    shared: &mut Shared<Note>,
) {
    let smaller = |p: &Proposal| matches!(p.verdict, SizeVerdict::Smaller { .. });
    if !proposals.iter().any(smaller) {
        return;
    }
    let Some(holdings) = &input.fleet.book.holdings else {
        for proposal in proposals.iter_mut().filter(|p| smaller(p)) {
            proposal.says.push(shared.share(Note::NetUnread));
        }
        return;
    };
    let rows: HashMap<&str, &Arc<Row>> =
        input.fleet.rows.iter().map(|r| (&*r.instance.id, r)).collect();
    // The present meter and the one it would become; `None` where no commitment could cover it.
    let change = |p: &Proposal| -> Option<(Meter, Meter)> {
        let SizeVerdict::Smaller { to, .. } = &p.verdict else { return None };
        let from = Meter::of(&rows.get(&*p.id)?.instance)?;
        let to = Meter { instance_type: to.clone(), reservation: None, ..from.clone() };
        Some((from, to))
    };
    let mut also: Vec<Meter> = proposals.iter().filter_map(change).map(|(_, to)| to).collect();
    let mut seen = HashSet::new();
    also.retain(|meter| seen.insert(meter.clone()));
    let instances: Vec<Arc<Instance>> =
        input.fleet.rows.iter().map(|r| r.instance.clone()).collect();
    let prices = &input.fleet.book.prices;
    let at = |t: Timestamp| Hour::new(&instances, &also, holdings, prices, t);
    let hour = at(input.now);
    let mut later: HashMap<Timestamp, Hour<'_>> = HashMap::new();
    let mut worth: HashMap<(usize, usize), Worth> = HashMap::new();
    for proposal in proposals.iter_mut().filter(|p| smaller(p)) {
        let place = |meter: &Meter| hour.running.place_of(meter);
        let places = change(proposal).and_then(|(from, to)| place(&from).zip(place(&to)));
        let Some((from, to)) = places else {
            proposal.says.push(shared.share(Note::NetNotCovered));
            continue;
        };
        let gross = proposal.gross_usd_per_hour.unwrap_or(0.0);
        // Alike changes are worth the same.
        let worth = worth
            .entry((from, to))
            .or_insert_with(|| value(&hour, &mut later, at, from, to, gross))
            .clone();
        proposal.net_usd_per_hour = worth.net;
        proposal.worthless_until = worth.until;
        proposal.says.extend(worth.note);
    }
}

/// What one change is worth, and until when it is worth nothing.
fn value<'a>(
    hour: &Hour<'a>,
    later: &mut HashMap<Timestamp, Hour<'a>>,
    at: impl Fn(Timestamp) -> Hour<'a>,
    from: usize,
    to: usize,
    gross: f64,
) -> Worth {
    let unknown = |note: Note| Worth { net: None, until: None, note: Some(note.into()) };
    let why = hour.running.unknown(from).or_else(|| hour.running.unknown(to));
    if let Some(why) = why {
        return unknown(Note::NetUnknown(why.clone()));
    }
    let meters = hour.running.applier().meters();
    let then = hour.moved(from, to);
    let losers = hour.losers(&then);
    if let Some(plan) = losers.iter().find(|i| lacks_rate(hour.holdings, **i, &meters[to])) {
        let plan = hour.holdings.items[*plan].id.clone();
        let instance_type = meters[to].instance_type.clone();
        return unknown(Note::NetRateUnread { plan, instance_type });
    }
    let Some(net) = hour.net(&then) else { return unknown(Note::NetOtherUseUnpriced) };
    let name = |i: &usize| (hour.holdings.items[*i].kind(), hour.holdings.items[*i].id.clone());
    let by: Vec<(CommitmentKind, Arc<str>)> = losers.iter().map(name).collect();
    if net > NOTHING {
        let less = net < gross - NOTHING;
        let note =
            less.then(|| Note::NetLess { gross: Figure(gross), net: Figure(net), by }.into());
        return Worth { net: Some(net), until: None, note };
    }
    let until = free_from(hour, &losers, later, at, from, to);
    let costs = (net < -NOTHING).then_some(Figure(-net));
    Worth { net: Some(net), until, note: Some(Note::NetNothing { costs, until, by }.into()) }
}

/// From when on the change saves something: the commitments that it would leave unused end one after
/// the other, and what ends first may leave the present type to the next. `None` where one has no
/// end.
fn free_from<'a>(
    hour: &Hour<'a>,
    losers: &[usize],
    later: &mut HashMap<Timestamp, Hour<'a>>,
    at: impl Fn(Timestamp) -> Hour<'a>,
    from: usize,
    to: usize,
) -> Option<Timestamp> {
    let next = |losers: &[usize], after: Option<Timestamp>| {
        let ends = losers.iter().filter_map(|i| hour.holdings.items[*i].end);
        ends.filter(|end| after.is_none_or(|t| *end > t)).min()
    };
    let mut end = next(losers, None)?;
    // Each round ends a commitment.
    for _ in 0..hour.holdings.items.len() {
        let hour = later.entry(end).or_insert_with(|| at(end));
        let then = hour.moved(from, to);
        if hour.net(&then)? > NOTHING {
            return Some(end);
        }
        let losers = hour.losers(&then);
        end = next(&losers, Some(end))?;
    }
    None
}

/// True for a plan that may cover the new type, too, at a rate that nobody read.
fn lacks_rate(holdings: &Holdings, place: usize, to: &Meter) -> bool {
    let Commits::Plan(plan) = &holdings.items[place].commits else { return false };
    let could = match plan.plan_type {
        PlanType::Compute => true,
        PlanType::Ec2Instance => {
            plan.region.as_ref() == Some(&to.scope.region)
                && plan.family.as_deref() == Some(super::family(&to.instance_type))
        }
        PlanType::SageMaker | PlanType::Other => false,
    };
    let has = plan.rates.iter().any(|r| {
        r.region == to.scope.region
            && r.instance_type == to.instance_type
            && r.platform == to.platform
            && r.tenancy == to.tenancy
    });
    could && !has
}
