//! What is derived: once per fleet, once per deadline, once per frame.

use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};

use super::age::Age;
use super::content::{self, Line};
use super::{App, Body, Extent, Page, Sources};
use crate::act::plan::foresee;
use crate::domain::Reading;
use crate::fleet::Fleet;

impl App {
    /// Updates all that is drawn: order of rows, lines of pages, scrolling. Called before drawing; does nothing
    /// when nothing changed.
    pub fn prepare(&mut self) {
        self.sync_table();
        let Some(layout) = self.layout() else { return };
        for screen in crate::tabs::screens() {
            screen.sum_up(self);
        }
        if self.pages.is_empty() && self.screen().prepare(self) {
            // What another page left is no line of this one: the position in it is not shown here.
            self.body = Body::default();
            return;
        }
        if self.shows_table() {
            // One line is the heading.
            let height = self.inner_layout().unwrap_or(layout).body_height.saturating_sub(1);
            self.list_mut().scroll_into(usize::from(height));
            return;
        }
        if self.pages.is_empty() && std::mem::replace(&mut self.text_of, self.tab) != self.tab {
            (self.text_cursor, self.text_scroll) = (0, 0);
        }
        let width = usize::from(layout.width.saturating_sub(2));
        self.body.dialog = None;
        (self.body.lines, self.body.cursor) = self.body_lines(width);
        self.show_cursor();
        self.prepare_sheet(width);
        let last = self.last_scroll();
        if let Some(opened) = self.pages.last_mut() {
            opened.scroll = opened.scroll.min(last);
            return;
        }
        self.text_cursor = self.text_cursor.min(self.findings().saturating_sub(1));
        self.text_scroll = self.text_scroll.min(last);
    }

    /// True where nothing can be read without credentials, and nothing is there to see.
    pub(super) fn shows_welcome(&self) -> bool {
        let screen = self.screen();
        self.pages.is_empty()
            && screen.needs_account()
            && !screen.is_drawn(self)
            && self.no_credentials().is_some()
    }

    /// Lines that fill the body, and the index of the one under a cursor of its own.
    fn body_lines(&self, width: usize) -> (Vec<Line>, Option<usize>) {
        if let Some((page, of)) = self.page_with_screen() {
            return of.page_with_cursor(self, page, width);
        }
        let lines = match self.page().map(|o| &o.page) {
            None if self.shows_welcome() => {
                content::welcome::lines(self, self.no_credentials().unwrap_or_default(), width)
            }
            None => self.screen().lines(self, width),
            Some(Page::Help) => content::help::lines(self, &self.help, width),
            Some(Page::Log) => content::log::lines(self, width),
            Some(Page::OwnCost) => content::own_cost::lines(self.own_cost(), width),
            // The sheet is made with its cursor.
            Some(_) => Vec::new(),
        };
        (lines, None)
    }

    /// The lines of the action sheet, the one under the cursor in sight, and its dialog.
    fn prepare_sheet(&mut self, width: usize) {
        let Some(sheet) = self.sheet.as_ref().filter(|_| self.on_sheet()) else { return };
        let page = content::sheet::page(self, sheet, width);
        let follows = sheet.follows();
        self.body.dialog = self.dialog().map(|d| content::sheet::dialog::of(self, sheet, d));
        if !self.body.dialog_fits() {
            self.dialog_gone();
        }
        self.body.lines = page.lines;
        self.body.cursor = page.cursor.as_ref().map(|lines| lines.start);
        let height = self.body_height();
        if let (Some(block), Some(opened)) =
            (page.cursor.filter(|_| follows), self.pages.last_mut())
        {
            // The whole block where it fits, its first line in any case.
            let lowest = block.end.saturating_sub(height);
            opened.scroll = opened.scroll.max(lowest).min(block.start);
            // What stands above the first line one can go to belongs to it.
            if Some(block.start) == page.first {
                opened.scroll = opened.scroll.min(block.end.saturating_sub(height));
            }
        }
    }

    /// Scrolls the page so that the line of its cursor is on screen. Scrolling further down shows what
    /// stands below; a key that moves the cursor comes back to it.
    fn show_cursor(&mut self) {
        let height = self.body_height();
        if let (Some(cursor), Some(opened)) = (self.body.cursor, self.pages.last_mut()) {
            opened.scroll = opened.scroll.max((cursor + 1).saturating_sub(height));
        }
    }

    /// Lines of a page of text that are on screen.
    pub(super) fn body_height(&self) -> usize {
        self.layout().map_or(0, |l| usize::from(l.body_height))
    }

    /// The first line on screen when the page is scrolled to its end.
    pub(super) fn last_scroll(&self) -> usize {
        self.body.lines.len().saturating_sub(self.body_height())
    }

    /// Index of the overview's line under the cursor; `None` where it is not on screen.
    pub(crate) fn finding_in_sight(&self) -> Option<usize> {
        let seen = self.text_scroll..self.text_scroll + self.body_height();
        self.finding_line().filter(|l| seen.contains(l))
    }

    /// Scrolls the overview so that the cursor is on screen.
    pub(super) fn show_finding(&mut self) {
        if let Some(line) = self.finding_line() {
            let lowest = (line + 1).saturating_sub(self.body_height());
            self.text_scroll = self.text_scroll.min(line).max(lowest);
        }
    }

    /// Number of lines of the overview that lead somewhere.
    pub(super) fn findings(&self) -> usize {
        self.body.lines.iter().filter(|l| l.target.is_some()).count()
    }

    /// Line of the overview under the cursor; `None` without one.
    pub(super) fn finding_line(&self) -> Option<usize> {
        let mut lines = self.body.lines.iter().enumerate();
        lines.by_ref().filter(|(_, l)| l.target.is_some()).nth(self.text_cursor).map(|(i, _)| i)
    }

    /// Updates the lists of the tab on screen from their data.
    pub(crate) fn sync_table(&mut self) {
        self.screen().sync(self);
        self.sync_instances();
    }

    /// Takes a fleet in. Costs a walk over its rows, no more; nothing where only the readings are
    /// new.
    pub(super) fn take_fleet(&mut self, fleet: Arc<Fleet>) {
        let made_from = |f: &Fleet| (f.version, f.as_of, f.readings.len());
        if self.fleet.as_deref().map(made_from) != Some(made_from(&fleet)) {
            self.extent = Extent::of(&fleet);
        }
        let before = self.fleet.replace(fleet);
        self.foresee();
        // Rows of a version that lists have already are not read anew for what time alone has changed.
        if let (Some(before), Some(now)) = (&before, &self.fleet)
            && before.version == now.version
            && before.rows.iter().map(|r| &r.obstacles).ne(now.rows.iter().map(|r| &r.obstacles))
        {
            self.foreseen += 1;
        }
        self.fold_sources();
    }

    /// Puts beside each idle instance what would keep it from being stopped, as far as it is known by now; true where that is
    /// other than before.
    fn foresee(&mut self) -> bool {
        // What the last run knew says nothing of now: neither what blocks, nor that nothing does.
        let Some(fleet) = self.fleet.as_ref().filter(|_| !self.from_cache) else { return false };
        let foreseen = foresee(fleet, self.gpus.as_deref(), &self.rules, self.now);
        let is_new = foreseen.is_some();
        self.fleet = foreseen.or(self.fleet.take());
        is_new
    }

    /// The same for the fleet that is here, after news that rows depend on.
    pub(crate) fn foresee_again(&mut self) {
        self.foreseen += u64::from(self.foresee());
    }

    /// Summarises the newest reading of each source, for the header.
    pub(crate) fn fold_sources(&mut self) {
        let of_fleet = self.fleet.iter().flat_map(|f| &f.readings);
        let of_storage = self.storage.iter().flat_map(|s| &s.readings);
        let of_savings = self.savings.iter().flat_map(|s| &s.readings);
        let readings = Reading::merged(of_fleet.chain(of_storage).chain(of_savings));
        self.sources = Sources::fold(&readings, &self.intervals, self.now);
        self.set_deadline();
    }

    /// Brings everything that depends on the time up to date.
    pub(super) fn tell_time(&mut self) {
        let seconds = self.now.as_second();
        self.minute = Timestamp::from_second(seconds - seconds.rem_euclid(60)).unwrap_or(self.now);
        self.fold_sources();
    }

    /// Finds the time at which the screen next changes without a message.
    pub(crate) fn set_deadline(&mut self) {
        // Spans in the body move by the minute; a frozen or empty body does not.
        let holds = self.fleet.is_some() || self.gpus.is_some() || self.storage.is_some();
        let next_minute = (holds && !self.is_frozen())
            .then(|| self.minute.saturating_add(SignedDuration::from_mins(1)).ok())
            .flatten();
        let banner = self.frozen.as_ref().map(|f| Age::between(f.at, self.now).changes_at(f.at));
        let checks = self.sheet_changes_at();
        let all = [self.sources.changes_at, next_minute, banner, checks];
        self.deadline = all.into_iter().flatten().min();
    }
}
