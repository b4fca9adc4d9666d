//! The views without a screen: aligned text, JSON, CSV and GitHub Markdown.
//!
//! Pure: everything comes from the fleet and the view models, and leaves as one string.

pub mod acting;
mod checkpoints;
mod csv;
mod gpus;
mod guide;
mod idle;
mod json;
mod lifecycle;
mod markdown;
pub mod object_files;
mod overview;
mod savings_rows;
mod sheet;
mod storage_buckets;
mod storage_duplicates;
mod storage_ebs;
mod storage_explore;
mod storage_forecast;
mod storage_rows;
mod storage_tiers;
mod text;
mod whatif;

pub use checkpoints::{CheckpointsReport, checkpoints};
pub use gpus::{GpuReport, default_gpu_columns, gpu_groups, gpu_row_json, gpus};
pub use guide::{GuideReport, guide};
pub use idle::{default_columns, idle, row_json};
pub use lifecycle::{
    LintReport, PlanReport, SimulationReport, lifecycle_plan, lint_findings, simulation,
};
pub use overview::{OverviewReport, overview, overview_of, overview_with_gpus};
pub use savings_rows::{
    SavingsAbout, SavingsField, commitment_sums, default_savings_columns, savings_row, savings_rows,
};
pub use storage_buckets::{StorageReport, buckets, default_bucket_columns};
pub use storage_duplicates::{DuplicatesReport, storage_duplicates};
pub use storage_ebs::{block_storage, default_block_columns};
pub use storage_explore::{Exploration, explore};
pub use storage_forecast::{Cost, ForecastReport, ForecastRow, storage_forecast};
pub use storage_rows::{StorageAbout, storage_row, storage_rows};
pub use storage_tiers::{TiersReport, storage_tiers};
pub use whatif::{
    BacktestReport, BacktestRow, CompareReport, CompareRow, HindsightOptimum, OptimumReport,
    OptimumTier, ReserveFamily, ReserveReport, SessionPlan, SessionReport, whatif_backtest,
    whatif_compare, whatif_knobs, whatif_memo, whatif_optimum, whatif_plan, whatif_reserve,
    whatif_sheet,
};

use crate::domain::text::{clean, clean_to};
use crate::domain::{Reading, SourceState};
use crate::fleet::Fleet;

/// What a report is written as.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Format {
    /// Aligned text with totals.
    #[default]
    Table,
    /// One JSON document, schema `burntop/<view>/1`.
    Json,
    /// RFC 4180 with a header row of field names.
    Csv,
    /// A GitHub table.
    Md,
}

impl Format {
    /// All formats.
    pub const ALL: [Self; 4] = [Self::Table, Self::Json, Self::Csv, Self::Md];

    /// The name on the command line, also the usual file extension but for `table`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Table => "table",
            Self::Json => "json",
            Self::Csv => "csv",
            Self::Md => "md",
        }
    }

    /// The format with this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|f| f.name().eq_ignore_ascii_case(name))
    }

    /// The extension of an exported file.
    pub fn extension(self) -> &'static str {
        match self {
            Self::Table => "txt",
            other => other.name(),
        }
    }
}

/// What a report says about how it was made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Meta<'a> {
    /// Name of the preset that judged.
    pub preset: &'a str,
    /// The filter in force, if any.
    pub filter: Option<&'a str>,
}

impl Meta<'_> {
    /// What the figures mean, one sentence.
    fn basis(&self) -> String {
        let filter = self.filter.filter(|f| !f.is_empty()).map(clean);
        format!(
            "USD at on-demand list price (Spot: the zone's spot price), before commitments, \
             credits and private discounts; waste since idle at today's rate; a month is 730 h; \
             preset {}{}",
            self.preset,
            filter.map(|f| format!("; filter {f}")).unwrap_or_default(),
        )
    }
}

/// A line per source in trouble, with what to do.
fn troubles(fleet: &Fleet) -> impl Iterator<Item = String> {
    troubles_of(&fleet.readings)
}

fn troubles_of(readings: &[Reading]) -> impl Iterator<Item = String> {
    readings.iter().filter_map(|r| {
        let SourceState::Failed(error) = &r.state else { return None };
        let fix = if error.fix.is_empty() { String::new() } else { format!("; {}", error.fix) };
        let line = format!("! {} {} {}: {error}{fix}", r.source.word(), r.scope, r.state.word());
        Some(clean_to(&line, usize::MAX).into_owned())
    })
}

#[cfg(test)]
mod tests;
