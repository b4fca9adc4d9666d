//! The fields of the bill beside live burn.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::sync::Arc;

use super::keyed::exact;
use crate::analyze::bill::reconcile::{Cause, ReconcileDay};
use crate::domain::bill::Usd;
use crate::view::table_field::{field_table, fields};
use crate::view::{TableField, Value, ViewContext, format, reasons};

/// A day of the bill beside live burn.
#[derive(Clone, Debug, PartialEq)]
pub struct ReconcileRow {
    /// The day.
    pub id: Arc<str>,
    /// The largest cause with its dollars, in words; empty where nothing differs.
    pub largest: String,
    /// The day.
    pub of: ReconcileDay,
}

/// Rows of days, in their order.
pub fn reconcile_rows(of: Vec<ReconcileDay>) -> Arc<[Arc<ReconcileRow>]> {
    let row = |of: ReconcileDay| {
        let largest = of.explained.iter().max_by_key(|(_, usd)| usd.abs());
        let largest = largest.map(|(cause, usd)| in_words(cause, *usd)).unwrap_or_default();
        Arc::new(ReconcileRow { id: of.day.to_string().into(), largest, of })
    };
    of.into_iter().map(row).collect()
}

/// Dollars of a cause, signed, and why.
pub fn in_words(cause: &Cause, usd: Usd) -> String {
    let usd = format::usd_signed(usd.to_f64(), format::usd);
    format!("{usd} {}", reasons::bill_cause(cause))
}

/// Dollars of all days by cause, the largest first, what is unexplained last.
pub fn dollars_by_cause<'a>(days: impl Iterator<Item = &'a ReconcileRow>) -> Vec<(Cause, Usd)> {
    let mut sums: BTreeMap<&Cause, Usd> = BTreeMap::new();
    for (cause, usd) in days.flat_map(|day| &day.of.explained) {
        *sums.entry(cause).or_default() += *usd;
    }
    let mut all: Vec<(Cause, Usd)> =
        sums.into_iter().map(|(cause, usd)| (cause.clone(), usd)).collect();
    all.sort_by_key(|(cause, usd)| (*cause == Cause::Unexplained, Reverse(usd.abs())));
    all
}

impl ReconcileRow {
    /// Dollars without a cause.
    pub fn unexplained(&self) -> Usd {
        let rest = self.of.explained.iter().filter(|(cause, _)| *cause == Cause::Unexplained);
        rest.map(|(_, usd)| *usd).sum()
    }
}

field_table! {
    /// A field of the bill beside live burn.
    pub enum ReconcileField => FIELDS {
        Day text "day" ["date"] "DAY" 10 key by('d') "Day, UTC.";
        Live number(Usd) "live_usd" ["live"] "LIVE" 13 unit("$") by('l')
            "Live burn of the accounts that were looked at; none where nobody looked.";
        Bill number(Usd) "bill_usd" ["bill"] "BILL" 13 unit("$") by('b')
            "Effective cost of the day, without what is charged for the whole period.";
        Difference number(Usd) "difference_usd" ["difference", "$"] "DIFFERENCE" 13 unit("$") by('f')
            "Bill less live burn; none where nobody looked.";
        Unexplained number(Usd) "unexplained_usd" ["unexplained"] "UNEXPLAINED" 12 unit("$") by('u')
            "Part of the difference without a cause.";
        Explained text "explained" ["why"] "LARGEST CAUSE" 24 wide by('c')
            "The cause that explains most of the difference.";
    }
}

use ReconcileField as F;

impl TableField for ReconcileField {
    type Row = ReconcileRow;

    const NOUNS: [&'static str; 2] = ["day", "days"];

    const SCREEN_COLUMNS: &'static [Self] =
        &[F::Day, F::Live, F::Bill, F::Difference, F::Unexplained, F::Explained];
    const DROPPED_FIRST: &'static [Self] = &[F::Difference, F::Unexplained];

    fields!(FIELDS);

    fn value<'a>(self, row: &'a ReconcileRow, _: &ViewContext) -> Value<'a> {
        let of = &row.of;
        match self {
            F::Day => Value::text(&row.id),
            F::Live => exact(of.live),
            F::Bill => Value::Usd(of.bill),
            F::Difference => exact(of.live.map(|live| of.bill - live)),
            F::Unexplained => Value::Usd(row.unexplained()),
            F::Explained => Value::text(&row.largest),
        }
    }

    fn id(row: &ReconcileRow) -> &Arc<str> {
        &row.id
    }

    fn usd_per_hour(_: &ReconcileRow) -> Option<f64> {
        None
    }

    fn any_text(row: &ReconcileRow, mut holds: impl FnMut(&str) -> bool) -> bool {
        holds(&row.id) || holds(&row.largest)
    }
}
