//! A parsed filter bound to the fields of a table.

mod columns;
mod found;
mod left_out;
#[cfg(test)]
mod shown_tests;
mod unmatched;

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use super::ViewContext;
use super::rows::Rows;
use super::search::{Needle, Scratch};
use super::table_field::{FieldSpec, FieldTable};
use super::value::Value;
pub use columns::Columns;
pub use unmatched::Unmatched;

use crate::query::{self, Compare, Expr, FieldName, Kind, Operand, QueryError, Term};

/// Left side of a comparison in a filter: a field of the table or a tag, `tag:Key`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FieldRef {
    /// A field of the table.
    Field(&'static FieldSpec),
    /// The tag with exactly this key.
    Tag(Arc<str>),
}

impl fmt::Display for FieldRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Field(field) => f.write_str(field.name),
            Self::Tag(key) => write!(f, "tag:{key}"),
        }
    }
}

impl FieldName for FieldRef {
    type Names = dyn FieldTable;

    fn resolve(name: &str, table: &Self::Names) -> Option<Self> {
        match name.split_at_checked(4) {
            Some((prefix, key)) if prefix.eq_ignore_ascii_case("tag:") && !key.is_empty() => {
                Some(Self::Tag(key.into()))
            }
            _ => table.named(name).map(Self::Field),
        }
    }

    fn kind(&self) -> Kind {
        match self {
            Self::Field(field) => field.kind,
            Self::Tag(_) => Kind::Text,
        }
    }

    fn choices(table: &Self::Names) -> Vec<(Self, &'static [&'static str])> {
        let of = |field: &'static FieldSpec| match field.kind {
            Kind::Choice(words) => Some((Self::Field(field), words)),
            _ => None,
        };
        table.fields().iter().filter_map(of).collect()
    }

    fn known(table: &Self::Names) -> Vec<&'static str> {
        table.fields().iter().flat_map(FieldSpec::names).collect()
    }

    fn by_word(word: &str, table: &Self::Names) -> Option<Self> {
        table.dollars_by(word).map(Self::Field)
    }

    fn labels(table: &Self::Names) -> Vec<[&'static str; 2]> {
        table.labels()
    }
}

/// A parsed filter over the rows of a table. `Display` gives its canonical form: full field names, explicit
/// `and`, only the parentheses needed.
#[derive(Clone, Debug)]
pub struct Filter {
    table: &'static dyn FieldTable,
    expr: Expr<Term<FieldRef>>,
}

impl PartialEq for Filter {
    fn eq(&self, other: &Self) -> bool {
        self.expr == other.expr
    }
}

impl Filter {
    /// Parses a filter over rows with these fields, in the language of [`crate::query`]. Empty text matches
    /// every row. Fails with the position of the first mistake.
    pub fn parse(table: &'static dyn FieldTable, text: &str) -> Result<Self, QueryError> {
        Ok(Self { table, expr: query::parse(text, table)? })
    }

    /// Parses a filter that chooses rows to act on, which refuses bare words and words that stand for a field, see
    /// [`query::parse_strict`].
    pub fn parse_strict(table: &'static dyn FieldTable, text: &str) -> Result<Self, QueryError> {
        Ok(Self { table, expr: query::parse_strict(text, table)? })
    }

    /// Fields that the filter compares, once per comparison.
    pub fn fields(&self) -> Vec<&FieldRef> {
        let mut out = Vec::new();
        self.expr.map(&mut |term| {
            if let Term::Compare(compare) = term {
                out.push(&compare.field);
            }
        });
        out
    }

    /// True when it searches for text, which matches more than comparisons do.
    pub fn searches(&self) -> bool {
        let mut found = false;
        self.expr.map(&mut |term| found |= matches!(term, Term::Fuzzy(_) | Term::Phrase(_)));
        found
    }

    /// True when every row matches.
    pub fn is_empty(&self) -> bool {
        self.expr == Expr::All
    }

    /// True when it holds where any of several parts does: parentheses belong around it where something is added.
    pub fn is_either(&self) -> bool {
        matches!(self.expr, Expr::Or(_))
    }

    /// True when `other` is one of the conditions that it asks for all at once.
    pub fn includes(&self, other: &Self) -> bool {
        match &self.expr {
            expr if *expr == other.expr => true,
            Expr::And(parts) => parts.contains(&other.expr),
            _ => false,
        }
    }

    /// Comparisons that hold for no row, where rows have other texts or numbers.
    pub fn unmatched(&self, rows: &dyn Rows, ctx: &ViewContext) -> Vec<Unmatched> {
        let mut terms = Vec::new();
        affirmed(&self.expr, &mut terms);
        let of = |term: &Term<FieldRef>| match term {
            Term::Compare(compare) => Unmatched::of(compare, rows, ctx),
            _ => None,
        };
        terms.into_iter().filter_map(of).collect()
    }

    /// What is to be known of a word that is searched for right behind a comparison: it may have been meant as a word of
    /// another field, else as a part of the value; and of one right behind the name of a field: as its value. `None` without
    /// such a word.
    pub fn remark(&self) -> Option<String> {
        let Expr::And(parts) = &self.expr else { return None };
        let behind = |pair: &[Expr<Term<FieldRef>>]| match pair {
            [Expr::Leaf(Term::Fuzzy(name)), Expr::Leaf(Term::Fuzzy(word))] => {
                let field = self.table.named(name).filter(|field| field.kind == Kind::Text)?;
                let meant = query::comparison(field.name, query::Op::Eq, word);
                Some(format!("`{name}` is searched for in all texts; did you mean `{meant}`?"))
            }
            [Expr::Leaf(Term::Compare(of)), Expr::Leaf(Term::Fuzzy(word))] => {
                let searched = format!("`{word}` is searched for in all texts");
                if let Some(meant) = self.choice_of(word, &of.field) {
                    return Some(format!("{searched}; did you mean `{meant}`?"));
                }
                if of.field.kind() != Kind::Text {
                    return Some(searched);
                }
                let value = format!("{} {word}", of.value.as_written());
                let whole = query::comparison(&of.field.to_string(), of.op, &value);
                Some(format!("{searched}; as part of the value: {whole}"))
            }
            _ => None,
        };
        parts.windows(2).find_map(behind)
    }

    /// Comparison with the first field, beside this one, that has the word among its choices.
    fn choice_of(&self, word: &str, beside: &FieldRef) -> Option<String> {
        let mut others =
            FieldRef::choices(self.table).into_iter().filter(|(field, _)| field != beside);
        others.find_map(|(field, words)| {
            let mut known = words.iter().copied().chain(query::groups(words));
            let known = known.find(|known| known.eq_ignore_ascii_case(word))?;
            Some(query::comparison(&field.to_string(), query::Op::Eq, known))
        })
    }

    /// The filter with buffers, ready to run over rows.
    pub fn searcher(&self) -> Searcher<'_> {
        let (table, mut scratch) = (self.table, Scratch::default());
        let expr = self.expr.map(&mut |term| match term {
            Term::Fuzzy(word) => Leaf::Text(Needle::fuzzy(word, table, &mut scratch)),
            Term::Phrase(text) => Leaf::Text(Needle::phrase(text, table, &mut scratch)),
            Term::Exact(text) => Leaf::Text(Needle::exact(text, table)),
            Term::Compare(compare) => Leaf::Compare(compare),
        });
        Searcher { fields: table.fields(), expr, scratch }
    }
}

impl fmt::Display for Filter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.expr)
    }
}

/// Adds the terms of an expression that no `not` denies.
fn affirmed<'e, T>(expr: &'e Expr<T>, into: &mut Vec<&'e T>) {
    match expr {
        Expr::All | Expr::Not(_) => {}
        Expr::Leaf(term) => into.push(term),
        Expr::And(parts) | Expr::Or(parts) => parts.iter().for_each(|part| affirmed(part, into)),
    }
}

/// Adds the texts that a row has in a field and that begin with `begun`, which is in lower case, by their lower case, in which
/// they are compared. What begins otherwise costs no allocation.
pub(super) fn texts(
    field: &FieldRef,
    rows: &dyn Rows,
    row: u32,
    ctx: &ViewContext,
    begun: &str,
    into: &mut BTreeMap<String, String>,
) {
    let mut add = |text: Cow<'_, str>| {
        if query::begins_folded(&text, begun) {
            into.entry(text.to_lowercase()).or_insert_with(|| text.into_owned());
        }
    };
    match field {
        FieldRef::Tag(key) => rows.tag(row, key).into_iter().for_each(|text| add(text.into())),
        FieldRef::Field(field) => {
            let several = rows.several(row, field, &mut |all| all.for_each(&mut add));
            if let (false, Value::Text(text)) = (several, rows.value(row, field, ctx)) {
                add(text);
            }
        }
    }
}

enum Leaf<'f> {
    Text(Needle),
    Compare(&'f Compare<FieldRef>),
}

/// A filter with the buffers to run it.
pub struct Searcher<'f> {
    fields: &'static [FieldSpec],
    expr: Expr<Leaf<'f>>,
    scratch: Scratch,
}

impl Searcher<'_> {
    /// True when this row of `rows` matches; always false for rows of another table.
    pub fn matches(&mut self, rows: &dyn Rows, row: u32, ctx: &ViewContext) -> bool {
        let Self { fields, expr, scratch } = self;
        std::ptr::eq(rows.table().fields(), *fields)
            && expr.holds(&mut |leaf| match leaf {
                Leaf::Text(needle) => needle.is_in(rows, row, scratch),
                Leaf::Compare(compare) => holds(compare, rows, row, ctx),
            })
    }
}

fn holds(compare: &Compare<FieldRef>, rows: &dyn Rows, row: u32, ctx: &ViewContext) -> bool {
    let field = match &compare.field {
        FieldRef::Tag(key) => {
            return compare.holds(rows.tag(row, key).map_or(Operand::Unknown, Operand::Text));
        }
        FieldRef::Field(field) => *field,
    };
    let mut held = false;
    if rows.several(row, field, &mut |texts| held = compare.holds_any(texts)) {
        return held;
    }
    compare.holds(match &rows.value(row, field, ctx) {
        Value::Unknown => Operand::Unknown,
        Value::Text(text) => Operand::Text(text),
        Value::Number(n) => Operand::Number(*n),
        Value::Usd(usd) => Operand::Number(usd.to_f64()),
        Value::Time(t) => Operand::Time(*t),
    })
}

#[cfg(test)]
mod hostile {
    use std::collections::BTreeSet;

    use super::*;
    use crate::tabs::idle::picture::Field;
    use crate::view::TableField;
    use crate::view::fixture::{ctx, fleet};

    fn chosen(filter: &Filter) -> BTreeSet<String> {
        let fleet = fleet();
        let mut search = filter.searcher();
        let all = Field::rows(&fleet.rows);
        let rows = (0..).zip(&fleet.rows).filter(|(at, _)| search.matches(&all, *at, &ctx()));
        let (places, rows): (Vec<u32>, Vec<_>) = rows.unzip();
        let mut columns = Columns::new(Field::shared(&fleet.rows.as_slice().into()), ctx());
        assert_eq!(columns.select(filter), places, "{filter}");
        rows.into_iter().map(|r| r.instance.id.to_string()).collect()
    }

    /// What a person may have meant by one comparison, worked out without the language: the ids of
    /// rows whose text is, or is not, exactly this.
    fn by_hand(field: &str, op: &str, value: &str) -> BTreeSet<String> {
        let fleet = fleet();
        let of = |row: &crate::fleet::Row| -> Option<String> {
            let text = match field {
                "team" => row.team.clone(),
                "env" => row.environment.clone(),
                _ => Some(row.instance.name.clone()).filter(|n| !n.is_empty()),
            };
            text.map(|t| t.to_lowercase())
        };
        let value = value.to_lowercase();
        let holds = |have: String| match op {
            "=" => have == value,
            "!=" => have != value,
            "~" => have.contains(&value),
            _ => !have.contains(&value),
        };
        let rows = fleet.rows.iter().filter(|r| of(r).is_some_and(holds));
        rows.map(|r| r.instance.id.to_string()).collect()
    }

    /// Typos, bare words, look-alike signs, quotes without an end, unseen characters, wildcards and
    /// lists, alone and together. Whatever is taken chooses no row that looking with the same words
    /// would not show, and a comparison chooses exactly what it says.
    #[test]
    fn no_text_chooses_more_than_its_exact_meaning() {
        let fields =
            ["team", "env", "name", "taem", "Team ", "tag:env", "t\u{435}am", "", "team\u{200b}"];
        let ops =
            ["=", "!=", "~", "!~", "==", "!==", "=~", "≠", "＝", ":", " is ", "<>", "=!", "= ="];
        let values = [
            "nlp",
            "NLP",
            "nl",
            "dev",
            "",
            "\"\"",
            "\"nlp\"",
            "\"nlp",
            "nlp\"",
            "'nlp'",
            "nlp*",
            "n?p",
            "nlp,vision",
            "nlp|vision",
            "nlp or vision",
            "“nlp”",
            "nlp\u{200b}",
            "nlp\u{a0}",
            "ｎｌｐ",
            "\u{578}lp",
            "^nlp$",
            "[nv]lp",
            "nlp;x",
            "(nlp",
            "nlp)",
            "!nlp",
            "not nlp",
            "%",
            "*",
            ".*",
            "\\",
            "\0",
            "\u{202e}pln",
            "nlp vision",
            "-nlp",
            "nlp and",
            "or",
            "\u{1F4A5}",
        ];
        let wraps: [(&str, &str); 6] = [
            ("", ""),
            ("not ", ""),
            ("(", ")"),
            ("idle>1h and ", ""),
            ("", " or dev"),
            ("\"x\" or ", ""),
        ];
        let all: BTreeSet<String> =
            fleet().rows.iter().map(|r| r.instance.id.to_string()).collect();
        let (mut n, mut taken, mut exact) = (0, 0, 0);
        for field in fields {
            for op in ops {
                for value in values {
                    for (before, behind) in wraps {
                        let text = format!("{before}{field}{op}{value}{behind}");
                        n += 1;
                        let Ok(strict) = Filter::parse_strict(Field::table(), &text) else {
                            continue;
                        };
                        taken += 1;
                        assert!(!strict.searches(), "{text:?}");
                        let rows = chosen(&strict);
                        let loose = Filter::parse(Field::table(), &text)
                            .unwrap_or_else(|e| panic!("{text}: {e}"));
                        assert!(rows.is_subset(&chosen(&loose)), "{text:?}");
                        let plain = value.chars().all(|c| c.is_ascii_alphanumeric() || c == '-');
                        let known = ["team", "env", "name"].contains(&field)
                            && ["=", "!=", "~", "!~"].contains(&op);
                        if known && plain && !value.is_empty() && behind.is_empty() {
                            let by_hand = by_hand(field, op, value);
                            match before {
                                "" | "(" => assert_eq!(rows, by_hand, "{text:?}"),
                                "not " => assert_eq!(rows, &all - &by_hand, "{text:?}"),
                                _ => continue,
                            }
                            exact += 1;
                        }
                    }
                }
            }
        }
        for word in
            ["dev", "prod", "n", "nlp", "idle", "p4d", "train", "🤖", "*", "all", "true", "1"]
        {
            for text in [
                word.to_owned(),
                format!("not {word}"),
                format!("team=nlp {word}"),
                format!("team=nlp or {word}"),
                format!("({word})"),
                format!("{word} and idle>1h"),
            ] {
                n += 1;
                let error = Filter::parse_strict(Field::table(), &text).expect_err(&text);
                assert!(error.message.contains("alone is a search"), "{text}: {error}");
            }
        }
        for long in
            ["a".repeat(1 << 20), "(".repeat(5_000), "not ".repeat(5_000), "\"".repeat(4_001)]
        {
            n += 1;
            assert!(Filter::parse_strict(Field::table(), &long).is_err());
        }
        assert!(taken > 300 && exact > 50, "{taken} {exact}");
        println!("hostile: filters: {n} inputs");
        assert!(n >= 28_000, "{n}");
    }

    #[test]
    fn a_bare_word_finds_more_than_it_says_and_chooses_nothing() {
        // The reason for all of this: letters in order, anywhere.
        let loose = Filter::parse(Field::table(), "np").unwrap();
        assert!(!chosen(&loose).is_empty() && by_hand("team", "=", "np").is_empty());
        let error = Filter::parse_strict(Field::table(), "np").unwrap_err();
        assert!(error.message.contains("`env=np`, or `name~np`, or `\"np\"`"), "{error}");
        let whole = Filter::parse_strict(Field::table(), "\"nlp\"").unwrap();
        assert!(by_hand("team", "=", "nlp").is_subset(&chosen(&whole)));
        let quoted = Filter::parse(Field::table(), "\"train\"").unwrap();
        let part = Filter::parse_strict(Field::table(), "\"train\"").unwrap();
        assert!(!chosen(&quoted).is_empty() && chosen(&part).is_empty(), "a part is no whole");
    }
}
