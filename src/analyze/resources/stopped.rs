//! Stopped instances whose volumes go on billing.

use jiff::Timestamp;

use super::judge::whole_hours;
use super::{Holders, finish, fix};
use crate::analyze::idle::Exemption;
use crate::analyze::savings::SavingsInput;
use crate::domain::{
    BilledUnit, ExemptBy, HOURS_PER_MONTH, InstanceState, Resource, ResourceKind,
    ResourceReason as R, Unchecked, Verdict, VerdictKind, Why, intern,
};
use crate::fleet::Row;
use crate::fleet::savings::ResourceRow;
use crate::fleet::storage::{Holder, VolumeRow, VolumeUse};

use super::rules::Rule;

/// The instances that volumes are attached to, as storage knows them.
pub(super) fn holders<'a>(input: &'a SavingsInput<'_>) -> impl Iterator<Item = &'a Holder> {
    let volumes = input.storage.iter().flat_map(|s| &s.volumes);
    volumes.flat_map(|v| &v.holders)
}

/// A row for each stopped instance that has volumes. A volume of several stopped instances counts
/// with the first of them, so that it counts once.
pub(super) fn rows(input: &SavingsInput<'_>) -> Vec<ResourceRow> {
    let stopped = input.fleet.rows.iter().filter(|r| r.instance.state == InstanceState::Stopped);
    stopped.filter_map(|row| of(row, input)).collect()
}

fn of(row: &Row, input: &SavingsInput<'_>) -> Option<ResourceRow> {
    let instance = &row.instance;
    let known: Vec<&VolumeRow> = input
        .storage
        .iter()
        .flat_map(|s| &s.volumes)
        .filter(|v| v.used == VolumeUse::Stopped)
        .filter(|v| first_holder(v) == Some(&*instance.id))
        .map(|v| &**v)
        .collect();
    let attached = |v: &VolumeRow| v.holders.iter().any(|h| h.id == instance.id);
    let elsewhere = |id: &str| {
        let all = input.storage.iter().flat_map(|s| &s.volumes);
        all.filter(|v| &*v.volume.id == id)
            .any(|v| attached(v) && first_holder(v) != Some(&*instance.id))
    };
    let mut units: Vec<BilledUnit> = known
        .iter()
        .map(|v| BilledUnit {
            what: format!("{} {} {} GiB", v.volume.id, v.volume.kind.api(), v.volume.size_gib)
                .into(),
            count: 1.0,
            usd_per_hour: v.usd_per_month.map(|usd| usd / HOURS_PER_MONTH),
        })
        .collect();
    // Volumes that the instance names and that storage does not know have no price.
    for device in &instance.block_devices {
        let id = &device.volume_id;
        if !known.iter().any(|v| v.volume.id == *id) && !elsewhere(id) {
            units.push(BilledUnit { what: id.clone(), count: 1.0, usd_per_hour: None });
        }
    }
    if units.is_empty() {
        return None;
    }
    let since = holders(input)
        .filter(|h| h.id == instance.id && h.state == Some(InstanceState::Stopped))
        .find_map(|h| h.stopped_at);
    let name = if instance.name.is_empty() { instance.id.clone() } else { instance.name.clone() };
    let volumes = units.len();
    let resource = Resource {
        kind: ResourceKind::StoppedInstance,
        id: instance.id.clone(),
        scope: instance.scope.clone(),
        name,
        state: "stopped".into(),
        is_billed: true,
        created_at: Some(instance.born_at()),
        changed_at: since,
        used_at: None,
        units,
        serves: None,
        tags: instance.tags.clone(),
    };
    let verdict = judge(&resource, since, volumes, input.now);
    let fix = fix::of(&resource, Some(&verdict), None, &Holders::new());
    let mut out = finish(resource.into(), Some(verdict), None, fix, input);
    out.team = row.team.clone().or(out.team);
    Some(out)
}

/// Of the instances that a volume is attached to, the one it is counted with.
fn first_holder(volume: &VolumeRow) -> Option<&str> {
    volume.holders.iter().map(|h| &*h.id).min()
}

fn judge(resource: &Resource, since: Option<Timestamp>, volumes: usize, now: Timestamp) -> Verdict {
    let rule = Rule::of(resource, false);
    let (volumes, needed) = (volumes as u32, rule.stretch as u32);
    let hours = since.map(|t| whole_hours(t, now));
    // A tag that makes no sense exempts as any other.
    let by = Exemption::of(&resource.tags, now).by().map(|by| match by {
        ExemptBy::Until(_) => by,
        ExemptBy::Always | ExemptBy::Malformed => ExemptBy::Always,
    });
    let (kind, why) = match (by, hours) {
        (Some(by), _) => (VerdictKind::Exempt, Why::Exempt(by)),
        (None, None) => (VerdictKind::Unknown, R::StoppedSometime { volumes }.into()),
        (None, Some(hours)) if hours < needed => {
            (VerdictKind::TooNew, R::StoppedLately { hours, needed }.into())
        }
        (None, Some(hours)) => (VerdictKind::Idle, R::Stopped { hours, volumes }.into()),
    };
    Verdict {
        kind,
        idle_since: since.filter(|_| kind == VerdictKind::Idle),
        idle_since_at_least: false,
        idle_gpus: None,
        devices: 0,
        coverage: if kind == VerdictKind::Unknown { 0.0 } else { 1.0 },
        gpu_percent: None,
        cpu_percent: None,
        network_bytes_per_day: None,
        network_out_bytes_per_day: None,
        signals: Vec::new(),
        not_checked: intern::shared_list(&[
            Unchecked::Criterion(resource.kind),
            Unchecked::Beside(resource.kind),
        ]),
        likely: None,
        reason: why.into(),
    }
}
