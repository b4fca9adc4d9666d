//! What storage costs in the demo's regions: the list of the binary where it has one, else invented
//! figures, and said to be.

use crate::domain::Provenance;
use crate::domain::storage::prices::{EbsPrices, S3Prices};
use crate::source::storage_prices;

/// The region whose list the others are made from.
const MODEL: &str = "us-east-1";

/// Invented S3 prices for a region without an embedded list; `None` for a region with one.
pub(super) fn s3(region: &str) -> Option<S3Prices> {
    if storage_prices::s3(region).is_some() {
        return None;
    }
    let mut prices = storage_prices::s3(MODEL)?;
    region.clone_into(&mut prices.region);
    prices.provenance = Provenance::Demo;
    prices.notes.clear();
    Some(prices)
}

/// Invented prices of volumes and snapshots for a region without an embedded list; `None` for a region with one.
pub(super) fn ebs(region: &str) -> Option<EbsPrices> {
    if storage_prices::ebs(region).is_some() {
        return None;
    }
    let mut prices = storage_prices::ebs(MODEL)?;
    region.clone_into(&mut prices.region);
    prices.provenance = Provenance::Demo;
    prices.notes.clear();
    Some(prices)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn where_the_binary_has_a_list_the_demo_invents_nothing() {
        assert!(s3(MODEL).is_none() && ebs(MODEL).is_none());
        let far = s3("eu-west-1").unwrap();
        assert_eq!((far.region.as_str(), far.provenance), ("eu-west-1", Provenance::Demo));
        assert_eq!(ebs("eu-west-1").unwrap().provenance, Provenance::Demo);
    }
}
