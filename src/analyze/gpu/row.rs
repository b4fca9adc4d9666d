//! The row of one GPU: its evidence, memory, verdict and dollars.

use std::sync::Arc;

use super::evidence::evidence;
use super::group::{Group, Member};
use super::item::Item;
use super::labels::{team, workload};
use super::special::{rest, stale, waste};
use super::verdict::{Case, below, conclude};
use super::watch::{Entry, Labels, MAX_MODELS, Modelled, Watch, WatchInput};
use crate::domain::gpu::model;
use crate::domain::{GpuState, HoursOfGpu};
use crate::fleet::GpuRow;
use crate::fleet::gpu::mig_slices;

impl Watch {
    pub(super) fn modelled(&mut self, item: &Item, input: &WatchInput<'_>) -> Modelled {
        let told = &item.sample.identity.model;
        let raw = if told.is_empty() {
            let row = item.place.and_then(|p| input.fleet.rows.get(p));
            row.and_then(|r| r.spec.as_ref()?.accelerator.as_ref()).map_or(told, |a| &a.model)
        } else {
            told
        };
        if let Some(known) = self.models.get(raw) {
            return known.clone();
        }
        let model = model(raw);
        let name = model.map_or_else(|| raw.clone(), |m| m.name.into());
        if self.models.len() >= MAX_MODELS {
            self.models.clear();
        }
        let modelled = Modelled { name, model };
        self.models.insert(raw.clone(), modelled.clone());
        modelled
    }

    /// The row of a member of a group; `None` where nothing is left of a sliced GPU.
    pub(super) fn row(
        &mut self,
        group: &Group,
        member: &Member,
        item: Item,
        input: &WatchInput<'_>,
    ) -> Option<Arc<GpuRow>> {
        if member.share.is_empty {
            return None;
        }
        let instance = group.node.instance.as_ref();
        let usd = instance
            .and_then(|i| i.usd_per_hour())
            .zip(member.share.of_price)
            .map(|(usd, share)| usd * share);
        let modelled = self.modelled(&item, input);
        let slot = self.slot(group, &item);
        let Self { entries, floors, pictures, .. } = self;
        let entry = entries.get_mut(slot as usize)?;
        entry.seen = *pictures;
        entry.limit_ms = item.limit_ms;
        let id = match &entry.row {
            Some(row) => row.id.clone(),
            // Most are called as their device is.
            None if item.key.gpu_instance.is_none() => item.key.device.clone(),
            None => item.key.to_string().into(),
        };
        let labels = labels(entry, &item, group, input);
        let (kind, team) = (labels.workload, labels.team.clone());
        let stays = entry.track.state.is_some_and(GpuState::is_idle);
        let mut e =
            evidence(&item.sample, &modelled.name, modelled.model, floors, input.rules, stays);
        if let Some(seen) = item.elsewhere.filter(|_| item.fresh) {
            e.hear(seen, input.rules);
        }
        let verdict = if member.share.is_rest || item.is_rest {
            rest(member.share.equivalents, mig_slices(modelled.model), usd, kind)
        } else if item.fresh {
            entry.track.observe(
                item.sample.taken_at.as_millisecond(),
                item.limit_ms,
                &e,
                &item.sample,
                below(kind, input.rules),
                input.rules,
            );
            let case = Case {
                sample: &item.sample,
                model: modelled.model,
                workload: kind,
                hours: &|| hours(&item, input),
                before: &|| input.starts?.get(&id),
                launched: instance.map(|i| i.instance.launched_at),
                usd_per_hour: usd,
                rules: input.rules,
            };
            conclude(&mut entry.track, &e, &case)
        } else {
            stale(&mut entry.track, &item, &e, kind, input.now)
        };
        let verdict = match &entry.verdict {
            Some(old) if **old == verdict => old.clone(),
            _ => Arc::new(verdict),
        };
        entry.verdict = Some(verdict.clone());
        let waste = waste(&verdict, &e, usd);
        let wasted = verdict.idle_since.zip(usd).map(|(since, usd)| {
            // To the last look: nobody can call wasted what nobody saw.
            let until = item.sample.taken_at.min(input.now);
            usd * (until.duration_since(since).as_secs_f64() / 3600.0).max(0.0)
        });
        let row = Arc::new(GpuRow {
            key: item.key,
            id,
            node: group.node.clone(),
            model: modelled.name,
            sample: item.sample,
            verdict,
            team,
            equivalents: member.share.equivalents,
            usd_per_hour: usd,
            waste_usd_per_hour: waste,
            wasted_usd: wasted,
            told: item.told,
            disagreement: item.disagreement,
            trail: entry.track.trail,
        });
        // What stands for a part that nobody tells of is not remembered as if somebody had.
        entry.row = (!item.is_rest).then(|| row.clone());
        Some(row)
    }
}

/// The closed hours of a GPU. One without a UUID that is found on an instance has them under the
/// name that its source has for the host.
fn hours<'a>(item: &Item, input: &WatchInput<'a>) -> Option<HoursOfGpu<'a>> {
    input.hours.of(&item.key).or_else(|| input.hours.of(&item.sample.identity.own_key()))
}

fn labels<'a>(
    entry: &'a mut Entry,
    item: &Item,
    group: &Group,
    input: &WatchInput<'_>,
) -> &'a Labels {
    let row = group.node.instance.as_deref();
    let instance = row.map(|r| &r.instance.id);
    let owner = &item.sample.owner;
    let fits = |l: &Labels| {
        l.fleet == input.fleet.version
            && l.instance.as_ref() == instance
            && (Arc::ptr_eq(&l.owner, owner) || l.owner == *owner)
    };
    let old = entry.labels.take().filter(fits);
    entry.labels.insert(old.unwrap_or_else(|| Labels {
        owner: owner.clone(),
        fleet: input.fleet.version,
        instance: instance.cloned(),
        workload: workload(input.rules, row, owner),
        team: team(input.rules, row, owner),
    }))
}
