//! What is found wrong with a bucket, in dollars per month.
//!
//! One file per kind. A finding says what acting would save at the account's marginal rate; where
//! that cannot be known its dollars are `None`, and the sentence says what is missing. What lists
//! do not tell is never taken for "not used".

mod abandoned;
mod checkpoints;
mod dark_bytes;
mod duplicates;
mod incomplete_uploads;
mod no_lifecycle;
mod noncurrent;
mod rule;
mod small_objects;
#[cfg(test)]
mod tests;
mod wrong_tier;

pub use checkpoints::usual_policy;
pub use rule::{has_rules, rule_of, rule_of_estimate, rule_of_move, rules_of};

use std::sync::Arc;

use jiff::Timestamp;

use super::price::{Rates, Volumes};
use crate::analyze::idle::Exemption;
use crate::domain::Scope;
use crate::domain::storage::bucket::Fact;
use crate::domain::storage::{
    Effort, FindingKind, FindingReason, GIB, Lifecycle, Risk, S3Prices, Scan, StorageFinding,
    Subject, Tier,
};
use crate::fleet::storage::BucketRow;

/// Least saving of a finding, USD per month; less is noise.
pub const LEAST_USD: f64 = 1.0;

/// A bucket with everything that its findings are made from.
#[derive(Clone, Copy, Debug)]
pub struct BucketCase<'a> {
    /// The joined row, still without findings.
    pub row: &'a BucketRow,
    /// Newest list of its objects; `None` without one.
    pub scan: Option<&'a Scan>,
    /// Marginal rates of its account and region, that is, what freeing a byte saves; `None` without prices.
    pub rates: Option<&'a Rates>,
    /// Prices of its region; `None` when they are not known.
    pub prices: Option<&'a S3Prices>,
    /// Bytes that the rest of the account is billed for in the region; `None` when they are not known.
    pub others: Option<&'a Volumes>,
    /// The present.
    pub now: Timestamp,
}

/// All findings about a bucket, in no order; none about one that its tag exempts.
pub fn of_bucket(case: BucketCase<'_>) -> Vec<StorageFinding> {
    if case.is_exempt() {
        return Vec::new();
    }
    let mut out = Vec::new();
    out.extend(no_lifecycle::find(case));
    out.extend(noncurrent::find(case));
    out.extend(incomplete_uploads::find(case));
    out.extend(dark_bytes::find(case));
    out.extend(small_objects::find(case));
    out.extend(abandoned::find(case));
    out.extend(duplicates::find(case));
    out.extend(wrong_tier::find(case));
    out.extend(checkpoints::find(case));
    out
}

impl<'a> BucketCase<'a> {
    /// True for a bucket that its tag exempts.
    pub fn is_exempt(&self) -> bool {
        let tags = self.row.facts.as_ref().and_then(|f| f.tags.as_ref().ok());
        tags.is_some_and(|tags| Exemption::of(tags, self.now).holds())
    }

    /// The lifecycle: `None` where nobody knows it, `Some(None)` where there is none.
    fn lifecycle(&self) -> Option<Option<&'a Lifecycle>> {
        known(&self.row.facts.as_ref()?.lifecycle).map(|l| l.as_deref())
    }

    /// USD per GiB-month that freeing a byte of a tier saves.
    fn rate(&self, tier: Tier) -> Option<f64> {
        self.rates?.usd_per_gib(tier)
    }

    /// USD per month of bytes by tier; `None` when one of them has no price.
    fn usd_of(&self, tiers: impl IntoIterator<Item = (Tier, u64)>) -> Option<f64> {
        tiers
            .into_iter()
            .filter(|(_, bytes)| *bytes > 0)
            .try_fold(0.0, |sum, (tier, bytes)| Some(sum + self.rate(tier)? * bytes as f64 / GIB))
    }

    /// USD per month of bytes of which only the bucket is known: at the mean of its tiers. `None`
    /// when a tier of it has no price.
    fn usd_at_mean(&self, bytes: u64) -> Option<f64> {
        let all: u64 = self.row.tiers.iter().map(|t| t.bytes).sum();
        if all == 0 {
            return None;
        }
        let whole = self.usd_of(self.row.tiers.iter().map(|t| (t.tier, t.bytes)))?;
        Some(whole * bytes as f64 / all as f64)
    }

    fn finding(&self, kind: FindingKind, effort: Effort, risk: Risk) -> Draft {
        Draft {
            kind,
            scope: self.row.scope.clone(),
            subject: Subject::Bucket(self.row.name.clone()),
            bytes: None,
            usd_per_month: None,
            effort,
            risk,
        }
    }
}

/// A fact, where it was read.
fn known<T>(fact: &Fact<T>) -> Option<&T> {
    fact.as_ref().ok()
}

/// A finding while it is put together, without its reason.
struct Draft {
    kind: FindingKind,
    scope: Scope,
    subject: Subject,
    bytes: Option<u64>,
    usd_per_month: Option<f64>,
    effort: Effort,
    risk: Risk,
}

impl Draft {
    fn bytes(mut self, bytes: Option<u64>) -> Self {
        self.bytes = bytes;
        self
    }

    fn usd(mut self, usd: Option<f64>) -> Self {
        self.usd_per_month = usd.filter(|usd| usd.is_finite());
        self
    }

    fn prefix(mut self, bucket: &Arc<str>, prefix: &str) -> Self {
        self.subject = Subject::Prefix(bucket.clone(), prefix.into());
        self
    }

    fn because(self, reason: FindingReason) -> StorageFinding {
        let Self { kind, scope, subject, bytes, usd_per_month, effort, risk } = self;
        StorageFinding { kind, scope, subject, bytes, usd_per_month, effort, risk, reason }
    }
}
