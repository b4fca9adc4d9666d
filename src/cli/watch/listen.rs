//! Metrics over HTTP: `GET /metrics` for Prometheus, `GET /healthz` for whoever starts the watch anew when it hangs.
//!
//! A small HTTP/1.1 server with hard limits: whoever can connect can neither hold it up nor make it grow. It knows no
//! TLS and no passwords: it is for the loopback, or for a network in which all may read what it says.

mod request;
mod response;

use std::future::Future;
use std::net::{IpAddr, SocketAddr};
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep, timeout, timeout_at};

use request::{Head, Refused};
use response::Response;

/// What is served: the page of the last round.
#[derive(Clone, Debug)]
pub struct Snapshot {
    /// The page in the text format of Prometheus.
    pub page: Arc<str>,
    /// When its round ended; before the end of the first one, when the watch began.
    pub since: Instant,
    /// Time between two rounds.
    pub every: Duration,
}

/// Rounds that may fail to appear before the watch counts as hung.
const MISSED: u32 = 3;

impl Snapshot {
    /// True while the last round is younger than three intervals.
    fn is_fresh(&self, now: Instant) -> bool {
        now.saturating_duration_since(self.since) < self.every * MISSED
    }
}

/// What others may take of the server.
#[derive(Clone, Copy, Debug)]
struct Limits {
    /// Connections at once; further ones wait to be accepted.
    connections: usize,
    /// How long a request may take to arrive, from its first byte.
    request: Duration,
    /// How long an answer may take to be taken.
    answer: Duration,
    /// How long a connection is kept for further requests, from its beginning.
    kept: Duration,
}

const LIMITS: Limits = Limits {
    connections: 32,
    request: Duration::from_secs(5),
    answer: Duration::from_secs(10),
    kept: Duration::from_secs(30),
};

/// Pause after a failure to accept, as when no file descriptor is left.
const PAUSE: Duration = Duration::from_millis(100);

/// Bytes read at once, and most that are thrown away after an answer.
const CHUNK: usize = 4096;
const MOST_DRAINED: usize = 64 << 10;

/// Where to listen. Fails where the address is not of this machine, is taken, or may not be used.
pub async fn bind(address: SocketAddr) -> std::io::Result<TcpListener> {
    TcpListener::bind(address).await
}

/// What the user should know of an address that others can reach; `None` for the loopback.
pub fn warning(address: SocketAddr) -> Option<String> {
    let who = match address.ip() {
        ip if ip.is_loopback() => return None,
        IpAddr::V4(ip) if ip.is_unspecified() => "every network of this machine".to_owned(),
        IpAddr::V6(ip) if ip.is_unspecified() => "every network of this machine".to_owned(),
        ip => format!("the network of {ip}"),
    };
    Some(format!(
        "--listen {address} answers {who}, without TLS and without a password: whoever reaches it reads account ids, names \
         of teams and dollars; use 127.0.0.1, or let a firewall or a NetworkPolicy admit Prometheus alone"
    ))
}

/// Answers with the newest snapshot until `shutdown` is done; connections end with it.
pub async fn serve(
    listener: TcpListener,
    rx: watch::Receiver<Snapshot>,
    shutdown: impl Future<Output = ()>,
) {
    serve_within(listener, rx, shutdown, LIMITS).await;
}

async fn serve_within(
    listener: TcpListener,
    rx: watch::Receiver<Snapshot>,
    shutdown: impl Future<Output = ()>,
    limits: Limits,
) {
    let mut shutdown = pin!(shutdown);
    let is_local = listener.local_addr().is_ok_and(|address| address.ip().is_loopback());
    // Held once by each connection, and counted by that.
    let open = Arc::new(());
    // Dropped at the end, and with it all connections.
    let mut connections = JoinSet::new();
    loop {
        tokio::select! {
            biased;
            () = &mut shutdown => return,
            Some(_) = connections.join_next(), if !connections.is_empty() => {}
            accepted = listener.accept(), if connections.len() < limits.connections => match accepted {
                Ok((stream, _)) => {
                    let (rx, open) = (rx.clone(), open.clone());
                    connections.spawn(Connection { stream, rx, limits, is_local, open }.run());
                }
                Err(_) => sleep(PAUSE).await,
            },
        }
    }
}

struct Connection {
    stream: TcpStream,
    rx: watch::Receiver<Snapshot>,
    limits: Limits,
    /// True where the server listens on the loopback alone.
    is_local: bool,
    open: Arc<()>,
}

impl Connection {
    /// True while at most half of the connections that there may be are open: those that only wait for a further request
    /// take no room from others.
    fn has_room(&self) -> bool {
        let open = Arc::strong_count(&self.open) - 1;
        open <= self.limits.connections / 2
    }

    /// Answers requests, one after the other, until the client or a limit ends it.
    async fn run(mut self) {
        let end = Instant::now() + self.limits.kept;
        let mut buffer = Vec::with_capacity(CHUNK);
        let mut is_first = true;
        loop {
            let wait = if is_first { Instant::now() + self.limits.request } else { end };
            is_first = false;
            if buffer.is_empty()
                && !matches!(timeout_at(wait, self.more(&mut buffer)).await, Ok(true))
            {
                return;
            }
            let head = timeout(self.limits.request, self.head(&mut buffer)).await;
            let head = head.unwrap_or(Some(Err(Refused::Slow)));
            let Some(head) = head else { return };
            let may_stay = head.as_ref().is_ok_and(|head| head.may_stay);
            let stays = may_stay && self.has_room() && Instant::now() < end;
            // Cloned, so that nothing is held while the answer is on its way.
            let snapshot = self.rx.borrow().clone();
            let response = Response::to(&head, &snapshot, Instant::now(), self.is_local);
            let bytes = response.bytes(stays);
            let sent = timeout(self.limits.answer, self.stream.write_all(&bytes)).await;
            if !matches!(sent, Ok(Ok(()))) {
                return;
            }
            if !stays {
                let _ = timeout(self.limits.request, self.drain()).await;
                return;
            }
        }
    }

    /// Reads what is there; false at the end.
    async fn more(&mut self, buffer: &mut Vec<u8>) -> bool {
        let mut chunk = [0; CHUNK];
        match self.stream.read(&mut chunk).await {
            Ok(0) | Err(_) => false,
            Ok(n) => {
                buffer.extend_from_slice(&chunk[..n]);
                true
            }
        }
    }

    /// The next request, whose bytes leave the buffer; `None` where the client goes away in its middle.
    async fn head(&mut self, buffer: &mut Vec<u8>) -> Option<Result<Head, Refused>> {
        loop {
            match request::parse(buffer) {
                Ok(Some((head, length))) => {
                    buffer.drain(..length);
                    return Some(Ok(head));
                }
                Ok(None) => {}
                Err(refused) => return Some(Err(refused)),
            }
            if !self.more(buffer).await {
                return None;
            }
        }
    }

    /// Lets the client read the answer before the connection goes: bytes that nobody read would have it reset.
    async fn drain(&mut self) {
        if self.stream.shutdown().await.is_err() {
            return;
        }
        let (mut chunk, mut drained) = ([0; CHUNK], 0);
        while drained < MOST_DRAINED {
            match self.stream.read(&mut chunk).await {
                Ok(0) | Err(_) => return,
                Ok(n) => drained += n,
            }
        }
    }
}

#[cfg(test)]
mod tests;
