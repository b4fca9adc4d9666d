//! A proxy in front of an emulator that can misbehave for one region, service or action.

use std::io;

use crate::server::{self, Reply, Server};

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

/// Starts a proxy to `upstream` (`http://host:port`).
pub fn proxy(upstream: &str, decide: impl Fn(&Request) -> Fault + Send + Sync + 'static) -> Server {
    proxy_that_waits(upstream, decide, |_| ())
}

/// As [`proxy`]; an answer that is forwarded waits for `before_answer`.
pub fn proxy_that_waits(
    upstream: &str,
    decide: impl Fn(&Request) -> Fault + Send + Sync + 'static,
    before_answer: impl Fn(&Request) + Send + Sync + 'static,
) -> Server {
    let upstream = upstream.to_owned();
    Server::start(move |number, asked| {
        let request = about(asked, number);
        let fault = decide(&request);
        let wait = || before_answer(&request);
        // Without an answer of the emulator there is none of the proxy.
        reply(fault, &request.service, || asked.forward(&upstream), wait).unwrap_or(Reply::Close)
    })
}

fn reply(
    fault: Fault,
    service: &str,
    forward: impl Fn() -> io::Result<Vec<u8>>,
    wait: impl Fn(),
) -> io::Result<Reply> {
    let xml = |status, text: &str| Reply::new(status, "text/xml", text);
    let refuse = |status, code, message| xml(status, &refusal(service, code, message));
    Ok(match fault {
        Fault::Hang => Reply::Silence,
        Fault::Deny => refuse(
            403,
            "UnauthorizedOperation",
            "You are not authorized to perform this operation.",
        ),
        Fault::Throttle => refuse(503, "RequestLimitExceeded", "Request limit exceeded."),
        Fault::Expired => {
            refuse(400, "ExpiredToken", "The security token included in the request is expired")
        }
        Fault::Skewed => refuse(
            403,
            "RequestTimeTooSkewed",
            "The difference between the request time and the current time is too large.",
        ),
        Fault::Garbage => xml(200, "<<<not xml"),
        Fault::Emoji => {
            let whole = forward()?;
            let whole = String::from_utf8_lossy(&whole);
            let text = whole.split_once("\r\n\r\n").map_or("", |(_, text)| text);
            xml(200, &text.replace("forgotten-box", &"\u{1f525}".repeat(2_500)))
        }
        Fault::Pass => {
            let whole = forward()?;
            wait();
            Reply::Raw(whole)
        }
        Fault::Drop => Reply::Close,
        Fault::Lose => {
            forward()?;
            Reply::Close
        }
        Fault::Twice => {
            forward()?;
            Reply::Raw(forward()?)
        }
        Fault::HalfThenReset => {
            let mut whole = forward()?;
            whole.truncate(whole.len() / 2);
            Reply::Raw(whole)
        }
    })
}

/// An error in the shape of the service.
fn refusal(service: &str, code: &str, message: &str) -> String {
    let error = format!("<Error><Code>{code}</Code><Message>{message}</Message></Error>");
    if ["batch", "ecs", "organizations", "sagemaker", "savingsplans"].contains(&service) {
        let code = if code == "UnauthorizedOperation" { "AccessDeniedException" } else { code };
        format!("{{\"__type\":\"{code}\",\"message\":\"{message}\"}}")
    } else if service == "ec2" {
        format!("<Response><Errors>{error}</Errors><RequestID>0</RequestID></Response>")
    } else {
        format!("<ErrorResponse>{error}<RequestId>0</RequestId></ErrorResponse>")
    }
}

/// What a request is about.
pub fn about(asked: &server::Request, number: usize) -> Request {
    // Credential=KEY/20260101/us-east-1/ec2/aws4_request
    let scope = asked.header("authorization").unwrap_or_default();
    let mut parts = scope.split_once("Credential=").map_or("", |(_, c)| c).split('/').skip(2);
    let region = parts.next().unwrap_or_default().to_owned();
    let service = parts.next().unwrap_or_default().to_owned();
    let body = asked.text();
    let query = body.split('&').find_map(|pair| pair.strip_prefix("Action="));
    let action = query
        .or_else(|| asked.header("x-amz-target"))
        .unwrap_or_else(|| asked.path.rsplit('/').next().unwrap_or_default())
        .to_owned();
    Request { region, service, method: asked.method().to_owned(), action, body, number }
}
