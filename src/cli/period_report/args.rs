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
    /// Sends it to this sink of the rules of `burntop watch` instead: mail has the page, the others its figures in a
    /// few lines.
    #[arg(long, value_name = "SINK", conflicts_with = "out")]
    pub send: Option<String>,
    /// The rules with the sink; `rules.toml` beside the configuration where it is left out.
    #[arg(long, value_name = "FILE", requires = "send")]
    pub rules: Option<PathBuf>,
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
