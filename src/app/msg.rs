//! Everything that can happen to the cockpit.

use std::sync::Arc;

use crossterm::event::{KeyEvent, MouseEvent};
use jiff::Timestamp;

use crate::act::plan::{Plan, Preflighted, Progress, Rules, Verified};
use crate::domain::{GpuHistory, GpuKey, OwnCost, Scope, SeriesSet, SourceId};
use crate::fleet::gpu::GpuFleet;
use crate::fleet::{Fleet, Savings, StorageFleet};
use crate::tabs::storage::state::Listing;
use crate::whatif::{Demand, PlanAnswer, Scenario, Slot};

/// Something that happened. [`super::App::update`] takes it in.
#[derive(Clone, Debug)]
pub enum Msg {
    /// A key was pressed.
    Key(KeyEvent),
    /// A mouse button or the wheel.
    Mouse(MouseEvent),
    /// The terminal has this many columns and rows.
    Resize(u16, u16),
    /// Text was pasted.
    Paste(String),
    /// The time.
    Now(Timestamp),
    /// The fleet as it is known now.
    Fleet(Arc<Fleet>),
    /// The GPUs as they are known now.
    Gpus(Arc<GpuFleet>),
    /// The storage as it is known now.
    Storage(Arc<StorageFleet>),
    /// What could be saved, as it is known now.
    Savings(Arc<Savings>),
    /// How far a list of objects is, asked for by [`super::Effect::ListObjects`].
    Listing(Listing),
    /// The past of one GPU, asked for by [`super::Effect::LoadGpuHistory`].
    GpuHistory {
        /// Whose.
        key: GpuKey,
        /// What is known of it; without traces when nothing is.
        history: Arc<GpuHistory>,
    },
    /// The series of one instance, asked for by [`super::Effect::LoadSeries`].
    Series {
        /// Whose.
        instance: Arc<str>,
        /// All series known of it.
        series: Arc<SeriesSet>,
    },
    /// What burntop's own calls cost today.
    OwnCost(OwnCost),
    /// What a forced refresh would cost now, USD; `None` = not known. Calls that are free cost 0.
    RefreshCost(Option<f64>),
    /// Verdicts now follow this preset.
    Preset {
        /// Its name.
        name: String,
        /// What fetching the signals would cost that it needs and the cache lacks, USD; `None`
        /// when none is missing.
        missing_usd: Option<f64>,
    },
    /// An entry for the event log.
    Log(LogEntry),
    /// A word in the status line: an effect succeeded or failed.
    Notice(Notice),
    /// The accounts read.
    Accounts(Vec<AccountInfo>),
    /// No account can be read because there are no credentials.
    NoCredentials {
        /// What the credential chain said, one sentence.
        message: String,
    },
    /// Who the cockpit runs for has changed (the demo was opened from the first screen).
    Mode(Mode),
    /// What may be done where; until this comes, nothing.
    Rules(Arc<Rules>),
    /// A plan was checked, asked for by [`super::Effect::Preflight`].
    Preflighted(Arc<Preflighted>),
    /// A plan could not be checked at all.
    NotPreflighted {
        /// Which, the same one that was sent.
        plan: Arc<Plan>,
        /// Why, one sentence; clean text.
        why: String,
    },
    /// The run that [`super::Effect::Execute`] began goes on.
    Acting(Progress),
    /// The run has ended, or could not begin; then the text says why.
    Acted(Result<Arc<Verified>, String>),
    /// A demand to plan for: read by [`super::Effect::ReadDemand`], given at the start, or grown by
    /// an hour.
    Demand {
        /// The demand.
        demand: Arc<Demand>,
        /// What a plan for it begins with: its families in their order, with the prices, holdings
        /// and offers that are known.
        scenario: Arc<Scenario>,
    },
    /// There is no demand: why and what to do, one sentence; clean text.
    NoDemand(String),
    /// How far a plan is, asked for by [`super::Effect::Plan`].
    Planned(PlanAnswer),
    /// A kept scenario, asked for by [`super::Effect::LoadScenario`].
    Scenario {
        /// Which slot it was asked for.
        slot: Slot,
        /// It; its families are matched to the demand's by name.
        scenario: Arc<Scenario>,
    },
    /// The names of the scenarios that are kept, in the order to show.
    Scenarios(Vec<String>),
}

/// Where the data come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// AWS.
    Live,
    /// The built-in fleet.
    Demo,
    /// The cache alone.
    Offline,
    /// A recording: what is on screen is past.
    Replay,
}

/// An account as the header names it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AccountInfo {
    /// 12-digit id.
    pub id: Arc<str>,
    /// What the user calls it; clean text.
    pub label: Arc<str>,
    /// True when the config says that this is production; the header is tinted then.
    pub production: bool,
}

/// How bad a log entry is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// Worth knowing.
    Info,
    /// Something does not work as it should.
    Warn,
    /// Something failed.
    Error,
}

impl Level {
    /// The word in the log.
    pub fn word(self) -> &'static str {
        match self {
            Self::Info => "info",
            Self::Warn => "warn",
            Self::Error => "error",
        }
    }
}

/// An entry of the event log. All text is clean.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogEntry {
    /// When it happened.
    pub at: Timestamp,
    /// How bad.
    pub level: Level,
    /// Which source, if one.
    pub source: Option<SourceId>,
    /// Where, if somewhere.
    pub scope: Option<Scope>,
    /// What happened.
    pub message: String,
    /// What to do about it (the IAM action by name, the command to run); empty when nothing
    /// sensible can be said.
    pub fix: String,
}

/// A line for the status line, gone with the next key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Notice {
    /// How bad.
    pub level: Level,
    /// One line; clean text.
    pub text: String,
}

impl Notice {
    /// A notice of `level`.
    pub fn new(level: Level, text: impl Into<String>) -> Self {
        Self { level, text: text.into() }
    }
}
