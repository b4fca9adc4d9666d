//! The fields of rules that were replayed.

use std::sync::Arc;

use super::attempts::{hours, usd};
use crate::analyze::jobs::{Replay, ReplayRule};
use crate::view::reasons::{replay, replay_fix};
use crate::view::table_field::{field_table, fields};
use crate::view::{TableField, Value, ViewContext};

/// Rows of rules that were replayed, in their order.
pub fn replay_rows(of: Vec<Replay>) -> Arc<[Arc<Replay>]> {
    of.into_iter().map(Arc::new).collect()
}

field_table! {
    /// A field of a rule that was replayed.
    pub enum ReplayField => FIELDS {
        Rule choice(ReplayRule::WORDS) "rule" ["policy"] "RULE" 16 key by('r')
            "retry_limit, drain_after, checkpoint_every, early_stopping; each replayed by itself.";
        Setting number(Count) "setting" [] "SETTING" 7 key apart smallest_first by('t') "Its setting, in the unit of the row.";
        Unit text "unit" [] "UNIT" 8 "Unit of the setting: failures, minutes, percent of the time.";
        Key text "key" ["user", "team", "script"] "OF" 16 wide by('o') "User, team or script, as --by says; none for all together.";
        What text "what" [] "WHAT" 24 wide "What the rule does, in words.";
        Attempts number(Count) "attempts" [] "ATTEMPTS" 8 apart by('a') "Attempts that would have gone otherwise.";
        Spared number(Count) "spared_attempts" ["spared"] "SPARED" 7 apart by('p') "Those of them that would have lost less; of early stopping the members of sweeps that might have been stopped.";
        SavedHours number(Count) "saved_gpu_hours" ["saved"] "SAVED" 10 apart by('s')
            "GPU-hours that would not have been lost; of early_stopping those that need not have been held.";
        SavedUsd number(Usd) "saved_usd" ["$", "usd"] "SAVED USD" 12 unit("$") apart by('d') "Their dollars, of attempts with a price.";
        CostHours number(Count) "cost_gpu_hours" ["cost_hours"] "COST GPUh" 10 apart by('c')
            "GPU-hours that it would have cost at most: of work that was not lost and would have been forbidden, of attempts that would \
             have needed another node, of writing checkpoints; none where nobody knows.";
        CostUsd number(Usd) "cost_usd" [] "COST USD" 12 unit("$") apart "Their dollars, of attempts with a price.";
        NetHours number(Count) "net_gpu_hours" ["net"] "NET" 10 apart by('n') "Saved less cost, GPU-hours.";
        NetUsd number(Usd) "net_usd" [] "NET USD" 12 unit("$") apart by('u') "Saved less cost, dollars.";
        Forbidden number(Count) "forbidden_successes" ["forbidden"] "FORBIDDEN" 9 apart by('f')
            "Runs that completed and would have been forbidden; none for rules that forbid no run.";
        Drained number(Count) "drained_node_hours" ["drained"] "DRAINED" 10 apart by('i')
            "Hours for which nodes would have been drained; none for other rules, and by user, team and script.";
        Unpriced number(Count) "unpriced_attempts" ["unpriced"] "NO PRICE" 8 apart
            "Attempts of them without a price: they are in no dollars, which are a lower bound.";
        UpperBounds number(Count) "upper_bound_attempts" [] "AT MOST" 7 apart
            "Attempts of them of which what was lost, and so what is saved, is an upper bound.";
        Fix text "fix" ["mitigation"] "WHAT SETS IT" 30 wide "What sets it; the page of the row has the lines.";
    }
}

use ReplayField as F;

impl TableField for ReplayField {
    type Row = Replay;

    const NOUNS: [&'static str; 2] = ["row", "rows"];

    const SCREEN_COLUMNS: &'static [Self] = &[
        F::Rule,
        F::Setting,
        F::Unit,
        F::Attempts,
        F::SavedHours,
        F::SavedUsd,
        F::CostUsd,
        F::NetUsd,
        F::Forbidden,
    ];
    const DROPPED_FIRST: &'static [Self] =
        &[F::SavedHours, F::Forbidden, F::Attempts, F::CostUsd, F::Unit];

    fields!(FIELDS);

    fn value<'a>(self, row: &'a Replay, _: &ViewContext) -> Value<'a> {
        let sums = &row.sums;
        let count = |number: u32| Value::Number(number.into());
        // As exact as the hours that it is the difference of.
        let rounded = |hours: f64| (hours * 1e6).round() / 1e6;
        match self {
            F::Rule => Value::text(row.rule.word()),
            F::Setting => count(row.setting),
            F::Unit => Value::text(row.rule.unit()),
            F::Key => Value::maybe(row.key.as_deref()),
            F::What => Value::made(replay(row.rule, row.setting)),
            F::Attempts => count(sums.attempts),
            F::Spared => count(sums.spared),
            F::SavedHours => hours(Some(sums.saved)),
            F::SavedUsd => usd(sums.saved_usd_known()),
            F::CostHours => hours(row.cost()),
            F::CostUsd => usd(row.cost_usd()),
            F::NetHours => Value::number(row.net_gpu_hours().map(rounded)),
            F::NetUsd => usd(row.net_usd()),
            F::Forbidden => row.forbidden_successes().map_or(Value::Unknown, count),
            F::Drained => Value::number(row.drained_ms.map(|ms| rounded(ms as f64 / 3.6e6))),
            F::Unpriced => count(sums.unpriced),
            F::UpperBounds => count(sums.upper_bounds),
            F::Fix => Value::text(replay_fix(row.rule)),
        }
    }

    fn id(row: &Replay) -> &Arc<str> {
        &row.id
    }

    fn usd_per_hour(_: &Replay) -> Option<f64> {
        None
    }

    fn any_text(row: &Replay, mut holds: impl FnMut(&str) -> bool) -> bool {
        holds(row.rule.word()) || row.key.iter().any(|key| holds(key))
    }
}
