//! What makes a list: a table of fields, and what each says of a row. Filter, order, columns and
//! marks come from it alone: they are written once, against [`FieldTable`] and
//! [`Rows`], behind which the kind of row does not show.

use std::borrow::Cow;
use std::fmt::{self, Debug};
use std::hash::Hash;
use std::marker::PhantomData;
use std::sync::Arc;

use super::ViewContext;
use super::rows::{Part, Rows, RowsOf};
use super::value::Value;
use crate::query::Kind;

/// How a column is aligned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Align {
    /// Text.
    Left,
    /// Numbers.
    Right,
}

/// Everything about a field but its value: a row of the static table of a list's fields. Two are
/// equal when they are one and the same row.
pub struct FieldSpec {
    /// Its place in the table, from 0.
    pub place: u16,
    /// Name in filters, JSON, CSV and config.
    pub name: &'static str,
    /// Other names the filter takes.
    pub aliases: &'static [&'static str],
    /// Column heading.
    pub header: &'static str,
    /// Type and unit of the value; what a filter literal must be.
    pub kind: Kind,
    /// The unit as the cell shows it, for help and legends; empty without one.
    pub unit: &'static str,
    /// Width of the column in terminal cells, wide enough for ordinary values.
    pub width: u16,
    /// True for text that gains from more room than `width`.
    pub grows: bool,
    /// Alignment of cells and heading.
    pub align: Align,
    /// The key that sorts by this field, a letter of the heading in lower case; unique.
    pub sort_key: Option<char>,
    /// True when sorting begins with the largest.
    pub descending_first: bool,
    /// What the field is, one sentence.
    pub doc: &'static str,
}

/// The fields of a list from one table, a row each: the enum, all of them in the order of the table,
/// and what is known of each. The place of a field is the number of its variant.
macro_rules! field_table {
    ($(#[$doc:meta])* pub enum $field:ident => $table:ident {
        $($name:ident { $($spec:tt)* })*
    }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[allow(missing_docs, reason = "each field is documented in the table")]
        pub enum $field {
            $($name),*
        }

        impl $field {
            /// All fields, in the order of the table.
            pub const ALL: [Self; [$(stringify!($name)),*].len()] = [$(Self::$name),*];
        }

        pub(super) static $table: [FieldSpec; $field::ALL.len()] = [
            $(FieldSpec { place: $field::$name as u16, $($spec)* }),*
        ];
    };
}
pub(crate) use field_table;

impl FieldSpec {
    /// Its name, then its aliases.
    pub fn names(&self) -> impl Iterator<Item = &'static str> {
        std::iter::once(self.name).chain(self.aliases.iter().copied())
    }
}

impl PartialEq for FieldSpec {
    fn eq(&self, other: &Self) -> bool {
        std::ptr::eq(self, other)
    }
}

impl Eq for FieldSpec {}

impl Debug for FieldSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

/// The fields of a list, whatever its rows are.
pub trait FieldTable: Debug + Send + Sync {
    /// All fields, each at its place.
    fn fields(&self) -> &'static [FieldSpec];

    /// The columns on a screen when none are chosen.
    fn screen_columns(&self) -> Vec<&'static FieldSpec>;

    /// Number `nth` of the columns that may go first when there is not enough room, least important
    /// first; `None` behind the last.
    fn dropped_first(&self, nth: usize) -> Option<&'static FieldSpec>;

    /// See [`TableField::shared_words`].
    fn shared_words(&self) -> Vec<[&'static str; 2]>;
}

impl dyn FieldTable {
    /// The field with this name or alias, ignoring ASCII case.
    pub fn find(&self, name: &str) -> Option<&'static FieldSpec> {
        self.fields().iter().find(|f| f.names().any(|n| n.eq_ignore_ascii_case(name)))
    }

    /// The field that `key` sorts by.
    pub fn by_sort_key(&self, key: char) -> Option<&'static FieldSpec> {
        self.fields().iter().find(|f| f.sort_key == Some(key))
    }
}

impl<F: TableField> FieldTable for PhantomData<F> {
    fn fields(&self) -> &'static [FieldSpec] {
        F::specs()
    }

    fn screen_columns(&self) -> Vec<&'static FieldSpec> {
        F::SCREEN_COLUMNS.iter().map(|f| f.spec()).collect()
    }

    fn dropped_first(&self, nth: usize) -> Option<&'static FieldSpec> {
        F::DROPPED_FIRST.get(nth).map(|f| f.spec())
    }

    fn shared_words(&self) -> Vec<[&'static str; 2]> {
        F::shared_words()
    }
}

/// A field of one kind of row, and through it the list: which fields there are, and what each says
/// of a row.
pub trait TableField: Copy + Eq + Ord + Hash + Debug + Send + Sync + 'static {
    /// What stands on a line.
    type Row: Send + Sync + 'static;

    /// The columns on a screen when none are chosen.
    const SCREEN_COLUMNS: &'static [Self];

    /// The columns that may go first when there is not enough room, least important first. What is
    /// not listed goes after these, from the right.
    const DROPPED_FIRST: &'static [Self];

    /// All fields, in the order of their table.
    fn all() -> &'static [Self];

    /// The static table of the fields.
    fn specs() -> &'static [FieldSpec];

    /// Everything about the field but its value: its row of the static table.
    fn spec(self) -> &'static FieldSpec;

    /// The value in `row`, in the unit of the field's kind: percentages 0–100, spans in seconds
    /// up to `ctx.now`.
    fn value<'a>(self, row: &'a Self::Row, ctx: &ViewContext) -> Value<'a>;

    /// What a row is known by, unique in its table: the cursor and the marks belong to it.
    fn id(row: &Self::Row) -> &Arc<str>;

    /// What a row burns now, USD/h, for the sum of the marked ones; `None` without a known price.
    fn usd_per_hour(row: &Self::Row) -> Option<f64>;

    /// The value of the tag with exactly this key, for `tag:Key`.
    fn tag<'a>(row: &'a Self::Row, key: &str) -> Option<&'a str>;

    /// True when `holds` for any of the texts that a bare word is searched in, but for
    /// [`TableField::shared_words`]. The texts themselves, no cell formatted: this runs for every
    /// row at every key.
    fn any_text(row: &Self::Row, holds: impl FnMut(&str) -> bool) -> bool;

    /// Texts for bare words that recur from row to row, such as the words of a verdict: a search
    /// looks into each once instead of once per row. Each entry is what rows show and what
    /// exports call it.
    fn shared_words() -> Vec<[&'static str; 2]> {
        Vec::new()
    }

    /// Which of [`TableField::shared_words`] the row has.
    fn shared_word(_row: &Self::Row) -> Option<usize> {
        None
    }

    /// The text of the cell, not padded and not cut.
    fn cell(self, row: &Self::Row, ctx: &ViewContext) -> String {
        self.value(row, ctx).shown(self.spec().kind, ctx)
    }

    /// The value as exports state it: ratios 0–1 instead of percentages, enums in snake case.
    fn exported<'a>(self, row: &'a Self::Row, ctx: &ViewContext) -> Value<'a> {
        self.value(row, ctx).exported(self.spec().kind)
    }

    /// What rows are ordered by: the value, or a place in an order that its words do not have.
    fn ranked<'a>(self, row: &'a Self::Row, ctx: &ViewContext) -> Value<'a> {
        self.value(row, ctx)
    }

    /// The texts of a field that has several in one row, for comparisons; `None` for the others.
    fn several<'a>(self, _row: &'a Self::Row) -> Option<impl Iterator<Item = Cow<'a, str>>> {
        None::<std::iter::Empty<Cow<'a, str>>>
    }

    /// The fields, whatever the rows are.
    fn table() -> &'static dyn FieldTable {
        &PhantomData::<Self>
    }

    /// The field of a row of this table; `None` for one of another table.
    fn of(spec: &FieldSpec) -> Option<Self> {
        let field = Self::all().get(usize::from(spec.place)).copied();
        field.filter(|f| f.spec() == spec)
    }

    /// Rows to be looked at by what knows fields alone: borrowed ones, or some that are shared.
    fn rows<H: AsRef<[Arc<Self::Row>]>>(held: H) -> RowsOf<Self, H> {
        RowsOf::new(held)
    }

    /// Rows that are shared.
    fn shared(rows: &Arc<[Arc<Self::Row>]>) -> Arc<dyn Rows> {
        Arc::new(Self::rows(rows.clone()))
    }

    /// The rows that are a part of a picture, which is kept with them.
    fn part<T>(of: Arc<T>, part: fn(&T) -> &[Arc<Self::Row>]) -> Arc<dyn Rows>
    where
        T: Send + Sync + 'static,
    {
        Arc::new(RowsOf::<Self, _>::new(Part::new(of, part)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::query::Unit;
    use crate::view::fixture::ctx;
    use crate::view::{Filter, Sort, table};

    /// A table with no more than a table has to have.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
    enum Disk {
        Id,
        Full,
    }

    struct DiskRow {
        id: Arc<str>,
        percent_full: Option<f64>,
    }

    const fn spec(field: Disk, name: &'static str, kind: Kind, align: Align) -> FieldSpec {
        FieldSpec {
            place: field as u16,
            name,
            aliases: &[],
            header: name,
            kind,
            unit: "",
            width: 8,
            grows: false,
            align,
            sort_key: None,
            descending_first: matches!(align, Align::Right),
            doc: "",
        }
    }

    static DISKS: [FieldSpec; 2] = [
        spec(Disk::Id, "id", Kind::Text, Align::Left),
        spec(Disk::Full, "full", Kind::Number(Unit::Percent), Align::Right),
    ];

    impl TableField for Disk {
        type Row = DiskRow;
        const SCREEN_COLUMNS: &'static [Self] = &[Self::Id, Self::Full];
        const DROPPED_FIRST: &'static [Self] = &[];

        fn all() -> &'static [Self] {
            &[Self::Id, Self::Full]
        }

        fn specs() -> &'static [FieldSpec] {
            &DISKS
        }

        fn spec(self) -> &'static FieldSpec {
            &DISKS[self as usize]
        }

        fn value<'a>(self, row: &'a DiskRow, _: &ViewContext) -> Value<'a> {
            match self {
                Self::Id => Value::text(&row.id),
                Self::Full => Value::number(row.percent_full),
            }
        }

        fn id(row: &DiskRow) -> &Arc<str> {
            &row.id
        }

        fn usd_per_hour(_: &DiskRow) -> Option<f64> {
            None
        }

        fn tag<'a>(_: &'a DiskRow, _: &str) -> Option<&'a str> {
            None
        }

        fn any_text(row: &DiskRow, mut holds: impl FnMut(&str) -> bool) -> bool {
            holds(&row.id)
        }
    }

    #[test]
    fn another_table_is_searched_compared_sorted_and_shown_by_its_own_fields() {
        let row = |(id, percent_full): (&str, Option<f64>)| {
            Arc::new(DiskRow { id: id.into(), percent_full })
        };
        let rows = [("b", Some(12.4)), ("a", None), ("scratch", Some(97.0))].map(row);
        let ids = |filter: &str, sort| -> Vec<&str> {
            let filter = Filter::parse(Disk::table(), filter).unwrap();
            let shown = table::select(&Disk::rows(&rows), Some(&filter), sort, &ctx());
            shown.into_iter().map(|i| &*rows[i as usize].id).collect()
        };
        assert_eq!(ids("", Sort::by(Disk::Full.spec())), ["scratch", "b", "a"]);
        assert_eq!(ids("", Sort::by(Disk::Id.spec())), ["a", "b", "scratch"]);
        assert_eq!(ids("full>10", Sort::default()), ["b", "scratch"]);
        assert_eq!(ids("sch", Sort::default()), ["scratch"]);
        assert_eq!(ids("tag:Name=b", Sort::default()), [""; 0]);

        let error = Filter::parse(Disk::table(), "gpu<5").unwrap_err();
        assert!(error.message.contains("no field `gpu`"), "{error}");

        let full =
            |i: usize| (Disk::Full.cell(&rows[i], &ctx()), Disk::Full.exported(&rows[i], &ctx()));
        assert_eq!(full(0), ("12%".to_owned(), Value::Number(0.124)));
        assert_eq!(full(1), ("–".to_owned(), Value::Unknown));
    }
}
