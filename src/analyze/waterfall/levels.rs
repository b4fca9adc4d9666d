//! Effort and risk of a step: those of most of its dollars.

use crate::fleet::savings::{Effort, Risk, StepKind};

/// Dollars by effort and by risk.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Levels {
    effort: [f64; 3],
    risk: [f64; 3],
}

impl Levels {
    /// Counts an item of so many dollars.
    pub fn add(&mut self, effort: Effort, risk: Risk, usd: f64) {
        self.effort[effort as usize] += usd.max(0.0);
        self.risk[risk as usize] += usd.max(0.0);
    }

    /// The levels with the most dollars, the higher of equals; what the kind of work usually is
    /// where nothing has any.
    pub fn most(&self, kind: StepKind) -> (Effort, Risk) {
        let usual = match kind {
            StepKind::Idle => (Effort::Low, Risk::Medium),
            StepKind::FailedRuns => (Effort::Medium, Risk::Low),
            StepKind::Network
            | StepKind::PartlyIdle
            | StepKind::RightSize
            | StepKind::Spot
            | StepKind::Storage => (Effort::Medium, Risk::Medium),
            StepKind::Commitments => (Effort::Low, Risk::Medium),
        };
        let efforts = [Effort::Low, Effort::Medium, Effort::High];
        let risks = [Risk::Low, Risk::Medium, Risk::High];
        (
            largest(self.effort).map_or(usual.0, |i| efforts[i]),
            largest(self.risk).map_or(usual.1, |i| risks[i]),
        )
    }
}

fn largest(usd: [f64; 3]) -> Option<usize> {
    let most = (0..3).max_by(|a, b| usd[*a].total_cmp(&usd[*b]))?;
    (usd[most] > 0.0).then_some(most)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_most_dollars_decide() {
        let mut levels = Levels::default();
        assert_eq!(levels.most(StepKind::Idle), (Effort::Low, Risk::Medium));
        levels.add(Effort::High, Risk::Low, 5.0);
        levels.add(Effort::Medium, Risk::Low, 7.0);
        assert_eq!(levels.most(StepKind::Spot), (Effort::Medium, Risk::Low));
        levels.add(Effort::High, Risk::High, 2.0);
        assert_eq!(levels.most(StepKind::Spot), (Effort::High, Risk::Low), "the higher of equals");
    }
}
