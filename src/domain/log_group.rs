//! Log groups of CloudWatch Logs.

use std::sync::Arc;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

/// A log group. All text in it is clean.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LogGroup {
    /// Name of the group, unique in an account and region.
    pub name: Arc<str>,
    /// Time of creation; `None` when unknown.
    pub created_at: Option<Timestamp>,
    /// Days for which its events are kept; `None` = for ever.
    pub retention_days: Option<u32>,
    /// Bytes that are stored; `None` when unknown.
    pub bytes: Option<u64>,
}

/// The log groups of an account and region that keep everything.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct EndlessLogs {
    /// Time when the list was read.
    pub taken_at: Timestamp,
    /// Groups without retention of 1 GiB or more, the largest first.
    pub groups: Vec<LogGroup>,
}

/// Size from which a log group is worth a word: 1 GiB, which costs three cents a month.
const LEAST_LOG_BYTES: u64 = 1 << 30;

impl EndlessLogs {
    /// Those of `all` that have no retention and are large enough to matter.
    pub fn of(all: Vec<LogGroup>, taken_at: Timestamp) -> Self {
        let is_endless = |group: &LogGroup| {
            group.retention_days.is_none() && group.bytes >= Some(LEAST_LOG_BYTES)
        };
        let mut groups: Vec<LogGroup> = all.into_iter().filter(is_endless).collect();
        groups.sort_by(|a, b| b.bytes.cmp(&a.bytes).then_with(|| a.name.cmp(&b.name)));
        Self { taken_at, groups }
    }
}
