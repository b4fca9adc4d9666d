//! The bound of each measure for a workload, and whether what the fleet tells speaks for it.

use std::sync::Arc;

use super::TARGET;
use crate::fleet::savings::{
    BoundBy, Fits, GpuRuntime, MEASURES, Measure, ModelRow, ModelWork, ModelWorkload, Replicas,
};

/// A row per measure, the largest bound first, those that do not fit last; measures that cannot be of the workload at all are left
/// out.
///
/// With C what the workload costs, u its use and T the use that it should reach:
///
/// | measure | at most |
/// |---|---|
/// | batching | C (1 − u ÷ T) |
/// | replicas | C (n − ⌈n u ÷ T⌉) ÷ n of n at low use that do the same |
/// | a model that is x times as fast | C (1 − 1 ÷ x), x as published |
/// | a smaller GPU | what right-sizing says of it at list price |
pub(super) fn rows(workload: Arc<ModelWorkload>, smaller: Option<f64>) -> Vec<ModelRow> {
    let of = &*workload;
    let is_possible = |measure: Measure| match measure {
        Measure::SmallerGpu => smaller.is_some(),
        Measure::Replicas => of.work != ModelWork::Script,
        _ => true,
    };
    let measures = MEASURES.iter().map(|spec| spec.measure).filter(|m| is_possible(*m));
    let mut rows: Vec<ModelRow> = measures
        .map(|measure| {
            let fits = fits(measure, of);
            let up_to = match fits {
                Fits::No => Some(0.0),
                Fits::Yes | Fits::Unknown => up_to(measure, of, smaller),
            };
            ModelRow {
                id: format!("{}/{}", of.id, measure.spec().word).into(),
                workload: workload.clone(),
                measure,
                up_to_usd_per_hour: up_to,
                fits,
                is_largest: false,
            }
        })
        .collect();
    let usd = |row: &ModelRow| row.up_to_usd_per_hour.unwrap_or(f64::NEG_INFINITY);
    rows.sort_by(|a, b| {
        let no = |row: &ModelRow| row.fits == Fits::No;
        no(a)
            .cmp(&no(b))
            .then_with(|| usd(b).total_cmp(&usd(a)))
            .then_with(|| a.measure.cmp(&b.measure))
    });
    if let Some(first) = rows.first_mut() {
        // Where none has a known bound the first still stands for its workload.
        let is_nothing = first.up_to_usd_per_hour.is_some_and(|usd| usd <= 0.0);
        first.is_largest = first.fits != Fits::No && !is_nothing;
    }
    rows
}

/// Upper bound of what a measure saves, USD/h; `None` where none is known.
fn up_to(measure: Measure, of: &ModelWorkload, smaller: Option<f64>) -> Option<f64> {
    match measure {
        Measure::Batching => Some(of.usd_per_hour * (1.0 - of.usage / TARGET).max(0.0)),
        Measure::Replicas => match of.replicas {
            Replicas::Known(n) => {
                let (all, kept) = (f64::from(n.max(1)), f64::from(kept(n, of.usage)));
                Some(of.usd_per_hour * (all - kept) / all)
            }
            Replicas::Unknown => None,
        },
        Measure::SmallerGpu => smaller,
        _ => measure.spec().times.map(|times| of.usd_per_hour * (1.0 - 1.0 / times)),
    }
}

/// Replicas that would be used as much as they should be: ⌈n u ÷ T⌉, at least 1.
fn kept(n: u32, usage: f64) -> u32 {
    // A rounding must not keep one more.
    let kept = (f64::from(n) * usage / TARGET - 1e-9).ceil().max(1.0);
    (kept as u32).min(n.max(1))
}

/// Whether what the fleet tells speaks for a measure.
fn fits(measure: Measure, of: &ModelWorkload) -> Fits {
    match measure.runs_on(of.capability) {
        None => return Fits::Unknown,
        Some(false) => return Fits::No,
        Some(true) => {}
    }
    // What helps where this is the bottleneck, and not where the other is.
    let needs = |bottleneck: BoundBy| match of.bound_by {
        Some(found) if found == bottleneck => Fits::Yes,
        Some(_) => Fits::No,
        None => Fits::Unknown,
    };
    match measure {
        // It batches already, what there is to batch.
        Measure::Batching if of.runtime.is_some_and(GpuRuntime::is_engine) => Fits::No,
        Measure::Batching | Measure::Int4 => needs(BoundBy::Memory),
        Measure::Pruning => needs(BoundBy::Compute),
        Measure::Replicas => match of.replicas {
            Replicas::Known(n) if kept(n, of.usage) < n => Fits::Yes,
            Replicas::Known(_) => Fits::No,
            Replicas::Unknown => Fits::Unknown,
        },
        Measure::Fp8 | Measure::Int8 => Fits::Yes,
        Measure::CompiledRuntime if of.runtime.is_some_and(GpuRuntime::is_engine) => Fits::No,
        Measure::CompiledRuntime | Measure::Distillation | Measure::SmallerGpu => Fits::Unknown,
    }
}
