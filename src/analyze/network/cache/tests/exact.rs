//! Where all objects are followed, the curve is what caches of each size would have had, to the byte.

use proptest::prelude::*;

use super::brute::Brute;
use super::*;
use crate::analyze::network::cache::CACHE_SIZES;

/// Sizes of objects from a byte to more than the largest cache, many of them at the sizes of caches.
fn size() -> impl Strategy<Value = u64> {
    prop_oneof![
        3 => 1u64..1 << 30,
        2 => (24u32..50, 1u64..64).prop_map(|(power, part)| (1u64 << power) / 64 * part),
        2 => (30u32..49, -1i64..2).prop_map(|(power, off)| (1u64 << power).wrapping_add_signed(off)),
        1 => Just(40_000_000_000_000u64),
    ]
}

/// Reads of few objects, in whole and in parts, with some that are written anew.
fn trace() -> impl Strategy<Value = Vec<ReadEvent>> {
    (
        prop::collection::vec(size(), 1..40),
        prop::collection::vec((0usize..40, 0u32..20, 1u64..=4), 1..600),
    )
        .prop_map(|(sizes, steps)| {
            let event = |(which, kind, parts): (usize, u32, u64)| {
                let object = which % sizes.len();
                let size = sizes[object];
                let event = part(hash(object as u64), size, size);
                match kind {
                    0 => ReadEvent { kind: ReadKind::Written, bytes: 0, ..event },
                    1 => ReadEvent { size: None, ..event },
                    // Another size is another object.
                    2 => ReadEvent { bytes: size / 2 + 1, size: Some(size / 2 + 1), ..event },
                    3 => ReadEvent { bytes: 0, ..event },
                    4..8 => ReadEvent { bytes: (size / parts).max(1), ..event },
                    _ => event,
                }
            };
            steps.into_iter().map(event).collect()
        })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn the_curve_is_that_of_caches_of_each_size(events in trace(), more in prop::collection::vec(1u64..1 << 45, 0..6)) {
        let reads = folded(events.iter().copied(), &more);
        prop_assert_eq!(reads.followed, 1.0);
        for cache in CACHE_SIZES.iter().chain(&more) {
            let mut brute = Brute::new(*cache);
            events.iter().for_each(|event| brute.take(event));
            let Some(point) = reads.all.curve.iter().find(|point| point.cache_bytes == *cache) else {
                prop_assert!(reads.all.curve.is_empty());
                continue;
            };
            prop_assert_eq!(point.hit_bytes_ratio, brute.ratio(), "{} bytes", cache);
            let all = reads.all.requests.unwrap();
            // Requests without bytes are no hits.
            let counted = events.iter().filter(|e| e.kind == ReadKind::Read && e.bytes > 0).count() as f64;
            prop_assert!((point.hit_requests_ratio * counted - brute.hit_requests as f64).abs() < 1e-6, "of {all}");
            prop_assert_eq!(point.error, None);
        }
    }

    #[test]
    fn what_is_read_is_at_most_once_the_first_time(events in trace()) {
        let reads = folded(events.iter().copied(), &[]);
        let distinct = reads.all.distinct_bytes.unwrap_or_default();
        prop_assert!(distinct <= reads.all.read_bytes as f64);
        let most = reads.all.curve.last().map_or(0.0, |point| point.hit_bytes_ratio);
        prop_assert!(most * reads.all.read_bytes as f64 <= (reads.all.read_bytes as f64 - distinct) * (1.0 + 1e-9) + 1.0);
    }
}

#[test]
fn a_loop_over_more_than_the_cache_finds_nothing_and_over_as_much_finds_all() {
    let events = (0..30).map(|i| read(hash(i % 10), GIB));
    let reads = folded(events, &[10 * GIB, 10 * GIB - 1]);
    assert_eq!(ratio(&reads, 10 * GIB - 1), 0.0);
    assert_eq!(ratio(&reads, 10 * GIB), 20.0 / 30.0);
    assert_eq!(reads.all.distinct_bytes, Some(10.0 * GIB as f64));
}

#[test]
fn an_object_larger_than_the_cache_is_not_kept_and_takes_no_room() {
    let (small, large) = (read(hash(1), GIB), read(hash(2), 3 * GIB));
    let reads = folded([small, large, small, large], &[]);
    assert_eq!(ratio(&reads, GIB), 1.0 / 8.0);
    assert_eq!(ratio(&reads, 2 * GIB), 1.0 / 8.0);
    assert_eq!(ratio(&reads, 4 * GIB), 4.0 / 8.0);
}

#[test]
fn reads_in_parts_are_one_read_until_they_add_up() {
    let quarter = part(hash(1), GIB / 4, GIB);
    let once = folded([quarter; 4], &[]);
    assert_eq!(ratio(&once, GIB), 0.0);
    assert_eq!(once.all.distinct_bytes, Some(GIB as f64));
    let twice = folded([quarter; 8], &[]);
    assert_eq!(ratio(&twice, GIB), 0.5);
    assert_eq!(twice.all.requests, Some(8));
}

#[test]
fn what_is_written_anew_is_read_anew() {
    let written = ReadEvent { kind: ReadKind::Written, ..part(hash(1), 0, 0) };
    let object = read(hash(1), GIB);
    assert_eq!(ratio(&folded([object, written, object, object], &[]), GIB), 1.0 / 3.0);
}

#[test]
fn each_reader_has_a_cache_of_its_own() {
    let of = |group, object| ReadEvent { group, ..read(hash(object), GIB) };
    let reads = folded([of(0, 1), of(2, 1), of(0, 1), of(2, 2)], &[]);
    assert_eq!(reads.groups.iter().map(|(place, _)| *place).collect::<Vec<_>>(), [0, 2]);
    assert_eq!(ratio(&reads, GIB), 0.25);
    assert_eq!(reads.groups[0].1.curve[0].hit_bytes_ratio, 0.5);
    assert_eq!(reads.groups[1].1.pattern, Some(crate::analyze::network::cache::Pattern::Once));
}

#[test]
fn flows_tell_bytes_and_no_objects() {
    let flow = ReadEvent { kind: ReadKind::Flow, bytes: 7, size: None, ..read(0, 1) };
    let reads = folded([flow, flow], &[]);
    assert_eq!(
        (reads.all.read_bytes, reads.all.requests, reads.all.distinct_bytes),
        (14, None, None)
    );
    assert!(reads.all.curve.is_empty());
    assert_eq!(reads.all.pattern, None);
}
