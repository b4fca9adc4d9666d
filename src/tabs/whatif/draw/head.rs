//! The slots, and whose inputs are on screen.

use ratatui::style::Modifier;

use crate::app::content::columns;
use crate::app::{App, Area, Plan, Role};
use crate::tabs::whatif::pages::notes_count;
use crate::tabs::whatif::picture::{Group, input};
use crate::ui::canvas::Canvas;
use crate::whatif::Slot;

/// Draws the line with the slots, the notes and the group of inputs shown.
pub fn draw(canvas: &mut Canvas<'_>, app: &App, area: Area) {
    let tab = app.whatif();
    let end = area.x + area.width;
    let mut x = area.x;
    for slot in Slot::ALL {
        let active = slot == tab.active();
        let style = match tab.plan_of(slot) {
            _ if active => canvas.style(Role::Accent).add_modifier(Modifier::UNDERLINED),
            Some(_) => canvas.style(Role::Text),
            None => canvas.style(Role::Dim),
        };
        let late = tab.plan_of(slot).is_some_and(Plan::is_behind);
        let name = match tab.plan_of(slot) {
            Some(plan) if plan.scenario().name.is_empty() => "unnamed",
            Some(plan) => &plan.scenario().name,
            None => canvas.symbols().unknown(),
        };
        let late = if late { canvas.symbols().ellipsis() } else { "" };
        let text = format!("{} {name}{late}", slot.letter());
        let room = if active { area.width / 2 } else { area.width / 5 };
        x = canvas.put(x, area.y, room.min(end.saturating_sub(x)), &text, style) + 2;
    }
    let groups = tab.scenario().map_or(0, |s| input::groups(s).count());
    let at = tab.scenario().and_then(|s| input::groups(s).position(|g| g == tab.group()));
    let place = at.map_or_else(String::new, |at| format!(" {} of {groups}", at + 1));
    let text = match tab.group() {
        Group::Future | Group::Plans | Group::Family(_) => {
            format!("[ {}{place} ]", app.group_title())
        }
    };
    let needed = u16::try_from(columns(&text)).unwrap_or(u16::MAX);
    let room = end.saturating_sub(x);
    if room < 8 {
        return;
    }
    let style = canvas.style(Role::Heading);
    let end = canvas.put_right(end, area.y, room.min(needed), &text, style).saturating_sub(2);
    // A part of it would say nothing.
    let notes = notes_count(app).unwrap_or_default();
    let needed = u16::try_from(columns(&notes)).unwrap_or(u16::MAX);
    if needed <= end.saturating_sub(x) {
        let style = canvas.style(Role::Warn);
        canvas.put_right(end, area.y, needed, &notes, style);
    }
}
