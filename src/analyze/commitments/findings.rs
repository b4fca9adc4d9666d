//! What is wrong with a commitment.

use std::sync::Arc;

use jiff::Timestamp;

use super::Present;
use super::usage::Usage;
use crate::domain::{
    Commitment, CommitmentKind, CommitmentSource, CommitmentState, Commits, Holdings,
    ReservedInstances,
};
use crate::fleet::commitments::{Applier, Meter, family, is_size_flexible};
use crate::fleet::savings::{
    CommitmentFinding as Finding, CommitmentRow, Elsewhere, Ending, UnusedCost,
};
use crate::whatif::supply::marks::UTILISATION;

/// A commitment that ends within so many days is said.
const SOON_DAYS: f64 = 30.0;

/// Amounts below this count as nothing, USD/h.
const CENT: f64 = 0.005;

/// Input of the findings about commitments.
pub(super) struct Looked<'a> {
    usage: &'a Usage,
    holdings: &'a Holdings,
    now: Timestamp,
    /// For each commitment whether anything that it may pay for runs now or ran in the hours.
    reaches: Vec<bool>,
    /// The other commitment that now pays most of what it may pay for: place, meter.
    rival: Vec<Option<(usize, usize)>>,
    /// Instances now unused in each Capacity Block or reservation.
    unused: Vec<f64>,
}

impl<'a> Looked<'a> {
    pub(super) fn new(
        usage: &'a Usage,
        applier: &Applier,
        present: &Present,
        holdings: &'a Holdings,
        now: Timestamp,
    ) -> Self {
        let items = holdings.items.len();
        // The two that pay most for a meter: one of them is another than any given one.
        let mut payers: Vec<[Option<(usize, f64)>; 2]> = vec![[None; 2]; applier.meters().len()];
        for step in &present.applied.covered {
            let [first, second] = &mut payers[step.meter];
            let payer = Some((step.commitment, step.usd));
            if first.is_none_or(|(_, usd)| step.usd > usd) {
                *second = *first;
                *first = payer;
            } else if second.is_none_or(|(_, usd)| step.usd > usd) {
                *second = payer;
            }
        }
        let ran = |meter: usize| {
            present.applied.units[meter] > 0.0
                || usage.units.get(meter).is_some_and(|hours| hours.iter().any(|n| *n > 0.0))
        };
        let ran: Vec<bool> = (0..applier.meters().len()).map(ran).collect();
        let mut reaches = vec![false; items];
        let mut rival: Vec<Option<(usize, usize, f64)>> = vec![None; items];
        for (meter, item) in applier.pairs() {
            reaches[item] |= ran[meter];
            let other = payers[meter].iter().flatten().find(|(payer, _)| *payer != item);
            if let Some((other, usd)) = other
                && rival[item].is_none_or(|(.., most)| *usd > most)
            {
                rival[item] = Some((*other, meter, *usd));
            }
        }
        let unused = present.tallies.items.iter().map(|tally| (tally.held - tally.used).max(0.0));
        Self {
            usage,
            holdings,
            now,
            reaches,
            rival: rival.into_iter().map(|r| r.map(|(other, meter, _)| (other, meter))).collect(),
            unused: unused.collect(),
        }
    }

    /// What is wrong with it. `known` is false for a plan of which nobody knows what it covers.
    pub(super) fn findings(&self, place: usize, row: &CommitmentRow, known: bool) -> Vec<Finding> {
        let item = &*row.commitment;
        if !item.is_in_force(self.now) {
            return vec![self.not_in_force(item)];
        }
        let mut out = Vec::new();
        match &item.commits {
            Commits::Capacity(capacity) => {
                out.extend(self.capacity(place, row, capacity.total));
            }
            Commits::Reserved(_) | Commits::Plan(_) => {
                if let Some(cannot) = cannot_be_applied(item, known) {
                    out.push(cannot);
                } else {
                    self.discount(place, row, &mut out);
                }
            }
        }
        let ends = item.end.map(|end| days(self.now, end)).filter(|days| *days <= SOON_DAYS);
        out.extend(ends.map(|days| Finding::Ends { days, then: ending(row) }));
        out
    }

    fn not_in_force(&self, item: &Commitment) -> Finding {
        let is_ahead = item.start > self.now;
        match item.state {
            CommitmentState::Pending if is_ahead => Finding::Queued(days(self.now, item.start)),
            CommitmentState::Pending => Finding::PaymentUnderWay,
            CommitmentState::Active if is_ahead => Finding::Begins(days(self.now, item.start)),
            _ => Finding::Over,
        }
    }

    fn capacity(&self, place: usize, row: &CommitmentRow, total: u32) -> Option<Finding> {
        let unused = self.unused[place];
        if unused <= 1e-9 {
            return None;
        }
        let block = row.commitment.kind() == CommitmentKind::CapacityBlock;
        let costs = match (row.unused_usd_per_hour, block) {
            (Some(lost), true) => UnusedCost::Prepaid(lost),
            (Some(lost), false) => UnusedCost::Room(lost),
            (None, true) => {
                let left = row.commitment.end.map_or(0.0, |end| 24.0 * days(self.now, end));
                UnusedCost::PrepaidHours(unused * left)
            }
            (None, false) => UnusedCost::Unknown,
        };
        Some(Finding::UnusedCapacity { unused, total, costs })
    }

    fn discount(&self, place: usize, row: &CommitmentRow, out: &mut Vec<Finding>) {
        let item = &*row.commitment;
        let used = row.utilisation.or(row.utilisation_now);
        let idles = used.is_some_and(|used| used < UTILISATION)
            || row.utilisation_now.is_some_and(|used| used < UTILISATION);
        if !self.reaches[place] {
            out.push(self.nothing_such(item));
        } else if let Some(used) = used.filter(|used| *used < UTILISATION) {
            let usd_per_hour = row.usd_per_hour.unwrap_or(0.0) * (1.0 - used);
            out.push(Finding::Underused { used, hours: row.hours, usd_per_hour });
        }
        if idles && item.kind() == CommitmentKind::ComputePlan {
            out.push(Finding::OtherServices);
        }
        let rival = self.rival[place].filter(|_| idles);
        if let Some((other, meter)) = rival {
            let other = &self.holdings.items[other];
            if let Some(meter) = self.usage.meters.get(meter) {
                out.push(Finding::Overlaps {
                    kind: other.kind(),
                    id: other.id.clone(),
                    instance_type: meter.instance_type.clone(),
                    region: meter.scope.region.clone(),
                });
            }
        }
        let costs_more = row.saves_usd_per_hour.filter(|saves| *saves < -CENT);
        out.extend(costs_more.map(|saves| Finding::CostsMore(-saves)));
        let unread = self.holdings.unread.iter().any(|unread| {
            unread.source == CommitmentSource::ReservedInstances
                && self.holdings.beneficiary(&unread.scope.account, &item.account).is_some()
        });
        if unread && matches!(item.commits, Commits::Plan(_)) {
            out.push(Finding::ReservedUnread);
        }
    }

    /// Why it has nothing to pay for.
    fn nothing_such(&self, item: &Commitment) -> Finding {
        let wanted = match &item.commits {
            Commits::Reserved(reserved) => Wanted::reserved(reserved),
            Commits::Plan(plan) => match (&plan.family, &plan.region) {
                (Some(family), Some(region)) => Wanted { family, region, of: None, az: None },
                _ => return Finding::NothingCovered,
            },
            Commits::Capacity(_) => return Finding::NothingInside,
        };
        let fits = |meter: &&Meter| wanted.is_type(meter);
        let ran: Vec<&Meter> = self.usage.meters.iter().filter(fits).collect();
        let none = |elsewhere| Finding::NothingSuch {
            of: wanted.of.unwrap_or(wanted.family).into(),
            any_size: wanted.of.is_none(),
            place: wanted.az.unwrap_or(wanted.region).clone(),
            elsewhere,
        };
        let here = ran.iter().filter(|meter| meter.scope.region == *wanted.region);
        let may = |meter: &&&Meter| {
            self.holdings.beneficiary(&item.account, &meter.scope.account).is_some()
        };
        if let Some(meter) = here.clone().find(|meter| meter.scope.account != item.account)
            && !here.clone().any(|meter| may(&meter))
        {
            let (account, sharing) = (meter.scope.account.clone(), self.holdings.sharing);
            return none(Elsewhere::Account { account, sharing });
        }
        let mut regions: Vec<Arc<str>> =
            ran.iter().map(|meter| meter.scope.region.clone()).collect();
        regions.retain(|region| region != wanted.region);
        regions.sort_unstable();
        regions.dedup();
        none(if regions.is_empty() { Elsewhere::Nowhere } else { Elsewhere::Regions(regions) })
    }
}

/// Usage that a commitment can pay for.
struct Wanted<'a> {
    family: &'a str,
    region: &'a Arc<str>,
    /// The one type that counts; `None` where every size of the family does.
    of: Option<&'a str>,
    az: Option<&'a Arc<str>>,
}

impl<'a> Wanted<'a> {
    fn reserved(it: &'a ReservedInstances) -> Self {
        let flexible =
            it.az.is_none() && is_size_flexible(&it.instance_type, it.platform, it.tenancy);
        Self {
            family: family(&it.instance_type),
            region: &it.region,
            of: (!flexible).then_some(&*it.instance_type),
            az: it.az.as_ref(),
        }
    }

    fn is_type(&self, meter: &Meter) -> bool {
        match self.of {
            Some(of) => *meter.instance_type == *of,
            None => family(&meter.instance_type) == self.family,
        }
    }
}

fn cannot_be_applied(item: &Commitment, known: bool) -> Option<Finding> {
    match (&item.commits, item.kind()) {
        (_, CommitmentKind::SageMakerPlan) => Some(Finding::SageMaker),
        (_, CommitmentKind::OtherPlan) => Some(Finding::KindUnknown),
        (Commits::Plan(plan), _) if !plan.rates_known => Some(Finding::RatesUnread),
        _ if !known => Some(Finding::OtherRatesUnread),
        _ => None,
    }
}

/// What follows the end of a commitment.
fn ending(row: &CommitmentRow) -> Ending {
    match row.saves_usd_per_hour.filter(|saves| *saves > CENT) {
        _ if row.commitment.kind() == CommitmentKind::CapacityBlock => Ending::Terminated,
        Some(saves) => Ending::BillGrows(saves),
        None => Ending::Nothing,
    }
}

fn days(from: Timestamp, to: Timestamp) -> f64 {
    to.duration_since(from).as_secs_f64() / 86_400.0
}
