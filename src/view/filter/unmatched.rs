//! Comparisons of a filter that hold for no row, and what rows have instead.

use std::collections::BTreeMap;

use super::{FieldRef, holds, texts};
use crate::domain::suggest::nearest;
use crate::domain::text;
use crate::query::{Compare, FieldName, Kind, Op, Unit, comparison};
use crate::view::{FieldSpec, Rows, Value, ViewContext, format};

/// Texts that a sentence names.
const KNOWN: usize = 12;

/// Shortest part of a known text that is offered for a text that is near to it, characters.
const SHORTEST_PART: usize = 3;

/// A comparison of a filter that holds for no row, where rows have other values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unmatched {
    /// A text that no row has.
    Text {
        /// Name of the field.
        field: String,
        /// Text that it is compared with, as written.
        text: String,
        /// Number of rows with a text that contains it.
        containing: usize,
        /// Texts that rows have there, sorted; of those that differ in case alone, the first.
        known: Vec<String>,
    },
    /// A number that all rows are below, or above.
    Number {
        /// The comparison.
        comparison: String,
        /// True where the largest number is too small, false where the smallest is too large.
        is_too_large: bool,
        /// The number of the rows that comes nearest, with its unit; a lower bound begins with `at least`.
        nearest: String,
    },
}

impl Unmatched {
    /// What rows have instead of what is compared; `None` where the comparison holds for one, and where none has a value.
    pub(super) fn of(
        compare: &Compare<FieldRef>,
        rows: &dyn Rows,
        ctx: &ViewContext,
    ) -> Option<Self> {
        match compare.field.kind() {
            Kind::Text if compare.op == Op::Eq => Self::of_text(compare, rows, ctx),
            Kind::Number(unit) if compare.op.orders() => Self::of_number(compare, unit, rows, ctx),
            _ => None,
        }
    }

    fn of_text(compare: &Compare<FieldRef>, rows: &dyn Rows, ctx: &ViewContext) -> Option<Self> {
        let contains = Compare { op: Op::Contains, ..compare.clone() };
        let mut known = BTreeMap::new();
        let mut containing = 0;
        for row in 0..rows.len() as u32 {
            if holds(compare, rows, row, ctx) {
                return None;
            }
            containing += usize::from(holds(&contains, rows, row, ctx));
            texts(&compare.field, rows, row, ctx, "", &mut known);
        }
        (!known.is_empty()).then(|| Self::Text {
            field: compare.field.to_string(),
            text: compare.value.as_written().to_owned(),
            containing,
            known: known.into_values().collect(),
        })
    }

    fn of_number(
        compare: &Compare<FieldRef>,
        unit: Unit,
        rows: &dyn Rows,
        ctx: &ViewContext,
    ) -> Option<Self> {
        let FieldRef::Field(field) = &compare.field else { return None };
        let is_too_large = matches!(compare.op, Op::Gt | Op::Ge);
        // The nearest number, and whether it is a lower bound in one of the rows that have it.
        let mut nearest: Option<(f64, bool)> = None;
        for row in 0..rows.len() as u32 {
            if holds(compare, rows, row, ctx) {
                return None;
            }
            let number = match rows.value(row, field, ctx) {
                Value::Number(number) if !number.is_nan() => number,
                Value::Usd(usd) => usd.to_f64(),
                _ => continue,
            };
            let bound = || is_lower_bound(rows, row, field, ctx);
            nearest = Some(match nearest {
                Some((old, at_least)) if old == number => (old, at_least || bound()),
                Some((old, at_least)) if (old > number) == is_too_large => (old, at_least),
                _ => (number, bound()),
            });
        }
        let (nearest, at_least) = nearest?;
        let nearest = match unit {
            Unit::UsdPerHour => format::usd_per_hour(nearest),
            _ => Value::Number(nearest).shown(field.kind, ctx),
        };
        let nearest = format::at_least(nearest, at_least);
        let (name, value) = (compare.field.to_string(), text::clean(compare.value.as_written()));
        let comparison = comparison(&name, compare.op, &value);
        Some(Self::Number { comparison, is_too_large, nearest })
    }

    /// A sentence for rows of this noun, the text that is nearest first: `none of the instances has team nlpp; did you mean nlp?
    /// known: nlp, vision`.
    pub fn sentence(&self, noun: &str) -> String {
        match self {
            Self::Number { comparison, is_too_large, nearest } => {
                let end = if *is_too_large { "largest" } else { "smallest" };
                format!("none of the {noun} has {comparison}; the {end} is {nearest}")
            }
            Self::Text { field, text, containing, known } => {
                let near = instead(field, text, *containing, known);
                let listed: Vec<&str> = known.iter().take(KNOWN).map(String::as_str).collect();
                let mut listed = listed.join(", ");
                if known.len() > KNOWN {
                    listed.push_str(&format!(" and {} more", known.len() - KNOWN));
                }
                let text = text::clean(text);
                format!("none of the {noun} has {field} {text}{near} known: {listed}")
            }
        }
    }
}

/// True where the cell of a number says that it may be more: `≥7d`, `$12+`.
fn is_lower_bound(rows: &dyn Rows, row: u32, field: &FieldSpec, ctx: &ViewContext) -> bool {
    rows.cell(row, field, ctx)
        .is_some_and(|cell| cell.text.starts_with(['≥', '>']) || cell.text.ends_with('+'))
}

/// What may have been meant by a text that no row has: a text that is near to it, a comparison that finds it within texts, or a
/// part of a text that is near.
fn instead(field: &str, text: &str, containing: usize, known: &[String]) -> String {
    if let Some(near) = nearest(text, known.iter().map(String::as_str)) {
        return format!("; did you mean {near}?");
    }
    if containing > 0 && !text.is_empty() {
        let contains = comparison(field, Op::Contains, &text::clean(text));
        return format!("; `{contains}` has {};", format::grouped(containing as f64, 0));
    }
    let parts = known.iter().flat_map(|known| known.split(|c: char| !c.is_alphanumeric()));
    let parts = parts.filter(|part| part.chars().count() >= SHORTEST_PART);
    match nearest(text, parts) {
        Some(part) => format!("; did you mean `{}`?", comparison(field, Op::Contains, part)),
        None => ";".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use crate::fleet::Fleet;
    use crate::tabs::idle::picture::Field;
    use crate::view::fixture::{ctx, fleet};
    use crate::view::{Filter, TableField};

    /// What is said of a filter of instances that nothing passes.
    fn said(filter: &str) -> String {
        said_of(&fleet(), filter)
    }

    fn said_of(fleet: &Fleet, filter: &str) -> String {
        let filter = Filter::parse(Field::table(), filter).unwrap();
        let found = filter.unmatched(&Field::rows(&fleet.rows), &ctx());
        let said: Vec<String> = found.iter().map(|of| of.sentence("instances")).collect();
        said.join("\n")
    }

    #[test]
    fn a_part_of_a_text_is_told_with_the_comparison_that_finds_it() {
        let of_part = said("id=i-");
        let start = "none of the instances has instance_id i-; `instance_id~i-` has ";
        assert!(of_part.starts_with(start), "{of_part}");
        let near = said("type=p4x");
        assert!(near.contains("; did you mean `instance_type~p4d`? known: "), "{near}");
    }

    #[test]
    fn a_number_beyond_all_is_told_with_the_one_that_comes_nearest() {
        let large = said("waste>5k");
        let start = "none of the instances has waste_usd_per_hour>5k; the largest is $";
        assert!(large.starts_with(start) && large.ends_with("/h"), "{large}");
        let small = said("$<0");
        assert!(small.contains("usd_per_hour<0; the smallest is $"), "{small}");
        assert_eq!(said("$>0"), "");
        assert_eq!(said("waste>0 and not $>5k"), "", "what holds where it is denied is no riddle");
    }

    #[test]
    fn a_nearest_number_that_is_a_lower_bound_says_so() {
        let mut fleet = fleet();
        let idle = "idle_since>900d";
        let exact = said_of(&fleet, idle);
        assert!(exact.ends_with("; the largest is 3d12h"), "{exact}");
        for row in &mut fleet.rows {
            if let Some(verdict) = Arc::make_mut(row).verdict.as_mut() {
                Arc::make_mut(verdict).idle_since_at_least = true;
            }
        }
        let bound = said_of(&fleet, idle);
        assert!(bound.ends_with("; the largest is at least 3d12h"), "{bound}");
        let wasted = said_of(&fleet, "wasted_usd>900M");
        assert!(wasted.contains("; the largest is at least $"), "{wasted}");
    }
}
