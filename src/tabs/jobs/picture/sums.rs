//! The fields of sums of attempts by a key.

use std::sync::Arc;

use super::attempts::{hours, usd};
use crate::analyze::jobs::{Tax, TaxKey, TaxSums};
use crate::view::table_field::{field_table, fields};
use crate::view::{TableField, Value, ViewContext};

/// What sums can be made by, each with its word.
pub fn sum_keys() -> impl Iterator<Item = (&'static str, TaxKey)> {
    TaxKey::ALL.into_iter().map(|key| (key.word(), key))
}

/// Sums of a list.
#[derive(Clone, Debug, PartialEq)]
pub struct TaxItem {
    /// Value of the key; unique among the rows of a list.
    pub id: Arc<str>,
    /// Value of the key; `None` where attempts have none.
    pub value: Option<Arc<str>>,
    /// Sums.
    pub sums: TaxSums,
}

/// Rows of sums, in their order.
pub fn tax_rows(of: &Tax) -> Arc<[Arc<TaxItem>]> {
    let row = |row: &crate::analyze::jobs::TaxRow| {
        // A blank before a value that is there: none is not the empty text.
        let id = row.value.as_deref().map_or(String::new(), |value| format!(" {value}"));
        Arc::new(TaxItem { id: id.into(), value: row.value.clone(), sums: row.sums })
    };
    of.rows.iter().map(row).collect()
}

field_table! {
    /// A field of sums of attempts.
    pub enum TaxField => FIELDS {
        Key text "key" [] "KEY" 21 key wide by('k') "Value of what sums are made by.";
        Attempts number(Count) "attempts" [] "ATTEMPTS" 8 by('t') "Number of attempts.";
        GpuHours number(Count) "gpu_hours" ["hours"] "GPU-HOURS" 10 by('h') "GPU-hours held.";
        Usd number(Usd) "usd" ["$"] "COST" 12 unit("$") by('c') "What they cost.";
        LostHours number(Count) "lost_gpu_hours" ["lost"] "LOST" 10 by('l') "GPU-hours that came to nothing.";
        LostUsd number(Usd) "lost_usd" [] "LOST COST" 12 unit("$") by('o') "Dollars that came to nothing.";
        LostShare number(Percent) "lost_share" ["share"] "SHARE" 6 by('s') "Share of the GPU-hours that came to nothing.";
        CancelledHours number(Count) "cancelled_gpu_hours" ["cancelled"] "CANCELLED" 10
            "GPU-hours of cancelled attempts.";
        CancelledUsd number(Usd) "cancelled_usd" [] "CANCELLED COST" 14 unit("$") "Dollars of cancelled attempts.";
        Unpriced number(Count) "unpriced_attempts" ["unpriced"] "NO PRICE" 8
            "Attempts of which the dollars are not known: they are in no sum.";
        NoGpus number(Count) "unknown_gpu_attempts" [] "NO GPUS" 7
            "Attempts of which the GPU-hours are not known: they are in no sum.";
    }
}

use TaxField as F;

impl TableField for TaxField {
    type Row = TaxItem;

    const NOUNS: [&'static str; 2] = ["row", "rows"];

    const SCREEN_COLUMNS: &'static [Self] =
        &[F::Key, F::Attempts, F::GpuHours, F::Usd, F::LostHours, F::LostUsd, F::LostShare];
    const DROPPED_FIRST: &'static [Self] = &[F::Attempts, F::LostShare, F::Usd];

    fields!(FIELDS);

    fn value<'a>(self, row: &'a TaxItem, _: &ViewContext) -> Value<'a> {
        let sums = &row.sums;
        match self {
            F::Key => Value::maybe(row.value.as_deref()),
            F::Attempts => Value::Number(sums.attempts as f64),
            F::GpuHours => hours(Some(sums.gpu_time)),
            F::Usd => usd(sums.usd_known()),
            F::LostHours => hours(Some(sums.lost)),
            F::LostUsd => usd(sums.lost_usd_known()),
            F::LostShare => Value::number(sums.lost_share().map(|share| share * 100.0)),
            F::CancelledHours => hours(Some(sums.cancelled)),
            F::CancelledUsd => usd(sums.cancelled_usd_known()),
            F::Unpriced => Value::Number(sums.unpriced as f64),
            F::NoGpus => Value::Number(sums.without_gpu_time as f64),
        }
    }

    fn id(row: &TaxItem) -> &Arc<str> {
        &row.id
    }

    fn usd_per_hour(_: &TaxItem) -> Option<f64> {
        None
    }

    fn any_text(row: &TaxItem, mut holds: impl FnMut(&str) -> bool) -> bool {
        row.value.iter().any(|value| holds(value))
    }
}
