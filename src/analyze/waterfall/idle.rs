//! The first step: what does nothing is stopped.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::Done;
use super::bill::{Bill, resource_usd};
use super::storage::Listed;
use crate::analyze::savings::SavingsInput;
use crate::domain::{Commits, PlanType, ResourceKind, VerdictKind};
use crate::fleet::savings::{Effort, ResourceRow, Risk, StepNote};

/// Stops whole instances that are idle, and idle resources. Idle GPUs of an instance that works
/// cannot be stopped by themselves: what helps such nodes is the next step.
pub(super) fn take(
    bill: &mut Bill<'_>,
    input: &SavingsInput<'_>,
    resources: &[Arc<ResourceRow>],
) -> Done {
    let mut done = Done::default();
    instances(bill, &mut done);
    other(bill, input, resources, &mut done);
    done
}

fn instances(bill: &mut Bill<'_>, done: &mut Done) {
    let compute = bill.compute();
    let mut by_meter: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    let mut flat = bill.flat;
    let mut stopped = Vec::new();
    for (i, machine) in bill.machines.iter().enumerate() {
        if machine.row.verdict.as_ref().is_none_or(|v| v.kind != VerdictKind::Idle) {
            continue;
        }
        let list = match machine.meter {
            Some(meter) => bill.price[meter],
            None => machine.flat,
        };
        let Some(list) = list else {
            done.unknown += 1;
            continue;
        };
        done.gross_alone += list;
        done.levels.add(Effort::Low, Risk::Medium, list);
        match machine.meter {
            Some(meter) => by_meter.entry(meter).or_default().push(i),
            None => {
                flat -= list;
                stopped.push(i);
            }
        }
    }
    let mut units = bill.units.clone();
    let (inside, outside): (Vec<_>, Vec<_>) =
        by_meter.into_iter().partition(|(meter, _)| bill.is_reserved(*meter));
    for (meter, machines) in outside {
        units[meter] -= machines.len() as f64;
        stopped.extend(machines);
    }
    bill.set_units(units, flat.max(0.0));
    // Room that stays behind is billed, and what served the instance need not serve the room.
    for (meter, machines) in inside {
        let mut units = bill.units.clone();
        units[meter] -= machines.len() as f64;
        if bill.compute_of(&units, bill.flat) <= bill.compute() {
            bill.set_units(units, bill.flat);
            stopped.extend(machines);
        } else {
            done.notes.push(StepNote::RoomCostsMore(machines.len() as u32));
        }
    }
    done.items += stopped.len() as u32;
    for i in stopped {
        bill.machines[i].gone = true;
    }
    let short = done.gross_alone - (compute - bill.compute());
    if short > 0.005 {
        done.notes.push(StepNote::PaidByCommitments(short));
    }
}

fn other(
    bill: &mut Bill<'_>,
    input: &SavingsInput<'_>,
    resources: &[Arc<ResourceRow>],
    done: &mut Done,
) {
    let listed = Listed::of(input);
    let (mut elsewhere, mut planned) = (0, 0);
    for row in resources {
        if row.verdict.as_ref().is_none_or(|v| v.kind != VerdictKind::Idle) {
            continue;
        }
        let usd = resource_usd(row, &listed);
        done.gross_alone += row.waste_usd_per_hour.unwrap_or(0.0).max(0.0);
        let Some(waste) = usd.waste else {
            done.unknown += 1;
            continue;
        };
        if is_sagemaker(row.resource.kind) && has_sagemaker_plan(input) {
            planned += 1;
            done.unknown += 1;
            continue;
        }
        if usd.elsewhere > 0.0 && waste <= 0.0 {
            elsewhere += 1;
            continue;
        }
        bill.resources = (bill.resources - waste).max(0.0);
        done.items += 1;
        let effort = match row.resource.kind {
            ResourceKind::NatGateway | ResourceKind::LoadBalancer | ResourceKind::VpcEndpoint => {
                Effort::Medium
            }
            _ => Effort::Low,
        };
        done.levels.add(effort, Risk::Medium, waste);
    }
    if elsewhere > 0 {
        done.notes.push(StepNote::CountedUnderStorage(elsewhere));
    }
    if planned > 0 {
        done.notes.push(StepNote::SageMakerPlan(planned));
    }
}

fn is_sagemaker(kind: ResourceKind) -> bool {
    matches!(kind, ResourceKind::Notebook | ResourceKind::Endpoint | ResourceKind::StudioApp)
}

/// True when a SageMaker Savings Plan is in force: its rates are not read, so what stopping saves is
/// not known.
fn has_sagemaker_plan(input: &SavingsInput<'_>) -> bool {
    let held = input.fleet.book.holdings.iter().flat_map(|h| &h.items);
    held.filter(|c| c.is_in_force(input.now))
        .any(|c| matches!(&c.commits, Commits::Plan(plan) if plan.plan_type == PlanType::SageMaker))
}
