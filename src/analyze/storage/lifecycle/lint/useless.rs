//! Rules that do nothing, or do what nobody can undo.

use super::sizes::{covered, under};
use super::{Code, LintContext, LintFinding, Severity};
use crate::domain::storage::{Lifecycle, LifecycleRule, Versioning, When};
use crate::domain::text::clean;

/// Words in a prefix that say: the step is in the key, and a key is written once.
const UNIQUE: &[&str] = &["checkpoint", "checkpoints", "ckpt", "ckpts", "snapshots"];

/// Words in a prefix under which final weights and best checkpoints lie.
const PRECIOUS: &[&str] = &[
    "checkpoint",
    "checkpoints",
    "ckpt",
    "ckpts",
    "model",
    "models",
    "experiment",
    "experiments",
    "exp",
    "exps",
    "run",
    "runs",
    "weights",
    "output",
    "outputs",
    "result",
    "results",
    "artifact",
    "artifacts",
    "final",
    "best",
    "release",
    "releases",
    "mlruns",
    "wandb",
    "training",
    "finetune",
];

/// Words in a prefix that say that what lies there can be made again.
const PASSING: &[&str] = &[
    "tmp", "temp", "cache", "caches", "log", "logs", "scratch", "staging", "trash", "data",
    "dataset", "datasets",
];

pub(super) fn check(lifecycle: &Lifecycle, ctx: &LintContext<'_>, out: &mut Vec<LintFinding>) {
    for (i, rule) in lifecycle.rules.iter().enumerate() {
        let mut say = |code, text: String| out.push(LintFinding::of(lifecycle, i, code, text));
        if !rule.enabled {
            say(Code::Disabled, "the rule is disabled: S3 does not apply it".into());
            continue;
        }
        matches_nothing(rule, ctx, &mut say);
        noncurrent(rule, ctx, &mut say);
        if !rule.filter.tags.is_empty() && ctx.sizes.is_some() {
            say(
                Code::TagNotKnown,
                "lists of objects have no tags: what this rule covers is not known".into(),
            );
        }
        if rule.expires_current() {
            out.extend(expiration(lifecycle, i, ctx));
        }
    }
    if !lifecycle.rules.is_empty()
        && !lifecycle.rules.iter().any(|r| r.enabled && r.abort_uploads_days.is_some())
    {
        out.push(LintFinding::of_all(
            Code::NoAbortRule,
            "no rule aborts incomplete uploads, whose parts are billed and in no list; add \
             AbortIncompleteMultipartUpload after 7 days"
                .into(),
        ));
    }
}

type Say<'a> = &'a mut dyn FnMut(Code, String);

fn matches_nothing(rule: &LifecycleRule, ctx: &LintContext<'_>, say: Say<'_>) {
    let prefix = rule.filter.prefix();
    let shown = clean(prefix);
    if prefix.starts_with("s3://") || prefix.starts_with("arn:") {
        say(
            Code::MatchesNothing,
            format!("the prefix {shown} matches no key: write what comes after the bucket's name"),
        );
    } else if prefix.starts_with('/') {
        let text = format!("the prefix {shown} begins with a slash, keys do not: leave it out");
        say(Code::MatchesNothing, text);
    } else if prefix.contains('*') {
        let text = format!("the prefix {shown}: S3 knows no wildcards, the star is a character");
        say(Code::MatchesNothing, text);
    } else if let Some(sizes) = ctx.sizes
        && let Some(sums) = under(sizes.tree, prefix)
        && sums.all_objects() + sums.delete_markers == 0
    {
        say(Code::MatchesNothing, format!("no object of the list begins with {shown}"));
    }
}

fn noncurrent(rule: &LifecycleRule, ctx: &LintContext<'_>, say: Say<'_>) {
    if rule.noncurrent_expiration.is_none() && rule.noncurrent_transitions.is_empty() {
        return;
    }
    if ctx.versioning == Some(Versioning::Off) {
        say(
            Code::NoncurrentUseless,
            "the bucket keeps no versions: there are no noncurrent ones, and the rule does nothing"
                .into(),
        );
        return;
    }
    // With an expiration beside it, it clears away what that one leaves.
    if rule.expires_current() || !names(rule, UNIQUE) {
        return;
    }
    let seen = ctx
        .sizes
        .and_then(|s| under(s.tree, rule.filter.prefix()))
        .is_some_and(|s| s.noncurrent_objects > 0);
    if !seen {
        say(
            Code::NoncurrentUseless,
            "each checkpoint has its step in the key and is a current object: old ones never \
             become noncurrent, and the rule deletes none; prune by step instead (`burntop storage \
             checkpoints`)"
                .into(),
        );
    }
}

fn expiration(lifecycle: &Lifecycle, index: usize, ctx: &LintContext<'_>) -> Vec<LintFinding> {
    let Some(rule) = lifecycle.rules.get(index) else { return Vec::new() };
    let days = match rule.expiration.as_ref().and_then(|e| e.when.as_ref()) {
        Some(When::Days(days)) => Some(*days),
        _ => None,
    };
    let covered = covered(rule, ctx.sizes);
    let worth = covered.as_ref().zip(days).and_then(|(c, days)| {
        let all = crate::analyze::storage::price::monthly(&c.sums, &c.rates).exact()?;
        Some(all * c.aged(days))
    });
    let of = |code, text: String| LintFinding::of(lifecycle, index, code, text);
    if ctx.versioning == Some(Versioning::Enabled) {
        if clears_versions(lifecycle, rule) {
            return Vec::new();
        }
        let text = "versioning is on: what expires becomes noncurrent and is billed on, so that 0 \
                    bytes are freed; add NoncurrentVersionExpiration";
        return vec![of(Code::VersionsStay, text.into()).costing(worth)];
    }
    // Tagged objects were chosen one by one.
    if !rule.filter.tags.is_empty() {
        return Vec::new();
    }
    let after = days.map_or("on a date".to_owned(), |d| format!("after {d} days"));
    let saved = worth.map(|usd| -usd);
    let everything = rule.filter.prefix().is_empty();
    if everything || names(rule, PRECIOUS) && !names(rule, PASSING) {
        let text = format!(
            "danger: deletes everything {after}, final weights and the only best checkpoint with \
             it, and without versioning for good; age does not tell what is worth keeping: prune \
             by step, or tag what may go"
        );
        return vec![of(Code::BlindExpiration, text).costing(saved)];
    }
    let text = format!("deletes {after}, which cannot be undone on a bucket without versions");
    let mut finding = of(Code::Irreversible, text).costing(saved);
    finding.severity = Severity::Info;
    vec![finding]
}

/// True when some rule deletes the noncurrent versions of all that `rule` covers.
fn clears_versions(lifecycle: &Lifecycle, rule: &LifecycleRule) -> bool {
    lifecycle.rules.iter().any(|r| {
        r.enabled
            && r.noncurrent_expiration.is_some()
            && rule.filter.prefix().starts_with(r.filter.prefix())
            && (r.filter.tags.is_empty() && !r.filter.has_size() || r.filter == rule.filter)
    })
}

/// True when a word of the prefix is one of `words`.
fn names(rule: &LifecycleRule, words: &[&str]) -> bool {
    let low = rule.filter.prefix().to_lowercase();
    low.split(|c: char| !c.is_alphanumeric()).any(|part| words.contains(&part))
}
