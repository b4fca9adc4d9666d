//! Any sequence of writes gives what a plain map of hours gives.

use std::collections::{BTreeSet, HashMap};

use proptest::prelude::*;

use super::*;
use crate::cache::{file, schema, series};
use crate::domain::MALFORMED;

/// What the rules say, one hour at a time.
#[derive(Default)]
struct Reference {
    values: HashMap<i32, f32>,
    fetched: BTreeSet<i32>,
}

impl Reference {
    fn write(&mut self, start: i32, values: &[f32]) {
        let hours: BTreeSet<i32> = (start..).take(values.len()).collect();
        for (hour, value) in hours.iter().zip(values) {
            if !value.is_nan() {
                self.values.insert(*hour, *value);
            }
        }
        let union: BTreeSet<i32> = self.fetched.union(&hours).copied().collect();
        let (Some(first), Some(last)) = (union.first(), union.last()) else { return };
        if last - first + 1 == union.len() as i32 {
            self.fetched = union;
        } else if hours.last() > self.fetched.last() {
            self.fetched = hours;
        }
    }

    fn at(&self, hour: i32) -> f32 {
        let value = self.values.get(&hour).filter(|_| self.fetched.contains(&hour));
        value.copied().unwrap_or(f32::NAN)
    }
}

fn datapoint() -> impl Strategy<Value = f32> {
    prop_oneof![Just(f32::NAN), Just(MALFORMED), Just(0.0), 0.0_f32..100.0]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn series_merge_like_a_map_of_hours(
        writes in prop::collection::vec(
            (0..3_u16, -60..60_i32, prop::collection::vec(datapoint(), 0..70)),
            1..12,
        ),
        from in -80..80_i32,
        len in 0..100_i32,
    ) {
        let mut conn = file::open_in_memory(&schema::CACHE).unwrap();
        let mut reference: HashMap<u16, Reference> = HashMap::new();
        for (gpu, start, values) in &writes {
            let write = write("i-1", Signal::GpuMean(*gpu), *start, values);
            assert!(series::merge(&mut conn, &[write]).unwrap().is_empty());
            reference.entry(*gpu).or_default().write(*start, values);
        }
        let ids: Vec<Arc<str>> = vec!["i-1".into()];
        let window = range(from, from + len);
        let (loaded, damaged) = series::load(&mut conn, &ids, window).unwrap();
        assert!(damaged.is_empty());
        let (fetched, damaged) = series::claims(&mut conn, &ids).unwrap();
        assert!(damaged.is_empty());
        for (gpu, reference) in &reference {
            let signal = Signal::GpuMean(*gpu);
            let series = loaded.get("i-1").and_then(|set| set.get(signal));
            let claim = fetched.get(&(Arc::clone(&ids[0]), signal));
            let Some(first) = reference.fetched.first() else {
                prop_assert!(series.is_none() && claim.is_none());
                continue;
            };
            let last = reference.fetched.last().unwrap();
            prop_assert_eq!(*claim.unwrap(), range(*first, last + 1));
            let series = series.unwrap();
            prop_assert_eq!(series.range(), window);
            for (hour, value) in (from..).zip(&series.values) {
                let expected = reference.at(hour);
                prop_assert!(
                    value.to_bits() == expected.to_bits() || (value.is_nan() && expected.is_nan()),
                    "hour {}: {} instead of {}", hour, value, expected
                );
            }
        }
    }
}
