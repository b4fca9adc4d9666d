//! One text for configurations that mean the same, and its digest.

use std::fmt::Write;

use sha2::{Digest, Sha256};

use super::json::rule_json;
use crate::analyze::storage::lifecycle::when;
use crate::domain::storage::{Lifecycle, LifecycleRule, MinimumSize, When};

/// The canonical form: compact JSON, rules sorted by their text (their order has no meaning in S3), tags and
/// moves sorted, dates in one spelling, and S3's default minimum size where none is set
/// (`all_storage_classes_128K`, since September 2024). Two reads of an unchanged bucket give the same bytes.
pub fn canonical(lifecycle: &Lifecycle) -> String {
    let minimum = lifecycle.minimum_size.unwrap_or(MinimumSize::All128K);
    document(&format!("\"{}\"", minimum.api()), &lifecycle.rules)
}

/// The canonical form of rules alone, whatever the minimum size.
pub(in crate::analyze::storage::lifecycle) fn canonical_rules(rules: &[LifecycleRule]) -> String {
    document("null", rules)
}

/// The canonical form of one rule: rules of equal meaning have equal text.
pub fn canonical_rule(rule: &LifecycleRule) -> String {
    rule_json(&canonical_of(rule)).to_string()
}

fn document(minimum: &str, rules: &[LifecycleRule]) -> String {
    let mut rules: Vec<String> = rules.iter().map(canonical_rule).collect();
    rules.sort();
    format!("{{\"TransitionDefaultMinimumObjectSize\":{minimum},\"Rules\":[{}]}}", rules.join(","))
}

/// SHA-256 of the canonical form, 64 hex digits: two configurations are equal when it is.
pub fn sha256(lifecycle: &Lifecycle) -> String {
    hex(&Sha256::digest(canonical(lifecycle).as_bytes()))
}

/// [`sha256`] of a configuration; `None` (no configuration) has a digest that no configuration has, not even
/// one without rules.
pub fn sha256_of(lifecycle: Option<&Lifecycle>) -> String {
    lifecycle.map_or_else(|| hex(&Sha256::digest(b"none")), sha256)
}

pub(in crate::analyze::storage::lifecycle) fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::with_capacity(bytes.len() * 2), |mut out, byte| {
        // Writing to a string cannot fail.
        let _ = write!(out, "{byte:02x}");
        out
    })
}

/// A rule in which nothing is left to taste.
fn canonical_of(rule: &LifecycleRule) -> LifecycleRule {
    let canonicalize = |when: &mut When| {
        if let When::Date(date) = when {
            *date = when::canonical(date);
        }
    };
    let mut rule = rule.clone();
    rule.filter.tags.sort();
    rule.transitions.iter_mut().for_each(|t| canonicalize(&mut t.when));
    if let Some(when) = rule.expiration.as_mut().and_then(|e| e.when.as_mut()) {
        canonicalize(when);
    }
    // Moves of one rule are a set as well.
    rule.transitions.sort_by_key(|t| format!("{t:?}"));
    rule.noncurrent_transitions.sort_by_key(|t| format!("{t:?}"));
    // An empty prefix selects what none selects.
    rule.filter.prefix = rule.filter.prefix.filter(|p| !p.is_empty());
    rule.filter.legacy_prefix &= rule.filter.prefix.is_some();
    rule
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::storage::{Expiration, LifecycleFilter};

    fn rule(id: &str, date: &str) -> LifecycleRule {
        LifecycleRule {
            id: id.into(),
            enabled: true,
            filter: LifecycleFilter {
                tags: vec![("b".into(), "1".into()), ("a".into(), "2".into())],
                ..LifecycleFilter::default()
            },
            expiration: Some(Expiration {
                when: Some(When::Date(date.into())),
                expired_delete_marker: None,
            }),
            ..LifecycleRule::default()
        }
    }

    #[test]
    fn order_and_spelling_do_not_matter_and_everything_else_does() {
        let a = rule("a", "2030-01-01");
        let b = rule("b", "2030-01-01T00:00:00Z");
        let of = |rules: &[&LifecycleRule], minimum_size| {
            let rules = rules.iter().map(|r| (*r).clone()).collect();
            sha256(&Lifecycle { rules, minimum_size })
        };
        let hash = of(&[&a, &b], None);
        assert_eq!(hash, of(&[&b, &a], Some(MinimumSize::All128K)));
        let again = rule("a", "2030-01-01T00:00:00.000Z");
        assert_eq!(hash, of(&[&again, &b], None));
        let mut turned = a.clone();
        turned.filter.tags.reverse();
        assert_eq!(hash, of(&[&turned, &b], None));
        assert_ne!(hash, of(&[&a, &b], Some(MinimumSize::Varies)));
        assert_ne!(hash, of(&[&a], None));
        assert_ne!(hash, of(&[&rule("a", "2030-01-02"), &b], None));
        let off = LifecycleRule { enabled: false, ..a.clone() };
        assert_ne!(hash, of(&[&off, &b], None));
        // No configuration is not one without rules.
        assert_ne!(sha256_of(None), of(&[], None));
    }
}
