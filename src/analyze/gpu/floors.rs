//! The power a GPU draws at rest, by model: from the catalogue, corrected by the fleet's own
//! minima.

use std::sync::Arc;

use crate::domain::{FastMap, GpuModel};

/// How far below the catalogue a reading may pull the floor: a glitch of 1 W must not make every
/// other GPU look at work.
const LOWEST: f32 = 0.5;
/// How far above the catalogue the fleet's own minimum may lie.
const HIGHEST: f32 = 1.3;
/// Quiet readings before a minimum may raise the floor, or stand alone without a catalogue figure:
/// a moment must not be the yardstick.
const ENOUGH: u32 = 32;
/// Share of the limit up to which a minimum is believed to be idle without a catalogue figure
/// (captures: 10–19% on H100, H200, A100 and L40S).
const SHARE_OF_LIMIT: f32 = 0.2;
/// With memory held, this much of the range from floor to limit still counts as idle power: a
/// context keeps the clocks up. Ours; well below the share from which any work shows.
const HELD_SHARE: f32 = 0.1;

#[derive(Clone, Copy, Debug)]
struct Seen {
    least: f32,
    readings: u32,
}

/// Learned minima by model name.
#[derive(Clone, Debug, Default)]
pub(super) struct Floors {
    seen: FastMap<Arc<str>, Seen>,
}

impl Floors {
    /// Takes in the power of a GPU that does nothing, W.
    pub fn learn(&mut self, model: &Arc<str>, watts: f32) {
        if model.is_empty() || watts < 1.0 {
            return;
        }
        if let Some(seen) = self.seen.get_mut(model) {
            seen.least = seen.least.min(watts);
            seen.readings = seen.readings.saturating_add(1);
        } else {
            self.seen.insert(model.clone(), Seen { least: watts, readings: 1 });
        }
    }

    /// The floor of a model, W; `limit` is the power limit in force. `None` when nothing is known.
    pub fn floor(&self, name: &str, model: Option<&GpuModel>, limit: Option<f32>) -> Option<f32> {
        let seen = self.seen.get(name);
        let learned = seen.filter(|s| s.readings >= ENOUGH).map(|s| s.least);
        match model.and_then(|m| m.idle_w) {
            Some(listed) => {
                let least = seen.map_or(listed, |s| s.least);
                let own = if least < listed { least } else { learned.unwrap_or(listed) };
                Some(own.clamp(listed * LOWEST, listed * HIGHEST))
            }
            None => learned.filter(|w| limit.is_some_and(|l| *w <= l * SHARE_OF_LIMIT)),
        }
    }
}

/// The highest power that still is idle power, W.
pub(super) fn idle_limit(
    floor: f32,
    factor: f32,
    held: bool,
    model: Option<&GpuModel>,
    limit: Option<f32>,
) -> f32 {
    let bare = floor * factor;
    if !held {
        return bare;
    }
    let range = limit.map_or(0.0, |l| (l - floor).max(0.0));
    let listed = model.and_then(|m| m.held_w).unwrap_or(0.0);
    bare.max(floor + HELD_SHARE * range).max(listed)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::gpu::model;

    #[test]
    fn the_fleet_corrects_the_catalogue_within_bounds() {
        let (h100, name) = (model("H100"), Arc::from("H100"));
        let mut floors = Floors::default();
        let floor = |f: &Floors| f.floor("H100", h100, Some(700.0)).unwrap();
        assert!((floor(&floors) - 70.0).abs() < 0.01);
        floors.learn(&name, 88.0);
        assert!((floor(&floors) - 70.0).abs() < 0.01, "one reading raises nothing");
        for _ in 0..ENOUGH {
            floors.learn(&name, 88.0);
        }
        assert!((floor(&floors) - 88.0).abs() < 0.01);
        floors.learn(&name, 52.0);
        assert!((floor(&floors) - 52.0).abs() < 0.01, "a lower one counts at once");
        floors.learn(&name, 2.0);
        assert!((floor(&floors) - 35.0).abs() < 0.01, "a glitch does not");
    }

    #[test]
    fn a_model_that_nobody_knows_is_learned_or_stays_unknown() {
        let name = Arc::from("NVIDIA X1");
        let mut floors = Floors::default();
        for _ in 0..ENOUGH {
            floors.learn(&name, 40.0);
        }
        assert_eq!(floors.floor("NVIDIA X1", None, Some(400.0)), Some(40.0));
        assert_eq!(floors.floor("NVIDIA X1", None, Some(100.0)), None, "40 of 100 W is no rest");
        assert_eq!(floors.floor("NVIDIA X1", None, None), None);
        assert_eq!(floors.floor("NVIDIA X2", None, Some(400.0)), None);
    }

    #[test]
    fn a_context_raises_what_is_idle_power() {
        assert!((idle_limit(70.0, 1.25, false, model("H100"), Some(700.0)) - 87.5).abs() < 0.01);
        assert!((idle_limit(70.0, 1.25, true, model("H100"), Some(700.0)) - 133.0).abs() < 0.01);
        assert!((idle_limit(9.0, 1.25, true, model("T4"), Some(70.0)) - 28.0).abs() < 0.01);
    }
}
