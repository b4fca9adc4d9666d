//! What a planning session can move: demand's futures, prices, what is held and what would be bought.
//! Kept as TOML (`burntop/scenario/1`).

mod check;
mod defaults;
pub(super) mod file;
mod history;
mod step;

pub use defaults::{ListPrice, scenario_of};
pub use file::{ReadScenario, ScenarioError, file_name, read, write};
pub use history::History;

use serde::{Deserialize, Serialize};

use super::levers::Levers;

/// The name and version of the file's form.
pub const SCENARIO_SCHEMA: &str = "burntop/scenario/1";

/// A plan, whole. All fields have defaults, so that a file may say only what it means.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Scenario {
    /// Form and version of the file.
    pub schema: String,
    /// Its name; the file's name follows it. Clean text.
    pub name: String,
    /// What the author wants to remember. Clean text.
    pub note: String,
    /// The future.
    pub future: Future,
    /// The families, in the order shown.
    #[serde(rename = "family", skip_serializing_if = "Vec::is_empty")]
    pub families: Vec<FamilyInputs>,
    /// Compute Savings Plans: dollars per hour, over all families.
    #[serde(rename = "compute_plan", skip_serializing_if = "Vec::is_empty")]
    pub compute_plans: Vec<ComputePlan>,
    /// The other simulators, where they are looked at.
    #[serde(skip_serializing_if = "Levers::is_empty")]
    pub levers: Levers,
}

/// What is assumed of the time ahead, for all families.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Future {
    /// Weeks looked ahead, 1–156.
    pub weeks: u16,
    /// Futures drawn, 0–50,000; 0 values the history itself.
    pub paths: u32,
    /// What the draw begins with: the same seed gives the same futures.
    pub seed: u64,
    /// How much the random part is shared by the families, 0 (nothing) – 1 (all of it).
    pub correlation: f64,
    /// Cost of capital per year, 0.08 = 8 %.
    pub wacc: f64,
    /// What counts: 0 = the mean alone, 1 = the mean of the worst 5 % of savings alone.
    pub caution: f64,
    /// Weeks until one could buy again, 1–52.
    pub top_up_weeks: u16,
    /// True: where a family's past has a trend, its weeks are brought to today's level, so that
    /// futures begin where the history ends. False: they are as they were.
    pub from_today: bool,
}

/// One family: its demand ahead, its prices, what is held, what may be bought and what would be.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct FamilyInputs {
    /// As in the demand.
    pub name: String,
    /// USD per unit and hour on demand; `None` where not known: then nothing can be valued.
    pub on_demand: Option<f64>,
    /// Where the prices are from, with their date: "list, 2026-07-20". Clean text.
    pub prices_from: String,
    /// Expected growth per year, 0.3 = 30 % more after 52 weeks (compound).
    pub growth: f64,
    /// Standard deviation of the growth per week that is not known today, one draw per future:
    /// 0.01 = the trend is off by 1 % per week, up or down.
    pub drift: f64,
    /// Standard deviation of a week's level around the trend, each week anew.
    pub shock: f64,
    /// Dated changes.
    #[serde(rename = "step", skip_serializing_if = "Vec::is_empty")]
    pub steps: Vec<Step>,
    /// A change of the on-demand price.
    pub price_cut: Option<PriceCut>,
    /// Spot, for the part of the demand that can take it.
    pub spot: Option<Spot>,
    /// What is held already.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub held: Vec<Held>,
    /// What may be bought.
    #[serde(rename = "offer", skip_serializing_if = "Vec::is_empty")]
    pub offers: Vec<Offer>,
    /// What this scenario buys: the sliders.
    #[serde(rename = "buy", skip_serializing_if = "Vec::is_empty")]
    pub buys: Vec<Buy>,
}

/// A dated change of a family's demand.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "step::StepTable", into = "step::StepTable")]
pub struct Step {
    /// The first week in which it holds, 0 = the coming one.
    pub week: u16,
    /// What changes.
    pub kind: StepKind,
}

/// What changes at a step.
#[derive(Clone, Debug, PartialEq)]
pub enum StepKind {
    /// This many units more (or, negative, less), day and night. Demand never falls below 0.
    Launch {
        /// Units.
        units: f64,
    },
    /// Everything times this: 0.8 after a right-sizing.
    Scale {
        /// Factor, at least 0.
        factor: f64,
    },
    /// A part moves to another family, hour by hour.
    Move {
        /// The part, 0–1.
        share: f64,
        /// The other family.
        to: String,
        /// Units there per unit here: 0.4 where five do the work of two.
        ratio: f64,
    },
}

/// A change of the on-demand price of a family.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PriceCut {
    /// The first week in which it holds.
    pub week: u16,
    /// By how much, 0.44 = 44 % less; negative = dearer.
    pub share: f64,
}

/// Spot for a part of a family's demand. What it cannot have runs on demand.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Spot {
    /// The part of the demand that can take interruptions, 0–1.
    pub share: f64,
    /// USD per unit and hour.
    pub price: f64,
    /// Part of the time in which there is any, 0–1.
    pub availability: f64,
    /// Interruptions per unit and hour.
    pub interruptions_per_hour: f64,
    /// Hours that writing a checkpoint takes.
    pub checkpoint_hours: f64,
    /// Hours between checkpoints; `None` = the best interval (Young/Daly).
    pub interval_hours: Option<f64>,
    /// Hours that a restart takes.
    pub restart_hours: f64,
}

/// A commitment that is held already.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Held {
    /// What it is: "1y standard RI". Clean text.
    pub name: String,
    /// Units.
    pub units: f64,
    /// USD per unit and hour, amortised.
    pub rate: f64,
    /// Weeks that it still runs.
    pub weeks_left: u16,
}

/// Something that can be bought for a family.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Offer {
    /// What the buys call it. Clean text.
    pub name: String,
    /// What it is.
    pub kind: OfferKind,
    /// Weeks it runs: 52 or 156 (RI, Savings Plans), 1–26 (Capacity Block).
    pub weeks: u16,
    /// How it is paid.
    pub payment: Payment,
    /// USD per unit and hour, amortised over the term at this payment; `None` where not known:
    /// shown, never valued.
    pub rate: Option<f64>,
}

/// The kinds of commitments.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OfferKind {
    /// Standard Reserved Instance.
    StandardRi,
    /// Convertible Reserved Instance.
    ConvertibleRi,
    /// EC2 Instance Savings Plan, for one family in one region.
    InstancePlan,
    /// Capacity Block for ML: paid at once, for its window alone.
    CapacityBlock,
    /// On-Demand Capacity Reservation: capacity at the on-demand price, used or not.
    CapacityReservation,
}

/// How a commitment is paid.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Payment {
    /// By the month.
    #[default]
    NoUpfront,
    /// Half at once.
    PartialUpfront,
    /// At once.
    AllUpfront,
}

/// A purchase.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Buy {
    /// Which of the family's offers.
    pub offer: String,
    /// Units.
    pub units: f64,
    /// In which week, 0 = now.
    #[serde(default)]
    pub week: u16,
}

/// A Compute Savings Plan: what is spent per hour, used or not, at each family's own rate.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ComputePlan {
    /// What it is called. Clean text.
    pub name: String,
    /// USD per hour.
    pub usd_per_hour: f64,
    /// Weeks it runs, or still runs where it is held.
    pub weeks: u16,
    /// In which week it begins, 0 = now.
    #[serde(default)]
    pub week: u16,
    /// How it is paid.
    #[serde(default)]
    pub payment: Payment,
    /// USD per unit and hour under the plan, by family; a family that is not named is not covered.
    #[serde(rename = "rate")]
    pub rates: Vec<PlanRate>,
    /// True: is held already.
    #[serde(default)]
    pub held: bool,
}

/// A family's rate under a Compute Savings Plan.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PlanRate {
    /// The family.
    pub family: String,
    /// USD per unit and hour.
    pub rate: f64,
}

impl Default for Scenario {
    fn default() -> Self {
        Self {
            schema: SCENARIO_SCHEMA.to_owned(),
            name: String::new(),
            note: String::new(),
            future: Future::default(),
            families: Vec::new(),
            compute_plans: Vec::new(),
            levers: Levers::default(),
        }
    }
}

impl Default for Future {
    fn default() -> Self {
        Self {
            weeks: 52,
            paths: 10_000,
            seed: 1,
            correlation: 0.5,
            wacc: 0.08,
            caution: 0.5,
            top_up_weeks: 4,
            from_today: false,
        }
    }
}
