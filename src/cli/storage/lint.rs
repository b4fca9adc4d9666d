//! `burntop storage lint`: a lifecycle policy checked, with dollars where sizes are known.

use std::io::Write;

use super::args::LintArgs;
use super::{CliError, Ctx, Exit, list, prices, rules};
use crate::analyze::storage::lifecycle::Severity;
use crate::analyze::storage::lifecycle::lint::{LintContext, Sizes, lint};
use crate::cli::tell::tell;
use crate::report::LintReport;

pub(super) fn run(args: &LintArgs, ctx: &Ctx<'_>, out: &mut dyn Write) -> Result<Exit, CliError> {
    let options = &ctx.invocation.options;
    if let Some(fail_on) = &options.fail_on {
        fail_on.of_rules().map_err(CliError::Usage)?;
    }
    if args.reads_per_month.is_some_and(|n| !n.is_finite() || n < 0.0) {
        return Err(CliError::Usage("--reads-per-month takes a number from 0".into()));
    }
    let parsed = rules::read(&args.policy)?;
    let list = &args.list;
    let has_list = list.inventory.is_some() || list.bucket.is_some() || list.dir.is_some();
    let scan = if has_list { Some(list::scan(list, ctx)?) } else { None };
    let prices = match &scan {
        Some(scan) => prices::of(ctx, list.price_region.as_deref(), Some(&scan.bucket))?.s3,
        None => None,
    };
    // Without a bucket that is named there is nobody to ask.
    let versioning = rules::versioning(args.versioning, list.bucket.as_deref(), ctx);
    let sizes = scan.as_ref().zip(prices.as_ref());
    let findings = lint(
        &parsed.lifecycle,
        &parsed.remarks,
        &LintContext {
            versioning,
            reads_per_month: args.reads_per_month,
            sizes: sizes.map(|(scan, prices)| Sizes { tree: &scan.tree, prices }),
        },
    );
    let partial = scan.as_ref().and_then(|s| s.partial.as_deref());
    let report = LintReport {
        findings: &findings,
        rules: parsed.lifecycle.rules.len(),
        prices: prices.as_ref(),
        partial,
    };
    ctx.print(&report, out)?;
    let found: Vec<Severity> = findings.iter().map(|f| f.severity).collect();
    if let Some(found) = options.fail_on.as_ref().and_then(|f| f.tripped_by_rules(&found)) {
        tell(format_args!("--fail-on: {found}"));
        return Ok(Exit::Findings);
    }
    Ok(list::exit(partial))
}
