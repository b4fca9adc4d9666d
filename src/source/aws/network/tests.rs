use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};

use aws_config::SdkConfig;

use super::super::Patience;
use super::super::calls::LIST_TAGS;
use super::super::clients::Clients;
use super::super::json_api::{self, Question};
use super::super::login::tests::Home;
use super::super::organization::ORGANIZATIONS;
use super::super::sagemaker::wire::SAGEMAKER;
use super::super::testing::{Reply, Server, no_endpoint, over};
use super::*;
use crate::domain::{ErrorKind, SourceError};
use crate::source::Provider as _;
use crate::source::aws::AwsProvider;

/// A name in which no resolver finds anything: who reaches it went through the proxy. The
/// certificate is `other-host.pem`.
const HOST: &str = "https://prom.example.com";
const PASSWORD: &str = "hunter2-in-a-proxy";

fn data(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/tls").join(name)
}

fn identity() -> &'static str {
    "<GetCallerIdentityResponse xmlns=\"https://sts.amazonaws.com/doc/2011-06-15/\">\
     <GetCallerIdentityResult><Arn>arn:aws:iam::123456789012:user/kim</Arn><UserId>U</UserId>\
     <Account>123456789012</Account></GetCallerIdentityResult></GetCallerIdentityResponse>"
}

fn answer() -> Vec<u8> {
    let body = identity();
    let head = "HTTP/1.1 200 OK\r\ncontent-type: text/xml\r\nconnection: close\r\ncontent-length:";
    format!("{head} {}\r\n\r\n{body}", body.len()).into_bytes()
}

/// What the proxy does when a tunnel is asked for.
#[derive(Clone)]
enum Does {
    /// Opens it, and answers in the host's place with this certificate, as proxies do that look
    /// into what passes.
    Opens(Arc<rustls::ServerConfig>),
    /// Answers with this status line.
    Answers(&'static str),
    /// Hangs up.
    Closes,
    /// Says nothing.
    Hangs,
}

fn opens(certificate: &str) -> Does {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let chain = vec![CertificateDer::from_pem_file(data(certificate)).unwrap()];
    let key = PrivateKeyDer::from_pem_file(data("server.key")).unwrap();
    let config = rustls::ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(chain, key)
        .unwrap();
    Does::Opens(Arc::new(config))
}

/// A proxy on a port of its own; it ends with the process.
struct Tunnels {
    port: u16,
    /// The heads of all requests: `CONNECT host:port HTTP/1.1` and what follows.
    heads: Arc<Mutex<Vec<String>>>,
}

impl Tunnels {
    fn start(does: Does, user: Option<&'static str>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let heads = Arc::<Mutex<Vec<String>>>::default();
        let seen = heads.clone();
        std::thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                let (does, seen) = (does.clone(), seen.clone());
                std::thread::spawn(move || serve(stream, &does, user, &seen));
            }
        });
        Self { port, heads }
    }

    /// The hosts to which tunnels were asked for, in order.
    fn tunnels(&self) -> Vec<String> {
        let heads = self.heads.lock().unwrap();
        let hosts = heads.iter().filter_map(|h| h.strip_prefix("CONNECT ")?.split(' ').next());
        hosts.map(str::to_owned).collect()
    }
}

fn head(stream: &mut impl Read) -> Option<String> {
    let (mut head, mut byte) = (Vec::new(), [0]);
    while !head.ends_with(b"\r\n\r\n") {
        stream.read_exact(&mut byte).ok()?;
        head.push(byte[0]);
    }
    String::from_utf8(head).ok()
}

fn serve(mut stream: TcpStream, does: &Does, user: Option<&str>, seen: &Mutex<Vec<String>>) {
    let Some(text) = head(&mut stream) else { return };
    seen.lock().unwrap().push(text.clone());
    let wanted = user.map(|user| format!("proxy-authorization: basic {user}"));
    if wanted.is_some_and(|w| !text.to_lowercase().contains(&w.to_lowercase())) {
        let refused = "HTTP/1.1 407 Proxy Authentication Required\r\ncontent-length: 0\r\n\r\n";
        let _gone = stream.write_all(refused.as_bytes());
        return;
    }
    if !text.starts_with("CONNECT ") {
        let _gone = stream.write_all(&answer());
        return;
    }
    match does {
        Does::Opens(config) => {
            stream.write_all(b"HTTP/1.1 200 Connection established\r\n\r\n").unwrap();
            let tls = rustls::ServerConnection::new(config.clone()).unwrap();
            let mut stream = rustls::StreamOwned::new(tls, stream);
            if head(&mut stream).is_some() {
                let _gone = stream.write_all(&answer());
                stream.conn.send_close_notify();
                let _gone = stream.flush();
            }
        }
        Does::Answers(line) => {
            let _gone = stream.write_all(format!("{line}\r\ncontent-length: 0\r\n\r\n").as_bytes());
        }
        Does::Closes => {}
        Does::Hangs => std::thread::sleep(Duration::from_mins(10)),
    }
}

fn client_of(vars: &[(&str, String)], bundle: Option<&Named>) -> SharedHttpClient {
    let get = |name: &str| vars.iter().find(|(n, _)| *n == name).map(|(_, v)| v.clone());
    make(Arc::new(Proxies::read(&get)), bundle)
}

fn ca() -> Named {
    Named { setting: "AWS_CA_BUNDLE".into(), path: data("ca.pem") }
}

/// An account all of whose services are at `endpoint`.
fn account(endpoint: &str, vars: &[(&str, String)], bundle: Option<&Named>) -> AwsProvider {
    over(endpoint, client_of(vars, bundle))
}

async fn asked(
    endpoint: &str,
    vars: &[(&str, String)],
    bundle: Option<&Named>,
) -> Result<String, SourceError> {
    let account = account(endpoint, vars, bundle);
    account.identity().await.map(|who| who.account.to_string())
}

#[tokio::test]
async fn calls_go_through_the_proxy_by_a_tunnel_and_trust_the_named_authority() {
    for variable in ["HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy"] {
        let proxy = Tunnels::start(opens("other-host.pem"), None);
        let vars = [(variable, format!("http://127.0.0.1:{}", proxy.port))];
        assert_eq!(asked(HOST, &vars, Some(&ca())).await.unwrap(), "123456789012", "{variable}");
        assert_eq!(proxy.tunnels(), ["prom.example.com:443"], "{variable}");
        let heads = proxy.heads.lock().unwrap().join("");
        assert!(!heads.contains("AKIDEXAMPLE"), "the proxy sees no request: {heads}");
    }
}

#[tokio::test]
async fn user_and_password_of_the_proxy_are_sent_to_it_and_shown_nowhere() {
    // kim:p@ss%word, as the proxy wants them.
    let basic = Some("a2ltOnBAc3Mld29yZA==");
    let proxy = Tunnels::start(opens("other-host.pem"), basic);
    let with = |user: &str| [("HTTPS_PROXY", format!("http://{user}127.0.0.1:{}", proxy.port))];
    let vars = with("kim:p%40ss%25word@");
    assert_eq!(asked(HOST, &vars, Some(&ca())).await.unwrap(), "123456789012");

    let shown = format!("the proxy 127.0.0.1:{} (HTTPS_PROXY)", proxy.port);
    let error = asked(HOST, &with(""), Some(&ca())).await.unwrap_err();
    assert_eq!(error.kind, ErrorKind::Network);
    assert_eq!(error.message, format!("{shown} wants a user and a password (407)"));
    assert!(
        error.fix.starts_with("put user:password@ before the host in HTTPS_PROXY"),
        "{}",
        error.fix
    );

    let error = asked(HOST, &with(&format!("kim:{PASSWORD}@")), Some(&ca())).await.unwrap_err();
    assert_eq!(error.message, format!("{shown} does not accept its user and password (407)"));
    assert!(!format!("{error:?}").contains(PASSWORD), "{error:?}");
}

#[tokio::test]
async fn a_proxy_that_fails_is_named_with_its_variable() {
    for (does, what, fix) in [
        (
            Does::Answers("HTTP/1.1 403 Forbidden"),
            "opens no tunnel to prom.example.com:443",
            "NO_PROXY",
        ),
        (Does::Answers("HTTP/1.1 502 Bad Gateway"), "opens no tunnel", "NO_PROXY"),
        (Does::Answers("SSH-2.0-OpenSSH_9.2"), "opens no tunnel", "NO_PROXY"),
        (Does::Closes, "cannot reach prom.example.com:443 through the proxy", "HTTPS_PROXY"),
    ] {
        let proxy = Tunnels::start(does, None);
        let vars = [("HTTPS_PROXY", format!("http://kim:{PASSWORD}@127.0.0.1:{}", proxy.port))];
        let error = asked(HOST, &vars, Some(&ca())).await.unwrap_err();
        assert_eq!(error.kind, ErrorKind::Network, "{error:?}");
        let by = format!("127.0.0.1:{} (HTTPS_PROXY)", proxy.port);
        assert!(error.message.contains(what) && error.message.contains(&by), "{error:?}");
        assert!(error.fix.contains(fix), "{error:?}");
        assert!(!format!("{error:?}").contains(PASSWORD), "{error:?}");
        assert_eq!(proxy.heads.lock().unwrap().len(), 1, "asked once: {error:?}");
    }
    // Nobody listens there.
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let vars = [("ALL_PROXY", format!("http://127.0.0.1:{port}"))];
    let error = asked(HOST, &vars, None).await.unwrap_err();
    assert!(error.message.contains("(ALL_PROXY): Connection refused"), "{error:?}");
    assert!(error.fix.contains("check ALL_PROXY"), "{error:?}");
}

#[tokio::test]
async fn a_proxy_that_is_silent_is_given_up_and_named() {
    let proxy = Tunnels::start(Does::Hangs, None);
    let vars = [("HTTPS_PROXY", format!("http://127.0.0.1:{}", proxy.port))];
    let client = client_of(&vars, None);
    let account = super::super::testing::impatient_over(HOST, client);
    let error = account.identity().await.unwrap_err();
    assert_eq!(error.kind, ErrorKind::Timeout, "{error:?}");
}

#[tokio::test]
async fn an_authority_that_nobody_named_is_refused_with_the_setting_to_use() {
    let proxy = Tunnels::start(opens("other-host.pem"), None);
    let vars = [("HTTPS_PROXY", format!("http://127.0.0.1:{}", proxy.port))];
    let error = asked(HOST, &vars, None).await.unwrap_err();
    assert_eq!(error.kind, ErrorKind::Network);
    assert!(error.message.contains("nobody who is trusted has signed"), "{error:?}");
    assert!(error.message.contains("(HTTPS_PROXY)"), "{error:?}");
    assert!(error.fix.starts_with("set AWS_CA_BUNDLE to a file"), "{error:?}");
    assert_eq!(proxy.tunnels().len(), 1, "it would be refused again");

    let other = Named { setting: "ca_bundle of profile `ops`".into(), path: data("weak-ca.pem") };
    let error = asked(HOST, &vars, Some(&other)).await.unwrap_err();
    assert!(error.fix.contains("weak-ca.pem, which ca_bundle of profile `ops` names"), "{error:?}");

    // What the file names is trusted for its names and its time, as any authority is.
    for (certificate, words) in [("expired.pem", "has expired"), ("good.pem", "for another name")] {
        let proxy = Tunnels::start(opens(certificate), None);
        let vars = [("HTTPS_PROXY", format!("http://127.0.0.1:{}", proxy.port))];
        let error = asked(HOST, &vars, Some(&ca())).await.unwrap_err();
        assert!(error.message.contains(words), "{error:?}");
    }
}

#[tokio::test]
async fn a_setting_that_cannot_be_used_stops_the_call_and_is_named() {
    let proxy = Tunnels::start(opens("other-host.pem"), None);
    let good = format!("http://127.0.0.1:{}", proxy.port);
    let absent = Named { setting: "AWS_CA_BUNDLE".into(), path: "/nowhere/ca.pem".into() };
    let error = asked(HOST, &[("HTTPS_PROXY", good)], Some(&absent)).await.unwrap_err();
    assert!(error.message.starts_with("AWS_CA_BUNDLE names /nowhere/ca.pem: "), "{error:?}");
    assert!(proxy.heads.lock().unwrap().is_empty(), "nobody was asked");

    let socks = format!("socks5://kim:{PASSWORD}@127.0.0.1:1080");
    let error = asked(HOST, &[("ALL_PROXY", socks)], Some(&ca())).await.unwrap_err();
    assert_eq!(error.message, "ALL_PROXY names a SOCKS proxy, of which burntop speaks none");
    assert!(!format!("{error:?}").contains(PASSWORD), "{error:?}");
}

#[tokio::test]
async fn loopback_goes_past_the_proxy_and_past_settings_of_tls_that_it_does_not_need() {
    let server = Server::start(|_, _| Reply::xml(identity()));
    let proxy = Tunnels::start(Does::Closes, None);
    let by = format!("http://127.0.0.1:{}", proxy.port);
    let absent = Named { setting: "AWS_CA_BUNDLE".into(), path: "/nowhere/ca.pem".into() };
    for vars in [
        vec![("ALL_PROXY", by.clone())],
        vec![("HTTP_PROXY", by.clone()), ("NO_PROXY", "example.com".into())],
        vec![("http_proxy", "://".into())],
    ] {
        let found = asked(&server.url, &vars, Some(&absent)).await;
        assert_eq!(found.unwrap(), "123456789012", "{vars:?}");
    }
    assert_eq!(server.requests(), 3);
    assert!(proxy.heads.lock().unwrap().is_empty(), "the proxy was asked");
}

/// Of services without a client of their own the host does not depend on what is read.
#[derive(serde::Serialize)]
struct AnyRead;

impl Question for AnyRead {
    const READ: json_api::Read = json_api::Read::of(&LIST_TAGS, &SAGEMAKER);
    type Answer = serde_json::Value;
}

/// The hosts that every service of an account is asked at.
async fn hosts(change: impl FnOnce(SdkConfig) -> SdkConfig) -> Vec<String> {
    let proxy = Tunnels::start(Does::Answers("HTTP/1.1 403 Forbidden"), None);
    let vars = [("HTTPS_PROXY", format!("http://127.0.0.1:{}", proxy.port))];
    let sdk = change(no_endpoint(client_of(&vars, None)));
    let clients = Clients::new(sdk, format!("proxy {}", proxy.port).into());
    let (near, far): (Arc<str>, Arc<str>) = ("us-east-1".into(), "eu-west-1".into());
    for region in [&near, &far] {
        let _ = clients.ec2(region).describe_regions().send().await;
        let _ = clients.ec2_once(region, Patience::DEFAULT).describe_regions().send().await;
        let _ = clients.cloudwatch(region).list_metrics().send().await;
        let _ = clients.auto_scaling(region).describe_tags().send().await;
        let _ = clients.load_balancing(region).describe_load_balancers().send().await;
        let _ = clients.s3(region).list_buckets().send().await;
        let _ = clients.s3(region).get_bucket_versioning().bucket("my-data").send().await;
        let _ = clients.athena(region).list_work_groups().send().await;
        let _ = clients.json_api(&SAGEMAKER, region).ask(&AnyRead).await;
        let _ = clients.json_api(&ORGANIZATIONS, region).ask(&AnyRead).await;
    }
    let _ = clients.sts().get_caller_identity().send().await;
    let _ = clients.pricing().describe_services().send().await;
    let _ = clients.savings_plans().describe_savings_plans().send().await;
    let mut hosts = proxy.tunnels();
    hosts.sort();
    hosts.dedup();
    hosts
}

#[tokio::test]
async fn every_service_goes_through_the_proxy_to_the_kind_of_endpoint_that_is_wanted() {
    let plain = hosts(|sdk| sdk).await;
    let fips = hosts(|sdk| sdk.into_builder().use_fips(true).build()).await;
    let dual = hosts(|sdk| sdk.into_builder().use_dual_stack(true).build()).await;
    let all = [("plain", plain), ("FIPS", fips), ("dual-stack", dual)];
    let text: Vec<String> =
        all.iter().map(|(kind, hosts)| format!("{kind}\n  {}", hosts.join("\n  "))).collect();
    insta::assert_snapshot!(text.join("\n"));
}

#[test]
fn fips_and_dual_stack_are_read_from_the_environment_and_the_profile() {
    let proxy = Tunnels::start(Does::Answers("HTTP/1.1 502 Bad Gateway"), None);
    let by = format!("http://kim:{PASSWORD}@127.0.0.1:{}", proxy.port);
    let keys = "aws_access_key_id = AKID\naws_secret_access_key = x\nregion = us-west-2\n";
    let role = "[profile role]\nrole_arn = arn:aws:iam::1:role/r\nsource_profile = ops\n";
    let asked = |home: Home, profile: &str| {
        proxy.heads.lock().unwrap().clear();
        let said = home.with("HTTPS_PROXY", &by).account(profile).who();
        assert!(!said.contains(PASSWORD), "{said}");
        let mut hosts = proxy.tunnels();
        hosts.dedup();
        (hosts, said)
    };
    let plain = format!("[profile ops]\n{keys}{role}");
    let (hosts, said) = asked(Home::new(&plain), "ops");
    assert_eq!(hosts, ["sts.us-west-2.amazonaws.com:443"]);
    assert!(said.contains("opens no tunnel"), "{said}");
    for (home, kind, host) in [
        (
            Home::new(&plain).with("AWS_USE_FIPS_ENDPOINT", "true"),
            "FIPS",
            "sts-fips.us-west-2.amazonaws.com:443",
        ),
        (
            Home::new(&format!("[profile ops]\nuse_fips_endpoint = true\n{keys}")),
            "FIPS",
            "sts-fips.us-west-2.amazonaws.com:443",
        ),
        (
            Home::new(&plain).with("AWS_USE_DUALSTACK_ENDPOINT", "true"),
            "DUALSTACK",
            "sts.us-west-2.api.aws:443",
        ),
    ] {
        let (hosts, said) = asked(home, "ops");
        assert_eq!(hosts, [host]);
        let is_named = said.contains("not every service has")
            && said.contains(&format!("AWS_USE_{kind}_ENDPOINT"));
        assert!(said.starts_with("unavailable | ") && is_named, "{said}");
    }
    // STS is asked for a role at the same kind of endpoint.
    let config =
        format!("[profile ops]\n{keys}{role}use_fips_endpoint = true\nregion = us-west-2\n");
    let (hosts, _) = asked(Home::new(&config), "role");
    assert_eq!(hosts, ["sts-fips.us-west-2.amazonaws.com:443"]);
}

#[test]
fn the_authorities_of_a_profile_and_of_the_environment_are_found() {
    let proxy = Tunnels::start(opens("other-host.pem"), None);
    let by = format!("http://127.0.0.1:{}", proxy.port);
    let keys = "aws_access_key_id = AKID\naws_secret_access_key = x\nregion = us-east-1\n";
    let ca = data("ca.pem").display().to_string();
    let home = |more: &str| {
        Home::new(&format!("[profile ops]\n{keys}{more}\n"))
            .with("HTTPS_PROXY", &by)
            .with("AWS_ENDPOINT_URL_STS", HOST)
    };
    assert!(home("").account("ops").who().contains("set AWS_CA_BUNDLE to a file"));
    assert_eq!(home("").with("AWS_CA_BUNDLE", &ca).account("ops").who(), "ok 123456789012");
    assert_eq!(home(&format!("ca_bundle = {ca}")).account("ops").who(), "ok 123456789012");
    // The variable wins, also where it cannot be used.
    let said =
        home(&format!("ca_bundle = {ca}")).with("AWS_CA_BUNDLE", "/none").account("ops").who();
    assert!(said.starts_with("error | AWS_CA_BUNDLE names /none: "), "{said}");
    let said = home("ca_bundle = /none").account("ops").who();
    assert!(said.starts_with("error | ca_bundle of profile `ops` names /none: "), "{said}");
    // Variables of the system's own, for those who put the authority there.
    assert_eq!(home("").with("SSL_CERT_FILE", &ca).account("ops").who(), "ok 123456789012");
}

#[test]
fn the_metadata_of_an_instance_is_never_asked_through_a_proxy() {
    let proxy = Tunnels::start(Does::Closes, None);
    let by = format!("http://127.0.0.1:{}", proxy.port);
    let home = Home::new("")
        .with("AWS_EC2_METADATA_DISABLED", "false")
        .with("HTTP_PROXY", &by)
        .with("ALL_PROXY", &by)
        .with("AWS_REGION", "us-east-1");
    let said = home.account("").who();
    assert!(!said.starts_with("ok"), "{said}");
    let container = home.with("AWS_CONTAINER_CREDENTIALS_RELATIVE_URI", "/v2/credentials/x");
    let said = container.account("").who();
    assert!(!said.starts_with("ok"), "{said}");
    assert_eq!(proxy.heads.lock().unwrap().len(), 0, "the proxy was asked");
}

#[tokio::test]
async fn plain_http_is_passed_on_by_its_own_proxy() {
    let basic = Some("a2ltOnB3");
    let proxy = Tunnels::start(Does::Closes, basic);
    let (other, port) = (Tunnels::start(Does::Closes, None), proxy.port);
    let plain = "http://emulator.example";
    let vars = |user: &str| {
        [
            ("HTTP_PROXY", format!("http://{user}127.0.0.1:{port}")),
            ("HTTPS_PROXY", format!("http://127.0.0.1:{}", other.port)),
        ]
    };
    assert_eq!(asked(plain, &vars("kim:pw@"), None).await.unwrap(), "123456789012");
    let head = proxy.heads.lock().unwrap()[0].clone();
    assert!(head.starts_with("POST http://emulator.example/ HTTP/1.1\r\n"), "{head}");
    let error = asked(plain, &vars(""), None).await.unwrap_err();
    assert!(error.message.contains("(HTTP_PROXY) wants a user and a password"), "{error:?}");
    assert!(other.heads.lock().unwrap().is_empty());
}
