//! Checkpoints that a retention policy would drop.

use super::{BucketCase, LEAST_USD, known, noncurrent};
use crate::analyze::storage::checkpoints::{Policy, Terms, plan};
use crate::domain::storage::{Effort, Fate, FindingKind, FindingReason, Risk, Run, StorageFinding};
use crate::domain::text::clean;

/// The policy that findings are made with: the last three complete steps, the best one, the first,
/// and all of the last week.
pub fn usual_policy() -> Policy {
    Policy {
        keep_last: 3,
        best: 1,
        keep_first: true,
        min_age_ms: Some(7 * 86_400_000),
        ..Policy::default()
    }
}

/// One finding per run, in dollars of what deleting frees: none where the bucket keeps versions.
pub(super) fn find(case: BucketCase<'_>) -> Vec<StorageFinding> {
    let Some(runs) = case.scan.and_then(|s| s.runs.as_deref()) else { return Vec::new() };
    runs.iter().filter_map(|run| of_run(case, run)).collect()
}

fn of_run(case: BucketCase<'_>, run: &Run) -> Option<StorageFinding> {
    let policy = usual_policy();
    let terms = Terms {
        listed_ms: case.scan?.listed_at.as_millisecond(),
        fate: fate(case),
        rates: case.rates?,
    };
    let plan = plan(run, &policy, &terms);
    if plan.drop.is_empty() || plan.usd_per_month_dropped.is_some_and(|usd| usd < LEAST_USD) {
        return None;
    }
    let reason = FindingReason::Checkpoints {
        dropped: plan.drop.len(),
        steps: run.steps.len(),
        bytes: plan.bytes_dropped,
        fate: terms.fate,
    };
    Some(
        case.finding(FindingKind::PrunableCheckpoints, Effort::Medium, Risk::High)
            .prefix(&case.row.name, &clean(&run.prefix))
            .bytes(plan.bytes_freed)
            .usd(plan.usd_per_month)
            .because(reason),
    )
}

fn fate(case: BucketCase<'_>) -> Fate {
    let versioning = case.row.facts.as_ref().and_then(|f| known(&f.versioning)).copied();
    let expires = case.lifecycle().map(|l| l.is_some_and(noncurrent::expires_old_versions));
    Fate::of(versioning, expires)
}
