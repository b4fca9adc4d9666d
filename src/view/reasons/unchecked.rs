//! What a verdict does not rest on.

use std::borrow::Cow;

use crate::analyze::resources::source;
use crate::domain::{ResourceKind, Unchecked as U};

/// One clause: what was not checked and could matter. Clean text.
pub fn unchecked(what: &U) -> Cow<'_, str> {
    Cow::Borrowed(match what {
        U::Memory => "memory",
        U::Efa => "EFA/RDMA traffic, which is not in NetworkIn/Out",
        U::InstanceStore => "instance-store disks",
        U::GpusByPolicy => {
            "GPU activity: this policy does not look at it, burntop only lets a busy GPU veto"
        }
        U::NetworkByPolicy => "network: this policy does not look at it",
        U::EbsByPolicy => "EBS: this policy does not look at it",
        U::EbsUnreported => {
            "EBS operations: AWS/EC2 has them of Nitro types alone, without bare metal"
        }
        U::EbsByVolumes => {
            "EBS operations of the instance: AWS/EC2 has them of Nitro types alone, without bare \
             metal; those of its volumes (AWS/EBS) stand in"
        }
        U::Accelerators => "the accelerators: no telemetry source for them yet",
        U::NotFetched => "signals that could not change the verdict were not fetched",
        U::Criterion(kind) => return Cow::Owned(format!("criterion: {}", source(*kind))),
        U::Beside(kind) => beside(*kind),
        U::NoGpus => "GPU activity: its types have none, as far as is known",
        U::WebSockets => {
            "WebSockets: each counts as one request, however long it lasts and whatever it carries"
        }
        U::Text(text) => return Cow::Borrowed(text),
    })
}

/// What could matter beside the signals of a kind.
fn beside(kind: ResourceKind) -> &'static str {
    match kind {
        ResourceKind::Endpoint => "whether something falls back to it when another endpoint fails",
        ResourceKind::Notebook => "what is unsaved in its kernels",
        ResourceKind::StudioApp => "what is unsaved in its kernels, jobs that run without a user",
        ResourceKind::ElasticIp => "DNS records and allow lists that name the address",
        ResourceKind::NatGateway => "whether it stands by for another one that fails",
        ResourceKind::LoadBalancer => {
            "DNS records that name it; rules that answer without a target"
        }
        ResourceKind::VpcEndpoint => "whether something needs its service once in a while",
        ResourceKind::StoppedInstance => "what is on the volumes",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kind_says_whose_criterion_it_is_judged_by() {
        let said = unchecked(&U::Criterion(ResourceKind::ElasticIp)).into_owned();
        assert!(said.starts_with("criterion: AWS Trusted Advisor, check Z4AUBRNSmz ("), "{said}");
        assert_eq!(unchecked(&"disks".into()), "disks");
    }
}
