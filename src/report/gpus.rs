//! `burntop gpus`: one row per GPU.

use std::sync::Arc;

use serde_json::{Value as Json, json};

use super::{List, ListField, json, sources};
use crate::domain::{Reading, SourceId};
use crate::fleet::{Fleet, GpuFleet, GpuRow};
use crate::tabs::gpus::picture::{self, GpuField, RollUp, blind, pulse, words};
use crate::view::{TableField, ViewContext, format, reasons};

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
