//! Every report in every format, from figures that are easily seen.

use std::sync::Arc;

use serde_json::Value;

use super::*;
use crate::report::{Format, write};
use crate::view::fixture;
use crate::whatif::levers::{GpuSavings, Simulator};
use crate::whatif::lists::ListReason;
use crate::whatif::optimum::WholeTerms;
use crate::whatif::{
    Answer, Buy, Comparison, CurvePicture, Family, FamilyAnswer, FamilyInputs, ListEntry, Lists,
    Offer, OfferAnswer, OfferKind, Scenario, Slot, SlotComparison, Stage, TornadoBar,
};

pub(super) fn demand() -> Demand {
    Demand {
        origin: DemandOrigin::Csv("d.csv".into()),
        start: jiff::Timestamp::UNIX_EPOCH,
        families: vec![Family { name: "p4d|24xlarge".into(), hours: vec![3.0; 336] }],
        notes: vec!["2 hours have no row".into()],
    }
}

pub(super) fn value() -> Valuation {
    Valuation { commit: 2.0, mean_usd: 1_000.0, mean_error_usd: 9.0, ..Valuation::default() }
}

pub(super) fn scenario() -> Scenario {
    Scenario {
        name: "Q3 *plan*".into(),
        families: vec![FamilyInputs {
            name: "p4d|24xlarge".into(),
            on_demand: Some(22.0),
            offers: vec![Offer {
                name: "3y".into(),
                kind: OfferKind::StandardRi,
                weeks: 156,
                payment: Payment::AllUpfront,
                rate: None,
            }],
            ..FamilyInputs::default()
        }],
        ..Scenario::default()
    }
}

pub(super) fn answer() -> Answer {
    Answer {
        stage: Stage::Whole,
        paths: 100,
        weeks: 52,
        total: value(),
        families: vec![None],
        lists: Lists::default(),
        advised: None,
        tornado: Vec::new(),
        calendar: Vec::new(),
    }
}

fn session(format: Format) -> String {
    let (demand, scenario, answer) = (demand(), scenario(), answer());
    let scenario = Arc::new(scenario);
    let plans = vec![
        SessionPlan { slot: Slot::A, scenario: scenario.clone(), answer: Some(Arc::new(answer)) },
        SessionPlan { slot: Slot::B, scenario, answer: None },
    ];
    let result = Comparison { mean_usd: -5.0, error_usd: 2.0, cheaper: 0.75 };
    let comparisons =
        vec![SlotComparison { base: Slot::A, other: Slot::B, generations: [1, 2], result }];
    let demand = Arc::new(demand);
    let report = SessionReport { demand, plans, active: Slot::A, comparisons };
    write(&report, format, &fixture::ctx())
}

#[test]
fn the_memo_says_inputs_seed_window_and_what_is_not_known() {
    let memo = session(Format::Md);
    for part in [
        "# Q3 \\*plan\\*",
        "100 futures of 52 weeks from 2 whole past weeks, seed 1",
        "# Q3 \\*plan\\* (A)\nWhich commitments to buy for p4d\\|24xlarge over 52 weeks?\n",
        "- Demand: d.csv, 1970-01-01 to 1970-01-15, 2 whole weeks. Made ",
        "| A Q3 \\*plan\\* | nothing | $1,000 | $0 | $0 | -$1,000 (–) |",
        "| B Q3 \\*plan\\* | nothing | – | – | – | – |",
        "B against A: costs $5 ± $2 less on average (two standard errors, future by future), and less in 75.0% of the \
         futures.",
        "Demand: 2 hours have no row.",
        "p4d\\|24xlarge: no rate of 3y; not compared.",
    ] {
        assert!(memo.contains(part), "{part}\n{memo}");
    }
}

/// Two plans for different demand are told apart by what each saves of its own, never by dollars.
#[test]
fn the_memo_compares_no_dollars_of_different_demand() {
    let family = |unit_hours: f64, on_demand_usd: f64| FamilyAnswer {
        value: Valuation { unit_hours, on_demand_usd, esr: Some(0.1), ..value() },
        curve: CurvePicture::default(),
        fan: Vec::new(),
        costs: Vec::new(),
        payback: None,
        offers: Vec::new(),
    };
    let plan = |slot: Slot, growth: f64, unit_hours: f64| {
        let mut scenario = scenario();
        scenario.families[0].growth = growth;
        let total = Valuation { esr: Some(0.1), ..value() };
        let families = vec![Some(family(unit_hours, unit_hours * 22.0))];
        let answer = Answer { total, families, ..answer() };
        SessionPlan { slot, scenario: Arc::new(scenario), answer: Some(Arc::new(answer)) }
    };
    let result = Comparison { mean_usd: -5.0, error_usd: 2.0, cheaper: 0.75 };
    let pair = SlotComparison { base: Slot::A, other: Slot::B, generations: [1, 2], result };
    let report = SessionReport {
        demand: Arc::new(demand()),
        plans: vec![plan(Slot::A, 0.3, 17_472.0), plan(Slot::B, 0.0, 8_736.0)],
        active: Slot::A,
        comparisons: vec![pair],
    };
    let memo = write(&report, Format::Md, &fixture::ctx());
    for part in [
        "- The demand differs, so costs are not compared: B has 8,736 fewer hours of p4d\\|24xlarge than A (-50%), 1 at a \
         time instead of 2.\n",
        "| Scenario | Buys | Growth a year | Mean cost | P5 | P95 | Saves |",
        // No dollars saved: those of more demand would look like more.
        "| A Q3 \\*plan\\* | nothing | 30.0% | $1,000 | $0 | $0 | 10.0% |",
        "| B Q3 \\*plan\\* | nothing | 0.0% | $1,000 | $0 | $0 | 10.0% |",
    ] {
        assert!(memo.contains(part), "{part}\n{memo}");
    }
    assert!(!memo.contains("future by future"), "{memo}");
    let json: Value = serde_json::from_str(&write(&report, Format::Json, &fixture::ctx())).unwrap();
    let found = &json["comparisons"][0];
    assert_eq!((&found["base"], &found["other"]), (&"A".into(), &"B".into()));
    for name in ["mean_usd", "error_usd", "cheaper"] {
        assert!(found[name].is_null(), "{name}: {found}");
    }
}

/// What levers save is the same work for fewer dollars: it is compared, and said why the demand differs.
#[test]
fn what_levers_save_is_compared_in_dollars() {
    let mut levered = scenario();
    levered.levers.gpu_savings = Some(GpuSavings::default());
    let plan = |slot: Slot, scenario: Scenario| SessionPlan {
        slot,
        scenario: Arc::new(scenario),
        answer: None,
    };
    let result = Comparison { mean_usd: -5.0, error_usd: 2.0, cheaper: 0.75 };
    let report = SessionReport {
        demand: Arc::new(demand()),
        plans: vec![
            SessionPlan { answer: Some(Arc::new(answer())), ..plan(Slot::A, scenario()) },
            plan(Slot::B, levered),
        ],
        active: Slot::A,
        comparisons: vec![SlotComparison {
            base: Slot::A,
            other: Slot::B,
            generations: [1, 2],
            result,
        }],
    };
    let memo = write(&report, Format::Md, &fixture::ctx());
    for part in
        ["B against A: costs $5 ± $2 less", "differs from that of A by levers or moves alone"]
    {
        assert!(memo.contains(part), "{part}\n{memo}");
    }
    let json: Value = serde_json::from_str(&write(&report, Format::Json, &fixture::ctx())).unwrap();
    assert_eq!(json["comparisons"][0]["mean_usd"], -5);
}

pub(super) fn entry(n: usize, saves_usd: f64, reason: &ListReason) -> ListEntry {
    ListEntry {
        family: format!("p{n}"),
        offer: "1y".into(),
        units: 1.0,
        week: 0,
        usd_per_hour: 2.0,
        upfront_usd: 0.0,
        monthly_usd: 1_460.0,
        saves_usd,
        safe_months: None,
        lock_in_months: 12.0,
        marks: [false; 3],
        reason: reason.clone(),
    }
}

/// What saves nothing is counted, and what nobody knows is not called nothing.
#[test]
fn the_memo_lists_what_saves_something_and_counts_the_rest() {
    let buy = (0..9).map(|n| entry(n, 900.0 - 100.0 * n as f64, &ListReason::Capacity)).collect();
    let dear = ListReason::Dear { rate: 3.0, on_demand: 2.0 };
    let reasons =
        [&dear, &dear, &ListReason::NoRate(OfferKind::InstancePlan), &ListReason::NotSold];
    let avoid = (0..40).map(|n| entry(n, 0.0, reasons[n % 4])).collect();
    let answer = Answer { lists: Lists { buy, plan: Vec::new(), avoid }, ..answer() };
    let scenario = Arc::new(scenario());
    let plans = vec![SessionPlan { slot: Slot::A, scenario, answer: Some(Arc::new(answer)) }];
    let demand = Arc::new(demand());
    let report = SessionReport { demand, plans, active: Slot::A, comparisons: Vec::new() };
    let memo = write(&report, Format::Md, &fixture::ctx());
    for part in [
        "| 1 | p0 1y | – | $2.00/h | none | $1,460 | $900 |",
        "| 1 | p5 1y | – | $2.00/h | none | $1,460 | $400 |",
        // 300 + 200 + 100.
        "Offers not listed: 3 more to buy, which together save $600, 20 that save nothing, 10 that cannot be \
         judged, as their rates or prices are not known, 10 that AWS does not sell.",
    ] {
        assert!(memo.contains(part), "{part}\n{memo}");
    }
    assert!(!memo.contains("p6 1y") && !memo.contains("| $1,460 | $0 |"), "{memo}");
}

/// The advice stands beside the scenario without purchases and with what all of it costs on demand.
#[test]
fn the_memo_says_what_its_advice_is_measured_by() {
    let total = Valuation { on_demand_usd: 1_000.0, esr: Some(0.0), ..value() };
    let advised = Valuation {
        mean_usd: 750.0,
        p5_usd: 700.0,
        p95_usd: 820.0,
        esr: Some(0.25),
        fixed_usd: 400.0,
        worst5_savings_usd: -30.0,
        prob_above_on_demand: 0.02,
        lock_in_months: 11.5,
        ..total.clone()
    };
    // The table has no room for the whole name, the sentence has.
    let offer = "1y standard, all upfront, of research alone".into();
    let buy = vec![ListEntry { offer, ..entry(1, 250.0, &ListReason::Capacity) }];
    let lists = Lists { buy, ..Lists::default() };
    let answer = Answer { lists, advised: Some(advised), total, ..answer() };
    let scenario = Arc::new(scenario());
    let plans = vec![SessionPlan { slot: Slot::A, scenario, answer: Some(Arc::new(answer)) }];
    let demand = Arc::new(demand());
    let report = SessionReport { demand, plans, active: Slot::A, comparisons: Vec::new() };
    let memo = write(&report, Format::Md, &fixture::ctx());
    for part in [
        "**Answer.** Recommended: buy 1 p1 1y standard, all upfront, of research alone now for $2.00/h (the scenario buys \
         nothing). All of the demand then costs $750 ± $9 on average, on demand alone $1,000: $250 less (25.0%). In nine \
         futures of ten it costs $700 to $820.",
        "**Because.** It buys capacity, not price: it costs the on-demand rate, used or not.",
        "| As it is: buys nothing | $1,000 ± $9 | $0 | $0 | $0 (0.0%) |",
        "| As recommended | $750 ± $9 | $700 | $820 | $250 (25.0%) | -$30.0 | 2.0% |",
        "used or not: $400 in all, for 11.5 months on average. In the worst 5% of the futures what is bought now loses \
         $30; on demand alone is cheaper in 2.0% of all.",
    ] {
        assert!(memo.contains(part), "{part}\n{memo}");
    }
    let json: Value = serde_json::from_str(&write(&report, Format::Json, &fixture::ctx())).unwrap();
    assert_eq!(json["rows"][0]["answer"]["advised"]["mean_usd"], 750);
}

/// Lines of a text that is wrapped at 100 columns, counted word by word.
fn lines_of_a_page(text: &str) -> usize {
    let of = |line: &str| {
        let mut lines = 1;
        let mut used = 0;
        for long in line.split(' ').map(|word| word.chars().count()) {
            if used > 0 && used + 1 + long > 100 {
                lines += 1;
                used = 0;
            }
            used += long + usize::from(used > 0);
        }
        lines
    };
    text.lines().map(of).sum()
}

/// A valuation whose figures take the room of a large fleet's.
fn large() -> Valuation {
    Valuation {
        mean_usd: 138_154_190.0,
        mean_error_usd: 1_154_587.0,
        p5_usd: 127_386_138.0,
        p95_usd: 152_318_734.0,
        on_demand_usd: 140_154_190.0,
        fixed_usd: 98_154_190.0,
        worst5_savings_usd: -12_318_734.0,
        esr: Some(0.0143),
        ..value()
    }
}

#[test]
fn a_memo_is_one_page_of_sixty_lines_however_much_there_is_to_say() {
    let name = |n: usize| format!("trn{n}.{}", "very-long-name-".repeat(1 + n % 6));
    let mut checked = 0;
    for families in [1, 3, 40] {
        for plans in 1..=3 {
            for (buys, notes) in [(0, 0), (1, 1), (4, 3), (90, 30)] {
                let family = |n: usize| {
                    let mut offers = vec![scenario().families[0].offers[0].clone(); 1 + n % 3];
                    offers.iter_mut().for_each(|offer| offer.name = name(n));
                    FamilyInputs {
                        name: name(n),
                        on_demand: (n % 4 != 3).then_some(1.0 + n as f64),
                        prices_from: format!("a list of {}", n % 7),
                        buys: vec![Buy { offer: name(n), units: (n % 2) as f64, week: 0 }],
                        offers,
                        ..FamilyInputs::default()
                    }
                };
                let scenario = Arc::new(Scenario {
                    name: "A name of a scenario that is as long as names can be ".repeat(1 + notes),
                    note: "Somebody wrote down why. ".repeat(notes),
                    families: (0..families).map(family).collect(),
                    ..Scenario::default()
                });
                let entries = |reason: &ListReason| -> Vec<ListEntry> {
                    (0..buys).map(|n| entry(n, 1e6 * n as f64, reason)).collect()
                };
                let bar = TornadoBar {
                    family: name(5),
                    input: "on-demand price".into(),
                    values: ["$1.00".into(), "$2.00".into()],
                    usd: [-1e6, 1e6],
                    best_units: [1.0, 2.0, 3.0],
                };
                let answer = Arc::new(Answer {
                    lists: Lists {
                        buy: entries(&ListReason::Capacity),
                        plan: entries(&ListReason::Capacity),
                        avoid: entries(&ListReason::NotSold),
                    },
                    advised: (buys > 0).then(large),
                    total: large(),
                    families: vec![None; families],
                    tornado: vec![bar; buys],
                    ..answer()
                });
                let plan = |slot: Slot| SessionPlan {
                    slot,
                    scenario: Arc::clone(&scenario),
                    answer: Some(Arc::clone(&answer)),
                };
                let result = Comparison { mean_usd: -5e6, error_usd: 2e6, cheaper: 0.75 };
                let pair =
                    SlotComparison { base: Slot::A, other: Slot::B, generations: [1, 2], result };
                let notes = (0..notes).map(|n| format!("of {n} there is more. ").repeat(1 + n));
                let report = SessionReport {
                    demand: Arc::new(Demand { notes: notes.collect(), ..demand() }),
                    plans: Slot::ALL.into_iter().take(plans).map(plan).collect(),
                    active: Slot::A,
                    comparisons: vec![pair; plans - 1],
                };
                let memo = write(&report, Format::Md, &fixture::ctx());
                let lines = lines_of_a_page(&memo);
                assert!(lines <= 60, "{families} families, {plans} plans, {buys}: {lines}\n{memo}");
                assert!(
                    memo.contains("**Answer.** ") && memo.contains("ten cost P5 to P95"),
                    "{memo}"
                );
                checked += 1;
            }
        }
    }
    assert_eq!(checked, 36);
}

/// Two numbers of units for one offer stand together, and totals say what they are of.
#[test]
fn the_memo_says_why_units_differ_and_what_its_totals_are_of() {
    let offer = OfferAnswer {
        name: "1y".into(),
        kind: OfferKind::StandardRi,
        weeks: 52,
        payment: Payment::NoUpfront,
        rate: Some(14.0),
        break_even: Some(0.63),
        best_units: Some(20.0),
        cautious_units: Some(14.0),
        bought: 0.0,
    };
    let family = FamilyAnswer {
        value: value(),
        curve: CurvePicture::default(),
        fan: Vec::new(),
        costs: Vec::new(),
        payback: None,
        offers: vec![offer],
    };
    let mut bought = entry(5, 900.0, &ListReason::Capacity);
    bought.units = 14.0;
    let lists = Lists { buy: vec![bought], ..Lists::default() };
    let families = vec![Some(family.clone()), Some(family)];
    let answer = Answer { families, lists, ..answer() };
    let more = FamilyInputs { name: "p5".into(), ..scenario().families[0].clone() };
    let families = vec![scenario().families[0].clone(), more];
    let scenario = Arc::new(Scenario { families, ..scenario() });
    let plans = vec![SessionPlan { slot: Slot::A, scenario, answer: Some(Arc::new(answer)) }];
    let demand = Arc::new(demand());
    let report = SessionReport { demand, plans, active: Slot::A, comparisons: Vec::new() };
    let memo = write(&report, Format::Md, &fixture::ctx());
    for part in [
        "| Units | Of | Lowest mean at |",
        "| 14 | p5 1y | 20 | $2.00/h |",
        "Units stop where caution (50%) does, by which the worst 5% of the futures count; lowest mean at: without it.",
        "Of all 2 families together.",
        "moved to Spot first needs no commitment",
    ] {
        assert!(memo.contains(part), "{part}\n{memo}");
    }
}

#[test]
fn a_session_is_json_with_its_scenarios_and_csv_with_a_row_each() {
    let [_, json, csv, _] = Format::ALL.map(session);
    let json: Value = serde_json::from_str(&json).unwrap();
    assert_eq!(json["schema"], "burntop/whatif-plan/1");
    assert_eq!(json["rows"][0]["answer"]["valuation"]["mean_usd"], 1_000);
    assert_eq!(json["rows"][0]["scenario"]["family"][0]["on_demand"], 22.0);
    assert!(json["rows"][1]["answer"].is_null());
    // The total and the family of the one that was valued.
    assert_eq!(csv.lines().count(), 3, "{csv}");
}

#[test]
fn a_reserve_report_says_the_same_in_every_format() {
    let demand = demand();
    let best = HindsightOptimum {
        commit: 3.0,
        cost_usd: 600.0,
        on_demand_usd: 1_000.0,
        esr: Some(0.4),
        coverage: Some(1.0),
        utilisation: None,
    };
    let families = [ReserveFamily {
        family: "p4d".into(),
        on_demand: Some(3.0),
        offer: Some(("ri".into(), 1.8)),
        optimum: Some(best),
        valuation: Some(value()),
        safe_months: Some(7.2),
        look_back: vec![(7, Some(3.0)), (30, None)],
    }];
    let report = ReserveReport {
        demand: &demand,
        families: &families,
        total: None,
        weeks: 52,
        payment: Payment::NoUpfront,
        paths: 100,
        seed: 1,
        assumed: Some([0.0; 3]),
        warnings: &["odd".to_owned()],
    };
    let [table, json, csv, md] =
        Format::ALL.map(|format| whatif_reserve(&report, format, &fixture::ctx()));
    let json: Value = serde_json::from_str(&json).unwrap();
    assert_eq!(json["optimum"]["esr"], 0.4);
    assert!(json["optimum"]["utilisation"].is_null());
    assert_eq!(json["valuation"]["safe_months"], 7.2);
    assert_eq!(json["valuation"]["break_even"], 0.6);
    assert_eq!(json["inputs"]["payment"], "no-upfront");
    assert!(csv.contains("\noptimum_esr,0.4\n"));
    assert!(table.contains("saves                  40.0%"));
    assert!(md.contains("| Best commitment | 3 |"));
    assert!(table.contains("\nodd\n"));
}

/// 26 weeks beside a term of three years: the period and that it is extrapolated stand in every
/// format, beside percentages of the same period.
#[test]
fn an_optimum_says_the_period_of_its_figures_and_where_its_rates_are_from() {
    let demand = demand();
    let write = |repeated: usize| {
        let drawn = WholeTerms { hours: vec![3.0; 26_280], repeated };
        let tier = |name: &str, rate, term_hours, source: Option<&str>| OptimumTier {
            name: name.into(),
            rate,
            term_hours,
            source: source.map(str::to_owned),
            units: 3.0,
            unit_hours: 78_840.0,
            cost_usd: rate * 78_840.0,
            periods: vec![3.0],
        };
        let tiers =
            [tier("3y", 0.4, Some(26_280), Some("list, 2026")), tier("od", 1.0, None, None)];
        let report = OptimumReport {
            demand: &demand,
            drawn: &drawn,
            tiers: &tiers,
            cost_usd: 31_536.0,
            on_demand_usd: 78_840.0,
            coverage: Some(1.0),
            utilisation: Some(1.0),
            warnings: &[],
        };
        Format::ALL.map(|format| whatif_optimum(&report, format, &fixture::ctx()))
    };
    let words = "demand of 26 weeks repeated to 3 years";
    let [table, json, csv, md] = write(26_280 - 4_368);
    for text in [&table, &json, &csv, &md] {
        assert!(text.contains(words) && text.contains("list, 2026"), "{text}");
    }
    let json: Value = serde_json::from_str(&json).unwrap();
    assert_eq!(json["period"]["hours"], 26_280);
    assert_eq!(json["period"]["repeated_hours"], 21_912);
    assert_eq!(json["period"]["extrapolated"], words);
    assert_eq!(json["esr"], 0.6);
    assert_eq!(json["tiers"][0]["term_hours"], 26_280);
    assert!(json["tiers"][1]["source"].is_null() && json["tiers"][1]["term_hours"].is_null());
    assert!(
        csv.contains(&format!("3y,3,78840,31536,0.4,26280,\"list, 2026\",26280,21912,{words}\n")),
        "{csv}"
    );
    // Where nothing is repeated, nobody says so.
    let [table, json, csv, md] = write(0);
    for text in [&table, &json, &csv, &md] {
        assert!(!text.contains("repeated to"), "{text}");
    }
    assert!(table.contains("3 years") && md.contains("| Period | 3 years |"), "{table}\n{md}");
}

#[test]
fn a_simulators_sheet_keeps_its_arithmetic() {
    let savings = GpuSavings {
        monthly_usd: Some(200_000.0),
        utilisation: Some(0.3),
        target: Some(0.7),
        ..GpuSavings::default()
    };
    let sheet = Simulator::sheet(&savings).unwrap();
    let text = whatif_sheet(&sheet, Format::Json, &fixture::ctx());
    let json: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(json["schema"], "burntop/whatif-gpu-savings/1");
    assert!(!json["lines"].as_array().unwrap().is_empty());
    let list = whatif_knobs(sheet.kind, &savings.knobs(), Format::Table, &fixture::ctx());
    assert!(list.contains("utilisation"), "{list}");
}
