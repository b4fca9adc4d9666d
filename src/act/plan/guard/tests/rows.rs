//! Rows that pass one by one and not together.

use std::sync::Arc;

use super::super::{together, together_after};
use super::facts::{member, target};
use super::{SHRINK, of};
use crate::act::plan::fixture::{GuardFixture, now, passing, plan_of};
use crate::act::plan::{Caps, CheckedRow, Guard, Preflighted, Severity, Verb};
use crate::domain::{GroupFact, TargetGroupFact};

fn rows(verb: &Verb, n: usize, spoil: impl Fn(usize, &mut GuardFixture)) -> Vec<CheckedRow> {
    let one = |i: usize| {
        let mut fixture = passing(verb.clone()).named(&format!("i-{i}"));
        spoil(i, &mut fixture);
        fixture.check()
    };
    (1..=n).map(one).collect()
}

/// Ids of the rows that pass together.
fn pass(verb: &Verb, mut rows: Vec<CheckedRow>) -> Vec<String> {
    together(verb, &mut rows);
    for row in &rows {
        let severities: Vec<Severity> = row.findings.iter().map(|f| f.severity).collect();
        assert!(severities.is_sorted_by(|a, b| a >= b), "{severities:?}");
    }
    rows.iter().filter(|r| !r.is_blocked()).map(|r| r.item.id.to_string()).collect()
}

fn group(desired: u32) -> GroupFact {
    GroupFact {
        name: "workers".into(),
        min: 2,
        desired,
        protected_from_scale_in: false,
        lifecycle: "InService".into(),
    }
}

#[test]
fn a_group_keeps_its_minimum() {
    let of_group = |desired| rows(&SHRINK, 4, |_, s| member(s, group(desired)));
    assert_eq!(pass(&SHRINK, of_group(6)), ["i-1", "i-2", "i-3", "i-4"]);
    assert_eq!(pass(&SHRINK, of_group(5)), ["i-1", "i-2", "i-3"]);
    assert_eq!(pass(&SHRINK, of_group(3)), ["i-1"]);
    assert!(pass(&SHRINK, of_group(2)).is_empty());
    // The group shrank while it was looked at: the smallest figure counts.
    let shrinking = rows(&SHRINK, 4, |i, s| member(s, group(if i == 3 { 4 } else { 9 })));
    assert_eq!(pass(&SHRINK, shrinking), ["i-1", "i-2"]);
    // A row that is blocked anyway takes no place.
    let first_gone = rows(&SHRINK, 3, |i, s| {
        member(s, group(4));
        s.inspection.stop_protection = Ok(i == 1);
    });
    assert_eq!(pass(&SHRINK, first_gone), ["i-2", "i-3"]);
    // The same name in another region is another group.
    let apart = rows(&SHRINK, 2, |i, s| {
        member(s, group(3));
        if i == 2 {
            s.item(|r| r.scope.region = "eu-west-1".into());
            s.instance(|r| r.scope.region = "eu-west-1".into());
        }
    });
    assert_eq!(pass(&SHRINK, apart), ["i-1", "i-2"]);
}

#[test]
fn a_target_group_keeps_a_healthy_target() {
    let serving = |others: &[(&'static str, u32)]| {
        let others = others.to_vec();
        rows(&Verb::Stop, others.len(), move |i, s| {
            let (health, other) = others[i - 1];
            s.inspection.target_groups = Ok(vec![target("web", health, other)]);
        })
    };
    // Three targets, all in the plan: one has to stay.
    assert_eq!(pass(&Verb::Stop, serving(&[("healthy", 2); 3])), ["i-1", "i-2"]);
    assert_eq!(pass(&Verb::Stop, serving(&[("healthy", 3); 3])), ["i-1", "i-2", "i-3"]);
    // One that starts counts for nobody, and may go while a healthy one stays.
    assert_eq!(
        pass(&Verb::Stop, serving(&[("initial", 2), ("healthy", 1), ("healthy", 1)])),
        ["i-1", "i-2"]
    );
    assert_eq!(pass(&Verb::Stop, serving(&[("unhealthy", 2), ("healthy", 1)])), ["i-1", "i-2"]);
    let text = {
        let mut rows = serving(&[("healthy", 1); 2]);
        together(&Verb::Stop, &mut rows);
        of(&rows[1], Guard::TargetGroups)
    };
    assert_eq!(
        text[0],
        (Severity::Block, "with this one too, web would have no healthy target".into())
    );
}

#[test]
fn a_target_that_was_just_called_for_is_not_counted_on() {
    // Two healthy targets of which one was stopped a moment ago: the load balancer has not seen it.
    let all = rows(&Verb::Stop, 2, |_, s| {
        s.inspection.target_groups = Ok(vec![target("web", "healthy", 1)]);
    });
    let left = |gone: &[CheckedRow]| {
        let mut rows = vec![all[1].clone()];
        together_after(&Verb::Stop, &mut rows, gone);
        rows[0].reason().map(|f| f.guard)
    };
    assert_eq!(left(&[]), None);
    assert_eq!(left(&all[..1]), Some(Guard::TargetGroups));
    let elsewhere = rows(&Verb::Stop, 1, |_, s| {
        s.inspection.target_groups = Ok(vec![target("api", "healthy", 1)]);
    });
    assert_eq!(left(&elsewhere), None);
}

#[test]
fn every_plan_over_two_target_groups_by_hand() {
    // Every plan of up to four rows over two target groups of three healthy targets each: what
    // passes never empties a group, and what is blocked would have.
    for mask in 0_u32..256 {
        let groups = |i: usize| -> Vec<TargetGroupFact> {
            let bits = (mask >> (2 * (i - 1))) & 3;
            [("a", 1), ("b", 2)]
                .iter()
                .filter(|(_, bit)| bits & bit != 0)
                .map(|(name, _)| target(name, "healthy", 2))
                .collect()
        };
        let all = rows(&Verb::Stop, 4, |i, s| s.inspection.target_groups = Ok(groups(i)));
        let passed = pass(&Verb::Stop, all);
        let used = |name: &str, ids: &[String]| {
            let of = |id: &String| groups(id[2..].parse().unwrap());
            ids.iter().filter(|id| of(id).iter().any(|g| &*g.name == name)).count()
        };
        assert!(used("a", &passed) <= 2 && used("b", &passed) <= 2, "{mask:b}");
        for i in 1..=4 {
            let id = format!("i-{i}");
            if !passed.contains(&id) {
                let with: Vec<String> = passed.iter().cloned().chain([id]).collect();
                assert!(used("a", &with) > 2 || used("b", &with) > 2, "{mask:b} {i}");
            }
        }
    }
}

#[test]
fn an_instance_is_acted_on_once() {
    for verb in [Verb::Stop, Verb::Unmark] {
        let twice = rows(&verb, 3, |i, s| {
            if i == 3 {
                *s = s.clone().named("i-1");
            }
        });
        let mut all = twice.clone();
        together(&verb, &mut all);
        assert!(of(&all[2], Guard::Identity)[0].1.contains("twice"));
        assert_eq!(pass(&verb, twice), ["i-1", "i-2"]);
    }
}

#[test]
fn a_preflight_looks_at_its_rows_together() {
    let rows = rows(&SHRINK, 3, |_, s| member(s, group(3)));
    let items = rows.iter().map(|r| (*r.item).clone()).collect();
    let plan = Arc::new(plan_of(SHRINK, items));
    let caps = Caps { max_instances: 1, ..Caps::default() };
    let flight = Preflighted::new(plan, rows, now(), [].into(), &caps);
    assert_eq!(flight.passed().count(), 1);
    assert_eq!(flight.blocked().count(), 2);
    // The caps count what is left.
    assert!(flight.breaches.is_empty());
}

#[test]
fn an_unarmed_plan_meets_what_holds_for_its_rows_together_as_an_armed_one_does() {
    let disarm = |fixture: &mut GuardFixture| {
        for account in fixture.rules.accounts.values_mut() {
            account.armed = false;
        }
    };
    let would = |mut rows: Vec<CheckedRow>| -> Vec<String> {
        together(&SHRINK, &mut rows);
        rows.iter().filter(|r| r.may_go()).map(|r| r.item.id.to_string()).collect()
    };
    let unarmed = rows(&SHRINK, 4, |_, s| {
        member(s, group(4));
        disarm(s);
    });
    assert!(unarmed.iter().all(CheckedRow::is_blocked));
    assert_eq!(would(unarmed), ["i-1", "i-2"], "the group keeps its minimum, armed or not");
}
