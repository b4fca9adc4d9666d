//! What a simulator says, in one form for the screen, the memo and machines: what went in, how it
//! was computed, what came out.

use serde::Serialize;

use super::LeverKind;
use super::words;

/// Unit of a number in a sheet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Unit {
    /// US dollars.
    Usd,
    /// US dollars per month of 730 h.
    UsdPerMonth,
    /// US dollars per year.
    UsdPerYear,
    /// US dollars per hour.
    UsdPerHour,
    /// US dollars per gigabyte.
    UsdPerGb,
    /// US dollars per piece.
    UsdEach,
    /// A part of a whole, 0–1; shown as a percentage.
    Share,
    /// A factor, shown with ×.
    Times,
    /// Months.
    Months,
    /// Days.
    Days,
    /// Hours.
    Hours,
    /// Minutes.
    Minutes,
    /// A rate per hour.
    PerHour,
    /// Gigabytes per month.
    GbPerMonth,
    /// A number without unit.
    Count,
}

impl Unit {
    /// The number with its unit, as shown.
    pub fn show(self, number: f64) -> String {
        if !number.is_finite() {
            return "–".to_owned();
        }
        match self {
            Self::Usd => words::usd(number),
            Self::UsdPerMonth => format!("{}/mo", words::usd(number)),
            Self::UsdPerYear => format!("{}/yr", words::usd(number)),
            Self::UsdPerHour => format!("{}/h", words::rate(number)),
            Self::UsdPerGb => format!("{}/GB", words::rate(number)),
            Self::UsdEach => words::usd(number),
            Self::Share => words::share(number),
            Self::Times => format!("{}×", words::number(number)),
            Self::Months => words::counted(number, "month"),
            Self::Days => words::counted(number, "day"),
            Self::Hours => format!("{} h", words::number(number)),
            Self::Minutes => format!("{} min", words::number(number)),
            Self::PerHour => format!("{}/h", words::number(number)),
            Self::GbPerMonth => format!("{} GB/mo", words::number(number)),
            Self::Count => words::number(number),
        }
    }
}

/// A named number with its unit.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Quantity {
    /// Name in JSON and CSV, `snake_case`.
    pub name: String,
    /// Label on screen.
    pub label: String,
    /// The value; `None` = not known.
    pub number: Option<f64>,
    /// Unit of the value.
    pub unit: Unit,
}

impl Quantity {
    /// The value with its unit; `–` where not known.
    pub fn shown(&self) -> String {
        self.unit.show(self.number.unwrap_or(f64::NAN))
    }
}

/// One line of the arithmetic.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Line {
    /// Name of the computed value.
    pub label: String,
    /// The computation, with its numbers: `$200,000 × (1 − 30% ÷ 70%)`.
    pub arithmetic: String,
    /// The computed value; `None` = not known.
    pub number: Option<f64>,
    /// Unit of the value.
    pub unit: Unit,
}

impl Line {
    /// The value with its unit; `–` where not known.
    pub fn shown(&self) -> String {
        self.unit.show(self.number.unwrap_or(f64::NAN))
    }
}

/// A curve to be drawn.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Series {
    /// Name in JSON and CSV, `snake_case`.
    pub name: String,
    /// Label on screen.
    pub label: String,
    /// Unit of the x values.
    pub x_unit: Unit,
    /// Unit of the y values.
    pub unit: Unit,
    /// Points (x, y), ascending in x.
    pub points: Vec<(f64, f64)>,
}

/// The answer of a simulator: inputs, arithmetic, results, curves, notes.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Sheet {
    /// Kind of simulator.
    pub kind: LeverKind,
    /// Heading.
    pub title: String,
    /// Inputs, in their order.
    pub inputs: Vec<Quantity>,
    /// Arithmetic, line by line.
    pub lines: Vec<Line>,
    /// Results; the first one is the headline.
    pub results: Vec<Quantity>,
    /// Curves; empty for most simulators.
    pub series: Vec<Series>,
    /// Notes in whole sentences, the most important first.
    pub notes: Vec<String>,
}

impl Sheet {
    pub(super) fn new(kind: LeverKind, inputs: Vec<Quantity>) -> Self {
        Self {
            kind,
            title: kind.title().to_owned(),
            inputs,
            lines: Vec::new(),
            results: Vec::new(),
            series: Vec::new(),
            notes: Vec::new(),
        }
    }

    pub(super) fn line(
        mut self,
        label: impl Into<String>,
        arithmetic: impl Into<String>,
        number: f64,
        unit: Unit,
    ) -> Self {
        let (label, arithmetic) = (label.into(), arithmetic.into());
        self.lines.push(Line { label, arithmetic, number: known(number), unit });
        self
    }

    pub(super) fn result(mut self, name: &str, label: &str, number: f64, unit: Unit) -> Self {
        let (name, label) = (name.to_owned(), label.to_owned());
        self.results.push(Quantity { name, label, number: known(number), unit });
        self
    }

    pub(super) fn maybe(self, name: &str, label: &str, number: Option<f64>, unit: Unit) -> Self {
        self.result(name, label, number.unwrap_or(f64::NAN), unit)
    }

    pub(super) fn note(mut self, sentence: Option<String>) -> Self {
        self.notes.extend(sentence);
        self
    }

    /// Value of the result called `name`; `None` where it is not known or there is no such result.
    pub fn number(&self, name: &str) -> Option<f64> {
        self.results.iter().find(|result| result.name == name).and_then(|result| result.number)
    }
}

/// What is no number is not known.
fn known(number: f64) -> Option<f64> {
    number.is_finite().then_some(number)
}
