//! The anatomy of the month: what each category cost, what of it worked, was wasted, or is not known.

use crate::app::Role;
use crate::app::content::Line;
use crate::domain::bill::Usd;
use crate::tabs::bill::picture::{BillSummary, published_shares};
use crate::view::{Symbols, format};

/// Columns of names, dollars, shares and bars.
const NAME: usize = 14;
const USD: usize = 12;
const SHARE: usize = 6;
const BAR: usize = 20;
/// Columns with the bar, and what published shares take besides.
const WIDE: usize = 2 + NAME + USD + SHARE + BAR + 3 * USD + 8;
const OTHERS: usize = 20;

/// A line per category, with a bar of what worked, was wasted and is not known of it.
pub(super) fn lines(summary: &BillSummary, symbols: Symbols, width: usize) -> Vec<Line> {
    let wide = width >= WIDE;
    let has_others = width >= WIDE + OTHERS;
    let most = summary.anatomy.rows.iter().map(|row| row.effective.to_f64()).fold(0.0, f64::max);
    let mut head = Line::new().column(Role::Heading, "Anatomy", NAME + 2);
    head = head.number(Role::Heading, "USD", USD).number(Role::Heading, "share", SHARE);
    if wide {
        head = head.column(Role::Heading, &legend(symbols), BAR + 4);
        for name in ["productive", "wasted", "unknown"] {
            head = head.number(Role::Heading, name, USD);
        }
        if has_others {
            head = head.with(Role::Heading, "  share of others");
        }
    }
    let mut lines = vec![head];
    for row in &summary.anatomy.rows {
        let usd = |usd: Usd| format::usd_coarse(usd.to_f64());
        let mut line =
            Line::new().text("  ").column(Role::Text, &row.category.word().replace('_', " "), NAME);
        line = line.number(Role::Text, &usd(row.effective), USD);
        line = line.number(Role::Dim, &format::share(row.share, 0), SHARE);
        if wide {
            let [works, waste, unknown] = signs(symbols);
            let parts = [(row.productive, works), (row.wasted, waste), (row.unknown, unknown)];
            line = bar(line.text("  "), &parts, most);
            line = line.number(Role::Text, &usd(row.productive), USD);
            let role = if row.wasted.is_zero() { Role::Dim } else { Role::Idle };
            line = line.number(role, &usd(row.wasted), USD);
            line = line.number(Role::Dim, &usd(row.unknown), USD);
            if has_others {
                line = line.with(Role::Dim, format!("  {}", published_shares(row.category)));
            }
        }
        lines.push(line);
    }
    lines
}

/// The same in as few lines as it takes: categories by cost, then what of all was wasted and what is not known.
pub(super) fn in_short(summary: &BillSummary, symbols: Symbols, width: usize) -> Vec<Line> {
    let mut rows: Vec<_> =
        summary.anatomy.rows.iter().filter(|row| !row.effective.is_zero()).collect();
    rows.sort_by_key(|row| std::cmp::Reverse(row.effective));
    let all: Usd = rows.iter().map(|row| row.effective).sum();
    let of = |part: Usd| if all.is_zero() { 0.0 } else { part.to_f64() / all.to_f64() };
    let wasted: Usd = rows.iter().map(|row| row.wasted).sum();
    let unknown: Usd = rows.iter().map(|row| row.unknown).sum();
    let mut parts: Vec<(Role, String)> = rows
        .iter()
        .map(|row| {
            let name = row.category.word().replace('_', " ");
            (Role::Text, format!("{name} {}", format::share(row.share, 0)))
        })
        .collect();
    let sum = |name: &str, usd: Usd| {
        format!("{name} {} ({})", format::usd_short(usd.to_f64()), format::share(of(usd), 0))
    };
    parts.push((Role::Idle, sum("wasted", wasted)));
    parts.push((Role::Dim, sum("unknown", unknown)));
    super::month::wrapped(parts, symbols.separator(), width)
}

/// Signs of what worked, was wasted and is not known, with their words.
fn signs(symbols: Symbols) -> [(&'static str, Role); 3] {
    match symbols {
        Symbols::Unicode => [("█", Role::Ok), ("▓", Role::Idle), ("░", Role::Dim)],
        Symbols::Ascii => [("#", Role::Ok), ("!", Role::Idle), (".", Role::Dim)],
    }
}

fn legend(symbols: Symbols) -> String {
    let [works, waste, unknown] = signs(symbols).map(|(sign, _)| sign);
    format!("  {works} works {waste} waste {unknown} ?")
}

/// A bar as long as its parts are of `most`, each with its sign, in [`BAR`] columns and two blanks.
pub(crate) fn bar(mut line: Line, parts: &[(Usd, (&'static str, Role))], most: f64) -> Line {
    let mut taken = 0;
    let mut upto = 0.0;
    for (usd, (sign, role)) in parts {
        upto += usd.to_f64().max(0.0);
        let end = if most > 0.0 { (upto / most * BAR as f64).round() as usize } else { 0 };
        let end = end.clamp(taken, BAR);
        line = line.with(*role, sign.repeat(end - taken));
        taken = end;
    }
    line.text(" ".repeat(BAR - taken + 2))
}
