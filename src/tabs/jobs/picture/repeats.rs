//! The fields of what was lost again and again.

use std::sync::Arc;

use super::attempts::{hours, usd};
use crate::analyze::jobs::{Repeat, RepeatKind};
use crate::view::reasons::{repeat, repeat_fix};
use crate::view::table_field::{field_table, fields};
use crate::view::{TableField, Value, ViewContext};

/// Rows of what was lost again and again, in their order.
pub fn repeat_rows(of: Vec<Repeat>) -> Arc<[Arc<Repeat>]> {
    of.into_iter().map(Arc::new).collect()
}

field_table! {
    /// A field of what was lost again and again.
    pub enum RepeatField => FIELDS {
        Kind choice(RepeatKind::WORDS) "kind" [] "KIND" 11 key by('k')
            "same_node, same_script, last_hour, sweep. Of an attempt in several the first counts it.";
        Key text "key" ["node", "name"] "WHAT" 26 key wide by('n') "The node; else cluster, user and name of script or sweep.";
        What text "what" [] "HOW" 24 wide "What happened, in words.";
        Attempts number(Count) "attempts" [] "ATTEMPTS" 8 by('t') "Number of attempts.";
        LostHours number(Count) "lost_gpu_hours" ["lost"] "LOST" 10 by('l') "GPU-hours that they lost.";
        LostUsd number(Usd) "lost_usd" ["$", "usd"] "LOST COST" 12 unit("$") by('o') "Dollars that they lost.";
        OwnHours number(Count) "own_lost_gpu_hours" [] "OWN LOST" 10 "GPU-hours of it that no row of an earlier kind counts.";
        OwnUsd number(Usd) "own_lost_usd" ["own"] "OWN COST" 12 unit("$") by('w')
            "Dollars of it that no row of an earlier kind counts: sums are made of these.";
        Fix text "fix" ["mitigation"] "WHAT HELPS" 30 wide "What helps.";
    }
}

use RepeatField as F;

impl TableField for RepeatField {
    type Row = Repeat;

    const NOUNS: [&'static str; 2] = ["row", "rows"];

    const SCREEN_COLUMNS: &'static [Self] =
        &[F::Kind, F::Key, F::Attempts, F::LostHours, F::LostUsd, F::OwnUsd];
    const DROPPED_FIRST: &'static [Self] = &[F::OwnUsd, F::Attempts];

    fields!(FIELDS);

    fn value<'a>(self, row: &'a Repeat, _: &ViewContext) -> Value<'a> {
        match self {
            F::Kind => Value::text(row.kind.word()),
            F::Key => Value::text(&row.key),
            F::What => Value::text(repeat(row.kind)),
            F::Attempts => Value::Number(row.attempts.into()),
            F::LostHours => hours(row.lost.gpu_time),
            F::LostUsd => usd(row.lost.usd),
            F::OwnHours => hours(row.own.gpu_time),
            F::OwnUsd => usd(row.own.usd),
            F::Fix => Value::text(repeat_fix(row.kind)),
        }
    }

    fn id(row: &Repeat) -> &Arc<str> {
        &row.id
    }

    fn usd_per_hour(_: &Repeat) -> Option<f64> {
        None
    }

    fn any_text(row: &Repeat, mut holds: impl FnMut(&str) -> bool) -> bool {
        holds(&row.key)
    }
}
