//! The sliders: name, value with its unit, a bar where a range makes sense.

use super::glyphs::Bar;
use crate::app::content::columns;
use crate::app::{App, Area, Role};
use crate::tabs::whatif::picture::{Input, Row, Slider};
use crate::ui::canvas::Canvas;
use crate::whatif::Scenario;

/// Columns of a value.
const VALUE: u16 = 9;

/// Draws the sliders, scrolled to the cursor.
pub fn draw(canvas: &mut Canvas<'_>, app: &App, area: Area) {
    let tab = app.whatif();
    let Some(scenario) = tab.scenario() else { return };
    let rows = tab.rows();
    let height = usize::from(area.height);
    let top = tab.inputs_top(rows.len(), height);
    let visible = rows.iter().enumerate().skip(top).zip(area.y..area.y + area.height);
    for ((at, row), y) in visible {
        match row {
            Row::Heading(text) => {
                let style = canvas.style(Role::Dim);
                canvas.put(area.x + 1, y, area.width.saturating_sub(1), text, style);
            }
            Row::Input(input) => {
                let slider = input.slider(scenario, tab.peaks());
                line(canvas, scenario, *input, &slider, (area.x, y, area.width));
                if at == tab.cursor() {
                    let marker = canvas.glyph("▸", ">");
                    let style = canvas.style(Role::Accent);
                    canvas.put(area.x, y, 1, marker, style);
                    let selected = canvas.style(Role::Selected);
                    canvas.tint(area.x, y, area.width, selected);
                }
            }
        }
    }
    if rows.len() > height && height > 1 {
        let glyph = if top + height < rows.len() {
            canvas.glyph("▾", "v")
        } else {
            canvas.glyph("▴", "^")
        };
        let style = canvas.style(Role::Dim);
        canvas.put(area.x + area.width - 1, area.y + area.height - 1, 1, glyph, style);
    }
}

fn line(
    canvas: &mut Canvas<'_>,
    scenario: &Scenario,
    input: Input,
    slider: &Slider,
    (x, y, width): (u16, u16, u16),
) {
    let dim = canvas.style(Role::Dim);
    let plain = canvas.style(Role::Text);
    // One column for the marker, one at the end for what says that there is more.
    let room = width.saturating_sub(2);
    if input.is_new() {
        let text = format!("+ {}{}", slider.name, canvas.symbols().ellipsis());
        canvas.put(x + 1, y, room, &text, dim);
        return;
    }
    let value = input.get(scenario);
    let bar = slider.bar.filter(|_| room >= 30);
    let wide = (room / 5).clamp(6, 12);
    let bar_room = if bar.is_some() { wide } else { 0 };
    let end = x + 1 + room - if bar_room > 0 { bar_room + 1 } else { 0 };
    // Without a bar the values stand where they stand beside one.
    let end = if room >= 30 { x + room - wide } else { end };
    let name = end.saturating_sub(x + 1 + VALUE);
    canvas.put(x + 1, y, name, &slider.name, plain);
    let text = canvas.symbols().or_unknown(value, |v| slider.unit.show(v));
    let needed = u16::try_from(columns(&text)).unwrap_or(VALUE).min(VALUE);
    let style = if value.is_some() { canvas.style(Role::Heading) } else { dim };
    canvas.put_right(end, y, needed, &text, style);
    if let (Some((low, high)), Some(value)) = (bar, value) {
        let part = ((value - low) / (high - low)).clamp(0.0, 1.0);
        draw_bar(canvas, part, (end + 1, y, bar_room));
    }
}

/// A knob on a line.
fn draw_bar(canvas: &mut Canvas<'_>, part: f64, (x, y, width): (u16, u16, u16)) {
    let Bar { done, knob, rest } = Bar::of(canvas.symbols());
    let knob_at = (part * f64::from(width.saturating_sub(1))).round() as u16;
    let (accent, dim) = (canvas.style(Role::Ok), canvas.style(Role::Dim));
    canvas.fill(x, y, knob_at, done, accent);
    canvas.fill(x + knob_at, y, 1, knob, accent);
    canvas.fill(x + knob_at + 1, y, width.saturating_sub(knob_at + 1), rest, dim);
}
