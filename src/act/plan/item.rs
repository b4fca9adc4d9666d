//! A plan and its rows, as they stand in a plan file.

use std::sync::Arc;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::caps::{Breach, CapUse, Caps};
use super::digest::plan_hash;
use super::environments::{Chosen, EnvironmentCount, by_environment};
use super::verb::Verb;
use crate::domain::{InstanceState, Scope, VerdictKind};

/// Schema of a plan about instances, with its version.
pub const PLAN_SCHEMA: &str = "burntop/plan/2";

/// An action on some instances, with the evidence that it rests on. Changes nothing by itself.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Plan {
    /// [`PLAN_SCHEMA`].
    pub schema: String,
    /// When it was drafted.
    pub created_at: Timestamp,
    /// When it stops being valid; the evidence is old then.
    pub expires_at: Timestamp,
    /// Action on every row.
    pub verb: Verb,
    /// Name of the preset whose verdicts the plan rests on.
    pub preset: String,
    /// The filter that chose the rows, as typed; empty when they were marked by hand.
    pub filter: String,
    /// Why, in the words of who drafted it; needed where an instance is production.
    pub justification: String,
    /// Number of instances of the fleet when it was drafted, terminated ones left out; the basis of
    /// `max_fleet_percent`.
    pub fleet_size: u32,
    /// What the bill falls by when all rows stop together, commitments considered, USD per hour: not
    /// the sum of the rows, since what pays for one may pay for another then. `None` when not known,
    /// and where nothing is stopped.
    pub net_usd_per_hour: Option<f64>,
    /// The rows.
    pub items: Vec<PlanItem>,
}

/// One instance of a plan, with what was known of it when it was drafted.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PlanItem {
    /// Instance id.
    pub id: Arc<str>,
    /// Account and region.
    pub scope: Scope,
    /// Availability zone.
    pub az: Arc<str>,
    /// The `Name` tag; clean text, may be empty.
    pub name: Arc<str>,
    /// Instance type.
    pub instance_type: Arc<str>,
    /// State when it was drafted.
    pub state: InstanceState,
    /// Launch of the instance: after another launch the evidence no longer holds.
    pub launched_at: Timestamp,
    /// The verdict; `None` where there was none (stopped instances).
    pub verdict: Option<VerdictKind>,
    /// Start of the idle stretch; `None` for an instance that was not idle.
    pub idle_since: Option<Timestamp>,
    /// End of the time that the verdict covers: the last reading of the metrics. `None` when not
    /// known.
    pub judged_until: Option<Timestamp>,
    /// SHA-256 over the verdict with all its signals, see [`super::draft()`].
    pub evidence_sha256: String,
    /// Price, USD per hour; `None` when not known.
    pub usd_per_hour: Option<f64>,
    /// What the bill falls by when it alone stops, commitments considered, USD per hour; `None` when
    /// not known.
    #[serde(default)]
    pub net_usd_per_hour: Option<f64>,
    /// Commitment that pays for it whether it runs or not, in words; empty for none.
    #[serde(default)]
    pub covered_by: String,
    /// Basis and provenance of that price in words: `on-demand list price, live`.
    pub price_basis: String,
    /// True when account, configuration or tags say production.
    pub production: bool,
    /// The environment that its tags named; `None` where none did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub environment: Option<Arc<str>>,
    /// Jobs that had it by the last reading of their scheduler, in words; empty for none, and where no reading tells of now.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub held_by: String,
}

impl Plan {
    /// SHA-256 over the plan as compact JSON: what an approval is for.
    pub fn hash(&self) -> String {
        plan_hash(self)
    }

    /// The first twelve digits of the hash: the plan's name in messages and in the audit log.
    pub fn id(&self) -> String {
        self.hash().chars().take(12).collect()
    }

    /// Rows counted by environment.
    pub fn environments(&self) -> Vec<EnvironmentCount> {
        by_environment(self.items.iter().map(|i| Chosen {
            id: &i.id,
            name: &i.name,
            environment: i.environment.as_deref(),
            production: i.production,
        }))
    }

    /// Caps that all rows together break, and the use of each cap. Both are empty for a verb that
    /// no cap counts.
    pub fn held_against(&self, caps: &Caps) -> (Vec<Breach>, Vec<CapUse>) {
        if !self.verb.is_destructive() {
            return (Vec::new(), Vec::new());
        }
        let prices: Vec<Option<f64>> = self.items.iter().map(|i| i.usd_per_hour).collect();
        (caps.breaches(&prices, self.fleet_size), caps.uses(&prices, self.fleet_size))
    }

    /// Dollars per hour of all rows with a price, and how many rows have none.
    pub fn usd_per_hour(&self) -> (f64, usize) {
        let priced: Vec<f64> = self.items.iter().filter_map(|i| i.usd_per_hour).collect();
        (priced.iter().sum(), self.items.len() - priced.len())
    }
}
