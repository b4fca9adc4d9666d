//! A programme of savings, phase by phase: when money goes out, when it comes back, and what a year
//! of it really returns.

use serde::{Deserialize, Serialize};

use super::corrections;
use super::field::{Field, Inputs, Knob, fields, knobs};
use super::sheet::{Series, Sheet, Unit};
use super::words::{clean_text, counted, number, share, usd};
use super::{LeverError, LeverKind};
use crate::whatif::supply::cash::{monthly_interest, present_value};

/// Inputs of the programme simulator: phases, and how many months to look ahead. `None` = not given; the answer
/// fails where a number is needed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Programme {
    /// Phases of the programme; at least one is needed.
    #[serde(rename = "phase")]
    pub phases: Vec<Phase>,
    /// Months to look ahead.
    pub months: Option<f64>,
    /// Cost of capital per year, 0.08 = 8%.
    pub wacc: Option<f64>,
    /// Waste found, USD per month; a note says where the phases claim more. `None` = not compared.
    pub found_usd: Option<f64>,
}

/// A phase of the programme. `None` = not given; the answer fails where a number is needed.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Phase {
    /// Name of the phase. Clean text.
    #[serde(deserialize_with = "clean_text")]
    pub name: String,
    /// One-off cost, USD; `None` = 0.
    pub one_off_usd: Option<f64>,
    /// Month in which the one-off cost is paid, 1 = the first; `None` = the first.
    pub pay_month: Option<f64>,
    /// USD per month that it saves when complete.
    pub saving_usd: Option<f64>,
    /// First month in which it saves, 1 = the first.
    pub start_month: Option<f64>,
    /// Months from the first saving to the full saving; 0 or `None` = at once.
    pub ramp_months: Option<f64>,
}

impl Default for Programme {
    fn default() -> Self {
        Self { phases: Vec::new(), months: Some(12.0), wacc: Some(0.08), found_usd: None }
    }
}

pub(super) const FIELDS: &[Field<Programme>] = fields! { Programme;
    months "months looked at" Months 1.0..120.0, 1.0, "a year shows the first year's saving";
    wacc "cost of capital" Share 0.0..1.0, 0.01, "per year";
    found_usd "waste found" UsdPerMonth 0.0..f64::INFINITY, 1_000.0, "the sum of the findings; phases cannot save more";
};

pub(super) const PHASE: &[Field<Phase>] = fields! { Phase;
    one_off_usd "once" Usd 0.0..f64::INFINITY, 1_000.0, "work and tools of the phase";
    pay_month "paid in month" Count 1.0..120.0, 1.0, "1 = the first";
    saving_usd "saves" UsdPerMonth 0.0..f64::INFINITY, 1_000.0, "a month once it is there";
    start_month "saves from month" Count 1.0..120.0, 1.0, "the month after the phase's work";
    ramp_months "grows over" Months 0.0..60.0, 1.0, "0 = all of it at once";
};

/// Cash of one month of the programme.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Month {
    /// USD saved in this month.
    pub saving_usd: f64,
    /// USD paid in this month.
    pub cost_usd: f64,
    /// Cumulative cash at the end of the month, USD.
    pub cumulative_usd: f64,
}

/// Cash flow of the programme.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    /// Cash by month; index 0 is the first month.
    pub months: Vec<Month>,
    /// Sum of all one-off costs, USD, those after the months looked at included.
    pub investment_usd: f64,
    /// USD per month saved when all phases are complete.
    pub run_rate_usd: f64,
    /// Present value of the cash of all months looked at, USD, discounted to today from each month's end.
    pub npv_usd: f64,
}

impl Plan {
    /// USD saved in all months looked at.
    pub fn saving_usd(&self) -> f64 {
        self.months.iter().map(|month| month.saving_usd).sum()
    }

    /// USD saved in the first twelve months, or in all where there are fewer.
    pub fn first_year_usd(&self) -> f64 {
        self.months.iter().take(12).map(|month| month.saving_usd).sum()
    }

    /// First month (1 = the first) from which on cumulative cash is never negative; `None` = not within the
    /// months looked at.
    pub fn payback_month(&self) -> Option<u32> {
        let last_below = self.months.iter().rposition(|month| month.cumulative_usd < -1e-9);
        let first = last_below.map_or(0, |at| at + 1);
        (first < self.months.len()).then_some(first as u32 + 1)
    }

    /// Largest cumulative outlay, USD, from 0 on.
    pub fn deepest_usd(&self) -> f64 {
        self.months.iter().fold(0.0, |least: f64, month| least.max(-month.cumulative_usd))
    }

    /// (Saving − investment) ÷ investment over the months looked at; `None` without investment.
    pub fn roi(&self) -> Option<f64> {
        net_roi(self.saving_usd(), self.investment_usd)
    }
}

/// (Gain − cost) ÷ cost; `None` without cost.
pub fn net_roi(gain: f64, cost: f64) -> Option<f64> {
    (cost > 0.0).then(|| (gain - cost) / cost)
}

impl Phase {
    /// The part of the saving that is there in a month (1 = the first), 0–1: with a ramp of r months
    /// 1/(r+1), 2/(r+1), …, 1.
    fn part(month: f64, start: f64, ramp: f64) -> f64 {
        if month < start { 0.0 } else { ((month - start + 1.0) / (ramp + 1.0)).min(1.0) }
    }

    fn read(&self) -> Result<[f64; 5], LeverError> {
        let inputs = Inputs::new(LeverKind::Programme, self, PHASE);
        let start = inputs.need("start_month")?;
        Ok([
            inputs.maybe("one_off_usd")?.unwrap_or(0.0),
            inputs.maybe("pay_month")?.unwrap_or(1.0),
            inputs.need("saving_usd")?,
            start,
            inputs.maybe("ramp_months")?.unwrap_or(0.0),
        ])
    }
}

impl Programme {
    /// Cash flow, month by month. Fails without a phase, or where an input is missing or out of its range.
    pub fn plan(&self) -> Result<Plan, LeverError> {
        let inputs = Inputs::new(LeverKind::Programme, self, FIELDS);
        let months = inputs.need("months")?;
        let interest = monthly_interest(inputs.need("wacc")?);
        if self.phases.is_empty() {
            return Err(LeverError::Missing {
                lever: LeverKind::Programme,
                input: "phase",
                hint: "at least one: what it costs, what it saves, from when",
            });
        }
        let phases = self.phases.iter().map(Phase::read).collect::<Result<Vec<_>, _>>()?;
        let mut cumulative_usd = 0.0;
        let month = |number: u32| {
            let at = f64::from(number);
            let (mut saving_usd, mut cost_usd) = (0.0, 0.0);
            for [once, pay, saving, start, ramp] in &phases {
                saving_usd += saving * Phase::part(at, start.floor(), *ramp);
                cost_usd += if pay.floor() == at { *once } else { 0.0 };
            }
            cumulative_usd += saving_usd - cost_usd;
            Month { saving_usd, cost_usd, cumulative_usd }
        };
        let months: Vec<Month> = (1..=months.floor() as u32).map(month).collect();
        let cash =
            |(at, month): (usize, &Month)| (at as f64 + 1.0, month.saving_usd - month.cost_usd);
        let flows: Vec<(f64, f64)> = months.iter().enumerate().map(cash).collect();
        Ok(Plan {
            investment_usd: phases.iter().map(|[once, ..]| once).sum(),
            run_rate_usd: phases.iter().map(|[_, _, saving, ..]| saving).sum(),
            npv_usd: present_value(&flows, interest),
            months,
        })
    }

    /// The answer as a sheet: inputs, arithmetic, results, notes. Fails as [`Programme::plan`].
    pub fn sheet(&self) -> Result<Sheet, LeverError> {
        let plan = self.plan()?;
        let count = plan.months.len();
        let mut sheet =
            Sheet::new(LeverKind::Programme, self.knobs().iter().map(Knob::quantity).collect());
        for (at, phase) in self.phases.iter().enumerate() {
            let [_, _, saving, start, ramp] = phase.read()?;
            let name = if phase.name.is_empty() {
                format!("phase {}", at + 1)
            } else {
                phase.name.clone()
            };
            let parts = (1..=count as u32).map(|m| Phase::part(f64::from(m), start.floor(), ramp));
            let paid: f64 = parts.sum();
            sheet = sheet.line(
                format!("{name} saves"),
                format!(
                    "{} × {} from month {}",
                    usd(saving),
                    counted(paid, "month"),
                    number(start)
                ),
                saving * paid,
                Unit::Usd,
            );
        }
        let naive_usd = plan.run_rate_usd * 12.0;
        let naive_days = 365.0 * plan.investment_usd / naive_usd;
        let roi = plan.roi();
        let payback = plan.payback_month();
        let found = self.found_usd.filter(|found| plan.run_rate_usd > *found);
        sheet = sheet
            .line(
                "return",
                format!(
                    "({} − {}) ÷ {}",
                    usd(plan.saving_usd()),
                    usd(plan.investment_usd),
                    usd(plan.investment_usd)
                ),
                roi.unwrap_or(f64::NAN),
                Unit::Share,
            )
            .result("first_year_usd", "saved in the first year", plan.first_year_usd(), Unit::Usd)
            .result("saved_usd", "saved in the months looked at", plan.saving_usd(), Unit::Usd)
            .result("investment_usd", "invested", plan.investment_usd, Unit::Usd)
            .maybe("payback_month", "in the black from month", payback.map(f64::from), Unit::Count)
            .result("deepest_usd", "most that is out", plan.deepest_usd(), Unit::Usd)
            .maybe("roi", "return, net", roi, Unit::Share)
            .result("npv_usd", "worth today", plan.npv_usd, Unit::Usd)
            .result("run_rate_usd_per_month", "a month when all is there", plan.run_rate_usd, Unit::UsdPerMonth)
            .result("naive_first_year_usd", "twelve times that", naive_usd, Unit::Usd)
            .note((plan.investment_usd > 0.0
                && (payback.is_none() || naive_usd > plan.first_year_usd() + 0.5))
                .then(|| corrections::instant_payback(naive_days, payback)))
            .note(roi.map(|net| corrections::gross_roi(plan.saving_usd() / plan.investment_usd, net)))
            .note(found.map(|found| {
                format!(
                    "The phases save {} a month together, {} more than the {} that was found: some of it is \
                     counted twice.",
                    usd(plan.run_rate_usd),
                    share(plan.run_rate_usd / found - 1.0),
                    usd(found)
                )
            }));
        let point = |(at, month): (usize, &Month)| (at as f64 + 1.0, month.cumulative_usd);
        sheet.series = vec![Series {
            name: "cumulative_usd".to_owned(),
            label: "cash since the beginning".to_owned(),
            x_unit: Unit::Months,
            unit: Unit::Usd,
            points: plan.months.iter().enumerate().map(point).collect(),
        }];
        Ok(sheet)
    }

    /// The inputs of the programme and of all its phases.
    pub(super) fn knobs(&self) -> Vec<Knob> {
        let phases = self.phases.iter().enumerate();
        knobs(self, FIELDS, None)
            .into_iter()
            .chain(phases.flat_map(|(at, of)| knobs(of, PHASE, Some(("phase", at + 1)))))
            .collect()
    }
}
