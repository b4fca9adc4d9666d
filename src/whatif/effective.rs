//! A scenario as it is valued: with what its levers leave of the demand, so that commitments are
//! bought for that.

use super::levers::effects::{Change, apply};
use super::{Demand, Scenario, StepKind};

/// The scenario with the effects of its levers applied, and one sentence for each effect that could not be; of one family
/// alone where it plans for one. Else, without levers, the scenario itself.
pub fn effective(scenario: &Scenario, demand: &Demand) -> (Scenario, Vec<String>) {
    if scenario.levers.is_empty() {
        return (scenario.counted_alone().into_owned(), Vec::new());
    }
    let mean = |family: &str| demand.family(family).and_then(super::Family::mean);
    let known = |family: &str| scenario.families.iter().any(|f| f.name == family);
    // What names no family is meant for the only one.
    let only = match &scenario.families[..] {
        [family] => &*family.name,
        _ => "",
    };
    let mut notes = Vec::new();
    let mut effects = scenario.levers.effects(mean);
    effects.retain(|effect| {
        let family = effect.family.as_deref().unwrap_or(only);
        let missing = match &effect.change {
            _ if family.is_empty() => Some("it names no family, and there are several".to_owned()),
            _ if !known(family) => Some(format!("the scenario has no family {family}")),
            Change::Step(step) => match &step.kind {
                StepKind::Move { to, .. } if !known(to) => {
                    Some(format!("the scenario has no family {to}"))
                }
                _ => None,
            },
            Change::Spot(_) => None,
        };
        if let Some(why) = &missing {
            notes.push(format!("{} does not change the demand: {why}", effect.kind));
        }
        missing.is_none()
    });
    (apply(scenario, &effects, only).0.counted_alone().into_owned(), notes)
}

#[cfg(test)]
mod tests {
    use super::super::levers::{FailedRuns, GpuSavings, Levers};
    use super::super::*;
    use super::*;

    fn demand() -> Demand {
        Demand {
            origin: DemandOrigin::History,
            start: jiff::Timestamp::UNIX_EPOCH,
            families: vec![Family { name: "a".into(), hours: vec![10.0; 336] }],
            notes: Vec::new(),
        }
    }

    fn scenario(families: &[&str], levers: Levers) -> Scenario {
        let family = |name: &&str| FamilyInputs { name: (*name).into(), ..FamilyInputs::default() };
        Scenario { families: families.iter().map(family).collect(), levers, ..Scenario::default() }
    }

    fn half() -> Levers {
        let savings = GpuSavings {
            monthly_usd: Some(1_000.0),
            utilisation: Some(0.35),
            target: Some(0.7),
            ..GpuSavings::default()
        };
        Levers { gpu_savings: Some(savings), ..Levers::default() }
    }

    #[test]
    fn a_higher_use_leaves_less_to_commit_to() {
        let (with, notes) = effective(&scenario(&["a"], half()), &demand());
        assert_eq!(notes, Vec::<String>::new());
        let [Step { week: 0, kind: StepKind::Scale { factor } }] = &with.families[0].steps[..]
        else {
            unreachable!("{:?}", with.families[0].steps)
        };
        assert!((factor - 0.5).abs() < 1e-12);
    }

    #[test]
    fn what_cannot_be_applied_is_said() {
        let (with, notes) = effective(&scenario(&["a", "b"], half()), &demand());
        assert!(with.families.iter().all(|family| family.steps.is_empty()));
        assert!(notes[0].contains("there are several"), "{notes:?}");
        let none = Levers { failed_runs: Some(FailedRuns::default()), ..Levers::default() };
        let plain = scenario(&["a"], Levers::default());
        assert_eq!(effective(&plain, &demand()), (plain, Vec::new()));
        // Inputs that are missing have no effect.
        assert!(effective(&scenario(&["a"], none), &demand()).0.families[0].steps.is_empty());
    }
}
