//! The fields of what changed between two periods.

use std::sync::Arc;

use super::keyed::{Keyed, keyed_fields};
use crate::analyze::bill::{BillKey, Change, Changes};
use crate::view::table_field::fields;
use crate::view::{TableField, Value, ViewContext};

/// What changed in one combination of values.
#[derive(Clone, Debug, PartialEq)]
pub struct ChangedRow {
    /// Values of the keys.
    pub keyed: Keyed,
    /// The change.
    pub change: Change,
}

/// Rows of what changed, in its order.
pub fn changed_rows(of: &Changes) -> Arc<[Arc<ChangedRow>]> {
    let keys: Arc<[BillKey]> = of.keys.clone().into();
    of.rows
        .iter()
        .map(|row| {
            let keyed = Keyed::new(&keys, &row.values);
            Arc::new(ChangedRow { keyed, change: row.change })
        })
        .collect()
}

keyed_fields! {
    /// A field of what changed.
    pub enum ChangeField => FIELDS {
        Before number(Usd) "before_usd" ["before"] "BEFORE" 13 unit("$") by('b')
            "Effective cost of the first period.";
        After number(Usd) "after_usd" ["after"] "AFTER" 13 unit("$") by('a')
            "Effective cost of the second period.";
        Difference number(Usd) "difference_usd" ["difference", "$"] "CHANGE" 13 unit("$") by('c')
            "After less before; the sum of the four columns after it.";
        Price number(Usd) "price_usd" ["price"] "PRICE" 12 unit("$") by('p')
            "Part of the change that comes from another price of a unit.";
        Usage number(Usd) "usage_usd" [] "USAGE" 12 unit("$") by('u')
            "Part that comes from more or less use.";
        New number(Usd) "new_usd" ["new"] "NEW" 12 unit("$") by('n') "Cost of what was not there before.";
        Gone number(Usd) "gone_usd" ["gone"] "GONE" 12 unit("$") by('g')
            "Cost of what is no longer there, negative.";
    }
}

use ChangeField as F;

impl TableField for ChangeField {
    type Row = ChangedRow;

    const NOUNS: [&'static str; 2] = ["row", "rows"];

    const SCREEN_COLUMNS: &'static [Self] =
        &[F::Service, F::Before, F::After, F::Difference, F::Price, F::Usage, F::New, F::Gone];
    const DROPPED_FIRST: &'static [Self] = &[F::Before, F::After];

    fields!(FIELDS);

    fn value<'a>(self, row: &'a ChangedRow, _: &ViewContext) -> Value<'a> {
        let change = &row.change;
        match self {
            F::Before => Value::Usd(change.before),
            F::After => Value::Usd(change.after),
            F::Difference => Value::Usd(change.difference()),
            F::Price => Value::Usd(change.price),
            F::Usage => Value::Usd(change.usage),
            F::New => Value::Usd(change.new),
            F::Gone => Value::Usd(change.gone),
            key => row.keyed.value(key.spec().name),
        }
    }

    fn id(row: &ChangedRow) -> &Arc<str> {
        &row.keyed.id
    }

    fn usd_per_hour(_: &ChangedRow) -> Option<f64> {
        None
    }

    fn tag<'a>(row: &'a ChangedRow, key: &str) -> Option<&'a str> {
        row.keyed.tag(key)
    }

    fn any_text(row: &ChangedRow, holds: impl FnMut(&str) -> bool) -> bool {
        row.keyed.any_text(holds)
    }
}
