use std::sync::Arc;

use super::fixture::{World, instance};
use crate::analyze::spot::fit::{Telemetry, judge};
use crate::analyze::spot::{Pattern, SPOT_TAG, SpotRule, SpotRules};
use crate::domain::{Figure, Lifecycle, OwnerKind, VerdictKind, Workload};
use crate::fleet::savings::{SpotBecause, SpotFit, SpotNote, SpotRow};

fn fit(tags: &[(&str, &str)]) -> (SpotFit, SpotBecause) {
    let row = World::default().with(instance("i-1", "g5.xlarge", tags)).row("i-1");
    (row.fit, (*row.because).clone())
}

fn rule(tag: Option<(&str, &str)>, name: Option<&str>, fit: SpotFit) -> SpotRule {
    SpotRule {
        tag: tag.map(|(key, value)| (key.to_owned(), Pattern::new(value))),
        name: name.map(Pattern::new),
        fit,
        why: None,
        checkpoint_hours: None,
        restart_hours: None,
        availability: None,
    }
}

#[test]
fn the_classification_of_the_articles_holds() {
    let asg = ("aws:autoscaling:groupName", "g");
    for (tags, expected) in [
        (vec![("workload", "training")], SpotFit::Yes),
        (vec![("workload", "hyperparameter-search")], SpotFit::Yes),
        (vec![("workload", "batch")], SpotFit::Yes),
        (vec![("Name", "lake-nightly-3")], SpotFit::Yes),
        (vec![("AWSBatchServiceTag", "batch")], SpotFit::Yes),
        (vec![("workload", "inference"), asg], SpotFit::Partial),
        (vec![("workload", "inference"), ("karpenter.sh/nodepool", "p")], SpotFit::Partial),
        (vec![("workload", "inference")], SpotFit::No),
        (vec![("Name", "alice-notebook")], SpotFit::No),
        (vec![("Name", "features-postgres"), asg], SpotFit::No),
        (vec![("aws:elasticmapreduce:instance-group-role", "CORE")], SpotFit::No),
        (vec![("aws:elasticmapreduce:instance-group-role", "TASK")], SpotFit::Yes),
        (vec![("Name", "worker-7")], SpotFit::Unknown),
        (vec![asg], SpotFit::Unknown),
        (vec![("Name", "train-and-serve")], SpotFit::Unknown),
        (vec![], SpotFit::Unknown),
    ] {
        let (found, because) = fit(&tags);
        assert_eq!(found, expected, "{tags:?}: {because:?}");
        let is_known = matches!(because, SpotBecause::Work { .. });
        assert_eq!(is_known, expected != SpotFit::Unknown, "{tags:?}: {because:?}");
    }
}

#[test]
fn a_tag_goes_before_rules_and_rules_before_words() {
    let rules = SpotRules {
        own: vec![
            rule(Some(("Stage", "dev*")), Some("*-api-*"), SpotFit::Yes),
            rule(None, Some("web-*"), SpotFit::Partial),
            rule(None, Some("*"), SpotFit::No),
        ],
        ..SpotRules::default()
    };
    let fit = |tags: &[(&str, &str)]| {
        let world = World { rules: rules.clone(), ..World::default() };
        world.with(instance("i-1", "g5.xlarge", tags)).row("i-1").fit
    };
    assert_eq!(fit(&[("Name", "x-api-1"), ("stage", "Dev-2")]), SpotFit::Yes);
    assert_eq!(fit(&[("Name", "x-api-1"), ("stage", "prod")]), SpotFit::No, "half a rule");
    assert_eq!(fit(&[("Name", "web-api-1"), ("stage", "prod")]), SpotFit::Partial);
    // The last rule takes all, training too; the tag of the instance does not ask it.
    assert_eq!(fit(&[("Name", "train-1")]), SpotFit::No);
    assert_eq!(fit(&[("Name", "train-1"), (SPOT_TAG, "yes")]), SpotFit::Yes);
    assert_eq!(fit(&[("Name", "web-1"), (SPOT_TAG, "No")]), SpotFit::No);
    assert_eq!(fit(&[("Name", "web-1"), (SPOT_TAG, "maybe")]), SpotFit::Unknown);
}

#[test]
fn a_rule_without_conditions_speaks_of_nobody() {
    assert!(!rule(None, None, SpotFit::Yes).fits(&instance("i-1", "g5.xlarge", &[])));
}

#[test]
fn patterns_are_compared_part_by_part() {
    for (pattern, text, fits) in [
        ("train", "TRAIN", true),
        ("train", "train-1", false),
        ("train*", "train-1", true),
        ("*sweep*", "a-sweep-b", true),
        ("*sweep*", "sweep", true),
        ("a*b*c", "a-b-c", true),
        ("a*b*c", "acb", false),
        ("a*a", "a", false),
        ("*", "", true),
        ("", "", true),
        ("", "x", false),
    ] {
        assert_eq!(Pattern::new(pattern).fits(text), fits, "{pattern} {text}");
    }
}

#[test]
fn what_is_idle_exempt_stopped_or_on_spot_is_no_candidate() {
    let mut spot = instance("i-spot", "g5.xlarge", &[]);
    spot.lifecycle = Lifecycle::Spot;
    let world = World::default()
        .with(spot)
        .with(instance("i-idle", "g5.xlarge", &[]))
        .with(instance("i-exempt", "g5.xlarge", &[]))
        .with(instance("i-partial", "g5.xlarge", &[]))
        .with(instance("i-busy", "g5.xlarge", &[]))
        .with(instance("i-new", "g5.xlarge", &[]))
        .judged("i-idle", VerdictKind::Idle)
        .judged("i-exempt", VerdictKind::Exempt)
        .judged("i-partial", VerdictKind::Partial)
        .judged("i-busy", VerdictKind::Busy);
    let mut ids: Vec<String> = world.rows().iter().map(|row| row.id.to_string()).collect();
    ids.sort();
    assert_eq!(ids, ["i-busy", "i-new", "i-partial"]);
}

#[test]
fn workloads_are_named_in_the_terms_of_gpus() {
    let of = |value: &str| {
        let tags = [("workload", value), ("aws:autoscaling:groupName", "g")];
        World::default().with(instance("i-1", "g5.xlarge", &tags)).row("i-1").workload
    };
    assert_eq!(of("sweep"), Some(Workload::Training));
    assert_eq!(of("serve"), Some(Workload::Inference));
    assert_eq!(of("batch"), None);
}

#[test]
fn who_manages_it_is_asked_to_change_it() {
    for (tags, kind, name) in [
        (vec![("aws:autoscaling:groupName", "g-1")], OwnerKind::Asg, "g-1"),
        (
            vec![("eks:cluster-name", "c"), ("aws:autoscaling:groupName", "eks-g")],
            OwnerKind::Eks,
            "c",
        ),
        (vec![("karpenter.sh/nodepool", "p")], OwnerKind::Karpenter, "p"),
        (
            vec![("AWSBatchServiceTag", "batch"), ("aws:batch:compute-environment", "ce")],
            OwnerKind::Batch,
            "ce",
        ),
    ] {
        let tags: Vec<_> = tags.into_iter().chain([("workload", "training")]).collect();
        let row = World::default().with(instance("i-1", "g5.xlarge", &tags)).row("i-1");
        let belongs = SpotNote::Belongs { kind, name: name.into() };
        assert!(row.says.iter().any(|note| **note == belongs), "{belongs:?}: {:?}", row.says);
    }
}

#[test]
fn what_runs_on_the_gpus_goes_before_names_and_behind_tags() {
    use Workload::{Inference, Training, Unknown};
    let fit = |gpus: &[Workload], tags: &[(&str, &str)]| {
        let fleet = World::default().with(instance("i-1", "g5.xlarge", tags)).fleet();
        let telemetry = Telemetry::from_pairs(gpus.iter().map(|w| ("i-1".into(), *w)));
        let judged = judge(&fleet.rows[0], &telemetry, &SpotRules::default());
        (judged.fit, judged.workload())
    };
    let trains = (SpotFit::Yes, Some(Training));
    assert_eq!(fit(&[Unknown, Training, Training], &[]), trains);
    assert_eq!(fit(&[Training, Inference, Training], &[]), (SpotFit::Unknown, None));
    assert_eq!(fit(&[Unknown], &[("Name", "a-train-1")]), trains);
    assert_eq!(fit(&[Inference], &[("Name", "a-train-1")]), (SpotFit::No, Some(Inference)));
    assert_eq!(fit(&[Inference], &[("workload", "training")]), trains);
}

#[test]
fn minutes_in_tags_count_and_nonsense_is_said() {
    let world = |minutes: &str| {
        World::default()
            .with(instance(
                "i-1",
                "p5.48xlarge",
                &[("workload", "training"), ("burntop:checkpoint-minutes", minutes)],
            ))
            .on_demand("p5.48xlarge", 55.04)
            .spot("p5.48xlarge", &[("a", 20.79)])
            .row("i-1")
    };
    // √(2 · t ÷ λ): a quarter of the time to write, half the interval.
    let (slow, quick) = (world("20"), world("5"));
    let every = |row: &SpotRow| row.checkpoint_every_hours.unwrap();
    super::fixture::near(every(&slow), 2.0 * every(&quick));
    let odd = world("soon");
    assert_eq!(odd.checkpoint_every_hours, quick.checkpoint_every_hours);
    let no_minutes =
        |n: &SpotNote| matches!(n, SpotNote::OddTag { value, .. } if &**value == "soon");
    assert!(odd.says.iter().any(|note| no_minutes(note)), "{:?}", odd.says);
    let writes = |row: &SpotRow| {
        row.says.iter().find_map(|n| match &**n {
            SpotNote::Assumed { checkpoint, .. } => *checkpoint,
            _ => None,
        })
    };
    assert_eq!(writes(&odd), Some(Figure(5.0 / 60.0)));
    assert_eq!(writes(&quick), None);
}

#[test]
fn rows_that_are_as_they_were_are_those_of_the_picture_before() {
    let world = |workload: &str| {
        let second = instance("i-2", "g5.xlarge", &[("workload", workload)]);
        World::default().with(instance("i-1", "g5.xlarge", &[])).with(second)
    };
    let old = world("training").rows();
    let again = world("training").rows_after(&old);
    assert!(again.iter().zip(&old).all(|(new, old)| Arc::ptr_eq(new, old)) && old.len() == 2);
    // The work of one is another now: it says what it would say without a picture before.
    let new = world("inference").rows_after(&old);
    assert_eq!(new, world("inference").rows());
    let is_old = |row: &Arc<SpotRow>| old.iter().any(|old| Arc::ptr_eq(old, row));
    let of = |id: &str| new.iter().find(|row| &*row.id == id).unwrap();
    assert_eq!((is_old(of("i-1")), is_old(of("i-2"))), (true, false));
}
