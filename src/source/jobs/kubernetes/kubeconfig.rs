//! Kubeconfigs: which server a context means, and who asks there. No file is opened here.

use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_saphyr::{Options, budget, options};

use crate::domain::text::clean;
use crate::domain::{Address, Secret};

/// Largest kubeconfig, bytes.
pub(super) const AT_MOST: u64 = 4 << 20;

/// Nesting and nodes of a kubeconfig at most.
const DEEPEST: usize = 64;
const MOST_NODES: usize = 200_000;

/// Why a kubeconfig cannot be used. No text of it that may be a secret is repeated.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum KubeconfigError {
    /// It is no YAML, or has other things than a kubeconfig.
    #[error("line {line}, column {column}: this is not what a kubeconfig has there")]
    Syntax {
        /// Line, from 1.
        line: u64,
        /// Column, from 1.
        column: u64,
    },
    /// No context is named, by the file or by the configuration.
    #[error("it names no current context; set `context`, or `kubectl config use-context NAME`")]
    NoContext,
    /// It lacks what is named.
    #[error("it has no {kind} \"{name}\"; it has {known}")]
    Unknown {
        /// `context`, `cluster`, `user`.
        kind: &'static str,
        /// The name.
        name: String,
        /// Names that it has.
        known: String,
    },
    /// Two things have one name.
    #[error("it has two {kind}s \"{name}\", and which is meant cannot be told; rename one of them")]
    Two {
        /// `context`, `cluster`, `user`.
        kind: &'static str,
        /// The name.
        name: String,
    },
    /// The cluster has no address.
    #[error("the cluster \"{0}\" has no `server`")]
    NoServer(String),
    /// Something that burntop does not do, with what helps.
    #[error("`{0}` is not supported; {1}")]
    Unsupported(&'static str, &'static str),
    /// Certificates are not to be checked, and the configuration does not allow it.
    #[error(
        "the cluster \"{0}\" has `insecure-skip-tls-verify`, by which anybody in between can take its \
         place; give it `certificate-authority`, or allow it by `insecure_skip_tls_verify = true`"
    )]
    Insecure(String),
    /// Several credentials, of which one alone can count.
    #[error("the user has `exec` and a token, and which counts cannot be told; keep one of them")]
    Ambiguous,
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "kebab-case")]
struct File {
    current_context: Option<String>,
    clusters: Option<Vec<NamedCluster>>,
    contexts: Option<Vec<NamedContext>>,
    users: Option<Vec<NamedUser>>,
}

#[derive(Deserialize)]
struct NamedCluster {
    name: String,
    cluster: Option<Cluster>,
}

#[derive(Deserialize)]
struct NamedContext {
    name: String,
    context: Option<Context>,
}

#[derive(Deserialize)]
struct NamedUser {
    name: String,
    user: Option<User>,
}

#[derive(Clone, Default, Deserialize)]
#[serde(default)]
struct Context {
    cluster: String,
    user: String,
}

/// A cluster of a kubeconfig.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, rename_all = "kebab-case")]
pub(super) struct Cluster {
    pub server: Option<Address>,
    pub certificate_authority: Option<PathBuf>,
    /// PEM in base64.
    pub certificate_authority_data: Option<String>,
    pub insecure_skip_tls_verify: Option<bool>,
    pub tls_server_name: Option<String>,
    proxy_url: Option<Secret>,
}

/// Who asks.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, rename_all = "kebab-case")]
pub(super) struct User {
    pub token: Option<Secret>,
    #[serde(rename = "tokenFile")]
    pub token_file: Option<PathBuf>,
    pub client_certificate: Option<PathBuf>,
    pub client_certificate_data: Option<String>,
    pub client_key: Option<PathBuf>,
    pub client_key_data: Option<Secret>,
    pub exec: Option<Exec>,
    username: Option<Secret>,
    password: Option<Secret>,
    #[serde(rename = "as")]
    as_user: Option<String>,
    auth_provider: Option<IgnoredAny>,
}

/// A program that makes credentials.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct Exec {
    pub api_version: Option<String>,
    pub command: String,
    pub args: Option<Vec<String>>,
    pub env: Option<Vec<Variable>>,
    pub interactive_mode: Option<String>,
    pub install_hint: Option<String>,
    pub provide_cluster_info: Option<bool>,
}

/// A variable of its environment.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub(super) struct Variable {
    pub name: String,
    pub value: Secret,
}

/// What a context means.
#[derive(Clone, Debug)]
pub(super) struct Chosen {
    /// Name of the cluster in the file, clean.
    pub name: String,
    pub cluster: Cluster,
    pub user: User,
}

/// Where the text has an anchor that repeats itself, what it grows to is bounded.
fn bounds() -> Options {
    let mut options = options! {
        budget: budget! {
            max_depth: DEEPEST,
            max_nodes: MOST_NODES,
            max_events: MOST_NODES * 3,
            max_aliases: 1_000,
            max_anchors: 1_000,
            max_documents: 1,
        },
    };
    options.alias_limits.max_total_replayed_events = MOST_NODES;
    options.alias_limits.max_replay_stack_depth = 16;
    options
}

/// What a context of a kubeconfig means; `context` = `None` for its current one. Err where it cannot be used as it stands.
pub(super) fn choose(
    text: &str,
    context: Option<&str>,
    may_be_insecure: bool,
) -> Result<Chosen, KubeconfigError> {
    let file: File = serde_saphyr::from_str_with_options(text, bounds()).map_err(|error| {
        // What the reader says may repeat a token: its place alone is told.
        let (line, column) = error.location().map_or((1, 1), |at| (at.line(), at.column()));
        KubeconfigError::Syntax { line, column }
    })?;
    let named = context.map(str::to_owned).or(file.current_context);
    let named = named.filter(|name| !name.is_empty()).ok_or(KubeconfigError::NoContext)?;
    let contexts = file.contexts.unwrap_or_default();
    let pairs = contexts.into_iter().map(|of| (of.name, of.context.unwrap_or_default()));
    let context = one("context", &named, pairs.collect())?;
    let pairs = file.clusters.unwrap_or_default();
    let pairs = pairs.into_iter().map(|of| (of.name, of.cluster.unwrap_or_default()));
    let cluster = one("cluster", &context.cluster, pairs.collect())?;
    let user = if context.user.is_empty() {
        User::default()
    } else {
        let pairs = file.users.unwrap_or_default();
        let pairs = pairs.into_iter().map(|of| (of.name, of.user.unwrap_or_default()));
        one("user", &context.user, pairs.collect())?
    };
    let name = clean(&context.cluster).into_owned();
    if cluster.server.is_none() {
        return Err(KubeconfigError::NoServer(name));
    }
    if cluster.insecure_skip_tls_verify == Some(true) && !may_be_insecure {
        return Err(KubeconfigError::Insecure(name));
    }
    usable(&cluster, &user)?;
    Ok(Chosen { name, cluster, user })
}

/// Err where something is set that would have to be followed, and is not.
fn usable(cluster: &Cluster, user: &User) -> Result<(), KubeconfigError> {
    let is_set = |secret: &Option<Secret>| secret.as_ref().is_some_and(|s| !s.reveal().is_empty());
    let odd = if is_set(&cluster.proxy_url) {
        Some(("proxy-url", "set HTTPS_PROXY in the environment instead"))
    } else if user.auth_provider.is_some() {
        Some(("auth-provider", "Kubernetes has dropped it; use `exec`"))
    } else if is_set(&user.username) || is_set(&user.password) {
        Some(("username", "Kubernetes has dropped passwords; use a token, a certificate or `exec`"))
    } else if user.as_user.as_deref().is_some_and(|name| !name.is_empty()) {
        Some(("as", "name a context whose user may read by itself"))
    } else {
        None
    };
    if let Some((what, instead)) = odd {
        return Err(KubeconfigError::Unsupported(what, instead));
    }
    let has_token = is_set(&user.token) || user.token_file.is_some();
    if user.exec.is_some() && has_token { Err(KubeconfigError::Ambiguous) } else { Ok(()) }
}

/// The one thing of a name.
fn one<T>(kind: &'static str, name: &str, all: Vec<(String, T)>) -> Result<T, KubeconfigError> {
    let known: Vec<String> = all.iter().map(|(name, _)| clean(name).into_owned()).collect();
    let mut found = all.into_iter().filter(|(of, _)| of == name);
    let shown = || clean(name).into_owned();
    match (found.next(), found.next()) {
        (Some((_, of)), None) => Ok(of),
        (Some(_), Some(_)) => Err(KubeconfigError::Two { kind, name: shown() }),
        (None, _) => {
            let known = match known.len() {
                0 => "none".to_owned(),
                _ => known.into_iter().take(10).collect::<Vec<_>>().join(", "),
            };
            Err(KubeconfigError::Unknown { kind, name: shown(), known })
        }
    }
}

/// A path as a kubeconfig means it: from its own directory on.
pub(super) fn resolved(dir: &Path, path: &Path) -> PathBuf {
    dir.join(path)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const GOOD: &str = r#"
apiVersion: v1
kind: Config
preferences: {}
current-context: prod
clusters:
- name: prod-cluster
  cluster:
    server: "https://10.0.0.1:6443"
    certificate-authority-data: QUJD
    tls-server-name: kubernetes
- name: lab
  cluster:
    server: https://lab.example.com
    insecure-skip-tls-verify: true
contexts:
- context:
    cluster: prod-cluster
    namespace: ml
    user: me
  name: prod
- context: {cluster: lab, user: token}
  name: lab
users:
- name: me
  user:
    exec:
      apiVersion: client.authentication.k8s.io/v1beta1
      command: aws
      args:
      - eks
      - get-token
      env:
      - name: AWS_PROFILE
        value: research
      interactiveMode: IfAvailable
      provideClusterInfo: false
- name: token
  user:
    token: hunter2
"#;

    #[test]
    fn a_context_means_a_cluster_and_a_user() {
        let of = choose(GOOD, None, false).unwrap();
        assert_eq!(of.name, "prod-cluster");
        assert_eq!(of.cluster.server.unwrap().reveal(), "https://10.0.0.1:6443");
        assert_eq!(of.cluster.tls_server_name.as_deref(), Some("kubernetes"));
        let exec = of.user.exec.unwrap();
        assert_eq!((exec.command.as_str(), exec.args.unwrap().len()), ("aws", 2));
        assert_eq!(exec.env.unwrap()[0].value.reveal(), "research");
    }

    #[test]
    fn json_is_a_kubeconfig_too() {
        let json = r#"{"current-context":"a","clusters":[{"name":"c","cluster":{"server":"https://c"}}],
            "contexts":[{"name":"a","context":{"cluster":"c","user":"u"}}],
            "users":[{"name":"u","user":{"token":"t"}}],"extra":null}"#;
        assert_eq!(choose(json, None, false).unwrap().user.token.unwrap().reveal(), "t");
    }

    #[test]
    fn a_cluster_whose_certificate_is_not_checked_is_refused_unless_that_is_allowed() {
        let error = choose(GOOD, Some("lab"), false).unwrap_err();
        assert_eq!(error, KubeconfigError::Insecure("lab".into()));
        assert!(choose(GOOD, Some("lab"), true).is_ok());
    }

    #[test]
    fn what_cannot_be_told_is_refused_with_what_helps() {
        let two = GOOD.replace("name: lab\nusers", "name: prod\nusers");
        let of = |text: &str, context| choose(text, context, false).unwrap_err().to_string();
        assert!(of(&two, None).contains("two contexts \"prod\""), "{}", of(&two, None));
        assert!(of(GOOD, Some("prd")).contains("no context \"prd\"; it has prod, lab"));
        assert!(of("{}", None).contains("no current context"));
        assert!(of("current-context: a", None).contains("it has none"));
        for (line, word) in [
            ("    proxy-url: http://u:hunter2@p", "proxy-url"),
            ("    tls-server-name: a\n    proxy-url: socks5://p", "proxy-url"),
        ] {
            let text = GOOD.replace("    tls-server-name: kubernetes", line);
            let said = of(&text, None);
            assert!(said.contains(word) && !said.contains("hunter2"), "{said}");
        }
        let lines = [
            ("auth-provider: {name: gcp}", "auth-provider"),
            ("username: u\n    password: hunter2", "username"),
            ("as: admin", "as"),
        ];
        for (line, word) in lines {
            let text = GOOD.replace("    token: hunter2", &format!("    {line}"));
            let said = choose(&text, Some("lab"), true).unwrap_err().to_string();
            assert!(said.contains(&format!("`{word}`")) && !said.contains("hunter2"), "{said}");
        }
        let both = GOOD.replace("    exec:", "    token: hunter2\n    exec:");
        assert_eq!(choose(&both, None, false).unwrap_err(), KubeconfigError::Ambiguous);
    }

    #[test]
    fn what_is_no_kubeconfig_is_told_by_its_line_and_repeats_no_token() {
        let texts =
            ["users:\n- name: a\n  user: hunter2\n", "clusters: hunter2\n", "a: [hunter2\n"];
        for text in texts {
            let error = choose(text, None, false).unwrap_err();
            let KubeconfigError::Syntax { line, .. } = error else { panic!("{error:?}") };
            assert!((1..=4).contains(&line), "{text}: {error:?}");
            assert!(!error.to_string().contains("hunter2"), "{error}");
        }
    }

    #[test]
    fn nothing_of_it_is_shown() {
        let shown = format!("{:?}", choose(GOOD, Some("lab"), true).unwrap());
        assert!(!shown.contains("hunter2"), "{shown}");
        assert!(!format!("{:?}", choose(GOOD, None, false).unwrap()).contains("research"));
    }

    proptest! {
        #[test]
        fn any_text_is_read_or_refused(text in "[a-z:\\-\\[\\]{}\"' \n&*|>]{0,200}") {
            let _ = choose(&text, None, false);
        }

        #[test]
        fn any_name_that_is_quoted_is_found(name in "[ -~]{1,40}", token in "[ -~]{1,40}") {
            let quoted = |text: &str| serde_json::to_string(text).unwrap();
            let text = format!(
                "current-context: {n}\ncontexts:\n- name: {n}\n  context: {{cluster: {n}, user: {n}}}\n\
                 clusters:\n- name: {n}\n  cluster:\n    server: https://a\nusers:\n- name: {n}\n  user:\n    token: {t}\n",
                n = quoted(&name), t = quoted(&token),
            );
            let of = choose(&text, None, false).unwrap();
            let found = of.user.token.unwrap();
            prop_assert_eq!(found.reveal(), token);
        }
    }
}
