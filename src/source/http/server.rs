//! A server for tests that says what it is told to, byte by byte.

use std::sync::{Arc, Mutex};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

/// What the server does with a request.
pub enum Reply {
    /// Sends these bytes and closes.
    Raw(Vec<u8>),
    /// Never answers.
    Silence,
}

impl Reply {
    /// A whole answer.
    pub fn new(status: u16, content_type: &str, body: impl AsRef<[u8]>) -> Self {
        let body = body.as_ref();
        let mut raw = format!(
            "HTTP/1.1 {status} X\r\nContent-Type: {content_type}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n",
            body.len()
        )
        .into_bytes();
        raw.extend_from_slice(body);
        Self::Raw(raw)
    }

    /// JSON with status 200.
    pub fn json(body: impl AsRef<[u8]>) -> Self {
        Self::new(200, "application/json", body)
    }
}

/// A request as it came in.
#[derive(Clone, Debug)]
pub struct Seen {
    /// `POST /api/v1/query HTTP/1.1`.
    pub line: String,
    /// Header lines.
    pub head: String,
    /// The body.
    pub body: String,
}

impl Seen {
    /// The value of a header, by its lower-case name.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.head.lines().find_map(|line| {
            let (n, v) = line.split_once(':')?;
            n.eq_ignore_ascii_case(name).then_some(v.trim())
        })
    }

    /// A field of the posted form, decoded.
    pub fn field(&self, name: &str) -> Option<String> {
        let url = reqwest::Url::parse(&format!("http://x/?{}", self.body)).ok()?;
        url.query_pairs().find(|(n, _)| n == name).map(|(_, v)| v.into_owned())
    }
}

/// A server on a port of its own, until it is dropped.
pub struct Server {
    /// `http://127.0.0.1:port`.
    pub url: String,
    seen: Arc<Mutex<Vec<Seen>>>,
    task: tokio::task::JoinHandle<()>,
}

impl Drop for Server {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl Server {
    /// Starts one that answers each request as `answer` says.
    pub async fn start(answer: impl Fn(&Seen) -> Reply + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let seen = Arc::new(Mutex::new(Vec::new()));
        let (log, answer) = (Arc::clone(&seen), Arc::new(answer));
        let task = tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let (log, answer) = (Arc::clone(&log), Arc::clone(&answer));
                tokio::spawn(async move {
                    let _ = serve(stream, &log, &*answer).await;
                });
            }
        });
        Self { url, seen, task }
    }

    /// The requests so far.
    pub fn seen(&self) -> Vec<Seen> {
        self.seen.lock().unwrap().clone()
    }
}

async fn serve(
    mut stream: TcpStream,
    log: &Mutex<Vec<Seen>>,
    answer: &(impl Fn(&Seen) -> Reply + Send + Sync),
) -> std::io::Result<()> {
    let mut text = Vec::new();
    let mut part = [0; 8192];
    let request = loop {
        if let Some(request) = parse(&text) {
            break request;
        }
        match stream.read(&mut part).await? {
            0 => return Ok(()),
            n => text.extend_from_slice(&part[..n]),
        }
    };
    let reply = answer(&request);
    log.lock().unwrap().push(request);
    match reply {
        Reply::Raw(bytes) => {
            stream.write_all(&bytes).await?;
            stream.shutdown().await
        }
        Reply::Silence => {
            // Until the other side gives up.
            while stream.read(&mut part).await? > 0 {}
            Ok(())
        }
    }
}

fn parse(text: &[u8]) -> Option<Seen> {
    let text = std::str::from_utf8(text).ok()?;
    let (head, body) = text.split_once("\r\n\r\n")?;
    let (line, head) = head.split_once("\r\n")?;
    let seen = Seen { line: line.into(), head: head.into(), body: body.into() };
    let length = seen.header("content-length").map_or(0, |n| n.parse().unwrap());
    (body.len() >= length).then_some(seen)
}
