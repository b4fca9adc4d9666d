//! What the language has to know of a field.

use std::fmt;

/// A field of the rows that are filtered. Its `Display` is the canonical name.
pub trait FieldName: Sized + Clone + fmt::Display {
    /// The fields of the rows in question, among which names are looked up.
    type Names: ?Sized;
    /// The field with this name or alias, in any case.
    fn resolve(name: &str, names: &Self::Names) -> Option<Self>;
    /// What its values are.
    fn kind(&self) -> Kind;
    /// Names and aliases to suggest from when one is not known.
    fn known(names: &Self::Names) -> Vec<&'static str>;
}

/// What the values of a field are, and thus which operators and literals it takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Free text.
    Text,
    /// One of a few words.
    Choice(&'static [&'static str]),
    /// A quantity.
    Number(Unit),
    /// A moment (UTC).
    Time,
}

/// The unit in which a quantity is held; literals are converted to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Unit {
    /// A count or other number without unit.
    Count,
    /// Percent, 0–100.
    Percent,
    /// US dollars.
    Usd,
    /// US dollars per hour.
    UsdPerHour,
    /// Bytes.
    Bytes,
    /// Bytes per day.
    BytesPerDay,
    /// Seconds.
    Seconds,
}

impl Unit {
    /// What a literal of this unit looks like, for error messages.
    pub fn example(self) -> &'static str {
        match self {
            Self::Count => "a number like 8",
            Self::Percent => "a percentage like 5 or 5%",
            Self::Usd => "an amount like $500 or $1.5k",
            Self::UsdPerHour => "a rate like $10/h, $240/d or $7300/mo",
            Self::Bytes => "a size like 16GiB or 500MB",
            Self::BytesPerDay => "a volume per day like 5MB/d",
            Self::Seconds => "a time span like 90m, 3d or 1w2d",
        }
    }
}
