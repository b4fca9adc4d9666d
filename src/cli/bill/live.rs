//! Live burn of the past, and what was judged, which a bill is laid beside.

use jiff::Timestamp;

use super::super::accounts::Reach;
use super::super::exit::CliError;
use super::super::invocation::Invocation;
use super::super::past::private_prices;
use super::super::reports::read_with;
use super::super::savings_settings::SavingsWant;
use super::super::session::{window_hours, with_cache};
use super::super::telemetry::Want;
use crate::analyze::bill::reconcile::LiveBurn;
use crate::analyze::bill::{Measured, measured as bill_measured};
use crate::bus;
use crate::cache::Cache;
use crate::domain::bill::Month;
use crate::domain::{BurnDay, Hour, Scope};
use crate::source::demo::bill;

/// What was seen of the accounts of a run.
#[derive(Default)]
pub(crate) struct Seen {
    /// By account and day.
    days: Vec<BurnDay>,
    /// Accounts and regions that are read.
    scopes: Vec<Scope>,
    /// True where burn is at private prices.
    is_discounted: bool,
}

impl Seen {
    /// Live burn from the begin of a period on, as the cache of a run has it; asks nobody.
    pub(super) fn of(invocation: &Invocation, period: Month) -> Result<Self, CliError> {
        match Self::of_demo(invocation, period) {
            Some(seen) => Ok(seen),
            None => with_cache(invocation, async |cache| {
                Ok(Self::of_accounts(invocation, cache, period).await)
            }),
        }
    }

    /// The same, of a cache that is open.
    pub(crate) async fn within(invocation: &Invocation, cache: &Cache, period: Month) -> Self {
        match Self::of_demo(invocation, period) {
            Some(seen) => seen,
            None => Self::of_accounts(invocation, cache, period).await,
        }
    }

    /// As the analysis takes it.
    pub(crate) fn live(&self) -> LiveBurn<'_> {
        let Self { days, scopes, is_discounted } = self;
        LiveBurn { days, scopes, is_discounted: *is_discounted }
    }

    fn of_demo(invocation: &Invocation, period: Month) -> Option<Self> {
        let demo = invocation.reach.demo_fleet(&invocation.config, &invocation.options)?;
        Some(Self::new(invocation, bill::seen(&demo, period)))
    }

    async fn of_accounts(invocation: &Invocation, cache: &Cache, period: Month) -> Self {
        let accounts: Vec<bus::Account> = invocation.reaches().iter().map(Reach::account).collect();
        let from = Hour::containing(period.begin()).day();
        let burnt = bus::burnt(cache, &accounts, from, invocation.options.now()).await;
        Self::new(invocation, burnt)
    }

    fn new(invocation: &Invocation, (days, scopes): (Vec<BurnDay>, Vec<Scope>)) -> Self {
        Self { days, scopes, is_discounted: !private_prices(invocation).is_list() }
    }
}

/// What is known of instances and other resources without asking an account; nothing where nothing is kept.
pub(super) fn measured(invocation: &Invocation, period: Month, now: Timestamp) -> Measured {
    let mut invocation = invocation.clone();
    invocation.options.offline |= invocation.options.demo.is_none();
    let Ok(outcome) = read_with(&invocation, Want::Free, SavingsWant::All) else {
        return Measured::default();
    };
    let config = &invocation.config;
    let hours = window_hours(config, &config.preset);
    let resources = outcome.savings_picture(now).resources;
    bill_measured(&outcome.fleet.rows, &resources, period, now, f64::from(hours))
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
