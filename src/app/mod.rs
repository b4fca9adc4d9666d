//! The cockpit as a state machine without a terminal: messages in, effects out.
//!
//! Nothing here waits, reads a clock or touches the world. [`App::update`] takes a message and
//! returns what is to be done; `ui::draw` draws what [`App`] holds. Every test of the cockpit
//! therefore runs without a terminal and with a fixed time.

#[macro_use]
mod either;

pub mod age;
mod appearance;
mod choosing;
pub mod command;
pub mod content;
mod effect;
#[cfg(test)]
pub(crate) mod fixture;
pub(crate) mod gpus;
mod init;
mod input;
mod keymap;
mod keys;
mod layout;
mod mouse;
mod msg;
mod page;
mod prepare;
mod prompt;
mod run;
pub(crate) mod savings;
#[cfg(test)]
mod scripts;
pub mod sheet;
mod sources;
pub(crate) mod storage;
mod table;
mod typing;
mod update;
pub(crate) mod whatif;

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;

pub use appearance::{Appearance, ColorDepth, Role, ThemeName};
pub use effect::{Confirmation, Effect, ExportFormat, GpuPicture, Picture, Regions, SavedView};
pub(crate) use either::{of_savings_table, of_storage_table, of_table};
pub use gpus::{GpuLook, Gpus, Heat, TRAIL, legend_lines};
pub use init::{AppInit, Extent};
pub use input::{History, LineEdit};
pub use keymap::{Action, ActionSpec, Context, Key, KeyError, Keymap, KeymapProblem};
pub use layout::{Layout, MINIMUM};
pub use mouse::tab_label;
pub use msg::{AccountInfo, Level, LogEntry, Mode, Msg, Notice, OwnCost};
pub use page::{Opened, Page, Popup, Tab};
pub use prompt::{Prompt, PromptError, PromptKind};
pub use savings::{SavingsLook, SavingsPage, SavingsRows, SavingsTab};
pub use sources::{Intervals, Progress, SourceStatus, Sources, Staleness, behind};
pub use storage::{
    ListHow, Listing, ListingState, Storage, StorageLook, StoragePage, StorageRows, TierSubject,
};
pub use table::{GUTTER, Marked, Placed, Placement, Table, TableLine, column_entries};
pub use whatif::{
    Area, DemandFrom, Plan, PlanChart, PlanOf, PlanPage, PlanPicture, PlanPrompt, Room, WhatIf,
};

use crate::act::plan::Rules;
use crate::fleet::gpu::GpuFleet;
use crate::fleet::{Fleet, Row, Savings, StorageFleet};
use crate::view::ViewContext;
use crate::view::overview::Overview;
use age::Age;
use content::sheet::dialog::Box as DialogBox;
use content::{Line, Target};
use sheet::Sheet;

/// What tells one overview from another: versions and moments of the fleet and of what is joined to it.
type OverviewOf = (u64, Option<Timestamp>, [Option<(u64, Option<Timestamp>)>; 3]);

/// The picture that `f` keeps.
#[derive(Clone, Debug)]
struct Frozen {
    fleet: Option<Arc<Fleet>>,
    gpus: Option<Arc<GpuFleet>>,
    storage: Option<Arc<StorageFleet>>,
    savings: Option<Arc<Savings>>,
    at: Timestamp,
    /// What spans were measured to at that moment.
    minute: Timestamp,
}

/// The lines of the page on screen, made anew by [`App::prepare`].
#[derive(Clone, Debug, Default)]
struct Body {
    lines: Vec<Line>,
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

/// The cockpit.
#[derive(Clone, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
pub struct App {
    mode: Mode,
    appearance: Appearance,
    keymap: Keymap,
    intervals: Intervals,
    presets: Vec<(String, String)>,
    preset: String,
    views: Vec<SavedView>,
    accounts: Vec<AccountInfo>,
    mouse: bool,
    size: (u16, u16),

    /// The newest fleet.
    fleet: Option<Arc<Fleet>>,
    /// The newest GPUs.
    gpus: Option<Arc<GpuFleet>>,
    /// The newest storage.
    storage: Option<Arc<StorageFleet>>,
    /// What could be saved, newest.
    savings: Option<Arc<Savings>>,
    frozen: Option<Frozen>,
    /// True until something newer than the cache has come.
    from_cache: bool,
    extent: Extent,
    sources: Sources,
    own_cost: Option<OwnCost>,
    refresh_usd: Option<f64>,
    missing_usd: Option<f64>,
    log: VecDeque<LogEntry>,
    rules: Arc<Rules>,
    no_credentials: Option<String>,

    tab: Tab,
    pages: Vec<Opened>,
    popup: Option<Popup>,
    prompt: Option<Prompt>,
    notice: Option<Notice>,
    table: Table,
    gpu_tab: Gpus,
    storage_tab: Storage,
    savings_tab: SavingsTab,
    whatif: WhatIf,
    sheet: Option<Sheet>,
    /// True after a quit that has to be said twice.
    quit_asked: bool,
    /// Line of the overview that the cursor is on, counted over lines that lead somewhere.
    finding: usize,
    overview_scroll: usize,
    filter_history: History,
    command_history: History,

    overview: Option<(OverviewOf, Overview)>,
    /// The overview of a fleet by version and moment, before anything is joined to it: GPUs are seen
    /// anew oftener than instances.
    bare_overview: Option<((u64, Option<Timestamp>), Overview)>,
    body: Body,

    /// How long the cockpit has run, by a clock that never goes back.
    uptime: Duration,
    now: Timestamp,
    /// `now` in whole minutes: what ages and spans in the body are measured to, so that nothing
    /// there changes each second.
    minute: Timestamp,
    deadline: Option<Timestamp>,
    dirty: bool,
}

impl App {
    /// Entries of the event log that are kept.
    const LOG_MAX: usize = 500;

    /// The cockpit as it starts.
    pub fn new(init: AppInit) -> Self {
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
            log: VecDeque::new(),
            rules: Arc::default(),
            no_credentials: None,
            tab: Tab::Overview,
            pages: Vec::new(),
            popup: None,
            prompt: None,
            notice: None,
            table: Table::default(),
            gpu_tab: Gpus::default(),
            storage_tab: Storage::default(),
            savings_tab: SavingsTab::default(),
            whatif: WhatIf::default(),
            sheet: None,
            quit_asked: false,
            finding: 0,
            overview_scroll: 0,
            filter_history: History::default(),
            command_history: History::default(),
            overview: None,
            bare_overview: None,
            body: Body::default(),
            uptime: Duration::ZERO,
            now: init.now,
            minute: init.now,
            deadline: None,
            dirty: true,
        };
        app.tell_time();
        if let Some(fleet) = init.fleet {
            app.take_fleet(fleet);
        }
        app
    }

    /// True when what is on screen is out of date.
    pub fn is_dirty(&self) -> bool {
        self.dirty
    }

    /// What is on screen is up to date.
    pub fn mark_drawn(&mut self) {
        self.dirty = false;
        self.dialog_drawn();
    }

    /// What is on screen is gone or garbled: draw again.
    pub fn mark_dirty(&mut self) {
        self.dirty = true;
    }

    /// When the screen changes next by time alone; until then [`Msg::Now`] changes nothing.
    pub fn next_deadline(&self) -> Option<Timestamp> {
        self.deadline
    }

    /// Columns and rows of the terminal.
    pub fn size(&self) -> (u16, u16) {
        self.size
    }

    /// The terminal turned out to have this size.
    pub fn fit(&mut self, size: (u16, u16)) {
        self.size = size;
    }

    /// Where the parts of the frame stand; `None` when the terminal is too small.
    pub fn layout(&self) -> Option<Layout> {
        Layout::of(self.size)
    }

    /// Theme, colours, symbols.
    pub fn appearance(&self) -> Appearance {
        self.appearance
    }

    /// How often the sources are meant to be read.
    pub fn intervals(&self) -> &Intervals {
        &self.intervals
    }

    /// The keys in force.
    pub fn keymap(&self) -> &Keymap {
        &self.keymap
    }

    /// Where data come from.
    pub fn mode(&self) -> Mode {
        self.mode
    }

    /// The time.
    pub fn now(&self) -> Timestamp {
        self.now
    }

    /// Whether mouse reporting is wanted.
    pub fn mouse(&self) -> bool {
        self.mouse
    }

    /// The newest fleet, also while the picture is frozen.
    pub fn latest(&self) -> Option<&Arc<Fleet>> {
        self.fleet.as_ref()
    }

    /// The fleet on screen.
    pub fn shown(&self) -> Option<&Arc<Fleet>> {
        self.frozen.as_ref().map_or(self.fleet.as_ref(), |f| f.fleet.as_ref())
    }

    /// The GPUs on screen.
    pub fn gpus(&self) -> Option<&Arc<GpuFleet>> {
        self.frozen.as_ref().map_or(self.gpus.as_ref(), |f| f.gpus.as_ref())
    }

    /// The age of the frozen picture.
    pub fn frozen_for(&self) -> Option<Age> {
        self.frozen.as_ref().map(|f| Age::between(f.at, self.now))
    }

    /// True until something newer than the cache has come.
    pub fn is_from_cache(&self) -> bool {
        self.from_cache
    }

    /// Rows on screen and instances of the fleet, where not all rows are there yet: the picture
    /// that paints first holds the worst ones, with the totals of all.
    pub fn partly_loaded(&self) -> Option<(usize, usize)> {
        let fleet = self.shown()?;
        let all = fleet.totals.instances as usize;
        (fleet.rows.len() < all).then_some((fleet.rows.len(), all))
    }

    /// True when there is no instance to show: none was read, or there is none.
    pub fn is_empty(&self) -> bool {
        self.shown().is_none_or(|f| f.rows.is_empty())
    }

    /// What cells and spans are rendered with.
    pub fn view_context(&self) -> ViewContext {
        let now = self.frozen.as_ref().map_or(self.minute, |f| f.minute);
        ViewContext { now, symbols: self.appearance.symbols }
    }

    /// Accounts and regions of the fleet.
    pub fn extent(&self) -> &Extent {
        &self.extent
    }

    /// The accounts read.
    pub fn accounts(&self) -> &[AccountInfo] {
        &self.accounts
    }

    /// How the sources are doing.
    pub fn sources(&self) -> &Sources {
        &self.sources
    }

    /// What burntop's own calls cost today, once known.
    pub fn own_cost(&self) -> Option<&OwnCost> {
        self.own_cost.as_ref()
    }

    /// The event log, oldest first.
    pub fn log(&self) -> &VecDeque<LogEntry> {
        &self.log
    }

    /// The preset in force.
    pub fn preset(&self) -> &str {
        &self.preset
    }

    /// Names of the presets, and where each comes from.
    pub fn presets(&self) -> &[(String, String)] {
        &self.presets
    }

    /// What fetching the signals would cost that the preset needs and the cache lacks, USD.
    pub fn missing_usd(&self) -> Option<f64> {
        self.missing_usd
    }

    /// The tab on screen or below the page on screen.
    pub fn tab(&self) -> Tab {
        self.tab
    }

    /// The page above the tab.
    pub fn page(&self) -> Option<&Opened> {
        self.pages.last()
    }

    /// What stands above page and tab.
    pub fn popup(&self) -> Option<&Popup> {
        self.popup.as_ref()
    }

    /// The line being typed.
    pub fn prompt(&self) -> Option<&Prompt> {
        self.prompt.as_ref()
    }

    /// A word in the status line.
    pub fn notice(&self) -> Option<&Notice> {
        self.notice.as_ref()
    }

    /// The table of instances.
    pub fn table(&self) -> &Table {
        &self.table
    }

    /// What the credential chain said when nothing can be read without credentials.
    pub fn no_credentials(&self) -> Option<&str> {
        self.no_credentials.as_deref().filter(|_| self.shown().is_none_or(|f| f.rows.is_empty()))
    }

    /// True when a table fills the body.
    pub fn shows_table(&self) -> bool {
        let idle = self.pages.is_empty() && self.tab == Tab::Idle;
        (idle && self.no_credentials().is_none())
            || self.shows_gpu_table()
            || self.shows_storage_table()
            || self.shows_savings_table()
    }

    /// The lines of the body where it is text, how far they are scrolled, and the line that the
    /// cursor is on.
    pub fn text_body(&self) -> (&[Line], usize, Option<usize>) {
        let scroll = self.page().map_or(self.overview_scroll, |p| p.scroll);
        let cursor = if self.pages.is_empty() { self.finding_line() } else { self.body.cursor };
        (&self.body.lines, scroll, cursor)
    }

    /// The dialog as it is to be drawn.
    pub fn dialog_box(&self) -> Option<&DialogBox> {
        self.body.dialog.as_ref()
    }

    /// The row that keys like `y` mean.
    pub fn current_row(&self) -> Option<&Arc<Row>> {
        let fleet = self.shown()?;
        let by_id = |id: &Arc<str>| fleet.rows.iter().find(|r| r.instance.id == *id);
        match self.page().map(|o| &o.page) {
            Some(Page::Why { instance, .. }) => by_id(instance),
            Some(Page::Gpu { .. }) => by_id(&self.instance_of_gpu()?.instance.id),
            Some(Page::Savings(_)) => by_id(&self.instance_of_saving()?),
            Some(_) => None,
            // What keys mean there is no instance.
            None if matches!(self.tab, Tab::Storage | Tab::WhatIf) => None,
            None if self.is_on_savings() => by_id(&self.instance_of_saving()?),
            None if self.tab == Tab::Gpus => by_id(&self.instance_of_gpu()?.instance.id),
            None if self.shows_table() => self.table.current(&fleet.rows),
            None => match self.body.lines.get(self.finding_in_sight()?)?.target.as_ref()? {
                Target::Instance(id) => by_id(id),
                Target::Gpus
                | Target::Storage(_)
                | Target::WhatIf
                | Target::Tab(_)
                | Target::List(_)
                | Target::Saving(_) => None,
            },
        }
    }
}
