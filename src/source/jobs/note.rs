//! What is odd about a file of jobs, but usable.

use std::fmt;
use std::sync::Arc;

use crate::domain::format::counted;

/// What is odd about a file of jobs, but usable.
#[derive(Clone, Debug, PartialEq)]
pub enum JobNote {
    /// Numbers were taken as seconds since 1970.
    Seconds,
    /// Numbers were taken as milliseconds since 1970.
    Milliseconds,
    /// Local times that occur twice when the clocks change: the first was taken.
    Ambiguous {
        /// Number of times.
        times: u64,
    },
    /// Rows of steps, whose time is part of that of their jobs.
    Steps {
        /// Number of rows.
        steps: u64,
    },
    /// Lines with the identity of an earlier one, which they replace.
    Repeated {
        /// Number of lines.
        lines: u64,
    },
    /// No row of a cluster tells GPUs.
    NoGpus {
        /// The cluster; empty where none is named.
        cluster: Arc<str>,
    },
    /// Jobs were queued again, and their earlier attempts are not in the file.
    NoEarlierAttempts {
        /// Number of jobs.
        jobs: u64,
    },
}

impl fmt::Display for JobNote {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let lines = |n: u64| counted(n as usize, "line", "lines");
        match self {
            Self::Seconds => f.write_str("numbers are taken as seconds since 1970"),
            Self::Milliseconds => f.write_str("numbers are taken as milliseconds since 1970"),
            Self::Ambiguous { times } => write!(
                f,
                "{} that occur twice as the clocks change: the earlier one is taken",
                counted(*times as usize, "time", "times")
            ),
            Self::Steps { steps } => write!(
                f,
                "{} of steps left out: their time is part of that of their jobs",
                counted(*steps as usize, "row", "rows")
            ),
            Self::Repeated { lines: n } => {
                write!(
                    f,
                    "{} of an attempt that an earlier line has too: the last counts",
                    lines(*n)
                )
            }
            Self::NoGpus { cluster } => {
                let of = if cluster.is_empty() { "the cluster" } else { cluster };
                write!(
                    f,
                    "no row of {of} tells GPUs: they are unknown, not 0; set \
                     AccountingStorageTRES=gres/gpu"
                )
            }
            Self::NoEarlierAttempts { jobs } => write!(
                f,
                "{} queued again without the attempts before: what those cost is missing; export \
                 with -D",
                counted(*jobs as usize, "job was", "jobs were")
            ),
        }
    }
}
