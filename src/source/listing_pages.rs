//! The pages of a listing as pieces of a list, so that they go through the same pass as those of
//! an inventory.

use std::ops::ControlFlow;
use std::sync::mpsc::{Receiver, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};

use jiff::Timestamp;
use tokio::runtime::Handle;
use tokio_util::sync::CancellationToken;

use super::ledger::Ledger;
use super::listing::{Listed, Lister};
use super::objects::{Piece, Sink, Supply};
use super::storage::{ListPlace, ListWhat, StorageSource};
use crate::domain::SourceError;
use crate::domain::storage::{IncompleteUploads, ObjectBatch};

/// Pages that may wait for whoever adds up: what comes over the network is slower.
const WAITING: usize = 4;

/// A listing to be made, with its settings.
#[derive(Clone)]
pub struct Order {
    /// Source of the pages.
    pub source: Arc<dyn StorageSource>,
    /// Ledger for the pages; `None` when they cost nothing (the demo).
    pub ledger: Option<Ledger>,
    /// Stops the list after the current page.
    pub cancel: CancellationToken,
    /// Clock, for the day of the ledger.
    pub now: fn() -> Timestamp,
    /// Largest number of pages; 0 for no limit.
    pub page_limit: u64,
    /// Region of the bucket.
    pub region: Arc<str>,
    /// Bucket name.
    pub bucket: Arc<str>,
    /// Prefix of the wanted keys; empty for all.
    pub prefix: String,
    /// Current objects, or all versions.
    pub what: ListWhat,
}

impl Order {
    fn lister(&self) -> Lister<'_> {
        Lister {
            source: &*self.source,
            ledger: self.ledger.as_ref(),
            cancel: &self.cancel,
            now: self.now,
            page_limit: self.page_limit,
        }
    }

    fn place(&self) -> ListPlace<'_> {
        ListPlace { region: &self.region, bucket: &self.bucket, prefix: &self.prefix }
    }

    /// Incomplete multipart uploads of the bucket, with the bytes of their parts. Err when a page fails.
    pub async fn uploads(&self) -> Result<IncompleteUploads, SourceError> {
        self.lister().uploads(self.place(), true).await
    }
}

/// Pages of a listing in progress, as a [`Supply`] for a scan.
pub struct Pages {
    batches: Mutex<Receiver<ObjectBatch>>,
    listed: Arc<Mutex<Option<Listed>>>,
    cancel: CancellationToken,
}

impl Pages {
    /// Starts the listing on a thread of `runtime`, which must keep running.
    pub fn start(order: Order, runtime: &Handle) -> Self {
        let (sender, batches) = sync_channel(WAITING);
        let end = Arc::new(Mutex::new(None));
        let (result, inside) = (end.clone(), runtime.clone());
        let cancel = order.cancel.clone();
        // A thread that may wait: the page after this one is not asked for before there is room.
        runtime.spawn_blocking(move || {
            let lister = order.lister();
            let made = inside.block_on(
                lister.run(order.place(), order.what, |batch| sender.send(batch).is_ok()),
            );
            *result.lock().unwrap_or_else(PoisonError::into_inner) = Some(made);
            // With the sender the pages end, and the result is there by then.
            drop(sender);
        });
        Self { batches: Mutex::new(batches), listed: end, cancel }
    }

    /// Result of the listing, after its last page; partial when it was cancelled or broke off.
    pub fn listed(&self) -> Listed {
        let listed = self.listed.lock().unwrap_or_else(PoisonError::into_inner).clone();
        // Whoever adds up may see the end before the list does.
        let why = if self.cancel.is_cancelled() { "cancelled" } else { "broken off" };
        listed.unwrap_or_else(|| Listed { partial: Some(why.to_owned()), ..Listed::default() })
    }
}

impl Supply for Pages {
    fn next(&self) -> Option<Result<Box<dyn Piece + '_>, SourceError>> {
        let page = self.batches.lock().unwrap_or_else(PoisonError::into_inner).recv().ok()?;
        Some(Ok(Box::new(Page(page))))
    }
}

struct Page(ObjectBatch);

impl Piece for Page {
    fn read(&mut self, sink: &mut Sink<'_>) -> Result<(), SourceError> {
        // Nothing is left of a page to be broken off.
        let (ControlFlow::Continue(()) | ControlFlow::Break(())) = sink(&self.0, 0);
        Ok(())
    }
}
