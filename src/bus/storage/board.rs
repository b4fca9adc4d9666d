//! The one task that holds what is known of storage, and publishes it.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use tokio::sync::mpsc;

use super::super::board::{self, PictureStage};
use super::super::context::Told;
use super::super::readings::{News, Readings};
use super::super::world::Change;
use super::super::{Event, Regions, Shared};
use super::{Picture, keep, scans};
use crate::domain::Scope;
use crate::domain::storage::bucket::{BucketFacts, Fact, IncompleteUploads};
use crate::domain::storage::{Bucket, EbsFacts, EbsPrices, S3Prices, Scan, StorageFacts};
use crate::source::storage_prices;

/// Update sent to the board of storage.
pub(in crate::bus) enum Input {
    /// An account answered.
    Account { account: Arc<str>, label: Arc<str> },
    /// All buckets of an account.
    Buckets { account: Arc<str>, buckets: Vec<Bucket> },
    /// A bucket was looked at.
    Facts(Arc<BucketFacts>),
    /// The volumes of a scope were looked at.
    Ebs(Box<EbsFacts>),
    /// Somebody listed a bucket or a directory.
    Scan(Arc<Scan>),
    /// Somebody listed the uploads of a bucket that were never completed.
    Uploads { bucket: Arc<str>, uploads: IncompleteUploads },
    /// What S3 costs in a region, from the price list.
    S3Prices(Arc<S3Prices>),
    /// What volumes and snapshots cost in a region, from the price list.
    EbsPrices(Arc<EbsPrices>),
    /// How a source is doing.
    Source(Told),
}

impl From<Told> for Input {
    fn from(told: Told) -> Self {
        Self::Source(told)
    }
}

/// Everything known.
#[derive(Default)]
pub(super) struct Board {
    version: u64,
    /// Change since the last picture.
    change: Change,
    accounts: BTreeMap<Arc<str>, Arc<str>>,
    /// By account and name.
    buckets: BTreeMap<(Arc<str>, Arc<str>), Arc<BucketFacts>>,
    ebs: BTreeMap<Scope, Arc<EbsFacts>>,
    scans: BTreeMap<Arc<str>, Arc<Scan>>,
    uploads: BTreeMap<Arc<str>, IncompleteUploads>,
    s3_prices: BTreeMap<Arc<str>, Arc<S3Prices>>,
    ebs_prices: BTreeMap<Arc<str>, Arc<EbsPrices>>,
    pub(super) readings: Readings,
}

/// Runs until every task has dropped its sender or the bus stops; publishes what the cache holds
/// first, and a last picture at the end.
pub(super) async fn run(
    shared: &Arc<Shared>,
    selection: &[(String, Regions)],
    inbox: mpsc::Receiver<Input>,
    events: &mpsc::Sender<Event>,
    only_once: bool,
) {
    let board = keep::board(shared, selection).await;
    // With nobody who goes on reading there is no background.
    let at_end = only_once || shared.settings.offline;
    let mut published =
        Published { shared, events, board, at_end, loader: scans::Loader::default() };
    board::run(&mut published, inbox, &shared.stop, only_once).await;
}

/// The board with where it is published.
struct Published<'a> {
    shared: &'a Arc<Shared>,
    events: &'a mpsc::Sender<Event>,
    board: Board,
    /// Scans are read for the last picture, not in the background.
    at_end: bool,
    loader: scans::Loader,
}

impl board::Board for Published<'_> {
    type Input = Input;

    async fn take(&mut self, input: Input) -> bool {
        let are_buckets = matches!(input, Input::Buckets { .. });
        self.board.take(input, self.shared);
        if are_buckets && !self.at_end {
            self.loader.load(self.shared, self.board.names());
        }
        self.board.change != Change::Nothing
    }

    async fn publish(&mut self, stage: PictureStage) {
        if stage == PictureStage::Last && self.at_end {
            for scan in scans::of(&self.shared.cache, self.board.names()).await {
                self.board.take(Input::Scan(scan), self.shared);
            }
        }
        self.board.publish(self.shared, self.events).await;
        if stage == PictureStage::Cached && !self.at_end {
            self.loader.load(self.shared, self.board.names());
        }
    }
}

impl Board {
    pub(super) fn take(&mut self, input: Input, shared: &Shared) {
        self.change = self.change.max(self.changed_by(input, shared));
    }

    /// Takes in an update and returns what it changed.
    fn changed_by(&mut self, input: Input, shared: &Shared) -> Change {
        match input {
            Input::Account { account, label } => {
                let old = self.accounts.insert(account, label.clone());
                Change::rows_if(old != Some(label))
            }
            Input::Buckets { account, buckets } => {
                let there: BTreeSet<&Arc<str>> = buckets.iter().map(|b| &b.name).collect();
                let before = self.buckets.len();
                self.buckets.retain(|(a, name), _| *a != account || there.contains(name));
                let mut changed = self.buckets.len() != before;
                for bucket in &buckets {
                    let key = (account.clone(), bucket.name.clone());
                    let known = self.buckets.get(&key);
                    if known.is_none_or(|k| k.bucket.scope != bucket.scope) {
                        let facts = keep::not_read(bucket.clone(), shared.now());
                        self.buckets.insert(key, Arc::new(facts));
                        changed = true;
                    }
                }
                Change::rows_if(changed)
            }
            Input::Facts(facts) => {
                let key = (facts.bucket.scope.account.clone(), facts.bucket.name.clone());
                self.buckets.insert(key, facts);
                Change::Rows
            }
            Input::Ebs(mut facts) => {
                let mut changed = true;
                if let Some(old) = self.ebs.get(&facts.scope) {
                    reuse(&mut facts.volumes, &old.volumes, |volume| &volume.id);
                    reuse(&mut facts.snapshots, &old.snapshots, |snapshot| &snapshot.id);
                    // A later date alone is said by the reading.
                    let taken_at = std::mem::replace(&mut facts.taken_at, old.taken_at);
                    changed = *facts != **old;
                    facts.taken_at = taken_at;
                }
                self.ebs.insert(facts.scope.clone(), Arc::from(facts));
                Change::rows_if(changed)
            }
            Input::Scan(scan) => {
                let newer = |old: &Arc<Scan>| old.listed_at > scan.listed_at;
                let counts = !self.scans.get(&scan.bucket).is_some_and(newer);
                if counts {
                    self.scans.insert(scan.bucket.clone(), scan);
                }
                Change::rows_if(counts)
            }
            Input::Uploads { bucket, uploads } => {
                self.uploads.insert(bucket, uploads);
                Change::Rows
            }
            Input::S3Prices(prices) => {
                self.s3_prices.insert(prices.region.as_str().into(), prices);
                Change::Rows
            }
            Input::EbsPrices(prices) => {
                self.ebs_prices.insert(prices.region.as_str().into(), prices);
                Change::Rows
            }
            Input::Source(Told { source, scope, outcome }) => {
                // Sums say what they leave out: which sources have answered is news to rows.
                let answered = |readings: &Readings| {
                    readings.get(source, &scope).map(|reading| reading.taken_at.is_some())
                };
                let before = answered(&self.readings);
                match self.readings.tell(source, scope.clone(), outcome, shared.now()) {
                    News::None => Change::Nothing,
                    _ if answered(&self.readings) != before => Change::Rows,
                    _ => Change::Readings,
                }
            }
        }
    }

    pub(super) async fn publish(&mut self, shared: &Shared, events: &mpsc::Sender<Event>) {
        // Rows or none: the first picture is one.
        if self.change == Change::Rows || self.version == 0 {
            self.version += 1;
        }
        self.change = Change::Nothing;
        let picture = self.picture(shared);
        // The receiver may be gone (the cockpit quit); nothing is left to tell then.
        let _ = events.send(Event::StorageFacts(picture)).await;
    }

    fn picture(&self, shared: &Shared) -> Picture {
        let settings = &shared.storage.settings;
        let regions: BTreeSet<&Arc<str>> = self
            .buckets
            .values()
            .map(|b| &b.bucket.scope.region)
            .chain(self.ebs.keys().map(|scope| &scope.region))
            .collect();
        // Prices of another region are shown for this one only where somebody said so.
        let instead = |region: &str| settings.price_region.as_deref().filter(|r| *r != region);
        let mut facts = StorageFacts {
            version: self.version,
            made_at: shared.now(),
            accounts: self.accounts.clone(),
            buckets: self.buckets.values().map(|facts| self.with_uploads(facts)).collect(),
            ebs: self.ebs.values().cloned().collect(),
            scans: self.scans.values().cloned().collect(),
            readings: self.readings.iter().cloned().collect(),
            ..StorageFacts::default()
        };
        // What the price list said, else what the binary has.
        let s3 = |r: &str| {
            self.s3_prices.get(r).cloned().or_else(|| storage_prices::s3(r).map(Arc::new))
        };
        let ebs = |r: &str| {
            self.ebs_prices.get(r).cloned().or_else(|| storage_prices::ebs(r).map(Arc::new))
        };
        for region in regions {
            let of_s3 = s3(region).or_else(|| instead(region).and_then(s3));
            let of_ebs = ebs(region).or_else(|| instead(region).and_then(ebs));
            facts.s3_prices.extend(of_s3.map(|p| (region.clone(), p)));
            facts.ebs_prices.extend(of_ebs.map(|p| (region.clone(), p)));
        }
        Arc::new(facts)
    }

    /// The facts of a bucket, with its uploads where somebody listed them.
    fn with_uploads(&self, facts: &Arc<BucketFacts>) -> Arc<BucketFacts> {
        let listed = self.uploads.get(&facts.bucket.name).filter(|_| facts.uploads.is_none());
        let Some(uploads) = listed else { return facts.clone() };
        Arc::new(BucketFacts { uploads: Some(Ok(uploads.clone())), ..(**facts).clone() })
    }

    /// Names of all buckets.
    pub(super) fn names(&self) -> BTreeSet<Arc<str>> {
        self.buckets.keys().map(|(_, name)| name.clone()).collect()
    }
}

/// In place of what did not change what is held already: rows and pictures share it.
pub(super) fn reuse<T: PartialEq>(
    new: &mut Fact<Vec<Arc<T>>>,
    held: &Fact<Vec<Arc<T>>>,
    id: fn(&T) -> &Arc<str>,
) {
    let by_id: HashMap<&Arc<str>, &Arc<T>> = held.iter().flatten().map(|t| (id(t), t)).collect();
    for item in new.iter_mut().flatten() {
        if let Some(known) = by_id.get(id(item)).filter(|known| ***known == *item) {
            *item = (*known).clone();
        }
    }
}
