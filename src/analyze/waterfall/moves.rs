//! Moving instances from one meter to another, only as far as the whole bill falls.
//!
//! Instances of a meter that go the same way are one quantity, so a fleet of ten thousand is some
//! hundred groups. What no commitment pays for is moved at once: a meter that has on-demand hours
//! left has taken all that commitments had for it, so the next hour less saves its list price. For
//! the rest, and inside of capacity reservations, the bill is made with and without.

use std::collections::HashMap;

use super::bill::Bill;

/// Target of a group that moves.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Goes {
    /// To another meter.
    Meter(usize),
    /// To a price that no commitment pays, USD/h.
    Flat(f64),
}

/// Instances that leave the same meter for the same place.
#[derive(Debug)]
pub(super) struct Group {
    from: usize,
    to: Goes,
    /// Indices of the items, in the order of preference.
    pub items: Vec<usize>,
    /// So many of them go.
    pub taken: usize,
}

impl Group {
    /// The price to which it goes, USD/h; `None` where that is a meter.
    pub fn flat(&self) -> Option<f64> {
        match self.to {
            Goes::Flat(usd) => Some(usd),
            Goes::Meter(_) => None,
        }
    }

    fn open(&self) -> usize {
        self.items.len() - self.taken
    }
}

/// Collects items into groups.
#[derive(Debug, Default)]
pub(super) struct Groups {
    by_key: HashMap<(usize, Option<usize>, u64), usize>,
    pub all: Vec<Group>,
}

impl Groups {
    /// Adds an item.
    pub fn add(&mut self, item: usize, from: usize, to: Goes) {
        let key = match to {
            Goes::Meter(meter) => (from, Some(meter), 0),
            Goes::Flat(usd) => (from, None, usd.to_bits()),
        };
        let all = &mut self.all;
        let at = *self.by_key.entry(key).or_insert_with(|| {
            all.push(Group { from, to, items: Vec::new(), taken: 0 });
            all.len() - 1
        });
        self.all[at].items.push(item);
    }
}

/// How often the cheap pass is tried, and the dear one: commitments that one group leaves may make
/// another worth it, or no more.
const PASSES: usize = 4;

/// Moves what lowers the bill. Says with each group how many of it went.
pub(super) fn take(bill: &mut Bill<'_>, groups: &mut Groups) {
    let gain: Vec<f64> = groups.all.iter().map(|g| list_gain(bill, g)).collect();
    let mut order: Vec<usize> = (0..gain.len()).filter(|i| gain[*i] > least(bill)).collect();
    sort(bill, groups, &mut order, &gain);
    for _ in 0..PASSES {
        if !take_uncovered(bill, groups, &order, &gain) {
            break;
        }
    }
    for _ in 0..PASSES {
        order.retain(|i| groups.all[*i].open() > 0);
        let mut falls = vec![0.0; gain.len()];
        for i in &order {
            let (mut units, mut flat) = (bill.units.clone(), bill.flat);
            shift(&groups.all[*i], 1, &mut units, &mut flat);
            falls[*i] = bill.compute() - bill.compute_of(&units, flat);
        }
        sort(bill, groups, &mut order, &falls);
        let mut changed = false;
        for i in &order {
            changed |= take_covered(bill, &mut groups.all[*i]);
        }
        if !changed {
            break;
        }
    }
}

/// Most dollars first; equals by what they are, so that the order of rows does not matter.
fn sort(bill: &Bill<'_>, groups: &Groups, order: &mut [usize], usd: &[f64]) {
    let meters = bill.applier.meters();
    let key = |meter: usize| {
        let m = &meters[meter];
        (&m.scope, &m.instance_type, &m.az, &m.reservation, m.platform as u8, m.tenancy as u8)
    };
    order.sort_by(|a, b| {
        let (left, right) = (&groups.all[*a], &groups.all[*b]);
        // A difference below the rounding of sums is none.
        let cents = |usd: f64| (usd * 1e6).round();
        cents(usd[*b])
            .total_cmp(&cents(usd[*a]))
            .then_with(|| key(left.from).cmp(&key(right.from)))
            .then_with(|| match (left.to, right.to) {
                (Goes::Meter(x), Goes::Meter(y)) => key(x).cmp(&key(y)),
                (Goes::Flat(x), Goes::Flat(y)) => x.total_cmp(&y),
                (Goes::Meter(_), Goes::Flat(_)) => std::cmp::Ordering::Less,
                (Goes::Flat(_), Goes::Meter(_)) => std::cmp::Ordering::Greater,
            })
    });
}

/// Least fall of the bill that counts, USD/h: above the rounding of its sums.
fn least(bill: &Bill<'_>) -> f64 {
    1e-12 * bill.compute().abs().max(1.0)
}

fn list_gain(bill: &Bill<'_>, group: &Group) -> f64 {
    let to = match group.to {
        Goes::Meter(meter) => bill.price[meter],
        Goes::Flat(usd) => Some(usd),
    };
    bill.price[group.from].zip(to).map_or(0.0, |(from, to)| from - to)
}

/// Moves what is on demand, of all groups at once. True when something went.
fn take_uncovered(bill: &mut Bill<'_>, groups: &mut Groups, order: &[usize], gain: &[f64]) -> bool {
    let mut open = bill.applied.on_demand_units.clone();
    let mut units = bill.units.clone();
    let mut flat = bill.flat;
    let mut going = Vec::new();
    let mut promised = 0.0;
    for i in order {
        let group = &groups.all[*i];
        if bill.is_reserved(group.from) {
            continue;
        }
        let count = group.open().min((open[group.from] + 1e-9).floor() as usize);
        if count > 0 {
            open[group.from] -= count as f64;
            shift(group, count, &mut units, &mut flat);
            promised += gain[*i] * count as f64;
            going.push((*i, count));
        }
    }
    if going.is_empty() {
        return false;
    }
    // What comes may find a commitment that is not used, so it may save more, never less.
    if bill.compute_of(&units, flat) > bill.compute() - promised + 1e-9 * promised.max(1.0) {
        return false;
    }
    for (i, count) in going {
        groups.all[i].taken += count;
    }
    bill.set_units(units, flat);
    true
}

/// Moves of one group as many as lower the bill, commitments applied anew for each try. What each
/// further one saves does not grow, so the number is found by bisection.
fn take_covered(bill: &mut Bill<'_>, group: &mut Group) -> bool {
    let open = group.open();
    if open == 0 {
        return false;
    }
    let cost = |count: usize| {
        let (mut units, mut flat) = (bill.units.clone(), bill.flat);
        shift(group, count, &mut units, &mut flat);
        bill.compute_of(&units, flat)
    };
    let least = least(bill);
    let falls = |count: usize| cost(count) < cost(count - 1) - least;
    if !falls(1) {
        return false;
    }
    // The move of number `low` lowers the bill, that of number `high` does not.
    let (mut low, mut high) = (1, open + 1);
    while high - low > 1 {
        let middle = usize::midpoint(low, high);
        if falls(middle) { low = middle } else { high = middle }
    }
    if cost(low) >= bill.compute() - least {
        return false;
    }
    let (mut units, mut flat) = (bill.units.clone(), bill.flat);
    shift(group, low, &mut units, &mut flat);
    group.taken += low;
    bill.set_units(units, flat);
    true
}

fn shift(group: &Group, count: usize, units: &mut [f64], flat: &mut f64) {
    let count = count as f64;
    units[group.from] = (units[group.from] - count).max(0.0);
    match group.to {
        Goes::Meter(meter) => units[meter] += count,
        Goes::Flat(usd) => *flat += usd * count,
    }
}
