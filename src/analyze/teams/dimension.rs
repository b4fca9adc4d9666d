//! What dollars are allocated by.

use crate::analyze::bill::BillKey;
use crate::domain::bill::words;
use serde::{Deserialize, Serialize};

words! {
    /// What dollars are allocated by.
    Dimension {
        /// Team.
        Team = "team",
        /// Project.
        Project = "project",
        /// Environment.
        Environment = "env",
        /// Cost center.
        CostCenter = "cost_center",
        /// Whoever uses or made it.
        User = "user",
    }
}

impl Dimension {
    /// The dimension that a key of a bill means; `None` for all others.
    pub(super) const fn of_key(key: &BillKey) -> Option<Self> {
        match key {
            BillKey::Team => Some(Self::Team),
            BillKey::Project => Some(Self::Project),
            BillKey::Environment => Some(Self::Environment),
            BillKey::CostCenter => Some(Self::CostCenter),
            _ => None,
        }
    }

    /// The dimension with this name, ignoring ASCII case and taking `-` as `_`; `None` for any other text.
    pub fn of(text: &str) -> Option<Self> {
        let text = text.trim().replace('-', "_");
        let named = |one: &Self| {
            one.word().eq_ignore_ascii_case(&text)
                || *one == Self::Environment && text.eq_ignore_ascii_case("environment")
        };
        Self::ALL.into_iter().find(named)
    }
}
