//! `[[jobs.mlflow]]` and `[[jobs.ray]]`: trackers, whose runs label the jobs of schedulers.

use std::path::PathBuf;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::gpus::web_address;
use super::validate::is_region_code;
use crate::domain::address::{Address, may_carry_credentials};
use crate::domain::text;

/// A tracking server of MLflow.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct MlFlowSection {
    /// The name shown.
    pub name: String,
    /// Address of the tracking server: `https://mlflow.example.com`.
    pub url: Option<Address>,
    /// Names of the experiments that are read, instead of all; a `*` at the end stands for any rest.
    pub experiments: Option<Vec<String>>,
    /// File with the token, read anew with each request.
    #[schemars(with = "Option<String>")]
    pub token_file: Option<PathBuf>,
    /// Environment variable with the token.
    pub token_env: Option<String>,
    /// User, where the server wants a password.
    pub username: Option<String>,
    /// File with the password of the user, read anew with each request.
    #[schemars(with = "Option<String>")]
    pub password_file: Option<PathBuf>,
    /// Certificates to trust instead of the system's, PEM.
    #[schemars(with = "Option<String>")]
    pub ca_file: Option<PathBuf>,
    /// Seconds that a request may take.
    #[schemars(range(min = 5, max = 300))]
    pub timeout_s: Option<u32>,
}

/// A cluster of Ray, by its dashboard.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct RaySection {
    /// The name shown.
    pub name: String,
    /// Address of the dashboard: `http://10.0.0.5:8265`.
    pub url: Option<Address>,
    /// True where its nodes are jobs of Slurm or pods of Kubernetes that are read too: these hold the GPUs, and its jobs count none.
    pub nested: Option<bool>,
    /// Region of its nodes.
    pub region: Option<String>,
    /// File with the token, read anew with each request.
    #[schemars(with = "Option<String>")]
    pub token_file: Option<PathBuf>,
    /// Environment variable with the token.
    pub token_env: Option<String>,
    /// Certificates to trust instead of the system's, PEM.
    #[schemars(with = "Option<String>")]
    pub ca_file: Option<PathBuf>,
    /// Seconds that a request may take.
    #[schemars(range(min = 5, max = 300))]
    pub timeout_s: Option<u32>,
}

/// A server with the ways to show who asks.
struct Server<'a> {
    url: Option<&'a Address>,
    token_file: bool,
    token_env: Option<&'a str>,
    username: Option<&'a str>,
    password_file: bool,
}

/// What is wrong with these sections: the key below `jobs.` and the reason.
pub(super) fn problems(
    mlflow: &[MlFlowSection],
    ray: &[RaySection],
    out: &mut Vec<(String, String)>,
) {
    for (i, of) in mlflow.iter().enumerate() {
        let key = format!("mlflow[{i}]");
        let server = Server {
            url: of.url.as_ref(),
            token_file: of.token_file.is_some(),
            token_env: of.token_env.as_deref(),
            username: of.username.as_deref(),
            password_file: of.password_file.is_some(),
        };
        of_server(&key, &server, out);
        for (at, name) in of.experiments.iter().flatten().enumerate() {
            if name.trim().is_empty() || name.chars().any(text::is_unsafe) {
                let why = "the name is empty or contains control characters";
                out.push((format!("{key}.experiments[{at}]"), why.into()));
            }
        }
        if of.experiments.as_ref().is_some_and(Vec::is_empty) {
            let why = "no experiment is named; leave it out for all of them";
            out.push((format!("{key}.experiments"), why.into()));
        }
    }
    for (i, of) in ray.iter().enumerate() {
        let server = Server {
            url: of.url.as_ref(),
            token_file: of.token_file.is_some(),
            token_env: of.token_env.as_deref(),
            username: None,
            password_file: false,
        };
        of_server(&format!("ray[{i}]"), &server, out);
        if let Some(code) = of.region.as_deref().filter(|code| !is_region_code(code)) {
            let why = format!("\"{}\" is no region code, such as `us-east-1`", text::clean(code));
            out.push((format!("ray[{i}].region"), why));
        }
    }
}

fn of_server(key: &str, of: &Server<'_>, out: &mut Vec<(String, String)>) {
    let mut bad = |part: &str, why: String| out.push((format!("{key}.{part}"), why));
    if of.token_file && of.token_env.is_some() {
        bad("token_env", "`token_file` is there too; keep one of them".into());
    }
    // What is no name of a variable may be the token itself: it is not repeated.
    let plain = |c: char| c.is_ascii_alphanumeric() || c == '_';
    if of.token_env.is_some_and(|name| name.is_empty() || !name.chars().all(plain)) {
        let why = "the name of an environment variable is needed, not the token itself";
        bad("token_env", why.into());
    }
    let has_token = of.token_file || of.token_env.is_some();
    if of.username.is_some() != of.password_file {
        let part = if of.password_file { "password_file" } else { "username" };
        bad(part, "`username` and `password_file` belong together".into());
    } else if of.username.is_some() && has_token {
        bad("username", "a token is there too; keep one of them".into());
    }
    let Some(url) = of.url else {
        bad("url", "the address of the server is needed".into());
        return;
    };
    match web_address(url) {
        Err(why) => bad("url", why),
        Ok(url) if (has_token || of.username.is_some()) && !may_carry_credentials(&url) => {
            bad("url", "credentials would travel in clear text; use https://".into());
        }
        Ok(_) => {}
    }
}

#[cfg(test)]
mod tests {
    use super::super::jobs::{JobsSection, problems};

    fn found(source: &str) -> Vec<(String, String)> {
        problems(&toml::from_str::<JobsSection>(source).unwrap())
    }

    #[test]
    fn what_can_be_used_is_taken() {
        let source = "
            [[mlflow]]
            name = 'runs'
            url = 'https://mlflow.example.com'
            experiments = ['llm-*', 'vision']
            username = 'reader'
            password_file = '/run/password'
            [[mlflow]]
            name = 'here'
            url = 'http://127.0.0.1:5000'
            token_env = 'MLFLOW_TRACKING_TOKEN'
            [[ray]]
            name = 'ray'
            url = 'http://10.0.0.5:8265'
            nested = true
            region = 'us-east-1'";
        assert_eq!(found(source), []);
    }

    #[test]
    fn what_cannot_be_used_is_named_by_its_key() {
        let of = |rest: &str| format!("[[mlflow]]\nname='a'\n{rest}");
        for (source, key, why) in [
            ("[[mlflow]]\nurl='https://m'".to_owned(), "mlflow[0].name", "a name is needed"),
            ("[[ray]]\nname='a'".to_owned(), "ray[0].url", "needed"),
            (
                "[[ray]]\nname='a'\nurl='https://r'\nregion='moon'".into(),
                "ray[0].region",
                "no region",
            ),
            (of("url='https://m'\n[[ray]]\nname='a'\nurl='https://r'"), "ray[0].name", "two"),
            (of("url='http://m'\ntoken_env='T'"), "mlflow[0].url", "clear text"),
            (of("url='https://u:secret@m'"), "mlflow[0].url", "password"),
            (of("url='https://m'\ntoken_env='T'\ntoken_file='/t'"), "mlflow[0].token_env", "keep"),
            (of("url='https://m'\ntoken_env='s3cr.et'"), "mlflow[0].token_env", "not the token"),
            (of("url='https://m'\nusername='u'"), "mlflow[0].username", "together"),
            (of("url='https://m'\npassword_file='/p'"), "mlflow[0].password_file", "together"),
            (
                of("url='https://m'\nusername='u'\npassword_file='/p'\ntoken_env='T'"),
                "mlflow[0].username",
                "keep one",
            ),
            (of("url='https://m'\nexperiments=[]"), "mlflow[0].experiments", "leave it out"),
            (of("url='https://m'\nexperiments=['']"), "mlflow[0].experiments[0]", "empty"),
        ] {
            let found = found(&source);
            assert_eq!(found.len(), 1, "{source}: {found:?}");
            assert!(found[0].0 == key && found[0].1.contains(why), "{source}: {found:?}");
            assert!(!found[0].1.contains("s3cr.et") && !found[0].1.contains("secret"), "{found:?}");
        }
    }
}
