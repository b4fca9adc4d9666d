//! What is asked before anything is done, and once more right before the call.

use std::sync::Arc;

use super::cloud::*;
use crate::act::exec::Operator;
use crate::act::plan::OutcomeKind::{Done, Refused};
use crate::act::plan::{Guard, Preflighted, Verb, fixture};
use crate::cache::{Cache, OpenOptions};
use crate::domain::{ErrorKind, InstanceState};
use crate::source::ledger::Ledger;

async fn preflight(bench: &Bench, verb: Verb) -> Preflighted {
    bench.op.preflight(Arc::new(fixture::plan_of(verb, bench.items.clone()))).await
}

fn blocked(checked: &Preflighted) -> Vec<Option<Guard>> {
    checked.rows.iter().map(|row| row.reason().map(|f| f.guard)).collect()
}

#[tokio::test]
async fn what_changed_since_the_confirmation_is_not_touched() {
    type Change = (&'static str, fn(&mut Machine));
    let changes: [Change; 6] = [
        ("busy", busy),
        ("protected", |m| m.inspection.stop_protection = Ok(true)),
        ("exempt", |m| {
            m.instance().tags = crate::domain::Tags::from_raw([("burntop:exempt", "true")]);
        }),
        ("relaunched", |m| m.instance().launched_at = fixture::now()),
        ("stopped", |m| m.instance().state = InstanceState::Stopped),
        ("unreadable", |m| m.recent = fixture::error("cloudwatch:GetMetricData")),
    ];
    for (what, change) in changes {
        let bench = running(&IDS);
        let confirmed = bench.confirm(Verb::Stop).await;
        bench.cloud.change(IDS[1], change);
        let verified = bench.op.execute(&confirmed, &|_| {}).await.unwrap();
        assert_eq!(kinds(&verified.outcomes), [Done, Refused, Done], "{what}");
        assert_eq!(bench.calls(), [[IDS[0], IDS[2]]], "{what}");
        bench.check_log();
    }
}

#[tokio::test]
async fn another_caller_or_another_manager_needs_another_confirmation() {
    let bench = running(&IDS);
    let confirmed = bench.confirm(Verb::Stop).await;
    bench.cloud.get().arn = Ok("arn:aws:iam::111122223333:user/eve");
    let verified = bench.op.execute(&confirmed, &|_| {}).await.unwrap();
    assert_eq!(kinds(&verified.outcomes), [Refused; 3]);
    assert!(verified.outcomes[0].text.contains("the caller is not who it was"));

    let bench = running(&IDS);
    let confirmed = bench.confirm(Verb::Terminate { decrement: true }).await;
    bench.group(&IDS[..1]);
    let verified = bench.op.execute(&confirmed, &|_| {}).await.unwrap();
    assert_eq!(kinds(&verified.outcomes), [Refused, Done, Done]);
    assert!(verified.outcomes[0].text.contains("managed otherwise"));
    assert_eq!(bench.cloud.get().decrements.len(), 0);
}

#[tokio::test]
async fn a_denial_of_one_instance_blocks_one_row() {
    let bench = running(&IDS);
    bench.cloud.get().denied = vec![IDS[2].into()];
    let checked = preflight(&bench, Verb::Stop).await;
    assert_eq!(blocked(&checked), [None, None, Some(Guard::Permission)]);
    assert_eq!(bench.cloud.get().permission_calls, 4, "all at once, then one by one");
}

#[tokio::test]
async fn an_account_that_is_not_there_blocks_its_rows() {
    let bench = running(&IDS[..1]);
    let op = Operator::new(rules(), bench.op.journal().clone(), Arc::new(fixture::now));
    let plan = Arc::new(fixture::plan_of(Verb::Stop, bench.items.clone()));
    let checked = op.preflight(plan).await;
    assert_eq!((checked.passed().count(), checked.callers.len()), (0, 0));
    assert_eq!(bench.cloud.get().recents, 0);
}

#[tokio::test]
async fn an_unknown_caller_blocks_everything() {
    let bench = running(&IDS);
    bench.cloud.get().arn = Err(ErrorKind::Expired);
    let checked = preflight(&bench, Verb::Stop).await;
    assert_eq!(checked.passed().count(), 0);
}

#[tokio::test]
async fn what_comes_late_is_not_known() {
    for hang in ["inspect", "recent"] {
        let bench = running(&IDS);
        bench.cloud.get().hang = hang;
        let checked = preflight(&bench, Verb::Stop).await;
        assert_eq!(checked.passed().count(), 0, "{hang}");
    }
}

#[tokio::test]
async fn only_what_ends_work_is_measured() {
    let bench = bench(&IDS, InstanceState::Stopped);
    let checked = preflight(&bench, Verb::Start).await;
    assert_eq!(blocked(&checked), [None; 3]);
    assert_eq!(bench.cloud.get().recents, 0);
}

#[tokio::test]
async fn an_instance_that_is_gone_blocks_itself_alone() {
    let bench = running(&IDS);
    bench.cloud.get().machines.remove(IDS[1]);
    let checked = preflight(&bench, Verb::Stop).await;
    assert_eq!(blocked(&checked), [None, Some(Guard::State), None]);
}

#[tokio::test]
async fn measuring_is_charged_first_and_not_done_beyond_the_cap() {
    // Two GPUs each: (4 + 2) metrics and one ListMetrics for three instances, $0.00019.
    for (cap_micro_usd, expected, spent) in [(190, 3, 190), (179, 0, 0)] {
        let (cache, _) = Cache::open(OpenOptions::in_memory(), fixture::now());
        let ledger = Ledger::new(cache, cap_micro_usd);
        let mut bench = running(&IDS);
        bench.op = operator(&bench.cloud, &bench.disk).with_ledger(ledger.clone());
        let checked = preflight(&bench, Verb::Stop).await;
        assert_eq!(checked.passed().count(), expected, "{cap_micro_usd}");
        assert_eq!(bench.cloud.get().recents, u32::from(expected > 0));
        assert_eq!(ledger.today(fixture::now()).await.unwrap().micro_usd, spent);
    }
}

#[tokio::test]
async fn what_hangs_in_a_call_ends() {
    let bench = running(&IDS[..1]);
    bench.will(&[Fate::Hang, Fate::Hang, Fate::Hang]);
    let verified = bench.run(Verb::Stop).await;
    assert_eq!(kinds(&verified.outcomes), [crate::act::plan::OutcomeKind::Failed]);
    assert_eq!(bench.calls().len(), 3);
}
