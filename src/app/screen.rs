//! What fills the body: a tab, or the lists behind one. The cockpit asks the screen that is on, and
//! knows none of them by name.

use std::sync::Arc;

use super::command::CommandSpec;
use super::content::Line;
use super::keymap::{Action, Context};
use super::{App, Effect, Layout, List, ListSpec, Page, Picture, Tab};
use crate::fleet::Row;
use crate::report::Format;
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

    /// Somebody went to a tab, this one or another.
    fn on_tab_change(&self, _app: &mut App) {}

    /// The contexts whose keys are in force.
    fn contexts(&self, app: &App) -> &'static [Context];

    /// The keys that the footer names.
    fn hints(&self, app: &App) -> Hints;

    /// What a key does there that means something else elsewhere; `None` for one that means the same
    /// everywhere.
    fn act_first(&self, _app: &mut App, _action: Action) -> Option<Vec<Effect>> {
        None
    }

    /// The commands that are its own, in the order of the help.
    fn commands(&self) -> &'static [CommandSpec] {
        &[]
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

    /// What the wheel does, where it neither steps through a table nor scrolls lines; false for nothing.
    fn wheel(&self, _app: &mut App, _lines: isize) -> bool {
        false
    }

    /// What a click into the body does, where that is neither a table nor lines: at a column and row of
    /// the terminal, and a line of the body below the strip.
    fn click(&self, _app: &mut App, _at: (u16, u16), _line: u16) -> Option<Vec<Effect>> {
        None
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

    /// Lines above its table or map, at most so many columns wide.
    fn strip(&self, _app: &App, _width: usize) -> Vec<Line> {
        Vec::new()
    }

    /// How many of them at most, above a body of so many lines: what it is for keeps most of the room.
    fn strip_height(&self, _app: &App, body: u16) -> u16 {
        body.saturating_sub(3) / 3
    }

    /// The lists that it shows, in their order.
    fn lists(&self) -> Vec<&'static ListSpec> {
        Vec::new()
    }

    /// False where there is nothing to filter, to sort, to choose columns of.
    fn has_list(&self) -> bool {
        true
    }

    /// The list that keys and commands about lists mean: where the screen has none, that of the
    /// instances.
    fn list<'a>(&self, app: &'a App) -> &'a List {
        &app.tabs.idle
    }

    /// The same, to change it.
    fn list_mut<'a>(&self, app: &'a mut App) -> &'a mut List {
        &mut app.tabs.idle
    }

    /// Shows the list that commands about lists mean.
    fn go_to_list(&self, app: &mut App) {
        match self.lists().first() {
            Some(spec) => (spec.show)(app),
            None => app.go_to_tab(Tab::Idle),
        }
    }

    /// Brings rows and order of its list up to date; costs nothing when nothing changed.
    fn sync(&self, _app: &mut App) {}

    /// Brings up to date what is neither a table nor lines; true where there is nothing else.
    fn prepare(&self, _app: &mut App) -> bool {
        false
    }

    /// Brings up to date what other screens tell of it as well; costs nothing when nothing changed.
    fn sum_up(&self, _app: &mut App) {}

    /// Asks for what it needs now and did not ask for yet; called after each message.
    fn settle(&self, _app: &mut App, _effects: &mut Vec<Effect>) {}

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

    /// The instances that are marked on it.
    fn marked_instances(&self, _app: &App) -> Vec<Arc<str>> {
        Vec::new()
    }

    /// What the row is known by that keys mean, to copy: its name in the notice, and the text.
    fn id_to_copy(&self, app: &App) -> Option<(String, String)> {
        let id = app.current_row()?.instance.id.to_string();
        Some((id.clone(), id))
    }

    /// The row that keys mean with all fields, to copy, and what it is known by.
    fn row_to_copy(&self, app: &App) -> Option<(Arc<str>, Picture)> {
        let id = app.current_row()?.instance.id.clone();
        let picture = app.instance_picture(&id)?;
        Some((id, picture))
    }

    /// What is on screen, as it is exported; `None` where that is nothing.
    fn picture(&self, _app: &App) -> Option<Picture> {
        None
    }

    /// The format that an export begins with.
    fn export_format(&self) -> Format {
        Format::Csv
    }

    /// What an export is called in the name of its file.
    fn export_stem(&self, _app: &App, picture: &Picture) -> String {
        picture.view().to_owned()
    }

    /// Why what is on screen cannot be written in a format, if it cannot.
    fn check_export(&self, app: &App, _format: Format) -> Result<(), String> {
        let nothing = || "there is nothing here to export".to_owned();
        app.picture().map(|_| ()).ok_or_else(nothing)
    }

    /// Keeps under a name how its list is looked at; an error says why that is not possible.
    fn save(&self, app: &mut App, name: &str) -> Result<Vec<Effect>, String> {
        Ok(app.save_view(name))
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

    /// The same, with the line that a cursor of the page's own is on, which stays in sight.
    fn page_with_cursor(&self, app: &App, page: &Page, width: usize) -> (Vec<Line>, Option<usize>) {
        (self.page_lines(app, page, width), None)
    }

    /// What a page shows, as it is exported.
    fn page_picture(&self, _app: &App, _page: &Page) -> Option<Picture> {
        None
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

    /// The lines above the table or map on screen.
    pub fn strip(&self) -> Vec<Line> {
        let drawn = self.is_drawn_by_screen().then(|| self.layout()).flatten();
        let Some(layout) = drawn else { return Vec::new() };
        let screen = self.screen();
        let mut lines = screen.strip(self, usize::from(layout.width.saturating_sub(2)));
        lines.truncate(usize::from(screen.strip_height(self, layout.body_height)));
        lines
    }

    /// The frame with the strip taken off the body.
    pub fn inner_layout(&self) -> Option<Layout> {
        let layout = self.layout()?;
        let strip = self.strip().len() as u16;
        let (body_top, body_height) = (layout.body_top + strip, layout.body_height - strip);
        Some(Layout { body_top, body_height, ..layout })
    }

    /// What is on screen, as it is exported: a page, else what fills the body.
    pub(super) fn picture(&self) -> Option<Picture> {
        match self.page() {
            Some(_) => self.page_with_screen().and_then(|(page, of)| of.page_picture(self, page)),
            None => self.screen().picture(self),
        }
    }

    /// The screen that keys belong to: that of the page, else what fills the body; `None` on the pages
    /// of the cockpit itself.
    pub(super) fn screen_in_front(&self) -> Option<&'static dyn Screen> {
        match self.page() {
            Some(opened) => opened.page.screen(),
            None => Some(self.screen()),
        }
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
