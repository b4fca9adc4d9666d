//! One case after the other.

use super::scene::{
    NOW, at, decide_all, fleet, hours, instance, marked, one, policy, row, scene, silent,
};
use crate::act::plan::policy::{Decision, DecisionKind as K, RuleAction, decide, parse, plans};
use crate::act::plan::{AccountRules, BY_TAG, Breach, Caps, EXPIRES_TAG, REASON_TAG, Rules, Verb};
use crate::domain::{
    Instance, InstanceState, Lifecycle, Owner, OwnerKind, SourceId, SourceState, Tags,
    VerdictKind as V,
};

use crate::fleet::{Fleet, Row};
use crate::tabs::idle::picture::Field;
use crate::view::TableField;

const MADE: &str = "2026-11-17T12:00:00Z";
const LONG_AGO: &str = "2026-11-14T13:00:00Z";

type Change<'a> = &'a dyn Fn(&mut Instance);
type Changes<'a> = &'a dyn Fn(&mut Row, &mut Fleet, &mut Rules);

fn idle(i: Instance) -> Decision {
    one(&silent(), row(i, V::Idle, Some(at(LONG_AGO))))
}

#[test]
fn idle_is_marked_with_the_full_grace() {
    let decision = idle(instance(&[]));
    assert_eq!((decision.kind, decision.ends), (K::Mark, Some(at("2026-11-25T12:00:00Z"))));
    assert!(
        decision.reason.contains("idle since 2026-11-14 13:00Z; grace of 4 d"),
        "{}",
        decision.reason
    );
}

#[test]
fn the_day_of_the_stop_to_the_second() {
    let marked = |expires| idle(marked(MADE, expires, None));
    let last = marked("2026-11-21T12:00:01Z");
    assert_eq!((last.kind, last.ends), (K::Wait, Some(at("2026-11-21T12:00:01Z"))));
    let over = marked(NOW);
    assert_eq!(over.kind, K::Stop, "{}", over.reason);
}

#[test]
fn a_changed_grace_only_makes_it_later() {
    // Marked with 4 d; now the rule says 6 d, then 2 d.
    let i = || row(marked(MADE, NOW, None), V::Idle, Some(at(LONG_AGO)));
    let mut longer = silent();
    longer.rules[0].grace = hours(6 * 24);
    let decision = one(&longer, i());
    assert_eq!((decision.kind, decision.ends), (K::Wait, Some(at("2026-11-23T12:00:00Z"))));
    let mut shorter = silent();
    shorter.rules[0].grace = hours(2 * 24);
    let early = row(
        marked("2026-11-18T12:00:00Z", "2026-11-22T12:00:00Z", None),
        V::Idle,
        Some(at(LONG_AGO)),
    );
    let decision = one(&shorter, early);
    assert_eq!((decision.kind, decision.ends), (K::Wait, Some(at("2026-11-22T12:00:00Z"))));
}

#[test]
fn the_owner_is_reminded_once_and_always_before_the_stop() {
    let with = |expires, reminded| {
        one(&policy(), row(marked(MADE, expires, reminded), V::Idle, Some(at(LONG_AGO))))
    };
    // More than a day left, exactly a day, less.
    assert_eq!(with("2026-11-22T12:00:01Z", None).kind, K::Wait);
    assert_eq!(with("2026-11-22T12:00:00Z", None).kind, K::Remind);
    assert_eq!(with("2026-11-21T13:00:00Z", None).kind, K::Remind);
    // Reminded: not again, and not a stop within a day of it.
    let today = with("2026-11-21T13:00:00Z", Some("2026-11-21T11:00:00Z"));
    assert_eq!((today.kind, today.ends), (K::Wait, Some(at("2026-11-22T11:00:00Z"))));
    assert_eq!(with(NOW, Some("2026-11-20T12:00:01Z")).kind, K::Wait);
    assert_eq!(with(NOW, Some("2026-11-20T12:00:00Z")).kind, K::Stop);
    // The run that should have reminded never came: the reminder comes first all the same.
    let late = with("2026-11-21T01:00:00Z", None);
    assert_eq!((late.kind, late.ends), (K::Remind, Some(at("2026-11-22T12:00:00Z"))));
    // A reminder of the mark before this one is none.
    assert_eq!(with(NOW, Some("2026-11-16T12:00:00Z")).kind, K::Remind);
}

#[test]
fn use_takes_the_mark_away_and_doubt_does_not() {
    let with = |kind| one(&policy(), row(marked(MADE, NOW, None), kind, None));
    for kind in [V::Busy, V::Partial, V::Underused] {
        assert_eq!(with(kind).kind, K::Unmark, "{kind:?}");
    }
    for kind in [V::Unknown, V::TooNew, V::Exempt] {
        assert_eq!(with(kind).kind, K::Nothing, "{kind:?}");
    }
    let mut unjudged = row(marked(MADE, NOW, None), V::Idle, None);
    unjudged.verdict = None;
    assert_eq!(one(&policy(), unjudged).kind, K::Nothing);
    assert_eq!(one(&policy(), row(instance(&[]), V::Busy, None)).kind, K::Nothing);
}

#[test]
fn use_between_mark_and_now_takes_it_away_and_a_short_memory_does_not() {
    let with = |made, since| one(&silent(), row(marked(made, NOW, None), V::Idle, Some(at(since))));
    assert_eq!(with(MADE, MADE).kind, K::Stop);
    let used = with(MADE, "2026-11-17T13:00:00Z");
    assert_eq!(used.kind, K::Unmark, "{}", used.reason);
    // The stretch begins with the window of 7 d, a day after the mark: nobody knows.
    let old = with("2026-11-13T12:00:00Z", "2026-11-14T12:00:00Z");
    assert_eq!(old.kind, K::Wait);
    assert!(old.reason.contains("not known"), "{}", old.reason);
}

#[test]
fn a_start_after_the_mark_is_a_sign_of_use() {
    let mut i = marked(MADE, NOW, None);
    i.launched_at = at("2026-11-18T12:00:00Z");
    let decision = one(&silent(), row(i, V::Idle, Some(at("2026-11-18T12:00:00Z"))));
    assert_eq!(decision.kind, K::Unmark);
    assert!(decision.reason.contains("started again"), "{}", decision.reason);
}

#[test]
fn marks_of_others_are_left_alone() {
    let by = (BY_TAG, "arn:aws:iam::111122223333:user/a");
    let other = "marked=2026-11-01T00:00:00Z policy=other rule=dev x";
    let cases: [(&[(&str, &str)], &str); 5] = [
        (&[(EXPIRES_TAG, "2026-11-01T00:00:00Z")], "without burntop:by"),
        (&[(EXPIRES_TAG, "last week"), by], "holds no time"),
        (&[(EXPIRES_TAG, "2027-11-01T00:00:00Z"), by], "344 d 12 h ahead"),
        (&[(EXPIRES_TAG, "2026-11-05T00:00:00Z"), by, (REASON_TAG, other)], "the policy other"),
        (
            &[
                (EXPIRES_TAG, "2026-12-05T00:00:00Z"),
                by,
                (REASON_TAG, "marked=2026-11-30T00:00:00Z policy=p rule=dev x"),
            ],
            "still to come",
        ),
    ];
    for (tags, says) in cases {
        for kind in [V::Idle, V::Busy] {
            let since = (kind == V::Idle).then(|| at("2026-10-01T00:00:00Z"));
            let decision = one(&silent(), row(instance(tags), kind, since));
            assert_eq!(decision.kind, K::Nothing, "{says} {kind:?}");
            assert!(decision.reason.contains(says), "{says}: {}", decision.reason);
        }
    }
}

#[test]
fn a_mark_made_by_hand_gets_the_grace_from_its_end() {
    let by = (BY_TAG, "arn:aws:iam::111122223333:user/a");
    let with =
        |expires| idle(instance(&[(EXPIRES_TAG, expires), by, (REASON_TAG, "nobody uses it")]));
    assert_eq!(with("2026-11-17T12:00:00Z").kind, K::Stop);
    let fresh = with("2026-11-21T11:00:00Z");
    assert_eq!((fresh.kind, fresh.ends), (K::Wait, Some(at("2026-11-25T11:00:00Z"))));
    // Whoever marks a partly used box by hand knows that it is used.
    let tags = [(EXPIRES_TAG, "2026-11-25T11:00:00Z"), by];
    assert_eq!(one(&policy(), row(instance(&tags), V::Underused, None)).kind, K::Nothing);
    assert_eq!(one(&policy(), row(instance(&tags), V::Busy, None)).kind, K::Unmark);
    // And where no rule matches, it is nobody's business here.
    let mut elsewhere = instance(&tags);
    elsewhere.tags = Tags::from_raw([tags[0], tags[1], ("env", "research")]);
    assert_eq!(one(&policy(), row(elsewhere, V::Busy, None)).kind, K::Nothing);
}

#[test]
fn a_policys_own_mark_goes_when_busy_even_where_its_filter_asks_for_idle() {
    let mut policy = silent();
    policy.rules[0].filter = crate::view::Filter::parse(Field::table(), "verdict=idle").unwrap();
    let decision = one(&policy, row(marked(MADE, NOW, None), V::Busy, None));
    assert_eq!((decision.kind, decision.rule), (K::Unmark, None));
}

#[test]
fn what_is_exempt_pinned_stopped_unread_or_stale_is_never_touched() {
    let touched = |change: Changes<'_>| {
        let now = at(NOW);
        let mut row = row(marked(MADE, NOW, None), V::Idle, Some(at(LONG_AGO)));
        let mut fleet = fleet(vec![row.clone()], now);
        let mut rules = Rules::default();
        change(&mut row, &mut fleet, &mut rules);
        fleet.rows = vec![std::sync::Arc::new(row)];
        decide(&silent(), &fleet, &scene(&rules, now), |_| true).remove(0)
    };
    let tagged = |row: &mut Row, key: &str, value: &str| {
        let mut i = (*row.instance).clone();
        let mut tags: Vec<(String, String)> =
            i.tags.iter().map(|(k, v)| (k.to_owned(), v.to_owned())).collect();
        tags.push((key.to_owned(), value.to_owned()));
        i.tags = Tags::from_raw(tags);
        row.instance = i.into();
    };
    assert_eq!(touched(&|_, _, _| {}).kind, K::Stop);
    let cases: [(&str, Changes<'_>); 9] = [
        ("exempt", &|r, _, _| tagged(r, "burntop:exempt", "2026-11-21")),
        ("exempt", &|r, _, _| tagged(r, "burntop:exempt", "whatever")),
        ("pins it", &|r, _, rules| {
            rules.read_only_tags = vec![("keep".into(), "yes".into())];
            tagged(r, "Keep", "YES");
        }),
        ("not running (stopping)", &|r, _, _| {
            let mut i = (*r.instance).clone();
            i.state = InstanceState::Stopping;
            r.instance = i.into();
        }),
        ("could not be read", &|_, f, _| f.readings[0].state = SourceState::Cached),
        ("could not be read", &|_, f, _| f.readings.retain(|r| r.source != SourceId::Ec2)),
        ("could not be read", &|_, f, _| f.readings[0].coverage = 0.99),
        ("never read", &|_, f, _| f.readings[1].taken_at = None),
        ("too long", &|_, f, _| {
            f.readings[1].taken_at = Some(at(NOW) - hours(24) - jiff::SignedDuration::from_secs(1));
        }),
    ];
    for (says, change) in cases {
        let decision = touched(change);
        assert_eq!(decision.kind, K::Nothing, "{says}");
        assert!(decision.reason.contains(says), "{says}: {}", decision.reason);
    }
}

#[test]
fn what_cannot_or_should_not_be_stopped_is_not_marked_for_it() {
    let with = |change: Change<'_>, action| {
        let mut policy = silent();
        policy.rules[0].action = action;
        let mut i = instance(&[]);
        change(&mut i);
        one(&policy, row(i, V::Idle, Some(at(LONG_AGO))))
    };
    let owned = |kind| {
        move |i: &mut Instance| {
            i.owners = vec![Owner { kind, name: "workers".into() }];
        }
    };
    let obstacles: [(&str, Change<'_>); 4] = [
        ("asg workers manages it", &owned(OwnerKind::Asg)),
        ("eks workers manages it", &owned(OwnerKind::Eks)),
        ("instance store", &|i| i.ebs_root = false),
        ("paid in advance", &|i| i.lifecycle = Lifecycle::CapacityBlock),
    ];
    for (says, change) in obstacles {
        let stop = with(change, RuleAction::Stop);
        assert_eq!(stop.kind, K::Nothing, "{says}");
        assert!(stop.reason.contains(says), "{}", stop.reason);
        assert_eq!(with(change, RuleAction::Mark).kind, K::Mark, "{says}");
    }
    assert_eq!(with(&owned(OwnerKind::CloudFormation), RuleAction::Stop).kind, K::Mark);
}

#[test]
fn production_is_marked_and_never_stopped() {
    let now = at(NOW);
    let decide = |i: Instance| {
        let account = i.scope.account.clone();
        let mut rules = Rules::default();
        rules
            .accounts
            .insert(account, AccountRules { production: true, ..AccountRules::default() });
        let fleet = fleet(vec![row(i, V::Idle, Some(at(LONG_AGO)))], now);
        decide(&silent(), &fleet, &scene(&rules, now), |_| true).remove(0)
    };
    let fresh = decide(instance(&[]));
    assert!(fresh.kind == K::Mark && fresh.production && fresh.wants_justification);
    let over = decide(marked(MADE, NOW, None));
    assert!(over.kind == K::Nothing && over.wants_justification, "{over:?}");
    assert!(over.reason.contains("--justification"), "{}", over.reason);
}

#[test]
fn a_rule_that_marks_never_stops_and_the_first_rule_decides() {
    let policy = parse(
        "name='p'\n[[rules]]\nname='a'\nfilter='env=dev gpu<101'\naction='mark'\ngrace='1d'\n\
         [[rules]]\nname='b'\nfilter=''\naction='stop'\ngrace='1d'",
    )
    .unwrap();
    let decision = one(&policy, row(marked(MADE, NOW, None), V::Idle, Some(at(LONG_AGO))));
    assert_eq!((decision.kind, decision.rule), (K::Nothing, Some(0)));
    let mut i = marked(MADE, NOW, None);
    i.tags = Tags::from_raw(i.tags.iter().filter(|(k, _)| *k != "env"));
    let decision = one(&policy, row(i, V::Idle, Some(at(LONG_AGO))));
    assert_eq!((decision.kind, decision.rule), (K::Stop, Some(1)));
}

#[test]
fn plans_carry_what_was_decided_and_nothing_else() {
    let now = at(NOW);
    let policy = policy();
    let named = |id: &str, i: Instance| {
        let mut i = i;
        i.id = id.into();
        i
    };
    let since = Some(at(LONG_AGO));
    let rows = vec![
        row(named("i-mark", instance(&[])), V::Idle, since),
        row(named("i-mark2", instance(&[])), V::Idle, since),
        row(named("i-unmark", marked(MADE, NOW, None)), V::Busy, None),
        row(named("i-remind", marked(MADE, NOW, None)), V::Idle, since),
        row(named("i-stop", marked(MADE, NOW, Some("2026-11-20T12:00:00Z"))), V::Idle, since),
        row(named("i-wait", marked(MADE, "2026-11-24T12:00:00Z", None)), V::Idle, since),
        row(named("i-unknown", marked(MADE, NOW, None)), V::Unknown, None),
    ];
    let fleet = fleet(rows, now);
    let decisions = decide_all(&policy, &fleet, now);
    let rules = Rules::default();
    let planned = plans(&policy, &fleet, &decisions, &scene(&rules, now), "cautious");
    let ids = |k: K| -> Vec<&str> {
        let plan = planned.iter().find(|p| p.kind == k).unwrap();
        plan.plan.items.iter().map(|i| &*i.id).collect()
    };
    let order: Vec<K> = planned.iter().map(|p| p.kind).collect();
    assert_eq!(order, [K::Unmark, K::Remind, K::Mark, K::Stop]);
    assert_eq!(ids(K::Unmark), ["i-unmark"]);
    assert_eq!(ids(K::Remind), ["i-remind"]);
    assert_eq!(ids(K::Mark), ["i-mark", "i-mark2"]);
    assert_eq!(ids(K::Stop), ["i-stop"]);
    let Verb::Mark { expires, reason } = &planned[2].plan.verb else { panic!() };
    assert_eq!(*expires, at("2026-11-25T12:00:00Z"));
    assert_eq!(reason, "marked=2026-11-21T12:00:00Z policy=p rule=dev idle");
    assert!(planned.iter().all(|p| p.plan.justification.is_empty() && p.plan.fleet_size == 7));
    assert_eq!(planned[3].plan.filter, "env=dev");
    assert!(planned.iter().all(|p| p.breaches.is_empty()), "one instance is always allowed");
}

#[test]
fn over_the_cap_the_whole_stop_is_refused_and_the_marks_are_not() {
    let now = at(NOW);
    let since = Some(at(LONG_AGO));
    let mut rows = Vec::new();
    for n in 0..3 {
        let mut stop = marked(MADE, NOW, None);
        stop.id = format!("i-stop{n}").into();
        let mut mark = instance(&[]);
        mark.id = format!("i-mark{n}").into();
        rows.extend([row(stop, V::Idle, since), row(mark, V::Idle, since)]);
    }
    let fleet = fleet(rows, now);
    let mut policy = silent();
    policy.caps.max_instances = Some(2);
    let caps = Caps { max_fleet_percent: 100.0, ..Caps::default() };
    let rules = Rules { caps, ..Rules::default() };
    let decisions = decide(&policy, &fleet, &scene(&rules, now), |_| true);
    let planned = plans(&policy, &fleet, &decisions, &scene(&rules, now), "cautious");
    assert_eq!(planned.iter().map(|p| p.kind).collect::<Vec<_>>(), [K::Mark, K::Stop]);
    assert!(planned[0].breaches.is_empty());
    assert_eq!(planned[1].breaches, [Breach::Instances { rows: 3, max: 2 }]);
}
