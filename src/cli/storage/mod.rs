//! `burntop storage …`: one thin file per subcommand.

pub mod args;
mod athena;
mod checkpoints;
mod duplicates;
pub(super) mod explore;
mod forecast;
mod lifecycle;
mod lifecycle_draft;
mod lifecycle_plan;
mod lint;
mod list;
pub(super) mod listed;
mod listing;
mod object_files;
mod prices;
mod read;
mod rules;
mod simulate;
mod tiers;

use std::io::Write;

use super::exit::{CliError, Exit};
use super::invocation::Invocation;
use super::reports;
use crate::config::Env;
use crate::report::Report;
use crate::view::ViewContext;
use args::StorageCommand;

/// What every subcommand is run with.
pub(super) struct Ctx<'a> {
    pub(super) invocation: &'a Invocation,
    pub(super) env: &'a Env,
}

impl Ctx<'_> {
    fn view(&self) -> ViewContext {
        reports::context(self.invocation, self.env)
    }

    fn print(&self, report: &dyn Report, out: &mut dyn Write) -> Result<(), CliError> {
        reports::print(report, self.invocation, &self.view(), out)
    }
}

/// Runs a subcommand of `burntop storage`. Fails for arguments that do not fit, and where nothing could be
/// read.
pub fn run(
    command: &StorageCommand,
    invocation: &Invocation,
    env: &Env,
    out: &mut dyn Write,
) -> Result<Exit, CliError> {
    let ctx = Ctx { invocation, env };
    match command {
        StorageCommand::Buckets(_) => listed::BUCKETS.run(&ctx, out),
        StorageCommand::Ebs(_) => listed::EBS.run(&ctx, out),
        StorageCommand::Explore(args) => explore::run(args, &ctx, out),
        StorageCommand::Tiers(args) => tiers::run(args, &ctx, out),
        StorageCommand::Lint(args) => lint::run(args, &ctx, out),
        StorageCommand::Simulate(args) => simulate::run(args, &ctx, out),
        StorageCommand::Lifecycle(what) => lifecycle::run(what, &ctx, out),
        StorageCommand::Checkpoints(args) => checkpoints::run(args, &ctx, out),
        StorageCommand::Duplicates(args) => duplicates::run(args, &ctx, out),
        StorageCommand::Forecast(args) => forecast::run(args, &ctx, out),
    }
}
