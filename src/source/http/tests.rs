use super::*;
use crate::source::server::{Reply, Server};

const LIMIT: Limit = Limit { bytes: 1 << 16, time: Duration::from_secs(20) };

fn client(auth: Auth) -> Http {
    Http::new(HttpSettings { auth, proxy: false, ..HttpSettings::default() }).unwrap()
}

async fn ask(server: &Server, limit: Limit) -> Result<Answer, SourceError> {
    client(Auth::None).get("test:get", &server.url, limit).await
}

#[tokio::test]
async fn an_answer_is_read_and_unpacked() {
    let server = Server::start(|_, seen| {
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
    });
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
        let server = Server::start(move |_, _| Reply::Raw(raw.into()));
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
        let server = Server::start(move |_, _| Reply::new(status, "text/plain", "no"));
        let error = ask(&server, LIMIT).await.and_then(|a| a.checked(Expect::Text)).unwrap_err();
        assert_eq!(error.kind, kind, "{status}: {error}");
    }
}

#[tokio::test]
async fn silence_and_absence_end() {
    let server = Server::start(|_, _| Reply::Silence);
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

/// Sends a client elsewhere, and ends the connection so that it makes another one.
fn redirect(status: u16, to: &str) -> Reply {
    Reply::Whole(status, "text/plain", format!("Location: {to}\r\n"), Vec::new())
}

#[tokio::test]
async fn credentials_are_sent_to_the_host_asked_and_to_no_other() {
    let other = Server::start(|_, _| Reply::new(200, "text/plain", "caught"));
    let elsewhere = other.url.clone();
    let server = Server::start(move |_, seen| match seen.path.as_str() {
        l if l.contains("/away") => redirect(307, &format!("{elsewhere}/")),
        l if l.contains("/near") => redirect(302, "/there"),
        _ => Reply::new(200, "text/plain", "ok"),
    });
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
    let server = Server::start(|_, _| Reply::json("{}"));
    let http = Http::new(HttpSettings {
        headers: vec![("X-Scope-OrgID".into(), Secret::new("team-a"))],
        proxy: false,
        ..HttpSettings::default()
    })
    .unwrap();
    let form = [("query", "max by (gpu) (a{b=\"c & d\"})"), ("time", "1.5")];
    let url = parse("test:post", &server.url).unwrap();
    let request = Request { url, form: Some(encode_form(&form)), headers: Vec::new() };
    http.send("test:post", request, LIMIT).await.unwrap();
    let seen = &server.seen()[0];
    assert!(seen.head.starts_with("POST / "), "{}", seen.head);
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

/// What a process does that has a proxy in its environment, for the test below: asks for the address
/// in `ASK`, with a token where `TOKEN` is set.
#[tokio::test]
#[ignore = "run by `a_call_on_this_host_goes_through_no_proxy` in a process of its own"]
async fn ask_as_the_environment_says() {
    let Ok(url) = std::env::var("ASK") else { return };
    let auth = std::env::var("TOKEN").map_or(Auth::None, |t| Auth::Bearer(Secret::new(t)));
    let http = Http::new(HttpSettings { auth, ..HttpSettings::default() }).unwrap();
    match http.get("test:get", &url, LIMIT).await {
        Ok(answer) => println!("answer: {}", String::from_utf8_lossy(&answer.body)),
        Err(error) => println!("error: {} {error}", error.kind.word()),
    }
}

/// Runs the test above with `proxy` for every scheme, and gives what it printed.
async fn ask_behind_a_proxy(proxy: &str, url: &str, token: bool) -> String {
    let mut child = tokio::process::Command::new(std::env::current_exe().unwrap());
    child
        .args(["--exact", "source::http::tests::ask_as_the_environment_says"])
        .args(["--ignored", "--nocapture", "--test-threads=1"])
        .env("ASK", url);
    for name in ["NO_PROXY", "no_proxy", "REQUEST_METHOD", "TOKEN"] {
        child.env_remove(name);
    }
    for name in ["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"] {
        child.env(name, proxy).env(name.to_lowercase(), proxy);
    }
    if token {
        child.env("TOKEN", "s3cr3t");
    }
    let output = child.output().await.unwrap();
    assert!(output.status.success());
    String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr)
}

#[tokio::test]
async fn a_call_on_this_host_goes_through_no_proxy() {
    let proxy = Server::start(|_, _| Reply::new(200, "text/plain", "the proxy"));
    let server = Server::start(|_, _| Reply::new(200, "text/plain", "the server"));
    let port = server.url.rsplit_once(':').unwrap().1.to_owned();
    let hosts = ["127.0.0.1", "2130706433", "LOCALHOST", "[::ffff:127.0.0.1]"];
    for (asked, host) in hosts.into_iter().enumerate() {
        let said = ask_behind_a_proxy(&proxy.url, &format!("http://{host}:{port}/"), true).await;
        assert!(said.contains("answer: the server"), "{host}: {said}");
        assert_eq!(server.seen().len(), asked + 1, "{host}");
        assert_eq!(server.seen()[asked].header("authorization"), Some("Bearer s3cr3t"));
    }
    assert!(proxy.seen().is_empty(), "{:?}", proxy.seen());
    // What only looks like it is another host: a proxy is for those, and a token is not.
    let said = ask_behind_a_proxy(&proxy.url, "http://127.evil.example/", false).await;
    assert!(said.contains("answer: the proxy"), "{said}");
    assert_eq!(proxy.seen().len(), 1);
    let said = ask_behind_a_proxy(&proxy.url, "http://127.evil.example/", true).await;
    assert!(said.contains("clear text") && !said.contains("s3cr3t"), "{said}");
    assert_eq!(proxy.seen().len(), 1, "nothing was sent");
}

#[tokio::test]
async fn user_and_password_of_a_proxy_are_sent_to_it() {
    let proxy = Server::start(|_, _| Reply::new(200, "text/plain", "the proxy"));
    let with_user = proxy.url.replace("http://", "http://kim:pw@");
    let said = ask_behind_a_proxy(&with_user, "http://prom.example/", false).await;
    assert!(said.contains("answer: the proxy"), "{said}");
    assert_eq!(proxy.seen()[0].header("proxy-authorization"), Some("Basic a2ltOnB3"));
}

#[tokio::test]
async fn a_proxy_that_cannot_be_understood_is_named_and_not_gone_past() {
    let said = ask_behind_a_proxy("socks5://me:s3cr3t@p:1080", "http://prom.example/", false).await;
    assert!(said.contains("http_proxy names a SOCKS proxy"), "{said}");
    assert!(!said.contains("s3cr3t"), "{said}");
}

#[tokio::test]
async fn credentials_in_clear_text_stay_on_this_host() {
    let token = || client(Auth::Bearer(Secret::new("s3cr3t")));
    for url in ["http://192.0.2.1/", "http://127.evil.example/", "http://localhost.:1/"] {
        let error = token().get("test:get", url, LIMIT).await.unwrap_err();
        assert_eq!(error.kind, ErrorKind::Refused, "{url}: {error}");
        assert!(error.message.contains("clear text") && !format!("{error:?}").contains("s3cr3t"));
        // A signature comes with the token of a session.
        let signed = Request {
            url: Url::parse(url).unwrap(),
            form: None,
            headers: vec![("X-Amz-Security-Token".into(), Secret::new("s3cr3t"))],
        };
        let error = client(Auth::None).send("test:get", signed, LIMIT).await.unwrap_err();
        assert_eq!(error.kind, ErrorKind::Refused, "{url}: {error}");
    }
    let server = Server::start(|_, _| Reply::new(200, "text/plain", "ok"));
    let here = server.url.replace("127.0.0.1", "localhost");
    token().get("test:get", &here, LIMIT).await.unwrap().checked(Expect::Text).unwrap();
    assert_eq!(server.seen()[0].header("authorization"), Some("Bearer s3cr3t"));
}

#[tokio::test]
async fn a_redirect_to_another_name_of_this_host_is_another_host() {
    let server = Server::start(|_, seen| {
        let port = seen.header("host").unwrap().rsplit_once(':').unwrap().1.to_owned();
        Reply::Raw(
            format!(
                "HTTP/1.1 307 X\r\nLocation: http://me:s3cr3t@localhost:{port}/?token=s3cr3t\r\n\
                 Content-Length: 0\r\nConnection: close\r\n\r\n"
            )
            .into(),
        )
    });
    let answer = client(Auth::Bearer(Secret::new("s3cr3t")))
        .get("test:get", &server.url, LIMIT)
        .await
        .unwrap();
    let error = answer.checked(Expect::Text).unwrap_err();
    assert!(error.message.contains("redirects to http://localhost"), "{error}");
    assert!(!format!("{error:?}").contains("s3cr3t"), "{error:?}");
    assert_eq!(server.seen().len(), 1);
}
