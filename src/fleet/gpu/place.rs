//! Which instance a GPU sits in, by the names that its source has for the host.

use std::sync::Arc;

use crate::domain::gpu::{dns_names, without_port};
use crate::domain::{FastMap, HostNames};
use crate::fleet::Row;

/// The names of all running instances that can hold a GPU.
///
/// A name of two instances (overlapping VPCs) belongs to neither: telemetry on the wrong box could
/// call a working one idle, or book its dollars to another team. Instances that do not run emit
/// nothing, and CPU-only types have no GPU: neither takes a name away.
#[derive(Debug, Default)]
pub struct Places<'a> {
    ids: FastMap<&'a str, usize>,
    names: FastMap<&'a str, Option<usize>>,
}

impl<'a> Places<'a> {
    /// Indexes the host names of the running instances in `rows` that can hold a GPU.
    pub fn of(rows: &'a [Arc<Row>]) -> Self {
        let mut places = Self::default();
        for (at, row) in rows.iter().enumerate() {
            let gpu_box = row.spec.as_ref().is_none_or(|s| s.devices() > 0);
            if !row.instance.state.is_billed() || !gpu_box {
                continue;
            }
            places.ids.insert(&row.instance.id, at);
            let ip = row.instance.private_ip.as_deref().filter(|ip| !ip.is_empty());
            for name in dns_names(&row.instance).chain(ip) {
                places
                    .names
                    .entry(name)
                    .and_modify(|owner| *owner = owner.filter(|o| *o == at))
                    .or_insert(Some(at));
            }
        }
        places
    }

    /// Place of the instance in the rows; `None` when no name identifies exactly one, or two names identify different
    /// ones. An instance id is decisive: an id without a row belongs to an account that is not read.
    pub fn find(&self, host: &HostNames) -> Option<usize> {
        if let Some(id) = &host.instance_id {
            return self.ids.get(&**id).copied();
        }
        let node = host.node.as_deref().and_then(|n| self.named(n));
        let address = host.address.as_deref().and_then(|a| self.named(without_port(a)));
        match (node, address) {
            (Some(a), Some(b)) if a != b => None,
            (a, b) => a.or(b),
        }
    }

    /// Place in the rows of the instance with this name, id, address or `address:port`; `None` when none or several
    /// have it.
    pub fn named(&self, name: &str) -> Option<usize> {
        let name = without_port(name);
        match self.names.get(name) {
            Some(owner) => *owner,
            None => self.ids.get(name).copied(),
        }
    }
}
