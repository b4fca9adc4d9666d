//! Owners, groups, Spot, protection, losses, load.

use std::sync::Arc;

use super::{SHRINK, Spoil, TERMINATE, blocking, blocks, mark, passes, says};
use crate::act::plan::fixture::{
    GuardFixture, ID, error, inspection, launch, passing, scope, volume,
};
use crate::act::plan::{ActApi, Guard, Severity, Undo, Verb, VolumeStake};
use crate::domain::{
    Addresses, GroupFact, Inspection, Lifecycle, SpotFact, TargetGroupFact, VolumeFact,
};

const STOP: Verb = Verb::Stop;

/// Every fact of an inspection, made unreadable.
const UNREADABLE: &[Spoil<Inspection>] = &[
    ("instance", |i| i.instance = error("ec2:DescribeInstances")),
    ("spec", |i| i.spec = error("ec2:DescribeInstanceTypes")),
    ("launch", |i| i.launch = error("ec2:DescribeInstances")),
    ("termination_protection", |i| {
        i.termination_protection = error("ec2:DescribeInstanceAttribute");
    }),
    ("stop_protection", |i| i.stop_protection = error("ec2:DescribeInstanceAttribute")),
    ("volumes", |i| i.volumes = error("ec2:DescribeVolumes")),
    ("addresses", |i| i.addresses = error("ec2:DescribeAddresses")),
    ("group", |i| i.group = error("autoscaling:DescribeAutoScalingInstances")),
    ("target_groups", |i| i.target_groups = error("elasticloadbalancing:DescribeTargetHealth")),
    ("spot", |i| i.spot = error("ec2:DescribeSpotInstanceRequests")),
];

#[test]
fn what_a_job_has_by_its_scheduler_is_not_ended_however_idle_it_looks() {
    let held = |s: &mut GuardFixture| {
        s.item(|item| item.held_by = "job 7 of ana has it by its scheduler".into());
    };
    for verb in [STOP, TERMINATE] {
        let text = blocks(&verb, Guard::Jobs, held);
        let said = "job 7 of ana has it by its scheduler: wait until that has ended, or end it, and \
                    check again";
        assert_eq!(text, said);
    }
    passes(&mark(), held);
}

#[test]
fn the_list_of_facts_is_complete() {
    // A new fact makes this pattern fail to compile; add it to the list above.
    let Inspection {
        id: _,
        taken_at: _,
        instance: _,
        spec: _,
        launch: _,
        termination_protection: _,
        stop_protection: _,
        volumes: _,
        addresses: _,
        group: _,
        target_groups: _,
        spot: _,
    } = inspection();
    assert_eq!(UNREADABLE.len(), 10);
}

#[test]
fn nothing_is_terminated_on_a_fact_that_could_not_be_read() {
    for verb in [TERMINATE, SHRINK] {
        for (name, spoil) in UNREADABLE {
            let mut fixture = passing(verb.clone());
            spoil(&mut fixture.inspection);
            let row = fixture.check();
            assert!(row.is_blocked(), "{name}: {:#?}", row.findings);
            let said = row.reason().unwrap();
            assert!(
                said.text.contains("not known: not authorised; allow "),
                "{name}: {}",
                said.text
            );
            assert!(said.source.contains(':'), "{name}: {}", said.source);
        }
    }
}

#[test]
fn a_stop_needs_all_but_what_it_leaves_alone() {
    let mut harmless = Vec::new();
    for (name, spoil) in UNREADABLE {
        let mut fixture = passing(STOP);
        spoil(&mut fixture.inspection);
        if !fixture.check().is_blocked() {
            harmless.push(*name);
        }
    }
    // A stopped instance keeps its disks, and is not launched from a recipe.
    assert_eq!(harmless, ["launch", "termination_protection", "volumes", "addresses"]);
    let warned = says(&STOP, Guard::Volumes, |s| s.inspection.volumes = error("x"));
    assert_eq!(warned[0].0, Severity::Warn);
    let warned = says(&STOP, Guard::Addresses, |s| s.inspection.addresses = error("x"));
    assert_eq!(warned[0].0, Severity::Warn);
}

#[test]
fn owners() {
    let owned: &[(&str, &str)] = &[
        ("eks:cluster-name", "drain"),
        ("kubernetes.io/cluster/prod", "drain"),
        ("karpenter.sh/nodepool", "Karpenter"),
        ("aws:ecs:clusterName", "capacity provider"),
        ("AWSBatchServiceTag", "compute environment"),
        ("aws:elasticmapreduce:job-flow-id", "resize"),
        ("sagemaker:cluster-name", "HyperPod"),
        ("aws:ec2spot:fleet-request-id", "target capacity"),
    ];
    for (key, instead) in owned {
        for verb in [STOP, TERMINATE, SHRINK] {
            let text = blocks(&verb, Guard::Owner, |s| s.tags(&[(key, "x")]));
            assert!(text.contains(instead), "{key}: {text}");
        }
        passes(&mark(), |s| s.tags(&[(key, "x")]));
    }
    let stack = |s: &mut GuardFixture| s.tags(&[("aws:cloudformation:stack-name", "net")]);
    passes(&STOP, stack);
    let said = says(&TERMINATE, Guard::Owner, stack);
    assert_eq!(said.len(), 1);
    assert_eq!(said[0].0, Severity::Warn);
    assert!(said[0].1.contains("net"));
    // Most of these fleets launch once and are done; the tag does not say which.
    let fleet = |s: &mut GuardFixture| s.tags(&[("aws:ec2:fleet-id", "fleet-7")]);
    passes(&STOP, fleet);
    assert_eq!(says(&STOP, Guard::Owner, fleet)[0].0, Severity::Warn);
}

fn group(desired: u32, min: u32) -> GroupFact {
    GroupFact {
        name: "workers".into(),
        min,
        desired,
        protected_from_scale_in: false,
        lifecycle: "InService".into(),
    }
}

pub(super) fn member(s: &mut GuardFixture, fact: GroupFact) {
    s.tags(&[("aws:autoscaling:groupName", "workers")]);
    s.inspection.group = Ok(Some(fact));
}

#[test]
fn groups() {
    let row = passes(&SHRINK, |s| member(s, group(3, 2)));
    assert_eq!(row.via, ActApi::AutoScaling { group: "workers".into(), decrement: true });
    assert_eq!(passes(&SHRINK, |_| {}).via, ActApi::Ec2);
    assert_eq!(passes(&mark(), |s| member(s, group(3, 2))).via, ActApi::Ec2);

    assert!(blocks(&STOP, Guard::Group, |s| member(s, group(3, 0))).contains("replace"));
    let text = blocks(&TERMINATE, Guard::Group, |s| member(s, group(3, 0)));
    assert!(text.contains("--decrement"), "{text}");
    for (desired, min) in [(2, 2), (0, 0), (1, 5)] {
        blocks(&SHRINK, Guard::Group, |s| member(s, group(desired, min)));
    }
    blocks(&SHRINK, Guard::Group, |s| {
        member(s, GroupFact { protected_from_scale_in: true, ..group(3, 0) });
    });
    for lifecycle in ["Standby", "Terminating:Wait", "Pending", ""] {
        blocks(&SHRINK, Guard::Group, |s| {
            member(s, GroupFact { lifecycle: lifecycle.into(), ..group(3, 0) });
        });
    }
}

#[test]
fn tag_and_group_that_disagree() {
    for verb in [STOP, TERMINATE, SHRINK] {
        blocks(&verb, Guard::Group, |s| s.tags(&[("aws:autoscaling:groupName", "workers")]));
        blocks(&verb, Guard::Group, |s| s.inspection.group = Ok(Some(group(3, 0))));
        blocks(&verb, Guard::Group, |s| {
            member(s, group(3, 0));
            s.tags(&[("aws:autoscaling:groupName", "others")]);
        });
    }
}

#[test]
fn spot() {
    let spot = |request: &str, persistent: bool| {
        let request: Arc<str> = request.into();
        move |s: &mut GuardFixture| {
            s.instance(|i| i.lifecycle = Lifecycle::Spot);
            s.inspection.spot = Ok(Some(SpotFact { request, persistent }));
        }
    };
    passes(&TERMINATE, spot("sir-1", false));
    assert!(blocks(&STOP, Guard::Spot, spot("sir-1", false)).contains("one-time"));
    assert!(blocks(&TERMINATE, Guard::Spot, spot("sir-1", true)).contains("cancel it first"));
    passes(&STOP, spot("sir-1", true));
    let said = says(&STOP, Guard::Spot, spot("sir-1", true));
    assert_eq!(said[0].0, Severity::Warn);
    for verb in [STOP, TERMINATE] {
        blocks(&verb, Guard::Spot, spot("", true));
        blocks(&verb, Guard::Spot, |s| s.instance(|i| i.lifecycle = Lifecycle::Spot));
        blocks(&verb, Guard::Spot, |s| {
            let request = "sir-1".into();
            s.inspection.spot = Ok(Some(SpotFact { request, persistent: false }));
        });
    }
}

#[test]
fn protection() {
    let on = |s: &mut GuardFixture| s.inspection.termination_protection = Ok(true);
    for verb in [TERMINATE, SHRINK] {
        assert!(blocks(&verb, Guard::TerminationProtection, on).contains("never switches"));
    }
    passes(&STOP, on);
    assert_eq!(says(&STOP, Guard::TerminationProtection, on)[0].0, Severity::Note);
    for verb in [STOP, TERMINATE, SHRINK] {
        let text =
            blocks(&verb, Guard::StopProtection, |s| s.inspection.stop_protection = Ok(true));
        assert!(text.contains("never switches"), "{text}");
    }
}

#[test]
fn stoppable() {
    let store_root = |s: &mut GuardFixture| s.instance(|i| i.ebs_root = false);
    assert!(blocks(&STOP, Guard::Stoppable, store_root).contains("cannot be stopped"));
    passes(&TERMINATE, store_root);
}

#[test]
fn instance_store() {
    for verb in [STOP, TERMINATE] {
        let row = passes(&verb, |s| s.spec(|t| t.instance_store_gb = 7600));
        assert_eq!(row.stakes.instance_store_gb, 7600);
        let said = says(&verb, Guard::InstanceStore, |s| s.spec(|t| t.instance_store_gb = 7600));
        assert_eq!(said, [(Severity::Warn, "7,600 GB of instance store are erased".to_owned())]);
        assert!(says(&verb, Guard::InstanceStore, |_| {}).is_empty());
        blocks(&verb, Guard::InstanceStore, |s| s.spec(|t| t.name = "g5.xlarge".into()));
        let mut unknown = passing(verb);
        unknown.inspection.spec = Ok(None);
        // Nor is it known what should have been measured.
        assert_eq!(blocking(&unknown.check()), [Guard::InstanceStore, Guard::Recheck]);
    }
}

#[test]
fn volumes() {
    let two = |s: &mut GuardFixture| {
        let data = VolumeFact { size_gib: Some(1000), ..volume("vol-d", "/dev/sdf", false, false) };
        s.inspection.volumes = Ok(vec![volume("vol-0r", "/dev/xvda", true, true), data]);
    };
    let row = passes(&TERMINATE, two);
    let ids = |v: &[VolumeStake]| v.iter().map(|v| v.id.to_string()).collect::<Vec<_>>();
    assert_eq!(ids(&row.stakes.dies), ["vol-0r"]);
    assert_eq!(ids(&row.stakes.stays), ["vol-d"]);
    assert_eq!(
        says(&TERMINATE, Guard::Volumes, two),
        [
            (Severity::Warn, "deleted with it: vol-0r /dev/xvda (100 GiB)".to_owned()),
            (
                Severity::Note,
                "stays and bills ($80.00/month, us-east-1 list price): vol-d /dev/sdf (1000 GiB)"
                    .to_owned()
            ),
        ]
    );
    let row = passes(&STOP, two);
    assert!(row.stakes.dies.is_empty());
    assert_eq!(ids(&row.stakes.stays), ["vol-0r", "vol-d"]);
    let said = says(&STOP, Guard::Volumes, two);
    assert_eq!(said.len(), 1);
    assert!(said[0].1.contains("$88.00/month"), "{said:?}");
    // One price that is not known makes the sum unknown.
    let odd = |s: &mut GuardFixture| {
        two(s);
        s.inspection.volumes.as_mut().unwrap()[1].size_gib = None;
    };
    let said = says(&STOP, Guard::Volumes, odd);
    assert!(
        said[0].1.contains("cost not known") && said[0].1.contains("size not known"),
        "{said:?}"
    );
    // An EBS root that no volume answers for is a contradiction.
    blocks(&TERMINATE, Guard::Volumes, |s| s.inspection.volumes = Ok(Vec::new()));
    passes(&TERMINATE, |s| {
        s.inspection.volumes = Ok(Vec::new());
        s.instance(|i| i.ebs_root = false);
    });
}

#[test]
fn addresses() {
    let both = |s: &mut GuardFixture| {
        let elastic = vec!["203.0.113.7".into(), "203.0.113.8".into()];
        s.inspection.addresses =
            Ok(Addresses { public_ipv4: Some("198.51.100.3".into()), elastic });
    };
    for verb in [STOP, TERMINATE] {
        passes(&verb, both);
        let said = says(&verb, Guard::Addresses, both);
        assert_eq!(said.len(), 2);
        assert!(said[0].1.contains("198.51.100.3 is lost"), "{said:?}");
        // 2 × 730 h × $0.005 = $7.30.
        assert!(said[1].1.contains("$7.30/month"), "{said:?}");
        assert!(said.iter().all(|s| s.0 == Severity::Note));
    }
}

pub(super) fn target(name: &str, health: &str, other_healthy: u32) -> TargetGroupFact {
    TargetGroupFact { name: name.into(), health: health.into(), other_healthy }
}

#[test]
fn target_groups() {
    let in_one = |health: &'static str, others: u32| {
        move |s: &mut GuardFixture| {
            s.inspection.target_groups = Ok(vec![target("web", health, others)]);
        }
    };
    for verb in [STOP, TERMINATE] {
        for serving in ["healthy", "initial", "draining", "unavailable", "", "new-word"] {
            let text = blocks(&verb, Guard::TargetGroups, in_one(serving, 0));
            assert!(text.contains("last healthy target of web"), "{text}");
            passes(&verb, in_one(serving, 1));
            let said = says(&verb, Guard::TargetGroups, in_one(serving, 1));
            assert_eq!(said[0].0, Severity::Warn, "{serving}");
        }
        for (health, others, severity) in [
            ("unused", 0, Severity::Note),
            ("unused", 2, Severity::Note),
            ("unhealthy", 2, Severity::Note),
            // Without a healthy target a load balancer sends requests to all.
            ("unhealthy", 0, Severity::Warn),
        ] {
            passes(&verb, in_one(health, others));
            assert_eq!(says(&verb, Guard::TargetGroups, in_one(health, others))[0].0, severity);
        }
        // The last of one group blocks, however many others there are in another.
        blocks(&verb, Guard::TargetGroups, |s| {
            s.inspection.target_groups =
                Ok(vec![target("a", "healthy", 5), target("b", "healthy", 0)]);
        });
    }
}

#[test]
fn the_way_back() {
    let scope = scope();
    let id: Arc<str> = ID.into();
    let undo = |verb: &Verb, spoil: &dyn Fn(&mut GuardFixture)| {
        let mut fixture = passing(verb.clone());
        spoil(&mut fixture);
        fixture.check().undo
    };
    let start = Undo::Start { scope: scope.clone(), id: id.clone() };
    assert_eq!(undo(&STOP, &|_| {}), Some(start));
    let stop = Undo::Stop { scope: scope.clone(), id: id.clone() };
    assert_eq!(undo(&Verb::Start, &|_| {}), Some(stop));
    let tags = |tags: &[(&str, Option<&str>)]| {
        let tags = tags.iter().map(|(k, v)| ((*k).to_owned(), v.map(str::to_owned))).collect();
        Some(Undo::Tags { scope: scope.clone(), id: id.clone(), tags })
    };
    let marked =
        |s: &mut GuardFixture| s.tags(&[("burntop:expires", "2026-07-02T00:00:00Z"), ("a", "b")]);
    let former = [
        ("burntop:expires", Some("2026-07-02T00:00:00Z")),
        ("burntop:by", None),
        ("burntop:reason", None),
        ("burntop:reminded", None),
    ];
    assert_eq!(undo(&mark(), &marked), tags(&former));
    assert_eq!(undo(&Verb::Unmark, &marked), tags(&former));
    assert_eq!(undo(&Verb::Remind, &marked), tags(&[("burntop:reminded", None)]));
    // Tags that were not read cannot be put back.
    assert_eq!(undo(&mark(), &|s| s.inspection.instance = error("x")), None);

    let attach = |s: &mut GuardFixture| {
        s.inspection.volumes = Ok(vec![
            volume("vol-r", "/dev/xvda", true, false),
            volume("vol-d", "/dev/sdf", false, false),
            volume("vol-x", "/dev/sdg", false, true),
        ]);
    };
    let Some(Undo::Launch { spec, attach, lost, .. }) = undo(&TERMINATE, &attach) else { panic!() };
    assert_eq!(*spec, launch());
    assert_eq!(attach, [("vol-d".into(), "/dev/sdf".into())]);
    // What dies with it is kept as it was.
    let ids: Vec<&str> = lost.iter().map(|volume| &*volume.id).collect();
    assert_eq!(ids, ["vol-x"]);

    let said =
        says(&TERMINATE, Guard::Undo, |s| s.inspection.launch.as_mut().unwrap().image_id = None);
    assert_eq!(said[0].0, Severity::Warn);
    blocks(&TERMINATE, Guard::Undo, |s| s.inspection.launch = error("ec2:DescribeInstances"));
}
