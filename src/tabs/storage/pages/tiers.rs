//! What each storage class would cost: the options side by side.

use super::parts::{heading, paragraph, provenance};
use crate::analyze::storage::price::Volumes;
use crate::analyze::storage::tiers::{Access, Comparison, Question, Target, cohorts, compare};
use crate::app::Role;
use crate::app::content::{Line, graph};
use crate::app::{App, TierSubject};
use crate::domain::storage::{PrefixTree, S3Prices, Sums};
use crate::fleet::StorageFleet;
use crate::fleet::storage::BucketRow;
use crate::tabs::storage::picture::tiers::{TiersModel, letter, name};
use crate::tabs::storage::picture::words;
use crate::view::format;

/// Lines of the chart.
const CHART_HEIGHT: usize = 10;

/// Months that are looked ahead.
const MONTHS: u16 = 24;

/// The page.
pub(super) fn lines(app: &App, subject: &TierSubject, width: usize) -> Vec<Line> {
    let mut lines = Vec::new();
    let Some(fleet) = app.storage() else { return lines };
    let Some((title, sums, prices)) = asked(fleet, subject) else {
        lines.push(Line::of(Role::Heading, "Tier what-if"));
        paragraph(
            Role::Text,
            "It needs a list of objects, for their sizes and ages, and the prices of their region. \
             i on a bucket asks what a list costs.",
            width,
            &mut lines,
        );
        return lines;
    };
    let reads = app.storage_tab().reads();
    let cohorts = cohorts(&sums);
    let others = others(fleet, subject, &sums);
    let question = Question {
        cohorts: &cohorts,
        prices,
        others: &others,
        access: Access::every(reads),
        moves_small: false,
        months: MONTHS,
    };
    let found = compare(&question);
    lines.push(Line::of(Role::Heading, title));
    paragraph(
        Role::Text,
        &format!(
            "{} in {} objects; each byte read {} times a month: + - moves that, = types it. {}.",
            words::size(sums.all_bytes() as f64),
            format::grouped(sums.all_objects() as f64, 0),
            format::count(reads),
            provenance(&prices.provenance),
        ),
        width,
        &mut lines,
    );
    options(app, &found, width, &mut lines);
    best(&found, width, &mut lines);
    let symbols = app.appearance().symbols;
    let plot = TiersModel::of(&question).chart();
    let room = width.saturating_sub(16).min(100);
    let drawn = plot.text(room, CHART_HEIGHT, symbols);
    if !drawn.is_empty() && room >= 24 {
        heading("Dollars saved against staying, by month", &mut lines);
        lines.extend(drawn.into_iter().map(|row| Line::new().text("  ").text(row)));
        let letters = plot.lines.iter().map(|(t, _)| format!("{} {}", letter(*t), name(*t)));
        paragraph(Role::Dim, &letters.collect::<Vec<_>>().join("   "), width, &mut lines);
    }
    lines
}

/// Name, sums and prices of what is asked about.
fn asked<'a>(
    fleet: &'a StorageFleet,
    subject: &TierSubject,
) -> Option<(String, Sums, &'a S3Prices)> {
    let prices_of = |row: &BucketRow| fleet.s3_prices.get(&row.scope.region).map(|p| &**p);
    match subject {
        TierSubject::Bucket(name) => {
            let prices = prices_of(fleet.bucket(name)?)?;
            let sums = fleet.scans.get(name)?.tree.sums(PrefixTree::ROOT);
            Some((name.to_string(), sums, prices))
        }
        TierSubject::Prefix(name, node) => {
            let prices = prices_of(fleet.bucket(name)?)?;
            let tree = &fleet.scans.get(name)?.tree;
            let path = tree.path(*node);
            let path = crate::domain::text::clean(&String::from_utf8_lossy(&path)).into_owned();
            Some((format!("{name}/{path}"), tree.sums(*node), prices))
        }
        TierSubject::Fleet => {
            // One region's prices for all of it: that of the costliest listed bucket.
            let first = fleet.buckets.iter().find(|b| fleet.scans.contains_key(&b.name))?;
            let prices = prices_of(first)?;
            let here = |b: &&std::sync::Arc<BucketRow>| b.scope == first.scope;
            let mut sums = Sums::default();
            for bucket in fleet.buckets.iter().filter(here) {
                if let Some(scan) = fleet.scans.get(&bucket.name) {
                    sums.add(&scan.tree.sums(PrefixTree::ROOT));
                }
            }
            Some((format!("All listed buckets of {}", first.scope), sums, prices))
        }
    }
}

/// What the account is billed for beside it.
fn others(fleet: &StorageFleet, subject: &TierSubject, own: &Sums) -> Volumes {
    let mut out = Volumes::default();
    let scope = match subject {
        TierSubject::Bucket(name) | TierSubject::Prefix(name, _) => {
            fleet.bucket(name).map(|b| b.scope.clone())
        }
        TierSubject::Fleet => fleet
            .buckets
            .iter()
            .find(|b| fleet.scans.contains_key(&b.name))
            .map(|b| b.scope.clone()),
    };
    for row in fleet.buckets.iter().filter(|b| Some(&b.scope) == scope.as_ref()) {
        for share in &row.tiers {
            out.add_gib(share.tier, share.bytes as f64 / crate::domain::storage::GIB);
        }
    }
    let own = Volumes::of(own);
    out.0.iter_mut().zip(own.0).for_each(|(all, own)| *all = (*all - own).max(0.0));
    out
}

/// One line per option: the first month, a year, the valley, the pay-back, the curve.
fn options(app: &App, found: &Comparison, width: usize, lines: &mut Vec<Line>) {
    let symbols = app.appearance().symbols;
    let unknown = symbols.unknown();
    heading("Saved against staying, by the end of the month", lines);
    lines.push(
        Line::new()
            .text("  ")
            .column(Role::Heading, "OPTION", 21)
            .number(Role::Heading, "FEES", 9)
            .number(Role::Heading, "MONTH 1", 10)
            .number(Role::Heading, "YEAR 1", 10)
            .number(Role::Heading, "VALLEY", 10)
            .number(Role::Heading, "PAID BACK", 11),
    );
    for curve in &found.curves {
        let target = curve.target;
        let sign = |usd: f64| format::usd_total(usd);
        let by = |month| symbols.or_unknown(found.saved_by(target, month), sign);
        let payback = match found.payback_month(target) {
            _ if target == Target::Stay => unknown.to_owned(),
            Some(month) => format!("month {month}"),
            None if found.saved(target).is_none() => unknown.to_owned(),
            None => "never".to_owned(),
        };
        let gains = found.saved_by(target, MONTHS).is_some_and(|usd| usd > 0.0);
        let role = if gains { Role::Ok } else { Role::Text };
        let mut line = Line::new()
            .text("  ")
            .column(role, name(target), 21)
            .number(Role::Text, &sign(curve.fees.total()), 9)
            .number(Role::Text, &by(1), 10)
            .number(Role::Text, &by(12), 10)
            .number(Role::Idle, &symbols.or_unknown(found.valley_usd(target), sign), 10)
            .number(role, &payback, 11);
        let room = width.saturating_sub(75).min(usize::from(MONTHS));
        if let Some(saved) = found.saved(target).filter(|_| room >= 8) {
            line = line.text("  ").with(Role::Dim, curve_of(&saved, room, symbols));
        }
        lines.push(line);
    }
    if found.unpriced_bytes > 0.0 {
        let text =
            format!("{} have no price and are in no option.", words::size(found.unpriced_bytes));
        paragraph(Role::Warn, &text, width, lines);
    }
}

/// The curve of what was saved, lowest to highest over the months.
fn curve_of(saved: &[f64], room: usize, symbols: crate::view::Symbols) -> String {
    let low = saved.iter().copied().fold(f64::INFINITY, f64::min);
    let high = saved.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let span = if high > low { high - low } else { 1.0 };
    let values: Vec<f32> = saved.iter().map(|v| ((v - low) / span) as f32).collect();
    graph::sparkline(&values, room, symbols)
}

fn best(found: &Comparison, width: usize, lines: &mut Vec<Line>) {
    if found.best.is_empty() {
        return;
    }
    heading("Cheapest, fees included", lines);
    for best in &found.best {
        let months = format::plural(usize::from(best.horizon_months), "month");
        let text = if best.target == best.instant {
            format!("over {months}: {}", name(best.target))
        } else {
            format!(
                "over {months}: {}; without giving up instant access and several zones: {}",
                name(best.target),
                name(best.instant)
            )
        };
        paragraph(Role::Text, &text, width, lines);
    }
}
