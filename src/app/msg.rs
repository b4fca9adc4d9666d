//! Everything that can happen to the cockpit.

use std::sync::Arc;

use crossterm::event::{KeyEvent, MouseEvent};
use jiff::Timestamp;

use super::{Answered, BillsAnswer};
use crate::act::plan::{Plan, Preflighted, Progress, Rules, Verified};
use crate::analyze::idle::backtest::DayCount;
use crate::domain::{BurnPast, GpuHistory, GpuKey, OwnCost, Scope, SeriesSet, SourceId};
use crate::fleet::gpu::GpuFleet;
use crate::fleet::{Fleet, Savings, StorageFleet};
use crate::tabs::actions::picture::ActionsPicture;
use crate::tabs::jobs::picture::{JobsPicture, JobsQuestion};
use crate::tabs::storage::state::Listing;
use crate::whatif::{Demand, PlanAnswer, Scenario, Slot};

/// An event of the cockpit, handled by [`super::App::update`].
#[derive(Clone, Debug)]
pub enum Msg {
    /// A key was pressed.
    Key(KeyEvent),
    /// A mouse button or the wheel.
    Mouse(MouseEvent),
    /// The terminal now has this many columns and rows.
    Resize(u16, u16),
    /// Text was pasted.
    Paste(String),
    /// Current time.
    Now(Timestamp),
    /// Newest fleet.
    Fleet(Arc<Fleet>),
    /// Newest GPUs.
    Gpus(Arc<GpuFleet>),
    /// Newest storage.
    Storage(Arc<StorageFleet>),
    /// Newest savings.
    Savings(Arc<Savings>),
    /// State of a list of objects, requested by [`super::Effect::ListObjects`].
    Listing(Listing),
    /// History of one GPU, requested by [`super::Effect::LoadGpuHistory`].
    GpuHistory {
        /// The GPU.
        key: GpuKey,
        /// The history; without traces where none is known.
        history: Arc<GpuHistory>,
    },
    /// Series of one instance, requested by [`super::Effect::LoadSeries`].
    Series {
        /// Id of the instance.
        instance: Arc<str>,
        /// All known series.
        series: Arc<SeriesSet>,
    },
    /// What is known of the burn before now.
    BurnPast(Arc<BurnPast>),
    /// What the preset of this name called idle some days ago, and what became of it. Follows
    /// [`super::Effect::LoadSeries`], once an hour.
    LookedBack {
        /// Name of the preset.
        preset: String,
        /// Its verdicts of that day.
        day: DayCount,
    },
    /// What burntop's own calls cost today.
    OwnCost(OwnCost),
    /// Cost of a forced refresh now, USD; 0 where all calls are free, `None` = not known.
    RefreshCost(Option<f64>),
    /// The preset that verdicts follow from now on.
    Preset {
        /// Name of the preset.
        name: String,
        /// Cost of fetching the signals that it needs and the cache lacks, USD; `None` where none is missing.
        missing_usd: Option<f64>,
    },
    /// An entry for the event log.
    Log(LogEntry),
    /// Message above the footer: an effect succeeded or failed.
    Notice(Notice),
    /// Accounts being read.
    Accounts(Vec<AccountInfo>),
    /// No account can be read for lack of credentials.
    NoCredentials {
        /// Error of the credential chain, one sentence.
        message: String,
    },
    /// New source of data: the demo was opened from the first screen.
    Mode(Mode),
    /// Action rules of all accounts; until they arrive nothing may be done.
    Rules(Arc<Rules>),
    /// A checked plan, requested by [`super::Effect::Preflight`].
    Preflighted(Arc<Preflighted>),
    /// A plan that could not be checked.
    NotPreflighted {
        /// The plan that was sent.
        plan: Arc<Plan>,
        /// The reason, one sentence; clean text.
        why: String,
    },
    /// Progress of the run that [`super::Effect::Execute`] began.
    Acting(Progress),
    /// End of the run; the error is the reason why it could not begin.
    Acted(Result<Arc<Verified>, String>),
    /// A demand to plan for: read by [`super::Effect::ReadDemand`], given at the start, or extended by an hour.
    Demand {
        /// The demand.
        demand: Arc<Demand>,
        /// Initial scenario for it: its families in order, with known prices, commitments held and offers.
        scenario: Arc<Scenario>,
    },
    /// Why there is no demand and what to do, one sentence; clean text.
    NoDemand(String),
    /// Stage of a valuation, requested by [`super::Effect::Plan`].
    Planned(PlanAnswer),
    /// A saved scenario, requested by [`super::Effect::LoadScenario`].
    Scenario {
        /// Slot that it was requested for.
        slot: Slot,
        /// The scenario; its families are matched with the demand's by name.
        scenario: Arc<Scenario>,
    },
    /// Names of the saved scenarios, in the order shown.
    Scenarios(Vec<String>),
    /// What the bills answer to [`super::Effect::ReadBills`].
    Bills(BillsAnswer),
    /// What the jobs that are kept answer to [`super::Effect::ReadJobs`].
    Jobs(JobsQuestion, Answered<JobsPicture>),
    /// What the audit log holds, requested by [`super::Effect::ReadActions`] with this number.
    Actions(u64, Answered<ActionsPicture>),
    /// The configured sources of jobs were read, see [`super::Effect::ReadJobSources`].
    JobSources {
        /// True where one answered: what is kept may have changed.
        has_news: bool,
    },
}

/// Source of the data on screen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// AWS accounts.
    Live,
    /// The demo fleet.
    Demo,
    /// The cache, without calls.
    Offline,
    /// A recording is played: the data are from the past.
    Replay,
}

/// An account in the header.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AccountInfo {
    /// 12-digit id.
    pub id: Arc<str>,
    /// Label given by the user; clean text.
    pub label: Arc<str>,
    /// True for an account configured as production, which tints the header.
    pub production: bool,
    /// AWS profile whose credentials are the account's own; `None` in the demo, for the default chain, and where a
    /// role is assumed.
    pub profile: Option<Arc<str>>,
}

/// How bad a log entry is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// Information.
    Info,
    /// Something does not work as it should.
    Warn,
    /// Something failed.
    Error,
}

impl Level {
    /// Name in the log.
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
    /// Time of the event.
    pub at: Timestamp,
    /// Severity.
    pub level: Level,
    /// Source that the entry is about; `None` for no source.
    pub source: Option<SourceId>,
    /// Account and region that the entry is about; `None` for none.
    pub scope: Option<Scope>,
    /// The event.
    pub message: String,
    /// What to do (the IAM action by name, the command to run); empty where there is no advice.
    pub fix: String,
}

/// A message above the footer, removed by the next key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Notice {
    /// Severity.
    pub level: Level,
    /// The message, one line; clean text.
    pub text: String,
}

impl Notice {
    /// A message of `level`.
    pub fn new(level: Level, text: impl Into<String>) -> Self {
        Self { level, text: text.into() }
    }
}
