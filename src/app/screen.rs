//! What fills the body: a tab, or the lists behind one. The cockpit asks the screen that is on, and
//! knows none of them by name.

use std::sync::Arc;

use super::command::CommandSpec;
use super::content::{Line, filtered};
use super::keymap::{Action, Context};
use super::{App, Effect, Layout, List, ListSpec, Page, Picture, Tab};
use crate::fleet::Row;
use crate::report::Format;
use crate::tabs::screen_on;
use crate::view::ViewContext;

/// Keys for the footer, most important first, with a label where the action's own is too general.
pub type Hints = &'static [(Action, &'static str)];

/// Keys of a page that names none itself.
pub(crate) const PAGE_HINTS: Hints =
    &[(Action::Back, ""), (Action::Down, ""), (Action::PageDown, "")];

/// Keys of the help, by what the key for all keys does.
static HELP_HINTS: [[(Action, &str); 5]; 2] = [help_hints(""), help_hints("this page's keys")];

const fn help_hints(all: &'static str) -> [(Action, &'static str); 5] {
    [
        (Action::SearchHelp, ""),
        (Action::AllHelp, all),
        (Action::Back, ""),
        (Action::Down, ""),
        (Action::PageDown, ""),
    ]
}

/// Contexts of a page without keys of its own.
pub(crate) const PAGE_CONTEXTS: &[Context] = &[Context::Main, Context::Move, Context::Any];

/// A tab, or a group of lists behind one: its names, keys, lists and content. State is in [`App`], and nothing
/// here draws. Methods about pages concern the pages that belong to this screen.
pub trait Screen: Sync {
    /// Tab whose body it fills.
    fn tab(&self) -> Tab;

    /// True while it fills the body of its tab.
    fn is_on(&self, app: &App) -> bool {
        app.tab == self.tab()
    }

    /// Title behind the tabs, for a screen that lies over whatever tab is on; `None` for the others.
    fn title(&self) -> Option<&'static str> {
        None
    }

    /// False where it may show something without a cloud account.
    fn needs_account(&self) -> bool {
        true
    }

    /// Brings it on screen from a line that leads to it.
    fn follow(&self, app: &mut App) -> Vec<Effect> {
        app.go_to_tab(self.tab());
        Vec::new()
    }

    /// Action whose key opens it; `None` without one.
    fn key(&self) -> Option<Action> {
        None
    }

    /// Brings it on screen by its key.
    fn open(&self, app: &mut App) -> Vec<Effect> {
        self.follow(app)
    }

    /// Called whenever the tab changes, to this one or another.
    fn on_tab_change(&self, _app: &mut App) {}

    /// Contexts whose keys are in force.
    fn contexts(&self, app: &App) -> &'static [Context];

    /// Keys for the footer.
    fn hints(&self, app: &App) -> Hints;

    /// False for a key that would do nothing with what is on screen: the footer leaves it out.
    fn offers(&self, _app: &App, _action: Action) -> bool {
        true
    }

    /// Handles keys that mean something else on this screen; `None` = the key has its usual meaning.
    fn act_first(&self, _app: &mut App, _action: Action) -> Option<Vec<Effect>> {
        None
    }

    /// Commands of the screen, in the order of the help.
    fn commands(&self) -> &'static [CommandSpec] {
        &[]
    }

    /// Words that stand on it, each with a sentence, for its help; the search of the help finds them too.
    fn glossary(&self) -> Vec<(&'static str, &'static str)> {
        Vec::new()
    }

    /// Contexts whose actions this screen handles in [`Screen::act`].
    fn owns(&self) -> &'static [Context] {
        &[]
    }

    /// Handles an action of its own contexts.
    fn act(&self, _app: &mut App, _action: Action) -> Vec<Effect> {
        Vec::new()
    }

    /// Handles `enter`.
    fn enter(&self, app: &mut App) -> Vec<Effect>;

    /// How many steps deep one has gone in, beyond its lists: `esc` takes them back one by one.
    fn level(&self, _app: &App) -> usize {
        0
    }

    /// Goes one step back; false where there is none.
    fn back(&self, _app: &mut App) -> bool {
        false
    }

    /// Handles the wheel where it neither steps through a list nor scrolls lines; false where it does nothing.
    fn wheel(&self, _app: &mut App, _lines: isize) -> bool {
        false
    }

    /// Handles a click into a body that is neither a list nor lines: `at` = column and row of the terminal,
    /// `line` = line of the body below the strip.
    fn click(&self, _app: &mut App, _at: (u16, u16), _line: u16) -> Option<Vec<Effect>> {
        None
    }

    /// True where a list fills the body.
    fn shows_table(&self, _app: &App) -> bool {
        false
    }

    /// True where code in `draw/` draws the body: a list, a map, charts; else [`Screen::lines`] gives it.
    fn is_drawn(&self, app: &App) -> bool {
        self.shows_table(app)
    }

    /// What the rows of its list are counted as, where that is not what they are of: `rows, 34 of 1,010.75 GPUs`; `None` for
    /// the noun of the list.
    fn counted(&self, _app: &App) -> Option<String> {
        None
    }

    /// Lines above its list or map, at most `width` columns wide.
    fn strip(&self, _app: &App, _width: usize) -> Vec<Line> {
        Vec::new()
    }

    /// Most lines of the strip above a body of `body` lines.
    fn strip_height(&self, _app: &App, body: u16) -> u16 {
        body.saturating_sub(3) / 3
    }

    /// The lists that it shows, in their order.
    fn lists(&self) -> Vec<&'static ListSpec> {
        Vec::new()
    }

    /// False without a list to filter, sort or choose columns of.
    fn has_list(&self) -> bool {
        true
    }

    /// The list that keys and commands about lists mean: where the screen has none, that of the
    /// instances.
    fn list<'a>(&self, app: &'a App) -> &'a List {
        &app.tabs.idle
    }

    /// The list that keys and commands apply to, mutable.
    fn list_mut<'a>(&self, app: &'a mut App) -> &'a mut List {
        &mut app.tabs.idle
    }

    /// Brings the list that keys and commands apply to on screen.
    fn go_to_list(&self, app: &mut App) {
        match self.lists().first() {
            Some(spec) => (spec.show)(app),
            None => app.go_to_tab(Tab::Idle),
        }
    }

    /// Updates rows and order of its list; does nothing when nothing changed.
    fn sync(&self, _app: &mut App) {}

    /// Updates content that is neither a list nor lines; true where it has nothing else.
    fn prepare(&self, _app: &mut App) -> bool {
        false
    }

    /// Updates what other screens show of it; does nothing when nothing changed.
    fn sum_up(&self, _app: &mut App) {}

    /// Asks for what it needs now and did not ask for yet; called after each message.
    fn after_update(&self, _app: &mut App, _effects: &mut Vec<Effect>) {}

    /// Body as text, `width` columns wide.
    fn lines(&self, _app: &App, _width: usize) -> Vec<Line> {
        Vec::new()
    }

    /// Context that cells are formatted with.
    fn context(&self, app: &App) -> ViewContext {
        app.view_context()
    }

    /// Instance that keys apply to; `None` without one.
    fn row<'a>(&self, _app: &'a App) -> Option<&'a Arc<Row>> {
        None
    }

    /// Marked instances, by id.
    fn marked_instances(&self, _app: &App) -> Vec<Arc<str>> {
        Vec::new()
    }

    /// Marked rows that stand for an instance, by the ids of its list: the instance's own, where they are instances.
    fn marks_of(&self, app: &App, instance: &Arc<str>) -> Vec<Arc<str>> {
        let mut marked = self.marked_instances(app);
        marked.retain(|id| id == instance);
        marked
    }

    /// Id of the row that keys apply to, to be copied: its noun for the notice, and the text.
    fn id_to_copy(&self, app: &App) -> Option<(String, String)> {
        let id = app.current_row()?.instance.id.to_string();
        Some((id.clone(), id))
    }

    /// Row that keys apply to with all fields, to be copied, and its id.
    fn row_to_copy(&self, app: &App) -> Option<(Arc<str>, Picture)> {
        let id = app.current_row()?.instance.id.clone();
        let picture = app.instance_picture(&id)?;
        Some((id, picture))
    }

    /// Content of the screen as a report; `None` where there is nothing to export.
    fn picture(&self, _app: &App) -> Option<Picture> {
        None
    }

    /// Default format of an export.
    fn export_format(&self) -> Format {
        Format::Csv
    }

    /// First part of an export's file name.
    fn export_stem(&self, _app: &App, picture: &Picture) -> String {
        picture.view().to_owned()
    }

    /// Fails with the reason where the screen's content cannot be written in a format.
    fn check_export(&self, app: &App, _format: Format) -> Result<(), String> {
        let nothing = || "there is nothing here to export".to_owned();
        app.picture().map(|_| ()).ok_or_else(nothing)
    }

    /// Keeps an export back until what it is of has been made, and says so; false where it can be written at once.
    fn export_waits(&self, _app: &mut App, _format: Format, _path: &str) -> bool {
        false
    }

    /// Saves filter, order and columns of its list under a name. Fails with the reason.
    fn save(&self, app: &mut App, name: &str) -> Result<Vec<Effect>, String> {
        Ok(app.save_view(name))
    }

    /// What is kept under this name already, which [`Screen::save`] would replace: `view mine`; `None` where nothing is.
    fn replaces(&self, app: &App, name: &str) -> Option<String> {
        let view = app.views.iter().find(|view| view.name == name)?;
        Some(format!("view {}", view.name))
    }

    /// Drops all data of the accounts shown so far; called when others are read.
    fn forget(&self, _app: &mut App) {}

    /// Contexts whose keys are in force on a page.
    fn page_contexts(&self, _page: &Page) -> &'static [Context] {
        PAGE_CONTEXTS
    }

    /// Keys for the footer on a page.
    fn page_hints(&self, _page: &Page) -> Hints {
        PAGE_HINTS
    }

    /// The same, where they depend on what the page shows.
    fn page_hints_now(&self, _app: &App, page: &Page) -> Hints {
        self.page_hints(page)
    }

    /// Handles keys that mean something else on a page; `None` = the key has its usual meaning.
    fn act_on_page(&self, _app: &mut App, _action: Action) -> Option<Vec<Effect>> {
        None
    }

    /// Handles `enter` on a page.
    fn enter_page(&self, _app: &mut App) -> Vec<Effect> {
        Vec::new()
    }

    /// Lines of a page, `width` columns wide.
    fn page_lines(&self, _app: &App, _page: &Page, _width: usize) -> Vec<Line> {
        Vec::new()
    }

    /// Lines of a page, with the index of the line under the page's own cursor, which stays in sight.
    fn page_with_cursor(&self, app: &App, page: &Page, width: usize) -> (Vec<Line>, Option<usize>) {
        (self.page_lines(app, page, width), None)
    }

    /// Picture of a page for export; `None` where it cannot be exported.
    fn page_picture(&self, _app: &App, _page: &Page) -> Option<Picture> {
        None
    }

    /// Instance that keys apply to on a page; `None` without one.
    fn page_row<'a>(&self, _app: &'a App, _page: &Page) -> Option<&'a Arc<Row>> {
        None
    }
}

impl App {
    /// The screen that fills the body, or would without a page.
    pub fn screen(&self) -> &'static dyn Screen {
        screen_on(self)
    }

    /// Page above the screen and the screen that it belongs to; `None` without a page, and for a page of the cockpit
    /// itself.
    pub(super) fn page_with_screen(&self) -> Option<(&Page, &'static dyn Screen)> {
        let page = &self.page()?.page;
        Some((page, page.screen()?))
    }

    /// True where code in `draw/` draws the body.
    pub fn is_drawn_by_screen(&self) -> bool {
        self.pages.is_empty() && self.screen().is_drawn(self)
    }

    /// True when a list fills the body.
    pub fn shows_table(&self) -> bool {
        self.pages.is_empty() && self.screen().shows_table(self)
    }

    /// List that commands apply to.
    pub fn list(&self) -> &List {
        self.screen().list(self)
    }

    /// The list that commands apply to, mutable.
    pub(crate) fn list_mut(&mut self) -> &mut List {
        self.screen().list_mut(self)
    }

    /// Lines above the list or map on screen.
    pub fn strip(&self) -> Vec<Line> {
        let drawn = self.is_drawn_by_screen().then(|| self.layout()).flatten();
        let Some(layout) = drawn else { return Vec::new() };
        let screen = self.screen();
        let mut lines = screen.strip(self, usize::from(layout.width.saturating_sub(2)));
        lines.truncate(usize::from(screen.strip_height(self, layout.body_height)));
        // What the filter leaves comes first, where the list keeps its heading and some rows.
        let has_room = lines.len() + 4 < usize::from(layout.body_height);
        if has_room && screen.shows_table(self) {
            let width = usize::from(layout.width.saturating_sub(2));
            let below = !lines.is_empty();
            if let Some(line) = filtered::line(self, screen.list(self), below, width) {
                lines.insert(0, line);
            }
        }
        lines
    }

    /// Layout of the frame with the strip taken off the body; `None` where the terminal is too small.
    pub fn inner_layout(&self) -> Option<Layout> {
        let layout = self.layout()?;
        let strip = self.strip().len() as u16;
        let (body_top, body_height) = (layout.body_top + strip, layout.body_height - strip);
        Some(Layout { body_top, body_height, ..layout })
    }

    /// Picture of what is on screen, for export: a page, else what fills the body. `None` where nothing can be
    /// exported.
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

    /// Context that the cells of the list on screen are formatted with.
    pub fn table_context(&self) -> ViewContext {
        self.screen().context(self)
    }

    /// The instance with this id in the fleet on screen; `None` where it is not there.
    pub(crate) fn instance(&self, id: &str) -> Option<&Arc<Row>> {
        self.shown()?.rows.iter().find(|row| *row.instance.id == *id)
    }

    /// Instance that keys such as `y` apply to; `None` without one.
    pub fn current_row(&self) -> Option<&Arc<Row>> {
        match self.page() {
            Some(_) => self.page_with_screen().and_then(|(page, of)| of.page_row(self, page)),
            None => self.screen().row(self),
        }
    }

    /// False for a key that would do nothing with what is on screen.
    pub fn offers(&self, action: Action) -> bool {
        self.screen_in_front().is_none_or(|screen| screen.offers(self, action))
    }

    /// Keys for the footer of the page or screen shown, beside those that are not offered now.
    pub fn hints(&self) -> Hints {
        match self.page() {
            Some(opened) if matches!(opened.page, Page::Help) => {
                &HELP_HINTS[usize::from(self.help.all)]
            }
            Some(_) => self
                .page_with_screen()
                .map_or(PAGE_HINTS, |(page, of)| of.page_hints_now(self, page)),
            None if self.shows_welcome() => &[(Action::Demo, ""), (Action::Quit, "")],
            None => self.screen().hints(self),
        }
    }
}
