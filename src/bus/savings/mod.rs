//! What could be saved: commitments, Spot prices over time, what zones offer, and resources that are
//! no instances, as one raw picture after another.
//!
//! ```text
//!  Provider ──► commitments (account: plans and their rates; region: reservations, capacity)
//!        ├────► market      (region: Spot prices over time, what zones offer)
//!        └────► resources   (region: notebooks, endpoints, addresses, gateways, balancers)
//!                 │ Input                     │ Update (commitments into the join; sources)
//!                 ▼                           ▼
//!  cache ◄── board (one task) ──► Event::SavingsFacts      the world, header
//! ```
//!
//! Each part of each account and region fails for itself, and what fails keeps its last good value.

mod board;
mod candidates;
mod commitments;
mod keep;
mod market;
mod resources;
mod state;
#[cfg(test)]
mod tests;

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use jiff::SignedDuration;
use tokio::sync::mpsc;

pub(super) use self::keep::kept_spot;
pub(super) use self::state::SavingsState;
use super::context::Told;
use super::world::Update;
use super::{Account, Event, Regions, Shared, context};
use crate::analyze::savings::SavingsRules;
use crate::domain::{
    Commitment, CommitmentSource, Scope, ScopeResources, SharingGroups, SourceError, SpotHistory,
    ZoneOffering,
};
use crate::source::Provider;

/// What of it is read, and how often.
#[expect(clippy::struct_excessive_bools, reason = "each switches a part of its own")]
#[derive(Clone, Debug, PartialEq)]
pub struct SavingsSettings {
    /// Commitments.
    pub commitments: bool,
    /// Spot prices over time, and what zones offer.
    pub market: bool,
    /// Resources that are no instances.
    pub resources: bool,
    /// Discounts are shared between the accounts (the default of AWS Organizations).
    pub sharing: bool,
    /// Accounts that are served before others, or alone.
    pub groups: SharingGroups,
    /// Time between two readings of commitments.
    pub commitments_every: SignedDuration,
    /// Time between two readings of Spot prices and offerings.
    pub market_every: SignedDuration,
    /// Time between two readings of resources.
    pub resources_every: SignedDuration,
    /// What is proposed, and for which work.
    pub rules: SavingsRules,
}

impl Default for SavingsSettings {
    /// Nothing is read; commitments hourly, the market each six hours, resources each quarter of an
    /// hour where they are. Discounts are shared.
    fn default() -> Self {
        Self {
            commitments: false,
            market: false,
            resources: false,
            sharing: true,
            groups: SharingGroups::default(),
            commitments_every: SignedDuration::from_hours(1),
            market_every: SignedDuration::from_hours(6),
            resources_every: SignedDuration::from_mins(15),
            rules: SavingsRules::default(),
        }
    }
}

impl SavingsSettings {
    /// True when anything is read.
    pub fn is_on(&self) -> bool {
        self.commitments || self.market || self.resources
    }
}

/// Update sent to the board of savings.
pub(super) enum Input {
    /// An account answered: what of it is read.
    Scopes {
        /// The name the user knows it by.
        label: String,
        /// 12-digit id.
        account: Arc<str>,
        /// Accounts and regions.
        scopes: HashSet<Scope>,
    },
    /// Commitments of one kind in an account and region (of the account as a whole for plans): all
    /// of them, or why they could not be read.
    Commitments {
        /// Where.
        scope: Scope,
        /// Which.
        source: CommitmentSource,
        /// Commitments of the account or scope, or why they could not be read.
        answer: Result<Vec<Commitment>, Arc<SourceError>>,
    },
    /// Spot prices over time of an account and region, all of them.
    Spot {
        /// Where.
        scope: Scope,
        /// Which.
        histories: Vec<SpotHistory>,
    },
    /// What the zones of an account and region offer.
    Offerings {
        /// Where.
        scope: Scope,
        /// By zone.
        zones: Vec<ZoneOffering>,
    },
    /// How a source is doing.
    Source(Told),
    /// The resources of an account and region, all of them, with what they did.
    Resources {
        /// Where.
        scope: Scope,
        /// Which.
        resources: Arc<ScopeResources>,
    },
}

impl From<Told> for Input {
    fn from(told: Told) -> Self {
        Self::Source(told)
    }
}

/// What the tasks of an account and region work with.
pub(super) type Context = context::Context<Arc<dyn Provider>, mpsc::Sender<Input>>;

impl Context {
    fn settings(&self) -> &SavingsSettings {
        &self.shared.settings.savings
    }
}

/// What is looked at, before any account answers.
pub(super) struct Known {
    /// Label and regions of each account.
    pub selection: Vec<(String, Regions)>,
    /// Accounts and regions in the cache, by label of the account: their commitments are expected.
    pub scopes: HashMap<String, HashSet<Scope>>,
}

/// Starts the board. Updates go to it by the returned channel, and it ends when all senders are dropped. `None` where
/// nothing is read.
pub(super) fn start(
    shared: &Arc<Shared>,
    accounts: &[Account],
    known: Known,
    updates: &mpsc::Sender<Update>,
    events: mpsc::Sender<Event>,
    only_once: bool,
) -> Option<(mpsc::Sender<Input>, tokio::task::JoinHandle<()>)> {
    // A tape says itself what was known.
    if !shared.settings.savings.is_on() || shared.tape.is_some() {
        return None;
    }
    let (inputs, inbox) = mpsc::channel(64);
    let channels = board::Channels { inbox, updates: updates.clone(), events };
    let (shared, accounts) = (shared.clone(), accounts.to_vec());
    let board = tokio::spawn(async move {
        board::run(&shared, &accounts, &known, channels, only_once).await;
    });
    Some((inputs, board))
}

/// Reads what could be saved in an account. Runs until stopped; with `only_once` until everything
/// was read once.
pub(super) async fn run(ctx: Context, label: String, regions: Vec<Arc<str>>) {
    let account = ctx.scope.account.clone();
    let scopes: Vec<Scope> =
        regions.into_iter().map(|region| Scope::new(account.clone(), region)).collect();
    let known = Input::Scopes { label, account, scopes: scopes.iter().cloned().collect() };
    let _ = ctx.inputs.send(known).await;
    let settings = ctx.settings().clone();
    let mut tasks = tokio::task::JoinSet::new();
    for scope in &scopes {
        let of_scope = || Context { scope: scope.clone(), ..ctx.clone() };
        if settings.market {
            tasks.spawn(market::run(of_scope()));
        }
        if settings.resources {
            tasks.spawn(resources::run(of_scope()));
        }
    }
    if settings.commitments {
        tasks.spawn(commitments::run(ctx, scopes));
    }
    while tasks.join_next().await.is_some() {}
}
