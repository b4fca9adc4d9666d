//! The command line of `burntop storage`.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};

use crate::cli::athena::AthenaArgs;
use crate::cli::list_options::ListOptions;

/// What `storage` shows or does.
#[derive(Clone, Debug, PartialEq, Subcommand)]
pub enum StorageCommand {
    /// Lists buckets by dollars per month, with their findings.
    Buckets(ListOptions),
    /// Lists volumes and snapshots: unattached, of stopped instances, gp2, orphans.
    Ebs(ListOptions),
    /// Shows prefixes with size, class, age and dollars per month, largest first.
    Explore(ExploreArgs),
    /// Compares what each storage class would cost, month by month, with the fees of moving.
    Tiers(TiersArgs),
    /// Checks a lifecycle policy (JSON, XML or YAML): what S3 refuses, what does nothing, what costs
    /// money.
    Lint(LintArgs),
    /// Plays a lifecycle policy on a list of objects: what moves, what is deleted, what it costs.
    Simulate(SimulateArgs),
    /// Plans and applies lifecycle rules.
    #[command(subcommand)]
    Lifecycle(LifecycleCommand),
    /// Finds training runs and their checkpoints by their keys, and what a retention policy drops.
    Checkpoints(CheckpointsArgs),
    /// Finds copies, prefix against prefix.
    Duplicates(DuplicatesArgs),
    /// Shows where each bucket's size is heading.
    Forecast(ForecastArgs),
}

/// Where the list of objects comes from.
#[derive(Clone, Debug, Default, PartialEq, Args)]
pub struct ListArgs {
    /// `manifest.json` of an S3 Inventory: a path or `s3://…`; a prefix of inventories takes the
    /// newest complete one.
    #[arg(long, value_name = "MANIFEST")]
    pub inventory: Option<String>,
    /// A bucket: its newest inventory, or what the cache holds of it. With --list, listed anew.
    #[arg(long, value_name = "BUCKET")]
    pub bucket: Option<String>,
    /// Lists --bucket object by object, which S3 bills; without --yes it says what that costs and
    /// how long it takes, and ends.
    #[arg(long, requires = "bucket")]
    pub list: bool,
    /// Goes ahead with what costs money.
    #[arg(long)]
    pub yes: bool,
    /// A local directory or mounted file system.
    #[arg(long, value_name = "PATH", conflicts_with_all = ["inventory", "bucket"])]
    pub dir: Option<PathBuf>,
    /// Only what lies under this prefix.
    #[arg(long, value_name = "PREFIX")]
    pub prefix: Option<String>,
    /// Who adds up.
    #[command(flatten)]
    pub athena: AthenaArgs,
    /// Athena: the database in which the table of the inventory is made and dropped again.
    #[arg(long, value_name = "NAME", default_value = "default")]
    pub athena_database: String,
    /// Region whose prices count, where the list does not say it.
    #[arg(long, value_name = "REGION")]
    pub price_region: Option<String>,
}

/// What `explore` shows.
#[derive(Clone, Debug, Default, PartialEq, Args)]
pub struct ExploreArgs {
    /// The list.
    #[command(flatten)]
    pub list: ListArgs,
    /// How many levels below --prefix.
    #[arg(long, default_value_t = 1, value_name = "N")]
    pub depth: u16,
    /// How many rows.
    #[arg(long, default_value_t = 50, value_name = "N")]
    pub top: usize,
}

/// What `tiers` compares.
#[derive(Clone, Debug, Default, PartialEq, Args)]
pub struct TiersArgs {
    /// The list.
    #[command(flatten)]
    pub list: ListArgs,
    /// How often each byte is read per month, on average.
    #[arg(long, value_name = "N")]
    pub reads_per_month: Option<f64>,
    /// Share of the bytes that are read at all, 0 to 1; the rest is never read.
    #[arg(long, value_name = "SHARE")]
    pub share_read: Option<f64>,
    /// GET requests per month for all objects, where it is not one per object and read.
    #[arg(long, value_name = "N")]
    pub gets_per_month: Option<f64>,
    /// Moves objects under 128 KiB as well, which lifecycle rules leave where they are unless they
    /// say a size.
    #[arg(long)]
    pub move_small: bool,
    /// Months that are looked ahead.
    #[arg(long, default_value_t = 12, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=120))]
    pub months: u16,
    /// The tier to start from, where no list says it (`standard`, `standard_ia`, …).
    #[arg(long, value_name = "TIER", requires_all = ["bytes", "objects"])]
    pub from: Option<String>,
    /// Bytes, where no list says it: `533627GiB`.
    #[arg(long, value_name = "SIZE")]
    pub bytes: Option<String>,
    /// Objects, where no list says it.
    #[arg(long, value_name = "N")]
    pub objects: Option<u64>,
}

/// What `lint` checks.
#[derive(Clone, Debug, Default, PartialEq, Args)]
pub struct LintArgs {
    /// The policy; `-` for standard input.
    #[arg(value_name = "FILE")]
    pub policy: PathBuf,
    /// Sizes to price the findings with.
    #[command(flatten)]
    pub list: ListArgs,
    /// How often each byte is read per month, on average.
    #[arg(long, value_name = "N")]
    pub reads_per_month: Option<f64>,
    /// Versioning of the bucket, where nobody can be asked.
    #[arg(long, value_enum, value_name = "STATE")]
    pub versioning: Option<VersioningChoice>,
}

/// Versioning of a bucket.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum VersioningChoice {
    /// Never switched on.
    Off,
    /// On.
    Enabled,
    /// Was on.
    Suspended,
}

/// What `simulate` plays.
#[derive(Clone, Debug, Default, PartialEq, Args)]
pub struct SimulateArgs {
    /// The policy; `-` for standard input.
    #[arg(value_name = "FILE")]
    pub policy: PathBuf,
    /// The list.
    #[command(flatten)]
    pub list: ListArgs,
    /// Months that are looked ahead.
    #[arg(long, default_value_t = 12, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=120))]
    pub months: u16,
    /// Versioning of the bucket, where nobody can be asked.
    #[arg(long, value_enum, value_name = "STATE")]
    pub versioning: Option<VersioningChoice>,
}

/// What `lifecycle` does.
#[derive(Clone, Debug, PartialEq, Subcommand)]
pub enum LifecycleCommand {
    /// Merges rules into a bucket's own, checks and simulates them, and writes files. Changes
    /// nothing.
    Plan(LifecyclePlanArgs),
    /// Puts a planned configuration, when the bucket still has the one it was planned on.
    Apply(LifecycleApplyArgs),
}

/// What `lifecycle plan` plans.
#[derive(Clone, Debug, Default, PartialEq, Args)]
pub struct LifecyclePlanArgs {
    /// The bucket.
    #[arg(long, value_name = "BUCKET")]
    pub bucket: String,
    /// Rules to merge: JSON, XML or YAML.
    #[arg(value_name = "FILE")]
    pub policy: PathBuf,
    /// An inventory to simulate on.
    #[arg(long, value_name = "MANIFEST")]
    pub inventory: Option<String>,
    /// Where the files go: a new directory.
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// The bucket's rules as a file, as `aws s3api get-bucket-lifecycle-configuration` prints them,
    /// instead of asking S3. Who owns the bucket is then not known, and nothing can be applied.
    #[arg(long, value_name = "FILE")]
    pub current: Option<PathBuf>,
    /// Versioning of the bucket, with --current.
    #[arg(long, value_enum, value_name = "STATE", requires = "current")]
    pub versioning: Option<VersioningChoice>,
    /// Why; a bucket of production needs it.
    #[arg(long, value_name = "TEXT")]
    pub justification: Option<String>,
}

/// What `lifecycle apply` puts.
#[derive(Clone, Debug, Default, PartialEq, Args)]
pub struct LifecycleApplyArgs {
    /// The plan file.
    #[arg(value_name = "FILE")]
    pub plan: PathBuf,
    /// The bucket's name, typed: that this bucket is meant.
    #[arg(long, value_name = "BUCKET")]
    pub confirm: Option<String>,
}

/// What `checkpoints` keeps.
#[derive(Clone, Debug, Default, PartialEq, Args)]
pub struct CheckpointsArgs {
    /// The list.
    #[command(flatten)]
    pub list: ListArgs,
    /// Keeps the last N complete steps of each run.
    #[arg(long, value_name = "N")]
    pub keep_last: Option<u32>,
    /// Keeps every step that is a multiple of K.
    #[arg(long, value_name = "K")]
    pub every: Option<u64>,
    /// Keeps the best M steps by their metric.
    #[arg(long, value_name = "M")]
    pub best: Option<u32>,
    /// Keeps the first step.
    #[arg(long)]
    pub keep_first: bool,
    /// Keeps what is younger: 7d, 48h.
    #[arg(long, value_name = "AGE")]
    pub min_age: Option<String>,
    /// Keeps these steps or prefixes; may be repeated.
    #[arg(long, value_name = "PREFIX", value_delimiter = ',')]
    pub pin: Vec<String>,
    /// Writes a manifest for S3 Batch Operations (tagging), to a new file.
    #[arg(long, value_name = "FILE")]
    pub batch_manifest: Option<PathBuf>,
    /// Writes a script that deletes, to a new file. burntop itself deletes no object.
    #[arg(long, value_name = "FILE")]
    pub delete_script: Option<PathBuf>,
}

/// What `duplicates` finds.
#[derive(Clone, Debug, Default, PartialEq, Args)]
pub struct DuplicatesArgs {
    /// The list.
    #[command(flatten)]
    pub list: ListArgs,
    /// Only copies that are at least this sure: A, B, C or D.
    #[arg(long, value_enum, default_value_t, value_name = "LEVEL")]
    pub confidence: ConfidenceChoice,
}

/// How sure a copy has to be.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
#[value(rename_all = "UPPER")]
pub enum ConfidenceChoice {
    /// Same digest and size.
    A,
    /// Same digest of parts and size.
    B,
    /// Same size and names.
    #[default]
    C,
    /// Same size, large.
    D,
}

/// What `forecast` looks at.
#[derive(Clone, Debug, Default, PartialEq, Args)]
pub struct ForecastArgs {
    /// Only this bucket.
    #[arg(long, value_name = "BUCKET")]
    pub bucket: Option<String>,
    /// Months that are looked ahead.
    #[arg(long, default_value_t = 12, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=60))]
    pub months: u16,
}
