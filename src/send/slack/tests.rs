use proptest::prelude::*;

use super::super::testing::{HERE, SENT, http, message, url};
use super::*;
use crate::domain::text::hostile;
use crate::source::server::{Reply, Server};
use crate::watch::sink::SecretFrom;

async fn sent(server: &Server, timeout: Duration) -> Result<(), SendError> {
    send(&http(), &url(server, "/services/T0/B0/s3cr3t"), true, timeout, &message(), SENT).await
}

async fn answered(status: u16, more: &str, body: &str) -> Result<(), SendError> {
    let (more, body) = (more.to_owned(), body.to_owned());
    let server = Server::start(move |_, _| {
        Reply::Whole(status, "text/plain", more.clone(), body.clone().into_bytes())
    });
    sent(&server, HERE).await
}

#[tokio::test]
async fn a_message_is_posted_once_and_ok_is_success() {
    let server = Server::start(|_, _| Reply::new(200, "text/html", "ok"));
    sent(&server, HERE).await.unwrap();
    let [request] = &server.seen()[..] else { panic!("{:?}", server.seen()) };
    assert_eq!((request.method(), &*request.path), ("POST", "/services/T0/B0/s3cr3t"));
    assert_eq!(request.header("content-type"), Some("application/json"));
    let body: Value = serde_json::from_slice(&request.body).unwrap();
    assert_eq!(body["text"], "firing: idle-gpus: p4d.24xlarge i-0abc");
    assert_eq!(body["blocks"][1]["text"]["text"], "8 GPUs are held\nand idle");
    answered(200, "", " ok\n").await.unwrap();
    answered(200, "", "{\"ok\":true}").await.unwrap();
}

#[tokio::test]
async fn an_error_is_one_whatever_its_status_and_says_whether_it_passes() {
    for (status, more, body, words, retry) in [
        (200, "", "invalid_payload", "invalid_payload", Retry::Never),
        (200, "", "no_service", "no_service", Retry::Never),
        (200, "", "{\"ok\":false,\"error\":\"invalid_blocks\"}", "invalid_blocks", Retry::Never),
        (200, "", "rate_limited", "rate_limited", Retry::After(None)),
        (200, "", "internal_error", "internal_error", Retry::After(None)),
        (200, "", "", "something else than `ok`", Retry::After(None)),
        (200, "", "<html>log in</html>", "something else than `ok`", Retry::After(None)),
        (200, "", "OK", "something else than `ok`", Retry::After(None)),
        (200, "", "{\"ok\":false}", "something else than `ok`", Retry::After(None)),
        (200, "", "xoxb-s3cr3t", "something else than `ok`", Retry::After(None)),
        (400, "", "invalid_payload", "invalid_payload", Retry::Never),
        (400, "", "ok", "HTTP 400", Retry::Never),
        (403, "", "action_prohibited", "action_prohibited", Retry::Never),
        (404, "", "no_service", "no_service", Retry::Never),
        (404, "", "xoxb-s3cr3t", "HTTP 404", Retry::Never),
        (410, "", "channel_is_archived", "channel_is_archived", Retry::Never),
        (
            429,
            "retry-after: 7\r\n",
            "rate_limited",
            "rate_limited",
            Retry::After(Some(Duration::from_secs(7))),
        ),
        (500, "", "rollup_error", "rollup_error", Retry::After(None)),
        (500, "", "channel_not_found", "channel_not_found", Retry::Never),
        (503, "", "", "HTTP 503", Retry::After(None)),
        (
            302,
            "location: https://x.example/s3cr3t\r\n",
            "found",
            "redirects to x.example",
            Retry::Never,
        ),
    ] {
        let error = answered(status, more, body).await.unwrap_err();
        assert!(error.message.contains(words), "{status} {body}: {error}");
        assert_eq!(error.retry, retry, "{status} {body}: {error}");
        assert!(!format!("{error:?}").contains("s3cr3t"), "{status} {body}: {error:?}");
    }
}

#[tokio::test]
async fn no_failure_shows_the_address() {
    let closed = Server::start(|_, _| Reply::Close);
    let half = Server::start(|_, _| Reply::Half(b"ok".to_vec()));
    let dead = UrlFrom::Plain("http://127.0.0.1:1/s3cr3t".into());
    let mut errors = vec![
        sent(&closed, HERE).await.unwrap_err(),
        sent(&half, HERE).await.unwrap_err(),
        send(&http(), &dead, true, HERE, &message(), SENT).await.unwrap_err(),
    ];
    let silent = Server::start(|_, _| Reply::Silence);
    errors.push(sent(&silent, Duration::from_millis(50)).await.unwrap_err());
    for error in errors {
        assert_eq!(error.retry, Retry::After(None), "{error}");
        assert!(error.message.contains("127.0.0.1"), "{error}");
        assert!(!format!("{error:?}").contains("s3cr3t"), "{error:?}");
    }
    let nowhere = UrlFrom::Secret(SecretFrom::Env("BURNTOP_NO_SUCH_VARIABLE".into()));
    let error = send(&http(), &nowhere, true, HERE, &message(), SENT).await.unwrap_err();
    assert!(error.message.contains("BURNTOP_NO_SUCH_VARIABLE"), "{error}");
}

#[test]
fn nobody_is_called_by_what_a_tag_says() {
    let odd = "<!channel> <@U024BE7LH> <https://evil.example|click> & @here";
    let message = Message { title: odd.into(), lines: vec![odd.into()], ..message() };
    let body = body(&message);
    let mut texts = vec![body["text"].as_str().unwrap()];
    for block in body["blocks"].as_array().unwrap() {
        assert_eq!(
            (&block["text"]["type"], &block["text"]["verbatim"]),
            (&json!("mrkdwn"), &json!(true))
        );
        texts.push(block["text"]["text"].as_str().unwrap());
    }
    assert_eq!(texts.len(), 3);
    for text in texts {
        assert!(!text.contains(['<', '>']), "{text}");
        assert!(
            text.contains("&lt;!channel&gt; &lt;@U024BE7LH&gt;") && text.contains(" &amp; @here"),
            "{text}"
        );
    }
    assert_eq!((&body["parse"], &body["link_names"]), (&json!("none"), &json!(false)));
}

#[test]
fn what_does_not_fit_is_counted() {
    let lines: Vec<String> = (0..1_000).map(|n| format!("{n} {}", "x".repeat(1_500))).collect();
    let body = body(&Message { lines, ..message() });
    let blocks = body["blocks"].as_array().unwrap();
    assert_eq!(blocks.len(), 50);
    assert_eq!(blocks[49]["text"]["text"], "… 952 more lines");
    let none = body_of(&Message { title: String::new(), lines: vec![], ..message() });
    assert_eq!(none["blocks"].as_array().unwrap().len(), 1);
}

fn body_of(message: &Message) -> Value {
    body(message)
}

proptest! {
    // Each case is long.
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn whatever_is_said_the_limits_of_slack_are_kept_and_no_escape_is_torn(
        pieces in proptest::collection::vec(prop_oneof![
            proptest::sample::select(hostile::TEXTS).prop_map(str::to_owned),
            "[&<>;a]{0,40}".prop_map(|s| s.repeat(60)),
            any::<String>(),
        ], 0..60),
    ) {
        let title = pieces.first().cloned().unwrap_or_default();
        let body = body(&Message { title, lines: pieces, ..message() });
        let blocks = body["blocks"].as_array().unwrap();
        prop_assert!(blocks.len() <= 50);
        let texts = blocks.iter().map(|block| block["text"]["text"].as_str().unwrap());
        for text in texts.chain([body["text"].as_str().unwrap()]) {
            prop_assert!(text.chars().count() <= 3_000);
            prop_assert!(!text.contains(['<', '>']));
            for (at, _) in text.match_indices('&') {
                let rest = &text[at..];
                prop_assert!(["&amp;", "&lt;", "&gt;"].iter().any(|e| rest.starts_with(e)), "{rest}");
            }
        }
        prop_assert!(blocks.iter().all(|block| block["text"]["text"] != ""));
    }

}

proptest! {
    #[test]
    fn text_within_its_limit_is_whole(line in "[a-z&<> ]{0,200}") {
        let body = body(&Message { lines: vec![line.clone()], ..message() });
        let text = body["blocks"][1]["text"]["text"].as_str().unwrap_or_default();
        let plain = text.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&");
        prop_assert_eq!(plain, line);
    }
}
