//! What stands above the lists: all jobs in a few lines, and the names of the lists.

use crate::analyze::jobs::TaxSums;
use crate::app::content::Line;
use crate::app::{App, Role};
use crate::domain::bill::Usd;
use crate::domain::jobs::GpuTime;
use crate::tabs::bill::pages::{strip_height, wrapped};
use crate::tabs::jobs::lists::{JobsList, LISTS};
use crate::tabs::jobs::picture::JobsPicture;
use crate::tabs::storage::pages::strip::names;
use crate::view::{Symbols, format};

/// The strip: what all jobs cost and lost, what of that is not known, and the names of the lists.
pub fn strip(app: &App, width: usize) -> Vec<Line> {
    let Some(jobs) = app.jobs().filter(|jobs| !jobs.is_empty()) else { return Vec::new() };
    let symbols = app.appearance().symbols;
    let body = app.layout().map_or(0, |layout| layout.body_height);
    // The line of lists is the last one, and always there.
    let room = usize::from(strip_height(body)).saturating_sub(1);
    let mut lines = wrapped(sums(jobs), symbols.separator(), width);
    lines.extend(wrapped(useful(jobs, symbols), symbols.separator(), width));
    let sources = sources(app, jobs);
    if !sources.is_empty() {
        lines.extend(wrapped(sources, symbols.separator(), width));
    }
    lines.truncate(room);
    lines.push(lists(app, jobs, width));
    lines
}

fn gpu_hours(time: GpuTime) -> String {
    format!("{} GPU-hours", format::grouped(time.hours(), 0))
}

/// Dollars with a blank before them; empty where they are not known.
fn priced(usd: Option<Usd>) -> String {
    usd.map_or(String::new(), |usd| format!(" {}", format::usd(usd.to_f64())))
}

/// What was held, what of it came to nothing, what runs.
fn sums(jobs: &JobsPicture) -> Vec<(Role, String)> {
    let total = &jobs.total;
    let attempts = format!(
        "{} {}",
        format::grouped(total.attempts as f64, 0),
        format::noun(total.attempts as usize, "attempt")
    );
    let mut parts = vec![
        (Role::Heading, attempts),
        (Role::Heading, format!("{}{}", gpu_hours(total.gpu_time), priced(total.usd_known()))),
    ];
    let at_most = if total.upper_bounds > 0 { "at most " } else { "" };
    let lost = format!("lost {at_most}{}{}", gpu_hours(total.lost), priced(total.lost_usd_known()));
    parts.push((if total.lost.is_zero() { Role::Dim } else { Role::Idle }, lost));
    if jobs.running > 0 {
        let gpus = format::grouped(jobs.running_gpus.to_f64(), 0);
        let attempts = format::grouped(jobs.running as f64, 0);
        parts.push((Role::Text, format!("{attempts} running on {gpus} GPUs")));
    }
    if !total.cancelled.is_zero() {
        let usd = priced(total.cancelled_usd_known());
        parts.push((Role::Dim, format!("cancelled {}{usd}", gpu_hours(total.cancelled))));
    }
    parts
}

/// What useful time costs, and how much is not known.
fn useful(jobs: &JobsPicture, symbols: Symbols) -> Vec<(Role, String)> {
    let total = &jobs.total;
    let percent = |share: f64| format::percent(share * 100.0, 1);
    let goodput = symbols.or_unknown(total.goodput(), percent);
    let mut parts = vec![(Role::Text, format!("goodput {goodput}"))];
    if let Some(goodput) = total.goodput().filter(|share| *share > 0.0) {
        let paid = format::grouped(100.0 / goodput, 1);
        parts.push((Role::Text, format!("100 useful GPU-hours take {paid}")));
    }
    if let Some(ettr) = total.ettr() {
        parts.push((Role::Text, format!("with the queue {} (ETTR)", percent(ettr))));
    }
    parts.extend(odd(jobs, total).into_iter().map(|text| (Role::Warn, text)));
    parts
}

/// What is in no sum, or is an estimate.
fn odd(jobs: &JobsPicture, total: &TaxSums) -> Vec<String> {
    let counts = [
        (total.unpriced, "without a price"),
        (total.without_gpu_time, "without GPU-hours"),
        (total.doubtful, "doubtful"),
        (total.estimated, "priced by their queue"),
        (jobs.without_region as u64, "priced as in us-east-1"),
    ];
    let said = |(n, what): (u64, &str)| format!("{} {what}", format::grouped(n as f64, 0));
    counts.into_iter().filter(|(n, _)| *n > 0).map(said).collect()
}

/// How old what each source told is, and what could not be read.
fn sources(app: &App, jobs: &JobsPicture) -> Vec<(Role, String)> {
    let now = app.view_context().now;
    let mut parts: Vec<(Role, String)> = jobs
        .readings
        .iter()
        .map(|reading| {
            let name = format!("{} {}", reading.source.word(), reading.scope.account);
            let age = reading.taken_at.map(|at| format::age(now.duration_since(at).as_secs()));
            match (age, reading.failed()) {
                (Some(age), None) => (Role::Dim, format!("{name} {age} ago")),
                (Some(age), Some(_)) => (Role::Warn, format!("{name} failed, {age} ago before: !")),
                (None, _) => (Role::Warn, format!("{name} never answered: !")),
            }
        })
        .collect();
    parts.extend(jobs.left_out.iter().map(|what| (Role::Warn, what.clone())));
    parts.extend(jobs.damaged.iter().map(|why| (Role::Crit, why.clone())));
    parts
}

/// The lists by name, what sums are made by, and whether the rows are behind.
fn lists(app: &App, jobs: &JobsPicture, width: usize) -> Line {
    let tab = app.jobs_tab();
    let mut line = names(LISTS.iter().map(|list| list.title), tab.look().spec().title, width);
    if tab.look() == JobsList::Sums {
        line = line.with(Role::Heading, format!(" by {}", jobs.by.word()));
    }
    let waits = tab.is_behind() || tab.is_reading();
    if waits { line.with(Role::Warn, app.appearance().symbols.ellipsis()) } else { line }
}
