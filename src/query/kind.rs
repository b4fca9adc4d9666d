//! What the language has to know of a field.

use std::fmt;

/// Field of the filtered rows. Its `Display` is the canonical name.
pub trait FieldName: Sized + Clone + fmt::Display {
    /// The fields of the rows in question, among which names are looked up.
    type Names: ?Sized;
    /// The field with this name or alias, ignoring case; `None` without one.
    fn resolve(name: &str, names: &Self::Names) -> Option<Self>;
    /// Kind of its values.
    fn kind(&self) -> Kind;
    /// Fields that have choices, with these, for suggestions on a word that another field lacks.
    fn choices(names: &Self::Names) -> Vec<(Self, &'static [&'static str])>;
    /// All names and aliases, for suggestions on an unknown name.
    fn known(names: &Self::Names) -> Vec<&'static str>;
    /// The field that a word stands for which is the name of none, or that of a text where it is compared by size. For looking
    /// alone: what is acted on is chosen by the field's own name. `None` for a word that stands for nothing.
    fn by_word(_word: &str, _names: &Self::Names) -> Option<Self> {
        None
    }
    /// Labels under which words of choices are shown, where these are other ones, each with its word.
    fn labels(_names: &Self::Names) -> Vec<[&'static str; 2]> {
        Vec::new()
    }
}

/// Kind of a field's values: decides the operators and literals it takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Any text.
    Text,
    /// One of these texts.
    Choice(&'static [&'static str]),
    /// A quantity in this unit.
    Number(Unit),
    /// A point in time, UTC.
    Time,
}

/// Unit of a quantity; literals are converted to it.
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
    /// Bytes, written with decimal (`GB`) or binary (`GiB`) suffixes.
    Bytes,
    /// Bytes per day.
    BytesPerDay,
    /// Seconds, written as `3d12h`.
    Seconds,
}

impl Unit {
    /// Example of a literal of this unit, for error messages.
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

    /// Units that a literal of this unit takes, for error messages.
    pub fn units(self) -> &'static str {
        match self {
            Self::Count => "none, but k and M",
            Self::Percent => "%",
            Self::Usd => "$, k, M",
            Self::UsdPerHour => "$, /h, /d, /mo",
            Self::Bytes => "B, kB, MB, GB, TB, KiB, MiB, GiB, TiB",
            Self::BytesPerDay => "B/d, kB/d, MB/d, GB/d, TB/d, MiB/d, GiB/d",
            Self::Seconds => "s, m, h, d, w",
        }
    }
}
