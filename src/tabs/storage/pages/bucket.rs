//! Everything known of a bucket.

use std::sync::Arc;

use super::parts::{fact, finding, heading, paragraph, provenance, role_fact, usd, with_key};
use crate::analyze::storage::findings::has_rules;
use crate::app::content::Line;
use crate::app::{Action, App, Role};
use crate::domain::SourceError;
use crate::domain::storage::BucketFacts;
use crate::fleet::storage::{BucketRow, SizedBy};
use crate::tabs::storage::picture::{tier_bar, words};
use crate::view::{ViewContext, format};

/// The page.
pub(crate) fn lines(app: &App, name: &Arc<str>, width: usize) -> Vec<Line> {
    let mut lines = Vec::new();
    let ctx = app.storage_context();
    let Some((fleet, row)) = app.storage().and_then(|f| Some((f, f.bucket(name)?))) else {
        lines.push(Line::of(Role::Warn, format!("{name} is not among the buckets any more")));
        return lines;
    };
    let cost = usd(row.usd_per_month, ctx.symbols);
    lines.push(
        Line::of(Role::Heading, row.name.to_string()).with(
            Role::Dim,
            format!("  {} {}", row.kind.word().replace('_', " "), row.scope.region),
        ),
    );
    for (role, text) in leads(app, row) {
        paragraph(role, &text, width, &mut lines);
    }
    let mut price = format!("{cost} per month of 730 h");
    if row.unpriced_bytes > 0 {
        price = format!(
            "{price}, without {} that have no price",
            words::size(row.unpriced_bytes as f64)
        );
    }
    if let Some(rates) = fleet.rates(&row.scope) {
        price = format!(
            "{price}; {}, blended over the account's volume",
            provenance(&rates.provenance)
        );
    }
    fact("costs", &price, width, &mut lines);
    size(row, width, &mut lines);
    tiers(app, row, width, &mut lines);
    if let Some(growth) = row.growth {
        let text = format!(
            "{} a month over the last {}, {} more each month",
            words::size(growth.bytes_per_month),
            format::plural(growth.days as usize, "day"),
            usd(growth.usd_per_month, ctx.symbols)
        );
        fact("grows", &text, width, &mut lines);
    }
    if let Some(facts) = &row.facts {
        setup(facts, width, &mut lines);
    } else {
        paragraph(
            Role::Dim,
            "Only a list of its objects is known: no account that is read has it.",
            width,
            &mut lines,
        );
    }
    savings(row, &ctx, width, &mut lines);
    heading("Its objects", &mut lines);
    match fleet.scans.get(&row.name) {
        Some(scan) => {
            let text = format!(
                "{} {} listed {}; enter on its row in the table of buckets walks through them.",
                format::grouped(scan.rows as f64, 0),
                format::noun(scan.rows as usize, "row"),
                scan.listed_at.strftime("%Y-%m-%d %H:%M")
            );
            paragraph(Role::Text, &text, width, &mut lines);
            if let Some(why) = &scan.partial {
                paragraph(Role::Warn, &format!("Partial: {why}"), width, &mut lines);
            }
            for note in &scan.notes {
                paragraph(Role::Dim, note, width, &mut lines);
            }
        }
        None => paragraph(
            Role::Text,
            "No list of its objects is known. i asks what one costs: its newest inventory, or a \
             listing that S3 bills by the thousand.",
            width,
            &mut lines,
        ),
    }
    lines
}

/// What there is of a bucket beside itself, each with the key that leads there: what was found of it, the rules that would
/// save something, its training runs.
pub(super) fn leads(app: &App, row: &BucketRow) -> Vec<(Role, String)> {
    let mut out = Vec::new();
    let found = row.findings.len();
    if found > 0 {
        let text = match row.savings {
            Some(usd) => format!(
                "{} at least {}/month",
                format::counted(found, "finding saves", "findings save"),
                words::usd(usd)
            ),
            None => format::plural(found, "finding"),
        };
        out.push((Role::Idle, with_key(app, &text, Action::BucketFindings)));
    }
    if has_rules(row) {
        let text = match row.estimate.filter(|of| of.to.is_some()) {
            Some(of) => {
                let usd = words::range(of.low_usd, of.high_usd);
                let text = format!("tiering {usd} (estimate), rules to copy");
                with_key(app, &text, Action::LifecycleRules)
            }
            None => with_key(app, "rules to copy", Action::LifecycleRules),
        };
        out.push((Role::Accent, text));
    }
    let runs = app.storage_tab().rows().runs_of(&row.name);
    if runs > 0 {
        out.push((Role::Accent, with_key(app, &format::plural(runs, "run"), Action::BucketRuns)));
    }
    out
}

fn size(row: &BucketRow, width: usize, lines: &mut Vec<Line>) {
    let text = match (row.bytes, row.sized_by) {
        (Some(bytes), Some(by)) => {
            let by = match by {
                SizedBy::CloudWatch(day) => {
                    format!("by CloudWatch for {day}, versions and parts of uploads included")
                }
                SizedBy::List(at) => format!("by the list of {}", at.strftime("%Y-%m-%d %H:%M")),
            };
            let objects = row.objects.map_or(String::new(), |n| {
                format!(
                    " in {} {}",
                    format::grouped(n as f64, 0),
                    format::noun(n as usize, "object")
                )
            });
            format!("{}{objects}, {by}", words::size(bytes as f64))
        }
        _ => "not known".to_owned(),
    };
    fact("holds", &text, width, lines);
}

fn tiers(app: &App, row: &BucketRow, width: usize, lines: &mut Vec<Line>) {
    let symbols = app.appearance().symbols;
    let shares = tier_bar::by_heat(row.dollar_shares());
    for (i, share) in row.tiers.iter().enumerate() {
        let name = if i == 0 { "by tier" } else { "" };
        let text = format!(
            "{:<14} {:>9} {:>10}",
            words::tier(share.tier),
            words::size(share.bytes as f64),
            usd(share.usd_per_month, symbols)
        );
        // As it is: the blanks line the figures up.
        lines.push(Line::new().text("  ").column(Role::Dim, name, 16).text(text));
    }
    if shares.iter().sum::<f64>() > 0.0 {
        let room = width.saturating_sub(24).min(40);
        fact("dollars", &tier_bar::cell(&shares, room, symbols), width.max(54), lines);
    }
}

/// How it is set up; what could not be read says why and what to do.
fn setup(facts: &BucketFacts, width: usize, lines: &mut Vec<Line>) {
    fn told<T>(
        name: &str,
        fact_of: &Result<T, Arc<SourceError>>,
        says: impl FnOnce(&T) -> String,
        width: usize,
        lines: &mut Vec<Line>,
    ) {
        match fact_of {
            Ok(value) => fact(name, &says(value), width, lines),
            Err(error) => {
                let text = format!("not known: {error}. {}", error.fix);
                role_fact(Role::Warn, name, text.trim_end(), width, lines);
            }
        }
    }
    told("versioning", &facts.versioning, |v| format!("{v:?}").to_lowercase(), width, lines);
    told(
        "lifecycle",
        &facts.lifecycle,
        |l| match l {
            Some(l) => format!(
                "{} rules, {} in force; L shows them",
                l.rules.len(),
                l.rules.iter().filter(|r| r.enabled).count()
            ),
            None => "none".to_owned(),
        },
        width,
        lines,
    );
    told(
        "Object Lock",
        &facts.lock,
        |lock| match (lock.enabled, lock.default_days) {
            (false, _) => "off".to_owned(),
            (true, None) => "on".to_owned(),
            (true, Some(days)) => {
                format!("on, {} by default", format::plural(days as usize, "day"))
            }
        },
        width,
        lines,
    );
    told(
        "replicates",
        &facts.replicates,
        |r| if *r { "yes" } else { "no" }.to_owned(),
        width,
        lines,
    );
    told(
        "inventories",
        &facts.inventories,
        |all| {
            let each: Vec<String> =
                all.iter().map(|i| format!("{} ({}) to {}", i.id, i.format, i.location)).collect();
            if each.is_empty() { "none".to_owned() } else { each.join(", ") }
        },
        width,
        lines,
    );
    match &facts.uploads {
        Some(uploads) => told(
            "uploads",
            uploads,
            |u| {
                format!(
                    "{} begun and not completed, {} for more than 7 days",
                    u.uploads, u.older_than_7_days
                )
            },
            width,
            lines,
        ),
        None => fact("uploads", "nobody asked: listing them is billed", width, lines),
    }
    told(
        "tags",
        &facts.tags,
        |tags| {
            let each: Vec<String> = tags.iter().map(|(k, v)| format!("{k}={v}")).collect();
            if each.is_empty() { "none".to_owned() } else { each.join("  ") }
        },
        width,
        lines,
    );
}

/// What is found of a bucket, and what tiering may save where no list of its objects tells.
fn savings(row: &BucketRow, ctx: &ViewContext, width: usize, lines: &mut Vec<Line>) {
    if row.findings.is_empty() {
        heading("No finding", lines);
    } else {
        heading("Findings", lines);
        for f in &row.findings {
            finding(f, ctx, width, lines);
        }
    }
    let Some(estimate) = &row.estimate else { return };
    heading("What tiering may save", lines);
    for sentence in words::estimate(estimate) {
        paragraph(Role::Text, &sentence, width, lines);
    }
    let exact = "It is in no sum. i makes it exact: a list of its objects tells ages and sizes.";
    paragraph(Role::Dim, exact, width, lines);
}
