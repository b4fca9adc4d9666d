//! The page of a measure on a model: its bound, its condition, what must be measured first, and the other measures beside it.

use std::sync::Arc;

use super::gone;
use crate::app::App;
use crate::app::Role;
use crate::app::content::Line;
use crate::domain::HOURS_PER_MONTH;
use crate::fleet::savings::{Fits, ModelRow, ModelWork};
use crate::tabs::storage::pages::parts::{fact, fact_at, heading, paragraph, role_fact};
use crate::view::{ViewContext, format, reasons};

/// Columns of the labels of measures.
const LABEL: usize = 19;

/// The page.
pub(crate) fn lines(app: &App, id: &Arc<str>, width: usize) -> Vec<Line> {
    let all: &[Arc<ModelRow>] = app.savings().map_or(&[], |s| &s.models);
    let Some(row) = all.iter().find(|row| row.id == *id) else { return gone() };
    let ctx = app.savings_context();
    let (of, spec) = (&*row.workload, row.measure.spec());
    let mut lines =
        vec![Line::of(Role::Heading, of.name.to_string()).text(format!("  {}", spec.label))];
    let up_to = ctx.symbols.or_unknown(row.up_to_usd_per_hour, month);
    role_fact(Role::Idle, "up to", &up_to, width, &mut lines);
    let counts = if row.is_largest { "yes, the largest of its measures" } else { "no" };
    fact("counts", counts, width, &mut lines);
    let text = format!("{}: {}", row.fits.word(), reasons::model_fit(row));
    role_fact(fits(row.fits), "fits", &text, width, &mut lines);
    paragraph(
        Role::Dim,
        "An upper bound, and no saving: it is in no sum. Measures on a model exclude each other.",
        width,
        &mut lines,
    );
    heading("When it holds", &mut lines);
    paragraph(Role::Text, spec.condition, width, &mut lines);
    heading("Measure first", &mut lines);
    paragraph(Role::Text, spec.measure_first, width, &mut lines);
    heading("Source", &mut lines);
    paragraph(Role::Text, spec.source, width, &mut lines);
    paragraph(Role::Dim, spec.url, width, &mut lines);
    about(row, &ctx, width, &mut lines);
    heading("Its measures, one of which counts", &mut lines);
    for other in all.iter().filter(|other| other.workload.id == of.id) {
        let usd = ctx.symbols.or_unknown(other.up_to_usd_per_hour, format::usd_per_hour);
        let text = format!("up to {usd}, fits {}", other.fits.word());
        fact_at(LABEL, Role::Text, other.measure.spec().label, &text, width, &mut lines);
    }
    lines
}

/// What is known of the workload.
fn about(row: &ModelRow, ctx: &ViewContext, width: usize, lines: &mut Vec<Line>) {
    let of = &*row.workload;
    heading("What is known of it", lines);
    let work = format!("{} ({})", of.work.word(), reasons::model_because(&of.because));
    fact("runs for", &work, width, lines);
    let how = match of.work {
        ModelWork::Serving | ModelWork::Batch => "of the judged hours with a kernel on its GPUs",
        ModelWork::Script => "mean activity of the GPUs that its jobs held",
    };
    fact("used", &format!("{} {how}", format::share(of.usage, 1)), width, lines);
    let held = of.holding.map(|(held, told)| {
        format!("held on {held} of {}, now", format::plural(told as usize, "GPU"))
    });
    let unknown = ctx.symbols.unknown().to_owned();
    fact("memory", &held.unwrap_or(unknown), width, lines);
    fact("costs", &month(of.usd_per_hour), width, lines);
    if let Some(name) = &of.instance_type {
        fact("type", name, width, lines);
    }
    if !of.instances.is_empty() {
        fact("instances", &of.instances.join(", "), width, lines);
    }
    if let Some(scope) = &of.scope {
        fact("where", &scope.to_string(), width, lines);
    }
    if let Some(team) = &of.team {
        fact("team", team, width, lines);
    }
}

fn fits(fits: Fits) -> Role {
    match fits {
        Fits::Yes => Role::Ok,
        Fits::Unknown => Role::Warn,
        Fits::No => Role::Dim,
    }
}

fn month(usd: f64) -> String {
    let month = usd * HOURS_PER_MONTH;
    format!("{} ({}/month)", format::usd_per_hour(usd), format::usd_total(month))
}
