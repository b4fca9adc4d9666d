//! What is copied of the selected attempts: the commands that stop them, and one message to each of their users.

use std::sync::Arc;

use super::JobsList;
use crate::app::{App, Effect, Level, Notice};
use crate::tabs::jobs::pages::{can_be_stopped, messages, stop_command};
use crate::tabs::jobs::picture::{JobRow, JobsPicture};
use crate::view::format;

/// The attempts that are selected, those hidden by the filter among them.
pub(super) struct Selected {
    jobs: Arc<JobsPicture>,
    /// Those that run or wait.
    open: Vec<Arc<JobRow>>,
    /// Those that are over, and those of which nobody knows.
    over: Vec<Arc<JobRow>>,
    /// Number of them that the filter hides.
    hidden: usize,
}

impl Selected {
    /// What must be known of those that are left out, and of those that are not seen: `; 1 is over and left out`; empty for nothing.
    fn beside(&self, is_left_out: bool) -> String {
        let mut parts = String::new();
        let (over, hidden) = (self.over.len(), self.hidden);
        if is_left_out && over > 0 {
            let over = format::counted(over, "does not run and is", "do not run and are");
            parts.push_str(&format!("; {over} left out"));
        }
        if hidden > 0 {
            let hidden = format::counted(hidden, "of the selected is", "of the selected are");
            parts.push_str(&format!("; {hidden} hidden by the filter"));
        }
        parts
    }
}

impl App {
    /// True while keys mean the selected attempts: some are, and their list is on screen.
    pub(crate) fn has_selected_attempts(&self) -> bool {
        let tab = &self.tabs.jobs;
        self.pages.is_empty()
            && tab.look == JobsList::Attempts
            && tab.list(JobsList::Attempts).marked().is_some()
    }

    /// The selected attempts; `None` while keys mean another one.
    pub(super) fn selected_attempts(&mut self) -> Option<Selected> {
        self.sync_jobs();
        if !self.has_selected_attempts() {
            return None;
        }
        let jobs = self.jobs()?.clone();
        let list = self.tabs.jobs.list(JobsList::Attempts);
        let hidden = list.marked().map_or(0, |marked| marked.hidden);
        let rows = list.marks().filter_map(|id| jobs.attempt(id).cloned());
        let (open, over): (Vec<_>, Vec<_>) = rows.partition(|row| can_be_stopped(&row.of.attempt));
        let has_any = !open.is_empty() || !over.is_empty();
        has_any.then_some(Selected { jobs, open, over, hidden })
    }

    /// Copies the commands that stop those that run or wait, a line each.
    pub(super) fn copy_commands_of(&mut self, selected: &Selected) -> Vec<Effect> {
        let now = self.view_context().now;
        let (mut lines, mut unknown) = (Vec::new(), 0);
        for row in &selected.open {
            match stop_command(&selected.jobs, row, now) {
                // Tasks of an array that wait, and parts side by side, have one command.
                Some(command) if !lines.contains(&command.line) => lines.push(command.line),
                Some(_) => {}
                None => unknown += 1,
            }
        }
        let unknown = match unknown {
            0 => String::new(),
            count => format!("; of {} no command is known", format::plural(count, "attempt")),
        };
        if lines.is_empty() {
            let why = match selected.open.len() {
                0 => "none of the selected attempts runs or waits: there is nothing to stop".into(),
                _ => format!("there is nothing to copy{unknown}{}", selected.beside(true)),
            };
            return self.warn_of_jobs(why);
        }
        let commands = format::counted(lines.len(), "command that stops", "commands that stop");
        let beside = selected.beside(true);
        self.say(Notice::new(
            Level::Info,
            format!(
                "sent {commands} what is selected to the terminal's clipboard{unknown}{beside}"
            ),
        ));
        vec![Effect::Copy(lines.join("\n"))]
    }

    /// Copies one message to each user of a source of those that run or wait, of attempts that are all over to their users.
    pub(super) fn copy_messages_of(&mut self, selected: &Selected) -> Vec<Effect> {
        let is_left_out = !selected.open.is_empty();
        let rows = if is_left_out { &selected.open } else { &selected.over };
        let texts = messages(&selected.jobs, rows, &self.view_context());
        let (of_users, of_nobody): (Vec<_>, Vec<_>) =
            rows.iter().partition(|row| row.of.attempt.user.is_some());
        let left_out = match of_nobody.len() {
            0 => String::new(),
            count => format!("; {count} without a user left out"),
        };
        let what = format::plural(of_users.len(), "attempt");
        let to = match &texts[..] {
            [] => {
                let beside = selected.beside(is_left_out);
                let why = format!("nobody to write to{left_out}{beside}");
                return self.warn_of_jobs(why);
            }
            [_] => {
                let user = of_users.first().and_then(|row| row.of.attempt.user.as_deref());
                format!("a message for {} about {what}", user.unwrap_or_default())
            }
            texts => format!("messages for {} about {what}", format::plural(texts.len(), "user")),
        };
        let beside = selected.beside(is_left_out);
        let text = format!("copied {to} to the terminal's clipboard{left_out}{beside}");
        self.say(Notice::new(Level::Info, text));
        vec![Effect::Copy(texts.join("\n\n"))]
    }
}

#[cfg(test)]
mod tests {
    use crate::app::fixture::press;
    use crate::app::{App, Effect};
    use crate::domain::jobs::{Attempt, JobSource, JobState};
    use crate::tabs::jobs::state::JobsList;
    use crate::tabs::jobs::state::fixture::{answer, app, read};

    const SIZE: (u16, u16) = (120, 60);

    /// A cockpit in which 102 of wei, 103 and 105 of ines run; 104 and both attempts of 101 are over.
    fn running() -> App {
        running_with(|_, _| {})
    }

    /// The same, each attempt changed by its job.
    fn running_with(change: impl Fn(&str, &mut Attempt)) -> App {
        let mut app = app(SIZE);
        let now = app.view_context().now;
        let mut found = read(now);
        for row in &mut found.costs.rows {
            let of = &mut row.attempt;
            if matches!(&*of.job, "102" | "103") {
                (of.state, of.cause, of.ended_at) = (JobState::Running, None, None);
                of.seen_until = Some(now);
                of.user = Some(if &*of.job == "102" { "wei" } else { "ines" }.into());
            }
            let job = of.job.clone();
            change(&job, of);
        }
        let effects = press(&mut app, "r");
        answer(&mut app, &effects, &found);
        app.prepare();
        press(&mut app, "g");
        app
    }

    fn copied(effects: &[Effect]) -> &str {
        let [Effect::Copy(text)] = effects else { panic!("{effects:?}") };
        text
    }

    fn said(app: &App) -> &str {
        &app.notice().unwrap().text
    }

    #[test]
    fn the_commands_of_the_selected_are_copied_and_what_is_over_is_left_out() {
        let mut app = running();
        // From the top: 105, 104, 103, 102.
        press(&mut app, "    ");
        assert_eq!(copied(&press(&mut app, "C")), "scancel 102\nscancel 103\nscancel 105");
        assert_eq!(
            said(&app),
            "sent 3 commands that stop what is selected to the terminal's clipboard; 1 does not run and is left out"
        );
        // Those that a filter hides are selected still.
        press(&mut app, "/id=105<enter>");
        assert_eq!(copied(&press(&mut app, "C")).lines().count(), 3);
        assert!(
            said(&app).ends_with("; 3 of the selected are hidden by the filter"),
            "{}",
            said(&app)
        );
        // On a page its attempt alone is meant, and without a selection the one under the cursor.
        press(&mut app, "<enter>");
        assert_eq!(copied(&press(&mut app, "C")), "scancel 105");
        press(&mut app, "<esc>u");
        assert_eq!(copied(&press(&mut app, "C")), "scancel 105");
    }

    #[test]
    fn each_user_of_the_selected_gets_one_message() {
        let mut app = running();
        press(&mut app, "    ");
        let message = press(&mut app, "@");
        let text = copied(&message);
        let parts: Vec<&str> = text.split("\n\n").collect();
        assert_eq!(parts.len(), 4, "{text}");
        assert_eq!(parts[0], "To ines (user of these 2 attempts of jobs, as read from slurm):");
        assert!(parts[1].starts_with("Job 103 ") && parts[2].starts_with("Job 105 "), "{text}");
        assert!(parts[1].ends_with("scancel 103") && parts[2].ends_with("scancel 105"), "{text}");
        assert!(parts[3].starts_with("To wei (user of the job, as read from slurm):\nJob 102 "));
        assert!(!text.contains("Job 104"), "{text}");
        assert!(said(&app).contains("messages for 2 users about 3 attempts"), "{}", said(&app));
        assert!(said(&app).ends_with("; 1 does not run and is left out"), "{}", said(&app));
    }

    #[test]
    fn a_name_in_two_sources_is_two_users_and_attempts_of_nobody_are_left_out() {
        let mut app = running_with(|job, of| match job {
            "102" => (of.user, of.id.source) = (Some("ines".into()), JobSource::Ray),
            "105" => of.user = None,
            _ => {}
        });
        press(&mut app, "    ");
        let message = press(&mut app, "@");
        let text = copied(&message);
        let to: Vec<&str> = text.lines().filter(|line| line.starts_with("To ")).collect();
        let of = |source: &str| format!("To ines (user of the job, as read from {source}):");
        assert_eq!(to, [of("ray"), of("slurm")], "{text}");
        assert!(!text.contains("Job 105"), "{text}");
        assert!(said(&app).contains("messages for 2 users about 2 attempts"), "{}", said(&app));
        assert!(
            said(&app).contains("; 1 without a user left out; 1 does not run"),
            "{}",
            said(&app)
        );

        let mut app = running_with(|_, of| of.user = None);
        press(&mut app, "  ");
        assert_eq!(press(&mut app, "@"), []);
        assert!(said(&app).contains("nobody to write to"), "{}", said(&app));
    }

    #[test]
    fn of_what_is_all_over_there_are_messages_and_no_command() {
        let mut app = running();
        // 104, and both attempts of 101.
        press(&mut app, "j jj  ");
        assert_eq!(app.jobs_tab().list(JobsList::Attempts).marked().unwrap().count, 3);
        assert_eq!(press(&mut app, "C"), []);
        assert!(said(&app).contains("none of the selected attempts runs or waits"));
        let message = press(&mut app, "@");
        assert!(copied(&message).starts_with("To ines (user of these 3 attempts of jobs"));
        assert!(said(&app).starts_with("copied a message for ines about 3 attempts"));
    }

    #[test]
    fn a_selection_stays_while_lists_turn_and_says_what_it_burns() {
        let mut app = running();
        press(&mut app, " ");
        // 5 h of a node at $55.04.
        let marked = app.jobs_tab().list(JobsList::Attempts).marked().unwrap();
        assert!((marked.usd_per_hour - 55.04).abs() < 1e-9, "{marked:?}");
        press(&mut app, "oO");
        assert!(app.has_selected_attempts());
        press(&mut app, "o");
        assert!(!app.has_selected_attempts(), "another list is on screen");
        assert_eq!(press(&mut app, "C"), []);
        assert!(said(&app).contains("no attempt here"));
    }
}
