//! The filter language over the keys of a bill.

use std::fmt;

use super::dimension::Dimension;
use crate::analyze::bill::{BillKey, Category};
use crate::domain::bill::{Charge, Pricing};
use crate::query::{Compare, Expr, FieldName, Kind, Operand, QueryError, Term, parse_strict};

/// A key as the filter language knows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MoneyKey(pub BillKey);

impl fmt::Display for MoneyKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.name())
    }
}

impl FieldName for MoneyKey {
    type Names = ();

    fn resolve(name: &str, (): &()) -> Option<Self> {
        // A month is told as a whole: no filter of money chooses days.
        BillKey::parse(name).ok().filter(|key| *key != BillKey::Day).map(Self)
    }

    fn kind(&self) -> Kind {
        match self.0 {
            BillKey::Category => Kind::Choice(&Category::WORDS),
            BillKey::Charge => Kind::Choice(&Charge::WORDS),
            BillKey::Pricing => Kind::Choice(&Pricing::WORDS),
            _ => Kind::Text,
        }
    }

    fn choices((): &()) -> Vec<(Self, &'static [&'static str])> {
        vec![
            (Self(BillKey::Category), &Category::WORDS),
            (Self(BillKey::Charge), &Charge::WORDS),
            (Self(BillKey::Pricing), &Pricing::WORDS),
        ]
    }

    fn known((): &()) -> Vec<&'static str> {
        BillKey::ALL.iter().filter(|key| **key != BillKey::Day).map(BillKey::word).collect()
    }
}

/// A filter over lines of money: comparisons of the keys of a bill, as in `team=nlp and category=training`.
#[derive(Clone, Debug, PartialEq)]
pub struct MoneyFilter {
    expr: Expr<Compare<MoneyKey>>,
    /// Dimensions that it compares, each once.
    dimensions: Vec<Dimension>,
}

impl MoneyFilter {
    /// Parses a filter. Fails, with the column, for a text that is no comparison of keys: nothing is searched for, so that
    /// a filter says what it takes.
    pub fn parse(text: &str) -> Result<Self, QueryError> {
        let expr = comparisons::<MoneyKey>(text)?;
        let mut dimensions = Vec::new();
        expr.map(&mut |compare| dimensions.extend(Dimension::of_key(&compare.field.0)));
        dimensions.sort_unstable();
        dimensions.dedup();
        Ok(Self { expr, dimensions })
    }

    /// True where every line passes: the empty filter.
    pub fn is_all(&self) -> bool {
        self.expr == Expr::All
    }

    /// True for a line whose values pass; `value` gives that of a key, `None` where it has none.
    pub fn holds<'a>(&self, mut value: impl FnMut(&BillKey) -> Option<&'a str>) -> bool {
        self.expr.holds(&mut |compare| {
            compare.holds(value(&compare.field.0).map_or(Operand::Unknown, Operand::Text))
        })
    }

    /// Dimensions that it compares, each once.
    pub(super) fn dimensions(&self) -> &[Dimension] {
        &self.dimensions
    }

    /// Keys that it compares, once per comparison.
    pub fn keys(&self) -> Vec<&BillKey> {
        let mut keys = Vec::new();
        self.expr.map(&mut |compare| keys.push(&compare.field.0));
        keys
    }

    /// The value in `key=value` where the filter is this one comparison; `None` for any other filter.
    pub fn only(&self, key: &BillKey) -> Option<&str> {
        match &self.expr {
            Expr::Leaf(compare)
                if compare.field.0 == *key && compare.op == crate::query::Op::Eq =>
            {
                Some(compare.value.as_written())
            }
            _ => None,
        }
    }
}

/// Canonical text: names of keys, explicit `and`, only the parentheses needed.
impl fmt::Display for MoneyFilter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let terms: Expr<Term<MoneyKey>> =
            self.expr.map(&mut |compare| Term::Compare(compare.clone()));
        terms.fmt(f)
    }
}

/// Parses a filter that is of comparisons alone. Fails, with the column, for a text that searches for something, so that a
/// filter says what it takes.
pub(super) fn comparisons<F>(text: &str) -> Result<Expr<Compare<F>>, QueryError>
where
    F: FieldName<Names = ()>,
{
    let expr = parse_strict::<F>(text, &())?;
    let mut searched = None;
    expr.map(&mut |term| {
        if let Term::Fuzzy(text) | Term::Phrase(text) = term {
            searched = Some(text.clone());
        } else if let Term::Exact(text) = term {
            searched = Some(text.as_written().to_owned());
        }
    });
    if let Some(text) = searched {
        let text = crate::domain::text::clean(&text).into_owned();
        let message =
            format!("\"{text}\" is no comparison; write a key with its value, as in team=nlp");
        return Err(QueryError { column: 1, message });
    }
    Ok(compared(&expr))
}

/// The comparisons of an expression without searches.
fn compared<F: Clone>(expr: &Expr<Term<F>>) -> Expr<Compare<F>> {
    let all = |parts: &[Expr<Term<F>>]| parts.iter().map(compared).collect();
    match expr {
        Expr::Leaf(Term::Compare(compare)) => Expr::Leaf(compare.clone()),
        Expr::Not(inner) => Expr::Not(Box::new(compared(inner))),
        Expr::And(parts) => Expr::And(all(parts)),
        Expr::Or(parts) => Expr::Or(all(parts)),
        Expr::All | Expr::Leaf(_) => Expr::All,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn filters_compare_keys_and_nothing_else() {
        let filter = MoneyFilter::parse("Team=NLP and (category=training or tag:job=x)").unwrap();
        assert_eq!(filter.to_string(), "team=NLP and (category=training or tag:job=x)");
        let value = |key: &BillKey| match key {
            BillKey::Team => Some("nlp"),
            BillKey::Tag(_) => Some("X"),
            _ => None,
        };
        assert!(filter.holds(value));
        assert!(!MoneyFilter::parse("team!=nlp").unwrap().holds(value));
        assert!(!MoneyFilter::parse("region!=x").unwrap().holds(value), "unknown is no value");
        assert!(MoneyFilter::parse("").unwrap().is_all());
        let team = MoneyFilter::parse("team=nlp").unwrap();
        assert_eq!(team.only(&BillKey::Team), Some("nlp"));
        assert_eq!(filter.only(&BillKey::Team), None);
        for text in ["nlp", "\"nlp\"", "day=2026-10-01", "teem=x", "category=trainin", "team="] {
            assert!(MoneyFilter::parse(text).is_err(), "{text}");
        }
    }
}
