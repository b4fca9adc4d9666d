//! `burntop storage simulate`: a lifecycle policy played on a list of objects.

use std::io::Write;

use super::args::{ListArgs, SimulateArgs};
use super::{CliError, Ctx, Exit, list, prices, rules};
use crate::analyze::storage::checkpoints::RunFold;
use crate::analyze::storage::lifecycle::Severity;
use crate::analyze::storage::lifecycle::lint::{LintContext, lint};
use crate::analyze::storage::lifecycle::simulate::{
    Assumptions, RunLoss, Simulated, SimulationFold, run_losses,
};
use crate::domain::storage::{Lifecycle, S3Prices, Versioning};
use crate::report::SimulationReport;
use crate::source::objects::Need;

pub(super) fn run(
    args: &SimulateArgs,
    ctx: &Ctx<'_>,
    out: &mut dyn Write,
) -> Result<Exit, CliError> {
    let parsed = rules::read(&args.policy)?;
    let versioning = rules::versioning(args.versioning, args.list.bucket.as_deref(), ctx);
    let findings = lint(
        &parsed.lifecycle,
        &parsed.remarks,
        &LintContext { versioning, ..LintContext::default() },
    );
    // A danger is no refusal.
    let refused =
        findings.iter().filter(|f| f.severity == Severity::Error && f.code.id() < "LC100").count();
    let played = Played::of(&parsed.lifecycle, &args.list, versioning, args.months, ctx)?;
    ctx.print(&played.report(refused), out)?;
    Ok(list::exit(played.partial.as_deref()))
}

/// A simulation with what its report needs.
pub(super) struct Played {
    simulated: Simulated,
    losses: Vec<RunLoss>,
    prices: Option<S3Prices>,
    bucket: String,
    pub(super) partial: Option<String>,
}

impl Played {
    /// One pass over a list.
    pub(super) fn of(
        lifecycle: &Lifecycle,
        args: &ListArgs,
        versioning: Option<Versioning>,
        months: u16,
        ctx: &Ctx<'_>,
    ) -> Result<Self, CliError> {
        let need = Need { versions: true, holds: true, ..Need::default() };
        let assumptions = Assumptions { versioning, months, ..Assumptions::default() };
        let listed = list::fold(args, ctx, need, |info| {
            (SimulationFold::new(lifecycle, info, assumptions), RunFold::new(info))
        })?;
        // A directory has no prices.
        let prices = match &args.dir {
            Some(_) => None,
            None => prices::of(ctx, args.price_region.as_deref(), Some(&listed.info.bucket))?.s3,
        };
        let (simulation, runs) = listed.fold;
        let runs = runs.finish();
        let mut simulated = simulation.finish(prices.as_ref());
        simulated.notes.extend(listed.notes);
        simulated.notes.extend(runs.notes);
        let listed_ms = listed.info.listed_ms;
        Ok(Self {
            simulated,
            losses: run_losses(lifecycle, &runs.runs, versioning, listed_ms, months),
            prices,
            bucket: listed.info.bucket.to_string(),
            partial: listed.partial,
        })
    }

    pub(super) fn report(&self, refused: usize) -> SimulationReport<'_> {
        SimulationReport {
            simulated: &self.simulated,
            losses: Some(&self.losses),
            refused,
            prices: self.prices.as_ref(),
            bucket: &self.bucket,
            partial: self.partial.as_deref(),
        }
    }
}
