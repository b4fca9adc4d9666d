//! Behind the screen: a thread of its own with the runtime of the bus. It takes commands, and
//! answers with messages; the screen never waits for it.

mod acts;
mod lists;
mod order;
mod planning;
mod savings;
mod storage;
#[cfg(test)]
mod tests;

use std::collections::HashSet;
use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc::SyncSender;
use std::time::Duration;

use jiff::Timestamp;
use tokio::sync::mpsc;

use acts::Acts;
use lists::Lists;
use savings::SavingsWork;
use storage::StorageWork;

use super::accounts::Reaches;
use super::cockpit::report_format;
use super::exit::CliError;
use super::invocation::{DemoOptions, Invocation};
use super::savings_settings::{SavingsWant, savings_settings};
use super::telemetry::Want;
use super::{session, storage_settings, views};
use crate::act::plan::{Confirmed, Plan};
use crate::app::{
    AccountInfo, DemandFrom, ExportFormat, Level, ListHow, LogEntry, Mode, Msg, Notice, OwnCost,
    Picture, PlanPicture, Regions, SavedView, SavingsRows, StorageRows,
};
use crate::bus::tape::Recording;
use crate::bus::{self, Event};
use crate::cache::{Cache, CacheNotice};
use crate::config::{self, RegionChoice};
use crate::domain::{GpuKey, HourRange, SeriesSet, text};
use crate::files;
use crate::report::{self, Meta};
use crate::source::ledger;
use crate::view::savings::{CommitmentField, ProposalField, ResourceField, SpotField};
use crate::view::storage::{
    BlockField, BucketField, CopyField, FindingField, PrefixField, RunField,
};
use crate::view::{Symbols, TableField, ViewContext};
use crate::whatif::{Scenario, Slot};

/// When it is looked whether the cache is whole.
const CHECK_AFTER: Duration = Duration::from_secs(5);
/// How often the cache tidies up.
const MAINTAIN_EVERY: Duration = Duration::from_hours(1);
/// Events of the bus that may wait.
const EVENTS: usize = 64;

/// What the screen asks for.
pub enum Command {
    /// Read everything again.
    Refresh,
    /// These instances are on screen now.
    Viewport(Vec<Arc<str>>),
    /// The series of an instance.
    LoadSeries(Arc<str>),
    /// The past of a GPU.
    LoadGpuHistory(GpuKey),
    /// Look closely at the GPUs of these hosts.
    FocusGpus(Vec<Arc<str>>),
    /// Read of storage what nobody wanted so far.
    ReadStorage,
    /// Ask about, make or stop a list of a bucket's objects.
    ListObjects(Arc<str>, ListHow),
    /// Judge by another preset.
    SetPreset(String),
    /// Look at other regions.
    SetRegions(Regions),
    /// Write a file.
    Export {
        /// Where.
        path: String,
        /// How.
        format: ExportFormat,
        /// What.
        picture: Box<Picture>,
    },
    /// Keep a view.
    SaveView(SavedView),
    /// The demo instead of the accounts.
    SwitchToDemo,
    /// Ask everything that is asked before a plan may run.
    Preflight(Arc<Plan>),
    /// Do what was confirmed.
    Execute(Arc<Confirmed>),
    /// A demand to plan for.
    ReadDemand(DemandFrom),
    /// Keep a scenario.
    SaveScenario(Arc<Scenario>),
    /// A kept scenario for a slot.
    LoadScenario(String, Slot),
    /// Another name for a kept scenario.
    RenameScenario(String, String),
    /// Write a plan to a file.
    ExportPlan(String, ExportFormat, Box<PlanPicture>),
    /// End, and say when the cache is closed.
    Close(SyncSender<()>),
}

/// The backend before it runs.
pub struct Backend {
    invocation: Invocation,
    messages: mpsc::Sender<Msg>,
    commands: mpsc::UnboundedReceiver<Command>,
}

impl Backend {
    /// Made at once, started after the first picture.
    pub fn new(
        invocation: Invocation,
        messages: mpsc::Sender<Msg>,
        commands: mpsc::UnboundedReceiver<Command>,
    ) -> Self {
        Self { invocation, messages, commands }
    }

    /// Starts the thread. A system that gives no thread leaves the screen with what the cache
    /// had, and a word about it.
    pub fn start(self) {
        let messages = self.messages.clone();
        let started = std::thread::Builder::new().name("backend".into()).spawn(move || {
            let runtime = tokio::runtime::Builder::new_multi_thread()
                .worker_threads(2)
                .thread_name("source")
                .enable_all()
                .build();
            match runtime {
                Ok(runtime) => runtime.block_on(Running::run(self)),
                Err(error) => say(&self.messages, &error),
            }
        });
        if let Err(error) = started {
            say(&messages, &error);
        }
    }
}

fn say(messages: &mpsc::Sender<Msg>, error: &std::io::Error) {
    let text = format!("nothing can be read: the system gives no threads ({error})");
    let _ = messages.try_send(Msg::Notice(Notice::new(Level::Error, text)));
}

/// One bus and what belongs to it.
struct Running {
    invocation: Invocation,
    messages: mpsc::Sender<Msg>,
    cache: Cache,
    bus: bus::Handle,
    acts: Arc<Acts>,
    events: mpsc::Receiver<Event>,
    accounts: Vec<AccountInfo>,
    /// Name of the preset that judges.
    preset: String,
    storage: StorageWork,
    savings: SavingsWork,
    lists: Lists,
    /// What reading everything again costs, as the screen was told, micro-dollars.
    refresh_cost: Option<u64>,
    /// That the recording is not whole was said.
    recording_told: bool,
    /// Ends the scans in the background when it is dropped.
    background: Option<tokio_util::sync::DropGuard>,
}

impl Running {
    async fn run(backend: Backend) {
        let Backend { invocation, messages, mut commands } = backend;
        let mut running = match Self::begin(invocation, messages.clone()).await {
            Ok(running) => running,
            Err(error) => {
                let notice = Notice::new(Level::Error, error.to_string());
                let _ = messages.send(Msg::Notice(notice)).await;
                return;
            }
        };
        let mut tidy = tokio::time::interval(MAINTAIN_EVERY);
        // The first tick is at once; the start has better things to do.
        tidy.reset();
        loop {
            tokio::select! {
                biased;
                command = commands.recv() => match command {
                    Some(Command::Close(done)) => {
                        running.end().await;
                        let _ = done.send(());
                        return;
                    }
                    Some(command) => {
                        if let Some(next) = running.command(command).await {
                            running = next;
                        }
                    }
                    None => return running.end().await,
                },
                event = running.events.recv() => {
                    let Some(event) = event else {
                        // The bus ends only when it is told to: this is a defect.
                        let text = "nothing is read any more (a defect): restart burntop";
                        running.notice(Level::Error, text).await;
                        return running.cache.close().await;
                    };
                    running.event(event).await;
                }
                () = running.savings.due() => running.picture_savings().await,
                _ = tidy.tick() => {
                    running.cache.maintain(running.now()).await;
                    running.cache_notices().await;
                    running.recording_notice().await;
                }
            }
        }
    }

    /// Opens the cache and starts the bus.
    async fn begin(invocation: Invocation, messages: mpsc::Sender<Msg>) -> Result<Self, CliError> {
        let (cache, notices) = session::open_cache(&invocation);
        let mut parts = session::parts(&invocation, cache.clone(), Want::All)?;
        parts.settings.storage = storage_settings::of_cockpit(&invocation.config);
        parts.settings.savings = savings_settings(&invocation.config, SavingsWant::All);
        let (sender, events) = mpsc::channel(EVENTS);
        let ledger = parts.ledger.clone();
        let bus = bus::start(parts, sender);
        let acts = Acts::begin(invocation.clone(), ledger, messages.clone(), bus.clone());
        let preset = invocation.config.preset.clone();
        let accounts = Vec::new();
        let storage = StorageWork::default();
        let savings = SavingsWork::default();
        let lists = Lists::default();
        let mut running = Self {
            invocation,
            messages,
            cache,
            bus,
            acts,
            events,
            accounts,
            preset,
            storage,
            savings,
            lists,
            refresh_cost: None,
            recording_told: false,
            background: None,
        };
        running.background = Some(running.scan_in_background());
        if let Some(from) = planning::asked(&running.invocation) {
            running.read_demand(from);
        }
        for notice in notices {
            running.log_cache(&notice).await;
        }
        let cache = running.cache.clone();
        tokio::spawn(async move {
            // The start has better things to do.
            tokio::time::sleep(CHECK_AFTER).await;
            cache.checked().await;
        });
        Ok(running)
    }

    async fn end(&mut self) {
        self.background = None;
        self.bus.stop();
        // The bus stores its last picture before it drops the sender.
        let drain = async { while self.events.recv().await.is_some() {} };
        let _ = tokio::time::timeout(session::CLOSE_WITHIN / 2, drain).await;
        self.cache.clone().close().await;
    }

    fn now(&self) -> Timestamp {
        self.invocation.options.now()
    }

    async fn send(&self, msg: Msg) {
        // The screen may be gone already; there is nobody left to tell.
        let _ = self.messages.send(msg).await;
    }

    async fn notice(&self, level: Level, text: impl Into<String>) {
        self.send(Msg::Notice(Notice::new(level, text))).await;
    }

    /// Does what the screen asks; returns what runs instead when everything starts anew.
    async fn command(&mut self, command: Command) -> Option<Self> {
        match command {
            Command::Refresh => self.bus.refresh(),
            Command::Viewport(ids) => self.bus.set_viewport(ids),
            Command::LoadSeries(instance) => self.series(instance).await,
            Command::LoadGpuHistory(key) => self.gpu_history(key),
            Command::ListObjects(bucket, how) => self.list(bucket, how).await,
            Command::FocusGpus(hosts) => self.bus.focus_gpus(hosts),
            Command::ReadStorage => self.bus.want_storage(),
            Command::SetPreset(name) => match session::policy(&self.invocation.config, &name) {
                Ok(policy) => {
                    self.preset.clone_from(&name);
                    self.invocation.config.preset.clone_from(&name);
                    self.bus.set_policy(Arc::new(policy));
                    self.send(Msg::Preset { name, missing_usd: None }).await;
                }
                Err(error) => self.notice(Level::Error, error.to_string()).await,
            },
            Command::SetRegions(regions) => return self.restart_in(regions).await,
            Command::Export { path, format, picture } => {
                self.export(path, format, *picture).await;
            }
            Command::SaveView(view) => self.save(view).await,
            Command::SwitchToDemo => {
                let mut invocation = self.invocation.clone();
                invocation.options.demo = Some(DemoOptions::default());
                invocation.options.offline = false;
                self.send(Msg::Mode(Mode::Demo)).await;
                return self.restart(invocation).await;
            }
            Command::Preflight(plan) => self.acts.preflight(plan),
            Command::Execute(confirmed) => self.acts.execute(confirmed),
            Command::ReadDemand(from) => self.read_demand(from),
            Command::SaveScenario(scenario) => self.save_scenario(scenario),
            Command::LoadScenario(name, slot) => self.load_scenario(name, slot),
            Command::RenameScenario(from, to) => self.rename_scenario(from, to),
            Command::ExportPlan(path, format, plan) => self.export_plan(path, format, plan),
            Command::Close(_) => {}
        }
        None
    }

    async fn restart_in(&mut self, regions: Regions) -> Option<Self> {
        let choice = match regions {
            Regions::All => RegionChoice::All,
            Regions::These(names) => RegionChoice::List(names),
        };
        let mut invocation = self.invocation.clone();
        // The demo's regions are its own, and its world shall stay what was made of it.
        if invocation.options.demo.is_none() {
            invocation.reach = Reaches::default();
        }
        for target in &mut invocation.config.targets {
            target.regions = choice.clone();
        }
        self.restart(invocation).await
    }

    async fn restart(&mut self, invocation: Invocation) -> Option<Self> {
        self.end().await;
        match Self::begin(invocation, self.messages.clone()).await {
            Ok(running) => Some(running),
            Err(error) => {
                self.notice(Level::Error, error.to_string()).await;
                None
            }
        }
    }

    async fn series(&self, instance: Arc<str>) {
        let hours = session::policy(&self.invocation.config, &self.preset)
            .map_or(168, |policy| policy.window_hours());
        let range = HourRange::last_closed(self.now(), hours);
        let mut found = self.cache.load_series(vec![instance.clone()], range).await;
        let series = found.remove(&instance).unwrap_or_else(SeriesSet::default);
        self.send(Msg::Series { instance, series: Arc::new(series) }).await;
    }

    /// Asks on a task of its own: a source may take its time.
    fn gpu_history(&self, key: GpuKey) {
        let (bus, messages) = (self.bus.clone(), self.messages.clone());
        tokio::spawn(async move {
            let history = Arc::new(bus.gpu_history(&key).await);
            let _ = messages.send(Msg::GpuHistory { key, history }).await;
        });
    }

    async fn event(&mut self, event: Event) {
        match event {
            Event::Gpus(gpus) => {
                self.savings.gpus = Some(gpus.clone());
                self.send(Msg::Gpus(gpus)).await;
                self.picture_savings().await;
            }
            Event::Storage(facts) => self.on_storage_facts(facts),
            Event::Savings(facts) => {
                self.savings.facts = Some(facts);
                self.picture_savings().await;
            }
            Event::Fleet(fleet) => {
                let cost = self.bus.refresh_cost_micro_usd();
                // Most often only the sources have something new to say of themselves.
                let shown = self.savings.fleet.replace(fleet.clone());
                if shown.is_none_or(|shown| shown.version != fleet.version) {
                    self.on_instances(fleet.rows.iter().map(|r| r.instance.clone()).collect());
                }
                self.send(Msg::Fleet(fleet)).await;
                self.picture_savings().await;
                if self.refresh_cost.replace(cost) != Some(cost) {
                    self.send(Msg::RefreshCost(Some(ledger::usd(cost)))).await;
                }
                self.cache_notices().await;
                self.recording_notice().await;
            }
            Event::OwnCost(cost) => self.send(Msg::OwnCost(own_cost(&cost))).await,
            Event::Source { at, reading, error } => {
                let (level, message, fix) = match error {
                    Some(error) => (Level::Error, error.to_string(), error.fix.clone()),
                    None => (Level::Info, "works again".to_owned(), String::new()),
                };
                let entry = LogEntry {
                    at,
                    level,
                    source: Some(reading.source),
                    scope: Some(reading.scope),
                    message,
                    fix,
                };
                self.send(Msg::Log(entry)).await;
            }
            Event::Missing { metrics, micro_usd } => {
                let missing_usd = (metrics > 0).then(|| ledger::usd(micro_usd));
                let name = self.preset.clone();
                self.send(Msg::Preset { name, missing_usd }).await;
            }
            Event::Account(identity) => {
                let production = self
                    .invocation
                    .config
                    .targets
                    .iter()
                    .any(|t| t.production && *t.label == *identity.label);
                let info = AccountInfo { id: identity.account, label: identity.label, production };
                self.accounts.retain(|a| a.id != info.id);
                self.accounts.push(info);
                self.send(Msg::Accounts(self.accounts.clone())).await;
            }
            Event::NoCredentials(error) => {
                self.send(Msg::NoCredentials { message: error.message.clone() }).await;
            }
        }
    }

    /// What the cache has to say since it was last asked.
    async fn cache_notices(&self) {
        let mut said = HashSet::new();
        for notice in self.cache.take_notices() {
            if said.insert(notice.message()) {
                self.log_cache(&notice).await;
            }
        }
    }

    /// Says once that the recording is not whole.
    async fn recording_notice(&mut self) {
        let trouble = self.invocation.recording.get().and_then(Recording::trouble);
        let Some(message) = trouble.filter(|_| !self.recording_told) else { return };
        self.recording_told = true;
        let entry = LogEntry {
            at: self.now(),
            level: Level::Error,
            source: None,
            scope: None,
            message: message.clone(),
            fix: String::new(),
        };
        self.send(Msg::Log(entry)).await;
        self.notice(Level::Error, message).await;
    }

    async fn log_cache(&self, notice: &CacheNotice) {
        let entry = LogEntry {
            at: self.now(),
            level: Level::Warn,
            source: None,
            scope: None,
            message: notice.message(),
            fix: notice.fix().to_owned(),
        };
        self.send(Msg::Log(entry)).await;
        self.notice(Level::Warn, notice.message()).await;
    }

    async fn export(&self, path: String, format: ExportFormat, picture: Picture) {
        let preset = self.preset.clone();
        let target = path.clone();
        let written = tokio::task::spawn_blocking(move || {
            let text = render(&picture, format, &preset);
            files::create_whole(Path::new(&target), text.as_bytes())
        })
        .await;
        match written {
            Ok(Ok(())) => self.notice(Level::Info, format!("wrote {path}")).await,
            Ok(Err(error)) => {
                let why = files::explain(&error);
                self.notice(Level::Error, format!("cannot write {path}: {why}")).await;
            }
            Err(_) => self.notice(Level::Error, format!("cannot render {path}")).await,
        }
    }

    async fn save(&self, view: SavedView) {
        let Some(paths) = &self.invocation.paths else {
            return self.notice(Level::Error, "there is no home directory to save in").await;
        };
        let file = paths.views_file();
        let name = view.name.clone();
        let kept = views::to_config(&view);
        let saved =
            tokio::task::spawn_blocking(move || config::views::save(&file, &view.name, &kept))
                .await;
        match saved {
            Ok(Ok(())) => self.notice(Level::Info, format!("saved view {name}")).await,
            Ok(Err(error)) => self.notice(Level::Error, error.to_string()).await,
            Err(_) => self.notice(Level::Error, format!("view {name} was not saved")).await,
        }
    }
}

fn own_cost(cost: &ledger::OwnCost) -> OwnCost {
    OwnCost {
        today_usd: ledger::usd(cost.micro_usd),
        cap_usd: ledger::usd(cost.cap_micro_usd),
        calls: cost
            .apis
            .iter()
            .map(|api| (api.name.clone(), api.units, ledger::usd(api.micro_usd)))
            .collect(),
        trouble: cost
            .trouble
            .as_ref()
            .map(|t| text::clean(&format!("{t}. {}", t.fix())).into_owned()),
    }
}

/// The picture as the report of the same name prints it.
fn render(picture: &Picture, format: ExportFormat, preset: &str) -> String {
    let ctx = ViewContext { now: picture.now, symbols: Symbols::Unicode };
    let meta = Meta { preset, filter: Some(&picture.filter) };
    let format = report_format(format);
    if let Some(rows) = &picture.storage {
        return storage_report(rows, format, &ctx, &picture.filter);
    }
    if let Some(rows) = &picture.savings {
        return savings_report(rows, format, &ctx, &picture.filter);
    }
    if let Some(gpus) = &picture.gpus {
        let readings = &picture.fleet.readings;
        let shown = report::GpuReport { fleet: &gpus.fleet, rows: &gpus.rows, readings };
        return report::gpus(shown, &gpus.columns, format, &ctx, &meta);
    }
    if picture.view == "overview" {
        report::overview(&picture.fleet, format, &ctx, &meta)
    } else {
        report::idle(&picture.fleet, &picture.rows, &picture.columns, format, &ctx, &meta)
    }
}

/// Rows of the Storage tab as a report.
fn storage_report(
    rows: &StorageRows,
    format: report::Format,
    ctx: &ViewContext,
    filter: &str,
) -> String {
    let view = rows.view();
    let about = report::StorageAbout { view, filter, readings: &[] };
    match rows {
        StorageRows::Buckets(r, c) => report::storage_rows(r, c, format, ctx, &about),
        StorageRows::Prefixes(r, c) => report::storage_rows(r, c, format, ctx, &about),
        StorageRows::Findings(r, c) => report::storage_rows(r, c, format, ctx, &about),
        StorageRows::Blocks(r, c) => report::storage_rows(r, c, format, ctx, &about),
        StorageRows::Runs(r, c) => report::storage_rows(r, c, format, ctx, &about),
        StorageRows::Copies(r, c) => report::storage_rows(r, c, format, ctx, &about),
    }
}

/// Rows of the Storage tab as JSON, one per line; `most` at most.
pub(super) fn storage_json(rows: &StorageRows, ctx: &ViewContext, most: usize) -> String {
    fn lines<F: TableField>(rows: &[Arc<F::Row>], ctx: &ViewContext, most: usize) -> String {
        let each = rows.iter().take(most).map(|row| report::storage_row::<F>(row, ctx).to_string());
        each.collect::<Vec<_>>().join("\n")
    }
    match rows {
        StorageRows::Buckets(r, _) => lines::<BucketField>(r, ctx, most),
        StorageRows::Prefixes(r, _) => lines::<PrefixField>(r, ctx, most),
        StorageRows::Findings(r, _) => lines::<FindingField>(r, ctx, most),
        StorageRows::Blocks(r, _) => lines::<BlockField>(r, ctx, most),
        StorageRows::Runs(r, _) => lines::<RunField>(r, ctx, most),
        StorageRows::Copies(r, _) => lines::<CopyField>(r, ctx, most),
    }
}

/// Rows of a list of what could be saved as a report.
fn savings_report(
    rows: &SavingsRows,
    format: report::Format,
    ctx: &ViewContext,
    filter: &str,
) -> String {
    let about = report::SavingsAbout { view: rows.view(), filter, readings: &[], unread: &[] };
    let more = serde_json::Map::new();
    match rows {
        SavingsRows::Commitments(r, c) => report::savings_rows(r, c, format, ctx, &about, more),
        SavingsRows::Proposals(r, c) => report::savings_rows(r, c, format, ctx, &about, more),
        SavingsRows::Spot(r, c) => report::savings_rows(r, c, format, ctx, &about, more),
        SavingsRows::Resources(r, c) => report::savings_rows(r, c, format, ctx, &about, more),
    }
}

/// Rows of a list of what could be saved as JSON, one per line; `most` at most.
pub(super) fn savings_json(rows: &SavingsRows, ctx: &ViewContext, most: usize) -> String {
    fn lines<F: report::SavingsField>(
        rows: &[Arc<F::Row>],
        ctx: &ViewContext,
        most: usize,
    ) -> String {
        let each = rows.iter().take(most).map(|row| report::savings_row::<F>(row, ctx).to_string());
        each.collect::<Vec<_>>().join("\n")
    }
    match rows {
        SavingsRows::Commitments(r, _) => lines::<CommitmentField>(r, ctx, most),
        SavingsRows::Proposals(r, _) => lines::<ProposalField>(r, ctx, most),
        SavingsRows::Spot(r, _) => lines::<SpotField>(r, ctx, most),
        SavingsRows::Resources(r, _) => lines::<ResourceField>(r, ctx, most),
    }
}
