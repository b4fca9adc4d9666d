//! What can be done to an instance.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

/// What can be done to an instance.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Verb {
    /// Stop it; the default. Disks stay and bill, instance-store data are lost.
    Stop,
    /// Terminate it; cannot be undone.
    Terminate {
        /// True when the Auto Scaling groups of members are to want one instance less. Without
        /// it a group replaces its member, and nothing is saved.
        decrement: bool,
    },
    /// Start it again: the undo of a stop.
    Start,
    /// Tag it `burntop:expires`, for a stop later.
    Mark {
        /// From when on it may be stopped.
        expires: Timestamp,
        /// Why, in the tag `burntop:reason`.
        reason: String,
    },
    /// Tag a marked one as reminded of, once.
    Remind,
    /// Take the mark away.
    Unmark,
}

impl Verb {
    /// The word for it, which is also what is typed to confirm: `stop`, `terminate`.
    pub fn word(&self) -> &'static str {
        match self {
            Self::Stop => "stop",
            Self::Terminate { .. } => "terminate",
            Self::Start => "start",
            Self::Mark { .. } => "mark",
            Self::Remind => "remind",
            Self::Unmark => "unmark",
        }
    }

    /// True for what ends work that an instance may be doing.
    pub fn is_destructive(&self) -> bool {
        matches!(self, Self::Stop | Self::Terminate { .. })
    }

    /// True for what changes tags alone.
    pub fn is_tagging(&self) -> bool {
        matches!(self, Self::Mark { .. } | Self::Remind | Self::Unmark)
    }
}

pub use crate::view::EXPIRES_TAG;

/// The tag that says who marked it.
pub const BY_TAG: &str = "burntop:by";
/// The tag that says why.
pub const REASON_TAG: &str = "burntop:reason";
/// The tag that says when its owner was reminded.
pub const REMINDED_TAG: &str = "burntop:reminded";
