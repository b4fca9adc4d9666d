//! Guards about data and addresses that are lost, and what stays and is billed.

use super::scene::Scene;
use crate::act::plan::finding::{FindingSink, unknown};
use crate::act::plan::stakes::{PUBLIC_IPV4_USD_PER_HOUR, VolumeStake};
use crate::domain::HOURS_PER_MONTH;
use crate::view::format;

pub(super) fn instance_store(scene: &Scene<'_>, out: &mut FindingSink<'_>) {
    const SOURCE: &str = "ec2:DescribeInstanceTypes";
    let Some(found) = scene.found else { return };
    match &scene.input.inspection.spec {
        Err(e) => out.unknown("how much instance store it has", e),
        Ok(Some(spec)) if spec.name == found.instance_type => {
            if spec.instance_store_gb > 0 {
                let gb = format::grouped(spec.instance_store_gb as f64, 0);
                let text = format!("{gb} GB of instance store are erased");
                out.warn(text, SOURCE);
            }
        }
        Ok(_) => {
            let text = format!("what type {} would lose is not known", found.instance_type);
            out.block(text, SOURCE);
        }
    }
}

pub(super) fn volumes(scene: &Scene<'_>, out: &mut FindingSink<'_>) {
    const SOURCE: &str = "ec2:DescribeVolumes";
    let Some(found) = scene.found else { return };
    match &scene.input.inspection.volumes {
        Err(e) if scene.terminates() => return out.unknown("which volumes die with it", e),
        Err(e) => return out.warn(unknown("what its volumes cost", e), &e.operation),
        Ok(volumes) if volumes.is_empty() && found.ebs_root && scene.terminates() => {
            return out.block("it has an EBS root, and no volume was found", SOURCE);
        }
        Ok(_) => {}
    }
    let stakes = scene.stakes;
    if !stakes.dies.is_empty() {
        out.warn(format!("deleted with it: {}", list(&stakes.dies)), SOURCE);
    }
    if !stakes.stays.is_empty() {
        let bill = match sum(&stakes.stays) {
            Some(usd) => format!("{}/month, us-east-1 list price", format::usd(usd)),
            None => "cost not known".to_owned(),
        };
        out.note(format!("stays and bills ({bill}): {}", list(&stakes.stays)), SOURCE);
    }
}

fn list(volumes: &[VolumeStake]) -> String {
    let one = |v: &VolumeStake| match v.size_gib {
        Some(gib) => format!("{} {} ({gib} GiB)", v.id, v.device),
        None => format!("{} {} (size not known)", v.id, v.device),
    };
    volumes.iter().map(one).collect::<Vec<_>>().join(", ")
}

/// Dollars per month of all; `None` when one is not known.
fn sum(volumes: &[VolumeStake]) -> Option<f64> {
    volumes.iter().map(|v| v.usd_per_month).sum()
}

pub(super) fn addresses(scene: &Scene<'_>, out: &mut FindingSink<'_>) {
    const SOURCE: &str = "ec2:DescribeAddresses";
    match &scene.input.inspection.addresses {
        Err(e) if scene.terminates() => out.unknown("which public addresses it has", e),
        Err(e) => out.warn(unknown("which public addresses it has", e), &e.operation),
        Ok(_) => {
            let stakes = scene.stakes;
            if let Some(ip) = &stakes.public_ipv4 {
                out.note(format!("public IPv4 address {ip} is lost"), SOURCE);
            }
            if !stakes.elastic_ips.is_empty() {
                let usd = PUBLIC_IPV4_USD_PER_HOUR * HOURS_PER_MONTH;
                let usd = format::usd(usd * stakes.elastic_ips.len() as f64);
                let ips = stakes.elastic_ips.join(", ");
                out.note(format!("stays and bills ({usd}/month): {ips}"), SOURCE);
            }
        }
    }
}
