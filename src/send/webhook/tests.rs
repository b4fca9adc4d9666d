use serde_json::Value;

use super::super::error::Retry;
use super::super::testing::{HERE, SENT, http, message, url};
use super::*;
use crate::source::server::{Reply, Request, Server};

/// A webhook without anything that may be left out.
fn plain(url: &UrlFrom) -> Webhook<'_> {
    Webhook {
        url,
        body: None,
        hmac: None,
        secret: None,
        headers: &[],
        at_end: None,
        allow_loopback: true,
    }
}

async fn sent(server: &Server, timeout: Duration) -> Result<(), SendError> {
    let url = url(server, "/hook?token=s3cr3t");
    plain(&url).send(&http(), timeout, &message(), SENT).await
}

async fn answered(
    reply: impl Fn(&Request) -> Reply + Send + Sync + 'static,
) -> Result<(), SendError> {
    let server = Server::start(move |_, request| reply(request));
    sent(&server, HERE).await
}

/// A secret in a file of a directory.
fn secret(dir: &tempfile::TempDir, name: &str, text: &str) -> SecretFrom {
    let path = dir.path().join(name);
    std::fs::write(&path, text).unwrap();
    SecretFrom::File(path)
}

#[tokio::test]
async fn without_a_template_the_whole_message_is_posted_with_its_key() {
    let server = Server::start(|_, _| Reply::new(204, "text/plain", ""));
    sent(&server, HERE).await.unwrap();
    let [request] = &server.seen()[..] else { panic!("{:?}", server.seen()) };
    assert_eq!((request.method(), &*request.path), ("POST", "/hook?token=s3cr3t"));
    assert_eq!(request.header("content-type"), Some("application/json"));
    assert_eq!(request.header("idempotency-key"), Some(&*message().key));
    assert_eq!(request.header("x-burntop-signature"), None);
    assert_eq!(request.text(), alert_json(&message()));
}

#[tokio::test]
async fn what_is_signed_is_what_is_sent() {
    let dir = tempfile::tempdir().unwrap();
    let server = Server::start(|_, _| Reply::json("{}"));
    let (url, key) = (url(&server, "/"), secret(&dir, "key", "s3cr3t\n"));
    let webhook = Webhook { hmac: Some(&key), ..plain(&url) };
    let message = Message { title: "é\"<>".into(), ..message() };
    webhook.send(&http(), HERE, &message, SENT).await.unwrap();
    let request = &server.seen()[0];
    let [(_, time), (_, signature)] =
        signature::headers(&Secret::new("s3cr3t"), SENT, &request.text());
    assert_eq!(request.header("x-burntop-timestamp"), Some(&*time));
    assert_eq!(request.header("x-burntop-signature"), Some(&*signature));
    assert!(!server.received("s3cr3t"), "the key stays here");
}

#[tokio::test]
async fn a_template_and_headers_take_their_secrets_from_files() {
    let dir = tempfile::tempdir().unwrap();
    let server = Server::start(|_, _| Reply::new(202, "application/json", "{}"));
    let url = url(&server, "/v2/enqueue");
    let body = Body::shipped("pagerduty");
    let (key, token) = (secret(&dir, "key", "r0ut1ng"), secret(&dir, "token", "GenieKey abc\n"));
    let headers = [("Authorization".to_owned(), token)];
    let webhook =
        Webhook { body: body.as_ref(), secret: Some(&key), headers: &headers, ..plain(&url) };
    webhook.send(&http(), HERE, &message(), SENT).await.unwrap();
    let request = &server.seen()[0];
    let posted: Value = serde_json::from_slice(&request.body).unwrap();
    assert_eq!(posted["routing_key"], "r0ut1ng");
    assert_eq!(posted["dedup_key"], message().thread);
    assert_eq!(request.header("authorization"), Some("GenieKey abc"));
}

#[tokio::test]
async fn the_end_of_an_alert_is_told_elsewhere_where_the_sink_says_so() {
    let server = Server::start(|_, _| Reply::new(202, "application/json", "{}"));
    let url = url(&server, "/v2/alerts");
    let body = Body::shipped("opsgenie");
    let end = AtEnd {
        url: format!("{}/v2/alerts/{{{{thread}}}}/close?identifierType=alias", server.url),
        body: Body::shipped("opsgenie-close"),
    };
    let webhook = Webhook { body: body.as_ref(), at_end: Some(&end), ..plain(&url) };
    let resolved = Message { kind: MessageKind::Resolved, ..message() };
    for message in [message(), Message { kind: MessageKind::Summary, ..message() }, resolved] {
        webhook.send(&http(), HERE, &message, SENT).await.unwrap();
    }
    let seen = server.seen();
    let posted = |at: usize| -> Value { serde_json::from_slice(&seen[at].body).unwrap() };
    let paths: Vec<&str> = seen.iter().map(|request| &*request.path).collect();
    let close = "/v2/alerts/fedcba9876543210fedcba9876543210/close?identifierType=alias";
    assert_eq!(paths, ["/v2/alerts", "/v2/alerts", close]);
    assert_eq!(posted(0)["alias"], message().thread);
    assert_eq!(posted(2)["note"], message().title);
}

#[tokio::test]
async fn a_status_says_whether_it_is_sent_again() {
    let minute = Some(Duration::from_mins(1));
    for (status, more, retry) in [
        (400, "", Retry::Never),
        (401, "", Retry::Never),
        (403, "retry-after: 60\r\n", Retry::Never),
        (404, "", Retry::Never),
        (405, "", Retry::Never),
        (410, "", Retry::Never),
        (413, "", Retry::Never),
        (422, "", Retry::Never),
        (408, "", Retry::After(None)),
        (425, "", Retry::After(None)),
        (429, "", Retry::After(None)),
        (429, "retry-after: 60\r\n", Retry::After(minute)),
        (429, "retry-after: Sat, 14 Nov 2026 20:27:40 GMT\r\n", Retry::After(None)),
        (429, "retry-after: Wed, 18 Nov 2026 11:07:40 GMT\r\n", Retry::After(minute)),
        (429, "retry-after: soon\r\n", Retry::After(None)),
        (500, "", Retry::After(None)),
        (503, "retry-after: 60\r\n", Retry::After(minute)),
        (599, "", Retry::After(None)),
    ] {
        let error =
            answered(move |_| Reply::Whole(status, "text/plain", more.into(), b"s3cr3t".into()))
                .await
                .unwrap_err();
        let past = |wait: Retry| match wait {
            Retry::After(Some(wait)) if wait.is_zero() => Retry::After(None),
            other => other,
        };
        assert_eq!(past(error.retry), retry, "{status} {more}: {error}");
        assert!(error.message.starts_with("127.0.0.1:"), "{error}");
        assert!(error.message.contains(&format!("HTTP {status}")), "{error}");
        assert!(!format!("{error:?}").contains("s3cr3t"), "{error:?}");
    }
}

#[tokio::test]
async fn no_redirect_is_followed_to_whatever_host() {
    let other = Server::start(|_, _| Reply::json("{}"));
    let to_other = other.url.clone();
    let metadata = "http://169.254.169.254/latest/meta-data/s3cr3t".to_owned();
    for (status, location, host) in [
        (301, "/elsewhere".to_owned(), "127.0.0.1"),
        (302, "/elsewhere".to_owned(), "127.0.0.1"),
        (307, "/elsewhere".to_owned(), "127.0.0.1"),
        (302, format!("{to_other}/s3cr3t"), "127.0.0.1"),
        (308, format!("{to_other}/s3cr3t"), "127.0.0.1"),
        (302, metadata.clone(), "169.254.169.254"),
        (307, metadata, "169.254.169.254"),
        (303, "https://login.example/s3cr3t?s3cr3t".to_owned(), "login.example"),
    ] {
        let server = Server::start(move |at, _| match at {
            0 => {
                Reply::Whole(status, "text/plain", format!("location: {location}\r\n"), Vec::new())
            }
            _ => Reply::json("{}"),
        });
        let error = sent(&server, HERE).await.unwrap_err();
        assert_eq!(error.retry, Retry::Never, "{error}");
        assert!(error.message.contains(&format!("redirects to {host}")), "{error}");
        assert!(!format!("{error:?}").contains("s3cr3t"), "{error:?}");
        assert_eq!(server.requests(), 1);
    }
    assert_eq!(other.requests(), 0);
    let error = answered(|_| Reply::new(304, "text/plain", "")).await.unwrap_err();
    assert!(error.message.contains("redirects to another address"), "{error}");
}

#[tokio::test]
async fn a_status_counts_though_its_body_has_no_end_or_is_torn() {
    const HEAD: &[u8] = b"HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n";
    answered(|_| Reply::new(200, "text/plain", vec![b'x'; 1 << 20])).await.unwrap();
    answered(|_| Reply::Half(vec![b'x'; 100])).await.unwrap();
    let drips = Server::start(|_, _| Reply::Drip(HEAD, b'.'));
    sent(&drips, Duration::from_millis(300)).await.unwrap();
    let error = answered(|_| Reply::new(500, "text/plain", vec![b'x'; 1 << 20])).await.unwrap_err();
    assert!(error.message.contains("HTTP 500"), "{error}");
}

#[tokio::test]
async fn without_an_answer_it_is_sent_again() {
    let quick = Duration::from_millis(100);
    let silent = Server::start(|_, _| Reply::Silence);
    let error = sent(&silent, quick).await.unwrap_err();
    assert!(error.message.contains("no answer within 0.1 s"), "{error}");
    let drips = Server::start(|_, _| Reply::Drip(b"HTTP/1.1 200 OK\r\nx-", b'x'));
    let slow = sent(&drips, quick).await.unwrap_err();
    let closed = answered(|_| Reply::Close).await.unwrap_err();
    let ssh = answered(|_| Reply::Raw(b"SSH-2.0-OpenSSH_9.2\r\n".to_vec())).await.unwrap_err();
    let dead = UrlFrom::Plain("http://127.0.0.1:1/s3cr3t".into());
    let refused = plain(&dead).send(&http(), HERE, &message(), SENT).await.unwrap_err();
    for error in [error, slow, closed, ssh, refused] {
        assert_eq!(error.retry, Retry::After(None), "{error}");
        assert!(!format!("{error:?}").contains("s3cr3t"), "{error:?}");
    }
}

#[tokio::test]
async fn this_host_is_asked_where_that_is_allowed_alone() {
    let server = Server::start(|_, _| Reply::json("{}"));
    let url = url(&server, "/s3cr3t");
    let away = Webhook { allow_loopback: false, ..plain(&url) };
    let error = away.send(&http(), HERE, &message(), SENT).await.unwrap_err();
    assert_eq!(error.retry, Retry::Never);
    assert!(error.fix.contains("allow_loopback"), "{error:?}");
    assert_eq!(server.requests(), 0);
    assert_eq!(away.check(), Err(error), "and that is known without sending");
}

#[test]
fn what_could_never_be_sent_is_told_before() {
    let fine = UrlFrom::Plain("https://hooks.example/".into());
    assert_eq!(plain(&fine).check(), Ok(()));
    let with_secret = Body::shipped("pagerduty");
    let error = Webhook { body: with_secret.as_ref(), ..plain(&fine) }.check().unwrap_err();
    assert!(error.message.contains("names none"), "{error}");
    let from = SecretFrom::Env("X".into());
    Webhook { body: with_secret.as_ref(), secret: Some(&from), ..plain(&fine) }.check().unwrap();
    for name in ["Host", "X-Burntop-Signature", "idempotency-KEY", "Content-Length"] {
        let headers = [(name.to_owned(), from.clone())];
        let error = Webhook { headers: &headers, ..plain(&fine) }.check().unwrap_err();
        assert!(error.message.contains(name), "{error}");
    }
    for url in ["http://hooks.example/{{thread}}", "https://{{key}}/", "https://169.254.169.254/"] {
        let end = AtEnd { url: url.into(), body: None };
        assert!(Webhook { at_end: Some(&end), ..plain(&fine) }.check().is_err(), "{url}");
    }
    let unread = UrlFrom::Secret(from);
    assert_eq!(plain(&unread).check(), Ok(()), "a secret is read when it is used");
}

#[tokio::test]
async fn a_secret_that_no_header_can_hold_is_not_shown() {
    let dir = tempfile::tempdir().unwrap();
    let server = Server::start(|_, _| Reply::json("{}"));
    let url = url(&server, "/");
    let headers = [("X-Token".to_owned(), secret(&dir, "token", "s3cr3t\ns3cr3t"))];
    let webhook = Webhook { headers: &headers, ..plain(&url) };
    let error = webhook.send(&http(), HERE, &message(), SENT).await.unwrap_err();
    assert!(error.message.contains("X-Token"), "{error}");
    assert!(!format!("{error:?}").contains("s3cr3t"), "{error:?}");
    assert_eq!(server.requests(), 0);
}
