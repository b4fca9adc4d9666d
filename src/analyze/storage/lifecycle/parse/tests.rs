use proptest::prelude::*;

use super::*;
use crate::analyze::storage::lifecycle::lint::Code;
use crate::analyze::storage::lifecycle::print;
use crate::domain::storage::{
    Expiration, LifecycleFilter, LifecycleRule, MinimumSize, NoncurrentExpiration,
    NoncurrentTransition, Transition, When,
};

fn ok(text: &str) -> Parsed {
    parse(text.as_bytes()).unwrap_or_else(|e| panic!("{e}\n{text}"))
}

fn words(parsed: &Parsed) -> Vec<String> {
    parsed.lifecycle.rules.iter().map(|r| format!("{} {}", r.id, print::summary(r))).collect()
}

/// One rule in every spelling.
const SAME: &[&str] = &[
    r#"{"Rules": [{"ID": "old", "Status": "Enabled", "Filter": {"Prefix": "logs/"},
        "Transitions": [{"Days": 30, "StorageClass": "STANDARD_IA"}], "Expiration": {"Days": 365},
        "NoncurrentVersionExpiration": {"NoncurrentDays": 7},
        "AbortIncompleteMultipartUpload": {"DaysAfterInitiation": 7}}]}"#,
    r#"[{"ID": "old", "Status": "Enabled", "Filter": {"Prefix": "logs/"},
        "Transitions": [{"Days": 30, "StorageClass": "STANDARD_IA"}], "Expiration": {"Days": 365},
        "NoncurrentVersionExpiration": {"NoncurrentDays": 7},
        "AbortIncompleteMultipartUpload": {"DaysAfterInitiation": 7}}]"#,
    r#"{"Bucket": "b", "LifecycleConfiguration": {"Rules": [{"ID": "old", "Status": "Enabled",
        "Filter": {"Prefix": "logs/"}, "Transitions": [{"Days": 30, "StorageClass": "STANDARD_IA"}],
        "Expiration": {"Days": 365}, "NoncurrentVersionExpiration": {"NoncurrentDays": 7},
        "AbortIncompleteMultipartUpload": {"DaysAfterInitiation": 7}}]}}"#,
    r#"{"Resources": {"Lake": {"Type": "AWS::S3::Bucket", "Properties": {"BucketName": "x",
        "LifecycleConfiguration": {"Rules": [{"Id": "old", "Status": "Enabled", "Prefix": "logs/",
        "Transitions": [{"TransitionInDays": 30, "StorageClass": "STANDARD_IA"}],
        "ExpirationInDays": 365, "NoncurrentVersionExpirationInDays": 7,
        "AbortIncompleteMultipartUpload": {"DaysAfterInitiation": 7}}]}}}}}"#,
    r#"{"resource": {"aws_s3_bucket_lifecycle_configuration": {"lake": [{"bucket": "x", "rule": [
        {"id": "old", "status": "Enabled", "filter": [{"prefix": "logs/"}],
        "transition": [{"days": 30, "storage_class": "STANDARD_IA"}], "expiration": [{"days": 365}],
        "noncurrent_version_expiration": [{"noncurrent_days": 7}],
        "abort_incomplete_multipart_upload": [{"days_after_initiation": 7}]}]}]}}}"#,
    r#"{"lifecycleRules": [{"id": "old", "enabled": true, "prefix": "logs/", "transitions":
        [{"storageClass": "s3.StorageClass.INFREQUENT_ACCESS", "transitionAfter": "Duration.days(30)"}],
        "expiration": "cdk.Duration.days(365)", "noncurrentVersionExpiration": "Duration.days(7)",
        "abortIncompleteMultipartUploadAfter": "Duration.days(7)"}]}"#,
    "<?xml version=\"1.0\"?>\n<LifecycleConfiguration xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\">
      <Rule><ID>old</ID><Filter><Prefix>logs/</Prefix></Filter><Status>Enabled</Status>
        <Transition><Days>30</Days><StorageClass>STANDARD_IA</StorageClass></Transition>
        <Expiration><Days>365</Days></Expiration>
        <NoncurrentVersionExpiration><NoncurrentDays>7</NoncurrentDays></NoncurrentVersionExpiration>
        <AbortIncompleteMultipartUpload><DaysAfterInitiation>7</DaysAfterInitiation></AbortIncompleteMultipartUpload>
      </Rule></LifecycleConfiguration>",
    "rules:\n  - id: old\n    status: enabled\n    prefix: logs/\n    transitions:\n      - {days: 30, storage_class: STANDARD_IA}\n    expiration: {days: 365}\n    noncurrent_version_expiration: 7d\n    abort_incomplete_multipart_upload_days: 7\n",
    "lifecycle_policies:\n  old:\n    prefix: logs/\n    enabled: yes\n    transitions: {STANDARD_IA: 30}\n    expiration_days: 365\n    noncurrent_version_expiration: {days: 7}\n    abort_incomplete_multipart_upload: {days_after_initiation: 7}\n",
    "old:\n  prefix: logs/\n  status: Enabled\n  transition:\n    days: 30 days\n    storage_class: STANDARD_IA\n  expiration: 365d\n  noncurrent_version_expiration: P7D\n  abort_incomplete_multipart_upload: 1w\n",
];

#[test]
fn every_spelling_is_the_same_rule() {
    let first = ok(SAME[0]).lifecycle;
    assert_eq!(first.rules.len(), 1);
    for text in SAME {
        let parsed = ok(text);
        assert_eq!(parsed.lifecycle, first, "{text}");
        assert_eq!(parsed.not_for_merging, [] as [String; 0], "{text}");
        assert!(parsed.remarks.is_empty(), "{:?}\n{text}", parsed.remarks);
    }
}

#[test]
fn names_of_rules_stand_for_prefixes_and_stop_a_merge() {
    let text = "training-data:\n  transitions:\n    - {days: 30, storage_class: STANDARD_IA}\n    - {days: 90, storage_class: GLACIER}\nexperiments:\n  expiration_days: 180\ncheckpoints:\n  noncurrent_version_expiration: 30d\n";
    let parsed = ok(text);
    assert_eq!(
        words(&parsed),
        [
            "training-data training-data/: STANDARD_IA after 30 d, GLACIER after 90 d",
            "experiments experiments/: deleted after 180 d",
            "checkpoints checkpoints/: old versions deleted after 30 d",
        ]
    );
    assert_eq!(parsed.not_for_merging.len(), 3);
}

#[test]
fn the_old_prefix_comes_back_as_it_was() {
    let json =
        r#"{"Rules":[{"ID":"a","Prefix":"logs/","Status":"Enabled","Expiration":{"Days":1}}]}"#;
    let parsed = ok(json);
    assert!(parsed.lifecycle.rules[0].filter.legacy_prefix);
    assert_eq!(ok(&print::json(&parsed.lifecycle)).lifecycle, parsed.lifecycle);
    let xml = print::xml(&parsed.lifecycle).unwrap();
    assert!(!xml.contains("<Filter"), "{xml}");
    assert_eq!(ok(&xml).lifecycle, parsed.lifecycle);
}

#[test]
fn nothing_unknown_is_dropped_without_a_word() {
    let parsed = ok(
        r#"{"Rules":[{"ID":"a","Status":"Enabled","Filter":{"Prefix":"x/","Or":{}},"Surprise":1,
        "Expiration":{"Days":1,"Hours":2},"Transitions":[{"Days":40,"StorageClass":"GLACIER","If":1}]}],
        "Extra":true}"#,
    );
    let unknown: Vec<&str> =
        parsed.remarks.iter().filter(|r| r.code == Code::UnknownField).map(|r| &*r.text).collect();
    assert_eq!(unknown.len(), 5, "{unknown:?}");
    assert_eq!(parsed.not_for_merging.len(), 5);
    assert!(
        parsed.not_for_merging[1].contains("Rules[0].Filter.Or"),
        "{:?}",
        parsed.not_for_merging
    );
}

#[test]
fn what_the_model_cannot_hold_is_said() {
    let both = ok(
        r#"{"Rules":[{"Status":"Enabled","Filter":{},"Transitions":[{"Days":40,"Date":"2026-01-01","StorageClass":"GLACIER"},{"StorageClass":"GLACIER"},{"Days":50}],"Expiration":{"Days":400,"Date":"2030-01-01"}}]}"#,
    );
    let codes: Vec<Code> = both.remarks.iter().map(|r| r.code).collect();
    assert_eq!(
        codes,
        [Code::DaysWithDate, Code::IncompleteAction, Code::IncompleteAction, Code::DaysWithDate]
    );
    assert_eq!(both.not_for_merging.len(), 4);
    assert_eq!(both.lifecycle.rules[0].transitions.len(), 1);
}

#[test]
fn errors_say_where_and_what_to_do() {
    let table: &[(&str, &str)] = &[
        ("", "the file is empty; expected lifecycle rules as JSON, XML or YAML"),
        ("{\n \"Rules\": [\n}", "line 3, column 1: expected value (read as JSON)"),
        ("{\"Rules\": [{\"Status\":\"On\"}]}", "Rules[0].Status: write Enabled or Disabled"),
        (
            "{\"Rules\": [{\"Status\":\"Enabled\",\"Expiration\":{\"Days\":\"soon\"}}]}",
            "Rules[0].Expiration.Days: \"soon\" is no number of days; write whole days, as a number or like \"30d\"",
        ),
        (
            "{\"Rules\": [{\"Status\":\"Enabled\",\"Expiration\":{\"Days\":1.5}}]}",
            "Rules[0].Expiration.Days: 1.5 is no number of days; write whole days, as a number or like \"30d\"",
        ),
        ("{\"Rules\": 3}", "Rules: a number where a list of rules belongs"),
        ("{\"Rules\": [3]}", "Rules[0]: a number where a rule belongs"),
        (
            "{\"a\": {\"Rules\": [], \"A\":1}, \"b\": {\"Rules\": []}}",
            "b: rules of a second bucket (the first are at a); keep one of them in the file",
        ),
        (
            "{\"Rules\": [], \"TransitionDefaultMinimumObjectSize\": \"64K\"}",
            "TransitionDefaultMinimumObjectSize: write all_storage_classes_128K or varies_by_storage_class",
        ),
        (
            "{\"Rules\": [{\"ID\":\"a\",\"ID\":\"b\"}]}",
            "line 1, column 25: \"ID\" is there twice (read as JSON)",
        ),
        (
            "<a><b></a>",
            "line 1, column 7: ill-formed document: expected `</b>`, but `</a>` was found (read as XML)",
        ),
        (
            "<LifecycleConfiguration>\n<Rule>",
            "line 2, column 7: the document ends before its elements do (read as XML)",
        ),
        (
            "<!DOCTYPE x [<!ENTITY a \"b\">]><x>&a;</x>",
            "line 1, column 1: a document type is not taken: a policy needs none (read as XML)",
        ),
        ("<x>&a;</x>", "line 1, column 4: an entity that XML does not know (read as XML)"),
        ("rules:\n  - id: [a\n", ""),
        ("just words", ""),
        ("{\"a\": 1}", ""),
    ];
    for (text, want) in table {
        let error = parse(text.as_bytes()).unwrap_err().to_string();
        if want.is_empty() {
            assert!(!error.is_empty());
        } else {
            assert_eq!(error, *want, "{text}");
        }
    }
    assert_eq!(parse(b"{\"a\": \"\xff\"}"), Err(ParseError::Encoding(8)));
    let large = vec![b' '; LARGEST_FILE + 1];
    assert_eq!(parse(&large), Err(ParseError::TooLarge(LARGEST_FILE + 1)));
}

#[test]
fn an_empty_configuration_has_no_rules() {
    for text in ["{\"Rules\": []}", "<LifecycleConfiguration/>", "rules: []", "rules:\n"] {
        assert_eq!(ok(text).lifecycle.rules, [], "{text}");
    }
}

#[test]
fn laughs_and_depth_are_bounded() {
    let mut laughs = String::from("a0: &a0 [x, x, x, x, x, x, x, x, x]\n");
    for i in 1..10 {
        let refs = vec![format!("*a{}", i - 1); 9].join(", ");
        laughs.push_str(&format!("a{i}: &a{i} [{refs}]\n"));
    }
    assert!(matches!(parse(laughs.as_bytes()), Err(ParseError::Syntax { .. })));
    for text in [
        format!("{}{}", "[".repeat(100_000), "]".repeat(100_000)),
        format!("a: {}{}", "[".repeat(10_000), "]".repeat(10_000)),
        "<a>".repeat(100_000),
        format!("{}1", "a:\n ".repeat(5_000)),
    ] {
        assert!(matches!(parse(text.as_bytes()), Err(ParseError::Syntax { .. })));
    }
}

#[test]
fn a_thousand_rules_are_read_in_every_syntax() {
    let rule = ok(SAME[0]).lifecycle.rules[0].clone();
    let many: Vec<LifecycleRule> =
        (0..1_000).map(|i| LifecycleRule { id: format!("r{i}"), ..rule.clone() }).collect();
    let all = Lifecycle { rules: many, minimum_size: None };
    let cfn = print::cloudformation_yaml(&all);
    for text in [print::json(&all), print::xml(&all).unwrap(), cfn] {
        assert_eq!(ok(&text).lifecycle, all);
    }
}

fn text() -> impl Strategy<Value = String> {
    prop_oneof!["[a-z/_-]{1,8}", "[ -~]{1,8}", "\\PC{1,4}", Just(" x\r\n\ty ".to_owned())]
}

fn when() -> impl Strategy<Value = When> {
    prop_oneof![any::<i64>().prop_map(When::Days), text().prop_map(When::Date)]
}

fn filter() -> impl Strategy<Value = LifecycleFilter> {
    let option = proptest::option::of::<BoxedStrategy<i64>>;
    (
        proptest::option::of(prop_oneof![Just(String::new()), text()]),
        proptest::collection::vec((text(), prop_oneof![Just(String::new()), text()]), 0..3),
        option(any::<i64>().boxed()),
        option(any::<i64>().boxed()),
        any::<bool>(),
    )
        .prop_map(|(prefix, tags, larger_than, smaller_than, old)| LifecycleFilter {
            legacy_prefix: old && prefix.is_some(),
            prefix,
            tags,
            larger_than,
            smaller_than,
        })
}

fn rule() -> impl Strategy<Value = LifecycleRule> {
    let many = proptest::collection::vec::<BoxedStrategy<Transition>>;
    let transition =
        (when(), "[A-Z_]{1,12}").prop_map(|(when, class)| Transition { when, class }).boxed();
    let noncurrent = (any::<i64>(), "[A-Z_]{1,12}", proptest::option::of(any::<i64>())).prop_map(
        |(days, class, newer_versions)| NoncurrentTransition { days, class, newer_versions },
    );
    (
        (prop_oneof![Just(String::new()), text()], any::<bool>(), filter(), many(transition, 0..4)),
        proptest::option::of((proptest::option::of(when()), proptest::option::of(any::<bool>()))),
        proptest::collection::vec(noncurrent, 0..3),
        proptest::option::of((
            proptest::option::of(any::<i64>()),
            proptest::option::of(any::<i64>()),
        )),
        proptest::option::of(any::<i64>()),
    )
        .prop_map(
            |((id, enabled, filter, transitions), expiration, noncurrent, end, abort)| {
                LifecycleRule {
                    id,
                    enabled,
                    filter,
                    transitions,
                    expiration: expiration.map(|(when, expired_delete_marker)| Expiration {
                        when,
                        expired_delete_marker,
                    }),
                    noncurrent_transitions: noncurrent,
                    noncurrent_expiration: end.map(|(days, newer_versions)| NoncurrentExpiration {
                        days,
                        newer_versions,
                    }),
                    abort_uploads_days: abort,
                }
            },
        )
}

fn lifecycle() -> impl Strategy<Value = Lifecycle> {
    let minimum =
        proptest::sample::select(vec![None, Some(MinimumSize::All128K), Some(MinimumSize::Varies)]);
    (proptest::collection::vec(rule(), 0..4), minimum)
        .prop_map(|(rules, minimum_size)| Lifecycle { rules, minimum_size })
}

proptest! {
    #[test]
    fn json_comes_back_as_it_was(config in lifecycle()) {
        let parsed = parse(print::json(&config).as_bytes()).unwrap();
        prop_assert_eq!(&parsed.lifecycle, &config);
        prop_assert!(parsed.not_for_merging.is_empty(), "{:?}", parsed.not_for_merging);
        let call = parse(print::cli_input("b", &config).as_bytes()).unwrap();
        prop_assert_eq!(&call.lifecycle, &config);
        prop_assert_eq!(print::sha256(&call.lifecycle), print::sha256(&config));
    }

    #[test]
    fn xml_comes_back_as_it_was(config in lifecycle()) {
        let config = Lifecycle { minimum_size: None, ..config };
        let xml = print::xml(&config).unwrap();
        let parsed = parse(xml.as_bytes()).unwrap();
        prop_assert_eq!(&parsed.lifecycle, &config, "{}", xml);
        prop_assert!(parsed.not_for_merging.is_empty(), "{:?}", parsed.not_for_merging);
    }

    #[test]
    fn no_text_makes_it_panic(text in "\\PC{0,200}") {
        let _ = parse(text.as_bytes());
        let _ = parse(format!("<x>{text}</x>").as_bytes());
        let _ = parse(format!("{{{text}").as_bytes());
    }

    #[test]
    fn no_mutation_of_a_policy_makes_it_panic(
        which in 0..SAME.len(), at in any::<proptest::sample::Index>(), byte in any::<u8>(),
    ) {
        let mut bytes = SAME[which].as_bytes().to_vec();
        let at = at.index(bytes.len());
        bytes[at] = byte;
        if let Ok(parsed) = parse(&bytes) {
            let _ = crate::analyze::storage::lifecycle::lint::lint(
                &parsed.lifecycle, &parsed.remarks, &Default::default());
        }
    }
}
