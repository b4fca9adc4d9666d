//! The fields of sums by key.

use std::sync::Arc;

use super::keyed::{Keyed, exact, keyed_fields, list_known};
use crate::analyze::bill::{BillKey, Breakdown};
use crate::domain::bill::{Sums, Usd};
use crate::view::table_field::fields;
use crate::view::{TableField, Value, ViewContext};

/// Sums of one combination of values.
#[derive(Clone, Debug, PartialEq)]
pub struct BillRow {
    /// Values of the keys.
    pub keyed: Keyed,
    /// Sums.
    pub sums: Sums,
    /// Share of the effective cost of all rows, 0–1, negative for credits; `None` where that is 0.
    pub share: Option<f64>,
}

/// Rows of a breakdown, in its order.
pub fn bill_rows(of: &Breakdown) -> Arc<[Arc<BillRow>]> {
    let keys: Arc<[BillKey]> = of.keys.clone().into();
    let total = of.total.effective;
    let share = |usd: Usd| (!total.is_zero()).then(|| usd.to_f64() / total.to_f64());
    of.rows
        .iter()
        .map(|row| {
            Arc::new(BillRow {
                keyed: Keyed::new(&keys, &row.values),
                sums: row.sums,
                share: share(row.sums.effective),
            })
        })
        .collect()
}

keyed_fields! {
    /// A field of sums by key.
    pub enum BillField => FIELDS {
        Effective number(Usd) "effective_usd" ["$", "usd", "effective"] "EFFECTIVE" 14 unit("$") by('e')
            "Effective cost: commitments spread over what they cover.";
        Billed number(Usd) "billed_usd" ["billed"] "BILLED" 14 unit("$") by('b') "What the invoice charges.";
        List number(Usd) "list_usd" ["list"] "LIST" 14 unit("$") by('l')
            "At public on-demand prices, of lines that say it.";
        Net number(Usd) "net_usd" ["net"] "NET" 14 unit("$") by('n')
            "Effective cost after private discounts; as the effective one where the bill does not tell them.";
        Share number(Percent) "share" [] "SHARE" 6 by('h') "Share of the effective cost of all rows.";
        Lines number(Count) "line_items" ["lines"] "LINES" 9 "Number of line items.";
    }
}

use BillField as F;

impl TableField for BillField {
    type Row = BillRow;

    const NOUNS: [&'static str; 2] = ["row", "rows"];

    const SCREEN_COLUMNS: &'static [Self] =
        &[F::Service, F::Effective, F::Billed, F::List, F::Share];
    const DROPPED_FIRST: &'static [Self] = &[F::Lines, F::Net, F::List, F::Share, F::Billed];

    fields!(FIELDS);

    fn value<'a>(self, row: &'a BillRow, _: &ViewContext) -> Value<'a> {
        match self {
            F::Effective => Value::Usd(row.sums.effective),
            F::Billed => Value::Usd(row.sums.billed),
            F::List => exact(list_known(&row.sums)),
            F::Net => Value::Usd(row.sums.net),
            F::Share => Value::number(row.share.map(|share| share * 100.0)),
            F::Lines => Value::Number(row.sums.lines as f64),
            key => row.keyed.value(key.spec().name),
        }
    }

    fn id(row: &BillRow) -> &Arc<str> {
        &row.keyed.id
    }

    fn usd_per_hour(_: &BillRow) -> Option<f64> {
        None
    }

    fn tag<'a>(row: &'a BillRow, key: &str) -> Option<&'a str> {
        row.keyed.tag(key)
    }

    fn any_text(row: &BillRow, holds: impl FnMut(&str) -> bool) -> bool {
        row.keyed.any_text(holds)
    }
}
