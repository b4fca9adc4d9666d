//! The command line: parse, load the configuration, run one thing, end with the right code.
//!
//! [`run`] does everything that shows no fleet (configuration, cache, policy, doctor, completions,
//! man) by itself and hands the rest, parsed and validated as an [`Invocation`], to its caller.

pub mod accounts;
pub mod acting;
mod acting_storage;
mod apply;
mod approve;
pub mod args;
mod arming;
mod athena;
pub(crate) mod audit;
mod backtest;
pub mod bill;
pub mod cache;
pub mod completions;
pub mod config;
pub mod doctor;
pub mod exit;
#[cfg(test)]
mod export_tests;
pub mod fail_on;
mod gpus;
#[cfg(test)]
mod hostile_tests;
pub mod iam_policy;
mod interrupt;
pub mod inventories;
pub mod invocation;
pub mod job_sources;
mod job_trackers;
pub mod jobs;
mod list_options;
pub mod log;
pub mod man;
mod named_file;
mod network;
mod organization;
mod output;
pub(crate) mod past;
mod period_report;
mod plan;
mod plan_file;
mod policy;
mod reports;
mod savings;
pub(crate) mod savings_settings;
pub(crate) mod session;
mod size;
mod storage;
pub(crate) mod storage_settings;
pub(crate) mod teams;
pub(crate) mod telemetry;
mod tell;
mod trend;
mod usage;
pub(crate) mod views;
pub(crate) mod watch;
pub(crate) mod whatif;
mod when;
#[cfg(test)]
mod width_tests;
pub mod words;

use std::ffi::OsString;
use std::io::{self, IsTerminal, Write};
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::{Arc, OnceLock};

use clap::Parser;

use crate::bus::tape::Recording;
use crate::config::{ConfigError, Env, Loaded, Notice, Paths, Place, Vocabulary};
use crate::report::Format;
use args::{AuditCommand, Cli, Command, GlobalArgs, GpusArgs, PolicyCommand};
pub use exit::{CliError, Exit};
#[cfg(test)]
pub use invocation::DemoOptions;
pub use invocation::{FleetCommand, Invocation, RunOptions};
use list_options::ListOptions;
use organization::Wait;
use output::CleanWriter;

/// Runs the program on the process's own arguments, environment and standard streams. `fleet`
/// runs the commands that show the fleet; it gets the writer of standard output.
pub fn run(args: impl IntoIterator<Item = OsString>, fleet: impl Fleet) -> ExitCode {
    let cli = match Cli::try_parse_from(args) {
        Ok(cli) => cli,
        // Help and version come this way too; a closed pipe is nobody's fault.
        Err(message) => {
            let message = usage::in_words(message);
            let _ = message.print();
            return ExitCode::from(message.exit_code().clamp(0, 255) as u8);
        }
    };
    let env = Env::of_process();
    let width = session::text_width(&env);
    let asked = Asked::of(&cli, env, Paths::of_user().ok(), width);
    let command = cli.command;
    let mut out = io::BufWriter::new(io::stdout().lock());
    let ended = match command {
        // Byte by byte as it lies on disk: its hashes are checked elsewhere.
        Some(Command::Audit(AuditCommand::Export { .. })) => {
            dispatch(command, &asked, &mut out, fleet)
        }
        _ => dispatch(command, &asked, &mut CleanWriter::new(&mut out), fleet),
    };
    let ended = ended.and_then(|exit| out.flush().map(|()| exit).map_err(CliError::from));
    match ended {
        Ok(exit) => exit.into(),
        Err(error) => {
            if !error.is_quiet() {
                error.to_string().lines().for_each(tell::tell);
            }
            error.status()
        }
    }
}

/// Runs the commands that show the fleet.
pub fn fleet(
    command: FleetCommand,
    invocation: Invocation,
    out: &mut dyn Write,
) -> Result<Exit, CliError> {
    let env = Env::of_process();
    match command {
        FleetCommand::Cockpit => crate::runtime::cockpit::run(invocation, &env),
        FleetCommand::Idle(_) | FleetCommand::Overview => {
            reports::run(command, &invocation, &env, out)
        }
        FleetCommand::Gpus(args) => gpus::run(args, &invocation, &env, out),
    }
}

/// What runs the commands that show the fleet.
pub trait Fleet:
    FnOnce(FleetCommand, Invocation, &mut dyn Write) -> Result<Exit, CliError>
{
}

impl<F> Fleet for F where
    F: FnOnce(FleetCommand, Invocation, &mut dyn Write) -> Result<Exit, CliError>
{
}

/// Command line before the command is known.
struct Asked {
    global: GlobalArgs,
    /// Demand file for the What-if tab; `None` = none named.
    demand: Option<PathBuf>,
    /// How the list is printed.
    list: ListOptions,
    /// Terminal columns that text is fitted to; `None` = as wide as it is.
    width: Option<u16>,
    env: Env,
    paths: Option<Paths>,
    words: Vocabulary,
    /// Set when the GPUs are asked for: the filter speaks of them.
    gpus: Option<GpusArgs>,
    /// True for commands that read the filter themselves.
    own_filter: bool,
    /// True for the command that writes HTML.
    has_html: bool,
}

impl Asked {
    fn of(cli: &Cli, env: Env, paths: Option<Paths>, width: Option<u16>) -> Self {
        let command = cli.command.as_ref();
        // These read their filter themselves: it speaks of their own rows, or chooses what is acted on.
        let own_filter = matches!(
            command,
            Some(
                Command::Storage(_)
                    | Command::Bill(_)
                    | Command::Network(_)
                    | Command::Jobs(_)
                    | Command::Teams(_)
                    | Command::Budgets(_)
                    | Command::Units(_)
                    | Command::People(_)
                    | Command::Quotas(_)
                    | Command::Trend(_)
                    | Command::Report(_)
                    | Command::Watch(_)
                    | Command::Commitments(_)
                    | Command::Rightsize { .. }
                    | Command::Spot { .. }
                    | Command::Resources(_)
                    | Command::Models(_)
                    | Command::Plan(_)
                    | Command::Policy(_)
                    | Command::Approve(_)
                    | Command::Apply { .. }
            )
        );
        Self {
            own_filter,
            has_html: matches!(command, Some(Command::Report(_))),
            global: cli.global.clone(),
            demand: cli.demand.clone(),
            list: command.and_then(Command::list).cloned().unwrap_or_default(),
            width,
            env,
            paths,
            words: words::vocabulary(),
            gpus: match command {
                Some(Command::Gpus { what, .. }) => Some(*what),
                _ => None,
            },
        }
    }

    fn options(&self) -> Result<RunOptions, CliError> {
        if self.global.format == Some(Format::Html) && !self.has_html {
            let why = "--format html: `burntop report` alone writes a page; others have table, json, csv and md";
            return Err(CliError::Usage(why.into()));
        }
        match self.gpus {
            Some(gpus) => invocation::gpu_options(&self.global, gpus),
            None if self.own_filter => invocation::options(&self.global, &Vocabulary::default()),
            None => invocation::options(&self.global, &self.words),
        }
    }

    fn load(&self) -> Result<Loaded, ConfigError> {
        invocation::config(&self.global, &self.env, self.paths.as_ref(), &self.words)
    }

    /// Loads the configuration and says what is odd in it.
    fn load_aloud(&self) -> Result<Loaded, CliError> {
        let loaded = self.load()?;
        loaded.notices.iter().for_each(|notice| tell::say(format_args!("warning: {notice}")));
        Ok(loaded)
    }

    /// A run that says what is odd about it on standard error.
    fn invocation(&self, loaded: Loaded) -> Result<Invocation, CliError> {
        let invocation = self.silent(loaded, Wait::ForNews)?;
        let now = invocation.options.now();
        let organization = invocation.organization.as_deref();
        if let Some(notice) = organization.and_then(|o| o.notice(now)) {
            tell::tell(format_args!("[organization]: {notice}"));
        }
        Ok(invocation)
    }

    /// A run whose notices are shown by who runs it.
    fn silent(&self, loaded: Loaded, wait: Wait) -> Result<Invocation, CliError> {
        let options = RunOptions {
            demand: self.demand.clone(),
            list: self.list.clone(),
            width: self.width,
            ..self.options()?
        };
        invocation::true_clock(&loaded.config, &options)?;
        let mut config = loaded.config;
        let organization = organization::find(&mut config, &options, self.paths.as_ref(), wait);
        Ok(Invocation {
            organization: organization.map(Arc::new),
            notices: loaded.notices,
            config_file: loaded.file,
            paths: self.paths.clone(),
            ..Invocation::new(config, options)
        })
    }

    fn log(&self) -> Result<Option<log::LogGuard>, CliError> {
        let level = log::level(&self.env, self.global.verbose)?;
        Ok(self.paths.as_ref().map(|p| log::start(&p.state_dir, level)))
    }
}

/// Runs a command that acts, with the log open and oddities of the configuration reported.
fn with_log(
    asked: &Asked,
    run: impl FnOnce(&Invocation) -> Result<Exit, CliError>,
) -> Result<Exit, CliError> {
    let _log = asked.log()?;
    let invocation = asked.invocation(asked.load_aloud()?)?;
    run(&invocation).map(|exit| recorded(&invocation.recording, exit))
}

/// How a run ends that may have been recorded: what is not on the tape is said, and then the run was
/// not whole.
fn recorded(recording: &OnceLock<Recording>, exit: Exit) -> Exit {
    let Some(trouble) = recording.get().and_then(Recording::outcome) else { return exit };
    tell::tell(trouble);
    if exit == Exit::Ok { Exit::Partial } else { exit }
}

fn dispatch(
    command: Option<Command>,
    asked: &Asked,
    out: &mut dyn Write,
    fleet: impl Fleet,
) -> Result<Exit, CliError> {
    let paths = asked.paths.as_ref();
    let env = asked.env.clone();
    let fleet_command = match command {
        None => invocation::without_command(&asked.global, io::stdout().is_terminal()),
        Some(Command::Idle { what, .. }) => match what.days() {
            Some(days) => {
                return with_log(asked, |asked| backtest::run(days, &what, asked, &env, out));
            }
            None => FleetCommand::Idle(what.ask),
        },
        Some(Command::Overview(_)) => FleetCommand::Overview,
        Some(Command::Gpus { what, .. }) => FleetCommand::Gpus(what),
        Some(Command::Commitments(_)) => {
            let what = savings::What::Commitments;
            return with_log(asked, |asked| savings::run(what, asked, &env, out));
        }
        Some(Command::Rightsize { what, .. }) => {
            let what = savings::What::Rightsize(what);
            return with_log(asked, |asked| savings::run(what, asked, &env, out));
        }
        Some(Command::Spot { what, .. }) => {
            let what = savings::What::Spot(what);
            return with_log(asked, |asked| savings::run(what, asked, &env, out));
        }
        Some(Command::Resources(_)) => {
            let what = savings::What::Resources;
            return with_log(asked, |asked| savings::run(what, asked, &env, out));
        }
        Some(Command::Models(_)) => {
            let what = savings::What::Models;
            return with_log(asked, |asked| savings::run(what, asked, &env, out));
        }
        Some(Command::Doctor { json }) => {
            let _log = asked.log()?;
            let json = json || asked.options()?.format == Format::Json;
            return match asked.load() {
                Ok(loaded) => {
                    let invocation = asked.silent(loaded, Wait::ForNews)?;
                    doctor::run(&invocation, &asked.env, json, out)
                }
                Err(error) => {
                    doctor::without_config(&error, &asked.env, asked.options()?.now(), json, out)
                }
            };
        }
        Some(Command::Config(what)) => {
            return config::run(what, &asked.global, &asked.env, paths, &asked.words, out);
        }
        Some(Command::Cache(what)) => {
            let invocation = asked.silent(asked.load_aloud()?, Wait::NoCall)?;
            let max_bytes = invocation.config.cache.max_bytes();
            let file = invocation.cache_file()?;
            return cache::run(what, &file, max_bytes, invocation.options.now(), out);
        }
        Some(Command::Plan(what)) => {
            return with_log(asked, |asked| plan::run(&what, asked, &env, out));
        }
        Some(Command::Approve(what)) => {
            return with_log(asked, |asked| approve::run(&what, asked, &env, out));
        }
        Some(Command::Apply { file, dry_run }) => {
            return with_log(asked, |asked| apply::run(&file, dry_run, asked, &env, out));
        }
        Some(Command::Audit(what)) => {
            let _log = asked.log()?;
            let invocation = asked.silent(asked.load_aloud()?, Wait::NoCall)?;
            let ended = audit::run(&what, &invocation, &env, out);
            return ended.map(|exit| recorded(&invocation.recording, exit));
        }
        Some(Command::Storage(what)) => {
            return with_log(asked, |asked| storage::run(&what, asked, &env, out));
        }
        Some(Command::Bill(what)) => {
            return with_log(asked, |asked| bill::run(&what, asked, &env, out));
        }
        Some(Command::Network(what)) => {
            return with_log(asked, |asked| network::run(&what, asked, &env, out));
        }
        Some(Command::Jobs(what)) => {
            return with_log(asked, |asked| jobs::run(&what, asked, &env, out));
        }
        Some(Command::Teams(what)) => {
            return with_log(asked, |asked| teams::run(&what, asked, &env, out));
        }
        Some(Command::Budgets(what)) => {
            return with_log(asked, |asked| teams::budgets(&what, asked, &env, out));
        }
        Some(Command::Units(what)) => {
            return with_log(asked, |asked| teams::units(&what, asked, &env, out));
        }
        Some(Command::People(what)) => {
            return with_log(asked, |asked| teams::people(&what, asked, &env, out));
        }
        Some(Command::Quotas(what)) => {
            return with_log(asked, |asked| teams::quotas(&what, asked, &env, out));
        }
        Some(Command::Trend(what)) => {
            return with_log(asked, |asked| trend::run(&what, asked, &env, out));
        }
        Some(Command::Report(what)) => {
            return with_log(asked, |asked| period_report::run(&what, asked, &env, out));
        }
        Some(Command::Watch(what)) => {
            return with_log(asked, |asked| watch::run(&what, asked, &env, out));
        }
        Some(Command::Whatif(what)) => {
            return with_log(asked, |asked| whatif::run(&what, asked, &env, out));
        }
        // Needs no configuration.
        Some(Command::Policy(PolicyCommand::Init { file })) => return policy::init(&file, out),
        Some(Command::Policy(what)) => {
            return with_log(asked, |asked| policy::run(&what, asked, &env, out));
        }
        Some(Command::IamPolicy { actions, .. }) => {
            let config = asked.load_aloud()?.config;
            let topics = paths.map(|paths| watch::topics(&paths.config_dir)).unwrap_or_default();
            iam_policy::print(&config, actions, &topics, out)?;
            return Ok(Exit::Ok);
        }
        Some(Command::Completions { shell }) => {
            completions::print(shell, out)?;
            return Ok(Exit::Ok);
        }
        Some(Command::Man { out: Some(dir), .. }) => {
            man::write_all(&dir, out)?;
            return Ok(Exit::Ok);
        }
        Some(Command::Man { command, .. }) => {
            man::print(&command, out)?;
            return Ok(Exit::Ok);
        }
    };
    let _log = asked.log()?;
    // The cockpit shows what is odd in its event log.
    let loaded = match fleet_command {
        FleetCommand::Cockpit => asked.load()?,
        FleetCommand::Idle(_) | FleetCommand::Overview | FleetCommand::Gpus(_) => {
            asked.load_aloud()?
        }
    };
    let invocation = if fleet_command == FleetCommand::Cockpit {
        // It opens at once, with the accounts of the last list; its event log has the notice.
        let mut invocation = asked.silent(loaded, Wait::ForNothing)?;
        let now = invocation.options.now();
        let notice = invocation.organization.as_deref().and_then(|o| o.notice(now));
        let place = Place::Flag("[organization]");
        invocation.notices.extend(notice.map(|message| Notice { place, message }));
        invocation
    } else {
        asked.invocation(loaded)?
    };
    let recording = Arc::clone(&invocation.recording);
    fleet(fleet_command, invocation, out).map(|exit| recorded(&recording, exit))
}
