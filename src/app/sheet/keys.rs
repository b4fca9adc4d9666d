//! Keys on the sheet and in its dialog.

use std::time::Duration;

use super::dialog::Reply;
use super::{Dialog, Stage};
use crate::act::plan::{told_command, uncommented};
use crate::app::keymap::{Action, Key};
use crate::app::{App, Effect, Level, Notice};
use crate::view::format;

impl App {
    /// Sets the time that the cockpit has run, from a monotonic clock.
    pub fn set_uptime(&mut self, uptime: Duration) {
        self.uptime = uptime;
    }

    /// What was drawn stands on the screen from now on.
    pub(in crate::app) fn dialog_drawn(&mut self) {
        let (uptime, fits) = (self.uptime, self.body.dialog_fits());
        if let Some(dialog) = self.dialog_mut().filter(|_| fits) {
            dialog.standing.drawn(uptime);
        }
    }

    /// The dialog has to be drawn anew before it takes keys.
    pub(in crate::app) fn dialog_gone(&mut self) {
        if let Some(dialog) = self.dialog_mut() {
            dialog.standing.gone();
        }
    }

    /// A key while the dialog is open. One that was pressed before the dialog stood does nothing,
    /// but for the one that leaves.
    pub(in crate::app) fn on_key_in_dialog(&mut self, key: Key) -> Vec<Effect> {
        let action = self.keymap.lookup(key, self.contexts());
        match action {
            Some(Action::Suspend) => return vec![Effect::Suspend],
            Some(Action::Redraw) => return vec![Effect::Redraw],
            Some(Action::Cancel) => {
                self.leave_dialog(None);
                return Vec::new();
            }
            _ => {}
        }
        if !self.dialog_listens() {
            return Vec::new();
        }
        let Some(dialog) = self.dialog_mut() else { return Vec::new() };
        let reply = match (action, key.text()) {
            (Some(action), _) => dialog.act(action),
            (None, Some(c)) => {
                dialog.type_in(c);
                Reply::Stay
            }
            (None, None) => Reply::Stay,
        };
        match reply {
            Reply::Stay => Vec::new(),
            Reply::Cancel => {
                self.leave_dialog(None);
                self.say(Notice::new(Level::Info, "cancelled: nothing was done"));
                Vec::new()
            }
            Reply::Answer(answer) => self.confirm(&answer),
        }
    }

    pub(in crate::app) fn on_paste_in_dialog(&mut self, text: &str) {
        if self.dialog_listens()
            && let Some(dialog) = self.dialog_mut()
        {
            dialog.paste(text);
        }
    }

    /// True when what is typed now was meant for the dialog.
    fn dialog_listens(&mut self) -> bool {
        let uptime = self.uptime;
        let listens = |dialog: &mut Dialog| dialog.standing.counts(uptime);
        let counts = self.dialog_mut().is_some_and(listens);
        if !counts {
            let text = if self.body.dialog_fits() {
                "dropped: typed before the dialog stood; pause, then answer"
            } else {
                "the window is too small for the dialog; esc leaves it"
            };
            self.say(Notice::new(Level::Warn, text));
        }
        counts
    }

    /// Does what a key means on the sheet; `None` for what it means on every page.
    pub(in crate::app) fn act_on_sheet(&mut self, action: Action) -> Option<Vec<Effect>> {
        let step = match action {
            Action::Down | Action::Up | Action::Top | Action::Bottom => self.distance(action),
            _ => None,
        };
        let reason = self.mark_reason();
        let sheet = self.sheet.as_mut()?;
        if !matches!(action, Action::Freeze | Action::Mouse) {
            sheet.word = None;
        }
        sheet.follow = step.is_some() || matches!(action, Action::Enter | Action::LeaveOut);
        match (&mut sheet.stage, action) {
            (Stage::Choose(choice), _) if step.is_some() => choice.step(step.unwrap_or(0)),
            (Stage::Review(review), _) if step.is_some() => review.step(step.unwrap_or(0)),
            (_, Action::LeaveOut) => return Some(self.leave_out()),
            (Stage::Choose(choice), Action::Enter | Action::GoOn) if choice.row().is_some() => {
                choice.go_to_action();
                sheet.follow = true;
            }
            (Stage::Choose(choice), Action::Enter | Action::GoOn) => match choice.chosen(&reason) {
                Ok(verb) => {
                    sheet.chosen = Some(choice.clone());
                    return Some(self.check(verb));
                }
                Err(word) => sheet.word = Some(word),
            },
            (Stage::Review(review), Action::Enter) if !review.on_button() => review.fold(),
            (Stage::Review(_), Action::Enter | Action::GoOn) => self.ask(),
            (Stage::Review(review), Action::Refresh) => {
                let verb = review.checked().plan.verb.clone();
                return Some(self.check(verb));
            }
            // What is refreshed here are the checks.
            (Stage::Checking(_), Action::Refresh) | (_, Action::GoOn | Action::Enter) => {}
            (Stage::Run(run), Action::CopyId) if run.is_over() => {
                let undo = run.undo();
                return Some(self.copy_undo(&undo));
            }
            (Stage::Run(_), Action::CopyId) => {
                let text = "the way back can be copied once the run has ended";
                self.say(Notice::new(Level::Warn, text));
            }
            (Stage::Run(run), Action::Actions) => {
                let Some(Ok(verified)) = run.ended() else { return None };
                let id = verified.run_id.as_str().into();
                self.go_to_action(id);
            }
            (_, Action::Back) => return sheet.back().then(Vec::new),
            _ => return None,
        }
        Some(Vec::new())
    }

    /// What the tag of a mark says where nobody gave another reason.
    pub(in crate::app) fn mark_reason(&self) -> String {
        let targets;
        let rows: Vec<_> = match &self.sheet {
            Some(sheet) if self.on_sheet() => sheet.rows_in().collect(),
            _ => {
                targets = self.target_rows();
                targets.iter().collect()
            }
        };
        let is_idle = |row: &std::sync::Arc<crate::fleet::Row>| {
            row.verdict.as_ref().is_none_or(|v| v.kind == crate::domain::VerdictKind::Idle)
        };
        let what = if rows.into_iter().all(is_idle) { "idle" } else { "idle or underused" };
        format!("{what} by preset {}", self.preset)
    }

    fn copy_undo(&mut self, undo: &[String]) -> Vec<Effect> {
        if undo.is_empty() {
            self.say(Notice::new(Level::Warn, "there is nothing to take back"));
            return Vec::new();
        }
        let lines = format::plural(undo.len(), "line");
        let text = format!("sent {lines} of the way back to the terminal's clipboard");
        self.say(Notice::new(Level::Info, text));
        vec![Effect::Copy(self.way_back_told(undo).join("\n"))]
    }

    /// Commands of a way back, with the profile of their account, or its name where there are several accounts.
    pub(crate) fn way_back_told(&self, commands: &[String]) -> Vec<String> {
        let known = |id: &str| {
            let account = self.accounts().iter().find(|account| *account.id == *id)?;
            Some((&*account.label, account.profile.as_deref()))
        };
        let has_several = self.accounts().len() > 1;
        let told = |command: &String| {
            let line = told_command(command, known);
            if has_several { line } else { uncommented(&line).to_owned() }
        };
        commands.iter().map(told).collect()
    }

    /// Ends the program; while something runs, only when it is asked for twice.
    pub(in crate::app) fn quit(&mut self, asked: bool) -> Vec<Effect> {
        let Some(run) = self.sheet.as_ref().filter(|s| s.is_running()).and_then(|s| s.run()) else {
            return vec![Effect::Quit];
        };
        if asked {
            return vec![Effect::Quit];
        }
        let key = self.keymap.keys(Action::Quit).first();
        let again = key.map_or_else(|| "quit again".to_owned(), |key| format!("{key} again"));
        let calls = format::plural(run.in_flight(), "call");
        let text = format!("{calls} may be in flight; {again} quits, the next start looks at them");
        self.quit_asked = true;
        self.say(Notice::new(Level::Warn, text));
        Vec::new()
    }
}
