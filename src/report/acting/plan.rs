//! A plan and what its preflight found.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::{Value as Json, json};

use super::{Trouble, errors, left, lines, right};
use crate::act::plan::stakes::VolumeStake;
use crate::act::plan::{
    ActApi, CapUse, CheckedRow, EnvironmentCount, Guard, Kind, Plan, PlanItem, Preflighted,
    Severity, Stakes, Undo,
};
use crate::report::json::number;
use crate::report::page::Page;
use crate::report::sheet::{Cell, Sheet};
use crate::report::{Format, write};
use crate::view::{Value, ViewContext, format};

/// Basis of the figures of a plan.
const BASIS: &str = "USD per hour at list price (Spot: the zone's spot price) when the plan was \
                     drafted, before commitments, credits and private discounts; volumes at list \
                     price per month of 730 h";

/// Contents of a report of a plan beside its rows.
#[derive(Clone, Debug, Default)]
pub struct PlanReport {
    /// The hash of the plan that was written, when one was.
    pub written: Option<String>,
    /// Questions to accounts that failed.
    pub errors: Vec<Trouble>,
}

/// Writes what the preflight of a plan found.
pub fn plan(
    checked: &Preflighted,
    report: &PlanReport,
    format: Format,
    ctx: &ViewContext,
) -> String {
    let page = Page {
        view: "preflight",
        basis: BASIS.to_owned(),
        rows: checked.rows.iter().map(row).collect(),
        sheet: Some(sheet(checked, ctx)),
        notes: notes(checked, report, ctx),
        ..preflight(checked, head(&checked.plan), &checked.environments(), report)
    };
    write(&page, format, ctx)
}

/// The page of a preflight, without what differs by the kind of plan. `plan` are the plan's own
/// words, `environments` what goes by environment.
pub(super) fn preflight<K: Kind>(
    checked: &Preflighted<K>,
    plan: Json,
    environments: &[EnvironmentCount],
    report: &PlanReport,
) -> Page<'static> {
    let breaches: Vec<String> = checked.breaches.iter().map(ToString::to_string).collect();
    Page {
        errors: errors(&report.errors),
        more: vec![
            ("plan", plan),
            ("checked_at", json!(checked.checked_at.to_string())),
            ("callers", json!(checked.callers)),
            ("breaches", json!(breaches)),
            ("caps", json!(checked.caps)),
            ("environments", json!(environments)),
            ("plan_sha256", json!(report.written)),
        ],
        ..Page::default()
    }
}

/// Lines for an approver: the chosen rows by environment, and the use of each cap.
pub(super) fn chosen_lines(
    environments: &[EnvironmentCount],
    caps: &[CapUse],
    ctx: &ViewContext,
) -> Vec<String> {
    let mut lines: Vec<String> =
        environments.iter().map(|e| e.line(ctx.symbols.ellipsis())).collect();
    if !caps.is_empty() {
        let one = |c: &CapUse| {
            let over = if c.over { " OVER" } else { "" };
            format!("{}{over}", c.text)
        };
        let all: Vec<String> = caps.iter().map(one).collect();
        let dot = format!(" {} ", ctx.symbols.separator());
        lines.push(format!("caps: {}", all.join(&dot)));
    }
    lines
}

/// The plan's own words, without its rows.
pub(super) fn head(plan: &Plan) -> Json {
    json!({
        "verb": plan.verb,
        "created_at": plan.created_at.to_string(),
        "expires_at": plan.expires_at.to_string(),
        "preset": plan.preset,
        "filter": plan.filter,
        "justification": plan.justification,
        "fleet_size": plan.fleet_size,
        "net_usd_per_hour": number(plan.net_usd_per_hour),
    })
}

fn sheet(checked: &Preflighted, ctx: &ViewContext) -> Sheet {
    let columns = vec![
        left("go", ""),
        right("usd_per_hour", "$/h"),
        left("instance_id", "ID"),
        left("name", "NAME"),
        left("instance_type", "TYPE"),
        left("account", "ACCOUNT"),
        left("az", "AZ"),
        left("state", "STATE"),
        left("findings", "WHAT THE GUARDS SAY"),
        left("stakes", "AT STAKE"),
    ];
    let cells = |row: &CheckedRow| {
        let go = match row.is_blocked() {
            false => "go",
            true if row.is_only_unarmed() => "unarmed",
            true => "blocked",
        };
        let mut cells = vec![Cell::text(go)];
        cells.extend(common(&row.item, ctx));
        cells.push(Cell::text(said(row, ctx)));
        cells.push(Cell::text(stakes(&row.stakes, ctx)));
        cells
    };
    Sheet { columns, rows: checked.rows.iter().map(cells).collect() }
}

/// Price, id, name, type, account, zone and state.
fn common(item: &PlanItem, ctx: &ViewContext) -> Vec<Cell> {
    let name = if item.name.is_empty() { ctx.symbols.unknown() } else { &item.name };
    vec![
        price(item.usd_per_hour, ctx),
        Cell::text(&*item.id),
        Cell::text(name),
        Cell::text(&*item.instance_type),
        Cell::text(&*item.scope.account),
        Cell::text(&*item.az),
        Cell::text(item.state.word()),
    ]
}

fn price(usd: Option<f64>, ctx: &ViewContext) -> Cell {
    Cell {
        shown: ctx.symbols.or_unknown(usd, |usd| format::grouped(usd, 2)),
        value: usd.map_or(Value::Unknown, Value::Number),
    }
}

/// The rows of a plan as they stand in its file, what they are by environment, and the caps, for who
/// is to approve it.
pub fn rows_of_plan(plan: &Plan, caps: &[CapUse], ctx: &ViewContext) -> String {
    let columns = vec![
        right("usd_per_hour", "$/h"),
        left("instance_id", "ID"),
        left("name", "NAME"),
        left("instance_type", "TYPE"),
        left("account", "ACCOUNT"),
        left("az", "AZ"),
        left("state", "STATE"),
        left("verdict", "VERDICT"),
        left("idle", "IDLE SINCE"),
        left("production", ""),
    ];
    let cells = |item: &PlanItem| {
        let unknown = ctx.symbols.unknown();
        let mut cells = common(item, ctx);
        cells.push(Cell::text(item.verdict.map_or(unknown, crate::domain::VerdictKind::name)));
        cells.push(Cell::text(
            item.idle_since.map_or_else(|| unknown.to_owned(), |t| t.to_string()),
        ));
        cells.push(Cell::text(if item.production { "production" } else { "" }));
        cells
    };
    let sheet = Sheet { columns, rows: plan.items.iter().map(cells).collect() };
    lines(sheet, chosen_lines(&plan.environments(), caps, ctx), ctx)
}

/// Why a row is blocked, or what is worth a second look. That the session is not armed stands below
/// the rows, once.
fn said(row: &CheckedRow, ctx: &ViewContext) -> String {
    let of = |severity| {
        row.findings.iter().filter(move |f| f.severity == severity && !row.is_about_arming(f))
    };
    let worst = if of(Severity::Block).next().is_some() { Severity::Block } else { Severity::Warn };
    let texts: Vec<&str> = of(worst).map(|f| f.text.as_str()).collect();
    texts.join(&format!(" {} ", ctx.symbols.separator()))
}

/// What is lost and what stays, in a few words.
fn stakes(stakes: &Stakes, ctx: &ViewContext) -> String {
    let mut parts = Vec::new();
    let volumes = |what: &str, all: &[VolumeStake]| match all.len() {
        0 => None,
        n => {
            let priced: Option<f64> = all.iter().map(|v| v.usd_per_month).sum();
            let money = priced.map(|usd| format!(" ({}/mo)", format::usd(usd)));
            Some(format!("{what} {}{}", format::plural(n, "volume"), money.unwrap_or_default()))
        }
    };
    parts.extend(volumes("loses", &stakes.dies));
    parts.extend(volumes("keeps", &stakes.stays));
    if stakes.instance_store_gb > 0 {
        let gb = format::grouped(stakes.instance_store_gb as f64, 0);
        parts.push(format!("loses {gb} GB of instance store"));
    }
    if let Some(address) = &stakes.public_ipv4 {
        parts.push(format!("loses {address}"));
    }
    if !stakes.elastic_ips.is_empty() {
        parts.push(format!("keeps {}", stakes.elastic_ips.join(", ")));
    }
    if !stakes.saving_note.is_empty() {
        parts.push(stakes.saving_note.clone());
    }
    parts.join(&format!(" {} ", ctx.symbols.separator()))
}

fn notes(checked: &Preflighted, report: &PlanReport, ctx: &ViewContext) -> Vec<String> {
    let dot = ctx.symbols.separator();
    let prices = |rows: &mut dyn Iterator<Item = &CheckedRow>| -> (usize, f64, usize) {
        rows.fold((0, 0.0, 0), |(n, sum, unknown), row| match row.item.usd_per_hour {
            Some(usd) => (n + 1, sum + usd, unknown),
            None => (n + 1, sum, unknown + 1),
        })
    };
    let (go, usd, unknown) = prices(&mut checked.passed());
    let mut unarmed = checked.rows.iter().filter(|r| r.is_only_unarmed());
    let (would, would_usd, would_unknown) = prices(&mut unarmed);
    let left_out = match unknown {
        0 => String::new(),
        n => format!(" {dot} {n} left out: price not known"),
    };
    let burn =
        ctx.symbols.or_unknown((go == 0 || unknown < go).then_some(usd), format::usd_per_hour);
    let mut notes = vec![format!(
        "{} {dot} {go} of {} may go {dot} {burn}{left_out}",
        checked.plan.verb.word(),
        checked.rows.len(),
    )];
    if would > 0 {
        let left_out = match would_unknown {
            0 => String::new(),
            n => format!(" {dot} {n} left out: price not known"),
        };
        notes.push(format!(
            "{would} would go if armed {dot} {}{left_out}",
            ctx.symbols
                .or_unknown((would_unknown < would).then_some(would_usd), format::usd_per_hour),
        ));
    }
    notes.extend(chosen_lines(&checked.environments(), &checked.caps, ctx));
    notes.extend(arming(checked));
    notes.extend(checked.breaches.iter().map(|b| format!("! cap: {b}")));
    notes.push(format!("basis: {BASIS}"));
    notes.extend(report.errors.iter().map(|e| format!("! {}", e.line())));
    notes
}

/// Why this session may not act, each reason once.
fn arming(checked: &Preflighted) -> Vec<String> {
    let mut reasons: BTreeMap<&str, usize> = BTreeMap::new();
    for row in &checked.rows {
        let first = row.findings.iter().find(|f| {
            f.severity == Severity::Block && matches!(f.guard, Guard::Armed | Guard::Executor)
        });
        if let Some(finding) = first {
            *reasons.entry(&finding.text).or_default() += 1;
        }
    }
    reasons.into_iter().map(|(text, n)| format!("! {}: {text}", format::plural(n, "row"))).collect()
}

/// The fields of an item that every JSON row has.
pub(super) fn item(item: &PlanItem) -> Vec<(&'static str, Json)> {
    vec![
        ("account", json!(item.scope.account)),
        ("region", json!(item.scope.region)),
        ("az", json!(item.az)),
        ("instance_id", json!(item.id)),
        ("name", json!(item.name)),
        ("instance_type", json!(item.instance_type)),
        ("state", json!(item.state)),
        ("launched_at", json!(item.launched_at.to_string())),
        ("verdict", json!(item.verdict)),
        ("idle_since", json!(item.idle_since.map(|t| t.to_string()))),
        ("judged_until", json!(item.judged_until.map(|t| t.to_string()))),
        ("evidence_sha256", json!(item.evidence_sha256)),
        ("usd_per_hour", number(item.usd_per_hour)),
        ("net_usd_per_hour", number(item.net_usd_per_hour)),
        ("covered_by", json!(item.covered_by)),
        ("price_basis", json!(item.price_basis)),
        ("environment", json!(item.environment)),
    ]
}

fn row(row: &CheckedRow) -> Json {
    let mut fields = item(&row.item);
    fields.extend([
        ("production", json!(row.production)),
        ("go", json!(!row.is_blocked())),
        ("findings", json!(row.findings)),
        ("stakes", stakes_json(&row.stakes)),
        ("via", via(&row.via)),
        ("undo", json!(row.undo.as_ref().map(Undo::commands).unwrap_or_default())),
    ]);
    Json::Object(fields.into_iter().map(|(k, v)| (k.to_owned(), v)).collect())
}

fn via(via: &ActApi) -> Json {
    match via {
        ActApi::Ec2 => json!("ec2"),
        ActApi::AutoScaling { .. } => json!("auto_scaling"),
    }
}

fn stakes_json(stakes: &Stakes) -> Json {
    let volumes = |all: &[VolumeStake]| -> Vec<Json> {
        let one = |v: &VolumeStake| {
            json!({
                "volume_id": v.id,
                "device": v.device,
                "size_gib": v.size_gib,
                "usd_per_month": number(v.usd_per_month),
            })
        };
        all.iter().map(one).collect()
    };
    let address: &Option<Arc<str>> = &stakes.public_ipv4;
    json!({
        "dies": volumes(&stakes.dies),
        "stays": volumes(&stakes.stays),
        "instance_store_gb": stakes.instance_store_gb,
        "public_ipv4": address,
        "elastic_ips": stakes.elastic_ips,
        "saves_usd_per_hour": number(stakes.saves_usd_per_hour),
        "net_usd_per_hour": number(stakes.net_usd_per_hour),
        "saving_note": stakes.saving_note,
    })
}
