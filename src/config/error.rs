//! What is wrong with a configuration, and where.

use std::fmt;
use std::io;
use std::path::PathBuf;

use crate::files::explain;

/// Where a value came from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    /// A line of a file, counted from 1.
    File {
        /// The file.
        path: PathBuf,
        /// The line.
        line: usize,
    },
    /// An environment variable.
    Env(&'static str),
    /// A command line flag.
    Flag(&'static str),
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File { path, line } => write!(f, "{}:{line}", path.display()),
            Self::Env(name) | Self::Flag(name) => f.write_str(name),
        }
    }
}

/// A value that cannot be used. The text names the key and what is accepted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// Where it stands.
    pub place: Place,
    /// What is wrong and what would be right.
    pub message: String,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.place, self.message)
    }
}

/// Something odd that is left out rather than fatal: an unknown key, an unreadable views file.
pub type Notice = Problem;

/// Why there is no configuration.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    /// A file could not be read.
    #[error("cannot read {path}: {why}", path = path.display(), why = explain(source))]
    Read {
        /// The file.
        path: PathBuf,
        /// The system's reason.
        source: io::Error,
    },
    /// A file could not be written.
    #[error("cannot write {path}: {why}", path = path.display(), why = explain(source))]
    Write {
        /// The file.
        path: PathBuf,
        /// The system's reason.
        source: io::Error,
    },
    /// `config init` found a file.
    #[error("{path} exists already; it stays as it is", path = path.display())]
    Exists {
        /// The file.
        path: PathBuf,
    },
    /// Values that cannot be used, all of them.
    #[error("{}", lines(.0))]
    Invalid(Vec<Problem>),
    /// The platform names no home directory.
    #[error(
        "no home directory is known: set HOME, or name the files with BURNTOP_CONFIG and \
         BURNTOP_CACHE_PATH"
    )]
    NoHome,
}

fn lines(problems: &[Problem]) -> String {
    problems.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
}
