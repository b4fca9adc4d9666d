//! Spot prices of a region's zones, now and over time.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};

use crate::domain::{Platform, SpotHistory};
use crate::fleet::PriceBook;
use crate::fleet::savings::ZonePrice;

/// How far back prices are looked at.
pub(super) const WINDOW: SignedDuration = SignedDuration::from_hours(30 * 24);

type Key = (Arc<str>, Arc<str>, Platform);

/// All Spot prices by region, type and platform.
pub(super) struct Market(HashMap<Key, Zones>);

/// Zones of one market, cheapest first; rows share them.
struct Zones {
    all: Arc<[ZonePrice]>,
    /// Without Local Zones.
    own: Arc<[ZonePrice]>,
}

impl Zones {
    fn of(region: &str, mut zones: Vec<ZonePrice>) -> Self {
        zones.sort_by(|a, b| counted(a).total_cmp(&counted(b)).then_with(|| a.az.cmp(&b.az)));
        let all: Arc<[ZonePrice]> = zones.into();
        let own = if all.iter().any(|zone| is_local(region, &zone.az)) {
            all.iter().filter(|zone| !is_local(region, &zone.az)).cloned().collect()
        } else {
            all.clone()
        };
        Self { all, own }
    }
}

impl Market {
    /// From live prices and their history. A zone without a live price has the last of its history.
    pub fn of(prices: &PriceBook, history: &[Arc<SpotHistory>], now: Timestamp) -> Self {
        let mut all: HashMap<Key, BTreeMap<Arc<str>, ZonePrice>> = HashMap::new();
        for past in history {
            let Some((_, last)) = past.points.iter().rfind(|(at, _)| *at <= now) else { continue };
            let over = over(past.points.iter(), now);
            let zone = ZonePrice {
                az: past.az.clone(),
                usd_per_hour: last,
                mean: over.map(|o| o.mean),
                highest: over.map(|o| o.highest),
                hours: over.map_or(0, |o| o.hours),
            };
            let key = (past.region.clone(), past.instance_type.clone(), past.platform);
            all.entry(key).or_default().insert(past.az.clone(), zone);
        }
        let mut regions: HashMap<Arc<str>, Arc<str>> = HashMap::new();
        for (az, instance_type, platform, rate) in prices.spot_prices() {
            let region = regions.entry(az.clone()).or_insert_with(|| region_of(az).into());
            let key = (region.clone(), instance_type.clone(), platform);
            all.entry(key)
                .or_default()
                .entry(az.clone())
                .and_modify(|zone| zone.usd_per_hour = rate.usd_per_hour)
                .or_insert_with(|| ZonePrice {
                    az: az.clone(),
                    usd_per_hour: rate.usd_per_hour,
                    mean: None,
                    highest: None,
                    hours: 0,
                });
        }
        let sorted = |(key, zones): (Key, BTreeMap<Arc<str>, ZonePrice>)| {
            let zones = Zones::of(&key.0, zones.into_values().collect());
            (key, zones)
        };
        Self(all.into_iter().map(sorted).collect())
    }

    /// Zones with a price, cheapest first; Local Zones only where the instance runs in one.
    pub fn zones(
        &self,
        region: &Arc<str>,
        az: &str,
        instance_type: &Arc<str>,
        platform: Platform,
    ) -> Arc<[ZonePrice]> {
        let key = (region.clone(), instance_type.clone(), platform);
        let Some(zones) = self.0.get(&key) else { return Arc::default() };
        if !is_local(region, az) {
            return zones.own.clone();
        }
        let near = |zone: &&ZonePrice| *zone.az == *az || !is_local(region, &zone.az);
        zones.all.iter().filter(near).cloned().collect()
    }

    /// The lowest price now in a region's own zones.
    pub fn lowest(&self, region: &Arc<str>, name: &Arc<str>, platform: Platform) -> Option<f64> {
        let zones = self.0.get(&(region.clone(), name.clone(), platform))?;
        zones.own.iter().map(|z| z.usd_per_hour).min_by(f64::total_cmp)
    }
}

/// The price that is counted with: the dearer of now and the mean, so that neither a lucky moment
/// nor an old price is taken for what will be paid.
pub(super) fn counted(zone: &ZonePrice) -> f64 {
    zone.mean.map_or(zone.usd_per_hour, |mean| mean.max(zone.usd_per_hour))
}

/// A price over time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Over {
    /// Mean, weighted by time, USD/h.
    pub mean: f64,
    /// Highest, USD/h.
    pub highest: f64,
    /// Whole hours that are covered.
    pub hours: u32,
}

/// What a price came to from its first point, or the beginning of the window, until `now`; `None`
/// when no time passed.
pub(super) fn over(
    points: impl IntoIterator<Item = (Timestamp, f64)>,
    now: Timestamp,
) -> Option<Over> {
    let from = now.checked_sub(WINDOW).unwrap_or(Timestamp::MIN);
    let (mut dollars, mut seconds, mut highest) = (0.0_f64, 0.0_f64, 0.0_f64);
    let mut points = points.into_iter().peekable();
    while let Some((at, usd)) = points.next() {
        let until = points.peek().map_or(now, |(next, _)| (*next).min(now));
        let lasts = until.duration_since(at.max(from)).as_secs_f64();
        if lasts > 0.0 {
            dollars += usd * lasts;
            seconds += lasts;
            highest = highest.max(usd);
        }
    }
    (seconds > 0.0).then(|| Over {
        mean: dollars / seconds,
        highest,
        hours: (seconds / 3600.0) as u32,
    })
}

/// The region of a zone: its name up to the first number, `us-east-1` of `us-east-1a` and of
/// `us-east-1-atl-2a`.
pub(super) fn region_of(az: &str) -> &str {
    let digits = az.find(|c: char| c.is_ascii_digit()).unwrap_or(az.len());
    let rest = &az[digits..];
    let end = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
    &az[..digits + end]
}

/// A Local or Wavelength Zone: more than one letter behind the region.
fn is_local(region: &str, az: &str) -> bool {
    az.strip_prefix(region).is_none_or(|rest| rest.len() != 1)
}
