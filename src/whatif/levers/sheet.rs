//! What a simulator says, in one form for the screen, the memo and machines: what went in, how it
//! was computed, what came out.

use serde::Serialize;

use super::LeverKind;
use super::words;

/// What a number is.
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
    /// US dollars for one of something.
    UsdEach,
    /// A part of a whole, 0–1; shown as a percentage.
    Share,
    /// A factor.
    Times,
    /// Months.
    Months,
    /// Days.
    Days,
    /// Hours.
    Hours,
    /// Minutes.
    Minutes,
    /// Something per hour.
    PerHour,
    /// Gigabytes per month.
    GbPerMonth,
    /// A plain number.
    Count,
}

impl Unit {
    /// The number with its unit, for people.
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
            Self::Months => format!("{} months", words::number(number)),
            Self::Days => format!("{} days", words::number(number)),
            Self::Hours => format!("{} h", words::number(number)),
            Self::Minutes => format!("{} min", words::number(number)),
            Self::PerHour => format!("{}/h", words::number(number)),
            Self::GbPerMonth => format!("{} GB/mo", words::number(number)),
            Self::Count => words::number(number),
        }
    }
}

/// A number with its name.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Quantity {
    /// For machines, `snake_case`.
    pub name: String,
    /// For people.
    pub label: String,
    /// The number; `None` = not known.
    pub number: Option<f64>,
    /// Its unit.
    pub unit: Unit,
}

impl Quantity {
    /// The number with its unit, or `–`.
    pub fn shown(&self) -> String {
        self.unit.show(self.number.unwrap_or(f64::NAN))
    }
}

/// A step of the arithmetic.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Line {
    /// What is computed.
    pub label: String,
    /// How: `$200,000 × (1 − 30% ÷ 70%)`.
    pub arithmetic: String,
    /// What comes out; `None` = not known.
    pub number: Option<f64>,
    /// Its unit.
    pub unit: Unit,
}

impl Line {
    /// The number with its unit, or `–`.
    pub fn shown(&self) -> String {
        self.unit.show(self.number.unwrap_or(f64::NAN))
    }
}

/// Numbers over time or over something else, to be drawn.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Series {
    /// For machines, `snake_case`.
    pub name: String,
    /// For people.
    pub label: String,
    /// The unit of the first number of a point.
    pub x_unit: Unit,
    /// The unit of the second one.
    pub unit: Unit,
    /// The points, ascending.
    pub points: Vec<(f64, f64)>,
}

/// A simulator's whole answer.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Sheet {
    /// Which one.
    pub kind: LeverKind,
    /// What was asked, in a few words.
    pub title: String,
    /// What went in.
    pub inputs: Vec<Quantity>,
    /// How it was computed, step by step.
    pub lines: Vec<Line>,
    /// What came out; the first is the one that counts.
    pub results: Vec<Quantity>,
    /// Curves, where there are any.
    pub series: Vec<Series>,
    /// What is worth saying: whole sentences, the most important first.
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

    /// The result of this name; `None` where it is not known or there is none.
    pub fn number(&self, name: &str) -> Option<f64> {
        self.results.iter().find(|result| result.name == name).and_then(|result| result.number)
    }
}

/// What is no number is not known.
fn known(number: f64) -> Option<f64> {
    number.is_finite().then_some(number)
}
