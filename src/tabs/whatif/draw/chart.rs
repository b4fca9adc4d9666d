//! The plots of the tab with legend and read-out.

use super::glyphs::{self, Mode};
use super::plot;
use crate::app::content::{columns, wrap};
use crate::app::{App, Area, PlanChart, Role};
use crate::tabs::whatif::picture::chart::{Ink, Plot, cost, curve, fan, payback};
use crate::tabs::whatif::picture::words;
use crate::ui::canvas::Canvas;

/// Draws a chart with its legend; `chosen` = keys apply to it, so it also has a read-out.
pub fn draw(canvas: &mut Canvas<'_>, app: &App, kind: PlanChart, chosen: bool, area: Area) {
    let Some(mut made) = of(app, kind) else {
        missing(canvas, app, kind, area);
        return;
    };
    let mut area = area;
    if chosen && area.height >= 6 {
        let lines = wrap(&made.reads, usize::from(area.width));
        let most = if area.height >= 10 { 2 } else { 1 };
        let style = canvas.style(Role::Accent);
        let shown = lines.len().min(most) as u16;
        area.height -= shown;
        for (line, y) in lines.iter().zip(area.y + area.height..area.y + area.height + shown) {
            canvas.put(area.x, y, area.width, line, style);
        }
    }
    if !chosen {
        made.cursor = None;
    }
    if area.height >= 7 {
        legend(canvas, &made, app, area);
        area.y += 1;
        area.height -= 1;
    }
    plot::draw(canvas, &made, Mode::of(app.appearance()), area);
}

/// The plot of a chart, as far as there is an answer.
fn of(app: &App, kind: PlanChart) -> Option<Plot> {
    let tab = app.whatif();
    let answer = tab.family_answer()?;
    let inputs = tab.scenario()?.families.get(tab.family())?;
    let place = if kind == tab.chart() { tab.place() } else { 0.5 };
    match kind {
        PlanChart::Curve => curve(answer, inputs, place),
        PlanChart::Fan => {
            let calendar = tab.answer()?.calendar.iter().filter(|e| e.family == inputs.name);
            fan(&answer.fan, calendar, place)
        }
        PlanChart::Cost => cost(answer, tab.scenario()?, tab.family(), place),
        PlanChart::Payback => {
            let which = words::payback_unit(tab.scenario()?, tab.family());
            payback(answer.payback.as_ref()?, which, place)
        }
        PlanChart::Tornado | PlanChart::Lists | PlanChart::Calendar | PlanChart::Compare => None,
    }
}

/// Draws the text in place of a plot.
fn missing(canvas: &mut Canvas<'_>, app: &App, kind: PlanChart, area: Area) {
    let tab = app.whatif();
    let family = tab.scenario().and_then(|s| s.families.get(tab.family()));
    let no_price = family.is_some_and(|f| f.on_demand.is_none());
    let text = if tab.scenario().is_none_or(|s| s.families.is_empty()) {
        "There is no family to plan for."
    } else if no_price {
        "Its on-demand price is not known: = on that line gives one. Nothing is assumed."
    } else if tab.plan().is_some_and(|p| p.trouble().is_some()) {
        "There is no answer to show."
    } else if tab.family_answer().is_none() {
        "The first answer is on its way."
    } else {
        match kind {
            PlanChart::Cost | PlanChart::Payback => {
                "No offer here has a rate: = on its line gives one. Nothing is assumed."
            }
            _ => "There is nothing to draw.",
        }
    };
    let style = canvas.style(if no_price { Role::Warn } else { Role::Dim });
    let lines = wrap(text, usize::from(area.width));
    for (line, y) in lines.iter().zip(area.y..area.y + area.height) {
        canvas.put(area.x, y, area.width, line, style);
    }
}

/// Draws the legend, as many glyphs as fit.
fn legend(canvas: &mut Canvas<'_>, plot: &Plot, app: &App, area: Area) {
    let mode = Mode::of(app.appearance());
    let bands = plot.bands.iter().map(|b| (b.ink, b.name, Some(b.letter).filter(|l| *l != ' ')));
    let traces = plot.traces.iter().map(|t| (t.ink, t.name, None));
    let mut x = area.x;
    let end = area.x + area.width;
    for (ink, name, letter) in bands.chain(traces).filter(|(_, name, _)| !name.is_empty()) {
        let needed = columns(name) + 2 + usize::from(letter.is_some());
        if usize::from(x) + needed > usize::from(end) {
            break;
        }
        let style = canvas.style(glyphs::role(ink));
        x = canvas.put(x, area.y, 1, sign(ink, mode), style);
        if let Some(letter) = letter {
            x = canvas.put(x, area.y, 1, letter.encode_utf8(&mut [0; 4]), style);
        }
        let dim = canvas.style(Role::Dim);
        x = canvas.put(x + 1, area.y, end - x - 1, name, dim) + 2;
    }
}

/// The glyph of an ink in the legend: in braille a cell of its grain.
fn sign(ink: Ink, mode: Mode) -> &'static str {
    if mode != Mode::Braille {
        return glyphs::glyph(ink, mode);
    }
    match ink {
        Ink::Used => "⣿",
        Ink::Spot => "⣽",
        Ink::OnDemand => "⢕",
        Ink::Idle => "⠁",
        Ink::Ribbon => "⠅",
        Ink::Edge => "⠁",
        Ink::Middle | Ink::Other => "⠂",
        Ink::Committed => "⠒",
    }
}
