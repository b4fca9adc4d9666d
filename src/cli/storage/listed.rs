//! The lists of storage as commands.

use std::io::Write;
use std::sync::Arc;

use super::{CliError, Ctx, Exit, read};
use crate::cli::invocation::Invocation;
use crate::cli::reports;
use crate::cli::telemetry::StoragePart;
use crate::fleet::StorageFleet;
use crate::report::{List, ListField};
use crate::tabs::storage::picture::{BlockField, BucketField, block_rows};
use crate::view::{Filter, ViewContext};

/// `burntop storage buckets`.
pub(in crate::cli) const BUCKETS: Listed<BucketField> =
    Listed { part: StoragePart::Buckets, rows: |fleet| fleet.buckets.clone() };

/// `burntop storage ebs`.
pub(in crate::cli) const EBS: Listed<BlockField> =
    Listed { part: StoragePart::Ebs, rows: block_rows };

/// A list as a command.
pub(in crate::cli) struct Listed<F: ListField<Of = Arc<StorageFleet>>> {
    /// Part of storage that is read for it.
    part: StoragePart,
    /// Takes the rows of the list from the fleet.
    rows: fn(&StorageFleet) -> Vec<Arc<F::Row>>,
}

impl<F: ListField<Of = Arc<StorageFleet>>> Listed<F> {
    pub(super) fn run(&self, ctx: &Ctx<'_>, out: &mut dyn Write) -> Result<Exit, CliError> {
        let filter = reports::filter::<F>(ctx.invocation)?;
        let fleet = Arc::new(read::once(ctx, self.part)?);
        ctx.print(&self.report(ctx.invocation, &fleet, filter.as_ref(), &ctx.view()), out)?;
        Ok(read::exit(&fleet))
    }

    /// What is printed.
    pub(in crate::cli) fn report(
        &self,
        invocation: &Invocation,
        fleet: &Arc<StorageFleet>,
        filter: Option<&Filter>,
        ctx: &ViewContext,
    ) -> List<F> {
        let rows = reports::chosen::<F>(&(self.rows)(fleet), filter, ctx);
        List::of(rows, invocation.options.filter.as_deref(), fleet.clone())
    }
}
