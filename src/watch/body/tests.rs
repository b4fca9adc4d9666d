use jiff::Timestamp;
use proptest::prelude::*;
use serde_json::json;

use super::*;
use crate::domain::text::hostile;
use crate::watch::message::{AlertFacts, MessageKind, Severity};

fn message() -> Message {
    Message {
        key: "0123456789abcdef0123456789abcdef".into(),
        thread: "fedcba9876543210fedcba9876543210".into(),
        kind: MessageKind::Firing,
        severity: Severity::Critical,
        at: Timestamp::from_second(1_795_000_000).unwrap(),
        title: "firing: idle-gpus: p4d.24xlarge i-0abc".into(),
        lines: vec!["8 GPUs are held".into(), "and idle".into()],
        alerts: vec![AlertFacts {
            rule: "idle-gpus".into(),
            key: "i-0abc".into(),
            what: "p4d.24xlarge i-0abc".into(),
            team: Some("vision".into()),
            since: Timestamp::from_second(1_794_000_000).ok(),
            usd: Some(4_230.5),
            usd_is_at_least: true,
            usd_per_day: Some(393.25),
            adds_up: true,
            why: vec!["no use".into(), "for two days".into()],
            command: Some("aws ec2 stop-instances --instance-ids i-0abc".into()),
            ask: None,
        }],
        more: 0,
        html: None,
    }
}

fn rendered(template: &str, message: &Message) -> Value {
    let body = Body::parse(template, "test").unwrap();
    serde_json::from_str(&body.render(message, Some("s3cr3t"))).unwrap()
}

#[test]
fn a_value_is_json_by_itself_and_text_within_quotes() {
    let template = r#"{"usd": {{usd}}, "words": "{{ usd }} since {{since}}", "ask": [{{ask}}, "{{ask}}"],
        "n": {{count}}, "rate": {{usd_per_day}}, "is": "{{usd_is_at_least}}", "why": {{why}}}"#;
    assert_eq!(
        rendered(template, &message()),
        json!({"usd": 4230.5, "words": "at least $4,230.50 since 2026-11-06T21:20:00Z", "ask": [null, ""],
            "n": 1, "rate": 393.25, "is": "true", "why": "no use\nfor two days"})
    );
}

#[test]
fn what_is_of_one_alert_is_unknown_where_a_message_is_about_several() {
    let template = r#"{"rule": {{rule}}, "usd": {{usd}}, "n": {{count}}, "more": {{more}}, "all": {{alerts}}}"#;
    let several = Message { more: 3, ..message() };
    let got = rendered(template, &several);
    assert_eq!((&got["rule"], &got["usd"]), (&Value::Null, &Value::Null));
    assert_eq!((&got["n"], &got["more"]), (&json!(4), &json!(3)));
    assert_eq!(got["all"][0]["what"], "p4d.24xlarge i-0abc");
}

#[test]
fn what_cannot_be_a_template_is_told_with_its_place() {
    for (text, line, column, words) in [
        ("{\"a\": {{titel}}}", 1, 7, "there is no `{{titel}}`; known: key, thread, kind"),
        ("{\n \"é\": \"{{}}\"}", 2, 8, "there is no `{{}}`"),
        ("{\"a\": {{title}", 1, 7, "not closed"),
        ("{\"a\": \"{{title\"}}", 1, 8, "not closed"),
        ("{\"a\": \"{{\ntitle}}\"}", 1, 8, "not closed"),
        ("{\"a\": \"{{alerts}}\"}", 1, 8, "is a list"),
        ("{\"a\": -{{usd}}}", 1, 8, "whole value"),
        ("{\"a\": {{usd}}0}", 1, 7, "whole value"),
        ("{{{title}}: 1}", 1, 1, "there is no `{{{title}}`"),
        ("{ {{title}}: 1}", 1, 3, "whole value"),
        ("{\"a\": 1, {{title}}: 1}", 1, 10, "whole value"),
        ("{\"a\": {{count}}{{more}}}", 1, 7, "whole value"),
        ("{\"a\": \"\\{{kind}}\"}", 1, 9, "middle of an escape"),
        ("{\"a\": \"\\u12{{key}}\"}", 1, 12, "middle of an escape"),
        ("{\"a\": \"\\u123{{key}}\"}", 1, 13, "middle of an escape"),
        ("{\"a\": {{title}},\n \"b\": {{rule}},\n \"c\": 'x'}", 3, 7, "it is no JSON"),
        ("{\"a\": {{title}}, \"b\": 'x'}", 1, 23, "it is no JSON"),
        ("{\"a\": {{title}}", 1, 16, "it ends in the middle"),
        ("", 1, 1, "it ends in the middle"),
        ("{{title}} {{title}}", 1, 1, "whole value"),
    ] {
        let error = Body::parse(text, "rules.toml: body").unwrap_err();
        assert_eq!((error.line, error.column), (line, column), "{text}: {error}");
        assert!(error.message.contains(words), "{text}: {error}");
        assert!(error.to_string().starts_with("rules.toml: body: line "), "{error}");
    }
    let long = format!("\"{}\"", "x".repeat(LONGEST));
    assert!(Body::parse(&long, "x").unwrap_err().message.contains("64 KiB"));
    for fine in
        ["\"\\u1234{{key}}\"", "\"\\\\{{kind}}\"", "{{title}}", "[{{usd}},{{alerts}}]", "{}"]
    {
        Body::parse(fine, "x").unwrap_or_else(|e| panic!("{fine}: {e}"));
    }
}

#[test]
fn a_secret_stands_where_the_template_has_it_and_nowhere_else() {
    let body = Body::parse(r#"{"routing_key": "{{secret}}", "t": "{{title}}"}"#, "x").unwrap();
    assert!(body.needs_secret());
    assert!(body.render(&message(), Some("s3cr3t\"")).contains(r#""s3cr3t\"""#));
    assert!(body.render(&message(), None).contains(r#""routing_key": """#));
    assert!(!Body::parse("{{title}}", "x").unwrap().needs_secret());
}

#[test]
fn every_shipped_template_is_one_and_fits_its_server() {
    for (name, _) in SHIPPED {
        assert!(Body::shipped(name).is_some(), "{name}");
    }
    assert_eq!(Body::shipped("pagertree"), None);

    let long = Message {
        title: "🔥".repeat(5_000),
        lines: vec!["x".repeat(20_000)],
        kind: MessageKind::Resolved,
        ..message()
    };
    let json = |name: &str, message: &Message| -> Value {
        let body = Body::shipped(name).unwrap();
        serde_json::from_str(&body.render(message, Some("s3cr3t"))).unwrap()
    };
    // Limits of PagerDuty's Events API v2: a summary of 1,024 characters, a dedup_key of 255.
    let duty = json("pagerduty", &long);
    assert_eq!(duty["event_action"], "resolve");
    assert_eq!(json("pagerduty", &message())["event_action"], "trigger");
    assert_eq!((&duty["routing_key"], &duty["dedup_key"]), (&json!("s3cr3t"), &json!(long.thread)));
    assert_eq!(duty["payload"]["severity"], "critical");
    assert_eq!(duty["payload"]["custom_details"]["usd_per_day"], 393.25);
    let length = |value: &Value| value.as_str().unwrap().chars().count();
    assert_eq!(length(&duty["payload"]["summary"]), 1_000);
    // Limits of Opsgenie: a message of 130 characters, a description of 15,000.
    let genie = json("opsgenie", &long);
    assert_eq!((length(&genie["message"]), length(&genie["description"])), (130, 14_000));
    assert_eq!((&genie["priority"], &genie["alias"]), (&json!("P1"), &json!(long.thread)));
    assert!(genie["message"].as_str().unwrap().ends_with('…'));
    assert_eq!(json("opsgenie", &message())["message"], message().title);
    assert_eq!(length(&json("opsgenie-close", &long)["note"]), 1_000);
}

#[test]
fn without_a_template_all_facts_are_sent_and_the_page_of_a_report_is_not() {
    let report = Message { html: Some("<html>".into()), ..message() };
    let text = alert_json(&report);
    assert!(!text.contains('\n'));
    let got: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(got["schema"], "burntop/alert/1");
    assert_eq!(got.get("html"), None);
    assert_eq!(serde_json::from_value::<Message>(got).unwrap(), message());
}

/// Texts of any characters, those that mean something to JSON or to a template among them.
fn text() -> impl Strategy<Value = String> {
    let known = proptest::sample::select(hostile::TEXTS).prop_map(str::to_owned);
    let braces = proptest::sample::select(vec![
        "{{title}}",
        "}}",
        "\"",
        "\\",
        "\\u",
        "\",\"x\":\"",
        "\u{0}",
    ]);
    let piece = prop_oneof![known, braces.prop_map(str::to_owned), any::<String>()];
    proptest::collection::vec(piece, 0..4).prop_map(|pieces| pieces.concat())
}

fn any_message() -> impl Strategy<Value = Message> {
    let texts = proptest::collection::vec(text(), 8);
    let facts = (any::<f64>(), any::<Option<f64>>(), 0_usize..3, 0_usize..3);
    (texts, facts).prop_map(|(t, (usd, rate, alerts, more))| {
        let alert = AlertFacts {
            rule: t[0].clone(),
            what: t[1].clone(),
            team: Some(t[2].clone()),
            usd: Some(usd),
            usd_per_day: rate,
            why: vec![t[3].clone(), t[4].clone()],
            command: Some(t[5].clone()),
            ..AlertFacts::default()
        };
        Message {
            title: t[6].clone(),
            lines: vec![t[7].clone(), t[0].clone()],
            alerts: vec![alert; alerts],
            more,
            ..message()
        }
    })
}

proptest! {
    #[test]
    fn whatever_a_message_says_a_template_stays_the_json_that_it_is(message in any_message(), secret in text()) {
        for (name, _) in SHIPPED {
            let body = Body::shipped(name).unwrap();
            let got: Value = serde_json::from_str(&body.render(&message, Some(&secret))).unwrap();
            let plain: Value = serde_json::from_str(&body.render(&self::message(), Some(""))).unwrap();
            let keys = |value: &Value| -> Vec<String> {
                value.as_object().unwrap().keys().cloned().collect()
            };
            prop_assert_eq!(keys(&got), keys(&plain));
        }
        let template = r#"{"a": "<{{what}}>", "b": {{text}}, "s": {{secret}}}"#;
        let got: Value = serde_json::from_str(&Body::parse(template, "x").unwrap().render(&message, Some(&secret))).unwrap();
        let one = message.alerts.len() == 1 && message.more == 0;
        let what = if one { message.alerts[0].what.clone() } else { String::new() };
        prop_assert_eq!(&got["a"], &json!(format!("<{what}>")));
        prop_assert_eq!(&got["b"], &json!(message.lines.join("\n")));
        prop_assert_eq!(&got["s"], &json!(secret));
    }

    #[test]
    fn a_template_that_is_taken_gives_json_with_every_message(
        pieces in proptest::collection::vec(prop_oneof![
            Just("{{usd}}"), Just("{{title}}"), Just("{{ask}}"), Just("{{alerts}}"), Just("{{more}}"), Just("\""),
            Just("{"), Just("}"), Just("\"a\":"), Just(","), Just("["), Just("]"), Just("\\"), Just("1"), Just("\\u12"),
        ], 0..12),
        message in any_message(),
    ) {
        let template = pieces.concat();
        if let Ok(body) = Body::parse(&template, "x") {
            let rendered = body.render(&message, None);
            prop_assert!(serde_json::from_str::<Value>(&rendered).is_ok(), "{template}: {rendered}");
        }
    }

    #[test]
    fn no_text_makes_the_reader_of_templates_fail_in_another_way(text in any::<String>(), more in text()) {
        for template in [&text, &more, &format!("{{\"a\": \"{text}\"}}")] {
            if let Err(error) = Body::parse(template, "x") {
                prop_assert!(error.line >= 1 && error.column >= 1);
            }
        }
    }
}
