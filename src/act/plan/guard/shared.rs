//! Guards that instances and storage have in common: who acts, and the plan itself.

use jiff::{SignedDuration, Timestamp};

use crate::act::plan::finding::FindingSink;
use crate::domain::{Caller, Known};

/// Longest time that another machine's clock may be ahead of ours.
pub const CLOCK_SLACK: SignedDuration = SignedDuration::from_mins(1);

/// Blocks for `why_not`, by which the account may not be changed, and for tags that pin read-only.
pub fn armed<G: Copy>(why_not: Option<String>, is_pinned: bool, out: &mut FindingSink<'_, G>) {
    if let Some(why) = why_not {
        out.block(why, "config");
    }
    if is_pinned {
        out.block("its tags pin it read-only", "tags");
    }
}

/// Blocks unless `caller` is known, is in the account `wanted`, and has an ARN.
pub fn identity<G: Copy>(caller: &Known<Caller>, wanted: &str, out: &mut FindingSink<'_, G>) {
    const SOURCE: &str = "sts:GetCallerIdentity";
    match caller {
        Err(e) => out.unknown("who we are", e),
        Ok(caller) if *caller.account != *wanted => {
            let text = format!("credentials of account {}, planned in {wanted}", caller.account);
            out.block(text, SOURCE);
        }
        Ok(caller) if caller.arn.is_empty() => out.block("the caller has no ARN", SOURCE),
        Ok(_) => {}
    }
}

/// Blocks a plan of another schema than `wanted`, one from the future, and one that has expired.
pub fn plan_age<G: Copy>(
    (schema, wanted): (&str, &str),
    created_at: Timestamp,
    expires_at: Timestamp,
    now: Timestamp,
    out: &mut FindingSink<'_, G>,
) {
    if schema != wanted {
        out.block(format!("a plan of schema {schema}; this is {wanted}"), "plan");
    }
    if now < created_at {
        out.block(format!("the plan is from the future ({created_at})"), "plan");
    }
    if now >= expires_at {
        out.block(format!("the plan expired at {expires_at}; make a new one"), "plan");
    }
}

/// Blocks what the dry run of the call refused.
pub fn permission<G: Copy>(permitted: &Known<()>, out: &mut FindingSink<'_, G>) {
    if let Err(e) = permitted {
        out.block(e.with_fix(), &e.operation);
    }
}

/// Blocks the read-only executor, and notes a dry run.
pub fn executor<G: Copy>(name: &str, out: &mut FindingSink<'_, G>) {
    match name {
        "read-only" => out.block("the session is read-only here: nothing can be done", "config"),
        "dry-run" => out.note("a dry run: nothing is done", "config"),
        _ => {}
    }
}
