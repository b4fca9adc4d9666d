//! `burntop doctor`: gathers what this machine knows, asks the accounts, prints the report.

use std::io::{self, IsTerminal, Write};
use std::sync::Arc;

use futures_util::future::join_all;
use jiff::Timestamp;
use tokio::task::spawn_blocking;
use tokio::time::timeout;

use super::accounts::Reach;
use super::acting;
use super::arming::{Arming, arming};
use super::exit::{CliError, Exit};
use super::invocation::Invocation;
use super::job_sources;
use super::organization::age;
use super::telemetry::{self, Want};
use super::watch;
use crate::act::plan::Verb;
use crate::bus::Regions;
use crate::cache::{Bills, Cache, OpenOptions};
use crate::config::{ConfigError, Env, Loaded};
use crate::doctor::acting as checks;
use crate::doctor::bill as checks_of_bills;
use crate::doctor::gpus;
use crate::doctor::jobs;
use crate::doctor::local::{self, CacheFacts, TerminalFacts};
use crate::doctor::organization::page;
use crate::doctor::watch as checks_of_watch;
use crate::doctor::{Check, LIMIT, Report, Status, Terms, examine};
use crate::domain::{Instance, InstanceState, text};
use crate::source::ledger::Ledger;
use crate::source::{GpuHost, Identity, catalogue};
use crate::term::detect::{self, ColorDepth};

/// Checks this machine and the accounts, and prints the report. Fails where it cannot be written.
pub fn run(
    invocation: &Invocation,
    env: &Env,
    json: bool,
    out: &mut dyn Write,
) -> Result<Exit, CliError> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let report = runtime.block_on(report(invocation, env));
    // A thread that still waits for a lock or a name server is not waited for.
    runtime.shutdown_background();
    print(&report, json, out)
}

async fn report(invocation: &Invocation, env: &Env) -> Report {
    let now = invocation.options.now();
    let accounts: Vec<_> = invocation.reaches().iter().map(Reach::account).collect();
    let loaded = Loaded {
        config: invocation.config.clone(),
        notices: invocation.notices.clone(),
        file: invocation.config_file.clone(),
    };
    let (cache, facts) = open_cache(invocation, now).await;
    let ledger = cache.map(|cache| invocation.ledger(&cache));
    let own = match &ledger {
        Some(ledger) => ledger.today(now).await,
        None => None,
    };
    let mut local = vec![
        configuration(&loaded),
        local::terminal(&terminal(env)),
        local::cache(&facts),
        local::own_cost(own.as_ref()),
    ];
    local.extend(bill(invocation, now).await);
    local.extend(audit_log(invocation));
    local.extend(watched(invocation));
    local.extend(actions(invocation).await);
    let demo = invocation.options.demo.is_some();
    let telemetry = telemetry(invocation, env, ledger.as_ref(), now);
    let terms = Terms { now, limit: LIMIT, ledger: ledger.clone(), demo };
    let jobs = jobs(invocation, env, ledger.as_ref(), now);
    let (mut report, telemetry, jobs) =
        tokio::join!(examine(local, &accounts, &terms), telemetry, jobs);
    report.checks.extend(telemetry);
    report.checks.extend(jobs);
    if let Some(found) = &invocation.organization {
        let age = found.listed_at.map(|at| age(at, now)).unwrap_or_default();
        let page =
            page(&found.found, found.listed_at, &age, found.trouble.as_ref(), &report.checks);
        // Before the sections of the accounts.
        let end = report.checks.len();
        let first = report.checks.iter().position(|c| c.account.is_some()).unwrap_or(end);
        report.checks.splice(first..first, page);
    }
    report
}

/// Checks of the sources of GPU telemetry. CloudWatch's are among the permissions.
async fn telemetry(
    invocation: &Invocation,
    env: &Env,
    ledger: Option<&Ledger>,
    now: Timestamp,
) -> Vec<Check> {
    let named = match telemetry::sources(invocation, ledger, Want::Free) {
        Ok(named) => named,
        Err(error) => return vec![gpus::unusable(&error.to_string())],
    };
    let hosts = gpu_hosts(invocation).await;
    gpus::examine(&named, telemetry::nearby(invocation, env), hosts, now).await
}

/// Checks of the sources of jobs; the demo has none.
async fn jobs(
    invocation: &Invocation,
    env: &Env,
    ledger: Option<&Ledger>,
    now: Timestamp,
) -> Vec<Check> {
    if invocation.options.demo.is_some() {
        return Vec::new();
    }
    let mut checks = Vec::new();
    let mut unless_unusable = |error: CliError| checks.push(jobs::unusable(&error.to_string()));
    let named = job_sources::sources(invocation, env, ledger).map_err(&mut unless_unusable);
    let spot = job_sources::spot_sources(invocation).map_err(&mut unless_unusable);
    let nearby = named.as_ref().map(|_| job_sources::nearby(invocation, env)).unwrap_or_default();
    let (named, spot) = (named.unwrap_or_default(), spot.unwrap_or_default());
    checks.extend(jobs::examine(&named, &spot, &nearby, now).await);
    checks
}

/// Running instances with accelerators, where a source finds its hosts among them. What cannot be
/// listed is told by the checks of the account.
async fn gpu_hosts(invocation: &Invocation) -> Arc<[GpuHost]> {
    let config = &invocation.config.gpus;
    let by_instance = config.exporters.iter().any(|s| s.ec2.is_some())
        || config.ssh.iter().any(|s| s.ec2.is_some());
    if !by_instance {
        return Arc::default();
    }
    let reaches = invocation.reaches();
    let lists = join_all(reaches.iter().map(async |reach| {
        let who = timeout(LIMIT, reach.provider().identity()).await.ok()?.ok()?;
        timeout(LIMIT, first_page(reach, &who)).await.ok()
    }));
    let all = lists.await.into_iter().flatten().flatten();
    all.filter(|i| i.state == InstanceState::Running)
        .filter_map(|instance| {
            let spec = catalogue::type_spec(&instance.instance_type)?.clone();
            spec.accelerator
                .is_some()
                .then(|| GpuHost { instance: Arc::new(instance), spec: Some(Arc::new(spec)) })
        })
        .collect()
}

/// The first page of instances of each region that is read.
async fn first_page(reach: &Reach, who: &Identity) -> Vec<Instance> {
    let provider = reach.provider();
    let regions = match &reach.regions {
        Regions::Home => vec![provider.home_region().await],
        Regions::Named(regions) => regions.clone(),
        Regions::Enabled => provider.regions().await.unwrap_or_default(),
    };
    let pages = join_all(regions.iter().map(async |region| {
        provider.instances(&who.account, region, None).await.map_or_else(|_| vec![], |p| p.items)
    }));
    pages.await.concat()
}

/// The configuration, and where it lies when it was reached through a link.
fn configuration(loaded: &Loaded) -> Check {
    let mut check = local::config(Ok(loaded));
    let file = loaded.file.as_deref();
    let link = file.filter(|f| f.symlink_metadata().is_ok_and(|there| there.is_symlink()));
    if let Some(target) = link.and_then(|link| link.canonicalize().ok()) {
        let target = text::clean(&target.to_string_lossy()).into_owned();
        check.message.push_str(&format!(" (through a link to {target})"));
    }
    check
}

/// Whether a bill is imported; the demo has its own.
async fn bill(invocation: &Invocation, now: Timestamp) -> Option<Check> {
    if invocation.options.demo.is_some() {
        return None;
    }
    let bills = Bills::beside(&invocation.cache_file().ok()?);
    let kept = timeout(LIMIT, spawn_blocking(move || bills.heads())).await.ok()?.ok()?;
    Some(checks_of_bills::bill(&kept, invocation.config.bill.exports.len(), now))
}

/// Whether a watch would find its rules and secrets; `None` where nobody wrote rules.
fn watched(invocation: &Invocation) -> Option<Check> {
    let path = watch::rules_file(invocation)?;
    path.exists().then(|| checks_of_watch::check(&watch::facts(invocation)))
}

/// Whether the audit log holds, and could be written. Makes nothing: a log begins with the first
/// line.
fn audit_log(invocation: &Invocation) -> Option<Check> {
    let dir = acting::audit_dir(invocation).ok()?;
    let chain = acting::journal(invocation).ok()?.verify();
    // The nearest directory that is there is where the missing ones would be made.
    let there = dir.ancestors().find(|d| d.exists())?;
    let writable = rustix::fs::access(there, rustix::fs::Access::WRITE_OK);
    let writable = writable.map_err(io::Error::from);
    Some(checks::audit(&dir.join("audit.jsonl").display().to_string(), chain.as_ref(), writable))
}

/// What may be changed where, and whether the guards would get their answers there. Accounts that
/// do not answer have a check that says so.
async fn actions(invocation: &Invocation) -> Vec<Check> {
    let reaches = invocation.reaches();
    let Arming { known, rules, .. } = arming(invocation, &reaches, LIMIT).await;
    let of = async |(reach, who): &(&Reach, Identity)| {
        let rules = rules.account(&who.account);
        let provider = reach.provider();
        let label = provider.label();
        let mut found = vec![checks::actions(label, &rules, invocation.options.allow_actions)];
        // Of an account that nothing may be done in not even a permission is asked.
        if rules.may_act() {
            found.extend(timeout(LIMIT, preflight(reach, who)).await.unwrap_or_default());
        }
        found
    };
    join_all(known.iter().map(of)).await.concat()
}

/// Looks at one instance of the account as the guards do, and asks for a stop by EC2's dry run.
/// Nothing of it is billed. Empty where there is no instance to look at.
async fn preflight(reach: &Reach, who: &Identity) -> Vec<Check> {
    let provider = reach.provider();
    let all = first_page(reach, who).await;
    let Some(one) = all.iter().find(|i| i.state == InstanceState::Running) else {
        return Vec::new();
    };
    let ids = [one.id.clone()];
    let (inspector, executor) = (reach.inspector(), reach.executor());
    let (looked_at, permitted) = tokio::join!(
        inspector.inspect(&one.scope, &ids),
        executor.permitted(&one.scope, &Verb::Stop, &ids),
    );
    let of = |look| checks::preflight(provider.label(), look, &permitted);
    looked_at.first().map(of).unwrap_or_default()
}

/// Prints the report where the configuration cannot be loaded, so that nothing else can be checked. Fails where
/// it cannot be written.
pub fn without_config(
    error: &ConfigError,
    env: &Env,
    now: Timestamp,
    json: bool,
    out: &mut dyn Write,
) -> Result<Exit, CliError> {
    let text = "not asked: there is no configuration to ask with";
    let skipped = [local::CACHE, local::OWN_COST, "credentials"].map(|id| Check {
        id: id.to_owned(),
        account: None,
        status: Status::Skip,
        message: text.to_owned(),
        fix: None,
    });
    let mut checks = vec![local::config(Err(error)), local::terminal(&terminal(env))];
    checks.extend(skipped);
    print(&Report { at: now, checks }, json, out)
}

fn print(report: &Report, json: bool, out: &mut dyn Write) -> Result<Exit, CliError> {
    if json {
        writeln!(out, "{:#}", report.to_json())?;
    } else {
        write!(out, "{}", report.to_text())?;
    }
    Ok(match report.status() {
        _ if report.is_usage_error() => Exit::Usage,
        Status::Fail => Exit::Findings,
        _ => Exit::Ok,
    })
}

/// Opens the cache as every command does, and looks after it once: that checks the file.
async fn open_cache(invocation: &Invocation, now: Timestamp) -> (Option<Cache>, CacheFacts) {
    let options = match invocation.cache_options() {
        Ok(options) => options,
        Err(e) => return (None, CacheFacts::NoPlace(e.to_string())),
    };
    let OpenOptions { path, max_bytes, memory_only, .. } = options.clone();
    let open = async {
        let (cache, mut notices) = spawn_blocking(move || Cache::open(options, now)).await.ok()?;
        cache.maintain(now).await;
        let stats = cache.stats().await;
        notices.extend(cache.take_notices());
        Some((cache, CacheFacts::Open { stats, notices, max_bytes }))
    };
    match timeout(LIMIT, open).await {
        Ok(Some((cache, _))) if memory_only => (Some(cache), CacheFacts::Off),
        Ok(Some((cache, facts))) => (Some(cache), facts),
        _ => (None, CacheFacts::Stuck(path)),
    }
}

/// Facts about the terminal from the environment and the kernel.
fn terminal(env: &Env) -> TerminalFacts {
    let var = |name: &str| env.get(name).map(str::to_owned);
    TerminalFacts {
        is_terminal: io::stdout().is_terminal(),
        size: crossterm::terminal::size().ok(),
        term: var("TERM"),
        colors: match detect::color_depth(var) {
            ColorDepth::None => "no colour",
            ColorDepth::Ansi16 => "16 colours",
            ColorDepth::Ansi256 => "256 colours",
            ColorDepth::TrueColor => "24-bit colour",
        },
        unicode: detect::unicode(var),
    }
}
