//! Fewer GPUs at a higher use, and a part of those on spot: one after the other, on what is left.

use serde::{Deserialize, Serialize};

use super::corrections;
use super::field::{Field, Inputs, fields, knobs};
use super::sheet::{Sheet, Unit};
use super::words::{number, share, usd};
use super::{LeverError, LeverKind};

/// Inputs of the GPU savings simulator: utilisation and Spot. Measured numbers have no default: `None` = not
/// given, and the answer fails where one is needed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct GpuSavings {
    /// USD per month for GPUs today, at on-demand prices.
    pub monthly_usd: Option<f64>,
    /// Mean utilisation today, 0–1.
    pub utilisation: Option<f64>,
    /// Target utilisation, 0–1.
    pub target: Option<f64>,
    /// Number of instances; where given, only whole ones are removed.
    pub instances: Option<f64>,
    /// Share of the work that tolerates interruptions, 0–1; `None` = none.
    pub spot_share: Option<f64>,
    /// Discount of Spot against on-demand, 0–1.
    pub spot_discount: Option<f64>,
    /// Share of the time on Spot that is lost to interruptions and checkpoints, 0–1; `None` = not given.
    pub spot_overhead: Option<f64>,
}

impl Default for GpuSavings {
    fn default() -> Self {
        Self {
            monthly_usd: None,
            utilisation: None,
            target: Some(0.7),
            instances: None,
            spot_share: None,
            spot_discount: None,
            spot_overhead: None,
        }
    }
}

pub(super) const FIELDS: &[Field<GpuSavings>] = fields! { GpuSavings;
    monthly_usd "GPU spend" UsdPerMonth 0.0..f64::INFINITY, 10_000.0, "at on-demand prices: the bill before discounts";
    utilisation "used today" Share 0.0..1.0, 0.01, "measured: mean GPU activity over some weeks";
    target "to be used" Share 0.01..1.0, 0.01, "how full queues may run; 70% is usual";
    instances "instances" Count 1.0..1e6, 1.0, "how many instances that spend is; only whole ones can go";
    spot_share "can take spot" Share 0.0..1.0, 0.01, "the part of the work with checkpoints and no deadline";
    spot_discount "spot is below on-demand" Share 0.0..1.0, 0.01, "of the zones in use: spot price history, not a rule of thumb";
    spot_overhead "spot time lost" Share 0.0..0.99, 0.01, "interruptions, restarts and checkpoints: measured, or by the spot-mix simulator";
};

/// Savings by higher utilisation, then by Spot. Dollars per month.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GpuSaved {
    /// Spend today.
    pub before_usd: f64,
    /// Saved by higher utilisation.
    pub by_use_usd: f64,
    /// Saved by Spot on the spend that is left then.
    pub by_spot_usd: f64,
    /// Spend after both.
    pub after_usd: f64,
    /// Sum of both savings if each were taken on the original spend: what a naive sum claims.
    pub naive_usd: f64,
    /// Number of instances left; `None` where not given.
    pub instances: Option<f64>,
    /// Utilisation of the GPUs that are left, 0–1.
    pub utilisation: f64,
    /// Real discount of Spot on its share of the work, 0–1; 0 where it does not pay.
    pub spot_real: f64,
}

impl GpuSaved {
    /// Saved, USD per month.
    pub fn saved_usd(&self) -> f64 {
        self.before_usd - self.after_usd
    }

    /// Saved share of today's spend, 0–1; 0 where the spend is 0.
    pub fn share(&self) -> f64 {
        if self.before_usd > 0.0 { self.saved_usd() / self.before_usd } else { 0.0 }
    }
}

impl GpuSavings {
    /// Savings by utilisation and by Spot. Fails where an input is missing or out of its range.
    pub fn saved(&self) -> Result<GpuSaved, LeverError> {
        let inputs = Inputs::new(LeverKind::GpuSavings, self, FIELDS);
        let before_usd = inputs.need("monthly_usd")?;
        let used = inputs.need("utilisation")?;
        let target = inputs.need("target")?;
        let wanted = (used / target).min(1.0);
        let (kept, instances) = match inputs.maybe("instances")? {
            Some(count) => {
                // What is there may be a fraction (a mean); what is left is whole, and never more.
                let left = whole_up(count * wanted).min(count);
                (left / count, Some(left))
            }
            None => (wanted, None),
        };
        let left = before_usd * kept;

        let eligible = inputs.maybe("spot_share")?.unwrap_or(0.0);
        let (mut spot_real, mut discount) = (0.0, 0.0);
        if eligible > 0.0 {
            discount = inputs.need("spot_discount")?;
            let lost = inputs.need("spot_overhead")?;
            // What costs more than on-demand is not run on spot.
            spot_real = (1.0 - (1.0 - discount) / (1.0 - lost)).max(0.0);
        }
        let on_spot = match instances {
            Some(count) if count > 0.0 => (count * eligible + 1e-9).floor() / count,
            _ => eligible,
        };
        let by_spot_usd = left * on_spot * spot_real;
        Ok(GpuSaved {
            before_usd,
            by_use_usd: before_usd - left,
            by_spot_usd,
            after_usd: left - by_spot_usd,
            naive_usd: before_usd * ((1.0 - used / target).max(0.0) + eligible * discount),
            instances,
            utilisation: if kept > 0.0 { used / kept } else { 0.0 },
            spot_real,
        })
    }

    /// The answer as a sheet: inputs, arithmetic, results, notes. Fails as [`GpuSavings::saved`].
    pub fn sheet(&self) -> Result<Sheet, LeverError> {
        let saved = self.saved()?;
        let (used, target) = (self.utilisation.unwrap_or(0.0), self.target.unwrap_or(1.0));
        let left = saved.before_usd - saved.by_use_usd;
        let by_use = match (self.instances, saved.instances) {
            (Some(count), Some(kept)) => format!(
                "{} × (1 − {} ÷ {}): of {} × {} ÷ {}, whole instances",
                usd(saved.before_usd),
                number(kept),
                number(count),
                number(count),
                share(used),
                share(target)
            ),
            _ => format!("{} × (1 − {} ÷ {})", usd(saved.before_usd), share(used), share(target)),
        };
        let mut sheet = Sheet::new(LeverKind::GpuSavings, self.inputs()).line(
            "by higher use",
            by_use,
            saved.by_use_usd,
            Unit::UsdPerMonth,
        );
        if let Some(eligible) = self.spot_share.filter(|part| *part > 0.0) {
            let (discount, lost) =
                (self.spot_discount.unwrap_or(0.0), self.spot_overhead.unwrap_or(0.0));
            sheet = sheet
                .line(
                    "spot really saves",
                    format!("1 − (1 − {}) ÷ (1 − {})", share(discount), share(lost)),
                    saved.spot_real,
                    Unit::Share,
                )
                .line(
                    "by spot, on what is left",
                    format!("{} × {} × {}", usd(left), share(eligible), share(saved.spot_real)),
                    saved.by_spot_usd,
                    Unit::UsdPerMonth,
                )
                .note((saved.spot_real <= 0.0).then(|| corrections::spot_overhead(discount, lost)));
        }
        let naive = if saved.before_usd > 0.0 { saved.naive_usd / saved.before_usd } else { 0.0 };
        Ok(sheet
            .line(
                "left",
                format!(
                    "{} − {} − {}",
                    usd(saved.before_usd),
                    usd(saved.by_use_usd),
                    usd(saved.by_spot_usd)
                ),
                saved.after_usd,
                Unit::UsdPerMonth,
            )
            .result("saved_usd_per_month", "saved", saved.saved_usd(), Unit::UsdPerMonth)
            .result(
                "saved_usd_per_year",
                "saved in a year",
                12.0 * saved.saved_usd(),
                Unit::UsdPerYear,
            )
            .result("saved_share", "of today's spend", saved.share(), Unit::Share)
            .result("after_usd_per_month", "left to pay", saved.after_usd, Unit::UsdPerMonth)
            .maybe("instances_after", "instances left", saved.instances, Unit::Count)
            .result("utilisation_after", "used then", saved.utilisation, Unit::Share)
            .result("naive_share", "a naive sum claims", naive, Unit::Share)
            .note(corrections::naive_sum(naive, saved.share())))
    }

    fn inputs(&self) -> Vec<super::sheet::Quantity> {
        knobs(self, FIELDS, None).iter().map(super::field::Knob::quantity).collect()
    }
}

/// Up to a whole number; what rounding leaves above one is none.
pub(super) fn whole_up(count: f64) -> f64 {
    (count - 1e-9).ceil().max(0.0)
}
