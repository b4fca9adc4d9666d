//! Prices of the demo: the embedded list where it has one, and what follows from it elsewhere.

use std::sync::Arc;

use jiff::Timestamp;

use super::hash::{hash, unit};
use super::places::{REGIONS, ZONES};
use crate::domain::{Hour, Offer, Platform, PriceBasis, Provenance, Rate, SpotHistory, Tenancy};
use crate::source::catalogue;
use crate::source::provider::PriceWanted;

fn demo_rate(usd_per_hour: f64, basis: PriceBasis) -> Rate {
    Rate { usd_per_hour, basis, provenance: Provenance::Demo }
}

/// Four decimals, as AWS publishes spot prices; list prices of the catalogue keep theirs.
fn rounded(usd: f64) -> f64 {
    (usd * 1e4).round() / 1e4
}

/// On-demand price of a type: the catalogue's where it has one for the region, otherwise the
/// price of us-east-1 times the region's factor; `None` when the catalogue has neither.
pub(super) fn list_price(region: &str, instance_type: &str) -> Option<f64> {
    let place = REGIONS.iter().find(|r| r.code == region)?;
    catalogue::list_price(region, instance_type).or_else(|| {
        catalogue::list_price("us-east-1", instance_type)
            .map(|usd| rounded(usd * place.price_factor))
    })
}

/// Offers for the wanted prices, and the whole price list of each region in them, because alternatives are priced as
/// well.
pub(super) fn list_offers(wanted: &[PriceWanted]) -> Vec<Offer> {
    let key = |w: &PriceWanted| (w.region.clone(), w.platform, w.tenancy);
    let mut lists: Vec<&PriceWanted> = Vec::new();
    for want in wanted {
        if !lists.iter().any(|list| key(list) == key(want)) {
            lists.push(want);
        }
    }
    let all = lists.into_iter().flat_map(|want| {
        let names = catalogue::type_specs().iter().map(|spec| spec.name.clone());
        names.map(|instance_type| PriceWanted { instance_type, ..want.clone() })
    });
    all.filter_map(|want| list_offer(&want)).collect()
}

/// Offer for a wanted price; `None` except for Linux on shared hardware, the only offer of the demo.
pub(super) fn list_offer(wanted: &PriceWanted) -> Option<Offer> {
    if wanted.platform != Platform::Linux || wanted.tenancy != Tenancy::Shared {
        return None;
    }
    let usd = list_price(&wanted.region, &wanted.instance_type)?;
    Some(Offer {
        region: wanted.region.clone(),
        az: None,
        instance_type: wanted.instance_type.clone(),
        platform: wanted.platform,
        tenancy: wanted.tenancy,
        rate: demo_rate(usd, PriceBasis::OnDemandList),
    })
}

/// Spot prices of a type in the zones of a region, hour by hour: the price in force at `from` first,
/// the one of [`spot_offers`] last.
pub(super) fn spot_history(
    key: u64,
    region: &Arc<str>,
    instance_type: &Arc<str>,
    from: Hour,
    now: Hour,
) -> Vec<SpotHistory> {
    let mut zones: Vec<(Offer, Vec<(Timestamp, f64)>)> = Vec::new();
    for hour in (from.0..=now.0).map(Hour) {
        for (n, offer) in spot_offers(key, region, instance_type, hour).into_iter().enumerate() {
            let point = (hour.start(), offer.rate.usd_per_hour);
            match zones.get_mut(n) {
                Some((_, points)) => points.push(point),
                None => zones.push((offer, vec![point])),
            }
        }
    }
    let history = |(offer, points): (Offer, Vec<_>)| SpotHistory {
        region: offer.region,
        az: offer.az.unwrap_or_default(),
        instance_type: offer.instance_type,
        platform: offer.platform,
        points: points.into_iter().collect(),
    };
    zones.into_iter().map(history).collect()
}

/// Spot market of a type in a zone: 28–78% of the list price by zone and type, moving by up to 3% from hour to hour.
pub(super) struct Market {
    usd: f64,
    seed: u64,
}

impl Market {
    /// The market of a type with this list price, USD/h.
    pub fn new(key: u64, az: &str, instance_type: &str, list: f64) -> Self {
        let seed =
            az.bytes().chain(instance_type.bytes()).fold(key, |h, b| hash(h, 11, u64::from(b)));
        Self { usd: list * (0.28 + 0.5 * unit(seed)), seed }
    }

    /// Price in an hour, USD, with four decimals.
    pub fn price(&self, hour: Hour) -> f64 {
        rounded(self.usd * (0.97 + 0.06 * unit(hash(self.seed, 12, hour.0 as u64))))
    }
}

/// Spot prices of a type in the zones of a region, by their [`Market`]s.
pub(super) fn spot_offers(
    key: u64,
    region: &Arc<str>,
    instance_type: &Arc<str>,
    now: Hour,
) -> Vec<Offer> {
    let Some(list) = list_price(region, instance_type) else { return Vec::new() };
    ZONES
        .iter()
        .map(|letter| {
            let az: Arc<str> = format!("{region}{letter}").into();
            let usd = Market::new(key, &az, instance_type, list).price(now);
            Offer {
                region: region.clone(),
                az: Some(az),
                instance_type: instance_type.clone(),
                platform: Platform::Linux,
                tenancy: Tenancy::Shared,
                rate: demo_rate(usd, PriceBasis::Spot),
            }
        })
        .collect()
}
