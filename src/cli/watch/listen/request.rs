//! The head of a request, as much of it as matters.

/// Largest head, bytes. That of a Prometheus has some 300.
const MOST_BYTES: usize = 8 << 10;

/// A request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Head {
    /// `GET`, `POST`.
    pub method: String,
    /// Path without query: `/metrics`.
    pub path: String,
    /// Value of the header `Host`; `None` without it.
    pub host: Option<String>,
    /// True where the connection may be used again: HTTP/1.1, no body, and the client does not end it.
    pub may_stay: bool,
}

/// Why there is no request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Refused {
    /// It is no HTTP/1.
    Malformed,
    /// Its head is larger than it may be.
    TooLarge,
    /// It did not arrive in time.
    Slow,
}

/// Parses the head at the start of `bytes`, with its length; `None` while it is not whole. Fails for what can become no
/// request.
pub(super) fn parse(bytes: &[u8]) -> Result<Option<(Head, usize)>, Refused> {
    // No client waits for the end of a head to learn that it speaks to the wrong server.
    if bytes.first().is_some_and(|first| !first.is_ascii_uppercase()) {
        return Err(Refused::Malformed);
    }
    let seen = &bytes[..bytes.len().min(MOST_BYTES)];
    let Some(end) = seen.windows(4).position(|four| four == b"\r\n\r\n") else {
        return if bytes.len() > MOST_BYTES { Err(Refused::TooLarge) } else { Ok(None) };
    };
    let head = seen[..end].is_ascii().then(|| std::str::from_utf8(&seen[..end]).ok()).flatten();
    let head = head.and_then(of_text).ok_or(Refused::Malformed)?;
    Ok(Some((head, end + 4)))
}

fn of_text(text: &str) -> Option<Head> {
    let mut lines = text.split("\r\n");
    let mut words = lines.next()?.split(' ');
    let (method, target, version) = (words.next()?, words.next()?, words.next()?);
    let is_token = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_uppercase());
    let is_plain = !target.is_empty() && target.bytes().all(|b| b.is_ascii_graphic());
    if words.next().is_some() || !is_token(method) || !is_plain {
        return None;
    }
    let mut may_stay = match version {
        "HTTP/1.1" => true,
        "HTTP/1.0" => false,
        _ => return None,
    };
    let mut host = None;
    for line in lines {
        // A name ends at its colon: a space before it, or a line that goes on with the former, is read by some servers one
        // way and by some another.
        let (name, value) = line.split_once(':')?;
        if name.is_empty() || !name.bytes().all(|b| b.is_ascii_graphic()) {
            return None;
        }
        if value.bytes().any(|b| b.is_ascii_control() && b != b'\t') {
            return None;
        }
        let value = value.trim();
        match &*name.to_ascii_lowercase() {
            "host" if host.is_some() => return None,
            "host" => host = Some(value.to_owned()),
            "connection" => may_stay &= !value.to_ascii_lowercase().contains("close"),
            // A body is never read: what follows it could not be told from it.
            "content-length" => may_stay &= value == "0",
            "transfer-encoding" | "upgrade" | "expect" => may_stay = false,
            _ => {}
        }
    }
    Some(Head { method: method.to_owned(), path: path(target)?, host, may_stay })
}

/// The path of a target: `/metrics` of `/metrics?x=1` and of `http://host/metrics`.
fn path(target: &str) -> Option<String> {
    let path = match target.split_once("://") {
        Some((scheme, rest)) if scheme.eq_ignore_ascii_case("http") => {
            &rest[rest.find('/').unwrap_or(rest.len())..]
        }
        _ => target,
    };
    let path = path.split(['?', '#']).next()?;
    (path.is_empty() || path.starts_with('/') || path == "*").then(|| path.to_owned())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn head(text: &str) -> Result<Option<(Head, usize)>, Refused> {
        parse(text.as_bytes())
    }

    #[test]
    fn a_request_has_its_path_host_and_length() {
        let text = "GET /metrics?a=b HTTP/1.1\r\nHost: 127.0.0.1:9842\r\nAccept: */*\r\n\r\n";
        let wanted = Head {
            method: "GET".to_owned(),
            path: "/metrics".to_owned(),
            host: Some("127.0.0.1:9842".to_owned()),
            may_stay: true,
        };
        assert_eq!(head(&format!("{text}GET /next")), Ok(Some((wanted, text.len()))));
    }

    #[test]
    fn a_connection_is_used_again_where_nothing_speaks_against_it() {
        for (rest, may_stay) in [
            ("HTTP/1.1\r\n\r\n", true),
            ("HTTP/1.1\r\nContent-Length: 0\r\n\r\n", true),
            ("HTTP/1.0\r\n\r\n", false),
            ("HTTP/1.1\r\nConnection: Close\r\n\r\n", false),
            ("HTTP/1.1\r\nContent-Length: 7\r\n\r\n", false),
            ("HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n", false),
            ("HTTP/1.1\r\nExpect: 100-continue\r\n\r\n", false),
        ] {
            let (head, _) = head(&format!("POST / {rest}")).unwrap().unwrap();
            assert_eq!(head.may_stay, may_stay, "{rest:?}");
        }
    }

    #[test]
    fn the_path_of_an_absolute_target_is_its_path() {
        for (target, path) in
            [("http://a:1/metrics", "/metrics"), ("http://a", ""), ("/a#b", "/a"), ("*", "*")]
        {
            let (head, _) = head(&format!("GET {target} HTTP/1.1\r\n\r\n")).unwrap().unwrap();
            assert_eq!(head.path, path, "{target}");
        }
    }

    #[test]
    fn what_is_no_request_is_refused() {
        for text in [
            "\r\n\r\n",
            "get / HTTP/1.1\r\n\r\n",
            "GET /\r\n\r\n",
            "GET  / HTTP/1.1\r\n\r\n",
            "GET / HTTP/1.1 x\r\n\r\n",
            "GET / HTTP/2.0\r\n\r\n",
            "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
            "GET a HTTP/1.1\r\n\r\n",
            "GET ftp://a/ HTTP/1.1\r\n\r\n",
            "GET / HTTP/1.1\r\nHost : a\r\n\r\n",
            "GET / HTTP/1.1\r\n folded\r\n\r\n",
            "GET / HTTP/1.1\r\nno colon\r\n\r\n",
            "GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n",
            "GET / HTTP/1.1\r\nHost: a\nb: c\r\n\r\n",
            "GET /é HTTP/1.1\r\n\r\n",
            "\u{16}\u{3}\u{1} client hello",
        ] {
            assert_eq!(head(text), Err(Refused::Malformed), "{text:?}");
        }
    }

    #[test]
    fn a_head_is_waited_for_until_it_is_too_large() {
        assert_eq!(head("GET / HTTP/1.1\r\nHost: a"), Ok(None));
        let long = format!("GET / HTTP/1.1\r\nA: {}", "x".repeat(MOST_BYTES));
        assert_eq!(head(&long), Err(Refused::TooLarge));
        assert_eq!(head(&format!("{long}\r\n\r\n")), Err(Refused::TooLarge));
    }

    proptest! {
        #[test]
        fn no_bytes_make_it_panic_and_a_head_is_never_longer_than_what_came(
            bytes in prop::collection::vec(any::<u8>(), 0..400),
            start in prop_oneof![Just(""), Just("GET / HTTP/1.1\r\n"), Just("GET http://")],
        ) {
            let bytes = [start.as_bytes(), &bytes, b"\r\n\r\n"].concat();
            if let Ok(Some((head, length))) = parse(&bytes) {
                prop_assert!(length <= bytes.len());
                prop_assert!(head.method.is_ascii() && head.path.is_ascii());
            }
        }
    }
}
