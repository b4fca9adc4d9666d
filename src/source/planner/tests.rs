//! Properties of the planner: whatever is asked, no call breaks a limit, nothing is forgotten,
//! nothing is asked twice, closed hours stay closed.

use std::collections::HashSet;
use std::sync::Arc;

use proptest::prelude::*;

use super::*;
use crate::domain::Signal;

fn hours(from: i32, to: i32) -> HourRange {
    HourRange { from: Hour(from), to: Hour(to) }
}

fn query(n: u32, signal: Signal) -> MetricQuery {
    let id: Arc<str> = format!("i-{n}").into();
    signal_query(&id, signal, None).unwrap()
}

fn need(n: u32, wanted: HourRange, fetched: Option<HourRange>, priority: u8) -> Need {
    Need { query: query(n, Signal::CpuMean), wanted, fetched, priority }
}

#[test]
fn missing_is_the_tail_the_head_or_everything() {
    let week = hours(100, 268);
    for (fetched, expected) in [
        (None, vec![week]),
        (Some(hours(100, 268)), vec![]),
        (Some(hours(50, 300)), vec![]),
        (Some(hours(100, 267)), vec![hours(265, 268)]),
        (Some(hours(90, 200)), vec![hours(198, 268)]),
        (Some(hours(150, 268)), vec![hours(100, 150)]),
        (Some(hours(150, 200)), vec![hours(100, 150), hours(198, 268)]),
        // Fewer cached hours than the tail is long: never asked twice.
        (Some(hours(150, 151)), vec![hours(100, 150), hours(150, 268)]),
        // A cache from before the window, from the future, and an empty one are no help.
        (Some(hours(10, 100)), vec![week]),
        (Some(hours(268, 400)), vec![week]),
        (Some(hours(150, 150)), vec![week]),
    ] {
        assert_eq!(missing(week, fetched), expected, "{fetched:?}");
    }
    assert_eq!(missing(hours(5, 5), None), vec![]);
}

#[test]
fn calls_are_as_full_as_the_limits_allow() {
    let needs = |n: u32, range| (0..n).map(|i| need(i, range, None, 1)).collect::<Vec<_>>();
    // 14 days are 336 points: 300 series per call. 3 hours: 500 series.
    let fortnight = plan(&needs(1_000, hours(0, 336)));
    assert_eq!(fortnight.iter().map(|b| b.queries.len()).collect::<Vec<_>>(), [300, 300, 300, 100]);
    let tail = plan(&needs(1_000, hours(0, 3)));
    assert_eq!(tail.iter().map(|b| b.queries.len()).collect::<Vec<_>>(), [500, 500]);
}

#[test]
fn up_to_five_statistics_of_a_metric_are_billed_as_one() {
    let cpu = |n| [query(n, Signal::CpuMean), query(n, Signal::CpuMax)];
    assert_eq!(billed(&[]), 0);
    assert_eq!(billed(&cpu(1)), 1);
    assert_eq!(billed(&[cpu(1), cpu(2)].concat()), 2, "another instance is another metric");
    assert_eq!(billed(&[query(1, Signal::NetworkIn), query(1, Signal::NetworkOut)]), 2);
    let six: Vec<MetricQuery> = (0..6).map(|_| query(1, Signal::CpuMean)).collect();
    assert_eq!(billed(&six), 2, "a sixth is billed as another");
}

/// The figure of docs/figures.md: 10,000 instances, 1,000 of them with 8 GPUs each, judged daily. CPU of
/// all and utilisation of each GPU, mean and maximum; network and EBS of the 3,000 whose CPU rests.
#[test]
fn ten_thousand_instances_judged_daily_cost_nine_dollars_a_month() {
    use crate::source::ledger::{BilledApi, usd_of_micro};
    use crate::source::provider::GpuDimensions;

    let day = hours(0, 24);
    let need = |n: u32, signal: Signal| {
        let id: Arc<str> = format!("i-{n}").into();
        let dims = signal.gpu().map(|gpu| {
            GpuDimensions(vec![
                ("InstanceId".into(), id.clone()),
                ("index".into(), gpu.to_string().into()),
            ])
        });
        let query = signal_query(&id, signal, dims.as_ref()).unwrap();
        Need { query, wanted: day, fetched: None, priority: 1 }
    };
    let mut first = Vec::new();
    for n in 0..10_000 {
        first.extend([need(n, Signal::CpuMean), need(n, Signal::CpuMax)]);
        for gpu in (0..8).filter(|_| n < 1_000) {
            first.extend([need(n, Signal::GpuMax(gpu)), need(n, Signal::GpuMean(gpu))]);
        }
    }
    let network = [Signal::NetworkIn, Signal::NetworkOut];
    let ebs = [Signal::EbsReadOps, Signal::EbsWriteOps];
    let rest = |signals: [Signal; 2]| -> Vec<Need> {
        (0..3_000).flat_map(|n| signals.map(|signal| need(n, signal))).collect()
    };
    let rounds = [first, rest(network), rest(ebs)];
    let metrics: u64 = rounds.iter().flat_map(|r| plan(r)).map(|b| b.billed()).sum();
    assert_eq!(metrics, 10_000 + 8_000 + 4 * 3_000);
    let a_month = usd_of_micro(BilledApi::GetMetricData.cost_micro_usd(metrics)) * 730.0 / 24.0;
    assert!((a_month - 9.125).abs() < 1e-9, "$0.30 a day: {a_month}");
    // The maximum of CPU of 3,000 and the mean of each GPU in requests of their own are 11,000 metrics more.
    let apart =
        usd_of_micro(BilledApi::GetMetricData.cost_micro_usd(metrics + 11_000)) * 730.0 / 24.0;
    assert!((apart - 12.47).abs() < 0.005, "{apart}");
}

#[test]
fn statistics_of_a_metric_travel_together() {
    let both = |n: u32| {
        [Signal::CpuMean, Signal::CpuMax].map(|signal| Need {
            query: query(n, signal),
            wanted: hours(0, 337),
            fetched: None,
            priority: 1,
        })
    };
    // All means before all maxima, and 299 series fit into a call: without care one metric is cut apart.
    let mut needs: Vec<Need> = (0..1_000).flat_map(both).collect();
    needs.sort_by_key(|n| n.query.signal);
    let batches = plan(&needs);
    assert_eq!(batches.iter().map(|b| b.queries.len()).sum::<usize>(), 2_000);
    assert_eq!(batches.iter().map(Batch::billed).sum::<u64>(), 1_000);
    assert!(batches.iter().all(|b| b.queries.len() <= 299 && b.queries.len() % 2 == 0));
}

#[test]
fn the_viewport_is_served_first_and_newest_hours_before_old_ones() {
    let batches = plan(&[
        need(1, hours(0, 100), None, 5),
        need(2, hours(0, 200), Some(hours(0, 190)), 5),
        need(3, hours(0, 100), None, 0),
    ]);
    let order: Vec<&str> = batches.iter().map(|b| &*b.queries[0].instance).collect();
    assert_eq!(order, ["i-3", "i-2", "i-1"]);
}

#[test]
fn two_wishes_for_one_series_become_one_question() {
    let batches = plan(&[need(1, hours(0, 100), None, 5), need(1, hours(50, 150), None, 0)]);
    assert_eq!(batches.len(), 1);
    assert_eq!((batches[0].priority, batches[0].range), (0, hours(0, 150)));
}

/// Ranges from very short to longer than CloudWatch keeps anything.
fn any_range() -> impl Strategy<Value = HourRange> {
    let length = prop_oneof![0..5i32, 100..400i32, 9_000..12_000i32, 100_000..250_000i32];
    (0..500i32, length).prop_map(|(from, len)| hours(from, from + len))
}

fn any_need() -> impl Strategy<Value = Need> {
    let signal = prop_oneof![
        Just(Signal::CpuMean),
        Just(Signal::CpuMax),
        Just(Signal::NetworkIn),
        Just(Signal::EbsReadOps),
    ];
    (0..40u32, signal, any_range(), prop::option::of(any_range()), 0..3u8).prop_map(
        |(n, signal, wanted, fetched, priority)| Need {
            query: query(n, signal),
            wanted,
            fetched,
            priority,
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn no_call_breaks_a_limit_and_urgent_calls_come_first(
        needs in prop::collection::vec(any_need(), 0..120)
    ) {
        let batches = plan(&needs);
        for batch in &batches {
            prop_assert!(!batch.queries.is_empty() && !batch.range.is_empty());
            prop_assert!(batch.queries.len() <= MAX_QUERIES);
            prop_assert!(batch.queries.len() * batch.range.len() <= MAX_POINTS);
        }
        prop_assert!(batches.is_sorted_by_key(|b| b.priority));
    }

    /// By the price page's words alone: each metric of a call once for every five statistics begun.
    #[test]
    fn no_metric_is_paid_for_twice_where_its_statistics_are_asked_of_the_same_hours(
        needs in prop::collection::vec(any_need(), 0..120)
    ) {
        for batch in plan(&needs) {
            let mut metrics: Vec<(String, String)> = batch
                .queries
                .iter()
                .map(|q| (q.instance.to_string(), format!("{:?}", q.key)))
                .collect();
            metrics.sort();
            let paid: usize =
                metrics.chunk_by(|a, b| a == b).map(|same| same.len().div_ceil(5)).sum();
            prop_assert_eq!(batch.billed(), paid as u64);
        }
        let mut paid: HashSet<(String, String, i32, i32)> = HashSet::new();
        let batches = plan(&needs);
        for batch in &batches {
            let per_call = (MAX_POINTS / batch.range.len()).clamp(1, MAX_QUERIES);
            let mut here: Vec<_> = batch
                .queries
                .iter()
                .map(|q| {
                    let of = (q.instance.to_string(), format!("{:?}", q.key));
                    (of.0, of.1, batch.range.from.0, batch.range.to.0)
                })
                .collect();
            here.dedup();
            for metric in here {
                prop_assert!(paid.insert(metric) || per_call < 2, "cut apart");
            }
        }
    }

    #[test]
    fn the_calls_are_exactly_the_missing_hours_and_none_twice(
        needs in prop::collection::vec(any_need(), 0..40)
    ) {
        // Sampled hours keep the brute force small: range ends and their neighbours.
        let mut probes: HashSet<i32> = HashSet::new();
        for r in needs.iter().flat_map(|n| [Some(n.wanted), n.fetched]).flatten() {
            for edge in [r.from.0, r.to.0] {
                probes.extend(edge - 3..edge + 3);
            }
        }
        let batches = plan(&needs);
        for need in &needs {
            let asked = |h: i32| {
                batches
                    .iter()
                    .filter(|b| b.range.from.0 <= h && h < b.range.to.0)
                    .flat_map(|b| &b.queries)
                    .filter(|q| **q == need.query)
                    .count()
            };
            let wanted = |h: i32| {
                needs.iter().filter(|n| n.query == need.query).any(|n| {
                    missing(n.wanted, n.fetched).iter().any(|r| r.from.0 <= h && h < r.to.0)
                })
            };
            for &h in &probes {
                prop_assert_eq!(asked(h), usize::from(wanted(h)), "hour {}", h);
            }
        }
    }

    #[test]
    fn closed_cached_hours_are_never_asked_again_beyond_the_tail(
        wanted in any_range(), fetched in any_range()
    ) {
        let asked = missing(wanted, Some(fetched));
        let inside = |r: HourRange, h: i32| r.from.0 <= h && h < r.to.0;
        for edge in [wanted.from.0, wanted.to.0, fetched.from.0, fetched.to.0] {
            for h in edge - 4..edge + 4 {
                let again = asked.iter().filter(|r| inside(**r, h)).count();
                let cached = inside(fetched, h) && h < fetched.to.0 - REFETCH_HOURS;
                let new = inside(wanted, h) && !inside(fetched, h);
                prop_assert!(again <= 1);
                prop_assert!(again == 0 || (inside(wanted, h) && !cached), "hour {}", h);
                prop_assert!(again == 1 || !new, "hour {} forgotten", h);
            }
        }
    }
}
