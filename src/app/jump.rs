//! A line, a key or a command leads to another list, and `esc` there leads back.

use super::content::Target;
use super::{App, Effect, Opened, SavingsList, Tab, list_of, lists};

/// Ways that are kept.
const MAX_JUMPS: usize = 64;

/// What fills the body: the tab, the name of its list, and the filter of that.
#[derive(Clone, Debug, PartialEq)]
struct Place {
    tab: Tab,
    /// `None` where no list has a name.
    list: Option<&'static str>,
    filter: String,
}

impl Place {
    /// True for the same list, whatever its filter.
    fn is_list(&self, other: &Self) -> bool {
        (self.tab, self.list) == (other.tab, other.list)
    }
}

/// What leads to another list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum How {
    /// A line, to rows that it tells of.
    Line,
    /// A command.
    Command,
    /// A key that goes from list to list of a tab: however often it is pressed, `esc` comes back to where that began.
    Turn,
}

/// A way to another list: where it came from, and what it led to.
#[derive(Clone, Debug)]
pub(super) struct Jump {
    how: How,
    /// Where it came from.
    from: Place,
    /// The list of savings that was on there; `None` for the overview.
    look: Option<SavingsList>,
    /// Pages that were open there.
    pages: Vec<Opened>,
    /// Cursor and first line of the text there.
    text: (usize, usize),
    /// What it led to.
    to: Place,
    /// Pages open right after it.
    depth: usize,
    /// How far the screen was gone into right after it.
    level: usize,
    /// Filter of the list that it led to, from before.
    former: String,
}

impl App {
    fn place(&self) -> Place {
        let list = self.list();
        let spec = lists().find(|spec| std::ptr::eq((spec.list)(self), list));
        let name = spec.map(|spec| spec.name);
        Place { tab: self.tab, list: name, filter: list.filter_text().to_owned() }
    }

    /// Goes to the target of a line. Where that is another list or tab, `esc` comes back from it.
    pub(crate) fn go_to_target(&mut self, target: Target) -> Vec<Effect> {
        self.go_by(How::Line, |app| app.follow_target(target))
    }

    /// Does what may lead to another list or tab, from which `esc` comes back.
    pub(super) fn go_by(
        &mut self,
        how: How,
        go: impl FnOnce(&mut Self) -> Vec<Effect>,
    ) -> Vec<Effect> {
        let from = self.place();
        let former: Vec<(&'static str, String)> =
            lists().map(|spec| (spec.name, (spec.list)(self).filter_text().to_owned())).collect();
        let (look, pages) = (self.tabs.savings.look, self.pages.clone());
        let text = (self.text_cursor, self.text_scroll);
        let jumps = std::mem::take(&mut self.jumps);
        let was_over = self.tabs.actions.is_on;
        let effects = go(self);
        self.jumps = jumps;
        // The list of actions lies over all others, and goes back by itself.
        if was_over || self.tabs.actions.is_on {
            return effects;
        }
        let to = self.place();
        if to == from || (how != How::Line && to.is_list(&from)) {
            return effects;
        }
        let (depth, level) = (self.pages.len(), self.screen().level(self));
        if how == How::Turn
            && let Some(last) = self.jumps.last_mut()
            && last.how == How::Turn
            && last.to.is_list(&from)
        {
            if last.from.is_list(&to) {
                self.jumps.pop();
            } else {
                (last.to, last.depth, last.level) = (to, depth, level);
            }
            return effects;
        }
        let former = former.into_iter().find(|(name, _)| Some(*name) == to.list);
        let former = former.map(|(_, filter)| filter).unwrap_or_default();
        self.jumps.push(Jump { how, from, look, pages, text, to, depth, level, former });
        let surplus = self.jumps.len().saturating_sub(MAX_JUMPS);
        self.jumps.drain(..surplus);
        effects
    }

    /// Turns from the guide, which stands among the lists of savings, to one of them; `None` for the overview. The guide is a
    /// step of the turning, and nothing to come back to.
    pub(crate) fn turn_from_guide(&mut self, look: Option<SavingsList>) -> Vec<Effect> {
        self.pages.pop();
        self.go_by(How::Turn, |app| {
            app.go_to_savings(look);
            Vec::new()
        })
    }

    fn follow_target(&mut self, target: Target) -> Vec<Effect> {
        match target {
            Target::Instance(instance) => return self.open_why(instance),
            Target::Tab(tab) => return tab.screen().follow(self),
            Target::List(list) => {
                self.go_to_savings(list);
                self.list_mut().start_over();
            }
            Target::Saving(page) => self.open_saving(page),
            Target::Network(id, kind) => self.open_live_path(&id, kind),
            Target::Bill(page) => self.open(super::Page::Bill(page)),
            Target::Storage(subject) => self.go_to_subject(&subject),
            Target::Filtered(list, filter) => {
                let effects = self.follow_target(*list);
                // A map has no rows to filter.
                if self.is_drawn_by_screen() && !self.shows_table() {
                    self.screen().go_to_list(self);
                }
                // A filter that cannot be parsed leaves the one that was there.
                let _ = self.list_mut().filter_by(filter);
                // What was asked for begins at its first row, wherever the cursor of the list was.
                self.list_mut().start_over();
                return effects;
            }
        }
        Vec::new()
    }

    /// Forgets the jumps from lines: another filter than theirs is in force.
    pub(super) fn forget_lines(&mut self) {
        self.jumps.retain(|jump| jump.how != How::Line);
    }

    /// True where what a jump led to is on screen as it was then: rows of a line by their filter, a list without any.
    fn is_at_end_of(&self, jump: &Jump) -> bool {
        let here = self.place();
        let is_place = match jump.how {
            How::Line => here == jump.to,
            // A filter goes first.
            How::Command | How::Turn => {
                here.is_list(&jump.to) && (here.filter.is_empty() || !self.shows_table())
            }
        };
        is_place && self.pages.len() <= jump.depth && self.screen().level(self) <= jump.level
    }

    /// Goes back to where the last jump came from, and gives the list that a line led to its former filter; false where
    /// there was none, and where what it led to looks otherwise by now: that goes one step back by itself.
    pub(super) fn come_back(&mut self) -> bool {
        let is_there = self.jumps.last().is_some_and(|jump| self.is_at_end_of(jump));
        if !is_there || (self.shows_table() && self.list().has_range()) {
            return false;
        }
        let Some(jump) = self.jumps.pop() else { return false };
        if jump.how == How::Line
            && let Some(spec) = jump.to.list.and_then(list_of)
        {
            let list = (spec.list_mut)(self);
            if list.filter_text() != jump.former && list.filter_by(&jump.former).is_err() {
                list.clear_filter();
            }
        }
        let jumps = std::mem::take(&mut self.jumps);
        self.stays_on_tab = jump.how != How::Line && self.tab == jump.from.tab;
        self.go_to_tab(jump.from.tab);
        self.look_at_savings(jump.look);
        if self.place().list != jump.from.list
            && let Some(spec) = jump.from.list.and_then(list_of)
        {
            (spec.show)(self);
        }
        self.stays_on_tab = false;
        (self.jumps, self.pages) = (jumps, jump.pages);
        (self.text_cursor, self.text_scroll, self.text_of) =
            (jump.text.0, jump.text.1, jump.from.tab);
        true
    }
}

#[cfg(test)]
mod tests {
    use crate::app::App;
    use crate::app::content::Target;
    use crate::app::fixture::{app, press};
    use crate::tabs::Tab;

    const SIZE: (u16, u16) = (80, 24);

    /// Tab, filter of the list, and whether a page is open.
    fn here(app: &mut App) -> (&'static str, String, bool) {
        app.prepare();
        (app.tab().title(), app.list().filter_text().to_owned(), app.page().is_some())
    }

    fn at(tab: &'static str, filter: &str) -> (&'static str, String, bool) {
        (tab, filter.to_owned(), false)
    }

    fn text(app: &mut App) -> (usize, Option<usize>) {
        app.prepare();
        let (_, top, cursor) = app.text_body();
        (top, cursor)
    }

    /// On the row of what is idle, with `filter` in force on the list that the row leads to.
    fn on_idle_row(filter: &str) -> App {
        let mut app = app(SIZE);
        press(&mut app, &format!("3/{filter}<enter>1"));
        app.prepare();
        press(&mut app, "gjjj");
        app
    }

    #[test]
    fn esc_comes_back_from_a_jump_and_gives_the_list_its_former_filter() {
        for former in ["team=nlp", ""] {
            let mut app = on_idle_row(former);
            let before = text(&mut app);
            press(&mut app, "<enter>");
            assert_eq!(here(&mut app), at("Idle", "verdict=idle"));
            // Pages opened there are closed first.
            press(&mut app, "<enter>");
            assert!(here(&mut app).2);
            press(&mut app, "<esc>");
            assert_eq!(here(&mut app), at("Idle", "verdict=idle"));
            press(&mut app, "<esc>");
            assert_eq!(here(&mut app).0, "Overview");
            assert_eq!(text(&mut app), before, "the cursor is where it was");
            assert_eq!(app.table().filter_text(), former);
            // There is nothing more to come back from.
            press(&mut app, "<esc><esc>");
            assert_eq!(here(&mut app).0, "Overview");
        }
    }

    #[test]
    fn what_a_line_leads_to_begins_at_its_top() {
        let mut app = app(SIZE);
        press(&mut app, "3/state=running<enter>G");
        app.prepare();
        assert!(app.table().cursor() > 0, "there are several");
        press(&mut app, "1");
        app.prepare();
        press(&mut app, "g<enter>");
        assert_eq!(here(&mut app), at("Idle", "state=running"));
        assert_eq!((app.table().cursor(), app.table().top()), (0, 0));
    }

    #[test]
    fn text_of_another_tab_begins_at_its_top() {
        let mut app = crate::tabs::savings::state::fixture::app((80, 12));
        app.prepare();
        press(&mut app, "<pgdn><pgdn>");
        assert!(text(&mut app).0 > 0);
        // Nothing was read of it: it says what to configure.
        press(&mut app, "8");
        assert_eq!(text(&mut app).0, 0);
    }

    #[test]
    fn a_filter_typed_meanwhile_and_other_ways_forget_the_jump() {
        let mut app = on_idle_row("team=nlp");
        press(&mut app, "<enter>/<ctrl-u>team=data<enter><esc>");
        assert_eq!(here(&mut app), at("Idle", ""));
        press(&mut app, "<esc>");
        assert_eq!(here(&mut app), at("Idle", ""));
        for leave in ["13", "<tab><shift-tab>"] {
            let mut app = on_idle_row("team=nlp");
            press(&mut app, "<enter>");
            press(&mut app, leave);
            assert_eq!(here(&mut app), at("Idle", "verdict=idle"), "{leave}");
            press(&mut app, "<esc>");
            assert_eq!(here(&mut app), at("Idle", ""), "{leave}: the filter goes, as everywhere");
            press(&mut app, "<esc>");
            assert_eq!(here(&mut app), at("Idle", ""), "{leave}");
        }
        // One that was only looked at does not.
        let mut app = on_idle_row("team=nlp");
        press(&mut app, "<enter>/<ctrl-u>team=data<esc><esc>");
        assert_eq!(here(&mut app).0, "Overview");
    }

    #[test]
    fn a_range_and_a_narrower_filter_go_before() {
        let mut app = on_idle_row("");
        press(&mut app, "<enter>");
        app.prepare();
        press(&mut app, "V<esc>");
        assert_eq!(here(&mut app), at("Idle", "verdict=idle"));
        press(&mut app, "<esc>");
        assert_eq!(here(&mut app).0, "Overview");
        press(&mut app, "<enter>");
        app.prepare();
        press(&mut app, ".t");
        assert_ne!(here(&mut app), at("Idle", "verdict=idle"));
        press(&mut app, "<esc>");
        assert_eq!(here(&mut app), at("Idle", "verdict=idle"));
        press(&mut app, "<esc>");
        assert_eq!(here(&mut app).0, "Overview");
    }

    #[test]
    fn a_jump_to_a_tab_without_a_filter_comes_back_too() {
        for tab in Tab::all().filter(|tab| tab.title() != "Overview") {
            let mut app = crate::tabs::savings::state::fixture::app(SIZE);
            app.prepare();
            press(&mut app, "<pgdn>");
            let before = text(&mut app);
            app.go_to_target(Target::Tab(tab));
            assert_eq!(here(&mut app).0, tab.title());
            press(&mut app, "<esc>");
            assert_eq!(here(&mut app).0, "Overview", "{tab:?}");
            assert_eq!(text(&mut app), before, "{tab:?}");
        }
    }

    #[test]
    fn a_list_of_savings_and_the_page_of_a_finding_lead_back_to_the_overview() {
        let mut app = crate::tabs::savings::state::fixture::app(SIZE);
        app.prepare();
        let of_savings = |target: &Target| match target {
            Target::Filtered(of, _) => matches!(**of, Target::List(_)),
            target => matches!(target, Target::List(_) | Target::Saving(_)),
        };
        let lines = app.text_body().0.to_vec();
        let targets = lines.into_iter().filter_map(|line| line.target).filter(of_savings);
        let targets: Vec<Target> = targets.collect();
        assert!(targets.iter().any(|target| matches!(target, Target::Saving(_))));
        assert!(targets.iter().any(|target| matches!(target, Target::Filtered(..))));
        for target in targets {
            app.go_to_target(target.clone());
            app.prepare();
            assert!(app.is_on_savings(), "{target:?}");
            press(&mut app, "<esc>");
            assert_eq!(here(&mut app), at("Overview", ""), "{target:?}");
            assert!(!app.is_on_savings(), "{target:?}");
        }
    }

    #[test]
    fn a_finding_of_storage_leads_back_with_the_filter_of_its_list() {
        let mut app = crate::tabs::storage::state::fixture::app(SIZE);
        app.prepare();
        let lines = app.text_body().0.to_vec();
        let is_ours = |target: &Target| matches!(target, Target::Storage(_));
        let targets: Vec<Target> =
            lines.into_iter().filter_map(|line| line.target).filter(is_ours).collect();
        assert!(!targets.is_empty());
        for target in targets {
            app.go_to_target(target.clone());
            assert_eq!(here(&mut app), at("Storage", ""), "{target:?}");
            press(&mut app, "<esc>");
            assert_eq!(here(&mut app).0, "Overview", "{target:?}");
        }
    }

    /// Name of the list on screen.
    fn list(app: &mut App) -> &'static str {
        app.prepare();
        app.place().list.unwrap_or("none")
    }

    #[test]
    fn esc_comes_back_to_where_the_turning_of_lists_began_and_then_further() {
        let mut app = crate::tabs::storage::state::fixture::app(SIZE);
        press(&mut app, "4:storage findings<enter>");
        let from = list(&mut app);
        press(&mut app, "oo");
        assert_ne!(list(&mut app), from);
        press(&mut app, "<esc>");
        assert_eq!((list(&mut app), app.tab().title()), (from, "Storage"));
        // The command is one step more.
        press(&mut app, "<esc>");
        assert_eq!(list(&mut app), "buckets");
        press(&mut app, "<esc>");
        assert_eq!((list(&mut app), app.tab().title()), ("buckets", "Storage"));
        // There and back again is no step.
        press(&mut app, ":storage findings<enter>oO");
        assert_eq!(list(&mut app), from);
        press(&mut app, "<esc>");
        assert_eq!(list(&mut app), "buckets");
    }

    #[test]
    fn a_filter_goes_before_the_list_that_a_key_led_to() {
        let mut app = crate::tabs::storage::state::fixture::app(SIZE);
        press(&mut app, "4:storage ebs<enter>O/a<enter>");
        let there = list(&mut app);
        press(&mut app, "<esc>");
        assert_eq!((list(&mut app), app.list().filter_text()), (there, ""));
        press(&mut app, "<esc>");
        assert_ne!(list(&mut app), there);
    }

    #[test]
    fn esc_comes_back_from_a_command_to_the_page_that_it_was_typed_on() {
        let mut app = app(SIZE);
        press(&mut app, "3<enter>");
        assert!(here(&mut app).2);
        press(&mut app, ":gpus<enter>");
        assert_eq!(here(&mut app).0, "GPUs");
        press(&mut app, "<esc>");
        assert_eq!(here(&mut app), ("Idle", String::new(), true));
        // The number of a tab is a way without return.
        press(&mut app, "<esc>2<esc>");
        assert_eq!(here(&mut app).0, "GPUs");
    }

    #[test]
    fn from_the_idle_instances_a_key_leads_to_the_resources_and_esc_back() {
        let mut app = crate::tabs::savings::state::fixture::app(SIZE);
        press(&mut app, "3o");
        assert!(app.is_on_savings());
        press(&mut app, "<esc>");
        assert_eq!((here(&mut app).0, app.is_on_savings()), ("Idle", false));
    }

    #[test]
    fn turning_through_the_guide_begins_nothing_new() {
        let ways =
            [("ooooooOO", "resources"), ("ooooooOOOOO", "commitments"), ("OOO", "resources")];
        for (keys, there) in ways {
            let mut app = crate::tabs::savings::state::fixture::app(SIZE);
            press(&mut app, keys);
            assert_eq!(list(&mut app), there, "{keys}");
            press(&mut app, "<esc>");
            assert_eq!(here(&mut app), at("Overview", ""), "{keys}");
            assert!(!app.is_on_savings(), "{keys}");
        }
    }

    #[test]
    fn coming_back_within_a_tab_reads_nothing_again() {
        use crate::tabs::jobs::state::fixture;
        let mut app = fixture::app(SIZE);
        let first = list(&mut app);
        fixture::go(&mut app, &["o"]);
        assert_ne!(list(&mut app), first);
        assert_eq!(fixture::asked(&press(&mut app, "<esc>")), []);
        assert_eq!(list(&mut app), first);
    }
}
