//! What goes well, and what stops before it begins.

use std::sync::Mutex;

use super::cloud::*;
use crate::act::exec::audit::{AuditError, Body};
use crate::act::exec::{ActError, Operator};
use crate::act::plan::OutcomeKind::{Done, Refused, Unknown};
use crate::act::plan::{ConfirmError, Progress, Verb};
use crate::domain::InstanceState::{Running, Stopped, Terminated};

const TERMINATE: Verb = Verb::Terminate { decrement: false };

#[test]
fn its_futures_may_be_spawned() {
    fn is_send<T: Send>(_: &T) {}
    fn check(op: &Operator, confirmed: &crate::act::plan::Confirmed, plan: crate::act::plan::Plan) {
        is_send(&op.preflight(plan.into()));
        is_send(&op.execute(confirmed, &|_| {}));
        is_send(&op.reconcile());
    }
    let _ = check;
}

#[tokio::test]
async fn a_stop_is_announced_called_seen_and_written_down() {
    let bench = running(&IDS);
    let confirmed = bench.confirm(Verb::Stop).await;
    let told = Mutex::new(Vec::new());
    let say = |progress| told.lock().unwrap().push(progress);
    let verified = bench.op.execute(&confirmed, &say).await.unwrap();
    assert!(verified.is_complete());
    assert_eq!(kinds(&verified.outcomes), [Done, Done, Done]);
    assert_eq!(verified.outcomes[0].state, Some(Stopped));
    assert_eq!(verified.outcomes[0].request_ids, ["req-1"]);
    assert_eq!(verified.warnings, [""; 0]);
    assert_eq!((verified.run_id.len(), verified.items.len()), (12, 3));
    assert_eq!(bench.calls().len(), 1);
    bench.check_log();
    let bodies: Vec<_> = bench.lines().into_iter().map(|l| l.body).collect();
    let [Body::Intent { run, by, executor, rows, .. }, Body::Outcome { intent: 1, outcomes, .. }] =
        bodies.as_slice()
    else {
        panic!("{bodies:?}")
    };
    assert_eq!((run, &**by), (&verified.run_id, crate::act::plan::fixture::ARN));
    assert_eq!((executor.as_str(), outcomes), ("live", &verified.outcomes));
    assert!(rows.iter().all(|row| row.undo.is_some() && !row.item.evidence_sha256.is_empty()));
    let told = told.into_inner().unwrap();
    let place = |want: fn(&Progress) -> bool| told.iter().position(want).unwrap();
    let steps = [
        place(|p| matches!(p, Progress::Rechecking(ids) if ids.len() == 3)),
        place(|p| matches!(p, Progress::Calling(ids) if ids.len() == 3)),
        place(|p| matches!(p, Progress::Accepted(_))),
        place(|p| matches!(p, Progress::State(_, Stopped))),
        place(|p| matches!(p, Progress::Finished(_))),
    ];
    assert!(steps.is_sorted(), "{told:?}");
    assert_eq!(told[0], Progress::Began(verified.run_id.as_str().into()));
}

#[tokio::test]
async fn every_verb_is_seen_in_what_it_wants() {
    let expires = "2026-07-05T00:00:00Z".parse().unwrap();
    let mark = Verb::Mark { expires, reason: "idle".into() };
    for (verb, before, after) in [
        (Verb::Stop, Running, Stopped),
        (TERMINATE, Running, Terminated),
        (Verb::Start, Stopped, Running),
        (mark, Running, Running),
    ] {
        let bench = bench(&IDS[..1], before);
        let verified = bench.run(verb.clone()).await;
        assert_eq!(kinds(&verified.outcomes), [Done], "{verb:?}: {:?}", verified.outcomes);
        assert_eq!(bench.cloud.state_of(IDS[0]), after);
    }
}

#[tokio::test]
async fn zones_never_share_a_call() {
    let mut bench = running(&IDS);
    bench.zone(IDS[1], "us-east-1b");
    let verified = bench.run(TERMINATE).await;
    assert!(verified.is_complete());
    let mut calls = bench.calls();
    calls.sort();
    assert_eq!(calls, [vec![IDS[0], IDS[2]], vec![IDS[1]]]);
}

#[tokio::test]
async fn no_call_has_more_than_fifty() {
    let ids: Vec<String> = (0..90).map(|n| format!("i-{n:017x}")).collect();
    let ids: Vec<&str> = ids.iter().map(String::as_str).collect();
    let bench = running(&ids);
    let verified = bench.run(Verb::Stop).await;
    assert!(verified.is_complete());
    let mut sizes: Vec<usize> = bench.calls().iter().map(Vec::len).collect();
    sizes.sort_unstable();
    assert_eq!(sizes, [40, 50]);
}

#[tokio::test]
async fn a_confirmation_is_good_for_one_execution_within_a_minute() {
    let bench = running(&IDS);
    let confirmed = bench.confirm(Verb::Stop).await;
    bench.pass(61);
    let late = bench.op.execute(&confirmed, &|_| {}).await.unwrap_err();
    assert!(matches!(late, ActError::Confirm(ConfirmError::Expired)), "{late}");

    let bench = running(&IDS);
    let confirmed = bench.confirm(Verb::Stop).await;
    bench.op.execute(&confirmed, &|_| {}).await.unwrap();
    let calls = bench.calls().len();
    let again = bench.op.execute(&confirmed, &|_| {}).await.unwrap_err();
    assert!(matches!(again, ActError::Confirm(ConfirmError::Spent)), "{again}");
    assert_eq!(bench.calls().len(), calls);
}

#[tokio::test]
async fn without_room_for_the_intent_nothing_is_called() {
    for room in [0, 1, 100, 700] {
        let bench = running(&IDS);
        let confirmed = bench.confirm(Verb::Stop).await;
        bench.disk.leave_room(Some(room));
        let verified = bench.op.execute(&confirmed, &|_| {}).await.unwrap();
        assert_eq!(kinds(&verified.outcomes), [Refused; 3], "{room}");
        assert!(verified.outcomes[0].text.starts_with("nothing was done: audit log"));
        assert_eq!(bench.calls().len(), 0, "{room}");
        assert_eq!(bench.cloud.state_of(IDS[0]), Running);
        assert_eq!(verified.warnings.len(), 1, "the refusal could not be written either");
        bench.disk.leave_room(None);
        let journal = journal(&bench.disk);
        journal.recover(crate::act::plan::fixture::now()).unwrap();
        assert_eq!(journal.verify().unwrap().problems, []);
    }
}

#[tokio::test]
async fn a_changed_log_stops_everything() {
    let bench = running(&IDS);
    bench.run(Verb::Stop).await;
    let mut bytes = journal(&bench.disk).bytes().unwrap();
    // A digit of the last hash, before `"}` and the newline.
    let digit = bytes.len() - 10;
    bytes[digit] = if bytes[digit] == b'0' { b'1' } else { b'0' };
    let fresh = running(&IDS);
    let disk = crate::act::exec::audit::memory::MemoryDisk::of(bytes);
    let op = operator(&fresh.cloud, &disk);
    let confirmed = fresh.confirm(Verb::Stop).await;
    let verified = op.execute(&confirmed, &|_| {}).await.unwrap();
    assert_eq!(kinds(&verified.outcomes), [Refused; 3]);
    assert!(verified.outcomes[0].text.contains("burntop audit verify"));
    assert_eq!(fresh.calls().len(), 0);
    let error = op.reconcile().await.unwrap_err();
    assert!(matches!(error, ActError::Audit(AuditError::Broken { .. })), "{error}");
}

#[tokio::test]
async fn a_claimed_success_that_cannot_be_seen_is_none() {
    let bench = running(&IDS);
    bench.will(&[Fate::Lie]);
    let verified = bench.run(Verb::Stop).await;
    assert_eq!(kinds(&verified.outcomes), [Unknown; 3]);
    assert!(verified.outcomes[0].text.contains("not seen to have happened"));
    assert_eq!(bench.calls().len(), 1, "and nobody asks twice");

    let bench = running(&IDS);
    bench.cloud.change(IDS[1], |m| m.slow = 10_000);
    let verified = bench.run(Verb::Stop).await;
    assert_eq!(kinds(&verified.outcomes), [Done, Unknown, Done]);
}

#[tokio::test]
async fn a_dry_run_ends_refused_and_says_what_it_would() {
    let bench = running(&IDS);
    bench.will(&[Fate::Pretend]);
    let verified = bench.run(Verb::Stop).await;
    assert_eq!(kinds(&verified.outcomes), [Refused; 3]);
    assert_eq!(verified.outcomes[0].text, "dry run: would stop; nothing was done");
}

#[tokio::test]
async fn members_go_through_their_group_one_by_one() {
    let bench = running(&IDS);
    bench.group(&IDS);
    let verified = bench.run(Verb::Terminate { decrement: true }).await;
    assert!(verified.is_complete());
    assert_eq!(bench.calls().iter().map(Vec::len).collect::<Vec<_>>(), [1, 1, 1]);
    assert_eq!(bench.cloud.get().decrements.values().copied().collect::<Vec<_>>(), [1, 1, 1]);
}
