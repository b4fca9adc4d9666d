//! The command line of `burntop whatif`.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};

use crate::whatif::Payment;
use crate::whatif::tiers::weeks;

/// What `whatif` computes.
#[derive(Clone, Debug, PartialEq, Subcommand)]
pub enum WhatifCommand {
    /// Finds the commitment with the lowest mean cost over many futures of a demand, and values any
    /// other with --commit.
    ///
    /// Futures are made of whole weeks of the past, drawn with a seed; --paths 0 values the past
    /// itself, hour by hour. With --scenario, all that its file says (growth, steps, spot, what is
    /// held, several families) is valued instead of the options.
    Reserve(ReserveArgs),
    /// Finds the cheapest mix of tiers for a demand as it was: the exact answer in hindsight.
    Optimum(OptimumArgs),
    /// Replays the buying policy on a demand, week by week, seeing only the past, against fixed
    /// rules and perfect foresight.
    Backtest(BacktestArgs),
    /// Computes what a higher use and spot save, one after the other.
    GpuSavings(LeverArgs),
    /// Computes what smaller or other instances save, type by type.
    Rightsize(LeverArgs),
    /// Replays an autoscaler over a load: replicas, cost, time overloaded.
    Autoscale(LeverArgs),
    /// Computes the tax of runs that fail, by status, with checkpoints.
    FailedRuns(LeverArgs),
    /// Computes what a part of the fleet on spot is worth after interruptions and fallback.
    SpotMix(LeverArgs),
    /// Takes over what the storage side saves.
    Storage(LeverArgs),
    /// Computes what bytes cost, by way and tier, and what cuts save.
    Network(LeverArgs),
    /// Sums the total cost of ownership up, with people.
    Tco(LeverArgs),
    /// Computes the cost of a prediction and of a run.
    UnitCost(LeverArgs),
    /// Adds a programme of savings up, month by month: payback, return.
    Programme(LeverArgs),
    /// Compares scenario files over the same futures: paired differences with their error.
    Compare(CompareArgs),
    /// Writes the one-page memo of a scenario: inputs, lists with reasons, what is not known.
    Memo(MemoArgs),
}

/// The demand.
#[derive(Clone, Debug, Default, PartialEq, Args)]
pub struct DemandArgs {
    /// A CSV file with a header, the time first, then one column per family; `-` for standard
    /// input. Without it, what the cache saw running.
    #[arg(long, value_name = "FILE")]
    pub demand: Option<PathBuf>,
    /// The column. Needed where there are several.
    #[arg(long, value_name = "NAME")]
    pub column: Option<String>,
    /// Where the families stand below each other: the column with their names. --column is then the
    /// one with the units.
    #[arg(long, value_name = "NAME", requires_all = ["demand", "column"])]
    pub family_column: Option<String>,
    /// The one family that counts, with --family-column or without --demand; of a scenario and for a
    /// memo the one that is planned for, among all of the demand.
    #[arg(long, value_name = "NAME")]
    pub family: Option<String>,
    /// The zone of times without an offset: Europe/Berlin.
    #[arg(long, value_name = "ZONE", default_value = "UTC", requires = "demand")]
    pub zone: String,
}

impl DemandArgs {
    /// The demand of all families, whichever is planned for.
    pub fn of_all(&self) -> Self {
        Self { family: None, ..self.clone() }
    }
}

/// What `reserve` values.
#[derive(Clone, Debug, Default, PartialEq, Args)]
pub struct ReserveArgs {
    /// The demand.
    #[command(flatten)]
    pub demand: DemandArgs,
    /// On-demand price, USD per unit and hour. Without it, where the family is an instance type: the
    /// price of the configuration, or the list price.
    #[arg(long, value_name = "USD", allow_negative_numbers = true)]
    pub on_demand: Option<f64>,
    /// Price of the commitment, USD per unit and hour, amortised over its term. Without it, of one
    /// year: the rate of a standard Reserved Instance, where it is known.
    #[arg(long, value_name = "USD", allow_negative_numbers = true)]
    pub reserved: Option<f64>,
    /// How long it binds: 1y, 3y or a number of weeks (26w).
    #[arg(long, value_name = "TERM", default_value = "1y", value_parser = parse_term)]
    pub term: u16,
    /// How it is paid.
    #[arg(long, value_enum, value_name = "HOW", default_value_t)]
    pub payment: PaymentChoice,
    /// Futures, 0 to 50000; 0 = the past itself.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(0..=50_000))]
    pub paths: Option<u32>,
    /// What the futures are drawn from; the same seed gives the same ones.
    #[arg(long, value_name = "S", value_parser = clap::value_parser!(u64).range(0..=i64::MAX as u64))]
    pub seed: Option<u64>,
    /// Values this many units as well.
    #[arg(long, value_name = "UNITS", allow_negative_numbers = true)]
    pub commit: Option<f64>,
    /// Expected growth per year, 0.3 = 30%.
    #[arg(
        long,
        value_name = "SHARE",
        default_value_t = 0.0,
        allow_negative_numbers = true,
        conflicts_with = "scenario"
    )]
    pub growth: f64,
    /// What is not known of the trend, per week: 0.01 = 1%.
    #[arg(long, value_name = "SHARE", default_value_t = 0.0, conflicts_with = "scenario")]
    pub drift: f64,
    /// How much a week's level differs from the trend, 0.05 = 5%.
    #[arg(long, value_name = "SHARE", default_value_t = 0.0, conflicts_with = "scenario")]
    pub shock: f64,
    /// A scenario file (TOML).
    #[arg(long, value_name = "FILE", conflicts_with_all = ["on_demand", "reserved"])]
    pub scenario: Option<PathBuf>,
}

/// How a commitment is paid.
#[expect(clippy::enum_variant_names, reason = "as AWS names them")]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum PaymentChoice {
    /// By the month.
    #[default]
    NoUpfront,
    /// Half at once.
    PartialUpfront,
    /// At once.
    AllUpfront,
}

impl From<PaymentChoice> for Payment {
    fn from(choice: PaymentChoice) -> Self {
        match choice {
            PaymentChoice::NoUpfront => Self::NoUpfront,
            PaymentChoice::PartialUpfront => Self::PartialUpfront,
            PaymentChoice::AllUpfront => Self::AllUpfront,
        }
    }
}

/// Weeks of `1y`, `3y` or `26w`.
fn parse_term(text: &str) -> Result<u16, String> {
    weeks(text).ok_or_else(|| "1y, 3y or a number of weeks from 1w to 156w is wanted".to_owned())
}

/// What `optimum` chooses from.
#[derive(Clone, Debug, Default, PartialEq, Args)]
pub struct OptimumArgs {
    /// The demand.
    #[command(flatten)]
    pub demand: DemandArgs,
    /// The tiers and the on-demand price (TOML): see assets/tiers.example.toml.
    #[arg(long, value_name = "FILE")]
    pub tiers: PathBuf,
}

/// What `backtest` replays.
#[derive(Clone, Debug, Default, PartialEq, Args)]
pub struct BacktestArgs {
    /// The demand.
    #[command(flatten)]
    pub demand: DemandArgs,
    /// On-demand price, USD per unit and hour.
    #[arg(long, value_name = "USD", allow_negative_numbers = true)]
    pub on_demand: f64,
    /// Price of the commitment, USD per unit and hour.
    #[arg(long, value_name = "USD", allow_negative_numbers = true)]
    pub reserved: f64,
    /// Weeks that a commitment binds.
    #[arg(long, value_name = "WEEKS", default_value_t = 52, value_parser = clap::value_parser!(u16).range(1..=156))]
    pub term_weeks: u16,
    /// Weeks between two purchases.
    #[arg(long, value_name = "WEEKS", default_value_t = 4, value_parser = clap::value_parser!(u16).range(1..=52))]
    pub every_weeks: u16,
    /// Weeks of history before the first purchase; without it a quarter of the series, at most 9.
    #[arg(long, value_name = "WEEKS", value_parser = clap::value_parser!(u16).range(1..=104))]
    pub warm_up_weeks: Option<u16>,
}

/// What a simulator is given.
#[derive(Clone, Debug, Default, PartialEq, Args)]
pub struct LeverArgs {
    /// Inputs by name: `utilisation=30%`; of a list `phase.2.months=3`. --list names them all.
    #[arg(value_name = "NAME=VALUE")]
    pub inputs: Vec<String>,
    /// Lists the inputs with their values and where to take them from, and ends.
    #[arg(long)]
    pub list: bool,
    /// A scenario file whose inputs count where none are given here.
    #[arg(long, value_name = "FILE")]
    pub scenario: Option<PathBuf>,
    /// Autoscaling: a CSV with the load, the time first.
    #[arg(long, value_name = "FILE")]
    pub load: Option<PathBuf>,
    /// The column of --load. Needed where there are several.
    #[arg(long, value_name = "NAME", requires = "load")]
    pub column: Option<String>,
}

/// What `compare` compares.
#[derive(Clone, Debug, Default, PartialEq, Args)]
pub struct CompareArgs {
    /// The demand.
    #[command(flatten)]
    pub demand: DemandArgs,
    /// Scenario files; the first is the base.
    #[arg(value_name = "FILE", num_args = 2.., required = true)]
    pub scenarios: Vec<PathBuf>,
    /// Futures, instead of the first file's number.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(0..=50_000))]
    pub paths: Option<u32>,
}

/// What `memo` is about.
#[derive(Clone, Debug, Default, PartialEq, Args)]
pub struct MemoArgs {
    /// The demand.
    #[command(flatten)]
    pub demand: DemandArgs,
    /// The scenario file (TOML). Without it, what the cockpit begins with: the prices that are known
    /// here, and nothing bought.
    #[arg(long, value_name = "FILE")]
    pub scenario: Option<PathBuf>,
    /// Writes the memo to a new file instead of standard output.
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn terms_are_years_or_weeks() {
        for (text, weeks) in [("1y", 52), ("3y", 156), ("1w", 1), ("156w", 156)] {
            assert_eq!(parse_term(text), Ok(weeks));
        }
        for text in ["", "2y", "0w", "157w", "-1w", "12", "w", "1 w"] {
            assert!(parse_term(text).is_err(), "{text}");
        }
    }
}
