//! Servers with certificates that are not good, and one with one that is.

use std::path::PathBuf;

use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;

use super::*;
use crate::source::server::{Mode, Reply, Server, certificate, shows, tls_file};

const TOKEN: &str = "a-token-that-nobody-may-see";
const ANSWER: &[u8] = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}";

/// TLS with this certificate, then an answer.
fn tls(certificate: Vec<u8>) -> Server {
    start(Mode::Tls(shows(certificate.into())), Reply::Raw(ANSWER.to_vec()))
}

/// The same with a certificate of a file.
fn named(name: &str) -> Server {
    start(Mode::Tls(certificate(name)), Reply::Raw(ANSWER.to_vec()))
}

/// A server that says this whatever it is told.
fn deaf(reply: Reply) -> Server {
    start(Mode::Deaf, reply)
}

fn start(mode: Mode, reply: Reply) -> Server {
    Server::start_as(mode, move |_, _| reply.clone())
}

async fn get(http: Http, server: &Server, limit: Limit) -> Result<Answer, SourceError> {
    http.get("test:get", &format!("https://{}/", server.address()), limit).await
}

fn client(ca: Option<PathBuf>) -> Http {
    Http::new(HttpSettings {
        auth: Auth::Bearer(Secret::new(TOKEN)),
        ca_file: ca,
        proxy: false,
        connect: Duration::from_secs(20),
        ..HttpSettings::default()
    })
    .unwrap()
}

const LIMIT: Limit = Limit { bytes: 1 << 16, time: Duration::from_mins(1) };

#[tokio::test]
async fn a_good_certificate_of_a_named_authority_is_trusted_and_gets_the_token() {
    let server = named("good.pem");
    let answer = get(client(Some(tls_file("ca.pem"))), &server, LIMIT).await.unwrap();
    assert_eq!((answer.status, &answer.body[..]), (200, &b"{}"[..]));
    assert!(server.received(TOKEN));
}

mod hostile {
    use super::*;

    /// The server, the authority that is trusted, words of the message, words of the fix.
    type Case = (&'static str, Server, &'static str, &'static str, &'static str);

    fn cases() -> Vec<Case> {
        let shown = |name: &'static str, what, fix| (name, named(name), "ca.pem", what, fix);
        let garbage = (0..900_u32).map(|i| (i * 7 % 251) as u8).collect::<Vec<_>>();
        let mut cut = CertificateDer::from_pem_file(tls_file("good.pem")).unwrap().to_vec();
        cut.truncate(cut.len() / 2);
        let speaks = "does not speak TLS";
        let bytes =
            |name, bytes: &[u8], what| (name, deaf(Reply::Raw(bytes.into())), "ca.pem", what, "");
        vec![
            shown("expired.pem", "has expired", "renew the certificate"),
            shown("not-yet.pem", "not valid yet", "clock"),
            shown("other-host.pem", "for another name", "alternative names"),
            shown("name-only.pem", "for another name", "common name alone does not count"),
            shown("stranger.pem", "nobody who is trusted", "ca_file"),
            shown("self-signed.pem", "nobody who is trusted", "ca_file"),
            shown("client-only.pem", "none of a server", "serverAuth"),
            ("weak", named("weak.pem"), "weak-ca.pem", "not accepted", "today's length"),
            ("garbage", tls(garbage.clone()), "ca.pem", "not accepted", ""),
            ("cut", tls(cut), "ca.pem", "not accepted", ""),
            ("empty", tls(Vec::new()), "ca.pem", "", ""),
            bytes("plain http", ANSWER, speaks),
            bytes("a greeting of ssh", b"SSH-2.0-OpenSSH_9.2\r\n", speaks),
            bytes("noise", &garbage, speaks),
            bytes("an alert", &[0x15, 3, 1, 0, 2, 2, 70], "agree on no TLS"),
            bytes("nothing", b"", ""),
            bytes("half a message", &[0x16, 3, 3, 1, 0, 2], ""),
        ]
    }

    #[tokio::test]
    async fn no_bad_server_gets_a_token_or_passes_and_each_is_named() {
        let cases = cases();
        let number = cases.len();
        for (name, server, ca, what, fix) in cases {
            let asked = get(client(Some(tls_file(ca))), &server, LIMIT).await;
            let error = asked.expect_err(name);
            assert_eq!(error.kind, ErrorKind::Network, "{name}: {error:?}");
            assert!(error.message.contains(what) && error.fix.contains(fix), "{name}: {error:?}");
            assert!(!server.received(TOKEN), "{name}");
            assert!(!format!("{error:?}").contains(TOKEN), "{name}");
        }
        assert_eq!(number, 17);
        println!("hostile: tls: {number} inputs");
    }

    /// Without a file of authorities the system's are asked, none of which knows the test's.
    #[tokio::test]
    async fn what_is_signed_by_nobody_known_is_refused_without_a_ca_file_too() {
        let mut number = 0;
        for name in ["good.pem", "self-signed.pem", "expired.pem", "other-host.pem"] {
            let server = named(name);
            let error = get(client(None), &server, LIMIT).await.unwrap_err();
            assert!(!server.received(TOKEN), "{name}: {error:?}");
            assert!(error.message.contains("TLS") || error.fix.contains("ca_file"), "{error:?}");
            number += 1;
        }
        println!("hostile: tls without ca_file: {number} inputs");
        assert_eq!(number, 4);
    }

    #[tokio::test]
    async fn a_handshake_that_hangs_or_drips_ends_with_its_time() {
        // A message of the handshake, 16,000 bytes long.
        let drips = Reply::Drip(&[0x16, 3, 3, 0x3e, 0x80], 2);
        for does in [Reply::Silence, drips] {
            for (connect, time) in [(200, 60_000), (60_000, 200)] {
                let server = deaf(does.clone());
                let http = Http::new(HttpSettings {
                    connect: Duration::from_millis(connect),
                    ca_file: Some(tls_file("ca.pem")),
                    auth: Auth::Bearer(Secret::new(TOKEN)),
                    proxy: false,
                    ..HttpSettings::default()
                })
                .unwrap();
                let limit = Limit { time: Duration::from_millis(time), ..LIMIT };
                let error = get(http, &server, limit).await.unwrap_err();
                assert_eq!(error.kind, ErrorKind::Timeout, "{error:?}");
            }
        }
        println!("hostile: tls that hangs: 4 inputs");
    }

    /// A file of authorities that is none is an error, and the system's are not taken in its place.
    #[tokio::test]
    async fn a_ca_file_that_is_none_trusts_nobody() {
        let dir = tempfile::tempdir().unwrap();
        let put = |name: &str, bytes: &[u8]| {
            std::fs::write(dir.path().join(name), bytes).unwrap();
            dir.path().join(name)
        };
        let pem = std::fs::read(tls_file("ca.pem")).unwrap();
        let files = [
            dir.path().join("absent"),
            dir.path().to_owned(),
            put("empty", b""),
            put("noise", &[0xff; 500]),
            put("text", b"this is my certificate"),
            put("key", &std::fs::read(tls_file("server.key")).unwrap()),
            put("half", &pem[..pem.len() / 2]),
            put("inside", b"-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"),
            PathBuf::from("/dev/zero"),
            PathBuf::from("/dev/null"),
        ];
        let number = files.len();
        let server = named("good.pem");
        for file in files {
            let shown = file.display().to_string();
            let error = get(client(Some(file)), &server, LIMIT).await.unwrap_err();
            assert!(error.fix.contains("ca_file"), "{shown}: {error:?}");
            assert!(!server.received(TOKEN), "{shown}");
        }
        assert_eq!(number, 10);
        println!("hostile: ca_file: {number} inputs");
    }
}
