use std::sync::Arc;

use super::unit::unit_state;
use super::*;
use crate::analyze::bill::BillKey;
use crate::analyze::bill::fixture::{LineOf, bill_of, settings, usd};
use crate::domain::TagKeys;
use crate::domain::bill::{Bill, Charge, Month, PeriodState, Usd};

fn rules() -> Rules {
    Rules::new(&TagKeys::default(), &[])
}

fn budget(filter: &str, limit: i64, period: BudgetPeriod) -> Arc<Budget> {
    Arc::new(Budget {
        name: "b".into(),
        filter: MoneyFilter::parse(filter).unwrap(),
        limit: Usd::whole(limit),
        period,
        levels: vec![80.0, 95.0, 100.0],
    })
}

/// A month with these dollars per day of team nlp, and half of each of vision; open where `written`.
fn month(period: &str, days: &[f64], written: Option<&str>) -> Arc<Bill> {
    let amounts: Vec<(u8, String, String)> = (1..)
        .zip(days)
        .map(|(day, usd)| (day, format!("{usd:.6}"), format!("{:.6}", usd / 2.0)))
        .collect();
    let mut lines = Vec::new();
    for (day, nlp, vision) in &amounts {
        lines.push(LineOf { day: *day, usd: nlp, tags: &["nlp"], ..LineOf::default() });
        lines.push(LineOf { day: *day, usd: vision, tags: &["vision"], ..LineOf::default() });
    }
    let mut bill = Arc::unwrap_or_clone(bill_of(period, &["team"], &lines));
    if let Some(written) = written {
        bill.head.state = PeriodState::Open;
        bill.head.written_at = Some(written.parse().unwrap());
    }
    Arc::new(bill)
}

fn state_of(budget: &Arc<Budget>, bills: &[Arc<Bill>], period: &str, more: f64) -> BudgetState {
    let months = budget_months(bills, &settings(), &|_| None, true);
    budget_state(budget, &months, &rules(), period.parse().unwrap(), more)
}

#[test]
fn a_budget_says_what_is_spent_when_it_is_exceeded_and_how_sure_that_is() {
    let bills = [
        month("2026-09", &[100.0; 30], None),
        month("2026-10", &[100.0; 31], None),
        month("2026-11", &[100.0; 20], Some("2026-11-21T06:00:00Z")),
    ];
    let found = state_of(&budget("team=nlp", 2450, BudgetPeriod::Monthly), &bills, "2026-11", 0.0);
    assert_eq!((found.spent, found.level, found.is_over()), (usd("2000"), Some(80.0), false));
    assert_eq!(found.exceeds_on.unwrap().to_string(), "2026-11-25");
    assert_eq!(found.probability, Some(1.0));
    let end = found.forecast.unwrap();
    assert!((end.p50.to_f64() - 3000.0).abs() < 0.1 && end.p10 <= end.p50 && end.p50 <= end.p90);
    assert!((found.burn_per_day.unwrap() - 100.0).abs() < 1e-9);
    // Over already: the day on which it was.
    let over = state_of(&budget("team=nlp", 1850, BudgetPeriod::Monthly), &bills, "2026-11", 0.0);
    assert_eq!(
        (over.exceeds_on.unwrap().to_string().as_str(), over.level),
        ("2026-11-19", Some(100.0))
    );
    // Two more boxes bring the day nearer.
    let more = state_of(&budget("team=nlp", 2450, BudgetPeriod::Monthly), &bills, "2026-11", 100.0);
    assert_eq!(more.exceeds_on.unwrap().to_string(), "2026-11-22");
    // A closed month is not foreseen, a quarter goes on to December.
    let closed = state_of(&budget("team=nlp", 3100, BudgetPeriod::Monthly), &bills, "2026-10", 0.0);
    assert_eq!((closed.forecast, closed.is_over(), closed.is_open), (None, false, false));
    let quarter = state_of(&budget("", 20_000, BudgetPeriod::Quarterly), &bills, "2026-11", 0.0);
    assert_eq!((quarter.period.as_str(), quarter.spent), ("2026-Q4", usd("7650")));
    assert!((quarter.forecast.unwrap().p50.to_f64() - 150.0 * 92.0).abs() < 1.0);
    assert_eq!(quarter.missing_months, 0);
    let nothing = state_of(&budget("team=x", 1, BudgetPeriod::Monthly), &bills, "2026-11", 0.0);
    assert_eq!((nothing.takes_any, nothing.spent, nothing.level), (false, Usd::ZERO, None));
}

#[test]
fn a_budget_of_a_value_is_that_of_its_one_comparison() {
    let all = [
        budget("team=NLP", 10, BudgetPeriod::Monthly),
        budget("team=nlp and category=training", 7, BudgetPeriod::Monthly),
        budget("team=nlp", 90, BudgetPeriod::Quarterly),
    ];
    assert_eq!(budget_of(&all, &BillKey::Team, "nlp"), Some(Usd::whole(10)));
    assert_eq!(budget_of(&all, &BillKey::Project, "nlp"), None);
}

/// A month that is lived: what each day costs in the end, and how much of it the bill has `lag` days later.
struct Lived {
    days: Vec<f64>,
}

/// Share of a day's lines that a bill has so many days later.
const SEEN: [f64; 4] = [0.4, 0.93, 0.985, 0.995];

impl Lived {
    /// Four months of a level that wanders, weekdays, noise, now and then a jump.
    fn new(random: &mut fastrand::Rng, kind: usize) -> Self {
        let (drift, noise, jump) =
            [(0.01, 0.05, 0.0), (0.02, 0.1, 0.0), (0.02, 0.1, 0.02), (0.03, 0.15, 0.03)][kind % 4];
        let mut gauss = {
            let mut random = random.fork();
            move || (0..12).map(|_| random.f64()).sum::<f64>() - 6.0
        };
        let mut level: f64 = 1000.0;
        let days = (0..122)
            .map(|day| {
                level *= (drift * gauss()).exp();
                if random.f64() < jump {
                    level *= (0.25 * gauss()).exp();
                }
                let weekday = if day % 7 < 5 { 1.0 } else { 0.55 };
                level * weekday * (noise * gauss()).exp()
            })
            .collect();
        Self { days }
    }

    /// Days `from..to` as they are on the bill at the end of day `today`.
    fn seen(&self, from: usize, to: usize, today: usize) -> Vec<f64> {
        let share = |day: usize| SEEN.get(today - day).copied().unwrap_or(1.0);
        (from..to.min(today + 1)).map(|day| self.days[day] * share(day)).collect()
    }
}

#[test]
fn bands_hold_eight_of_ten_months_whose_lines_come_late() {
    let mut random = fastrand::Rng::with_seed(11);
    let (cases, mut within, mut above) = (400, 0, 0);
    for kind in 0..cases {
        let lived = Lived::new(&mut random, kind);
        // August to November 2026: the month begins at day 92.
        let (begin, end) = (92, 122);
        let today = begin + random.usize(6..27);
        let written = format!("2026-11-{:02}T23:00:00Z", today - begin + 1);
        let bills = [
            month("2026-08", &lived.seen(0, 31, today), None),
            month("2026-09", &lived.seen(31, 61, today), None),
            month("2026-10", &lived.seen(61, 92, today), None),
            month("2026-11", &lived.seen(begin, end, today), Some(&written)),
        ];
        let limit = budget("team=nlp", 25_000, BudgetPeriod::Monthly);
        let found = state_of(&limit, &bills, "2026-11", 0.0);
        // A plain count over the lines.
        let plain: Usd = bills[3]
            .cells
            .iter()
            .filter(|cell| bills[3].name(bills[3].tag(cell.key.owner, 0)) == "nlp")
            .map(|cell| cell.sums.effective)
            .sum();
        assert_eq!(found.spent, plain);
        let band = found.forecast.unwrap();
        let came: f64 = lived.days[begin..end].iter().sum();
        within += usize::from((band.p10.to_f64()..=band.p90.to_f64()).contains(&came));
        above += usize::from(came > band.p90.to_f64());
        if let Some(on) = found.exceeds_on {
            assert_eq!(Month::of(on).to_string(), "2026-11");
            assert!(band.p50 > limit.limit || found.is_over());
        }
    }
    let share = within as f64 / cases as f64;
    assert!((0.74..=0.86).contains(&share), "{share}, above {above}");
}

#[test]
fn charges_of_a_whole_month_are_foreseen_once() {
    let mut days = month("2026-10", &[100.0; 31], None);
    let tax = bill_of(
        "2026-10",
        &["team"],
        &[LineOf { day: 0, charge: Charge::Tax, usd: "310", ..LineOf::default() }],
    );
    let november = month("2026-11", &[100.0; 20], Some("2026-11-21T06:00:00Z"));
    Arc::make_mut(&mut days).head.export = "days".into();
    let found =
        state_of(&budget("", 9_999, BudgetPeriod::Monthly), &[days, tax, november], "2026-11", 0.0);
    let end = found.forecast.unwrap().p50.to_f64();
    assert!((end - (150.0 * 30.0 + 310.0)).abs() < 0.1, "{end}");
}

#[test]
fn a_unit_cost_is_of_days_with_a_count_and_its_change_is_spend_and_volume() {
    let bills = [
        month("2026-10", &[100.0; 31], None),
        month("2026-11", &[110.0; 20], Some("2026-11-21T06:00:00Z")),
    ];
    let months = budget_months(&bills, &settings(), &|_| None, false);
    let unit = Arc::new(Unit {
        name: "k".into(),
        filter: MoneyFilter::parse("team=nlp").unwrap(),
        per: 1000.0,
        target: Some(0.9),
    });
    let date = |text: &str| -> jiff::civil::Date { text.parse().unwrap() };
    let mut counts = Counts::new();
    for day in 1..=31 {
        counts.insert(date(&format!("2026-10-{day:02}")), 125_000.0);
    }
    for day in 1..=17 {
        counts.insert(date(&format!("2026-11-{day:02}")), 100_000.0);
    }
    let november = "2026-11".parse().unwrap();
    let found = unit_state(&unit, &counts, &months, &rules(), november);
    // 18 days are settled, one of them without a count.
    assert_eq!((found.now.days, found.uncounted_days, found.now.usd), (17, 1, usd("1870")));
    assert!((found.usd_per_unit().unwrap() - 1.1).abs() < 1e-12);
    assert!((found.before_per_unit().unwrap() - 0.8).abs() < 1e-12);
    let change = found.change().unwrap();
    assert!((change.spend + change.volume - 0.3).abs() < 1e-12, "{change:?}");
    assert!((change.spend - 10.0 * (1.0 / 125.0 + 1.0 / 100.0) / 2.0).abs() < 1e-12);
    assert_eq!(found.is_above_target(), Some(true));
    // Nothing was counted: not known, and not nothing.
    let none: Counts = counts.keys().map(|day| (*day, 0.0)).collect();
    let found = unit_state(&unit, &none, &months, &rules(), november);
    assert_eq!((found.usd_per_unit(), found.change(), found.is_above_target()), (None, None, None));
}
