//! How the commitments held are used: utilisation, coverage, effective rates, what is unused.

mod findings;
mod tally;
mod usage;
mod words;

#[cfg(test)]
mod tests;

use std::collections::HashSet;
use std::sync::Arc;

use self::findings::Looked;
use self::tally::{Tallies, Tally, Types, holds, in_force};
use self::usage::{Usage, is_block};
use crate::analyze::savings::SavingsInput;
use crate::domain::{Commitment, CommitmentKind, Commits, Holdings, Instance, Scope};
use crate::fleet::Book;
use crate::fleet::commitments::{Applied, Applier, block_usd_per_hour, uncertain_plans};
use crate::fleet::savings::{CommitmentRow, CommitmentSums, known_sum};

/// Every commitment with its use over the hours that are known, and the sums.
///
/// - utilisation: used ÷ held, of instance-hours (a plan: of USD), over hours in force;
/// - coverage: on-demand price of usage that reservations and plans pay for ÷ that of all usage they
///   could pay for (instances on demand and unused room of capacity reservations);
/// - effective savings rate: 1 − (paid for reservations and plans + usage on demand) ÷ on-demand
///   price of all that usage;
/// - effective rate of a commitment: paid ÷ instance-hours covered; its saving: their on-demand price
///   less what was paid.
///
/// While no past hour is known the rates and savings are those of the present hour.
pub fn table(input: &SavingsInput<'_>) -> (Vec<Arc<CommitmentRow>>, CommitmentSums) {
    let Some(holdings) = &input.facts.holdings else {
        return (Vec::new(), CommitmentSums::default());
    };
    let instances: Vec<&Instance> = input.fleet.rows.iter().map(|row| &*row.instance).collect();
    let usage = Usage::new(&instances, &input.facts.hours, holdings, input.now);
    let book = &input.fleet.book;
    let applier = Applier::over(
        usage.meters.clone(),
        holdings,
        &book.prices,
        usage.range(input.now),
        input.now,
    )
    .with_room_used_elsewhere(&usage.now, holdings);
    let present = Present::new(&applier, &usage, holdings, input);
    let mut past = Tallies::new(holdings.items.len());
    let mut units = vec![0.0; usage.meters.len()];
    for (place, hour) in usage.hours.iter().enumerate() {
        let at = hour.start();
        for (units, meter) in units.iter_mut().zip(&usage.units) {
            *units = meter[place];
        }
        let applied = applier.apply_at(&units, at);
        let blocks = |item: usize| {
            let used = usage.in_blocks.get(&item).map_or(0.0, |used| used[place]);
            (used, list_price(&holdings.items[item], book))
        };
        past.add(&applier, &applied, holdings, &in_force(holdings, at, input.now), blocks);
    }
    let uncertain = uncertain_plans(&applier, holdings, input.now);
    let looked = Looked::new(&usage, &applier, &present, holdings, input.now);
    let mut rows: Vec<Arc<CommitmentRow>> = Vec::new();
    for (place, item) in holdings.items.iter().enumerate() {
        let known = !uncertain.contains(&place);
        let mut row = row(item, &past.items[place], &present, place, known);
        row.is_in_force = item.is_in_force(input.now);
        row.usd_per_hour = usd_per_hour(item, book);
        row.billed_unused_usd = book.billed.as_ref().and_then(|bill| bill.unused_usd(&item.id));
        row.findings = looked.findings(place, &row, known);
        rows.push(Arc::new(row));
    }
    rows.sort_by(|a, b| {
        let unused = |row: &CommitmentRow| row.unused_usd_per_hour.unwrap_or(0.0);
        (unused(b).total_cmp(&unused(a)))
            .then_with(|| a.commitment.kind().cmp(&b.commitment.kind()))
            .then_with(|| a.commitment.account.cmp(&b.commitment.account))
            .then_with(|| a.commitment.id.cmp(&b.commitment.id))
    });
    let uncertain = |place: usize| uncertain.contains(&place);
    let sums = sums(&rows, &past, &present, holdings, uncertain);
    (rows, sums)
}

/// The present hour.
struct Present {
    applied: Applied,
    tallies: Tallies,
    /// What is paid for unused room of each capacity reservation, on demand or by a plan, USD/h; by
    /// place of the commitment. `None` when its price is not known.
    room_usd: Vec<Option<f64>>,
}

impl Present {
    fn new(
        applier: &Applier,
        usage: &Usage,
        holdings: &Holdings,
        input: &SavingsInput<'_>,
    ) -> Self {
        let applied = applier.apply_at(&usage.now, input.now);
        let mut tallies = Tallies::new(holdings.items.len());
        // What AWS says is used of a Capacity Block, whoever uses it.
        let blocks = |item: usize| {
            let used = match &holdings.items[item].commits {
                Commits::Capacity(it) => f64::from(it.total.saturating_sub(it.available)),
                _ => 0.0,
            };
            (used, list_price(&holdings.items[item], &input.fleet.book))
        };
        let counts = in_force(holdings, input.now, input.now);
        tallies.add(applier, &applied, holdings, &counts, blocks);
        let mut room_usd = vec![Some(0.0); holdings.items.len()];
        for (meter, item) in applier.rooms() {
            let plans: f64 =
                applied.covered.iter().filter(|step| step.meter == meter).map(|s| s.usd).sum();
            let open = applied.on_demand_units[meter];
            room_usd[item] = match applier.prices()[meter] {
                Some(price) => Some(plans + open * price),
                None => (open <= 0.0).then_some(plans),
            };
        }
        Self { applied, tallies, room_usd }
    }
}

/// On-demand price of one instance of the type that a commitment names; `None` for plans, and where
/// it is not known.
fn list_price(item: &Commitment, book: &Book) -> Option<f64> {
    let (region, of, platform, tenancy) = match &item.commits {
        Commits::Reserved(it) => (&it.region, &it.instance_type, it.platform, it.tenancy),
        Commits::Capacity(it) => (&it.region, &it.instance_type, it.platform, it.tenancy),
        Commits::Plan(_) => return None,
    };
    let scope = Scope::new(item.account.clone(), region.clone());
    book.prices.on_demand(&scope, of, platform, tenancy).map(|rate| rate.usd_per_hour)
}

/// Cost of a commitment, USD/h; `None` when not known.
fn usd_per_hour(item: &Commitment, book: &Book) -> Option<f64> {
    match &item.commits {
        Commits::Reserved(it) => it.usd_per_hour.map(|usd| f64::from(it.count) * usd),
        Commits::Plan(plan) => Some(plan.usd_per_hour),
        Commits::Capacity(_) if is_block(item) => block_usd_per_hour(item),
        Commits::Capacity(it) => Some(f64::from(it.total) * list_price(item, book)?),
    }
}

/// The figures of one commitment. `known` is false for a plan of which nobody knows what it covers.
fn row(
    item: &Arc<Commitment>,
    past: &Tally,
    present: &Present,
    place: usize,
    known: bool,
) -> CommitmentRow {
    let now = &present.tallies.items[place];
    let over = if past.hours > 0 { past } else { now };
    let unused = holds(item).filter(|_| known && now.hours > 0).and_then(|held| {
        if item.kind() == CommitmentKind::CapacityReservation {
            return present.room_usd[place];
        }
        let open = if held > 0.0 { 1.0 - now.utilisation()? } else { 0.0 };
        // Of what is used up nothing is unused, whatever it cost.
        if open > 0.0 { now.paid.map(|paid| paid * open) } else { Some(0.0) }
    });
    let (effective, on_demand) = match &over.types {
        Types::One(_, price) if known => {
            let effective = over.paid.filter(|_| over.units > 0.0).map(|paid| paid / over.units);
            (effective, *price)
        }
        _ => (None, None),
    };
    let saves = over.on_demand.zip(over.paid).filter(|_| known && over.hours > 0);
    CommitmentRow {
        commitment: item.clone(),
        is_in_force: false,
        covers: words::covers(item).into(),
        usd_per_hour: None,
        utilisation: past.utilisation().filter(|_| known),
        utilisation_now: now.utilisation().filter(|_| known),
        unused_usd_per_hour: unused,
        billed_unused_usd: None,
        effective_usd_per_hour: effective,
        on_demand_usd_per_hour: on_demand.filter(|_| effective.is_some()),
        saves_usd_per_hour: saves.map(|(list, paid)| (list - paid) / f64::from(over.hours)),
        hours: past.hours,
        findings: Vec::new(),
    }
}

/// True for what is paid for whether it is used or not: reservations, plans and Capacity Blocks. The
/// room of a capacity reservation is usage, which plans may pay for.
fn is_prepaid(item: &Commitment) -> bool {
    item.kind() != CommitmentKind::CapacityReservation
}

fn sums(
    rows: &[Arc<CommitmentRow>],
    past: &Tallies,
    present: &Present,
    holdings: &Holdings,
    uncertain: impl Fn(usize) -> bool,
) -> CommitmentSums {
    let over = if past.hours > 0 { past } else { &present.tallies };
    let (mut paid, mut used) = (0.0, 0.0);
    let mut inside: HashSet<*const Commitment> = HashSet::new();
    let mut all_known = holdings.unread.is_empty();
    for (place, item) in holdings.items.iter().enumerate() {
        let tally = &over.items[place];
        if !is_prepaid(item) || tally.hours == 0 {
            continue;
        }
        if uncertain(place) {
            all_known = false;
        } else if let Some((usd, part)) = tally.paid.zip(tally.utilisation()) {
            paid += usd;
            used += usd * part;
            inside.insert(Arc::as_ptr(item));
        }
    }
    let usage = over.priced_usage().filter(|_| all_known);
    let in_force = || rows.iter().filter(|row| row.is_in_force);
    let paid_for = || rows.iter().filter(|row| row.is_paid());
    let (committed, committed_unknown) = known_sum(paid_for().map(|row| row.usd_per_hour));
    let outside = paid_for().filter(|row| !inside.contains(&Arc::as_ptr(&row.commitment)));
    let (unused, unused_unknown) = known_sum(in_force().map(|row| row.unused_usd_per_hour));
    let room = in_force().filter(|row| row.is_room());
    let (unused_room, _) = known_sum(room.map(|row| row.unused_usd_per_hour));
    CommitmentSums {
        committed_usd_per_hour: committed,
        committed_unknown,
        utilisation: (paid > 0.0).then_some(used / paid),
        utilisation_of: inside.len() as u32,
        left_out: outside.count() as u32,
        coverage: usage.map(|usd| over.covered / usd),
        effective_savings_rate: usage
            .filter(|_| over.all_paid_known)
            .map(|usd| 1.0 - (over.committed + over.open) / usd),
        unused_usd_per_hour: unused,
        unused_room_usd_per_hour: unused_room,
        unused_unknown,
        hours: past.hours,
    }
}
