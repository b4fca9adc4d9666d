//! Stakes of an action: what is lost, what stays and is billed, what it saves.

mod ebs;

use std::sync::Arc;

use super::item::PlanItem;
use super::verb::Verb;
use crate::domain::{Inspection, Instance, Lifecycle, Tenancy, VolumeFact};
use crate::view::format::usd_per_hour;

pub use ebs::usd_per_month;

pub use crate::domain::PUBLIC_IPV4_USD_PER_HOUR;

/// What an action on one instance destroys, leaves behind and saves.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Stakes {
    /// Volumes that are deleted with it.
    pub dies: Vec<VolumeStake>,
    /// Volumes that stay and go on billing.
    pub stays: Vec<VolumeStake>,
    /// Instance-store data that are lost, GB (decimal, as the API states it); 0 when none.
    pub instance_store_gb: u64,
    /// Public IPv4 address that is lost; `None` for none, and when not known.
    pub public_ipv4: Option<Arc<str>>,
    /// Elastic IPs that stay and bill.
    pub elastic_ips: Vec<Arc<str>>,
    /// USD per hour that the list price or spot price says it saves; `None` when not known.
    pub saves_usd_per_hour: Option<f64>,
    /// What the bill really falls by when this instance alone stops, commitments considered, USD per
    /// hour; `None` when not known.
    pub net_usd_per_hour: Option<f64>,
    /// Why the real saving is less or nothing; empty when nothing is known to lessen it.
    pub saving_note: String,
}

/// A volume that an action deletes or leaves behind.
#[derive(Clone, Debug, PartialEq)]
pub struct VolumeStake {
    /// `vol-…`.
    pub id: Arc<str>,
    /// Device name.
    pub device: Arc<str>,
    /// Size, GiB; `None` when not known.
    pub size_gib: Option<u64>,
    /// USD per month of 730 h, list price; `None` when not known.
    pub usd_per_month: Option<f64>,
}

/// What is at stake for `item`. What could not be read is left out: the guards say so.
pub fn of(verb: &Verb, item: &PlanItem, inspection: &Inspection) -> Stakes {
    if !verb.is_destructive() {
        return Stakes::default();
    }
    let terminates = matches!(verb, Verb::Terminate { .. });
    let volumes = inspection.volumes.as_deref().unwrap_or_default();
    let dies = |v: &&VolumeFact| terminates && v.delete_on_termination;
    let stake = |v: &VolumeFact| VolumeStake {
        id: v.id.clone(),
        device: v.device.clone(),
        size_gib: v.size_gib,
        usd_per_month: usd_per_month(v),
    };
    let addresses = inspection.addresses.clone().unwrap_or_default();
    let spec = inspection.spec.as_ref().ok().and_then(Option::as_deref);
    let instance = inspection.instance.as_ref().ok().and_then(Option::as_deref);
    let Saving { gross: saves_usd_per_hour, net: net_usd_per_hour, note: saving_note } =
        saving(item, instance);
    Stakes {
        dies: volumes.iter().filter(dies).map(stake).collect(),
        stays: volumes.iter().filter(|v| !dies(v)).map(stake).collect(),
        instance_store_gb: spec.map_or(0, |s| s.instance_store_gb),
        public_ipv4: addresses.public_ipv4,
        elastic_ips: addresses.elastic,
        saves_usd_per_hour,
        net_usd_per_hour,
        saving_note,
    }
}

/// Saving of a stop, USD per hour, and what lessens it.
struct Saving {
    gross: Option<f64>,
    net: Option<f64>,
    note: String,
}

/// Disks and addresses bill before and after: they take nothing from the price of the instance, and
/// those that die with it are not counted as saved.
fn saving(item: &PlanItem, instance: Option<&Instance>) -> Saving {
    if let Some(note) = instance.and_then(paid_anyway) {
        return Saving { gross: Some(0.0), net: Some(0.0), note };
    }
    let gross = item.usd_per_hour.filter(|usd| usd.is_finite() && *usd >= 0.0);
    let (Some(usd), Some(instance)) = (gross, instance) else {
        return Saving { gross: None, net: None, note: "its price is not known".to_owned() };
    };
    if instance.lifecycle == Lifecycle::Spot {
        return Saving { gross, net: gross, note: item.price_basis.clone() };
    }
    let basis = &item.price_basis;
    let paid_on =
        |by: &str| if by.is_empty() { String::new() } else { format!(", {by} is paid on") };
    let note = match item.net_usd_per_hour {
        None => format!("{basis}; net of Savings Plans and reservations: not known"),
        Some(net) if usd - net < 0.005 => basis.clone(),
        Some(net) if net < 0.005 => format!("{basis}; net nothing{}", paid_on(&item.covered_by)),
        Some(net) => {
            format!("{basis}; net {}{}", usd_per_hour(net), paid_on(&item.covered_by))
        }
    };
    Saving { gross, net: item.net_usd_per_hour, note }
}

/// Why its price is paid whether it runs or not; `None` when it is not.
fn paid_anyway(instance: &Instance) -> Option<String> {
    match instance.lifecycle {
        Lifecycle::CapacityBlock => return Some("its Capacity Block is prepaid".to_owned()),
        Lifecycle::Scheduled => return Some("its schedule is reserved and paid".to_owned()),
        Lifecycle::OnDemand | Lifecycle::Spot => {}
    }
    if instance.tenancy == Tenancy::Host {
        return Some("its dedicated host goes on billing".to_owned());
    }
    let reservation = instance.capacity_reservation.as_ref()?;
    Some(format!("capacity reservation {reservation} goes on billing until it is cancelled"))
}
