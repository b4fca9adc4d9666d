//! The fourth step: what bears interruptions runs on Spot, where that lowers the bill.

use std::collections::HashMap;
use std::sync::Arc;

use super::Done;
use super::bill::{Bill, Machine};
use super::moves::{Goes, Groups, take as take_groups};
use crate::analyze::savings::SavingsInput;
use crate::domain::{Platform, SpotHistory};
use crate::fleet::savings::{SpotFit, SpotRow, StepNote};

/// Moves instances that are left and fit to Spot, at what an hour of useful work costs then: re-work,
/// the hours without Spot, and the base on demand of a group that is only partly fit are in it, all
/// of it without commitments. Where one pays for such hours the saving is larger than this says.
pub(super) fn take(bill: &mut Bill<'_>, input: &SavingsInput<'_>, rows: &[Arc<SpotRow>]) -> Done {
    let mut done = Done::default();
    let mut groups = Groups::default();
    let now = Prices::of(input);
    let mut partly = 0;
    for (i, row) in rows.iter().enumerate() {
        if !matches!(row.fit, SpotFit::Yes | SpotFit::Partial) {
            continue;
        }
        done.gross_alone += row.gross_usd_per_hour.unwrap_or(0.0).max(0.0);
        let Some(machine) = bill.machine(&row.id).map(|m| &bill.machines[m]) else { continue };
        let Some(from) = machine.meter.filter(|_| !machine.gone) else { continue };
        let Some(usd) = now.effective(row, machine, bill.price[from]) else {
            done.unknown += 1;
            continue;
        };
        groups.add(i, from, Goes::Flat(usd));
    }
    take_groups(bill, &mut groups);
    let mut left = 0;
    for group in &groups.all {
        let (taken, rest) = group.items.split_at(group.taken);
        left += rest.len() as u32;
        for row in taken.iter().map(|i| &*rows[*i]) {
            done.levels.add(row.effort, row.risk, row.gross_usd_per_hour.unwrap_or(0.0));
            done.items += 1;
            partly += u32::from(row.fit == SpotFit::Partial);
            if let Some(m) = bill.machine(&row.id) {
                bill.machines[m].meter = None;
                bill.machines[m].flat = group.flat();
                bill.machines[m].on_spot = true;
            }
        }
    }
    if partly > 0 {
        done.notes.push(StepNote::PartlyFit(partly));
    }
    if left > 0 {
        done.notes.push(StepNote::SpotNotLower(left));
    }
    done
}

/// The cheapest Spot price of each type in each region now.
struct Prices<'a>(HashMap<(&'a str, &'a str, Platform), f64>);

impl<'a> Prices<'a> {
    fn of(input: &SavingsInput<'a>) -> Self {
        let mut cheapest = HashMap::new();
        for history in &input.facts.spot {
            let SpotHistory { region, instance_type, platform, points, .. } = &**history;
            let Some((_, usd)) = points.last() else { continue };
            let best = cheapest.entry((&**region, &**instance_type, *platform)).or_insert(usd);
            *best = best.min(usd);
        }
        Self(cheapest)
    }

    /// USD per hour of useful work, as the type that the machine has by now, at most its on-demand
    /// price. Of a type that the row is not about: what is really saved is the same part of what the
    /// prices promise, 1 − e′ ÷ p′ = (1 − e ÷ p) × (1 − s′ ÷ p′) ÷ (1 − s ÷ p).
    fn effective(
        &self,
        row: &SpotRow,
        machine: &Machine<'_>,
        on_demand: Option<f64>,
    ) -> Option<f64> {
        let (effective, on_demand) = row.effective.zip(on_demand)?;
        if machine.instance_type == row.instance_type {
            return Some(effective);
        }
        let region = &*row.scope.region;
        let price = |instance_type: &str| {
            self.0.get(&(region, instance_type, machine.row.instance.platform)).copied()
        };
        let old =
            row.zones.first().map(|z| z.usd_per_hour).or_else(|| price(&row.instance_type))?;
        let was = row.on_demand.filter(|usd| *usd > old)?;
        let promised = 1.0 - price(&machine.instance_type)? / on_demand;
        let kept = (1.0 - effective / was) / (1.0 - old / was);
        Some(on_demand * (1.0 - (kept * promised).clamp(0.0, 1.0)))
    }
}
