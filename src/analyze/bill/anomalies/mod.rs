//! What a bill charges out of the ordinary: spikes, silent drops and slow drifts of what is used.
//!
//! A series is the effective cost by day of a service × account × usage type (× one tag). A day is compared with what
//! the 28 days before it make usual: their median, moved by what is usual of its weekday, and the median deviation from
//! it (Rousseeuw & Croux 1993 on why medians: a quarter of bad days moves them little). What came on the same day of
//! the month before is the rhythm of the month and no news. Charges of a whole period (tax, support, fees) have no day
//! and are in no series.
//!
//! | file | holds |
//! |---|---|
//! | `calendar` | days that bills cover, what is usual to repeat on each, which are still late |
//! | `series` | costs by series and day, ordered so that each account, service and usage type is a range |
//! | `usual` | what is usual of a day |
//! | `runs` | consecutive unusual days of a series |
//! | `drift` | weeks that rise or fall one after another |
//! | `findings` | runs of all levels as events, each at the most specific key that explains it |
//! | `evidence` | exact dollars, and the resources behind an event |

mod calendar;
mod drift;
mod evidence;
mod findings;
mod runs;
mod series;
#[cfg(test)]
mod tests;
mod usual;

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::sync::Arc;

use jiff::civil::Date;

use crate::domain::bill::{Bill, Month, Usd};
use calendar::Calendar;
use series::AllSeries;

/// What is told of anomalies.
#[derive(Clone, Debug, PartialEq)]
pub struct AnomalySettings {
    /// Key of the tag that tells series apart; `None` = none does. One that a bill did not keep has no values there.
    pub tag: Option<Arc<str>>,
    /// Least difference of a day from what is usual, USD; of larger bills a 2,000th of their mean day.
    pub floor: Usd,
}

impl Default for AnomalySettings {
    fn default() -> Self {
        Self { tag: None, floor: Usd::whole(10) }
    }
}

/// How an anomaly differs from what is usual.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AnomalyKind {
    /// More than usual, from one day to the next.
    Spike,
    /// Nearly nothing, for two days or more, where something is usual.
    Drop,
    /// Weeks that rise, or fall, one after another.
    Drift,
}

impl AnomalyKind {
    /// All kinds.
    pub const ALL: [Self; 3] = [Self::Spike, Self::Drop, Self::Drift];

    /// Words of all kinds.
    pub const WORDS: [&'static str; 3] =
        [Self::Spike.word(), Self::Drop.word(), Self::Drift.word()];

    /// Word in JSON, CSV and filters.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Spike => "spike",
            Self::Drop => "drop",
            Self::Drift => "drift",
        }
    }
}

/// What an anomaly is of: the most specific values that explain 80% of it or more. `None` in a field = of all its
/// values together, or the bill says none.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct AnomalyKey {
    /// Account that used it.
    pub account: Option<Arc<str>>,
    /// Name of the service.
    pub service: Option<Arc<str>>,
    /// Usage type.
    pub usage_type: Option<Arc<str>>,
    /// Value of [`AnomalySettings::tag`].
    pub tag: Option<Arc<str>>,
}

/// Something that a bill charges out of the ordinary.
#[derive(Clone, Debug, PartialEq)]
pub struct Anomaly {
    /// First unusual day.
    pub since: Date,
    /// Last unusual day; `None` while it goes on. What lasts four weeks is usual from then on.
    pub until: Option<Date>,
    /// How it differs.
    pub kind: AnomalyKind,
    /// What it is of.
    pub key: AnomalyKey,
    /// Effective cost that would be usual over these days, rounded to a cent.
    pub expected: Usd,
    /// Effective cost of these days, exact.
    pub actual: Usd,
    /// Distance from what is usual, in standard deviations of what is usual (1.4826 × median deviation); of several
    /// days the largest.
    pub score: f64,
    /// Resources that explain it with their effective cost in the months that it lies in, largest first, five at most.
    /// Of a spike those that began with it, of a drop those that ended with it, where there are such. Empty where the
    /// bill has no resources.
    pub resources: Vec<(Arc<str>, Usd)>,
}

impl Anomaly {
    /// Actual less expected cost; negative for less than usual.
    pub fn difference(&self) -> Usd {
        self.actual - self.expected
    }
}

/// Months before a period that tell what is usual in it.
pub const USUAL_MONTHS: i32 = 3;

/// Finds what is out of the ordinary in a month, of each provider by itself: anomalies that begin or go on in it. `bills`
/// are those of the month and of some months before it, which tell what is usual; the largest difference first.
pub fn by_provider(bills: &[Arc<Bill>], month: Month, settings: &AnomalySettings) -> Vec<Anomaly> {
    let mut providers: BTreeMap<&str, Vec<Arc<Bill>>> = BTreeMap::new();
    for bill in bills {
        providers.entry(&bill.head.provider).or_default().push(bill.clone());
    }
    let mut all: Vec<Anomaly> =
        providers.values().flat_map(|bills| anomalies(bills, settings)).collect();
    all.retain(|anomaly| anomaly.until.is_none_or(|until| until >= month.first()));
    all.sort_by_key(|anomaly| Reverse(anomaly.difference().abs()));
    all
}

/// Finds anomalies in bills of one provider, of one or more months; the largest difference first. Bills without days
/// have none, and of the last two days of a month that goes on no drop is told: their lines come late.
pub fn anomalies(bills: &[Arc<Bill>], settings: &AnomalySettings) -> Vec<Anomaly> {
    let Some(calendar) = Calendar::of(bills) else { return Vec::new() };
    let series = AllSeries::of(bills, &calendar, settings.tag.as_deref());
    let found = findings::findings(&series, &calendar, series.floor(settings.floor));
    let mut all = evidence::anomalies(bills, &calendar, &series, found);
    all.sort_by_cached_key(|anomaly| {
        (Reverse(anomaly.difference().abs()), anomaly.since, anomaly.key.usage_type.clone())
    });
    all
}
