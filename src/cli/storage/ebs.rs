//! `burntop storage ebs`.

use std::io::Write;

use super::{CliError, Ctx, Exit, read};
use crate::cli::telemetry::StoragePart;
use crate::cli::{reports, session};
use crate::report::{self, Meta, StorageReport};
use crate::view::storage::{BlockField, block_rows};
use crate::view::{Filter, Sort, ViewContext, table};

pub(super) fn run(ctx: &Ctx<'_>, out: &mut dyn Write) -> Result<Exit, CliError> {
    let options = &ctx.invocation.options;
    let filter: Option<Filter<BlockField>> = match &options.filter {
        Some(text) => Some(Filter::parse(text).map_err(|e| CliError::Usage(e.to_string()))?),
        None => None,
    };
    let read::Storage { fleet, prices } = read::once(ctx, StoragePart::Ebs)?;
    let view =
        ViewContext { now: options.now(), symbols: session::symbols(ctx.invocation, ctx.env) };
    let meta = Meta { preset: &ctx.invocation.config.preset, filter: options.filter.as_deref() };
    let all = block_rows(&fleet);
    let rows = table::select(&all, filter.as_ref(), Sort::default(), &view);
    let format = reports::format_of(options.format);
    let columns = report::default_block_columns(format);
    let report = StorageReport { fleet: &fleet, prices: &prices, rows: &rows };
    let text = report::block_storage(report, &all, columns, format, &view, &meta);
    out.write_all(text.as_bytes())?;
    Ok(read::exit(&fleet))
}
