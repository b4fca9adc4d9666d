//! The names under which a source knows a host.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::domain::Instance;

/// Names of the host of a GPU, as one source reports them. The instance is the one that any of these names identifies
/// uniquely.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct HostNames {
    /// EC2 instance id (`InstanceId`, a relabelled target); `None` when the source does not report it.
    pub instance_id: Option<Arc<str>>,
    /// Name of the Kubernetes node, or of the host itself; `None` when not reported.
    pub node: Option<Arc<str>>,
    /// `host:port` or address that was read (`instance` of Prometheus, an exporter's target); `None` when the source
    /// has none.
    pub address: Option<Arc<str>>,
}

impl HostNames {
    /// Name on screen: node, else address without its port, else instance id. An address of this machine keeps its
    /// port: several tunnels may end here, each from another node.
    pub fn shown(&self) -> &str {
        let node_of = |address| {
            let host = without_port(address);
            if is_loopback(host) { address } else { host }
        };
        let address = self.address.as_deref().map(node_of);
        self.node.as_deref().or(address).or(self.instance_id.as_deref()).unwrap_or_default()
    }

    /// True when no name is known.
    pub fn is_empty(&self) -> bool {
        self.instance_id.is_none() && self.node.is_none() && self.address.is_none()
    }
}

/// True for a name or address, without port, of the machine burntop runs on.
pub fn is_loopback(host: &str) -> bool {
    host == "localhost" || host.starts_with("127.") || host == "::1"
}

/// Host names of an instance from its private DNS name: in full, and up to the first dot (Amazon Linux reports
/// `ip-10-0-0-1.ec2.internal`, Ubuntu `ip-10-0-0-1`).
pub fn dns_names(instance: &Instance) -> impl Iterator<Item = &str> {
    names_of_dns(&instance.private_dns)
}

/// Host names by a private DNS name, as [`dns_names`]; none of an empty one.
pub fn names_of_dns(full: &str) -> impl Iterator<Item = &str> {
    let short = full.split_once('.').map(|(short, _)| short);
    [Some(full), short].into_iter().flatten().filter(|name| !name.is_empty())
}

/// `address` without a trailing port: `10.0.0.7:9400` is `10.0.0.7`, `[fd00::7]:9400` is `fd00::7`.
pub fn without_port(address: &str) -> &str {
    if let Some(rest) = address.strip_prefix('[') {
        return rest.split(']').next().unwrap_or(rest);
    }
    match address.rsplit_once(':') {
        Some((host, port))
            if !host.contains(':')
                && !port.is_empty()
                && port.bytes().all(|b| b.is_ascii_digit()) =>
        {
            host
        }
        _ => address,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ports_go_and_addresses_stay() {
        for (given, want) in [
            ("10.0.0.7:9400", "10.0.0.7"),
            ("gpu-node-0001", "gpu-node-0001"),
            ("gpu-node-0001:9400", "gpu-node-0001"),
            ("[fd00::7]:9400", "fd00::7"),
            ("fd00::7", "fd00::7"),
            ("odd:", "odd:"),
        ] {
            assert_eq!(without_port(given), want);
        }
    }

    #[test]
    fn each_tunnel_is_a_node_of_its_own() {
        let shown = |address: &str| {
            let names = HostNames { address: Some(address.into()), ..HostNames::default() };
            names.shown().to_owned()
        };
        for address in ["127.0.0.1:9401", "127.0.0.1:9402", "localhost:9400", "[::1]:9400"] {
            assert_eq!(shown(address), address);
        }
        assert_eq!(shown("10.0.0.7:9400"), "10.0.0.7");
    }
}
