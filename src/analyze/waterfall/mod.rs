//! All savings in causal order, without overlap.
//!
//! First what is not run at all, then what is packed onto fewer nodes or smaller, then what is bought
//! cheaper; each step on what the former left. Every figure is the difference of two bills of the whole, so the steps add
//! up to what the bill falls by, whatever the commitments do in between.

mod bill;
mod commit;
mod failed;
mod idle;
mod levels;
mod models;
mod moves;
mod network;
mod pack;
mod rows;
mod sequence;
mod size;
mod spot;
mod storage;
#[cfg(test)]
mod tests;

pub use network::network_spend;
pub use sequence::{DataGaps, Task, TaskKind, TaskReason, sequence};

use std::sync::Arc;

use crate::analyze::savings::SavingsInput;
use crate::domain::{Reading, SavingsFacts, SourceState};
use crate::fleet::Fleet;
use crate::fleet::savings::{
    ModelRow, PathRow, Proposal, ResourceRow, SpotRow, Step, StepKind, StepNote, Waterfall,
};

use bill::Bill;
use levels::Levels;
use network::Network;

/// The bill now, and what each step leaves of it. `paths` are what the network costs where no bill is kept; what `models` could
/// save stands beside the steps, on what they leave.
pub fn waterfall(
    input: &SavingsInput<'_>,
    proposals: &[Arc<Proposal>],
    spot: &[Arc<SpotRow>],
    resources: &[Arc<ResourceRow>],
    paths: &[Arc<PathRow>],
    models: &[Arc<ModelRow>],
) -> Waterfall {
    let network = Network::of(input, paths);
    let mut bill = Bill::of(input, proposals, resources, network.as_ref());
    let before = bill.usd_per_hour();
    let parts = rows::rows(&bill, input, resources, network.as_ref());
    let mut left = before;
    let mut steps = Vec::with_capacity(StepKind::ALL.len());
    let mut nodes = Vec::new();
    for kind in StepKind::ALL {
        if kind == StepKind::FailedRuns && input.fleet.book.failed_runs.is_none() {
            continue;
        }
        let done = match kind {
            StepKind::Idle => idle::take(&mut bill, input, resources),
            // Nothing is known of the network: no part of the bill now, no step.
            StepKind::Network => match &network {
                Some(network) => network::take(&mut bill, network),
                None => continue,
            },
            StepKind::PartlyIdle => {
                let done;
                (done, nodes) = pack::take(&mut bill, proposals);
                done
            }
            StepKind::RightSize => size::take(&mut bill, proposals),
            StepKind::Spot => spot::take(&mut bill, input, spot),
            StepKind::FailedRuns => failed::take(&mut bill, input),
            StepKind::Storage => storage::take(&mut bill, input, resources),
            StepKind::Commitments => commit::take(&mut bill, input),
        };
        // Rounding of sums must not make a step of nothing a negative one.
        let after = bill.usd_per_hour().min(left);
        steps.push(done.step(kind, left, after));
        left = after;
    }
    Waterfall {
        before,
        bill: parts,
        naive: steps.iter().map(|s| s.gross_alone).sum(),
        steps,
        nodes,
        unpriced: bill.unpriced,
        unread: storage::unread(input),
        early: is_early(input.fleet, input.facts),
        potential: models::potential(&bill, models),
        net_unknown: bill.net_unknown,
    }
}

/// True while what the steps rest on is read for the first time, and before the first source has said anything. Storage
/// is a step of its own and says so by itself.
pub fn is_early(fleet: &Fleet, facts: &SavingsFacts) -> bool {
    let first = |r: &Reading| r.taken_at.is_none() && matches!(r.state, SourceState::Loading);
    let mut readings = fleet.readings.iter().chain(&facts.readings).peekable();
    readings.peek().is_none() || readings.any(first)
}

/// Result of a step, without the dollars of the bill.
#[derive(Debug, Default)]
struct Done {
    gross_alone: f64,
    items: u32,
    unknown: u32,
    levels: Levels,
    notes: Vec<StepNote>,
}

impl Done {
    fn step(self, kind: StepKind, before: f64, after: f64) -> Step {
        let (effort, risk) = self.levels.most(kind);
        Step {
            kind,
            before,
            after,
            gross_alone: self.gross_alone,
            items: self.items,
            unknown: self.unknown,
            effort,
            risk,
            notes: self.notes,
        }
    }
}
