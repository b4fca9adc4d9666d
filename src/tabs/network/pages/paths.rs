//! The paths by kind with a bar each, and the fixes by kind; both also in as few lines as it takes.

use crate::analyze::network::{FixSum, PathSum};
use crate::app::Role;
use crate::app::content::Line;
use crate::domain::bill::Usd;
use crate::tabs::bill::pages::{bar, wrapped};
use crate::tabs::network::picture::NetworkSums;
use crate::view::{Symbols, format, reasons};

/// Columns of names, dollars, shares, bytes.
const NAME: usize = 16;
const USD: usize = 12;
const SHARE: usize = 6;
const BYTES: usize = 9;
/// Columns with the bar.
const WIDE: usize = 2 + NAME + 2 * USD + SHARE + BYTES + 24;
/// Columns of a fix before its words.
const FIX: usize = 2 + 18 + 20 + 10;

/// Name of a kind on screen.
fn spaced(word: &str) -> String {
    word.replace('_', " ")
}

fn usd(usd: Usd) -> String {
    format::usd_spent(usd.to_f64())
}

fn share(sum: &PathSum, of: &NetworkSums, symbols: Symbols) -> String {
    let all = of.network + of.requests;
    let share = if all.is_zero() { 0.0 } else { sum.usd.to_f64() / all.to_f64() };
    if is_unknown(sum) { symbols.unknown().to_owned() } else { format::share(share, 0) }
}

/// True where no path of the kind has a known price.
fn is_unknown(sum: &PathSum) -> bool {
    sum.unpriced == sum.rows
}

/// What a kind costs: a lower bound where some of its paths have no known price.
fn cost(sum: &PathSum, symbols: Symbols) -> String {
    if is_unknown(sum) {
        return symbols.unknown().to_owned();
    }
    format::bound(usd(sum.usd), sum.unpriced > 0, symbols)
}

/// A line per kind of path, with a bar of what stays and what could be avoided of it.
pub(super) fn bars(sums: &NetworkSums, symbols: Symbols, width: usize) -> Vec<Line> {
    let wide = width >= WIDE;
    let most = sums.by_path.iter().map(|sum| sum.usd.to_f64()).fold(0.0, f64::max);
    let [stays, avoidable] = signs(symbols);
    let mut head = Line::new().column(Role::Heading, "By path", NAME + 2);
    head = head.number(Role::Heading, "USD", USD).number(Role::Heading, "share", SHARE);
    head = head.number(Role::Heading, "bytes", BYTES).number(Role::Heading, "avoidable", USD);
    if wide {
        head = head.with(Role::Heading, format!("  {} stays {} up to", stays.0, avoidable.0));
    }
    let mut lines = vec![head];
    for sum in &sums.by_path {
        let mut line = Line::new().text("  ").column(Role::Text, &spaced(sum.path.word()), NAME);
        line = line.number(Role::Text, &cost(sum, symbols), USD);
        line = line.number(Role::Dim, &share(sum, sums, symbols), SHARE);
        line = line.number(Role::Dim, &symbols.or_unknown(sum.bytes, format::bytes_binary), BYTES);
        let role = if sum.avoidable.is_zero() { Role::Dim } else { Role::Idle };
        let avoids = if is_unknown(sum) { symbols.unknown().into() } else { usd(sum.avoidable) };
        line = line.number(role, &avoids, USD);
        if wide {
            let parts = [(sum.usd - sum.avoidable, stays), (sum.avoidable, avoidable)];
            line = bar(line.text("  "), &parts, most);
        }
        lines.push(line);
    }
    lines
}

/// Signs of what stays and of what could be avoided.
fn signs(symbols: Symbols) -> [(&'static str, Role); 2] {
    match symbols {
        Symbols::Unicode => [("█", Role::Ok), ("▓", Role::Idle)],
        Symbols::Ascii => [("#", Role::Ok), ("!", Role::Idle)],
    }
}

/// Shares of the paths, the costliest first.
pub(super) fn in_short(sums: &NetworkSums, symbols: Symbols, width: usize) -> Vec<Line> {
    let part = |sum: &PathSum| {
        (Role::Text, format!("{} {}", spaced(sum.path.word()), share(sum, sums, symbols)))
    };
    wrapped(sums.by_path.iter().map(part).collect(), symbols.separator(), width)
}

/// What a fix avoids, of how many paths.
fn much(sum: &FixSum) -> String {
    let much = reasons::network_avoided(sum.avoidable, sum.confidence);
    much.unwrap_or_else(|| "not known".to_owned())
}

/// A line per kind of fix: what it avoids, of how many paths, what is done.
pub(super) fn fixes(sums: &NetworkSums, width: usize) -> Vec<Line> {
    let mut head = Line::new().column(Role::Heading, "By fix", 20);
    head = head.number(Role::Heading, "avoidable", 20).number(Role::Heading, "paths", 8);
    let mut lines = vec![head];
    for sum in &sums.by_fix {
        let mut line = Line::new().text("  ").column(Role::Accent, &spaced(sum.remedy.word()), 18);
        line = line.number(Role::Idle, &much(sum), 20);
        line = line.number(Role::Text, &format::grouped(sum.rows as f64, 0), 8);
        let words = reasons::network_remedy(&sum.remedy);
        if FIX + words.chars().count() <= width {
            line = line.with(Role::Dim, format!("  {words}"));
        }
        lines.push(line);
    }
    lines
}

/// The fixes and what each avoids, the most first.
pub(super) fn fixes_in_short(sums: &NetworkSums, symbols: Symbols, width: usize) -> Vec<Line> {
    let part = |sum: &FixSum| (Role::Text, format!("{} {}", spaced(sum.remedy.word()), much(sum)));
    wrapped(sums.by_fix.iter().map(part).collect(), symbols.separator(), width)
}
