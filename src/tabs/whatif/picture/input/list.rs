//! Which inputs a group has, in the order shown.

use super::{Group, Input};
use crate::whatif::{Scenario, StepKind};

/// A line in the list of inputs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Row {
    /// Heading above the inputs that follow.
    Heading(&'static str),
    /// An input.
    Input(Input),
}

/// Groups of a scenario, in the order of the key that cycles through them. Where it plans for one family those of the
/// others, and Compute Savings Plans, which belong to none, are left out.
pub fn groups(scenario: &Scenario) -> impl Iterator<Item = Group> {
    let families = scenario.families.iter().enumerate();
    let counted = families.filter(move |(_, family)| scenario.counts(&family.name));
    let plans = scenario.only.is_none().then_some(Group::Plans);
    counted.map(|(at, _)| Group::Family(at)).chain(plans).chain([Group::Future])
}

/// Lines of a group.
pub fn rows(scenario: &Scenario, group: Group) -> Vec<Row> {
    let mut out = Vec::with_capacity(40);
    match group {
        Group::Future => {
            let all = [
                Input::Weeks,
                Input::Correlation,
                Input::Wacc,
                Input::Caution,
                Input::TopUp,
                Input::Paths,
                Input::Seed,
            ];
            out.extend(all.map(Row::Input));
        }
        Group::Family(f) => family(scenario, f, &mut out),
        Group::Plans => {
            for (p, _) in scenario.compute_plans.iter().enumerate() {
                let own = [Input::PlanUsd(p), Input::PlanWeek(p), Input::PlanWeeks(p)];
                out.extend(own.map(Row::Input));
                let families = 0..scenario.families.len();
                out.extend(families.map(|f| Row::Input(Input::PlanRate(p, f))));
            }
            out.push(Row::Input(Input::NewPlan));
        }
    }
    out
}

fn family(scenario: &Scenario, f: usize, out: &mut Vec<Row>) {
    let Some(family) = scenario.families.get(f) else { return };
    let mut put = |input| out.push(Row::Input(input));
    (0..family.offers.len()).for_each(|o| put(Input::Bought(f, o)));
    let later = family.buys.iter().enumerate().filter(|(_, b)| b.week > 0);
    for (b, _) in later {
        put(Input::LaterUnits(f, b));
        put(Input::LaterWeek(f, b));
    }
    if !family.offers.is_empty() {
        put(Input::NewBuy(f));
    }
    out.push(Row::Heading("Demand ahead"));
    let mut put = |input| out.push(Row::Input(input));
    [Input::Growth(f), Input::Drift(f), Input::Shock(f)].into_iter().for_each(&mut put);
    for (s, step) in family.steps.iter().enumerate() {
        put(Input::StepSize(f, s));
        if matches!(step.kind, StepKind::Move { .. }) {
            put(Input::StepRatio(f, s));
        }
        put(Input::StepWeek(f, s));
    }
    put(Input::NewStep(f));
    out.push(Row::Heading("Prices per unit and hour"));
    let mut put = |input| out.push(Row::Input(input));
    put(Input::OnDemand(f));
    (0..family.offers.len()).for_each(|o| put(Input::OfferRate(f, o)));
    put(Input::CutShare(f));
    if family.price_cut.is_some() {
        put(Input::CutWeek(f));
    }
    put(Input::SpotPrice(f));
    if family.spot.is_some() {
        [
            Input::SpotShare(f),
            Input::SpotAvailability(f),
            Input::SpotInterruptions(f),
            Input::SpotCheckpoint(f),
            Input::SpotInterval(f),
            Input::SpotRestart(f),
        ]
        .into_iter()
        .for_each(&mut put);
    }
    if !family.held.is_empty() {
        out.push(Row::Heading("Held already"));
        for h in 0..family.held.len() {
            out.push(Row::Input(Input::HeldUnits(f, h)));
            out.push(Row::Input(Input::HeldWeeks(f, h)));
        }
    }
}
