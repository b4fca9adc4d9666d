//! Lines of gateways, load balancers and addresses, and of the bytes through the gateways.

use super::Estate;
use super::compute::EC2;
use super::ledger::{Ledger, What, at_list, exact, prefix};
use crate::domain::bill::{TransferPath, Usd};
use crate::domain::{
    Hour, HourRange, PUBLIC_IPV4_USD_PER_HOUR, Resource, ResourceKind, ResourceSignal,
};
use crate::source::demo::places::Region;
use crate::source::demo::resources::{self, NAT_USD_PER_GB};

/// Name and code of the VPC.
pub(super) const VPC: (&str, &str) = ("Amazon Virtual Private Cloud", "AmazonVPC");

/// Name and code of load balancing.
const BALANCING: (&str, &str) = ("Elastic Load Balancing", "AWSELB");

/// Writes the lines.
pub(super) fn write(ledger: &mut Ledger, estate: &Estate) {
    use ResourceKind::{ElasticIp, LoadBalancer, NatGateway};
    for (provider, region) in estate.scopes() {
        for kind in [NatGateway, LoadBalancer, ElasticIp] {
            let prices = resources::price_list(region.code, &[kind]);
            let account = provider.account.id;
            for it in resources::of_kind(account, region.code, kind, &[], estate.now) {
                for unit in it.units.iter().filter(|_| it.is_billed) {
                    let listed = prices.iter().find(|p| p.what == unit.what);
                    let usd = match kind {
                        ElasticIp => Some(PUBLIC_IPV4_USD_PER_HOUR),
                        _ => listed.map(|p| p.usd_per_hour),
                    };
                    if let Some(usd) = usd {
                        hours(ledger, &it, &unit.what, exact(usd));
                    }
                }
                if kind == NatGateway {
                    bytes(ledger, estate, &it, region);
                }
            }
        }
    }
}

fn hours(ledger: &mut Ledger, it: &Resource, unit: &str, usd: Usd) {
    let (service, family, operation, path) = match it.kind {
        ResourceKind::NatGateway => (EC2, "NAT Gateway", "NatGateway", Some(TransferPath::Nat)),
        ResourceKind::LoadBalancer => {
            let (_, kind) = unit.split_once('/').unwrap_or_default();
            let operation = if kind == "network" {
                "LoadBalancing:Network"
            } else {
                "LoadBalancing:Application"
            };
            (BALANCING, "Load Balancer", operation, None)
        }
        _ => (VPC, "IP Address", "", None),
    };
    let is_used = it.serves.as_ref().is_some_and(|serves| !serves.is_empty());
    let usage = match it.kind {
        ResourceKind::ElasticIp if is_used => "PublicIPv4:InUseAddress",
        ResourceKind::ElasticIp => "PublicIPv4:IdleAddress",
        _ => unit.split('/').next().unwrap_or(unit),
    };
    let usage_type = format!("{}{usage}", prefix(&it.scope.region));
    let what = What {
        family,
        usage_type: &usage_type,
        operation,
        unit: "Hrs",
        path,
        resource: &it.id,
        ..What::usage(&it.scope.account, &it.scope.region, service)
    };
    let slot = ledger.slot(&what, &it.tags);
    let made = it.created_at.map_or(i32::MIN, |at| Hour::at_or_after(at).0);
    for (day, hours) in ledger.days() {
        let hours = hours.end - made.max(hours.start);
        if hours > 0 {
            ledger.add(slot, day, at_list(usd.prorated(hours as u64, 1), f64::from(hours)));
        }
    }
}

/// What went through a gateway by its own signals, in both directions, by day.
fn bytes(ledger: &mut Ledger, estate: &Estate, it: &Resource, region: &Region) {
    let (from, to) = (Hour(ledger.hours.start), Hour(ledger.hours.end));
    let all = std::slice::from_ref(it);
    let signals = resources::hours(all, HourRange { from, to }, estate.now);
    let usd = exact(NAT_USD_PER_GB * region.price_factor);
    let usage_type = format!("{}NatGateway-Bytes", prefix(region.code));
    let what = What {
        family: "NAT Gateway",
        usage_type: &usage_type,
        operation: "NatGateway",
        unit: "GB",
        path: Some(TransferPath::Nat),
        resource: &it.id,
        ..What::usage(&it.scope.account, region.code, EC2)
    };
    for (day, hours) in ledger.days() {
        let in_day = |at: jiff::Timestamp| hours.contains(&Hour::containing(at).0);
        let bytes: u64 = signals
            .iter()
            .filter(|s| matches!(s.signal, ResourceSignal::Bytes | ResourceSignal::BytesBack))
            .flat_map(|s| s.points.iter())
            .filter(|(at, _)| in_day(*at))
            .map(|(_, bytes)| *bytes as u64)
            .sum();
        if bytes > 0 {
            let slot = ledger.slot(&what, &it.tags);
            let sums = at_list(usd.prorated(bytes, 1_000_000_000), bytes as f64 / 1e9);
            ledger.add(slot, day, sums);
        }
    }
}
