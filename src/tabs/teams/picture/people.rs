//! The fields of what engineers and tools cost.

use std::sync::Arc;

use crate::analyze::teams::{Effort, EffortRow, Efforts};
use crate::domain::bill::Usd;
use crate::view::table_field::{field_table, fields};
use crate::view::{TableField, Value, ViewContext};

/// An activity or a tool of a list.
#[derive(Clone, Debug, PartialEq)]
pub struct PeopleItem {
    /// Kind and name; unique among the rows of a list.
    pub id: Arc<str>,
    /// Share of what all rows cost, 0–1; `None` where either is not known.
    pub share: Option<f64>,
    /// The figures.
    pub of: EffortRow,
}

/// Kinds of rows.
const KINDS: [&str; 2] = ["activity", "tool"];

impl PeopleItem {
    const fn kind(&self) -> &'static str {
        match self.of.of {
            Effort::Activity(_) => KINDS[0],
            Effort::Tool(_) => KINDS[1],
        }
    }

    /// Its name.
    pub fn name(&self) -> &str {
        match &self.of.of {
            Effort::Activity(activity) => activity.word(),
            Effort::Tool(name) => name,
        }
    }
}

/// Rows of activities and tools, in their order.
pub fn people_rows(of: &Efforts) -> Arc<[Arc<PeopleItem>]> {
    let whole = of.usd();
    let row = |of: &EffortRow| {
        let share = of.usd().filter(|_| !whole.is_zero()).map(|usd| usd.to_f64() / whole.to_f64());
        let mut item = PeopleItem { id: "".into(), share, of: of.clone() };
        item.id = format!("{} {}", item.kind(), item.name()).into();
        Arc::new(item)
    };
    of.rows.iter().map(row).collect()
}

field_table! {
    /// A field of an activity or a tool.
    pub enum PeopleField => FIELDS {
        Kind choice(KINDS) "kind" [] "KIND" 8 by('k') "activity, or a tool that is kept.";
        Name text "name" [] "NAME" 16 key wide by('n')
            "What engineers spend time on, or the tool. rest = hours of which no activity is said; tooling is without the hours of tools.";
        Hours number(Count) "hours_per_month" ["hours"] "HOURS" 9 unit("h/month") by('h')
            "Hours that it takes in a month of 52/12 weeks; none where not said.";
        People number(Usd) "people_usd" ["people"] "PEOPLE" 12 by('p') "What the hours cost; none where hours or their price are not said.";
        Licence number(Usd) "licence_usd" ["licence"] "LICENCE" 12 by('l') "The licence of a tool; none where not said.";
        Usd number(Usd) "usd" ["$"] "COST" 12 by('c') "Hours and licence together, as far as they are known.";
        Share number(Percent) "share" [] "SHARE" 6 by('s') "Share of what all of them cost.";
        Returned number(Count) "returned_hours_per_month" ["returned"] "RETURNED" 9 unit("h/month") by('r')
            "Hours that automation would return; none where not said.";
        ReturnedUsd number(Usd) "returned_usd" [] "RETURNED $" 12 by('d') "What the returned hours cost.";
    }
}

use PeopleField as F;

impl TableField for PeopleField {
    type Row = PeopleItem;

    const NOUNS: [&'static str; 2] = ["row", "rows"];

    const SCREEN_COLUMNS: &'static [Self] = &[
        F::Kind,
        F::Name,
        F::Hours,
        F::People,
        F::Licence,
        F::Usd,
        F::Share,
        F::Returned,
        F::ReturnedUsd,
    ];
    const DROPPED_FIRST: &'static [Self] = &[F::Returned, F::People, F::Licence, F::Kind];

    fields!(FIELDS);

    fn value<'a>(self, row: &'a PeopleItem, _: &ViewContext) -> Value<'a> {
        let of = &row.of;
        let exact = |usd: Option<Usd>| usd.map_or(Value::Unknown, Value::Usd);
        // To a millionth of an hour, so that what is a decimal is written as one.
        let hours = |hours: f64| (hours * 1e6).round() / 1e6;
        match self {
            F::Kind => Value::text(row.kind()),
            F::Name => Value::text(row.name()),
            F::Hours => Value::number(of.hours.map(|of| hours(of.to_f64()))),
            F::People => exact(of.people),
            F::Licence => exact(of.licence),
            F::Usd => exact(of.usd()),
            F::Share => Value::number(row.share.map(|share| share * 100.0)),
            F::Returned => Value::number(of.returned.map(|of| hours(of.to_f64()))),
            F::ReturnedUsd => exact(of.returned_usd),
        }
    }

    fn id(row: &PeopleItem) -> &Arc<str> {
        &row.id
    }

    fn usd_per_hour(_: &PeopleItem) -> Option<f64> {
        None
    }

    fn any_text(row: &PeopleItem, mut holds: impl FnMut(&str) -> bool) -> bool {
        holds(row.name())
    }
}
