//! What the guards said, row by row.

use std::collections::{BTreeSet, HashSet};
use std::sync::Arc;

use crate::act::plan::{CheckedRow, Preflighted, Rules};
use crate::fleet::Row;

/// Page with the results of the guards.
#[derive(Clone, Debug)]
pub struct Review {
    checked: Arc<Preflighted>,
    /// Of each row of the sheet its place among the checked ones; `None` for one that is left out.
    places: Vec<Option<usize>>,
    /// Row of the sheet under the cursor; one beyond the last is the button.
    cursor: usize,
    unfolded: BTreeSet<usize>,
    /// What the counted rows save together, commitments considered, USD/h; `None` when not known.
    net_usd_per_hour: Option<f64>,
}

/// Sums over the rows of a review: over those that go, or without any over those that are only unarmed.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Tally {
    /// Rows that pass all guards.
    pub go: usize,
    /// Rows that a guard blocks because of the instance.
    pub blocked: usize,
    /// Rows blocked only because their account is not armed.
    pub unarmed: usize,
    /// Gross saving of the counted rows, USD/h.
    pub saves_usd_per_hour: f64,
    /// Net saving of the counted rows when they stop together, with commitments considered, USD/h; `None` = not
    /// known.
    pub net_usd_per_hour: Option<f64>,
    /// Counted rows without a known saving.
    pub unpriced: usize,
    /// List price of the counted rows, USD/h.
    pub rate_usd_per_hour: f64,
    /// Counted rows without a known price.
    pub rate_unknown: usize,
    /// Cost that remains after the action, USD per month of 730 h.
    pub stays_usd_per_month: f64,
    /// Volumes that remain billed at an unknown price.
    pub stays_unpriced: usize,
    /// Instance-store data that are lost, GB.
    pub instance_store_gb: u64,
    /// Instances that lose instance-store data.
    pub losing: usize,
    /// Production instances among the counted rows.
    pub production: usize,
}

impl Tally {
    /// Number of rows that the sums are over.
    pub fn any(&self) -> usize {
        if self.go > 0 { self.go } else { self.unarmed }
    }
}

impl Review {
    /// The page of a checked plan for the rows of a sheet, with the cursor on row `cursor` of them; those that the plan
    /// does not hold are left out.
    pub fn new(checked: Arc<Preflighted>, rows: &[Arc<Row>], cursor: usize) -> Self {
        let mut left = checked.rows.iter().enumerate().peekable();
        let place = |row: &Arc<Row>| {
            left.next_if(|(_, of)| of.item.id == row.instance.id).map(|(at, _)| at)
        };
        let places = rows.iter().map(place).collect();
        Self { checked, places, cursor, unfolded: BTreeSet::new(), net_usd_per_hour: None }
    }

    /// Sets the net saving (USD/h) of the counted rows, computed by `net` from their ids; `None` = not known.
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

    /// The checked plan.
    pub fn checked(&self) -> &Arc<Preflighted> {
        &self.checked
    }

    /// Of each row of the sheet what its check said; `None` for one that is left out.
    pub fn rows(&self) -> impl Iterator<Item = Option<&CheckedRow>> {
        self.places.iter().map(|place| self.checked.rows.get((*place)?))
    }

    /// Index of the row of the sheet under the cursor; one behind the last is the button.
    pub fn cursor(&self) -> usize {
        self.cursor
    }

    /// True when the cursor is on the button.
    pub fn on_button(&self) -> bool {
        self.cursor >= self.places.len()
    }

    /// True when all details of a row are shown.
    pub fn is_unfolded(&self, row: usize) -> bool {
        self.unfolded.contains(&row)
    }

    /// Moves the cursor by `lines`, up to the ends.
    pub fn step(&mut self, lines: isize) {
        self.cursor = self.cursor.saturating_add_signed(lines).min(self.places.len());
    }

    /// Shows or hides all details of the row under the cursor; one that is left out has none.
    pub fn fold(&mut self) {
        let is_checked = self.places.get(self.cursor).is_some_and(Option::is_some);
        if is_checked && !self.unfolded.remove(&self.cursor) {
            self.unfolded.insert(self.cursor);
        }
    }

    /// Hides the details of the row under the cursor, else of the last one that shows them; false where none does.
    pub(super) fn fold_last(&mut self) -> bool {
        self.unfolded.remove(&self.cursor) || self.unfolded.pop_last().is_some()
    }

    /// Why nothing can be confirmed; `None` where the dialog may open.
    pub fn obstacle(&self, rules: &Rules) -> Option<String> {
        let mut passed = self.checked.passed().peekable();
        let may_act = |row: &CheckedRow| rules.account(&row.item.scope.account).may_act();
        if read_only(&self.checked, rules) {
            let accounts = self.checked.rows.iter().map(|row| &row.item.scope.account);
            let why = why_read_only(rules, accounts);
            let fix = why.as_deref().unwrap_or("start with --allow-actions to arm");
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

    /// Sums over the rows.
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

/// True when actions are allowed in no account of the plan.
pub fn read_only(checked: &Preflighted, rules: &Rules) -> bool {
    !checked.rows.iter().any(|row| rules.account(&row.item.scope.account).may_act())
}

/// Why nothing may be changed in these accounts, each reason once; `None` where `--allow-actions` would allow it in one.
pub fn why_read_only<'a>(
    rules: &Rules,
    accounts: impl Iterator<Item = &'a Arc<str>>,
) -> Option<String> {
    let withheld = || rules.withheld().map(str::to_owned);
    let mut reasons = BTreeSet::new();
    for id in accounts {
        let account = rules.account(id);
        if !account.armed && !account.read_only {
            return withheld();
        }
        reasons.extend(account.why_not());
    }
    if reasons.is_empty() {
        return withheld();
    }
    Some(reasons.into_iter().collect::<Vec<_>>().join("; "))
}
