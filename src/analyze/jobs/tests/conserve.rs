//! Nothing is made and nothing vanishes: rows add up to their total to the last digit.

use proptest::prelude::*;

use super::*;
use crate::domain::jobs::GpuTime;

fn any_attempt() -> impl Strategy<Value = Attempt> {
    let numbers = (0_u32..40, 0_i64..50_000, -10_i64..5_000, 0_usize..12, 0_u32..20);
    let more =
        (any::<bool>(), 0_usize..4, prop::option::of(0_i64..50_000), prop::option::of(0_u32..9));
    (numbers, more).prop_map(
        |((job, from, long, state, gpus), (is_priced, nodes, saved, parent))| {
            let state = JobState::ALL[state];
            let mut of = attempt(&job.to_string(), state, gpus, (from, from + long.max(0)));
            if !is_priced {
                of.instance_type = None;
            }
            if matches!(state, JobState::Running | JobState::Queued) {
                of.ended_at = None;
            }
            of.nodes = (0..nodes).map(|node| Arc::from(format!("n{node}"))).collect();
            of.saved_at = saved.and_then(at);
            of.submitted_at = at(from - 7);
            of.user = parent.map(|p| Arc::from(format!("u{p}")));
            of.parent = parent.map(|p| p.to_string().into());
            if job % 7 == 0 {
                of.parts_of = Some("het".into());
            }
            of
        },
    )
}

fn many() -> impl Strategy<Value = Vec<Attempt>> {
    prop::collection::vec(any_attempt(), 0..40)
}

proptest! {
    #[test]
    fn rows_add_up_to_the_total_by_every_key(all in many(), weight in 0_u32..=4) {
        let weight = (f64::from(weight) / 4.0).to_string().parse().unwrap();
        let rows = costed(&all, weight);
        for key in TaxKey::ALL {
            let found = tax(&rows, key);
            let mut sum = TaxSums::default();
            found.rows.iter().for_each(|row| sum += &row.sums);
            let amounts = |s: &TaxSums| {
                (s.gpu_time, s.usd, s.lost, s.lost_usd, s.cancelled, s.cancelled_usd, s.waited)
            };
            prop_assert_eq!(amounts(&sum), amounts(&found.total), "{:?}", key);
            if key != TaxKey::Node {
                prop_assert_eq!(sum.attempts, found.total.attempts);
            }
        }
    }

    #[test]
    fn sums_without_rows_are_those_of_the_rows(all in many()) {
        for key in TaxKey::ALL {
            prop_assert_eq!(taxed(all.clone(), &input(), key), tax(&cost(&all), key));
        }
    }

    #[test]
    fn what_came_to_nothing_is_never_more_than_what_was_held(all in many()) {
        for row in costed(&all, "1".parse().unwrap()) {
            if let (Some(lost), Some(held)) = (row.lost.gpu_time, row.held.gpu_time) {
                prop_assert!(lost <= held);
            }
            if let (Some(lost), Some(held)) = (row.lost.usd, row.held.usd) {
                prop_assert!(lost <= held && !lost.is_negative());
            }
        }
        let sums = tax(&cost(&all), TaxKey::State).total;
        prop_assert!(sums.goodput().is_none_or(|share| (0.0..=1.0).contains(&share)));
        prop_assert!(sums.ettr().is_none_or(|share| (0.0..=1.0).contains(&share)));
    }

    #[test]
    fn no_hour_counts_twice_and_none_is_made(all in many()) {
        let held = |of: &Attempt| match of.held_ms() {
            Some(ms) => of.gpus.map_or(GpuTime::ZERO, |gpus| gpus.held_for(ms)),
            None => GpuTime::ZERO,
        };
        let most: GpuTime = all.iter().map(held).sum();
        prop_assert!(total(&all).gpu_time <= most);
        // Without parents and doubts nothing is taken out.
        let mut plain = all;
        for (place, of) in plain.iter_mut().enumerate() {
            (of.parent, of.parts_of) = (None, None);
            of.job = format!("{place}").into();
        }
        prop_assert_eq!(total(&plain).gpu_time, most);
    }

    #[test]
    fn the_order_of_the_file_does_not_matter(all in many(), turn in 0_usize..40) {
        let mut turned = all.clone();
        turned.rotate_left(if all.is_empty() { 0 } else { turn % all.len() });
        let unique = |of: &Attempt| (of.job.clone(), of.submitted_at, of.started_at);
        let mut seen = std::collections::HashSet::new();
        prop_assume!(all.iter().all(|of| seen.insert(unique(of))));
        prop_assert_eq!(total(&all), total(&turned));
    }
}
