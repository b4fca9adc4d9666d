//! GPU telemetry from a server with the Prometheus HTTP API: Prometheus, Thanos, Mimir,
//! `VictoriaMetrics`, Amazon Managed Service for Prometheus.

mod api;
mod bill;
mod days;
mod history;
mod hour;
mod instant;
pub mod json;
mod plan;
mod promql;
mod rules;
mod sign;
mod sweep;
#[cfg(test)]
mod tests;
mod xids;

use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use aws_credential_types::provider::SharedCredentialsProvider;
use jiff::Timestamp;
use tokio::sync::Mutex;

use self::api::Api;
pub use self::api::BuildInfo;
use self::plan::Names;
pub use self::promql::{Matchers, literal};
use super::gpu::{Ask, GpuSource};
use super::http::Auth;
use super::ledger::Ledger;
use super::vocabulary::{Gather, Vocabulary};
use crate::domain::{ErrorKind, GpuHistory, GpuHour, GpuKey, Hour, SourceError, SourceId, Sweep};

/// Kind of server: they differ in paths, headers and parameters.
#[derive(Clone, Debug, Default)]
pub enum Flavour {
    /// Prometheus itself, and what behaves like it.
    #[default]
    Prometheus,
    /// Thanos: answers are de-duplicated, and may be partial.
    Thanos,
    /// Mimir and Cortex: the API is below `/prometheus`.
    Mimir,
    /// `VictoriaMetrics`; the path of a cluster is part of the address.
    VictoriaMetrics,
    /// Amazon Managed Service for Prometheus: requests are signed.
    Amazon {
        /// AWS region of the workspace.
        region: String,
        /// Credentials for the signatures.
        credentials: SharedCredentialsProvider,
    },
}

/// Settings of a server.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Name of the source on screen.
    pub name: Arc<str>,
    /// URL of the server, up to before `/api/v1`.
    pub url: String,
    /// Kind of server.
    pub flavour: Flavour,
    /// Tenant, sent as `X-Scope-OrgID`; `None` sends none.
    pub tenant: Option<String>,
    /// Credentials; not used for Amazon's service.
    pub auth: Auth,
    /// PEM file with the certificate authorities to trust; `None` = the system's.
    pub ca_file: Option<PathBuf>,
    /// True to use the proxy of the environment.
    pub proxy: bool,
    /// Time between two sweeps, seconds.
    pub every_s: u32,
    /// Time limit of a query, seconds.
    pub timeout_s: u32,
    /// Label matchers added to every query.
    pub matchers: Matchers,
    /// Known metric names.
    pub vocabulary: Arc<Vocabulary>,
    /// Ledger for Amazon's charges; `None` when queries cost nothing.
    pub ledger: Option<Ledger>,
}

impl Settings {
    /// Default settings: a sweep every 15 s, 20 s per query.
    pub fn new(name: &str, url: &str) -> Self {
        Self {
            name: crate::domain::text::clean(name).into(),
            url: url.to_owned(),
            flavour: Flavour::Prometheus,
            tenant: None,
            auth: Auth::None,
            ca_file: None,
            proxy: true,
            every_s: 15,
            timeout_s: 20,
            matchers: Matchers::default(),
            vocabulary: Arc::default(),
            ledger: None,
        }
    }
}

/// After this time the metric names are looked up anew.
const DISCOVER_EVERY: Duration = Duration::from_mins(10);

/// A server with the Prometheus HTTP API as a source.
pub struct Prometheus {
    api: Api,
    settings: Settings,
    state: Mutex<State>,
}

struct State {
    names: Option<(Arc<Names>, Instant)>,
    gather: Gather,
    /// How many activity signals are read in each sweep.
    wide: usize,
    sweeps: u64,
    /// What the slow queries said.
    carried: sweep::Carried,
}

impl Prometheus {
    /// A source without connections.
    ///
    /// # Errors
    /// An invalid URL or header.
    pub fn new(settings: Settings) -> Result<Self, SourceError> {
        let state = State {
            names: None,
            gather: Gather::new(Arc::clone(&settings.vocabulary)),
            wide: 1,
            sweeps: 0,
            carried: sweep::Carried::default(),
        };
        Ok(Self { api: Api::new(&settings)?, settings, state: Mutex::new(state) })
    }

    /// Build information, for the doctor. Servers other than Prometheus may not offer it.
    ///
    /// # Errors
    /// The server does not answer, or not with this.
    pub async fn build_info(&self) -> Result<BuildInfo, SourceError> {
        self.api.build_info().await
    }

    /// The names of the GPU metrics that exist, sorted.
    ///
    /// # Errors
    /// The server does not answer; there are none.
    #[cfg(test)]
    pub async fn metric_names(&self) -> Result<Vec<String>, SourceError> {
        let names = self.discover(Timestamp::now()).await?;
        Ok(names.all().map(|(name, _)| name.to_owned()).collect())
    }

    /// Rules file that makes hourly queries cheap, for the metrics that exist.
    ///
    /// # Errors
    /// The server does not answer, or has no GPU metrics.
    pub async fn recording_rules(&self) -> Result<String, SourceError> {
        let names = self.discover(Timestamp::now()).await?;
        Ok(rules::yaml(&names, &self.settings.matchers))
    }

    /// The metric names, looked up at most each ten minutes.
    async fn names(&self, state: &mut State, now: Timestamp) -> Result<Arc<Names>, SourceError> {
        if let Some((names, at)) = &state.names
            && at.elapsed() < DISCOVER_EVERY
        {
            return Ok(Arc::clone(names));
        }
        let names = Arc::new(self.discover(now).await?);
        state.names = Some((Arc::clone(&names), Instant::now()));
        Ok(names)
    }

    async fn discover(&self, now: Timestamp) -> Result<Names, SourceError> {
        /// Addresses longer than a few thousand bytes are refused by proxies.
        const AT_ONCE: usize = 60;
        /// More than all names there are.
        const NAMES_AT_MOST: usize = 10_000;
        let vocabulary = &self.settings.vocabulary;
        let recorded = rules::all();
        let mut wanted: Vec<&str> = vocabulary.iter().map(|(name, _)| name).collect();
        wanted.extend(recorded.iter().map(String::as_str));
        wanted.sort_unstable();
        let now = now.as_second();
        let mut found = Vec::new();
        for some in wanted.chunks(AT_ONCE) {
            let selector = self.settings.matchers.select(some, &[]);
            match self.api.names(&selector, now - 3600, now).await {
                Ok(names) => found.extend(names),
                // Servers without this list answer queries all the same.
                Err(e) if matches!(e.kind, ErrorKind::Unavailable | ErrorKind::Refused) => {
                    let text = format!("max by (__name__) ({selector})");
                    let body = self.api.query(&text, None).await?;
                    body.read(&mut |labels, _| {
                        let room = NAMES_AT_MOST.saturating_sub(found.len());
                        let names = labels.iter().map(|(_, value)| value.clone().into_owned());
                        found.extend(names.take(room));
                    })?;
                }
                Err(e) => return Err(e),
            }
        }
        let names = Names::new(found, vocabulary);
        if names.is_empty() {
            return Err(SourceError::new(
                ErrorKind::Unavailable,
                "prometheus:label_values",
                &format!("{}: no metrics of GPUs in the last hour", self.settings.name),
                "have the server scrape dcgm-exporter; check the matchers and the tenant",
            ));
        }
        Ok(names)
    }
}

#[async_trait::async_trait]
impl GpuSource for Prometheus {
    fn source(&self) -> SourceId {
        SourceId::Prometheus
    }

    fn origin(&self) -> &Arc<str> {
        &self.settings.name
    }

    fn every(&self) -> Duration {
        Duration::from_secs(u64::from(self.settings.every_s.max(1)))
    }

    async fn sweep(&self, ask: &Ask) -> Result<Sweep, SourceError> {
        self.read_all(ask).await
    }

    async fn hour(&self, hour: Hour) -> Option<Result<Vec<GpuHour>, SourceError>> {
        Some(self.read_hour(hour).await)
    }

    async fn history(
        &self,
        key: &GpuKey,
        from: Timestamp,
        to: Timestamp,
        points: u32,
    ) -> Option<Result<GpuHistory, SourceError>> {
        Some(self.read_history(key, from, to, points).await)
    }
}
