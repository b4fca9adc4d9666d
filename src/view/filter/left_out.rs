//! Rows that a filter leaves out because they have no known value, where who wrote it may not expect that.

use super::{FieldRef, Filter, affirmed};
use crate::query::{FieldName, Kind, Op, Term, comparison};
use crate::view::{Rows, Value, ViewContext, format};

impl Filter {
    /// A sentence on the rows without a known text in a field that is to be another one (`!=`, `!~`), which holds for no unknown
    /// text: how many they are, and the filter that has them too. `None` where there are none.
    pub fn left_out(&self, rows: &dyn Rows, ctx: &ViewContext) -> Option<String> {
        let mut terms = Vec::new();
        affirmed(&self.expr, &mut terms);
        terms.into_iter().find_map(|term| {
            let Term::Compare(compare) = term else { return None };
            let positive = match compare.op {
                Op::Ne => Op::Eq,
                Op::NotContains => Op::Contains,
                _ => return None,
            };
            let is_unknown = |row: u32| match &compare.field {
                FieldRef::Tag(key) => rows.tag(row, key).is_none(),
                FieldRef::Field(field) => {
                    matches!(rows.value(row, field, ctx), Value::Unknown)
                        && !rows.several(row, field, &mut |_| {})
                }
            };
            let is_text = matches!(compare.field.kind(), Kind::Text | Kind::Choice(_));
            let unknown = (0..rows.len() as u32).filter(|row| is_text && is_unknown(*row)).count();
            let field = compare.field.to_string();
            let same = comparison(&field, positive, compare.value.as_written());
            let count = format::grouped(unknown as f64, 0);
            let field = field.replace('_', " ");
            let text = format!("{count} without known {field} are left out: `not {same}` has them");
            (unknown > 0).then_some(text)
        })
    }
}

#[cfg(test)]
mod tests {
    use crate::tabs::idle::picture::Field;
    use crate::view::fixture::{ctx, fleet};
    use crate::view::{Filter, TableField};

    #[test]
    fn what_is_unknown_and_so_no_other_value_is_told_with_the_filter_that_has_it() {
        let fleet = fleet();
        let rows = Field::rows(&fleet.rows);
        let said =
            |filter: &str| Filter::parse(Field::table(), filter).unwrap().left_out(&rows, &ctx());
        let without = fleet.rows.iter().filter(|row| row.team.is_none()).count();
        assert!(without > 0);
        let text = format!("{without} without known team are left out: `not team=nlp` has them");
        assert_eq!(said("$>1 and team!=nlp"), Some(text));
        for filter in ["team=nlp", "not team=nlp", "not team!=nlp", "id!=i-1", "gpu!=5"] {
            assert_eq!(said(filter), None, "{filter}");
        }
    }
}
