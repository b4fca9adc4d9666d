//! What the tasks of storage and those of savings work with.

use std::sync::Arc;

use tokio::sync::mpsc;

use super::Shared;
use super::account::report;
use super::readings::Outcome;
use super::world::Update;
use crate::domain::{Scope, SourceError, SourceId};

/// What the tasks of an account, or of one of its regions, work with: `S` is who is asked, `I` the way
/// to their board.
#[derive(Clone)]
pub(super) struct Context<S, I> {
    pub shared: Arc<Shared>,
    pub source: S,
    /// The account as a whole, or a region of it.
    pub scope: Scope,
    /// To the world: how sources are doing.
    pub updates: mpsc::Sender<Update>,
    /// To the board.
    pub inputs: I,
    pub only_once: bool,
}

/// How a source is doing.
pub(super) struct Told {
    /// Which.
    pub source: SourceId,
    /// Where.
    pub scope: Scope,
    /// How asking it went.
    pub outcome: Outcome,
}

impl<S, I: From<Told>> Context<S, mpsc::Sender<I>> {
    /// Tells the world and the board how a source is doing.
    pub async fn report(&self, source: SourceId, scope: Scope, outcome: Outcome) {
        let told = Told { source, scope: scope.clone(), outcome: outcome.clone() };
        let _ = self.inputs.send(told.into()).await;
        report(&self.updates, source, scope, outcome).await;
    }

    /// A line for the log: something failed, and the rest of its source works.
    pub async fn trouble(&self, source: SourceId, scope: &Scope, error: Arc<SourceError>) {
        let update = Update::Trouble { source, scope: scope.clone(), error: Some(error) };
        let _ = self.updates.send(update).await;
    }
}
