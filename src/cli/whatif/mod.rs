//! `burntop whatif …`: one thin file per subcommand. No account is asked, no client made.

pub mod args;
mod backtest;
mod compare;
mod demand;
mod first;
mod lever;
pub(super) mod memo;
mod optimum;
mod reserve;
mod scenario;
mod store;

use std::io::Write;

use super::exit::{CliError, Exit};
use super::invocation::Invocation;
use super::session;
use super::tell::tell;
use crate::bus::planning::Threads;
use crate::config::Env;
use crate::report::Format;
use crate::view::ViewContext;
use crate::whatif::EngineError;
use crate::whatif::levers::LeverKind;
use args::WhatifCommand;
pub(crate) use demand::demand_of_file;
pub(crate) use first::{begin, us_east_1_dated};
pub use store::{Store, StoreError};

/// Input of every subcommand.
struct Ctx<'a> {
    invocation: &'a Invocation,
    env: &'a Env,
}

impl Ctx<'_> {
    fn view(&self) -> ViewContext {
        let symbols = session::symbols(self.invocation, self.env);
        ViewContext { now: self.invocation.options.now(), symbols }
    }

    fn format(&self) -> Format {
        self.invocation.options.format
    }

    /// Says what is odd to who is watching, where the output does not say it.
    fn warn(&self, warnings: &[String]) {
        if !self.format().has_notes() {
            warnings.iter().for_each(tell);
        }
    }
}

/// Runs a subcommand of `burntop whatif`. Fails for arguments that do not fit, and where a file cannot be read
/// or a scenario cannot be valued.
pub fn run(
    command: &WhatifCommand,
    invocation: &Invocation,
    env: &Env,
    out: &mut dyn Write,
) -> Result<Exit, CliError> {
    let ctx = Ctx { invocation, env };
    match command {
        WhatifCommand::Reserve(args) => reserve::run(args, &ctx, out),
        WhatifCommand::GpuSavings(args) => lever::run(LeverKind::GpuSavings, args, &ctx, out),
        WhatifCommand::Rightsize(args) => lever::run(LeverKind::Rightsize, args, &ctx, out),
        WhatifCommand::Autoscale(args) => lever::run(LeverKind::Autoscale, args, &ctx, out),
        WhatifCommand::FailedRuns(args) => lever::run(LeverKind::FailedRuns, args, &ctx, out),
        WhatifCommand::SpotMix(args) => lever::run(LeverKind::SpotMix, args, &ctx, out),
        WhatifCommand::Storage(args) => lever::run(LeverKind::Storage, args, &ctx, out),
        WhatifCommand::Network(args) => lever::run(LeverKind::Network, args, &ctx, out),
        WhatifCommand::Tco(args) => lever::run(LeverKind::Tco, args, &ctx, out),
        WhatifCommand::UnitCost(args) => lever::run(LeverKind::UnitCost, args, &ctx, out),
        WhatifCommand::Programme(args) => lever::run(LeverKind::Programme, args, &ctx, out),
        WhatifCommand::Optimum(args) => optimum::run(args, &ctx, out),
        WhatifCommand::Backtest(args) => backtest::run(args, &ctx, out),
        WhatifCommand::Compare(args) => compare::run(args, &ctx, out),
        WhatifCommand::Memo(args) => memo::run(args, &ctx, out),
    }
}

/// The threads that compute.
fn workers() -> Threads {
    Threads(std::thread::available_parallelism().map_or(1, std::num::NonZero::get).min(8))
}

/// Error for a scenario that cannot be valued: a wrong usage.
fn engine_error(error: EngineError) -> CliError {
    CliError::Usage(error.to_string())
}
