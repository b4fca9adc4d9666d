//! The Overview: what burns, what of it is waste, whose it is, and how good that is.

mod finding_field;
mod findings;
mod gpus;
mod groups;
mod ladder;
mod measures;
mod past;
mod savings;
mod score;
mod storage;
mod trend;
mod units;

pub use finding_field::FindingField;
pub use findings::{FINDINGS, Finding, FindingOf};
pub use gpus::{GpuFinding, is_joined};
pub use groups::Group;
pub use ladder::{Basis, Ladder, LadderRow, Money, filter};
pub use measures::{GpuUse, Measures, Piece, PieceKind};
pub use past::{TRAIL_DAYS, since, trail};
pub use savings::{NetBurn, Saved};
pub use score::{Metric, Score, directed};
pub use trend::{TrendField, TrendItem, trend_rows};
pub use units::{unit_against, unit_note, unit_price, unit_rests_on};

pub use crate::analyze::gpu::Band;

use std::sync::Arc;

use jiff::Timestamp;

use crate::domain::bill::UnitCost;
use crate::domain::{HOURS_PER_MONTH, VerdictKind};
use crate::fleet::savings::BillKind;
use crate::fleet::{Fleet, Part, PartKind, Row, is_tagged, parts};
use crate::view::{ViewContext, format};

/// Data of the Overview. Dollars are USD/h at each instance's rate (list, or Spot price for Spot), before
/// commitments; a month is 730 h.
#[derive(Clone, Debug, PartialEq)]
pub struct Overview {
    /// Time that the fleet was joined for; `None` before it was.
    pub as_of: Option<Timestamp>,
    /// Number of instances in any state.
    pub instances: u32,
    /// Number of running instances.
    pub running: u32,
    /// GPU equivalents of running instances of known types.
    pub gpus: f64,
    /// Burn of all priced running instances, USD/h: exactly the sum of `parts`.
    pub burn: f64,
    /// Running instances that `burn` leaves out because their price is unknown.
    pub unpriced: u32,
    /// `burn` by use, in the order of [`PartKind::ALL`], empty parts included.
    pub parts: Vec<Part>,
    /// The bill now and its parts; of instances alone until the rest is known ([`Overview::with_savings`]).
    pub ladder: Ladder,
    /// GPUs as judged and as reported now; `None` without GPU telemetry ([`Overview::with_gpus`]).
    pub measures: Option<Measures>,
    /// Waste of idle and partly idle instances at their list price, USD/h: of [`Overview::ladder`] the rows of instances
    /// that are waste.
    pub waste: f64,
    /// Waste ÷ burn, 0–1; `None` when nothing burns.
    pub waste_share: Option<f64>,
    /// False when no running instance has a known waste.
    pub knows_waste: bool,
    /// Dollars wasted since the idle stretches began, USD.
    pub wasted_since: f64,
    /// True when `wasted_since` is a lower bound.
    pub wasted_at_least: bool,
    /// Idle and partly idle instances without a price, which `waste` leaves out.
    pub unpriced_waste: u32,
    /// The most expensive findings of all kinds, the most expensive first.
    pub findings: Vec<Finding>,
    /// Most of them.
    pub most_findings: usize,
    /// Sums by team, the most expensive first; the group without a name lacks the tag.
    pub teams: Vec<Group>,
    /// Sums by account and region, the most expensive first.
    pub places: Vec<Group>,
    /// Figures of the scorecard, in the order of [`Metric::ALL`].
    pub scores: Vec<Score>,
    /// Unit costs by the newest bill, below the scores; empty where none are known.
    pub units: Arc<[UnitCost]>,
    /// Accelerator instances without GPU telemetry.
    pub blind: Blind,
    /// GPUs that waste their price on instances that are not idle, the most expensive first; empty without GPU
    /// telemetry ([`Overview::with_gpus`]).
    pub gpu_findings: Vec<GpuFinding>,
    /// Burn net of commitments; `None` while commitments or the net price of running instances are not known.
    pub net: Option<NetBurn>,
    /// Running instances that lack one of the tags team, project, environment and cost center.
    pub untagged: u32,
    /// Savings; `None` until computed ([`Overview::with_savings`]).
    pub saved: Option<Saved>,
}

impl Overview {
    /// Burn, USD/h; `None` when instances run and none has a price.
    pub fn known_burn(&self) -> Option<f64> {
        (self.unpriced == 0 || self.unpriced < self.running).then_some(self.burn)
    }

    /// Waste, USD/h; `None` when no running instance has a known waste.
    pub fn known_waste(&self) -> Option<f64> {
        self.knows_waste.then_some(self.waste)
    }

    /// What of [`Overview::ladder`] is waste; `None` when no running instance has a known waste, and while nothing is found
    /// and verdicts are missing.
    pub fn told_waste(&self) -> Option<Money> {
        let unjudged = BillKind::Instances(PartKind::Unjudged);
        let is_judged = self.ladder.rows.iter().all(|row| row.kind != unjudged);
        let waste = self.ladder.waste();
        (waste.cents > 0 || (self.knows_waste && is_judged)).then_some(waste)
    }

    /// Dollars wasted so far; `None` when no running instance has a known waste.
    pub fn known_wasted_since(&self) -> Option<f64> {
        self.known_waste().map(|_| self.wasted_since)
    }

    /// Burn, USD per month of 730 h.
    pub fn burn_per_month(&self) -> f64 {
        self.burn * HOURS_PER_MONTH
    }

    /// Waste, USD per month of 730 h.
    pub fn waste_per_month(&self) -> f64 {
        self.waste * HOURS_PER_MONTH
    }
}

/// Running accelerator instances whose telemetry was read and lacks at least one GPU.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Blind {
    /// Number of instances.
    pub instances: u32,
    /// Burn of these with a price, USD/h.
    pub usd_per_hour: f64,
    /// Number of these without a price.
    pub unpriced: u32,
}

impl Blind {
    /// `GPU telemetry missing on 3 instances ($48.87/h burns unseen)`; `None` where none is missing.
    pub fn sentence(&self) -> Option<String> {
        let rate = format::usd_per_hour(self.usd_per_hour);
        let more = match self.unpriced {
            0 => String::new(),
            n => format!(", {n} without a price"),
        };
        (self.instances > 0).then(|| {
            let instances = format::plural(self.instances as usize, "instance");
            format!("GPU telemetry missing on {instances} ({rate} burns unseen{more})")
        })
    }
}

/// Computes the Overview of a fleet, with its five most expensive findings.
pub fn overview(fleet: &Fleet, ctx: &ViewContext) -> Overview {
    overview_with(fleet, FINDINGS, ctx)
}

/// Computes the Overview of a fleet, with at most so many findings.
pub fn overview_with(fleet: &Fleet, most_findings: usize, ctx: &ViewContext) -> Overview {
    let rows: Vec<&Row> = fleet.rows.iter().map(|r| &**r).collect();
    let running = || rows.iter().copied().filter(|r| r.instance.state.is_billed());
    let parts = parts(running().map(|row| (row, row.usd_per_hour().unwrap_or(0.0))));
    let burn: f64 = parts.iter().map(|p| p.usd_per_hour).sum();
    let waste: f64 = parts.iter().filter(|p| p.kind.is_waste()).map(|p| p.usd_per_hour).sum();
    let mut blind = Blind::default();
    for row in running().filter(|r| is_blind(r)) {
        blind.instances += 1;
        match row.usd_per_hour() {
            Some(usd) => blind.usd_per_hour += usd,
            None => blind.unpriced += 1,
        }
    }
    let mut overview = Overview {
        as_of: fleet.as_of,
        instances: fleet.totals.instances,
        running: fleet.totals.running,
        gpus: fleet.totals.gpus,
        burn,
        unpriced: fleet.totals.unpriced,
        ladder: Ladder::of_instances(&parts),
        measures: None,
        waste,
        waste_share: (burn > 0.0).then(|| waste / burn),
        knows_waste: fleet.totals.knows_waste(),
        wasted_since: fleet.totals.wasted_since,
        wasted_at_least: fleet.totals.wasted_at_least,
        unpriced_waste: [VerdictKind::Idle, VerdictKind::Partial]
            .iter()
            .map(|k| fleet.totals.verdict(*k).unpriced)
            .sum(),
        findings: Vec::new(),
        most_findings,
        teams: groups::by(running(), |r| r.team.as_deref(), |team| team.map(str::to_owned)),
        places: groups::by(running(), |r| &r.instance.scope, |scope| Some(scope.to_string())),
        scores: score::scores(running()),
        units: fleet.book.units.clone(),
        blind,
        gpu_findings: Vec::new(),
        net: savings::net(running()),
        untagged: running().filter(|r| !is_tagged(r)).count() as u32,
        saved: None,
        parts,
    };
    overview.add_findings(&["instance"], findings::of_instances(&rows, ctx));
    overview
}

/// True for an accelerator box whose verdict had to do without a GPU. Instances that were not
/// looked at (too new, exempt, not judged yet) do not count.
fn is_blind(row: &Row) -> bool {
    let devices = row.spec.as_ref().map_or(0, |s| s.devices());
    let Some(verdict) = row.verdict.as_deref().filter(|_| devices > 0) else { return false };
    if matches!(verdict.kind, VerdictKind::TooNew | VerdictKind::Exempt) {
        return false;
    }
    let silent = |s: &crate::domain::SignalEvidence| {
        s.signal.gpu().is_some() && s.expected > 0 && s.got == 0
    };
    verdict.gpu_percent.is_none() || verdict.signals.iter().any(silent)
}

#[cfg(test)]
mod tests;
