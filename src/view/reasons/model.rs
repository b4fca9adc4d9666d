//! What the fleet tells of a measure on a model, and what says what the model is run for.

use super::size::runtime_name;
use super::spot_because;
use crate::fleet::savings::{
    BoundBy, Capability, Measure, ModelBecause, ModelRow, ModelWorkload, Replicas,
};
use crate::view::format;

/// One clause: what says what a model is run for. Names and tags are called hints.
pub fn because(because: &ModelBecause) -> String {
    match because {
        ModelBecause::Runtime(runtime) => format!("{} runs on its GPUs", runtime_name(*runtime)),
        ModelBecause::Hint(of) => format!("hint: {}", spot_because(of)),
        ModelBecause::ScriptName => "hint: its name speaks of inference or batches".to_owned(),
    }
}

/// One clause: what the fleet tells of the condition of a measure.
pub fn fit(row: &ModelRow) -> String {
    let of = &*row.workload;
    let Some(runs) = row.measure.runs_on(of.capability) else {
        return "the model of its GPUs is not known".to_owned();
    };
    let has = of.capability.map_or_else(String::new, capability);
    if !runs {
        return format!("{has}: it does not run there");
    }
    match row.measure {
        Measure::Batching => engine(of, "batches requests already")
            .unwrap_or_else(|| bound_by(of.bound_by).to_owned()),
        Measure::Int4 | Measure::Pruning => format!("{has}; {}", bound_by(of.bound_by)),
        Measure::Replicas => replicas(of),
        Measure::Fp8 | Measure::Int8 => has,
        Measure::Distillation => "telemetry tells nothing of it".to_owned(),
        Measure::CompiledRuntime => engine(of, "has kernels of its own").unwrap_or_else(|| {
            let name =
                |runtime| format!("{} runs it, in which form is not known", runtime_name(runtime));
            of.runtime.map_or_else(|| "nothing names its runtime".to_owned(), name)
        }),
        Measure::SmallerGpu => {
            "right-sizing names a type that would do with less memory".to_owned()
        }
    }
}

fn capability((major, minor): Capability) -> String {
    format!("compute capability {major}.{minor}")
}

/// What an engine for LLMs does; `None` where none is named.
fn engine(of: &ModelWorkload, does: &str) -> Option<String> {
    let runtime = of.runtime.filter(|runtime| runtime.is_engine())?;
    Some(format!("{} {does}", runtime_name(runtime)))
}

fn bound_by(of: Option<BoundBy>) -> &'static str {
    match of {
        Some(BoundBy::Memory) => "memory is active more than the tensor cores",
        Some(BoundBy::Compute) => "tensor cores are active as much as memory",
        None => "no sample under load compares memory with tensor cores",
    }
}

fn replicas(of: &ModelWorkload) -> String {
    match of.replicas {
        Replicas::Known(n) => {
            let used = format::share(of.usage, 0);
            format!("{} at low use, used {used}", format::plural(n as usize, "replica"))
        }
        Replicas::Unknown => "how many do the same is not known".to_owned(),
    }
}
