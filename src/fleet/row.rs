//! One instance with everything joined to it.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::commitments::Net;
use super::held::HeldBy;
use super::obstacle::Obstacle;
use crate::domain::{Burnt, Instance, LaunchOf, Rate, TypeSpec, Verdict};

/// One instance of the fleet, joined with type, price, verdict, tags and commitments.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Row {
    /// The instance as EC2 reports it.
    pub instance: Arc<Instance>,
    /// Instance type; `None` when unknown.
    pub spec: Option<Arc<TypeSpec>>,
    /// Price; `None` when unknown, which is shown as `–` and left out of totals, which count it.
    pub rate: Option<Rate>,
    /// Verdict; `None` for instances that are not running, and until it is judged.
    pub verdict: Option<Arc<Verdict>>,
    /// Team, from the tags; `None` without such a tag.
    pub team: Option<Arc<str>>,
    /// Project, from the tags; `None` without such a tag.
    pub project: Option<Arc<str>>,
    /// Environment, from the tags; `None` without such a tag.
    pub environment: Option<Arc<str>>,
    /// Cost center, from the tags; `None` without such a tag.
    pub cost_center: Option<Arc<str>>,
    /// Dollars since `idle_since`: price × waste share; `None` when not idle or not priced.
    pub wasted_usd: Option<f64>,
    /// Net cost after commitments; `None` when it does not run, and until commitments were read.
    pub net: Option<Arc<Net>>,
    /// What the newest bill says that it cost in its month so far, net of discounts and commitments, USD; `None` without a
    /// bill, and where the bill does not name it.
    pub billed_usd: Option<f64>,
    /// Who holds it now; `None` where no source of jobs tells. Not stored with the row: it ages within minutes.
    #[serde(skip)]
    pub held_by: Option<Arc<HeldBy>>,
    /// What would keep it from being stopped, worst first; empty where nothing is known to, `None` where nobody looked, and of an
    /// instance that is not idle. Not stored with the row: it ages as well.
    #[serde(skip)]
    pub obstacles: Option<Arc<[Obstacle]>>,
    /// Who launched it, as far as the audit trail was asked; `None` until then.
    pub launch: Option<Arc<LaunchOf>>,
}

impl Row {
    /// Row of an instance of which nothing else is known.
    pub fn new(instance: impl Into<Arc<Instance>>) -> Self {
        Self {
            instance: instance.into(),
            spec: None,
            rate: None,
            verdict: None,
            team: None,
            project: None,
            environment: None,
            cost_center: None,
            wasted_usd: None,
            net: None,
            billed_usd: None,
            held_by: None,
            obstacles: None,
            launch: None,
        }
    }

    /// Price of the instance now, USD/h; `None` when unknown, 0 when its state is not billed.
    pub fn usd_per_hour(&self) -> Option<f64> {
        if self.instance.state.is_billed() {
            self.rate.as_ref().map(|r| r.usd_per_hour)
        } else {
            Some(0.0)
        }
    }

    /// Part of [`Row::usd_per_hour`] that the verdict calls waste. `None` when the price is unknown, and when the
    /// verdict is `unknown` or `too_new`.
    pub fn waste_usd_per_hour(&self) -> Option<f64> {
        let verdict = self.verdict.as_ref()?;
        Some(self.usd_per_hour()? * verdict.waste_share()?)
    }

    /// Decrease of the whole bill when this instance alone stops, USD/h, commitments considered ([`Row::usd_per_hour`]
    /// is the gross). `None` when unknown.
    pub fn net_usd_per_hour(&self) -> Option<f64> {
        if !self.instance.state.is_billed() {
            return Some(0.0);
        }
        self.net.as_ref()?.saves_usd_per_hour()
    }

    /// True when `wasted_usd` is a lower bound: the idle stretch may have begun before it was seen.
    pub fn wasted_at_least(&self) -> bool {
        let verdict = self.verdict.as_ref().filter(|v| v.idle_since_at_least);
        verdict.is_some() && self.wasted_usd.is_some_and(|usd| usd > 0.0)
    }

    /// Part of [`Row::net_usd_per_hour`] that the verdict calls waste; `None` when either is unknown.
    pub fn net_waste_usd_per_hour(&self) -> Option<f64> {
        let verdict = self.verdict.as_ref()?;
        Some(self.net_usd_per_hour()? * verdict.waste_share()?)
    }

    /// What it burns while it runs, per hour.
    pub fn burnt(&self) -> Burnt {
        let (usd, waste) = (self.usd_per_hour(), self.waste_usd_per_hour());
        let one = |is: bool| f64::from(u8::from(is));
        Burnt {
            usd: usd.unwrap_or(0.0),
            waste_usd: waste.unwrap_or(0.0),
            gpus: self.gpus().unwrap_or(0.0),
            instances: 1.0,
            unpriced: one(usd.is_none()),
            unjudged: one(usd.is_some() && waste.is_none()),
        }
    }

    /// GPU equivalents; `None` when the type is unknown.
    pub fn gpus(&self) -> Option<f64> {
        self.spec.as_ref().map(|s| s.gpus())
    }
}
