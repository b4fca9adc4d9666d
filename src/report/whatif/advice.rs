//! What a memo advises, in words: what to buy now beside what the scenario buys, and why so much.

use super::share;
use crate::view::{format, reasons};
use crate::whatif::{Answer, Buy, FamilyInputs, ListEntry, Scenario, Stage};

/// True where purchases were judged: over futures, and at the last stage.
pub(super) fn is_judged(answer: &Answer) -> bool {
    answer.stage == Stage::Whole && answer.paths > 0
}

/// True where a scenario has nothing but what is held.
pub(super) fn buys_nothing(scenario: &Scenario) -> bool {
    let buys = |family: &FamilyInputs| family.buys.iter().any(|buy| buy.units > 0.0);
    !scenario.families.iter().any(buys) && scenario.compute_plans.iter().all(|plan| plan.held)
}

/// What to do, with its dollars beside those of the same demand on demand; `name` cuts only what is longer than any real name.
pub(super) fn decision(
    scenario: &Scenario,
    answer: &Answer,
    name: &dyn Fn(&str) -> String,
) -> String {
    if answer.stage < Stage::Whole {
        return "The lists were not made yet when this memo was written.".to_owned();
    }
    if answer.paths == 0 {
        return "None: the past itself was valued, and purchases are judged over futures (paths above 0)."
            .to_owned();
    }
    let planned = match answer.lists.plan.len() {
        0 => String::new(),
        n => format!(
            " {} planned for later, to be judged again then.",
            format::counted(n, "purchase is", "purchases are")
        ),
    };
    let Some(advised) = answer.advised.as_ref() else {
        return format!("Buy nothing now: no offer with a known rate pays.{planned}");
    };
    let buy = &answer.lists.buy;
    let rate: f64 = buy.iter().map(|entry| entry.usd_per_hour).sum();
    let what = match &buy[..] {
        [one] => {
            let what = name(&format!("{} {}", one.family, one.offer));
            format!(
                "buy {} {what} now for {}",
                format::count(one.units),
                format::usd_per_hour(rate)
            )
        }
        all => format!(
            "buy now what the table says, {} for {}",
            format::plural(all.len(), "offer"),
            format::usd_per_hour(rate)
        ),
    };
    let saved = advised.on_demand_usd - advised.mean_usd;
    let less = if saved < 0.0 { "more" } else { "less" };
    let saved = format!("{} {less}", format::usd_total(saved.abs()));
    let esr = advised.esr.map_or_else(String::new, |esr| format!(" ({})", share(esr)));
    format!(
        "Recommended: {what}{}: {} on average where all of it on demand is {}, {}{esr}; in nine futures of ten {} to \
         {}.{planned}",
        instead(scenario, buy),
        format::usd_total(advised.mean_usd),
        format::usd_total(advised.on_demand_usd),
        saved,
        format::usd_total(advised.p5_usd),
        format::usd_total(advised.p95_usd),
    )
}

/// What the scenario itself buys, beside what is advised; nothing where it buys nothing.
fn instead(scenario: &Scenario, advised: &[ListEntry]) -> String {
    if buys_nothing(scenario) {
        return String::new();
    }
    let of = |family: &FamilyInputs, buy: &Buy| {
        (family.name.clone(), buy.offer.clone(), buy.week, format::count(buy.units))
    };
    let own: Vec<_> = scenario
        .families
        .iter()
        .flat_map(|family| family.buys.iter().map(move |buy| (family, buy)))
        .filter(|(_, buy)| buy.units > 0.0)
        .map(|(family, buy)| of(family, buy))
        .collect();
    let entry = |entry: &ListEntry| {
        (entry.family.clone(), entry.offer.clone(), entry.week, format::count(entry.units))
    };
    let advised: Vec<_> = advised.iter().map(entry).collect();
    let has_plans = scenario.compute_plans.iter().any(|plan| !plan.held);
    match (&own[..], &advised[..]) {
        _ if has_plans => ", instead of what the scenario buys".to_owned(),
        (own, advised)
            if own.len() == advised.len() && own.iter().all(|of| advised.contains(of)) =>
        {
            ", as the scenario does".to_owned()
        }
        ([own], [advised]) if (&own.0, &own.1, own.2) == (&advised.0, &advised.1, advised.2) => {
            format!(" (the scenario buys {})", own.3)
        }
        _ => ", instead of what the scenario buys".to_owned(),
    }
}

/// Why the units of the only purchase that is advised are so many; `None` where there are several, whose table says so, or none.
pub(super) fn because(scenario: &Scenario, answer: &Answer) -> Option<String> {
    let [one] = &answer.lists.buy[..] else { return None };
    if !is_judged(answer) || answer.advised.is_none() {
        return None;
    }
    let at = scenario.families.iter().position(|family| family.name == one.family);
    let found = at.and_then(|at| answer.families.get(at)?.as_ref());
    let offer = found.and_then(|found| found.offers.iter().find(|of| of.name == one.offer));
    let units = offer.and_then(|offer| offer.why_units(scenario.future.caution));
    // The list stops where the next weeks or the term do, the offer by itself may not.
    let units = units.map_or_else(String::new, |units| format!(" Over all futures: {units}."));
    Some(format!("{}{units}", reasons::list(one)))
}
