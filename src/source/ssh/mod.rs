//! GPUs of hosts without an exporter: `nvidia-smi` over the system's `ssh`.
//!
//! Up to [`STREAMS`] hosts are followed by one connection each, on which the tool prints a line per
//! GPU and second; further hosts are looked at in turn. The user's own configuration of ssh counts
//! (users, keys, jump hosts); host keys are checked whatever it says, and nothing is forwarded.

pub(in crate::source) mod call;
mod csv;
pub(in crate::source) mod error;
mod fields;
mod host;
mod rows;
mod target;

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use jiff::Timestamp;
use tokio::sync::Semaphore;
use tokio::task::{JoinHandle, JoinSet};
use tokio::time::Instant;

use self::host::Host;
use self::target::Place;
pub use self::target::{Login, Target};
use crate::domain::gpu::{Ec2Hosts, without_port};
use crate::domain::{
    AcceleratorKind, GpuSample, HostNames, HostTrouble, SourceError, SourceId, Sweep,
};
use crate::source::{Ask, GpuHost, GpuSource};

/// Number of hosts that are read continuously; each takes a process here and one on the host.
pub const STREAMS: usize = 32;

/// Short looks under way at once.
const LOOKS: usize = 8;

/// Short looks in one sweep; the next sweep goes on.
const LOOKS_A_SWEEP: usize = 16;

/// Time between two readings of a host that is not followed.
const LOOK_EVERY: Duration = Duration::from_mins(1);

/// The longest a sweep waits for hosts that never said anything.
const FIRST_ANSWER: Duration = Duration::from_secs(12);

/// The same where the sweep is the only one.
const ONLY_ANSWER: Duration = Duration::from_secs(30);

/// Settings of the ssh source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settings {
    /// Configured name of the source.
    pub name: Arc<str>,
    /// Validated hosts by name.
    pub hosts: Vec<Target>,
    /// Instances to read in addition; `None` for none.
    pub instances: Option<Ec2Hosts>,
    /// User on these instances; `None` for the choice of ssh.
    pub user: Option<String>,
    /// Options of the ssh connections.
    pub login: Login,
    /// Time between two sweeps.
    pub every: Duration,
}

impl Settings {
    /// Hosts by name with the user's ssh configuration, a sweep every 5 seconds.
    pub fn new(name: &str, hosts: Vec<Target>) -> Self {
        let every = Duration::from_secs(5);
        Self {
            name: name.into(),
            hosts,
            instances: None,
            user: None,
            login: Login::default(),
            every,
        }
    }
}

/// A task that ends with its handle.
struct Task(JoinHandle<()>);

impl Drop for Task {
    fn drop(&mut self) {
        self.0.abort();
    }
}

/// A host, and how it is kept up to date.
struct Kept {
    host: Arc<Host>,
    /// The task that follows it.
    follower: Option<Task>,
    /// When it was last looked at in turn.
    looked_at: Option<Instant>,
}

/// `nvidia-smi` over ssh as a source.
pub struct Ssh {
    settings: Settings,
    login: Arc<Login>,
    kept: Mutex<BTreeMap<Target, Kept>>,
}

impl Ssh {
    /// A source without connections.
    pub fn new(settings: Settings) -> Self {
        let login = Arc::new(settings.login.clone());
        Self { settings, login, kept: Mutex::default() }
    }

    /// The hosts to ask: those of the configuration, and the instances.
    fn places(&self, hosts: &[GpuHost]) -> Vec<Place> {
        let mut places: Vec<Place> = Vec::new();
        for target in &self.settings.hosts {
            add(&mut places, target.clone(), hosts);
        }
        let Some(which) = &self.settings.instances else { return places };
        for host in hosts.iter().filter(|h| which.picks(&h.instance) && may_have_nvidia(h)) {
            let dns = Some(&host.instance.private_dns).filter(|d| !d.is_empty());
            let address = host.instance.private_ip.as_ref().or(dns);
            // What is no name of a host has nothing to be asked with.
            let target = address.and_then(|a| match &self.settings.user {
                Some(user) => Target::new(&format!("{user}@{a}")).ok(),
                None => Target::new(a).ok(),
            });
            if let Some(target) = target {
                add(&mut places, target, hosts);
            }
        }
        places
    }

    /// Starts and ends followers; who is asked, and of those who is to be looked at now.
    fn arrange(&self, ask: &Ask) -> (Vec<Arc<Host>>, Vec<Arc<Host>>) {
        let places = self.places(&ask.hosts);
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.retain(|target, k| {
            places.iter().any(|p| p.target == *target && p.names == k.host.place.names)
        });
        let mut order = Vec::new();
        for (at, place) in places.into_iter().enumerate() {
            let close = is_in_focus(&place, &ask.focus);
            let target = place.target.clone();
            let one = kept.entry(target.clone()).or_insert_with(|| Kept {
                host: Arc::new(Host::new(place)),
                follower: None,
                looked_at: None,
            });
            // A sweep of everything says nothing about what is on screen.
            if !ask.focus.is_empty() {
                one.host.close.store(close, Ordering::Relaxed);
            }
            let close = one.host.close.load(Ordering::Relaxed);
            order.push((!close, one.follower.is_none(), at, target));
        }
        // Those on screen first, then those already followed.
        order.sort();
        let mut looks = Vec::new();
        for (place, (.., target)) in order.iter().enumerate() {
            let Some(one) = kept.get_mut(target) else { continue };
            if place >= STREAMS {
                one.follower = None;
                // A look that was put off is due again.
                let begun = one.host.begun.load(Ordering::Relaxed);
                looks.push((one.looked_at.filter(|_| begun), target.clone()));
            } else if one.follower.as_ref().is_none_or(|t| t.0.is_finished()) {
                let (host, login) = (one.host.clone(), self.login.clone());
                one.follower = Some(Task(tokio::spawn(async move { host.follow(&login).await })));
            }
        }
        let asked: Vec<Arc<Host>> = kept
            .values()
            .filter(|k| ask.focus.is_empty() || is_in_focus(&k.host.place, &ask.focus))
            .map(|k| k.host.clone())
            .collect();
        let mut due = Vec::new();
        if ask.focus.is_empty() {
            // The longest waiting first.
            looks.sort();
            let most = if ask.with_recent { looks.len() } else { LOOKS_A_SWEEP };
            for (at, target) in looks {
                let waits = at.is_some_and(|at| at.elapsed() < LOOK_EVERY);
                if waits || due.len() >= most {
                    break;
                }
                if let Some(one) = kept.get_mut(&target) {
                    one.looked_at = Some(Instant::now());
                    due.push(one.host.clone());
                }
            }
        }
        (asked, due)
    }
}

/// Adds a host with the names under which its GPUs are joined, unless it is there already.
fn add(places: &mut Vec<Place>, target: Target, hosts: &[GpuHost]) {
    let name = target.host();
    if places.iter().any(|p| p.target.host() == name) {
        return;
    }
    // An address that two networks share leads to neither.
    let mut called = hosts.iter().filter(|h| is_called(h, name));
    let instance = called.next().filter(|_| called.next().is_none());
    let names = HostNames {
        instance_id: instance.map(|h| h.instance.id.clone()),
        node: None,
        address: Some(name.into()),
    };
    places.push(Place { target, names });
}

fn is_called(host: &GpuHost, name: &str) -> bool {
    let i = &host.instance;
    i.private_ip.as_deref() == Some(name) || &*i.private_dns == name || &*i.id == name
}

/// False for instances known to have accelerators of others alone.
fn may_have_nvidia(host: &GpuHost) -> bool {
    let accelerator = host.spec.as_ref().and_then(|spec| spec.accelerator.as_ref());
    accelerator.is_none_or(|a| a.kind == AcceleratorKind::NvidiaGpu)
}

fn is_in_focus(place: &Place, focus: &[Arc<str>]) -> bool {
    let names = &place.names;
    focus.iter().any(|f| {
        names.instance_id.as_ref() == Some(f)
            || names.address.as_deref() == Some(without_port(f))
            || place.target.as_str() == f
    })
}

/// Waits until a host has said something, good or bad.
async fn first_answer(host: Arc<Host>) {
    // The sender lives as long as the host.
    let _ = host.said.subscribe().wait_for(|s| s.told).await;
}

#[async_trait::async_trait]
impl GpuSource for Ssh {
    fn source(&self) -> SourceId {
        SourceId::Ssh
    }

    fn origin(&self) -> &Arc<str> {
        &self.settings.name
    }

    fn every(&self) -> Duration {
        self.settings.every
    }

    fn focus_every(&self) -> Option<Duration> {
        Some(Duration::from_secs(1))
    }

    async fn sweep(&self, ask: &Ask) -> Result<Sweep, SourceError> {
        let (asked, due) = self.arrange(ask);
        let limit = if ask.with_recent { ONLY_ANSWER } else { FIRST_ANSWER };
        let slots = Arc::new(Semaphore::new(LOOKS));
        // What is under way ends with the sweep.
        let mut looks = JoinSet::new();
        for host in due {
            let (login, slots) = (self.login.clone(), slots.clone());
            looks.spawn(async move {
                let _slot = slots.acquire().await;
                host.look(&login).await;
            });
        }
        let looks = async { while looks.join_next().await.is_some() {} };
        // Those that are neither followed nor looked at now have their turn later.
        let followed: Vec<Arc<Host>> = {
            let kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
            let follows =
                |h: &&Arc<Host>| kept.get(&h.place.target).is_some_and(|k| k.follower.is_some());
            asked.iter().filter(follows).cloned().collect()
        };
        let firsts = futures_util::future::join_all(followed.iter().cloned().map(first_answer));
        let _ = tokio::time::timeout(limit, async { tokio::join!(looks, firsts) }).await;

        let mut samples: Vec<GpuSample> = Vec::new();
        let (mut troubles, mut answered, mut waiting) = (Vec::new(), 0, 0);
        for host in &asked {
            let said = host.said.borrow();
            samples.extend(said.samples());
            let name = host.place.target.as_str();
            if let Some(e) = &said.error {
                troubles.push(HostTrouble { host: name.clone(), error: Arc::new(e.clone()) });
            } else if said.told {
                answered += 1;
            } else {
                // Its turn comes later.
                if host.begun.load(Ordering::Relaxed) {
                    let error = Arc::new(error::silent());
                    troubles.push(HostTrouble { host: name.clone(), error });
                } else {
                    waiting += 1;
                }
            }
        }
        Ok(Sweep {
            source: SourceId::Ssh,
            origin: self.settings.name.clone(),
            taken_at: Timestamp::now(),
            samples,
            asked: asked.len() as u32 - waiting,
            answered,
            troubles,
            partial: !ask.focus.is_empty(),
        })
    }
}
