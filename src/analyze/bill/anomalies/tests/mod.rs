//! What is found, and what is not.

mod invented;

use std::sync::Arc;

use proptest::prelude::*;

use self::invented::{Rhythm, Series, Span, bills_of, invented, judge, places, z_scores};
use super::super::test_lines::{TestLine, bills};
use super::*;
use crate::domain::bill::Charge;
use crate::domain::bill::PeriodState::{Closed, Open};

const DAYS: usize = 92;

/// Days of the first month, in which nobody can tell what repeats each month: nothing is planted or judged there.
const LEARNT: usize = 31;

fn found(all: &[Series], state: crate::domain::bill::PeriodState) -> Vec<Anomaly> {
    anomalies(&bills_of(all, state), &AnomalySettings::default())
}

fn usd(amount: f64) -> Usd {
    Usd::from_f64(amount).unwrap()
}

fn date(text: &str) -> Date {
    text.parse().unwrap()
}

#[test]
fn a_spike_says_since_when_how_much_and_which_resources() {
    let even = Series::new("BoxUsage:p5.48xlarge", vec![100.0; DAYS]);
    let mut more = Series::new("BoxUsage:p5.48xlarge", vec![0.0; DAYS]);
    more.usd[70..73].fill(400.0);
    let lines = even.lines("i-old").chain(more.lines("i-new"));
    let found = anomalies(&bills(lines, Closed), &AnomalySettings::default());
    let [spike] = &found[..] else { panic!("{found:#?}") };
    assert_eq!(spike.kind, AnomalyKind::Spike);
    assert_eq!((spike.since, spike.until), (date("2026-10-10"), Some(date("2026-10-12"))));
    assert_eq!((spike.expected, spike.actual), (usd(300.0), usd(1_500.0)));
    assert_eq!(spike.difference(), usd(1_200.0));
    assert_eq!(spike.key.usage_type.as_deref(), Some("BoxUsage:p5.48xlarge"));
    assert_eq!(spike.resources, [("i-new".into(), usd(1_200.0))]);
    assert!(spike.score > 5.0);
}

#[test]
fn a_drop_goes_on_and_the_last_days_of_an_open_month_are_not_judged() {
    let mut series = Series::new("BoxUsage:g5.xlarge", vec![100.0; DAYS]);
    series.usd[80..].fill(0.0);
    let other = Series::new("BoxUsage:p5.48xlarge", vec![500.0; DAYS]);
    let dropped = found(&[series, other.clone()], Open);
    let [drop] = &dropped[..] else { panic!("{dropped:#?}") };
    assert_eq!((drop.kind, drop.since, drop.until), (AnomalyKind::Drop, date("2026-10-20"), None));
    assert_eq!((drop.expected, drop.actual), (usd(1_000.0), usd(0.0)));
    let mut late = Series::new("BoxUsage:g5.xlarge", vec![100.0; DAYS]);
    late.usd[90..].fill(0.0);
    assert_eq!(found(&[late.clone(), other.clone()], Open), []);
    assert_eq!(found(&[late, other], Closed).len(), 1);
}

#[test]
fn weeks_that_rise_one_after_another_are_a_drift() {
    let mut series = Series::new("TimedStorage-ByteHrs", vec![200.0; DAYS]);
    for day in 50..DAYS {
        series.usd[day] = 200.0 * 1.015_f64.powi(day as i32 - 50);
    }
    let drifts = found(&[series], Closed);
    let [drift] = &drifts[..] else { panic!("{drifts:#?}") };
    assert_eq!((drift.kind, drift.until), (AnomalyKind::Drift, None));
    assert!(drift.since >= date("2026-09-15") && drift.since <= date("2026-09-30"), "{drift:?}");
    assert!(drift.difference() > usd(1_000.0));
}

#[test]
fn what_repeats_each_month_and_what_has_no_day_is_usual() {
    let mut fee = Series::new("Monthly", vec![20.0; DAYS]);
    let mut batch = Series::new("Batch", vec![30.0; DAYS]);
    for begin in [0, 31, 61] {
        fee.usd[begin] = 900.0;
        batch.usd[begin + 11] = 700.0;
    }
    let tax = TestLine {
        month: "2026-10",
        day: 0,
        charge: Charge::Tax,
        effective: 9e4,
        ..TestLine::default()
    };
    let lines = fee.lines("").chain(batch.lines("")).chain([tax]);
    // The first of the batches is news: no month before has one.
    let found = anomalies(&bills(lines, Closed), &AnomalySettings::default());
    assert_eq!(found.iter().map(|a| a.since).collect::<Vec<_>>(), [date("2026-08-12")]);
}

#[test]
fn one_event_is_one_finding_at_the_most_specific_key_that_explains_it() {
    let even = |account: &str, service: &str, usage_type: &str, usd: f64| Series {
        account: account.into(),
        service: service.into(),
        ..Series::new(usage_type, vec![usd; DAYS])
    };
    let kinds = [
        ("EC2", "BoxUsage:p5.48xlarge"),
        ("EC2", "EBS:VolumeUsage.gp3"),
        ("VPC", "NatGateway-Bytes"),
        ("S3", "Requests-Tier1"),
    ];
    let all: Vec<Series> =
        ["1", "2"].iter().flat_map(|a| kinds.map(|(s, u)| even(a, s, u, 100.0))).collect();
    // One usage type that takes others along.
    let mut one = all.clone();
    for (series, more) in one.iter_mut().zip([5_000.0, 60.0, 50.0, 40.0]) {
        series.usd[60..64].iter_mut().for_each(|usd| *usd += more);
    }
    let spikes = found(&one, Closed);
    let [spike] = &spikes[..] else { panic!("{spikes:#?}") };
    assert_eq!(spike.key.usage_type.as_deref(), Some("BoxUsage:p5.48xlarge"));
    assert_eq!(spike.key.account.as_deref(), Some("1"));
    // A whole account that is silent.
    let mut silent = all.clone();
    silent[4..].iter_mut().for_each(|series| series.usd[70..80].fill(0.0));
    let drops = found(&silent, Closed);
    let [drop] = &drops[..] else { panic!("{drops:#?}") };
    assert_eq!((drop.key.account.as_deref(), drop.key.service.as_deref()), (Some("2"), None));
    assert_eq!((drop.expected, drop.actual), (usd(4_000.0), usd(0.0)));
    // Many small ones of a service.
    let many: Vec<Series> = (0..40).map(|i| even("3", "Lambda", &format!("fn-{i}"), 2.0)).collect();
    let mut more = many.clone();
    more.iter_mut().for_each(|series| series.usd[50] = 6.0);
    let spikes = found(&more, Closed);
    let [spike] = &spikes[..] else { panic!("{spikes:#?}") };
    assert_eq!(
        (spike.key.service.as_deref(), spike.key.usage_type.as_deref()),
        (Some("Lambda"), None)
    );
    // Two usage types on days of their own are two.
    let mut two = all;
    two[0].usd[60..63].iter_mut().for_each(|usd| *usd += 500.0);
    two[1].usd[63..66].iter_mut().for_each(|usd| *usd += 400.0);
    assert_eq!(found(&two, Closed).len(), 2);
}

#[test]
fn a_tag_tells_series_apart_where_it_is_asked_for() {
    let of = |team| Series { team, ..Series::new("BoxUsage:p5.48xlarge", vec![100.0; DAYS]) };
    let mut all = [of("vision"), of("speech")];
    all[1].usd[60..62].fill(900.0);
    let settings = AnomalySettings { tag: Some("Team".into()), ..AnomalySettings::default() };
    let bills = bills_of(&all, Closed);
    let told = |settings| anomalies(&bills, settings).first().map(|a| a.key.tag.clone());
    assert_eq!(told(&settings), Some(Some("speech".into())));
    assert_eq!(told(&AnomalySettings::default()), Some(None));
}

#[test]
fn a_month_without_an_account_and_too_few_days_tell_nothing() {
    let mut gone = Series { account: "2".into(), ..Series::new("x", vec![500.0; DAYS]) };
    gone.usd[61..].fill(0.0);
    let all = [Series::new("x", vec![100.0; DAYS]), gone];
    assert_eq!(found(&all, Closed), []);
    let line =
        |day| TestLine { day, effective: if day == 9 { 9e3 } else { 1.0 }, ..TestLine::default() };
    assert_eq!(anomalies(&bills((1..=10).map(line), Open), &AnomalySettings::default()), []);
    assert_eq!(anomalies(&[], &AnomalySettings::default()), []);
}

/// Series of all rhythms with anomalies planted in them.
fn planted(seed: u64) -> (Vec<Series>, Vec<Span>) {
    let mut rng = fastrand::Rng::with_seed(seed);
    let rhythms = [
        Rhythm::Even,
        Rhythm::Week,
        Rhythm::Uneven,
        Rhythm::Month,
        Rhythm::Batch,
        Rhythm::Growing,
        Rhythm::Jobs,
        Rhythm::Week,
    ];
    let mut all: Vec<Series> = (0..80)
        .map(|i| Series {
            account: format!("{}", i / 8),
            service: format!("service {}", i % 3),
            ..Series::new(&format!("type {i}"), invented(rhythms[i % 8], DAYS, &mut rng))
        })
        .collect();
    let mut spans = Vec::new();
    for series in 0..all.len() {
        if matches!(rhythms[series % 8], Rhythm::Jobs | Rhythm::Uneven) || rng.f64() < 0.4 {
            continue;
        }
        let first = rng.usize(LEARNT + 3..DAYS - 12);
        let (length, is_spike) = (rng.usize(1..7), rng.f64() < 0.6);
        let length = if is_spike { length } else { length + 1 };
        let level = all[series].usd.iter().sum::<f64>() / DAYS as f64;
        let by = level * (1.0 + 3.0 * rng.f64());
        for usd in &mut all[series].usd[first..first + length] {
            *usd = if is_spike { *usd + by } else { *usd * 0.05 * rng.f64() };
        }
        spans.push(Span { series, first, last: first + length - 1 });
    }
    (all, spans)
}

#[test]
fn planted_anomalies_are_found_more_surely_than_by_a_z_score() {
    let places = places();
    let (mut ours, mut theirs) = ([0.0; 2], [0.0; 2]);
    let seeds = 12;
    for seed in 0..seeds {
        let (all, planted) = planted(seed);
        let found: Vec<Span> = found(&all, Closed)
            .iter()
            .map(|a| {
                let series =
                    all.iter().position(|s| Some(&*s.usage_type) == a.key.usage_type.as_deref());
                Span {
                    series: series.unwrap_or(usize::MAX),
                    first: places[&a.since],
                    last: a.until.map_or(DAYS, |until| places[&until]),
                }
            })
            .collect();
        let judge = |mut found: Vec<Span>| {
            found.retain(|span| span.first >= LEARNT);
            judge(&found, &planted)
        };
        let z_scores = z_scores(&all, 10.0);
        for (sum, (precision, recall)) in
            [(&mut ours, judge(found)), (&mut theirs, judge(z_scores))]
        {
            sum[0] += precision / seeds as f64;
            sum[1] += recall / seeds as f64;
        }
    }
    println!("precision and recall: ours {ours:.3?}, z-score {theirs:.3?}");
    assert!(ours[0] > theirs[0] && ours[1] > theirs[1]);
    assert!(ours[0] > 0.9 && ours[1] > 0.9, "{ours:?}");
}

#[test]
fn series_without_anomalies_have_next_to_none() {
    let rhythms = [Rhythm::Even, Rhythm::Week, Rhythm::Month, Rhythm::Growing];
    let mut rng = fastrand::Rng::with_seed(7);
    let all: Vec<Series> = (0..400)
        .map(|i| Series {
            account: format!("{i}"),
            ..Series::new("x", invented(rhythms[i % 4], DAYS, &mut rng))
        })
        .collect();
    let found = found(&all, Closed);
    println!("{} of 400 series of three months", found.len());
    assert!(found.len() <= 4, "{found:#?}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(16))]

    #[test]
    fn a_constant_series_has_none(
        level in 0.01..1e6_f64,
        weekend in 0.0..2.0_f64,
        is_open in any::<bool>(),
    ) {
        let usd = (0..DAYS).map(|day| if day % 7 < 2 { level * weekend } else { level }).collect();
        prop_assert_eq!(found(&[Series::new("x", usd)], if is_open { Open } else { Closed }), []);
    }

    /// What is told of the dollars is what the bill has on these days, and the findings of a series do not overlap.
    #[test]
    fn actual_is_what_the_bill_has(seed in 0..1_000_u64) {
        let (all, _) = planted(seed);
        let places = places();
        for anomaly in found(&all, Closed) {
            let last = anomaly.until.map_or(DAYS - 1, |until| places[&until]);
            let of = |s: &&Series| {
                let is = |own: &str, said: &Option<Arc<str>>| said.as_deref().is_none_or(|v| v == own);
                is(&s.account, &anomaly.key.account)
                    && is(&s.service, &anomaly.key.service)
                    && is(&s.usage_type, &anomaly.key.usage_type)
            };
            let days = all.iter().filter(of).flat_map(|s| &s.usd[places[&anomaly.since]..=last]);
            let want: Usd = days.map(|d| usd((d * 1e6).round() / 1e6)).sum();
            prop_assert_eq!(anomaly.actual, want, "{:?}", anomaly);
        }
    }
}
