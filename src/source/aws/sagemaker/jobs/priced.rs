//! Jobs get the price of their instances.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::super::super::resource_prices::JobPrices;
use super::attempt::{Job, Kind};
use crate::domain::bill::Usd;

/// Gives jobs the price of their instances, the mean where they have several types; returns a sentence for each type
/// without a price.
pub fn priced(jobs: &mut [Job], prices: &JobPrices, region: &str) -> Vec<String> {
    let mut unpriced = BTreeSet::new();
    for job in jobs {
        let place = match job.kind {
            Kind::Training => "Train",
            Kind::Processing => "Processing",
        };
        let (mut sum, mut count) = (Some(Usd::ZERO), 0_u64);
        for (name, number) in &job.machines {
            let usd = prices.get(&(place.to_owned(), name.to_string())).copied().flatten();
            let usd = usd.and_then(Usd::from_f64);
            if usd.is_none() {
                unpriced.insert((name.clone(), job.kind.word()));
            }
            sum = sum.zip(usd).map(|(sum, usd)| sum + usd.prorated((*number).into(), 1));
            count += u64::from(*number);
        }
        job.attempt.node_usd_per_hour = sum.filter(|_| count > 0).map(|sum| sum.prorated(1, count));
    }
    let sentence = |(name, kind): (Arc<str>, &str)| {
        format!("no list price of {name} for {kind} in {region}: dollars of its jobs are unknown")
    };
    unpriced.into_iter().map(sentence).collect()
}
