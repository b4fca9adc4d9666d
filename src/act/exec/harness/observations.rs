//! What a process could have known: the truth at the moment at which it looked, written down by
//! the world and not by the process.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::world::Ms;
use crate::domain::InstanceState;

/// The truth about an instance at one moment, as far as one look shows it.
#[derive(Clone, Debug, PartialEq)]
#[allow(clippy::struct_excessive_bools, reason = "each is a switch of EC2's own")]
pub struct Facts {
    pub exists: bool,
    pub state: InstanceState,
    pub launched_at: Ms,
    pub instance_type: Arc<str>,
    pub exempt: bool,
    pub termination_protected: bool,
    pub stop_protected: bool,
    pub scale_in_protected: bool,
    pub group: Option<usize>,
    /// Its group is letting it go.
    pub leaving: bool,
}

/// What one process saw of one instance.
#[derive(Clone, Debug, Default)]
pub struct Observation {
    /// When the instance was inspected, the truth then, and whether a fact that decides was
    /// missing from the answer.
    pub inspected: Option<(Ms, Facts, bool)>,
    /// When it was measured; whether use was there to be seen; whether something that decides
    /// was missing, stale or malformed in the answer.
    pub measured: Option<(Ms, bool, bool)>,
    /// The last time that its state was shown, by either reading, and the truth then.
    pub seen: Option<(Ms, Facts)>,
    /// A call went out for it after it was last seen.
    pub called_since: bool,
    /// Calls that went out for it in this run.
    pub calls: u32,
}

/// By instance id.
pub type Observations = BTreeMap<Arc<str>, Observation>;
