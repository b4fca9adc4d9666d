//! What the Teams tab asks of the bills that are kept, and of what runs.

use crate::analyze::teams::{Dimension, RunsBy};
use crate::domain::bill::Month;

/// Which of its lists is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TeamsView {
    /// Dollars by a dimension.
    Allocation(Dimension),
    /// Resources without tags.
    Tags,
    /// Budgets.
    Budgets,
    /// Unit costs; of one team, project or user each those of jobs alone.
    Units(Option<RunsBy>),
    /// Quotas.
    Quotas,
    /// What people and tools cost.
    People,
}

/// A question of the tab.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TeamsQuestion {
    /// The list.
    pub view: TeamsView,
    /// Month; `None` for the newest one.
    pub period: Option<Month>,
    /// Version of the fleet that is asked about, where the list rests on what runs: another one is another question. `None`
    /// before a fleet is known.
    pub fleet: Option<u64>,
}
