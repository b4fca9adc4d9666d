//! An autoscaler, replayed over a load: how many replicas it would have run, what that costs, and
//! when it would have been too late.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};

use super::field::{Field, Inputs, Knob, fields, knobs};
use super::gpu_savings::whole_up;
use super::sheet::{Quantity, Series, Sheet, Unit};
use super::words::{number, rate, share};
use super::{LeverError, LeverKind};
use crate::whatif::supply::cash::HOURS_PER_MONTH;

/// Inputs of the autoscaling simulator: a load and a scaler. Measured numbers have no default: `None` = not
/// given, and the answer fails where one is needed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Autoscale {
    /// Load of each step, in any unit of which a replica bears `capacity`: requests per second.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub load: Vec<f64>,
    /// Length of a step, minutes.
    pub step_minutes: Option<f64>,
    /// Load that one fully used replica bears, in the unit of `load`.
    pub capacity: Option<f64>,
    /// Target utilisation of a replica, 0–1.
    pub target: Option<f64>,
    /// Fewest replicas.
    pub min: Option<f64>,
    /// Most replicas; `None` = no limit.
    pub max: Option<f64>,
    /// Minutes from the need for a replica to its first answer.
    pub lag_minutes: Option<f64>,
    /// Minutes without the need for a replica until it is removed.
    pub window_minutes: Option<f64>,
    /// USD per replica and hour.
    pub usd_per_hour: Option<f64>,
    /// Replicas that run today; `None` = as many as the highest load needs.
    pub fixed: Option<f64>,
}

impl Default for Autoscale {
    fn default() -> Self {
        Self {
            load: Vec::new(),
            step_minutes: None,
            capacity: None,
            target: Some(0.7),
            min: Some(1.0),
            max: None,
            lag_minutes: None,
            window_minutes: Some(5.0),
            usd_per_hour: None,
            fixed: None,
        }
    }
}

pub(super) const FIELDS: &[Field<Autoscale>] = fields! { Autoscale;
    step_minutes "step of the load" Minutes 0.01..1440.0, 1.0, "the interval of the series";
    capacity "one replica bears" Count 0.001..f64::INFINITY, 1.0, "load test: the highest load with the latency that is promised";
    target "to be used" Share 0.01..1.0, 0.01, "the scaler's target; 70% leaves room for the lag";
    min "fewest replicas" Count 0.0..1e6, 1.0, "what must stand by";
    max "most replicas" Count 1.0..1e6, 1.0, "leave out for no bound";
    lag_minutes "start of a replica" Minutes 0.0..1440.0, 1.0, "measured: from the decision to the first answer, model loaded";
    window_minutes "stabilisation window" Minutes 0.0..1440.0, 1.0, "Kubernetes waits 5 minutes before it scales down";
    usd_per_hour "a replica" UsdPerHour 0.0..f64::INFINITY, 0.1, "price of its instance or its part of one";
    fixed "replicas today" Count 0.0..1e6, 1.0, "leave out to compare with what the highest load needs";
};

/// Replicas of the scaler at each step of the load.
#[derive(Clone, Debug, PartialEq)]
pub struct Replay {
    /// Replicas that are paid for, by step.
    pub billed: Vec<u32>,
    /// Replicas that serve, by step: those that have existed for the lag.
    pub serving: Vec<u32>,
    /// Load that was served, summed over the steps.
    pub served: f64,
    /// Load above the capacity of the serving replicas, summed over the steps.
    pub over: f64,
    /// Number of steps with load above the capacity of the serving replicas.
    pub overloaded: usize,
}

impl Replay {
    /// Mean replicas paid for; 0 without steps.
    pub fn mean(&self) -> f64 {
        let steps = self.billed.len().max(1) as f64;
        self.billed.iter().map(|count| f64::from(*count)).sum::<f64>() / steps
    }

    /// Share of the steps with load above the capacity, 0–1; 0 without steps.
    pub fn overload_share(&self) -> f64 {
        self.overloaded as f64 / self.billed.len().max(1) as f64
    }
}

/// Settings of a scaler; times in steps of the load.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Scaler {
    /// Load that one fully used replica bears.
    pub capacity: f64,
    /// Target utilisation of a replica, 0–1.
    pub target: f64,
    /// Fewest replicas.
    pub min: u32,
    /// Most replicas.
    pub max: u32,
    /// Steps from the need for a replica to its first answer.
    pub lag: usize,
    /// Steps without the need for a replica until it is removed.
    pub window: usize,
}

impl Scaler {
    /// Replicas that a load needs: ⌈load ÷ (target × capacity)⌉, within `min` and `max`.
    pub fn need(&self, load: f64) -> u32 {
        (whole_up(load.max(0.0) / (self.target * self.capacity)) as u32).clamp(self.min, self.max)
    }

    /// Replays the scaler over a load. A replica is paid for from the step that needs it until it was not
    /// needed for the window; it serves after the lag. Before the first step run as many as that step needs.
    pub fn replay(&self, load: &[f64]) -> Replay {
        let need: Vec<u32> = load.iter().map(|load| self.need(*load)).collect();
        let billed = over_last(&need, self.window, u32::max);
        let serving = over_last(&billed, self.lag, u32::min);
        let mut replay = Replay { billed, serving, served: 0.0, over: 0.0, overloaded: 0 };
        for (load, serving) in load.iter().zip(&replay.serving) {
            let bears = f64::from(*serving) * self.capacity;
            // What rounding leaves above a full fleet is no overload.
            replay.overloaded += usize::from(*load > bears * (1.0 + 1e-12));
            replay.served += load.min(bears);
            replay.over += (load - bears).max(0.0);
        }
        replay
    }
}

/// At each step the highest (or lowest) of it and the `steps` before it; before the first is
/// nothing. In one pass, however long the window: what a later value beats is never asked for again.
fn over_last(values: &[u32], steps: usize, best: fn(u32, u32) -> u32) -> Vec<u32> {
    let mut waiting: VecDeque<usize> = VecDeque::new();
    let mut out = Vec::with_capacity(values.len());
    for (at, value) in values.iter().enumerate() {
        while waiting.back().is_some_and(|last| best(values[*last], *value) == *value) {
            waiting.pop_back();
        }
        waiting.push_back(at);
        if waiting.front().is_some_and(|first| first + steps < at) {
            waiting.pop_front();
        }
        out.push(waiting.front().map_or(*value, |first| values[*first]));
    }
    out
}

/// Cost with and without the scaler, USD per month of 730 h.
#[derive(Clone, Debug, PartialEq)]
pub struct Autoscaled {
    /// USD per month with a fixed number of replicas.
    pub before_usd: f64,
    /// USD per month with the scaler.
    pub after_usd: f64,
    /// Fixed number of replicas that the scaler is compared with.
    pub fixed: u32,
    /// Replicas of the scaler, step by step.
    pub replay: Replay,
}

impl Autoscaled {
    /// Saved share of today's cost; negative where the scaler costs more; 0 where today's cost is 0.
    pub fn share(&self) -> f64 {
        if self.before_usd > 0.0 { 1.0 - self.after_usd / self.before_usd } else { 0.0 }
    }
}

impl Autoscale {
    fn scaler(&self) -> Result<Scaler, LeverError> {
        let inputs = Inputs::new(LeverKind::Autoscale, self, FIELDS);
        let wrong = |what: String| LeverError::Contradiction { lever: LeverKind::Autoscale, what };
        if self.load.is_empty() {
            return Err(LeverError::Missing {
                lever: LeverKind::Autoscale,
                input: "load",
                hint: "a series of the load, one number per step",
            });
        }
        if let Some(at) = self.load.iter().position(|load| !(0.0..f64::INFINITY).contains(load)) {
            return Err(wrong(format!(
                "load {} of {} is {}: loads are numbers from 0 on",
                at + 1,
                self.load.len(),
                self.load[at]
            )));
        }
        let step = inputs.need("step_minutes")?;
        let (min, max) = (inputs.need("min")?, inputs.maybe("max")?.unwrap_or(1e6));
        if min > max {
            return Err(wrong(format!(
                "the fewest replicas ({}) are more than the most ({})",
                number(min),
                number(max)
            )));
        }
        // A lag that is no whole number of steps is over with the step in which it ends.
        let steps = |minutes: f64| whole_up(minutes / step) as usize;
        Ok(Scaler {
            capacity: inputs.need("capacity")?,
            target: inputs.need("target")?,
            min: min.ceil() as u32,
            max: max.floor() as u32,
            lag: steps(inputs.need("lag_minutes")?),
            window: steps(inputs.need("window_minutes")?),
        })
    }

    /// Cost with and without the scaler. Fails where an input is missing or out of its range.
    pub fn scaled(&self) -> Result<Autoscaled, LeverError> {
        let inputs = Inputs::new(LeverKind::Autoscale, self, FIELDS);
        let scaler = self.scaler()?;
        let usd_per_hour = inputs.need("usd_per_hour")?;
        let peak = self.load.iter().copied().fold(0.0, f64::max);
        let fixed = inputs.maybe("fixed")?.map_or_else(|| scaler.need(peak), |count| count as u32);
        let replay = scaler.replay(&self.load);
        let month = usd_per_hour * HOURS_PER_MONTH;
        Ok(Autoscaled {
            before_usd: month * f64::from(fixed),
            after_usd: month * replay.mean(),
            fixed,
            replay,
        })
    }

    /// The answer as a sheet: inputs, arithmetic, results, notes. Fails as [`Autoscale::scaled`].
    pub fn sheet(&self) -> Result<Sheet, LeverError> {
        let scaled = self.scaled()?;
        let scaler = self.scaler()?;
        let replay = &scaled.replay;
        let price = self.usd_per_hour.unwrap_or(0.0);
        let peak = self.load.iter().copied().fold(0.0, f64::max);
        let steps = self.load.len();
        let served = replay.served + replay.over;
        let points = |values: &[u32]| {
            values.iter().enumerate().map(|(at, v)| (at as f64, f64::from(*v))).collect()
        };
        let series = |name: &str, label: &str, values: &[u32]| Series {
            name: name.to_owned(),
            label: label.to_owned(),
            x_unit: Unit::Count,
            unit: Unit::Count,
            points: points(values),
        };
        let mut sheet = Sheet::new(LeverKind::Autoscale, self.inputs())
            .line(
                "the highest load needs",
                format!(
                    "⌈{} ÷ ({} × {})⌉",
                    number(peak),
                    share(scaler.target),
                    number(scaler.capacity)
                ),
                f64::from(scaler.need(peak)),
                Unit::Count,
            )
            .line(
                "replicas, mean",
                format!(
                    "over {steps} steps; each is kept {} more, ready after {}",
                    scaler.window, scaler.lag
                ),
                replay.mean(),
                Unit::Count,
            )
            .line(
                "a month",
                format!("{} × {} × 730 h", number(replay.mean()), rate(price)),
                scaled.after_usd,
                Unit::UsdPerMonth,
            )
            .line(
                "a month at a fixed number",
                format!("{} × {} × 730 h", scaled.fixed, rate(price)),
                scaled.before_usd,
                Unit::UsdPerMonth,
            )
            .line(
                "too late",
                format!("{} of {steps} steps", replay.overloaded),
                replay.overload_share(),
                Unit::Share,
            )
            .result(
                "saved_usd_per_month",
                "saved",
                scaled.before_usd - scaled.after_usd,
                Unit::UsdPerMonth,
            )
            .result("saved_share", "of a fixed number", scaled.share(), Unit::Share)
            .result("mean_replicas", "replicas, mean", replay.mean(), Unit::Count)
            .result("after_usd_per_month", "left to pay", scaled.after_usd, Unit::UsdPerMonth)
            .result("overload_share", "steps with too few", replay.overload_share(), Unit::Share)
            .result(
                "unserved_share",
                "load above what served",
                if served > 0.0 { replay.over / served } else { 0.0 },
                Unit::Share,
            )
            .note((replay.overloaded > 0).then(|| {
                format!(
                    "In {} of the steps replicas would have come too late or been too few: a lower target \
                     or a higher minimum buys them back.",
                    share(replay.overload_share())
                )
            }));
        sheet.series = vec![
            series("billed", "replicas paid for", &replay.billed),
            series("serving", "replicas that serve", &replay.serving),
        ];
        Ok(sheet)
    }

    fn inputs(&self) -> Vec<Quantity> {
        let steps = Quantity {
            name: "steps".to_owned(),
            label: "steps of load".to_owned(),
            number: Some(self.load.len() as f64),
            unit: Unit::Count,
        };
        let knobs = knobs(self, FIELDS, None);
        std::iter::once(steps).chain(knobs.iter().map(Knob::quantity)).collect()
    }
}
