//! Sources of jobs, from the configuration.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use jiff::SignedDuration;

use super::accounts::Reach;
use super::exit::CliError;
use super::invocation::Invocation;
use super::job_trackers::{mlflow, ray};
use super::telemetry;
use crate::bus::JobsSettings;
use crate::cache::Jobs;
use crate::config::{
    AccountSection, Config, Env, FlavourChoice, KubernetesSection, PrometheusSection, SlurmSection,
};
use crate::doctor::jobs::NearbyJobs;
use crate::domain::{Address, ErrorKind, Regions, Secret, SourceError};
use crate::source::aws::{
    AwsProvider, BatchJobs, JobTagKeys, SageMakerJobs, SpotInterruptions, calls,
};
use crate::source::jobs::kubernetes::state_metrics::{StateMetrics, StateMetricsSettings};
use crate::source::jobs::kubernetes::{Keys, Kubernetes, KubernetesSettings, Where};
use crate::source::jobs::live::{LiveJobs, NodeEvents};
use crate::source::jobs::slurm::{Place, SlurmPrograms, SlurmRest, SlurmSettings, Token};
use crate::source::ledger::Ledger;
use crate::source::ssh::{Login, Target};

/// Time limit of a query about the jobs of a cluster, unless it is set, s.
const QUERY_WITHIN_S: u32 = 60;

/// True where a source is billed for what it is asked, so that it needs a ledger.
pub fn is_billed(config: &Config) -> bool {
    let all = config.jobs.kubernetes.iter().filter_map(|section| server(section, config));
    all.into_iter().any(|server| server.flavour == FlavourChoice::Amazon)
}

/// Sources of a run and where their jobs are kept; makes no call. What is billed is charged to `ledger` (see [`is_billed`]). Without
/// sources in the demo, with a tape, for this host alone, and where nothing is kept. Fails where the configuration of one cannot be
/// used.
pub fn job_settings(
    invocation: &Invocation,
    env: &Env,
    ledger: Option<&Ledger>,
) -> Result<JobsSettings, CliError> {
    let options = &invocation.options;
    let is_other =
        options.demo.is_some() || options.tape.is_some() || options.this_host || options.no_cache;
    let store = invocation.cache_file().ok().filter(|_| !is_other);
    let Some(cache) = store else { return Ok(JobsSettings::default()) };
    let (sources, store) = (sources(invocation, env, ledger)?, Jobs::beside(&cache));
    // Of nodes on which nothing ran that is known there is nothing to tell.
    let mut events = event_sources(invocation)?;
    if !events.is_empty() && sources.is_empty() && store.is_empty().unwrap_or(true) {
        events.clear();
    }
    Ok(JobsSettings {
        sources,
        events,
        store: Some(store),
        first: SignedDuration::from_hours(24 * i64::from(invocation.config.jobs.first_days)),
    })
}

/// The configured sources. Fails where one cannot be made.
pub fn sources(
    invocation: &Invocation,
    env: &Env,
    ledger: Option<&Ledger>,
) -> Result<Vec<Arc<dyn LiveJobs>>, CliError> {
    let config = &invocation.config.jobs;
    let mut all: Vec<Arc<dyn LiveJobs>> = Vec::new();
    for section in &config.slurm {
        all.push(slurm(section, env).map_err(|error| named(&section.name, &error))?);
    }
    let (behind, itself): (Vec<_>, Vec<_>) =
        config.kubernetes.iter().partition(|section| section.prometheus.is_some());
    for section in behind {
        let source = state_metrics(section, &invocation.config, ledger);
        all.push(source.map_err(|error| named(&section.name, &error))?);
    }
    let clusters: Arc<[KubernetesSettings]> =
        itself.into_iter().flat_map(|section| kubernetes(section, env)).collect();
    for settings in clusters.iter() {
        all.push(Arc::new(Kubernetes::new(settings.clone()).beside(clusters.clone())));
    }
    if !config.sagemaker.is_empty() || !config.batch.is_empty() {
        let reaches = invocation.reaches();
        let keys = JobTagKeys {
            user: invocation.config.teams.user_tag_keys(),
            team: invocation.config.tag_keys.team.clone(),
            project: invocation.config.tag_keys.project.clone(),
        };
        for section in &config.sagemaker {
            let found = account(section, &reaches, calls::LIST_TRAINING_JOBS.action);
            if let Some((aws, regions)) = found.map_err(|e| named(&section.name, &e))? {
                let source = SageMakerJobs::new(&section.name, aws, regions);
                all.push(Arc::new(source.with_tags(keys.clone())));
            }
        }
        for section in &config.batch {
            let found = account(&section.account(), &reaches, calls::LIST_JOBS.action);
            if let Some((aws, regions)) = found.map_err(|e| named(&section.name, &e))? {
                let (queues, keys) = (section.queues.clone(), keys.clone());
                all.push(Arc::new(BatchJobs::new(&section.name, aws, regions, queues, keys)));
            }
        }
    }
    for section in &config.mlflow {
        all.push(mlflow(section, env).map_err(|error| named(&section.name, &error))?);
    }
    for section in &config.ray {
        all.push(ray(section, env).map_err(|error| named(&section.name, &error))?);
    }
    Ok(all)
}

/// What tells of nodes: the configured servers with the Prometheus API, and [`spot_sources`]. Fails where it is not known which account is
/// meant. Amazon's service is not asked: it bills the past of all GPUs. A server that cannot be used is told of where GPUs are read.
fn event_sources(invocation: &Invocation) -> Result<Vec<Arc<dyn NodeEvents>>, CliError> {
    let gpus = &invocation.config.gpus;
    let mut all = spot_sources(invocation)?;
    let is_free = |of: &&PrometheusSection| of.flavour != FlavourChoice::Amazon;
    let servers = gpus.prometheus.iter().filter(is_free);
    let servers = servers.filter_map(|of| telemetry::prometheus_with_aliases(gpus, of).ok());
    all.extend(servers.map(|server| Arc::new(server) as Arc<dyn NodeEvents>));
    Ok(all)
}

/// The accounts that are asked for Spot instances that EC2 took back. Fails where it is not known which is meant.
pub fn spot_sources(invocation: &Invocation) -> Result<Vec<Arc<dyn NodeEvents>>, CliError> {
    let sections = &invocation.config.jobs.spot;
    let mut all: Vec<Arc<dyn NodeEvents>> = Vec::new();
    if sections.is_empty() {
        return Ok(all);
    }
    let reaches = invocation.reaches();
    for section in sections {
        let found = account(section, &reaches, calls::DESCRIBE_INSTANCES.action);
        if let Some((aws, regions)) = found.map_err(|e| named(&section.name, &e))? {
            all.push(Arc::new(SpotInterruptions::new(&section.name, aws, regions)));
        }
    }
    Ok(all)
}

/// What on this host runs jobs, or leads to it, and is not configured.
pub fn nearby(invocation: &Invocation, env: &Env) -> Vec<NearbyJobs> {
    let config = &invocation.config.jobs;
    let mut found = Vec::new();
    let path = env.get("PATH").unwrap_or_default();
    let has_sacct = std::env::split_paths(path).any(|dir| dir.join("sacct").is_file());
    if config.slurm.is_empty() && has_sacct {
        let what = "sacct of Slurm is on this host".to_owned();
        found.push(NearbyJobs { what, lines: "[[jobs.slurm]]\nname = \"here\"" });
    }
    // Their values may hold a password.
    let names_server = |name: &str| env.get(name).is_some_and(|url| url.starts_with("http"));
    if config.mlflow.is_empty() && names_server("MLFLOW_TRACKING_URI") {
        let what = "MLFLOW_TRACKING_URI names a tracking server".to_owned();
        let lines = "[[jobs.mlflow]]\nname = \"runs\"\nurl = \"https://…\"";
        found.push(NearbyJobs { what, lines });
    }
    if config.ray.is_empty() && names_server("RAY_API_SERVER_ADDRESS") {
        let what = "RAY_API_SERVER_ADDRESS names the dashboard of a Ray cluster".to_owned();
        let lines = "[[jobs.ray]]\nname = \"ray\"\nurl = \"http://…\"";
        found.push(NearbyJobs { what, lines });
    }
    if config.kubernetes.is_empty() {
        if in_cluster_server(env).is_some() && Path::new(SERVICE_ACCOUNT).join("token").is_file() {
            let what = "this is a pod of a cluster of Kubernetes".to_owned();
            let lines = "[[jobs.kubernetes]]\nname = \"here\"\nin_cluster = true";
            found.push(NearbyJobs { what, lines });
        } else if kubeconfig(env).is_some_and(|file| file.is_file()) {
            let what = "a kubeconfig is on this host".to_owned();
            found.push(NearbyJobs { what, lines: "[[jobs.kubernetes]]\nname = \"prod\"" });
        }
    }
    found
}

/// Where a pod finds the token and the authority of its cluster.
const SERVICE_ACCOUNT: &str = "/var/run/secrets/kubernetes.io/serviceaccount";

/// Address of the API server of the cluster that this is a pod of; `None` where it is none.
fn in_cluster_server(env: &Env) -> Option<Address> {
    let (host, port) = (env.get("KUBERNETES_SERVICE_HOST")?, env.get("KUBERNETES_SERVICE_PORT")?);
    let host = if host.contains(':') { format!("[{host}]") } else { host.to_owned() };
    Some(Address::new(format!("https://{host}:{port}")))
}

/// The kubeconfig of the environment; `None` where it names none, or several, which are not merged.
fn kubeconfig(env: &Env) -> Option<PathBuf> {
    if let Some(list) = env.get("KUBECONFIG") {
        let mut files = std::env::split_paths(list).filter(|file| !file.as_os_str().is_empty());
        return files.next().filter(|_| files.next().is_none());
    }
    Some(Path::new(env.get("HOME")?).join(".kube/config"))
}

/// The clusters of a section, a source each. Reads no file: what is wrong with one is told when it is read.
fn kubernetes(section: &KubernetesSection, env: &Env) -> Vec<KubernetesSettings> {
    let of = |text: &Option<String>| text.as_deref().map(Arc::from);
    let made = |(name, context): (String, Option<String>)| {
        let place = match section.in_cluster {
            Some(true) => {
                Where::InCluster { server: in_cluster_server(env), dir: SERVICE_ACCOUNT.into() }
            }
            _ => Where::Kubeconfig {
                file: section.kubeconfig.clone().or_else(|| kubeconfig(env)),
                context,
            },
        };
        KubernetesSettings {
            name: name.into(),
            place,
            cluster: of(&section.cluster),
            region: of(&section.region),
            namespaces: section.namespaces.clone().unwrap_or_default(),
            keys: keys(section),
            may_be_insecure: section.insecure_skip_tls_verify == Some(true),
            timeout: seconds(section.timeout_s, Duration::from_mins(1)),
        }
    };
    section.sources().into_iter().map(made).collect()
}

fn keys(section: &KubernetesSection) -> Keys {
    Keys {
        user: section.user_label.clone(),
        team: section.team_label.clone(),
        project: section.project_label.clone(),
        checkpoint: section.checkpoint_label.clone(),
    }
}

/// The server that a section names; `None` where it names none that is configured.
fn server<'a>(section: &KubernetesSection, config: &'a Config) -> Option<&'a PrometheusSection> {
    let name = section.prometheus.as_ref()?;
    config.gpus.prometheus.iter().find(|server| server.name == *name)
}

/// A cluster that kube-state-metrics tells of. Fails where its server cannot be used as configured.
fn state_metrics(
    section: &KubernetesSection,
    config: &Config,
    ledger: Option<&Ledger>,
) -> Result<Arc<dyn LiveJobs>, SourceError> {
    let Some(server) = server(section, config) else {
        let fix = "configure it: `[[gpus.prometheus]]` has name and url";
        return Err(SourceError::new(ErrorKind::Unavailable, "prometheus:query", "no server", fix));
    };
    let timeout_s = section.timeout_s.or(server.timeout_s).or(Some(QUERY_WITHIN_S));
    let server = PrometheusSection { timeout_s, ..server.clone() };
    let server = telemetry::prometheus(&server, ledger)?;
    let settings = StateMetricsSettings {
        name: section.name.as_str().into(),
        // The configuration has one.
        cluster: section.cluster.as_deref().unwrap_or(&section.name).into(),
        region: section.region.as_deref().map(Arc::from),
        namespaces: section.namespaces.clone().unwrap_or_default(),
        keys: keys(section),
    };
    Ok(Arc::new(StateMetrics::new(settings, server)))
}

fn named(name: &str, error: &SourceError) -> CliError {
    CliError::Usage(format!("jobs source \"{name}\": {}", error.with_fix()))
}

/// Value of a variable that holds a secret; `None` where it is not set.
pub(super) fn secret(env: &Env, name: &str) -> Option<Secret> {
    env.get(name).map(Secret::new)
}

/// The account that a section names, and its regions; `None` in the demo. Fails where it is not known which is meant; `call` is
/// what it is to be asked.
fn account(
    section: &AccountSection,
    reaches: &[Reach],
    call: &str,
) -> Result<Option<(Arc<AwsProvider>, Regions)>, SourceError> {
    let unknown =
        |message: &str, fix: &str| SourceError::new(ErrorKind::NoCredentials, call, message, fix);
    let label = |reach: &Reach| reach.target.as_ref().map(|target| target.label.clone());
    let reach = match (&section.account, reaches) {
        (Some(name), _) => reaches.iter().find(|one| label(one).as_ref() == Some(name)),
        (None, [one]) => Some(one),
        (None, []) => None,
        (None, _) => {
            let fix = "say in its section which is meant: `account`";
            return Err(unknown("several accounts are read", fix));
        }
    };
    let Some(reach) = reach else {
        let known: Vec<String> = reaches.iter().filter_map(label).collect();
        let message = match &section.account {
            Some(name) => format!(
                "no account of this run is called {name}; those that are read: {}",
                known.join(", ")
            ),
            None => "no account is read".to_owned(),
        };
        let fix = "correct `account` in its section, or read that account as well";
        return Err(unknown(&message, fix));
    };
    let regions = match &section.regions {
        Some(codes) => Regions::named(codes.iter().map(String::as_str)),
        None => reach.regions.clone(),
    };
    Ok(reach.job_account().map(|account| (account, regions)))
}

pub(super) fn seconds(number: Option<u32>, default: Duration) -> Duration {
    number.map_or(default, |seconds| Duration::from_secs(seconds.into()))
}

fn slurm(section: &SlurmSection, env: &Env) -> Result<Arc<dyn LiveJobs>, SourceError> {
    let of = |text: &Option<String>| text.as_deref().map(Arc::from);
    let default = SlurmSettings::new(&section.name);
    let settings = SlurmSettings {
        cluster: of(&section.cluster),
        region: of(&section.region),
        timeout: seconds(section.timeout_s, default.timeout),
        ..default
    };
    if let Some(url) = &section.slurmrestd {
        let token = match (&section.token_file, &section.token_env) {
            (Some(file), _) => Token::File(file.clone()),
            (None, name) => {
                let name = name.clone().unwrap_or_default();
                Token::Variable { value: secret(env, &name), name }
            }
        };
        let source = SlurmRest::new(settings, url.clone(), token, section.ca_file.clone())?;
        return Ok(Arc::new(source));
    }
    let place = match &section.ssh {
        None => Place::Here,
        Some(host) => Place::Over { login: Login::default(), target: Target::new(host)? },
    };
    Ok(Arc::new(SlurmPrograms::new(settings, place, section.bin.clone())))
}
