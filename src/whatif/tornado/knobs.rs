//! Inputs that the tornado varies, and by how much.

use crate::domain::format::{percent_trimmed, trimmed, usd_rate};
use crate::whatif::engine::moved_offer;
use crate::whatif::{FamilyInputs, PriceCut, Scenario, StepKind};

/// One input, varied to a lower and a higher value.
pub(super) struct Knob {
    /// Index of the family.
    pub(super) family: usize,
    /// The input, in words.
    pub(super) input: String,
    /// Lower and higher value, in words.
    pub(super) values: [String; 2],
    /// Scenarios with the lower and the higher value.
    pub(super) scenarios: [Scenario; 2],
}

/// All inputs of all families that have a price.
pub(super) fn knobs(scenario: &Scenario) -> Vec<Knob> {
    let mut out = Vec::new();
    for (at, family) in scenario.families.iter().enumerate() {
        if family.on_demand.is_some() {
            Maker { scenario, at, family, out: &mut out }.all();
        }
    }
    out
}

struct Maker<'a> {
    scenario: &'a Scenario,
    at: usize,
    family: &'a FamilyInputs,
    out: &'a mut Vec<Knob>,
}

impl Maker<'_> {
    fn all(&mut self) {
        let family = self.family;
        self.number("growth per year", percent, family.growth, 0.1, [-0.99, 100.0], |f, v| {
            f.growth = v;
        });
        self.number("drift per week", percent, family.drift, 0.005, [0.0, 0.5], |f, v| f.drift = v);
        self.number("shock per week", percent, family.shock, 0.05, [0.0, 2.0], |f, v| f.shock = v);
        if let Some(price) = family.on_demand {
            let step = 0.1 * price;
            self.number("on-demand price", usd_rate, price, step, [0.0, 1e6], |f, v| {
                f.on_demand = Some(v);
            });
        }
        if let Some(offer) = moved_offer(family) {
            self.offer(offer);
        }
        self.price_cut();
        self.steps();
        self.spot();
    }

    /// A number at value − step and value + step, kept within its range.
    fn number(
        &mut self,
        input: &str,
        words: fn(f64) -> String,
        value: f64,
        step: f64,
        [least, most]: [f64; 2],
        put: impl Fn(&mut FamilyInputs, f64),
    ) {
        let values = [(value - step).max(least), (value + step).min(most)];
        self.both(input.to_owned(), values.map(words), |family, side| put(family, values[side]));
    }

    fn both(&mut self, input: String, values: [String; 2], put: impl Fn(&mut FamilyInputs, usize)) {
        let scenarios = [0, 1].map(|side| {
            let mut scenario = self.scenario.clone();
            if let Some(family) = scenario.families.get_mut(self.at) {
                put(family, side);
            }
            scenario
        });
        self.out.push(Knob { family: self.at, input, values, scenarios });
    }

    /// The rate and the units of the offer that the slider moves.
    fn offer(&mut self, at: usize) {
        let Some(offer) = self.family.offers.get(at) else { return };
        let name = offer.name.clone();
        if let Some(rate) = offer.rate {
            self.number(
                &format!("rate of {name}"),
                usd_rate,
                rate,
                0.1 * rate,
                [0.0, 1e6],
                move |f, v| {
                    if let Some(offer) = f.offers.get_mut(at) {
                        offer.rate = Some(v);
                    }
                },
            );
        }
        let buy = self.family.buys.iter().position(|buy| buy.offer == name && buy.week == 0);
        if let Some(buy) = buy {
            let units = self.family.buys[buy].units;
            let step = (0.1 * units).round().max(1.0);
            self.number(
                &format!("units of {name}"),
                plain,
                units,
                step,
                [0.0, 1e9],
                move |f, v| f.buys[buy].units = v,
            );
        }
    }

    /// A price cut is a risk even where nobody plans for it.
    fn price_cut(&mut self) {
        match self.family.price_cut {
            Some(cut) => {
                let input = format!("price cut in week {}", cut.week);
                self.number(&input, percent, cut.share, 0.1, [-10.0, 0.99], move |f, v| {
                    f.price_cut = Some(PriceCut { share: v, ..cut });
                });
            }
            None => {
                let week = self.scenario.future.weeks / 2;
                let input = format!("price cut in week {week}");
                self.both(input, ["none".to_owned(), percent(0.2)], move |f, side| {
                    f.price_cut = (side == 1).then_some(PriceCut { week, share: 0.2 });
                });
            }
        }
    }

    fn steps(&mut self) {
        for (at, step) in self.family.steps.iter().enumerate() {
            let week = step.week;
            match &step.kind {
                StepKind::Launch { units } => {
                    let step = (0.2 * units.abs()).round().max(1.0);
                    self.number(
                        &format!("launch in week {week}"),
                        plain,
                        *units,
                        step,
                        [-1e9, 1e9],
                        move |f, v| f.steps[at].kind = StepKind::Launch { units: v },
                    );
                }
                StepKind::Scale { factor } => self.number(
                    &format!("scale in week {week}"),
                    plain,
                    *factor,
                    0.1,
                    [0.0, 1e3],
                    move |f, v| f.steps[at].kind = StepKind::Scale { factor: v },
                ),
                StepKind::Move { share, .. } => self.number(
                    &format!("move in week {week}"),
                    percent,
                    *share,
                    0.1,
                    [0.0, 1.0],
                    move |f, v| {
                        if let StepKind::Move { share, .. } = &mut f.steps[at].kind {
                            *share = v;
                        }
                    },
                ),
            }
        }
    }

    fn spot(&mut self) {
        let Some(spot) = self.family.spot else { return };
        self.number("spot share", percent, spot.share, 0.1, [0.0, 1.0], |f, v| {
            f.spot.iter_mut().for_each(|spot| spot.share = v);
        });
        let step = 0.25 * spot.price;
        self.number("spot price", usd_rate, spot.price, step, [0.0, 1e6], |f, v| {
            f.spot.iter_mut().for_each(|spot| spot.price = v);
        });
        self.number("spot availability", percent, spot.availability, 0.1, [0.0, 1.0], |f, v| {
            f.spot.iter_mut().for_each(|spot| spot.availability = v);
        });
        let rate = spot.interruptions_per_hour;
        let step = 0.5 * rate;
        self.number("interruptions per hour", plain, rate, step, [0.0, 60.0], |f, v| {
            f.spot.iter_mut().for_each(|spot| spot.interruptions_per_hour = v);
        });
    }
}

fn percent(part: f64) -> String {
    percent_trimmed(100.0 * part, 4)
}

/// Without unit.
fn plain(number: f64) -> String {
    trimmed(number, 4)
}
