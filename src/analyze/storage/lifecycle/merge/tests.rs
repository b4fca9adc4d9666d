use proptest::prelude::*;

use super::*;
use crate::domain::storage::{
    Expiration, LifecycleFilter, MinimumSize, NoncurrentExpiration, Transition, When,
};

fn rule(id: &str) -> LifecycleRule {
    LifecycleRule {
        id: id.to_owned(),
        enabled: true,
        filter: LifecycleFilter { prefix: Some(format!("{id}/")), ..LifecycleFilter::default() },
        transitions: vec![Transition { when: When::Days(30), class: "STANDARD_IA".to_owned() }],
        ..LifecycleRule::default()
    }
}

fn expiring(id: &str) -> LifecycleRule {
    let expiration = Some(Expiration { when: Some(When::Days(365)), expired_delete_marker: None });
    LifecycleRule { expiration, ..rule(id) }
}

fn config(rules: Vec<LifecycleRule>) -> Lifecycle {
    Lifecycle { rules, minimum_size: Some(MinimumSize::Varies) }
}

fn input<'a>(current: &'a Lifecycle, wanted: &'a Lifecycle, tags: &'a Tags) -> MergeInput<'a> {
    MergeInput {
        bucket: "b",
        is_directory: false,
        current: Some(current),
        unknown_fields: &[],
        versioning: Some(Versioning::Off),
        tags: Some(tags),
        wanted,
    }
}

#[test]
fn foreign_rules_and_the_minimum_size_stay_and_ours_are_replaced() {
    let tags = Tags::default();
    let current = config(vec![rule("theirs"), rule("burntop/0123456789ab/old")]);
    let wanted = Lifecycle { rules: vec![rule("new")], minimum_size: Some(MinimumSize::All128K) };
    let verdict = merge(&input(&current, &wanted, &tags));
    let merged = verdict.merged().unwrap();
    let ids: Vec<&str> = merged.lifecycle().rules.iter().map(|r| r.id.as_str()).collect();
    assert_eq!(ids, ["theirs", &format!("burntop/{}/new", verdict.plan_hash)]);
    assert_eq!(merged.lifecycle().minimum_size, Some(MinimumSize::Varies));
    assert!(verdict.findings.iter().any(|f| f.code == lint::Code::MinimumSizeKept));
    assert_eq!(merged.planned_on(), print::sha256(&current));

    // The same plan again changes nothing.
    let again = merge(&input(merged.lifecycle(), &wanted, &tags));
    assert!(again.is_noop() && again.blocked.is_empty() && again.merged().is_none());
}

#[test]
fn an_expiration_without_versions_becomes_a_file() {
    let tags = Tags::default();
    let current = config(vec![]);
    let wanted = config(vec![expiring("experiments")]);
    for versioning in [None, Some(Versioning::Off), Some(Versioning::Suspended)] {
        let verdict = merge(&MergeInput { versioning, ..input(&current, &wanted, &tags) });
        let merged = verdict.merged().unwrap().lifecycle();
        assert!(merged.rules.iter().all(|r| !r.expires_current()), "{versioning:?}");
        assert_eq!(merged.rules[0].transitions.len(), 1, "the move stays");
        let quarantine = verdict.quarantine.as_ref().unwrap();
        let json: serde_json::Value = serde_json::from_str(&quarantine.json()).unwrap();
        let and = &json["Rules"][0]["Filter"]["And"];
        assert_eq!(and["Prefix"], "experiments/");
        assert_eq!(and["Tags"][0]["Key"], "burntop:delete");
        assert_eq!(and["Tags"][0]["Value"], verdict.plan_hash);
        assert!(quarantine.steps("b").contains("burntop:delete"));
    }
    let enabled = Some(Versioning::Enabled);
    let verdict = merge(&MergeInput { versioning: enabled, ..input(&current, &wanted, &tags) });
    assert!(verdict.quarantine.is_none());
    assert!(verdict.merged().unwrap().lifecycle().rules[0].expires_current());
}

#[test]
fn an_owner_gets_a_patch_instead_of_a_put() {
    let current = config(vec![rule("tf-s3-lifecycle-20250101")]);
    let wanted = config(vec![rule("new")]);
    let cases = [
        (Tags::default(), "lifecycle.tf", "aws_s3_bucket_lifecycle_configuration"),
        (Tags::from_raw([("aws:cloudformation:stack-name", "x")]), "lifecycle.cfn.yaml", "Rules:"),
        (Tags::from_raw([("aws-cdk:x", "y")]), "lifecycle.cdk.ts", "addPropertyOverride"),
        (Tags::from_raw([("pulumi:stack", "y")]), "lifecycle.json", "\"Rules\""),
    ];
    for (i, (tags, file, part)) in cases.iter().enumerate() {
        let none = config(vec![]);
        let current = if i == 0 { &current } else { &none };
        let verdict = merge(&input(current, &wanted, tags));
        assert!(verdict.merged().is_none());
        assert!(matches!(verdict.blocked.as_slice(), [Blocked::Owned(_)]), "{:?}", verdict.blocked);
        let (name, text) = verdict.patch.as_ref().unwrap();
        assert_eq!(name, file);
        assert!(text.contains(part) && text.contains(&verdict.plan_hash), "{text}");
    }
}

#[test]
fn what_is_not_known_or_wrong_blocks() {
    let tags = Tags::default();
    let current = config(vec![rule("theirs")]);
    let wanted = config(vec![rule("new")]);
    let base = input(&current, &wanted, &tags);
    let fields = ["Rules[0].Surprise".to_owned()];
    let verdict = merge(&MergeInput { unknown_fields: &fields, ..base });
    assert!(matches!(verdict.blocked.as_slice(), [Blocked::UnknownFields(_)]));
    let verdict = merge(&MergeInput { tags: None, ..base });
    assert!(matches!(verdict.blocked.as_slice(), [Blocked::OwnerUnknown]));
    let verdict = merge(&MergeInput { is_directory: true, ..base });
    assert!(matches!(verdict.blocked.as_slice(), [Blocked::DirectoryBucket]));

    let mut early = rule("early");
    early.transitions[0].when = When::Days(14);
    let wrong = config(vec![early.clone()]);
    let verdict = merge(&input(&current, &wrong, &tags));
    assert!(matches!(verdict.blocked.as_slice(), [Blocked::Errors(1)]), "{:?}", verdict.blocked);
    // What is there already is not ours to judge.
    let theirs = config(vec![early]);
    assert!(merge(&input(&theirs, &wanted, &tags)).blocked.is_empty());

    let many = config((0..1_000).map(|i| rule(&format!("r{i}"))).collect());
    let verdict = merge(&input(&many, &wanted, &tags));
    assert_eq!(verdict.blocked, [Blocked::TooManyRules(1_001)]);
    assert!(verdict.merged().is_none());
}

#[test]
fn ids_of_a_plan_are_unique_and_fit() {
    let tags = Tags::default();
    let current = config(vec![]);
    let long = "x".repeat(300);
    let wanted = config(vec![rule(&long), rule(&long), rule(""), rule("3")]);
    let verdict = merge(&input(&current, &wanted, &tags));
    let ids: std::collections::BTreeSet<_> = verdict.after.rules.iter().map(|r| &r.id).collect();
    assert_eq!(ids.len(), 4);
    assert!(ids.iter().all(|id| id.chars().count() <= LONGEST_ID));
    assert!(verdict.after.rules.iter().all(is_own));
}

#[test]
fn our_ids_are_told_from_others() {
    for (id, want) in [
        ("burntop/0123456789ab/x", true),
        ("burntop/0123456789ab", true),
        ("burntop/0123456789abx", false),
        ("burntop/0123456789AB/x", false),
        ("burntop/short", false),
        ("burntop-quarantine-0123456789ab-1", false),
        ("", false),
    ] {
        assert_eq!(is_own(&rule(id)), want, "{id}");
    }
}

#[test]
fn a_diff_shows_each_rule() {
    let tags = Tags::default();
    let current = config(vec![rule("theirs")]);
    let wanted = config(vec![rule("new")]);
    let verdict = merge(&input(&current, &wanted, &tags));
    let text: String =
        verdict.diff.iter().map(|l| format!("{} {}\n", l.kind.sign(), l.text)).collect();
    insta::assert_snapshot!(text);
}

fn any_rule() -> impl Strategy<Value = LifecycleRule> {
    (
        "[a-z]{1,3}|burntop/[0-9a-f]{12}/x",
        any::<bool>(),
        proptest::option::of("[ -~]{0,6}"),
        proptest::collection::vec(("[a-z]{1,2}", "[a-z]{0,2}"), 0..3),
        proptest::option::of(1i64..400),
        proptest::option::of(1i64..400),
    )
        .prop_map(|(id, enabled, prefix, tags, expire, noncurrent)| LifecycleRule {
            id,
            enabled,
            filter: LifecycleFilter { prefix, tags, ..LifecycleFilter::default() },
            expiration: expire
                .map(|d| Expiration { when: Some(When::Days(d)), expired_delete_marker: None }),
            noncurrent_expiration: noncurrent
                .map(|d| NoncurrentExpiration { days: Some(d), newer_versions: None }),
            ..LifecycleRule::default()
        })
}

proptest! {
    #[test]
    fn foreign_rules_come_back_byte_for_byte(
        current in proptest::collection::vec(any_rule(), 0..6),
        wanted in proptest::collection::vec(any_rule(), 0..6),
        versioning in proptest::sample::select(vec![
            None, Some(Versioning::Off), Some(Versioning::Enabled), Some(Versioning::Suspended),
        ]),
    ) {
        let (current, wanted) = (config(current), config(wanted));
        let tags = Tags::default();
        let verdict = merge(&MergeInput { versioning, ..input(&current, &wanted, &tags) });
        let foreign = |l: &Lifecycle| -> Vec<String> {
            l.rules.iter().filter(|r| !is_own(r)).map(|r| print::rule_json(r).to_string()).collect()
        };
        prop_assert_eq!(foreign(&current), foreign(&verdict.after));
        prop_assert_eq!(current.minimum_size, verdict.after.minimum_size);
        if let Some(merged) = verdict.merged() {
            let own = merged.lifecycle().rules.iter().filter(|r| is_own(r));
            if versioning != Some(Versioning::Enabled) {
                prop_assert!(own.clone().all(|r| !r.expires_current()));
            }
            prop_assert!(own.count() <= wanted.rules.len());
        }
        let again = merge(&MergeInput {
            versioning,
            current: Some(&verdict.after),
            ..input(&current, &wanted, &tags)
        });
        prop_assert_eq!(&again.after, &verdict.after);
    }
}
