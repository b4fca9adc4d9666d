//! Servers with certificates that are not good, and one with one that is.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::server::{ClientHello, ResolvesServerCert};
use rustls::sign::CertifiedKey;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

use super::*;

const TOKEN: &str = "a-token-that-nobody-may-see";
const ANSWER: &[u8] = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}";

fn data(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/tls").join(name)
}

/// Shows these bytes as its certificate, whatever they are.
#[derive(Debug)]
struct Shows(Arc<CertifiedKey>);

impl ResolvesServerCert for Shows {
    fn resolve(&self, _: ClientHello<'_>) -> Option<Arc<CertifiedKey>> {
        Some(self.0.clone())
    }
}

/// What a server does with a connection.
#[derive(Clone)]
enum Does {
    /// TLS with this certificate, then an answer.
    Tls(Arc<rustls::ServerConfig>),
    /// Sends these bytes, whatever it is told, and closes.
    Bytes(Vec<u8>),
    /// Takes the connection and says nothing.
    Hangs,
    /// Says that a message of TLS comes, and gives a byte of it now and then.
    Drips,
}

fn tls(certificate: Vec<u8>) -> Does {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let key = PrivateKeyDer::from_pem_file(data("server.key")).unwrap();
    let key = provider.key_provider.load_private_key(key).unwrap();
    let shown = CertifiedKey::new(vec![CertificateDer::from(certificate)], key);
    let config = rustls::ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_cert_resolver(Arc::new(Shows(Arc::new(shown))));
    Does::Tls(Arc::new(config))
}

fn certificate(name: &str) -> Does {
    tls(CertificateDer::from_pem_file(data(name)).unwrap().to_vec())
}

/// A server on a port of its own, and all that it could read of its clients.
struct Server {
    url: String,
    read: Arc<Mutex<Vec<u8>>>,
    task: tokio::task::JoinHandle<()>,
}

impl Drop for Server {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl Server {
    async fn start(does: Does) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("https://{}/", listener.local_addr().unwrap());
        let read = Arc::<Mutex<Vec<u8>>>::default();
        let seen = read.clone();
        let task = tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let (does, seen) = (does.clone(), seen.clone());
                tokio::spawn(async move {
                    let _ = serve(stream, does, &seen).await;
                });
            }
        });
        Self { url, read, task }
    }

    /// True when the token came here in any form that could be read.
    fn has_token(&self) -> bool {
        let read = self.read.lock().unwrap();
        memchr::memmem::find(&read, TOKEN.as_bytes()).is_some()
    }
}

async fn serve(mut stream: TcpStream, does: Does, seen: &Mutex<Vec<u8>>) -> std::io::Result<()> {
    let mut part = [0; 4_096];
    match does {
        Does::Tls(config) => {
            let mut tls = rustls::ServerConnection::new(config).map_err(std::io::Error::other)?;
            loop {
                while tls.wants_write() {
                    let mut out = Vec::new();
                    tls.write_tls(&mut out)?;
                    stream.write_all(&out).await?;
                }
                let n = stream.read(&mut part).await?;
                if n == 0 {
                    return Ok(());
                }
                let mut new = &part[..n];
                while !new.is_empty() {
                    tls.read_tls(&mut new)?;
                    let state = tls.process_new_packets();
                    let state = state.map_err(std::io::Error::other)?;
                    let mut plain = vec![0; state.plaintext_bytes_to_read()];
                    std::io::Read::read_exact(&mut tls.reader(), &mut plain)?;
                    seen.lock().unwrap().extend(plain);
                }
                if memchr::memmem::find(&seen.lock().unwrap(), b"\r\n\r\n").is_some() {
                    std::io::Write::write_all(&mut tls.writer(), ANSWER)?;
                    tls.send_close_notify();
                }
            }
        }
        Does::Bytes(bytes) => {
            stream.write_all(&bytes).await?;
            stream.shutdown().await?;
            loop {
                match stream.read(&mut part).await? {
                    0 => return Ok(()),
                    n => seen.lock().unwrap().extend(&part[..n]),
                }
            }
        }
        Does::Hangs => {
            while stream.read(&mut part).await? > 0 {}
            Ok(())
        }
        Does::Drips => {
            // A message of the handshake, 16,000 bytes long.
            stream.write_all(&[0x16, 3, 3, 0x3e, 0x80]).await?;
            loop {
                stream.write_all(&[2]).await?;
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
        }
    }
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
    let server = Server::start(certificate("good.pem")).await;
    let answer = client(Some(data("ca.pem"))).get("test:get", &server.url, LIMIT).await.unwrap();
    assert_eq!((answer.status, &answer.body[..]), (200, &b"{}"[..]));
    assert!(server.has_token());
}

mod hostile {
    use super::*;

    /// What the server does, the authority that is trusted, words of the message, words of the fix.
    type Case = (&'static str, Does, &'static str, &'static str, &'static str);

    fn cases() -> Vec<Case> {
        let named = |name: &'static str, what, fix| (name, certificate(name), "ca.pem", what, fix);
        let garbage = (0..900_u32).map(|i| (i * 7 % 251) as u8).collect::<Vec<_>>();
        let mut cut = CertificateDer::from_pem_file(data("good.pem")).unwrap().to_vec();
        cut.truncate(cut.len() / 2);
        let speaks = "does not speak TLS";
        let bytes =
            |name, bytes: &[u8], what| (name, Does::Bytes(bytes.to_vec()), "ca.pem", what, "");
        vec![
            named("expired.pem", "has expired", "renew the certificate"),
            named("not-yet.pem", "not valid yet", "clock"),
            named("other-host.pem", "for another name", "alternative names"),
            named("name-only.pem", "for another name", "common name alone does not count"),
            named("stranger.pem", "nobody who is trusted", "ca_file"),
            named("self-signed.pem", "nobody who is trusted", "ca_file"),
            named("client-only.pem", "none of a server", "serverAuth"),
            ("weak", certificate("weak.pem"), "weak-ca.pem", "not accepted", "today's length"),
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
        for (name, does, ca, what, fix) in cases {
            let server = Server::start(does).await;
            let asked = client(Some(data(ca))).get("test:get", &server.url, LIMIT).await;
            let error = asked.expect_err(name);
            assert_eq!(error.kind, ErrorKind::Network, "{name}: {error:?}");
            assert!(error.message.contains(what) && error.fix.contains(fix), "{name}: {error:?}");
            assert!(!server.has_token(), "{name}");
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
            let server = Server::start(certificate(name)).await;
            let error = client(None).get("test:get", &server.url, LIMIT).await.unwrap_err();
            assert!(!server.has_token(), "{name}: {error:?}");
            assert!(error.message.contains("TLS") || error.fix.contains("ca_file"), "{error:?}");
            number += 1;
        }
        println!("hostile: tls without ca_file: {number} inputs");
        assert_eq!(number, 4);
    }

    #[tokio::test]
    async fn a_handshake_that_hangs_or_drips_ends_with_its_time() {
        for does in [Does::Hangs, Does::Drips] {
            for (connect, time) in [(200, 60_000), (60_000, 200)] {
                let server = Server::start(does.clone()).await;
                let http = Http::new(HttpSettings {
                    connect: Duration::from_millis(connect),
                    ca_file: Some(data("ca.pem")),
                    auth: Auth::Bearer(Secret::new(TOKEN)),
                    proxy: false,
                    ..HttpSettings::default()
                })
                .unwrap();
                let limit = Limit { time: Duration::from_millis(time), ..LIMIT };
                let error = http.get("test:get", &server.url, limit).await.unwrap_err();
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
        let pem = std::fs::read(data("ca.pem")).unwrap();
        let files = [
            dir.path().join("absent"),
            dir.path().to_owned(),
            put("empty", b""),
            put("noise", &[0xff; 500]),
            put("text", b"this is my certificate"),
            put("key", &std::fs::read(data("server.key")).unwrap()),
            put("half", &pem[..pem.len() / 2]),
            put("inside", b"-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"),
            PathBuf::from("/dev/zero"),
            PathBuf::from("/dev/null"),
        ];
        let number = files.len();
        let server = Server::start(certificate("good.pem")).await;
        for file in files {
            let shown = file.display().to_string();
            let error = client(Some(file)).get("test:get", &server.url, LIMIT).await.unwrap_err();
            assert!(error.fix.contains("ca_file"), "{shown}: {error:?}");
            assert!(!server.has_token(), "{shown}");
        }
        assert_eq!(number, 10);
        println!("hostile: ca_file: {number} inputs");
    }
}
