use proptest::prelude::*;

use super::fixture::virginia;
use super::*;
use crate::domain::storage::object::ObjectFlags;
use crate::domain::storage::{GIB, S3Prices, Sums, Tier};

const KIB: u64 = 1 << 10;

fn sums(objects: &[(Tier, u64)]) -> Sums {
    let mut out = Sums::default();
    for (tier, size) in objects {
        out.count(*size, 0, *tier, ObjectFlags::default(), 0);
    }
    out
}

fn close(a: f64, b: f64, within: f64) {
    assert!((a - b).abs() <= within, "{a} is not {b} within {within}");
}

fn usd(sums: &Sums, prices: &S3Prices) -> f64 {
    monthly(sums, &Rates::blended(prices, &Volumes::of(sums))).exact().unwrap()
}

/// The article's 50, 200 and 800 TB, and 30 TB of checkpoints, by hand: TiB, with volume steps.
#[test]
fn volumes_are_billed_by_steps() {
    let prices = virginia();
    for (tib, want) in [
        (50.0, 1_177.6),
        (200.0, 51_200.0 * 0.023 + 153_600.0 * 0.022),
        (800.0, 51_200.0 * 0.023 + 460_800.0 * 0.022 + 307_200.0 * 0.021),
    ] {
        let mut sums = Sums::default();
        sums.bytes[0] = (tib * 1024.0 * GIB) as u64;
        sums.objects[0] = 1;
        close(usd(&sums, &prices), want, 1e-6);
    }
    // 30 TB of checkpoints (decimal): $690 at 0.023 per decimal GB, 643 as it is billed.
    let mut run = Sums::default();
    run.bytes[0] = 30_000_000_000_000;
    run.objects[0] = 100;
    close(usd(&run, &prices), 642.6, 0.1);
    close(30_000.0 * 0.023, 690.0, 1e-9);
}

#[test]
fn blended_and_marginal_differ_by_the_steps() {
    let prices = virginia();
    let mut volumes = Volumes::default();
    volumes.add_gib(Tier::Standard, 102_400.0);
    let blended = Rates::blended(&prices, &volumes);
    let marginal = Rates::marginal(&prices, &volumes);
    close(blended.usd_per_gib(Tier::Standard).unwrap(), 0.0225, 1e-12);
    close(marginal.usd_per_gib(Tier::Standard).unwrap(), 0.022, 1e-12);
    // Exactly at a step the last byte lies below it; without a byte the first step counts.
    let at = |gib| {
        let mut v = Volumes::default();
        v.add_gib(Tier::Standard, gib);
        Rates::marginal(&prices, &v).usd_per_gib(Tier::Standard).unwrap()
    };
    for (gib, want) in [(0.0, 0.023), (51_200.0, 0.023), (51_200.1, 0.022), (1e9, 0.021)] {
        close(at(gib), want, 1e-12);
    }
    // The two classes of frequent access climb steps of their own.
    close(blended.usd_per_gib(Tier::ItFrequent).unwrap(), 0.023, 1e-12);
}

#[test]
fn small_and_archived_objects_are_billed_as_more() {
    let prices = virginia();
    let gib = |bytes: u64| bytes as f64 / GIB;
    for (tier, size, want) in [
        (Tier::Standard, KIB, gib(KIB) * 0.023),
        (Tier::StandardIa, KIB, gib(128 * KIB) * 0.0125),
        (Tier::StandardIa, 128 * KIB, gib(128 * KIB) * 0.0125),
        (Tier::OnezoneIa, 127 * KIB, gib(128 * KIB) * 0.01),
        (Tier::GlacierIr, 0, gib(128 * KIB) * 0.004),
        (Tier::GlacierIr, 200 * KIB, gib(200 * KIB) * 0.004),
        (Tier::Glacier, KIB, gib(33 * KIB) * 0.0036 + gib(8 * KIB) * 0.023),
        (Tier::DeepArchive, KIB, gib(33 * KIB) * 0.000_99 + gib(8 * KIB) * 0.023),
        (Tier::ItArchive, 256 * KIB, gib(288 * KIB) * 0.0036 + gib(8 * KIB) * 0.023 + 2.5e-6),
        (Tier::ItFrequent, 127 * KIB, gib(127 * KIB) * 0.023),
        (Tier::ItInfrequent, 128 * KIB, gib(128 * KIB) * 0.0125 + 2.5e-6),
        (
            Tier::ItDeepArchive,
            1 << 30,
            gib((1 << 30) + 32 * KIB) * 0.000_99 + gib(8 * KIB) * 0.023 + 2.5e-6,
        ),
        (Tier::Express, 10, gib(10) * 0.11),
    ] {
        let s = sums(&[(tier, size)]);
        close(usd(&s, &prices), want, 1e-15);
        let rates = Rates::blended(&prices, &Volumes::of(&s));
        close(object_monthly(tier, size, &rates).unwrap(), want, 1e-15);
    }
}

#[test]
fn noncurrent_versions_cost_and_delete_markers_do_not() {
    let mut s = Sums::default();
    s.count(1 << 30, 0, Tier::Standard, ObjectFlags(ObjectFlags::NONCURRENT), 0);
    s.count(0, 0, Tier::Standard, ObjectFlags(ObjectFlags::DELETE_MARKER), 0);
    close(usd(&s, &virginia()), 0.023, 1e-12);
}

#[test]
fn what_has_no_price_is_unknown_and_never_free() {
    let mut prices = virginia();
    let rates = |p: &S3Prices, s: &Sums| Rates::blended(p, &Volumes::of(s));
    let unknown = sums(&[(Tier::Unknown, 1000), (Tier::File, 24)]);
    let m = monthly(&unknown, &rates(&prices, &unknown));
    assert_eq!((m.usd, m.exact(), m.unpriced_bytes, m.unpriced_objects), (None, None, 1024, 2));
    assert_eq!(m.by_tier[Tier::Unknown.index()], None);

    let mixed = sums(&[(Tier::Unknown, 1000), (Tier::Standard, 1 << 30)]);
    let m = monthly(&mixed, &rates(&prices, &mixed));
    assert_eq!((m.exact(), m.unpriced_bytes), (None, 1000));
    close(m.usd.unwrap(), 0.023, 1e-12);

    // An archive's names are billed at Standard: without that price it has none.
    prices.tiers[Tier::Standard.index()].storage.clear();
    let archived = sums(&[(Tier::Glacier, 1 << 20)]);
    assert_eq!(monthly(&archived, &rates(&prices, &archived)).usd, None);
    prices.monitoring_per_1000 = None;
    let watched = sums(&[(Tier::ItFrequent, 1 << 20)]);
    let m = monthly(&watched, &rates(&prices, &watched));
    assert_eq!((m.exact(), m.unpriced_monitoring), (None, 1));
    let nothing = monthly(&Sums::default(), &Rates::unknown("x", prices.provenance.clone()));
    assert_eq!(nothing.exact(), Some(0.0));
}

#[test]
fn leaving_early_is_paid_pro_rata() {
    let prices = virginia();
    let rates = Rates::blended(&prices, &Volumes::default());
    let fee = |tier, days| early_delete_usd(tier, 1.0, GIB, days, &rates).unwrap();
    for tier in [Tier::Standard, Tier::ItFrequent, Tier::Express] {
        close(fee(tier, 0.0), 0.0, 0.0);
    }
    for (tier, days, rate) in [
        (Tier::StandardIa, 30.0, 0.0125),
        (Tier::OnezoneIa, 30.0, 0.01),
        (Tier::GlacierIr, 90.0, 0.004),
    ] {
        close(fee(tier, 0.0), rate * days * 24.0 / 730.0, 1e-12);
        close(fee(tier, days / 2.0), rate * days * 12.0 / 730.0, 1e-12);
        close(fee(tier, days), 0.0, 0.0);
        close(fee(tier, 1e6), 0.0, 0.0);
    }
    let archived = 0.000_99 * (1.0 + 32.0 / 1_048_576.0) + 0.023 * 8.0 / 1_048_576.0;
    close(fee(Tier::DeepArchive, 0.0), archived * 180.0 * 24.0 / 730.0, 1e-12);
    assert_eq!(minimum_days(Tier::Glacier), 90);
    let none = Rates::unknown("x", prices.provenance.clone());
    assert_eq!(early_delete_usd(Tier::Glacier, 1.0, GIB, 0.0, &none), None);
}

#[test]
fn moving_and_reading_have_their_fees() {
    let prices = virginia();
    close(transition_usd(&prices, Tier::ItFrequent, 62_389_000.0).unwrap(), 623.89, 1e-9);
    assert_eq!(transition_usd(&prices, Tier::Standard, 1.0), None, "nothing moves there");
    assert_eq!(transition_usd(&prices, Tier::Unknown, 1.0), None);
    close(retrieval_usd(&prices, Tier::Glacier, 1000.0, GIB).unwrap(), 0.06, 1e-12);
    close(retrieval_usd(&prices, Tier::DeepArchive, 1000.0, GIB).unwrap(), 0.12, 1e-12);
    close(retrieval_usd(&prices, Tier::StandardIa, 1000.0, GIB).unwrap(), 0.01, 1e-12);
    close(requests_usd(&prices, Tier::GlacierIr, 1000.0).unwrap(), 0.01, 1e-12);
}

fn any_objects() -> impl Strategy<Value = Vec<(Tier, u64)>> {
    let size = prop_oneof![0u64..(256 << 10), 0u64..(1 << 30), 0u64..(1 << 44)];
    prop::collection::vec(((0..Tier::COUNT).prop_map(|t| Tier::ALL[t]), size), 0..40)
}

proptest! {
    /// However objects are cut into children, the children cost what the parent costs.
    #[test]
    fn children_add_up_to_their_parent(objects in any_objects(), cut in 0usize..40, more in 0.0..1e6) {
        let prices = virginia();
        let cut = cut.min(objects.len());
        let (a, b, whole) = (sums(&objects[..cut]), sums(&objects[cut..]), sums(&objects));
        let mut volumes = Volumes::of(&whole);
        volumes.add_gib(Tier::Standard, more);
        let rates = Rates::blended(&prices, &volumes);
        let (ma, mb, m) = (monthly(&a, &rates), monthly(&b, &rates), monthly(&whole, &rates));
        let sum = ma.usd.unwrap_or(0.0) + mb.usd.unwrap_or(0.0);
        let all = m.usd.unwrap_or(0.0);
        prop_assert!((sum - all).abs() <= 1e-9 * all.max(1.0), "{sum} {all}");
        prop_assert_eq!(ma.unpriced_bytes + mb.unpriced_bytes, m.unpriced_bytes);
        let singly: Option<f64> = objects.iter().map(|(t, s)| object_monthly(*t, *s, &rates)).sum();
        if let (Some(singly), Some(exact)) = (singly, m.exact()) {
            prop_assert!((singly - exact).abs() <= 1e-9 * exact.max(1.0), "{singly} {exact}");
        }
        let tiers: f64 = m.by_tier.iter().flatten().sum();
        prop_assert!((tiers + m.overheads.monitoring_usd - all).abs() <= 1e-9 * all.max(1.0));
    }

    /// Where the account holds nothing else, the blended cost is the bill by the steps.
    #[test]
    fn blended_is_the_bill(gib in 0.0..2e6f64) {
        let prices = virginia();
        let mut s = Sums::default();
        s.bytes[0] = (gib * GIB) as u64;
        s.objects[0] = 1;
        let gib = s.bytes[0] as f64 / GIB;
        // GiB by GiB, in whole chunks and a rest.
        let mut bill = 0.0;
        let mut at = 0.0;
        while at < gib {
            let rate = if at < 51_200.0 { 0.023 } else if at < 512_000.0 { 0.022 } else { 0.021 };
            let next = (at + 400.0).min(gib);
            bill += (next - at) * rate;
            at = next;
        }
        let got = usd(&s, &prices);
        prop_assert!((got - bill).abs() <= 1e-6, "{got} {bill}");
    }
}
