//! What may be put, and what can never be.

use proptest::prelude::*;

use super::*;
use crate::act::plan::storage::fixture::{after, before, expiring, rule};
use crate::domain::storage::{NoncurrentExpiration, Transition, Versioning::*};

fn with(rule: LifecycleRule) -> Lifecycle {
    let mut all = before();
    all.rules.push(rule);
    all
}

#[test]
fn own_rules_come_and_foreign_ones_stay() {
    let fit = Fit::of(Some(&before()), &after(), Off).unwrap();
    assert_eq!(fit.lifecycle(), &after());
    // Taken away again.
    assert!(Fit::of(Some(&after()), &before(), Off).is_ok());
    // The first rules of a bucket.
    let first = Lifecycle { rules: vec![rule("burntop/0123456789ab/1")], minimum_size: None };
    assert!(Fit::of(None, &first, Off).is_ok());
    // And its last one.
    assert!(Fit::of(Some(&first), &Lifecycle::default(), Off).is_ok());
}

#[test]
fn a_foreign_rule_is_neither_changed_nor_dropped_nor_added() {
    let mut changed = after();
    changed.rules[0].enabled = false;
    let mut dropped = after();
    dropped.rules.remove(0);
    let added = with(rule("mine"));
    for (after, says) in [(changed, "theirs"), (dropped, "theirs"), (added, "mine")] {
        let refused = Fit::of(Some(&before()), &after, Off).unwrap_err().to_string();
        assert!(refused.contains(says), "{refused}");
    }
    // A rule without an id that stands there twice is there twice afterwards.
    let twice = Lifecycle { rules: vec![rule(""), rule("")], minimum_size: None };
    let mut once = Lifecycle { rules: vec![rule("")], minimum_size: None };
    once.rules.push(rule("burntop/0123456789ab/1"));
    assert!(matches!(Fit::of(Some(&twice), &once, Off), Err(Unfit::Foreign(_))));
}

#[test]
fn the_minimum_size_is_as_it_was() {
    let mut other = after();
    for minimum in [Some(MinimumSize::All128K), None] {
        other.minimum_size = minimum;
        let refused = Fit::of(Some(&before()), &other, Off);
        assert!(matches!(refused, Err(Unfit::MinimumSize(..))), "{minimum:?}");
    }
}

#[test]
fn nothing_deletes_where_nothing_is_versioned() {
    let noncurrent = LifecycleRule {
        transitions: vec![],
        noncurrent_expiration: Some(NoncurrentExpiration { days: Some(30), newer_versions: None }),
        ..rule("burntop/0123456789ab/1")
    };
    for new in [expiring("burntop/0123456789ab/1"), noncurrent] {
        let after = with(new);
        for versioning in [Off, Suspended] {
            let refused = Fit::of(Some(&before()), &after, versioning);
            assert!(matches!(refused, Err(Unfit::Deletes(_))), "{refused:?}");
        }
        assert!(Fit::of(Some(&before()), &after, Enabled).is_ok());
    }
    // One that is there already is somebody's decision, and stays.
    let theirs = with(expiring("old"));
    let mut more = theirs.clone();
    more.rules.push(rule("burntop/0123456789ab/1"));
    assert!(Fit::of(Some(&theirs), &more, Off).is_ok());
    // One of burntop's own that is put back by an undo file is new again.
    let own = with(expiring("burntop/0123456789ab/1"));
    assert!(Fit::of(Some(&before()), &own, Off).is_err());
}

#[test]
fn what_s3_would_turn_down_is_not_sent() {
    let early = Transition { when: When::Days(14), class: "STANDARD_IA".into() };
    let wrong = Transition { when: When::Days(90), class: "GLACIER_INSTANT_RETRIEVAL".into() };
    for (new, says) in [
        (
            LifecycleRule { transitions: vec![early], ..rule("burntop/0123456789ab/1") },
            "before day 30",
        ),
        (
            LifecycleRule { transitions: vec![wrong], ..rule("burntop/0123456789ab/1") },
            "is no class",
        ),
        (LifecycleRule { transitions: vec![], ..rule("burntop/0123456789ab/1") }, "does nothing"),
        (
            LifecycleRule { id: format!("burntop/0123456789ab/{}", "x".repeat(250)), ..rule("") },
            "longer than",
        ),
    ] {
        let refused = Fit::of(Some(&before()), &with(new), Enabled).unwrap_err().to_string();
        assert!(refused.contains(says), "{refused}");
    }
    let mut late = expiring("burntop/0123456789ab/1");
    late.transitions = rule("").transitions;
    late.expiration.as_mut().unwrap().when = Some(When::Days(30));
    assert!(matches!(Fit::of(Some(&before()), &with(late), Enabled), Err(Unfit::Refused(..))));
}

#[test]
fn a_thousand_rules_and_no_more_and_each_id_once() {
    let many = |n: usize| Lifecycle {
        rules: (0..n).map(|i| rule(&format!("burntop/0123456789ab/{i}"))).collect(),
        minimum_size: None,
    };
    assert!(Fit::of(None, &many(1_000), Off).is_ok());
    assert_eq!(Fit::of(None, &many(1_001), Off), Err(Unfit::TooMany(1_001)));
    let mut twice = many(2);
    twice.rules[1] = LifecycleRule { enabled: false, ..rule("burntop/0123456789ab/0") };
    assert!(matches!(Fit::of(None, &twice, Off), Err(Unfit::Twice(_))));
    assert_eq!(Fit::of(Some(&many(3)), &many(3), Off), Err(Unfit::Nothing));
}

fn any_rule() -> impl Strategy<Value = LifecycleRule> {
    let id = prop_oneof!["burntop/0123456789a[bc]/[0-3]", "[a-c]", Just(String::new())];
    let tag = prop::option::of(prop_oneof![Just(QUARANTINE_TAG.to_owned()), Just("t".to_owned())]);
    let all = (id, any::<bool>(), any::<bool>(), any::<bool>(), any::<bool>(), tag);
    all.prop_map(|(id, moves, expires, noncurrent, enabled, tag)| {
        let mut out = LifecycleRule { enabled, ..rule(&id) };
        if !moves {
            out.transitions.clear();
        }
        if expires {
            out.expiration = expiring("").expiration;
        }
        if noncurrent {
            out.noncurrent_expiration =
                Some(NoncurrentExpiration { days: Some(5), newer_versions: Some(1) });
        }
        out.filter.tags.extend(tag.map(|t| (t, "1".to_owned())));
        out
    })
}

proptest! {
    /// Whatever comes: what is fit drops no foreign rule, and deletes nothing new where nothing is
    /// versioned, nor ever by the tag of the quarantine.
    #[test]
    fn what_is_fit_is_safe(
        was in prop::collection::vec(any_rule(), 0..5),
        own in prop::collection::vec(any_rule(), 0..4),
        keep in prop::collection::vec(any::<bool>(), 5),
        versioning in prop_oneof![Just(Off), Just(Suspended), Just(Enabled)],
    ) {
        let before = Lifecycle { rules: was.clone(), minimum_size: None };
        let kept = was.iter().zip(&keep).filter(|(r, keep)| **keep || !is_own(r)).map(|(r, _)| r);
        let rules: Vec<LifecycleRule> = kept.cloned().chain(own).collect();
        let after = Lifecycle { rules, minimum_size: None };
        let Ok(fit) = Fit::of(Some(&before), &after, versioning) else { return Ok(()) };
        let put = &fit.lifecycle().rules;
        let count = |all: &[LifecycleRule], r: &LifecycleRule| all.iter().filter(|x| *x == r).count();
        for rule in was.iter().filter(|r| !r.id.starts_with("burntop/")) {
            prop_assert_eq!(count(put, rule), count(&was, rule));
        }
        for rule in put.iter().filter(|r| !was.contains(r)) {
            prop_assert!(rule.id.starts_with("burntop/"));
            let deletes = rule.expiration.is_some() || rule.noncurrent_expiration.is_some();
            prop_assert!(!deletes || versioning == Enabled);
            let quarantine = rule.filter.tags.iter().any(|t| t.0 == QUARANTINE_TAG);
            prop_assert!(!(deletes && quarantine));
        }
    }
}
