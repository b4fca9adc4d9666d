use super::server::{Reply, Server};
use super::*;

const LIMIT: Limit = Limit { bytes: 1 << 16, time: Duration::from_secs(20) };

fn client(auth: Auth) -> Http {
    Http::new(HttpSettings { auth, proxy: false, ..HttpSettings::default() }).unwrap()
}

async fn ask(server: &Server, limit: Limit) -> Result<Answer, SourceError> {
    client(Auth::None).get("test:get", &server.url, limit).await
}

#[tokio::test]
async fn an_answer_is_read_and_unpacked() {
    let server = Server::start(|seen| {
        assert!(seen.header("accept-encoding").unwrap().contains("gzip"));
        assert!(seen.header("user-agent").unwrap().starts_with("burntop/"));
        let mut zip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        std::io::Write::write_all(&mut zip, &[b'x'; 5000]).unwrap();
        let packed = zip.finish().unwrap();
        let mut raw = format!(
            "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: {}\r\n\r\n",
            packed.len()
        )
        .into_bytes();
        raw.extend(packed);
        Reply::Raw(raw)
    })
    .await;
    let answer = ask(&server, LIMIT).await.unwrap().checked(Expect::Text).unwrap();
    assert_eq!(answer.body, [b'x'; 5000]);
    // What a few bytes unpack to is bounded as well.
    let error = ask(&server, Limit { bytes: 4999, ..LIMIT }).await.unwrap_err();
    assert_eq!(error.kind, ErrorKind::Malformed);
    assert!(error.message.contains("larger than 4999 bytes"), "{error}");
}

#[tokio::test]
async fn what_goes_wrong_has_a_kind_and_a_place() {
    let cases: [(&str, ErrorKind, &str); 6] = [
        ("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nshort", ErrorKind::Network, "middle"),
        ("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\nnot gzip", ErrorKind::Malformed, ""),
        ("SSH-2.0-OpenSSH_9.2\r\n", ErrorKind::Malformed, "unreadable"),
        ("", ErrorKind::Network, ""),
        (
            "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<html>log in</html>",
            ErrorKind::Malformed,
            "web page",
        ),
        (
            "HTTP/1.1 302 X\r\nLocation: http://login.invalid/a?token=s3cr3t\r\n\r\n",
            ErrorKind::Unavailable,
            "redirects to http://login.invalid/a",
        ),
    ];
    for (raw, kind, words) in cases {
        let server = Server::start(move |_| Reply::Raw(raw.into())).await;
        let error = ask(&server, LIMIT).await.and_then(|a| a.checked(Expect::Json)).unwrap_err();
        assert_eq!(error.kind, kind, "{raw}: {error}");
        assert!(error.message.contains(words), "{raw}: {error}");
        let host = server.url.strip_prefix("http://").unwrap();
        assert!(error.message.starts_with(host), "{error}");
        assert!(!format!("{error:?}").contains("s3cr3t"), "{error:?}");
    }
    for (status, kind) in [
        (401, ErrorKind::Denied),
        (403, ErrorKind::Denied),
        (404, ErrorKind::Unavailable),
        (400, ErrorKind::Refused),
        (429, ErrorKind::Throttled),
        (500, ErrorKind::Other),
        (503, ErrorKind::Throttled),
        (504, ErrorKind::Timeout),
    ] {
        let server = Server::start(move |_| Reply::new(status, "text/plain", "no")).await;
        let error = ask(&server, LIMIT).await.and_then(|a| a.checked(Expect::Text)).unwrap_err();
        assert_eq!(error.kind, kind, "{status}: {error}");
    }
}

#[tokio::test]
async fn silence_and_absence_end() {
    let server = Server::start(|_| Reply::Silence).await;
    let limit = Limit { time: Duration::from_millis(50), ..LIMIT };
    let error = ask(&server, limit).await.unwrap_err();
    assert_eq!(error.kind, ErrorKind::Timeout);
    assert!(error.message.contains("no answer within 0.05 s"), "{error}");
    // A port that was free a moment ago.
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let error =
        client(Auth::None).get("test:get", &format!("http://{port}"), LIMIT).await.unwrap_err();
    assert_eq!(error.kind, ErrorKind::Network);
    assert!(error.message.contains("cannot connect"), "{error}");
}

#[tokio::test]
async fn credentials_are_sent_to_the_host_asked_and_to_no_other() {
    let other = Server::start(|_| Reply::new(200, "text/plain", "caught")).await;
    let elsewhere = other.url.clone();
    let server = Server::start(move |seen| match seen.line.as_str() {
        l if l.contains("/away") => Reply::Raw(
            format!("HTTP/1.1 307 X\r\nLocation: {elsewhere}/\r\nContent-Length: 0\r\n\r\n").into(),
        ),
        l if l.contains("/near") => {
            Reply::Raw(b"HTTP/1.1 302 X\r\nLocation: /there\r\nContent-Length: 0\r\n\r\n".to_vec())
        }
        _ => Reply::new(200, "text/plain", "ok"),
    })
    .await;
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("token");
    std::fs::write(&file, "first\n").unwrap();
    let http = client(Auth::BearerFile(file.clone()));
    let away = http.get("test:get", &format!("{}/away", server.url), LIMIT).await.unwrap();
    assert_eq!(away.checked(Expect::Text).unwrap_err().kind, ErrorKind::Unavailable);
    assert!(other.seen().is_empty(), "followed to another host");
    // A token that was renewed is read anew.
    std::fs::write(&file, "second").unwrap();
    let near = http.get("test:get", &format!("{}/near", server.url), LIMIT).await.unwrap();
    assert_eq!(near.checked(Expect::Text).unwrap().body, b"ok");
    let sent: Vec<_> = server
        .seen()
        .iter()
        .map(|s| s.header("authorization").unwrap_or_default().to_owned())
        .collect();
    assert_eq!(sent, ["Bearer first", "Bearer second", "Bearer second"]);

    let basic = Auth::Basic { user: "kim".into(), password: Secret::new("pw") };
    client(basic).get("test:get", &server.url, LIMIT).await.unwrap();
    assert_eq!(server.seen()[3].header("authorization"), Some("Basic a2ltOnB3"));
}

#[tokio::test]
async fn a_form_is_posted_with_fixed_headers() {
    let server = Server::start(|_| Reply::json("{}")).await;
    let http = Http::new(HttpSettings {
        headers: vec![("X-Scope-OrgID".into(), Secret::new("team-a"))],
        proxy: false,
        ..HttpSettings::default()
    })
    .unwrap();
    let form = [("query", "max by (gpu) (a{b=\"c & d\"})"), ("time", "1.5")];
    http.post_form("test:post", &server.url, &form, LIMIT).await.unwrap();
    let seen = &server.seen()[0];
    assert!(seen.line.starts_with("POST / "), "{}", seen.line);
    assert_eq!(seen.header("content-type"), Some(FORM));
    assert_eq!(seen.header("x-scope-orgid"), Some("team-a"));
    assert_eq!(seen.field("query").as_deref(), Some(form[0].1));
    assert_eq!(seen.field("time").as_deref(), Some("1.5"));
}

#[tokio::test]
async fn no_secret_is_in_any_text() {
    let http = Http::new(HttpSettings {
        auth: Auth::Bearer(Secret::new("s3cr3t")),
        headers: vec![("X-Key".into(), Secret::new("s3cr3t"))],
        ..HttpSettings::default()
    })
    .unwrap();
    assert!(!format!("{http:?}").contains("s3cr3t"));
    let error = http.get("test:get", "http://kim:s3cr3t@127.0.0.1:1/", LIMIT).await.unwrap_err();
    assert!(!format!("{error:?}").contains("s3cr3t"), "{error:?}");
    let bad = client(Auth::Bearer(Secret::new("s3cr3t\u{1}")));
    let error = bad.get("test:get", "http://127.0.0.1:1/", LIMIT).await.unwrap_err();
    assert_eq!(error.kind, ErrorKind::NoCredentials);
    assert!(!format!("{error:?}").contains("s3cr3t"), "{error:?}");
    let bad = Http::new(HttpSettings {
        headers: vec![("X-Key".into(), Secret::new("s3cr3t\n"))],
        ..HttpSettings::default()
    });
    assert!(!format!("{:?}", bad.unwrap_err()).contains("s3cr3t"));
}

#[tokio::test]
async fn a_ca_file_without_certificates_is_said() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("ca.pem");
    std::fs::write(&file, "nothing").unwrap();
    let settings = HttpSettings { ca_file: Some(file), proxy: false, ..HttpSettings::default() };
    let error = Http::new(settings)
        .unwrap()
        .get("test:get", "https://127.0.0.1:1/", LIMIT)
        .await
        .unwrap_err();
    assert!(error.message.contains("holds no certificates"), "{error}");
}
