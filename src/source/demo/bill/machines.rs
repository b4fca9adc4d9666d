//! What bills by the instance-hour, and the hours in which it ran.

use std::ops::Range;
use std::sync::Arc;

use super::ledger::exact;
use super::{DAY, Estate};
use crate::domain::bill::Usd;
use crate::domain::{Commits, Hour, Instance, Lifecycle, ReservesCapacity, ResourceKind, Tags};
use crate::source::demo::hash::hash;
use crate::source::demo::profile::Profile;
use crate::source::demo::{commitments, history, inventory, prices, resources};

/// Hours of a week.
const WEEK: i32 = 7 * DAY;

/// Price of a Capacity Block that was paid before these months, percent of the list price. Invented: no API tells it.
const BLOCK_PERCENT: u64 = 80;

/// How a machine is paid for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Paid {
    /// By the hour; commitments may cover it.
    OnDemand,
    /// At the Spot price of each hour.
    Spot,
    /// In a Capacity Block with this id, USD per hour of its price.
    Block(Arc<str>, Usd),
    /// Room of a capacity reservation that nothing uses: like [`Self::OnDemand`].
    Room,
}

/// Something that bills by the instance-hour.
#[derive(Clone, Debug)]
pub(super) struct Machine {
    /// Account id.
    pub account: &'static str,
    /// Region code.
    pub region: &'static str,
    /// Availability zone; empty for SageMaker.
    pub zone: Arc<str>,
    /// Instance type, of SageMaker with `ml.`.
    pub instance_type: Arc<str>,
    /// What stands before the type in the usage type: `BoxUsage`, `Host`.
    pub usage: &'static str,
    /// Id or ARN.
    pub id: Arc<str>,
    /// Its tags.
    pub tags: Tags,
    /// List price of an hour.
    pub list: Usd,
    /// How it is paid for.
    pub paid: Paid,
    /// Hours in which it ran, ascending.
    pub runs: Vec<Range<i32>>,
}

impl Machine {
    /// True for an instance of SageMaker.
    pub fn is_sagemaker(&self) -> bool {
        self.instance_type.starts_with("ml.")
    }

    /// True where commitments may cover it.
    pub fn may_be_covered(&self) -> bool {
        matches!(self.paid, Paid::OnDemand | Paid::Room)
    }

    /// True when it ran in an hour.
    pub fn ran(&self, hour: i32) -> bool {
        self.runs.iter().any(|run| run.contains(&hour))
    }

    /// Number of hours within `hours` in which it ran.
    pub fn hours(&self, hours: &Range<i32>) -> u64 {
        let common = |run: &Range<i32>| run.end.min(hours.end) - run.start.max(hours.start);
        self.runs.iter().map(|run| common(run).max(0) as u64).sum()
    }
}

/// One instance of a box: a box that is renewed has several, one after the other.
pub(super) struct Term {
    /// Instance as the fleet has it.
    pub instance: Instance,
    /// Hours in which it ran, within the window.
    pub runs: Vec<Range<i32>>,
    /// Hours for which its volumes existed.
    pub exists: Range<i32>,
}

/// Instances of a box within the window, oldest first. An instance that follows another of its box is launched before
/// that one goes.
pub(super) fn terms(estate: &Estate, profile: &Profile) -> Vec<Term> {
    let (life, window) = (profile.life, &estate.window);
    let now = Hour::containing(estate.now);
    let clip = |run: Range<i32>| run.start.max(window.start)..run.end.min(window.end);
    let instance = |at| inventory::instance(estate.fleet, profile, at);
    let first = life.launches(Hour(window.start)) - 1;
    let launches = first..=life.launches(now);
    if !life.renewed {
        let run = |launch: i32| {
            let from = life.launch_hour(launch).0;
            clip(from..from + life.period - life.gap)
        };
        // An old box is seen when its launch is weeks ago: more launches begin within the window.
        let more = 1 + (life.min_age / life.period.max(1)).max(0);
        let launches = *launches.start()..=*launches.end() + more;
        let runs = launches.map(run).filter(|run| !run.is_empty() && !profile.stopped).collect();
        return vec![Term { instance: instance(estate.now), runs, exists: window.clone() }];
    }
    // The first one that can still run when the window begins.
    let earlier = life.min_age / life.period.max(1);
    (first - earlier..=*launches.end())
        .filter_map(|generation| {
            let from = life.launch_hour(generation).0;
            let run = clip(from..from + life.min_age + life.period);
            let seen = Hour(from + life.min_age).start();
            (!run.is_empty()).then(|| Term {
                instance: instance(seen),
                runs: if profile.stopped { vec![] } else { vec![run.clone()] },
                exists: run,
            })
        })
        .collect()
}

/// All machines: instances, runs that are over, unused room, SageMaker.
pub(super) fn all(estate: &Estate) -> Vec<Machine> {
    let mut out = Vec::new();
    for profile in boxes(estate) {
        let list = prices::list_price(profile.region.code, &profile.spec.name);
        // What has no price has none in the fleet either.
        let Some(list) = list.map(exact) else { continue };
        for term in terms(estate, &profile).into_iter().filter(|t| !t.runs.is_empty()) {
            out.push(instance(&profile, list, &term.instance, term.runs));
        }
        out.extend(over(estate, &profile, list));
    }
    rooms(estate, &mut out);
    sagemaker(estate, &mut out);
    out
}

/// All boxes of the fleet.
pub(super) fn boxes(estate: &Estate) -> impl Iterator<Item = Profile> {
    let fleet = estate.fleet;
    (0..fleet.size()).filter_map(move |index| fleet.profile(index))
}

fn instance(profile: &Profile, list: Usd, of: &Instance, runs: Vec<Range<i32>>) -> Machine {
    let (usage, paid) = match (profile.lifecycle, &of.capacity_reservation) {
        (Lifecycle::Spot, _) => ("SpotUsage", Paid::Spot),
        (Lifecycle::CapacityBlock, Some(id)) => {
            ("BoxUsage", Paid::Block(id.clone(), list.prorated(BLOCK_PERCENT, 100)))
        }
        _ => ("BoxUsage", Paid::OnDemand),
    };
    Machine {
        account: profile.account.id,
        region: profile.region.code,
        zone: of.az.clone(),
        instance_type: profile.spec.name.clone(),
        usage,
        id: of.id.clone(),
        tags: of.tags.clone(),
        list,
        paid,
        runs,
    }
}

/// Runs of the type of a box that are over, as the past of the demo has them.
fn over(estate: &Estate, profile: &Profile, list: Usd) -> Vec<Machine> {
    let window = &estate.window;
    let weeks = window.start.div_euclid(WEEK) - 2..=window.end.div_euclid(WEEK);
    let mut of = None;
    weeks
        .filter_map(|week| {
            let run = history::sibling(profile, week)?;
            let is_over = run.end < Hour::containing(estate.now).0;
            let run = run.start.max(window.start)..run.end.min(window.end);
            if !is_over || run.is_empty() {
                return None;
            }
            let like =
                of.get_or_insert_with(|| inventory::instance(estate.fleet, profile, estate.now));
            let id = hash(profile.hash, 0xb111, week as u64);
            let id = format!("i-0{id:016x}").into();
            let like = Instance { id, capacity_reservation: None, ..like.clone() };
            Some(instance(profile, list, &like, vec![run]))
        })
        .collect()
}

/// Room of on-demand capacity reservations that nothing uses.
fn rooms(estate: &Estate, out: &mut Vec<Machine>) {
    for (provider, region) in estate.scopes() {
        let here = provider.here(region.code, estate.now).into_iter();
        let here: Vec<_> = here.map(|(p, i)| (p, i.state.is_billed())).collect();
        let account = provider.account;
        let all = commitments::capacity(estate.fleet, account, region.code, &here, estate.now);
        for item in all {
            let Commits::Capacity(room) = &item.commits else { continue };
            let list = prices::list_price(region.code, &room.instance_type).map(exact);
            let (ReservesCapacity::OnDemand, Some(list)) = (room.reserves, list) else { continue };
            let end = item.end.map_or(i32::MAX, |end| Hour::containing(end).0);
            let run =
                Hour::containing(item.start).0.max(estate.window.start)..end.min(estate.window.end);
            for _ in 0..room.available {
                out.push(Machine {
                    account: account.id,
                    region: region.code,
                    zone: room.az.clone(),
                    instance_type: room.instance_type.clone(),
                    usage: "UnusedBox",
                    id: item.id.clone(),
                    tags: Tags::default(),
                    list,
                    paid: Paid::Room,
                    runs: vec![run.clone()],
                });
            }
        }
    }
}

/// Endpoints, notebooks and apps of SageMaker that bill by the hour.
fn sagemaker(estate: &Estate, out: &mut Vec<Machine>) {
    use ResourceKind::{Endpoint, Notebook, StudioApp};
    for (provider, region) in estate.scopes() {
        for (kind, usage) in [(Endpoint, "Host"), (Notebook, "Notebk"), (StudioApp, "Studio")] {
            let prices = resources::price_list(region.code, &[kind]);
            let account = provider.account;
            let all = resources::of_kind(account.id, region.code, kind, &[], estate.now);
            for it in all.into_iter().filter(|it| it.is_billed) {
                let made = it.created_at.map_or(i32::MIN, |at| Hour::at_or_after(at).0);
                let run = made.max(estate.window.start)..estate.window.end;
                for unit in it.units.iter().filter(|_| !run.is_empty()) {
                    let Some(price) = prices.iter().find(|p| p.what == unit.what) else { continue };
                    for _ in 0..unit.count as u32 {
                        out.push(Machine {
                            account: account.id,
                            region: region.code,
                            zone: Arc::default(),
                            instance_type: unit.what.clone(),
                            usage,
                            id: it.id.clone(),
                            tags: it.tags.clone(),
                            list: exact(price.usd_per_hour),
                            paid: Paid::OnDemand,
                            runs: vec![run.clone()],
                        });
                    }
                }
            }
        }
    }
}

/// Split-cost rows of the nodes of Kubernetes clusters within `hours`: one per node and day for what its pods used, one
/// for what they left; their cost. They are parts of the nodes' own lines, and no part of the bill.
pub(super) fn split_rows(machines: &[Machine], hours: &Range<i32>) -> (u64, Usd) {
    let nodes = machines.iter().filter(|m| m.tags.get("eks:cluster-name").is_some());
    nodes.fold((0, Usd::ZERO), |(lines, cost), node| {
        let ran = node.hours(hours);
        (lines + 2 * ran.div_ceil(DAY as u64), cost + node.list.prorated(ran, 1))
    })
}
