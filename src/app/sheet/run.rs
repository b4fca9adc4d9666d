//! A run, as its messages tell it.

use std::sync::Arc;

use crate::act::plan::{Confirmed, Outcome, OutcomeKind, Progress, Verified};
use crate::domain::InstanceState;

/// How a row is doing.
#[derive(Clone, Debug, PartialEq)]
pub enum Standing {
    /// Its turn has not come.
    Waiting,
    /// Looked at once more.
    Rechecking,
    /// The call goes out.
    Calling,
    /// The call was accepted.
    Accepted,
    /// Seen in this state.
    Seen(InstanceState),
    /// It has its outcome.
    Finished(Outcome),
}

/// A run, and what came of it.
#[derive(Clone, Debug)]
pub struct Run {
    confirmed: Arc<Confirmed>,
    standings: Vec<Standing>,
    ended: Option<Result<Arc<Verified>, String>>,
    /// True from when its end was on the screen.
    pub(super) seen: bool,
}

impl Run {
    /// A run that begins.
    pub fn new(confirmed: Arc<Confirmed>) -> Self {
        let standings = vec![Standing::Waiting; confirmed.rows().len()];
        Self { confirmed, standings, ended: None, seen: false }
    }

    /// What was confirmed.
    pub fn confirmed(&self) -> &Arc<Confirmed> {
        &self.confirmed
    }

    /// How each row is doing, in the order of [`Confirmed::rows`].
    pub fn standings(&self) -> &[Standing] {
        &self.standings
    }

    /// How it ended; `None` while it runs.
    pub fn ended(&self) -> Option<&Result<Arc<Verified>, String>> {
        self.ended.as_ref()
    }

    /// True when it has ended.
    pub fn is_over(&self) -> bool {
        self.ended.is_some()
    }

    /// Number of rows that have their outcome.
    pub fn finished(&self) -> usize {
        self.standings.iter().filter(|s| matches!(s, Standing::Finished(_))).count()
    }

    /// Rows for which a call is or may be on its way.
    pub fn in_flight(&self) -> usize {
        let flying =
            |s: &&Standing| matches!(s, Standing::Calling | Standing::Accepted | Standing::Seen(_));
        self.standings.iter().filter(flying).count()
    }

    /// Takes in what happened. A row that has its outcome keeps it.
    pub(super) fn take(&mut self, progress: &Progress) {
        match progress {
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

    /// It ended; what the end says of a row is the last word.
    pub(super) fn end(&mut self, ended: Result<Arc<Verified>, String>) {
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

    /// How many rows ended so.
    pub fn count(&self, kind: OutcomeKind) -> usize {
        let of = |s: &&Standing| matches!(s, Standing::Finished(o) if o.kind == kind);
        self.standings.iter().filter(of).count()
    }

    /// The commands that take back what was done or may have been done, one per line.
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
