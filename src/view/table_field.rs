//! What makes a list: a table of fields, and what each says of a row. Filter, order, columns and
//! marks come from it alone: they are written once, against [`FieldTable`] and
//! [`Rows`], behind which the kind of row does not show.

use std::borrow::Cow;
use std::fmt::{self, Debug};
use std::hash::Hash;
use std::marker::PhantomData;
use std::sync::Arc;

use super::ViewContext;
use super::role::Role;
use super::rows::{Part, Rows, RowsOf};
use super::value::Value;
use crate::domain::{Scope, SourceSet};
use crate::fleet::gpu::Told;
use crate::query::{Kind, Unit};

/// Alignment of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Align {
    /// Left, for text.
    Left,
    /// Right, for numbers.
    Right,
}

/// Static description of a field, one row of its table. Two are equal when they are the same row.
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
pub struct FieldSpec {
    /// Index in the table.
    pub place: u16,
    /// Name in filters, JSON, CSV and config.
    pub name: &'static str,
    /// Further names that filters accept.
    pub aliases: &'static [&'static str],
    /// Heading of the column.
    pub header: &'static str,
    /// Type and unit of the value, which literals in a filter must have.
    pub kind: Kind,
    /// Unit as cells show it, for help and legends; empty without one.
    pub unit: &'static str,
    /// Width of the column in terminal cells, wide enough for ordinary values.
    pub width: u16,
    /// True for text that may take more width than `width`.
    pub grows: bool,
    /// Alignment of cells and heading.
    pub align: Align,
    /// Key that sorts by the field, a lower-case letter of the heading, unique in the table; `None` without
    /// one.
    pub sort_key: Option<char>,
    /// True when the first press sorts the largest to the top.
    pub descending_first: bool,
    /// False where values of several rows overlap, so that they have no sum.
    pub adds_up: bool,
    /// True for what tells rows apart, as their name: its column stays where others have no room, and beside those that are
    /// scrolled to.
    pub is_key: bool,
    /// One sentence on what the field is, for the help.
    pub doc: &'static str,
}

/// An enum whose variants are the places of a table: the fields of a list, the lists of a tab.
macro_rules! field_enum {
    ($(#[$meta:meta])* $name:ident { $($variant:ident),+ $(,)? }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum $name { $($variant),+ }

        impl $name {
            /// All of them, in the order of the table.
            pub const ALL: [Self; [$(stringify!($variant)),+].len()] = [$(Self::$variant),+];
        }
    };
}

/// The fields of a list from one table: the enum, all of them in the order of the table, and what is
/// known of each. A row says the variant, the kind, the name, aliases, heading and width of the column,
/// then what differs from most fields (a method of [`FieldSpec`] each), then what the field is:
///
/// `Power number(Count) "power" ["watts"] "POWER" 5 unit("W") by('p') "Power drawn now.";`
macro_rules! field_table {
    ($(#[$doc:meta])* pub enum $field:ident => $table:ident {
        $($variant:ident $kind:ident $(($($of:tt)+))? $name:literal [$($alias:literal),*]
            $header:literal $width:literal $($but:ident $(($with:literal))?)* $what:literal;)*
    }) => {
        $crate::view::table_field::field_enum! {
            $(#[$doc])*
            #[allow(missing_docs, reason = "each field is documented in the table")]
            $field { $($variant),* }
        }

        pub(super) static $table: [$crate::view::FieldSpec; $field::ALL.len()] = [
            $($crate::view::FieldSpec::new(
                $field::$variant as u16,
                $name,
                &[$($alias),*],
                $header,
                $crate::view::table_field::field_table!(@kind $kind $($($of)+)?),
                $width,
                $what,
            )$(.$but($($with)?))*),*
        ];
    };
    (@kind text) => { $crate::query::Kind::Text };
    (@kind time) => { $crate::query::Kind::Time };
    (@kind choice $words:expr) => { $crate::query::Kind::Choice(&$words) };
    (@kind number $unit:ident) => { $crate::query::Kind::Number($crate::query::Unit::$unit) };
}

/// What [`TableField`] asks of a table made by [`field_table`].
macro_rules! fields {
    ($table:ident) => {
        fn all() -> &'static [Self] {
            &Self::ALL
        }

        fn specs() -> &'static [$crate::view::FieldSpec] {
            &$table
        }

        fn spec(self) -> &'static $crate::view::FieldSpec {
            &$table[self as usize]
        }
    };
}
pub(crate) use {field_enum, field_table, fields};

impl FieldSpec {
    /// Name in words, for pages that have every field of a row: `launched by`.
    pub fn words(&self) -> String {
        self.name.replace('_', " ")
    }

    /// A field with the unit, the alignment and the order that its kind implies: numbers are aligned
    /// right, numbers and moments begin with the largest.
    pub const fn new(
        place: u16,
        name: &'static str,
        aliases: &'static [&'static str],
        header: &'static str,
        kind: Kind,
        width: u16,
        doc: &'static str,
    ) -> Self {
        let (unit, align) = match kind {
            Kind::Number(Unit::Usd) => ("$/month", Align::Right),
            Kind::Number(Unit::UsdPerHour) => ("$/h", Align::Right),
            Kind::Number(Unit::Bytes) => ("B", Align::Right),
            Kind::Number(Unit::BytesPerDay) => ("B/d", Align::Right),
            Kind::Number(Unit::Percent) => ("%", Align::Right),
            Kind::Number(Unit::Count | Unit::Seconds) => ("", Align::Right),
            Kind::Text | Kind::Choice(_) | Kind::Time => ("", Align::Left),
        };
        let descending_first = matches!(kind, Kind::Number(_) | Kind::Time);
        let (grows, sort_key) = (false, None);
        Self {
            place,
            name,
            aliases,
            header,
            kind,
            unit,
            width,
            grows,
            align,
            sort_key,
            descending_first,
            adds_up: true,
            is_key: false,
            doc,
        }
    }

    /// Sorted by `key`, a letter of its heading.
    #[must_use]
    pub const fn by(self, key: char) -> Self {
        Self { sort_key: Some(key), ..self }
    }

    /// Takes the width that is left.
    #[must_use]
    pub const fn wide(self) -> Self {
        Self { grows: true, ..self }
    }

    /// Has another unit than its kind implies.
    #[must_use]
    pub const fn unit(self, unit: &'static str) -> Self {
        Self { unit, ..self }
    }

    /// The first press sorts the smallest to the top.
    #[must_use]
    pub const fn smallest_first(self) -> Self {
        Self { descending_first: false, ..self }
    }

    /// Values of several rows overlap: they are not added up.
    #[must_use]
    pub const fn apart(self) -> Self {
        Self { adds_up: false, ..self }
    }

    /// Tells rows apart: its column stays.
    #[must_use]
    pub const fn key(self) -> Self {
        Self { is_key: true, ..self }
    }

    /// The heading as one types a name: in lower case, `_` for blanks. What is read above a column finds its field.
    pub fn heading_as_name(&self) -> String {
        self.header.to_lowercase().replace(' ', "_")
    }

    /// Name, then aliases.
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

/// Words for the dollars of a list: where no column has one as its name or heading, it names the field that `$` names.
const DOLLARS: [&str; 4] = ["usd", "cost", "price", "dollars"];

/// Fields of a list, independent of the type of its rows.
pub trait FieldTable: Debug + Send + Sync {
    /// All fields, in the order of [`FieldSpec::place`].
    fn fields(&self) -> &'static [FieldSpec];

    /// Default columns on screen.
    fn screen_columns(&self) -> Vec<&'static FieldSpec>;

    /// Column number `nth` of those to drop when the screen is too narrow, least important first; `None` after
    /// the last.
    fn dropped_first(&self, nth: usize) -> Option<&'static FieldSpec>;

    /// Texts that recur from row to row, see [`TableField::shared_words`].
    fn shared_words(&self) -> Vec<[&'static str; 2]>;

    /// See [`TableField::labels`].
    fn labels(&self) -> Vec<[&'static str; 2]>;

    /// See [`TableField::NOUNS`].
    fn nouns(&self) -> [&'static str; 2];
}

impl dyn FieldTable {
    /// The field of this name, or else the dollars where it is a word for them; `None` where there is none.
    pub fn find(&self, name: &str) -> Option<&'static FieldSpec> {
        self.named(name).or_else(|| self.dollars_by(name))
    }

    /// The field with this name or alias, ignoring ASCII case, or else the one whose column alone has it as its heading, see
    /// [`FieldSpec::heading_as_name`]; `None` where there is none.
    pub fn named(&self, name: &str) -> Option<&'static FieldSpec> {
        let named = |f: &&FieldSpec| f.names().any(|n| n.eq_ignore_ascii_case(name));
        self.fields().iter().find(named).or_else(|| self.by_heading(name))
    }

    /// True where the beginning of a name begins a word that stands for dollars, and says enough of it.
    pub fn dollars_begin_with(begun: &str) -> bool {
        begun.len() >= 3 && DOLLARS.iter().any(|word| word.starts_with(begun))
    }

    /// The field that `$` names, for a word that stands for dollars; `None` for others, and without such a field.
    pub fn dollars_by(&self, word: &str) -> Option<&'static FieldSpec> {
        let is_word = DOLLARS.iter().any(|known| known.eq_ignore_ascii_case(word));
        self.fields().iter().find(|f| is_word && f.names().any(|name| name == "$"))
    }

    /// Places of the fields that are left out where not all find room, in this order: what is listed as least important, then
    /// those on the right. What tells rows apart is none of them.
    pub fn left_out(&self, fields: &[&'static FieldSpec]) -> impl Iterator<Item = usize> {
        let listed = (0..)
            .map_while(move |nth| self.dropped_first(nth))
            .filter_map(move |dropped| fields.iter().position(|field| *field == dropped));
        listed.chain((0..fields.len()).rev()).filter(move |at| !fields[*at].is_key)
    }

    fn by_heading(&self, name: &str) -> Option<&'static FieldSpec> {
        let name = name.to_lowercase();
        let mut headed = self.fields().iter().filter(|f| f.heading_as_name() == name);
        headed.next().filter(|_| headed.next().is_none())
    }

    /// The field with this sort key; `None` where there is none.
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

    fn labels(&self) -> Vec<[&'static str; 2]> {
        F::labels()
    }

    fn nouns(&self) -> [&'static str; 2] {
        F::NOUNS
    }
}

/// Account, region and sources of a row, from which its freshness follows.
#[derive(Clone, Debug, Default)]
pub struct Origin<'a> {
    /// Account and region; `None` where no source is read again for it.
    pub scope: Option<Cow<'a, Scope>>,
    /// Sources that reported this row itself, and when.
    pub told: &'a [Told],
}

impl<'a> Origin<'a> {
    /// Origin of a row that comes from a scope.
    pub fn of(scope: &'a Scope) -> Self {
        Self { scope: Some(Cow::Borrowed(scope)), told: &[] }
    }
}

/// A field of one type of row, with its values. The fields of a type define its list: columns, filter, order
/// and exports.
pub trait TableField: Copy + Eq + Ord + Hash + Debug + Send + Sync + 'static {
    /// Type of a row.
    type Row: Send + Sync + 'static;

    /// Noun for one row, and for several.
    const NOUNS: [&'static str; 2];

    /// The columns on a screen when none are chosen.
    const SCREEN_COLUMNS: &'static [Self];

    /// Columns to drop when the screen is too narrow, least important first; those not listed go after them,
    /// from the right.
    const DROPPED_FIRST: &'static [Self];

    /// All fields, in the order of their table.
    fn all() -> &'static [Self];

    /// Static descriptions of all fields.
    fn specs() -> &'static [FieldSpec];

    /// Static description of this field.
    fn spec(self) -> &'static FieldSpec;

    /// Value in `row`, in the unit of the field's kind: percentages 0–100, spans in seconds up to `ctx.now`.
    fn value<'a>(self, row: &'a Self::Row, ctx: &ViewContext) -> Value<'a>;

    /// Key of a row, unique in its table: cursor and marks follow it.
    fn id(row: &Self::Row) -> &Arc<str>;

    /// Cost of a row now, USD/h, for the sum of the marked ones; `None` without a known price.
    fn usd_per_hour(row: &Self::Row) -> Option<f64>;

    /// The value of the tag with exactly this key, for `tag:Key`; `None` for rows without tags.
    fn tag<'a>(_row: &'a Self::Row, _key: &str) -> Option<&'a str> {
        None
    }

    /// True when `holds` for any text that a bare word of a filter is searched in, without
    /// [`TableField::shared_words`]. Passes stored texts and formats no cell, since it runs for every row at
    /// every key.
    fn any_text(row: &Self::Row, holds: impl FnMut(&str) -> bool) -> bool;

    /// Texts that recur from row to row, such as labels of a verdict, so that a search examines each once
    /// instead of once per row. Each entry holds the label shown and the name exported.
    fn shared_words() -> Vec<[&'static str; 2]> {
        Vec::new()
    }

    /// Labels under which cells show words of choices, where these are other ones, each with its word: filters take both.
    fn labels() -> Vec<[&'static str; 2]> {
        Self::shared_words()
    }

    /// Index of the row's entry in [`TableField::shared_words`]; `None` without one.
    fn shared_word(_row: &Self::Row) -> Option<usize> {
        None
    }

    /// What is worth knowing of the rows that a filter leaves, in a sentence; `compared` are the fields it compares. `None`
    /// where nothing is.
    fn of_filtered<'a>(
        _rows: impl Iterator<Item = &'a Self::Row>,
        _compared: &[&FieldSpec],
    ) -> Option<String> {
        None
    }

    /// Text of the cell, neither padded nor truncated.
    fn cell(self, row: &Self::Row, ctx: &ViewContext) -> String {
        self.value(row, ctx).shown(self.spec().kind, ctx)
    }

    /// What the colour of the cell means. Few cells have one: each change of colour is bytes over SSH.
    fn role(self, _row: &Self::Row) -> Role {
        Role::Text
    }

    /// Where a row comes from.
    fn origin(_row: &Self::Row) -> Origin<'_> {
        Origin::default()
    }

    /// The sources that the cell rests on: when one of them is behind where the row comes from, so is
    /// the cell.
    fn rests_on(self, _row: &Self::Row) -> SourceSet {
        SourceSet::default()
    }

    /// The value as exports state it: ratios 0–1 instead of percentages, enums in snake case.
    fn exported<'a>(self, row: &'a Self::Row, ctx: &ViewContext) -> Value<'a> {
        self.value(row, ctx).exported(self.spec().kind)
    }

    /// Value to order rows by: the field's value, or a rank where its labels have none.
    fn ranked<'a>(self, row: &'a Self::Row, ctx: &ViewContext) -> Value<'a> {
        self.value(row, ctx)
    }

    /// The texts of a field that has several in one row, for comparisons; `None` for the others.
    fn several<'a>(self, _row: &'a Self::Row) -> Option<impl Iterator<Item = Cow<'a, str>>> {
        None::<std::iter::Empty<Cow<'a, str>>>
    }

    /// The table of these fields, independent of the row type.
    fn table() -> &'static dyn FieldTable {
        &PhantomData::<Self>
    }

    /// The field described by `spec`; `None` for a field of another table.
    fn of(spec: &FieldSpec) -> Option<Self> {
        let field = Self::all().get(usize::from(spec.place)).copied();
        field.filter(|f| f.spec() == spec)
    }

    /// Rows, borrowed or shared, as [`Rows`].
    fn rows<H: AsRef<[Arc<Self::Row>]>>(held: H) -> RowsOf<Self, H> {
        RowsOf::new(held)
    }

    /// Shared rows as [`Rows`].
    fn shared(rows: &Arc<[Arc<Self::Row>]>) -> Arc<dyn Rows> {
        Arc::new(Self::rows(rows.clone()))
    }

    /// Rows that are a part of a larger value, which is kept alive with them.
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
    use crate::view::fixture::ctx;
    use crate::view::{Filter, Sort, table};

    field_table! {
        /// A table with no more than a table has to have.
        pub enum Disk => DISKS {
            Id text "id" [] "id" 8 "";
            Full number(Percent) "full" [] "full" 8 "";
        }
    }

    pub struct DiskRow {
        id: Arc<str>,
        percent_full: Option<f64>,
    }

    impl TableField for Disk {
        type Row = DiskRow;
        const NOUNS: [&'static str; 2] = ["disk", "disks"];
        const SCREEN_COLUMNS: &'static [Self] = &[Self::Id, Self::Full];
        const DROPPED_FIRST: &'static [Self] = &[];

        fields!(DISKS);

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

        fn any_text(row: &DiskRow, mut holds: impl FnMut(&str) -> bool) -> bool {
            holds(&row.id)
        }
    }

    field_table! {
        /// A table of which some headings are names of other fields, or of several.
        pub enum Job => JOBS {
            Usd number(Usd) "usd" [] "COST" 8 "";
            Lost number(Usd) "lost_usd" [] "LOST COST" 8 "";
            By text "cause_from" [] "BY" 8 "";
            TypeBy text "type_from" [] "BY" 8 "";
            Index text "index" [] "GPU" 8 "";
            Gpu number(Percent) "effective" ["gpu"] "EFF" 8 "";
        }
    }

    impl TableField for Job {
        type Row = DiskRow;
        const NOUNS: [&'static str; 2] = ["job", "jobs"];
        const SCREEN_COLUMNS: &'static [Self] = &[Self::Usd];
        const DROPPED_FIRST: &'static [Self] = &[];

        fields!(JOBS);

        fn value<'a>(self, _: &'a DiskRow, _: &ViewContext) -> Value<'a> {
            Value::Unknown
        }

        fn id(row: &DiskRow) -> &Arc<str> {
            &row.id
        }

        fn usd_per_hour(_: &DiskRow) -> Option<f64> {
            None
        }

        fn any_text(_: &DiskRow, _: impl FnMut(&str) -> bool) -> bool {
            false
        }
    }

    #[test]
    fn a_heading_is_a_name_where_one_column_alone_has_it() {
        let find = |name: &str| Job::table().find(name).and_then(Job::of);
        assert_eq!(find("cost"), Some(Job::Usd));
        assert_eq!(find("Lost_Cost"), Some(Job::Lost));
        assert_eq!(find("by"), None, "two have it");
        assert_eq!(find("gpu"), Some(Job::Gpu), "a name goes before a heading");
        assert_eq!(find(""), None);
        let filter = Filter::parse(Job::table(), "cost>100 and LOST_COST>5").unwrap();
        assert_eq!(filter.to_string(), "usd>100 and lost_usd>5");
        assert!(Filter::parse(Job::table(), "by=x").is_err());
    }

    #[test]
    fn in_every_list_what_is_read_above_a_column_finds_its_field() {
        let mut headings = 0;
        for list in crate::app::lists() {
            let table = (list.fields)();
            for field in table.fields() {
                let heading = field.heading_as_name();
                let named =
                    table.fields().iter().find(|f| f.names().any(|name| name == heading.as_str()));
                let alike =
                    table.fields().iter().filter(|f| f.heading_as_name() == heading).count();
                let found = table.find(&heading);
                match named {
                    Some(named) => assert_eq!(found, Some(named), "{heading}"),
                    None if alike > 1 => assert_eq!(found, None, "{heading}"),
                    None => assert_eq!(found, Some(field), "{heading}"),
                }
                headings += 1;
            }
        }
        assert!(headings > 100, "{headings}");
    }

    #[test]
    fn in_every_list_words_for_dollars_lead_to_them_where_they_are_compared_by_size() {
        let (mut words, mut refused) = (0, 0);
        for list in crate::app::lists() {
            let table = (list.fields)();
            if table.find("$").is_none() {
                continue;
            }
            for word in ["$", "usd", "cost", "price", "dollars"] {
                let filter = Filter::parse(table, &format!("{word}>1"));
                let filter = filter.unwrap_or_else(|e| panic!("{}: {word}: {e}", list.name));
                let name = filter.to_string();
                let field = name.strip_suffix(">1").and_then(|name| table.find(name)).unwrap();
                let is_money = matches!(field.kind, Kind::Number(Unit::Usd | Unit::UsdPerHour));
                assert!(is_money, "{}: {word} is {field:?}", list.name);
                // What decides over machines names its field; a heading is a name.
                let strict = Filter::parse_strict(table, &format!("{word}>1"));
                match table.named(word).filter(|field| matches!(field.kind, Kind::Number(_))) {
                    Some(_) => assert_eq!(strict.unwrap(), filter, "{}: {word}", list.name),
                    None => {
                        let error = strict.unwrap_err().message;
                        assert!(error.contains(&format!("write `{field:?}>…`")), "{error}");
                        refused += 1;
                    }
                }
                words += 1;
            }
        }
        assert!(words > 100 && refused > 20, "{words} {refused}");
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
