//! What fills the body: a tab, or the lists behind one. The cockpit asks the screen that is on, and
//! knows none of them by name.

use std::sync::Arc;

use super::content::Line;
use super::keymap::{Action, Context};
use super::{App, Effect, List, Page, Tab};
use crate::fleet::Row;
use crate::tabs::screen_on;
use crate::view::ViewContext;

/// Keys that the footer names, most important first, with a label where the action's own is too
/// general.
pub type Hints = &'static [(Action, &'static str)];

/// The keys of a page that says nothing of its own.
pub(crate) const PAGE_HINTS: Hints =
    &[(Action::Back, ""), (Action::Down, ""), (Action::PageDown, "")];

/// The contexts of a page that has no keys of its own.
pub(crate) const PAGE_CONTEXTS: &[Context] = &[Context::Main, Context::Move, Context::Any];

/// A tab, or the lists behind one: what it is called, what its keys do, what it shows. Its state is
/// the cockpit's; nothing here draws. What is said of pages holds for those above the screen that
/// are its own.
pub trait Screen: Sync {
    /// The tab whose body it fills.
    fn tab(&self) -> Tab;

    /// True where it fills the body of its tab now.
    fn is_on(&self, app: &App) -> bool {
        app.tab == self.tab()
    }

    /// True where there is something to show: its tab is in the bar.
    fn is_listed(&self, _app: &App) -> bool {
        true
    }

    /// False where there may be something to see without a cloud account.
    fn needs_account(&self) -> bool {
        true
    }

    /// Goes there, as from a line that leads to it.
    fn follow(&self, app: &mut App) -> Vec<Effect> {
        app.go_to_tab(self.tab());
        Vec::new()
    }

    /// The action whose key opens it.
    fn key(&self) -> Option<Action> {
        None
    }

    /// Goes there by its key.
    fn open(&self, app: &mut App) -> Vec<Effect> {
        self.follow(app)
    }

    /// The contexts whose keys are in force.
    fn contexts(&self, app: &App) -> &'static [Context];

    /// The keys that the footer names.
    fn hints(&self, app: &App) -> Hints;

    /// What a key does there that means something else elsewhere; `None` for one that means the same
    /// everywhere.
    fn act_first(&self, _app: &mut App, _action: Action) -> Option<Vec<Effect>> {
        None
    }

    /// The actions of these contexts are the screen's: [`Screen::act`] does them.
    fn owns(&self) -> Option<Context> {
        None
    }

    /// What a key does that belongs to the screen.
    fn act(&self, _app: &mut App, _action: Action) -> Vec<Effect> {
        Vec::new()
    }

    /// What `enter` does.
    fn enter(&self, app: &mut App) -> Vec<Effect>;

    /// One step back; false where there is none.
    fn back(&self, _app: &mut App) -> bool {
        false
    }

    /// True where a table fills the body.
    fn shows_table(&self, _app: &App) -> bool {
        false
    }

    /// True where it is drawn by code of its own: a table, a map, charts. Elsewhere it is
    /// [`Screen::lines`].
    fn is_drawn(&self, app: &App) -> bool {
        self.shows_table(app)
    }

    /// The list that commands about lists mean: its own, else that of the instances.
    fn list<'a>(&self, app: &'a App) -> &'a List {
        &app.table
    }

    /// The same, to change it.
    fn list_mut<'a>(&self, app: &'a mut App) -> &'a mut List {
        &mut app.table
    }

    /// Shows the list that commands about lists mean: its own, else that of the instances.
    fn go_to_list(&self, app: &mut App) {
        app.go_to_tab(Tab::Idle);
    }

    /// Brings rows and order of its list up to date; costs nothing when nothing changed.
    fn sync(&self, _app: &mut App) {}

    /// Brings up to date what is neither a table nor lines; true where there is nothing else.
    fn prepare(&self, _app: &mut App) -> bool {
        false
    }

    /// The body as text.
    fn lines(&self, _app: &App, _width: usize) -> Vec<Line> {
        Vec::new()
    }

    /// What cells are rendered with.
    fn context(&self, app: &App) -> ViewContext {
        app.view_context()
    }

    /// The instance that keys mean.
    fn row<'a>(&self, _app: &'a App) -> Option<&'a Arc<Row>> {
        None
    }

    /// Other accounts from here on: what is known of the old ones goes.
    fn forget(&self, _app: &mut App) {}

    /// The contexts whose keys are in force on a page.
    fn page_contexts(&self, _page: &Page) -> &'static [Context] {
        PAGE_CONTEXTS
    }

    /// The keys that the footer names on a page.
    fn page_hints(&self, _page: &Page) -> Hints {
        PAGE_HINTS
    }

    /// What a key does on a page that means something else elsewhere.
    fn act_on_page(&self, _app: &mut App, _action: Action) -> Option<Vec<Effect>> {
        None
    }

    /// What `enter` does on a page.
    fn enter_page(&self, _app: &mut App) -> Vec<Effect> {
        Vec::new()
    }

    /// The lines of a page.
    fn page_lines(&self, _app: &App, _page: &Page, _width: usize) -> Vec<Line> {
        Vec::new()
    }

    /// The instance that keys mean on a page.
    fn page_row<'a>(&self, _app: &'a App, _page: &Page) -> Option<&'a Arc<Row>> {
        None
    }
}

impl App {
    /// What fills the body, or would without a page.
    pub fn screen(&self) -> &'static dyn Screen {
        screen_on(self)
    }

    /// The page above the screen with the screen that it belongs to.
    pub(super) fn page_with_screen(&self) -> Option<(&Page, &'static dyn Screen)> {
        let page = &self.page()?.page;
        Some((page, page.screen()?))
    }

    /// The tabs that there is something to show in, in the order of their numbers.
    pub fn tabs(&self) -> impl Iterator<Item = Tab> {
        Tab::all().filter(|tab| tab.screen().is_listed(self))
    }

    /// True where the body is drawn by code of the screen's own.
    pub fn is_drawn_by_screen(&self) -> bool {
        self.pages.is_empty() && self.screen().is_drawn(self)
    }

    /// True when a table fills the body.
    pub fn shows_table(&self) -> bool {
        self.pages.is_empty() && self.screen().shows_table(self)
    }

    /// The list that commands about lists mean.
    pub fn list(&self) -> &List {
        self.screen().list(self)
    }

    /// The same, to change it.
    pub(crate) fn list_mut(&mut self) -> &mut List {
        self.screen().list_mut(self)
    }

    /// What the cells of the table on screen are rendered with.
    pub fn table_context(&self) -> ViewContext {
        self.screen().context(self)
    }

    /// The instance with this id, where it is on screen.
    pub(crate) fn instance(&self, id: &str) -> Option<&Arc<Row>> {
        self.shown()?.rows.iter().find(|row| *row.instance.id == *id)
    }

    /// The row that keys like `y` mean.
    pub fn current_row(&self) -> Option<&Arc<Row>> {
        match self.page() {
            Some(_) => self.page_with_screen().and_then(|(page, of)| of.page_row(self, page)),
            None => self.screen().row(self),
        }
    }

    /// The keys that the footer names for the page or the screen that is on.
    pub fn hints(&self) -> Hints {
        match self.page() {
            Some(_) => self.page_with_screen().map_or(PAGE_HINTS, |(page, of)| of.page_hints(page)),
            None if self.shows_welcome() => &[(Action::Demo, ""), (Action::Quit, "")],
            None => self.screen().hints(self),
        }
    }
}
