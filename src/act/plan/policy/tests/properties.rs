//! What holds whatever the tags, the verdict and the clock say.

use jiff::{SignedDuration, Timestamp};
use proptest::prelude::*;

use super::scene::{NOW, at, decide_all, fleet, instance, policy, row, silent};
use crate::act::plan::policy::{DecisionKind as K, Policy, plans};
use crate::act::plan::{BY_TAG, EXPIRES_TAG, REASON_TAG, REMINDED_TAG, Rules, Verb};
use crate::domain::{Tags, VerdictKind};
use crate::fleet::Row;

fn hour(n: i64) -> Timestamp {
    at(NOW) + SignedDuration::from_hours(n)
}

/// A tag's value: a time around now in hours, or something else.
fn time() -> impl Strategy<Value = Option<String>> {
    prop_oneof![
        6 => (-400_i64..400).prop_map(|n| Some(hour(n).to_string())),
        1 => Just(None),
        1 => Just(Some("soon".to_owned())),
        1 => Just(Some(String::new())),
    ]
}

prop_compose! {
    fn any_row()(
        kind in proptest::sample::select(VerdictKind::ALL.to_vec()),
        since in proptest::option::weighted(0.9, -300_i64..0),
        launched in prop_oneof![Just(-4000_i64), -200_i64..0],
        expires in time(),
        reminded in time(),
        by in proptest::option::weighted(0.9, Just("arn:aws:iam::1:user/a".to_owned())),
        made in time(),
        name in proptest::sample::select(vec!["p", "q"]),
        written in any::<bool>(),
        env in proptest::sample::select(vec!["dev", "prod", "lab"]),
        exempt in proptest::option::weighted(0.05, Just("true".to_owned())),
    ) -> Row {
        let reason = match (written, made) {
            (true, Some(made)) => format!("marked={made} policy={name} rule=dev x"),
            _ => "by hand".to_owned(),
        };
        let mut i = instance(&[]);
        i.launched_at = hour(launched);
        let tags = [
            ("env", Some(env.to_owned())),
            (EXPIRES_TAG, expires),
            (BY_TAG, by),
            (REASON_TAG, Some(reason)),
            (REMINDED_TAG, reminded),
            ("burntop:exempt", exempt),
        ];
        i.tags = Tags::from_raw(tags.into_iter().filter_map(|(k, v)| Some((k, v?))));
        let idle = kind == VerdictKind::Idle;
        row(i, kind, since.filter(|_| idle).map(|n| hour(n.max(launched))))
    }
}

/// What the tags of a plan's execution become, by the words of the contract and nothing of the
/// engine's.
pub(super) fn tagged(row: &Row, verb: &Verb, now: Timestamp) -> Row {
    let mut row = row.clone();
    let mut i = (*row.instance).clone();
    let mut tags: Vec<(String, String)> =
        i.tags.iter().map(|(k, v)| (k.to_owned(), v.to_owned())).collect();
    let drop = |tags: &mut Vec<(String, String)>, keys: &[&str]| {
        tags.retain(|(k, _)| !keys.contains(&k.as_str()));
    };
    match verb {
        Verb::Mark { expires, reason } => {
            drop(&mut tags, &[EXPIRES_TAG, BY_TAG, REASON_TAG]);
            tags.push((EXPIRES_TAG.into(), expires.to_string()));
            tags.push((BY_TAG.into(), "arn:aws:iam::1:role/cron".into()));
            tags.push((REASON_TAG.into(), reason.clone()));
        }
        Verb::Remind => {
            drop(&mut tags, &[REMINDED_TAG]);
            tags.push((REMINDED_TAG.into(), now.to_string()));
        }
        Verb::Unmark => drop(&mut tags, &[EXPIRES_TAG, BY_TAG, REASON_TAG, REMINDED_TAG]),
        Verb::Stop => i.state = crate::domain::InstanceState::Stopped,
        other => panic!("{other:?}"),
    }
    i.tags = Tags::from_raw(tags);
    row.instance = i.into();
    row
}

fn policies() -> impl Strategy<Value = Policy> {
    (proptest::bool::ANY, 1_i64..12).prop_map(|(reminds, days)| {
        let mut policy = if reminds { policy() } else { silent() };
        policy.rules[0].grace = SignedDuration::from_hours(24 * days + 1);
        policy
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn no_stop_without_an_old_mark_of_ours_and_idleness_through_all_of_it(
        row in any_row(), policy in policies(),
    ) {
        let now = at(NOW);
        let rule = policy.rules[0].clone();
        let decision = decide_all(&policy, &fleet(vec![row.clone()], now), now).remove(0);
        let tags = &row.instance.tags;
        let time = |key| tags.get(key).and_then(|t| t.parse::<Timestamp>().ok());
        if decision.kind == K::Stop {
            let verdict = row.verdict.as_deref().unwrap();
            prop_assert_eq!(verdict.kind, VerdictKind::Idle);
            prop_assert!(tags.get("burntop:exempt").is_none());
            prop_assert_eq!(tags.get("env"), Some("dev"));
            prop_assert!(tags.get(BY_TAG).is_some());
            let expires = time(EXPIRES_TAG).unwrap();
            prop_assert!(expires <= now);
            // Age by the word in the reason where a policy wrote one, else by the end alone.
            let reason = tags.get(REASON_TAG).unwrap();
            let word = reason.strip_prefix("marked=").and_then(|r| r.split(' ').next());
            let made = word.and_then(|w| w.parse::<Timestamp>().ok()).filter(|m| *m <= expires);
            let made = made.unwrap_or(expires);
            prop_assert!(now.duration_since(made) >= rule.grace);
            prop_assert!(verdict.idle_since.unwrap() <= made);
            prop_assert!(row.instance.launched_at <= made);
            if let Some(before) = rule.remind_before {
                let reminded = time(REMINDED_TAG).unwrap();
                prop_assert!(now.duration_since(reminded) >= before);
            }
            prop_assert!(!reason.contains("policy=q"));
        }
    }

    #[test]
    fn unknown_exempt_too_new_and_busy_are_never_marked_reminded_or_stopped(
        row in any_row(), policy in policies(),
    ) {
        let now = at(NOW);
        let decision = decide_all(&policy, &fleet(vec![row.clone()], now), now).remove(0);
        let exempt = row.instance.tags.get("burntop:exempt").is_some();
        match row.verdict.as_deref().unwrap().kind {
            _ if exempt => prop_assert_eq!(decision.kind, K::Nothing),
            VerdictKind::Unknown | VerdictKind::TooNew | VerdictKind::Exempt => {
                prop_assert_eq!(decision.kind, K::Nothing);
            }
            VerdictKind::Busy | VerdictKind::Partial | VerdictKind::Underused => {
                prop_assert!(matches!(decision.kind, K::Nothing | K::Unmark));
            }
            VerdictKind::Idle => {}
        }
        prop_assert!(!decision.reason.is_empty());
        let foreign = row.instance.tags.get(BY_TAG).is_none()
            && row.instance.tags.get(EXPIRES_TAG).is_some();
        prop_assert!(!foreign || decision.kind == K::Nothing);
    }

    /// What a run did, a second run in the same minute does not do again, and does not undo.
    #[test]
    fn a_second_run_does_nothing_new(row in any_row(), policy in policies(), later in 0_i64..60) {
        let now = at(NOW);
        let rules = Rules::default();
        let first = fleet(vec![row.clone()], now);
        let decisions = decide_all(&policy, &first, now);
        let planned =
            plans(&policy, &first, &decisions, &super::scene::scene(&rules, now), "cautious");
        prop_assert!(planned.len() <= 1);
        prop_assert_eq!(planned.len() == 1, decisions[0].kind.acts());
        if let Some(planned) = planned.first() {
            let after = tagged(&row, &planned.plan.verb, now);
            let now = now + SignedDuration::from_secs(later);
            let again = decide_all(&policy, &fleet(vec![after], now), now).remove(0);
            // What lost its mark may be marked anew, with a full grace, if it is idle now.
            let anew = planned.kind == K::Unmark && again.kind == K::Mark;
            prop_assert!(anew || !again.kind.acts(), "{:?} then {again:?}", planned.kind);
            if planned.kind == K::Mark {
                prop_assert_eq!(again.kind, K::Wait);
                prop_assert_eq!(again.ends, decisions[0].ends);
            }
        }
    }

    /// With nothing else changing, time only moves a decision forward: wait, remind, stop.
    #[test]
    fn waiting_ends_and_never_begins_again(
        made in -300_i64..0, grace in 1_i64..200, policy in policies(), steps in 1_i64..400,
    ) {
        let mut policy = policy;
        policy.rules[0].grace = SignedDuration::from_hours(grace + 25);
        let ends = hour(made) + policy.rules[0].grace;
        let reason = format!("marked={} policy=p rule=dev x", hour(made));
        let expires = ends.to_string();
        let tags = [(EXPIRES_TAG, expires.as_str()), (BY_TAG, "a"), (REASON_TAG, reason.as_str())];
        let row = row(instance(&tags), VerdictKind::Idle, Some(hour(made - 5)));
        let kind = |n: i64| {
            let now = hour(n);
            decide_all(&policy, &fleet(vec![row.clone()], now), now).remove(0).kind
        };
        let rank = |k: K| match k {
            K::Wait => 0,
            K::Remind => 1,
            K::Stop => 2,
            other => panic!("{other:?}"),
        };
        prop_assert!(rank(kind(steps)) >= rank(kind(steps - 1)));
        let over = ends.duration_since(hour(steps)).as_secs() <= 0;
        let reminds = policy.rules[0].remind_before.is_some();
        prop_assert_eq!(kind(steps) == K::Stop, over && !reminds);
    }
}
