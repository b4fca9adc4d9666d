//! Real files, programs, portals and processes: the AWS config files are found by the environment, so
//! each account is asked by a process of its own, a copy of this one.

use std::fmt::Write as _;
use std::io::{BufRead, BufReader, Write as _};
use std::path::PathBuf;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::{Arc, Mutex};

use aws_types::os_shim_internal::{Env, Fs};
use futures_util::FutureExt as _;
use tempfile::TempDir;

use super::super::testing::{Reply, Request, Server};
use super::super::{AccountSource, connect};
use super::*;
use crate::source::Provider as _;

const PROFILE: &str = "BURNTOP_TEST_PROFILE";
const SECRET: &str = "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY";
const SESSION: &str = "[sso-session corp]\nsso_start_url = https://corp.example/start\n\
    sso_region = us-east-1\n\
    [profile ml]\nsso_session = corp\nsso_account_id = 123456789012\nsso_role_name = Reader\n\
    region = us-east-1\n";

/// A home with AWS config files, and what is asked in it.
pub struct Home {
    pub dir: TempDir,
    env: Vec<(&'static str, String)>,
}

impl Home {
    pub fn new(config: &str) -> Self {
        let dir = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(dir.path().join(".aws/sso/cache")).unwrap();
        std::fs::write(dir.path().join(".aws/config"), config).unwrap();
        Self { dir, env: Vec::new() }
    }

    pub fn with(mut self, name: &'static str, value: &str) -> Self {
        self.env.push((name, value.to_owned()));
        self
    }

    /// What `aws sso login` leaves.
    fn log_in(&self, key: &str, token: &str, until: &str) {
        let name = Sha1::digest(key.as_bytes()).iter().fold(String::new(), |mut out, byte| {
            write!(out, "{byte:02x}").unwrap();
            out
        });
        let text = format!("{{\"accessToken\": \"{token}\", \"expiresAt\": \"{until}\"}}");
        let cache = self.dir.path().join(".aws/sso/cache");
        std::fs::write(cache.join(format!("{name}.json")), text).unwrap();
    }

    fn script(&self, text: &str) -> PathBuf {
        use std::os::unix::fs::PermissionsExt as _;
        let path = self.dir.path().join("credentials.sh");
        std::fs::write(&path, format!("#!/bin/sh\n{text}\n")).unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o700)).unwrap();
        path
    }

    pub fn account(&self, profile: &str) -> Asked {
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["source::aws::login::tests::an_account_in_a_process_of_its_own", "--exact"])
            .arg("--nocapture")
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("HOME", self.dir.path())
            .env("AWS_EC2_METADATA_DISABLED", "true")
            .env(PROFILE, profile)
            .envs(self.env.iter().map(|(name, value)| (name, value)))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let (input, output) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
        Asked { child, input, output: BufReader::new(output) }
    }
}

/// An account in another process.
pub struct Asked {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl Asked {
    /// Asks who it is: `ok account`, or `kind | message | fix`.
    pub fn who(&mut self) -> String {
        self.input.write_all(b"who\n").unwrap();
        let mut line = String::new();
        while self.output.read_line(&mut line).unwrap() > 0 {
            if let Some((_, answer)) = line.split_once("ANSWER ") {
                return answer.trim_end().to_owned();
            }
            line.clear();
        }
        panic!("the process ended");
    }
}

impl Drop for Asked {
    fn drop(&mut self) {
        let _gone = self.child.kill();
        let _gone = self.child.wait();
    }
}

#[test]
fn an_account_in_a_process_of_its_own() {
    let Ok(profile) = std::env::var(PROFILE) else { return };
    let source = AccountSource {
        label: "ml".into(),
        profile: Some(profile).filter(|p| !p.is_empty()),
        assume_role: None,
        region_hint: None,
    };
    let account = connect(source);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    for _ in std::io::stdin().lines() {
        match runtime.block_on(account.identity()) {
            Ok(who) => println!("ANSWER ok {}", who.account),
            Err(e) => println!("ANSWER {} | {} | {}", e.kind.word(), e.message, e.fix),
        }
    }
}

fn who() -> Reply {
    Reply::xml(
        "<GetCallerIdentityResponse xmlns=\"https://sts.amazonaws.com/doc/2011-06-15/\">\
         <GetCallerIdentityResult><Arn>arn:aws:iam::123456789012:user/kim</Arn><UserId>U</UserId>\
         <Account>123456789012</Account></GetCallerIdentityResult></GetCallerIdentityResponse>",
    )
}

/// An SSO portal that takes one token, which can be changed, and STS. Credentials are good for no
/// time at all, so that each call asks for them anew.
fn portal(token: &str) -> (Server, Arc<Mutex<String>>) {
    let good = Arc::new(Mutex::new(token.to_owned()));
    let wanted = good.clone();
    let server = Server::start(move |_, request| {
        if !request.path.starts_with("/federation/credentials") {
            return who();
        }
        assert!(request.path.contains("role_name=Reader"), "{}", request.path);
        if request.header("x-amz-sso_bearer_token") == Some(wanted.lock().unwrap().as_str()) {
            let body = format!(
                "{{\"roleCredentials\": {{\"accessKeyId\": \"ASIAEXAMPLE\", \"secretAccessKey\": \
                 \"{SECRET}\", \"sessionToken\": \"t\", \"expiration\": 1000}}}}"
            );
            return Reply::new(200, "application/json", body);
        }
        let body = b"{\"message\": \"Session token not found or invalid\"}".to_vec();
        let kind = "x-amzn-errortype: UnauthorizedException\r\n";
        Reply::Whole(401, "application/json", kind.into(), body)
    });
    (server, good)
}

fn sso_home(config: &str, portal: &Server) -> Home {
    Home::new(config)
        .with("AWS_ENDPOINT_URL_SSO", &portal.url)
        .with("AWS_ENDPOINT_URL_STS", &portal.url)
}

#[test]
fn an_sso_session_that_ends_in_the_middle_is_named_and_a_new_login_goes_on_without_a_restart() {
    let (portal, good) = portal("first");
    let home = sso_home(SESSION, &portal);
    let mut account = home.account("ml");
    let login = "run `aws sso login --sso-session corp`; burntop goes on by itself then";
    assert_eq!(
        account.who(),
        format!(
            "no credentials | SSO session `corp` of profile `ml`: nobody is logged in | {login}"
        )
    );
    home.log_in("corp", "first", "2099-01-01T00:00:00Z");
    assert_eq!(account.who(), "ok 123456789012");

    // The portal ends it, long before the token's own time.
    *good.lock().unwrap() = "second".to_owned();
    let ended = "expired | SSO session `corp` of profile `ml` was ended before its time";
    assert_eq!(account.who(), format!("{ended} | {login}"));
    assert_eq!(account.who(), format!("{ended} | {login}"), "a failure is not kept either");
    home.log_in("corp", "second", "2099-01-01T00:00:00Z");
    assert_eq!(account.who(), "ok 123456789012");
}

#[test]
fn a_token_whose_time_is_over_says_when_it_ended() {
    let (portal, _) = portal("new");
    let home = sso_home(SESSION, &portal);
    home.log_in("corp", "old", "2026-02-03T04:05:06Z");
    let mut account = home.account("ml");
    let said = account.who();
    let ended = "expired | SSO session `corp` of profile `ml` ended at 2026-02-03 04:05 UTC | ";
    assert!(said.starts_with(ended), "{said}");
    home.log_in("corp", "new", "2099-01-01T00:00:00Z");
    assert_eq!(account.who(), "ok 123456789012");
}

#[test]
fn sso_written_into_the_profile_is_renewed_by_the_profile() {
    let (portal, _) = portal("new");
    let url = "https://corp.example/start";
    let config = format!(
        "[profile old]\nsso_start_url = {url}\nsso_region = us-east-1\n\
         sso_account_id = 123456789012\nsso_role_name = Reader\nregion = us-east-1\n"
    );
    let home = sso_home(&config, &portal);
    home.log_in(url, "old", "2026-02-03T04:05:06Z");
    let mut account = home.account("old");
    let said = account.who();
    assert!(said.starts_with("expired | the SSO login of profile `old` ended at "), "{said}");
    assert!(said.contains("`aws sso login --profile old`"), "{said}");
    home.log_in(url, "new", "2099-01-01T00:00:00Z");
    assert_eq!(account.who(), "ok 123456789012");
}

#[test]
fn a_profile_that_is_written_while_burntop_runs_is_found() {
    let (portal, _) = portal("token");
    let home = sso_home("", &portal);
    home.log_in("corp", "token", "2099-01-01T00:00:00Z");
    let mut account = home.account("ml");
    let said = account.who();
    assert!(said.starts_with("no credentials | "), "{said}");
    std::fs::write(home.dir.path().join(".aws/config"), SESSION).unwrap();
    assert_eq!(account.who(), "ok 123456789012");
}

#[test]
fn a_program_gives_credentials_and_its_failure_is_told_without_secrets() {
    let signed = Arc::new(Mutex::new(Vec::<String>::new()));
    let seen = signed.clone();
    let server = Server::start(move |_, request: &Request| {
        let by = ["AKIDPROCESS"].into_iter().find(|key| request.is_signed_by(key));
        seen.lock().unwrap().push(by.unwrap_or_default().to_owned());
        who()
    });
    let home = Home::new("").with("AWS_ENDPOINT_URL_STS", &server.url);
    let good = format!(
        "echo '{{\"Version\": 1, \"AccessKeyId\": \"AKIDPROCESS\", \"SecretAccessKey\": \"{SECRET}\"}}'"
    );
    let bad = |text: &str| format!("echo first line >&2; echo \"{text}\" >&2; exit 3");
    let path =
        home.script(&bad(&format!("no ticket of kim\x1b[31m: key {SECRET}, password=hunter2")));
    let config = format!(
        "[profile base]\nregion = us-east-1\ncredential_process = {} --token hunter2\n",
        path.display()
    );
    std::fs::write(home.dir.path().join(".aws/config"), config).unwrap();
    let mut account = home.account("base");
    let said = account.who();
    assert!(
        said.starts_with(
            "no credentials | credential_process of profile `base` failed (exit status: 3: no \
             ticket of kim"
        ),
        "{said}"
    );
    assert!(said.contains("profile `base` by hand"), "{said}");
    for secret in [SECRET, "hunter2", "\x1b"] {
        assert!(!said.contains(secret), "{said}");
    }
    home.script(&format!(
        "echo '{{\"AccessKeyId\": \"AKID\", \"SecretAccessKey\": \"{SECRET}\"}}'"
    ));
    let said = account.who();
    assert!(said.contains("failed (what it printed are no credentials)"), "{said}");
    assert!(!said.contains(SECRET), "{said}");

    home.script(&good);
    assert_eq!(account.who(), "ok 123456789012");
    assert_eq!(*signed.lock().unwrap(), ["AKIDPROCESS"]);
}

/// STS that hands out a role's credentials: the key is the last part of the role's name.
fn roles(request: &Request) -> Reply {
    let text = request.text();
    let Some((_, rest)) = text.split_once("role%2F") else { return who() };
    let name = rest.split('&').next().unwrap_or_default();
    Reply::xml(format!(
        "<AssumeRoleResponse xmlns=\"https://sts.amazonaws.com/doc/2011-06-15/\"><AssumeRoleResult>\
         <AssumedRoleUser><Arn>arn:aws:sts::1:assumed-role/{name}/s</Arn>\
         <AssumedRoleId>A:s</AssumedRoleId></AssumedRoleUser><Credentials>\
         <AccessKeyId>ASIA{name}</AccessKeyId><SecretAccessKey>{SECRET}</SecretAccessKey>\
         <SessionToken>t</SessionToken><Expiration>2099-01-01T00:00:00Z</Expiration>\
         </Credentials></AssumeRoleResult></AssumeRoleResponse>"
    ))
}

const CHAIN: &str = "[profile last]\nrole_arn = arn:aws:iam::222222222222:role/last\n\
    source_profile = middle\nexternal_id = of-last\nregion = us-east-1\n\
    [profile middle]\nrole_arn = arn:aws:iam::111111111111:role/middle\nsource_profile = base\n\
    [profile base]\naws_access_key_id = AKIDBASE\naws_secret_access_key = x\n\
    [profile inherits]\nrole_arn = arn:aws:iam::111111111111:role/inherited\n\
    credential_source = Environment\nregion = us-east-1\n";

#[test]
fn a_role_behind_a_role_is_assumed_link_by_link() {
    let signed = Arc::new(Mutex::new(Vec::<String>::new()));
    let seen = signed.clone();
    let server = Server::start(move |_, request| {
        let keys = ["AKIDBASE", "ASIAmiddle", "ASIAlast", "AKIDENV", "ASIAinherited"];
        let by = keys.into_iter().find(|key| request.is_signed_by(key)).unwrap_or("nobody");
        let outside = if request.mentions("ExternalId=of-last") { " of-last" } else { "" };
        seen.lock().unwrap().push(format!("{by}{outside}"));
        roles(request)
    });
    let home = Home::new(CHAIN).with("AWS_ENDPOINT_URL_STS", &server.url);
    assert_eq!(home.account("last").who(), "ok 123456789012");
    assert_eq!(*signed.lock().unwrap(), ["AKIDBASE", "ASIAmiddle of-last", "ASIAlast"]);

    signed.lock().unwrap().clear();
    let home = home.with("AWS_ACCESS_KEY_ID", "AKIDENV").with("AWS_SECRET_ACCESS_KEY", "x");
    assert_eq!(home.account("inherits").who(), "ok 123456789012");
    assert_eq!(*signed.lock().unwrap(), ["AKIDENV", "ASIAinherited"]);
}

#[test]
fn a_role_that_wants_mfa_says_what_to_do_instead() {
    let server = Server::start(|_, _| {
        let body = "<ErrorResponse xmlns=\"https://sts.amazonaws.com/doc/2011-06-15/\"><Error>\
            <Type>Sender</Type><Code>AccessDenied</Code><Message>User: arn:aws:iam::1:user/kim is \
            not authorized to perform: sts:AssumeRole on resource: arn:aws:iam::1:role/middle\
            </Message></Error></ErrorResponse>";
        Reply::new(403, "text/xml", body)
    });
    let serial = "mfa_serial = arn:aws:iam::111111111111:mfa/kim\n";
    let config =
        CHAIN.replace("source_profile = base\n", &format!("source_profile = base\n{serial}"));
    let home = Home::new(&config).with("AWS_ENDPOINT_URL_STS", &server.url);
    let said = home.account("last").who();
    assert!(
        said.starts_with("denied | the role of profile `middle` wants MFA (mfa_serial), and "),
        "{said}"
    );
    let command = "`aws sts get-session-token --serial-number arn:aws:iam::111111111111:mfa/kim \
                   --token-code CODE`";
    assert!(said.contains(command) && said.contains("source_profile of `middle`"), "{said}");
    // Without it the refusal is a matter of IAM.
    let plain = Home::new(CHAIN).with("AWS_ENDPOINT_URL_STS", &server.url);
    let said = plain.account("last").who();
    assert!(said.contains("may not call sts:AssumeRole"), "{said}");
}

fn login(config: &str, profile: &str) -> Option<Login> {
    let fs = Fs::from_slice(&[("/config", config)]);
    let files = [("AWS_CONFIG_FILE", "/config"), ("AWS_SHARED_CREDENTIALS_FILE", "/none")];
    let name = Some(profile.to_owned().into());
    let (env, paths) = (Env::from_slice(&files), Default::default());
    let sections = aws_config::profile::load(&fs, &env, &paths, name);
    Login::of(&sections.now_or_never().unwrap().unwrap())
}

#[test]
fn names_are_one_word_of_a_command_line() {
    assert_eq!(word("ml-prod.eu"), "ml-prod.eu");
    assert_eq!(word("old style"), "'old style'");
    assert_eq!(word("kim's; rm -r"), "'kim'\\''s; rm -r'");
    assert_eq!(word(""), "''");
}

#[test]
fn the_chain_of_a_profile_is_followed_as_the_sdk_does() {
    let sso =
        login(&format!("{SESSION}[profile role]\nrole_arn = a\nsource_profile = ml\n"), "role");
    assert_eq!(sso.unwrap().sso.unwrap().profile, "ml");
    // Keys win behind the first profile.
    let keys =
        format!("{SESSION}aws_access_key_id = A\n[profile r]\nrole_arn = a\nsource_profile = ml\n");
    assert_eq!(login(&keys, "r").unwrap().sso, None);
    let round = "[profile a]\nrole_arn = r\nsource_profile = b\n[profile b]\nrole_arn = r\n\
                 source_profile = a\n";
    assert_eq!(login(round, "a"), None);
    assert_eq!(login("", "nobody"), None);
    let console = "[profile c]\nlogin_session = arn:aws:iam::1:user/kim\n";
    let words = login(console, "c").unwrap();
    let words = words.words("cargo feature(s) enabled: credentials-login", Timestamp::UNIX_EPOCH);
    assert!(words.unwrap().fix.contains("aws configure export-credentials --profile c"));
}
