//! Findings of the linter.

use super::code::{Code, Severity};
use crate::domain::storage::Lifecycle;
use crate::domain::text::clean;

/// A finding of the linter.
#[derive(Clone, Debug, PartialEq)]
pub struct LintFinding {
    /// Index of the rule; `None` for a finding about the whole configuration.
    pub index: Option<usize>,
    /// Id of the rule, `#3` for the third rule where it has none; `*` for the whole configuration. Clean text.
    pub rule: String,
    /// Code of the finding.
    pub code: Code,
    /// Severity of the code.
    pub severity: Severity,
    /// One or two sentences: the problem, and what to do. Clean text.
    pub message: String,
    /// Cost of the rule, USD per month of 730 h, compared with not having it; negative where it saves. `None`
    /// where not known, or where there is nothing to price.
    pub usd_per_month: Option<f64>,
}

impl LintFinding {
    /// A finding about one rule, without a cost.
    pub fn of(lifecycle: &Lifecycle, index: usize, code: Code, message: String) -> Self {
        let id = lifecycle.rules.get(index).map_or("", |r| r.id.as_str());
        let rule = if id.is_empty() { format!("#{}", index + 1) } else { clean(id).into_owned() };
        let severity = code.severity();
        Self { index: Some(index), rule, code, severity, message, usd_per_month: None }
    }

    /// A finding about the whole configuration, without a cost.
    pub fn of_all(code: Code, message: String) -> Self {
        let severity = code.severity();
        Self { index: None, rule: "*".to_owned(), code, severity, message, usd_per_month: None }
    }

    /// Sets the cost.
    #[must_use]
    pub fn costing(mut self, usd_per_month: Option<f64>) -> Self {
        self.usd_per_month = usd_per_month;
        self
    }
}
