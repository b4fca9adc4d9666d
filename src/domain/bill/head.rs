//! What a bill is, without its cells.

use std::sync::Arc;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::cube::Sums;
use super::month::Month;
use super::note::BillNote;
use super::words::{BillFormat, PeriodState};

/// What a bill is and where it comes from; kept apart from its cells, so that lists need not read them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BillHead {
    /// Name of the export, or of the file without its endings.
    pub export: Arc<str>,
    /// Format of the files.
    pub format: BillFormat,
    /// Provider, such as `AWS`.
    pub provider: Arc<str>,
    /// Account that pays; empty where not said.
    pub payer: Arc<str>,
    /// Billing period.
    pub period: Month,
    /// Whether the period can still change.
    pub state: PeriodState,
    /// Number of lines read.
    pub lines: u64,
    /// Sums over all lines.
    pub total: Sums,
    /// True where the bill tells costs net of private discounts.
    pub has_net: bool,
    /// True where lines say their resources.
    pub has_resources: bool,
    /// True where usage is told by day; false where all of it is charged for the whole period.
    pub has_days: bool,
    /// Number of resources whose costs are in the row without one, since they were too many; the cheapest.
    pub resources_folded: u64,
    /// Last day of the month with a line of use, from 1; 0 without any.
    pub last_day: u8,
    /// When the provider wrote it, from the manifest or the file's time; `None` where not known.
    pub written_at: Option<Timestamp>,
    /// When it was read.
    pub read_at: Timestamp,
    /// What is odd about it, most important first.
    pub notes: Vec<BillNote>,
}
