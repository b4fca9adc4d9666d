//! Rules that meet on the same objects, and which of them S3 follows.
//!
//! Permanent deletion comes before a move, a move before a delete marker; of moves on one day the
//! colder class wins, as GLACIER does over the IA classes ("Conflicting lifecycle actions", S3 User
//! Guide).

use super::{Code, LintFinding};
use crate::domain::storage::{
    Lifecycle, LifecycleFilter, LifecycleRule, StorageClass, Transition, Versioning, When,
};
use crate::domain::text::clean;

/// Findings of overlap that are made at most: a thousand rules can meet half a million times.
const MOST: usize = 100;

pub(super) fn check(
    lifecycle: &Lifecycle,
    versioning: Option<Versioning>,
    out: &mut Vec<LintFinding>,
) {
    let mut made = 0;
    let mut more = 0;
    for (j, later) in lifecycle.rules.iter().enumerate().filter(|(_, r)| r.enabled) {
        for (i, earlier) in lifecycle.rules[..j].iter().enumerate().filter(|(_, r)| r.enabled) {
            let Some(witness) = witness(&earlier.filter, &later.filter) else { continue };
            let (code, text) = if covers(earlier, later) {
                let name = name(earlier, i);
                (Code::Shadowed, format!("{name} does all of this already, or does it sooner"))
            } else if covers(later, earlier) {
                let name = name(earlier, i);
                (
                    Code::Shadowed,
                    format!("does all that {name} does, or does it sooner: {name} is idle"),
                )
            } else if let Some(text) = conflict(earlier, later, &name(earlier, i), versioning) {
                (Code::Overlap, text)
            } else {
                continue;
            };
            if made == MOST {
                more += 1;
                continue;
            }
            made += 1;
            let text = format!("{text}; both cover {witness}");
            out.push(LintFinding::of(lifecycle, j, code, text));
        }
    }
    if more > 0 {
        out.push(LintFinding::of_all(Code::Overlap, format!("{more} more overlaps of rules")));
    }
}

fn name(rule: &LifecycleRule, index: usize) -> String {
    let id = clean(&rule.id);
    if id.is_empty() { format!("rule #{}", index + 1) } else { format!("rule {id}") }
}

/// An object that both filters match, in words; `None` when there is none.
pub(super) fn witness(one: &LifecycleFilter, two: &LifecycleFilter) -> Option<String> {
    let (first, second) = (one.prefix(), two.prefix());
    let longer = if first.starts_with(second) {
        first
    } else if second.starts_with(first) {
        second
    } else {
        return None;
    };
    for (key, value) in &one.tags {
        if two.tags.iter().any(|(k, v)| k == key && v != value) {
            return None;
        }
    }
    let low = one.larger_than.max(two.larger_than);
    let high = match (one.smaller_than, two.smaller_than) {
        (Some(x), Some(y)) => Some(x.min(y)),
        (x, None) | (None, x) => x,
    };
    // The smallest size both take.
    let size = low.map_or(0, |l| l.saturating_add(1)).max(0);
    if high.is_some_and(|h| size >= h) {
        return None;
    }
    let slash = if longer.is_empty() || longer.ends_with('/') { "" } else { "…/" };
    let mut out = format!("{}{slash}object", clean(longer));
    if low.is_some() || high.is_some() {
        out.push_str(&format!(" of {size} bytes"));
    }
    let mut tags: Vec<&(String, String)> = one.tags.iter().chain(&two.tags).collect();
    tags.sort();
    tags.dedup();
    for (key, value) in tags {
        out.push_str(&format!(" [{}={}]", clean(key), clean(value)));
    }
    Some(out)
}

/// True when every object of `inner` is one of `outer`.
fn contains(outer: &LifecycleFilter, inner: &LifecycleFilter) -> bool {
    inner.prefix().starts_with(outer.prefix())
        && outer.tags.iter().all(|t| inner.tags.contains(t))
        && outer.larger_than.is_none_or(|l| inner.larger_than.is_some_and(|i| i >= l))
        && outer.smaller_than.is_none_or(|h| inner.smaller_than.is_some_and(|i| i <= h))
        // A condition on size lifts the minimum size: without one, less is moved.
        && (outer.has_size() == inner.has_size())
}

/// True when `strong` leaves `weak` nothing to do.
fn covers(strong: &LifecycleRule, weak: &LifecycleRule) -> bool {
    if weak.is_empty() || !contains(&strong.filter, &weak.filter) {
        return false;
    }
    let deletes = expiry_days(strong);
    let expiration = match &weak.expiration {
        None => true,
        Some(e) if e.when.is_some() => {
            e.expired_delete_marker != Some(true)
                && deletes.zip(expiry_days(weak)).is_some_and(|(s, w)| s <= w)
        }
        Some(e) => {
            e.expired_delete_marker != Some(true)
                || strong.expiration.as_ref().and_then(|s| s.expired_delete_marker) == Some(true)
        }
    };
    let moved = weak.transitions.iter().all(|w| {
        strong.transitions.iter().any(|s| {
            s.class == w.class && days(&s.when).zip(days(&w.when)).is_some_and(|(s, w)| s <= w)
        })
    });
    let noncurrent = weak.noncurrent_transitions.iter().all(|w| {
        strong
            .noncurrent_transitions
            .iter()
            .any(|s| s.class == w.class && s.days <= w.days && s.newer_versions <= w.newer_versions)
    });
    let ended = weak.noncurrent_expiration.as_ref().is_none_or(|w| {
        strong.noncurrent_expiration.as_ref().is_some_and(|s| {
            s.days.zip(w.days).is_some_and(|(s, w)| s <= w) && s.newer_versions <= w.newer_versions
        })
    });
    let abort =
        weak.abort_uploads_days.is_none_or(|w| strong.abort_uploads_days.is_some_and(|s| s <= w));
    expiration && moved && noncurrent && ended && abort
}

fn days(when: &When) -> Option<i64> {
    match when {
        When::Days(days) => Some(*days),
        When::Date(_) => None,
    }
}

fn expiry_days(rule: &LifecycleRule) -> Option<i64> {
    days(rule.expiration.as_ref()?.when.as_ref()?)
}

/// The first move of a rule that comes no earlier than an expiration.
fn ends_before(end: Option<i64>, rule: &LifecycleRule) -> Option<(i64, &Transition)> {
    let end = end?;
    let late = |t: &&Transition| days(&t.when).is_some_and(|d| d >= end);
    rule.transitions.iter().find(late).map(|t| (end, t))
}

/// Difference between two rules, and which one wins; `None` when they agree.
fn conflict(
    earlier: &LifecycleRule,
    later: &LifecycleRule,
    other: &str,
    versioning: Option<Versioning>,
) -> Option<String> {
    let (a, b) = (expiry_days(earlier), expiry_days(later));
    if let (Some(a), Some(b)) = (a, b)
        && a != b
    {
        return Some(format!(
            "{other} expires after {a} days, this one after {b}: the sooner comes, {} days",
            a.min(b)
        ));
    }
    for (end, rule, who) in [(a, later, other), (b, earlier, "this one")] {
        if let Some((end, step)) = ends_before(end, rule) {
            let class = clean(&step.class);
            let same_day = days(&step.when) == Some(end);
            let marker = versioning == Some(Versioning::Enabled);
            return Some(if same_day && marker {
                format!(
                    "{who} expires on day {end}, when the other moves to {class}: S3 moves first, and sets the delete marker after"
                )
            } else {
                format!(
                    "{who} expires after {end} days, before the move to {class}: deletion wins, the move never comes"
                )
            });
        }
    }
    steps(earlier, later, other)
}

fn steps(earlier: &LifecycleRule, later: &LifecycleRule, other: &str) -> Option<String> {
    for x in &earlier.transitions {
        for y in &later.transitions {
            let (Some(dx), Some(dy)) = (days(&x.when), days(&y.when)) else { continue };
            let from = |name: &str| StorageClass::from_api(name);
            let (Some(cx), Some(cy)) = (from(&x.class), from(&y.class)) else { continue };
            let (first, second) = if dx <= dy { (cx, cy) } else { (cy, cx) };
            if cx == cy && dx != dy {
                let day = dx.min(dy);
                return Some(format!(
                    "{other} moves to {} on day {dx}, this one on day {dy}: day {day} comes first",
                    cx.api()
                ));
            }
            if dx == dy && cx != cy {
                let colder = if super::allows(cx, cy) { cy } else { cx };
                return Some(format!(
                    "{other} moves to {} and this one to {} on day {dx}: {} wins",
                    cx.api(),
                    cy.api(),
                    colder.api()
                ));
            }
            if cx != cy && !super::allows(first, second) {
                return Some(format!(
                    "{other} moves to {} on day {dx}, this one to {} on day {dy}: after {} the way \
                     up to {} is closed",
                    cx.api(),
                    cy.api(),
                    first.api(),
                    second.api()
                ));
            }
        }
    }
    None
}
