//! Budgets of AWS Budgets as rows beside burntop's own.

use std::sync::Arc;

use jiff::Timestamp;

use super::budgets::{AwsFigures, BudgetItem};
use crate::analyze::teams::{Budget, BudgetPeriod, BudgetState, MoneyFilter};
use crate::domain::aws_budget::AwsBudget;
use crate::domain::bill::Month;

/// Rows of an account's budgets in their current period, in their order. What AWS says is taken as it is: there is no band, and
/// the day on which a limit is or will be exceeded is not known.
pub fn aws_budget_rows(
    account: &Arc<str>,
    of: &[AwsBudget],
    now: Timestamp,
) -> Vec<Arc<BudgetItem>> {
    let month = Month::at(now);
    let row = |of: &AwsBudget| {
        let period = if of.is_quarterly { BudgetPeriod::Quarterly } else { BudgetPeriod::Monthly };
        let (first, count) = period.around(month);
        let last = first.plus(count - 1);
        let budget = Budget {
            name: of.name.clone(),
            filter: MoneyFilter::parse("").ok()?,
            limit: of.limit,
            period,
            levels: vec![],
        };
        Some(Arc::new(BudgetItem {
            // No budget of the configuration has a colon in its name.
            id: format!("aws:{account}:{}", of.name).into(),
            filter: of.filter.clone(),
            exceeds_on: String::new(),
            of: BudgetState {
                budget: Arc::new(budget),
                period: period.name(month),
                days: (first.first(), last.day(last.days())),
                spent: of.spent,
                burn_per_day: None,
                forecast: None,
                exceeds_on: None,
                probability: None,
                level: None,
                takes_any: true,
                is_open: false,
                missing_months: 0,
            },
            aws: Some(AwsFigures { account: account.clone(), forecast: of.forecast }),
        }))
    };
    of.iter().filter_map(row).collect()
}

#[cfg(test)]
mod tests {
    use super::super::budgets::{BudgetField, BudgetStanding};
    use super::*;
    use crate::domain::bill::Usd;
    use crate::view::{Symbols, TableField as _, Value, ViewContext};

    #[test]
    fn what_aws_says_is_shown_as_it_is_without_a_band_or_a_day() {
        let budget = |name: &str, spent: i64, forecast: Option<i64>| AwsBudget {
            name: name.into(),
            is_quarterly: name == "quarter",
            limit: Usd::whole(100),
            spent: Usd::whole(spent),
            forecast: forecast.map(Usd::whole),
            filter: "Service=A".into(),
        };
        let all = [
            budget("over", 101, None),
            budget("will", 100, Some(101)),
            budget("fine", 99, Some(100)),
            budget("quarter", 0, None),
        ];
        let now = "2026-11-24T09:00:00Z".parse().unwrap();
        let rows = aws_budget_rows(&"123456789012".into(), &all, now);
        let standing: Vec<BudgetStanding> = rows.iter().map(|row| row.standing()).collect();
        assert_eq!(
            standing,
            [
                BudgetStanding::Over,
                BudgetStanding::WillExceed,
                BudgetStanding::Fine,
                BudgetStanding::Fine
            ]
        );
        let ctx = ViewContext { now, symbols: Symbols::Unicode, width: None };
        let value = |field: BudgetField, at: usize| field.value(&rows[at], &ctx);
        assert_eq!(value(BudgetField::Source, 0), Value::text("aws"));
        assert_eq!(value(BudgetField::P50, 1), Value::Usd(Usd::whole(101)));
        for field in [BudgetField::P10, BudgetField::P90, BudgetField::ExceedsOn] {
            assert!(value(field, 0).is_unknown(), "{field:?}");
        }
        assert_eq!(value(BudgetField::Period, 3), Value::text("2026-Q4"));
        let (first, last) = rows[3].of.days;
        assert_eq!(
            (first.to_string(), last.to_string()),
            ("2026-10-01".into(), "2026-12-31".into())
        );
    }
}
