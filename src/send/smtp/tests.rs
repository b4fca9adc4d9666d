use super::super::error::Retry;
use super::super::testing::{HERE, message};
use super::peer::{Peer, Script};
use super::*;
use crate::domain::text::hostile;
use crate::source::server::{certificate, tls_file};
use crate::watch::message::MessageKind;

/// Words of a mail server that no error may hold, because they are what it was sent.
const PASSWORD: &str = "hunter2hunter2";

fn to() -> Vec<String> {
    vec!["ops@example.com".into(), "On Call <oncall@example.com>".into()]
}

struct Case {
    peer: Peer,
    to: Vec<String>,
    ca: Vec<u8>,
}

impl Case {
    fn new(script: Script) -> Self {
        let ca = std::fs::read(tls_file("ca.pem")).unwrap();
        Self { peer: Peer::start(script), to: to(), ca }
    }

    fn smtp(&self, tls: SmtpTls) -> Smtp<'_> {
        Smtp {
            host: "127.0.0.1",
            port: self.peer.port,
            tls,
            login: None,
            from: "GPU watch <watch@fleet.example>",
            to: &self.to,
            allow_loopback: true,
            ca: Some(&self.ca),
        }
    }
}

fn answers(answers: &[(&'static str, &'static str)]) -> Script {
    Script { answers: answers.to_vec(), ..Script::default() }
}

fn with_tls(name: &str, wrapped: bool) -> Script {
    Script { tls: Some(certificate(name)), wrapped, ..Script::default() }
}

fn login(dir: &tempfile::TempDir) -> (String, SecretFrom) {
    let path = dir.path().join("password");
    std::fs::write(&path, format!("{PASSWORD}\n")).unwrap();
    ("watch".into(), SecretFrom::File(path))
}

#[tokio::test]
async fn a_mail_names_its_message_and_its_thread() {
    let case = Case::new(Script::default());
    let end = Message { kind: MessageKind::Resolved, key: "e".repeat(32), ..message() };
    for message in [message(), end] {
        case.smtp(SmtpTls::None).send(HERE, &message).await.unwrap();
    }
    let seen = case.peer.seen();
    assert!(seen.contains(&"MAIL FROM:<watch@fleet.example>".to_owned()), "{seen:?}");
    assert!(seen.contains(&"RCPT TO:<ops@example.com>".to_owned()), "{seen:?}");
    assert!(seen.contains(&"RCPT TO:<oncall@example.com>".to_owned()), "{seen:?}");
    let mails = case.peer.mails();
    assert_eq!(mails.len(), 2);
    for line in [
        "From: \"GPU watch\" <watch@fleet.example>",
        "Subject: firing: idle-gpus: p4d.24xlarge i-0abc",
        "Date: Wed, 18 Nov 2026 11:06:30 +0000",
        "Message-ID: <0123456789abcdef0123456789abcdef@fleet.example>",
        "In-Reply-To: <thread-fedcba9876543210fedcba9876543210@fleet.example>",
        "References: <thread-fedcba9876543210fedcba9876543210@fleet.example>",
        "Auto-Submitted: auto-generated",
        "Importance: high",
        "8 GPUs are held",
    ] {
        assert!(mails[0].lines().any(|found| found == line), "{line}: {}", mails[0]);
    }
    assert!(mails[1].contains(&format!("Message-ID: <{}@", "e".repeat(32))), "{}", mails[1]);
    assert!(mails[1].contains("References: <thread-fedcba9876543210"), "{}", mails[1]);
}

#[tokio::test]
async fn a_report_has_its_page_beside_the_text() {
    let case = Case::new(Script::default());
    let page = Some("<p>8 GPUs</p>\n.\n<p>é</p>".to_owned());
    let report = Message { kind: MessageKind::Report, html: page, ..message() };
    case.smtp(SmtpTls::None).send(HERE, &report).await.unwrap();
    let mails = case.peer.mails();
    assert!(mails[0].contains("Content-Type: multipart/alternative"), "{}", mails[0]);
    let text = mails[0].find("Content-Type: text/plain").unwrap();
    let html = mails[0].find("Content-Type: text/html").unwrap();
    assert!(text < html, "what is best stands last");
    assert!(mails[0].contains("<p>8 GPUs</p>"), "{}", mails[0]);
}

#[test]
fn no_text_becomes_a_header_of_its_own() {
    let odd = "x\r\nBcc: evil@example.com\r\n\r\nbody";
    for text in hostile::TEXTS.iter().copied().chain([odd, ""]) {
        let message =
            Message { title: text.into(), key: text.into(), thread: text.into(), ..message() };
        let mail = mail::mail("watch@fleet.example", &to(), &message).unwrap();
        let whole = String::from_utf8(mail.formatted()).unwrap();
        let (head, _) = whole.split_once("\r\n\r\n").unwrap();
        let lines = head.split("\r\n").filter(|line| !line.starts_with([' ', '\t']));
        let mut names: Vec<&str> = lines.map(|line| line.split(':').next().unwrap()).collect();
        names.sort_unstable();
        let all = [
            "Auto-Submitted",
            "Content-Transfer-Encoding",
            "Content-Type",
            "Date",
            "From",
            "Importance",
            "In-Reply-To",
            "MIME-Version",
            "Message-ID",
            "References",
            "Subject",
            "To",
        ];
        assert_eq!(names, all, "{text:?}: {head}");
        assert!(
            head.is_ascii() && !head.replace("\r\n", "").contains(['\r', '\n', '\0']),
            "{head:?}"
        );
        assert_eq!(mail.envelope().to().len(), 2);
        for name in ["Message-ID: <", "References: <thread-"] {
            let id = head.lines().find_map(|line| line.strip_prefix(name)).unwrap();
            let id = id.strip_suffix("@fleet.example>").unwrap();
            assert!(id.chars().all(|c| c.is_ascii_alphanumeric() || c == '-'), "{id}");
        }
    }
    for none in [
        "A\u{202e}B <a@b>",
        "a@b\r\nBcc: c@d",
        "a@b\u{0}",
        "",
        "a",
        "a@",
        "a@b, c@d",
        "<>",
        "a@b c",
    ] {
        assert!(mailbox(none).is_err(), "{none:?}");
    }
    for fine in ["a@example.com", "A B <a@example.com>", "root@localhost"] {
        assert!(mailbox(fine).is_ok(), "{fine}");
    }
}

#[tokio::test]
async fn tls_is_there_before_anything_else_or_nothing_is_sent() {
    let dir = tempfile::tempdir().unwrap();
    let login = login(&dir);
    for (tls, wrapped) in [(SmtpTls::Wrapped, true), (SmtpTls::StartTls, false)] {
        let case = Case::new(with_tls("good.pem", wrapped));
        let smtp = Smtp { login: Some(&login), ..case.smtp(tls) };
        smtp.send(HERE, &message()).await.unwrap();
        let seen = case.peer.seen();
        let clear: Vec<&String> = seen.iter().filter(|line| !line.starts_with('+')).collect();
        assert_eq!(clear.len(), if wrapped { 0 } else { 2 }, "{clear:?}");
        assert!(seen.contains(&"+MAIL FROM:<watch@fleet.example>".to_owned()), "{seen:?}");
        // base64 of "\0watch\0hunter2hunter2".
        let auth = "+AUTH PLAIN AHdhdGNoAGh1bnRlcjJodW50ZXIy".to_owned();
        assert!(seen.contains(&auth), "{seen:?}");
    }
    // No STARTTLS is offered, or it is refused: a password is asked for and not given.
    let refused =
        Script { answers: vec![("STARTTLS", "454 4.7.0 not now")], ..with_tls("good.pem", false) };
    for (script, retry) in [(Script::default(), Retry::Never), (refused, Retry::After(None))] {
        let case = Case::new(script);
        let smtp = Smtp { login: Some(&login), ..case.smtp(SmtpTls::StartTls) };
        let error = smtp.send(HERE, &message()).await.unwrap_err();
        assert_eq!(error.retry, retry, "{error}");
        let told = |word: &str| case.peer.seen().iter().any(|line| line.contains(word));
        assert!(!told("AUTH") && !told("MAIL"), "{:?}", case.peer.seen());
    }
}

#[tokio::test]
async fn a_certificate_that_is_not_good_ends_it_before_the_password() {
    let dir = tempfile::tempdir().unwrap();
    let login = login(&dir);
    for (name, words) in [
        ("expired.pem", "expired"),
        ("other-host.pem", "another name"),
        ("stranger.pem", "nobody who is trusted"),
    ] {
        for (tls, wrapped) in [(SmtpTls::Wrapped, true), (SmtpTls::StartTls, false)] {
            let case = Case::new(with_tls(name, wrapped));
            let smtp = Smtp { login: Some(&login), ..case.smtp(tls) };
            let error = smtp.send(HERE, &message()).await.unwrap_err();
            assert!(error.message.contains(words), "{name}: {error}");
            assert!(!case.peer.seen().iter().any(|line| line.contains("AUTH")));
        }
    }
    // The system trusts nobody of the tests.
    let case = Case::new(with_tls("good.pem", true));
    let smtp = Smtp { ca: None, ..case.smtp(SmtpTls::Wrapped) };
    let error = smtp.send(HERE, &message()).await.unwrap_err();
    assert!(error.message.contains("nobody who is trusted"), "{error}");
}

#[tokio::test]
async fn an_answer_says_whether_it_is_sent_again() {
    for (command, answer, words, retry) in [
        ("", "421 4.3.2 later", "refused with 421", Retry::After(None)),
        ("", "554 5.7.1 no", "refused with 554", Retry::Never),
        ("EHLO", "502 5.5.1 what", "refused with 502", Retry::Never),
        ("MAIL", "450 4.2.0 greylisted", "greylisted", Retry::After(None)),
        ("MAIL", "530 5.7.0 authenticate", "refused with 530", Retry::Never),
        ("RCPT", "550 5.1.1 no such user", "no such user", Retry::Never),
        ("RCPT", "451 4.3.0 try later", "try later", Retry::After(None)),
        ("DATA", "452 4.3.1 full", "full", Retry::After(None)),
        (".", "552 5.3.4 too large", "too large", Retry::Never),
        ("MAIL", "hello", "none of a mail server", Retry::After(None)),
        ("", "SSH-2.0-OpenSSH_9.2", "none of a mail server", Retry::After(None)),
    ] {
        let case = Case::new(answers(&[(command, answer)]));
        let error = case.smtp(SmtpTls::None).send(HERE, &message()).await.unwrap_err();
        assert!(error.message.contains(words), "{command} {answer}: {error}");
        assert!(error.message.starts_with("127.0.0.1:"), "{error}");
        assert_eq!(error.retry, retry, "{command} {answer}: {error}");
    }
}

#[tokio::test]
async fn what_is_said_behind_the_mail_does_not_undo_it() {
    let case = Case::new(answers(&[("QUIT", "500 5.5.1 no")]));
    case.smtp(SmtpTls::None).send(HERE, &message()).await.unwrap();
    assert_eq!(case.peer.mails().len(), 1);
}

#[tokio::test]
async fn a_password_that_is_refused_is_not_told_even_where_the_server_repeats_it() {
    let dir = tempfile::tempdir().unwrap();
    let login = login(&dir);
    for answer in ["535 5.7.8 bad password hunter2hunter2", "535 AHdhdGNoAGh1bnRlcjJodW50ZXIy"] {
        let case = Case::new(answers(&[("AUTH", answer)]));
        let smtp = Smtp { login: Some(&login), ..case.smtp(SmtpTls::None) };
        let error = smtp.send(HERE, &message()).await.unwrap_err();
        assert!(error.message.contains("refused with 535"), "{error}");
        assert!(error.fix.contains("user and password"), "{error:?}");
        let said = format!("{error:?}");
        assert!(!said.contains("hunter2") && !said.contains("AHdhdGNo"), "{said}");
        assert_eq!(error.retry, Retry::Never);
    }
    let none = Case::new(answers(&[("EHLO", "250 peer.example")]));
    let smtp = Smtp { login: Some(&login), ..none.smtp(SmtpTls::None) };
    let error = smtp.send(HERE, &message()).await.unwrap_err();
    assert!(error.fix.contains("PLAIN or LOGIN"), "{error:?}");
    assert!(!none.peer.seen().iter().any(|line| line.starts_with("MAIL")));
}

#[tokio::test]
async fn a_server_that_is_silent_or_not_there_is_tried_again() {
    let quick = Duration::from_millis(100);
    for silent in ["", "EHLO", "DATA", "."] {
        let case = Case::new(answers(&[(silent, "")]));
        let error = case.smtp(SmtpTls::None).send(quick, &message()).await.unwrap_err();
        assert!(error.message.contains("no answer within 0.1 s"), "{silent}: {error}");
        assert_eq!(error.retry, Retry::After(None));
    }
    let case = Case::new(Script::default());
    let nobody = Smtp { port: 1, ..case.smtp(SmtpTls::None) };
    let error = nobody.send(HERE, &message()).await.unwrap_err();
    assert_eq!(
        (&*error.message, error.retry),
        ("127.0.0.1:1: the connection failed", Retry::After(None))
    );
}

#[tokio::test]
async fn mail_goes_in_clear_to_this_host_alone_and_to_none_that_is_forbidden() {
    let case = Case::new(Script::default());
    let here = case.smtp(SmtpTls::None);
    for (host, tls, allow_loopback) in [
        ("127.0.0.1", SmtpTls::None, false),
        ("127.0.0.1", SmtpTls::StartTls, false),
        ("localhost", SmtpTls::Wrapped, false),
        ("10.255.255.1", SmtpTls::None, true),
        ("169.254.169.254", SmtpTls::StartTls, true),
        ("::ffff:169.254.169.254", SmtpTls::Wrapped, true),
        ("fe80::1", SmtpTls::Wrapped, true),
        ("", SmtpTls::Wrapped, true),
        ("mail.example:25", SmtpTls::None, false),
        ("evil.example/", SmtpTls::Wrapped, true),
    ] {
        let smtp = Smtp { host, tls, allow_loopback, ..case.smtp(SmtpTls::None) };
        let error = smtp.send(HERE, &message()).await.unwrap_err();
        assert_eq!(error.retry, Retry::Never, "{host}: {error}");
    }
    assert!(case.peer.seen().is_empty());
    assert!(Smtp { to: &[], ..here }.check().is_err());
}
