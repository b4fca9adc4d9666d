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

/// What is known besides the rules. Everything may be missing: findings that need it then are not
/// made, or carry no dollars.
#[derive(Clone, Copy, Debug, Default)]
pub struct LintContext<'a> {
    /// Versioning of the bucket.
    pub versioning: Option<Versioning>,
    /// How often each byte is read per month, on average, as the user states it.
    pub reads_per_month: Option<f64>,
    /// Sizes, and what they cost.
    pub sizes: Option<Sizes<'a>>,
}

/// Sums of a bucket by prefix, and prices.
#[derive(Clone, Copy, Debug)]
pub struct Sizes<'a> {
    /// Sums of a list of the bucket.
    pub tree: &'a PrefixTree,
    /// Prices of its region.
    pub prices: &'a S3Prices,
}

/// Something the reader of a file noticed that the model cannot hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Remark {
    /// Index of the rule; `None` for the whole file.
    pub rule: Option<usize>,
    /// What it is.
    pub code: Code,
    /// What is so, and what to do; clean text.
    pub text: String,
}

/// Checks a configuration. `remarks` are what its reader noticed. Findings come by rule, and within
/// a rule by code.
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
