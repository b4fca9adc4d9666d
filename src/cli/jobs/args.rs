//! The command line of `burntop jobs`.

use std::path::PathBuf;

use clap::{Args, Subcommand};
use jiff::tz::TimeZone;

use crate::analyze::jobs::{
    CHECKPOINT_MINUTES, CancelledWeight, DRAIN_HOURS, ReplayKey, ReplayTerms, SCALING_DAYS, TaxKey,
    WaitKey,
};
use crate::cli::list_options::ListOptions;

/// `burntop jobs`, and what is below it.
#[derive(Clone, Debug, PartialEq, Eq, Args)]
#[command(args_conflicts_with_subcommands = true)]
pub struct JobsArgs {
    /// What is below it; `None` = the attempts.
    #[command(subcommand)]
    pub what: Option<JobsCommand>,
    /// How cancelled attempts count.
    #[command(flatten)]
    pub cancelled: CancelledArgs,
    /// How they are listed.
    #[command(flatten)]
    pub list: ListOptions,
}

/// What `jobs` shows or does.
#[derive(Clone, Debug, PartialEq, Eq, Subcommand)]
pub enum JobsCommand {
    /// Shows what failed runs took: GPU-hours and dollars that came to nothing.
    ///
    /// Failed, out of memory, timed out, preempted, node faults; less what a checkpoint saved where that is known, else an
    /// upper bound. Cancelled attempts stand beside it.
    Tax {
        /// Of what.
        #[command(flatten)]
        what: TaxArgs,
        /// How it is listed.
        #[command(flatten)]
        list: ListOptions,
    },
    /// Shows what each node cost: in jobs, idle, and what no job held of it.
    ///
    /// The three add up to the price of its hours. An attempt has the largest of its shares in GPUs, CPUs and memory; where
    /// attempts together ask for more than a node, each pays its part of one.
    Nodes {
        /// How they are listed.
        #[command(flatten)]
        list: ListOptions,
    },
    /// Shows what was lost again and again: retries on a bad node, scripts that keep failing, last hours, sweeps.
    ///
    /// Runs that failed in the hour before they usually complete, retries on the node on which the job had just failed,
    /// scripts that failed three times one after the other, sweeps of which no member was stopped early. The total counts each
    /// attempt once.
    Repeats {
        /// How they are listed.
        #[command(flatten)]
        list: ListOptions,
    },
    /// Shows what rules would have saved of what was lost: a retry limit, a drain, checkpoints, early stopping.
    ///
    /// Each rule is replayed by itself over the kept attempts, with what it would have cost: runs that completed and would have been
    /// forbidden, attempts that would have needed another node, time to write checkpoints.
    Replay {
        /// By what terms.
        #[command(flatten)]
        what: ReplayArgs,
        /// How they are listed.
        #[command(flatten)]
        list: ListOptions,
    },
    /// Shows GPUs that cost and do nothing for a job: held by no living job, or idle in one that runs.
    ///
    /// By what schedulers tell of who holds GPUs and what telemetry tells of their work. Where either is unknown or older than
    /// twice its interval, a GPU is in use.
    Zombies {
        /// How they are listed.
        #[command(flatten)]
        list: ListOptions,
    },
    /// Shows who waited for GPUs while others stood idle, and why: limits, fragmentation, or a true shortage.
    ///
    /// In each hour the GPUs that nobody held through all of it are given, on paper, to those that waited, the longest first.
    /// What the scheduler itself names as the reason goes before.
    Wait {
        /// Which waits.
        #[command(flatten)]
        what: WaitArgs,
        /// How they are listed.
        #[command(flatten)]
        list: ListOptions,
    },
    /// Shows what workloads asked for and never used: GPUs, time until the scheduler ends them, memory.
    ///
    /// By user and name, of attempts that ended in the last days. GPUs count as used that worked at all, by kept telemetry or by what
    /// jobstats wrote into Slurm's accounting; what nobody measured counts as used.
    Requests {
        /// Which requests.
        #[command(flatten)]
        what: RequestsArgs,
        /// How they are listed.
        #[command(flatten)]
        list: ListOptions,
    },
    /// Shows node groups that hold empty GPU nodes, and what other settings of the autoscaler would save.
    ///
    /// How long an empty node stays up and how many stay up whatever happens, replayed over the jobs as they ran: dollars, nodes
    /// that come up more often, jobs that wait for a node to boot. The page of a row has the lines that set it.
    Scaling {
        /// Over which jobs.
        #[command(flatten)]
        what: ScalingArgs,
        /// How they are listed.
        #[command(flatten)]
        list: ListOptions,
    },
    /// Reads jobs from files and keeps them: CSV, JSON lines, or the text of Slurm's sacct.
    ///
    /// The same attempt read again replaces itself. Of Slurm: `sacct -a -X -D -P -o …`, with the columns that
    /// docs/jobs.md names. Exit code 3 when some lines could not be read, 4 when nothing could.
    Import(ImportArgs),
}

/// How cancelled attempts count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Args)]
pub struct CancelledArgs {
    /// Share of cancelled attempts that counts as lost, 0 to 1.
    #[arg(long, value_name = "SHARE", default_value = "0")]
    pub cancelled_weight: CancelledWeight,
}

/// Which sums are shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Args)]
pub struct TaxArgs {
    /// Sums by this key: state, cause, user, team, project, node, model, week.
    #[arg(long, value_name = "KEY", value_parser = key, default_value = "state")]
    pub by: TaxKey,
    /// How cancelled attempts count.
    #[command(flatten)]
    pub cancelled: CancelledArgs,
}

/// By what terms rules are replayed.
#[derive(Clone, Copy, Debug, PartialEq, Args)]
pub struct ReplayArgs {
    /// Rows by this key: all, user, team, script.
    #[arg(long, value_name = "KEY", value_parser = replay_key, default_value = "all")]
    pub by: ReplayKey,
    /// Days that count, until now: attempts that ended in them. Without it all that are kept.
    #[arg(long, value_name = "DAYS", value_parser = clap::value_parser!(u32).range(1..=3650))]
    pub days: Option<u32>,
    /// Minutes for which a run stands still to write a checkpoint.
    #[arg(long, value_name = "MINUTES", value_parser = minutes, default_value_t = f64::from(CHECKPOINT_MINUTES))]
    pub checkpoint_cost: f64,
    /// Hours within which failures on a node count together.
    #[arg(long, value_name = "HOURS", default_value_t = DRAIN_HOURS, value_parser = clap::value_parser!(u32).range(1..=720))]
    pub drain_within: u32,
    /// Hours for which a node is drained.
    #[arg(long, value_name = "HOURS", default_value_t = DRAIN_HOURS, value_parser = clap::value_parser!(u32).range(1..=720))]
    pub drain_for: u32,
}

// A number that was typed is no NaN.
impl Eq for ReplayArgs {}

impl ReplayArgs {
    /// The terms.
    pub fn terms(self) -> ReplayTerms {
        ReplayTerms {
            by: self.by,
            days: self.days,
            checkpoint_ms: to_ms(self.checkpoint_cost),
            within_hours: self.drain_within,
            drained_hours: self.drain_for,
        }
    }
}

/// Which waits are shown.
#[derive(Clone, Copy, Debug, PartialEq, Args)]
pub struct WaitArgs {
    /// Sums by this key: hour, cluster, queue, user, team.
    #[arg(long, value_name = "KEY", value_parser = wait_key, default_value = "hour")]
    pub by: WaitKey,
    /// Days that are looked at, until now.
    #[arg(long, value_name = "DAYS", default_value = "7", value_parser = clap::value_parser!(u32).range(1..=60))]
    pub days: u32,
    /// What an hour of a user who waits is worth, USD.
    #[arg(long, value_name = "USD", value_parser = usd)]
    pub user_usd_per_hour: Option<f64>,
}

// A number that was typed is no NaN.
impl Eq for WaitArgs {}

/// Which requests are shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Args)]
pub struct RequestsArgs {
    /// Days that are looked at, until now: attempts that ended in them.
    #[arg(long, value_name = "DAYS", default_value = "30", value_parser = clap::value_parser!(u32).range(1..=365))]
    pub days: u32,
}

/// Over which jobs settings of an autoscaler are replayed.
#[derive(Clone, Copy, Debug, PartialEq, Args)]
pub struct ScalingArgs {
    /// Days that are looked at, until now.
    #[arg(long, value_name = "DAYS", default_value_t = SCALING_DAYS, value_parser = clap::value_parser!(u32).range(1..=365))]
    pub days: u32,
    /// Minutes that a node boots. Without it as long as boots that were seen, else five.
    #[arg(long, value_name = "MINUTES", value_parser = minutes)]
    pub boot_minutes: Option<f64>,
}

// A number that was typed is no NaN.
impl Eq for ScalingArgs {}

impl ScalingArgs {
    /// The time that a node boots, milliseconds; `None` where none was given.
    pub fn boot_ms(self) -> Option<i64> {
        self.boot_minutes.map(to_ms)
    }
}

/// What is imported.
#[derive(Clone, Debug, PartialEq, Eq, Args)]
pub struct ImportArgs {
    /// Files with jobs.
    #[arg(value_name = "FILE", required = true)]
    pub files: Vec<PathBuf>,
    /// Time zone of times that name none, as `Europe/Berlin` or `UTC`; without it such times are refused.
    #[arg(long, value_name = "ZONE", value_parser = zone)]
    pub tz: Option<TimeZone>,
    /// Looks at the last 16 KiB of the logs that the files name (columns `log`, `stderr`; of Slurm `StdErr`, `StdOut`) for why runs failed.
    ///
    /// Of runs that failed and tell no reason. Kept are the words by which a cause is known, nothing else of a log.
    #[arg(long)]
    pub logs: bool,
}

fn key(text: &str) -> Result<TaxKey, String> {
    one_of(&TaxKey::ALL, &TaxKey::WORDS, text)
}

fn wait_key(text: &str) -> Result<WaitKey, String> {
    one_of(&WaitKey::ALL, &WaitKey::WORDS, text)
}

fn replay_key(text: &str) -> Result<ReplayKey, String> {
    one_of(&ReplayKey::ALL, &ReplayKey::WORDS, text)
}

fn minutes(text: &str) -> Result<f64, String> {
    let minutes: Option<f64> = text.parse().ok();
    let of_a_day = |minutes: &f64| (0.0..=1440.0).contains(minutes);
    minutes
        .filter(of_a_day)
        .ok_or_else(|| "minutes are wanted, from 0 to 1440, as 5 or 0.5".to_owned())
}

fn to_ms(minutes: f64) -> i64 {
    (minutes * 60_000.0).round() as i64
}

/// The one of `all` whose word this is, each at the place of its word.
fn one_of<T: Copy>(all: &[T], words: &[&str], text: &str) -> Result<T, String> {
    let found = all.iter().zip(words).find(|(_, word)| **word == text);
    found.map(|(one, _)| *one).ok_or_else(|| format!("one of {} is wanted", words.join(", ")))
}

fn usd(text: &str) -> Result<f64, String> {
    let usd = text.trim_start_matches('$').parse().ok();
    let is_sane = |usd: &f64| (0.0..=1e6).contains(usd);
    usd.filter(is_sane).ok_or_else(|| "dollars per hour are wanted, as 95 or $120.50".to_owned())
}

fn zone(text: &str) -> Result<TimeZone, String> {
    let no_zone = "a name of the time zone database is wanted, as `Europe/Berlin` or `UTC`";
    TimeZone::get(text).map_err(|_| no_zone.to_owned())
}

impl JobsArgs {
    /// The options of the list that is printed; `None` where none is.
    pub fn list(&self) -> Option<&ListOptions> {
        match &self.what {
            None => Some(&self.list),
            Some(
                JobsCommand::Tax { list, .. }
                | JobsCommand::Nodes { list }
                | JobsCommand::Repeats { list }
                | JobsCommand::Replay { list, .. }
                | JobsCommand::Zombies { list }
                | JobsCommand::Wait { list, .. }
                | JobsCommand::Requests { list, .. }
                | JobsCommand::Scaling { list, .. },
            ) => Some(list),
            Some(JobsCommand::Import(_)) => None,
        }
    }
}
