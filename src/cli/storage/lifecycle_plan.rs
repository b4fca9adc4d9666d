//! `burntop storage lifecycle plan`: rules merged into a bucket's own, checked, simulated, and
//! written to files, among them the plan that `lifecycle apply` takes. Nothing is put.

use std::io::Write;
use std::path::Path;

use serde_json::json;

use super::args::{LifecyclePlanArgs, ListArgs};
use super::lifecycle_draft::draft;
use super::simulate::Played;
use super::{CliError, Ctx, Exit, list, rules};
use crate::act::plan::storage::StoragePlanFile;
use crate::analyze::storage::lifecycle::{MergeInput, Verdict, merge, print};
use crate::cli::plan_file::create;
use crate::cli::tell::tell;
use crate::domain::Tags;
use crate::domain::storage::{Lifecycle, Versioning};
use crate::files;
use crate::report::PlanReport;

/// Months that a plan is simulated for.
const MONTHS: u16 = 12;

pub(super) fn run(
    args: &LifecyclePlanArgs,
    ctx: &Ctx<'_>,
    out: &mut dyn Write,
) -> Result<Exit, CliError> {
    let wanted = rules::read(&args.policy)?;
    let now = Present::of(args, ctx)?;
    let verdict = merge(&MergeInput {
        bucket: &args.bucket,
        is_directory: now.is_directory,
        current: now.lifecycle.as_ref(),
        unknown_fields: &now.unknown_fields,
        versioning: now.versioning,
        tags: now.tags.as_ref(),
        wanted: &wanted.lifecycle,
    });
    let played = match &args.inventory {
        Some(inventory) => {
            let list = ListArgs {
                inventory: Some(inventory.clone()),
                bucket: Some(args.bucket.clone()),
                price_region: now.region.clone(),
                ..ListArgs::default()
            };
            Some(Played::of(&verdict.after, &list, now.versioning, MONTHS, ctx)?)
        }
        None => None,
    };
    let files = match &args.out {
        Some(dir) => {
            let guessed = &wanted.not_for_merging;
            let why = args.justification.as_deref();
            let plan = draft(&args.bucket, why, &now, &verdict, guessed, ctx);
            let plan = plan.map_err(|why| tell(format_args!("there is no plan file: {why}"))).ok();
            write(dir, args, &verdict, guessed, now.versioning, plan.as_ref())?
        }
        None => Vec::new(),
    };
    let report = PlanReport {
        verdict: &verdict,
        bucket: &args.bucket,
        blocked: &wanted.not_for_merging,
        files: &files,
        simulation: played.as_ref().map(|p| p.report(0)),
    };
    ctx.print(&report, out)?;
    Ok(list::exit(played.as_ref().and_then(|p| p.partial.as_deref())))
}

/// Facts about the bucket before the plan.
pub(super) struct Present {
    /// Lifecycle configuration of the bucket; `None` where it has none.
    pub lifecycle: Option<Lifecycle>,
    unknown_fields: Vec<String>,
    /// Versioning of the bucket; `None` = not known.
    pub versioning: Option<Versioning>,
    /// Tags of the bucket; `None` where they could not be read.
    pub tags: Option<Tags>,
    is_directory: bool,
    /// Region of the bucket; `None` = not known.
    pub region: Option<String>,
    /// True when S3 was asked; a file may be outdated or of another bucket.
    pub is_asked: bool,
}

impl Present {
    fn of(args: &LifecyclePlanArgs, ctx: &Ctx<'_>) -> Result<Self, CliError> {
        if let Some(path) = &args.current {
            let parsed = rules::read(path)?;
            return Ok(Self {
                lifecycle: Some(parsed.lifecycle),
                unknown_fields: parsed.not_for_merging,
                versioning: args.versioning.map(rules::word),
                tags: None,
                is_directory: false,
                region: None,
                is_asked: false,
            });
        }
        let (bucket, config) = rules::ask(&args.bucket, ctx).map_err(CliError::of_source)?;
        // Without the present rules there is nothing to merge into.
        let lifecycle = config.lifecycle.map_err(|e| CliError::of_source((*e).clone()))?;
        Ok(Self {
            lifecycle: lifecycle.map(|l| (*l).clone()),
            unknown_fields: Vec::new(),
            versioning: config.versioning.ok(),
            tags: config.tags.ok(),
            is_directory: bucket.is_directory,
            region: Some(bucket.scope.region.to_string()),
            is_asked: true,
        })
    }
}

/// Writes the files of a plan, each new; one that is there stays.
fn write(
    dir: &Path,
    args: &LifecyclePlanArgs,
    verdict: &Verdict,
    guessed: &[String],
    versioning: Option<Versioning>,
    plan: Option<&StoragePlanFile>,
) -> Result<Vec<String>, CliError> {
    files::private_dir(dir).map_err(|e| CliError::Failed {
        exit: Exit::Unreadable,
        message: format!("cannot make {}: {}", dir.display(), files::explain(&e)),
    })?;
    let bucket = &args.bucket;
    let mut files: Vec<(String, String)> = vec![
        ("lifecycle.json".into(), print::cli_input(bucket, &verdict.after)),
        ("lifecycle.tf".into(), print::terraform(bucket, &verdict.after)),
        ("lifecycle.cfn.yaml".into(), print::cloudformation_yaml(&verdict.after)),
        ("lifecycle.diff".into(), diff(verdict)),
        ("backup.json".into(), backup(bucket, verdict, guessed, versioning)),
    ];
    if let Some(plan) = plan {
        files.push(("plan.json".into(), plan.to_text()));
    }
    // What XML cannot hold is in the JSON.
    if let Ok(xml) = print::xml(&verdict.after) {
        files.push(("lifecycle.xml".into(), xml));
    }
    if let Some((name, text)) = &verdict.patch {
        files.push((format!("patch-{name}"), text.clone()));
    }
    if let Some(quarantine) = &verdict.quarantine {
        files.push(("quarantine.json".into(), quarantine.json()));
        files.push(("quarantine.md".into(), quarantine.steps(bucket)));
    }
    let mut written = Vec::new();
    for (name, text) in files {
        let path = dir.join(name);
        create(&path, text.as_bytes())?;
        written.push(path.display().to_string());
    }
    Ok(written)
}

fn diff(verdict: &Verdict) -> String {
    verdict.diff.iter().map(|l| format!("{} {}\n", l.kind.sign(), l.text)).collect()
}

/// The present configuration with its digest, as it can be put back.
fn backup(
    bucket: &str,
    verdict: &Verdict,
    guessed: &[String],
    versioning: Option<Versioning>,
) -> String {
    let rules: Vec<serde_json::Value> = verdict.before.rules.iter().map(print::rule_json).collect();
    // S3 takes no configuration without rules: the last one goes with all of it.
    let put = Some(&verdict.after).filter(|after| !after.rules.is_empty());
    let versioning = versioning.map(|v| match v {
        Versioning::Off => "off",
        Versioning::Enabled => "enabled",
        Versioning::Suspended => "suspended",
    });
    let document = json!({
        "schema": "burntop/storage-lifecycle-backup/1",
        "bucket": bucket,
        "sha256": verdict.before_sha256,
        "plan_hash": verdict.plan_hash,
        "planned_sha256": print::sha256_of(put),
        "versioning": versioning,
        "blocked": verdict.blocked.iter().map(ToString::to_string).chain(guessed.iter().cloned())
            .collect::<Vec<String>>(),
        "TransitionDefaultMinimumObjectSize": verdict.before.minimum_size.map(crate::domain::storage::lifecycle::MinimumSize::api),
        "LifecycleConfiguration": { "Rules": rules },
    });
    format!("{document:#}\n")
}
