//! From page to page of the sheet: what opens it, what each message brings, what ends it.

use std::collections::HashSet;
use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};

use super::dialog::{Dialog, Place};
use super::{MAX_ROWS, Review, Run, Sheet, Stage};
use crate::act::plan::{
    Answer, CHECKS_VALID_FOR, ConfirmError, Draft, Plan, Preflighted, Progress, Rules, Verb,
    Verified, draft, net,
};
use crate::app::effect::Confirmation;
use crate::app::{Action, App, Effect, Level, Notice, Page};
use crate::fleet::Row;

/// How long a plan of the screen is valid. It is checked at once and never leaves the session.
const PLAN_VALID_FOR: SignedDuration = SignedDuration::from_hours(1);

/// Text of the review for checks older than [`CHECKS_VALID_FOR`].
const TOO_OLD: &str = "the checks are more than 5 minutes old: r checks again";

impl App {
    /// The action sheet, even while another page is on screen; `None` without one.
    pub fn sheet(&self) -> Option<&Sheet> {
        self.sheet.as_ref()
    }

    /// Action rules of all accounts.
    pub fn rules(&self) -> &Rules {
        &self.rules
    }

    /// True while the sheet is in front.
    pub(in crate::app) fn on_sheet(&self) -> bool {
        self.sheet.is_some() && self.page().is_some_and(|o| matches!(o.page, Page::Sheet))
    }

    /// The confirmation dialog; `None` where none is open on screen.
    pub fn dialog(&self) -> Option<&Dialog> {
        match self.sheet.as_ref().map(Sheet::stage) {
            Some(Stage::Confirm(_, dialog)) if self.on_sheet() => Some(dialog),
            _ => None,
        }
    }

    pub(super) fn dialog_mut(&mut self) -> Option<&mut Dialog> {
        match self.sheet.as_mut().map(|s| &mut s.stage) {
            Some(Stage::Confirm(_, dialog)) => Some(dialog),
            _ => None,
        }
    }

    /// Opens the sheet; with `verb`, goes straight to its checks.
    pub(in crate::app) fn open_sheet(&mut self, verb: Option<Verb>) -> Vec<Effect> {
        self.prepare();
        // A run that has ended is in the way of no other; its end is shown while a line says so.
        let is_kept = |sheet: &Sheet| {
            sheet.run().is_some_and(|run| !run.is_over() || (verb.is_none() && !run.seen))
        };
        if self.sheet.as_ref().is_some_and(is_kept) {
            if verb.is_some() {
                self.say(Notice::new(Level::Warn, "one run at a time: this one has to end first"));
            }
            self.open(Page::Sheet);
            return Vec::new();
        }
        let rows = self.target_rows();
        if rows.is_empty() {
            self.say(Notice::new(Level::Warn, "there is no instance here to act on"));
            return Vec::new();
        }
        if rows.len() > MAX_ROWS {
            let count = crate::view::format::grouped(rows.len() as f64, 0);
            let text = format!(
                "{count} instances are too many to read here (at most {MAX_ROWS}): use burntop plan"
            );
            self.say(Notice::new(Level::Warn, text));
            return Vec::new();
        }
        let is_of_list = rows.len() > 1 && self.shows_table();
        let search = self.list().search().filter(|_| is_of_list).map(str::to_owned);
        self.sheet = Some(Sheet { search, ..Sheet::new(rows, self.now) });
        self.open(Page::Sheet);
        match verb {
            Some(verb) => self.check(verb),
            None => Vec::new(),
        }
    }

    /// The instances that an action is for: in the table the marked ones, else the one under the
    /// cursor; elsewhere the one that the page is about. As they are known now, worst first.
    pub(super) fn target_rows(&self) -> Vec<Arc<Row>> {
        let Some(fleet) = self.latest() else { return Vec::new() };
        let marked = self.shows_table().then(|| self.screen().marked_instances(self));
        let mut ids: HashSet<Arc<str>> = marked.into_iter().flatten().collect();
        if ids.is_empty() {
            ids.extend(self.current_row().map(|row| row.instance.id.clone()));
        }
        fleet.rows.iter().filter(|r| ids.contains(&r.instance.id)).cloned().collect()
    }

    /// Drafts a plan from what is known now and asks for its checks.
    pub(super) fn check(&mut self, verb: Verb) -> Vec<Effect> {
        let (Some(fleet), Some(sheet)) = (self.fleet.clone(), self.sheet.as_mut()) else {
            return Vec::new();
        };
        let ids: HashSet<&Arc<str>> = sheet.rows.iter().map(|r| &r.instance.id).collect();
        let rows: Vec<Arc<Row>> =
            fleet.rows.iter().filter(|r| ids.contains(&r.instance.id)).cloned().collect();
        let is_in = |row: &&Arc<Row>| !sheet.is_left_out(&row.instance.id);
        let borrowed: Vec<&Row> = rows.iter().filter(is_in).map(|r| &**r).collect();
        let words = Draft {
            verb,
            preset: &self.preset,
            filter: "",
            justification: "",
            valid_for: PLAN_VALID_FOR,
            now: self.now,
        };
        let Ok(plan) = draft(&fleet, &borrowed, &self.rules, &words) else {
            sheet.word = Some("none of these instances is in the fleet any more".into());
            return Vec::new();
        };
        let plan = Arc::new(plan);
        sheet.checked_at = sheet.row().map(|row| row.instance.id.clone());
        sheet.rows = rows;
        sheet.stage = Stage::Checking(plan.clone());
        vec![Effect::Preflight(plan)]
    }

    /// The checks are there. Those that nobody waits for any more are dropped.
    pub(in crate::app) fn on_preflighted(&mut self, checked: Arc<Preflighted>) {
        let (fleet, now) = (self.fleet.clone(), self.now);
        if let Some(sheet) = self.waiting_for(&checked.plan.clone()) {
            let together = |ids: &_| fleet.as_deref().and_then(|fleet| net(fleet, ids, now));
            let was_at = sheet.checked_at.take();
            let is_there = |row: &Arc<Row>| was_at.as_ref() == Some(&row.instance.id);
            let cursor = sheet.rows.iter().position(is_there).unwrap_or(0);
            let review = Review::new(checked, &sheet.rows, cursor);
            sheet.stage = Stage::Review(review.with_net(together));
            sheet.follow = true;
            self.top_of_sheet();
        }
    }

    /// The checks could not be made.
    pub(in crate::app) fn on_not_preflighted(&mut self, plan: &Arc<Plan>, why: String) {
        let now = self.now;
        if let Some(sheet) = self.waiting_for(plan) {
            let (search, left_out) = (sheet.search.take(), std::mem::take(&mut sheet.left_out));
            let rows = std::mem::take(&mut sheet.rows);
            *sheet = Sheet { search, left_out, ..Sheet::new(rows, now) };
            sheet.renew_choice();
            sheet.word = Some(why);
        }
    }

    /// The sheet that waits for the checks of exactly this plan.
    fn waiting_for(&mut self, plan: &Arc<Plan>) -> Option<&mut Sheet> {
        self.sheet
            .as_mut()
            .filter(|sheet| matches!(&sheet.stage, Stage::Checking(own) if Arc::ptr_eq(own, plan)))
    }

    fn top_of_sheet(&mut self) {
        let opened = self.pages.iter_mut().find(|o| matches!(o.page, Page::Sheet));
        if let Some(opened) = opened {
            opened.scroll = 0;
        }
    }

    /// Opens the dialog, if there is something that may be done.
    pub(super) fn ask(&mut self) {
        let (now, rules) = (self.now, &self.rules);
        let Some(sheet) = self.sheet.as_mut() else { return };
        let Stage::Review(review) = &sheet.stage else { return };
        if let Some(obstacle) = sheet.obstacle(review, rules) {
            sheet.word = Some(obstacle);
            sheet.follow = false;
            self.top_of_sheet();
            return;
        }
        if is_old(review.checked(), now) {
            sheet.word = Some(TOO_OLD.into());
            sheet.follow = false;
            self.top_of_sheet();
            return;
        }
        let dialog = Box::new(Dialog::new(review.checked().challenge()));
        sheet.stage = Stage::Confirm(review.clone(), dialog);
    }

    /// Leaves the dialog; nothing is confirmed.
    pub(super) fn leave_dialog(&mut self, word: Option<String>) {
        let Some(sheet) = self.sheet.as_mut() else { return };
        if let Stage::Confirm(review, _) = &sheet.stage {
            sheet.stage = Stage::Review(review.clone());
        }
        if word.is_some() {
            sheet.word = word;
            sheet.follow = false;
            self.top_of_sheet();
        }
    }

    /// The last word was said: mints the confirmation and hands it over at once.
    pub(super) fn confirm(&mut self, answer: &Answer) -> Vec<Effect> {
        let (now, rules) = (self.now, &self.rules);
        let Some(sheet) = self.sheet.as_mut() else { return Vec::new() };
        let Stage::Confirm(review, _) = &sheet.stage else { return Vec::new() };
        if let Some(obstacle) = sheet.obstacle(review, rules) {
            self.leave_dialog(Some(obstacle));
            return Vec::new();
        }
        let Stage::Confirm(review, dialog) = &mut sheet.stage else { return Vec::new() };
        match review.checked().confirm(answer, now) {
            Ok(confirmed) => {
                let confirmed = Arc::new(confirmed);
                sheet.stage = Stage::Run(Box::new(Run::new(confirmed.clone())));
                // What was marked for this is done with.
                for screen in crate::tabs::screens() {
                    if !screen.marked_instances(self).is_empty() {
                        screen.list_mut(self).unmark();
                    }
                }
                self.top_of_sheet();
                vec![Effect::Execute(Confirmation(confirmed))]
            }
            Err(error @ ConfirmError::Typed(_)) => {
                dialog.refuse(error.to_string(), Place::Phrase);
                Vec::new()
            }
            Err(error @ ConfirmError::Justification) => {
                dialog.refuse(error.to_string(), Place::Justification);
                Vec::new()
            }
            Err(ConfirmError::Stale) => {
                self.leave_dialog(Some(TOO_OLD.into()));
                Vec::new()
            }
            Err(error) => {
                self.leave_dialog(Some(error.to_string()));
                Vec::new()
            }
        }
    }

    /// Something happened in the run.
    pub(in crate::app) fn on_acting(&mut self, progress: &Progress) {
        if let Some(Stage::Run(run)) = self.sheet.as_mut().map(|s| &mut s.stage)
            && !run.is_over()
        {
            run.take(progress);
        }
    }

    /// The run ended. Where its page is not on screen, a line says so for a while.
    pub(in crate::app) fn on_acted(&mut self, ended: Result<Arc<Verified>, String>) {
        let now = self.now;
        let Some(Stage::Run(run)) = self.sheet.as_mut().map(|s| &mut s.stage) else { return };
        run.end(ended, now);
        if !self.on_sheet() {
            let key = self.key_of_end();
            let text = self.run_in_words().unwrap_or_default();
            self.say(Notice::new(Level::Info, format!("{text}{key}")));
        }
        self.set_deadline();
    }

    /// ` (a shows it)`, with the key in force: that of the list of actions where the other one acts on what is
    /// marked; empty where that list shows it already.
    fn key_of_end(&self) -> String {
        if self.tabs.actions.is_on {
            return String::new();
        }
        let action = if self.has_marked() { Action::Actions } else { Action::Act };
        let key = self.keymap.keys(action).first();
        key.map_or_else(String::new, |key| format!("  ({key} shows it)"))
    }

    /// True where instances are marked in the list on screen.
    fn has_marked(&self) -> bool {
        self.shows_table() && !self.screen().marked_instances(self).is_empty()
    }

    /// Notes a key: the end of a run is told for a few of them.
    pub(in crate::app) fn count_key_of_run(&mut self) {
        if self.prompt.is_some() || self.popup.is_some() {
            return;
        }
        if let Some(Stage::Run(run)) = self.sheet.as_mut().map(|s| &mut s.stage) {
            run.take_key();
        }
    }

    /// Progress of a run in a few words, for other pages; `None` without a run, and when its end was seen or told.
    pub fn run_in_words(&self) -> Option<String> {
        let run = self.sheet.as_ref()?.run().filter(|run| !run.seen)?;
        let verb = run.confirmed().plan().verb.word();
        let all = run.standings().len();
        Some(match run.ended() {
            None => format!("{verb}: {} of {all} settled", run.finished()),
            Some(Ok(_)) => {
                use crate::act::plan::OutcomeKind::Done;
                format!("{verb} has ended: {} of {all} done", run.count(Done))
            }
            Some(Err(_)) => format!("{verb} has ended with an error"),
        })
    }

    /// True when the sheet on screen shows the run in full.
    pub fn pages_show_run(&self) -> bool {
        self.on_sheet()
    }

    /// Drops, after each message, a sheet that is no longer shown, unless it runs or its end is still to be told. The
    /// list of actions shows the end as well; and what is marked anew is what the key of the sheet is for.
    pub(in crate::app) fn after_update_sheet(&mut self) {
        let is_below = self.tabs.actions.lies_over_sheet();
        let open = is_below || self.pages.iter().any(|o| matches!(o.page, Page::Sheet));
        let shown = self.on_sheet() || self.tabs.actions.is_on;
        let is_over = self.sheet.as_ref().and_then(Sheet::run).is_some_and(Run::is_over);
        let goes_on = is_over && self.has_marked();
        let words = self.run_in_words().filter(|_| is_over);
        let now = self.now;
        let Some(sheet) = self.sheet.as_mut() else { return };
        if let Stage::Run(run) = &mut sheet.stage {
            let is_told = run.is_told(now);
            // The line must not name a key that does something else by now.
            if is_told
                && let (Some(notice), Some(words)) = (&self.notice, &words)
                && notice.text.starts_with(&**words)
            {
                self.notice = None;
            }
            run.seen |= is_over && (shown || goes_on || is_told);
            if open || !run.seen {
                return;
            }
        }
        if !open {
            self.sheet = None;
        }
    }

    /// When the page of the sheet, or what is told of it elsewhere, changes by time alone.
    pub(in crate::app) fn sheet_changes_at(&self) -> Option<Timestamp> {
        let sheet = self.sheet.as_ref()?;
        if let Some(run) = sheet.run() {
            return run.told_until();
        }
        let checked = sheet.checked()?;
        Some(
            crate::app::age::Age::between(checked.checked_at, self.now)
                .changes_at(checked.checked_at),
        )
    }
}

/// True when the checks are too old to be confirmed.
pub(super) fn is_old(checked: &Preflighted, now: Timestamp) -> bool {
    now.duration_since(checked.checked_at).abs() > CHECKS_VALID_FOR
}
