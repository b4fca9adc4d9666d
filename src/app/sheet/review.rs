//! What the guards said, row by row.

use std::collections::{BTreeSet, HashSet};
use std::sync::Arc;

use crate::act::plan::{CheckedRow, Preflighted, Rules};

/// The page of the guards' answers.
#[derive(Clone, Debug)]
pub struct Review {
    checked: Arc<Preflighted>,
    /// Row under the cursor; one beyond the last is the button.
    cursor: usize,
    unfolded: BTreeSet<usize>,
    /// What the rows that the sums are over save together, commitments considered, USD/h.
    net_usd_per_hour: Option<f64>,
}

/// Sums over a review.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Tally {
    /// Rows that may be acted on.
    pub go: usize,
    /// Rows that left the plan for what the instance is.
    pub blocked: usize,
    /// Rows that would go if the session were armed for their account.
    pub unarmed: usize,
    /// What the rows that go are said to save, USD/h, gross.
    pub saves_usd_per_hour: f64,
    /// What the bill falls by when they stop together, commitments considered, USD/h; `None` when not
    /// known.
    pub net_usd_per_hour: Option<f64>,
    /// Of them without a known saving.
    pub unpriced: usize,
    /// What they cost while they run, USD/h at list price.
    pub rate_usd_per_hour: f64,
    /// Of them without a known price.
    pub rate_unknown: usize,
    /// What goes on billing of them, USD per month of 730 h.
    pub stays_usd_per_month: f64,
    /// Volumes that go on billing at a price that is not known.
    pub stays_unpriced: usize,
    /// Instance-store data that are lost, GB.
    pub instance_store_gb: u64,
    /// Instances that lose them.
    pub losing: usize,
    /// Production instances that go.
    pub production: usize,
}

impl Tally {
    /// Rows that the sums are over.
    pub fn any(&self) -> usize {
        if self.go > 0 { self.go } else { self.unarmed }
    }
}

impl Review {
    /// The page of what was checked.
    pub fn new(checked: Arc<Preflighted>) -> Self {
        Self { checked, cursor: 0, unfolded: BTreeSet::new(), net_usd_per_hour: None }
    }

    /// The same with what `net` says that the rows save together which the sums are over.
    #[must_use]
    pub fn with_net(mut self, net: impl FnOnce(&HashSet<Arc<str>>) -> Option<f64>) -> Self {
        let counted = self.counted().map(|row| row.item.id.clone()).collect();
        self.net_usd_per_hour = net(&counted);
        self
    }

    /// The rows that the sums are over: those that go; where none may for want of arming, those that
    /// would.
    fn counted(&self) -> impl Iterator<Item = &CheckedRow> {
        let any_goes = self.checked.passed().next().is_some();
        let rows = self.checked.rows.iter();
        rows.filter(move |row| if any_goes { !row.is_blocked() } else { row.is_only_unarmed() })
    }

    /// What was checked.
    pub fn checked(&self) -> &Arc<Preflighted> {
        &self.checked
    }

    /// The row under the cursor; one beyond the last is the button.
    pub fn cursor(&self) -> usize {
        self.cursor
    }

    /// True when the cursor is on the button.
    pub fn on_button(&self) -> bool {
        self.cursor >= self.checked.rows.len()
    }

    /// True when all that is known of a row is shown.
    pub fn is_unfolded(&self, row: usize) -> bool {
        self.unfolded.contains(&row)
    }

    /// Moves the cursor, stopping at the ends.
    pub fn step(&mut self, lines: isize) {
        self.cursor = self.cursor.saturating_add_signed(lines).min(self.checked.rows.len());
    }

    /// Shows all that is known of the row under the cursor, or hides it again.
    pub fn fold(&mut self) {
        if !self.on_button() && !self.unfolded.remove(&self.cursor) {
            self.unfolded.insert(self.cursor);
        }
    }

    /// Why nothing can be confirmed from here; `None` when a dialog may open.
    pub fn obstacle(&self, rules: &Rules) -> Option<String> {
        let mut passed = self.checked.passed().peekable();
        let may_act = |row: &CheckedRow| rules.account(&row.item.scope.account).may_act();
        if read_only(&self.checked, rules) {
            let fix = rules.withheld().unwrap_or("start with --allow-actions to arm");
            return Some(format!("read-only: nothing can be run; {fix}"));
        }
        if passed.peek().is_none() {
            return Some("every row is blocked; there is nothing to do".into());
        }
        if let Some(row) = passed.find(|row| !may_act(row)) {
            let account = &row.item.scope.account;
            return Some(format!("account {account} is read-only; leave its rows out"));
        }
        self.checked.breaches.first().map(ToString::to_string)
    }

    /// The sums.
    pub fn tally(&self) -> Tally {
        let rows = &self.checked.rows;
        let mut tally = Tally {
            go: self.checked.passed().count(),
            unarmed: rows.iter().filter(|r| r.is_only_unarmed()).count(),
            ..Tally::default()
        };
        tally.blocked = rows.len() - tally.go - tally.unarmed;
        tally.net_usd_per_hour = self.net_usd_per_hour;
        for row in self.counted() {
            tally.production += usize::from(row.production);
            match row.item.usd_per_hour {
                Some(usd) => tally.rate_usd_per_hour += usd,
                None => tally.rate_unknown += 1,
            }
            match row.stakes.saves_usd_per_hour {
                Some(usd) => tally.saves_usd_per_hour += usd,
                None => tally.unpriced += 1,
            }
            for volume in &row.stakes.stays {
                match volume.usd_per_month {
                    Some(usd) => tally.stays_usd_per_month += usd,
                    None => tally.stays_unpriced += 1,
                }
            }
            tally.instance_store_gb += row.stakes.instance_store_gb;
            tally.losing += usize::from(row.stakes.instance_store_gb > 0);
        }
        tally
    }
}

/// True when no account of the plan may be changed.
pub fn read_only(checked: &Preflighted, rules: &Rules) -> bool {
    !checked.rows.iter().any(|row| rules.account(&row.item.scope.account).may_act())
}
