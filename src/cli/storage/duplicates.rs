//! `burntop storage duplicates`: copies in a list of objects, prefix against prefix.

use std::io::Write;
use std::sync::Arc;

use super::args::{ConfidenceChoice, DuplicatesArgs};
use super::{CliError, Ctx, Exit, list, prices};
use crate::analyze::storage::duplicates::{Duplicates, Limits, usd_per_month};
use crate::analyze::storage::price::{Rates, Volumes};
use crate::analyze::storage::{TreeFold, TreeLimits};
use crate::domain::Provenance;
use crate::domain::storage::{Confidence, PrefixTree, Scan};
use crate::report::DuplicatesReport;
use crate::source::objects::Need;

pub(super) fn run(
    args: &DuplicatesArgs,
    ctx: &Ctx<'_>,
    out: &mut dyn Write,
) -> Result<Exit, CliError> {
    // Replicas are never counted, and whether one is a replica is among what holds it.
    let need = Need { etags: true, holds: true, ..Need::default() };
    // The tree says how much the account's tiers hold at least: that makes the marginal price.
    let listed = list::fold(&args.list, ctx, need, |info| {
        let tree = TreeFold::new(info, TreeLimits::default());
        (tree, Duplicates::new(info, Limits::default()))
    })?;
    let (tree, copies) = listed.fold;
    let key = listed.key;
    let tree = tree.finish();
    let found = copies.finish(least(args.confidence));
    let mut notes = listed.notes;
    notes.extend(found.notes());
    let scan = Scan {
        bucket: listed.info.bucket,
        origin: listed.origin,
        listed_at: listed.listed_at,
        scanned_at: listed.scanned_at,
        rows: listed.rows,
        partial: listed.partial,
        notes,
        tree: Arc::new(tree),
        runs: None,
        duplicates: None,
    };
    if let Some(key) = key {
        // Which copies are sure enough is chosen by whoever looks at them.
        let found = found.pairs.clone();
        let least_is_all = !matches!(args.confidence, ConfidenceChoice::A | ConfidenceChoice::B);
        let duplicates = least_is_all.then(|| Arc::new(found));
        list::keep(ctx, &key, Scan { duplicates, ..scan.clone() })?;
    }
    let options = &ctx.invocation.options;
    let priced = prices::of(ctx, args.list.price_region.as_deref(), Some(&scan.bucket))?;
    let region = priced.region.as_str();
    let volumes = Volumes::of(&scan.tree.sums(PrefixTree::ROOT));
    let date = jiff::civil::Date::from(options.now().to_zoned(jiff::tz::TimeZone::UTC));
    let rates = priced.s3.as_ref().map_or_else(
        || Rates::unknown(region, Provenance::Embedded { date }),
        |prices| Rates::marginal(prices, &volumes),
    );
    let usd: Vec<Option<f64>> =
        found.pairs.iter().map(|p| usd_per_month(p, &|tier| rates.usd_per_gib(tier))).collect();
    let report = DuplicatesReport {
        scan: &scan,
        pairs: &found.pairs,
        usd: &usd,
        region,
        provenance: &rates.provenance,
        readings: &[],
    };
    ctx.print(&report, out)?;
    Ok(list::exit(scan.partial.as_deref()))
}

fn least(choice: ConfidenceChoice) -> Confidence {
    match choice {
        ConfidenceChoice::A => Confidence::A,
        ConfidenceChoice::B => Confidence::B,
        ConfidenceChoice::C => Confidence::C,
        ConfidenceChoice::D => Confidence::D,
    }
}
