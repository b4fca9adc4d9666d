//! The burn over time against sums made another way, and what changed since.

use std::collections::BTreeMap;

use proptest::prelude::*;

use super::*;
use crate::domain::{
    BurnDay, BurnStep, Instance, PriceBasis, Provenance, Rate, Reading, Scope, SinceWhat,
    VerdictKind, sample,
};
use crate::fleet::Row;

const START: i64 = 1_790_000_000_000;

fn at(ms: i64) -> Timestamp {
    Timestamp::from_millisecond(START + ms).unwrap()
}

fn row(id: &str, account: &str, usd: Option<f64>, kind: Option<VerdictKind>) -> Arc<Row> {
    let instance = Instance {
        id: id.into(),
        scope: Scope::new(account, "us-east-1"),
        name: format!("name of {id}").into(),
        ..sample::instance()
    };
    let provenance = Provenance::Configured;
    let rate = |usd_per_hour| Rate { usd_per_hour, basis: PriceBasis::OnDemandList, provenance };
    Arc::new(Row {
        rate: usd.map(rate),
        verdict: kind.map(|kind| Arc::new(sample::verdict(kind))),
        team: id.len().is_multiple_of(2).then(|| "even".into()),
        ..Row::new(instance)
    })
}

fn reading(account: &str, live: bool) -> Reading {
    Reading {
        source: SourceId::Ec2,
        scope: Scope::new(account, "us-east-1"),
        taken_at: None,
        coverage: 1.0,
        state: if live { SourceState::Live } else { SourceState::Cached },
    }
}

fn fleet(version: u64, rows: Vec<Arc<Row>>, readings: Vec<Reading>) -> Fleet {
    Fleet { version, rows, readings, ..Fleet::default() }
}

/// A picture: milliseconds since the last one, prices of two accounts, whether each answers.
type Shot = (i64, [f64; 2], [bool; 2]);

const ACCOUNTS: [&str; 2] = ["111111111111", "222222222222"];

fn picture(version: u64, (_, usd, live): &Shot) -> Fleet {
    let rows = ACCOUNTS
        .iter()
        .zip(usd)
        .map(|(account, usd)| row(account, account, Some(*usd), Some(VerdictKind::Idle)));
    let readings = ACCOUNTS.iter().zip(live).map(|(account, live)| reading(account, *live));
    fleet(version, rows.collect(), readings.collect())
}

fn days_of(steps: &[BurnStep]) -> BTreeMap<(i32, Arc<str>), BurnDay> {
    let mut days = BTreeMap::new();
    for step in steps {
        for day in BurnDay::days(step) {
            days.entry((day, step.account.clone()))
                .or_insert_with(|| BurnDay::new(day, step.account.clone()))
                .add(step);
        }
    }
    days
}

fn shots() -> impl Strategy<Value = Vec<Shot>> {
    let wait = prop_oneof![6 => 1..600_000_i64, 1 => 600_001..20_000_000_i64];
    let usd = [0.0..100.0_f64, 0.0..100.0_f64];
    let live = [prop::bool::weighted(0.8), prop::bool::weighted(0.8)];
    prop::collection::vec((wait, usd, live), 1..200)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    /// Over all days: the rates that were published times the time for which they were seen to hold, and no more.
    #[test]
    fn days_sum_up_to_the_integral_of_what_was_published(shots in shots()) {
        let mut meter = Meter::default();
        let mut steps = Vec::new();
        let (mut now, mut usd, mut seen) = (0, [0.0; 2], [0_i64; 2]);
        for (i, shot) in shots.iter().enumerate() {
            now += shot.0;
            meter.see(&picture(i as u64, shot), at(now));
            if let Some(last) = i.checked_sub(1).map(|i| shots[i]).filter(|_| shot.0 <= 600_000) {
                for k in 0..2 {
                    // Both ends must have been seen.
                    if last.2[k] && shot.2[k] {
                        usd[k] += last.1[k] * shot.0 as f64 / 3_600_000.0;
                        seen[k] += shot.0;
                    }
                }
            }
            if i % 7 == 0 {
                steps.extend(meter.take());
            }
        }
        steps.extend(meter.take());
        let days = days_of(&steps);
        for (k, account) in ACCOUNTS.iter().enumerate() {
            let own = || days.values().filter(|day| &*day.account == *account);
            let sum: f64 = own().map(|day| day.all().usd).sum();
            prop_assert!((sum - usd[k]).abs() <= 1e-9 * usd[k].max(1.0), "{sum} {}", usd[k]);
            prop_assert_eq!(own().map(|day| day.seen.for_ms).sum::<i64>(), seen[k]);
            // All of it idles.
            let waste: f64 = own().map(|day| day.all().waste_usd).sum();
            prop_assert!((waste - sum).abs() <= 1e-9 * sum.max(1.0));
            prop_assert!(own().all(|day| day.seen.for_ms <= 86_400_000));
        }
    }

    /// However steps overlap, no moment counts twice.
    #[test]
    fn a_moment_counts_once(spans in prop::collection::vec((0..10_000_000_i64, 1..5_000_000_i64), 1..30)) {
        let rates = Arc::new(vec![(None, crate::domain::Burnt { usd: 2.0, ..Default::default() })]);
        let mut spans = spans;
        spans.sort_unstable();
        let step = |(from, length): &(i64, i64)| BurnStep {
            account: "1".into(),
            from_ms: START + from,
            to_ms: START + from + length,
            rates: Arc::clone(&rates),
        };
        let steps: Vec<BurnStep> = spans.iter().map(step).collect();
        // Seconds would be too many to look at one by one: the ends of all spans cut the time.
        let mut cuts: Vec<i64> = steps.iter().flat_map(|s| [s.from_ms, s.to_ms]).collect();
        cuts.sort_unstable();
        let inside = |a: i64| steps.iter().any(|s| s.from_ms <= a && a < s.to_ms);
        let seen: i64 = cuts.windows(2).filter(|w| inside(w[0])).map(|w| w[1] - w[0]).sum();
        let mut days = BTreeMap::new();
        for step in &steps {
            for day in BurnDay::days(step) {
                let of = days.entry(day).or_insert_with(|| BurnDay::new(day, "1".into()));
                of.add(step);
            }
        }
        let for_ms: i64 = days.values().map(|day| day.seen.for_ms).sum();
        prop_assert_eq!(for_ms, seen);
        let usd: f64 = days.values().map(|day| day.all().usd).sum();
        prop_assert!((usd - 2.0 * seen as f64 / 3_600_000.0).abs() < 1e-9 * usd.max(1.0));
    }
}

#[test]
fn a_day_that_an_account_missed_has_no_mean() {
    let day = |day, account: &str, hours: i64, usd: f64| {
        let mut of = BurnDay::new(day, account.into());
        let rates = Arc::new(vec![(
            None,
            crate::domain::Burnt { usd, instances: 1.0, ..Default::default() },
        )]);
        let from_ms = i64::from(day) * 86_400_000;
        of.add(&BurnStep {
            account: account.into(),
            from_ms,
            to_ms: from_ms + hours * 3_600_000,
            rates,
        });
        of
    };
    let days = [day(20_000, "a", 24, 3.0), day(20_001, "a", 12, 5.0), day(20_000, "b", 6, 7.0)];
    let of = BurnOfDay::of(&days, 2);
    assert_eq!(of.len(), 2);
    // Each account by its own time: $3/h and $7/h.
    assert_eq!((of[0].usd_per_hour, of[0].seen_hours), (Some(10.0), 6.0));
    assert_eq!(of[0].burnt.usd, 24.0 * 3.0 + 6.0 * 7.0);
    assert_eq!((of[1].usd_per_hour, of[1].seen_hours), (None, 0.0));
    assert_eq!(of[0].date().unwrap().to_string(), "2024-10-04");
}

#[test]
fn what_came_went_and_woke_up_is_told_with_what_it_burns() {
    use VerdictKind::{Busy, Idle};
    let account = ACCOUNTS[0];
    let live = || vec![reading(account, true)];
    let then = fleet(
        1,
        vec![
            row("i-stays", account, Some(1.0), Some(Busy)),
            row("i-wakes", account, Some(2.0), Some(Idle)),
            row("i-goes", account, Some(4.0), Some(Idle)),
            row("i-falls", account, Some(8.0), Some(Busy)),
        ],
        live(),
    );
    let now = fleet(
        2,
        vec![
            row("i-stays", account, Some(1.0), Some(Busy)),
            row("i-wakes", account, Some(2.0), Some(Busy)),
            row("i-falls", account, Some(8.0), Some(Idle)),
            row("i-new", account, Some(16.0), None),
            row("i-newer", account, None, None),
        ],
        live(),
    );
    let hour = 3_600_000;
    let mut first = Marks::default();
    assert_eq!(first.since(&then, at(0)), [], "of nothing nothing is told");
    first.note(Mark::of(&then, at(0)));
    let bytes = postcard::to_stdvec(&first).unwrap();
    let mut second: Marks = decode(&bytes).unwrap();
    let told = second.since(&now, at(2 * hour));
    let [since] = &told[..] else { panic!("{told:?}") };
    assert_eq!((since.what, since.at), (SinceWhat::LastRun, at(0)));
    assert_eq!(since.burn, [Some(15.0), Some(27.0)]);
    assert_eq!(since.waste, [Some(6.0), Some(8.0)]);
    let of = |moved: &crate::domain::Moved| (moved.instances, moved.usd_per_hour, moved.unpriced);
    assert_eq!(of(&since.new), (2, 16.0, 1));
    assert_eq!(of(&since.gone), (1, 4.0, 0));
    assert_eq!(of(&since.woke), (1, 2.0, 0));
    assert_eq!(of(&since.idled), (1, 8.0, 0));
    assert_eq!(&*since.woke.names[0], "name of i-wakes");

    // The last run stays what it was while this one goes on, and a day later there is a yesterday.
    second.note(Mark::of(&now, at(2 * hour)));
    let told = second.since(&now, at(26 * hour));
    let what: Vec<_> = told.iter().map(|since| (since.what, since.at)).collect();
    assert_eq!(what, [(SinceWhat::Yesterday, at(0)), (SinceWhat::LastRun, at(0))]);
    second.note(Mark::of(&now, at(26 * hour)));
    let told = second.since(&now, at(50 * hour));
    assert_eq!((told[0].what, told[0].at), (SinceWhat::Yesterday, at(26 * hour)));
    // Nobody looked for a week: that is no yesterday.
    let told = second.since(&now, at(26 * hour + 7 * 24 * hour));
    assert!(told.iter().all(|since| since.what == SinceWhat::LastRun), "{told:?}");
}
