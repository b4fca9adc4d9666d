//! The Jobs tab: what was asked of the jobs that are kept, what they answered, and the lists.

mod act;
mod choose;
mod copy;
#[cfg(test)]
pub(crate) mod fixture;
mod rows;
#[cfg(test)]
mod scripts;
mod selected;

use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};

use crate::analyze::jobs::TaxKey;
use crate::app::{Answered, App, Asking, Effect, Level, List, Notice};
use crate::tabs::jobs::TAB;
pub use crate::tabs::jobs::lists::JobsList;
use crate::tabs::jobs::picture::{JobsPicture, JobsQuestion};

/// Time between two readings of the sources while the tab is on screen.
const EVERY: SignedDuration = SignedDuration::from_mins(1);

/// A page of the tab.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum JobsPage {
    /// Everything about an attempt.
    Attempt {
        /// Id of its row.
        id: Arc<str>,
    },
    /// Every field of a row of another list.
    Row {
        /// The list.
        list: JobsList,
        /// Id of the row.
        id: Arc<str>,
    },
}

impl JobsPage {
    /// Title of the page, shown above the body.
    pub fn title(&self) -> &'static str {
        match self {
            Self::Attempt { .. } => "Attempt",
            Self::Row { list, .. } => list.spec().title,
        }
    }
}

/// State of the Jobs tab.
#[derive(Clone, Debug)]
pub struct JobsTab {
    /// List on screen.
    look: JobsList,
    /// What sums are made by.
    by: TaxKey,
    /// See [`JobsQuestion::round`].
    round: u64,
    /// What was asked of the jobs that are kept, and what they answered.
    asking: Asking<JobsQuestion, JobsPicture>,
    /// True while the sources are read.
    is_reading: bool,
    /// When the sources were asked last; `None` = to be asked now.
    asked_at: Option<Timestamp>,
    /// Number of the answer, from 1; 0 before the first.
    version: u64,
    /// The lists, in the order of [`JobsList::ALL`].
    lists: [List; JobsList::ALL.len()],
}

impl Default for JobsTab {
    fn default() -> Self {
        Self {
            look: JobsList::Attempts,
            by: TaxKey::State,
            round: 0,
            asking: Asking::default(),
            is_reading: false,
            asked_at: None,
            version: 0,
            lists: JobsList::start(),
        }
    }
}

impl JobsTab {
    /// Which list is on screen.
    pub fn look(&self) -> JobsList {
        self.look
    }

    /// One of the lists.
    pub fn list(&self, list: JobsList) -> &List {
        &self.lists[list as usize]
    }

    /// One of the lists, mutable.
    pub(crate) fn list_mut(&mut self, list: JobsList) -> &mut List {
        &mut self.lists[list as usize]
    }

    /// True while the picture on screen answers an earlier question than the last one.
    pub fn is_behind(&self) -> bool {
        self.asking.is_behind()
    }

    /// True while the sources are read.
    pub fn is_reading(&self) -> bool {
        self.is_reading
    }

    /// Why the jobs cannot be read, one sentence; `None` while they can.
    pub(crate) fn trouble(&self) -> Option<&str> {
        self.asking.trouble()
    }
}

impl App {
    /// State of the Jobs tab.
    pub fn jobs_tab(&self) -> &JobsTab {
        &self.tabs.jobs
    }

    /// What is known of jobs; `None` before the first answer.
    pub fn jobs(&self) -> Option<&Arc<JobsPicture>> {
        self.tabs.jobs.asking.answer()
    }

    /// Reads what is kept, and the sources, when the tab is opened or refreshed.
    pub(crate) fn read_jobs_again(&mut self) {
        if self.tab == TAB {
            self.tabs.jobs.round += 1;
            self.tabs.jobs.asked_at = None;
        }
    }

    /// Leaves nothing of what is on screen; questions that are on their way are not answered to another.
    pub(crate) fn forget_jobs(&mut self) {
        let round = self.tabs.jobs.round + 1;
        self.tabs.jobs = JobsTab { round, ..JobsTab::default() };
    }

    /// Asks what was not asked yet, and the sources once a minute.
    pub(crate) fn after_update_jobs(&mut self, effects: &mut Vec<Effect>) {
        if self.tab != TAB {
            return;
        }
        let now = self.view_context().now;
        let tab = &mut self.tabs.jobs;
        let asked = tab.asking.ask(JobsQuestion { by: tab.by, round: tab.round });
        effects.extend(asked.map(Effect::ReadJobs));
        let is_due = tab.asked_at.is_none_or(|at| now.duration_since(at) >= EVERY);
        if is_due && !tab.is_reading {
            (tab.is_reading, tab.asked_at) = (true, Some(now));
            effects.push(Effect::ReadJobSources);
        }
    }

    /// The sources were read: what is kept is asked again where it may have changed.
    pub(crate) fn on_job_sources(&mut self, has_news: bool) {
        self.tabs.jobs.is_reading = false;
        if has_news {
            self.tabs.jobs.round += 1;
        }
    }

    /// Takes an answer in. One to an earlier question is dropped.
    pub(crate) fn on_jobs(&mut self, question: &JobsQuestion, answer: Answered<JobsPicture>) {
        let tab = &mut self.tabs.jobs;
        if !tab.asking.is_newest(question) {
            return;
        }
        match answer {
            Ok(picture) => {
                if tab.asking.answer().map(|of| of.by) != Some(picture.by) {
                    tab.list_mut(JobsList::Sums).start_anew();
                }
                tab.version += 1;
                tab.asking.take(picture);
            }
            Err(why) => {
                if let Some(why) = tab.asking.fail(why) {
                    // The sums on screen are those of the last answer.
                    tab.by = tab.asking.answer().map_or(tab.by, |of| of.by);
                    self.say(Notice::new(Level::Warn, why));
                }
            }
        }
    }
}
