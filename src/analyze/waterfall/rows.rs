//! The parts of the bill now.

use std::collections::HashMap;
use std::sync::Arc;

use super::bill::{Bill, Machine, resource_usd};
use super::network::Network;
use super::storage::Listed;
use crate::analyze::savings::SavingsInput;
use crate::domain::{Commits, Holdings, Lifecycle, ReservesCapacity, VerdictKind};
use crate::fleet::commitments::block_usd_per_hour;
use crate::fleet::parts;
use crate::fleet::savings::{BillKind, BillRow, ResourceRow};

/// Parts of the bill as it is, in the order of [`BillKind::all`]; they add up to [`Bill::usd_per_hour`].
pub(super) fn rows(
    bill: &Bill<'_>,
    input: &SavingsInput<'_>,
    resources: &[Arc<ResourceRow>],
    network: Option<&Network>,
) -> Vec<BillRow> {
    // Where not all commitments are known, the bill has none of them.
    let holdings = input.fleet.book.holdings.as_ref().filter(|_| bill.net_unknown.is_none());
    let blocks = Blocks::of(holdings, input, &bill.machines);
    let by_meter = by_meter(bill);
    let paid = |machine: &Machine<'_>| match machine.meter {
        Some(meter) => by_meter[meter] / bill.units[meter],
        None => machine.flat.unwrap_or(0.0) + blocks.share(machine),
    };
    let running = bill.machines.iter().map(|machine| (machine.row, paid(machine)));
    let mut rows: Vec<BillRow> = parts(running)
        .into_iter()
        .map(|part| BillRow {
            kind: BillKind::Instances(part.kind),
            usd_per_hour: part.paid_usd_per_hour,
            list_usd_per_hour: Some(part.usd_per_hour),
            count: part.instances,
            unpriced: part.unpriced,
        })
        .collect();
    rows.extend(commitments(bill, holdings, input, &blocks));
    rows.push(room(bill, &by_meter));
    rows.extend(other(input, resources));
    let (mut count, mut unpriced) = (0, 0);
    if let Some(totals) = input.storage.map(|s| &s.totals) {
        for sum in [&totals.buckets, &totals.volumes, &totals.snapshots] {
            (count, unpriced) = (count + sum.count, unpriced + sum.unpriced);
        }
    }
    rows.push(row(BillKind::Storage, bill.storage, count, unpriced));
    let paths = network.map_or(0, |network| network.paths);
    rows.push(row(BillKind::Network, bill.network, paths, 0));
    rows
}

fn row(kind: BillKind, usd: f64, count: u32, unpriced: u32) -> BillRow {
    // The sum of nothing is -0.0, which is not to be printed.
    let usd_per_hour = usd + 0.0;
    BillRow { kind, usd_per_hour, list_usd_per_hour: None, count, unpriced }
}

/// What each meter costs, USD/h: what commitments charge for it, and the rest on demand. Behind the instances' meters
/// stand those of unused room.
fn by_meter(bill: &Bill<'_>) -> Vec<f64> {
    let prices = bill.applier.prices();
    let open = bill.applied.on_demand_units.iter().zip(prices);
    let mut usd: Vec<f64> = open.map(|(units, price)| units * price.unwrap_or(0.0)).collect();
    for step in &bill.applied.covered {
        usd[step.meter] += step.usd;
    }
    usd
}

/// Capacity Blocks in force with a known price: what each instance inside pays, and what nobody here does.
struct Blocks<'a> {
    /// USD/h of one instance, by the id of the block.
    each: HashMap<&'a str, f64>,
    /// Part that instances inside use, USD/h.
    used: f64,
    /// Part that AWS says is used and no instance here does, USD/h.
    elsewhere: f64,
    /// Number of blocks with such a part.
    shared: u32,
}

impl<'a> Blocks<'a> {
    fn of(
        holdings: Option<&'a Holdings>,
        input: &SavingsInput<'_>,
        machines: &[Machine<'_>],
    ) -> Self {
        let mut blocks = Self { each: HashMap::new(), used: 0.0, elsewhere: 0.0, shared: 0 };
        for item in holdings.iter().flat_map(|h| &h.items) {
            let Commits::Capacity(capacity) = &item.commits else { continue };
            let is_block = matches!(capacity.reserves, ReservesCapacity::Block { .. });
            let Some(usd) =
                block_usd_per_hour(item).filter(|_| is_block && item.is_in_force(input.now))
            else {
                continue;
            };
            let inside = machines.iter().filter(|m| block_of(m) == Some(&*item.id)).count() as f64;
            let total = f64::from(capacity.total).max(inside).max(1.0);
            let used = f64::from(capacity.total.saturating_sub(capacity.available));
            let elsewhere = (used - inside).max(0.0);
            blocks.each.insert(&*item.id, usd / total);
            blocks.used += usd / total * inside;
            blocks.elsewhere += usd / total * elsewhere;
            blocks.shared += u32::from(elsewhere > 0.0);
        }
        blocks
    }

    fn share(&self, machine: &Machine<'_>) -> f64 {
        block_of(machine).and_then(|id| self.each.get(id)).copied().unwrap_or(0.0)
    }
}

/// Id of the Capacity Block that a machine runs in.
fn block_of<'a>(machine: &Machine<'a>) -> Option<&'a str> {
    let instance = &machine.row.instance;
    let is_inside = instance.lifecycle == Lifecycle::CapacityBlock;
    instance.capacity_reservation.as_deref().filter(|_| is_inside)
}

/// What is paid for commitments beside what pays for instances and rooms.
fn commitments(
    bill: &Bill<'_>,
    holdings: Option<&Holdings>,
    input: &SavingsInput<'_>,
    blocks: &Blocks<'_>,
) -> [BillRow; 2] {
    let applied = &bill.applied;
    let used: f64 = applied.used_usd.iter().sum::<f64>() + blocks.used + blocks.elsewhere;
    let unused = (applied.committed_usd - used).max(0.0);
    let paid = |commits: &Commits| match commits {
        Commits::Capacity(capacity) => !matches!(capacity.reserves, ReservesCapacity::OnDemand),
        Commits::Reserved(_) | Commits::Plan(_) => true,
    };
    let held = holdings.iter().flat_map(|h| &h.items);
    let held = held.filter(|item| item.is_in_force(input.now) && paid(&item.commits)).count();
    [
        row(BillKind::UnusedCommitments, unused, held as u32, bill.unpriced),
        row(BillKind::UsedElsewhere, blocks.elsewhere, blocks.shared, 0),
    ]
}

/// Room that is reserved and empty.
fn room(bill: &Bill<'_>, by_meter: &[f64]) -> BillRow {
    let first = bill.units.len();
    let mut empty = row(BillKind::EmptyCapacity, 0.0, 0, 0);
    for (meter, usd) in by_meter.iter().enumerate().skip(first) {
        let open = bill.applied.on_demand_units[meter];
        empty.usd_per_hour += usd;
        empty.count += u32::from(bill.applied.units[meter] > 0.0);
        empty.unpriced += u32::from(open > 0.0 && bill.applier.prices()[meter].is_none());
    }
    empty
}

/// Resources that are no instances: what removing the idle ones saves, and the rest.
fn other(input: &SavingsInput<'_>, resources: &[Arc<ResourceRow>]) -> [BillRow; 2] {
    let listed = Listed::of(input);
    let mut idle = row(BillKind::IdleResources, 0.0, 0, 0);
    let mut rest = row(BillKind::OtherResources, 0.0, 0, 0);
    for resource in resources {
        let usd = resource_usd(resource, &listed);
        let is_idle = resource.verdict.as_ref().is_some_and(|v| v.kind == VerdictKind::Idle);
        let unpriced = resource.resource.usd_per_hour().is_none();
        let wasted = if is_idle { usd.waste.unwrap_or(0.0).min(usd.bill) } else { 0.0 };
        idle.usd_per_hour += wasted;
        rest.usd_per_hour += usd.bill - wasted;
        let part = if is_idle { &mut idle } else { &mut rest };
        part.count += 1;
        part.unpriced += u32::from(unpriced && resource.waste_usd_per_hour.is_none());
    }
    [idle, rest]
}
