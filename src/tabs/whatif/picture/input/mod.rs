//! The inputs of a scenario that can be moved and typed: what each is, where it stands, how far it
//! moves.

mod access;
mod list;
#[cfg(test)]
mod tests;

use std::borrow::Cow;

pub use list::{Row, groups, rows};

use super::Unit;
use crate::whatif::{FamilyInputs, Scenario, StepKind};

/// Inputs that are shown together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Group {
    /// Assumptions about the weeks ahead, for all families.
    Future,
    /// A family, by its index in the scenario.
    Family(usize),
    /// Compute Savings Plans.
    Plans,
}

/// An input of a scenario, with the indices of its family and its element.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Input {
    /// Weeks looked ahead.
    Weeks,
    /// Number of futures.
    Paths,
    /// Seed of the random draw.
    Seed,
    /// Correlation of the random part between families.
    Correlation,
    /// Cost of capital per year.
    Wacc,
    /// Weight of the risk, from the mean to the worst 5%.
    Caution,
    /// Weeks until the next purchase date.
    TopUp,
    /// On-demand price of a family.
    OnDemand(usize),
    /// Growth of a family per year.
    Growth(usize),
    /// Standard deviation of a family's weekly growth.
    Drift(usize),
    /// Standard deviation of a week's level.
    Shock(usize),
    /// Rate of a family's offer.
    OfferRate(usize, usize),
    /// Units of a family's offer bought now.
    Bought(usize, usize),
    /// Units of a later purchase, by its index among the purchases.
    LaterUnits(usize, usize),
    /// Week of a later purchase.
    LaterWeek(usize, usize),
    /// Spot price of a family; the other Spot inputs appear once it is set.
    SpotPrice(usize),
    /// Share of the demand that tolerates interruptions.
    SpotShare(usize),
    /// Share of the time in which Spot capacity is available.
    SpotAvailability(usize),
    /// Interruptions per unit and hour on Spot.
    SpotInterruptions(usize),
    /// Hours that writing a checkpoint takes.
    SpotCheckpoint(usize),
    /// Hours between checkpoints.
    SpotInterval(usize),
    /// Hours that a restart takes.
    SpotRestart(usize),
    /// Share by which the on-demand price falls.
    CutShare(usize),
    /// Week of the price cut.
    CutWeek(usize),
    /// Units, factor or share of a step, by its index.
    StepSize(usize, usize),
    /// Week of a step.
    StepWeek(usize, usize),
    /// Units in the other family per unit here, of a step that moves demand.
    StepRatio(usize, usize),
    /// Units of a commitment held, by its index.
    HeldUnits(usize, usize),
    /// Weeks until a commitment held expires.
    HeldWeeks(usize, usize),
    /// USD per hour of a Compute Savings Plan, by its index.
    PlanUsd(usize),
    /// Term of a Compute Savings Plan, weeks.
    PlanWeeks(usize),
    /// Week in which a Compute Savings Plan begins.
    PlanWeek(usize),
    /// Rate of a family under a Compute Savings Plan.
    PlanRate(usize, usize),
    /// Line for typing another step.
    NewStep(usize),
    /// Line for typing a later purchase.
    NewBuy(usize),
    /// Line for typing another Compute Savings Plan.
    NewPlan,
}

/// Label, unit and range of an input.
#[derive(Clone, Debug, PartialEq)]
pub struct Slider {
    /// Label; clean text.
    pub name: Cow<'static, str>,
    /// Unit of the value.
    pub unit: Unit,
    /// Change by a key.
    pub step: f64,
    /// Change by the key for large steps.
    pub leap: f64,
    /// Smallest and largest value accepted.
    pub limits: (f64, f64),
    /// Range of the bar; `None` where the input has no bar.
    pub bar: Option<(f64, f64)>,
}

/// Most units of any hour, by family of the scenario; 0 where no demand is known.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Peaks(pub Vec<f64>);

impl Peaks {
    fn of(&self, family: usize) -> f64 {
        self.0.get(family).copied().filter(|peak| *peak > 0.0).unwrap_or(20.0)
    }
}

/// A limit that only keeps numbers in their columns.
const MOST: f64 = 1e6;

impl Input {
    /// True for lines that add an element and have no value.
    pub fn is_new(self) -> bool {
        matches!(self, Self::NewStep(_) | Self::NewBuy(_) | Self::NewPlan)
    }

    /// Label, unit and range in this scenario.
    pub fn slider(self, scenario: &Scenario, peaks: &Peaks) -> Slider {
        let of = |name: &'static str, unit, step, leap, limits, bar| Slider {
            name: Cow::Borrowed(name),
            unit,
            step,
            leap,
            limits,
            bar,
        };
        let share = |name, step, leap, low: f64, high: f64| {
            of(name, Unit::Share, step, leap, (low, high), Some((low.max(-1.0), high.min(2.0))))
        };
        let weeks = |name| {
            let ahead = f64::from(scenario.future.weeks).max(1.0);
            of(name, Unit::Weeks, 1.0, 4.0, (0.0, 156.0), Some((0.0, ahead)))
        };
        let hours = |name, low| of(name, Unit::Hours, 0.01, 0.1, (low, 168.0), None);
        match self {
            Self::Weeks => {
                of("weeks ahead", Unit::Weeks, 1.0, 13.0, (1.0, 156.0), Some((0.0, 156.0)))
            }
            Self::Paths => {
                let bar = Some((0.0, 50_000.0));
                of("futures", Unit::Plain, 500.0, 5_000.0, (0.0, 50_000.0), bar)
            }
            // Whole numbers beyond it are not exact.
            Self::Seed => of("seed", Unit::Plain, 1.0, 100.0, (0.0, 9e15), None),
            Self::Correlation => share("correlation", 0.05, 0.25, 0.0, 1.0),
            Self::Wacc => {
                Slider { bar: Some((0.0, 0.3)), ..share("cost of capital", 0.005, 0.02, 0.0, 1.0) }
            }
            Self::Caution => share("caution", 0.05, 0.25, 0.0, 1.0),
            Self::TopUp => {
                let bar = Some((0.0, 52.0));
                of("top-up every", Unit::Weeks, 1.0, 4.0, (1.0, 52.0), bar)
            }
            Self::OnDemand(f) => rate("on-demand", family(scenario, f).and_then(|f| f.on_demand)),
            Self::Growth(_) => {
                Slider { bar: Some((-0.5, 1.0)), ..share("growth a year", 0.01, 0.1, -0.99, 20.0) }
            }
            Self::Drift(_) => {
                Slider { bar: Some((0.0, 0.05)), ..share("drift a week", 0.001, 0.01, 0.0, 0.1) }
            }
            Self::Shock(_) => {
                Slider { bar: Some((0.0, 0.5)), ..share("shock", 0.01, 0.05, 0.0, 2.0) }
            }
            Self::OfferRate(f, o) => {
                let offer = family(scenario, f).and_then(|f| f.offers.get(o));
                let name = offer.map_or(String::new(), |o| format!("rate {}", o.name));
                Slider { name: name.into(), ..rate("", offer.and_then(|o| o.rate)) }
            }
            Self::Bought(f, o) => {
                let offer = family(scenario, f).and_then(|f| f.offers.get(o));
                let name = offer.map_or(String::new(), |o| format!("buy {}", o.name));
                units(name.into(), peaks.of(f))
            }
            Self::LaterUnits(f, b) => {
                let buy = family(scenario, f).and_then(|f| f.buys.get(b));
                let name = buy.map_or(String::new(), |b| format!("later {}", b.offer));
                units(name.into(), peaks.of(f))
            }
            Self::LaterWeek(..) => weeks("  in week"),
            Self::SpotPrice(f) => {
                let price = family(scenario, f).and_then(|f| f.spot).map(|s| s.price);
                rate("spot price", price)
            }
            Self::SpotShare(_) => share("spot share", 0.05, 0.25, 0.0, 1.0),
            Self::SpotAvailability(_) => share("  available", 0.01, 0.1, 0.0, 1.0),
            Self::SpotInterruptions(_) => {
                of("  interruptions", Unit::PerHour, 0.001, 0.01, (0.0, 60.0), None)
            }
            Self::SpotCheckpoint(_) => hours("  checkpoint", 0.0),
            Self::SpotInterval(_) => hours("  every", 0.01),
            Self::SpotRestart(_) => hours("  restart", 0.0),
            Self::CutShare(_) => {
                Slider { bar: Some((0.0, 1.0)), ..share("price cut", 0.01, 0.1, -1.0, 0.99) }
            }
            Self::CutWeek(_) => weeks("  in week"),
            Self::StepSize(f, s) => step_slider(family(scenario, f), f, s, peaks),
            Self::StepWeek(..) => weeks("  in week"),
            Self::StepRatio(..) => of("  ratio", Unit::Plain, 0.05, 0.5, (0.0, 1_000.0), None),
            Self::HeldUnits(f, h) => {
                let held = family(scenario, f).and_then(|f| f.held.get(h));
                let name = held.map_or(String::new(), |h| format!("held {}", h.name));
                units(name.into(), peaks.of(f))
            }
            Self::HeldWeeks(..) => weeks("  runs"),
            Self::PlanUsd(p) => {
                let name = scenario.compute_plans.get(p).map_or(String::new(), |p| p.name.clone());
                let slider = of("", Unit::UsdPerHour, 1.0, 10.0, (0.0, MOST), None);
                Slider { name: name.into(), ..slider }
            }
            Self::PlanWeeks(_) => of("  runs", Unit::Weeks, 1.0, 52.0, (1.0, 156.0), None),
            Self::PlanWeek(_) => weeks("  from week"),
            Self::PlanRate(p, f) => {
                let named = family(scenario, f).map_or("", |f| &*f.name);
                let name = format!("  rate {named}");
                Slider { name: name.into(), ..rate("", access::plan_rate(scenario, p, named)) }
            }
            Self::NewStep(_) => of("another step", Unit::Plain, 0.0, 0.0, (0.0, 0.0), None),
            Self::NewBuy(_) => of("buy later", Unit::Plain, 0.0, 0.0, (0.0, 0.0), None),
            Self::NewPlan => of("another plan", Unit::Plain, 0.0, 0.0, (0.0, 0.0), None),
        }
    }
}

/// A price moves by about a hundredth of itself.
fn rate(name: &'static str, now: Option<f64>) -> Slider {
    let step = nice(now.unwrap_or(1.0) / 100.0).max(0.0001);
    Slider {
        name: Cow::Borrowed(name),
        unit: Unit::Rate,
        step,
        leap: step * 10.0,
        // A price of nothing is none.
        limits: (0.0001, MOST),
        bar: None,
    }
}

fn family(scenario: &Scenario, at: usize) -> Option<&FamilyInputs> {
    scenario.families.get(at)
}

/// Units move by about a two-hundredth of the most that ever ran, and never by less than one.
fn units(name: Cow<'static, str>, peak: f64) -> Slider {
    Slider {
        name,
        unit: Unit::Units,
        step: nice(peak / 200.0).max(1.0),
        leap: nice(peak / 20.0).max(10.0),
        limits: (0.0, MOST),
        bar: Some((0.0, peak * 1.25)),
    }
}

fn step_slider(family: Option<&FamilyInputs>, at: usize, step: usize, peaks: &Peaks) -> Slider {
    let kind = family.and_then(|f| f.steps.get(step)).map(|s| &s.kind);
    match kind {
        Some(StepKind::Scale { .. }) => Slider {
            name: Cow::Borrowed("step: times"),
            unit: Unit::Plain,
            step: 0.05,
            leap: 0.5,
            limits: (0.0, 1_000.0),
            bar: Some((0.0, 2.0)),
        },
        Some(StepKind::Move { to, .. }) => Slider {
            name: format!("step: to {to}").into(),
            unit: Unit::Share,
            step: 0.05,
            leap: 0.25,
            limits: (0.0, 1.0),
            bar: Some((0.0, 1.0)),
        },
        Some(StepKind::Launch { .. }) | None => {
            let slider = units(Cow::Borrowed("step: launch"), peaks.of(at));
            Slider { limits: (-MOST, MOST), bar: None, ..slider }
        }
    }
}

/// The largest of 1, 2 or 5 times a power of ten that is not above `value` (> 0).
pub fn nice(value: f64) -> f64 {
    if value <= 0.0 || !value.is_finite() {
        return 1.0;
    }
    let power = 10f64.powf(value.log10().floor());
    let lead = value / power;
    let one = [5.0, 2.0].into_iter().find(|n| lead >= n - 1e-9).unwrap_or(1.0);
    one * power
}

/// The next multiple of `step` above or below `value`.
pub fn next(value: f64, step: f64, up: bool) -> f64 {
    let at = value / step;
    let to = if up { (at + 1e-6).floor() + 1.0 } else { (at - 1e-6).ceil() - 1.0 };
    // As near to the decimal that is meant as a number can be.
    let exact = to * step;
    (exact * 1e9).round() / 1e9
}
