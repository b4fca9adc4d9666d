//! What the tasks of this folder share with the rest of the bus: the instance types that run where.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use crate::domain::{Commitment, Commits, Instance, Scope};

/// The types that run in each scope, and those that capacity is kept for there.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Types {
    running: BTreeMap<Scope, BTreeSet<Arc<str>>>,
    kept: BTreeMap<Scope, BTreeSet<Arc<str>>>,
}

impl Types {
    /// Types that run in a scope.
    pub fn running(&self, scope: &Scope) -> BTreeSet<Arc<str>> {
        self.running.get(scope).cloned().unwrap_or_default()
    }

    /// Everything that plans may be applied to, by region: what runs, and what capacity is kept for.
    pub fn by_region(&self) -> BTreeMap<Arc<str>, BTreeSet<Arc<str>>> {
        let mut out: BTreeMap<Arc<str>, BTreeSet<Arc<str>>> = BTreeMap::new();
        for (scope, types) in self.running.iter().chain(&self.kept) {
            out.entry(scope.region.clone()).or_default().extend(types.iter().cloned());
        }
        out
    }
}

/// The shared part.
#[derive(Debug)]
pub struct SavingsState {
    types: watch::Sender<Types>,
    /// Cancelled when every inventory was read, or could not be.
    pub listed: CancellationToken,
}

impl Default for SavingsState {
    fn default() -> Self {
        Self { types: watch::channel(Types::default()).0, listed: CancellationToken::new() }
    }
}

impl SavingsState {
    /// An inventory was read.
    pub fn see(&self, scope: &Scope, instances: &[Arc<Instance>]) {
        let billed = instances.iter().filter(|i| i.state.is_billed());
        let types = billed.map(|i| i.instance_type.clone()).collect();
        self.types.send_if_modified(|all| changed(&mut all.running, scope, types));
    }

    /// Capacity reservations were read.
    pub fn keep(&self, scope: &Scope, commitments: &[Commitment]) {
        let of = |c: &Commitment| match &c.commits {
            Commits::Capacity(capacity) => Some(capacity.instance_type.clone()),
            _ => None,
        };
        let types = commitments.iter().filter_map(of).collect();
        self.types.send_if_modified(|all| changed(&mut all.kept, scope, types));
    }

    /// What runs, and news of it.
    pub fn types(&self) -> watch::Receiver<Types> {
        self.types.subscribe()
    }

    /// Waits until the fleet is known, though not for ever: one region that hangs holds up nobody.
    pub async fn known(&self, only_once: bool) {
        if only_once {
            self.listed.cancelled().await;
            return;
        }
        tokio::select! {
            () = self.listed.cancelled() => {}
            () = tokio::time::sleep(PATIENCE) => {}
        }
    }
}

/// How long the first question waits for the inventories: a type that comes later is asked for
/// then.
const PATIENCE: Duration = Duration::from_secs(10);

fn changed(
    map: &mut BTreeMap<Scope, BTreeSet<Arc<str>>>,
    scope: &Scope,
    types: BTreeSet<Arc<str>>,
) -> bool {
    if map.get(scope) == Some(&types) {
        return false;
    }
    map.insert(scope.clone(), types);
    true
}
