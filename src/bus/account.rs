//! One account: who we are there, which regions, and one task for each of them.

use std::collections::HashMap;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;

use futures_util::FutureExt as _;
use tokio::sync::mpsc;
use tokio::task::JoinSet;

use super::facts::{KnownAccount, account_key, kind};
use super::readings::Outcome;
use super::wake::Wake;
use super::world::Update;
use super::{Account, Beside, Regions, Shared, ask, guarded, savings, scope, storage};
use crate::domain::{ErrorKind, Scope, SourceError, SourceId};
use crate::source::Identity;

/// Where the tasks of an account go to.
pub(super) struct Channels {
    /// To the world.
    pub updates: mpsc::Sender<Update>,
    /// To the picture of storage, where there is one.
    pub storage: Option<mpsc::Sender<storage::Input>>,
    /// To the picture of what could be saved, where there is one.
    pub savings: Option<mpsc::Sender<savings::Input>>,
    /// Dropped when every inventory of the account was read, or could not be.
    pub unread: mpsc::Sender<()>,
}

/// Runs until stopped; with `only_once` until every scope was read once.
pub(super) async fn run(
    shared: Arc<Shared>,
    account: Account,
    channels: Channels,
    only_once: bool,
) {
    let Channels { updates, storage: pictured, savings: saving, unread } = channels;
    let Some(identity) = identify(&shared, &account, &updates, only_once).await else { return };
    let regions = match &account.regions {
        Regions::Home => vec![account.provider.home_region().await],
        Regions::Named(names) => names.clone(),
        Regions::Enabled => {
            let Some(names) = enabled(&shared, &account, &identity, &updates, only_once).await
            else {
                return;
            };
            names
        }
    };
    let mut scopes = JoinSet::new();
    if let (Some(inputs), Some(source)) = (pictured, account.storage.clone()) {
        let ctx = storage::Context {
            shared: shared.clone(),
            source,
            scope: Scope::account_wide(identity.account.clone()),
            updates: updates.clone(),
            inputs,
            only_once,
        };
        scopes.spawn(storage::run(ctx, identity.label.clone(), regions.clone()));
    }
    let regions = match shared.storage.settings.beside {
        Beside::All | Beside::Inventory => regions,
        Beside::Nothing => Vec::new(),
    };
    let read: Vec<Scope> =
        regions.into_iter().map(|region| Scope::new(identity.account.clone(), region)).collect();
    let label = account.provider.label().to_owned();
    if let Some(inputs) = saving {
        let ctx = savings::Context {
            shared: shared.clone(),
            source: account.provider.clone(),
            scope: Scope::account_wide(identity.account.clone()),
            updates: updates.clone(),
            inputs,
            only_once,
        };
        let regions = read.iter().map(|scope| scope.region.clone()).collect();
        scopes.spawn(savings::run(ctx, label.clone(), regions));
    }
    let _ = updates.send(Update::Scopes { label, scopes: read.iter().cloned().collect() }).await;
    for scope in read {
        let ctx = scope::Context {
            shared: shared.clone(),
            provider: account.provider.clone(),
            scope,
            updates: updates.clone(),
            only_once,
            types: HashMap::new(),
            unread: None,
        };
        if !only_once {
            scopes.spawn(ask::run(ctx.clone()));
        }
        scopes.spawn(watched(scope::Context { unread: Some(unread.clone()), ..ctx }));
    }
    drop(unread);
    while scopes.join_next().await.is_some() {}
}

/// Runs a scope. A defect of burntop that ends it is shown like any failure of the source, and the
/// scope starts anew; without this its rows would grow old without a word.
async fn watched(mut ctx: scope::Context) {
    let mut unread = ctx.unread.take();
    let mut wake = Wake::new(&ctx.shared);
    loop {
        let first = scope::Context { unread: unread.take(), ..ctx.clone() };
        let run = AssertUnwindSafe(scope::run(first)).catch_unwind();
        if run.await.is_ok() {
            return;
        }
        // What was asked for in its time, the scope has answered itself.
        wake.begin();
        let error = SourceError::new(
            ErrorKind::Other,
            "burntop:scope",
            "reading this region ended in a defect of burntop",
            "please report it with the crash file in the state directory",
        );
        let outcome = Outcome::Bad(Arc::new(error));
        report(&ctx.updates, SourceId::Ec2, ctx.scope.clone(), outcome).await;
        if ctx.only_once || !wake.pause().await {
            return;
        }
    }
}

/// Asks who we are until it is answered.
async fn identify(
    shared: &Shared,
    account: &Account,
    updates: &mpsc::Sender<Update>,
    only_once: bool,
) -> Option<Identity> {
    let unknown = account_key(account.provider.label());
    let mut wake = Wake::new(shared);
    loop {
        wake.begin();
        match guarded("sts:GetCallerIdentity", account.provider.identity()).await {
            Ok(identity) => {
                let now = shared.now();
                let home = account.provider.home_region().await;
                let known = KnownAccount { account: identity.account.clone(), home };
                shared.cache.put(kind::ACCOUNT, &unknown, now, &known).await;
                let scope = Scope::account_wide(identity.account.clone());
                report(updates, SourceId::Identity, scope, Outcome::Good { coverage: 1.0 }).await;
                let forget = Update::Forget { source: SourceId::Identity, scope: unknown };
                let _ = updates.send(forget).await;
                let _ = updates.send(Update::Account(identity.clone())).await;
                return Some(identity);
            }
            Err(error) => {
                let error = Arc::new(error);
                if error.kind == ErrorKind::NoCredentials {
                    let _ = updates.send(Update::NoCredentials(error.clone())).await;
                }
                report(updates, SourceId::Identity, unknown.clone(), Outcome::Bad(error)).await;
            }
        }
        if only_once || !wake.pause().await {
            return None;
        }
    }
}

/// Asks for the enabled regions until it is answered.
async fn enabled(
    shared: &Shared,
    account: &Account,
    identity: &Identity,
    updates: &mpsc::Sender<Update>,
    only_once: bool,
) -> Option<Vec<Arc<str>>> {
    let scope = Scope::account_wide(identity.account.clone());
    let mut wake = Wake::new(shared);
    loop {
        wake.begin();
        match guarded("ec2:DescribeRegions", account.provider.regions()).await {
            Ok(regions) => {
                if wake.has_failed() {
                    let good = Outcome::Good { coverage: 1.0 };
                    report(updates, SourceId::Identity, scope, good).await;
                }
                return Some(regions);
            }
            Err(error) => {
                let outcome = Outcome::Bad(Arc::new(error));
                report(updates, SourceId::Identity, scope.clone(), outcome).await;
            }
        }
        if only_once || !wake.pause().await {
            return None;
        }
    }
}

/// Tells the world how a source is doing.
pub(super) async fn report(
    updates: &mpsc::Sender<Update>,
    source: SourceId,
    scope: Scope,
    outcome: Outcome,
) {
    let _ = updates.send(Update::Source { source, scope, outcome }).await;
}

/// Reports the outcome of a reading and returns its value; `None` where it failed.
pub(super) async fn report_result<T>(
    updates: &mpsc::Sender<Update>,
    source: SourceId,
    scope: &Scope,
    result: Result<T, SourceError>,
) -> Option<T> {
    match result {
        Ok(value) => {
            report(updates, source, scope.clone(), Outcome::Good { coverage: 1.0 }).await;
            Some(value)
        }
        Err(error) => {
            report(updates, source, scope.clone(), Outcome::Bad(Arc::new(error))).await;
            None
        }
    }
}
