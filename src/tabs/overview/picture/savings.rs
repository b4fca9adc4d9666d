//! What could be saved: the waterfall, the order of work, and what is paid and not used.

use super::{Ladder, LadderRow, Metric, Overview, Score, findings};
use crate::analyze::waterfall::{DataGaps, Task, sequence};
use crate::domain::{HOURS_PER_MONTH, Lifecycle, ResourceKind, VerdictKind};
use crate::fleet::savings::{CommitmentSums, Waterfall};
use crate::fleet::{Net, Row, Savings};
use crate::tabs::savings::picture::words;
use crate::view::{Symbols, format};

/// Burn net of commitments.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct NetBurn {
    /// Cost of the running instances, USD/h: the commitment's rate where one applies, list or Spot price for
    /// the rest. Unused commitments are not included.
    pub usd_per_hour: f64,
    /// Running instances that are left out because their price is not known.
    pub unpriced: u32,
}

/// Idle resources of one kind.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WasteOf {
    /// Kind of resource.
    pub kind: ResourceKind,
    /// Number of idle ones.
    pub count: u32,
    /// Number of these without a price.
    pub unpriced: u32,
    /// Waste of the priced ones, USD/h.
    pub usd_per_hour: f64,
}

impl WasteOf {
    /// Waste, USD/h; `None` when none of them has a price.
    pub fn known(&self) -> Option<f64> {
        (self.unpriced < self.count).then_some(self.usd_per_hour)
    }
}

/// Savings as the Overview shows them.
#[derive(Clone, Debug, PartialEq)]
pub struct Saved {
    /// All savings in causal order, each on what the former leave.
    pub waterfall: Waterfall,
    /// Next tasks, in order.
    pub sequence: Vec<Task>,
    /// Sums over commitments, paid and unused; `None` where not known.
    pub commitments: Option<CommitmentSums>,
    /// Idle resources by kind, the most expensive first.
    pub resources: Vec<WasteOf>,
}

impl Saved {
    /// What the waterfall leaves out: parts that were not read, commitments without a price; empty where
    /// nothing.
    pub fn left_out(&self) -> String {
        let w = &self.waterfall;
        let mut parts = Vec::new();
        if !w.unread.is_empty() {
            let unread: Vec<&str> = w.unread.iter().map(|part| part.label()).collect();
            parts.push(format!("without {}, which were not read", unread.join(", ")));
        }
        if w.net_unknown.is_none() && w.unpriced > 0 {
            let n = format::plural(w.unpriced as usize, "commitment");
            parts.push(format!("without {n} whose price is not known"));
        }
        parts.join(", ")
    }

    /// Commitments that nothing uses now, USD/h: reservations, plans, reserved capacity. `None` = not known.
    pub fn unused(&self) -> Option<f64> {
        self.commitments.and_then(|sums| sums.unused_usd_per_hour)
    }

    /// Base of `unused`: `of $167.18/h paid + $12.25/h for reserved capacity that is empty (room)`. Empty capacity reservations are billed by the
    /// hour, in addition to commitments. `None` = not known.
    pub fn unused_of(&self, symbols: Symbols) -> Option<String> {
        let sums = self.commitments?;
        let paid = words::at_least(sums.committed_usd_per_hour, sums.committed_unknown, symbols);
        let room = sums.unused_room_usd_per_hour.filter(|usd| *usd > 0.0);
        let room = room.map(|usd| {
            format!(" + {} for reserved capacity that is empty (room)", format::usd_per_hour(usd))
        });
        Some(format!("of {paid} paid{}", room.unwrap_or_default()))
    }

    /// `a naive sum would have claimed $X/h`; `None` where it would have claimed no more.
    pub fn naive(&self) -> Option<String> {
        let w = &self.waterfall;
        let usd = format::usd_per_hour(w.naive);
        (w.naive > w.saves() + 0.005).then(|| {
            format!(
                "a naive sum would have claimed {usd}, {}/month",
                format::usd_total(w.naive * HOURS_PER_MONTH)
            )
        })
    }
}

/// Which commitments a score rests on: those that are paid for, used or not, but for `left_out` of them.
fn in_force(savings: &Savings, left_out: u32) -> String {
    let hours = format::plural(savings.sums.hours as usize, "hour");
    match (savings.commitments.iter().filter(|row| row.is_paid()).count(), left_out) {
        (0, _) => "none in force".to_owned(),
        (n, 0) => format!("{n} in force, {hours}"),
        (n, left_out) => format!("{n} in force, {left_out} left out, {hours}"),
    }
}

impl Overview {
    /// Adds savings, the metrics of commitments, and the findings among both.
    #[must_use]
    pub fn with_savings(mut self, savings: &Savings) -> Self {
        let known = savings.waterfall.net_unknown.is_none();
        let sums = &savings.sums;
        for (metric, share, left_out) in [
            (Metric::CommitmentUtilisation, sums.utilisation, sums.left_out),
            (Metric::CommitmentCoverage, sums.coverage, 0),
        ] {
            let rests_on = match (known, savings.waterfall.early) {
                (true, _) => in_force(savings, left_out),
                (false, true) => "commitments not read yet".to_owned(),
                (false, false) => "commitments not read".to_owned(),
            };
            Score::new(metric, share.filter(|_| known), rests_on).put(&mut self.scores);
        }
        self.add_findings(&["resource", "commitment", "network"], findings::of_savings(savings));
        // A bill that was made before instances were read has none of them.
        let is_instances = |row: &LadderRow| row.list.is_some();
        let whole = |ladder: &Ladder| self.running == 0 || ladder.rows.iter().any(is_instances);
        if let Some(ladder) = Ladder::of_bill(savings).filter(whole) {
            self.ladder = ladder;
        }
        let gaps = DataGaps { blind: self.blind.instances, untagged: self.untagged };
        self.saved = Some(Saved {
            waterfall: savings.waterfall.clone(),
            sequence: sequence(savings, gaps),
            commitments: (known && !savings.waterfall.early).then_some(*sums),
            resources: idle_resources(savings),
        });
        self
    }
}

/// The burn with commitments; `None` where the net of anything that runs is not known.
pub(super) fn net<'a>(running: impl Iterator<Item = &'a Row>) -> Option<NetBurn> {
    let mut sum = NetBurn::default();
    let mut said = false;
    for row in running {
        let usd = if row.instance.lifecycle == Lifecycle::OnDemand {
            match row.net.as_deref() {
                Some(Net::Known(cover)) => {
                    said = true;
                    cover.effective_usd_per_hour
                }
                // Without a price nothing is known of it, but nothing else becomes unknown by it.
                _ if row.rate.is_none() => None,
                _ => return None,
            }
        } else {
            row.usd_per_hour()
        };
        match usd {
            Some(usd) => sum.usd_per_hour += usd,
            None => sum.unpriced += 1,
        }
    }
    said.then_some(sum)
}

fn idle_resources(savings: &Savings) -> Vec<WasteOf> {
    let idle = |kind: ResourceKind| {
        let rows = savings.resources.iter().filter(move |r| {
            r.resource.kind == kind
                && r.verdict.as_ref().is_some_and(|v| v.kind == VerdictKind::Idle)
        });
        let empty = WasteOf { kind, count: 0, unpriced: 0, usd_per_hour: 0.0 };
        rows.fold(empty, |mut sum, row| {
            sum.count += 1;
            match row.waste_usd_per_hour {
                Some(usd) => sum.usd_per_hour += usd,
                None => sum.unpriced += 1,
            }
            sum
        })
    };
    let mut found: Vec<WasteOf> =
        ResourceKind::ALL.into_iter().map(idle).filter(|w| w.count > 0).collect();
    found.sort_by(|a, b| b.usd_per_hour.total_cmp(&a.usd_per_hour));
    found
}
