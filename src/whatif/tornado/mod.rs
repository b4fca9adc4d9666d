//! Which input matters: each moved by a stated step, one at a time, over the same futures.

mod knobs;
#[cfg(test)]
mod tests;

use super::engine::{Engine, EngineError, moved_offer};
use super::search::best_units;
use super::{Answer, TornadoBar, Workers};
use knobs::{Knob, knobs};

/// Bars that are kept, the largest.
const BARS: usize = 20;

/// What changes the mean cost by less than this, USD, and no decision, is left out.
const NOTHING: f64 = 0.005;

/// Tornado of the engine's scenario over its first `paths` futures, the largest effect first. The engine is
/// left at its scenario, valued over those futures. `None` when `stop` returned true; fails where a valuation
/// does.
pub fn tornado(
    engine: &mut Engine,
    paths: u32,
    workers: &dyn Workers,
    stop: &(dyn Fn() -> bool + Sync),
) -> Result<Option<Vec<TornadoBar>>, EngineError> {
    let scenario = engine.scenario().clone();
    let base = engine.value(paths, workers)?;
    let mut bars = Vec::new();
    // While the engine is at the scenario itself.
    let mut nows = Vec::with_capacity(scenario.families.len());
    for family in 0..scenario.families.len() {
        nows.push(best(engine, &base, family, paths, workers)?);
    }
    for Knob { family, input, values, scenarios } in knobs(&scenario) {
        let now = nows.get(family).copied().flatten().unwrap_or(0.0);
        let (mut usd, mut best_units) = ([0.0; 2], [now; 3]);
        for (side, other) in scenarios.iter().enumerate() {
            if stop() {
                engine.set(&scenario)?;
                return Ok(None);
            }
            // A step that leads out of what can be valued says nothing.
            if engine.set(other).is_err() {
                continue;
            }
            let answer = engine.value(paths, workers)?;
            usd[side] = answer.total.mean_usd - base.total.mean_usd;
            let units = best(engine, &answer, family, paths, workers)?;
            best_units[side + 1] = units.unwrap_or(now);
        }
        let name = scenario.families.get(family).map(|f| f.name.clone()).unwrap_or_default();
        let bar = TornadoBar { family: name, input, values, usd, best_units };
        if size(&bar) >= NOTHING || bar.decision_changes() {
            bars.push(bar);
        }
    }
    engine.set(&scenario)?;
    engine.value(paths, workers)?;
    bars.sort_by(|a, b| size(b).total_cmp(&size(a)));
    bars.truncate(BARS);
    Ok(Some(bars))
}

/// The best units of the offer that a family's slider moves: as the answer has them, or by trying.
fn best(
    engine: &mut Engine,
    answer: &Answer,
    family: usize,
    paths: u32,
    workers: &dyn Workers,
) -> Result<Option<f64>, EngineError> {
    let moved = engine.scenario().families.get(family).and_then(moved_offer);
    let found = answer.families.get(family).and_then(Option::as_ref);
    let known = moved.zip(found).and_then(|(at, found)| found.offers.get(at)?.best_units);
    if known.is_some() || paths == 0 {
        return Ok(known);
    }
    best_units(engine, family, paths, workers)
}

/// The larger of both effects, USD.
fn size(bar: &TornadoBar) -> f64 {
    bar.usd[0].abs().max(bar.usd[1].abs())
}
