use std::net::TcpListener;
use std::sync::Arc;

use aws_config::SdkConfig;

use super::super::Patience;
use super::super::calls::LIST_TAGS;
use super::super::clients::Clients;
use super::super::json_api::{self, Question};
use super::super::login::tests::Home;
use super::super::organization::ORGANIZATIONS;
use super::super::sagemaker::wire::SAGEMAKER;
use super::super::testing::{Reply, Request, Server, no_endpoint, over};
use super::*;
use crate::domain::{ErrorKind, SourceError};
use crate::source::Provider as _;
use crate::source::aws::AwsProvider;
use crate::source::server::{certificate, tls_file};

/// A name in which no resolver finds anything: who reaches it went through the proxy. The
/// certificate is `other-host.pem`.
const HOST: &str = "https://prom.example.com";
const PASSWORD: &str = "hunter2-in-a-proxy";

fn identity() -> &'static str {
    "<GetCallerIdentityResponse xmlns=\"https://sts.amazonaws.com/doc/2011-06-15/\">\
     <GetCallerIdentityResult><Arn>arn:aws:iam::123456789012:user/kim</Arn><UserId>U</UserId>\
     <Account>123456789012</Account></GetCallerIdentityResult></GetCallerIdentityResponse>"
}

/// Opens tunnels, and answers in the host's place with this certificate, as proxies do that look
/// into what passes.
fn opens(name: &str) -> Reply {
    Reply::Tunnel(certificate(name))
}

/// Answers with this status line.
fn says(line: &str) -> Reply {
    Reply::Raw(format!("{line}\r\ncontent-length: 0\r\n\r\n").into())
}

/// A proxy that does this when a tunnel is asked for, by its `user` alone where it wants one.
fn proxy_that(does: Reply, user: Option<&'static str>) -> Server {
    Server::start(move |_, request| {
        let wanted = user.map(|user| format!("Basic {user}"));
        let is_let_in = wanted.is_none_or(|w| request.header("proxy-authorization") == Some(&w));
        match request.method() {
            _ if request.tunnel.is_some() => Reply::xml(identity()),
            _ if !is_let_in => says("HTTP/1.1 407 Proxy Authentication Required"),
            "CONNECT" => does.clone(),
            _ => Reply::xml(identity()),
        }
    })
}

/// What a proxy was asked itself, and not through it.
fn asked_itself(proxy: &Server) -> Vec<Arc<Request>> {
    proxy.seen().into_iter().filter(|request| request.tunnel.is_none()).collect()
}

/// The hosts to which tunnels were asked for, in order.
fn tunnels(proxy: &Server) -> Vec<String> {
    let asked = asked_itself(proxy).into_iter();
    asked.filter(|r| r.method() == "CONNECT").map(|r| r.path.clone()).collect()
}

fn client_of(vars: &[(&str, String)], bundle: Option<&Named>) -> SharedHttpClient {
    let get = |name: &str| vars.iter().find(|(n, _)| *n == name).map(|(_, v)| v.clone());
    make(Arc::new(Proxies::read(&get)), bundle)
}

fn ca() -> Named {
    Named { setting: "AWS_CA_BUNDLE".into(), path: tls_file("ca.pem") }
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
        let proxy = proxy_that(opens("other-host.pem"), None);
        let vars = [(variable, format!("http://127.0.0.1:{}", proxy.port()))];
        assert_eq!(asked(HOST, &vars, Some(&ca())).await.unwrap(), "123456789012", "{variable}");
        assert_eq!(tunnels(&proxy), ["prom.example.com:443"], "{variable}");
        let heads = format!("{:?}", asked_itself(&proxy));
        assert!(!heads.contains("AKIDEXAMPLE"), "the proxy sees no request: {heads}");
    }
}

#[tokio::test]
async fn user_and_password_of_the_proxy_are_sent_to_it_and_shown_nowhere() {
    // kim:p@ss%word, as the proxy wants them.
    let basic = Some("a2ltOnBAc3Mld29yZA==");
    let proxy = proxy_that(opens("other-host.pem"), basic);
    let with = |user: &str| [("HTTPS_PROXY", format!("http://{user}127.0.0.1:{}", proxy.port()))];
    let vars = with("kim:p%40ss%25word@");
    assert_eq!(asked(HOST, &vars, Some(&ca())).await.unwrap(), "123456789012");

    let shown = format!("the proxy 127.0.0.1:{} (HTTPS_PROXY)", proxy.port());
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
        (says("HTTP/1.1 403 Forbidden"), "opens no tunnel to prom.example.com:443", "NO_PROXY"),
        (says("HTTP/1.1 502 Bad Gateway"), "opens no tunnel", "NO_PROXY"),
        (says("SSH-2.0-OpenSSH_9.2"), "opens no tunnel", "NO_PROXY"),
        (Reply::Close, "cannot reach prom.example.com:443 through the proxy", "HTTPS_PROXY"),
    ] {
        let proxy = proxy_that(does, None);
        let vars = [("HTTPS_PROXY", format!("http://kim:{PASSWORD}@127.0.0.1:{}", proxy.port()))];
        let error = asked(HOST, &vars, Some(&ca())).await.unwrap_err();
        assert_eq!(error.kind, ErrorKind::Network, "{error:?}");
        let by = format!("127.0.0.1:{} (HTTPS_PROXY)", proxy.port());
        assert!(error.message.contains(what) && error.message.contains(&by), "{error:?}");
        assert!(error.fix.contains(fix), "{error:?}");
        assert!(!format!("{error:?}").contains(PASSWORD), "{error:?}");
        assert_eq!(proxy.requests(), 1, "asked once: {error:?}");
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
    let proxy = proxy_that(Reply::Silence, None);
    let vars = [("HTTPS_PROXY", format!("http://127.0.0.1:{}", proxy.port()))];
    let client = client_of(&vars, None);
    let account = super::super::testing::impatient_over(HOST, client);
    let error = account.identity().await.unwrap_err();
    assert_eq!(error.kind, ErrorKind::Timeout, "{error:?}");
}

#[tokio::test]
async fn an_authority_that_nobody_named_is_refused_with_the_setting_to_use() {
    let proxy = proxy_that(opens("other-host.pem"), None);
    let vars = [("HTTPS_PROXY", format!("http://127.0.0.1:{}", proxy.port()))];
    let error = asked(HOST, &vars, None).await.unwrap_err();
    assert_eq!(error.kind, ErrorKind::Network);
    assert!(error.message.contains("nobody who is trusted has signed"), "{error:?}");
    assert!(error.message.contains("(HTTPS_PROXY)"), "{error:?}");
    assert!(error.fix.starts_with("set AWS_CA_BUNDLE to a file"), "{error:?}");
    assert_eq!(tunnels(&proxy).len(), 1, "it would be refused again");

    let other =
        Named { setting: "ca_bundle of profile `ops`".into(), path: tls_file("weak-ca.pem") };
    let error = asked(HOST, &vars, Some(&other)).await.unwrap_err();
    assert!(error.fix.contains("weak-ca.pem, which ca_bundle of profile `ops` names"), "{error:?}");

    // What the file names is trusted for its names and its time, as any authority is.
    for (certificate, words) in [("expired.pem", "has expired"), ("good.pem", "for another name")] {
        let proxy = proxy_that(opens(certificate), None);
        let vars = [("HTTPS_PROXY", format!("http://127.0.0.1:{}", proxy.port()))];
        let error = asked(HOST, &vars, Some(&ca())).await.unwrap_err();
        assert!(error.message.contains(words), "{error:?}");
    }
}

#[tokio::test]
async fn a_setting_that_cannot_be_used_stops_the_call_and_is_named() {
    let proxy = proxy_that(opens("other-host.pem"), None);
    let good = format!("http://127.0.0.1:{}", proxy.port());
    let absent = Named { setting: "AWS_CA_BUNDLE".into(), path: "/nowhere/ca.pem".into() };
    let error = asked(HOST, &[("HTTPS_PROXY", good)], Some(&absent)).await.unwrap_err();
    assert!(error.message.starts_with("AWS_CA_BUNDLE names /nowhere/ca.pem: "), "{error:?}");
    assert_eq!(proxy.requests(), 0, "nobody was asked");

    let socks = format!("socks5://kim:{PASSWORD}@127.0.0.1:1080");
    let error = asked(HOST, &[("ALL_PROXY", socks)], Some(&ca())).await.unwrap_err();
    assert_eq!(error.message, "ALL_PROXY names a SOCKS proxy, of which burntop speaks none");
    assert!(!format!("{error:?}").contains(PASSWORD), "{error:?}");
}

#[tokio::test]
async fn loopback_goes_past_the_proxy_and_past_settings_of_tls_that_it_does_not_need() {
    let server = Server::start(|_, _| Reply::xml(identity()));
    let proxy = proxy_that(Reply::Close, None);
    let by = format!("http://127.0.0.1:{}", proxy.port());
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
    assert_eq!(proxy.requests(), 0, "the proxy was asked");
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
    let proxy = proxy_that(says("HTTP/1.1 403 Forbidden"), None);
    let vars = [("HTTPS_PROXY", format!("http://127.0.0.1:{}", proxy.port()))];
    let sdk = change(no_endpoint(client_of(&vars, None)));
    let clients = Clients::new(sdk, format!("proxy {}", proxy.port()).into());
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
    let mut hosts = tunnels(&proxy);
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
    let proxy = proxy_that(says("HTTP/1.1 502 Bad Gateway"), None);
    let by = format!("http://kim:{PASSWORD}@127.0.0.1:{}", proxy.port());
    let keys = "aws_access_key_id = AKID\naws_secret_access_key = x\nregion = us-west-2\n";
    let role = "[profile role]\nrole_arn = arn:aws:iam::1:role/r\nsource_profile = ops\n";
    let asked = |home: Home, profile: &str| {
        let before = tunnels(&proxy).len();
        let said = home.with("HTTPS_PROXY", &by).account(profile).who();
        assert!(!said.contains(PASSWORD), "{said}");
        let mut hosts = tunnels(&proxy).split_off(before);
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
    let proxy = proxy_that(opens("other-host.pem"), None);
    let by = format!("http://127.0.0.1:{}", proxy.port());
    let keys = "aws_access_key_id = AKID\naws_secret_access_key = x\nregion = us-east-1\n";
    let ca = tls_file("ca.pem").display().to_string();
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
    let proxy = proxy_that(Reply::Close, None);
    let by = format!("http://127.0.0.1:{}", proxy.port());
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
    assert_eq!(proxy.requests(), 0, "the proxy was asked");
}

#[tokio::test]
async fn plain_http_is_passed_on_by_its_own_proxy() {
    let basic = Some("a2ltOnB3");
    let other = proxy_that(Reply::Close, None);
    let proxy = proxy_that(Reply::Close, basic);
    let port = proxy.port();
    let plain = "http://emulator.example";
    let vars = |user: &str| {
        [
            ("HTTP_PROXY", format!("http://{user}127.0.0.1:{port}")),
            ("HTTPS_PROXY", format!("http://127.0.0.1:{}", other.port())),
        ]
    };
    assert_eq!(asked(plain, &vars("kim:pw@"), None).await.unwrap(), "123456789012");
    let head = proxy.seen()[0].head.clone();
    assert!(head.starts_with("POST http://emulator.example/ HTTP/1.1\r\n"), "{head}");
    let error = asked(plain, &vars(""), None).await.unwrap_err();
    assert!(error.message.contains("(HTTP_PROXY) wants a user and a password"), "{error:?}");
    assert_eq!(other.requests(), 0);
}
