//! `burntop whatif reserve`: the best commitment and what any one is worth.

use serde_json::{Value as Json, json};

use super::super::sheet::{Cell, Sheet};
use super::super::{Format, json, write};
use super::{
    Fact, Page, columns, demand_json, demand_line, number, payment, sentences, share,
    valuation_json,
};
use crate::view::{Align, ViewContext, format};
use crate::whatif::{Demand, Payment, Valuation};

/// A commitment over the known hours, with its figures.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HindsightOptimum {
    /// Units committed.
    pub commit: f64,
    /// Cost with the rest on demand, USD.
    pub cost_usd: f64,
    /// Cost of the same demand on demand alone, USD.
    pub on_demand_usd: f64,
    /// Effective savings rate, 1 − cost ÷ on-demand cost; `None` without demand.
    pub esr: Option<f64>,
    /// Share of the demand's unit-hours covered, 0–1; `None` without demand.
    pub coverage: Option<f64>,
    /// Share of the committed unit-hours that are used, 0–1; `None` without a commitment.
    pub utilisation: Option<f64>,
}

/// Answer for one family.
#[derive(Clone, Debug, PartialEq)]
pub struct ReserveFamily {
    /// Name of the family.
    pub family: String,
    /// On-demand price, USD per unit and hour; `None` where not known.
    pub on_demand: Option<f64>,
    /// Name of the offer and its rate, USD per unit and hour; `None` without an offer that has a rate.
    pub offer: Option<(String, f64)>,
    /// Commitment with the lowest mean cost; `None` where not known.
    pub optimum: Option<HindsightOptimum>,
    /// Valuation of the requested units, or of the optimum; `None` without a price.
    pub valuation: Option<Valuation>,
    /// Months after which demand may vanish without a loss; `None` when not within the term.
    pub safe_months: Option<f64>,
    /// Advice of the last 7, 30 and 60 days alone: days and units, `None` where not known.
    pub look_back: Vec<(u16, Option<f64>)>,
}

/// Contents of `burntop whatif reserve`.
#[derive(Clone, Debug, PartialEq)]
pub struct ReserveReport<'a> {
    /// Demand that the commitments are for.
    pub demand: &'a Demand,
    /// Families, in the demand's order.
    pub families: &'a [ReserveFamily],
    /// Valuation of all families together; `None` for one family.
    pub total: Option<&'a Valuation>,
    /// Weeks looked ahead; without futures the whole history is valued.
    pub weeks: u16,
    /// When the commitment is paid.
    pub payment: Payment,
    /// Number of futures; 0 = the history itself.
    pub paths: u32,
    /// Seed of the random draw.
    pub seed: u64,
    /// Assumptions besides the history: growth per year, drift and shock per week; `None` where a scenario file
    /// states them.
    pub assumed: Option<[f64; 3]>,
    /// Inputs that are odd but usable, one sentence each.
    pub warnings: &'a [String],
}

/// Formats the report.
pub fn whatif_reserve(report: &ReserveReport<'_>, format: Format, ctx: &ViewContext) -> String {
    let single = (report.families.len() == 1).then(|| &report.families[0]);
    let [growth, drift, shock] =
        report.assumed.map_or([Json::Null, Json::Null, Json::Null], |a| a.map(|v| json!(v)));
    let more = vec![
        ("demand", demand_json(report.demand)),
        (
            "inputs",
            json!({
                "on_demand": single.and_then(|f| f.on_demand),
                "reserved": single.and_then(|f| f.offer.as_ref()).map(|o| o.1),
                "weeks": report.weeks,
                "payment": payment(report.payment),
                "paths": report.paths,
                "seed": report.seed,
                "growth": growth,
                "drift": drift,
                "shock": shock,
            }),
        ),
        ("optimum", single.and_then(|f| f.optimum).map_or(Json::Null, optimum)),
        (
            "valuation",
            match single {
                Some(family) => valuation(family),
                None => report.total.map_or(Json::Null, |total| valuation_json(total).into()),
            },
        ),
        ("look_back", single.map_or(Json::Null, look_back)),
        ("warnings", json!(report.warnings)),
    ];
    let basis = basis(report);
    let page = Page {
        view: "whatif-reserve",
        rows: report.families.iter().map(row).collect(),
        more,
        facts: facts(report, single, ctx),
        sheet: (report.families.len() > 1).then(|| sheet(report, ctx)),
        notes: sentences(report.demand, report.warnings, &basis),
        basis,
        ..Page::default()
    };
    write(&page, format, ctx)
}

fn optimum(best: HindsightOptimum) -> Json {
    json!({
        "commit": json::number(Some(best.commit)),
        "cost_usd": json::number(Some(best.cost_usd)),
        "on_demand_usd": json::number(Some(best.on_demand_usd)),
        "esr": json::number(best.esr),
        "coverage": json::number(best.coverage),
        "utilisation": json::number(best.utilisation),
    })
}

fn valuation(family: &ReserveFamily) -> Json {
    let Some(value) = &family.valuation else { return Json::Null };
    let mut map = valuation_json(value);
    map.insert("safe_months".to_owned(), json::number(family.safe_months));
    let even = family.offer.as_ref().zip(family.on_demand).map(|(offer, usd)| offer.1 / usd);
    map.insert("break_even".to_owned(), json::number(even));
    map.into()
}

fn look_back(family: &ReserveFamily) -> Json {
    let each = |(days, units): &(u16, Option<f64>)| json!({ "days": days, "commit": json::number(*units) });
    family.look_back.iter().map(each).collect()
}

fn row(family: &ReserveFamily) -> Json {
    json!({
        "family": family.family,
        "on_demand": family.on_demand,
        "offer": family.offer.as_ref().map(|o| &o.0),
        "rate": family.offer.as_ref().map(|o| o.1),
        "optimum": family.optimum.map(optimum),
        "valuation": valuation(family),
        "look_back": look_back(family),
    })
}

fn facts(
    report: &ReserveReport<'_>,
    single: Option<&ReserveFamily>,
    ctx: &ViewContext,
) -> Vec<Fact> {
    let usd = |value: Option<f64>| number(value, ctx, format::usd_total);
    let units = |value: Option<f64>| number(value, ctx, format::count);
    let part = |value: Option<f64>| number(value, ctx, share);
    let months = |value: Option<f64>| number(value, ctx, |m| format!("{m:.1}"));
    let mut out = vec![Fact::new("demand", "Demand", Cell::text(demand_line(report.demand)))];
    let best = single.and_then(|f| f.optimum);
    if let Some(family) = single {
        let even = family.offer.as_ref().zip(family.on_demand).map(|(o, usd)| o.1 / usd);
        out.push(Fact::new("family", "Family", Cell::text(family.family.clone())));
        out.push(Fact::new("break_even", "A unit pays if used", part(even)));
        out.push(Fact::new("optimum_commit", "Best commitment", units(best.map(|b| b.commit))));
        out.push(Fact::new("optimum_cost_usd", "  cost", usd(best.map(|b| b.cost_usd))));
        out.push(Fact::new("on_demand_usd", "  on demand", usd(best.map(|b| b.on_demand_usd))));
        out.push(Fact::new("optimum_esr", "  saves", part(best.and_then(|b| b.esr))));
        out.push(Fact::new("optimum_coverage", "  covers", part(best.and_then(|b| b.coverage))));
        out.push(Fact::new(
            "optimum_utilisation",
            "  used",
            part(best.and_then(|b| b.utilisation)),
        ));
        for (days, advice) in &family.look_back {
            let (name, label) = match days {
                7 => ("look_back_7d", "Last 7 days advise"),
                30 => ("look_back_30d", "Last 30 days advise"),
                _ => ("look_back_60d", "Last 60 days advise"),
            };
            out.push(Fact::new(name, label, units(*advice)));
        }
    }
    let value = single.and_then(|f| f.valuation.as_ref()).or(report.total);
    let Some(value) = value else { return out };
    out.push(Fact::new("commit", "Valued commitment", units(Some(value.commit))));
    let mean = number(Some(value.mean_usd), ctx, |usd| {
        format!("{} ± {}", format::usd_total(usd), format::usd_total(value.mean_error_usd))
    });
    out.push(Fact::new("mean_usd", "  mean cost", mean));
    out.push(Fact::new("p5_usd", "  P5", usd(Some(value.p5_usd))));
    out.push(Fact::new("p50_usd", "  P50", usd(Some(value.p50_usd))));
    out.push(Fact::new("p95_usd", "  P95", usd(Some(value.p95_usd))));
    out.push(Fact::new("valuation_on_demand_usd", "  on demand", usd(Some(value.on_demand_usd))));
    out.push(Fact::new("esr", "  saves", part(value.esr)));
    out.push(Fact::new("coverage", "  covers", part(value.coverage)));
    out.push(Fact::new("utilisation", "  used", part(value.utilisation)));
    out.push(Fact::new(
        "worst5_savings_usd",
        "  saves in the worst 5%",
        usd(Some(value.worst5_savings_usd)),
    ));
    out.push(Fact::new(
        "prob_above_on_demand",
        "  dearer than on demand",
        part(Some(value.prob_above_on_demand)),
    ));
    if value.regret_usd.is_some() {
        out.push(Fact::new("regret_usd", "  regret", usd(value.regret_usd)));
    }
    out.push(Fact::new("lock_in_months", "  lock-in, months", months(Some(value.lock_in_months))));
    out.push(Fact::new("npv_usd", "  present value", usd(Some(value.npv_usd))));
    if let Some(family) = single {
        out.push(Fact::new("safe_months", "  safe after, months", months(family.safe_months)));
    }
    out
}

fn sheet(report: &ReserveReport<'_>, ctx: &ViewContext) -> Sheet {
    let rows = report.families.iter().map(|family| {
        let value = family.valuation.as_ref();
        let offer = family.offer.as_ref().map_or("", |offer| &offer.0);
        vec![
            Cell::text(family.family.clone()),
            Cell::text(offer.to_owned()),
            number(family.optimum.map(|b| b.commit), ctx, format::count),
            number(value.map(|v| v.commit), ctx, format::count),
            number(value.map(|v| v.mean_usd), ctx, format::usd_total),
            number(value.map(|v| v.on_demand_usd), ctx, format::usd_total),
            number(value.and_then(|v| v.esr), ctx, share),
            number(value.map(|v| v.worst5_savings_usd), ctx, format::usd_total),
        ]
    });
    Sheet {
        columns: columns(&[
            ("family", "FAMILY", Align::Left),
            ("offer", "OFFER", Align::Left),
            ("optimum_commit", "BEST", Align::Right),
            ("commit", "COMMIT", Align::Right),
            ("mean_usd", "MEAN COST", Align::Right),
            ("on_demand_usd", "ON DEMAND", Align::Right),
            ("esr", "SAVES", Align::Right),
            ("worst5_savings_usd", "WORST 5%", Align::Right),
        ]),
        rows: rows.collect(),
    }
}

fn basis(report: &ReserveReport<'_>) -> String {
    if report.paths == 0 {
        return "exact hindsight: the known hours of the past at these prices, nominal USD; the \
                optimum is the quantile of demand at 1 - reserved / on-demand"
            .to_owned();
    }
    format!(
        "{} of {} ({} h) made of whole past weeks, seed {}; nominal USD; the optimum \
         has the lowest mean; P5, P50, P95 are order statistics; the error is two standard errors",
        format::plural(report.paths as usize, "future"),
        format::plural(usize::from(report.weeks), "week"),
        u32::from(report.weeks) * 168,
        report.seed
    )
}
