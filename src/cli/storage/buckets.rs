//! `burntop storage buckets`.

use std::io::Write;
use std::sync::Arc;

use super::{CliError, Ctx, Exit, read};
use crate::cli::invocation::Invocation;
use crate::cli::reports;
use crate::cli::telemetry::StoragePart;
use crate::fleet::StorageFleet;
use crate::report::List;
use crate::tabs::storage::picture::BucketField;
use crate::view::{Filter, ViewContext};

pub(super) fn run(ctx: &Ctx<'_>, out: &mut dyn Write) -> Result<Exit, CliError> {
    let filter = reports::filter::<BucketField>(ctx.invocation)?;
    let fleet = Arc::new(read::once(ctx, StoragePart::Buckets)?);
    ctx.print(&report(ctx.invocation, &fleet, filter.as_ref(), &ctx.view()), out)?;
    Ok(read::exit(&fleet))
}

/// What is printed.
pub(in crate::cli) fn report(
    invocation: &Invocation,
    fleet: &Arc<StorageFleet>,
    filter: Option<&Filter>,
    ctx: &ViewContext,
) -> List<BucketField> {
    let rows = reports::chosen::<BucketField>(&fleet.buckets, filter, ctx);
    List::of(rows, invocation.options.filter.as_deref(), fleet.clone())
}
