//! burntop behind a company's proxy: AWS by its own names, through tunnels that the proxy looks
//! into, with certificates of a private authority. Behind the proxy stand the emulators.

use std::net::TcpListener;
use std::path::Path;
use std::process::{Command, Output};

use serde_json::Value;

use crate::committed::Committed;
use crate::emulators::emulators;
use crate::pricing::price_list;
use crate::pty::Pty;
use crate::server::{Reply, Request, Server, certificate, tls_file};
use crate::world::{ROOMY, SECRET, quit};

const BURNTOP: &str = env!("CARGO_BIN_EXE_burntop");
const PASSWORD: &str = "hunter2-of-the-proxy";
/// kim and the password, as a proxy wants them.
const BASIC: &str = "Basic a2ltOmh1bnRlcjItb2YtdGhlLXByb3h5";

/// A proxy that lets nobody through without a password, and looks into each tunnel.
struct Company(Server);

impl Company {
    fn start() -> Self {
        let (ec2, prices) = (Committed::default().before(&emulators().moto), price_list());
        let config = certificate("aws.pem");
        Self(Server::start(move |_, request| {
            let upstream = match request.tunnel.as_deref() {
                None if !is_let_in(request) => return Reply::new(407, "text/plain", ""),
                None if request.method() == "CONNECT" => return Reply::Tunnel(config.clone()),
                None => return Reply::Close,
                Some(host) if host.starts_with("monitoring") => &emulators().cloudwatch,
                Some(host) if host.starts_with("api.pricing.") => &prices,
                Some(_) => &ec2,
            };
            request.forward(upstream).map_or(Reply::Close, Reply::Raw)
        }))
    }

    /// `host:port` of the tunnels that were opened.
    fn opened(&self) -> Vec<String> {
        let seen = self.0.seen().into_iter();
        let opened = seen.filter(|r| r.method() == "CONNECT" && is_let_in(r));
        opened.map(|r| r.path.clone()).collect()
    }

    fn command(&self, home: &Path, user: &str) -> Vec<(&'static str, String)> {
        vec![
            ("HOME", home.display().to_string()),
            ("AWS_EC2_METADATA_DISABLED", "true".into()),
            ("AWS_ACCESS_KEY_ID", "testing".into()),
            ("AWS_SECRET_ACCESS_KEY", SECRET.into()),
            ("HTTPS_PROXY", format!("http://{user}127.0.0.1:{}", self.0.port())),
            ("AWS_CA_BUNDLE", tls_file("aws-ca.pem").display().to_string()),
        ]
    }

    fn doctor(&self, user: &str, change: &[(&str, &str)], format: &[&str]) -> Output {
        let home = tempfile::tempdir().unwrap();
        Command::new(BURNTOP)
            .args([&["doctor", "--region", "us-east-1"], format].concat())
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .envs(self.command(home.path(), user))
            .envs(change.iter().copied())
            .output()
            .expect("burntop starts")
    }
}

fn is_let_in(request: &Request) -> bool {
    request.header("proxy-authorization") == Some(BASIC)
}

fn text(output: &Output) -> String {
    let all = format!(
        "{}{}",
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    );
    for secret in [PASSWORD, SECRET] {
        assert!(!all.contains(secret), "{all}");
    }
    all
}

fn checks(output: &Output) -> Vec<Value> {
    text(output);
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    report["checks"].as_array().unwrap().clone()
}

fn check<'a>(checks: &'a [Value], id: &str) -> &'a Value {
    checks.iter().find(|c| c["id"] == id).unwrap_or_else(|| panic!("no {id}: {checks:#?}"))
}

fn user() -> String {
    format!("kim:{PASSWORD}@")
}

#[test]
fn the_doctor_finds_aws_through_the_proxy_and_says_by_which_settings() {
    let company = Company::start();
    let output = company.doctor(&user(), &[], &[]);
    let said = text(&output);
    // For those who want to see it: `--nocapture`.
    println!("{said}");
    let way = format!(
        "AWS through the proxy 127.0.0.1:{} (HTTPS_PROXY); trusting the system's authorities and 1 \
         of {} (AWS_CA_BUNDLE)",
        company.0.port(),
        tls_file("aws-ca.pem").display()
    );
    assert!(said.contains(&format!("  {way}\n")), "{said}");
    assert!(
        said.contains("arn:aws:iam::123456789012:user/moto")
            || said.contains("in account 123456789012"),
        "{said}"
    );
    let mut hosts = company.opened();
    hosts.sort();
    hosts.dedup();
    for host in [
        "api.pricing.us-east-1.amazonaws.com:443",
        "ec2.us-east-1.amazonaws.com:443",
        "monitoring.us-east-1.amazonaws.com:443",
        "s3.us-east-1.amazonaws.com:443",
        "savingsplans.amazonaws.com:443",
        "sts.us-east-1.amazonaws.com:443",
    ] {
        assert!(hosts.iter().any(|h| h == host), "{host}: {hosts:?}");
    }
    let json = company.doctor(&user(), &[], &["--json"]);
    let checks = checks(&json);
    assert_eq!(check(&checks, "network")["status"], "ok");
    for needed in ["ec2:DescribeInstances", "cloudwatch:ListMetrics", "pricing:GetProducts"] {
        let found = check(&checks, &format!("permission/{needed}"));
        assert_eq!(found["status"], "ok", "{found}");
    }
}

#[test]
fn the_doctor_names_the_setting_that_fails() {
    let company = Company::start();
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let nobody = format!("http://127.0.0.1:{port}");
    let user = user();
    let other = tls_file("ca.pem").display().to_string();
    for (user, change, what, fix) in [
        (
            "",
            vec![],
            "wants a user and a password (407)",
            "user:password@ before the host in HTTPS_PROXY",
        ),
        ("kim:wrong@", vec![], "does not accept its user and password (407)", "HTTPS_PROXY"),
        (
            &user,
            vec![("AWS_CA_BUNDLE", "")],
            "nobody who is trusted has signed",
            "set AWS_CA_BUNDLE",
        ),
        (
            &user,
            vec![("AWS_CA_BUNDLE", other.as_str())],
            "nobody who is trusted",
            "which AWS_CA_BUNDLE names",
        ),
        (&user, vec![("AWS_CA_BUNDLE", "/none.pem")], "AWS_CA_BUNDLE names /none.pem: ", "in PEM"),
        (&user, vec![("HTTPS_PROXY", nobody.as_str())], "Connection refused", "check HTTPS_PROXY"),
        (
            &user,
            vec![("https_proxy", "socks5://p:1")],
            "https_proxy names a SOCKS proxy",
            "http://host:port",
        ),
    ] {
        let output = company.doctor(user, &change, &["--json"]);
        assert_eq!(output.status.code(), Some(1), "{change:?}");
        let checks = checks(&output);
        let network = check(&checks, "network");
        assert_eq!(network["status"], "fail", "{network}");
        assert!(network["message"].as_str().unwrap().contains(what), "{network}");
        assert!(network["fix"].as_str().unwrap().contains(fix), "{network}");
        assert_ne!(check(&checks, "credentials")["status"], "ok");
    }
    // In two cases a tunnel is opened, by two checks each; what showed a certificate that is not
    // accepted is not asked again.
    let opened = company.opened();
    assert_eq!(opened.len(), 4, "{opened:?}");
}

#[test]
fn fips_endpoints_are_asked_and_said() {
    let company = Company::start();
    let output = company.doctor(&user(), &[("AWS_USE_FIPS_ENDPOINT", "true")], &["--json"]);
    let checks = checks(&output);
    let network = check(&checks, "network");
    assert!(network["message"].as_str().unwrap().ends_with("; FIPS endpoints"), "{network}");
    assert_eq!(check(&checks, "permission/ec2:DescribeInstances")["status"], "ok");
    let hosts = company.opened();
    assert!(hosts.iter().any(|h| h == "sts-fips.us-east-1.amazonaws.com:443"), "{hosts:?}");
    assert!(hosts.iter().all(|h| h.contains("-fips.")), "{hosts:?}");
}

#[test]
fn the_cockpit_shows_the_fleet_through_the_proxy() {
    let company = Company::start();
    let home = tempfile::tempdir().unwrap();
    let env = company.command(home.path(), &user());
    let env: Vec<(&str, &str)> = env.iter().map(|(name, value)| (*name, value.as_str())).collect();
    let pty = Pty::spawn(BURNTOP, &["--region", "us-east-1"], &env, ROOMY);
    pty.wait_for("train-7b-old");
    quit(pty);
    assert!(!company.opened().is_empty());
}
