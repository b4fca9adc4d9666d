//! Instances for others: whole ones, at their prices, and not before a commitment ends.

use serde::{Deserialize, Serialize};

use super::field::{Field, Inputs, Knob, fields, knobs};
use super::gpu_savings::whole_up;
use super::sheet::{Sheet, Unit};
use super::words::{clean_text, counted, number, rate, usd};
use super::{LeverError, LeverKind};
use crate::whatif::supply::cash::HOURS_PER_MONTH;

/// Inputs of the right-sizing simulator.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Rightsize {
    /// Changes of instance type; at least one is needed.
    #[serde(rename = "move")]
    pub moves: Vec<Move>,
}

/// Replacement of one instance type by another. `None` = not given; the answer fails where a number is needed.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Move {
    /// Type that is replaced. Clean text.
    #[serde(deserialize_with = "clean_text")]
    pub from: String,
    /// Type that replaces it. Clean text.
    #[serde(deserialize_with = "clean_text")]
    pub to: String,
    /// Number of instances that are replaced.
    pub units: Option<f64>,
    /// New instances per replaced one: 0.4 where two do the work of five.
    pub ratio: Option<f64>,
    /// USD per instance and hour of the replaced type.
    pub from_usd: Option<f64>,
    /// USD per instance and hour of the new type.
    pub to_usd: Option<f64>,
    /// Months that commitments for the replaced type still run; nothing is saved until then. `None` = 0.
    pub committed_months: Option<f64>,
}

pub(super) const FIELDS: &[Field<Move>] = fields! { Move;
    units "instances that go" Count 0.0..1e6, 1.0, "how many run now";
    ratio "come for each" Count 0.0..100.0, 0.05, "measured on one: the work of one new instance";
    from_usd "price of what goes" UsdPerHour 0.0..f64::INFINITY, 0.1, "list price";
    to_usd "price of what comes" UsdPerHour 0.0..f64::INFINITY, 0.1, "list price";
    committed_months "still committed" Months 0.0..36.0, 1.0, "months left of RIs and plans that only fit what goes";
};

/// Cost of one replacement, USD per month of 730 h.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Moved {
    /// Number of new instances, rounded up to whole ones.
    pub come: f64,
    /// Cost before.
    pub before_usd: f64,
    /// Cost after, once no commitment for the old type runs.
    pub after_usd: f64,
    /// Months until it saves anything.
    pub wait_months: f64,
}

impl Rightsize {
    /// Cost of each move, in order. Fails without a move, or where an input is missing or out of its range.
    pub fn moved(&self) -> Result<Vec<Moved>, LeverError> {
        if self.moves.is_empty() {
            return Err(LeverError::Missing {
                lever: LeverKind::Rightsize,
                input: "move",
                hint: "at least one type for another",
            });
        }
        self.moves.iter().map(Move::moved).collect()
    }

    /// USD per month before and after of the moves that save at once, without those that wait for a commitment.
    /// Fails as [`Rightsize::moved`].
    pub fn now(&self) -> Result<(f64, f64), LeverError> {
        let moved = self.moved()?;
        let before = moved.iter().map(|m| m.before_usd).sum();
        let after = |m: &Moved| if m.wait_months > 0.0 { m.before_usd } else { m.after_usd };
        Ok((before, moved.iter().map(after).sum()))
    }

    /// The answer as a sheet: inputs, arithmetic, results, notes. Fails as [`Rightsize::moved`].
    pub fn sheet(&self) -> Result<Sheet, LeverError> {
        let moved = self.moved()?;
        let inputs = self.knobs().iter().map(Knob::quantity).collect();
        let mut sheet = Sheet::new(LeverKind::Rightsize, inputs);
        for (of, moved) in self.moves.iter().zip(&moved) {
            let units = of.units.unwrap_or(0.0);
            let (from, to) = (of.from_usd.unwrap_or(0.0), of.to_usd.unwrap_or(0.0));
            sheet = sheet
                .line(
                    format!("{} that come", of.to),
                    format!("⌈{} × {}⌉", number(units), number(of.ratio.unwrap_or(0.0))),
                    moved.come,
                    Unit::Count,
                )
                .line(
                    format!("{} → {}", of.from, of.to),
                    format!(
                        "({} × {} − {} × {}) × 730 h",
                        number(units),
                        rate(from),
                        number(moved.come),
                        rate(to)
                    ),
                    moved.before_usd - moved.after_usd,
                    Unit::UsdPerMonth,
                )
                .note((moved.wait_months > 0.0).then(|| {
                    format!(
                        "{} is committed for another {}: until then the new instances come on top \
                         unless something else uses the old ones.",
                        of.from,
                        counted(moved.wait_months, "month")
                    )
                }))
                .note((moved.after_usd > moved.before_usd).then(|| {
                    format!(
                        "{} → {} costs {} a month more.",
                        of.from,
                        of.to,
                        usd(moved.after_usd - moved.before_usd)
                    )
                }));
        }
        let before: f64 = moved.iter().map(|m| m.before_usd).sum();
        let after: f64 = moved.iter().map(|m| m.after_usd).sum();
        let (_, at_once) = self.now()?;
        let part = if before > 0.0 { 1.0 - after / before } else { 0.0 };
        Ok(sheet
            .result(
                "saved_usd_per_month",
                "saved, once nothing is committed",
                before - after,
                Unit::UsdPerMonth,
            )
            .result("saved_now_usd_per_month", "saved at once", before - at_once, Unit::UsdPerMonth)
            .result("saved_share", "of what goes", part, Unit::Share)
            .result("after_usd_per_month", "left to pay", after, Unit::UsdPerMonth))
    }

    /// The inputs of all moves.
    pub(super) fn knobs(&self) -> Vec<Knob> {
        let each = self.moves.iter().enumerate();
        each.flat_map(|(at, of)| knobs(of, FIELDS, Some(("move", at + 1)))).collect()
    }
}

impl Move {
    fn moved(&self) -> Result<Moved, LeverError> {
        let inputs = Inputs::new(LeverKind::Rightsize, self, FIELDS);
        let (units, ratio) = (inputs.need("units")?, inputs.need("ratio")?);
        let come = whole_up(units * ratio);
        Ok(Moved {
            come,
            before_usd: units * inputs.need("from_usd")? * HOURS_PER_MONTH,
            after_usd: come * inputs.need("to_usd")? * HOURS_PER_MONTH,
            wait_months: inputs.maybe("committed_months")?.unwrap_or(0.0),
        })
    }
}
