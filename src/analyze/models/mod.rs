//! What measures on the model itself could save: batching, fewer replicas, quantisation, pruning, distillation, a compiled
//! runtime, a smaller GPU.
//!
//! Looked at is what serves, or runs in batches, with GPUs whose use is known and low. Names and tags say what it does, and are
//! hints; the runtime that a process or a container names goes before them. Each measure has an upper bound, and the fleet's own
//! figures speak for it, against it, or not at all. They exclude each other, so of a workload the largest counts, and all of it
//! is potential: no sum of savings has it.

mod bound;
mod scripts;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use bound::rows;

use super::gpu::GOOD_INFERENCE;
use super::rightsize::{Traits, runtime};
use super::savings::SavingsInput;
use super::spot::may_infer;
use crate::domain::gpu::HELD_MIB;
use crate::domain::{
    AcceleratorKind, GpuSignal, GpuState, Instance, Kept, OwnerKind, Verdict, VerdictKind, Workload,
};
use crate::fleet::savings::{
    BoundBy, GpuRuntime, ModelBecause, ModelRow, ModelWork, ModelWorkload, ModelsLeftOut, Proposal,
    Replicas, SizeNote, SpotBecause, SpotRow, SpotWork, WorkSource,
};
use crate::fleet::{GpuRow, Row};

/// Use of GPUs that a workload should reach, 0–1, and below which it is low: where Good begins for inference.
const TARGET: f64 = GOOD_INFERENCE as f64;

/// Activity of memory or of the tensor cores, 0–1, from which on the two are compared: below it the next sample may say the
/// opposite, and what does not fit has a bound of $0.
const COMPARED_FROM: f32 = 0.2;

/// A workload, with what a smaller GPU would save, USD/h; `None` where right-sizing names none that only the memory stands against.
type Found = (ModelWorkload, Option<f64>);

/// Measures on models at low use, a row per workload and measure: the workload with the largest bound first; and what may run a
/// model and has no row.
pub fn models(
    input: &SavingsInput<'_>,
    proposals: &[Arc<Proposal>],
    spot: &[Arc<SpotRow>],
) -> (Vec<Arc<ModelRow>>, ModelsLeftOut) {
    let mut left_out = ModelsLeftOut::default();
    let mut found = instances(input, proposals, spot, &mut left_out);
    found.extend(scripts::scripts(input, &mut left_out));
    let mut groups: Vec<(f64, Vec<ModelRow>)> = found
        .into_iter()
        .map(|(workload, smaller)| rows(Arc::new(workload), smaller))
        .map(|rows| (largest(&rows), rows))
        .collect();
    groups.sort_by(|a, b| {
        b.0.total_cmp(&a.0)
            .then_with(|| a.1.first().map(|r| &r.id).cmp(&b.1.first().map(|r| &r.id)))
    });
    let old = Kept::of(input.before.iter().flat_map(|b| &b.models).map(|row| (&*row.id, row)));
    let all = groups.into_iter().flat_map(|(_, rows)| rows);
    (all.map(|row| old.or_new(&row.id.clone(), row)).collect(), left_out)
}

fn largest(rows: &[ModelRow]) -> f64 {
    let counts = rows.iter().find(|row| row.is_largest);
    counts.and_then(|row| row.up_to_usd_per_hour).unwrap_or(0.0)
}

/// Instances that run models at low use; such members of an Auto Scaling group together.
fn instances(
    input: &SavingsInput<'_>,
    proposals: &[Arc<Proposal>],
    spot: &[Arc<SpotRow>],
    left_out: &mut ModelsLeftOut,
) -> Vec<Found> {
    // On demand, and neither idle nor exempt: that is what Spot is looked at for.
    let spot: HashMap<&str, &SpotRow> = spot.iter().map(|row| (&*row.id, &**row)).collect();
    let proposals: HashMap<&str, &Proposal> = proposals.iter().map(|p| (&*p.id, &**p)).collect();
    let mut gpus: HashMap<&str, Vec<&GpuRow>> = HashMap::new();
    for gpu in &input.gpus.rows {
        if let Some(row) = &gpu.node.instance {
            gpus.entry(&row.instance.id).or_default().push(gpu);
        }
    }
    let mut groups: BTreeMap<String, Vec<Member<'_>>> = BTreeMap::new();
    for row in &input.fleet.rows {
        let id = &*row.instance.id;
        let Some(spot) = spot.get(id) else { continue };
        let told = gpus.get(id).map_or(&[][..], Vec::as_slice);
        let Some(member) = member(row, spot, proposals.get(id).copied(), told, left_out) else {
            continue;
        };
        let key = group(&row.instance).map_or_else(
            || id.to_owned(),
            |name| {
                let Instance { scope, instance_type, .. } = &*row.instance;
                format!("asg {name} {instance_type} {scope} {}", member.work.word())
            },
        );
        groups.entry(key).or_default().push(member);
    }
    groups.into_iter().filter_map(|(id, members)| workload(id.into(), &members)).collect()
}

/// An instance that runs a model at low use.
struct Member<'a> {
    row: &'a Row,
    work: ModelWork,
    because: ModelBecause,
    usage: f64,
    usd_per_hour: f64,
    gpus: &'a [&'a GpuRow],
    runtime: Option<GpuRuntime>,
    smaller: Option<f64>,
}

/// An instance as a member of a workload; `None` where it runs no model, or its use is not low, or not known, which is counted.
fn member<'a>(
    row: &'a Row,
    spot: &SpotRow,
    proposal: Option<&Proposal>,
    gpus: &'a [&'a GpuRow],
    left_out: &mut ModelsLeftOut,
) -> Option<Member<'a>> {
    let accelerator = row.spec.as_ref()?.accelerator.as_ref()?;
    if accelerator.kind != AcceleratorKind::NvidiaGpu {
        return None;
    }
    let verdict = row.verdict.as_deref();
    let usage = verdict.and_then(usage);
    let is_low = usage.is_some_and(|usage| usage < TARGET);
    let runtime = gpus.iter().find_map(|gpu| runtime(gpu));
    let holding = holding(gpus);
    // What is said to serve and holds nothing on any GPU serves no model now.
    let is_empty = holding == Some((0, accelerator.devices));
    let (work, because) = match work(spot, runtime) {
        Some(work) if work.0 == ModelWork::Batch || !is_empty => work,
        said => {
            left_out.unnamed += u32::from(is_low && (said.is_some() || says_nothing(spot)));
            return None;
        }
    };
    if verdict.is_some_and(|v| v.kind == VerdictKind::Partial) {
        left_out.partly_idle += 1;
        return None;
    }
    let Some((usage, usd_per_hour)) = usage.zip(spot.on_demand.filter(|usd| *usd > 0.0)) else {
        left_out.unmeasured += 1;
        return None;
    };
    let smaller = proposal.and_then(|proposal| {
        let to = proposal.says.iter().find_map(|note| match &**note {
            SizeNote::FitsIfMemory { to, .. } => Some(to.usd_per_hour.0),
            _ => None,
        })?;
        Some((usd_per_hour - to).max(0.0))
    });
    is_low.then_some(Member { row, work, because, usage, usd_per_hour, gpus, runtime, smaller })
}

/// Mean use of all GPUs over the judged hours, 0–1; `None` where the verdict does not rest on full evidence of use.
fn usage(verdict: &Verdict) -> Option<f64> {
    let is_known = matches!(verdict.kind, VerdictKind::Busy | VerdictKind::Underused);
    let percent = verdict.gpu_percent.filter(|percent| is_known && percent.is_finite())?;
    Some(f64::from(percent / 100.0).clamp(0.0, 1.0))
}

/// True for a runtime that serves models; the others train them as well.
fn serves(runtime: GpuRuntime) -> bool {
    !matches!(runtime, GpuRuntime::TensorFlow | GpuRuntime::Jax)
}

/// What an instance runs a model for, and what says so; `None` where nothing does, or it does something else.
fn work(spot: &SpotRow, runtime: Option<GpuRuntime>) -> Option<(ModelWork, ModelBecause)> {
    let hint = || ModelBecause::Hint(spot.because.clone());
    match (spot.workload, runtime.filter(|runtime| serves(*runtime)), &*spot.because) {
        (Some(Workload::Training), ..) => None,
        (_, Some(runtime), _) => Some((ModelWork::Serving, ModelBecause::Runtime(runtime))),
        (Some(Workload::Inference), None, _) => Some((ModelWork::Serving, hint())),
        (_, None, SpotBecause::Work { work: SpotWork::Batch, .. }) => {
            Some((ModelWork::Batch, hint()))
        }
        (_, None, SpotBecause::Both(by)) if text(by).is_some_and(may_infer) => {
            Some((ModelWork::Batch, hint()))
        }
        _ => None,
    }
}

/// The text that speaks of some work; `None` of what is no text.
fn text(by: &WorkSource) -> Option<&str> {
    match by {
        WorkSource::Tag(_, text) | WorkSource::Name(text) | WorkSource::Owner(_, text) => {
            Some(text)
        }
        WorkSource::EmrRole(_) | WorkSource::Batch | WorkSource::Telemetry => None,
    }
}

fn says_nothing(spot: &SpotRow) -> bool {
    matches!(&*spot.because, SpotBecause::Nothing | SpotBecause::Both(_))
}

/// Name of the Auto Scaling group that an instance is a replica of; `None` where it is in none, and where a cluster says what
/// runs on its members.
fn group(instance: &Instance) -> Option<&str> {
    let places_work = |kind: OwnerKind| !matches!(kind, OwnerKind::Asg | OwnerKind::CloudFormation);
    if instance.owners.iter().any(|owner| places_work(owner.kind)) {
        return None;
    }
    let group = instance.owners.iter().find(|owner| owner.kind == OwnerKind::Asg);
    group.map(|owner| &*owner.name).filter(|name| !name.is_empty())
}

/// GPUs on which somebody holds memory, and those that tell it now; `None` where none does.
fn holding(gpus: &[&GpuRow]) -> Option<(u32, u32)> {
    let used = || fresh(gpus).filter_map(|gpu| gpu.sample.signals.get(GpuSignal::MemUsed));
    let told = used().count() as u32;
    (told > 0).then(|| (used().filter(|mib| *mib >= HELD_MIB).count() as u32, told))
}

fn fresh<'a>(gpus: &'a [&'a GpuRow]) -> impl Iterator<Item = &'a GpuRow> {
    gpus.iter().copied().filter(|gpu| gpu.verdict.state != GpuState::Stale)
}

/// What GPUs wait for, by the mean of those whose newest sample has both signals: no mean over time is kept of these. `None` where
/// there is none, or neither reaches [`COMPARED_FROM`].
fn bound_by<'a>(gpus: impl Iterator<Item = &'a GpuRow>) -> Option<BoundBy> {
    let (mut dram, mut tensor, mut told) = (0.0, 0.0, 0);
    for gpu in gpus {
        let signals = &gpu.sample.signals;
        if let Some((memory, cores)) =
            signals.get(GpuSignal::Dram).zip(signals.get(GpuSignal::Tensor))
        {
            (dram, tensor, told) = (dram + memory, tensor + cores, told + 1);
        }
    }
    if told == 0 || f32::max(dram, tensor) < COMPARED_FROM * told as f32 {
        return None;
    }
    Some(if dram > tensor { BoundBy::Memory } else { BoundBy::Compute })
}

/// Members as one workload; its use is that of all their GPUs. `None` without a member.
fn workload(id: Arc<str>, members: &[Member<'_>]) -> Option<Found> {
    let first = members.first()?;
    let instance = &*first.row.instance;
    let group = group(instance);
    let own = if instance.name.is_empty() { &instance.id } else { &instance.name };
    let mut instances: Vec<Arc<str>> =
        members.iter().map(|member| member.row.instance.id.clone()).collect();
    instances.sort_unstable();
    let counts = members.iter().filter_map(|member| holding(member.gpus));
    let holding = counts.reduce(|a, b| (a.0 + b.0, a.1 + b.1));
    let spec = first.row.spec.as_deref()?;
    let smaller: Vec<f64> = members.iter().filter_map(|member| member.smaller).collect();
    let workload = ModelWorkload {
        id,
        name: group.map_or_else(|| own.clone(), Arc::from),
        work: first.work,
        because: first.because.clone(),
        scope: Some(instance.scope.clone()),
        team: first.row.team.clone(),
        instance_type: Some(instance.instance_type.clone()),
        replicas: match group {
            Some(_) => Replicas::Known(instances.len() as u32),
            None => Replicas::Unknown,
        },
        instances,
        // Members are of one type: each has as many GPUs.
        usage: members.iter().map(|member| member.usage).sum::<f64>() / members.len() as f64,
        usd_per_hour: members.iter().map(|member| member.usd_per_hour).sum(),
        bound_by: bound_by(members.iter().flat_map(|member| fresh(member.gpus))),
        capability: Traits::of(spec).gpu.map(|gpu| gpu.capability),
        runtime: members.iter().find_map(|member| member.runtime),
        holding,
    };
    Some((workload, (!smaller.is_empty()).then(|| smaller.iter().sum())))
}
