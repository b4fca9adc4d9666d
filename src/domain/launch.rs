//! Who launched an instance, as the audit trail of its account has it.

use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};

/// Time that `CloudTrail` keeps management events of an account (its event history): 90 days.
pub const TRAIL_KEEPS: SignedDuration = SignedDuration::from_hours(90 * 24);

/// Who or what asked EC2 for an instance. Clean text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Launcher {
    /// A user, or the session of a role that bears the name of one.
    Person(Arc<str>),
    /// A role in the hands of a program: a pipeline, another instance, an SDK without a name for its session.
    Program {
        /// Name of the session.
        session: Arc<str>,
        /// Name of the role; empty where it is not named.
        role: Arc<str>,
    },
    /// A service of AWS by its usual name, such as `EC2 Auto Scaling`: nobody to ask.
    Service(Arc<str>),
}

/// A launch: the start of an instance out of nothing, or after a stop.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Launch {
    /// Time of the event.
    pub at: Timestamp,
    /// Who asked for it.
    pub by: Launcher,
}

/// What a look into the trail brought.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum LaunchLook {
    /// The launch.
    Found(Launch),
    /// The trail has no launch of the instance at its time.
    NotFound,
    /// It was launched longer ago than the trail goes back; nothing was asked.
    TooOld,
    /// The trail could not be read: why and what to do, one sentence each; clean text.
    Unread {
        /// What went wrong.
        why: Arc<str>,
        /// What the user can do; empty without advice.
        fix: Arc<str>,
    },
}

/// A look with the launch of the instance that it is of: a stop and start makes another one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LaunchOf {
    /// Last launch of the instance, as EC2 has it.
    pub launched_at: Timestamp,
    /// What the look brought.
    pub look: LaunchLook,
}
