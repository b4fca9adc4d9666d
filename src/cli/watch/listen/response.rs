//! What is answered.

use std::net::IpAddr;

use tokio::time::Instant;

use super::Snapshot;
use super::request::{Head, Refused};

/// The content type of the text format of Prometheus.
const METRICS: &str = "text/plain; version=0.0.4; charset=utf-8";
const TEXT: &str = "text/plain; charset=utf-8";

/// An answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Response {
    status: (u16, &'static str),
    content_type: &'static str,
    /// A further header line with its end; empty without one.
    header: &'static str,
    body: String,
}

impl Response {
    /// The answer to a request, or to what was none. `is_local` where the server listens on the loopback alone.
    pub fn to(
        head: &Result<Head, Refused>,
        snapshot: &Snapshot,
        now: Instant,
        is_local: bool,
    ) -> Self {
        let head = match head {
            Ok(head) => head,
            Err(Refused::Malformed) => {
                return Self::text((400, "Bad Request"), "this is no HTTP/1.1");
            }
            Err(Refused::TooLarge) => {
                return Self::text(
                    (431, "Request Header Fields Too Large"),
                    "the headers are too large",
                );
            }
            Err(Refused::Slow) => {
                return Self::text((408, "Request Timeout"), "the request took too long");
            }
        };
        // A page in a browser of this machine can have its own name lead here, and read the answer: by the name that it
        // asked for it is known.
        if is_local && !head.host.as_deref().is_none_or(is_this_machine) {
            return Self::text((421, "Misdirected Request"), "ask for 127.0.0.1 or localhost");
        }
        let is_known = matches!(&*head.path, "/metrics" | "/healthz");
        if !is_known {
            return Self::text((404, "Not Found"), "there is /metrics, and /healthz");
        }
        if head.method != "GET" {
            let refused = Self::text((405, "Method Not Allowed"), "ask by GET");
            return Self { header: "Allow: GET\r\n", ..refused };
        }
        if head.path == "/metrics" {
            let body = snapshot.page.to_string();
            return Self { content_type: METRICS, ..Self::text((200, "OK"), "").with(body) };
        }
        if snapshot.is_fresh(now) {
            Self::text((200, "OK"), "ok")
        } else {
            Self::text((503, "Service Unavailable"), "no round has ended for three intervals")
        }
    }

    fn text(status: (u16, &'static str), line: &str) -> Self {
        Self { status, content_type: TEXT, header: "", body: format!("{line}\n") }
    }

    fn with(self, body: String) -> Self {
        Self { body, ..self }
    }

    /// The bytes of the answer; `stays` where the connection may be used again.
    pub fn bytes(&self, stays: bool) -> Vec<u8> {
        let Self { status: (code, reason), content_type, header, body } = self;
        let connection = if stays { "keep-alive" } else { "close" };
        let length = body.len();
        let head = format!(
            "HTTP/1.1 {code} {reason}\r\nContent-Type: {content_type}\r\nContent-Length: {length}\r\n\
             Cache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\n{header}Connection: {connection}\r\n\r\n"
        );
        [head.as_bytes(), body.as_bytes()].concat()
    }
}

/// True for a `Host` that names the loopback: `localhost:9842`, `127.0.0.1`, `[::1]:9842`.
fn is_this_machine(host: &str) -> bool {
    let name = match host.strip_prefix('[') {
        Some(rest) => rest.split(']').next().unwrap_or_default(),
        None => host.split(':').next().unwrap_or_default(),
    };
    name.eq_ignore_ascii_case("localhost") || name.parse().is_ok_and(|ip: IpAddr| ip.is_loopback())
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    const EVERY: Duration = Duration::from_mins(1);

    fn snapshot(since: Instant) -> Snapshot {
        Snapshot { page: "burntop_build_info 1\n".into(), since, every: EVERY }
    }

    fn head(method: &str, path: &str, host: Option<&str>) -> Result<Head, Refused> {
        Ok(Head {
            method: method.to_owned(),
            path: path.to_owned(),
            host: host.map(str::to_owned),
            may_stay: true,
        })
    }

    fn code(head: &Result<Head, Refused>, after: Duration, is_local: bool) -> u16 {
        let since = Instant::now();
        Response::to(head, &snapshot(since), since + after, is_local).status.0
    }

    #[test]
    fn metrics_are_the_page_with_the_type_of_the_format() {
        let now = Instant::now();
        let got = Response::to(&head("GET", "/metrics", None), &snapshot(now), now, true);
        let text = String::from_utf8(got.bytes(true)).unwrap();
        let (head, body) = text.split_once("\r\n\r\n").unwrap();
        assert_eq!(body, "burntop_build_info 1\n");
        assert!(head.starts_with("HTTP/1.1 200 OK\r\n"), "{head}");
        for line in [
            "Content-Type: text/plain; version=0.0.4; charset=utf-8",
            "Content-Length: 21",
            "Connection: keep-alive",
        ] {
            assert!(head.lines().any(|there| there == line), "{head}");
        }
    }

    #[test]
    fn other_paths_are_not_found_and_other_methods_not_allowed() {
        for (method, path, wanted) in [
            ("GET", "/", 404),
            ("GET", "/metrics/", 404),
            ("GET", "/../metrics", 404),
            ("POST", "/other", 404),
            ("POST", "/metrics", 405),
            ("HEAD", "/healthz", 405),
            ("DELETE", "/metrics", 405),
        ] {
            assert_eq!(
                code(&head(method, path, None), Duration::ZERO, true),
                wanted,
                "{method} {path}"
            );
        }
    }

    #[test]
    fn the_watch_is_healthy_until_three_intervals_have_passed_without_a_round() {
        let of = |after| code(&head("GET", "/healthz", None), after, true);
        assert_eq!(of(EVERY * 3 / 1000 * 999), 200);
        assert_eq!(of(EVERY * 3), 503);
        let page = code(&head("GET", "/metrics", None), EVERY * 9, true);
        assert_eq!(page, 200, "old figures say how old they are");
    }

    #[test]
    fn a_name_that_leads_to_the_loopback_is_not_answered() {
        for (host, wanted) in [
            (None, 200),
            (Some("127.0.0.1:9842"), 200),
            (Some("127.1.2.3"), 200),
            (Some("LocalHost:9842"), 200),
            (Some("[::1]:9842"), 200),
            (Some("evil.example"), 421),
            (Some("localhost.evil.example:9842"), 421),
            (Some("127.0.0.1.evil.example"), 421),
            (Some("10.0.0.7:9842"), 421),
            (Some(""), 421),
        ] {
            assert_eq!(
                code(&head("GET", "/metrics", host), Duration::ZERO, true),
                wanted,
                "{host:?}"
            );
            assert_eq!(
                code(&head("GET", "/metrics", host), Duration::ZERO, false),
                200,
                "{host:?}"
            );
        }
    }

    #[test]
    fn what_was_no_request_is_told_why() {
        for (refused, wanted) in
            [(Refused::Malformed, 400), (Refused::TooLarge, 431), (Refused::Slow, 408)]
        {
            assert_eq!(code(&Err(refused), Duration::ZERO, false), wanted);
        }
    }
}
