//! `burntop storage buckets`.

use std::io::Write;

use super::{CliError, Ctx, Exit, read};
use crate::cli::telemetry::StoragePart;
use crate::cli::{reports, session};
use crate::report::{self, Meta, StorageReport};
use crate::view::storage::BucketField;
use crate::view::{Filter, Sort, ViewContext, table};

pub(super) fn run(ctx: &Ctx<'_>, out: &mut dyn Write) -> Result<Exit, CliError> {
    let options = &ctx.invocation.options;
    let filter: Option<Filter<BucketField>> = match &options.filter {
        Some(text) => Some(Filter::parse(text).map_err(|e| CliError::Usage(e.to_string()))?),
        None => None,
    };
    let read::Storage { fleet, prices } = read::once(ctx, StoragePart::Buckets)?;
    let view =
        ViewContext { now: options.now(), symbols: session::symbols(ctx.invocation, ctx.env) };
    let meta = Meta { preset: &ctx.invocation.config.preset, filter: options.filter.as_deref() };
    let rows = table::select(&fleet.buckets, filter.as_ref(), Sort::default(), &view);
    let format = reports::format_of(options.format);
    let report = StorageReport { fleet: &fleet, prices: &prices, rows: &rows };
    let columns = report::default_bucket_columns(format);
    out.write_all(report::buckets(report, columns, format, &view, &meta).as_bytes())?;
    Ok(read::exit(&fleet))
}
