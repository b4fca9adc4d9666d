//! A proxy in front of an emulator that can misbehave for one region, service or action.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

/// What a request is about, read from its signature and body.
#[derive(Clone, Debug)]
pub struct Request {
    /// Region of the signature's scope.
    pub region: String,
    /// Service of the signature's scope.
    pub service: String,
    /// `POST` of nearly everything but S3.
    pub method: String,
    /// `Action=` of a query body, the `X-Amz-Target` or the last segment of the path.
    pub action: String,
    /// The body, as text.
    pub body: String,
    /// How many requests the proxy has seen before this one.
    pub number: usize,
}

impl Request {
    /// What is asked for: the service, the action, and whether it is a dry run.
    pub fn kind(&self) -> String {
        let dry = if self.body.contains("DryRun=true") { " (dry run)" } else { "" };
        match self.service.as_str() {
            "s3" => {
                // Of the name of the operation in the query, without what the SDK adds.
                let query = self.action.split_once('?').map_or("", |(_, query)| query);
                format!("s3 {} {}", self.method, query.split(['&', '=']).next().unwrap_or_default())
            }
            service => format!("{service} {}{dry}", self.action),
        }
    }

    /// True for a call that would change something.
    pub fn is_write(&self) -> bool {
        const WRITES: [&str; 6] = [
            "ec2 StopInstances",
            "ec2 TerminateInstances",
            "autoscaling TerminateInstanceInAutoScalingGroup",
            "ec2 CreateSnapshot",
            "ec2 DeleteVolume",
            "s3 PUT lifecycle",
        ];
        WRITES.contains(&self.kind().as_str())
    }
}

/// What the proxy does with it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// Forward it.
    Pass,
    /// Accept and never answer.
    Hang,
    /// EC2's `UnauthorizedOperation`.
    Deny,
    /// EC2's `RequestLimitExceeded`.
    Throttle,
    /// `ExpiredToken`.
    Expired,
    /// `RequestTimeTooSkewed`: this machine's clock is wrong.
    Skewed,
    /// The real answer with the tag value `forgotten-box` grown to 10 kB of emoji.
    Emoji,
    /// Half of the real answer, then the connection is reset.
    HalfThenReset,
    /// 200 with something that is no answer.
    Garbage,
    /// The connection ends before anything is forwarded.
    Drop,
    /// Forwarded, and the connection ends before the answer.
    Lose,
    /// Forwarded twice; the answer is that to the second one.
    Twice,
}

/// Starts a proxy to `upstream` (`http://host:port`) and returns its own address and the number
/// of requests it has seen.
pub fn proxy(
    upstream: &str,
    decide: impl Fn(&Request) -> Fault + Send + Sync + 'static,
) -> (String, Arc<AtomicUsize>) {
    proxy_that_waits(upstream, decide, |_| ())
}

/// As [`proxy`]; an answer that is forwarded waits for `before_answer`.
pub fn proxy_that_waits(
    upstream: &str,
    decide: impl Fn(&Request) -> Fault + Send + Sync + 'static,
    before_answer: impl Fn(&Request) + Send + Sync + 'static,
) -> (String, Arc<AtomicUsize>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    let upstream = upstream.trim_start_matches("http://").trim_end_matches('/').to_owned();
    let seen = Arc::new(AtomicUsize::new(0));
    let (rules, count) = (Arc::new((decide, before_answer)), seen.clone());
    std::thread::spawn(move || {
        for client in listener.incoming().flatten() {
            let (rules, upstream, count) = (rules.clone(), upstream.clone(), count.clone());
            std::thread::spawn(move || {
                let number = count.fetch_add(1, Ordering::SeqCst);
                let _ = serve(client, &upstream, &rules.0, &rules.1, number);
            });
        }
    });
    (address, seen)
}

fn serve(
    mut client: TcpStream,
    upstream: &str,
    decide: &(dyn Fn(&Request) -> Fault + Send + Sync),
    before_answer: &(dyn Fn(&Request) + Send + Sync),
    number: usize,
) -> std::io::Result<()> {
    let Some((head, body)) = read_request(&mut client)? else { return Ok(()) };
    let request = about(&head, &body, number);
    let fault = decide(&request);
    let refusal = |code, message| refusal(&request.service, code, message);
    let answer = |status: &str, text: &str| {
        format!(
            "HTTP/1.1 {status}\r\nContent-Type: text/xml\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{text}",
            text.len()
        )
    };
    match fault {
        Fault::Hang => std::thread::sleep(Duration::from_mins(2)),
        Fault::Deny => client.write_all(
            answer(
                "403 Forbidden",
                &refusal(
                    "UnauthorizedOperation",
                    "You are not authorized to perform this operation.",
                ),
            )
            .as_bytes(),
        )?,
        Fault::Throttle => client.write_all(
            answer(
                "503 Service Unavailable",
                &refusal("RequestLimitExceeded", "Request limit exceeded."),
            )
            .as_bytes(),
        )?,
        Fault::Expired => client.write_all(
            answer(
                "400 Bad Request",
                &refusal("ExpiredToken", "The security token included in the request is expired"),
            )
            .as_bytes(),
        )?,
        Fault::Skewed => client.write_all(
            answer(
                "403 Forbidden",
                &refusal(
                    "RequestTimeTooSkewed",
                    "The difference between the request time and the current time is too large.",
                ),
            )
            .as_bytes(),
        )?,
        Fault::Garbage => client.write_all(answer("200 OK", "<<<not xml").as_bytes())?,
        Fault::Emoji => {
            let whole = forward(upstream, &head, &body)?;
            let whole = String::from_utf8_lossy(&whole);
            let text = whole.split_once("\r\n\r\n").map_or("", |(_, text)| text);
            let long = "\u{1f525}".repeat(2_500);
            client.write_all(answer("200 OK", &text.replace("forgotten-box", &long)).as_bytes())?;
        }
        Fault::Pass => {
            let whole = forward(upstream, &head, &body)?;
            before_answer(&request);
            client.write_all(&whole)?;
        }
        Fault::Drop => {}
        Fault::Lose => drop(forward(upstream, &head, &body)?),
        Fault::Twice => {
            forward(upstream, &head, &body)?;
            client.write_all(&forward(upstream, &head, &body)?)?;
        }
        Fault::HalfThenReset => {
            let whole = forward(upstream, &head, &body)?;
            client.write_all(&whole[..whole.len() / 2])?;
        }
    }
    Ok(())
}

/// The whole answer of the emulator.
pub fn forward(upstream: &str, head: &str, body: &[u8]) -> std::io::Result<Vec<u8>> {
    let mut server = TcpStream::connect(upstream)?;
    let head = head.replace("\r\n\r\n", "\r\nConnection: close\r\n\r\n");
    server.write_all(head.as_bytes())?;
    server.write_all(body)?;
    let mut whole = Vec::new();
    server.read_to_end(&mut whole)?;
    Ok(whole)
}

/// An error in the shape of the service.
fn refusal(service: &str, code: &str, message: &str) -> String {
    let error = format!("<Error><Code>{code}</Code><Message>{message}</Message></Error>");
    if ["organizations", "sagemaker", "savingsplans"].contains(&service) {
        let code = if code == "UnauthorizedOperation" { "AccessDeniedException" } else { code };
        format!("{{\"__type\":\"{code}\",\"message\":\"{message}\"}}")
    } else if service == "ec2" {
        format!("<Response><Errors>{error}</Errors><RequestID>0</RequestID></Response>")
    } else {
        format!("<ErrorResponse>{error}<RequestId>0</RequestId></ErrorResponse>")
    }
}

/// The head and the body of a request; `None` when the client went away.
pub fn read_request(client: &mut TcpStream) -> std::io::Result<Option<(String, Vec<u8>)>> {
    client.set_read_timeout(Some(Duration::from_secs(30)))?;
    read_request_of(client)
}

/// The same, of whatever can be read.
pub fn read_request_of(client: &mut impl Read) -> std::io::Result<Option<(String, Vec<u8>)>> {
    let mut bytes = Vec::new();
    let mut buffer = [0; 8192];
    let split = loop {
        if let Some(at) = bytes.windows(4).position(|w| w == b"\r\n\r\n") {
            break at + 4;
        }
        match client.read(&mut buffer)? {
            0 => return Ok(None),
            n => bytes.extend_from_slice(&buffer[..n]),
        }
    };
    let mut body = bytes.split_off(split);
    let head = String::from_utf8_lossy(&bytes).into_owned();
    let length: usize = header(&head, "content-length").and_then(|v| v.parse().ok()).unwrap_or(0);
    while body.len() < length {
        match client.read(&mut buffer)? {
            0 => return Ok(None),
            n => body.extend_from_slice(&buffer[..n]),
        }
    }
    Ok(Some((head, body)))
}

fn header<'a>(head: &'a str, name: &str) -> Option<&'a str> {
    head.lines().find_map(|line| {
        let (key, value) = line.split_once(':')?;
        key.eq_ignore_ascii_case(name).then_some(value.trim())
    })
}

/// What a request is about.
pub fn about(head: &str, body: &[u8], number: usize) -> Request {
    // Credential=KEY/20260101/us-east-1/ec2/aws4_request
    let scope = header(head, "authorization").unwrap_or_default();
    let mut parts = scope.split_once("Credential=").map_or("", |(_, c)| c).split('/').skip(2);
    let region = parts.next().unwrap_or_default().to_owned();
    let service = parts.next().unwrap_or_default().to_owned();
    let body = String::from_utf8_lossy(body);
    let query = body.split('&').find_map(|pair| pair.strip_prefix("Action="));
    let mut line = head.split_whitespace();
    let method = line.next().unwrap_or_default().to_owned();
    let path = line.next().unwrap_or_default();
    let action = query
        .or_else(|| header(head, "x-amz-target"))
        .unwrap_or_else(|| path.rsplit('/').next().unwrap_or_default())
        .to_owned();
    let body = body.into_owned();
    Request { region, service, method, action, body, number }
}
