//! What the cache remembers of what could be saved: the first picture, before any account is asked.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use jiff::Timestamp;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::super::Shared;
use super::super::facts::Wanted;
use super::super::readings;
use super::Input;
use super::board::Board;
use crate::cache::{Cache, FactKind};
use crate::domain::{
    Commitment, CommitmentSource, Scope, ScopeResources, SourceId, SpotHistory, ZoneOffering,
};

/// Kinds of facts in the cache. A change of a stored type needs a new layout number.
pub(super) mod kind {
    use crate::cache::FactKind;
    use crate::domain::CommitmentSource;

    /// `Vec<Commitment>` per scope.
    const RESERVED: FactKind = FactKind::new("reserved-instances", 2);
    /// `Vec<Commitment>` per scope.
    const CAPACITY: FactKind = FactKind::new("capacity-reservations", 1);
    /// [`super::Plans`] per account.
    pub const PLANS: FactKind = FactKind::new("savings-plans", 1);
    /// [`super::Market`] per scope.
    pub const SPOT_HISTORY: FactKind = FactKind::new("spot-history", 2);
    /// `Vec<ZoneOffering>` per scope.
    pub const OFFERINGS: FactKind = FactKind::new("offerings", 1);
    /// `ScopeResources` per scope.
    pub const RESOURCES: FactKind = FactKind::new("resources", 3);

    /// The kind that commitments of a region are kept under; plans have more to keep.
    pub const fn of(source: CommitmentSource) -> FactKind {
        match source {
            CommitmentSource::ReservedInstances => RESERVED,
            CommitmentSource::CapacityReservations => CAPACITY,
            CommitmentSource::SavingsPlans => PLANS,
        }
    }
}

/// What the rates of a plan were asked for.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Asked {
    /// Region and type.
    pub pairs: BTreeSet<(Arc<str>, Arc<str>)>,
    /// When the oldest of them was.
    pub at: Timestamp,
}

/// The plans of an account with their rates.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Plans {
    /// The plans.
    pub plans: Vec<Commitment>,
    /// What each was asked for, by its id.
    pub asked: BTreeMap<Arc<str>, Asked>,
}

/// The Spot market of a region.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Market {
    /// Types that were asked for, also those that have no Spot price.
    pub asked: BTreeSet<Arc<str>>,
    /// The prices.
    pub histories: Vec<SpotHistory>,
}

/// Spot prices over time of all regions that the cache holds.
pub async fn kept_spot(cache: &Cache, now: Timestamp) -> Vec<SpotHistory> {
    let markets = cache.all::<Market>(kind::SPOT_HISTORY, now).await;
    markets.into_iter().flat_map(|(_, market)| market.value.histories).collect()
}

/// Puts what the cache holds of the selected accounts on the board.
pub(super) async fn load(shared: &Shared, wanted: &[Wanted<'_>], board: &mut Board) {
    let settings = &shared.settings.savings;
    let loader = Loader { shared, wanted };
    if settings.commitments {
        for source in [CommitmentSource::ReservedInstances, CommitmentSource::CapacityReservations]
        {
            for (scope, items) in loader.all::<Vec<Commitment>>(kind::of(source), board).await {
                if source == CommitmentSource::CapacityReservations {
                    shared.savings.keep(&scope, &items);
                }
                board.take(Input::Commitments { scope, source, answer: Ok(items) }, shared).await;
            }
        }
        for (scope, kept) in loader.all::<Plans>(kind::PLANS, board).await {
            let source = CommitmentSource::SavingsPlans;
            let answer = Ok(kept.plans);
            board.take(Input::Commitments { scope, source, answer }, shared).await;
        }
    }
    if settings.market {
        for (scope, kept) in loader.all::<Market>(kind::SPOT_HISTORY, board).await {
            board.take(Input::Spot { scope, histories: kept.histories }, shared).await;
        }
        for (scope, zones) in loader.all::<Vec<ZoneOffering>>(kind::OFFERINGS, board).await {
            board.take(Input::Offerings { scope, zones }, shared).await;
        }
    }
    if settings.resources {
        for (scope, resources) in loader.all::<ScopeResources>(kind::RESOURCES, board).await {
            board.remembered_resources(scope, Arc::new(resources));
        }
    }
}

struct Loader<'a> {
    shared: &'a Shared,
    wanted: &'a [Wanted<'a>],
}

impl Loader<'_> {
    /// The values of a kind in the selected scopes; the board is told how old each is.
    async fn all<T>(&self, kind: FactKind, board: &mut Board) -> Vec<(Scope, T)>
    where
        T: DeserializeOwned + Send + 'static,
    {
        let source = match kind.name {
            "spot-history" => SourceId::SpotHistory,
            "offerings" => SourceId::Offerings,
            "resources" => SourceId::Resources,
            _ => SourceId::Commitments,
        };
        let mut out = Vec::new();
        for (scope, stored) in self.shared.cache.all::<T>(kind, self.shared.now()).await {
            let mine = |w: &&Wanted<'_>| {
                let whole = scope.is_account_wide() && *w.account() == scope.account;
                whole || w.claims(&scope)
            };
            if self.wanted.iter().any(|w| mine(&w)) {
                board.readings.remember(readings::cached(source, &scope, stored.taken_at));
                out.push((scope, stored.value));
            }
        }
        out
    }
}
