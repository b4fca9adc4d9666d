//! The tax of runs that do not succeed: 1 ÷ (1 − f) times the useful GPU hours, f being the part of
//! the GPU hours that is lost. How much of a status is lost is a weight that the user sets.

use serde::{Deserialize, Serialize};

use super::field::{Field, Inputs, Knob, fields, knobs};
use super::sheet::{Sheet, Unit};
use super::words::{number, share, usd};
use super::{LeverError, LeverKind};

/// Inputs of the failed-runs simulator: share of the GPU time by how runs end, and how much of each is lost.
/// `None` = not given; the answer fails where a number is needed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct FailedRuns {
    /// USD per month for GPUs of runs.
    pub monthly_usd: Option<f64>,
    /// Share of the GPU time (not of the runs) that ended in failure, 0–1.
    pub failed_share: Option<f64>,
    /// Share of the GPU time that was cancelled, 0–1; `None` = 0.
    pub cancelled_share: Option<f64>,
    /// Share of the GPU time that hit its time limit, 0–1; `None` = 0.
    pub timeout_share: Option<f64>,
    /// Share of the failed time that is lost, 0–1.
    pub failed_weight: Option<f64>,
    /// Share of the cancelled time that is lost, 0–1: many runs are cancelled because their result is known.
    pub cancelled_weight: Option<f64>,
    /// Share of the timed-out time that is lost, 0–1.
    pub timeout_weight: Option<f64>,
    /// Hours between checkpoints; a failed run then loses half an interval. `None` = no checkpoints.
    pub interval_hours: Option<f64>,
    /// Hours that a restart takes.
    pub restart_hours: Option<f64>,
    /// Mean time between failures of a run, hours.
    pub hours_to_failure: Option<f64>,
    /// Target share of lost GPU time, 0–1; replaces the computed one. `None` = computed.
    pub goal_share: Option<f64>,
}

impl Default for FailedRuns {
    fn default() -> Self {
        Self {
            monthly_usd: None,
            failed_share: None,
            cancelled_share: None,
            timeout_share: None,
            failed_weight: Some(1.0),
            cancelled_weight: Some(0.0),
            timeout_weight: Some(1.0),
            interval_hours: None,
            restart_hours: None,
            hours_to_failure: None,
            goal_share: None,
        }
    }
}

pub(super) const FIELDS: &[Field<FailedRuns>] = fields! { FailedRuns;
    monthly_usd "GPU spend on runs" UsdPerMonth 0.0..f64::INFINITY, 10_000.0, "what training and experiments cost";
    failed_share "GPU time that failed" Share 0.0..0.99, 0.01, "measured from the scheduler: GPU hours by end state (8% to 39% in published clusters)";
    cancelled_share "GPU time cancelled" Share 0.0..0.99, 0.01, "measured from the scheduler (29% to 66% in published clusters)";
    timeout_share "GPU time timed out" Share 0.0..0.99, 0.01, "measured from the scheduler";
    failed_weight "of the failed, lost" Share 0.0..1.0, 0.05, "all of it without checkpoints";
    cancelled_weight "of the cancelled, lost" Share 0.0..1.0, 0.05, "0 where cancelling is how experiments end";
    timeout_weight "of the timed out, lost" Share 0.0..1.0, 0.05, "all of it without checkpoints";
    interval_hours "between checkpoints" Hours 0.0..1000.0, 0.25, "to see what checkpoints would save";
    restart_hours "restarting" Hours 0.0..24.0, 0.05, "from the failure to useful work";
    hours_to_failure "a run fails after" Hours 0.001..f64::INFINITY, 0.5, "mean hours of failed runs";
    goal_share "lost GPU time, goal" Share 0.0..0.99, 0.01, "instead of what checkpoints would give";
};

/// Factor by which useful hours cost more: 1 ÷ (1 − lost), `lost` being 0–1.
pub fn multiplier(lost: f64) -> f64 {
    1.0 / (1.0 - lost)
}

/// Share of a failed run that is lost with checkpoints, at most 1: (interval ÷ 2 + restart) ÷ hours to failure.
pub fn lost_with_checkpoints(interval: f64, restart: f64, hours_to_failure: f64) -> f64 {
    ((interval / 2.0 + restart) / hours_to_failure).min(1.0)
}

/// Cost of the GPU time that failed runs lose.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tax {
    /// USD per month for GPUs today.
    pub before_usd: f64,
    /// Share of the GPU time that is lost today, 0–1.
    pub lost: f64,
    /// Share that would be lost with checkpoints or at the target, 0–1; `None` where neither is given.
    pub lost_then: Option<f64>,
}

impl Tax {
    /// USD per month for GPU time that is lost today.
    pub fn waste_usd(&self) -> f64 {
        self.before_usd * self.lost
    }

    /// USD per month for the same useful hours at `lost_then`; today's without it.
    pub fn after_usd(&self) -> f64 {
        let then = self.lost_then.unwrap_or(self.lost);
        self.before_usd * multiplier(then) / multiplier(self.lost)
    }
}

impl FailedRuns {
    /// Lost share and cost. Fails where an input is missing or out of its range, the shares exceed 1, or all
    /// time is lost.
    pub fn tax(&self) -> Result<Tax, LeverError> {
        let inputs = Inputs::new(LeverKind::FailedRuns, self, FIELDS);
        let before_usd = inputs.need("monthly_usd")?;
        let failed = inputs.need("failed_share")?;
        let cancelled = inputs.maybe("cancelled_share")?.unwrap_or(0.0);
        let timeout = inputs.maybe("timeout_share")?.unwrap_or(0.0);
        if failed + cancelled + timeout > 1.0 + 1e-9 {
            return Err(LeverError::Contradiction {
                lever: LeverKind::FailedRuns,
                what: format!(
                    "failed, cancelled and timed-out GPU time are {} together: shares of the same whole \
                     cannot exceed it",
                    share(failed + cancelled + timeout)
                ),
            });
        }
        let (of_failed, of_timeout) =
            (inputs.need("failed_weight")?, inputs.need("timeout_weight")?);
        let by_cancelling = cancelled * inputs.need("cancelled_weight")?;
        let lost = failed * of_failed + by_cancelling + timeout * of_timeout;
        if lost >= 1.0 {
            return Err(LeverError::Contradiction {
                lever: LeverKind::FailedRuns,
                what: "all of the GPU time is lost: nothing useful is left to be taxed".to_owned(),
            });
        }
        let lost_then = match (inputs.maybe("goal_share")?, inputs.maybe("interval_hours")?) {
            (Some(goal), _) => Some(goal),
            (None, Some(interval)) => {
                let restart = inputs.need("restart_hours")?;
                let part =
                    lost_with_checkpoints(interval, restart, inputs.need("hours_to_failure")?);
                Some(failed * of_failed.min(part) + by_cancelling + timeout * of_timeout.min(part))
            }
            (None, None) => None,
        };
        Ok(Tax { before_usd, lost, lost_then })
    }

    /// The answer as a sheet: inputs, arithmetic, results, notes. Fails as [`FailedRuns::tax`].
    pub fn sheet(&self) -> Result<Sheet, LeverError> {
        let tax = self.tax()?;
        let part = |share: Option<f64>| share.unwrap_or(0.0);
        let inputs = knobs(self, FIELDS, None).iter().map(Knob::quantity).collect();
        let mut sheet = Sheet::new(LeverKind::FailedRuns, inputs)
            .line("lost GPU time", self.terms(), tax.lost, Unit::Share)
            .line(
                "useful hours cost",
                format!("1 ÷ (1 − {})", share(tax.lost)),
                multiplier(tax.lost),
                Unit::Times,
            )
            .line(
                "lost",
                format!("{} × {}", usd(tax.before_usd), share(tax.lost)),
                tax.waste_usd(),
                Unit::UsdPerMonth,
            );
        if let Some(then) = tax.lost_then {
            if let (None, Some(interval)) = (self.goal_share, self.interval_hours) {
                let (restart, hours) = (part(self.restart_hours), part(self.hours_to_failure));
                sheet = sheet.line(
                    "lost of a failed run with checkpoints",
                    format!(
                        "({} h ÷ 2 + {} h) ÷ {} h",
                        number(interval),
                        number(restart),
                        number(hours)
                    ),
                    lost_with_checkpoints(interval, restart, hours),
                    Unit::Share,
                );
            }
            sheet = sheet.line(
                "the same output then costs",
                format!(
                    "{} × (1 − {}) ÷ (1 − {})",
                    usd(tax.before_usd),
                    share(tax.lost),
                    share(then)
                ),
                tax.after_usd(),
                Unit::UsdPerMonth,
            );
        }
        let then = tax.lost_then;
        Ok(sheet
            .result("waste_usd_per_month", "lost today", tax.waste_usd(), Unit::UsdPerMonth)
            .result("lost_share", "of the GPU time", tax.lost, Unit::Share)
            .result("multiplier", "useful hours cost", multiplier(tax.lost), Unit::Times)
            .maybe("lost_share_then", "lost then", then, Unit::Share)
            .maybe("multiplier_then", "useful hours cost then", then.map(multiplier), Unit::Times)
            .maybe(
                "saved_usd_per_month",
                "saved at equal output",
                then.map(|_| tax.before_usd - tax.after_usd()),
                Unit::UsdPerMonth,
            )
            .maybe("after_usd_per_month", "left to pay", then.map(|_| tax.after_usd()), Unit::UsdPerMonth)
            .note(self.not_given())
            .note(Some(
                "The share must be of GPU hours: shares of the number of runs say something else, since \
                 failed runs are shorter."
                    .to_owned(),
            )))
    }

    /// Share × weight of what is given.
    fn terms(&self) -> String {
        let terms = [
            ("failed", self.failed_share, self.failed_weight),
            ("cancelled", self.cancelled_share, self.cancelled_weight),
            ("timed out", self.timeout_share, self.timeout_weight),
        ];
        let term = |(name, part, weight): (&str, Option<f64>, Option<f64>)| {
            Some(format!("{} {name} × {}", share(part?), share(weight.unwrap_or(0.0))))
        };
        terms.into_iter().filter_map(term).collect::<Vec<_>>().join(" + ")
    }

    fn not_given(&self) -> Option<String> {
        let missing = match (self.cancelled_share, self.timeout_share) {
            (None, None) => "Cancelled and timed-out runs are",
            (None, Some(_)) => "Cancelled runs are",
            (Some(_), None) => "Timed-out runs are",
            (Some(_), Some(_)) => return None,
        };
        Some(format!("{missing} not in it, since their GPU time is not given."))
    }
}
