//! The plan file of `lifecycle plan`: what `lifecycle apply` takes.

use jiff::SignedDuration;

use super::lifecycle_plan::Present;
use super::{Ctx, list};
use crate::act::plan::storage::{
    Fit, LifecycleChange, StorageDraft, StoragePlanFile, draft_lifecycle,
};
use crate::analyze::storage::lifecycle::Verdict;
use crate::cli::acting;
use crate::cli::arming::{Arming, arming};
use crate::domain::storage::Versioning;
use crate::domain::{Scope, Tags};

/// The plan file for a verdict, or why there is none: what may not be put is not drafted.
pub(super) fn draft(
    bucket: &str,
    justification: Option<&str>,
    now: &Present,
    verdict: &Verdict,
    guessed: &[String],
    ctx: &Ctx<'_>,
) -> Result<StoragePlanFile, String> {
    let Some(merged) = verdict.merged().filter(|_| guessed.is_empty()) else {
        return Err(if verdict.is_noop() && verdict.blocked.is_empty() && guessed.is_empty() {
            "it would change nothing".to_owned()
        } else {
            "it is blocked".to_owned()
        });
    };
    let Some(region) = now.region.as_deref().filter(|_| now.is_asked) else {
        return Err("the present rules are of a file, not of the bucket".to_owned());
    };
    let before = now.lifecycle.as_ref();
    // What the executor would turn away is not planned either.
    let versioning = now.versioning.unwrap_or(Versioning::Off);
    let fit = Fit::of(before, merged.lifecycle(), versioning).map_err(|e| e.to_string())?;
    let invocation = ctx.invocation;
    let runtime = list::runtime().map_err(|e| e.to_string())?;
    let reaches = invocation.reaches();
    let (account, rules) = runtime.block_on(async {
        let Arming { known, rules, troubles } =
            arming(invocation, &reaches, acting::IDENTITY_WITHIN).await;
        let mut account = None;
        for (reach, who) in &known {
            let Some(source) = reach.storage() else { continue };
            if source.region_of(bucket).await.is_ok() {
                account = Some(who.account.clone());
                break;
            }
        }
        let why = troubles.first().map_or_else(String::new, |t| format!(": {}", t.message));
        (account.ok_or_else(|| format!("its account is not known{why}")), rules)
    });
    let none = Tags::default();
    let change = LifecycleChange {
        scope: &Scope::new(account?, region),
        bucket: &bucket.into(),
        tags: now.tags.as_ref().unwrap_or(&none),
        before,
        after: fit.lifecycle(),
        usd_per_month: None,
    };
    let hours = invocation.config.actions.plan_valid_hours;
    let draft = StorageDraft {
        justification: justification.unwrap_or_default(),
        valid_for: SignedDuration::from_hours(hours.into()),
        now: invocation.options.clock()(),
    };
    let plan = draft_lifecycle(&change, &rules, &draft);
    Ok(StoragePlanFile { plan, approvals: Vec::new() })
}
