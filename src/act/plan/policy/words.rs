//! Decisions in words.

use jiff::Timestamp;

/// A moment to the minute: `2026-11-21 03:07Z`.
pub(super) fn moment(t: Timestamp) -> String {
    t.strftime("%Y-%m-%d %H:%MZ").to_string()
}
