//! Total cost of ownership: compute by use, storage, network, people.

use serde::{Deserialize, Serialize};

use super::field::{Field, Inputs, Knob, fields, knobs};
use super::sheet::{Sheet, Unit};
use super::words::{number, share, usd};
use super::{LeverError, LeverKind};

/// Inputs of the total cost of ownership. USD per month unless the field says otherwise; `None` = not given.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Tco {
    /// All compute: used, idle and failed.
    pub compute_usd: Option<f64>,
    /// The part of `compute_usd` for commitments that nothing used.
    pub idle_usd: Option<f64>,
    /// Share of the used compute that failed runs lose, 0–1.
    pub lost_share: Option<f64>,
    /// Storage, per month.
    pub storage_usd: Option<f64>,
    /// Data transfer, per month.
    pub network_usd: Option<f64>,
    /// Number of engineers.
    pub engineers: Option<f64>,
    /// Full cost of an engineer, USD per year.
    pub usd_per_engineer: Option<f64>,
    /// Share of their time for keeping things running (failed runs, data, machines), 0–1.
    pub toil_share: Option<f64>,
    /// Share of their time for making things faster or cheaper, 0–1.
    pub performance_share: Option<f64>,
}

pub(super) const FIELDS: &[Field<Tco>] = fields! { Tco;
    compute_usd "compute" UsdPerMonth 0.0..f64::INFINITY, 10_000.0, "the bill, commitments included";
    idle_usd "idle commitments" UsdPerMonth 0.0..f64::INFINITY, 1_000.0, "of compute: commitments that nothing used";
    lost_share "lost to failed runs" Share 0.0..1.0, 0.01, "of the used compute, by GPU hours";
    storage_usd "storage" UsdPerMonth 0.0..f64::INFINITY, 1_000.0, "the bill, or the Storage tab";
    network_usd "network" UsdPerMonth 0.0..f64::INFINITY, 1_000.0, "the bill: transfer, NAT, endpoints";
    engineers "engineers" Count 0.0..10000.0, 0.5, "who keep it running or make it better";
    usd_per_engineer "an engineer" UsdPerYear 0.0..f64::INFINITY, 5_000.0, "all in: salary, taxes, desk";
    toil_share "time for toil" Share 0.0..1.0, 0.05, "asked of them: failed runs, data plumbing, machines";
    performance_share "time for performance" Share 0.0..1.0, 0.05, "asked of them: faster or cheaper";
};

/// Monthly cost by part, USD. The parts do not overlap; `None` = not given.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Total {
    /// Compute whose result was kept, as far as known.
    pub useful_usd: f64,
    /// Compute lost by failed runs, per month; `None` without a share of lost compute.
    pub failed_usd: Option<f64>,
    /// Commitments that nothing used, per month; `None` = not given.
    pub idle_usd: Option<f64>,
    /// Storage, as given.
    pub storage_usd: Option<f64>,
    /// Data transfer, as given.
    pub network_usd: Option<f64>,
    /// Engineers × their cost, per month.
    pub people_usd: Option<f64>,
    /// The part of `people_usd` for keeping things running.
    pub toil_usd: Option<f64>,
    /// The part of `people_usd` for making things faster or cheaper.
    pub performance_usd: Option<f64>,
}

impl Total {
    /// Sum of all known parts, USD per month.
    pub fn usd(&self) -> f64 {
        let parts = [self.failed_usd, self.idle_usd, self.storage_usd, self.network_usd];
        let people = self.people_usd.unwrap_or(0.0);
        self.useful_usd + people + parts.into_iter().flatten().sum::<f64>()
    }

    /// Compute without a result, failed and idle, USD per month; `None` where neither is known.
    pub fn waste_usd(&self) -> Option<f64> {
        [self.failed_usd, self.idle_usd].into_iter().flatten().reduce(|a, b| a + b)
    }
}

impl Tco {
    /// Cost by part. Fails where compute is not given, an input is out of its range, or the parts exceed the
    /// whole.
    pub fn total(&self) -> Result<Total, LeverError> {
        let inputs = Inputs::new(LeverKind::Tco, self, FIELDS);
        let wrong = |what: String| LeverError::Contradiction { lever: LeverKind::Tco, what };
        let compute = inputs.need("compute_usd")?;
        let idle_usd = inputs.maybe("idle_usd")?;
        let used = compute - idle_usd.unwrap_or(0.0);
        if used < 0.0 {
            return Err(wrong(format!(
                "idle commitments of {} are more than all of compute, {}: compute contains them",
                usd(compute - used),
                usd(compute)
            )));
        }
        let (toil, performance) = (inputs.maybe("toil_share")?, inputs.maybe("performance_share")?);
        if toil.unwrap_or(0.0) + performance.unwrap_or(0.0) > 1.0 + 1e-9 {
            return Err(wrong(
                "toil and performance work are more than all of the time".to_owned(),
            ));
        }
        let failed_usd = inputs.maybe("lost_share")?.map(|lost| used * lost);
        let people_usd = match inputs.maybe("engineers")? {
            Some(engineers) => Some(engineers * inputs.need("usd_per_engineer")? / 12.0),
            None => None,
        };
        let of_people = |part: Option<f64>| Some(part? * people_usd?);
        Ok(Total {
            useful_usd: used - failed_usd.unwrap_or(0.0),
            failed_usd,
            idle_usd,
            storage_usd: inputs.maybe("storage_usd")?,
            network_usd: inputs.maybe("network_usd")?,
            people_usd,
            toil_usd: of_people(toil),
            performance_usd: of_people(performance),
        })
    }

    /// The answer as a sheet: inputs, arithmetic, results, notes. Fails as [`Tco::total`].
    pub fn sheet(&self) -> Result<Sheet, LeverError> {
        let total = self.total()?;
        let compute = self.compute_usd.unwrap_or(0.0);
        let used = compute - total.idle_usd.unwrap_or(0.0);
        let month = Unit::UsdPerMonth;
        let given = |value: Option<f64>| if value.is_some() { "as given" } else { "not given" };
        let failed = match self.lost_share {
            Some(lost) => format!("{} × {}", usd(used), share(lost)),
            None => "not given".to_owned(),
        };
        let people = match (self.engineers, self.usd_per_engineer) {
            (Some(count), Some(each)) => format!("{} × {} ÷ 12", number(count), usd(each)),
            _ => "not given".to_owned(),
        };
        let parts = [
            ("lost to failed runs", failed, total.failed_usd),
            ("idle commitments", given(total.idle_usd).to_owned(), total.idle_usd),
            ("storage", given(total.storage_usd).to_owned(), total.storage_usd),
            ("network", given(total.network_usd).to_owned(), total.network_usd),
            ("people", people, total.people_usd),
        ];
        let inputs = knobs(self, FIELDS, None).iter().map(Knob::quantity).collect();
        let mut sheet = Sheet::new(LeverKind::Tco, inputs).line(
            "useful compute",
            format!(
                "{} − idle {} − failed {}",
                usd(compute),
                total.idle_usd.map_or_else(|| "–".to_owned(), usd),
                total.failed_usd.map_or_else(|| "–".to_owned(), usd)
            ),
            total.useful_usd,
            month,
        );
        let mut missing = Vec::new();
        for (label, arithmetic, value) in parts {
            sheet = sheet.line(label, arithmetic, value.unwrap_or(f64::NAN), month);
            missing.extend(value.is_none().then_some(label));
        }
        let waste = total.waste_usd();
        Ok(sheet
            .result("total_usd_per_month", "all of it", total.usd(), month)
            .result("total_usd_per_year", "in a year", 12.0 * total.usd(), Unit::UsdPerYear)
            .result("useful_usd_per_month", "useful compute", total.useful_usd, month)
            .maybe("waste_usd_per_month", "compute that did nothing", waste, month)
            .maybe("waste_share", "of compute", waste.map(|waste| waste / compute), Unit::Share)
            .maybe("people_usd_per_month", "people", total.people_usd, month)
            .maybe("toil_usd_per_month", "of them, toil", total.toil_usd, month)
            .maybe(
                "performance_usd_per_month",
                "of them, performance",
                total.performance_usd,
                month,
            )
            .note(
                (!missing.is_empty())
                    .then(|| format!("Not in it, since not given: {}.", missing.join(", "))),
            ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn four_engineers_are_715_000_of_toil_and_220_000_of_performance() {
        let tco = Tco {
            compute_usd: Some(0.0),
            engineers: Some(4.0),
            usd_per_engineer: Some(275_000.0),
            toil_share: Some(0.65),
            performance_share: Some(0.20),
            ..Default::default()
        };
        let total = tco.total().unwrap();
        let yearly = [total.people_usd, total.toil_usd, total.performance_usd]
            .map(|usd| 12.0 * usd.unwrap());
        for (found, right) in yearly.into_iter().zip([1_100_000.0, 715_000.0, 220_000.0]) {
            assert!((found - right).abs() < 1e-6, "{found}");
        }
    }

    #[test]
    fn waste_is_a_part_of_compute_and_not_on_top() {
        let tco = Tco {
            compute_usd: Some(1_000.0),
            idle_usd: Some(200.0),
            lost_share: Some(0.25),
            storage_usd: Some(50.0),
            ..Default::default()
        };
        let total = tco.total().unwrap();
        assert_eq!(
            (total.useful_usd, total.failed_usd, total.waste_usd()),
            (600.0, Some(200.0), Some(400.0))
        );
        assert_eq!(total.usd(), 1_050.0);
        // Adding waste to a bill that contains it would have said 1,450.
        assert_eq!(tco.sheet().unwrap().notes, ["Not in it, since not given: network, people."]);
    }

    #[test]
    fn what_is_not_given_is_not_nothing() {
        let tco = Tco { compute_usd: Some(1_000.0), ..Default::default() };
        let sheet = tco.sheet().unwrap();
        assert_eq!(sheet.number("waste_usd_per_month"), None);
        assert!(sheet.lines.iter().skip(1).all(|line| line.number.is_none()));
        let idle = Tco { idle_usd: Some(2_000.0), ..tco };
        assert!(idle.total().unwrap_err().to_string().contains("compute contains them"));
    }
}
