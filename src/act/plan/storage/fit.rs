//! Lifecycle configurations that may be put: one that would delete what cannot be restored is refused.

use std::collections::BTreeSet;

use crate::analyze::storage::lifecycle::{
    OWN_PREFIX, Severity, is_own, lint, print::canonical_rule as rule_text,
    quarantine::DELETE_TAG as QUARANTINE_TAG,
};
use crate::domain::storage::{Lifecycle, LifecycleRule, MinimumSize, Versioning, When};

/// Most rules of a bucket (S3 user guide, "Lifecycle configuration elements").
pub const MAX_RULES: usize = 1_000;

/// The longest id of a rule, characters (S3 API reference, `LifecycleRule`).
const MAX_ID: usize = 255;

/// Days before which S3 refuses a move to Standard-IA or One Zone-IA (S3 user guide,
/// "Transitioning objects").
const IA_DAYS: i64 = 30;

/// Classes that a rule may move to.
const CLASSES: [&str; 6] =
    ["STANDARD_IA", "ONEZONE_IA", "INTELLIGENT_TIERING", "GLACIER_IR", "GLACIER", "DEEP_ARCHIVE"];

/// A configuration that may be put.
///
/// There is no other way to make one than [`Fit::of`], and an order to put takes nothing else: an
/// expiration for an unversioned bucket cannot be ordered.
///
/// ```
/// use burntop::parts::act::plan::storage::Fit; // It is there,
/// ```
/// ```compile_fail
/// let fit = burntop::parts::act::plan::storage::Fit { after: Default::default() }; // and cannot be made.
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fit {
    after: Lifecycle,
}

/// Why a configuration may not be put.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unfit {
    /// A foreign rule, named here, would be changed or dropped.
    #[error("rule \"{0}\" is somebody else's, and the plan changes or drops it")]
    Foreign(String),
    /// A new rule, named here, does not carry burntop's prefix.
    #[error("rule \"{0}\" is new and its id does not begin with {OWN_PREFIX}")]
    Unnamed(String),
    /// The minimum size is another one.
    #[error(
        "the plan changes which small objects move (TransitionDefaultMinimumObjectSize {0} to {1})"
    )]
    MinimumSize(&'static str, &'static str),
    /// This many rules, more than [`MAX_RULES`].
    #[error("{0} rules are more than S3 takes ({MAX_RULES})")]
    TooMany(usize),
    /// Two rules have this id.
    #[error("two rules have the id \"{0}\"")]
    Twice(String),
    /// It would delete for good.
    #[error(
        "rule \"{0}\" deletes, and the bucket is not versioned: what is deleted is gone. Tag what \
         is to go ({QUARANTINE_TAG}), and put the rule for the tag by hand when nobody missed it"
    )]
    Deletes(String),
    /// The last step of the quarantine.
    #[error(
        "rule \"{0}\" deletes what is in quarantine: burntop writes such a rule to a file only"
    )]
    Quarantine(String),
    /// S3 would refuse a rule; holds its id and the reason.
    #[error("rule \"{0}\": {1}")]
    Refused(String, String),
    /// The configuration is the one that is there.
    #[error("the bucket has this configuration already")]
    Nothing,
}

impl Fit {
    /// Checks the configuration `after` against the one that is there, `before`. Fails with the
    /// first reason why it may not be put.
    pub fn of(
        before: Option<&Lifecycle>,
        after: &Lifecycle,
        versioning: Versioning,
    ) -> Result<Self, Unfit> {
        let none = Lifecycle::default();
        let was = before.unwrap_or(&none);
        foreign_stay(was, after)?;
        minimum_stays(before, after)?;
        if after.rules.len() > MAX_RULES {
            return Err(Unfit::TooMany(after.rules.len()));
        }
        let mut ids = BTreeSet::new();
        if let Some(twice) = after.rules.iter().find(|r| !r.id.is_empty() && !ids.insert(&r.id)) {
            return Err(Unfit::Twice(twice.id.clone()));
        }
        let there: BTreeSet<String> = was.rules.iter().map(rule_text).collect();
        let new: Vec<&LifecycleRule> =
            after.rules.iter().filter(|r| !there.contains(&rule_text(r))).collect();
        for rule in &new {
            allowed(rule, versioning)?;
        }
        // Without versions `allowed` has turned away what deletes already.
        let ctx =
            lint::LintContext { versioning: Some(versioning), ..lint::LintContext::default() };
        let errors = lint::lint(after, &[], &ctx);
        let is_new = |i: usize| after.rules.get(i).is_some_and(|r| new.contains(&r));
        let error =
            errors.iter().find(|f| f.severity == Severity::Error && f.index.is_some_and(is_new));
        if let Some(error) = error {
            return Err(Unfit::Refused(error.rule.clone(), error.message.clone()));
        }
        if new.is_empty() && was.rules.len() == after.rules.len() {
            return Err(Unfit::Nothing);
        }
        Ok(Self { after: after.clone() })
    }

    /// Configuration that is put.
    pub fn lifecycle(&self) -> &Lifecycle {
        &self.after
    }
}

/// Every foreign rule of `was` is in `after`, and no other foreign one.
fn foreign_stay(was: &Lifecycle, after: &Lifecycle) -> Result<(), Unfit> {
    let foreign = |l: &Lifecycle| -> Vec<(String, String)> {
        let rules = l.rules.iter().filter(|r| !is_own(r));
        let mut all: Vec<_> = rules.map(|r| (rule_text(r), r.id.clone())).collect();
        all.sort();
        all
    };
    let (was, is) = (foreign(was), foreign(after));
    if let Some((_, id)) = was.iter().find(|r| !is.contains(r)) {
        return Err(Unfit::Foreign(id.clone()));
    }
    if let Some((_, id)) = is.iter().find(|r| !was.contains(r)) {
        return Err(Unfit::Unnamed(id.clone()));
    }
    // As often as before: a rule without an id may stand there twice.
    if was.len() != is.len() {
        return Err(Unfit::Foreign(String::new()));
    }
    Ok(())
}

fn minimum_stays(before: Option<&Lifecycle>, after: &Lifecycle) -> Result<(), Unfit> {
    let of = |l: &Lifecycle| l.minimum_size.unwrap_or(MinimumSize::All128K);
    match before.map(of) {
        Some(was) if was != of(after) => Err(Unfit::MinimumSize(was.api(), of(after).api())),
        _ => Ok(()),
    }
}

/// Refuses a new rule that could delete what is in quarantine or cannot be restored, and one that S3 would refuse.
fn allowed(rule: &LifecycleRule, versioning: Versioning) -> Result<(), Unfit> {
    let expires = rule.expiration.as_ref().is_some_and(|e| e.when.is_some());
    let deletes = expires || rule.noncurrent_expiration.is_some();
    let quarantine = rule.filter.tags.iter().any(|(key, _)| key == QUARANTINE_TAG);
    if deletes && quarantine {
        return Err(Unfit::Quarantine(rule.id.clone()));
    }
    // Suspended is not versioned: what is overwritten or deleted from now on is gone.
    if deletes && versioning != Versioning::Enabled {
        return Err(Unfit::Deletes(rule.id.clone()));
    }
    refused(rule).map_or(Ok(()), |why| Err(Unfit::Refused(rule.id.clone(), why)))
}

/// Reason why S3 would refuse the configuration, as far as one rule shows it; `None` without one.
fn refused(rule: &LifecycleRule) -> Option<String> {
    if rule.id.chars().count() > MAX_ID {
        return Some(format!("its id is longer than {MAX_ID} characters"));
    }
    let marker = rule.expiration.as_ref().is_some_and(|e| e.expired_delete_marker.is_some());
    let does = !rule.transitions.is_empty()
        || rule.expiration.is_some()
        || !rule.noncurrent_transitions.is_empty()
        || rule.noncurrent_expiration.is_some()
        || rule.abort_uploads_days.is_some();
    if !does {
        return Some("it does nothing".to_owned());
    }
    if !rule.filter.tags.is_empty() && (rule.abort_uploads_days.is_some() || marker) {
        return Some("a filter by tags cannot select uploads or delete markers".to_owned());
    }
    let moves = rule
        .transitions
        .iter()
        .map(|t| (days(&t.when), t.class.as_str()))
        .chain(rule.noncurrent_transitions.iter().map(|t| (Some(t.days), t.class.as_str())));
    for (days, class) in moves {
        if !CLASSES.contains(&class) {
            return Some(format!("\"{class}\" is no class to move to"));
        }
        if days.is_some_and(|d| d < 0) {
            return Some("a move cannot be before the object".to_owned());
        }
        if matches!(class, "STANDARD_IA" | "ONEZONE_IA") && days.is_some_and(|d| d < IA_DAYS) {
            return Some(format!("S3 moves nothing to {class} before day {IA_DAYS}"));
        }
    }
    let expires = rule.expiration.as_ref().and_then(|e| e.when.as_ref()).and_then(days);
    if expires.is_some_and(|d| d < 1) {
        return Some("an expiration is after 1 day or later".to_owned());
    }
    let last = rule.transitions.iter().filter_map(|t| days(&t.when)).max();
    if expires.zip(last).is_some_and(|(expires, last)| expires <= last) {
        return Some("it expires before it moves".to_owned());
    }
    None
}

fn days(when: &When) -> Option<i64> {
    match when {
        When::Days(days) => Some(*days),
        When::Date(_) => None,
    }
}

#[cfg(test)]
mod tests;
