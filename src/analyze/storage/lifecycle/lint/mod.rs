//! The linter: what S3 refuses, what does nothing, what costs money, what cannot be undone.

mod code;
mod finding;
mod money;
mod overlap;
mod refused;
mod sizes;
mod useless;
mod waterfall;

#[cfg(test)]
mod priced_tests;
#[cfg(test)]
mod tests;

pub use code::{Code, Severity};
pub use finding::LintFinding;
pub use waterfall::allows;

use crate::domain::storage::{Lifecycle, PrefixTree, S3Prices, Versioning};

/// Facts about the bucket besides its rules. Each may be missing; findings that need it are then omitted, or
/// have no cost.
#[derive(Clone, Copy, Debug, Default)]
pub struct LintContext<'a> {
    /// Versioning of the bucket; `None` = not known.
    pub versioning: Option<Versioning>,
    /// Mean number of reads of each byte per month, as the user states it; `None` = not stated.
    pub reads_per_month: Option<f64>,
    /// Sizes and prices; `None` without a list of the bucket.
    pub sizes: Option<Sizes<'a>>,
}

/// Sums of a bucket by prefix, and prices of its region.
#[derive(Clone, Copy, Debug)]
pub struct Sizes<'a> {
    /// Sums of a list of the bucket.
    pub tree: &'a PrefixTree,
    /// Prices of the bucket's region.
    pub prices: &'a S3Prices,
}

/// A peculiarity of a file that the parsed rules cannot hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Remark {
    /// Index of the rule; `None` for the whole file.
    pub rule: Option<usize>,
    /// Code of the finding it becomes.
    pub code: Code,
    /// The problem, and what to do; clean text.
    pub text: String,
}

/// Checks a configuration. `remarks` come from its parser. Findings are ordered by rule, then by code.
pub fn lint(lifecycle: &Lifecycle, remarks: &[Remark], ctx: &LintContext<'_>) -> Vec<LintFinding> {
    let mut out: Vec<LintFinding> = remarks
        .iter()
        .map(|r| match r.rule {
            Some(i) => LintFinding::of(lifecycle, i, r.code, r.text.clone()),
            None => LintFinding::of_all(r.code, r.text.clone()),
        })
        .collect();
    refused::check(lifecycle, &mut out);
    useless::check(lifecycle, ctx, &mut out);
    money::check(lifecycle, ctx, &mut out);
    overlap::check(lifecycle, ctx.versioning, &mut out);
    // What is about the whole configuration stands last.
    out.sort_by_key(|f| (f.index.unwrap_or(usize::MAX), f.code));
    out
}
