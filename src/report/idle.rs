//! `burntop idle`: one row per instance.

use std::sync::Arc;

use serde_json::{Map, Value as Json, json};

use super::{List, ListField, fleet_basis, json, sources};
use crate::domain::{PriceBasis, Provenance, Rate, Reading, SourceId};
use crate::fleet::commitments::{CoveredBy, Net};
use crate::fleet::{Fleet, Row, Totals};
use crate::tabs::idle::picture::{DEFAULT_COLUMNS, Field};
use crate::view::{TableField, ViewContext, format, reasons};

/// Where the rows of the instance list come from.
#[derive(Clone, Debug)]
pub struct Instances {
    /// The fleet.
    pub fleet: Arc<Fleet>,
    /// Name of the preset that verdicts follow.
    pub preset: String,
}

impl ListField for Field {
    type Of = Instances;

    const VIEW: &'static str = "idle";

    const COLUMNS: &'static [Self] = DEFAULT_COLUMNS;

    const IDENTITY: &'static [Self] = &[Self::InstanceId, Self::Account, Self::Region];

    fn basis(of: &Instances) -> String {
        fleet_basis(&of.preset)
    }

    const SOURCES: &'static [SourceId] = sources::INSTANCES;

    fn readings(of: &Instances) -> &[Reading] {
        &of.fleet.readings
    }

    fn first(row: &Row, _: &Instances, ctx: &ViewContext) -> Vec<(&'static str, Json)> {
        let instance = &*row.instance;
        let verdict = row.verdict.as_deref();
        let tags: Map<String, Json> =
            instance.tags.iter().map(|(k, v)| (k.to_owned(), json!(v))).collect();
        let field = |f: Self| (f.spec().name, json::value(&f.exported(row, ctx)));
        vec![
            ("account", json!(instance.scope.account)),
            ("region", json!(instance.scope.region)),
            field(Self::Az),
            ("instance_id", json!(instance.id)),
            field(Self::Name),
            ("instance_type", json!(instance.instance_type)),
            field(Self::Gpus),
            field(Self::GpuModel),
            field(Self::Vcpus),
            field(Self::Lifecycle),
            field(Self::State),
            field(Self::LaunchedAt),
            field(Self::Owner),
            field(Self::Ask),
            field(Self::AskFrom),
            field(Self::LaunchedBy),
            ("tags", Json::Object(tags)),
            field(Self::Team),
            field(Self::Project),
            field(Self::Environment),
            field(Self::CostCenter),
            field(Self::Verdict),
            field(Self::Reason),
            field(Self::Likely),
            (
                "likely_because",
                json!(verdict.and_then(|v| v.likely.as_deref()).map(reasons::likely)),
            ),
            (
                "likely_remedy",
                json!(verdict.and_then(|v| v.likely.as_ref()).map(|l| l.remedy().word())),
            ),
            field(Self::IdleSince),
            (
                "idle_since_at_least",
                json!(verdict.and_then(|v| v.idle_since.map(|_| v.idle_since_at_least))),
            ),
            ("idle_gpus", json!(verdict.and_then(|v| v.idle_gpus))),
            field(Self::Coverage),
            field(Self::Gpu),
            field(Self::Cpu),
            field(Self::NetworkPerDay),
            (
                "signals",
                verdict.map_or_else(|| json!([]), |v| v.signals.iter().map(json::signal).collect()),
            ),
            ("not_checked", json::not_checked(verdict)),
            field(Self::UsdPerHour),
            ("price_basis", json!(row.rate.as_ref().map(price_basis))),
            field(Self::WasteUsdPerHour),
            field(Self::WastedUsd),
            field(Self::NetUsdPerHour),
            field(Self::NetWasteUsdPerHour),
            (
                "covered_by",
                match row.net.as_deref() {
                    Some(Net::Known(cover)) => cover.by.iter().map(covered_by).collect(),
                    _ => Json::Null,
                },
            ),
            (
                "net_unknown",
                match row.net.as_deref() {
                    Some(Net::Unknown(why)) => json!(reasons::net_unknown(why)),
                    _ => Json::Null,
                },
            ),
        ]
    }

    /// Totals with what they leave out.
    fn notes(list: &List<Self>, ctx: &ViewContext) -> Vec<String> {
        let totals = Totals::of(list.each());
        let dot = ctx.symbols.separator();
        let share = totals
            .waste_share()
            .filter(|_| totals.knows_waste())
            .map(|s| format!(" ({})", format::share(s, 0)));
        let left_out = match totals.unpriced {
            0 => String::new(),
            n => format!(" {dot} {n} left out: price not known"),
        };
        // Nothing priced: the sums are not 0, they are not known.
        let priced = totals.unpriced == 0 || totals.unpriced < totals.running;
        let known = |sum| ctx.symbols.or_unknown(priced.then_some(sum), format::usd_per_hour);
        // Nothing judged: no sum of waste either.
        let wasted = |usd: f64| priced.then_some(usd).filter(|_| totals.knows_waste());
        vec![format!(
            "{} of {} instances {dot} burn {} {dot} waste {}{} {dot} wasted since idle {}{left_out}",
            list.rows.len(),
            list.of.fleet.rows.len(),
            known(totals.burn),
            ctx.symbols.or_unknown(wasted(totals.waste), format::usd_per_hour),
            share.unwrap_or_default(),
            ctx.symbols.or_unknown(wasted(totals.wasted_since), |usd| {
                format::at_least(format::usd_total(usd), totals.wasted_at_least)
            }),
        )]
    }
}

/// A commitment that pays for a part of the instance.
fn covered_by(by: &CoveredBy) -> Json {
    json!({
        "id": by.id,
        "kind": by.kind.word(),
        "account": by.account,
        "share": json::number(Some(by.share)),
        "usd_per_hour": json::number(by.usd_per_hour),
        "until": by.until.map(|t| t.to_string()),
    })
}

fn price_basis(rate: &Rate) -> Json {
    let (provenance, date) = match &rate.provenance {
        Provenance::Live { at } => ("live", Some(at.strftime("%Y-%m-%d").to_string())),
        Provenance::Embedded { date } => ("embedded", Some(date.to_string())),
        Provenance::Demo => ("demo", None),
        Provenance::Configured => ("configured", None),
        Provenance::Bill { period } => ("bill", Some(period.to_string())),
    };
    let basis = match rate.basis {
        PriceBasis::OnDemandList => "on_demand_list",
        PriceBasis::Spot => "spot",
        PriceBasis::Private => "private",
    };
    json!({ "basis": basis, "provenance": provenance, "date": date })
}
