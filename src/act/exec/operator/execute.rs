//! Carries out a confirmed plan, from the confirmation to the outcome of each row.

use std::panic::AssertUnwindSafe;
use std::time::Duration;

use crate::act::exec::pace::Instant;
use futures_util::FutureExt as _;
use futures_util::stream::{self, StreamExt as _};

use super::batch::{Batch, batches};
use super::run::{Run, new_id};
use super::{ActError, Operator, SCOPES_AT_ONCE};
use crate::act::plan::{Confirmed, OutcomeKind, Progress, Verified};
use crate::domain::Scope;

/// How long a copy of the audit log may take.
const COPY_WITHIN: Duration = Duration::from_mins(1);

pub(super) async fn execute(
    op: &Operator,
    confirmed: &Confirmed,
    say: &(dyn Fn(Progress) + Send + Sync),
) -> Result<Verified, ActError> {
    let id = new_id();
    // Held until the end: a run whose lease is gone is dead, and its intents are reconciled. Taken
    // first, so that a disk that cannot be used leaves the confirmation good.
    let _lease = op.journal.lease(&id)?;
    let since = if op.copies.is_empty() { 0 } else { op.journal.bytes()?.len() };
    let started_at = op.now();
    let run = Run::new(op, confirmed.redeem(started_at)?, id, say);
    run.say(Progress::Began(run.id.as_str().into()));
    let scopes = batches(run.ticket.rows());
    let work = scopes.iter().map(|(scope, batches)| {
        // A defect in one scope ends neither the others nor the audit trail of its own.
        AssertUnwindSafe(work(&run, scope, batches)).catch_unwind().map(|_| ()).boxed()
    });
    let work: Vec<_> = work.collect();
    stream::iter(work).buffer_unordered(SCOPES_AT_ONCE).collect::<Vec<()>>().await;
    finish_what_is_left(&run);
    copy(&run, since).await;
    let outcomes = run.rows(|rows| rows.iter().filter_map(|row| row.outcome.clone()).collect());
    Ok(Verified {
        plan_id: run.plan().id(),
        run_id: run.id.clone(),
        started_at,
        finished_at: op.now(),
        outcomes,
        items: run.rows(|rows| rows.iter().map(|row| row.item.clone()).collect()),
        warnings: run.warnings(),
    })
}

/// Works on one scope: its calls one after the other, then polls all their rows.
async fn work(run: &Run<'_>, scope: &Scope, batches: &[Batch]) {
    for batch in batches {
        run.batch(batch).await;
    }
    run.verify(scope, batches.iter().flat_map(|b| b.rows.iter().copied())).await;
}

/// Rows without an outcome are left by a defect alone.
fn finish_what_is_left(run: &Run<'_>) {
    let left = run.rows(|rows| {
        let open = rows.iter().enumerate().filter(|(_, row)| row.outcome.is_none());
        let finished = open.map(|(n, row)| {
            if row.intents.is_empty() {
                (n, OutcomeKind::Refused, "burntop failed inside; nothing was done".to_owned())
            } else {
                (n, OutcomeKind::Unknown, "burntop failed inside; look again".to_owned())
            }
        });
        finished.collect()
    });
    run.finish_rows(left);
}

/// Copies the log. A failure is reported, and changes no outcome.
async fn copy(run: &Run<'_>, since: usize) {
    for copy in &run.op.copies {
        let log = match run.op.journal.bytes() {
            Ok(log) => log,
            Err(error) => return run.warn(error.to_string()),
        };
        let deadline = Instant::now() + COPY_WITHIN;
        let copied = copy.copy(&run.id, &log, since.min(log.len()));
        let copied = Operator::within(deadline, "audit copy", copied).await;
        if let Err(error) = copied.and_then(|c| c.map_err(std::sync::Arc::new)) {
            run.warn(format!("the audit log was not copied to {}: {error}", copy.place()));
        }
    }
}
