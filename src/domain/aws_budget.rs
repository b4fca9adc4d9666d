//! Budgets that are set up in AWS Budgets.

use std::sync::Arc;

use super::bill::Usd;

/// A cost budget of AWS Budgets in its current period. All text is clean.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AwsBudget {
    /// Its name, unique in an account.
    pub name: Arc<str>,
    /// True for a calendar quarter, false for a month.
    pub is_quarterly: bool,
    /// What may be spent in a period; more than nothing.
    pub limit: Usd,
    /// What AWS says is spent in the current one.
    pub spent: Usd,
    /// What AWS expects its end to be; `None` where it foresees nothing.
    pub forecast: Option<Usd>,
    /// Which costs, in AWS's words; empty for all.
    pub filter: String,
}

/// Why a budget of AWS Budgets is not shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AwsBudgetLack {
    /// It is about use, or about commitments.
    NotCosts,
    /// Its period is neither a month nor a quarter.
    OtherPeriod,
    /// Its currency is another one.
    OtherCurrency,
    /// It has no limit, or none above nothing.
    NoLimit,
    /// What is spent is not said.
    NotCalculated,
}

impl AwsBudgetLack {
    /// The reason, half a sentence.
    pub const fn why(self) -> &'static str {
        match self {
            Self::NotCosts => "it counts no costs",
            Self::OtherPeriod => "its period is neither a month nor a quarter",
            Self::OtherCurrency => "it is not in US dollars",
            Self::NoLimit => "it has no limit above $0",
            Self::NotCalculated => "AWS does not say what is spent",
        }
    }
}

/// What AWS Budgets has in an account.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AwsBudgets {
    /// Budgets that can be shown, by name.
    pub budgets: Vec<AwsBudget>,
    /// Names of all others with the reason, by name.
    pub left_out: Vec<(Arc<str>, AwsBudgetLack)>,
}
