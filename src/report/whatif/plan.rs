//! A planning session as it stands: every scenario with what came of it.

use std::sync::Arc;

use serde_json::{Value as Json, json};

use super::super::sheet::{Cell, Sheet};
use super::super::{Notes, Report, json};
use super::{columns, demand_json, number, share, valuation_json};
use crate::view::{Align, ViewContext, format, reasons};
use crate::whatif::compare::{DemandDifference, demand_difference};
use crate::whatif::{Answer, Demand, ListEntry, Scenario, Slot, SlotComparison, Stage, TornadoBar};

/// A scenario of a planning session.
#[derive(Clone, Debug, PartialEq)]
pub struct SessionPlan {
    /// Slot of the scenario.
    pub slot: Slot,
    /// The scenario.
    pub scenario: Arc<Scenario>,
    /// Valuation of the plan; `None` while none of its present version is known.
    pub answer: Option<Arc<Answer>>,
}

/// Contents of a planning session.
#[derive(Clone, Debug, PartialEq)]
pub struct SessionReport {
    /// Demand of all scenarios.
    pub demand: Arc<Demand>,
    /// Scenarios, in the order of their slots.
    pub plans: Vec<SessionPlan>,
    /// Slot of the scenario that is shown.
    pub active: Slot,
    /// Comparisons known for the scenarios as they are now.
    pub comparisons: Vec<SlotComparison>,
}

impl SessionReport {
    /// The scenario that is shown; `None` where its slot is empty.
    pub fn active(&self) -> Option<&SessionPlan> {
        self.plan(self.active)
    }

    /// The scenario in a slot; `None` where it is empty.
    pub(super) fn plan(&self, slot: Slot) -> Option<&SessionPlan> {
        self.plans.iter().find(|plan| plan.slot == slot)
    }

    /// How the demand of two compared scenarios differs, for every format; `None` where that is not known, so that
    /// their costs are not compared.
    pub(super) fn demand_difference(&self, found: &SlotComparison) -> Option<DemandDifference> {
        let (base, other) = (self.plan(found.base)?, self.plan(found.other)?);
        demand_difference(
            (&base.scenario, base.answer.as_deref()),
            (&other.scenario, other.answer.as_deref()),
        )
    }
}

/// The session; for people the memo of its active scenario.
impl Report for SessionReport {
    fn view(&self) -> &'static str {
        "whatif-plan"
    }

    fn basis(&self) -> String {
        "nominal USD over the scenario's weeks of 168 h; P5, P50, P95 are order statistics; errors are \
         two standard errors, of differences paired"
            .to_owned()
    }

    fn rows(&self, _: &ViewContext, most: usize) -> Vec<Json> {
        self.plans.iter().take(most).map(plan).collect()
    }

    fn beside(&self, _: &ViewContext) -> Vec<(&'static str, Json)> {
        vec![
            ("demand", demand_json(&self.demand)),
            ("active", json!(self.active.letter())),
            ("comparisons", self.comparisons.iter().map(|found| comparison(self, found)).collect()),
        ]
    }

    fn records(&self, ctx: &ViewContext) -> Sheet {
        sheet(self, ctx)
    }

    fn notes(&self, _: &ViewContext) -> Notes {
        Notes::Below(Vec::new())
    }

    fn text(&self, ctx: &ViewContext) -> String {
        super::whatif_memo(self, ctx)
    }

    fn markdown(&self, ctx: &ViewContext) -> String {
        super::whatif_memo(self, ctx)
    }
}

/// A comparison; its figures are null where the demand differs, as dollars would look like a gain there.
fn comparison(report: &SessionReport, found: &SlotComparison) -> Json {
    use DemandDifference as D;
    let is_compared = matches!(report.demand_difference(found), Some(D::None | D::SameWork));
    let figure = |value: f64| json::number(is_compared.then_some(value));
    json!({
        "base": found.base.letter(),
        "other": found.other.letter(),
        "mean_usd": figure(found.result.mean_usd),
        "error_usd": figure(found.result.error_usd),
        "cheaper": figure(found.result.cheaper),
    })
}

fn plan(plan: &SessionPlan) -> Json {
    let answer = plan.answer.as_ref().map(|answer| {
        let families: Vec<Json> = plan
            .scenario
            .families
            .iter()
            .zip(&answer.families)
            .map(|(inputs, found)| {
                json!({
                    "family": inputs.name,
                    "valuation": found.as_ref().map(|found| valuation_json(&found.value)),
                    "offers": found.as_ref().map(|found| {
                        found.offers.iter().map(|offer| json!({
                            "name": offer.name,
                            "rate": json::number(offer.rate),
                            "break_even": json::number(offer.break_even),
                            "best_units": json::number(offer.best_units),
                            "cautious_units": json::number(offer.cautious_units),
                            "bought": json::number(Some(offer.bought)),
                        })).collect::<Vec<_>>()
                    }),
                })
            })
            .collect();
        json!({
            "stage": match answer.stage {
                Stage::Quick => "quick",
                Stage::Settled => "settled",
                Stage::Whole => "whole",
            },
            "paths": answer.paths,
            "weeks": answer.weeks,
            "valuation": valuation_json(&answer.total),
            "advised": answer.advised.as_ref().map(valuation_json),
            "families": families,
            "buy": entries(&answer.lists.buy),
            "plan": entries(&answer.lists.plan),
            "avoid": entries(&answer.lists.avoid),
            "tornado": answer.tornado.iter().map(bar).collect::<Vec<_>>(),
        })
    });
    json!({
        "slot": plan.slot.letter(),
        // Numbers and texts alone: it always can be written.
        "scenario": serde_json::to_value(&*plan.scenario).unwrap_or_default(),
        "answer": answer,
    })
}

/// The entries of a list.
fn entries(entries: &[ListEntry]) -> Vec<Json> {
    let known = |v: f64| json::number(Some(v));
    let each = |entry: &ListEntry| {
        json!({
            "family": entry.family,
            "offer": entry.offer,
            "units": known(entry.units),
            "week": entry.week,
            "usd_per_hour": known(entry.usd_per_hour),
            "upfront_usd": known(entry.upfront_usd),
            "monthly_usd": known(entry.monthly_usd),
            "saves_usd": known(entry.saves_usd),
            "safe_months": json::number(entry.safe_months),
            "lock_in_months": known(entry.lock_in_months),
            "return_above_10_percent": entry.marks[0],
            "break_even_within_9_months": entry.marks[1],
            "utilisation_above_80_percent": entry.marks[2],
            "reason": reasons::list(entry),
        })
    };
    entries.iter().map(each).collect()
}

fn bar(bar: &TornadoBar) -> Json {
    json!({
        "family": bar.family,
        "input": bar.input,
        "values": bar.values,
        "usd": bar.usd.map(|v| json::number(Some(v))),
        "best_units": bar.best_units.map(|v| json::number(Some(v))),
        "decision_changes": bar.decision_changes(),
    })
}

/// A row per scenario and family, and one per scenario for all of them.
fn sheet(report: &SessionReport, ctx: &ViewContext) -> Sheet {
    let mut rows = Vec::new();
    for plan in &report.plans {
        let Some(answer) = &plan.answer else { continue };
        let families = plan.scenario.families.iter().zip(&answer.families);
        let families =
            families.map(|(inputs, found)| (&*inputs.name, found.as_ref().map(|f| &f.value)));
        for (family, value) in std::iter::once(("", Some(&answer.total))).chain(families) {
            let usd = |v: Option<f64>| number(v, ctx, format::usd_total);
            let part = |v: Option<f64>| number(v, ctx, share);
            rows.push(vec![
                Cell::text(plan.slot.letter()),
                Cell::text(plan.scenario.name.clone()),
                Cell::text(family.to_owned()),
                number(value.map(|v| v.commit), ctx, format::count),
                usd(value.map(|v| v.mean_usd)),
                usd(value.map(|v| v.mean_error_usd)),
                usd(value.map(|v| v.p5_usd)),
                usd(value.map(|v| v.p50_usd)),
                usd(value.map(|v| v.p95_usd)),
                usd(value.map(|v| v.on_demand_usd)),
                usd(value.map(|v| v.worst5_savings_usd)),
                part(value.map(|v| v.prob_above_on_demand)),
                part(value.and_then(|v| v.esr)),
                part(value.and_then(|v| v.coverage)),
                part(value.and_then(|v| v.utilisation)),
            ]);
        }
    }
    Sheet {
        columns: columns(&[
            ("slot", "SLOT", Align::Left),
            ("scenario", "SCENARIO", Align::Left),
            ("family", "FAMILY", Align::Left),
            ("commit", "COMMIT", Align::Right),
            ("mean_usd", "MEAN COST", Align::Right),
            ("mean_error_usd", "ERROR", Align::Right),
            ("p5_usd", "P5", Align::Right),
            ("p50_usd", "P50", Align::Right),
            ("p95_usd", "P95", Align::Right),
            ("on_demand_usd", "ON DEMAND", Align::Right),
            ("worst5_savings_usd", "WORST 5%", Align::Right),
            ("prob_above_on_demand", "DEARER", Align::Right),
            ("esr", "SAVES", Align::Right),
            ("coverage", "COVERED", Align::Right),
            ("utilisation", "USED", Align::Right),
        ]),
        rows,
    }
}
