//! A picture that is made on a worker thread.

use std::future::pending;

use tokio::task::JoinHandle;

/// One picture of its kind at a time: several of them side by side would each hold all rows.
pub(super) struct Making<T>(Option<JoinHandle<T>>);

impl<T> Default for Making<T> {
    fn default() -> Self {
        Self(None)
    }
}

impl<T: Send + 'static> Making<T> {
    /// True while a picture is being made.
    pub(super) fn is_going_on(&self) -> bool {
        self.0.is_some()
    }

    /// Has a worker thread make one. Whoever begins one has seen that none is being made: the one before would be lost.
    pub(super) fn begin(&mut self, make: impl FnOnce() -> T + Send + 'static) {
        self.0 = Some(tokio::task::spawn_blocking(make));
    }

    /// Ends when the picture that is being made is there (`None` where making it failed); never where none is.
    pub(super) async fn made(&mut self) -> Option<T> {
        let Some(work) = &mut self.0 else { return pending().await };
        let made = work.await.ok();
        self.0 = None;
        made
    }
}
