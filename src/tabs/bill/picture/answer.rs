//! What the bills answer to a question of the tab.

use std::sync::Arc;

use super::{
    AnatomyItem, AnomalyRow, BillRow, ChangedRow, ReconcileRow, anatomy_rows, anomaly_rows,
    bill_rows, changed_rows, reconcile_rows,
};
use crate::analyze::bill::anomalies::{AnomalySettings, by_provider};
use crate::analyze::bill::reconcile::{LiveBurn, reconcile};
use crate::analyze::bill::{
    Anatomy, BillKey, BillSettings, Measured, MonthPicture, Only, anatomy, breakdown, changes,
    month,
};
use crate::domain::bill::{Bill, BillHead, Month, Sums};

/// What is asked of a month.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BillView {
    /// What was paid, by keys.
    Costs,
    /// What changed against the month before, by keys.
    Changes,
    /// What is out of the ordinary; of the whole bill.
    Anomalies,
    /// Its days beside live burn; of the whole bill.
    LiveBurn,
}

/// A question to the bills that are kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BillQuestion {
    /// Month; `None` for the newest one.
    pub period: Option<Month>,
    /// What is asked of it.
    pub view: BillView,
    /// Keys of the rows; one or two, where the rows have keys. Where they have none, the key that the bills are chosen by.
    pub keys: Vec<BillKey>,
    /// What the rows are only of; empty for the whole bill, as always but of costs.
    pub only: Vec<Only>,
}

/// The month that a question is of, of all bills that are kept: the newest one where the month asked for has none. `None`
/// without bills.
pub fn period_of(asked: Option<Month>, heads: &[BillHead]) -> Option<Month> {
    let asked = asked.filter(|period| heads.iter().any(|head| head.period == *period));
    asked.or_else(|| heads.iter().map(|head| head.period).max())
}

/// What is known of a month, whatever is asked of it.
#[derive(Clone, Debug)]
pub struct BillSummary {
    /// The month.
    pub period: Month,
    /// Its days, its sum so far, its end.
    pub month: MonthPicture,
    /// Its anatomy.
    pub anatomy: Anatomy,
}

/// Rows of all lists. Those of a list that was not asked for are empty.
#[derive(Clone, Debug, Default)]
pub struct BillRows {
    /// By the keys, costliest first.
    pub breakdown: Arc<[Arc<BillRow>]>,
    /// The anatomy; always there.
    pub anatomy: Arc<[Arc<AnatomyItem>]>,
    /// What changed, largest change first; empty also without a month before.
    pub changes: Arc<[Arc<ChangedRow>]>,
    /// What is out of the ordinary, largest difference first.
    pub anomalies: Arc<[Arc<AnomalyRow>]>,
    /// Days beside live burn, oldest first; empty also where nobody looked.
    pub days: Arc<[Arc<ReconcileRow>]>,
}

/// The answer to a [`BillQuestion`].
#[derive(Clone, Debug)]
pub struct BillPicture {
    /// The question.
    pub question: BillQuestion,
    /// Months of which a bill is kept, first one first.
    pub periods: Vec<Month>,
    /// The month; `None` where no bill is kept.
    pub period: Option<Month>,
    /// What the bills of the month are; empty where none is kept.
    pub heads: Vec<BillHead>,
    /// Why other bills cannot be read, one sentence each.
    pub unreadable: Vec<String>,
    /// Keys by which they can be broken down.
    pub keys: Vec<BillKey>,
    /// What the bills before it are that the rows rest on: of the month before, and for anomalies of all that tell what is
    /// usual. Empty where none is kept.
    pub before: Vec<BillHead>,
    /// What is known of the month; `None` where no bill is kept.
    pub summary: Option<Arc<BillSummary>>,
    /// Rows of the lists.
    pub rows: BillRows,
    /// True where it was measured what resources did in the month.
    pub is_measured: bool,
    /// Sum of the rows; what the whole bill costs where it was not asked for costs.
    pub total: Sums,
}

/// Bills in memory, and how they are read.
#[derive(Clone, Copy, Debug)]
pub struct BillBooks<'a> {
    /// Heads of all bills that are kept.
    pub heads: &'a [BillHead],
    /// The bills of the month that is asked for and of those before it, one of each export and month.
    pub bills: &'a [Arc<Bill>],
    /// How tags and categories are told.
    pub settings: &'a BillSettings,
    /// What the other tabs measured of resources in the newest month.
    pub measured: &'a Measured,
    /// What was seen live in the month that is asked for; looked at for [`BillView::LiveBurn`] alone.
    pub live: LiveBurn<'a>,
}

impl BillBooks<'_> {
    /// The bills of a month.
    pub fn of(&self, period: Month) -> Vec<Arc<Bill>> {
        self.bills.iter().filter(|bill| bill.head.period == period).cloned().collect()
    }

    fn upto(&self, period: Month) -> Vec<Arc<Bill>> {
        self.bills.iter().filter(|bill| bill.head.period <= period).cloned().collect()
    }

    fn is_newest(&self, period: Month) -> bool {
        self.heads.iter().all(|head| head.period <= period)
    }

    /// Months of which a bill is kept, first one first.
    pub fn periods(&self) -> Vec<Month> {
        let mut periods: Vec<Month> = self.heads.iter().map(|head| head.period).collect();
        periods.sort_unstable();
        periods.dedup();
        periods
    }

    /// What is known of a month. What was measured is of the newest one: of the others nothing was.
    pub fn summary(&self, period: Month) -> BillSummary {
        let nothing = Measured::default();
        let measured = if self.is_newest(period) { self.measured } else { &nothing };
        BillSummary {
            period,
            month: month(&self.upto(period)),
            anatomy: anatomy(&self.of(period), self.settings, measured),
        }
    }

    /// Answers a question; `summary` is what is known of its month, where it was made before. Fails with the reason, one
    /// sentence, where the bills do not tell it.
    pub fn answer(
        &self,
        question: &BillQuestion,
        summary: Option<&Arc<BillSummary>>,
    ) -> Result<BillPicture, String> {
        let periods = self.periods();
        let period = period_of(question.period, self.heads);
        let mut picture = BillPicture {
            question: question.clone(),
            periods,
            period,
            heads: Vec::new(),
            unreadable: Vec::new(),
            keys: Vec::new(),
            before: Vec::new(),
            summary: None,
            rows: BillRows::default(),
            is_measured: false,
            total: Sums::default(),
        };
        let Some(period) = period else { return Ok(picture) };
        let bills = self.of(period);
        let known = summary.filter(|summary| summary.period == period).cloned();
        let mut before = self.of(period.plus(-1));
        let summary = known.unwrap_or_else(|| Arc::new(self.summary(period)));
        let rows = &mut picture.rows;
        picture.total = bills.iter().map(|bill| &bill.head.total).sum();
        match question.view {
            BillView::Costs => {
                let found = breakdown(&bills, &question.keys, &question.only, self.settings);
                let found = found.map_err(|e| e.to_string())?;
                rows.breakdown = bill_rows(&found);
                picture.total = found.total;
            }
            BillView::Changes if before.is_empty() => {}
            BillView::Changes => {
                let found = changes(&before, &bills, &question.keys, self.settings);
                rows.changes = changed_rows(&found.map_err(|e| e.to_string())?);
            }
            BillView::Anomalies => {
                before = self.upto(period.plus(-1));
                let settings = AnomalySettings::default();
                let found = by_provider(&self.upto(period), period, &settings);
                rows.anomalies = anomaly_rows(found, &settings);
            }
            BillView::LiveBurn => rows.days = reconcile_rows(reconcile(&bills, &self.live)),
        }
        rows.anatomy = anatomy_rows(&summary.anatomy);
        picture.keys = keys(&bills);
        picture.is_measured = self.is_newest(period) && !self.measured.is_empty();
        let heads = |bills: &[Arc<Bill>]| bills.iter().map(|bill| bill.head.clone()).collect();
        (picture.heads, picture.before) = (heads(&bills), heads(&before));
        picture.summary = Some(summary);
        Ok(picture)
    }
}

/// Keys by which bills can be broken down: those that each has, and the tags that they keep.
fn keys(bills: &[Arc<Bill>]) -> Vec<BillKey> {
    let mut keys = BillKey::ALL.to_vec();
    if !bills.iter().any(|bill| bill.head.has_resources) {
        keys.retain(|key| *key != BillKey::Resource);
    }
    for tag in bills.iter().flat_map(|bill| &bill.tag_keys) {
        let key = BillKey::Tag(tag.clone());
        if !keys.contains(&key) {
            keys.push(key);
        }
    }
    keys
}
