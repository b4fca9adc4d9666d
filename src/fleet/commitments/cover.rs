//! What commitments mean for single instances: who pays for them, and what stopping them saves.

use std::collections::{HashMap, HashSet};
use std::hash::BuildHasher;
use std::sync::Arc;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::apply::{block_usd_per_hour, is_priced};
use super::running::Running;
use crate::domain::{
    Commitment, CommitmentKind, Commits, FastMap, Holdings, Instance, Lifecycle, NetNote,
    NetUnknown, Tenancy,
};
use crate::fleet::prices::PriceBook;

/// A commitment that pays for a part of an instance.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CoveredBy {
    /// Id of the commitment at AWS.
    pub id: Arc<str>,
    /// Kind of the commitment.
    pub kind: CommitmentKind,
    /// 12-digit account that owns the commitment.
    pub account: Arc<str>,
    /// Share of the instance-hour that it pays for, 0–1. Instances that no commitment can tell apart share their cover
    /// evenly. 1 for capacity that the instance runs in.
    pub share: f64,
    /// Cost of the commitment for its share of an hour, USD. 0 for an on-demand capacity reservation, which bills only
    /// its unused part; `None` when the price of the commitment is unknown.
    pub usd_per_hour: Option<f64>,
    /// End of the commitment; `None` when it has none.
    pub until: Option<Timestamp>,
}

/// Commitments that pay for one running instance in this hour, and the net saving of stopping it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Cover {
    /// Commitments in order of application; empty when nothing covers the instance.
    pub by: Vec<CoveredBy>,
    /// Cost of the instance-hour, USD: commitments used plus the rest on demand. `None` when the price of a commitment
    /// is unknown.
    pub effective_usd_per_hour: Option<f64>,
    /// Decrease of the whole bill when this instance alone stops, USD/h. Usually between 0 (its commitment finds no
    /// other usage) and the on-demand price. Two exceptions are AWS's own. Above the price: a plan serves its owner's
    /// usage first, and instances before unused room, and may move on to usage on which it saves more. Below 0: the
    /// instance leaves billed room of a capacity reservation, and its discount goes to other usage first.
    pub saves_usd_per_hour: f64,
    /// Caveat about the figures; `None` without any.
    pub note: Option<NetNote>,
}

/// Net cost of an instance after commitments, or why it is unknown.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Net {
    /// Unknown, with the reason: commitments could not be read, or the price is unknown.
    Unknown(NetUnknown),
    /// Known in full.
    Known(Cover),
}

impl Net {
    /// Decrease of the bill when the instance alone stops, USD/h; `None` when unknown.
    pub fn saves_usd_per_hour(&self) -> Option<f64> {
        match self {
            Self::Known(cover) => Some(cover.saves_usd_per_hour),
            Self::Unknown(_) => None,
        }
    }

    /// Cost of the instance with commitments, USD/h; `None` when unknown.
    pub fn effective_usd_per_hour(&self) -> Option<f64> {
        match self {
            Self::Known(cover) => cover.effective_usd_per_hour,
            Self::Unknown(_) => None,
        }
    }
}

/// Net cost of every running instance, by instance id.
pub fn covers(
    instances: &[Arc<Instance>],
    holdings: &Holdings,
    prices: &PriceBook,
    at: Timestamp,
) -> HashMap<Arc<str>, Arc<Net>> {
    let running = Running::new(instances, [], holdings, prices, at);
    let capacity = capacity(holdings, at);
    let by_meter = metered(&running, holdings, &capacity);
    let billed = instances.iter().filter(|i| i.state.is_billed());
    billed
        .map(|instance| {
            let net = match running.meter_of(&instance.id) {
                Some(meter) => by_meter[meter].clone(),
                None => Arc::new(unmetered(instance, &capacity, prices)),
            };
            (instance.id.clone(), net)
        })
        .collect()
}

/// Decrease of the bill when all of `stop` stop together, USD/h; `None` when unknown. It differs from the sum of the
/// single savings: a commitment that one instance frees covers another.
pub fn joint_saving<S: BuildHasher>(
    instances: &[Arc<Instance>],
    stop: &HashSet<Arc<str>, S>,
    holdings: &Holdings,
    prices: &PriceBook,
    at: Timestamp,
) -> Option<f64> {
    let running = Running::new(instances, [], holdings, prices, at);
    let capacity = FastMap::default();
    let mut change: FastMap<usize, f64> = FastMap::default();
    let mut saves = 0.0;
    for instance in instances.iter().filter(|i| i.state.is_billed() && stop.contains(&i.id)) {
        match running.meter_of(&instance.id) {
            Some(meter) if running.unknown(meter).is_some() => return None,
            Some(meter) => *change.entry(meter).or_default() -= 1.0,
            None => saves += unmetered(instance, &capacity, prices).saves_usd_per_hour()?,
        }
    }
    let change: Vec<(usize, f64)> = change.into_iter().collect();
    Some(saves + running.saves_usd(&change))
}

/// Capacity in force, by id.
fn capacity(holdings: &Holdings, at: Timestamp) -> FastMap<&str, &Commitment> {
    let held = holdings.items.iter().filter(|item| item.is_in_force(at));
    held.filter(|item| matches!(item.commits, Commits::Capacity(_)))
        .map(|item| (&*item.id, &**item))
        .collect()
}

/// The net of one instance of each meter.
fn metered(
    running: &Running,
    holdings: &Holdings,
    capacity: &FastMap<&str, &Commitment>,
) -> Vec<Arc<Net>> {
    let applier = running.applier();
    let applied = applier.apply(running.units());
    let mut by: Vec<Vec<CoveredBy>> = vec![Vec::new(); applier.meters().len()];
    for (meter, units) in running.units().iter().enumerate() {
        let id = applier.meters()[meter].reservation.as_ref();
        let room = id.and_then(|id| capacity.get(&**id));
        if let Some(room) = room.filter(|_| *units > 0.0) {
            by[meter].push(covered_by(room, 1.0, Some(0.0)));
        }
    }
    for step in &applied.covered {
        let Some(units) = running.units().get(step.meter) else { continue };
        let item = &holdings.items[step.commitment];
        let usd = is_priced(item).then_some(step.usd / units);
        by[step.meter].push(covered_by(item, step.units / units, usd));
    }
    let mut nets = Vec::new();
    for (meter, by) in by.into_iter().enumerate().take(running.units().len()) {
        let units = running.units()[meter];
        if let Some(why) = running.unknown(meter) {
            nets.push(Arc::new(Net::Unknown(why.clone())));
            continue;
        }
        let price = applier.prices()[meter].unwrap_or(0.0);
        let reservation = applier.meters()[meter].reservation.as_ref();
        let open = if units > 0.0 { applied.on_demand_units[meter] / units } else { 0.0 };
        let note = reservation
            .filter(|id| capacity.contains_key(&***id))
            .map(|_| NetNote::CapacityStaysBilled);
        nets.push(Arc::new(Net::Known(Cover {
            effective_usd_per_hour: by
                .iter()
                .map(|by| by.usd_per_hour)
                .sum::<Option<f64>>()
                .map(|paid| paid + open * price),
            // One of which all is on demand takes nothing from anybody: each step took what a
            // commitment had, not what the meter asked for.
            saves_usd_per_hour: if reservation.is_none() && applied.on_demand_units[meter] >= 1.0 {
                price
            } else {
                running.saves_usd(&[(meter, -1.0)])
            },
            by,
            note,
        })));
    }
    nets
}

fn covered_by(item: &Commitment, share: f64, usd_per_hour: Option<f64>) -> CoveredBy {
    CoveredBy {
        id: item.id.clone(),
        kind: item.kind(),
        account: item.account.clone(),
        share: share.clamp(0.0, 1.0),
        usd_per_hour,
        until: item.end,
    }
}

/// The net of what no commitment covers: Spot saves its price, what is prepaid saves nothing.
fn unmetered(
    instance: &Instance,
    capacity: &FastMap<&str, &Commitment>,
    prices: &PriceBook,
) -> Net {
    let prepaid = |note| Cover { note: Some(note), ..Cover::default() };
    match (instance.lifecycle, instance.tenancy) {
        (Lifecycle::Spot, _) => match prices.rate_of(instance) {
            Some(rate) => Net::Known(Cover {
                effective_usd_per_hour: Some(rate.usd_per_hour),
                saves_usd_per_hour: rate.usd_per_hour,
                ..Cover::default()
            }),
            None => Net::Unknown(NetUnknown::SpotPrice),
        },
        (Lifecycle::CapacityBlock, _) => {
            let mut cover = prepaid(NetNote::BlockPrepaid);
            let block = instance.capacity_reservation.as_ref().and_then(|id| capacity.get(&**id));
            if let Some(block) = block {
                let count = match &block.commits {
                    Commits::Capacity(capacity) => f64::from(capacity.total.max(1)),
                    _ => 1.0,
                };
                let usd = block_usd_per_hour(block).map(|usd| usd / count);
                cover.effective_usd_per_hour = usd;
                cover.by.push(covered_by(block, 1.0, usd));
                if usd.is_none() {
                    cover.note = Some(NetNote::BlockPrepaidUnpriced);
                }
            }
            Net::Known(cover)
        }
        (Lifecycle::Scheduled, _) => Net::Known(prepaid(NetNote::ScheduledPrepaid)),
        (Lifecycle::OnDemand, Tenancy::Host) => {
            Net::Known(Cover { effective_usd_per_hour: Some(0.0), ..prepaid(NetNote::HostBilled) })
        }
        (Lifecycle::OnDemand, _) => Net::Unknown(NetUnknown::SoftwarePrice),
    }
}
