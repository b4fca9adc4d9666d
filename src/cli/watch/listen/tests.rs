//! Over real sockets.

use std::net::Ipv4Addr;

use tokio::sync::oneshot;

use super::*;

const LONG: Duration = Duration::from_mins(10);

/// Limits that no test reaches by waiting.
const PATIENT: Limits = Limits { connections: 8, request: LONG, answer: LONG, kept: LONG };

struct Server {
    address: SocketAddr,
    pages: watch::Sender<Snapshot>,
    stop: oneshot::Sender<()>,
    ended: tokio::task::JoinHandle<()>,
}

async fn start(limits: Limits) -> Server {
    let listener = bind((Ipv4Addr::LOCALHOST, 0).into()).await.unwrap();
    let address = listener.local_addr().unwrap();
    let snapshot = Snapshot { page: "a 1\n".into(), since: Instant::now(), every: LONG };
    let (pages, rx) = watch::channel(snapshot);
    let (stop, stopped) = oneshot::channel::<()>();
    let ended = tokio::spawn(serve_within(
        listener,
        rx,
        async move {
            let _ = stopped.await;
        },
        limits,
    ));
    Server { address, pages, stop, ended }
}

async fn connect(server: &Server) -> TcpStream {
    TcpStream::connect(server.address).await.unwrap()
}

/// Sends these bytes and reads until the server ends the connection.
async fn ask(server: &Server, bytes: &[u8]) -> String {
    let mut stream = connect(server).await;
    // The server may have refused the first of them already.
    let _ = stream.write_all(bytes).await;
    let mut text = Vec::new();
    let _ = stream.read_to_end(&mut text).await;
    String::from_utf8(text).unwrap()
}

/// Reads one answer, whose body is as long as its head says.
async fn answer(stream: &mut TcpStream) -> String {
    let mut text = Vec::new();
    loop {
        let mut byte = [0];
        assert_eq!(stream.read(&mut byte).await.unwrap(), 1, "{}", String::from_utf8_lossy(&text));
        text.push(byte[0]);
        let head = String::from_utf8(text.clone()).unwrap();
        let Some((head, body)) = head.split_once("\r\n\r\n") else { continue };
        let length = head.lines().find_map(|line| line.strip_prefix("Content-Length: ")).unwrap();
        if body.len() == length.parse::<usize>().unwrap() {
            return format!("{head}\n\n{body}");
        }
    }
}

#[tokio::test]
async fn the_newest_page_is_served_again_and_again_on_one_connection() {
    let server = start(PATIENT).await;
    let mut stream = connect(&server).await;
    stream.write_all(b"GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n").await.unwrap();
    assert!(answer(&mut stream).await.ends_with("\n\na 1\n"));
    server.pages.send_modify(|snapshot| snapshot.page = "a 2\n".into());
    // Two at once, the second in two parts.
    stream.write_all(b"GET /metrics HTTP/1.1\r\n\r\nGET /hea").await.unwrap();
    assert!(answer(&mut stream).await.ends_with("\n\na 2\n"));
    stream.write_all(b"lthz HTTP/1.1\r\nConnection: close\r\n\r\n").await.unwrap();
    let last = answer(&mut stream).await;
    assert!(
        last.starts_with("HTTP/1.1 200 OK\r\n") && last.contains("Connection: close"),
        "{last}"
    );
    assert_eq!(stream.read(&mut [0]).await.unwrap(), 0, "the connection has ended");
}

#[tokio::test]
async fn junk_is_answered_and_the_next_client_is_served() {
    let server = start(PATIENT).await;
    let large = [b"GET / HTTP/1.1\r\nA: ".as_slice(), &vec![b'x'; 100_000]].concat();
    for (bytes, status) in [
        (b"\x16\x03\x01\x02\x00\x01".as_slice(), "HTTP/1.1 400 "),
        (b"GET / HTTP/2.0\r\n\r\n", "HTTP/1.1 400 "),
        (&large, "HTTP/1.1 431 "),
        (b"POST /metrics HTTP/1.1\r\nContent-Length: 9\r\n\r\nsome body", "HTTP/1.1 405 "),
        (b"GET /metrics HTTP/1.0\r\n\r\n", "HTTP/1.1 200 "),
    ] {
        let got = ask(&server, bytes).await;
        assert!(got.starts_with(status), "{got}");
    }
}

#[tokio::test]
async fn a_client_that_says_nothing_or_never_ends_its_request_is_let_go() {
    let server = start(Limits { request: Duration::from_millis(50), ..PATIENT }).await;
    assert_eq!(ask(&server, b"").await, "");
    let got = ask(&server, b"GET / HTTP/1.1\r\nA: ").await;
    assert!(got.starts_with("HTTP/1.1 408 "), "{got}");
}

#[tokio::test]
async fn a_connection_is_not_kept_for_longer_than_it_may_be() {
    let server = start(Limits { kept: Duration::from_millis(50), ..PATIENT }).await;
    let mut stream = connect(&server).await;
    stream.write_all(b"GET /healthz HTTP/1.1\r\n\r\n").await.unwrap();
    let mut text = String::new();
    stream.read_to_string(&mut text).await.unwrap();
    assert!(text.starts_with("HTTP/1.1 200 "), "{text}");
}

#[tokio::test]
async fn clients_beyond_the_limit_wait_until_one_has_gone() {
    let server = start(Limits { connections: 2, ..PATIENT }).await;
    let mut held = Vec::new();
    for _ in 0..2 {
        let mut stream = connect(&server).await;
        stream.write_all(b"GET /metrics HTTP/1.1\r\n").await.unwrap();
        held.push(stream);
    }
    let mut third = connect(&server).await;
    third.write_all(b"GET /metrics HTTP/1.0\r\n\r\n").await.unwrap();
    let early = timeout(Duration::from_millis(200), third.read(&mut [0])).await;
    assert!(early.is_err(), "there is no room for it");
    held.pop();
    assert!(answer(&mut third).await.starts_with("HTTP/1.1 200 "));
}

#[tokio::test]
async fn connections_that_only_wait_leave_room_to_others() {
    let server = start(Limits { connections: 2, ..PATIENT }).await;
    let mut first = connect(&server).await;
    first.write_all(b"GET /healthz HTTP/1.1\r\n\r\n").await.unwrap();
    assert!(answer(&mut first).await.contains("Connection: keep-alive"));
    let mut second = connect(&server).await;
    second.write_all(b"GET /healthz HTTP/1.1\r\n\r\n").await.unwrap();
    assert!(answer(&mut second).await.contains("Connection: close"));
}

#[tokio::test]
async fn the_server_ends_when_it_is_told_to_and_its_connections_with_it() {
    let server = start(PATIENT).await;
    let mut stream = connect(&server).await;
    stream.write_all(b"GET /healthz HTTP/1.1\r\n\r\n").await.unwrap();
    answer(&mut stream).await;
    server.stop.send(()).unwrap();
    server.ended.await.unwrap();
    assert!(matches!(stream.read(&mut [0]).await, Ok(0) | Err(_)));
    assert!(TcpStream::connect(server.address).await.is_err());
}

#[test]
fn an_address_that_others_reach_is_warned_of() {
    for (address, word) in [
        ("0.0.0.0:9842", "every network"),
        ("[::]:9842", "every network"),
        ("10.0.0.7:9842", "the network of 10.0.0.7"),
        ("[fd00::1]:9842", "the network of fd00::1"),
    ] {
        let said = warning(address.parse().unwrap()).unwrap();
        assert!(said.contains(word) && said.contains(address) && said.contains("teams"), "{said}");
    }
    for address in ["127.0.0.1:9842", "127.8.8.8:1", "[::1]:9842"] {
        assert_eq!(warning(address.parse().unwrap()), None, "{address}");
    }
}
