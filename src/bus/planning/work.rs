//! The thread that values.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use super::queue::{Job, RequestQueue};
use crate::whatif::compare::{has_same_futures, paired};
use crate::whatif::{
    Answer, Comparison, Demand, PlanAnswer, Scenario, Slot, SlotComparison, Stage, Workers,
};

/// Something that values a scenario and can be moved to another one.
pub(super) trait Valuer: Sized {
    /// What the valuers of all slots have found out together.
    type Kept: Default;

    /// For this demand and scenario.
    fn new(demand: &Arc<Demand>, scenario: &Scenario) -> Result<Self, String>;

    /// Takes another scenario over the same demand.
    fn set(&mut self, scenario: &Scenario) -> Result<(), String>;

    /// Answers as far as `stage`, with what is `kept` of earlier answers. `stop` says that nobody waits any more; what is
    /// answered then is thrown away.
    fn answer(
        &mut self,
        stage: Stage,
        kept: &mut Self::Kept,
        workers: &dyn Workers,
        stop: &(dyn Fn() -> bool + Sync),
    ) -> Result<Answer, String>;

    /// Cost of each future, USD, after a settled answer.
    fn costs(&self) -> &[f64];
}

/// Pieces of work on so many threads, the caller's among them.
#[derive(Clone, Copy, Debug)]
pub struct Threads(pub usize);

impl Workers for Threads {
    fn each(&self, pieces: usize, work: &(dyn Fn(usize) + Sync)) {
        let threads = self.0.min(pieces);
        if threads < 2 {
            return (0..pieces).for_each(work);
        }
        let next = AtomicUsize::new(0);
        let take = || {
            loop {
                let piece = next.fetch_add(1, Ordering::Relaxed);
                if piece >= pieces {
                    return;
                }
                work(piece);
            }
        };
        thread::scope(|scope| {
            for _ in 1..threads {
                // A system that gives no thread leaves the work to those that are there.
                let _ = thread::Builder::new().name("planner-2".into()).spawn_scoped(scope, take);
            }
            take();
        });
    }
}

/// A slot as it was last valued.
struct Valued<V> {
    valuer: V,
    demand: Arc<Demand>,
    scenario: Arc<Scenario>,
    generation: u64,
    /// The costs are those of all futures of this generation.
    is_settled: bool,
}

/// The work of the thread.
pub(super) struct Work<'a, V: Valuer> {
    queue: &'a RequestQueue,
    send: &'a dyn Fn(PlanAnswer),
    workers: Threads,
    slots: [Option<Valued<V>>; Slot::ALL.len()],
    kept: V::Kept,
}

impl<'a, V: Valuer> Work<'a, V> {
    pub(super) fn new(
        queue: &'a RequestQueue,
        send: &'a dyn Fn(PlanAnswer),
        workers: Threads,
    ) -> Self {
        Self { queue, send, workers, slots: [None, None, None], kept: V::Kept::default() }
    }

    /// Works until the queue is closed.
    pub(super) fn run(mut self) {
        while let Some(job) = self.queue.next() {
            self.step(&job);
        }
    }

    /// One stage of one job.
    fn step(&mut self, job: &Job) {
        let made = catch_unwind(AssertUnwindSafe(|| self.value(job)));
        let result = made.unwrap_or_else(|_| {
            // What it left behind is not to be trusted.
            self.slots[job.request.slot.index()] = None;
            Err("the scenario could not be valued: an error of burntop's own; the log and \
                 BURNTOP_LOG=debug may say more"
                .to_owned())
        });
        if self.queue.is_outdated(job) {
            return;
        }
        let next = match (&result, job.stage) {
            // Somebody else comes first; this stage begins anew after them.
            (Ok(None), stage) => Some(stage),
            (Err(_), _) | (_, Stage::Whole) => None,
            // Few futures are settled at once.
            (Ok(Some(answer)), Stage::Quick) if answer.stage == Stage::Settled => {
                Some(Stage::Whole)
            }
            (_, Stage::Quick) => Some(Stage::Settled),
            (_, Stage::Settled) => Some(Stage::Whole),
        };
        let result = match result {
            Ok(Some(answer)) => Ok(Arc::new(answer)),
            Ok(None) => return self.queue.done(job, next),
            Err(why) => Err(why),
        };
        let comparisons = match &result {
            Ok(answer) if answer.stage > Stage::Quick => self.comparisons(job.request.slot),
            _ => Vec::new(),
        };
        (self.send)(PlanAnswer {
            generation: job.request.generation,
            slot: job.request.slot,
            result,
            comparisons,
        });
        self.queue.done(job, next);
    }

    /// `None` when it was stopped for something more urgent.
    fn value(&mut self, job: &Job) -> Result<Option<Answer>, String> {
        let request = &job.request;
        let slot = &mut self.slots[request.slot.index()];
        // An engine goes on with what it has where the demand is the same one.
        match slot.take().filter(|v| Arc::ptr_eq(&v.demand, &request.demand)) {
            Some(mut valued) if Arc::ptr_eq(&valued.scenario, &request.scenario) => {
                valued.generation = request.generation;
                *slot = Some(valued);
            }
            Some(mut valued) => {
                valued.is_settled = false;
                let set = valued.valuer.set(&request.scenario);
                // What was refused left the engine where it was: it is kept for the next.
                let valued = slot.insert(valued);
                set?;
                valued.scenario = Arc::clone(&request.scenario);
                valued.generation = request.generation;
            }
            None => {
                *slot = Some(Valued {
                    valuer: V::new(&request.demand, &request.scenario)?,
                    demand: Arc::clone(&request.demand),
                    scenario: Arc::clone(&request.scenario),
                    generation: request.generation,
                    is_settled: false,
                });
            }
        }
        let Some(valued) = slot else { return Ok(None) };
        let stop = || self.queue.is_outdated(job) || self.queue.is_urgent(job);
        let answer = valued.valuer.answer(job.stage, &mut self.kept, &self.workers, &stop)?;
        valued.is_settled |= answer.stage > Stage::Quick;
        // The long stage ends early when it is stopped: what it has is not whole.
        let is_whole = job.stage < Stage::Whole || !stop();
        Ok(is_whole.then_some(answer))
    }

    /// Comparisons of the slot with the others, over the same futures.
    fn comparisons(&self, slot: Slot) -> Vec<SlotComparison> {
        let Some(here) = &self.slots[slot.index()] else { return Vec::new() };
        let others = Slot::ALL.into_iter().filter(|other| *other != slot);
        let compare = |other: Slot| {
            let there = self.slots[other.index()].as_ref().filter(|v| v.is_settled)?;
            let is_same = Arc::ptr_eq(&here.demand, &there.demand)
                && has_same_futures(&here.scenario, &there.scenario);
            if !is_same {
                return None;
            }
            let (base, compared) = (slot.min(other), slot.max(other));
            let [first, second] = if base == slot { [here, there] } else { [there, here] };
            let result: Comparison = paired(first.valuer.costs(), second.valuer.costs())?;
            let generations = [first.generation, second.generation];
            Some(SlotComparison { base, other: compared, generations, result })
        };
        others.filter_map(compare).collect()
    }
}
