//! The page of what Spot would make of an instance: prices by zone, interruptions, the arithmetic.

use std::sync::Arc;

use super::{covers, gone, money, says, work};
use crate::analyze::spot::asg_cli_input;
use crate::app::App;
use crate::app::Role;
use crate::app::content::Line;
use crate::fleet::savings::{MixedFleet, SpotFit, SpotRow};
use crate::tabs::savings::picture::words;
use crate::tabs::storage::pages::parts::{fact, heading, paragraph, role_fact};
use crate::view::{ViewContext, format, reasons};

/// The page.
pub(crate) fn lines(app: &App, id: &Arc<str>, width: usize) -> Vec<Line> {
    let found = app.savings().and_then(|s| s.spot.iter().find(|r| r.id == *id));
    let Some(row) = found else { return gone() };
    let ctx = app.savings_context();
    let mut lines = vec![
        Line::of(Role::Heading, row.name.to_string()).text(format!("  {}", row.instance_type)),
    ];
    let (role, fit) = match row.fit {
        SpotFit::Yes => (Role::Ok, "yes"),
        SpotFit::Partial => (Role::Warn, "partial"),
        SpotFit::No => (Role::Dim, "no"),
        SpotFit::Unknown => (Role::Warn, "unknown"),
    };
    let because = match reasons::spot_because(&row.because).as_str() {
        "" => String::new(),
        because => format!(" ({because})"),
    };
    role_fact(role, "fit", &format!("{fit}: {}{because}", words::fit(row.fit)), width, &mut lines);
    if let Some(workload) = words::workload(row.workload) {
        fact("workload", workload, width, &mut lines);
    }
    money(row.net_usd_per_hour, row.gross_usd_per_hour, &ctx, width, &mut lines);
    work(row.effort, row.risk, width, &mut lines);
    fact("where", &format!("{}, {}", row.scope, row.az), width, &mut lines);
    zones(row, &ctx, width, &mut lines);
    arithmetic(row, &ctx, width, &mut lines);
    says("What must hold", row.says.iter().map(|n| reasons::spot(n)), width, &mut lines);
    if let Some(fleet) = app.fleet_of_saving(id) {
        mixed(fleet, &ctx, width, &mut lines);
    }
    let instance = app.shown().and_then(|f| f.rows.iter().find(|r| r.instance.id == *id));
    covers(instance.map(|r| &**r), &ctx, width, &mut lines);
    lines
}

/// The fleet that it belongs to, as the policy of an Auto Scaling group to copy.
fn mixed(fleet: &MixedFleet, ctx: &ViewContext, width: usize, lines: &mut Vec<Line>) {
    let instances = format::plural(fleet.count as usize, "instance");
    heading(format!("Its fleet: {instances}"), lines);
    let text = format!("{} on demand, {} on Spot", fleet.on_demand, fleet.spot());
    fact("together", &text, width, lines);
    let money = words::net_and_gross(fleet.net_usd_per_hour, fleet.gross_usd_per_hour, ctx.symbols);
    fact("saves", &money, width, lines);
    for note in &fleet.says {
        paragraph(Role::Text, &reasons::spot(note), width, lines);
    }
    if let Some(why) = &fleet.no_policy {
        paragraph(Role::Warn, &reasons::no_policy(why), width, lines);
    }
    let Some(policy) = asg_cli_input(fleet) else { return };
    let title = "Policy for its Auto Scaling group, y copies it";
    lines.push(Line::new());
    lines.push(Line::of(Role::Heading, title));
    // As it is copied: a line of it stands on a line of its own, cut where there is no room.
    for line in format!("{policy:#}").lines() {
        lines.push(Line::new().text("  ").with(Role::Dim, line.to_owned()));
    }
}

fn zones(row: &SpotRow, ctx: &ViewContext, width: usize, lines: &mut Vec<Line>) {
    heading("Spot by zone, cheapest first", lines);
    if row.zones.is_empty() {
        paragraph(Role::Dim, "No price of Spot is known here.", width, lines);
        return;
    }
    let money = |usd: Option<f64>| ctx.symbols.or_unknown(usd, format::usd_per_hour);
    let wide = width >= 66;
    let mut head =
        Line::new().text("  ").column(Role::Dim, "zone", 16).number(Role::Dim, "now", 11);
    if wide {
        head = head.number(Role::Dim, "mean", 11).number(Role::Dim, "highest", 11).number(
            Role::Dim,
            "hours",
            7,
        );
    }
    lines.push(head);
    for zone in row.zones.iter() {
        let here = zone.az == row.az;
        let role = if here { Role::Accent } else { Role::Text };
        let mut line = Line::new().text("  ").column(role, &zone.az, 16).number(
            Role::Text,
            &format::usd_per_hour(zone.usd_per_hour),
            11,
        );
        if wide {
            line = line
                .number(Role::Dim, &money(zone.mean), 11)
                .number(Role::Dim, &money(zone.highest), 11)
                .number(Role::Dim, &zone.hours.to_string(), 7);
            if here {
                line = line.with(Role::Dim, "  runs here");
            }
        }
        lines.push(line);
    }
}

fn arithmetic(row: &SpotRow, ctx: &ViewContext, width: usize, lines: &mut Vec<Line>) {
    let rate = |usd: Option<f64>| ctx.symbols.or_unknown(usd, format::usd_per_hour);
    heading("The arithmetic", lines);
    let band = match &row.interruption {
        Some((band, date)) => {
            format!("{} within a month (Spot Instance Advisor, {date})", band.label())
        }
        None => ctx.symbols.unknown().to_owned(),
    };
    fact("interrupted", &band, width, lines);
    let every = row.checkpoint_every_hours.map(|h| (h * 3600.0) as i64);
    let every = match every {
        Some(seconds) => format!("each {} (Young/Daly)", format::span(seconds)),
        None => ctx.symbols.unknown().to_owned(),
    };
    fact("checkpoint", &every, width, lines);
    let kept = ctx.symbols.or_unknown(row.efficiency, |e| format::share(e, 0));
    fact("work kept", &format!("{kept} of the time"), width, lines);
    fact("on demand", &rate(row.on_demand), width, lines);
    let best = row.zones.first();
    let spot = match best {
        Some(zone) => format!("{} in {}", format::usd_per_hour(zone.usd_per_hour), zone.az),
        None => ctx.symbols.unknown().to_owned(),
    };
    fact("Spot", &spot, width, lines);
    let effective = format!("{} per hour of useful work", rate(row.effective));
    fact("effective", &effective, width, lines);
    let text = "Effective includes re-work after interruptions and the fallback on demand; net \
                takes off what commitments pay for already.";
    paragraph(Role::Dim, text, width, lines);
}
