//! Dollars by hand.

use super::*;
use crate::analyze::network::cache::{
    CachePath, CachePrices, CurvePoint, Medium, PathPrice, best_size, saving,
};

const PRICES: CachePrices = CachePrices {
    get_per_1000: Some(0.0004),
    gp3_gib: Some(0.08),
    lustre_gib: Some(0.14),
    lustre_of: None,
};

/// A tenth of a month of 730 hours.
const TENTH: i64 = 73 * 3_600_000;

fn point(cache_bytes: u64, ratio: f64) -> CurvePoint {
    CurvePoint { cache_bytes, hit_bytes_ratio: ratio, hit_requests_ratio: ratio / 2.0, error: None }
}

fn usd(price: Option<PathPrice>) -> Option<f64> {
    // 1,000 GiB and a million requests in a tenth of a month, of which 80% of the bytes and 40% of the requests are hits.
    saving(Some(&point(GIB, 0.8)), (1_000 * GIB, 1_000_000), TENTH, price, &PRICES).usd_per_month
}

fn is(found: Option<f64>, wanted: f64) {
    assert!((found.unwrap() - wanted).abs() < 1e-9, "{found:?} is not {wanted}");
}

#[test]
fn a_month_is_ten_times_a_tenth_of_it_at_the_price_of_the_path() {
    is(usd(Some(PathPrice::PerGb(0.05))), 8_000.0 * 0.05);
    is(usd(Some(PathPrice::List(CachePath::InterRegion))), 8_000.0 * 0.02);
    is(usd(Some(PathPrice::List(CachePath::Nat))), 8_000.0 * 0.045);
    is(usd(Some(PathPrice::List(CachePath::Requests))), 4_000.0 * 0.0004);
    // All of 10,000 GB are in the first step, of which 2,000 are left.
    is(usd(Some(PathPrice::List(CachePath::Internet))), 8_000.0 * 0.09);
}

#[test]
fn the_internet_saves_its_cheapest_steps_first() {
    // 20,000 GB cost 10,240 × $0.09 + 9,760 × $0.085; half of them 10,000 × $0.09.
    let found = saving(
        Some(&point(GIB, 0.5)),
        (2_000 * GIB, 1),
        TENTH,
        Some(PathPrice::List(CachePath::Internet)),
        &PRICES,
    );
    is(found.usd_per_month, 240.0 * 0.09 + 9_760.0 * 0.085);
}

#[test]
fn what_is_not_known_is_none_and_no_hits_are_nothing() {
    assert_eq!(usd(None), None);
    let of = |span| saving(None, (GIB, 1), span, Some(PathPrice::PerGb(1.0)), &PRICES);
    assert_eq!(of(0).usd_per_month, None);
    assert_eq!(of(TENTH).usd_per_month, Some(0.0));
    let requests = Some(PathPrice::List(CachePath::Requests));
    let none = CachePrices::default();
    assert_eq!(saving(None, (GIB, 1), TENTH, requests, &none).usd_per_month, None);
    assert_eq!(Medium::Gp3.usd_per_month(GIB as f64, &none), None);
}

#[test]
fn caches_cost_their_capacity() {
    let of = |medium: Medium, gib: u64| medium.usd_per_month((gib * GIB) as f64, &PRICES);
    is(of(Medium::Gp3, 2_048), 2_048.0 * 0.08);
    is(of(Medium::Lustre, 64), 1_200.0 * 0.14);
    is(of(Medium::Lustre, 1_200), 1_200.0 * 0.14);
    is(of(Medium::Lustre, 2_500), 4_800.0 * 0.14);
}

#[test]
fn the_smallest_cache_with_nearly_all_hits_is_proposed() {
    let curve = [point(1, 0.0), point(2, 0.5), point(4, 0.9), point(8, 0.92)];
    assert_eq!(best_size(&curve).map(|point| point.cache_bytes), Some(4));
    assert_eq!(best_size(&[point(1, 0.0)]), None);
    assert_eq!(best_size(&[]), None);
}
