//! The anatomy of the month: what each category cost, what of it worked, was wasted, or was not judged.

use crate::analyze::bill::{Anatomy, AnatomyRow};
use crate::app::Role;
use crate::app::content::{Line, columns, wrap};
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

/// What of a bill has no verdict for its hours.
const NOT_JUDGED: &str = "not judged";

/// A line per category, with a bar of what worked, was wasted and was not judged of it.
pub(super) fn lines(summary: &BillSummary, symbols: Symbols, width: usize) -> Vec<Line> {
    let wide = width >= WIDE;
    let has_others = width >= WIDE + OTHERS;
    let most = summary.anatomy.rows.iter().map(|row| row.effective.to_f64()).fold(0.0, f64::max);
    let mut head = Line::new().column(Role::Heading, "Anatomy", NAME + 2);
    head = head.number(Role::Heading, "USD", USD).number(Role::Heading, "share", SHARE);
    if wide {
        head = head.column(Role::Heading, &legend(symbols), BAR + 4);
        for name in ["productive", "wasted", NOT_JUDGED] {
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

/// The same in as few lines as it takes: categories by cost, then what of all was wasted and what was not judged.
pub(super) fn in_short(summary: &BillSummary, symbols: Symbols, width: usize) -> Vec<Line> {
    let mut rows: Vec<_> =
        summary.anatomy.rows.iter().filter(|row| !row.effective.is_zero()).collect();
    rows.sort_by_key(|row| std::cmp::Reverse(row.effective));
    // Credits are no part of the costs that these are shares of.
    let costs: Usd = rows.iter().map(|row| row.productive + row.wasted + row.not_judged()).sum();
    let of = |part: Usd| if costs.is_zero() { 0.0 } else { part.to_f64() / costs.to_f64() };
    let wasted: Usd = rows.iter().map(|row| row.wasted).sum();
    let not_judged: Usd = rows.iter().map(|row| row.not_judged()).sum();
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
    parts.push((Role::Dim, sum(NOT_JUDGED, not_judged)));
    super::month::wrapped(parts, symbols.separator(), width)
}

/// What is called wasted, of which part of the costs, and how it differs from the Overview's waste. One line where a text
/// fits into it; no line for a bill without costs.
pub(super) fn what_is_wasted(anatomy: &Anatomy, width: usize) -> Vec<Line> {
    let judged: Usd = anatomy.rows.iter().map(|row| row.productive + row.wasted).sum();
    let not_judged: Usd = anatomy.rows.iter().map(AnatomyRow::not_judged).sum();
    let credits: Usd = anatomy.rows.iter().map(AnatomyRow::credited).sum();
    let costs = judged + not_judged;
    if costs <= Usd::ZERO {
        return Vec::new();
    }
    let share = part_of(judged.to_f64() / costs.to_f64());
    // Credits lower the bill and no cost: of the total, verdicts could cover more than all.
    let [before, in_short] = if credits.is_zero() {
        [String::new(), String::new()]
    } else {
        let usd = format::usd_short(credits.to_f64());
        [format!(" before credits and refunds of {usd}"), " before credits".to_owned()]
    };
    let overview = if credits.is_zero() { " Overview: waste per hour now." } else { "" };
    let texts = if anatomy.is_measured {
        [
            format!(
                "Verdicts cover {share} of this bill{before}: what worked, what idled, and commitments that nothing used. \
                 The rest was not judged, which is not waste. The Overview's waste is what idles now, USD per hour."
            ),
            format!(
                "Verdicts cover {share} of this bill{before}; the rest was not judged and is not waste. \
                 The Overview's waste is USD per hour, now."
            ),
            format!("Verdicts cover {share} of it{in_short}, the rest is no waste.{overview}"),
        ]
    } else {
        [
            "No verdicts are of this month: wasted is what commitments left unused, and the rest is not waste. \
             The Overview's waste is what idles now, USD per hour.",
            "No verdicts are of this month: wasted is what commitments left unused. Overview: USD per hour, now.",
            "No verdicts of this month: wasted is what commitments left unused.",
        ]
        .map(str::to_owned)
    };
    let fitting = texts.iter().find(|text| columns(text) <= width).unwrap_or(&texts[2]);
    wrap(fitting, width).into_iter().map(|part| Line::of(Role::Dim, part)).collect()
}

/// A share (0–1, clamped to it) as a percentage; what is not nothing is not `0%`.
fn part_of(share: f64) -> String {
    let share = share.clamp(0.0, 1.0);
    if share > 0.0 && share < 0.005 {
        format!("<{}", format::share(0.01, 0))
    } else {
        format::share(share, 0)
    }
}

/// Signs of what worked, was wasted and was not judged, with their words.
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analyze::bill::Category;
    use crate::tabs::overview::pages::line_columns;

    /// An anatomy of one category, of which so many dollars have verdicts.
    fn anatomy(judged: f64, is_measured: bool) -> Anatomy {
        let usd = |usd: f64| Usd::from_f64(usd).unwrap();
        let row = AnatomyRow {
            category: Category::Training,
            effective: usd(100.0),
            productive: usd(judged),
            wasted: Usd::ZERO,
            unknown: usd(100.0 - judged),
            share: 1.0,
        };
        Anatomy { rows: vec![row], total: usd(100.0), is_measured }
    }

    #[test]
    fn it_says_what_part_of_the_bill_has_verdicts_and_that_the_rest_is_no_waste() {
        for width in [80, 120, 250] {
            let lines = what_is_wasted(&anatomy(23.0, true), width);
            assert_eq!(lines.len(), 1, "{width}");
            assert!(line_columns(&lines[0]) <= width, "{width}");
            let text = &lines[0].spans[0].text;
            assert!(text.starts_with("Verdicts cover 23% of "), "{text}");
            assert!(text.contains("waste. ") && text.contains("Overview"), "{text}");
        }
        let text = what_is_wasted(&anatomy(0.0, false), 80);
        assert!(text[0].spans[0].text.starts_with("No verdicts of this month"), "{text:?}");
        let nothing = Anatomy { rows: Vec::new(), total: Usd::ZERO, is_measured: true };
        assert!(what_is_wasted(&nothing, 80).is_empty());
    }

    #[test]
    fn credits_are_apart_from_the_costs_that_verdicts_cover() {
        let row = |category, productive: i64, unknown: i64| AnatomyRow {
            category,
            effective: Usd::whole(productive + unknown),
            productive: Usd::whole(productive),
            wasted: Usd::ZERO,
            unknown: Usd::whole(unknown),
            share: 0.0,
        };
        let rows = vec![row(Category::Training, 900, 100), row(Category::Fees, 0, -400)];
        let anatomy = Anatomy { rows, total: Usd::whole(600), is_measured: true };
        for width in [80, 120, 250] {
            let lines = what_is_wasted(&anatomy, width);
            assert_eq!(lines.len(), 1, "{width}");
            let text = &lines[0].spans[0].text;
            assert!(text.starts_with("Verdicts cover 90% of "), "{text}");
            assert!(text.contains(" before credits"), "{text}");
        }
        assert_eq!(part_of(0.001), "<1%");
        assert_eq!((part_of(0.0), part_of(1.5)), ("0%".to_owned(), "100%".to_owned()));
    }
}
