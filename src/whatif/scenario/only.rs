//! A plan for one family among several.

use std::borrow::Cow;

use super::{FamilyInputs, Scenario};

impl Scenario {
    /// True where this family is planned for.
    pub fn counts(&self, family: &str) -> bool {
        self.only.as_deref().is_none_or(|only| only == family)
    }

    /// Families that are planned for, in their order: that of [`Scenario::only`], else all.
    pub fn counted(&self) -> impl Iterator<Item = &FamilyInputs> + Clone {
        self.families.iter().filter(move |family| self.counts(&family.name))
    }

    /// The scenario as it is valued where it plans for one family. The others keep their demand and their place, so that
    /// futures, and what moves between families, stay as they are; their prices, commitments and offers go. So do
    /// Compute Savings Plans, which belong to no family. Without them, costs of the families add up to that of all.
    pub fn counted_alone(&self) -> Cow<'_, Self> {
        let Some(only) = &self.only else { return Cow::Borrowed(self) };
        let mut alone = self.clone();
        alone.compute_plans.clear();
        for family in alone.families.iter_mut().filter(|family| family.name != *only) {
            family.on_demand = None;
            family.held.clear();
            family.offers.clear();
            family.buys.clear();
        }
        Cow::Owned(alone)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use crate::whatif::effective::effective;
    use crate::whatif::judgement::Judgements;
    use crate::whatif::whole::whole;
    use crate::whatif::{
        Answer, Buy, ComputePlan, Demand, DemandOrigin, Engine, Family, FamilyInputs, Future,
        ListEntry, Offer, OfferKind, OneByOne, Payment, PlanRate, Scenario, Stage, Step, StepKind,
    };

    const WEEKS: u16 = 60;

    /// Twelve weeks of three families; each has a level for half of the week and another for the rest.
    fn demand() -> Arc<Demand> {
        let family = |name: &str, [day, night]: [f64; 2]| Family {
            name: name.into(),
            hours: (0..12 * 168).map(|hour| if hour % 168 < 84 { day } else { night }).collect(),
        };
        Arc::new(Demand {
            origin: DemandOrigin::History,
            start: jiff::Timestamp::UNIX_EPOCH,
            families: vec![
                family("a", [6.0, 4.0]),
                family("b", [9.0, 9.0]),
                family("c", [30.0, 2.0]),
            ],
            notes: Vec::new(),
        })
    }

    fn family(name: &str, on_demand: f64, rate: f64, bought: f64) -> FamilyInputs {
        FamilyInputs {
            name: name.into(),
            on_demand: Some(on_demand),
            offers: vec![Offer {
                name: "1y".into(),
                kind: OfferKind::StandardRi,
                weeks: 52,
                payment: Payment::NoUpfront,
                rate: Some(rate),
            }],
            buys: vec![Buy { offer: "1y".into(), units: bought, week: 0 }],
            ..FamilyInputs::default()
        }
    }

    fn scenario() -> Scenario {
        Scenario {
            future: Future { paths: 60, weeks: WEEKS, ..Future::default() },
            families: vec![
                family("a", 10.0, 6.0, 3.0),
                family("b", 3.0, 2.0, 5.0),
                family("c", 8.0, 3.0, 1.0),
            ],
            ..Scenario::default()
        }
    }

    fn answer(scenario: &Scenario) -> Answer {
        let demand = demand();
        let (valued, _) = effective(scenario, &demand);
        let mut engine = Engine::new(demand, &valued).unwrap();
        whole(&mut engine, &mut Judgements::default(), &OneByOne, &|| false).unwrap()
    }

    fn only(scenario: &Scenario, name: &str) -> Answer {
        answer(&Scenario { only: Some(name.into()), ..scenario.clone() })
    }

    fn near(found: f64, by_hand: f64) {
        assert!((found / by_hand - 1.0).abs() < 1e-4, "{found} for {by_hand}");
    }

    #[test]
    fn one_family_costs_what_its_hours_cost_by_hand() {
        let found = only(&scenario(), "a");
        // 3 units at $6 for 52 weeks of 168 h. Beyond them, at $10 an hour, 3 in half of the hours and 1 in the
        // other: 2 on average; in the 8 weeks after them all of it: 5 on average.
        let fixed = 3.0 * 6.0 * 52.0 * 168.0;
        let beyond = 10.0 * (2.0 * 52.0 + 5.0 * 8.0) * 168.0;
        near(found.total.fixed_usd, fixed);
        near(found.total.mean_usd, fixed + beyond);
        near(found.total.on_demand_usd, 10.0 * 5.0 * 60.0 * 168.0);
        assert_eq!((found.stage, found.total.commit), (Stage::Whole, 3.0));
        let valued: Vec<bool> = found.families.iter().map(Option::is_some).collect();
        assert_eq!(valued, [true, false, false]);
        // Nothing is said of the others.
        let lists = [&found.lists.buy, &found.lists.plan, &found.lists.avoid];
        assert!(lists.into_iter().flatten().all(|entry| entry.family == "a"));
        assert!(found.tornado.iter().all(|bar| bar.family == "a"));
        assert!(found.calendar.iter().all(|entry| entry.family == "a"));
    }

    #[test]
    fn the_families_by_themselves_are_all_of_them_together() {
        let mut all = scenario();
        for family in &mut all.families {
            (family.growth, family.drift, family.shock) = (0.3, 0.01, 0.2);
        }
        // What moves between families comes along, whichever is looked at.
        let kind = StepKind::Move { share: 0.5, to: "b".into(), ratio: 0.4 };
        all.families[0].steps = vec![Step { week: 9, kind }];
        let together = answer(&all);
        let parts: Vec<Answer> = ["a", "b", "c"].map(|name| only(&all, name)).into();
        type Of = fn(&Answer) -> f64;
        let sums: [Of; 3] =
            [|of| of.total.mean_usd, |of| of.total.fixed_usd, |of| of.total.on_demand_usd];
        for sum in sums {
            let parts: f64 = parts.iter().map(sum).sum();
            assert!((parts / sum(&together) - 1.0).abs() < 1e-9, "{parts} {}", sum(&together));
        }
        // What is advised of each is what is advised of it among all, and costs the same.
        let bought: Vec<ListEntry> =
            parts.iter().flat_map(|of| of.lists.buy.iter().cloned()).collect();
        assert_eq!(bought, together.lists.buy);
        assert!(bought.iter().all(|entry| entry.units > 0.0) && bought.len() > 1, "{bought:?}");
        let fixed: f64 = parts.iter().filter_map(|of| Some(of.advised.as_ref()?.fixed_usd)).sum();
        let advised = together.advised.unwrap();
        assert!((fixed / advised.fixed_usd - 1.0).abs() < 1e-9, "{fixed} {advised:?}");
    }

    #[test]
    fn a_plan_for_all_families_is_no_part_of_one() {
        let mut all = scenario();
        all.compute_plans = vec![ComputePlan {
            name: "SP".into(),
            usd_per_hour: 4.0,
            weeks: WEEKS,
            week: 0,
            payment: Payment::NoUpfront,
            rates: vec![PlanRate { family: "a".into(), rate: 7.0 }],
            held: false,
        }];
        let bare = Scenario { compute_plans: Vec::new(), ..all.clone() };
        assert_eq!(only(&all, "a").total, only(&bare, "a").total);
        assert!(answer(&all).total.fixed_usd > answer(&bare).total.fixed_usd);
    }

    #[test]
    fn a_family_that_is_not_there_cannot_be_planned_for_alone() {
        let text = "only = \"z\"\n[[family]]\nname = \"a\"\n";
        let error = crate::whatif::read(text, "s.toml").unwrap_err().to_string();
        assert!(error.starts_with("s.toml:1:8: only: there is no other family `z`"), "{error}");
        let kept = Scenario { only: Some("b".into()), ..scenario() };
        let text = crate::whatif::write(&kept).unwrap();
        assert_eq!(crate::whatif::read(&text, "s.toml").unwrap().scenario, kept);
        assert!(!crate::whatif::write(&scenario()).unwrap().contains("only"));
    }
}
