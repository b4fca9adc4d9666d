//! The one task that holds what is known of the fleet, and publishes it.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{mpsc, oneshot};
use tokio::time::Instant;

use super::board::{self, Board, PictureStage};
use super::burn::Burn;
use super::facts::{Cached, account_key};
use super::readings::{News, Outcome, Readings};
use super::{Event, Shared, metrics};
use crate::analyze::idle::Policy;
use crate::domain::bill::{NewestBill, UnitCost};
use crate::domain::jobs::AvoidableRuns;
use crate::domain::{
    Holdings, Instance, LaunchOf, Offer, Reading, Scope, SourceError, SourceId, SourceState,
    TypeSpec, Verdict,
};
use crate::fleet::{Book, Fleet, HeldInstances, JoinInput, PriceBook, join};
use crate::source::{Identity, catalogue};

/// A stored summary is at most this old while the fleet moves.
const SUMMARY_EVERY: Duration = Duration::from_mins(1);
/// What was wasted so far grows with the time: rows that nothing else changes are made anew this
/// often, when the screen is brought up to date anyway.
const REJOIN_EVERY: Duration = Duration::from_secs(55);
/// Rows in the summary that paints first: more than any screen shows at once.
pub const SUMMARY_ROWS: usize = 250;

/// Update sent to the world task.
pub(super) enum Update {
    /// A source asked, answered or failed.
    Source { source: SourceId, scope: Scope, outcome: Outcome },
    /// A reading is about nothing any more: an account that failed under its label has an id now.
    Forget { source: SourceId, scope: Scope },
    /// An account said who we are.
    Account(Identity),
    /// What an account turned out to hold, all of it.
    Scopes { label: String, scopes: HashSet<Scope> },
    /// An account could not be asked for want of credentials.
    NoCredentials(Arc<SourceError>),
    /// The instances of a scope, all of them.
    Instances { scope: Scope, items: Vec<Arc<Instance>> },
    /// Types.
    Types(Vec<Arc<TypeSpec>>),
    /// Prices.
    Offers(Vec<Offer>),
    /// Who launched instances, by id.
    Launches(Vec<(Arc<str>, Arc<LaunchOf>)>),
    /// Verdicts of a policy.
    Verdicts { policy: Arc<Policy>, verdicts: Vec<(Arc<str>, Arc<Verdict>)> },
    /// All commitments, and what could not be read.
    Commitments(Arc<Holdings>),
    /// What resources cost on the newest bill, and the rates that it shows.
    Billed(Box<NewestBill>),
    /// Who holds instances, by what is kept of jobs.
    Held(Box<HeldInstances>),
    /// What runs cost, by the jobs that are kept.
    Runs(Vec<UnitCost>),
    /// What failed runs took that need not have been.
    FailedRuns(AvoidableRuns),
    /// How a source did in the last run, whose answers are shown until it answers again.
    Remembered(Reading),
    /// Own cost changed.
    OwnCost,
    /// A host that a source of GPUs reads failed, or works again (`None`): a line for the log.
    Trouble { source: SourceId, scope: Scope, error: Option<Arc<SourceError>> },
    /// So many metrics would have to be fetched for verdicts that the cache cannot give.
    Missing { metrics: u64 },
    /// Answers once all updates before it are in the fleet that the readers of GPUs see.
    Seen(oneshot::Sender<()>),
}

/// What an update changed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Change {
    /// Nothing that is shown.
    #[default]
    Nothing,
    /// How the sources are doing.
    Readings,
    /// Rows.
    Rows,
}

impl Change {
    /// Rows, where something changed.
    pub(super) fn rows_if(changed: bool) -> Self {
        if changed { Self::Rows } else { Self::Nothing }
    }

    /// What a new reading of `source` changes: the waste of a row is counted up to the last one of the metrics.
    fn of_reading(source: SourceId) -> Self {
        if source == SourceId::CloudWatch { Self::Rows } else { Self::Readings }
    }
}

struct World<'a> {
    shared: &'a Shared,
    /// To whoever runs the bus.
    events: &'a mpsc::Sender<Event>,
    version: u64,
    instances: HashMap<Scope, Vec<Arc<Instance>>>,
    /// Types, prices and commitments.
    book: Arc<Book>,
    /// Who holds instances.
    held: HeldInstances,
    /// Unit costs by the newest bill, and those of runs: the book has both.
    units: [Vec<UnitCost>; 2],
    verdicts: HashMap<Arc<str>, Arc<Verdict>>,
    readings: Readings,
    /// The scopes of each account, by its label.
    claims: HashMap<String, HashSet<Scope>>,
    /// What changed since the last picture.
    change: Change,
    /// The last picture and when its rows were joined.
    last: Option<(Arc<Fleet>, Instant)>,
    summary_at: Option<Instant>,
    /// `None` where there is no past.
    burn: Option<Burn>,
    answered: bool,
}

/// Runs until every task has dropped its sender, then publishes the last picture.
pub(super) async fn run(
    shared: &Shared,
    cached: Cached,
    inbox: mpsc::Receiver<Update>,
    events: &mpsc::Sender<Event>,
    only_once: bool,
) {
    board::run(&mut World::new(shared, cached, events), inbox, &shared.stop, only_once).await;
}

impl Board for World<'_> {
    type Input = Update;

    async fn take(&mut self, update: Update) -> bool {
        let change = self.apply(update).await;
        self.change = self.change.max(change);
        change != Change::Nothing
    }

    async fn publish(&mut self, stage: PictureStage) {
        let fleet = self.show();
        self.send(Event::Fleet(fleet.clone())).await;
        let stale = self.summary_at.is_none_or(|at| at.elapsed() > SUMMARY_EVERY);
        if (stale || stage == PictureStage::Last) && !fleet.rows.is_empty() {
            self.summary_at = Some(Instant::now());
            self.store_summary(&fleet).await;
        }
        let past = match &mut self.burn {
            Some(burn) => burn.see(self.shared, &fleet, stage == PictureStage::Last).await,
            None => None,
        };
        if let Some(past) = past {
            self.send(Event::BurnPast(past)).await;
        }
        if stage != PictureStage::Updated {
            self.own_cost().await;
        }
    }

    async fn share(&mut self) {
        self.show();
    }
}

impl<'a> World<'a> {
    fn new(shared: &'a Shared, cached: Cached, events: &'a mpsc::Sender<Event>) -> Self {
        let mut types: HashMap<Arc<str>, Arc<TypeSpec>> = catalogue::type_specs()
            .iter()
            .map(|spec| (spec.name.clone(), Arc::new(spec.clone())))
            .collect();
        types.extend(cached.types.into_iter().map(|spec| (spec.name.clone(), spec)));
        let mut prices = PriceBook::with_private(shared.settings.prices.clone());
        prices.extend(catalogue::offers());
        prices.extend(&cached.offers);
        Self {
            shared,
            events,
            version: 0,
            instances: cached.instances,
            book: Arc::new(Book {
                prices,
                types,
                launches: Arc::new(cached.launches),
                ..Book::default()
            }),
            held: HeldInstances::default(),
            units: [Vec::new(), Vec::new()],
            verdicts: cached.verdicts,
            readings: cached.readings,
            claims: cached.claims,
            change: Change::Rows,
            last: None,
            summary_at: None,
            burn: Burn::new(shared),
            answered: false,
        }
    }

    /// Takes an update in.
    async fn apply(&mut self, update: Update) -> Change {
        self.shared.tap.update(&update);
        match update {
            Update::Source { source, scope, outcome } => self.source(source, scope, outcome).await,
            Update::Forget { source, scope } => {
                self.readings.remove(source, &scope);
                Change::of_reading(source)
            }
            Update::Account(identity) => {
                self.answered = true;
                // Until it answered, it failed under its label.
                self.readings.remove(SourceId::Identity, &account_key(&identity.label));
                self.send(Event::Account(identity)).await;
                Change::Nothing
            }
            Update::NoCredentials(error) => {
                // One account with credentials is enough to show a fleet.
                if !self.answered && self.instances.is_empty() {
                    self.send(Event::NoCredentials(error)).await;
                }
                Change::Nothing
            }
            Update::Scopes { label, scopes } => {
                self.claim(label, scopes);
                Change::Rows
            }
            Update::Instances { scope, items } => {
                // What is gone or stopped has no verdict; what runs again gets a new one.
                let running: HashSet<&str> =
                    items.iter().filter(|i| i.state.is_billed()).map(|i| &*i.id).collect();
                for known in self.instances.get(&scope).into_iter().flatten() {
                    if !running.contains(&*known.id) {
                        self.verdicts.remove(&known.id);
                    }
                }
                drop(running);
                self.instances.insert(scope, items);
                Change::Rows
            }
            Update::Types(specs) => {
                Arc::make_mut(&mut self.book)
                    .types
                    .extend(specs.into_iter().map(|spec| (spec.name.clone(), spec)));
                Change::Rows
            }
            Update::Offers(offers) => {
                let changed = Arc::make_mut(&mut self.book).prices.extend(&offers);
                Change::rows_if(changed)
            }
            Update::Commitments(holdings) => {
                let changed = self.book.holdings.as_ref() != Some(&*holdings);
                if changed {
                    Arc::make_mut(&mut self.book).holdings = Some((*holdings).clone());
                }
                Change::rows_if(changed)
            }
            Update::Billed(bill) => {
                let NewestBill { costs, rates, network, units } = *bill;
                let changed = self.book.billed.as_deref() != Some(&costs)
                    || self.book.prices.billed() != Some(&rates)
                    || self.book.network.as_deref() != network.as_ref();
                // Fleets that were published share the book: it is copied where something is new alone.
                if changed {
                    let book = Arc::make_mut(&mut self.book);
                    book.prices.set_billed(rates);
                    book.billed = Some(Arc::new(costs));
                    book.network = network.map(Arc::new);
                }
                self.units[0] = units;
                Change::rows_if(self.book_units() || changed)
            }
            Update::Held(held) => {
                let changed = self.held != *held;
                self.held = *held;
                Change::rows_if(changed)
            }
            Update::Runs(units) => {
                self.units[1] = units;
                Change::rows_if(self.book_units())
            }
            Update::Launches(items) => {
                let book = Arc::make_mut(&mut self.book);
                Arc::make_mut(&mut book.launches).extend(items);
                Change::Rows
            }
            Update::FailedRuns(runs) => {
                let changed = self.book.failed_runs.as_deref() != Some(&runs);
                if changed {
                    Arc::make_mut(&mut self.book).failed_runs = Some(Arc::new(runs));
                }
                Change::rows_if(changed)
            }
            Update::Remembered(reading) => {
                let change = Change::of_reading(reading.source);
                self.readings.remember(reading);
                change
            }
            // A round that began before the policy was changed speaks of the old one.
            Update::Verdicts { policy, verdicts } => {
                if policy == *self.shared.policy.borrow() {
                    self.verdicts.extend(verdicts);
                }
                Change::Rows
            }
            Update::Missing { metrics } => {
                let micro_usd = metrics::get_metric_data(metrics);
                self.send(Event::Missing { metrics, micro_usd }).await;
                Change::Nothing
            }
            Update::Trouble { source, scope, error } => {
                let (at, state) = match &error {
                    Some(error) => (self.shared.now(), SourceState::Failed(error.clone())),
                    None => (self.shared.now(), SourceState::Live),
                };
                let reading = Reading { source, scope, taken_at: None, coverage: 0.0, state };
                self.send(Event::Source { at, reading, error }).await;
                Change::Nothing
            }
            Update::OwnCost => {
                self.own_cost().await;
                Change::Nothing
            }
            Update::Seen(answer) => {
                self.show();
                // Who asked may have given up waiting.
                let _ = answer.send(());
                Change::Nothing
            }
        }
    }

    /// Brings the unit costs of the book up to date; true where they are others than before.
    fn book_units(&mut self) -> bool {
        let changed = !self.units.iter().flatten().eq(self.book.units.iter());
        if changed {
            let units = self.units.iter().flatten().cloned().collect();
            Arc::make_mut(&mut self.book).units = units;
        }
        changed
    }

    /// Forgets what the cache showed for an account and no account holds: the label led to
    /// another account then, or the region is not read any more.
    fn claim(&mut self, label: String, scopes: HashSet<Scope>) {
        self.claims.insert(label, scopes);
        let claims = &self.claims;
        let held = |scope: &Scope| claims.values().any(|scopes| scopes.contains(scope));
        for (_, gone) in self.instances.extract_if(|scope, _| !held(scope)) {
            for instance in gone {
                self.verdicts.remove(&instance.id);
            }
        }
        // What tells of GPUs belongs to no account, and buckets lie in regions of their own.
        let kept = |source: SourceId| {
            source == SourceId::Identity || source.is_gpu() || source.is_storage()
        };
        // Savings Plans are of an account, wherever it is read.
        let of_account = |source: SourceId, scope: &Scope| {
            source == SourceId::Commitments
                && scope.is_account_wide()
                && claims.values().flatten().any(|held| held.account == scope.account)
        };
        self.readings
            .retain(|source, scope| kept(source) || of_account(source, scope) || held(scope));
    }

    async fn source(&mut self, source: SourceId, scope: Scope, outcome: Outcome) -> Change {
        let at = self.shared.now();
        let (reading, error) = match self.readings.tell(source, scope, outcome, at) {
            News::None => return Change::Nothing,
            News::Expected => return Change::of_reading(source),
            News::WorksAgain(reading) => {
                tracing::info!(source = source.word(), scope = %reading.scope, "works again");
                (reading, None)
            }
            News::Failed(reading, error) => {
                tracing::warn!(source = source.word(), scope = %reading.scope, %error, "failed");
                (reading, Some(error))
            }
        };
        self.send(Event::Source { at, reading, error }).await;
        Change::of_reading(source)
    }

    /// Shows the fleet to those who read and picture the GPUs.
    fn show(&mut self) -> Arc<Fleet> {
        let fleet = self.picture();
        self.change = Change::Nothing;
        self.shared.live.see(&fleet);
        fleet
    }

    /// The fleet as it is now. Where no row changed, version and rows are those of the last
    /// picture, and nothing that is made from rows has to be made again.
    fn picture(&mut self) -> Arc<Fleet> {
        let readings = self.readings.iter().cloned().collect();
        let last = self.last.as_ref().filter(|_| self.change < Change::Rows);
        if let Some((last, joined)) = last.filter(|(_, joined)| joined.elapsed() < REJOIN_EVERY) {
            let fleet = Arc::new(Fleet { readings, ..(**last).clone() });
            self.last = Some((fleet.clone(), *joined));
            return fleet;
        }
        self.version += 1;
        let instances: Vec<Arc<Instance>> = self.instances.values().flatten().cloned().collect();
        let mut fleet = join(JoinInput {
            version: self.version,
            now: self.shared.now(),
            instances: &instances,
            book: &self.book,
            verdicts: &self.verdicts,
            tag_keys: &self.shared.settings.tag_keys,
            readings,
        });
        fleet.hold(&self.held);
        let fleet = Arc::new(fleet);
        self.last = Some((fleet.clone(), Instant::now()));
        fleet
    }

    /// Stores the part of the fleet that the next start paints first.
    async fn store_summary(&self, fleet: &Fleet) {
        let summary = Fleet {
            rows: fleet.rows.iter().take(SUMMARY_ROWS).cloned().collect(),
            ..fleet.clone()
        };
        if let Ok(bytes) = postcard::to_allocvec(&summary) {
            self.shared.cache.put_summary(&self.shared.settings.summary_key, bytes).await;
        }
    }

    async fn own_cost(&self) {
        if let Some(cost) = self.shared.ledger.today(self.shared.now()).await {
            self.send(Event::OwnCost(cost)).await;
        }
    }

    async fn send(&self, event: Event) {
        // The receiver may be gone (the cockpit quit); nothing is left to tell then.
        let _ = self.events.send(event).await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analyze::idle::Preset;
    use crate::bus::tests::scripted::{Answer, Script, Scripted, instance, parts, read};
    use crate::bus::{Regions, facts, share};
    use crate::cache::{Cache, OpenOptions};
    use crate::source::Provider;

    /// Under load, a picture is made between the verdicts of a round and the reading that dates them.
    #[tokio::test]
    async fn a_reading_of_the_metrics_moves_the_waste_though_no_row_is_new() {
        let (first, later) = ("2026-11-21T03:07:00Z", "2026-11-21T04:07:00Z");
        let (cache, _) = Cache::open(OpenOptions::in_memory(), first.parse().unwrap());
        let provider =
            Scripted::new(Script::new(vec![instance("i-1", "c5.large")], Answer::Every(0.0)));
        read(&provider, first, Preset::Cautious, &cache).await;
        let selection = [(provider.label().to_owned(), Regions::Enabled)];
        let (handle, _) = share(parts(&provider, later, Preset::Cautious, &cache, false));
        let cached = facts::load(&handle.shared, &selection).await;
        let (events, _inbox) = mpsc::channel(64);
        let mut world = World::new(&handle.shared, cached, &events);
        let before = world.show();
        let row = &before.rows[0];
        let (rate, wasted) = (row.usd_per_hour().unwrap(), row.wasted_usd.unwrap());
        let scope = row.instance.scope.clone();
        let tell = |source, scope| Update::Source {
            source,
            scope,
            outcome: Outcome::Good { coverage: 1.0 },
        };
        world.take(tell(SourceId::Ec2, scope.clone())).await;
        assert_eq!(world.show().version, before.version, "nothing is counted up to the inventory");
        world.take(tell(SourceId::CloudWatch, scope)).await;
        let after = world.show().rows[0].wasted_usd.unwrap();
        assert!((after - wasted - rate).abs() < 1e-9, "{after} after {wasted}, {rate} an hour");
    }
}
