//! The `burntop` binary.

use std::process::ExitCode;

fn main() -> ExitCode {
    burntop::cli::run(std::env::args_os(), burntop::cli::fleet)
}
