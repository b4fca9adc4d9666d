//! `[jobs]`: where jobs are read, and what is known of their queues.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::gpus::{PrometheusSection, is_ssh_host, web_address};
use super::job_trackers::{self, MlFlowSection, RaySection};
use super::kubernetes::{self, KubernetesSection};
use super::validate::{is_region_code, unusable_name};
use crate::domain::address::{Address, may_carry_credentials};
use crate::domain::text;

/// Days that a first reading goes back, unless it is set.
const FIRST_DAYS: u32 = 14;

/// Where jobs are read: schedulers, and services that run jobs.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct JobsSection {
    /// Clusters of Slurm.
    pub slurm: Option<Vec<SlurmSection>>,
    /// Training and processing jobs of SageMaker, and instances of HyperPod, by account.
    pub sagemaker: Option<Vec<AccountSection>>,
    /// Jobs of AWS Batch, by account.
    pub batch: Option<Vec<BatchSection>>,
    /// Accounts whose Spot instances are asked for what EC2 took back: why jobs on them failed.
    pub spot: Option<Vec<AccountSection>>,
    /// Tracking servers of MLflow, whose runs label jobs.
    pub mlflow: Option<Vec<MlFlowSection>>,
    /// Clusters of Ray, by their dashboards.
    pub ray: Option<Vec<RaySection>>,
    /// Pods and jobs of clusters of Kubernetes.
    pub kubernetes: Option<Vec<KubernetesSection>>,
    /// Days that the first reading of a source goes back.
    #[schemars(range(min = 1, max = 366))]
    pub first_days: Option<u32>,
    /// Partitions and queues in which people work by hand: running into a time limit there is no failure. `cluster/queue` or
    /// `queue`; a `*` at the end stands for any rest.
    pub interactive: Option<Vec<String>>,
    /// Instance types by partition or queue, for nodes whose instance is not known: prices by them are estimates. `cluster/queue` or
    /// `queue`; a `*` at the end stands for any rest: `"p5*" = "p5.48xlarge"`.
    pub instance_types: BTreeMap<String, String>,
}

/// A cluster of Slurm: read by `sacct` on this host, unless `ssh` or `slurmrestd` says otherwise.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SlurmSection {
    /// The name shown.
    pub name: String,
    /// Host with Slurm's programs, as ssh knows it (an alias of its configuration, `user@host`).
    pub ssh: Option<String>,
    /// Directory of Slurm's programs, where they are not in the PATH: `/opt/slurm/bin`.
    pub bin: Option<String>,
    /// Address of slurmrestd, where there is no shell: `https://slurm.example.com:6820`.
    pub slurmrestd: Option<Address>,
    /// File with the token for slurmrestd, read anew with each request.
    #[schemars(with = "Option<String>")]
    pub token_file: Option<PathBuf>,
    /// Environment variable with the token for slurmrestd.
    pub token_env: Option<String>,
    /// Certificates to trust instead of the system's, PEM.
    #[schemars(with = "Option<String>")]
    pub ca_file: Option<PathBuf>,
    /// The name of the cluster, instead of Slurm's own: for two that have the same.
    pub cluster: Option<String>,
    /// Region of its nodes.
    pub region: Option<String>,
    /// Seconds that a request may take.
    #[schemars(range(min = 5, max = 300))]
    pub timeout_s: Option<u32>,
}

/// An account that is read anyway.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AccountSection {
    /// The name shown.
    pub name: String,
    /// The account, by the name or profile that it has in the configuration; needed where several are read.
    pub account: Option<String>,
    /// Codes of the regions that are read, instead of those of the account.
    pub regions: Option<Vec<String>>,
}

/// Jobs of AWS Batch, of an account that is read anyway.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BatchSection {
    /// The name shown.
    pub name: String,
    /// The account, by the name or profile that it has in the configuration; needed where several are read.
    pub account: Option<String>,
    /// Codes of the regions that are read, instead of those of the account.
    pub regions: Option<Vec<String>>,
    /// Names of the job queues that are read, instead of all.
    pub queues: Option<Vec<String>>,
}

impl BatchSection {
    /// Its account and regions.
    pub fn account(&self) -> AccountSection {
        let Self { name, account, regions, .. } = self.clone();
        AccountSection { name, account, regions }
    }
}

/// `[jobs]`, checked.
#[derive(Clone, Debug, PartialEq)]
pub struct JobsConfig {
    /// Clusters of Slurm.
    pub slurm: Vec<SlurmSection>,
    /// Jobs of SageMaker.
    pub sagemaker: Vec<AccountSection>,
    /// Jobs of AWS Batch.
    pub batch: Vec<BatchSection>,
    /// Spot instances that EC2 took back.
    pub spot: Vec<AccountSection>,
    /// Tracking servers of MLflow.
    pub mlflow: Vec<MlFlowSection>,
    /// Clusters of Ray.
    pub ray: Vec<RaySection>,
    /// Clusters of Kubernetes.
    pub kubernetes: Vec<KubernetesSection>,
    /// Days that the first reading of a source goes back.
    pub first_days: u32,
    /// Queues in which people work by hand.
    pub interactive: Vec<String>,
    /// Instance types by queue, in the order of their patterns.
    pub instance_types: BTreeMap<String, String>,
}

impl Default for JobsConfig {
    fn default() -> Self {
        Self::of(JobsSection::default())
    }
}

impl JobsSection {
    /// This layer over `under`.
    pub(super) fn over(self, under: Self) -> Self {
        let mut instance_types = under.instance_types;
        instance_types.extend(self.instance_types);
        Self {
            slurm: self.slurm.or(under.slurm),
            sagemaker: self.sagemaker.or(under.sagemaker),
            batch: self.batch.or(under.batch),
            spot: self.spot.or(under.spot),
            mlflow: self.mlflow.or(under.mlflow),
            ray: self.ray.or(under.ray),
            kubernetes: self.kubernetes.or(under.kubernetes),
            first_days: self.first_days.or(under.first_days),
            interactive: self.interactive.or(under.interactive),
            instance_types,
        }
    }
}

impl JobsConfig {
    /// From checked values.
    pub(super) fn of(section: JobsSection) -> Self {
        Self {
            slurm: section.slurm.unwrap_or_default(),
            sagemaker: section.sagemaker.unwrap_or_default(),
            batch: section.batch.unwrap_or_default(),
            spot: section.spot.unwrap_or_default(),
            mlflow: section.mlflow.unwrap_or_default(),
            ray: section.ray.unwrap_or_default(),
            kubernetes: section.kubernetes.unwrap_or_default(),
            first_days: section.first_days.unwrap_or(FIRST_DAYS),
            interactive: section.interactive.unwrap_or_default(),
            instance_types: section.instance_types,
        }
    }

    /// Back to the form of the file.
    pub(super) fn section(&self) -> JobsSection {
        JobsSection {
            slurm: Some(self.slurm.clone()),
            sagemaker: Some(self.sagemaker.clone()),
            batch: Some(self.batch.clone()),
            spot: Some(self.spot.clone()),
            mlflow: Some(self.mlflow.clone()),
            ray: Some(self.ray.clone()),
            kubernetes: Some(self.kubernetes.clone()),
            first_days: Some(self.first_days),
            interactive: Some(self.interactive.clone()),
            instance_types: self.instance_types.clone(),
        }
    }

    /// True for a queue in which people work by hand.
    pub fn is_interactive(&self, cluster: &str, queue: &str) -> bool {
        self.interactive.iter().any(|pattern| fits(pattern, cluster, queue))
    }

    /// Instance type of the nodes of a queue by `instance_types`: the longest pattern that fits counts. `None` without one.
    pub fn instance_type(&self, cluster: &str, queue: &str) -> Option<&str> {
        let rules = self.instance_types.iter().filter(|(key, _)| fits(key, cluster, queue));
        rules.max_by_key(|(key, _)| key.len()).map(|(_, name)| name.as_str())
    }
}

/// True where a pattern, `cluster/queue` or `queue`, means a queue. A `*` at its end stands for any rest.
fn fits(pattern: &str, cluster: &str, queue: &str) -> bool {
    let (of, pattern) = match pattern.split_once('/') {
        Some((of, rest)) => (Some(of), rest),
        None => (None, pattern),
    };
    of.is_none_or(|of| of == cluster)
        && match pattern.strip_suffix('*') {
            Some(start) => queue.starts_with(start),
            None => queue == pattern,
        }
}

/// What is wrong with a section: the key below `jobs.` and the reason.
pub(super) fn problems(section: &JobsSection) -> Vec<(String, String)> {
    let mut out = Vec::new();
    let mut names = BTreeSet::new();
    let slurm = section.slurm.iter().flatten().enumerate();
    let slurm = slurm.map(|(i, of)| (format!("slurm[{i}].name"), of.name.as_str()));
    let sagemaker = section.sagemaker.iter().flatten().enumerate();
    let sagemaker = sagemaker.map(|(i, of)| (format!("sagemaker[{i}].name"), of.name.as_str()));
    let batch = section.batch.iter().flatten().enumerate();
    let batch = batch.map(|(i, of)| (format!("batch[{i}].name"), of.name.as_str()));
    let spot = section.spot.iter().flatten().enumerate();
    let spot = spot.map(|(i, of)| (format!("spot[{i}].name"), of.name.as_str()));
    let mlflow = section.mlflow.iter().flatten().enumerate();
    let mlflow = mlflow.map(|(i, of)| (format!("mlflow[{i}].name"), of.name.as_str()));
    let ray = section.ray.iter().flatten().enumerate();
    let ray = ray.map(|(i, of)| (format!("ray[{i}].name"), of.name.as_str()));
    // Of several contexts each is a source with a name of its own.
    let kubernetes = section.kubernetes.iter().flatten().enumerate();
    let kubernetes: Vec<(String, String)> = kubernetes
        .flat_map(|(i, of)| of.sources().into_iter().map(move |(name, _)| (i, name)))
        .map(|(i, name)| (format!("kubernetes[{i}].name"), name))
        .collect();
    let named = kubernetes.iter().map(|(key, name)| (key.clone(), name.as_str()));
    let of_aws = sagemaker.chain(batch).chain(spot);
    for (key, name) in slurm.chain(of_aws).chain(mlflow).chain(ray).chain(named) {
        if name.trim().is_empty() {
            out.push((key, "a name is needed: it is shown with the readings".into()));
        } else if name.chars().any(text::is_unsafe) {
            out.push((key, "the name contains control characters".into()));
        } else if !names.insert(name) {
            let name = text::clean(name);
            let why = format!("two sources are named \"{name}\"; a name tells readings apart");
            out.push((key, why));
        }
    }
    for (i, slurm) in section.slurm.iter().flatten().enumerate() {
        of_slurm(&format!("slurm[{i}]"), slurm, &mut out);
    }
    for (kind, sections) in [("sagemaker", &section.sagemaker), ("spot", &section.spot)] {
        for (i, of) in sections.iter().flatten().enumerate() {
            of_account(&format!("{kind}[{i}]"), of, &mut out);
        }
    }
    for (i, of) in section.batch.iter().flatten().enumerate() {
        let key = format!("batch[{i}]");
        of_account(&key, &of.account(), &mut out);
        if of.queues.as_ref().is_some_and(Vec::is_empty) {
            let why = "no queue is named; leave it out for all of them";
            out.push((format!("{key}.queues"), why.into()));
        }
        for (at, name) in of.queues.iter().flatten().enumerate() {
            if unusable_name(name).is_some() {
                let why = "the name is empty or contains control characters";
                out.push((format!("{key}.queues[{at}]"), why.into()));
            }
        }
    }
    let trackers = (section.mlflow.as_deref(), section.ray.as_deref());
    job_trackers::problems(
        trackers.0.unwrap_or_default(),
        trackers.1.unwrap_or_default(),
        &mut out,
    );
    for (i, of) in section.kubernetes.iter().flatten().enumerate() {
        let name = of.name.trim();
        if name.is_empty() && of.contexts.as_ref().is_some_and(|contexts| contexts.len() > 1) {
            let why = "a name is needed: it is shown with the readings";
            out.push((format!("kubernetes[{i}].name"), why.into()));
        }
        kubernetes::problems(&format!("kubernetes[{i}]"), of, &mut out);
    }
    for (i, pattern) in section.interactive.iter().flatten().enumerate() {
        if let Some(why) = odd_pattern(pattern) {
            out.push((format!("interactive[{i}]"), why));
        }
    }
    for (pattern, name) in &section.instance_types {
        let key = format!("instance_types.{pattern}");
        let is_type = name.split_once('.').is_some_and(|(family, size)| {
            let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '.');
            !family.is_empty() && !size.is_empty() && name.chars().all(plain)
        });
        if let Some(why) = odd_pattern(pattern) {
            out.push((key, why));
        } else if !is_type {
            let name = text::clean(name);
            out.push((key, format!("\"{name}\" is no instance type, such as `p5.48xlarge`")));
        }
    }
    out
}

/// Sections that name a server of metrics that is not configured: the key below `jobs.` and the reason.
pub(super) fn server_problems(
    section: &JobsSection,
    servers: &[PrometheusSection],
) -> Vec<(String, String)> {
    let all = section.kubernetes.iter().flatten().enumerate();
    let why = |(i, of)| {
        let why = kubernetes::server_problem(of, servers)?;
        Some((format!("kubernetes[{i}].prometheus"), why))
    };
    all.filter_map(why).collect()
}

fn of_slurm(key: &str, slurm: &SlurmSection, out: &mut Vec<(String, String)>) {
    let mut bad = |part: &str, why: &str| out.push((format!("{key}.{part}"), why.to_owned()));
    if let Some(host) = slurm.ssh.as_deref().filter(|host| !is_ssh_host(host)) {
        bad("ssh", &format!("\"{}\" is no host for ssh", text::clean(host)));
    }
    if slurm.bin.as_deref().is_some_and(|dir| !is_plain_path(dir)) {
        bad("bin", "an absolute path of letters, digits and . _ - / is needed");
    }
    let odd_name = |name: &str| unusable_name(name).is_some();
    if slurm.cluster.as_deref().is_some_and(odd_name) {
        bad("cluster", "the name is empty or contains control characters");
    }
    let ways = (&slurm.token_file, &slurm.token_env);
    let Some(url) = &slurm.slurmrestd else {
        if slurm.token_file.is_some() || slurm.token_env.is_some() {
            bad("slurmrestd", "a token is for `slurmrestd`, and its address is missing");
        }
        return;
    };
    if slurm.ssh.is_some() || slurm.bin.is_some() {
        bad("slurmrestd", "a cluster is read by its programs or by slurmrestd; keep one of them");
    }
    if slurm.token_file.is_none() && slurm.token_env.is_none() {
        bad("slurmrestd", "slurmrestd wants a token; set `token_file` or `token_env`");
    }
    of_server(key, "slurmrestd", url, ways, out);
}

fn of_account(key: &str, section: &AccountSection, out: &mut Vec<(String, String)>) {
    if section.account.as_deref().and_then(unusable_name).is_some() {
        let why = "the name is empty or contains control characters";
        out.push((format!("{key}.account"), why.into()));
    }
    let Some(regions) = &section.regions else { return };
    if regions.is_empty() {
        let why = "no region is named; leave it out for those of the account";
        out.push((format!("{key}.regions"), why.into()));
    }
    for (i, code) in regions.iter().enumerate().filter(|(_, code)| !is_region_code(code)) {
        let code = text::clean(code);
        let why = format!("\"{code}\" is no region code, such as `us-east-1`");
        out.push((format!("{key}.regions[{i}]"), why));
    }
}

/// What is wrong with an address and the token for it.
fn of_server(
    key: &str,
    part: &str,
    url: &Address,
    (file, variable): (&Option<PathBuf>, &Option<String>),
    out: &mut Vec<(String, String)>,
) {
    let mut bad = |part: &str, why: String| out.push((format!("{key}.{part}"), why));
    if file.is_some() && variable.is_some() {
        bad("token_env", "`token_file` is there too; keep one of them".into());
    }
    // What is no name of a variable may be the token itself: it is not repeated.
    let plain = |c: char| c.is_ascii_alphanumeric() || c == '_';
    if variable.as_deref().is_some_and(|name| name.is_empty() || !name.chars().all(plain)) {
        let why = "the name of an environment variable is needed, not the token itself";
        bad("token_env", why.into());
    }
    match web_address(url) {
        Err(why) => bad(part, why),
        Ok(url) if (file.is_some() || variable.is_some()) && !may_carry_credentials(&url) => {
            bad(part, "credentials would travel in clear text; use https://".into());
        }
        Ok(_) => {}
    }
}

/// A path that a shell takes for one word and nothing else.
fn is_plain_path(path: &str) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-' | '/');
    path.starts_with('/') && path.chars().all(plain)
}

fn odd_pattern(pattern: &str) -> Option<String> {
    let (of, queue) = pattern.split_once('/').unwrap_or(("*", pattern));
    if of.is_empty() || queue.trim().is_empty() || pattern.chars().any(text::is_unsafe) {
        return Some("a queue is needed, as `queue` or `cluster/queue`".into());
    }
    let stars = queue.find('*').is_some_and(|at| at + 1 < queue.len());
    stars.then(|| "a `*` stands at the end of a queue only".into())
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::super::env::Env;
    use super::super::file::FileConfig;
    use super::super::load::{Sources, load};
    use super::super::parse;
    use super::super::vocabulary::Vocabulary;
    use super::*;

    fn found(source: &str) -> Vec<(String, String)> {
        problems(&toml::from_str(source).unwrap())
    }

    #[test]
    fn what_can_be_used_is_taken() {
        let source = "
            interactive = ['jupyter*', 'prod/interactive']
            [[slurm]]
            name = 'here'
            [[slurm]]
            name = 'prod'
            ssh = 'ops@login1'
            bin = '/opt/slurm/bin'
            [[slurm]]
            name = 'far'
            slurmrestd = 'https://slurm.example.com:6820'
            token_file = '/run/token'
            [[sagemaker]]
            name = 'ml'
            account = 'research'
            regions = ['us-east-1', 'eu-west-1']
            [[batch]]
            name = 'batch'
            account = 'research'
            queues = ['gpu', 'gpu-spot']
            [instance_types]
            'p5*' = 'p5.48xlarge'";
        assert_eq!(found(source), []);
    }

    #[test]
    fn what_cannot_be_used_is_named_by_its_key() {
        for (source, key, why) in [
            ("[[slurm]]\nname=''", "slurm[0].name", "a name is needed"),
            ("[[slurm]]\nname='a'\n[[slurm]]\nname='a'", "slurm[1].name", "two"),
            ("[[slurm]]\nname='a'\nssh='-oProxyCommand=x'", "slurm[0].ssh", "no host"),
            ("[[slurm]]\nname='a'\nbin='$(x)'", "slurm[0].bin", "absolute path"),
            ("[[slurm]]\nname='a'\nslurmrestd='https://s'", "slurm[0].slurmrestd", "token"),
            ("[[slurm]]\nname='a'\ntoken_env='T'", "slurm[0].slurmrestd", "missing"),
            (
                "[[slurm]]\nname='a'\nssh='b'\nslurmrestd='https://s'\ntoken_env='T'",
                "slurm[0].slurmrestd",
                "keep one",
            ),
            (
                "[[slurm]]\nname='a'\nslurmrestd='http://s'\ntoken_env='T'",
                "slurm[0].slurmrestd",
                "clear text",
            ),
            (
                "[[slurm]]\nname='a'\nslurmrestd='https://s'\ntoken_env='T'\ntoken_file='/t'",
                "slurm[0].token_env",
                "keep one",
            ),
            (
                "[[slurm]]\nname='a'\nslurmrestd='slurm:6820'\ntoken_env='T'",
                "slurm[0].slurmrestd",
                "no address",
            ),
            ("[[sagemaker]]\nname=''", "sagemaker[0].name", "a name is needed"),
            ("[[slurm]]\nname='a'\n[[sagemaker]]\nname='a'", "sagemaker[0].name", "two"),
            ("[[sagemaker]]\nname='a'\naccount=' '", "sagemaker[0].account", "empty"),
            ("[[sagemaker]]\nname='a'\nregions=[]", "sagemaker[0].regions", "no region"),
            (
                "[[sagemaker]]\nname='a'\nregions=['us-east-1', 'all']",
                "sagemaker[0].regions[1]",
                "no region code",
            ),
            ("[[batch]]\nname=''", "batch[0].name", "a name is needed"),
            ("[[sagemaker]]\nname='a'\n[[batch]]\nname='a'", "batch[0].name", "two"),
            ("[[batch]]\nname='a'\nregions=['moon']", "batch[0].regions[0]", "no region code"),
            ("[[batch]]\nname='a'\nqueues=[]", "batch[0].queues", "no queue"),
            ("[[batch]]\nname='a'\nqueues=['q', ' ']", "batch[0].queues[1]", "empty"),
            ("[[kubernetes]]\nname=''", "kubernetes[0].name", "a name is needed"),
            (
                "[[kubernetes]]\nname=''\ncontexts=['x', 'y']",
                "kubernetes[0].name",
                "a name is needed",
            ),
            (
                "[[slurm]]\nname='a/x'\n[[kubernetes]]\nname='a'\ncontexts=['x', 'y']",
                "kubernetes[0].name",
                "two",
            ),
            (
                "[[kubernetes]]\nname='a'\nnamespaces=['A']",
                "kubernetes[0].namespaces[0]",
                "no name",
            ),
            ("interactive=['a*b']", "interactive[0]", "at the end"),
            ("[instance_types]\np5='large'", "instance_types.p5", "no instance type"),
        ] {
            let found = found(source);
            assert_eq!(found.len(), 1, "{source}: {found:?}");
            assert!(found[0].0 == key && found[0].1.contains(why), "{source}: {found:?}");
        }
    }

    #[test]
    fn two_sources_with_one_name_are_an_error_with_its_line() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("c.toml");
        let source = "[[jobs.slurm]]\nname = 'a'\n\n[[jobs.slurm]]\nname = 'a'\n";
        std::fs::write(&path, source).unwrap();
        let env = Env::default();
        let flags = FileConfig::default();
        let sources = Sources { paths: None, file: Some(&path), env: &env, flags };
        let error = load(&sources, &Vocabulary::default()).unwrap_err().to_string();
        assert!(error.contains("c.toml:5") && error.contains("two sources"), "{error}");
    }

    #[test]
    fn a_kind_that_is_not_read_is_unknown() {
        for kind in ["nomad", "lsf"] {
            let source = format!("[[jobs.{kind}]]\nname = 'a'\n");
            let parsed = parse::config(&source, Path::new("c.toml")).unwrap();
            let notice = parsed.notices[0].to_string();
            assert!(notice.contains("unknown key") && notice.contains(kind), "{notice}");
        }
    }

    #[test]
    fn a_misspelt_key_of_an_account_is_an_error_with_its_line() {
        for kind in ["sagemaker", "batch"] {
            let source = format!("[[jobs.{kind}]]\nname = 'a'\nregoins = ['us-east-1']\n");
            let error = parse::config(&source, Path::new("c.toml")).unwrap_err().to_string();
            assert!(error.contains("c.toml:3") && error.contains("regoins"), "{error}");
        }
    }

    #[test]
    fn a_token_in_the_place_of_its_variable_is_not_repeated() {
        let source = "[[slurm]]\nname='a'\nslurmrestd='https://s'\ntoken_env='eyJ.hunter2'";
        let found = found(source);
        assert!(found.len() == 1 && !found[0].1.contains("hunter2"), "{found:?}");
    }

    #[test]
    fn the_longest_pattern_of_a_queue_counts() {
        let config = JobsConfig {
            instance_types: [
                ("p5*".to_owned(), "p5.48xlarge".to_owned()),
                ("p5en".to_owned(), "p5en.48xlarge".to_owned()),
                ("lab/p5*".to_owned(), "p5.4xlarge".to_owned()),
            ]
            .into(),
            interactive: vec!["lab/*".to_owned()],
            ..JobsConfig::default()
        };
        assert_eq!(config.instance_type("prod", "p5-a"), Some("p5.48xlarge"));
        assert_eq!(config.instance_type("prod", "p5en"), Some("p5en.48xlarge"));
        assert_eq!(config.instance_type("lab", "p5-a"), Some("p5.4xlarge"));
        assert_eq!(config.instance_type("prod", "cpu"), None);
        assert!(config.is_interactive("lab", "any") && !config.is_interactive("prod", "any"));
    }

    #[test]
    fn the_effective_section_says_the_same() {
        let section: JobsSection =
            toml::from_str("first_days = 3\n[[slurm]]\nname='a'\nssh='b'").unwrap();
        let config = JobsConfig::of(section);
        assert_eq!(JobsConfig::of(config.section()), config);
    }
}
