//! The command line of `burntop report`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use crate::analyze::trend::PeriodKind;

/// Of what period a report is, and where it goes.
#[derive(Clone, Debug, PartialEq, Eq, Args)]
pub struct ReportArgs {
    /// The last whole week (Monday to Sunday) or month, UTC.
    #[arg(value_enum)]
    pub period: ReportPeriod,
    /// Writes it to a new file, for its owner alone; one that is there stays as it is.
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
}

/// Which period.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ReportPeriod {
    /// The last whole week.
    Weekly,
    /// The last whole month.
    Monthly,
}

impl ReportPeriod {
    /// Length of the period.
    pub const fn kind(self) -> PeriodKind {
        match self {
            Self::Weekly => PeriodKind::Week,
            Self::Monthly => PeriodKind::Month,
        }
    }
}
