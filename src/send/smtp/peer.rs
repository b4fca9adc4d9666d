//! A mail server for tests: it answers as a script says and keeps what it was told.

use std::io::{self, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use rustls::{ServerConfig, ServerConnection, Stream};

/// Longest wait for a client.
const WAIT: Duration = Duration::from_mins(2);

/// What the server does.
#[derive(Clone, Default)]
pub struct Script {
    /// Certificate for TLS; `None` = it has none.
    pub tls: Option<Arc<ServerConfig>>,
    /// True = TLS from the first byte, false = STARTTLS is offered where there is a certificate.
    pub wrapped: bool,
    /// Answers by how a command begins, in place of the usual ones; `.` is the end of a mail, an empty command the
    /// beginning of the connection. An empty answer is none: the client waits.
    pub answers: Vec<(&'static str, &'static str)>,
}

/// A server on a port of its own.
pub struct Peer {
    /// Its port.
    pub port: u16,
    seen: Arc<Mutex<Vec<String>>>,
}

impl Peer {
    /// Starts one that serves each connection by this script.
    pub fn start(script: Script) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let seen = Arc::new(Mutex::new(Vec::new()));
        let kept = seen.clone();
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (script, kept) = (script.clone(), kept.clone());
                // The client may go away at any time; that is its right.
                std::thread::spawn(move || Talk { script, kept }.serve(stream).is_ok());
            }
        });
        Self { port, seen }
    }

    /// The lines that it was told, in order; those that came by TLS begin with `+`.
    pub fn seen(&self) -> Vec<String> {
        self.seen.lock().unwrap().clone()
    }

    /// The mails that it was told, whole.
    pub fn mails(&self) -> Vec<String> {
        let seen = self.seen();
        let plain: Vec<&str> = seen.iter().map(|line| line.trim_start_matches('+')).collect();
        let mails = plain.split(|line| *line == "DATA").skip(1);
        mails.map(|rest| rest.split(|line| *line == ".").next().unwrap().join("\r\n")).collect()
    }
}

struct Talk {
    script: Script,
    kept: Arc<Mutex<Vec<String>>>,
}

impl Talk {
    fn serve(&self, mut stream: TcpStream) -> io::Result<()> {
        stream.set_read_timeout(Some(WAIT))?;
        stream.set_write_timeout(Some(WAIT))?;
        if !self.script.wrapped {
            if !self.talk(&mut stream, false, true)? {
                return Ok(());
            }
            return self.inside(&mut stream, false);
        }
        self.inside(&mut stream, true)
    }

    fn inside(&self, stream: &mut TcpStream, greets: bool) -> io::Result<()> {
        let config = self.script.tls.clone().unwrap();
        let mut connection = ServerConnection::new(config).map_err(io::Error::other)?;
        let mut tls = Stream::new(&mut connection, stream);
        self.talk(&mut tls, true, greets).map(|_| ())
    }

    /// Answers commands; true where TLS is to begin.
    fn talk(
        &self,
        stream: &mut (impl Read + Write),
        is_tls: bool,
        greets: bool,
    ) -> io::Result<bool> {
        if greets {
            self.answer(stream, "", "220 peer.example ESMTP")?;
        }
        let mut in_mail = false;
        while let Some(line) = line(stream)? {
            let mark = if is_tls { "+" } else { "" };
            self.kept.lock().unwrap().push(format!("{mark}{line}"));
            if in_mail {
                if line == "." {
                    in_mail = false;
                    self.answer(stream, ".", "250 2.0.0 queued")?;
                }
                continue;
            }
            let usual = match line.split(' ').next().unwrap_or_default() {
                "EHLO" if self.script.tls.is_some() && !is_tls => {
                    "250-peer.example\r\n250-8BITMIME\r\n250-STARTTLS\r\n250 AUTH PLAIN LOGIN"
                }
                "EHLO" => "250-peer.example\r\n250-8BITMIME\r\n250 AUTH PLAIN LOGIN",
                "STARTTLS" => "220 2.0.0 ready",
                "AUTH" => "235 2.7.0 accepted",
                "DATA" => "354 go on",
                "QUIT" => "221 2.0.0 bye",
                _ => "250 2.1.0 ok",
            };
            let answered = self.answer(stream, &line, usual)?;
            match &*line {
                "STARTTLS" if answered.starts_with("220") => return Ok(true),
                "DATA" => in_mail = answered.starts_with("354"),
                "QUIT" => return Ok(false),
                _ => {}
            }
        }
        Ok(false)
    }

    fn answer<'a>(
        &'a self,
        stream: &mut impl Write,
        command: &str,
        usual: &'a str,
    ) -> io::Result<&'a str> {
        let fits =
            |of: &str| if of.is_empty() { command.is_empty() } else { command.starts_with(of) };
        let own = self.script.answers.iter().find(|(of, _)| fits(of));
        let text = own.map_or(usual, |(_, text)| text);
        if !text.is_empty() {
            stream.write_all(format!("{text}\r\n").as_bytes())?;
            stream.flush()?;
        }
        Ok(text)
    }
}

/// The next line without its end; `None` when the client went away. Not a byte more is read: TLS may begin behind it.
fn line(stream: &mut impl Read) -> io::Result<Option<String>> {
    let (mut bytes, mut one) = (Vec::new(), [0]);
    while !bytes.ends_with(b"\r\n") {
        if stream.read(&mut one)? == 0 {
            return Ok(None);
        }
        bytes.push(one[0]);
    }
    bytes.truncate(bytes.len() - 2);
    Ok(Some(String::from_utf8_lossy(&bytes).into_owned()))
}
