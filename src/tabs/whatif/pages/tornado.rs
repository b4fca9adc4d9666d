//! What each input does to the cost: the largest effect first.

use crate::app::App;
use crate::app::Role;
use crate::app::content::{Line, columns};
use crate::tabs::overview::pages::cut;
use crate::tabs::whatif::picture::words;
use crate::view::Symbols;
use crate::whatif::TornadoBar;

/// Columns of an amount.
const MONEY: usize = 9;
/// Columns of the last word.
const WORD: usize = 17;

/// Below so many columns the name of an input stands above its bar.
const NARROW: usize = 60;

/// The list.
pub(super) fn lines(app: &App, width: usize) -> Vec<Line> {
    let Some(answer) = app.whatif().answer().filter(|a| !a.tornado.is_empty()) else {
        return super::waiting(app, "These bars", width);
    };
    let symbols = app.appearance().symbols;
    let most =
        answer.tornado.iter().flat_map(|bar| bar.usd).fold(0.0f64, |m, usd| m.max(usd.abs()));
    let label = answer.tornado.iter().map(|bar| columns(&name(bar))).max().unwrap_or(0);
    if width < NARROW {
        return narrow(&answer.tornado, most, width, symbols);
    }
    let label = label.min(width / 3).max(10);
    let word = if width >= label + 2 * MONEY + WORD + 16 { WORD } else { 2 };
    let bar_width = width.saturating_sub(label + 2 * MONEY + word + 2).min(60);
    let (low, high) = glyphs(symbols);
    let mut lines = vec![
        Line::new()
            .with(Role::Dim, "change of the mean cost over the same futures: ")
            .with(Role::Ok, low.to_string())
            .with(Role::Dim, " at the lower value ")
            .with(Role::Idle, high.to_string())
            .with(Role::Dim, " at the higher"),
    ];
    for bar in &answer.tornado {
        let mut line = Line::new()
            .column(Role::Text, &cut(&name(bar), label, symbols), label)
            .number(Role::Ok, &words::usd_signed(bar.usd[0]), MONEY)
            .text(" ");
        if bar_width >= 6 {
            for (role, cells) in drawn(bar, most, bar_width, symbols) {
                line = line.with(role, cells);
            }
        }
        line = line.text(" ").number(Role::Idle, &words::usd_signed(bar.usd[1]), MONEY - 1);
        line = match (bar.decision_changes(), word > 2) {
            (true, true) => line.with(Role::Warn, "  decision changes"),
            (true, false) => line.with(Role::Warn, " !"),
            (false, _) => line,
        };
        lines.push(line);
        if bar_width >= 24 && width >= 60 {
            lines.push(values(bar, label));
        }
    }
    if word == 2 {
        lines.push(Line::of(Role::Dim, "! = the decision changes"));
    }
    lines
}

/// Two lines for each: its name with its word, then the bar.
fn narrow(bars: &[TornadoBar], most: f64, width: usize, symbols: Symbols) -> Vec<Line> {
    let (low, high) = glyphs(symbols);
    let mut lines = vec![
        Line::new()
            .with(Role::Ok, low.to_string())
            .with(Role::Dim, " lower value  ")
            .with(Role::Idle, high.to_string())
            .with(Role::Dim, " higher value"),
    ];
    for bar in bars {
        let changes = bar.decision_changes();
        let word = if changes { "  decision changes" } else { "" };
        let name = cut(&name(bar), width.saturating_sub(columns(word)).max(4), symbols);
        lines.push(Line::of(Role::Text, name).with(Role::Warn, word));
        let mut line =
            Line::new().number(Role::Ok, &words::usd_signed(bar.usd[0]), MONEY).text(" ");
        let room = width.saturating_sub(2 * MONEY + 1);
        if room >= 6 {
            for (role, cells) in drawn(bar, most, room, symbols) {
                line = line.with(role, cells);
            }
        }
        lines.push(line.number(Role::Idle, &words::usd_signed(bar.usd[1]), MONEY));
    }
    lines
}

/// The values behind the two ends, and what would be bought there.
fn values(bar: &TornadoBar, label: usize) -> Line {
    let [now, low, high] = bar.best_units;
    let best = if bar.decision_changes() {
        format!(
            "; best {} now, {} and {} there",
            words::units(now),
            words::units(low),
            words::units(high)
        )
    } else {
        String::new()
    };
    let text = format!("{} or {}{best}", bar.values[0], bar.values[1]);
    Line::new().text(" ".repeat(label.min(2) + 2)).with(Role::Dim, text)
}

fn name(bar: &TornadoBar) -> String {
    if bar.family.is_empty() { bar.input.clone() } else { format!("{} {}", bar.family, bar.input) }
}

fn glyphs(symbols: Symbols) -> (char, char) {
    if symbols == Symbols::Ascii { ('-', '#') } else { ('▒', '█') }
}

/// The bar around its middle, in runs of one role.
fn drawn(bar: &TornadoBar, most: f64, width: usize, symbols: Symbols) -> Vec<(Role, String)> {
    let (low, high) = glyphs(symbols);
    let middle = width / 2;
    let reach = (width - 1) / 2;
    let mut cells = vec![(' ', Role::Text); width];
    let mut ends = [(bar.usd[0], low, Role::Ok), (bar.usd[1], high, Role::Idle)];
    // The shorter one stands before the longer one where both go the same way.
    ends.sort_by(|a, b| b.0.abs().total_cmp(&a.0.abs()));
    for (usd, glyph, role) in ends {
        if most <= 0.0 || !usd.is_finite() {
            continue;
        }
        let length = ((usd.abs() / most) * reach as f64).round() as usize;
        let range = if usd < 0.0 {
            middle.saturating_sub(length)..middle
        } else {
            (middle + 1).min(width)..(middle + 1 + length).min(width)
        };
        cells[range].fill((glyph, role));
    }
    cells[middle] = (if symbols == Symbols::Ascii { '|' } else { '│' }, Role::Dim);
    let mut runs: Vec<(Role, String)> = Vec::new();
    for (glyph, role) in cells {
        match runs.last_mut() {
            Some((last, text)) if *last == role => text.push(glyph),
            _ => runs.push((role, glyph.to_string())),
        }
    }
    runs
}
