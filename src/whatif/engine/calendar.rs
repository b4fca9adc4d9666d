//! What begins and ends within the scenario's weeks.

use super::super::CalendarEntry;
use super::{Engine, money};

impl Engine {
    /// Rungs and expiries by week; what ends and begins in the same week ends first.
    pub(super) fn calendar(&self) -> Vec<CalendarEntry> {
        let end = self.schedule.weeks;
        let mut entries = Vec::new();
        let mut add = |family: Option<usize>, name: &str, units: f64, from: usize, to: usize| {
            let mut entry = |week: usize, units: f64| {
                if week <= end && units != 0.0 {
                    entries.push(self.entry(family, name, units, week));
                }
            };
            if from < end {
                entry(from, units);
                entry(to, -units);
            }
        };
        for (at, inputs) in self.scenario.families.iter().enumerate() {
            for buy in &inputs.buys {
                let offer = inputs.offers.iter().find(|offer| offer.name == buy.offer);
                let from = usize::from(buy.week);
                let to = from + offer.map_or(0, |offer| usize::from(offer.weeks));
                add(Some(at), &buy.offer, buy.units, from, to);
            }
        }
        for plan in self.scenario.compute_plans.iter().filter(|plan| !plan.held) {
            let from = usize::from(plan.week);
            add(None, &plan.name, plan.usd_per_hour, from, from + usize::from(plan.weeks));
        }
        // What is held began before.
        let mut held = Vec::new();
        for (at, inputs) in self.scenario.families.iter().enumerate() {
            held.extend(inputs.held.iter().map(|h| (Some(at), &h.name, h.units, h.weeks_left)));
        }
        let plans = self.scenario.compute_plans.iter().filter(|plan| plan.held);
        held.extend(plans.map(|plan| (None, &plan.name, plan.usd_per_hour, plan.weeks)));
        for (family, name, units, weeks) in held {
            if usize::from(weeks) <= end && units != 0.0 {
                entries.push(self.entry(family, name, -units, usize::from(weeks)));
            }
        }
        entries.sort_by_key(|entry| (entry.week, entry.units > 0.0));
        entries
    }

    fn entry(&self, family: Option<usize>, name: &str, units: f64, week: usize) -> CalendarEntry {
        let inputs = family.and_then(|at| self.scenario.families.get(at));
        let coverage = family.and_then(|at| {
            let weeks = &self.families[at].weeks;
            let (demand, uncovered) = (weeks.demand.get(week)?, weeks.uncovered.get(week)?);
            (*demand > 0.0).then(|| (1.0 - uncovered / demand).clamp(0.0, 1.0))
        });
        CalendarEntry {
            week: u16::try_from(week).unwrap_or(u16::MAX),
            family: inputs.map_or_else(String::new, |inputs| inputs.name.clone()),
            name: name.to_owned(),
            units,
            coverage,
            lock_in_months: money::lock_in(self.schedule.all_obligations(), week),
        }
    }
}
