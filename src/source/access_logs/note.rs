//! What is odd about a log, or left out of it, but usable.

use std::fmt;

use super::LogReads;
use super::event::LogFormat;
use crate::domain::format::counted;

/// What is odd about a log, or left out of it, but usable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LogNote {
    /// Lines that tell of no read.
    LeftOut(super::LeftOut),
    /// Events that came after later ones had been counted.
    Late {
        /// Their number.
        events: u64,
    },
    /// There are more groups than are told apart.
    OtherGroups,
    /// `CloudTrail` tells no sizes of objects.
    NoSizes,
    /// Flow logs tell no objects.
    NoObjects,
    /// Flow logs lack the direction.
    NoDirection,
}

impl LogReads {
    /// What is odd about it, or left out.
    pub fn notes(&self) -> Vec<LogNote> {
        let has = |format| self.formats.contains(&format);
        let left_out = self.left_out != super::LeftOut::default();
        [
            left_out.then_some(LogNote::LeftOut(self.left_out)),
            (self.late > 0).then_some(LogNote::Late { events: self.late }),
            self.has_other_groups.then_some(LogNote::OtherGroups),
            has(LogFormat::CloudTrail).then_some(LogNote::NoSizes),
            has(LogFormat::Flow).then_some(LogNote::NoObjects),
            self.has_no_direction.then_some(LogNote::NoDirection),
        ]
        .into_iter()
        .flatten()
        .collect()
    }
}

impl fmt::Display for LogNote {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::LeftOut(of) => {
                let parts = [
                    (of.unsuccessful, "read that did not succeed", "reads that did not succeed"),
                    (of.heads, "HEAD", "HEAD"),
                    (of.written, "written or deleted object", "written or deleted objects"),
                    (of.requests, "other request", "other requests"),
                    (of.flows, "flow of no read of S3", "flows of no read of S3"),
                ];
                let parts = parts.into_iter().filter(|(n, ..)| *n > 0);
                let parts: Vec<String> =
                    parts.map(|(n, one, many)| counted(n as usize, one, many)).collect();
                write!(f, "not counted as reads: {}", parts.join(", "))
            }
            Self::Late { events } => write!(
                f,
                "{} out of order by more than is sorted: counted as they came; name files whose times overlap as one folder \
                 with names by time",
                counted(*events as usize, "event is", "events are")
            ),
            Self::OtherGroups => write!(
                f,
                "only the first {} prefixes or readers are told apart; all else is in `(others)`",
                super::GROUPS_AT_MOST
            ),
            Self::NoSizes => f.write_str(
                "CloudTrail tells no sizes of objects: an object that is read in parts looks read again, so hits are an upper \
                 bound; server access logs tell more",
            ),
            Self::NoObjects => f.write_str(
                "flow logs tell bytes by reader and no objects: without access logs nothing is known of what a cache would have",
            ),
            Self::NoDirection => f.write_str(
                "the flow log has no flow-direction: what passes two interfaces counts at both",
            ),
        }
    }
}
