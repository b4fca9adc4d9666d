//! The rows of the lists, and the row that keys mean.

use std::sync::Arc;

use super::{JobsList, JobsPage};
use crate::app::{App, Page, Picture, RowsStamp};
use crate::report::{JobsOf, ReplaysOf, RequestsOf, ScalingOf, ZombiesOf};
use crate::tabs::jobs::picture::JobRow;
use crate::view::reasons::{replay_settings, scaling_settings};

impl App {
    /// Rows of the list on screen, before any filter.
    pub fn jobs_rows_on_screen(&self) -> usize {
        (self.tabs.jobs.look.spec().source.len)(self)
    }

    /// Brings rows and order of the list on screen up to date; costs nothing when nothing changed.
    pub(crate) fn sync_jobs(&mut self) {
        if self.jobs().is_none() {
            return;
        }
        let ctx = self.view_context();
        let spec = self.tabs.jobs.look.spec();
        let stamp: RowsStamp = (self.tabs.jobs.version, None);
        self.sync_list(&spec.list, &spec.source, stamp, &ctx);
    }

    /// What the reports of attempts and sums are of; `None` before there are any.
    pub(crate) fn jobs_of(&self) -> Option<JobsOf> {
        let jobs = self.jobs()?;
        Some(JobsOf {
            key: (self.tabs.jobs.look == JobsList::Sums).then_some(jobs.by),
            total: jobs.total,
            weight: jobs.weight,
            without_region: jobs.without_region,
            readings: jobs.readings.clone(),
        })
    }

    /// What the report of GPUs that do nothing for a job is of; `None` before there are any.
    pub(crate) fn zombies_of(&self) -> Option<ZombiesOf> {
        let jobs = self.jobs()?;
        let fleet = self.shown().cloned().unwrap_or_default();
        Some(ZombiesOf { fleet, nodes: jobs.covered_nodes })
    }

    /// What the report of rules that were replayed is of; `None` before there are any.
    pub(crate) fn replays_of(&self) -> Option<ReplaysOf> {
        let replayed = self.jobs()?.replayed;
        Some(ReplaysOf { replayed, ..ReplaysOf::default() })
    }

    /// What the report of requests is of; `None` before there are any.
    pub(crate) fn requests_of(&self) -> Option<RequestsOf> {
        let looked_at = self.jobs()?.looked_at;
        Some(RequestsOf { looked_at, ..RequestsOf::default() })
    }

    /// What the report of settings of an autoscaler is of; `None` before there are any.
    pub(crate) fn scaling_of(&self) -> Option<ScalingOf> {
        let over = self.jobs()?.scaled;
        Some(ScalingOf { over, ..ScalingOf::default() })
    }

    /// The list on screen as a picture for export; `None` before there is one.
    pub(crate) fn jobs_list_picture(&self) -> Option<Picture> {
        let tab = &self.tabs.jobs;
        (tab.look.spec().source.shown)(self, tab.list(tab.look), self.view_context().now)
    }

    /// List and id of the row whose page is open, else of the one under the cursor; `None` without one.
    pub(crate) fn current_jobs_row(&self) -> Option<(JobsList, Arc<str>)> {
        match self.page().map(|opened| &opened.page) {
            Some(Page::Jobs(JobsPage::Attempt { id })) => Some((JobsList::Attempts, id.clone())),
            Some(Page::Jobs(JobsPage::Row { list, id })) => Some((*list, id.clone())),
            Some(_) => None,
            None => {
                let look = self.tabs.jobs.look;
                Some((look, self.tabs.jobs.list(look).current_id()?.clone()))
            }
        }
    }

    /// The attempt of this id; `None` where it is not known any more.
    pub(crate) fn job_attempt(&self, id: &str) -> Option<&Arc<JobRow>> {
        self.jobs()?.attempt(id)
    }

    /// What the row is known by, to be copied: of an attempt the id of its job, of a request what to ask for instead, of a rule and a setting of
    /// an autoscaler the lines that set it.
    pub(crate) fn job_to_copy(&self) -> Option<(String, String)> {
        let (list, id) = self.current_jobs_row()?;
        let jobs = self.jobs()?;
        let text = match list {
            JobsList::Attempts => self.job_attempt(&id)?.of.attempt.job.to_string(),
            JobsList::Sums => {
                let item = jobs.tax.iter().find(|item| item.id == id)?;
                item.value.as_deref()?.to_owned()
            }
            JobsList::Nodes => {
                let row = jobs.nodes.iter().find(|row| row.id == id)?;
                row.of.name.to_string()
            }
            JobsList::Requests => {
                let item = jobs.requests.iter().find(|item| item.of.id == id)?;
                item.fix.clone()
            }
            JobsList::Replays => {
                let of = jobs.replays.iter().find(|of| of.id == id)?;
                return Some(lines_that_set_it(replay_settings(of.rule, of.setting)));
            }
            JobsList::Scaling => {
                let of = jobs.scaling.iter().find(|of| of.id == id)?;
                return Some(lines_that_set_it(scaling_settings(of)));
            }
            JobsList::Repeats | JobsList::Zombies | JobsList::Waits => id.to_string(),
        };
        Some((text.clone(), text))
    }

    /// Id and picture with all fields of the row; `None` without one.
    pub(crate) fn job_row_to_copy(&self) -> Option<(Arc<str>, Picture)> {
        let (list, id) = self.current_jobs_row()?;
        let picture = (list.spec().source.alone)(self, &id, self.view_context().now)?;
        Some((id, picture))
    }
}

/// What is told of them, and the lines themselves.
fn lines_that_set_it(settings: Vec<(&'static str, String)>) -> (String, String) {
    let lines: Vec<String> = settings.into_iter().map(|(_, line)| line).collect();
    ("the lines that set it".to_owned(), lines.join("\n"))
}
