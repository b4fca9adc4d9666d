//! Questions beside the scenario: what a family would cost with other inputs.

use super::super::{FamilyInputs, Workers};
use super::draws::{CHUNK, Spread, each};
use super::kernel::{self, Part};
use super::schedule::Schedule;
use super::{Engine, EngineError, FamilyPaths, check, money};

impl Engine {
    /// Cost of a family in the first `paths` futures if it had other inputs, all else unchanged; the engine
    /// keeps its own. A share that these inputs move to another family leaves this one, and the other's cost is
    /// not included. Fails for an unknown family or inputs that cannot be valued.
    pub fn what_would(
        &mut self,
        family: usize,
        inputs: &FamilyInputs,
        paths: u32,
        workers: &dyn Workers,
    ) -> Result<FamilyPaths, EngineError> {
        let mut scenario = self.scenario.clone();
        let Some(place) = scenario.families.get_mut(family) else {
            let known = self.scenario.families.iter().map(|f| f.name.clone()).collect();
            return Err(EngineError::UnknownFamily { family: inputs.name.clone(), known });
        };
        *place = inputs.clone();
        check::scenario(&scenario, &self.demand)?;
        let schedule = Schedule::new(&scenario)?.families.swap_remove(family);
        let paths = paths.min(self.scenario.future.paths) as usize;
        self.ensure_draws(paths, workers)?;
        let mine = &self.families[family];
        let same_tables = self.schedule.families[family].mixtures == schedule.mixtures;
        let made = (!same_tables).then(|| self.tables(&schedule.mixtures));
        let tables = made.as_ref().unwrap_or(&mine.tables);
        let spread = Spread::of(inputs);
        let other = (spread != mine.spread).then_some(spread);
        let same_demand = same_tables
            && other.is_none()
            && schedule.demand == self.schedule.families[family].demand;
        let sums = each(workers, paths.div_ceil(CHUNK), |chunk| {
            let drawn = other
                .as_ref()
                .map(|spread| self.draws.rules.scales(&[spread], chunk).swap_remove(0));
            let part = Part {
                paths: (paths - chunk * CHUNK).min(CHUNK),
                bases: &self.draws.bases[chunk],
                scales: drawn.as_ref().unwrap_or(&self.draws.scales[family].1[chunk]),
            };
            let kept = mine.kept_on_demand(chunk, part.paths).filter(|_| same_demand);
            let all = kept.map_or_else(
                || kernel::on_demand(&schedule, tables, part).usd,
                |sum| sum.usd.clone(),
            );
            (kernel::supplied(&schedule, tables, part).usd, all)
        });
        let fixed_usd = money::fixed(&schedule);
        let mut made = FamilyPaths { fixed_usd, ..FamilyPaths::default() };
        for (costs, all) in sums {
            made.costs.extend(costs.into_iter().map(|usd| usd + fixed_usd));
            made.on_demand.extend(all);
        }
        Ok(made)
    }
}
