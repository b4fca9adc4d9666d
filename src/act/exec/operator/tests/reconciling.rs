//! What a dead run left open.

use std::sync::Arc;

use futures_util::FutureExt as _;

use super::cloud::*;
use crate::act::exec::audit::Body;
use crate::act::plan::OutcomeKind::{Done, Failed, Unknown};
use crate::act::plan::{Progress, Verb, fixture};
use crate::domain::ErrorKind;
use crate::domain::InstanceState::Stopped;

/// Runs until the call is out, and dies there.
async fn dies(bench: &Bench, fate: Fate) {
    bench.will(&[fate]);
    let confirmed = bench.confirm(Verb::Stop).await;
    let (tell, told) = tokio::sync::oneshot::channel();
    let tell = std::sync::Mutex::new(Some(tell));
    let say = move |progress| {
        let is_out = match fate {
            Fate::Hang => matches!(progress, Progress::Calling(_)),
            _ => matches!(progress, Progress::Accepted(_)),
        };
        if is_out && let Some(tell) = tell.lock().unwrap().take() {
            tell.send(()).unwrap();
        }
    };
    tokio::select! {
        biased;
        _ = told => {}
        verified = bench.op.execute(&confirmed, &say) => panic!("{verified:?}"),
    }
}

#[tokio::test]
async fn what_was_done_and_what_was_not_are_told_apart() {
    let bench = running(&IDS);
    dies(&bench, Fate::Hang).await;
    bench.cloud.change(IDS[0], |m| m.instance().state = Stopped);
    bench.cloud.change(IDS[2], |m| {
        m.instance().state = Stopped;
        m.instance().launched_at = fixture::now();
    });
    bench.pass(120);
    let outcomes = bench.op.reconcile().await.unwrap();
    assert_eq!(kinds(&outcomes), [Done, Failed, Unknown], "{outcomes:?}");
    bench.check_log();
    let last = bench.lines().pop().unwrap();
    assert!(matches!(last.body, Body::Outcome { reconciled: true, intent: 1, .. }));
    assert_eq!(bench.op.reconcile().await.unwrap(), [], "once");
    assert_eq!(bench.lines().len(), 2);
}

#[tokio::test]
async fn a_call_that_may_be_on_its_way_has_not_failed() {
    let bench = running(&IDS);
    dies(&bench, Fate::Hang).await;
    let outcomes = bench.op.reconcile().await.unwrap();
    assert_eq!(kinds(&outcomes), [Unknown; 3]);
    assert!(outcomes[0].text.contains("may still be on its way"));
}

#[tokio::test]
async fn a_living_run_is_left_alone() {
    let bench = running(&IDS);
    bench.will(&[Fate::Hang]);
    let confirmed = bench.confirm(Verb::Stop).await;
    let mut run = Box::pin(bench.op.execute(&confirmed, &|_| {}));
    while bench.calls().is_empty() {
        assert!((&mut run).now_or_never().is_none());
        tokio::task::yield_now().await;
    }
    assert_eq!(bench.op.reconcile().await.unwrap(), []);
    drop(run);
    assert_eq!(bench.op.reconcile().await.unwrap().len(), 3);
    bench.check_log();
}

#[tokio::test]
async fn what_cannot_be_read_is_left_for_the_next_time() {
    let bench = running(&IDS);
    dies(&bench, Fate::Accept).await;
    bench.cloud.get().states_fail = Some(ErrorKind::Expired);
    let before = bench.lines();
    let left = bench.op.reconcile().await.unwrap();
    assert_eq!(kinds(&left), [Unknown; 3]);
    assert!(left[0].text.starts_with("left for the next time"));
    assert_eq!(bench.lines(), before, "nothing is written");
    bench.cloud.get().states_fail = None;
    for _ in 0..2 {
        bench.op.reconcile().await.unwrap();
    }
    bench.check_log();
}

#[tokio::test]
async fn two_at_once_write_one_outcome() {
    let bench = running(&IDS);
    dies(&bench, Fate::Accept).await;
    bench.pass(120);
    let other = operator(&bench.cloud, &bench.disk);
    let (a, b) = tokio::join!(bench.op.reconcile(), other.reconcile());
    assert_eq!(a.unwrap().len() + b.unwrap().len(), 3);
    bench.check_log();
}

#[tokio::test]
async fn a_torn_intent_is_accounted_for_and_was_never_called() {
    let bench = running(&IDS);
    let confirmed = bench.confirm(Verb::Stop).await;
    bench.disk.leave_room(Some(300));
    bench.op.execute(&confirmed, &|_| {}).await.unwrap();
    bench.disk.leave_room(None);
    assert!(!journal(&bench.disk).verify().unwrap().holds());
    assert_eq!(bench.op.reconcile().await.unwrap(), []);
    assert!(journal(&bench.disk).verify().unwrap().holds());
    assert_eq!(bench.calls().len(), 0);
}

#[tokio::test]
async fn the_copy_gets_every_run_and_its_failure_is_a_warning() {
    use crate::act::exec::audit::DirectoryCopy;
    let root = tempfile::tempdir().unwrap();
    let mut bench = running(&IDS);
    let copy = Arc::new(DirectoryCopy::new(root.path(), "box"));
    bench.op = operator(&bench.cloud, &bench.disk).with_copy(copy);
    bench.run(Verb::Stop).await;
    let file = root.path().join("box.audit.jsonl");
    assert_eq!(std::fs::read(&file).unwrap(), journal(&bench.disk).bytes().unwrap());

    let mut bench = running(&IDS);
    let copy = Arc::new(DirectoryCopy::new(&file, "box"));
    bench.op = operator(&bench.cloud, &bench.disk).with_copy(copy);
    let verified = bench.run(Verb::Stop).await;
    assert!(verified.is_complete());
    assert_eq!(verified.warnings.len(), 1);
    assert!(verified.warnings[0].starts_with("the audit log was not copied"));
}
