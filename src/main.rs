//! The `burntop` binary.

use std::io::Write;
use std::process::ExitCode;

use burntop::cli::{self, CliError, Exit, FleetCommand, Invocation};

fn main() -> ExitCode {
    cli::run(std::env::args_os(), fleet)
}

fn fleet(
    command: FleetCommand,
    _invocation: Invocation,
    _out: &mut dyn Write,
) -> Result<Exit, CliError> {
    Err(CliError::Failed {
        exit: Exit::Unreadable,
        message: format!("{command:?} is not part of this build"),
    })
}
