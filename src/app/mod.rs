//! The cockpit as a state machine without a terminal: messages in, effects out.
//!
//! Nothing here waits, reads a clock or touches the world. [`App::update`] takes a message and
//! returns what is to be done; `ui::draw` draws what [`App`] holds. Every test of the cockpit
//! therefore runs without a terminal and with a fixed time.

pub mod age;
mod appearance;
mod asking;
mod choosing;
pub mod command;
pub mod content;
mod deed;
mod effect;
mod find;
#[cfg(test)]
pub(crate) mod fixture;
mod helping;
mod init;
mod input;
mod jump;
pub(crate) mod keymap;
mod keys;
mod layout;
pub(crate) mod list;
mod lists;
mod mouse;
mod msg;
mod narrow;
mod page;
mod picture;
mod prepare;
mod prompt;
mod run;
mod saved_view;
pub(crate) mod screen;
#[cfg(test)]
mod scripts;
mod scrolling;
pub mod sheet;
mod sources;
mod typing;
mod update;

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;

pub use crate::tabs::Tab;
pub use crate::tabs::gpus::state::{TRAIL, legend_lines};
pub use crate::tabs::savings::state::SavingsList;
pub use crate::tabs::storage::state::{
    ListHow, Listing, ListingState, StorageList, StoragePage, TierSubject,
};
pub use crate::tabs::whatif::state::{Area, DemandFrom, Filled, Plan, PlanChart, PlanPage};
pub use appearance::{Appearance, ColorDepth, ThemeName};
pub use asking::{Answered, Asking, BillsAnswer, BillsQuestion};
pub(crate) use deed::Deed;
pub use effect::{Confirmation, Effect};
pub use init::{AppInit, Extent};
pub use input::History;
pub use keymap::{Action, Key, Keymap};
pub use layout::{Layout, MINIMUM};
pub use list::{GUTTER, List, Placed, Placement, RowsStamp, TableLine, column_entries};
pub use lists::{GroupingSpec, ListSpec, list_of, lists};
pub(crate) use lists::{ListSource, list_source, turned};
pub use mouse::{HintPlace, tab_gap};
pub use msg::{AccountInfo, Level, LogEntry, Mode, Msg, Notice};
pub(crate) use page::RowPage;
pub use page::{Chooser, Opened, Page, Popup, Question};
pub use picture::Picture;
pub(crate) use picture::{alone, shown};
pub use prompt::{Prompt, PromptError, PromptKind};
pub use saved_view::SavedView;
pub use screen::Screen;
pub use sources::{Intervals, SourceStatus, Sources};

use crate::act::plan::Rules;
use crate::analyze::idle::backtest::DayCount;
use crate::domain::BurnPast;
use crate::fleet::gpu::GpuFleet;
use crate::fleet::{Fleet, Savings, StorageFleet};
use crate::tabs::TabStates;
#[cfg(test)]
pub use crate::tabs::gpus::state::GpuLook;
pub use crate::view::Role;
use crate::view::ViewContext;
use age::Age;
use content::Line;
use content::sheet::dialog::Box as DialogBox;
use sheet::Sheet;

/// The picture that `f` keeps.
#[derive(Clone, Debug)]
struct Frozen {
    fleet: Option<Arc<Fleet>>,
    gpus: Option<Arc<GpuFleet>>,
    pub(crate) storage: Option<Arc<StorageFleet>>,
    pub(crate) savings: Option<Arc<Savings>>,
    at: Timestamp,
    /// Time up to which spans were measured at that moment.
    minute: Timestamp,
}

/// Lines of the page on screen, made anew by [`App::prepare`].
#[derive(Clone, Debug, Default)]
pub(crate) struct Body {
    /// Lines, as wide as the screen.
    pub(crate) lines: Vec<Line>,
    /// The line of the sheet that the cursor is on.
    cursor: Option<usize>,
    /// The dialog above it.
    dialog: Option<DialogBox>,
}

impl Body {
    /// True when a dialog is there and all of it is on the screen.
    fn dialog_fits(&self) -> bool {
        self.dialog.as_ref().is_some_and(|dialog| dialog.fits)
    }
}

/// The cockpit: its whole state.
#[derive(Clone, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
pub struct App {
    mode: Mode,
    /// Theme, colours, characters.
    pub(crate) appearance: Appearance,
    /// Keys in force.
    pub(crate) keymap: Keymap,
    intervals: Intervals,
    presets: Vec<(String, String)>,
    preset: String,
    views: Vec<SavedView>,
    accounts: Vec<AccountInfo>,
    mouse: bool,
    /// Columns and rows of the terminal.
    pub(crate) size: (u16, u16),

    /// The newest fleet.
    fleet: Option<Arc<Fleet>>,
    /// Grows where it is known anew, for the rows that are here, what would keep instances from being stopped.
    pub(crate) foreseen: u64,
    /// Newest GPUs; `None` before any were read.
    pub(crate) gpus: Option<Arc<GpuFleet>>,
    /// Newest storage; `None` before any was read.
    pub(crate) storage: Option<Arc<StorageFleet>>,
    /// Newest savings; `None` before they were computed.
    pub(crate) savings: Option<Arc<Savings>>,
    frozen: Option<Frozen>,
    /// True until something newer than the cache has come.
    from_cache: bool,
    extent: Extent,
    sources: Sources,
    own_cost: Option<crate::domain::OwnCost>,
    refresh_usd: Option<f64>,
    missing_usd: Option<f64>,
    /// What is known of the burn before now; `None` where there is no past.
    burn_past: Option<Arc<BurnPast>>,
    /// Verdicts of a former day with what became of them, and the preset that gave them.
    looked_back: Option<(String, DayCount)>,
    log: VecDeque<LogEntry>,
    /// The last messages above the footer, oldest first.
    said: VecDeque<LogEntry>,
    rules: Arc<Rules>,
    no_credentials: Option<String>,

    /// Tab on screen.
    pub(crate) tab: Tab,
    /// Pages open above the tab, the top one last.
    pub(crate) pages: Vec<Opened>,
    /// Open chooser or question; `None` without one.
    pub(crate) popup: Option<Popup>,
    /// How the help is looked at.
    help: content::help::HelpView,
    /// Line being typed; `None` while nothing is.
    pub(crate) prompt: Option<Prompt>,
    notice: Option<Notice>,
    /// State of each tab.
    pub(crate) tabs: TabStates,
    /// Ways from list to list that `esc` takes back, the newest last.
    jumps: Vec<jump::Jump>,
    /// True while a list of the tab that is on comes back on screen: the tab is not opened anew.
    stays_on_tab: bool,
    sheet: Option<Sheet>,
    /// True after a quit that has to be said twice.
    quit_asked: bool,
    /// Where the body is text: the line that the cursor is on, counted over lines that lead somewhere.
    text_cursor: usize,
    text_scroll: usize,
    /// The tab that cursor and scroll of the text are of: text of another one begins at its top.
    text_of: Tab,
    /// Words that were searched for in lines.
    find: find::Find,
    filter_history: History,
    command_history: History,

    /// Text that fills the body.
    pub(crate) body: Body,

    /// How long the cockpit has run, by a clock that never goes back.
    uptime: Duration,
    now: Timestamp,
    /// `now` in whole minutes: what ages and spans in the body are measured to, so that nothing
    /// there changes each second.
    minute: Timestamp,
    deadline: Option<Timestamp>,
    /// Where keys stand in the footer as it was drawn last.
    hints: Vec<HintPlace>,
    /// True where a frame must be drawn.
    pub(crate) dirty: bool,
}

impl App {
    /// Entries of the event log that are kept.
    const LOG_MAX: usize = 500;

    /// Messages above the footer that are kept.
    const SAID_MAX: usize = 20;

    /// The cockpit in its initial state.
    pub fn new(init: AppInit) -> Self {
        let tab = Tab::Overview;
        let mut app = Self {
            mode: init.mode,
            appearance: init.appearance,
            keymap: init.keymap,
            intervals: init.intervals,
            presets: init.presets,
            preset: init.preset,
            views: init.views,
            accounts: init.accounts,
            mouse: init.mouse,
            size: init.size,
            fleet: None,
            foreseen: 0,
            gpus: init.gpus,
            storage: init.storage,
            savings: None,
            frozen: None,
            from_cache: init.fleet.is_some(),
            extent: Extent::default(),
            sources: Sources::default(),
            own_cost: None,
            refresh_usd: None,
            missing_usd: None,
            burn_past: None,
            looked_back: None,
            log: VecDeque::new(),
            said: VecDeque::new(),
            rules: Arc::default(),
            no_credentials: None,
            tab,
            pages: Vec::new(),
            popup: None,
            help: content::help::HelpView::default(),
            prompt: None,
            notice: None,
            tabs: TabStates::default(),
            jumps: Vec::new(),
            stays_on_tab: false,
            sheet: None,
            quit_asked: false,
            text_cursor: 0,
            text_scroll: 0,
            text_of: tab,
            find: find::Find::default(),
            filter_history: History::default(),
            command_history: History::default(),
            body: Body::default(),
            uptime: Duration::ZERO,
            now: init.now,
            minute: init.now,
            deadline: None,
            hints: Vec::new(),
            dirty: true,
        };
        app.tell_time();
        if let Some(fleet) = init.fleet {
            app.take_fleet(fleet);
        }
        app
    }

    /// True when the screen is out of date.
    pub fn is_dirty(&self) -> bool {
        self.dirty
    }

    /// Notes that the screen is up to date.
    pub fn mark_drawn(&mut self) {
        self.dirty = false;
        self.dialog_drawn();
    }

    /// Time at which the screen changes next without a message; until then [`Msg::Now`] changes nothing. `None`
    /// = never.
    pub fn next_deadline(&self) -> Option<Timestamp> {
        self.deadline
    }

    /// Columns and rows of the terminal.
    pub fn size(&self) -> (u16, u16) {
        self.size
    }

    /// Sets the size of the terminal, as found when drawing.
    pub fn fit(&mut self, size: (u16, u16)) {
        self.size = size;
    }

    /// Rows of the frame's parts; `None` where the terminal is too small.
    pub fn layout(&self) -> Option<Layout> {
        Layout::of(self.size)
    }

    /// Theme, colours, characters.
    pub fn appearance(&self) -> Appearance {
        self.appearance
    }

    /// Intervals at which the sources are read.
    pub fn intervals(&self) -> &Intervals {
        &self.intervals
    }

    /// Keys in force.
    pub fn keymap(&self) -> &Keymap {
        &self.keymap
    }

    /// Origin of the data: live, cache, demo or a recording.
    pub fn mode(&self) -> Mode {
        self.mode
    }

    /// Current time.
    pub fn now(&self) -> Timestamp {
        self.now
    }

    /// True where mouse reporting is wanted.
    pub fn mouse(&self) -> bool {
        self.mouse
    }

    /// Newest fleet, even while the picture is frozen; `None` before any was read.
    pub fn latest(&self) -> Option<&Arc<Fleet>> {
        self.fleet.as_ref()
    }

    /// Fleet on screen; `None` before any was read.
    pub fn shown(&self) -> Option<&Arc<Fleet>> {
        self.frozen.as_ref().map_or(self.fleet.as_ref(), |f| f.fleet.as_ref())
    }

    /// GPUs on screen; `None` before any were read.
    pub fn gpus(&self) -> Option<&Arc<GpuFleet>> {
        self.frozen.as_ref().map_or(self.gpus.as_ref(), |f| f.gpus.as_ref())
    }

    /// Storage on screen; `None` before any was read.
    pub fn storage(&self) -> Option<&Arc<StorageFleet>> {
        self.frozen.as_ref().map_or(self.storage.as_ref(), |f| f.storage.as_ref())
    }

    /// Savings on screen; `None` before they were computed.
    pub fn savings(&self) -> Option<&Arc<Savings>> {
        self.frozen.as_ref().map_or(self.savings.as_ref(), |f| f.savings.as_ref())
    }

    /// True while the key `f` freezes the picture.
    pub(crate) fn is_frozen(&self) -> bool {
        self.frozen.is_some()
    }

    /// Age of the frozen picture; `None` while it is live.
    pub fn frozen_for(&self) -> Option<Age> {
        self.frozen.as_ref().map(|f| Age::between(f.at, self.now))
    }

    /// True until something newer than the cache arrives.
    pub fn is_from_cache(&self) -> bool {
        self.from_cache
    }

    /// Rows present and instances of the fleet, while not all rows are there: the first picture holds the worst
    /// ones, with the totals of all. `None` once complete.
    pub fn partly_loaded(&self) -> Option<(usize, usize)> {
        let fleet = self.shown()?;
        let all = fleet.totals.instances as usize;
        (fleet.rows.len() < all).then_some((fleet.rows.len(), all))
    }

    /// True when there is no instance to show: none exists, or none was read.
    pub fn is_empty(&self) -> bool {
        self.shown().is_none_or(|f| f.rows.is_empty())
    }

    /// Context that cells and spans are formatted with.
    pub fn view_context(&self) -> ViewContext {
        let now = self.frozen.as_ref().map_or(self.minute, |f| f.minute);
        ViewContext { now, symbols: self.appearance.symbols, width: None }
    }

    /// Accounts and regions of the fleet.
    pub fn extent(&self) -> &Extent {
        &self.extent
    }

    /// Accounts being read.
    pub fn accounts(&self) -> &[AccountInfo] {
        &self.accounts
    }

    /// State of the sources.
    pub fn sources(&self) -> &Sources {
        &self.sources
    }

    /// Cost of burntop's own calls today; `None` until it is known.
    pub fn own_cost(&self) -> Option<&crate::domain::OwnCost> {
        self.own_cost.as_ref()
    }

    /// The event log, oldest first.
    pub fn log(&self) -> &VecDeque<LogEntry> {
        &self.log
    }

    /// The last messages above the footer, oldest first.
    pub fn said(&self) -> &VecDeque<LogEntry> {
        &self.said
    }

    /// Name of the preset in use.
    pub fn preset(&self) -> &str {
        &self.preset
    }

    /// Presets to choose from: name, and one sentence on their source.
    pub fn presets(&self) -> &[(String, String)] {
        &self.presets
    }

    /// Cost of fetching the signals that the preset needs and the cache lacks, USD; `None` where none is
    /// missing.
    pub fn missing_usd(&self) -> Option<f64> {
        self.missing_usd
    }

    /// What is known of the burn before now; `None` where there is no past.
    pub fn burn_past(&self) -> Option<&Arc<BurnPast>> {
        self.burn_past.as_ref()
    }

    /// What the preset in force called idle some days ago, and what became of it; `None` while that is not known.
    pub fn looked_back(&self) -> Option<&DayCount> {
        self.looked_back.as_ref().filter(|(preset, _)| *preset == self.preset).map(|(_, day)| day)
    }

    /// Tab on screen, or below the page on screen.
    pub fn tab(&self) -> Tab {
        self.tab
    }

    /// Top page above the tab; `None` without one.
    pub fn page(&self) -> Option<&Opened> {
        self.pages.last()
    }

    /// Open chooser or question; `None` without one.
    pub fn popup(&self) -> Option<&Popup> {
        self.popup.as_ref()
    }

    /// Line being typed; `None` while nothing is.
    pub fn prompt(&self) -> Option<&Prompt> {
        self.prompt.as_ref()
    }

    /// Message above the footer; `None` without one.
    pub fn notice(&self) -> Option<&Notice> {
        self.notice.as_ref()
    }

    /// List of instances.
    pub fn table(&self) -> &List {
        &self.tabs.idle
    }

    /// Error of the credential chain, where nothing can be shown without credentials; else `None`.
    pub fn no_credentials(&self) -> Option<&str> {
        self.no_credentials.as_deref().filter(|_| self.shown().is_none_or(|f| f.rows.is_empty()))
    }

    /// Lines of the body, index of the first one on screen, and index of the one with the cursor, if any.
    pub fn text_body(&self) -> (&[Line], usize, Option<usize>) {
        let scroll = self.page().map_or(self.text_scroll, |p| p.scroll);
        let cursor = if self.pages.is_empty() { self.finding_line() } else { self.body.cursor };
        (&self.body.lines, scroll, cursor)
    }

    /// Dialog to draw; `None` without one.
    pub fn dialog_box(&self) -> Option<&DialogBox> {
        self.body.dialog.as_ref()
    }
}
