//! Where a sample of the objects is followed, the exact curve lies within what is stated.

use super::brute::Brute;
use super::*;

/// Reads of `objects` objects with sizes that differ a hundredfold: loops, rounds in new orders, favourites.
fn events(seed: u64, objects: u64, reads: usize) -> Vec<ReadEvent> {
    let mut rng = fastrand::Rng::with_seed(seed);
    let sizes: Vec<u64> = (0..objects).map(|_| (1u64 << 20) << rng.u32(0..7)).collect();
    let mut order: Vec<u64> = (0..objects).collect();
    let one = |place: usize, rng: &mut fastrand::Rng, order: &mut Vec<u64>| match seed % 4 {
        0 => place as u64 % objects,
        1 => rng.u64(0..objects),
        2 => {
            if (place as u64).is_multiple_of(objects) {
                rng.shuffle(order);
            }
            order[(place as u64 % objects) as usize]
        }
        _ => (rng.f64().powi(3) * objects as f64) as u64,
    };
    let mut object = |place| one(place, &mut rng, &mut order);
    let read = |place| {
        let object = object(place);
        read(hash(object), sizes[object as usize])
    };
    (0..reads).map(read).collect()
}

/// The exact ratios of caches of these sizes.
fn exact(events: &[ReadEvent], caches: &[f64]) -> Vec<f64> {
    let caches: Vec<u64> = caches.iter().map(|cache| cache.max(1.0) as u64).collect();
    let reads = folded(events.iter().copied(), &caches);
    assert_eq!(reads.followed, 1.0);
    caches.iter().map(|cache| ratio(&reads, *cache)).collect()
}

#[test]
fn the_exact_curve_is_within_the_stated_error() {
    for seed in 0..8 {
        let events = events(seed, 6_000, 20_000);
        let mut fold = CacheFold::within(&[], 1_000);
        events.iter().for_each(|event| fold.take(event));
        let reads = fold.finished();
        assert_eq!(reads.followed, 1.0 / 8.0);
        let told: Vec<_> =
            reads.all.curve.iter().map(|point| (point, point.error.unwrap())).collect();
        for few in told.chunks(3) {
            let ends = few.iter().flat_map(|(point, error)| {
                [1.0 - error.size, 1.0 + error.size].map(|part| point.cache_bytes as f64 * part)
            });
            let exact = exact(&events, &ends.collect::<Vec<_>>());
            for ((point, error), ends) in few.iter().zip(exact.chunks(2)) {
                let (below, above) = (ends[0] - error.ratio, ends[1] + error.ratio);
                assert!(
                    below <= point.hit_bytes_ratio && point.hit_bytes_ratio <= above,
                    "seed {seed}: {below} to {above}: {point:?}"
                );
                assert!(error.ratio < 0.35 && error.size <= 1.0, "seed {seed}: {point:?}");
            }
        }
        let all = folded(events.iter().copied(), &[]).all;
        let distinct = reads.all.distinct_bytes.unwrap() / all.distinct_bytes.unwrap();
        assert!((distinct - 1.0).abs() < 0.3, "seed {seed}: {distinct}");
        assert_eq!((reads.all.requests, reads.all.read_bytes), (all.requests, all.read_bytes));
        assert_eq!(reads.all.pattern, all.pattern, "seed {seed}");
    }
}

#[test]
fn the_fast_way_is_the_slow_one_on_long_traces_as_well() {
    for seed in 0..4 {
        let events = events(seed, 500, 5_000);
        for cache in [1u64 << 28, 1 << 30, 1 << 33] {
            let mut brute = Brute::new(cache);
            events.iter().for_each(|event| brute.take(event));
            assert_eq!(exact(&events, &[cache as f64]), [brute.ratio()]);
        }
    }
}
