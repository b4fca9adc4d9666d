//! The fields of what burntop did.

use std::sync::Arc;

use super::row::ActionRow;
use crate::view::table_field::{field_table, fields};
use crate::view::{Role, TableField, Value, ViewContext};

field_table! {
    /// A field of a run of the audit log.
    pub enum ActionField => FIELDS {
        At time "at" ["when"] "WHEN" 16 by('w') "When its first line was written, UTC.";
        What text "what" ["verb"] "WHAT" 13 by('a') "The action: stop, terminate, start, mark, delete-volume, …; unknown where no intent was written.";
        Which text "which" ["target"] "WHICH" 20 key wide by('h') "What was acted on, by name; a search finds every id and name.";
        Result text "result" [] "RESULT" 18 by('r') "What became of it, counted; open: an intent without an outcome yet.";
        Who text "who" [] "WHO" 14 wide "Who did it, without account and kind.";
        Rows number(Count) "rows" [] "ROWS" 5 by('o') "Instances, volumes and buckets, each once.";
        Done number(Count) "done" [] "DONE" 5 by('d') "Seen in the state that was wanted.";
        Refused number(Count) "refused" [] "REFUSED" 7 by('f') "Not touched: a guard said no.";
        Failed number(Count) "failed" [] "FAILED" 6 by('i') "Called for, and nothing changed.";
        Unknown number(Count) "unknown" [] "UNKNOWN" 7 by('k') "Called for, and not seen to have happened: look again.";
        Open number(Count) "open" [] "OPEN" 5 by('p') "With an intent and without an outcome.";
        Executor text "executor" ["through"] "THROUGH" 8 by('t') "What carried it out: live, dry-run, demo.";
        By text "by" [] "BY" 30 wide by('b') "ARNs of the callers.";
        From text "from" [] "FROM" 16 by('m') "User and host that it was started from.";
        Why text "why" ["justification"] "WHY" 16 wide by('y') "Justification, as typed.";
        Plan text "plan" [] "PLAN" 12 by('l') "First digits of the hash of its plan.";
        Run text "run" ["id"] "RUN" 16 by('n') "Id of the run, for `burntop audit show`.";
    }
}

use ActionField as F;

impl TableField for ActionField {
    type Row = ActionRow;

    const NOUNS: [&'static str; 2] = ["action", "actions"];

    const SCREEN_COLUMNS: &'static [Self] =
        &[F::At, F::What, F::Which, F::Result, F::Who, F::Executor, F::Run];
    const DROPPED_FIRST: &'static [Self] = &[F::Run, F::Executor, F::Who];

    fields!(FIELDS);

    fn value<'a>(self, row: &'a ActionRow, _: &ViewContext) -> Value<'a> {
        let count = |n: usize| Value::number(Some(n as f64));
        match self {
            F::At => Value::time(Some(row.at)),
            F::What => Value::text(&row.what),
            F::Which => Value::made(row.which()),
            F::Result => Value::made(row.counts.words()),
            F::Who => Value::made(row.who()),
            F::Rows => count(row.counts.rows),
            F::Done => count(row.counts.done),
            F::Refused => count(row.counts.refused),
            F::Failed => count(row.counts.failed),
            F::Unknown => count(row.counts.unknown),
            F::Open => count(row.counts.open),
            F::Executor => Value::text(&row.executor),
            F::By => Value::text(&row.by),
            F::From => Value::text(&row.from),
            F::Why => Value::text(&row.why),
            F::Plan => Value::text(&row.plan),
            F::Run => Value::text(&row.id),
        }
    }

    fn id(row: &ActionRow) -> &Arc<str> {
        &row.id
    }

    /// What was done costs nothing.
    fn usd_per_hour(_: &ActionRow) -> Option<f64> {
        None
    }

    fn role(self, row: &ActionRow) -> Role {
        let counts = &row.counts;
        match self {
            F::Result if counts.unknown + counts.failed > 0 => Role::Crit,
            F::Result if counts.open + counts.refused > 0 => Role::Warn,
            _ => Role::Text,
        }
    }

    fn any_text(row: &ActionRow, mut holds: impl FnMut(&str) -> bool) -> bool {
        let own =
            [&*row.id, &*row.what, &*row.by, &*row.from, &*row.executor, &*row.why, &*row.plan];
        own.into_iter().any(&mut holds)
            || row.targets.iter().any(|of| holds(&of.id) || holds(&of.name) || holds(&of.scope))
    }
}
