//! Who acts, on which word and evidence; state, life, age.

use std::sync::Arc;

use jiff::SignedDuration;

use super::{SHRINK, TERMINATE, blocking, blocks, mark, passes, says, verbs};
use crate::act::plan::fixture::{ACCOUNT, GuardFixture, ago, error, launched, now, passing};
use crate::act::plan::{Guard, Severity, Verb};
use crate::domain::{Caller, InstanceState, Tags, VerdictKind};

const STOP: Verb = Verb::Stop;

#[test]
fn armed() {
    for verb in verbs() {
        let text = blocks(&verb, Guard::Armed, |s| s.rules.accounts.clear());
        assert!(text.contains("--allow-actions"), "{text}");
        let pin = |s: &mut GuardFixture| {
            s.rules.accounts.get_mut(ACCOUNT).unwrap().read_only = true;
        };
        assert!(blocks(&verb, Guard::Armed, pin).contains("pinned read-only"));
        let text = blocks(&verb, Guard::Armed, |s| {
            s.rules.read_only_tags = vec![("team".into(), "NLP".into())];
        });
        assert!(text.contains("tags"), "{text}");
    }
}

#[test]
fn identity() {
    let caller = |account: &str, arn: &str| Ok(Caller { account: account.into(), arn: arn.into() });
    for verb in verbs() {
        blocks(&verb, Guard::Identity, |s| s.caller = error("sts:GetCallerIdentity"));
        let text = blocks(&verb, Guard::Identity, |s| s.caller = caller("999", "arn:x"));
        assert!(text.contains("999"), "{text}");
        blocks(&verb, Guard::Identity, |s| s.caller = caller(ACCOUNT, ""));
        blocks(&verb, Guard::Identity, |s| s.plan.items.clear());
    }
}

#[test]
fn plan_age() {
    for verb in verbs() {
        passes(&verb, |s| s.plan.created_at = now());
        blocks(&verb, Guard::PlanAge, |s| s.plan.created_at = now() + SignedDuration::from_secs(1));
        passes(&verb, |s| s.plan.expires_at = now() + SignedDuration::from_secs(1));
        blocks(&verb, Guard::PlanAge, |s| s.plan.expires_at = now());
        blocks(&verb, Guard::PlanAge, |s| s.plan.schema = "burntop/plan/9".into());
    }
}

#[test]
fn verdict() {
    use VerdictKind::{Idle, Partial, Underused};
    for kind in VerdictKind::ALL {
        let set = |s: &mut GuardFixture| s.item(|i| i.verdict = Some(kind));
        for verb in [STOP, TERMINATE, SHRINK] {
            if kind == Idle {
                passes(&verb, set);
            } else {
                assert!(blocks(&verb, Guard::Verdict, set).contains(kind.name()));
            }
        }
        if matches!(kind, Idle | Partial | Underused) {
            passes(&mark(), set);
        } else {
            blocks(&mark(), Guard::Verdict, set);
        }
        passes(&Verb::Start, set);
        passes(&Verb::Unmark, set);
    }
    for verb in [STOP, TERMINATE, mark()] {
        blocks(&verb, Guard::Verdict, |s| s.item(|i| i.verdict = None));
    }
}

#[test]
fn evidence() {
    for verb in [STOP, TERMINATE, mark()] {
        blocks(&verb, Guard::Evidence, |s| s.item(|i| i.evidence_sha256 = " ".into()));
        let said = says(&verb, Guard::Evidence, |s| s.item(|i| i.judged_until = None));
        assert_eq!(said[0].0, Severity::Block);
        let text = blocks(&verb, Guard::Evidence, |s| {
            s.item(|i| i.judged_until = Some(now() + SignedDuration::from_secs(61)));
        });
        assert!(text.contains("future"), "{text}");
        passes(&verb, |s| s.item(|i| i.judged_until = Some(now() + SignedDuration::from_secs(60))));
        blocks(&verb, Guard::Evidence, |s| s.item(|i| i.idle_since = Some(ago(-1))));
    }
    let aged = |minutes: i64| {
        says(&mark(), Guard::Evidence, |s| s.item(|i| i.judged_until = Some(ago(minutes))))
    };
    assert!(aged(24 * 60).is_empty());
    assert_eq!(aged(24 * 60 + 1).len(), 1);
}

#[test]
fn state() {
    use InstanceState::{Pending, Running, ShuttingDown, Stopped, Stopping, Terminated, Unknown};
    let all = [Pending, Running, Stopping, Stopped, ShuttingDown, Terminated, Unknown];
    for state in all {
        let found = |s: &mut GuardFixture| s.instance(|i| i.state = state);
        let planned = |s: &mut GuardFixture| s.item(|i| i.state = state);
        for verb in verbs() {
            let wanted = if verb == Verb::Start { Stopped } else { Running };
            if matches!(verb, Verb::Remind | Verb::Unmark) {
                passes(&verb, planned);
                if matches!(state, ShuttingDown | Terminated | Unknown) {
                    blocks(&verb, Guard::State, found);
                } else {
                    passes(&verb, found);
                }
            } else if state == wanted {
                passes(&verb, found);
                passes(&verb, planned);
            } else {
                assert!(blocks(&verb, Guard::State, found).contains(state.word()));
                blocks(&verb, Guard::State, planned);
            }
        }
    }
    for verb in verbs() {
        blocks(&verb, Guard::State, |s| s.inspection.instance = error("ec2:DescribeInstances"));
        let text = blocks(&verb, Guard::State, |s| s.inspection.instance = Ok(None));
        assert!(text.contains("does not exist"), "{text}");
        blocks(&verb, Guard::State, |s| s.inspection.id = "i-9".into());
        blocks(&verb, Guard::State, |s| s.instance(|i| i.id = "i-9".into()));
        blocks(&verb, Guard::State, |s| s.instance(|i| i.scope.region = "eu-west-1".into()));
        // A cache's word is not the world's.
        blocks(&verb, Guard::State, |s| s.inspection.taken_at = ago(6));
        passes(&verb, |s| s.inspection.taken_at = ago(5));
        blocks(&verb, Guard::State, |s| s.inspection.taken_at = ago(-2));
    }
}

#[test]
fn life() {
    for verb in [STOP, TERMINATE, Verb::Start, mark()] {
        let again = launched() + SignedDuration::from_secs(1);
        let text = blocks(&verb, Guard::Life, |s| s.instance(|i| i.launched_at = again));
        assert!(text.contains("launched anew"), "{text}");
        blocks(&verb, Guard::Life, |s| {
            s.item(|i| i.idle_since = Some(launched() - SignedDuration::from_secs(1)));
        });
        passes(&verb, |s| s.item(|i| i.idle_since = Some(launched())));
    }
    for verb in [Verb::Start, mark()] {
        blocks(&verb, Guard::Life, |s| s.instance(|i| i.instance_type = "g5g.xlarge".into()));
    }
    // What would be lost with the new type is not known either.
    let mut other = passing(STOP);
    other.instance(|i| i.instance_type = "g5g.xlarge".into());
    assert_eq!(blocking(&other.check()), [Guard::Life, Guard::InstanceStore]);
    passes(&Verb::Unmark, |s| s.instance(|i| i.launched_at = ago(5)));
}

#[test]
fn exempt() {
    let tagged =
        |value: &'static str| move |s: &mut GuardFixture| s.tags(&[("BurnTop:Exempt", value)]);
    for verb in [STOP, TERMINATE, mark(), Verb::Remind] {
        blocks(&verb, Guard::Exempt, tagged("true"));
        assert!(blocks(&verb, Guard::Exempt, tagged("2026-07-01")).contains("2026-07-01"));
        assert!(blocks(&verb, Guard::Exempt, tagged("false")).contains("neither"));
        passes(&verb, tagged("2026-06-30"));
    }
    passes(&Verb::Unmark, tagged("true"));
    passes(&Verb::Start, tagged("true"));
}

#[test]
fn age() {
    let young = |minutes: i64| {
        move |s: &mut GuardFixture| {
            s.item(|i| {
                i.launched_at = ago(minutes);
                i.idle_since = Some(ago(minutes));
            });
            s.instance(|i| i.launched_at = ago(minutes));
        }
    };
    for verb in [STOP, TERMINATE] {
        passes(&verb, young(24 * 60));
        blocks(&verb, Guard::Age, young(24 * 60 - 1));
        passes(&verb, |s| {
            young(120)(s);
            s.rules.min_age_hours = 2;
        });
        // Of the future: no age at all, whatever the configuration allows.
        let mut future = passing(verb.clone());
        future.rules.min_age_hours = 0;
        young(-1)(&mut future);
        assert!(blocking(&future.check()).contains(&Guard::Age));
    }
    passes(&mark(), young(60));
}

#[test]
fn production() {
    let warned = |verb: &Verb, spoil: &dyn Fn(&mut GuardFixture)| {
        let said = says(verb, Guard::Production, spoil);
        let row = passes(verb, spoil);
        assert!(row.production);
        said.into_iter().map(|s| s.0).collect::<Vec<_>>()
    };
    let by_tag = |s: &mut GuardFixture| s.tags(&[("env", "Prod")]);
    let by_plan = |s: &mut GuardFixture| s.item(|i| i.production = true);
    let by_account = |s: &mut GuardFixture| {
        s.rules.accounts.get_mut(ACCOUNT).unwrap().production = true;
    };
    for spoil in [&by_tag as &dyn Fn(&mut _), &by_plan, &by_account] {
        assert_eq!(warned(&STOP, spoil), [Severity::Warn]);
        assert_eq!(warned(&TERMINATE, spoil), [Severity::Warn]);
        assert_eq!(warned(&mark(), spoil), [Severity::Note]);
    }
    assert!(says(&STOP, Guard::Production, |_| {}).is_empty());
}

#[test]
fn permission() {
    for verb in verbs() {
        let text = blocks(&verb, Guard::Permission, |s| s.permitted = error("ec2:StopInstances"));
        assert_eq!(text, "ec2:StopInstances: not authorised; allow ec2:StopInstances");
    }
}

#[test]
fn executor() {
    for verb in verbs() {
        blocks(&verb, Guard::Executor, |s| s.executor = "read-only");
        let said = says(&verb, Guard::Executor, |s| s.executor = "dry-run");
        assert_eq!(said.len(), 1);
        assert_eq!(said[0].0, Severity::Note);
        assert!(says(&verb, Guard::Executor, |s| s.executor = "demo").is_empty());
    }
}

#[test]
fn recheck() {
    for verb in [STOP, TERMINATE] {
        blocks(&verb, Guard::Recheck, |s| s.recent = error("cloudwatch:GetMetricData"));
        let recent = |change: fn(&mut crate::domain::Recent)| {
            move |s: &mut GuardFixture| change(s.recent.as_mut().unwrap())
        };
        let text = blocks(&verb, Guard::Recheck, recent(|r| r.id = "i-9".into()));
        assert!(text.contains("i-9"), "{text}");
        // It begins too late: an hour would lie between evidence and action.
        blocks(&verb, Guard::Recheck, recent(|r| r.from = ago(59)));
        blocks(&verb, Guard::Recheck, |s| s.item(|i| i.judged_until = Some(ago(110))));
        let text = blocks(&verb, Guard::Recheck, recent(|r| r.series[4].points[3].1 = 97.0));
        assert!(text.starts_with("in use: GPU 0 max 97.0%"), "{text}");
        let text = blocks(&verb, Guard::Recheck, recent(|r| r.series[4].points.clear()));
        assert!(text.starts_with("not known to be idle"), "{text}");
        let text = blocks(&verb, Guard::Recheck, recent(|r| r.series[4].points[3].1 = f64::NAN));
        assert!(text.starts_with("makes no sense"), "{text}");
    }
    passes(&mark(), |s| s.recent = error("cloudwatch:GetMetricData"));
    // Old facts block even where nothing in them is wrong.
    let mut old = passing(STOP);
    old.now = now() + SignedDuration::from_mins(6);
    old.inspection.taken_at = old.now;
    assert_eq!(blocking(&old.check()), [Guard::Recheck]);
}

#[test]
fn what_is_planned_keeps_its_zone_where_none_was_found() {
    let mut gone = passing(STOP);
    gone.inspection.instance = Ok(None);
    let row = gone.check();
    assert_eq!(&*row.az, "us-east-1a");
    let mut moved = passing(STOP);
    moved.instance(|i| {
        i.az = "us-east-1b".into();
        i.tags = Tags::default();
    });
    assert_eq!(&*moved.check().az, "us-east-1b");
    assert!(Arc::ptr_eq(&moved.check().item, &moved.item));
}
