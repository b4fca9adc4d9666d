//! The command line of `burntop bill`.

use clap::{Args, Subcommand, ValueEnum};

use crate::analyze::bill::BillKey;
use crate::cli::athena::AthenaArgs;
use crate::cli::list_options::ListOptions;
use crate::domain::bill::{BillFormat, Month};

/// `burntop bill`, and what is below it.
#[derive(Clone, Debug, PartialEq, Eq, Args)]
#[command(args_conflicts_with_subcommands = true)]
pub struct BillArgs {
    /// What is below it; `None` = the sums.
    #[command(subcommand)]
    pub what: Option<BillCommand>,
    /// Which sums.
    #[command(flatten)]
    pub sums: SumsArgs,
    /// How they are listed.
    #[command(flatten)]
    pub list: ListOptions,
}

/// What `bill` shows or does.
#[derive(Clone, Debug, PartialEq, Eq, Subcommand)]
pub enum BillCommand {
    /// Shows what the bill is of: training, serving, other compute, storage, network, operations, fees.
    ///
    /// With what of each was wasted, beside shares that others published. `[bill]` in the configuration says by which tags
    /// training is told from serving.
    Anatomy {
        /// Of which bill.
        #[command(flatten)]
        of: OfArgs,
        /// How it is listed.
        #[command(flatten)]
        list: ListOptions,
    },
    /// Shows what changed between two periods, and why: price, usage, new, gone.
    Changes {
        /// Which periods.
        #[command(flatten)]
        what: ChangesArgs,
        /// How it is listed.
        #[command(flatten)]
        list: ListOptions,
    },
    /// Shows what the bill charges out of the ordinary: spikes, drops and drifts, with the resources behind them.
    ///
    /// Each day is compared with the four weeks before it, its weekday and the rhythm of the month. With
    /// `--fail-on findings` the exit code is 1 where there are any.
    Anomalies {
        /// Of which bill.
        #[command(flatten)]
        what: AnomaliesArgs,
        /// How it is listed.
        #[command(flatten)]
        list: ListOptions,
    },
    /// Lays the bill beside live burn, day by day, and says why they differ.
    ///
    /// Live burn is what burntop saw while it ran: list price × hours of instances. What it cannot see has its name:
    /// discounts, commitments, other services, accounts and regions that are not read.
    Reconcile {
        /// Of which bill.
        #[command(flatten)]
        of: OfArgs,
        /// How it is listed.
        #[command(flatten)]
        list: ListOptions,
    },
    /// Reads bills and keeps them: Cost and Usage Reports, CUR 2.0, FOCUS.
    ///
    /// Of an export the newest delivery of each billing period; a period is replaced as a whole, and what was read
    /// before is not read again. Exit code 3 when some could not be imported, 4 when none could.
    Import(ImportArgs),
}

/// Which bill is shown.
#[derive(Clone, Debug, Default, PartialEq, Eq, Args)]
pub struct OfArgs {
    /// The billing period; without it the newest one that is imported.
    #[arg(long, value_name = "YYYY-MM")]
    pub period: Option<Month>,
    /// The export by its name; without it, of several exports of the same charges the one written last.
    #[arg(long, value_name = "NAME")]
    pub export: Option<String>,
}

/// Keys that sums are made by.
#[derive(Clone, Debug, PartialEq, Eq, Args)]
pub struct ByArgs {
    /// Sums by this key, or by two: category, service, account, region, usage_type, resource, day, charge, pricing,
    /// commitment, team, project, env, cost_center, tag:NAME.
    #[allow(clippy::doc_markdown, reason = "it is the help, which has no marks")]
    #[arg(
        long,
        value_name = "KEY[,KEY]",
        value_delimiter = ',',
        value_parser = BillKey::parse,
        default_value = "service"
    )]
    pub by: Vec<BillKey>,
}

/// Which sums are shown.
#[derive(Clone, Debug, PartialEq, Eq, Args)]
pub struct SumsArgs {
    /// Keys.
    #[command(flatten)]
    pub by: ByArgs,
    /// Of which bill.
    #[command(flatten)]
    pub of: OfArgs,
    /// Who adds up.
    #[command(flatten)]
    pub athena: BillAthenaArgs,
}

/// Which table Athena adds up, where the bill outgrows this machine.
#[derive(Clone, Debug, Default, PartialEq, Eq, Args)]
pub struct BillAthenaArgs {
    /// Who adds up.
    #[command(flatten)]
    pub shared: AthenaArgs,
    /// Athena: the table with the bill.
    #[arg(long, value_name = "DATABASE.TABLE")]
    pub athena_table: Option<String>,
    /// Athena: the columns of the table, maps as `NAME map`, instead of those that the catalogue says.
    #[arg(long, value_name = "NAME[,NAME]", value_delimiter = ',')]
    pub athena_columns: Vec<String>,
    /// Athena: the format of the bill, for --print-sql without --athena-columns.
    #[arg(long, value_enum, value_name = "FORMAT")]
    pub athena_format: Option<TableFormat>,
    /// Goes ahead with what costs money.
    #[arg(long)]
    pub yes: bool,
}

/// Format of a bill in a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum TableFormat {
    /// Cost and Usage Report, legacy.
    Cur1,
    /// Cost and Usage Report 2.0.
    Cur2,
    /// FOCUS 1.0.
    #[value(name = "focus1.0")]
    Focus10,
    /// FOCUS 1.2.
    #[value(name = "focus1.2")]
    Focus12,
}

impl From<TableFormat> for BillFormat {
    fn from(format: TableFormat) -> Self {
        match format {
            TableFormat::Cur1 => Self::Cur1,
            TableFormat::Cur2 => Self::Cur2,
            TableFormat::Focus10 => Self::Focus10,
            TableFormat::Focus12 => Self::Focus12,
        }
    }
}

/// Which periods are compared.
#[derive(Clone, Debug, PartialEq, Eq, Args)]
pub struct ChangesArgs {
    /// The first period; without it the one before the second.
    #[arg(long, value_name = "YYYY-MM")]
    pub from: Option<Month>,
    /// The second period; without it the newest one that is imported.
    #[arg(long, value_name = "YYYY-MM")]
    pub to: Option<Month>,
    /// Keys.
    #[command(flatten)]
    pub by: ByArgs,
    /// The export by its name; without it, of several exports of the same charges the one written last.
    #[arg(long, value_name = "NAME")]
    pub export: Option<String>,
}

/// Of what anomalies are shown.
#[derive(Clone, Debug, Default, PartialEq, Eq, Args)]
pub struct AnomaliesArgs {
    /// Of which bill.
    #[command(flatten)]
    pub of: OfArgs,
    /// Tells what is used apart by this tag as well; it must be kept with the bills.
    #[arg(long, value_name = "KEY")]
    pub tag: Option<String>,
}

/// What is imported.
#[derive(Clone, Debug, Default, PartialEq, Eq, Args)]
pub struct ImportArgs {
    /// A file (CSV, CSV.gz, zip, Parquet), a folder, an export, or a manifest: paths or `s3://…`. Without any, those of
    /// `[bill] exports` in the configuration.
    #[arg(value_name = "PATH|S3-URI")]
    pub places: Vec<String>,
    /// Of several exports the one with this name; files without a manifest are kept under it, as one bill.
    #[arg(long, value_name = "NAME")]
    pub export: Option<String>,
    /// Reads what was billed from Cost Explorer instead, for those who have no export.
    ///
    /// 14 months, the last three by day. Each request costs $0.01: $0.20 on the first day at most and $0.10 on a later
    /// one. What it takes is said first; nothing is asked without --yes or an answer on the terminal. Months whose
    /// invoice is issued are read once, others once a day.
    #[arg(long, conflicts_with_all = ["places", "export"])]
    pub cost_explorer: bool,
    /// Tag key to group by in Cost Explorer, activated as a cost allocation tag; that of the team by default.
    #[arg(long, value_name = "KEY", requires = "cost_explorer")]
    pub tag: Option<String>,
    /// Asks Cost Explorer what single instances cost in the last 14 days too, where its settings allow it.
    #[arg(long, requires = "cost_explorer")]
    pub resources: bool,
    /// Agrees to what asking Cost Explorer costs.
    #[arg(long, requires = "cost_explorer")]
    pub yes: bool,
}

impl BillArgs {
    /// The options of the list that is printed; `None` where none is.
    pub fn list(&self) -> Option<&ListOptions> {
        match &self.what {
            None => Some(&self.list),
            Some(
                BillCommand::Anatomy { list, .. }
                | BillCommand::Changes { list, .. }
                | BillCommand::Anomalies { list, .. }
                | BillCommand::Reconcile { list, .. },
            ) => Some(list),
            Some(BillCommand::Import(_)) => None,
        }
    }
}
