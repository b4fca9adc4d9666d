//! `burntop storage checkpoints`: runs, their steps, and what a retention policy would drop.

use std::io::Write;
use std::sync::Arc;

use jiff::SignedDuration;

use super::args::CheckpointsArgs;
use super::{CliError, Ctx, Exit, list, object_files, prices};
use crate::act::plan::parse_grace;
use crate::analyze::storage::checkpoints::{
    Picks, Policy, RunFold, RunPlan, Terms, WholeFold, plan,
};
use crate::analyze::storage::price::{Rates, Volumes};
use crate::analyze::storage::{TreeFold, TreeLimits};
use crate::cli::tell::tell;
use crate::domain::storage::{Fate, ObjectColumns, Scan, ScanOrigin, Versioning};
use crate::domain::text;
use crate::report::CheckpointsReport;
use crate::source::objects::Need;

pub(super) fn run(
    args: &CheckpointsArgs,
    ctx: &Ctx<'_>,
    out: &mut dyn Write,
) -> Result<Exit, CliError> {
    let policy = policy(args)?;
    let wants_files = args.batch_manifest.is_some() || args.delete_script.is_some();
    if wants_files && policy.is_empty() {
        let text = "no policy, so there is nothing to write: --keep-last N, --every K, --best M, \
                    --keep-first, --min-age AGE or --pin PREFIX";
        return Err(CliError::Usage(text.to_owned()));
    }
    if args.list.dir.is_some() && wants_files {
        let text = "--batch-manifest and --delete-script are for S3; --dir names files".to_owned();
        return Err(CliError::Usage(text));
    }
    let need = Need { holds: true, versions: true, ..Need::default() };
    // The tree is for the cockpit, which shows what was found the next time.
    let listed = list::fold(&args.list, ctx, need, |info| {
        let tree = TreeFold::new(info, TreeLimits::default());
        (RunFold::new(info), WholeFold::new(info), tree)
    })?;
    let (runs, whole, tree) = listed.fold;
    let found = runs.finish();
    if let Some(key) = &listed.key {
        let mut notes = listed.notes.clone();
        notes.extend(tree.note());
        notes.extend(found.notes.iter().cloned());
        let scan = Scan {
            bucket: listed.info.bucket.clone(),
            origin: listed.origin.clone(),
            listed_at: listed.listed_at,
            scanned_at: listed.scanned_at,
            rows: listed.rows,
            partial: None,
            notes,
            tree: Arc::new(tree.finish()),
            runs: Some(Arc::new(found.runs.clone())),
            duplicates: None,
        };
        list::keep(ctx, key, scan)?;
    }
    let is_dir = matches!(listed.origin, ScanOrigin::Directory(_));
    let versioning = if is_dir { Some(Versioning::Off) } else { whole.versioning() };
    let fate = Fate::of(versioning, None);
    let named = args.list.price_region.as_deref();
    let prices = prices::of(ctx, named, Some(&listed.info.bucket))?.or_unknown(ctx);
    let rates = Rates::marginal(&prices, &Volumes::of(whole.sums()));
    let terms = Terms { listed_ms: listed.info.listed_ms, fate, rates: &rates };
    let plans: Vec<RunPlan> = if policy.is_empty() {
        Vec::new()
    } else {
        found.runs.iter().map(|run| plan(run, &policy, &terms)).collect()
    };
    let mut notes = listed.notes;
    notes.extend(found.notes);
    notes.extend(unknown_holds(listed.info.columns, is_dir));
    let report = CheckpointsReport {
        bucket: &listed.info.bucket,
        listed_ms: listed.info.listed_ms,
        runs: &found.runs,
        plans: &plans,
        policy: &policy,
        fate,
        price_region: &rates.region,
        prices: &rates.provenance,
        partial: listed.partial.as_deref(),
        notes: &notes,
        readings: &[],
    };
    ctx.print(&report, out)?;
    if wants_files {
        if let Some(partial) = &listed.partial {
            // Half a list does not know all steps of a run, nor which is the latest.
            let message = format!("no file was written: the list is partial ({partial})");
            return Err(CliError::Failed { exit: Exit::Partial, message });
        }
        let with_versions = matches!(versioning, Some(Versioning::Enabled | Versioning::Suspended));
        let picks = Picks::new(&found.runs, &plans);
        let files = object_files::Plan {
            picks: &picks,
            bucket: &listed.info.bucket,
            listed_at: &listed.listed_at.to_string(),
            policy: &policy.words(),
            bytes: plans.iter().map(|p| p.bytes_dropped).sum(),
            with_versions,
        };
        for written in object_files::write(args, ctx, &files)? {
            tell(written);
        }
    }
    Ok(list::exit(listed.partial.as_deref()))
}

/// Columns that the list lacks and that would name objects that must not be deleted; `None` when it has them.
fn unknown_holds(columns: ObjectColumns, is_dir: bool) -> Option<String> {
    let missing = match (columns.lock, columns.replication) {
        _ if is_dir => return None,
        (true, true) => return None,
        (false, true) => "Object Lock",
        (true, false) => "replication",
        (false, false) => "Object Lock and replication",
    };
    Some(format!(
        "the list has no column for {missing}: whether an object is held back by it is not known"
    ))
}

fn policy(args: &CheckpointsArgs) -> Result<Policy, CliError> {
    let min_age_ms = match &args.min_age {
        None => None,
        Some(typed) => {
            // It protects, so a slip (`4m`, meant as months) is not read as minutes.
            let age = parse_grace(typed, SignedDuration::from_hours(366 * 24)).map_err(|e| {
                CliError::Usage(format!("--min-age: \"{}\": {e}", text::clean(typed)))
            })?;
            Some(i64::try_from(age.as_millis()).unwrap_or(i64::MAX))
        }
    };
    if args.every == Some(0) {
        return Err(CliError::Usage("--every 0: steps come in multiples of 1 or more".to_owned()));
    }
    Ok(Policy {
        keep_last: args.keep_last.unwrap_or(0),
        every: args.every,
        best: args.best.unwrap_or(0),
        keep_first: args.keep_first,
        min_age_ms,
        pinned: args.pin.clone(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_age_that_protects_is_an_hour_at_the_least() {
        let age = |typed: &str| {
            let args =
                CheckpointsArgs { min_age: Some(typed.into()), ..CheckpointsArgs::default() };
            policy(&args).map(|p| p.min_age_ms)
        };
        assert_eq!(age("7d").unwrap(), Some(7 * 24 * 3_600_000));
        let error = age("4m").unwrap_err();
        assert_eq!(error.exit(), Exit::Usage);
        assert!(error.to_string().contains("that is 4 minutes"), "{error}");
        assert!(age("4mo").is_err() && age("0d").is_err());
    }
}
