//! Live burn of the past, which a bill is laid beside.

use super::super::accounts::Reach;
use super::super::exit::CliError;
use super::super::invocation::Invocation;
use super::super::past::private_prices;
use super::super::session::with_cache;
use crate::bus;
use crate::domain::bill::Month;
use crate::domain::{BurnDay, Hour, Scope};
use crate::source::demo::bill;

/// What was seen of the accounts of a run.
pub(super) struct Seen {
    /// By account and day.
    pub days: Vec<BurnDay>,
    /// Accounts and regions that are read.
    pub scopes: Vec<Scope>,
    /// True where burn is at private prices.
    pub is_discounted: bool,
}

impl Seen {
    /// Live burn from the begin of a period on, as the cache has it; asks nobody.
    pub(super) fn of(invocation: &Invocation, period: Month) -> Result<Self, CliError> {
        let demo = invocation.reach.demo_fleet(&invocation.config, &invocation.options);
        let (days, scopes) = if let Some(demo) = demo {
            bill::seen(&demo, period)
        } else {
            let accounts: Vec<bus::Account> =
                invocation.reaches().iter().map(Reach::account).collect();
            let from = Hour::containing(period.begin()).day();
            let now = invocation.options.now();
            with_cache(invocation, async |cache| Ok(bus::burnt(cache, &accounts, from, now).await))?
        };
        Ok(Self { days, scopes, is_discounted: !private_prices(invocation).is_list() })
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::analyze::bill::reconcile::{Cause, LiveBurn, reconcile};
    use crate::domain::bill::Usd;
    use crate::source::demo::{DEFAULT_SEED, DemoOptions};

    #[test]
    fn live_burn_of_the_demo_explains_its_bill() {
        let now = "2026-11-20T14:25:30Z".parse().unwrap();
        let options = DemoOptions::new(DEFAULT_SEED, Some(280), Arc::new(move || now));
        for of in bill::bills(&options) {
            let (days, scopes) = bill::seen(&options, of.head.period);
            let last_day = of.head.last_day;
            let live = LiveBurn { days: &days, scopes: &scopes, is_discounted: false };
            let found = reconcile(&[Arc::new(of)], &live);
            assert_eq!(found.len(), usize::from(last_day));
            for day in found {
                let unexplained = |(cause, usd): &(Cause, Usd)| {
                    if *cause == Cause::Unexplained { usd.abs() } else { Usd::ZERO }
                };
                let rest: Usd = day.explained.iter().map(unexplained).sum();
                let live = day.live.unwrap();
                assert!(rest.to_f64() < 0.001 * live.to_f64(), "{day:#?}");
            }
        }
    }

    #[test]
    fn a_part_of_the_demo_leaves_other_regions_unread() {
        let now = "2026-11-20T14:25:30Z".parse().unwrap();
        let mut options = DemoOptions::new(DEFAULT_SEED, Some(280), Arc::new(move || now));
        options.part.regions = vec!["us-east-1".into()];
        let of = bill::newest(&options).unwrap();
        let (days, scopes) = bill::seen(&options, of.head.period);
        let live = LiveBurn { days: &days, scopes: &scopes, is_discounted: false };
        let found = reconcile(&[Arc::new(of)], &live);
        let is_unread = |(cause, _): &(Cause, Usd)| matches!(cause, Cause::UnreadRegion(_));
        assert!(found.iter().all(|day| day.explained.iter().any(is_unread)));
    }
}
