//! What a scenario must be to be valued.

use super::{ComputePlan, FamilyInputs, Offer, OfferKind, Scenario, Spot, StepKind};
use crate::domain::text::{MAX_CHARS, is_unsafe};

/// The most families of a scenario.
const MAX_FAMILIES: usize = 200;
/// The most units of anything.
const MAX_UNITS: f64 = 1e9;
/// The highest price, USD per unit and hour.
const MAX_RATE: f64 = 1e6;
/// Weeks of the longest commitment: three years of 365 days.
const MAX_WEEKS: u16 = 157;
/// Weeks of the longest Capacity Block, 182 days.
const BLOCK_WEEKS: u16 = 26;

/// A value of a scenario that cannot be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScenarioProblem {
    /// Path of the value: `family[0].offer[1].rate`.
    pub path: String,
    /// What is wrong, and what would be right.
    pub message: String,
}

/// All values that cannot be used, in the order of the file; empty for a valid scenario.
pub fn problems(scenario: &Scenario) -> Vec<ScenarioProblem> {
    let mut check = Check(Vec::new());
    check.text("name", &scenario.name, 80);
    check.text("note", &scenario.note, MAX_CHARS);
    if let Some(only) = &scenario.only {
        check.other("only", only, "", scenario);
    }
    let future = &scenario.future;
    check.whole("future.weeks", future.weeks.into(), 1, 156);
    check.whole("future.paths", future.paths.into(), 0, 50_000);
    // TOML's whole numbers end there.
    check.whole("future.seed", future.seed, 0, i64::MAX as u64);
    check.number("future.correlation", future.correlation, 0.0, 1.0);
    check.number("future.wacc", future.wacc, 0.0, 1.0);
    check.number("future.caution", future.caution, 0.0, 1.0);
    check.whole("future.top_up_weeks", future.top_up_weeks.into(), 1, 52);
    if scenario.families.len() > MAX_FAMILIES {
        check.bad("family", format!("more than {MAX_FAMILIES} families"));
    }
    for (at, family) in scenario.families.iter().enumerate() {
        let path = format!("family[{at}]");
        let names = scenario.families.iter().map(|f| &*f.name);
        check.name(&format!("{path}.name"), &family.name, at, names);
        check.family(&path, family, scenario);
    }
    for (at, plan) in scenario.compute_plans.iter().enumerate() {
        check.plan(&format!("compute_plan[{at}]"), plan, scenario);
    }
    check.0
}

/// Values that are odd but usable, one sentence each.
pub fn warnings(scenario: &Scenario) -> Vec<String> {
    let mut out = Vec::new();
    for family in &scenario.families {
        let Some(on_demand) = family.on_demand else {
            out.push(format!(
                "{}: no on-demand price is known, so nothing of it is valued; give `on_demand`",
                family.name
            ));
            continue;
        };
        for offer in &family.offers {
            let pays = offer.kind != OfferKind::CapacityReservation;
            if let Some(rate) = offer.rate.filter(|rate| pays && *rate >= on_demand) {
                out.push(format!(
                    "{}: {} costs {rate} per hour, on demand {on_demand}: it can never pay; look \
                     whether both prices are per the same unit",
                    family.name, offer.name
                ));
            }
        }
        for buy in family.buys.iter().filter(|buy| buy.week >= scenario.future.weeks) {
            out.push(format!(
                "{}: {} is bought in week {}, after the {} weeks that are looked at",
                family.name, buy.offer, buy.week, scenario.future.weeks
            ));
        }
    }
    out
}

struct Check(Vec<ScenarioProblem>);

impl Check {
    fn bad(&mut self, path: &str, message: String) {
        self.0.push(ScenarioProblem { path: path.to_owned(), message });
    }

    fn number(&mut self, path: &str, value: f64, low: f64, high: f64) {
        if !(low..=high).contains(&value) {
            self.bad(path, format!("{value} is not possible; a number from {low} to {high} is"));
        }
    }

    fn whole(&mut self, path: &str, value: u64, low: u64, high: u64) {
        if !(low..=high).contains(&value) {
            self.bad(path, format!("{value} is not possible; a number from {low} to {high} is"));
        }
    }

    fn text(&mut self, path: &str, text: &str, longest: usize) {
        if text.chars().count() > longest {
            self.bad(path, format!("longer than {longest} characters; shorten it"));
        } else if text.chars().any(is_unsafe) {
            self.bad(path, "holds line ends or control characters; take them out".to_owned());
        }
    }

    fn name<'a>(
        &mut self,
        path: &str,
        name: &str,
        at: usize,
        mut names: impl Iterator<Item = &'a str>,
    ) {
        self.text(path, name, MAX_CHARS);
        if name.is_empty() {
            self.bad(path, "a name is needed".to_owned());
        } else if names.position(|known| known == name) != Some(at) {
            self.bad(path, format!("a second one named `{name}`; name them apart"));
        }
    }

    fn family(&mut self, path: &str, family: &FamilyInputs, scenario: &Scenario) {
        let at = |part: &str| format!("{path}.{part}");
        if let Some(price) = family.on_demand {
            if price <= 0.0 {
                let message = format!("{price} is no price; leave it out where it is not known");
                self.bad(&at("on_demand"), message);
            } else {
                self.number(&at("on_demand"), price, 0.0, MAX_RATE);
            }
        }
        self.text(&at("prices_from"), &family.prices_from, MAX_CHARS);
        self.number(&at("growth"), family.growth, -0.99, 100.0);
        self.number(&at("drift"), family.drift, 0.0, 0.5);
        self.number(&at("shock"), family.shock, 0.0, 2.0);
        for (i, step) in family.steps.iter().enumerate() {
            let at = |part: &str| format!("{path}.step[{i}].{part}");
            self.whole(&at("week"), step.week.into(), 0, 156);
            match &step.kind {
                StepKind::Launch { units } => {
                    self.number(&at("units"), *units, -MAX_UNITS, MAX_UNITS);
                }
                StepKind::Scale { factor } => self.number(&at("factor"), *factor, 0.0, 1_000.0),
                StepKind::Move { share, to, ratio } => {
                    self.number(&at("share"), *share, 0.0, 1.0);
                    self.number(&at("ratio"), *ratio, 0.0, 1_000.0);
                    self.other(&at("to"), to, &family.name, scenario);
                }
            }
        }
        if let Some(cut) = &family.price_cut {
            self.number(&at("price_cut.share"), cut.share, -10.0, 0.99);
        }
        if let Some(spot) = &family.spot {
            self.spot(&at("spot"), spot);
        }
        for (i, held) in family.held.iter().enumerate() {
            let at = |part: &str| format!("{path}.held[{i}].{part}");
            self.text(&at("name"), &held.name, MAX_CHARS);
            self.number(&at("units"), held.units, 0.0, MAX_UNITS);
            self.number(&at("rate"), held.rate, 0.0, MAX_RATE);
            self.whole(&at("weeks_left"), held.weeks_left.into(), 0, MAX_WEEKS.into());
        }
        for (i, offer) in family.offers.iter().enumerate() {
            let names = family.offers.iter().map(|offer| &*offer.name);
            self.name(&format!("{path}.offer[{i}].name"), &offer.name, i, names);
            self.offer(&format!("{path}.offer[{i}]"), offer);
        }
        for (i, buy) in family.buys.iter().enumerate() {
            let at = |part: &str| format!("{path}.buy[{i}].{part}");
            self.number(&at("units"), buy.units, 0.0, MAX_UNITS);
            self.whole(&at("week"), buy.week.into(), 0, 156);
            match family.offers.iter().find(|offer| offer.name == buy.offer) {
                None => {
                    let known: Vec<&str> = family.offers.iter().map(|offer| &*offer.name).collect();
                    let message = format!(
                        "there is no offer `{}`; there are: {}",
                        buy.offer,
                        known.join(", ")
                    );
                    self.bad(&at("offer"), message);
                }
                Some(offer) if offer.rate.is_none() && buy.units > 0.0 => {
                    self.bad(&at("offer"), unknown_rate(&offer.name, &family.name, offer.kind));
                }
                Some(_) => {}
            }
        }
    }

    /// The name of a family that must be in the scenario, and another one than `own`.
    fn other(&mut self, path: &str, name: &str, own: &str, scenario: &Scenario) {
        let known = scenario.families.iter().map(|f| &*f.name).filter(|known| *known != own);
        let known: Vec<&str> = known.collect();
        if !known.contains(&name) {
            let message = match known.is_empty() {
                true => format!("there is no other family `{name}`; add it as a [[family]]"),
                false => {
                    format!("there is no other family `{name}`; there are: {}", known.join(", "))
                }
            };
            self.bad(path, message);
        }
    }

    fn spot(&mut self, path: &str, spot: &Spot) {
        let at = |part: &str| format!("{path}.{part}");
        self.number(&at("share"), spot.share, 0.0, 1.0);
        self.number(&at("price"), spot.price, 0.0, MAX_RATE);
        self.number(&at("availability"), spot.availability, 0.0, 1.0);
        self.number(&at("interruptions_per_hour"), spot.interruptions_per_hour, 0.0, 60.0);
        self.number(&at("checkpoint_hours"), spot.checkpoint_hours, 0.0, 168.0);
        if let Some(interval) = spot.interval_hours {
            if interval <= 0.0 {
                let message = "0 hours between checkpoints is not possible; leave it out for the \
                               best interval";
                self.bad(&at("interval_hours"), message.to_owned());
            } else {
                self.number(&at("interval_hours"), interval, 0.0, 1_000.0);
            }
        }
        self.number(&at("restart_hours"), spot.restart_hours, 0.0, 168.0);
    }

    fn offer(&mut self, path: &str, offer: &Offer) {
        let most = if offer.kind == OfferKind::CapacityBlock { BLOCK_WEEKS } else { MAX_WEEKS };
        self.whole(&format!("{path}.weeks"), offer.weeks.into(), 1, most.into());
        if let Some(rate) = offer.rate {
            self.number(&format!("{path}.rate"), rate, 0.0, MAX_RATE);
        }
    }

    fn plan(&mut self, path: &str, plan: &ComputePlan, scenario: &Scenario) {
        let at = |part: &str| format!("{path}.{part}");
        self.text(&at("name"), &plan.name, MAX_CHARS);
        self.number(&at("usd_per_hour"), plan.usd_per_hour, 0.0, MAX_RATE);
        self.whole(&at("weeks"), plan.weeks.into(), 1, MAX_WEEKS.into());
        self.whole(&at("week"), plan.week.into(), 0, 156);
        if plan.rates.is_empty() {
            let message = "a Compute Savings Plan needs a rate of each family that it covers: \
                           [[compute_plan.rate]] with `family` and `rate`. Of P5 and P6 AWS \
                           publishes none here: take it from your account's Savings Plans page";
            self.bad(path, message.to_owned());
        }
        for (i, rate) in plan.rates.iter().enumerate() {
            let at = |part: &str| format!("{path}.rate[{i}].{part}");
            self.other(&at("family"), &rate.family, "", scenario);
            self.number(&at("rate"), rate.rate, 0.0, MAX_RATE);
            if plan.rates.iter().position(|other| other.family == rate.family) != Some(i) {
                self.bad(&at("family"), format!("a second rate of `{}`; keep one", rate.family));
            }
        }
    }
}

/// Why an offer cannot be bought without its rate.
fn unknown_rate(offer: &str, family: &str, kind: OfferKind) -> String {
    let newest = family.starts_with("p5") || family.starts_with("p6");
    let where_ = match kind {
        OfferKind::InstancePlan if newest => {
            "AWS publishes no Savings Plan rates of P5 and P6 here: take it from your account's \
             Savings Plans page"
        }
        _ => "take it from AWS's price list",
    };
    format!("the rate of `{offer}` for {family} is not known; give its `rate`: {where_}")
}
