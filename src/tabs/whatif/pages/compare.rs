//! Scenarios side by side: their numbers, the paired differences, and what differs in the inputs.

use super::paragraph;
use crate::app::App;
use crate::app::Role;
use crate::app::content::Line;
use crate::tabs::overview::pages::cut;
use crate::tabs::whatif::picture::{Row, input, words};
use crate::tabs::whatif::state::Plan;
use crate::view::Symbols;
use crate::whatif::{Scenario, Slot, Valuation};

/// Columns of the names of the numbers, and of each scenario.
const NAME: usize = 20;
const VALUE: usize = 13;

/// Inputs that differ, at most.
const MOST: usize = 40;

/// A number of a valuation and how it is written.
type Number = (&'static str, fn(&Valuation) -> Option<f64>, fn(f64) -> String);

const NUMBERS: [Number; 12] = [
    ("mean", |v| Some(v.mean_usd), crate::view::format::usd_total),
    ("± two errors", |v| Some(v.mean_error_usd), words::usd_short),
    ("P5 (low)", |v| Some(v.p5_usd), words::usd_short),
    ("P95 (high)", |v| Some(v.p95_usd), words::usd_short),
    ("saves (ESR)", |v| v.esr, words::share),
    ("coverage", |v| v.coverage, words::share),
    ("utilisation", |v| v.utilisation, words::share),
    ("worst 5% save", |v| Some(v.worst5_savings_usd), words::usd_short),
    ("above on demand in", |v| Some(v.prob_above_on_demand), words::share),
    ("above hindsight", |v| v.regret_usd, words::usd_short),
    ("lock-in", |v| Some(v.lock_in_months), words::months),
    ("value now (NPV)", |v| Some(v.npv_usd), words::usd_short),
];

/// The table.
pub(super) fn lines(app: &App, width: usize) -> Vec<Line> {
    let tab = app.whatif();
    let symbols = app.appearance().symbols;
    let plans: Vec<(Slot, &Plan)> =
        Slot::ALL.into_iter().filter_map(|slot| Some((slot, tab.plan_of(slot)?))).collect();
    let value = VALUE.min(width.saturating_sub(NAME) / plans.len().max(1)).max(8);
    let mut head = Line::new().column(Role::Heading, "", NAME);
    for (slot, plan) in &plans {
        let role = if *slot == tab.active() { Role::Accent } else { Role::Heading };
        let late = if plan.is_behind() { symbols.ellipsis() } else { "" };
        let name = &plan.scenario().name;
        let text = format!("{}{late} {name}", slot.letter());
        head = head.number(role, &cut(text.trim_end(), value - 1, symbols), value);
    }
    let mut lines = vec![head];
    for (name, number, show) in NUMBERS {
        let name = if symbols == Symbols::Ascii { name.replace('±', "+/-") } else { name.into() };
        let mut line = Line::new().column(Role::Dim, &name, NAME);
        for (_, plan) in &plans {
            let found = plan.answer().and_then(|a| number(&a.total));
            line = line.number(Role::Text, &symbols.or_unknown(found, show), value);
        }
        lines.push(line);
    }
    differences(app, &plans, width, &mut lines);
    if plans.len() == 1 {
        lines.push(Line::new());
        let says = "B or C goes on with a copy of this scenario: what you change there is compared \
                    with A over the same futures.";
        paragraph(Role::Dim, says, width, &mut lines);
    }
    lines
}

/// Paired differences, and the inputs that make them.
fn differences(app: &App, plans: &[(Slot, &Plan)], width: usize, lines: &mut Vec<Line>) {
    let tab = app.whatif();
    let symbols = app.appearance().symbols;
    let Some(((base, first), others)) = plans.split_first() else { return };
    for (other, plan) in others {
        lines.push(Line::new());
        let pair = format!("{} against {}", other.letter(), base.letter());
        match tab.comparison(*base, *other) {
            Some(found) => {
                let result = &found.result;
                let role = match result.mean_usd {
                    usd if usd.abs() <= result.error_usd => Role::Text,
                    usd if usd < 0.0 => Role::Ok,
                    _ => Role::Idle,
                };
                let text = format!(
                    "{pair}: {} ± {} in the mean, cheaper in {} of the futures",
                    words::usd_signed(result.mean_usd),
                    words::usd_short(result.error_usd),
                    words::share(result.cheaper),
                );
                let text = if symbols == Symbols::Ascii { text.replace('±', "+/-") } else { text };
                paragraph(role, &text, width, lines);
                if result.mean_usd.abs() <= result.error_usd {
                    paragraph(Role::Dim, "the difference is within its error", width, lines);
                }
            }
            None => {
                let text = format!("{pair}: {} (not compared yet)", symbols.unknown());
                lines.push(Line::of(Role::Dim, text));
            }
        }
        changed(first.scenario(), plan.scenario(), app, width, lines);
    }
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
            let text = format!("  {}: {} instead of {}", name.trim(), show(new), show(old));
            lines.push(Line::of(Role::Dim, cut(&text, width, symbols)));
        }
    }
    if found == 0 {
        lines.push(Line::of(Role::Dim, "  the inputs are the same"));
    }
}
