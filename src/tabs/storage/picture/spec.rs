//! Rows of the field tables, written short: each begins with its field.

use crate::query::{Kind, Unit};
use crate::view::{Align, FieldSpec};

/// What the macros below write out: a field of text.
pub(crate) const fn plain(
    place: u16,
    name: &'static str,
    aliases: &'static [&'static str],
    header: &'static str,
    width: u16,
    doc: &'static str,
) -> FieldSpec {
    FieldSpec {
        place,
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

/// The same of another kind, largest first where that is a quantity or a moment.
pub(crate) const fn of_kind(kind: Kind, spec: FieldSpec) -> FieldSpec {
    let (unit, align) = match kind {
        Kind::Number(Unit::Usd) => ("$/month", Align::Right),
        Kind::Number(Unit::UsdPerHour) => ("$/h", Align::Right),
        Kind::Number(Unit::Bytes) => ("B", Align::Right),
        Kind::Number(Unit::Percent) => ("%", Align::Right),
        Kind::Number(_) => ("", Align::Right),
        _ => ("", Align::Left),
    };
    let descending_first = matches!(kind, Kind::Number(_) | Kind::Time);
    FieldSpec { kind, unit, align, descending_first, ..spec }
}

/// The same, sorted by a letter of its heading.
pub(crate) const fn by(key: char, spec: FieldSpec) -> FieldSpec {
    FieldSpec { sort_key: Some(key), ..spec }
}

/// The same, taking what room is left.
pub(crate) const fn wide(spec: FieldSpec) -> FieldSpec {
    FieldSpec { grows: true, ..spec }
}

/// A field of text.
macro_rules! text {
    ($field:expr, $($rest:expr),+ $(,)?) => {
        $crate::tabs::storage::picture::spec::plain($field as u16, $($rest),+)
    };
}

/// A field of one of a few words.
macro_rules! choice {
    ($field:expr, $name:expr, $more:expr, $head:expr, $width:expr, $words:expr, $doc:expr $(,)?) => {
        $crate::tabs::storage::picture::spec::of_kind(
            $crate::query::Kind::Choice($words),
            $crate::tabs::storage::picture::spec::text!($field, $name, $more, $head, $width, $doc),
        )
    };
}

/// A quantity.
macro_rules! number {
    ($field:expr, $name:expr, $more:expr, $head:expr, $width:expr, $unit:expr, $doc:expr $(,)?) => {
        $crate::tabs::storage::picture::spec::of_kind(
            $crate::query::Kind::Number($unit),
            $crate::tabs::storage::picture::spec::text!($field, $name, $more, $head, $width, $doc),
        )
    };
}

/// A moment.
macro_rules! time {
    ($($all:expr),+ $(,)?) => {
        $crate::tabs::storage::picture::spec::of_kind(
            $crate::query::Kind::Time,
            $crate::tabs::storage::picture::spec::text!($($all),+),
        )
    };
}

/// The functions of a table that are the same for all of them.
macro_rules! fields {
    ($field:ident) => {
        fn all() -> &'static [Self] {
            &Self::ALL
        }

        fn specs() -> &'static [FieldSpec] {
            &FIELDS
        }

        fn spec(self) -> &'static FieldSpec {
            &FIELDS[self as usize]
        }
    };
}

/// A field enum and the list of its variants.
macro_rules! field_enum {
    ($(#[$doc:meta])* $name:ident { $($variant:ident),+ $(,)? }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum $name { $($variant),+ }

        impl $name {
            /// All fields, in the order of the table.
            pub const ALL: [Self; [$(Self::$variant),+].len()] = [$(Self::$variant),+];
        }
    };
}

pub(crate) use {choice, field_enum, fields, number, text, time};
