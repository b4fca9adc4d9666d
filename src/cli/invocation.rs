//! One run of the program: everything that was asked for, parsed and validated.

use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

use jiff::Timestamp;

use super::accounts::{Reach, Reaches};
use super::args::{GlobalArgs, GpusArgs};
use super::exit::{CliError, Exit};
use super::fail_on::FailOn;
use super::list_options::{ListOptions, wrong_filter};
use super::organization::Organization;
use super::words;
use crate::bus::Clock;
use crate::bus::tape::{Recording, Tape, TapeError};
use crate::cache::{Cache, OpenOptions, ledger_path};
use crate::config::load::Sources;
use crate::config::validate::unknown_name;
use crate::config::{
    Config, ConfigError, Env, FileConfig, Loaded, Notice, Paths, Place, Problem, RegionsText,
    Vocabulary, load,
};
use crate::domain::text;
use crate::report::Format;
use crate::source::demo;
use crate::source::ledger::{Ledger, micro_usd};

/// A command that shows the fleet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FleetCommand {
    /// The cockpit on the terminal.
    Cockpit,
    /// The list of instances; true to look up who launched the idle ones.
    Idle(bool),
    /// The overview with its sums.
    Overview,
    /// The list of GPUs.
    Gpus(GpusArgs),
}

/// Options of a run that are not part of the configuration.
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of the command line")]
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RunOptions {
    /// The demo fleet to show instead of accounts; `None` without `--demo`.
    pub demo: Option<DemoOptions>,
    /// Accounts and regions of the demo to show.
    pub demo_part: demo::Part,
    /// Read the cache only, make no calls.
    pub offline: bool,
    /// Allow changes in accounts that are not pinned read-only.
    pub allow_actions: bool,
    /// Keep the cache in memory.
    pub no_cache: bool,
    /// Filter over the rows, as typed; `None` without one.
    pub filter: Option<String>,
    /// Output format of a report.
    pub format: Format,
    /// Conditions under which a report ends with exit code 1; `None` without `--fail-on`.
    pub fail_on: Option<FailOn>,
    /// Fixed current time; `None` = the clock's.
    pub now: Option<Timestamp>,
    /// File to which all answers of the sources are recorded; `None` = no recording.
    pub record: Option<PathBuf>,
    /// Recording to play instead of asking sources; `None` = ask them.
    pub tape: Option<Tape>,
    /// Read only the GPUs of this host, and no account.
    pub this_host: bool,
    /// File of the demand that the What-if tab begins with; `None` = the recorded history.
    pub demand: Option<PathBuf>,
    /// How a list is printed.
    pub list: ListOptions,
    /// Columns of the terminal that reports are written to; `None` = a pipe or a file.
    pub width: Option<u16>,
}

impl RunOptions {
    /// Current time: the fixed one, that of the tape, or the clock's.
    pub fn now(&self) -> Timestamp {
        self.clock()()
    }

    /// Clock of the run: stopped where the time is fixed, at the pace of a tape where one plays.
    pub fn clock(&self) -> Clock {
        let fixed = self.now;
        if let Some(tape) = self.tape.as_ref().filter(|_| fixed.is_none()) {
            let clock = tape.clock();
            return Arc::new(move || clock.now());
        }
        Arc::new(move || fixed.unwrap_or_else(Timestamp::now))
    }
}

/// Size and seed of a demo fleet; `None` = the demo's default.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DemoOptions {
    /// Seed of the random fleet; `None` = the demo's default.
    pub seed: Option<u64>,
    /// Number of instances, 1–10,000; `None` = the demo's default.
    pub size: Option<u32>,
}

/// Configuration and options of one run of a command that reads accounts.
#[derive(Clone, Debug)]
pub struct Invocation {
    /// The validated configuration.
    pub config: Config,
    /// Organisation whose accounts are among the targets; `None` where none is configured or no real account is
    /// asked.
    pub organization: Option<Arc<Organization>>,
    /// Options of the run.
    pub options: RunOptions,
    /// Warnings about the configuration, for the cockpit's event log; other commands print them to standard
    /// error.
    pub notices: Vec<Notice>,
    /// Configuration file that was read; `None` where there is none.
    pub config_file: Option<PathBuf>,
    /// Directories of the platform; `None` where no home directory is known.
    pub paths: Option<Paths>,
    /// The accounts, made when first needed.
    pub reach: Reaches,
    /// State of the requested recording, set when it begins.
    pub recording: Arc<OnceLock<Recording>>,
}

impl Invocation {
    /// Run with `config` and `options`, without notices, organisation, configuration file and directories.
    pub fn new(config: Config, options: RunOptions) -> Self {
        Self {
            config,
            organization: None,
            options,
            notices: Vec::new(),
            config_file: None,
            paths: None,
            reach: Reaches::default(),
            recording: Arc::default(),
        }
    }

    /// Path of the cache file; fails as [`cache_file`].
    pub fn cache_file(&self) -> Result<PathBuf, ConfigError> {
        cache_file(&self.config, self.paths.as_ref(), self.options.demo)
    }

    /// The accounts of this run, the same ones each time.
    pub fn reaches(&self) -> Arc<[Reach]> {
        self.reach.of(&self.config, &self.options)
    }

    /// The ledger of this run in its cache, with the cap of the configuration.
    pub fn ledger(&self, cache: &Cache) -> Ledger {
        Ledger::new(cache.clone(), micro_usd(self.config.own_cost_cap_usd_per_day))
    }

    /// Options for opening the cache. With `--no-cache` no path is needed; the own-cost ledger is still kept
    /// where a path is known, or the daily cap would start anew with each run. Fails where a path is needed and
    /// none is known.
    pub fn cache_options(&self) -> Result<OpenOptions, ConfigError> {
        let max_bytes = self.config.cache.max_bytes();
        let place = if self.options.no_cache {
            let billed = self.options.demo.is_none() && self.options.tape.is_none();
            let ledger = self.cache_file().ok().filter(|_| billed).map(|path| ledger_path(&path));
            OpenOptions { ledger, ..OpenOptions::in_memory() }
        } else {
            OpenOptions::new(self.cache_file()?)
        };
        // What a preset of the user's looks at is not evicted: it would be fetched, and paid,
        // again in each round.
        let names = self.config.custom_presets.keys();
        let policies = names.filter_map(|name| words::policy(&self.config, name));
        let longest =
            policies.map(|policy| policy.window_hours()).max().unwrap_or(0).div_ceil(24) + 1;
        Ok(OpenOptions { max_bytes, keep_days: place.keep_days.max(longest), ..place })
    }
}

/// Path of the cache: the configured one or the platform's. A demo fleet has its own file beside it, one per
/// seed and size, so that invented data never shows among real accounts. Fails where no directory is known.
pub fn cache_file(
    config: &Config,
    paths: Option<&Paths>,
    demo: Option<DemoOptions>,
) -> Result<PathBuf, ConfigError> {
    let live = match (&config.cache.path, paths) {
        (Some(path), _) => path.clone(),
        (None, Some(paths)) => paths.cache_dir.join("burntop.db"),
        (None, None) => return Err(ConfigError::NoHome),
    };
    let Some(demo) = demo else { return Ok(live) };
    let mut name = live.file_stem().unwrap_or_default().to_owned();
    name.push("-demo");
    if let Some(seed) = demo.seed {
        name.push(format!("-s{seed}"));
    }
    if let Some(size) = demo.size {
        name.push(format!("-n{size}"));
    }
    name.push(".db");
    // A directory of its own, because the own-cost ledger lies beside the cache.
    Ok(live.with_file_name("demo").join(name))
}

/// Configuration layer made of the flags. With `--demo`, profiles and regions select within the demo, see
/// `demo_part`.
pub fn flags(global: &GlobalArgs) -> FileConfig {
    let mut layer = FileConfig::default();
    if !global.profile.is_empty() && !global.demo {
        layer.profiles = Some(global.profile.clone());
    }
    if !global.region.is_empty() && !global.demo {
        layer.regions = Some(RegionsText::of(&global.region));
    }
    layer.idle.preset.clone_from(&global.preset);
    layer.ui.theme.clone_from(&global.theme);
    layer.ui.symbols = global.symbols;
    layer.ui.color = global.color;
    layer.ui.mouse = match (global.mouse, global.no_mouse) {
        (true, _) => Some(true),
        (_, true) => Some(false),
        _ => None,
    };
    layer
}

/// The part of the demo that the flags choose; all of it without `--demo`, where they are about
/// accounts.
fn demo_part(global: &GlobalArgs) -> demo::Part {
    match (global.demo, global.region.as_slice()) {
        (false, _) => demo::Part::default(),
        (true, [one]) if one == "all" => {
            demo::Part { accounts: global.profile.clone(), regions: Vec::new() }
        }
        (true, regions) => {
            demo::Part { accounts: global.profile.clone(), regions: regions.to_vec() }
        }
    }
}

/// Profiles and regions of the flags that the demo does not have.
fn not_in_the_demo(global: &GlobalArgs) -> Vec<Problem> {
    let part = demo_part(global);
    let names: Vec<String> = demo::account_names().map(|(name, _)| name.to_owned()).collect();
    let is_account =
        |name: &&String| demo::account_names().any(|(n, id)| *name == n || *name == id);
    let regions: Vec<String> = demo::region_codes().map(str::to_owned).collect();
    let accounts = part.accounts.iter().filter(|name| !is_account(name)).map(|name| Problem {
        place: Place::Flag("--profile"),
        message: unknown_name("account of the demo", name, &names),
    });
    let unknown = part.regions.iter().filter(|r| !regions.contains(r)).map(|region| Problem {
        place: Place::Flag("--region"),
        message: unknown_name("region of the demo", region, &regions),
    });
    accounts.chain(unknown).collect()
}

/// Options of a run from the command line. Fails for combinations that make no sense, a wrong filter or an
/// unreadable tape.
pub fn options(global: &GlobalArgs, words: &Vocabulary) -> Result<RunOptions, CliError> {
    if !global.demo && (global.demo_seed.is_some() || global.demo_size.is_some()) {
        let text = "--demo-seed and --demo-size mean nothing without --demo";
        return Err(CliError::Usage(text.into()));
    }
    if let (Some(filter), Some(check)) = (&global.filter, words.filter) {
        check(filter).map_err(|e| wrong_filter(filter, e))?;
    }
    let play = |path: &PathBuf| Tape::open(path.clone(), global.speed.unwrap_or(1.0));
    let tape = global.replay.as_ref().map(play).transpose();
    let tape = tape.map_err(|e| match e {
        TapeError::Open { .. } => {
            CliError::Failed { exit: Exit::Unreadable, message: e.to_string() }
        }
        TapeError::NoTape { .. } => CliError::Usage(e.to_string()),
    })?;
    Ok(RunOptions {
        demo: global.demo.then_some(DemoOptions { seed: global.demo_seed, size: global.demo_size }),
        demo_part: demo_part(global),
        offline: global.offline,
        allow_actions: global.allow_actions,
        // What is played is no news of the accounts.
        no_cache: global.no_cache || tape.is_some(),
        filter: global.filter.clone(),
        format: global.format.unwrap_or_default(),
        fail_on: global.fail_on.clone(),
        now: global.now,
        record: global.record.clone(),
        tape,
        this_host: false,
        demand: None,
        list: ListOptions::default(),
        width: None,
    })
}

/// As [`options`], with filter and `--fail-on` checked for GPUs.
pub fn gpu_options(global: &GlobalArgs, gpus: GpusArgs) -> Result<RunOptions, CliError> {
    let words = Vocabulary { filter: Some(words::gpu_filter), ..Vocabulary::default() };
    Ok(RunOptions { this_host: gpus.once, ..options(global, &words)? })
}

/// Fails where actions are allowed but the clock is fixed by hand: ages of evidence, grace and approvals would
/// be wrong. The demo, which changes only itself, is exempt.
pub fn true_clock(config: &Config, options: &RunOptions) -> Result<(), CliError> {
    if options.now.is_none() || options.demo.is_some() {
        return Ok(());
    }
    let armed = config.targets.iter().find(|t| t.allow_actions).map(|t| &t.label);
    let why = match (options.allow_actions, armed) {
        (true, _) => "with --allow-actions".to_owned(),
        (false, Some(label)) => {
            format!("while the configuration allows actions in the account {}", text::clean(label))
        }
        (false, None) => return Ok(()),
    };
    Err(CliError::Usage(format!(
        "--now sets the clock, and goes with nothing that may act: not {why}; take it away, or look \
         at the demo with --demo"
    )))
}

/// Loads the configuration of a run from file, environment and flags. Fails with all problems found.
pub fn config(
    global: &GlobalArgs,
    env: &Env,
    paths: Option<&Paths>,
    words: &Vocabulary,
) -> Result<Loaded, ConfigError> {
    let sources = Sources { paths, file: global.config.as_deref(), env, flags: flags(global) };
    let problems = not_in_the_demo(global);
    if !problems.is_empty() {
        return Err(ConfigError::Invalid(problems));
    }
    // The accounts of the demo and of a tape are their own: those of the file need not be there.
    let apart = global.demo || global.replay.is_some();
    let words = Vocabulary { profiles: words.profiles.filter(|_| !apart), ..words.clone() };
    load(&sources, &words)
}

/// Command of a run without one: the cockpit on a terminal, unless a format or `--fail-on` was given; else the
/// idle list.
pub fn without_command(global: &GlobalArgs, stdout_is_terminal: bool) -> FleetCommand {
    if stdout_is_terminal && global.format.is_none() && global.fail_on.is_none() {
        FleetCommand::Cockpit
    } else {
        FleetCommand::Idle(false)
    }
}

#[cfg(test)]
mod tests {
    use super::super::args::Cli;
    use super::*;
    use crate::domain::Regions;
    use clap::Parser;

    fn global(line: &str) -> GlobalArgs {
        let words = ["burntop"].into_iter().chain(line.split_whitespace());
        Cli::try_parse_from(words).unwrap().global
    }

    #[test]
    fn flags_become_a_layer() {
        let layer = flags(&global(
            "--profile a --profile b,c --region all --preset mean-cpu --theme light \
             --symbols ascii --color never --no-mouse",
        ));
        assert_eq!(layer.profiles.unwrap(), ["a", "b", "c"]);
        assert!(matches!(layer.regions, Some(RegionsText::All(_))));
        assert_eq!(layer.idle.preset.as_deref(), Some("mean-cpu"));
        assert_eq!(layer.ui.theme.as_deref(), Some("light"));
        assert_eq!(layer.ui.mouse, Some(false));
        assert_eq!(flags(&global("")), FileConfig::default());
    }

    #[test]
    fn all_among_other_regions_is_refused_with_the_flag_named() {
        let error = config(
            &global("--region us-east-1,all"),
            &Env::default(),
            None,
            &Vocabulary::default(),
        )
        .unwrap_err();
        assert!(error.to_string().starts_with("--region: \"all\" is no region code"), "{error}");
        let fine =
            config(&global("--region us-east-1"), &Env::default(), None, &Vocabulary::default());
        assert_eq!(fine.unwrap().config.targets[0].regions, Regions::named(["us-east-1"]));
    }

    #[test]
    fn demo_options_need_the_demo() {
        let words = Vocabulary::default();
        assert!(matches!(options(&global("--demo-size 5"), &words), Err(CliError::Usage(_))));
        let with = options(&global("--demo --demo-size 5 --demo-seed 7"), &words).unwrap();
        assert_eq!(with.demo, Some(DemoOptions { seed: Some(7), size: Some(5) }));
        assert_eq!(options(&global(""), &words).unwrap(), RunOptions::default());
    }

    #[test]
    fn places_of_the_demo_are_chosen_by_flag_and_unknown_ones_name_those_there_are() {
        let of = |line: &str| {
            let global = global(line);
            let loaded = config(&global, &Env::default(), None, &Vocabulary::default());
            let run = |loaded: Loaded| {
                Invocation::new(loaded.config, options(&global, &Vocabulary::default()).unwrap())
            };
            let names = |reaches: Arc<[Reach]>| {
                let one = |r: &Reach| format!("{} {:?}", r.provider().label(), r.regions);
                reaches.iter().map(one).collect::<Vec<_>>()
            };
            loaded.map(|loaded| names(run(loaded).reaches())).map_err(|e| e.to_string())
        };
        assert_eq!(of("--demo").unwrap().len(), 3);
        assert_eq!(of("--demo --region all").unwrap(), of("--demo").unwrap());
        assert_eq!(
            of("--demo --profile ml-prod --region eu-west-1").unwrap(),
            ["ml-prod Named([\"eu-west-1\"])"]
        );
        assert_eq!(of("--demo --profile 777788889999").unwrap(), ["data-platform Enabled"]);
        assert_eq!(
            of("--demo --profile ml-prdo --region eu-west-9").unwrap_err(),
            "--profile: there is no account of the demo \"ml-prdo\"; did you mean `ml-prod`? Those \
             there are: ml-prod, ml-research, data-platform\n--region: there is no region of the demo \
             \"eu-west-9\"; did you mean `eu-west-1`? Those there are: us-east-1, us-west-2, \
             eu-west-1, ap-northeast-1"
        );
    }

    #[test]
    fn a_wrong_filter_is_a_usage_error() {
        let words = Vocabulary {
            filter: Some(|_| Err("column 5: no such field".into())),
            ..Vocabulary::default()
        };
        let error = options(&global("--filter x"), &words).unwrap_err();
        assert_eq!(error.to_string(), "--filter: column 5: no such field");
    }

    #[test]
    fn the_screen_opens_on_a_terminal_alone() {
        assert_eq!(without_command(&global(""), true), FleetCommand::Cockpit);
        assert_eq!(without_command(&global(""), false), FleetCommand::Idle(false));
        assert_eq!(without_command(&global("--format json"), true), FleetCommand::Idle(false));
        assert_eq!(without_command(&global("--fail-on idle"), true), FleetCommand::Idle(false));
    }

    #[test]
    fn the_ledger_outlives_a_run_without_a_cache() {
        let loaded = config(&global(""), &Env::default(), None, &Vocabulary::default()).unwrap();
        let mut invocation =
            Invocation::new(loaded.config, RunOptions { no_cache: true, ..RunOptions::default() });
        let nowhere = invocation.cache_options().unwrap();
        assert!(nowhere.memory_only && nowhere.ledger.is_none());
        invocation.config.cache.path = Some("/c/my.sqlite".into());
        let options = invocation.cache_options().unwrap();
        assert!(options.memory_only);
        assert_eq!(options.ledger, Some("/c/ledger.db".into()));
        invocation.options.demo = Some(DemoOptions::default());
        assert_eq!(invocation.cache_options().unwrap().ledger, None, "nothing is billed");
    }

    #[test]
    fn the_cache_keeps_what_the_longest_preset_looks_at() {
        let loaded = config(&global(""), &Env::default(), None, &Vocabulary::default()).unwrap();
        let mut invocation = Invocation::new(loaded.config, RunOptions::default());
        invocation.config.cache.path = Some("/c/my.sqlite".into());
        assert_eq!(invocation.cache_options().unwrap().keep_days, 15);
        let long = toml::Table::from_iter([("window_hours".to_owned(), (40 * 24).into())]);
        invocation.config.custom_presets.insert("long".into(), long);
        assert_eq!(invocation.cache_options().unwrap().keep_days, 41);
    }

    #[test]
    fn a_demo_never_shares_the_cache_of_real_accounts() {
        let config = config(&global(""), &Env::default(), None, &Vocabulary::default());
        let mut config = config.unwrap().config;
        assert!(matches!(cache_file(&config, None, None), Err(ConfigError::NoHome)));
        config.cache.path = Some("/c/my.sqlite".into());
        let file = |demo| cache_file(&config, None, demo).unwrap();
        let of = |seed, size| Some(DemoOptions { seed, size });
        assert_eq!(file(None), PathBuf::from("/c/my.sqlite"));
        assert_eq!(file(of(None, None)), PathBuf::from("/c/demo/my-demo.db"));
        assert_eq!(file(of(Some(3), Some(9))), PathBuf::from("/c/demo/my-demo-s3-n9.db"));
    }
}
