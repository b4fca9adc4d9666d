//! How to take an action back, as far as it can be taken back.

pub(super) mod command;

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::domain::{LaunchSpec, Scope};

/// How to take an action back; kept in the audit log.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Undo {
    /// Start the instance again. Capacity may be gone, and the public address is another one.
    Start {
        /// Account and region.
        scope: Scope,
        /// Instance id.
        id: Arc<str>,
    },
    /// Launch an instance of the same kind; its own data are gone.
    Launch {
        /// Account and region.
        scope: Scope,
        /// Parameters of the launch.
        spec: Box<LaunchSpec>,
        /// Volumes that outlived it: volume id and device name, to be attached again.
        attach: Vec<(Arc<str>, Arc<str>)>,
    },
    /// Stop the instance again.
    Stop {
        /// Account and region.
        scope: Scope,
        /// Instance id.
        id: Arc<str>,
    },
    /// Put the tags back as they were: key and former value, `None` where there was none.
    Tags {
        /// Account and region.
        scope: Scope,
        /// Instance id.
        id: Arc<str>,
        /// Tags: key and former value.
        tags: Vec<(String, Option<String>)>,
    },
}

impl Undo {
    /// AWS CLI commands for a POSIX shell, to be run in order with credentials of the account.
    /// Every value is quoted.
    pub fn commands(&self) -> Vec<String> {
        command::lines(self)
    }
}
