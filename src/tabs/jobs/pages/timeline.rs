//! The life of an attempt as a bar: queued, work that counts, work that came to nothing; and how much of it its GPUs worked.

use jiff::Timestamp;

use crate::analyze::jobs::Costed;
use crate::app::Role;
use crate::app::content::Line;
use crate::domain::jobs::GpuTime;
use crate::view::{Symbols, format};

/// Fewest and most cells of the bar.
const CELLS: (usize, usize) = (20, 100);

/// A stretch of the bar: its end, its sign, its role.
type Stretch = (Timestamp, &'static str, Role);

/// The bar in so many columns, with its legend; empty where its ends are not known.
pub(super) fn timeline(of: &Costed, symbols: Symbols, width: usize) -> Vec<Line> {
    let attempt = &of.attempt;
    let start = attempt.started_at;
    let Some(from) = attempt.submitted_at.or(start) else { return Vec::new() };
    let Some(until) = attempt.ended_at.or(attempt.seen_until).or(start) else { return Vec::new() };
    let total = until.duration_since(from).as_millis();
    if total <= 0 {
        return Vec::new();
    }
    let cells = width.saturating_sub(4).clamp(CELLS.0, CELLS.1);
    let mut line = Line::new().text("  ");
    let (mut drawn, mut signs) = (0, Vec::new());
    for (end, sign, role) in stretches(of, until, symbols) {
        let passed = end.duration_since(from).as_millis().clamp(0, total);
        let to = (passed * cells as i128 / total) as usize;
        if to > drawn {
            line = line.with(role, sign.repeat(to - drawn));
            drawn = to;
            signs.push(sign);
        }
    }
    let mut legend = Line::new().text("  ");
    for (name, sign, role) in legend_of(symbols) {
        if signs.contains(&sign) {
            legend = legend.with(role, sign).with(Role::Dim, format!(" {name}  "));
        }
    }
    vec![line, legend]
}

/// For how much of the time they were held the GPUs worked, by telemetry; `None` where nobody measured, or nothing was held.
pub(super) fn worked(of: &Costed) -> Option<String> {
    let (used, held) = (of.used?, of.held.gpu_time?);
    let share = format::share(used.share_of(held)?, 0);
    let hours = |time: GpuTime| format::grouped(time.hours(), 2);
    Some(format!(
        "GPUs worked {share} of the time they were held ({} of {} GPU-hours)",
        hours(used),
        hours(held)
    ))
}

/// Names, signs and roles of the stretches: queued, counts, came to nothing.
fn legend_of(symbols: Symbols) -> [(&'static str, &'static str, Role); 3] {
    match symbols {
        Symbols::Unicode => [
            ("queued", "░", Role::Dim),
            ("ran", "█", Role::Ok),
            ("came to nothing", "▓", Role::Idle),
        ],
        Symbols::Ascii => [
            ("queued", ".", Role::Dim),
            ("ran", "#", Role::Ok),
            ("came to nothing", "!", Role::Idle),
        ],
    }
}

fn stretches(of: &Costed, until: Timestamp, symbols: Symbols) -> Vec<Stretch> {
    let [(_, queued, dim), (_, ran, ok), (_, lost, idle)] = legend_of(symbols);
    let attempt = &of.attempt;
    let Some(start) = attempt.started_at else { return vec![(until, queued, dim)] };
    let comes_to_nothing = of.lost.gpu_time.is_some_and(|time| !time.is_zero());
    // Up to the last complete checkpoint it counts, else none of it does.
    let kept_until = match (comes_to_nothing, of.saved_at) {
        (false, _) => until,
        (true, Some(saved)) => saved.clamp(start, until.max(start)),
        (true, None) => start,
    };
    vec![(start, queued, dim), (kept_until, ran, ok), (until, lost, idle)]
}
