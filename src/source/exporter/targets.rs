//! Which pages are read.

use std::collections::HashSet;
use std::hash::{BuildHasher, BuildHasherDefault, DefaultHasher};
use std::sync::Arc;
use std::time::Duration;

use super::{OPERATION, Settings, gpu, text};
use crate::domain::SourceError;
use crate::source::GpuHost;
use crate::source::http;

/// A page to read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Target {
    /// URL of the page.
    pub url: Arc<str>,
    /// `host:port` for the screen, clean text.
    pub shown: Arc<str>,
    /// Id of the instance; `None` when it is unknown beforehand.
    pub instance_id: Option<Arc<str>>,
}

impl Target {
    /// Parses `host`, `host:port` or a URL; missing port and path come from the settings. Err for an invalid address.
    pub fn parse(text: &str, settings: &Settings) -> Result<Self, SourceError> {
        let text = text.trim();
        if text.contains("://") {
            return Self::of_url(text, &settings.path);
        }
        let bare = if text.starts_with('[') || text.matches(':').count() < 2 {
            text.to_owned()
        } else {
            format!("[{text}]")
        };
        let ported = bare.rsplit_once(':').is_some_and(|(_, port)| port.parse::<u16>().is_ok());
        let port = if ported { String::new() } else { format!(":{}", settings.port) };
        Self::of_url(&format!("http://{bare}{port}"), &settings.path)
    }

    fn of_url(url: &str, path: &str) -> Result<Self, SourceError> {
        let mut parsed = http::parse(OPERATION, url)?;
        if parsed.path() == "/" {
            let (path, query) = path.split_once('?').unwrap_or((path, ""));
            parsed.set_path(path);
            if !query.is_empty() && parsed.query().is_none() {
                parsed.set_query(Some(query));
            }
        }
        let host = parsed.host_str().unwrap_or_default();
        let port = parsed.port_or_known_default().unwrap_or_default();
        let shown = text::clean(&format!("{host}:{port}")).into();
        Ok(Self { url: parsed.as_str().into(), shown, instance_id: None })
    }

    /// Delay of its reading in a round that takes `spread`: constant per host, so that its interval stays the same.
    pub fn phase(&self, spread: Duration) -> Duration {
        if spread.is_zero() {
            return Duration::ZERO;
        }
        let hash = BuildHasherDefault::<DefaultHasher>::default().hash_one(&self.url);
        spread.mul_f64((hash >> 11) as f64 / (1_u64 << 53) as f64)
    }
}

/// Pages of instances at their private addresses.
pub fn of_instances<'a>(
    which: &'a gpu::Ec2Hosts,
    hosts: &'a [GpuHost],
    settings: &'a Settings,
) -> impl Iterator<Item = Target> + 'a {
    hosts.iter().map(|host| &host.instance).filter_map(move |instance| {
        let ip = instance.private_ip.as_deref().filter(|_| which.picks(instance))?;
        let target = Target::parse(ip, settings).ok()?;
        Some(Target { instance_id: Some(instance.id.clone()), ..target })
    })
}

/// Hosts in focus, under all their names.
#[derive(Debug)]
pub struct Focus {
    names: HashSet<Arc<str>>,
}

impl Focus {
    /// Collects the names of the hosts in `focus`, and further names of those that are instances.
    pub fn new(focus: &[Arc<str>], hosts: &[GpuHost]) -> Self {
        let mut names: HashSet<Arc<str>> = focus.iter().cloned().collect();
        for instance in hosts.iter().map(|host| &host.instance) {
            let dns = Some(&instance.private_dns).filter(|dns| !dns.is_empty());
            let all = [Some(&instance.id), dns, instance.private_ip.as_ref()];
            if all.iter().flatten().any(|name| names.contains(&***name)) {
                names.extend(all.into_iter().flatten().cloned());
            }
        }
        Self { names }
    }

    /// True when `target` belongs to a host in focus, by instance id, address, or address without port.
    pub fn holds(&self, target: &Target) -> bool {
        target.instance_id.as_deref().is_some_and(|id| self.names(id))
            || self.names(&target.shown)
            || self.names(gpu::without_port(&target.shown))
    }

    /// True when `name` is a name of a host in focus.
    pub fn names(&self, name: &str) -> bool {
        self.names.contains(name)
    }
}
