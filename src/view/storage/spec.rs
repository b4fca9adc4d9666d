//! Rows of the field tables, written short.

use crate::query::{Kind, Unit};
use crate::view::{Align, FieldSpec};

/// A field of text.
pub(in crate::view) const fn text<F>(
    field: F,
    name: &'static str,
    aliases: &'static [&'static str],
    header: &'static str,
    width: u16,
    doc: &'static str,
) -> FieldSpec<F> {
    FieldSpec {
        field,
        name,
        aliases,
        header,
        kind: Kind::Text,
        unit: "",
        width,
        grows: false,
        align: Align::Left,
        sort_key: None,
        descending_first: false,
        doc,
    }
}

/// A field of one of a few words.
pub(in crate::view) const fn choice<F>(
    field: F,
    name: &'static str,
    aliases: &'static [&'static str],
    header: &'static str,
    width: u16,
    words: &'static [&'static str],
    doc: &'static str,
) -> FieldSpec<F> {
    FieldSpec {
        field,
        name,
        aliases,
        header,
        kind: Kind::Choice(words),
        unit: "",
        width,
        grows: false,
        align: Align::Left,
        sort_key: None,
        descending_first: false,
        doc,
    }
}

/// A quantity, largest first.
pub(in crate::view) const fn number<F>(
    field: F,
    name: &'static str,
    aliases: &'static [&'static str],
    header: &'static str,
    width: u16,
    unit: Unit,
    doc: &'static str,
) -> FieldSpec<F> {
    FieldSpec {
        field,
        name,
        aliases,
        header,
        kind: Kind::Number(unit),
        unit: match unit {
            Unit::Usd => "$/month",
            Unit::UsdPerHour => "$/h",
            Unit::Bytes => "B",
            Unit::Percent => "%",
            _ => "",
        },
        width,
        grows: false,
        align: Align::Right,
        sort_key: None,
        descending_first: true,
        doc,
    }
}

/// A moment.
pub(in crate::view) const fn time<F>(
    field: F,
    name: &'static str,
    aliases: &'static [&'static str],
    header: &'static str,
    width: u16,
    doc: &'static str,
) -> FieldSpec<F> {
    FieldSpec {
        field,
        name,
        aliases,
        header,
        kind: Kind::Time,
        unit: "",
        width,
        grows: false,
        align: Align::Left,
        sort_key: None,
        descending_first: true,
        doc,
    }
}

/// The same, sorted by a letter of its heading.
pub(in crate::view) const fn by<F: Copy>(key: char, spec: FieldSpec<F>) -> FieldSpec<F> {
    FieldSpec { sort_key: Some(key), ..spec }
}

/// The same, taking what room is left.
pub(in crate::view) const fn wide<F: Copy>(spec: FieldSpec<F>) -> FieldSpec<F> {
    FieldSpec { grows: true, ..spec }
}

/// The functions of a table that are the same for all of them.
macro_rules! fields {
    ($field:ident) => {
        fn all() -> &'static [Self] {
            &Self::ALL
        }

        fn spec(self) -> &'static FieldSpec<Self> {
            &FIELDS[self as usize]
        }
    };
}

/// A field enum and the list of its variants.
macro_rules! field_enum {
    ($(#[$doc:meta])* $name:ident { $($variant:ident),+ $(,)? }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[expect(missing_docs, reason = "each field is documented in its table")]
        pub enum $name { $($variant),+ }

        impl $name {
            /// All fields, in the order of the table.
            pub const ALL: [Self; [$(Self::$variant),+].len()] = [$(Self::$variant),+];
        }
    };
}

pub(in crate::view) use {field_enum, fields};
