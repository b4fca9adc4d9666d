//! The list of sources: what each said last, and when. What is dark says nothing by itself; this list does.

use std::sync::Arc;

use crate::domain::{Reading, SourceError, SourceState};
use crate::view::table_field::{field_table, fields};
use crate::view::{Origin, TableField, Value, ViewContext};

/// Names of the states of a source.
const STATES: [&str; 4] = ["live", "cached", "part", "failed"];

/// A source in one scope.
#[derive(Clone, Debug, PartialEq)]
pub struct SourceItem {
    /// Source and scope; unique among the rows.
    id: Arc<str>,
    of: Reading,
}

/// A row for each reading.
pub fn source_rows(readings: &[Reading]) -> Arc<[Arc<SourceItem>]> {
    let row = |of: &Reading| {
        let id = format!("{} {}", of.source.word(), of.scope).into();
        Arc::new(SourceItem { id, of: of.clone() })
    };
    Reading::merged(readings).iter().map(row).collect()
}

field_table! {
    /// A field of a source.
    pub enum SourceField => FIELDS {
        Source text "source" [] "SOURCE" 12 by('s') "The source, as the header names it.";
        Account text "account" [] "ACCOUNT" 12 by('a') "Account id; - where it is of none.";
        Region text "region" [] "REGION" 14 by('r') "Region; - where it is of a whole account.";
        State choice(STATES) "state" [] "STATE" 6 by('t')
            "live = answered now; cached = of an earlier run; part = answered for a part of what was asked; failed.";
        Age number(Seconds) "age" [] "AGE" 6 by('g') "Since it last answered; unknown where it never did.";
        Coverage number(Percent) "coverage" ["cov"] "COV" 4 smallest_first by('c')
            "Share of what was asked that was answered.";
        Message text "message" ["error"] "MESSAGE" 30 wide by('m') "What failed.";
        Fix text "fix" [] "FIX" 30 wide "What helps.";
    }
}

use SourceField as F;

impl TableField for SourceField {
    type Row = SourceItem;

    const NOUNS: [&'static str; 2] = ["source", "sources"];

    const SCREEN_COLUMNS: &'static [Self] = &Self::ALL;
    const DROPPED_FIRST: &'static [Self] = &[F::Fix, F::Message];

    fields!(FIELDS);

    fn value<'a>(self, row: &'a SourceItem, ctx: &ViewContext) -> Value<'a> {
        let of = &row.of;
        let error = of.failed();
        match self {
            F::Source => Value::text(of.source.word()),
            F::Account => Value::text(&of.scope.account),
            F::Region => Value::text(&of.scope.region),
            F::State => Value::text(match of.state {
                SourceState::Failed(_) => "failed",
                SourceState::Cached | SourceState::Loading => "cached",
                SourceState::Live if of.coverage < 1.0 => "part",
                SourceState::Live => "live",
            }),
            F::Age => Value::since(of.taken_at, ctx.now),
            F::Coverage => Value::Number(f64::from(of.coverage) * 100.0),
            F::Message => Value::maybe(error.map(|error| error.message.as_str())),
            F::Fix => Value::maybe(error.map(SourceError::advice)),
        }
    }

    fn id(row: &SourceItem) -> &Arc<str> {
        &row.id
    }

    fn usd_per_hour(_: &SourceItem) -> Option<f64> {
        None
    }

    fn any_text(row: &SourceItem, mut holds: impl FnMut(&str) -> bool) -> bool {
        holds(&row.id) || row.of.failed().is_some_and(|error| holds(&error.message))
    }

    fn origin(row: &SourceItem) -> Origin<'_> {
        Origin::of(&row.of.scope)
    }
}
