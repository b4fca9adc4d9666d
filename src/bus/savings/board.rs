//! The one task that holds what is known of all that could be saved, and publishes it.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

use tokio::sync::mpsc;

use super::super::board::{self, Board as _, PictureStage};
use super::super::context::Told;
use super::super::facts::{account_key, wanted};
use super::super::readings::Readings;
use super::super::world::Update;
use super::super::{Account, Event, Regions, Settings, Shared, past};
use super::keep::kind;
use super::{Input, Known, keep};
use crate::domain::{
    CapacityReservation, Commitment, CommitmentSource, Commits, FleetHour, Holdings, Hour,
    PrivatePrices, Provenance, ReservesCapacity, SavingsFacts, Scope, ScopeResources, SourceError,
    SpotHistory, Unread, ZoneOffering, arcs,
};

/// Hours of the fleet that come with a picture: a week.
const HOURS: u32 = 168;

/// Everything known.
#[derive(Default)]
pub(super) struct Board {
    version: u64,
    /// The accounts and regions that are read, by the label of the account.
    claims: HashMap<String, HashSet<Scope>>,
    commitments: BTreeMap<(Scope, CommitmentSource), Vec<Arc<Commitment>>>,
    /// Why commitments could not be read that were never read.
    troubles: BTreeMap<(Scope, CommitmentSource), Arc<SourceError>>,
    holdings: Option<Arc<Holdings>>,
    hours: Arc<Vec<FleetHour>>,
    /// Up to when `hours` go.
    hours_to: Option<Hour>,
    spot: BTreeMap<Scope, Vec<Arc<SpotHistory>>>,
    offerings: BTreeMap<Scope, Arc<Vec<ZoneOffering>>>,
    resources: BTreeMap<Scope, Arc<ScopeResources>>,
    pub(super) readings: Readings,
}

/// Channels of the board of savings.
pub(super) struct Channels {
    /// Updates of the tasks that read.
    pub inbox: mpsc::Receiver<Input>,
    /// Commitments, for the join of the world task.
    pub updates: mpsc::Sender<Update>,
    /// Pictures, for the cockpit or the report.
    pub events: mpsc::Sender<Event>,
}

/// Runs until every task has dropped its sender or the bus stops; publishes what the cache holds
/// first, and a last picture at the end.
pub(super) async fn run(
    shared: &Arc<Shared>,
    accounts: &[Account],
    expected: &Known,
    channels: Channels,
    only_once: bool,
) {
    let Channels { inbox, updates, events } = channels;
    let mut board = Board::default();
    let selection = &expected.selection;
    let known = wanted(&shared.cache, selection, shared.now()).await;
    for (label, regions) in selection {
        let of = known.iter().find(|w| w.label() == label).map(|w| w.account().clone());
        board.await_answer(label, of, regions, expected.scopes.get(label));
    }
    keep::load(shared, &known, &mut board).await;
    for reading in board.readings.iter() {
        let _ = updates.send(Update::Remembered(reading.clone())).await;
    }
    let mut published = Published { shared, accounts, updates, events, board };
    published.share().await;
    board::run(&mut published, inbox, &shared.stop, only_once).await;
}

/// The board with where it is published.
struct Published<'a> {
    shared: &'a Shared,
    accounts: &'a [Account],
    updates: mpsc::Sender<Update>,
    events: mpsc::Sender<Event>,
    board: Board,
}

impl board::Board for Published<'_> {
    type Input = Input;

    async fn take(&mut self, input: Input) -> bool {
        self.board.take(input, self.shared).await;
        true
    }

    async fn publish(&mut self, _stage: PictureStage) {
        self.share().await;
        self.board.publish(self.shared, self.accounts, &self.events).await;
    }

    /// The join wants the commitments, whether or not there is a picture.
    async fn share(&mut self) {
        self.board.tell(self.shared, &self.updates).await;
    }
}

impl Board {
    /// Notes what is to be read of an account that has not answered yet.
    fn await_answer(
        &mut self,
        label: &str,
        account: Option<Arc<str>>,
        regions: &Regions,
        cached: Option<&HashSet<Scope>>,
    ) {
        let mut scopes = cached.cloned().unwrap_or_default();
        match account {
            Some(account) => {
                scopes.insert(Scope::account_wide(account.clone()));
                if let Regions::Named(names) = regions {
                    let named = names.iter().map(|r| Scope::new(account.clone(), r.clone()));
                    scopes.extend(named);
                }
            }
            None => {
                scopes.insert(account_key(label));
            }
        }
        self.claims.insert(label.to_owned(), scopes);
    }

    pub(super) async fn take(&mut self, input: Input, shared: &Shared) {
        match input {
            Input::Scopes { label, account, mut scopes } => {
                scopes.insert(Scope::account_wide(account));
                self.claims.insert(label, scopes);
                self.forget();
            }
            Input::Commitments { scope, source, answer } => match answer {
                Ok(items) => {
                    self.troubles.remove(&(scope.clone(), source));
                    let old = self.commitments.remove(&(scope.clone(), source));
                    let items = renewed(items, old.unwrap_or_default());
                    self.commitments.insert((scope, source), items);
                }
                // The last good answer stays; the reading says that it is old.
                Err(error) => {
                    self.troubles.insert((scope, source), error);
                }
            },
            Input::Spot { scope, histories } => {
                self.spot.insert(scope, arcs(histories));
            }
            Input::Offerings { scope, zones } => {
                self.offerings.insert(scope, Arc::new(zones));
            }
            Input::Resources { scope, resources } => {
                let now = shared.now();
                shared.cache.put(kind::RESOURCES, &scope, now, &*resources).await;
                self.resources.insert(scope, resources);
            }
            Input::Source(Told { source, scope, outcome }) => {
                self.readings.tell(source, scope, outcome, shared.now());
            }
        }
    }

    /// Resources of the last run.
    pub(super) fn remembered_resources(&mut self, scope: Scope, resources: Arc<ScopeResources>) {
        self.resources.insert(scope, resources);
    }

    /// Forgets what the cache showed and no account holds: the label led to another account then,
    /// or the region is not read any more.
    fn forget(&mut self) {
        let claims = &self.claims;
        let held = |scope: &Scope| claims.values().any(|scopes| scopes.contains(scope));
        self.commitments.retain(|(scope, _), _| held(scope));
        self.troubles.retain(|(scope, _), _| held(scope));
        self.spot.retain(|scope, _| held(scope));
        self.offerings.retain(|scope, _| held(scope));
        self.resources.retain(|scope, _| held(scope));
        self.readings.retain(|_, scope| held(scope));
    }

    /// Tells the world of the commitments, where they changed.
    async fn tell(&mut self, shared: &Shared, updates: &mpsc::Sender<Update>) {
        if !shared.settings.savings.commitments {
            return;
        }
        let new = self.held(&shared.settings);
        if self.holdings.as_ref().is_some_and(|old| **old == new) {
            return;
        }
        let new = Arc::new(new);
        self.holdings = Some(new.clone());
        let _ = updates.send(Update::Commitments(new)).await;
    }

    fn held(&self, settings: &Settings) -> Holdings {
        let mut items: Vec<Arc<Commitment>> =
            self.commitments.values().flatten().cloned().collect();
        let order = |c: &Commitment| (c.account.clone(), c.kind(), c.id.clone());
        items.sort_by_cached_key(|c| order(c));
        // Two profiles of one account read the same.
        items.dedup_by(|a, b| order(a) == order(b));
        for item in &mut items {
            if let Some(paid) = paid_for(item, &settings.prices) {
                *item = Arc::new(paid);
            }
        }
        let (sharing, groups) = (settings.savings.sharing, settings.savings.groups.clone());
        Holdings { items, unread: self.unread(), sharing, groups }
    }

    /// Commitments that were never read.
    fn unread(&self) -> Vec<Unread> {
        let mut out = Vec::new();
        for scope in self.claims.values().flatten() {
            for source in CommitmentSource::ALL {
                let of_account = source == CommitmentSource::SavingsPlans;
                let key = (scope.clone(), source);
                if of_account != scope.is_account_wide() || self.commitments.contains_key(&key) {
                    continue;
                }
                let why = match self.troubles.get(&key) {
                    Some(error) => format!("{}: {}", error.kind.word(), error.operation).into(),
                    None => "not read yet".into(),
                };
                out.push(Unread { scope: scope.clone(), source, why });
            }
        }
        out.sort();
        out.dedup();
        out
    }

    async fn publish(
        &mut self,
        shared: &Shared,
        accounts: &[Account],
        events: &mpsc::Sender<Event>,
    ) {
        let now = shared.now();
        let hour = Hour::containing(now);
        if self.hours_to != Some(hour) {
            let mut hours = past::recent(&shared.cache, accounts, now, HOURS).await;
            hours.sort_by(|a, b| (a.hour, &a.scope).cmp(&(b.hour, &b.scope)));
            (self.hours, self.hours_to) = (Arc::new(hours), Some(hour));
        }
        self.version += 1;
        let facts = SavingsFacts {
            version: self.version,
            made_at: now,
            holdings: self.holdings.clone(),
            hours: self.hours.clone(),
            spot: self.spot.values().flatten().cloned().collect(),
            offerings: self.offerings.clone(),
            resources: self.resources.clone(),
            readings: self.readings.iter().cloned().collect(),
        };
        // The receiver may be gone (the cockpit quit); nothing is left to tell then.
        let _ = events.send(Event::SavingsFacts(Arc::new(facts))).await;
    }
}

/// New commitments, those that did not change as they were: when each was read is said by the
/// reading, and a date alone is no news to the fleet.
fn renewed(items: Vec<Commitment>, old: Vec<Arc<Commitment>>) -> Vec<Arc<Commitment>> {
    let by_id: HashMap<Arc<str>, Arc<Commitment>> =
        old.into_iter().map(|c| (c.id.clone(), c)).collect();
    let keep = |new: Commitment| match by_id.get(&new.id) {
        Some(old) if Commitment { provenance: old.provenance.clone(), ..new.clone() } == **old => {
            old.clone()
        }
        _ => Arc::new(new),
    };
    items.into_iter().map(keep).collect()
}

/// A Capacity Block with what the configuration says was paid for it; `None` for anything else. No API
/// tells it.
fn paid_for(item: &Commitment, prices: &PrivatePrices) -> Option<Commitment> {
    let Commits::Capacity(capacity) = &item.commits else { return None };
    let ReservesCapacity::Block { .. } = capacity.reserves else { return None };
    let upfront_usd = Some(prices.block_usd(&item.id)?);
    let reserves = ReservesCapacity::Block { upfront_usd };
    let commits = Commits::Capacity(CapacityReservation { reserves, ..capacity.clone() });
    Some(Commitment { commits, provenance: Provenance::Configured, ..item.clone() })
}
