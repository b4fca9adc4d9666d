//! What the user asks for while a task is busy: nothing is lost because it came at the wrong moment.

use tokio::sync::watch;

/// A line of wishes, each counted, as one task serves them.
pub(super) struct Wishes {
    line: watch::Receiver<u64>,
    served: u64,
}

impl Wishes {
    /// Those that come from now on.
    pub fn from_now(line: &watch::Sender<u64>) -> Self {
        let line = line.subscribe();
        let served = *line.borrow();
        Self { line, served }
    }

    /// True when some were not served yet. What is read next serves them all.
    pub fn serve(&mut self) -> bool {
        let made = *self.line.borrow();
        std::mem::replace(&mut self.served, made) != made
    }

    /// Ends when there is one that was not served: at once where it came since [`Self::serve`].
    pub async fn come(&mut self) {
        let served = self.served;
        if self.line.wait_for(|made| *made != served).await.is_err() {
            // Nobody is left who could wish.
            std::future::pending::<()>().await;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    async fn comes(wishes: &mut Wishes) -> bool {
        tokio::time::timeout(Duration::from_millis(50), wishes.come()).await.is_ok()
    }

    #[tokio::test]
    async fn a_wish_that_comes_while_the_task_is_busy_ends_its_next_wait() {
        let line = watch::channel(7).0;
        let mut wishes = Wishes::from_now(&line);
        assert!(!wishes.serve() && !comes(&mut wishes).await, "nobody wished for anything");
        line.send_modify(|n| *n += 1);
        assert!(comes(&mut wishes).await);
        assert!(comes(&mut wishes).await, "it was not served yet");
        assert!(wishes.serve() && !wishes.serve());
        assert!(!comes(&mut wishes).await);
        drop(line);
        assert!(!comes(&mut wishes).await, "a task does not spin when the bus is gone");
    }
}
