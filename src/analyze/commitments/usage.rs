//! What ran, hour by hour, as far as it is known.
//!
//! Of what runs now everything is known from its launch on: zone, platform, tenancy, lifecycle,
//! reservation. What was counted beyond it ([`FleetHour`], by account, region and type) is gone; of it
//! only the number is known. It is taken as follows, in this order:
//!
//! 1. as much as fits ran in Capacity Blocks in force of its account, region and type;
//! 2. of the rest the part of Spot is that of what runs now of its account, region and type (none
//!    where nothing of it runs): Spot is covered by nothing;
//! 3. as much as fits ran in open capacity reservations of its account;
//! 4. the rest is Linux on shared hardware in a zone that is not known.

use std::collections::BTreeMap;
use std::sync::Arc;

use jiff::Timestamp;

use crate::domain::{
    Commitment, Commits, FastMap, FleetHour, Holdings, Hour, HourRange, Instance, Lifecycle,
    Platform, ReservesCapacity, Scope, Tenancy,
};
use crate::fleet::commitments::{Meter, was_in_force};

/// Usage by meter, now and in the hours that are known.
#[derive(Debug, Default)]
pub(super) struct Usage {
    pub meters: Vec<Meter>,
    /// Instances of each meter now.
    pub now: Vec<f64>,
    /// Hours that are known, oldest first.
    pub hours: Vec<Hour>,
    /// Instance-hours by meter, and by hour within it.
    pub units: Vec<Vec<f64>>,
    /// Instance-hours in each Capacity Block in each of the hours, by place in [`Holdings::items`].
    pub in_blocks: FastMap<usize, Vec<f64>>,
}

/// The hours of which every account and region has a count; where there is none, all that have any.
fn known_hours(facts: &[FleetHour]) -> Vec<Hour> {
    let mut scopes: Vec<&Scope> = facts.iter().map(|f| &f.scope).collect();
    scopes.sort_unstable();
    scopes.dedup();
    let mut looked: BTreeMap<Hour, Vec<&Scope>> = BTreeMap::new();
    for fact in facts {
        let here = looked.entry(fact.hour).or_default();
        if !here.contains(&&fact.scope) {
            here.push(&fact.scope);
        }
    }
    let whole: Vec<Hour> = looked
        .iter()
        .filter(|(_, here)| here.len() == scopes.len())
        .map(|(hour, _)| *hour)
        .collect();
    if whole.is_empty() { looked.into_keys().collect() } else { whole }
}

/// One account, region and type in the hours.
struct Kind {
    /// Instances that run now and ran in the hour, for a part of it or all.
    ran: Vec<f64>,
    /// Instances that run now.
    running: f64,
    spot: f64,
}

impl Usage {
    pub(super) fn new(
        instances: &[&Instance],
        facts: &[FleetHour],
        holdings: &Holdings,
        now: Timestamp,
    ) -> Self {
        let hours = known_hours(facts);
        let mut made = Maker {
            place: FastMap::default(),
            inside: FastMap::default(),
            usage: Self { hours, ..Self::default() },
            kinds: FastMap::default(),
            blocks: FastMap::default(),
        };
        for (place, item) in holdings.items.iter().enumerate() {
            if is_block(item) {
                made.blocks.insert(item.id.clone(), place);
                made.usage.in_blocks.insert(place, vec![0.0; made.usage.hours.len()]);
            }
        }
        for instance in instances.iter().filter(|i| i.state.is_billed()) {
            made.runs(instance);
        }
        made.gone(facts, holdings, now);
        made.usage
    }

    /// The range that holds the hours and the present one.
    pub(super) fn range(&self, now: Timestamp) -> HourRange {
        let to = Hour::containing(now).plus(1);
        HourRange { from: self.hours.first().copied().unwrap_or(to.plus(-1)).min(to.plus(-1)), to }
    }
}

pub(super) fn is_block(item: &Commitment) -> bool {
    let Commits::Capacity(capacity) = &item.commits else { return false };
    matches!(capacity.reserves, ReservesCapacity::Block { .. })
}

struct Maker {
    place: FastMap<Meter, usize>,
    /// Meters by the capacity reservation that they run in.
    inside: FastMap<Arc<str>, Vec<usize>>,
    usage: Usage,
    kinds: FastMap<Scope, FastMap<Arc<str>, Kind>>,
    /// Capacity Blocks by id.
    blocks: FastMap<Arc<str>, usize>,
}

impl Maker {
    fn place_of(&mut self, meter: Meter) -> usize {
        let hours = self.usage.hours.len();
        let usage = &mut self.usage;
        let inside = &mut self.inside;
        *self.place.entry(meter).or_insert_with_key(|meter| {
            if let Some(id) = &meter.reservation {
                inside.entry(id.clone()).or_default().push(usage.meters.len());
            }
            usage.meters.push(meter.clone());
            usage.now.push(0.0);
            usage.units.push(vec![0.0; hours]);
            usage.meters.len() - 1
        })
    }

    /// An instance that runs now ran since its launch.
    fn runs(&mut self, instance: &Instance) {
        let hours = self.usage.hours.len();
        let since = self.usage.hours.partition_point(|h| h.end() <= instance.launched_at);
        // The part of the first hour; 1 of every later one.
        let first = self.usage.hours.get(since).map_or(1.0, |hour| {
            let ran = hour.end().duration_since(instance.launched_at.max(hour.start()));
            (ran.as_secs_f64() / 3600.0).clamp(0.0, 1.0)
        });
        let new = || Kind { ran: vec![0.0; hours], running: 0.0, spot: 0.0 };
        let here = self.kinds.entry(instance.scope.clone()).or_default();
        let kind = here.entry(instance.instance_type.clone()).or_insert_with(new);
        kind.running += 1.0;
        kind.spot += f64::from(u8::from(instance.lifecycle == Lifecycle::Spot));
        kind.ran[since..].iter_mut().for_each(|ran| *ran += 1.0);
        let units = if let Some(meter) = Meter::of(instance) {
            let place = self.place_of(meter);
            self.usage.now[place] += 1.0;
            Some(&mut self.usage.units[place])
        } else {
            let id = instance.capacity_reservation.as_ref().and_then(|id| self.blocks.get(id));
            id.and_then(|block| self.usage.in_blocks.get_mut(block))
        };
        for (hour, units) in units.into_iter().flatten().enumerate().skip(since) {
            *units += if hour == since { first } else { 1.0 };
        }
    }

    /// Adds instances that were counted in past hours and run no more.
    fn gone(&mut self, facts: &[FleetHour], holdings: &Holdings, now: Timestamp) {
        let rooms = Rooms::new(holdings, &self.usage);
        for fact in facts {
            let Ok(hour) = self.usage.hours.binary_search(&fact.hour) else { continue };
            for (instance_type, seen) in fact.seen.iter() {
                let here = self.kinds.get(&fact.scope);
                let kind = here.and_then(|here| here.get(instance_type));
                let ran = kind.map_or(0.0, |kind| kind.ran[hour]);
                let mut gone = seen as f64 / f64::from(fact.looks.max(1)) - ran;
                if gone <= 0.0 {
                    continue;
                }
                let spot = kind.map_or(0.0, |kind| kind.spot / kind.running);
                let at = fact.hour.start();
                let rooms = rooms.of(&fact.scope, instance_type);
                for room in rooms.iter().filter(|r| was_in_force(&holdings.items[r.item], at, now))
                {
                    if room.block {
                        let Some(used) = self.usage.in_blocks.get_mut(&room.item) else { continue };
                        let fits = (room.total - used[hour]).clamp(0.0, gone);
                        used[hour] += fits;
                        gone -= fits;
                    }
                }
                gone *= 1.0 - spot;
                for room in rooms.iter().filter(|r| was_in_force(&holdings.items[r.item], at, now))
                {
                    let Some(meter) = room.meter.clone().filter(|_| room.open && gone > 0.0) else {
                        continue;
                    };
                    let place = self.place_of(meter);
                    let inside = self.inside.get(&room.id).into_iter().flatten();
                    let inside: f64 = inside.map(|meter| self.usage.units[*meter][hour]).sum();
                    let fits = (room.total - room.elsewhere - inside).clamp(0.0, gone);
                    self.usage.units[place][hour] += fits;
                    gone -= fits;
                }
                if gone > 0.0 {
                    let place = self.place_of(Meter {
                        scope: fact.scope.clone(),
                        az: "".into(),
                        instance_type: instance_type.clone(),
                        platform: Platform::Linux,
                        tenancy: Tenancy::Shared,
                        reservation: None,
                    });
                    self.usage.units[place][hour] += gone;
                }
            }
        }
    }
}

/// Capacity that instances which are gone may have run in.
struct Room {
    item: usize,
    id: Arc<str>,
    total: f64,
    block: bool,
    /// Whatever fits runs in it, without naming it.
    open: bool,
    elsewhere: f64,
    meter: Option<Meter>,
}

struct Rooms(FastMap<Scope, FastMap<Arc<str>, Vec<Room>>>);

impl Rooms {
    fn new(holdings: &Holdings, usage: &Usage) -> Self {
        let mut rooms: FastMap<Scope, FastMap<Arc<str>, Vec<Room>>> = FastMap::default();
        for (item, it) in holdings.items.iter().enumerate() {
            let Commits::Capacity(capacity) = &it.commits else { continue };
            let scope = Scope::new(it.account.clone(), capacity.region.clone());
            let here: f64 = (usage.meters.iter())
                .zip(&usage.now)
                .filter(|(meter, _)| meter.reservation.as_ref() == Some(&it.id))
                .map(|(_, now)| now)
                .sum();
            let used = f64::from(capacity.total.saturating_sub(capacity.available));
            let block = is_block(it);
            let plain = capacity.platform == Platform::Linux && capacity.tenancy == Tenancy::Shared;
            let of_scope = rooms.entry(scope.clone()).or_default();
            of_scope.entry(capacity.instance_type.clone()).or_default().push(Room {
                item,
                id: it.id.clone(),
                total: f64::from(capacity.total),
                block,
                open: !capacity.targeted && !block && plain,
                elsewhere: (used - here).max(0.0),
                meter: (!block).then(|| Meter {
                    scope,
                    az: capacity.az.clone(),
                    instance_type: capacity.instance_type.clone(),
                    platform: capacity.platform,
                    tenancy: capacity.tenancy,
                    reservation: Some(it.id.clone()),
                }),
            });
        }
        Self(rooms)
    }

    fn of(&self, scope: &Scope, instance_type: &Arc<str>) -> &[Room] {
        self.0.get(scope).and_then(|here| here.get(instance_type)).map_or(&[], |rooms| &**rooms)
    }
}
