//! The third step: what is too large is made smaller, where that lowers the bill.

use std::sync::Arc;

use super::Done;
use super::bill::Bill;
use super::moves::{Goes, Groups, take as take_groups};
use crate::fleet::savings::{CannotTell, Proposal, SizeVerdict, StepNote};

/// Takes the proposals for instances that are left, each only where the whole bill falls. What is done with
/// partly idle nodes was decided by the step before.
pub(super) fn take(bill: &mut Bill<'_>, proposals: &[Arc<Proposal>]) -> Done {
    let mut done = Done::default();
    let mut groups = Groups::default();
    for (i, proposal) in proposals.iter().enumerate() {
        let to = match &proposal.verdict {
            SizeVerdict::Smaller { to, .. } => to,
            SizeVerdict::Cannot(CannotTell::NoPrice) => {
                done.unknown += u32::from(is_left(bill, proposal));
                continue;
            }
            SizeVerdict::Cannot(_) => continue,
        };
        done.gross_alone += proposal.gross_usd_per_hour.unwrap_or(0.0).max(0.0);
        let Some(machine) = bill.machine(&proposal.id).map(|m| &bill.machines[m]) else { continue };
        if machine.gone || machine.is_partly_idle() {
            continue;
        }
        let (Some(from), Some(meter)) = (machine.meter, bill.as_type(machine, to)) else {
            done.unknown += 1;
            continue;
        };
        if bill.price[from].is_none() || bill.price[meter].is_none() {
            done.unknown += 1;
            continue;
        }
        groups.add(i, from, Goes::Meter(meter));
    }
    let before = bill.compute();
    take_groups(bill, &mut groups);
    let mut left: Vec<&Proposal> = Vec::new();
    let mut gross = 0.0;
    for group in &groups.all {
        let (taken, rest) = group.items.split_at(group.taken);
        left.extend(rest.iter().map(|i| &*proposals[*i]));
        for proposal in taken.iter().map(|i| &*proposals[*i]) {
            let usd = proposal.gross_usd_per_hour.unwrap_or(0.0);
            gross += usd;
            done.levels.add(proposal.effort, proposal.risk, usd);
            done.items += 1;
            let Some(m) = bill.machine(&proposal.id) else { continue };
            if let SizeVerdict::Smaller { to, .. } = &proposal.verdict {
                let meter = bill.as_type(&bill.machines[m], to);
                bill.machines[m].meter = meter;
                bill.machines[m].instance_type = to.clone();
            }
        }
    }
    if !left.is_empty() {
        let until = left.iter().filter_map(|p| p.worthless_until).max();
        done.notes.push(StepNote::LargerIsPaid { sizes: left.len() as u32, until });
    }
    let saved = before - bill.compute();
    if saved > gross + 0.005 {
        done.notes.push(StepNote::UsesCommitments(saved - gross));
    }
    done
}

fn is_left(bill: &Bill<'_>, proposal: &Proposal) -> bool {
    let machine = bill.machine(&proposal.id).map(|m| &bill.machines[m]);
    machine.is_some_and(|m| !m.gone && !m.is_partly_idle())
}
