//! A run, as its messages tell it.

use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};

use crate::act::plan::{Confirmed, Outcome, OutcomeKind, Progress, Verified};
use crate::domain::InstanceState;

/// How long the end of a run is told outside its page.
const TOLD_FOR: SignedDuration = SignedDuration::from_secs(30);

/// For how many keys it is told there.
const TOLD_KEYS: u8 = 5;

/// Progress of one row of a run.
#[derive(Clone, Debug, PartialEq)]
pub enum Standing {
    /// Not yet begun.
    Waiting,
    /// The instance is inspected once more.
    Rechecking,
    /// The call is being made.
    Calling,
    /// AWS accepted the call.
    Accepted,
    /// The instance was observed in this state.
    Seen(InstanceState),
    /// The row has its outcome.
    Finished(Outcome),
}

/// A running or finished plan.
#[derive(Clone, Debug)]
pub struct Run {
    confirmed: Arc<Confirmed>,
    /// Its id in the audit log; `None` until it is told.
    id: Option<Arc<str>>,
    standings: Vec<Standing>,
    ended: Option<Result<Arc<Verified>, String>>,
    /// True from when its end was on the screen, or was told for long enough.
    pub(super) seen: bool,
    /// Until when its end is told; `None` while it runs.
    told_until: Option<Timestamp>,
    /// Keys for which its end is still told.
    keys_left: u8,
}

impl Run {
    /// A run that begins, with all rows waiting.
    pub fn new(confirmed: Arc<Confirmed>) -> Self {
        let standings = vec![Standing::Waiting; confirmed.rows().len()];
        let (told_until, keys_left) = (None, TOLD_KEYS);
        Self { confirmed, id: None, standings, ended: None, seen: false, told_until, keys_left }
    }

    /// The confirmed plan.
    pub fn confirmed(&self) -> &Arc<Confirmed> {
        &self.confirmed
    }

    /// Id of the run in the audit log; `None` until it is told.
    pub fn id(&self) -> Option<&str> {
        self.id.as_deref()
    }

    /// Progress of each row, in the order of [`Confirmed::rows`].
    pub fn standings(&self) -> &[Standing] {
        &self.standings
    }

    /// Result of the run; `None` while it runs.
    pub fn ended(&self) -> Option<&Result<Arc<Verified>, String>> {
        self.ended.as_ref()
    }

    /// True when the run has ended.
    pub fn is_over(&self) -> bool {
        self.ended.is_some()
    }

    /// Number of rows that have their outcome.
    pub fn finished(&self) -> usize {
        self.standings.iter().filter(|s| matches!(s, Standing::Finished(_))).count()
    }

    /// Number of rows whose call may be under way.
    pub fn in_flight(&self) -> usize {
        let flying =
            |s: &&Standing| matches!(s, Standing::Calling | Standing::Accepted | Standing::Seen(_));
        self.standings.iter().filter(flying).count()
    }

    /// Takes in what happened. A row that has its outcome keeps it.
    pub(super) fn take(&mut self, progress: &Progress) {
        match progress {
            Progress::Began(id) => self.id = Some(id.clone()),
            Progress::Rechecking(ids) => self.set(ids, &Standing::Rechecking),
            Progress::Calling(ids) => self.set(ids, &Standing::Calling),
            Progress::Accepted(ids) => self.set(ids, &Standing::Accepted),
            Progress::State(id, state) => {
                self.set(std::slice::from_ref(id), &Standing::Seen(*state));
            }
            Progress::Finished(outcome) => {
                let id = outcome.id.clone();
                self.set(&[id], &Standing::Finished(outcome.clone()));
            }
        }
    }

    fn set(&mut self, ids: &[Arc<str>], to: &Standing) {
        for (row, standing) in self.confirmed.rows().iter().zip(&mut self.standings) {
            if ids.contains(&row.item.id) && !matches!(standing, Standing::Finished(_)) {
                *standing = to.clone();
            }
        }
    }

    /// Notes a key that was pressed while another page was on screen.
    pub(super) fn take_key(&mut self) {
        if self.is_over() {
            self.keys_left = self.keys_left.saturating_sub(1);
        }
    }

    /// Until when the end of the run is told outside its page; `None` while it runs, and when it is told no more.
    pub(super) fn told_until(&self) -> Option<Timestamp> {
        self.told_until.filter(|_| !self.seen)
    }

    /// True when the end of the run was told for long enough.
    pub(super) fn is_told(&self, now: Timestamp) -> bool {
        self.is_over() && (self.keys_left == 0 || self.told_until.is_none_or(|until| now >= until))
    }

    /// Notes the end of the run at `now`; its final outcomes replace what was shown per row.
    pub(super) fn end(&mut self, ended: Result<Arc<Verified>, String>, now: Timestamp) {
        self.told_until = Some(now.saturating_add(TOLD_FOR).unwrap_or(now));
        if let Ok(verified) = &ended {
            for (row, standing) in self.confirmed.rows().iter().zip(&mut self.standings) {
                let outcome = verified.outcomes.iter().find(|o| o.id == row.item.id);
                if let Some(outcome) = outcome {
                    *standing = Standing::Finished(outcome.clone());
                }
            }
        }
        self.ended = Some(ended);
    }

    /// Number of rows whose outcome is `kind`.
    pub fn count(&self, kind: OutcomeKind) -> usize {
        let of = |s: &&Standing| matches!(s, Standing::Finished(o) if o.kind == kind);
        self.standings.iter().filter(of).count()
    }

    /// Commands that undo what was or may have been done, one per line.
    pub fn undo(&self) -> Vec<String> {
        let touched = |s: &Standing| match s {
            Standing::Finished(o) => matches!(o.kind, OutcomeKind::Done | OutcomeKind::Unknown),
            _ => true,
        };
        let rows = self.confirmed.rows().iter().zip(&self.standings);
        rows.filter(|(_, standing)| touched(standing))
            .filter_map(|(row, _)| row.undo.as_ref())
            .flat_map(crate::act::plan::Undo::commands)
            .collect()
    }
}
