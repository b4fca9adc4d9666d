//! How to take an action back, as far as it can be taken back.

pub(super) mod command;

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::domain::{LaunchSpec, Scope};

/// The way back, kept in the audit log.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Undo {
    /// Start the instance again. Capacity may be gone, and the public address is another one.
    Start {
        /// Where.
        scope: Scope,
        /// Which.
        id: Arc<str>,
    },
    /// Launch its like; data of its own are gone.
    Launch {
        /// Where.
        scope: Scope,
        /// From what.
        spec: Box<LaunchSpec>,
        /// Volumes that outlived it: volume id and device name, to be attached again.
        attach: Vec<(Arc<str>, Arc<str>)>,
    },
    /// Stop it again.
    Stop {
        /// Where.
        scope: Scope,
        /// Which.
        id: Arc<str>,
    },
    /// Put the tags back as they were: key and former value, `None` where there was none.
    Tags {
        /// Where.
        scope: Scope,
        /// Which.
        id: Arc<str>,
        /// The tags.
        tags: Vec<(String, Option<String>)>,
    },
}

impl Undo {
    /// The way back as lines for a POSIX shell with the AWS CLI; run them in order, with
    /// credentials of the account. Every value is quoted.
    pub fn commands(&self) -> Vec<String> {
        command::lines(self)
    }
}
