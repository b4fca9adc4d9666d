//! The lists of the Jobs tab: a row each, with everything that is asked of it.

use std::sync::Arc;

use super::picture::{
    JobField, NodeField, RepeatField, ReplayField, RequestField, ScalingField, TaxField, WaitField,
    ZombieField,
};
use crate::app::keymap::Action;
use crate::app::screen::Hints;
use crate::app::{App, List, ListSource, ListSpec, Picture, alone, list_source, shown};
use crate::report::{KeptJobsOf, ListField, WaitsOf};
use crate::view::TableField;
use crate::view::table_field::field_enum;

field_enum! {
    /// A list of the tab, in the order in which a key goes through them.
    JobsList { Attempts, Sums, Nodes, Repeats, Replays, Zombies, Waits, Requests, Scaling }
}

/// Static description of a list of the tab.
pub(crate) struct JobsListSpec {
    /// Title of the list, shown in the strip.
    pub(super) title: &'static str,
    /// Word after `:jobs`.
    pub(super) word: &'static str,
    /// Name and fields of the list, and the state that holds it.
    pub(super) list: ListSpec,
    /// Takes the rows from the state of the tab.
    pub(super) source: ListSource,
    /// The order of the rows as they come, in words.
    pub(super) order: &'static str,
    /// Why the list is empty.
    pub(super) empty: &'static str,
    /// The keys that the footer names.
    pub(super) hints: Hints,
}

macro_rules! list {
    ($list:ident, $field:ident, $name:literal, $rows:literal) => {
        ListSpec {
            name: $name,
            rows: $rows,
            fields: $field::table,
            list: |app| app.tabs.jobs.list(JobsList::$list),
            list_mut: |app| app.tabs.jobs.list_mut(JobsList::$list),
            show: |app: &mut App| app.go_to_jobs(JobsList::$list),
            grouping: None,
        }
    };
}

/// The keys that the footer names.
const HINTS: Hints = &[
    (Action::Enter, "details"),
    (Action::NextJobsList, ""),
    (Action::JobsKey, ""),
    (Action::JobsWhatIf, ""),
    (Action::Filter, ""),
    (Action::Sort, ""),
    (Action::Export, ""),
];

/// The same of attempts, which can be selected.
const ATTEMPT_HINTS: Hints = &[
    (Action::Enter, "details"),
    (Action::NextJobsList, ""),
    (Action::Mark, ""),
    (Action::CopyMessage, ""),
    (Action::JobsKey, ""),
    (Action::JobsWhatIf, ""),
    (Action::Filter, ""),
    (Action::Sort, ""),
    (Action::Export, ""),
];

/// The same where `enter` leads to attempts.
const SUM_HINTS: Hints = &[
    (Action::Enter, "its attempts"),
    (Action::JobsKey, ""),
    (Action::NextJobsList, ""),
    (Action::JobsWhatIf, ""),
    (Action::Filter, ""),
    (Action::Sort, ""),
    (Action::Export, ""),
];

/// All lists, each at the place of its [`JobsList`].
pub(super) static LISTS: [JobsListSpec; JobsList::ALL.len()] = [
    JobsListSpec {
        title: "Attempts",
        word: "attempts",
        list: list!(Attempts, JobField, "jobs", "attempts of jobs"),
        source: ListSource {
            // By its id: there may be a million.
            alone: |app, id, now| {
                Some(Picture::new(alone::<JobField>(app.job_attempt(id)?, app.jobs_of()?), now))
            },
            ..list_source!(
                JobField,
                |app| app.jobs().map_or(&[], |jobs| &jobs.attempts),
                App::jobs_of,
            )
        },
        order: "newest first",
        empty: "No attempt is kept.",
        hints: ATTEMPT_HINTS,
    },
    JobsListSpec {
        title: "Sums",
        word: "sums",
        list: list!(Sums, TaxField, "jobs-tax", "sums of attempts"),
        source: list_source!(
            TaxField,
            |app| app.jobs().map_or(&[], |jobs| &jobs.tax),
            App::jobs_of,
        ),
        order: "what lost most first",
        empty: "No attempt is kept.",
        hints: SUM_HINTS,
    },
    JobsListSpec {
        title: "Nodes",
        word: "nodes",
        list: list!(Nodes, NodeField, "jobs-nodes", "nodes of jobs"),
        source: list_source!(NodeField, |app| app.jobs().map_or(&[], |jobs| &jobs.nodes), |app| {
            app.jobs().map(|_| KeptJobsOf)
        },),
        order: "costliest first",
        empty: "No attempt names the nodes that it held.",
        hints: HINTS,
    },
    JobsListSpec {
        title: "Repeats",
        word: "repeats",
        list: list!(Repeats, RepeatField, "jobs-repeats", "what was lost again and again"),
        source: list_source!(
            RepeatField,
            |app| app.jobs().map_or(&[], |jobs| &jobs.repeats),
            |app| app.jobs().map(|_| KeptJobsOf),
        ),
        order: "what lost most first",
        empty: "Nothing was lost again and again.",
        hints: HINTS,
    },
    JobsListSpec {
        title: "Replays",
        word: "replay",
        list: list!(Replays, ReplayField, "jobs-replay", "rules replayed over what was lost"),
        source: list_source!(
            ReplayField,
            |app| app.jobs().map_or(&[], |jobs| &jobs.replays),
            App::replays_of,
        ),
        order: "by rule and setting",
        empty: "No rule was replayed.",
        hints: HINTS,
    },
    JobsListSpec {
        title: "Zombies",
        word: "zombies",
        list: list!(Zombies, ZombieField, "jobs-zombies", "GPUs that do nothing for a job"),
        source: list_source!(
            ZombieField,
            |app| app.jobs().map_or(&[], |jobs| &jobs.zombies),
            App::zombies_of,
        ),
        order: "costliest first",
        empty: "No GPU is known to do nothing for a job. Of which nobody tells who holds it, or what it does, counts as in use.",
        hints: HINTS,
    },
    JobsListSpec {
        title: "Waits",
        word: "wait",
        list: list!(Waits, WaitField, "jobs-wait", "queue waits"),
        source: list_source!(WaitField, |app| app.jobs().map_or(&[], |jobs| &jobs.waits), |app| {
            app.jobs().map(|_| WaitsOf::default())
        },),
        order: "newest hour first",
        empty: "Nobody is known to have waited for GPUs in the last week.",
        hints: HINTS,
    },
    JobsListSpec {
        title: "Requests",
        word: "requests",
        list: list!(Requests, RequestField, "jobs-requests", "what workloads asked for in vain"),
        source: list_source!(
            RequestField,
            |app| app.jobs().map_or(&[], |jobs| &jobs.requests),
            App::requests_of,
        ),
        order: "what saves most first",
        empty: "No workload is known to ask for more than it uses. What nobody measured counts as used.",
        hints: HINTS,
    },
    JobsListSpec {
        title: "Scaling",
        word: "scaling",
        list: list!(Scaling, ScalingField, "jobs-scaling", "settings of autoscalers by node group"),
        source: list_source!(
            ScalingField,
            |app| app.jobs().map_or(&[], |jobs| &jobs.scaling),
            App::scaling_of,
        ),
        order: "costliest empty nodes first, of a group the setting that fits",
        empty: "Nobody tells when nodes with GPUs were up. Schedulers that are read do; files of jobs do not.",
        hints: HINTS,
    },
];

impl JobsList {
    /// Static description of the list.
    pub(crate) fn spec(self) -> &'static JobsListSpec {
        &LISTS[self as usize]
    }

    /// The lists as they are before anything is known.
    pub(super) fn start() -> [List; Self::ALL.len()] {
        Self::ALL.map(|list| List::new((list.spec().list.fields)()))
    }
}
