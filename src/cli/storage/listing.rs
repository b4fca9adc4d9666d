//! `--list`: a bucket listed object by object. What that takes is said first; nothing is listed
//! without `--yes`.

use jiff::Timestamp;
use jiff::civil::Date;

use super::args::ListArgs;
use super::{CliError, Ctx, Exit};
use crate::cli::inventories::{Finder, Owner, is_directory};
use crate::cli::tell::tell;
use crate::domain::SourceError;
use crate::domain::storage::{IncompleteUploads, Versioning};
use crate::domain::text::clean;
use crate::source::ledger::{BilledApi, usd_of_micro};
use crate::source::listing::{Estimate, PAGE, estimate};
use crate::source::{ListWhat, SizeMetric, SizeSeries};
use crate::tabs::storage::picture::words::size;
use crate::view::format;

/// Days back in which CloudWatch's newest count of objects is looked for: it lags up to two.
const COUNTED_WITHIN_DAYS: i64 = 4;

/// A bucket that is going to be listed.
pub(super) struct Walk {
    /// Finder of lists, which charges the requests.
    pub finder: Finder,
    /// Account that may read the bucket.
    pub owner: Owner,
    /// Name of the bucket.
    pub bucket: String,
    /// Current objects, or all versions.
    pub what: ListWhat,
    /// Most pages to read; 0 = no limit.
    pub page_limit: u64,
}

impl Walk {
    /// Says what the list takes; an error with exit code 2 when nobody said yes to it.
    pub(super) async fn offer(
        bucket: &str,
        finder: Finder,
        args: &ListArgs,
        ctx: &Ctx<'_>,
    ) -> Result<Self, SourceOr> {
        let owner = finder.owner(bucket).await?;
        let config = finder.config(bucket, &owner).await?;
        if config.gone {
            let message = format!("bucket {} is gone: deleted, or never there", clean(bucket));
            return Err(CliError::Failed { exit: Exit::Unreadable, message }.into());
        }
        let objects = counted(&finder, &owner, bucket, ctx.invocation.options.now()).await;
        let limit = ctx.invocation.config.storage.list_limit;
        let says = words(bucket, objects, limit, args.prefix.is_some());
        if !args.yes {
            let message = format!("{says}\nnothing was listed; --yes goes ahead");
            return Err(CliError::Usage(message).into());
        }
        tell(says);
        // Where versioning was never on there are no old versions.
        let plain = is_directory(bucket) || config.versioning == Ok(Versioning::Off);
        let what = if plain { ListWhat::Objects } else { ListWhat::Versions };
        let page_limit = limit.div_ceil(PAGE);
        Ok(Self { finder, owner, bucket: bucket.to_owned(), what, page_limit })
    }
}

/// A source that failed, or a command that ends for another reason.
pub(super) enum SourceOr {
    Source(SourceError),
    Cli(CliError),
}

impl From<SourceError> for SourceOr {
    fn from(error: SourceError) -> Self {
        Self::Source(error)
    }
}

impl From<CliError> for SourceOr {
    fn from(error: CliError) -> Self {
        Self::Cli(error)
    }
}

/// CloudWatch's newest count of the bucket's objects; `None` when it is not known.
async fn counted(finder: &Finder, owner: &Owner, bucket: &str, now: Timestamp) -> Option<u64> {
    let series = [SizeSeries {
        bucket: bucket.into(),
        metric: SizeMetric::Objects,
        dimension: "AllStorageTypes".into(),
    }];
    let today = Date::from(now.to_zoned(jiff::tz::TimeZone::UTC));
    let from = today.checked_sub(jiff::Span::new().days(COUNTED_WITHIN_DAYS)).ok()?;
    finder.charge(BilledApi::GetMetricData, 1).await.ok()?;
    let answer = owner.source.size_data(&owner.region, &series, from..today).await.ok()?;
    let (_, objects) = answer.first()?.points.last().copied()?;
    Some(objects.max(0.0) as u64)
}

/// Pages, dollars and time that a listing takes, in words.
fn words(bucket: &str, objects: Option<u64>, limit: u64, is_part: bool) -> String {
    let bucket = clean(bucket);
    let limited = |objects: u64| limit > 0 && objects > limit;
    let rate = |micro_usd: u64| format::usd_rate(usd_of_micro(micro_usd));
    let cost = |e: &Estimate| {
        format!(
            "{} pages of {}, {}, {} to {}",
            format::grouped(e.pages as f64, 0),
            format::grouped(PAGE as f64, 0),
            rate(e.micro_usd),
            format::span(e.seconds.0 as i64),
            format::span(e.seconds.1 as i64),
        )
    };
    let each = "a page more, and one for each of them, lists unfinished uploads";
    match objects {
        Some(objects) => {
            let most = if is_part { "at most " } else { "" };
            let end = match limited(objects) {
                true => format!(
                    "; it ends after {} objects (`storage.list_limit`), about {}",
                    format::grouped(limit as f64, 0),
                    rate(estimate(limit).micro_usd)
                ),
                false => String::new(),
            };
            format!(
                "listing {bucket}: {most}about {} objects, {}{end}; {each}",
                format::grouped(objects as f64, 0),
                cost(&estimate(objects))
            )
        }
        None if limit > 0 => format!(
            "listing {bucket}: how many objects it has is not known; at most {} \
             (`storage.list_limit`), {}; {each}",
            format::grouped(limit as f64, 0),
            cost(&estimate(limit))
        ),
        None => format!(
            "listing {bucket}: how many objects it has is not known; each page of {} takes {} and \
             0.1 to 0.2 s; {each}",
            format::grouped(PAGE as f64, 0),
            rate(estimate(1).micro_usd)
        ),
    }
}

/// The uploads of a bucket, a sentence; `None` when there is nothing to say.
pub(super) fn uploads_note(uploads: &IncompleteUploads) -> Option<String> {
    if uploads.uploads == 0 {
        return None;
    }
    let bytes = uploads.bytes.map_or(String::new(), |b| format!(", {}", size(b as f64)));
    let more = if uploads.partial { "at least " } else { "" };
    Some(format!(
        "{more}{} uploads begun and not completed, {} of them older than 7 days{bytes}: billed, and \
         in no list of objects",
        uploads.uploads, uploads.older_than_7_days
    ))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::source::memory::{Memory, now};

    #[test]
    fn what_a_list_takes_is_said_with_its_limit() {
        // 1,234,567 objects: 1,235 pages at $0.005 per 1,000, 0.1 to 0.2 s each.
        let says = words("data", Some(1_234_567), 10_000_000, false);
        assert!(says.contains("1,234,567 objects, 1,235 pages of 1,000, $0.006175"), "{says}");
        assert!(!says.contains("list_limit"), "{says}");
        let says = words("data", Some(20_000_000), 10_000_000, true);
        assert!(says.contains("at most about 20,000,000 objects"), "{says}");
        assert!(says.contains("ends after 10,000,000 objects") && says.contains("$0.05"), "{says}");
        let says = words("data", None, 5_000, false);
        assert!(says.contains("not known; at most 5,000") && says.contains("$0.000025"), "{says}");
        let says = words("data\u{1b}[2J", None, 0, false);
        assert!(says.contains("$0.000005 and 0.1 to 0.2 s") && !says.contains('\u{1b}'), "{says}");
    }

    #[tokio::test]
    async fn cloudwatch_knows_how_many_or_nobody_does() {
        let owner = |objects| {
            let mut memory = Memory::default();
            memory.objects = objects;
            Owner { source: Arc::new(memory), region: "eu-west-1".into() }
        };
        let finder = Finder { sources: Vec::new(), ledger: None, configured: Default::default() };
        assert_eq!(counted(&finder, &owner(Some(42.0)), "data", now()).await, Some(42));
        assert_eq!(counted(&finder, &owner(None), "data", now()).await, None);
    }

    #[test]
    fn uploads_are_told_and_none_are_not() {
        assert_eq!(uploads_note(&IncompleteUploads::default()), None);
        let some = IncompleteUploads {
            uploads: 3,
            older_than_7_days: 2,
            bytes: Some(5 << 30),
            partial: true,
        };
        let note = uploads_note(&some).unwrap();
        assert!(note.starts_with("at least 3 uploads") && note.contains("2 of them"), "{note}");
    }
}
