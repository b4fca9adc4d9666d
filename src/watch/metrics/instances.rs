//! Instances: burn, waste and verdicts, by account, use, team and type.

use std::collections::BTreeMap;

use super::families::{
    BURN, FOLDED, IDLE_INSTANCE_GPUS, INSTANCE_GPUS, INSTANCES, TEAM_BURN, TEAM_WASTE, TYPE_BURN,
    TYPE_INSTANCES, TYPE_WASTE, UNKNOWN_TYPE, UNPRICED, USE_BURN, WASTE, WASTE_UNKNOWN, WASTED,
};
use super::family::Family;
use super::input::MetricsInput;
use super::kept::Kept;
use super::page::Page;
use crate::domain::{SourceId, VerdictKind};
use crate::fleet::{Fleet, Row, parts};

/// Name of the group of instances without a team, as reports print it.
pub(super) const UNTAGGED: &str = "(untagged)";

/// Sums over the running instances of a group.
#[derive(Clone, Copy, Debug, Default)]
struct Sums {
    instances: u32,
    /// Those without a price.
    unpriced: u32,
    /// USD/h of those with a price.
    burn: f64,
    /// USD/h of those whose waste is known.
    waste: f64,
    /// Those whose waste is not known.
    waste_unknown: u32,
}

impl Sums {
    fn add(&mut self, row: &Row) {
        self.instances += 1;
        match row.usd_per_hour() {
            Some(usd) => self.burn += usd,
            None => self.unpriced += 1,
        }
        match row.waste_usd_per_hour() {
            Some(usd) => self.waste += usd,
            None => self.waste_unknown += 1,
        }
    }

    /// USD/h; `None` where instances run and none has a price.
    fn known_burn(&self) -> Option<f64> {
        (self.unpriced == 0 || self.unpriced < self.instances).then_some(self.burn)
    }

    /// USD/h; `None` where it is known of none, or where the known ones waste nothing and others are not known.
    fn known_waste(&self) -> Option<f64> {
        let is_told =
            self.waste_unknown == 0 || (self.waste_unknown < self.instances && self.waste > 0.0);
        is_told.then_some(self.waste)
    }
}

/// Adds the figures of the fleet; none while no inventory was read.
pub(super) fn add(page: &mut Page, input: &MetricsInput<'_>) {
    let fleet = input.fleet;
    let read = input.readings.iter().filter(|r| r.source == SourceId::Ec2 && r.taken_at.is_some());
    // A region that was read and has no instance burns nothing, which is known.
    let mut places: BTreeMap<[&str; 2], Sums> =
        read.map(|r| ([&*r.scope.account, &*r.scope.region], Sums::default())).collect();
    if places.is_empty() && fleet.rows.is_empty() {
        return;
    }
    for row in running(fleet) {
        let scope = &row.instance.scope;
        places.entry([&scope.account, &scope.region]).or_default().add(row);
    }
    let kept = Kept::costliest(input.most_values, places.iter().map(|(at, sums)| (*at, sums.burn)));
    fold(page, "account", kept.folded());
    for (at, sums) in places {
        let [account, region] = kept.shown(at);
        page.set(&BURN, &[&account, &region], sums.known_burn());
        page.set(&UNPRICED, &[&account, &region], Some(f64::from(sums.unpriced)));
    }
    totals(page, fleet);
    let team = |row: &'_ Row| row.team.as_deref().unwrap_or(UNTAGGED).to_owned();
    grouped(page, input, "team", [&TEAM_BURN, &TEAM_WASTE], None, team);
    let of_type = |row: &'_ Row| row.instance.instance_type.to_string();
    grouped(
        page,
        input,
        "instance_type",
        [&TYPE_BURN, &TYPE_WASTE],
        Some(&TYPE_INSTANCES),
        of_type,
    );
}

fn running(fleet: &Fleet) -> impl Iterator<Item = &Row> {
    fleet.rows.iter().map(|row| &**row).filter(|row| row.instance.state.is_billed())
}

/// The whole fleet: uses, waste, verdicts, GPUs.
fn totals(page: &mut Page, fleet: &Fleet) {
    let totals = &fleet.totals;
    let knows_waste = totals.knows_waste();
    for part in parts(running(fleet).map(|row| (row, 0.0))) {
        page.set(&USE_BURN, &[part.kind.name()], part.known());
        if part.kind.is_waste() && knows_waste {
            page.set(&WASTE, &[part.kind.name()], part.known());
        }
    }
    let unknown = totals.running.saturating_sub(totals.waste_known());
    page.single(&WASTE_UNKNOWN, Some(f64::from(unknown)));
    page.single(&WASTED, knows_waste.then_some(totals.wasted_since));
    for kind in VerdictKind::ALL {
        page.set(&INSTANCES, &[kind.name()], Some(f64::from(totals.verdict(kind).count)));
    }
    page.set(&INSTANCES, &["unjudged"], Some(f64::from(totals.unjudged.count)));
    let untyped = running(fleet).filter(|row| row.gpus().is_none()).count();
    page.single(&UNKNOWN_TYPE, Some(untyped as f64));
    let knows_gpus = totals.running == 0 || untyped < totals.running as usize;
    page.single(&INSTANCE_GPUS, knows_gpus.then_some(totals.gpus));
    page.single(
        &IDLE_INSTANCE_GPUS,
        (knows_gpus && knows_verdicts(fleet)).then_some(totals.idle_gpus),
    );
}

/// True where a verdict that says something of waste is known of an instance, or nothing runs.
fn knows_verdicts(fleet: &Fleet) -> bool {
    let told = |kind: &VerdictKind| kind.tells_waste() && fleet.totals.verdict(*kind).count > 0;
    fleet.totals.running == 0 || VerdictKind::ALL.iter().any(told)
}

/// Burn, waste and number by one label.
fn grouped(
    page: &mut Page,
    input: &MetricsInput<'_>,
    label: &str,
    [burn, waste]: [&'static Family; 2],
    count: Option<&'static Family>,
    key: impl Fn(&Row) -> String,
) {
    let mut groups: BTreeMap<String, Sums> = BTreeMap::new();
    for row in running(input.fleet) {
        groups.entry(key(row)).or_default().add(row);
    }
    let ranked = groups.iter().map(|(name, sums)| ([&**name], sums.burn));
    let kept = Kept::costliest(input.most_values, ranked);
    fold(page, label, kept.folded());
    for (name, sums) in &groups {
        let [name] = kept.shown([name]);
        page.set(burn, &[&name], sums.known_burn());
        page.set(waste, &[&name], sums.known_waste());
        if let Some(count) = count {
            page.set(count, &[&name], Some(f64::from(sums.instances)));
        }
    }
}

/// Says how many values of a label are put together.
pub(super) fn fold(page: &mut Page, label: &str, folded: usize) {
    page.set(&FOLDED, &[label], Some(folded as f64));
}
