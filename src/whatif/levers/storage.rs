//! What the storage side of burntop found, taken over as it stands.

use serde::{Deserialize, Serialize};

use super::field::{Field, Inputs, Knob, fields, knobs};
use super::sheet::{Sheet, Unit};
use super::words::{number, usd};
use super::{LeverError, LeverKind};

/// Inputs of the storage simulator: dollars of the findings on the Storage tab. `None` = not given; the first
/// two are needed.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Storage {
    /// USD per month for storage today.
    pub before_usd: Option<f64>,
    /// USD per month that carrying out the findings saves.
    pub saving_usd: Option<f64>,
    /// One-off cost, USD: transitions, retrievals, early deletion.
    pub one_off_usd: Option<f64>,
}

pub(super) const FIELDS: &[Field<Storage>] = fields! { Storage;
    before_usd "storage" UsdPerMonth 0.0..f64::INFINITY, 1_000.0, "the total of the Storage tab";
    saving_usd "findings save" UsdPerMonth 0.0..f64::INFINITY, 100.0, "the findings of the Storage tab, without overlaps";
    one_off_usd "once" Usd 0.0..f64::INFINITY, 100.0, "transitions, retrievals and early deletes, from the plan";
};

impl Storage {
    /// USD per month before and after. Fails where an input is missing or the saving exceeds the cost.
    pub fn saved(&self) -> Result<(f64, f64), LeverError> {
        let inputs = Inputs::new(LeverKind::Storage, self, FIELDS);
        let (before, saving) = (inputs.need("before_usd")?, inputs.need("saving_usd")?);
        if saving > before {
            return Err(LeverError::Contradiction {
                lever: LeverKind::Storage,
                what: format!(
                    "findings that save {} of a spend of {} overlap: each byte can be saved once",
                    usd(saving),
                    usd(before)
                ),
            });
        }
        Ok((before, before - saving))
    }

    /// The answer as a sheet: inputs, arithmetic, results, notes. Fails as [`Storage::saved`].
    pub fn sheet(&self) -> Result<Sheet, LeverError> {
        let (before, after) = self.saved()?;
        let saving = before - after;
        let once =
            Inputs::new(LeverKind::Storage, self, FIELDS).maybe("one_off_usd")?.unwrap_or(0.0);
        let months = (saving > 0.0).then(|| once / saving);
        let inputs = knobs(self, FIELDS, None).iter().map(Knob::quantity).collect();
        Ok(Sheet::new(LeverKind::Storage, inputs)
            .line("left", format!("{} − {}", usd(before), usd(saving)), after, Unit::UsdPerMonth)
            .line(
                "paid back in",
                format!("{} ÷ {}", usd(once), usd(saving)),
                months.unwrap_or(f64::NAN),
                Unit::Months,
            )
            .result("saved_usd_per_month", "saved", saving, Unit::UsdPerMonth)
            .result("after_usd_per_month", "left to pay", after, Unit::UsdPerMonth)
            .maybe("payback_months", "paid back in", months, Unit::Months)
            .note(
                months.filter(|m| *m > 12.0).map(|m| {
                    format!("It takes {} months to pay back what moving costs.", number(m))
                }),
            ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_takes_over_what_it_is_told() {
        let storage = Storage {
            before_usd: Some(17_350.0),
            saving_usd: Some(4_000.0),
            one_off_usd: Some(60_000.0),
        };
        assert_eq!(storage.saved().unwrap(), (17_350.0, 13_350.0));
        let sheet = storage.sheet().unwrap();
        assert_eq!(sheet.number("payback_months"), Some(15.0));
        assert!(sheet.notes[0].contains("15 months"));
        let more = Storage { saving_usd: Some(20_000.0), ..storage };
        assert!(more.saved().unwrap_err().to_string().contains("overlap"));
        let none = Storage { saving_usd: Some(0.0), ..more };
        assert_eq!(none.sheet().unwrap().number("payback_months"), None);
    }
}
