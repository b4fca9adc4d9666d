//! The command line. Help, man page and completions all come from these types.

use std::path::PathBuf;

use super::bill::args::BillArgs;
use super::jobs::args::JobsArgs;
use super::list_options::ListOptions;
use super::network::args::NetworkArgs;
use super::period_report::args::ReportArgs;
use super::savings::args::{RightsizeArgs, SpotArgs};
use super::storage::args::StorageCommand;
use super::teams::args::{BudgetsArgs, PeopleArgs, QuotasArgs, TeamsArgs, UnitsArgs};
use super::trend::args::TrendArgs;
use super::watch::args::WatchArgs;
use super::whatif::args::WhatifCommand;
use clap::builder::PossibleValuesParser;
use clap::{Args, Parser, Subcommand, ValueEnum};
use clap_complete::Shell;
use jiff::Timestamp;

use super::fail_on::FailOn;
use crate::app::ThemeName;
use crate::config::{ColorChoice, SymbolChoice};
use crate::report::Format;

/// top for the money a GPU fleet burns.
///
/// Without a command, burntop opens the cockpit; where the output is no terminal, it prints the
/// idle table once.
#[derive(Clone, Debug, Parser)]
#[command(name = "burntop", version = crate::version::VERSION, after_long_help = AFTER_HELP, max_term_width = 100)]
pub struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub command: Option<Command>,
    /// Opens the cockpit on its What-if tab, with the demand of a file instead of what was seen
    /// running: a CSV with a header, the time first, then one column per family.
    #[arg(long, value_name = "FILE")]
    pub demand: Option<PathBuf>,
    /// Options of every command.
    #[command(flatten)]
    pub global: GlobalArgs,
}

const AFTER_HELP: &str = "\
Exit codes: 0 fine · 1 findings (only with --fail-on; doctor: a check failed) · 2 usage or \
configuration · 3 partial data · 4 nothing could be read · 5 an action was refused or failed.

A flag beats a BURNTOP_* variable (BURNTOP_CONFIG, _PROFILE, _REGION, _PRESET, _THEME, _SYMBOLS, \
_MOUSE, _COLOR, _OWN_COST_CAP, _CACHE_PATH, _CACHE_MAX_MB), that beats the configuration file. \
BURNTOP_LOG sets the level of the log.";

/// Options that every command takes.
#[allow(clippy::struct_excessive_bools, reason = "each is a flag of the command line")]
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Options of every command")]
pub struct GlobalArgs {
    /// Shows an embedded, deterministic fleet instead of an account.
    #[arg(long, global = true)]
    pub demo: bool,
    /// Seed of the demo fleet.
    #[arg(long, global = true, value_name = "S")]
    pub demo_seed: Option<u64>,
    /// Number of instances in the demo fleet.
    #[arg(long, global = true, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pub demo_size: Option<u32>,
    /// Uses the cache alone; asks no account anything.
    #[arg(long, global = true)]
    pub offline: bool,
    /// Keeps the cache in memory and reads and writes no file of it.
    #[arg(long, global = true, conflicts_with = "offline")]
    pub no_cache: bool,
    /// Writes everything that the sources say to a file (gzip of JSON lines), appended to what is
    /// there. It holds names and tags, and no credential.
    #[arg(long, global = true, value_name = "FILE")]
    pub record: Option<PathBuf>,
    /// Plays such a file instead of asking anybody: the clock is the recording's, nothing can be
    /// changed, and the cache is left alone. A report shows its end.
    #[arg(long, global = true, value_name = "FILE", conflicts_with_all = ["demo", "offline", "allow_actions", "record"])]
    pub replay: Option<PathBuf>,
    /// How much faster than it was recorded a file is played on the screen.
    #[arg(long, global = true, value_name = "N", requires = "replay", value_parser = parse_speed)]
    pub speed: Option<f64>,
    /// Shows only what matches, for example `gpu<5 and $>10/h and team=nlp`.
    #[arg(long, global = true, value_name = "FILTER")]
    pub filter: Option<String>,
    /// Form of a report.
    #[arg(long, global = true, value_enum, value_name = "FORMAT")]
    pub format: Option<Format>,
    /// Ends a report with exit code 1 on findings: `idle`, `partial`, `underused`, `unknown`, with
    /// a count `idle>3`, `waste>N/h`; several separated by commas. `burntop gpus` has others,
    /// `burntop storage lint` has `error` and `warning`; the lists of savings have `findings`.
    #[arg(long, global = true, value_name = "FINDINGS")]
    pub fail_on: Option<FailOn>,
    /// Allows changes: without it, and without `allow_actions` of an account in the configuration,
    /// nothing can be stopped, terminated, started or tagged. Accounts pinned read-only stay so.
    /// There is no variable for it: one that is set once would arm every later run unseen.
    #[arg(long, global = true)]
    pub allow_actions: bool,
    /// Configuration file.
    #[arg(long, global = true, value_name = "FILE")]
    pub config: Option<PathBuf>,
    /// AWS profile, or an account's name from the configuration; may be repeated.
    #[arg(long, global = true, value_name = "NAME", value_delimiter = ',')]
    pub profile: Vec<String>,
    /// Region, may be repeated; `all` for those enabled in the account.
    #[arg(long, global = true, value_name = "REGION", value_delimiter = ',')]
    pub region: Vec<String>,
    /// How idleness is judged: cautious, aws-compute-optimizer, aws-trusted-advisor, mean-cpu, or
    /// one of the configuration.
    #[arg(long, global = true, value_name = "PRESET")]
    pub preset: Option<String>,
    /// Theme of the cockpit.
    #[arg(long, global = true, value_name = "THEME", value_parser = PossibleValuesParser::new(ThemeName::ALL.map(ThemeName::name)))]
    pub theme: Option<String>,
    /// Glyphs.
    #[arg(long, global = true, value_enum, value_name = "WHICH")]
    pub symbols: Option<SymbolChoice>,
    /// Colours.
    #[arg(long, global = true, value_enum, value_name = "WHEN")]
    pub color: Option<ColorChoice>,
    /// Mouse clicks and wheel (the default).
    #[arg(long, global = true, overrides_with = "no_mouse")]
    pub mouse: bool,
    /// No mouse.
    #[arg(long, global = true, overrides_with = "mouse")]
    pub no_mouse: bool,
    /// Writes more to the log file; twice for everything.
    #[arg(short, long, global = true, action = clap::ArgAction::Count)]
    pub verbose: u8,
    /// Fixes the clock, for tests and pictures.
    #[arg(long, global = true, hide = true, value_name = "RFC3339")]
    pub now: Option<Timestamp>,
}

/// A factor for `--speed`.
fn parse_speed(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(speed) if (0.01..=100_000.0).contains(&speed) => Ok(speed),
        _ => Err("a number from 0.01 to 100000 is wanted".into()),
    }
}

/// The commands.
#[derive(Clone, Debug, PartialEq, Subcommand)]
pub enum Command {
    /// Lists instances with their verdicts, worst first.
    Idle {
        /// The list, or the back-test.
        #[command(flatten)]
        what: IdleArgs,
        /// How it is listed.
        #[command(flatten)]
        list: ListOptions,
    },
    /// Sums the fleet up: burn, waste, verdicts, owners.
    ///
    /// --filter speaks of instances here. --columns, --sort, --limit and --wide are of the costliest
    /// findings, of which it prints five without --limit.
    Overview(ListOptions),
    /// Lists GPUs with what they really do, whose they are and what they cost, worst first.
    ///
    /// Takes what the configured sources of GPU telemetry say. --filter speaks of GPUs here, for
    /// example `state=held_idle and $>2/h and team=nlp` or `act<5 and idle>3h`; --fail-on takes
    /// `held_idle`, `unallocated_idle`, `idle` for both, `stalled`, `unhealthy`, `inefficient`,
    /// `stale`, `unknown` and `waste>N/h`. Exit code 4 when no source told of GPUs and no
    /// account could be read.
    Gpus {
        /// Which GPUs.
        #[command(flatten)]
        what: GpusArgs,
        /// How they are listed.
        #[command(flatten)]
        list: ListOptions,
    },
    /// Lists commitments held (Reserved Instances, Savings Plans, reserved capacity), most unused first.
    ///
    /// Applied hour by hour in AWS's order to what ran: utilisation, coverage, effective rate, unused
    /// $/h, expiry. --filter speaks of commitments here, for example `unused>$1/h or left<30d`;
    /// --fail-on takes `findings`, `findings>N` and `waste>N/h`, which is what is unused. What could
    /// not be read is named, and nets are not known then.
    Commitments(ListOptions),
    /// Lists instances that could be smaller, net of commitments, most net dollars first.
    ///
    /// Within what the work needs: GPU memory, GPUs, architecture, instance store, network, EFA, CPUs,
    /// memory, offering in the zone; what is not known is kept. --filter speaks of proposals here,
    /// for example `net>$1/h and risk!=high`; --fail-on takes `findings`, `findings>N` and
    /// `waste>N/h`, which is the net. Takes what the configured sources of GPU telemetry say.
    Rightsize {
        /// Which sizes.
        #[command(flatten)]
        what: RightsizeArgs,
        /// How they are listed.
        #[command(flatten)]
        list: ListOptions,
    },
    /// Lists on-demand instances with what Spot would make of them, net of re-work and commitments.
    ///
    /// --filter speaks of candidates here, for example `fit=yes and net>$2/h`; --fail-on takes
    /// `findings`, `findings>N` and `waste>N/h`, which is the net.
    Spot {
        /// What of Spot.
        #[command(flatten)]
        what: SpotArgs,
        /// How it is listed.
        #[command(flatten)]
        list: ListOptions,
    },
    /// Lists what batching, quantisation and the like could save on models at low use: potential, in no sum.
    ///
    /// Of instances that serve or run batches, and of scripts, whose GPUs are known to be used little: per measure an upper
    /// bound, its condition, what must be measured first, a source. --filter speaks of measures here, for example
    /// `fits=yes and up_to>$1/h`; --fail-on takes nothing, for nothing of it is certain.
    Models(ListOptions),
    /// Lists what bills and is no instance: notebooks, endpoints, apps, addresses, gateways, balancers.
    ///
    /// Idle ones first, with the likely reason where the hours tell. --filter speaks of resources
    /// here, for example `kind=endpoint and idle>7d`; --fail-on takes `idle`, `unknown`, `findings`,
    /// each also with a count, and `waste>N/h`.
    Resources(ListOptions),
    /// Storage: buckets and volumes in dollars per month, tiers, lifecycle, checkpoints, copies.
    #[command(subcommand)]
    Storage(StorageCommand),
    /// Shows what was really charged: the bill by service, account, team or any other key.
    ///
    /// Of the newest imported period. --filter speaks of the rows, for example `service~S3 and $>100`.
    Bill(BillArgs),
    /// Shows where bytes went and what that cost, by the bill, with what of it could be avoided.
    ///
    /// Internet, regions, zones, gateways, endpoints, Direct Connect, CDN, requests to buckets: bytes counted once,
    /// dollars as billed, and a fix with its own price where one is known. --filter speaks of paths here, for example
    /// `path=nat and avoidable>$100`; with `--fail-on findings` the exit code is 1 where a cent or more
    /// could be avoided.
    Network(NetworkArgs),
    /// Shows what each run cost: attempts of jobs with their GPU-hours, dollars, and what came to nothing.
    ///
    /// Of all jobs that are imported. --filter speaks of attempts, for example `state=failed and lost>10`.
    Jobs(JobsArgs),
    /// Shows whose the money is: dollars by team, project, environment, cost center or user, with shared costs.
    ///
    /// Of the bill; of what runs at live prices while none is imported. --filter speaks of the rows, for example
    /// `usd>$1000 and untagged=untagged`.
    Teams(TeamsArgs),
    /// Shows budgets: what is spent, where the period ends, and the day on which a limit is exceeded.
    ///
    /// `[[budgets]]` in the configuration has them. With `--fail-on findings` the exit code is 1 where a budget has
    /// reached a level, or is exceeded as AWS says.
    Budgets(BudgetsArgs),
    /// Shows what one prediction, a thousand tokens or a run costs, beside its target and what moved it.
    ///
    /// `[[units]]` in the configuration has them: dollars of a filter by the counts of a CSV file, of a
    /// Prometheus query or of a CloudWatch metric. With `--fail-on findings` the exit code is 1 where one is above its
    /// target.
    Units(UnitsArgs),
    /// Shows what engineers and tools cost beside the bill, and what automation would return of it.
    ///
    /// `[people]` in the configuration has them: engineers, their hours by activity, tools. `--print tco` prints
    /// `burntop whatif tco`, filled.
    People(PeopleArgs),
    /// Shows quotas of teams beside what runs: GPUs, instances of a type, dollars per hour.
    ///
    /// `[[quotas]]` in the configuration has them. With `--fail-on findings` the exit code is 1 where one is exceeded;
    /// `--what-if` asks before something is launched.
    Quotas(QuotasArgs),
    /// Shows what was burnt, wasted and saved by day, week or month, as far back as burntop looked.
    ///
    /// Of what burntop itself wrote down: hours in which nobody looked are in no sum, and each row says which share of
    /// its hours is covered. Saved is what the audit log says was stopped, terminated or deleted, and is so by the
    /// inventory. --filter speaks of the rows, for example `covered>50% and waste>$100`.
    Trend(TrendArgs),
    /// Writes a report of the last whole week or month: spend, waste, what was saved, findings, forecast, actions.
    ///
    /// Beside the period before. As text, Markdown, JSON, CSV, or one HTML page that needs nothing else.
    Report(ReportArgs),
    /// Watches by rules and tells Slack, mail, a pager or a file, for when nobody looks; serves metrics.
    ///
    /// Goes on until it is ended; with --once it looks once, for cron. Rules are filters over the lists that the other
    /// commands print, with a time; `burntop watch init` writes some. Nothing is ever stopped or changed by it. --filter
    /// speaks of alerts, for example `state=firing and usd_per_day>100`; with `--once --fail-on findings` the exit code is
    /// 1 where an alert fires. Exit code 5 where a message could not be sent.
    Watch(WatchArgs),
    /// Writes a plan: what is to be done to which instances, checked, for somebody else to approve.
    ///
    /// Changes nothing. Prints what the guards say of each row; rows that they block for what the
    /// instance is stay out of the file. `burntop approve` and `burntop apply` take it from there.
    #[command(subcommand)]
    Plan(PlanCommand),
    /// Plans commitments under uncertainty: what to buy, what it is worth, how sure that is.
    ///
    /// Needs no credentials and asks no account anything.
    #[command(subcommand)]
    Whatif(WhatifCommand),
    /// Approves the plan in a file, after showing it, or a policy (a file that ends in `.toml`).
    ///
    /// Who approves a plan may not apply it. On a terminal the approval is typed; without one,
    /// name the plan by the first twelve digits of its hash, as `burntop approve` shows it.
    Approve(ApproveArgs),
    /// Carries out the approved plan in a file: checks all of it anew, then acts and verifies.
    ///
    /// Needs --allow-actions, or accounts that allow actions, and the approval of somebody else.
    /// Exit code 0 when everything was seen done, 5 when a row was refused or failed, 3 when it is
    /// not known of a row what became of it.
    Apply {
        /// The plan file.
        file: PathBuf,
        /// Checks everything, asks AWS for a dry run, and does nothing.
        #[arg(long)]
        dry_run: bool,
    },
    /// Shows, checks or copies the log of everything that burntop did.
    #[command(subcommand)]
    Audit(AuditCommand),
    /// Marks, reminds and stops idle instances by rules, for cron; proposes off-hours.
    #[command(subcommand)]
    Policy(PolicyCommand),
    /// Checks configuration, credentials, permissions, regions, clock, terminal and cache.
    ///
    /// Exit code 0 when all is well or only warned about, 1 when a check failed, 2 when the
    /// command line or the configuration cannot be used. To prove two permissions, one metric and
    /// one page of metrics are requested per account, which AWS bills with up to $0.00002 (counted
    /// in burntop's own cost).
    Doctor {
        /// Prints JSON instead of a table.
        #[arg(long)]
        json: bool,
    },
    /// Prints the IAM policy that burntop needs, from the list of calls it makes.
    IamPolicy {
        /// What reading needs (the default).
        #[arg(long, conflicts_with = "actions")]
        read_only: bool,
        /// What changing things needs.
        #[arg(long)]
        actions: bool,
    },
    /// Shows or empties the cache.
    #[command(subcommand)]
    Cache(CacheCommand),
    /// Shows, writes or checks the configuration.
    #[command(subcommand)]
    Config(ConfigCommand),
    /// Prints the completion script of a shell.
    Completions {
        /// The shell.
        shell: Shell,
    },
    /// Prints the man page of burntop or of one of its commands, or writes all of them.
    Man {
        /// The command: `idle`, `storage buckets`.
        command: Vec<String>,
        /// Writes the pages of all commands to this directory: `burntop.1`, `burntop-idle.1`, and so
        /// on. It is made where there is none, and pages that lie there are replaced.
        #[arg(long, value_name = "DIR", conflicts_with = "command")]
        out: Option<PathBuf>,
    },
}

/// What is asked of instances.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Args)]
pub struct IdleArgs {
    /// Tries every preset on the kept past instead: what it would have called idle 1, 2, … DAYS days
    /// ago (30), what became of that, and what stopping would have saved. Says first what fetching
    /// the hours that are not kept would cost.
    #[arg(long, value_name = "DAYS", num_args = 0..=1)]
    pub backtest: Option<Option<u32>>,
    /// Fetches those hours first; CloudWatch bills them, within the cap of the own cost.
    #[arg(long, requires = "backtest", conflicts_with = "offline")]
    pub fetch: bool,
    /// Asks `CloudTrail` who launched the idle instances whose tags name nobody, the 20 of each account and region that
    /// waste most, one a second. It costs nothing, and each is asked once.
    #[arg(long, conflicts_with_all = ["backtest", "offline"])]
    pub ask: bool,
}

impl IdleArgs {
    /// Days to look back; `None` where the list is asked for.
    pub fn days(&self) -> Option<u32> {
        self.backtest.map(|days| days.unwrap_or(super::backtest::DAYS))
    }
}

impl Command {
    /// The options of the list that the command prints; `None` for one that prints none.
    pub fn list(&self) -> Option<&ListOptions> {
        match self {
            Self::Bill(args) => args.list(),
            Self::Network(args) => Some(args.list()),
            Self::Jobs(args) => args.list(),
            Self::Teams(args) => Some(args.list()),
            Self::Budgets(BudgetsArgs { list, .. })
            | Self::Units(UnitsArgs { list, .. })
            | Self::People(PeopleArgs { list, .. })
            | Self::Quotas(QuotasArgs { list, .. }) => Some(list),
            Self::Idle { list, .. }
            | Self::Trend(TrendArgs { list, .. })
            | Self::Watch(WatchArgs { list, .. })
            | Self::Gpus { list, .. }
            | Self::Overview(list)
            | Self::Commitments(list)
            | Self::Rightsize { list, .. }
            | Self::Spot { list, .. }
            | Self::Resources(list)
            | Self::Models(list)
            | Self::Storage(StorageCommand::Buckets(list) | StorageCommand::Ebs(list)) => {
                Some(list)
            }
            _ => None,
        }
    }
}

/// Which GPUs are listed, and how.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Args)]
pub struct GpusArgs {
    /// Prints one row per group instead of one per GPU; --columns and --sort are of groups then, --filter and
    /// --fail-on of GPUs still.
    #[arg(long, value_enum, value_name = "WHAT")]
    pub group: Option<GroupChoice>,
    /// Reads the GPUs of this host once, from their driver: asks no account anything.
    #[arg(long, conflicts_with_all = ["demo", "offline"])]
    pub once: bool,
}

/// What GPUs are grouped by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum GroupChoice {
    /// The team.
    Team,
    /// The host.
    Node,
    /// The person: the user whose work runs, else whom a tag or the launch names, else the namespace.
    Owner,
    /// What runs: namespace and pod, job with its user.
    Job,
    /// The model.
    Model,
    /// The state.
    State,
}

/// What `plan` plans.
#[derive(Clone, Debug, PartialEq, Subcommand)]
pub enum PlanCommand {
    /// Ends idle instances: those that match --filter, or those named.
    Idle {
        /// What is to be done to them.
        #[arg(long, value_enum, default_value_t)]
        action: PlanAction,
        /// Lets the Auto Scaling groups of terminated members want one instance less; without it
        /// a group replaces its member.
        #[arg(long)]
        decrement: bool,
        /// From when on a marked instance may be stopped: a UTC date (2026-12-31), a time
        /// (2026-12-31T18:00:00Z) or a duration (36h, 4d, 2w).
        #[arg(long, value_name = "WHEN")]
        expires: Option<String>,
        /// Why they are marked; becomes a tag.
        #[arg(long, value_name = "TEXT")]
        reason: Option<String>,
        /// What the file says.
        #[command(flatten)]
        common: PlanArgs,
    },
    /// Starts stopped instances again: those that match --filter, or those named.
    Start {
        /// What the file says.
        #[command(flatten)]
        common: PlanArgs,
    },
    /// Deletes unattached volumes after a snapshot of each has completed, or makes gp2 volumes gp3:
    /// all that fit, or those named.
    Volumes {
        /// What is to be done to them.
        #[arg(long, value_enum)]
        action: VolumeAction,
        /// What the file says.
        #[command(flatten)]
        common: PlanArgs,
    },
    /// Takes marks away: of those that match --filter, of those named, or of all.
    Unmark {
        /// What the file says.
        #[command(flatten)]
        common: PlanArgs,
    },
}

impl PlanCommand {
    /// What all plans have in common.
    pub fn common(&self) -> &PlanArgs {
        match self {
            Self::Idle { common, .. }
            | Self::Start { common }
            | Self::Volumes { common, .. }
            | Self::Unmark { common } => common,
        }
    }
}

/// What all plans have in common.
#[derive(Clone, Debug, Default, PartialEq, Args)]
pub struct PlanArgs {
    /// An instance, whatever its verdict; may be repeated.
    #[arg(long, value_name = "ID", value_delimiter = ',')]
    pub id: Vec<String>,
    /// Why; needed where an instance is production.
    #[arg(long, value_name = "TEXT")]
    pub justification: Option<String>,
    /// Writes the plan to a new file, for its owner alone.
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
}

/// What is to be done to volumes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum VolumeAction {
    /// Delete, after a snapshot.
    Delete,
    /// Make gp3, with the IOPS and throughput that it had.
    Gp3,
}

/// What is to be done to idle instances.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum PlanAction {
    /// Stop: disks stay and bill.
    #[default]
    Stop,
    /// Terminate: cannot be undone.
    Terminate,
    /// Mark for later, by tags.
    Mark,
}

/// What `policy` does.
#[derive(Clone, Debug, PartialEq, Subcommand)]
pub enum PolicyCommand {
    /// Writes a commented policy where there is none.
    Init {
        /// The file.
        #[arg(default_value = "policy.toml")]
        file: PathBuf,
    },
    /// Says what a policy would do and why; with --apply, does it.
    ///
    /// Idle instances are marked, their owners reminded once, marks taken away when work is seen
    /// again, and what stayed idle through its whole grace is stopped, by the same guards and
    /// into the same log as any plan. Applying needs --allow-actions, or accounts that allow
    /// actions, and an approval of the file: `burntop approve policy.toml --valid-for 30d`.
    /// Exit code 5 when something was refused or failed.
    Run {
        /// The policy file.
        file: PathBuf,
        /// Does it, instead of saying what would be done.
        #[arg(long)]
        apply: bool,
        /// Only where this budget has reached this level; else, and where that is not known, nothing is done.
        #[arg(long, value_name = "NAME:PERCENT%")]
        when_budget: Option<super::teams::Asked>,
    },
    /// Proposes off-hours from the hours of the week in which an instance was never in use.
    ///
    /// From the hours that the cache holds, and without asking for any more: the longer burntop
    /// runs, the more weeks there are.
    Schedule {
        /// The clocks that are meant, by the zone's name: Europe/Berlin.
        #[arg(long, value_name = "ZONE", default_value = "UTC")]
        tz: String,
        /// The fewest weeks in which an hour must have been seen.
        #[arg(long, value_name = "N", default_value_t = 2, value_parser = clap::value_parser!(u16).range(1..=53))]
        weeks: u16,
        /// Lines to copy below the table.
        #[arg(long, value_enum, value_name = "WHICH")]
        snippet: Option<SnippetChoice>,
    },
}

/// Which lines to copy are printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum SnippetChoice {
    /// Lines of a crontab.
    Cron,
    /// Expressions of Amazon's event scheduler.
    Eventbridge,
}

/// How a plan is approved.
#[derive(Clone, Debug, PartialEq, Args)]
pub struct ApproveArgs {
    /// The plan file, into which the approval is written, or the policy file, beside which it is
    /// written.
    pub file: PathBuf,
    /// How long the approval is valid: 90m, 8h, 2d. Not longer than `actions.approval_valid_hours`
    /// and the plan itself; of a policy 30d at most.
    #[arg(long, value_name = "DURATION")]
    pub valid_for: Option<String>,
    /// The first twelve digits of the plan's hash, where nobody can type: says that this plan and
    /// no other was reviewed.
    #[arg(long, value_name = "DIGITS")]
    pub yes_i_reviewed: Option<String>,
}

/// What `audit` does.
#[derive(Clone, Debug, PartialEq, Subcommand)]
pub enum AuditCommand {
    /// Lists what was done, one row per run.
    List,
    /// Shows one run with its evidence, what became of each row, and the commands that undo it.
    Show {
        /// The run, as `list` names it.
        run: Option<String>,
    },
    /// Checks that no line was changed, dropped or slipped in: exit code 0, or 1 with what is
    /// wrong.
    Verify,
    /// Prints the log as it is, or copies it to a new file.
    Export {
        /// The file.
        #[arg(long, value_name = "FILE")]
        out: Option<PathBuf>,
    },
    /// Finds out what became of rows whose run ended before it could say so.
    Reconcile,
}

/// What `cache` does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Subcommand)]
pub enum CacheCommand {
    /// Prints where the cache lies.
    Path,
    /// Prints what is kept and how large it is.
    Stats,
    /// Deletes everything but the record of burntop's own cost and of what ran in each hour.
    Clear,
}

/// What `config` does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Subcommand)]
pub enum ConfigCommand {
    /// Prints where the configuration file lies.
    Path,
    /// Writes a commented file where there is none.
    Init,
    /// Prints what holds, from flags, environment, file and defaults. Secrets are redacted.
    Print,
    /// Checks the configuration: exit code 0, or 2 with each problem.
    Check,
    /// Prints the JSON schema of the file, for editors.
    Schema,
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;
    use std::fmt::Write;

    fn parse(line: &str) -> Result<Cli, clap::Error> {
        Cli::try_parse_from(line.split(' '))
    }

    #[test]
    fn the_definition_is_sound() {
        Cli::command().debug_assert();
    }

    #[test]
    fn help_of_every_command_is_pinned() {
        fn walk(command: &mut clap::Command, common: &str, out: &mut String) {
            let name = command.get_bin_name().unwrap_or("burntop").to_owned();
            let help = command.render_long_help().to_string();
            let (own, global) = help.split_at(help.find(GLOBAL).unwrap());
            // The options of every command are pinned once.
            assert!(common.is_empty() || common.starts_with(global.trim_end()), "{name}");
            let shown = if common.is_empty() { &help } else { own };
            writeln!(out, "$ {name} --help\n{}\n", shown.trim_end()).unwrap();
            for sub in command.get_subcommands_mut().filter(|s| s.get_name() != "help") {
                walk(sub, global, out);
            }
        }
        const GLOBAL: &str = "Options of every command:";
        let mut root = Cli::command().term_width(100);
        root.build();
        let mut text = String::new();
        walk(&mut root, "", &mut text);
        insta::assert_snapshot!(text);
    }

    #[test]
    fn global_options_stand_before_and_after_the_command() {
        for line in
            ["burntop --demo --region a,b idle", "burntop idle --demo --region a --region b"]
        {
            let cli = parse(line).unwrap();
            assert!(cli.global.demo);
            assert_eq!(cli.global.region, ["a", "b"]);
            let list = ListOptions::default();
            assert_eq!(cli.command, Some(Command::Idle { what: IdleArgs::default(), list }));
        }
    }

    #[test]
    fn the_last_of_mouse_and_no_mouse_wins() {
        let on = parse("burntop --no-mouse --mouse").unwrap().global;
        assert!(on.mouse && !on.no_mouse);
        let off = parse("burntop --mouse --no-mouse").unwrap().global;
        assert!(off.no_mouse && !off.mouse);
    }

    #[test]
    fn values_out_of_range_are_usage_errors() {
        for line in [
            "burntop --demo --demo-size 0",
            "burntop --demo --demo-size 10001",
            "burntop --demo --demo-size -1",
            "burntop --demo --demo-seed x",
            "burntop idle --format yaml",
            "burntop --symbols emoji",
            "burntop --color sometimes",
            "burntop --now yesterday",
            "burntop --fail-on busy",
            "burntop --offline --no-cache",
            "burntop iam-policy --read-only --actions",
            "burntop completions tcsh",
            "burntop idel",
            "burntop --frobnicate",
            "burntop plan",
            "burntop plan idle --action explode",
            "burntop approve",
            "burntop apply",
            "burntop policy run",
            "burntop policy schedule --weeks 0",
            "burntop gpus --group rack",
            "burntop gpus --once --demo",
            "burntop gpus --once --offline",
            "burntop --fail-on busy,held_idle gpus",
        ] {
            let error = parse(line).unwrap_err();
            assert_eq!(error.exit_code(), 2, "{line}");
            assert!(error.use_stderr(), "{line}");
        }
        assert!(parse("burntop --demo --demo-size 1").is_ok());
        assert!(parse("burntop --demo --demo-size 10000").is_ok());
    }
}
