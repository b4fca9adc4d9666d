//! Dollars for one prediction and for one run.

use serde::{Deserialize, Serialize};

use super::failed_runs::multiplier;
use super::field::{Field, Inputs, Knob, fields, knobs};
use super::sheet::{Sheet, Unit};
use super::words::{number, rate, share};
use super::{LeverError, LeverKind};

/// Inputs of the unit-cost simulator: a service, training runs, or both. `None` = not given.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct UnitCost {
    /// USD per hour for the whole service, idle time included; `None` = no service.
    pub service_usd_per_hour: Option<f64>,
    /// Predictions of the service per hour, mean over the same hours; needed with a service.
    pub predictions_per_hour: Option<f64>,
    /// GPU hours of a successful run; `None` = no runs.
    pub gpu_hours_per_run: Option<f64>,
    /// USD per GPU and hour; needed with `gpu_hours_per_run`.
    pub usd_per_gpu_hour: Option<f64>,
    /// Share of the GPU time that failed runs lose, 0–1.
    pub lost_share: Option<f64>,
}

pub(super) const FIELDS: &[Field<UnitCost>] = fields! { UnitCost;
    service_usd_per_hour "the service" UsdPerHour 0.0..f64::INFINITY, 1.0, "all of its instances, idle ones too";
    predictions_per_hour "predictions" PerHour 0.0..f64::INFINITY, 1_000.0, "measured over the same hours: load balancer or application metrics";
    gpu_hours_per_run "a run takes" Hours 0.0..f64::INFINITY, 10.0, "GPUs × hours of a run that succeeds";
    usd_per_gpu_hour "a GPU" UsdPerHour 0.0..f64::INFINITY, 0.1, "price of the instance ÷ its GPUs";
    lost_share "lost to failed runs" Share 0.0..0.99, 0.01, "by GPU hours; leave out for none";
};

/// Cost of one prediction and one run, USD.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Each {
    /// USD per prediction; `None` without a service, or without predictions.
    pub prediction_usd: Option<f64>,
    /// USD per successful run, with its share of the failed ones; `None` without runs.
    pub run_usd: Option<f64>,
}

impl UnitCost {
    /// Cost of each. Fails where neither a service nor runs are given, or an input is out of its range.
    pub fn each(&self) -> Result<Each, LeverError> {
        let inputs = Inputs::new(LeverKind::UnitCost, self, FIELDS);
        let service = inputs.maybe("service_usd_per_hour")?;
        let run = inputs.maybe("gpu_hours_per_run")?;
        if run.is_none() {
            inputs.need("service_usd_per_hour")?;
        }
        let prediction_usd = match service {
            Some(usd) => {
                let count = inputs.need("predictions_per_hour")?;
                (count > 0.0).then(|| usd / count)
            }
            None => None,
        };
        let run_usd = match run {
            Some(hours) => {
                let lost = inputs.maybe("lost_share")?.unwrap_or(0.0);
                Some(hours * inputs.need("usd_per_gpu_hour")? * multiplier(lost))
            }
            None => None,
        };
        Ok(Each { prediction_usd, run_usd })
    }

    /// The answer as a sheet: inputs, arithmetic, results, notes. Fails as [`UnitCost::each`].
    pub fn sheet(&self) -> Result<Sheet, LeverError> {
        let each = self.each()?;
        let inputs = knobs(self, FIELDS, None).iter().map(Knob::quantity).collect();
        let mut sheet = Sheet::new(LeverKind::UnitCost, inputs);
        if let Some(service) = self.service_usd_per_hour {
            sheet = sheet.line(
                "a prediction",
                format!("{} ÷ {}", rate(service), number(self.predictions_per_hour.unwrap_or(0.0))),
                each.prediction_usd.unwrap_or(f64::NAN),
                Unit::UsdEach,
            );
        }
        if let Some(hours) = self.gpu_hours_per_run {
            sheet = sheet.line(
                "a run",
                format!(
                    "{} h × {} ÷ (1 − {})",
                    number(hours),
                    rate(self.usd_per_gpu_hour.unwrap_or(0.0)),
                    share(self.lost_share.unwrap_or(0.0))
                ),
                each.run_usd.unwrap_or(f64::NAN),
                Unit::UsdEach,
            );
        }
        let prediction = each.prediction_usd;
        Ok(sheet
            .maybe("usd_per_prediction", "a prediction", prediction, Unit::UsdEach)
            .maybe(
                "usd_per_1k",
                "1,000 predictions",
                prediction.map(|usd| 1e3 * usd),
                Unit::UsdEach,
            )
            .maybe(
                "usd_per_1m",
                "a million predictions",
                prediction.map(|usd| 1e6 * usd),
                Unit::UsdEach,
            )
            .maybe("usd_per_run", "a run", each.run_usd, Unit::UsdEach)
            .note((self.service_usd_per_hour.is_some() && prediction.is_none()).then(|| {
                "Without predictions there is no price of one: the service costs and does nothing."
                    .to_owned()
            })))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_prediction_bears_the_idle_time_of_its_service() {
        // $10 an hour and 50,000 predictions: $0.0002 each, $200 a million.
        let cost = UnitCost {
            service_usd_per_hour: Some(10.0),
            predictions_per_hour: Some(50_000.0),
            ..Default::default()
        };
        assert_eq!(cost.each().unwrap(), Each { prediction_usd: Some(0.0002), run_usd: None });
        let idle = UnitCost { predictions_per_hour: Some(0.0), ..cost };
        assert_eq!(idle.each().unwrap().prediction_usd, None);
        assert!(idle.sheet().unwrap().notes[0].contains("does nothing"));
    }

    #[test]
    fn a_run_bears_those_that_failed() {
        let cost = UnitCost {
            gpu_hours_per_run: Some(800.0),
            usd_per_gpu_hour: Some(2.745),
            lost_share: Some(0.386),
            ..Default::default()
        };
        // 800 × 2.745 × 1.629, not 2,196.
        assert!((cost.each().unwrap().run_usd.unwrap() - 2_196.0 / 0.614).abs() < 1e-9);
        assert!(UnitCost { usd_per_gpu_hour: None, ..cost }.each().is_err());
    }
}
