//! What the bill has on each day: instances that could be seen, and all else by its cause.

use std::collections::BTreeMap;
use std::sync::Arc;

use jiff::civil::Date;

use super::super::instance_use::InstanceKinds;
use super::{ByCause, Cause};
use crate::domain::bill::{Bill, Cell, Charge, NameId, Pricing, Usd};
use crate::domain::hash::{FastMap, FastSet};

/// Instances of an account on a day, in regions that are read.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct AccountDay {
    /// Effective cost.
    pub effective: Usd,
    /// At the prices that live burn has: list, of Spot the price paid; the effective cost where no list price is told.
    pub list: Usd,
    /// Effective less list cost of hours on demand.
    pub discount: Usd,
    /// Effective less list cost of hours that commitments cover.
    pub commitments: Usd,
    /// Effective cost of Spot.
    pub spot: Usd,
    /// Instance-hours.
    pub hours: f64,
}

/// A day of the bill.
#[derive(Debug, Default)]
pub(super) struct DaySums {
    /// Effective cost of all lines.
    pub bill: Usd,
    /// What live burn does not see.
    pub other: ByCause,
    /// By account.
    pub accounts: BTreeMap<Arc<str>, AccountDay>,
}

/// Sums of the days from `first` to the last day of the bills, and the accounts that these bills have.
pub(super) fn day_sums(
    bills: &[Arc<Bill>],
    scopes: &FastSet<(&str, &str)>,
    is_discounted: bool,
    first: Date,
) -> (BTreeMap<Date, DaySums>, FastSet<Arc<str>>) {
    let accounts: FastSet<&str> = scopes.iter().map(|(account, _)| *account).collect();
    let mut days: BTreeMap<Date, DaySums> = BTreeMap::new();
    let mut billed = FastSet::default();
    for bill in bills.iter().filter(|bill| bill.head.has_days) {
        let kinds = InstanceKinds::of(bill);
        let mut other: FastMap<(u8, Place), Usd> = FastMap::default();
        let mut known = FastSet::default();
        for cell in bill.cells.iter().filter(|cell| cell.day > 0) {
            known.insert(cell.key.account);
            let day = bill.head.period.day(cell.day);
            if day < first || cell.day > bill.head.last_day {
                continue;
            }
            let [account, region] = [cell.key.account, cell.key.region].map(|id| bill.name(id));
            let place = if cell.key.charge != Charge::Usage {
                Place::Charge(cell.key.charge)
            } else if cell.key.pricing == Pricing::UnusedCommitment {
                Place::UnusedCommitment
            } else if cell.key.pricing == Pricing::UnusedCapacity {
                Place::UnusedCapacity
            } else if kinds.get(cell.key.kind).is_none() {
                Place::Service(bill.kind(cell.key.kind).map_or(NameId::NONE, |kind| kind.service))
            } else if !accounts.contains(account) {
                Place::Account(cell.key.account)
            } else if !scopes.contains(&(account, region)) {
                Place::Region(cell.key.region)
            } else {
                let sums = days.entry(day).or_default();
                sums.bill += cell.sums.effective;
                if let Some(account) = bill.shared_name(cell.key.account) {
                    sums.accounts.entry(account.clone()).or_default().add(cell, is_discounted);
                }
                continue;
            };
            *other.entry((cell.day, place)).or_default() += cell.sums.effective;
        }
        for ((day, place), usd) in other {
            let sums = days.entry(bill.head.period.day(day)).or_default();
            sums.bill += usd;
            *sums.other.entry(place.cause(bill)).or_default() += usd;
        }
        billed.extend(known.into_iter().filter_map(|id| bill.shared_name(id).cloned()));
    }
    (days, billed)
}

impl AccountDay {
    fn add(&mut self, cell: &Cell, is_discounted: bool) {
        let sums = &cell.sums;
        let (pricing, effective) = (cell.key.pricing, sums.effective);
        let is_list = pricing == Pricing::Spot
            || (pricing == Pricing::OnDemand && is_discounted)
            || sums.without_list > 0
            || sums.list.is_zero();
        let list = if is_list { effective } else { sums.list };
        self.effective += effective;
        self.list += list;
        self.hours += sums.quantity;
        match pricing {
            Pricing::Spot => self.spot += effective,
            Pricing::SavingsPlan | Pricing::Reserved => self.commitments += effective - list,
            _ => self.discount += effective - list,
        }
    }
}

/// A [`Cause`] by numbers of a bill.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Place {
    Charge(Charge),
    UnusedCommitment,
    UnusedCapacity,
    Service(NameId),
    Account(NameId),
    Region(NameId),
}

impl Place {
    fn cause(self, bill: &Bill) -> Cause {
        let text = |id| bill.shared_name(id).cloned().unwrap_or_else(|| "".into());
        match self {
            Self::Charge(charge) => Cause::OtherCharge(charge),
            Self::UnusedCommitment => Cause::UnusedCommitments,
            Self::UnusedCapacity => Cause::UnusedCapacity,
            Self::Service(id) => Cause::OtherUse(text(id)),
            Self::Account(id) => Cause::UnreadAccount(text(id)),
            Self::Region(id) => Cause::UnreadRegion(text(id)),
        }
    }
}
