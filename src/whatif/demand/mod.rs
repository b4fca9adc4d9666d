//! How many units ran in each hour, per family.

pub mod csv;

use jiff::{SignedDuration, Timestamp};

use crate::whatif::HOURS_PER_WEEK;

/// Source of a demand.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DemandOrigin {
    /// A CSV file, by its path as given; clean text.
    Csv(String),
    /// A bill, by its path as given; clean text.
    Bill(String),
    /// Running instances that burntop recorded, hour by hour.
    History,
    /// The demo fleet.
    Demo,
}

/// Hourly demand of several families over one stretch of time.
#[derive(Clone, Debug, PartialEq)]
pub struct Demand {
    /// Source of the demand.
    pub origin: DemandOrigin,
    /// Start of the first hour, UTC.
    pub start: Timestamp,
    /// The families; all have the same number of hours, at least one.
    pub families: Vec<Family>,
    /// Findings of the reader: gaps, duplicates, mended separators. One sentence each, clean text.
    pub notes: Vec<String>,
}

/// Hourly demand of one family.
#[derive(Clone, Debug, PartialEq)]
pub struct Family {
    /// Name: an instance type, or the heading of the file's column. Clean text.
    pub name: String,
    /// Units of each hour, from 0 on; `NaN` where not known. Gaps are never filled.
    pub hours: Vec<f64>,
}

impl Family {
    /// Units of the known hours.
    pub fn known(&self) -> impl Iterator<Item = f64> {
        self.hours.iter().copied().filter(|units| !units.is_nan())
    }

    /// Number of known hours.
    pub fn known_hours(&self) -> usize {
        self.known().count()
    }

    /// Mean units over the known hours; `None` without any.
    pub fn mean(&self) -> Option<f64> {
        let hours = self.known_hours();
        (hours > 0).then(|| self.known().sum::<f64>() / hours as f64)
    }
}

impl Demand {
    /// Number of hours, known or not.
    pub fn hours(&self) -> usize {
        self.families.first().map_or(0, |family| family.hours.len())
    }

    /// End of the last hour, UTC.
    pub fn end(&self) -> Timestamp {
        let hours = SignedDuration::from_hours(self.hours() as i64);
        self.start.saturating_add(hours).unwrap_or(self.start)
    }

    /// The family of this name; `None` when there is none.
    pub fn family(&self, name: &str) -> Option<&Family> {
        self.families.iter().find(|family| family.name == name)
    }

    /// Indices of the hours at which the whole weeks begin, oldest first: counted back from the end, without
    /// weeks in which any family has a gap.
    pub fn whole_weeks(&self) -> Vec<usize> {
        let first = self.hours() % HOURS_PER_WEEK;
        let weeks = self.hours() / HOURS_PER_WEEK;
        let whole = |at: &usize| {
            self.families
                .iter()
                .all(|family| !family.hours[*at..*at + HOURS_PER_WEEK].iter().any(|u| u.is_nan()))
        };
        (0..weeks).map(|week| first + week * HOURS_PER_WEEK).filter(whole).collect()
    }
}
