//! The page of a commitment: its terms, how it is used, what it covers, what is wrong with it.

use std::sync::Arc;

use super::gone;
use crate::app::App;
use crate::app::Role;
use crate::app::content::{Line, Target};
use crate::domain::{
    Commits, HOURS_PER_MONTH, OfferingClass, PlanType, Provenance, ReservesCapacity,
};
use crate::fleet::savings::CommitmentRow;
use crate::fleet::{CoveredBy, Net, Row};
use crate::tabs::savings::picture::words;
use crate::tabs::storage::pages::parts::{fact, heading, paragraph, role_fact};
use crate::view::{ViewContext, format, reasons};

/// Instances that are named.
const NAMED: usize = 20;
/// Columns of the bar of use.
const BAR: usize = 20;

/// The page.
pub(crate) fn lines(app: &App, id: &Arc<str>, width: usize) -> Vec<Line> {
    let Some(savings) = app.savings() else { return gone() };
    let Some(row) = savings.commitments.iter().find(|r| r.commitment.id == *id) else {
        return gone();
    };
    let ctx = app.savings_context();
    let held = &*row.commitment;
    let mut lines =
        vec![Line::of(Role::Heading, held.kind().label()).text(format!("  {}", row.covers))];
    terms(row, &ctx, width, &mut lines);
    used(row, &ctx, width, &mut lines);
    covered(app, id, &ctx, width, &mut lines);
    if row.findings.is_empty() {
        heading("Nothing is wrong with it, as far as it is known", &mut lines);
    } else {
        heading("What is wrong with it", &mut lines);
        for finding in &row.findings {
            paragraph(Role::Warn, &reasons::commitment(finding), width, &mut lines);
        }
    }
    lines
}

fn terms(row: &CommitmentRow, ctx: &ViewContext, width: usize, lines: &mut Vec<Line>) {
    let held = &*row.commitment;
    fact("id", &held.id, width, lines);
    fact("account", &held.account, width, lines);
    let role = if held.is_in_force(ctx.now) { Role::Text } else { Role::Warn };
    role_fact(role, "state", held.state.word(), width, lines);
    let ends = match held.end {
        Some(end) if end > ctx.now => {
            let left = end.duration_since(ctx.now).as_secs();
            format!("{}, {} left", end.strftime("%Y-%m-%d %H:%M UTC"), format::span(left))
        }
        Some(end) => format!("{}, over", end.strftime("%Y-%m-%d %H:%M UTC")),
        None => "when somebody cancels it".to_owned(),
    };
    fact("begins", &held.start.strftime("%Y-%m-%d %H:%M UTC").to_string(), width, lines);
    fact("ends", &ends, width, lines);
    let place = [words::region(held), words::zone(held)];
    let place: Vec<&str> = place.into_iter().flatten().collect();
    let place = if place.is_empty() { "all regions".to_owned() } else { place.join(", ") };
    fact("where", &place, width, lines);
    match &held.commits {
        Commits::Reserved(of) => {
            let class = match of.class {
                OfferingClass::Standard => "standard",
                OfferingClass::Convertible => "convertible",
            };
            let text = format!("{} x {}, {class}", of.count, of.instance_type);
            fact("instances", &text, width, lines);
            let text = match of.upfront_usd {
                Some(usd) => paid(of.payment.label(), usd, "per instance"),
                None => format!(
                    "{}; it was modified, and what was paid at the beginning is not told any more",
                    of.payment.label()
                ),
            };
            fact("paid", &text, width, lines);
        }
        Commits::Plan(of) => {
            let what = match (of.plan_type, &of.family) {
                (PlanType::Ec2Instance, Some(family)) => format!("{family} alone"),
                (PlanType::Ec2Instance, None) => "one family".to_owned(),
                (PlanType::Compute, _) => "any EC2 instance, Fargate and Lambda".to_owned(),
                (PlanType::SageMaker, _) => "SageMaker".to_owned(),
                (PlanType::Other, _) => "a kind that this version does not apply".to_owned(),
            };
            let text = format!("{} at the plan's rates", format::usd_per_hour(of.usd_per_hour));
            fact("promised", &text, width, lines);
            fact("serves", &what, width, lines);
            fact("paid", &paid(of.payment.label(), of.upfront_usd, "in all"), width, lines);
            if !of.rates_known {
                let text = "could not be read: what it covers is not known";
                role_fact(Role::Warn, "rates", text, width, lines);
            }
        }
        Commits::Capacity(of) => {
            let text = format!("{} x {}", of.total, of.instance_type);
            fact("room for", &text, width, lines);
            let role = if of.available > 0 { Role::Idle } else { Role::Text };
            role_fact(role, "unused then", &of.available.to_string(), width, lines);
            let open = if of.targeted { "those that name it" } else { "any that match" };
            fact("open to", open, width, lines);
            let bills = match of.reserves {
                ReservesCapacity::OnDemand => "by the hour at the on-demand price".to_owned(),
                ReservesCapacity::Block { upfront_usd } => {
                    let usd = ctx.symbols.or_unknown(upfront_usd, format::usd_total);
                    format!("in advance, {usd} for all of its term")
                }
            };
            fact("paid", &bills, width, lines);
        }
    }
    let source = match &held.provenance {
        Provenance::Live { at } => format!("AWS, read {}", at.strftime("%Y-%m-%d %H:%M UTC")),
        Provenance::Embedded { date } => format!("built in, of {date}"),
        Provenance::Demo => "the demo".to_owned(),
        Provenance::Configured => "AWS; its price is configured".to_owned(),
        Provenance::Bill { period } => format!("bill of {period}"),
    };
    fact("source", &source, width, lines);
}

fn paid(how: &str, upfront: f64, of_what: &str) -> String {
    if upfront > 0.0 {
        format!("{how}, {} {of_what} at the beginning", format::usd_total(upfront))
    } else {
        how.to_owned()
    }
}

fn used(row: &CommitmentRow, ctx: &ViewContext, width: usize, lines: &mut Vec<Line>) {
    let rate = |usd: Option<f64>| ctx.symbols.or_unknown(usd, format::usd_per_hour);
    heading(format!("Use, {} h looked at", row.hours), lines);
    for (name, share) in [("over them", row.utilisation), ("now", row.utilisation_now)] {
        let percent = ctx.symbols.or_unknown(share, |s| format::share(s, 0));
        let text = match share {
            Some(share) => format!("{} {percent}", bar(share, ctx)),
            None => percent,
        };
        fact(name, &text, width, lines);
    }
    // No longer than it lasts.
    let left = row.commitment.end.map(|end| end.duration_since(ctx.now).as_secs_f64() / 3600.0);
    let left = left.filter(|hours| *hours > 0.0 && *hours < HOURS_PER_MONTH);
    let month = |usd: f64| {
        let (hours, what) =
            left.map_or((HOURS_PER_MONTH, "/month"), |left| (left, " until it ends"));
        format!("{} ({}{what})", format::usd_per_hour(usd), format::usd_total(usd * hours))
    };
    fact("costs", &ctx.symbols.or_unknown(row.usd_per_hour, month), width, lines);
    let role = match row.unused_usd_per_hour {
        Some(usd) if usd > 0.0 => Role::Idle,
        _ => Role::Text,
    };
    let unused = ctx.symbols.or_unknown(row.unused_usd_per_hour, month);
    role_fact(role, "unused now", &unused, width, lines);
    let effective = format!(
        "{} per instance-hour it covered, on demand {}",
        rate(row.effective_usd_per_hour),
        rate(row.on_demand_usd_per_hour)
    );
    fact("effective", &effective, width, lines);
    let role = match row.saves_usd_per_hour {
        Some(usd) if usd < 0.0 => Role::Warn,
        _ => Role::Text,
    };
    role_fact(role, "saves", &rate(row.saves_usd_per_hour), width, lines);
}

/// A bar of use: full cells for what was used.
fn bar(share: f64, ctx: &ViewContext) -> String {
    let full = (share.clamp(0.0, 1.0) * BAR as f64).round() as usize;
    let (on, off) = match ctx.symbols {
        crate::view::Symbols::Unicode => ('█', '░'),
        crate::view::Symbols::Ascii => ('#', '.'),
    };
    on.to_string().repeat(full) + &off.to_string().repeat(BAR - full)
}

/// Instances that it pays for now, most dollars first.
fn covered(app: &App, id: &str, ctx: &ViewContext, width: usize, lines: &mut Vec<Line>) {
    let Some(fleet) = app.shown() else { return };
    let mut all: Vec<(&Arc<Row>, &CoveredBy)> = Vec::new();
    for row in &fleet.rows {
        if let Some(Net::Known(cover)) = row.net.as_deref() {
            all.extend(cover.by.iter().filter(|by| *by.id == *id).map(|by| (row, by)));
        }
    }
    let usd = |by: &CoveredBy| by.usd_per_hour.unwrap_or(0.0);
    all.sort_by(|a, b| usd(b.1).total_cmp(&usd(a.1)));
    if all.is_empty() {
        heading("It pays for no instance that is known now", lines);
        return;
    }
    heading(format!("It pays for {} now", format::plural(all.len(), "instance")), lines);
    let room = width.saturating_sub(40).clamp(8, 40);
    for (row, by) in all.iter().take(NAMED) {
        let instance = &row.instance;
        let name = if instance.name.is_empty() { &instance.id } else { &instance.name };
        let name = crate::tabs::overview::pages::cut(name, room, ctx.symbols);
        lines.push(
            Line::new()
                .text("  ")
                .number(
                    Role::Text,
                    &ctx.symbols.or_unknown(by.usd_per_hour, format::usd_per_hour),
                    11,
                )
                .number(Role::Dim, &format::share(by.share, 0), 6)
                .text("  ")
                .column(Role::Text, &name, room + 1)
                .with(Role::Dim, instance.instance_type.to_string())
                .to(Target::Instance(instance.id.clone())),
        );
    }
    if all.len() > NAMED {
        let rest: Option<f64> = all[NAMED..].iter().map(|(_, by)| by.usd_per_hour).sum();
        let rest = ctx.symbols.or_unknown(rest, format::usd_per_hour);
        let text = format!("{} more, {rest}", all.len() - NAMED);
        paragraph(Role::Dim, &text, width, lines);
    }
}
