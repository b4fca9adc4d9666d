//! What on-demand hours of instances cost on a bill, where that is less than the list price.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::month::Month;
use crate::domain::{Platform, PriceBasis, Provenance, Rate, Scope, Tenancy};

/// What an on-demand hour of an instance type cost an account in a region: Linux on shared hardware, below its list
/// price, and never of hours that a commitment covers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BilledRate {
    /// EC2 instance type, such as `p5.48xlarge`.
    pub instance_type: Arc<str>,
    /// 12-digit id of the account that used it.
    pub account: Arc<str>,
    /// AWS region code.
    pub region: Arc<str>,
    /// USD per instance-hour, net of private discounts; above 0.
    pub usd_per_hour: f64,
}

impl BilledRate {
    fn key(&self) -> (&str, &str, &str) {
        (&self.instance_type, &self.account, &self.region)
    }
}

/// The rates that the bills of one period show.
#[derive(Clone, Debug, PartialEq)]
pub struct BilledRates {
    period: Month,
    /// One per type × account × region, ordered by these.
    rates: Vec<BilledRate>,
}

impl BilledRates {
    /// Days of use from which on the rates of a period count; until then those of the period before it do. The newest
    /// day of a bill is seldom whole.
    pub const DAYS_AT_LEAST: u8 = 3;

    /// The rates of all bills of `period`. Of several for the same usage the first holds.
    pub fn new(period: Month, mut rates: Vec<BilledRate>) -> Self {
        rates.sort_by(|a, b| a.key().cmp(&b.key()));
        rates.dedup_by(|next, kept| next.key() == kept.key());
        Self { period, rates }
    }

    /// USD per hour of a type in a region (Linux, shared), whoever used it; `None` where the bill shows none below the list
    /// price, and where accounts paid different ones.
    pub fn of_one_account(&self, region: &str, instance_type: &str) -> Option<f64> {
        let is_of =
            |rate: &&BilledRate| &*rate.instance_type == instance_type && &*rate.region == region;
        let mut those = self.rates.iter().filter(is_of).map(|rate| rate.usd_per_hour);
        let first = those.next()?;
        those.all(|other| other == first).then_some(first)
    }

    /// On-demand price of a type in `scope` by the bill; `None` where the bill shows none below the list price.
    pub fn rate(
        &self,
        scope: &Scope,
        instance_type: &str,
        platform: Platform,
        tenancy: Tenancy,
    ) -> Option<Rate> {
        if (platform, tenancy) != (Platform::Linux, Tenancy::Shared) {
            return None;
        }
        let key = (instance_type, &*scope.account, &*scope.region);
        let at = self.rates.binary_search_by(|rate| rate.key().cmp(&key)).ok()?;
        self.rates.get(at).map(|rate| Rate {
            usd_per_hour: rate.usd_per_hour,
            basis: PriceBasis::Private,
            provenance: Provenance::Bill { period: self.period },
        })
    }
}
