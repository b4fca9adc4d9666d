use super::testing::{SENT, message, sink, url};
use super::*;
use crate::source::server::{Mode, Reply, Server, certificate, tls_file};
use crate::watch::sink::SmtpTls;

/// A sender that trusts the authority of the tests.
fn sender() -> Sender {
    let ca = std::fs::read(tls_file("ca.pem")).unwrap();
    Sender { now: || SENT, ca: Some(ca), ..Sender::new() }
}

fn hook(url: UrlFrom) -> Destination {
    Destination::Webhook {
        url,
        body: None,
        hmac: None,
        secret: None,
        headers: Vec::new(),
        at_end: None,
    }
}

#[tokio::test]
async fn https_is_spoken_with_servers_whose_certificate_is_good_and_with_no_other() {
    for (name, is_good) in [
        ("good.pem", true),
        ("expired.pem", false),
        ("other-host.pem", false),
        ("stranger.pem", false),
    ] {
        let server = Server::start_as(Mode::Tls(certificate(name)), |_, _| {
            Reply::new(200, "text/plain", "ok")
        });
        let url = UrlFrom::Plain(format!("https://{}/s3cr3t", server.address()));
        for to in [Destination::Slack { url: url.clone() }, hook(url)] {
            let sent = sender().send(&sink(to), &message(), &mut std::io::sink()).await;
            assert_eq!(sent.is_ok(), is_good, "{name}: {sent:?}");
            if let Err(error) = sent {
                assert_eq!(error.retry, Retry::After(None), "a certificate may be renewed");
                assert!(error.message.contains("TLS: "), "{error}");
                assert!(!format!("{error:?}").contains("s3cr3t"), "{error:?}");
            }
        }
        assert_eq!(server.requests(), if is_good { 2 } else { 0 });
    }
}

#[tokio::test]
async fn a_sink_gets_each_message_once_and_the_same_sender_serves_all() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("alerts.jsonl");
    let server = Server::start(|_, _| Reply::new(200, "text/plain", "ok"));
    let sender = sender();
    for to in [
        Destination::Slack { url: url(&server, "/slack") },
        hook(url(&server, "/hook")),
        Destination::File { path: path.clone() },
    ] {
        sender.send(&sink(to), &message(), &mut std::io::sink()).await.unwrap();
    }
    let seen = server.seen();
    let paths: Vec<&str> = seen.iter().map(|request| &*request.path).collect();
    assert_eq!(paths, ["/slack", "/hook"]);
    assert_eq!(std::fs::read_to_string(&path).unwrap().lines().count(), 1);
}

#[tokio::test]
async fn standard_output_is_what_the_sender_was_given() {
    let (sender, mut out) = (Sender::new(), Vec::new());
    for _ in 0..2 {
        sender.send(&sink(Destination::Stdout), &message(), &mut out).await.unwrap();
    }
    let text = String::from_utf8(out).unwrap();
    assert_eq!(text.matches("firing: idle-gpus").count(), 2);
}

#[tokio::test]
async fn a_sink_that_may_not_reach_this_host_does_not_and_is_told_so_before() {
    let server = Server::start(|_, _| Reply::new(200, "text/plain", "ok"));
    for to in [Destination::Slack { url: url(&server, "/") }, hook(url(&server, "/"))] {
        let away = Sink { allow_loopback: false, ..sink(to) };
        let error = sender().send(&away, &message(), &mut std::io::sink()).await.unwrap_err();
        assert_eq!(error.retry, Retry::Never);
        assert_eq!(check(&away), Err(error));
    }
    assert_eq!(server.connections(), 0);
}

#[test]
fn what_could_never_be_sent_is_told_before() {
    let mail = |from: &str, to: &[&str], tls| Destination::Smtp {
        host: "mail.example".into(),
        port: 587,
        tls,
        login: None,
        from: from.into(),
        to: to.iter().map(|to| (*to).to_owned()).collect(),
    };
    let secret = UrlFrom::Secret(SecretFrom::Env("X".into()));
    for (to, is_fine) in [
        (Destination::Slack { url: UrlFrom::Plain("https://hooks.slack.com/x".into()) }, true),
        (Destination::Slack { url: UrlFrom::Plain("http://hooks.slack.com/x".into()) }, false),
        (Destination::Slack { url: secret.clone() }, true),
        (hook(secret), true),
        (hook(UrlFrom::Plain("hooks.example".into())), false),
        (
            Destination::Sns {
                topic: "arn:aws:sns:eu-west-1:123456789012:a".into(),
                profile: None,
            },
            true,
        ),
        (Destination::Sns { topic: "a".into(), profile: None }, false),
        (mail("a@example.com", &["b@example.com"], SmtpTls::StartTls), true),
        (mail("a", &["b@example.com"], SmtpTls::StartTls), false),
        (mail("a@example.com", &["b"], SmtpTls::StartTls), false),
        (mail("a@example.com", &[], SmtpTls::StartTls), false),
        (mail("a@example.com", &["b@example.com"], SmtpTls::None), false),
        (Destination::File { path: "a.jsonl".into() }, true),
        (Destination::Stdout, true),
    ] {
        let sink = Sink { allow_loopback: false, ..sink(to) };
        let checked = check(&sink);
        assert_eq!(checked.is_ok(), is_fine, "{:?}: {checked:?}", sink.to);
        assert!(checked.err().is_none_or(|error| error.retry == Retry::Never));
    }
}

#[tokio::test]
async fn a_time_limit_is_that_of_the_sink() {
    let server = Server::start(|_, _| Reply::Silence);
    for to in [Destination::Slack { url: url(&server, "/") }, hook(url(&server, "/"))] {
        let brief = Sink { timeout: Duration::from_millis(70), ..sink(to) };
        let error = sender().send(&brief, &message(), &mut std::io::sink()).await.unwrap_err();
        assert!(error.message.contains("no answer within 0.07 s"), "{error}");
    }
}

#[test]
fn every_secret_of_a_sink_is_looked_for_and_none_is_told() {
    let dir = tempfile::tempdir().unwrap();
    let file = |name: &str, text: &str| {
        std::fs::write(dir.path().join(name), text).unwrap();
        SecretFrom::File(dir.path().join(name))
    };
    let missing = |name: &str| SecretFrom::File(dir.path().join("missing").join(name));
    let webhook = |url, of: &dyn Fn(&str) -> SecretFrom| Destination::Webhook {
        url: UrlFrom::Secret(url),
        body: None,
        hmac: Some(of("hmac")),
        secret: Some(of("secret")),
        headers: vec![("X-A".into(), of("a")), ("X-B".into(), of("b"))],
        at_end: None,
    };
    let there = |name: &str| file(name, "s3cr3t");
    let fine = file("url", "https://hooks.example/s3cr3t");
    assert_eq!(check_secrets(&sink(webhook(fine, &there))), []);
    let wrong = check_secrets(&sink(webhook(file("url", "s3cr3t"), &missing)));
    let told: Vec<String> = wrong.iter().map(SendError::with_fix).collect();
    assert_eq!(told.len(), 5, "{told:?}");
    for (told, name) in told.iter().zip(["/url: ", "/hmac: ", "/secret: ", "/a: ", "/b: "]) {
        assert!(told.contains(name) && !told.contains("s3cr3t"), "{told}");
    }
    let slack =
        Destination::Slack { url: UrlFrom::Secret(file("url", "http://hooks.example/s3cr3t")) };
    assert!(check_secrets(&sink(slack))[0].message.contains("in clear text"));
    let login = |from| Destination::Smtp {
        host: "mail.example".into(),
        port: 587,
        tls: SmtpTls::StartTls,
        login: Some(("watch".into(), from)),
        from: "a@example.com".into(),
        to: vec!["b@example.com".into()],
    };
    assert_eq!(check_secrets(&sink(login(missing("password")))).len(), 1);
    assert_eq!(check_secrets(&sink(login(file("password", "x")))), []);
    for to in [Destination::Stdout, Destination::File { path: "a".into() }] {
        assert_eq!(check_secrets(&sink(to)), []);
    }
}
