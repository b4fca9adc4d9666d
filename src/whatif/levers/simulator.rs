//! What all simulators can do, so that screens and commands need not know which is which.

use super::field::{Knob, element, knobs, set, set_in};
use super::{
    Autoscale, FailedRuns, GpuSavings, LeverError, LeverKind, Network, Programme, Rightsize, Sheet,
    SpotMix, Storage, Tco, UnitCost, autoscale, failed_runs, gpu_savings, network, programme,
    rightsize, spot_mix, storage, tco, unit_cost,
};
use crate::domain::text::clean;

/// What screens and commands need of every simulator, whichever it is.
pub trait Simulator {
    /// The inputs with their current values, in the order shown.
    fn knobs(&self) -> Vec<Knob>;

    /// Sets the input of this name (as in [`Simulator::knobs`]); `None` = not given. False where no input has
    /// this name. [`Simulator::sheet`] checks the range.
    fn set(&mut self, name: &str, value: Option<f64>) -> bool;

    /// Sets an input that holds text: the name of an element (`phase.1.name`, `move.1.from`) or the route of a
    /// flow (`flow.1.way` = `nat-gateway`). False where no input has this name, or it does not accept `word`.
    fn set_word(&mut self, _name: &str, _word: &str) -> bool {
        false
    }

    /// The answer as a sheet. Fails where an input is missing, out of its range, or contradicts another.
    fn sheet(&self) -> Result<Sheet, LeverError>;

    /// Lists among the inputs, as name and number of elements.
    fn lists(&self) -> Vec<(&'static str, usize)> {
        Vec::new()
    }

    /// Adds an empty element at the end of a list (`grow`), or removes the last one. False where there is no
    /// such list, or it is already empty.
    fn resize(&mut self, _list: &str, _grow: bool) -> bool {
        false
    }
}

/// Puts a clean word in the place of another one.
fn put(place: &mut String, word: &str) -> bool {
    *place = clean(word).into_owned();
    true
}

/// The command that calculates the same without a screen, with the inputs that are given.
pub fn command(kind: LeverKind, of: &dyn Simulator) -> String {
    // Four places: gigabytes to a tenth of a megabyte, prices to a hundredth of a cent.
    let input = |knob: &Knob| Some(format!("{}={}", knob.name, (knob.value? * 1e4).round() / 1e4));
    let inputs: Vec<String> = of.knobs().iter().filter_map(input).collect();
    format!("burntop whatif {kind} {}", inputs.join(" "))
}

fn resized<T: Default>(list: &mut Vec<T>, grow: bool) -> bool {
    if grow {
        list.push(T::default());
    }
    grow || list.pop().is_some()
}

macro_rules! plain {
    ($($of:ident $module:ident;)*) => {$(
        impl Simulator for $of {
            fn knobs(&self) -> Vec<Knob> {
                knobs(self, $module::FIELDS, None)
            }
            fn set(&mut self, name: &str, value: Option<f64>) -> bool {
                set(self, $module::FIELDS, name, value)
            }
            fn sheet(&self) -> Result<Sheet, LeverError> {
                Self::sheet(self)
            }
        }
    )*};
}

plain! {
    Autoscale autoscale;
    FailedRuns failed_runs;
    GpuSavings gpu_savings;
    SpotMix spot_mix;
    Storage storage;
    Tco tco;
    UnitCost unit_cost;
}

impl Simulator for Rightsize {
    fn knobs(&self) -> Vec<Knob> {
        Self::knobs(self)
    }

    fn set(&mut self, name: &str, value: Option<f64>) -> bool {
        set_in(&mut self.moves, "move", rightsize::FIELDS, name, value)
    }

    fn set_word(&mut self, name: &str, word: &str) -> bool {
        match element(&mut self.moves, "move", name) {
            Some((of, "from")) => put(&mut of.from, word),
            Some((of, "to")) => put(&mut of.to, word),
            _ => false,
        }
    }

    fn sheet(&self) -> Result<Sheet, LeverError> {
        Self::sheet(self)
    }

    fn lists(&self) -> Vec<(&'static str, usize)> {
        vec![("move", self.moves.len())]
    }

    fn resize(&mut self, list: &str, grow: bool) -> bool {
        list == "move" && resized(&mut self.moves, grow)
    }
}

impl Simulator for Network {
    fn knobs(&self) -> Vec<Knob> {
        Self::knobs(self)
    }

    fn set(&mut self, name: &str, value: Option<f64>) -> bool {
        set_in(&mut self.flows, "flow", network::FLOW, name, value)
            || set_in(&mut self.cuts, "cut", network::CUT, name, value)
    }

    fn set_word(&mut self, name: &str, word: &str) -> bool {
        if let Some((cut, "name")) = element(&mut self.cuts, "cut", name) {
            return put(&mut cut.name, word);
        }
        match element(&mut self.flows, "flow", name) {
            Some((flow, "name")) => put(&mut flow.name, word),
            Some((flow, "way")) => {
                let way = network::Way::from_word(word);
                flow.way = way.unwrap_or(flow.way);
                way.is_some()
            }
            _ => false,
        }
    }

    fn sheet(&self) -> Result<Sheet, LeverError> {
        Self::sheet(self)
    }

    fn lists(&self) -> Vec<(&'static str, usize)> {
        vec![("flow", self.flows.len()), ("cut", self.cuts.len())]
    }

    fn resize(&mut self, list: &str, grow: bool) -> bool {
        match list {
            "flow" => resized(&mut self.flows, grow),
            "cut" => resized(&mut self.cuts, grow),
            _ => false,
        }
    }
}

impl Simulator for Programme {
    fn knobs(&self) -> Vec<Knob> {
        Self::knobs(self)
    }

    fn set(&mut self, name: &str, value: Option<f64>) -> bool {
        set(self, programme::FIELDS, name, value)
            || set_in(&mut self.phases, "phase", programme::PHASE, name, value)
    }

    fn set_word(&mut self, name: &str, word: &str) -> bool {
        let phase = element(&mut self.phases, "phase", name).filter(|(_, field)| *field == "name");
        phase.is_some_and(|(phase, _)| put(&mut phase.name, word))
    }

    fn sheet(&self) -> Result<Sheet, LeverError> {
        Self::sheet(self)
    }

    fn lists(&self) -> Vec<(&'static str, usize)> {
        vec![("phase", self.phases.len())]
    }

    fn resize(&mut self, list: &str, grow: bool) -> bool {
        list == "phase" && resized(&mut self.phases, grow)
    }
}
