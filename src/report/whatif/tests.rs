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
    Answer, Comparison, CurvePicture, Family, FamilyAnswer, FamilyInputs, ListEntry, Lists, Offer,
    OfferAnswer, OfferKind, Scenario, Slot, SlotComparison, Stage,
};

fn demand() -> Demand {
    Demand {
        origin: DemandOrigin::Csv("d.csv".into()),
        start: jiff::Timestamp::UNIX_EPOCH,
        families: vec![Family { name: "p4d|24xlarge".into(), hours: vec![3.0; 336] }],
        notes: vec!["2 hours have no row".into()],
    }
}

fn value() -> Valuation {
    Valuation { commit: 2.0, mean_usd: 1_000.0, mean_error_usd: 9.0, ..Valuation::default() }
}

fn scenario() -> Scenario {
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

fn answer() -> Answer {
    Answer {
        stage: Stage::Whole,
        paths: 100,
        weeks: 52,
        total: value(),
        families: vec![None],
        lists: Lists::default(),
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
        "d.csv: 336 h from 1970-01-01T00:00:00Z to 1970-01-15T00:00:00Z",
        "$1,000 ± $9",
        "B against A: -$5 ± $2 (2 s.e., paired); cheaper in 75.0% of the futures.",
        "Demand: 2 hours have no row.",
        "p4d\\|24xlarge: no rate of 3y; not compared.",
    ] {
        assert!(memo.contains(part), "{part}\n{memo}");
    }
}

/// What saves nothing is counted, and what nobody knows is not called nothing.
#[test]
fn the_memo_lists_what_saves_something_and_counts_the_rest() {
    let entry = |n: usize, saves_usd, reason: &ListReason| ListEntry {
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
    };
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
        "saves $900 on average",
        "saves $400 on average",
        // 300 + 200 + 100.
        "Not listed: 3 that save $600 together.",
        "Not listed: 20 that save nothing, 10 that cannot be judged, their rate or price not being \
         known, 10 that AWS does not sell.",
    ] {
        assert!(memo.contains(part), "{part}\n{memo}");
    }
    assert!(!memo.contains("saves $300 on average") && !memo.contains("saves $0"), "{memo}");
    assert!(memo.lines().count() <= 60, "{memo}");
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
    let answer = Answer { families: vec![Some(family.clone()), Some(family)], ..answer() };
    let more = FamilyInputs { name: "p5".into(), ..scenario().families[0].clone() };
    let families = vec![scenario().families[0].clone(), more];
    let scenario = Arc::new(Scenario { families, ..scenario() });
    let plans = vec![SessionPlan { slot: Slot::A, scenario, answer: Some(Arc::new(answer)) }];
    let demand = Arc::new(demand());
    let report = SessionReport { demand, plans, active: Slot::A, comparisons: Vec::new() };
    let memo = write(&report, Format::Md, &fixture::ctx());
    for part in [
        "p5 1y: lowest mean at 20 units; 14 with caution 50%",
        "0 to buy now",
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
