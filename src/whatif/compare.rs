//! Two scenarios over the same futures, and what parts their demand.

use super::{Answer, Comparison, FamilyInputs, HOURS_PER_WEEK, Scenario, Step, StepKind};

/// Least difference in demand that counts, as a share of the larger one.
const LEAST_GAP: f64 = 1e-3;

/// A family whose demand differs between two scenarios.
#[derive(Clone, Debug, PartialEq)]
pub struct DemandGap {
    /// Name of the family.
    pub family: String,
    /// In the base; `None` where it is not valued there.
    pub base: Option<DemandCost>,
    /// In the other scenario; `None` where it is not valued there.
    pub other: Option<DemandCost>,
}

/// Demand of a family in a scenario, and what it costs there.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DemandCost {
    /// Mean demand over all weeks, unit-hours.
    pub unit_hours: f64,
    /// Mean demand at a time, units.
    pub units: f64,
    /// Mean cost of that demand on demand, USD.
    pub on_demand_usd: f64,
    /// Effective savings rate; `None` without demand, and beside Compute Savings Plans, which belong to no family.
    pub esr: Option<f64>,
    /// Mean cost of a unit-hour, USD; `None` as `esr`.
    pub usd_per_hour: Option<f64>,
}

impl DemandGap {
    fn is_wide(&self) -> bool {
        let [base, other] = [self.base, self.other].map(|of| of.map(|of| of.unit_hours));
        match (base, other) {
            (Some(base), Some(other)) => (base - other).abs() > LEAST_GAP * base.max(other),
            (None, None) => false,
            (one, another) => one.or(another).is_some_and(|hours| hours > 0.0),
        }
    }

    /// USD on demand by which the two are apart.
    fn usd_apart(&self) -> f64 {
        let usd = |of: Option<DemandCost>| of.map_or(0.0, |of| of.on_demand_usd);
        (usd(self.base) - usd(self.other)).abs()
    }
}

/// How the demand of two scenarios differs, which decides whether their costs are compared.
#[derive(Clone, Debug, PartialEq)]
pub enum DemandDifference {
    /// Not at all: costs are compared.
    None,
    /// By levers and moves to other families alone: the same work, so that costs are compared. ESR does not count what
    /// is no longer needed.
    SameWork,
    /// Otherwise: costs are not compared. Families that differ, those furthest apart in dollars on demand first; at
    /// least one.
    Other(Vec<DemandGap>),
}

/// How the demand of two scenarios differs; `None` where their inputs cannot tell, and answers over the same number of
/// futures are not there for both, and where they do not plan for the same families.
pub fn demand_difference(
    base: (&Scenario, Option<&Answer>),
    other: (&Scenario, Option<&Answer>),
) -> Option<DemandDifference> {
    if base.0.only != other.0.only {
        return None;
    }
    let alone = [base.0, other.0].map(Scenario::counted_alone);
    let (base, other) = ((&*alone[0], base.1), (&*alone[1], other.1));
    if is_same_demand(base.0, other.0) {
        return Some(DemandDifference::None);
    }
    let answers = base.1.zip(other.1).filter(|(first, second)| first.paths == second.paths);
    let gaps = answers.map(|(first, second)| demand_gaps((base.0, first), (other.0, second)));
    match gaps {
        Some(gaps) if gaps.is_empty() => Some(DemandDifference::None),
        _ if is_same_work(base.0, other.0) => Some(DemandDifference::SameWork),
        gaps => gaps.map(DemandDifference::Other),
    }
}

/// True where the futures of both are drawn alike: the same weeks of the past for the same families.
pub fn has_same_futures(base: &Scenario, other: &Scenario) -> bool {
    let drawn = |of: &Scenario| (of.future.weeks, of.future.paths, of.future.seed);
    let names = base.families.iter().map(|family| &family.name);
    drawn(base) == drawn(other) && names.eq(other.families.iter().map(|family| &family.name))
}

/// True where two scenarios ask for the same demand, whatever they buy and pay for it.
fn is_same_demand(base: &Scenario, other: &Scenario) -> bool {
    base.levers == other.levers && has_same_inputs(base, other, |_| true)
}

/// True where the demand of two scenarios differs at most by levers and by moves to other families.
fn is_same_work(base: &Scenario, other: &Scenario) -> bool {
    let is_no_move = |step: &Step| !matches!(step.kind, StepKind::Move { .. });
    has_same_inputs(base, other, is_no_move)
        && counts_what_moves(base, other)
        && counts_what_moves(other, base)
}

/// True where the inputs of the demand are the same before levers; of steps those for which `is_counted` is true.
fn has_same_inputs(base: &Scenario, other: &Scenario, is_counted: fn(&Step) -> bool) -> bool {
    let ahead = |of: &Scenario| (of.future.weeks, of.future.from_today);
    let spread = |of: &FamilyInputs| [of.growth, of.drift, of.shock];
    let is_same = |(base, other): (&FamilyInputs, &FamilyInputs)| {
        let steps = base.steps.iter().filter(|step| is_counted(step));
        base.name == other.name
            && spread(base) == spread(other)
            && base.on_demand.is_some() == other.on_demand.is_some()
            && steps.eq(other.steps.iter().filter(|step| is_counted(step)))
    };
    ahead(base) == ahead(other)
        && base.families.len() == other.families.len()
        && base.families.iter().zip(&other.families).all(is_same)
}

/// True where each family that work moves from or to has a price, unless it moves alike in `beside`, which has the same
/// families. The cost of what moves to one without would vanish, and look like a gain.
fn counts_what_moves(scenario: &Scenario, beside: &Scenario) -> bool {
    let is_unpriced = |name: &str| {
        scenario.families.iter().any(|family| family.name == name && family.on_demand.is_none())
    };
    let vanishes = |from: &str, to: &str| is_unpriced(from) || is_unpriced(to);
    let by_step = scenario.families.iter().zip(&beside.families).any(|(family, same)| {
        family.steps.iter().filter(|step| !same.steps.contains(step)).any(|step| match &step.kind {
            StepKind::Move { to, .. } => vanishes(&family.name, to),
            StepKind::Launch { .. } | StepKind::Scale { .. } => false,
        })
    });
    let [own, theirs] = [scenario, beside].map(|of| of.levers.rightsize.as_ref());
    let mut moves = own.filter(|_| own != theirs).into_iter().flat_map(|lever| &lever.moves);
    !by_step && !moves.any(|of| vanishes(&of.from, &of.to))
}

/// Families of which two scenarios have different demand, those furthest apart in dollars on demand first; empty where
/// the demand is the same. Both answers are over the same number of futures.
fn demand_gaps(base: (&Scenario, &Answer), other: (&Scenario, &Answer)) -> Vec<DemandGap> {
    let is_in_base = |name: &str| base.0.families.iter().any(|family| family.name == name);
    let added = other.0.families.iter().filter(|family| !is_in_base(&family.name));
    let gap = |family: &FamilyInputs| DemandGap {
        family: family.name.clone(),
        base: demand_cost(base, &family.name),
        other: demand_cost(other, &family.name),
    };
    let mut gaps: Vec<DemandGap> =
        base.0.families.iter().chain(added).map(gap).filter(DemandGap::is_wide).collect();
    gaps.sort_by(|a, b| b.usd_apart().total_cmp(&a.usd_apart()));
    gaps
}

/// Demand of a family with its cost; `None` where the scenario does not value it.
fn demand_cost((scenario, answer): (&Scenario, &Answer), name: &str) -> Option<DemandCost> {
    let at = scenario.families.iter().position(|family| family.name == name)?;
    let value = &answer.families.get(at)?.as_ref()?.value;
    let hours = f64::from(answer.weeks) * HOURS_PER_WEEK as f64;
    let is_own = scenario.compute_plans.is_empty();
    let has_demand = value.unit_hours > 0.0;
    Some(DemandCost {
        unit_hours: value.unit_hours,
        units: if hours > 0.0 { value.unit_hours / hours } else { 0.0 },
        on_demand_usd: value.on_demand_usd,
        esr: value.esr.filter(|_| is_own),
        usd_per_hour: (is_own && has_demand).then(|| value.mean_usd / value.unit_hours),
    })
}

/// Difference of two scenarios, `other` − `base`, from the cost of each future (USD). Paired, so that what both
/// have in common cancels and a scenario differs from itself by exactly 0. `None` where the numbers of futures
/// differ or are 0.
pub fn paired(base: &[f64], other: &[f64]) -> Option<Comparison> {
    if base.len() != other.len() || base.is_empty() {
        return None;
    }
    let n = base.len() as f64;
    let differences = || base.iter().zip(other).map(|(base, other)| other - base);
    let mean = differences().sum::<f64>() / n;
    let squares: f64 = differences().map(|d| (d - mean) * (d - mean)).sum();
    // Of one future there is no spread.
    let error = if base.len() > 1 { 2.0 * (squares / (n - 1.0) / n).sqrt() } else { 0.0 };
    let cheaper = differences().filter(|d| *d < 0.0).count() as f64 / n;
    Some(Comparison { mean_usd: mean, error_usd: error, cheaper })
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use proptest::prelude::*;

    use super::super::levers::GpuSavings;
    use super::super::{Demand, DemandOrigin, Engine, Family, Future, OneByOne, PriceCut};
    use super::*;

    fn scenario() -> Scenario {
        let family = |name: &str, price| FamilyInputs {
            name: name.into(),
            on_demand: Some(price),
            ..FamilyInputs::default()
        };
        Scenario {
            future: Future { paths: 40, weeks: 10, ..Future::default() },
            families: vec![family("a", 10.0), family("b", 3.0)],
            ..Scenario::default()
        }
    }

    fn answer(scenario: &Scenario) -> Answer {
        let family = |name: &str| Family { name: name.into(), hours: vec![4.0; 8 * 168] };
        let demand = Arc::new(Demand {
            origin: DemandOrigin::History,
            start: jiff::Timestamp::UNIX_EPOCH,
            families: vec![family("a"), family("b")],
            notes: Vec::new(),
        });
        Engine::new(demand, scenario).unwrap().value(40, &OneByOne).unwrap()
    }

    fn gaps(base: &Scenario, other: &Scenario) -> Vec<DemandGap> {
        demand_gaps((base, &answer(base)), (other, &answer(other)))
    }

    #[test]
    fn another_price_is_the_same_demand_and_another_step_is_not() {
        let base = scenario();
        let mut cheaper = base.clone();
        cheaper.families[0].price_cut = Some(PriceCut { week: 2, share: 0.5 });
        assert!(is_same_demand(&base, &cheaper));
        assert_eq!(gaps(&base, &cheaper), []);
        let mut more = base.clone();
        more.families[0].steps = vec![Step { week: 0, kind: StepKind::Launch { units: 1.0 } }];
        assert!(!is_same_demand(&base, &more));
        let mut unpriced = base.clone();
        unpriced.families[1].on_demand = None;
        assert!(!is_same_demand(&base, &unpriced));
    }

    #[test]
    fn the_same_work_done_otherwise_is_compared_and_less_work_is_not() {
        let base = scenario();
        let by_inputs = |other: &Scenario| demand_difference((&base, None), (other, None));
        let mut moved = base.clone();
        let kind = StepKind::Move { share: 0.5, to: "b".into(), ratio: 0.4 };
        moved.families[0].steps = vec![Step { week: 0, kind }];
        assert_eq!(by_inputs(&moved), Some(DemandDifference::SameWork));
        let mut levered = base.clone();
        levered.levers.gpu_savings = Some(GpuSavings::default());
        assert_eq!(by_inputs(&levered), Some(DemandDifference::SameWork));
        let mut less = moved.clone();
        less.families[0].steps.push(Step { week: 0, kind: StepKind::Scale { factor: 0.5 } });
        assert_eq!(by_inputs(&less), None, "the inputs do not tell by how much");

        let [of_base, of_moved, of_less] = [&base, &moved, &less].map(answer);
        let found = demand_difference((&base, Some(&of_base)), (&less, Some(&of_less)));
        assert!(matches!(found, Some(DemandDifference::Other(gaps)) if gaps.len() == 2));
        let found = demand_difference((&base, Some(&of_base)), (&moved, Some(&of_moved)));
        assert_eq!(found, Some(DemandDifference::SameWork));
        // A lever without an effect leaves the demand as it is.
        let found = demand_difference((&base, Some(&of_base)), (&levered, Some(&of_base)));
        assert_eq!(found, Some(DemandDifference::None));
    }

    #[test]
    fn work_that_moves_to_where_no_price_is_known_is_not_compared() {
        let mut base = scenario();
        base.families[1].on_demand = None;
        let mut moved = base.clone();
        let kind = StepKind::Move { share: 0.5, to: "b".into(), ratio: 0.4 };
        moved.families[0].steps = vec![Step { week: 0, kind }];
        assert_eq!(demand_difference((&base, None), (&moved, None)), None);
    }

    #[test]
    fn work_that_moves_out_of_the_one_family_planned_for_is_no_gain() {
        let base = Scenario { only: Some("a".into()), ..scenario() };
        let mut moved = base.clone();
        let kind = StepKind::Move { share: 0.5, to: "b".into(), ratio: 0.4 };
        moved.families[0].steps = vec![Step { week: 0, kind }];
        assert_eq!(demand_difference((&base, None), (&moved, None)), None);
        let of = |scenario: &Scenario| answer(&scenario.counted_alone());
        let found = demand_difference((&base, Some(&of(&base))), (&moved, Some(&of(&moved))));
        assert!(matches!(found, Some(DemandDifference::Other(gaps)) if gaps[0].family == "a"));
        // What the others need parts no costs of it.
        let mut grown = base.clone();
        grown.families[1].growth = 0.5;
        let found = demand_difference((&base, Some(&of(&base))), (&grown, Some(&of(&grown))));
        assert_eq!(found, Some(DemandDifference::None));
        // One family and all of them are not the same work.
        let all = Scenario { only: None, ..base.clone() };
        assert_eq!(demand_difference((&base, None), (&all, None)), None);
    }

    #[test]
    fn futures_are_the_same_where_they_are_drawn_alike() {
        let base = scenario();
        let mut grown = base.clone();
        grown.families[0].growth = 0.5;
        assert!(has_same_futures(&base, &grown));
        let changes: [fn(&mut Scenario); 4] = [
            |of| of.future.seed += 1,
            |of| of.future.paths += 1,
            |of| of.future.weeks += 1,
            |of| of.families.truncate(1),
        ];
        for change in changes {
            let mut other = base.clone();
            change(&mut other);
            assert!(!has_same_futures(&base, &other), "{other:?}");
        }
    }

    #[test]
    fn demand_is_counted_in_hours_of_each_family_and_costs_by_the_hour() {
        let base = scenario();
        let mut more = base.clone();
        more.families[0].steps = vec![Step { week: 0, kind: StepKind::Launch { units: 1.0 } }];
        more.families[1].steps = vec![Step { week: 0, kind: StepKind::Scale { factor: 2.0 } }];
        let found = gaps(&base, &more);
        // Four more of the cheap one are $12 an hour, one more of the dear one $10.
        let names: Vec<&str> = found.iter().map(|gap| &*gap.family).collect();
        assert_eq!(names, ["b", "a"]);
        let [base, other] = [found[1].base.unwrap(), found[1].other.unwrap()];
        let near = |a: f64, b: f64| assert!((a / b - 1.0).abs() < 1e-4, "{a} for {b}");
        near(base.unit_hours, 4.0 * 1_680.0);
        near(other.unit_hours, 5.0 * 1_680.0);
        near(other.units, 5.0);
        near(other.usd_per_hour.unwrap(), 10.0);
        assert!(other.esr.unwrap().abs() < 1e-4);
    }

    #[test]
    fn a_family_without_a_price_in_one_of_them_is_a_gap() {
        let base = scenario();
        let mut unpriced = base.clone();
        unpriced.families[1].on_demand = None;
        let found = gaps(&base, &unpriced);
        assert_eq!(found.len(), 1);
        assert!(found[0].base.is_some() && found[0].other.is_none());
    }

    #[test]
    fn a_known_difference() {
        // Differences -1, -1, 2, 0: mean 0, variance (1 + 1 + 4 + 0) / 3 = 2, error 2 √(2 / 4).
        let found = paired(&[10.0, 20.0, 30.0, 40.0], &[9.0, 19.0, 32.0, 40.0]).unwrap();
        assert_eq!(found.mean_usd, 0.0);
        assert!((found.error_usd - 2.0 * 0.5_f64.sqrt()).abs() < 1e-12);
        assert_eq!(found.cheaper, 0.5);
        assert_eq!(paired(&[1.0], &[]), None);
        assert_eq!(paired(&[], &[]), None);
        let one = paired(&[1.0], &[0.0]).unwrap();
        assert_eq!((one.mean_usd, one.error_usd, one.cheaper), (-1.0, 0.0, 1.0));
    }

    proptest! {
        #[test]
        fn itself_is_exactly_no_difference(costs in proptest::collection::vec(-1e9..1e9_f64, 1..99)) {
            let none = Comparison { mean_usd: 0.0, error_usd: 0.0, cheaper: 0.0 };
            prop_assert_eq!(paired(&costs, &costs), Some(none));
        }

        #[test]
        fn the_other_way_round_is_the_opposite(
            pairs in proptest::collection::vec((0.0..1e6_f64, 0.0..1e6_f64), 2..99),
        ) {
            let (a, b): (Vec<f64>, Vec<f64>) = pairs.into_iter().unzip();
            let (there, back) = (paired(&a, &b).unwrap(), paired(&b, &a).unwrap());
            prop_assert!((there.mean_usd + back.mean_usd).abs() < 1e-6);
            prop_assert!((there.error_usd - back.error_usd).abs() < 1e-6);
            prop_assert!(there.cheaper + back.cheaper <= 1.0);
        }
    }
}
