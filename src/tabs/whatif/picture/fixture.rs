//! A demand, a scenario and answers for tests: made by hand, no chance in them.

use std::f64::consts::TAU;
use std::sync::Arc;

use crate::whatif::lists::ListReason;
use crate::whatif::{
    Answer, Buy, CalendarEntry, Comparison, ComputePlan, CostPoint, CurvePicture, Demand,
    DemandOrigin, Family, FamilyAnswer, FamilyInputs, FanWeek, Future, Held, ListEntry, Lists,
    Offer, OfferAnswer, OfferKind, Payback, Payment, PlanRate, PriceCut, Scenario, Slot,
    SlotComparison, Spot, Stage, Step, StepKind, TornadoBar, Valuation,
};

/// Name, mean units, on-demand price, rates of one and three years.
type Known = (&'static str, f64, Option<f64>, [Option<f64>; 2]);

const FAMILIES: [Known; 3] = [
    ("p4d.24xlarge", 62.0, Some(21.957_642), [Some(13.921_094), Some(9.38)]),
    ("g5.48xlarge", 18.0, Some(16.288), [Some(10.261_44), None]),
    ("p5.48xlarge", 9.0, None, [None, None]),
];

/// Twelve weeks of so many families: days, weekends, and a gap in the second one.
pub fn demand_of(families: usize) -> Demand {
    let family = |number: usize| {
        let (name, mean, _, _) = FAMILIES[number % FAMILIES.len()];
        let hours = (0..12 * 168).map(|hour| {
            let day = (f64::from(hour % 24) / 24.0 * TAU).sin();
            let weekend = if hour % 168 >= 120 { 0.6 } else { 1.0 };
            (mean * weekend * (1.0 + 0.3 * day)).round()
        });
        let mut hours: Vec<f64> = hours.collect();
        if number == 1 {
            hours[400] = f64::NAN;
        }
        Family { name: name_of(name, number), hours }
    };
    Demand {
        origin: DemandOrigin::Csv("plans/fleet.csv".into()),
        start: "2025-10-06T00:00:00Z".parse().unwrap(),
        families: (0..families).map(family).collect(),
        notes: vec!["one hour of g5.48xlarge is missing".into()],
    }
}

fn name_of(name: &str, number: usize) -> String {
    if number < FAMILIES.len() { name.to_owned() } else { format!("{name}-{number}") }
}

fn offers(rates: [Option<f64>; 2]) -> Vec<Offer> {
    let offer = |name: &str, weeks, rate| Offer {
        name: name.into(),
        kind: OfferKind::StandardRi,
        weeks,
        payment: Payment::NoUpfront,
        rate,
    };
    vec![offer("1y no-upfront", 52, rates[0]), offer("3y no-upfront", 156, rates[1])]
}

/// What a plan for it begins with.
pub fn start() -> Scenario {
    start_of(3)
}

/// The same with so many families.
pub fn start_of(families: usize) -> Scenario {
    let family = |number: usize| {
        let (name, _, on_demand, rates) = FAMILIES[number % FAMILIES.len()];
        FamilyInputs {
            name: name_of(name, number),
            on_demand,
            prices_from: if on_demand.is_some() {
                "list, 2026-07-20".into()
            } else {
                String::new()
            },
            growth: 0.3,
            drift: 0.01,
            shock: 0.05,
            offers: offers(rates),
            ..FamilyInputs::default()
        }
    };
    Scenario {
        future: Future { seed: 7, ..Future::default() },
        families: (0..families).map(family).collect(),
        ..Scenario::default()
    }
}

/// A scenario that says something of everything.
pub fn full() -> Scenario {
    let mut scenario = Scenario { name: "base".into(), note: "ask Mia".into(), ..start() };
    let family = &mut scenario.families[0];
    family.buys = vec![
        Buy { offer: "1y no-upfront".into(), units: 46.0, week: 0 },
        Buy { offer: "3y no-upfront".into(), units: 8.0, week: 13 },
    ];
    family.held = vec![Held { name: "1y RI".into(), units: 10.0, rate: 14.2, weeks_left: 20 }];
    family.spot = Some(Spot {
        share: 0.3,
        price: 8.2,
        availability: 0.9,
        interruptions_per_hour: 0.004,
        checkpoint_hours: 0.05,
        interval_hours: None,
        restart_hours: 0.2,
    });
    family.price_cut = Some(PriceCut { week: 26, share: 0.15 });
    family.steps = vec![
        Step { week: 8, kind: StepKind::Launch { units: 6.0 } },
        Step {
            week: 30,
            kind: StepKind::Move { share: 0.5, to: "p5.48xlarge".into(), ratio: 0.4 },
        },
    ];
    scenario.compute_plans = vec![ComputePlan {
        name: "Compute SP 1".into(),
        usd_per_hour: 120.0,
        weeks: 52,
        week: 0,
        payment: Payment::NoUpfront,
        rates: vec![PlanRate { family: "g5.48xlarge".into(), rate: 11.4 }],
        held: false,
    }];
    scenario
}

/// What the scenario comes to, as far as a stage goes.
pub fn answer(scenario: &Scenario, stage: Stage) -> Answer {
    let scenario = &*scenario.counted_alone();
    let demand = demand_of(scenario.families.len());
    let families: Vec<Option<FamilyAnswer>> = scenario
        .families
        .iter()
        .zip(&demand.families)
        .map(|(inputs, family)| of_family(inputs, family, stage))
        .collect();
    let mut total = Valuation::default();
    for value in families.iter().flatten().map(|f| &f.value) {
        total.commit += value.commit;
        total.fixed_usd += value.fixed_usd;
        total.mean_usd += value.mean_usd;
        total.mean_error_usd += value.mean_error_usd;
        total.p5_usd += value.p5_usd;
        total.p50_usd += value.p50_usd;
        total.p95_usd += value.p95_usd;
        total.on_demand_usd += value.on_demand_usd;
        total.worst5_savings_usd += value.worst5_savings_usd;
        total.npv_usd += value.npv_usd;
    }
    total.prob_above_on_demand = 0.031;
    total.esr = (total.on_demand_usd > 0.0).then(|| 1.0 - total.mean_usd / total.on_demand_usd);
    total.coverage = Some(0.783);
    total.utilisation = Some(0.914);
    total.regret_usd = (stage == Stage::Whole).then_some(41_300.0);
    total.lock_in_months = 9.4;
    let is_whole = stage == Stage::Whole;
    let mut lists = if is_whole { lists() } else { Lists::default() };
    for entries in [&mut lists.buy, &mut lists.plan, &mut lists.avoid] {
        entries.retain(|entry| scenario.counts(&entry.family));
    }
    Answer {
        stage,
        paths: if stage == Stage::Quick { 2_000 } else { scenario.future.paths },
        weeks: scenario.future.weeks,
        total,
        families,
        lists,
        advised: None,
        tornado: if is_whole { tornado() } else { Vec::new() },
        calendar: calendar(),
    }
}

fn of_family(inputs: &FamilyInputs, family: &Family, stage: Stage) -> Option<FamilyAnswer> {
    let price = inputs.on_demand?;
    let mut sorted: Vec<f64> = family.known().collect();
    sorted.sort_by(|a, b| b.total_cmp(a));
    let count = 101;
    let units: Vec<f64> =
        (0..count).map(|i| sorted[(i * (sorted.len() - 1)) / (count - 1)]).collect();
    let bought: f64 = inputs.buys.iter().filter(|b| b.week == 0).map(|b| b.units).sum();
    let committed = bought + inputs.held.iter().map(|h| h.units).sum::<f64>();
    let hours = 52.0 * 168.0;
    let rate = inputs.offers.iter().filter_map(|o| o.rate).fold(f64::INFINITY, f64::min);
    let mean = family.mean().unwrap_or_default();
    let on_demand_usd = mean * price * hours;
    // Of the history itself: what is above the commitment runs on demand.
    let above = |c: f64| {
        let over: f64 = family.known().map(|u| (u - c).max(0.0)).sum();
        over / family.known_hours() as f64
    };
    let cost = |c: f64| (c * rate.min(price) + above(c) * price) * hours;
    let at = cost(committed);
    let value = Valuation {
        commit: committed,
        fixed_usd: committed * rate.min(price) * hours,
        mean_usd: at,
        mean_error_usd: at * 0.002,
        p5_usd: at * 0.88,
        p50_usd: at * 0.99,
        p95_usd: at * 1.16,
        on_demand_usd,
        unit_hours: mean * hours,
        worst5_savings_usd: (on_demand_usd - at) * 0.6 - 40_000.0,
        prob_above_on_demand: 0.031,
        esr: Some(1.0 - at / on_demand_usd),
        coverage: Some(1.0 - above(committed) / mean),
        utilisation: (committed > 0.0).then(|| (mean - above(committed)) / committed),
        regret_usd: (stage == Stage::Whole).then_some(21_000.0),
        lock_in_months: 9.4,
        npv_usd: at * 0.963,
    };
    let best = |rate: f64| {
        let part = 1.0 - rate / price;
        sorted[((sorted.len() - 1) as f64 * (1.0 - part)) as usize]
    };
    let offers: Vec<OfferAnswer> = inputs
        .offers
        .iter()
        .map(|offer| OfferAnswer {
            name: offer.name.clone(),
            kind: offer.kind,
            weeks: offer.weeks,
            payment: offer.payment,
            rate: offer.rate,
            break_even: offer.rate.map(|r| r / price),
            best_units: offer.rate.map(best),
            cautious_units: offer.rate.filter(|_| stage == Stage::Whole).map(|r| best(r) - 4.0),
            bought: inputs.buys.iter().filter(|b| b.offer == offer.name).map(|b| b.units).sum(),
        })
        .collect();
    let known = inputs.offers.iter().enumerate().filter_map(|(i, o)| Some((i, best(o.rate?))));
    let curve = CurvePicture {
        low: units.iter().map(|u| u * 0.8).collect(),
        high: units.iter().map(|u| u * 1.3).collect(),
        committed,
        optima: known.collect(),
        units,
    };
    let week = |week: usize| {
        let grown = mean * 1.3f64.powf(week as f64 / 52.0);
        let wide = 0.05 + week as f64 * 0.008;
        let committed =
            committed + if week >= 13 { 8.0 } else { 0.0 } - if week >= 20 { 10.0 } else { 0.0 };
        FanWeek {
            p5: grown * (1.0 - wide),
            p50: grown,
            p95: grown * (1.0 + wide * 1.3),
            committed: committed.max(0.0),
        }
    };
    let most = sorted.first().copied().unwrap_or_default();
    let point = |i: u8| {
        let commit = most * 1.2 * f64::from(i) / 24.0;
        let usd = cost(commit);
        CostPoint {
            commit,
            mean_usd: usd,
            p5_usd: usd * 0.88,
            p95_usd: usd * 1.16,
            worst5_savings_usd: (on_demand_usd - usd) * 0.6 - 40_000.0,
        }
    };
    let month = |rate: f64, use_: f64| {
        (0..=12u8).map(move |m| f64::from(m) * 728.0 * rate * use_).collect()
    };
    Some(FamilyAnswer {
        value,
        curve,
        fan: (0..52).map(week).collect(),
        costs: if rate.is_finite() { (0..=24).map(point).collect() } else { Vec::new() },
        payback: rate.is_finite().then(|| Payback {
            committed_usd: month(rate, 1.0),
            on_demand_usd: month(price, 0.83),
            utilisation: 0.83,
            safe_months: Some(12.0 * rate / price / 0.83),
            break_even_months: None,
            price_cut: inputs.price_cut.map(|c| (f64::from(c.week) / 52.0 * 12.0, c.share)),
        }),
        offers,
    })
}

fn entry(family: &str, offer: &str, units: f64, week: u16, reason: &'static str) -> ListEntry {
    ListEntry {
        family: family.into(),
        offer: offer.into(),
        units,
        week,
        usd_per_hour: units * 13.92,
        upfront_usd: 0.0,
        monthly_usd: units * 13.92 * 730.0,
        saves_usd: units * 31_200.0,
        safe_months: Some(8.8),
        lock_in_months: 11.2,
        marks: [true, false, true],
        reason: ListReason::Fixture(reason),
    }
}

fn lists() -> Lists {
    Lists {
        buy: vec![entry(
            "p4d.24xlarge",
            "1y no-upfront",
            46.0,
            0,
            "Each of these units is used for more than 63.4% of the next four weeks and of the whole term.",
        )],
        plan: vec![entry(
            "p4d.24xlarge",
            "3y no-upfront",
            8.0,
            13,
            "Demand grows into them; the first of them pays from week 13 on.",
        )],
        avoid: vec![
            entry(
                "g5.48xlarge",
                "1y no-upfront",
                18.0,
                0,
                "Used for 58% of the hours, and 63.0% are needed.",
            ),
            ListEntry {
                safe_months: None,
                ..entry("p5.48xlarge", "1y no-upfront", 9.0, 0, "Its rate is not known.")
            },
        ],
    }
}

fn tornado() -> Vec<TornadoBar> {
    let bar = |family: &str, input: &str, values: [&str; 2], usd, best_units| TornadoBar {
        family: family.into(),
        input: input.into(),
        values: values.map(str::to_owned),
        usd,
        best_units,
    };
    vec![
        bar(
            "p4d.24xlarge",
            "growth a year",
            ["10%", "50%"],
            [-812_000.0, 904_000.0],
            [57.0, 52.0, 63.0],
        ),
        bar(
            "p4d.24xlarge",
            "on-demand price",
            ["$18.66", "$25.25"],
            [-410_000.0, 410_000.0],
            [57.0, 49.0, 60.0],
        ),
        bar("g5.48xlarge", "shock", ["0%", "10%"], [-1_900.0, 12_300.0], [14.0, 14.0, 14.0]),
        bar("", "cost of capital", ["4%", "12%"], [0.0, 0.0], [57.0, 57.0, 57.0]),
    ]
}

fn calendar() -> Vec<CalendarEntry> {
    let entry = |week, family: &str, name: &str, units, coverage| CalendarEntry {
        week,
        family: family.into(),
        name: name.into(),
        units,
        coverage,
        lock_in_months: 11.2,
    };
    vec![
        entry(0, "p4d.24xlarge", "1y no-upfront", 46.0, Some(0.81)),
        entry(0, "", "Compute SP 1", 120.0, None),
        entry(13, "p4d.24xlarge", "3y no-upfront", 8.0, Some(0.86)),
        entry(20, "p4d.24xlarge", "1y RI", -10.0, Some(0.74)),
    ]
}

/// How B compares with A.
pub fn comparison(generations: [u64; 2]) -> SlotComparison {
    let result = Comparison { mean_usd: -48_200.0, error_usd: 3_900.0, cheaper: 0.83 };
    SlotComparison { base: Slot::A, other: Slot::B, generations, result }
}

/// An answer behind its pointer.
pub fn shared(scenario: &Scenario, stage: Stage) -> Arc<Answer> {
    Arc::new(answer(scenario, stage))
}
