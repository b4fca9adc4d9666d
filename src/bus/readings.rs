//! How every source does, account by account and region by region.

use std::collections::BTreeMap;
use std::sync::Arc;

use jiff::Timestamp;

use crate::domain::{Reading, Scope, SourceError, SourceId, SourceState};

/// How asking a source went.
#[derive(Clone)]
pub(super) enum Outcome {
    /// Under way.
    Loading,
    /// Answered, with the share of what was asked for.
    Good { coverage: f32 },
    /// Failed.
    Bad(Arc<SourceError>),
}

/// The reading of what the cache holds, as it was taken then.
pub(super) fn cached(source: SourceId, scope: &Scope, taken_at: Option<Timestamp>) -> Reading {
    let (scope, state) = (scope.clone(), SourceState::Cached);
    Reading { source, scope, taken_at, coverage: 1.0, state }
}

/// What an outcome changed.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum News {
    /// Nothing.
    None,
    /// The reading, as was to be expected.
    Expected,
    /// What had failed works again.
    WorksAgain(Reading),
    /// The source failed, or fails in another way than before.
    Failed(Reading, Arc<SourceError>),
}

/// The last reading of each source and scope.
#[derive(Clone, Debug, Default)]
pub(super) struct Readings(BTreeMap<(SourceId, Scope), Reading>);

impl Readings {
    /// A reading of the last run. What was told since stays, and gains the date of what is shown;
    /// of several kinds that one source gives, the oldest counts.
    pub fn remember(&mut self, reading: Reading) {
        let key = (reading.source, reading.scope.clone());
        let Some(known) = self.0.get_mut(&key) else {
            self.0.insert(key, reading);
            return;
        };
        match known.state {
            SourceState::Live => {}
            SourceState::Failed(_) if known.taken_at.is_none() => {
                (known.taken_at, known.coverage) = (reading.taken_at, reading.coverage);
            }
            SourceState::Failed(_) => {}
            SourceState::Loading => *known = reading,
            SourceState::Cached if reading.taken_at < known.taken_at => *known = reading,
            SourceState::Cached => {}
        }
    }

    /// Asking `source` went so. A failed one stays failed until it works, and one that has
    /// something to show says how old it is: "loading" would hide both.
    pub fn tell(
        &mut self,
        source: SourceId,
        scope: Scope,
        outcome: Outcome,
        now: Timestamp,
    ) -> News {
        let reading = self.0.entry((source, scope.clone())).or_insert_with(|| Reading {
            source,
            scope,
            taken_at: None,
            coverage: 0.0,
            state: SourceState::Loading,
        });
        let was_failed = matches!(reading.state, SourceState::Failed(_));
        match outcome {
            Outcome::Loading if was_failed || reading.taken_at.is_some() => News::None,
            Outcome::Loading => {
                reading.state = SourceState::Loading;
                News::Expected
            }
            Outcome::Good { coverage } => {
                reading.taken_at = Some(now);
                reading.coverage = coverage;
                reading.state = SourceState::Live;
                if was_failed { News::WorksAgain(reading.clone()) } else { News::Expected }
            }
            Outcome::Bad(error) => {
                let known = match &reading.state {
                    SourceState::Failed(old) => **old == *error,
                    _ => false,
                };
                reading.state = SourceState::Failed(error.clone());
                if known { News::Expected } else { News::Failed(reading.clone(), error) }
            }
        }
    }

    /// Nothing is known of a source any more.
    pub fn remove(&mut self, source: SourceId, scope: &Scope) {
        self.0.remove(&(source, scope.clone()));
    }

    /// Keeps the readings whose source and scope pass `held`.
    pub fn retain(&mut self, held: impl Fn(SourceId, &Scope) -> bool) {
        self.0.retain(|(source, scope), _| held(*source, scope));
    }

    /// Last reading of a source in a scope; `None` before the first.
    pub fn get(&self, source: SourceId, scope: &Scope) -> Option<&Reading> {
        self.0.get(&(source, scope.clone()))
    }

    /// When a source was read last.
    pub fn taken_at(&self, source: SourceId, scope: &Scope) -> Option<Timestamp> {
        self.get(source, scope)?.taken_at
    }

    /// All of them, by source and scope.
    pub fn iter(&self) -> impl Iterator<Item = &Reading> {
        self.0.values()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::ErrorKind;

    const SOURCE: SourceId = SourceId::Commitments;

    fn at(hour: u32) -> Timestamp {
        format!("2026-11-21T{hour:02}:00:00Z").parse().unwrap()
    }

    fn scope() -> Scope {
        Scope::new("111111111111", "eu-west-1")
    }

    fn cached(hour: u32) -> Reading {
        super::cached(SOURCE, &scope(), Some(at(hour)))
    }

    fn denied() -> Outcome {
        let error = SourceError::new(ErrorKind::Denied, "ec2:DescribeX", "no", "allow it");
        Outcome::Bad(Arc::new(error))
    }

    fn only(readings: &Readings) -> &Reading {
        let mut all = readings.iter();
        let only = all.next().unwrap();
        assert!(all.next().is_none());
        only
    }

    /// The cache and the sources tell at the same time: whoever comes first, the picture is one.
    #[test]
    fn a_failure_has_the_date_of_what_is_shown_whoever_came_first() {
        for remembered_at in 0..=2 {
            let mut readings = Readings::default();
            for step in 0..=2 {
                if step == remembered_at {
                    readings.remember(cached(1));
                }
                match step {
                    0 => drop(readings.tell(SOURCE, scope(), Outcome::Loading, at(3))),
                    1 => drop(readings.tell(SOURCE, scope(), denied(), at(3))),
                    _ => {}
                }
            }
            let reading = only(&readings);
            assert!(matches!(reading.state, SourceState::Failed(_)), "{reading:?}");
            assert_eq!((reading.taken_at, reading.coverage), (Some(at(1)), 1.0));
        }
    }

    #[test]
    fn what_is_shown_while_it_loads_says_its_age_whoever_came_first() {
        for first in [true, false] {
            let mut readings = Readings::default();
            if first {
                readings.remember(cached(1));
            }
            readings.tell(SOURCE, scope(), Outcome::Loading, at(3));
            if !first {
                assert_eq!(only(&readings).state, SourceState::Loading);
                readings.remember(cached(1));
            }
            assert_eq!(*only(&readings), cached(1));
        }
    }

    #[test]
    fn what_the_cache_says_late_takes_nothing_back() {
        let mut readings = Readings::default();
        readings.tell(SOURCE, scope(), Outcome::Good { coverage: 0.5 }, at(3));
        readings.remember(cached(1));
        let reading = only(&readings);
        assert_eq!((reading.taken_at, reading.coverage), (Some(at(3)), 0.5));
        assert_eq!(reading.state, SourceState::Live);
        readings.tell(SOURCE, scope(), denied(), at(4));
        readings.remember(cached(1));
        assert_eq!(only(&readings).taken_at, Some(at(3)));
    }

    #[test]
    fn of_several_kinds_the_oldest_counts() {
        for order in [[1, 2], [2, 1]] {
            let mut readings = Readings::default();
            order.into_iter().for_each(|hour| readings.remember(cached(hour)));
            assert_eq!(*only(&readings), cached(1));
        }
    }

    #[test]
    fn a_failure_is_news_once_and_so_is_its_end() {
        let mut readings = Readings::default();
        let mut tell = |outcome| readings.tell(SOURCE, scope(), outcome, at(3));
        assert_eq!(tell(Outcome::Loading), News::Expected);
        assert!(matches!(tell(denied()), News::Failed(..)));
        assert_eq!(tell(denied()), News::Expected);
        assert_eq!(tell(Outcome::Loading), News::None);
        let other = SourceError::new(ErrorKind::Throttled, "ec2:DescribeX", "slow", "wait");
        assert!(matches!(tell(Outcome::Bad(Arc::new(other))), News::Failed(..)));
        assert!(matches!(tell(Outcome::Good { coverage: 1.0 }), News::WorksAgain(_)));
        assert_eq!(tell(Outcome::Good { coverage: 1.0 }), News::Expected);
    }
}
