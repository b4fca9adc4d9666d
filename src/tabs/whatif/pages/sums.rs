//! What a plan comes to, in a few lines, what is recommended first: always there.

use super::advice::advice;
use crate::app::App;
use crate::app::Role;
use crate::app::content::{Line, columns};
use crate::tabs::overview::pages::cut;
use crate::tabs::whatif::picture::words;
use crate::tabs::whatif::state::Plan;
use crate::view::Symbols;
use crate::view::format;
use crate::whatif::{Answer, Valuation};

/// A few words that belong together.
type Part = (Role, String);

/// Columns that are kept for where prices come from, and the separator before them.
const LEAST_OF_PRICES: usize = 24;

/// What is recommended and the main figures of the plan in at most `height` lines of `width` columns; the last line states
/// what they are based on.
pub fn sums(app: &App, width: usize, height: usize) -> Vec<Line> {
    let tab = app.whatif();
    let symbols = app.appearance().symbols;
    let mut parts: Vec<Part> = Vec::new();
    if app.room().is_some_and(|room| room.inputs.is_none() && room.charts[0].is_none()) {
        return vec![least(app, width)];
    }
    if let Some(trouble) = tab.plan().and_then(|p| p.trouble()) {
        parts.push((Role::Crit, trouble.to_owned()));
    } else if tab.demand().is_none() {
        parts.push((Role::Warn, "no demand: `:whatif` says how to give one".to_owned()));
    }
    if let Some(answer) = tab.answer() {
        let behind = tab.plan().is_some_and(Plan::is_behind);
        // The charts above are of one family.
        let scope = tab.scenario().and_then(|scenario| answer.scope(scenario));
        let of = scope.as_ref().map_or_else(String::new, |scope| format!("{scope}: "));
        let inputs = tab.scenario().and_then(|s| s.families.get(tab.family()));
        let one = inputs.filter(|_| scope.is_some()).map_or("", |family| &family.name);
        let unit = tab.scenario().map_or("", |s| words::payback_unit(s, tab.family()));
        let safe = safe(answer, tab.family(), [one, unit], symbols);
        valuation(&of, &answer.total, safe, (symbols, behind), &mut parts);
    } else if parts.is_empty() {
        parts.push((Role::Dim, format!("the first answer is on its way{}", symbols.ellipsis())));
    }
    let rests = rests_on(app, width);
    let room = if height > 1 { height - 1 } else { height };
    let most = match height {
        0..=2 => 0,
        3..=4 => 1,
        _ => 2,
    };
    let mut lines = advice(app, width, most);
    lines.extend(flow(&parts, width, room - lines.len(), symbols));
    if height > 1 {
        lines.resize(room, Line::new());
        lines.extend(flow(&rests, width, 1, symbols));
    }
    lines
}

/// The input under the cursor and the mean, where there is room for nothing else.
fn least(app: &App, width: usize) -> Line {
    let tab = app.whatif();
    let symbols = app.appearance().symbols;
    let late = match tab.plan() {
        Some(plan) if plan.is_behind() => symbols.ellipsis(),
        _ => "",
    };
    let mean = tab.answer().map(|a| a.total.mean_usd);
    let mean = format!("{}{late}", symbols.or_unknown(mean, words::usd_short));
    let Some((input, scenario)) = tab.input().zip(tab.scenario()) else {
        return Line::of(Role::Heading, mean);
    };
    let slider = input.slider(scenario, tab.peaks());
    let value = symbols.or_unknown(input.get(scenario), |v| slider.unit.show(v));
    let room = width.saturating_sub(columns(&mean) + columns(&value) + 4);
    let name = if room >= 2 { cut(slider.name.trim(), room, symbols) } else { String::new() };
    let line = Line::new().with(Role::Dim, name).text(" ").with(Role::Selected, value);
    line.with(Role::Dim, format!(" {} ", symbols.separator())).with(Role::Heading, mean)
}

/// The parts of the value of `of`, the most important first; `safe` is among them.
fn valuation(
    of: &str,
    value: &Valuation,
    safe: Part,
    (symbols, behind): (Symbols, bool),
    parts: &mut Vec<Part>,
) {
    let late = if behind { symbols.ellipsis() } else { "" };
    let or = |value: Option<f64>, show: fn(f64) -> String| symbols.or_unknown(value, show);
    let mean = format!(
        "{of}mean {}{late} ± {}",
        format::usd_total(value.mean_usd),
        words::usd_short(value.mean_error_usd)
    );
    parts.push((if behind { Role::Dim } else { Role::Heading }, plain(mean, symbols)));
    parts.push((Role::Ok, format!("saves {} (ESR)", or(value.esr, words::share))));
    let edges =
        format!("P5–P95 {}–{}", words::usd_short(value.p5_usd), words::usd_short(value.p95_usd));
    parts.push((Role::Text, edges));
    let worst = value.worst5_savings_usd;
    parts.push(if worst < 0.0 {
        (Role::Crit, format!("worst 5% lose {}", words::usd_short(-worst)))
    } else {
        (Role::Text, format!("worst 5% save {}", words::usd_short(worst)))
    });
    let above = value.prob_above_on_demand;
    let role = if above > 0.05 { Role::Warn } else { Role::Text };
    parts.push((role, format!("dearer than on demand in {}", words::share(above))));
    parts.push(safe);
    parts.push((Role::Text, format!("covered {}", or(value.coverage, words::share))));
    parts.push((Role::Text, format!("used {}", or(value.utilisation, words::share))));
    parts.push((Role::Text, format!("lock-in {}", words::months(value.lock_in_months))));
    let regret = or(value.regret_usd, words::usd_short);
    parts.push((Role::Text, format!("{regret} above hindsight (regret)")));
    parts.push((Role::Dim, format!("on demand alone {}", words::usd_short(value.on_demand_usd))));
    parts.push((Role::Dim, format!("value now {} (NPV)", words::usd_short(value.npv_usd))));
}

/// How long one would have to keep a unit of the family on screen; `of` is its name, and which unit.
fn safe(answer: &Answer, family: usize, [of, unit]: [&str; 2], symbols: Symbols) -> Part {
    let family = answer.families.get(family).and_then(Option::as_ref);
    let safe = family.and_then(|f| f.payback.as_ref()).and_then(|p| p.safe_months);
    let term = if safe.is_some() { " (safe)" } else { "" };
    let months = symbols.or_unknown(safe, words::months);
    let text = format!("{of} {unit}: no loss after {months}{term}");
    (Role::Text, text.trim_start().to_owned())
}

/// Basis of the numbers, in as many words as there is room for.
fn rests_on(app: &App, width: usize) -> Vec<Part> {
    let tab = app.whatif();
    let mut parts = Vec::new();
    if let Some(waits) = tab.waits() {
        parts.push((Role::Warn, format!("{waits}{}", app.appearance().symbols.ellipsis())));
    }
    if let (Some(answer), Some(scenario)) = (tab.answer(), tab.scenario()) {
        parts.push((Role::Dim, words::futures(answer, scenario)));
    }
    let family = tab.scenario().and_then(|s| s.families.get(tab.family()));
    let prices = family.map(|family| {
        let from = if family.prices_from.is_empty() { "not said" } else { &family.prices_from };
        format!("prices: {from}")
    });
    let used = |parts: &[Part]| parts.iter().map(|(_, text)| columns(text) + 3).sum::<usize>();
    if let Some(said) = tab.said() {
        // What the demand is comes before the prices, and leaves them room.
        let before = used(&parts);
        let beside = prices.as_ref().map_or(0, |prices| columns(prices) + 3);
        let fits = |more: usize| said.iter().find(|text| before + columns(text) + more <= width);
        let text = fits(beside).or_else(|| fits(beside.min(LEAST_OF_PRICES))).or(said.last());
        parts.extend(text.map(|text| (Role::Dim, text.clone())));
    }
    // Where dollars come from is never left out: it is cut.
    let room = width.saturating_sub(used(&parts));
    let prices = prices.map(|prices| cut(&prices, room, app.appearance().symbols));
    parts.extend(prices.filter(|_| room > 1).map(|prices| (Role::Dim, prices)));
    parts
}

/// The plus-minus sign is beyond ASCII.
fn plain(text: String, symbols: Symbols) -> String {
    if symbols == Symbols::Ascii { text.replace('±', "+/-") } else { text }
}

/// The parts on lines, as many as fit; what does not fit into a line is cut at its end.
fn flow(parts: &[Part], width: usize, height: usize, symbols: Symbols) -> Vec<Line> {
    let separator = format!(" {} ", symbols.separator());
    let between = columns(&separator);
    let mut lines = Vec::new();
    let mut line = Line::new();
    let mut used = 0;
    for (role, text) in parts {
        let text = cut(text, width, symbols);
        let needed = columns(&text);
        let gap = if used > 0 { between } else { 0 };
        if used > 0 && used + gap + needed > width {
            lines.push(std::mem::take(&mut line));
            used = 0;
            if lines.len() == height {
                return lines;
            }
        }
        if used > 0 {
            line = line.with(Role::Dim, separator.clone());
            used += between;
        }
        line = line.with(*role, text);
        used += needed;
    }
    if !line.spans.is_empty() && lines.len() < height {
        lines.push(line);
    }
    lines
}
