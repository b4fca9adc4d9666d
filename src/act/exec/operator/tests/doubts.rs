//! Answers that do not say what happened.

use super::cloud::*;
use crate::act::plan::OutcomeKind::{Done, Failed, Refused, Unknown};
use crate::act::plan::{REMINDED_TAG, Verb};
use crate::domain::ErrorKind;
use crate::domain::InstanceState::{Running, Terminated};

const TERMINATE: Verb = Verb::Terminate { decrement: false };
const DOUBTS: [ErrorKind; 4] =
    [ErrorKind::Timeout, ErrorKind::Network, ErrorKind::Malformed, ErrorKind::Other];

#[tokio::test]
async fn what_was_done_though_the_answer_got_lost_is_not_done_again() {
    for kind in DOUBTS {
        for verb in [Verb::Stop, TERMINATE] {
            let bench = running(&IDS);
            bench.will(&[Fate::DoneThen(kind)]);
            let verified = bench.run(verb).await;
            assert_eq!(kinds(&verified.outcomes), [Done; 3], "{kind:?}");
            assert_eq!(bench.calls().len(), 1, "{kind:?}");
        }
    }
}

#[tokio::test]
async fn what_was_not_done_is_tried_again_for_those_alone() {
    let bench = running(&IDS);
    bench.will(&[Fate::FirstThen(ErrorKind::Timeout)]);
    let verified = bench.run(TERMINATE).await;
    assert_eq!(kinds(&verified.outcomes), [Done; 3]);
    assert_eq!(bench.calls(), [IDS.as_slice(), &IDS[1..]]);

    let bench = running(&IDS);
    bench.will(&[Fate::Fail(ErrorKind::Throttled), Fate::Fail(ErrorKind::Network)]);
    let verified = bench.run(Verb::Stop).await;
    assert_eq!(kinds(&verified.outcomes), [Done; 3]);
    assert_eq!(bench.calls().len(), 3);
}

#[tokio::test]
async fn attempts_end() {
    for kind in [ErrorKind::Throttled, ErrorKind::Timeout] {
        let bench = running(&IDS);
        bench.will(&[Fate::Fail(kind); 9]);
        let verified = bench.run(Verb::Stop).await;
        assert_eq!(kinds(&verified.outcomes), [Failed; 3]);
        assert_eq!(bench.calls().len(), 3, "{kind:?}");
        assert_eq!(bench.cloud.state_of(IDS[0]), Running);
    }
}

#[tokio::test]
async fn no_is_no() {
    let bench = running(&IDS);
    bench.will(&[Fate::Fail(ErrorKind::Denied)]);
    let verified = bench.run(Verb::Stop).await;
    assert_eq!(kinds(&verified.outcomes), [Failed; 3]);
    assert_eq!(bench.calls().len(), 1);
    assert!(verified.outcomes[0].text.contains("as scripted"));
}

#[tokio::test]
async fn a_protected_one_that_slipped_in_is_dropped_and_the_rest_goes_on() {
    let bench = running(&IDS);
    bench.will(&[Fate::Protected(IDS[1])]);
    let verified = bench.run(TERMINATE).await;
    assert_eq!(kinds(&verified.outcomes), [Done, Refused, Done]);
    assert_eq!(bench.calls(), [IDS.as_slice(), &[IDS[0], IDS[2]]]);
    assert_eq!(bench.cloud.state_of(IDS[1]), Running);
}

#[tokio::test]
async fn a_zone_that_fails_leaves_the_others_alone() {
    let mut bench = running(&IDS);
    bench.zone(IDS[2], "us-east-1b");
    bench.will(&[Fate::Fail(ErrorKind::Denied), Fate::Accept]);
    let verified = bench.run(TERMINATE).await;
    assert_eq!(kinds(&verified.outcomes), [Failed, Failed, Done]);
    assert_eq!(bench.cloud.state_of(IDS[2]), Terminated);
}

#[tokio::test]
async fn one_that_went_away_does_not_hold_up_the_batch() {
    let bench = running(&IDS);
    bench.will(&[Fate::Vanished(IDS[0])]);
    let verified = bench.run(Verb::Stop).await;
    assert_eq!(kinds(&verified.outcomes), [Unknown, Done, Done]);
    assert_eq!(bench.calls(), [IDS.as_slice(), &IDS[1..]]);
}

#[tokio::test]
async fn one_that_got_busy_between_two_attempts_is_left_alone() {
    let bench = running(&IDS);
    bench.will(&[Fate::Fail(ErrorKind::Throttled)]);
    let confirmed = bench.confirm(Verb::Stop).await;
    let cloud = bench.cloud.clone();
    let say = move |progress| {
        if matches!(progress, crate::act::plan::Progress::Calling(_)) {
            cloud.change(IDS[0], busy);
        }
    };
    let verified = bench.op.execute(&confirmed, &say).await.unwrap();
    assert_eq!(kinds(&verified.outcomes), [Refused, Done, Done]);
    assert_eq!(bench.calls()[1], IDS[1..]);
    bench.check_log();
}

#[tokio::test]
async fn what_cannot_be_looked_at_again_is_not_called_again() {
    let bench = running(&IDS);
    bench.will(&[Fate::Fail(ErrorKind::Timeout)]);
    let confirmed = bench.confirm(Verb::Stop).await;
    let cloud = bench.cloud.clone();
    let say = move |progress| {
        if matches!(progress, crate::act::plan::Progress::Calling(_)) {
            let mut state = cloud.get();
            state.inspect_fails = true;
            state.states_fail = Some(ErrorKind::Network);
        }
    };
    let verified = bench.op.execute(&confirmed, &say).await.unwrap();
    assert_eq!(kinds(&verified.outcomes), [Unknown; 3]);
    assert_eq!(bench.calls().len(), 1);
    bench.check_log();
}

#[tokio::test]
async fn a_decrement_that_may_have_happened_is_never_repeated() {
    for kind in DOUBTS {
        for fate in [Fate::DoneThen(kind), Fate::Fail(kind)] {
            let bench = running(&IDS[..1]);
            bench.group(&IDS[..1]);
            bench.will(&[fate]);
            let verified = bench.run(Verb::Terminate { decrement: true }).await;
            assert_eq!(bench.calls().len(), 1, "{fate:?}");
            let done = matches!(fate, Fate::DoneThen(_));
            assert_eq!(kinds(&verified.outcomes), [if done { Done } else { Failed }], "{fate:?}");
        }
    }
    // A throttled one did not happen.
    let bench = running(&IDS[..1]);
    bench.group(&IDS[..1]);
    bench.will(&[Fate::Fail(ErrorKind::Throttled)]);
    let verified = bench.run(Verb::Terminate { decrement: true }).await;
    assert!(verified.is_complete());
    assert_eq!(bench.cloud.get().decrements[IDS[0]], 1);
}

#[tokio::test]
async fn a_member_that_leaves_slowly_is_not_called_again() {
    // Its group lets it go: EC2 shows it running for minutes.
    let bench = running(&IDS[..1]);
    bench.group(&IDS[..1]);
    bench.will(&[Fate::Fail(ErrorKind::Throttled)]);
    let confirmed = bench.confirm(Verb::Terminate { decrement: true }).await;
    let cloud = bench.cloud.clone();
    let say = move |progress| {
        if matches!(progress, crate::act::plan::Progress::Calling(_)) {
            cloud.change(IDS[0], |m| {
                if let Ok(Some(group)) = &mut m.inspection.group {
                    group.lifecycle = "Terminating:Wait".into();
                }
            });
        }
    };
    let verified = bench.op.execute(&confirmed, &say).await.unwrap();
    assert_eq!(bench.calls().len(), 1);
    assert_eq!(kinds(&verified.outcomes), [Unknown]);
    bench.check_log();
}

#[tokio::test]
async fn a_defect_in_the_executor_is_a_doubt() {
    let bench = running(&IDS);
    bench.will(&[Fate::Panic]);
    let verified = bench.run(Verb::Stop).await;
    assert_eq!(kinds(&verified.outcomes), [Done; 3], "the second attempt did it");
    assert_eq!(bench.calls().len(), 2);
}

#[tokio::test]
async fn a_defect_of_the_caller_leaves_no_intent_open() {
    let bench = running(&IDS);
    let confirmed = bench.confirm(Verb::Stop).await;
    let say = |progress| {
        assert!(!matches!(progress, crate::act::plan::Progress::Accepted(_)), "a defect");
    };
    let verified = bench.op.execute(&confirmed, &say).await.unwrap();
    assert_eq!(kinds(&verified.outcomes), [Unknown; 3]);
    bench.check_log();
}

#[tokio::test]
async fn the_reminder_of_an_earlier_mark_is_not_taken_for_this_one() {
    let old = crate::domain::Tags::from_raw([(REMINDED_TAG, "2026-06-20T00:00:00Z")]);
    let bench = running(&IDS);
    bench.cloud.change(IDS[0], |m| m.instance().tags = old.clone());
    bench.will(&[Fate::Fail(ErrorKind::Denied)]);
    assert_eq!(kinds(&bench.run(Verb::Remind).await.outcomes), [Failed; 3]);

    let bench = running(&IDS);
    bench.cloud.change(IDS[0], |m| m.instance().tags = old);
    assert_eq!(kinds(&bench.run(Verb::Remind).await.outcomes), [Done; 3]);
}
