//! What Cost Explorer is to be asked, so that nothing is paid for twice: months that are closed are kept, those that are
//! open are asked for once a day.

use std::sync::Arc;

use jiff::civil::Date;
use jiff::tz::TimeZone;
use jiff::{Timestamp, ToSpan as _};

use super::query::{CostQuery, Filter, GroupBy};
use crate::domain::bill::cost_explorer::Pair;
use crate::domain::bill::{BillHead, Month, PeriodState};
use crate::source::ledger::BilledApi;

/// Months that are asked for by day, the current one included.
const BY_DAY: i32 = 3;

/// Months that Cost Explorer knows, the current one included.
const MONTHS: i32 = 14;

/// Days back for which it knows resources.
const RESOURCE_DAYS: i32 = 14;

/// Requests on the first day at most, $0.20.
pub const FIRST_DAY: u64 = 20;

/// Requests on a later day at most, $0.10.
pub const A_DAY: u64 = 10;

/// What the user wants to be asked beside what always is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Choice {
    /// Account that is asked; what others were asked is not kept for it.
    pub account: Arc<str>,
    /// Tag key to group by; it must be activated as a cost allocation tag. `None` for no tag.
    pub tag: Option<Arc<str>>,
    /// True to ask for resources, which must be switched on in Cost Explorer's settings.
    pub resources: bool,
}

/// What is asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Wanted {
    /// Charges other than use, of the months of [`Pair::UsageType`].
    Charges,
    /// Resources, of the months of [`Pair::UsageType`].
    Resources,
    /// The bill of a pair; of [`Pair::UsageType`] its use.
    Pair(Pair),
}

/// A list of Cost Explorer, in one request or more.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CostList {
    /// What is asked for.
    pub wanted: Wanted,
    /// Months that it is wanted for, oldest first, one at least.
    pub months: Vec<Month>,
    /// First day.
    pub from: Date,
    /// Day after the last one.
    pub to: Date,
    /// True for sums by day.
    pub by_day: bool,
}

impl CostList {
    /// The list as Cost Explorer is asked.
    pub fn query(&self) -> CostQuery {
        let (groups, filter) = match &self.wanted {
            Wanted::Charges => ([GroupBy::SERVICE, GroupBy::RECORD_TYPE], Filter::Other),
            Wanted::Resources => ([GroupBy::RESOURCE, GroupBy::USAGE_TYPE], Filter::UseOfInstances),
            Wanted::Pair(Pair::UsageType) => ([GroupBy::SERVICE, GroupBy::USAGE_TYPE], Filter::Use),
            Wanted::Pair(Pair::Account) => ([GroupBy::SERVICE, GroupBy::ACCOUNT], Filter::All),
            Wanted::Pair(Pair::Region) => ([GroupBy::SERVICE, GroupBy::REGION], Filter::All),
            Wanted::Pair(Pair::Tag(key)) => {
                ([GroupBy::SERVICE, GroupBy::Tag(key.clone())], Filter::All)
            }
        };
        CostQuery {
            from: self.from,
            to: self.to,
            by_day: self.by_day,
            groups,
            filter,
            with_resources: self.wanted == Wanted::Resources,
        }
    }
}

/// What is to be asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    /// Lists, most important first. Each is one request, and more where its answer has further pages.
    pub lists: Vec<CostList>,
    /// Requests that may be sent at most; what does not fit is left for another day.
    pub at_most: u64,
    /// Account that is asked.
    pub account: Arc<str>,
}

impl Plan {
    /// True where there is nothing to ask, or no more today.
    pub fn is_empty(&self) -> bool {
        self.lists.is_empty() || self.at_most == 0
    }

    /// What it costs if each answer is one page, and what it costs at most, in millionths of a dollar.
    pub fn micro_usd(&self) -> (u64, u64) {
        if self.is_empty() {
            return (0, 0);
        }
        let api = BilledApi::CostExplorer;
        let one_page_each = (self.lists.len() as u64).min(self.at_most);
        (api.cost_micro_usd(one_page_each), api.cost_micro_usd(self.at_most))
    }
}

/// What to ask at `now`: `kept` are the heads of all bills that there are, `asked_today` the requests to Cost Explorer
/// on this UTC day by the ledger.
pub fn plan(now: Timestamp, kept: &[BillHead], choice: &Choice, asked_today: u64) -> Plan {
    let today = now.to_zoned(TimeZone::UTC).date();
    let this = Month::at(now);
    let kept = kept.iter().filter(|head| head.payer == choice.account);
    let kept: Vec<Kept> = kept.filter_map(Kept::of).collect();
    let read =
        |pair: &Pair, month: Month| kept.iter().find(|k| k.pair == *pair && k.month == month);
    let is_due = |pair: &Pair, month: Month| {
        read(pair, month).is_none_or(|k| k.is_open && k.read_on < today)
    };
    // Where the days of a month were too many to read, those of others are.
    let oldest_by_day = this.plus(1 - BY_DAY);
    let by_day = |pair: &Pair| {
        !kept.iter().any(|k| k.pair == *pair && k.month >= oldest_by_day && k.too_many_days)
    };
    let end = today.saturating_add(1.day());
    let list = |wanted: Wanted, months: Vec<Month>, by_day: bool| {
        let from = months.first().map_or(today, |m| m.first());
        let to = months.last().map_or(end, |m| m.plus(1).first()).min(end);
        CostList { wanted, months, from, to, by_day }
    };

    let recent: Vec<Month> = (0..BY_DAY).map(|back| this.plus(-back)).collect();
    let main: Vec<Month> =
        recent.iter().copied().filter(|month| is_due(&Pair::UsageType, *month)).collect();
    let mut lists = vec![];
    if !main.is_empty() {
        let months: Vec<Month> = main.iter().rev().copied().collect();
        lists.push(list(Wanted::Charges, months.clone(), true));
        let since = today.saturating_sub(RESOURCE_DAYS.days());
        let in_reach: Vec<Month> =
            months.into_iter().filter(|month| month.plus(1).first() > since).collect();
        if choice.resources && !in_reach.is_empty() {
            let all = list(Wanted::Resources, in_reach, false);
            lists.push(CostList { from: all.from.max(since), ..all });
        }
        let days = by_day(&Pair::UsageType);
        let usage = Wanted::Pair(Pair::UsageType);
        lists.extend(main.into_iter().map(|m| list(usage.clone(), vec![m], days)));
    }

    let older: Vec<Month> = (BY_DAY..MONTHS)
        .rev()
        .map(|back| this.plus(-back))
        .filter(|month| read(&Pair::Account, *month).is_none())
        .collect();
    if !older.is_empty() {
        lists.push(list(Wanted::Pair(Pair::Account), older, false));
    }

    let tag = choice.tag.clone().map(Pair::Tag);
    let pairs: Vec<Pair> = [Pair::Account].into_iter().chain(tag).chain([Pair::Region]).collect();
    let mut others: Vec<(Option<Date>, CostList)> = vec![];
    for month in recent {
        for pair in pairs.iter().filter(|pair| is_due(pair, month)) {
            let list = list(Wanted::Pair(pair.clone()), vec![month], by_day(pair));
            others.push((read(pair, month).map(|k| k.read_on), list));
        }
    }
    // What waits longest comes first, so that each gets its turn where not all fit into a day.
    others.sort_by_key(|(read_on, _)| *read_on);
    lists.extend(others.into_iter().map(|(_, list)| list));

    let is_first_day = kept.iter().all(|k| k.read_on >= today);
    let limit = if is_first_day { FIRST_DAY } else { A_DAY };
    let account = choice.account.clone();
    Plan { lists, at_most: limit.saturating_sub(asked_today), account }
}

/// What is kept of a month by a pair.
struct Kept {
    pair: Pair,
    month: Month,
    is_open: bool,
    read_on: Date,
    too_many_days: bool,
}

impl Kept {
    fn of(head: &BillHead) -> Option<Self> {
        Some(Self {
            pair: Pair::of(head)?,
            month: head.period,
            is_open: head.state == PeriodState::Open,
            read_on: head.read_at.to_zoned(TimeZone::UTC).date(),
            // Use without a list price is all use that there is.
            too_many_days: !head.has_days && head.total.without_list > 0,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::answer::Answer;
    use super::super::bills::{About, by_pair};
    use super::*;

    fn now(text: &str) -> Timestamp {
        format!("{text}T09:00:00Z").parse().unwrap()
    }

    /// Heads of all bills that a plan brings, when each answer came at `at`.
    fn read(plan: &Plan, at: Timestamp) -> Vec<BillHead> {
        let pairs = plan.lists.iter().filter_map(|list| match &list.wanted {
            Wanted::Pair(pair) => Some((pair, &list.months)),
            _ => None,
        });
        let months =
            pairs.flat_map(|(pair, months)| months.iter().map(move |month| (pair, *month)));
        let about = About { payer: &plan.account, now: at };
        months.map(|(pair, m)| by_pair(pair, m, &Answer::default(), about).unwrap().head).collect()
    }

    fn renewed(mut kept: Vec<BillHead>, new: Vec<BillHead>) -> Vec<BillHead> {
        for head in new {
            kept.retain(|k| (&k.export, k.period) != (&head.export, head.period));
            kept.push(head);
        }
        kept
    }

    fn choice() -> Choice {
        Choice { account: "1".into(), tag: Some("team".into()), resources: true }
    }

    #[test]
    fn the_first_look_has_fourteen_months_and_stays_below_twenty_cents() {
        let at = now("2026-11-26");
        let plan = plan(at, &[], &choice(), 0);
        assert_eq!((plan.lists.len(), plan.at_most), (15, FIRST_DAY));
        assert_eq!(plan.micro_usd(), (150_000, 200_000));
        let kept = read(&plan, at);
        let months: std::collections::BTreeSet<Month> = kept.iter().map(|h| h.period).collect();
        assert_eq!(months.len(), 14);
        assert_eq!(months.first().unwrap().to_string(), "2025-10");
        let [charges, resources, usage, ..] = plan.lists.as_slice() else { panic!("{plan:?}") };
        assert_eq!(charges.wanted, Wanted::Charges);
        assert_eq!((charges.from.to_string(), charges.to.to_string()), {
            ("2026-09-01".to_owned(), "2026-11-27".to_owned())
        });
        assert_eq!(resources.from.to_string(), "2026-11-12");
        assert!(usage.by_day && usage.query().filter == Filter::Use);
        let older = &plan.lists[5];
        assert_eq!((older.by_day, older.months.len(), older.to.to_string().as_str()), {
            (false, 11, "2026-09-01")
        });
    }

    #[test]
    fn nothing_is_asked_twice_and_a_day_costs_ten_cents_at_most() {
        let mut kept = vec![];
        let mut at = now("2026-10-20");
        for day in 0..60 {
            let asked = plan(at, &kept, &choice(), 0);
            let requests = asked.lists.len() as u64;
            let limit = if day == 0 { FIRST_DAY } else { A_DAY };
            assert!(asked.at_most == limit && requests <= limit, "{at}: {requests}");
            if day > 0 {
                let recent = asked.lists.iter().all(|r| r.months.len() <= 2);
                assert!(recent, "{at}: {:?}", asked.lists);
            }
            kept = renewed(kept, read(&asked, at));
            let again = plan(at + 5.hours(), &kept, &choice(), requests);
            assert!(again.lists.is_empty() && again.is_empty(), "{at}: {:?}", again.lists);
            assert_eq!(again.micro_usd(), (0, 0));
            at += 24.hours();
        }
    }

    #[test]
    fn what_waits_longest_comes_first_and_what_was_spent_counts() {
        let day = now("2026-11-26");
        let mut kept = read(&plan(day, &[], &choice(), 0), day);
        let tomorrow = day + 24.hours();
        let region = Pair::Region;
        kept.retain(|head| Pair::of(head) != Some(region.clone()) || head.period != Month::at(day));
        let next = plan(tomorrow, &kept, &choice(), 7);
        assert_eq!(next.at_most, 3);
        let pairs: Vec<_> = next.lists.iter().map(|r| &r.wanted).collect();
        let first_other = pairs.iter().position(|w| **w == Wanted::Pair(region.clone()));
        assert_eq!(first_other, Some(3), "{pairs:?}");
        assert!(plan(tomorrow, &kept, &choice(), 11).is_empty());
        let other = Choice { account: "2".into(), ..choice() };
        assert_eq!(plan(tomorrow, &kept, &other, 0).lists.len(), 15);
    }

    #[test]
    fn days_that_were_too_many_once_are_not_asked_for_again() {
        let day = now("2026-11-26");
        let mut kept = read(&plan(day, &[], &choice(), 0), day);
        let usage = kept.iter_mut().find(|h| Pair::of(h) == Some(Pair::UsageType)).unwrap();
        usage.total.without_list = 5;
        let next = plan(day + 24.hours(), &kept, &choice(), 0);
        let by_day = |pair: Pair| {
            let found = next.lists.iter().find(|r| r.wanted == Wanted::Pair(pair.clone()));
            found.unwrap().by_day
        };
        assert!(!by_day(Pair::UsageType) && by_day(Pair::Account));
    }
}
