//! The bill that the steps work on: instances under commitments, Spot, resources, network, storage.

use std::collections::HashMap;
use std::sync::Arc;

use super::network::Network;
use crate::analyze::savings::SavingsInput;
use crate::domain::{HOURS_PER_MONTH, Holdings, Lifecycle, NetUnknown, ResourceKind, VerdictKind};
use crate::fleet::commitments::{blind_plans, is_priced};
use crate::fleet::savings::{MigShare, Proposal, ResourceRow, SizeVerdict};
use crate::fleet::{Applied, Applier, Meter, Row};

/// A running instance, as the steps see it.
#[derive(Debug)]
pub(super) struct Machine<'a> {
    /// Row of the instance.
    pub row: &'a Row,
    /// Index of its meter; `None` where no commitment may pay for it.
    pub meter: Option<usize>,
    /// Rate where no commitment may pay for it, USD/h: the Spot rate; `None` when not known, 0 when prepaid.
    pub flat: Option<f64>,
    /// Instance type after the steps so far.
    pub instance_type: Arc<str>,
    /// True once a step has stopped it.
    pub gone: bool,
    /// True once it runs on Spot.
    pub on_spot: bool,
}

impl Machine<'_> {
    /// True when some of its GPUs idle while others work.
    pub fn is_partly_idle(&self) -> bool {
        self.row.verdict.as_ref().is_some_and(|v| v.kind == VerdictKind::Partial)
    }
}

/// Hourly bill of everything that runs, by part. Each step of the waterfall changes it.
#[derive(Debug)]
pub(super) struct Bill<'a> {
    /// Running instances.
    pub machines: Vec<Machine<'a>>,
    by_id: HashMap<&'a str, usize>,
    pub applier: Applier,
    by_meter: HashMap<Meter, usize>,
    /// On-demand price of each meter of `units`, USD/h; `None` = not known.
    pub price: Vec<Option<f64>>,
    /// Instance-hours of each meter.
    pub units: Vec<f64>,
    /// The commitments applied to them.
    pub applied: Applied,
    /// Instances outside of the commitments, USD/h.
    pub flat: f64,
    /// Resources that are no instances, USD/h.
    pub resources: f64,
    /// Bytes and requests, USD/h; 0 where neither a bill nor a live path tells of them.
    pub network: f64,
    /// Storage, USD/h; 0 where it was not read.
    pub storage: f64,
    /// Saving of a further commitment, USD/h.
    pub committing: f64,
    /// Commitments in force without a known price, which the bill leaves out.
    pub unpriced: u32,
    /// Why the net is not known, where it is not.
    pub net_unknown: Option<NetUnknown>,
}

impl<'a> Bill<'a> {
    /// The bill as it is. Commitments that are not wholly known are left out, and all is at list
    /// price: a part of them would make a net that is none.
    pub fn of(
        input: &SavingsInput<'a>,
        proposals: &[Arc<Proposal>],
        resources: &[Arc<ResourceRow>],
        network: Option<&Network>,
    ) -> Self {
        let book = &*input.fleet.book;
        let net_unknown = net_unknown(input);
        let none = Holdings::default();
        let holdings = book.holdings.as_ref().filter(|_| net_unknown.is_none()).unwrap_or(&none);
        let running = input.fleet.rows.iter().filter(|r| r.instance.state.is_billed());
        let mut meters: Vec<Meter> = Vec::new();
        let mut by_meter: HashMap<Meter, usize> = HashMap::new();
        let mut place = |meter: Meter| {
            *by_meter.entry(meter).or_insert_with_key(|meter| {
                meters.push(meter.clone());
                meters.len() - 1
            })
        };
        let mut by_id = HashMap::new();
        let mut machines: Vec<Machine<'a>> = Vec::new();
        for row in running {
            by_id.insert(&*row.instance.id, machines.len());
            machines.push(Machine {
                row,
                meter: Meter::of(&row.instance).map(&mut place),
                flat: match row.instance.lifecycle {
                    Lifecycle::CapacityBlock => Some(0.0),
                    _ => row.usd_per_hour(),
                },
                instance_type: row.instance.instance_type.clone(),
                gone: false,
                on_spot: false,
            });
        }
        let mut units =
            vec![0.0; machines.iter().filter_map(|m| m.meter).max().map_or(0, |m| m + 1)];
        for meter in machines.iter().filter_map(|m| m.meter) {
            units[meter] += 1.0;
        }
        for proposal in proposals {
            let Some(machine) = by_id.get(&*proposal.id).map(|i: &usize| &machines[*i]) else {
                continue;
            };
            for to in [smaller_type(proposal), type_with_mig(proposal)].into_iter().flatten() {
                if let Some(meter) = smaller(machine, to) {
                    place(meter);
                }
            }
        }
        units.resize(meters.len(), 0.0);
        let price = meters.iter().map(|m| m.on_demand_price(&book.prices)).collect();
        let flat = machines.iter().filter(|m| m.meter.is_none()).filter_map(|m| m.flat).sum();
        let applier = Applier::new(meters, holdings, &book.prices, input.now)
            .with_room_used_elsewhere(&units, holdings);
        let applied = applier.apply(&units);
        let in_force = holdings.items.iter().filter(|item| item.is_in_force(input.now));
        let unpriced = in_force.filter(|item| !is_priced(item)).count();
        let listed = super::storage::Listed::of(input);
        Self {
            flat,
            resources: resources.iter().map(|r| resource_usd(r, &listed).bill).sum(),
            network: network.map_or(0.0, |network| network.usd_per_hour),
            storage: input.storage.map_or(0.0, |s| s.totals.usd_per_month() / HOURS_PER_MONTH),
            committing: 0.0,
            machines,
            by_id,
            applier,
            by_meter,
            price,
            units,
            applied,
            unpriced: unpriced as u32,
            net_unknown,
        }
    }

    /// The whole bill, USD/h.
    pub fn usd_per_hour(&self) -> f64 {
        self.compute() + self.resources + self.network + self.storage - self.committing
    }

    /// Instances and commitments of the bill, USD/h.
    pub fn compute(&self) -> f64 {
        self.applied.total_usd() + self.flat
    }

    /// Index of the running instance with an id; `None` for one that does not run.
    pub fn machine(&self, id: &str) -> Option<usize> {
        self.by_id.get(id).copied()
    }

    /// The meter that a machine has as another type, where one was made ready.
    pub fn as_type(&self, machine: &Machine<'_>, to: &Arc<str>) -> Option<usize> {
        self.by_meter.get(&smaller(machine, to)?).copied()
    }

    /// True for a meter inside a capacity reservation: what leaves it leaves room that is billed.
    pub fn is_reserved(&self, meter: usize) -> bool {
        self.applier.meters().get(meter).is_some_and(|m| m.reservation.is_some())
    }

    /// What instances and commitments would cost with these units, USD/h.
    pub fn compute_of(&self, units: &[f64], flat: f64) -> f64 {
        self.applier.total_usd(units) + flat
    }

    /// Applies the commitments anew.
    pub fn set_units(&mut self, units: Vec<f64>, flat: f64) {
        self.applied = self.applier.apply(&units);
        self.units = units;
        self.flat = flat;
    }
}

/// The type that a proposal is for.
pub(super) fn smaller_type(proposal: &Proposal) -> Option<&Arc<str>> {
    match &proposal.verdict {
        SizeVerdict::Smaller { to, .. } => Some(to),
        SizeVerdict::Cannot(_) => None,
    }
}

/// The type that would do with MIG.
pub(super) fn type_with_mig(proposal: &Proposal) -> Option<&Arc<str>> {
    match &proposal.mig {
        Some(MigShare::Fits { to: Some(to), .. }) => Some(&to.instance_type),
        _ => None,
    }
}

/// The meter of a machine as another type: it leaves the capacity that is reserved for the old one.
fn smaller(machine: &Machine<'_>, to: &Arc<str>) -> Option<Meter> {
    let now = Meter::of(&machine.row.instance)?;
    Some(Meter { instance_type: to.clone(), reservation: None, ..now })
}

/// Why the net is not known: no commitment was read, or not all that may pay for what runs.
fn net_unknown(input: &SavingsInput<'_>) -> Option<NetUnknown> {
    let Some(holdings) = &input.fleet.book.holdings else {
        return Some(NetUnknown::NotRead);
    };
    let running = input.fleet.rows.iter().filter(|r| r.instance.state.is_billed());
    let mut scopes: Vec<_> =
        running.filter(|r| Meter::of(&r.instance).is_some()).map(|r| &r.instance.scope).collect();
    scopes.sort_unstable();
    scopes.dedup();
    if scopes.is_empty() {
        return None;
    }
    if let Some(unread) = scopes.into_iter().find_map(|scope| holdings.unknown(scope)) {
        return Some(NetUnknown::Unread(unread.clone()));
    }
    let (plan, _) = blind_plans(holdings, input.now).next()?;
    Some(NetUnknown::Rates { kind: plan.kind(), id: plan.id.clone() })
}

/// What a resource adds to the bill and to the waste, USD/h.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct ResourceUsd {
    /// Its part of the bill, USD/h.
    pub bill: f64,
    /// What removing it saves, USD/h; `None` when not known.
    pub waste: Option<f64>,
    /// Part of both that the list of storage holds too and that counts there, USD/h.
    pub elsewhere: f64,
}

/// What a resource costs besides what storage counts already.
pub(super) fn resource_usd(row: &ResourceRow, listed: &super::storage::Listed<'_>) -> ResourceUsd {
    let elsewhere = match row.resource.kind {
        ResourceKind::StoppedInstance => listed.of_instance(&row.resource.id),
        _ => 0.0,
    };
    let known = row.resource.usd_per_hour().or(row.waste_usd_per_hour);
    // A waste above the price would make the bill negative.
    let costs = known.unwrap_or(0.0).max(row.waste_usd_per_hour.unwrap_or(0.0)).max(0.0);
    ResourceUsd {
        bill: (costs - elsewhere).max(0.0),
        waste: row.waste_usd_per_hour.map(|usd| (usd - elsewhere).max(0.0)),
        elsewhere: elsewhere.min(costs),
    }
}
