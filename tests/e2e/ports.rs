//! Servers that have to be told which port to listen on.

use std::net::{TcpListener, TcpStream};
use std::process::Child;
use std::time::{Duration, Instant};

use crate::pty::LIMIT;

/// Starts a server on a free port of the loopback and waits until it listens. Between the choice of
/// a port and its use somebody else may take it; then the server ends, and another one is tried.
pub fn serve(what: &str, start: impl Fn(u16) -> Child) -> (Child, u16) {
    for _ in 0..3 {
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let mut child = start(port);
        let until = Instant::now() + LIMIT;
        while child.try_wait().unwrap().is_none() {
            if TcpStream::connect(("127.0.0.1", port)).is_ok() {
                // If that was somebody else, the server is about to end.
                std::thread::sleep(Duration::from_millis(200));
                match child.try_wait().unwrap() {
                    None => return (child, port),
                    Some(_) => break,
                }
            }
            assert!(Instant::now() < until, "{what} does not listen");
            std::thread::sleep(Duration::from_millis(50));
        }
    }
    panic!("{what} ends before it listens");
}
