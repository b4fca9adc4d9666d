//! `burntop storage ebs`.

use std::io::Write;
use std::sync::Arc;

use super::{CliError, Ctx, Exit, read};
use crate::cli::invocation::Invocation;
use crate::cli::reports;
use crate::cli::telemetry::StoragePart;
use crate::fleet::StorageFleet;
use crate::report::List;
use crate::tabs::storage::picture::{BlockField, block_rows};
use crate::view::{Filter, ViewContext};

pub(super) fn run(ctx: &Ctx<'_>, out: &mut dyn Write) -> Result<Exit, CliError> {
    let filter = reports::filter::<BlockField>(ctx.invocation)?;
    let fleet = Arc::new(read::once(ctx, StoragePart::Ebs)?);
    ctx.print(&report(ctx.invocation, &fleet, filter.as_ref(), &ctx.view()), out)?;
    Ok(read::exit(&fleet))
}

/// What is printed.
pub(in crate::cli) fn report(
    invocation: &Invocation,
    fleet: &Arc<StorageFleet>,
    filter: Option<&Filter>,
    ctx: &ViewContext,
) -> List<BlockField> {
    let rows = reports::chosen::<BlockField>(&block_rows(fleet), filter, ctx);
    List::of(rows, invocation.options.filter.as_deref(), fleet.clone())
}
