//! `burntop storage lifecycle`.

use std::io::Write;

use super::args::LifecycleCommand;
use super::{CliError, Ctx, Exit, lifecycle_plan};
use crate::cli::{acting_storage, words};

pub(super) fn run(
    args: &LifecycleCommand,
    ctx: &Ctx<'_>,
    out: &mut dyn Write,
) -> Result<Exit, CliError> {
    words::no_filter(ctx.invocation.options.filter.as_deref())?;
    match args {
        LifecycleCommand::Plan(args) => lifecycle_plan::run(args, ctx, out),
        LifecycleCommand::Apply(args) => {
            let confirm = args.confirm.as_deref();
            acting_storage::apply_lifecycle(&args.plan, confirm, ctx.invocation, ctx.env, out)
        }
    }
}
