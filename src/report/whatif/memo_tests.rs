//! The memo of a session: what each scenario buys, what is proposed, what is left out.

use std::sync::Arc;

use super::tests::{answer, demand, entry, scenario, value};
use super::{SessionPlan, SessionReport};
use crate::report::{Format, write};
use crate::view::fixture;
use crate::whatif::lists::ListReason;
use crate::whatif::{Answer, Buy, Demand, ListEntry, Lists, Scenario, Slot, TornadoBar, Valuation};

/// A scenario that buys so many of the offer `3y` of its one family, and what was answered to it.
fn buying(slot: Slot, name: &str, units: f64, answer: Answer) -> SessionPlan {
    let mut scenario = Scenario { name: name.into(), ..scenario() };
    scenario.families[0].buys = vec![Buy { offer: "3y".into(), units, week: 0 }];
    SessionPlan { slot, scenario: Arc::new(scenario), answer: Some(Arc::new(answer)) }
}

/// What the lists advise now, of the offer `3y` of the one family.
fn advice(units: f64) -> Lists {
    let family = scenario().families[0].name.clone();
    let entry = entry(0, 250.0, &ListReason::Capacity);
    let now = ListEntry { family, offer: "3y".into(), units, ..entry };
    let later = ListEntry { units: 6.0, week: 4, saves_usd: 40.0, ..now.clone() };
    let last = ListEntry { units: 2.0, week: 8, saves_usd: 2.0, ..now.clone() };
    Lists { buy: vec![now], plan: vec![last, later], avoid: Vec::new() }
}

/// Each scenario of a session says what it buys, under its name; what is recommended stands beside it where it is something
/// else.
#[test]
fn the_memo_says_what_each_scenario_of_the_session_buys() {
    let advised = Valuation { mean_usd: 700.0, on_demand_usd: 1_000.0, ..value() };
    let total = Valuation { mean_usd: 800.0, on_demand_usd: 1_000.0, esr: Some(0.2), ..value() };
    let whole = Answer { total, lists: advice(18.0), advised: Some(advised), ..answer() };
    let memo = |units: f64| {
        let plans = vec![
            buying(Slot::A, "", 14.0, whole.clone()),
            buying(Slot::B, "more", units, whole.clone()),
        ];
        let demand = Arc::new(demand());
        let report = SessionReport { demand, plans, active: Slot::B, comparisons: Vec::new() };
        write(&report, Format::Md, &fixture::ctx())
    };
    let followed = memo(18.0);
    for part in [
        "# more (B)\n",
        "**Answer.** Recommended: buy 18 p4d\\|24xlarge 3y now for $2.00/h, as the scenario does.",
        "| Scenario | Buys | Mean cost | P5 | P95 | Saves |",
        "| A | 14 3y | $800 | $0 | $0 | $200 (20.0%) |",
        "| B more | 18 3y | $800 | $0 | $0 | $200 (20.0%) |",
    ] {
        assert!(followed.contains(part), "{part}\n{followed}");
    }
    assert!(!followed.contains("as recommended"), "{followed}");
    let other = memo(11.0);
    for part in [
        "now for $2.00/h (the scenario buys 11).",
        "| B more | 11 3y | $800 | $0 | $0 | $200 (20.0%) |",
        "| B as recommended | 18 3y | $700 | $0 | $0 | $300 (–) |",
    ] {
        assert!(other.contains(part), "{part}\n{other}");
    }
}

/// What would pay later is a proposal behind what was asked, in none of its rows.
#[test]
fn the_memo_calls_what_would_pay_later_a_proposal() {
    let whole = Answer { lists: advice(18.0), advised: Some(value()), ..answer() };
    let plans = vec![buying(Slot::A, "", 18.0, whole)];
    let demand = Arc::new(demand());
    let report = SessionReport { demand, plans, active: Slot::A, comparisons: Vec::new() };
    let memo = write(&report, Format::Md, &fixture::ctx());
    let (before, later) =
        memo.split_once("- A proposal for later, no part of the above: ").unwrap();
    // 40 + 2.
    let said = "6 p4d\\|24xlarge 3y in week 4 and 1 more purchase would save $42 if demand goes as expected. A chance to buy \
                comes every 4 weeks; judge it again then.\n";
    assert!(later.starts_with(said), "{memo}");
    assert!(before.contains("| 18 | 3y | – | $2.00/h |") && !before.contains("week 4"), "{memo}");
}

/// The answer points to what would pay later where that stands in the memo, and nowhere else.
#[test]
fn the_memo_announces_no_proposal_that_it_does_not_make() {
    let memo = |saves_usd: f64| {
        let Lists { plan, .. } = advice(18.0);
        let plan = plan.into_iter().map(|entry| ListEntry { saves_usd, ..entry }).collect();
        let lists = Lists { plan, ..Lists::default() };
        let plans = vec![buying(Slot::A, "", 18.0, Answer { lists, ..answer() })];
        let demand = Arc::new(demand());
        let report = SessionReport { demand, plans, active: Slot::A, comparisons: Vec::new() };
        write(&report, Format::Md, &fixture::ctx())
    };
    for (saves_usd, is_there) in [(40.0, true), (0.0, false)] {
        let memo = memo(saves_usd);
        let found = ["What may pay later stands below.", "- A proposal for later"];
        assert_eq!(found.map(|part| memo.contains(part)), [is_there; 2], "{memo}");
    }
}

/// What a page has no room for is counted, with what shows it; once.
#[test]
fn a_memo_that_leaves_something_out_says_what_shows_it() {
    let notes = (0..60).map(|n| format!("note {n}")).collect();
    let report = SessionReport {
        demand: Arc::new(Demand { notes, ..demand() }),
        plans: vec![buying(Slot::A, "", 1.0, answer())],
        active: Slot::A,
        comparisons: Vec::new(),
    };
    let memo = write(&report, Format::Md, &fixture::ctx());
    // 60 notes and the offer without a rate, less the six that lists have at most.
    let said = "- 55 more gaps: all by `burntop whatif memo --format json`, on the tab by `:export json`.\n";
    assert!(memo.contains(said), "{memo}");
    assert_eq!(memo.matches("--format json").count(), 1, "{memo}");
    assert!(!memo.contains("see JSON"), "{memo}");
}

#[test]
fn what_changes_an_input_changes_is_read_as_a_sentence() {
    let bar = |best_units| TornadoBar {
        family: "p4d|24xlarge".into(),
        input: "growth per year".into(),
        values: ["-10%".into(), "10%".into()],
        usd: [-231.0, 223.0],
        best_units,
    };
    let tornado = vec![bar([20.0, 17.0, 20.0]), bar([20.0, 20.0, 21.0]), bar([20.0; 3])];
    let plans = vec![buying(Slot::A, "", 1.0, Answer { tornado, ..answer() })];
    let demand = Arc::new(demand());
    let report = SessionReport { demand, plans, active: Slot::A, comparisons: Vec::new() };
    let memo = write(&report, Format::Md, &fixture::ctx());
    for part in [
        "- growth per year at -10%: -$231, 3 units fewer; at 10%: +$223.\n",
        "- growth per year at -10%: -$231; at 10%: +$223, 1 unit more.\n",
        "- growth per year at -10%: -$231; at 10%: +$223.\n",
    ] {
        assert!(memo.contains(part), "{part}\n{memo}");
    }
}
