//! What MIG would make of the GPUs in use: small jobs that each hold a whole GPU, in slices of fewer.

use std::collections::HashMap;
use std::sync::Arc;

use super::fit::{Ask, Candidate};
use super::need::{Evidence, GpuMemory, SizingInput};
use super::rules::SizeRules;
use super::types::USABLE_GPU_MEMORY;
use crate::domain::gpu::model;
use crate::domain::{GpuSignal, VerdictKind};
use crate::fleet::GpuRow;
use crate::fleet::savings::{CheaperType, MigShare, Need};

/// A slice of a GPU: parts of its compute and of its memory, 0–1.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Slice {
    compute: f64,
    memory: f64,
}

/// The slices of a model with so many compute slices that leave room for others, smallest first. Of seven
/// slices the memory comes in eighths, and three of compute take four of memory (NVIDIA MIG user guide,
/// "Supported MIG profiles"); of other models both are even parts.
fn slices(count: u32) -> Vec<Slice> {
    let even = |k: u32, n: u32| f64::from(k) / f64::from(n);
    if count == 7 {
        return [(1, 1), (2, 2), (3, 4), (4, 4)]
            .map(|(compute, memory)| Slice { compute: even(compute, 7), memory: even(memory, 8) })
            .to_vec();
    }
    (1..count).map(|k| Slice { compute: even(k, count), memory: even(k, count) }).collect()
}

/// What MIG would make of a partly idle instance; `None` where it frees no GPU.
pub(super) fn share(
    sizing: SizingInput<'_>,
    ask: &Ask<'_>,
    market: &[Candidate],
    limit: f64,
) -> Option<MigShare> {
    let SizingInput { spec, verdict, gpus, rules, .. } = sizing;
    let evidence = ask.evidence;
    let accelerator = spec.accelerator.as_ref()?;
    let count = model(&accelerator.model)?.mig_slices?;
    let used = evidence.need.gpus.filter(|n| *n > 1)?;
    if verdict.kind != VerdictKind::Partial || evidence.mig || accelerator.equivalents < 1.0 {
        return None;
    }
    let Some(jobs) = jobs(gpus, used, &evidence.gpu_memory) else {
        return Some(MigShare::CannotTell);
    };
    let mut whole = 0;
    let apart = jobs.values().all(|held| held.len() == 1);
    let mut parts: Vec<Slice> = Vec::new();
    for held in jobs.values() {
        // A job on several GPUs moves data between them, which slices cannot.
        match held[..] {
            [gpu] => match slice(gpu, accelerator.memory_mib, &slices(count), rules) {
                Some(slice) => parts.push(slice),
                None => whole += 1,
            },
            _ => whole += held.len() as u32,
        }
    }
    let fewer = whole + bins(parts);
    (fewer < used).then(|| MigShare::Fits {
        gpus: fewer,
        to: cheapest(ask, market, limit, fewer, apart, &accelerator.model),
    })
}

/// The GPUs in use by the job that holds them; `None` where that is not known of each of `used` GPUs.
fn jobs<'a>(
    gpus: &[&'a Arc<GpuRow>],
    used: u32,
    memory: &GpuMemory,
) -> Option<HashMap<String, Vec<&'a GpuRow>>> {
    if !matches!(memory, GpuMemory::Used { .. }) {
        return None;
    }
    let working: Vec<&GpuRow> =
        gpus.iter().map(|gpu| &***gpu).filter(|gpu| !gpu.verdict.state.is_idle()).collect();
    if working.len() as u32 != used {
        return None;
    }
    let mut jobs: HashMap<String, Vec<&GpuRow>> = HashMap::new();
    for gpu in working {
        let owner = &gpu.sample.owner;
        // A user or a namespace alone may have one job on all of them.
        if owner.pod.is_none() && owner.job.is_none() {
            return None;
        }
        jobs.entry(owner.words()?).or_default().push(gpu);
    }
    Some(jobs)
}

/// The smallest slice that holds a job with headroom, by its highest activity and its memory; `None` where
/// none does, or its activity is not known.
fn slice(gpu: &GpuRow, memory_mib: u64, slices: &[Slice], rules: &SizeRules) -> Option<Slice> {
    let now = gpu.verdict.activity.map(|a| a.effective)?;
    let before = gpu.trail.iter().filter(|a| !a.is_nan());
    let recent = gpu.sample.recent.map(|r| r.max_activity);
    let active = before.chain(recent).fold(now, f32::max);
    let used = gpu.sample.signals.get(GpuSignal::MemUsed)?;
    let compute = f64::from(active) / (1.0 - rules.gpu_speed_headroom);
    let memory = f64::from(used) / (1.0 - rules.gpu_memory_headroom) / memory_mib.max(1) as f64;
    let holds = |s: &&Slice| s.compute >= compute && s.memory * USABLE_GPU_MEMORY >= memory;
    slices.iter().find(holds).copied()
}

/// GPUs that hold these slices: first fit, largest first.
fn bins(mut parts: Vec<Slice>) -> u32 {
    parts.sort_by(|a, b| b.memory.total_cmp(&a.memory).then(b.compute.total_cmp(&a.compute)));
    let mut room: Vec<Slice> = Vec::new();
    for part in parts {
        let fits = |free: &&mut Slice| {
            free.compute >= part.compute - 1e-9 && free.memory >= part.memory - 1e-9
        };
        match room.iter_mut().find(fits) {
            Some(free) => {
                free.compute -= part.compute;
                free.memory -= part.memory;
            }
            None => room.push(Slice { compute: 1.0 - part.compute, memory: 1.0 - part.memory }),
        }
    }
    room.len() as u32
}

/// The cheapest type with so many of the same GPU that meets everything else; `apart` where no job is on several
/// GPUs, so that none talks over NVLink.
fn cheapest(
    ask: &Ask<'_>,
    market: &[Candidate],
    limit: f64,
    gpus: u32,
    apart: bool,
    model: &str,
) -> Option<CheaperType> {
    let evidence = Evidence {
        need: Need { gpus: Some(gpus), gpu_memory_mib: None, ..ask.evidence.need.clone() },
        gpu_peak: 1.0,
        nvlink: ask.evidence.nvlink && !apart,
        mig: true,
        ..ask.evidence.clone()
    };
    let ask = Ask { evidence: &evidence, ..*ask };
    let same = |c: &&Candidate| c.spec.accelerator.as_ref().is_some_and(|a| *a.model == *model);
    let cheaper = market.iter().take_while(|c| c.usd_per_hour <= limit);
    let chosen = cheaper.filter(same).find(|c| ask.fits(c))?;
    Some(CheaperType { instance_type: chosen.spec.name.clone(), usd_per_hour: chosen.usd_per_hour })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slices_fill_gpus_as_nvidia_partitions_them() {
        let of = slices(7);
        assert_eq!(bins(vec![of[0]; 7]), 1, "seven of one slice");
        assert_eq!(bins(vec![of[0]; 8]), 2);
        assert_eq!(bins(vec![of[1]; 3]), 1, "three of two slices");
        assert_eq!(bins(vec![of[2]; 2]), 1, "two of three slices, with half of the memory each");
        assert_eq!(bins(vec![of[2]; 3]), 2, "for a third there is no memory");
        assert_eq!(bins(vec![of[3], of[2]]), 1);
        assert_eq!(bins(vec![of[3], of[3]]), 2);
        assert_eq!(bins(Vec::new()), 0);
        assert_eq!(slices(2), [Slice { compute: 0.5, memory: 0.5 }]);
        assert_eq!(slices(1), []);
    }
}
