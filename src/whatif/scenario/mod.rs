//! What a planning session can move: demand's futures, prices, what is held and what would be bought.
//! Kept as TOML (`burntop/scenario/1`).

mod check;
mod defaults;
pub(super) mod file;
mod history;
mod only;
mod step;

pub use defaults::{BILLED_RATES, ListPrice, PRIVATE_PRICES, scenario_of};
pub use file::{ReadScenario, ScenarioError, file_name, read, write};
pub use history::History;

use serde::{Deserialize, Serialize};

use super::levers::Levers;

/// Name and version of the file format.
pub const SCENARIO_SCHEMA: &str = "burntop/scenario/1";

/// A planning scenario. All fields have defaults, so that a file need only name what differs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Scenario {
    /// Format and version of the file, [`SCENARIO_SCHEMA`].
    pub schema: String,
    /// Name, from which the file name is made. Clean text.
    pub name: String,
    /// The author's notes. Clean text.
    pub note: String,
    /// Name of the only family that is planned for: the others are neither valued nor advised, as
    /// [`Scenario::counted_alone`] says. `None` = all families.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub only: Option<String>,
    /// Assumptions about the weeks ahead.
    pub future: Future,
    /// Families of the demand, in the order shown.
    #[serde(rename = "family", skip_serializing_if = "Vec::is_empty")]
    pub families: Vec<FamilyInputs>,
    /// Compute Savings Plans, which apply to all families.
    #[serde(rename = "compute_plan", skip_serializing_if = "Vec::is_empty")]
    pub compute_plans: Vec<ComputePlan>,
    /// The simulators in use.
    #[serde(skip_serializing_if = "Levers::is_empty")]
    pub levers: Levers,
}

/// Assumptions about the weeks ahead, for all families.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Future {
    /// Weeks looked ahead, 1–156.
    pub weeks: u16,
    /// Number of futures, 0–50,000; 0 values the history itself.
    pub paths: u32,
    /// Seed of the random draw: the same seed gives the same futures.
    pub seed: u64,
    /// Correlation of the random part between families, from 0 (independent) to 1 (equal).
    pub correlation: f64,
    /// Cost of capital per year, 0.08 = 8%.
    pub wacc: f64,
    /// Weight of the risk, 0–1: 0 = the mean alone, 1 = the mean of the worst 5% of savings alone.
    pub caution: f64,
    /// Weeks until the next purchase date, 1–52.
    pub top_up_weeks: u16,
    /// True: base weeks of a family whose past has a trend are brought to today's level, so that futures begin
    /// where the history ends. False: base weeks are used as recorded.
    pub from_today: bool,
}

/// Inputs of one family: demand, prices, commitments held, offers and purchases.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct FamilyInputs {
    /// Name of the family in the demand.
    pub name: String,
    /// USD per unit and hour on demand; `None` where not known: then the family cannot be valued.
    pub on_demand: Option<f64>,
    /// Source of the prices with its date: "list, 2026-07-20". Clean text.
    pub prices_from: String,
    /// Expected growth per year, 0.3 = 30% more after 52 weeks (compound).
    pub growth: f64,
    /// Standard deviation of the weekly growth, drawn once per future: 0.01 = the trend is off by 1% per week,
    /// up or down.
    pub drift: f64,
    /// Standard deviation of a week's level around the trend, drawn for each week.
    pub shock: f64,
    /// Dated changes of the demand.
    #[serde(rename = "step", skip_serializing_if = "Vec::is_empty")]
    pub steps: Vec<Step>,
    /// Change of the on-demand price; `None` = it stays.
    pub price_cut: Option<PriceCut>,
    /// Spot for a share of the demand; `None` = no Spot.
    pub spot: Option<Spot>,
    /// Commitments held today.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub held: Vec<Held>,
    /// Offers that can be bought.
    #[serde(rename = "offer", skip_serializing_if = "Vec::is_empty")]
    pub offers: Vec<Offer>,
    /// Purchases of this scenario, which the sliders move.
    #[serde(rename = "buy", skip_serializing_if = "Vec::is_empty")]
    pub buys: Vec<Buy>,
}

/// A dated change of a family's demand.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "step::StepTable", into = "step::StepTable")]
pub struct Step {
    /// First week in which it holds, 0 = the coming one.
    pub week: u16,
    /// Kind and size of the change.
    pub kind: StepKind,
}

/// Kind of a dated change.
#[derive(Clone, Debug, PartialEq)]
pub enum StepKind {
    /// This many units more (or, negative, less), day and night. Demand never falls below 0.
    Launch {
        /// Units added.
        units: f64,
    },
    /// All demand times a factor: 0.8 after right-sizing.
    Scale {
        /// Factor, at least 0.
        factor: f64,
    },
    /// A share of the demand moves to another family, hour by hour.
    Move {
        /// The share, 0–1.
        share: f64,
        /// Name of the other family.
        to: String,
        /// Units of the other family per unit here: 0.4 where two do the work of five.
        ratio: f64,
    },
}

/// Change of a family's on-demand price.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PriceCut {
    /// First week in which it holds, 0 = the coming one.
    pub week: u16,
    /// Share by which the price falls, 0.44 = 44% less; negative = dearer.
    pub share: f64,
}

/// Spot for a share of a family's demand; without capacity it runs on demand.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Spot {
    /// Share of the demand that tolerates interruptions, 0–1.
    pub share: f64,
    /// USD per unit and hour on Spot.
    pub price: f64,
    /// Share of the time in which Spot capacity is available, 0–1.
    pub availability: f64,
    /// Interruptions per unit and hour.
    pub interruptions_per_hour: f64,
    /// Hours that writing a checkpoint takes.
    pub checkpoint_hours: f64,
    /// Hours between checkpoints; `None` = the best interval (Young 1974, Daly 2006).
    pub interval_hours: Option<f64>,
    /// Hours that a restart takes.
    pub restart_hours: f64,
}

/// A commitment held today.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Held {
    /// Name of the commitment: "1y standard RI". Clean text.
    pub name: String,
    /// Units covered.
    pub units: f64,
    /// USD per unit and hour, amortised.
    pub rate: f64,
    /// Weeks until it expires.
    pub weeks_left: u16,
}

/// An offer that can be bought for a family.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Offer {
    /// Name, by which purchases refer to it. Clean text.
    pub name: String,
    /// Kind of commitment.
    pub kind: OfferKind,
    /// Term, weeks: 52 or 156 (RI, Savings Plans), 1–26 (Capacity Block).
    pub weeks: u16,
    /// When it is paid.
    pub payment: Payment,
    /// USD per unit and hour, amortised over the term at this payment; `None` where not known: the offer is
    /// then shown but not valued.
    pub rate: Option<f64>,
}

/// Kind of commitment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OfferKind {
    /// Standard Reserved Instance.
    StandardRi,
    /// Convertible Reserved Instance.
    ConvertibleRi,
    /// EC2 Instance Savings Plan, for one family in one region.
    InstancePlan,
    /// Capacity Block for ML: paid at once, for its window.
    CapacityBlock,
    /// On-Demand Capacity Reservation: capacity at the on-demand price, used or not.
    CapacityReservation,
}

/// When a commitment is paid: AWS's payment options.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Payment {
    /// In equal parts each month.
    #[default]
    NoUpfront,
    /// Half at once, the rest each month.
    PartialUpfront,
    /// All at once.
    AllUpfront,
}

/// A purchase in a scenario.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Buy {
    /// Name of the family's offer.
    pub offer: String,
    /// Units bought.
    pub units: f64,
    /// Week of the purchase, 0 = now.
    #[serde(default)]
    pub week: u16,
}

/// A Compute Savings Plan: a commitment in USD per hour, used or not, with a rate for each family.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ComputePlan {
    /// Name of the plan. Clean text.
    pub name: String,
    /// Commitment, USD per hour.
    pub usd_per_hour: f64,
    /// Term, weeks; of a plan held the weeks until it expires.
    pub weeks: u16,
    /// Week in which it begins, 0 = now.
    #[serde(default)]
    pub week: u16,
    /// When it is paid.
    #[serde(default)]
    pub payment: Payment,
    /// USD per unit and hour under the plan, by family; families without a rate are not covered.
    #[serde(rename = "rate")]
    pub rates: Vec<PlanRate>,
    /// True for a plan held today.
    #[serde(default)]
    pub held: bool,
}

/// Rate of a family under a Compute Savings Plan.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PlanRate {
    /// Name of the family.
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
            only: None,
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
