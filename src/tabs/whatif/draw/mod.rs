//! How the What-if tab looks: slots, sliders, charts, sums.

mod chart;
mod glyphs;
#[cfg(test)]
mod golden;
mod head;
mod inputs;
mod plot;

use crate::app::{App, Area, Layout, PlanChart, Role};
use crate::tabs::whatif::pages::{list, sums};
use crate::tabs::whatif::screen::WhatIfScreen;
use crate::ui::canvas::Canvas;
use crate::ui::{Draw, text};

impl Draw for WhatIfScreen {
    fn draw(&self, canvas: &mut Canvas<'_>, app: &App, _: &Layout) {
        let Some(room) = app.room() else { return };
        if let Some(area) = room.head {
            head::draw(canvas, app, area);
        }
        if let Some(area) = room.inputs {
            inputs::draw(canvas, app, area);
        }
        let chosen = app.whatif().chart();
        for (at, area) in room.charts.iter().enumerate().filter_map(|(at, a)| Some((at, (*a)?))) {
            let kind = chosen.further(at);
            let below = title(canvas, app, kind, at == 0, area);
            if kind.is_text() {
                let skip = if at == 0 { app.whatif().scroll() } else { 0 };
                let lines = list(app, kind, area);
                let more = lines.len().saturating_sub(skip + usize::from(below.height));
                for (line, y) in lines.iter().skip(skip).zip(below.y..below.y + below.height) {
                    text::put_at(canvas, line, (below.x, y), below.width);
                }
                if more > 0 || skip > 0 {
                    position(canvas, skip, usize::from(below.height), lines.len(), area);
                }
            } else {
                chart::draw(canvas, app, kind, at == 0, below);
            }
        }
        let lines = sums(app, usize::from(room.sums.width), usize::from(room.sums.height));
        for (line, y) in lines.iter().zip(room.sums.y..room.sums.y + room.sums.height) {
            text::put_at(canvas, line, (room.sums.x, y), room.sums.width);
        }
    }
}

/// The title of a chart; returns what is left below it.
fn title(canvas: &mut Canvas<'_>, app: &App, kind: PlanChart, chosen: bool, area: Area) -> Area {
    if area.height < 3 {
        return area;
    }
    let style = canvas.style(if chosen { Role::Accent } else { Role::Heading });
    let end = canvas.put(area.x, area.y, area.width, kind.title(), style);
    let tab = app.whatif();
    let family = tab.scenario().and_then(|s| s.families.get(tab.family()));
    // Lists and tables are of all families.
    if let Some(family) = family.filter(|_| !kind.is_text()) {
        let dim = canvas.style(Role::Dim);
        let room = (area.x + area.width).saturating_sub(end + 2);
        if room > 4 {
            canvas.put(end + 2, area.y, room, &family.name, dim);
        }
    }
    Area { y: area.y + 1, height: area.height - 1, ..area }
}

/// Which lines of a list are on screen.
fn position(canvas: &mut Canvas<'_>, skip: usize, height: usize, all: usize, area: Area) {
    if area.height < 3 {
        return;
    }
    let text = format!(" {}-{} of {all}", skip + 1, (skip + height).min(all));
    let style = canvas.style(Role::Dim);
    canvas.put_right(area.x + area.width, area.y, area.width, &text, style);
}
