//! `burntop gpus`: one row per GPU, or one per group of them.

use std::sync::Arc;

use serde_json::{Map, Value as Json, json};

use super::sheet::{Cell, Column, Sheet};
use super::{List, ListField, Notes, Report, json, sources};
use crate::domain::{GpuState, Reading, SourceId};
use crate::fleet::{Fleet, GpuFleet, GpuRow};
use crate::tabs::gpus::picture::{
    self, GpuField, GpuGroup, GpuGrouping, RollUp, blind, group, pulse, words,
};
use crate::view::{Align, TableField, Value, ViewContext, format, reasons};

/// Where the rows of the GPU list come from.
#[derive(Clone, Debug)]
pub struct Gpus {
    /// GPUs of all sources.
    pub gpus: Arc<GpuFleet>,
    /// Fleet that the GPUs belong to, with the readings of its sources.
    pub fleet: Arc<Fleet>,
}

impl ListField for GpuField {
    type Of = Gpus;

    const VIEW: &'static str = "gpus";

    const IDENTITY: &'static [Self] =
        &[Self::InstanceId, Self::GpuIndex, Self::Uuid, Self::Mig, Self::Account, Self::Region];

    fn basis(_: &Gpus) -> String {
        "USD per GPU: its instance's on-demand list price (Spot: the zone's spot price) by GPU \
         equivalents, before commitments, credits and private discounts; waste since idle at \
         today's rate; effective use by the best evidence each GPU has; a month is 730 h"
            .to_owned()
    }

    const SOURCES: &'static [SourceId] = sources::GPUS;

    fn readings(of: &Gpus) -> &[Reading] {
        &of.fleet.readings
    }

    fn first(row: &GpuRow, _: &Gpus, ctx: &ViewContext) -> Vec<(&'static str, Json)> {
        let field = |f: Self| (f.spec().name, json::value(&f.exported(row, ctx)));
        let owner = &row.sample.owner;
        let owner = json!({
            "namespace": owner.namespace,
            "pod": owner.pod,
            "job": owner.job,
            "user": owner.user,
        });
        let since = row.verdict.idle_since.map(|_| row.verdict.idle_since_at_least);
        vec![
            field(Self::Account),
            field(Self::Region),
            field(Self::InstanceId),
            field(Self::Node),
            field(Self::GpuIndex),
            field(Self::Uuid),
            field(Self::Model),
            field(Self::Mig),
            ("gpu_instance", json!(row.key.gpu_instance)),
            field(Self::State),
            field(Self::Rung),
            field(Self::Effective),
            field(Self::Util),
            field(Self::SmActive),
            field(Self::GrEngine),
            field(Self::TensorActive),
            field(Self::DramActive),
            field(Self::NeuronCore),
            field(Self::Enc),
            field(Self::Dec),
            field(Self::MemUsed),
            field(Self::MemTotal),
            field(Self::PowerW),
            field(Self::PowerLimitW),
            field(Self::TempC),
            field(Self::Xid),
            ("owner", owner),
            field(Self::Team),
            field(Self::Workload),
            field(Self::Band),
            field(Self::Gpus),
            field(Self::UsdPerHour),
            field(Self::WasteUsdPerHour),
            field(Self::IdleSince),
            ("idle_since_at_least", json!(since)),
            field(Self::WastedUsd),
            field(Self::Reason),
            field(Self::Advice),
            field(Self::Age),
            ("sources", picture::sources(row).collect()),
            field(Self::Disagreement),
        ]
    }

    /// Instances with missing telemetry.
    fn beside(list: &List<Self>, _: &ViewContext) -> Vec<(&'static str, Json)> {
        vec![("blind", unseen(&list.of.gpus))]
    }

    /// Totals with what they leave out, states, what is not seen.
    fn notes(list: &List<Self>, ctx: &ViewContext) -> Vec<String> {
        let fleet = &*list.of.gpus;
        let sums = RollUp::of(list.each());
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
            format::count(sums.equivalents),
            RollUp::of(fleet.rows.iter().map(|row| &**row)).words(),
            known(sums.known_burn(), format::usd_per_hour),
            known(sums.known_effective_burn(), format::usd_per_hour),
            known(sums.efficiency(), |e| format::share(e, 0)),
            known(sums.known_waste(), format::usd_per_hour),
            ctx.symbols.or_unknown(sums.known_wasted(), |usd| {
                format::at_least(format::usd_total(usd), sums.wasted_at_least)
            }),
        )];
        if sums.rows > 0 {
            let ages = pulse::ages(list.each(), ctx).map(|a| a.words());
            let ages = ages.map(|a| format!(" {dot} {a}")).unwrap_or_default();
            notes.push(format!("states: {}{ages}", sums.state_words()));
        }
        if let Some(all) = pulse::whole(fleet) {
            notes.push(format!(
                "! of the last run's {} the {} that waste most are kept: the sums are of these",
                words::gpus(all, 0, 0.0),
                format::grouped(fleet.rows.len() as f64, 0),
            ));
        }
        let unseen = blind(fleet);
        if let Some(sentence) = unseen.sentence() {
            notes.push(format!("! {sentence}"));
            notes.extend(unseen.fixes().map(|fix| format!("  {fix}")));
        }
        notes
    }
}

/// Instances with missing telemetry.
fn unseen(gpus: &GpuFleet) -> Json {
    let each = gpus.blind.iter().map(|b| {
        let instance = &b.instance.instance;
        json!({
            "account": instance.scope.account,
            "region": instance.scope.region,
            "instance_id": instance.id,
            "missing": b.missing,
            "devices": b.devices,
            "usd_per_hour": json::number(b.usd_per_hour),
            "fix": reasons::blind(&b.cause),
        })
    });
    each.collect()
}

/// GPUs grouped by team, node, owner, model or state.
#[derive(Debug)]
pub struct GpuGroups {
    /// The GPUs, filtered.
    pub list: List<GpuField>,
    /// Field they are grouped by.
    pub by: GpuGrouping,
}

impl GpuGroups {
    fn groups(&self) -> Vec<GpuGroup> {
        let all: Vec<u32> = (0..self.list.rows.len() as u32).collect();
        group(&self.list.rows, &all, self.by)
    }
}

impl Report for GpuGroups {
    fn view(&self) -> &'static str {
        "gpu_groups"
    }

    fn basis(&self) -> String {
        self.list.basis()
    }

    fn readings(&self) -> &[Reading] {
        self.list.readings()
    }

    fn sources(&self) -> Option<&'static [SourceId]> {
        self.list.sources()
    }

    fn rows(&self, _: &ViewContext, most: usize) -> Vec<Json> {
        self.groups().iter().take(most).map(|g| group_row(g, self.by)).collect()
    }

    fn beside(&self, ctx: &ViewContext) -> Vec<(&'static str, Json)> {
        self.list.beside(ctx)
    }

    fn records(&self, ctx: &ViewContext) -> Sheet {
        group_sheet(&self.groups(), self.by, ctx)
    }

    fn notes(&self, ctx: &ViewContext) -> Notes {
        self.list.notes(ctx)
    }
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
        "count": sums.rows,
        "gpus": json::number(Some(sums.equivalents)),
        "states": states,
        "usd_per_hour": json::number(sums.known_burn()),
        "unpriced": sums.unpriced,
        "effective": json::number(sums.efficiency()),
        "measured_gpus": json::number(Some(sums.measured)),
        "effective_usd_per_hour": json::number(sums.known_effective_burn()),
        "waste_usd_per_hour": json::number(sums.known_waste()),
        "wasted_usd": json::number(sums.known_wasted()),
        "wasted_at_least": sums.known_wasted().map(|_| sums.wasted_at_least),
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
            shown: sums.wasted_cell(ctx),
            value: sums.known_wasted().map_or(Value::Unknown, Value::Number),
        },
        number(sums.efficiency(), &|e| format::share(e, 0)),
        number(Some(sums.equivalents), &format::count),
        number(Some(f64::from(sums.rows)), &format::count),
        name,
        Cell::text(sums.state_words()),
    ]
}
