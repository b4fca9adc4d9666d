//! What is odd about a bill, as values; `view::reasons::bill` words them.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::usd::Usd;

/// Something about a bill that its reader should know.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum BillNote {
    /// Optional columns that the file lacks, and what is unknown for it.
    ColumnMissing {
        /// Name of the column as the format has it.
        column: Arc<str>,
        /// What cannot be told without it.
        unknown: Arc<str>,
    },
    /// Rows of split-cost allocation: parts of other rows, left out of all sums.
    SplitRows {
        /// Number of rows.
        lines: u64,
        /// Their split and unused cost.
        cost: Usd,
    },
    /// Lines whose id and interval an earlier line had. They are counted: AWS does not promise unique ids.
    DuplicateIds {
        /// Number of such lines.
        lines: u64,
        /// Billed cost of them.
        billed: Usd,
    },
    /// More lines than ids are remembered for: duplicates beyond them are not found.
    DuplicatesUnchecked {
        /// Number of lines that were checked.
        checked: u64,
    },
    /// Required amounts that are null; counted as nothing.
    NullAmounts {
        /// Name of the column.
        column: Arc<str>,
        /// Number of lines.
        lines: u64,
    },
    /// FOCUS: usage with a billed cost and an effective cost of 0, which breaks the definition of `EffectiveCost`.
    EffectiveZero {
        /// Number of lines.
        lines: u64,
        /// Their billed cost.
        billed: Usd,
    },
    /// FOCUS: purchases of commitments whose effective cost is not 0.
    PurchaseEffective {
        /// Number of lines.
        lines: u64,
        /// Their effective cost.
        effective: Usd,
    },
    /// A commitment whose use and rest do not add up to its fee of the period. Expected of one that was bought within
    /// it or paid upfront.
    CommitmentDiffers {
        /// Id of the commitment.
        commitment: Arc<str>,
        /// Fees billed in the period.
        billed: Usd,
        /// Effective cost of what it covered and left unused.
        effective: Usd,
    },
    /// Lines outside the billing period; counted without a day.
    OutsidePeriod {
        /// Number of lines.
        lines: u64,
    },
    /// Lines longer than a day although others are not; counted without a day.
    LongLines {
        /// Number of lines of use.
        lines: u64,
    },
    /// Text that is not UTF-8, shown with replacement characters.
    NotUtf8 {
        /// Number of lines.
        lines: u64,
    },
    /// Words of the format that are not known, such as a new type of line item; counted as other usage.
    UnknownWord {
        /// Name of the column.
        column: Arc<str>,
        /// The word.
        word: Arc<str>,
        /// Number of lines.
        lines: u64,
    },
    /// Resources beyond the limit: the cheapest are one row.
    ResourcesFolded {
        /// Number of resources at least.
        resources: u64,
    },
    /// Parts of a delivery that another execution replaced; not read.
    OlderExecutions {
        /// Number of older executions of the period.
        executions: u64,
    },
    /// Numbers of Cost Explorer: no line items, rounded, restated for days.
    FromCostExplorer,
}
