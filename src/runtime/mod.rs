//! The cockpit in motion: the screen on its terminal, and behind it a thread with the runtime of the bus, which carries
//! out what the screen asks for and answers with messages. The screen never waits for it.

mod actions;
mod acts;
mod bills;
pub(crate) mod cockpit;
mod export;
mod jobs;
mod lists;
mod planning;
#[cfg(test)]
mod tests;

use std::collections::HashSet;
use std::sync::Arc;
use std::sync::mpsc::SyncSender;
use std::time::Duration;

use jiff::Timestamp;
use tokio::sync::mpsc;

use acts::Acts;
use bills::Bills;
use jobs::JobsAsked;
use lists::Lists;

use crate::app::{
    AccountInfo, Confirmation, Effect, Level, LogEntry, Mode, Msg, Notice, SavedView,
};
use crate::bus::tape::Recording;
use crate::bus::{self, Event};
use crate::cache::{Cache, CacheNotice};
use crate::cli::accounts::Reaches;
use crate::cli::exit::CliError;
use crate::cli::invocation::{DemoOptions, Invocation};
use crate::cli::savings_settings::{SavingsWant, savings_settings};
use crate::cli::telemetry::Want;
use crate::cli::{session, storage_settings, views};
use crate::config;
use crate::domain::storage::StorageFacts;
use crate::domain::{GpuKey, Hour, HourRange, Regions, SeriesSet};
use crate::source::ledger;

/// When it is looked whether the cache is whole.
const CHECK_AFTER: Duration = Duration::from_secs(5);
/// How often the cache tidies up.
const MAINTAIN_EVERY: Duration = Duration::from_hours(1);
/// How far the page of an idle instance looks back, days.
const LOOKED_BACK_DAYS: u32 = 7;
/// Events of the bus that may wait.
const EVENTS: usize = 64;

/// Request of the screen to the thread behind it.
pub(crate) enum Request {
    /// An effect to carry out.
    Do(Box<Effect>),
    /// These instances are on screen now.
    Viewport(Vec<Arc<str>>),
    /// End, and say when the cache is closed.
    Close(SyncSender<()>),
}

/// The backend before it runs.
pub struct Backend {
    invocation: Invocation,
    messages: mpsc::Sender<Msg>,
    requests: mpsc::UnboundedReceiver<Request>,
}

impl Backend {
    /// Made at once, started after the first picture.
    pub fn new(
        invocation: Invocation,
        messages: mpsc::Sender<Msg>,
        requests: mpsc::UnboundedReceiver<Request>,
    ) -> Self {
        Self { invocation, messages, requests }
    }

    /// Starts the thread. A system that gives no thread leaves the screen with what the cache
    /// had, and a word about it.
    pub fn start(self) {
        let messages = self.messages.clone();
        let started = std::thread::Builder::new().name("backend".into()).spawn(move || {
            // One beside this one: sources wait for the network, and two that decode at once wait for each other's
            // turn at the one heap (main.rs), hundreds of times in a reading.
            let runtime = tokio::runtime::Builder::new_multi_thread()
                .worker_threads(1)
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
    /// Facts about storage that were read last; `None` before the first.
    storage: Option<Arc<StorageFacts>>,
    lists: Lists,
    bills: Bills,
    jobs: JobsAsked,
    /// When it was last said what became of former verdicts, and of which preset.
    looked_back: Option<(Hour, String)>,
    /// Cost of reading everything again that the screen knows, micro-dollars; `None` before the first.
    refresh_cost: Option<u64>,
    /// True once the user was told that the recording is not whole.
    recording_told: bool,
    /// Ends the scans in the background when it is dropped.
    background: Option<tokio_util::sync::DropGuard>,
    /// Ends the reading of sources of jobs when it is dropped; `None` where there are none.
    job_sources: Option<tokio_util::sync::DropGuard>,
}

impl Running {
    async fn run(backend: Backend) {
        let Backend { invocation, messages, mut requests } = backend;
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
                request = requests.recv() => match request {
                    Some(Request::Close(done)) => {
                        running.end().await;
                        let _ = done.send(());
                        return;
                    }
                    Some(Request::Viewport(ids)) => running.bus.set_viewport(ids),
                    Some(Request::Do(effect)) => {
                        if let Some(next) = Box::pin(running.perform(*effect)).await {
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
            storage: None,
            lists,
            bills: Bills::default(),
            jobs: JobsAsked::default(),
            looked_back: None,
            refresh_cost: None,
            recording_told: false,
            background: None,
            job_sources: None,
        };
        running.background = Some(running.scan_in_background());
        running.job_sources = running.read_job_sources_in_background();
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
        self.job_sources = None;
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

    /// Does what the cockpit wants done; returns what runs instead when everything starts anew.
    async fn perform(&mut self, effect: Effect) -> Option<Self> {
        match effect {
            Effect::Refresh { force } => self.bus.refresh(force),
            Effect::LoadSeries { instance } => {
                self.bus.ask_about(instance.clone());
                self.series(instance).await;
                self.look_back();
            }
            Effect::LoadGpuHistory { key } => self.gpu_history(key),
            Effect::ListObjects { bucket, how } => self.list(bucket, how).await,
            Effect::FocusGpus(hosts) => self.bus.focus_gpus(hosts),
            Effect::ReadStorage => self.bus.want_storage(),
            Effect::ReadBills(question) => self.ask_bills(question),
            Effect::ReadJobs(question) => self.ask_jobs(question),
            Effect::ReadActions(round) => self.read_actions(round),
            Effect::ReadJobSources => self.read_job_sources(),
            Effect::SetPreset(name) => match session::policy(&self.invocation.config, &name) {
                Ok(policy) => {
                    self.preset.clone_from(&name);
                    self.invocation.config.preset.clone_from(&name);
                    self.bus.set_policy(Arc::new(policy));
                    self.send(Msg::Preset { name, missing_usd: None }).await;
                }
                Err(error) => self.notice(Level::Error, error.to_string()).await,
            },
            Effect::SetRegions(regions) => return Box::pin(self.restart_in(regions)).await,
            Effect::Export { path, format, picture } => {
                export::begin(self.messages.clone(), path, format, picture);
            }
            Effect::SaveView(view) => self.save(view).await,
            Effect::SwitchToDemo => {
                let mut invocation = self.invocation.clone();
                invocation.options.demo = Some(DemoOptions::default());
                invocation.options.offline = false;
                self.send(Msg::Mode(Mode::Demo)).await;
                return self.restart(invocation).await;
            }
            Effect::Preflight(plan) => self.acts.preflight(plan),
            Effect::Execute(Confirmation(confirmed)) => self.acts.execute(confirmed),
            Effect::ReadDemand(from) => self.read_demand(from),
            Effect::SaveScenario(scenario) => self.save_scenario(scenario, false),
            Effect::ReplaceScenario(scenario) => self.save_scenario(scenario, true),
            Effect::LoadScenario { name, slot } => self.load_scenario(name, slot),
            Effect::RenameScenario { from, to } => self.rename_scenario(from, to),
            // The screen's own thread has done these.
            Effect::Quit
            | Effect::Suspend
            | Effect::Redraw
            | Effect::SetMouse(_)
            | Effect::Copy(_)
            | Effect::CopyRows(_)
            | Effect::Plan(_) => {}
        }
        None
    }

    async fn restart_in(&mut self, regions: Regions) -> Option<Self> {
        let mut invocation = self.invocation.clone();
        // The demo's regions are its own, and its world shall stay what was made of it.
        if invocation.options.demo.is_none() {
            invocation.reach = Reaches::default();
        }
        for target in &mut invocation.config.targets {
            target.regions = regions.clone();
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
        let hours = session::window_hours(&self.invocation.config, &self.preset);
        let range = HourRange::last_closed(self.now(), hours);
        let mut found = self.cache.load_series(vec![instance.clone()], range).await;
        let series = found.remove(&instance).unwrap_or_else(SeriesSet::default);
        self.send(Msg::Series { instance, series: Arc::new(series) }).await;
    }

    /// Says once an hour what became of what looked idle a week ago, on a task of its own: it reads all that is
    /// kept of the fleet.
    fn look_back(&mut self) {
        let now = (Hour::containing(self.now()), self.preset.clone());
        let Ok(policy) = session::policy(&self.invocation.config, &self.preset) else { return };
        if self.looked_back.replace(now.clone()).is_some_and(|last| last == now) {
            return;
        }
        let (bus, messages, preset) = (self.bus.clone(), self.messages.clone(), now.1);
        tokio::spawn(async move {
            let test = bus.backtest(policy, LOOKED_BACK_DAYS).await;
            if let Some(day) = test.day(0, LOOKED_BACK_DAYS) {
                let _ = messages.send(Msg::LookedBack { preset, day }).await;
            }
        });
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
                self.jobs.measure_by(&gpus);
                self.send(Msg::Gpus(gpus)).await;
            }
            Event::StorageFacts(facts) => {
                self.list_demo(&facts);
                self.storage = Some(facts);
            }
            Event::Storage(storage) => self.send(Msg::Storage(storage)).await,
            Event::SavingsFacts(_) => {}
            Event::Savings(savings) => {
                self.bills.measure_by_resources(&savings);
                self.send(Msg::Savings(savings)).await;
            }
            Event::Fleet(fleet) => {
                self.bills.measure_by(&fleet);
                let cost = self.bus.refresh_cost_micro_usd();
                self.send(Msg::Fleet(fleet)).await;
                if self.refresh_cost.replace(cost) != Some(cost) {
                    self.send(Msg::RefreshCost(Some(ledger::usd_of_micro(cost)))).await;
                }
                self.cache_notices().await;
                self.recording_notice().await;
            }
            Event::BurnPast(past) => self.send(Msg::BurnPast(past)).await,
            Event::OwnCost(cost) => self.send(Msg::OwnCost(cost)).await,
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
                let missing_usd = (metrics > 0).then(|| ledger::usd_of_micro(micro_usd));
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
                // The demo's accounts have no profiles.
                let is_real = self.invocation.options.demo.is_none();
                let targets = self.invocation.config.targets.iter();
                let profile = targets
                    .filter(|t| is_real && t.role_arn.is_none() && *t.label == *identity.label)
                    .find_map(|t| t.profile.as_deref().map(Into::into));
                let (id, label) = (identity.account, identity.label);
                let info = AccountInfo { id, label, production, profile };
                self.accounts.retain(|a| a.id != info.id);
                self.accounts.push(info);
                self.send(Msg::Accounts(self.accounts.clone())).await;
            }
            Event::NoCredentials(error) => {
                self.send(Msg::NoCredentials { message: error.message.clone() }).await;
            }
        }
    }

    /// Passes on notices of the cache since the last call.
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
