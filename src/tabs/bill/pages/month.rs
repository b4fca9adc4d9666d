//! The month in a line or two: what it cost so far, against the last one, where it ends, and where that is known from.

use crate::app::content::{Line, columns};
use crate::app::{App, Role};
use crate::domain::bill::{BillHead, PeriodState};
use crate::tabs::bill::picture::{BillPicture, BillSummary};
use crate::view::{ViewContext, format};

/// The figures of the month, most important first; as many lines as they need.
pub(super) fn lines(
    bill: &BillPicture,
    summary: &BillSummary,
    app: &App,
    width: usize,
) -> Vec<Line> {
    let month = &summary.month;
    let symbols = app.appearance().symbols;
    let is_open = bill.heads.iter().any(|head| head.state == PeriodState::Open);
    let state = if is_open { PeriodState::Open } else { PeriodState::Closed };
    let mut parts = vec![
        (Role::Heading, format!("{} {}", summary.period, state.word())),
        (Role::Heading, format!("{} so far", format::usd(month.so_far.effective.to_f64()))),
    ];
    if !is_open {
        parts[1].1 = format::usd(month.so_far.effective.to_f64());
    }
    parts.push(match month.last_to_same_day {
        Some(last) => {
            let change = (month.so_far_by_day - last).to_f64();
            let role = if change > 0.0 { Role::Warn } else { Role::Ok };
            let share = format::share(change / last.to_f64(), 0);
            let plus = if change > 0.0 { "+" } else { "" };
            let than = format!("({plus}{share}) on the same days of {}", summary.period.plus(-1));
            (role, format!("{} {than}", format::usd_signed(change, format::usd_total)))
        }
        None => (Role::Dim, format!("{} is not kept", summary.period.plus(-1))),
    });
    if let Some(end) = month.forecast.filter(|_| is_open) {
        let [low, middle, high] =
            [end.p10, end.p50, end.p90].map(|usd| format::usd_short(usd.to_f64()));
        parts.push((Role::Text, format!("month's end {middle} ({low} to {high})")));
    }
    parts.extend(provenance(&bill.heads, &app.view_context()));
    let noted = bill.heads.iter().map(|head| head.notes.len()).sum::<usize>();
    let noted = noted + bill.unreadable.len();
    if noted > 0 {
        parts.push((Role::Warn, format!("{}: i", format::plural(noted, "note"))));
    }
    wrapped(parts, symbols.separator(), width)
}

/// Where the figures come from.
pub(crate) fn provenance(heads: &[BillHead], ctx: &ViewContext) -> Vec<(Role, String)> {
    heads
        .iter()
        .map(|head| {
            let at = head.written_at.map_or(("read", head.read_at), |at| ("written", at));
            let age = format::age(ctx.now.duration_since(at.1).as_secs());
            let text = format!(
                "bill of {}, {} {age} ago, {} ({})",
                head.period,
                at.0,
                head.export,
                head.format.word()
            );
            (Role::Dim, text)
        })
        .collect()
}

/// The parts in as many lines as they need, none cut.
pub(crate) fn wrapped(parts: Vec<(Role, String)>, separator: &str, width: usize) -> Vec<Line> {
    let mut lines = Vec::new();
    let (mut line, mut taken) = (Line::new(), 0);
    for (role, text) in parts {
        let between = format!(" {separator} ");
        let needed = columns(&text) + if taken > 0 { columns(&between) } else { 0 };
        if taken > 0 && taken + needed > width {
            lines.push(std::mem::take(&mut line));
            taken = 0;
        }
        if taken > 0 {
            line = line.with(Role::Dim, between);
        }
        taken += needed;
        line = line.with(role, text);
    }
    lines.push(line);
    lines
}
