//! One hour of usage under all commitments, in AWS's order of application.

use jiff::Timestamp;

use super::meter::Meter;
use super::prepare::{prepare, sane, was_in_force};
use crate::domain::{Commitment, Commits, Holdings, HourRange, PlanType, ReservesCapacity};
use crate::fleet::prices::PriceBook;

/// One step of the application: instance-hours of a meter that a commitment pays for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Covered {
    /// Place of the meter in [`Applier::meters`].
    pub meter: usize,
    /// Place of the commitment in [`Holdings::items`].
    pub commitment: usize,
    /// Instance-hours covered; ≥ 0.
    pub units: f64,
    /// Cost of the commitment for them, USD: the plan's rate, or the amortised price of the reservation.
    pub usd: f64,
    /// Capacity of the commitment that they take: instance-hours of a reservation (of its own size), USD of a plan.
    pub taken: f64,
}

/// Bill of one hour: usage, commitments, and what they cover.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Applied {
    /// Steps in the order of application.
    pub covered: Vec<Covered>,
    /// Instance-hours of each meter: first the given usage, then unused room of capacity reservations.
    pub units: Vec<f64>,
    /// Instance-hours of each meter that neither a reservation nor a plan pays for.
    pub on_demand_units: Vec<f64>,
    /// USD used of each commitment, by place in [`Holdings::items`].
    pub used_usd: Vec<f64>,
    /// USD for the commitments in force, used or not: Reserved Instances, plans, Capacity Blocks. Those without a known
    /// price ([`is_priced`]) are left out.
    pub committed_usd: f64,
    /// USD on demand: uncovered usage, and unused room of capacity reservations.
    pub on_demand_usd: f64,
    /// Instance-hours on demand without a known price, which `on_demand_usd` leaves out.
    pub unpriced_units: f64,
}

impl Applied {
    /// Total bill of the hour, USD: commitments plus on demand.
    pub fn total_usd(&self) -> f64 {
        self.committed_usd + self.on_demand_usd
    }
}

/// A commitment prepared for application.
#[derive(Clone, Debug)]
pub(super) struct Held {
    /// Index in [`Holdings::items`].
    pub item: usize,
    start: Timestamp,
    end: Option<Timestamp>,
    /// Capacity of one hour: instance-hours of a reservation, USD of a plan.
    pub capacity: f64,
    /// USD per unit of capacity.
    usd: f64,
    /// Paid in each hour, USD.
    paid: f64,
}

impl Held {
    /// Prepares `commitment`, which is at `item` in [`Holdings::items`]. Missing prices count as 0 here; [`is_priced`]
    /// tells them apart.
    pub(super) fn new(item: usize, commitment: &Commitment) -> Self {
        let (capacity, usd, paid) = match &commitment.commits {
            Commits::Reserved(reserved) => {
                let usd = sane(reserved.usd_per_hour.unwrap_or(0.0));
                let count = f64::from(reserved.count);
                (count, usd, count * usd)
            }
            Commits::Plan(plan) => match plan.plan_type {
                PlanType::Compute | PlanType::Ec2Instance => {
                    let usd = sane(plan.usd_per_hour);
                    (usd, 1.0, usd)
                }
                // What they pay for is not metered here: neither their price nor their use.
                PlanType::SageMaker | PlanType::Other => (0.0, 1.0, 0.0),
            },
            Commits::Capacity(capacity) => match capacity.reserves {
                ReservesCapacity::OnDemand => (0.0, 1.0, 0.0),
                ReservesCapacity::Block { .. } => {
                    (0.0, 1.0, block_usd_per_hour(commitment).unwrap_or(0.0))
                }
            },
        };
        Self { item, start: commitment.start, end: commitment.end, capacity, usd, paid }
    }

    /// True when the commitment is in force at a moment within its term.
    fn is_in_force(&self, at: Timestamp) -> bool {
        self.start <= at && self.end.is_none_or(|end| at < end)
    }
}

/// Price of a Capacity Block, USD/h for all of its instances: price paid ÷ hours of its term. `None` for other
/// commitments, and where price or end is unknown.
pub fn block_usd_per_hour(commitment: &Commitment) -> Option<f64> {
    let Commits::Capacity(capacity) = &commitment.commits else { return None };
    let ReservesCapacity::Block { upfront_usd } = capacity.reserves else { return None };
    let hours = commitment.end?.duration_since(commitment.start).as_secs_f64() / 3600.0;
    Some(sane(upfront_usd?) / hours).filter(|usd| usd.is_finite() && *usd >= 0.0)
}

/// False where no API reports the price: modified Reserved Instances, and Capacity Blocks without a configured price.
pub fn is_priced(commitment: &Commitment) -> bool {
    match &commitment.commits {
        Commits::Reserved(reserved) => reserved.usd_per_hour.is_some(),
        Commits::Plan(_) => true,
        Commits::Capacity(capacity) => match capacity.reserves {
            ReservesCapacity::OnDemand => true,
            ReservesCapacity::Block { .. } => block_usd_per_hour(commitment).is_some(),
        },
    }
}

/// A meter and a commitment that may pay for it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pair {
    /// Place of the meter in [`Applier::meters`].
    pub meter: u32,
    /// Place of the commitment among the prepared ones.
    pub held: u32,
    /// Capacity that one instance-hour of the meter takes of the commitment.
    pub takes: f64,
}

/// Room of a capacity reservation: the instances that it holds capacity for.
#[derive(Clone, Debug)]
pub(super) struct Room {
    /// Place of the reservation among the prepared commitments.
    pub held: usize,
    /// Place of the meter of its unused room.
    pub meter: usize,
    /// Number of instances in its room.
    pub total: f64,
    /// Number of those used by instances outside these meters (and billed there).
    pub elsewhere: f64,
    /// Places of the meters of instances inside the reservation.
    pub inside: Vec<usize>,
}

/// Meters and commitments, made ready so that an hour is quick to apply.
///
/// The order of application (in `prepare.rs`) does not depend on usage, so an hour is one
/// pass over pairs that are sorted once. Each step takes `min(open usage, what is left)`: more of one
/// meter never leaves less of any on demand, so less usage never costs more, with one exception that
/// is AWS's own: usage inside a capacity reservation leaves billed room behind, which is served after
/// all other usage, and by the reservation's account.
#[derive(Clone, Debug)]
pub struct Applier {
    at: Timestamp,
    meters: Vec<Meter>,
    /// Meters that were given; what stands behind them is unused room.
    given: usize,
    items: usize,
    prices: Vec<Option<f64>>,
    held: Vec<Held>,
    rooms: Vec<Room>,
    pairs: Vec<Pair>,
}

impl Applier {
    /// Prepares the commitments in force at `at` for `meters`. Unused room of capacity reservations is usage as well:
    /// its meters are appended to the given ones.
    pub fn new(meters: Vec<Meter>, holdings: &Holdings, prices: &PriceBook, at: Timestamp) -> Self {
        Self::of(meters, holdings, prices, at, |commitment| commitment.is_in_force(at))
    }

    /// Prepares the commitments that were in force in any hour of `hours`, for [`Applier::apply_at`]. `now` is the
    /// present: a commitment that ended before it was in force until its end.
    pub fn over(
        meters: Vec<Meter>,
        holdings: &Holdings,
        prices: &PriceBook,
        hours: HourRange,
        now: Timestamp,
    ) -> Self {
        let (from, to) = (hours.from.start(), hours.to.start());
        Self::of(meters, holdings, prices, now, |commitment| {
            let first = commitment.start.max(from);
            first < to && was_in_force(commitment, first, now)
        })
    }

    fn of(
        mut meters: Vec<Meter>,
        holdings: &Holdings,
        prices: &PriceBook,
        at: Timestamp,
        keep: impl Fn(&Commitment) -> bool,
    ) -> Self {
        let given = meters.len();
        let (held, rooms, pairs, prices) = prepare(&mut meters, holdings, prices, keep);
        Self { at, meters, given, items: holdings.items.len(), prices, held, rooms, pairs }
    }

    /// All meters: the given ones, then those of unused capacity.
    pub fn meters(&self) -> &[Meter] {
        &self.meters
    }

    /// On-demand price of an instance-hour of each of [`Applier::meters`], USD; `None` when unknown.
    pub fn prices(&self) -> &[Option<f64>] {
        &self.prices
    }

    /// Meters of unused room with their capacity reservations: place in [`Applier::meters`], place in
    /// [`Holdings::items`].
    pub fn rooms(&self) -> impl Iterator<Item = (usize, usize)> + '_ {
        self.rooms.iter().map(|room| (room.meter, self.held[room.held].item))
    }

    /// Derives from current usage how much room of capacity reservations instances outside these meters use (other
    /// accounts, licensed software): the usage that AWS reports beyond `units`.
    #[must_use]
    pub fn with_room_used_elsewhere(mut self, units: &[f64], holdings: &Holdings) -> Self {
        for room in &mut self.rooms {
            let item = holdings.items.get(self.held[room.held].item);
            if let Some(Commits::Capacity(capacity)) = item.map(|item| &item.commits) {
                let used = f64::from(capacity.total.saturating_sub(capacity.available));
                let here: f64 = room.inside.iter().map(|m| unit(units, *m)).sum();
                room.elsewhere = (used - here).max(0.0);
            }
        }
        self
    }

    /// Bill of an hour with `units` instance-hours of each given meter.
    pub fn apply(&self, units: &[f64]) -> Applied {
        self.apply_at(units, self.at)
    }

    /// Bill of the hour that starts at `at`, one of those that the applier was prepared for.
    pub fn apply_at(&self, units: &[f64], at: Timestamp) -> Applied {
        let (mut open, mut left) = self.begin(units, at);
        let mut applied = Applied {
            units: open.clone(),
            used_usd: vec![0.0; self.items],
            committed_usd: self.paid_at(at),
            ..Applied::default()
        };
        self.fill(&mut open, &mut left, |pair, units, taken| {
            let held = &self.held[pair.held as usize];
            let usd = taken * held.usd;
            applied.used_usd[held.item] += usd;
            let (meter, commitment) = (pair.meter as usize, held.item);
            applied.covered.push(Covered { meter, commitment, units, usd, taken });
        });
        (applied.on_demand_usd, applied.unpriced_units) = self.on_demand(&open);
        applied.on_demand_units = open;
        applied
    }

    /// [`Applied::total_usd`] of [`Applier::apply`] without the list of steps; faster, for many queries.
    pub fn total_usd(&self, units: &[f64]) -> f64 {
        self.paid_at(self.at) + self.on_demand_usd(units)
    }

    /// On-demand part of the bill, USD: the only part that depends on usage.
    pub fn on_demand_usd(&self, units: &[f64]) -> f64 {
        let (mut open, mut left) = self.begin(units, self.at);
        self.fill(&mut open, &mut left, |_, _, _| {});
        self.on_demand(&open).0
    }

    /// Meters with the commitments that may pay for them, in order of application: place in [`Applier::meters`], place
    /// in [`Holdings::items`].
    pub fn pairs(&self) -> impl Iterator<Item = (usize, usize)> + '_ {
        self.pairs.iter().map(|p| (p.meter as usize, self.held[p.held as usize].item))
    }

    /// Calls `edge` with the places of meter and commitment for every pair that may meet, capacity reservations
    /// included.
    pub(super) fn edges(&self, mut edge: impl FnMut(usize, usize)) {
        self.pairs().for_each(|(meter, item)| edge(meter, item));
        for room in &self.rooms {
            for meter in room.inside.iter().chain([&room.meter]) {
                edge(*meter, self.held[room.held].item);
            }
        }
    }

    /// USD for commitments in force at `at`, used or not.
    fn paid_at(&self, at: Timestamp) -> f64 {
        self.held.iter().filter(|held| held.is_in_force(at)).map(|held| held.paid).sum()
    }

    /// Open usage and what commitments hold, before anything is applied.
    fn begin(&self, units: &[f64], at: Timestamp) -> (Vec<f64>, Vec<f64>) {
        let mut open: Vec<f64> = (0..self.given).map(|m| unit(units, m)).collect();
        open.resize(self.meters.len(), 0.0);
        for room in self.rooms.iter().filter(|room| self.held[room.held].is_in_force(at)) {
            let here: f64 = room.inside.iter().map(|m| open[*m]).sum();
            open[room.meter] = (room.total - room.elsewhere - here).max(0.0);
        }
        let left = self.held.iter();
        (open, left.map(|held| if held.is_in_force(at) { held.capacity } else { 0.0 }).collect())
    }

    fn fill(&self, open: &mut [f64], left: &mut [f64], mut covered: impl FnMut(&Pair, f64, f64)) {
        let above_zero = |values: &[f64]| values.iter().filter(|v| **v > 0.0).count();
        let (mut wanted, mut usable) = (above_zero(open), above_zero(left));
        for pair in &self.pairs {
            let (meter, held) = (pair.meter as usize, pair.held as usize);
            let (wants, has) = (open[meter], left[held]);
            if wants <= 0.0 || has <= 0.0 {
                continue;
            }
            // What rounding leaves is nothing: an exact fit uses all of both.
            let needs = wants * pair.takes;
            let fits = needs <= has * (1.0 + DUST);
            let (units, taken) =
                if fits { (wants, needs.min(has)) } else { (has / pair.takes, has) };
            open[meter] = if fits { 0.0 } else { (wants - units).max(0.0) };
            let rest = has - taken;
            left[held] = if rest > DUST * self.held[held].capacity { rest } else { 0.0 };
            covered(pair, units, taken);
            wanted -= usize::from(fits);
            usable -= usize::from(left[held] <= 0.0);
            if wanted == 0 || usable == 0 {
                break;
            }
        }
    }

    /// USD of what is left open, and units of it without a price.
    fn on_demand(&self, open: &[f64]) -> (f64, f64) {
        let (mut usd, mut unpriced) = (0.0, 0.0);
        for (open, price) in open.iter().zip(&self.prices) {
            match price {
                Some(price) => usd += open * price,
                None => unpriced += open,
            }
        }
        (usd, unpriced)
    }
}

/// Relative error of sums of some thousand terms, well below a cent of any bill.
const DUST: f64 = 1e-12;

/// Units of a meter: nothing where they are missing or no number.
fn unit(units: &[f64], meter: usize) -> f64 {
    units.get(meter).copied().map_or(0.0, sane)
}
