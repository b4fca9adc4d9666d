//! `burntop gpus`: one row per GPU, or one per group of them.

use serde_json::{Map, Value as Json, json};

use super::sheet::{self, Cell, Column, Sheet};
use super::{Format, Meta, csv, json, markdown, text};
use crate::domain::text::clean;
use crate::domain::{GpuState, Reading};
use crate::fleet::{GpuFleet, GpuRow};
use crate::view::gpu::{
    self, DEFAULT_COLUMNS, GpuField, GpuGroup, GpuGrouping, RollUp, blind, group, pulse, words,
};
use crate::view::{Align, TableField, Value, ViewContext, format};

/// The GPUs to report and where they come from.
#[derive(Clone, Copy, Debug)]
pub struct GpuReport<'a> {
    /// Every GPU.
    pub fleet: &'a GpuFleet,
    /// Those to report: indices into the fleet's rows, in their order.
    pub rows: &'a [u32],
    /// What was read.
    pub readings: &'a [Reading],
}

impl GpuReport<'_> {
    fn shown(&self) -> Vec<&GpuRow> {
        let row = |i: &u32| self.fleet.rows.get(*i as usize).map(|r| &**r);
        self.rows.iter().filter_map(row).collect()
    }
}

/// The columns a format has when none are chosen: the screen's for people, all for machines.
pub fn default_gpu_columns(format: Format) -> &'static [GpuField] {
    match format {
        Format::Table | Format::Md => DEFAULT_COLUMNS,
        Format::Json | Format::Csv => &GpuField::ALL,
    }
}

/// Writes the GPUs. JSON has its own fixed fields, whatever the columns.
pub fn gpus(
    report: GpuReport<'_>,
    columns: &[GpuField],
    format: Format,
    ctx: &ViewContext,
    meta: &Meta<'_>,
) -> String {
    let rows = report.shown();
    match format {
        Format::Json => {
            document("gpus", rows.iter().map(|r| row(r, ctx)).collect(), report, ctx, meta)
        }
        Format::Csv => csv::table(&sheet::of(&rows, columns, ctx)),
        Format::Md | Format::Table => {
            people(&sheet::of(&rows, columns, ctx), report, format, ctx, meta)
        }
    }
}

/// Writes a row per group of the GPUs: those of one team, node, owner, model or state.
pub fn gpu_groups(
    report: GpuReport<'_>,
    by: GpuGrouping,
    format: Format,
    ctx: &ViewContext,
    meta: &Meta<'_>,
) -> String {
    let groups = group(&report.fleet.rows, report.rows, by);
    match format {
        Format::Json => {
            let rows = groups.iter().map(|g| group_row(g, by)).collect();
            document("gpu_groups", rows, report, ctx, meta)
        }
        Format::Csv => csv::table(&group_sheet(&groups, by, ctx)),
        Format::Md | Format::Table => {
            people(&group_sheet(&groups, by, ctx), report, format, ctx, meta)
        }
    }
}

/// One GPU as a JSON object on one line, as in `rows[]`.
pub fn gpu_row_json(row: &GpuRow, ctx: &ViewContext) -> String {
    self::row(row, ctx).to_string()
}

/// A table for people with its notes.
fn people(
    sheet: &Sheet,
    report: GpuReport<'_>,
    format: Format,
    ctx: &ViewContext,
    meta: &Meta<'_>,
) -> String {
    let is_md = format == Format::Md;
    let mut out = if is_md { markdown::table(sheet) } else { text::table(sheet) };
    for note in notes(report, ctx, meta) {
        if is_md {
            out.push('\n');
            out.push_str(&markdown::escape(&note));
        } else {
            out.push_str(&note);
        }
        out.push('\n');
    }
    out
}

/// What the figures mean, one sentence.
fn basis(meta: &Meta<'_>) -> String {
    let filter = meta.filter.filter(|f| !f.is_empty()).map(clean);
    format!(
        "USD per GPU: its instance's on-demand list price (Spot: the zone's spot price) by GPU \
         equivalents, before commitments, credits and private discounts; waste since idle at \
         today's rate; effective use by the best evidence each GPU has; a month is 730 h{}",
        filter.map(|f| format!("; filter {f}")).unwrap_or_default(),
    )
}

/// The lines below the table: totals with what they leave out, states, what is not seen, basis,
/// sources in trouble.
fn notes(report: GpuReport<'_>, ctx: &ViewContext, meta: &Meta<'_>) -> Vec<String> {
    let rows = report.shown();
    let sums = RollUp::of(rows.iter().copied());
    let dot = ctx.symbols.separator();
    let known = |sum, words: fn(f64) -> String| ctx.symbols.or_unknown(sum, words);
    let mut left_out = Vec::new();
    if sums.unpriced > 0 {
        left_out.push(format!("{} without a price", sums.unpriced));
    }
    let blurred = (sums.equivalents - sums.measured).max(0.0);
    if blurred > 1e-9 {
        left_out.push(format!("{} of unknown use", format::count(blurred)));
    }
    let left_out = match left_out.as_slice() {
        [] => String::new(),
        parts => format!(" {dot} left out: {}", parts.join(", ")),
    };
    let mut notes = vec![format!(
        "{} of {} {dot} burn {} {dot} effective {} ({}) {dot} waste {} {dot} wasted since idle \
         {}{left_out}",
        format::count(f64::from(sums.gpus)),
        words::gpus(report.fleet.rows.len() as u32),
        known(sums.known_burn(), format::usd_per_hour),
        known(sums.known_effective_burn(), format::usd_per_hour),
        known(sums.efficiency().map(|e| e * 100.0), format::percent),
        known(sums.known_waste(), format::usd_per_hour),
        known(sums.known_wasted(), format::usd_total),
    )];
    if sums.gpus > 0 {
        let ages = pulse::ages(rows.iter().copied(), ctx).map(|a| a.words());
        let ages = ages.map(|a| format!(" {dot} {a}")).unwrap_or_default();
        notes.push(format!("states: {}{ages}", sums.state_words()));
    }
    let all: u32 = report.fleet.totals.by_state.iter().map(|s| s.count).sum();
    let kept = report.fleet.rows.len() as u32;
    if all > kept {
        notes.push(format!(
            "! of the last run's {} the {} that waste most are kept: the sums are of these",
            words::gpus(all),
            format::count(f64::from(kept)),
        ));
    }
    let unseen = blind(report.fleet);
    if let Some(sentence) = unseen.sentence() {
        notes.push(format!("! {sentence}"));
        notes.extend(unseen.fixes().map(|fix| format!("  {fix}")));
    }
    notes.push(format!("basis: {}", basis(meta)));
    notes.extend(super::troubles_of(report.readings));
    notes
}

/// The JSON document, with the instances of which something is not told.
fn document(
    view: &str,
    rows: Vec<Json>,
    report: GpuReport<'_>,
    ctx: &ViewContext,
    meta: &Meta<'_>,
) -> String {
    let blind = report.fleet.blind.iter().map(|b| {
        let instance = &b.instance.instance;
        json!({
            "account": instance.scope.account,
            "region": instance.scope.region,
            "instance_id": instance.id,
            "missing": b.missing,
            "devices": b.devices,
            "usd_per_hour": json::number(b.usd_per_hour),
            "fix": b.fix,
        })
    });
    let more = Map::from_iter([("blind".to_owned(), blind.collect())]);
    json::envelope(view, rows, more, &basis(meta), report.readings, ctx)
}

fn row(row: &GpuRow, ctx: &ViewContext) -> Json {
    let field = |f: GpuField| json::value(&f.exported(row, ctx));
    let owner = &row.sample.owner;
    let verdict = &row.verdict;
    let sources: Vec<&str> = gpu::sources(row).collect();
    json!({
        "account": field(GpuField::Account),
        "region": field(GpuField::Region),
        "instance_id": field(GpuField::InstanceId),
        "node": field(GpuField::Node),
        "gpu_index": field(GpuField::GpuIndex),
        "uuid": field(GpuField::Uuid),
        "model": field(GpuField::Model),
        "mig": field(GpuField::Mig),
        "gpu_instance": row.key.gpu_instance,
        "state": field(GpuField::State),
        "rung": field(GpuField::Rung),
        "effective": field(GpuField::Effective),
        "util": field(GpuField::Util),
        "sm_active": field(GpuField::SmActive),
        "gr_engine_active": field(GpuField::GrEngine),
        "tensor_active": field(GpuField::TensorActive),
        "dram_active": field(GpuField::DramActive),
        "neuroncore": field(GpuField::NeuronCore),
        "enc": field(GpuField::Enc),
        "dec": field(GpuField::Dec),
        "mem_used": field(GpuField::MemUsed),
        "mem_total": field(GpuField::MemTotal),
        "power_w": field(GpuField::PowerW),
        "power_limit_w": field(GpuField::PowerLimitW),
        "temp_c": field(GpuField::TempC),
        "xid": field(GpuField::Xid),
        "owner": {
            "namespace": owner.namespace,
            "pod": owner.pod,
            "job": owner.job,
            "user": owner.user,
        },
        "team": field(GpuField::Team),
        "workload": field(GpuField::Workload),
        "band": field(GpuField::Band),
        "gpus": field(GpuField::Gpus),
        "usd_per_hour": field(GpuField::UsdPerHour),
        "waste_usd_per_hour": field(GpuField::WasteUsdPerHour),
        "idle_since": field(GpuField::IdleSince),
        "idle_since_at_least": verdict.idle_since.map(|_| verdict.idle_since_at_least),
        "wasted_usd": field(GpuField::WastedUsd),
        "reason": field(GpuField::Reason),
        "advice": field(GpuField::Advice),
        "age_s": field(GpuField::Age),
        "sources": sources,
        "disagreement": field(GpuField::Disagreement),
    })
}

/// A group as JSON. Sums leave out what is not known: `unpriced` GPUs have no price, and
/// `effective` rests on `measured_gpus` GPU equivalents of `gpus`.
fn group_row(group: &GpuGroup, by: GpuGrouping) -> Json {
    let sums = &group.sums;
    let states: Map<String, Json> = GpuState::ALL
        .into_iter()
        .map(|state| (state.name().to_owned(), json!(sums.count(state))))
        .collect();
    json!({
        "group_by": by.name(),
        "group": group.key,
        "name": group.key.as_ref().map(|_| &group.label),
        "count": sums.gpus,
        "gpus": json::number(Some(sums.equivalents)),
        "states": states,
        "usd_per_hour": json::number(sums.known_burn()),
        "unpriced": sums.unpriced,
        "effective": json::number(sums.efficiency()),
        "measured_gpus": json::number(Some(sums.measured)),
        "effective_usd_per_hour": json::number(sums.known_effective_burn()),
        "waste_usd_per_hour": json::number(sums.known_waste()),
        "wasted_usd": json::number(sums.known_wasted()),
    })
}

fn group_sheet(groups: &[GpuGroup], by: GpuGrouping, ctx: &ViewContext) -> Sheet {
    const fn column(name: &'static str, header: &'static str, align: Align) -> Column {
        Column { name, header, align }
    }
    let heading = match by {
        GpuGrouping::Node => "NODE",
        GpuGrouping::Team => "TEAM",
        GpuGrouping::Owner => "OWNER",
        GpuGrouping::Model => "MODEL",
        GpuGrouping::State => "STATE",
        GpuGrouping::Flat => "",
    };
    let columns = vec![
        column("usd_per_hour", "$/h", Align::Right),
        column("effective_usd_per_hour", "EFF/h", Align::Right),
        column("waste_usd_per_hour", "WASTE/h", Align::Right),
        column("wasted_usd", "WASTED", Align::Right),
        column("effective", "ACT", Align::Right),
        column("gpus", "GPUS", Align::Right),
        column("count", "COUNT", Align::Right),
        column("group", heading, Align::Left),
        column("states", "STATES", Align::Left),
    ];
    let rows = groups.iter().map(|g| group_cells(g, ctx)).collect();
    Sheet { columns, rows }
}

fn group_cells(group: &GpuGroup, ctx: &ViewContext) -> Vec<Cell> {
    let sums = &group.sums;
    let number = |value: Option<f64>, words: &dyn Fn(f64) -> String| Cell {
        shown: ctx.symbols.or_unknown(value, words),
        value: value.map_or(Value::Unknown, Value::Number),
    };
    let rate = |value| number(value, &|usd| format::grouped(usd, 2));
    let name = match &group.key {
        Some(key) => {
            Cell { shown: group.label.to_string(), value: Value::Text(key.to_string().into()) }
        }
        None => Cell { shown: group.label.to_string(), value: Value::Unknown },
    };
    vec![
        rate(sums.known_burn()),
        rate(sums.known_effective_burn()),
        rate(sums.known_waste()),
        Cell {
            // As in the rows: a dash where no spell of idleness has cost anything.
            shown: ctx
                .symbols
                .or_unknown(sums.known_wasted().filter(|usd| *usd > 0.0), format::usd_total),
            value: sums.known_wasted().map_or(Value::Unknown, Value::Number),
        },
        number(sums.efficiency(), &|e| format::percent(e * 100.0)),
        number(Some(sums.equivalents), &format::count),
        number(Some(f64::from(sums.gpus)), &format::count),
        name,
        Cell::text(sums.state_words()),
    ]
}
