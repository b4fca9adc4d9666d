//! `burntop network cache`: what a cache would save, by logs of reads.

use std::io::Write;

use super::args::{CacheArgs, CacheBy};
use crate::analyze::network::cache::{
    CacheChoice, CacheFold, CachePath, CachePrices, PathPrice, cache_rows,
};
use crate::cli::exit::{CliError, Exit};
use crate::cli::invocation::Invocation;
use crate::cli::list_options::Selection;
use crate::cli::reports;
use crate::cli::tell::tell;
use crate::config::Env;
use crate::domain::format::counted;
use crate::domain::object_reads::ReadsBy;
use crate::domain::storage::{Tier, VolumeKind};
use crate::domain::text::clean;
use crate::report::{CacheOf, LogTold};
use crate::source::access_logs::{Log, LogReads, read};
use crate::source::{demo, storage_prices};
use crate::tabs::network::picture::{CacheField, cache_items};

/// US dollars of a GiB of `FSx` for Lustre (scratch, SSD) for a month in us-east-1: AWS, "Amazon `FSx` for Lustre pricing", example
/// 1, as of 2026-11. Of other regions no price is embedded: there it stands in, and the report says so.
const LUSTRE_GIB: (&str, f64) = ("us-east-1", 0.14);

/// Prints what a cache would save. Fails for arguments that do not fit, and where no read could be read.
pub(super) fn run(
    args: &CacheArgs,
    invocation: &Invocation,
    env: &Env,
    out: &mut dyn Write,
) -> Result<Exit, CliError> {
    let chosen = Selection::<CacheField>::of(invocation)?;
    if invocation.options.fail_on.is_some() {
        let why = "--fail-on: reads are no findings; leave it out";
        return Err(CliError::Usage(why.into()));
    }
    let demo = invocation.reach.demo_fleet(&invocation.config, &invocation.options);
    let log = match (&demo, args.logs.is_empty()) {
        (Some(demo), true) => Log::Text("demo".into(), demo::reads::access_log(demo)),
        (None, false) => Log::Paths(args.logs.clone()),
        (Some(_), false) => {
            let why = "the demo has a log of its own; leave out --demo or --log";
            return Err(CliError::Usage(why.into()));
        }
        (None, true) => {
            let why = "--log is wanted: server access logs of S3, data events of CloudTrail, or flow logs";
            return Err(CliError::Usage(why.into()));
        }
    };
    let by = match args.by {
        None => ReadsBy::All,
        Some(CacheBy::Prefix) => ReadsBy::Prefix { depth: args.depth },
        Some(CacheBy::Reader) => ReadsBy::Reader,
    };
    let mut fold = CacheFold::new(args.cache.as_slice());
    let read = read(log, by, &mut |event| fold.take(event));
    let reads = fold.finished();
    if reads.groups.is_empty() {
        return Err(CliError::Failed { exit: Exit::Unreadable, message: nothing(&read) });
    }
    let prices = prices(&args.price_region);
    // The buckets of the demo lie in another region than those who read them.
    let of_demo = demo.is_some().then_some(PathPrice::List(CachePath::InterRegion));
    let path = args.path.map(|path| PathPrice::List(path.path()));
    let price = args.usd_per_gb.map(PathPrice::PerGb).or(path).or(of_demo);
    let is_per_reader = by == ReadsBy::Reader;
    let choice = CacheChoice { cache_bytes: args.cache, price, prices, is_per_reader };
    let rows = cache_rows(reads.clone(), &read.groups, &choice);
    let region = clean(&args.price_region).into_owned();
    let is_whole = read.failed_count == 0 && read.broken_count == 0;
    let of = CacheOf { by, reads, price, prices, region, log: told(read) };
    let ctx = reports::context(invocation, env);
    let list = chosen.list(&cache_items(rows, by), of, &ctx);
    reports::print(&list, invocation, &ctx, out)?;
    if is_whole {
        return Ok(Exit::Ok);
    }
    troubles(&list.of.log).for_each(tell);
    Ok(Exit::Partial)
}

/// How reading went, in words.
fn told(read: LogReads) -> LogTold {
    let failed = read.failed.iter();
    LogTold {
        files: read.files,
        lines: read.lines,
        failed: failed.map(|of| (of.file.to_string(), of.line, of.why.to_string())).collect(),
        failed_count: read.failed_count,
        broken: read.broken.iter().map(|(file, why)| (file.to_string(), why.to_string())).collect(),
        broken_count: read.broken_count,
        notes: read.notes().iter().map(ToString::to_string).collect(),
    }
}

/// What was not read, for standard error: each with the first one.
fn troubles(log: &LogTold) -> impl Iterator<Item = String> {
    log.unread().into_iter().map(|unread| match unread.which.first() {
        Some(first) => format!("{}: {first}", unread.what),
        None => unread.what,
    })
}

/// Why nothing was read.
fn nothing(read: &LogReads) -> String {
    let log = told(read.clone());
    let mut lines: Vec<String> = troubles(&log).collect();
    if lines.is_empty() {
        let read = counted(log.lines as usize, "line", "lines");
        lines.push(format!("the log has {read} and no successful read of an object"));
    }
    lines.extend(log.notes);
    lines.join("\n")
}

/// Embedded list prices of a region; what is not known of it stays so.
fn prices(region: &str) -> CachePrices {
    let get = storage_prices::s3(region);
    let disks = storage_prices::ebs(region);
    // Not so in China.
    let in_dollars = !region.starts_with("cn-");
    CachePrices {
        get_per_1000: get.and_then(|prices| prices.tier(Tier::Standard)?.get_per_1000),
        gp3_gib: disks.and_then(|prices| prices.kind(VolumeKind::Gp3)?.gib),
        lustre_gib: in_dollars.then_some(LUSTRE_GIB.1),
        lustre_of: (in_dollars && region != LUSTRE_GIB.0).then_some(LUSTRE_GIB.0),
    }
}
