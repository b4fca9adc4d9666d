//! Buy, plan and do-not-buy lists: what the judgement of each offer comes to, with its reason.

mod reason;
#[cfg(test)]
mod tests;

use std::cmp::Reverse;

pub use reason::{Limit, ListReason};

use super::optimum::buy_now::{Outlook, Purchase, Purchases, Terms, buy_now};
use super::supply::cash::{Schedule, hours_of, months_of};
use super::supply::known_rates::has_no_ri;
use super::supply::lock_in::{self, Bound};
use super::supply::marks::Marks;
use super::supply::payback::Unit;
use super::{FamilyInputs, Future, HOURS_PER_WEEK, ListEntry, Lists, Offer, OfferKind};

/// A family whose offers are judged.
#[derive(Clone, Copy)]
pub struct Candidate<'a> {
    /// Inputs of the family. What is held counts, what the scenario buys does not.
    pub inputs: &'a FamilyInputs,
    /// Expected cost by committed units.
    pub outlook: &'a dyn Outlook,
    /// Most units of all offers together, on top of what is held, that the scenario's caution allows; `None` =
    /// no limit.
    pub most: Option<f64>,
}

/// Judges every offer of these families, in their order. Of a family without an on-demand price only the offers
/// that cannot be judged appear.
pub fn lists(families: &[Candidate<'_>], future: &Future) -> Lists {
    let mut lists = Lists::default();
    for family in families {
        Judging::new(*family, future).run(&mut lists);
    }
    lists
}

struct Judging<'a> {
    family: Candidate<'a>,
    future: &'a Future,
    on_demand: f64,
    /// Units held by week: what is held already, then what was judged worth buying.
    held: Vec<f64>,
    /// The same as money, for the lock-in: rate × units, and the week after the last.
    bound: Vec<(f64, u16)>,
    left: Option<f64>,
}

impl<'a> Judging<'a> {
    fn new(family: Candidate<'a>, future: &'a Future) -> Self {
        let mut held = vec![0.0; family.outlook.weeks()];
        let mut bound = Vec::new();
        for holding in &family.inputs.held {
            let end = usize::from(holding.weeks_left).min(held.len());
            held[..end].iter_mut().for_each(|units| *units += holding.units);
            bound.push((holding.rate * holding.units, holding.weeks_left));
        }
        let on_demand = family.inputs.on_demand.unwrap_or(0.0);
        Self { family, future, on_demand, held, bound, left: family.most }
    }

    fn run(&mut self, lists: &mut Lists) {
        // The longest first: what stays for long is bought for long, and what is left, for less.
        let mut offers: Vec<&Offer> = self.family.inputs.offers.iter().collect();
        offers.sort_by_key(|offer| Reverse(offer.weeks));
        for offer in offers {
            match self.why_not(offer) {
                Some(reason) => lists.avoid.push(self.plain(offer, reason)),
                None => self.judge(offer, lists),
            }
        }
    }

    /// Why an offer needs no judgement of its units.
    fn why_not(&self, offer: &Offer) -> Option<ListReason> {
        if offer.kind == OfferKind::CapacityReservation {
            return Some(ListReason::Capacity);
        }
        let Some(rate) = offer.rate.filter(|rate| *rate > 0.0) else {
            let not_sold =
                offer.kind == OfferKind::StandardRi && has_no_ri(&self.family.inputs.name);
            return Some(if not_sold {
                ListReason::NotSold
            } else {
                ListReason::NoRate(offer.kind)
            });
        };
        if self.on_demand <= 0.0 {
            return Some(ListReason::NoPrice);
        }
        if rate >= self.on_demand {
            return Some(ListReason::Dear { rate, on_demand: self.on_demand });
        }
        let better = self.better(offer, rate)?;
        let is_shorter = better.weeks < offer.weeks;
        Some(ListReason::Dearer { other: better.name.clone(), is_shorter })
    }

    /// Another offer that costs no more and binds no longer, or less of one of both.
    fn better(&self, offer: &Offer, rate: f64) -> Option<&'a Offer> {
        let worth = |offer: &Offer, rate: f64| {
            let schedule = Schedule::of(rate, offer.weeks, offer.payment);
            schedule.npv(self.future.wacc) / hours_of(offer.weeks)
        };
        let mine = worth(offer, rate);
        let offers = &self.family.inputs.offers;
        let at = offers.iter().position(|other| std::ptr::eq(other, offer));
        offers.iter().enumerate().find_map(|(other_at, other)| {
            let other_rate = other.rate.filter(|rate| *rate > 0.0 && *rate < self.on_demand)?;
            if other.kind == OfferKind::CapacityReservation || other.weeks > offer.weeks {
                return None;
            }
            let theirs = worth(other, other_rate);
            let first = other.weeks < offer.weeks || Some(other_at) < at;
            (theirs < mine || (theirs == mine && first)).then_some(other)
        })
    }

    fn judge(&mut self, offer: &Offer, lists: &mut Lists) {
        let rate = offer.rate.unwrap_or(0.0);
        if usize::from(offer.weeks) > self.held.len() {
            let reason = ListReason::Beyond { weeks: offer.weeks, ahead: self.held.len() };
            return lists.avoid.push(self.plain(offer, reason));
        }
        let top_up_weeks = usize::from(self.future.top_up_weeks.max(1));
        let terms = Terms { rate, weeks: usize::from(offer.weeks), top_up_weeks };
        let found = buy_now(self.family.outlook, terms, &self.held, self.left);
        let before = self.held.first().copied().unwrap_or(0.0);
        if found.now.units > 0.0 {
            let reason = buy(before, top_up_weeks, &found);
            let entry = self.purchase(offer, found.now, reason);
            self.left = self.left.map(|left| left - found.now.units);
            lists.buy.push(entry);
        }
        for later in &found.later {
            let used = later.term.used.min(later.next.used);
            let reason = ListReason::Plan { used, needed: later.term.needed };
            let entry = self.purchase(offer, *later, reason);
            lists.plan.push(entry);
        }
        if let Some((units, reason)) = self.refused(offer, before, &found) {
            let entry = ListEntry { units, ..self.plain(offer, reason) };
            lists.avoid.push(entry);
        }
    }

    /// What should not be bought of an offer that is judged: units that look well used now but end,
    /// or any at all.
    fn refused(&self, offer: &Offer, before: f64, found: &Purchases) -> Option<(f64, ListReason)> {
        let (next, term) = found.left_out;
        let units = found.until_next - found.now.units;
        let slot = before + found.now.units + 1.0;
        if units > 0.0 && !term.pays() {
            let step = self.ending(offer);
            return Some((units, ListReason::Ends { slot, next, term, step }));
        }
        if units > 0.0 && term.pays() {
            return Some((units, ListReason::Cautious { slot, term }));
        }
        // Where some is bought or planned, the buy list says where it ends.
        let none = found.now.units <= 0.0 && found.later.is_empty();
        let best = if next.used < term.used { term } else { next };
        none.then_some((0.0, ListReason::Idle { slot, best }))
    }

    /// The first step within the term that takes demand away.
    fn ending(&self, offer: &Offer) -> Option<u16> {
        use super::StepKind::{Launch, Move, Scale};
        let less = |step: &&super::Step| match &step.kind {
            Launch { units } => *units < 0.0,
            Scale { factor } => *factor < 1.0,
            Move { share, .. } => *share > 0.0,
        };
        let within = self.family.inputs.steps.iter().filter(less);
        within.map(|step| step.week).filter(|week| *week < offer.weeks).min()
    }

    /// An entry of a purchase, which is held from then on.
    fn purchase(&mut self, offer: &Offer, made: Purchase, reason: ListReason) -> ListEntry {
        let rate = offer.rate.unwrap_or(0.0);
        let (from, hours) = (made.week, HOURS_PER_WEEK as f64);
        let to = (from + usize::from(offer.weeks)).min(self.held.len());
        let before = self.family.outlook.by_use_usd(&self.held);
        self.held[from..to].iter_mut().for_each(|units| *units += made.units);
        let saved = before - self.family.outlook.by_use_usd(&self.held);
        let paid = rate * hours * made.units * (to - from) as f64;
        let full: f64 = (from..to).map(|week| self.family.outlook.on_demand(week) * hours).sum();
        let used = if full > 0.0 { (saved / (full * made.units)).min(1.0) } else { 0.0 };
        let months = months_of(offer.weeks);
        let unit = Unit {
            rate,
            on_demand: self.family.outlook.on_demand(from),
            utilisation: used,
            weeks: offer.weeks,
            payment: offer.payment,
            price_cut: self.price_cut(from),
        };
        let schedule = unit.schedule();
        let start = u16::try_from(from).unwrap_or(u16::MAX);
        self.bound.push((rate * made.units, start.saturating_add(offer.weeks)));
        let lock_in = lock_in::months(self.bound.iter().map(|(usd_per_hour, end)| Bound {
            usd_per_hour: *usd_per_hour,
            months_left: months_of(end.saturating_sub(start)),
        }));
        ListEntry {
            family: self.family.inputs.name.clone(),
            offer: offer.name.clone(),
            units: made.units,
            week: start,
            usd_per_hour: rate * made.units,
            upfront_usd: schedule.upfront_usd * made.units,
            monthly_usd: schedule.monthly_usd * made.units,
            saves_usd: saved - paid,
            safe_months: unit.safe_months(),
            lock_in_months: lock_in,
            marks: Marks::of(rate, unit.on_demand, used, months).passes(),
            reason,
        }
    }

    /// A price cut that is still to come: in which month from `week` on, and the part.
    fn price_cut(&self, week: usize) -> Option<(f64, f64)> {
        let cut = self.family.inputs.price_cut?;
        let ahead = usize::from(cut.week).checked_sub(week).filter(|weeks| *weeks > 0)?;
        Some((months_of(u16::try_from(ahead).ok()?), cut.share))
    }

    /// An entry without money.
    fn plain(&self, offer: &Offer, reason: ListReason) -> ListEntry {
        ListEntry {
            family: self.family.inputs.name.clone(),
            offer: offer.name.clone(),
            units: 0.0,
            week: 0,
            usd_per_hour: 0.0,
            upfront_usd: 0.0,
            monthly_usd: 0.0,
            saves_usd: 0.0,
            safe_months: None,
            lock_in_months: 0.0,
            marks: [false; 3],
            reason,
        }
    }
}

/// Why so many units are bought now and no more, on top of `before` that are held.
fn buy(before: f64, top_up_weeks: usize, found: &Purchases) -> ListReason {
    let Purchase { units, next, term, .. } = found.now;
    let limit = match found.left_out {
        (next, term) if next.pays() && term.pays() => Limit::Caution,
        (next, term) if next.pays() => Limit::Term(term),
        (next, _) => Limit::Next(next),
    };
    ListReason::Buy { slot: before + units, top_up_weeks, next, term, limit }
}
