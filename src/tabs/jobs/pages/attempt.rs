//! The page of an attempt: whose it is, how it went, what it cost, what came to nothing, what stops it, and the other
//! attempts of its job.

use std::sync::Arc;

use jiff::Timestamp;

use super::stop::{stop_command, would_lose};
use super::timeline::{timeline, worked};
use crate::analyze::jobs::{Costed, PriceFrom, TypeFrom};
use crate::app::content::Line;
use crate::app::{Action, App, Role};
use crate::domain::bill::Usd;
use crate::domain::jobs::{Cause, GpuTime, Gpus};
use crate::tabs::jobs::picture::JobRow;
use crate::tabs::storage::pages::parts::{fact, heading, paragraph, role_fact};
use crate::view::{Symbols, format, reasons};

/// Nodes that are named.
const NODES: usize = 16;

/// Other attempts of the job that are shown.
const OTHERS: usize = 20;

/// Lines of the page.
pub fn attempt(app: &App, id: &str, width: usize) -> Vec<Line> {
    let Some(row) = app.job_attempt(id) else {
        return vec![Line::of(Role::Dim, "The attempt is not known any more.")];
    };
    let symbols = app.appearance().symbols;
    let attempt = &row.of.attempt;
    let name = attempt.name.as_deref().unwrap_or(symbols.unknown());
    let head = format!("job {}, attempt {}", attempt.job, row.of.number);
    let mut lines =
        vec![Line::of(Role::Heading, head).text("  ").with(Role::Accent, name.to_owned())];
    owners(row, symbols, width, &mut lines);
    heading("How it went", &mut lines);
    let hours = app.jobs().and_then(|jobs| jobs.activity.get(&attempt.id));
    lines.extend(timeline(&row.of, hours.map(|hours| &**hours), symbols, width));
    if let Some(worked) = worked(&row.of) {
        paragraph(Role::Text, &worked, width, &mut lines);
    }
    course(row, symbols, width, &mut lines);
    heading("What it cost", &mut lines);
    costs(&row.of, symbols, width, &mut lines);
    heading("What came to nothing", &mut lines);
    losses(row, symbols, width, &mut lines);
    stop(app, row, width, &mut lines);
    others(app, row, symbols, &mut lines);
    lines
}

fn text(text: Option<&Arc<str>>, symbols: Symbols) -> &str {
    text.map_or(symbols.unknown(), |text| text)
}

fn owners(row: &JobRow, symbols: Symbols, width: usize, lines: &mut Vec<Line>) {
    let at = &row.of.attempt;
    fact("user", text(at.user.as_ref(), symbols), width, lines);
    fact("team", text(at.team.as_ref(), symbols), width, lines);
    fact("project", text(at.project.as_ref(), symbols), width, lines);
    let cluster = if at.id.cluster.is_empty() { symbols.unknown() } else { &*at.id.cluster };
    fact("cluster", &format!("{cluster}, read from {}", at.id.source.word()), width, lines);
    for (name, of) in [("queue", &at.queue), ("tracker", &at.tracker)] {
        if let Some(of) = of {
            fact(name, of, width, lines);
        }
    }
}

fn moment(at: Option<Timestamp>, symbols: Symbols) -> String {
    match at {
        Some(at) => at.strftime("%Y-%m-%d %H:%M:%S UTC").to_string(),
        None => symbols.unknown().to_owned(),
    }
}

fn span(ms: i64) -> String {
    format::span(ms / 1000)
}

fn course(row: &JobRow, symbols: Symbols, width: usize, lines: &mut Vec<Line>) {
    let at = &row.of.attempt;
    let state = format!("{} ({})", at.state.word().replace('_', " "), at.state_source);
    fact("state", &state, width, lines);
    if let Some(class) = row.of.class {
        role_fact(Role::Idle, "cause", &class.word().replace('_', " "), width, lines);
        role_fact(Role::Accent, "what helps", reasons::cause_fix(class), width, lines);
    }
    if let Some(evidence) = &row.evidence {
        fact("what happened", evidence, width, lines);
    }
    if let Some(code) = at.cause.map(Cause::word) {
        fact("ended by", &code.replace('_', " "), width, lines);
    }
    if let Some(reason) = &at.reason {
        fact("in its words", reason, width, lines);
    }
    fact("submitted", &moment(at.submitted_at, symbols), width, lines);
    let waited = at.waited_ms().map(|ms| format!(" after {}", span(ms))).unwrap_or_default();
    fact("started", &format!("{}{waited}", moment(at.started_at, symbols)), width, lines);
    if at.first_step_at.is_some() {
        fact("first step", &moment(at.first_step_at, symbols), width, lines);
    }
    let held = at.held_ms().filter(|ms| *ms > 0);
    let held = held.map(|ms| format!(" after {}", span(ms))).unwrap_or_default();
    match (at.ended_at, at.seen_until) {
        (None, Some(seen)) => {
            let seen = moment(Some(seen), symbols);
            fact("runs", &format!("as of {seen}{held}"), width, lines);
        }
        (ended, _) => fact("ended", &format!("{}{held}", moment(ended, symbols)), width, lines),
    }
    let mut nodes: Vec<&str> = at.nodes.iter().take(NODES).map(|node| &**node).collect();
    let more = at.nodes.len().saturating_sub(NODES);
    let more = (more > 0).then(|| format!("and {more} more"));
    nodes.extend(more.as_deref());
    let nodes = if nodes.is_empty() { symbols.unknown().to_owned() } else { nodes.join(" ") };
    fact("nodes", &nodes, width, lines);
}

fn mebibytes(mib: u64) -> String {
    format::bytes_binary(mib as f64 * 1_048_576.0)
}

fn gpu_hours(time: Option<GpuTime>, symbols: Symbols) -> String {
    let hours = time.map(GpuTime::hours);
    symbols.or_unknown(hours, |hours| format!("{} GPU-hours", format::grouped(hours, 2)))
}

fn costs(of: &Costed, symbols: Symbols, width: usize, lines: &mut Vec<Line>) {
    let at = &of.attempt;
    let gpus = symbols.or_unknown(at.gpus.map(Gpus::to_f64), |gpus| format::grouped(gpus, 0));
    let model = at.gpu_model.as_deref().map(|model| format!(" {model}")).unwrap_or_default();
    fact("GPUs", &format!("{gpus}{model}"), width, lines);
    fact("held", &gpu_hours(of.held.gpu_time, symbols), width, lines);
    // What is known of it stands below the bar.
    if worked(of).is_none() {
        let unknown = symbols.unknown();
        let text = format!("{unknown}: neither telemetry of its nodes nor jobstats covers it");
        fact("GPUs worked", &text, width, lines);
    }
    if let Some(peak) = at.usage.as_deref().and_then(|usage| usage.memory_peak_mib) {
        let held = at.memory_mib.map(|held| format!(" of {} held", mebibytes(held)));
        let nodes = at.nodes.len();
        let most = (nodes > 1).then(|| format!(", {nodes} × the node that took most"));
        let text = format!(
            "{}{}, by jobstats when it ended{}",
            mebibytes(peak),
            held.unwrap_or_default(),
            most.unwrap_or_default()
        );
        fact("memory peak", &text, width, lines);
    }
    let usd = symbols.or_unknown(of.held.usd.map(Usd::to_f64), format::usd_spent);
    role_fact(Role::Heading, "cost", &usd, width, lines);
    let kind = text(at.instance_type.as_ref(), symbols);
    let told = match of.type_from {
        Some(TypeFrom::HyperPod) => ", by SageMaker HyperPod".to_owned(),
        Some(from) => format!(", by the {}", from.word()),
        None => String::new(),
    };
    fact("instance type", &format!("{kind}{told}"), width, lines);
    let price = of.price_from.map(|from| format!("{} price", from.word()));
    let price = price.unwrap_or_else(|| symbols.unknown().to_owned());
    fact("priced by", &price, width, lines);
    if of.type_from == Some(TypeFrom::Rule) || of.price_from == Some(PriceFrom::List) {
        let text = "gross: what commitments and discounts pay is of the fleet, not of a job";
        paragraph(Role::Dim, text, width, lines);
    }
    if of.is_scaled {
        let text = "attempts together asked for more of a node than it has: each pays its part of one node";
        paragraph(Role::Warn, text, width, lines);
    }
    if let Some(predictions) = at.predictions {
        fact("predictions", &format::grouped(predictions as f64, 0), width, lines);
    }
}

fn losses(row: &JobRow, symbols: Symbols, width: usize, lines: &mut Vec<Line>) {
    let of = &row.of;
    let at_most = if of.lost_is_upper_bound { "at most " } else { "" };
    let usd = of.lost.usd.map(|usd| format!(", {}", format::usd_spent(usd.to_f64())));
    let lost =
        format!("{at_most}{}{}", gpu_hours(of.lost.gpu_time, symbols), usd.unwrap_or_default());
    let is_lost = of.lost.gpu_time.is_some_and(|time| !time.is_zero());
    role_fact(if is_lost { Role::Idle } else { Role::Text }, "lost", &lost, width, lines);
    fact("checkpoints", of.salvage.word(), width, lines);
    if let Some(place) = &of.attempt.checkpoint {
        fact("they are at", place, width, lines);
    }
    if of.saved_at.is_some() {
        let step = of.saved_step.map(|step| format!(", step {step}")).unwrap_or_default();
        fact("last complete", &format!("{}{step}", moment(of.saved_at, symbols)), width, lines);
    }
    if let Some((low, high)) = of.delta_bytes {
        let (low, high) = (format::bytes_binary(low as f64), format::bytes_binary(high as f64));
        fact("as differences", &format!("{low} to {high} less to keep"), width, lines);
    }
}

/// The command that stops it, to be copied, and what that would lose; nothing where no command is known.
fn stop(app: &App, row: &JobRow, width: usize, lines: &mut Vec<Line>) {
    let now = app.view_context().now;
    let Some(command) = app.jobs().and_then(|jobs| stop_command(jobs, row, now)) else { return };
    heading("What stops it", lines);
    role_fact(Role::Accent, "command", &command.line, width, lines);
    if let Some(lost) = would_lose(&row.of) {
        fact("would be lost", &lost, width, lines);
    }
    if !command.note.is_empty() {
        paragraph(Role::Dim, &command.note, width, lines);
    }
    let key = |action: Action, copies: &str| {
        let key = app.keymap().keys(action).first()?;
        Some(format!("{key} copies {copies}. "))
    };
    let keys = [
        key(Action::CopyCommand, "the command"),
        key(Action::CopyMessage, "a message to the user, with evidence and dollars"),
    ];
    let keys: String = keys.into_iter().flatten().collect();
    paragraph(Role::Dim, &format!("{keys}burntop runs nothing of it."), width, lines);
}

/// The other attempts of the job, in the order in which they ran.
fn others(app: &App, row: &JobRow, symbols: Symbols, lines: &mut Vec<Line>) {
    let Some(jobs) = app.jobs() else { return };
    let all = jobs.others_of(row);
    if all.is_empty() {
        return;
    }
    heading("Other attempts of the job", lines);
    for other in all.iter().take(OTHERS) {
        let at = &other.of.attempt;
        let number = format::grouped(other.of.number.into(), 0);
        let line = Line::new().text("  ").number(Role::Text, &number, 3).text("  ");
        let line = line.column(Role::Text, &at.state.word().replace('_', " "), 16);
        let line = line.column(Role::Dim, &moment(at.started_at, symbols), 26);
        let usd = symbols.or_unknown(other.of.held.usd.map(Usd::to_f64), format::usd);
        lines.push(line.number(Role::Text, &usd, 14));
    }
    if all.len() > OTHERS {
        let more = format!("  and {} more", all.len() - OTHERS);
        lines.push(Line::of(Role::Dim, more));
    }
}
