//! How old bytes may be, by how many there were on each day.

use jiff::civil::Date;

/// Bytes of a daily series that are at least so many days old on its newest day.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct OldBytes {
    /// At most so many. Certain: what was there then and is there now was there on each day between, so that the least
    /// of the sizes since bounds it. Sizes that are missing make it larger, never smaller.
    pub(super) at_most: f64,
    /// So many if no byte was replaced between two sizes, and all that went was old: the size then less each decrease
    /// since. An estimate: what was deleted and written anew between two sizes is not seen. `None` where the series
    /// begins later.
    pub(super) if_kept: Option<f64>,
}

/// Bytes of at least `age_days` days; `points` ascend by day. `None` without points.
pub(super) fn old_bytes(points: &[(Date, f64)], age_days: i32) -> Option<OldBytes> {
    let newest = points.last()?.0;
    let age = |day: Date| day.until(newest).map_or(0, |span| span.get_days());
    let since = points.partition_point(|(day, _)| age(*day) > age_days);
    let sizes = points.get(since..)?.iter().map(|(_, bytes)| bytes.max(0.0));
    let at_most = sizes.fold(f64::INFINITY, f64::min);
    // The last size that is old enough: of the day itself, or before a gap.
    let base = points.partition_point(|(day, _)| age(*day) >= age_days).checked_sub(1);
    let if_kept = base.and_then(|base| {
        let (_, then) = points.get(base)?;
        let went = points.get(base..)?.windows(2).map(|pair| match pair {
            [(_, before), (_, after)] => (before - after).max(0.0),
            _ => 0.0,
        });
        Some((then - went.sum::<f64>()).max(0.0))
    });
    at_most.is_finite().then_some(OldBytes { at_most, if_kept })
}

#[cfg(test)]
mod tests {
    use jiff::ToSpan;
    use jiff::civil::date;
    use proptest::prelude::*;

    use super::*;

    fn points(sizes: &[f64]) -> Vec<(Date, f64)> {
        let day = |i: usize| date(2026, 1, 1).checked_add((i as i64).days()).unwrap();
        sizes.iter().enumerate().map(|(i, bytes)| (day(i), *bytes)).collect()
    }

    #[test]
    fn what_dipped_since_then_cannot_all_be_old() {
        // Days 0 to 5; at least 3 days old is what was there on day 2.
        let found = old_bytes(&points(&[10.0, 50.0, 40.0, 15.0, 60.0, 55.0]), 3).unwrap();
        assert_eq!(found.at_most, 15.0);
        // 40 then, 25 went and 5 more went.
        assert_eq!(found.if_kept, Some(10.0));
    }

    #[test]
    fn a_series_that_begins_later_says_at_most_and_no_more() {
        let found = old_bytes(&points(&[7.0, 9.0, 12.0]), 90).unwrap();
        assert_eq!(found, OldBytes { at_most: 7.0, if_kept: None });
        assert_eq!(old_bytes(&[], 90), None);
    }

    #[test]
    fn a_gap_at_the_day_itself_is_bridged_from_before_it() {
        let mut sizes = points(&[30.0, 5.0, 20.0, 18.0, 25.0]);
        sizes.remove(1);
        // At least 3 days old is what was there on day 1, which is missing: 20, 18 and 25 are known since; from the 30 of
        // day 0 went 10 and 2.
        let found = old_bytes(&sizes, 3).unwrap();
        assert_eq!((found.at_most, found.if_kept), (18.0, Some(18.0)));
    }

    /// What happens to a bucket between two sizes: bytes of a new object, and which of those that are there go, by
    /// number.
    #[derive(Clone, Debug)]
    enum Event {
        Put(u32),
        Delete(usize),
    }

    fn event() -> impl Strategy<Value = Event> {
        prop_oneof![(0u32..1_000_000).prop_map(Event::Put), any::<usize>().prop_map(Event::Delete)]
    }

    /// Plays the days: the daily sizes, and of the objects that are left the day of writing and the bytes.
    fn play(days: &[Vec<Event>]) -> (Vec<f64>, Vec<(usize, u32)>) {
        let mut objects: Vec<(usize, u32)> = Vec::new();
        let mut sizes: Vec<f64> = Vec::new();
        for (day, events) in days.iter().enumerate() {
            for event in events {
                match event {
                    Event::Put(bytes) => objects.push((day, *bytes)),
                    Event::Delete(_) if objects.is_empty() => {}
                    Event::Delete(which) => {
                        objects.swap_remove(which % objects.len());
                    }
                }
            }
            sizes.push(objects.iter().map(|o| f64::from(o.1)).sum());
        }
        (sizes, objects)
    }

    proptest! {
        /// Whatever is written and deleted, no more bytes are old than the bound says, so that at least the rest is young.
        #[test]
        fn the_certain_bound_holds_for_every_history(
            days in proptest::collection::vec(proptest::collection::vec(event(), 0..6), 1..40),
            age in 0usize..45,
            missing in proptest::collection::vec(any::<bool>(), 40),
        ) {
            let (sizes, objects) = play(&days);
            let last = days.len() - 1;
            let all = points(&sizes);
            let kept: Vec<_> = all
                .iter()
                .enumerate()
                .filter(|(i, _)| *i == last || !missing[*i])
                .map(|(_, p)| *p)
                .collect();
            let old: f64 =
                objects.iter().filter(|o| o.0 + age <= last).map(|o| f64::from(o.1)).sum();
            let young: f64 =
                objects.iter().filter(|o| o.0 + age > last).map(|o| f64::from(o.1)).sum();
            let found = old_bytes(&kept, age as i32).unwrap();
            prop_assert!(old <= found.at_most, "{} of {:?}", old, found);
            prop_assert!(sizes[last] - found.at_most <= young);
        }

        /// Where each day either writes or deletes, the estimate is no more than what is old, and no more than the bound.
        #[test]
        fn the_estimate_is_below_the_truth_where_nothing_is_replaced_between_two_sizes(
            days in proptest::collection::vec(
                prop_oneof![
                    proptest::collection::vec((0u32..1_000_000).prop_map(Event::Put), 0..6),
                    proptest::collection::vec(any::<usize>().prop_map(Event::Delete), 0..6),
                ],
                1..40,
            ),
            age in 0usize..45,
        ) {
            let (sizes, objects) = play(&days);
            let last = days.len() - 1;
            let old: f64 =
                objects.iter().filter(|o| o.0 + age <= last).map(|o| f64::from(o.1)).sum();
            let found = old_bytes(&points(&sizes), age as i32).unwrap();
            if let Some(kept) = found.if_kept {
                prop_assert!(kept <= old, "{} of {}", kept, old);
                prop_assert!(kept <= found.at_most);
            }
        }
    }
}
