//! `burntop idle`: one row per instance.

use serde_json::{Map, Value as Json, json};

use super::sheet;
use super::{Format, Meta, csv, json, markdown, text};
use crate::domain::{EvidenceRole, PriceBasis, Provenance, Rate, SignalEvidence};
use crate::fleet::commitments::{CoveredBy, Net};
use crate::fleet::{Fleet, Row, Totals};
use crate::view::{Field, TableField, ViewContext, format, idle::DEFAULT_COLUMNS};

/// The columns a format has when none are chosen: the screen's for people, all for machines.
pub fn default_columns(format: Format) -> &'static [Field] {
    match format {
        Format::Table | Format::Md => DEFAULT_COLUMNS,
        Format::Json | Format::Csv => &Field::ALL,
    }
}

/// Writes the rows with these indices, in this order. JSON has its own fixed fields, whatever the
/// columns.
pub fn idle(
    fleet: &Fleet,
    rows: &[u32],
    columns: &[Field],
    format: Format,
    ctx: &ViewContext,
    meta: &Meta<'_>,
) -> String {
    let rows: Vec<&Row> =
        rows.iter().filter_map(|i| fleet.rows.get(*i as usize)).map(|r| &**r).collect();
    match format {
        Format::Json => {
            let rows = rows.iter().map(|r| row(r, ctx)).collect();
            json::document("idle", rows, fleet, ctx, meta)
        }
        Format::Csv => csv::table(&sheet::of(&rows, columns, ctx)),
        Format::Md => {
            let mut out = markdown::table(&sheet::of(&rows, columns, ctx));
            for note in notes(fleet, &rows, ctx, meta) {
                out.push('\n');
                out.push_str(&markdown::escape(&note));
                out.push('\n');
            }
            out
        }
        Format::Table => {
            let mut out = text::table(&sheet::of(&rows, columns, ctx));
            for note in notes(fleet, &rows, ctx, meta) {
                out.push_str(&note);
                out.push('\n');
            }
            out
        }
    }
}

/// One instance as a JSON object on one line, as in `rows[]`.
pub fn row_json(row: &Row, ctx: &ViewContext) -> String {
    self::row(row, ctx).to_string()
}

/// The lines below the table: totals with what they leave out, basis, sources in trouble.
fn notes(fleet: &Fleet, rows: &[&Row], ctx: &ViewContext, meta: &Meta<'_>) -> Vec<String> {
    let totals = Totals::of(rows.iter().copied());
    let dot = ctx.symbols.separator();
    let share = totals
        .waste_share()
        .filter(|_| totals.knows_waste())
        .map(|s| format!(" ({})", format::percent(s * 100.0)));
    let left_out = match totals.unpriced {
        0 => String::new(),
        n => format!(" {dot} {n} left out: price not known"),
    };
    // Nothing priced: the sums are not 0, they are not known.
    let priced = totals.unpriced == 0 || totals.unpriced < totals.running;
    let known = |sum| ctx.symbols.or_unknown(priced.then_some(sum), format::usd_per_hour);
    // Nothing judged: no sum of waste either.
    let wasted = |usd: f64| priced.then_some(usd).filter(|_| totals.knows_waste());
    let line = format!(
        "{} of {} instances {dot} burn {} {dot} waste {}{} {dot} wasted since idle {}{left_out}",
        rows.len(),
        fleet.rows.len(),
        known(totals.burn),
        ctx.symbols.or_unknown(wasted(totals.waste), format::usd_per_hour),
        share.unwrap_or_default(),
        ctx.symbols.or_unknown(wasted(totals.wasted_since), format::usd_total),
    );
    let mut notes = vec![line, format!("basis: {}", meta.basis())];
    notes.extend(super::troubles(fleet));
    notes
}

fn row(row: &Row, ctx: &ViewContext) -> Json {
    let instance = &*row.instance;
    let verdict = row.verdict.as_deref();
    let tags: Map<String, Json> =
        instance.tags.iter().map(|(k, v)| (k.to_owned(), json!(v))).collect();
    let field = |f: Field| json::value(&f.exported(row, ctx));
    json!({
        "account": instance.scope.account,
        "region": instance.scope.region,
        "az": field(Field::Az),
        "instance_id": instance.id,
        "name": field(Field::Name),
        "instance_type": instance.instance_type,
        "gpus": field(Field::Gpus),
        "gpu_model": field(Field::GpuModel),
        "vcpus": field(Field::Vcpus),
        "lifecycle": field(Field::Lifecycle),
        "state": field(Field::State),
        "launched_at": field(Field::LaunchedAt),
        "owner": field(Field::Owner),
        "tags": tags,
        "team": field(Field::Team),
        "project": field(Field::Project),
        "environment": field(Field::Environment),
        "cost_center": field(Field::CostCenter),
        "verdict": field(Field::Verdict),
        "reason": field(Field::Reason),
        "idle_since": field(Field::IdleSince),
        "idle_gpus": verdict.and_then(|v| v.idle_gpus),
        "coverage": field(Field::Coverage),
        "gpu": field(Field::Gpu),
        "cpu": field(Field::Cpu),
        "network_per_day": field(Field::NetworkPerDay),
        "signals": verdict.map(|v| v.signals.iter().map(signal).collect::<Vec<_>>())
            .unwrap_or_default(),
        "not_checked": verdict.map(|v| v.not_checked.clone()).unwrap_or_default(),
        "usd_per_hour": field(Field::UsdPerHour),
        "price_basis": row.rate.as_ref().map(price_basis),
        "waste_usd_per_hour": field(Field::WasteUsdPerHour),
        "wasted_usd": field(Field::WastedUsd),
        "net_usd_per_hour": field(Field::NetUsdPerHour),
        "net_waste_usd_per_hour": field(Field::NetWasteUsdPerHour),
        "covered_by": match row.net.as_deref() {
            Some(Net::Known(cover)) => cover.by.iter().map(covered_by).collect::<Json>(),
            _ => Json::Null,
        },
        "net_unknown": match row.net.as_deref() {
            Some(Net::Unknown(why)) => json!(why),
            _ => Json::Null,
        },
    })
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

fn signal(evidence: &SignalEvidence) -> Json {
    json!({
        "label": evidence.label,
        "signal": evidence.signal.name(),
        "statistic": evidence.statistic,
        "unit": evidence.unit,
        "threshold": json::number(Some(evidence.threshold)),
        "value": json::number(evidence.value),
        "highest": json::number(evidence.highest),
        "got": evidence.got,
        "expected": evidence.expected,
        "role": match evidence.role {
            EvidenceRole::Test => "test",
            EvidenceRole::Counter => "counter",
        },
        "busy": evidence.busy,
        "malformed": evidence.is_malformed(),
    })
}

fn price_basis(rate: &Rate) -> Json {
    let (provenance, date) = match &rate.provenance {
        Provenance::Live { at } => ("live", Some(at.strftime("%Y-%m-%d").to_string())),
        Provenance::Embedded { date } => ("embedded", Some(date.to_string())),
        Provenance::Demo => ("demo", None),
    };
    let basis = match rate.basis {
        PriceBasis::OnDemandList => "on_demand_list",
        PriceBasis::Spot => "spot",
    };
    json!({ "basis": basis, "provenance": provenance, "date": date })
}
