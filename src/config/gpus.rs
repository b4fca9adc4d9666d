//! `[gpus]`: where GPU telemetry comes from, and how it is read.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::secret::{PLACEHOLDER, Secret};
use super::validate::unusable_name;
use crate::domain::address::{Address, AddressError, may_carry_credentials};
use crate::domain::gpu::Ec2Hosts;
use crate::domain::{GpuSignal, text};

/// Where GPU telemetry comes from.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct GpusSection {
    /// Read the GPUs of this host through NVML. Without it, where the driver's library is there.
    pub local: Option<bool>,
    /// The driver's library, where it is not found by its name.
    #[schemars(with = "Option<String>")]
    pub nvml_library: Option<PathBuf>,
    /// Read what agents publish to CloudWatch every few minutes: billed, within `own_cost`.
    pub cloudwatch: Option<bool>,
    /// Servers with the Prometheus HTTP API.
    pub prometheus: Option<Vec<PrometheusSection>>,
    /// Exporters read directly.
    pub exporters: Option<Vec<ExportersSection>>,
    /// Hosts whose `nvidia-smi` is read over ssh.
    pub ssh: Option<Vec<SshSection>>,
    /// More names of metrics, by signal: `sm_active = ["site_sm_percent * 0.01"]`.
    pub aliases: BTreeMap<String, Vec<String>>,
    /// What kind of work runs where: the bands differ.
    pub workload: WorkloadSection,
    /// Teams by Kubernetes namespace, where the instance's tags name none; a `*` at the end stands
    /// for any rest: `"nlp-*" = "nlp"`.
    pub teams: BTreeMap<String, String>,
    /// A namespace that `teams` does not name is a team of its own.
    pub namespace_is_team: Option<bool>,
}

/// What says which kind of work runs on a GPU: words in the value of a tag, or in the names of its
/// owner (namespace, pod, job).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct WorkloadSection {
    /// Keys of the tags that are looked at.
    pub tags: Option<Vec<String>>,
    /// Words that mean training.
    pub training: Option<Vec<String>>,
    /// Words that mean inference.
    pub inference: Option<Vec<String>>,
}

/// What kind of server answers.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, clap::ValueEnum,
)]
#[serde(rename_all = "lowercase")]
pub enum FlavourChoice {
    /// Prometheus itself, and what behaves like it.
    #[default]
    Prometheus,
    /// Thanos.
    Thanos,
    /// Mimir and Cortex.
    Mimir,
    /// `VictoriaMetrics`.
    VictoriaMetrics,
    /// Amazon Managed Service for Prometheus: requests are signed.
    Amazon,
}

/// A server with the Prometheus HTTP API.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PrometheusSection {
    /// The name shown.
    pub name: String,
    /// Where it is: `https://prometheus.example.com`, with the path before `/api/v1` if any.
    pub url: Address,
    /// What kind of server.
    #[serde(default)]
    pub flavour: FlavourChoice,
    /// Tenant, sent as X-Scope-OrgID.
    pub tenant: Option<String>,
    /// Bearer token. Never shown or logged.
    pub bearer_token: Option<Secret>,
    /// File with the bearer token, read anew when it changes.
    #[schemars(with = "Option<String>")]
    pub bearer_token_file: Option<PathBuf>,
    /// User of basic authentication.
    pub username: Option<String>,
    /// File with the password.
    #[schemars(with = "Option<String>")]
    pub password_file: Option<PathBuf>,
    /// Certificates to trust instead of the system's, PEM.
    #[schemars(with = "Option<String>")]
    pub ca_file: Option<PathBuf>,
    /// Region, for Amazon's.
    pub region: Option<String>,
    /// AWS profile that signs, for Amazon's.
    pub profile: Option<String>,
    /// Label matchers that every query gets: `cluster="a",env=~"prod|dev"`.
    pub matchers: Option<String>,
    /// Seconds between two readings.
    #[schemars(range(min = 5, max = 3600))]
    pub every_s: Option<u32>,
    /// Seconds that a query may take.
    #[schemars(range(min = 1, max = 120))]
    pub timeout_s: Option<u32>,
}

/// Exporters read directly.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ExportersSection {
    /// The name shown.
    pub name: String,
    /// `host:port`, or URLs.
    #[serde(default)]
    #[schemars(with = "Vec<String>")]
    pub targets: Vec<Address>,
    /// A file with one target per line, or in Prometheus' `file_sd` JSON; read anew when it changes.
    #[schemars(with = "Option<String>")]
    pub targets_file: Option<PathBuf>,
    /// Read the running instances with GPUs at their private address: `"all"`, or those with a tag,
    /// `key=value`.
    pub ec2: Option<String>,
    /// Port of instances.
    #[schemars(range(min = 1, max = 65535))]
    pub port: Option<u32>,
    /// Path of targets that name none.
    pub path: Option<Address>,
    /// Seconds between two readings.
    #[schemars(range(min = 5, max = 3600))]
    pub every_s: Option<u32>,
    /// Seconds that a host may take.
    #[schemars(range(min = 1, max = 60))]
    pub timeout_s: Option<u32>,
}

/// Hosts whose `nvidia-smi` is read over ssh.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SshSection {
    /// The name shown.
    pub name: String,
    /// Hosts as ssh knows them (aliases of its configuration, `user@host`).
    #[serde(default)]
    pub hosts: Vec<String>,
    /// Read the running instances with GPUs at their private address: `"all"`, or those with a tag,
    /// `key=value`.
    pub ec2: Option<String>,
    /// User on instances; without it, ssh's own choice.
    pub user: Option<String>,
    /// Seconds between two readings of a host that is not looked at closely.
    #[schemars(range(min = 5, max = 3600))]
    pub every_s: Option<u32>,
}

/// `[gpus]`, checked.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct GpusConfig {
    /// NVML of this host; `None`: where its library is there.
    pub local: Option<bool>,
    /// The driver's library.
    pub nvml_library: Option<PathBuf>,
    /// What agents publish to CloudWatch.
    pub cloudwatch: bool,
    /// Servers with the Prometheus HTTP API.
    pub prometheus: Vec<PrometheusSection>,
    /// Exporters.
    pub exporters: Vec<ExportersSection>,
    /// Hosts over ssh.
    pub ssh: Vec<SshSection>,
    /// More names of metrics, by signal.
    pub aliases: BTreeMap<String, Vec<String>>,
    /// What says which kind of work runs; what is not set has burntop's own words.
    pub workload: WorkloadSection,
    /// Teams by namespace, in the order of their patterns.
    pub teams: BTreeMap<String, String>,
    /// A namespace that `teams` does not name is a team of its own.
    pub namespace_is_team: bool,
}

/// Reads an `ec2` key: `all` or `key=value`.
pub fn ec2_hosts(text: &str) -> Result<Ec2Hosts, String> {
    if text == "all" {
        return Ok(Ec2Hosts::All);
    }
    pair(text).map(|(key, value)| Ec2Hosts::Tagged(key, value))
}

impl GpusSection {
    /// This layer over `under`.
    pub(super) fn over(self, under: Self) -> Self {
        let mut aliases = under.aliases;
        aliases.extend(self.aliases);
        let mut teams = under.teams;
        teams.extend(self.teams);
        Self {
            local: self.local.or(under.local),
            nvml_library: self.nvml_library.or(under.nvml_library),
            cloudwatch: self.cloudwatch.or(under.cloudwatch),
            prometheus: self.prometheus.or(under.prometheus),
            exporters: self.exporters.or(under.exporters),
            ssh: self.ssh.or(under.ssh),
            aliases,
            workload: WorkloadSection {
                tags: self.workload.tags.or(under.workload.tags),
                training: self.workload.training.or(under.workload.training),
                inference: self.workload.inference.or(under.workload.inference),
            },
            teams,
            namespace_is_team: self.namespace_is_team.or(under.namespace_is_team),
        }
    }
}

impl GpusConfig {
    /// From checked values.
    pub(super) fn of(section: GpusSection) -> Self {
        Self {
            local: section.local,
            nvml_library: section.nvml_library,
            cloudwatch: section.cloudwatch.unwrap_or(true),
            prometheus: section.prometheus.unwrap_or_default(),
            exporters: section.exporters.unwrap_or_default(),
            ssh: section.ssh.unwrap_or_default(),
            aliases: section.aliases,
            workload: section.workload,
            teams: section.teams,
            namespace_is_team: section.namespace_is_team.unwrap_or(false),
        }
    }

    /// Back to the form of the file.
    pub(super) fn section(&self) -> GpusSection {
        GpusSection {
            local: self.local,
            nvml_library: self.nvml_library.clone(),
            cloudwatch: Some(self.cloudwatch),
            prometheus: Some(self.prometheus.clone()),
            exporters: Some(self.exporters.clone()),
            ssh: Some(self.ssh.clone()),
            aliases: self.aliases.clone(),
            workload: self.workload.clone(),
            teams: self.teams.clone(),
            namespace_is_team: Some(self.namespace_is_team),
        }
    }
}

/// What is wrong with a section: the key below `gpus.` and the reason.
pub(super) fn problems(section: &GpusSection) -> Vec<(String, String)> {
    let mut out = Vec::new();
    let mut names = BTreeSet::new();
    let mut bad = |key: String, why: String| out.push((key, why));
    let mut name = |key: &str, name: &str, bad: &mut dyn FnMut(String, String)| {
        if name.trim().is_empty() {
            bad(format!("{key}.name"), "a name is needed: it is shown with the readings".into());
        } else if name.chars().any(text::is_unsafe) {
            bad(format!("{key}.name"), "the name contains control characters".into());
        } else if !names.insert(name.to_owned()) {
            bad(
                format!("{key}.name"),
                format!(
                    "two sources are named \"{}\"; a name tells readings apart",
                    text::clean(name)
                ),
            );
        }
    };
    for (i, server) in section.prometheus.iter().flatten().enumerate() {
        let key = format!("prometheus[{i}]");
        name(&key, &server.name, &mut bad);
        let url = web_address(&server.url);
        if let Err(why) = &url {
            bad(format!("{key}.url"), why.clone());
        }
        let ways = [
            server.bearer_token.is_some(),
            server.bearer_token_file.is_some(),
            server.username.is_some(),
            server.flavour == FlavourChoice::Amazon,
        ];
        if ways.iter().filter(|used| **used).count() > 1 {
            bad(
                key.clone(),
                "more than one way to authenticate; keep one of `bearer_token`, \
                 `bearer_token_file`, `username` with `password_file`, or flavour `amazon`"
                    .into(),
            );
        }
        if server.username.is_some() != server.password_file.is_some() {
            bad(format!("{key}.username"), "`username` and `password_file` go together".into());
        }
        // Signatures for Amazon's come with the token of a session.
        let secret = ways.contains(&true);
        if secret && url.is_ok_and(|url| !may_carry_credentials(&url)) {
            bad(
                format!("{key}.url"),
                "credentials would travel in clear text; use https://".into(),
            );
        }
        if server.bearer_token.as_ref().is_some_and(Secret::is_placeholder) {
            bad(format!("{key}.bearer_token"), PLACEHOLDER.into());
        }
        if server.flavour == FlavourChoice::Amazon && server.region.is_none() {
            bad(format!("{key}.region"), "flavour `amazon` needs `region`".into());
        }
    }
    for (i, exporters) in section.exporters.iter().flatten().enumerate() {
        let key = format!("exporters[{i}]");
        name(&key, &exporters.name, &mut bad);
        if exporters.targets.is_empty()
            && exporters.targets_file.is_none()
            && exporters.ec2.is_none()
        {
            bad(key.clone(), "nothing to read; set `targets`, `targets_file` or `ec2`".into());
        }
        for (j, target) in exporters.targets.iter().enumerate() {
            if let Err(why) = exporter_target(target) {
                bad(format!("{key}.targets[{j}]"), why);
            }
        }
        if let Some(Err(why)) = exporters.ec2.as_deref().map(ec2_hosts) {
            bad(format!("{key}.ec2"), format!("{why}; or \"all\""));
        }
        if exporters.path.as_ref().is_some_and(|p| !p.reveal().starts_with('/')) {
            bad(format!("{key}.path"), "a path begins with `/`".into());
        }
    }
    for (i, ssh) in section.ssh.iter().flatten().enumerate() {
        let key = format!("ssh[{i}]");
        name(&key, &ssh.name, &mut bad);
        if ssh.hosts.is_empty() && ssh.ec2.is_none() {
            bad(key.clone(), "nothing to read; set `hosts` or `ec2`".into());
        }
        for (j, host) in ssh.hosts.iter().enumerate() {
            if !is_ssh_host(host) {
                let shown = text::clean(host);
                bad(format!("{key}.hosts[{j}]"), format!("\"{shown}\" is no host for ssh"));
            }
        }
        if ssh.user.as_deref().is_some_and(|u| !is_ssh_host(u)) {
            bad(format!("{key}.user"), "that is no user name".into());
        }
        if let Some(Err(why)) = ssh.ec2.as_deref().map(ec2_hosts) {
            bad(format!("{key}.ec2"), format!("{why}; or \"all\""));
        }
    }
    for signal in section.aliases.keys() {
        if GpuSignal::from_name(signal).is_none() {
            let known: Vec<&str> = GpuSignal::ALL.iter().map(|s| s.name()).collect();
            let hint = crate::domain::suggest::nearest(signal, known.iter().copied());
            let hint = hint.map_or(String::new(), |h| format!("; did you mean `{h}`?"));
            bad(
                format!("aliases.{signal}"),
                format!(
                    "`{}` is no signal{hint} Accepted: {}",
                    text::clean(signal),
                    known.join(", ")
                ),
            );
        }
    }
    let words = [
        ("workload.tags", &section.workload.tags),
        ("workload.training", &section.workload.training),
        ("workload.inference", &section.workload.inference),
    ];
    for (key, list) in words {
        for (i, word) in list.iter().flatten().enumerate() {
            if unusable_name(word).is_some() {
                bad(format!("{key}[{i}]"), "a word is empty or contains control characters".into());
            }
        }
    }
    for (namespace, team) in &section.teams {
        let odd = |t: &str| unusable_name(t).is_some();
        if odd(namespace) || odd(team) {
            let key = format!("teams.{namespace}");
            bad(key, "a name is empty or contains control characters".into());
        }
    }
    out
}

fn pair(rule: &str) -> Result<(String, String), String> {
    let refused = || format!("\"{}\" is no rule; accepted: `key=value`", text::clean(rule));
    let (key, value) = rule.split_once('=').ok_or_else(refused)?;
    let (key, value) = (key.trim(), value.trim());
    if key.is_empty() || value.is_empty() || rule.chars().any(text::is_unsafe) {
        return Err(refused());
    }
    Ok((key.to_owned(), value.to_owned()))
}

/// What is wrong is told without the text: it may be a token that was put into the wrong place.
pub(super) fn web_address(url: &Address) -> Result<url::Url, String> {
    url.parse().map_err(|why| match why {
        AddressError::User => {
            "the address holds a user or a password; take them out, and name a file with the \
             password"
                .into()
        }
        AddressError::NoAddress => {
            "that is no address; accepted: `https://host[:port][/path]` without user and password"
                .into()
        }
    })
}

fn exporter_target(target: &Address) -> Result<(), String> {
    let text = target.reveal();
    if text.contains("://") {
        return web_address(target).map(drop);
    }
    let host = crate::domain::gpu::without_port(text.split('/').next().unwrap_or_default());
    let plain =
        |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_' | ':' | '[' | ']');
    if host.is_empty() || !host.chars().all(plain) {
        return Err("that is no target; accepted: `host:port` or a URL".into());
    }
    Ok(())
}

/// Nothing that ssh could take for an option or the shell for more than a word.
pub(super) fn is_ssh_host(host: &str) -> bool {
    let plain =
        |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_' | '@' | ':' | '%');
    !host.is_empty() && !host.starts_with('-') && host.chars().all(plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keys(source: &str) -> Vec<String> {
        let section: GpusSection = toml::from_str(source).unwrap();
        problems(&section).into_iter().map(|(key, _)| key).collect()
    }

    #[test]
    fn what_can_be_used_is_taken() {
        let source = "
            [[prometheus]]
            name = 'prod'
            url = 'https://prom.example.com/prometheus'
            bearer_token_file = '/run/token'
            [[prometheus]]
            name = 'here'
            url = 'http://127.0.0.1:9090'
            bearer_token = 'x'
            [[exporters]]
            name = 'nodes'
            targets = ['10.0.0.7:9400', 'http://node-1:9400/gpu', '[fd00::7]:9400']
            [[ssh]]
            name = 'lab'
            hosts = ['ops@gpu-1']
            ec2 = 'role=trainer'
            [aliases]
            sm_active = ['site_sm * 0.01']
            [workload]
            inference = ['serve']
            [teams]
            'nlp-*' = 'nlp'";
        assert_eq!(keys(source), Vec::<String>::new());
    }

    #[test]
    fn what_cannot_be_used_is_named() {
        for (source, key) in [
            ("[[prometheus]]\nname='a'\nurl='prom:9090'", "prometheus[0].url"),
            ("[[prometheus]]\nname='a'\nurl='https://me:pw@prom'", "prometheus[0].url"),
            ("[[prometheus]]\nname=''\nurl='https://prom'", "prometheus[0].name"),
            ("[[prometheus]]\nname='a'\nurl='http://prom'\nbearer_token='x'", "prometheus[0].url"),
            ("[[prometheus]]\nname='a'\nurl='https://p'\nflavour='amazon'", "prometheus[0].region"),
            ("[[prometheus]]\nname='a'\nurl='https://p'\nusername='u'", "prometheus[0].username"),
            ("[[exporters]]\nname='a'", "exporters[0]"),
            ("[[exporters]]\nname='a'\ntargets=['a b']", "exporters[0].targets[0]"),
            ("[[exporters]]\nname='a'\nec2='some'", "exporters[0].ec2"),
            ("[[ssh]]\nname='a'\nhosts=['-oProxyCommand=x']", "ssh[0].hosts[0]"),
            ("[aliases]\nsm_activ=['x']", "aliases.sm_activ"),
            ("[workload]\ntraining=['']", "workload.training[0]"),
        ] {
            assert_eq!(keys(source), [key], "{source}");
        }
        let twice = "[[exporters]]\nname='a'\ntargets=['b']\n[[ssh]]\nname='a'\nhosts=['b']";
        assert_eq!(keys(twice), ["ssh[0].name"]);
    }

    #[test]
    fn credentials_go_to_this_host_or_encrypted() {
        let with =
            |url: &str, more: &str| keys(&format!("[[prometheus]]\nname='a'\nurl='{url}'\n{more}"));
        let ways = [
            "bearer_token='x'",
            "bearer_token_file='/run/token'",
            "username='u'\npassword_file='/run/pw'",
            "flavour='amazon'\nregion='eu-west-1'",
        ];
        for way in ways {
            for here in ["http://127.0.0.1:9090", "http://localhost", "HTTP://[::1]:9090/p"] {
                assert_eq!(with(here, way), [""; 0], "{here} {way}");
            }
            for there in ["http://127.evil.example", "http://localhost.evil.example", "HTTP://prom"]
            {
                assert_eq!(with(there, way), ["prometheus[0].url"], "{there} {way}");
                let tls = there.to_lowercase().replace("http:", "https:");
                assert_eq!(with(&tls, way), [""; 0], "{tls} {way}");
            }
        }
    }

    #[test]
    fn what_was_printed_in_the_place_of_a_secret_is_none() {
        let source = "[[prometheus]]\nname='a'\nurl='https://p'\nbearer_token='<redacted>'";
        assert_eq!(keys(source), ["prometheus[0].bearer_token"]);
    }

    #[test]
    fn a_password_in_an_address_is_not_repeated() {
        let section: GpusSection =
            toml::from_str("[[prometheus]]\nname='a'\nurl='https://me:hunter2@prom'").unwrap();
        assert!(!problems(&section).iter().any(|(_, why)| why.contains("hunter2")));
    }
}
