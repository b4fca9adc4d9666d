//! A rule in one line of words.

use crate::domain::storage::{LifecycleFilter, LifecycleRule, When};
use crate::domain::text::clean;

/// Effect of a rule in one line: `checkpoints/: GLACIER_IR after 30 d, deleted after 365 d`. Clean text.
pub fn summary(rule: &LifecycleRule) -> String {
    let mut does: Vec<String> = Vec::new();
    for t in &rule.transitions {
        does.push(format!("{} {}", clean(&t.class), moment(&t.when)));
    }
    if let Some(expiration) = &rule.expiration {
        if let Some(when) = &expiration.when {
            does.push(format!("deleted {}", moment(when)));
        }
        if expiration.expired_delete_marker == Some(true) {
            does.push("lone delete markers removed".to_owned());
        }
    }
    for t in &rule.noncurrent_transitions {
        does.push(format!(
            "old versions {} after {} d{}",
            clean(&t.class),
            t.days,
            kept(t.newer_versions)
        ));
    }
    if let Some(n) = &rule.noncurrent_expiration {
        let days = n.days.map_or(String::new(), |d| format!(" after {d} d"));
        does.push(format!("old versions deleted{days}{}", kept(n.newer_versions)));
    }
    if let Some(days) = rule.abort_uploads_days {
        does.push(format!("incomplete uploads aborted after {days} d"));
    }
    if does.is_empty() {
        does.push("does nothing".to_owned());
    }
    let off = if rule.enabled { "" } else { " (disabled)" };
    format!("{}: {}{off}", filter(&rule.filter), does.join(", "))
}

/// A filter in words, clean: `checkpoints/ [stage=old] > 131072 B`; `all objects`.
pub(in crate::analyze::storage::lifecycle) fn filter(filter: &LifecycleFilter) -> String {
    let mut parts = vec![match filter.prefix.as_deref() {
        None | Some("") => "all objects".to_owned(),
        Some(prefix) => clean(prefix).into_owned(),
    }];
    parts.extend(filter.tags.iter().map(|(k, v)| format!("[{}={}]", clean(k), clean(v))));
    parts.extend(filter.larger_than.map(|n| format!("> {n} B")));
    parts.extend(filter.smaller_than.map(|n| format!("< {n} B")));
    parts.join(" ")
}

fn moment(when: &When) -> String {
    match when {
        When::Days(days) => format!("after {days} d"),
        When::Date(date) => format!("on {}", clean(date)),
    }
}

fn kept(newer: Option<i64>) -> String {
    newer.map_or(String::new(), |n| format!(" but for the newest {n}"))
}
