use super::*;
use crate::analyze::storage::lifecycle::parse;

/// Codes that a policy gives, info left out, as `LC001 error rule`.
fn lint_of(text: &str, ctx: &LintContext<'_>) -> Vec<LintFinding> {
    let parsed = parse(text.as_bytes()).unwrap_or_else(|e| panic!("{e}\n{text}"));
    lint(&parsed.lifecycle, &parsed.remarks, ctx)
}

fn loud(text: &str, ctx: &LintContext<'_>) -> Vec<String> {
    let all = lint_of(text, ctx);
    let loud = all.iter().filter(|f| f.severity > Severity::Info);
    loud.map(|f| format!("{} {} {}", f.code.id(), f.severity.word(), f.rule)).collect()
}

fn versioned(versioning: Versioning) -> LintContext<'static> {
    LintContext { versioning: Some(versioning), ..LintContext::default() }
}

/// A policy found in an article: three mistakes, and a danger.
const ARTICLE_3: &str = "
lifecycle_policies:
  training_data:
    prefix: training-data/
    transitions:
      - days: 30
        storage_class: STANDARD_IA
      - days: 90
        storage_class: GLACIER_INSTANT_RETRIEVAL
      - days: 365
        storage_class: DEEP_ARCHIVE
    expiration:
      days: 730
  checkpoints:
    prefix: checkpoints/
    noncurrent_version_expiration: 30d
    transitions:
      - days: 14
        storage_class: STANDARD_IA
  experiments:
    prefix: experiments/
    expiration:
      days: 180
";

/// The same as a dictionary by name, as another article has it.
const ARTICLE_2: &str = r#"{
  "training-data": {"transitions": [{"days": 30, "storage_class": "STANDARD_IA"},
                                    {"days": 90, "storage_class": "GLACIER"}]},
  "experiments": {"expiration": {"days": 180}},
  "checkpoints": {"noncurrent_version_expiration": {"days": 30}}
}"#;

#[test]
fn the_article_with_three_mistakes_and_a_danger() {
    let found = loud(ARTICLE_3, &LintContext::default());
    assert_eq!(
        found,
        [
            "LC002 error training_data",
            "LC001 error checkpoints",
            "LC102 warning checkpoints",
            "LC108 error experiments",
        ]
    );
    let all = lint_of(ARTICLE_3, &LintContext::default());
    let text: String = all
        .iter()
        .map(|f| format!("{} {} {}: {}\n", f.code.id(), f.severity.word(), f.rule, f.message))
        .collect();
    insta::assert_snapshot!(text);
    assert!(text.contains("GLACIER_IR is meant") && text.contains("danger"));
    assert!(all.iter().all(|f| f.usd_per_month.is_none()));
}

#[test]
fn the_article_with_a_dictionary() {
    let found = loud(ARTICLE_2, &LintContext::default());
    assert_eq!(found, ["LC108 error experiments", "LC102 warning checkpoints"]);
    // With versions, an expiration can be undone, and frees nothing.
    let found = loud(ARTICLE_2, &versioned(Versioning::Enabled));
    assert_eq!(found, ["LC116 warning experiments", "LC102 warning checkpoints"]);
}

/// One rule of JSON inside a configuration.
fn one(rule: &str) -> String {
    format!(r#"{{"Rules":[{{"ID":"r","Status":"Enabled","Filter":{{"Prefix":"logs/"}},{rule}}}]}}"#)
}

#[test]
fn what_s3_refuses() {
    let step = |days: &str, class: &str| format!(r#"{{"Days":{days},"StorageClass":"{class}"}}"#);
    let moves = |all: &[(&str, &str)]| {
        let all: Vec<String> = all.iter().map(|(d, c)| step(d, c)).collect();
        format!(r#""Transitions":[{}]"#, all.join(","))
    };
    let noncurrent = |days: i64, class: &str| {
        format!(
            r#""NoncurrentVersionTransitions":[{{"NoncurrentDays":{days},"StorageClass":"{class}"}}]"#
        )
    };
    let cases: Vec<(String, &[&str])> = vec![
        (moves(&[("30", "STANDARD_IA")]), &[]),
        (moves(&[("29", "STANDARD_IA")]), &["LC001"]),
        (moves(&[("29", "ONEZONE_IA")]), &["LC001"]),
        (noncurrent(29, "STANDARD_IA"), &["LC001"]),
        (noncurrent(30, "ONEZONE_IA"), &[]),
        (moves(&[("0", "INTELLIGENT_TIERING")]), &[]),
        (moves(&[("0", "GLACIER")]), &[]),
        (moves(&[("30", "GLACIER_INSTANT_RETRIEVAL")]), &["LC002"]),
        // The wrong name is taken for what it means, and its order checked as well.
        (moves(&[("30", "GLACIER_INSTANT_RETRIEVAL"), ("60", "STANDARD_IA")]), &["LC002", "LC003"]),
        (moves(&[("30", "COLD")]), &["LC002"]),
        (moves(&[("30", "STANDARD")]), &["LC003"]),
        (moves(&[("30", "REDUCED_REDUNDANCY")]), &["LC003"]),
        (moves(&[("30", "EXPRESS_ONEZONE")]), &["LC003"]),
        (moves(&[("30", "GLACIER"), ("60", "STANDARD_IA")]), &["LC003"]),
        (moves(&[("30", "INTELLIGENT_TIERING"), ("60", "STANDARD_IA")]), &["LC003"]),
        (moves(&[("30", "ONEZONE_IA"), ("90", "GLACIER_IR")]), &["LC003"]),
        (moves(&[("60", "GLACIER"), ("30", "STANDARD_IA")]), &[]),
        (moves(&[("30", "STANDARD_IA"), ("59", "GLACIER")]), &["LC004"]),
        (moves(&[("30", "ONEZONE_IA"), ("45", "DEEP_ARCHIVE")]), &["LC004"]),
        (moves(&[("30", "STANDARD_IA"), ("60", "GLACIER")]), &[]),
        (moves(&[("30", "GLACIER"), ("30", "DEEP_ARCHIVE")]), &["LC017"]),
        (moves(&[("30", "GLACIER"), ("60", "GLACIER")]), &["LC017"]),
        (format!(r#"{},"Expiration":{{"Days":90}}"#, moves(&[("90", "GLACIER")])), &["LC005"]),
        (format!(r#"{},"Expiration":{{"Days":300}}"#, moves(&[("90", "GLACIER")])), &[]),
        (
            format!(
                r#"{},"NoncurrentVersionExpiration":{{"NoncurrentDays":30}}"#,
                noncurrent(30, "GLACIER")
            ),
            &["LC005"],
        ),
        (
            format!(r#"{},"Expiration":{{"Date":"2030-01-01"}}"#, moves(&[("90", "GLACIER")])),
            &["LC006"],
        ),
        (r#""Expiration":{"Days":30,"ExpiredObjectDeleteMarker":true}"#.into(), &["LC008"]),
        (r#""Expiration":{"ExpiredObjectDeleteMarker":true}"#.into(), &[]),
        (r#""Expiration":{}"#.into(), &["LC012"]),
        (r#""Transitions":[]"#.into(), &["LC012"]),
        (r#""Expiration":{"Days":0}"#.into(), &["LC013"]),
        (r#""Expiration":{"Days":-1}"#.into(), &["LC013"]),
        (moves(&[("-1", "GLACIER")]), &["LC013"]),
        (r#""AbortIncompleteMultipartUpload":{"DaysAfterInitiation":0}"#.into(), &["LC013"]),
        (
            r#""NoncurrentVersionExpiration":{"NoncurrentDays":1,"NewerNoncurrentVersions":101}"#
                .into(),
            &["LC014"],
        ),
        (
            r#""NoncurrentVersionExpiration":{"NoncurrentDays":1,"NewerNoncurrentVersions":0}"#
                .into(),
            &["LC014"],
        ),
        (
            r#""NoncurrentVersionExpiration":{"NoncurrentDays":1,"NewerNoncurrentVersions":100}"#
                .into(),
            &[],
        ),
        (r#""NoncurrentVersionExpiration":{"NewerNoncurrentVersions":3}"#.into(), &["LC014"]),
        (r#""Expiration":{"Date":"2030-01-01T12:00:00Z"}"#.into(), &["LC015"]),
        (r#""Expiration":{"Date":"soon"}"#.into(), &["LC016"]),
        (r#""Expiration":{"Date":"2030-01-01T00:00:00Z"}"#.into(), &[]),
        (r#""Expiration":{"Days":1,"Date":"2030-01-01"}"#.into(), &["LC006"]),
        (r#""Transitions":[{"StorageClass":"GLACIER"}]"#.into(), &["LC012", "LC020"]),
        (r#""Expiration":{"Days":9},"Surprise":1"#.into(), &["LC019"]),
    ];
    for (rule, want) in cases {
        let text = one(&rule);
        let all = lint_of(&text, &LintContext::default());
        let have: Vec<&str> =
            all.iter().filter(|f| f.severity == Severity::Error).map(|f| f.code.id()).collect();
        assert_eq!(have, *want, "{rule}\n{all:#?}");
    }
}

#[test]
fn what_s3_refuses_of_filters_and_ids() {
    let filter = |f: &str, rest: &str| {
        format!(r#"{{"Rules":[{{"ID":"r","Status":"Enabled","Filter":{f},{rest}}}]}}"#)
    };
    let abort = r#""AbortIncompleteMultipartUpload":{"DaysAfterInitiation":7}"#;
    let marker = r#""Expiration":{"ExpiredObjectDeleteMarker":true}"#;
    let tag = r#"{"Tag":{"Key":"a","Value":"b"}}"#;
    let long = format!(
        r#"{{"Rules":[{{"ID":"{}","Status":"Enabled","Filter":{{}},{abort}}}]}}"#,
        "x".repeat(256)
    );
    let twice = format!(
        r#"{{"Rules":[{{"ID":"a","Status":"Enabled","Filter":{{"Prefix":"a/"}},{abort}}},{{"ID":"a","Status":"Enabled","Filter":{{"Prefix":"b/"}},{abort}}}]}}"#
    );
    let cases: Vec<(String, &[&str])> = vec![
        (filter(tag, abort), &["LC007"]),
        (filter(tag, marker), &["LC007"]),
        (filter(r#"{"ObjectSizeGreaterThan":5}"#, abort), &["LC007"]),
        (filter(r#"{"Prefix":"a/"}"#, abort), &[]),
        (
            filter(r#"{"And":{"ObjectSizeGreaterThan":5,"ObjectSizeLessThan":6}}"#, marker),
            &["LC007", "LC018"],
        ),
        (
            filter(r#"{"ObjectSizeGreaterThan":-5}"#, r#""Expiration":{"Days":3}"#),
            &["LC018", "LC108"],
        ),
        (long, &["LC011"]),
        (twice, &["LC010"]),
    ];
    for (text, want) in cases {
        let all = lint_of(&text, &LintContext::default());
        let have: Vec<&str> =
            all.iter().filter(|f| f.severity == Severity::Error).map(|f| f.code.id()).collect();
        assert_eq!(have, *want, "{text}\n{all:#?}");
    }
    let rule = parse(one(abort).as_bytes()).unwrap().lifecycle.rules[0].clone();
    let rules = (0..1_001)
        .map(|i| {
            let mut rule = rule.clone();
            rule.id = format!("{i}");
            rule.filter.prefix = Some(format!("{i}/"));
            rule
        })
        .collect();
    let many = Lifecycle { rules, ..Lifecycle::default() };
    let found = lint(&many, &[], &LintContext::default());
    assert_eq!(found.iter().map(|f| f.code).collect::<Vec<_>>(), [Code::TooManyRules]);
}

#[test]
fn what_does_nothing() {
    let days = r#""Expiration":{"Days":30}"#;
    let prefix = |p: &str| {
        format!(
            r#"{{"Rules":[{{"ID":"r","Status":"Enabled","Filter":{{"Prefix":"{p}"}},{days}}}]}}"#
        )
    };
    for p in ["/logs/", "s3://bucket/logs/", "logs/*.txt", "arn:aws:s3:::b/logs"] {
        let found = loud(&prefix(p), &LintContext::default());
        assert!(found.contains(&"LC101 warning r".to_owned()), "{p}: {found:?}");
    }
    assert_eq!(loud(&prefix("logs/"), &LintContext::default()), [] as [&str; 0]);
    let old = one(r#""NoncurrentVersionExpiration":{"NoncurrentDays":30}"#);
    assert_eq!(loud(&old, &versioned(Versioning::Off)), ["LC102 warning r"]);
    assert_eq!(loud(&old, &versioned(Versioning::Enabled)), [] as [&str; 0]);
}

#[test]
fn classes_for_what_is_read_too_often() {
    let ia = one(r#""Transitions":[{"Days":30,"StorageClass":"STANDARD_IA"}]"#);
    let gir = one(r#""Transitions":[{"Days":30,"StorageClass":"GLACIER_IR"}]"#);
    let reads = |n| LintContext { reads_per_month: Some(n), ..LintContext::default() };
    assert_eq!(loud(&ia, &reads(4.3)), ["LC103 warning r"]);
    assert_eq!(loud(&ia, &reads(1.0)), [] as [&str; 0]);
    assert_eq!(loud(&gir, &reads(1.0)), ["LC104 warning r"]);
    assert_eq!(loud(&gir, &reads(0.6)), [] as [&str; 0]);
    let short =
        one(r#""Transitions":[{"Days":30,"StorageClass":"GLACIER"}],"Expiration":{"Days":60}"#);
    assert_eq!(loud(&short, &LintContext::default()), ["LC114 warning r"]);
    let small = r#"{"Rules":[{"ID":"r","Status":"Enabled","Filter":{"ObjectSizeGreaterThan":1},"Transitions":[{"Days":30,"StorageClass":"STANDARD_IA"}]}]}"#;
    assert_eq!(loud(small, &LintContext::default()), ["LC105 warning r"]);
    let tiering = small.replace("STANDARD_IA", "INTELLIGENT_TIERING");
    assert_eq!(loud(&tiering, &LintContext::default()), ["LC106 warning r"]);
}

#[test]
fn overlaps_name_a_witness_and_who_wins() {
    let two = |a: &str, b: &str| {
        format!(
            r#"{{"Rules":[{{"ID":"a","Status":"Enabled",{a}}},{{"ID":"b","Status":"Enabled",{b}}}]}}"#
        )
    };
    let logs = r#""Filter":{"Prefix":"logs/"}"#;
    let app = r#""Filter":{"Prefix":"logs/app"}"#;
    let to = |days: i64, class: &str| {
        format!(r#""Transitions":[{{"Days":{days},"StorageClass":"{class}"}}]"#)
    };
    let end = |days: i64| format!(r#""Expiration":{{"Days":{days}}}"#);
    let cases: Vec<(String, Option<(Code, &str)>)> = vec![
        (
            two(&format!("{logs},{}", end(30)), &format!("{app},{}", end(10))),
            Some((Code::Overlap, "10 days; both cover logs/app…/object")),
        ),
        (
            two(&format!("{logs},{}", end(10)), &format!("{app},{}", end(30))),
            Some((Code::Shadowed, "rule a does all")),
        ),
        (
            two(&format!("{logs},{}", end(10)), &format!("{app},{}", to(30, "GLACIER"))),
            Some((Code::Overlap, "deletion wins")),
        ),
        (
            two(
                &format!("{logs},{}", to(30, "STANDARD_IA")),
                &format!("{app},{}", to(30, "GLACIER")),
            ),
            Some((Code::Overlap, "GLACIER wins")),
        ),
        (
            two(
                &format!("{logs},{}", to(30, "GLACIER")),
                &format!("{app},{}", to(60, "STANDARD_IA")),
            ),
            Some((Code::Overlap, "the way up")),
        ),
        (
            two(
                &format!("{logs},{}", to(30, "STANDARD_IA")),
                &format!("{app},{}", to(90, "GLACIER")),
            ),
            None,
        ),
        (
            two(
                &format!("{logs},{}", end(30)),
                &format!(r#""Filter":{{"Prefix":"data/"}},{}"#, end(10)),
            ),
            None,
        ),
        (
            two(
                &format!(
                    r#""Filter":{{"And":{{"Prefix":"x/","Tags":[{{"Key":"s","Value":"a"}}]}}}},{}"#,
                    end(30)
                ),
                &format!(
                    r#""Filter":{{"And":{{"Prefix":"x/","Tags":[{{"Key":"s","Value":"b"}}]}}}},{}"#,
                    end(10)
                ),
            ),
            None,
        ),
        (
            two(
                &format!(r#""Filter":{{"ObjectSizeLessThan":100}},{}"#, end(30)),
                &format!(r#""Filter":{{"ObjectSizeGreaterThan":99}},{}"#, end(10)),
            ),
            None,
        ),
        (
            two(
                &format!(r#""Filter":{{"ObjectSizeLessThan":102}},{}"#, end(30)),
                &format!(r#""Filter":{{"ObjectSizeGreaterThan":99}},{}"#, end(10)),
            ),
            Some((Code::Overlap, "object of 100 bytes")),
        ),
    ];
    for (text, want) in cases {
        let all = lint_of(&text, &LintContext::default());
        let found: Vec<&LintFinding> =
            all.iter().filter(|f| matches!(f.code, Code::Overlap | Code::Shadowed)).collect();
        match want {
            None => assert!(found.is_empty(), "{text}\n{found:?}"),
            Some((code, part)) => {
                assert_eq!(found.len(), 1, "{text}\n{found:?}");
                assert_eq!(found[0].code, code, "{found:?}");
                assert!(found[0].message.contains(part), "{part}\n{}", found[0].message);
            }
        }
    }
}
