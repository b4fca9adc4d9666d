//! `[[budgets]]`.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::problems::unusable;
use crate::analyze::teams::{Budget, BudgetPeriod, MoneyFilter};
use crate::domain::bill::Usd;
use crate::domain::text;

/// What may be spent in a period. A misspelt key is an error.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BudgetSection {
    /// Its name.
    pub name: String,
    /// Which lines of the bill: `team=nlp and category=training`; without it all.
    pub filter: Option<String>,
    /// What they may cost in a period, US dollars.
    #[schemars(range(min = 0.01, max = 1_000_000_000.0))]
    pub usd: f64,
    /// monthly (the default) or quarterly.
    pub period: Option<String>,
    /// Levels that are told, percent of the budget; without it 80 and 95. 100 is always one of them.
    pub levels: Option<Vec<f64>>,
}

/// Levels of a budget where none are named, percent.
const LEVELS: [f64; 2] = [80.0, 95.0];

/// The level that every budget has, percent.
const WHOLE: f64 = 100.0;

/// A budget; `None` for one with a problem.
pub(super) fn budget(section: &BudgetSection) -> Option<Budget> {
    let mut levels = section.levels.clone().unwrap_or_else(|| LEVELS.to_vec());
    levels.push(WHOLE);
    levels.sort_by(f64::total_cmp);
    levels.dedup();
    Some(Budget {
        name: text::clean(section.name.trim()).as_ref().into(),
        filter: MoneyFilter::parse(section.filter.as_deref().unwrap_or_default()).ok()?,
        limit: Usd::from_f64(section.usd)?,
        period: period(section.period.as_deref())?,
        levels,
    })
}

fn period(text: Option<&str>) -> Option<BudgetPeriod> {
    let Some(text) = text else { return Some(BudgetPeriod::Monthly) };
    BudgetPeriod::ALL.into_iter().find(|one| one.word().eq_ignore_ascii_case(text.trim()))
}

/// What is wrong with budgets: the place in the list with the key, and the reason.
pub(in crate::config) fn budget_problems(budgets: &[BudgetSection]) -> Vec<(String, String)> {
    let mut out = Vec::new();
    let mut bad = |key: String, why: String| out.push((key, why));
    let (mut names, mut filters) = (BTreeSet::new(), BTreeSet::new());
    for (i, budget) in budgets.iter().enumerate() {
        let key = |part: &str| format!("[{i}].{part}");
        if let Some(why) = unusable(&budget.name) {
            bad(key("name"), why);
        } else if budget.name.contains(':') {
            bad(
                key("name"),
                "a `:` stands between a budget and its level: give it another name".into(),
            );
        } else if !names.insert(budget.name.trim().to_lowercase()) {
            bad(key("name"), format!("two budgets are named `{}`", text::clean(&budget.name)));
        }
        let period = period(budget.period.as_deref());
        if period.is_none() {
            let text = text::clean(budget.period.as_deref().unwrap_or_default()).into_owned();
            bad(
                key("period"),
                format!("`{text}` is no period; accepted: {}", BudgetPeriod::WORDS.join(", ")),
            );
        }
        match MoneyFilter::parse(budget.filter.as_deref().unwrap_or_default()) {
            Err(error) => bad(key("filter"), error.to_string()),
            Ok(filter) if !filters.insert((filter.to_string().to_lowercase(), period)) => {
                bad(
                    key("filter"),
                    "another budget is of the same lines and the same period".into(),
                );
            }
            Ok(_) => {}
        }
        for (j, level) in budget.levels.iter().flatten().enumerate() {
            if !(*level > 0.0 && *level <= 1000.0) {
                bad(format!("[{i}].levels[{j}]"), "a level is a percentage from 1 to 1000".into());
            }
        }
    }
    out
}
