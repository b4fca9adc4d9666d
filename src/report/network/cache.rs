//! What a cache would save, from logs of reads.

use std::ops::Add;

use serde_json::{Value as Json, json};

use crate::analyze::network::cache::{
    CacheAdvice, CachePrices, CacheReads, CurvePoint, GroupReads, Medium, PathPrice, lustre_gib,
};
use crate::domain::object_reads::ReadsBy;
use crate::domain::{Reading, SourceId};
use crate::report::json::number;
use crate::report::{List, ListField};
use crate::tabs::network::picture::{CacheField, CacheItem};
use crate::view::{ViewContext, format, reasons};

/// Failed lines, and files, that notes name.
const NAMED: usize = 5;

/// What rows of reads are made of.
#[derive(Clone, Debug)]
pub struct CacheOf {
    /// What the rows are of.
    pub by: ReadsBy,
    /// The whole log: curve, span, how many objects were followed.
    pub reads: CacheReads,
    /// What the path charges; `None` where that is not known.
    pub price: Option<PathPrice>,
    /// Prices of the region.
    pub prices: CachePrices,
    /// The region of the prices.
    pub region: String,
    /// How reading the log went.
    pub log: LogTold,
}

/// How reading a log went.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LogTold {
    /// Files and lines that were read.
    pub files: u64,
    /// Lines, those that failed among them.
    pub lines: u64,
    /// Lines that could not be read: file, line, why; the first ones of many.
    pub failed: Vec<(String, u64, String)>,
    /// Number of all of them.
    pub failed_count: u64,
    /// Files that could not be read to their end, with why; the first ones of many.
    pub broken: Vec<(String, String)>,
    /// Number of all of them.
    pub broken_count: u64,
    /// What is odd or left out, one sentence each.
    pub notes: Vec<String>,
}

/// What could not be read of a log: its lines, or its files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unread {
    /// How many of what, without a full stop.
    pub what: String,
    /// What that means for the figures, to be added; empty for nothing.
    pub means: &'static str,
    /// The first ones, each with why; never empty where they were kept.
    pub which: Vec<String>,
}

impl LogTold {
    /// What could not be read: lines, and files; empty where all was.
    pub fn unread(&self) -> Vec<Unread> {
        let lines = (self.failed_count > 0).then(|| {
            let failed = format::counted(self.failed_count as usize, "line", "lines");
            let which =
                self.failed.iter().map(|(file, at, why)| format!("{file}, line {at}: {why}"));
            Unread {
                what: format!("{failed} could not be read"),
                means: " and count nothing",
                which: which.collect(),
            }
        });
        let files = (self.broken_count > 0).then(|| {
            let broken = format::counted(self.broken_count as usize, "file", "files");
            let which = self.broken.iter().map(|(file, why)| format!("{file}: {why}"));
            Unread {
                what: format!("{broken} could not be read to the end"),
                means: "",
                which: which.collect(),
            }
        });
        lines.into_iter().chain(files).collect()
    }
}

/// Sums over the rows of a list.
#[derive(Default)]
struct Total {
    requests: Option<u64>,
    read: u64,
    distinct: Option<f64>,
    hits: f64,
    saved: Option<f64>,
    gp3: Option<f64>,
    /// Bytes read in a month.
    monthly: Option<f64>,
}

impl Total {
    fn of<'a>(rows: impl Iterator<Item = &'a CacheItem>) -> Self {
        rows.fold(Self::default(), |total, row| {
            let (of, reads) = (&row.of, &row.of.reads);
            Self {
                requests: plus(total.requests, reads.requests),
                read: total.read.saturating_add(reads.read_bytes),
                distinct: plus(total.distinct, reads.distinct_bytes),
                hits: total.hits + of.hit_bytes(),
                saved: plus(total.saved, of.saving.usd_per_month),
                gp3: plus(total.gp3, of.gp3_usd),
                monthly: plus(total.monthly, of.saving.read_bytes_per_month),
            }
        })
    }

    fn ratio(&self) -> f64 {
        if self.read == 0 { 0.0 } else { self.hits / self.read as f64 }
    }
}

/// A sum with a part more: what is not known adds nothing.
fn plus<T: Add<Output = T> + Default>(sum: Option<T>, part: Option<T>) -> Option<T> {
    match part {
        None => sum,
        Some(part) => Some(sum.unwrap_or_default() + part),
    }
}

fn size(bytes: f64) -> String {
    format::bytes_binary(bytes)
}

fn point(point: &CurvePoint) -> Json {
    let mut json = json!({
        "cache_bytes": point.cache_bytes,
        "hit_bytes_ratio": point.hit_bytes_ratio,
        "hit_requests_ratio": point.hit_requests_ratio,
    });
    if let Some(error) = point.error {
        json["hit_bytes_ratio_error"] = json!(error.ratio);
        json["cache_bytes_error_ratio"] = json!(error.size);
    }
    json
}

fn curve(of: &GroupReads) -> Json {
    of.curve.iter().map(point).collect()
}

/// `, $1.20 a month`.
fn saved(usd: Option<f64>) -> String {
    usd.map_or_else(String::new, |usd| format!(", {} a month", format::usd_coarse(usd)))
}

/// `gp3 $655 a month, paid back in 3 days`, or that it costs more than it saves; `None` without a price.
fn cost(name: &str, usd: Option<f64>, saved: Option<f64>) -> Option<String> {
    let usd = usd?;
    let back = match saved {
        None => String::new(),
        Some(saved) if saved > usd => {
            format!(", paid back in {}", reasons::days_of_months(usd / saved))
        }
        Some(_) => ", more than it saves".to_owned(),
    };
    Some(format!("{name} {} a month{back}", format::usd_coarse(usd)))
}

/// Sizes of the caches of the rows that have one, bytes.
fn caches(list: &List<CacheField>) -> impl Iterator<Item = f64> {
    list.each().filter_map(|row| row.of.point).map(|point| point.cache_bytes as f64)
}

/// What caches of the rows save: `2 TiB on each of 4 readers removes 91% of 412 TiB a month, $8,440 a month`.
fn sentence(list: &List<CacheField>, total: &Total) -> Option<String> {
    let (first, rows) = (list.rows.first()?, list.rows.len());
    let much = total.monthly.map_or_else(
        || format!("{} (a log without a span: no month)", size(total.read as f64)),
        |bytes| format!("{} a month", size(bytes)),
    );
    if caches(list).next().is_none() {
        total.requests?;
        return Some(format!("no cache has anything of {much}: {}", first.why));
    }
    let bytes = first.of.point.map_or(0, |point| point.cache_bytes);
    let cache = match list.of.by {
        ReadsBy::All => {
            format!("a cache of {}, shared by all readers, removes", size(bytes as f64))
        }
        ReadsBy::Reader => {
            let readers = format::plural(rows, "reader");
            format!("{} on each of {readers} removes", size(bytes as f64))
        }
        ReadsBy::Prefix { .. } => format!(
            "caches of {} in all, one for each prefix that gains by it, remove",
            size(caches(list).sum())
        ),
    };
    let share = format::share(total.ratio(), 0);
    Some(format!("{cache} {share} of {much}{}", saved(total.saved)))
}

/// ` (an estimate at the price of us-east-1)` where no price of the region is known; else nothing.
fn stands_in(of: &CacheOf) -> String {
    let other = of.prices.lustre_of.map(|other| {
        format!(" (an estimate at the price of {other}, for that of {} is not embedded)", of.region)
    });
    other.unwrap_or_default()
}

/// What the cache itself costs, where it may lie.
fn costs(list: &List<CacheField>, total: &Total) -> Option<String> {
    caches(list).next()?;
    // A file system is shared: of readers it would hold what one cache holds.
    let shared = match (&list.of.by, list.rows.first()) {
        (ReadsBy::All, Some(row)) => row.of.lustre_usd,
        (ReadsBy::Prefix { .. }, _) => {
            Medium::Lustre.usd_per_month(caches(list).sum(), &list.of.prices)
        }
        _ => None,
    };
    let parts = [
        Some("the disks that instances have (instance store) nothing".to_owned()),
        cost("gp3", total.gp3, total.saved),
        cost("FSx for Lustre", shared, total.saved)
            .map(|cost| format!("{cost}{}", stands_in(&list.of))),
    ];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    Some(format!("the cache itself costs: {}", parts.join("; ")))
}

/// Text to copy, for the size of the cache that has the most bytes; none where no cache is worth it.
fn recipes(list: &List<CacheField>) -> Vec<String> {
    let is_worth = |row: &&CacheItem| matches!(row.of.advice, Some(CacheAdvice::Keep { .. }));
    let best =
        list.each().filter(is_worth).max_by(|a, b| a.of.hit_bytes().total_cmp(&b.of.hit_bytes()));
    let Some(point) = best.and_then(|row| row.of.point) else { return Vec::new() };
    let (mib, lustre) = (point.cache_bytes >> 20, lustre_gib(point.cache_bytes as f64));
    let lines = [
        "to copy (each node its own cache, on its instance store or a volume at /mnt/cache):"
            .into(),
        format!("  mount-s3 BUCKET /mnt/data --cache /mnt/cache --max-cache-size {mib}"),
        format!(
            "  StreamingDataset(remote=URL, local=\"/mnt/cache\", cache_limit={})",
            point.cache_bytes
        ),
        format!(
            "  wds.WebDataset(urls, cache_dir=\"/mnt/cache\", cache_size={})",
            point.cache_bytes
        ),
        "to copy (one file system for all):".into(),
        "  aws fsx create-file-system --file-system-type LUSTRE --subnet-ids SUBNET \\".into(),
        format!("    --file-system-type-version 2.15 --storage-capacity {lustre} \\"),
        "    --lustre-configuration DeploymentType=SCRATCH_2".into(),
        "  aws fsx create-data-repository-association --file-system-id FS \\".into(),
        "    --file-system-path /data --data-repository-path s3://BUCKET/PREFIX".into(),
    ];
    lines.into()
}

/// What could not be read, with the first ones.
fn troubles(log: &LogTold) -> Vec<String> {
    let unread = log.unread();
    let lines = unread.iter().flat_map(|unread| {
        let head = format!("! {}{}", unread.what, unread.means);
        std::iter::once(head).chain(unread.which.iter().take(NAMED).map(|one| format!("  {one}")))
    });
    lines.collect()
}

/// That a sample was followed, and how far it may be off.
fn sampled(list: &List<CacheField>) -> Option<String> {
    let reads = &list.of.reads;
    (reads.followed < 1.0).then(|| {
        let errors = list.each().filter_map(|row| row.of.point?.error);
        let (ratio, size) =
            errors.fold((0f64, 0f64), |most, error| (most.0.max(error.ratio), most.1.max(error.size)));
        format!(
            "! too many objects to follow all: 1 in {} by its hash was; hits are within ±{} points of the truth at a size \
             within ±{} (three standard errors)",
            format::count(1.0 / reads.followed),
            format::trimmed(ratio * 100.0, 1),
            format::share(size, 1),
        )
    })
}

/// Hours that the log spans; `None` without events.
fn hours(reads: &CacheReads) -> Option<f64> {
    reads.span_ms().map(|ms| ms as f64 / 3_600_000.0)
}

/// What the span of the log means for a month.
fn span(reads: &CacheReads) -> Option<String> {
    let hours = hours(reads)?;
    (hours < 24.0).then(|| {
        format!("! the log spans {} h: a month of it is a guess", format::trimmed(hours, 1))
    })
}

impl ListField for CacheField {
    type Of = CacheOf;

    const VIEW: &'static str = "network-cache";

    const SOURCES: &'static [SourceId] = &[];

    const IDENTITY: &'static [Self] = &[Self::Prefix, Self::Reader];

    fn columns_of(of: &CacheOf) -> Option<Vec<Self>> {
        let rest = Self::COLUMNS[1..].iter().copied();
        Some(match of.by {
            ReadsBy::All => rest.collect(),
            ReadsBy::Prefix { .. } => std::iter::once(Self::Prefix).chain(rest).collect(),
            ReadsBy::Reader => std::iter::once(Self::Reader).chain(rest).collect(),
        })
    }

    fn readings(_: &CacheOf) -> &[Reading] {
        &[]
    }

    fn basis(of: &CacheOf) -> String {
        let exact =
            if of.reads.followed < 1.0 { "estimated from a sample of objects" } else { "exact" };
        format!(
            "an LRU cache of whole objects, bounded in bytes, {exact}; an object larger than the cache is not kept; requests for \
             parts of an object are one read until they add up to its size; a month is 730 h; {}; prices of {}{}",
            reasons::path_price(of.price),
            of.region,
            of.prices.lustre_of.map_or_else(String::new, |other| {
                format!(", of FSx for Lustre an estimate at that of {other}")
            })
        )
    }

    fn more(row: &CacheItem, _: &CacheOf) -> Vec<(&'static str, Json)> {
        vec![("curve", curve(&row.of.reads))]
    }

    fn beside(list: &List<Self>, _: &ViewContext) -> Vec<(&'static str, Json)> {
        let (total, of) = (Total::of(list.each()), &list.of);
        let log = &of.log;
        let failed = |(file, line, why): &(String, u64, String)| json!({"file": file, "line": line, "why": why});
        let broken = |(file, why): &(String, String)| json!({"file": file, "why": why});
        vec![
            (
                "total",
                json!({
                    "requests": total.requests,
                    "read_bytes": total.read,
                    "distinct_bytes": number(total.distinct.map(f64::round)),
                    "hit_bytes_ratio": number(total.requests.map(|_| total.ratio())),
                    "saved_usd_per_month": number(total.saved),
                    "gp3_usd_per_month": number(total.gp3),
                }),
            ),
            ("curve_of_all", curve(&of.reads.all)),
            ("followed_ratio", json!(of.reads.followed)),
            ("span_hours", json!(hours(&of.reads))),
            (
                "log",
                json!({
                    "files": log.files,
                    "lines": log.lines,
                    "failed_count": log.failed_count,
                    "failed_lines": log.failed.iter().map(failed).collect::<Vec<_>>(),
                    "broken_count": log.broken_count,
                    "broken_files": log.broken.iter().map(broken).collect::<Vec<_>>(),
                    "notes": log.notes,
                }),
            ),
        ]
    }

    fn notes(list: &List<Self>, _: &ViewContext) -> Vec<String> {
        let (total, of) = (Total::of(list.each()), &list.of);
        let mut notes: Vec<String> = sentence(list, &total).into_iter().collect();
        notes.extend(costs(list, &total));
        if of.by != ReadsBy::All {
            let why = |row: &CacheItem| {
                (!row.why.is_empty()).then(|| format!("  {}: {}", row.id, row.why))
            };
            notes.extend(list.each().take(NAMED).filter_map(why));
        } else if let Some(row) = list.rows.first().filter(|row| row.of.point.is_some()) {
            notes.push(row.why.clone());
        }
        let recipes = recipes(list);
        let is_mixed = of.by == ReadsBy::All && recipes.is_empty() && total.requests.is_some();
        notes.extend(is_mixed.then(|| {
            "`burntop network cache --by prefix` tells whether a part of it gains more".to_owned()
        }));
        notes.extend(recipes);
        notes.extend(sampled(list));
        notes.extend(span(&of.reads));
        if of.reads.unremembered > 0 {
            notes.push(format!(
                "! {} not remembered: reads of them count as reads of what was there before",
                format::counted(
                    of.reads.unremembered as usize,
                    "object written anew was",
                    "objects written anew were"
                )
            ));
        }
        notes.extend(troubles(&of.log));
        notes.extend(of.log.notes.iter().cloned());
        notes
    }
}
