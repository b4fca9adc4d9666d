//! Fleets with a base on demand and Spot above it.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use super::like::StandIns;
use super::lot::{Lot, Lots, manager};
use super::market::{Market, counted};
use super::policy::MAX_TYPES;
use super::{fit, says};
use crate::analyze::savings::SavingsInput;
use crate::domain::{Figure, OwnerKind};
use crate::fleet::Row;
use crate::fleet::commitments::Running;
use crate::fleet::savings::{MixedFleet, Named, NoPolicy, SpotNote as Note, SpotRow};

/// On-demand price of a stand-in over that of the type itself where no Spot price is known of it: a
/// dearer one is not proposed.
const DEAREST_STAND_IN: f64 = 1.25;

/// One fleet for those of `rows` that do the same work (by group, else by team, workload and type)
/// and of which some move and Spot is cheaper, most net $/h first.
pub fn mixed_fleets(input: &SavingsInput<'_>, rows: &[Arc<SpotRow>]) -> Vec<Arc<MixedFleet>> {
    let by_id: HashMap<&str, &SpotRow> = rows.iter().map(|row| (&*row.id, &**row)).collect();
    let telemetry = fit::Telemetry::of(input.gpus);
    let judged: Vec<(&Row, fit::Judged)> = super::candidates(input)
        .filter(|row| by_id.contains_key(&*row.instance.id))
        .map(|row| (row, fit::judge(row, &telemetry, &input.rules.spot)))
        .collect();
    let lots = Lots::of(input.fleet, &judged, &telemetry, &input.rules.spot);
    let market = Market::of(&input.fleet.book.prices, &input.facts.spot, input.now);
    let running = running(input);
    let mut groups: BTreeMap<usize, Vec<Member<'_>>> = BTreeMap::new();
    for (row, judged) in &judged {
        let found = lots.get(&row.instance.id).zip(by_id.get(&*row.instance.id));
        let Some((lot, spot)) = found else { continue };
        let pays = spot.effective.zip(spot.on_demand).is_some_and(|(spot, now)| spot < now);
        if lot.moves > 0 && pays {
            groups.entry(lot.number).or_default().push(Member { row, judged, spot });
        }
    }
    let mut out: Vec<Arc<MixedFleet>> = groups
        .into_values()
        .filter_map(|members| fleet_of(input, &members, &lots, &market, running.as_ref()))
        .map(Arc::new)
        .collect();
    out.sort_by(|a, b| {
        let known = |usd: Option<f64>| usd.unwrap_or(f64::NEG_INFINITY);
        (known(b.net_usd_per_hour).total_cmp(&known(a.net_usd_per_hour)))
            .then_with(|| known(b.gross_usd_per_hour).total_cmp(&known(a.gross_usd_per_hour)))
            .then_with(|| a.instances.cmp(&b.instances))
    });
    out
}

struct Member<'a> {
    row: &'a Row,
    judged: &'a fit::Judged,
    spot: &'a SpotRow,
}

fn fleet_of(
    input: &SavingsInput<'_>,
    members: &[Member<'_>],
    lots: &Lots,
    market: &Market,
    running: Option<&Running>,
) -> Option<MixedFleet> {
    let first = members.first()?;
    let lot = lots.get(&first.row.instance.id)?;
    let instance = &first.row.instance;
    let types = types(input, members, market);
    let mut zones: Vec<(f64, Arc<str>)> = first
        .spot
        .zones
        .iter()
        .filter(|z| first.spot.on_demand.is_some_and(|usd| counted(z) < usd))
        .map(|z| (counted(z), z.az.clone()))
        .collect();
    zones.sort_by(|a, b| a.0.total_cmp(&b.0));
    let same = |get: fn(&SpotRow) -> Option<Arc<str>>| {
        get(first.spot).filter(|own| members.iter().all(|m| get(m.spot).as_ref() == Some(own)))
    };
    let workload = first.spot.workload;
    let sum = |get: fn(&SpotRow) -> Option<f64>| -> Option<f64> {
        members.iter().map(|m| get(m.spot)).sum()
    };
    let owner = manager(&instance.owners).cloned();
    let mut notes = Vec::new();
    if let Some(owner) = &owner
        && !(lot.is_pinned() && says::sets_the_group(owner.kind))
    {
        notes.push(says::belongs(first.row, owner));
    }
    notes.extend(who_stays(lot));
    let mut ids: Vec<Arc<str>> = members.iter().map(|m| m.row.instance.id.clone()).collect();
    ids.sort();
    let net = running.and_then(|running| joint_net(running, members, lot.share()));
    if net.is_some_and(|net| net <= 0.0) {
        notes.push(Note::NotNow);
    }
    let no_policy = no_policy(lot);
    if no_policy.is_none() {
        notes.extend(advice(input, first, &types, owner.as_ref().map(|o| o.kind)));
    }
    if lot.partly == 0 && first.judged.terms.availability.assumed {
        notes.push(Note::CountsHours(Figure(first.judged.terms.availability.value)));
    }
    Some(MixedFleet {
        scope: instance.scope.clone(),
        team: same(|row| row.team.clone()),
        workload: workload.filter(|_| members.iter().all(|m| m.spot.workload == workload)),
        fit: lot.fit(),
        owner,
        instances: ids,
        count: lot.count,
        base: lot.base,
        percent_above_base: lot.percent,
        on_demand: lot.on_demand,
        types,
        zones: zones.into_iter().map(|(_, az)| az).collect(),
        gross_usd_per_hour: sum(|row| row.gross_usd_per_hour),
        net_usd_per_hour: net,
        says: notes,
        no_policy,
    })
}

/// Why no policy is printed: a base is a number, and protects nobody in particular.
fn no_policy(lot: &Lot) -> Option<NoPolicy> {
    lot.is_pinned().then(|| NoPolicy { pinned: Named::of(&lot.pinned), fit: lot.ours })
}

/// What is said of members that fit otherwise, or that nothing speaks for.
fn who_stays(lot: &Lot) -> Vec<Note> {
    let mut out = Vec::new();
    if lot.is_mixed() {
        out.push(says::mixed(lot));
    }
    if lot.unknown > 0 {
        out.push(Note::UnknownMembers(lot.unknown));
    }
    if !lot.pinned.is_empty() && !lot.is_pinned() {
        out.push(Note::LeaveOut(Named::of(&lot.pinned)));
    }
    out
}

/// The types that run now, the most frequent first, then those that can stand in: cheapest on demand
/// first, since the base takes them in this order.
fn types(input: &SavingsInput<'_>, members: &[Member<'_>], market: &Market) -> Vec<Arc<str>> {
    let book = &input.fleet.book;
    let mut counts: BTreeMap<&Arc<str>, usize> = BTreeMap::new();
    for member in members {
        *counts.entry(&member.row.instance.instance_type).or_default() += 1;
    }
    let mut own: Vec<(&Arc<str>, usize)> = counts.into_iter().collect();
    own.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(b.0)));
    let mut out: Vec<Arc<str>> = own.iter().map(|(name, _)| (*name).clone()).collect();
    let Some(member) = members.first() else { return out };
    let (instance, region) = (&member.row.instance, &member.row.instance.scope.region);
    let price = |name: &Arc<str>| {
        let rate =
            book.prices.on_demand(&instance.scope, name, instance.platform, instance.tenancy);
        rate.map(|rate| rate.usd_per_hour)
    };
    // What stands in must do so for each type of the fleet.
    let known = own.iter().filter_map(|(name, _)| book.types.get(*name));
    let specs: Vec<StandIns<'_>> = known.map(|spec| StandIns::of(spec)).collect();
    let Some(limit) = own.iter().filter_map(|(name, _)| price(name)).min_by(f64::total_cmp) else {
        return out;
    };
    if specs.len() < own.len() {
        return out;
    }
    let mut others: Vec<(f64, &Arc<str>)> = book
        .types
        .iter()
        .filter(|(name, other)| !out.contains(name) && specs.iter().all(|own| own.take(other)))
        .filter(|(name, _)| is_offered(input, member, name))
        .filter_map(|(name, _)| Some((price(name)?, name)))
        .filter(|(usd, name)| match market.lowest(region, name, instance.platform) {
            Some(spot) => spot < limit,
            None => *usd <= limit * DEAREST_STAND_IN,
        })
        .collect();
    others.sort_by(|a, b| a.0.total_cmp(&b.0).then_with(|| a.1.cmp(b.1)));
    out.extend(others.into_iter().map(|(_, name)| name.clone()));
    out.truncate(MAX_TYPES);
    out
}

/// True where some zone offers the type, or where nothing is known of zones: it has a price in the
/// region then.
fn is_offered(input: &SavingsInput<'_>, member: &Member<'_>, name: &Arc<str>) -> bool {
    let offers = input.facts.offerings.get(&member.row.instance.scope);
    offers.is_none_or(|zones| zones.iter().any(|z| z.types.binary_search(name).is_ok()))
}

fn advice(
    input: &SavingsInput<'_>,
    first: &Member<'_>,
    types: &[Arc<str>],
    owner: Option<OwnerKind>,
) -> Vec<Note> {
    let mut out = Vec::new();
    if matches!(owner, None | Some(OwnerKind::CloudFormation)) {
        out.push(Note::NoGroup);
    }
    if types.len() < 10 {
        out.push(Note::FewTypes(types.len()));
    }
    if !input.facts.offerings.contains_key(&first.row.instance.scope) {
        out.push(Note::OfferingsUnread);
    }
    out.push(Note::NoFallback);
    out
}

/// What runs under the commitments held; `None` while they are not known.
fn running(input: &SavingsInput<'_>) -> Option<Running> {
    let book = &input.fleet.book;
    let holdings = book.holdings.as_ref()?;
    let instances: Vec<_> = input.fleet.rows.iter().map(|row| row.instance.clone()).collect();
    Some(Running::new(&instances, [], holdings, &book.prices, input.now))
}

/// What the bill falls by when a share of all members moves together: a commitment that one of them
/// leaves may pay for nobody else then. `None` where the net of one alone is not known.
fn joint_net(running: &Running, members: &[Member<'_>], share: f64) -> Option<f64> {
    let mut leave: BTreeMap<usize, f64> = BTreeMap::new();
    let (mut on_spot, mut there) = (0.0, 0.0);
    for member in members {
        member.row.net_usd_per_hour()?;
        *leave.entry(running.meter_of(&member.row.instance.id)?).or_default() -= share;
        let available = member.judged.terms.availability.value.clamp(0.0, 1.0);
        there += available / members.len() as f64;
        on_spot += share * available * member.on_spot()?;
    }
    let leave: Vec<(usize, f64)> = leave.into_iter().collect();
    Some(there * running.saves_usd(&leave) - on_spot)
}

impl Member<'_> {
    /// USD per useful hour while on Spot: price ÷ efficiency.
    fn on_spot(&self) -> Option<f64> {
        let efficiency = self.spot.efficiency.filter(|e| *e > 0.0)?;
        self.spot.zones.first().map(|zone| counted(zone) / efficiency)
    }
}
