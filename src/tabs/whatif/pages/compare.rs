//! Scenarios side by side: first what the others buy and cost instead, then the numbers of all, then what differs in the
//! inputs.

use super::difference::{Difference, difference, indented, pair};
use super::paragraph;
use crate::app::App;
use crate::app::Role;
use crate::app::content::{Line, columns};
use crate::tabs::overview::pages::cut;
use crate::tabs::whatif::picture::{Row, input, words};
use crate::tabs::whatif::state::Plan;
use crate::view::{Symbols, format};
use crate::whatif::{Scenario, Slot, Valuation};

/// Columns of the names of the figures: at most, and at least.
const NAME: [usize; 2] = [20, 16];

/// Columns of a scenario: at most, and at least.
const VALUE: [usize; 2] = [13, 8];

/// Inputs that differ, at most.
const MOST: usize = 40;

/// A row of the table.
struct Figure {
    /// Name in full, and where there is little room.
    names: [&'static str; 2],
    of: fn(&Valuation) -> Option<f64>,
    /// How it is written in full, and where there is little room.
    show: [fn(f64) -> String; 2],
    /// False where it says nothing of two scenarios whose demand differs.
    is_comparable: bool,
}

/// A sum of dollars, which depends on how much is needed.
const fn dollars(name: &'static str, of: fn(&Valuation) -> Option<f64>) -> Figure {
    Figure { names: [name; 2], of, show: [words::usd_short; 2], is_comparable: false }
}

const fn part(names: [&'static str; 2], of: fn(&Valuation) -> Option<f64>) -> Figure {
    Figure { names, of, show: [words::share; 2], is_comparable: true }
}

const FIGURES: [Figure; 13] = [
    Figure {
        names: ["mean"; 2],
        of: |v| Some(v.mean_usd),
        show: [format::usd_total, words::usd_short],
        is_comparable: false,
    },
    dollars("± two errors", |v| Some(v.mean_error_usd)),
    dollars("P5 (low)", |v| Some(v.p5_usd)),
    dollars("P95 (high)", |v| Some(v.p95_usd)),
    dollars("on demand alone", |v| Some(v.on_demand_usd)),
    part(["saves (ESR)"; 2], |v| v.esr),
    part(["coverage"; 2], |v| v.coverage),
    part(["utilisation"; 2], |v| v.utilisation),
    dollars("worst 5% save", |v| Some(v.worst5_savings_usd)),
    part(["above on demand in", "dearer in"], |v| Some(v.prob_above_on_demand)),
    dollars("above hindsight", |v| v.regret_usd),
    Figure {
        names: ["lock-in"; 2],
        of: |v| Some(v.lock_in_months),
        show: [words::months; 2],
        is_comparable: true,
    },
    dollars("value now (NPV)", |v| Some(v.npv_usd)),
];

/// The table.
pub(super) fn lines(app: &App, width: usize) -> Vec<Line> {
    let tab = app.whatif();
    let plans: Vec<(Slot, &Plan)> =
        Slot::ALL.into_iter().filter_map(|slot| Some((slot, tab.plan_of(slot)?))).collect();
    let Some(((base, first), others)) = plans.split_first() else { return Vec::new() };
    let others: Vec<(Slot, &Plan, Difference)> = others
        .iter()
        .map(|(slot, plan)| (*slot, *plan, difference((*base, *first), (*slot, *plan))))
        .collect();
    let mut lines = Vec::new();
    let mut said: Vec<String> = Vec::new();
    for (other, plan, found) in &others {
        // What is to be decided stands first; where nothing is compared, why.
        let is_answered = found.is_comparable() || matches!(found, Difference::Gaps(_));
        let both = [(*base, *first), (*other, *plan)];
        if is_answered {
            pair(app, both, found, width, &mut lines);
        }
        let sentence = found.sentence([base.letter(), other.letter()]);
        // That the first one has no answer is said once.
        if let Some(sentence) = sentence.filter(|sentence| !said.contains(sentence)) {
            let role = if found.is_comparable() { Role::Dim } else { Role::Warn };
            paragraph(role, &sentence, width, &mut lines);
            said.push(sentence);
        }
        if !is_answered {
            pair(app, both, found, width, &mut lines);
        }
    }
    if !others.is_empty() {
        lines.push(Line::new());
    }
    let is_same = others.iter().all(|(_, _, found)| found.is_comparable());
    table(app, &plans, is_same, width, &mut lines);
    for (other, plan, _) in &others {
        lines.push(Line::new());
        let title = format!("{} instead of {}", other.letter(), base.letter());
        lines.push(Line::of(Role::Heading, cut(&title, width, app.appearance().symbols)));
        changed(first.scenario(), plan.scenario(), app, width, &mut lines);
    }
    if others.is_empty() {
        lines.push(Line::new());
        let says = "B or C goes on with a copy of this scenario: what you change there is compared \
                    with A over the same futures.";
        paragraph(Role::Dim, says, width, &mut lines);
    }
    lines
}

/// The figures, a column per scenario. Where the demand differs, what can be compared comes first.
fn table(app: &App, all: &[(Slot, &Plan)], is_same: bool, width: usize, lines: &mut Vec<Line>) {
    let symbols = app.appearance().symbols;
    let active = app.whatif().active();
    let plans = with_room(all, active, width);
    let count = plans.len().max(1);
    let value = (width.saturating_sub(NAME[1]) / count).clamp(VALUE[1], VALUE[0]);
    let name = width.saturating_sub(value * count).clamp(2, NAME[0]);
    let mut head = Line::new().column(Role::Heading, "", name);
    for (slot, plan) in &plans {
        let role = if *slot == active { Role::Accent } else { Role::Heading };
        let late = if plan.is_behind() { symbols.ellipsis() } else { "" };
        // A sign beside the style, which a terminal may not show.
        let mark = match (*slot == active, symbols) {
            (true, Symbols::Unicode) => "▸",
            (true, Symbols::Ascii) => ">",
            (false, _) => "",
        };
        let text = format!("{mark}{}{late} {}", slot.letter(), plan.scenario().name);
        head = head.number(role, &cut(text.trim_end(), value - 1, symbols), value);
    }
    lines.push(head);
    let row = |figure: &Figure| row(figure, &plans, [name, value], symbols);
    if is_same {
        lines.extend(FIGURES.iter().map(row));
    } else {
        lines.extend(FIGURES.iter().filter(|figure| figure.is_comparable).map(row));
        paragraph(Role::Dim, "Each by itself, not to be compared:", width, lines);
        lines.extend(FIGURES.iter().filter(|figure| !figure.is_comparable).map(row));
    }
    if plans.len() < all.len() {
        let is_out = |slot: &Slot| plans.iter().all(|(shown, _)| shown != slot);
        let out: Vec<&str> =
            all.iter().map(|(slot, _)| *slot).filter(is_out).map(Slot::letter).collect();
        let text = format!("{} needs more room: z gives it.", out.join(", "));
        paragraph(Role::Dim, &text, width, lines);
    }
}

/// The scenarios that there is room for, in their order: the one on screen and the first before others.
fn with_room<'a>(all: &[(Slot, &'a Plan)], active: Slot, width: usize) -> Vec<(Slot, &'a Plan)> {
    let most = (width.saturating_sub(NAME[1]) / VALUE[1]).max(1);
    let mut order: Vec<usize> = (0..all.len()).collect();
    order.sort_by_key(|at| (all[*at].0 != active, *at));
    order.truncate(most);
    order.sort_unstable();
    order.into_iter().map(|at| all[at]).collect()
}

/// A row of the table; names and values have `room` columns.
fn row(
    figure: &Figure,
    plans: &[(Slot, &Plan)],
    [name, value]: [usize; 2],
    symbols: Symbols,
) -> Line {
    let label = figure.names.map(|label| match symbols {
        Symbols::Ascii => label.replace('±', "+/-"),
        Symbols::Unicode => label.to_owned(),
    });
    let label = if columns(&label[0]) < name { &label[0] } else { &label[1] };
    let mut line = Line::new().column(Role::Dim, &cut(label, name - 1, symbols), name);
    let texts = |show: fn(f64) -> String| -> Vec<String> {
        let found = plans.iter().map(|(_, plan)| (figure.of)(&plan.answer()?.total));
        found.map(|found| symbols.or_unknown(found, show)).collect()
    };
    let [full, short] = figure.show.map(texts);
    // All of a row are written alike.
    let fits = full.iter().all(|text| columns(text) < value);
    let texts = if fits { full } else { short };
    for text in texts {
        line = line.number(Role::Text, &cut(&text, value - 1, symbols), value);
    }
    line
}

/// The inputs that differ.
fn changed(from: &Scenario, to: &Scenario, app: &App, width: usize, lines: &mut Vec<Line>) {
    let symbols = app.appearance().symbols;
    let peaks = app.whatif().peaks();
    let mut found = 0;
    for group in input::groups(to) {
        for row in input::rows(to, group) {
            let Row::Input(input) = row else { continue };
            let (old, new) = (input.get(from), input.get(to));
            if old == new || found == MOST {
                continue;
            }
            found += 1;
            let slider = input.slider(to, peaks);
            let show = |v: Option<f64>| symbols.or_unknown(v, |v| slider.unit.show(v));
            let family = match group {
                input::Group::Family(f) => to.families.get(f).map_or("", |f| &f.name),
                _ => "",
            };
            let name = format!("{family} {}", slider.name.trim());
            let text = format!("{}: {} instead of {}", name.trim(), show(new), show(old));
            indented(Role::Dim, &text, width, lines);
        }
    }
    if found == 0 {
        indented(Role::Dim, "the inputs are the same", width, lines);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::app::fixture::press;
    use crate::app::{Effect, Msg};
    use crate::tabs::whatif::picture::fixture::{answer, comparison, full};
    use crate::tabs::whatif::state::fixture::{answered, app, go};
    use crate::whatif::levers::GpuSavings;
    use crate::whatif::{PlanAnswer, PlanRequest, Stage};

    fn texts(app: &App, width: usize) -> Vec<String> {
        let text = |line: &Line| line.spans.iter().map(|span| &*span.text).collect::<String>();
        lines(app, width).iter().map(text).collect()
    }

    #[test]
    fn another_demand_is_said_first_and_no_dollars_look_like_a_gain() {
        let mut app = app((80, 24));
        go(&mut app, "7B");
        let effects = press(&mut app, "<ctrl-d>+");
        let Some(Effect::Plan(last)) = effects.last().cloned() else { panic!("{effects:?}") };
        // What is not answered yet is no gain either.
        let said = texts(&app, 40);
        assert!(said[0].starts_with("B has another demand than A"), "{said:?}");
        let mut made = answer(&last.scenario, Stage::Whole);
        made.families[0].as_mut().unwrap().value.unit_hours *= 1.1;
        let mut planned = answered(&last, Stage::Whole);
        planned.result = Ok(Arc::new(made));
        planned.comparisons = vec![comparison([2, last.generation])];
        app.update(Msg::Planned(planned));
        let said = texts(&app, 40);
        assert!(said[0].starts_with("B against A: saves 36.6% (ESR)"), "{said:?}");
        let all = said.join(" ");
        for part in [
            "The demand differs, so costs are not",
            "more hours of p4d.24xlarge than A",
            "(+10%)",
            "saves 36.6% (ESR) instead of",
        ] {
            assert!(all.contains(part), "{part}: {all}");
        }
        assert!(!all.contains("cheaper in"), "{all}");
        let first = said.iter().position(|line| line.starts_with("saves (ESR)")).unwrap();
        let mean = said.iter().position(|line| line.starts_with("mean")).unwrap();
        assert!(first < mean, "what can be compared comes first: {said:?}");
    }

    #[test]
    fn what_is_bought_instead_and_what_it_costs_stands_first_on_the_smallest_screen() {
        let mut app = app((80, 24));
        go(&mut app, ":only p4d<enter>");
        go(&mut app, "B");
        let effects = press(&mut app, "=18<enter>B");
        let Some(Effect::Plan(last)) = effects.last().cloned() else { panic!("{effects:?}") };
        let mut planned = answered(&last, Stage::Whole);
        // A was asked for the third time when it became one of this family alone.
        planned.comparisons = vec![comparison([3, last.generation])];
        app.update(Msg::Planned(planned));
        let shown = crate::ui::golden::screen(&mut app);
        let lines: Vec<&str> = shown.lines().map(str::trim).collect();
        let first = lines.iter().position(|line| line.starts_with("B against A: ")).unwrap();
        assert!(first < 8, "{shown}");
        let said = lines[first..first + 2].join(" ");
        // By the fixture: 48,200 less, give or take 3,900.
        let want = "B against A: buys 18 instead of 46 p4d.24xlarge 1y no-upfront, costs $48.2k ± $3.90k less on \
                    average, cheaper in 83% of the futures";
        assert!(said.starts_with(want), "{said}");
    }

    #[test]
    fn scenarios_for_other_families_are_not_compared() {
        let mut app = app((80, 24));
        let all = full();
        let last = ask(&mut app, Scenario { only: Some("p4d.24xlarge".into()), ..all });
        app.update(Msg::Planned(answered(&last, Stage::Whole)));
        let said = texts(&app, 100);
        assert_eq!(
            said[0],
            "B and A do not plan for the same families, so costs are not compared."
        );
        assert_eq!(said[1], "B against A: – (other families)");
    }

    #[test]
    fn the_same_demand_is_compared_in_dollars() {
        let mut app = app((80, 24));
        go(&mut app, "7B");
        let effects = press(&mut app, "+");
        let Some(Effect::Plan(last)) = effects.last().cloned() else { panic!("{effects:?}") };
        let mut planned = answered(&last, Stage::Whole);
        planned.comparisons = vec![comparison([2, last.generation])];
        app.update(Msg::Planned(planned));
        let all = texts(&app, 60).join(" ");
        assert!(all.contains("cheaper in 83% of the futures") && !all.contains("differs"), "{all}");
    }

    /// The request for B, a scenario that comes from a file.
    fn ask(app: &mut App, scenario: Scenario) -> PlanRequest {
        let scenario = Arc::new(scenario);
        let effects = app.update(Msg::Scenario { slot: Slot::B, scenario });
        let request =
            |effect: Effect| if let Effect::Plan(request) = effect { Some(request) } else { None };
        effects.into_iter().find_map(request).unwrap()
    }

    #[test]
    fn what_levers_save_is_compared_in_dollars_and_says_so() {
        let mut app = app((80, 24));
        let mut levered = full();
        levered.levers.gpu_savings = Some(GpuSavings::default());
        let last = ask(&mut app, levered);
        let mut made = answer(&last.scenario, Stage::Whole);
        made.families[0].as_mut().unwrap().value.unit_hours *= 0.5;
        let mut planned = answered(&last, Stage::Whole);
        planned.result = Ok(Arc::new(made));
        planned.comparisons = vec![comparison([2, last.generation])];
        app.update(Msg::Planned(planned));
        let all = texts(&app, 60).join(" ");
        for part in ["by levers or moves alone", "cheaper in 83% of the futures"] {
            assert!(all.contains(part), "{part}: {all}");
        }
        assert!(!all.contains("not to be compared"), "{all}");
    }

    #[test]
    fn other_futures_are_said_and_nobody_waits_for_them() {
        let mut app = app((80, 24));
        let mut other = full();
        other.future.seed += 1;
        other.families[0].growth = 0.9;
        let last = ask(&mut app, other);
        app.update(Msg::Planned(answered(&last, Stage::Whole)));
        let all = texts(&app, 60).join(" ");
        assert!(all.contains("are not valued over the same futures"), "{all}");
        assert!(!all.contains("being worked out") && !all.contains("not compared yet"), "{all}");
    }

    #[test]
    fn a_scenario_without_an_answer_says_why_once_it_is_not_underway() {
        let mut app = app((80, 24));
        let mut grown = full();
        grown.families[0].growth = 0.9;
        let last = ask(&mut app, grown);
        assert!(texts(&app, 60).join(" ").contains("being worked out"));
        let refused =
            PlanAnswer { result: Err("no whole week".into()), ..answered(&last, Stage::Whole) };
        app.update(Msg::Planned(refused));
        let said = texts(&app, 60);
        assert_eq!(said[0], "B has no answer: no whole week");
        let all = said.join(" ");
        assert!(!all.contains("being worked out") && !all.contains("not compared yet"), "{all}");
    }

    /// The lines from the headings of the table on.
    fn table_of(app: &App, width: usize) -> Vec<Line> {
        let is_head = |line: &Line| line.spans.len() > 1 && line.spans[0].text.trim().is_empty();
        let all = lines(app, width);
        let at = all.iter().position(is_head).unwrap();
        all[at..].to_vec()
    }

    #[test]
    fn no_column_runs_into_another_and_none_out_of_the_room() {
        let mut app = app((80, 24));
        for keys in ["7B", "C"] {
            go(&mut app, keys);
        }
        for width in [20, 24, 32, 36, 40, 57, 100] {
            for line in lines(&app, width) {
                let used: usize = line.spans.iter().map(|span| columns(&span.text)).sum();
                assert!(used <= width, "{width}: {line:?}");
            }
            for row in table_of(&app, width).iter().take(FIGURES.len() + 1) {
                assert!(row.spans[1..].iter().all(|cell| cell.text.starts_with(' ')), "{row:?}");
            }
        }
        // Of three that have no room the one on screen and the base stay.
        let narrow = texts(&app, 36);
        let head = &table_of(&app, 36)[0];
        let head: String = head.spans.iter().map(|span| &*span.text).collect();
        assert!(head.contains('A') && head.contains('C') && !head.contains('B'));
        assert!(narrow.iter().any(|line| line == "B needs more room: z gives it."), "{narrow:?}");
    }
}
