//! Programs of a kubeconfig that make credentials: run without a shell, without input, within a limit of time and output.

use std::path::{Path, PathBuf};
use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use serde::Deserialize;
use serde_json::json;
use tokio::io::AsyncReadExt as _;
use tokio::process::Command;

use super::OPERATION;
use super::kubeconfig::{Exec, resolved};
use crate::domain::format::span;
use crate::domain::text::clean_to;
use crate::domain::{ErrorKind, Secret, SourceError};
use crate::files;
use crate::source::ssh::call::Call;

/// Versions of the interface that are spoken.
const VERSIONS: [&str; 2] =
    ["client.authentication.k8s.io/v1", "client.authentication.k8s.io/v1beta1"];

/// Most bytes that a program may print.
const OUTPUT_AT_MOST: u64 = 256 << 10;

/// Characters of its last words that a message repeats.
const SAID_AT_MOST: usize = 200;

/// A credential is renewed so long before its end.
const BEFORE_END: SignedDuration = SignedDuration::from_secs(30);

/// What a program made.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Credential {
    /// Bearer token.
    pub token: Option<Secret>,
    /// Certificate of the client and its key, PEM.
    pub identity: Option<Secret>,
    /// When it ends; `None` = it lasts until the server refuses it.
    ends: Option<Timestamp>,
}

impl Credential {
    /// True for one that has not ended yet, nor does soon.
    pub fn lasts(&self, now: Timestamp) -> bool {
        self.ends.is_none_or(|ends| ends.duration_since(now) > BEFORE_END)
    }
}

/// What the cluster is, for a program that asks for it.
pub(super) struct ClusterInfo<'a> {
    pub server: &'a str,
    pub tls_server_name: Option<&'a str>,
    pub is_insecure: bool,
    /// PEM.
    pub ca: Option<&'a [u8]>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Answer {
    api_version: String,
    kind: String,
    status: Option<AnswerStatus>,
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct AnswerStatus {
    token: Option<Secret>,
    client_certificate_data: Option<Secret>,
    client_key_data: Option<Secret>,
    expiration_timestamp: Option<String>,
}

/// Runs the program. Err where it fails, takes too long, prints too much, or prints no credential.
pub(super) async fn run(
    exec: &Exec,
    cluster: &ClusterInfo<'_>,
    dir: &Path,
    (now, limit): (Timestamp, Duration),
) -> Result<Credential, SourceError> {
    let called = Called(exec);
    let version = exec.api_version.as_deref().unwrap_or_default();
    if !VERSIONS.contains(&version) {
        let why = format!("speaks \"{version}\", which is not supported");
        let fix = "give its `apiVersion` as client.authentication.k8s.io/v1 or v1beta1";
        return Err(called.error(ErrorKind::Unavailable, &why, fix));
    }
    if exec.interactive_mode.as_deref() == Some("Always") {
        let fix = "burntop gives it no terminal; set its `interactiveMode` to IfAvailable or Never";
        return Err(called.error(ErrorKind::Unavailable, "wants to ask a person", fix));
    }
    let work = async {
        let started = Call::spawn(command(exec, cluster, dir, version));
        let (call, out) = started.map_err(|error| called.not_started(&error))?;
        let mut bytes = Vec::new();
        let _ = out.take(OUTPUT_AT_MOST + 1).read_to_end(&mut bytes).await;
        if bytes.len() as u64 > OUTPUT_AT_MOST {
            let why = format!("prints more than {} KiB", OUTPUT_AT_MOST >> 10);
            return Err(called.error(ErrorKind::Malformed, &why, "run it by hand to see what"));
        }
        let ended = call.end("").await;
        if ended.code == Some(0) {
            return Ok(bytes);
        }
        let said = ended.said.lines().map(str::trim).rfind(|line| !line.is_empty());
        let said = said.map_or(String::new(), |said| format!(": {}", clean_to(said, SAID_AT_MOST)));
        let how =
            ended.code.map_or("was ended".to_owned(), |code| format!("ended with code {code}"));
        let fix = "run it by hand with the same user, or log in anew";
        Err(called.error(ErrorKind::NoCredentials, &format!("{how}{said}"), fix))
    };
    let late = |_| {
        let limit = span(i64::try_from(limit.as_secs()).unwrap_or(i64::MAX));
        let why = format!("made no credential within {limit}");
        Err(called.error(ErrorKind::Timeout, &why, "run it by hand to see what it waits for"))
    };
    let printed = tokio::time::timeout(limit, work).await.unwrap_or_else(late)?;
    let credential = called.credential(&printed, version)?;
    if credential.ends.is_some_and(|ends| ends <= now) {
        let fix = "check this machine's clock, and run the program by hand";
        return Err(called.error(ErrorKind::Expired, "made a credential that has ended", fix));
    }
    Ok(credential)
}

/// The call, with no shell in between.
fn command(exec: &Exec, cluster: &ClusterInfo<'_>, dir: &Path, version: &str) -> Command {
    // As kubectl: a name is looked for in the PATH, a path goes out from the kubeconfig's directory.
    let program = match exec.command.contains('/') {
        true => resolved(dir, Path::new(&exec.command)),
        false => PathBuf::from(&exec.command),
    };
    let mut spec = json!({ "interactive": false });
    if exec.provide_cluster_info == Some(true) {
        let ca = cluster.ca.map(aws_smithy_types::base64::encode);
        let mut info = json!({ "server": cluster.server });
        if let Some(name) = cluster.tls_server_name {
            info["tls-server-name"] = name.into();
        }
        if cluster.is_insecure {
            info["insecure-skip-tls-verify"] = true.into();
        }
        if let Some(ca) = ca {
            info["certificate-authority-data"] = ca.into();
        }
        spec["cluster"] = info;
    }
    let info = json!({ "apiVersion": version, "kind": "ExecCredential", "spec": spec });
    let mut command = Command::new(program);
    command.args(exec.args.iter().flatten()).env("KUBERNETES_EXEC_INFO", info.to_string());
    let variables = exec.env.iter().flatten();
    command.envs(variables.map(|of| (of.name.as_str(), of.value.reveal())));
    command
}

/// The program, for messages.
struct Called<'a>(&'a Exec);

impl Called<'_> {
    fn error(&self, kind: ErrorKind, why: &str, fix: &str) -> SourceError {
        let name = clean_to(&self.0.command, SAID_AT_MOST);
        SourceError::new(kind, OPERATION, &format!("the credential program {name} {why}"), fix)
    }

    fn not_started(&self, error: &std::io::Error) -> SourceError {
        let why = format!("cannot be started: {}", files::reason(error));
        let hint = self.0.install_hint.as_deref().and_then(|hint| hint.lines().next());
        let hint = hint.map(|hint| clean_to(hint.trim(), SAID_AT_MOST)).filter(|h| !h.is_empty());
        let fix = hint.as_deref().unwrap_or("install it, or put its directory into the PATH");
        self.error(ErrorKind::NoCredentials, &why, fix)
    }

    /// What it printed. No error repeats any of it.
    fn credential(&self, printed: &[u8], version: &str) -> Result<Credential, SourceError> {
        let wrong = |why: &str| {
            let fix =
                "run it by hand: it has to print an ExecCredential with a token or a certificate";
            self.error(ErrorKind::Malformed, why, fix)
        };
        let answer: Answer = serde_json::from_slice(printed).map_err(|error| {
            let place = format!("line {}, column {}", error.line(), error.column());
            wrong(&format!("prints no ExecCredential ({place})"))
        })?;
        if answer.kind != "ExecCredential" || answer.api_version != version {
            return Err(wrong(
                "prints another version of ExecCredential than its `apiVersion` says",
            ));
        }
        let status = answer.status.unwrap_or_default();
        let ends = match &status.expiration_timestamp {
            None => None,
            Some(text) => Some(
                text.parse::<Timestamp>()
                    .map_err(|_| wrong("prints an expirationTimestamp that is no time"))?,
            ),
        };
        let some =
            |secret: Option<Secret>| secret.filter(|secret| !secret.reveal().trim().is_empty());
        let token = some(status.token);
        let pair = (some(status.client_certificate_data), some(status.client_key_data));
        let identity = match pair {
            (Some(certificate), Some(key)) => {
                Some(Secret::new(format!("{}\n{}", certificate.reveal(), key.reveal())))
            }
            (None, None) => None,
            _ => return Err(wrong("prints a certificate without its key, or a key alone")),
        };
        if token.is_none() && identity.is_none() {
            return Err(wrong("prints neither a token nor a certificate"));
        }
        Ok(Credential { token, identity, ends })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::program;

    const V1: &str = "client.authentication.k8s.io/v1";

    fn now() -> Timestamp {
        "2026-11-20T12:00:00Z".parse().unwrap()
    }

    fn exec(command: &str) -> Exec {
        Exec { api_version: Some(V1.into()), command: command.into(), ..Exec::default() }
    }

    async fn made(script: &str, exec: Exec) -> Result<Credential, SourceError> {
        let dir = tempfile::tempdir().unwrap();
        program::write(&dir.path().join("plugin"), &format!("#!/bin/sh\n{script}\n"));
        let info = ClusterInfo {
            server: "https://c",
            tls_server_name: None,
            is_insecure: false,
            ca: Some(b"ABC"),
        };
        run(&exec, &info, dir.path(), (now(), Duration::from_secs(20))).await
    }

    fn printed(version: &str, status: &str) -> String {
        format!(r#"echo '{{"apiVersion":"{version}","kind":"ExecCredential","status":{status}}}'"#)
    }

    #[tokio::test]
    async fn a_token_comes_with_its_end_by_either_version() {
        let status = r#"{"token":"hunter2","expirationTimestamp":"2026-11-20T12:14:00Z"}"#;
        for version in VERSIONS {
            let exec = Exec { api_version: Some(version.into()), ..exec("./plugin") };
            let of = made(&printed(version, status), exec).await.unwrap();
            assert_eq!(of.token.as_ref().unwrap().reveal(), "hunter2");
            assert!(of.lasts(now()));
            assert!(!of.lasts("2026-11-20T12:13:45Z".parse().unwrap()), "15 s before its end");
        }
    }

    #[tokio::test]
    async fn it_is_told_the_cluster_and_gets_arguments_as_they_are() {
        let script = r#"
[ "$1" = 'a b;$(touch /tmp/x)' ] || exit 3
[ "$WHO" = hunter2 ] || exit 4
case "$KUBERNETES_EXEC_INFO" in *'"certificate-authority-data":"QUJD"'*) ;; *) exit 5;; esac
case "$KUBERNETES_EXEC_INFO" in *'"interactive":false'*) ;; *) exit 6;; esac"#;
        let script = format!("{script}\n{}", printed(V1, r#"{"token":"t"}"#));
        let variable = super::super::kubeconfig::Variable {
            name: "WHO".into(),
            value: Secret::new("hunter2"),
        };
        let exec = Exec {
            args: Some(vec!["a b;$(touch /tmp/x)".into()]),
            env: Some(vec![variable]),
            provide_cluster_info: Some(true),
            ..exec("./plugin")
        };
        assert_eq!(made(&script, exec).await.unwrap().token.unwrap().reveal(), "t");
    }

    #[tokio::test]
    async fn what_is_no_credential_is_told_and_not_repeated() {
        let ended = r#"{"token":"hunter2","expirationTimestamp":"2026-11-20T11:00:00Z"}"#;
        let odd = r#"{"token":"hunter2","expirationTimestamp":"soon"}"#;
        for (script, why, kind) in [
            ("echo hunter2".to_owned(), "prints no ExecCredential", ErrorKind::Malformed),
            (printed(V1, "{}"), "neither a token", ErrorKind::Malformed),
            (
                printed(V1, r#"{"token":{"a":"hunter2"}}"#),
                "no ExecCredential",
                ErrorKind::Malformed,
            ),
            (printed(V1, r#"{"clientKeyData":"hunter2"}"#), "a key alone", ErrorKind::Malformed),
            (printed(V1, odd), "that is no time", ErrorKind::Malformed),
            (printed(V1, ended), "has ended", ErrorKind::Expired),
            (
                printed(VERSIONS[1], r#"{"token":"hunter2"}"#),
                "another version",
                ErrorKind::Malformed,
            ),
            (
                "echo no session >&2; exit 7".to_owned(),
                "code 7: no session",
                ErrorKind::NoCredentials,
            ),
            ("head -c 300000 /dev/zero".to_owned(), "more than 256 KiB", ErrorKind::Malformed),
        ] {
            let error = made(&script, exec("./plugin")).await.unwrap_err();
            assert!(error.message.contains(why) && error.kind == kind, "{script}: {error:?}");
            assert!(!format!("{error:?}").contains("hunter2"), "{error:?}");
        }
        let hint = Exec { install_hint: Some("get it at example.com".into()), ..exec("./absent") };
        assert_eq!(made("", hint).await.unwrap_err().fix, "get it at example.com");
        let old = Exec {
            api_version: Some("client.authentication.k8s.io/v1alpha1".into()),
            ..exec("./plugin")
        };
        assert!(made("", old).await.unwrap_err().message.contains("not supported"));
        let asks = Exec { interactive_mode: Some("Always".into()), ..exec("./plugin") };
        assert!(made("", asks).await.unwrap_err().message.contains("a person"));
    }
}
