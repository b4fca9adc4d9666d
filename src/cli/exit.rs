//! How the program ends.

use std::io;
use std::process::ExitCode;

use crate::config::ConfigError;
use crate::domain::{ErrorKind, SourceError};

/// Exit codes of the program. Scripts rely on them, so their meaning never changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub enum Exit {
    /// Success.
    Ok = 0,
    /// Findings, with `--fail-on` only; of `doctor`, a failed check.
    Findings = 1,
    /// The command line or the configuration cannot be used.
    Usage = 2,
    /// Some sources failed; what was printed is incomplete and says so.
    Partial = 3,
    /// Nothing could be read or written at all.
    Unreadable = 4,
    /// An action was refused or failed.
    ActionFailed = 5,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit as u8)
    }
}

/// Why a command ended early.
#[derive(Debug, thiserror::Error)]
pub enum CliError {
    /// The configuration cannot be used.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// The command line cannot be used.
    #[error("{0}")]
    Usage(String),
    /// The output could not be written.
    #[error("cannot write the output: {}", crate::files::explain(.0))]
    Output(#[from] io::Error),
    /// A signal or a vanished terminal ended the screen; nothing is printed.
    #[error("ended by a signal")]
    Ended(
        /// 128 plus the signal's number, as shells have it.
        u8,
    ),
    /// Nothing could be read, or an action failed; has an exit code of its own.
    #[error("{message}")]
    Failed {
        /// The exit code.
        exit: Exit,
        /// What failed, on what, and what the user can do.
        message: String,
    },
}

impl CliError {
    /// What a source failed with, and what helps; a refusal counts as wrong use.
    pub fn of_source(error: SourceError) -> Self {
        let exit = match error.kind {
            ErrorKind::Refused => Exit::Usage,
            _ => Exit::Unreadable,
        };
        let fix = match error.advice() {
            "" => String::new(),
            fix => format!("\n{fix}"),
        };
        Self::Failed { exit, message: format!("{error}{fix}") }
    }

    /// Exit code of this error.
    pub fn exit(&self) -> Exit {
        match self {
            Self::Config(ConfigError::Write { .. }) => Exit::Unreadable,
            Self::Config(_) | Self::Usage(_) => Exit::Usage,
            Self::Ended(_) => Exit::Ok,
            // `burntop idle | head` is no failure.
            Self::Output(e) if e.kind() == io::ErrorKind::BrokenPipe => Exit::Ok,
            Self::Output(_) => Exit::Unreadable,
            Self::Failed { exit, .. } => *exit,
        }
    }

    /// True where no message is to be printed: the output is gone, or a signal ended the screen.
    pub fn is_quiet(&self) -> bool {
        match self {
            Self::Output(e) => e.kind() == io::ErrorKind::BrokenPipe,
            Self::Ended(_) => true,
            _ => false,
        }
    }

    /// Status of the process: [`CliError::exit`], or 128 plus the signal's number.
    pub fn status(&self) -> ExitCode {
        match self {
            Self::Ended(code) => ExitCode::from(*code),
            _ => self.exit().into(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_closed_pipe_is_fine_and_a_full_disk_is_not() {
        let pipe = CliError::Output(io::ErrorKind::BrokenPipe.into());
        assert_eq!((pipe.exit(), pipe.is_quiet()), (Exit::Ok, true));
        let full = CliError::Output(io::ErrorKind::StorageFull.into());
        assert_eq!((full.exit(), full.is_quiet()), (Exit::Unreadable, false));
    }
}
