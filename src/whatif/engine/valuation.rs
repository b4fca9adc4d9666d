//! Makes the sums that are missing, on the workers, and puts them together in their order.

use super::super::{Family, Workers};
use super::draws::{CHUNK, each};
use super::kernel::{self, Part};
use super::{Engine, EngineError, FamilyPaths, money};

impl Engine {
    /// Makes all sums of the first `paths` futures.
    pub(super) fn prepare(&mut self, paths: u32, workers: &dyn Workers) -> Result<(), EngineError> {
        let paths = paths as usize;
        self.ensure_draws(paths, workers)?;
        let chunks = paths.div_ceil(CHUNK);
        let size = |chunk: usize| (paths - chunk * CHUNK).min(CHUNK);
        let mut jobs = Vec::new();
        for (at, (state, schedule)) in self.families.iter().zip(&self.schedule.families).enumerate()
        {
            for chunk in (0..chunks).filter(|_| schedule.priced) {
                if !state.has_on_demand(chunk, size(chunk)) {
                    jobs.push((at, chunk, false));
                }
                if !state.has_supplied(chunk, size(chunk)) {
                    jobs.push((at, chunk, true));
                }
            }
        }
        let sums = each(workers, jobs.len(), |job| {
            let (at, chunk, supplied) = jobs[job];
            let (schedule, tables) = (&self.schedule.families[at], &self.families[at].tables);
            let part = self.part(at, chunk, size(chunk));
            if supplied {
                kernel::supplied(schedule, tables, part)
            } else {
                kernel::on_demand(schedule, tables, part)
            }
        });
        for ((at, chunk, supplied), sum) in jobs.into_iter().zip(sums) {
            self.families[at].keep(chunk, supplied, sum);
        }
        for (state, schedule) in self.families.iter_mut().zip(&self.schedule.families) {
            state.gather(chunks, money::fixed(schedule));
        }
        let mut plans = std::mem::take(&mut self.plans);
        plans.prepare(&self.schedule, &self.draws, paths, workers, || self.base_hours());
        self.plans = plans;
        self.gather(paths);
        Ok(())
    }

    /// Sums the families, in their order.
    fn gather(&mut self, paths: usize) {
        let sum = |of: &dyn Fn(&FamilyPaths) -> &[f64]| {
            let mut sum = vec![0.0; paths];
            let priced = self.families.iter().zip(&self.schedule.families).filter(|f| f.1.priced);
            for (state, _) in priced {
                sum.iter_mut().zip(of(&state.paths)).for_each(|(sum, usd)| *sum += usd);
            }
            sum
        };
        let mut costs = sum(&|paths| &paths.costs);
        if !self.plans.saved.is_empty() {
            let paid = money::plans_fixed(&self.schedule);
            costs.iter_mut().zip(&self.plans.saved).for_each(|(usd, saved)| *usd += paid - saved);
        }
        let on_demand = sum(&|paths| &paths.on_demand);
        (self.costs, self.on_demand) = (costs, on_demand);
        self.of_history = false;
    }

    pub(super) fn ensure_draws(
        &mut self,
        paths: usize,
        workers: &dyn Workers,
    ) -> Result<(), EngineError> {
        if self.starts.is_empty() {
            let hours = self.demand.families.iter().map(Family::known_hours).min();
            return Err(EngineError::NoWholeWeek { hours: hours.unwrap_or(0) });
        }
        self.draws.ensure(paths.div_ceil(CHUNK), workers);
        Ok(())
    }

    pub(super) fn part(&self, family: usize, chunk: usize, paths: usize) -> Part<'_> {
        let scales = &self.draws.scales[family].1[chunk];
        Part { paths, bases: &self.draws.bases[chunk], scales }
    }
}
