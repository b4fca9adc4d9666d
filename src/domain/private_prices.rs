//! Prices that no API tells: discounts and rates of one's own contract, Capacity Blocks by what was paid.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::sync::Arc;

use super::instance::{Platform, Tenancy};
use super::price::{PriceBasis, Provenance, Rate};
use super::scope::Scope;

/// Usage that a discount or a rate applies to. `None` in a field means any.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct PricedFor {
    /// 12-digit account id; `None` = any account.
    pub account: Option<Arc<str>>,
    /// Family of the instance type, such as `p5`; `None` = any family.
    pub family: Option<Arc<str>>,
    /// AWS region code; `None` = any region.
    pub region: Option<Arc<str>>,
}

impl PricedFor {
    fn fits(&self, scope: &Scope, instance_type: &str) -> bool {
        let family = instance_type.split_once('.').map_or(instance_type, |(family, _)| family);
        self.account.as_ref().is_none_or(|account| *account == scope.account)
            && self.family.as_ref().is_none_or(|f| **f == *family)
            && self.region.as_ref().is_none_or(|region| *region == scope.region)
    }

    /// Of two that fit, the one that says more; of as much, what names the account, then the family.
    fn closeness(&self) -> (usize, bool, bool) {
        let named = [&self.account, &self.family, &self.region];
        let count = named.iter().filter(|part| part.is_some()).count();
        (count, self.account.is_some(), self.family.is_some())
    }
}

/// Discount on the on-demand list price.
#[derive(Clone, Debug, PartialEq)]
pub struct Discount {
    /// Usage that the discount applies to.
    pub of: PricedFor,
    /// Percent off the list price, above 0 and below 100.
    pub percent: f64,
}

/// Private rate of an instance type, in place of the list price.
#[derive(Clone, Debug, PartialEq)]
pub struct PrivateRate {
    /// EC2 instance type, such as `p5.48xlarge`.
    pub instance_type: Arc<str>,
    /// Account and region that it applies to; the family is that of the type.
    pub of: PricedFor,
    /// USD per instance-hour, Linux on shared hardware; above 0.
    pub usd_per_hour: f64,
}

/// Private prices of the configuration: discounts, rates, and prices paid for Capacity Blocks.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PrivatePrices {
    discounts: Vec<Discount>,
    rates: Vec<PrivateRate>,
    /// Price paid for a Capacity Block in all, USD, by its id.
    blocks: BTreeMap<Arc<str>, f64>,
}

impl PrivatePrices {
    /// Builds from validated values, in which no two of a kind are for the same usage; `blocks` holds USD per Capacity
    /// Block id.
    pub fn new(
        mut discounts: Vec<Discount>,
        mut rates: Vec<PrivateRate>,
        blocks: BTreeMap<Arc<str>, f64>,
    ) -> Self {
        // The closest first, so that the first that fits decides.
        discounts.sort_by_key(|discount| Reverse(discount.of.closeness()));
        rates.sort_by_key(|rate| Reverse(rate.of.closeness()));
        Self { discounts, rates, blocks }
    }

    /// True without discounts and private rates: every instance has its list price.
    pub fn is_list(&self) -> bool {
        self.discounts.is_empty() && self.rates.is_empty()
    }

    /// On-demand price in `scope` by the configuration; `None` where the list price applies. A rate takes precedence
    /// over a discount, and a discount needs a list price.
    pub fn rate(
        &self,
        scope: &Scope,
        instance_type: &str,
        platform: Platform,
        tenancy: Tenancy,
        list: Option<&Rate>,
    ) -> Option<Rate> {
        let fits = |of: &PricedFor| of.fits(scope, instance_type);
        let private = |usd_per_hour| Rate {
            usd_per_hour,
            basis: PriceBasis::Private,
            provenance: Provenance::Configured,
        };
        let plain = platform == Platform::Linux && tenancy == Tenancy::Shared;
        let rate = self.rates.iter().filter(|_| plain);
        if let Some(rate) =
            rate.into_iter().find(|r| *r.instance_type == *instance_type && fits(&r.of))
        {
            return Some(private(rate.usd_per_hour));
        }
        let discount = self.discounts.iter().find(|d| fits(&d.of))?;
        Some(private(list?.usd_per_hour * (1.0 - discount.percent / 100.0)))
    }

    /// Price paid for a Capacity Block, USD for its whole term; `None` when not configured.
    pub fn block_usd(&self, id: &str) -> Option<f64> {
        self.blocks.get(id).copied()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn list(usd_per_hour: f64) -> Rate {
        let provenance = Provenance::Demo;
        Rate { usd_per_hour, basis: PriceBasis::OnDemandList, provenance }
    }

    fn of(account: &str, family: &str, region: &str) -> PricedFor {
        let some = |s: &str| (!s.is_empty()).then(|| s.into());
        PricedFor { account: some(account), family: some(family), region: some(region) }
    }

    fn usd(prices: &PrivatePrices, account: &str, region: &str, of: &str) -> Option<f64> {
        let scope = Scope::new(account, region);
        let list = list(10.0);
        let rate = prices.rate(&scope, of, Platform::Linux, Tenancy::Shared, Some(&list));
        rate.map(|r| {
            assert_eq!((r.basis, r.provenance), (PriceBasis::Private, Provenance::Configured));
            r.usd_per_hour
        })
    }

    #[test]
    fn the_closest_discount_holds_alone_and_a_rate_before_it() {
        let discount = |of, percent| Discount { of, percent };
        let prices = PrivatePrices::new(
            vec![
                discount(of("", "", ""), 5.0),
                discount(of("", "p5", ""), 20.0),
                discount(of("a", "", ""), 10.0),
                discount(of("", "", "r"), 7.0),
                discount(of("a", "p5", ""), 40.0),
            ],
            vec![
                PrivateRate {
                    instance_type: "g5.xlarge".into(),
                    of: of("", "", ""),
                    usd_per_hour: 3.0,
                },
                PrivateRate {
                    instance_type: "g5.xlarge".into(),
                    of: of("", "", "r"),
                    usd_per_hour: 2.0,
                },
                PrivateRate {
                    instance_type: "p5e.48xlarge".into(),
                    of: of("a", "", ""),
                    usd_per_hour: 40.0,
                },
            ],
            BTreeMap::from([("cr-1".into(), 1_000.0)]),
        );
        for (account, region, of, want) in [
            ("b", "s", "m5.large", 9.5),
            ("b", "s", "p5.48xlarge", 8.0),
            ("b", "r", "m5.large", 9.3),
            // As much said by both: the account's before the region's, and before the family's.
            ("a", "r", "m5.large", 9.0),
            ("a", "r", "p5.48xlarge", 6.0),
            ("b", "s", "g5.xlarge", 3.0),
            ("a", "r", "g5.xlarge", 2.0),
            ("a", "s", "p5e.48xlarge", 40.0),
            ("b", "s", "p5e.48xlarge", 9.5),
        ] {
            let got = usd(&prices, account, region, of).unwrap();
            assert!((got - want).abs() < 1e-9, "{account} {region} {of}: {got}");
        }
        assert_eq!((prices.block_usd("cr-1"), prices.block_usd("cr-2")), (Some(1_000.0), None));
        // A rate is of Linux on shared hardware, and nothing is off a price that nobody knows.
        let scope = Scope::new("a", "s");
        let windows =
            |list| prices.rate(&scope, "g5.xlarge", Platform::Windows, Tenancy::Shared, list);
        let ten = list(10.0);
        assert!((windows(Some(&ten)).unwrap().usd_per_hour - 9.0).abs() < 1e-9);
        assert_eq!(windows(None), None);
        let plain = prices.rate(&scope, "p5e.48xlarge", Platform::Linux, Tenancy::Shared, None);
        assert_eq!(plain.map(|r| r.usd_per_hour), Some(40.0), "a rate needs no list");
        assert_eq!(usd(&PrivatePrices::default(), "a", "r", "g5.xlarge"), None);
    }

    proptest! {
        /// By hand: of all discounts that fit, the one that names most; the price is that much off and no more,
        /// never negative, never above the list.
        #[test]
        fn one_discount_is_taken_once(
            raw in prop::collection::btree_map((0..3usize, 0..3usize, 0..3usize), 0.1..99.9f64, 0..12),
            price in 0.01..500.0f64,
            (account, family, region) in (1..3usize, 1..3usize, 1..3usize),
        ) {
            let names = ["", "one", "two"];
            let discounts = raw.iter().map(|((a, f, r), percent)| Discount {
                of: of(names[*a], names[*f], names[*r]),
                percent: *percent,
            });
            let prices = PrivatePrices::new(discounts.collect(), Vec::new(), BTreeMap::new());
            let fits = raw.iter().filter(|((a, f, r), _)| {
                [(*a, account), (*f, family), (*r, region)].iter().all(|(n, of)| *n == 0 || n == of)
            });
            let named = |(a, f, r): &(usize, usize, usize)| {
                let [a, f, r] = [*a, *f, *r].map(|n| usize::from(n > 0));
                100 * (a + f + r) + 10 * a + f
            };
            let want = fits.max_by_key(|(of, _)| named(of)).map(|(_, p)| price - price * p / 100.0);
            let scope = Scope::new(names[account], names[region]);
            let name = format!("{}.xlarge", names[family]);
            let got = prices
                .rate(&scope, &name, Platform::Linux, Tenancy::Shared, Some(&list(price)))
                .map(|r| r.usd_per_hour);
            prop_assert_eq!(got.is_some(), want.is_some());
            if let (Some(got), Some(want)) = (got, want) {
                prop_assert!((got - want).abs() < 1e-9 * price && got > 0.0 && got < price);
            }
        }
    }
}
