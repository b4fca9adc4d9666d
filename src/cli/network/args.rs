//! The command line of `burntop network`.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};

use crate::analyze::network::cache::CachePath;
use crate::cli::bill::args::OfArgs;
use crate::cli::list_options::ListOptions;
use crate::cli::size;

/// Paths of which bill, how they are listed, and what is below it.
#[derive(Clone, Debug, Default, PartialEq, Args)]
#[command(args_conflicts_with_subcommands = true)]
pub struct NetworkArgs {
    /// What is below it; `None` = the paths.
    #[command(subcommand)]
    pub what: Option<NetworkCommand>,
    /// Of which bill.
    #[command(flatten)]
    pub of: OfArgs,
    /// Reads the account in place of a bill: NAT gateways with their bytes and routes, and buckets far from the fleet, at
    /// list prices. Without a bill this is done anyway.
    #[arg(long, conflicts_with_all = ["period", "export"])]
    pub live: bool,
    /// How they are listed.
    #[command(flatten)]
    pub list: ListOptions,
}

/// What `network` shows beside paths.
#[derive(Clone, Debug, PartialEq, Subcommand)]
pub enum NetworkCommand {
    /// Shows what a cache would save, by logs of reads: hits by its size, dollars a month, what it costs itself.
    ///
    /// From server access logs of S3, data events of `CloudTrail`, or flow logs with pkt-src-aws-service (bytes by reader alone):
    /// how often the same bytes are read, and which share of them an LRU cache of each size would have had. --filter speaks
    /// of its rows, for example `pattern=loop and read>1TiB`. Exit code 3 when some lines or files could not be read, 4 when
    /// nothing could.
    Cache {
        /// Of which log, and which cache.
        #[command(flatten)]
        what: CacheArgs,
        /// How it is listed.
        #[command(flatten)]
        list: ListOptions,
    },
}

/// Which log and which cache.
#[derive(Clone, Debug, Default, PartialEq, Args)]
pub struct CacheArgs {
    /// Logs: files, packed with gzip or not, and folders with all that is in them.
    #[arg(long = "log", value_name = "FILE", num_args = 1..)]
    pub logs: Vec<PathBuf>,
    /// A row per prefix, with a cache of its own, or per reader, with a cache on each. Without it one row for all.
    #[arg(long, value_enum, value_name = "WHAT")]
    pub by: Option<CacheBy>,
    /// Levels of the key that make a prefix.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u8).range(1..=16))]
    pub depth: u8,
    /// Size of the cache that dollars are told of: `2TiB`. Without it the smallest with nearly all hits of the largest.
    #[arg(long, value_name = "SIZE", value_parser = cache_bytes)]
    pub cache: Option<u64>,
    /// Path that the bytes take, at its list price in us-east-1.
    #[arg(long, value_enum, value_name = "PATH", conflicts_with = "usd_per_gb")]
    pub path: Option<PathChoice>,
    /// What a GB of the path costs, US dollars; `burntop network --wide` has it of the bill.
    #[arg(long, value_name = "USD", value_parser = usd_per_gb)]
    pub usd_per_gb: Option<f64>,
    /// Region whose prices of requests and caches count.
    #[arg(long, value_name = "REGION", default_value = "us-east-1")]
    pub price_region: String,
}

/// What rows are of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum CacheBy {
    /// Bucket and the first levels of the key.
    Prefix,
    /// Address that the bytes go to.
    Reader,
}

/// A path that the bytes take.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
#[value(rename_all = "snake_case")]
pub enum PathChoice {
    /// From another region.
    InterRegion,
    /// Through a NAT gateway.
    Nat,
    /// Over the internet, or to another cloud.
    Internet,
    /// Within the region, past no NAT gateway: requests alone.
    Requests,
}

impl PathChoice {
    /// The path.
    pub const fn path(self) -> CachePath {
        match self {
            Self::InterRegion => CachePath::InterRegion,
            Self::Nat => CachePath::Nat,
            Self::Internet => CachePath::Internet,
            Self::Requests => CachePath::Requests,
        }
    }
}

fn cache_bytes(text: &str) -> Result<u64, String> {
    let bytes = size::parse(text).filter(|bytes| *bytes >= 1.0);
    bytes
        .map(|bytes| bytes as u64)
        .ok_or_else(|| "a size is wanted, as `2TiB` or `500GB`".to_owned())
}

fn usd_per_gb(text: &str) -> Result<f64, String> {
    let usd = text.trim_start_matches('$').parse().ok();
    usd.filter(|usd: &f64| usd.is_finite() && (0.0..=1_000.0).contains(usd))
        .ok_or_else(|| "dollars are wanted, as `0.045`".to_owned())
}

impl NetworkArgs {
    /// The options of the list that is printed.
    pub fn list(&self) -> &ListOptions {
        match &self.what {
            None => &self.list,
            Some(NetworkCommand::Cache { list, .. }) => list,
        }
    }
}
