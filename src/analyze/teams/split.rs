//! How shared costs are divided.

use super::allocate::AllocationRow;
use crate::domain::bill::words;
use serde::{Deserialize, Serialize};

words! {
    /// Rule by which shared costs are divided.
    Split {
        /// The same for each.
        Even = "even",
        /// By the dollars that each has of its own.
        BySpend = "by_spend",
        /// By the GPU-hours that each used.
        ByGpuHours = "by_gpu_hours",
    }
}

impl Split {
    /// The rule of this name, ignoring ASCII case and taking `-` as `_`; `None` for any other text.
    pub fn of(text: &str) -> Option<Self> {
        let text = text.trim().replace('-', "_");
        Self::ALL.into_iter().find(|one| one.word().eq_ignore_ascii_case(&text))
    }

    /// Weight of a row: hundredths of a cent, or thousandths of a GPU-hour; nothing for rows below zero.
    pub(super) fn weight(self, row: &AllocationRow) -> u64 {
        let whole = |number: f64| if number > 0.0 { number.min(1e15).round() as u64 } else { 0 };
        match self {
            Self::Even => 1,
            Self::BySpend => whole(row.direct.to_f64() * 1e4),
            Self::ByGpuHours => whole(row.gpu_hours * 1e3),
        }
    }
}
