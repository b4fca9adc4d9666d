//! The order in which AWS applies commitments to usage, made once for all hours.
//!
//! Everything that a commitment may pay for is a pair of a meter and a commitment. AWS's rules fix
//! the order of the pairs, whatever the usage of an hour:
//!
//! 1. Zonal Reserved Instances: the owner's usage, then that of the owner's group where accounts share in
//!    groups, then the other accounts'.
//! 2. Regional Reserved Instances: likewise, smaller sizes first where sizes are flexible; then
//!    unused room of capacity reservations ("discounts are preferentially applied to instance usage
//!    before covering unused Capacity Reservations").
//! 3. EC2 Instance Savings Plans, all together: the owner's usage, then the other accounts'; the
//!    highest saving against on-demand first, of equal ones the lowest rate; unused room last.
//! 4. Compute Savings Plans, in the same way.
//!
//! Where AWS does not say which of equals comes first, the order is by account, type and zone of the
//! meter and by beginning, account and id of the commitment.

use jiff::Timestamp;

use super::apply::{Held, Pair, Room};
use super::meter::Meter;
use super::size;
use crate::domain::{
    Beneficiary, Commitment, CommitmentState, Commits, FastMap, Holdings, PlanType,
    ReservedInstances, ReservesCapacity, SavingsPlan,
};
use crate::fleet::prices::PriceBook;

/// Whether a commitment was in force at `at`, as known at `now`. An expired one was in force until its end; one that
/// ended early (returned, failed) counts as never in force.
pub fn was_in_force(commitment: &Commitment, at: Timestamp, now: Timestamp) -> bool {
    let counts = match commitment.state {
        CommitmentState::Active => true,
        CommitmentState::Pending => false,
        CommitmentState::Ended => commitment.end.is_some_and(|end| end <= now),
    };
    counts && commitment.start <= at && commitment.end.is_none_or(|end| at < end)
}

/// `value` if finite and ≥ 0, else 0. For sums and prices from outside.
pub(super) fn sane(value: f64) -> f64 {
    if value.is_finite() { value.max(0.0) } else { 0.0 }
}

/// The steps of the application; each has a round for each [`Beneficiary`], and again for unused room.
#[derive(Clone, Copy)]
enum Step {
    Zonal = 0,
    Regional = 8,
    InstancePlan = 16,
    ComputePlan = 24,
}

/// Meters by what commitments select them by.
#[derive(Default)]
struct Index<'a> {
    by_type: FastMap<&'a str, FastMap<&'a str, Vec<u32>>>,
    by_family: FastMap<&'a str, FastMap<&'a str, Vec<u32>>>,
}

impl<'a> Index<'a> {
    fn new(meters: &'a [Meter]) -> Self {
        let mut index = Self::default();
        for (place, meter) in meters.iter().enumerate() {
            let region = &*meter.scope.region;
            let family = size::family(&meter.instance_type);
            let types = index.by_type.entry(region).or_default();
            types.entry(&meter.instance_type).or_default().push(place as u32);
            let families = index.by_family.entry(region).or_default();
            families.entry(family).or_default().push(place as u32);
        }
        index
    }

    fn of_type(&self, region: &str, instance_type: &str) -> &[u32] {
        self.by_type.get(region).and_then(|types| types.get(instance_type)).map_or(&[], |v| &**v)
    }

    fn of_family(&self, region: &str, family: &str) -> &[u32] {
        self.by_family.get(region).and_then(|families| families.get(family)).map_or(&[], |v| &**v)
    }
}

/// Where a pair stands: round (8 bits), saving or size (40), rate (40), meter (20), commitment (20).
/// All whole numbers, so that equal stays equal whatever the rounding, and sorting is quick.
type Key = u128;

fn key(round: u8, [first, second]: [u64; 2], meter: u32, held: u32) -> Key {
    let most = |value: u64, bits: u32| u128::from(value.min((1 << bits) - 1));
    (u128::from(round) << 120)
        | (most(first, 40) << 80)
        | (most(second, 40) << 40)
        | (most(u64::from(meter), 20) << 20)
        | most(u64::from(held), 20)
}

/// Builds the pairs of meters and commitments in order of application.
pub(super) struct Pairs<'a> {
    meters: &'a [Meter],
    /// Meters from this place on are unused room.
    rooms_from: usize,
    prices: Vec<Option<f64>>,
    rank: Vec<u32>,
    index: Index<'a>,
    holdings: &'a Holdings,
    out: Vec<(Key, Pair)>,
}

impl<'a> Pairs<'a> {
    /// Indexes `meters`; those from `rooms_from` on are unused room of capacity reservations. `prices` has one
    /// on-demand price per meter, USD/h.
    pub(super) fn new(
        meters: &'a [Meter],
        rooms_from: usize,
        prices: Vec<Option<f64>>,
        holdings: &'a Holdings,
    ) -> Self {
        let mut order: Vec<u32> = (0..meters.len() as u32).collect();
        order.sort_by(|a, b| meters[*a as usize].rank().cmp(&meters[*b as usize].rank()));
        let mut rank = vec![0; meters.len()];
        for (place, meter) in order.into_iter().enumerate() {
            rank[meter as usize] = place as u32;
        }
        let index = Index::new(meters);
        Self { meters, rooms_from, prices, rank, index, holdings, out: Vec::new() }
    }

    /// Adds the pairs of one commitment; `held` is its place among the prepared ones, which are in order of preference.
    pub(super) fn add(&mut self, held: u32, commitment: &Commitment) {
        match &commitment.commits {
            Commits::Reserved(reserved) => self.reserved(held, &commitment.account, reserved),
            Commits::Plan(plan) => self.plan(held, &commitment.account, plan),
            Commits::Capacity(_) => {}
        }
    }

    /// All pairs, in order of application.
    pub(super) fn finish(mut self) -> Vec<Pair> {
        self.out.sort_unstable_by_key(|(key, _)| *key);
        self.out.into_iter().map(|(_, pair)| pair).collect()
    }

    fn reserved(&mut self, held: u32, owner: &str, reserved: &ReservedInstances) {
        let matches = |meter: &Meter| {
            meter.platform == reserved.platform && meter.tenancy == reserved.tenancy
        };
        if let Some(az) = &reserved.az {
            for meter in self.index.of_type(&reserved.region, &reserved.instance_type).to_vec() {
                let it = &self.meters[meter as usize];
                // "Billing discounts for zonal Reserved Instances do not apply to Capacity
                // Reservations."
                if it.az == *az && matches(it) && it.reservation.is_none() {
                    self.push(Step::Zonal, owner, held, meter, [0, 0], 1.0);
                }
            }
            return;
        }
        let own = size::factor(&reserved.instance_type);
        let flexible =
            size::is_size_flexible(&reserved.instance_type, reserved.platform, reserved.tenancy);
        let Some(own) = own.filter(|_| flexible) else {
            for meter in self.index.of_type(&reserved.region, &reserved.instance_type).to_vec() {
                if matches(&self.meters[meter as usize]) {
                    self.push(Step::Regional, owner, held, meter, [0, 0], 1.0);
                }
            }
            return;
        };
        let family = size::family(&reserved.instance_type);
        for meter in self.index.of_family(&reserved.region, family).to_vec() {
            let it = &self.meters[meter as usize];
            if let Some(units) = size::factor(&it.instance_type).filter(|_| matches(it)) {
                // Quarters of units are whole numbers.
                let size = [(units * 4.0) as u64, 0];
                self.push(Step::Regional, owner, held, meter, size, units / own);
            }
        }
    }

    fn plan(&mut self, held: u32, owner: &str, plan: &SavingsPlan) {
        let step = match plan.plan_type {
            PlanType::Ec2Instance => Step::InstancePlan,
            PlanType::Compute => Step::ComputePlan,
            PlanType::SageMaker | PlanType::Other => return,
        };
        for rate in &plan.rates {
            if !rate.usd_per_hour.is_finite() || rate.usd_per_hour < 0.0 {
                continue;
            }
            let reaches = step as u8 == Step::ComputePlan as u8
                || (plan.region.as_ref().is_none_or(|region| *region == rate.region)
                    && (plan.family.as_ref())
                        .is_none_or(|f| **f == *size::family(&rate.instance_type)));
            if !reaches {
                continue;
            }
            for meter in self.index.of_type(&rate.region, &rate.instance_type).to_vec() {
                let it = &self.meters[meter as usize];
                if it.platform == rate.platform && it.tenancy == rate.tenancy {
                    let order = plan_order(rate.usd_per_hour, self.prices[meter as usize]);
                    self.push(step, owner, held, meter, order, rate.usd_per_hour);
                }
            }
        }
    }

    fn push(
        &mut self,
        step: Step,
        owner: &str,
        held: u32,
        meter: u32,
        order: [u64; 2],
        takes: f64,
    ) {
        let user = &self.meters[meter as usize].scope.account;
        let Some(served) = self.holdings.beneficiary(owner, user) else { return };
        let room = meter as usize >= self.rooms_from;
        let round = step as u8 + served as u8 + Beneficiary::ALL.len() as u8 * u8::from(room);
        let key = key(round, order, self.rank[meter as usize], held);
        self.out.push((key, Pair { meter, held, takes }));
    }
}

/// Highest saving first, then lowest rate. What has no price comes last: its saving is not known.
fn plan_order(rate: f64, price: Option<f64>) -> [u64; 2] {
    // Rates have 6 to 10 digits: 1e-9 of a ratio tells two savings apart, and rounding does not.
    let part = price.filter(|p| *p > 0.0).map_or(u64::MAX, |p| (rate / p * 1e9).round() as u64);
    [part, (rate * 1e8).round() as u64]
}

/// Prepares the commitments for which `keep` holds and appends the meters of unused room to `meters`. Returns the
/// commitments that pay for usage, the rooms of capacity reservations, the pairs in order of application, and the
/// on-demand price of each meter.
pub(super) fn prepare(
    meters: &mut Vec<Meter>,
    holdings: &Holdings,
    prices: &PriceBook,
    keep: impl Fn(&Commitment) -> bool,
) -> (Vec<Held>, Vec<Room>, Vec<Pair>, Vec<Option<f64>>) {
    let rooms_from = meters.len();
    let mut places: Vec<usize> =
        (0..holdings.items.len()).filter(|place| keep(&holdings.items[*place])).collect();
    places.sort_by_cached_key(|place| {
        let item = &holdings.items[*place];
        (item.start, item.account.clone(), item.id.clone())
    });
    let mut inside: FastMap<&str, Vec<usize>> = FastMap::default();
    for (place, meter) in meters.iter().enumerate() {
        if let Some(id) = &meter.reservation {
            inside.entry(id).or_default().push(place);
        }
    }
    let mut rooms = Vec::new();
    let mut held = Vec::new();
    let mut behind = Vec::new();
    for place in places {
        let item = &holdings.items[place];
        held.push(Held::new(place, item));
        let Commits::Capacity(capacity) = &item.commits else { continue };
        if capacity.reserves == ReservesCapacity::OnDemand {
            rooms.push(Room {
                held: held.len() - 1,
                meter: rooms_from + behind.len(),
                total: f64::from(capacity.total),
                elsewhere: 0.0,
                inside: inside.get(&*item.id).cloned().unwrap_or_default(),
            });
            behind.push(Meter {
                scope: crate::domain::Scope::new(item.account.clone(), capacity.region.clone()),
                az: capacity.az.clone(),
                instance_type: capacity.instance_type.clone(),
                platform: capacity.platform,
                tenancy: capacity.tenancy,
                reservation: Some(item.id.clone()),
            });
        }
    }
    drop(inside);
    meters.append(&mut behind);
    let list: Vec<Option<f64>> =
        meters.iter().map(|m| m.on_demand_price(prices).filter(|p| p.is_finite())).collect();
    let mut pairs = Pairs::new(meters, rooms_from, list.clone(), holdings);
    for (place, held) in held.iter().enumerate() {
        pairs.add(place as u32, &holdings.items[held.item]);
    }
    let pairs = pairs.finish();
    (held, rooms, pairs, list)
}
