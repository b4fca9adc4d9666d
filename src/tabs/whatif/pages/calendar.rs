//! The ladder: what begins and ends in which week.

use crate::app::App;
use crate::app::Role;
use crate::app::content::Line;
use crate::tabs::overview::pages::cut;
use crate::tabs::whatif::picture::words;
use crate::whatif::CalendarEntry;

/// The table.
pub(super) fn lines(app: &App, width: usize) -> Vec<Line> {
    let Some(answer) = app.whatif().answer() else {
        return super::waiting(app, "The rungs", width);
    };
    if answer.calendar.is_empty() {
        return vec![Line::of(Role::Dim, "Nothing is held or bought: nothing begins or ends.")];
    }
    let symbols = app.appearance().symbols;
    // The lock-in goes where the names have no room.
    let with_lock_in = width >= 52;
    let money = if with_lock_in { 27 } else { 18 };
    let name = width.saturating_sub(6 + money).clamp(10, 44);
    let head = Line::new()
        .number(Role::Heading, "WEEK", 5)
        .text(" ")
        .column(Role::Heading, "WHAT", name)
        .number(Role::Heading, "UNITS", 9)
        .number(Role::Heading, "COVERED", 9);
    let head = if with_lock_in { head.number(Role::Heading, "LOCK-IN", 9) } else { head };
    let mut lines = vec![head];
    for entry in &answer.calendar {
        let ends = entry.units < 0.0;
        let role = if ends { Role::Idle } else { Role::Ok };
        let covered = symbols.or_unknown(entry.coverage, words::share);
        let mut line = Line::new()
            .number(Role::Text, &entry.week.to_string(), 5)
            .text(" ")
            .column(Role::Text, &cut(&what(entry), name - 1, symbols), name)
            .number(role, &units(entry), 9)
            .number(Role::Text, &covered, 9);
        if with_lock_in {
            line = line.number(Role::Dim, &words::months(entry.lock_in_months), 9);
        }
        lines.push(line);
    }
    if answer.calendar.iter().any(|e| e.units < 0.0) {
        let says = "What ends is not renewed here: the coverage is that of doing nothing.";
        super::paragraph(Role::Dim, says, width, &mut lines);
    }
    lines
}

fn what(entry: &CalendarEntry) -> String {
    // Whether it begins or ends is the sign of its units.
    if entry.family.is_empty() {
        entry.name.clone()
    } else {
        format!("{} {}", entry.name, entry.family)
    }
}

/// Units, or dollars per hour for what has no family.
fn units(entry: &CalendarEntry) -> String {
    let plus = if entry.units > 0.0 { "+" } else { "" };
    if entry.family.is_empty() {
        format!("{}/h", words::usd_signed(entry.units))
    } else {
        format!("{plus}{}", words::units(entry.units))
    }
}
