//! What the linter says.

use super::code::{Code, Severity};
use crate::domain::storage::Lifecycle;
use crate::domain::text::clean;

/// One finding.
#[derive(Clone, Debug, PartialEq)]
pub struct LintFinding {
    /// Index of the rule; `None` for what is about the whole configuration.
    pub index: Option<usize>,
    /// The rule's id, or `#3` where it has none; `*` for the whole configuration. Clean text.
    pub rule: String,
    /// What it is.
    pub code: Code,
    /// How bad.
    pub severity: Severity,
    /// One or two sentences: what is so, and what to do. Clean text.
    pub message: String,
    /// What the rule costs per month of 730 h beyond doing without it; negative where it saves.
    /// `None` when not known: nothing to price it with, or nothing to price.
    pub usd_per_month: Option<f64>,
}

impl LintFinding {
    /// A finding about a rule, without dollars.
    pub fn of(lifecycle: &Lifecycle, index: usize, code: Code, message: String) -> Self {
        let id = lifecycle.rules.get(index).map_or("", |r| r.id.as_str());
        let rule = if id.is_empty() { format!("#{}", index + 1) } else { clean(id).into_owned() };
        let severity = code.severity();
        Self { index: Some(index), rule, code, severity, message, usd_per_month: None }
    }

    /// A finding about the whole configuration.
    pub fn of_all(code: Code, message: String) -> Self {
        let severity = code.severity();
        Self { index: None, rule: "*".to_owned(), code, severity, message, usd_per_month: None }
    }

    /// With dollars.
    #[must_use]
    pub fn costing(mut self, usd_per_month: Option<f64>) -> Self {
        self.usd_per_month = usd_per_month;
        self
    }
}
