//! The list of what burntop itself costs: one row, today.

use std::sync::Arc;

use crate::domain::OwnCost;
use crate::domain::own_cost::usd_of_micro;
use crate::view::table_field::{field_table, fields};
use crate::view::{TableField, Value, ViewContext, format};

/// Today's own cost.
#[derive(Clone, Debug, PartialEq)]
pub struct OwnCostItem {
    /// Always the same: there is one row.
    id: Arc<str>,
    day: String,
    dearest: String,
    of: OwnCost,
}

/// The row of today.
pub fn own_cost_rows(of: OwnCost) -> Arc<[Arc<OwnCostItem>]> {
    let most = of.apis.iter().max_by_key(|api| api.micro_usd);
    let dearest = most.map_or_else(String::new, |api| {
        let usd = format::usd_fine(usd_of_micro(api.micro_usd), 4);
        format!("{} {usd} for {}", api.name, format::plural(api.calls as usize, "call"))
    });
    let row = OwnCostItem { id: "own_cost".into(), day: of.day.to_string(), dearest, of };
    [Arc::new(row)].into()
}

field_table! {
    /// A field of the own cost.
    pub enum OwnCostField => FIELDS {
        Day text "day" [] "DAY" 10 by('d') "The day, UTC.";
        Spent number(Usd) "spent_usd" ["spent", "$"] "SPENT" 9 unit("$") by('s')
            "What burntop's own calls cost today, all its processes; unknown where the ledger cannot be read.";
        Cap number(Usd) "cap_usd" ["cap"] "CAP" 9 unit("$") by('c') "What they may cost.";
        Share number(Percent) "spent_share" ["used"] "USED" 6 by('u') "Share of the cap that is spent.";
        Dearest text "dearest" [] "MOST BY" 30 wide by('m') "The API that cost most.";
    }
}

use OwnCostField as F;

impl TableField for OwnCostField {
    type Row = OwnCostItem;

    const NOUNS: [&'static str; 2] = ["day", "days"];

    const SCREEN_COLUMNS: &'static [Self] = &Self::ALL;
    const DROPPED_FIRST: &'static [Self] = &[F::Dearest];

    fields!(FIELDS);

    fn value<'a>(self, row: &'a OwnCostItem, _: &ViewContext) -> Value<'a> {
        let of = &row.of;
        let is_known = of.trouble.is_none();
        let cap = of.cap_usd();
        match self {
            F::Day => Value::text(&row.day),
            F::Spent => Value::number(is_known.then(|| of.today_usd())),
            F::Cap => Value::Number(cap),
            F::Share => {
                Value::number((is_known && cap > 0.0).then(|| of.today_usd() / cap * 100.0))
            }
            F::Dearest => Value::text(&row.dearest),
        }
    }

    fn id(row: &OwnCostItem) -> &Arc<str> {
        &row.id
    }

    fn usd_per_hour(_: &OwnCostItem) -> Option<f64> {
        None
    }

    fn any_text(row: &OwnCostItem, mut holds: impl FnMut(&str) -> bool) -> bool {
        holds(&row.dearest)
    }
}
