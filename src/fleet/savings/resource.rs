//! A resource that is no instance, joined with its verdict.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::domain::{Resource, Verdict};

/// Why something idles, where its hours tell.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Pattern {
    /// Never used as far back as one sees.
    NeverUsed,
    /// Used until some day, then never again.
    Forgotten,
    /// Used in office hours alone.
    OfficeHours,
    /// Used at night or on weekends alone.
    NightsAndWeekends,
    /// Bursts with waits between them: it waits for data or for work.
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

    /// As a person reads it.
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
    /// The resource.
    pub resource: Arc<Resource>,
    /// The verdict; `None` while none was made, and where there is nothing to judge.
    pub verdict: Option<Arc<Verdict>>,
    /// Why it idles, where its hours tell.
    pub pattern: Option<Pattern>,
    /// Team, from tags.
    pub team: Option<Arc<str>>,
    /// What removing or stopping it saves now, USD/h: for a stopped instance what its volumes bill.
    /// `None` when a price is not known, and where it is unknown whether it idles, or too new.
    pub waste_usd_per_hour: Option<f64>,
    /// Dollars since it began to idle; `None` when not idle or not priced.
    pub wasted_usd: Option<f64>,
    /// What to do, one sentence; clean text.
    pub fix: Arc<str>,
}
