//! What ends the waits of a task that reads again and again: time, the user, a look at the inventory,
//! the end.

use std::time::Duration;

use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use super::Shared;
use super::requests::Requests;
use crate::domain::Backoff;
use crate::source::jittered;

/// The first pause after a failure; doubled with each in a row.
const PAUSE: Duration = Duration::from_secs(5);
/// The longest pause.
const PAUSE_AT_MOST: Duration = Duration::from_mins(5);

/// What ends the waits of one task: the stop, requests of the user, a look at the inventory.
pub(super) struct Wake {
    stop: CancellationToken,
    /// Requests to read what is free and what is due.
    pub refreshes: Requests,
    /// Requests to read what is billed and not due yet.
    pub forces: Requests,
    looks: Requests,
    backoff: Backoff,
}

/// Requests that came in before a round began.
pub(super) struct Asked {
    /// True when the user wants it read again.
    pub refresh: bool,
    /// True when the inventory was to be looked at.
    pub look: bool,
}

impl Wake {
    /// Counts requests from now on.
    pub fn new(shared: &Shared) -> Self {
        Self::of(&shared.stop, &shared.refresh, &shared.force, &shared.look)
    }

    fn of(
        stop: &CancellationToken,
        refresh: &watch::Sender<u64>,
        force: &watch::Sender<u64>,
        look: &watch::Sender<u64>,
    ) -> Self {
        Self {
            stop: stop.clone(),
            refreshes: Requests::from_now(refresh),
            forces: Requests::from_now(force),
            looks: Requests::from_now(look),
            backoff: Backoff::default(),
        }
    }

    /// A round begins, which answers what was asked for until now. What comes while it is under way
    /// ends the wait after it: it may have been asked just before it could have worked.
    pub fn begin(&mut self) -> Asked {
        Asked { refresh: self.refreshes.take_new(), look: self.looks.take_new() }
    }

    /// The round worked.
    pub fn worked(&mut self) {
        self.backoff.reset();
    }

    /// True when the last round failed.
    pub fn has_failed(&self) -> bool {
        self.backoff.has_failed()
    }

    /// Waits for `time`, a refresh by the user, or the end; false when the bus stops.
    pub async fn wait(&mut self, time: Duration) -> bool {
        tokio::select! {
            () = self.stop.cancelled() => false,
            () = self.refreshes.arrived() => true,
            () = tokio::time::sleep(time) => true,
        }
    }

    /// Like [`Self::wait`]; a look at the inventory ends the wait as well.
    pub async fn wait_or_look(&mut self, time: Duration) -> bool {
        tokio::select! {
            () = self.stop.cancelled() => false,
            () = self.refreshes.arrived() => true,
            () = self.looks.arrived() => true,
            () = tokio::time::sleep(time) => true,
        }
    }

    /// The round failed: waits before the next one, 5 s, doubled each time, at most 5 minutes, with
    /// jitter. A refresh by the user or a look at the inventory ends the wait. False when the bus
    /// stops.
    pub async fn pause(&mut self) -> bool {
        let time = jittered(self.backoff.pause(PAUSE, PAUSE_AT_MOST), 0.25);
        self.wait_or_look(time).await
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Bus {
        stop: CancellationToken,
        refresh: watch::Sender<u64>,
        look: watch::Sender<u64>,
    }

    /// Pauses of minutes, of which no test waits for the end.
    fn after_many() -> (Bus, Wake) {
        let bus = Bus {
            stop: CancellationToken::new(),
            refresh: watch::channel(0).0,
            look: watch::channel(0).0,
        };
        let mut wake = Wake::of(&bus.stop, &bus.refresh, &watch::channel(0).0, &bus.look);
        for _ in 0..9 {
            wake.backoff.pause(PAUSE, PAUSE_AT_MOST);
        }
        (bus, wake)
    }

    async fn ends(wake: &mut Wake, within: Duration) -> Option<bool> {
        tokio::time::timeout(within, wake.pause()).await.ok()
    }

    const SOON: Duration = Duration::from_secs(30);
    const AT_ONCE: Duration = Duration::from_millis(50);

    #[tokio::test]
    async fn what_was_asked_for_while_it_failed_ends_the_pause_after_it() {
        let (bus, mut wake) = after_many();
        for channel in [&bus.refresh, &bus.look] {
            wake.begin();
            channel.send_modify(|n| *n += 1);
            assert_eq!(ends(&mut wake, SOON).await, Some(true));
        }
        let asked = wake.begin();
        assert!(!asked.refresh && asked.look, "the round before has answered the first");
        assert_eq!(ends(&mut wake, AT_ONCE).await, None, "the round has answered them");
    }

    #[tokio::test]
    async fn a_request_ends_the_pause_under_way_and_so_does_the_end() {
        let (bus, mut wake) = after_many();
        wake.begin();
        let request = async {
            tokio::task::yield_now().await;
            bus.refresh.send_modify(|n| *n += 1);
        };
        let (ended, ()) = tokio::join!(ends(&mut wake, SOON), request);
        assert_eq!(ended, Some(true));
        wake.begin();
        bus.stop.cancel();
        assert_eq!(ends(&mut wake, SOON).await, Some(false));
    }

    #[tokio::test]
    async fn a_look_ends_a_wait_only_where_it_is_waited_for() {
        let (bus, mut wake) = after_many();
        bus.look.send_modify(|n| *n += 1);
        let wait = tokio::time::timeout(AT_ONCE, wake.wait(SOON)).await;
        assert!(wait.is_err());
        assert!(tokio::time::timeout(SOON, wake.wait_or_look(SOON * 2)).await.is_ok());
    }
}
