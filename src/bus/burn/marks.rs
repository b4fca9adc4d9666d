//! The instances of former moments, to say what changed since.

use std::collections::HashMap;
use std::sync::Arc;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::is_hours_ago;
use crate::domain::{Moved, Since, SinceWhat, VerdictKind};
use crate::fleet::{Fleet, Row};

/// Names that a change tells.
const NAMES: usize = 3;
/// A moment is yesterday from this many hours on, and until that many.
const YESTERDAY_HOURS: (i64, i64) = (24, 72);

/// An instance as it was.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Was {
    id: Arc<str>,
    name: Arc<str>,
    usd_per_hour: Option<f64>,
    waste_usd_per_hour: Option<f64>,
    use_of: Use,
}

/// What a verdict says of use.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
enum Use {
    Idle,
    Used,
    Unknown,
}

impl Use {
    fn of(row: &Row) -> Self {
        use VerdictKind::{Busy, Idle, Partial, Underused};
        match row.verdict.as_ref().map(|verdict| verdict.kind) {
            Some(Idle) => Self::Idle,
            Some(Busy | Partial | Underused) => Self::Used,
            _ => Self::Unknown,
        }
    }
}

/// The running instances of a moment.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Mark {
    at: Timestamp,
    running: Vec<Was>,
}

impl Mark {
    /// Those of `fleet`.
    pub fn of(fleet: &Fleet, at: Timestamp) -> Self {
        let running = fleet.rows.iter().filter(|row| row.instance.state.is_billed());
        let was = |row: &Arc<Row>| Was {
            id: row.instance.id.clone(),
            name: name(row),
            usd_per_hour: row.usd_per_hour(),
            waste_usd_per_hour: row.waste_usd_per_hour(),
            use_of: Use::of(row),
        };
        Self { at, running: running.map(was).collect() }
    }

    /// Sum of what is known; `None` where nothing of what runs is.
    fn sum(&self, of: impl Fn(&Was) -> Option<f64>) -> Option<f64> {
        let known: Vec<f64> = self.running.iter().filter_map(of).collect();
        (self.running.is_empty() || !known.is_empty()).then(|| known.iter().sum())
    }

    /// What changed from then to `now`.
    fn until(&self, now: &Self, what: SinceWhat) -> Since {
        let then: HashMap<&str, &Was> = self.running.iter().map(|was| (&*was.id, was)).collect();
        let here: HashMap<&str, &Was> = now.running.iter().map(|is| (&*is.id, is)).collect();
        let turned = |from: Use, to: Use| {
            let is = |is: &&Was| {
                is.use_of == to && then.get(&*is.id).is_some_and(|was| was.use_of == from)
            };
            moved(now.running.iter().filter(is))
        };
        Since {
            what,
            at: self.at,
            burn: [self, now].map(|mark| mark.sum(|was| was.usd_per_hour)),
            waste: [self, now].map(|mark| mark.sum(|was| was.waste_usd_per_hour)),
            new: moved(now.running.iter().filter(|is| !then.contains_key(&*is.id))),
            gone: moved(self.running.iter().filter(|was| !here.contains_key(&*was.id))),
            woke: turned(Use::Idle, Use::Used),
            idled: turned(Use::Used, Use::Idle),
        }
    }
}

fn name(row: &Row) -> Arc<str> {
    let instance = &row.instance;
    if instance.name.is_empty() { instance.id.clone() } else { instance.name.clone() }
}

fn moved<'a>(all: impl Iterator<Item = &'a Was>) -> Moved {
    let mut all: Vec<&Was> = all.collect();
    let usd = |was: &&Was| was.usd_per_hour.unwrap_or(0.0);
    all.sort_by(|a, b| usd(b).total_cmp(&usd(a)).then_with(|| a.id.cmp(&b.id)));
    Moved {
        instances: all.len() as u32,
        usd_per_hour: all.iter().map(usd).sum(),
        unpriced: all.iter().filter(|was| was.usd_per_hour.is_none()).count() as u32,
        names: all.iter().take(NAMES).map(|was| was.name.clone()).collect(),
    }
}

/// Former moments.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Marks {
    /// The newest of the run that wrote them.
    newest: Option<Mark>,
    /// At least a day old, once there is one.
    day: Option<Mark>,
    /// Becomes `day` when it is a day old.
    next_day: Option<Mark>,
    /// The last one of the run before this; kept by none.
    #[serde(skip)]
    last_run: Option<Option<Arc<Mark>>>,
}

impl Marks {
    /// What changed since yesterday and since the last run, as far as anything is known of them.
    pub fn since(&mut self, fleet: &Fleet, now: Timestamp) -> Vec<Since> {
        let newest = &self.newest;
        let last_run = self.last_run.get_or_insert_with(|| newest.clone().map(Arc::new)).clone();
        let (least, most) = YESTERDAY_HOURS;
        let is_yesterday =
            |mark: &&Mark| is_hours_ago(mark.at, now, least) && !is_hours_ago(mark.at, now, most);
        let by_age = |mark: &&Mark| mark.at;
        let days = [self.day.as_ref(), self.next_day.as_ref(), last_run.as_deref()];
        let days = days.into_iter().flatten();
        let yesterday = days.filter(is_yesterday).max_by_key(by_age);
        let here = Mark::of(fleet, now);
        // A clock that was set back makes no past.
        let last_run = last_run.as_deref().filter(|mark| mark.at < now);
        [(SinceWhat::Yesterday, yesterday), (SinceWhat::LastRun, last_run)]
            .into_iter()
            .filter_map(|(what, mark)| Some(mark?.until(&here, what)))
            .collect()
    }

    /// Remembers the present moment.
    pub fn note(&mut self, mark: Mark) {
        let now = mark.at;
        let is_day_old = |kept: &Mark| is_hours_ago(kept.at, now, YESTERDAY_HOURS.0);
        if self.next_day.as_ref().is_some_and(is_day_old) {
            self.day = self.next_day.take();
        }
        // One of the future comes from a wrong clock.
        if self.next_day.as_ref().is_none_or(|kept| kept.at > now) {
            self.next_day = Some(mark.clone());
        }
        self.newest = Some(mark);
    }
}
