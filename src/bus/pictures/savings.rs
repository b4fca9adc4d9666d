//! What could be saved: worked out on a worker thread from what was read, the
//! newest only, and only where something that it is made from is another than before.

use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;
use tokio::time::Instant;

use super::making::Making;
use super::{Event, Pictures};
use crate::analyze::savings::{SavingsInput, SavingsRules, picture};
use crate::analyze::waterfall::is_early;
use crate::domain::{SavingsFacts, TagKeys};
use crate::fleet::{Fleet, GpuFleet, Row, Savings, StorageFleet};

/// Between two pictures: what comes meanwhile goes into the next. A fleet comes with each reading,
/// and ten thousand instances are some hundred milliseconds of work.
const BETWEEN: Duration = Duration::from_secs(3);
/// The same where nothing but time and telemetry has moved on: what is proposed rests on a week of
/// use, and a quarter of a minute more of it changes nothing.
const AT_REST: Duration = Duration::from_mins(5);

/// What pictures of savings are made from.
#[derive(Default)]
pub(super) struct SavingsWork {
    pub(super) facts: Option<Arc<SavingsFacts>>,
    pub(super) fleet: Option<Arc<Fleet>>,
    pub(super) gpus: Option<Arc<GpuFleet>>,
    /// What the picture begun last is made from, or what differs from it in nothing but time and
    /// telemetry: the old one need not be kept in memory.
    begun_with: Option<Basis>,
    /// Time and telemetry have moved since the picture begun last.
    moved: bool,
    /// The version begun last.
    begun_version: u64,
    /// The picture that is being made.
    pub(super) making: Making<Savings>,
    /// The newest picture.
    latest: Option<Arc<Savings>>,
    /// When the last picture was begun.
    begun: Option<Instant>,
    /// When the next one is due, where something newer waits: counted from the last one, not from the
    /// first update as the bus debounces.
    pub(super) due: Option<Instant>,
}

/// What one picture is made from.
#[derive(Clone)]
pub(super) struct Basis {
    pub(super) facts: Arc<SavingsFacts>,
    pub(super) fleet: Arc<Fleet>,
    pub(super) gpus: Arc<GpuFleet>,
    pub(super) storage: Option<Arc<StorageFleet>>,
}

/// Change of the input since a picture was begun.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum News {
    /// Nothing that the picture shows.
    Nothing,
    /// How the sources are doing.
    Readings,
    /// Time and telemetry.
    Moved,
    /// Anything else.
    Changed,
}

impl Basis {
    /// What could be saved.
    pub(super) fn join(
        &self,
        version: u64,
        now: Timestamp,
        rules: &SavingsRules,
        tag_keys: &TagKeys,
        before: Option<&Savings>,
    ) -> Savings {
        picture(&SavingsInput {
            version,
            now,
            fleet: &self.fleet,
            gpus: &self.gpus,
            storage: self.storage.as_deref(),
            facts: &self.facts,
            rules,
            tag_keys,
            before,
        })
    }

    fn news_since(&self, old: &Self) -> News {
        let storage = |basis: &Self| basis.storage.as_ref().map(|s| s.version);
        if storage(self) != storage(old)
            || !same_facts(&old.facts, &self.facts)
            || !same_instances(&old.fleet, &self.fleet)
            || old.fleet.book.network != self.fleet.book.network
            || old.fleet.book.failed_runs != self.fleet.book.failed_runs
            || old.gpus.rows.len() != self.gpus.rows.len()
            || is_early(&old.fleet, &old.facts) != is_early(&self.fleet, &self.facts)
        {
            News::Changed
        } else if old.fleet.version != self.fleet.version || old.gpus.version != self.gpus.version {
            News::Moved
        } else if old.facts.readings != self.facts.readings {
            News::Readings
        } else {
            News::Nothing
        }
    }
}

/// True when two pictures of facts differ in nothing but how the sources are doing.
fn same_facts(a: &SavingsFacts, b: &SavingsFacts) -> bool {
    a.version == b.version
        || (a.holdings == b.holdings
            && a.hours == b.hours
            && a.spot == b.spot
            && a.offerings == b.offerings
            && a.resources == b.resources)
}

/// True when the same instances run at the same prices under the same verdicts.
fn same_instances(a: &Fleet, b: &Fleet) -> bool {
    fn is<T: PartialEq>(a: Option<&Arc<T>>, b: Option<&Arc<T>>) -> bool {
        match (a, b) {
            (Some(a), Some(b)) => Arc::ptr_eq(a, b) || a == b,
            (None, None) => true,
            _ => false,
        }
    }
    let same = |a: &Row, b: &Row| {
        (Arc::ptr_eq(&a.instance, &b.instance) || a.instance == b.instance)
            && a.rate == b.rate
            && is(a.verdict.as_ref(), b.verdict.as_ref())
            && is(a.net.as_ref(), b.net.as_ref())
    };
    a.version == b.version
        || (a.rows.len() == b.rows.len() && a.rows.iter().zip(&b.rows).all(|(a, b)| same(a, b)))
}

impl SavingsWork {
    /// Change of `basis` since the last picture was begun.
    fn news(&mut self, basis: &Basis) -> News {
        let Some(old) = &self.begun_with else { return News::Changed };
        let news = basis.news_since(old);
        if news == News::Moved {
            self.moved = true;
            // How the sources are doing is told by itself.
            let facts = old.facts.clone();
            self.begun_with = Some(Basis { facts, ..basis.clone() });
        }
        news
    }

    /// True when a picture of `news` may be begun now; else it waits for its time, where it is worth
    /// one.
    fn may_begin(&mut self, news: News, now: Instant) -> bool {
        self.due = None;
        let between = match news {
            News::Changed => BETWEEN,
            _ if self.moved => AT_REST,
            _ => return false,
        };
        if let Some(next) = self.begun.map(|at| at + between).filter(|next| *next > now) {
            self.due = Some(next);
            return false;
        }
        self.begun = Some(now);
        self.moved = false;
        true
    }
}

impl Pictures {
    /// Works out what could be saved, on a worker thread: the screen shows the fleet meanwhile. What comes while one is
    /// made is looked at when it is there.
    pub(super) async fn picture_savings(&mut self) {
        let (Some(fleet), Some(facts)) = (self.savings.fleet.clone(), self.savings.facts.clone())
        else {
            return;
        };
        if self.savings.making.is_going_on() {
            return;
        }
        let gpus = self.savings.gpus.clone().unwrap_or_default();
        let basis = Basis { facts, fleet, gpus, storage: self.storage.latest() };
        let news = self.savings.news(&basis);
        if matches!(news, News::Readings | News::Moved) {
            self.show_readings(&basis.facts).await;
        }
        if !self.savings.may_begin(news, Instant::now()) {
            return;
        }
        self.savings.begun_with = Some(basis.clone());
        self.savings.begun_version += 1;
        let (version, shared) = (self.savings.begun_version, self.shared.clone());
        let before = self.savings.latest.clone();
        self.savings.making.begin(move || {
            let (settings, now) = (&shared.settings, shared.now());
            let (rules, tag_keys) = (&settings.savings.rules, &settings.tag_keys);
            basis.join(version, now, rules, tag_keys, before.as_deref())
        });
    }

    /// Shows a picture that was made.
    pub(super) async fn on_savings_made(&mut self, made: Option<Savings>) {
        let Some(made) = made.map(Arc::new) else { return };
        self.savings.latest = Some(made.clone());
        // The listener may be gone already; there is nobody left to tell.
        let _ = self.listener.send(Event::Savings(made)).await;
    }

    /// Shows the last picture with how the sources are doing now, where that is news.
    async fn show_readings(&mut self, facts: &Arc<SavingsFacts>) {
        let Some(latest) = self.savings.latest.clone() else { return };
        let begun_with = self.savings.begun_with.as_ref();
        if begun_with.is_none_or(|old| old.facts.readings == facts.readings) {
            return;
        }
        // Making the one begun last failed: this one is of older facts.
        if latest.version != self.savings.begun_version {
            return;
        }
        if let Some(begun_with) = &mut self.savings.begun_with {
            begun_with.facts = facts.clone();
        }
        let shown = Savings { readings: facts.readings.clone(), ..(*latest).clone() };
        let _ = self.listener.send(Event::Savings(Arc::new(shown))).await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::fixture::{fleet_of, readings};
    use crate::domain::{Hour, Reading, Scope, SourceId, SourceState};

    fn basis() -> Basis {
        Basis {
            facts: Arc::default(),
            fleet: Arc::new(fleet_of(3, 1, readings(0, None))),
            gpus: Arc::default(),
            storage: None,
        }
    }

    #[test]
    fn what_comes_too_soon_waits_and_goes_into_one_picture() {
        let mut work = SavingsWork::default();
        let start = Instant::now();
        assert!(work.may_begin(News::Changed, start));
        assert!(work.due.is_none());
        let soon = start + Duration::from_secs(1);
        assert!(!work.may_begin(News::Changed, soon));
        assert!(!work.may_begin(News::Changed, soon + Duration::from_millis(10)));
        assert_eq!(work.due, Some(start + BETWEEN), "it is made when its time has come");
        assert!(work.may_begin(News::Changed, start + BETWEEN));
        assert!(work.due.is_none(), "nothing waits any more");
        assert!(work.may_begin(News::Changed, start + BETWEEN * 3));
    }

    #[test]
    fn time_and_telemetry_wait_longer_and_what_changes_nothing_for_ever() {
        let old = basis();
        let mut work = SavingsWork { begun_with: Some(old.clone()), ..SavingsWork::default() };
        let start = Instant::now();
        assert!(work.may_begin(News::Changed, start));
        for quiet in [News::Nothing, News::Readings] {
            assert!(!work.may_begin(quiet, start + AT_REST * 2));
            assert!(work.due.is_none(), "nobody is woken for it");
        }
        let mut new = old.clone();
        Arc::make_mut(&mut new.gpus).version += 1;
        assert_eq!(work.news(&new), News::Moved);
        assert!(!work.may_begin(News::Moved, start + BETWEEN * 3));
        assert_eq!(work.due, Some(start + AT_REST));
        // What came later was no news: the picture is still owed.
        assert_eq!(work.news(&new), News::Nothing);
        assert!(!work.may_begin(News::Nothing, start + BETWEEN * 4));
        assert!(work.may_begin(News::Nothing, start + AT_REST));
        assert!(!work.may_begin(News::Nothing, start + AT_REST * 3), "once");
    }

    #[test]
    fn a_picture_is_made_anew_for_what_it_is_made_from() {
        let old = basis();
        assert_eq!(SavingsWork::default().news(&old), News::Changed, "the first");
        assert_eq!(old.news_since(&old), News::Nothing);
        // The fleet joined again: money wasted so far, other readings.
        let mut new = old.clone();
        let fleet = Arc::make_mut(&mut new.fleet);
        fleet.version += 1;
        fleet.readings.pop();
        assert_eq!(new.news_since(&old), News::Moved);
        Arc::make_mut(&mut new.fleet).rows.pop();
        assert_eq!(new.news_since(&old), News::Changed, "an instance less");

        let mut new = old.clone();
        let facts = Arc::make_mut(&mut new.facts);
        facts.version += 1;
        assert_eq!(new.news_since(&old), News::Nothing, "said again");
        let facts = Arc::make_mut(&mut new.facts);
        facts.readings.push(Reading {
            source: SourceId::Commitments,
            scope: Scope::new("111111111111", "-"),
            taken_at: None,
            coverage: 0.0,
            state: SourceState::Live,
        });
        assert_eq!(new.news_since(&old), News::Readings);
        // What waits for its first answer is made anew when that has come.
        let mut early = new.clone();
        Arc::make_mut(&mut early.facts).readings[0].state = SourceState::Loading;
        assert_eq!(early.news_since(&new), News::Changed);
        assert_eq!(new.news_since(&early), News::Changed);
        let hour = crate::domain::FleetHour {
            hour: Hour(1),
            scope: Scope::new("111111111111", "eu-west-1"),
            looks: 1,
            seen: crate::domain::TypeCounts::default(),
        };
        Arc::make_mut(&mut new.facts).hours = Arc::new(vec![hour]);
        assert_eq!(new.news_since(&old), News::Changed);

        let mut new = old.clone();
        Arc::make_mut(&mut new.gpus).version += 1;
        assert_eq!(new.news_since(&old), News::Moved);
    }
}
