//! Listing a bucket object by object: what it costs and how long it takes, said before it begins,
//! and the list itself, charged page by page and broken off when asked.

use jiff::Timestamp;
use tokio_util::sync::CancellationToken;

use super::ledger::{BilledApi, Ledger};
use super::pages::Pages;
use super::storage::{ListPlace, ListWhat, StorageSource};
use crate::domain::storage::ObjectBatch;
use crate::domain::storage::bucket::IncompleteUploads;
use crate::domain::{ErrorKind, SourceError};

/// Largest number of rows in a page, which most pages have.
pub const PAGE: u64 = 1_000;

/// Milliseconds that a page takes, from–to: what `LIST` needs over the network.
const PAGE_MS: (u64, u64) = (100, 200);

/// Estimate of listing a bucket.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Estimate {
    /// Expected number of objects (or versions).
    pub objects: u64,
    /// Number of pages, one request each.
    pub pages: u64,
    /// Cost of the pages, millionths of a dollar at $0.005 per 1,000 requests.
    pub micro_usd: u64,
    /// Shortest and longest time, seconds: pages are read one after the other.
    pub seconds: (u64, u64),
}

/// Estimate of listing `objects` objects; at least one page, which an empty bucket has as well.
pub fn estimate(objects: u64) -> Estimate {
    let pages = objects.div_ceil(PAGE).max(1);
    let seconds = |ms: u64| pages.saturating_mul(ms).div_ceil(1_000);
    Estimate {
        objects,
        pages,
        micro_usd: BilledApi::S3List.cost_micro_usd(pages),
        seconds: (seconds(PAGE_MS.0), seconds(PAGE_MS.1)),
    }
}

/// Result of a listing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Listed {
    /// Number of rows passed on.
    pub rows: u64,
    /// Number of pages read.
    pub pages: u64,
    /// Why the list is incomplete, one sentence; `None` when it is complete.
    pub partial: Option<String>,
    /// Error that ended it early; `None` without one.
    pub error: Option<SourceError>,
}

impl Listed {
    fn broken_off(self, error: SourceError) -> Self {
        Self { partial: Some(format!("broken off: {error}")), error: Some(error), ..self }
    }
}

/// Settings of a listing.
#[derive(Clone, Copy)]
pub struct Lister<'a> {
    /// Source of the pages.
    pub source: &'a dyn StorageSource,
    /// Ledger for the pages; `None` when they cost nothing (the demo).
    pub ledger: Option<&'a Ledger>,
    /// Stops the list after the current page.
    pub cancel: &'a CancellationToken,
    /// Clock, for the day of the ledger.
    pub now: fn() -> Timestamp,
    /// Largest number of pages; 0 for no limit.
    pub page_limit: u64,
}

impl Lister<'_> {
    /// Lists the objects under a prefix and passes each page to `sink`, which returns false to stop. Pages passed on
    /// before a failure stay valid: the result is marked as partial.
    pub async fn run(
        &self,
        at: ListPlace<'_>,
        what: ListWhat,
        mut sink: impl FnMut(ObjectBatch) -> bool + Send,
    ) -> Listed {
        let mut listed = Listed::default();
        let mut pages = Pages::of(LIST, at.region).of_any_number();
        while let Some(token) = pages.ask() {
            if let Some(why) = self.stops(listed.pages) {
                listed.partial = Some(why);
                return listed;
            }
            let mut batch = ObjectBatch::default();
            let page = match self.charge().await {
                Ok(()) => self.source.objects(at, what, token, &mut batch).await,
                Err(refused) => Err(refused),
            };
            let next = match page {
                Ok(next) => next,
                Err(error) => return listed.broken_off(error),
            };
            listed.pages += 1;
            listed.rows += batch.len() as u64;
            let goes_on = batch.is_empty() || sink(batch);
            if next.is_some() && !goes_on {
                listed.partial = Some(CANCELLED.to_owned());
                return listed;
            }
            if let Err(error) = pages.follow(next) {
                return listed.broken_off(error);
            }
        }
        listed
    }

    /// Counts incomplete multipart uploads, with the bytes of their parts for `with_bytes` (a further request for
    /// each). Err when a page fails; a cancelled or limited list is a partial result.
    pub async fn uploads(
        &self,
        at: ListPlace<'_>,
        with_bytes: bool,
    ) -> Result<IncompleteUploads, SourceError> {
        let week_ago = (self.now)() - jiff::SignedDuration::from_hours(7 * 24);
        let mut sum = IncompleteUploads { bytes: with_bytes.then_some(0), ..Default::default() };
        let mut pages = Pages::of(LIST, at.region).of_any_number();
        let mut read = 0;
        while let Some(token) = pages.ask() {
            if self.stops(read).is_some() {
                sum.partial = true;
                return Ok(sum);
            }
            self.charge().await?;
            let (uploads, next) = self.source.uploads(at, token).await?;
            read += 1;
            for upload in &uploads {
                sum.uploads += 1;
                sum.older_than_7_days += u64::from(upload.begun.is_some_and(|t| t < week_ago));
                let Some(bytes) = sum.bytes else { continue };
                if self.stops(read).is_some() {
                    (sum.bytes, sum.partial) = (None, true);
                    continue;
                }
                self.charge().await?;
                let more = self.source.upload_bytes(at.region, at.bucket, upload).await;
                // An upload that was completed meanwhile has no parts any more.
                sum.bytes = match more {
                    Ok(more) => Some(bytes.saturating_add(more)),
                    Err(e) if e.kind == ErrorKind::Refused => Some(bytes),
                    Err(_) => None,
                };
            }
            pages.follow(next)?;
        }
        Ok(sum)
    }

    fn stops(&self, pages: u64) -> Option<String> {
        if self.cancel.is_cancelled() {
            return Some(CANCELLED.to_owned());
        }
        let at_limit = self.page_limit > 0 && pages >= self.page_limit;
        at_limit.then(|| format!("stopped after {pages} pages, the limit of the configuration"))
    }

    async fn charge(&self) -> Result<(), SourceError> {
        let Some(ledger) = self.ledger else { return Ok(()) };
        let charged = ledger.charge(BilledApi::S3List, 1, (self.now)()).await;
        charged.map_err(|refused| refused.error(LIST))
    }
}

/// IAM action of listing a bucket.
const LIST: &str = "s3:ListBucket";

const CANCELLED: &str = "cancelled";
