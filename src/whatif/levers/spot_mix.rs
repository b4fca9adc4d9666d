//! A part of a steady fleet on spot, with its lost time and the hours in which there is none.

use serde::{Deserialize, Serialize};

use super::corrections;
use super::field::{Field, Inputs, Knob, fields, knobs};
use super::sheet::{Sheet, Unit};
use super::words::{number, rate, share};
use super::{LeverError, LeverKind};
use crate::whatif::Spot;
use crate::whatif::supply::cash::HOURS_PER_MONTH;
use crate::whatif::supply::spot::{SpotCost, cost};

/// Inputs of the Spot simulator: a steady fleet, and Spot's price and interruptions. Measured numbers have no
/// default: `None` = not given, and the answer fails where one is needed.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct SpotMix {
    /// Mean number of running units.
    pub units: Option<f64>,
    /// USD per unit and hour on demand.
    pub on_demand: Option<f64>,
    /// USD per unit and hour on Spot.
    pub price: Option<f64>,
    /// Share of the work that tolerates interruptions, 0–1.
    pub share: Option<f64>,
    /// Share of the time in which Spot capacity is available, 0–1.
    pub availability: Option<f64>,
    /// Interruptions per unit and hour.
    pub interruptions_per_hour: Option<f64>,
    /// Hours to write a checkpoint.
    pub checkpoint_hours: Option<f64>,
    /// Hours between checkpoints; `None` = the best interval.
    pub interval_hours: Option<f64>,
    /// Hours that a restart takes.
    pub restart_hours: Option<f64>,
}

pub(super) const FIELDS: &[Field<SpotMix>] = fields! { SpotMix;
    units "units running" Count 0.0..f64::INFINITY, 1.0, "mean over the hours of a month";
    on_demand "on-demand" UsdPerHour 0.0001..f64::INFINITY, 0.1, "list price of a unit";
    price "spot" UsdPerHour 0.0..f64::INFINITY, 0.1, "mean of the spot price history of the zones in use";
    share "can take spot" Share 0.0..1.0, 0.01, "the part of the work with checkpoints and no deadline";
    availability "spot is there" Share 0.0..1.0, 0.01, "measured: part of the time in which requests were filled";
    interruptions_per_hour "interruptions" PerHour 0.0..60.0, 0.01, "of a unit: 1 ÷ mean hours between interruptions";
    checkpoint_hours "writing a checkpoint" Hours 0.0..24.0, 0.01, "measured";
    interval_hours "between checkpoints" Hours 0.001..1000.0, 0.1, "leave out for the best interval";
    restart_hours "restarting" Hours 0.0..24.0, 0.05, "from the interruption to useful work";
};

/// Cost with and without Spot, USD per month of 730 h.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SpotMixed {
    /// Cost of all units on demand.
    pub before_usd: f64,
    /// Cost with the share on Spot.
    pub after_usd: f64,
    /// Naive saving, share of Spot × list discount, 0–1.
    pub naive_share: f64,
    /// Real cost of Spot per useful hour.
    pub spot: SpotCost,
}

impl SpotMixed {
    /// Saved share of the on-demand cost, 0–1; 0 where that is 0.
    pub fn share(&self) -> f64 {
        if self.before_usd > 0.0 { 1.0 - self.after_usd / self.before_usd } else { 0.0 }
    }
}

impl SpotMix {
    /// The inputs as the [`Spot`] of a scenario. Fails where one is missing or out of its range.
    pub fn as_spot(&self) -> Result<Spot, LeverError> {
        let inputs = Inputs::new(LeverKind::SpotMix, self, FIELDS);
        Ok(Spot {
            share: inputs.need("share")?,
            price: inputs.need("price")?,
            availability: inputs.need("availability")?,
            interruptions_per_hour: inputs.need("interruptions_per_hour")?,
            checkpoint_hours: inputs.need("checkpoint_hours")?,
            interval_hours: inputs.maybe("interval_hours")?,
            restart_hours: inputs.need("restart_hours")?,
        })
    }

    fn spot(&self) -> Result<(Spot, f64, f64), LeverError> {
        let inputs = Inputs::new(LeverKind::SpotMix, self, FIELDS);
        Ok((self.as_spot()?, inputs.need("on_demand")?, inputs.need("units")?))
    }

    /// Cost with and without Spot. Fails where an input is missing or out of its range.
    pub fn mixed(&self) -> Result<SpotMixed, LeverError> {
        let (spot, on_demand, units) = self.spot()?;
        let hours = units * HOURS_PER_MONTH;
        let cost = cost(&spot, on_demand);
        let per_hour = (1.0 - spot.share) * on_demand + spot.share * cost.blended;
        Ok(SpotMixed {
            before_usd: hours * on_demand,
            after_usd: hours * per_hour,
            naive_share: spot.share * cost.list_discount,
            spot: cost,
        })
    }

    /// The answer as a sheet: inputs, arithmetic, results, notes. Fails as [`SpotMix::mixed`].
    pub fn sheet(&self) -> Result<Sheet, LeverError> {
        let mixed = self.mixed()?;
        let (spot, on_demand, units) = self.spot()?;
        let SpotCost { interval_hours, efficiency, effective, blended, .. } = mixed.spot;
        let mut sheet = Sheet::new(LeverKind::SpotMix, self.inputs());
        if let Some(interval) = interval_hours {
            let how = match spot.interval_hours {
                Some(_) => "as given".to_owned(),
                None => format!(
                    "√(2 × {} h ÷ {}/h)",
                    number(spot.checkpoint_hours),
                    number(spot.interruptions_per_hour)
                ),
            };
            sheet = sheet.line("between checkpoints", how, interval, Unit::Hours).line(
                "time that is kept",
                format!(
                    "1 − {} ÷ {} − {} × ({} ÷ 2 + {})",
                    number(spot.checkpoint_hours),
                    number(interval),
                    number(spot.interruptions_per_hour),
                    number(interval),
                    number(spot.restart_hours)
                ),
                efficiency,
                Unit::Share,
            );
        }
        let (discount, lost) = (mixed.spot.list_discount, 1.0 - efficiency);
        let pays = effective.is_some_and(|usd| usd < on_demand);
        Ok(sheet
            .line(
                "spot, per useful hour",
                format!("{} ÷ {}", rate(spot.price), share(efficiency)),
                effective.unwrap_or(f64::NAN),
                Unit::UsdPerHour,
            )
            .line(
                "with on-demand where there is none",
                format!(
                    "{} × {} + {} × {}",
                    share(spot.availability),
                    rate(effective.unwrap_or(on_demand).min(on_demand)),
                    share(1.0 - spot.availability),
                    rate(on_demand)
                ),
                blended,
                Unit::UsdPerHour,
            )
            .line(
                "a month",
                format!(
                    "{} × 730 h × ({} × {} + {} × {})",
                    number(units),
                    share(1.0 - spot.share),
                    rate(on_demand),
                    share(spot.share),
                    rate(blended)
                ),
                mixed.after_usd,
                Unit::UsdPerMonth,
            )
            .result(
                "saved_usd_per_month",
                "saved",
                mixed.before_usd - mixed.after_usd,
                Unit::UsdPerMonth,
            )
            .result("saved_share", "of on-demand", mixed.share(), Unit::Share)
            .result("after_usd_per_month", "left to pay", mixed.after_usd, Unit::UsdPerMonth)
            .result("efficiency", "time that is kept", efficiency, Unit::Share)
            .maybe("effective_usd_per_hour", "spot, per useful hour", effective, Unit::UsdPerHour)
            .maybe("interval_hours", "between checkpoints", interval_hours, Unit::Hours)
            .result(
                "real_discount",
                "saved while on spot's part",
                mixed.spot.real_discount,
                Unit::Share,
            )
            .result("naive_share", "the list discount claims", mixed.naive_share, Unit::Share)
            .note(
                (!pays && efficiency < 1.0 && lost < 1.0 && discount > 0.0)
                    .then(|| corrections::spot_overhead(discount, lost)),
            )
            .note((efficiency <= 0.0).then(|| {
                "Nothing is ever finished on spot at this rate of interruptions.".to_owned()
            }))
            .note(list_discount(&mixed)))
    }

    fn inputs(&self) -> Vec<super::sheet::Quantity> {
        knobs(self, FIELDS, None).iter().map(Knob::quantity).collect()
    }
}

fn list_discount(mixed: &SpotMixed) -> Option<String> {
    (mixed.naive_share > mixed.share() + 5e-4).then(|| {
        format!(
            "The list discount alone would have claimed {}; lost time and hours without spot leave {}.",
            share(mixed.naive_share),
            share(mixed.share())
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mix() -> SpotMix {
        SpotMix {
            units: Some(10.0),
            on_demand: Some(1.0),
            price: Some(0.3),
            share: Some(1.0),
            availability: Some(0.5),
            interruptions_per_hour: Some(0.0),
            checkpoint_hours: Some(0.0),
            interval_hours: None,
            restart_hours: Some(0.0),
        }
    }

    #[test]
    fn seventy_percent_off_half_of_the_time_are_35() {
        let mixed = mix().mixed().unwrap();
        assert!((mixed.share() - 0.35).abs() < 1e-12 && (mixed.naive_share - 0.7).abs() < 1e-12);
        assert!((mixed.before_usd - 7_300.0).abs() < 1e-9);
        assert!(mix().sheet().unwrap().notes[0].contains("70%"));
    }

    #[test]
    fn no_availability_is_taken_for_granted() {
        let error = SpotMix { availability: None, ..mix() }.mixed().unwrap_err();
        assert!(error.to_string().contains("availability is not given"));
    }

    #[test]
    fn dear_spot_is_said_and_not_taken() {
        let often = SpotMix {
            price: Some(0.74),
            availability: Some(1.0),
            interruptions_per_hour: Some(0.5),
            checkpoint_hours: Some(0.05),
            restart_hours: Some(0.1),
            ..mix()
        };
        // √(0.1 ÷ 0.5) h; e = 1 − √0.05 − 0.05 = 0.726; $0.74 ÷ 0.726 is above $1.
        let mixed = often.mixed().unwrap();
        assert!((mixed.spot.efficiency - (0.95 - 0.05_f64.sqrt())).abs() < 1e-12);
        assert_eq!(mixed.share(), 0.0);
        assert!(often.sheet().unwrap().notes[0].contains("on-demand is cheaper"));
        let hopeless = SpotMix { interruptions_per_hour: Some(20.0), ..often };
        let notes = hopeless.sheet().unwrap().notes;
        assert!(notes.iter().any(|note| note.contains("Nothing is ever finished")), "{notes:?}");
    }
}
