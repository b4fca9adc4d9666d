//! Sources of GPU telemetry, from the configuration.

use std::sync::Arc;
use std::time::Duration;

use super::exit::CliError;
use super::invocation::Invocation;
use crate::analyze::gpu::{GpuRules, TeamRule};
use crate::config::{
    Env, ExportersSection, FlavourChoice, GpusConfig, PrometheusSection, SshSection, ec2_hosts,
};
use crate::doctor::gpus::Nearby;
use crate::domain::{Address, SourceError};
use crate::source::aws::signer;
use crate::source::cloudwatch_gpu::{Budget, CloudWatchGpus};
use crate::source::exporter::{self, Exporter, Targets};
use crate::source::http::Auth;
use crate::source::ledger::Ledger;
use crate::source::nvml::{self, Local};
use crate::source::prometheus::{self, Flavour, Matchers, Prometheus};
use crate::source::ssh::{self, Ssh, Target};
use crate::source::vocabulary::Vocabulary;
use crate::source::{GpuSource, demo};

/// Which GPU sources a run reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Want {
    /// All of them.
    All,
    /// Those that are free; for reports about instances, whose verdicts follow hourly metrics.
    Free,
    /// The driver of this host only.
    Local,
    /// None; the command reads this part of storage.
    Storage(StoragePart),
}

/// Part of storage that a command reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StoragePart {
    /// Buckets.
    Buckets,
    /// Volumes and snapshots.
    Ebs,
}

/// GPU sources of a run, the most detailed first; makes no call. Fails where the configuration of one cannot be
/// used.
pub fn sources(
    invocation: &Invocation,
    ledger: Option<&Ledger>,
    want: Want,
) -> Result<Vec<Arc<dyn GpuSource>>, CliError> {
    let options = &invocation.options;
    if options.tape.is_some() || matches!(want, Want::Storage(_)) {
        return Ok(Vec::new());
    }
    if let Some(fleet) = invocation.reach.demo_fleet(&invocation.config, options) {
        return Ok(demo::gpu_sources(&fleet));
    }
    let config = &invocation.config.gpus;
    let want = if options.this_host { Want::Local } else { want };
    let mut all: Vec<Arc<dyn GpuSource>> = Vec::new();
    if want != Want::Local {
        let names = vocabulary(config)?;
        for section in &config.prometheus {
            let source = server(section, &names, ledger).map_err(|e| named(&section.name, &e))?;
            all.push(Arc::new(source));
        }
        for section in &config.exporters {
            all.push(Arc::new(exporters(section, &names).map_err(|e| named(&section.name, &e))?));
        }
    }
    all.extend(local(config, want == Want::Local).map(|source| source as Arc<dyn GpuSource>));
    if want != Want::Local {
        for section in &config.ssh {
            all.push(Arc::new(hosts(section).map_err(|e| named(&section.name, &e))?));
        }
    }
    if want == Want::All && config.cloudwatch {
        let budget = ledger.map_or_else(Budget::default, |ledger| Budget::new(ledger.clone()));
        let providers = invocation.reaches().iter().map(super::accounts::Reach::provider).collect();
        all.push(Arc::new(CloudWatchGpus::new(providers, Arc::new(budget))));
    }
    Ok(all)
}

/// Rules for GPU verdicts, from the configuration.
pub fn rules(config: &GpusConfig) -> GpuRules {
    let mut rules = GpuRules::default();
    let words = |own: &Option<Vec<String>>, default: Vec<String>| {
        own.as_ref()
            .map_or(default, |list| list.iter().map(|word| word.to_ascii_lowercase()).collect())
    };
    rules.workload_tags = config.workload.tags.clone().unwrap_or(rules.workload_tags);
    rules.training_words = words(&config.workload.training, rules.training_words);
    rules.inference_words = words(&config.workload.inference, rules.inference_words);
    rules.teams = config
        .teams
        .iter()
        .map(|(namespace, team)| TeamRule {
            namespace: namespace.clone(),
            team: team.as_str().into(),
        })
        .collect();
    rules.namespace_is_team = config.namespace_is_team;
    rules
}

/// A configured server, to ask it about something else than GPUs. Fails where it cannot be used as configured.
pub fn prometheus(
    section: &PrometheusSection,
    ledger: Option<&Ledger>,
) -> Result<Prometheus, SourceError> {
    server(section, &Arc::default(), ledger)
}

/// A configured server with the metric names of the configuration, for what it keeps of GPUs; its queries are not charged. Fails
/// where it cannot be used as configured.
pub fn prometheus_with_aliases(
    config: &GpusConfig,
    section: &PrometheusSection,
) -> Result<Prometheus, CliError> {
    server(section, &vocabulary(config)?, None).map_err(|e| named(&section.name, &e))
}

fn named(name: &str, error: &SourceError) -> CliError {
    CliError::Usage(format!("gpus source \"{name}\": {error}; {}", error.fix))
}

fn vocabulary(config: &GpusConfig) -> Result<Arc<Vocabulary>, CliError> {
    Vocabulary::with_aliases(&config.aliases)
        .map(Arc::new)
        .map_err(|why| CliError::Usage(format!("`gpus.aliases`: {why}")))
}

fn server(
    section: &PrometheusSection,
    names: &Arc<Vocabulary>,
    ledger: Option<&Ledger>,
) -> Result<Prometheus, SourceError> {
    let mut settings = prometheus::Settings::new(&section.name, section.url.reveal());
    settings.flavour = match section.flavour {
        FlavourChoice::Prometheus => Flavour::Prometheus,
        FlavourChoice::Thanos => Flavour::Thanos,
        FlavourChoice::Mimir => Flavour::Mimir,
        FlavourChoice::VictoriaMetrics => Flavour::VictoriaMetrics,
        FlavourChoice::Amazon => Flavour::Amazon {
            region: section.region.clone().unwrap_or_default(),
            credentials: signer(section.profile.as_deref()),
        },
    };
    settings.tenant.clone_from(&section.tenant);
    settings.auth = match (&section.bearer_token, &section.bearer_token_file, &section.username) {
        (Some(token), ..) => Auth::Bearer(token.clone()),
        (_, Some(file), _) => Auth::BearerFile(file.clone()),
        (.., Some(user)) => Auth::BasicFile {
            user: user.clone(),
            file: section.password_file.clone().unwrap_or_default(),
        },
        _ => Auth::None,
    };
    settings.ca_file.clone_from(&section.ca_file);
    if let Some(matchers) = &section.matchers {
        settings.matchers = Matchers::parse(matchers).map_err(|why| {
            SourceError::new(
                crate::domain::ErrorKind::Refused,
                "prometheus:matchers",
                &why,
                "write them as in a query: cluster=\"a\",env=~\"prod|dev\"",
            )
        })?;
    }
    settings.every_s = section.every_s.unwrap_or(settings.every_s);
    settings.timeout_s = section.timeout_s.unwrap_or(settings.timeout_s);
    settings.vocabulary = names.clone();
    settings.ledger = ledger.cloned();
    Prometheus::new(settings)
}

fn exporters(section: &ExportersSection, names: &Arc<Vocabulary>) -> Result<Exporter, SourceError> {
    let default = exporter::Settings::default();
    let settings = exporter::Settings {
        name: section.name.clone(),
        targets: Targets {
            listed: section.targets.iter().map(|t| t.reveal().to_owned()).collect(),
            file: section.targets_file.clone(),
            // Checked with the configuration.
            ec2: section.ec2.as_deref().and_then(|text| ec2_hosts(text).ok()),
        },
        every_s: section.every_s.unwrap_or(30),
        timeout_ms: section.timeout_s.map_or(default.timeout_ms, |s| s * 1_000),
        // The schema bounds it.
        port: section.port.and_then(|port| port.try_into().ok()).unwrap_or(default.port),
        path: section.path.as_ref().map_or(default.path, |path| path.reveal().to_owned()),
        in_flight: default.in_flight,
    };
    Exporter::new(settings, names.clone())
}

/// NVML of this host: where it is asked for, or where the library is there.
fn local(config: &GpusConfig, asked: bool) -> Option<Arc<Local>> {
    let settings =
        nvml::Settings { library: config.nvml_library.clone(), ..nvml::Settings::default() };
    let wanted = asked || config.local.unwrap_or_else(|| nvml::present(&settings));
    wanted.then(|| Arc::new(Local::new(settings)))
}

fn hosts(section: &SshSection) -> Result<Ssh, SourceError> {
    let targets = section.hosts.iter().map(|host| Target::new(host)).collect::<Result<_, _>>()?;
    let mut settings = ssh::Settings::new(&section.name, targets);
    settings.instances = section.ec2.as_deref().and_then(|text| ec2_hosts(text).ok());
    settings.user.clone_from(&section.user);
    settings.every = Duration::from_secs(section.every_s.unwrap_or(30).into());
    Ok(Ssh::new(settings))
}

/// Unconfigured sources at their usual addresses on this host, for the doctor.
pub fn nearby(invocation: &Invocation, env: &Env) -> Vec<Nearby> {
    let config = &invocation.config.gpus;
    if invocation.options.demo.is_some() || invocation.options.tape.is_some() {
        return Vec::new();
    }
    let Ok(names) = vocabulary(config) else { return Vec::new() };
    let mut found: Vec<Nearby> = Vec::new();
    let mut servers = vec![Address::from("http://127.0.0.1:9090")];
    // Without its query, which has no meaning before `/api/v1` and may be a token.
    let named = env.get("PROMETHEUS_URL").map(|url| url.split(['?', '#']).next().unwrap_or(url));
    servers.extend(named.map(Address::from).filter(|url| url.parse().is_ok()));
    for url in servers {
        let without_slash = |url: &Address| url.reveal().trim_end_matches('/').to_owned();
        if config.prometheus.iter().any(|s| without_slash(&s.url) == without_slash(&url)) {
            continue;
        }
        let shown = url.parse().map(String::from).unwrap_or_default();
        let lines = format!("[[gpus.prometheus]]\nname = \"here\"\nurl = \"{shown}\"");
        let what = format!("a Prometheus at {url}");
        let section = PrometheusSection {
            name: "here".into(),
            url,
            timeout_s: Some(5),
            ..PrometheusSection::default()
        };
        if let Ok(source) = server(&section, &names, None) {
            found.push(Nearby { source: Arc::new(source), what, lines });
        }
    }
    // dcgm-exporter, nvidia_gpu_exporter, all-smi, neuron-monitor.
    for port in [9400, 9835, 9090, 8000] {
        let target = format!("127.0.0.1:{port}");
        if config.exporters.iter().any(|s| s.targets.iter().any(|t| t.reveal().contains(&target))) {
            continue;
        }
        let lines = format!("[[gpus.exporters]]\nname = \"here\"\ntargets = [\"{target}\"]");
        let section = ExportersSection {
            name: "here".into(),
            targets: vec![target.as_str().into()],
            timeout_s: Some(3),
            ..ExportersSection::default()
        };
        if let Ok(source) = exporters(&section, &names) {
            let what = format!("an exporter at {target}");
            found.push(Nearby { source: Arc::new(source), what, lines });
        }
    }
    found
}
