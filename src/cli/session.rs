//! Makes what a bus needs from an [`Invocation`]: accounts, cache, ledger, policy, clock.

use std::fmt::Write as _;
use std::io::IsTerminal;
use std::os::fd::AsFd;
use std::slice::from_ref;
use std::sync::Arc;
use std::time::Duration;

use tokio::runtime::Handle;

use super::exit::CliError;
use super::invocation::Invocation;
use super::jobs::{self, HoldersRead};
use super::savings_settings::{SavingsWant, savings_settings};
use super::storage_settings;
use super::teams::{KeptCounts, UNIT_MONTHS, UnitCosts, run_costs};
use super::telemetry::{self, Want};
use super::tell::tell;
use super::words;
use crate::analyze::bill::billed_rates;
use crate::analyze::idle::Policy;
use crate::analyze::waterfall::network_spend;
use crate::bus::tape::Recorder;
use crate::bus::{Parts, ReadBilled, ReadFailedRuns, ReadJobs, Settings};
use crate::cache::{self, Cache, CacheNotice, OpenOptions};
use crate::config::{Config, Env, SymbolChoice};
use crate::domain::Regions;
use crate::domain::bill::{BilledRates, NewestBill, ResourceCosts};
use crate::source::demo;
use crate::term::detect;
use crate::view::Symbols;

/// Seconds between two readings of the inventory of real accounts. `DescribeInstances` is free
/// and its bucket refills 20 a second; a minute is what an on-call engineer expects of "now".
const INVENTORY_EVERY_S: u32 = 60;
/// The demo's inventory costs no call and should be seen to live; making ten thousand instances anew
/// costs the processor something. Two beats of the demo's telemetry.
const DEMO_INVENTORY_EVERY_S: u32 = 30;

/// Longest wait for the cache to close at the end of a run.
pub const CLOSE_WITHIN: Duration = Duration::from_millis(400);

/// Opens the cache of a run, with notices about it. Never fails: without a usable file it is in memory.
pub fn open_cache(invocation: &Invocation) -> (Cache, Vec<CacheNotice>) {
    let options = invocation.cache_options().unwrap_or_else(|_| OpenOptions::in_memory());
    Cache::open(options, invocation.options.now())
}

/// Like [`open_cache`], with the notices printed to standard error.
pub fn open_cache_aloud(invocation: &Invocation) -> Cache {
    let (cache, notices) = open_cache(invocation);
    for notice in notices {
        tell(format_args!("{}. {}", notice.message(), notice.fix()));
    }
    cache
}

/// Closes a cache, and prints to standard error what could not be saved.
pub async fn close_aloud(cache: Cache) {
    cache.checked().await;
    for notice in cache.take_notices() {
        tell(format_args!("{}. {}", notice.message(), notice.fix()));
    }
    cache.close().await;
}

/// Runs `work` with the cache of the run, on a runtime of its own. Notices of opening and closing the cache are printed
/// to standard error, also where `work` fails.
pub fn with_cache<T>(
    invocation: &Invocation,
    work: impl AsyncFnOnce(&Cache) -> Result<T, CliError>,
) -> Result<T, CliError> {
    let runtime =
        tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    runtime.block_on(async {
        let cache = open_cache_aloud(invocation);
        // On the heap: it holds a whole run.
        let done = Box::pin(work(&cache)).await;
        close_aloud(cache).await;
        done
    })
}

/// Fails where nothing is kept of what is imported, named by `what`.
pub fn can_import(invocation: &Invocation, what: &str) -> Result<(), CliError> {
    let usage = |text| Err(CliError::Usage(text));
    if invocation.options.demo.is_some() {
        return usage(format!("the demo has {what} of its own; import without --demo"));
    }
    if invocation.options.no_cache {
        return usage(format!(
            "{what} are imported into a file beside the cache; import without --no-cache"
        ));
    }
    Ok(())
}

/// The policy of that name: built in or the user's own.
pub fn policy(config: &Config, name: &str) -> Result<Policy, CliError> {
    words::policy(config, name)
        .ok_or_else(|| CliError::Usage(format!("there is no preset named {name}")))
}

/// Hours that the policy of that name looks back at; a week where there is none.
pub fn window_hours(config: &Config, name: &str) -> u32 {
    policy(config, name).map_or(168, |policy| policy.window_hours())
}

/// Character set of a run: as configured, else by the locale.
pub fn symbols(invocation: &Invocation, env: &Env) -> Symbols {
    let unicode = match invocation.config.ui.symbols {
        SymbolChoice::Unicode => true,
        SymbolChoice::Ascii => false,
        SymbolChoice::Auto => detect::unicode(|name| env.get(name).map(str::to_owned)),
    };
    if unicode { Symbols::Unicode } else { Symbols::Ascii }
}

/// Terminal columns that text on standard output is fitted to; `None` where it is no terminal: a pipe or a file gets
/// the same in whatever window it was started.
pub fn text_width(env: &Env) -> Option<u16> {
    terminal_width(&std::io::stdout(), env)
}

/// Columns of the terminal that a stream is, at least 20; `None` where it is none.
pub fn terminal_width(stream: &(impl IsTerminal + AsFd), env: &Env) -> Option<u16> {
    let told = || rustix::termios::tcgetwinsize(stream).map_or(0, |size| size.ws_col);
    let hint = || env.get("COLUMNS").and_then(|columns| columns.parse().ok()).unwrap_or(80);
    let width = || Some(told()).filter(|told| *told > 0).unwrap_or_else(hint);
    // Nothing can be read in less.
    stream.is_terminal().then(|| width().max(20))
}

/// Everything that the bus runs on. Fails where a policy or a GPU source of the configuration cannot be used.
pub fn parts(invocation: &Invocation, cache: Cache, want: Want) -> Result<Parts, CliError> {
    let clock = invocation.options.clock();
    let config = &invocation.config;
    let is_demo = invocation.options.demo.is_some();
    let accounts = if invocation.options.this_host {
        Vec::new()
    } else {
        invocation.reaches().iter().map(super::accounts::Reach::account).collect()
    };
    let ledger = invocation.ledger(&cache);
    Ok(Parts {
        accounts,
        settings: Settings {
            tag_keys: config.tag_keys.clone(),
            offline: invocation.options.offline,
            inventory_every_s: if is_demo { DEMO_INVENTORY_EVERY_S } else { INVENTORY_EVERY_S },
            billed: !is_demo,
            summary_key: summary_key(invocation),
            storage: storage_settings::of(config, want),
            savings: savings_settings(config, SavingsWant::beside(want)),
            // Of accounts that are real.
            prices: if is_demo { Arc::default() } else { Arc::new(config.prices.private()) },
            bills: billed(invocation, &cache),
            jobs: kept_jobs(invocation, &cache),
            ask_of: 0,
            meters: false,
            failed_runs: failed_runs(invocation, &cache),
        },
        policy: Arc::new(policy(config, &config.preset)?),
        clock,
        cache,
        gpu_sources: telemetry::sources(invocation, Some(&ledger), want)?,
        gpu_rules: Arc::new(telemetry::rules(&config.gpus)),
        recorder: recorder(invocation)?,
        tape: invocation.options.tape.clone(),
        ledger,
    })
}

/// Instances up to which the demo says what each was billed: a bill of more takes the memory of the cockpit itself.
const DEMO_BILLED_AT_MOST: usize = 1_000;

/// How what resources cost on the newest bill, the rates that it shows, and unit costs are read.
fn billed(invocation: &Invocation, cache: &Cache) -> Option<ReadBilled> {
    // A tape has no bills: what is recorded is played again as it was.
    if invocation.options.tape.is_some() || invocation.options.record.is_some() {
        return None;
    }
    let units = UnitCosts::of(invocation);
    if let Some(fleet) = invocation.reach.demo_fleet(&invocation.config, &invocation.options) {
        let is_small = fleet.size.unwrap_or(demo::DEFAULT_SIZE) <= DEMO_BILLED_AT_MOST;
        let read: ReadBilled = Arc::new(move || {
            let (mut newest, mut months) = (None, Vec::new());
            // One after the other: a bill takes more memory than all that is kept of it.
            for bill in demo::bill::newest_months(&fleet, UNIT_MONTHS).map(Arc::new) {
                let rates = BilledRates::new(bill.head.period, billed_rates(&bill));
                let (costs, network) = (ResourceCosts::of(&bill), Some(network_spend(&bill)));
                newest = Some(NewestBill { costs, rates, network, units: Vec::new() });
                months.extend(units.iter().flat_map(|units| units.months(from_ref(&bill))));
            }
            let units = units.as_ref().map(|units| units.by(&months, None)).unwrap_or_default();
            newest.map(|newest| NewestBill { units, ..newest })
        });
        return is_small.then_some(read);
    }
    let kept = cache::Bills::beside(&invocation.cache_file().ok()?);
    let (cache, clock) = (cache.clone(), invocation.options.clock());
    // What cannot be read is said where bills are shown.
    Some(Arc::new(move || {
        let newest = kept.newest().ok().flatten()?;
        let on = Handle::current();
        let counts = KeptCounts { cache: &cache, on: &on, now: clock() };
        let units = units.as_ref().map(|units| units.kept(&kept, counts)).unwrap_or_default();
        Some(NewestBill { units, ..newest })
    }))
}

/// How what is kept of jobs is read: who holds what, and what a run costs. `None` where nothing is kept.
fn kept_jobs(invocation: &Invocation, cache: &Cache) -> Option<ReadJobs> {
    let options = &invocation.options;
    // A tape has no jobs: what is recorded is played again as it was.
    let has_none = options.tape.is_some() || options.record.is_some() || options.this_host;
    let size = || {
        let demo = invocation.reach.demo_fleet(&invocation.config, options);
        demo.map(|demo| demo.size.unwrap_or(demo::DEFAULT_SIZE))
    };
    let is_large = size().is_some_and(|size| size > DEMO_BILLED_AT_MOST);
    let is_kept = options.demo.is_some() || !options.no_cache;
    if has_none || is_large || !is_kept {
        return None;
    }
    let holders = HoldersRead::of(invocation);
    let (invocation, cache) = (invocation.clone(), cache.clone());
    Some(ReadJobs {
        holders: Arc::new(move || holders.read()),
        runs: Arc::new(move || {
            let (on, now) = (Handle::current(), invocation.options.now());
            run_costs(&invocation, KeptCounts { cache: &cache, on: &on, now })
        }),
    })
}

/// How what failed runs took is read. The demo's jobs run on boxes of their own, and a tape has none.
fn failed_runs(invocation: &Invocation, cache: &Cache) -> Option<ReadFailedRuns> {
    let options = &invocation.options;
    let is_apart = options.demo.is_some() || options.tape.is_some() || options.record.is_some();
    if is_apart || options.no_cache || options.this_host {
        return None;
    }
    let (invocation, cache, now) = (invocation.clone(), cache.clone(), options.clock());
    Some(Arc::new(move || jobs::failed_runs(&invocation, (&cache, &Handle::current()), now())))
}

/// The recording that was asked for.
fn recorder(invocation: &Invocation) -> Result<Option<Recorder>, CliError> {
    let Some(path) = &invocation.options.record else { return Ok(None) };
    let recorder = Recorder::open(path).map_err(|e| CliError::Usage(format!("--record: {e}")))?;
    // A run has one recording.
    let _ = invocation.recording.set(recorder.recording());
    Ok(Some(recorder))
}

/// Key of the cached summary, made of accounts, regions and preset, so that the first picture painted is about the same
/// ones.
pub fn summary_key(invocation: &Invocation) -> String {
    // A picture without accounts must not be taken for theirs.
    if invocation.options.this_host {
        return "fleet/10/this host".to_owned();
    }
    let mut key = format!("fleet/10/{}", invocation.config.preset);
    if invocation.options.demo.is_some() {
        let part = &invocation.options.demo_part;
        for names in [&part.accounts, &part.regions].into_iter().filter(|names| !names.is_empty()) {
            let _ = write!(key, "/{}", names.join(","));
        }
        return key;
    }
    for target in &invocation.config.targets {
        let place = match &target.regions {
            Regions::Home => "default".to_owned(),
            Regions::Named(names) => names.join(","),
            Regions::Enabled => "all".to_owned(),
        };
        let _ = write!(key, "/{}:{place}", target.label);
    }
    key
}
