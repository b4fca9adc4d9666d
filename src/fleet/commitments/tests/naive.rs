//! The same rules once more, without meters, pairs or preparation: a list of instances, each looked at
//! for itself, and in every step the best of all combinations that are left, found by comparing all.

use std::cmp::Ordering;

use jiff::Timestamp;

use crate::domain::{Commits, Holdings, Instance, PlanType, ReservesCapacity, Scope};
use crate::fleet::PriceBook;
use crate::fleet::commitments::{family, is_size_flexible, size_factor};

/// One instance, or one room that is kept for one.
#[derive(Clone)]
struct Box1 {
    scope: Scope,
    az: String,
    of: String,
    platform: crate::domain::Platform,
    tenancy: crate::domain::Tenancy,
    reserved: bool,
    room: bool,
    price: Option<f64>,
    /// The part of it that nothing pays for.
    open: f64,
}

/// What the hour costs: commitments, on demand.
pub fn bill(
    instances: &[&Instance],
    holdings: &Holdings,
    prices: &PriceBook,
    at: Timestamp,
) -> (f64, f64) {
    let turn = |owner: &str, user: &str| match owner == user {
        true => Some(0),
        false => holdings.sharing.then_some(2),
    };
    bill_by(instances, holdings, prices, at, turn)
}

/// The same where `turn` says when usage of an account (the second) is served by commitments of another (the
/// first): 0 for its own, then 1, then 2; `None` for never.
pub fn bill_by(
    instances: &[&Instance],
    holdings: &Holdings,
    prices: &PriceBook,
    at: Timestamp,
    turn: impl Fn(&str, &str) -> Option<u8>,
) -> (f64, f64) {
    const TURNS: [(bool, u8); 6] =
        [(false, 0), (false, 1), (false, 2), (true, 0), (true, 1), (true, 2)];
    let mut boxes: Vec<Box1> = instances
        .iter()
        .map(|i| Box1 {
            scope: i.scope.clone(),
            az: i.az.to_string(),
            of: i.instance_type.to_string(),
            platform: i.platform,
            tenancy: i.tenancy,
            reserved: i.capacity_reservation.is_some(),
            room: false,
            price: prices.rate_of(i).map(|r| r.usd_per_hour),
            open: 1.0,
        })
        .collect();
    let mut items: Vec<_> = holdings.items.iter().filter(|i| i.is_in_force(at)).collect();
    items.sort_by_key(|item| (item.start, item.account.clone(), item.id.clone()));
    let mut committed = 0.0;
    for item in &items {
        let Commits::Capacity(it) = &item.commits else { continue };
        if let ReservesCapacity::Block { .. } = it.reserves {
            continue;
        }
        let inside =
            instances.iter().filter(|i| i.capacity_reservation.as_ref() == Some(&item.id)).count();
        let used = inside.max((it.total - it.available) as usize);
        for _ in used..it.total as usize {
            boxes.push(Box1 {
                scope: Scope::new(item.account.clone(), it.region.clone()),
                az: it.az.to_string(),
                of: it.instance_type.to_string(),
                platform: it.platform,
                tenancy: it.tenancy,
                reserved: true,
                room: true,
                price: prices
                    .list_price(&it.region, &it.instance_type, it.platform, it.tenancy)
                    .map(|r| r.usd_per_hour),
                open: 1.0,
            });
        }
    }
    // AWS does not say which of equals comes first: as the applier has it, by what they are.
    boxes.sort_by(|a, b| {
        let key = |b: &Box1| (b.scope.clone(), b.of.clone(), b.az.clone(), b.platform as u8);
        key(a).cmp(&key(b)).then(a.reserved.cmp(&b.reserved))
    });
    // Reserved Instances, zonal then regional, in quarters of normalised units where they flex.
    for is_zonal in [true, false] {
        let mut left: Vec<f64> = items
            .iter()
            .map(|item| match &item.commits {
                Commits::Reserved(it) if it.az.is_some() == is_zonal => f64::from(it.count),
                _ => 0.0,
            })
            .collect();
        for (rooms, now) in TURNS {
            while let Some((place, at, takes)) = next_reserved(&items, &boxes, &left, |item, b| {
                b.room == rooms && turn(item, &b.scope.account) == Some(now)
            }) {
                pay(&mut boxes[at], &mut left[place], takes);
            }
        }
    }
    for kind in [PlanType::Ec2Instance, PlanType::Compute] {
        let mut left: Vec<f64> = items
            .iter()
            .map(|item| match &item.commits {
                Commits::Plan(plan) if plan.plan_type == kind => plan.usd_per_hour,
                _ => 0.0,
            })
            .collect();
        for (rooms, now) in TURNS {
            while let Some((place, at, rate)) = next_plan(&items, &boxes, &left, |item, b| {
                b.room == rooms && turn(item, &b.scope.account) == Some(now)
            }) {
                pay(&mut boxes[at], &mut left[place], rate);
            }
        }
    }
    for item in &items {
        committed += match &item.commits {
            Commits::Reserved(it) => f64::from(it.count) * it.usd_per_hour.unwrap(),
            Commits::Plan(plan) => plan.usd_per_hour,
            Commits::Capacity(_) => 0.0,
        };
    }
    (committed, boxes.iter().map(|b| b.open * b.price.unwrap_or(0.0)).sum())
}

fn pay(b: &mut Box1, left: &mut f64, takes: f64) {
    let units = if takes > 0.0 { b.open.min(*left / takes) } else { b.open };
    b.open -= units;
    *left -= units * takes;
    for value in [&mut b.open, left] {
        if *value < 1e-11 {
            *value = 0.0;
        }
    }
}

type Items<'a> = [&'a std::sync::Arc<crate::domain::Commitment>];

fn next_reserved(
    items: &Items<'_>,
    boxes: &[Box1],
    left: &[f64],
    may: impl Fn(&str, &Box1) -> bool,
) -> Option<(usize, usize, f64)> {
    let mut best: Option<(f64, usize, usize, f64)> = None;
    for (place, item) in items.iter().enumerate() {
        let Commits::Reserved(it) = &item.commits else { continue };
        for (at, b) in boxes.iter().enumerate() {
            if left[place] <= 0.0 || b.open <= 0.0 || !may(&item.account, b) {
                continue;
            }
            if *b.scope.region != *it.region || (b.platform, b.tenancy) != (it.platform, it.tenancy)
            {
                continue;
            }
            let (size, takes) = match &it.az {
                Some(az) if **az == *b.az && !b.reserved && b.of == *it.instance_type => (0.0, 1.0),
                Some(_) => continue,
                None if is_size_flexible(&it.instance_type, it.platform, it.tenancy)
                    && family(&b.of) == family(&it.instance_type) =>
                {
                    let size = size_factor(&b.of).unwrap();
                    (size, size / size_factor(&it.instance_type).unwrap())
                }
                None if b.of == *it.instance_type => (0.0, 1.0),
                None => continue,
            };
            // Of one family, the smallest; families do not meet.
            let same = |other: usize| family(&boxes[other].of) == family(&b.of);
            if best.is_none_or(|(least, _, other, _)| same(other) && size < least) {
                best = Some((size, place, at, takes));
            }
        }
    }
    best.map(|(_, place, at, takes)| (place, at, takes))
}

fn next_plan(
    items: &Items<'_>,
    boxes: &[Box1],
    left: &[f64],
    may: impl Fn(&str, &Box1) -> bool,
) -> Option<(usize, usize, f64)> {
    let mut best: Option<(f64, f64, usize, usize)> = None;
    for (place, item) in items.iter().enumerate() {
        let Commits::Plan(plan) = &item.commits else { continue };
        for (at, b) in boxes.iter().enumerate() {
            if left[place] <= 0.0 || b.open <= 0.0 || !may(&item.account, b) {
                continue;
            }
            let narrow = plan.plan_type == PlanType::Ec2Instance
                && (plan.region.as_deref() != Some(&*b.scope.region)
                    || plan.family.as_deref() != Some(family(&b.of)));
            let rate = plan.rates.iter().find(|r| {
                *r.region == *b.scope.region
                    && *r.instance_type == *b.of
                    && (r.platform, r.tenancy) == (b.platform, b.tenancy)
            });
            let (Some(rate), Some(price), false) = (rate, b.price, narrow) else { continue };
            let saving = 1.0 - rate.usd_per_hour / price;
            let better = best.is_none_or(|(most, lowest, ..)| match saving.total_cmp(&most) {
                _ if (saving - most).abs() < 1e-9 => rate.usd_per_hour < lowest - 1e-12,
                order => order == Ordering::Greater,
            });
            if better {
                best = Some((saving, rate.usd_per_hour, place, at));
            }
        }
    }
    best.map(|(_, rate, place, at)| (place, at, rate))
}
