//! The "why" page: everything a verdict rests on, as text and numbers.

use std::sync::Arc;

use super::evidence::{EvidenceLine, lines};
use super::field_value::owner_words;
use super::graph::{GraphPage, graphs};
use super::stakes::{Stakes, stakes};
use crate::analyze::idle::Preset;
use crate::domain::{EvidenceRole, SeriesSet, Unchecked, Verdict, VerdictKind};
use crate::fleet::Row;
use crate::tabs::idle::picture::Field;
use crate::view::{TableField, ViewContext, format, reasons};

/// Content of the Why page of one instance. Texts are clean and use the context's characters.
#[derive(Clone, Debug, PartialEq)]
pub struct WhyPage {
    /// Name or id, type, account and region.
    pub headline: String,
    /// Instance id.
    pub instance_id: Arc<str>,
    /// The verdict; `None` without one (not running, or not judged yet).
    pub verdict: Option<VerdictKind>,
    /// Glyph and label of the verdict.
    pub verdict_cell: String,
    /// Reason of the verdict, one sentence.
    pub reason: String,
    /// Length and start of the idle stretch; `None` when not idle.
    pub since: Option<String>,
    /// Length of the idle stretch where its beginning was seen: the hours that are quiet; `None` where all of the window is, and
    /// when not idle.
    pub quiet_for: Option<String>,
    /// Likely reason why it stands idle or does little, with what helps, as the list has it: one sentence, which says so where the
    /// hours of a box with GPUs tell none. `None` where none is known else, and without a verdict that speaks of use.
    pub likely: Option<String>,
    /// Evidence for the preset's own tests.
    pub tests: Vec<EvidenceLine>,
    /// Counter-evidence: signals that would contradict idle.
    pub counters: Vec<EvidenceLine>,
    /// Signals that were not checked and could matter.
    pub not_checked: Arc<[Unchecked]>,
    /// Name of the preset that the verdict follows.
    pub preset: String,
    /// Source of the preset; `None` for a custom one without a source ([`WhyPage::with_preset_source`]).
    pub preset_source: Option<String>,
    /// Managers of the instance, the most binding first: `asg train-workers`.
    pub owners: Vec<String>,
    /// Price, saving and consequences of a stop.
    pub stakes: Stakes,
    /// Series behind the evidence; `None` until loaded.
    pub graphs: Option<GraphPage>,
}

impl WhyPage {
    /// Sets the source of a custom preset.
    #[must_use]
    pub fn with_preset_source(mut self, source: &str) -> Self {
        self.preset_source = Some(source.to_owned());
        self
    }
}

/// Builds the page. Without `series` (not loaded yet) it lacks graphs; the evidence does not depend on them.
pub fn why(row: &Row, series: Option<&SeriesSet>, policy_name: &str, ctx: &ViewContext) -> WhyPage {
    let instance = &*row.instance;
    let verdict = row.verdict.as_deref();
    let title = if instance.name.is_empty() { &instance.id } else { &instance.name };
    let dot = ctx.symbols.separator();
    let reason = match verdict {
        Some(v) => reasons::verdict(&v.reason),
        None if !instance.state.is_billed() => {
            format!(
                "The instance is {}: no compute charge, nothing to judge.",
                instance.state.word()
            )
        }
        None => "Not judged yet.".to_owned(),
    };
    WhyPage {
        headline: format!("{title} {dot} {} {dot} {}", instance.instance_type, instance.scope),
        instance_id: instance.id.clone(),
        verdict: verdict.map(|v| v.kind),
        verdict_cell: Field::Verdict.cell(row, ctx),
        reason,
        since: verdict.and_then(|v| Some((v.idle_since?, v.idle_since_at_least))).map(
            |(t, edge)| {
                let span = format::span(ctx.now.duration_since(t).as_secs());
                let or = if edge { " or earlier" } else { "" };
                let since = t.strftime("%Y-%m-%d %H:%M");
                format!("{}, since {since} UTC{or}", format::at_least(span, edge))
            },
        ),
        quiet_for: verdict.filter(|v| !v.idle_since_at_least).and_then(|v| {
            let seconds = ctx.now.duration_since(v.idle_since?).as_secs();
            Some(format::span(seconds))
        }),
        likely: verdict.and_then(likely),
        tests: lines(verdict, EvidenceRole::Test, ctx),
        counters: lines(verdict, EvidenceRole::Counter, ctx),
        not_checked: verdict.map(|v| v.not_checked.clone()).unwrap_or_default(),
        preset: policy_name.to_owned(),
        preset_source: Preset::from_name(policy_name).map(|p| p.source().to_owned()),
        owners: instance.owners.iter().map(owner_words).collect(),
        stakes: stakes(row, ctx),
        graphs: graphs(series, verdict, ctx),
    }
}

/// The likely reason and its remedy; of a box with GPUs that wastes something also that there is none.
fn likely(verdict: &Verdict) -> Option<String> {
    use VerdictKind::{Idle, Partial, Underused};
    match &verdict.likely {
        Some(reason) => {
            let helps = reasons::likely_remedy(reason.remedy());
            Some(format!("{}. What helps: {helps}.", reasons::likely(reason)))
        }
        None if verdict.devices > 0 && matches!(verdict.kind, Idle | Partial | Underused) => {
            Some("not known, its hours of use show no habit, as office hours would.".to_owned())
        }
        None => None,
    }
}
