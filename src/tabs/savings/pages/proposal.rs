//! The page of a proposal for a smaller size: what it saves, and constraint by constraint why it fits.

use std::sync::Arc;

use super::{covers, gone, money, says, work};
use crate::app::App;
use crate::app::Role;
use crate::app::content::{Line, columns};
use crate::domain::{HOURS_PER_MONTH, TypeSpec};
use crate::fleet::savings::{Proposal, SizeVerdict};
use crate::tabs::savings::picture::words;
use crate::tabs::storage::pages::parts::{fact, heading, paragraph, role_fact};
use crate::view::{ViewContext, format, reasons};

/// The page.
pub(crate) fn lines(app: &App, id: &Arc<str>, width: usize) -> Vec<Line> {
    let found = app.savings().and_then(|s| s.proposals.iter().find(|p| p.id == *id));
    let Some(row) = found else { return gone() };
    let ctx = app.savings_context();
    let into = if ctx.symbols == crate::view::Symbols::Ascii { "->" } else { "→" };
    let mut lines = Vec::new();
    match &row.verdict {
        SizeVerdict::Smaller { to, usd_per_hour, provenance } => {
            lines.push(
                Line::of(Role::Heading, row.name.to_string())
                    .text(format!("  {} {into} {to}", row.from)),
            );
            money(row.net_usd_per_hour, row.gross_usd_per_hour, &ctx, width, &mut lines);
            if let Some(until) = row.worthless_until {
                let text = format!(
                    "until {}: a commitment pays for it, used or not",
                    until.strftime("%Y-%m-%d")
                );
                role_fact(Role::Warn, "worthless", &text, width, &mut lines);
            }
            let price = format!(
                "{} now, {} then ({})",
                ctx.symbols.or_unknown(row.usd_per_hour, format::usd_per_hour),
                format::usd_per_hour(*usd_per_hour),
                words::provenance(provenance)
            );
            fact("price", &price, width, &mut lines);
        }
        SizeVerdict::Cannot(why) => {
            lines.push(
                Line::of(Role::Heading, row.name.to_string()).text(format!("  {}", row.from)),
            );
            let text = format!("cannot be told: {}", words::cannot(*why));
            role_fact(Role::Warn, "proposal", &text, width, &mut lines);
            let usd = row.usd_per_hour;
            let month = |usd: f64| {
                let month = usd * HOURS_PER_MONTH;
                format!("{} ({}/month)", format::usd_per_hour(usd), format::usd_total(month))
            };
            fact("price", &ctx.symbols.or_unknown(usd, month), width, &mut lines);
        }
    }
    work(row.effort, row.risk, width, &mut lines);
    let place = format!("{}, {}", row.scope, row.az);
    fact("where", &place, width, &mut lines);
    if let Some(team) = &row.team {
        fact("team", team, width, &mut lines);
    }
    constraints(app, row, &ctx, width, &mut lines);
    says("What must hold", row.says.iter().map(|n| reasons::size(n)), width, &mut lines);
    let instance = app.shown().and_then(|f| f.rows.iter().find(|r| r.instance.id == *id));
    covers(instance.map(|r| &**r), &ctx, width, &mut lines);
    lines.push(Line::new());
    paragraph(Role::Dim, "enter shows the evidence of the instance.", width, &mut lines);
    lines
}

/// A constraint: its name, what the work needs, what the type has and what the proposed one.
struct Constraint {
    name: &'static str,
    need: String,
    now: Option<String>,
    then: Option<String>,
}

fn constraints(app: &App, row: &Proposal, ctx: &ViewContext, width: usize, lines: &mut Vec<Line>) {
    let book = app.shown().map(|f| f.book.clone()).unwrap_or_default();
    let now = book.types.get(&row.from).map(|t| &**t);
    let then = match &row.verdict {
        SizeVerdict::Smaller { to, .. } => book.types.get(to).map(|t| &**t),
        SizeVerdict::Cannot(_) => None,
    };
    heading("Constraint by constraint", lines);
    let all = list(row, now, then, ctx);
    let widest = |of: fn(&Constraint) -> &str, least: usize| {
        all.iter().map(|c| columns(of(c))).max().unwrap_or(0).max(least) + 2
    };
    let name = widest(|c| c.name, 0);
    let need = widest(|c| &c.need, 4);
    let has = widest(|c| c.now.as_deref().unwrap_or_default(), 3);
    // Narrow, what is needed stands alone.
    let wide = name + need + has + 12 <= width;
    let head = Line::new().text("  ").column(Role::Dim, "", name).column(Role::Dim, "needs", need);
    lines.push(if wide {
        head.column(Role::Dim, "now", has).with(Role::Dim, "then")
    } else {
        head
    });
    let unknown = ctx.symbols.unknown();
    for c in &all {
        let line = Line::new().text("  ").column(Role::Text, c.name, name).column(
            Role::Text,
            &c.need,
            need,
        );
        lines.push(if wide {
            line.column(Role::Dim, c.now.as_deref().unwrap_or(unknown), has)
                .with(Role::Text, c.then.clone().unwrap_or_else(|| unknown.to_owned()))
        } else {
            line
        });
    }
}

fn list(
    row: &Proposal,
    now: Option<&TypeSpec>,
    then: Option<&TypeSpec>,
    ctx: &ViewContext,
) -> Vec<Constraint> {
    const MIB: f64 = 1_048_576.0;
    let need = &row.need;
    let kept = |value: Option<String>| value.unwrap_or_else(|| "not known: kept".to_owned());
    let gib = |mib: u64| format::gib(mib as f64 * MIB);
    let both = |of: &dyn Fn(&TypeSpec) -> Option<String>| (now.and_then(of), then.and_then(of));
    let mut all = Vec::new();
    let mut add = |name: &'static str, need: String, of: &dyn Fn(&TypeSpec) -> Option<String>| {
        let (now, then) = both(of);
        all.push(Constraint { name, need, now, then });
    };
    add("GPUs", kept(need.gpus.map(|n| n.to_string())), &|t| {
        Some(t.accelerator.as_ref().map_or_else(
            || "none".to_owned(),
            |a| format!("{} x {}", format::count(a.equivalents), a.model),
        ))
    });
    add("memory per GPU", kept(need.gpu_memory_mib.map(gib)), &|t| {
        let mib = t.accelerator.as_ref()?.memory_mib;
        (mib > 0).then(|| gib(mib))
    });
    add("vCPUs", kept(need.vcpus.map(format::count)), &|t| Some(t.vcpus.to_string()));
    add("memory", kept(need.memory_mib.map(gib)), &|t| Some(gib(t.memory_mib)));
    let local = if need.local_nvme { "used or may be: kept" } else { "not used" };
    add("instance store", local.to_owned(), &|t| {
        Some(match t.instance_store_gb {
            0 => "none".to_owned(),
            gb => format!("{} GB", format::grouped(gb as f64, 0)),
        })
    });
    let network = need.network_gbps.map(|g| format!("{} Gbit/s", format::count(g)));
    add("network", kept(network), &|t| Some(t.network.to_string()).filter(|n| !n.is_empty()));
    let efa = if need.efa { "used or may be: kept" } else { "not used" };
    add("EFA", efa.to_owned(), &|_| None);
    let _ = ctx;
    all
}
