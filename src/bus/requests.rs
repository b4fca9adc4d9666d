//! What the user asks for while a task is busy: nothing is lost because it came at the wrong moment.

use tokio::sync::watch;

/// The requests on one channel, counted, of which one task takes each once.
pub(super) struct Requests {
    channel: watch::Receiver<u64>,
    taken: u64,
}

impl Requests {
    /// Those that come from now on.
    pub fn from_now(channel: &watch::Sender<u64>) -> Self {
        let channel = channel.subscribe();
        let taken = *channel.borrow();
        Self { channel, taken }
    }

    /// True when some came since the last call. What is read next answers them all.
    pub fn take_new(&mut self) -> bool {
        let made = *self.channel.borrow();
        std::mem::replace(&mut self.taken, made) != made
    }

    /// Ends when there is one that was not taken: at once where it came since [`Self::take_new`].
    pub async fn arrived(&mut self) {
        let taken = self.taken;
        if self.channel.wait_for(|made| *made != taken).await.is_err() {
            // Nobody is left who could ask.
            std::future::pending::<()>().await;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    async fn arrives(requests: &mut Requests) -> bool {
        tokio::time::timeout(Duration::from_millis(50), requests.arrived()).await.is_ok()
    }

    #[tokio::test]
    async fn a_request_that_comes_while_the_task_is_busy_ends_its_next_wait() {
        let channel = watch::channel(7).0;
        let mut requests = Requests::from_now(&channel);
        assert!(!requests.take_new() && !arrives(&mut requests).await, "nobody asked for anything");
        channel.send_modify(|n| *n += 1);
        assert!(arrives(&mut requests).await);
        assert!(arrives(&mut requests).await, "it was not taken yet");
        assert!(requests.take_new() && !requests.take_new());
        assert!(!arrives(&mut requests).await);
        drop(channel);
        assert!(!arrives(&mut requests).await, "a task does not spin when the bus is gone");
    }
}
