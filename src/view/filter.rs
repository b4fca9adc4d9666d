//! A parsed filter bound to the fields of a table.

use std::fmt;
use std::sync::Arc;

use super::ViewContext;
use super::field::Field;
use super::search::{Needle, Scratch};
use super::table_field::TableField;
use super::value::Value;
use crate::query::{self, Compare, Expr, FieldName, Kind, Operand, QueryError, Term};

/// What a comparison may name: a field of the table or a tag, `tag:Key`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FieldRef<F = Field> {
    /// A field of the table.
    Field(F),
    /// The tag with exactly this key.
    Tag(Arc<str>),
}

impl<F: TableField> fmt::Display for FieldRef<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Field(field) => f.write_str(field.spec().name),
            Self::Tag(key) => write!(f, "tag:{key}"),
        }
    }
}

impl<F: TableField> FieldName for FieldRef<F> {
    fn resolve(name: &str) -> Option<Self> {
        match name.split_at_checked(4) {
            Some((prefix, key)) if prefix.eq_ignore_ascii_case("tag:") && !key.is_empty() => {
                Some(Self::Tag(key.into()))
            }
            _ => F::from_name(name).map(Self::Field),
        }
    }

    fn kind(&self) -> Kind {
        match self {
            Self::Field(field) => field.spec().kind,
            Self::Tag(_) => Kind::Text,
        }
    }

    fn known() -> Vec<&'static str> {
        F::all().iter().flat_map(|f| f.names()).collect()
    }
}

/// A filter over the rows of a table. Its `Display` is the canonical form: full field names, explicit
/// `and`, only the parentheses that are needed.
#[derive(Clone, Debug, PartialEq)]
pub struct Filter<F = Field> {
    expr: Expr<Term<FieldRef<F>>>,
}

impl<F: TableField> Filter<F> {
    /// Parses a filter; see [`crate::query`] for the language. Empty text matches every row.
    pub fn parse(text: &str) -> Result<Self, QueryError> {
        Ok(Self { expr: query::parse(text)? })
    }

    /// Parses a filter that chooses what is acted on, see [`query::parse_strict`].
    pub fn parse_strict(text: &str) -> Result<Self, QueryError> {
        Ok(Self { expr: query::parse_strict(text)? })
    }

    /// The fields that it compares, each as often as it stands there.
    pub fn fields(&self) -> Vec<&FieldRef<F>> {
        let mut out = Vec::new();
        self.expr.map(&mut |term| {
            if let Term::Compare(compare) = term {
                out.push(&compare.field);
            }
        });
        out
    }

    /// True when it searches for words, which finds more than comparisons say.
    pub fn searches(&self) -> bool {
        let mut found = false;
        self.expr.map(&mut |term| found |= matches!(term, Term::Fuzzy(_) | Term::Phrase(_)));
        found
    }

    /// True when every row matches.
    pub fn is_empty(&self) -> bool {
        self.expr == Expr::All
    }

    /// True when `row` matches. For many rows use [`Filter::searcher`], which keeps its buffers.
    pub fn matches(&self, row: &F::Row, ctx: &ViewContext) -> bool {
        self.searcher().matches(row, ctx)
    }

    /// The filter made ready to run over many rows.
    pub fn searcher(&self) -> Searcher<'_, F> {
        let mut scratch = Scratch::default();
        let expr = self.expr.map(&mut |term| match term {
            Term::Fuzzy(word) => Leaf::Text(Needle::fuzzy::<F>(word, &mut scratch)),
            Term::Phrase(text) => Leaf::Text(Needle::phrase::<F>(text, &mut scratch)),
            Term::Exact(text) => Leaf::Text(Needle::exact::<F>(text)),
            Term::Compare(compare) => Leaf::Compare(compare),
        });
        Searcher { expr, scratch }
    }
}

impl<F: TableField> fmt::Display for Filter<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.expr)
    }
}

enum Leaf<'f, F> {
    Text(Needle),
    Compare(&'f Compare<FieldRef<F>>),
}

/// A filter with the buffers to run it.
pub struct Searcher<'f, F = Field> {
    expr: Expr<Leaf<'f, F>>,
    scratch: Scratch,
}

impl<F: TableField> Searcher<'_, F> {
    /// True when `row` matches.
    pub fn matches(&mut self, row: &F::Row, ctx: &ViewContext) -> bool {
        let Self { expr, scratch } = self;
        expr.holds(&mut |leaf| match leaf {
            Leaf::Text(needle) => needle.is_in::<F>(row, scratch),
            Leaf::Compare(compare) => holds(compare, row, ctx),
        })
    }
}

fn holds<F: TableField>(compare: &Compare<FieldRef<F>>, row: &F::Row, ctx: &ViewContext) -> bool {
    match &compare.field {
        FieldRef::Tag(key) => {
            compare.holds(F::tag(row, key).map_or(Operand::Unknown, Operand::Text))
        }
        FieldRef::Field(field) => match field.several(row) {
            Some(texts) => compare.holds_any(texts),
            None => compare.holds(match &field.value(row, ctx) {
                Value::Unknown => Operand::Unknown,
                Value::Text(text) => Operand::Text(text),
                Value::Number(n) => Operand::Number(*n),
                Value::Time(t) => Operand::Time(*t),
            }),
        },
    }
}

#[cfg(test)]
mod hostile {
    use std::collections::BTreeSet;

    use super::*;
    use crate::view::fixture::{ctx, fleet};

    fn chosen(filter: &Filter) -> BTreeSet<String> {
        let fleet = fleet();
        let mut search = filter.searcher();
        let rows = fleet.rows.iter().filter(|r| search.matches(r, &ctx()));
        rows.map(|r| r.instance.id.to_string()).collect()
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
                        let Ok(strict) = Filter::<Field>::parse_strict(&text) else { continue };
                        taken += 1;
                        assert!(!strict.searches(), "{text:?}");
                        let rows = chosen(&strict);
                        let loose = Filter::parse(&text).unwrap_or_else(|e| panic!("{text}: {e}"));
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
                let error = Filter::<Field>::parse_strict(&text).expect_err(&text);
                assert!(error.message.contains("alone is a search"), "{text}: {error}");
            }
        }
        for long in
            ["a".repeat(1 << 20), "(".repeat(5_000), "not ".repeat(5_000), "\"".repeat(4_001)]
        {
            n += 1;
            assert!(Filter::<Field>::parse_strict(&long).is_err());
        }
        assert!(taken > 300 && exact > 50, "{taken} {exact}");
        println!("hostile: filters: {n} inputs");
        assert!(n >= 28_000, "{n}");
    }

    #[test]
    fn a_bare_word_finds_more_than_it_says_and_chooses_nothing() {
        // The reason for all of this: letters in order, anywhere.
        let loose = Filter::<Field>::parse("np").unwrap();
        assert!(!chosen(&loose).is_empty() && by_hand("team", "=", "np").is_empty());
        let error = Filter::<Field>::parse_strict("np").unwrap_err();
        assert!(error.message.contains("`env=np`, or `name~np`, or `\"np\"`"), "{error}");
        let whole = Filter::<Field>::parse_strict("\"nlp\"").unwrap();
        assert!(by_hand("team", "=", "nlp").is_subset(&chosen(&whole)));
        let quoted = Filter::<Field>::parse("\"train\"").unwrap();
        let part = Filter::<Field>::parse_strict("\"train\"").unwrap();
        assert!(!chosen(&quoted).is_empty() && chosen(&part).is_empty(), "a part is no whole");
    }
}
