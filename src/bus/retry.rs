//! Attempts after failures: pauses that grow, and that a request of the user ends.

use std::time::Duration;

use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use super::Shared;
use super::requests::Requests;

/// The attempts of one task at what fails.
pub(super) struct Retry {
    /// In a row.
    failures: u32,
    refreshes: Requests,
    looks: Requests,
}

impl Retry {
    /// Before the first attempt.
    pub fn new(shared: &Shared) -> Self {
        Self::of(&shared.refresh, &shared.look)
    }

    fn of(refresh: &watch::Sender<u64>, look: &watch::Sender<u64>) -> Self {
        let (refreshes, looks) = (Requests::from_now(refresh), Requests::from_now(look));
        Self { failures: 0, refreshes, looks }
    }

    /// An attempt begins, which answers what was asked for until now. What comes while it is under
    /// way ends the pause after it: it may have been asked just before it could have worked.
    pub fn begin(&mut self) {
        self.refreshes.take_new();
        self.looks.take_new();
    }

    /// The attempt worked.
    pub fn worked(&mut self) {
        self.failures = 0;
    }

    /// True when the last attempt failed.
    pub fn has_failed(&self) -> bool {
        self.failures > 0
    }

    /// The attempt failed: waits before the next one, 5 s, doubled each time, at most 5 minutes,
    /// with jitter. A refresh by the user or a look at the inventory ends the wait. False when the
    /// bus stops.
    pub async fn pause(&mut self, stop: &CancellationToken) -> bool {
        let base = 5_000_u64.saturating_mul(1 << self.failures.min(6)).min(300_000);
        self.failures += 1;
        let time = Duration::from_millis(base * 3 / 4 + fastrand::u64(..base / 2));
        tokio::select! {
            () = stop.cancelled() => false,
            () = self.refreshes.arrived() => true,
            () = self.looks.arrived() => true,
            () = tokio::time::sleep(time) => true,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Pauses of minutes, of which no test waits for the end.
    fn after_many() -> (watch::Sender<u64>, watch::Sender<u64>, Retry) {
        let (refresh, look) = (watch::channel(0).0, watch::channel(0).0);
        let retry = Retry { failures: 9, ..Retry::of(&refresh, &look) };
        (refresh, look, retry)
    }

    async fn ends(retry: &mut Retry, within: Duration) -> Option<bool> {
        tokio::time::timeout(within, retry.pause(&CancellationToken::new())).await.ok()
    }

    const SOON: Duration = Duration::from_secs(30);
    const AT_ONCE: Duration = Duration::from_millis(50);

    #[tokio::test]
    async fn what_was_asked_for_while_it_failed_ends_the_pause_after_it() {
        let (refresh, look, mut retry) = after_many();
        for channel in [&refresh, &look] {
            retry.begin();
            channel.send_modify(|n| *n += 1);
            assert_eq!(ends(&mut retry, SOON).await, Some(true));
        }
        retry.begin();
        assert_eq!(ends(&mut retry, AT_ONCE).await, None, "the attempt has answered them");
    }

    #[tokio::test]
    async fn a_request_ends_the_pause_under_way_and_so_does_the_end() {
        let (refresh, _look, mut retry) = after_many();
        retry.begin();
        let stop = CancellationToken::new();
        let request = async {
            tokio::task::yield_now().await;
            refresh.send_modify(|n| *n += 1);
        };
        let (ended, ()) = tokio::join!(tokio::time::timeout(SOON, retry.pause(&stop)), request);
        assert_eq!(ended.ok(), Some(true));
        retry.begin();
        stop.cancel();
        assert_eq!(tokio::time::timeout(SOON, retry.pause(&stop)).await.ok(), Some(false));
    }
}
