//! What can be done to an instance.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

/// Action on an instance.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Verb {
    /// Stop it; the default. Volumes stay and bill, instance-store data are lost.
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
        /// Moment from which it may be stopped.
        expires: Timestamp,
        /// Reason, for the tag `burntop:reason`.
        reason: String,
    },
    /// Tag a marked instance with the moment at which its owner was reminded, once.
    Remind,
    /// Remove the tags of the mark.
    Unmark,
}

impl Verb {
    /// Name in plans, messages and JSON, and what is typed to confirm: `stop`, `terminate`.
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

    /// True for a verb that ends work which an instance may be doing: stop and terminate.
    pub fn is_destructive(&self) -> bool {
        matches!(self, Self::Stop | Self::Terminate { .. })
    }

    /// True for a verb that changes tags alone.
    pub fn is_tagging(&self) -> bool {
        matches!(self, Self::Mark { .. } | Self::Remind | Self::Unmark)
    }
}

pub use crate::view::EXPIRES_TAG;

/// Key of the tag with the ARN of who marked it.
pub const BY_TAG: &str = "burntop:by";
/// Key of the tag with the reason of the mark.
pub const REASON_TAG: &str = "burntop:reason";
/// Key of the tag with the time at which its owner was reminded.
pub const REMINDED_TAG: &str = "burntop:reminded";
