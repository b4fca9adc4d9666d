//! The slots, and whose inputs are on screen.

use ratatui::style::Modifier;

use crate::app::content::columns;
use crate::app::keymap::Action;
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
        // A sign beside the style, which a terminal may not show.
        let mark = if active { canvas.glyph("▸", ">") } else { " " };
        let text = format!("{mark}{} {name}{late}", slot.letter());
        let room = if active { area.width / 2 } else { area.width / 5 };
        x = canvas.put(x, area.y, room.min(end.saturating_sub(x)), &text, style) + 1;
    }
    let room = end.saturating_sub(x + 1);
    let notes = notes_count(app).unwrap_or_default();
    let beside = if notes.is_empty() { 0 } else { columns(&notes) + 2 };
    let titles = titles(app);
    let fits = |more: usize| titles.iter().find(|t| columns(t) + more <= usize::from(room));
    let Some(text) = fits(beside).or_else(|| fits(0)).or(titles.last()) else { return };
    let needed = u16::try_from(columns(text)).unwrap_or(u16::MAX);
    if room < 8 {
        return;
    }
    let style = canvas.style(Role::Heading);
    let end = canvas.put_right(end, area.y, room.min(needed), text, style).saturating_sub(2);
    // A part of it would say nothing.
    let needed = u16::try_from(columns(&notes)).unwrap_or(u16::MAX);
    if needed <= end.saturating_sub(x) {
        let style = canvas.style(Role::Warn);
        canvas.put_right(end, area.y, needed, &notes, style);
    }
}

/// The group of inputs on screen: its place among the others, or that it is the only one, with the key that changes that and
/// what it would do; then without its place, and without the key.
fn titles(app: &App) -> [String; 3] {
    let tab = app.whatif();
    let only = tab.scenario().and_then(|scenario| scenario.only.as_deref());
    let groups = tab.scenario().map_or(0, |s| input::groups(s).count());
    let at = tab.scenario().and_then(|s| input::groups(s).position(|g| g == tab.group()));
    let place = at.map_or_else(String::new, |at| format!(", {} of {groups}", at + 1));
    let of_family = matches!(tab.group(), Group::Family(_));
    let [title, short] = match only {
        Some(name) if of_family => [format!("only {name}"), format!("only {name}")],
        _ => [format!("{}{place}", app.group_title()), app.group_title()],
    };
    let families = tab.scenario().map_or(0, |scenario| scenario.families.len());
    let does = match only {
        Some(_) => Some("plans for all"),
        None => (of_family && families > 1).then_some("plans for it alone"),
    };
    let key = does.zip(app.keymap().keys(Action::OnlyFamily).first());
    let separator = app.appearance().symbols.separator();
    let key = key.map_or_else(String::new, |(does, key)| format!(" {separator} `{key}` {does}"));
    [format!("[ {title}{key} ]"), format!("[ {short}{key} ]"), format!("[ {title} ]")]
}
