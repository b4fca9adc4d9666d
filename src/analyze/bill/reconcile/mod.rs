//! The bill beside what was seen of it live: day by day, and why they differ.
//!
//! Live burn is list price × hours of the instances that were seen; the bill is everything. What live burn cannot see
//! is told by its name. For the instances of an account whose regions are read, with E what the bill charges for them, L
//! their list price (of Spot the price paid), H their hours, and of live f the part of the day that was looked at, h its
//! instance-hours and u those without a price, and m = L ÷ H:
//!
//! | cause | dollars |
//! |---|---|
//! | not seen | (1 − f) × E |
//! | commitments | f × (E − L) of covered hours |
//! | discount | f × (E − L) of on-demand hours, where that leaves less unexplained: rates of a bill price later burn too |
//! | not running when seen (f × H > h), not billed yet (f × H < h) | (f × H − h) × m |
//! | without a price | u × m |
//! | Spot price where all hours are Spot, else unexplained | what remains |

mod sums;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::sync::Arc;

use jiff::civil::Date;

use self::sums::{AccountDay, DaySums, day_sums};
use crate::domain::bill::{Bill, Charge, Usd};
use crate::domain::hash::{FastMap, FastSet};
use crate::domain::{BurnDay, Scope};

/// Why the bill of a day differs from live burn.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Cause {
    /// Instances on demand cost less than their list price; negative.
    Discount,
    /// Commitments make covered hours cheaper; negative.
    Commitments,
    /// Commitments that nothing used.
    UnusedCommitments,
    /// Capacity Reservations and Capacity Blocks that nothing used.
    UnusedCapacity,
    /// Instances of an account that is not read; its id, empty where the bill has none.
    UnreadAccount(Arc<str>),
    /// Instances of a region that is not read; its code, empty where the bill has none.
    UnreadRegion(Arc<str>),
    /// What is no hour of an instance, by the name of its service; of EC2 as well (volumes, transfer).
    OtherUse(Arc<str>),
    /// Charges that are no use.
    OtherCharge(Charge),
    /// Hours in which nobody looked.
    NotSeen,
    /// Hours of instances that did not run when somebody looked: stopped, terminated or started in between.
    NotRunningWhenSeen,
    /// Hours that were seen and that the bill does not have, or not yet; negative.
    NotBilledYet,
    /// Live burn of an account that the bill does not have; its id; negative.
    UnbilledAccount(Arc<str>),
    /// Hours that were seen of instances without a known price.
    WithoutPrice,
    /// Spot prices of the bill and of the looks differ.
    SpotPrice,
    /// What remains.
    Unexplained,
}

impl Cause {
    /// Word in JSON.
    pub const fn word(&self) -> &'static str {
        match self {
            Self::Discount => "discount",
            Self::Commitments => "commitments",
            Self::UnusedCommitments => "unused_commitments",
            Self::UnusedCapacity => "unused_capacity",
            Self::UnreadAccount(_) => "unread_account",
            Self::UnreadRegion(_) => "unread_region",
            Self::OtherUse(_) => "other_use",
            Self::OtherCharge(_) => "other_charge",
            Self::NotSeen => "not_seen",
            Self::NotRunningWhenSeen => "not_running_when_seen",
            Self::NotBilledYet => "not_billed_yet",
            Self::UnbilledAccount(_) => "unbilled_account",
            Self::WithoutPrice => "without_price",
            Self::SpotPrice => "spot_price",
            Self::Unexplained => "unexplained",
        }
    }

    /// Account, region, service or word of the charge that it is of; `None` for a cause that is of none, or where the
    /// bill does not say it.
    pub fn of(&self) -> Option<&str> {
        let name: &str = match self {
            Self::UnreadAccount(name)
            | Self::UnreadRegion(name)
            | Self::OtherUse(name)
            | Self::UnbilledAccount(name) => name,
            Self::OtherCharge(charge) => charge.word(),
            _ => "",
        };
        (!name.is_empty()).then_some(name)
    }
}

/// A day of the bill beside live burn.
#[derive(Clone, Debug, PartialEq)]
pub struct ReconcileDay {
    /// UTC day.
    pub day: Date,
    /// Live burn of all accounts that were looked at, USD; `None` where none was.
    pub live: Option<Usd>,
    /// Effective cost of all lines of the day; charges of the whole period have no day.
    pub bill: Usd,
    /// What the difference is made of, largest first, what is unexplained last; adds up to `bill` − `live` exactly
    /// (without live burn, to `bill`).
    pub explained: Vec<(Cause, Usd)>,
}

/// What was seen live.
#[derive(Clone, Copy, Debug)]
pub struct LiveBurn<'a> {
    /// Burn by account and day; days that nobody looked at are absent.
    pub days: &'a [BurnDay],
    /// Accounts and regions that are read.
    pub scopes: &'a [Scope],
    /// True where live burn is at private prices already, so that a discount explains nothing.
    pub is_discounted: bool,
}

/// Lays bills of one provider beside live burn, oldest day first: the days from the first look to the last day of the
/// bills. Empty where nobody looked in that time, and of bills that have no days.
pub fn reconcile(bills: &[Arc<Bill>], live: &LiveBurn<'_>) -> Vec<ReconcileDay> {
    let mut seen: FastMap<Date, Vec<&BurnDay>> = FastMap::default();
    for day in live.days.iter().filter(|day| day.seen.for_ms > 0) {
        if let Some(date) = day.date() {
            seen.entry(date).or_default().push(day);
        }
    }
    let Some(first) = seen.keys().min().copied() else { return Vec::new() };
    let scopes: FastSet<(&str, &str)> =
        live.scopes.iter().map(|scope| (&*scope.account, &*scope.region)).collect();
    let (days, billed_accounts) = day_sums(bills, &scopes, live.is_discounted, first);
    days.into_iter()
        .map(|(day, sums)| {
            let looks = seen.get(&day).map_or(&[][..], Vec::as_slice);
            reconcile_day(day, sums, looks, &billed_accounts)
        })
        .collect()
}

fn reconcile_day(
    day: Date,
    sums: DaySums,
    looks: &[&BurnDay],
    billed_accounts: &FastSet<Arc<str>>,
) -> ReconcileDay {
    let mut explained = sums.other;
    let mut accounts = sums.accounts;
    let mut live = (!looks.is_empty()).then_some(Usd::ZERO);
    for look in looks {
        let seen = look.all();
        let usd = dollars(seen.usd);
        if let Some(live) = &mut live {
            *live += usd;
        }
        let of = accounts.remove(&look.account).unwrap_or_default();
        if of == AccountDay::default() && !billed_accounts.contains(&look.account) {
            *explained.entry(Cause::UnbilledAccount(look.account.clone())).or_default() -= usd;
            continue;
        }
        let part = look.seen_hours() / 24.0;
        let hours = part * of.hours - seen.instances;
        let rate = if of.hours > 0.0 { of.list.to_f64() / of.hours } else { 0.0 };
        let hours_usd = if of.hours > 0.0 { dollars(hours * rate) } else { -usd };
        let by_hours = if hours > 0.0 { Cause::NotRunningWhenSeen } else { Cause::NotBilledYet };
        let causes = [
            (Cause::NotSeen, dollars((1.0 - part) * of.effective.to_f64())),
            (Cause::Commitments, dollars(part * of.commitments.to_f64())),
            (by_hours, hours_usd),
            (Cause::WithoutPrice, dollars(seen.unpriced * rate)),
        ];
        let known: Usd = causes.iter().map(|(_, usd)| *usd).sum();
        let mut rest = of.effective - usd - known;
        // Once a bill has shown private rates they price live burn as well, and a discount explains nothing more.
        let discount = dollars(part * of.discount.to_f64());
        let discount = if (rest - discount).abs() < rest.abs() { discount } else { Usd::ZERO };
        rest -= discount;
        for (cause, usd) in causes.into_iter().chain([(Cause::Discount, discount)]) {
            *explained.entry(cause).or_default() += usd;
        }
        let is_spot = of.spot == of.effective && !of.spot.is_zero();
        let cause = if is_spot { Cause::SpotPrice } else { Cause::Unexplained };
        *explained.entry(cause).or_default() += rest;
    }
    for of in accounts.into_values() {
        *explained.entry(Cause::NotSeen).or_default() += of.effective;
    }
    let mut explained: Vec<(Cause, Usd)> =
        explained.into_iter().filter(|(_, usd)| !usd.is_zero()).collect();
    explained.sort_by(|(a, a_usd), (b, b_usd)| {
        let is_rest = |cause: &Cause| *cause == Cause::Unexplained;
        (is_rest(a).cmp(&is_rest(b))).then(b_usd.abs().cmp(&a_usd.abs())).then(a.cmp(b))
    });
    ReconcileDay { day, live, bill: sums.bill, explained }
}

/// Dollars of an estimate, to a millionth; the rest takes what that leaves.
fn dollars(usd: f64) -> Usd {
    Usd::from_f64((usd * 1e6).round() / 1e6).unwrap_or_default()
}

/// Dollars by cause.
type ByCause = BTreeMap<Cause, Usd>;
