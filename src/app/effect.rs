//! What the cockpit wants done in the world. An executor outside does it and answers with
//! messages; the cockpit itself touches nothing.

use std::sync::Arc;

use super::{BillsQuestion, Picture, SavedView};
use crate::act::plan::{Confirmed, Plan};
use crate::domain::{GpuKey, Regions};
use crate::report::Format;
use crate::tabs::jobs::picture::JobsQuestion;
use crate::tabs::storage::state::ListHow;
use crate::tabs::whatif::state::DemandFrom;
use crate::whatif::{PlanRequest, Scenario, Slot};

/// Work for the executor outside the cockpit. Where no other answer is named, it answers success and failure
/// with [`super::Msg::Notice`].
#[derive(Clone, Debug, PartialEq)]
pub enum Effect {
    /// Ends the program.
    Quit,
    /// Stops the process group until it is continued.
    Suspend,
    /// Clears the terminal and draws everything.
    Redraw,
    /// Reads the sources again; answered by [`super::Msg::Fleet`].
    Refresh {
        /// True = also sources that are billed and not yet due.
        force: bool,
    },
    /// Loads the series of an instance; answered by [`super::Msg::Series`].
    LoadSeries {
        /// Instance id.
        instance: Arc<str>,
    },
    /// Loads the history of a GPU; answered by [`super::Msg::GpuHistory`].
    LoadGpuHistory {
        /// The GPU.
        key: GpuKey,
    },
    /// Reads the GPUs of these hosts more often, by instance id or node name; empty for none. Answered by
    /// [`super::Msg::Gpus`] at each reading.
    FocusGpus(Vec<Arc<str>>),
    /// Starts reading storage that is read on request only; answered by [`super::Msg::Storage`].
    ReadStorage,
    /// Estimates, makes or stops a list of a bucket's objects; answered by [`super::Msg::Listing`], and by
    /// [`super::Msg::Storage`] when it is complete.
    ListObjects {
        /// Name of the bucket.
        bucket: Arc<str>,
        /// Whether to estimate, make or stop it.
        how: ListHow,
    },
    /// Asks the bills that are kept; answered by [`super::Msg::Bills`]. A later question of a tab replaces an
    /// earlier one of it that was not answered yet.
    ReadBills(BillsQuestion),
    /// Asks the jobs that are kept; answered by [`super::Msg::Jobs`]. A later question replaces an earlier one that was
    /// not answered yet.
    ReadJobs(JobsQuestion),
    /// Reads the newest part of the audit log; the number is that of the reading. Answered by [`super::Msg::Actions`].
    ReadActions(u64),
    /// Reads the configured sources of jobs, unless that is being done; answered by [`super::Msg::JobSources`].
    ReadJobSources,
    /// Switches to this preset; answered by [`super::Msg::Preset`] and [`super::Msg::Fleet`].
    SetPreset(String),
    /// Reads these regions; answered by [`super::Msg::Fleet`].
    SetRegions(Regions),
    /// Copies text to the terminal's clipboard (OSC 52).
    Copy(String),
    /// Copies rows to the terminal's clipboard, as JSON lines of the report.
    CopyRows(Picture),
    /// Writes a report to a file.
    Export {
        /// Path of the file, relative to the working directory.
        path: String,
        /// Format of the report.
        format: Format,
        /// The report.
        picture: Picture,
    },
    /// Saves a view under its name.
    SaveView(SavedView),
    /// Starts the demo instead of the missing accounts; answered by [`super::Msg::Mode`].
    SwitchToDemo,
    /// Switches mouse reporting on or off.
    SetMouse(bool),
    /// Reads all facts that guards need before a plan may run; answered by [`super::Msg::Preflighted`] or
    /// [`super::Msg::NotPreflighted`]. Changes nothing.
    Preflight(Arc<Plan>),
    /// Runs a confirmed plan; answered by [`super::Msg::Acting`], and at the end by [`super::Msg::Acted`].
    Execute(Confirmation),
    /// Reads a demand to plan for, and the names of saved scenarios; answered by [`super::Msg::Demand`] or
    /// [`super::Msg::NoDemand`], and by [`super::Msg::Scenarios`].
    ReadDemand(DemandFrom),
    /// Values a scenario; answered by [`super::Msg::Planned`], once per stage. A later request for the same
    /// slot replaces an earlier one.
    Plan(PlanRequest),
    /// Saves a scenario under its name, unless one of this name is kept; answered by a notice and by
    /// [`super::Msg::Scenarios`].
    SaveScenario(Arc<Scenario>),
    /// Saves a scenario under its name, in place of the one that is kept; answered likewise.
    ReplaceScenario(Arc<Scenario>),
    /// Reads a saved scenario; answered by [`super::Msg::Scenario`], or by a notice with the reason.
    LoadScenario {
        /// Name of the scenario.
        name: String,
        /// Slot to put it in.
        slot: Slot,
    },
    /// Renames a saved scenario; answered by a notice and by [`super::Msg::Scenarios`]. Does nothing where no
    /// scenario has the name.
    RenameScenario {
        /// Present name.
        from: String,
        /// New name.
        to: String,
    },
}

/// A confirmed plan for the executor. Two are equal when they are the same value.
#[derive(Clone, Debug)]
pub struct Confirmation(pub Arc<Confirmed>);

impl PartialEq for Confirmation {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}
