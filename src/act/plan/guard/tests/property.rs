//! Random facts against a short list written another way: what passes fulfils all of it.

use std::sync::Arc;

use jiff::SignedDuration;
use proptest::prelude::*;

use super::{SHRINK, TERMINATE};
use crate::act::plan::fixture::{ACCOUNT, GuardFixture, ID, ago, error, passing};
use crate::act::plan::{Severity, Verb};
use crate::domain::{
    Caller, GroupFact, InstanceState, Lifecycle, SpotFact, Tags, TargetGroupFact, VerdictKind,
};

/// One thing that a fault does to a fixture.
type Fault = fn(&mut GuardFixture);

const FAULTS: &[Fault] = &[
    |s| s.rules.accounts.clear(),
    |s| s.rules.accounts.get_mut(ACCOUNT).into_iter().for_each(|a| a.read_only = true),
    |s| s.caller = error("sts:GetCallerIdentity"),
    |s| s.caller = Ok(Caller { account: "999".into(), arn: "arn:x".into() }),
    |s| s.plan.expires_at = s.now,
    |s| s.plan.created_at = s.now + SignedDuration::from_mins(1),
    |s| s.item(|i| i.verdict = Some(VerdictKind::Busy)),
    |s| s.item(|i| i.verdict = Some(VerdictKind::Partial)),
    |s| s.item(|i| i.verdict = None),
    |s| s.item(|i| i.judged_until = None),
    |s| s.item(|i| i.judged_until = Some(ago(25 * 60))),
    |s| s.item(|i| i.evidence_sha256.clear()),
    |s| s.inspection.instance = error("ec2:DescribeInstances"),
    |s| s.inspection.instance = Ok(None),
    |s| change(s, |i| i.state = InstanceState::Stopped),
    |s| change(s, |i| i.state = InstanceState::Pending),
    |s| change(s, |i| i.launched_at = ago(60)),
    |s| change(s, |i| i.instance_type = "p5.48xlarge".into()),
    |s| tag(s, "burntop:exempt", "true"),
    |s| tag(s, "burntop:exempt", "nonsense"),
    |s| tag(s, "eks:cluster-name", "c"),
    |s| tag(s, "sagemaker:cluster-name", "c"),
    |s| tag(s, "aws:autoscaling:groupName", "g"),
    |s| s.inspection.group = error("autoscaling:DescribeAutoScalingInstances"),
    |s| s.inspection.group = Ok(Some(group(3, false))),
    |s| s.inspection.group = Ok(Some(group(1, false))),
    |s| s.inspection.group = Ok(Some(group(3, true))),
    |s| change(s, |i| i.lifecycle = Lifecycle::Spot),
    |s| s.inspection.spot = Ok(Some(SpotFact { request: "sir-1".into(), persistent: true })),
    |s| s.inspection.spot = Ok(Some(SpotFact { request: "sir-1".into(), persistent: false })),
    |s| s.inspection.spot = error("ec2:DescribeSpotInstanceRequests"),
    |s| s.inspection.termination_protection = Ok(true),
    |s| s.inspection.termination_protection = error("ec2:DescribeInstanceAttribute"),
    |s| s.inspection.stop_protection = Ok(true),
    |s| s.inspection.stop_protection = error("ec2:DescribeInstanceAttribute"),
    |s| change(s, |i| i.ebs_root = false),
    |s| s.inspection.spec = Ok(None),
    |s| s.inspection.spec = error("ec2:DescribeInstanceTypes"),
    |s| s.inspection.volumes = error("ec2:DescribeVolumes"),
    |s| s.inspection.target_groups = Ok(vec![target(0)]),
    |s| s.inspection.target_groups = Ok(vec![target(2)]),
    |s| s.inspection.target_groups = error("elasticloadbalancing:DescribeTargetHealth"),
    |s| s.permitted = error("ec2:StopInstances"),
    |s| s.executor = "read-only",
    |s| s.recent = error("cloudwatch:GetMetricData"),
    |s| series(s, |values| values[5] = 50.0),
    |s| series(s, |values| values[5] = f64::NAN),
    |s| series(s, |values| values.truncate(2)),
    |s| s.recent.iter_mut().for_each(|r| r.series[0].complete = false),
];

fn change(s: &mut GuardFixture, with: impl FnOnce(&mut crate::domain::Instance)) {
    if matches!(s.inspection.instance, Ok(Some(_))) {
        s.instance(with);
    }
}

fn tag(s: &mut GuardFixture, key: &str, value: &str) {
    change(s, |i| {
        let all: Vec<(String, String)> = i
            .tags
            .iter()
            .chain([(key, value)])
            .map(|(k, v)| (k.to_owned(), v.to_owned()))
            .collect();
        i.tags = Tags::from_raw(all);
    });
}

fn series(s: &mut GuardFixture, with: impl Fn(&mut Vec<f64>)) {
    if let Ok(recent) = &mut s.recent {
        for one in &mut recent.series {
            let mut values: Vec<f64> = one.points.iter().map(|p| p.1).collect();
            if values.len() > 5 {
                with(&mut values);
            }
            one.points = one.points.iter().zip(values).map(|(p, v)| (p.0, v)).collect();
        }
    }
}

fn group(desired: u32, protected_from_scale_in: bool) -> GroupFact {
    let (name, lifecycle): (Arc<str>, _) = ("g".into(), "InService".into());
    GroupFact { name, min: 1, desired, protected_from_scale_in, lifecycle }
}

fn target(other_healthy: u32) -> TargetGroupFact {
    TargetGroupFact { name: "t".into(), health: "healthy".into(), other_healthy }
}

/// What has to hold before an instance is stopped or terminated. Knows nothing of the guards.
fn may_end(s: &GuardFixture) -> bool {
    let Ok(Some(i)) = &s.inspection.instance else { return false };
    let Ok(Some(spec)) = &s.inspection.spec else { return false };
    let Ok(recent) = &s.recent else { return false };
    let Ok(group) = &s.inspection.group else { return false };
    let Ok(spot) = &s.inspection.spot else { return false };
    let Ok(targets) = &s.inspection.target_groups else { return false };
    let stop = s.plan.verb == Verb::Stop;
    let account = s.rules.accounts.get(ACCOUNT).is_some_and(|a| a.armed && !a.read_only)
        && s.caller.as_ref().is_ok_and(|c| &*c.account == ACCOUNT)
        && s.permitted.is_ok()
        && s.executor == "live";
    let word = s.plan.created_at <= s.now && s.now < s.plan.expires_at;
    let judged = s.item.verdict == Some(VerdictKind::Idle)
        && s.item.evidence_sha256.len() == 64
        && s.item.judged_until.is_some_and(|t| t >= ago(24 * 60));
    let same = &*i.id == ID
        && i.state == InstanceState::Running
        && i.launched_at == s.item.launched_at
        && i.instance_type == spec.name;
    let own = !i.tags.iter().any(|(k, _)| {
        k.starts_with("burntop:exempt") || k.starts_with("eks:") || k.starts_with("sagemaker:")
    });
    let tagged = i.tags.get("aws:autoscaling:groupName").is_some();
    let in_group = match group {
        None => !tagged,
        Some(g) => {
            tagged && s.plan.verb == SHRINK && g.desired > g.min && !g.protected_from_scale_in
        }
    };
    let bought = match (i.lifecycle, spot) {
        (Lifecycle::Spot, Some(request)) => request.persistent == stop,
        (Lifecycle::Spot, None) => false,
        (_, request) => request.is_none(),
    };
    let unprotected = matches!(s.inspection.stop_protection, Ok(false))
        && (stop || matches!(s.inspection.termination_protection, Ok(false)));
    let fitting = if stop { i.ebs_root } else { s.inspection.volumes.is_ok() };
    let spared = targets.iter().all(|t| t.other_healthy > 0);
    let values =
        || recent.series.iter().flat_map(|s| s.points.iter().map(move |p| (s.signal, p.1)));
    let quiet = recent.series.iter().all(|s| s.complete && s.points.len() >= 9)
        && values().all(|(signal, v)| v.is_finite() && (!signal.is_percent() || v < 5.0));
    account
        && word
        && judged
        && same
        && own
        && in_group
        && bought
        && unprotected
        && fitting
        && spared
        && quiet
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn what_passes_fulfils_every_condition(
        verb in prop::sample::select(vec![Verb::Stop, TERMINATE, SHRINK]),
        faults in prop::collection::vec(0..FAULTS.len(), 0..4),
    ) {
        let mut s = passing(verb);
        for fault in &faults {
            FAULTS[*fault](&mut s);
        }
        let row = s.check();
        // Both ways: nothing slips through, and nothing is refused for no reason.
        prop_assert_eq!(!row.is_blocked(), may_end(&s), "{:?}: {:#?}", faults, row.findings);
        prop_assert!(row.findings.iter().map(|f| f.severity).is_sorted_by(|a, b| a >= b));
        prop_assert!(row.findings.iter().all(|f| !f.text.is_empty() && !f.source.is_empty()));
    }
}

#[test]
fn every_fault_matters_to_something() {
    let blocked = |verb: &Verb, fault: Fault| {
        let mut s = passing(verb.clone());
        fault(&mut s);
        let row = s.check();
        assert_eq!(
            row.reason().is_some(),
            row.findings.iter().any(|f| f.severity == Severity::Block)
        );
        row.is_blocked()
    };
    let harmless: Vec<usize> = (0..FAULTS.len())
        .filter(|i| ![Verb::Stop, TERMINATE].iter().any(|verb| blocked(verb, FAULTS[*i])))
        .collect();
    // Two other healthy targets are the one thing in the list that is fine.
    assert_eq!(harmless.len(), 1, "{harmless:?}");
}
