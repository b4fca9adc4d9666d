//! Bars per day: the month on screen beside the one before it.

use crate::app::Role;
use crate::app::content::Line;
use crate::view::{Symbols, format};

/// Levels of a cell, lowest first.
const BLOCKS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
const ASCII: [char; 8] = ['_', '.', ',', '-', '=', '+', '*', '#'];

/// Columns of the scale on the left.
const SCALE: usize = 8;

/// Bars per day in `height` lines and a line below them with the days: of each day first `before`, then `now`, USD; `None` for a
/// day without a line. Empty where they do not fit into `width` columns.
pub(super) fn lines(
    now: &[Option<f64>],
    before: &[Option<f64>],
    height: usize,
    width: usize,
    symbols: Symbols,
) -> Vec<Line> {
    let days = now.len().max(before.len());
    // A blank between days, where there is room.
    let per_day = if days * 3 + SCALE < width { 3 } else { 2 };
    let most = now.iter().chain(before).flatten().copied().fold(0.0, f64::max);
    if days == 0 || height == 0 || most <= 0.0 || days * per_day + SCALE >= width {
        return Vec::new();
    }
    let mark = |usd: Option<f64>, row: usize| {
        let levels = match symbols {
            Symbols::Unicode => BLOCKS,
            Symbols::Ascii => ASCII,
        };
        let full = usd.map_or(0.0, |usd| usd.max(0.0) / most * (height * levels.len()) as f64);
        // A day that cost anything has a mark.
        let eighths = if full > 0.0 { (full.round() as usize).max(1) } else { 0 };
        let above = eighths.saturating_sub(row * levels.len()).min(levels.len());
        above.checked_sub(1).map_or(' ', |level| levels[level])
    };
    let mut lines: Vec<Line> = (0..height)
        .rev()
        .map(|row| {
            let scale = if row + 1 == height { format::usd_short(most) } else { String::new() };
            let mut line = Line::new().number(Role::Dim, &scale, SCALE).text(" ");
            for day in 0..days {
                let of = |all: &[Option<f64>]| all.get(day).copied().flatten();
                line = line.with(Role::Dim, mark(of(before), row).to_string());
                line = line.with(Role::Accent, mark(of(now), row).to_string());
                line = if per_day == 3 { line.text(" ") } else { line };
            }
            line
        })
        .collect();
    lines.push(axis(days, per_day));
    lines
}

/// The days below their bars, with what both bars of a day are: each day where two columns suffice, else each fifth.
fn axis(days: usize, per_day: usize) -> Line {
    let each = if per_day == 3 { 1 } else { 5 };
    let mut text = String::new();
    for day in (1..=days).filter(|day| *day == 1 || day % each == 0) {
        let at = (day - 1) * per_day;
        let blank = at.saturating_sub(text.len());
        text.push_str(&" ".repeat(blank));
        text.push_str(&day.to_string());
    }
    Line::new().column(Role::Dim, "last|now", SCALE + 1).with(Role::Dim, text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(lines: &[Line]) -> Vec<String> {
        let of = |line: &Line| line.spans.iter().map(|span| &*span.text).collect::<String>();
        lines.iter().map(|line| of(line).trim_end().to_owned()).collect()
    }

    #[test]
    fn a_bar_is_as_high_as_its_day_and_what_cost_anything_has_a_mark() {
        let now = [Some(16.0), Some(0.001), Some(0.0), None, Some(-3.0)];
        let before = [Some(8.0); 5];
        let lines = text(&lines(&now, &before, 2, 40, Symbols::Unicode));
        assert_eq!(lines[0], "   $16.0  █");
        assert_eq!(lines[1], "         ██ █▁ █  █  █");
        assert_eq!(lines[2], "last|now 1  2  3  4  5");
    }

    #[test]
    fn bars_without_room_or_dollars_are_left_out() {
        let month = [Some(1.0); 31];
        assert_eq!(lines(&month, &month, 3, 60, Symbols::Unicode), []);
        assert_eq!(lines(&[Some(0.0)], &[], 3, 60, Symbols::Unicode), []);
        assert_eq!(lines(&[], &[], 3, 60, Symbols::Unicode), []);
        let ascii = text(&lines(&month, &[], 1, 78, Symbols::Ascii)).concat();
        assert!(ascii.is_ascii() && ascii.contains('#'), "{ascii}");
    }
}
