//! What a memo advises, in words: what to buy now beside what the scenario buys, and why so much.

use super::share;
use crate::view::{format, reasons};
use crate::whatif::{Answer, Buy, FamilyInputs, ListEntry, Scenario, Stage};

/// True where purchases were judged: over futures, and at the last stage.
pub(super) fn is_judged(answer: &Answer) -> bool {
    answer.stage == Stage::Whole && answer.paths > 0
}

/// True where a purchase saves what can be shown: `$0` is no reason to do anything.
pub(super) fn saves_something(entry: &ListEntry) -> bool {
    format::usd_total(entry.saves_usd) != format::usd_total(0.0)
}

/// A purchase in a few words: `14 p4d.24xlarge 1y standard RI in week 4`, without its family where that is said beside it.
fn purchase(units: f64, (family, offer): (&str, &str), week: u16, has_family: bool) -> String {
    let of = if has_family { format!("{family} {offer}") } else { offer.to_owned() };
    format!("{} {of}{}", format::count(units), in_week(week))
}

/// When a purchase is made, behind it; nothing for now.
fn in_week(week: u16) -> String {
    if week == 0 { String::new() } else { format!(" in week {week}") }
}

/// What families of a scenario buy.
fn buys(scenario: &Scenario) -> impl Iterator<Item = (&FamilyInputs, &Buy)> {
    let families = scenario.families.iter();
    let all = families.flat_map(|family| family.buys.iter().map(move |buy| (family, buy)));
    all.filter(|(_, buy)| buy.units > 0.0)
}

/// What a scenario buys beside what it holds, a text each.
pub(super) fn bought(scenario: &Scenario, has_family: bool) -> Vec<String> {
    let of_families = buys(scenario)
        .map(|(family, buy)| purchase(buy.units, (&family.name, &buy.offer), buy.week, has_family));
    let plans = scenario.compute_plans.iter().filter(|plan| !plan.held).map(|plan| {
        format!(
            "{} of {}{}",
            format::usd_per_hour(plan.usd_per_hour),
            plan.name,
            in_week(plan.week)
        )
    });
    of_families.chain(plans).collect()
}

/// What is advised, a text each, as [`bought`] words it.
pub(super) fn entries(entries: &[ListEntry], has_family: bool) -> Vec<String> {
    let text = |e: &ListEntry| purchase(e.units, (&e.family, &e.offer), e.week, has_family);
    entries.iter().map(text).collect()
}

/// True where a scenario buys what is advised, and nothing else.
pub(super) fn follows(scenario: &Scenario, advised: &[ListEntry]) -> bool {
    let sorted = |mut texts: Vec<String>| {
        texts.sort_unstable();
        texts
    };
    sorted(bought(scenario, true)) == sorted(entries(advised, true))
}

/// What to do, with its dollars beside those of the same demand on demand, and what the scenario itself buys, which is `own`
/// in words; `name` cuts only what is longer than any real name.
pub(super) fn decision(
    scenario: &Scenario,
    answer: &Answer,
    own: &str,
    name: &dyn Fn(&str) -> String,
) -> String {
    if answer.stage < Stage::Whole {
        return format!(
            "What to buy was not worked out yet when this memo was written. The scenario buys {own}."
        );
    }
    if answer.paths == 0 {
        return format!(
            "No recommendation: the past itself was valued, and purchases are judged over futures (paths above 0). The \
             scenario buys {own}."
        );
    }
    let buy = &answer.lists.buy;
    let Some(advised) = answer.advised.as_ref() else {
        let later = match answer.lists.plan.iter().any(saves_something) {
            true => " What may pay later stands below.",
            false => "",
        };
        return format!(
            "Buy nothing now: no offer with a known rate pays. The scenario buys {own}.{later}"
        );
    };
    let rate: f64 = buy.iter().map(|entry| entry.usd_per_hour).sum();
    let what = match &entries(buy, true)[..] {
        [one] => format!("buy {} now for {}", name(one), format::usd_per_hour(rate)),
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
        "Recommended: {what}{}. All of the demand then costs {} ± {} on average, on demand alone {}: {saved}{esr}. In \
         nine futures of ten it costs {} to {}.",
        beside(scenario, buy, own),
        format::usd_total(advised.mean_usd),
        format::usd_total(advised.mean_error_usd),
        format::usd_total(advised.on_demand_usd),
        format::usd_total(advised.p5_usd),
        format::usd_total(advised.p95_usd),
    )
}

/// What the scenario itself buys, `own` in words, beside what is advised.
fn beside(scenario: &Scenario, advised: &[ListEntry], own: &str) -> String {
    if follows(scenario, advised) {
        return ", as the scenario does".to_owned();
    }
    // Of one and the same offer the number says it.
    let mut all = buys(scenario);
    if let (Some((family, buy)), None, [one]) = (all.next(), all.next(), advised)
        && (&family.name, &buy.offer, buy.week) == (&one.family, &one.offer, one.week)
        && scenario.compute_plans.iter().all(|plan| plan.held)
    {
        return format!(" (the scenario buys {})", format::count(buy.units));
    }
    format!(" (the scenario buys {own})")
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
