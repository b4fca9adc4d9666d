use std::collections::BTreeMap;

use super::super::testing::{HERE, SENT, http, message};
use super::*;
use crate::domain::text::hostile;
use crate::source::server::{Reply, Server};
use crate::watch::message::MessageKind;

const PLAIN: &str = "arn:aws:sns:eu-west-1:123456789012:alerts";
const FIFO: &str = "arn:aws:sns:eu-west-1:123456789012:alerts.fifo";
const KEY: &str = "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY";

fn credentials() -> Credentials {
    Credentials::new("AKIDEXAMPLE", KEY, Some("tok".to_owned()), None, "test")
}

async fn published(server: &Server, topic: &str, message: &Message) -> Result<(), SendError> {
    let account =
        Account { credentials: credentials(), endpoint: server.url.clone(), is_own: true };
    publish(&http(), &account, &Topic::parse(topic).unwrap(), HERE, message, SENT).await
}

/// Fields of a form.
fn fields(form: &str) -> BTreeMap<String, String> {
    form_urlencoded::parse(form.as_bytes()).into_owned().collect()
}

#[test]
fn a_signature_is_that_of_an_independent_calculation() {
    // The example key of AWS's documentation; computed with Python's hmac.
    let url = Url::parse("https://sns.eu-west-1.amazonaws.com").unwrap();
    let at: Timestamp = "2015-08-30T12:36:00Z".parse().unwrap();
    let body = "Action=Publish&Version=2010-03-31";
    let headers = signed(&url, body, &credentials(), "eu-west-1", at).unwrap();
    let header = |name: &str| {
        let found = headers.iter().find(|(n, _)| n == name);
        found.map(|(_, value)| value.reveal().to_owned()).unwrap_or_default()
    };
    assert_eq!(header("x-amz-date"), "20150830T123600Z");
    assert_eq!(
        header("authorization"),
        "AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/eu-west-1/sns/aws4_request, \
         SignedHeaders=content-type;host;x-amz-date;x-amz-security-token, \
         Signature=75437c76f2d10b13d7ffc9dd4fe67863319a05a9b6cc3aae44f6654fafa99928"
    );
    assert!(!format!("{headers:?}").contains("Signature"), "nothing signed is shown");
}

#[tokio::test]
async fn a_message_is_published_signed_with_what_subscriptions_filter_by() {
    let server = Server::start(|_, _| Reply::new(200, "text/xml", "<PublishResponse/>"));
    published(&server, PLAIN, &message()).await.unwrap();
    let [request] = &server.seen()[..] else { panic!("{:?}", server.seen()) };
    assert_eq!(request.header("content-type"), Some(FORM));
    let signature = request.header("authorization").unwrap();
    assert!(signature.contains("/20261118/eu-west-1/sns/aws4_request"), "{signature}");
    assert_eq!(request.header("x-amz-security-token"), Some("tok"));
    assert!(!server.received(KEY));
    let form = fields(&request.text());
    assert_eq!((&*form["Action"], &*form["TopicArn"]), ("Publish", PLAIN));
    assert_eq!(form["Subject"], message().title);
    let named = |n: usize| {
        let entry = format!("MessageAttributes.entry.{n}");
        assert_eq!(form[&format!("{entry}.Value.DataType")], "String");
        (&*form[&format!("{entry}.Name")], &*form[&format!("{entry}.Value.StringValue")])
    };
    let all =
        [("severity", "critical"), ("kind", "firing"), ("rule", "idle-gpus"), ("team", "vision")];
    assert_eq!([named(1), named(2), named(3), named(4)], all);
    assert!(!form.contains_key("MessageGroupId"));
    let by: BTreeMap<String, String> = serde_json::from_str(&form["Message"]).unwrap();
    assert_eq!(by["default"], format!("{}\n8 GPUs are held\nand idle\n", message().title));
    assert_eq!(by["sqs"], alert_json(&message()));
}

#[test]
fn a_topic_that_keeps_the_order_keeps_that_of_an_alert_and_takes_a_key_once() {
    let form = fields(&form(&Topic::parse(FIFO).unwrap(), &message()));
    assert_eq!(form["MessageDeduplicationId"], message().key);
    assert_eq!(form["MessageGroupId"], message().thread);
}

#[test]
fn what_is_about_several_alerts_has_no_rule_and_no_team() {
    let summary = Message { kind: MessageKind::Summary, more: 3, ..message() };
    let names: Vec<&str> = attributes(&summary).into_iter().map(|(name, _)| name).collect();
    assert_eq!(names, ["severity", "kind"]);
}

#[test]
fn every_subject_and_message_is_one_that_sns_takes() {
    let long = "🔥".repeat(1_000);
    for text in hostile::TEXTS.iter().copied().chain(["", " ", "\n", &long]) {
        let subject = subject(text);
        assert!((1..100).contains(&subject.len()), "{subject}");
        assert!(subject.bytes().all(|byte| matches!(byte, b' '..=b'~')), "{subject}");
        assert!(!subject.starts_with(' '), "{subject}");
    }
    let large = Message { lines: vec!["é".repeat(200 << 10)], ..message() };
    let whole = by_protocol(&large);
    assert!(whole.len() <= LARGEST, "{}", whole.len());
    let by: BTreeMap<String, String> = serde_json::from_str(&whole).unwrap();
    assert_eq!(by.keys().collect::<Vec<_>>(), ["default"], "what is too large is left out");
    let empty = Message { title: String::new(), lines: Vec::new(), ..message() };
    let by: BTreeMap<String, String> = serde_json::from_str(&by_protocol(&empty)).unwrap();
    assert_eq!(by["default"], "burntop");
}

#[tokio::test]
async fn a_refusal_is_told_by_its_code_and_says_whether_it_passes() {
    for (status, code, words, retry) in [
        (403, "AuthorizationError", "AuthorizationError", Retry::Never),
        (404, "NotFound", "NotFound", Retry::Never),
        (400, "InvalidParameter", "InvalidParameter", Retry::Never),
        (400, "KMSAccessDenied", "KMSAccessDenied", Retry::Never),
        (403, "ExpiredToken", "ExpiredToken", Retry::After(None)),
        (400, "Throttling", "Throttling", Retry::After(None)),
        (400, "KMSThrottling", "KMSThrottling", Retry::After(None)),
        (429, "Throttled", "Throttled", Retry::After(None)),
        (500, "InternalError", "InternalError", Retry::After(None)),
        (400, "see s3cr3t <b>", "HTTP 400", Retry::Never),
        (503, "", "HTTP 503", Retry::After(None)),
        (301, "", "redirects to", Retry::Never),
    ] {
        let body = format!(
            "<ErrorResponse><Error><Code>{code}</Code><Message>s3cr3t</Message></Error></ErrorResponse>"
        );
        let server = Server::start(move |_, _| Reply::new(status, "text/xml", &body));
        let error = published(&server, PLAIN, &message()).await.unwrap_err();
        assert!(error.message.contains(words), "{status} {code}: {error}");
        assert_eq!(error.retry, retry, "{status} {code}: {error}");
        assert!(!format!("{error:?}").contains("s3cr3t"), "{error:?}");
    }
}

#[tokio::test]
async fn only_an_endpoint_of_the_settings_may_be_on_this_host_and_none_is_asked_in_clear_elsewhere()
{
    for (endpoint, is_own) in [
        ("http://127.0.0.1:1", false),
        ("http://sns.example.com", true),
        ("https://169.254.169.254", true),
    ] {
        let account = Account { credentials: credentials(), endpoint: endpoint.into(), is_own };
        let topic = Topic::parse(PLAIN).unwrap();
        let sent = publish(&http(), &account, &topic, HERE, &message(), SENT).await;
        assert_eq!(sent.unwrap_err().retry, Retry::Never, "{endpoint}");
    }
}
