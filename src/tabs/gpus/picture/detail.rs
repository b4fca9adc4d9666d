//! The page of one GPU: everything known of it, and what that rests on.

use std::sync::Arc;

use super::history::{self, GpuGraphPage};
use super::{facts, field_value, words};
use crate::analyze::gpu::Band;
use crate::domain::{GpuHistory, GpuProcess, GpuSignal, GpuState, GpuVerdict, Rung};
use crate::fleet::{GpuFleet, GpuRow};
use crate::view::{ViewContext, format, reasons};

/// A labelled value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fact {
    /// Label of the value.
    pub label: &'static str,
    /// Formatted value.
    pub value: String,
}

/// A line about errors or clocks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Health {
    /// Label of the line.
    pub label: &'static str,
    /// Formatted value.
    pub text: String,
    /// True when someone has to act.
    pub is_bad: bool,
}

/// State of a GPU with its evidence.
#[derive(Clone, Debug, PartialEq)]
pub struct Conclusion {
    /// State of the GPU.
    pub state: GpuState,
    /// Glyph and label of the state.
    pub cell: String,
    /// One sentence: why.
    pub reason: String,
    /// How long it has been idle, `3h12m`, `at least 3h12m`; `None` when it is not.
    pub idle_for: Option<String>,
    /// Why the Jobs tab may tell another beginning, one sentence; `None` where it cannot.
    pub since: Option<&'static str>,
    /// What the scheduler says against the state, one clause; `None` where it says nothing.
    pub scheduled: Option<String>,
    /// Level and signal of the evidence: `A: SM active`.
    pub evidence: String,
    /// What would give better evidence, one sentence; `None` when there is none.
    pub raise: Option<&'static str>,
    /// Number of samples behind the state.
    pub samples: u32,
    /// Evidence for idle, one sentence each.
    pub for_idle: Vec<String>,
    /// Evidence against idle, one sentence each.
    pub against: Vec<String>,
    /// Kind of work and band: `inference, Good`; `None` without a known kind.
    pub band: Option<String>,
    /// Advice with its value, USD per month; `None` without any.
    pub advice: Option<String>,
}

/// Activity of one engine of the GPU.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Component {
    /// Signal of the engine.
    pub signal: GpuSignal,
    /// Label of the signal.
    pub label: &'static str,
    /// Activity, 0–1; `None` = not known.
    pub value: Option<f32>,
    /// True when effective use is derived from signals of this kind.
    pub counts: bool,
}

/// A source that reports the GPU.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceLine {
    /// Kind and configured name of the source: `prom main`.
    pub who: String,
    /// Age of its newest reading, seconds.
    pub age_s: i64,
}

/// Content of the page of one GPU.
#[derive(Clone, Debug, PartialEq)]
pub struct GpuDetail {
    /// Title: `gpu-node-0007 GPU 3, H100`.
    pub title: String,
    /// State with its evidence.
    pub conclusion: Conclusion,
    /// Effective use, 0–1; `None` = not known.
    pub effective: Option<f32>,
    /// Upper bound of model FLOPs utilisation, 0–1: tensor activity × share of the highest clock; `None` = not
    /// known.
    pub tensor_bound: Option<f32>,
    /// Activity of its engines, known or not, as far as evidence may come from them.
    pub components: Vec<Component>,
    /// Price, and how it is derived from the instance's.
    pub price: Vec<Fact>,
    /// Ids: UUID, index, model, slice.
    pub identity: Vec<Fact>,
    /// Facts about the instance; empty when no account that is read has it.
    pub instance: Vec<Fact>,
    /// Owner of the work on it, as the source labels it: namespace, pod, user, job.
    pub owner: Vec<Fact>,
    /// Memory, power, clocks, links.
    pub gauges: Vec<Fact>,
    /// Errors, and reasons for reduced clocks.
    pub health: Vec<Health>,
    /// Processes on the GPU; `None` when no source reports processes.
    pub processes: Option<Arc<[GpuProcess]>>,
    /// Indices, in the fleet's rows, of the other MIG slices of the device.
    pub siblings: Vec<u32>,
    /// Sources that report it, the most detailed first.
    pub sources: Vec<SourceLine>,
    /// What the sources disagree about; `None` when they agree.
    pub disagreement: Option<Arc<str>>,
    /// Graphs of its history; `None` where no source keeps one.
    pub graphs: Option<GpuGraphPage>,
}

/// Page of the GPU at index `row` of the fleet's rows, with its history where known; `None` for an index
/// outside them.
pub fn detail(
    fleet: &GpuFleet,
    row: u32,
    history: Option<&GpuHistory>,
    ctx: &ViewContext,
) -> Option<GpuDetail> {
    let index = row;
    let row: &GpuRow = fleet.rows.get(index as usize)?;
    let activity = row.verdict.activity;
    let sources = row.told.iter().map(|t| SourceLine {
        who: format!("{} {}", t.source.word(), t.origin).trim_end().to_owned(),
        age_s: ctx.now.duration_since(t.taken_at).as_secs().max(0),
    });
    Some(GpuDetail {
        title: title(row),
        conclusion: conclusion(row, ctx),
        effective: activity.map(|a| a.effective),
        tensor_bound: activity.and_then(|a| a.tensor_bound),
        components: components(row),
        price: facts::price(row, ctx),
        identity: facts::identity(row, ctx),
        instance: facts::instance(row, ctx),
        owner: facts::owner(row),
        gauges: facts::gauges(row),
        health: facts::health(row),
        processes: row.sample.processes.clone(),
        siblings: siblings(fleet, row),
        sources: sources.collect(),
        disagreement: Some(row.disagreement.clone()).filter(|d| !d.is_empty()),
        graphs: history.and_then(|h| history::graphs(h, &row.verdict, ctx.now)),
    })
}

fn title(row: &GpuRow) -> String {
    let identity = &row.sample.identity;
    let index = identity.index.map(|i| format!(" GPU {i}")).unwrap_or_default();
    let slice = identity.mig.as_ref().map(|m| format!(" slice {}", m.gpu_instance));
    let model = if row.model.is_empty() { String::new() } else { format!(", {}", row.model) };
    format!("{}{index}{}{model}", row.node.short_name(), slice.unwrap_or_default())
}

fn conclusion(row: &GpuRow, ctx: &ViewContext) -> Conclusion {
    let verdict = &*row.verdict;
    let side = |for_idle: bool| -> Vec<String> {
        let side = verdict.witnesses.iter().filter(move |w| w.for_idle == for_idle);
        side.map(reasons::witness).collect()
    };
    let idle_for = verdict.idle_since.map(|since| {
        let span = format::span(ctx.now.duration_since(since).as_secs());
        if verdict.idle_since_at_least { format!("at least {span}") } else { span }
    });
    let band = words::workload(verdict.workload).map(|kind| {
        let band = field_value::band(row).map_or("not known", Band::word);
        format!("{kind}, {band}")
    });
    Conclusion {
        state: verdict.state,
        cell: words::cell(row, ctx.symbols),
        reason: reasons::gpu_row(row),
        idle_for,
        since: reasons::gpu_since(row),
        scheduled: reasons::gpu_scheduled(row),
        evidence: format!("{}: {}", verdict.rung.letter(), verdict.rung.words()),
        raise: raise(verdict, row),
        samples: verdict.samples,
        for_idle: side(true),
        against: side(false),
        band,
        advice: advice(row),
    }
}

/// Source that would give better evidence, in words; `None` when there is none.
fn raise(verdict: &GpuVerdict, row: &GpuRow) -> Option<&'static str> {
    match verdict.rung {
        Rung::A => None,
        Rung::B => Some(
            "SM activity says more: take DCGM_FI_PROF_SM_ACTIVE into the exporter's list of \
             metrics, where it is off by default.",
        ),
        Rung::C => Some(
            "Profiling metrics say more: take DCGM_FI_PROF_GR_ENGINE_ACTIVE, _SM_ACTIVE, \
             _PIPE_TENSOR_ACTIVE and _DRAM_ACTIVE into the exporter's list of metrics.",
        ),
        Rung::D if row.sample.identity.mig.is_some() => Some(
            "On a partitioned GPU only profiling metrics tell slices apart: take \
             DCGM_FI_PROF_GR_ENGINE_ACTIVE into the exporter's list of metrics.",
        ),
        Rung::D => Some("Power alone says little: have the exporter tell utilisation as well."),
        Rung::E => Some("Nothing tells what it does: start an exporter on the host, or add ssh."),
    }
}

/// The advice, with what is wasted a month of 730 h.
fn advice(row: &GpuRow) -> Option<String> {
    let text = reasons::gpu_row_advice(row)?;
    let monthly = row.waste_usd_per_hour.map(|w| w * crate::domain::HOURS_PER_MONTH);
    Some(match monthly.filter(|usd| *usd > 0.0) {
        // The advice may say it already, in its own terms.
        Some(usd) if !text.contains('$') => {
            format!("{text} It wastes {} a month.", format::usd_total(usd))
        }
        _ => text,
    })
}

fn components(row: &GpuRow) -> Vec<Component> {
    const ENGINES: [GpuSignal; 9] = [
        GpuSignal::SmActive,
        GpuSignal::GrEngine,
        GpuSignal::Tensor,
        GpuSignal::Dram,
        GpuSignal::NeuronCore,
        GpuSignal::Util,
        GpuSignal::MemCopy,
        GpuSignal::Enc,
        GpuSignal::Dec,
    ];
    let rung = row.verdict.rung;
    let counts = |signal: GpuSignal| match signal {
        GpuSignal::SmActive | GpuSignal::NeuronCore => rung == Rung::A,
        GpuSignal::GrEngine => rung == Rung::B,
        GpuSignal::Tensor | GpuSignal::Dram => matches!(rung, Rung::A | Rung::B),
        GpuSignal::Util => rung == Rung::C,
        GpuSignal::Enc | GpuSignal::Dec => matches!(rung, Rung::A | Rung::B | Rung::C),
        _ => false,
    };
    let is_neuron = row.sample.signals.get(GpuSignal::NeuronCore).is_some();
    ENGINES
        .into_iter()
        .map(|signal| {
            let value = row.sample.signals.get(signal);
            let counts = value.is_some() && counts(signal);
            Component { signal, label: history::label(signal), value, counts }
        })
        // What the kind of device does not have is not missing.
        .filter(|c| c.value.is_some() || (c.signal != GpuSignal::NeuronCore && !is_neuron))
        .collect()
}

fn siblings(fleet: &GpuFleet, row: &GpuRow) -> Vec<u32> {
    if row.key.gpu_instance.is_none() {
        return Vec::new();
    }
    let mut found: Vec<u32> = (0..fleet.rows.len() as u32)
        .filter(|i| {
            let other = &fleet.rows[*i as usize].key;
            other.device == row.key.device && other.gpu_instance != row.key.gpu_instance
        })
        .collect();
    found.sort_by_key(|i| fleet.rows[*i as usize].key.gpu_instance);
    found
}
