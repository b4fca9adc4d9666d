//! What to buy now, what to plan, what not to buy, each with its reason.

use super::paragraph;
use crate::app::App;
use crate::app::Role;
use crate::app::content::Line;
use crate::tabs::whatif::picture::words;
use crate::view::{Symbols, format, reasons};
use crate::whatif::{ListEntry, Lists, Stage};

/// The lists.
pub(super) fn lines(app: &App, width: usize) -> Vec<Line> {
    // Where the scenario before differed by purchases alone they are there at once.
    let is_there =
        |lists: &Lists| [&lists.buy, &lists.plan, &lists.avoid].iter().any(|l| !l.is_empty());
    let answer = app.whatif().answer().filter(|a| a.stage == Stage::Whole || is_there(&a.lists));
    let Some(answer) = answer else { return super::waiting(app, "The lists", width) };
    let symbols = app.appearance().symbols;
    let Lists { buy, plan, avoid } = &answer.lists;
    let mut lines = Vec::new();
    let all = [
        ("Buy now", Role::Ok, buy, "nothing: no commitment pays on what is known"),
        ("Plan", Role::Accent, plan, "nothing is due later"),
        ("Do not buy", Role::Idle, avoid, "nothing is to be warned of"),
    ];
    for (title, role, entries, none) in all {
        if !lines.is_empty() {
            lines.push(Line::new());
        }
        let count = entries.len();
        lines.push(Line::of(role, format!("{title} ({count})")));
        if entries.is_empty() {
            lines.push(Line::of(Role::Dim, format!("  {none}")));
        }
        for found in entries {
            entry(found, role, symbols, width, &mut lines);
        }
    }
    lines
}

fn entry(entry: &ListEntry, role: Role, symbols: Symbols, width: usize, lines: &mut Vec<Line>) {
    let when = if entry.week == 0 { "now".to_owned() } else { format!("in week {}", entry.week) };
    let what = format!("{} × {} {}", words::units(entry.units), entry.family, entry.offer);
    let head = format!("{what}, {when}, {}", format::usd_per_hour(entry.usd_per_hour));
    let head = if symbols == Symbols::Ascii { head.replace('×', "x") } else { head };
    let room = width.saturating_sub(2);
    let mut below = Vec::new();
    paragraph(role, &head, room, &mut below);
    let [returns, breaks_even, used] = entry.marks;
    let mark = |yes: bool| match (yes, symbols) {
        (true, Symbols::Unicode) => "✓",
        (true, Symbols::Ascii) => "yes",
        (false, Symbols::Unicode) => "✗",
        (false, Symbols::Ascii) => "no",
    };
    let money = format!(
        "saves {}; {} at once, {} a month; all of them together: no loss after {} (safe), lock-in {}",
        words::usd_short(entry.saves_usd),
        words::usd_short(entry.upfront_usd),
        words::usd_short(entry.monthly_usd),
        symbols.or_unknown(entry.safe_months, words::months),
        words::months(entry.lock_in_months),
    );
    paragraph(Role::Text, &money, room, &mut below);
    let marks = format!(
        "return above 10% {}, paid back in 9 months {}, used 80% {}",
        mark(returns),
        mark(breaks_even),
        mark(used)
    );
    paragraph(Role::Dim, &marks, room, &mut below);
    paragraph(Role::Dim, &reasons::list(entry), room, &mut below);
    lines.extend(below.into_iter().map(|line| {
        let mut indented = Line::new().text("  ");
        indented.spans.extend(line.spans);
        indented
    }));
}
