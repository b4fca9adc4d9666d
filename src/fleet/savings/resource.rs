//! A resource that is no instance, joined with its verdict.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::domain::{Resource, ResourceFix, Verdict};

/// Reason why a resource idles, from its hours of use.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Pattern {
    /// Never used within the observed hours.
    NeverUsed,
    /// Used until some day, not since.
    Forgotten,
    /// Used in office hours only.
    OfficeHours,
    /// Used at night or on weekends only.
    NightsAndWeekends,
    /// Used in bursts with waits between them: it waits for data or for work.
    Waiting,
}

impl Pattern {
    /// The name in JSON and filters.
    pub const fn word(self) -> &'static str {
        match self {
            Self::NeverUsed => "never_used",
            Self::Forgotten => "forgotten",
            Self::OfficeHours => "office_hours",
            Self::NightsAndWeekends => "nights_and_weekends",
            Self::Waiting => "waiting",
        }
    }

    /// Label on screen and in tables.
    pub const fn label(self) -> &'static str {
        match self {
            Self::NeverUsed => "never used",
            Self::Forgotten => "forgotten",
            Self::OfficeHours => "office hours only",
            Self::NightsAndWeekends => "nights and weekends only",
            Self::Waiting => "waits for data or work",
        }
    }
}

/// A resource with everything joined to it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ResourceRow {
    /// The resource as AWS reports it.
    pub resource: Arc<Resource>,
    /// Verdict on it; `None` until it is judged, and where there is nothing to judge.
    pub verdict: Option<Arc<Verdict>>,
    /// Reason why it idles; `None` when its hours show none.
    pub pattern: Option<Pattern>,
    /// Team, from the tags; `None` without such a tag.
    pub team: Option<Arc<str>>,
    /// Saving of removing or stopping it now, USD/h; for a stopped instance the price of its volumes. `None` when a
    /// price is unknown, and when the verdict is `unknown` or `too_new`.
    pub waste_usd_per_hour: Option<f64>,
    /// Dollars since it began to idle; `None` when not idle or not priced.
    pub wasted_usd: Option<f64>,
    /// Advice, with what keeping it costs.
    pub fix: ResourceFix,
}
