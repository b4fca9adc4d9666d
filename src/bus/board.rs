//! The loop of a task that holds all that is known of a part and publishes one picture after another.

use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use super::debounce::Debounce;

/// Which picture is published.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Turn {
    /// What the cache holds.
    First,
    /// After updates.
    Next,
    /// Nothing comes any more.
    Last,
}

/// What is known of a part, as one task holds it.
pub(super) trait Board {
    /// What other tasks tell it.
    type Input: Send;

    /// Takes in what a task tells; true when it is worth a picture.
    fn take(&mut self, input: Self::Input) -> impl Future<Output = bool> + Send;

    /// Publishes what is known.
    fn publish(&mut self, turn: Turn) -> impl Future<Output = ()> + Send;

    /// In place of a picture on the way to the only one: tells other tasks what they go by.
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
        board.publish(Turn::First).await;
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
                    board.publish(Turn::Next).await;
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
    board.publish(Turn::Last).await;
}
