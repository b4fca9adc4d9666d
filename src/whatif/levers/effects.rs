//! What levers do to the demand before commitments are valued: in causal order commitments come
//! last, for what is left.

use super::{LeverKind, Levers, order};
use crate::whatif::{Scenario, Spot, Step, StepKind};

/// Weeks of a month with 52 weeks to the year.
const WEEKS_PER_MONTH: f64 = 52.0 / 12.0;

/// Effect of one lever on one family.
#[derive(Clone, Debug, PartialEq)]
pub struct Effect {
    /// The lever.
    pub kind: LeverKind,
    /// Name of the family; `None` where the lever names none, and the caller chooses.
    pub family: Option<String>,
    /// Input that the lever changes, and its new value.
    pub change: Change,
}

/// The changed input of a family.
#[derive(Clone, Debug, PartialEq)]
pub enum Change {
    /// The demand changes.
    Step(Step),
    /// A share of the demand may run on Spot.
    Spot(Spot),
}

impl Levers {
    /// Effects of all counted levers on the demand, in causal order. `mean_units`: mean units of a family,
    /// `None` where unknown; moves of such families are left out.
    pub fn effects(&self, mean_units: impl Fn(&str) -> Option<f64>) -> Vec<Effect> {
        let counted = self.chain(None).map_or_else(Vec::new, |chain| chain.steps);
        let mut out = Vec::new();
        for step in &counted {
            let Some(kind) = step.kind else { continue };
            match (kind, &self.rightsize, &self.spot_mix) {
                (LeverKind::Rightsize, Some(_), _) => out.extend(self.moves(&mean_units)),
                (LeverKind::SpotMix, _, Some(mix)) => {
                    let spot = mix.as_spot().ok().map(Change::Spot);
                    out.extend(spot.map(|change| Effect { kind, family: None, change }));
                }
                (LeverKind::Autoscale | LeverKind::FailedRuns, ..) => {
                    out.push(scale(step, kind));
                }
                (LeverKind::GpuSavings, ..) if step.what == "higher use" => {
                    out.push(scale(step, kind));
                }
                _ => {}
            }
        }
        out
    }

    fn moves(&self, mean_units: impl Fn(&str) -> Option<f64>) -> Vec<Effect> {
        let moves = self.rightsize.iter().flat_map(|rightsize| &rightsize.moves);
        let effect = |of: &super::rightsize::Move| {
            let mean = mean_units(&of.from).filter(|mean| *mean > 0.0)?;
            let weeks = (of.committed_months.unwrap_or(0.0) * WEEKS_PER_MONTH).ceil();
            let kind = StepKind::Move {
                share: (of.units? / mean).min(1.0),
                to: of.to.clone(),
                ratio: of.ratio?,
            };
            Some(Effect {
                kind: LeverKind::Rightsize,
                family: Some(of.from.clone()),
                change: Change::Step(Step { week: weeks as u16, kind }),
            })
        };
        moves.filter_map(effect).collect()
    }
}

/// What is left of the units where dollars are left of it; nothing of nothing.
fn scale(step: &order::Step, kind: LeverKind) -> Effect {
    let factor = if step.before_usd > 0.0 { step.after_usd / step.before_usd } else { 1.0 };
    let step = Step { week: 0, kind: StepKind::Scale { factor } };
    Effect { kind, family: None, change: Change::Step(step) }
}

/// The scenario with these effects, and how many were applied. Effects without a family go to the one called
/// `family`; those whose family the scenario does not have are skipped.
pub fn apply(scenario: &Scenario, effects: &[Effect], family: &str) -> (Scenario, usize) {
    let mut with = scenario.clone();
    let mut applied = 0;
    for effect in effects {
        let name = effect.family.as_deref().unwrap_or(family);
        let Some(of) = with.families.iter_mut().find(|of| of.name == name) else { continue };
        match &effect.change {
            Change::Step(step) => of.steps.push(step.clone()),
            Change::Spot(spot) => of.spot = Some(*spot),
        }
        applied += 1;
    }
    (with, applied)
}

#[cfg(test)]
mod tests {
    use super::super::tests::whole;
    use super::*;
    use crate::whatif::FamilyInputs;

    #[test]
    fn commitments_come_after_all_of_them() {
        let levers = whole();
        let effects = levers.effects(|name| (name == "p4d.24xlarge").then_some(20.0));
        let kinds: Vec<LeverKind> = effects.iter().map(|effect| effect.kind).collect();
        assert_eq!(
            kinds,
            [LeverKind::Rightsize, LeverKind::Autoscale, LeverKind::FailedRuns, LeverKind::SpotMix,]
        );
        // Five of twenty move, at 0.7 for each.
        let moved = StepKind::Move { share: 0.25, to: "g6e.24xlarge".to_owned(), ratio: 0.7 };
        assert_eq!(effects[0].change, Change::Step(Step { week: 0, kind: moved }));
        // 100,000 of 400,000 a month shrink by 3/17.
        let Change::Step(Step { kind: StepKind::Scale { factor }, .. }) = &effects[2].change else {
            panic!("{:?}", effects[2])
        };
        assert!((factor - (1.0 - 0.25 * 3.0 / 17.0)).abs() < 1e-9);
    }

    #[test]
    fn a_family_that_nobody_knows_does_not_move() {
        assert!(whole().effects(|_| None).iter().all(|effect| effect.family.is_none()));
    }

    #[test]
    fn a_commitment_delays_the_move() {
        let mut levers = Levers { rightsize: whole().rightsize, ..Default::default() };
        levers.rightsize.as_mut().unwrap().moves[0].committed_months = Some(6.0);
        let effects = levers.effects(|_| Some(5.0));
        let Change::Step(step) = &effects[0].change else { panic!("{effects:?}") };
        assert_eq!(step.week, 26);
    }

    #[test]
    fn effects_go_to_their_families_and_leave_the_scenario_alone() {
        let family = |name: &str| FamilyInputs { name: name.to_owned(), ..Default::default() };
        let scenario = Scenario {
            families: vec![family("p4d.24xlarge"), family("g5.xlarge")],
            ..Default::default()
        };
        let effects = whole().effects(|_| Some(20.0));
        let (with, applied) = apply(&scenario, &effects, "g5.xlarge");
        assert_eq!(applied, 4);
        assert_eq!(with.families[0].steps.len(), 1);
        assert_eq!(with.families[1].steps.len(), 2);
        assert_eq!(with.families[1].spot.unwrap().share, 0.6);
        assert!(scenario.families.iter().all(|of| of.steps.is_empty() && of.spot.is_none()));
        assert_eq!(apply(&scenario, &effects, "p5.48xlarge").1, 1);
    }
}
