//! The views without a screen: aligned text, JSON, CSV and GitHub Markdown.
//!
//! Pure: everything comes from the fleet and the view models, and leaves as one string.

pub mod acting;
mod bill;
mod bill_import;
mod checkpoints;
mod csv;
mod exact_json;
mod gpu_groups;
mod gpus;
mod guide;
mod html;
mod idle;
mod idle_backtest;
mod jobs;
mod json;
mod lifecycle;
mod list;
mod markdown;
mod network;
pub mod object_files;
mod overview;
mod overview_past;
mod page;
mod period;
mod savings_rows;
mod sheet;
mod sources;
mod storage_blocks;
mod storage_buckets;
mod storage_duplicates;
mod storage_explore;
mod storage_forecast;
mod storage_lists;
mod storage_tiers;
mod teams;
mod text;
mod trend;
mod watch;
mod whatif;
mod write;

pub use bill::BillsOf;
pub use bill_import::{BillImportReport, ImportRow};
pub use checkpoints::CheckpointsReport;
pub use gpu_groups::GroupedGpus;
pub use gpus::Gpus;
pub use guide::GuideReport;
#[cfg(test)]
pub(crate) use html::reader as html_for_tests;
pub use idle::Instances;
pub use idle_backtest::IdleBacktestReport;
pub use jobs::{
    ASSUMED_REGION, ImportedFile, JobsImportReport, JobsOf, KeptJobsOf, ReplaysOf, RequestsOf,
    ScalingOf, WaitsOf, ZombiesOf,
};
pub use lifecycle::{LintReport, PlanReport, SimulationReport};
pub use list::{List, ListField};
pub use network::{CacheOf, LogTold};
pub use overview::{FindingOptions, OverviewReport};
pub use period::PeriodReport;
pub use savings_rows::SavedOf;
pub(crate) use savings_rows::mixed_fleets;
pub use storage_duplicates::DuplicatesReport;
pub use storage_explore::{Explored, Volume, explore};
pub use storage_forecast::{ForecastReport, ForecastRow};
pub use storage_tiers::TiersReport;
pub use teams::{
    AllocationOf, BudgetsOf, MoneyFrom, PeopleOf, QuotasOf, TagsOf, UnitsOf, WhatIfAnswer,
};
pub use trend::TrendOf;
pub use watch::AlertsOf;
pub use whatif::{
    BacktestReport, BacktestRow, CompareReport, CompareRow, HindsightOptimum, OptimumReport,
    OptimumTier, ReserveFamily, ReserveReport, SessionPlan, SessionReport, whatif_backtest,
    whatif_compare, whatif_knobs, whatif_optimum, whatif_reserve, whatif_sheet,
};
pub(crate) use write::{Notes, Report, json_lines, write};

use crate::domain::Reading;
use crate::domain::text::{clean, clean_to};

/// Output format of a report.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, clap::ValueEnum)]
pub enum Format {
    /// Aligned columns.
    #[default]
    Table,
    /// JSON with a schema name, readings and errors.
    Json,
    /// Comma-separated values.
    Csv,
    /// A Markdown table.
    Md,
    /// One HTML page that needs nothing else, of `burntop report` alone.
    Html,
}

impl Format {
    /// All formats that every report has.
    pub const ALL: [Self; 4] = [Self::Table, Self::Json, Self::Csv, Self::Md];

    /// Name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Table => "table",
            Self::Json => "json",
            Self::Csv => "csv",
            Self::Md => "md",
            Self::Html => "html",
        }
    }

    /// All names, in alphabetical order.
    pub fn names() -> [&'static str; 4] {
        let mut names = Self::ALL.map(Self::name);
        names.sort_unstable();
        names
    }

    /// The format of this name, ignoring ASCII case; `None` for another word.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|f| f.name().eq_ignore_ascii_case(name))
    }

    /// True where notes are written beside the rows: all formats but CSV.
    pub fn has_notes(self) -> bool {
        self != Self::Csv
    }

    /// File extension of an exported report.
    pub fn extension(self) -> &'static str {
        match self {
            Self::Table => "txt",
            other => other.name(),
        }
    }
}

/// Basis of a fleet's figures, one sentence.
fn fleet_basis(preset: &str) -> String {
    format!(
        "USD at on-demand list price (Spot: the zone's spot price), before credits and private \
         discounts, and before commitments unless it says net; waste since idle at today's rate; a \
         month is 730 h; preset {preset}"
    )
}

/// The end of a basis: the filter as typed, if there is one.
fn filtered(filter: &str) -> String {
    match clean(filter) {
        none if none.is_empty() => String::new(),
        filter => format!("; filter {filter}"),
    }
}

/// A line per source in trouble, with what to do.
fn troubles_of<'a>(
    readings: impl IntoIterator<Item = &'a Reading>,
) -> impl Iterator<Item = String> {
    readings.into_iter().filter_map(|r| {
        let line = format!("! {}", r.trouble()?);
        Some(clean_to(&line, usize::MAX).into_owned())
    })
}

#[cfg(test)]
mod tests;
