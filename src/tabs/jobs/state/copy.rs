//! What is copied of an attempt: the command that stops it, and the message to its user.

use std::sync::Arc;

use super::JobsList;
use crate::app::{App, Effect, Level, Notice};
use crate::tabs::jobs::pages::{can_be_stopped, message, stop_command};
use crate::tabs::jobs::picture::{JobRow, JobsPicture};

impl App {
    /// Copies the commands that stop the selected attempts, else the one that stops the attempt on screen, or under the cursor; says why
    /// where there is none.
    pub(crate) fn copy_job_command(&mut self) -> Vec<Effect> {
        if let Some(selected) = self.selected_attempts() {
            return self.copy_commands_of(&selected);
        }
        let Some((jobs, row)) = self.attempt_in_front() else {
            return self.warn_of_jobs("there is no attempt here to stop");
        };
        let job = &row.of.attempt.job;
        let now = self.view_context().now;
        let Some(command) = stop_command(&jobs, &row, now) else {
            return self.warn_of_jobs(match can_be_stopped(&row.of.attempt) {
                true => {
                    format!("no command is known that stops job {job}, or it was not seen of late")
                }
                false => format!("job {job} neither runs nor waits: there is nothing to stop"),
            });
        };
        let text = format!("sent the command that stops job {job} to the terminal's clipboard");
        self.say(Notice::new(Level::Info, text));
        vec![Effect::Copy(command.line)]
    }

    /// Copies one message to each user of the selected attempts, else the message to the user of the attempt on screen, or under the cursor.
    pub(crate) fn copy_job_message(&mut self) -> Vec<Effect> {
        if let Some(selected) = self.selected_attempts() {
            return self.copy_messages_of(&selected);
        }
        let Some((jobs, row)) = self.attempt_in_front() else {
            return self.warn_of_jobs("there is no attempt here to write about");
        };
        let to = match &row.of.attempt.user {
            Some(user) => format!("copied a message for {user} to the terminal's clipboard"),
            None => {
                "copied a message to the terminal's clipboard; nobody is named for it".to_owned()
            }
        };
        let text = message(&jobs, &row, &self.view_context());
        self.say(Notice::new(Level::Info, to));
        vec![Effect::Copy(text)]
    }

    /// The attempt whose page is open, else the one under the cursor, and what it is one of; `None` on other lists and pages.
    fn attempt_in_front(&mut self) -> Option<(Arc<JobsPicture>, Arc<JobRow>)> {
        self.sync_jobs();
        let (list, id) = self.current_jobs_row()?;
        let row = self.job_attempt(&id).filter(|_| list == JobsList::Attempts)?.clone();
        Some((self.jobs()?.clone(), row))
    }

    pub(super) fn warn_of_jobs(&mut self, why: impl Into<String>) -> Vec<Effect> {
        self.say(Notice::new(Level::Warn, why));
        Vec::new()
    }
}

#[cfg(test)]
mod tests {
    use crate::app::content::Line;
    use crate::app::fixture::press;
    use crate::app::{App, Effect};
    use crate::domain::jobs::JobSource;
    use crate::tabs::jobs::pages::attempt;
    use crate::tabs::jobs::state::fixture::{answer, app, go, read};

    const SIZE: (u16, u16) = (120, 60);

    /// Lines of the page of the attempt in front.
    fn page(app: &App) -> String {
        let (_, id) = app.current_jobs_row().unwrap();
        let text = |line: &Line| -> String { line.spans.iter().map(|span| &*span.text).collect() };
        attempt(app, &id, 110).iter().map(text).collect::<Vec<_>>().join("\n")
    }

    fn copied(effects: &[Effect]) -> &str {
        let [Effect::Copy(text)] = effects else { panic!("{effects:?}") };
        text
    }

    #[test]
    fn keys_copy_the_command_the_message_and_the_id_of_an_attempt() {
        let mut app = app(SIZE);
        go(&mut app, &["/id=105<enter>", "<enter>"]);
        let text = page(&app);
        assert!(text.contains("What stops it") && text.contains("scancel 105"), "{text}");
        assert!(text.contains("all of it, at most: no checkpoint is known"), "{text}");
        assert!(text.contains("C copies the command. @ copies a message to the user"), "{text}");
        assert_eq!(copied(&press(&mut app, "C")), "scancel 105");
        assert!(app.notice().unwrap().text.contains("stops job 105"));
        let message = press(&mut app, "@");
        assert!(
            copied(&message)
                .starts_with("To ines (user of the job, as read from slurm):\nJob 105 ")
        );
        assert!(copied(&message).ends_with("scancel 105"));
        assert!(app.notice().unwrap().text.contains("message for ines"));
        assert_eq!(copied(&press(&mut app, "y")), "105");
        // In the list it is the attempt under the cursor.
        press(&mut app, "<esc>");
        assert_eq!(copied(&press(&mut app, "C")), "scancel 105");
        assert!(copied(&press(&mut app, "@")).contains("Job 105 "));
    }

    #[test]
    fn what_is_over_has_a_message_and_no_command() {
        let mut app = app(SIZE);
        go(&mut app, &["/id=102<enter>", "<enter>"]);
        let text = page(&app);
        assert!(!text.contains("What stops it") && !text.contains("scancel"), "{text}");
        assert_eq!(press(&mut app, "C"), []);
        assert!(app.notice().unwrap().text.contains("nothing to stop"));
        assert!(copied(&press(&mut app, "@")).contains("the cause is code"));
    }

    #[test]
    fn no_command_is_known_for_jobs_of_files() {
        let mut app = app(SIZE);
        let mut files = read(app.view_context().now);
        for row in &mut files.costs.rows {
            row.attempt.id.source = JobSource::File;
        }
        let effects = press(&mut app, "r");
        answer(&mut app, &effects, &files);
        press(&mut app, "/id=105<enter><enter>");
        assert!(!page(&app).contains("What stops it"));
        assert_eq!(press(&mut app, "C"), []);
        assert!(app.notice().unwrap().text.contains("no command is known"));
        assert!(copied(&press(&mut app, "@")).ends_with("else please stop it."));
    }

    #[test]
    fn other_lists_have_neither() {
        let mut app = app(SIZE);
        go(&mut app, &[":jobs nodes<enter>"]);
        for key in ["C", "@"] {
            assert_eq!(press(&mut app, key), []);
            assert!(app.notice().unwrap().text.contains("no attempt here"), "{key}");
        }
        go(&mut app, &["<enter>"]);
        for key in ["C", "@"] {
            assert_eq!(press(&mut app, key), []);
            assert!(app.notice().unwrap().text.contains("no attempt here"), "{key}");
        }
    }

    #[test]
    fn what_gpus_worked_stands_below_the_life_of_the_attempt() {
        let mut app = app(SIZE);
        let mut measured = read(app.view_context().now);
        for row in &mut measured.costs.rows {
            row.used = row.held.gpu_time.map(|time| time.part(41, 100));
        }
        let effects = press(&mut app, "r");
        answer(&mut app, &effects, &measured);
        press(&mut app, "/id=105<enter><enter>");
        let text = page(&app);
        let worked = "GPUs worked 41% of the time they were held (16.40 of 40.00 GPU-hours)";
        let (above, below) = text.split_once(worked).unwrap();
        assert!(above.contains("How it went") && !above.contains("What it cost"), "{text}");
        assert!(!below.contains("GPUs worked"), "{text}");
    }
}
