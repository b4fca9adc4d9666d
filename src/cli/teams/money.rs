//! The lines of a run: of the bill, or of what runs where there is none.

use super::settings::gpus;
use crate::analyze::bill::BillSettings;
use crate::analyze::teams::Line;
use crate::cli::bill::args::OfArgs;
use crate::cli::bill::kept::Kept;
use crate::cli::exit::{CliError, Exit};
use crate::cli::invocation::Invocation;
use crate::cli::reports;
use crate::cli::telemetry::Want;
use crate::cli::tell::tell;
use crate::report::MoneyFrom;
use crate::tabs::teams::state::{of_bills, of_fleet};

/// Lines with where they come from, and how the run ends that read them.
pub(super) struct Money {
    pub lines: Vec<Line>,
    pub from: MoneyFrom,
    pub exit: Exit,
}

/// The lines of a period of the bill; of what runs at live prices where no bill was ever imported and none is asked for.
/// Fails where neither can be read.
pub(super) fn money(
    of: &OfArgs,
    invocation: &Invocation,
    settings: &BillSettings,
) -> Result<Money, CliError> {
    let is_named = of.period.is_some() || of.export.is_some();
    if !is_named && Kept::is_empty(invocation)? {
        return live(invocation);
    }
    let kept = Kept::of(invocation, of.export.as_deref(), &[], settings)?;
    let bills = kept.bills(of.period.unwrap_or_else(|| kept.newest()))?;
    let (lines, from) = of_bills(&bills, settings, &gpus);
    Ok(Money { lines, from, exit: kept.ended() })
}

fn live(invocation: &Invocation) -> Result<Money, CliError> {
    let outcome = reports::read(invocation, Want::Free)?;
    reports::unreadable(invocation, &outcome)?;
    let fleet = outcome.fleet.clone();
    let (lines, from) = of_fleet(&fleet);
    let exit = reports::ended(&fleet.readings);
    reports::shortfalls(&outcome).iter().for_each(tell);
    Ok(Money { lines, from, exit })
}
