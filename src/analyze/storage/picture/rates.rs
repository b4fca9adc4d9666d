//! Rates of each account and region: their buckets climb the volume steps together.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::bucket::Sized;
use crate::analyze::storage::price::{Rates, Volumes};
use crate::domain::Scope;
use crate::domain::storage::{S3Prices, Tier};
use crate::fleet::storage::AccountRates;

/// Blended and marginal rates by account and region; none where no price is known.
#[derive(Clone, Debug, Default)]
pub struct BothRates(BTreeMap<Scope, (Rates, Rates)>, BTreeMap<Scope, Volumes>);

impl BothRates {
    /// The rates for the volumes of these buckets.
    pub(super) fn of(sized: &[Sized], prices: &BTreeMap<Arc<str>, Arc<S3Prices>>) -> Self {
        let mut volumes: BTreeMap<Scope, Volumes> = BTreeMap::new();
        for bucket in sized {
            volumes.entry(bucket.row.scope.clone()).or_default().add(&bucket.volumes);
        }
        let rates = volumes.iter().filter_map(|(scope, volumes)| {
            let prices = prices.get(&scope.region)?;
            let both = (Rates::blended(prices, volumes), Rates::marginal(prices, volumes));
            Some((scope.clone(), both))
        });
        Self(rates.collect(), volumes)
    }

    /// Rates to show costs by, every byte at its share of the whole; `None` without prices for the scope.
    pub fn blended(&self, scope: &Scope) -> Option<&Rates> {
        self.0.get(scope).map(|r| &r.0)
    }

    /// Rates to compute savings by, that is, what freeing a byte saves; `None` without prices for the scope.
    pub fn marginal(&self, scope: &Scope) -> Option<&Rates> {
        self.0.get(scope).map(|r| &r.1)
    }

    /// What an account is billed for in a region, without one of its buckets.
    pub(super) fn others(&self, scope: &Scope, own: &Volumes) -> Option<Volumes> {
        let mut rest = self.1.get(scope)?.clone();
        rest.0.iter_mut().zip(own.0).for_each(|(all, own)| *all = (*all - own).max(0.0));
        Some(rest)
    }

    /// The rates as the fleet keeps them.
    pub(super) fn cards(&self) -> Vec<AccountRates> {
        let card = |(scope, (blended, marginal)): (&Scope, &(Rates, Rates))| AccountRates {
            scope: scope.clone(),
            blended: blended.usd_per_gib,
            marginal: marginal.usd_per_gib,
            monitoring_usd: blended.monitoring_usd,
            provenance: blended.provenance.clone(),
        };
        self.0.iter().map(card).collect()
    }
}

/// Rates to show costs by: every byte at its share of the whole.
pub fn blended_rates(card: &AccountRates) -> Rates {
    rates(card, card.blended)
}

/// Rates to compute savings by: what freeing a byte saves.
pub fn marginal_rates(card: &AccountRates) -> Rates {
    rates(card, card.marginal)
}

fn rates(card: &AccountRates, usd_per_gib: [Option<f64>; Tier::COUNT]) -> Rates {
    Rates {
        usd_per_gib,
        monitoring_usd: card.monitoring_usd,
        region: card.scope.region.to_string(),
        provenance: card.provenance.clone(),
    }
}
