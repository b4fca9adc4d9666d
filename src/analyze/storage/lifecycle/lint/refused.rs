//! What S3 refuses, rule by rule.

use std::collections::BTreeMap;

use super::waterfall::{IA_DAYS, allows, closest_class, once_ia};
use super::{Code, LintFinding};
use crate::analyze::storage::lifecycle::merge::{LONGEST_ID, MOST_RULES};
use crate::analyze::storage::lifecycle::when::{is_midnight, moment};
use crate::domain::storage::{Lifecycle, LifecycleRule, StorageClass, When};
use crate::domain::text::clean;

/// S3 takes days up to what fits 32 bits.
const MOST_DAYS: i64 = 2_147_483_647;

/// Largest object, bytes: 50 TB, as larger bounds match nothing.
const LARGEST: i64 = 50 << 40;

/// Longest key, and so longest prefix that can match, bytes.
const LONGEST_PREFIX: usize = 1_024;

pub(super) fn check(lifecycle: &Lifecycle, out: &mut Vec<LintFinding>) {
    whole(lifecycle, out);
    for (i, rule) in lifecycle.rules.iter().enumerate() {
        let mut say = |code, text: String| out.push(LintFinding::of(lifecycle, i, code, text));
        naming(rule, &mut say);
        actions(rule, &mut say);
        dates(rule, &mut say);
        current_steps(rule, &mut say);
        noncurrent_steps(rule, &mut say);
        filters(rule, &mut say);
    }
}

type Say<'a> = &'a mut dyn FnMut(Code, String);

fn whole(lifecycle: &Lifecycle, out: &mut Vec<LintFinding>) {
    let count = lifecycle.rules.len();
    if count > MOST_RULES {
        out.push(LintFinding::of_all(
            Code::TooManyRules,
            format!("{count} rules: S3 takes {MOST_RULES}, and does not raise it; merge some by prefix or tag"),
        ));
    }
    let mut first: BTreeMap<&str, usize> = BTreeMap::new();
    for (i, rule) in lifecycle.rules.iter().enumerate().filter(|(_, r)| !r.id.is_empty()) {
        if let Some(at) = first.get(rule.id.as_str()) {
            let text = format!("rule {} has the same id; ids must be unique", at + 1);
            out.push(LintFinding::of(lifecycle, i, Code::DuplicateId, text));
        } else {
            first.insert(&rule.id, i);
        }
    }
}

fn naming(rule: &LifecycleRule, say: Say<'_>) {
    let length = rule.id.chars().count();
    if length > LONGEST_ID {
        say(Code::IdTooLong, format!("the id has {length} characters; S3 takes {LONGEST_ID}"));
    }
    let prefix = rule.filter.prefix().len();
    if prefix > LONGEST_PREFIX {
        say(
            Code::TooLong,
            format!("the prefix has {prefix} bytes; no key is longer than {LONGEST_PREFIX}"),
        );
    }
    for (key, value) in &rule.filter.tags {
        let (k, v) = (key.chars().count(), value.chars().count());
        if k == 0 || k > 128 || v > 256 {
            say(
                Code::TooLong,
                format!("tag {}: keys have 1 to 128 characters, values up to 256", clean(key)),
            );
        }
    }
}

fn actions(rule: &LifecycleRule, say: Say<'_>) {
    if rule.is_empty() {
        say(
            Code::EmptyRule,
            "the rule has no action; S3 wants at least one transition, expiration or abort".into(),
        );
    }
    let marker = rule.expiration.as_ref().and_then(|e| e.expired_delete_marker);
    if rule.expires_current() && marker == Some(true) {
        say(
            Code::MarkerWithDays,
            "ExpiredObjectDeleteMarker stands alone: take it into a rule of its own, without days \
             or date"
                .into(),
        );
    }
    let tags = !rule.filter.tags.is_empty();
    if rule.abort_uploads_days.is_some() && (tags || rule.filter.has_size()) {
        let what = if tags { "tags" } else { "sizes" };
        say(
            Code::FilterWithAction,
            format!(
                "AbortIncompleteMultipartUpload knows no {what}: filter it by prefix alone, in a rule of its own"
            ),
        );
    }
    if marker == Some(true) && (tags || rule.filter.has_size()) {
        let what = if tags { "tags" } else { "size" };
        say(
            Code::FilterWithAction,
            format!(
                "a delete marker has no {what}: filter ExpiredObjectDeleteMarker by prefix alone, in a rule of its own"
            ),
        );
    }
    if let Some(n) = &rule.noncurrent_expiration {
        newer(rule, n.newer_versions, n.days.is_none(), say);
        match n.days {
            None if n.newer_versions.is_none() => say(
                Code::IncompleteAction,
                "NoncurrentVersionExpiration says no NoncurrentDays".into(),
            ),
            Some(days) => positive("NoncurrentVersionExpiration.NoncurrentDays", days, say),
            None => {}
        }
    }
    for t in &rule.noncurrent_transitions {
        newer(rule, t.newer_versions, false, say);
    }
    if let Some(days) = rule.abort_uploads_days {
        positive("AbortIncompleteMultipartUpload.DaysAfterInitiation", days, say);
    }
    if let Some(When::Days(days)) = rule.expiration.as_ref().and_then(|e| e.when.as_ref()) {
        positive("Expiration.Days", *days, say);
    }
}

fn newer(rule: &LifecycleRule, kept: Option<i64>, without_days: bool, say: Say<'_>) {
    let Some(kept) = kept else { return };
    if !(1..=100).contains(&kept) {
        say(Code::NewerVersions, format!("NewerNoncurrentVersions is {kept}; S3 takes 1 to 100"));
    }
    if without_days {
        say(Code::NewerVersions, "NewerNoncurrentVersions needs NoncurrentDays as well".into());
    }
    if rule.filter.legacy_prefix {
        say(
            Code::NewerVersions,
            "NewerNoncurrentVersions needs a Filter; the prefix stands outside of one".into(),
        );
    }
}

fn positive(what: &str, days: i64, say: Say<'_>) {
    if !(1..=MOST_DAYS).contains(&days) {
        say(Code::BadDays, format!("{what} is {days}; it has to be at least 1"));
    }
}

fn dates(rule: &LifecycleRule, say: Say<'_>) {
    let expiration = rule.expiration.as_ref().and_then(|e| e.when.as_ref());
    let all = || rule.transitions.iter().map(|t| &t.when).chain(expiration);
    let days = all().any(|w| matches!(w, When::Days(_)));
    let on_date = all().any(|w| matches!(w, When::Date(_)));
    if days && on_date {
        say(Code::DaysWithDate, "days and dates cannot stand in one rule; split it".into());
    }
    for when in all() {
        let When::Date(text) = when else { continue };
        match moment(text) {
            None => say(
                Code::BadDate,
                format!("\"{}\" is no date; write 2026-01-31T00:00:00Z", clean(text)),
            ),
            Some(m) if !is_midnight(m) => say(
                Code::NotMidnight,
                format!("{} is not midnight UTC, the only time S3 takes", clean(text)),
            ),
            Some(_) => {}
        }
    }
}

/// A step as the checks of order see it.
struct Step<'a> {
    class: &'a str,
    /// Days, or days since 1970 where all steps are dates.
    at: Option<i64>,
    /// `at` counts from creation.
    is_days: bool,
    noncurrent: bool,
}

fn current_steps(rule: &LifecycleRule, say: Say<'_>) {
    let steps: Vec<Step<'_>> = rule
        .transitions
        .iter()
        .map(|t| Step {
            class: &t.class,
            at: at(&t.when),
            is_days: matches!(t.when, When::Days(_)),
            noncurrent: false,
        })
        .collect();
    chain(&steps, say);
    let Some(when) = rule.expiration.as_ref().and_then(|e| e.when.as_ref()) else { return };
    let (Some(end), is_days) = (at(when), matches!(when, When::Days(_))) else { return };
    let late = steps.iter().filter(|s| s.is_days == is_days && s.at.is_some_and(|a| a >= end));
    for step in late {
        say(Code::ExpirationBeforeTransition, too_late(step, end));
    }
}

fn noncurrent_steps(rule: &LifecycleRule, say: Say<'_>) {
    let steps: Vec<Step<'_>> = rule
        .noncurrent_transitions
        .iter()
        .map(|t| Step { class: &t.class, at: Some(t.days), is_days: true, noncurrent: true })
        .collect();
    chain(&steps, say);
    let Some(end) = rule.noncurrent_expiration.as_ref().and_then(|n| n.days) else { return };
    for step in steps.iter().filter(|s| s.at.is_some_and(|a| a >= end)) {
        say(Code::ExpirationBeforeTransition, too_late(step, end));
    }
}

fn too_late(step: &Step<'_>, end: i64) -> String {
    let class = clean(step.class);
    if step.is_days {
        let at = step.at.unwrap_or_default();
        format!(
            "{class} at day {at} comes no earlier than the expiration at day {end}; expire later, or drop the move"
        )
    } else {
        format!(
            "the move to {class} comes no earlier than the expiration; expire later, or drop the move"
        )
    }
}

fn at(when: &When) -> Option<i64> {
    match when {
        When::Days(days) => Some(*days),
        When::Date(text) => moment(text).map(|m| m.as_second().div_euclid(86_400)),
    }
}

/// The steps of one rule: classes, first days, and each pair in the order in time.
fn chain(steps: &[Step<'_>], say: Say<'_>) {
    let mut known: Vec<(i64, StorageClass, bool)> = Vec::new();
    for step in steps {
        if step.is_days
            && let Some(days) = step.at
            && !(0..=MOST_DAYS).contains(&days)
        {
            let what = if step.noncurrent { "NoncurrentDays" } else { "Days" };
            say(Code::BadDays, format!("{what} of a transition is {days}; it cannot be below 0"));
        }
        let Some(class) = StorageClass::from_api(step.class) else {
            say(Code::UnknownClass, unknown(step.class));
            // What was meant goes through the checks of order as well.
            if let (Some(class), Some(at)) = (closest_class(step.class), step.at) {
                known.push((at, class, step.is_days));
            }
            continue;
        };
        if !allows(StorageClass::Standard, class) {
            say(Code::Waterfall, format!("lifecycle cannot move anything to {}", class.api()));
            continue;
        }
        if let Some(at) = step.at {
            known.push((at, class, step.is_days));
        }
    }
    for (days, class, _) in known.iter().filter(|(d, c, days)| *days && once_ia(*c) && *d < IA_DAYS)
    {
        let of = if steps.iter().any(|s| s.noncurrent) { "noncurrent day" } else { "day" };
        say(
            Code::IaTooEarly,
            format!(
                "{} at {of} {days}: S3 refuses it before {of} {IA_DAYS}; use {IA_DAYS} or more",
                class.api()
            ),
        );
    }
    known.sort_by_key(|(at, ..)| *at);
    for pair in known.windows(2) {
        let [(a, from, _), (b, to, is_days)] = pair else { continue };
        let (f, t) = (from.api(), to.api());
        if from == to {
            say(Code::StepOrder, format!("two moves to {t}; S3 takes one for each class"));
        } else if a == b {
            say(
                Code::StepOrder,
                format!("{f} and {t} on the same day: each move needs a later day"),
            );
        } else if !allows(*from, *to) {
            say(
                Code::Waterfall,
                format!(
                    "{f} to {t} goes up: lifecycle moves objects down alone; drop one of the two"
                ),
            );
        } else if once_ia(*from)
            && matches!(to, StorageClass::Glacier | StorageClass::DeepArchive)
            && b - a < IA_DAYS
        {
            let unit = if *is_days { "day" } else { "date" };
            say(
                Code::ArchiveTooSoonAfterIa,
                format!(
                    "{t} {} days after {f}: S3 wants {IA_DAYS} in between; move it to a {unit} at least {IA_DAYS} days later, or drop {f}",
                    b - a
                ),
            );
        }
    }
}

fn unknown(class: &str) -> String {
    let shown = clean(class);
    match closest_class(class) {
        Some(class) => format!("there is no class {shown}; {} is meant", class.api()),
        None => {
            let all: Vec<&str> = StorageClass::ALL
                .into_iter()
                .filter(|c| allows(StorageClass::Standard, *c))
                .map(StorageClass::api)
                .collect();
            format!("there is no class \"{shown}\"; lifecycle moves to {}", all.join(", "))
        }
    }
}

fn filters(rule: &LifecycleRule, say: Say<'_>) {
    let (low, high) = (rule.filter.larger_than, rule.filter.smaller_than);
    for (what, size) in [("ObjectSizeGreaterThan", low), ("ObjectSizeLessThan", high)] {
        if let Some(size) = size.filter(|s| !(0..=LARGEST).contains(s)) {
            say(Code::BadSizes, format!("{what} is {size}; sizes are bytes from 0 to {LARGEST}"));
        }
    }
    if high == Some(0) {
        say(Code::BadSizes, "ObjectSizeLessThan 0: nothing is smaller".into());
    }
    if let (Some(low), Some(high)) = (low, high)
        && high <= low.saturating_add(1)
    {
        say(Code::BadSizes, format!("nothing is larger than {low} and smaller than {high} bytes"));
    }
    let mut keys: Vec<&str> = rule.filter.tags.iter().map(|(k, _)| k.as_str()).collect();
    keys.sort_unstable();
    if let Some(pair) = keys.windows(2).find(|w| w[0] == w[1]) {
        say(
            Code::StepOrder,
            format!("tag {} is asked for twice; an object has it once", clean(pair[0])),
        );
    }
}
