//! How many units ran in each hour, per family.

pub mod csv;

use jiff::{SignedDuration, Timestamp};

use crate::whatif::HOURS_PER_WEEK;

/// Where a demand is from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DemandOrigin {
    /// A CSV file, by its path as given; clean text.
    Csv(String),
    /// A bill, by its path as given; clean text.
    Bill(String),
    /// What burntop saw running, hour by hour.
    History,
    /// The built-in fleet.
    Demo,
}

/// Hourly demand of some families over one stretch of time, the same for all of them.
#[derive(Clone, Debug, PartialEq)]
pub struct Demand {
    /// Where it is from.
    pub origin: DemandOrigin,
    /// The first hour, UTC.
    pub start: Timestamp,
    /// The families; all have equally many hours, at least one.
    pub families: Vec<Family>,
    /// What was found on the way and is worth saying: gaps, duplicates, mended separators. One
    /// sentence each, clean text.
    pub notes: Vec<String>,
}

/// Hourly demand of one family.
#[derive(Clone, Debug, PartialEq)]
pub struct Family {
    /// Its name: an instance type, or whatever the file calls it. Clean text.
    pub name: String,
    /// Units per hour, never negative; `NaN` where it is not known. Never filled in silently.
    pub hours: Vec<f64>,
}

impl Family {
    /// The hours that are known.
    pub fn known(&self) -> impl Iterator<Item = f64> {
        self.hours.iter().copied().filter(|units| !units.is_nan())
    }

    /// How many hours are known.
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
    /// Hours of the stretch, known or not.
    pub fn hours(&self) -> usize {
        self.families.first().map_or(0, |family| family.hours.len())
    }

    /// The hour after the last one.
    pub fn end(&self) -> Timestamp {
        let hours = SignedDuration::from_hours(self.hours() as i64);
        self.start.saturating_add(hours).unwrap_or(self.start)
    }

    /// The family of this name.
    pub fn family(&self, name: &str) -> Option<&Family> {
        self.families.iter().find(|family| family.name == name)
    }

    /// Where the whole weeks begin, oldest first, as indices of hours: they are counted back from
    /// the end, and one in which any family has a gap is left out.
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
