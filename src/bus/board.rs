//! The loop of a task that holds the state of a part (instances, storage, savings) and publishes pictures of it.

use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use super::debounce::Debounce;

/// When a picture is published.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum PictureStage {
    /// At the start, from the cache alone.
    Cached,
    /// After updates.
    Updated,
    /// At the end: no update follows.
    Last,
}

/// State of a part of the fleet (instances, storage or savings), held by one task and published by it.
pub(super) trait Board {
    /// Update sent by the tasks that read.
    type Input: Send;

    /// Takes in an update; true when a new picture should be published.
    fn take(&mut self, input: Self::Input) -> impl Future<Output = bool> + Send;

    /// Publishes a picture of the current state.
    fn publish(&mut self, stage: PictureStage) -> impl Future<Output = ()> + Send;

    /// Called in place of [`Self::publish`] before the only picture: passes on what other tasks need to go on.
    fn share(&mut self) -> impl Future<Output = ()> + Send {
        async {}
    }
}

/// Runs a board until every task has dropped its sender or the bus stops: publishes what the cache
/// holds, then what came in, many updates as one picture, and a last picture at the end; with
/// `only_once` the last alone.
pub(super) async fn run<B: Board>(
    board: &mut B,
    mut inbox: mpsc::Receiver<B::Input>,
    stop: &CancellationToken,
    only_once: bool,
) {
    if !only_once {
        board.publish(PictureStage::Cached).await;
    }
    let mut debounce = Debounce::default();
    loop {
        tokio::select! {
            biased;
            () = stop.cancelled() => break,
            () = debounce.elapsed() => {
                if only_once {
                    board.share().await;
                } else {
                    board.publish(PictureStage::Updated).await;
                }
            }
            input = inbox.recv() => {
                let Some(input) = input else { break };
                if board.take(input).await {
                    debounce.start();
                }
            }
        }
    }
    board.publish(PictureStage::Last).await;
}
