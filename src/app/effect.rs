//! What the cockpit wants done in the world. An executor outside does it and answers with
//! messages; the cockpit itself touches nothing.

use std::sync::Arc;

use super::{Picture, SavedView};
use crate::act::plan::{Confirmed, Plan};
use crate::domain::{GpuKey, Regions};
use crate::report::Format;
use crate::tabs::storage::state::ListHow;
use crate::tabs::whatif::state::DemandFrom;
use crate::whatif::{PlanRequest, Scenario, Slot};

/// Something to be done. The executor answers failures and successes with
/// [`super::Msg::Notice`] where nothing else is said.
#[derive(Clone, Debug, PartialEq)]
pub enum Effect {
    /// End the program.
    Quit,
    /// Stop the process group until it is continued.
    Suspend,
    /// Clear the terminal and draw everything.
    Redraw,
    /// Read the sources again; answered by [`super::Msg::Fleet`].
    Refresh {
        /// True: also what is billed and not due yet.
        force: bool,
    },
    /// Load the series of an instance; answered by [`super::Msg::Series`].
    LoadSeries {
        /// Instance id.
        instance: Arc<str>,
    },
    /// Load the past of a GPU; answered by [`super::Msg::GpuHistory`].
    LoadGpuHistory {
        /// Which.
        key: GpuKey,
    },
    /// Look closely at the GPUs of these hosts, by instance id or name of the node; empty for
    /// none. Answered by [`super::Msg::Gpus`], as often as they are read.
    FocusGpus(Vec<Arc<str>>),
    /// Read of storage what nobody wanted so far; answered by [`super::Msg::Storage`].
    ReadStorage,
    /// Ask about, make or stop a list of a bucket's objects; answered by [`super::Msg::Listing`], and
    /// by [`super::Msg::Storage`] when it is there.
    ListObjects {
        /// The bucket.
        bucket: Arc<str>,
        /// What is wanted.
        how: ListHow,
    },
    /// Judge by this preset; answered by [`super::Msg::Preset`] and [`super::Msg::Fleet`].
    SetPreset(String),
    /// Read these regions; answered by [`super::Msg::Fleet`].
    SetRegions(Regions),
    /// Put text into the terminal's clipboard (OSC 52).
    Copy(String),
    /// Put the rows as JSON, as the report prints them, into the terminal's clipboard.
    CopyRows(Picture),
    /// Write a file.
    Export {
        /// Where; a relative path is relative to the working directory.
        path: String,
        /// How.
        format: Format,
        /// What.
        picture: Picture,
    },
    /// Keep a view under its name.
    SaveView(SavedView),
    /// Start the demo instead of the (missing) accounts; answered by [`super::Msg::Mode`].
    SwitchToDemo,
    /// Mouse reporting on or off.
    SetMouse(bool),
    /// Ask everything that is asked before a plan may run; answered by [`super::Msg::Preflighted`]
    /// or [`super::Msg::NotPreflighted`]. Changes nothing.
    Preflight(Arc<Plan>),
    /// Do it; answered by [`super::Msg::Acting`] and at the end by [`super::Msg::Acted`].
    Execute(Confirmation),
    /// Read a demand to plan for, and the names of the scenarios that are kept; answered by
    /// [`super::Msg::Demand`] or [`super::Msg::NoDemand`], and by [`super::Msg::Scenarios`].
    ReadDemand(DemandFrom),
    /// Value a scenario; answered by [`super::Msg::Planned`], once per stage. A later request for
    /// the same slot takes an earlier one's place.
    Plan(PlanRequest),
    /// Keep a scenario under its name (`scenario.name`), over an older one of that name; answered by
    /// a notice and by [`super::Msg::Scenarios`].
    SaveScenario(Arc<Scenario>),
    /// Read a kept scenario; answered by [`super::Msg::Scenario`], or by a notice that says why not.
    LoadScenario {
        /// Its name.
        name: String,
        /// Which slot it is for.
        slot: Slot,
    },
    /// Rename a kept scenario; answered by a notice and by [`super::Msg::Scenarios`]. Without a kept
    /// one of that name nothing happens.
    RenameScenario {
        /// Its name.
        from: String,
        /// The new one.
        to: String,
    },
}

/// A confirmed plan on its way to the executor. Two are equal when they are one and the same.
#[derive(Clone, Debug)]
pub struct Confirmation(pub Arc<Confirmed>);

impl PartialEq for Confirmation {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}
