//! The HTTP server of the tests. What it answers, and how it misbehaves, a closure says; reading
//! requests, writing replies, threads, TLS, tunnels and counting are done here. It runs in threads
//! with blocking calls, so that a test may wait for it under any runtime, or from another process.
//!
//! The tests of the library and `tests/e2e` include this file, each with a `#[path]`.

#![allow(dead_code, reason = "each of the two that include it uses its part")]

use std::fmt;
use std::io::{self, Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::sign::{CertifiedKey, SingleCertAndKey};
use rustls::{ServerConfig, ServerConnection};

/// Longest wait for one more byte of a client or an upstream, and for room to send one.
const WAIT: Duration = Duration::from_mins(2);
/// Longest that a connection is held which gets no answer, or one without an end.
const HOLD: Duration = Duration::from_mins(10);
/// Pause between two bytes of [`Reply::Drip`].
const DRIP: Duration = Duration::from_millis(20);
/// Most bytes of one request, and most that is kept of what was none.
const MOST: usize = 64 << 20;

/// What a client asked.
#[derive(Clone, Default)]
pub struct Request {
    /// Path and query as they were sent; `host:port` where a tunnel is asked for.
    pub path: String,
    /// The request line and the headers as they were sent, with the empty line after them.
    pub head: String,
    /// The body.
    pub body: Vec<u8>,
    /// `host:port` of the tunnel in which it came; `None` outside of tunnels.
    pub tunnel: Option<String>,
}

impl fmt::Debug for Request {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.head, self.text())
    }
}

impl Request {
    /// `GET`, `PUT`, `DELETE`, `POST`, `CONNECT`.
    pub fn method(&self) -> &str {
        self.head.split(' ').next().unwrap_or_default()
    }

    /// The value of a header, by its name in any case.
    pub fn header(&self, name: &str) -> Option<&str> {
        let mut pairs = self.head.lines().skip(1).filter_map(|line| line.split_once(':'));
        pairs.find(|(n, _)| n.eq_ignore_ascii_case(name)).map(|(_, value)| value.trim())
    }

    /// The body as text.
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    /// A field of the posted form, decoded.
    pub fn field(&self, name: &str) -> Option<String> {
        let mut fields = url::form_urlencoded::parse(&self.body);
        fields.find(|(n, _)| n == name).map(|(_, value)| value.into_owned())
    }

    /// True when the body holds the bytes of `text` (CBOR keeps strings readable).
    pub fn mentions(&self, text: &str) -> bool {
        holds(&self.body, text)
    }

    /// The whole answer of another server (`http://host:port`) to the same request.
    pub fn forward(&self, upstream: &str) -> io::Result<Vec<u8>> {
        let address = upstream.trim_start_matches("http://").trim_end_matches('/');
        let mut stream = TcpStream::connect(address)?;
        stream.set_read_timeout(Some(WAIT))?;
        stream.set_write_timeout(Some(WAIT))?;
        let head = self.head.replace("\r\n\r\n", "\r\nConnection: close\r\n\r\n");
        stream.write_all(head.as_bytes())?;
        stream.write_all(&self.body)?;
        let mut whole = Vec::new();
        stream.read_to_end(&mut whole)?;
        Ok(whole)
    }
}

fn holds(bytes: &[u8], text: &str) -> bool {
    bytes.windows(text.len()).any(|window| window == text.as_bytes())
}

/// What the server does with a request.
#[derive(Clone)]
pub enum Reply {
    /// A whole answer: status, content type, further header lines, body.
    Whole(u16, &'static str, String, Vec<u8>),
    /// The first half of the answer with this body; the connection ends there.
    Half(Vec<u8>),
    /// These bytes as they are; the connection ends after them.
    Raw(Vec<u8>),
    /// Nothing, until the client gives up.
    Silence,
    /// These bytes, then this one now and then, until the client gives up.
    Drip(&'static [u8], u8),
    /// The connection ends.
    Close,
    /// The tunnel that was asked for is opened. At its other end answers this server too, with TLS.
    Tunnel(Arc<ServerConfig>),
}

impl Reply {
    /// A whole answer without further headers.
    pub fn new(status: u16, kind: &'static str, body: impl AsRef<[u8]>) -> Self {
        Self::Whole(status, kind, String::new(), body.as_ref().to_vec())
    }

    /// JSON with status 200.
    pub fn json(body: impl AsRef<[u8]>) -> Self {
        Self::new(200, "application/json", body)
    }
}

/// How the server talks on its connections.
#[derive(Clone, Default)]
pub enum Mode {
    /// One request each.
    #[default]
    Once,
    /// Any number of requests each.
    Keep,
    /// One request each, with TLS.
    Tls(Arc<ServerConfig>),
    /// It replies before it is asked anything, once; what comes then is read and is no request.
    Deaf,
}

/// A server on a port of its own, until it is dropped.
pub struct Server {
    /// `http://127.0.0.1:port`.
    pub url: String,
    shared: Arc<Shared>,
}

impl Drop for Server {
    fn drop(&mut self) {
        self.shared.ended.store(true, SeqCst);
        // The thread that accepts connections waits for one.
        let _woken = TcpStream::connect(self.address());
    }
}

impl Server {
    /// Answers every request as `answer` says; the number counts requests from 0.
    pub fn start(answer: impl Fn(usize, &Request) -> Reply + Send + Sync + 'static) -> Self {
        Self::start_as(Mode::Once, answer)
    }

    /// The same in this mode.
    pub fn start_as(
        mode: Mode,
        answer: impl Fn(usize, &Request) -> Reply + Send + Sync + 'static,
    ) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let shared = Arc::new(Shared {
            mode,
            answer: Box::new(answer),
            ended: AtomicBool::new(false),
            connections: AtomicUsize::new(0),
            answering: AtomicUsize::new(0),
            peak: AtomicUsize::new(0),
            seen: Mutex::default(),
            others: Mutex::default(),
        });
        let accepts = shared.clone();
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                if accepts.ended.load(SeqCst) {
                    return;
                }
                accepts.connections.fetch_add(1, SeqCst);
                let serves = accepts.clone();
                // The client may be gone before the answer; that is its right.
                std::thread::spawn(move || serves.serve(stream).is_ok());
            }
        });
        Self { url, shared }
    }

    /// Lets it run until the process ends, and gives its address.
    pub fn forever(self) -> String {
        let url = self.url.clone();
        std::mem::forget(self);
        url
    }

    /// `127.0.0.1:port`.
    pub fn address(&self) -> &str {
        self.url.trim_start_matches("http://")
    }

    /// Its port.
    pub fn port(&self) -> u16 {
        self.address().rsplit(':').next().unwrap().parse().unwrap()
    }

    /// Connections so far.
    pub fn connections(&self) -> usize {
        self.shared.connections.load(SeqCst)
    }

    /// Requests so far.
    pub fn requests(&self) -> usize {
        self.shared.seen.lock().unwrap().len()
    }

    /// Most requests that `answer` had before it at once.
    pub fn peak(&self) -> usize {
        self.shared.peak.load(SeqCst)
    }

    /// The requests so far, in order.
    pub fn seen(&self) -> Vec<Arc<Request>> {
        self.shared.seen.lock().unwrap().clone()
    }

    /// True when a client sent this text in a form that could be read, in a request or not.
    pub fn received(&self, text: &str) -> bool {
        holds(&self.shared.others.lock().unwrap(), text)
            || self.seen().iter().any(|r| r.head.contains(text) || r.mentions(text))
    }
}

/// What can be read and written: a connection, or TLS over one.
trait Duplex: Read + Write {}

impl<T: Read + Write> Duplex for T {}

/// What a request, by its number and itself, is answered.
type Answer = dyn Fn(usize, &Request) -> Reply + Send + Sync;

/// What the threads of a server share.
struct Shared {
    mode: Mode,
    answer: Box<Answer>,
    ended: AtomicBool,
    connections: AtomicUsize,
    answering: AtomicUsize,
    peak: AtomicUsize,
    seen: Mutex<Vec<Arc<Request>>>,
    /// What was read and is in no request.
    others: Mutex<Vec<u8>>,
}

impl Shared {
    fn serve(&self, mut stream: TcpStream) -> io::Result<()> {
        stream.set_read_timeout(Some(WAIT))?;
        stream.set_write_timeout(Some(WAIT))?;
        match &self.mode {
            Mode::Once | Mode::Keep => self.talk(&mut stream, None),
            Mode::Tls(config) => self.talk_tls(&mut stream, config, None),
            Mode::Deaf => {
                self.send(&mut stream, (self.answer)(0, &Request::default()))?;
                stream.shutdown(Shutdown::Write)?;
                self.hold(&mut stream)
            }
        }
    }

    /// Answers the requests of a connection.
    fn talk(&self, stream: &mut dyn Duplex, tunnel: Option<&str>) -> io::Result<()> {
        while let Some(request) = self.read(stream, tunnel) {
            let request = Arc::new(request);
            let number = {
                let mut seen = self.seen.lock().unwrap();
                seen.push(request.clone());
                seen.len() - 1
            };
            self.peak.fetch_max(self.answering.fetch_add(1, SeqCst) + 1, SeqCst);
            let reply = (self.answer)(number, &request);
            self.answering.fetch_sub(1, SeqCst);
            if let Reply::Tunnel(config) = reply {
                stream.write_all(b"HTTP/1.1 200 Connection established\r\n\r\n")?;
                return self.talk_tls(stream, &config, Some(&request.path));
            }
            let goes_on = matches!((&self.mode, &reply), (Mode::Keep, Reply::Whole(..)));
            self.send(stream, reply)?;
            if !goes_on {
                break;
            }
        }
        Ok(())
    }

    fn talk_tls(
        &self,
        mut stream: &mut dyn Duplex,
        config: &Arc<ServerConfig>,
        tunnel: Option<&str>,
    ) -> io::Result<()> {
        let mut connection = ServerConnection::new(config.clone()).map_err(io::Error::other)?;
        let mut inside = rustls::Stream::new(&mut connection, &mut stream);
        self.talk(&mut inside, tunnel)?;
        inside.conn.send_close_notify();
        inside.flush()
    }

    /// The next request; `None` when the client went away or sent what is none.
    fn read(&self, stream: &mut dyn Duplex, tunnel: Option<&str>) -> Option<Request> {
        let (mut bytes, mut part) = (Vec::new(), [0; 8192]);
        while bytes.len() < MOST {
            match stream.read(&mut part) {
                Ok(n @ 1..) => bytes.extend_from_slice(&part[..n]),
                // A signal, of a child of the test perhaps.
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Ok(0) | Err(_) => break,
            }
            if let Some(request) = parse(&bytes, tunnel) {
                return Some(request);
            }
        }
        self.keep(&bytes);
        None
    }

    fn send(&self, stream: &mut dyn Duplex, reply: Reply) -> io::Result<()> {
        let close = if matches!(self.mode, Mode::Keep) { "" } else { "connection: close\r\n" };
        let head = |status: u16, kind: &str, more: &str, length: usize| {
            format!(
                "HTTP/1.1 {status} X\r\ncontent-type: {kind}\r\n{more}content-length: {length}\r\n\
                 {close}\r\n"
            )
            .into_bytes()
        };
        match reply {
            Reply::Whole(status, kind, more, body) => {
                stream.write_all(&[head(status, kind, &more, body.len()), body].concat())
            }
            Reply::Half(body) => {
                let half = body[..body.len() / 2].to_vec();
                stream.write_all(&[head(200, "text/xml", "", body.len()), half].concat())
            }
            Reply::Raw(bytes) => stream.write_all(&bytes),
            Reply::Silence => self.hold(stream),
            Reply::Drip(first, byte) => {
                stream.write_all(first)?;
                let until = Instant::now() + HOLD;
                while Instant::now() < until {
                    stream.write_all(&[byte])?;
                    std::thread::sleep(DRIP);
                }
                Ok(())
            }
            Reply::Close => Ok(()),
            Reply::Tunnel(_) => Err(io::Error::other("a tunnel that nobody asked for")),
        }
    }

    /// Reads on until the client goes away.
    fn hold(&self, stream: &mut dyn Duplex) -> io::Result<()> {
        use io::ErrorKind::{Interrupted, TimedOut, WouldBlock};

        let mut part = [0; 8192];
        let until = Instant::now() + HOLD;
        while Instant::now() < until {
            match stream.read(&mut part) {
                Ok(0) => break,
                Ok(n) => self.keep(&part[..n]),
                Err(e) if matches!(e.kind(), Interrupted | TimedOut | WouldBlock) => {}
                Err(e) => return Err(e),
            }
        }
        Ok(())
    }

    fn keep(&self, bytes: &[u8]) {
        let mut others = self.others.lock().unwrap();
        if others.len() < MOST {
            others.extend_from_slice(bytes);
        }
    }
}

/// The request that these bytes begin with; `None` when it is not there as a whole.
fn parse(bytes: &[u8], tunnel: Option<&str>) -> Option<Request> {
    let end = bytes.windows(4).position(|window| window == b"\r\n\r\n")? + 4;
    let head = String::from_utf8_lossy(&bytes[..end]).into_owned();
    let path = head.split(' ').nth(1)?.to_owned();
    let tunnel = tunnel.map(str::to_owned);
    let mut request = Request { path, head, body: Vec::new(), tunnel };
    let length = request.header("content-length").map_or(0, |n| n.parse().unwrap());
    request.body = bytes[end..].get(..length)?.to_vec();
    Some(request)
}

/// A file of `tests/data/tls`.
pub fn tls_file(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/tls").join(name)
}

/// TLS that shows a certificate of `tests/data/tls`.
pub fn certificate(name: &str) -> Arc<ServerConfig> {
    shows(CertificateDer::from_pem_file(tls_file(name)).unwrap())
}

/// TLS that shows these bytes as its certificate, whatever they are, with the key `server.key`.
pub fn shows(certificate: CertificateDer<'static>) -> Arc<ServerConfig> {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let key = PrivateKeyDer::from_pem_file(tls_file("server.key")).unwrap();
    let key = provider.key_provider.load_private_key(key).unwrap();
    let shown = CertifiedKey::new(vec![certificate], key);
    let config = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_cert_resolver(Arc::new(SingleCertAndKey::from(shown)));
    Arc::new(config)
}
