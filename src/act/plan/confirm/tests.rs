//! Typed words, one use, sixty seconds.

use std::collections::BTreeMap;
use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};

use super::*;
use crate::act::plan::Plan;
use crate::act::plan::fixture::{
    ACCOUNT, ARN, GuardFixture, ID, ago, error, now, passing, plan_of,
};
use crate::act::plan::{Breach, Caps};

const TERMINATE: Verb = Verb::Terminate { decrement: false };

fn callers() -> BTreeMap<Arc<str>, Arc<str>> {
    [(ACCOUNT.into(), ARN.into())].into()
}

fn flight_of(fixtures: &[GuardFixture], caps: &Caps) -> Preflighted {
    let verb = fixtures[0].plan.verb.clone();
    let rows: Vec<CheckedRow> = fixtures.iter().map(GuardFixture::check).collect();
    let items = fixtures.iter().map(|s| (*s.item).clone()).collect();
    Preflighted::new(Arc::new(plan_of(verb, items)), rows, now(), callers(), caps)
}

/// A plan of `n` rows after its checks.
fn flight(verb: &Verb, n: usize) -> Preflighted {
    let fixtures: Vec<GuardFixture> =
        (1..=n).map(|i| passing(verb.clone()).named(&format!("i-{i}"))).collect();
    flight_of(&fixtures, &Caps::default())
}

fn typed(text: &str) -> Answer {
    Answer { typed: text.into(), justification: String::new() }
}

fn later(seconds: i64) -> Timestamp {
    now() + SignedDuration::from_secs(seconds)
}

#[test]
fn a_termination_is_typed() {
    let wrong = |flight: Preflighted, text: &str| flight.confirm(&typed(text), now()).err();
    for text in
        ["", "terminate", "terminate 2", "terminate  3", "Terminate 3", "stop 3", "i-1", "y"]
    {
        let refused = Some(ConfirmError::Typed("terminate 3".into()));
        assert_eq!(wrong(flight(&TERMINATE, 3), text), refused, "{text}");
    }
    assert!(flight(&TERMINATE, 3).confirm(&typed(" terminate 3 "), now()).is_ok());
    // The id of the only row is as good.
    let only = || flight_of(&[passing(TERMINATE)], &Caps::default());
    assert_eq!(only().challenge().typed, ["terminate 1", ID]);
    assert!(only().confirm(&typed(ID), now()).is_ok());
    assert!(only().confirm(&typed("terminate 1"), now()).is_ok());
}

#[test]
fn the_count_is_of_what_is_left() {
    let mut gone = passing(TERMINATE).named("i-2");
    gone.inspection.termination_protection = Ok(true);
    let fixtures = vec![passing(TERMINATE).named("i-1"), gone, passing(TERMINATE).named("i-3")];
    let flight = flight_of(&fixtures, &Caps::default());
    assert_eq!(flight.challenge().typed, ["terminate 2"]);
    let confirmed = flight.confirm(&typed("terminate 2"), now()).unwrap();
    let ids: Vec<&str> = confirmed.rows().iter().map(|r| &*r.item.id).collect();
    assert_eq!(ids, ["i-1", "i-3"]);
}

#[test]
fn a_stop_is_typed_where_data_are_lost() {
    assert!(flight(&Verb::Stop, 2).challenge().typed.is_empty());
    assert!(flight(&Verb::Stop, 2).confirm(&Answer::default(), now()).is_ok());
    let mut lossy = passing(Verb::Stop).named("i-2");
    lossy.spec(|s| s.instance_store_gb = 7600);
    let flight = flight_of(&[passing(Verb::Stop), lossy], &Caps::default());
    assert_eq!(flight.challenge().typed, ["stop 2"]);
    let refused = flight.confirm(&Answer::default(), now()).err();
    assert_eq!(refused, Some(ConfirmError::Typed("stop 2".into())));
    assert!(flight.confirm(&typed("stop 2"), now()).is_ok());
}

#[test]
fn production_wants_a_reason() {
    let flight = |planned: &str| {
        let mut fixture = passing(Verb::Stop);
        fixture.tags(&[("env", "prod")]);
        let row = fixture.check();
        let mut plan = fixture.plan.clone();
        plan.justification = planned.into();
        Preflighted::new(Arc::new(plan), vec![row], now(), callers(), &Caps::default())
    };
    let with = |text: &str| Answer { typed: String::new(), justification: text.into() };
    assert!(flight("").challenge().justification);
    for blank in ["", "  \t"] {
        let refused = flight(blank).confirm(&with(blank), now()).err();
        assert_eq!(refused, Some(ConfirmError::Justification));
    }
    let why = |f: Preflighted, answer: &Answer| {
        let confirmed = f.confirm(answer, now()).unwrap();
        confirmed.redeem(now()).unwrap().justification().to_owned()
    };
    assert_eq!(why(flight("ticket 7"), &with("")), "ticket 7");
    assert_eq!(why(flight("ticket 7"), &with("\u{1b}night")), "\u{fffd}night");
    // A start ends nothing, and asks for nothing.
    let mut start = passing(Verb::Start);
    start.tags(&[("env", "prod")]);
    assert!(!flight_of(&[start], &Caps::default()).challenge().justification);
}

#[test]
fn nothing_runs_over_a_cap_or_with_nothing_left() {
    let caps = Caps { max_instances: 1, ..Caps::default() };
    let over = flight_of(&[passing(Verb::Stop), passing(Verb::Stop).named("i-2")], &caps);
    let refused = over.confirm(&Answer::default(), now()).err();
    assert_eq!(refused, Some(ConfirmError::Cap(Breach::Instances { rows: 2, max: 1 })));
    let mut blocked = passing(Verb::Stop);
    blocked.permitted = error("ec2:StopInstances");
    let empty = flight_of(&[blocked], &Caps::default());
    let refused = empty.confirm(&Answer::default(), now()).err();
    assert_eq!(refused, Some(ConfirmError::Nothing));
}

#[test]
fn checks_grow_old_in_five_minutes() {
    let at = |seconds| flight(&Verb::Stop, 1).confirm(&Answer::default(), later(seconds)).err();
    assert_eq!(at(300), None);
    assert_eq!(at(301), Some(ConfirmError::Stale));
    // Drawn with the time of the last tick is fine; a clock that was set back is not.
    assert_eq!(at(-5), None);
    assert_eq!(at(-6), Some(ConfirmError::Stale));
}

#[test]
fn checks_are_confirmed_once() {
    let flight = flight(&TERMINATE, 2);
    assert!(flight.confirm(&typed("terminate 9"), now()).is_err());
    assert!(flight.confirm(&typed("terminate 2"), now()).is_ok(), "a slip spends nothing");
    let again = flight.confirm(&typed("terminate 2"), now()).err();
    assert_eq!(again, Some(ConfirmError::Taken));
}

#[test]
fn a_confirmation_is_good_once_for_sixty_seconds() {
    let fresh = || flight(&Verb::Stop, 1).confirm(&Answer::default(), now()).unwrap();
    let at = |seconds| fresh().redeem(later(seconds)).map(|_| ()).err();
    assert_eq!(at(0), None);
    assert_eq!(at(60), None);
    assert_eq!(at(61), Some(ConfirmError::Expired));
    assert_eq!(at(-5), None);
    assert_eq!(at(-6), Some(ConfirmError::Expired));
    let confirmed = fresh();
    assert!(confirmed.redeem(later(61)).is_err());
    assert!(confirmed.redeem(later(60)).is_ok(), "too late once spends nothing");
    assert_eq!(confirmed.redeem(now()).err(), Some(ConfirmError::Spent));
}

#[test]
fn two_at_once_and_one_wins() {
    let flight = flight(&Verb::Stop, 1);
    let wins = std::sync::atomic::AtomicUsize::new(0);
    std::thread::scope(|threads| {
        for _ in 0..8 {
            threads.spawn(|| {
                let won = flight.confirm(&Answer::default(), now()).is_ok();
                wins.fetch_add(usize::from(won), Ordering::SeqCst);
            });
        }
    });
    assert_eq!(wins.into_inner(), 1);
}

fn approval(plan: &Plan) -> Approval {
    Approval {
        sha256: plan.hash(),
        approver: [(ACCOUNT.into(), "arn:aws:iam::111122223333:user/ben".into())].into(),
        approved_at: ago(30),
        expires_at: ago(-30),
        signature: None,
    }
}

#[test]
fn an_approval_speaks_for_a_person() {
    let flight = flight(&TERMINATE, 2);
    let approval = approval(&flight.plan);
    let confirmed = flight.confirm_by(&approval, &flight.plan.hash(), now()).unwrap();
    let ticket = confirmed.redeem(now()).unwrap();
    assert_eq!(*ticket.authority(), Authority::Approval(approval));
}

#[test]
fn an_approval_covers_every_account_that_is_touched() {
    let base = flight(&TERMINATE, 1);
    let approval = approval(&base.plan);
    let rows = base.rows.clone();
    let nobody =
        Preflighted::new(base.plan.clone(), rows, now(), BTreeMap::new(), &Caps::default());
    let refused = nobody.confirm_by(&approval, &base.plan.hash(), now()).err();
    let uncovered = ApprovalError::Uncovered(ACCOUNT.into());
    assert_eq!(refused, Some(ConfirmError::Approval(uncovered)));
}

#[test]
fn an_approval_replaces_no_justification() {
    let mut fixture = passing(Verb::Stop);
    fixture.tags(&[("env", "prod")]);
    let flight = flight_of(&[fixture], &Caps::default());
    let refused = flight.confirm_by(&approval(&flight.plan), &flight.plan.hash(), now()).err();
    assert_eq!(refused, Some(ConfirmError::Justification));
}

#[test]
fn an_order_is_of_one_place_and_of_the_ticket() {
    let mut fixtures: Vec<GuardFixture> =
        (1..=3).map(|i| passing(Verb::Stop).named(&format!("i-{i}"))).collect();
    fixtures[2].instance(|i| i.az = "us-east-1b".into());
    let flight = flight_of(&fixtures, &Caps::default());
    let confirmed = flight.confirm(&Answer::default(), now()).unwrap();
    let ticket = confirmed.redeem(now()).unwrap();
    let order = |ids: &[&str]| {
        let ids: Vec<Arc<str>> = ids.iter().map(|i| (*i).into()).collect();
        ticket.order(&ids)
    };
    let good = order(&["i-1", "i-2"]).unwrap();
    assert_eq!((good.verb(), &**good.by(), &**good.az()), (&Verb::Stop, ARN, "us-east-1a"));
    assert_eq!(order(&["i-1", "i-3"]), None, "two zones");
    assert_eq!(order(&["i-1", "i-1"]), None, "twice");
    assert_eq!(order(&["i-1", "i-9"]), None, "not confirmed");
    assert_eq!(order(&[]), None);
}

#[test]
fn an_order_is_of_fifty_at_most() {
    let fixtures: Vec<GuardFixture> =
        (1..=51).map(|i| passing(Verb::Unmark).named(&format!("i-{i}"))).collect();
    let flight = flight_of(&fixtures, &Caps::default());
    let confirmed = flight.confirm(&Answer::default(), now()).unwrap();
    let ticket = confirmed.redeem(now()).unwrap();
    let ids: Vec<Arc<str>> = (1..=51).map(|i| format!("i-{i}").into()).collect();
    assert!(ticket.order(&ids[..50]).is_some());
    assert!(ticket.order(&ids).is_none());
}

/// Five rows of a fleet of twenty-five; two may be stopped there.
#[test]
fn caps_are_reckoned_over_what_would_go_armed_or_not() {
    let fixtures = |armed: bool| -> Vec<GuardFixture> {
        let one = |i: usize| {
            let mut fixture = passing(Verb::Stop).named(&format!("i-{i}"));
            for account in fixture.rules.accounts.values_mut() {
                account.armed = armed;
            }
            // One that is protected takes no part of a cap.
            fixture.inspection.stop_protection = Ok(i == 6);
            fixture
        };
        (1..=6).map(one).collect()
    };
    let checked = |armed| {
        let fixtures = fixtures(armed);
        let rows = fixtures.iter().map(GuardFixture::check).collect();
        let items = fixtures.iter().map(|s| (*s.item).clone()).collect();
        let plan = Plan { fleet_size: 25, ..plan_of(Verb::Stop, items) };
        Preflighted::new(Arc::new(plan), rows, now(), callers(), &Caps::default())
    };
    let (armed, unarmed) = (checked(true), checked(false));
    assert_eq!((armed.passed().count(), unarmed.passed().count()), (5, 0));
    assert_eq!(armed.breaches, [Breach::Share { rows: 5, fleet: 25, percent: 10.0, max: 2 }]);
    assert_eq!(unarmed.breaches, armed.breaches);
    assert_eq!(unarmed.caps, armed.caps);
    let said: Vec<&str> = unarmed.caps.iter().map(|c| c.text.as_str()).collect();
    assert_eq!(said[..2], ["max_instances 5 of 10", "max_fleet_percent 5 of 25 is 20.0 of 10%"]);
    assert_eq!(unarmed.environments().iter().map(|e| e.count).sum::<usize>(), 5);
    // Who approves the file counts the same of it.
    let kept = armed.passed().map(|r| (*r.item).clone()).collect();
    let kept = Plan { items: kept, ..(*armed.plan).clone() };
    assert_eq!(kept.held_against(&Caps::default()), (armed.breaches, armed.caps));
    // Marking and starting take nothing from anybody.
    let start = plan_of(Verb::Start, vec![(*fixtures(true)[0].item).clone()]);
    assert_eq!(start.held_against(&Caps { max_instances: 0, ..Caps::default() }), (vec![], vec![]));
}
