//! What can be done to the chosen instances, and what cannot.

use std::sync::Arc;

use jiff::Timestamp;

use super::GRACE;
use crate::act::plan::{EXPIRES_TAG, Verb};
use crate::domain::{InstanceState, VerdictKind};
use crate::fleet::Row;

/// Kind of action, without its parameters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VerbKind {
    /// Stop.
    Stop,
    /// Mark for later.
    Mark,
    /// Terminate.
    Terminate,
    /// Start.
    Start,
    /// Remove the mark.
    Unmark,
}

impl VerbKind {
    /// All kinds in the order of the sheet: the least harmful first, the ways back last.
    pub const ALL: [Self; 5] = [Self::Stop, Self::Mark, Self::Terminate, Self::Start, Self::Unmark];

    /// Name shown for the kind.
    pub fn word(self) -> &'static str {
        match self {
            Self::Stop => "stop",
            Self::Mark => "mark",
            Self::Terminate => "terminate",
            Self::Start => "start",
            Self::Unmark => "unmark",
        }
    }

    /// Effect of the choice and what may be lost, one sentence.
    pub fn doc(self) -> &'static str {
        match self {
            Self::Stop => {
                "Stop them. Volumes stay and bill; instance-store data and public addresses are \
                 lost, and the capacity may be gone when you start them again."
            }
            Self::Mark => {
                "Tag them burntop:expires, for a stop later. Loses nothing; the owner has until \
                 then."
            }
            Self::Terminate => {
                "End them for good. Volumes that die with them and instance-store data are lost; \
                 what is kept is how to launch their like."
            }
            Self::Start => {
                "Start them again. They bill from then on, under another public address."
            }
            Self::Unmark => "Take the mark away. Nothing else changes.",
        }
    }

    /// Why it makes no sense for one instance; `None` when it does.
    fn objection(self, row: &Row) -> Option<&'static str> {
        let running = row.instance.state == InstanceState::Running;
        let verdict = row.verdict.as_ref().map(|v| v.kind);
        match self {
            Self::Stop | Self::Terminate | Self::Mark if !running => {
                Some("none of them is running")
            }
            Self::Stop | Self::Terminate => {
                (verdict != Some(VerdictKind::Idle)).then_some("only idle instances, and none is")
            }
            Self::Mark => {
                use VerdictKind::{Idle, Partial, Underused};
                let fits = matches!(verdict, Some(Idle | Partial | Underused));
                (!fits).then_some("only idle, partly idle or underused instances, and none is")
            }
            Self::Start => {
                (row.instance.state != InstanceState::Stopped).then_some("none of them is stopped")
            }
            Self::Unmark => {
                row.instance.tags.get(EXPIRES_TAG).is_none().then_some("none of them is marked")
            }
        }
    }
}

/// A kind of action on the first page of the sheet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Offer {
    /// The kind of action.
    pub verb: VerbKind,
    /// Number of chosen instances that it applies to.
    pub fits: usize,
    /// Why it applies to none of them; `None` where it applies to some.
    pub objection: Option<&'static str>,
}

/// The first page of the sheet: choice of an action.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Choice {
    offers: Vec<Offer>,
    /// Number of rows below the actions, those that are left out included.
    rows: usize,
    /// Entry under the cursor: the actions come first, then the rows.
    cursor: usize,
    /// The action that was under the cursor last.
    action: usize,
    expires: Timestamp,
}

impl Choice {
    /// Actions for `rows`; the cursor is on stop where that applies.
    pub fn of(rows: &[Arc<Row>], now: Timestamp) -> Self {
        let offers = offers(&rows.iter().collect::<Vec<_>>());
        let cursor = offers.iter().position(|o| o.objection.is_none()).unwrap_or(0);
        let expires = now.saturating_add(GRACE).unwrap_or(now);
        Self { offers, rows: rows.len(), cursor, action: cursor, expires }
    }

    /// Judges the actions anew, for the rows that are `left_in` of `all`; the cursor stays.
    pub(super) fn renew(&mut self, left_in: &[&Arc<Row>], all: usize) {
        self.offers = offers(left_in);
        self.rows = all;
        self.step(0);
    }

    /// Kinds of action, in the order of the sheet.
    pub fn offers(&self) -> &[Offer] {
        &self.offers
    }

    /// Index of the entry under the cursor; the rows follow the actions.
    pub fn cursor(&self) -> usize {
        self.cursor
    }

    /// End of the grace period that a mark gives.
    pub fn expires(&self) -> Timestamp {
        self.expires
    }

    /// Index of the row under the cursor, among all rows of the sheet; `None` on an action.
    pub fn row(&self) -> Option<usize> {
        self.cursor.checked_sub(self.offers.len())
    }

    /// Moves the cursor by `lines`, up to the ends.
    pub fn step(&mut self, lines: isize) {
        let last = (self.offers.len() + self.rows).saturating_sub(1);
        self.cursor = self.cursor.saturating_add_signed(lines).min(last);
        if self.row().is_none() {
            self.action = self.cursor;
        }
    }

    /// Brings the cursor from the rows back to the action that it was on last.
    pub(super) fn go_to_action(&mut self) {
        self.cursor = self.action;
    }

    /// The action under the cursor, with `reason` for marks. Fails with the reason why it does not apply; on a row there
    /// is none.
    pub fn chosen(&self, reason: &str) -> Result<Verb, String> {
        let Some(offer) = self.offers.get(self.cursor) else { return Err(String::new()) };
        if let Some(objection) = offer.objection {
            return Err(format!("{}: {objection}", offer.verb.word()));
        }
        Ok(match offer.verb {
            VerbKind::Stop => Verb::Stop,
            VerbKind::Mark => Verb::Mark { expires: self.expires, reason: reason.to_owned() },
            VerbKind::Terminate => Verb::Terminate { decrement: false },
            VerbKind::Start => Verb::Start,
            VerbKind::Unmark => Verb::Unmark,
        })
    }
}

/// What can be done to `rows`, in the order of the sheet.
fn offers(rows: &[&Arc<Row>]) -> Vec<Offer> {
    let offer = |verb: VerbKind| {
        let objections: Vec<&'static str> =
            rows.iter().filter_map(|row| verb.objection(row)).collect();
        let fits = rows.len() - objections.len();
        // Where they differ, what an instance lacks that runs says more.
        let further = objections.iter().find(|o| o.starts_with("only"));
        let objection = further.or(objections.first()).copied().filter(|_| fits == 0);
        Offer { verb, fits, objection }
    };
    VerbKind::ALL.into_iter().map(offer).collect()
}
