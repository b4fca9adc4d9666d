//! Exporters read directly: dcgm-exporter and its like publish a page per host, and this source
//! reads those pages. For sites without a metric server, for up to a few hundred hosts, and for the
//! hosts one looks at closely.
//!
//! A host that fails is asked less and less often, and stands in the sweep with its error until it
//! answers.

mod file;
mod host;
mod pause;
mod targets;
#[cfg(test)]
mod tests;

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use futures_util::StreamExt;
use futures_util::stream::FuturesUnordered;
use jiff::Timestamp;
use tokio::sync::Semaphore;

use self::file::TargetsFile;
use self::host::{Host, MAX_DEVICES, Read};
use self::targets::Target;
use super::budget::Budget;
use super::http::{Http, HttpSettings, Limit};
use super::vocabulary::{DEVICES_AT_MOST, Families, KEPT_AT_MOST, Vocabulary};
use super::{Ask, GpuSource};
use crate::domain::gpu::Ec2Hosts;
use crate::domain::{ErrorKind, HostTrouble, SourceError, SourceId, Sweep, gpu, text};

/// The name of what is done, in errors.
const OPERATION: &str = "exporter:metrics";

/// Largest page that is read, bytes. A host with 16 GPUs and every field has a few hundred KB; 64
/// pages may be on their way at once.
const MAX_PAGE: usize = 4 << 20;

/// Most hosts that are read each second while one looks at them.
const MAX_FOCUS: usize = 32;

/// Most hosts of one source.
const MAX_HOSTS: usize = 10_000;

/// Settings of the exporter source.
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    /// Name of the source on screen.
    pub name: String,
    /// Hosts to read.
    pub targets: Targets,
    /// Seconds between two readings of a host.
    pub every_s: u32,
    /// Time limit for a host, milliseconds.
    pub timeout_ms: u32,
    /// Port of targets without one.
    pub port: u16,
    /// Path of targets without one.
    pub path: String,
    /// Largest number of concurrent requests.
    pub in_flight: usize,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            name: "exporters".to_owned(),
            targets: Targets::default(),
            every_s: 15,
            timeout_ms: 5_000,
            // dcgm-exporter's.
            port: 9400,
            path: "/metrics".to_owned(),
            in_flight: 64,
        }
    }
}

/// Hosts to read: the union of all three kinds.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Targets {
    /// Targets as `host:port`, `host`, or URLs.
    pub listed: Vec<String>,
    /// File with one target per line, or in Prometheus' `file_sd` JSON; `None` without one.
    pub file: Option<PathBuf>,
    /// Running instances to read at their private addresses; `None` for none.
    pub ec2: Option<Ec2Hosts>,
}

/// A source that reads exporters.
#[derive(Debug)]
pub struct Exporter {
    settings: Settings,
    origin: Arc<str>,
    vocabulary: Arc<Vocabulary>,
    http: Http,
    listed: Vec<Target>,
    file: Option<Mutex<TargetsFile>>,
    permits: Semaphore,
    hosts: Mutex<Hosts>,
    /// Memory that the pages of all hosts share.
    budget: Arc<Budget>,
}

/// State kept between sweeps.
#[derive(Debug, Default)]
struct Hosts {
    /// By address.
    known: HashMap<Arc<str>, Arc<Host>>,
    /// Who was seen to name owners.
    naming: Families,
    /// True once all hosts were asked.
    swept: bool,
}

impl Exporter {
    /// A source without connections.
    ///
    /// # Errors
    /// A listed target is no valid address.
    pub fn new(settings: Settings, vocabulary: Arc<Vocabulary>) -> Result<Self, SourceError> {
        let listed = settings
            .targets
            .listed
            .iter()
            .map(|target| Target::parse(target, &settings))
            .collect::<Result<_, _>>()?;
        let every = Duration::from_secs(settings.every_s.max(1).into());
        let http = Http::new(HttpSettings {
            connect: Duration::from_millis(settings.timeout_ms.into()).min(CONNECT),
            idle_per_host: 1,
            // A connection is used again in the next round.
            idle_for: every * 2 + Duration::from_secs(30),
            // Exporters are neighbours; a proxy leads out of the network.
            proxy: false,
            ..HttpSettings::default()
        })?;
        Ok(Self {
            origin: text::clean(&settings.name).into(),
            vocabulary,
            http,
            listed,
            file: settings.targets.file.clone().map(|path| Mutex::new(TargetsFile::new(path))),
            permits: Semaphore::new(settings.in_flight.max(1)),
            hosts: Mutex::default(),
            budget: Arc::new(Budget::new(KEPT_AT_MOST)),
            settings,
        })
    }

    /// All targets as of now, each once, and what could not be understood.
    fn targets(&self, ask: &Ask) -> (Vec<Target>, Vec<HostTrouble>) {
        let mut troubles = Vec::new();
        let mut targets = self.listed.clone();
        if let Some(file) = &self.file {
            let mut file = file.lock().unwrap_or_else(PoisonError::into_inner);
            match file.targets(&self.settings) {
                Ok((found, bad)) => {
                    targets.extend(found.iter().cloned());
                    troubles.extend(bad.iter().cloned());
                }
                Err(error) => {
                    troubles.push(HostTrouble { host: file.shown().clone(), error });
                }
            }
        }
        if let Some(which) = &self.settings.targets.ec2 {
            targets.extend(targets::of_instances(which, &ask.hosts, &self.settings));
        }
        let mut seen = std::collections::HashSet::new();
        targets.retain(|target| seen.insert(target.url.clone()));
        if let Some(more) = targets.len().checked_sub(MAX_HOSTS).filter(|more| *more > 0) {
            targets.truncate(MAX_HOSTS);
            let what = format!("{more} targets left out: at most {MAX_HOSTS} are read");
            troubles.push(self.beyond(&what, "split the targets among several burntop runs"));
        }
        (targets, troubles)
    }

    /// Trouble about what was left out, with advice.
    fn beyond(&self, what: &str, fix: &str) -> HostTrouble {
        let error = SourceError::new(ErrorKind::Other, OPERATION, what, fix);
        HostTrouble { host: self.origin.clone(), error: Arc::new(error) }
    }

    /// The hosts to ask; those that are no longer named are forgotten.
    fn hosts(&self, targets: Vec<Target>) -> (Vec<Arc<Host>>, bool) {
        let mut hosts = self.hosts.lock().unwrap_or_else(PoisonError::into_inner);
        let mut known = HashMap::with_capacity(targets.len());
        let mut all = Vec::with_capacity(targets.len());
        for target in targets {
            let old = hosts.known.get(&target.url).filter(|host| host.target == target);
            let host = old.cloned().unwrap_or_else(|| {
                let vocabulary = Arc::clone(&self.vocabulary);
                Arc::new(Host::new(target, vocabulary, Arc::clone(&self.budget)))
            });
            known.insert(host.target.url.clone(), Arc::clone(&host));
            all.push(host);
        }
        hosts.known = known;
        (all, hosts.swept)
    }

    /// Reads one host, after a wait, when there is a free place.
    async fn read(&self, host: Arc<Host>, asked: Asked, wait: Duration) -> (Arc<Host>, Read) {
        if !wait.is_zero() {
            tokio::time::sleep(wait).await;
        }
        let Ok(permit) = self.permits.acquire().await else {
            let error = SourceError::new(ErrorKind::Other, OPERATION, "it is closing", "");
            return (host, Read::Failed(Arc::new(error)));
        };
        let limit = Limit {
            bytes: MAX_PAGE,
            time: Duration::from_millis(self.settings.timeout_ms.max(1).into()),
        };
        let read = host.read(&self.http, asked, limit, self.settings.every_s).await;
        drop(permit);
        (host, read)
    }
}

/// Start of a sweep. Later times are measured from it with the machine's monotonic clock: the clock of the run may be
/// fixed, and must not be mixed with the machine's.
#[derive(Clone, Copy, Debug)]
pub struct Asked {
    /// By the clock of the run.
    now: Timestamp,
    at: Instant,
}

impl Asked {
    /// Present time by the clock of the run.
    pub fn moment(self) -> Timestamp {
        self.now.checked_add(self.at.elapsed()).unwrap_or(self.now)
    }
}

/// Longest wait for a connection: exporters are near.
const CONNECT: Duration = Duration::from_secs(3);

#[async_trait::async_trait]
impl GpuSource for Exporter {
    fn source(&self) -> SourceId {
        SourceId::Exporter
    }

    fn origin(&self) -> &Arc<str> {
        &self.origin
    }

    fn every(&self) -> Duration {
        Duration::from_secs(self.settings.every_s.max(1).into())
    }

    fn focus_every(&self) -> Option<Duration> {
        Some(Duration::from_secs(1))
    }

    async fn sweep(&self, ask: &Ask) -> Result<Sweep, SourceError> {
        // The file of targets is small, and read only when it changed.
        let asked_at = Asked { now: ask.now, at: Instant::now() };
        let (targets, mut troubles) = self.targets(ask);
        let (mut hosts, swept) = self.hosts(targets);
        let partial = !ask.focus.is_empty();
        if partial {
            let wanted = targets::Focus::new(&ask.focus, &ask.hosts);
            hosts.retain(|host| host.is_in(&wanted));
            hosts.truncate(MAX_FOCUS);
        }
        // Spread over a third of the interval, so that neither this machine nor the network has it
        // all at once; the first time one wants to see something.
        let spread = if partial || !swept { Duration::ZERO } else { self.every() / 3 };
        let asked = hosts.len() as u32 + troubles.len() as u32;
        let mut reads: FuturesUnordered<_> = hosts
            .into_iter()
            .map(|host| {
                let wait = host.target.phase(spread);
                self.read(host, asked_at, wait)
            })
            .collect();
        let mut pages = Vec::new();
        let (mut gpus, mut unkept, mut cut) = (0, 0, 0);
        while let Some((host, read)) = reads.next().await {
            match read {
                Read::Page(gathered) if gpus + gathered.samples.len() > DEVICES_AT_MOST => {
                    unkept += gathered.samples.len();
                }
                Read::Page(gathered) => {
                    gpus += gathered.samples.len();
                    if gathered.dropped.excess > 0 {
                        cut += 1;
                        let what = format!(
                            "{} series left out: at most {MAX_DEVICES} GPUs of a host and {} MiB \
                             of labels of all hosts are kept",
                            gathered.dropped.excess,
                            self.budget.most() >> 20
                        );
                        let fix =
                            "look at the page of this host; GPUs that are left out are unknown";
                        let trouble = self.beyond(&what, fix);
                        troubles.push(HostTrouble { host: host.target.shown.clone(), ..trouble });
                    }
                    pages.push(gathered);
                }
                Read::Failed(error) => {
                    troubles.push(HostTrouble { host: host.target.shown.clone(), error });
                }
            }
        }
        drop(reads);
        if unkept > 0 {
            let what = format!("{unkept} GPUs left out: at most {DEVICES_AT_MOST} are kept");
            troubles.push(self.beyond(&what, "read them through a Prometheus, in several sources"));
        }
        let mut known = self.hosts.lock().unwrap_or_else(PoisonError::into_inner);
        let naming = pages.iter().fold(known.naming, |all, page| all.or(page.naming));
        known.naming = naming;
        known.swept |= !partial;
        drop(known);
        // A host that is left out in part has not answered as it was asked.
        let answered = pages.len() as u32 - cut;
        let mut samples = Vec::with_capacity(pages.iter().map(|p| p.samples.len()).sum());
        for mut page in pages {
            // One exporter that names owners says that those of its kind would.
            let names = page.families.meets(naming);
            for sample in &mut page.samples {
                sample.names_owners |= names;
            }
            samples.append(&mut page.samples);
        }
        troubles.sort_by(|a, b| a.host.cmp(&b.host));
        Ok(Sweep {
            source: SourceId::Exporter,
            origin: self.origin.clone(),
            taken_at: asked_at.moment(),
            samples,
            asked,
            answered,
            troubles,
            partial,
        })
    }
}
