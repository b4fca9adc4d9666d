//! The Overview as text: the bill and what it is spent on, the costliest findings, the GPUs as judged and as they are
//! now, what could be saved, the scorecard, whose it is and where.

mod bill;
mod findings;
mod ladder;
mod measures;
mod past;
mod savings;
mod scorecard;

pub(crate) use bill::lines as bill;

use crate::app::App;
use crate::app::Role;
use crate::app::content::{Line, columns, pad, wrap};
use crate::domain::SourceId;
use crate::fleet::savings::BillPart;
use crate::tabs::overview::picture::{Group, Overview, directed};
use crate::tabs::storage::pages::unread;
use crate::view::Symbols;
use crate::view::format;
pub(crate) use crate::view::room::cut;

/// Columns between blocks side by side.
pub(crate) const GAP: usize = 4;

/// Teams and places listed; the rest is summed up in a line.
const GROUPS: usize = 10;

/// Lines of the Overview.
pub fn lines(app: &App, overview: &Overview, width: usize) -> Vec<Line> {
    let ctx = app.view_context();
    let mut lines = Vec::new();
    if let Some((some, all)) = app.partly_loaded() {
        let count = |n: usize| format::grouped(n as f64, 0);
        let text =
            format!("The sums below are of {} of {} instances so far.", count(some), count(all));
        lines.push(Line::of(Role::Warn, text));
    }
    // On a short screen the findings must not be pushed off it.
    let is_short = app.size().1 < ladder::TALL && overview.ladder.is_whole();
    let (bill, below) = if is_short {
        ladder::short(overview, &ctx, width)
    } else {
        ladder::lines(overview, &ctx, width)
    };
    let directed = directed(&overview.scores, app.burn_past().map(|past| &**past));
    let scores = scorecard::lines(&directed, &overview.units, &ctx, width);
    // On a wide screen the scorecard stands beside the ladder, else below the findings.
    let together = !is_short && widest(&bill) + GAP + widest(&scores) <= width;
    if together {
        let left = widest(&bill) + GAP;
        lines.extend(beside(bill, scores.clone(), left));
    } else {
        lines.extend(bill);
    }
    let why = |part| match part {
        BillPart::Buckets => unread(app, SourceId::S3),
        BillPart::Volumes => unread(app, SourceId::Ebs),
    };
    lines.extend(ladder::unread(&overview.ladder, why, width));
    lines.extend(below);
    lines.push(Line::new());
    block(&mut lines, findings::lines(overview, &ctx, width));
    if is_short {
        block(&mut lines, ladder::parts(&overview.ladder, &ctx, width));
    }
    block(&mut lines, past::lines(app, &ctx, width));
    if let Some(measures) = &overview.measures {
        block(&mut lines, measures::lines(measures, &ctx, width));
    }
    block(&mut lines, crate::tabs::gpus::pages::findings(&overview.gpu_findings, &ctx));
    if let Some(saved) = &overview.saved {
        block(&mut lines, savings::waterfall(saved, &ctx, width));
        block(&mut lines, savings::sequence(saved, &ctx, width));
    }
    block(&mut lines, crate::tabs::storage::pages::overview(app, width));
    block(&mut lines, crate::tabs::whatif::pages::overview(app).into_iter().collect());
    // What sources of telemetry leave unseen is said with the GPUs, instance by instance.
    let told = app.gpu_tab().said().and_then(|said| said.blind.sentence());
    let sentence = told.or_else(|| overview.blind.sentence()).unwrap_or_default();
    let unseen = wrap(&sentence, width).into_iter().filter(|part| !part.is_empty());
    block(&mut lines, unseen.map(|part| Line::of(Role::Warn, part)).collect());
    if !together {
        block(&mut lines, scores);
    }
    let teams = groups("By team", "no team tag", &overview.teams, ctx.symbols);
    let places = groups("By account and region", "", &overview.places, ctx.symbols);
    if widest(&teams) + GAP + widest(&places) <= width {
        let left = widest(&teams) + GAP;
        lines.extend(beside(teams, places, left));
    } else {
        lines.extend(teams);
        lines.push(Line::new());
        lines.extend(places);
    }
    lines
}

/// Adds a block and an empty line under it; nothing where it has no line.
fn block(lines: &mut Vec<Line>, more: Vec<Line>) {
    if !more.is_empty() {
        lines.extend(more);
        lines.push(Line::new());
    }
}

fn groups(title: &'static str, unnamed: &str, groups: &[Group], symbols: Symbols) -> Vec<Line> {
    let name_of = |g: &Group| g.name.clone().unwrap_or_else(|| unnamed.to_owned());
    let name = groups.iter().take(GROUPS).map(|g| columns(&name_of(g))).max().unwrap_or(0);
    let name = name.clamp(8, 28);
    let mut lines = vec![
        Line::new()
            .column(Role::Heading, title, name + 2)
            .number(Role::Dim, "burn", 13)
            .number(Role::Dim, "waste", 13)
            .number(Role::Dim, "GPUs", 8),
    ];
    for group in groups.iter().take(GROUPS) {
        let label: String = cut(&name_of(group), name, symbols);
        let mut line = Line::new()
            .text("  ")
            .column(Role::Text, &label, name.max(columns(title)))
            .number(Role::Text, &symbols.or_unknown(group.known_burn(), format::usd_per_hour), 13)
            .number(Role::Idle, &symbols.or_unknown(group.known_waste(), format::usd_per_hour), 13)
            .number(Role::Dim, &format::count(group.gpus), 8);
        if group.unpriced > 0 {
            line = line.with(Role::Warn, format!("  {} unpriced", group.unpriced));
        }
        lines.push(line);
    }
    if let Some(rest) = groups.get(GROUPS..).filter(|r| !r.is_empty()) {
        let burn: f64 = rest.iter().map(|g| g.burn).sum();
        let text = format!("  {} more, {}", rest.len(), format::usd_per_hour(burn));
        lines.push(Line::of(Role::Dim, text));
    }
    lines
}

/// Width of a line in columns.
pub(crate) fn line_columns(line: &Line) -> usize {
    line.spans.iter().map(|s| columns(&s.text)).sum()
}

/// Width of the widest line in columns; 0 without lines.
pub(crate) fn widest(lines: &[Line]) -> usize {
    lines.iter().map(line_columns).max().unwrap_or(0)
}

/// Two blocks side by side, the first one `left` columns wide.
pub(crate) fn beside(first: Vec<Line>, second: Vec<Line>, left: usize) -> Vec<Line> {
    let height = first.len().max(second.len());
    let mut second = second.into_iter();
    let mut first = first.into_iter();
    (0..height)
        .map(|_| {
            let mut line = first.next().unwrap_or_default();
            let gap = left.saturating_sub(line_columns(&line));
            if let Some(right) = second.next() {
                line = line.text(pad("", gap));
                line.spans.extend(right.spans);
                line.target = line.target.or(right.target);
            }
            line
        })
        .collect()
}
