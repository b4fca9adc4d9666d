//! A value of a field, whatever kind of row it is of.

use std::borrow::Cow;

use jiff::Timestamp;

use super::{ViewContext, format};
use crate::domain::bill::Usd;
use crate::query::{Kind, Unit};

/// Value of a field in one row, in the unit of the field's kind.
#[derive(Clone, Debug, PartialEq)]
pub enum Value<'a> {
    /// Not known, or not applicable.
    Unknown,
    /// Text, not empty.
    Text(Cow<'a, str>),
    /// A finite quantity.
    Number(f64),
    /// Exact dollars of a bill: compared and shown as a number, exported with all digits.
    Usd(Usd),
    /// A point in time.
    Time(Timestamp),
}

impl<'a> Value<'a> {
    /// Text; [`Value::Unknown`] where empty.
    pub(crate) fn text(text: &'a str) -> Self {
        if text.is_empty() { Self::Unknown } else { Self::Text(Cow::Borrowed(text)) }
    }

    /// Text that was made for this; not known when empty.
    pub(crate) fn made(text: String) -> Self {
        if text.is_empty() { Self::Unknown } else { Self::Text(Cow::Owned(text)) }
    }

    /// Text that may be missing.
    pub(crate) fn maybe(text: Option<&'a str>) -> Self {
        text.map_or(Self::Unknown, Self::text)
    }

    /// A quantity; [`Value::Unknown`] where missing or not finite.
    pub(crate) fn number(number: Option<f64>) -> Self {
        number.filter(|n| n.is_finite()).map_or(Self::Unknown, Self::Number)
    }

    /// A moment; [`Value::Unknown`] where missing.
    pub(crate) fn time(at: Option<Timestamp>) -> Self {
        at.map_or(Self::Unknown, Self::Time)
    }

    /// Seconds from `at` to `now`, 0 for a moment to come; [`Value::Unknown`] where missing.
    pub(crate) fn since(at: Option<Timestamp>, now: Timestamp) -> Self {
        Self::number(at.map(|at| now.duration_since(at).as_secs_f64().max(0.0)))
    }

    /// The value without borrowed text.
    pub fn into_owned(self) -> Value<'static> {
        match self {
            Self::Unknown => Value::Unknown,
            Self::Text(text) => Value::Text(Cow::Owned(text.into_owned())),
            Self::Number(n) => Value::Number(n),
            Self::Usd(usd) => Value::Usd(usd),
            Self::Time(t) => Value::Time(t),
        }
    }

    /// True for [`Value::Unknown`].
    pub fn is_unknown(&self) -> bool {
        *self == Self::Unknown
    }

    /// Value of a field of this kind as exported: ratios 0–1 instead of percentages, enums in snake case.
    pub(crate) fn exported(self, kind: Kind) -> Self {
        match (kind, self) {
            // Six digits: a 32-bit percentage has no more, and 0.38 shall not become 0.3799999.
            (Kind::Number(Unit::Percent), Self::Number(p)) => Self::Number((p * 1e4).round() / 1e6),
            (Kind::Choice(_), Self::Text(word)) if word.contains('-') => {
                Self::Text(Cow::Owned(word.replace('-', "_")))
            }
            (_, value) => value,
        }
    }

    /// Value of a field of this kind as a cell shows it: a choice in words, which filters take as well.
    pub(crate) fn shown(self, kind: Kind, ctx: &ViewContext) -> String {
        match self {
            Self::Unknown => ctx.symbols.unknown().to_owned(),
            Self::Text(word) if matches!(kind, Kind::Choice(_)) => word.replace('_', " "),
            Self::Text(text) => text.into_owned(),
            Self::Time(t) => t.strftime("%Y-%m-%d %H:%M").to_string(),
            Self::Usd(usd) => format::usd(usd.to_f64()),
            Self::Number(n) => match kind {
                Kind::Number(Unit::UsdPerHour) => format::grouped(n, 2),
                Kind::Number(Unit::Usd) => format::usd_total(n),
                Kind::Number(Unit::Percent) => format::percent(n, 0),
                Kind::Number(Unit::Bytes) => format::gib(n),
                Kind::Number(Unit::BytesPerDay) => format::bytes(n),
                Kind::Number(Unit::Seconds) => format::span(n as i64),
                _ => format::count(n),
            },
        }
    }
}
