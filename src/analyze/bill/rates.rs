//! Private rates that a bill shows: what an on-demand hour of an instance type was charged, below its list price.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::instance_use::InstanceKinds;
use crate::domain::bill::{Bill, BilledRate, Charge, Pricing};

/// Hours of a type, in an account and region, that a rate rests on at least.
const HOURS: f64 = 24.0;

/// Days that it rests on at least.
const DAYS: usize = 2;

/// How far the rate of a day may lie from the mean, as a part of it.
const SPREAD: f64 = 0.005;

/// A smaller part off the list price is rounding.
const LEAST_OFF: f64 = 0.005;

/// Type, account, region.
type RateKey = (Arc<str>, Arc<str>, Arc<str>);

/// Use of a day.
#[derive(Clone, Copy, Debug, Default)]
struct Use {
    paid: f64,
    list: f64,
    hours: f64,
}

impl Use {
    fn add(&mut self, other: &Self) {
        self.paid += other.paid;
        self.list += other.list;
        self.hours += other.hours;
    }

    fn rate(&self) -> f64 {
        self.paid / self.hours
    }
}

/// Finds the private rates of on-demand hours, Linux on shared hardware, ordered by type, account and region; rounded to
/// a millionth of a dollar. Hours that commitments cover have none: their effective rate is that of the commitment,
/// which is applied by itself. Lines without a list price are left out, since nothing tells whether their price is
/// private. So is a type with little use, or whose days differ, as with tiers or a contract that changed.
pub fn billed_rates(bill: &Bill) -> Vec<BilledRate> {
    let kinds = InstanceKinds::of(bill);
    let mut all: BTreeMap<RateKey, BTreeMap<u8, Use>> = BTreeMap::new();
    for cell in bill.cells.iter().filter(|cell| cell.day > 0) {
        let (key, sums) = (&cell.key, &cell.sums);
        let is_on_demand = key.charge == Charge::Usage && key.pricing == Pricing::OnDemand;
        let is_told = sums.without_list == 0 && sums.quantity > 0.0 && !sums.list.is_zero();
        let kind = kinds.get(key.kind).filter(|kind| kind.is_plain && is_on_demand && is_told);
        let [account, region] = [key.account, key.region].map(|name| bill.shared_name(name));
        let (Some(kind), Some(account), Some(region)) = (kind, account, region) else { continue };
        let of = (kind.instance_type.clone(), account.clone(), region.clone());
        let part = Use { paid: sums.net.to_f64(), list: sums.list.to_f64(), hours: sums.quantity };
        all.entry(of).or_default().entry(cell.day).or_default().add(&part);
    }
    let told = |((instance_type, account, region), days): (RateKey, BTreeMap<u8, Use>)| {
        let usd_per_hour = rate(&days)?;
        Some(BilledRate { instance_type, account, region, usd_per_hour })
    };
    all.into_iter().filter_map(told).collect()
}

/// `None` where the list price is paid, or nothing, or where the days do not tell.
fn rate(days: &BTreeMap<u8, Use>) -> Option<f64> {
    let mut sum = Use::default();
    days.values().for_each(|day| sum.add(day));
    let is_private = sum.paid > 0.0 && sum.paid < sum.list * (1.0 - LEAST_OFF);
    if !is_private || sum.hours < HOURS || days.len() < DAYS {
        return None;
    }
    let mean = sum.rate();
    let is_even = |day: &Use| day.hours < 1.0 || (day.rate() - mean).abs() <= mean * SPREAD;
    days.values().all(is_even).then(|| (mean * 1e6).round() / 1e6)
}

#[cfg(test)]
mod tests {
    use super::super::test_lines::{TestLine, bills};
    use super::*;
    use crate::domain::bill::{BilledRates, PeriodState::Closed};
    use crate::domain::{Platform, Scope, Tenancy};
    use crate::source::demo;

    fn hours(day: u8, hours: f64, rate: f64, list: f64) -> TestLine {
        TestLine {
            day,
            effective: rate * hours,
            list: Some(list * hours),
            quantity: hours,
            ..TestLine::default()
        }
    }

    fn of(lines: Vec<TestLine>) -> Vec<BilledRate> {
        billed_rates(&bills(lines, Closed)[0])
    }

    #[test]
    fn an_hour_below_list_is_a_private_rate_of_its_account_and_region() {
        let other = |day| TestLine {
            account: "222222222222".into(),
            region: "eu-west-1",
            usage_type: "EU-BoxUsage:g6e.xlarge".into(),
            ..hours(day, 20.0, 1.853, 1.861)
        };
        let found = of(vec![
            hours(1, 24.0, 49.536, 55.04),
            hours(2, 48.0, 49.536, 55.04),
            other(1),
            other(2),
        ]);
        let rate = BilledRate {
            instance_type: "p5.48xlarge".into(),
            account: "111111111111".into(),
            region: "us-east-1".into(),
            usd_per_hour: 49.536,
        };
        assert_eq!(found, [rate], "half a percent is rounding");
        let rates = BilledRates::new("2026-10".parse().unwrap(), found);
        let usd = |account, region, platform| {
            let scope = Scope::new(account, region);
            Some(rates.rate(&scope, "p5.48xlarge", platform, Tenancy::Shared)?.usd_per_hour)
        };
        assert_eq!(usd("111111111111", "us-east-1", Platform::Linux), Some(49.536));
        for (account, region, platform) in [
            ("222222222222", "us-east-1", Platform::Linux),
            ("111111111111", "eu-west-1", Platform::Linux),
            ("111111111111", "us-east-1", Platform::Windows),
        ] {
            assert_eq!(usd(account, region, platform), None, "{account} {region} {platform:?}");
        }
    }

    #[test]
    fn commitments_spot_and_other_platforms_are_no_rate() {
        let both = |change: fn(TestLine) -> TestLine| {
            of([1, 2].map(|day| change(hours(day, 24.0, 40.0, 55.0))).to_vec())
        };
        assert_eq!(both(|line| line).len(), 1);
        let changes: [fn(TestLine) -> TestLine; 8] = [
            |line| TestLine { pricing: Pricing::SavingsPlan, ..line },
            |line| TestLine { pricing: Pricing::Reserved, ..line },
            |line| TestLine { pricing: Pricing::Spot, ..line },
            |line| TestLine { charge: Charge::Credit, ..line },
            |line| TestLine { operation: "RunInstances:0002", ..line },
            |line| TestLine { usage_type: "DedicatedUsage:p5.48xlarge".into(), ..line },
            |line| TestLine { service: "Amazon Elastic MapReduce".into(), ..line },
            |line| TestLine { list: None, ..line },
        ];
        for (i, change) in changes.into_iter().enumerate() {
            assert_eq!(both(change), [], "{i}");
        }
    }

    #[test]
    fn days_that_differ_and_few_hours_tell_no_rate() {
        let differs = vec![hours(1, 24.0, 40.0, 55.0), hours(2, 24.0, 44.0, 55.0)];
        assert_eq!(of(differs), []);
        assert_eq!(of(vec![hours(1, 24.0, 40.0, 55.0)]), []);
    }

    #[test]
    fn the_demo_pays_list_prices() {
        let at: jiff::Timestamp = "2026-11-20T10:00:00Z".parse().unwrap();
        let options = demo::DemoOptions::new(demo::DEFAULT_SEED, None, Arc::new(move || at));
        assert_eq!(billed_rates(&demo::bill::newest(&options).unwrap()), []);
    }
}
