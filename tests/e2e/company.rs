//! burntop behind a company's proxy: AWS by its own names, through tunnels that the proxy looks
//! into, with certificates of a private authority. Behind the proxy stand the emulators.

use std::io::Write as _;
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::{Arc, Mutex};

use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use serde_json::Value;

use crate::committed::Committed;
use crate::emulators::emulators;
use crate::fault::{forward, read_request, read_request_of};
use crate::pricing::price_list;
use crate::pty::Pty;
use crate::world::{ROOMY, SECRET, quit};

const BURNTOP: &str = env!("CARGO_BIN_EXE_burntop");
const PASSWORD: &str = "hunter2-of-the-proxy";
/// kim and the password, as a proxy wants them.
const BASIC: &str = "Proxy-Authorization: Basic a2ltOmh1bnRlcjItb2YtdGhlLXByb3h5\r\n";

fn data(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/tls").join(name)
}

/// A proxy that lets nobody through without a password, and looks into each tunnel.
struct Company {
    port: u16,
    /// `host:port` of the tunnels that were opened.
    opened: Arc<Mutex<Vec<String>>>,
}

impl Company {
    fn start() -> Self {
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let chain = vec![CertificateDer::from_pem_file(data("aws.pem")).unwrap()];
        let key = PrivateKeyDer::from_pem_file(data("server.key")).unwrap();
        let config = rustls::ServerConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_no_client_auth()
            .with_single_cert(chain, key)
            .unwrap();
        let (config, opened) = (Arc::new(config), Arc::<Mutex<Vec<String>>>::default());
        let (ec2, prices) = (Committed::default().before(&emulators().moto), price_list());
        let services = Arc::new([ec2, emulators().cloudwatch.clone(), prices]);
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let seen = opened.clone();
        std::thread::spawn(move || {
            for client in listener.incoming().flatten() {
                let (config, services, seen) = (config.clone(), services.clone(), seen.clone());
                std::thread::spawn(move || tunnel(client, config, &services, &seen));
            }
        });
        Self { port, opened }
    }

    fn command(&self, home: &Path, user: &str) -> Vec<(&'static str, String)> {
        vec![
            ("HOME", home.display().to_string()),
            ("AWS_EC2_METADATA_DISABLED", "true".into()),
            ("AWS_ACCESS_KEY_ID", "testing".into()),
            ("AWS_SECRET_ACCESS_KEY", SECRET.into()),
            ("HTTPS_PROXY", format!("http://{user}127.0.0.1:{}", self.port)),
            ("AWS_CA_BUNDLE", data("aws-ca.pem").display().to_string()),
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

fn tunnel(
    mut client: TcpStream,
    config: Arc<rustls::ServerConfig>,
    services: &[String; 3],
    seen: &Mutex<Vec<String>>,
) -> Option<()> {
    let (head, _) = read_request(&mut client).ok()??;
    if !head.to_lowercase().contains(&BASIC.to_lowercase()) {
        let refused = "HTTP/1.1 407 Proxy Authentication Required\r\nContent-Length: 0\r\n\r\n";
        return client.write_all(refused.as_bytes()).ok();
    }
    let host = head.strip_prefix("CONNECT ")?.split(' ').next()?.to_owned();
    client.write_all(b"HTTP/1.1 200 Connection established\r\n\r\n").ok()?;
    let upstream = match host.as_str() {
        h if h.starts_with("monitoring") => &services[1],
        h if h.starts_with("api.pricing.") => &services[2],
        _ => &services[0],
    };
    let upstream = upstream.trim_start_matches("http://").trim_end_matches('/');
    seen.lock().unwrap().push(host);
    let mut tls = rustls::StreamOwned::new(rustls::ServerConnection::new(config).ok()?, client);
    let (head, body) = read_request_of(&mut tls).ok()??;
    tls.write_all(&forward(upstream, &head, &body).ok()?).ok()?;
    tls.conn.send_close_notify();
    tls.flush().ok()
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
        company.port,
        data("aws-ca.pem").display()
    );
    assert!(said.contains(&format!("  {way}\n")), "{said}");
    assert!(
        said.contains("arn:aws:iam::123456789012:user/moto")
            || said.contains("in account 123456789012"),
        "{said}"
    );
    let mut hosts = company.opened.lock().unwrap().clone();
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
    let other = data("ca.pem").display().to_string();
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
    let opened = company.opened.lock().unwrap();
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
    let hosts = company.opened.lock().unwrap();
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
    assert!(!company.opened.lock().unwrap().is_empty());
}
