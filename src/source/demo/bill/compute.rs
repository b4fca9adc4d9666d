//! Lines of machines and of commitments.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use super::Estate;
use super::cover::{self, Cover, Held, PARTS, Terms};
use super::ledger::{Ledger, Slot, What, at_cost, at_list, prefix};
use super::machines::{Machine, Paid};
use crate::domain::bill::{Charge, Pricing, Usd};
use crate::domain::{Hour, Tags};
use crate::source::demo::prices::Market;

/// Name and code of EC2.
pub(super) const EC2: (&str, &str) = ("Amazon Elastic Compute Cloud", "AmazonEC2");

/// Name and code of SageMaker.
pub(super) const SAGEMAKER: (&str, &str) = ("Amazon SageMaker", "AmazonSageMaker");

/// Decimal places of Spot prices.
const SPOT_PLACES: i8 = 4;

/// Spot prices of the hours of a month by zone and type, in 10⁻⁴ USD.
type SpotPrices = BTreeMap<(Arc<str>, Arc<str>), Vec<u64>>;

/// Writes the lines of all machines and commitments.
pub(super) fn write(ledger: &mut Ledger, estate: &Estate, machines: &[Machine], held: &[Held]) {
    let cover = cover::cover(held, machines, ledger.days());
    let mut spot = SpotPrices::new();
    for (at, machine) in machines.iter().enumerate() {
        if machine.hours(&ledger.hours) == 0 {
            continue;
        }
        match &machine.paid {
            Paid::OnDemand | Paid::Room => on_demand(ledger, machine, at, held, &cover),
            Paid::Spot => spot_lines(ledger, machine, estate.fleet.key(), &mut spot),
            Paid::Block(id, usd) => {
                let slot = slot(ledger, machine, Pricing::Reserved, id);
                for (day, hours) in worked(ledger, machine) {
                    let (usd, list) = (usd.prorated(hours, 1), machine.list.prorated(hours, 1));
                    ledger.add(slot, day, at_cost(Usd::ZERO, usd, list, hours as f64));
                }
            }
        }
    }
    for (at, held) in held.iter().enumerate() {
        commitment(ledger, held, at, &cover);
    }
}

/// Days on which a machine ran, with the hours of each.
fn worked(ledger: &Ledger, machine: &Machine) -> Vec<(u8, u64)> {
    let hours = |(day, hours): (u8, Range<i32>)| (day, machine.hours(&hours));
    ledger.days().map(hours).filter(|(_, hours)| *hours > 0).collect()
}

fn slot(ledger: &mut Ledger, machine: &Machine, pricing: Pricing, commitment: &str) -> Slot {
    let (service, family, operation) = if machine.is_sagemaker() {
        (SAGEMAKER, "ML Instance", "RunInstance")
    } else {
        (EC2, "Compute Instance", "RunInstances")
    };
    let usage_type =
        format!("{}{}:{}", prefix(machine.region), machine.usage, machine.instance_type);
    let what = What {
        family,
        usage_type: &usage_type,
        operation,
        unit: "Hrs",
        pricing,
        commitment,
        resource: &machine.id,
        ..What::usage(machine.account, machine.region, service)
    };
    ledger.slot(&what, &machine.tags)
}

/// What commitments cover of a machine, and the rest at its list price.
fn on_demand(ledger: &mut Ledger, machine: &Machine, at: usize, held: &[Held], cover: &Cover) {
    let pricing = match machine.paid {
        Paid::Room => Pricing::UnusedCapacity,
        _ => Pricing::OnDemand,
    };
    let mut own: Option<Slot> = None;
    let mut by: BTreeMap<usize, Slot> = BTreeMap::new();
    for (day, hours) in worked(ledger, machine) {
        let mut open = (hours * PARTS, machine.list.prorated(hours, 1));
        for ((.., which), covered) in cover.range((at, day, 0)..=(at, day, usize::MAX)) {
            let Some(held) = held.get(*which) else { continue };
            let slot = *by.entry(*which).or_insert_with(|| {
                let pricing = match held.terms {
                    Terms::Plan(..) => Pricing::SavingsPlan,
                    _ => Pricing::Reserved,
                };
                slot(ledger, machine, pricing, &held.id)
            });
            let list = if covered.parts == open.0 {
                open.1
            } else {
                machine.list.prorated(covered.parts, PARTS)
            };
            open = (open.0 - covered.parts, open.1 - list);
            let quantity = covered.parts as f64 / PARTS as f64;
            let usd = held.effective(covered.taken);
            let mut sums = at_cost(Usd::ZERO, usd, list, quantity);
            // A plan's line at the list price, and another that takes it back.
            sums.lines += u64::from(matches!(held.terms, Terms::Plan(..)));
            ledger.add(slot, day, sums);
        }
        if open.0 > 0 {
            let slot = *own.get_or_insert_with(|| slot(ledger, machine, pricing, ""));
            ledger.add(slot, day, at_list(open.1, open.0 as f64 / PARTS as f64));
        }
    }
}

/// Spot: each hour at its price.
fn spot_lines(ledger: &mut Ledger, machine: &Machine, key: u64, spot: &mut SpotPrices) {
    let slot = slot(ledger, machine, Pricing::Spot, "");
    let (first, all) = (ledger.hours.start, ledger.hours.clone());
    let prices =
        spot.entry((machine.zone.clone(), machine.instance_type.clone())).or_insert_with(|| {
            let list = machine.list.to_f64();
            let market = Market::new(key, &machine.zone, &machine.instance_type, list);
            all.map(|hour| (market.price(Hour(hour)) * 1e4).round() as u64).collect()
        });
    for (day, hours) in ledger.days() {
        let mut ran = 0_u64;
        let in_hour = |hour: i32| prices.get((hour - first) as usize).copied().unwrap_or(0);
        let paid: u64 = hours
            .filter(|hour| machine.ran(*hour))
            .map(|hour| {
                ran += 1;
                in_hour(hour)
            })
            .sum();
        if ran > 0 {
            let usd = Usd::from_decimal(i128::from(paid), SPOT_PLACES).unwrap_or_default();
            ledger.add(slot, day, at_cost(usd, usd, machine.list.prorated(ran, 1), ran as f64));
        }
    }
}

/// Fees of a commitment, and the part of it that nothing used.
fn commitment(ledger: &mut Ledger, held: &Held, at: usize, cover: &Cover) {
    let (service, family, usage_type, unused, unit) = match &held.terms {
        Terms::Plan(name, _) => {
            let service = if name.starts_with("SageMaker") {
                ("Savings Plans for AWS Machine Learning", "MachineLearningSavingsPlans")
            } else {
                ("Savings Plans for AWS Compute usage", "ComputeSavingsPlans")
            };
            (service, "Savings Plan", (*name).to_owned(), Pricing::UnusedCommitment, "Hrs")
        }
        Terms::Reserved(name, ..) => {
            let usage_type = format!("{}HeavyUsage:{name}", prefix(&held.region));
            (EC2, "Compute Instance", usage_type, Pricing::UnusedCommitment, "Hrs")
        }
        Terms::Block(name, ..) => {
            let usage_type = format!("{}CapacityBlock:{name}", prefix(&held.region));
            (EC2, "Compute Instance", usage_type, Pricing::UnusedCapacity, "Hrs")
        }
    };
    let what = What {
        family,
        usage_type: &usage_type,
        unit,
        commitment: &held.id,
        resource: &held.id,
        ..What::usage(held.account, &held.region, service)
    };
    let none = Tags::default();
    let fee = What { charge: Charge::Purchase, pricing: Pricing::Other, ..what };
    let fee = ledger.slot(&fee, &none);
    let rest = ledger.slot(&What { pricing: unused, ..what }, &none);
    let mut used: BTreeMap<u8, Usd> = BTreeMap::new();
    for ((_, day, which), covered) in cover {
        if *which == at {
            *used.entry(*day).or_default() += held.effective(covered.taken);
        }
    }
    for (day, of_day) in ledger.days() {
        let hours = held.hours(&of_day);
        if hours == 0 {
            continue;
        }
        let cost = held.cost(hours);
        let upfront = match &held.terms {
            Terms::Plan(..) => Some(cost),
            Terms::Reserved(.., upfront) | Terms::Block(_, upfront, _) => {
                Some(*upfront).filter(|_| of_day.contains(&held.term.start))
            }
        };
        if let Some(usd) = upfront {
            ledger.add(fee, day, at_cost(usd, Usd::ZERO, Usd::ZERO, hours as f64));
        }
        let unused = cost - used.get(&day).copied().unwrap_or_default();
        if !unused.is_zero() {
            ledger.add(rest, day, at_cost(Usd::ZERO, unused, Usd::ZERO, 0.0));
        }
    }
}
